"""Ctrl-C at a real terminal, in the middle of a step that would take hours."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pommego
from compare import assert_same
from pommego._core.games import Games
from pommego._transport.channel import Channel
from processes import halt
from wiring import wired

# Runs until Ctrl-C, and then what the test wants to see.
PROGRAM = """
    import sys, threading, time, traceback
    import pommego
    from pommego import ClosedError

    options = {options}
    envs = pommego.make_vec("OneVsOne-v0", 2, opponents=["uct:ticks=1e8"], timeout=30, **options)
    envs.reset(seed=0)
    print("server", envs.server.pid, flush=True)

    def tell():
        me = threading.main_thread().ident
        while not {"collect", "_slot"} & {f.name for f in traceback.extract_stack(sys._current_frames()[me])}:
            time.sleep(0.01)
        print("in the middle", flush=True)

    def interrupted(call):
        try:
            threading.Thread(target=tell).start()
            call()
        except KeyboardInterrupt:
            print("interrupted", flush=True)

    def late(call):
        try:
            call()
        except (TimeoutError, ClosedError) as e:
            print(type(e).__name__ + ":", e, flush=True)
"""

WAYS = {
    "shared memory": "{}",
    "socket": "{'connection': pommego.Connection(shared_memory=False)}",
}


class Terminal:
    """A program on a terminal of its own, in the foreground."""

    def __init__(self, code: str) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                os.execv(sys.executable, [sys.executable, "-c", code])
            os._exit(127)
        self.text = ""

    def wait_for(self, wanted: str, times: int = 1) -> str:
        """Read until this is there so many times; returns all text since the start."""
        deadline = time.monotonic() + 100
        while self.text.count(wanted) < times:
            assert time.monotonic() < deadline, self.text
            try:
                part = os.read(self.fd, 4096)
            except OSError:  # it has ended
                part = b""
            assert part, f"it ended without {wanted!r}:\n{self.text}"
            self.text += part.decode().replace("\r\n", "\n")
        return self.text

    def press_ctrl_c(self) -> None:
        os.write(self.fd, b"\x03")

    def end(self) -> int:
        with contextlib.suppress(OSError):
            while part := os.read(self.fd, 4096):
                self.text += part.decode().replace("\r\n", "\n")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@contextlib.contextmanager
def running(code: str, options: str = "{}") -> Iterator[Terminal]:
    whole = textwrap.dedent(PROGRAM).replace("{options}", options) + textwrap.dedent(code)
    terminal = Terminal(whole)
    try:
        yield terminal
    finally:
        with contextlib.suppress(OSError):
            os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
        os.close(terminal.fd)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("next_call", ["envs.step([0, 0])", "envs.reset(seed=1)", "envs.get_state(0)"])
def test_the_next_call_waits_for_what_was_interrupted(binary: Path, options: str, next_call: str) -> None:
    """As long as for any reply; it can be interrupted, too. Then the environment can be closed, at once."""
    code = f"""
    interrupted(lambda: envs.step([0, 0]))
    interrupted(lambda: {next_call})
    envs.timeout = 0.3
    late(lambda: {next_call})
    late(lambda: {next_call})
    envs.close()
    print("the end", flush=True)
    """
    with running(code, options) as terminal:
        for times in (1, 2):
            terminal.wait_for("in the middle", times)
            terminal.press_ctrl_c()
            terminal.wait_for("interrupted\n", times)
        text = terminal.wait_for("the end")
        assert terminal.end() == 0
    assert "TimeoutError: no message from" in text
    assert "ClosedError: no message from" in text
    assert not is_running(int(text.split()[1])), "its server goes with it"


@pytest.mark.parametrize("options", ["{}", WAYS["socket"], "{'batch_size': 1}"])
def test_recv_waits_on(binary: Path, options: str) -> None:
    code = """
    if envs.batch_size == 1:
        envs.recv()
    envs.send([0] * envs.batch_size)
    interrupted(envs.recv)
    interrupted(envs.recv)
    envs.timeout = 0.3
    late(lambda: envs.reset(seed=1))
    print("the end", flush=True)
    """
    with running(code, options) as terminal:
        for times in (1, 2):
            terminal.wait_for("in the middle", times)
            terminal.press_ctrl_c()
            terminal.wait_for("interrupted\n", times)
        assert "TimeoutError: no message from" in terminal.wait_for("the end")


def test_a_program_that_does_not_catch_it_ends_with_its_server(binary: Path) -> None:
    with running("threading.Thread(target=tell).start()\nenvs.step([0, 0])") as terminal:
        terminal.wait_for("in the middle")
        terminal.press_ctrl_c()
        assert terminal.end() == -signal.SIGINT
    assert "KeyboardInterrupt" in terminal.text
    assert "Exception ignored" not in terminal.text
    assert not is_running(int(terminal.text.split()[1]))


@pytest.mark.parametrize("shared_memory", [None, False])
@pytest.mark.parametrize("raised", [KeyboardInterrupt, ZeroDivisionError, TimeoutError])
def test_after_a_short_step_the_environment_goes_on(
    binary: Path, shared_memory: bool | None, raised: type[BaseException]
) -> None:
    """Whatever the handler of the signal raises."""

    def fail(*_: object) -> None:
        raise raised

    before = signal.signal(signal.SIGALRM, fail)
    try:
        with pommego.make_vec("OneVsOne-v0", 2, **wired(shared_memory=shared_memory)) as envs:
            envs.reset(seed=0)
            for _ in range(3):
                halt(envs.server.pid)
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                with pytest.raises(raised):
                    envs.step([0] * 4)
                os.kill(envs.server.pid, signal.SIGCONT)
                envs.step([0] * 4)
            envs.reset(seed=1)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux only")
@pytest.mark.parametrize("posted", [False, True])
def test_an_interrupt_around_the_moment_of_a_post(
    server: pommego.Server, monkeypatch: pytest.MonkeyPatch, posted: bool
) -> None:
    """No later call gets what the interrupted one asked for, or waits for what was never asked."""
    post, where = Channel.post, {"address": server.address, "token": server.token, "timeout": 10}

    def interrupt(call: Callable[..., Any], *args: Any, **options: Any) -> None:
        def fail(channel: Channel, *what: int) -> None:
            if posted:
                post(channel, *what)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Channel, "post", fail)
            with pytest.raises(KeyboardInterrupt):
                call(*args, **options)

    def steps() -> list[int]:
        return [int(state["step_count"]) for state in envs.get_state(as_json=True)]

    for two in (False, True):
        more = {"address": [server.address] * 2, "replace": True} if two else {}
        with pommego.make_vec("OneVsOne-v0", 2, opponents=["static"], **where | more) as envs:
            envs.reset(seed=1)
            interrupt(envs.send, [0, 0])
            with pytest.raises(pommego.PommegoError, match="no step is in flight"):
                envs.recv()
            obs, before = envs.step([0, 0])[0], steps()
            assert before == ([2, 1] if two and posted else [1 + posted] * 2)
            assert_same(obs, envs._session.ask(Games.observe).obs)
            if two:
                envs._session.portions[0].games.close()
            else:
                interrupt(envs.simulate, states := envs.get_state(), [0, 0], seed=1)
                assert len(envs.simulate(states, [0, 0], seed=1).states) == 2
            envs.step([0, 0])
            assert steps() == [n + 1 for n in before]
    with pommego.make_vec("OneVsOne-v0", 4, opponents=["static"], batch_size=2, **where) as envs:
        envs.reset(seed=1)
        interrupt(envs.recv)
        envs.recv()
        envs.send([0] * 4, range(4))
        assert sorted([*envs.recv()[-1]["row"], *envs.recv()[-1]["row"]]) == list(range(4))
