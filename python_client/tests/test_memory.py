"""A server that has little memory refuses what does not fit, and everybody's games go on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
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
