"""The rating list is made from real tournaments, and more games play on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import ratings


def run(folder: Path, games: int) -> str:
    made = [sys.executable, str(Path(ratings.__file__)), "--games", str(games), "--only", "duel", "team"]
    made += ["--agents", "random,static,simple", "--out", str(folder)]
    subprocess.run(made, check=True, timeout=300, capture_output=True)
    return (folder / "ratings.md").read_text()


def test_a_list_that_grows(tmp_path: Path) -> None:
    page = run(tmp_path, 2)
    assert page.index("## PommeTeamCompetition-v0") < page.index("## OneVsOne-v0")
    assert "2 games at each of 3 tables" in page
    longer = run(tmp_path, 4)
    assert "4 games at each of 3 tables" in longer
    results = json.loads((tmp_path / "duel" / "results.json").read_text())
    best = max(results["standings"], key=lambda s: s["rating"]["value"])
    rows = longer.split("## OneVsOne-v0")[1].split("### Standings")[1].strip().splitlines()
    assert rows[2].startswith(f"| {best['agent']} ")
