"""Winners of the contests as agents of any match; docs/strength.md says how to fetch and build them.

--agents "exec:python benchmarks/hall.py seat eisenach LIBRARY" --limit 1s --wait 1m
"""

import ctypes
import importlib
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

NAMES = ("frankfurt", "eisenach", "hako")
MAPS = ("bomb_life", "bomb_blast_strength", "bomb_moving_direction", "flame_life")
SILENT = (-1, -1)  # what frankfurt expects for a message in games without radio


class Library:
    """An agent of pommerman_cpp: a shared library, which sees what its Python half showed it."""

    def __init__(self, path: Path, name: str) -> None:
        self.name, library = name, ctypes.CDLL(str(path.resolve()))
        self.call = lambda function, *values: getattr(library, f"c_{function}_{name}")(*values)

    def begin(self, seat: int) -> None:
        """Begin a game."""
        self.seat = seat
        self.call("init_agent", seat)

    def act(self, obs: dict[str, Any]) -> list[int]:
        """Return its move; frankfurt's two words too, in games with radio."""
        new = self.name == "frankfurt"
        cells = [int(item) for row in obs["board"] for item in row]
        maps = [[value for row in obs[name] for value in row] for name in MAPS[: 4 if new else 2]]
        values: list[Any] = [ctypes.c_bool(10 + other in obs["alive"]) for other in range(4)]
        values += [(ctypes.c_uint8 * len(cells))(*cells), *((ctypes.c_double * len(m))(*m) for m in maps)]
        values += [*obs["position"], obs["blast_strength"], ctypes.c_bool(obs["can_kick"]), obs["ammo"]]
        values += (
            [obs["game_type"], obs["teammate"], *obs.get("message", SILENT)] if new else [obs["teammate"]]
        )
        move = self.call("getStep", self.seat, *values)
        words = (self.call("getMessage", self.seat, part) for part in range(2 * (new and "message" in obs)))
        return [move, *words]


class Hako:
    """hakozakijunctions: a Java program behind py4j."""

    def __init__(self, jar: Path, _name: str) -> None:
        java = importlib.import_module("py4j.java_gateway")
        self.gateway = java.JavaGateway.launch_gateway(classpath=str(jar.resolve()), die_on_exit=True)
        self.bridge = self.gateway.jvm.com.ibm.trl.BBM.mains.BridgeForPython()
        self.game = 0  # it remembers a game under the number of a process: here, of the game

    def begin(self, seat: int) -> None:
        """Begin a game."""
        self.game += 1
        self.bridge.init_agent(self.game, 1, -1)

    def act(self, obs: dict[str, Any]) -> list[int]:
        """Return its move."""
        row, col = obs["position"]
        maps = [packed(obs[name]) for name in ("board", "bomb_blast_strength", "bomb_life")]
        lists = [packed([[one] for one in obs[name]]) for name in ("alive", "enemies")]
        own = (int(obs["board"][row][col]), row, col, obs["ammo"], obs["blast_strength"], obs["can_kick"])
        collapses = obs["game_env"] == "pommerman.envs.v1:Pomme"
        return [self.bridge.act(self.game, 1, *own, *maps, *lists, obs["teammate"], collapses)]


def packed(rows: list[list[float]]) -> bytes:
    """Return a matrix as hako reads it: its size, then its numbers, the highest byte first."""
    values = [value for row in rows for value in row]
    return struct.pack(f">2i{len(values)}d", len(rows), len(rows[0]), *values)


def main() -> None:
    """Play a seat."""
    if len(sys.argv) != 4 or sys.argv[1] != "seat" or sys.argv[2] not in NAMES:
        raise SystemExit(f"usage: {sys.argv[0]} seat {'|'.join(NAMES)} FILE; the library or the jar")
    seat((Hako if sys.argv[2] == "hako" else Library)(Path(sys.argv[3]), sys.argv[2]))


def seat(agent: Library | Hako) -> None:
    """Answer the questions of a match (arena/match/PROTOCOL.md) until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where libraries print what they think
    for line in sys.stdin:
        question = json.loads(line)
        answer = {}
        if question["type"] == "begin":
            if question["game_type"] not in (2, 3):
                raise SystemExit(f"the hall's agents play team games alone, not {question['env']}")
            agent.begin(question["seat"])
        elif question["type"] == "act":
            answer = {"action": agent.act(question["obs"])}
        else:
            continue
        print(json.dumps({"id": question["id"]} | answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
