"""Who plays the seats that do not learn: agents on the server, and policies in Python."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import Observation
from pommego._transport import wire

if TYPE_CHECKING:
    from pommego.pool import Pool

# ruff: noqa: PLC0415, modules for pools and policies are loaded if there are some

#: A policy, which plays a seat from Python: see `LineUps`.
Policy = Callable[[Observation, dict[str, Any]], ArrayLike]
#: An agent's name, a policy, or a pool of them.
Opponent: TypeAlias = "str | Policy | Pool"

LEARNER = "learner"
HERE = print  # in line-ups in place of any policy, where its actions come from the caller
_POLICY = "policy"  # the server's name for a seat that is played from here


class LineUps:
    """Several line-ups of opponents. Each episode has one, which is drawn when the episode begins.

        easy, hard = ["static"] * 3, ["simple"] * 3
        envs = pommego.make_vec(id, 64, opponents=pommego.LineUps([easy, hard], weights=[0.8, 0.2]))

    The draw depends on the game's seed and the episode's number alone.

    A policy is a callable that plays its seats from Python, in all games. The caller does not see
    the policy's rows. In each step it is called once, as ``policy(obs, info)``, with all its rows, and
    returns their actions: integers (n,), or (n, components). `obs` is like the caller's, a dict
    of arrays or with ``observation="box"`` one array; the policy may keep it. `info` has

    * ``action_mask``, ``alive`` and ``seat``, as in `PommegoVectorEnv`;
    * ``valid``: bool (n,), false where the action is ignored: the seat is out, or the next
      step only resets the game;
    * ``first``: bool (n,), true where an episode begins with this observation, or the game
      has been set to a state: a policy with a memory clears it there;
    * ``row``: int (n,), a fixed number for each seat of each game, an index into such a memory. Each
      environment counts from 0: one policy with a memory cannot play in two.

    An attribute `options` of a policy names the options of `make_vec` that it needs, such as
    ``{"observation": "near", "mask": "safe"}`` for networks (`pommego.load`). Environments made with
    other options refuse the policy.

    In Radio games components 1 and 2 are the words sent, 0 for none. If a policy raises an
    exception, nothing has been stepped, and the next step calls it again. With policies only one
    step can be in flight, and `PommegoVectorEnv.simulate` is refused.

    Each line-up has an opponent for each seat that does not learn: an agent's name, a policy or a `Pool`.
    Without weights all are drawn equally often.

    Attributes:
        by_game: the number of each game's line-up, if the games have fixed ones; else None.
        hidden: whether the environment asks the policies itself, and hides their rows from the caller.
    """

    def __init__(
        self, line_ups: Sequence[Sequence[Opponent]], weights: Sequence[float] | None = None
    ) -> None:
        if not line_ups:
            raise ValueError("LineUps needs at least one line-up")
        names = ["opponents"] if len(line_ups) == 1 else [f"opponents[{n}]" for n in range(len(line_ups))]
        self.line_ups = tuple(map(_opponents, names, line_ups))
        self.weights: tuple[float, ...] | None = None
        if weights is not None:
            from pommego._core.more_checks import given_weights

            self.weights = given_weights(weights, len(self.line_ups), "line-ups")
        self.by_game: NDArray[np.int32] | None = None
        self.hidden = True

    @classmethod
    def read(cls, opponents: Opponents, games: int) -> LineUps:
        if isinstance(opponents, LineUps):
            return opponents
        if not isinstance(opponents, Sequence):
            raise TypeError(f"opponents is {opponents!r}, expected a list, as in opponents=[pool] * 3")
        several = [isinstance(entry, Sequence) and not isinstance(entry, str) for entry in opponents]
        if not any(several):
            return cls((opponents,))
        if not all(several):
            odd = several.index(False)
            raise TypeError(
                f"opponents[{odd}] is {opponents[odd]!r}, where others are lists: "
                "give one line-up, or line-ups only"
            )
        if len(opponents) != games:
            raise ValueError(
                f"opponents has {len(opponents)} line-ups for {games} game{'s'[games == 1 :]}: give one for "
                "each, or pommego.LineUps([...]) to have one drawn at each episode"
            )
        keys = [tuple(one if isinstance(one, str) else id(one) for one in line_up) for line_up in opponents]
        different = dict(zip(keys, opponents, strict=True))
        number = {key: n for n, key in enumerate(different)}
        made = cls(tuple(different.values()))
        made.by_game = np.array([number[key] for key in keys], np.int32)
        return made

    @property
    def policy_seats(self) -> list[int]:
        """The opponents' seats in which some line-up has a policy, numbered like opponents."""
        seats = enumerate(zip_longest(*self.line_ups, fillvalue=""))
        return [k for k, there in seats if not all(isinstance(one, str) for one in there)]

    def of_games(self, games: slice) -> LineUps:
        """Return the line-ups of some games for their host: without the policies, which stay here."""
        own = copy.copy(self)
        own.line_ups = tuple(
            tuple(one if isinstance(one, str) else HERE for one in each) for each in self.line_ups
        )
        own.by_game = None if self.by_game is None else self.by_game[games]
        return own

    def check_seats(self, seats: Sequence[int]) -> None:
        """Raise ValueError if a policy is in a seat other than these, which have rows for policies."""
        for k in self.policy_seats:
            if k not in seats:
                raise ValueError(
                    f"opponent {k} is a policy, but this environment was made with an agent in that seat: "
                    "make it with a policy there. Where it was, line-ups may also name agents"
                )

    def fields(self) -> dict[str, Any]:
        """Return the line-ups in the form of a request; those with policies always have numbers."""
        names = [[one if isinstance(one, str) else _POLICY for one in each] for each in self.line_ups]
        if len(names) == 1 and self.weights is None and not self.policy_seats:
            return {"opponents": names[0]}
        by_game = None if self.by_game is None else wire.tensor(self.by_game)
        return {"line_ups": names, "weights": self.weights, "by_game": by_game}


#: One name for all, one line-up, one for each game, or several to draw from.
Opponents = str | LineUps | Sequence[Opponent] | Sequence[Sequence[Opponent]]


def keep_outside(kept: dict[frozenset[str], LineUps], line_ups: LineUps, agents: Sequence[str]) -> None:
    """Keep line-ups with agents outside the game, which has these `agents` itself, by the names of those."""
    names = {one for each in line_ups.line_ups for one in each if isinstance(one, str)}
    if outside := frozenset(name for name in names if name.partition(":")[0] not in agents):
        kept[outside] = line_ups


def seats_of(seats: Sequence[Opponent]) -> tuple[list[str], LineUps | None]:
    """Read `seats`: the names to send, and the opponents if some are policies."""
    if isinstance(seats, str):
        raise TypeError(f"seats is {seats!r}, expected a list of names, such as {seats.split(',')}")
    line_up = _opponents("seats", seats)
    names = [one if isinstance(one, str) else _POLICY for one in line_up]
    others = tuple(one for one in line_up if one != LEARNER)
    return names, LineUps((others,)) if _POLICY in names else None


def check_player(what: str, player: Any, *, may_search: bool = True) -> None:
    """Check that this can play: an agent's name, a `Pool`, or a policy, see `check_policy`."""
    if not isinstance(player, str):
        from pommego.pool import Pool, check_policy

        if isinstance(player, Pool):
            return
        if not callable(player):
            expected = "a policy (a callable on obs and info), a Pool or an agent's name"
            raise TypeError(f"{what} is {player!r}, expected {expected}")
        check_policy(what, player, may_search=may_search)
        return
    if player in ("", _POLICY):
        raise ValueError(f"{what} is {player!r}: give the policy itself, a callable, or an agent's name")
    name = player.partition(":")[0]
    if name == "human":
        raise ValueError(f"{what} is {player!r}, who can play only in pommego play")
    if "," in name:
        raise ValueError(f"{what} is {player!r}, expected the name of one agent: give {player.split(',')}")


def _opponents(what: str, entries: Sequence[Any]) -> tuple[Opponent, ...]:
    if not entries:
        raise ValueError(f"{what} is empty, expected one entry per seat; without it learners play all seats")
    for k, entry in enumerate(entries):
        check_player(f"{what}[{k}]", entry, may_search=False)
    return tuple(entries)
