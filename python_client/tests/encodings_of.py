"""Games observed twice: as `raw` and as `planes`, in the same steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pommego

Vec = Callable[..., pommego.PommegoVectorEnv]
Observation = dict[str, Any]

TEAM, RADIO, DUEL = "PommeTeamCompetition-v0", "PommeRadioCompetition-v2", "OneVsOne-v0"

#: Ids and options of Pommerman that between them have all that an encoding depends on.
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("PommeFFACompetition-v0", {}),
    ("PommeTeam-v0", {}),
    (TEAM, {}),
    (
        TEAM,
        {"rules": {"board_size": 8, "num_rigid": 16, "num_wood": 16, "num_items": 10, "agent_view_size": 2}},
    ),
    ("PommeTeamCompetition-v1", {}),
    (RADIO, {}),
    (DUEL, {"rules": {"board_size": 14}}),
    ("PommeTeam2018-v0", {}),
    ("PommeFFA2018-v0", {"rules": {"agent_view_size": 4, "bomb_list": True}}),
    ("PommeFFAJava-v0", {}),
    ("PommeTeamJava-v0", {"rules": {"agent_view_size": -1}}),
    ("PommeTeamJavaDocument-v0", {}),
    ("PommeFFAJavaDocument-v0", {"rules": {"max_blast_strength": 3, "max_ammo": 2}}),
]


def name(variant: Any) -> str:
    """What a test with this variant is called."""
    return variant if isinstance(variant, str) else ",".join(map(str, variant.get("rules", ())))


def fogged(spec: pommego.GameSpec) -> bool:
    """Whether a seat sees a part of the board alone."""
    return any(encoding.name == "unfogged" for encoding in spec.encodings)


def moves(envs: pommego.PommegoVectorEnv, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw actions that mostly move, so that games last long enough to show everything."""
    envs.np_random = rng
    actions = envs.sample_actions(mask)
    first = actions.reshape(len(actions), -1)
    wait = (first == 5) & (rng.random(first.shape) < 0.7)
    first[wait] = 0
    return actions


def kicking(envs: pommego.PommegoVectorEnv) -> tuple[Observation, dict[str, Any]]:
    """Let everybody in games of Pommerman kick, and lay several bombs; return how they stand."""
    states = envs.get_state(as_json=True)
    for state in states:
        state["agents"] = (
            state["agents"].replace('"can_kick":false', '"can_kick":true').replace('"ammo":1', '"ammo":3')
        )
    return envs.set_state(range(envs.num_games), states)


def together(
    all_envs: list[pommego.PommegoVectorEnv], steps: int, seed: int = 0
) -> Iterator[list[tuple[Any, ...]]]:
    """Reset and step environments with the same actions; yield what each returned."""
    yield [envs.reset(seed=seed) for envs in all_envs]
    if all_envs[0].game_spec.game == "pommerman":
        yield [kicking(envs) for envs in all_envs]
    rng = np.random.default_rng(seed)
    mask = None
    for _ in range(steps):
        actions = moves(all_envs[0], mask, rng)
        results = [envs.step(actions) for envs in all_envs]
        mask = results[0][-1]["action_mask"]
        yield results
