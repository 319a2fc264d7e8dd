"""Steps through shared memory: the same games as through messages, whoever sleeps or gives up."""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from pommego._transport import channel, frames, shared
from processes import HANGS, halt, interrupt

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in channel._SYSCALLS,
    reason="memory is shared on Linux, on x86-64 and arm64, only",
)

Vec = Callable[..., pommego.PommegoVectorEnv]


def run(envs: pommego.PommegoVectorEnv, steps: int = 40, pause: float = 0.0) -> list[Any]:
    rng = np.random.default_rng(1)
    results = [frozen(envs.reset(seed=3))]
    for _ in range(steps):
        results.append(frozen(envs.step(rng.integers(0, 6, envs.action_space.shape))))
        time.sleep(pause)
    return results


def same(got: list[Any], want: list[Any]) -> None:
    for step, pair in enumerate(zip(got, want, strict=True)):
        assert_same(*pair, f"step {step}: ")


@pytest.mark.parametrize("ordered", [True, False], ids=["plain stores", "barriers"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("spin", "pause"),
    [(1.0, 0.0), (0.0, 0.0), (1.0, 0.002), (0.0, 0.002)],
    ids=["both spin", "we sleep", "it sleeps", "both sleep"],
)
def test_same_games(
    vec: Vec, monkeypatch: pytest.MonkeyPatch, ordered: bool, mode: str, copy: bool, spin: float, pause: float
) -> None:
    monkeypatch.setattr(channel, "_SPIN", spin)
    monkeypatch.setattr(channel, "_REST", 0)
    monkeypatch.setattr(channel, "_NAP", 1000.0)  # a lost wake-up would not be found
    if not ordered:
        monkeypatch.setattr(channel, "_ORDERED", ())
    options = {"games": 30, "autoreset_mode": mode, "copy": copy}
    posted, sent = vec(shared_memory=True, **options), vec(shared_memory=False, **options)
    assert posted._session.client.memory.channel._ordered <= ordered
    same(run(posted, pause=pause), run(sent))


@pytest.mark.parametrize("ordered", [True, False], ids=["plain stores", "barriers"])
def test_no_wake_up_is_lost(vec: Vec, monkeypatch: pytest.MonkeyPatch, ordered: bool) -> None:
    """Pauses of all lengths around those after which the two sides stop spinning."""
    monkeypatch.setattr(channel, "_NAP", 1000.0)
    monkeypatch.setattr(channel, "_REST", 0)
    if not ordered:
        monkeypatch.setattr(channel, "_ORDERED", ())
    envs = vec("OneVsOne-v0", games=1, shared_memory=True)
    envs.reset(seed=0)
    for k in range(1000):
        monkeypatch.setattr(channel, "_SPIN", k % 7 * 10e-6)
        envs.step(np.zeros(2, int))
        until = time.perf_counter() + k % 100 * 4e-6
        while time.perf_counter() < until:
            pass


def test_counts_wrap_around() -> None:
    """After 2^32 steps, which take half a day."""
    for turn in (0, 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**33):
        for ahead in range(-3, 4):  # the server is as far behind, or ahead, as there are slots
            assert channel.Channel.answered(_Counted(turn + ahead), turn) == (ahead > 0)


class _Counted:
    """As much of a channel as its count takes."""

    def __init__(self, answers: int) -> None:
        self._words = {channel._ANSWERED: answers % 2**32}


def test_without_futexes(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "_SYSCALLS", {})
    envs = vec(games=30)
    assert not envs.shared_memory
    same(run(envs), run(vec(games=30, shared_memory=False)))
    with pytest.raises(pommego.PommegoError, match="futexes cannot be called"):
        vec(games=30, shared_memory=True)


def test_several_components(vec: Vec) -> None:
    posted = vec("PommeRadioCompetition-v2", games=10, shared_memory=True)
    sent = vec("PommeRadioCompetition-v2", games=10, shared_memory=False)
    same(run(posted), run(sent))


@pytest.mark.parametrize("spin", [1.0, 0.0])
def test_errors_come_as_messages(vec: Vec, monkeypatch: pytest.MonkeyPatch, spin: float) -> None:
    monkeypatch.setattr(channel, "_SPIN", spin)
    envs, twin = vec(games=5, shared_memory=True), vec(games=5, shared_memory=False)
    envs.reset(seed=0)
    twin.reset(seed=0)
    for action in range(6):
        with pytest.raises(pommego.ServerError, match="row 3, component 0") as e:
            envs.step(np.where(np.arange(20) == 3, 6, 0))
        assert e.value.code == "bad_action"
        actions = np.full(20, action)
        assert_same(envs.step(actions), twin.step(actions), f"after error {action}: ")


def test_other_requests_do_not_overtake_steps(vec: Vec) -> None:
    envs, twin = vec(games=5, shared_memory=True), vec(games=5, shared_memory=False)
    for each in (envs, twin):
        each.reset(seed=0)
        each.step(np.full(20, 5))
        each.step(np.full(20, 1))
    assert envs.render(0) == twin.render(0)
    assert envs.get_state() == twin.get_state()


def test_interrupted_steps_are_forgotten(vec: Vec) -> None:
    envs, twin = pommego.make_vec("PommeFFACompetition-v0", 5), vec(games=5, shared_memory=False)
    envs.reset(seed=0)
    pid = envs.server.pid
    for _ in range(2 * shared.SLOTS):  # the later ones find no free slot
        halt(pid)
        try:
            with pytest.raises(KeyboardInterrupt):
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
                while True:
                    envs.step(np.zeros(20, int))
        finally:
            os.kill(pid, signal.SIGCONT)
    same(run(envs), run(twin))
    envs.close()


def test_steps_given_up_keep_their_slots_until_they_are_made(vec: Vec) -> None:
    envs, twin = pommego.make_vec("PommeFFACompetition-v0", 5), vec(games=5, shared_memory=False)
    envs.reset(seed=0)
    pid = envs.server.pid
    halt(pid)
    for _ in range(shared.SLOTS):
        with pytest.raises(KeyboardInterrupt):
            interrupt(envs)
            envs.step(np.ones(20, int))
    threading.Timer(0.2, os.kill, (pid, signal.SIGCONT)).start()
    envs.step(np.full(20, 5))
    twin.reset(seed=0)
    for action in [1] * shared.SLOTS + [5]:
        twin.step(np.full(20, action))
    assert envs.get_state() == twin.get_state()
    envs.close()


def simulated(envs: pommego.PommegoVectorEnv, n: int, **options: Any) -> tuple[Any, ...]:
    states = (envs.get_state() * n)[:n]
    result = envs.simulate(states, np.arange(n * envs.learners) % 6, seed=n, **options)
    after = [list(map(bytes, part)) if isinstance(part, list) else bytes(part) for part in result.states]
    return tuple(after), *result[1:]


@pytest.mark.parametrize("options", [{}, {"observation": "raw", "state": True}, {"observation": "box"}])
def test_simulations_are_posted(vec: Vec, options: dict[str, Any]) -> None:
    """As through the socket, for any number of states; arrays stay as they are when more come."""
    posted, sent = vec(games=3, shared_memory=True, **options), vec(games=3, shared_memory=False, **options)
    for each in (posted, sent):
        each.reset(seed=2)
    counted = posted._session.client.memory.channel
    kept, want = [], []
    for turn in range(12):
        n = (1, 5, 3)[turn % 3]
        further = {"steps": 3 + 40 * (turn % 2), "policy": "random"} if turn > 5 else {}
        before = counted.turn
        kept.append(simulated(posted, n, **further))
        want.append(frozen(simulated(sent, n, **further)))
        assert counted.turn == before + 1
        actions = np.full(12, turn % 6)
        kept.append(posted.step(actions))
        want.append(frozen(sent.step(actions)))
    same(kept, want)


def test_simulations_in_parts(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    posted, sent = vec(games=3, shared_memory=True), vec(games=3, shared_memory=False)
    for each in (posted, sent):
        each.reset(seed=2)
    for most in (4, 8192):
        monkeypatch.setattr("pommego._core.saved._AT_ONCE", most)
        for further in ({}, {"steps": 200, "policy": "random"}):
            for _ in range(2):  # a form is new only once
                assert_same(simulated(posted, 10, **further), simulated(sent, 10, **further))


def test_large_simulations_are_sent(vec: Vec) -> None:
    posted, sent = vec(games=4, shared_memory=True), vec(games=4, shared_memory=False)
    for each in (posted, sent):
        each.reset(seed=2)
    for n in (2, 300, 3000, 2):  # of 300 only the reply is too long for the memory, of 3000 the request, too
        assert_same(simulated(posted, n), simulated(sent, n), f"{n} states: ")


def test_simulations_that_are_refused(vec: Vec) -> None:
    envs, twin = vec(games=2, shared_memory=True), vec(games=2, shared_memory=False)
    for each in (envs, twin):
        each.reset(seed=2)
        with pytest.raises(pommego.ServerError, match="it is not what Save wrote") as e:
            each.simulate([b"no state"], np.zeros(4, int))
        assert e.value.code == "bad_state"
        with pytest.raises(pommego.ServerError, match="is 300, want") as e:
            each.simulate(each.get_state()[:1], [0, 1, 300, 0])
        assert e.value.code == "bad_action"
    assert_same(simulated(envs, 2), simulated(twin, 2))


def test_interrupted_simulations(vec: Vec) -> None:
    """The next one waits until the memory is free, and gets its own reply."""
    envs, twin = pommego.make_vec("PommeFFACompetition-v0", 2), vec(games=2, shared_memory=False)
    for each in (envs, twin):
        each.reset(seed=2)
    states = envs.get_state()
    pid = envs.server.pid
    for turn in range(2 * shared.SLOTS):
        halt(pid)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            with pytest.raises(KeyboardInterrupt):
                envs.simulate(states, np.zeros(8, int), seed=turn)
        finally:
            os.kill(pid, signal.SIGCONT)
        if turn % 2:
            assert_same(simulated(envs, 2), simulated(twin, 2))
    same(run(envs), run(twin))
    envs.close()


def test_the_server_dies_while_we_wait(binary: Path) -> None:
    envs = pommego.make_vec("PommeFFACompetition-v0", 5, timeout=2 * HANGS)
    envs.reset(seed=0)
    pid = envs.server.pid
    halt(pid)
    threading.Timer(0.1, os.kill, (pid, signal.SIGKILL)).start()
    begin = time.monotonic()
    with pytest.raises(pommego.ConnectionError):
        envs.step(np.zeros(20, int))
    assert time.monotonic() - begin < HANGS


def test_a_server_that_stands_still_times_out(binary: Path) -> None:
    envs = pommego.make_vec("PommeFFACompetition-v0", 5, timeout=5)
    envs.reset(seed=0)
    envs.timeout = 0.3
    halt(envs.server.pid)
    try:
        with pytest.raises(pommego.TimeoutError, match=r"within 0\.3 s"):
            envs.step(np.zeros(20, int))
    finally:
        os.kill(envs.server.pid, signal.SIGCONT)
    envs.close()


def test_a_control_frame_is_no_answer(binary: Path) -> None:
    """What keeps the connection alive comes while we sleep, and nothing behind it."""
    envs = pommego.make_vec("PommeFFACompetition-v0", 5, timeout=5)
    envs.reset(seed=0)
    pid = envs.server.pid
    envs._session.client._socket._send_frame(frames.PING, b"", time.monotonic() + 5)
    time.sleep(0.2)  # the pong is here
    halt(pid)
    going = threading.Event()

    def go_on() -> None:
        going.set()
        os.kill(pid, signal.SIGCONT)

    threading.Timer(0.4, go_on).start()
    envs.step(np.zeros(20, int))
    assert going.is_set(), "the answer came while the server stood still"
    envs.close()


@pytest.mark.parametrize(
    ("bytes_", "actions", "reason"),
    [
        (1024, [], "no slots"),
        (512, [768, 896], "no room for the words"),
        (1024, [768, 1 << 40], "actions outside"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_channel_that_does_not_fit_is_refused(bytes_: int, actions: list[int], reason: str) -> None:
    with pytest.raises(ValueError, match=r"slots|reshape"):
        channel.Channel(memoryview(bytearray(bytes_)), actions, (4,))
