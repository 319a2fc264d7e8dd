"""Tuning starts from what champion is, and counts what tournaments say."""

from __future__ import annotations

import argparse
from pathlib import Path

import tune_champion

OPTIONS = argparse.Namespace(
    binary=tune_champion.ROOT / "bin" / "pommego", ticks=5, games=4, tie=0.5, opponents=["simple"], out=Path()
)


def test_starts_from_the_defaults() -> None:
    same = tune_champion.agent([0.0] * len(tune_champion.START), 5)
    results = [
        tune_champion.play([name], "simple", 4, 7, OPTIONS)["standings"][0]
        for name in ("champion:ticks=5", same)
    ]
    assert results[0]["steps"] == results[1]["steps"]
    assert results[0]["win_rate"] == results[1]["win_rate"]


def test_points() -> None:
    harmless = [0.0] * len(tune_champion.START)
    harmless[list(tune_champion.START).index("room")] = 1.0
    found = tune_champion.points([[0.0] * len(harmless), harmless], 7, OPTIONS)
    results = tune_champion.play([tune_champion.agent(harmless, 5)], "simple", 4, 7, OPTIONS)["standings"][0]
    assert found[1] == results["win_rate"]["value"] + 0.5 * results["tie_rate"]["value"]
