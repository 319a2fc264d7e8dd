"""The board with its bombs, flames and items, read from and written to saved games."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import characters, constants, utility

__all__ = ["Scene", "encoded", "field", "restore_agents", "saved"]

Cell = tuple[int, int]


@dataclass
class Scene:
    """Everything of a game but its agents.

    Attributes:
        board: uint8 (n, n), agents drawn over bombs and flames over everything.
        bombs: in the order in which they were laid.
        flames: the oldest first; several can share a cell.
        items: the value of each hidden item by its position.
    """

    board: NDArray[Any]
    bombs: list[Any]
    flames: list[Any]
    items: dict[Cell, int]

    @classmethod
    def read(cls, state: Mapping[str, Any], agents: Sequence[Any]) -> Scene:
        """Read a saved game.

        Args:
            state: with the original's fields.
            agents: the possible owners of the bombs.

        Raises:
            KeyError: a field is missing.
            ValueError: a bomb has no owner.
        """
        bombs = []
        for bomb in field(state, "bombs"):
            moving = bomb["moving_direction"]
            bombs.append(
                characters.Bomb(
                    _find(agents, bomb["bomber_id"]),
                    tuple(bomb["position"]),
                    int(bomb["life"]),
                    int(bomb["blast_strength"]),
                    None if moving is None else constants.Action(moving),
                )
            )
        return cls(
            board=np.array(field(state, "board"), np.uint8),
            bombs=bombs,
            flames=[characters.Flame(tuple(f["position"]), f["life"]) for f in field(state, "flames")],
            items={tuple(cell): item for cell, item in field(state, "items")},
        )


def field(state: Mapping[str, Any], name: str) -> Any:
    """Return a field of a saved game, whose values are JSON texts or plain values."""
    value = state[name]
    return json.loads(value) if isinstance(value, str) else value


def saved(scene: Scene, agents: Sequence[Any], step_count: int) -> dict[str, Any]:
    """Return the fields of a saved game, as objects."""
    return {
        "board_size": len(scene.board),
        "step_count": step_count,
        "board": scene.board,
        "agents": agents,
        "bombs": scene.bombs,
        "flames": scene.flames,
        "items": [[cell, item] for cell, item in scene.items.items()],
    }


def encoded(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields as JSON texts, the original's form."""
    return {name: json.dumps(value, cls=utility.PommermanJSONEncoder) for name, value in fields.items()}


def restore_agents(state: Mapping[str, Any], agents: Sequence[Any]) -> None:
    """Set the agents to their state in a saved game.

    Raises:
        KeyError, ValueError: see `Scene.read`.
    """
    for entry in field(state, "agents"):
        agent = _find(agents, entry["agent_id"])
        agent.set_start_position((entry["position"][0], entry["position"][1]))
        agent.reset(
            int(entry["ammo"]),
            bool(entry["is_alive"]),
            int(entry["blast_strength"]),
            bool(entry["can_kick"]),
        )


def _find(agents: Sequence[Any], agent_id: int) -> Any:
    for agent in agents:
        if agent.agent_id == agent_id:
            return agent
    raise ValueError(f"the saved game has an agent {agent_id}, which this environment does not have")
