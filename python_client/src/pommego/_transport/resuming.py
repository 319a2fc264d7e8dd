"""Going on with a session after its connection was lost.

Only on request: the client asks for it in its hello, and the server then keeps the
session for a while. Requests are numbered, and kept here until they are answered; the
server says which one it answered last, and sends that reply again if it was lost. So
no request is lost, and none is carried out twice.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable

from pommego._transport import wire
from pommego._transport.handshake import Address
from pommego._transport.websocket import WebSocket
from pommego.errors import ConnectionError, HandshakeError, ProtocolError, TimeoutError

__all__ = ["Resumption"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0  # seconds between attempts
_COME_BACK_LATER = (429, 503)  # HTTP statuses of a server that is there

_log = logging.getLogger("pommego")


class Resumption:
    """What a client needs to go on with its session.

    Args:
        address: the server's.
        connect: connects to it, within a time-out.
        granted: the server's reply to the request for it.
        client: the client's name and version.

    Attributes:
        seconds: how long the server keeps the session.
        count: how often it was resumed.
    """

    def __init__(
        self, address: Address, connect: Callable[..., WebSocket], granted: wire.Resume, client: str
    ) -> None:
        self._address, self._open, self._client = address, connect, client
        self._key = granted.key
        self.seconds = granted.seconds
        self.count = 0
        self._unanswered: deque[tuple[int, bytes]] = deque()
        self._received = 0

    def sent(self, request_id: int, message: bytes | bytearray) -> None:
        """Keep a request that is about to be sent."""
        self._unanswered.append((request_id, bytes(message)))

    def received(self, request_id: int) -> None:
        """Forget the requests up to the one that was answered."""
        self._received = max(self._received, request_id)
        while self._unanswered and self._unanswered[0][0] <= request_id:
            self._unanswered.popleft()

    def resume(self, lost: ConnectionError, max_message: int) -> WebSocket:
        """Connect again, and send again what the server has not answered.

        Args:
            lost: how the connection was lost.
            max_message: bytes of the largest message accepted.

        Raises:
            ConnectionError: the server does not have the session, or could not be reached in time.
        """
        begun = time.monotonic()
        deadline, pause = begun + self.seconds, _FIRST_PAUSE
        while True:
            try:
                socket = self._connect(deadline - time.monotonic())
                break
            except ProtocolError:
                raise
            except (ConnectionError, TimeoutError) as e:
                if isinstance(e, HandshakeError) and e.status and e.status not in _COME_BACK_LATER:
                    raise self._failed(lost, str(e)) from e
                if isinstance(e, _GoneError):
                    raise self._failed(lost, str(e)) from lost
                if time.monotonic() + pause > deadline:
                    why = f"the server could not be reached within {self.seconds} s ({e})"
                    raise self._failed(lost, why) from e
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        socket.max_message = max_message
        self.count += 1
        _log.warning("%s; resumed after %.2f s", lost, time.monotonic() - begun)
        return socket

    @staticmethod
    def _failed(lost: ConnectionError, why: str) -> ConnectionError:
        return ConnectionError(f"{lost}\nIt could not be resumed: {why}")

    def _connect(self, seconds: float) -> WebSocket:
        socket = self._open(timeout=max(min(seconds, 10.0), 0.1))
        try:
            asked = {"client": self._client, "resume": self._key, "received": self._received}
            socket.send(wire.encode("hello", 0, {"versions": wire.VERSIONS, **asked}), 10.0)
            # The server answers once it is done with the request in progress.
            answered = self._answered(socket, max(seconds, 0.1))
            for request_id, message in self._unanswered:
                if request_id > answered:
                    socket.send(message, 10.0)
        except BaseException:
            socket.close(timeout=0.0)
            raise
        return socket

    def _answered(self, socket: WebSocket, seconds: float) -> int:
        """Read the reply to hello: the id of the request that the server answered last."""
        try:
            reply = wire.decode(socket.recv(seconds))
        except ValueError as e:
            raise ProtocolError(f"{self._address} sent an invalid reply ({e})") from e
        if isinstance(reply, wire.Error):
            raise _GoneError(f"{reply.message}. {reply.hint.capitalize()}")
        if not isinstance(reply, wire.Hello) or reply.resumed is None:
            raise ProtocolError(f"{self._address} has not resumed the session, and does not say why")
        return reply.resumed


class _GoneError(ConnectionError):
    """The server does not have the session."""
