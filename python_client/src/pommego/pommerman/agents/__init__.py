"""Agents: the base class for your own, and opponents."""

from pommego.pommerman.agents.base_agent import BaseAgent
from pommego.pommerman.agents.docker_agent import DockerAgent
from pommego.pommerman.agents.http_agent import HttpAgent
from pommego.pommerman.agents.player_agent import PlayerAgent
from pommego.pommerman.agents.player_agent_blocking import PlayerAgentBlocking
from pommego.pommerman.agents.random_agent import RandomAgent
from pommego.pommerman.agents.simple_agent import SimpleAgent

__all__ = [
    "BaseAgent",
    "DockerAgent",
    "HttpAgent",
    "PlayerAgent",
    "PlayerAgentBlocking",
    "RandomAgent",
    "SimpleAgent",
]
