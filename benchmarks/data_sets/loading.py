"""How fast data sets are read in Python, and whether what is rebuilt is what was recorded.

    python benchmarks/data_sets/loading.py read              # rows a second, beside pyarrow
    python benchmarks/data_sets/loading.py rebuild           # a million steps, byte for byte

Both generate what they need with four `simple` agents, free for all, into
``--out``, where it stays for the next time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from pommego import data
from pommego.server import find_binary

TRAINING = ["obs_planes", "action", "alive"]


def generated(out: Path, layout: str, steps: int, observation: str) -> Path:
    """Generate a data set of so many steps, unless it is there."""
    path = out / f"{layout}-{steps}-{observation}"
    command = [find_binary(), "generate", "--out", path, "--layout", layout, "--steps", str(steps)]
    if layout == "steps":
        command += ["--observation", observation]
    subprocess.run(command, check=True)
    return path


def by_pyarrow(path: Path, columns: Sequence[str] | None) -> int:
    """Read all row groups as pyarrow does, which leaves them as Arrow has them."""
    rows = 0
    for name in data.Manifest.read(path).files:
        file = pq.ParquetFile(name)
        for group in range(file.num_row_groups):
            rows += file.read_row_group(group, columns=columns).num_rows
    return rows


def by_batches(path: Path, columns: Sequence[str] | None) -> int:
    """Read in batches as pyarrow does, one thread like `load`."""
    rows = 0
    for name in data.Manifest.read(path).files:
        for batch in pq.ParquetFile(name).iter_batches(4096, columns=columns):
            rows += batch.num_rows
    return rows


def by_load(path: Path, columns: Sequence[str] | None) -> int:
    """Read as numpy arrays of their own shapes."""
    return sum(len(batch["action"]) for batch in data.load(path, columns=columns))


def shuffled(path: Path, columns: Sequence[str] | None) -> int:
    """Read as numpy arrays, rows in random order."""
    return sum(len(batch["action"]) for batch in data.load(path, columns=columns, shuffle=1))


READERS: list[tuple[str, Callable[[Path, Sequence[str] | None], int]]] = [
    ("pyarrow, row groups", by_pyarrow),
    ("pyarrow, iter_batches", by_batches),
    ("pommego.data.load", by_load),
    ("pommego.data.load, shuffled", shuffled),
]


def read(options: argparse.Namespace) -> None:
    """Measure all readers in turn, round after round."""
    path = generated(options.out, "steps", options.steps, options.observation)
    size = sum(file.stat().st_size for file in data.Manifest.read(path).files)
    for columns in (None, TRAINING if options.observation == "planes" else ["obs_maps", "action", "alive"]):
        times: dict[str, list[float]] = {name: [] for name, _ in READERS}
        rows = 0
        for _ in range(options.rounds):
            for name, reader in READERS:
                begun = time.perf_counter()
                rows = reader(path, columns)
                times[name].append(time.perf_counter() - begun)
        limit = times[READERS[0][0]]
        what = "all columns" if columns is None else ", ".join(columns)
        print(f"{what}: {rows} rows of {size / rows:.0f} bytes, {options.rounds} rounds")
        for name, seconds in times.items():
            share = statistics.median(a / b for a, b in zip(limit, seconds, strict=True))
            print(
                f"  {name:28} {rows / statistics.median(seconds):12,.0f} rows/s "
                f"({rows / max(seconds):,.0f} to {rows / min(seconds):,.0f}), {100 * share:.0f} % of pyarrow"
            )


def rebuild(options: argparse.Namespace) -> None:
    """Hold what the server shows of recorded games against what was recorded."""
    recorded = generated(options.out, "steps", options.steps, options.observation)
    games = generated(options.out, "games", options.steps, options.observation)
    done = {"games": 0, "steps": 0, "rows": 0, "bytes": 0, "different": 0}
    rebuilding = 0.0

    def timed() -> Iterator[data.Episode]:
        nonlocal rebuilding
        source = data.rebuild(games, observation=options.observation)
        while True:
            begun = time.perf_counter()
            game = next(source, None)
            rebuilding += time.perf_counter() - begun
            if game is None:
                return
            yield game

    for got, want in zip(timed(), data.episodes(recorded), strict=True):
        pairs = [(got.observations[name], array) for name, array in want.observations.items()]
        pairs += [
            (getattr(got, name), getattr(want, name)) for name in ("legal", "alive", "actions", "rewards")
        ]
        done["different"] += not all(
            a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b) for a, b in pairs
        )
        done["games"] += 1
        done["steps"] += len(want)
        done["rows"] += want.actions.shape[0] * want.actions.shape[1]
        done["bytes"] += sum(array.nbytes for array in want.observations.values())
    print(json.dumps(done | {"rebuilt_steps_per_second": round(done["steps"] / rebuilding)}))
    if done["different"]:
        raise SystemExit("rebuilt observations differ from recorded ones")


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["read", "rebuild"])
    parser.add_argument("--out", type=Path, default=Path("runs/data-sets"), help="default: %(default)s")
    parser.add_argument("--steps", type=int, help="of games (default: read 50,000, rebuild 1,000,000)")
    parser.add_argument("--observation", choices=["planes", "raw"], default="planes")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.what == "read":
        options.steps = options.steps or 50_000
        read(options)
    else:
        options.steps = options.steps or 1_000_000
        rebuild(options)


if __name__ == "__main__":
    main()
