"""An agent that acts at random."""

from typing import Any

from pommego.pommerman.agents.base_agent import BaseAgent


class RandomAgent(BaseAgent):
    """Draws each action from the action space."""

    def act(self, obs: dict[str, Any], action_space: Any) -> Any:
        """Draw."""
        return action_space.sample()
