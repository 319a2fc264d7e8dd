"""Where the original has its `DockerAgent`."""

from pommego.pommerman.agents.http_agent import DockerAgent

__all__ = ["DockerAgent"]
