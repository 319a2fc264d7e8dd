"""Addresses and the opening handshake."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

import pytest

from pommego._transport.handshake import Address
from pommego._transport.websocket import WebSocket
from pommego.errors import ConnectionError, HandshakeError, TimeoutError
from scripted import SUBPROTOCOL, answer, listening, read_request


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("ws://127.0.0.1:8765", Address("127.0.0.1", 8765)),
        ("localhost:80", Address("localhost", 80)),
        ("ws://host:1/deep/er", Address("host", 1, "/deep/er")),
        ("ws://[::1]:99/", Address("::1", 99)),
        ("wss://box:8765", Address("box", 8765, secure=True)),
        ("unix:/tmp/x", Address(socket_path="/tmp/x")),
        ("unix:///tmp/x", Address(socket_path="/tmp/x")),
        ("unix:@abstract", Address(socket_path="@abstract")),
    ],
)
def test_addresses(text: str, want: Address) -> None:
    got = Address.parse(text)
    assert got == want
    assert Address.parse(str(got)) == want


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "lacks a host"),
        ("ws://host", "lacks a host or a port"),
        ("ws://:80", "lacks a host"),
        ("ws://host:99999", "range"),
        ("http://host:80", "scheme 'http'"),
        ("wss://host", "lacks a host or a port"),
        ("unix:", "no path"),
        ("ws://user:pw@host:80", "has a user"),
        ("host:80/path?token=x", "a query"),
        ("ws://host:80#x", "a fragment"),
    ],
)
def test_bad_addresses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Address.parse(text)


def test_request_is_what_the_protocol_asks_for() -> None:
    seen = []

    def script(sock: socket.socket) -> None:
        request = read_request(sock)
        seen.append(request.decode())
        sock.sendall(answer(request))

    with listening(script) as address:
        WebSocket.connect(address, subprotocol=SUBPROTOCOL, token="s3cret").close()
    lines = seen[0].split("\r\n")
    assert lines[0] == "GET / HTTP/1.1"
    assert f"Host: {address.removeprefix('ws://')}" in lines
    assert "Upgrade: websocket" in lines
    assert "Connection: Upgrade" in lines
    assert "Sec-WebSocket-Version: 13" in lines
    assert "Sec-WebSocket-Protocol: pommego.v4+msgpack" in lines
    assert "Authorization: Bearer s3cret" in lines
    assert not any(line.startswith("Origin") for line in lines)


def test_a_token_cannot_smuggle_headers() -> None:
    with listening(lambda sock: None) as address, pytest.raises(ValueError, match="printable"):
        WebSocket.connect(address, subprotocol=SUBPROTOCOL, token="a\r\nX: y")


def replies(reply: Callable[[bytes], bytes]) -> Callable[[socket.socket], None]:
    def script(sock: socket.socket) -> None:
        sock.sendall(reply(read_request(sock)))
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_WR)
            sock.recv(1)

    return script


WRONG = [
    (lambda r: b"", "sent nothing", "hangs up"),
    (lambda r: b"SSH-2.0-OpenSSH_9\r\n\r\n", "does not speak HTTP", "another protocol"),
    (lambda r: b"HTTP/1.0 200 OK\r\n\r\n", "HTTP 200", "too old"),
    (lambda r: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP 200: hi", "an ordinary web server"),
    (lambda r: b"HTTP/1.1 401 No\r\n\r\nwrong token", "token=", "refused for its token"),
    (lambda r: b"HTTP/1.1 503 Busy\r\n\r\nfull", "too many connections", "refused for lack of room"),
    (lambda r: b"HTTP/1.1 101 x\r\nnonsense\r\n\r\n", "do not confirm", "a header that is none"),
    (lambda r: answer(b"Sec-WebSocket-Key: other"), "Accept", "somebody else's key"),
    (lambda r: answer(r).replace(b"Upgrade: websocket", b"Upgrade: h2c"), "upgrade", "another upgrade"),
    (lambda r: answer(r, "pommego.v9"), "'pommego.v9'", "another protocol version"),
    (
        lambda r: answer(r)[:-2] + b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        "extensions",
        "compression nobody asked for",
    ),
    (lambda r: b"HTTP/1.1 101 x\r\n" + b"a: b\r\n" * 5000, "more than 100 headers", "endless headers"),
]


@pytest.mark.parametrize(("reply", "text", "reason"), WRONG, ids=[w[2] for w in WRONG])
def test_wrong_answers(reply: Callable[[bytes], bytes], text: str, reason: str) -> None:
    with listening(replies(reply)) as address:
        with pytest.raises(HandshakeError, match=text):
            WebSocket.connect(address, subprotocol=SUBPROTOCOL, timeout=5)
        assert reason


def test_refusals_carry_status_and_body() -> None:
    with (
        listening(
            replies(lambda r: b"HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nbad host\n")
        ) as address,
        pytest.raises(HandshakeError) as caught,
    ):
        WebSocket.connect(address, subprotocol=SUBPROTOCOL)
    assert caught.value.status == 403
    assert caught.value.body == "bad host\n"


def test_nobody_listens() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    with pytest.raises(ConnectionError, match="pommego serve"):
        WebSocket.connect(f"ws://127.0.0.1:{port}", subprotocol=SUBPROTOCOL)
    with pytest.raises(ConnectionError, match="No such file"):
        WebSocket.connect("unix:/nowhere/at/all", subprotocol=SUBPROTOCOL)


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 101 Switch"], ids=["silent", "stuck in the middle"])
def test_no_answer_in_time(part: bytes) -> None:
    release = threading.Event()

    def script(sock: socket.socket) -> None:
        sock.sendall(part)
        release.wait(10)

    with listening(script) as address:
        with pytest.raises(TimeoutError, match="0.2 s"):
            WebSocket.connect(address, subprotocol=SUBPROTOCOL, timeout=0.2)
        release.set()
