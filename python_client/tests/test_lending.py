"""Batches in shared memory that are the caller's: in whichever process and thread, and for however long."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from pommego._transport import mapping, shared
from processes import halt, interrupt
from wiring import wired

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux only")

Vec = Callable[..., pommego.PommegoVectorEnv]
Memory = shared.SharedMemory

GAMES = 60  # some 500 kB of planes, which are lent
HELD = shared.PLACES - shared.SLOTS  # batches that callers may hold


def moves(envs: pommego.PommegoVectorEnv, seed: int = 1) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    while True:
        yield rng.integers(0, 6, envs.action_space.shape)


def memory_of(envs: pommego.PommegoVectorEnv) -> Memory:
    return envs._session.client.memory


def lent(memory: Memory) -> list[int]:
    """The places that callers hold."""
    return [k for k, place in enumerate(memory.places) if place and place.mapping.lent]


def is_lent(memory: Memory, array: np.ndarray) -> bool:
    """Whether an array lies where the server wrote it."""
    at = array.__array_interface__["data"][0]
    return any(p and p.mapping.address <= at < p.mapping.address + len(p.mapping) for p in memory.places)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize("keeps", [0, 1, 2, HELD, HELD + 4])
def test_whatever_is_kept(vec: Vec, mode: str, observation: str, keeps: int) -> None:
    """The last batches stand, and what the caller writes to them changes nothing else."""
    options = {"games": GAMES, "autoreset_mode": mode, "observation": observation}
    options["id"] = "PommeTeamCompetition-v0"
    envs, twin = vec(shared_memory=True, **options), vec(shared_memory=False, **options)
    largest = {"planes": "planes", "raw": "maps"}[observation]
    kept, seen = [], []
    for each in (envs, twin):
        each.reset(seed=3)
    for _, actions in zip(range(40), moves(envs), strict=False):
        got, want = envs.step(actions), twin.step(actions)
        assert_same(got, want)
        kept.append(got[0])
        seen.append(frozen(want[0]))
        del got, kept[: max(0, len(kept) - keeps)], seen[: max(0, len(seen) - keeps)]
        assert_same(tuple(kept), tuple(seen))
        for obs, was in zip(kept, seen, strict=True):
            for name in obs:
                obs[name] += 1
                was[name] += 1
        views = sum(is_lent(memory_of(envs), obs[largest]) for obs in kept)
        assert len(lent(memory_of(envs))) == views <= HELD
        assert views == len(kept) or keeps >= HELD


def test_few_places_are_used(vec: Vec) -> None:
    """In lock-step one is looked at while the other is written; views only while steps are in flight."""
    for copy in (True, False):
        envs = vec(games=GAMES, copy=copy, shared_memory=True)
        obs, _ = envs.reset(seed=0)
        for _, actions in zip(range(20), moves(envs), strict=False):
            next_obs, *_ = envs.step(actions)
            assert is_lent(memory_of(envs), next_obs["planes"])
            obs = next_obs
        used = [0, 1, shared.PLACES] if copy else [0, 3]
        assert [k for k, place in enumerate(memory_of(envs).places) if place] == used
        assert obs["planes"].flags.writeable
        was = frozen(obs)
        envs.send(next(moves(envs)))
        while not (channel := memory_of(envs).channel).answered(channel.turn - 1):
            pass
        assert_same(obs, was)
        envs.recv()
        assert [k for k, place in enumerate(memory_of(envs).places) if place] == sorted({*used, 1})


def test_hoarders_get_copies_until_they_let_go(vec: Vec) -> None:
    envs = vec(games=GAMES, shared_memory=True)
    memory = memory_of(envs)
    envs.reset(seed=0)
    hoard = [envs.step(actions)[0]["planes"] for actions, _ in zip(moves(envs), range(30), strict=False)]
    assert [is_lent(memory, planes) for planes in hoard] == [True] * HELD + [False] * (30 - HELD)
    part = hoard[3][5:, 2]
    del hoard[:HELD]
    assert lent(memory) == [3], "a part of a batch holds all of it"
    assert is_lent(memory, envs.step(np.zeros(4 * GAMES, int))[0]["planes"])
    del part
    assert lent(memory) == []


def test_two_in_flight(vec: Vec) -> None:
    envs, twin = vec(games=GAMES, shared_memory=True), vec(games=GAMES, shared_memory=False)
    for each in (envs, twin):
        each.reset(seed=0)
    hoard, want, actions = [], [], moves(envs)
    for _ in range(2 * HELD):
        both = [next(actions) for _ in range(2)]
        for each, results in ((envs, hoard), (twin, want)):
            each.send(both[0])
            each.send(both[1])
            results += [each.recv()[0], each.recv()[0]]
    assert_same(tuple(hoard), tuple(want))


def test_batches_outlive_the_environment(binary: Path) -> None:
    envs = pommego.make_vec("PommeFFACompetition-v0", GAMES, **wired(shared_memory=True))
    envs.reset(seed=0)
    held = [envs.step(actions)[0] for actions, _ in zip(moves(envs), range(3), strict=False)]
    was = frozen(tuple(held))
    pid = envs.server.pid
    envs.step(np.zeros(4 * GAMES, int))
    os.kill(pid, signal.SIGKILL)
    envs.close()
    del envs
    assert_same(tuple(held), was)
    for obs in held:
        obs["planes"][:] = 7
    assert (held[0]["planes"] == 7).all()


def test_steps_given_up_keep_their_places(vec: Vec) -> None:
    """What a caller holds stands while steps are made that were interrupted."""
    envs = pommego.make_vec("PommeFFACompetition-v0", GAMES, **wired(shared_memory=True))
    twin = vec(games=GAMES, shared_memory=False)
    hoard, was = [], []
    for seed in range(6):
        hoard += [envs.reset(seed=seed)[0], envs.step(np.zeros(4 * GAMES, int))[0]]
        was += [frozen(hoard[-2]), frozen(hoard[-1])]
        halt(envs.server.pid)
        for _ in range(seed % 3):
            with pytest.raises(KeyboardInterrupt):
                interrupt(envs)
                envs.step(np.full(4 * GAMES, 5))
        threading.Timer(0.05, os.kill, (envs.server.pid, signal.SIGCONT)).start()
        got = envs.step(np.ones(4 * GAMES, int))
        twin.reset(seed=seed)
        for action in [0] + [5] * (seed % 3):
            twin.step(np.full(4 * GAMES, action))
        assert_same(got[0], twin.step(np.ones(4 * GAMES, int))[0])
        assert_same(tuple(hoard), tuple(was))
    envs.close()


def test_arrays_go_in_any_thread(vec: Vec) -> None:
    """Threads look at batches for a while and let go of them; none changes before."""
    envs = vec(games=GAMES, shared_memory=True)
    envs.reset(seed=0)
    wrong: list[str] = []
    work: list[tuple[np.ndarray, int]] = []
    ready, done = threading.Semaphore(0), threading.Event()

    def look() -> None:
        rng = random.Random(threading.get_ident())
        while True:
            ready.acquire()
            if done.is_set():
                return
            planes, checksum = work.pop()
            for _ in range(rng.randrange(20)):
                if int(planes.sum(dtype=np.int64)) != checksum:
                    wrong.append("a batch has changed while it was held")
            del planes

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    copies = 0
    try:
        for _, actions in zip(range(300), moves(envs), strict=False):
            planes = envs.step(actions)[0]["planes"]
            copies += not is_lent(memory_of(envs), planes)
            work.append((planes, int(planes.sum(dtype=np.int64))))
            ready.release()
    finally:
        done.set()
        ready.release(len(threads) + len(work))
        for thread in threads:
            thread.join()
    assert not wrong
    assert copies < 300
    del planes, work[:]
    assert lent(memory_of(envs)) == []


# Forks ---------------------------------------------------------------------------


def in_child(work: Callable[[Callable[[str], None], Callable[[], None]], None]) -> tuple[int, Any, Any]:
    """Fork; the child does `work` with a way to tell and one to wait. Returns its pid and the other ends."""
    to_child, to_parent = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)  # however the parent ends
        try:
            work(
                lambda text: os.write(to_parent[1], text.encode()) and None,
                lambda: os.read(to_child[0], 1) and None,
            )
        except BaseException as e:
            os.write(to_parent[1], f"failed: {e!r}".encode())
        finally:
            os._exit(0)
    return pid, lambda: os.read(to_parent[0], 1000).decode(), lambda: os.write(to_child[1], b"x")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks in a process with threads
def test_parent_and_child_hold_batches_each_for_themselves(vec: Vec) -> None:
    envs, twin = vec(games=GAMES, shared_memory=True), vec(games=GAMES, shared_memory=False)
    envs.reset(seed=0)
    twin.reset(seed=0)
    actions = moves(envs)
    for _ in range(3 * HELD):  # each fork takes places out of use, if that is not mended
        both = [next(actions) for _ in range(2)]
        held = [envs.step(a)[0] for a in both]
        assert lent(memory_of(envs)) == [0, 1]
        address = held[0]["planes"].__array_interface__["data"][0]
        was = frozen(tuple(held))
        assert_same(was, tuple(twin.step(a)[0] for a in both))

        def child(
            tell: Callable[[str], None], wait: Callable[[], None], held: Any = held, was: Any = was
        ) -> None:
            wait()  # until the parent has written and made steps
            assert_same(tuple(held), was)
            for obs in held:
                obs["planes"][:] = 99
            tell("written")
            wait()
            assert (held[0]["planes"] == 99).all()
            with pytest.raises(pommego.ClosedError):
                envs.step(next(actions))
            tell("fine")

        pid, hear, go_on = in_child(child)
        assert lent(memory_of(envs)) == []
        assert held[0]["planes"].__array_interface__["data"][0] == address
        for obs in held:
            obs["planes"] += 1
            obs["planes"] -= 2
        for _ in range(3):
            a = next(actions)
            assert_same(envs.step(a), twin.step(a))
        go_on()
        assert hear() == "written"
        for obs in held:
            obs["planes"] += 1
        assert_same(tuple(held), was)
        go_on()
        assert hear() == "fine"
        os.waitpid(pid, 0)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_without_memory(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be moved is never the server's again."""
    envs, twin = vec(games=GAMES, shared_memory=True), vec(games=GAMES, shared_memory=False)
    envs.reset(seed=0)
    twin.reset(seed=0)
    a = np.zeros(4 * GAMES, int)
    held, want = envs.step(a)[0], twin.step(a)[0]
    with monkeypatch.context() as patch:
        patch.setattr(mapping, "_mmap", lambda *_: mapping._FAILED)
        pid, _, _ = in_child(lambda *_: None)
        os.waitpid(pid, 0)
    assert lent(memory_of(envs)) == [0]
    for _ in range(3):
        assert_same(envs.step(a), twin.step(a))
    assert_same(held, want)
    del held
    assert lent(memory_of(envs)) == [0]
