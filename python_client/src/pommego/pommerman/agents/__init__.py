"""Agents: the base class for your own, and opponents."""

from pommego.pommerman.agents.base_agent import BaseAgent
from pommego.pommerman.agents.http_agent import HttpAgent
from pommego.pommerman.agents.random_agent import RandomAgent
from pommego.pommerman.agents.simple_agent import SimpleAgent

__all__ = [
    "BaseAgent",
    "HttpAgent",
    "RandomAgent",
    "SimpleAgent",
]
