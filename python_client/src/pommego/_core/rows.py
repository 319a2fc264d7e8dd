"""Functions of rows, games and actions that need no server."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.spec import BOX


def rows_of(games: NDArray[Any], learners: int) -> NDArray[np.intp]:
    first = games.astype(np.intp) * learners
    return (first[:, None] + np.arange(learners)).ravel() if learners > 1 else first


def row_obs(obs: Any, row: int, rows: int) -> Any:
    """Return one of `rows` rows of an observation, without a copy. Arrays may have games in place of rows."""
    if isinstance(obs, np.ndarray):
        return obs[row]
    return {name: array[row * len(array) // rows] for name, array in obs.items()}


def sample(masks: Sequence[NDArray[np.int8]], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw legal actions, (rows, components), from a mask (rows, choices) for each component."""
    drawn = []
    for component, mask in enumerate(masks):
        reach = np.cumsum(mask, axis=1, dtype=np.float32)
        if (none := reach[:, -1] <= 0).any():
            row = int(none.argmax())
            raise ValueError(
                f"action_mask is {mask[row].tolist()} for component {component} in row {row}, expected at "
                "least one 1: action 0 is always legal, also for the dead"
            )
        point = rng.random((len(mask), 1), np.float32) * reach[:, -1:]
        drawn.append((reach <= point).sum(axis=1, dtype=np.uint8))
    return np.stack(drawn, axis=1)


def fields_of(obs: Any) -> Mapping[str, Any]:
    """Return an observation or its space as a mapping, also if it is a single box."""
    return obs if isinstance(obs, Mapping) else {BOX: obs}


def to_box(planes: NDArray[Any], scalars: NDArray[Any]) -> NDArray[np.float32]:
    """Put planes and scalars into one box: the planes, then one constant plane for each scalar."""
    count = planes.shape[1]
    box = np.empty((len(planes), count + scalars.shape[1], *planes.shape[2:]), np.float32)
    box[:, :count] = planes
    box[:, count:] = scalars[:, :, None, None]
    return box
