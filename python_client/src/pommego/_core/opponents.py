"""Who plays the seats that do not learn: agents on the server, and policies in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import View, keep_rows
from pommego._transport import wire
from pommego.errors import PommegoError
from pommego.pool import Pool, Seat
from pommego.spec import GameSpec, Result

__all__ = ["LineUps", "Opponent", "Opponents", "Policy", "PolicySeats"]

Array = NDArray[Any]

#: What plays a seat from Python: see `PommegoVectorEnv`'s "Policies as opponents".
Policy = Callable[[dict[str, Array], dict[str, Array]], ArrayLike]
#: An agent's name, a policy, or a pool of them.
Opponent = str | Policy | Pool
#: One line-up, one for each game, several to draw from, or a function of the game's number.
Opponents = Sequence[Opponent] | Sequence[Sequence[Opponent]] | Callable[[int], Sequence[Opponent]]

_POLICY = "policy"  # what the server calls a seat that is played from here
_LEARNER = "learner"
_KEPT = 8  # how many calls of set_opponents back line-ups are known that no game has


@dataclass(frozen=True)
class LineUps:
    """Line-ups of opponents, and which game has which.

    Attributes:
        line_ups: each with an opponent for each seat that does not learn.
        weights: how often each is drawn when an episode begins; None: not drawn.
        by_game: the number of each game's; None: there is one, or they are drawn.
    """

    line_ups: tuple[tuple[Opponent, ...], ...]
    weights: tuple[float, ...] | None = None
    by_game: NDArray[np.int32] | None = None

    @classmethod
    def read(cls, opponents: Opponents, weights: Sequence[float] | None, games: int) -> LineUps:
        """Read what a caller gave as opponents, for so many games.

        Raises:
            ValueError, TypeError: it is nothing that can be.
        """
        if isinstance(opponents, str):
            raise TypeError(f"opponents is a list of names, such as [{opponents!r}], not one name")
        if callable(opponents) or isinstance(opponents, Pool):
            if weights is not None:
                raise ValueError(
                    "opponent_weights needs a list of line-ups, not a function of the game's number"
                )
            opponents = [_of_game(opponents, game) for game in range(games)]
        elif not isinstance(opponents, Sequence):
            raise TypeError(f"opponents is a list of names and policies, not {type(opponents).__name__}")
        several = [isinstance(entry, Sequence) and not isinstance(entry, str) for entry in opponents]
        if not any(several):
            if weights is not None:
                raise ValueError(
                    f"opponent_weights is {weights!r}, but opponents is one line-up: give several, "
                    "such as [['simple'] * 3, ['random'] * 3]"
                )
            return cls((_line_up("opponents", opponents),))
        if not all(several):
            odd = several.index(False)
            raise TypeError(
                f"opponents[{odd}] is {opponents[odd]!r}, where others are lists: "
                "give one line-up, or line-ups only"
            )
        line_ups = [_line_up(f"opponents[{n}]", line_up) for n, line_up in enumerate(opponents)]
        if weights is not None:
            return cls(tuple(line_ups), _weights(weights, len(line_ups)))
        if len(line_ups) != games:
            raise ValueError(
                f"opponents has {len(line_ups)} line-ups for {games} games: give one for each game, "
                "or opponent_weights to have one drawn at each episode"
            )
        different: dict[tuple[Any, ...], tuple[Opponent, ...]] = {}
        keys = [tuple(id(one) if _plays_here(one) else one for one in line_up) for line_up in line_ups]
        for key, line_up in zip(keys, line_ups, strict=True):
            different.setdefault(key, line_up)
        number = {key: n for n, key in enumerate(different)}
        return cls(tuple(different.values()), None, np.array([number[key] for key in keys], np.int32))

    @property
    def places(self) -> list[int]:
        """Which seats some line-up has a policy in, counted as opponents are."""
        width = range(len(self.line_ups[0]))
        return [k for k in width if any(k < len(each) and _plays_here(each[k]) for each in self.line_ups)]

    def of_games(self, first: int, end: int) -> LineUps:
        """Return those of some of the games."""
        return replace(self, by_game=None if self.by_game is None else self.by_game[first:end])

    def fields(self, *, named: bool = False) -> dict[str, Any]:
        """Return them as a request has them; `named` if they have to be numbered."""
        names = [[_POLICY if _plays_here(one) else one for one in each] for each in self.line_ups]
        if len(names) == 1 and self.weights is None and not named:
            return {"opponents": names[0]}
        by_game = None if self.by_game is None else wire.tensor(self.by_game)
        return {"line_ups": names, "weights": self.weights, "by_game": by_game}


def seats_of(seats: Sequence[Opponent]) -> tuple[list[str], LineUps | None]:
    """Read `seats`: the names to send, and the opponents if some are policies.

    Raises:
        TypeError: it is not a list of names and policies.
    """
    if isinstance(seats, str):
        raise TypeError(f"seats is a list of names, such as [{seats!r}], not one name")
    line_up = _line_up("seats", seats)
    names = [_POLICY if _plays_here(one) else one for one in line_up]
    others = tuple(one for one in line_up if one != _LEARNER)
    return names, LineUps((others,)) if _POLICY in names else None


def _plays_here(opponent: Opponent) -> bool:
    return not isinstance(opponent, str)


def _of_game(opponents: Any, game: int) -> Sequence[Opponent]:
    meant = f"opponents is {opponents!r}, a function of the game's number that returns a list of opponents"
    if isinstance(opponents, Pool):
        raise TypeError("opponents is a Pool: give it a seat or several, as in opponents=[pool] * 3")
    try:
        line_up = opponents(game)
    except TypeError as e:
        raise TypeError(
            f"{meant}: it fails for game {game} ({e}); a policy goes into a list, as in [policy] * 3"
        ) from e
    if isinstance(line_up, str) or not isinstance(line_up, Sequence):
        raise TypeError(f"{meant}, but for game {game} it returns {line_up!r}")
    return line_up


def _line_up(what: str, entries: Sequence[Any]) -> tuple[Opponent, ...]:
    for k, entry in enumerate(entries):
        if not isinstance(entry, str | Pool) and not callable(entry):
            raise TypeError(
                f"{what}[{k}] is {entry!r}: an opponent is an agent's name, a policy "
                "(a callable on observations and info) or a Pool"
            )
        if entry == _POLICY:
            raise ValueError(f"{what}[{k}] is {entry!r}: give the policy itself, a callable")
    return tuple(entries)


def _weights(weights: Sequence[float], n: int) -> tuple[float, ...]:
    given = tuple(float(weight) for weight in weights)
    if len(given) != n:
        raise ValueError(f"opponent_weights has {len(given)} entries for {n} line-ups")
    if not all(0 <= weight < np.inf for weight in given) or not sum(given) > 0:
        raise ValueError(
            f"opponent_weights is {list(given)}: weights are finite numbers, 0 or more, not all 0"
        )
    return given


class PolicySeats:
    """The seats that policies play: their rows, of which the caller sees nothing.

    It is given every batch (`take`) and the caller's actions of every step
    (`fill`), for which it asks each policy once, for all its rows.

    Args:
        line_ups: as given when the environment was made.
        made: the server's description of the environment.
        spec: what the game is.
        copy: whether what the caller gets is to be its own.
    """

    def __init__(self, line_ups: LineUps, made: wire.EnvReply, spec: GameSpec, *, copy: bool) -> None:
        choices = spec.actions
        self.own, self.rows = made.learners - made.policies, made.learners
        self._places, self._choices, self._copy = line_ups.places, choices, copy
        self._dead_leave = spec.dead_leave
        self._skips = made.autoreset_mode == "NextStep"
        games, tail = made.games, () if len(choices) == 1 else (len(choices),)
        self._actions = np.zeros((games, made.policies, *tail), np.uint8)
        self._heeded = np.zeros((games, self.own), np.bool_)  # the caller's rows whose actions count
        self._seat = np.zeros(games, np.uint8)  # the first learner's
        self._seed, self._episode = np.zeros(games, np.uint64), np.zeros(games, np.uint64)
        self._known = np.zeros(games, np.bool_)  # whether these are those of its episode
        self._asked: list[tuple[Array, dict[str, Array], dict[str, Array]]] = []
        self._lists: list[tuple[int, LineUps]] = []  # with the number of the first line-up
        self._policies: list[Any] = []  # that have a seat; `_playing` has their numbers, -1: an agent
        self._playing = np.full((games, made.policies), -1)
        self._pools: list[dict[Pool, Seat]] = [{} for _ in range(games)]  # that play each
        self.set(line_ups)

    def set(self, line_ups: LineUps) -> None:
        """Have other opponents from each game's next episode on."""
        first = 0
        if self._lists:
            before, last = self._lists[-1]
            first = before + len(last.line_ups)
        self._lists = [*self._lists[-_KEPT:], (first, line_ups)]

    def check(self, line_ups: LineUps) -> None:
        """Raise ValueError if a policy is to play a seat that has no row."""
        for k in line_ups.places:
            if k not in self._places:
                raise no_row(k)

    def forget(self, games: Array | slice) -> None:
        """Take the next batch of these games for the first of an episode."""
        self._known[games] = False

    def take(self, view: View) -> View:
        """Keep what the policies see, and return what the caller does."""
        games = np.arange(len(self._episode)) if view.games is None else view.games
        n, own, hidden = len(games), self.own, slice(self.own, None)
        alive = view.info["alive"].reshape(n, self.rows)
        over = np.zeros(n, np.bool_)
        over[view.finished] = True
        self._record(view, games)
        first = self._begin(view, games)
        counts = alive & ~(over & self._skips)[:, None]
        self._heeded[games] = counts[:, :own]
        self._seat[games] = view.info["seat"][:: self.rows]
        seen = keep_rows(view.obs, n, self.rows, hidden, copy=True, expand=True)
        slots = self.rows - own
        info = {
            "action_mask": keep_rows(view.info["action_mask"], n, self.rows, hidden, copy=True),
            "alive": alive[:, own:].ravel(),
            "seat": keep_rows(view.info["seat"], n, self.rows, hidden, copy=True),
            "valid": counts[:, own:].ravel(),
            "first": first.repeat(slots),
            "row": (games[:, None] * slots + np.arange(slots)).ravel(),
        }
        if view.games is None:
            self._asked.clear()
        self._asked.append((games, seen, info))
        return view.kept(n, self.rows, slice(0, own), copy=self._copy)

    def _begin(self, view: View, games: Array) -> Array:
        """Seat policies in the games whose episode begins, and say which those are."""
        same = (self._seed[games] == view.seed) & (self._episode[games] == view.episode)
        first = ~(same & self._known[games])
        self._seed[games], self._episode[games], self._known[games] = view.seed, view.episode, True
        for i in np.flatnonzero(first).tolist():
            game, seed, episode = int(games[i]), int(view.seed[i]), int(view.episode[i])
            self._leave(game)
            line_up = self._line_up(0 if view.line_up is None else int(view.line_up[i]))
            for j, k in enumerate(self._places):
                player = line_up[k]
                if isinstance(player, Pool):
                    seats = self._pools[game]
                    if player not in seats:
                        seats[player] = player.seat(seed, episode)
                    player = seats[player].member.policy
                self._playing[game, j] = -1 if isinstance(player, str) else self._number(player)
        return first

    def close(self) -> None:
        """Have the pools' members leave their games."""
        for game in range(len(self._pools)):
            self._leave(game)

    def _leave(self, game: int) -> None:
        for pool, seat in self._pools[game].items():
            pool.leave(seat)
        self._pools[game] = {}

    def _line_up(self, number: int) -> tuple[Opponent, ...]:
        for first, line_ups in reversed(self._lists):
            if first <= number < first + len(line_ups.line_ups):
                return line_ups.line_ups[number - first]
        return self._lists[-1][1].line_ups[0]  # of a state whose opponents are none of ours

    def _number(self, policy: Any) -> int:
        """Return the number of a policy, with the place of one that nobody plays by any more."""
        for n, known in enumerate(self._policies):
            if known is policy or (isinstance(policy, MethodType) and known == policy):
                return n
        unused = set(range(len(self._policies))) - set(self._playing.ravel().tolist())
        if not unused:
            self._policies.append(policy)
            return len(self._policies) - 1
        n = unused.pop()
        self._policies[n] = policy
        return n

    def _record(self, view: View, games: Array) -> None:
        """Tell the pools how the episodes ended that did."""
        for at, i in enumerate(view.finished.tolist()):
            game = int(games[i])
            if self._pools[game]:
                score = self._score(view, game, i, at)
                for pool, seat in self._pools[game].items():
                    pool.record(seat, score)

    def _score(self, view: View, game: int, i: int, at: int) -> float:
        """Return how the first learner did: 1 won, 0.5 tied, 0 lost.

        Where the dead leave, the game's own result is a tie too if the learner died
        first. Then it counts as one only if nobody that is seen has outlived it.
        """
        row = i * self.rows
        if view.stats["winners"][row, self._seat[game]]:
            return 1.0
        if view.truncated[row]:
            return 0.5
        if view.stats["result"][row] != Result.TIE:
            return 0.0
        last, at = (view.final["alive"], at) if "alive" in view.final else (view.info["alive"], i)
        alive = last[at * self.rows : (at + 1) * self.rows]
        tied = alive[0] or (self._heeded[game, 0] and not alive.any()) or not self._dead_leave
        return 0.5 if tied else 0.0

    def fill(self, actions: Array, games: Array | None, out: Array) -> None:
        """Write the actions of all rows: the caller's, and those that policies choose.

        Args:
            actions: uint8, of the caller's rows, in the order of `games`.
            games: which are stepped; None: all.
            out: uint8 (rows, ...), to write to.

        Raises:
            ServerError: an action of the caller's is out of range.
            ValueError, TypeError: what a policy returned is no actions of its rows.
        """
        which = slice(None) if games is None else games
        given = actions.reshape(-1, self.own, *self._actions.shape[2:])
        checks.in_range(given, self._heeded[which], self._choices)
        while self._asked:
            self._ask(*self._asked[0])
            self._asked.pop(0)
        every = out.reshape(-1, self.rows, *self._actions.shape[2:])
        every[:, : self.own] = given
        every[:, self.own :] = self._actions[which]

    def _ask(self, games: Array, seen: dict[str, Array], info: dict[str, Array]) -> None:
        playing = self._playing[games].ravel()
        chosen = np.zeros((len(playing), *self._actions.shape[2:]), np.uint8)
        numbers, begin = np.unique(playing, return_index=True)
        for number in numbers[begin.argsort()].tolist():  # in an order that the rows alone decide
            if number >= 0:
                rows = np.flatnonzero(playing == number)
                own = slice(None) if len(rows) == len(playing) else rows  # all: without a copy
                chosen[rows] = self._choose(
                    self._policies[number],
                    {name: array[own] for name, array in seen.items()},
                    {name: array[own] for name, array in info.items()},
                )
        self._actions[games] = chosen.reshape(len(games), *self._actions.shape[1:])

    def _choose(self, policy: Policy, seen: dict[str, Array], info: dict[str, Array]) -> Array:
        given = np.asarray(policy(seen, info))
        shape = (len(info["row"]), *self._actions.shape[2:])
        if given.dtype.kind not in "iu":
            raise TypeError(f"policy {policy!r} returned {given.dtype} as actions, expected integers")
        if given.shape != shape:
            raise ValueError(f"policy {policy!r} returned actions of shape {given.shape}, expected {shape}")
        parts = given.reshape(len(given), -1)
        for component, choice in enumerate(self._choices):
            wrong = info["valid"] & ((parts[:, component] < 0) | (parts[:, component] >= choice.n))
            if wrong.any():
                raise ValueError(
                    f"policy {policy!r} returned {parts[wrong.argmax(), component]} for {choice.name} "
                    f"of seat {info['seat'][wrong.argmax()]}, expected 0 to {choice.n - 1}"
                )
        return np.where(info["valid"].reshape(-1, *(1,) * (given.ndim - 1)), given, 0).astype(np.uint8)


def no_row(k: int) -> ValueError:
    """Return the error of a policy in the place of an agent."""
    return ValueError(
        f"opponent {k} is a policy, but this environment was made with an agent in that seat: "
        "make it with a policy there; line-ups may name agents in a policy's place, not the reverse"
    )


def check_simulate(policies: PolicySeats | None) -> None:
    """Raise PommegoError if a simulation lacks what policies would do."""
    if policies is not None:
        raise PommegoError(
            "simulate() plays on the server, where the policies among the opponents cannot be asked: "
            "make an environment whose other seats learn, or are agents, for the search"
        )
