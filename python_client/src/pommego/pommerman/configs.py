"""The registered ids: for each a function that returns its configuration.

To make an environment by hand:

    config = ffa_v0_fast_env()
    env = Pomme(**config["env_kwargs"])
    env.set_agents([SimpleAgent(config["agent"](seat, config["game_type"])) for seat in range(4)])
"""

from collections.abc import Callable
from typing import Any

import gymnasium

from pommego.pommerman import characters, constants, envs

#: The function of each id, in the original's order.
_BY_ID: dict[str, Callable[[], dict[str, Any]]] = {}

_FAST = 1000  # frames a second

_FOGGED = {"agent_view_size": constants.AGENT_VIEW_SIZE, "is_partially_observable": True}
_COLLAPSING = {"first_collapse": constants.FIRST_COLLAPSE}
_RADIO = {"radio_vocab_size": constants.RADIO_VOCAB_SIZE, "radio_num_words": constants.RADIO_NUM_WORDS}

_BOARD = ("board_size", "num_rigid", "num_wood", "num_items")


def _config(
    env_id: str, game_type: constants.GameType, *, fps: int = constants.RENDER_FPS, **options: Any
) -> Callable[[], dict[str, Any]]:
    """Return and register the function for an id, whose last letters are the version."""
    version = env_id[-2:]
    entry_point = f"pommerman.envs.{version}:Pomme"
    kind = "_ONE_VS_ONE" if game_type is constants.GameType.OneVsOne else ""
    size = {name: getattr(constants, name.upper() + kind) for name in _BOARD}

    def config() -> dict[str, Any]:
        kwargs = {"game_type": game_type, **size, "max_steps": constants.MAX_STEPS, "render_fps": fps}
        return {
            "env": getattr(envs, version).Pomme,
            "game_type": game_type,
            "env_entry_point": entry_point,
            "env_id": env_id,
            "env_kwargs": kwargs | {"env": entry_point} | options,
            "agent": characters.Bomber,
        }

    _BY_ID[env_id] = config
    return config


_FFA, _TEAM, _RADIO_TEAM = constants.GameType.FFA, constants.GameType.Team, constants.GameType.TeamRadio

ffa_competition_env = _config("PommeFFACompetition-v0", _FFA)
ffa_competition_fast_env = _config("PommeFFACompetitionFast-v0", _FFA, fps=_FAST)
ffa_v0_fast_env = _config("PommeFFAFast-v0", _FFA, fps=_FAST)
ffa_v1_env = _config("PommeFFA-v1", _FFA, **_COLLAPSING)
one_vs_one_env = _config("OneVsOne-v0", constants.GameType.OneVsOne)
radio_competition_env = _config("PommeRadioCompetition-v2", _RADIO_TEAM, **_FOGGED, **_RADIO)
radio_v2_env = _config("PommeRadio-v2", _RADIO_TEAM, **_FOGGED, **_RADIO)
team_competition_env = _config("PommeTeamCompetition-v0", _TEAM, **_FOGGED)
team_competition_fast_env = _config("PommeTeamCompetitionFast-v0", _TEAM, fps=_FAST, **_FOGGED)
team_competition_v1_env = _config("PommeTeamCompetition-v1", _TEAM, **_FOGGED, **_COLLAPSING)
team_v0_env = _config("PommeTeam-v0", _TEAM)
team_v0_fast_env = _config("PommeTeamFast-v0", _TEAM, fps=2 * _FAST)

IDS = list(_BY_ID)


def by_id(env_id: str) -> dict[str, Any]:
    """Return the config of an id.

    Raises:
        ValueError: there is none.
    """
    if env_id not in _BY_ID:
        raise ValueError(f"unknown configuration {env_id!r}; there are {IDS}")
    return _BY_ID[env_id]()


def register() -> None:
    """Put the ids into gymnasium's registry."""
    for env_id in IDS:
        if env_id not in gymnasium.registry:
            config = by_id(env_id)
            gymnasium.register(
                env_id,
                entry_point=f"pommego.{config['env_entry_point']}",
                kwargs=config["env_kwargs"],
                order_enforce=False,  # these wrappers expect what gymnasium's environments return
                disable_env_checker=True,
            )
