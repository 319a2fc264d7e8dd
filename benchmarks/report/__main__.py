"""Run with ``python -m benchmarks.report``, or ``make bench-report``: measure, and write tables and plots.

Stopped with Ctrl-C it goes on from there the next time. What it measures takes
all cores: nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import shlex
import sys
from pathlib import Path

from benchmarks.report import machine, runner, sections
from benchmarks.report.findings import Findings
from benchmarks.report.journal import Journal, JournalError
from benchmarks.report.plan import PARTS, Grid, Measurement

_RESULTS = machine.ROOT / "benchmarks" / "results"


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    out = options.out or (_RESULTS / "quick" if options.quick else _RESULTS)
    plan = _grid(options).measurements()
    path = out / "journal.jsonl"
    if options.fresh:
        path.unlink(missing_ok=True)
    try:
        journal = Journal(path)
        if not options.tables:
            _measure(plan, journal)
        elif journal.head is None:
            _restore(journal, out)
        if journal.head is None:
            raise JournalError(f"{path} is empty: there is nothing to write yet")
    except JournalError as e:
        print(f"bench-report: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        left = len(runner.pending(plan, journal))
        print(f"\nstopped, {left} measurements to go; the same command goes on from here", file=sys.stderr)
        return 130
    findings = Findings(plan, journal)
    told = [argument for argument in arguments if argument not in ("--tables", "--fresh")]
    _write(findings, plan, out, shlex.join([".venv/bin/python", "-m", "benchmarks.report", *told]))
    for command, error in findings.failed.items():
        print(f"could not be measured: {command}: {error}", file=sys.stderr)
    return 1 if findings.failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="two minutes: few sizes, short, one round")
    parser.add_argument("--parts", nargs="+", choices=PARTS, help="measure only these")
    parser.add_argument("--games", nargs="+", type=int, help="numbers of games at once")
    parser.add_argument("--seconds", type=float, help="for one measurement from Python (default: 1.2)")
    parser.add_argument("--rounds", type=int, help="how often each is measured (default: 2)")
    parser.add_argument("--out", type=Path, help="folder for everything (default: benchmarks/results)")
    parser.add_argument("--fresh", action="store_true", help="forget what has been measured so far")
    parser.add_argument(
        "--tables", action="store_true", help="measure nothing, write tables of what is there"
    )
    return parser


def _grid(options: argparse.Namespace) -> Grid:
    changes = {"seconds": options.seconds, "rounds": options.rounds}
    if options.parts:
        changes["parts"] = tuple(options.parts)
    if options.games:
        changes["games"] = changes["go_games"] = tuple(sorted(set(options.games)))
    grid = Grid.quick() if options.quick else Grid()
    return dataclasses.replace(grid, **{name: value for name, value in changes.items() if value is not None})


def _measure(plan: list[Measurement], journal: Journal) -> None:
    if not runner.pending(plan, journal) and journal.head:
        print("all of this has been measured; --fresh measures it again", file=sys.stderr)
        return
    journal.begin(machine.describe())
    runner.run(plan, journal)


def _restore(journal: Journal, out: Path) -> None:
    """Read what `_write` wrote: the raw figures are kept in the repository, the journal is not."""
    if (out / "setting.json").exists():
        parts = [out / f"{part}.json" for part in PARTS]
        records = [r for part in parts if part.exists() for r in json.loads(part.read_text())]
        journal.restore(json.loads((out / "setting.json").read_text()), records)


def _write(findings: Findings, plan: list[Measurement], out: Path, made_by: str) -> None:
    """Write raw figures, tables, and, if matplotlib is installed, plots."""
    about = {name: value for name, value in findings.head.items() if name != "build"}
    (out / "setting.json").write_text(json.dumps(about, indent=1) + "\n")
    for part in dict.fromkeys(m.part for m in plan):
        records = [r for r in findings.records if r["part"] == part]
        lines = ",\n".join(json.dumps(record) for record in records)
        (out / f"{part}.json").write_text(f"[\n{lines}\n]\n")
    (out / "tables.md").write_text(sections.document(findings, made_by))
    if importlib.util.find_spec("matplotlib"):
        from benchmarks.report import plots  # noqa: PLC0415  # an extra

        drawn = ", ".join(path.name for path in plots.draw(findings, out))
    else:
        drawn = "no plots, because matplotlib is not installed (pip install 'pommego[bench]')"
    print(f"{out}: tables.md, {drawn}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
