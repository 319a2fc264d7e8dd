"""Whole games, each played once: by policies and agents together, or by agents as ``pommego play`` does."""

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from types import MethodType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego._core.connecting import Connection
from pommego._core.opponents import HERE, LineUps, check_player
from pommego._core.policies import checked, decide
from pommego._core.program import UnscorableError, flags, run
from pommego._core.rows import keep_rows, take_rows, together
from pommego._core.saved import Simulation
from pommego.making import make_vec
from pommego.pool import Pool, check_policy, options_for
from pommego.spec import GameSpec, Result
from pommego.vector import PommegoVectorEnv

_SHOWN = ("action_mask", "alive", "seat", "state")
_LOST = "the connection to an agent failed: see the warning, and look at the agent's address, key and limits"

#: The numbers in `Played.results` by the program's words.
RESULTS = {"tied": 0, "won": 1, "lost": -1}


class Game(NamedTuple):
    """A game to play: its seed, and for each seat an agent's name, a policy or a `Pool`."""

    seed: int
    players: Sequence[Any]


class Played:
    """How games ended: if they did, steps, and by seat results (1, 0, -1), returns and counts; else zeros."""

    def __init__(self, games: int, spec: GameSpec) -> None:
        self.over, self.lengths = np.zeros(games, np.bool_), np.zeros(games, np.int32)
        self.results, self.returns = np.zeros((games, spec.seats), np.int8), np.zeros((games, spec.seats))
        self.answers: dict[str, int] | None = None  # a language model's, by how they were read
        self.usage: dict[str, float] | None = None  # a language model's tokens and cost
        self.void: set[int] = set()  # games that cannot be scored
        self.why: Exception = UnscorableError(_LOST)  # the reason for the last of them
        self.counts = {count.name: np.zeros((games, spec.seats), np.int32) for count in spec.counts}

    def leave_out(self, number: int, why: Exception) -> None:
        """Count a game that cannot be scored; raise `why` if they are more than two and than a tenth."""
        self.void.add(number)
        self.why = why
        if len(self.void) > 2:
            self.check(int(self.over.sum()) + len(self.void))

    def check(self, games: int) -> None:
        """Raise the reason if more than a tenth of so many games cannot be scored."""
        if 10 * len(self.void) > games:
            self.why.add_note(f"{len(self.void)} of {games} games cannot be scored")
            raise self.why


def progress(games: int) -> Callable[..., None]:
    """Return a function that shows how many games are done in a bar, if standard error is a terminal."""
    begin = time.monotonic()

    def tell(done: int, more: str = "") -> None:
        if sys.stderr.isatty():
            left = f", {(time.monotonic() - begin) * (games / done - 1):.0f} s left" if done else ""
            bar = f"[{'#' * (30 * done // games):30}] {done} of {games} games{left}{more}"
            print(f"\r{bar if done < games else ''}\x1b[K", end="", file=sys.stderr, flush=True)

    return tell


def seatings(spec: GameSpec, policy: Any, opponents: Any, *, team: bool) -> list[tuple[list[Any], int]]:
    """Return for each seating of the policy who plays each seat, and the policy's first seat.

    Raises:
        TypeError, ValueError: the opponents are not as described, or there are no teams.
    """
    if team and not any(len(own) > 1 for own in spec.teams):
        raise ValueError(f"team is True, but in {spec.id} each seat plays for itself: leave it out")
    ways = spec.teams if team else [(seat,) for seat in range(spec.seats)]
    others = spec.seats - len(ways[0])
    if isinstance(opponents, str | Pool) or callable(opponents):
        opponents = [opponents] * others
    if not isinstance(opponents, Sequence):
        raise TypeError(f"opponents is {opponents!r}, expected a name, a policy, a Pool, or a list of them")
    if len(opponents) != others:
        raise ValueError(f"{len(opponents)} opponents, expected {others}, or one name for all of them")
    for k, one in enumerate(opponents):
        check_player(f"opponents[{k}]", one)
    found = []
    for own in ways:
        rest, players = iter(opponents), [policy] * spec.seats
        for seat in np.roll(range(spec.seats), 0 if team else -1 - own[0]).tolist():
            if seat not in own:
                players[seat] = next(rest)
        found.append((players, own[0]))
    return found


def play_games(
    spec: GameSpec,
    games: Sequence[Game],
    options: dict[str, Any],
    *,
    tell: Callable[[int], None],
    every_seat: bool = False,
    made: list[NDArray[np.uint8]] | None = None,
) -> Played:
    """Play games that have a policy in some seat, which is called once per step, with all its rows.

    With `every_seat` the seats of agents have results and counts, too. `made` gets the actions of each
    step.
    """
    methods: dict[MethodType, MethodType] = {}  # `agent.act` is another object each time, and one policy

    def player(one: Any, seed: int) -> Any:
        policy = one.seat(seed, 0).policy if isinstance(one, Pool) else one
        return methods.setdefault(policy, policy) if isinstance(policy, MethodType) else policy

    games = [Game(seed, [player(one, seed) for one in players]) for seed, players in games]
    tables: dict[int, list[int]] = {}  # the games by the first seat that is played from here
    for number, game in enumerate(games):
        here = [not isinstance(player, str) for player in game.players]
        tables.setdefault(here.index(True), []).append(number)
    played, groups = Played(len(games), spec), []
    found = {id(one): one for game in games for one in game.players if not isinstance(one, str)}
    options = options_for(found.values(), options)
    options["connection"] = Connection.read(options.get("connection")).expanding()
    rules = options.get("rules")
    with ExitStack() as stack:
        for seat, numbers in sorted(tables.items()):
            own = [games[number] for number in numbers]
            options["rules"] = _rules_of(numbers, rules, len(games))
            envs = stack.enter_context(_make(spec, seat, own, every_seat, options))
            groups.append(_Group(envs, own, np.array(numbers)))
        every, ends = [group.envs for group in groups], np.cumsum([group.envs.num_envs for group in groups])
        policies = {key: searching(one, every) for key, one in found.items()}
        while not all(group.over.all() for group in groups):
            shown = together([group.shown() for group in groups])
            shown["info"]["row"] = np.arange(len(shown["players"]))
            actions = decide(policies, **shown, choices=spec.actions)
            if made is not None:
                made.append(actions)
            for group, end in zip(groups, ends, strict=True):
                group.envs.send(actions[end - group.envs.num_envs : end])
            for group in groups:
                group.receive(played)
            tell(int(played.over.sum()))
    tell(len(games))
    return played


def _rules_of(numbers: list[int], rules: Any, games: int) -> Any:
    """Return the rules of some of the games, in a form that `make_vec` reads as it would for all."""
    if isinstance(rules, Sequence) and len(rules) == games:
        return [rules[number] for number in numbers]
    if isinstance(rules, Sequence) and len(rules) == len(numbers):
        return [one for one in rules for _ in range(2)]  # a seed draws the same from both
    return rules


def _make(
    spec: GameSpec, seat: int, games: list[Game], every: bool, options: dict[str, Any]
) -> PommegoVectorEnv:
    """Make an environment in which this seat, and all that policies play, have rows."""
    others = [(seat + 1 + k) % spec.seats for k in range(spec.seats - 1)]
    named = [[g.players[k] if isinstance(g.players[k], str) else HERE for k in others] for g in games]
    line_ups = LineUps.read(named, len(games))
    line_ups.hidden = False
    if every:
        line_ups.line_ups += ((HERE,) * len(others),)  # no game uses it
    seating = {"opponents": line_ups, "seat": seat, "on_death": "wait", "counts": every}
    return make_vec(spec.id.removeprefix("custom:"), len(games), **options | seating)


class _Group:
    """The games of one environment: their batches, and the players of their rows."""

    def __init__(self, envs: PommegoVectorEnv, games: list[Game], numbers: NDArray[np.intp]) -> None:
        self.envs, self._numbers = envs, numbers
        self.obs, self.info = envs.reset(seed=[game.seed for game in games])
        self._seats = self.info["seat"][: envs.learners]  # the same in all games
        self.players = np.array([id(game.players[seat]) for game in games for seat in self._seats])
        self.over, self.first = np.zeros(len(games), np.bool_), True

    def shown(self) -> dict[str, Any]:
        info = {name: self.info[name] for name in _SHOWN if name in self.info}
        info["valid"] = info["alive"] & ~self.over.repeat(self.envs.learners)
        info["first"] = np.full(self.envs.num_envs, self.first)
        return {"seen": self.obs, "info": info, "players": self.players}

    def receive(self, played: Played) -> None:
        """Wait for a step, and store the results of games that end for the first time and are not void."""
        self.obs, _, terminated, truncated, info = self.envs.recv()
        self.info, self.first, by_game = info, False, self.envs.by_game
        ended = np.flatnonzero(by_game(terminated | truncated)[:, 0] & ~self.over)
        if not ended.size:
            return
        game = {name: by_game(array)[ended] for name, array in info["game"].items()}
        at = self._numbers[ended][:, None], self._seats
        played.results[at] = np.where(game["won"], 1, np.where(game["result"] == Result.TIED, 0, -1))
        played.returns[at] = game["return"]
        for name in played.counts.keys() & game.keys():
            played.counts[name][at] = game[name]
        played.lengths[at[0]] = game["length"][:, :1]
        void = game.get("void", np.zeros((len(ended), 1), np.bool_))[:, 0]
        played.over[at[0][:, 0]], self.over[ended] = ~void, True
        played.void.update(at[0][void, 0].tolist())
        played.check(len(played.over))


def searching(policy: Any, every: Sequence[PommegoVectorEnv]) -> Any:
    """Return a policy of (obs, info) for one that takes `states` or `simulate`; others as they are.

    It plays rows of these environments, which ``info["row"]`` counts through.
    """
    takes = check_policy("policy", policy)

    def play(obs: Any, info: dict[str, Any]) -> NDArray[Any]:
        actions, begin = np.zeros((len(info["row"]), *every[0].single_action_space.shape), np.int64), 0
        choices = every[0].game_spec.actions
        for envs in every:
            games, learners = np.divmod(info["row"] - begin, envs.learners)
            within = info["valid"] & (games >= 0) & (games < envs.num_games)
            for learner in np.unique(learners[within]).tolist():
                own = np.flatnonzero(within & (learners == learner))
                saved = {"states": envs.get_state(games[own]), "simulate": partial(_simulate, envs, learner)}
                given, shown = {name: saved[name] for name in takes}, take_rows(info, own)
                chosen = policy(take_rows(obs, own), shown, **given)
                actions[own] = checked(policy, chosen, shown, choices)
            begin += envs.num_envs
        return actions

    return play if takes else policy


def _simulate(envs: PommegoVectorEnv, learner: int, states: Any, actions: Any, **options: Any) -> Simulation:
    """Simulate for one row of each game; in the first step the other rows stop."""
    every = np.zeros((len(states), envs.learners, *envs.single_action_space.shape), np.int64)
    every[:, learner] = actions
    after, *parts = envs.simulate(states, every, **options)
    rows = len(states), envs.learners, slice(learner, learner + 1)
    return Simulation(after, *(keep_rows(part, *rows, copy=False) for part in parts))


def rules_alone(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `make_vec` as options of `play`; raise TypeError for any but rules."""
    if others := sorted(set(options) - {"rules"}):
        raise TypeError(f"options {others} do not apply to agents alone, expected only rules: leave them out")
    return dict(options)


def play(
    id: str,
    agents: Sequence[str],
    seed: int,
    *,
    rules: Mapping[str, Any] | None = None,
    record: str | None = None,
    started: list[subprocess.Popen] | None = None,
) -> dict[str, Any]:
    """Play one match; return what ``pommego play --json`` prints."""
    escaped = [agent.replace(",", "\\,") for agent in agents]
    given = {"env": id.removeprefix("pommego/"), "agents": escaped, "rules": rules or None, "record": record}
    end = json.loads(run("play", "--json", *flags(seed=seed, **given), started=started))
    for seat in end["seats"]:
        if seat["failed"]:
            error = seat["last_error"].partition(": ")[2]  # without "step N"
            warnings.warn(f"an agent failed, and played stop: {seat['agent']}: {error}", stacklevel=2)
    return end


def play_matches(
    spec: GameSpec, games: Sequence[Game], rules: dict[str, Any], *, tell: Callable[[int], None]
) -> Played:
    """Play games between agents as matches, see `play_games`: one per core; one with agents behind HTTP."""
    id, played = spec.id.removeprefix("custom:"), Played(len(games), spec)
    started: list[subprocess.Popen] = []

    def match(number: int) -> Exception | None:
        try:
            end = play(id, games[number].players, games[number].seed, started=started, **rules)
        except UnscorableError as e:
            return e
        played.results[number] = [RESULTS[result] for result in end["result"]]
        played.lengths[number], played.over[number] = end["steps"], True
        return None

    shared = any(player.startswith("http") for game in games for player in game.players)
    with ThreadPoolExecutor(1 if shared else os.cpu_count()) as threads:
        matches: list[Future[Exception | None]] = []
        try:
            matches.extend(threads.submit(match, number) for number in range(len(games)))
            for done, one in enumerate(matches, 1):
                if failed := one.result():
                    played.leave_out(done - 1, failed)
                tell(done)
            played.check(len(games))
        finally:  # after an interrupt no match begins, and current ones end
            threads.shutdown(wait=False, cancel_futures=True)
            while not all(one.done() for one in matches):
                for process in started:
                    process.kill()
                time.sleep(0.01)
    tell(len(games))
    return played
