"""Compares the speed of two revisions in interleaved pairs.

    make bench-compare REV=v1.2                                   # with the working tree
    make bench-compare REV="v1.2 HEAD~3" ARGS="--pairs 30 --seconds 0.3 --only rules/ python/shm"

Each revision is checked out into a temporary worktree and built there. A pair is one short run of either,
one directly after the other, in an order that alternates; every measurement runs in a process of its own.
What is compared are the measurements of `pommego bench` that both revisions know (without `copy/` and
`clear/`, which measure the machine), and `python/TRANSPORT/OBSERVATION`: `end-to-end` of
`python -m pommego.bench`, with each revision's own client and server and this Python's packages.

A row is the median of the pairs' ratios, new to old, with an interval that covers the true median with at
least 95 % whatever the ratios' distribution (order statistics, as in the sign test). Stopped with Ctrl-C,
it prints what it has.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MACHINE_LIMITS = ("copy/", "clear/")


@dataclass(frozen=True)
class Side:
    """One of the two revisions: what it is called, its server's binary and the folder of its client."""

    name: str
    binary: Path
    client: Path

    def run(self, *command: str) -> dict[str, float]:
        """Run a benchmark of this side; returns each measurement's moves of whole games a second."""
        environment = os.environ | {"POMMEGO_BINARY": str(self.binary), "PYTHONPATH": str(self.client)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"bench-compare: {self.name}: {' '.join(command)}: {done.stderr.strip()}")
        results = json.loads(done.stdout)["results"]
        return {r["name"]: r["env_steps_per_second"] for r in results if "env_steps_per_second" in r}

    def measure(self, name: str, options: argparse.Namespace) -> float:
        """Measure once."""
        size = ("--games", str(options.games), "--seconds", str(options.seconds))
        size += ("--workers", str(options.workers)) if options.workers else ()
        if not name.startswith("python/"):
            return self.run(str(self.binary), "bench", "--json", "--only", name, *size)[name]
        _, transport, observation = name.split("/")
        way = ("--transport", transport, "--observation", observation, "--no-copy")
        return self.run(sys.executable, "-m", "pommego.bench", "--json", *way, *size)["end-to-end"]

    def names(self) -> list[str]:
        """List what this side can measure."""
        known = self.run(str(self.binary), "bench", "--json", "--games", "1", "--seconds", "0.001")
        ways = [f"python/{transport}/{o}" for transport in ("shm", "tcp", "unix") for o in ("raw", "planes")]
        return [name for name in known if not name.rpartition(":")[2].startswith(MACHINE_LIMITS)] + ways


@contextlib.contextmanager
def built(revision: str | None) -> Iterator[Side]:
    """Build a revision in a temporary worktree, or, if None, the working tree as it is."""
    if revision is None:
        yield _build("working tree", ROOT)
        return
    with tempfile.TemporaryDirectory(prefix="pommego-compare-") as folder:
        tree = Path(folder, "tree")
        _call("git", "-C", str(ROOT), "worktree", "add", "--quiet", "--detach", str(tree), revision)
        try:
            yield _build(revision, tree)
        finally:
            _call("git", "-C", str(ROOT), "worktree", "remove", "--force", str(tree))


def _build(name: str, tree: Path) -> Side:
    binary, client = tree / "bin" / "pommego", tree / "python_client" / "src"
    environment = {"CGO_ENABLED": "0"} | os.environ
    _call("go", "build", "-trimpath", "-o", str(binary), "./cmd/pommego", cwd=tree, env=environment)
    where = "import pommego; print(pommego.__file__)"
    found = _call(sys.executable, "-c", where, env=os.environ | {"PYTHONPATH": str(client)})
    if not found.startswith(str(client)):
        raise SystemExit(f"bench-compare: {name}: Python imports {found.strip()}, want a file in {client}")
    return Side(name, binary, client)


def _call(*command: str, **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise SystemExit(f"bench-compare: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return an interval that covers the median of the values' distribution, whatever that is.

    With fewer than six values there is none for 95 %: it is everything.
    """
    n, ordered = len(values), sorted(values)
    below, rank = 0.0, 0  # below: how likely at most `rank - 1` of the values lie on one side of the median
    while 2 * (below + math.comb(n, rank) / 2**n) <= 1 - confidence:
        below += math.comb(n, rank) / 2**n
        rank += 1
    return (ordered[rank - 1], ordered[n - rank]) if rank else (0.0, math.inf)


def verdict(ratios: Sequence[float]) -> str:
    """Say in a word what the pairs show."""
    low, high = interval(ratios)
    if math.isinf(high):
        return "too few pairs"
    return "faster" if low > 1 else "slower" if high < 1 else "no difference"


def pairs(old: Side, new: Side, names: Sequence[str], options: argparse.Namespace) -> dict[str, list]:
    """Measure all pairs; returns the rates of either side for each name. Ctrl-C ends it early."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    with contextlib.suppress(KeyboardInterrupt):
        for pair in range(options.pairs):
            print(f"pair {pair + 1} of {options.pairs}", file=sys.stderr)
            for name in names:
                if pair % 2 == 0:
                    before, after = old.measure(name, options), new.measure(name, options)
                else:
                    after, before = new.measure(name, options), old.measure(name, options)
                found[name].append((before, after))
    return found


def table(found: dict[str, list[tuple[float, float]]]) -> str:
    """Write a line for each measurement."""
    lines = [f"{'measurement':24} {'pairs':>5} {'old':>10} {'new':>10}   new/old  95 % interval"]
    for name, rates in found.items():
        if not rates:
            continue
        old, new = (statistics.median(side) for side in zip(*rates, strict=True))
        ratios = [after / before for before, after in rates]
        low, high = interval(ratios)
        lines.append(
            f"{name:24} {len(rates):5} {old / 1e6:8.3f} M {new / 1e6:8.3f} M   "
            f"{statistics.median(ratios):7.3f}  {low:.3f} to {high:.3f}  {verdict(ratios)}"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Compare; returns the exit status."""
    parser = argparse.ArgumentParser(prog="compare_revisions.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("old", help="a git revision")
    parser.add_argument("new", nargs="?", help="another; without it the working tree")
    parser.add_argument("--pairs", type=int, default=30, help="how many (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.3, help="for one run (default: %(default)s)")
    parser.add_argument("--games", type=int, default=1024, help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=0, help="goroutines; 0: one a core")
    parser.add_argument("--only", nargs="+", default=[""], help="only names that begin with one of these")
    options = parser.parse_args(arguments)
    with built(options.old) as old, built(options.new) as new:
        known = set(old.names())
        names = [name for name in new.names() if name in known and name.startswith(tuple(options.only))]
        if not names:
            parser.error(f"--only {' '.join(options.only)} fits none of: {', '.join(new.names())}")
        print(f"old: {old.name}, new: {new.name}; {options.games} games, {options.seconds:g} s a run")
        print(table(pairs(old, new, names, options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
