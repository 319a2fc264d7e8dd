"""Memory for messages, reused as soon as no array refers to it.

A batch of observations can have tens of megabytes. Allocating that much
at every step costs more than filling it, so buffers are kept: one that was handed out
is free again when the last array on it has been deleted.
"""

import weakref

import numpy as np

ALIGNMENT = 64  # bytes: a cache line, and the widest vector register
_KEPT = 4


class BufferPool:
    """Hands out 64-byte aligned, writable buffers."""

    def __init__(self) -> None:
        # Memory, and what was handed out of it.
        self._kept: list[tuple[np.ndarray, weakref.ref[np.ndarray]]] = []

    def take(self, size: int) -> memoryview:
        """Return a buffer of at least `size` bytes that no other view shares.

        It is in use as long as views of it exist: there is nothing to give back.
        """
        free = (each for each, out in self._kept if out() is None and each.size >= size + ALIGNMENT)
        memory = next(free, None)
        if memory is None:
            memory = np.empty(size + ALIGNMENT, np.uint8)
        skip = -memory.__array_interface__["data"][0] % ALIGNMENT
        # An array on a slice of `memory` would refer to `memory` in its place: a memoryview is between them.
        out = np.frombuffer(memoryview(memory), np.uint8, memory.size - ALIGNMENT, skip)
        others = [kept for kept in self._kept if kept[0] is not memory]
        self._kept = [*others[-_KEPT + 1 :], (memory, weakref.ref(out))]
        return memoryview(out)
