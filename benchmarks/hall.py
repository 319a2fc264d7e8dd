"""Games against winners of the contests, which you fetch and build: pommego contains nothing of theirs.

    python benchmarks/hall.py                       # says what to fetch and build; plays those that are there
    python benchmarks/hall.py --only hako --games 200

Team games with fog, each board from both sides, one game at a time on one core. More games play on from
those that are there. The page, runs/hall/hall.md, is written anew after each agent. As an agent of any match:

    --agents "exec:python benchmarks/hall.py seat eisenach LIBRARY" --limit 1s --wait 1m
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENV = "PommeTeamCompetition-v0"
MAPS = ("bomb_life", "bomb_blast_strength", "bomb_moving_direction", "flame_life")
SILENT = (-1, -1)  # what frankfurt expects for a message in games without radio

# What is played, below the folder of what has been fetched.
HALL = {
    "frankfurt": "pommerman_cpp/build/libpommerman.so",
    "eisenach": "Pommerman/agents/eisenach/pommerman_cpp/build/libmunchen.so",
    "hako": "Pommerman/agents/hako/BBMServer25336.jar",
}
FETCH = {
    "pommerman_cpp": "https://github.com/gorogm/pommerman_cpp {0} && git -C {0} checkout 33253a8",
    "Pommerman": "https://github.com/JaroslavUrbann/Pommerman {0} && git -C {0} checkout ba0c509",
}

HEAD = """# Games against winners of the contests

Written by benchmarks/hall.py: {agent} in {env}, mirrored boards, one game at a time on one core.
95 % intervals in brackets. Times and loads are means (longest and highest in brackets). The load is the
machine's, over a minute: about 1 if nothing else runs.

| opponent | games | won | lost | tied | won of all | won of the decided | ms a move | late or failed | load |
|---|---|---|---|---|---|---|---|---|---|
"""


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
    """Play what is missing, and write the page; or play a seat."""
    if sys.argv[1:2] == ["seat"]:
        if len(sys.argv) != 4 or sys.argv[2] not in HALL:
            raise SystemExit(f"usage: {sys.argv[0]} seat {'|'.join(HALL)} FILE; the library or the jar")
        seat((Hako if sys.argv[2] == "hako" else Library)(Path(sys.argv[3]), sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20, help="against each (default: %(default)s)")
    parser.add_argument("--only", choices=HALL, nargs="+", default=list(HALL), help="the opponents")
    parser.add_argument("--agent", default="champion:ms=100", help="who plays them (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=960001, help="of the first board (default: %(default)s)")
    parser.add_argument(
        "--folder", type=Path, default=Path("runs/hall"), help="what was fetched, and the games"
    )
    parser.add_argument("--binary", type=Path, default=ROOT / "bin" / "pommego", help="default: bin/pommego")
    options = parser.parse_args()
    lacking = []
    for name in options.only:
        if steps := missing(name, options.folder):
            lacking += [f"{name} is not there yet:", *(f"    {step}" for step in steps)]
        else:
            play(name, options)
            (options.folder / "hall.md").write_text(page(options))
    if lacking:
        raise SystemExit("\n".join(lacking))


def missing(name: str, folder: Path) -> list[str]:
    """Return what to do before an agent can play."""
    file, clone = folder / HALL[name], folder / Path(HALL[name]).parts[0]
    steps = [] if clone.exists() else [f"git clone {FETCH[clone.name].format(clone)}"]
    if name == "hako":
        steps += [] if find_spec("py4j") else [f"{sys.executable} -m pip install py4j"]
        steps += [] if shutil.which("java") else ["install Java 8 or newer, so that PATH has java"]
    elif not file.exists():
        build, target = file.parent, file.stem.removeprefix("lib")
        steps.append(f"cmake -S {build.parent} -B {build} -DCMAKE_POLICY_VERSION_MINIMUM=3.5")
        steps.append(f"cmake --build {build} --target {target}")
    return steps


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


def play(name: str, options: argparse.Namespace) -> None:
    """Play the games that are missing, on one core, and keep the machine's load beside them."""
    out = options.folder / name
    other = shlex.join([sys.executable, __file__, "seat", name, str(options.folder / HALL[name])])
    command = [
        str(options.binary.resolve()),
        "tournament",
        "--env",
        ENV,
        "--mirrored",
        "--limit=1s",
        "--wait=1m",
    ]
    command += [f"--games={options.games}", f"--seed={options.seed}", f"--out={out}"]
    command += [f"--agents={options.agent}", "--against=exec:" + other.replace(",", "\\,")]
    print("+", shlex.join(command), flush=True)
    if hasattr(os, "sched_setaffinity"):  # also of the programs that it starts
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    out.mkdir(parents=True, exist_ok=True)
    one = os.environ | {"GOMAXPROCS": "1", "OMP_THREAD_LIMIT": "1"}
    process = subprocess.Popen(command, env=one, stdout=subprocess.DEVNULL)
    with (out / "load.txt").open("a") as loads:
        while process.poll() is None:
            print(f"{os.getloadavg()[0]:.2f}", file=loads, flush=True)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
    if process.returncode:
        raise SystemExit(f"the tournament against {name} ended with {process.returncode}")


def page(options: argparse.Namespace) -> str:
    """Put together what the folders hold of all agents that have been played."""
    lines = [HEAD.format(agent=options.agent, env=ENV)]
    for name in HALL:
        folder = options.folder / name
        if (folder / "games.jsonl").exists():
            loads = [float(load) for load in (folder / "load.txt").read_text().split()]
            cells = [name, *row(folder / "games.jsonl"), f"{fmean(loads):.1f} ({max(loads):.1f})"]
            lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def row(log: Path) -> list[str]:
    """Return what the games in a log show, and how long the opponent thought."""
    results: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    longest = 0
    for line in log.read_text().splitlines()[1:]:
        game = json.loads(line)
        theirs = [seat for seat, agent in enumerate(game["agents"]) if agent.startswith("exec:")]
        results[game["result"][1 - theirs[0]]] += 1
        for seat in theirs:
            sums["moves"] += game["moves"][seat]
            sums["bad"] += game["late"][seat] + game["failed"][seat]
            sums["think"] += game["clock"]["think_ns"][seat]
            longest = max(longest, game["clock"]["longest_ns"][seat])
    won, lost, tied = (results[result] for result in ("won", "lost", "tied"))
    counts = map(str, (results.total(), won, lost, tied))
    clock = f"{sums['think'] / max(1, sums['moves']) / 1e6:.0f} ({longest / 1e6:.0f})"
    return [*counts, share(won, results.total()), share(won, won + lost), clock, str(sums["bad"])]


def share(k: int, n: int) -> str:
    """Return k of n in percent, with Wilson's interval."""
    if n == 0:
        return "-"
    z = NormalDist().inv_cdf(0.975)
    middle, half = k + z * z / 2, z * (k * (n - k) / n + z * z / 4) ** 0.5
    low, high = (100 * end / (n + z * z) for end in (middle - half, middle + half))
    return f"{k / n:.0%} ({low:.0f} to {high:.0f})"


if __name__ == "__main__":
    main()
