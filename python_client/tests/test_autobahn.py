"""The cases of Autobahn, the test suite for WebSocket, with the client's own WebSocket.

`make autobahn` installs what it needs.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pommego._transport import frames
from pommego._transport.websocket import WebSocket
from pommego.errors import ConnectionError, ProtocolError

kosoku = pytest.importorskip("kosoku", reason="make autobahn installs it")

AGENT = "pommego"
#: Compression, which the client does not offer.
LEFT_OUT = ["12.*", "13.*"]
TIMEOUT = 600
#: The opcodes of data frames read and not yet taken.
KINDS: list[int] = []


class Echo(WebSocket):
    """Sends back what it gets, texts too, which the client itself refuses."""

    kind = frames.BINARY

    def _take(self, early: bytes, length: int) -> Iterator[None]:
        kind = KINDS.pop()
        if kind != frames.CONTINUATION:
            self.kind = kind
        return super()._take(early, length)

    def echo(self) -> None:
        """Until the other side closes."""
        try:
            while True:
                message = self.recv(TIMEOUT)
                if self.kind == frames.TEXT:
                    check_text(self, bytes(message))
                self._send_frame(self.kind, message, time.monotonic() + TIMEOUT)
        except ConnectionError:
            pass


def check_text(ws: Echo, message: bytes) -> None:
    try:
        message.decode()
    except UnicodeDecodeError:
        ws.close(1007)
        raise ProtocolError("text that is not UTF-8", 1007) from None


@pytest.fixture
def takes_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have headers of texts checked as those of binary messages are."""
    check = frames.check_head

    def lenient(first: int, second: int, **how: Any) -> None:
        kind = first & frames.OPCODE
        check(first ^ frames.TEXT ^ frames.BINARY if kind == frames.TEXT else first, second, **how)
        if kind < frames.CLOSE:
            KINDS.append(kind)

    monkeypatch.setattr(frames, "check_head", lenient)


def connect(host: str, port: int, path: str) -> Echo:
    sock = socket.create_connection((host, port))
    sock.sendall(
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += sock.recv(1)
    assert answer.startswith(b"HTTP/1.1 101"), answer
    return Echo(sock)


def drive(host: str, port: int) -> None:
    """Ask for all cases, one connection each."""
    count = connect(host, port, "/getCaseCount")
    cases = int(bytes(count.recv(TIMEOUT)))
    count.close()
    for case in range(1, cases + 1):
        connect(host, port, f"/runCase?case={case}&agent={AGENT}").echo()
    connect(host, port, f"/updateReports?agent={AGENT}").echo()


def test_autobahn(takes_text: None) -> None:
    async def judge() -> list[Any]:
        async with kosoku.run_fuzzingserver(exclude_cases=LEFT_OUT, port=0) as server:
            driven = asyncio.to_thread(drive, server.address, server.port)
            return (await asyncio.gather(server.get_result(), driven))[0]

    try:
        results = asyncio.run(judge())
    except kosoku.FailureError as failed:
        results = failed.results
    verdicts: dict[str, int] = {}
    for result in results:
        verdicts[result.behavior.value] = verdicts.get(result.behavior.value, 0) + 1
    print(f"{len(results)} cases: {verdicts}")
    wrong = [
        f"{r.case_id}: {r.behavior.value}, {r.behavior_close.value}; {r.result}; {r.result_close}"
        for r in results
        if not r.passed
    ]
    assert wrong == []
    assert len(results) > 300
