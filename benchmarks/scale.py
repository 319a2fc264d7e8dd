"""Measures what games beyond one machine cost: bytes a step, links, Ray's actors, first-ready batches.

    python benchmarks/scale.py bytes
    unshare -n sh -c 'ip link set lo up; tc qdisc add dev lo root tbf rate 1gbit burst 1mb latency 50ms;
        python benchmarks/scale.py link'      # a link of 1 Gbit/s, as root
    python benchmarks/scale.py actors         # needs Ray
    python benchmarks/scale.py ready          # needs Ray
    python benchmarks/scale.py cores
    python benchmarks/scale.py model          # a simulation with figures that were measured

Ways take turns, round by round. A figure is the median of the rounds, in brackets the lowest and the
highest. A step is one of a whole game.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import pommego
from pommego._transport.websocket import WebSocket

TEAM, FFA = "PommeTeamCompetition-v0", "PommeFFACompetition-v0"
SIMPLE = {"opponents": ["simple"] * 3}

#: What can be sent: the game, and the options that say how.
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "team, planes": (TEAM, {"observation": "planes"}),
    "team, raw": (TEAM, {"observation": "raw"}),
    "team, planes, fog='client'": (TEAM, {"observation": "planes", "fog": "client"}),
    "team, unfogged": (TEAM, {"observation": "unfogged", "expand_shared": False}),
    "team, planes, zstd": (TEAM, {"observation": "planes", "compression": "zstd"}),
    "team, raw, zstd": (TEAM, {"observation": "raw", "compression": "zstd"}),
    "one learner, planes": (FFA, SIMPLE | {"observation": "planes"}),
    "one learner, raw": (FFA, SIMPLE | {"observation": "raw"}),
    "one learner, planes, zstd": (FFA, SIMPLE | {"observation": "planes", "compression": "zstd"}),
    "one learner, raw, zstd": (FFA, SIMPLE | {"observation": "raw", "compression": "zstd"}),
}

#: For the model: bytes a step, and steps a second that one core makes.
BYTES = {"planes": 2295, "raw": 712}
PER_CORE = {"three `simple`": 465_000, "three `mcts:ticks=10000`": 2_136}
CORES = 32  # of a machine


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("bytes", "link", "actors", "ready", "cores", "model"))
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a round, for each way")
    parser.add_argument("--appetite", type=float, default=1e6, help="steps a second that a learner takes")
    return parser.parse_args()


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the bytes of all messages received."""
    received, recv = [0], WebSocket.recv

    def count(self: WebSocket, timeout: float) -> memoryview:
        message = recv(self, timeout)
        received[0] += len(message)
        return message

    WebSocket.recv = count
    try:
        yield received
    finally:
        WebSocket.recv = recv


def stepped(envs: pommego.PommegoVectorEnv, seconds: float) -> tuple[int, float]:
    """Step with random legal actions for so long; returns the steps of games, and the seconds."""
    _, info = envs.reset(seed=0)
    begun = now = time.perf_counter()
    steps, seconds = 0, max(seconds, 0.01)
    first_ready = envs.batch_size < envs.num_games
    while now - begun < seconds:
        actions = envs.sample_actions(info["action_mask"])
        if first_ready:
            envs.send(actions)
            info = envs.recv()[-1]
        else:
            info = envs.step(actions)[-1]
        steps += envs.batch_size
        now = time.perf_counter()
    return steps, now - begun


def bytes_of(games: int) -> None:
    """Print the bytes that a step takes."""
    print("| | bytes a step of one game | steps/s in 1 Gbit/s | in 10 Gbit/s |\n|---|--:|--:|--:|")
    for name, (id, kind) in KINDS.items():
        with (
            counted() as received,
            pommego.make_vec(id, games, transport="tcp", shared_memory=False, **kind) as envs,
        ):
            _, info = envs.reset(seed=0)
            received[0] = 0
            for _ in range(30):
                info = envs.step(envs.sample_actions(info["action_mask"]))[-1]
            each = received[0] / 30 / games
        print(f"| {name} | {each:,.0f} | {125e6 / each:,.0f} | {1.25e9 / each:,.0f} |", flush=True)


def compare(ways: dict[str, Callable[[], pommego.PommegoVectorEnv]], given: argparse.Namespace) -> None:
    """Print the rates of some ways, and how they compare with the first."""
    made = {name: make() for name, make in ways.items()}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    costs: dict[str, list[float]] = {name: [] for name in ways}
    for envs in made.values():
        stepped(envs, 0.2)
    for _ in range(given.rounds):
        for name, envs in made.items():
            before = busy(*family(os.getpid()))
            steps, seconds = stepped(envs, given.seconds)
            rates[name].append(steps / seconds)
            costs[name].append(1e6 * (busy(*family(os.getpid())) - before) / steps)
    first = rates[next(iter(ways))]
    print("| | steps/s | of the first | µs of a core for a step |\n|---|--:|--:|--:|")
    for name, got in rates.items():
        ratio = statistics.median(a / b for a, b in zip(got, first, strict=True))
        spread = f"{statistics.median(got):,.0f} ({min(got):,.0f}..{max(got):,.0f})"
        print(f"| {name} | {spread} | {ratio:.2f} | {statistics.median(costs[name]):.2f} |", flush=True)
    for envs in made.values():
        envs.close()


def link(given: argparse.Namespace) -> None:
    """Compare what can be sent, over sockets."""
    away = {"transport": "tcp", "shared_memory": False}
    ways = {
        name: (lambda id=id, kind=kind: pommego.make_vec(id, given.games, **away, **kind))
        for name, (id, kind) in KINDS.items()
    }
    compare(ways, given)


def actors(given: argparse.Namespace) -> None:
    """Compare actors with one embedded server, on as many cores."""
    cores = len(os.sched_getaffinity(0))

    def of(n: int, **kind: Any) -> pommego.PommegoVectorEnv:
        workers = max(1, cores // n)
        shared = {"actor_options": {"num_cpus": 0.1}, "workers": workers}
        return pommego.ray.make_vec(FFA, given.games, n, **shared, **SIMPLE, **kind)

    for observation in ("planes", "raw"):
        print(f"\n{observation}, {given.games} games of one learner against three `simple`, {cores} cores\n")
        kind = {"observation": observation}
        ways = {"embedded": functools.partial(pommego.make_vec, FFA, given.games, **SIMPLE, **kind)}
        compare(ways | {f"{n} actors": functools.partial(of, n, **kind) for n in (1, 2, 4)}, given)


def ready(given: argparse.Namespace) -> None:
    """Compare first-ready batches with lock-step where one actor's opponents think for longer."""
    slow = ["mcts:ticks=10000", "simple", "simple"]
    line_ups = {"opponents": lambda game: slow if game < 16 else ["simple"] * 3}

    def of(size: int | None) -> pommego.PommegoVectorEnv:
        shared = {"actor_options": {"num_cpus": 0.1}, "workers": 1}
        return pommego.ray.make_vec(FFA, 64, 4, batch_size=size, **shared, **line_ups)

    print("\n64 games in 4 actors, those of the first with one opponent that searches\n")
    compare({"lock-step": lambda: of(None), "first-ready, 16 games": lambda: of(16)}, given)


def cores(given: argparse.Namespace) -> None:
    """Print how many steps a core makes, by the processor time of the server."""
    print("| opponents | observation | steps a core-second | a core-hour |\n|---|---|--:|--:|")
    for opponents, games in (("simple", given.games), ("mcts:ticks=10000", 8)):
        for observation in ("planes", "raw"):
            kind = {"opponents": [opponents] * 3, "observation": observation, "workers": 1}
            with pommego.make_vec(FFA, games, **kind) as envs:
                stepped(envs, 0.2)
                before = busy(envs.server.pid)
                steps, _ = stepped(envs, 3 * given.seconds)
                rate = steps / (busy(envs.server.pid) - before)
            print(f"| three `{opponents}` | {observation} | {rate:,.0f} | {3600 * rate:.1e} |", flush=True)


def busy(*pids: int) -> float:
    """Return the seconds that processes have kept processors busy."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """Return a process and all that it has started, and so on."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def model(given: argparse.Namespace) -> None:
    """Print what many machines would give: the least of what they step, a link brings, a learner takes."""
    print("| opponents | sent | machines | they step | 1 Gbit/s brings | 10 Gbit/s brings | bound by |")
    print("|---|---|--:|--:|--:|--:|---|")
    for (name, rate), (sent, size) in itertools.product(PER_CORE.items(), BYTES.items()):
        for machines in (1, 10, 100, 1000):
            bounds = {"the machines": machines * CORES * rate, "the link": 1.25e9 / size}
            bounds["the learner"] = given.appetite
            least = min(bounds, key=bounds.__getitem__)
            rates = (bounds["the machines"], bounds["the link"] / 10, bounds["the link"])
            cells = (name, sent, f"{machines:,}", *(f"{x / 1e6:,.2f} M" for x in rates), least)
            print("| " + " | ".join(cells) + " |")


def main() -> None:
    """Measure what the command line says."""
    given = options()
    np.seterr(all="raise")
    if given.what in ("actors", "ready"):
        import ray  # noqa: PLC0415, the others need no Ray

        ray.init("local", include_dashboard=False, log_to_driver=False)
    if given.what == "bytes":
        bytes_of(given.games)
    else:
        ways = {"link": link, "actors": actors, "ready": ready, "cores": cores, "model": model}
        ways[given.what](given)


if __name__ == "__main__":
    main()
