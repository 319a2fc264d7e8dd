"""Let a policy that `ppo.py` trained play for the pommego command line.

    pommego play --agents "exec:python ppo_agent.py runs/a,simple,simple,simple" --wait 30s --show
    pommego tournament --agents "exec:python ppo_agent.py runs/a" --against simple --games 400

It reads requests and writes moves as described in arena/match/PROTOCOL.md under "Lines",
for games of the id it was trained on. It gets the original's observation dictionary and
converts it to the planes of the environment.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import torch
from ppo import Eyes, Policy, Seen, load

import pommego

# The plane of each cell value of the dictionary's board; those of agents depend on the seat.
ITEMS = {0: "passage", 1: "rigid", 2: "wood", 5: "fog", 6: "extra_bomb", 7: "incr_range", 8: "kick"}
ROLLS = {1: "bomb_up", 2: "bomb_down", 3: "bomb_left", 4: "bomb_right"}
MOVES = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
BOMB = 5


class Player:
    """A policy that takes observation dictionaries."""

    def __init__(self, run: str) -> None:
        config, saved = load(run)
        self.spec = pommego.catalog()[config.env]
        self.eyes = Eyes(self.spec, config.moves)
        self.policy = Policy(self.eyes)
        self.policy.load_state_dict(saved["policy"])

    def planes(self, obs: dict[str, Any], seat: int) -> np.ndarray:
        """Draw the planes, uint8 (planes, board, board)."""
        board = np.array(obs["board"])
        blast, life, rolls, flames = (
            np.array(obs[name]).astype(np.uint8)
            for name in ("bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life")
        )
        drawn = {name: board == item for item, name in ITEMS.items()}
        drawn |= {name: rolls == way for way, name in ROLLS.items()}
        drawn |= {"bomb_blast": blast, "bomb_life": life, "flame": flames, "self": board == 10 + seat}
        drawn["teammate"] = (board == obs["teammate"]) & (obs["teammate"] >= 10)
        drawn["enemies"] = np.isin(board, [enemy for enemy in obs["enemies"] if enemy >= 10])
        nothing = np.zeros_like(board)
        names = self.eyes.planes[:-1]  # the last plane is computed from the others
        return np.stack([drawn.get(name, nothing) for name in names]).astype(np.uint8)

    def scalars(self, obs: dict[str, Any], seat: int) -> np.ndarray:
        """Return the scalars, float32 (scalars,), by the names the environment gives them."""
        rules, alive = self.spec.rules, obs["alive"]
        row, col = obs["position"]
        known = {
            "alive": 10 + seat in alive,
            "ammo": min(obs["ammo"] / rules["max_ammo"], 1),
            "blast_strength": min(obs["blast_strength"] / rules["max_blast_strength"], 1),
            "can_kick": obs["can_kick"],
            "row": row / (self.eyes.board - 1),
            "col": col / (self.eyes.board - 1),
            "step": min(obs["step_count"] / self.spec.max_steps, 1),
            "teammate_alive": obs["teammate"] in alive,
        }
        enemies = [enemy for enemy in obs["enemies"] if enemy >= 10]
        known |= {f"enemy{k}_alive": enemy in alive for k, enemy in enumerate(enemies)}
        return np.array([known[name] for name in self.eyes.scalars], np.float32)

    def mask(self, obs: dict[str, Any]) -> np.ndarray:
        """Return which moves have an effect, bool (actions,)."""
        board, (row, col) = np.pad(obs["board"], 1, constant_values=1), obs["position"]
        free = [board[1 + row + down, 1 + col + right] not in {1, 2} for down, right in MOVES.values()]
        bomb = obs["ammo"] > 0 and obs["bomb_life"][row][col] == 0
        return np.array([True, *free, bomb])

    def see(self, obs: dict[str, Any], seat: int) -> Seen:
        """Return the network's input."""
        seen = {"planes": self.planes(obs, seat)[None], "scalars": self.scalars(obs, seat)[None]}
        return self.eyes(seen, self.mask(obs)[None])

    def act(self, obs: dict[str, Any], seat: int) -> int:
        """Choose a move."""
        return self.policy.act(self.see(obs, seat)).item()


def main() -> None:
    """Answer requests until the end of input."""
    torch.set_num_threads(1)
    player, seat = Player(sys.argv[1]), 0
    for line in sys.stdin:
        question = json.loads(line)
        if question["type"] == "begin":
            seat = question["seat"]
            answer = {"id": question["id"]}
        elif question["type"] == "act":
            answer = {"id": question["id"], "action": player.act(question["obs"], seat)}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
