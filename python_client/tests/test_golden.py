"""The golden messages of the wire protocol, which the Go side is held to as well."""

from __future__ import annotations

import contextlib
import json
import socket
import typing
from typing import Any

import msgspec
import numpy as np
import pytest

import pommego
from compare import assert_same
from conftest import REPOSITORY
from pommego._core.games import Games
from pommego._transport import wire
from pommego._transport.buffers import ALIGNMENT, BufferPool
from pommego._transport.client import Client
from pommego.vector import PommegoVectorEnv
from scripted import frame, read_frame, upgraded

INDEX: list[dict[str, Any]] = json.loads((REPOSITORY / "bridge/testdata/golden.json").read_text())
SESSION = [entry for entry in INDEX if not entry.get("closes")]
REPLIES = {reply.__struct_config__.tag: reply for reply in typing.get_args(wire.Reply)}
#: Kinds of reply that no golden message shows: too long, or other on each machine.
OTHERS = {"envs", "shared", "compressed", "image"}


def plain(value: Any) -> Any:
    """Turn the file's JSON into what is encoded: {"bin": hex} is bytes."""
    if isinstance(value, dict):
        return (
            bytes.fromhex(value["bin"])
            if value.keys() == {"bin"}
            else {k: plain(v) for k, v in value.items()}
        )
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def message(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in entry.get("message", [])}


def request(entry: dict[str, Any]) -> bytes:
    return bytes.fromhex(entry["request"])


def reply(entry: dict[str, Any]) -> bytes:
    return bytes.fromhex(entry["reply"])


def by_name(name: str) -> dict[str, Any]:
    return next(entry for entry in INDEX if entry["name"] == name)


each = pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["name"])


def test_every_kind_of_reply_is_there() -> None:
    kinds = {msgspec.msgpack.decode(reply(entry))["type"] for entry in INDEX}
    assert kinds == REPLIES.keys() - OTHERS


def _described(name: str, value: Any) -> Any:
    """Read the value of a field, of which descriptions are JSON."""
    if name == "envs":
        return [msgspec.json.decode(spec) for spec in value]
    return msgspec.json.decode(value) if name == "spec" else value


@pytest.mark.parametrize("entry", [e for e in INDEX if "message" in e], ids=lambda entry: entry["name"])
def test_requests_are_encoded_to_the_byte(entry: dict[str, Any]) -> None:
    fields = message(entry)
    assert wire.encode(fields.pop("type"), fields.pop("id"), fields).hex() == request(entry).hex()


@each
def test_replies_are_understood(entry: dict[str, Any]) -> None:
    """Typed decoding gives what a plain decoder finds in the same bytes."""
    want = msgspec.msgpack.decode(reply(entry))
    got = wire.decode(reply(entry))
    assert type(got) is REPLIES[want.pop("type")]
    for name, value in want.items():
        if name in ("tensors", "final"):
            tensors = getattr(got, name)
            assert tensors.keys() == value.keys()
            for field, (dtype, shape, _, data) in value.items():
                assert_same(
                    tensors[field].array_of(dtype, tuple(shape)),
                    np.frombuffer(data, dtype).reshape(shape),
                    f"{field}: ",
                )
        elif hasattr(got, name) and name != "fields":
            assert getattr(got, name) == _described(name, value), name


@pytest.mark.parametrize("name", ["reset", "step_final", "simulate"])
def test_data_are_aligned(name: str) -> None:
    data = reply(by_name(name))
    memory = BufferPool().take(len(data))
    memory[: len(data)] = data
    got = wire.decode(memory[: len(data)])
    tensors = [*got.tensors.values(), *(getattr(got, "final", None) or {}).values()]
    assert len(tensors) > 10
    for tensor in tensors:
        if tensor.data:
            assert tensor.array_of(tensor.dtype, tensor.shape).ctypes.data % ALIGNMENT == 0


def test_a_whole_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Played back by a server that insists on each request, understood by client and environment."""

    def script(sock: socket.socket) -> None:
        for entry in SESSION:
            _, _, got = read_frame(sock)
            if "message" not in entry:
                assert got == request(entry)
            elif entry["name"] != "hello":  # which has our own name in it
                assert msgspec.msgpack.decode(got) == message(entry), entry["name"]
            sock.sendall(frame(reply(entry)))
        with contextlib.suppress(OSError):
            sock.recv(100)

    with upgraded(script) as address:
        client = Client(address)
        envs = None
        for entry in SESSION[1:]:
            fields = message(entry)
            kind = fields.pop("type", "")
            client.next_id = fields.pop("id", client.next_id)
            if entry["name"] == "make":
                games = Games(client, None, fields, copy=True, expand=True, shared_memory=False)
                envs = PommegoVectorEnv(games, render_mode="ansi", respawn=pytest.fail)
            elif entry["name"] == "reset":
                check_reset(envs.reset(seed=fields["seed"]))
            elif entry["name"] == "step":
                envs.step(actions(fields))
            elif entry["name"] == "step_final":
                check_final(envs.step(actions(fields)))
            else:
                check_call(client, entry, kind, fields)
        client.close()


def actions(fields: dict[str, Any]) -> np.ndarray:
    _, shape, _, data = fields["actions"]
    return np.frombuffer(data, np.uint8).reshape(shape)


def check_reset(result: tuple[dict, dict]) -> None:
    obs, info = result
    assert obs["board"].shape == (3, 3, 4, 3)
    assert info["seed"].tolist() == [7, 8, 9]
    assert info["action_mask"].shape == (3, 8)


def check_final(result: tuple[Any, ...]) -> None:
    *_, truncated, info = result
    assert truncated.all()
    assert info["_game"].all()
    assert info["game"]["length"].tolist() == [2, 2, 2]
    want = msgspec.msgpack.decode(reply(by_name("step_final")))["final"]["obs.self"]
    got = np.stack([obs["self"] for obs in info["final_obs"]])
    assert got.tobytes() == want[3]
    assert info["episode_number"].tolist() == [1, 1, 1]


def check_call(client: Client, entry: dict[str, Any], kind: str, fields: dict[str, Any]) -> None:
    want = msgspec.msgpack.decode(reply(entry))
    if "message" not in entry:
        client.submit(request(entry))
        with pytest.raises(pommego.ServerError, match=want["code"]):
            client.collect(wire.Ok)
    elif want["type"] == "error":
        with pytest.raises(pommego.ServerError) as caught:
            client.call(kind, wire.Ok, **fields)
        error = caught.value
        assert (error.code, error.message) == (want["code"], want["message"])
        assert (error.hint, error.field) == (want.get("hint", ""), want.get("field", ""))
    else:
        client.call(kind, REPLIES[want["type"]], **fields)


def test_the_golden_version_mismatch() -> None:
    entry = by_name("version_mismatch")

    def script(sock: socket.socket) -> None:
        read_frame(sock)
        sock.sendall(frame(reply(entry)))
        with contextlib.suppress(OSError):
            sock.recv(100)

    with upgraded(script) as address, pytest.raises(pommego.VersionError, match=r"speaks version \[4\]"):
        Client(address)
