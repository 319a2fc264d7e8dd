"""Batches in memory that the server and this process both map.

On one machine a batch need not travel at all: the server writes it where this
process can look at it, and only says which one is ready. `bridge/PROTOCOL.md`
describes how such memory is agreed on, under "shared memory".
"""

from __future__ import annotations

import mmap
import os

from pommego import wire

__all__ = ["BATCHES", "SharedMemory"]

#: How many batches are shared: one to look at, one that is ready, one being written.
BATCHES = 3

_KEY = 16  # bytes


class SharedMemory:
    """The batches of one environment, to look at.

    The memory is unmapped when the last array on it is gone.

    Args:
        about: what the server's reply to make says of it.

    Raises:
        OSError: it cannot be mapped here; the server is on another machine or
            in another container, or belongs to another user.
        ValueError: what is there is not what the server meant.
    """

    def __init__(self, about: wire.SharedMemoryReply) -> None:
        file = os.open(about.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if os.fstat(file).st_size != about.size:
                raise ValueError(f"{about.path} has another size than {about.size} bytes")
            self._memory = memoryview(mmap.mmap(file, about.size, prot=mmap.PROT_READ))
        finally:
            os.close(file)
        if bytes(self._memory[:_KEY]) != about.key:
            raise ValueError(f"{about.path} does not begin with the key of the server's memory")
        self._starts = about.batches

    @property
    def in_flight(self) -> int:
        """How many requests may be in flight without a batch being written over too early."""
        return len(self._starts) - 1

    def message(self, reply: wire.Shared) -> memoryview:
        """Return the message that a reply stands for, read-only.

        Raises:
            ValueError: there is no such message.
        """
        try:
            start = self._starts[reply.batch]
        except IndexError:
            raise ValueError(f"batch {reply.batch} of {len(self._starts)}") from None
        message = self._memory[start : start + reply.size]
        if len(message) != reply.size:
            raise ValueError(f"a batch of {reply.size} bytes, which the shared memory cannot hold")
        return message
