"""Arguments, checked and converted to the form in which they are sent."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from pommego.errors import ServerError

_SEEDS = 1 << 64
NO_BYTE = "negative or above 254"  # what the server calls the 255 of `write_actions`


def batch_size(size: int | None, games: int, autoreset: AutoresetMode) -> int | None:
    """Return the `batch_size` to send to the server: None if a batch has all games."""
    if size is None or size == games:
        return None
    if not isinstance(size, Integral) or not 1 <= size <= games:
        raise ValueError(f"batch_size is {size!r}, expected 1 to num_envs, {games}")
    if autoreset == AutoresetMode.DISABLED:
        raise ValueError(
            "batch_size needs autoreset_mode NEXT_STEP or SAME_STEP: games that go on one by one "
            "cannot be reset with a mask"
        )
    return size


def autoreset_mode(given: AutoresetMode | str) -> AutoresetMode:
    """Return one of gymnasium's modes by its name or value, in any case; ValueError if there is none."""
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


def seeds(
    seed: int | Sequence[int | None] | NDArray[Any] | None, games: int
) -> int | tuple[NDArray[np.uint64], NDArray[np.bool_]] | None:
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


def one_seed(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"seed is {value!r}, expected an integer from 0 to 2**64-1")
    if not 0 <= value < _SEEDS:
        raise ValueError(f"seed is {value}, expected 0 to 2**64-1")
    return int(value)


def all_rows(rows: ArrayLike, total: int) -> None:
    if not np.array_equal(np.asarray(rows), np.arange(total)):
        raise ValueError(
            f"rows must be all {total}, in order, or left out: without a batch_size below num_envs, "
            "all games are stepped together"
        )


def games_of(rows: ArrayLike, games: int, learners: int) -> NDArray[np.int32]:
    array = np.asarray(rows)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"rows must be integers, as in info['row'], got dtype {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"rows must have shape (n,), as in info['row'], got {array.shape}")
    outside = (array < 0) | (array >= games * learners)
    if outside.any():
        raise ValueError(f"row {array[outside.argmax()]} is not one of 0 to {games * learners - 1}")
    first = array[::learners].astype(np.int64)
    whole = (first[:, None] + np.arange(learners)).ravel()
    if (first % learners).any() or not np.array_equal(array, whole):
        raise ValueError(
            f"rows must be those of whole games, {learners} of each in order, as in info['row'], "
            f"got {array.tolist()[: 2 * learners]}"
        )
    return (first // learners).astype(np.int32)


def write_actions(actions: ArrayLike, out: NDArray[np.uint8], games: int, learners: int) -> None:
    """Copy actions, whose rows may be split into (games, learners), into the send buffer.

    Values that do not fit into a byte are sent as 255, which is no action in any game. The server
    decides whether that is an error, as it ignores the actions of some rows.
    """
    array = numbers("actions", actions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions must be integers, got {no_integers(array)}")
    if array.shape != out.shape:
        by_game = (games, learners, *out.shape[1:])
        if array.shape != by_game:
            raise ValueError(f"actions must have shape {out.shape}, or {by_game}, got {array.shape}")
        array = array.reshape(out.shape)
    np.copyto(out, array, casting="unsafe")
    # Whether any needs more than the lowest eight bits is seen quickest in all of them together.
    if array.dtype != np.uint8 and int(np.bitwise_or.reduce(array, axis=None)) & ~255:
        out[(array < 0) | (array > 255)] = 255


def one_action(what: str, action: Any, space: gymnasium.Space, *, acts: bool = True) -> NDArray[Any]:
    """Return the action of one seat, checked as the server checks those of rows."""
    given = numbers(what, action)
    if given.dtype.kind not in "iu" or given.shape != space.shape:
        wanted = f"integers of shape {space.shape}" if space.shape else "an integer"
        raise ValueError(f"{what} is {action!r}, expected {wanted}, as it is in the game")
    if acts and not space.contains(given):
        most = np.asarray(getattr(space, "nvec", getattr(space, "n", 0))) - 1
        raise ServerError("bad_action", f"{what} is {given.tolist()}, want 0 to {most}", field="actions")
    return given


def numbers(what: str, values: Any) -> NDArray[Any]:
    try:
        array = np.asarray(values)
        if array.dtype != object or _place(values) == "cpu":
            return array
        why = "numpy cannot read it"
    except (TypeError, ValueError, RuntimeError) as e:
        why = str(e)
    place = _place(values)
    where = "" if place == "cpu" else f" on {place}: move it with {what}.cpu() first"
    raise TypeError(f"{what} must be an array or a list, got a {type(values).__name__}{where} ({why})")


def _place(values: Any) -> str:
    return str(getattr(values, "device", "cpu"))


def no_integers(array: NDArray[Any]) -> str:
    """Say what is in an array in place of integers, and what to do."""
    if array.dtype.kind == "f":
        return f"dtype {array.dtype}: take the argmax of what a network returns, or astype(int)"
    if array.dtype != object:
        return f"dtype {array.dtype}"
    odd = [value for value in array.flat if type(value) is not int or abs(value) >> 63]
    return repr(odd[0]) if odd else "dtype object: astype(int)"


def legal(
    actions: ArrayLike, acts: NDArray[np.bool_], like: NDArray[np.uint8], choices: Sequence[Any]
) -> NDArray[np.uint8]:
    """Return actions with the shape (games, learners, ...) of `like`, checked as the server does.

    It checks the rows that act, bool (games, learners).
    """
    given = np.empty((acts.size, *like.shape[2:]), np.uint8)
    write_actions(actions, given, *acts.shape)
    parts = given.reshape(*acts.shape, -1)
    for component, choice in enumerate(choices):
        wrong = acts & (parts[..., component] >= choice.n)
        if wrong.any():
            row = int(wrong.ravel().argmax())
            value = parts.reshape(-1, parts.shape[2])[row, component]
            said = NO_BYTE if value == 255 else value
            raise ServerError(
                "bad_action",
                f"action of row {row}, component {component} ({choice.name}), is {said}, "
                f"want 0 to {choice.n - 1}",
                field="actions",
            )
    return given.reshape(*acts.shape, *like.shape[2:])
