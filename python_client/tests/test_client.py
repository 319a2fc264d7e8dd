"""Requests and replies against a scripted server: order, ids, errors, ends."""

from __future__ import annotations

import contextlib
import pickle
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from pommego._transport import wire
from pommego._transport.client import Client
from pommego.errors import (
    ClosedError,
    ConnectionError,
    GamePanicError,
    ProtocolError,
    ServerError,
    TimeoutError,
    VersionError,
)
from scripted import frame, listening, read_frame, read_request, upgraded

LIMITS = {"message_bytes": 1 << 20, "batch_bytes": 1 << 20, "in_flight": 8, "games_per_env": 100}


def reply(sock: socket.socket, **fields: Any) -> None:
    sock.sendall(frame(msgspec.msgpack.encode(fields)))


def request(sock: socket.socket) -> dict[str, Any]:
    first, _, payload = read_frame(sock)
    if first == 0x88:
        raise EOFError
    return msgspec.msgpack.decode(payload)


@contextlib.contextmanager
def greeted(script: Callable[[socket.socket], None], timeout: float = 10) -> Iterator[Client]:
    """A client of a server that says hello properly and then does what script says."""

    def run(sock: socket.socket) -> None:
        hello = request(sock)
        assert hello["type"] == "hello"
        assert hello["versions"] == [4]
        reply(sock, type="hello", id=hello["id"], version=3, server="s", seed_version=1, limits=LIMITS)
        with contextlib.suppress(EOFError):
            script(sock)

    with upgraded(run) as address:
        client = Client(address, timeout=timeout)
        try:
            yield client
        finally:
            client.close()


def ok_for_ever(sock: socket.socket) -> None:
    while True:
        reply(sock, type="ok", id=request(sock)["id"])


def test_hello_tells_about_the_server() -> None:
    with greeted(ok_for_ever) as client:
        assert client.limits == LIMITS
        assert client.call("close", wire.Ok, env=1) == wire.Ok(id=2)


def test_requests_in_flight_are_answered_in_order() -> None:
    with greeted(ok_for_ever) as client:
        ids = [client.submit(client.encode("close", env=i)) for i in range(5)]
        assert len(client._expected) == 5
        assert [client.collect(wire.Ok).id for _ in range(5)] == ids
        with pytest.raises(ClosedError, match="no request is in flight"):
            client.collect(wire.Ok)


def test_a_reply_that_was_given_up_is_skipped() -> None:
    with greeted(ok_for_ever) as client:
        lost = client.submit(client.encode("close", env=1))
        client.give_up(lost)
        assert client.call("close", wire.Ok, env=2).id == lost + 1


def test_a_reply_lost_to_an_interrupt_is_not_waited_for() -> None:
    """After an interrupt right behind the receive, later replies still find their requests."""
    with greeted(ok_for_ever) as client:
        client.submit(client.encode("close", env=1))
        second = client.submit(client.encode("close", env=2))
        client._socket.recv(10)  # what an interrupt would have thrown away
        assert client.collect(wire.Ok).id == second
        assert len(client._expected) == 0


@pytest.mark.parametrize("wrong", [1, 2, 4, 0, -1, 2**40])
def test_no_reply_is_skipped_twice(wrong: int) -> None:
    """A server that sends the ids of other requests over and over could keep a call waiting for ever."""

    def script(sock: socket.socket) -> None:
        request(sock)
        reply(sock, type="ok", id=2)
        request(sock)
        with contextlib.suppress(OSError):
            for _ in range(1000):
                reply(sock, type="ok", id=wrong)
                time.sleep(0.01)

    with greeted(script, timeout=5) as client:
        client.submit(client.encode("close", env=1))
        client.give_up_all()
        with pytest.raises(ProtocolError, match=f"sent reply {wrong} after 2, of 3 requests"):
            client.call("close", wire.Ok, env=2)


def test_an_interrupted_call_does_not_answer_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(timeout: float) -> memoryview:
        raise KeyboardInterrupt

    with greeted(ok_for_ever) as client:
        monkeypatch.setattr(client._socket, "recv", interrupted)
        with pytest.raises(KeyboardInterrupt):
            client.call("close", wire.Ok, env=1)
        monkeypatch.undo()
        assert len(client._expected) == 0
        assert client.call("close", wire.Ok, env=2).id == 3


def test_errors_carry_what_the_server_said() -> None:
    def script(sock: socket.socket) -> None:
        got = request(sock)
        reply(
            sock,
            type="error",
            id=got["id"],
            code="bad_option",
            message="seat is 9",
            hint="use 0 to 3",
            field="seat",
        )
        ok_for_ever(sock)

    with greeted(script) as client:
        with pytest.raises(ServerError, match="seat is 9.*bad_option.*\n.*use 0 to 3") as caught:
            client.call("make", wire.EnvReply)
        assert (caught.value.code, caught.value.field) == ("bad_option", "seat")
        assert caught.value.hint == "use 0 to 3"
        assert client.call("close", wire.Ok, env=1), "the connection lives on"


def test_a_panic_carries_the_game() -> None:
    def script(sock: socket.socket) -> None:
        got = request(sock)
        fields = {
            "code": "game_panic",
            "message": "m",
            "game": 3,
            "seed": 2**64 - 1,
            "episode": 0,
            "state": b"s",
        }
        reply(sock, type="error", id=got["id"], **fields)

    with greeted(script) as client, pytest.raises(GamePanicError) as caught:
        client.call("step", wire.Batch, env=1)
    assert caught.value.details == {"game": 3, "seed": 2**64 - 1, "episode": 0, "state": b"s"}


def test_an_error_without_an_id_belongs_to_the_oldest_request() -> None:
    def script(sock: socket.socket) -> None:
        request(sock)
        reply(sock, type="error", id=None, code="malformed", message="what?")

    with greeted(script) as client, pytest.raises(ServerError, match="what"):
        client.call("close", wire.Ok, env=1)


@pytest.mark.parametrize(
    ("payload", "text", "reason"),
    [
        (b"\xc1", "an invalid reply", "no msgpack"),
        (msgspec.msgpack.encode({"type": "text", "id": 2, "text": ""}), "Text, expected Ok", "another reply"),
    ],
)
def test_replies_that_make_no_sense_end_the_connection(payload: bytes, text: str, reason: str) -> None:
    def script(sock: socket.socket) -> None:
        request(sock)
        sock.sendall(frame(payload))
        with contextlib.suppress(OSError):
            sock.recv(100)

    with greeted(script) as client:
        with pytest.raises(ProtocolError, match=text):
            client.call("close", wire.Ok, env=1)
        assert client._socket.closed, reason


def test_a_server_of_another_major_version_is_named() -> None:
    said = b'the subprotocols offered are ["pommego.v4+msgpack"], want pommego.v1+msgpack among them'

    def script(sock: socket.socket) -> None:
        read_request(sock)
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said))

    with listening(script) as address, pytest.raises(VersionError, match=r"want pommego\.v1.*same release"):
        Client(address)


def test_version_mismatch_says_who_speaks_what() -> None:
    def script(sock: socket.socket) -> None:
        got = request(sock)
        reply(sock, type="error", id=got["id"], code="version_mismatch", message="no", versions=[7, 8])
        with contextlib.suppress(OSError):
            sock.recv(100)

    with upgraded(script) as address, pytest.raises(VersionError, match=r"\[7, 8\].*\[4\].*same release"):
        Client(address)


def test_server_that_never_answers() -> None:
    def script(sock: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while sock.recv(1000):
                pass

    with greeted(script, timeout=0.2) as client:
        with pytest.raises(TimeoutError):
            client.call("close", wire.Ok, env=1)
        with pytest.raises(ClosedError, match="within"):
            client.call("close", wire.Ok, env=1)


def test_server_that_goes_away() -> None:
    def script(sock: socket.socket) -> None:
        request(sock)
        sock.sendall(frame(b"\x03\xe9shutting down", 8))
        with contextlib.suppress(OSError):
            sock.recv(100)

    with greeted(script) as client:
        with pytest.raises(ConnectionError, match="shutting down") as caught:
            client.call("close", wire.Ok, env=1)
        assert caught.value.code == 1001


def test_reply_beyond_what_the_server_promised() -> None:
    def script(sock: socket.socket) -> None:
        request(sock)
        with contextlib.suppress(OSError):
            sock.sendall(frame(bytes(4 << 20)))
            sock.recv(100)

    with greeted(script) as client, pytest.raises(ProtocolError, match="limit"):
        client.call("close", wire.Ok, env=1)


def test_errors_survive_pickling() -> None:
    """Between processes exceptions travel as pickles; one that cannot be read hangs the other side."""
    for error in (
        ServerError("bad_option", "m", "h", "f", {"versions": [1]}),
        GamePanicError("game_panic", "m"),
        ConnectionError("gone", 1001),
        TimeoutError("late"),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)
