"""What all agents have in common."""

from __future__ import annotations

from typing import Any

from pommego.pommerman import characters, constants

__all__ = ["BaseAgent"]


class BaseAgent:
    """An agent. Subclasses define `act`.

    The attributes of its character (`agent_id`, `position`, `ammo` and so on) can be read
    from the agent itself.

    Args:
        character: a class, which `init_agent` instantiates, or an instance.
    """

    def __init__(self, character: Any = characters.Bomber) -> None:
        self._character = character

    def __getattr__(self, name: str) -> Any:
        if name == "_character" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        return getattr(self._character, name)

    def act(self, obs: dict[str, Any], action_space: Any) -> Any:
        """Choose an action.

        Args:
            obs: what this agent sees; see the package's documentation.
            action_space: `Discrete(6)`, or with radio a Tuple of that and one space for each word.

        Returns:
            the number of an Action; with radio alternatively (action, word, word).
        """
        raise NotImplementedError(f"{type(self).__name__} has no act(obs, action_space)")

    def episode_end(self, reward: float) -> None:
        """Called when the game is over, with the reward of its last step."""

    def init_agent(self, id_: int, game_type: constants.GameType) -> None:
        """Called with the agent's seat: make the character."""
        self._character = self._character(id_, game_type)

    @staticmethod
    def has_user_input() -> bool:
        """Return whether a person plays."""
        return False

    def shutdown(self) -> None:
        """Called when the environment closes: release what the agent holds."""
