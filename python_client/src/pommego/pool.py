"""A pool of policies to play against, such as a learner's past selves."""

import inspect
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.checks import at_least
from pommego.errors import PommegoError

SEARCH = ("states", "simulate")  # the arguments of policies that search

_DEFAULTS = {"observation": "planes", "mask": "legal"}  # of make_vec
_START = 1000.0  # everybody's first rating
_STEP = 16.0  # the most that one game moves a rating by
_MASK = (1 << 64) - 1

Rule = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_RULES: dict[str, Rule] = {
    "uniform": np.ones_like,
    "prioritised": lambda rates: (1 - rates) ** 2,
    "even": lambda rates: rates * (1 - rates),
}


def check_policy(what: str, policy: Any, *, may_search: bool = True) -> list[str]:
    """Return which arguments of `SEARCH` a policy takes, if it may; TypeError if it is not a policy."""
    if isinstance(policy, type):
        raise TypeError(f"{what} is the class {policy.__name__}: give an instance, {policy.__name__}(...)")
    if not callable(policy):
        raise TypeError(f"{what} is {policy!r}, expected a policy: a callable on obs and info")
    try:
        signature = inspect.signature(policy)
    except ValueError:  # built-in functions have no signature
        return []
    takes = [name for name in SEARCH if may_search and name in signature.parameters]
    try:
        signature.bind(None, None, **dict.fromkeys(takes))
    except TypeError as e:
        raise TypeError(f"{what} is {policy!r}, not to be called as policy(obs, info): {e}") from None
    return takes


def options_for(policies: Iterable[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of `make_vec` with which policies can play: the given ones and those in `options`.

    A policy without that attribute plays with the defaults, and with any other options.

    Raises:
        ValueError: the `options` of a policy differ from the given ones.
    """
    options = dict(given)
    for policy in policies:
        own = getattr(policy, "options", None)
        own = dict(own) if isinstance(own, Mapping) else {}
        for name, value in (_DEFAULTS | own).items():
            if options.setdefault(name, value) != value and (name in own or name not in given):
                needed = value if name in own else options[name]
                raise ValueError(
                    f"{name} is {options[name]!r}, but the policy {policy!r} plays by {name}={value!r}: "
                    f"give {name}={needed!r}, if all policies can play by it"
                )
    return options


@dataclass
class Member:
    """One policy of a pool: how many came before it, its rating by Elo, and how many games it has played.

    `scores` are the learner's in the latest of these games: 1 won, 0.5 tied, 0 lost.
    """

    name: str
    policy: Any
    number: int
    rating: float = _START
    games: int = 0
    scores: deque[float] = field(default_factory=deque)

    @property
    def win_rate(self) -> float:
        """The learner's share of the latest points, with one win and one loss added."""
        return (sum(self.scores) + 1) / (len(self.scores) + 2)


class Pool:
    """Policies that take a seat by turns: each game's episode has one member of the pool.

        pool = pommego.Pool(size=8, rule="prioritised")
        pool.add(snapshot, "update 20")
        envs = pommego.make_vec("PommeFFACompetition-v0", 64, opponents=[pool] * 3)

    When an episode begins, the rule draws the member that plays it, in all seats that the pool has in that
    game. When it ends, the learner's result changes that member's win rate and both sides' ratings, unless
    Ctrl-C lost that batch. Of several learners the best result counts. A game with the member as the
    learner's teammate changes only the win rate. One pool may play in several
    environments. You can add members at any time. A member that is removed plays
    its episodes to their end.

    Args:
        size: the most members; the oldest makes room for a new one. None: no limit.
        rule: how often each member is drawn: "uniform"; "prioritised", by
            ``(1 - win rate)**2``, so most often those that the learner loses against;
            "even", by ``win rate * (1 - win rate)``; or a function from the win rates,
            float64 (members,), to weights. Win rates are the learner's.
        seed: of the draws. A draw depends on it, on the weights, and on the episode's seed and number. Give
            pools that play each other different seeds: with the same seed members meet in fixed pairs.
        window: how many of a member's latest games count for its win rate.

    Attributes:
        rating: the learner's, by Elo's system, at first 1000; a new member gets the learner's. A difference
            of 400 points means odds of 10 to 1 between two sides. In a free-for-all all opponents are taken
            to be as strong as the member, and all sides share a tie, so that equals stay equal.

    Raises:
        ValueError, TypeError: an argument is not as described.
    """

    def __init__(
        self, size: int | None = None, *, rule: str | Rule = "uniform", seed: int = 0, window: int = 100
    ) -> None:
        if size is not None:
            at_least(1, "size", size, more=" members, or None for any number")
        at_least(1, "window", window, more=" games")
        if not callable(rule) and rule not in _RULES:
            raise ValueError(f"rule is {rule!r}, expected one of {sorted(_RULES)} or a function of win rates")
        self._rule: Rule = rule if callable(rule) else _RULES[rule]
        self._seed, self._window = int(seed), int(window)
        self._members: deque[Member] = deque(maxlen=size and int(size))
        self._added = 0
        self.rating = _START

    def __len__(self) -> int:
        return len(self._members)

    @property
    def members(self) -> tuple[Member, ...]:
        """The members, the oldest first."""
        return tuple(self._members)

    def add(self, policy: Any, name: str | None = None) -> Member:
        """Add a policy, with the learner's rating.

        Args:
            policy: a callable on (observations, info) that returns actions.
            name: None: "0", "1" and so on.

        Raises:
            TypeError: the policy cannot be called as policies are.
            ValueError: a member has that name.
        """
        check_policy("a member", policy)
        names = {member.name for member in self.members}
        if name is None:
            name = next(n for n in map(str, itertools.count(self._added)) if n not in names)
        if name in names:
            raise ValueError(f"there is a member called {name!r} already")
        member = Member(name, policy, self._added, self.rating, scores=deque(maxlen=self._window))
        self._members.append(member)
        self._added += 1
        return member

    def weights(self) -> NDArray[np.float64]:
        """Return how often each member is drawn, summing to 1.

        Raises:
            ValueError: the rule returned anything but one weight for each member.
        """
        rates = np.array([member.win_rate for member in self.members])
        weights = np.asarray(self._rule(rates), np.float64)
        if weights.shape != rates.shape or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
            raise ValueError(
                f"the rule returned {weights!r} for win rates {rates!r}, "
                "expected a weight for each, 0 or more and not all 0"
            )
        return weights / weights.sum()

    # What environments call -----------------------------------------------------

    def seat(self, seed: int, episode: int) -> Member:
        """Draw the member that plays an episode.

        Raises:
            PommegoError: there are no members.
        """
        if not self._members:
            raise PommegoError("a pool without members has a seat: pool.add(policy) first")
        point = _unit(self._seed, seed, episode)
        at = int(np.searchsorted(np.cumsum(self.weights()), point, side="right"))
        return self.members[min(at, len(self) - 1)]

    def record(self, member: Member, score: float, rivals: float = 1) -> None:
        """Count a game of the learner's against a member: 1 won, 0.5 tied, 0 lost.

        `rivals` is how many sides play against each of the learner's: 3 in a free-for-all of four. 0: the
        member is a teammate, and no rating changes.
        """
        member.games += 1
        member.scores.append(score)
        expected = 1 / (1 + rivals * 10 ** ((member.rating - self.rating) / 400))
        reached = 1 / (1 + rivals) if score == 0.5 else score  # a tie is shared by all sides
        change = _STEP * (reached - expected) if rivals else 0
        self.rating += change
        member.rating -= change

    def state(self) -> dict[str, Any]:
        """Return all but the policies, as plain numbers, names and lists, for a checkpoint.

        Save the policy of each of ``state()["members"]`` with it, in their order (`members`). Restore
        the pool before the environments, which then draw members again.
        """
        kept = ("number", "name", "rating", "games")
        members = [
            {name: getattr(member, name) for name in kept} | {"scores": list(member.scores)}
            for member in self.members
        ]
        return {"rating": self.rating, "added": self._added, "members": members}

    def restore(self, state: Mapping[str, Any], policies: Sequence[Any]) -> None:
        """Continue from the result of `state`, with these policies, of which the pool keeps its `size`.

        Raises:
            ValueError: there are more or fewer policies than members, or this is no such state.
            TypeError: a policy cannot be called as policies are.
        """
        members = []
        try:
            rating, added, every = state["rating"], state["added"], state["members"]
            if len(policies) != len(every):
                raise ValueError(f"{len(policies)} policies for {len(every)} members, want one each")
            for saved, policy in zip(every, policies, strict=True):
                check_policy(f"the policy of {saved['name']!r}", policy)
                if saved.get("drawn", True):  # states of 0.1 also have members that were removed
                    scores = deque(saved["scores"], maxlen=self._window)
                    kept = saved["number"], saved["rating"], saved["games"], scores
                    members.append(Member(saved["name"], policy, *kept))
        except KeyError as e:
            raise ValueError(f"the state lacks {e}, expected what state() returned") from e
        self.rating, self._added = rating, added
        self._members.clear()
        self._members.extend(members)

    def __repr__(self) -> str:
        return f"Pool({len(self)} members, rating {self.rating:.0f})"


def _unit(*keys: int) -> float:
    """Return a number from 0 to 1 that the keys decide: SplitMix64 of each in turn."""
    x = 0
    for key in keys:
        x = (x ^ key) + 0x9E3779B97F4A7C15 & _MASK
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
        x ^= x >> 31
    return (x >> 11) / (1 << 53)
