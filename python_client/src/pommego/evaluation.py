"""How well a policy plays: many games against given opponents, counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import Observation
from pommego._core.checks import none_of
from pommego._core.connecting import Connection
from pommego._core.matches import by_seat, own_seat, play, rules_alone
from pommego.making import describe, make_vec
from pommego.results import Evaluation
from pommego.server import running
from pommego.spec import GameSpec, Result
from pommego.suites import Part, Suite, SuiteResult, load, named
from pommego.vector import PommegoVectorEnv

__all__ = ["Policy", "check_result", "evaluate", "seatings"]

#: Chooses actions, (rows,) or (rows, components), by a batch's observation and its info.
Policy = Callable[[Observation, dict[str, Any]], ArrayLike]

_SEED = 1_000_000_000  # far from the seeds that people train with
_NOT_HERE = ("num_envs", "seat", "seats", "on_death", "autoreset_mode", "batch_size", "max_episode_steps")


@overload
def evaluate(
    policy: Policy | str,
    id: str,
    opponents: str | Sequence[str] = "simple",
    games: int = 100,
    *,
    team: bool = False,
    seed: int = _SEED,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Evaluation: ...


@overload
def evaluate(policy: Policy, *, suite: str, **options: Any) -> SuiteResult: ...


def evaluate(
    policy: Policy | str,
    id: str | None = None,
    opponents: str | Sequence[str] = "simple",
    games: int = 100,
    *,
    suite: str | None = None,
    team: bool = False,
    seed: int = _SEED,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Evaluation | SuiteResult:
    """Play games with a policy against agents, and count how they end.

    The policy plays all games at the same time: it is called once per step, with the rows of
    all games. It sits equally often in every seat. Each game is played once, to its end. Rows of
    the dead, and of games that are over, stay in the batches until all are over; what the policy
    does there has no effect.

    Args:
        policy: called as ``policy(obs, info)``, with a batch of `make_vec` for all rows and its
            info (action_mask, alive, seat, valid, and state if asked for); returns
            actions, (rows,) or (rows, components). Or an agent's name; then the games are
            matches, as ``pommego play`` plays them, on all cores of this machine.
        id: an id of the catalog.
        opponents: one agent's name for all other seats, or a list, in the order of
            `make_vec` (with `team`, in the order of the seats).
        games: how many; each has another board.
        suite: in place of `id`, `opponents`, `games`, `team` and `seed`: the name of a fixed set
            of games in `pommego.suites.SUITES`, such as "team-2026".
        team: whether the policy plays all seats of its team, with a row for each. Otherwise
            it plays one seat, and a teammate is among the opponents.
        seed: game i has seed ``seed + i``.
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
        if (id, opponents, games, team, seed) != (None, "simple", 100, False, _SEED):
            raise TypeError(
                f"suite {suite!r} has an id, opponents, games and seeds of its own: leave them out"
            )
        return _evaluate_suite(policy, suite, address=address, token=token, **options)
    if id is None:
        raise TypeError("evaluate() needs the id of an environment, or suite=")
    _check(policy, games, options)
    with running(address, token) as where:
        spec = describe(id, rules=options.get("rules"), **where, connection=options.get("connection"))
        seated = _seated(spec, opponents, team, games)
        if isinstance(policy, str):
            return _play_agent(policy, spec, seated, seed, rules_alone(options))
        return _play_policy(policy, id, seated, seed, options | where)


def _evaluate_suite(
    policy: Policy, name: str, *, address: str | None, token: str | None, **options: Any
) -> SuiteResult:
    suite = named(name)
    if isinstance(policy, str):
        raise TypeError(f"policy is {policy!r}: a suite wants a callable on (obs, info)")
    _check(policy, suite.games, options)
    if options.get("rules"):
        raise ValueError(f"rules are {options['rules']!r}: the suite {name} has rules of its own")
    with running(address, token) as where:
        spec = describe(suite.id, rules=None, **where, connection=options.get("connection"))
        if spec.version != suite.version:
            raise ValueError(
                f"the suite {name} is of rules version {suite.version} of {suite.id}, the server has "
                f"{spec.version}: use a release of pommego with that version"
            )
        return SuiteResult(suite, tuple(_parts(policy, suite, spec, options | where)))


def _parts(policy: Policy, suite: Suite, spec: GameSpec, options: dict[str, Any]) -> Iterator[Part]:
    for k, (opponents, partner) in enumerate(suite.parts):
        made: list[NDArray[np.uint8]] = []
        seed = suite.seed + k * suite.games
        others = [opponents, partner, opponents] if partner else opponents
        seated = _seated(spec, others, suite.team, suite.games)
        evaluation = _play_policy(policy, suite.id, seated, seed, options, made=made)
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
        ValueError: the file is no result, or a game ends otherwise than it says; the first is named.
    """
    claimed = load(path)
    where = {"address": address, "token": token, "connection": connection}
    recorded = (step for part in claimed.parts for step in _steps(part))
    again = _evaluate_suite(lambda obs, info: next(recorded), claimed.suite.name, **where)
    for said, found in zip(claimed.parts, again.parts, strict=True):
        for key in ("results", "lengths", "seats"):
            one, other = getattr(said.evaluation, key), getattr(found.evaluation, key)
            if not np.array_equal(one, other):
                game = int(np.flatnonzero(one != other)[0])
                raise ValueError(
                    f"{os.fspath(path)}: game {game} {said.name} has {key} {one[game]}, "
                    f"played again {other[game]}"
                )
    return again


def _steps(part: Part) -> Iterator[NDArray[np.uint8]]:
    """Yield the actions of all rows of a part, step by step; those of games that are over are 0."""
    games = part.actions
    for step in range(max(map(len, games))):
        yield np.concatenate([g[step] if step < len(g) else np.zeros_like(g[0]) for g in games])


def _check(policy: Any, games: int, options: Mapping[str, Any]) -> None:
    if not isinstance(policy, str) and not callable(policy):
        raise TypeError(f"policy is {policy!r}, expected a callable on (obs, info) or an agent's name")
    if games < 1:
        raise ValueError(f"games is {games}, expected 1 or more")
    none_of(_NOT_HERE, options, "evaluate")


def seatings(spec: GameSpec, opponents: str | Sequence[str], team: bool) -> list[dict[str, Any]]:
    """Return `make_vec`'s options for each way to seat the policy: in each seat, or each team's seats."""
    every = spec.teams if team else [(seat,) for seat in range(spec.seats)]
    found: list[dict[str, Any]] = []
    for own in every:
        others = spec.seats - len(own)
        names = [opponents] * others if isinstance(opponents, str) else list(opponents)
        if len(names) != others:
            raise ValueError(f"{len(names)} opponents, expected {others}, or one name for all of them")
        if team:
            rest = iter(names)
            seats = ["learner" if seat in own else next(rest) for seat in range(spec.seats)]
            found.append({"seats": seats})
        else:
            found.append({"opponents": names, "seat": own[0]} if names else {})
    return found


#: `make_vec`'s options for each way to seat the policy, and the numbers of the games with it.
_Seated = Sequence[tuple[dict[str, Any], range]]


def _seated(spec: GameSpec, opponents: str | Sequence[str], team: bool, games: int) -> _Seated:
    """Seat the policy in each way equally often."""
    ways = seatings(spec, opponents, team)
    ends = [games * i // len(ways) for i in range(len(ways) + 1)]
    return [(way, range(*ends[i : i + 2])) for i, way in enumerate(ways)]


def _play_policy(
    policy: Policy,
    id: str,
    seated: _Seated,
    seed: int,
    options: dict[str, Any],
    *,
    made: list[NDArray[np.uint8]] | None = None,
) -> Evaluation:
    """Play the games, and append the actions of each step to `made`, unless that is None."""
    with ExitStack() as stack:
        groups = []
        for way, own in seated:
            if own:
                envs = make_vec(id, len(own), on_death="wait", counts=False, **way, **options)
                groups.append((stack.enter_context(envs), seed + own.start))
        return _play(policy, groups, made)


def _play_agent(
    name: str,
    spec: GameSpec,
    seated: _Seated,
    seed: int,
    rules: dict[str, Any],
) -> Evaluation:
    """Play the games as matches, several at a time."""
    id = spec.id.removeprefix("custom:")
    games = [(by_seat(name, way, spec.seats), own_seat(way), seed + k) for way, own in seated for k in own]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        ended = list(threads.map(lambda game: play(id, game[0], game[2], **rules), games))
    seats = [seat for _, seat, _ in games]
    outcomes = [np.sign(end["outcome"][seat]) for end, seat in zip(ended, seats, strict=True)]
    lengths = [end["steps"] for end in ended]
    return Evaluation(np.array(outcomes, np.int8), np.array(lengths, np.int32), np.array(seats, np.uint8))


def _play(
    policy: Policy, groups: list[tuple[PommegoVectorEnv, int]], made: list[NDArray[np.uint8]] | None
) -> Evaluation:
    """Play the first episode of every game of all groups, with one call of the policy per step."""
    shown = [envs.reset(seed=seed) for envs, seed in groups]
    sizes = np.cumsum([envs.num_envs for envs, _ in groups])[:-1]
    tallies = [_Tally(envs, info) for (envs, _), (_, info) in zip(groups, shown, strict=True)]
    while not all(tally.over.all() for tally in tallies):
        actions = np.asarray(policy(*_joined(shown)))
        if len(actions) != sum(envs.num_envs for envs, _ in groups):
            raise ValueError(f"the policy returned {len(actions)} actions, expected one for each row")
        if made is not None:
            made.append(actions.astype(np.uint8))
        for (envs, _), own in zip(groups, np.split(actions, sizes), strict=True):
            envs.send(own)
        shown = []
        for (envs, _), tally in zip(groups, tallies, strict=True):
            obs, _, terminated, truncated, info = envs.recv()
            tally.note(terminated | truncated, info)
            shown.append((obs, info))
    columns = zip(*((tally.results, tally.lengths, tally.seats) for tally in tallies), strict=True)
    return Evaluation(*map(np.concatenate, columns))


class _Tally:
    """The results of the first episodes of some games."""

    def __init__(self, envs: PommegoVectorEnv, info: dict[str, Any]) -> None:
        self._learners, games, self._spec = envs.learners, envs.num_games, envs.game_spec
        self.seats = info["seat"][:: self._learners].copy()
        self.over = np.zeros(games, np.bool_)
        self.results, self.lengths = np.zeros(games, np.int8), np.zeros(games, np.int32)

    def note(self, done: NDArray[np.bool_], info: dict[str, Any]) -> None:
        """Note the games that end for the first time."""
        ended = np.flatnonzero(done[:: self._learners] & ~self.over)
        if not ended.size:
            return
        game, rows = info["game"], ended * self._learners
        won = game["winners"][rows, self.seats[ended]]
        tied = game["result"][rows] == Result.TIE
        if self._spec.dead_leave:  # whoever was out before others were has lost, even if those tied
            together = game["length"][rows] < self._spec.max_steps
            tied &= info["valid"][rows] & (info["alive"][rows] | together)
        self.results[ended] = np.where(won, 1, np.where(tied, 0, -1))
        self.lengths[ended] = game["length"][rows]
        self.over[ended] = True


_SHOWN = ("action_mask", "alive", "seat", "valid", "state")


def _joined(shown: Sequence[tuple[Observation, dict[str, Any]]]) -> tuple[Observation, dict[str, Any]]:
    """Put the rows of several environments together."""

    def together(parts: Sequence[Any]) -> Any:
        if isinstance(parts[0], np.ndarray):
            return np.concatenate(parts)
        return {name: together([part[name] for part in parts]) for name in parts[0]}

    observations, infos = zip(*shown, strict=True)
    return together(observations), together([{n: i[n] for n in _SHOWN if n in i} for i in infos])
