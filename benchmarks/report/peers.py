"""Run with ``python -m benchmarks.report.peers``: what others step in a second, the same way.

The environments are CartPole, whose step costs next to nothing: what is left is
what it takes to get batches into Python. As everywhere here, steps that only
begin an episode do not count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from pommego.terminal import count

_ROUNDS = 5
_ACTIONS = 64  # batches of random actions drawn beforehand


def _gymnasium_sync(games: int, _: int) -> Any:
    return gymnasium.make_vec("CartPole-v1", games, vectorization_mode="sync")


def _gymnasium_async(games: int, _: int) -> Any:
    return gymnasium.make_vec("CartPole-v1", games, vectorization_mode="async")


def _envpool(games: int, threads: int) -> Any:
    import envpool  # noqa: PLC0415  # an extra, and slow to import

    warnings.simplefilter("ignore")  # about the precision of its spaces' bounds
    return envpool.make_gymnasium("CartPole-v1", num_envs=games, num_threads=threads)


PEERS: dict[str, Callable[[int, int], Any]] = {
    "gymnasium-sync": _gymnasium_sync,
    "gymnasium-async": _gymnasium_async,
    "envpool": _envpool,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report.peers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a line")
    parser.add_argument("--games", type=int, default=64, help="environments at once (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="of envpool; 0: its own choice")
    parser.add_argument("--seconds", type=float, default=2.0, help="in all (default: %(default)s)")
    options = parser.parse_args(arguments)
    envs = PEERS[options.peer](options.games, options.threads)
    rates = measure(envs, options.games, options.seconds)
    envs.close()
    result = {"env_steps_per_second": statistics.median(rates), "min": min(rates), "max": max(rates)}
    if options.json:
        about = {"peer": options.peer, "games": options.games, "threads": options.threads}
        print(json.dumps(about | {"results": [{"name": "end-to-end"} | result]}))
    else:
        print(f"{options.peer}, {options.games} environments: {count(statistics.median(rates))} steps/s")
    return 0


def measure(envs: Any, games: int, seconds: float) -> list[float]:
    """Step with random actions; returns each round's steps per second."""
    envs.reset()
    actions = np.random.default_rng(0).integers(0, 2, (_ACTIONS, games))
    resetting, rates = 0, []
    for _ in range(_ROUNDS):
        steps = batch = 0
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds / _ROUNDS:
            _, _, terminated, truncated, _ = envs.step(actions[batch % _ACTIONS])
            batch += 1
            steps += games - resetting
            resetting = int(np.count_nonzero(terminated | truncated))
        rates.append(steps / elapsed)
    return rates


if __name__ == "__main__":
    sys.exit(main())
