"""A server that says what a script says, whatever it is asked, and clients that use all they can do.

``decoders.py`` damages scripts: whatever a server says, a client plays on or ends with an error of ours.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any
from unittest import mock

import msgspec
import numpy as np

import pommego
from pommego._transport import wire
from pommego._transport.websocket import WebSocket
from scripted import frame

#: How environments are made, by name. A script begins with such a name.
MADE: dict[str, dict[str, Any]] = {
    "raw": {"observation": "raw", "state": True, "autoreset_mode": "SameStep", "counts": True},
    "box": {"observation": "box", "opponents": ["simple"] * 3, "rules": {"num_wood": 20}},
    "planes": {"observation": "planes", "autoreset_mode": "Disabled"},
    "unfogged": {"observation": "unfogged", "id": "PommeTeamCompetition-v0"},
    "policies": {"observation": "raw", "seats": ["learner", "still", "simple", "simple"]},
    "some": {"observation": "raw", "batch_size": 1, "id": "SuiteBot-v0"},
}


def record(name: str) -> bytes:
    """Play with a real server, and return what it says as a script, a msgpack array."""
    said: list[bytes] = []
    decode = wire.decode

    def listen(message: bytes | memoryview) -> wire.Reply:
        said.append(bytes(message))
        return decode(message)

    with mock.patch.object(wire, "decode", listen):
        _play(name)
    return msgspec.msgpack.encode([name, *map(msgspec.msgpack.decode, said)])


def play(script: bytes) -> str:
    """Play with a server that says this; returns how far it went.

    Raises:
        PommegoError: the server is none.
    """
    try:
        name, *replies = msgspec.msgpack.decode(script, type=list[Any])
        sent = b"".join(frame(msgspec.msgpack.encode(reply)) for reply in replies)
        MADE[name]
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError, RecursionError) as error:
        return f"no script: {error}"
    with _connection(sent) as connect, mock.patch.object(WebSocket, "connect", connect):
        _play(name, address="ws://127.0.0.1:1")
    return "all"


def _play(name: str, **where: Any) -> None:
    made = {"id": "PommeFFACompetition-v0", "num_envs": 2, "max_episode_steps": 2} | MADE[name]
    if "seats" in made:
        made["seats"] = [_still if seat == "still" else seat for seat in made["seats"]]
    with pommego.make_vec(**made, connection=pommego.Connection(shared_memory=False), **where) as envs:
        assert envs.observation_space is not None
        if "seats" in made and envs.single_action_space.shape:
            return  # for which `_still` is no policy
        actions = np.zeros((envs.batch_size * envs.learners, *envs.single_action_space.shape), np.int64)
        _, info = envs.reset(seed=7)
        if "batch_size" in made:
            for _ in range(3):
                envs.send(actions, info["row"])
                info = envs.recv()[4]
            return
        for _ in range(3):
            if made.get("autoreset_mode") == "Disabled":
                envs.reset(options={"reset_mask": np.ones(envs.num_envs, bool)})
            envs.step(actions)
        states = envs.get_state([1, 0])
        assert all(isinstance(bytes(state), bytes) for state in states)
        assert all(isinstance(state, dict) for state in envs.get_state([1, 0], as_json=True))
        if "seats" not in made:
            envs.simulate(states, actions)
        envs.set_state([1, 0], states)
        assert isinstance(envs.render(0), str)
        if name == "policies":
            assert envs.render(0, tile=4).dtype == np.uint8


def _still(obs: Any, info: Any) -> Any:
    return np.zeros(len(info["seat"]), np.int64)


@contextlib.contextmanager
def _connection(sent: bytes) -> Iterator[Any]:
    """Yield what connects to a server that has sent some bytes, and has ended."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        theirs.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)
        yield lambda *_, **__: WebSocket(ours)
