"""Run with ``python -m pommego.demo``: many games at once, statistics, and a picture.

The embedded server steps a thousand four-player games with random legal moves; Python
receives the observations of all four agents. Then simple agents play a whole game: the README's.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter

import numpy as np

import pommego
from pommego._core import command
from pommego.registration import IDS
from pommego.server import find_binary


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pommego.demo", description=__doc__.split("\n\n")[1])
    parser.add_argument("--id", default=IDS[0], help="id of the game (default: %(default)s)")
    parser.add_argument("--games", type=int, default=1024, help="number of games (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds to run (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    return command.status("pommego.demo", lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    lengths: list[int] = []  # of the episodes that ended
    results, wins = Counter[str](), Counter[str]()
    with pommego.make_vec(options.id, num_envs=options.games, copy=False) as envs:
        print(f"{envs.game_spec.id}: {envs.game_spec.description}")
        seen = ", ".join(f"{f.name} {f.dtype} {f.shape}" for f in envs.encoding.fields)
        print(f"{envs.num_games:,} games, {envs.num_envs:,} learners, each seeing {seen}")
        _, info = envs.reset(seed=options.seed)
        begin = time.perf_counter()
        steps = resetting = 0
        while (elapsed := time.perf_counter() - begin) < options.seconds:
            *_, info = envs.step(envs.sample_actions(info["action_mask"]))
            steps += envs.num_games - resetting  # games that were only reset made no step
            resetting = 0
            if "game" in info:
                ended, game = np.flatnonzero(info["_game"])[:: envs.learners], info["game"]
                resetting = len(ended)
                lengths += game["length"][ended].tolist()
                results.update(pommego.Result(r).name.lower() for r in game["result"][info["_game"]].tolist())
                wins.update(f"seat {seat}" for seat in np.nonzero(game["winners"][ended])[1].tolist())
        rate = steps / elapsed
        print(f"speed      {rate:,.0f} game steps/s, {rate * envs.learners:,.0f} agent steps/s, with random")
        print("           moves, and with all agents' observations as arrays in Python")
        if lengths:
            print(f"episodes   {len(lengths):,} ended; of their seats {_shares(results, results.total())}")
            print(f"length     {np.mean(lengths):.1f} steps on average, longest {max(lengths)}")
            print(f"won by     {_shares(wins, len(lengths))}")
    print("\na game between simple agents, as it ended:\n", flush=True)
    subprocess.run(
        [find_binary(), "play", "--env", options.id, "--agents", "simple", "--seed", "8"], check=True
    )
    print(f"\nto play yourself, in the browser: {find_binary()} play --web")


def _shares(counts: Counter[str], whole: int) -> str:
    return ", ".join(f"{name} {count / whole:.1%}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(main())
