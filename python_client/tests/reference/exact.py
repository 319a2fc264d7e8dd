"""Values taken apart, so that two processes can compare them down to the types.

Both the client's Python and the original's read this file: nothing but numpy.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np


def exact(value: Any) -> Any:
    """Return a value as nested tuples that say of each part its type and all there is to it."""
    if isinstance(value, enum.Enum):
        return "enum", type(value).__name__, value.name
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return "numpy", value.dtype.str, value.item()
    if isinstance(value, dict):
        return "dict", tuple((exact(key), exact(entry)) for key, entry in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(exact(entry) for entry in value)
    if value is None or type(value) in (bool, int, float, str):
        return type(value).__name__, value
    raise TypeError(f"{type(value)} is nothing that an environment returns")


def difference(got: Any, want: Any, path: str = "") -> str | None:
    """Describe the first difference of two exact values; None if there is none."""
    if got == want:
        return None
    if got[0] == want[0] == "dict":
        keys = [[key[1] for key, _ in value[1]] for value in (got, want)]
        if keys[0] != keys[1]:
            return f"{path}: has the keys {keys[0]}, want {keys[1]}"
        pairs = [(g, w, f"{path}[{k!r}]") for (_, g), (_, w), k in zip(got[1], want[1], keys[0], strict=True)]
    elif got[0] == want[0] and got[0] in ("list", "tuple") and len(got[1]) == len(want[1]):
        pairs = [(g, w, f"{path}[{i}]") for i, (g, w) in enumerate(zip(got[1], want[1], strict=True))]
    else:
        return f"{path}: {_shown(got)}, want {_shown(want)}"
    return next(filter(None, (difference(*pair) for pair in pairs)), None)


def _shown(value: Any) -> str:
    if value[0] == "array":
        return f"array {value[1]} {np.frombuffer(value[3], value[1]).reshape(value[2]).tolist()}"
    return repr(value)
