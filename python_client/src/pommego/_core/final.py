"""The last observations of episodes, as SAME_STEP has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import Observation, View, WithMasks
from pommego._core.rows import rows_of

__all__ = ["final_info"]


def final_info(view: View, learners: int, rows: int) -> dict[str, Any]:
    """Return the final observations and their info in gymnasium's form for SAME_STEP."""
    at = rows_of(view.finished, learners)
    mask = np.zeros(rows, np.bool_)
    mask[at] = True
    obs = view.final["obs"]
    final_obs = np.full(rows, None, dtype=object)
    for k, row in enumerate(at.tolist()):
        final_obs[row] = _row_of(obs, k, len(at), learners)
    last: dict[str, Any] = {}
    kinds = {"action_mask": np.int8, "alive": np.bool_, "seat": np.uint8, "rules": np.int32}
    for name, dtype in kinds.items():
        if name in view.final:
            array = view.final[name].view(dtype)
            whole = np.zeros((rows, *array.shape[1:]), dtype)
            whole[at] = array
            last[name], last[f"_{name}"] = whole, mask.copy()
    for name in ("obs", "state"):
        if name in view.final:
            whole = _spread(view.final[name], view.finished, learners, rows)
            last[name], last[f"_{name}"] = whole, mask.copy()
    return {"final_obs": final_obs, "_final_obs": mask, "final_info": last, "_final_info": mask.copy()}


def _row_of(obs: Observation, k: int, rows: int, learners: int) -> Observation:
    """Return row k of so many; shared fields have one entry per game."""
    if isinstance(obs, np.ndarray):
        return obs[k]
    return {name: array[k if len(array) == rows else k // learners] for name, array in obs.items()}


def _spread(shown: Observation, games: NDArray[Any], learners: int, rows: int) -> Observation:
    """Return what some games showed in arrays for all rows, or for all games if there is one for each."""

    def spread(array: NDArray[Any]) -> NDArray[Any]:
        by_rows = len(array) == len(games) * learners
        whole = np.zeros((rows if by_rows else rows // learners, *array.shape[1:]), array.dtype)
        whole[rows_of(games, learners if by_rows else 1)] = array
        return whole

    if isinstance(shown, np.ndarray):
        return spread(shown)
    return WithMasks((name, spread(array)) for name, array in shown.items())
