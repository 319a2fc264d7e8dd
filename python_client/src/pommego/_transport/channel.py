"""Steps sent to the server and answered through shared memory, without a message.

The client writes a step's actions into a slot and then increments a count; the server
writes the batch and increments a count of its own. Each count is a futex word on which
the other side can sleep. A waiting side spins for a moment before it sleeps, and sets a
flag when it does, so that the other side knows when it has to wake it.
`bridge/PROTOCOL.md` has the rules, under "shared memory", and the reasons why no
wake-up is lost.

Python has no memory barriers. On x86-64 none is needed here: stores become visible in
their order. Only a load can overtake a store, and the server prevents that with a
barrier in all processes that have registered for it (membarrier). On other processors
every hand-over goes through the kernel, whose futexes are barriers.
"""

import ctypes
import os
import platform
import sys
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

_CLIENT, _SERVER = 128, 512  # offset of each side's words in bytes: its count, ...
_POSTED, _ANSWERED = _CLIENT // 4, _SERVER // 4
_WE_WAIT, _IT_WAITS = _POSTED + 1, _ANSWERED + 1  # ... whether it sleeps, ...
_IDS, _LENGTHS = _CLIENT // 8 + 1, _SERVER // 8 + 1  # ... eight bytes for each slot, ...
_PLACES = _CLIENT // 4 + 2 + 2 * 16  # ... and the client's four bytes for each of up to 16
_MASK, _HALF = (1 << 32) - 1, 1 << 31  # counts have 32 bits
MESSAGE = _MASK - 1  # as the place of a batch: the request is a message

_SPIN = 100e-6  # seconds to spin before sleeping
_CROWDED = 200e-6  # seconds: if a yield takes longer, other threads want the processor
_REST = 1  # waits without spinning after spinning did not help; doubled each time, ...
_LONGEST_REST = 1024  # ... up to this many
_NAP = 0.1  # seconds to sleep before checking whether the server is alive

_SYSCALLS = {"x86_64": (202, 324), "aarch64": (98, 283)}  # of Linux: futex and membarrier
_ORDERED = ("x86_64",)  # processors on which stores become visible in program order
_FUTEX_WAIT, _FUTEX_WAKE = 0, 1
_REGISTER_GLOBAL_EXPEDITED = 4

WORDS_END = 4096  # where the actions begin


class Channel:
    """The slots of one environment.

    Attributes:
        slots: the number of slots.
        turn: steps posted so far; the next one goes into slot `turn % slots`.
        actions: the array of each slot for a step's actions; it is free once the step before is `answered`.
    """

    def __init__(
        self,
        memory: memoryview,
        actions: Sequence[int],
        shape: Sequence[int],
        games: Sequence[int] = (),
        most: int = 0,
    ) -> None:
        self.slots, self.turn = len(actions), 0
        if not 0 < self.slots <= 16 or 8 * (_LENGTHS + self.slots) > len(memory):
            raise ValueError(f"{self.slots} slots in {len(memory)} bytes")
        self._words, self._longs = memory.cast("I"), memory.cast("Q")
        flat = np.frombuffer(memory, np.uint8)
        size = int(np.prod(shape))
        self.actions = [flat[at : at + size].reshape(shape) for at in actions]
        size = 4 * (1 + most)
        self._games = [flat[at : at + size].view(np.int32).reshape(1 + most) for at in games]
        self._prepare_calls(flat.__array_interface__["data"][0])
        self._rest = 0  # waits left before spinning is tried again, ...
        self._next_rest = _REST  # ... and the number if it does not help then

    def _prepare_calls(self, memory: int) -> None:
        machine, long = platform.machine(), ctypes.c_long
        try:
            futex, membarrier = (long(number) for number in _SYSCALLS[machine])
            waiting, quick = ctypes.CDLL(None).syscall, ctypes.PyDLL(None).syscall  # without and with the GIL
        except (KeyError, OSError, AttributeError, TypeError) as e:
            raise OSError(f"futexes cannot be called on {sys.platform} {machine}") from e
        self._seen = ctypes.c_ulong()
        nap = (ctypes.c_int64 * 2)(int(_NAP), int(_NAP % 1 * 1e9))  # a struct timespec
        count, waits = ctypes.c_void_p(memory + _CLIENT), ctypes.c_void_p(memory + 4 * _WE_WAIT)
        answers = ctypes.c_void_p(memory + _SERVER)
        self._wait = partial(waiting, futex, answers, long(_FUTEX_WAIT), self._seen, nap)
        self._wake = partial(quick, futex, count, long(_FUTEX_WAKE), long(1))
        self._fence = partial(quick, futex, waits, long(_FUTEX_WAKE), long(1))  # it wakes nobody
        if sys.maxsize < 1 << 32 or self._fence() != 0:
            raise OSError("futexes cannot be called in this process")
        registered = quick(membarrier, long(_REGISTER_GLOBAL_EXPEDITED), long(0), long(0)) == 0
        self._ordered = registered and machine in _ORDERED

    def begin(self, games: np.ndarray) -> None:
        """Hand over a step of these games, whose actions were written last; it has no batch."""
        numbers = self._games[self.turn % self.slots]
        numbers[0] = len(games)
        numbers[1 : 1 + len(games)] = games
        self.post(0, -1)

    def post(self, number: int, place: int) -> None:
        """Hand over the step whose actions were written last; its batch is to go to this place.

        The number is the request's id or, if the place is MESSAGE, its length.
        """
        words, turn = self._words, self.turn
        self._longs[_IDS + turn % self.slots] = number
        words[_PLACES + turn % self.slots] = place + 1
        if not self._ordered:
            self._fence()
        self.turn = turn = turn + 1  # if interrupted from here on, the next call posts this step too
        words[_POSTED] = turn & _MASK
        if not self._ordered or words[_IT_WAITS]:
            self._wake()

    def answered(self, turn: int) -> bool:
        """Whether the server has answered the step posted in this turn."""
        return (self._words[_ANSWERED] - turn - 1) & _MASK < _HALF

    def spin(self, turn: int) -> bool:
        """Spin for a moment; returns whether the answer is there.

        If answers take longer, or other threads or processes, such as the server, need
        the processor, spinning does not help, and is tried less and less
        often.
        """
        words, wanted = self._words, turn + 1
        if (words[_ANSWERED] - wanted) & _MASK < _HALF:  # `answered`, without the call
            return True
        if self._rest:
            self._rest -= 1
            return False
        now = time.perf_counter()
        until = now + _SPIN
        while (words[_ANSWERED] - wanted) & _MASK >= _HALF:
            os.sched_yield()
            last, now = now, time.perf_counter()
            if now > until or now - last > _CROWDED:
                self._rest = self._next_rest
                self._next_rest = min(2 * self._next_rest, _LONGEST_REST)
                return self.answered(turn)
        self._next_rest = _REST
        return True

    def sleep(self, turn: int) -> bool:
        words = self._words
        words[_WE_WAIT] = 1
        self._seen.value = words[_ANSWERED]
        if not self.answered(turn):
            self._wait()  # after a barrier, and only if the count has not changed
        words[_WE_WAIT] = 0
        return self.answered(turn)

    def take(self, turn: int) -> tuple[int, int]:
        """Return the slot of this turn's answer, and its length; 0: the answer is sent as a message."""
        if not self._ordered:
            self._fence()
        slot = turn % self.slots
        return slot, self._longs[_LENGTHS + slot]
