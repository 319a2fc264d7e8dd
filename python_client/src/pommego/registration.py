"""The games' names in gymnasium's registry: "pommego/" and the id.

``import pommego`` registers them; then ``gymnasium.make_vec("pommego/PommeFFACompetition-v0",
num_envs=64)`` and ``gymnasium.make("pommego/...", opponents=[...])`` are `make_vec` and `make`, both with
"simple" in the other seats unless `opponents` or `seats` say who plays them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from pommego.single import PommegoEnv
    from pommego.vector import PommegoVectorEnv

#: The ids of the server's catalog, in its order: gymnasium needs them before a server is
#: running. `make docs` writes the file, and a test compares it with the server's. (`pathlib` takes
#: longer to load than this package.)
with open(os.path.join(os.path.dirname(__file__), "ids.txt"), encoding="utf-8") as _file:  # noqa: PTH118, PTH120, PTH123
    IDS = tuple(_file.read().split())


def register() -> None:
    """Register all games that are not registered yet."""
    for name in IDS:
        if f"pommego/{name}" not in gymnasium.registry:
            gymnasium.register(
                id=f"pommego/{name}",
                entry_point="pommego.registration:single",
                vector_entry_point="pommego.registration:vector",
                kwargs={"game": name},  # not "id", which is a parameter of gymnasium.make
            )
    # These are other games than v0; without this gymnasium would call v0 out of date.
    gymnasium.registry["pommego/PommeTeamCompetition-v1"].name = "PommeTeamCompetition-v1"


def single(game: str, **options: Any) -> PommegoEnv:
    """Make one game: what ``gymnasium.make`` calls."""
    from pommego.making import make  # noqa: PLC0415, importing pommego only registers

    return make(game, **options)


# The environment's own, which gymnasium reads here before it makes one: it collects lists of images itself.
single.metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 10}


def vector(game: str, **options: Any) -> PommegoVectorEnv:
    """Make many games: what ``gymnasium.make_vec`` calls."""
    from pommego.making import against_simple, make_vec  # noqa: PLC0415

    return make_vec(game, **against_simple(options))
