"""The benchmark report: a tiny run with everything real, and its parts with figures made up."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY
from pommego import bench

if not (REPOSITORY / "benchmarks" / "report").is_dir():
    pytest.skip("the report is part of the repository, not of the package", allow_module_level=True)
sys.path.insert(0, str(REPOSITORY))

from benchmarks.report import __main__ as program
from benchmarks.report import machine, markdown, profiling, runner, sections
from benchmarks.report.findings import Figure, Findings
from benchmarks.report.journal import Journal, JournalError
from benchmarks.report.plan import Grid, Measurement

PLOTS = ["steps.png", "latency.png", "limits.png", "cost.png"]
HAS_PLOTS = importlib.util.find_spec("matplotlib") is not None


def rates(name: str, limit: float | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "env_steps_per_second": 2e6, "min": 1e6, "max": 3e6, "limit": limit} | more


def times(name: str) -> dict[str, Any]:
    return {"name": name, "microseconds": 50.0, "p90": 60.0, "p99": 70.0, "min": 40.0, "max": 80.0}


def made_up(m: Measurement) -> dict[str, Any]:
    """What a measurement's command might print."""
    if m.part == "go":
        copied = rates("copy/raw") | {"env_steps_per_second": 4e6}
        stepped = [rates("step/raw", 4e6), rates("step/planes", 4e6)]
        return {"results": [rates("rules/random"), *stepped, copied]}
    if m.part == "memory":
        own = {"peak": 1 << 20, "anonymous": 1 << 19, "shared": 1 << 18, "batch_bytes": 1 << 10}
        return own | {"results": []}
    if m.part == "profile":
        functions = [{"function": "main.main", "share": 0.5, "with_callees": 0.75}]
        return {"server": functions, "client": functions}
    latencies = [times("round_trip_us"), times("step_us")]
    results = [rates("end-to-end", 4e6), rates("noop"), rates("copy"), *latencies]
    return {"results": results, "wire_bytes": 1000 if m.options.get("compression") else 10_000}


MACHINE = {"processor": "abacus", "cores": 2, "caches": "", "memory": 1 << 30, "system": "", "governor": None}
HEAD = {
    "machine": MACHINE,
    "versions": {"python": "3", "envpool": None},
    "go_build": ["-pgo=default.pgo"],
    "commit": "abcdef",
    "changed": False,
    "date": "2026-01-01",
    "build": "this one",
}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Measure nothing; returns the list of the commands that would have been run."""
    commands: list[str] = []

    def measure(m: Measurement, _: Any) -> dict[str, Any]:
        commands.append(m.text)
        return {"result": made_up(m)}

    monkeypatch.setattr(runner, "_measure", measure)
    monkeypatch.setattr(program.machine, "describe", lambda: HEAD)
    return commands


def test_a_tiny_run(binary: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.report", "--quick", "--parts", "go", "link", "memory"]
    command += ["--games", "4", "--seconds", "0.06", "--out", str(tmp_path)]
    environment = os.environ | {"POMMEGO_BINARY": str(binary)}
    for _ in range(2):  # the second finds everything measured
        done = subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "has been measured" in done.stderr
    tables = (tmp_path / "tables.md").read_text()
    for heading in (
        "### `rules/random`",
        "### `step/planes`, limit `copy/planes`",
        "## Compression",
        "## Memory",
    ):
        assert heading in tables
    assert "could not be measured" not in tables
    (go,) = (r for r in json.loads((tmp_path / "go.json").read_text()) if r["options"]["workers"] == 1)
    assert go["command"] == "bin/pommego bench --json --games 4 --workers 1 --seconds 0.02"
    assert {"rules/random", "copy/raw"} <= {result["name"] for result in go["result"]["results"]}


def test_tables_and_plots_of_everything(fake: list[str], tmp_path: Path) -> None:
    assert program.main(["--quick", "--out", str(tmp_path)]) == 0
    tables = (tmp_path / "tables.md").read_text()
    parts = ("In Go", "End to end", "Time of one step", "Compression", "peers", "Memory", "processors' time")
    for part in parts:
        assert part in tables
    assert "2.00 M (1.00..3.00)" in tables
    assert "50.0 / 60.0 / 70.0 µs" in tables
    assert {p.name for p in tmp_path.glob("*.json")} == {f"{part}.json" for part in program.PARTS} | {
        "setting.json"
    }
    assert sorted(p.name for p in tmp_path.glob("*.png")) == (sorted(PLOTS) if HAS_PLOTS else [])
    for png in tmp_path.glob("*.png"):
        assert png.read_bytes().startswith(b"\x89PNG")


def test_tables_come_from_the_raw_figures_too(fake: list[str], tmp_path: Path) -> None:
    options = ["--quick", "--out", str(tmp_path)]
    program.main(options)
    (tmp_path / "journal.jsonl").unlink()
    written = {path: path.read_bytes() for path in tmp_path.glob("*.*") if path.suffix != ".png"}
    assert program.main([*options, "--tables"]) == 0
    assert {path: path.read_bytes() for path in written} == written
    assert not (tmp_path / "journal.jsonl").exists()


def test_no_tables_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--tables", "--out", str(tmp_path)]) == 2
    assert "nothing to write" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--quick"]], ids=["full", "quick"])
def test_every_table_has_equal_lines(fake: list[str], tmp_path: Path, options: list[str]) -> None:
    program.main([*options, "--out", str(tmp_path)])
    for block in (tmp_path / "tables.md").read_text().split("\n\n"):
        if block.startswith("|"):
            assert len({len(line) for line in block.strip().splitlines()}) == 1, block


def test_an_interrupted_run_goes_on(
    fake: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure, options = runner._measure, ["--quick", "--rounds", "2", "--out", str(tmp_path)]

    def interrupted(m: Measurement, clock: Any) -> dict[str, Any]:
        if len(fake) == 5:
            raise KeyboardInterrupt
        return measure(m, clock)

    monkeypatch.setattr(runner, "_measure", interrupted)
    assert program.main(options) == 130
    assert "goes on from here" in capsys.readouterr().err
    monkeypatch.setattr(runner, "_measure", measure)
    assert program.main(options) == 0
    plan = Grid.quick().measurements()
    once = sum(m.part in ("memory", "profile") for m in plan)
    assert len(fake) == once + 2 * (len(plan) - once)


def test_rounds_take_turns(fake: list[str], tmp_path: Path) -> None:
    program.main(["--quick", "--rounds", "2", "--parts", "go", "--out", str(tmp_path)])
    half = len(fake) // 2
    assert fake[:half] == fake[half:]
    assert len(set(fake)) == half > 1


def test_failures_are_told_and_tried_again(
    fake: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--quick", "--parts", "go", "--out", str(tmp_path)]
    measure = runner._measure
    monkeypatch.setattr(
        runner, "_measure", lambda m, clock: {"error": "no"} if "--games 64" in m.text else measure(m, clock)
    )
    assert program.main(options) == 1
    assert "What could not be measured" in (tmp_path / "tables.md").read_text()
    monkeypatch.setattr(runner, "_measure", measure)
    done = len(fake)
    assert program.main(options) == 0
    assert all("--games 64" in command for command in fake[done:])
    assert "What could not be measured" not in (tmp_path / "tables.md").read_text()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; print('first'); sys.exit('the last line')", "the last line"),
        ("print('nothing')", "printed no JSON: 'nothing\\n'"),
    ],
    ids=["exits", "prints something else"],
)
def test_a_commands_failure(code: str, reason: str) -> None:
    m = Measurement("go", {}, (".venv/bin/python", "-c", code), 1, 1.0)
    assert runner._measure(m, runner._Clock([m])) == {"error": reason}


def test_another_build_is_refused(
    fake: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--quick", "--parts", "go", "--out", str(tmp_path)]
    program.main(options)
    monkeypatch.setattr(program.machine, "describe", lambda: HEAD | {"build": "another"})
    assert program.main([*options, "--games", "2"]) == 2
    assert "--fresh" in capsys.readouterr().err
    assert program.main([*options, "--tables"]) == 0
    done = len(fake)
    assert program.main([*options, "--fresh"]) == 0
    assert len(fake) == 2 * done


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (b'{"command": "b", "round": 0}\n', 2),
        (b'{"command": "b", "rou', 1),
        (b'{"command": "b", "round": 0}', 1),
    ],
    ids=["whole", "cut", "cut before its end of line"],
)
def test_a_journal_cut_short(tmp_path: Path, end: bytes, kept: int) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"command": "a", "round": 0}\n' + end)
    journal = Journal(path)
    journal.add({"command": "c", "round": 0})
    again = Journal(path)
    assert [c for c in "abc" if again.get(c, 0)] == (["a", "b", "c"] if kept == 2 else ["a", "c"])


def test_a_damaged_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"command": "a", "round": 0}\nnonsense\n{"command": "b", "round": 0}\n')
    with pytest.raises(JournalError, match="line 2"):
        Journal(path)


def test_rounds_are_brought_together(tmp_path: Path) -> None:
    m = Measurement("go", {"games": 1}, ("x",), 3, 1.0)
    journal = Journal(tmp_path / "journal.jsonl")
    for round_, median in enumerate([2.0, 9.0, 4.0]):
        result = rates("r", 10 * median) | {
            "env_steps_per_second": median,
            "min": median - 1,
            "max": median + 1,
        }
        journal.add({"command": "x", "round": round_, "result": {"results": [result]}})
    (found,) = Findings([m], journal).select("go")
    assert found.figure("r") == Figure(4.0, 1.0, 10.0)
    assert found.limit("r") == 40.0


def test_stepping_alone_is_the_bound_of_the_team_game_only(fake: list[str], tmp_path: Path) -> None:
    program.main(["--quick", "--out", str(tmp_path)])
    findings = Findings(Grid.quick().measurements(), Journal(tmp_path / "journal.jsonl"))
    for found in findings.select("python"):
        known = sections.stepping_alone(findings, found)
        assert known == (2e6 if "Team" in found.options["id"] else None), found.options


def test_the_clients_benchmark_knows_the_plans_options() -> None:
    plan = [m for m in Grid().measurements() if "pommego.bench" in m.command]
    assert len({m.text for m in plan}) == len(plan) > 100
    for m in plan:
        told = vars(bench._parser().parse_args(m.command[3:]))
        assert {name: told[name] for name in m.options} == m.options


def test_others_are_told_from_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "sysconf", lambda name: {"SC_CLK_TCK": 100}[name])
    user, system, idle, stolen = 500, 100, 300, 100
    looks = iter([[0] * 8, [user, 0, system, idle, 0, 0, 0, stolen]])
    seconds = iter([1.0, 3.5])
    monkeypatch.setattr(machine.Processors, "_read", lambda self: next(looks))
    monkeypatch.setattr(machine.Processors, "_own", lambda self: next(seconds))
    assert machine.Processors().since() == {"others": 0.35, "stolen": 0.1}


def test_pprofs_table_is_read() -> None:
    text = """File: pommego
Type: cpu
Duration: 1.20s, Total samples = 820ms (68.33%)
Showing nodes accounting for 170ms, 20.73% of 820ms total
      flat  flat%   sum%        cum   cum%
     100ms 12.20% 12.20%      200ms 24.39%  main.run
         0     0% 12.20%       70ms  8.54%  main.(*game).step (inline)
"""
    assert profiling.read_top(text) == [
        {"function": "main.run", "share": pytest.approx(0.122), "with_callees": pytest.approx(0.2439)},
        {"function": "main.(*game).step (inline)", "share": 0.0, "with_callees": pytest.approx(0.0854)},
    ]


@pytest.mark.parametrize(
    ("write", "want"),
    [
        (lambda: markdown.rate(613_000), "613 k"),
        (lambda: markdown.rate(1_290_000), "1.29 M"),
        (lambda: markdown.spread(Figure(1_010_000, 951_000, 1_100_000)), "1.01 M (0.95..1.10)"),
        (lambda: markdown.times(1500, 250), "1.50 / 0.25 ms"),
        (lambda: markdown.size(1 << 30), "1.00 GiB"),
        (lambda: markdown.percent(0.049), "4.9%"),
        (lambda: markdown.percent(None), "-"),
    ],
    ids=str,
)
def test_figures_are_written(write: Callable[[], str], want: str) -> None:
    assert write() == want
