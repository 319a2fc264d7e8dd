"""Run with ``python -m pommego.bench``: steps per second as Python gets them.

``end-to-end`` is whole games stepped with random actions, observations
received and turned into arrays; a step is one move of a whole game, and steps
that only begin an episode do not count. Its ``limit`` is ``copy``, how often in
a second the bytes of such a step could be copied once, measured between the
rounds of the same run. ``round_trip_us`` is the time of a request that does
nothing, in microseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from typing import Any

import numpy as np

import pommego
from pommego.terminal import Progress, count

_ROUNDS = 5
_ACTIONS = 64  # batches of random actions drawn beforehand


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        report = run(options)
    except pommego.PommegoError as e:
        print(f"pommego.bench: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if options.json:
        print(json.dumps(report))
    else:
        _print(report)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pommego.bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--id", default="PommeTeamCompetition-v0", help="default: %(default)s")
    parser.add_argument("--games", type=int, default=1024, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5.0, help="in all (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="goroutines; 0: all cores")
    parser.add_argument("--observation", choices=["raw", "planes"], default="planes")
    parser.add_argument("--opponents", help="an agent in all seats but one, such as simple")
    parser.add_argument("--copy", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--transport", choices=["shm", "tcp", "unix"], default="shm")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure; returns the report."""
    seats = pommego.catalog()[options.id].seats if options.opponents else 0
    with pommego.make_vec(
        options.id,
        num_envs=options.games,
        observation=options.observation,
        opponents=[options.opponents] * (seats - 1) if seats else None,
        workers=options.workers,
        copy=options.copy,
        expand_shared=options.copy,
        transport="tcp" if options.transport == "tcp" else "unix",
        shared_memory=options.transport == "shm",
    ) as envs:
        envs.reset(seed=options.seed)
        driver, progress = _Driver(envs, options.seed), Progress()
        driver.steps_per_second(min(0.2, options.seconds / 10))  # warm up
        each = options.seconds / _ROUNDS / 1.25
        stepped, copied = [], []
        for i in range(_ROUNDS):
            progress.show(f"round {i + 1} of {_ROUNDS}")
            stepped.append(driver.steps_per_second(each))
            copied.append(driver.copies_per_second(each / 4))
        trips = driver.round_trips(200)
        progress.clear()
        copy = _result("copy", copied, None)
        return {
            "games": envs.num_games,
            "workers": options.workers,
            "id": options.id,
            "observation": options.observation,
            "opponents": options.opponents,
            "copy": options.copy,
            "transport": options.transport,
            "batch_bytes": driver.batch_bytes,
            "round_trip_us": statistics.median(trips),
            "results": [
                _result("end-to-end", stepped, copy["env_steps_per_second"]),
                copy,
                {
                    "name": "round_trip_us",
                    "microseconds": statistics.median(trips),
                    "min": min(trips),
                    "max": max(trips),
                },
            ],
        }


class _Driver:
    """Does the same work again and again."""

    def __init__(self, envs: pommego.PommegoVectorEnv, seed: int) -> None:
        self._envs = envs
        dice = np.random.default_rng(seed)
        choices = [choice.n for choice in envs.game_spec.actions]
        shape = (_ACTIONS, envs.num_envs, len(choices))
        actions = dice.integers(0, choices, shape, np.uint8)
        self._actions = actions[:, :, 0] if len(choices) == 1 else actions
        self._next = 0
        self._resetting = 0
        self.batch_bytes = envs.batch_bytes
        self._source = np.ones(self.batch_bytes, np.uint8)
        self._target = np.ones_like(self._source)

    def steps_per_second(self, seconds: float) -> float:
        """Step for so long; games that only begin anew do not count."""
        envs, steps = self._envs, 0
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            *_, info = envs.step(self._actions[self._next])
            self._next = (self._next + 1) % _ACTIONS
            steps += envs.num_games - self._resetting
            self._resetting = int(info["_game"].sum()) // envs.learners if "game" in info else 0
        return steps / elapsed

    def copies_per_second(self, seconds: float) -> float:
        """Copy a batch's bytes for so long; in games a second, as the steps are."""
        copies = 0
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            np.copyto(self._target, self._source)
            copies += self._envs.num_games
        return copies / elapsed

    def round_trips(self, n: int) -> list[float]:
        """Time n requests that do nothing, in microseconds."""
        return [self._envs.ping() * 1e6 for _ in range(n)]


def _result(name: str, rates: list[float], limit: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "env_steps_per_second": statistics.median(rates),
        "min": min(rates),
        "max": max(rates),
        "limit": limit,
        "allocs_per_step": None,
    }


def _print(report: dict[str, Any]) -> None:
    kind = f"{report['id']}, {report['observation']}, opponents {report['opponents'] or 'none'}"
    print(f"{report['games']:,} games of {kind}, {report['transport']}, copy={report['copy']}")
    for result in report["results"]:
        if "microseconds" in result:
            print(f"{'round trip':12} {result['microseconds']:10.1f} us")
            continue
        rate, limit = result["env_steps_per_second"], result["limit"]
        spread = f"{count(result['min'])} to {count(result['max'])}"
        ratio = f"   {rate / limit:.0%} of copy" if limit else ""
        print(f"{result['name']:12} {count(rate):>10} steps/s   ({spread}){ratio}")


if __name__ == "__main__":
    sys.exit(main())
