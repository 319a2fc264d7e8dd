"""However either side ends, the other finds out, and nothing is left behind."""

from __future__ import annotations

import contextlib
import copy
import gc
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import pommego
from pommego._transport import wire
from pommego._transport.client import Client
from processes import HANGS


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def assert_gone(pid: int) -> None:
    deadline = time.monotonic() + HANGS
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} is still there after {HANGS} s"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(
    binary: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Give each test a folder for temporary files, and see that it is empty at the end."""
    tmp_path_factory.getbasetemp()  # pytest's own are elsewhere
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield
        gc.collect()
        assert list(Path(folder).iterdir()) == []


def make(**options: object) -> pommego.PommegoVectorEnv:
    envs = pommego.make_vec("OneVsOne-v0", 2, **options)
    envs.reset(seed=0)
    return envs


def server_of(envs: pommego.PommegoVectorEnv) -> int:
    return envs.server.pid


ACTIONS = np.zeros(4, int)


def test_close_stops_the_server() -> None:
    envs = make()
    pid = server_of(envs)
    assert is_running(pid)
    envs.close()
    assert not is_running(pid), "close waits until it is gone"


def test_with_block_and_exceptions() -> None:
    with contextlib.suppress(ZeroDivisionError), make() as envs:
        pid = server_of(envs)
        _ = 1 / 0
    assert not is_running(pid)
    assert envs.closed


def test_garbage_collection_stops_the_server() -> None:
    envs = make()
    pid, gone = server_of(envs), weakref.ref(envs)
    del envs
    gc.collect()
    assert gone() is None, "something keeps the environment alive"
    assert not is_running(pid)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("shared", [True, False])
def test_an_environment_that_lost_its_server_is_collected(*, sent: signal.Signals, shared: bool) -> None:
    envs = make(timeout=0.5, connection=pommego.Connection(shared_memory=shared))
    pid, gone = server_of(envs), weakref.ref(envs)
    os.kill(pid, sent)
    with pytest.raises((pommego.ServerDiedError, pommego.TimeoutError)) as caught:
        for _ in range(1000):  # threads stop one by one
            envs.step(ACTIONS)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
    with pytest.raises(pommego.ClosedError) as later:
        envs.step(ACTIONS)
    assert str(later.value) in str(caught.value)
    del envs, caught, later
    gc.collect()
    assert gone() is None, "something keeps the environment alive"
    assert not is_running(pid)


def test_a_failing_make_leaves_nothing() -> None:
    before = children()
    with pytest.raises(pommego.ServerError):
        pommego.make_vec("NoSuchGame-v0")
    assert children() == before


def children() -> set[str]:
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return {line.split()[0] for line in listed.stdout.splitlines() if "pommego" in line}


# The client's end --------------------------------------------------------------

START = """
    import os, signal, sys, time
    import numpy as np
    import pommego
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it is ignored under nohup
    envs = pommego.make_vec("OneVsOne-v0", 2)
    envs.reset(seed=0)
    print(envs.server.pid, flush=True)
"""


@contextlib.contextmanager
def client(code: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run code in another Python, after START; yields it and its server's process id."""
    program = textwrap.dedent(START) + textwrap.dedent(code)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


STEP_FOR_EVER = "while True: envs.step(np.zeros(4, int))"


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_client_dies_of_a_signal(sent: signal.Signals) -> None:
    with client(STEP_FOR_EVER) as (process, server):
        assert is_running(server)
        process.send_signal(sent)
        process.wait(timeout=HANGS)
        assert_gone(server)


def test_a_killed_client_leaves_no_socket() -> None:
    """Its server has a socket for others, which goes with it."""
    code = """
    server = pommego.Server(transport="unix")
    print(server.pid, server.address, server.token, flush=True)
    time.sleep(60)
    """
    with client(code) as (process, _):
        pid, address, token = process.stdout.readline().split()
        socket = Path(address.removeprefix("unix:"))
        assert (socket.stat().st_mode & 0o777, socket.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        environment = Path(f"/proc/{pid}/environ").read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
        assert environment
        assert token.encode() not in environment
        process.kill()
        assert_gone(int(pid))
        assert not socket.parent.exists()


@pytest.mark.parametrize("folder", ["x" * 71, "with a space", "\udcff\udcfe", "x" * 40 + " " + "y" * 60])
def test_any_folder_for_temporary_files(tmp_path: Path, folder: str) -> None:
    """The path of a Unix socket is short, and may have any characters."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:  # not pytest's, whose path is long
        place = Path(made) / folder
        place.mkdir()
        code = "import pommego; envs = pommego.make_vec('OneVsOne-v0', 2); envs.reset(seed=0); envs.close()"
        env = os.environ | {"TMPDIR": str(place)}
        subprocess.run([sys.executable, "-c", code], env=env, check=True)
        assert not list(place.iterdir())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "it ends without closing"),
        ("sys.exit(3)", "it exits"),
        ("raise RuntimeError", "it fails"),
        ("os._exit(0)", "it exits without cleaning up"),
        ("os.abort()", "it crashes"),
        ("sys.stdout = None; del envs", "it forgets the environment"),
        ("keep = [envs]; keep.append(keep)", "the environment is in a cycle"),
    ],
    ids=lambda value: value if " " in value and "=" not in value and "." not in value else "",
)
def test_client_ends(code: str, reason: str) -> None:
    with client(code) as (process, server):
        process.wait(timeout=HANGS)
        assert_gone(server)
        assert "Exception ignored" not in process.stderr.read(), reason


def test_ctrl_c_reaches_python_alone() -> None:
    """As in a terminal, the whole process group is interrupted; the environment goes on."""
    code = """
    try:
        print("ready", flush=True)
        while True: envs.step(np.zeros(4, int))
    except KeyboardInterrupt:
        pass
    envs.reset(seed=0)
    *_, info = envs.step(np.zeros(4, int))
    print("went on" if "action_mask" in info else "broken", flush=True)
    """
    with client(code) as (process, server):
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=HANGS)
        assert "went on" in out or "ClosedError" in err, err
        assert "the connection was interrupted" in err or not err, err
        assert_gone(server)


def test_a_forked_child_does_not_keep_the_server() -> None:
    """The parent is killed while its forked child lives on: the server goes all the same."""
    code = """
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    print("forked", flush=True)
    time.sleep(30)
    """
    with client(code) as (process, server):
        assert process.stdout.readline() == "forked\n"
        process.kill()
        assert_gone(server)
        os.killpg(process.pid, signal.SIGKILL)


def test_a_forked_child_leaves_the_parents_server_alone() -> None:
    with make() as envs:
        child = os.fork()
        if child == 0:
            try:
                envs.step(ACTIONS)
            except pommego.ClosedError:
                envs.close()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        envs.step(ACTIONS)


# The server's end --------------------------------------------------------------


def test_server_is_killed() -> None:
    with make() as envs:
        os.kill(server_of(envs), signal.SIGKILL)
        with pytest.raises(pommego.ServerDiedError, match="killed by signal 9") as died:
            for _ in range(100):
                envs.step(ACTIONS)
        assert (died.value.status, died.value.output, died.value.out_of_memory) == (-9, "", False)
        with pytest.raises(pommego.ClosedError, match="killed by signal 9|lost|without warning"):
            envs.step(ACTIONS)


@pytest.mark.parametrize("transport", ["tcp", "unix"])
def test_server_runs_out_of_memory(binary: Path, tmp_path: Path, transport: str) -> None:
    """The error names it, and quotes the fault and none of the goroutines that follow it."""
    starved = tmp_path / "pommego"
    starved.write_text(f'#!/bin/sh\nulimit -v {2 << 20}\nexec {binary} "$@" --max-memory-bytes {1 << 40}\n')
    starved.chmod(0o755)
    with pommego.Server(binary=starved, transport=transport) as server:
        client = Client(server.address, token=server.token, death=server.death)
        options = {"env_id": "PommeFFACompetition-v0", "games": 100_000, "observation": "planes"}
        with pytest.raises(pommego.ServerDiedError, match="ran out of memory") as died:
            for _ in range(5):
                client.call("make", wire.EnvReply, **options)
    assert died.value.out_of_memory
    assert died.value.status == 2
    assert re.search("memory|pthread_create", died.value.output.splitlines()[0])
    assert "goroutine" not in str(died.value)
    starved.write_text(f'#!/bin/sh\nulimit -v 400000\nexec {binary} "$@"\n')
    with pytest.raises(pommego.ServerStartError, match="ran out of memory"):  # too little for Go to begin
        pommego.Server(binary=starved, transport=transport)


def test_server_has_a_fault(fake: Callable[[str], None]) -> None:
    """Its last words are quoted from where they begin, however many goroutines come after."""
    fake("""
        echo chatter; printf 'panic: oh dear\\n\\tpanic: again\\n\\n'
        yes 'goroutine 7 [running]:' | head -n 50000; exit 2
    """)
    with pytest.raises(
        pommego.ServerStartError, match="exited with status 2; it printed last:\npanic: oh dear"
    ):
        pommego.Server()


def test_server_is_asked_to_stop() -> None:
    with make() as envs:
        os.kill(server_of(envs), signal.SIGTERM)
        with pytest.raises(pommego.ConnectionError):
            for _ in range(10_000):
                envs.step(ACTIONS)
        assert_gone(server_of(envs))


def test_server_hangs() -> None:
    with make() as envs:
        envs.timeout = 0.5
        os.kill(server_of(envs), signal.SIGSTOP)
        try:
            with pytest.raises(pommego.TimeoutError, match="0.5 s"):
                for _ in range(1000):  # threads stop one by one
                    envs.step(ACTIONS)
        finally:
            os.kill(server_of(envs), signal.SIGCONT)


def test_a_stopped_server_is_killed_on_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommego.server._GRACE", 0.3)
    envs = make()
    pid = server_of(envs)
    os.kill(pid, signal.SIGSTOP)
    envs.close()
    assert not is_running(pid)


# Starting ----------------------------------------------------------------------


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make POMMEGO_BINARY a shell script."""

    def write(script: str) -> None:
        path = tmp_path / "pommego"
        path.write_text("#!/bin/sh\n" + textwrap.dedent(script))
        path.chmod(0o755)
        monkeypatch.setenv("POMMEGO_BINARY", str(path))

    return write


@pytest.mark.parametrize(
    ("script", "text", "reason"),
    [
        ("echo no such flag >&2; exit 2", "(?s)exited with status 2.*no such flag", "it fails at once"),
        ("kill -9 $$", "killed by signal 9 and printed nothing", "it is killed"),
        ("echo hello >/proc/self/fd/$5", "expected its address", "it says something else"),
    ],
)
def test_server_does_not_start(fake: Callable[[str], None], script: str, text: str, reason: str) -> None:
    fake(script)
    with pytest.raises(pommego.ServerStartError, match=text):
        pommego.Server()
    assert reason


def test_server_says_nothing(fake: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommego.server._GRACE", 0.3)
    fake("echo thinking >&2; exec sleep 30")
    before = children()
    with pytest.raises(pommego.ServerStartError, match="(?s)within 0.5 s.*thinking"):
        pommego.Server(timeout=0.5)
    assert children() == before


def test_a_process_with_many_files() -> None:
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < 1200:
        pytest.skip(f"a process may have {most} files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1200, most))
    with contextlib.ExitStack() as opened:
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (least, most))
        while opened.enter_context(Path(os.devnull).open()).fileno() < 1024:
            pass
        opened.enter_context(make())


def test_no_binary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("POMMEGO_BINARY", str(tmp_path / "none"))
    with pytest.raises(pommego.BinaryNotFoundError, match="POMMEGO_BINARY is"):
        pommego.make_vec("OneVsOne-v0")
    monkeypatch.delenv("POMMEGO_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("pommego.server.__file__", str(tmp_path / "a" / "b" / "c" / "server.py"))
    with pytest.raises(pommego.BinaryNotFoundError, match="make build"):
        pommego.make_vec("OneVsOne-v0")


def test_binary_that_is_no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "pommego"
    path.write_bytes(b"\0\1\2")
    path.chmod(0o755)
    monkeypatch.setenv("POMMEGO_BINARY", str(path))
    with pytest.raises(pommego.ServerStartError, match="cannot be run"):
        pommego.Server(transport="unix")
    path.chmod(0o644)
    for wrong in (path, tmp_path):
        monkeypatch.setenv("POMMEGO_BINARY", str(wrong))
        with pytest.raises(pommego.BinaryNotFoundError, match="not a program that can be run"):
            pommego.Server()


def test_the_command_cannot_be_run(tmp_path: Path) -> None:
    """It says so in one line."""
    path = tmp_path / "pommego"
    path.write_bytes(b"\0\1\2")
    path.chmod(0o755)
    for wrong, says in ((path, "cannot be run: .*format"), (tmp_path, "not a program")):
        command = [sys.executable, "-m", "pommego", "version"]
        env = os.environ | {"POMMEGO_BINARY": str(wrong)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert re.fullmatch(f"pommego: .*{says}.*\n", done.stderr), done.stderr


def test_a_program_in_the_working_folder(
    fake: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one of the same name in PATH."""
    fake("exit 7")
    folder = Path(os.environ["POMMEGO_BINARY"]).parent
    monkeypatch.chdir(folder)
    for name in ("pommego", "./pommego"):
        with pytest.raises(pommego.ServerStartError, match="exited with status 7"):
            pommego.Server(binary=name)
        monkeypatch.setenv("POMMEGO_BINARY", name)
        assert pommego.server.find_binary() == folder / "pommego"


def test_no_folder_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])
        for transport in ("tcp", "unix"):
            with pytest.raises(pommego.ServerStartError, match="TMPDIR"):
                pommego.Server(transport=transport)


def test_server_dies_before_the_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    read = pommego.Server._read_address

    def kill(server: pommego.Server, *args: object) -> str:
        address = read(server, *args)
        os.kill(server.pid, signal.SIGKILL)
        return address

    monkeypatch.setattr(pommego.Server, "_read_address", kill)
    with pytest.raises(pommego.ServerDiedError, match="killed by signal 9") as caught:
        make()
    assert caught.value.status == -signal.SIGKILL


def test_a_server_stays_in_its_process(server: pommego.Server) -> None:
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="give the other process its address and token"):
            copied(server)


# Joining -----------------------------------------------------------------------


def test_a_server_for_several(server: pommego.Server) -> None:
    where = {"address": server.address, "token": server.token}
    with make(**where) as a, make(**where) as b:
        assert a.server is None
        a.step(ACTIONS)
        b.step(ACTIONS)
        a.close()
        b.step(ACTIONS)
    with make(**where) as c:
        c.step(ACTIONS)


@pytest.mark.parametrize("token", [None, "wrong"])
def test_the_token_is_needed(server: pommego.Server, token: str | None) -> None:
    with pytest.raises(pommego.HandshakeError, match="token=") as caught:
        make(address=server.address, token=token)
    assert caught.value.status == 401


def test_an_empty_address_is_no_server_of_its_own(server: pommego.Server) -> None:
    for address in ("", [server.address, ""]):
        with pytest.raises(ValueError, match="address '' lacks a host"):
            pommego.make_vec("OneVsOne-v0", 2, address=address, token=server.token)


def test_nobody_at_the_address() -> None:
    with pytest.raises(pommego.ConnectionError, match="pommego serve"):
        make(address="ws://127.0.0.1:1")
    with pytest.raises(ValueError, match="expected ws://"):
        make(address="http://127.0.0.1:1")
