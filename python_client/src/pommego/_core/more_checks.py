"""Checks of arguments that a plain step does not have, and errors with the caller's names and numbers."""

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._transport import wire
from pommego.errors import PommegoError, ServerError
from pommego.state import to_wire

#: The message of an error about an action, in the words of the server and of `legal`.
_BAD_ACTION = "action of row {0}, component {1} ({2}), is {value}, want 0 to {3}"

#: The attributes of `pommego.Connection`.
_CONNECTION = ("ca_file", "client_cert", "shared_memory", "expand_shared", "agent_limit")

#: The arguments of `make_vec` by the request's fields, if their names differ.
_ARGUMENTS = {"games": "num_envs", "agent_seconds": "agent_limit"}


def reset_mask(options: Mapping[str, Any], games: int, learners: int) -> NDArray[np.bool_] | None:
    """Read ``options["reset_mask"]`` and return one flag for each game, None for all games."""
    unknown = set(options) - {"reset_mask", "states"}
    if unknown:
        raise ValueError(f"unknown reset options {sorted(unknown)}; there are 'reset_mask' and 'states'")
    mask = options.get("reset_mask")
    if mask is None:
        return None
    rows = games * learners
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"options['reset_mask'] must be a numpy array, got {type(mask).__name__}")
    if mask.dtype != np.bool_:
        raise TypeError(f"options['reset_mask'] must have dtype bool, got {mask.dtype}")
    if mask.shape != (rows,):
        raise ValueError(f"options['reset_mask'] must have shape {(rows,)}, a flag per row, got {mask.shape}")
    if not mask.any():
        raise ValueError("options['reset_mask'] must have at least one True")
    grouped = mask.reshape(games, learners)
    whole = grouped.all(axis=1)
    partly = grouped.any(axis=1) & ~whole
    if partly.any():
        game = int(partly.argmax())
        raise ValueError(
            f"options['reset_mask'] covers only some of the rows of game {game} "
            f"(rows {game * learners} to {game * learners + learners - 1}): a game is reset as a whole"
        )
    return whole


def reset_states(options: Mapping[str, Any], games: int) -> list[Any] | None:
    """Read ``options["states"]`` and return a state, or None, for each game; None if they are left out."""
    states = options.get("states")
    if states is None:
        return None
    if isinstance(states, str | bytes | Mapping) or not isinstance(states, Sequence):
        raise TypeError(
            f"options['states'] is a {type(states).__name__}, expected a list of saved states, one per game"
        )
    if len(states) != games:
        raise ValueError(
            f"options['states'] has {len(states)} entries for {games} game{'s'[games == 1 :]}: give one for "
            "each, None for a game that begins on a new board; set_start_states() draws from any number"
        )
    return list(states)


def request_fields(states: Sequence[Any], room: int) -> dict[str, Any]:
    """Return the fields of a reset for the state in which each game begins, or None: on a new board."""
    places: dict[bytes | str, int] = {}
    starts = [-1 if s is None else places.setdefault(to_wire(s), len(places)) for s in states]
    size = sum(map(len, places))
    if size > room:
        raise ValueError(
            f"options['states'] have {size} bytes, and one reset takes {room} at most: give fewer "
            "different states, or set_start_states(), which takes any number"
        )
    return {"states": list(places), "starts": wire.tensor(np.array(starts, np.int32))} if places else {}


def game_numbers(games: Iterable[Any], count: int) -> list[int]:
    """Read the numbers of some of `count` games."""
    numbers = []
    for k, game in enumerate(games):
        if isinstance(game, bool | np.bool_) or not hasattr(game, "__index__"):
            raise TypeError(f"games[{k}] is {game!r}, expected a number")
        numbers.append(int(game))
    for game in numbers:
        if not 0 <= game < count:
            raise ServerError("out_of_range", f"there is no game {game}, want 0 to {count - 1}", "", "games")
    if len(set(numbers)) < len(numbers):
        twice = max(numbers, key=numbers.count)
        raise ServerError("bad_option", f"games names {twice} twice", "", "games")
    return numbers


def check_players(*each: Iterable[Any]) -> None:
    """Raise PommegoError if one of these, who are to play in a clone too, can play in one game alone."""
    for one in chain(*each):
        if isinstance(one, str) and one.startswith("http:"):
            said = f"{one} is behind HTTP, and plays in one game: instead of a clone"
            raise PommegoError(f"{said} make an environment with other opponents")


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


def given_weights(weights: Sequence[float], n: int, what: str) -> tuple[float, ...]:
    """Return how often each of n things is drawn."""
    each = tuple(float(weight) for weight in weights)
    if len(each) != n:
        raise ValueError(f"{len(each)} weights for {n} {what}")
    if not all(0 <= weight < np.inf for weight in each) or not sum(each) > 0:
        raise ValueError(
            f"the weights of {what} are {list(each)}, expected finite numbers, 0 or more, not all 0"
        )
    return each


def one_action(what: str, action: Any, space: gymnasium.Space, *, acts: bool = True) -> NDArray[Any]:
    """Return the action of one seat, checked as the server checks those of rows."""
    given = wire.numbers(what, action)
    if given.dtype.kind not in "iu" or given.shape != space.shape:
        wanted = f"integers of shape {space.shape}" if space.shape else "an integer"
        raise ValueError(f"{what} is {action!r}, expected {wanted}, as it is in the game")
    if acts and not space.contains(given):
        most = np.asarray(getattr(space, "nvec", getattr(space, "n", 0))) - 1
        raise ServerError("bad_action", f"{what} is {given.tolist()}, want 0 to {most}", field="actions")
    return given


def legal(actions: ArrayLike, acts: NDArray[np.bool_], choices: Sequence[Any]) -> NDArray[np.uint8]:
    """Return actions as (games, learners, ...), of which those in `acts` are checked as the server does."""
    components = len(choices)
    given = np.empty((acts.size, components) if components > 1 else acts.size, np.uint8)
    wire.write_actions(actions, given, *acts.shape)
    parts = given.reshape(*acts.shape, components)
    for component, choice in enumerate(choices):
        wrong = acts & (parts[..., component] >= choice.n)
        if wrong.any():
            row = int(wrong.ravel().argmax())
            value = parts[..., component].flat[row]
            where = row, component, choice.name, choice.n - 1
            message = _BAD_ACTION.format(*where, value=value)
            details = {"action": where} if value == 255 else {}
            raise ServerError("bad_action", message, field="actions", details=details)
    return given.reshape(*acts.shape, *given.shape[1:])


def in_our_words(error: ServerError | OverflowError, options: Mapping[str, Any]) -> ServerError:
    """Return an error of the request of `make_vec` with the names of its arguments."""
    if isinstance(error, OverflowError):
        wide = [name for name, value in options.items() if isinstance(value, int) and value.bit_length() > 63]
        said = f"{wide[0]} is {options[wide[0]]}, want a number of 64 bits"
        error = ServerError("out_of_range", said, "", wide[0])
    message, field, own = error.message, error.field, _ARGUMENTS.get(error.field)
    if own and error.code == "missing_field":
        message = f"{own} is None, want an integer"
    elif own and message.startswith(f"{field} "):
        message = own + message.removeprefix(field)
    elif field == "observation" and error.code == "bad_option":
        message += ' and "box"'
    field = "connection" if own in _CONNECTION else own or field
    return type(error)(error.code, message, error.hint, field, error.details)


def with_values(error: ServerError, sent: Sequence[ArrayLike], later: int) -> ServerError:
    """Return an error about an action that was sent as 255 with the caller's number, of so many steps ago."""
    if "action" not in error.details:
        return error
    given = np.unique(np.asarray(sent[-1 - later]))
    odd = given[(given < 0) | (given > 254)].tolist()
    if not odd:
        return error
    said = odd[0] if len(odd) == 1 else f"one of {odd[:5]}"
    message = _BAD_ACTION.format(*error.details["action"], value=said)
    return ServerError(error.code, message, error.hint, error.field, error.details)


def check_options(options: Iterable[str], without: Sequence[str], *functions: Callable[..., Any]) -> None:
    """Raise TypeError for an option that none of these functions has, or that is not allowed here."""
    known = {name for function in functions for name in inspect.signature(function).parameters} - {*without}
    for name in options:
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, 1)
        advice = f"; did you mean {near[0]}?" if near else ""
        if name in without:
            advice = "; pommego.make_vec() has"
        elif name in _CONNECTION:
            advice = f"; use connection=pommego.Connection({name}=...) instead"
        # First Python's own words, from which other libraries learn which options to pass on.
        said = f"{functions[0].__name__}() got an unexpected keyword argument {name!r}"
        raise TypeError(f"{said}: there is no option {name} here{advice}")
