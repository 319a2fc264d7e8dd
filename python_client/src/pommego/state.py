"""Saved games."""

import json
from typing import Any


class State(bytes):
    """One saved game: board, random generators, the built-in agents' memory, seed and episode.

    It consists of opaque bytes, which any environment of the same id can restore, also
    in another process or on another day. `PommegoVectorEnv.state_json` makes them readable.
    """

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
