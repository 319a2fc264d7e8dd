"""A replacement for the original's `DockerAgent` that says what to do instead."""

from __future__ import annotations

from typing import Any

from pommego.pommerman.agents.base_agent import BaseAgent

__all__ = ["DockerAgent"]


class DockerAgent(BaseAgent):
    """Not supported: start the container yourself, and use `HttpAgent`."""

    def __init__(self, docker_image: str, port: int, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "pommego starts no containers. Run `docker run --rm -p "
            f"127.0.0.1:{port}:10080 {docker_image}`, then use agents.HttpAgent(port={port}); "
            "`pommego play` and `pommego tournament` seat such agents too"
        )
