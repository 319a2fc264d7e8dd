"""`raw` observations of Pommerman as `planes` on the learner's device, for PyTorch.

    import torch
    from pommego.torch import planes

    envs = pommego.make_vec("PommeTeamCompetition-v0", 1024, observation="raw")
    obs, info = envs.reset(seed=0)
    raw = {name: torch.from_numpy(array).to("cuda") for name, array in obs.items()}
    obs = planes(raw, envs.game_spec)

A step of a fogged team game sends 2.6 kB to the device, the planes 9 kB.
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
)


def planes(
    raw: Mapping[str, torch.Tensor], spec: GameSpec, *, unfogged: bool = False
) -> dict[str, torch.Tensor]:
    """Make `planes` observations of `raw` ones, as the server does, to the byte.

    Everything is computed on the tensors' device, and nothing is copied from it. The
    first call for a game and a device copies small tables there.

    Args:
        raw: the fields of the encoding "raw", as tensors on one device, as for
            `pommego.planes`.
        spec: the game, as `PommegoVectorEnv.game_spec` has it.
        unfogged: they are of the encoding "unfogged": hide what each seat does not see first.

    Returns:
        "planes", uint8 (rows, planes, n, n), and "scalars", float32 (rows, ...), there.

    Raises:
        ValueError: these are no raw observations of this game, or it is not Pommerman.
        PommegoError: `unfogged`, but the game has no fog.
    """
    return convert(_TORCH, raw, spec, unfogged)
