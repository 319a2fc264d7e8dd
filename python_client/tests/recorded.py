"""The original's recorded games, as the original's own environments take and return them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from conftest import REPOSITORY
from pommego.pommerman import constants, envs

TRACES = REPOSITORY / "env" / "pommerman" / "testdata" / "traces"
DECISIONS = REPOSITORY / "internal" / "oracle" / "testdata" / "playground"
FLOATS = ("bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life")


def records(name: str, every: int = 1, first: int = 0, folder: Path = TRACES) -> Iterator[dict[str, Any]]:
    """Read every so manieth record of a file."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt") as lines:
        for number, line in enumerate(lines):
            if number % every == first:
                yield json.loads(line)


def field(state: dict[str, Any], name: str) -> Any:
    """Read a field of a saved game, a JSON text or a plain value."""
    value = state[name]
    return json.loads(value) if isinstance(value, str) else value


def environment(config: dict[str, Any]) -> envs.v0.Pomme:
    """Make the environment that a game was recorded in."""
    kwargs: dict[str, Any] = {
        "game_type": constants.GameType(config["game_type"]),
        "board_size": config["board_size"],
        "num_rigid": config["num_rigid"],
        "num_wood": config["num_wood"],
        "num_items": config["num_items"],
        "max_steps": config["max_steps"],
        "is_partially_observable": bool(config["partially_observable"]),
        "agent_view_size": config["agent_view_size"],
        "env": config["game_env"],
        "render_fps": 15,
    }
    if config["radio_num_words"]:
        words = {name: config[name] for name in ("radio_vocab_size", "radio_num_words")}
        return envs.v2.Pomme(**kwargs, **words)
    if config["first_collapse"] is not None:
        return envs.v1.Pomme(**kwargs, first_collapse=config["first_collapse"])
    return envs.v0.Pomme(**kwargs)


def table(text: str, size: int, dtype: Any = int) -> np.ndarray:
    """Read a map of base-36 digits."""
    return np.array([int(digit, 36) for digit in text], dtype).reshape(size, size)


def saved_game(state: dict[str, Any], size: int) -> dict[str, str]:
    """Write a recorded state as the original's saved game."""
    fields: dict[str, Any] = {
        "board_size": size,
        "step_count": state["step_count"],
        "board": table(state["board"], size).tolist(),
        "agents": [
            {
                "agent_id": seat,
                "position": [row, col],
                "is_alive": bool(alive),
                "ammo": ammo,
                "blast_strength": blast,
                "can_kick": bool(kicks),
            }
            for seat, (row, col, alive, ammo, blast, kicks) in enumerate(state["agents"])
        ],
        "bombs": [
            {
                "position": [row, col],
                "life": life,
                "blast_strength": blast,
                "bomber_id": bomber,
                "moving_direction": moving or None,
            }
            for row, col, life, blast, bomber, moving in state["bombs"]
        ],
        "flames": [{"position": [row, col], "life": life} for row, col, life in state["flames"]],
        "items": [[[row, col], item] for row, col, item in state["items"]],
    }
    if "radio" in state:
        fields["radio_from_agent"] = {f"Agent{seat}": words for seat, words in enumerate(state["radio"])}
    return {name: json.dumps(value) for name, value in fields.items()}


def observation(obs: dict[str, Any], size: int, message: type = tuple) -> dict[str, Any]:
    """Return a recorded observation with the original's types and order of keys."""
    found = {
        "alive": obs["alive"],
        "board": table(obs["board"], size, np.uint8),
        **{name: table(obs[name], size, np.float64) for name in FLOATS},
        "game_type": obs["game_type"],
        "game_env": obs["game_env"],
        "position": tuple(obs["position"]),
        "blast_strength": obs["blast_strength"],
        "can_kick": bool(obs["can_kick"]),
        "teammate": constants.Item(obs["teammate"]),
        "ammo": obs["ammo"],
        "enemies": [constants.Item(enemy) for enemy in obs["enemies"]],
        "step_count": obs["step_count"],
    }
    if "message" in obs:
        found["message"] = message(obs["message"])
    return found


def actions(step: dict[str, Any]) -> list[Any]:
    """Return a recorded step's actions, with words where some were sent."""
    messages = step.get("messages") or [None] * len(step["actions"])
    pairs = zip(step["actions"], messages, strict=True)
    return [move if words is None else [move, *words] for move, words in pairs]


def pieces(env: envs.v0.Pomme) -> dict[str, Any]:
    """Return an environment's state in the form of a record."""
    return {
        "step_count": env._step_count,
        "board": "".join(np.base_repr(value, 36).lower() for value in env._board.ravel()),
        "agents": [
            [*map(int, a.position), int(a.is_alive), a.ammo, a.blast_strength, int(a.can_kick)]
            for a in env._agents
        ],
        "bombs": [
            [
                *bomb.position,
                bomb.life,
                bomb.blast_strength,
                bomb.bomber.agent_id,
                bomb.moving_direction.value if bomb.moving_direction else 0,
            ]
            for bomb in env._bombs
        ],
        "flames": [[*flame.position, flame.life] for flame in env._flames],
        "items": sorted([*cell, item] for cell, item in env._items.items()),
    }
