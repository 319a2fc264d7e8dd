"""Batches in memory that the server and this process both map.

On one machine a batch need not travel at all: the server writes it where this
process can look at it, and only says which one is ready. `bridge/PROTOCOL.md`
describes how such memory is agreed on, under "shared memory".
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any

from pommego import wire
from pommego.errors import PommegoError, ServerError

if TYPE_CHECKING:
    from pommego.client import Client

__all__ = ["BATCHES", "SharedMemory", "make_shared"]

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
        if not 0 <= reply.batch < len(self._starts):
            raise ValueError(f"batch {reply.batch} of {len(self._starts)}")
        start = self._starts[reply.batch]
        message = self._memory[start : start + reply.size]
        if len(message) != reply.size:
            raise ValueError(f"a batch of {reply.size} bytes, which the shared memory cannot hold")
        return message


def make_shared(
    client: Client, options: dict[str, Any], shared: bool | None
) -> tuple[wire.EnvReply, SharedMemory | None]:
    """Have the environment made, in shared memory if that is wanted and can be.

    Args:
        client: the connection.
        options: of make.
        shared: None: if it can be; True: or else it is an error.
    """
    if shared is None:
        shared_may_fail, shared = True, client.address.local
    else:
        shared_may_fail = False
    if not shared:
        return client.call("make", wire.EnvReply, **options), None
    try:
        made = client.call("make", wire.EnvReply, **options, shared_memory=BATCHES)
    except ServerError as e:
        if e.field != "shared_memory" or not shared_may_fail:
            raise
        return client.call("make", wire.EnvReply, **options), None
    try:
        memory = SharedMemory(made.shared_memory)
    except (OSError, ValueError) as e:
        client.call("close", wire.Ok, env=made.env)
        if not shared_may_fail:
            raise PommegoError(
                f"memory cannot be shared with the server at {client.address}: {e}. "
                "That takes a server on the same machine and of the same user; leave shared_memory out."
            ) from e
        return client.call("make", wire.EnvReply, **options), None
    client.call("attach", wire.Ok, env=made.env)
    client.share(made.env, memory)
    return made, memory
