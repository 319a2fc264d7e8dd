"""Errors in the words of the caller: loaded when there is one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pommego._core.checks import NO_BYTE
from pommego.errors import ServerError

__all__ = ["in_our_words", "no_option", "with_values"]

#: What to use instead of options that `make_vec` no longer has.
_INSTEAD = {
    "fog": 'observation="unfogged" with pommego.torch.planes or pommego.jax.planes (unfogged=True)',
    "compression": 'observation="raw" or "unfogged", which is smaller',
    "resume": "replace=True",
    "pause": 'render_mode="human"',
    "transport": 'address=pommego.Server(transport="tcp").address',
    "noop": "python -m pommego.bench",
    "opponent_weights": "opponents=pommego.LineUps([...], weights=[...])",
    "start_weights": "start_states=pommego.Starts([...], weights=[...])",
    "ordinary_starts": "start_states=pommego.Starts([...], ordinary=...)",
    **{
        name: f"connection=pommego.Connection({name}=...)"
        for name in ("ca_file", "client_cert", "shared_memory", "expand_shared", "agent_limit")
    },
}


def in_our_words(error: ServerError) -> ServerError:
    """Return an error about what `make_vec` asked for with the names of its arguments."""
    message, field = error.message, error.field
    if field == "games":
        message, field = message.replace("games is", "num_envs is"), "num_envs"
    elif field == "observation":
        message = message.replace("there are [", 'there are ["box" ')
    return type(error)(error.code, message, error.hint, field, error.details)


def with_values(error: ServerError, actions: ArrayLike) -> ServerError:
    """Return an error about these actions with the number that was given, where it says `NO_BYTE`."""
    if error.code != "bad_action" or NO_BYTE not in error.message:
        return error
    given = np.unique(np.asarray(actions))
    odd = given[(given < 0) | (given > 254)].tolist()
    if not odd:
        return error
    said = str(odd[0]) if len(odd) == 1 else f"one of {odd[:5]}"
    message = error.message.replace(NO_BYTE, said)
    return ServerError(error.code, message, error.hint, error.field, error.details)


def no_option(name: str) -> TypeError:
    """Return the error for an option that there is not."""
    instead = f"; use {_INSTEAD[name]} instead" if name in _INSTEAD else ""
    return TypeError(f"make_vec() has no option {name}{instead}")
