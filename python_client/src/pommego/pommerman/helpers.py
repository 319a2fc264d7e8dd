"""Agents from names, for command lines."""

import importlib
from collections.abc import Callable
from typing import Any

from pommego.pommerman import agents


def make_agent_from_string(agent_string: str, agent_id: int, docker_env_dict: Any = None) -> agents.BaseAgent:
    """Make an agent from a text such as "test::agents.SimpleAgent".

    Args:
        agent_string: a kind and, after two colons, its argument: "simple" and
            "random" anything; "http" host:port; "test" a class, of `agents` or
            with its module ("my.module.MyAgent").
        agent_id: ignored.
        docker_env_dict: ignored.

    Raises:
        ValueError: the text is not of this form, or names no class.
    """
    kind, separator, control = agent_string.partition("::")
    if not separator:
        raise ValueError(f"agent {agent_string!r} has no '::' between its kind and its argument")
    makers: dict[str, Callable[[], agents.BaseAgent]] = {
        "simple": agents.SimpleAgent,
        "random": agents.RandomAgent,
        "http": lambda: _http(control),
        "test": lambda: _of_class(control),
    }
    if kind == "docker":
        raise ValueError(
            f"start the container with `docker run --rm -p 127.0.0.1:10080:10080 {control}`, then name its "
            "agent http::127.0.0.1:10080"
        )
    if kind in ("player", "playerblock"):
        raise ValueError(f"agent {agent_string!r}: people play by `pommego play --agents human`")
    if kind not in makers:
        raise ValueError(f"agent {agent_string!r} has kind {kind!r}, expected one of {list(makers)}")
    return makers[kind]()


def _http(where: str) -> agents.HttpAgent:
    host, _, port = where.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"the address is {where!r}, expected host:port")
    return agents.HttpAgent(port=int(port), host=host)


def _of_class(path: str) -> agents.BaseAgent:
    module, _, name = path.rpartition(".")
    if module.partition(".")[0] == "agents":
        module = f"pommego.pommerman.{module}"
    try:
        made_by = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"there is no agent {path!r}: {error}") from error
    return made_by()
