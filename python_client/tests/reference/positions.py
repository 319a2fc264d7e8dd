"""Positions in which games begin: boards as they are dealt, and such as few games come to."""

from __future__ import annotations

import random
from typing import Any

from pommego import pommerman

_AGENT0 = pommerman.constants.Item.Agent0.value
_FLAMES = pommerman.constants.Item.Flames.value


def start(env_id: str, rng: random.Random) -> dict[str, str]:
    """Deal a board, alter it for two games of three, and save the game."""
    seats = 2 if env_id.startswith("OneVsOne") else 4
    with pommerman.make(env_id, [pommerman.agents.BaseAgent() for _ in range(seats)]) as env:
        env.seed(rng.getrandbits(60))
        env.reset()
        if rng.random() < 0.66:
            _strengthen(env, rng)
            if rng.random() < 0.5:
                _burn(env, rng)
                _mine(env, rng)
        return env.get_json_info()


def _strengthen(env: Any, rng: random.Random) -> None:
    """Strengthen agents, open the board, begin late."""
    for agent in env._agents:
        body = agent._character
        body.ammo, body.blast_strength = rng.randint(0, 5), rng.randint(1, 6)
        body.can_kick = rng.random() < 0.7
    gone = rng.random()
    for cell in _cells(env, 2):
        if cell not in env._items and rng.random() < gone:
            env._board[cell] = rng.choice([0, 0, 0, 6, 7, 8])
    env._step_count = rng.choice([0, 0, 0, 120, 480, 560, 790])


def _burn(env: Any, rng: random.Random) -> None:
    """Set passages and wood on fire, with several flames on some cells and what is hidden under others."""
    cells = _cells(env, 0) + _cells(env, 2)
    flames = []
    for cell in rng.sample(cells, min(len(cells), rng.randrange(25))):
        env._board[cell] = _FLAMES
        lives = rng.sample(range(3), rng.choice([1, 1, 1, 2, 3]))
        flames += [pommerman.characters.Flame(cell, life) for life in lives]
    env._flames = sorted(flames, key=lambda flame: (flame.life, flame.position))


def _mine(env: Any, rng: random.Random) -> None:
    """Lay bombs, lying and rolling: on passages, under agents, in flames; one agent may be dead."""
    bodies = [agent._character for agent in env._agents]
    if len(bodies) == 4 and rng.random() < 0.3:
        dead = rng.choice(bodies)
        dead.die()
        env._board[dead.position] = 0
    cells = [body.position for body in bodies if body.is_alive] + _cells(env, 0)
    cells += [cell for cell in _cells(env, _FLAMES) if cell not in env._items]
    bombs = []
    for cell in rng.sample(cells, min(len(cells), rng.randrange(13))):
        if env._board[cell] < _FLAMES:
            env._board[cell] = pommerman.constants.Item.Bomb.value
        direction = rng.choice([None, *list(pommerman.constants.Action)[1:5]])
        life = rng.choice([*range(1, 10), 25])
        bombs.append(pommerman.characters.Bomb(rng.choice(bodies), cell, life, rng.randint(1, 5), direction))
    env._bombs = bombs


def _cells(env: Any, item: int) -> list[tuple[int, int]]:
    """Return the cells that show an item."""
    return [(int(row), int(col)) for row, col in zip(*(env._board == item).nonzero(), strict=True)]
