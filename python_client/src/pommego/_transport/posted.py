"""Requests posted in shared memory as messages, and their replies: those to simulate."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from pommego._transport import wire
from pommego._transport.buffers import BufferPool
from pommego._transport.channel import Channel

__all__ = ["PostedRequests", "SharedSimulation"]

_SEED = b"\xa4seed\xcf"  # the bytes before a simulation's seed, which always has eight bytes
_FORMS = 16  # of simulations, that are remembered
_number = struct.Struct(">Q").unpack_from


class _Tail(msgspec.Struct):
    """What follows the tensors in the reply to simulate."""

    states: list[bytes]


_tail_decoder = msgspec.msgpack.Decoder(_Tail)


@dataclass(slots=True)
class SharedSimulation:
    """The reply to a simulation, where the server wrote it. The next one goes to the same place.

    Like `SharedBatch` it is decoded once for every number of states and stands for all replies of
    that form. Only what comes after the tensors is decoded each time.
    """

    stands_for: ClassVar = wire.Simulated

    tensors: dict[str, wire.Tensor]
    id_at: int  # where the reply has its id
    end: int  # where the tensors end
    id: int = 0
    states: list[bytes] = field(default_factory=list)
    views: dict[str, Any] = field(default_factory=dict)
    handed: Any = None  # unused, as all arrays are copied

    def own(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the named `views` as arrays that belong to the caller."""
        return {name: self.views[name].copy() for name in names}


class PostedRequests:
    """The place of requests that are posted as messages, and of the replies to them.

    Attributes:
        turn: the turn of the last request; None: there was none.
    """

    def __init__(self, file: int, start: int, room: int, channel: Channel) -> None:
        self._memory = memoryview(mmap.mmap(file, room, offset=start))
        self._room, self._channel = room, channel
        self._id, self.turn = 0, None
        self._simulations: dict[bytes, SharedSimulation] = {}  # by their `_form`
        self._marks = 0, 0, 0  # see `_form`
        self._buffers = BufferPool()

    def post(self, request_id: int, message: bytes) -> None:
        """Post a request. The last one must have been answered."""
        self._memory[: len(message)] = message
        self._id, self.turn = request_id, self._channel.turn
        self._channel.post_message(request_id, len(message))

    def reply(self, request_id: int, size: int) -> wire.Reply | SharedSimulation | None:
        """Return the reply to a request, if it was the last one.

        Raises:
            ValueError: it is not a reply.
        """
        if self._id != request_id:
            return None
        if size > self._room:
            raise ValueError(f"a reply of {size} bytes, more than its place in shared memory has")
        known = self._simulations.get(self._form(self._memory))
        if known is not None and _number(self._memory, known.id_at) == (request_id,):
            known.id, known.states = request_id, _states(self._memory[known.end : size])
            return known
        message = self._buffers.take(size)[:size]  # which the arrays on it keep
        message[:] = self._memory[:size]
        reply = wire.decode(message)
        if isinstance(reply, wire.Simulated) and reply.tensors:
            self._learn(self._memory[:size])
        return reply

    def _form(self, message: memoryview) -> bytes:
        """Return what is the same in all simulations of as many states, up to the first tensor's data."""
        before, after, end = self._marks
        return message[:before].tobytes() + message[after:end].tobytes()

    def _learn(self, message: memoryview) -> None:
        """Note where everything is in a simulation that lies in the shared memory."""
        tensors = wire.decode(message).tensors
        root, parts = _address(message), [tensor.data for tensor in tensors.values() if len(tensor.data)]
        end, head = _address(parts[-1]) + len(parts[-1]) - root, message[:64].tobytes()
        id_at, seed_at = head.find(wire.LONG_ID) + len(wire.LONG_ID), head.find(_SEED) + len(_SEED)
        if wire.LONG_ID not in head or _SEED not in head or end > len(message):
            return
        self._marks = id_at, seed_at + 8, _address(parts[0]) - root
        if len(self._simulations) >= _FORMS:
            self._simulations.clear()
        self._simulations[self._form(message)] = SharedSimulation(tensors, id_at, end)


def _states(tail: memoryview) -> list[bytes]:
    """Decode the two entries after the tensors in the reply to simulate.

    Raises:
        ValueError: there is something else.
    """
    try:
        return _tail_decoder.decode(b"\x82" + tail).states  # a map of two
    except (msgspec.DecodeError, RecursionError) as e:
        raise ValueError(str(e)) from e


def _address(memory: memoryview) -> int:
    return np.frombuffer(memory, np.uint8).__array_interface__["data"][0]
