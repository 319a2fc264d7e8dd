"""Measures how much of its own speed an agent outside the server keeps as an opponent of `make_vec`.

    python benchmarks/outside_agents.py     # agents that answer at once, after 2 ms and after 10 ms
    python benchmarks/outside_agents.py --think 50 --games 1 16

The agent is a program that reads and writes lines of JSON. Alone it is asked the questions of a real game one
after the other, with nothing else to do. As an opponent it plays one-vs-one in `--games` games, a process
each; a step of a game is a decision of its agent. `step` waits for the slowest agent of a step; with
`batch_size` `recv` returns the first quarter of the games that is ready. All are decisions a second of all
processes together, medians of rounds that are interleaved.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import numpy as np

import pommego

ID = "OneVsOne-v0"

AGENT = """
import json, sys, time
think = float(sys.argv[1])
for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "act":
        time.sleep(think) if think else None
        print(json.dumps({"id": question["id"], "action": 0}), flush=True)
    elif "id" in question:
        print(json.dumps({"id": question["id"]}), flush=True)
"""


def asked(agent: str, folder: Path) -> list[bytes]:
    """Return the questions that an agent is asked in a game."""
    with pommego.make_vec(
        ID, 1, opponents=[f"exec:tee {folder}/asked | {agent} 0"], agent_limit=10.0
    ) as envs:
        envs.reset(seed=0)
        for _ in range(100):
            envs.step([0])
    lines = (folder / "asked").read_bytes().splitlines(keepends=True)
    return [line for line in lines if json.loads(line)["type"] == "act"]


class Alone:
    """Agents that are asked the same questions again and again, each by a thread."""

    def __init__(self, command: list[str], count: int, questions: list[bytes]) -> None:
        pipe = subprocess.PIPE
        self._agents = [subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0) for _ in range(count)]
        self._threads = ThreadPoolExecutor(count)
        self._questions = questions

    def rate(self, seconds: float) -> float:
        """Ask for so long; returns decisions a second."""
        return sum(self._threads.map(lambda agent: self._ask(agent, seconds), self._agents))

    def _ask(self, agent: subprocess.Popen[bytes], seconds: float) -> float:
        begin, decisions = time.perf_counter(), 0
        for question in cycle(self._questions):
            agent.stdin.write(question)
            agent.stdout.readline()
            decisions += 1
            if (took := time.perf_counter() - begin) >= seconds:
                break
        return decisions / took

    def close(self) -> None:
        """End them."""
        for agent in self._agents:
            agent.stdin.close()
            agent.stdout.close()
            agent.wait()
        self._threads.shutdown()


class Opponents:
    """The same agents as opponents."""

    def __init__(self, command: str, count: int, batch: int | None = None) -> None:
        self._envs = pommego.make_vec(
            ID, count, opponents=[f"exec:{command}"], agent_limit=10.0, batch_size=batch
        )
        _, self._info = self._envs.reset(seed=0)
        self._stop = np.zeros(batch or count, np.uint8)

    def rate(self, seconds: float) -> float:
        """Step for so long; returns decisions a second."""
        begin, decisions = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            self._envs.send(self._stop, self._info.get("row"))
            *_, self._info = self._envs.recv()
            decisions += int(self._info["valid"].sum())  # a step that only resets a game asks nobody
        return decisions / (time.perf_counter() - begin)

    def close(self) -> None:
        """End the games."""
        self._envs.close()


def measure(agent: str, questions: list[bytes], think: float, games: int, args: argparse.Namespace) -> str:
    """Return a row of the table."""
    command = f"{agent} {think / 1000}"
    ways = [Alone(command.split(), games, questions), Opponents(command, games)]
    if games > 1:
        ways.append(Opponents(command, games, batch=max(games // 4, 1)))
    for each in ways:
        each.rate(args.seconds / 4)  # to get going
    rounds = [[each.rate(args.seconds) for each in ways] for _ in range(args.rounds)]
    for each in ways:
        each.close()
    alone, *rates = (statistics.median(rates) for rates in zip(*rounds, strict=True))
    shares = [statistics.median(each[way] / each[0] for each in rounds) for way in range(1, len(ways))]
    cells = [f"{rate:,.0f} ({share:.0%})" for rate, share in zip(rates, shares, strict=True)]
    return f"| {think:g} | {games} | {alone:,.0f} | {' | '.join(cells + [''] * (2 - len(cells)))} |"


def main(argv: list[str] | None = None) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--think", type=float, nargs="+", default=[0.0, 2.0, 10.0], help="milliseconds that a decision takes"
    )
    parser.add_argument(
        "--games", type=int, nargs="+", default=[1, 8], help="games, each with an agent of its own"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one measurement in one round")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "agent.py"
        source.write_text(AGENT)
        agent = f"{sys.executable} {source}"
        questions = asked(agent, Path(folder))
        print("| ms a decision | games | alone, decisions a second | as opponents | first-ready |")
        print("|---|---|---|---|---|", flush=True)
        for think in args.think:
            for games in args.games:
                print(measure(agent, questions, think, games, args), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
