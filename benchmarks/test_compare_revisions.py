"""The comparison: its statistics, and a tiny run against the working tree itself."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
from pathlib import Path

import compare_revisions as compare
import pytest


def test_the_interval_of_thirty_pairs() -> None:
    values = list(range(1, 31))
    random.Random(1).shuffle(values)
    assert compare.interval(values) == (10, 21)  # as tables of the sign test have it
    assert compare.interval([3, 1, 2, 6, 5, 4]) == (1, 6)
    low, high = compare.interval([1, 2, 3, 4, 5])
    assert low <= 0 and high == float("inf")


def test_the_interval_covers_the_median() -> None:
    rng = random.Random(2)
    trials = 2000
    covered = 0
    for _ in range(trials):
        low, high = compare.interval([rng.expovariate(1) for _ in range(30)])
        covered += low <= 0.6931 <= high
    assert 0.94 <= covered / trials <= 0.98


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ([0.9] * 6, "slower"),
        ([1.1] * 6, "faster"),
        ([1.1] * 5, "too few pairs"),
        ([0.9, 1.1] * 15, "no difference"),
    ],
)
def test_verdicts(ratios: list[float], expected: str) -> None:
    assert compare.verdict(ratios) == expected


def test_pairs_alternate_and_stop_early(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def measure(side: compare.Side, name: str, options: argparse.Namespace) -> float:
        if len(calls) == 7:
            raise KeyboardInterrupt
        calls.append(side.name)
        return {"old": 1e6, "new": 2e6}[side.name]

    monkeypatch.setattr(compare.Side, "measure", measure)
    old, new = (compare.Side(name, Path(), Path()) for name in ("old", "new"))
    found = compare.pairs(old, new, ["a", "b"], argparse.Namespace(pairs=3))
    assert calls == ["old", "new", "old", "new", "new", "old", "new"]
    assert found == {"a": [(1e6, 2e6)] * 2, "b": [(1e6, 2e6)]}
    assert "2.000  0.000 to inf  too few pairs" in compare.table(found)


def test_a_tiny_comparison() -> None:
    binary = Path(os.environ.get("POMMEGO_BINARY", compare.ROOT / "bin" / "pommego"))
    side = compare.Side("working tree", binary, compare.ROOT / "python_client" / "src")
    names = side.names()
    assert {"rules/random", "suitebot:step/planes", "python/shm/raw", "python/unix/planes"} <= set(names)
    assert not any("copy/" in name or "clear/" in name for name in names)
    options = argparse.Namespace(pairs=1, seconds=0.05, games=4, workers=1)
    found = compare.pairs(side, side, ["rules/random", "python/tcp/raw"], options)
    assert all(rate > 0 for pairs in found.values() for rate in pairs[0])


def test_a_failing_side_is_named() -> None:
    side = compare.Side("v1", Path("false"), Path())
    with pytest.raises(SystemExit, match="v1: false"):
        side.run("false")


def test_a_revision_is_checked_out_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = []

    def build(name: str, tree: Path) -> compare.Side:
        assert (tree / "go.mod").exists()
        trees.append(tree)
        return compare.Side(name, tree, tree)

    monkeypatch.setattr(compare, "_build", build)
    with pytest.raises(RuntimeError), compare.built("HEAD"):
        raise RuntimeError
    assert trees and not trees[0].exists()
    listed = subprocess.run(
        ["git", "worktree", "list"], capture_output=True, text=True, cwd=compare.ROOT, check=True
    )
    assert str(trees[0]) not in listed.stdout
