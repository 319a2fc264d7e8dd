"""Run with ``python -m benchmarks.report.memory``: the memory of a server with so many games.

A plain `pommego serve`, with the limits it has by itself, makes one environment
of so many games and steps it a few times; batches lie in shared memory. Then its
memory is read from the system: `anonymous` is what it has for itself, `shared`
the batches, `peak` the most that was ever resident.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import pommego
from benchmarks.report.serving import serve

_STEPS = 16
_FIELDS = {
    "peak": "VmHWM",
    "resident": "VmRSS",
    "anonymous": "RssAnon",
    "file": "RssFile",
    "shared": "RssShmem",
}


def main(arguments: list[str] | None = None) -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report.memory", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--id", default="PommeTeamCompetition-v0", help="default: %(default)s")
    parser.add_argument("--observation", choices=["raw", "planes"], default="raw")
    parser.add_argument("--games", type=int, default=1024, help="default: %(default)s")
    options = parser.parse_args(arguments)
    try:
        report = measure(options.id, options.observation, options.games)
    except (pommego.PommegoError, RuntimeError) as e:
        print(f"memory: {e}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(report))
        return 0
    for name, value in report.items():
        print(f"{name:12} {value:>15,}" if isinstance(value, int) else f"{name:12} {value}")
    return 0


def measure(id_: str, observation: str, games: int) -> dict[str, Any]:
    """Return what a server with these games has resident, in bytes."""
    with serve() as (address, process):
        envs = pommego.make_vec(id_, games, observation=observation, copy=False, address=address)
        with envs:
            envs.reset(seed=0)
            moves = [choice.n for choice in envs.game_spec.actions]
            dice = np.random.default_rng(0)
            for _ in range(_STEPS):
                envs.step(dice.integers(0, moves[0], envs.num_envs, np.uint8))
            resident = read(process)
            about = {"id": id_, "observation": observation, "games": games}
            return about | {"batch_bytes": envs.batch_bytes, "shared_memory": envs.shared_memory} | resident


def read(process: int) -> dict[str, int]:
    """Read how much memory a process has resident, in bytes."""
    status = Path(f"/proc/{process}/status").read_text().splitlines()
    found = {line.partition(":")[0]: line.split()[1] for line in status if line.endswith(" kB")}
    return {name: 1024 * int(found[key]) for name, key in _FIELDS.items()}


if __name__ == "__main__":
    sys.exit(main())
