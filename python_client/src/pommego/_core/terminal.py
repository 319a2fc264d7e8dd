"""Pictures as text on the terminal."""

import os
import sys


def colours() -> bool:
    """Return whether standard output shows colours, for `render`."""
    plain = os.environ.get("TERM") == "dumb" or os.environ.get("NO_COLOR")
    return sys.stdout.isatty() and not plain


def show(picture: str) -> None:
    """Write a picture to standard output: on a terminal over the last one, line by line."""
    if sys.stdout.isatty():
        picture = "\x1b[H" + picture.rstrip("\n").replace("\n", "\x1b[K\n") + "\x1b[K\n\x1b[J"
    sys.stdout.write(picture)
    sys.stdout.flush()
