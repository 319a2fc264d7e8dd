"""The report: a tiny run with everything real, and its parts with figures made up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import report
from pommego import bench

OPTIONS = ["--parts", "go", "memory", "--games", "2", "--seconds", "0.06", "--rounds", "1"]
RATES = {"name": "step/raw", "env_steps_per_second": 2e6, "limit": 4e6, "rounds": [1e6, 2e6, 3e6]}
TIMES = {"name": "step_us", "microseconds": 50.0, "p90": 60.0, "p99": 70.0}


def test_a_tiny_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # the second finds everything measured
        capsys.readouterr()
        assert report.main([*OPTIONS, "--out", str(tmp_path)]) == 0
    assert "1 of" not in capsys.readouterr().err
    tables = (tmp_path / "tables.md").read_text()
    for expected in ("Rules/random", "%limit", "## Memory", "own-B/game", report.setting()):
        assert expected in tables
    assert "could not be measured" not in tables
    samples = (tmp_path / "go.txt").read_text()
    assert samples.count("BenchmarkRules/random/games=2/workers=1 1 ") == 7
    assert "# round 0: bin/pommego bench --json --games 2 --workers 1 --seconds 0.02\n" in samples


def test_samples_are_what_the_commands_printed() -> None:
    lines = report.samples({"results": [RATES, TIMES], "wire_bytes": 1000}, {"copy": False, "games": 2})
    assert lines == [
        "BenchmarkStep/raw/copy=False/games=2 1 1e+06 steps/s 25 %limit",
        "BenchmarkStep/raw/copy=False/games=2 1 2e+06 steps/s 50 %limit",
        "BenchmarkStep/raw/copy=False/games=2 1 3e+06 steps/s 75 %limit",
        "BenchmarkStep-time/copy=False/games=2 1 "
        "50000 p50-ns/op 60000 p90-ns/op 70000 p99-ns/op 1000 wire-B/op",
    ]


def test_rounds_take_turns_and_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    calls, stop_after = [], [3]

    def run(name: str) -> list[str]:
        if len(calls) == stop_after[0]:
            raise KeyboardInterrupt
        calls.append(name)
        return [f"BenchmarkX/of={name} 1 1 steps/s"]

    plan = [report.Measurement("go", n, lambda n=n: run(n), 2) for n in ("a", "b")]
    with pytest.raises(KeyboardInterrupt):
        report.measure(plan, tmp_path, "cpu: abacus\n")
    stop_after[0] = -1
    assert report.measure(plan, tmp_path, "cpu: abacus\n") == []
    assert calls == ["a", "b", "a", "b"]


def test_another_build_is_refused(tmp_path: Path) -> None:
    plan = [report.Measurement("go", "a", list, 1)]
    report.measure(plan, tmp_path, "binary: one\n")
    with pytest.raises(SystemExit, match="another machine or build"):
        report.measure(plan, tmp_path, "binary: two\n")


def test_failures_are_reported_and_tried_again(tmp_path: Path) -> None:
    errors = [subprocess.CalledProcessError(1, "x", stderr="no\n")]

    def run() -> list[str]:
        if errors:
            raise errors.pop()
        return []

    plan = [report.Measurement("go", "a", run, 1)]
    assert report.measure(plan, tmp_path, "") == ["a: no"]
    assert "could not be measured" in report.tables(tmp_path, "", "", ["a: no"])
    assert report.measure(plan, tmp_path, "") == []


def test_the_benchmarks_know_the_plans_options() -> None:
    options = report._parser().parse_args(["--parts", "python"])
    options.games, options.seconds, options.rounds = [64, 1024], 1.2, 2
    plan = report.plan(options)
    assert len({m.name for m in plan}) == len(plan) > 50
    for m in plan:
        bench._parser().parse_args(m.name.split()[3:])
