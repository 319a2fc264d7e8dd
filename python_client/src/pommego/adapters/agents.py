"""One row of a batch, for adapters that name agents instead of counting rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pommego.batch import Observation
from pommego.spec import GameSpec

__all__ = ["agent_names", "row_info", "row_obs"]


def agent_names(spec: GameSpec, seats: list[str] | tuple[str, ...] | None) -> list[str]:
    """Name the agents that learn by their seats: agent_0, agent_1 and so on.

    Args:
        spec: the game.
        seats: as for `pommego.make_vec`; None: all learn.

    Returns:
        the names in the order of a game's rows.
    """
    kinds = seats or ["learner"] * spec.seats
    return [f"agent_{seat}" for seat, kind in enumerate(kinds) if kind == "learner"]


def row_obs(obs: Observation, row: int) -> Observation:
    """Take one row of an observation, without a copy."""
    return {name: array[row] for name, array in obs.items()}


def row_info(info: Mapping[str, Any], row: int) -> dict[str, Any]:
    """Take what `info` has for one row, as plain Python numbers where it is one number.

    Args:
        info: a vector environment's, each key with a mask under ``_key``.
        row: which.

    Returns:
        only the keys that are set for this row.
    """
    own: dict[str, Any] = {}
    for name, value in info.items():
        if name.startswith("_") or not info[f"_{name}"][row]:
            continue
        if isinstance(value, Mapping):
            own[name] = row_info(value, row)
        else:
            entry = value[row]
            own[name] = entry.item() if isinstance(entry, np.generic) else entry
    return own
