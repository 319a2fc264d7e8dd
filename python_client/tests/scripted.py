"""A WebSocket server that does exactly what a test tells it to, byte by byte."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

SUBPROTOCOL = "pommego.v4+msgpack"


def frame(
    payload: bytes = b"",
    opcode: int = 2,
    *,
    fin: bool = True,
    reserved: int = 0,
    masked: bool = False,
    form: int | None = None,
) -> bytes:
    """Build one frame; `form` forces 7, 16 or 64 bits of length."""
    length = len(payload)
    form = form or (7 if length < 126 else 16 if length < 1 << 16 else 64)
    first = fin << 7 | reserved << 4 | opcode
    mask = masked << 7
    head = {
        7: lambda: struct.pack("!BB", first, mask | length),
        16: lambda: struct.pack("!BBH", first, mask | 126, length),
        64: lambda: struct.pack("!BBQ", first, mask | 127, length),
    }[form]()
    return head + (b"\0\0\0\0" if masked else b"") + payload


def read_exactly(sock: socket.socket, n: int) -> bytes:
    data = b""
    while len(data) < n:
        part = sock.recv(n - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def read_frame(sock: socket.socket) -> tuple[int, bytes, bytes]:
    """Read a client's frame: first byte, masking key, payload without the mask."""
    first, second = read_exactly(sock, 2)
    assert second & 0x80, "a client must mask its frames"
    length = second & 0x7F
    if length == 126:
        length = int.from_bytes(read_exactly(sock, 2), "big")
        assert length > 125, "length not in its shortest form"
    elif length == 127:
        length = int.from_bytes(read_exactly(sock, 8), "big")
        assert length >= 1 << 16, "length not in its shortest form"
    key = read_exactly(sock, 4)
    masked = read_exactly(sock, length)
    return first, key, bytes(b ^ key[i % 4] for i, b in enumerate(masked))


def accept_key(request: bytes) -> str:
    key = next(
        line.split(b":")[1].strip()
        for line in request.split(b"\r\n")
        if line.lower().startswith(b"sec-websocket-key")
    )
    return base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()


def answer(request: bytes, subprotocol: str = SUBPROTOCOL) -> bytes:
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept_key(request)}\r\nSec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
    ).encode()


def read_request(sock: socket.socket) -> bytes:
    request = b""
    while b"\r\n\r\n" not in request:
        part = sock.recv(4096)
        if not part:
            raise EOFError
        request += part
    return request


@contextlib.contextmanager
def listening(script: Callable[[socket.socket], None], *, path: str = "") -> Iterator[str]:
    """Run script in a thread with the first connection; yields the address.

    What the script raises fails the test, when the block ends.
    """
    listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    listener.bind(path or ("127.0.0.1", 0))
    listener.listen()
    listener.settimeout(10)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            sock, _ = listener.accept()
            with sock:
                sock.settimeout(10)
                script(sock)
        except BaseException as e:
            failures.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"unix:{path}" if path else f"ws://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        thread.join(timeout=15)
        listener.close()
    assert not thread.is_alive(), "the scripted server hangs"
    if failures:
        raise failures[0]


@contextlib.contextmanager
def upgraded(script: Callable[[socket.socket], None], *, path: str = "") -> Iterator[str]:
    """Like `listening`, with the handshake done before the script runs."""

    def run(sock: socket.socket) -> None:
        sock.sendall(answer(read_request(sock)))
        script(sock)

    with listening(run, path=path) as address:
        yield address
