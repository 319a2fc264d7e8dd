"""The original's own API: existing agents and notebooks run after changing one import.

    from pommego import pommerman
    from pommego.pommerman import agents

    env = pommerman.make("PommeFFACompetition-v0", [agents.SimpleAgent() for _ in range(4)])
    obs = env.reset()
    done = False
    while not done:
        actions = env.act(obs)
        obs, rewards, done, info = env.step(actions)
    env.close()

Boards come from a `pommego` server, one for all environments of the process,
started when the first is reset; steps are made in Python, which for one game is
the fastest way. Many games at once are stepped on the server: `make_batch`.

An observation is a dictionary:

* ``alive``: cell values of the living, in order.
* ``board``: uint8 (n, n), cell values (`constants.Item`), 5 where it is foggy.
* ``bomb_blast_strength``, ``bomb_life``, ``bomb_moving_direction`` (the number of
  an Action, 0 if it lies still) and ``flame_life``: float64 (n, n), 0 elsewhere.
* ``game_type``: the number of a GameType. ``game_env``: the module's name.
* ``position``: (row, column). ``blast_strength``, ``ammo``: int. ``can_kick``: bool.
* ``teammate``: an Item. ``enemies``: a list of Items.
* ``step_count``: int. ``message``, with radio: two words from the teammate.

What differs from the original: boards are dealt by the server, so that
`seed` decides them (without it the module `random` does, as there); words sent
by radio are forgotten with `reset`; `render` draws in the terminal; saved games
of v1 can be read and written. Code that says ``import pommerman`` itself and
cannot be changed runs after `install_as_pommerman`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pommego.pommerman import (
    agents,
    batch,
    boards,
    characters,
    configs,
    constants,
    envs,
    forward_model,
    helpers,
    observations,
    runner,
    utility,
)
from pommego.pommerman.batch import PommeBatch, make_batch
from pommego.pommerman.observations import Dictionaries

__all__ = [
    "REGISTRY",
    "Dictionaries",
    "PommeBatch",
    "agents",
    "batch",
    "boards",
    "characters",
    "configs",
    "constants",
    "envs",
    "forward_model",
    "helpers",
    "install_as_pommerman",
    "make",
    "make_batch",
    "observations",
    "runner",
    "utility",
]

#: The ids that `make` knows.
REGISTRY = list(configs.IDS)


def make(
    config_id: str,
    agent_list: Sequence[agents.BaseAgent],
    game_state_file: str | Path | Mapping[str, Any] | None = None,
    render_mode: str = "human",
    *,
    address: str | None = None,
    token: str | None = None,
) -> envs.v0.Pomme:
    """Make an environment.

    Args:
        config_id: one of `REGISTRY`.
        agent_list: four agents, or two for OneVsOne; they take their seats here.
        game_state_file: a saved game to begin with each time; see
            `Pomme.set_init_game_state`.
        render_mode: what `render` does: "human", "rgb_array" or "rgb_pixel".
        address: of a running server; None: the process's own.
        token: of that server.

    Raises:
        ValueError: the id is unknown.
        TypeError: an agent is none.
    """
    config = configs.by_id(config_id)
    kwargs = config["env_kwargs"]
    env = config["env"](**kwargs, address=address, token=token)
    env.spec = SimpleNamespace(id=config_id, _kwargs=kwargs, kwargs=kwargs)
    for seat, agent in enumerate(agent_list):
        if not isinstance(agent, agents.BaseAgent):
            raise TypeError(f"agent {seat} is {agent!r}, expected a BaseAgent")
        agent.init_agent(seat, kwargs["game_type"])
    env.set_agents(agent_list)
    env.set_init_game_state(game_state_file)
    env.set_render_mode(render_mode)
    return env


def install_as_pommerman() -> None:
    """Let ``import pommerman``, and of its modules, mean this package from here on.

    Raises:
        ImportError: another package of that name has been imported already.
    """
    here = sys.modules[__name__]
    if sys.modules.get("pommerman", here) is not here:
        raise ImportError("another pommerman has been imported already: call this first")
    for name, module in list(sys.modules.items()):
        if name == __name__ or name.startswith(f"{__name__}."):
            sys.modules["pommerman" + name.removeprefix(__name__)] = module
