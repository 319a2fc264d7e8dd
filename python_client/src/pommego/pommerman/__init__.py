"""The original's own API: existing agents and notebooks run after changing one import.

`docs/from-the-original.md` has examples. Everything runs in Python, which is the fastest way for a
single game. To step many games at once, use `pommego.make_vec` and turn its raw observations into
dictionaries with `Dictionaries`.

An observation is a dictionary:

* ``alive``: cell values of the living agents, in order.
* ``board``: uint8 (n, n), cell values (`constants.Item`), 5 in fog.
* ``bomb_blast_strength``, ``bomb_life``, ``bomb_moving_direction`` (the number of
  an Action, 0 if it lies still) and ``flame_life``: float64 (n, n), 0 elsewhere.
* ``game_type``: the number of a GameType. ``game_env``: the module's name.
* ``position``: (row, column). ``blast_strength``, ``ammo``: int. ``can_kick``: bool.
* ``teammate``: an Item. ``enemies``: a list of Items.
* ``step_count``: int. ``message``, with radio: two words from the teammate.

Differences from the original: boards follow from `seed` (without one, from the module
`random`); `reset` clears the words sent by radio; `render` draws in the terminal. Code that
contains ``import pommerman`` runs unchanged with the folder `IMPORT_PATH` on its path.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium

from pommego.pommerman import (  # noqa: F401, users reach modules as attributes
    agents,
    characters,
    cli,
    configs,
    constants,
    envs,
    forward_model,
    graphics,
    helpers,
    observations,
    runner,
    utility,
)
from pommego.pommerman.observations import Dictionaries

__all__ = ["IMPORT_PATH", "REGISTRY", "Dictionaries", "make"]

#: A folder with one module, `pommerman`, which is this package. Programs with this
#: folder on PYTHONPATH, or in `sys.path`, can import pommerman.
IMPORT_PATH = str(Path(__file__).parent / "import_path")
#: The ids that `make` knows.
REGISTRY = list(configs.IDS)

configs.register()


def make(
    config_id: str,
    agent_list: Sequence[agents.BaseAgent],
    game_state_file: str | Path | Mapping[str, Any] | None = None,
    render_mode: str = "human",
) -> envs.v0.Pomme:
    """Make an environment.

    Args:
        config_id: one of `REGISTRY`.
        agent_list: four agents, or two for OneVsOne, in the order of their seats.
        game_state_file: a saved game in which every game begins; see
            `Pomme.set_init_game_state`.
        render_mode: what `render` does: "human", "rgb_array" or "rgb_pixel".

    Raises:
        ValueError: the id is unknown.
        TypeError: an agent is not a BaseAgent.
    """
    config = configs.by_id(config_id)
    kwargs = config["env_kwargs"]
    env = config["env"](**kwargs)
    env.spec = gymnasium.spec(config_id)
    env.spec._kwargs = kwargs  # the old gym's name for the id
    for seat, agent in enumerate(agent_list):
        if not isinstance(agent, agents.BaseAgent):
            raise TypeError(f"agent {seat} is {agent!r}, expected a BaseAgent")
        agent.init_agent(seat, kwargs["game_type"])
    env.set_agents(agent_list)
    env.set_init_game_state(game_state_file)
    env.set_render_mode(render_mode)
    return env
