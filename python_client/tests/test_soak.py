"""Clients that come and go on servers that stay: what they leave, and how long their steps take.

`make soak MINUTES=60` has 200 at a time for an hour. Every minute it prints what the servers hold, and p50
and p99 of the steps of one more client, which does not go.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from processes import Serving
from wiring import wired

MINUTES = float(os.environ.get("POMMEGO_SOAK", "0.1"))
LONG = MINUTES >= 5
CLIENTS = 200 if LONG else 24
PROCESSES = 4
THINK = 0.4 if LONG else 0.01
"""Seconds between two steps of a client, on average."""

IDS = [
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "OneVsOne-v0",
    "PommeRadio-v2",
    "BaseWar-v0",
    "SuiteBot-v0",
]
FIGURES = (
    "go_goroutines",
    "process_open_fds",
    "process_resident_memory_bytes",
    "pommego_environments",
    "pommego_connections",
    "pommego_memory_bytes",
    "pommego_steps_total",
)


@pytest.fixture
def servers(binary: Path) -> Iterator[list[Serving]]:
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:  # a socket's path is short
        both = []
        for listen in ("127.0.0.1:0", f"unix:{folder}/socket"):
            both.append(Serving(binary, listen, "--max-connections", "512"))
            stack.callback(both[-1].close)
        yield both


# The clients ----------------------------------------------------------------------


class CutError(Exception):
    """A connection was lost in its handshake, whose time can be too short on a busy machine."""


def live(addresses: list[str], draw: random.Random, until: float) -> None:
    """Connect, play for a while in one of many ways, and leave in one of several."""
    address = draw.choice(addresses)
    options: dict[str, Any] = {
        "observation": draw.choice(["raw", "planes"]),
        "autoreset_mode": draw.choice(["NextStep", "SameStep"]),
    }
    if draw.random() < 0.5:
        options |= wired(shared_memory=False)
    if draw.random() < 0.3:
        options["replace"] = True
    games = draw.randrange(1, 17)
    if draw.random() < 0.2 and "replace" not in options:
        options["batch_size"] = max(1, games // 2)
    try:
        envs = pommego.make_vec(draw.choice(IDS), games, address=address, **options)
    except pommego.ConnectionError as e:
        if type(e) is pommego.ConnectionError:
            raise CutError from e
        raise
    envs.reset(seed=draw.randrange(1 << 30))
    for step in range(draw.randrange(1, 100)):
        if time.time() > until:
            break
        play(envs, step, draw)
        time.sleep(draw.expovariate(1 / THINK))
    match draw.randrange(3):
        case 0:
            envs.close()
        case 1:  # without a word
            session = envs._session.portions[0].games if "replace" in options else envs._session
            session.client._socket._sock.shutdown(socket.SHUT_RDWR)
        case 2:
            del envs


def play(envs: pommego.PommegoVectorEnv, step: int, draw: random.Random) -> None:
    if envs.batch_size < envs.num_games:
        envs.recv()
        envs.send(np.zeros(envs.action_space.shape, np.uint8))
        return
    envs.step(np.zeros(envs.action_space.shape, np.uint8))
    if step % 10 == 3:
        states = envs.get_state()
        envs.simulate(states, np.zeros(envs.action_space.shape, np.uint8))
        envs.set_state([0], states[-1:])
        envs.render(0)


def crowd(addresses: list[str], clients: int, seed: int, until: float, results: Any) -> None:
    """So many clients at a time, each in a thread; puts what became of them."""
    lives, busy, wrong = [0], [0], []

    def one(number: int) -> None:
        draw = random.Random(f"{seed} {number}")
        while time.time() < until and len(wrong) < 10:
            try:
                live(addresses, draw, until)
                lives[0] += 1
            except CutError as e:
                busy[0] += 1
                print(f"client {seed}.{number}: {e.__cause__!r}", flush=True)
            except Exception as e:
                wrong.append(f"client {seed}.{number}: {e!r}")
                print(wrong[-1], flush=True)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((lives[0], busy[0], wrong))


class Steady:
    """The client that does not go."""

    def __init__(self, address: str) -> None:
        self.envs = pommego.make_vec(IDS[0], 16, address=address)
        self.envs.reset(seed=0)
        self.micros: list[float] = []

    def step(self, seconds: float) -> None:
        end = time.time() + seconds
        while time.time() < end:
            begin = time.perf_counter()
            self.envs.step(np.zeros(self.envs.num_envs, np.uint8))
            self.micros.append((time.perf_counter() - begin) * 1e6)
            time.sleep(0.02)

    def percentiles(self) -> str:
        p50, p99 = np.percentile(self.micros, [50, 99])
        self.micros.clear()
        return f"p50 {p50:.0f} us, p99 {p99:.0f} us"


def settled(server: Serving, before: dict[str, int]) -> dict[str, int]:
    """Wait until a server has no more than before, but for memory; return what it has."""
    end = time.time() + 60
    while True:
        now = server.figures(*FIGURES)
        held = [
            name for name in FIGURES if name not in (FIGURES[2], FIGURES[-1]) and now[name] > before[name]
        ]
        if not held or time.time() > end:
            assert held == [], (before, now)
            return now
        time.sleep(0.1)


@pytest.mark.skipif(sys.platform != "linux", reason="the servers' metrics come from /proc")
def test_soak(servers: list[Serving]) -> None:
    steady = Steady(servers[0].address)
    before = [server.figures(*FIGURES) for server in servers]
    until = time.time() + 60 * MINUTES
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    addresses = [server.address for server in servers]
    crowds = [
        context.Process(target=crowd, args=(addresses, CLIENTS // PROCESSES, seed, until, results))
        for seed in range(PROCESSES)
    ]
    for one in crowds:
        one.start()
    resident: list[int] = []
    while (left := until - time.time()) > 0:
        steady.step(min(60.0, max(left, 1)))
        now = [server.figures(*FIGURES) for server in servers]
        resident.append(sum(figures["process_resident_memory_bytes"] for figures in now))
        print(
            f"{time.time() - until + 60 * MINUTES:5.0f} s  {steady.percentiles()}  ",
            [list(f.values()) for f in now],
            flush=True,
        )
    lived = [results.get(timeout=120) for _ in crowds]
    for one in crowds:
        one.join()
    after = [settled(server, was) for server, was in zip(servers, before, strict=True)]
    lives, busy = (sum(each[k] for each in lived) for k in range(2))
    print(f"{lives} clients, and {busy} handshakes cut for their time; before {before}, after {after}")
    assert [wrong for *_, wrong in lived if wrong] == []
    assert busy <= 1 + lives // 100
    with contextlib.suppress(pommego.PommegoError):
        steady.envs.close()
    if LONG:  # what the first third has shown to be needed is enough
        third = len(resident) // 3
        assert max(resident[-third:]) < 1.1 * max(resident[:third]) + (16 << 20), resident
