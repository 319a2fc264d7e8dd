"""Saved games: saves, restores and reads them, begins episodes in them, and simulates."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import Lazy, View, join_batches
from pommego._core.games import Games
from pommego._core.info import episode_info
from pommego._core.more_checks import given_weights
from pommego._transport import wire
from pommego.errors import ServerError, counted_from
from pommego.state import State, to_wire

_AT_ONCE = 8192  # states in one message, whatever their size
_ROOM = 4096  # bytes of a message besides its states
_PER_STATE = 16  # bytes of a message for each state besides its own


def save(games: Games, numbers: list[int], as_json: bool) -> list[Any]:
    states: list[Any] = []
    most = _AT_ONCE
    while len(states) < len(numbers):
        part = numbers[len(states) : len(states) + most]
        try:
            reply = games.call("get_state", wire.States, games=part, json=as_json or None)
        except ServerError as e:
            if e.code != "limit" or len(part) == 1:
                raise
            most = max(len(part) // 4, 1)  # the reply would be too long
            continue
        states += _states(games, reply.states, len(part), as_json=as_json)
    return states


def _states(games: Games, states: list[Any], count: int, *, as_json: bool = False) -> list[Any]:
    """Return the states of a reply, which has `count` of them, as bytes or dictionaries."""
    kind = str if as_json else bytes
    if len(states) != count or not all(isinstance(state, kind) for state in states):
        raise games.client.distrust(f"{len(states)} saved games, or of another type, expected {count}")
    if not as_json:
        return states
    try:
        return [dict(json.loads(state)) for state in states]
    except (ValueError, TypeError, RecursionError) as e:
        raise games.client.distrust(f"a saved game that is not a JSON object: {e}") from e


def restore(games: Games, numbers: list[int], states: Sequence[Any]) -> View:
    given = listed(states)
    if len(numbers) != len(given):
        raise ValueError(f"{len(given)} states for {len(numbers)} game{'s'[len(numbers) == 1 :]}")
    for begin, end in _in_messages(games, given, _AT_ONCE):
        reply = games.call("set_state", wire.Batch, games=numbers[begin:end], states=given[begin:end])
        view = games.read(reply)
    return view


def listed(states: Sequence[Any]) -> list[bytes | str]:
    """Return states in the form of messages; raise TypeError for one that is not in a list."""
    if isinstance(states, bytes | bytearray | memoryview | str | dict | int):
        raise TypeError(f"states is one {type(states).__name__}, expected a list: [state]")
    return [to_wire(state) for state in states]


def readable(games: Games, state: State | bytes) -> dict[str, Any]:
    """Return a state in its JSON form, by way of a separate game on the server."""
    call, env = games.client.call, games.scratch
    call("set_state", wire.Batch, env=env, games=[0], states=[to_wire(state)])
    reply = call("get_state", wire.States, env=env, games=[0], json=True)
    return _states(games, reply.states, 1, as_json=True)[0]


def _in_messages(games: Games, states: list[bytes | str], at_once: int) -> Iterator[tuple[int, int]]:
    """Split states into ranges that each fit into one message."""
    room = games.client.limits["message_bytes"] - _ROOM
    each = games.about.learners * math.prod(games.about.made.action_shape[1:]) + _PER_STATE
    begin = size = 0
    for i, state in enumerate(states):
        need = len(state) * (3 if isinstance(state, str) else 1) + each  # three bytes per character at most
        if i > begin and (size + need > room or i - begin >= at_once):
            yield begin, i
            begin, size = i, 0
        size += need
    yield begin, len(states)


class Starts:
    """Saved states that episodes begin in, one of them drawn for each episode.

        envs = pommego.make_vec(id, 64, start_states=pommego.Starts(endings, ordinary=0.2))

    They come from `PommegoVectorEnv.get_state` of any environment with the same id and rules, or from
    `pommego.data.states`; None: all episodes begin on new boards. Without weights all are drawn equally
    often. `ordinary` is the share of episodes that begin on a new board.
    """

    def __init__(
        self,
        states: Sequence[State | bytes | dict[str, Any]] | None,
        weights: Sequence[float] | None = None,
        ordinary: float = 0.0,
    ) -> None:
        self.states = [] if states is None else listed(states)
        if states is not None and not self.states:
            raise ValueError("the list of start states is empty: give some, or None for new boards alone")
        self.weights: list[float] | None = None
        self.ordinary = float(ordinary)
        if weights is not None:  # without states of weight 0: a message must not have only those
            each = given_weights(weights, len(self.states), "start states")
            drawn = [pair for pair in zip(self.states, each, strict=True) if pair[1]]
            self.states, self.weights = map(list, zip(*drawn, strict=True))
        if not 0 <= ordinary <= 1:
            raise ValueError(f"the share of ordinary starts is {ordinary}, expected 0 to 1")

    @classmethod
    def read(cls, starts: Starts | Sequence[State | bytes | dict[str, Any]] | None) -> Starts:
        return starts if isinstance(starts, Starts) else cls(starts)


def set_starts(games: Games, starts: Starts) -> None:
    weights = starts.weights
    for begin, end in _in_messages(games, starts.states, _AT_ONCE):
        with counted_from("the states", begin):
            games.call(
                "set_starts",
                wire.Ok,
                states=starts.states[begin:end],
                weights=weights and weights[begin:end],
                ordinary=starts.ordinary,
                add=begin > 0,
            )


class Simulation(NamedTuple):
    """What `PommegoVectorEnv.simulate` returns: the states after the last step, and their batch.

    The reward is the sum over all steps; a game is terminated or truncated if it ended so in any of them.
    ``info["seed"]`` is the seed of the simulation's random numbers.
    """

    states: list[State]
    obs: dict[str, NDArray[Any]]
    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    info: dict[str, Any]


def simulate(
    games: Games,
    states: Sequence[State | bytes],
    actions: ArrayLike,
    *,
    seed: int | None,
    steps: int,
    policy: str | None,
) -> Simulation:
    given = listed(states)
    if policy is not None and not isinstance(policy, str):
        raise TypeError(f"policy is {policy!r}, expected the name of an agent, which plays on the server")
    if not given:
        raise ValueError("no states to simulate")
    first = secrets.randbits(63) if seed is None else checks.one_seed(seed)
    n, learners, made = len(given), games.about.learners, games.about.made
    wanted = np.empty((n * learners, *made.action_shape[1:]), np.uint8)
    wire.write_actions(actions, wanted, n, learners)
    views: list[View] = []
    after: list[State] = []
    # How many states one request may have: its reply has a limit, and this is a generous bound.
    limits, each = games.client.limits, made.batch_bytes // made.games + _ROOM
    most = max(1, min(_AT_ONCE, limits["games_per_env"], limits["batch_bytes"] // (2 * each)))
    for begin, end in _in_messages(games, given, most):
        with counted_from("the states", begin):
            reply = games.call(
                "simulate",
                wire.Simulated,
                states=given[begin:end],
                actions=wire.tensor(wanted[begin * learners : end * learners]),
                seed=(first + begin) % (1 << 64),
                steps=None if steps == 1 else steps,
                policy=policy,
            )
        views.append(games.read(reply, end - begin))
        after += _states(games, reply.states, end - begin)
    view = join_batches(views)
    ended = episode_info(view.stats, games.about.spec.counts) if view.finished.size else {}
    info = Lazy(view.info | {"seed": first} | ended)
    return Simulation(after, view.obs, view.reward, view.terminated, view.truncated, info)
