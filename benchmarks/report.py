"""Measures all that is said about speed, and writes tables of it.

    make bench-report                    # all of it, some 40 minutes
    make bench-report ARGS="--quick"     # a look at it, two minutes
    make bench-compare REV=v1.2          # the quick one, ten rounds, beside another revision
    make bench-compare REV=v1.2 ARGS="--parts go --only rules/ --rounds 30"

Most measurements are commands that print JSON, which you can run by hand. Each runs in a process of its own,
in several rounds with all the others in between, so that a noisy machine disturbs all of them alike. Their
samples are kept in Go's benchmark format, a file for each part, which `go tool benchstat` reads: it makes the
tables, and any other that you ask it for. Stopped with Ctrl-C, it writes tables of what it has. It takes all
cores: run nothing else meanwhile. Another revision is built in a temporary worktree, and measured in turns
with the working tree, each with its own client.
"""

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
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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

#: The same of two revisions, side by side.
COMPARED = "-col .file -ignore commit,binary"


@dataclass(frozen=True)
class Side:
    """What is measured: the working tree, or another revision's tree."""

    name: str = ""
    root: Path = ROOT
    binary: Path = BINARY

    def file(self, out: Path, part: str) -> Path:
        """Return the file that has the samples of a part."""
        return out / self.name / f"{part}.txt"


@contextlib.contextmanager
def built(revision: str) -> Iterator[Side]:
    """Build a revision in a temporary worktree."""
    with tempfile.TemporaryDirectory(prefix="pommego-compare-") as folder:
        tree = Path(folder, "tree")
        worktree, quiet = ("git", "-C", str(ROOT), "worktree"), {"CGO_ENABLED": "0"} | os.environ
        subprocess.run([*worktree, "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            build = ("go", "build", "-trimpath", "-o", "bin/pommego", "./cmd/pommego")
            subprocess.run(build, cwd=tree, env=quiet, check=True)
            yield Side("old", tree, tree / "bin" / "pommego")
        finally:
            subprocess.run([*worktree, "remove", "--force", str(tree)], check=True)


Way = dict[str, Any]  # options by name
Run = tuple[str, Callable[[Side], list[str]]]  # a name, and what measures a side and returns samples


def plan(options: argparse.Namespace) -> list[tuple[str, str, Callable[[Side], list[str]]]]:
    """List what is measured, in the order of one round: the part, the name, and what returns the samples."""
    makers = {"go": _go, "python": _python}
    return [(part, *run) for part in PARTS if part in options.parts for run in makers[part](options)]


def _go(options: argparse.Namespace) -> Iterator[Run]:
    program = ("bin/pommego", "bench", "--json", f"--only={options.only}")
    for games in options.games:
        for workers in sorted({1, min(os.cpu_count() or 1, games)}):
            way = {"games": games, "workers": workers}
            yield _command(program, options.seconds / 3, way)


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


def _run(command: tuple[str, ...], way: Way, side: Side) -> list[str]:
    """Run a command with this Python and what is measured; returns its samples."""
    program = {".venv/bin/python": sys.executable, "bin/pommego": str(side.binary)}[command[0]]
    client = str(side.root / "python_client" / "src")
    environment = os.environ | {"POMMEGO_BINARY": str(side.binary), "PYTHONPATH": client}
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


def medians(lines: list[str]) -> list[str]:
    """Keep the median of each name: the test takes samples as independent, those of one process are not."""
    by_name: dict[str, list[str]] = {}
    for one in lines:
        by_name.setdefault(one.split()[0], []).append(one)
    return [sorted(some, key=lambda one: float(one.split()[2]))[len(some) // 2] for some in by_name.values()]


def line(name: str, way: Way, units: dict[str, float]) -> str:
    """Write one sample in Go's benchmark format."""
    options = "".join(f"/{option}={value}" for option, value in way.items())
    figures = " ".join(f"{value:.6g} {unit}" for unit, value in units.items())
    return f"Benchmark{name[0].upper()}{name[1:]}{options} 1 {figures}"


def setting(side: Side) -> str:
    """Describe machine and build, as configuration lines of Go's benchmark format."""
    describe = ["git", "describe", "--always", "--dirty"]
    said = subprocess.run(describe, cwd=side.root, capture_output=True, text=True, check=False).stdout
    named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    processor = named[0].partition(": ")[2] if named else platform.processor()
    return (
        f"cpu: {processor}, {os.cpu_count()} cores\nsystem: {platform.system()} {platform.release()}\n"
        f"python: {platform.python_version()}, numpy {np.__version__}, gymnasium {gymnasium.__version__}\n"
        f"commit: {said.strip()}\nbinary: {hashlib.sha256(side.binary.read_bytes()).hexdigest()[:12]}\n"
    )


def tables(out: Path, sides: list[Side], made_by: str) -> str:
    """Write all tables, each with the command that makes it from the files."""
    blocks = [f"# Speed, measured until {datetime.date.today()}", f"Made by `{made_by}`:"]
    blocks += [f"```\n{setting(side)}```" for side in sides]
    compared = [(f"Old and new: {part}", part, COMPARED) for part in PARTS]
    for heading, part, arranged in compared if len(sides) > 1 else TABLES:
        files = {f"{side.name or 'new'}=": side.file(out, part) for side in sides}
        if all(path.exists() for path in files.values()):
            command = ["go", "tool", "benchstat", "-row", ".fullname", *shlex.split(arranged)]
            paths = [f"{name}{path}" for name, path in files.items()]
            done = subprocess.run([*command, *paths], cwd=ROOT, capture_output=True, text=True, check=True)
            paths = [f"{name}{path.relative_to(out)}" for name, path in files.items()]
            blocks.append(f"## {heading}\n\n```\n$ {shlex.join([*command, *paths])}\n{done.stdout}```")
    return "\n\n".join(blocks) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    quick, name = options.quick, datetime.date.today().isoformat()
    if options.against:
        quick, name = True, f"against-{options.against.replace('/', '-')}"
    options.games = options.games or ([64, 1024] if quick else [1, 64, 1024, 4096, 16384, 65536])
    options.seconds = options.seconds or (0.4 if quick else 1.2)
    options.rounds = options.rounds or (10 if options.against else 1 if quick else 2)
    out = options.out or ROOT / "benchmarks" / "results" / ("quick" if options.quick else name)
    with contextlib.ExitStack() as trees:
        sides = [trees.enter_context(built(options.against))] if options.against else []
        sides.append(Side())
        measure(plan(options), sides, out, options.rounds)
        made_by = shlex.join([".venv/bin/python", "benchmarks/report.py", *arguments])
        (out / "tables.md").write_text(tables(out, sides, made_by))
    print(f"written to {out}", file=sys.stderr)
    return 0


def measure(runs: list[tuple[str, str, Any]], sides: list[Side], out: Path, rounds: int) -> None:
    """Write the samples of all runs, the sides in turns; Ctrl-C ends it early."""
    for side, part in itertools.product(sides, PARTS):
        side.file(out, part).parent.mkdir(parents=True, exist_ok=True)
        side.file(out, part).unlink(missing_ok=True)
    with contextlib.suppress(KeyboardInterrupt):
        for i, (part, name, run) in enumerate(rounds * runs):
            print(f"{i + 1} of {rounds * len(runs)}: {name}", file=sys.stderr)
            for side in sides[:: 1 if i // len(runs) % 2 else -1]:
                lines, path = run(side), side.file(out, part)
                lines = medians(lines) if len(sides) > 1 else lines
                path.write_text("\n".join([path.read_text() if path.exists() else setting(side), *lines, ""]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="two minutes: few sizes, short, one round")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="measure only these")
    parser.add_argument("--against", metavar="REV", help="measure this revision, too, in turns")
    parser.add_argument("--only", default="", help="in Go, only measurements whose names begin so")
    parser.add_argument("--games", nargs="+", type=int, help="numbers of games at once")
    parser.add_argument("--seconds", type=float, help="for one measurement (default: 1.2)")
    parser.add_argument("--rounds", type=int, help="how often each is measured (default: 2)")
    parser.add_argument("--out", type=Path, help="folder for everything (default: benchmarks/results/DATE)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
