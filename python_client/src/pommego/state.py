"""Saved games."""

from __future__ import annotations

import contextlib
import json
import weakref
from typing import Any

from pommego.errors import ClosedError, PommegoError

__all__ = ["State", "to_wire"]


class State:
    """One saved game: board, random generators, the built-in agents' memory, seed and episode.

    It consists of opaque bytes, which any environment of the same id can restore, also
    in another process or on another day. States can be compared, hashed, copied and
    pickled.

    Args:
        data: the bytes, as `bytes(state)` gives them.
    """

    __slots__ = ("_data", "_envs")

    def __init__(self, data: bytes, envs: Any = None) -> None:
        self._data = bytes(data)
        self._envs = weakref.ref(envs) if envs is not None else lambda: None

    def json(self) -> dict[str, Any]:
        """Return the readable form; `set_state` takes it too.

        Raises:
            PommegoError: the environment that it came from is closed. Use the method
                `state_json(state)` of another.
        """
        envs = self._envs()
        with contextlib.suppress(ClosedError):
            if envs is not None:
                return envs.state_json(self)
        raise PommegoError("its environment is closed; use envs.state_json(state) of another")

    def __bytes__(self) -> bytes:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, State) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    def __reduce__(self) -> tuple[type[State], tuple[bytes]]:
        return State, (self._data,)

    def __repr__(self) -> str:
        return f"State({len(self._data)} bytes)"


def to_wire(state: State | bytes | dict[str, Any] | str) -> bytes | str:
    """Return a state as it is sent: bytes if opaque, text if JSON."""
    if isinstance(state, State):
        return bytes(state)
    if isinstance(state, bytes | bytearray | memoryview):
        return bytes(state)
    if isinstance(state, str):
        return state
    if isinstance(state, dict):
        return json.dumps(state)
    raise TypeError(f"a state is a State, bytes, or JSON as a dict or str, not {type(state).__name__}")
