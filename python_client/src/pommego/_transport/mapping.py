"""Memory shared with the server on which callers hold arrays.

While a caller holds arrays on a part of it, that part belongs to the caller, who may
also write to it, and the server writes elsewhere. When the last array has been deleted,
the server may use the part again. No call is needed for that: all arrays refer to one
root object, and when memory is needed a weak reference tells whether the root still
exists. So no code has to run when an array is deleted, in whichever thread that is.

Before a fork, parts that callers hold, or may hold views of, are replaced by ordinary memory at the same
addresses. After it, parent and child each have their own copy, as of all other memory,
and the server's memory is mapped again for the next batch.
"""

import ctypes
import mmap
import os
import sys
import weakref
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Mapping(mmap.mmap):
    """A part of the shared memory, which callers get as a whole.

    Attributes:
        address: its address in this process.
        moved: whether the memory at this address belongs to the caller alone now, and the
            server's memory is no longer mapped.
    """

    def __new__(cls, file: int, start: int, size: int, *, lends: bool) -> Self:
        mapping = super().__new__(cls, file, size, offset=start)
        mapping.address = np.frombuffer(mapping, np.uint8).__array_interface__["data"][0]
        mapping.moved = mapping._withdrawn = False
        mapping._lends, mapping._root = lends, lambda: None  # in place of a weak reference to a root
        _mappings.add(mapping)
        return mapping

    @property
    def lent(self) -> bool:
        return self._withdrawn or (not self.moved and self._root() is not None)

    def lend(self) -> NDArray[np.uint8]:
        """Return the whole part. The caller has it until the last view of the result is deleted."""
        root = np.frombuffer(self, np.uint8)
        self._root = weakref.ref(root)
        return root

    def move(self) -> None:
        """If callers may hold it, replace it by ordinary memory with the same contents at the same address.

        No other thread may write to it meanwhile.
        """
        root = self._root()  # holds it
        if self.moved or (self._lends and root is None):
            return
        size, prot = len(self), mmap.PROT_READ | mmap.PROT_WRITE
        ours = _mmap(None, size, prot, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if ours != _FAILED:
            ctypes.memmove(ours, self.address, size)
            self.moved = _mremap(ours, size, size, _MREMAP_MAYMOVE | _MREMAP_FIXED, self.address) != _FAILED
            if not self.moved:
                _munmap(ours, size)
        # Without memory for a copy, the server at least must not write here.
        self._withdrawn = self._lends and not self.moved


_mappings: weakref.WeakSet[Mapping] = weakref.WeakSet()

_MREMAP_MAYMOVE, _MREMAP_FIXED = 1, 2
_FAILED = ctypes.c_void_p(-1).value


if sys.platform == "linux":

    def _function(name: str, *arguments: Any) -> Any:
        """Return a function of the C library, called with the interpreter lock held."""
        function = getattr(ctypes.PyDLL(None), name)
        function.restype, function.argtypes = ctypes.c_void_p, arguments
        return function

    _pointer, _size, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    _mmap = _function("mmap", _pointer, _size, _int, _int, _int, ctypes.c_long)
    _mremap = _function("mremap", _pointer, _size, _size, _int, _pointer)
    _munmap = _function("munmap", _pointer, _size)
    os.register_at_fork(before=lambda: [mapping.move() for mapping in list(_mappings)])
