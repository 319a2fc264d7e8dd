"""The requests that save and restore games, and say where episodes begin."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pommego._core.batch import View
from pommego._core.session import Session
from pommego._transport import wire
from pommego.errors import ServerError
from pommego.state import State, to_wire

if TYPE_CHECKING:
    from pommego._core.simulating import Simulation
    from pommego._core.starts import Starts

__all__ = ["Games"]

_PER_STATE = 16  # bytes of a message around each state


class Games(Session):
    """The games of one environment: a session that can also save, restore and simulate them.

    Attributes:
        hosts: who has the games, if they are in portions; they are not.
        policy_seats: the seats that policies play, counted as opponents are: none.
    """

    hosts = ()
    policy_seats = ()

    at_once = 8192  # states in one message, whatever their size
    room = 4096  # bytes of a message around its states

    def save(self, games: list[int], as_json: bool) -> list[Any]:
        """Save games, in as many messages as necessary; see `PommegoVectorEnv.get_state`."""
        states: list[Any] = []
        most = self.at_once
        while len(states) < len(games):
            part = games[len(states) : len(states) + most]
            try:
                reply = self.call("get_state", wire.States, games=part, json=as_json or None)
            except ServerError as e:
                if e.code != "limit" or len(part) == 1:
                    raise
                most = max(len(part) // 4, 1)  # the reply would be too long
                continue
            states += self.saved(reply.states, len(part), as_json=as_json)
        return states

    def saved(self, states: list[Any], count: int, *, as_json: bool = False) -> list[Any]:
        """Return so many states of a reply, as objects."""
        kind = str if as_json else bytes
        if len(states) != count or not all(isinstance(state, kind) for state in states):
            raise self.client.distrust(f"{len(states)} saved games, or of another type, expected {count}")
        if not as_json:
            return [State(state, self) for state in states]
        try:
            return [dict(json.loads(state)) for state in states]
        except (ValueError, TypeError, RecursionError) as e:
            raise self.client.distrust(f"a saved game that is not a JSON object: {e}") from e

    def restore(self, games: list[int], states: Sequence[Any]) -> View:
        """Restore games and return the batch of all games; see `PommegoVectorEnv.set_state`."""
        given = [to_wire(state) for state in states]
        if len(games) != len(given):
            raise ValueError(f"{len(given)} states for {len(games)} games")
        if not games:
            raise ValueError("no games to restore")
        for begin, end in self.in_messages(given, self.at_once):
            reply = self.call("set_state", wire.Batch, games=games[begin:end], states=given[begin:end])
            view = self.read(reply)
        return view

    def starts(self, states: Sequence[Any] | None) -> dict[str, Any] | None:
        """Return what a reset says of the state that each game begins in; None: on boards of their own.

        Raises:
            ValueError: they are too large for one message.
        """
        if states is None:
            return None
        places: dict[bytes | str, int] = {}
        starts = [-1 if s is None else places.setdefault(to_wire(s), len(places)) for s in states]
        size, room = sum(map(len, places)), self.client.limits["message_bytes"] // 2
        if size > room:
            raise ValueError(
                f"options['states'] are {size} bytes in all, and one reset takes {room}: give fewer "
                "different states, or set_start_states(), which takes any number"
            )
        return {"states": list(places), "starts": wire.tensor(np.array(starts, np.int32))}

    def set_starts(self, starts: Starts) -> None:
        """Say where episodes begin; see `PommegoVectorEnv.set_start_states`."""
        weights = starts.weights
        for begin, end in self.in_messages(starts.states, self.at_once):
            self.call(
                "set_starts",
                wire.Ok,
                states=starts.states[begin:end],
                weights=weights and weights[begin:end],
                ordinary=starts.ordinary,
                add=begin > 0,
            )

    def readable(self, state: State | bytes) -> dict[str, Any]:
        """Return the readable form of any state; see `PommegoVectorEnv.state_json`."""
        self.check_idle()
        call, env = self.client.call, self.scratch
        call("set_state", wire.Batch, env=env, games=[0], states=[to_wire(state)])
        reply = call("get_state", wire.States, env=env, games=[0], json=True)
        return self.saved(reply.states, 1, as_json=True)[0]

    def simulate(self, states: Sequence[State | bytes], actions: ArrayLike, **options: Any) -> Simulation:
        """Make steps from each state; see `PommegoVectorEnv.simulate`."""
        from pommego._core.simulating import simulate  # noqa: PLC0415, loaded when it is used

        return simulate(self, states, actions, **options)

    def in_messages(self, states: list[bytes | str], at_once: int) -> Iterator[tuple[int, int]]:
        """Split states into ranges that each fit into one message."""
        room = self.client.limits["message_bytes"] - self.room
        each = self.made.learners * math.prod(self.action_shape[1:]) + _PER_STATE
        begin = size = 0
        for i, state in enumerate(states):
            need = len(state) * (3 if isinstance(state, str) else 1) + each  # three: of a character
            if i > begin and (size + need > room or i - begin >= at_once):
                yield begin, i
                begin, size = i, 0
            size += need
        yield begin, len(states)
