"""Saved games, and the requests that save, restore and simulate them."""

from __future__ import annotations

import json
import math
import secrets
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import View
from pommego._core.info import episode_info
from pommego._core.merging import join_simulations
from pommego._core.opponents import check_simulate
from pommego._core.session import Session
from pommego._transport import wire
from pommego.errors import PommegoError, ServerError

__all__ = ["Games", "Simulation", "State"]

_AT_ONCE = 8192  # states in one message, whatever their size
_ROOM = 4096  # bytes of a message around its states
_PER_STATE = 16  # bytes of a message around each state


class State:
    """One saved game: board, random generators, the built-in agents' memory, seed and episode.

    It consists of opaque bytes, which any environment of the same id can restore, also
    in another process or on another day. States can be compared, hashed, copied and
    pickled.

    Args:
        data: the bytes, as `bytes(state)` gives them.
    """

    __slots__ = ("_data", "_session")

    def __init__(self, data: bytes, session: Session | None = None) -> None:
        self._data = bytes(data)
        self._session = weakref.ref(session) if session is not None else lambda: None

    def json(self) -> dict[str, Any]:
        """Return the readable form; `set_state` takes it too.

        Raises:
            PommegoError: the environment that it came from is closed. Use the method
                `state_json(state)` of another.
        """
        session = self._session()
        if session is None or session.closed:
            raise PommegoError("its environment is closed; use envs.state_json(state) of another")
        with session.guard:
            return session.readable(self)

    def __bytes__(self) -> bytes:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, State) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    def __reduce__(self) -> tuple[type[State], tuple[bytes]]:
        return State, (self._data,)

    def __repr__(self) -> str:
        return f"State({len(self._data)} bytes)"


class Simulation(NamedTuple):
    """What `PommegoVectorEnv.simulate` returns, for n states.

    With ``trajectory=True`` all arrays have one more axis, the steps, in front.

    Attributes:
        states: the n states after the last step; with ``trajectory=True`` a list of n
            states for each step.
        obs: their observations, (n * learners, ...).
        reward: float64 (n * learners,), the sum of all steps.
        terminated: bool (n * learners,), whether the game ended in any of the steps.
        truncated: bool (n * learners,), whether it was cut off in any of the steps.
        info: as from `step`; "seed" is the seed of the simulation's random numbers.
    """

    states: list[State] | list[list[State]]
    obs: dict[str, NDArray[Any]]
    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    info: dict[str, Any]


def _to_wire(state: State | bytes | dict[str, Any] | str) -> bytes | str:
    """Return a state as it is sent: bytes if opaque, text if JSON."""
    if isinstance(state, State):
        return bytes(state)
    if isinstance(state, bytes | bytearray | memoryview):
        return bytes(state)
    if isinstance(state, str):
        return state
    if isinstance(state, dict):
        return json.dumps(state)
    raise TypeError(f"a state is a State, bytes, or JSON as a dict or str, not {type(state).__name__}")


class Games(Session):
    """The games of one environment: a session that can also save, restore and simulate them.

    Attributes:
        members: where the games are, if that is in several places; they are in one.
    """

    members = ()

    def save(self, games: list[int], as_json: bool) -> list[Any]:
        """Save games, in as many messages as necessary; see `PommegoVectorEnv.get_state`."""
        states: list[Any] = []
        at_once = _AT_ONCE
        while len(states) < len(games):
            part = games[len(states) : len(states) + at_once]
            try:
                reply = self.call("get_state", wire.States, games=part, json=as_json or None)
            except ServerError as e:
                if e.code != "limit" or len(part) == 1:
                    raise
                at_once = max(len(part) // 4, 1)  # the reply would be too long
                continue
            states += self._saved(reply.states, len(part), as_json=as_json)
        return states

    def _saved(self, states: list[Any], count: int, *, as_json: bool = False) -> list[Any]:
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
        given = [_to_wire(state) for state in states]
        if len(games) != len(given):
            raise ValueError(f"{len(given)} states for {len(games)} games")
        if not games:
            raise ValueError("no games to restore")
        for begin, end in self._parts(given, _AT_ONCE):
            reply = self.call("set_state", wire.Batch, games=games[begin:end], states=given[begin:end])
            if self.policies:
                self.policies.forget(np.array(games[begin:end]))
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
        starts = [-1 if s is None else places.setdefault(_to_wire(s), len(places)) for s in states]
        size, room = sum(map(len, places)), self.client.limits["message_bytes"] // 2
        if size > room:
            raise ValueError(
                f"options['states'] are {size} bytes in all, and one reset takes {room}: give fewer "
                "different states, or set_start_states(), which takes any number"
            )
        return {"states": list(places), "starts": wire.tensor(np.array(starts, np.int32))}

    def set_starts(self, states: Sequence[Any], weights: Sequence[float] | None, ordinary: float) -> None:
        """Say where episodes begin; see `PommegoVectorEnv.set_start_states`."""
        if isinstance(states, State | bytes | str | dict):
            raise TypeError(f"start states are a list of saved states, not one {type(states).__name__}")
        given = [_to_wire(state) for state in states]
        if weights is not None:
            weights = [float(weight) for weight in weights]
            if len(weights) != len(given):
                raise ValueError(f"{len(weights)} weights for {len(given)} start states")
        if weights is not None and (not all(0 <= w < math.inf for w in weights) or not sum(weights) > 0):
            raise ValueError("weights of start states are finite numbers, 0 or more, not all 0")
        if not 0 <= ordinary <= 1:
            raise ValueError(f"the share of ordinary starts is {ordinary}, expected 0 to 1")
        if weights is not None:  # without those that are never drawn, so that no message has nothing else
            given = [state for state, weight in zip(given, weights, strict=True) if weight]
            weights = [weight for weight in weights if weight]
        for begin, end in self._parts(given, _AT_ONCE):
            self.call(
                "set_starts",
                wire.Ok,
                states=given[begin:end],
                weights=weights and weights[begin:end],
                ordinary=float(ordinary),
                add=begin > 0,
            )

    def readable(self, state: State | bytes) -> dict[str, Any]:
        """Return the readable form of any state; see `PommegoVectorEnv.state_json`."""
        self.check_idle()
        call, env = self.client.call, self.scratch
        call("set_state", wire.Batch, env=env, games=[0], states=[_to_wire(state)])
        reply = call("get_state", wire.States, env=env, games=[0], json=True)
        return self._saved(reply.states, 1, as_json=True)[0]

    def simulate(
        self,
        states: Sequence[State | bytes],
        actions: ArrayLike,
        *,
        seed: int | None,
        steps: int,
        policy: str | None,
        trajectory: bool,
    ) -> Simulation:
        """Make steps from each state; see `PommegoVectorEnv.simulate`."""
        check_simulate(self.policies)
        checks.playing_on(steps, policy)
        shown = steps if trajectory else 1
        given = [_to_wire(state) for state in states]
        if not given:
            raise ValueError("no states to simulate")
        first = secrets.randbits(63) if seed is None else checks.one_seed(seed)
        n, learners = len(given), self.made.learners
        wanted = np.empty((n * learners, *self.action_shape[1:]), np.uint8)
        odd = checks.write_actions(actions, wanted, n, learners)
        further: dict[str, Any] = {}
        if steps > 1:
            further = {"steps": int(steps), "policy": policy, "trajectory": trajectory or None}
        views: list[View] = []
        after: list[list[State]] = [[] for _ in range(shown)]
        for begin, end in self._parts(given, self._simulated_at_once(shown)):
            part = slice(begin * learners, end * learners)
            try:
                reply = self.call(
                    "simulate",
                    wire.Simulated,
                    states=given[begin:end],
                    actions=wire.tensor(wanted[part]),
                    seed=(first + begin) % (1 << 64),
                    **further,
                )
            except ServerError as e:
                raise checks.own_value(e, odd if odd is None else odd[part]) from None
            n = end - begin
            views.append(self.read_simulated(reply, n * shown, part=n < len(given)))
            states = self._saved(reply.states, n * shown)
            for step, own in enumerate(after):
                own.extend(states[step * n : (step + 1) * n])
        view = join_simulations(views, steps if trajectory else None)
        info = view.info | {"seed": first} | (episode_info(view) if view.finished.size else {})
        return Simulation(
            after if trajectory else after[0], view.obs, view.reward, view.terminated, view.truncated, info
        )

    def _simulated_at_once(self, steps: int) -> int:
        """Return how many states one request may have that shows so many steps: its reply has a limit."""
        each = self.made.batch_bytes // self.made.games + _ROOM  # a generous bound
        limits = self.client.limits
        most = min(_AT_ONCE, limits["games_per_env"], limits["batch_bytes"] // (2 * each))
        return max(1, most // steps)

    def _parts(self, states: list[bytes | str], at_once: int) -> Iterator[tuple[int, int]]:
        """Split states into ranges that each fit into one message."""
        room = self.client.limits["message_bytes"] - _ROOM
        each = self.made.learners * math.prod(self.action_shape[1:]) + _PER_STATE
        begin = size = 0
        for i, state in enumerate(states):
            need = len(state) * (3 if isinstance(state, str) else 1) + each  # three: of a character
            if i > begin and (size + need > room or i - begin >= at_once):
                yield begin, i
                begin, size = i, 0
            size += need
        yield begin, len(states)
