"""A small WebSocket client for large binary messages (RFC 6455).

General-purpose libraries copy each message once or twice, which halves the throughput
here or worse. This client receives a message directly into a buffer that is reused, at
an address divisible by 64, and returns a view of it.

Concurrency: a connection belongs to one thread at a time, and to the process
that made it. In a forked child it raises an error; the parent can still use it.

Interrupts: after a KeyboardInterrupt during `recv`, or whatever the handler of another
signal raises, the next `recv` continues where the last one stopped. Only an interrupt in
the few microseconds in which a frame's header is parsed closes the connection.

Limits: every call has a deadline, for the whole call and not for each byte. A
message larger than `max_message` closes the connection. Fragments are joined, pings are
answered. There is no compression. Messages are text without a subprotocol, else binary.
"""

import copy
import os
import select
import socket
import ssl
import time
import weakref
from collections.abc import Generator
from typing import Self

from pommego._transport import frames
from pommego._transport.buffers import BufferPool
from pommego._transport.handshake import Address, Certificates, open_socket, upgrade
from pommego.errors import ClosedError, ConnectionError, PommegoError, ProtocolError, TimeoutError, on_failure

_FIRST_BUFFER = 64 << 10
_LONGEST = 1 << 30
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class WebSocket:
    """One connection, client side."""

    def __init__(
        self, sock: socket.socket, *, max_message: int = _LONGEST, peer: str = "a server", text: bool = False
    ) -> None:
        sock.setblocking(False)
        self.max_message = max_message
        self._sock = sock
        self._recv_into = sock.recv_into
        self._reads_in_python = isinstance(sock, ssl.SSLSocket)
        self._peer, self._kind = peer, frames.TEXT if text else frames.BINARY
        self._pid = os.getpid()
        self._why_closed: Exception | None = None
        _open.add(self)

        # The state of `_read_frames`, which continues after a `yield` when bytes have been read into `_want`.
        self._pool = BufferPool()
        self._memory = self._pool.take(_FIRST_BUFFER)  # the message's memory, ...
        self._size = 0  # ... of which so many bytes have arrived
        self._head = memoryview(bytearray(2 + frames.MAX_CONTROL + frames.LONGEST_HEAD))
        self._want = self._head
        self._count: list[int] = []  # how many bytes have been read into `_want`
        self._begun = False  # whether a part of the message has arrived, ...
        self._complete = False  # ... all of it, ...
        self._taken = False  # ... and `recv` has returned it
        self._torn = False  # whether bytes may be lost if it is interrupted now: while TLS reads
        self._deadline = 0.0  # the deadline of the current call
        self._frames: Generator[None, None, None] | None = self._read_frames()
        next(self._frames)

    @classmethod
    def connect(
        cls,
        address: str | Address,
        *,
        subprotocol: str | None,
        token: str | None = None,
        certificates: Certificates | None = None,
        timeout: float = 10.0,
        max_message: int = _LONGEST,
    ) -> Self:
        """Open a connection; see `pommego._transport.handshake` for addresses and errors."""
        where = Address.parse(address) if isinstance(address, str) else address
        sock = open_socket(where, timeout, (certificates or Certificates()).context(where))
        with on_failure(sock.close):
            upgrade(sock, where, subprotocol=subprotocol, token=token, timeout=timeout)
        return cls(sock, max_message=max_message, peer=str(where), text=not subprotocol)

    @property
    def closed(self) -> bool:
        return self._why_closed is not None

    def send(self, message: bytes | bytearray | memoryview, timeout: float) -> None:
        """Send one message, which is copied."""
        self.check_usable()
        self._send_frame(self._kind, message, time.monotonic() + timeout)

    def recv(self, timeout: float) -> memoryview:
        """Receive one message: a writable view of its bytes, 64-byte aligned, valid until the next `recv`.

        After `give_away` it remains valid. Any error but an interrupt closes the connection.
        """
        self.check_usable()
        self._deadline = time.monotonic() + timeout
        try:
            if self._taken:
                next(self._frames)
            while not self._complete:
                self._read()
            self._taken = True
            return self._memory[: self._size]
        except BaseException as e:
            raise self._receive_failed(e, timeout) from None

    def readable(self, seconds: float, timeout: float) -> bool:
        """Wait for the next message to begin; returns whether it has. Pings before it are answered."""
        self.check_usable()
        self._deadline = time.monotonic() + timeout
        try:
            if self._taken:
                next(self._frames)
            while not self._begun:
                if not ready(self._sock, seconds):
                    return False
                self._read()
                seconds = 0.0
            return True
        except BaseException as e:
            raise self._receive_failed(e, timeout) from None

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
        """Perform the closing handshake, if the peer answers, and close. Never raises; idempotent."""
        if self.closed:
            return
        if self._pid == os.getpid():
            self._goodbye(code, reason, timeout)
        self._abandon(ClosedError("the connection has been closed"))

    def forget(self) -> None:
        """Close this process's handle without a close frame, as a forked child has to."""
        self._abandon(ClosedError("this connection belongs to the parent process; open one after the fork"))

    def check_usable(self) -> None:
        """Raise ClosedError if the connection has ended, or in a forked child."""
        if self._pid != os.getpid():
            self.forget()
        if self._why_closed is not None:
            was = self._why_closed
            raise ClosedError(str(was)) from (None if isinstance(was, ClosedError) else was)

    def _abandon(self, why: Exception) -> None:
        if self._why_closed is None:
            self._why_closed = copy.copy(why)  # its traceback would keep the environment
        self._frames = None  # it refers to this object
        self._sock.close()

    def _goodbye(self, code: int, reason: str, timeout: float) -> None:
        """Send a close frame and half-close. Messages that still arrive are ignored."""
        said = reason.encode()[: frames.MAX_CONTROL - 2].decode(errors="ignore").encode()
        payload = code.to_bytes(2, "big") + said if code else b""
        try:
            self._send_frame(frames.CLOSE, payload, time.monotonic() + timeout)
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _receive_failed(self, error: BaseException, timeout: float) -> BaseException:
        if isinstance(error, ProtocolError):
            self._goodbye(error.code or frames.BAD_FRAME, str(error), timeout=0.2)
        elif isinstance(error, TimeoutError):
            return self.timed_out(timeout)
        elif isinstance(error, OSError) and error.errno is not None:
            error = self._lost(error)
        elif not isinstance(error, PommegoError):  # Ctrl-C, or an exception of another signal's handler
            if not self.closed and (self._torn or self._frames.gi_frame is None):
                self._abandon(ClosedError("the connection was interrupted within a frame; make a new one"))
            return error
        self._abandon(error)
        return error

    def _lost(self, error: OSError) -> ConnectionError:
        return ConnectionError(f"the connection to {self._peer} was lost: {error.strerror or error}")

    def _read(self) -> None:
        """Read at least one byte before the deadline, and continue `_read_frames` with it.

        An interrupt loses no byte: a single call that stays in C reads them and stores their
        number in a list. With TLS Python reads, so an interrupt in that time
        closes the connection, as one within `_read_frames` does.
        """
        while not self._count:
            wait(self._sock, self._deadline)
            self._torn = self._reads_in_python
            try:  # noqa: SIM105, suppress() takes longer
                self._count.extend(map(self._recv_into, (self._want,)))
            except _NOT_YET:
                pass
            self._torn = False
        next(self._frames)

    def _read_frames(self) -> Generator[None, None, None]:
        """Read frames for ever: yields whenever it needs more bytes in `_want`, and after each message."""
        head, have = self._head, 0  # bytes that have been read and not yet used
        while True:
            self._size, final = 0, False
            while not final:
                if have < 2:
                    have = yield from self._fill(have, 2)
                first, length, used = head[0], head[1], 2
                frames.check_head(first, length, kind=self._kind, inside=self._begun, peer=self._peer)
                if length > frames.MAX_CONTROL:
                    used += 2 if length == frames.LENGTH16 else 8
                    if have < used:
                        have = yield from self._fill(have, used)
                    length = frames.long_length(head[2:used], self._peer)
                opcode, control = first & frames.OPCODE, first & frames.OPCODE >= frames.CLOSE
                if control:
                    have = yield from self._fill(have, used + length)
                end = min(used + length, have)
                payload, rest = bytes(head[used:end]), bytes(head[end:have])
                head[: len(rest)], have = rest, len(rest)
                if opcode == frames.PING:
                    self._send_frame(frames.PONG, payload, self._deadline)
                elif opcode == frames.CLOSE:
                    raise self._closed_by_peer(payload)
                if control:
                    continue
                self._begun, final = True, bool(first & frames.FIN)
                yield from self._take(payload, length)
            self._complete = True
            yield
            self._begun = self._complete = self._taken = False

    def _fill(self, have: int, need: int) -> Generator[None, None, int]:
        """Read until `need` bytes are in the head's buffer, and return how many are.

        It reads up to the longest head at once, so that after a short head the buffer may
        have up to eight bytes of the payload, and never more: payloads are not to be copied.
        """
        while have < need:
            self._want = self._head[have : max(need, frames.LONGEST_HEAD)]
            yield
            have += self._arrived()
        return have

    def _take(self, early: bytes, length: int) -> Generator[None, None, None]:
        """Append a data frame's payload to the message; the head's buffer may have its first bytes."""
        end = self._size + length
        if end > self.max_message:
            raise ProtocolError(
                f"{self._peer} sent a message of at least {end} bytes; the limit is {self.max_message}",
                frames.TOO_BIG,
            )
        if end > len(self._memory):  # views of the old memory remain valid
            try:
                memory = self._pool.take(end)
            except (MemoryError, ValueError) as error:
                raise ProtocolError(
                    f"{self._peer} sent a message of at least {end} bytes, for which there is no memory",
                    frames.TOO_BIG,
                ) from error
            memory[: self._size] = self._memory[: self._size]
            self._memory = memory
        self._memory[self._size : self._size + len(early)] = early
        self._size += len(early)
        while self._size < end:
            self._want = self._memory[self._size : end]
            yield
            self._size += self._arrived()

    def _arrived(self) -> int:
        n = self._count.pop()
        if n == 0:
            raise ConnectionError(f"{self._peer} closed the connection without warning; it may have crashed")
        return n

    def _closed_by_peer(self, payload: bytes) -> ConnectionError:
        try:
            code, reason = frames.read_close(payload)
        except ValueError as e:
            return ProtocolError(f"{self._peer} sent a malformed close frame: {e}", frames.BAD_FRAME)
        self._goodbye(code, "", timeout=0.2)
        why = f" ({code}{', ' if reason else ''}{reason})" if code else ""
        return ConnectionError(f"{self._peer} closed the connection{why}", code or None)

    def _send_frame(self, opcode: int, payload: bytes | bytearray | memoryview, deadline: float) -> None:
        rest = frames.frame(opcode, payload)
        try:
            while rest:
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
            self._abandon(ClosedError("the connection was interrupted while sending; make a new one"))
            raise


def wait(sock: socket.socket, deadline: float, *, writing: bool = False) -> None:
    """Wait until sock can be read or, if `writing`, written."""
    left = deadline - time.monotonic()
    # The deadline is checked even if there is something to read: otherwise a flood could block forever.
    if left <= 0 or not ready(sock, left, writing=writing):
        raise TimeoutError("the deadline has passed")


def ready(sock: socket.socket, seconds: float, *, writing: bool = False) -> bool:
    """Wait until it can be read or, if `writing`, written; returns whether it can in that time."""
    if not writing and isinstance(sock, ssl.SSLSocket) and sock.pending():
        return True
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLOUT if writing else select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    return any(select.select([] if writing else [sock], [sock] if writing else [], [], seconds))  # Windows


_open: weakref.WeakSet[WebSocket] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):  # a child's copies would outlive the parent's connections
    os.register_at_fork(after_in_child=lambda: [connection.forget() for connection in list(_open)])
