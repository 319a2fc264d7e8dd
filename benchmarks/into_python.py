"""Games a second into Python, by every way, in interleaved rounds of one run.

    .venv/bin/python benchmarks/into_python.py [--games 1024] [--rounds 9] [--seconds 0.4]

Beside our own environments stand the limits of the same run: numpy copying the same bytes,
a server that only hands its batch over (`noop`) and, where it is installed (`pip install
envpool`), EnvPool's CartPole, whose steps are a few bytes. All step in lock-step with random
actions drawn in advance. For the pairs below the table it prints the median of the rounds'
ratios and their range.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import pommego

try:
    import envpool
except ImportError:
    envpool = None

TEAM, FFA = "PommeTeamCompetition-v0", "PommeFFACompetition-v0"
TCP = {"observation": "raw", "shared_memory": False, "copy": False}

OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "planes": (TEAM, {}),
    "planes, copy=False": (TEAM, {"copy": False, "expand_shared": False}),
    "planes, noop": (TEAM, {"noop": True}),
    "raw": (TEAM, {"observation": "raw"}),
    "TCP, raw": (TEAM, TCP),
    "TCP, raw, noop": (TEAM, TCP | {"noop": True}),
    "TCP, unfogged": (TEAM, TCP | {"observation": "unfogged"}),
    "TCP, raw, free for all": (FFA, TCP),
}
RATIOS = [
    ("planes", "planes, copy=False"),
    ("planes", "numpy copy"),
    ("planes", "EnvPool CartPole"),
    ("TCP, raw", "TCP, raw, noop"),
    ("TCP, unfogged", "TCP, raw"),
]


def stepping(step: Callable[[int], object]) -> Callable[[float], float]:
    """Return what calls a function for some seconds, and then says how often a second."""

    def run(seconds: float) -> float:
        count, begin = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            step(count)
            count += 1
        return count / elapsed

    return run


def ours(id: str, games: int, options: dict[str, Any]) -> Callable[[float], float]:
    """Step one of our environments."""
    envs = pommego.make_vec(id, games, **options)
    envs.reset(seed=0)
    actions = [envs.action_space.sample() for _ in range(16)]
    return stepping(lambda i: envs.step(actions[i % len(actions)]))


def copying(games: int) -> Callable[[float], float]:
    """Copy the bytes of a batch of planes from two places to three."""
    with pommego.make_vec(TEAM, games) as envs:
        obs, _ = envs.reset(seed=0)
    sources = [{name: array.copy() for name, array in obs.items()} for _ in range(2)]
    targets = [{name: np.empty_like(array) for name, array in obs.items()} for _ in range(3)]

    def copy(i: int) -> None:
        for name, target in targets[i % 3].items():
            np.copyto(target, sources[i % 2][name])

    return stepping(copy)


def cart_pole(games: int) -> Callable[[float], float]:
    """Step EnvPool's smallest environment."""
    envs = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=games, num_threads=2)
    envs.reset()
    actions = np.zeros(games, np.int32)
    return stepping(lambda _: envs.step(actions))


def main() -> None:
    """Measure everything in turn, round by round, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1024, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=9, help="default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=0.4, help="of one measurement (default: %(default)s)"
    )
    options = parser.parse_args()
    runs = {name: ours(id, options.games, how) for name, (id, how) in OURS.items()}
    runs["numpy copy"] = copying(options.games)
    if envpool:
        runs["EnvPool CartPole"] = cart_pole(options.games)
    for run in runs.values():
        run(options.seconds)  # warm up
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            rates[name].append(run(options.seconds) * options.games / 1e6)
    for name, found in rates.items():
        print(f"{name:24} {statistics.median(found):7.3f} M ({min(found):.3f} to {max(found):.3f})")
    for one, other in RATIOS:
        if other in rates:
            found = [a / b for a, b in zip(rates[one], rates[other], strict=True)]
            span = f"({min(found):.2f} to {max(found):.2f})"
            print(f"{one} / {other}: {statistics.median(found):.2f} {span}")


if __name__ == "__main__":
    main()
