"""How to serve an agent of your own."""

from pommego.pommerman.runner.docker_agent_runner import DockerAgentRunner

__all__ = ["DockerAgentRunner"]
