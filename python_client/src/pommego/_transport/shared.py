"""Batches in memory that the server and this process both map.

On one machine a batch need not travel at all: the server writes it where this
process can look at it, and only says which one is ready. `bridge/PROTOCOL.md`
describes how such memory is agreed on, under "shared memory".
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass, field
from typing import Any

from pommego._transport import wire
from pommego._transport.channel import Channel

__all__ = ["SLOTS", "SharedBatch", "SharedMemory"]

#: How many slots there are: one to look at, one that is ready, one being written.
SLOTS = 3

_KEY = 16  # bytes
_ID = b"\xa2id\xcf"  # what comes before a batch's number, which always takes eight bytes


@dataclass
class SharedBatch:
    """A batch where the server wrote it.

    A place always holds batches of the same form; only their numbers and what
    follows the tensors differ. So one is decoded once for each place.

    Attributes:
        id: the request it answers.
        message: all of it.
        tensors: as decoded; the same object for every batch in this place.
        views: what the reader has made of the tensors; kept with the place.
    """

    id: int
    message: memoryview
    tensors: dict[str, wire.Tensor]
    views: dict[str, Any]

    def whole(self) -> wire.Batch:
        """Decode all of it, with the last observations."""
        return wire.decode(self.message)


@dataclass
class _Place:
    """What is known of the batches in one place."""

    tensors: dict[str, wire.Tensor]
    id_at: int
    views: dict[str, Any] = field(default_factory=dict)


class SharedMemory:
    """The batches of one environment, to look at.

    The memory is unmapped when the last array on it is gone.

    Args:
        about: what the server's reply to make says of it.
        actions: the shape of a step's actions.

    Raises:
        OSError: it cannot be mapped here; the server is on another machine or
            in another container, or belongs to another user.
        ValueError: what is there is not what the server meant.
    """

    def __init__(self, about: wire.SharedMemoryReply, actions: tuple[int, ...]) -> None:
        file = os.open(about.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            if os.fstat(file).st_size != about.size:
                raise ValueError(f"{about.path} has another size than {about.size} bytes")
            self._memory = memoryview(mmap.mmap(file, about.size, prot=mmap.PROT_READ))
            # What lies before the batches is for both sides to write.
            words = mmap.mmap(file, min(about.batches), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        finally:
            os.close(file)
        if bytes(self._memory[:_KEY]) != about.key:
            raise ValueError(f"{about.path} does not begin with the key of the server's memory")
        self._starts = about.batches
        self._places: list[_Place | None] = [None] * len(about.batches)
        self.channel = Channel(memoryview(words), about.actions, actions)

    @property
    def in_flight(self) -> int:
        """How many steps may be in flight without a batch being written over while it is looked at."""
        return self.channel.slots - 1

    def batch(self, request_id: int, size: int, place: int = -1) -> SharedBatch:
        """Return the batch that answers a request, and is `size` bytes long.

        Args:
            request_id: the request.
            size: as the server says.
            place: the slot; by default the place behind all slots, for what was not posted.

        Raises:
            ValueError: there is no such batch.
        """
        start = self._starts[place]
        message = self._memory[start : start + size]
        if len(message) != size:
            raise ValueError(f"a batch of {size} bytes, which the shared memory cannot hold")
        known = self._places[place]
        if known is None:
            known = self._places[place] = _decode(message)
        found = int.from_bytes(message[known.id_at : known.id_at + 8], "big")
        if found != request_id:
            raise ValueError(f"batch {found} lies where {request_id} should")
        return SharedBatch(request_id, message, known.tensors, known.views)


def _decode(message: memoryview) -> _Place:
    """Decode the first batch that lies in a place."""
    batch = wire.decode(message)
    head = bytes(message[:64])
    if not isinstance(batch, wire.Batch) or _ID not in head:
        raise ValueError("something else than a batch")
    return _Place(batch.tensors, head.index(_ID) + len(_ID))
