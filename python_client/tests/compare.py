"""Exact comparison of nested results, with the path to the first difference."""

from __future__ import annotations

from typing import Any

import numpy as np


def difference(got: Any, want: Any, path: str = "") -> str | None:
    """Describe the first difference in type, dtype, shape or value; None if there is none."""
    if isinstance(want, dict):
        if not isinstance(got, dict) or got.keys() != want.keys():
            keys = sorted(got) if isinstance(got, dict) else type(got).__name__
            return f"{path}: has {keys}, want {sorted(want)}"
        pairs = [(got[key], want[key], f"{path}[{key!r}]") for key in want]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    if isinstance(want, tuple):
        if len(got) != len(want):
            return f"{path}: {len(got)} entries, want {len(want)}"
        pairs = [(g, w, f"{path}[{i}]") for i, (g, w) in enumerate(zip(got, want, strict=True))]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    if not isinstance(want, np.ndarray):
        return None if type(got) is type(want) and got == want else f"{path}: {got!r}, want {want!r}"
    if not isinstance(got, np.ndarray) or got.dtype != want.dtype or got.shape != want.shape:
        kind = f"{got.dtype} {got.shape}" if isinstance(got, np.ndarray) else type(got).__name__
        return f"{path}: {kind}, want {want.dtype} {want.shape}"
    if want.dtype == object:
        pairs = [(g, w, f"{path}[{i}]") for i, (g, w) in enumerate(zip(got, want, strict=True))]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    if not np.array_equal(got, want):
        at = tuple(int(i) for i in np.argwhere(got != want)[0])
        return f"{path}: {got[at]} at {at}, want {want[at]} ({np.sum(got != want)} entries differ)"
    return None


def assert_same(got: Any, want: Any, when: str = "") -> None:
    found = difference(got, want)
    assert found is None, f"{when}{found}"


def frozen(value: Any) -> Any:
    """Copy a result deeply, so that reused buffers cannot change it."""
    if isinstance(value, dict):
        return {key: frozen(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(map(frozen, value))
    if isinstance(value, np.ndarray) and value.dtype == object:
        out = np.empty_like(value)
        out[:] = [frozen(entry) for entry in value]
        return out
    return value.copy() if isinstance(value, np.ndarray) else value
