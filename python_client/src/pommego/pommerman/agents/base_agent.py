"""The base class of agents."""

from typing import Any

from pommego.pommerman import characters, constants


class _Part(str):
    """The name of an attribute of the character, if the agent has none of its own: a fast `__getattr__`."""

    def __get__(self, agent: Any, kind: Any) -> Any:
        if agent is None or kind.__getattr__ is not BaseAgent.__getattr__:
            raise AttributeError(f"{kind.__name__!r} has no attribute {str(self)!r}")
        return getattr(agent._character, self)


class BaseAgent:
    """An agent. Subclasses define `act`.

    Attributes of its character (`agent_id`, `position`, `ammo`, `pick_up` and so on) can be read
    from the agent itself. If the agent sets or defines one, that replaces it, in the rules too.

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


_PARTS = ("agent_id", "is_alive", "position", "ammo", "blast_strength", "can_kick", "teammate", "enemies")
for _name in _PARTS:
    setattr(BaseAgent, _name, _Part(_name))
