"""Saved states that episodes begin in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pommego._transport import wire
from pommego.state import State, to_wire


class Starts:
    """Saved states that episodes begin in, one of them drawn for each episode by its seed.

        envs = pommego.make_vec(id, 64, start_states=pommego.Starts(endings, ordinary=0.2))

    Args:
        states: as `PommegoVectorEnv.get_state` or `pommego.data.states` return them, of any
            environments of the same id and rules. None: all episodes begin on new boards.
        weights: how often each is drawn; None: all equally often.
        ordinary: the share of episodes that begin on a new board.
    """

    def __init__(
        self,
        states: Sequence[State | bytes | dict[str, Any]] | None,
        weights: Sequence[float] | None = None,
        ordinary: float = 0.0,
    ) -> None:
        if isinstance(states, State | bytes | str | dict):
            raise TypeError(f"start states are a list of saved states, not one {type(states).__name__}")
        if states is not None and not len(states):
            raise ValueError("the list of start states is empty: give some, or None for new boards alone")
        self.states = [to_wire(state) for state in states or ()]
        self.weights = None if weights is None else [float(weight) for weight in weights]
        self.ordinary = float(ordinary)
        if self.weights is not None:
            self._leave_out_the_never_drawn()
        if not 0 <= ordinary <= 1:
            raise ValueError(f"the share of ordinary starts is {ordinary}, expected 0 to 1")

    def _leave_out_the_never_drawn(self) -> None:
        """Check the weights, and drop states of weight 0: a message must not consist of these alone."""
        if len(self.weights) != len(self.states):
            raise ValueError(f"{len(self.weights)} weights for {len(self.states)} start states, not one each")
        if not all(0 <= w < math.inf for w in self.weights) or not sum(self.weights) > 0:
            raise ValueError(f"the weights are {self.weights}, expected finite numbers, 0 or more, not all 0")
        self.states = [state for state, weight in zip(self.states, self.weights, strict=True) if weight]
        self.weights = [weight for weight in self.weights if weight]

    @classmethod
    def read(cls, starts: Starts | Sequence[State | bytes | dict[str, Any]] | None) -> Starts:
        return starts if isinstance(starts, Starts) else cls(starts)


def request_fields(states: Sequence[Any], room: int) -> dict[str, Any]:
    """Return what a reset says of the state that each game begins in, or None for a board of its own."""
    places: dict[bytes | str, int] = {}
    starts = [-1 if s is None else places.setdefault(to_wire(s), len(places)) for s in states]
    size = sum(map(len, places))
    if size > room:
        raise ValueError(
            f"options['states'] are {size} bytes in all, and one reset takes {room}: give fewer "
            "different states, or set_start_states(), which takes any number"
        )
    return {"states": list(places), "starts": wire.tensor(np.array(starts, np.int32))}
