"""Saved games."""

from __future__ import annotations

import json
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego.errors import PommegoError

if TYPE_CHECKING:
    from pommego.vector import PommegoVectorEnv

__all__ = ["Simulation", "State"]


class State:
    """One game as it stood: board, dice, the built-in agents' memory, seed and episode.

    What is in it is the server's business: opaque bytes that any environment of
    the same id takes, also in another process or on another day. States can be
    compared, hashed, copied and pickled.

    Args:
        data: the bytes, as `bytes(state)` gives them.
    """

    __slots__ = ("_data", "_env")

    def __init__(self, data: bytes, env: PommegoVectorEnv | None = None) -> None:
        self._data = bytes(data)
        self._env = weakref.ref(env) if env is not None else lambda: None

    def json(self) -> dict[str, Any]:
        """Return the readable form; `set_state` takes it too.

        Raises:
            PommegoError: the environment that it came from is gone. Use another
                one's `state_json(state)`.
        """
        env = self._env()
        if env is None or env.closed:
            raise PommegoError("its environment is closed; use envs.state_json(state) of another")
        return env.state_json(self)

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


class Simulation(NamedTuple):
    """What `PommegoVectorEnv.simulate` returns, for n states.

    Attributes:
        states: the n states after the step.
        obs: their observations, (n * learners, ...).
        reward: float64 (n * learners,).
        terminated: bool (n * learners,).
        truncated: bool (n * learners,).
        info: as from `step`, with "seed" as the one the dice came from.
    """

    states: list[State]
    obs: dict[str, NDArray[Any]]
    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    info: dict[str, Any]


def to_wire(state: State | bytes | dict[str, Any] | str) -> bytes | str:
    """Return a state as it travels: bytes if opaque, text if JSON."""
    if isinstance(state, State):
        return bytes(state)
    if isinstance(state, bytes | bytearray | memoryview):
        return bytes(state)
    if isinstance(state, str):
        return state
    if isinstance(state, dict):
        return json.dumps(state)
    raise TypeError(f"a state is a State, bytes, or JSON as a dict or str, not {type(state).__name__}")
