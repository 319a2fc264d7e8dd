"""Who plays the seats that do not learn: agents on the server, and policies in Python."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._transport import wire
from pommego.pool import Pool, check_policy

#: What plays a seat from Python: see `LineUps`.
Policy = Callable[[dict[str, NDArray[Any]], dict[str, NDArray[Any]]], ArrayLike]
#: An agent's name, a policy, or a pool of them.
Opponent = str | Policy | Pool

LEARNER = "learner"
_POLICY = "policy"  # the server's name for a seat that is played from here


class LineUps:
    """Several line-ups of opponents. Each episode has one, which is drawn when the episode begins.

        easy, hard = ["static"] * 3, ["simple"] * 3
        envs = pommego.make_vec(id, 64, opponents=pommego.LineUps([easy, hard], weights=[0.8, 0.2]))

    The draw depends on the episode's seed alone.

    A policy is a callable that plays its seats from Python, in all games. The caller does not see
    its rows. In each step it is called once, as ``policy(obs, info)``, with all its rows, and
    returns their actions: integers (n,), or (n, components). `obs` is a dict of arrays
    like the caller's, which the policy may keep, and `info` has

    * ``action_mask``, ``alive`` and ``seat``, as in `PommegoVectorEnv`;
    * ``valid``: bool (n,), false where the action is ignored: the seat is out, or the next
      step only resets the game;
    * ``first``: bool (n,), true where an episode begins with this observation, or the game
      has been set to a state: there a policy with a memory clears it;
    * ``row``: int (n,), a fixed number for each seat of each game, an index into such a memory.

    An attribute `options` of a policy says which options of `make_vec` it plays by, such as
    ``{"observation": "near", "mask": "safe"}`` of networks (`pommego.load`): environments with others
    refuse it.

    In Radio games components 1 and 2 are the words sent, 0 for none. If a policy raises an
    exception nothing has been stepped, and the next step calls it again. With policies only one
    step can be in flight, and `PommegoVectorEnv.simulate` is not possible.

    Args:
        line_ups: each has an opponent for each seat that does not learn: an agent's name, a policy
            or a `Pool`.
        weights: how often each line-up is drawn; None: all equally often.

    Attributes:
        by_game: the number of each game's line-up, if the games have fixed ones; else None.
        hidden: whether the policies are asked for the caller, which does not see their rows.
    """

    def __init__(
        self, line_ups: Sequence[Sequence[Opponent]], weights: Sequence[float] | None = None
    ) -> None:
        if not line_ups:
            raise ValueError("LineUps needs at least one line-up")
        names = ["opponents"] if len(line_ups) == 1 else [f"opponents[{n}]" for n in range(len(line_ups))]
        self.line_ups = tuple(map(_opponents, names, line_ups))
        self.weights = None if weights is None else _weights(weights, len(self.line_ups))
        self.by_game: NDArray[np.int32] | None = None
        self.hidden = True

    @classmethod
    def read(cls, opponents: Opponents, games: int) -> LineUps:
        if isinstance(opponents, LineUps):
            return opponents
        if isinstance(opponents, Pool):
            raise TypeError("opponents is a Pool: give it a seat or several, as in opponents=[pool] * 3")
        if callable(opponents):
            opponents = [_of_game(opponents, game) for game in range(games)]
        elif not isinstance(opponents, Sequence):
            raise TypeError(f"opponents is a list of names and policies, not {type(opponents).__name__}")
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
        """Which seats some line-up has a policy in, counted as opponents are."""
        width = max(map(len, self.line_ups))
        return [k for k in range(width) if any(_plays_here(each[k : k + 1]) for each in self.line_ups)]

    def of_games(self, games: slice) -> LineUps:
        own = copy.copy(self)
        own.by_game = None if self.by_game is None else self.by_game[games]
        return own

    def check_seats(self, seats: Sequence[int]) -> None:
        """Raise ValueError if a policy is to play another seat than these, which have rows for policies."""
        for k in self.policy_seats:
            if k not in seats:
                raise ValueError(
                    f"opponent {k} is a policy, but this environment was made with an agent in that seat: "
                    "make it with a policy there. Where it was, line-ups may also name agents"
                )

    def fields(self) -> dict[str, Any]:
        """Return them as a request has them; those with policies are always numbered."""
        names = [[one if isinstance(one, str) else _POLICY for one in each] for each in self.line_ups]
        if len(names) == 1 and self.weights is None and not self.policy_seats:
            return {"opponents": names[0]}
        by_game = None if self.by_game is None else wire.tensor(self.by_game)
        return {"line_ups": names, "weights": self.weights, "by_game": by_game}


#: One name for all, one line-up, one for each game, several to draw from, or a function of the game's number.
Opponents = (
    str | LineUps | Sequence[Opponent] | Sequence[Sequence[Opponent]] | Callable[[int], Sequence[Opponent]]
)


def seats_of(seats: Sequence[Opponent]) -> tuple[list[str], LineUps | None]:
    """Read `seats`: the names to send, and the opponents if some are policies."""
    if isinstance(seats, str):
        raise TypeError(f"seats is a list of names, such as {seats.split(',')}, not one name")
    line_up = _opponents("seats", seats)
    names = [one if isinstance(one, str) else _POLICY for one in line_up]
    others = tuple(one for one in line_up if one != LEARNER)
    return names, LineUps((others,)) if _POLICY in names else None


def check_player(what: str, player: Any, *further: str) -> None:
    """Check that this can play: an agent's name, a `Pool`, or a policy, see `check_policy`."""
    if isinstance(player, Pool):
        return
    if not isinstance(player, str):
        if not callable(player):
            expected = "a policy (a callable on obs and info), a Pool or an agent's name"
            raise TypeError(f"{what} is {player!r}, expected {expected}")
        check_policy(what, player, *further)
        return
    name = player.partition(":")[0]
    if name == "human":
        raise ValueError(f"{what} is {player!r}, who can play in a match of the command alone, pommego play")
    if "," in name:
        raise ValueError(f"{what} is {player!r}, expected the name of one agent: give {player.split(',')}")


def _plays_here(opponents: Sequence[Opponent]) -> bool:
    return any(not isinstance(one, str) for one in opponents)


def _of_game(opponents: Callable[[int], Any], game: int) -> Sequence[Opponent]:
    meant = f"opponents is {opponents!r}, a function of the game's number that returns a list of opponents"
    try:
        line_up = opponents(game)
    except TypeError as e:
        raise TypeError(
            f"{meant}: it fails for game {game} ({e}); a policy goes into a list, as in [policy] * 3"
        ) from e
    if isinstance(line_up, str) or not isinstance(line_up, Sequence):
        raise TypeError(f"{meant}, but for game {game} it returns {line_up!r}")
    return line_up


def _opponents(what: str, entries: Sequence[Any]) -> tuple[Opponent, ...]:
    if not entries:
        raise ValueError(f"{what} is empty: name who plays, or leave it out, and the learner plays all seats")
    for k, entry in enumerate(entries):
        check_player(f"{what}[{k}]", entry)
        if entry == _POLICY:
            raise ValueError(f"{what}[{k}] is {entry!r}: give the policy itself, a callable")
    return tuple(entries)


def _weights(weights: Sequence[float], n: int) -> tuple[float, ...]:
    given = tuple(float(weight) for weight in weights)
    if len(given) != n:
        raise ValueError(f"LineUps has {len(given)} weights for {n} line-ups, want one each")
    if not all(0 <= weight < np.inf for weight in given) or not sum(given) > 0:
        raise ValueError(f"the weights are {list(given)}, expected finite numbers, 0 or more, not all 0")
    return given
