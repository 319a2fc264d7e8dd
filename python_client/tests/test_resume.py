"""Sessions that outlive their connection, through a proxy that cuts it at random places."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import socket
import time
from collections.abc import Iterator

import numpy as np
import pytest

import pommego
from faulty import KINDS, FaultyProxy
from pommego._transport import wire

ID = "PommeFFACompetition-v0"


@pytest.fixture(scope="module")
def server() -> Iterator[pommego.Server]:
    with pommego.Server() as running:
        yield running


def rollout(envs: pommego.PommegoVectorEnv, steps: int) -> str:
    """Play, and return a digest of all that came."""
    digest = hashlib.sha256()
    draw = np.random.default_rng(3)

    def add(obs: dict, info: dict) -> None:
        for name in sorted(obs):
            digest.update(np.ascontiguousarray(obs[name]).tobytes())
        digest.update(np.ascontiguousarray(info["action_mask"]).tobytes())

    add(*envs.reset(seed=11))
    for step in range(steps):
        obs, reward, terminated, truncated, info = envs.step(draw.integers(0, 6, envs.num_envs))
        for array in (reward, terminated, truncated):
            digest.update(array.tobytes())
        add(obs, info)
        if step % 20 == 7:
            states = envs.get_state()
            digest.update(b"".join(bytes(state) for state in states))
            envs.set_state([0], states[-1:])
    return digest.hexdigest()


@pytest.mark.parametrize("seed", range(3))
def test_a_cut_rollout_is_the_same(
    seed: int, server: pommego.Server, caplog: pytest.LogCaptureFixture
) -> None:
    options = {"num_envs": 3, "observation": "raw", "opponents": ["simple"] * 3, "token": server.token}
    with pommego.make_vec(ID, address=server.address, **options) as envs:
        want = rollout(envs, 60)
        assert envs.resumed == 0
    # A hello and its reply have some 700 bytes, a batch some 3,000.
    proxy = FaultyProxy(server.address, seed, ("cut", "reset"), 12_000)
    with caplog.at_level(logging.WARNING, "pommego"):
        envs = opened(proxy, **options)
        with envs:
            assert rollout(envs, 60) == want
            assert envs.resumed > 10
            assert len([r for r in caplog.records if "resumed after" in r.message]) == envs.resumed
            assert envs.max_in_flight == 1
    proxy.close()


def opened(proxy: FaultyProxy, **options: object) -> pommego.PommegoVectorEnv:
    """Connect, again and again if the first hello is cut."""
    while True:
        with contextlib.suppress(pommego.ConnectionError):
            return pommego.make_vec(ID, address=proxy.address, resume=30, **options)


def test_first_ready_batches_are_resumed(server: pommego.Server) -> None:
    proxy = FaultyProxy(server.address, 5, ("cut", "reset"), 8_000)
    options = {"num_envs": 4, "batch_size": 2, "observation": "raw", "opponents": ["static"] * 3}
    with opened(proxy, token=server.token, **options) as envs:
        envs.reset(seed=0)
        seen = np.zeros(4, int)
        for _ in range(60):
            *_, info = envs.recv()
            games = info["row"]
            seen[games] += 1
            envs.send(np.zeros(2, int))
        assert envs.resumed > 3
        assert seen.sum() == 120
    proxy.close()


def cut(envs: pommego.PommegoVectorEnv) -> None:
    """End the connection without a word."""
    envs._session.client._socket._sock.shutdown(socket.SHUT_RDWR)


def test_without_it_the_loss_is_an_error(server: pommego.Server) -> None:
    options = {"address": server.address, "token": server.token, "shared_memory": False}
    envs = pommego.make_vec(ID, 2, **options)
    envs.reset(seed=0)
    cut(envs)
    with pytest.raises(pommego.ConnectionError) as raised:
        envs.step(np.zeros(envs.num_envs, int))
    assert "resumed" not in str(raised.value)
    assert envs.resumed == 0


def test_a_server_that_is_gone(server: pommego.Server) -> None:
    with pommego.Server() as brief:
        envs = pommego.make_vec(ID, address=brief.address, token=brief.token, resume=1, num_envs=1)
        envs.reset(seed=0)
        cut(envs)
    with pytest.raises(
        pommego.ConnectionError, match="could not be resumed: the server could not be reached within 1 s"
    ):
        envs.step(np.zeros(envs.num_envs, int))
    with pytest.raises(pommego.ClosedError):
        envs.step(np.zeros(envs.num_envs, int))


def test_a_session_that_is_gone(server: pommego.Server) -> None:
    envs = pommego.make_vec(ID, address=server.address, token=server.token, resume=60, num_envs=1)
    envs.reset(seed=0)
    envs._session.client._resumption._key = bytes(16)
    cut(envs)
    with pytest.raises(pommego.ConnectionError, match="keeps no session of this key"):
        envs.step(np.zeros(envs.num_envs, int))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"resume": 0, "transport": "tcp"}, "resume is 0, expected seconds"),
        ({"resume": 5}, "over TCP"),
        ({"resume": 5, "address": "unix:/nowhere"}, "over TCP"),
        ({"resume": 5, "transport": "tcp", "shared_memory": True}, "leave out one"),
    ],
)
def test_what_cannot_be_resumed(options: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        pommego.make_vec(ID, 1, **options)


def test_requests_are_kept_until_they_are_answered(server: pommego.Server) -> None:
    with pommego.make_vec(ID, address=server.address, token=server.token, resume=60, num_envs=1) as envs:
        envs.reset(seed=0)
        client = envs._session.client
        assert not client._resumption._unanswered
        client.submit(client.encode("ping"))
        assert len(client._resumption._unanswered) == 1
        client.collect(wire.Pong)
        assert not client._resumption._unanswered


#: How many connections are spoiled; `make faults` spoils a thousand.
FAULTS = int(os.environ.get("POMMEGO_FAULTS", "30"))


def test_faults(server: pommego.Server) -> None:
    """A resumed rollout with the right arrays, or an error with a name within the deadline: nothing else."""
    options = {"num_envs": 2, "observation": "raw", "opponents": ["static"] * 3, "token": server.token}
    with pommego.make_vec(ID, address=server.address, **options) as envs:
        want = rollout(envs, 12)
    faults, ends = 0, {"right": 0, "named": 0}
    seed, longest = 0, 0.0
    while faults < FAULTS:
        seed += 1
        proxy = FaultyProxy(server.address, seed, KINDS, 12_000)
        begun = time.monotonic()
        resume = 5 if seed % 2 else None
        try:
            with pommego.make_vec(ID, address=proxy.address, timeout=1.0, resume=resume, **options) as envs:
                assert rollout(envs, 12) == want, f"seed {seed}: other arrays after {proxy.faults}"
            ends["right"] += 1
        except pommego.PommegoError:
            ends["named"] += 1
        longest = max(longest, time.monotonic() - begun)
        faults += len(proxy.faults)
        proxy.close()
    print(f"{faults} faults in {seed} rollouts: {ends}; the longest took {longest:.1f} s")
    assert ends["right"] and ends["named"]
