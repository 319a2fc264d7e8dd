"""Batches in memory that the server and this process both map.

On one machine a batch need not be sent: the server writes it to memory that this
process has mapped too, and only announces that it is ready. `bridge/PROTOCOL.md`
describes under "shared memory" how client and server agree on it.
"""

from __future__ import annotations

import mmap
import os
import struct
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._transport import wire
from pommego._transport.buffers import BufferPool
from pommego._transport.channel import Channel
from pommego._transport.mapping import Mapping

__all__ = ["PLACES", "SLOTS", "SharedBatch", "SharedMemory"]

#: How many steps may be in flight.
SLOTS = 2

#: How many places for batches to ask for; if batches are large, the server has fewer.
#: Callers may hold all but `SLOTS` of them.
PLACES = 8

_KEY = 16  # bytes
_ID = b"\xa2id\xcf"  # the bytes before a batch's number, which always has eight bytes
_number = struct.Struct(">Q").unpack_from


@dataclass(slots=True)
class SharedBatch:
    """A batch where the server wrote it.

    All batches in one place have the same form; only their numbers and the bytes after
    the tensors differ. So a batch is decoded only once for each place, and this object
    stands for every batch that is written there.

    Attributes:
        mapping: the memory of the place.
        memory: the same as a sliceable buffer.
        home: the whole shared memory.
        number: the number of the place.
        id_at: the offset of a batch's number.
        tensors: as decoded.
        views: the reader's arrays of the tensors.
        handed: the reader's dicts of those arrays, which it copies for each batch.
        id: the request that the batch answers.
        size: the length of the batch in bytes.
    """

    mapping: Mapping
    memory: memoryview
    home: SharedMemory
    number: int
    id_at: int
    tensors: dict[str, wire.Tensor]
    views: dict[str, Any] = field(default_factory=dict)
    handed: Any = None
    id: int = 0
    size: int = 0

    def whole(self) -> wire.Batch:
        """Decode the whole batch, with the final observations."""
        return wire.decode(self.memory[: self.size])

    def own(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the named `views` as arrays that belong to the caller."""
        return self.home.own(self, names)


class SharedMemory:
    """The batches of one environment.

    The client chooses the place for each batch: the first on which no arrays are held,
    so that few places are in use and stay in the processor's cache. Memory is unmapped
    when the last array on it has been deleted.

    Args:
        about: its description in the server's reply to "make".
        actions: the shape of a step's actions.
        games: the number of games.
        lend: whether batches may belong to the caller (`SharedBatch.own`); otherwise
            they are valid until the next is received.

    Raises:
        OSError: it cannot be mapped here; the server is on another machine or
            in another container, or belongs to another user.
        ValueError: the memory is not the one that the server described.
    """

    def __init__(
        self, about: wire.SharedMemoryReply, actions: tuple[int, ...], games: int, *, lend: bool
    ) -> None:
        self._file = file = os.open(about.path, os.O_RDWR | os.O_CLOEXEC)
        weakref.finalize(self, os.close, file)
        if os.fstat(file).st_size != about.size:
            raise ValueError(f"{about.path} does not have {about.size} bytes")
        # Both sides write to the memory before the batches.
        words = mmap.mmap(file, min(about.batches), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        if words[:_KEY] != about.key:
            raise ValueError(f"{about.path} does not begin with the key of the server's memory")
        self._starts = about.batches
        self._size = min(b - a for a, b in zip(about.batches, [*about.batches[1:], about.size], strict=True))
        if self._size <= 0 or any(start % mmap.ALLOCATIONGRANULARITY for start in self._starts):
            raise ValueError(f"places for batches that cannot be mapped, at {self._starts} of {about.size}")
        self._lends = lend
        self._places: list[SharedBatch | None] = [None] * len(about.batches)
        self._shown: SharedBatch | None = None
        self._forms: dict[str, tuple[tuple[int, ...], np.dtype, int]] = {}  # of what `own` returns
        self._buffers = BufferPool()
        self.channel = Channel(memoryview(words), about.actions, actions, about.games, games)
        self._targets: list[int | None] = [None] * self.channel.slots
        self._most_lent = len(about.batches) - 1 - self.channel.slots
        if self._most_lent < 1:
            raise ValueError(f"{len(about.batches)} places for the batches of {self.channel.slots} slots")

    @property
    def in_flight(self) -> int:
        """How many steps may be in flight."""
        return self.channel.slots

    def post(self, request_id: int) -> None:
        """Post the step whose actions were written last, with a place for its batch."""
        slot = self.channel.turn % self.channel.slots
        number = self._targets[slot]
        if number is None:  # otherwise the last step in this slot was abandoned, its place unused
            number = self._targets[slot] = self._free()
        self.channel.post(request_id, number)

    def _free(self) -> int:
        """Return the first place on which no arrays are held and to which the server does not write."""
        for number, place in enumerate(self._places[:-1]):
            taken = place is not None and (place is self._shown or place.mapping.lent)
            if not taken and number not in self._targets:
                return number
        raise AssertionError("no place is free for the next batch")

    def batch(self, request_id: int, size: int, slot: int | None = None) -> SharedBatch:
        """Return the batch that answers a request, and is `size` bytes long.

        Args:
            request_id: the request.
            size: its size, as announced.
            slot: the slot in which it was posted; None: the request was sent as a message.

        Raises:
            ValueError: there is no such batch.
        """
        number = len(self._places) - 1  # where requests that are not posted are answered
        if slot is not None:
            number, self._targets[slot] = self._targets[slot], None
        place = self._places[number]
        if place is None or place.mapping.moved:
            place = self._places[number] = self._map(number, size)
        if size > self._size:
            raise ValueError(f"a batch of {size} bytes, more than its place in shared memory has")
        (found,) = _number(place.memory, place.id_at)
        if found != request_id:
            raise ValueError(f"batch {found} in the place of batch {request_id}")
        self._shown = None if self._lends else place
        place.id, place.size = request_id, size
        return place

    def _map(self, number: int, size: int) -> SharedBatch:
        """Map a place, and decode the first batch in it."""
        mapping = Mapping(self._file, self._starts[number], self._size, lends=self._lends)
        memory = memoryview(mapping)
        batch, head = wire.decode(memory[:size]), memory[:64].tobytes()
        if not isinstance(batch, wire.Batch) or _ID not in head:
            raise ValueError("something other than a batch")
        return SharedBatch(
            mapping, memory, weakref.proxy(self), number, head.index(_ID) + len(_ID), batch.tensors
        )

    def own(self, batch: SharedBatch, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return some of a batch's arrays as arrays that belong to the caller.

        They stay in place, and the place is lent, if enough places are left for the
        steps that may be in flight. Otherwise they are copied.
        """
        mapping, size = batch.mapping, batch.size
        lent = len([place for place in self._places if place is not None and place.mapping.lent])
        if lent < self._most_lent and batch.number < len(self._places) - 1:
            root = mapping.lend()
        else:
            root = np.frombuffer(self._buffers.take(size), np.uint8)
            root[:size] = batch.memory[:size]
        owned = {}
        for name in names:
            form = self._forms.get(name)
            if form is None:
                view = batch.views[name]
                start = view.__array_interface__["data"][0] - mapping.address
                form = self._forms[name] = view.shape, view.dtype, start
            shape, dtype, start = form
            owned[name] = np.ndarray(shape, dtype, root, start)
        return owned
