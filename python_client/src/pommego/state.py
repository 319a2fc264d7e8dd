"""Saved games."""

import contextlib
import json
import weakref
from typing import Any, Self

from pommego.errors import ClosedError, PommegoError


class State(bytes):
    """One saved game: board, random generators, the built-in agents' memory, seed and episode.

    It is opaque bytes. An environment with the same id, rules and learning seats can restore it after
    its first reset, also in another process or on another day. States can be pickled.
    """

    def __new__(cls, data: bytes, envs: Any = None) -> Self:
        """Make a state of bytes, which this environment saved."""
        state = super().__new__(cls, data)
        state._envs = weakref.ref(envs) if envs is not None else lambda: None
        return state

    def json(self) -> dict[str, Any]:
        """Return the readable form, which `set_state` takes too.

        Raises:
            PommegoError: no environment saved it (`pommego.data.states` did), or that environment is closed.
                Use the method `state_json(state)` of another one.
        """
        envs = self._envs()
        with contextlib.suppress(ClosedError):
            if envs is not None:
                return envs.state_json(self)
        raise PommegoError("this state has no open environment: use state_json(state) of one of its id")

    def __reduce__(self) -> tuple[type[Self], tuple[bytes]]:
        return State, (bytes(self),)

    def __repr__(self) -> str:
        return f"State({len(self)} bytes)"


def to_wire(state: State | bytes | dict[str, Any] | str) -> bytes | str:
    """Return a state in the form of messages: bytes if opaque, text if JSON."""
    if isinstance(state, bytes | bytearray | memoryview):
        return bytes(state)
    if isinstance(state, str):
        return state
    if isinstance(state, dict):
        return json.dumps(state)
    raise TypeError(f"a state is a State, bytes, or JSON as a dict or str, not {type(state).__name__}")
