"""Measures all that is said about speed, and writes tables of it.

    make bench-report                    # all of it, some 40 minutes
    make bench-report ARGS="--quick"     # a look at it, two minutes

Most measurements are commands that print JSON, which you can run by hand. Each runs in a process of its own,
in several rounds with all the others in between, so that a noisy machine disturbs all of them alike. Their
samples are kept in Go's benchmark format, a file for each part, which `go tool benchstat` reads: it makes the
tables, and any other that you ask it for. Stopped with Ctrl-C, it writes tables of what it has. It takes all
cores: run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import functools
import hashlib
import itertools
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
BINARY = Path(os.environ.get("POMMEGO_BINARY", ROOT / "bin" / "pommego"))
FREE_FOR_ALL, TEAM = "PommeFFACompetition-v0", "PommeTeamCompetition-v0"
CLIENT = (".venv/bin/python", "-m", "pommego.bench", "--json")
PARTS = ("go", "python")
GIVE_UP = 300  # seconds that one measurement may take

WAYS = "-table /games -col /transport"
#: Heading, part, and what benchstat is to show of it beside what.
TABLES = (
    ("In Go: rules, encodings, batches", "go", "-table /games -col /workers"),
    ("Into Python; limit: a server that steps nothing", "python", f"{WAYS} -filter .name:End-to-end"),
    ("Time of a step", "python", f"{WAYS} -filter .name:Step-time"),
    ("Time of a step that does nothing", "python", f"{WAYS} -filter .name:Round-trip"),
)

Way = dict[str, Any]  # options by name
Run = tuple[str, Callable[[], list[str]]]  # a name, and what measures and returns samples


def plan(options: argparse.Namespace) -> list[tuple[str, str, Callable[[], list[str]]]]:
    """List what is measured, in the order of one round: the part, the name, and what returns the samples."""
    makers = {"go": _go, "python": _python}
    return [(part, *run) for part in PARTS if part in options.parts for run in makers[part](options)]


def _go(options: argparse.Namespace) -> Iterator[Run]:
    for games in options.games:
        for workers in sorted({1, min(os.cpu_count() or 1, games)}):
            way = {"games": games, "workers": workers}
            yield _command(("bin/pommego", "bench", "--json"), options.seconds / 3, way)


def _python(options: argparse.Namespace) -> Iterator[Run]:
    """Yield what is worth comparing of all ways into Python."""
    for games, id_, observation in itertools.product(options.games, (TEAM, FREE_FOR_ALL), ("raw", "planes")):
        transports = ("shm", "tcp", "unix") if id_ == TEAM else ("shm", "tcp")
        for transport in transports[: 1 if options.quick else None]:
            way = {"id": id_, "observation": observation, "transport": transport, "copy": False}
            others = ({}, {"copy": True}, {"in-flight": 2}, {"opponents": "simple"})
            for other in others[: 4 if id_ == FREE_FOR_ALL else 3]:
                yield _command(CLIENT, options.seconds, way | other | {"games": games})


def _command(program: tuple[str, ...], seconds: float, way: Way) -> Run:
    flags = []
    for name, value in way.items():
        if isinstance(value, bool):
            flags.append(f"--{name}" if value else f"--no-{name}")
        elif value is not None:
            flags += [f"--{name}", str(value)]
    command = (*program, *flags, "--seconds", f"{seconds:.3g}")
    return " ".join(command), functools.partial(_run, command, way)


def _run(command: tuple[str, ...], way: Way) -> list[str]:
    """Run a command with this Python and the binary that is measured; returns its samples."""
    program = {".venv/bin/python": sys.executable, "bin/pommego": str(BINARY)}[command[0]]
    environment = os.environ | {"POMMEGO_BINARY": str(BINARY)}
    how = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "timeout": GIVE_UP}
    done = subprocess.run([program, *command[1:]], check=True, **how)
    return samples(json.loads(done.stdout), way)


def samples(report: dict[str, Any], way: Way) -> list[str]:
    """Write what `pommego bench` or `python -m pommego.bench` printed as JSON in Go's benchmark format."""
    lines = []
    for r in report["results"]:
        if "microseconds" in r:
            name = {"step_us": "step-time", "round_trip_us": "round-trip"}[r["name"]]
            times = {"p50": r["microseconds"], "p90": r["p90"], "p99": r["p99"]}
            units = {f"{percentile}-ns/op": 1000 * t for percentile, t in times.items()}
            if name == "step-time" and report["wire_bytes"]:
                units["wire-B/op"] = report["wire_bytes"]
            lines.append(line(name, way, units))
        for rate in r.get("rounds", ()):
            share = {"%limit": 100 * rate / r["limit"]} if r.get("limit") else {}
            lines.append(line(r["name"], way, {"steps/s": rate} | share))
    return lines


def line(name: str, way: Way, units: dict[str, float]) -> str:
    """Write one sample in Go's benchmark format."""
    options = "".join(f"/{option}={value}" for option, value in way.items())
    figures = " ".join(f"{value:.6g} {unit}" for unit, value in units.items())
    return f"Benchmark{name[0].upper()}{name[1:]}{options} 1 {figures}"


def setting() -> str:
    """Describe machine and build, as configuration lines of Go's benchmark format."""
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    processor = named[0].partition(": ")[2] if named else platform.processor()
    return (
        f"cpu: {processor}, {os.cpu_count()} cores\nsystem: {platform.system()} {platform.release()}\n"
        f"python: {platform.python_version()}, numpy {np.__version__}, gymnasium {gymnasium.__version__}\n"
        f"commit: {commit}\nbinary: {hashlib.sha256(BINARY.read_bytes()).hexdigest()[:12]}\n"
    )


def tables(out: Path, made_by: str, head: str) -> str:
    """Write all tables, each with the command that makes it from the files."""
    blocks = [f"# Speed, measured until {datetime.date.today()}", f"Made by `{made_by}`:"]
    blocks.append(f"```\n{head}```")
    for heading, part, arranged in TABLES:
        path, how = out / f"{part}.txt", ["-row", ".fullname", *shlex.split(arranged)]
        if path.exists():
            command = ["go", "tool", "benchstat", *how, f"{part}={path}"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            options = shlex.join(["go", "tool", "benchstat", *how, path.name])
            blocks.append(f"## {heading}\n\n```\n$ {options}\n{done.stdout}```")
    return "\n\n".join(blocks) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    quick, today = options.quick, datetime.date.today().isoformat()
    options.games = options.games or ([64, 1024] if quick else [1, 64, 1024, 4096, 16384, 65536])
    options.seconds = options.seconds or (0.4 if quick else 1.2)
    options.rounds = options.rounds or (1 if quick else 2)
    out = options.out or ROOT / "benchmarks" / "results" / ("quick" if quick else today)
    out.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        (out / f"{part}.txt").unlink(missing_ok=True)
    head, runs = setting(), plan(options)
    with contextlib.suppress(KeyboardInterrupt):
        for i, (part, name, run) in enumerate(options.rounds * runs):
            print(f"{i + 1} of {options.rounds * len(runs)}: {name}", file=sys.stderr)
            lines, path = run(), out / f"{part}.txt"
            path.write_text("\n".join([path.read_text() if path.exists() else head, *lines, ""]))
    made_by = shlex.join([".venv/bin/python", "benchmarks/report.py", *arguments])
    (out / "tables.md").write_text(tables(out, made_by, head))
    print(f"written to {out}", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="two minutes: few sizes, short, one round")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="measure only these")
    parser.add_argument("--games", nargs="+", type=int, help="numbers of games at once")
    parser.add_argument("--seconds", type=float, help="for one measurement (default: 1.2)")
    parser.add_argument("--rounds", type=int, help="how often each is measured (default: 2)")
    parser.add_argument("--out", type=Path, help="folder for everything (default: benchmarks/results/DATE)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
