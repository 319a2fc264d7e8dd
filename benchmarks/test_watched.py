"""The measurement of rollouts that somebody looks at: a tiny run with everything real."""

from __future__ import annotations

import re

import pytest
import watched


def test_a_tiny_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert watched.main(["--pairs", "1", "--seconds", "1", "--games", "2"]) == 0
    rollout, pair, *pictures = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"rollout of 2 games: [\d,]+ steps a second unwatched", rollout)
    looks = re.match(r"watched, ([\d.]+) looks a second: [\d.]+ \(", pair)
    assert looks and float(looks[1]) > 0, pair
    assert [line.split(":")[0] for line in pictures] == [
        f"rgb_array, {11 * tile} x {height}" for tile, height in ((8, 168), (16, 256), (32, 512))
    ]
