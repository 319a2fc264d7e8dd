"""Simulations: steps from saved games, apart from an environment's own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import Lazy, View
from pommego._core.info import episode_info
from pommego._core.merging import join_batches
from pommego._transport import wire
from pommego.state import State, to_wire


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


def simulate(
    games: Any,
    states: Sequence[State | bytes],
    actions: ArrayLike,
    *,
    seed: int | None,
    steps: int,
    policy: str | None,
    trajectory: bool,
) -> Simulation:
    shown = max(steps, 1) if trajectory else 1
    given = [to_wire(state) for state in states]
    if not given:
        raise ValueError("no states to simulate: give at least one")
    first = secrets.randbits(63) if seed is None else checks.one_seed(seed)
    n, learners, made = len(given), games.about.learners, games.about.made
    wanted = np.empty((n * learners, *made.action_shape[1:]), np.uint8)
    checks.write_actions(actions, wanted, n, learners)
    further: dict[str, Any] = {}
    if steps != 1:
        further = {"steps": steps, "policy": policy, "trajectory": trajectory or None}
    views: list[View] = []
    after: list[list[State]] = [[] for _ in range(shown)]
    for begin, end in games.in_messages(given, _at_once(games, shown)):
        reply = games.call(
            "simulate",
            wire.Simulated,
            states=given[begin:end],
            actions=wire.tensor(wanted[begin * learners : end * learners]),
            seed=(first + begin) % (1 << 64),
            **further,
        )
        n = end - begin
        views.append(games.read_simulated(reply, n * shown))
        states = games.saved(reply.states, n * shown)
        for step, own in enumerate(after):
            own.extend(states[step * n : (step + 1) * n])
    view = join_batches(views, steps if trajectory else None)
    ended = episode_info(view.stats, games.about.spec.counts) if view.finished.size else {}
    info = Lazy(view.info | {"seed": first} | ended)
    return Simulation(
        after if trajectory else after[0], view.obs, view.reward, view.terminated, view.truncated, info
    )


def _at_once(games: Any, steps: int) -> int:
    """Return how many states fit into a request that shows so many steps, as its reply has a limit."""
    each = games.about.made.batch_bytes // games.about.made.games + games.room  # a generous bound
    limits = games.client.limits
    most = min(games.at_once, limits["games_per_env"], limits["batch_bytes"] // (2 * each))
    return max(1, most // steps)
