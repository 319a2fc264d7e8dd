"""Run with ``python -m pommego.bench``: measures steps per second in Python.

``end-to-end`` steps whole games with random actions, receives the observations and
turns them into arrays; a step is one move of a whole game, and steps that only reset
do not count. Its ``limit`` is ``noop``: the same with a server that steps nothing and
only sends the batch. ``round_trip_us`` is the time of one ``noop`` step in microseconds,
``step_us`` that of a real one: p50 is the median, p99 the time that 99 % of them do not exceed.
All of them are measured in turn, in several rounds of the same run.

``wire_bytes`` is the number of bytes that the server wrote for a batch, where the system reports that.

``--device`` measures what learning adds, one stage after the other, with PyTorch. It runs the example
`ladder`, whose options have other defaults than those of this command.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

import pommego
from pommego import examples

_ROUNDS = 5
_OBSERVATIONS = "raw", "planes", "unfogged", "near"
_ACTIONS = 64  # batches of random actions drawn beforehand
_TRIPS = 1000  # single steps timed, at most
_FEWEST = 5  # the least, even if they take longer than the given seconds


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.device is not None:
            from pommego import torch  # noqa: F401, PLC0415, its error says what to install

            run_path(str(examples.find()["ladder"]))["main"](arguments)
            return 0
        for name in ("games", "seconds", "in_flight"):
            if not getattr(options, name) > 0:
                parser.error(f"--{name.replace('_', '-')} is {getattr(options, name)}, expected more than 0")
        _report(options)
    except (pommego.PommegoError, ModuleNotFoundError, ValueError) as e:
        print(f"pommego.bench: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _report(options: argparse.Namespace) -> None:
    report = run(options)
    if options.json:
        print(json.dumps(report))
        return
    kind = f"{report['id']}, {report['observation']}, opponents {report['opponents'] or 'none'}"
    how = f"{report['transport']}, copy={report['copy']}, {report['in_flight']} in flight"
    print(f"{report['games']:,} games of {kind}, {how}")
    for r in report["results"]:
        if "microseconds" in r:
            figures = f"us p50   (p90 {r['p90']:.1f}, p99 {r['p99']:.1f})"
            print(f"{r['name']:14} {r['microseconds']:12.1f} {figures}")
            continue
        rate, limit = r["env_steps_per_second"], r["limit"]
        ratio = f"   {rate / limit:.0%} of noop" if limit else ""
        print(f"{r['name']:14} {rate:12,.0f} steps/s   ({r['min']:,.0f} to {r['max']:,.0f}){ratio}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pommego.bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--id", default="PommeTeamCompetition-v0", help="default: %(default)s")
    parser.add_argument("--games", type=int, default=1024, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5.0, help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=0, help="games stepped at a time; 0: as many as cores")
    parser.add_argument("--observation", choices=_OBSERVATIONS, default="planes")
    parser.add_argument(
        "--opponents", help="an agent in all seats but one, such as simple, or several: osla,simple,simple"
    )
    parser.add_argument("--copy", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--transport", choices=["shm", "tcp", "unix"], default="shm")
    parser.add_argument("--in-flight", type=int, default=1, help="steps in flight, at most (default: 1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", help="cpu or cuda: measure what learning there adds")
    return parser


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure; returns the report."""
    with (
        pommego.Server(transport="tcp" if options.transport == "tcp" else "unix") as server,
        _make(options, server) as envs,
        envs._respawn(noop=True) as idle,  # its steps do nothing: what is left is the transport
    ):
        return _measure(options, _Driver(envs, options), _Driver(idle, options), server.pid)


def _make(options: argparse.Namespace, server: pommego.Server) -> pommego.PommegoVectorEnv:
    where = {"address": server.address, "token": server.token}
    several = options.opponents and "," in options.opponents
    return pommego.make_vec(
        options.id,
        num_envs=options.games,
        observation=options.observation,
        opponents=options.opponents.split(",") if several else options.opponents,
        workers=options.workers,
        copy=options.copy,
        connection=pommego.Connection(shared_memory=options.transport == "shm", expand_shared=options.copy),
        **where,
    )


def _measure(options: argparse.Namespace, real: _Driver, idle: _Driver, server: int) -> dict[str, Any]:
    for driver in (real, idle):
        driver.steps_per_second(min(0.2, options.seconds / 10))  # warm up
    stepped, handed = [], []
    for _ in range(_ROUNDS):
        stepped.append(real.steps_per_second(options.seconds / 2 / _ROUNDS))
        handed.append(idle.steps_per_second(options.seconds / 4 / _ROUNDS))
    trips = idle.step_times(options.seconds / 8)
    before = _written(server)
    steps = real.step_times(options.seconds / 8)
    after = _written(server)
    noop = _result("noop", handed, None)
    names = ("games", "workers", "id", "observation", "opponents", "copy", "transport")
    return {
        **{name: getattr(options, name) for name in names},
        "in_flight": real.in_flight,
        "batch_bytes": real.batch_bytes,
        "wire_bytes": None if before is None or after is None else (after - before) / len(steps),
        "round_trip_us": statistics.median(trips),
        "results": [
            _result("end-to-end", stepped, noop["env_steps_per_second"]),
            noop,
            _latency("round_trip_us", trips),
            _latency("step_us", steps),
        ],
    }


class _Driver:
    """Steps one environment with actions drawn in advance."""

    def __init__(self, envs: pommego.PommegoVectorEnv, options: argparse.Namespace) -> None:
        envs.reset(seed=options.seed)
        self._envs = envs
        rng = np.random.default_rng(options.seed)
        choices = [choice.n for choice in envs.game_spec.actions]
        shape = (_ACTIONS, envs.num_envs, len(choices))
        actions = rng.integers(0, choices, shape, np.uint8)
        self._actions = itertools.cycle(actions[:, :, 0] if len(choices) == 1 else actions)
        self._resetting = 0
        self.in_flight = min(options.in_flight, envs.max_in_flight)
        self.batch_bytes = envs.batch_bytes

    def steps_per_second(self, seconds: float) -> float:
        """Step for this many seconds; steps that only reset a game do not count."""
        envs, steps = self._envs, 0
        for _ in range(self.in_flight - 1):
            envs.send(next(self._actions))
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            envs.send(next(self._actions))
            *_, info = envs.recv()
            steps += envs.num_games - self._resetting
            self._resetting = int(info["_game"].sum()) // envs.learners if "game" in info else 0
        for _ in range(self.in_flight - 1):
            envs.recv()
        return steps / elapsed

    def step_times(self, seconds: float) -> list[float]:
        """Time single steps for this many seconds; return microseconds."""
        times: list[float] = []
        end = time.perf_counter() + seconds
        while len(times) < _FEWEST or (len(times) < _TRIPS and time.perf_counter() < end):
            begin = time.perf_counter()
            self._envs.send(next(self._actions))
            self._envs.recv()
            times.append((time.perf_counter() - begin) * 1e6)
        return times


def _latency(name: str, times: list[float]) -> dict[str, Any]:
    p50, p90, p99 = np.percentile(times, [50, 90, 99]).tolist()
    spread = {"p90": p90, "p99": p99, "min": min(times), "max": max(times)}
    return {"name": name, "microseconds": p50, **spread, "samples": len(times)}


def _written(process: int) -> int | None:
    """Return the bytes a process has written, sockets included; None if the system does not tell."""
    try:
        lines = Path(f"/proc/{process}/io").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("wchar:")), None)


def _result(name: str, rates: list[float], limit: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "env_steps_per_second": statistics.median(rates),
        "min": min(rates),
        "max": max(rates),
        "limit": limit,
        "allocs_per_step": None,
        "rounds": rates,
    }


if __name__ == "__main__":
    sys.exit(main())
