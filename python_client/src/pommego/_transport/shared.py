"""Batches in memory that the server and this process both map.

On one machine a batch need not be sent: the server writes it to memory that this
process has mapped too, and only announces that it is ready. `bridge/PROTOCOL.md`
describes under "shared memory" how client and server agree on it.
"""

from __future__ import annotations

import math
import mmap
import os
import stat
import struct
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pommego._transport import wire
from pommego._transport.buffers import BufferPool
from pommego._transport.channel import Channel, Layout
from pommego._transport.mapping import Mapping

if TYPE_CHECKING:
    from pommego._transport.posted import PostedRequests, SharedSimulation

__all__ = ["PLACES", "SLOTS", "SharedBatch", "SharedMemory"]

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

    stands_for: ClassVar = wire.Batch

    mapping: Mapping  # of the place
    memory: memoryview  # the same
    home: SharedMemory
    number: int  # of the place
    id_at: int  # where the batch has its id
    tensors: dict[str, wire.Tensor]
    views: dict[str, Any] = field(default_factory=dict)  # the tensors as arrays
    handed: Any = None  # dictionaries of those arrays, which the reader copies for each batch
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

    Raises:
        OSError: it cannot be mapped here; the server is on another machine or
            in another container, or belongs to another user.
        ValueError: the server described other memory than this client expects, or
            named a file that is no such memory.
    """

    def __init__(self, made: wire.EnvReply, actions: tuple[int, ...], *, lend: bool) -> None:
        about, layout = made.shared_memory, _layout(made, actions)
        self._file = file = _open_memory(about.path, layout.size)
        weakref.finalize(self, os.close, file)
        # Both sides write to the memory before the batches.
        words = mmap.mmap(file, layout.batches[0], prot=mmap.PROT_READ | mmap.PROT_WRITE)
        if words[:_KEY] != about.key:
            raise ValueError(f"{about.path} does not begin with the key of the server's memory")
        self._starts, self._requests_at = layout.batches, layout.requests
        self._size = layout.requests - layout.batches[-1]
        self._room = layout.size - layout.requests
        self._lends = lend
        self._places: list[SharedBatch | None] = [None] * len(layout.batches)
        self._shown: SharedBatch | None = None
        self._forms: dict[str, tuple[tuple[int, ...], np.dtype, int]] = {}  # of what `own` returns
        self._buffers = BufferPool()
        self.channel = Channel(memoryview(words), layout.actions, actions, layout.games, made.games)
        self._targets: list[int | None] = [None] * self.channel.slots
        self._most_lent = len(layout.batches) - 1 - self.channel.slots

    def post(self, request_id: int) -> None:
        """Post the step whose actions were written last, with a place for its batch."""
        slot = self.channel.turn % self.channel.slots
        number = self._targets[slot]
        if number is None:  # otherwise the last step in this slot was abandoned, its place unused
            number = self._targets[slot] = self._free()
        self.channel.post(request_id, number)

    @cached_property
    def requests(self) -> PostedRequests:
        """The requests that are posted as messages."""
        from pommego._transport.posted import PostedRequests  # noqa: PLC0415, few environments post them

        return PostedRequests(self._file, self._requests_at, self._room, self.channel)

    def fits(self, message: bytes) -> bool:
        """Whether a request can be posted as a message, as far as its size is concerned."""
        return len(message) <= self._room

    def reply(self, request_id: int, size: int) -> wire.Reply | SharedSimulation | None:
        """Return the reply to the request posted as a message, if it was this one.

        Raises:
            ValueError: it is not a reply.
        """
        return self.requests.reply(request_id, size) if "requests" in self.__dict__ else None

    def _free(self) -> int:
        """Return the first place on which no arrays are held and to which the server does not write."""
        for number, place in enumerate(self._places[:-1]):
            taken = place is not None and (place is self._shown or place.mapping.lent)
            if not taken and number not in self._targets:
                return number
        raise AssertionError("no place is free for the next batch")

    def batch(self, request_id: int, size: int, slot: int | None = None) -> SharedBatch:
        """Return the batch that answers a request, announced by a message unless there is a slot.

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
        if not isinstance(batch, wire.Batch) or wire.LONG_ID not in head:
            raise ValueError("something other than a batch")
        id_at = head.index(wire.LONG_ID) + len(wire.LONG_ID)
        return SharedBatch(mapping, memory, weakref.proxy(self), number, id_at, batch.tensors)

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


def _layout(made: wire.EnvReply, actions: tuple[int, ...]) -> Layout:
    """Return where everything is in the memory, by the sizes that were agreed on."""
    about = made.shared_memory
    if about is None or made.batch_bytes <= 0:
        raise ValueError("the server did not describe memory for batches")
    places = len(about.batches) - 1
    if not SLOTS < places <= PLACES:
        raise ValueError(f"{places} places for the batches of {SLOTS} slots, want {SLOTS + 1} to {PLACES}")
    games = made.games if made.batch_size else 0
    layout = Layout.of(
        SLOTS, places, math.prod(actions), made.batch_bytes, games, posts_requests=about.requests > 0
    )
    described = about.actions, about.games, about.batches, about.requests or about.size, about.size
    if (layout.actions, layout.games, layout.batches, layout.requests, layout.size) != described:
        raise ValueError(f"{about} is not how the memory is laid out, which is {layout}")
    return layout


def _open_memory(path: str, size: int) -> int:
    """Open what a server says is its shared memory, for writing only if it is nothing else.

    A program that only claims to be a server could name any file that this user can write to.
    What a server makes is memory of this size that nobody can resize.

    Raises:
        OSError: there is nothing of that name, or it is not for this user.
        ValueError: it is something else.
    """
    import fcntl  # noqa: PLC0415, other systems lack it

    name = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        about = os.fstat(name)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size != size:
            raise ValueError(f"{path} is no file of this user's with {size} bytes")
        link = Path(f"/proc/self/fd/{name}")
        if not str(link.readlink()).startswith("/memfd:pommego"):
            raise ValueError(f"{path} is no memory of a server's")
        file = os.open(link, os.O_RDWR | os.O_CLOEXEC)  # the same file, whatever path is by now
    finally:
        os.close(name)
    try:
        if fcntl.fcntl(file, fcntl.F_GET_SEALS) & _SEALS != _SEALS:
            raise ValueError(f"{path} is memory whose size can change")
    except BaseException:
        os.close(file)
        raise
    return file
