"""Where the original has its `PlayerAgentBlocking`."""

from pommego.pommerman.agents.player_agent import PlayerAgentBlocking

__all__ = ["PlayerAgentBlocking"]
