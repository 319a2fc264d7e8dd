"""The games' names in gymnasium's registry: "pommego/" and the id.

``import pommego`` enters them; then ``gymnasium.make_vec("pommego/PommeFFACompetition-v0",
num_envs=64)`` and ``gymnasium.make("pommego/...", opponents=[...])`` are `make_vec` and `make`.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from pommego.making import make, make_vec
from pommego.single import PommegoEnv
from pommego.vector import PommegoVectorEnv

__all__ = ["IDS", "register", "single", "vector"]

#: What the server's catalog has; a test compares.
IDS = (
    "PommeFFACompetition-v0",
    "PommeFFACompetitionFast-v0",
    "PommeFFAFast-v0",
    "PommeFFA-v1",
    "PommeTeam-v0",
    "PommeTeamFast-v0",
    "PommeTeamCompetition-v0",
    "PommeTeamCompetitionFast-v0",
    "PommeTeamCompetition-v1",
    "PommeRadio-v2",
    "PommeRadioCompetition-v2",
    "OneVsOne-v0",
    "PommeFFA2018-v0",
    "PommeTeam2018-v0",
    "PommeFFAJava-v0",
    "PommeTeamJava-v0",
    "BaseWar-v0",
    "BaseWarSides-v0",
    "SuiteBot-v0",
)


def register() -> None:
    """Enter all games; those already there are left alone."""
    for name in IDS:
        if f"pommego/{name}" not in gymnasium.registry:
            gymnasium.register(
                id=f"pommego/{name}",
                entry_point="pommego.registration:single",
                vector_entry_point="pommego.registration:vector",
                kwargs={"game": name},  # not "id", of which gymnasium.make has one already
            )


def single(game: str, **options: Any) -> PommegoEnv:
    """Make one game: what ``gymnasium.make`` calls."""
    return make(game, **options)


def vector(game: str, **options: Any) -> PommegoVectorEnv:
    """Make many games: what ``gymnasium.make_vec`` calls."""
    return make_vec(game, **options)
