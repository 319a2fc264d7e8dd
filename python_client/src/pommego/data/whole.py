"""Whole games, from data sets of either layout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.data.episode import Episode, from_rows
from pommego.data.loading import Batch, joined, load, rows_of
from pommego.data.manifest import Manifest
from pommego.data.rebuilding import rebuild

__all__ = ["episodes"]


def episodes(path: str | os.PathLike[str], **options: Any) -> Iterator[Episode]:
    """Yield the whole games of a data set in order.

    Args:
        path: a data set of either layout.
        options: for layout "games": as for `rebuild`.
    """
    manifest = Manifest.read(path)
    if manifest.layout == "games":
        yield from rebuild(path, **options)
        return
    if options:
        raise TypeError(f"layout steps has no options {list(options)}")
    kept: list[Batch] = []
    for batch in load(path):
        for begin, end in _runs(batch["game"]):
            part = rows_of(batch, begin, end)
            if kept and kept[0]["game"][0] != part["game"][0]:
                yield from_rows(joined(kept), manifest)
                kept = []
            kept.append(part)
    if kept:
        yield from_rows(joined(kept), manifest)


def _runs(numbers: NDArray[Any]) -> list[tuple[int, int]]:
    """Return the ranges of equal numbers."""
    ends = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return list(pairwise(ends))
