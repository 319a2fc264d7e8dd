"""An agent that a person plays, and that the game waits for."""

from pommego.pommerman.agents.player_agent import PlayerAgent

__all__ = ["PlayerAgentBlocking"]


class PlayerAgentBlocking(PlayerAgent):
    """As `PlayerAgent`, but the game waits for a key."""

    _wait = True
