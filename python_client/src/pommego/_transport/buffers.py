"""Memory for messages, reused as soon as no array refers to it.

A batch of observations can have tens of megabytes. Allocating that much
at every step costs more than filling it, so buffers are kept: one that was handed out
is free again when the last array on it has been deleted.
"""

from __future__ import annotations

import sys

import numpy as np

ALIGNMENT = 64  # bytes: a cache line, and the widest vector register
_KEPT = 4


class BufferPool:
    """Hands out 64-byte aligned, writable buffers.

    Whether a buffer is in use follows from its reference count, which is exact only
    in CPython with its interpreter lock; elsewhere every buffer is newly allocated.
    """

    def __init__(self) -> None:
        self._memory: list[np.ndarray] = []
        self._counts = hasattr(sys, "getrefcount") and getattr(sys, "_is_gil_enabled", lambda: True)()

    def take(self, size: int) -> memoryview:
        """Return a buffer of at least `size` bytes that no other view shares.

        It is in use as long as views of it exist: there is nothing to give back.
        """
        for memory in self._memory if self._counts else ():
            # Three references are not the caller's: the list's, getrefcount's argument, and the loop's.
            if sys.getrefcount(memory) == 3 and memory.size >= size + ALIGNMENT:
                return self._aligned(memory)
        memory = np.empty(size + ALIGNMENT, np.uint8)
        if self._counts:
            self._memory = [*self._memory[-_KEPT + 1 :], memory]
        return self._aligned(memory)

    @staticmethod
    def _aligned(memory: np.ndarray) -> memoryview:
        skip = -memory.__array_interface__["data"][0] % ALIGNMENT
        return memoryview(memory)[skip : skip + memory.size - ALIGNMENT]
