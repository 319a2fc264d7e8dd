"""Servers, clients and parents that are killed or stopped, and systems that run out, again and again.

`make kills` does it 1,000 times. What happens in a cycle follows from its seed alone, up to when
exactly a signal arrives; POMMEGO_KILLS=SEED: plays that cycle alone.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from processes import HANGS, Serving, halt

ID = "PommeFFACompetition-v0"

SOCKET = {"connection": pommego.Connection(shared_memory=False)}
WAYS: list[dict[str, Any]] = [
    {},
    SOCKET,
    {"batch_size": 2},
]
GAMES: list[dict[str, Any]] = [
    {},
    {"opponents": ["simple"] * 3},
    {"opponents": ["mcts:ticks=200"] * 3},
    {"opponents": ["uct:ticks=1e8"] + ["static"] * 2},  # a step that would take for ever
]


class Child:
    """A forked process that runs a function, and says where it is through a pipe."""

    def __init__(self, run: Callable[[Callable[[object], None]], None]) -> None:
        out, into = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.close(out)
                run(lambda what: os.write(into, f"{what}\n".encode()) and None)
                status = 0
            except BaseException as e:
                os.write(into, f"failed: {e!r}\n".encode())
            finally:
                os._exit(status)
        os.close(into)
        self._said = os.fdopen(out)

    def heard(self) -> str:
        line = self._said.readline().strip()
        assert line, "the child ended without a word"
        assert not line.startswith("failed"), line
        return line

    def rest(self) -> str:
        """What else it says until it ends by itself, which it has to do well."""
        said = self._said.read()
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        assert status == 0, (status, said)
        return said

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.kill()
        with self._said:
            said = self._said.read()
        assert "failed" not in said, said


class World:
    """What the cycles share: folders that must be empty after each, and a server for several clients."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self.binary, self.folder = binary, folder
        self.took: Counter[str] = Counter()
        self.worst: dict[str, float] = {}
        self._server = Serving(binary, f"unix:{folder}/shared")
        self.address = self._server.address
        self.good = pommego.make_vec(ID, 2, address=self.address)
        self.good.reset(seed=0)
        self.idle = self.figures()

    def figures(self) -> dict[str, int]:
        """What the shared server has."""
        return self._server.figures(
            *("pommego_environments", "pommego_connections", "pommego_games", "pommego_memory_bytes"),
            "process_open_fds",
        )

    def good_goes_on(self) -> None:
        """Step the client that nothing happens to."""
        self.good.step(np.zeros(self.good.num_envs, int))

    def until(self, what: str, holds: Callable[[], bool]) -> None:
        """Wait until something is so, and note how long it took."""
        begin = time.monotonic()
        while not holds():
            assert time.monotonic() - begin < HANGS, f"not in {HANGS} s: {what}"
            time.sleep(0.002)
        self.worst[what] = max(self.worst.get(what, 0.0), time.monotonic() - begin)

    def freed(self) -> bool:
        """Whether the shared server has no more than before."""
        return all(value <= self.idle[name] for name, value in self.figures().items())

    def left_over(self) -> list[str]:
        """Processes and files of a cycle that are still there."""
        found = [str(path) for path in self.folder.iterdir() if path.name not in ("shared", "cycle")]
        found += [str(path) for path in (self.folder / "cycle").iterdir()]
        mark = f"TMPDIR={self.folder}/cycle".encode()
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if int(process.name) != os.getpid() and mark in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes().decode())
        return found

    def close(self) -> None:
        self.good.close()
        self._server.close()


def stepping(
    options: dict[str, Any],
    tell: Callable[[object], None],
    expected: tuple[type[Exception], ...] = (),
    timeout: float = 60,
) -> None:
    """Make an environment and step it for ever, or until an error that is to come."""
    envs = pommego.make_vec(ID, 4, **options)
    envs.reset(seed=1)
    envs.timeout = timeout
    tell(envs.server.pid if envs.server else 0)
    try:
        if "batch_size" in options:
            while True:
                envs.recv()
                envs.send(np.zeros(envs.action_space.shape, int))
        while True:
            envs.step(np.zeros(envs.num_envs, int))
    except expected:
        envs.close()


def drawn(draw: random.Random) -> dict[str, Any]:
    return draw.choice(WAYS) | draw.choice(GAMES)


def moment(draw: random.Random) -> None:
    time.sleep(draw.choice([0, 0.001, 0.01, 0.03]))


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


# The cycles ----------------------------------------------------------------------


def client_is_killed(world: World, draw: random.Random) -> None:
    """Its own server ends with it."""
    child = Child(lambda tell: stepping(drawn(draw), tell))
    server = int(child.heard())
    moment(draw)
    child.kill()
    world.until("the server of a killed client is gone", lambda: gone(server))
    child.close()


def client_of_several_is_killed(world: World, draw: random.Random) -> None:
    """A shared server frees what it had, and serves the others."""
    options = drawn(draw) | {"address": world.address}
    child = Child(lambda tell: stepping(options, tell))
    child.heard()
    world.good_goes_on()
    moment(draw)
    child.kill()
    world.until("environments of a killed client are freed", world.freed)
    world.good_goes_on()
    child.close()


def client_is_stopped(world: World, draw: random.Random) -> None:
    """The others are served meanwhile; it goes on, or is killed while it stands still."""
    options = draw.choice([{}, SOCKET]) | draw.choice(GAMES[:3]) | {"address": world.address}
    child = Child(lambda tell: stepping(options, tell))
    child.heard()
    moment(draw)
    halt(child.pid)
    for _ in range(20):
        world.good_goes_on()
    if draw.random() < 0.5:
        os.kill(child.pid, signal.SIGCONT)
        moment(draw)
    child.kill()
    world.until("environments of a killed client are freed", world.freed)
    child.close()


def server_is_killed(world: World, draw: random.Random) -> None:
    """Its client gets an error with a name."""
    options, seen = drawn(draw), (pommego.ServerDiedError, pommego.ConnectionError)
    child = Child(lambda tell: stepping(options, tell, seen))
    server = int(child.heard())
    moment(draw)
    begin = time.monotonic()
    os.kill(server, signal.SIGKILL)
    child.rest()
    world.worst["the client of a killed server knows"] = max(
        world.worst.get("the client of a killed server knows", 0), time.monotonic() - begin
    )
    child.close()


def server_is_stopped(world: World, draw: random.Random) -> None:
    """Its client's call times out, and closing kills it."""
    options = draw.choice([{}, SOCKET]) | draw.choice(GAMES[:3])
    child = Child(lambda tell: stepping(options, tell, (pommego.TimeoutError,), timeout=0.3))
    server = int(child.heard())
    moment(draw)
    os.kill(server, signal.SIGSTOP)
    child.rest()
    world.until("a stopped server is gone", lambda: gone(server))
    child.close()


def parent_is_killed(world: World, draw: random.Random) -> None:
    """It started a server, and a client of it is its child: the server ends, the client knows."""
    options, transport = (
        draw.choice([{}, SOCKET]) | draw.choice(GAMES),
        draw.choice(["unix", "tcp"]),
    )

    def parent(tell: Callable[[object], None]) -> None:
        server = pommego.Server(transport=transport)
        where = {"address": server.address, "token": server.token}
        pid = os.fork()
        if pid == 0:
            try:
                stepping(options | where, tell, (pommego.ConnectionError,))
                tell("ended well")
            except BaseException as e:
                tell(f"ended with {e!r}")
            finally:
                os._exit(0)
        tell(server.pid)
        time.sleep(1000)

    child = Child(parent)
    said = {child.heard(), child.heard()}  # 0 of the client, and the server's process
    server = max(map(int, said))
    moment(draw)
    child.kill()
    world.until("the server of a killed parent is gone", lambda: gone(server))
    assert child.heard() == "ended well"
    child.close()


def descriptors_run_out(world: World, draw: random.Random) -> None:
    """A server with few descriptors refuses clients, keeps those it has, and takes others afterwards."""
    script = world.folder / "cycle" / "few"
    script.write_text(f'#!/bin/sh\nulimit -n {draw.randrange(20, 40)}\nexec {world.binary} "$@"\n')
    script.chmod(0o755)
    with pommego.Server(binary=script, transport=draw.choice(["unix", "tcp"])) as server:
        made: list[pommego.PommegoVectorEnv] = []
        with pytest.raises((pommego.PommegoError, OSError)):
            for _ in range(64):
                made.append(pommego.make_vec(ID, 1, address=server.address, token=server.token, timeout=2))
                made[-1].reset(seed=0)
        for envs in made[:2]:
            envs.reset(seed=1)
            envs.step(np.zeros(envs.num_envs, int))
        for envs in made:
            envs.close()

        def serves() -> bool:
            with contextlib.suppress(pommego.PommegoError, OSError):
                with pommego.make_vec(ID, 1, address=server.address, token=server.token, timeout=2) as envs:
                    envs.reset(seed=0)
                    return True
            return False

        world.until("a server that had no descriptors left serves again", serves)
    script.unlink()


def memory_runs_out(world: World, draw: random.Random) -> None:
    """A server with little memory refuses what is too much, and its client goes on."""
    script = world.folder / "cycle" / "little"
    script.write_text(f'#!/bin/sh\nulimit -v {draw.randrange(2, 4) << 20}\nexec {world.binary} "$@"\n')
    script.chmod(0o755)
    with pommego.Server(binary=script, transport=draw.choice(["unix", "tcp"])) as server:
        where = {"address": server.address, "token": server.token}
        with pommego.make_vec(ID, 2, **where) as envs:
            envs.reset(seed=0)
            with pytest.raises(pommego.ServerError, match="max-memory-bytes"):
                pommego.make_vec(ID, 100_000, **where)
            envs.step(np.zeros(envs.num_envs, int))
    script.unlink()


def own_descriptors_run_out(world: World, draw: random.Random) -> None:
    """A client without descriptors left gets an error, and nothing of what it began stays."""

    def starve(tell: Callable[[object], None]) -> None:
        used = descriptors_open()
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + draw.randrange(0, 9),) * 2)
        with contextlib.suppress(OSError, pommego.PommegoError), pommego.make_vec(ID, 1) as envs:
            envs.reset(seed=0)
        tell("done")

    child = Child(starve)
    child.heard()
    child.rest()
    child.close()


def shared_memory_is_full(world: World, draw: random.Random) -> None:
    """With no byte left in /dev/shm games are played all the same: shared memory is not taken from there."""
    code = (
        "import numpy as np, pommego\n"
        f"with pommego.make_vec({ID!r}, 64) as envs:\n"
        "    envs.reset(seed=0)\n"
        "    for _ in range(20): envs.step(np.zeros(envs.num_envs, int))\n"
        "print('played')\n"
    )
    fill = 'mount -t tmpfs -o size=64k none /dev/shm && ! cat /dev/zero >/dev/shm/full 2>&- && exec "$@"'
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", fill, "sh", sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "played\n", ran.stderr


def may_mount() -> bool:
    return (
        bool(shutil.which("unshare"))
        and subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0
    )


#: How often of 100 cycles each is drawn.
CYCLES = {
    client_is_killed: 24,
    client_of_several_is_killed: 20,
    server_is_killed: 20,
    parent_is_killed: 12,
    client_is_stopped: 8,
    server_is_stopped: 5,
    descriptors_run_out: 4,
    memory_runs_out: 4,
    own_descriptors_run_out: 2,
    shared_memory_is_full: 1,
}


@pytest.fixture
def world(binary: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="pommego-kills-") as folder:
        where = Path(folder, "cycle")
        where.mkdir()
        world = World(binary, Path(folder))
        monkeypatch.setenv("TMPDIR", str(where))
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield world
        world.close()


def descriptors_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def shared_files() -> set[str]:
    return {path.name for path in Path("/dev/shm").iterdir() if "pommego" in path.name}


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks with threads
def test_kills(world: World) -> None:
    wanted = os.environ.get("POMMEGO_KILLS", "24")
    seeds = [int(wanted.removesuffix(":"))] if wanted.endswith(":") else range(int(wanted))
    cycles = [cycle for cycle in CYCLES if cycle is not shared_memory_is_full or may_mount()]
    before, descriptors = shared_files(), 0
    for seed in seeds:
        draw = random.Random(seed)
        cycle = (
            cycles[seed] if seed < len(cycles) else draw.choices(cycles, [CYCLES[one] for one in cycles])[0]
        )
        try:
            cycle(world, draw)
            gc.collect()
            world.until("nothing is left over", lambda: world.left_over() == [])
            world.until("the server for several has what it had", world.freed)
        except BaseException as e:
            e.add_note(f"cycle {seed}, {cycle.__name__}; left over: {world.left_over()}")
            e.add_note(f"POMMEGO_KILLS={seed}: plays it again")
            raise
        world.took[cycle.__name__] += 1
        if (done := sum(world.took.values())) % 100 == 0:
            print(f"{done} cycles", flush=True)
        descriptors = descriptors or descriptors_open()  # with those that the first cycle needed
    world.good_goes_on()
    assert shared_files() == before
    assert descriptors_open() <= descriptors + 8  # one for each part of shared memory that is mapped
    print(f"\n{sum(world.took.values())} cycles: {dict(world.took)}")
    for what, seconds in world.worst.items():
        print(f"{what}: {seconds:.2f} s at most")
