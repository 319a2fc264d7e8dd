"""The hall: whole games, with programs that only stand in for the contests' agents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import hall
import pytest

FOLDER = Path(hall.__file__).parent
BINARY = os.environ.get("POMMEGO_BINARY", FOLDER.parent / "bin" / "pommego")

#: Each stands still, and fails if what it is told is not what the original told it.
LIBRARY = """
import ctypes, sys
import hall

class Library:
    def __getattr__(self, name):
        function, self.agent = name.rsplit("_", 1)
        return getattr(self, function)
    def c_init_agent(self, seat):
        self.seat = seat
    def c_getStep(self, seat, *args):
        alive, cells, maps = args[:4], args[4], args[5:9 if self.agent == "frankfurt" else 7]
        row, col, strength, kick, ammo, *last = args[5 + len(maps):]
        assert seat == self.seat and alive[self.seat].value is True
        assert cells._type_ is ctypes.c_uint8 and all(m._type_ is ctypes.c_double for m in maps)
        assert [len(cells), *map(len, maps)] == [121] * (5 if self.agent == "frankfurt" else 3)
        assert cells[11 * row + col] == 10 + self.seat and set(maps[0]) <= set(range(10))
        assert (strength, kick.value, ammo) == (2, False, 1)
        teammate = last[1 if self.agent == "frankfurt" else 0]
        assert teammate == 10 + (self.seat + 2) % 4
        assert len(last) == (4 if self.agent == "frankfurt" else 1)
        print("thinks", flush=True)
        return 0
    def c_getMessage(self, seat, part):
        return 1 + seat

ctypes.CDLL = lambda path: Library()
hall.main()
"""

BRIDGE = """
import struct, types

def read(buffer):
    rows, cols = struct.unpack(">2i", buffer[:8])
    return [list(row) for row in struct.iter_unpack(f">{cols}d", buffer[8:])], (rows, cols)

class Bridge:
    def __init__(self):
        self.games = 0
    def init_agent(self, game, caller, me):
        self.games += 1
        assert (game, me) == (self.games, -1)
    def act(self, game, caller, me, x, y, ammo, strength, kick, board, strengths, lives, *rest):
        alive, enemies, mate, collapse = rest
        cells, size = read(board)
        assert size == (11, 11) and cells[x][y] == me and read(lives)[1] == read(strengths)[1] == (11, 11)
        assert (game, ammo, strength, kick, collapse) == (self.games, 1, 2, False, False)
        assert read(alive) == ([[10.0], [11.0], [12.0], [13.0]], (4, 1)) and mate == 10 + (me - 8) % 4
        others, size = read(enemies)
        assert {10.0 + (me - 9) % 4, 10.0 + (me - 7) % 4} <= {one for (one,) in others} and size[1] == 1
        return 0

class JavaGateway:
    @staticmethod
    def launch_gateway(classpath, die_on_exit):
        assert classpath.endswith(".jar") and die_on_exit
        found = types.SimpleNamespace(BridgeForPython=Bridge)
        for package in ("mains", "BBM", "trl", "ibm", "com", "jvm"):
            found = types.SimpleNamespace(**{package: found})
        return found
"""


@pytest.mark.parametrize("env", ["PommeTeamCompetition-v0", "PommeRadioCompetition-v2"])
@pytest.mark.parametrize("name", hall.NAMES)
def test_a_game(name: str, env: str, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(LIBRARY)
    (tmp_path / "py4j").mkdir()
    (tmp_path / "py4j" / "__init__.py").touch()  # before the real one, where that is installed
    (tmp_path / "py4j" / "java_gateway.py").write_text(BRIDGE)
    agent = f"exec:{sys.executable} {tmp_path / 'agent.py'} seat {name} file.jar"
    play = [
        BINARY,
        "play",
        "--env",
        env,
        "--agents",
        f"{agent},static,{agent},static",
        "--json",
        "--seed",
        "0",
    ]
    run = subprocess.run(
        [*play, "--rules", '{"max_steps": 12}', "--limit", "1s", "--wait", "30s"],
        check=False,
        env=os.environ | {"PYTHONPATH": f"{FOLDER}:{tmp_path}"},
        timeout=120,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    game = json.loads(run.stdout)
    assert [(seat["moves"], seat["failed"]) for seat in game["seats"]] == [(12, 0)] * 4, run.stderr
    assert "Traceback" not in run.stderr


def test_a_seat_needs_an_agent_and_its_file() -> None:
    run = subprocess.run(
        [sys.executable, hall.__file__, "seat", "hako"], check=False, capture_output=True, text=True
    )
    assert run.returncode == 1 and "usage: " in run.stderr
