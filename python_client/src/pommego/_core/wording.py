"""Rewrites errors with the caller's names and numbers. Loaded when there is an error."""

import difflib
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pommego.errors import ServerError

#: The message of an error about an action, in the words of the server and of `legal`.
BAD_ACTION = "action of row {0}, component {1} ({2}), is {value}, want 0 to {3}"

#: The attributes of `pommego.Connection`.
_CONNECTION = ("ca_file", "client_cert", "shared_memory", "expand_shared", "agent_limit")

#: The arguments of `make_vec` by the request's fields, if their names differ.
_ARGUMENTS = {"games": "num_envs", "agent_seconds": "agent_limit"}


def in_our_words(error: ServerError) -> ServerError:
    """Return an error of the request of `make_vec` with the names of its arguments."""
    message, field, own = error.message, error.field, _ARGUMENTS.get(error.field)
    if own and error.code == "missing_field":
        message = f"{own} is None, want an integer"
    elif own and message.startswith(f"{field} "):
        message = own + message.removeprefix(field)
    elif field == "observation" and error.code == "bad_option":
        message += ' and "box"'
    field = "connection" if own in _CONNECTION else own or field
    return type(error)(error.code, message, error.hint, field, error.details)


def with_values(error: ServerError, actions: ArrayLike) -> ServerError:
    """Return an error about an action that was sent as 255 with the caller's number, from `actions`."""
    if "action" not in error.details:
        return error
    given = np.unique(np.asarray(actions))
    odd = given[(given < 0) | (given > 254)].tolist()
    if not odd:
        return error
    said = odd[0] if len(odd) == 1 else f"one of {odd[:5]}"
    message = BAD_ACTION.format(*error.details["action"], value=said)
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
