"""Memory shared with the server that callers hold arrays on.

While a caller holds arrays on it, it is the caller's, to write to as well, and
the server writes elsewhere; when the last one is gone the server may have it again.
Nobody has to say so: the arrays hang on one root, and whether that is still there
is looked up when memory is wanted. So nothing has to run when an array goes, in
whichever thread that happens.

Before a fork, what callers hold moves into ordinary memory, at the addresses where
it is. From then on parent and child have it each for themselves, as they have
everything else, and the server's is mapped anew for the next batch.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Mapping"]


class Mapping(mmap.mmap):
    """A part of the shared memory, lent as a whole.

    Args:
        file: its descriptor.
        start: where in it the part begins.
        size: its bytes.
        writable: whether it may be lent; else it can only be looked at.

    Attributes:
        address: where it is in this process.
        moved: whether the memory here is the caller's by now, and the server's is no longer mapped.
    """

    def __new__(cls, file: int, start: int, size: int, *, writable: bool) -> Mapping:
        """Map it."""
        prot = mmap.PROT_READ | mmap.PROT_WRITE if writable else mmap.PROT_READ
        mapping = super().__new__(cls, file, size, prot=prot, offset=start)
        mapping.address = np.frombuffer(mapping, np.uint8).__array_interface__["data"][0]
        mapping.moved = mapping._withdrawn = False
        mapping._root = _gone
        _mappings.add(mapping)
        return mapping

    @property
    def lent(self) -> bool:
        """Whether a caller holds arrays where the server would write."""
        return self._withdrawn or (not self.moved and self._root() is not None)

    def lend(self) -> NDArray[np.uint8]:
        """Return all of it, the caller's until the last view of what this returns is gone."""
        root = np.frombuffer(self, np.uint8)
        self._root = weakref.ref(root)
        return root

    def move(self) -> None:
        """Leave what is lent to those who hold it, in ordinary memory at the same address.

        No other thread may be writing to it meanwhile.
        """
        root = self._root()  # holds it
        if root is None or self.moved:
            return
        size, prot = len(self), mmap.PROT_READ | mmap.PROT_WRITE
        ours = _mmap(None, size, prot, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if ours != _FAILED:
            ctypes.memmove(ours, self.address, size)
            self.moved = _mremap(ours, size, size, _MREMAP_MAYMOVE | _MREMAP_FIXED, self.address) != _FAILED
            if not self.moved:
                _munmap(ours, size)
        self._withdrawn = not self.moved  # there is no memory for it: then at least the server stays away


def _gone() -> None:
    """What a weak reference to a root is when there is none."""


_mappings: weakref.WeakSet[Mapping] = weakref.WeakSet()

_MREMAP_MAYMOVE, _MREMAP_FIXED = 1, 2
_FAILED = ctypes.c_void_p(-1).value


def _before_fork() -> None:
    for mapping in list(_mappings):
        mapping.move()


if sys.platform == "linux":

    def _function(name: str, *arguments: Any) -> Any:
        """One of the C library's, called with the interpreter lock held."""
        function = getattr(ctypes.PyDLL(None), name)
        function.restype, function.argtypes = ctypes.c_void_p, arguments
        return function

    _pointer, _size, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    _mmap = _function("mmap", _pointer, _size, _int, _int, _int, ctypes.c_long)
    _mremap = _function("mremap", _pointer, _size, _size, _int, _pointer)
    _munmap = _function("munmap", _pointer, _size)
    os.register_at_fork(before=_before_fork)
