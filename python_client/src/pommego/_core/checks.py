"""Arguments, checked and converted to the form in which they are sent."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

_SEEDS = 1 << 64

#: The seed of the first game; or the seeds of all games, with flags for the ones given; or no seeds.
Seeds = int | tuple[NDArray[np.uint64], NDArray[np.bool_]] | None


def autoreset_mode(given: AutoresetMode | str) -> AutoresetMode:
    """Return one of gymnasium's modes by its name or value, in upper or lower case; else ValueError."""
    said = "".join(filter(str.isalnum, str(getattr(given, "name", given)))).lower()
    for mode in AutoresetMode:
        if said == mode.value.lower():
            return mode
    raise ValueError(f"autoreset_mode is {given!r}, expected one of {', '.join(AutoresetMode.__members__)}")


def at_least(least: int, what: str, value: Any, kind: type = Integral, more: str = "") -> None:
    """Raise ValueError unless this is a number of a kind, and not too small."""
    if not isinstance(value, kind) or not value >= least:
        said = "an integer" if kind is Integral else "a number"
        raise ValueError(f"{what} is {value!r}, expected {said}, {least} or more{more}")


def server_of(address: str | None, token: str | None) -> None:
    """Raise TypeError if there is a token, and no address of the server whose it is."""
    if address is None and token is not None:
        raise TypeError("token is given without an address: give that of its server, or leave both out")


def timeout(seconds: Any) -> float:
    """Return a number of seconds, at most 10**6, which the system's calls take; else ValueError."""
    at_least(0, "timeout", seconds, Real)
    return min(float(seconds), 1e6)


def seeds(seed: int | Sequence[int | None] | NDArray[Any] | None, games: int) -> Seeds:
    """Read `seed`: a number, or a list, returned as its values and a mask of those given."""
    if seed is None or isinstance(seed, int | np.integer):
        return None if seed is None else one_seed(seed)
    if isinstance(seed, str | bytes) or not hasattr(seed, "__len__") or np.ndim(seed) == 0:
        raise TypeError(f"seed is {seed!r}, expected an integer, a list of {games} of them, or None")
    values = list(seed)
    if len(values) != games:
        raise ValueError(f"seed has {len(values)} entries for {games} game{'s'[games == 1 :]}: give each one")
    given = np.array([value is not None for value in values], np.bool_)
    if not given.any():
        return None
    return np.array([0 if value is None else one_seed(value) for value in values], np.uint64), given


def one_seed(value: Any, what: str = "seed") -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{what} is {value!r}, expected an integer from 0 to 2**64-1")
    if not 0 <= value < _SEEDS:
        raise ValueError(f"{what} is {value}, expected 0 to 2**64-1")
    return int(value)
