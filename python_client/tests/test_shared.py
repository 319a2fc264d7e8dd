"""Shared memory: the same batches as through the socket, and nothing left behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from pommego._transport import shared, wire
from processes import HANGS
from wiring import wired

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux only")

Vec = Callable[..., pommego.PommegoVectorEnv]


def run(envs: pommego.PommegoVectorEnv, steps: int = 60) -> list[Any]:
    rng = np.random.default_rng(1)
    results = [frozen(envs.reset(seed=3))]
    for _ in range(steps):
        results.append(frozen(envs.step(rng.integers(0, 6, envs.action_space.shape))))
    return results


@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
def test_same_as_through_the_socket(vec: Vec, observation: str, mode: str, copy: bool) -> None:
    options = {"games": 40, "observation": observation, "autoreset_mode": mode, "copy": copy}
    socket, memory = vec(shared_memory=False, **options), vec(shared_memory=True, **options)
    assert memory.shared_memory
    assert not socket.shared_memory
    for step, (got, want) in enumerate(zip(run(memory), run(socket), strict=True)):
        assert_same(got, want, f"step {step}: ")


def test_copies_are_the_callers(vec: Vec) -> None:
    envs = vec(games=300, shared_memory=True)
    envs.reset(seed=0)
    kept = [envs.step(np.full(1200, action)) for action in range(6)]
    seen = [frozen(result) for result in kept]
    for action in range(6):
        envs.step(np.full(1200, action))
    for got, want in zip(kept, seen, strict=True):
        assert_same(got, want)
        assert got[0]["planes"].flags.writeable


def test_views_stand_while_batches_are_in_flight(vec: Vec) -> None:
    envs = vec(games=300, copy=False, shared_memory=True)
    envs.reset(seed=0)
    assert envs.max_in_flight == shared.SLOTS
    envs.send(np.zeros(1200, int))
    for action in range(40):
        envs.send(np.full(1200, action % 6))
        obs, *_ = envs.recv()
        was = frozen(obs)
        assert obs["planes"].flags.writeable, "or torch warns"
        envs.send(np.full(1200, (action + 1) % 6))  # two are being made while we look
        time.sleep(0.01)
        assert_same(obs, was)
        envs.recv()
    envs.recv()


def scribble(value: Any) -> None:
    """Write nonsense to all arrays of a result, but for the masks that are always true."""
    if isinstance(value, dict):
        for name, entry in value.items():
            if name not in ("_action_mask", "_alive", "_seat"):
                scribble(entry)
    elif isinstance(value, tuple):
        for entry in value:
            scribble(entry)
    elif value.dtype != object:
        value[...] = ~value if value.dtype == bool else 77


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_what_is_written_to_views_is_gone_after_the_next_call(
    vec: Vec, memory: bool, observation: str, mode: str
) -> None:
    """The server writes every byte of a batch anew, and reads none."""
    options = {"games": 12, "observation": observation, "autoreset_mode": mode, "max_episode_steps": 20}
    envs = vec(copy=False, expand_shared=False, shared_memory=memory, **options)
    twin = vec(expand_shared=False, shared_memory=False, **options)
    rng = np.random.default_rng(1)

    def both(call: Callable[[pommego.PommegoVectorEnv], Any]) -> Any:
        got, want = call(envs), call(twin)
        assert_same(got, want)
        scribble(got)
        return want

    both(lambda each: each.reset(seed=3))
    states = twin.get_state([0, 1])
    for step in range(60):
        actions = rng.integers(0, 6, envs.action_space.shape)
        over = np.logical_or(*both(lambda each: each.step(actions))[2:4])  # noqa: B023, called at once
        over = over.reshape(12, 4).all(axis=1).repeat(4)
        if mode == "Disabled" and over.any():
            both(lambda each: each.reset(options={"reset_mask": over}))  # noqa: B023
        if step % 17 == 5:
            both(lambda each: each.set_state([0, 1], states))


def scribble_in_a_child(views: Any) -> None:
    """Fork, and have the child write to all of them."""
    pid = os.fork()
    if pid == 0:
        scribble(views)
        os._exit(0)
    os.waitpid(pid, 0)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_that_writes_to_views_writes_to_its_own(vec: Vec) -> None:
    envs, twin = vec(games=30, copy=False, shared_memory=True), vec(games=30)
    for _ in range(3):
        got, want = envs.reset(seed=3), twin.reset(seed=3)
        scribble_in_a_child(got)
        assert_same(got, want)
        for action in range(4):
            got, want = envs.step(np.full(120, action)), twin.step(np.full(120, action))
        scribble_in_a_child(got)
        assert_same(got, want)
        assert_same(envs.step(np.zeros(120, int)), twin.step(np.zeros(120, int)))


def test_views_outlive_the_environment_and_the_server(binary: Path) -> None:
    envs = pommego.make_vec("PommeFFACompetition-v0", 8, copy=False, **wired(shared_memory=True))
    obs, _ = envs.reset(seed=0)
    was = frozen(obs)
    os.kill(envs.server.pid, signal.SIGKILL)
    with pytest.raises(pommego.ConnectionError):
        envs.step(np.zeros(32, int))
    envs.close()
    assert_same(obs, was)


@pytest.mark.parametrize("reason", ["missing", "another file", "another size"])
def test_falls_back_to_the_socket(
    vec: Vec, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reason: str
) -> None:
    """On another machine the path is missing, or is something else."""
    real = shared.SharedMemory.__init__

    def elsewhere(self: shared.SharedMemory, made: wire.EnvReply, *rest: Any, **named: Any) -> None:
        file, about = tmp_path / "memory", made.shared_memory
        if reason != "missing":
            file.write_bytes(bytes(about.size - (reason == "another size")))
        about.path = str(file)
        real(self, made, *rest, **named)

    monkeypatch.setattr(shared.SharedMemory, "__init__", elsewhere)
    envs = vec(games=5)
    assert not envs.shared_memory
    want = run(vec(games=5, shared_memory=False))
    for step, (got, expected) in enumerate(zip(run(envs), want, strict=True)):
        assert_same(got, expected, f"step {step}: ")
    with pytest.raises(pommego.PommegoError, match="leave shared_memory out"):
        vec(games=5, shared_memory=True)


def test_no_memory_stays_behind(binary: Path) -> None:
    def mapped(pid: int) -> int:
        return Path(f"/proc/{pid}/maps").read_text().count("memfd:pommego")

    def comes_to(want: int, pid: int) -> bool:
        """Wait for the server to notice that a connection is gone, which it does in its own time."""
        deadline = time.monotonic() + HANGS
        while mapped(pid) != want and time.monotonic() < deadline:
            time.sleep(0.005)
        return mapped(pid) == want

    gc.collect()  # what earlier tests left to the collector
    before = mapped(os.getpid())
    with pommego.Server() as server:
        where = {"address": server.address, "token": server.token} | wired(shared_memory=True)
        for _ in range(5):
            with pommego.make_vec("OneVsOne-v0", 10, **where) as envs:
                envs.reset(seed=0)
                assert comes_to(1, server.pid)
                assert mapped(os.getpid()) == before + 2  # one to look at, one to write to
                names = [str(f.readlink()) for f in Path(f"/proc/{server.pid}/fd").iterdir()]
                assert not [n for n in names if "memfd" in n], "the server keeps the file open"
            del envs
        assert mapped(os.getpid()) == before
        assert comes_to(0, server.pid)


def test_a_reset_forgets_shared_batches_in_flight(vec: Vec) -> None:
    envs = vec(games=50, shared_memory=True)
    want = vec(games=50, shared_memory=False).reset(seed=9)
    envs.reset(seed=1)
    for _ in range(20):
        while envs._in_flight < envs.max_in_flight:
            envs.send(np.zeros(200, int))
        assert_same(envs.reset(seed=9), want)
