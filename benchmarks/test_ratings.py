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
    assert "6 games" in page
    longer = run(tmp_path, 4)
    assert "12 games" in longer
    results = json.loads((tmp_path / "duel" / "results.json").read_text())
    best = max(results["standings"], key=lambda s: s["rating"]["value"])
    first = longer.split("## OneVsOne-v0")[1].split("|---|---|---|---|---|---|---|\n")[1].split("|")
    assert first[1].strip() == f"`{best['agent']}`"
    assert first[2].strip().startswith(f"{best['rating']['value']:+.0f} (")


def test_cells() -> None:
    assert ratings.cell(3, 1) == "75% (4)"
    assert ratings.cell(0, 0) == "-"
