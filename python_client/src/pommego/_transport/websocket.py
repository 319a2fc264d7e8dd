"""A small WebSocket client for large binary messages (RFC 6455).

General-purpose libraries copy each message once or twice, which halves the throughput
here or worse. This client receives a message directly into a buffer that is reused, at
an address divisible by 64, and returns a view of it.

    socket = WebSocket.connect("ws://127.0.0.1:8765", subprotocol="pommego.v3+msgpack")
    socket.send(b"...", timeout=10)
    view = socket.recv(timeout=10)  # valid until the next recv
    socket.close()

Concurrency: a connection belongs to one thread at a time, and to the process
that made it. In a forked child it refuses to work, and the parent's goes on.

Interrupts: after a KeyboardInterrupt during `recv`, or whatever the handler of another
signal raises, the next `recv` continues where the last one stopped. Only an interrupt in
the few microseconds in which a frame's header is parsed closes the connection.

Limits: every call has a deadline, for the whole call and not for each byte. A
message larger than `max_message` closes the connection. Fragments are joined, pings are
answered, text is refused. There is no compression.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import time
import weakref
from collections.abc import Sequence
from typing import Self

from pommego._transport import frames
from pommego._transport.buffers import BufferPool
from pommego._transport.frames import FrameWriter
from pommego._transport.handshake import Address, Certificates, open_socket, upgrade
from pommego.errors import ClosedError, ConnectionError, PommegoError, ProtocolError, TimeoutError

__all__ = ["WebSocket", "any_readable"]

_FIRST_BUFFER = 64 << 10
_MAX_MESSAGE = 1 << 30
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

_open: weakref.WeakSet[WebSocket] = weakref.WeakSet()


class WebSocket:
    """One connection, client side.

    Args:
        sock: a connected socket after the opening handshake, which the WebSocket
            then owns.
        max_message: bytes of the largest message accepted.
        peer: the name of the other side in error messages.
    """

    def __init__(
        self, sock: socket.socket, *, max_message: int = _MAX_MESSAGE, peer: str = "the server"
    ) -> None:
        sock.setblocking(False)
        self.max_message = max_message
        self._sock = sock
        self._recv_into = sock.recv_into
        self._reads_in_c = not isinstance(sock, ssl.SSLSocket)
        self._peer = peer
        self._pid = os.getpid()
        self._why_closed: Exception | None = None
        self._writer = FrameWriter()
        _open.add(self)

        # Between frames, head[:hi] holds bytes that have been read and not yet used.
        # Inside a data frame, `left` bytes of it are still to arrive; they are
        # appended to the `size` bytes of the message in `memory`.
        self._pool = BufferPool()
        self._memory = self._pool.take(_FIRST_BUFFER)
        self._head = memoryview(bytearray(2 + frames.MAX_CONTROL + frames.LONGEST_HEAD))
        self._hi = 0
        self._size = 0
        self._left = 0
        self._inside = False  # a message has begun, and its last frame has not
        self._complete = True  # the message in memory is complete and was returned
        self._steady = True  # an interrupt now would find consistent state
        self._count: list[int] = []  # bytes read and not yet counted

    @classmethod
    def connect(
        cls,
        address: str | Address,
        *,
        subprotocol: str,
        token: str | None = None,
        certificates: Certificates | None = None,
        timeout: float = 10.0,
        max_message: int = _MAX_MESSAGE,
    ) -> Self:
        """Open a connection; see `pommego._transport.handshake` for addresses and errors."""
        where = Address.parse(address) if isinstance(address, str) else address
        sock = open_socket(where, timeout, (certificates or Certificates()).context(where))
        try:
            upgrade(sock, where, subprotocol=subprotocol, token=token, timeout=timeout)
        except BaseException:
            sock.close()
            raise
        return cls(sock, max_message=max_message, peer=str(where))

    @property
    def closed(self) -> bool:
        """Whether the connection has ended, whichever side closed it."""
        return self._why_closed is not None

    def fileno(self) -> int:
        """The socket's file descriptor, -1 once closed."""
        return self._sock.fileno()

    def send(self, message: bytes | bytearray | memoryview, timeout: float) -> None:
        """Send one binary message.

        Args:
            message: any contiguous bytes; they are copied.
            timeout: seconds.

        Raises:
            TimeoutError: the peer does not read; the connection is closed.
            ConnectionError: the connection is lost.
            ClosedError: it was closed before.
        """
        self.check_usable()
        self._send_frame(frames.BINARY, message, time.monotonic() + timeout)

    def recv(self, timeout: float) -> memoryview:
        """Receive one message.

        Args:
            timeout: seconds for the whole message.

        Returns:
            a writable view of its bytes, 64-byte aligned, valid until the next
            `recv`. After `give_away` it remains valid.

        Raises:
            TimeoutError: it did not come in time; the connection is closed.
            ConnectionError: the connection is lost or was closed by the peer
                (`code` then has the close code).
            ProtocolError: the peer broke RFC 6455; the connection is closed.
            ClosedError: it was closed before.
        """
        self.check_usable()
        deadline = time.monotonic() + timeout
        try:
            if self._complete:
                self._size, self._complete = 0, False
            while not self._complete:
                if self._left:
                    self._read_payload(deadline)
                else:
                    self._read_head(deadline)
            self._steady = True
            return self._memory[: self._size]
        except BaseException as e:
            error = self._receive_failed(e, timeout)
            if error is e:
                raise
            raise error from e

    def readable(self, seconds: float, timeout: float) -> bool:
        """Wait for the next message to begin; returns whether it has.

        Control frames before it, such as pings, are answered and do not count as a
        message.

        Args:
            seconds: how long to wait.
            timeout: seconds that the rest of a control frame may take.

        Raises:
            As `recv`.
        """
        self.check_usable()
        deadline = time.monotonic() + timeout
        try:
            while self._hi or self._left or ready(self._sock, seconds):
                if self._left or not self._take_control(deadline):
                    self._steady = True
                    return True
                seconds = 0.0
            self._steady = True
            return False
        except BaseException as e:
            error = self._receive_failed(e, timeout)
            if error is e:
                raise
            raise error from e

    def _take_control(self, deadline: float) -> bool:
        """Read and answer the next frame if it is a control frame; otherwise leave it and return False."""
        self._fill(2, deadline)
        if self._head[0] & frames.OPCODE < frames.CLOSE:
            return False
        self._read_head(deadline)
        return True

    def timed_out(self, seconds: float) -> TimeoutError:
        """Close the connection after a timeout, and return the error to raise."""
        error = TimeoutError(
            f"no message from {self._peer} within {seconds:g} s. The connection is closed, as it would "
            "be out of step. Is the server overloaded or stopped? Perhaps a longer timeout= is needed."
        )
        self._abandon(error)
        return error

    def give_away(self) -> None:
        """Hand the last message's buffer over to the views of it, and continue with another buffer."""
        self._memory = self._pool.take(len(self._memory))

    def close(self, code: int = frames.NORMAL, reason: str = "", timeout: float = 1.0) -> None:
        """Perform the closing handshake as far as the peer answers, and close. Never raises; idempotent.

        Args:
            code: the close code to send.
            reason: up to 123 bytes of UTF-8.
            timeout: the most seconds for the closing handshake.
        """
        if self.closed:
            return
        if self._pid == os.getpid():
            self._goodbye(code, reason, timeout)
        self._abandon(ClosedError("the connection has been closed"))

    def forget(self) -> None:
        """Close this process's handle without a close frame, as a forked child has to."""
        self._abandon(ClosedError("this connection belongs to the parent process; open one after the fork"))

    # Closing ------------------------------------------------------------------

    def check_usable(self) -> None:
        """Raise ClosedError if the connection has ended, and in a forked child."""
        if self._pid != os.getpid():
            self.forget()
        if self._why_closed is not None:
            was = self._why_closed
            raise ClosedError(str(was)) from (None if isinstance(was, ClosedError) else was)

    def _abandon(self, why: Exception) -> None:
        """Close the socket; later calls raise an error with the reason."""
        if self._why_closed is None:
            self._why_closed = why
        self._sock.close()

    def _goodbye(self, code: int, reason: str, timeout: float) -> None:
        """Send a close frame and half-close; what still arrives is ignored."""
        said = reason.encode()[: frames.MAX_CONTROL - 2].decode(errors="ignore").encode()
        payload = code.to_bytes(2, "big") + said if code else b""
        try:
            self._send_frame(frames.CLOSE, payload, time.monotonic() + timeout)
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _receive_failed(self, error: BaseException, timeout: float) -> BaseException:
        """Close, if necessary, and return the error to raise."""
        if isinstance(error, ProtocolError):
            self._goodbye(error.code or frames.BAD_FRAME, str(error), timeout=0.2)
        elif isinstance(error, TimeoutError):
            return self.timed_out(timeout)
        elif isinstance(error, OSError) and error.errno is not None:
            error = self._lost(error)
        elif not isinstance(error, PommegoError):  # Ctrl-C, or what another signal's handler raises
            if not self._steady:
                self._abandon(ClosedError("the connection was interrupted in the middle of a frame"))
            return error
        self._abandon(error)
        return error

    def _lost(self, error: OSError) -> ConnectionError:
        return ConnectionError(f"the connection to {self._peer} was lost: {error.strerror or error}")

    # Receiving ----------------------------------------------------------------

    def _read(self, view: memoryview, deadline: float) -> int:
        """Read at least one byte into view and return how many.

        If interrupted before `_steady` is cleared, it can be called again with the
        same view without losing a byte: a single call that stays in C stores the
        count in a list. With TLS it is Python that reads, so an interrupt in that time
        closes the connection.
        """
        while not self._count:
            self._steady = True
            wait(self._sock, deadline)
            self._steady = self._reads_in_c
            try:
                self._count.extend(map(self._recv_into, (view,)))
            except _NOT_YET:
                continue
        self._steady = False
        n = self._count[0]
        self._count.clear()
        if n == 0:
            raise ConnectionError(f"{self._peer} closed the connection without warning; it may have crashed")
        return n

    def _fill(self, need: int, deadline: float) -> None:
        """Read until at least `need` bytes are in the header buffer.

        It reads up to the longest header at once, so that after a short header the
        buffer may have up to eight bytes of the payload, and never more: payloads
        are not to be copied.
        """
        while self._hi < need:
            end = max(need, frames.LONGEST_HEAD)
            self._hi += self._read(self._head[self._hi : end], deadline)

    def _read_head(self, deadline: float) -> None:
        """Read one frame's header, and the whole frame if it is a control frame."""
        self._fill(2, deadline)
        first, length = self._head[0], self._head[1]
        frames.check_head(first, length, inside=self._inside, peer=self._peer)
        opcode, used = first & frames.OPCODE, 2
        if opcode >= frames.CLOSE:
            self._fill(used + length, deadline)
            payload = bytes(self._head[used : used + length])
            self._drop(used + length)
            self._control(opcode, payload, deadline)
            return
        if length > frames.MAX_CONTROL:
            used += 2 if length == frames.LENGTH16 else 8
            self._fill(used, deadline)
            length = frames.long_length(self._head[2:used], self._peer)
        self._begin_frame(length, used, final=bool(first & frames.FIN))

    def _begin_frame(self, length: int, used: int, *, final: bool) -> None:
        """Make room for a data frame's payload, and take the bytes that were read with its header."""
        total = self._size + length
        if total > self.max_message:
            raise ProtocolError(
                f"{self._peer} sent a message of at least {total} bytes; the limit is {self.max_message}",
                frames.TOO_BIG,
            )
        if total > len(self._memory):
            self._grow(total)
        early = min(self._hi - used, length)
        self._memory[self._size : self._size + early] = self._head[used : used + early]
        self._drop(used + early)
        self._size += early
        self._left = length - early
        self._inside = not final
        self._complete = final and not self._left

    def _grow(self, size: int) -> None:
        """Move to a larger buffer. Views of the old one remain valid."""
        try:
            memory = self._pool.take(size)
        except (MemoryError, ValueError) as error:
            raise ProtocolError(
                f"{self._peer} sent a message of at least {size} bytes, for which there is no memory",
                frames.TOO_BIG,
            ) from error
        memory[: self._size] = self._memory[: self._size]
        self._memory = memory

    def _drop(self, n: int) -> None:
        rest = bytes(self._head[n : self._hi])
        self._head[: len(rest)] = rest
        self._hi = len(rest)

    def _read_payload(self, deadline: float) -> None:
        n = self._read(self._memory[self._size : self._size + self._left], deadline)
        self._size += n
        self._left -= n
        self._complete = not self._inside and not self._left

    def _control(self, opcode: int, payload: bytes, deadline: float) -> None:
        if opcode == frames.PING:
            self._send_frame(frames.PONG, payload, deadline)
        elif opcode == frames.CLOSE:
            raise self._closed_by_peer(payload)

    def _closed_by_peer(self, payload: bytes) -> ConnectionError:
        try:
            code, reason = frames.read_close(payload)
        except ValueError as e:
            return ProtocolError(f"{self._peer} sent a malformed close frame: {e}", frames.BAD_FRAME)
        self._goodbye(code, "", timeout=0.2)
        why = f" ({code}, {frames.CLOSE_CODES.get(code, 'unknown reason')})" if code else ""
        said = f": {reason}" if reason else ""
        return ConnectionError(f"{self._peer} closed the connection{why}{said}", code or None)

    # Sending ------------------------------------------------------------------

    def _send_frame(self, opcode: int, payload: bytes | bytearray | memoryview, deadline: float) -> None:
        rest = self._writer.frame(opcode, payload)
        begun = False
        try:
            while rest:
                begun = True
                try:
                    rest = rest[self._sock.send(rest) :]
                except _NOT_YET:
                    wait(self._sock, deadline, writing=True)
        except TimeoutError:
            error = TimeoutError(f"{self._peer} does not read what is sent; the connection is closed")
            self._abandon(error)
            raise error from None
        except OSError as e:
            error = self._lost(e)
            self._abandon(error)
            raise error from e
        except BaseException:
            if begun:
                self._abandon(ClosedError("the connection was interrupted while sending"))
            raise


def wait(sock: socket.socket, deadline: float, *, writing: bool = False) -> None:
    """Wait until sock can be read or, if `writing`, written.

    Raises:
        TimeoutError: the deadline, a time.monotonic(), has passed.
    """
    left = deadline - time.monotonic()
    # The deadline is checked even if there is something to read: otherwise a flood could block forever.
    if left <= 0 or not ready(sock, left, writing=writing):
        raise TimeoutError("the deadline has passed")


def ready(sock: socket.socket, seconds: float, *, writing: bool = False) -> bool:
    """Wait until sock can be read or, if `writing`, written; returns whether it can in that time."""
    if not writing and isinstance(sock, ssl.SSLSocket) and sock.pending():
        return True
    return any_readable([sock], seconds, writing=writing)


def any_readable(socks: Sequence[socket.socket | int], seconds: float, *, writing: bool = False) -> bool:
    """Wait until any of these can be read or, if `writing`, written; returns whether one can in that time."""
    if hasattr(select, "poll"):
        poll = select.poll()
        for sock in socks:
            poll.register(sock, select.POLLOUT if writing else select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    return any(select.select([] if writing else socks, socks if writing else [], [], seconds))  # Windows


def _after_fork() -> None:
    """In a forked child, close the parent's connections: otherwise they would outlive the parent."""
    for connection in list(_open):
        connection.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
