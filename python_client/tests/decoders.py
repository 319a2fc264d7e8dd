"""What decodes bytes of other programs, as targets for fuzzing: a server's replies, manifests, addresses.

``make fuzz-python`` runs each under atheris, ``decoders.py TARGET FOLDER [libFuzzer's options]``: what it
finds new goes into the folder, and what is worth keeping from there into testdata/fuzz/TARGET.
"""

from __future__ import annotations

import contextlib
import copy
import json
import math
import random
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

HERE = Path(__file__).parent

with contextlib.ExitStack() as stack:
    if __name__ == "__main__":
        import atheris

        # atheris leaks the results of the comparisons that it traces; those of `encoding` are arrays.
        traced = atheris.instrument_imports(include=["pommego"], exclude=["pommego.encoding"])
        stack.enter_context(traced)
    import scripted_server
    from pommego._core.batch import BatchReader, Lazy
    from pommego._core.info import episode_info, final_info
    from pommego._transport import wire
    from pommego._transport.handshake import Address, upgrade
    from pommego._transport.shared import check_layout
    from pommego._transport.websocket import WebSocket
    from pommego.data import manifest
    from pommego.errors import PommegoError
    from pommego.pommerman import constants, utility
    from pommego.pommerman.agents import http_agent
    from pommego.pommerman.runner import docker_agent_runner
    from pommego.spec import GameSpec


Damage = Callable[[bytes, random.Random], bytes]


def mangled(message: bytes, rng: random.Random) -> bytes:
    """Flip, remove and insert bytes, mostly near the beginning."""
    out = bytearray(message)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(min(len(out), rng.choice([60, 300, len(out)]))) if out else 0
        what = rng.random()
        if what < 0.7 and out:
            out[at] = rng.choice([rng.randrange(256), 0xFF, 0, 0xDD, 0xC6, 0xCF, 0x90, 0x80])
        elif what < 0.85:
            del out[at : at + rng.randrange(1, 9)]
        else:
            out[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(out)


_NUMBERS = (-1, 0, 1, 2, 255, 256, 1 << 31, 1 << 40, 1 << 63, 0.5, 1e308, math.inf, math.nan)
#: What damaged values have in the place of a part; JSON and msgpack have all of these.
ODD = (None, True, *_NUMBERS, "", "x", "10", [], {})


def misshapen(read: Callable[[bytes], Any], write: Callable[[Any], bytes]) -> Damage:
    """Return a function that replaces, removes or repeats parts of a value, or only changes bytes of it.

    Args:
        read: turns the bytes into dictionaries, lists and plain values.
        write: turns them into bytes again.
    """

    def damage(data: bytes, rng: random.Random) -> bytes:
        try:
            value = read(data)
        except (ValueError, RecursionError, MemoryError, msgspec.MsgspecError):
            return mangled(data, rng)
        if rng.random() < 0.3:
            return mangled(data, rng)
        for _ in range(rng.choice([1, 1, 2, 5])):
            value = _misshapen(value, rng)
        return write(value)

    return damage


def _misshapen(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bytes) and rng.random() < 0.5:
        return mangled(value, rng)
    if isinstance(value, msgspec.msgpack.Ext):
        return msgspec.msgpack.Ext(rng.choice([value.code, 0, 5]), mangled(bytes(value.data), rng))
    if not (isinstance(value, dict | list) and value) or rng.random() < 0.1:
        return copy.copy(rng.choice(ODD))
    at = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    what = rng.random()
    if what < 0.1:
        del value[at]
    elif what < 0.2 and isinstance(value, list):
        value.insert(at, copy.deepcopy(value[at]))
    else:
        value[at] = _misshapen(value[at], rng)
    return value


@dataclass(frozen=True)
class Target:
    """One decoder.

    Attributes:
        decode: takes the bytes.
        errors: what it may raise, which is turned into an error with a name or has one.
        seeds: returns what it decodes without an error.
        damage: returns bytes with something changed.
    """

    decode: Callable[[bytes], object]
    errors: tuple[type[Exception], ...]
    seeds: Callable[[], list[bytes]]
    damage: Damage = mangled

    def try_on(self, data: bytes) -> str:
        """Decode, and return the name of what came of it."""
        try:
            return type(self.decode(data)).__name__
        except self.errors as e:
            return type(e).__name__


def _misshapen_replies(script: bytes, rng: random.Random) -> bytes:
    """Damage some replies of a script."""
    try:
        name, *replies = msgspec.msgpack.decode(script, type=list)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return mangled(script, rng)
    for _ in range(rng.choice([1, 1, 2, 5]) if replies else 0):
        at = rng.randrange(len(replies))
        replies[at] = _another(replies[at], replies, rng)
    return msgspec.msgpack.encode([name, *replies])


def _another(reply: Any, replies: list[Any], rng: random.Random) -> Any:
    """Return a damaged reply, one of the others in its place, or an error."""
    if not isinstance(reply, dict) or rng.random() < 0.8:
        return _misshapen(reply, rng)
    error = {"type": "error", "code": rng.choice(["limit", "bad_action", "game_panic"]), "message": "no"}
    other = rng.choice([reply for reply in replies if isinstance(reply, dict)] + [error] * 5)
    return other | {"id": reply.get("id")}


def _golden() -> list[bytes]:
    index = json.loads((HERE.parents[1] / "bridge/testdata/golden.json").read_text())
    return [bytes.fromhex(entry["reply"]) for entry in index]


@cache
def _made() -> wire.EnvReply:
    return next(reply for reply in map(wire.decode, _golden()) if isinstance(reply, wire.EnvReply))


def reader_of(made: wire.EnvReply) -> BatchReader:
    """Return what reads an environment's batches."""
    learners, final = made.rows // made.games, bool(made.final_fields)
    return BatchReader(made.fields, learners=learners, copy=True, expand=True, final=final)


def use(reply: wire.Reply, reader: BatchReader, games: int, rows: int) -> wire.Reply:
    """Do with a reply what an environment does with it."""
    if isinstance(reply, wire.Batch | wire.Simulated):
        reply.give_away = lambda: None
        view = reader.read(reply, games)
        assert all(len(array) == rows for array in view.obs.values())
        if view.finished.size:
            game = episode_info(view.stats, ())
            Lazy(final_info(view, np.ones(rows, np.bool_), game, rows // games, rows)).items()
    elif isinstance(reply, wire.EnvReply):
        spec = GameSpec.from_wire(reply.spec)
        spec.encoding(reply.observation)
        spec.action_space()
        if reply.shared_memory is not None:
            check_layout(reply)
    return reply


def _reply(data: bytes) -> object:
    return _used(wire.decode(data))


def _used(reply: wire.Reply) -> wire.Reply:
    made = _made()
    games = len(reply.states) if isinstance(reply, wire.Simulated) else made.games
    return use(reply, reader_of(made), games, games * made.rows // made.games)


@contextlib.contextmanager
def _hearing(data: bytes) -> Iterator[socket.socket]:
    """Open a socket whose other end has sent some bytes, and has ended."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data[: 1 << 15])
        theirs.shutdown(socket.SHUT_WR)
        yield ours


def _frames(data: bytes) -> object:
    with _hearing(data) as sock:
        connection = WebSocket(sock, max_message=1 << 16)
        while True:
            connection.recv(timeout=5)


def _handshake(data: bytes) -> object:
    with _hearing(data) as sock:
        upgrade(sock, Address("localhost", 1), subprotocol="pommego.v4+msgpack", token=None, timeout=5)
        raise AssertionError("the other end cannot know the key")


def _address(data: bytes) -> Address:
    address = Address.parse(data.decode(errors="surrogateescape"))
    assert Address.parse(str(address)) == address
    return address


def _manifest(data: bytes) -> object:
    path = Path("manifest.json")
    with contextlib.suppress(manifest.DamagedError):
        manifest._parse(data, path)
    try:
        content = json.loads(data)  # as if its checksum were right
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    manifest._files(manifest._known(content, path), path.parent)
    return content


def _asked(data: bytes) -> object:
    """Decode bytes as the answer of an agent behind HTTP, and as a request to one."""
    with contextlib.suppress(ValueError):
        http_agent._action(data, "http://x")
    return docker_agent_runner._fields(data)


def _requests() -> list[bytes]:
    in_json = utility.PommermanJSONEncoder().encode(
        {"board": np.zeros((2, 2), np.uint8), "teammate": constants.Item.Agent2, "position": (1, 1)}
    )
    return [b'{"action": [5, 1, 2]}', json.dumps({"obs": in_json, "action_space": "6"}).encode()]


IN_JSON = misshapen(json.loads, lambda value: json.dumps(value).encode())
IN_MSGPACK = misshapen(msgspec.msgpack.decode, msgspec.msgpack.encode)
TARGETS = {
    # `Games` turns MISFITS into an error of ours.
    "replies": Target(_reply, wire.MISFITS, _golden, IN_MSGPACK),
    "sessions": Target(
        scripted_server.play,
        (PommegoError,),
        lambda: list(map(scripted_server.record, scripted_server.MADE)),
        _misshapen_replies,
    ),
    "frames": Target(
        _frames,
        (PommegoError,),
        lambda: [
            b"\x82\x03abc",
            b"\x02\x01a\x89\x01b\x80\x01c",
            b"\x82\x7e\x01\0" + bytes(256),
            b"\x88\x02\x03\xe8",
        ],
    ),
    "handshake": Target(
        _handshake,
        (PommegoError,),
        lambda: [
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: x\r\n\r\n",
            b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 5\r\n\r\ntoken",
        ],
    ),
    "addresses": Target(
        _address,
        (ValueError,),
        lambda: [b"ws://127.0.0.1:8765", b"unix:/tmp/x", b"wss://[::1]:1/a", b"box:80"],
    ),
    "manifests": Target(
        _manifest,
        (manifest.DamagedError,),
        lambda: [
            b'{"format": "pommego-dataset/1", "files": [{"path": "data/games-00000.parquet"}], '
            b'"others": [], "checksum": "0"}',
        ],
        IN_JSON,
    ),
    "agents": Target(_asked, (ValueError,), _requests, IN_JSON),
}

if __name__ == "__main__":
    name, folder = sys.argv.pop(1), Path(sys.argv.pop(1))
    target = TARGETS[name]
    folder.mkdir(parents=True, exist_ok=True)
    known = [path.read_bytes() for path in sorted((HERE / "testdata" / "fuzz" / name).glob("*"))]
    for k, data in enumerate(target.seeds() + known):
        (folder / f"known-{k}").write_bytes(data)

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        rng = random.Random(seed)
        return target.damage(data, rng)[:longest] if rng.random() < 0.5 else atheris.Mutate(data, longest)

    structured = {"custom_mutator": mutate} if target.damage is not mangled else {}
    atheris.Setup([*sys.argv, str(folder)], target.try_on, **structured)
    atheris.Fuzz()
