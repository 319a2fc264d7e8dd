"""Steps that go to the server and come back through shared memory, without a message.

A step's actions are written into a slot and then its number; when the server
has made it, the answer's number stands there too. Whoever waits looks for a
moment before it sleeps, and says so, so that the other side knows when it has
to send a message to wake it. `bridge/PROTOCOL.md` describes all this under
"mailbox".

Which of two words is written first matters. Processors that keep to that order
by themselves are the only ones on which servers offer a mailbox.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from pommego._transport import wire

__all__ = ["Mailbox"]

_ON_SOCKET = (1 << 64) - 1  # in place of a batch: the answer comes as a message
_REPLY, _BATCH, _LENGTH = 16, 17, 18  # words of a slot; its first is the request

_LOOK = 100e-6  # seconds to look for an answer before sleeping
_CROWDED = 200e-6  # seconds: a yield that takes longer says that others want the processor
_TRY_AGAIN = 8  # steps after which looking is tried again where it has not paid

_LISTENS, _DOZES = 1, 2  # how the client sleeps
_SYS_FUTEX = 202  # on x86-64, the only processor with mailboxes; and Linux the only system
_FUTEX_WAIT = 0

_yield = getattr(os, "sched_yield", lambda: None)


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_int64), ("nanoseconds", ctypes.c_int64))


def _make_futex() -> Callable[[int, int, float], bool] | None:
    """Return a function that waits in a futex, None where there is none."""
    try:
        call = ctypes.CDLL(None, use_errno=True).syscall
    except (OSError, AttributeError, TypeError):
        return None
    call.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p]
    call.restype = ctypes.c_long
    limit = _Timespec()
    where = ctypes.addressof(limit)

    def wait(address: int, value: int, seconds: float) -> bool:
        """Wait while the word has this value; returns False if the system refuses."""
        limit.seconds, limit.nanoseconds = int(seconds), int(seconds % 1 * 1e9)
        if call(_SYS_FUTEX, address, _FUTEX_WAIT, value, where) == 0:
            return True
        return ctypes.get_errno() in (errno.EAGAIN, errno.EINTR, errno.ETIMEDOUT)

    return wait


_futex = _make_futex()


class Mailbox:
    """The mailbox of one environment.

    Args:
        memory: the shared memory from its start, writable.
        about: where the mailbox's parts lie.
        shape: of the actions, (rows,) or (rows, components).

    Raises:
        ValueError: the parts do not lie in the memory as they should.
    """

    def __init__(self, memory: memoryview, about: wire.MailboxReply, shape: Sequence[int]) -> None:
        if len(about.slots) != len(about.actions) or not about.slots:
            raise ValueError(f"{len(about.slots)} slots with {len(about.actions)} places for actions")
        self._words = memory.cast("Q")
        self._looks = self._word(about.server_looks)
        self._sleeps = self._word(about.client_sleeps)
        self._slots = [self._word(at) for at in about.slots]
        self._words[self._slots[-1] + _LENGTH]  # IndexError: it does not lie inside
        size = int(np.prod(shape))
        flat = np.frombuffer(memory, np.uint8)
        self._actions = [flat[at : at + size].reshape(shape) for at in about.actions]
        self._address = flat.__array_interface__["data"][0]
        self._futex = _futex
        self._turn = 0
        self._posted: deque[tuple[int, int]] = deque()  # numbers of steps in flight, and their slots
        self._idle = 0  # steps to go before looking is tried again

    def _word(self, at: int) -> int:
        index, rest = divmod(at, 8)
        if rest or not 0 <= index < len(self._words):
            raise ValueError(f"a word at {at} in {len(self._words) * 8} bytes")
        return index

    def actions(self) -> np.ndarray | None:
        """Where to write the next step's actions; None while the slot is still in use.

        It is if a step before was given up and the server has not got to it yet.
        """
        words, slot = self._words, self._slots[self._turn]
        return self._actions[self._turn] if words[slot] == words[slot + _REPLY] else None

    def post(self, request_id: int) -> bool:
        """Hand over the actions written last, and tell whether the server sees that by itself."""
        slot = self._slots[self._turn]
        self._turn = (self._turn + 1) % len(self._slots)
        self._posted.append((request_id, slot))
        self._words[slot] = request_id
        return self._words[self._looks] != 0

    def holds(self, request_id: int) -> bool:
        """Whether this step was posted here; numbers are asked for in ascending order."""
        posted = self._posted
        while posted and posted[0][0] < request_id:
            posted.popleft()
        return bool(posted) and posted[0][0] == request_id

    def answered(self) -> bool:
        """Whether the oldest step posted has been made."""
        request_id, slot = self._posted[0]
        return self._words[slot + _REPLY] == request_id

    def look(self) -> bool:
        """Look for the answer for a moment; tells whether it came.

        Where answers take longer than that, or others want the processor, the
        server among them, looking does not pay: it is tried now and then only.
        """
        request_id, slot = self._posted[0]
        words, reply = self._words, slot + _REPLY
        if words[reply] == request_id:
            return True
        if self._idle:
            self._idle -= 1
            return False
        now = time.perf_counter()
        until = now + _LOOK
        while words[reply] != request_id:
            _yield()
            last, now = now, time.perf_counter()
            if now > until or now - last > _CROWDED:
                self._idle = _TRY_AGAIN
                return words[reply] == request_id
        return True

    def doze(self, seconds: float) -> bool:
        """Sleep until the answer may be there, at most so long; tells whether that can be done here.

        Once is enough: the caller looks, and does it again.
        """
        _, slot = self._posted[0]
        at = slot + _REPLY
        seen = self._words[at]
        if self._futex is None or self.answered():
            return self._futex is not None
        self._words[self._sleeps] = _DOZES
        try:
            return self._futex(self._address + 8 * at, seen & 0xFFFFFFFF, seconds)
        finally:
            self._words[self._sleeps] = 0

    def listen(self, now: bool) -> None:
        """Tell the server whether it has to send a message when it answers."""
        self._words[self._sleeps] = _LISTENS if now else 0

    def take(self) -> tuple[int, int] | None:
        """Take the answer that is there: which batch it is, and its length; None: it comes as a message."""
        _, slot = self._posted.popleft()
        batch = self._words[slot + _BATCH]
        return None if batch == _ON_SOCKET else (batch, self._words[slot + _LENGTH])
