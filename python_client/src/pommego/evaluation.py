"""How well a policy plays: many games against given opponents, counted."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from pommego._core import checks
from pommego._core.batch import Observation
from pommego._core.connecting import Connection
from pommego._core.describing import describe, running
from pommego._core.more_checks import check_options
from pommego._core.opponents import Opponent, Policy, check_player
from pommego._core.playing import Game, Played, play_games, play_matches, progress, rules_alone, seatings
from pommego.making import make_vec
from pommego.results import Evaluation
from pommego.spec import GameSpec
from pommego.suites import Part, SuiteResult, differing, load, named

SEED = 1_000_000_000  # far from the seeds that people train with
NOT_HERE = ("num_envs", "seat", "seats", "reward", "on_death", "autoreset_mode")
NOT_HERE += ("batch_size", "max_episode_steps")


@overload
def evaluate(
    policy: Opponent,
    id: str,
    opponents: Opponent | Sequence[Opponent] = ...,
    games: int = ...,
    **options: Any,
) -> Evaluation: ...


@overload
def evaluate(policy: Policy, *, suite: str, **options: Any) -> SuiteResult: ...


def evaluate(
    policy: Opponent,
    id: str | None = None,
    opponents: Opponent | Sequence[Opponent] = "simple",
    games: int = 100,
    *,
    suite: str | None = None,
    team: bool = False,
    seed: int = SEED,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Evaluation | SuiteResult:
    """Play games with a policy against agents, and count how they end.

    The policy plays all games at the same time: it is called once per step, with the rows of
    all games. It sits equally often in every seat. Each game is played once, to its end. Rows of
    the dead, and of games that are over, stay in the batches; their actions have no effect.

    Args:
        policy: called as ``policy(obs, info)`` as opponents are (see `LineUps`), with
            ``info["state"]`` if asked for. A policy with parameters `states` or `simulate` searches: it
            gets these by name, and only the rows whose actions count. `states` are saved games, one per row;
            `simulate` is `PommegoVectorEnv.simulate` for them, with an action for the row's own seat. There
            agents play on, and seats of other policies stop in the first step. Or a `Pool`: each
            game's seed draws a member, and ratings do not change. Or an agent's name: games between
            agents alone are matches, on all cores of this machine.
        id: an id of the catalog.
        opponents: who plays all other seats, in any of these forms, or a list, in the order of
            `make_vec` (with `team`, in the order of the seats).
        games: how many; each has its own seed.
        suite: in place of `id`, `opponents`, `games`, `team` and `seed`: the name of a fixed set
            of games in `pommego.suites.SUITES`, such as "team-2027".
        team: whether the policy plays all seats of its team, with a row for each. Otherwise
            a teammate is among the opponents.
        seed: game i has seed ``seed + i``.
        address: of a running server; None: one is started.
        token: that server's token, if it has one.
        options: as for `make_vec`: observation, rules, state and so on; for games between agents alone only
            rules, one dictionary. Leave out what a policy's attribute `options` names (see `LineUps`).

    Returns:
        the results; printed, they show rates of wins, ties and losses and the mean length, with 95 %
        intervals. With `suite` a `pommego.suites.SuiteResult`, which has a score and can be saved for others.

    Raises:
        TypeError, ValueError: an argument is not as described. Other errors are those of `make_vec`.
    """
    check_player("policy", policy)
    check_options(options, NOT_HERE, evaluate, make_vec)
    if suite is not None:
        if (id, opponents, games, team, seed) != (None, "simple", 100, False, SEED):
            raise TypeError(
                f"suite {suite!r} has an id, opponents, games and seeds of its own: leave them out"
            )
        if isinstance(policy, str):
            raise TypeError(f"policy is {policy!r}: a suite needs a callable on (obs, info)")
        return play_suite(
            itertools.repeat(policy), suite, play_games, address=address, token=token, **options
        )
    if id is None:
        raise TypeError("evaluate() needs the id of an environment, or suite=")
    checks.at_least(1, "games", games)
    seed = checks.one_seed(seed)
    with running(address, token) as where:
        spec = describe(id, options | where)
        ways = seatings(spec, policy, opponents, team=team)
        if all(isinstance(player, str) for players, _ in ways for player in players):
            play = partial(play_matches, rules=rules_alone(options))
        else:
            every = isinstance(policy, str)
            play = partial(play_games, options=options | where, every_seat=every)
        return play_ways(play, spec, ways, range(seed, seed + games))


def play_suite(
    policies: Iterable[Any], name: str, play: Callable[..., Played], **options: Any
) -> SuiteResult:
    """Play a suite with one policy for each of its parts; `play` is `play_games` or does the same."""
    suite = named(name)
    if suite.successor:
        raise ValueError(
            f"the agents of the suite {name} play differently since pommego 0.1: play {suite.successor}, "
            "or play this one with 0.1 (make wheel of revision 02db02da, then "
            "pip install dist/pommego-0.1.0-*.whl)"
        )
    for option in ("rules", "start_states"):
        if options.get(option):
            raise ValueError(
                f"{option} is {options[option]!r:.80}: the suite {name} has rules of its own, which also say "
                f"where games begin: leave {option} out"
            )
    with running(options.pop("address"), options.pop("token")) as where:
        specs = {}
        for id in dict.fromkeys(id for id, *_ in suite.parts):
            spec = describe(id, options | where)
            specs[id], wanted, here = spec, {id: suite.version}, {id: spec.version}
            if why := differing(wanted | suite.agents, here | spec.agent_versions):
                raise ValueError(f"the suite {name} was {why}: use a server of pommego with these versions")
        parts = []
        for k, ((id, opponents, partner), policy) in enumerate(zip(suite.parts, policies, strict=False)):
            made: list[NDArray[np.uint8]] = []
            others = [opponents, partner, opponents] if partner else opponents
            ways = seatings(specs[id], policy, others, team=suite.team)
            playing = partial(play, options=options | where, made=made)
            evaluation = play_ways(playing, specs[id], ways, suite.seeds(k))
            steps = np.stack(made)
            steps = steps.reshape(len(made), suite.games, -1, *steps.shape[2:])
            scored = np.delete(np.arange(suite.games), evaluation.void)
            actions = [steps[:end, game] for game, end in zip(scored, evaluation.lengths, strict=True)]
            parts.append(Part(opponents, evaluation, actions, partner, id if suite.kinds else ""))
        return SuiteResult(suite, tuple(parts), suite.agents)


def check_result(
    path: str | os.PathLike[str],
    *,
    address: str | None = None,
    token: str | None = None,
    connection: Connection | None = None,
) -> SuiteResult:
    """Play the games of a saved result again, with the actions in it, and compare.

    The built-in agents of the suites play the same moves for the same seed and opponents' moves, on
    any machine, so that the actions decide the games. With a language model two things are not checked: how
    its answers were read, as a result has only the actions, and whether the games that are left out, a tenth
    of a part at most, could not be scored.

    Args:
        path: a file that `SuiteResult.save` wrote.
        address: of a running server; None: one is started.
        token: that server's token, if it has one.
        connection: to a server at wss://, as for `make_vec`.

    Returns:
        the result, as it was found again.

    Raises:
        ValueError: the file is no result, was made with other versions of the agents (check those of 2026
            with pommego 0.1), or a game ends otherwise than it says; the first is named.
    """
    claimed = load(path)
    if others := differing(claimed.agents, claimed.suite.agents):
        raise ValueError(
            f"{os.fspath(path)}: {others}: check it with a release of pommego that has these agents"
        )
    where = {"address": address, "token": token, "connection": connection}
    again = play_suite(map(_recorded, claimed.parts), claimed.suite.name, play_games, **where)
    for said, found in zip(claimed.parts, again.parts, strict=True):
        for key in ("results", "lengths", "seats"):
            one, other = (getattr(part.evaluation, key) for part in (said, found))
            other = np.delete(other, said.evaluation.void)
            same = one == other
            if key == "lengths" and said.evaluation.answers:  # other seats may continue when a model has lost
                same |= (one < other) & (said.evaluation.results < 0)
            if not same.all():
                game = int(same.argmin())
                raise ValueError(
                    f"{os.fspath(path)}: game {game} {said.name} has {key} {one[game]}, "
                    f"played again {other[game]}"
                )
    return replace(again, parts=claimed.parts)


def _recorded(part: Part) -> Policy:
    """Return a policy that plays a part's actions step by step, and 0 after the end of a game."""
    steps, games = itertools.count(), list(part.actions)
    for number in part.evaluation.void:
        games.insert(number, np.zeros_like(games[0][:1]))

    def act(_: Observation, __: dict[str, Any]) -> NDArray[np.uint8]:
        step = next(steps)
        return np.concatenate([g[step] if step < len(g) else np.zeros_like(g[0]) for g in games])

    return act


def play_ways(
    play: Callable[..., Played], spec: GameSpec, ways: list[tuple[list[Any], int]], seeds: Sequence[int]
) -> Evaluation:
    """Play one game per seed, with each seating equally often; `play` is `play_games` or does the same."""
    ends = [len(seeds) * i // len(ways) for i in range(len(ways) + 1)]
    seated = [way for way, begin, end in zip(ways, ends, ends[1:], strict=False) for _ in range(begin, end)]
    games = [Game(seed, players) for seed, (players, _) in zip(seeds, seated, strict=True)]
    seats = np.array([seat for _, seat in seated], np.uint8)
    played = play(spec, games, tell=progress(len(games)))
    over, results = played.over, played.results[np.arange(len(games)), seats]
    about = played.answers, tuple(sorted(played.void)), played.usage
    return Evaluation(results[over], played.lengths[over], seats[over], *about)
