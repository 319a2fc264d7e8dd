"""Look into a run of `ppo.py`: `python diagnose.py ppo-ffa runs/ppo-ffa-0`.

Prints two tables in Markdown about games that the run's network plays: how sure it is of each move, and
how wrong its values are, by the number of steps that are left. If learning stops, look here first.
`pommego play --agents net:weights=runs/ppo-ffa-0/policy.net,simple,simple,simple --show` shows a game of it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import ppo
import torch
from torch import Tensor

import pommego

MOVES = ("stay", "up", "down", "left", "right", "bomb")
LEFT = (3, 10, 30, 100, 300, 800)  # steps; each is the last of its row in the table
BOARDS = 1_000_000_000  # seed of the games; training's are below


class Played(NamedTuple):
    """The moves of games, (n,) each."""

    action: Tensor
    chance: Tensor
    entropy: Tensor
    value: Tensor
    gained: Tensor  # discounted rewards
    left: Tensor  # steps


@torch.no_grad()
def played(run: ppo.Run, against: str, games: int) -> Played:
    """Play each seat's first game."""
    policy, recipe = run.policy, run.recipe._replace(opponents={against: 1.0}, slips=0)
    seats = ppo.Games(policy, recipe, argparse.Namespace(**vars(run.o) | {"games": games}), BOARDS, run.past)
    kept, _ = ppo.collect(seats, pommego.catalog()[recipe.id].max_steps)
    for envs in seats.envs:
        envs.close()
    *_, near, numbers, moves, action, _, value, reward, over, valid = kept
    none, one = torch.zeros_like(reward), torch.ones_like(reward)
    gained = ppo.advantages(reward, none, over, none[0], gamma=run.o.gamma, lam=1)  # relative to values of 0
    left = ppo.advantages(one, none, over, none[0], gamma=1, lam=1)
    first = (over.long().cumsum(0) - over.long() == 0) & valid  # without the dead of teams, who only stay
    logits, _ = policy(near[first], numbers[first], moves[first])
    logp, entropy = ppo.chances(policy, logits, action[first])
    return Played(action[first][:, 0], logp[:, 0].exp(), entropy, value[first], gained[first], left[first])


def tables(all_: Played) -> str:
    """Return the tables of moves and of values."""
    action, chance, entropy, value, gained, left = all_
    lines = ["| move | share % | its chance % | entropy |", "|---|---|---|---|"]
    for number, move in enumerate(MOVES):
        of = action == number
        means = 100 * of.float().mean(), 100 * chance[of].mean(), entropy[of].mean()
        lines.append(f"| {move} | {means[0]:.1f} | {means[1]:.0f} | {means[2]:.2f} |")
    lines += ["", "| steps left | moves | value | return | error | explained % |", "|" + "---|" * 6]
    for low, high in zip((0, *LEFT), LEFT, strict=False):
        of = (left > low) & (left <= high)
        error = value[of] - gained[of]
        explained = 100 * (1 - error.var() / gained[of].var())
        means = f"{value[of].mean():.2f} | {gained[of].mean():.2f} | {error.square().mean().sqrt():.2f}"
        lines.append(f"| {low + 1} to {high} | {of.sum()} | {means} | {explained:.0f} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and look."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=ppo.RECIPES, help="which baseline")
    parser.add_argument("run", type=Path, help="its folder; options of ppo.py, such as --device, may follow")
    parser.add_argument("--against", default="simple", help=f"an agent, or {ppo.SELF!r}")
    parser.add_argument("--games", type=int, default=128, help="seats that play a game each")
    o, more = parser.parse_known_args(arguments)
    if not (o.run / "checkpoint.pt").exists():
        parser.error(f"{o.run} has no checkpoint.pt: give the folder of a run of ppo.py")
    saved = ppo.checkpoint(o.run)
    own = argparse.Namespace(**saved.get("options", {}))
    run = ppo.Run(ppo.parser.parse_args([o.name, *more, "--out", str(o.run)], own))
    run.restore(saved)
    print(tables(played(run, o.against, o.games)))


if __name__ == "__main__":
    main()
