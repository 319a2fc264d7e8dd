"""Requests and replies over one connection.

Replies come in the order of the requests. Each carries its request's id back,
so that a reply whose request was given up (after Ctrl-C, say) is recognised
and skipped, and never taken for another's.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from pommego._transport import wire
from pommego._transport.compression import Unpacker
from pommego._transport.handshake import Address
from pommego._transport.mailbox import Mailbox
from pommego._transport.shared import SharedBatch, SharedMemory
from pommego._transport.websocket import WebSocket
from pommego._version import __version__
from pommego.errors import (
    ClosedError,
    ConnectionError,
    GamePanicError,
    ProtocolError,
    ServerError,
    VersionError,
)

__all__ = ["Client"]

_MARGIN = 1 << 20  # bytes a message may be longer than the longest batch
_NAP = 2e-3  # seconds to sleep before looking again whether the server answered without a word

R = TypeVar("R", bound=msgspec.Struct)


class Client:
    """A connection that has said hello.

    It belongs to one thread at a time.

    Args:
        address: as `pommego._transport.handshake.Address` reads it.
        token: the server's token, if it has one.
        timeout: seconds that connecting, or one reply, may take.
        obituary: says how the embedded server at that address died; empty while it runs.

    Raises:
        ConnectionError: nobody listens there, or not a pommego server.
        VersionError: no common version of the protocol.
        TimeoutError: no answer in time.

    Attributes:
        limits: what the server allows, by the protocol's names.
        server_version: name and version of the server.
        seed_version: how seeds become games; another version, other games.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        timeout: float = 60.0,
        obituary: Callable[[], str] = str,
    ) -> None:
        self.timeout = timeout
        self.address = Address.parse(address)
        self._obituary = obituary
        self._next_id = 1
        self._expected: deque[int] = deque()
        self._shared: dict[int, SharedMemory] = {}
        self._mailbox: Mailbox | None = None
        self._unpacker: Unpacker | None = None
        self._socket = WebSocket.connect(
            self.address, subprotocol=wire.SUBPROTOCOL, token=token, timeout=min(timeout, 10.0)
        )
        try:
            hello = self._greet()
        except BaseException:
            self.close()
            raise
        self.limits = hello.limits
        self.server_version = hello.server
        self.seed_version = hello.seed_version
        self._socket.max_message = 2 * self.limits.get("batch_bytes", 1 << 30) + _MARGIN

    def _greet(self) -> wire.Hello:
        try:
            me = f"pommego-python/{__version__}"
            return self.call("hello", wire.Hello, versions=wire.VERSIONS, client=me)
        except ServerError as e:
            if e.code != "version_mismatch":
                raise
            raise VersionError(
                f"the server at {self.address} speaks version {e.details.get('versions')} of the protocol, "
                f"this client (pommego {__version__}) version {wire.VERSIONS}. "
                "Install client and server from the same release."
            ) from e

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._socket.closed

    @property
    def in_flight(self) -> int:
        """How many requests have no reply yet."""
        return len(self._expected)

    def call(self, kind: str, reply: type[R], **fields: Any) -> R:
        """Send a request and wait for its reply.

        Args:
            kind: the request's type.
            reply: the reply's class.
            fields: the request's fields; None means absent.

        Raises:
            ServerError: the server refused it.
            ConnectionError, TimeoutError, ClosedError: as `WebSocket.recv`.
        """
        request_id = self.submit(self.encode(kind, **fields))
        try:
            return self.collect(reply)
        except BaseException:
            self.give_up(request_id)
            raise

    def encode(self, kind: str, **fields: Any) -> bytes:
        """Encode a request with the id that `submit` will give it."""
        return wire.encode(kind, self._next_id, fields)

    @property
    def next_id(self) -> int:
        """The id that the next request submitted has to have."""
        return self._next_id

    def submit(self, message: bytes | bytearray) -> int:
        """Send an encoded request without waiting; returns its id, which is `next_id`."""
        request_id = self._next_id
        self._next_id += 1
        self._expected.append(request_id)
        try:
            self._send(message)
        except BaseException:
            self.give_up(request_id)
            raise
        return request_id

    def _send(self, message: bytes | bytearray) -> None:
        try:
            self._socket.send(message, self.timeout)
        except ConnectionError as e:
            raise self._with_obituary(e) from e

    def post(self, env: int) -> int:
        """Hand over the step whose actions lie in the mailbox; returns its id."""
        request_id = self._next_id
        self._next_id += 1
        self._expected.append(request_id)
        if not self._mailbox.post(request_id):
            self._send_ring(env, request_id)
        return request_id

    def collect(self, kind: type[R]) -> R:
        """Receive the reply to the oldest request in flight.

        Tensors in it are valid until the next `collect`, unless the message is
        kept with `give_away`. A batch in shared memory comes as `SharedBatch`.
        """
        reply = self._receive()
        if isinstance(reply, wire.Error):
            raise _server_error(reply)
        if not isinstance(reply, kind) and not (kind is wire.Batch and isinstance(reply, SharedBatch)):
            raise self.distrust(f"a reply of type {type(reply).__name__} where {kind.__name__} was due")
        return reply

    def share(self, env: int, memory: SharedMemory, mailbox: Mailbox | None) -> None:
        """Look for this environment's batches in shared memory from now on.

        A connection has one mailbox at most, the last one it was given.
        """
        self._shared[env] = memory
        if mailbox is not None:
            self._mailbox, self._mailbox_env = mailbox, env

    def give_away(self) -> None:
        """Leave the last reply's memory to whoever looks at it."""
        self._socket.give_away()

    def give_up(self, request_id: int) -> None:
        """Skip the reply to this request when it comes."""
        if request_id in self._expected:
            self._expected.remove(request_id)

    def give_up_all(self) -> None:
        """Skip the replies to all requests in flight."""
        self._expected.clear()

    def close(self) -> None:
        """Close the connection. Never raises; idempotent."""
        self._socket.close()

    def forget(self) -> None:
        """In a forked child: let go of the connection without a word."""
        self._socket.forget()

    def distrust(self, what: str) -> ProtocolError:
        """Close the connection and return the error that says why."""
        self._socket.close(1002, "unexpected reply")
        return ProtocolError(
            f"{self.address} sent {what}. The connection is closed. "
            "Are client and server from the same release?"
        )

    def _receive(self) -> wire.Reply | SharedBatch:
        if not self._expected:
            raise ClosedError("there is no request in flight to receive a reply for")
        if self._mailbox is not None and self._mailbox.holds(self._expected[0]):
            return self._receive_posted(self._mailbox, self._expected[0])
        while True:
            reply = self._receive_message(self.timeout)
            if isinstance(reply, wire.Shared) and reply.id in self._expected:
                # Others are skipped, and perhaps written over by now.
                reply = self._from_place(reply.env, reply.id, reply.batch, reply.size)
            if self._answers(reply):
                return reply

    def _receive_message(self, timeout: float) -> wire.Reply:
        try:
            message = self._socket.recv(timeout)
        except ConnectionError as e:
            raise self._with_obituary(e) from e
        try:
            reply = wire.decode(message)
            if isinstance(reply, wire.Compressed):
                if self._unpacker is None:
                    self._unpacker = Unpacker()
                reply = self._unpacker.unpack(reply, self._socket.max_message)
            return reply
        except ValueError as e:
            raise self.distrust(f"a reply that cannot be read ({e})") from e

    def _answers(self, reply: wire.Reply | SharedBatch) -> bool:
        """Whether a request in flight is answered by this; it no longer is in flight then."""
        if reply.id is None:
            self._expected.popleft()
        elif reply.id in self._expected:
            while self._expected.popleft() != reply.id:
                pass  # the replies before it were lost to an interrupt
        else:
            return False
        return True

    def _receive_posted(self, mailbox: Mailbox, request_id: int) -> wire.Reply | SharedBatch:
        """Receive the answer to a step that went through the mailbox."""
        if not mailbox.look():
            self._sleep_until_answered(mailbox, request_id)
        answer = mailbox.take()
        if answer is not None:
            self._expected.popleft()
            return self._from_place(self._mailbox_env, request_id, *answer)
        while True:
            reply = self._receive_message(self.timeout)
            if not isinstance(reply, wire.Shared) and self._answers(reply):
                return reply

    def _sleep_until_answered(self, mailbox: Mailbox, request_id: int) -> None:
        """Sleep until the answer to what was posted is there.

        Neither side waits for the other to see what it has written: the server
        may have stopped looking at the moment the step was posted, and may have
        looked whether we sleep at the moment we began to. So we look again soon,
        and ring once more if need be.
        """
        deadline = time.monotonic() + self.timeout
        rung = False
        while not mailbox.answered():
            nap = 0.0
            if not mailbox.doze(_NAP):
                mailbox.listen(True)
                nap = _NAP
            something = not mailbox.answered() and self._message_begins(nap)
            mailbox.listen(False)
            if mailbox.answered():
                return  # and what there is to read may belong to it
            if something:
                reply = self._receive_message(self.timeout)
                if not isinstance(reply, wire.Shared) and reply.id in (None, request_id):
                    raise self.distrust(f"a {type(reply).__name__} before the word of it in the mailbox")
            elif time.monotonic() > deadline:
                raise self._socket.timed_out(self.timeout)
            elif not rung:
                self._send_ring(self._mailbox_env, request_id)
                rung = True

    def _message_begins(self, seconds: float) -> bool:
        try:
            return self._socket.readable(seconds, self.timeout)
        except ConnectionError as e:
            raise self._with_obituary(e) from e

    def _send_ring(self, env: int, request_id: int) -> None:
        self._send(wire.encode("ring", request_id, {"env": env}))

    def _from_place(self, env: int, request_id: int, place: int, size: int) -> SharedBatch:
        """Read the batch that lies in shared memory."""
        try:
            return self._shared[env].batch(request_id, place, size)
        except (ValueError, KeyError) as e:
            raise self.distrust(f"word of a shared batch that cannot be read ({e!r})") from e

    def _with_obituary(self, error: ConnectionError) -> ConnectionError:
        """Add what is known of the embedded server's end, where there is one."""
        obituary = self._obituary()
        if not obituary:
            return error
        told = type(error)(f"{error}\n{obituary}")
        told.code = error.code
        return told


def _server_error(error: wire.Error) -> ServerError:
    details = {
        name: value
        for name in ("versions", "game", "seed", "episode", "state")
        if (value := getattr(error, name)) is not None
    }
    kind = GamePanicError if error.code == "game_panic" else ServerError
    return kind(error.code, error.message, error.hint, error.field, details)
