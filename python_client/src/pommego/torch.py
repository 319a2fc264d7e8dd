"""`raw` or `bits` observations of Pommerman as `planes` on the learner's device, for PyTorch.

A step of a fogged team game sends 2.6 kB to the device, the planes 9 kB. `docs/frameworks.md` has an example.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pommego.encoding import Library, convert
from pommego.spec import GameSpec

__all__ = ["planes"]

#: Tables on devices, by their identity; each is kept, so that no other gets that.
_moved: dict[tuple[int, torch.device], tuple[NDArray[Any], torch.Tensor]] = {}


def _table(table: NDArray[Any], like: torch.Tensor) -> torch.Tensor:
    key = (id(table), like.device)
    if key not in _moved:
        _moved[key] = table, torch.from_numpy(np.ascontiguousarray(table)).to(like.device)
    return _moved[key][1]


_TORCH = Library(
    table=_table,
    cast=lambda array, dtype: array.to(getattr(torch, dtype)),
    join=torch.cat,
    pick=lambda array, index: torch.take_along_dim(array, index.long(), -1),
    repeat=torch.repeat_interleave,
    unpack=lambda bytes: (
        bytes[..., None] >> torch.arange(8, dtype=torch.uint8, device=bytes.device) & 1
    ).flatten(-2),
)


def planes(
    raw: Mapping[str, torch.Tensor], spec: GameSpec, *, unfogged: bool = False
) -> dict[str, torch.Tensor]:
    """Make `planes` observations of `raw` ones; arguments, result and errors are those of `pommego.planes`.

    All tensors, those returned too, are on one device; everything is computed there. The first call
    for a game and a device copies small tables to it.
    """
    return convert(_TORCH, raw, spec, unfogged)
