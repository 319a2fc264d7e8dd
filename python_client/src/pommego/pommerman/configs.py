"""The registered games: for each a function that returns what it is made of.

To make an environment by hand:

    config = ffa_v0_fast_env()
    env = Pomme(**config["env_kwargs"])
    env.set_agents([SimpleAgent(config["agent"](seat, config["game_type"])) for seat in range(4)])
"""

from __future__ import annotations

from typing import Any

from pommego.pommerman import characters, constants, envs

__all__ = [
    "ffa_competition_env",
    "ffa_competition_fast_env",
    "ffa_v0_fast_env",
    "ffa_v1_env",
    "one_vs_one_env",
    "radio_competition_env",
    "radio_v2_env",
    "team_competition_env",
    "team_competition_fast_env",
    "team_competition_v1_env",
    "team_v0_env",
    "team_v0_fast_env",
]

_FAST = 1000  # frames a second

_FOGGED = {"agent_view_size": constants.AGENT_VIEW_SIZE, "is_partially_observable": True}
_COLLAPSING = {"first_collapse": constants.FIRST_COLLAPSE}
_RADIO = {"radio_vocab_size": constants.RADIO_VOCAB_SIZE, "radio_num_words": constants.RADIO_NUM_WORDS}

_LARGE = {
    "board_size": constants.BOARD_SIZE,
    "num_rigid": constants.NUM_RIGID,
    "num_wood": constants.NUM_WOOD,
    "num_items": constants.NUM_ITEMS,
}
_SMALL = {
    "board_size": constants.BOARD_SIZE_ONE_VS_ONE,
    "num_rigid": constants.NUM_RIGID_ONE_VS_ONE,
    "num_wood": constants.NUM_WOOD_ONE_VS_ONE,
    "num_items": constants.NUM_ITEMS_ONE_VS_ONE,
}


def _config(
    env_id: str, game_type: constants.GameType, *, fps: int = constants.RENDER_FPS, **options: Any
) -> dict[str, Any]:
    """Put a config together; the version is the id's last letters."""
    version = env_id[-2:]
    env = getattr(envs, version).Pomme
    entry_point = f"pommerman.envs.{version}:Pomme"
    size = _SMALL if game_type is constants.GameType.OneVsOne else _LARGE
    return {
        "env": env,
        "game_type": game_type,
        "env_entry_point": entry_point,
        "env_id": env_id,
        "env_kwargs": {
            "game_type": game_type,
            **size,
            "max_steps": constants.MAX_STEPS,
            "render_fps": fps,
            "env": entry_point,
            **options,
        },
        "agent": characters.Bomber,
    }


def ffa_competition_env() -> dict[str, Any]:
    """Everybody for themselves, as in the competition."""
    return _config("PommeFFACompetition-v0", constants.GameType.FFA)


def ffa_competition_fast_env() -> dict[str, Any]:
    """The same, drawn without a pause."""
    return _config("PommeFFACompetitionFast-v0", constants.GameType.FFA, fps=_FAST)


def ffa_v0_fast_env() -> dict[str, Any]:
    """Everybody for themselves, drawn without a pause."""
    return _config("PommeFFAFast-v0", constants.GameType.FFA, fps=_FAST)


def ffa_v1_env() -> dict[str, Any]:
    """Everybody for themselves on a board that collapses."""
    return _config("PommeFFA-v1", constants.GameType.FFA, **_COLLAPSING)


def one_vs_one_env() -> dict[str, Any]:
    """A duel on a small board."""
    return _config("OneVsOne-v0", constants.GameType.OneVsOne)


def radio_competition_env() -> dict[str, Any]:
    """Teams with radio in the fog, as in the competition."""
    return _config("PommeRadioCompetition-v2", constants.GameType.TeamRadio, **_FOGGED, **_RADIO)


def radio_v2_env() -> dict[str, Any]:
    """Teams with radio in the fog."""
    return _config("PommeRadio-v2", constants.GameType.TeamRadio, **_FOGGED, **_RADIO)


def team_competition_env() -> dict[str, Any]:
    """Teams in the fog, as in the competition."""
    return _config("PommeTeamCompetition-v0", constants.GameType.Team, **_FOGGED)


def team_competition_fast_env() -> dict[str, Any]:
    """The same, drawn without a pause."""
    return _config("PommeTeamCompetitionFast-v0", constants.GameType.Team, fps=_FAST, **_FOGGED)


def team_competition_v1_env() -> dict[str, Any]:
    """Teams in the fog on a board that collapses."""
    return _config("PommeTeamCompetition-v1", constants.GameType.Team, **_FOGGED, **_COLLAPSING)


def team_v0_env() -> dict[str, Any]:
    """Teams that see everything."""
    return _config("PommeTeam-v0", constants.GameType.Team)


def team_v0_fast_env() -> dict[str, Any]:
    """The same, drawn without a pause."""
    return _config("PommeTeamFast-v0", constants.GameType.Team, fps=2 * _FAST)


def by_id(env_id: str) -> dict[str, Any]:
    """Return the config of an id.

    Raises:
        ValueError: there is none.
    """
    found = _BY_ID.get(env_id)
    if found is None:
        raise ValueError(f"unknown configuration {env_id!r}; there are {list(_BY_ID)}")
    return found()


_BY_ID = {make()["env_id"]: make for make in (globals()[name] for name in __all__)}
#: The ids, in the original's order.
IDS = list(_BY_ID)
