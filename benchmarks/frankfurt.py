"""Let the agent frankfurt, built by you, play matches: a program for `exec:` in team games.

    python benchmarks/frankfurt.py LIBRARY          # reads questions, writes answers: arena/match/PROTOCOL.md
    GOMAXPROCS=1 pommego tournament --env PommeTeamCompetition-v0 --mirrored --games 100 --limit 1s \
        --agents champion:ms=100 --against "exec:python benchmarks/frankfurt.py libpommerman.so"

docs/strength.md says how to build LIBRARY. OMP_THREAD_LIMIT=1 in the environment leaves it one thread.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

MAPS = ("bomb_life", "bomb_blast_strength", "bomb_moving_direction", "flame_life")
SILENT = (-1, -1)  # what it expects for a message in games without radio


def main() -> None:
    """Answer questions until the input ends."""
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} LIBRARY; the shared library of pommerman_cpp")
    library = load(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where the library prints what it thinks
    seat = 0
    for line in sys.stdin:
        question = json.loads(line)
        if question["type"] == "begin":
            if question["game_type"] not in (2, 3):
                raise SystemExit(f"frankfurt plays team games alone, not {question['env']}")
            seat = question["seat"]
            library.c_init_agent_frankfurt(seat)
            answer = {}
        elif question["type"] == "act":
            answer = {"action": act(library, seat, question["obs"])}
        else:
            continue
        print(json.dumps({"id": question["id"]} | answer), file=answers, flush=True)


def load(path: str) -> ctypes.CDLL:
    """Load the library, and declare what is called."""
    library = ctypes.CDLL(str(Path(path).resolve()))
    maps = [ctypes.POINTER(ctypes.c_uint8)] + [ctypes.POINTER(ctypes.c_double)] * len(MAPS)
    last = [ctypes.c_int] * 3 + [ctypes.c_bool] + [ctypes.c_int] * 5
    library.c_getStep_frankfurt.argtypes = [ctypes.c_int, *[ctypes.c_bool] * 4, *maps, *last]
    return library


def act(library: ctypes.CDLL, seat: int, obs: dict[str, Any]) -> list[int]:
    """Return its move, and in games with radio its two words."""
    cells = [int(item) for row in obs["board"] for item in row]
    maps = [[value for row in obs[name] for value in row] for name in MAPS]
    move = library.c_getStep_frankfurt(
        seat,
        *(10 + other in obs["alive"] for other in range(4)),
        (ctypes.c_uint8 * len(cells))(*cells),
        *((ctypes.c_double * len(values))(*values) for values in maps),
        *obs["position"],
        obs["blast_strength"],
        obs["can_kick"],
        obs["ammo"],
        obs["game_type"],
        obs["teammate"],
        *obs.get("message", SILENT),
    )
    if "message" not in obs:
        return [move]
    return [move, *(library.c_getMessage_frankfurt(seat, part) for part in range(2))]


if __name__ == "__main__":
    main()
