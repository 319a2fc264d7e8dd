"""Pictures as text on the terminal."""

from __future__ import annotations

import os
import sys


def colours() -> int:
    """Return what standard output can show, for `render`: False, 16, or True for 24-bit colours."""
    term = os.environ.get("TERM", "")
    if not sys.stdout.isatty() or term == "dumb" or os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("COLORTERM") in ("truecolor", "24bit") or term.endswith("-direct") else 16


def show(picture: str) -> None:
    """Write a picture to standard output: on a terminal over the last one, line by line."""
    if sys.stdout.isatty():
        picture = "\x1b[H" + picture.rstrip("\n").replace("\n", "\x1b[K\n") + "\x1b[K\n\x1b[J"
    sys.stdout.write(picture)
    sys.stdout.flush()
