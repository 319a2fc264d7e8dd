"""A WebSocket for small messages (RFC 6455), client and server, with a thread for each connection.

Environments over the network use a faster one, which is a client only.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import socket
import struct
import threading

__all__ = ["Connection", "accept", "connect"]

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_LONGEST = 4 << 20  # bytes in a message
_LONGEST_HEAD = 16 << 10
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x1, 0x2, 0x8, 0x9, 0xA
_NORMAL = 1000


class Connection:
    """An open connection. One thread may receive while others send.

    Args:
        sock: a connected socket after the opening handshake; the connection owns it.
        client: whether this side is the client, whose frames are masked.

    Attributes:
        closed: whether it has ended.
    """

    def __init__(self, sock: socket.socket, *, client: bool) -> None:
        self.closed = False
        self._sock = sock
        self._file = sock.makefile("rb")
        self._client = client
        self._sending = threading.Lock()

    def send(self, message: str | bytes) -> None:
        """Send a text or a binary message.

        Raises:
            OSError: the connection has ended.
        """
        if isinstance(message, str):
            self._send(_TEXT, message.encode())
        else:
            self._send(_BINARY, message)

    def _send(self, opcode: int, payload: bytes) -> None:
        length, mask = len(payload), 0x80 if self._client else 0
        head = struct.pack("!B", 0x80 | opcode)
        if length < 126:
            head += struct.pack("!B", mask | length)
        elif length < 1 << 16:
            head += struct.pack("!BH", mask | 126, length)
        else:
            head += struct.pack("!BQ", mask | 127, length)
        if self._client:
            key = os.urandom(4)
            head, payload = head + key, _masked(payload, key)
        with self._sending:
            self._sock.sendall(head + payload)

    def receive(self) -> str | bytes:
        """Receive a message. Pings are answered.

        Raises:
            OSError: the connection has ended, or the data is not a WebSocket frame.
        """
        kind, parts = 0, b""
        while True:
            final, opcode, payload = self._frame(len(parts))
            if opcode == _PING:
                self._send(_PONG, payload)
            elif opcode == _CLOSE:
                if not self._client:
                    with contextlib.suppress(OSError):
                        self._send(_CLOSE, payload[:2])
                self.close()
                raise ConnectionError("the other side closed the connection")
            elif opcode != _PONG:
                kind, parts = opcode or kind, parts + payload
                if final:
                    return self._text(parts) if kind == _TEXT else parts

    def _text(self, message: bytes) -> str:
        try:
            return message.decode()
        except UnicodeDecodeError as error:
            self.close()
            raise ConnectionError(f"the other side sent a text that is not UTF-8: {error}") from error

    def _frame(self, before: int) -> tuple[bool, int, bytes]:
        first, second = self._read(2)
        length = second & 0x7F
        if length >= 126:
            length = int.from_bytes(self._read(2 if length == 126 else 8), "big")
        if before + length > _LONGEST or bool(second & 0x80) == self._client:
            self.close()
            raise ConnectionError(
                f"the other side sent a frame that is too long, or wrongly masked: {length}"
            )
        key = b"" if self._client else self._read(4)
        payload = self._read(length)
        return bool(first & 0x80), first & 0x0F, _masked(payload, key) if key else payload

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            self.close()
            raise ConnectionError("the connection was cut")
        return data

    def close(self) -> None:
        """End the connection; a thread waiting in `receive` gets an error. Idempotent."""
        first, self.closed = not self.closed, True
        if first and self._client:  # a server does not wait for a client that reads nothing
            with contextlib.suppress(OSError):
                self._send(_CLOSE, struct.pack("!H", _NORMAL))
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()


def connect(host: str, port: int, timeout: float = 10.0) -> Connection:
    """Connect to a server.

    Raises:
        OSError: there is no server, or it does not speak WebSocket.
    """
    sock = socket.create_connection((host, port), timeout=timeout)
    key = base64.b64encode(os.urandom(16)).decode()
    request = (
        f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    try:
        sock.sendall(request.encode())
        status, headers = _head(sock)
        if " 101 " not in f"{status} " or headers.get("sec-websocket-accept") != _proof(key):
            raise ConnectionError(f"{host}:{port} is not a WebSocket server: it answered {status!r}")
    except BaseException:
        sock.close()
        raise
    sock.settimeout(None)
    return Connection(sock, client=True)


def accept(sock: socket.socket, timeout: float = 10.0) -> Connection:
    """Answer a client that has connected.

    Raises:
        OSError: it does not speak WebSocket.
    """
    sock.settimeout(timeout)
    status, headers = _head(sock)
    key = headers.get("sec-websocket-key")
    if key is None:
        sock.sendall(b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n")
        raise ConnectionError(f"not a WebSocket request: {status!r}")
    sock.sendall(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {_proof(key)}\r\n\r\n".encode()
    )
    sock.settimeout(None)
    return Connection(sock, client=False)


def _head(sock: socket.socket) -> tuple[str, dict[str, str]]:
    """Read the head of an HTTP message, byte by byte, as the bytes after it belong to frames."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = sock.recv(1)
        if not byte or len(head) > _LONGEST_HEAD:
            raise ConnectionError("the connection was cut in its opening handshake")
        head += byte
    status, *lines = head.decode("latin-1").split("\r\n")
    return status, {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }


def _proof(key: str) -> str:
    return base64.b64encode(hashlib.sha1((key + _GUID).encode(), usedforsecurity=False).digest()).decode()


def _masked(data: bytes, key: bytes) -> bytes:
    length = len(data)
    pattern = (key * (length // 4 + 1))[:length]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")).to_bytes(length, "big")
