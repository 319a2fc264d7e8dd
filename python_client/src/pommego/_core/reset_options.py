"""The options of `reset`, checked: loaded when there are some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def reset_mask(options: Mapping[str, Any], games: int, learners: int) -> NDArray[np.bool_] | None:
    """Read ``options["reset_mask"]`` and return one flag for each game, None for all games."""
    unknown = set(options) - {"reset_mask", "states"}
    if unknown:
        raise ValueError(f"unknown reset options {sorted(unknown)}; there are 'reset_mask' and 'states'")
    mask = options.get("reset_mask")
    if mask is None:
        return None
    rows = games * learners
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"options['reset_mask'] must be a numpy array, got {type(mask).__name__}")
    if mask.dtype != np.bool_:
        raise TypeError(f"options['reset_mask'] must have dtype bool, got {mask.dtype}")
    if mask.shape != (rows,):
        raise ValueError(f"options['reset_mask'] must have shape {(rows,)}, one flag a row, got {mask.shape}")
    if not mask.any():
        raise ValueError("options['reset_mask'] must have at least one True")
    grouped = mask.reshape(games, learners)
    whole = grouped.all(axis=1)
    partly = grouped.any(axis=1) & ~whole
    if partly.any():
        game = int(partly.argmax())
        raise ValueError(
            f"options['reset_mask'] covers only some of the rows of game {game} "
            f"(rows {game * learners} to {game * learners + learners - 1}): a game is reset as a whole"
        )
    return whole


def reset_states(options: Mapping[str, Any], games: int) -> list[Any] | None:
    """Read ``options["states"]`` and return a state, or None, for each game; None if there are none."""
    states = options.get("states")
    if states is None:
        return None
    if isinstance(states, str | bytes | Mapping) or not isinstance(states, Sequence):
        raise TypeError(
            f"options['states'] is a list of saved states, one for each game, not {type(states).__name__}"
        )
    if len(states) != games:
        raise ValueError(
            f"options['states'] has {len(states)} entries for {games} game{'s'[games == 1 :]}: give one for "
            "each, None for a game that begins on a new board; set_start_states() draws from any number"
        )
    return list(states) if any(state is not None for state in states) else None
