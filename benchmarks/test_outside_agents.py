"""The measurement of agents outside the server: a tiny run with everything real."""

from __future__ import annotations

import re

import outside_agents
import pytest


def test_a_tiny_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        outside_agents.main(["--think", "0", "1", "--games", "2", "--rounds", "1", "--seconds", "0.2"]) == 0
    )
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.count("|") == 6
    assert [row.split("|")[1].strip() for row in rows] == ["0", "1"]
    for row in rows:
        assert re.fullmatch(r"\| \d \| 2 \| [\d,]+( \| [\d,]+ \(\d+%\)){2} \|", row), row
        assert not re.search(r"\| 0 \(", row), "nobody was asked"
