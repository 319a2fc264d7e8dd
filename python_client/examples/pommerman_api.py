"""The original's own API: a game among agents written for it, then many games at once.

python pommerman_api.py [GAMES]
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

import pommego
from pommego import pommerman
from pommego.pommerman import agents, constants


class Runaway(agents.BaseAgent):
    """Walks anywhere but into walls and flames, and never lays a bomb."""

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        """Choose an action from the observation, a dictionary."""
        board, position = obs["board"], obs["position"]
        moves = [constants.Action.Stop]
        for move in (
            constants.Action.Up,
            constants.Action.Down,
            constants.Action.Left,
            constants.Action.Right,
        ):
            cell = pommerman.utility.get_next_position(position, move)
            if pommerman.utility.position_on_board(board, cell):
                free = pommerman.utility.position_is_passable(board, cell, obs["enemies"])
                moves += [move] * free
        return random.choice(moves).value


def one_game() -> dict[str, Any]:
    """Play a game and return how it ended."""
    players = [Runaway(), agents.SimpleAgent(), agents.SimpleAgent(), agents.SimpleAgent()]
    env = pommerman.make("PommeFFACompetition-v0", players)
    obs = env.reset()
    done, info = False, {}
    while not done:
        obs, _, done, info = env.step(env.act(obs))
    env.close()
    return info


def many_games(number: int, steps: int = 300) -> tuple[int, int]:
    """Play games together, against agents on the server; return how many ended, and were won."""
    ended = won = 0
    runaway = Runaway()
    envs = pommego.make_vec(
        "PommeFFACompetition-v0",
        number,
        observation="raw",
        opponents=["simple"] * 3,
        autoreset_mode="SameStep",
    )
    dictionaries = pommerman.Dictionaries(envs.game_spec)
    obs, _ = envs.reset(seed=0)
    for _ in range(steps):
        actions = [runaway.act(seen, envs.single_action_space) for seen in dictionaries(obs)]
        obs, rewards, terminated, _, _ = envs.step(np.array(actions))
        ended += int(terminated.sum())
        won += int((rewards > 0).sum())
    envs.close()
    return ended, won


if __name__ == "__main__":
    random.seed(0)
    print("one game:", one_game())
    print("many games, ended and won:", many_games(int(sys.argv[1]) if len(sys.argv) > 1 else 64))
