"""Environments on one server that survive lost connections: the same games, through whatever happens."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pommego
from faulty import KINDS, FaultyProxy
from processes import HANGS
from test_opponents import play
from wiring import wired

ID = "PommeFFACompetition-v0"


@pytest.fixture(scope="module")
def server() -> Iterator[pommego.Server]:
    with pommego.Server() as running:
        yield running


def rollout(envs: pommego.PommegoVectorEnv, steps: int, before: Callable[[int], None] | None = None) -> str:
    """Play, and return a digest of all that came."""
    digest = hashlib.sha256()
    draw = np.random.default_rng(3)

    def add(obs: dict, info: dict) -> None:
        for name in sorted(obs):
            digest.update(np.ascontiguousarray(obs[name]).tobytes())
        digest.update(np.ascontiguousarray(info["action_mask"]).tobytes())
        for name, array in sorted(info.get("game", {}).items()):
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())

    add(*envs.reset(seed=11))
    for step in range(steps):
        if before:
            before(step)
        obs, reward, terminated, truncated, info = envs.step(draw.integers(0, 6, envs.num_envs))
        for array in (reward, terminated, truncated):
            digest.update(array.tobytes())
        add(obs, info)
        if step % 20 == 7:
            states = envs.get_state()
            digest.update(b"".join(bytes(state) for state in states))
            envs.set_state([0], states[-1:])
    return digest.hexdigest()


def cut(envs: pommego.PommegoVectorEnv) -> None:
    """End the connections without a word."""
    for portion in getattr(envs._session, "_inner", envs._session).portions:  # policies play over them
        with contextlib.suppress(OSError):  # with shared memory the loss before may not be known yet
            portion.games.client._socket._sock.shutdown(socket.SHUT_RDWR)


def still(obs: Any, info: Any) -> np.ndarray:
    return np.zeros(len(info["row"]), int)


def pooled() -> tuple[dict[str, Any], Callable[[], Any]]:
    pool = pommego.Pool(seed=5, rule="prioritised")
    pool.add(play)
    pool.add(still)
    line_ups = pommego.LineUps([[pool] * 3, ["simple", "static", "random"]])
    return {"opponents": line_ups}, lambda: (pool.rating, [(m.games, m.rating) for m in pool.members])


def changing() -> tuple[dict[str, Any], Callable[[], Any]]:
    return {"opponents": pommego.LineUps([[play] * 3, ["simple", play, "random"]])}, lambda: None


def named() -> tuple[dict[str, Any], Callable[[], Any]]:
    shared = {"copy": False, "connection": pommego.Connection()}
    return {"opponents": ["simple", "random", "static"], **shared}, lambda: None


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("made", [named, pooled, changing])
def test_a_cut_rollout_is_the_same(
    made: Callable[[], Any], mode: str, server: pommego.Server, caplog: pytest.LogCaptureFixture
) -> None:
    """Policies are asked once for each step, and pools count each game once."""
    options = wired(num_envs=3, autoreset_mode=mode, max_episode_steps=13, shared_memory=False)
    options |= {"address": server.address, "token": server.token}
    found = []
    for cuts in (set(), {0, 3, 29, 30, 55}):
        opponents, counted = made()
        replace = {"replace": True} if cuts else {}
        with pommego.make_vec(ID, **options | opponents | replace) as envs:

            def before(step: int, envs: pommego.PommegoVectorEnv = envs, cuts: set[int] = cuts) -> None:
                if made is changing and step in (25, 40):
                    envs.set_opponents([["random", play, "static"], [play, still, "simple"]][step % 2])
                if step in cuts:
                    cut(envs)

            found.append((rollout(envs, 60, before), counted()))
            lost = sum(host.lost for host in envs.hosts)
            assert lost == len(cuts) or (made is named and 0 < lost < len(cuts))  # see `cut`
    assert found[0] == found[1]
    assert len([r for r in caplog.records if "go on at" in r.message]) == lost


def test_interrupted_and_lost_at_once(server: pommego.Server) -> None:
    """What was under way when the caller was interrupted is made, as without the loss."""
    options = {"address": server.address, "token": server.token, "opponents": ["simple"] * 3}
    with (
        pommego.make_vec(ID, 2, replace=True, **options) as envs,
        pommego.make_vec(ID, 2, **options) as plain,
    ):
        for each in (envs, plain):
            each.reset(seed=0)
            each.send([5, 5])
            each._abandon()
        cut(envs)
        envs.step([1, 2])
        plain.step([1, 2])
        assert envs.get_state() == plain.get_state()


def test_without_it_the_loss_is_an_error(server: pommego.Server) -> None:
    with pommego.make_vec(ID, 2, address=server.address, token=server.token) as envs:
        envs.reset(seed=0)
        envs._session.client._socket._sock.shutdown(socket.SHUT_RDWR)
        with pytest.raises(pommego.ConnectionError):
            for _ in range(1000):  # in shared memory a few go on until the server has seen it
                envs.step(np.zeros(envs.num_envs, int))
        assert envs.hosts == ()


def test_a_server_that_is_gone() -> None:
    with pommego.Server() as brief:
        options = {"address": brief.address, "token": brief.token, "replace": True, "timeout": 1.0}
        envs = pommego.make_vec(ID, 1, **options)
        envs.reset(seed=0)
    begun = time.monotonic()
    with pytest.raises(pommego.ConnectionError, match=f"games 0 to 0, at {brief.address}"):
        envs.step(np.zeros(envs.num_envs, int))
    assert time.monotonic() - begun < HANGS
    with pytest.raises(pommego.ClosedError):
        envs.step(np.zeros(envs.num_envs, int))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"replace": True}, "replace needs address"),
        ({"replace": "ws://b", "address": "ws://a"}, "or a list: \\['ws://b'\\]"),
        ({"replace": True, "address": "ws://a", "web": True}, "there is no page"),
    ],
)
def test_what_cannot_be_replaced(options: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        pommego.make_vec(ID, 1, **options)


#: How many connections are spoiled; `make faults` spoils a thousand.
FAULTS = int(os.environ.get("POMMEGO_FAULTS", "30"))


def test_faults(server: pommego.Server, caplog: pytest.LogCaptureFixture) -> None:
    """A rollout with the right arrays, or an error with a name within the deadline: nothing else."""
    options = {"num_envs": 2, "observation": "raw", "opponents": ["static"] * 3, "token": server.token}
    with pommego.make_vec(ID, address=server.address, **options) as envs:
        want = rollout(envs, 12)
    faults, ends, lost = 0, {"right": 0, "named": 0}, 0
    seed, longest = 0, 0.0
    caplog.set_level(logging.ERROR, "pommego")  # each loss is a warning
    while faults < FAULTS:
        seed += 1
        proxy = FaultyProxy(server.address, seed, KINDS, 40_000)
        begun = time.monotonic()
        replace = {"replace": bool(seed % 2), "timeout": 1.0}
        with contextlib.closing(proxy):
            try:
                with pommego.make_vec(ID, address=proxy.address, **replace, **options) as envs:
                    assert rollout(envs, 12) == want, f"seed {seed}: other arrays after {proxy.faults}"
                    lost += sum(host.lost for host in envs.hosts)
                ends["right"] += 1
            except pommego.PommegoError as e:
                assert "in 1 s" in str(e) or not isinstance(e, pommego.TimeoutError), "its timeout"
                ends["named"] += 1
        longest = max(longest, time.monotonic() - begun)
        faults += len(proxy.faults)
    print(f"{faults} faults in {seed} rollouts: {ends}, {lost} losses survived; longest {longest:.1f} s")
    assert longest < HANGS
    assert ends["right"]
    assert ends["named"]
    assert lost
