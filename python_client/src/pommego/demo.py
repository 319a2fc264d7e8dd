"""Run with ``python -m pommego.demo``: many games at once, their speed, and a picture.

The embedded server steps a thousand four-player games with random legal moves; Python
receives the observations of all four agents. Then simple agents play a whole game: the README's.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

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
    with pommego.make_vec(options.id, num_envs=options.games, copy=False) as envs:
        print(f"{envs.game_spec.id}: {envs.game_spec.description}")
        seen = ", ".join(f"{f.name} {f.dtype} {f.shape}" for f in envs.encoding.fields)
        print(f"{envs.num_games:,} games, {envs.num_envs:,} learners, each seeing {seen}")
        _, info = envs.reset(seed=options.seed)
        begin = time.perf_counter()
        steps = resetting = episodes = 0
        while (elapsed := time.perf_counter() - begin) < options.seconds:
            *_, info = envs.step(envs.sample_actions(info["action_mask"]))
            steps += envs.num_games - resetting  # games that were only reset made no step
            resetting = int(info["_game"].sum()) // envs.learners if "game" in info else 0
            episodes += resetting
        rate = steps / elapsed
        print(f"speed      {rate:,.0f} game steps/s, {rate * envs.learners:,.0f} agent steps/s, with random")
        print("           moves, and with all agents' observations as arrays in Python")
        print(f"episodes   {episodes:,} ended")
    print("\na game between simple agents, as it ended:\n", flush=True)
    subprocess.run(
        [find_binary(), "play", "--env", options.id, "--agents", "simple", "--seed", "8"], check=True
    )
    print(f"\nto play yourself, in the browser: {find_binary()} play --web")


if __name__ == "__main__":
    sys.exit(main())
