"""A server that has little memory refuses what does not fit, and everybody's games go on."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

import pommego
from wiring import wired

ID = "PommeFFACompetition-v0"
SPACE = 3 << 30
"""Address space of the server, in bytes."""


@pytest.fixture
def small(binary: Path) -> Iterator[str]:
    """The address of a server whose address space is limited."""
    with subprocess.Popen(
        [
            "sh",
            "-c",
            f'ulimit -v {SPACE >> 10}; exec "$0" serve --listen 127.0.0.1:0 --exit-on-stdin-close',
            binary,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.kill()


def test_one_too_many_is_refused(small: str) -> None:
    """Clients that together want more than there is: the last are refused, the first step on."""
    first = pommego.make_vec(ID, 64, address=small)
    first.reset(seed=1)
    others, refusals = [], []
    for _ in range(8):
        try:
            others.append(
                pommego.make_vec(ID, 20000, address=small, observation="planes", **wired(shared_memory=False))
            )
            others[-1].reset(seed=1)
        except pommego.ServerError as error:
            refusals.append(error)
    assert refusals, "eight times 20,000 games with planes fit into 3 GiB"
    assert all(error.code == "limit" and "--max-memory-bytes" in str(error) for error in refusals)
    for _ in range(5):
        first.step(np.zeros_like(first.action_space.sample()))
    for made in [first, *others]:
        made.close()


BUDGET = 128 << 20
DEEP = ["mcts:ticks=1000000"] * 3
"""Opponents in SuiteBot that search in trees as large as there are."""


@pytest.fixture
def tight(binary: Path) -> Iterator[tuple[str, int]]:
    """The address and the process of a server with a small budget of memory."""
    command = [binary, "serve", "--listen", "127.0.0.1:0", "--max-memory-bytes", str(BUDGET)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1], process.pid
        process.kill()


def resident(pid: int) -> int:
    """Return the bytes of a process that are in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise ValueError(f"process {pid} has no VmRSS")


def test_searches_are_in_the_budget(tight: tuple[str, int]) -> None:
    """All that clients may ask for of agents that search, together: it is refused, or fits."""
    address, pid = tight
    start, most, refusals, made = resident(pid), 0, 0, []
    with ExitStack() as opened:
        for workers, opponents in [(64, DEEP)] * 3 + [(8, DEEP), (2, DEEP), (64, ["random"] * 3)] * 4:
            options = {"batch_size": 1, "workers": workers, "address": address}
            options |= wired(shared_memory=False)  # so that send begins the step
            try:
                envs = pommego.make_vec("SuiteBot-v0", 64, opponents=opponents, **options)
            except pommego.ServerError as error:
                assert (error.code, error.field) == ("limit", "num_envs")
                assert "--max-memory-bytes" in str(error) and "workers" in str(error)
                refusals += 1
                continue
            made.append(opened.enter_context(contextlib.closing(envs)))
            envs.reset(seed=len(made))
            if opponents is not DEEP:  # what is refused at first is refused later
                with pytest.raises(pommego.ServerError, match="searches of the agents"):
                    envs.set_opponents(DEEP)
                state = envs.get_state(0)
                with pytest.raises(pommego.ServerError, match="searches of the agents"):
                    envs.simulate([state] * 64, np.zeros(64, int), steps=2, policy=DEEP[0])
        for envs in made:
            for _ in range(envs.num_envs - 1):
                envs.recv()  # with what reset returned, all games are ready for their first step
            envs.send(np.zeros(envs.num_envs, int), np.arange(envs.num_envs))
        for _ in range(25):
            time.sleep(0.1)
            most = max(most, resident(pid))
    assert refusals >= 5 and len(made) >= 6, (refusals, len(made))
    assert most - start < BUDGET * 3 // 2, f"{most - start} bytes with a budget of {BUDGET}"
