"""The report: a tiny run with everything real, and its parts with figures made up."""

from __future__ import annotations

from pathlib import Path

import pytest

import report
from pommego import bench

OPTIONS = ["--parts", "go", "--games", "2", "--seconds", "0.06", "--rounds", "1"]
RATES = {"name": "step/raw", "env_steps_per_second": 2e6, "limit": 4e6, "rounds": [1e6, 2e6, 3e6]}
TIMES = {"name": "step_us", "microseconds": 50.0, "p90": 60.0, "p99": 70.0}


def test_a_tiny_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main([*OPTIONS, "--out", str(tmp_path)]) == 0
    assert "2 of 2" in capsys.readouterr().err
    tables = (tmp_path / "tables.md").read_text()
    for expected in ("Rules/random", "%limit", report.setting(report.Side())):
        assert expected in tables
    samples = (tmp_path / "go.txt").read_text()
    assert samples.count("BenchmarkRules/random/games=2/workers=1 1 ") == 7


def test_samples_are_what_the_commands_printed() -> None:
    lines = report.samples({"results": [RATES, TIMES], "wire_bytes": 1000}, {"copy": False, "games": 2})
    assert lines == [
        "BenchmarkStep/raw/copy=False/games=2 1 1e+06 steps/s 25 %limit",
        "BenchmarkStep/raw/copy=False/games=2 1 2e+06 steps/s 50 %limit",
        "BenchmarkStep/raw/copy=False/games=2 1 3e+06 steps/s 75 %limit",
        "BenchmarkStep-time/copy=False/games=2 1 "
        "50000 p50-ns/op 60000 p90-ns/op 70000 p99-ns/op 1000 wire-B/op",
    ]


def test_a_process_is_one_sample_of_a_comparison() -> None:
    lines = [f"BenchmarkX 1 {rate} steps/s" for rate in (3e6, 1e6, 9e5)] + ["BenchmarkY 1 7 steps/s"]
    assert report.medians(lines) == [lines[1], lines[3]]


def test_an_interrupted_run_has_tables_of_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def run(name: str) -> list[str]:
        calls.append(name)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return [f"BenchmarkX/of={name} 1 {len(calls)} steps/s"]

    monkeypatch.setattr(report, "plan", lambda _: [("go", n, lambda _, n=n: run(n)) for n in ("a", "b")])
    assert report.main(["--rounds", "3", "--out", str(tmp_path)]) == 0
    assert calls == ["a", "b", "a", "b"]  # in turns
    assert "X/of=a" in (tmp_path / "tables.md").read_text()
    assert (tmp_path / "go.txt").read_text().count("BenchmarkX") == 3


def test_the_benchmarks_know_the_plans_options() -> None:
    options = report._parser().parse_args(["--parts", "python"])
    options.games, options.seconds, options.rounds = [64, 1024], 1.2, 2
    names = [name for _, name, _ in report.plan(options)]
    assert len(set(names)) == len(names) > 50
    for name in names:
        bench._parser().parse_args(name.split()[3:])


def test_two_revisions_take_turns(tmp_path: Path) -> None:
    calls = []

    def run(side: report.Side) -> list[str]:
        calls.append(side.name)
        return [f"BenchmarkX 1 {2 if side.name else 1} steps/s"]

    sides = [report.Side("old"), report.Side()]
    report.measure([("go", "x", run)], sides, tmp_path, 6)
    assert calls == ["", "old", "old", ""] * 3
    assert "-50.00% (p=0.002" in report.tables(tmp_path, sides, "")


def test_a_revision_is_checked_out_and_removed() -> None:
    with pytest.raises(RuntimeError), report.built("HEAD") as side:
        assert side.binary.exists() and (side.root / "go.mod").exists()
        raise RuntimeError
    assert not side.root.exists()
