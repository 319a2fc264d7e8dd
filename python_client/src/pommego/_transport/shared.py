"""Batches in memory that the server and this process both map.

On one machine a batch need not be sent: the server writes it to memory that this
process has mapped too, and only announces that it is ready. `bridge/PROTOCOL.md`
describes under "shared memory" how client and server agree on it.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import sys
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._transport import wire
from pommego._transport.buffers import BufferPool
from pommego._transport.channel import MESSAGE, WORDS_END, Channel
from pommego._transport.mapping import Mapping
from pommego.errors import on_failure

#: How many steps may be in flight.
SLOTS = 2

#: How many places for batches to ask for; if batches are large, the server has fewer.
#: Callers may hold all but `SLOTS` of them.
PLACES = 8

_KEY = 16  # bytes
_SEALS = 0x1 | 0x2 | 0x4  # F_SEAL_SEAL, F_SEAL_SHRINK and F_SEAL_GROW of Linux
_number = struct.Struct(">Q").unpack_from


@dataclass(slots=True)
class SharedBatch:
    """A batch where the server wrote it.

    All batches in one place have the same form; only their numbers and the bytes after
    the tensors differ. So a batch is decoded only once for each place, and this object
    stands for every batch that is written there.
    """

    mapping: Mapping  # the place's memory
    memory: memoryview  # the same memory
    home: SharedMemory
    number: int  # the place's number
    id_at: int  # where the batch has its id
    tensors: dict[str, wire.Tensor]
    views: dict[str, Any] = field(default_factory=dict)  # the tensors as arrays
    handed: Any = None  # as in `wire.Received`
    size: int = 0

    @property
    def final(self) -> dict[str, wire.Tensor] | None:
        return wire.decode(self.memory[: self.size]).final

    def own(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the named `views` as arrays that belong to the caller.

        They stay in place, and the place is lent, if enough places are left for the
        steps that may be in flight. Otherwise they are copied.
        """
        home = self.home
        lent = len([place for place in home.places if place is not None and place.mapping.lent])
        if lent < home.most_lent and self.number < len(home.places) - 1:
            root = self.mapping.lend()
        else:
            root = np.frombuffer(home.buffers.take(self.size), np.uint8)
            root[: self.size] = self.memory[: self.size]
        owned = {}
        for name in names:
            view = self.views[name]
            start = view.__array_interface__["data"][0] - self.mapping.address
            owned[name] = np.ndarray(view.shape, view.dtype, root, start)
        return owned


class SharedMemory:
    """The batches of one environment.

    The client chooses the place for each batch: the first on which no arrays are held,
    so that few places are in use and stay in the processor's cache. Memory is unmapped
    when the last array on it has been deleted.

    An OSError means that it cannot be mapped: the server is on another machine or in another container,
    or belongs to another user. A ValueError means that the server described no such memory.
    """

    def __init__(self, made: wire.EnvReply, *, lend: bool) -> None:
        check_layout(made)
        about = made.shared_memory
        self._file = file = _open_memory(about.path, about.size)
        weakref.finalize(self, os.close, file)
        # Both sides write to the memory before the batches.
        words = mmap.mmap(file, about.batches[0])
        if words[:_KEY] != about.key:
            raise ValueError(f"{about.path} does not begin with the key of the server's memory")
        self._starts, self._size = about.batches, about.batches[1] - about.batches[0]
        # The place for one posted request and its reply; a server may have none.
        self.room = about.size - about.requests if about.requests else 0
        self._requests_at = about.requests
        self.asked = 0, -1  # the id and the turn of the last posted request
        self._lends = lend
        self.places: list[SharedBatch | None] = [None] * len(about.batches)
        self._shown: SharedBatch | None = None
        self.buffers = BufferPool()
        self.channel = Channel(memoryview(words), about.actions, made.action_shape, about.games, made.games)
        self._targets: list[int | None] = [None] * self.channel.slots
        self.most_lent = len(about.batches) - 1 - self.channel.slots

    def place(self) -> int:
        """Return the place for the batch of the next step to be posted."""
        slot = self.channel.turn % self.channel.slots
        number = self._targets[slot]
        if number is None:  # otherwise the last step in this slot was abandoned: use its place
            number = self._targets[slot] = self._free()
        return number

    @cached_property
    def _requests(self) -> memoryview:
        """The place for posted requests and their answers; few environments use it."""
        return memoryview(mmap.mmap(self._file, self.room, offset=self._requests_at))

    def post_message(self, request_id: int, message: bytes) -> None:
        """Post an encoded request. The last one must have been answered."""
        self._requests[: len(message)] = message
        self.asked = request_id, self.channel.turn
        self.channel.post(len(message), MESSAGE)

    def take_back(self) -> None:
        """Let the next batch overwrite the last one: one place may fit into the cache where two do not."""
        self._shown = None

    def _free(self) -> int:
        """Return the first place on which no arrays are held and to which the server does not write."""
        for number, place in enumerate(self.places[:-1]):
            taken = place is not None and (place is self._shown or place.mapping.lent)
            if not taken and number not in self._targets:
                return number
        raise AssertionError("no place is free for the next batch")

    def answer(self, request_id: int, size: int, slot: int | None = None) -> SharedBatch | wire.Reply:
        """Return the reply to the request posted as a message, or the batch that answers another.

        It was announced by a message unless there is a slot.
        """
        if request_id == self.asked[0]:
            if size > self.room:
                raise ValueError(f"a reply of {size} bytes, more than its place in shared memory has")
            message = self.buffers.take(size)[:size]  # the arrays on it keep it
            message[:] = self._requests[:size]
            return wire.decode(message)
        number = len(self.places) - 1  # the place for answers to requests that are not posted
        if slot is not None:
            number, self._targets[slot] = self._targets[slot], None
        place = self.places[number]
        if place is None or place.mapping.moved:
            place = self.places[number] = self._map(number, size)
        if size > self._size:
            raise ValueError(f"a batch of {size} bytes, more than its place in shared memory has")
        (found,) = _number(place.memory, place.id_at)
        if found != request_id:
            raise ValueError(f"batch {found} in the place of batch {request_id}")
        self._shown = None if self._lends else place
        place.size = size
        return place

    def _map(self, number: int, size: int) -> SharedBatch:
        mapping = Mapping(self._file, self._starts[number], self._size, lends=self._lends)
        memory = memoryview(mapping)
        batch, head = wire.decode(memory[:size]), memory[:64].tobytes()
        if not isinstance(batch, wire.Batch) or wire.LONG_ID not in head:
            raise ValueError("something other than a batch")
        id_at = head.index(wire.LONG_ID) + len(wire.LONG_ID)
        return SharedBatch(mapping, memory, weakref.proxy(self), number, id_at, batch.tensors)


def check_layout(made: wire.EnvReply) -> None:
    """Check that the parts of the memory are in their order, and that all places fit a batch."""
    about = made.shared_memory
    if about is None:
        raise ValueError("the server did not describe memory for batches")
    places = len(about.batches) - 1
    if bool(about.games) != bool(made.batch_size):
        raise ValueError(f"{about} for batches of {made.batch_size} games")
    if len(about.actions) != SLOTS or not SLOTS < places <= PLACES:
        raise ValueError(
            f"{places} places for {len(about.actions)} slots, want {SLOTS + 1} to {PLACES} for {SLOTS}"
        )
    heads, ends = [*about.actions, *about.games], [*about.batches[1:], about.requests or about.size]
    sizes = {end - start for start, end in zip(about.batches, ends, strict=True)}
    ordered = min(heads) >= WORDS_END and max(heads) < about.batches[0] and ends[-1] <= about.size
    if not ordered or len(sizes) > 1 or min(sizes) < made.batch_bytes or made.batch_bytes <= 0:
        raise ValueError(f"{about} has no room for batches of {made.batch_bytes} bytes")


def _open_memory(path: str, size: int) -> int:
    """Open the file that a server names as its shared memory. Open it for writing only if it is that.

    A program that only claims to be a server could name any file that this user can write to.
    The memory of a server has this size, and nobody can resize it.
    """
    if sys.platform != "linux":
        raise OSError(f"{sys.platform} has no such memory, even if the server's system has it")
    import fcntl  # noqa: PLC0415, Windows lacks it

    name = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        about = os.fstat(name)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size != size:
            raise ValueError(f"{path} is not a file of this user with {size} bytes")
        link = Path(f"/proc/self/fd/{name}")
        if not str(link.readlink()).startswith("/memfd:pommego"):
            raise ValueError(f"{path} is not a server's shared memory")
        file = os.open(link, os.O_RDWR | os.O_CLOEXEC)  # the same file, whatever path is by now
    finally:
        os.close(name)
    with on_failure(lambda: os.close(file)):
        if fcntl.fcntl(file, fcntl.F_GET_SEALS) & _SEALS != _SEALS:
            raise ValueError(f"{path} is memory whose size can change")
    return file
