"""How well a policy plays: many games against given opponents, counted."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego.batch import Observation
from pommego.making import describe, make_vec
from pommego.matches import by_seat, own_seat, play, rules_alone
from pommego.server import Server
from pommego.spec import GameSpec, Result
from pommego.vector import PommegoVectorEnv

__all__ = ["Evaluation", "Interval", "Policy", "evaluate", "seatings"]

#: Chooses actions, (rows,) or (rows, components), by a batch's observation and its info.
Policy = Callable[[Observation, dict[str, Any]], ArrayLike]

_SEED = 1_000_000_000  # far from the seeds that people train with
_Z = 1.959964  # standard deviations on either side of 95 %
_NOT_HERE = ("num_envs", "seat", "seats", "on_death", "autoreset_mode", "batch_size", "max_episode_steps")


class Interval(NamedTuple):
    """An estimate with its 95 % confidence interval.

    Attributes:
        value: the estimate.
        low: the lower end.
        high: the upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The result of `evaluate`: an entry for each game.

    Attributes:
        results: int8 (games,): 1 won, 0 tied, -1 lost.
        lengths: int32 (games,), steps of the games.
        seats: uint8 (games,), where the policy sat; in teams its first seat.
    """

    results: NDArray[np.int8]
    lengths: NDArray[np.int32]
    seats: NDArray[np.uint8]

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.results)

    @property
    def wins(self) -> int:
        """The number of games won."""
        return int((self.results == 1).sum())

    @property
    def ties(self) -> int:
        """The number of games tied."""
        return int((self.results == 0).sum())

    @property
    def losses(self) -> int:
        """The number of games lost."""
        return int((self.results == -1).sum())

    @property
    def win_rate(self) -> Interval:
        """The share of games won, with Wilson's interval."""
        return _share(self.wins, self.games)

    @property
    def tie_rate(self) -> Interval:
        """The share of games tied, with Wilson's interval."""
        return _share(self.ties, self.games)

    @property
    def loss_rate(self) -> Interval:
        """The share of games lost, with Wilson's interval."""
        return _share(self.losses, self.games)

    @property
    def length(self) -> Interval:
        """The mean length in steps, with the normal distribution's interval."""
        mean = float(self.lengths.mean())
        reach = _Z * float(self.lengths.std(ddof=1)) / math.sqrt(self.games) if self.games > 1 else math.inf
        return Interval(mean, mean - reach, mean + reach)

    def __str__(self) -> str:
        shares = ((self.win_rate, "won"), (self.tie_rate, "tied"), (self.loss_rate, "lost"))
        said = [f"{s.value:.1%} {what} ({s.low:.1%} to {s.high:.1%})" for s, what in shares]
        length = f"{self.length.value:.1f} steps ({self.length.low:.1f} to {self.length.high:.1f})"
        return f"{self.games} games: {', '.join(said)}; {length}"


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
) -> Evaluation:
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
        team: whether the policy plays all seats of its team, with a row for each. Otherwise
            it plays one seat, and a teammate is among the opponents.
        seed: game i has seed ``seed + i``.
        address: of a running server; None: one is started.
        token: that server's token, if it has one.
        options: further options, as for `make_vec`: observation, rules, state and so on; for
            an agent only rules.

    Returns:
        the results; printed, it shows rates of wins, ties and losses and the mean length, with
        95 % intervals.

    Raises:
        TypeError, ValueError: an argument is not as described.

    Other errors are those of `make_vec`.
    """
    _check(policy, opponents, games, options)
    with ExitStack() as stack:
        if address is None:
            server = stack.enter_context(Server())
            address, token = server.address, server.token
        where = {"address": address, "token": token}
        spec = describe(id, rules=options.get("rules"), **where)
        ways = seatings(spec, opponents, team)
        seated = [
            (way, range(games * i // len(ways), games * (i + 1) // len(ways))) for i, way in enumerate(ways)
        ]
        if isinstance(policy, str):
            return _play_agent(policy, spec, seated, seed, rules_alone(options))
        groups = []
        for way, own in seated:
            if own:
                made = make_vec(id, len(own), on_death="wait", counts=False, **way, **options, **where)
                groups.append((stack.enter_context(made), seed + own.start))
        return _play(policy, groups)


def _check(policy: Any, opponents: Any, games: int, options: Mapping[str, Any]) -> None:
    if not isinstance(policy, str) and not callable(policy):
        raise TypeError(f"policy is {policy!r}, expected a callable on (obs, info) or an agent's name")
    if games < 1:
        raise ValueError(f"games is {games}, expected 1 or more")
    for name in _NOT_HERE:
        if name in options:
            raise TypeError(f"evaluate() has no option {name}; make_vec() has")


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


def _play_agent(
    name: str,
    spec: GameSpec,
    seated: Sequence[tuple[dict[str, Any], range]],
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


def _play(policy: Policy, groups: list[tuple[PommegoVectorEnv, int]]) -> Evaluation:
    """Play the first episode of every game of all groups, with one call of the policy per step."""
    shown = [envs.reset(seed=seed) for envs, seed in groups]
    sizes = np.cumsum([envs.num_envs for envs, _ in groups])[:-1]
    tallies = [_Tally(envs, info) for (envs, _), (_, info) in zip(groups, shown, strict=True)]
    while not all(tally.over.all() for tally in tallies):
        actions = np.asarray(policy(*_joined(shown)))
        if len(actions) != sum(envs.num_envs for envs, _ in groups):
            raise ValueError(f"the policy returned {len(actions)} actions, expected one for each row")
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


def _share(part: int, whole: int) -> Interval:
    """Return a share with Wilson's interval."""
    share, z = part / whole, _Z
    middle = (share + z**2 / (2 * whole)) / (1 + z**2 / whole)
    reach = z / (1 + z**2 / whole) * math.sqrt(share * (1 - share) / whole + z**2 / (4 * whole**2))
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach))
