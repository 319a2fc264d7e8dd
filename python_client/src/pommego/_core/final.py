"""The last observations of episodes, for SAME_STEP."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import Lazy, Observation, View, WithMasks
from pommego._core.rows import rows_of


def final_info(
    view: View, valid: NDArray[np.bool_], game: dict[str, Any], learners: int, rows: int
) -> dict[str, Any]:
    """Return the final observations and their info in gymnasium's form for SAME_STEP, for a `Lazy` info."""
    finished, shown = view.finished, view.final
    at = rows_of(finished, learners)
    mask = np.zeros(rows, np.bool_)
    mask[at] = True
    valid = valid & mask

    @cache
    def last() -> dict[str, Any]:
        info: dict[str, Any] = {}
        for name, array in shown.items():
            info[name], info[f"_{name}"] = _spread(array, finished, learners, rows), mask.copy()
        return info | game | {"_game": mask.copy(), "valid": valid, "_valid": mask.copy()}

    def final_obs(_: str) -> NDArray[Any]:
        obs = np.full(rows, None, dtype=object)
        for row in at.tolist():
            obs[row] = _row_of(last()["obs"], row, rows, learners)
        return obs

    return {
        "final_obs": partial(final_obs),
        "_final_obs": mask.copy(),
        "final_info": partial(lambda _: Lazy(last())),
        "_final_info": mask.copy(),
    }


def _row_of(obs: Observation, row: int, rows: int, learners: int) -> Observation:
    """Return one of the rows, without a copy. An array with games first has one entry per game."""
    if isinstance(obs, np.ndarray):
        return obs[row]
    return {name: array[row if len(array) == rows else row // learners] for name, array in obs.items()}


def _spread(shown: Observation, games: NDArray[Any], learners: int, rows: int) -> Observation:
    """Put the values of some games into arrays for all rows, or for all games if there is one per game."""

    def spread(array: NDArray[Any]) -> NDArray[Any]:
        by_rows = len(array) == len(games) * learners
        whole = np.zeros((rows if by_rows else rows // learners, *array.shape[1:]), array.dtype)
        whole[rows_of(games, learners if by_rows else 1)] = array
        return whole

    if isinstance(shown, np.ndarray):
        return spread(shown)
    return WithMasks((name, spread(array)) for name, array in shown.items())
