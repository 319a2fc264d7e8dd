"""How games ended, counted: shares and means with their intervals."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Z = 1.959964  # standard deviations on either side of 95 %


class Interval(NamedTuple):
    """An estimate with its 95 % confidence interval."""

    value: float  # nan if there are no games
    low: float  # nan, as high, if there are too few games for an interval
    high: float

    def __format__(self, form: str) -> str:
        value, low, high = ("-" if math.isnan(x) else format(x, form) for x in self)
        return value if math.isnan(self.low + self.value) else f"{value} ({low} to {high})"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The result of `evaluate`: an entry for each game.

    Attributes:
        results: int8 (games,): 1 won, 0 tied, -1 lost.
        lengths: int32 (games,), steps of the games.
        seats: uint8 (games,), where the policy sat; in teams its first seat.
        answers: how many answers of a language model were legal, repaired, illegal and late; None:
            no model has played.
        void: the numbers of the games that cannot be scored, because the connection to an agent failed; the
            arrays have the other games.
        usage: a language model's tokens_in, tokens_out and cost, if known; None: no model has played.
    """

    results: NDArray[np.int8]
    lengths: NDArray[np.int32]
    seats: NDArray[np.uint8]
    answers: Mapping[str, int] | None = None
    void: tuple[int, ...] = ()
    usage: Mapping[str, float] | None = None

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
        """The mean length in steps, with the normal distribution's interval; of two games or more."""
        mean = float(self.lengths.mean()) if self.games else math.nan
        if self.games < 2:
            return Interval(mean, math.nan, math.nan)
        reach = Z * float(self.lengths.std(ddof=1)) / math.sqrt(self.games)
        return Interval(mean, max(0.0, mean - reach), mean + reach)

    def __str__(self) -> str:
        more = f"; {len(self.void)} more cannot be scored" if self.void else ""
        if not self.games:
            return f"0 games{more}"
        if self.answers:
            more += "; answers: " + ", ".join(f"{n} {how}" for how, n in self.answers.items())
        if self.usage and any(self.usage.values()):
            more += "; tokens: {tokens_in:.0f} in, {tokens_out:.0f} out; cost {cost:.4f}".format(**self.usage)
        shares = ((self.win_rate, "won"), (self.tie_rate, "tied"), (self.loss_rate, "lost"))
        said = [f"{share:.1%}".replace(" ", f" {what} ", 1) for share, what in shares]
        length = f"{self.length:.1f} ".replace(" ", " steps ", 1).strip()
        return f"{self.games} game{'s'[self.games == 1 :]}: {', '.join(said)}; {length}{more}"

    __repr__ = __str__  # for notebooks


def _share(part: int, whole: int) -> Interval:
    """Return a share with Wilson's interval."""
    if not whole:
        return Interval(math.nan, 0.0, 1.0)
    share, z = part / whole, Z
    middle = (share + z**2 / (2 * whole)) / (1 + z**2 / whole)
    reach = z / (1 + z**2 / whole) * math.sqrt(share * (1 - share) / whole + z**2 / (4 * whole**2))
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach))
