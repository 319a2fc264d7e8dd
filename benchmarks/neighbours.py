"""What a client's steps take while another client keeps the same server busy.

    .venv/bin/python benchmarks/neighbours.py [--seconds 10] [--games 64]

One client steps 64 games alone and then beside a neighbour of each kind. p50 and p99 are of all its steps;
in brackets stands how many times that alone it is. POMMEGO_BINARY says which binary serves.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import time
from typing import Any

import numpy as np

import pommego

TEAM = "PommeTeamCompetition-v0"

#: The neighbours: games, and their opponents.
KINDS: dict[str, tuple[int, list[str] | None]] = {
    "16,384 games": (16_384, None),
    "1,024 games": (1_024, None),
    "searches": (64, ["mcts:ticks=2000"] * 3),
}


def step(games: int, seconds: float, begun: Any = None, **options: Any) -> list[float]:
    """Step games for some seconds, and set `begun` at first; returns how many microseconds each step took."""
    with pommego.make_vec(TEAM, games, observation="raw", copy=False, **options) as envs:
        envs.reset(seed=0)
        actions = np.random.default_rng(0).integers(0, 6, (64, *envs.action_space.shape), np.uint8)
        found: list[float] = []
        if begun:
            begun.set()
        end = (last := time.perf_counter()) + seconds
        while last < end:
            envs.step(actions[len(found) % 64])
            now = time.perf_counter()
            found.append((now - last) * 1e6)
            last = now
    return found


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="of a measurement (default: %(default)s)")
    parser.add_argument("--games", type=int, default=64, help="of the client (default: %(default)s)")
    options = parser.parse_args()
    processes = multiprocessing.get_context("spawn")
    for way in ("shared memory", "socket"):
        connection = pommego.Connection(shared_memory=way != "socket")
        with pommego.Server(transport="unix") as server:
            where = {"address": server.address, "token": server.token, "connection": connection}
            alone = np.percentile(step(options.games, options.seconds, **where), [50, 99])
            print(f"{way}, alone: p50 {alone[0]:.0f} us, p99 {alone[1]:.0f} us", flush=True)
            for kind, (games, opponents) in KINDS.items():
                joins = {"address": server.address, "token": server.token, "opponents": opponents}
                begun = processes.Event()
                neighbour = processes.Process(
                    target=step, args=(games, math.inf, begun), kwargs=joins, daemon=True
                )
                neighbour.start()
                begun.wait()
                p50, p99 = np.percentile(step(options.games, options.seconds, **where), [50, 99])
                neighbour.kill()
                neighbour.join()
                times = f"p50 {p50:.0f} us ({p50 / alone[0]:.1f}), p99 {p99:.0f} us ({p99 / alone[1]:.1f})"
                print(f"{way}, beside {kind}: {times}", flush=True)


if __name__ == "__main__":
    main()
