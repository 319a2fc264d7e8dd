"""Saved games in the original's form: fields by name, each a JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pommego.pommerman import characters, constants, utility

__all__ = ["bombs", "encoded", "field", "restore_agents"]


def field(state: Mapping[str, Any], name: str) -> Any:
    """Return a field of a saved game, whose values are JSON texts or plain values."""
    value = state[name]
    return json.loads(value) if isinstance(value, str) else value


def encoded(
    fields: Mapping[str, Any], encoder: type[json.JSONEncoder] = utility.PommermanJSONEncoder
) -> dict[str, str]:
    """Return the fields as JSON texts."""
    return {name: json.dumps(value, cls=encoder) for name, value in fields.items()}


def bombs(state: Mapping[str, Any], agents: Sequence[Any]) -> list[characters.Bomb]:
    """Return the bombs of a saved game.

    Raises:
        KeyError: a field is missing.
        ValueError: no agent owns a bomb.
    """
    return [
        characters.Bomb(
            _find(agents, bomb["bomber_id"]),
            tuple(bomb["position"]),
            int(bomb["life"]),
            int(bomb["blast_strength"]),
            None if bomb["moving_direction"] is None else constants.Action(bomb["moving_direction"]),
        )
        for bomb in field(state, "bombs")
    ]


def restore_agents(state: Mapping[str, Any], agents: Sequence[Any]) -> None:
    """Set the agents to their state in a saved game.

    Raises:
        KeyError, ValueError: see `bombs`.
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
