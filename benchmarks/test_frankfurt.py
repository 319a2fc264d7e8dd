"""Frankfurt: whole games, with a library that only stands in for the agent's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import frankfurt
import pytest

#: Stands still, says its seat, and fails if what it is told does not fit a board.
STAND_IN = """
import sys
import frankfurt

class Library:
    def c_init_agent_frankfurt(self, seat):
        self.seat = seat
    def c_getStep_frankfurt(self, seat, a, b, c, d, cells, *rest):
        maps, (row, col, *_) = rest[:4], rest[4:]
        assert seat == self.seat and (a, b, c, d)[seat]
        assert [len(cells), *map(len, maps)] == [121] * 5 and cells[11 * row + col] == 10 + seat
        print("thinks", flush=True)
        return 0
    def c_getMessage_frankfurt(self, seat, part):
        return 1 + seat

frankfurt.load = lambda path: Library()
frankfurt.main()
"""


@pytest.mark.parametrize("env", ["PommeTeamCompetition-v0", "PommeRadioCompetition-v2"])
def test_a_game(env: str, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(STAND_IN)
    folder = Path(frankfurt.__file__).parent
    binary = os.environ.get("POMMEGO_BINARY", folder.parent / "bin" / "pommego")
    agent = f"exec:{sys.executable} {tmp_path / 'agent.py'} library.so"
    play = [
        binary,
        "play",
        "--env",
        env,
        "--agents",
        f"{agent},static,{agent},static",
        "--json",
        "--seed",
        "0",
    ]
    play += ["--rules", '{"max_steps": 12}']
    run = subprocess.run(
        play,
        check=False,
        env=os.environ | {"PYTHONPATH": str(folder)},
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    game = json.loads(run.stdout)
    assert [(seat["moves"], seat["failed"]) for seat in game["seats"]] == [(12, 0)] * 4


def test_it_needs_a_library() -> None:
    run = subprocess.run([sys.executable, frankfurt.__file__], check=False, capture_output=True, text=True)
    assert run.returncode == 1 and "usage: " in run.stderr
