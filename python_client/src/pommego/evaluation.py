"""How well a policy plays: many games against given opponents, counted."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import Observation
from pommego._core.checks import none_of
from pommego._core.connecting import Connection
from pommego._core.matches import by_seat, own_seat, play, rules_alone
from pommego._core.opponents import Opponent
from pommego._core.playing import Game, play_games, progress
from pommego.making import describe
from pommego.pool import Pool
from pommego.results import Evaluation
from pommego.server import running
from pommego.spec import GameSpec
from pommego.suites import Part, Suite, SuiteResult, differing, load, named

__all__ = ["NOT_HERE", "RESULTS", "SEED", "Policy", "check_result", "evaluate", "seatings"]

#: Chooses actions, (rows,) or (rows, components), by a batch's observation and its info.
Policy = Callable[[Observation, dict[str, Any]], ArrayLike]

SEED = 1_000_000_000  # far from the seeds that people train with
NOT_HERE = ("num_envs", "seat", "seats", "reward", "on_death", "autoreset_mode")
NOT_HERE += ("batch_size", "max_episode_steps")


@overload
def evaluate(
    policy: Opponent,
    id: str,
    opponents: Opponent | Sequence[Opponent] = "simple",
    games: int = 100,
    *,
    team: bool = False,
    seed: int = SEED,
    time_limit: float = math.inf,
    address: str | None = None,
    token: str | None = None,
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
    time_limit: float = math.inf,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Evaluation | SuiteResult:
    """Play games with a policy against agents, and count how they end.

    The policy plays all games at the same time: it is called once per step, with the rows of
    all games. It sits equally often in every seat. Each game is played once, to its end. Rows of
    the dead, and of games that are over, stay in the batches until all are over; what the policy
    does there has no effect. A terminal shows how many games are over.

    Args:
        policy: called as ``policy(obs, info)`` as opponents are (see `LineUps`), with
            ``info["state"]`` if asked for; returns actions, (rows,) or (rows, components).

            A policy with a parameter `states` searches: it is called as
            ``policy(obs, info, states=states, simulate=simulate)`` for rows whose action counts alone.
            `states` are saved games, one a row; `simulate` is `PommegoVectorEnv.simulate` for
            them, with an action for the row's own seat. Agents play on in it; other
            seats that policies play stop in its first step.

            Or a `Pool`, of which each game's seed draws a member, without effect on its ratings. Or an
            agent's name; games between agents alone are matches, as ``pommego play`` plays
            them, on all cores of this machine.
        id: an id of the catalog.
        opponents: who plays all other seats, in any of these forms, or a list, in the order of
            `make_vec` (with `team`, in the order of the seats).
        games: how many; each has another board.
        suite: in place of `id`, `opponents`, `games`, `team` and `seed`: the name of a fixed set
            of games in `pommego.suites.SUITES`, such as "team-2026".
        team: whether the policy plays all seats of its team, with a row for each. Otherwise
            it plays one seat, and a teammate is among the opponents.
        seed: game i has seed ``seed + i``.
        time_limit: seconds, after which no further step or match begins. The games that are over
            by then count, which in batches are the shorter ones; the result has the number of the others.
        address: of a running server; None: one is started.
        token: that server's token, if it has one.
        options: further options, as for `make_vec`: observation, rules, state and so on; for
            an agent only rules.

    Returns:
        the results; printed, it shows rates of wins, ties and losses and the mean length, with
        95 % intervals. With `suite` a `pommego.suites.SuiteResult`: one for each kind of
        opponent, a score, and a file that others can check.

    Raises:
        TypeError, ValueError: an argument is not as described.

    Other errors are those of `make_vec`.
    """
    if suite is not None:
        if (id, opponents, games, team, seed, time_limit) != (None, "simple", 100, False, SEED, math.inf):
            raise TypeError(
                f"suite {suite!r} has an id, opponents, games and seeds of its own, and is played whole: "
                "leave them out, and time_limit"
            )
        if isinstance(policy, str):
            raise TypeError(f"policy is {policy!r}: a suite wants a callable on (obs, info)")
        _check(policy, games, options)
        return _evaluate_suite(itertools.repeat(policy), suite, address=address, token=token, **options)
    if id is None:
        raise TypeError("evaluate() needs the id of an environment, or suite=")
    _check(policy, games, options)
    until = time.monotonic() + time_limit
    with running(address, token) as where:
        spec = describe(id, rules=options.get("rules"), **where, connection=options.get("connection"))
        seated = _seated(policy, spec, opponents, games, team=team, seed=seed)
        if all(isinstance(player, str) for game, _ in seated for player in game.players):
            return _play_agents(spec, seated, rules_alone(options), until)
        return _play(spec, seated, options | where, until=until, every_seat=isinstance(policy, str))


def _evaluate_suite(
    policies: Iterable[Policy], name: str, *, address: str | None, token: str | None, **options: Any
) -> SuiteResult:
    """Play a suite with a policy for each of its parts."""
    suite = named(name)
    if options.get("rules"):
        raise ValueError(f"rules are {options['rules']!r}: the suite {name} has rules of its own")
    with running(address, token) as where:
        spec = describe(suite.id, rules=None, **where, connection=options.get("connection"))
        if spec.version != suite.version:
            raise ValueError(
                f"the suite {name} is of rules version {suite.version} of {suite.id}, the server has "
                f"{spec.version}: use a release of pommego with that version"
            )
        if others := differing(suite.agents, spec.agent_versions):
            raise ValueError(f"the suite {name} was {others}: use a server of pommego with these agents")
        return SuiteResult(suite, tuple(_parts(policies, suite, spec, options | where)), suite.agents)


def _parts(
    policies: Iterable[Policy], suite: Suite, spec: GameSpec, options: dict[str, Any]
) -> Iterator[Part]:
    for k, ((opponents, partner), policy) in enumerate(zip(suite.parts, policies, strict=False)):
        made: list[NDArray[np.uint8]] = []
        seed = suite.seed + k * suite.games
        others = [opponents, partner, opponents] if partner else opponents
        seated = _seated(policy, spec, others, suite.games, team=suite.team, seed=seed)
        evaluation = _play(spec, seated, options, made=made)
        steps = np.stack(made)
        steps = steps.reshape(len(made), suite.games, -1, *steps.shape[2:])
        ends = evaluation.lengths.tolist()
        yield Part(opponents, evaluation, [steps[:end, game] for game, end in enumerate(ends)], partner)


def check_result(
    path: str | os.PathLike[str],
    *,
    address: str | None = None,
    token: str | None = None,
    connection: Connection | None = None,
) -> SuiteResult:
    """Play the games of a saved result again, with the actions in it, and compare.

    The built-in agents of the suites play the same moves for the same seed and opponents' moves, on
    any machine, so that the actions decide the games.

    Args:
        path: a file that `SuiteResult.save` wrote.
        address: of a running server; None: one is started.
        token: that server's token, if it has one.
        connection: to a server at wss://, as for `make_vec`.

    Returns:
        the result, as it was found again.

    Raises:
        ValueError: the file is no result, was made with other versions of the agents, or a game ends
            otherwise than it says; the first is named.
    """
    claimed = load(path)
    if others := differing(claimed.agents or {}, claimed.suite.agents):
        raise ValueError(
            f"{os.fspath(path)}: {others}: check it with a release of pommego that has these agents"
        )
    where = {"address": address, "token": token, "connection": connection}
    again = _evaluate_suite(map(_recorded, claimed.parts), claimed.suite.name, **where)
    for said, found in zip(claimed.parts, again.parts, strict=True):
        for key in ("results", "lengths", "seats"):
            one, other = getattr(said.evaluation, key), getattr(found.evaluation, key)
            if not np.array_equal(one, other):
                game = int(np.flatnonzero(one != other)[0])
                raise ValueError(
                    f"{os.fspath(path)}: game {game} {said.name} has {key} {one[game]}, "
                    f"played again {other[game]}{_unknown(claimed)}"
                )
    return again


def _unknown(claimed: SuiteResult) -> str:
    """Say of a result without versions of agents which of them may have decided otherwise then."""
    newer = [f"{agent} {version}" for agent, version in claimed.suite.agents.items() if version > 1]
    if claimed.agents is not None or not newer:
        return ""
    return (
        "; but it does not say which versions of the agents it was made with: "
        f"an honest result that is older than {', '.join(newer)} looks the same"
    )


def _recorded(part: Part) -> Policy:
    """Return a policy that plays a part's actions, step by step; those after the end of a game are 0."""
    steps = itertools.count()

    def act(_: Observation, __: dict[str, Any]) -> NDArray[np.uint8]:
        step = next(steps)
        return np.concatenate([g[step] if step < len(g) else np.zeros_like(g[0]) for g in part.actions])

    return act


def _check(policy: Any, games: int, options: Mapping[str, Any]) -> None:
    if not isinstance(policy, str | Pool) and not callable(policy):
        raise TypeError(f"policy is {policy!r}, expected a callable on (obs, info), a name or a Pool")
    if games < 1:
        raise ValueError(f"games is {games}, expected 1 or more")
    none_of(NOT_HERE, options, "evaluate")


def seatings(spec: GameSpec, opponents: Opponent | Sequence[Opponent], team: bool) -> list[dict[str, Any]]:
    """Return `make_vec`'s options for each way to seat the policy: in each seat, or each team's seats."""
    every = spec.teams if team else [(seat,) for seat in range(spec.seats)]
    found: list[dict[str, Any]] = []
    for own in every:
        others = spec.seats - len(own)
        one = isinstance(opponents, str | Pool) or callable(opponents)
        names = [opponents] * others if one else list(opponents)
        if len(names) != others:
            raise ValueError(f"{len(names)} opponents, expected {others}, or one name for all of them")
        if team:
            rest = iter(names)
            seats = ["learner" if seat in own else next(rest) for seat in range(spec.seats)]
            found.append({"seats": seats})
        else:
            found.append({"opponents": names, "seat": own[0]} if names else {})
    return found


def _seated(
    policy: Any, spec: GameSpec, opponents: Any, games: int, *, team: bool, seed: int
) -> list[tuple[Game, int]]:
    """Seat the policy in each way equally often; returns the games with its first seat in each."""
    seated: list[tuple[Game, int]] = []
    ways = seatings(spec, opponents, team)
    for i, way in enumerate(ways, 1):
        players, seat = by_seat(policy, way, spec.seats), own_seat(way)
        seated += [(Game(seed + k, players), seat) for k in range(len(seated), games * i // len(ways))]
    return seated


def _play(spec: GameSpec, seated: list[tuple[Game, int]], options: dict[str, Any], **how: Any) -> Evaluation:
    """Play the games in batches; see `play_games`."""
    games, seats = zip(*seated, strict=True)
    played = play_games(spec, games, options, tell=progress(len(games)), **how)
    results, over = played.results[np.arange(len(games)), seats], played.over
    return Evaluation(
        results[over], played.lengths[over], np.array(seats, np.uint8)[over], int((~over).sum())
    )


#: The numbers in `Evaluation.results` by the program's words.
RESULTS = {"tied": 0, "won": 1, "lost": -1}


def _play_agents(
    spec: GameSpec, seated: list[tuple[Game, int]], rules: dict[str, Any], until: float
) -> Evaluation:
    """Play the games as matches, several at a time."""
    id, tell, ended = spec.id.removeprefix("custom:"), progress(len(seated)), []

    def result(seated: tuple[Game, int]) -> list[tuple[float, int, int]]:
        if time.monotonic() >= until:
            return []
        game, seat = seated
        end = play(id, game.players, game.seed, **rules)
        return [(RESULTS[end["result"][seat]], end["steps"], seat)]

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for found in threads.map(result, seated):
            ended += found
            tell(len(ended))
    tell(len(seated))
    results, lengths, seats = np.array(ended, np.int32).reshape(-1, 3).T
    return Evaluation(results.astype(np.int8), lengths, seats.astype(np.uint8), len(seated) - len(ended))
