"""The WebSocket layer against scripted peers on loopback sockets."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pommego._transport.websocket import WebSocket, wait
from pommego.errors import ClosedError, ConnectionError, ProtocolError, TimeoutError
from scripted import SUBPROTOCOL, answer, frame, listening, read_frame, read_request, upgraded


@contextlib.contextmanager
def connected(script: Callable[[socket.socket], None], **options: object) -> Iterator[WebSocket]:
    with upgraded(script) as address:
        ws = WebSocket.connect(address, subprotocol=SUBPROTOCOL, **options)
        try:
            yield ws
        finally:
            ws.close()


def sends(*chunks: bytes) -> Callable[[socket.socket], None]:
    """Send the chunks, then wait until the client has closed."""

    def script(sock: socket.socket) -> None:
        for chunk in chunks:
            sock.sendall(chunk)
        with contextlib.suppress(OSError):
            while sock.recv(4096):
                pass

    return script


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65535, 65536, 3_000_000])
def test_echo_of_every_form_of_length(length: int) -> None:
    data = random.Random(length).randbytes(length)

    def echo(sock: socket.socket) -> None:
        first, _, payload = read_frame(sock)
        assert first == 0x82
        sock.sendall(frame(payload))
        sends()(sock)

    with connected(echo) as ws:
        ws.send(data, timeout=10)
        assert ws.recv(timeout=10) == data


def test_masks_differ_and_are_not_zero() -> None:
    keys = []

    def script(sock: socket.socket) -> None:
        keys.extend(read_frame(sock)[1] for _ in range(3000))

    with connected(script) as ws:
        for _ in range(3000):
            ws.send(b"abc", timeout=10)
    assert len(set(keys)) > 2990, "masking keys repeat"


def test_payload_is_aligned_and_writable() -> None:
    with connected(sends(frame(b"a" * 10), frame(b"b" * 70_000))) as ws:
        for _ in range(2):
            view = ws.recv(timeout=10)
            array = np.frombuffer(view, np.uint8)
            assert array.ctypes.data % 64 == 0
            array[0] = 7
            assert view[0] == 7


def test_buffer_is_reused_unless_given_away() -> None:
    with connected(sends(frame(b"first!"), frame(b"second"), frame(b"third!"))) as ws:
        first = ws.recv(timeout=10)
        assert ws.recv(timeout=10) == b"second"
        assert first == b"second", "two messages should share one buffer"
        ws.give_away()
        assert ws.recv(timeout=10) == b"third!"
        assert first == b"second", "a buffer that was given away must not be written again"


def test_growing_keeps_old_views_intact() -> None:
    with connected(sends(frame(b"small"), frame(b"x" * 300_000))) as ws:
        first = ws.recv(timeout=10)
        assert len(ws.recv(timeout=10)) == 300_000
        assert first == b"small"


@pytest.mark.parametrize("seed", range(8))
def test_random_fragments_in_random_chunks(seed: int) -> None:
    """Any split into frames, control frames in between, and TCP segments gives the same messages."""
    rng = random.Random(seed)
    messages = [rng.randbytes(rng.choice([0, 1, 7, 200, 5000, 100_000])) for _ in range(12)]
    stream = b""
    for message in messages:
        cuts = sorted(rng.randint(0, len(message)) for _ in range(rng.randint(0, 5)))
        parts = [message[a:b] for a, b in zip([0, *cuts], [*cuts, len(message)], strict=True)]
        for i, part in enumerate(parts):
            if rng.random() < 0.3:
                stream += frame(rng.randbytes(rng.randint(0, 125)), 9)
            if rng.random() < 0.2:
                stream += frame(b"unasked", 10)
            stream += frame(part, 2 if i == 0 else 0, fin=i == len(parts) - 1)
    chunks = []
    while stream:
        n = rng.choice([1, 2, 3, 11, 4000, 60_000])
        chunks.append(stream[:n])
        stream = stream[n:]
    with connected(sends(*chunks)) as ws:
        for i, message in enumerate(messages):
            assert ws.recv(timeout=10) == message, f"message {i}"


def test_ping_is_answered_with_its_payload() -> None:
    seen = []

    def script(sock: socket.socket) -> None:
        sock.sendall(frame(b"are you there", 9) + frame(b"data"))
        seen.append(read_frame(sock))
        sends()(sock)

    with connected(script) as ws:
        assert ws.recv(timeout=10) == b"data"
    assert seen[0][0] == 0x8A
    assert seen[0][2] == b"are you there"


def test_a_ping_is_no_message_to_wait_for() -> None:
    answered, seen = threading.Event(), []

    def script(sock: socket.socket) -> None:
        sock.sendall(frame(b"one", 9) + frame(b"unasked", 10) + frame(b"two", 9))
        seen.extend([read_frame(sock), read_frame(sock)])
        answered.wait(10)
        sock.sendall(frame(b"three", 9) + frame(b"data"))
        seen.append(read_frame(sock))
        sends()(sock)

    with connected(script) as ws:
        assert not ws.readable(0.2, timeout=10)
        answered.set()
        assert ws.readable(10, timeout=10)
        assert ws.readable(0, timeout=10), "what has begun stays"
        assert ws.recv(timeout=10) == b"data"
    assert [(first, payload) for first, _, payload in seen] == [
        (0x8A, b"one"),
        (0x8A, b"two"),
        (0x8A, b"three"),
    ]


BAD = [
    (frame(b"x", reserved=4), 1002, "reserved bit (compression was not agreed)"),
    (frame(b"x", masked=True), 1002, "masked by a server"),
    (frame(b"x", 1), 1003, "text"),
    (frame(b"x", 3), 1002, "unknown data opcode"),
    (frame(b"x", 11), 1002, "unknown control opcode"),
    (frame(b"x" * 126, 9), 1002, "long ping"),
    (frame(b"x", 9, fin=False), 1002, "fragmented ping"),
    (frame(b"x", 0), 1002, "continuation without a beginning"),
    (frame(b"x", fin=False) + frame(b"y"), 1002, "new message inside a fragmented one"),
    (frame(b"x", form=16), 1002, "16-bit length for 1 byte"),
    (frame(b"x" * 200, form=64), 1002, "64-bit length for 200 bytes"),
    (b"\x82\xff" + b"\xff" * 8, 1002, "mask bit and length with the top bit set"),
    (b"\x82\x7f" + b"\xff" * 8, 1002, "length with the top bit set"),
    (frame(b"\x03", 8), 1002, "close payload of one byte"),
    (frame(b"\x03\xed", 8), 1002, "close code 1005"),
    (frame(b"\x00\x05", 8), 1002, "close code 5"),
    (frame(b"\x03\xe8\xff\xff", 8), 1002, "close reason that is not UTF-8"),
    (frame(b"x" * 5000), 1009, "larger than max_message"),
    (frame(b"x" * 900, fin=False) + frame(b"x" * 900, 0), 1009, "larger than max_message in fragments"),
    (b"\x82\x7f" + (1 << 40).to_bytes(8, "big"), 1009, "promises a terabyte"),
]


@pytest.mark.parametrize(("data", "code", "reason"), BAD, ids=[b[2] for b in BAD])
def test_bad_frames_close_with_a_code(data: bytes, code: int, reason: str) -> None:
    told = []

    def script(sock: socket.socket) -> None:
        sock.sendall(data)
        first, _, payload = read_frame(sock)
        told.append((first, int.from_bytes(payload[:2], "big")))

    with connected(script, max_message=1000) as ws:
        with pytest.raises(ProtocolError) as caught:
            ws.recv(timeout=10)
        assert caught.value.code == code, reason
        assert ws.closed
        with pytest.raises(ClosedError):
            ws.recv(timeout=10)
    assert told == [(0x88, code)]


@pytest.mark.parametrize(
    ("payload", "code", "text"),
    [
        (b"", None, "closed the connection"),
        (b"\x03\xe9going down", 1001, "going down"),
        (b"\x0f\xa0private", 4000, "private"),
    ],
)
def test_close_by_the_peer(payload: bytes, code: int | None, text: str) -> None:
    echoed = []

    def script(sock: socket.socket) -> None:
        sock.sendall(frame(payload, 8))
        echoed.append(read_frame(sock))

    with connected(script) as ws:
        with pytest.raises(ConnectionError, match=text) as caught:
            ws.recv(timeout=10)
        assert caught.value.code == code
        assert not isinstance(caught.value, ProtocolError)
    assert echoed[0][0] == 0x88
    assert echoed[0][2][:2] == payload[:2]


def test_close_sends_code_and_reason() -> None:
    seen = []
    with connected(lambda sock: seen.append(read_frame(sock))) as ws:
        ws.close(1001, "ü" * 100)
        ws.close()
    first, _, payload = seen[0]
    assert first == 0x88
    assert payload[:2] == b"\x03\xe9"
    assert len(payload) <= 125
    assert payload[2:].decode() == "ü" * 61, "a reason is cut between characters"
    with pytest.raises(ClosedError):
        ws.send(b"x", timeout=1)


def test_peer_vanishes() -> None:
    with connected(lambda sock: sock.sendall(frame(b"x" * 1000)[:500])) as ws:
        with pytest.raises(ConnectionError, match="without warning|lost"):
            ws.recv(timeout=10)


def test_peer_is_silent() -> None:
    with connected(sends()) as ws:
        with pytest.raises(TimeoutError, match="within 0.2 s"):
            ws.recv(timeout=0.2)
        with pytest.raises(ClosedError, match="within 0.2 s"):
            ws.recv(timeout=0.2)


@pytest.mark.parametrize(
    ("drip", "reason"),
    [
        (frame(b"", fin=False) + frame(b"", 0, fin=False) * 10_000_000, "empty fragments"),
        (frame(b"x", 9) * 10_000_000, "pings"),
    ],
    ids=["empty fragments", "pings"],
)
def test_floods_end_at_the_deadline(drip: bytes, reason: str) -> None:
    def script(sock: socket.socket) -> None:
        def eat() -> None:
            with contextlib.suppress(OSError):
                while sock.recv(65536):
                    pass

        eater = threading.Thread(target=eat)
        eater.start()
        with contextlib.suppress(OSError):
            sock.sendall(drip)
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
        eater.join()

    with connected(script) as ws, pytest.raises(TimeoutError):
        ws.recv(timeout=0.3)
    assert ws.closed, reason


def test_a_slow_drip_ends_at_the_deadline() -> None:
    """The deadline is for the message, not for each byte of it."""

    def script(sock: socket.socket) -> None:
        data = frame(b"x" * 10_000)
        with contextlib.suppress(OSError):
            for i in range(len(data)):
                sock.sendall(data[i : i + 1])
                time.sleep(0.02)

    with connected(script) as ws, pytest.raises(TimeoutError):
        ws.recv(timeout=0.3)


def test_peer_that_does_not_read() -> None:
    release = threading.Event()
    with connected(lambda _: release.wait(10)) as ws:
        try:
            with pytest.raises(TimeoutError, match="does not read"):
                ws.send(bytes(64 << 20), timeout=0.3)
        finally:
            release.set()
        assert ws.closed


def test_interrupts_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted at every single wait, with a byte at a time, the stream stays whole."""
    messages = [b"", b"a", b"b" * 200, b"c" * 70_000]
    stream = b"".join(frame(m[:100], fin=False) + frame(b"ping", 9) + frame(m[100:], 0) for m in messages)

    def script(sock: socket.socket) -> None:
        for byte in stream[:600]:
            sock.sendall(bytes([byte]))
        sends(stream[600:])(sock)

    interrupts = 0

    def interrupting(*args: object, **kwargs: object) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts % 2:
            raise KeyboardInterrupt
        wait(*args, **kwargs)

    with connected(script) as ws:
        monkeypatch.setattr("pommego._transport.websocket.wait", interrupting)
        for message in messages:
            while True:
                with contextlib.suppress(KeyboardInterrupt):
                    got = ws.recv(timeout=10)
                    break
            assert got == message
        monkeypatch.undo()
    assert interrupts > 10


def test_ctrl_c_while_waiting() -> None:
    go = threading.Event()

    def script(sock: socket.socket) -> None:
        go.wait(10)
        sends(frame(b"late"))(sock)

    with connected(script) as ws:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            ws.recv(timeout=10)
        go.set()
        assert ws.recv(timeout=10) == b"late"


def test_interrupt_inside_a_head_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with connected(sends(frame(b"data"))) as ws:
        monkeypatch.setattr("pommego._transport.frames.check_head", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ws.recv(timeout=10)
        with pytest.raises(ClosedError, match="within a frame"):
            ws.recv(timeout=10)


def test_a_forked_child_keeps_its_hands_off() -> None:
    def echo(sock: socket.socket) -> None:
        sock.sendall(frame(read_frame(sock)[2]))
        sends()(sock)

    with connected(echo) as ws:
        child = os.fork()
        if child == 0:
            try:
                ws.send(b"from the child", timeout=1)
            except ClosedError:
                ws.close()
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        ws.send(b"from the parent", timeout=10)
        assert ws.recv(timeout=10) == b"from the parent"


def test_unix_socket(tmp_path: Path) -> None:
    def echo(sock: socket.socket) -> None:
        sock.sendall(frame(read_frame(sock)[2]))
        sends()(sock)

    with upgraded(echo, path=str(tmp_path / "s")) as address:
        ws = WebSocket.connect(address, subprotocol=SUBPROTOCOL)
        ws.send(b"by file", timeout=10)
        assert ws.recv(timeout=10) == b"by file"
        ws.close()


def test_frames_right_behind_the_handshake() -> None:
    """What the server sends in the same segment as its headers is not lost."""

    def script(sock: socket.socket) -> None:
        sock.sendall(answer(read_request(sock)) + frame(b"eager") + frame(b"beaver"))
        sends()(sock)

    with listening(script) as address:
        ws = WebSocket.connect(address, subprotocol=SUBPROTOCOL)
        assert ws.recv(timeout=10) == b"eager"
        assert ws.recv(timeout=10) == b"beaver"
        ws.close()
