"""What a client's steps take while other clients keep the same server busy.

    .venv/bin/python benchmarks/neighbours.py [--rounds 5] [--seconds 2] [--games 64]

One client steps 64 games, alone and beside a neighbour of each kind: one that steps 16,384 games, one that
steps 1,024, one whose opponents search, and a program of its own that keeps a core busy, for what the
system's scheduler costs by itself. All are measured in turn, round by round, on one server: p50 and p99 are
of all steps of all rounds, and in brackets stands how many times that alone it is. The last column is how
much of its speed alone the neighbour has left. POMMEGO_BINARY says which binary serves.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sized
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import pommego

TEAM = "PommeTeamCompetition-v0"
RAW = {"observation": "raw", "copy": False}

#: The neighbours: games, and how they are made.
KINDS = {
    "16,384 games": (16_384, RAW),
    "1,024 games": (1_024, RAW),
    "searches": (64, RAW | {"opponents": ["mcts:ticks=2000"] * 3}),
}

#: The one that is no client.
PROGRAM = "a busy program"
PROCESSES = multiprocessing.get_context("spawn")

#: How the client is served.
WAYS = {"shared memory": {}, "socket": {"connection": pommego.Connection(shared_memory=False)}}


def stepping(games: int, options: dict[str, Any]) -> Callable[[float], list[float]]:
    """Begin games; return what steps them for some seconds, and says how many microseconds each step took."""
    envs = pommego.make_vec(TEAM, games, **options)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 6, (64, *envs.action_space.shape), np.uint8)

    def run(seconds: float) -> list[float]:
        found: list[float] = []
        end = (last := time.perf_counter()) + seconds
        while last < end:
            envs.step(actions[len(found) % 64])
            now = time.perf_counter()
            found.append((now - last) * 1e6)
            last = now
        return found

    return run


def spinning(seconds: float) -> Sized:
    """Keep a core busy."""
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += 1
    return range(count)


def be_neighbour(kind: str, where: dict[str, str], calls: Connection) -> None:
    """In a process of its own: run for as many seconds as each call says, and answer with how many steps."""
    games, options = KINDS.get(kind, (0, {}))
    run = stepping(games, options | where) if games else spinning
    run(0.5)
    while seconds := calls.recv():
        calls.send(len(run(seconds)))


def measure(way: str, options: argparse.Namespace) -> dict[str, tuple[list[float], float]]:
    """Step alone and beside each neighbour: how long steps took, and how much of its speed that has left."""
    with pommego.Server(transport="unix") as server:
        where = {"address": server.address, "token": server.token}
        step, neighbours = stepping(options.games, {"observation": "raw"} | WAYS[way] | where), {}
        for kind in options.kinds:
            neighbours[kind], theirs = PROCESSES.Pipe()
            PROCESSES.Process(target=be_neighbour, args=(kind, where, theirs), daemon=True).start()
            neighbours[kind].send(0.1)
            neighbours[kind].recv()
        alone, beside = step(0.5)[:0], {kind: ([], np.zeros(2)) for kind in neighbours}
        for _ in range(options.rounds):
            for kind, neighbour in neighbours.items():
                micros, steps = beside[kind]
                alone += step(options.seconds)
                neighbour.send(options.seconds)
                steps[0] += neighbour.recv()
                neighbour.send(options.seconds + 0.1)
                time.sleep(0.1)
                micros += step(options.seconds)
                steps[1] += neighbour.recv()
        for neighbour in neighbours.values():
            neighbour.send(0)  # ends it
    return {"alone": (alone, 1.0)} | {k: (micros, left / all) for k, (micros, (all, left)) in beside.items()}


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="of one measurement (default: %(default)s)"
    )
    parser.add_argument("--games", type=int, default=64, help="of the client (default: %(default)s)")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS, PROGRAM], default=[*KINDS, PROGRAM])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), help="of being served")
    options = parser.parse_args()
    for way in options.ways:
        found = measure(way, options)
        alone50, alone99 = np.percentile(found["alone"][0], [50, 99])
        for kind, (micros, left) in found.items():
            p50, p99 = np.percentile(micros, [50, 99])
            print(
                f"{way:14} {kind:14} p50 {p50:8.0f} us ({p50 / alone50:5.1f})   "
                f"p99 {p99:8.0f} us ({p99 / alone99:5.1f})   neighbour {left:4.0%}   {len(micros)} steps",
                flush=True,
            )


if __name__ == "__main__":
    main()
