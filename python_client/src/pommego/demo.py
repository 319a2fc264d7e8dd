"""Run with ``python -m pommego.demo``: many games at once, statistics, and a picture.

The embedded server steps a thousand four-player games with random legal moves; Python
receives the observations of all four agents.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import pommego
from pommego._core.terminal import Progress, count
from pommego.registration import IDS


@dataclass
class Tally:
    """Statistics of the episodes that ended."""

    lengths: list[int] = field(default_factory=list)
    results: Counter[str] = field(default_factory=Counter)
    wins: Counter[int] = field(default_factory=Counter)

    def add(self, info: dict, learners: int) -> None:
        """Add the episodes that ended in a step, from its info."""
        if "game" not in info:
            return
        rows = np.flatnonzero(info["_game"])[::learners]
        game = info["game"]
        self.lengths += game["length"][rows].tolist()
        self.results.update(pommego.Result(r).name.lower() for r in game["result"][rows].tolist())
        self.wins.update(np.nonzero(game["winners"][rows])[1].tolist())

    def lines(self) -> list[str]:
        """Describe them."""
        if not self.lengths:
            return ["no episode ended"]
        n = len(self.lengths)
        share = {name: f"{name} {times / n:.1%}" for name, times in sorted(self.results.items())}
        wins = ", ".join(f"seat {seat} {self.wins[seat] / n:.1%}" for seat in sorted(self.wins))
        return [
            f"episodes   {n:,} ended: {', '.join(share.values())}",
            f"length     {np.mean(self.lengths):.1f} steps on average, "
            f"median {np.median(self.lengths):.0f}, longest {max(self.lengths)}",
            f"won by     {wins}",
        ]


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pommego.demo", description=__doc__.split("\n\n")[1])
    parser.add_argument("--id", default=IDS[0], help="id of the game (default: %(default)s)")
    parser.add_argument("--games", type=int, default=1024, help="number of games (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds to run (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except pommego.PommegoError as e:
        print(f"pommego.demo: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _run(options: argparse.Namespace) -> None:
    tally, progress = Tally(), Progress()
    with pommego.make_vec(options.id, num_envs=options.games, copy=False) as envs:
        spec = envs.game_spec
        print(f"{spec.id}: {spec.description}")
        print(f"{envs.num_games:,} games, {envs.num_envs:,} learners, each seeing", end=" ")
        print(", ".join(f"{f.name} {f.dtype} {f.shape}" for f in envs.encoding.fields))
        _, info = envs.reset(seed=options.seed)
        begin = time.perf_counter()
        steps = resetting = 0
        while (elapsed := time.perf_counter() - begin) < options.seconds:
            *_, info = envs.step(envs.sample_actions(info["action_mask"]))
            steps += envs.num_games - resetting  # games that were only reset made no step
            resetting = int(info["_game"].sum()) // envs.learners if "game" in info else 0
            tally.add(info, envs.learners)
            rate = count(steps / max(elapsed, 1e-9))
            progress.show(f"{elapsed:4.1f} s   {rate} steps/s   {len(tally.lengths):,} episodes")
        progress.clear()
        print()
        rate, each = count(steps / elapsed), count(steps / elapsed * envs.learners)
        print(f"speed      {rate} game steps/s, {each} agent steps/s, with random moves, and")
        print("           with all agents' observations as arrays in Python")
        print("\n".join(tally.lines()))
        print(f"\ngame 0 of {envs.num_games:,}, as it stands:\n")
        print(envs.render(0, colour=sys.stdout.isatty()))


if __name__ == "__main__":
    sys.exit(main())
