"""Steps through the mailbox: the same games as through messages, whoever sleeps and whatever is given up."""

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
from pommego._transport import frames, mailbox, shared, wire
from processes import halt

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="there are mailboxes on Linux and x86-64 only",
)

Vec = Callable[..., pommego.PommegoVectorEnv]


def run(envs: pommego.PommegoVectorEnv, steps: int = 40, pause: float = 0.0) -> list[Any]:
    dice = np.random.default_rng(1)
    results = [frozen(envs.reset(seed=3))]
    for _ in range(steps):
        results.append(frozen(envs.step(dice.integers(0, 6, envs.action_space.shape))))
        time.sleep(pause)
    return results


def same(got: list[Any], want: list[Any]) -> None:
    for step, pair in enumerate(zip(got, want, strict=True)):
        assert_same(*pair, f"step {step}: ")


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("look", "pause"),
    [(1.0, 0.0), (0.0, 0.0), (1.0, 0.002), (0.0, 0.002)],
    ids=["both look", "we sleep", "it sleeps", "both sleep"],
)
def test_same_games(
    vec: Vec, monkeypatch: pytest.MonkeyPatch, mode: str, copy: bool, look: float, pause: float
) -> None:
    monkeypatch.setattr(mailbox, "_LOOK", look)
    monkeypatch.setattr(mailbox, "_TRY_AGAIN", 0)
    options = {"games": 30, "autoreset_mode": mode, "copy": copy}
    posted, sent = vec(shared_memory=True, **options), vec(shared_memory=False, **options)
    assert posted._session.memory.mailbox is not None
    same(run(posted, pause=pause), run(sent))


def test_without_a_mailbox(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    want = run(vec(games=30, shared_memory=True))
    monkeypatch.setattr(shared, "_ORDERLY", ())
    envs = vec(games=30, shared_memory=True)
    assert envs.shared_memory
    assert envs._session.memory.mailbox is None
    same(run(envs), want)


def test_several_components(vec: Vec) -> None:
    posted = vec("PommeRadioCompetition-v2", games=10, shared_memory=True)
    sent = vec("PommeRadioCompetition-v2", games=10, shared_memory=False)
    same(run(posted), run(sent))


@pytest.mark.parametrize("look", [1.0, 0.0])
def test_errors_come_as_messages(vec: Vec, monkeypatch: pytest.MonkeyPatch, look: float) -> None:
    monkeypatch.setattr(mailbox, "_LOOK", look)
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
    for _ in range(2 * shared.BATCHES):  # more than there are slots
        halt(pid)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            with pytest.raises(KeyboardInterrupt):
                envs.step(np.zeros(20, int))
        finally:
            os.kill(pid, signal.SIGCONT)
    same(run(envs), run(twin))
    envs.close()


def test_the_server_dies_while_we_wait(binary: Path) -> None:
    envs = pommego.make_vec("PommeFFACompetition-v0", 5)
    envs.reset(seed=0)
    pid = envs.server.pid
    halt(pid)
    threading.Timer(0.1, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(pommego.ConnectionError):
        envs.step(np.zeros(20, int))


def test_a_control_frame_is_no_answer(binary: Path) -> None:
    """What keeps the connection alive comes while we sleep in the mailbox, and nothing behind it."""
    envs = pommego.make_vec("PommeFFACompetition-v0", 5, timeout=5)
    envs.reset(seed=0)
    pid = envs.server.pid
    envs._session.client._socket._send_frame(frames.PING, b"", time.monotonic() + 5)
    time.sleep(0.2)  # the pong is here
    halt(pid)
    threading.Timer(0.2, os.kill, (pid, signal.SIGCONT)).start()
    envs.step(np.zeros(20, int))
    envs.close()


def test_a_missed_ring_is_repeated(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server may go to sleep right after a step was posted: the client then has to ring."""
    envs = vec(games=5, shared_memory=True)
    want = run(vec(games=5, shared_memory=False), steps=10)
    post = mailbox.Mailbox.post
    monkeypatch.setattr(mailbox.Mailbox, "post", lambda self, request_id: post(self, request_id) or True)
    same(run(envs, steps=10, pause=0.002), want)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"slots": []}, "no slots"),
        ({"slots": [4]}, "not at a word"),
        ({"slots": [1 << 40]}, "outside"),
        ({"actions": [0]}, "fewer places than slots"),
        ({"client_sleeps": -8}, "before the memory"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mailbox_that_does_not_fit_is_refused(change: dict[str, Any], reason: str) -> None:
    about = {"server_looks": 0, "client_sleeps": 128, "slots": [256, 512], "actions": [768, 896]} | change
    with pytest.raises((ValueError, IndexError)):
        mailbox.Mailbox(memoryview(bytearray(1024)), wire.MailboxReply(**about), (4,))
