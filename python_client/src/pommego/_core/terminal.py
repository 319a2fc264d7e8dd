"""Progress lines and readable figures, for the demo and the benchmark."""

from __future__ import annotations

import sys
import time
from typing import TextIO


def count(number: float) -> str:
    """Format a number with about three digits: 1,234 or 56.7 k or 8.90 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if number >= size:
            scaled = number / (1e3 if unit == " k" else size)
            return f"{scaled:.3g}{unit}" if scaled < 1000 else f"{scaled:,.0f}{unit}"
    return f"{number:,.0f}"


class Progress:
    """One line that is rewritten in place on a terminal; elsewhere a new line every few seconds."""

    def __init__(self, out: TextIO = sys.stderr, every: float = 2.0) -> None:
        self._out = out
        self._live = out.isatty()
        self._every = 0.1 if self._live else every
        self._due = time.monotonic() + self._every
        self._width = 0

    def show(self, text: str) -> None:
        """Show text if enough time has passed."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + self._every
        if self._live:
            self._out.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._out.write(text + "\n")
        self._out.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._live and self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._out.flush()
