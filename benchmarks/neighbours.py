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
import functools
import multiprocessing
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

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


def made(games: int, options: dict, address: str, token: str) -> pommego.PommegoVectorEnv:
    """Make games on the server and begin them."""
    envs = pommego.make_vec(TEAM, games, address=address, token=token, **options)
    envs.reset(seed=0)
    return envs


def times(envs: pommego.PommegoVectorEnv, seconds: float) -> list[float]:
    """Step for some seconds; return what each step took, in microseconds."""
    rng = np.random.default_rng(0)
    actions = rng.integers(0, 6, (64, *envs.action_space.shape), np.uint8)
    found: list[float] = []
    end = (last := time.perf_counter()) + seconds
    while last < end:
        envs.step(actions[len(found) % 64])
        now = time.perf_counter()
        found.append((now - last) * 1e6)
        last = now
    return found


def be_neighbour(kind: str, address: str, token: str, calls: Connection) -> None:
    """In a process of its own: step for as many seconds as each call says, and answer with how often."""
    run = spinning if kind == PROGRAM else functools.partial(times, made(*KINDS[kind], address, token))
    run(0.5)
    while seconds := calls.recv():
        calls.send(len(run(seconds)))


def spinning(seconds: float) -> range:
    """Keep a core busy."""
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += 1
    return range(count)


class Neighbour:
    """The other end of `be_neighbour`."""

    def __init__(self, kind: str, server: pommego.Server) -> None:
        self._calls, theirs = PROCESSES.Pipe()
        what = (kind, server.address, server.token, theirs)
        PROCESSES.Process(target=be_neighbour, args=what, daemon=True).start()
        self.begin, self.end = self._calls.send, self._calls.recv
        self.steps(0.1)

    def steps(self, seconds: float) -> int:
        """Step meanwhile."""
        self.begin(seconds)
        return self.end()


@dataclass
class Found:
    """What was measured beside one kind of neighbour, or alone."""

    micros: list[float] = field(default_factory=list)
    beside: int = 0
    alone: int = 0

    def percentiles(self) -> tuple[float, float]:
        """Return p50 and p99."""
        return tuple(np.percentile(self.micros, [50, 99]).tolist())


def measure(way: str, options: argparse.Namespace) -> dict[str, Found]:
    """Measure one way of being served, alone and beside each neighbour."""
    with pommego.Server(transport="unix") as server:
        envs = made(options.games, {"observation": "raw"} | WAYS[way], server.address, server.token)
        neighbours = {kind: Neighbour(kind, server) for kind in options.kinds}
        found = {"alone": Found()} | {kind: Found() for kind in neighbours}
        times(envs, 0.5)
        for _ in range(options.rounds):
            for kind, neighbour in neighbours.items():
                found["alone"].micros += times(envs, options.seconds)
                found[kind].alone += neighbour.steps(options.seconds)
                neighbour.begin(options.seconds + 0.1)
                time.sleep(0.1)
                found[kind].micros += times(envs, options.seconds)
                found[kind].beside += neighbour.end()
        for neighbour in neighbours.values():
            neighbour.begin(0)  # ends it
        envs.close()
    return found


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
        alone50, alone99 = found["alone"].percentiles()
        for kind, one in found.items():
            p50, p99 = one.percentiles()
            left = one.beside / one.alone if one.alone else 1.0
            print(
                f"{way:14} {kind:14} p50 {p50:8.0f} us ({p50 / alone50:5.1f})   "
                f"p99 {p99:8.0f} us ({p99 / alone99:5.1f})   neighbour {left:4.0%}   {len(one.micros)} steps",
                flush=True,
            )


if __name__ == "__main__":
    main()
