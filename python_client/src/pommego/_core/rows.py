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
    constant = np.broadcast_to(scalars[:, :, None, None], (*scalars.shape, *planes.shape[2:]))
    return np.concatenate([planes, constant], axis=1, dtype=np.float32)


def together(parts: list[Any]) -> Any:
    """Join arrays, or dictionaries of them, rows first."""
    if parts[0] is None:
        return None
    if isinstance(parts[0], dict):
        return type(parts[0])((name, together([part[name] for part in parts])) for name in parts[0])
    return np.concatenate(parts)


def keep_rows(x: Any, games: int, learners: int, rows: slice, *, copy: bool, expand: bool = False) -> Any:
    """Keep some rows of each game, in an array with rows first or a dict of such arrays.

    An array with games first stays as it is; with `expand` it is repeated for each row kept.
    """
    if isinstance(x, dict):
        kept = {n: keep_rows(v, games, learners, rows, copy=copy, expand=expand) for n, v in x.items()}
        return type(x)(kept)
    if not isinstance(x, np.ndarray) or not x.ndim:
        return x
    if len(x) == games * learners:
        kept = x.reshape(games, learners, *x.shape[1:])[:, rows].reshape(-1, *x.shape[1:])
        return kept.copy() if copy and np.may_share_memory(kept, x) else kept
    if expand and len(x) == games:
        return np.repeat(x, len(range(learners)[rows]), axis=0)
    return x


def take_rows(x: Any, rows: NDArray[np.intp]) -> Any:
    """Take rows, in ascending order, of an array or of a dict of such arrays; all of them without a copy."""
    if isinstance(x, np.ndarray):
        return x[rows] if len(rows) < len(x) else x
    return {name: take_rows(part, rows) for name, part in x.items()}
