"""Tests of the experiment's command, with agents that need no search, and the real program."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
import run

PROGRAM = pathlib.Path(os.environ.get("POMMEGO", run.ROOT / "bin" / "pommego"))
QUICK = ["--agents", "simple,random,static", "--games", "4", "--pommego", str(PROGRAM)]


def test_plan() -> None:
    names = [r.name for r in run.plan(300)]
    assert names == [
        "2018-careful0-ticks2000-games300",
        "2018-careful1-ticks2000-games300",
        "2018-careful0-ticks30-games300",
        "2018-careful1-ticks30-games300",
        "today-careful0-ticks2000-games300",
        "today-careful1-ticks2000-games300",
        "today-careful0-ticks30-games300",
        "today-careful1-ticks30-games300",
        "2018-careful0-ms100-games60",
        "2018-careful0-allbombs1-ms100-games60",
        "2018-careful1-ms100-games28",
    ]


def test_agents_take_the_options_they_have() -> None:
    names = ["mcts", "heuristic", "simple"]
    assert run.Run("2018", 1, "ticks=30", 4).agents(names) == "mcts:ticks=30,heuristic,simple-2018"
    literal = run.Run("today", 0, "ticks=30", 4).agents(names)
    assert literal == "mcts:ticks=30,careful=0,heuristic:careful=0,simple"
    danger = run.Run("2018", 0, "ms=100", 4, "allbombs=1").agents(names)
    assert danger == "mcts:ms=100,careful=0,allbombs=1,heuristic:careful=0,allbombs=1,simple-2018"


def test_agreement_with_the_paper() -> None:
    def results(shares: dict[tuple[str, str], float | None]) -> dict:
        return {"pairs": [{"row": row, "col": col, "share": share} for (row, col), share in shares.items()]}

    paper = {
        (row, run.AGENTS[i]): figure / 100
        for row, figures in run.PAPER.items()
        for i, figure in enumerate(figures)
        if figure is not None
    }
    assert run.agreement(results(paper)).startswith("Of 21 pairs of the paper's agents 21 go the paper's way")
    assert "r = +1.00" in run.agreement(results(paper))
    turned = {pair: 1 - share for pair, share in paper.items()}
    assert "agents 0 go the paper's way; correlation r = -1.00" in run.agreement(results(turned))
    assert "Too few pairs" in run.agreement(results(dict.fromkeys(paper, 0.5)))
    assert "Too few pairs" in run.agreement(results({("mcts", "simple-2018"): 0.9}))


def test_the_papers_table_can_be_read_either_way_round() -> None:
    assert run.paper_over("fmcs-exploit", "simple") == 95.9
    assert run.paper_over("simple", "fmcs-exploit") == 4.1
    assert run.paper_over("heuristic", "bfs") == 47.3
    assert run.paper_over("bfs", "bfs") is None
    assert run.paper_over("bfs", "rhea") is None
    table = [figure for row in run.PAPER.values() for figure in row if figure is not None]
    assert len(table) == 28


def estimate(value: float) -> dict:
    return {"value": value, "low": value - 0.05, "high": value + 0.05}


def test_description_puts_our_figures_beside_the_papers() -> None:
    names = ["fmcs-exploit:ticks=30", "heuristic", "simple-2018"]
    rates = {"win_rate": estimate(0.8)}
    pairs = [
        {"row": "fmcs-exploit", "col": "heuristic", "row_only": 5, "col_only": 5, "share": 0.5, "p_value": 1},
        {
            "row": "fmcs-exploit",
            "col": "simple-2018",
            "row_only": 98,
            "col_only": 2,
            "share": 0.98,
            "p_value": 0.001,
        },
        {
            "row": "heuristic",
            "col": "simple-2018",
            "row_only": 8,
            "col_only": 2,
            "share": 0.8,
            "p_value": 0.02,
        },
    ]
    results = {
        "env": "PommeFFA2018-v0",
        "games": 300,
        "seed": 1,
        "program": "v1",
        "standings": [{"agent": name, **rates} for name in names],
        "pairs": pairs,
    }
    text = "\n".join(run.describe(run.Run("2018", 1, "ticks=30", 300), results))
    assert "rates and times are in `results/2018-careful1-ticks30-games300`" in text
    assert "| fmcs-exploit | 50.0 (64.1) | 98.0\\*\\* (95.9) |" in text
    assert "| heuristic |  | 80.0\\* (90.2) |" in text
    won = "; ".join(f"{name} 80.0 (75.0 to 85.0)" for name in ("fmcs-exploit", "heuristic", "simple"))
    assert f"Won, %: {won}. In the paper simple won 21.67." in text


def test_everything_runs_and_runs_again(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*QUICK, "--results", str(tmp_path)]
    assert run.main(arguments) == 0
    first = (tmp_path / "comparison.md").read_text()
    assert first.count("## ") == 11
    assert "holds 11 of 11 runs" in capsys.readouterr().out
    for r in run.plan(4):
        results = json.loads((tmp_path / r.name / "results.json").read_text())
        assert results["env"] == run.RULES[r.rules]
        assert results["games_played"] == 12
    assert run.main(arguments) == 0
    assert (tmp_path / "comparison.md").read_text() == first


def test_one_run_alone(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([*QUICK, "--results", str(tmp_path), "--only", "today-careful1-ticks30"]) == 0
    written = (tmp_path / "comparison.md").read_text()
    assert written.count("## ") == 1
    assert "Not played yet: 2018-careful0-ticks2000-games4, " in written
    assert run.main([*QUICK, "--results", str(tmp_path), "--only", "nothing"]) == 2
    assert "there are: 2018-careful0-ticks2000-games4, " in capsys.readouterr().err


def test_a_run_that_fails_ends_it(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run.main([*QUICK, "--agents", "nobody", "--results", str(tmp_path)]) == 2
    assert 'no agent is called "nobody' in capfd.readouterr().err
    assert not (tmp_path / "comparison.md").exists()


def test_stopped_and_resumed(tmp_path: pathlib.Path) -> None:
    """Ctrl-C reaches the tournament, which ends in order; the next start goes on where it was."""
    arguments = [*QUICK, "--games", "400", "--only", "today-careful1-ticks30"]
    line = [sys.executable, run.__file__, *arguments, "--results"]
    played = "today-careful1-ticks30-games400"
    log = tmp_path / "stopped" / played / "games.jsonl"
    first = [*line, str(tmp_path / "stopped")]
    with subprocess.Popen(first, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while not (log.exists() and log.read_text().count("\n") > 10):
            time.sleep(0.005)
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode != 0
    assert "of 1200 games; they are in" in errors
    for folder in ("stopped", "alone"):
        subprocess.run([*line, str(tmp_path / folder)], check=True)
    stopped, alone = (tmp_path / f / played / "results.json" for f in ("stopped", "alone"))
    assert stopped.read_bytes() == alone.read_bytes()
