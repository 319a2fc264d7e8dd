"""Plays matches on a server, for one agent; see `pommego.pommerman.network`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium

from pommego.errors import PommegoError
from pommego.pommerman import agents, configs, constants
from pommego.pommerman.network import messages
from pommego.pommerman.network.client.network import Network

__all__ = ["Network", "init", "match", "replay"]


def match(
    network: Network,
    room: str | bool = False,
    agent: Callable[[], agents.BaseAgent] = agents.SimpleAgent,
    ui_en: bool = False,
) -> list[Any]:
    """Play a match.

    Args:
        network: the connection.
        room: play with players who name the same room; False: with anybody.
        agent: the agent's class.
        ui_en: whether to print what happens.

    Returns:
        the agent's reward, and the match's id.

    Raises:
        OSError: the connection broke, or the server is full.
        ValueError: the server sent what cannot be read.
    """
    say = print if ui_en else lambda *_: None
    player = agent()
    network.join_list(room)
    say("waiting for a match of", network.mode)
    network.wait_match()
    say("playing match", network.match_id)
    seated = False
    while True:
        kind, *turn = network.match_get()
        if kind == 0:
            obs, number = turn
            if not seated:
                player.init_agent(_seat(obs), configs.by_id(network.mode)["game_type"])
                seated = True
            network.send_move(player.act(obs, gymnasium.spaces.Discrete(6)), number)
        elif kind == 2:
            reward, item = turn
            player.episode_end(reward)
            say("the reward of", constants.Item(item).name, "is", reward)
            return [reward, network.match_id]


def _seat(obs: dict[str, Any]) -> int:
    """Return the seat of the agent to which an observation belongs."""
    with messages.reading("an observation"):
        cell = int(obs["board"][obs["position"]])
    if cell not in range(constants.Item.Agent0.value, constants.Item.Agent3.value + 1):
        raise ValueError(
            f"an observation whose own position {obs['position']} has cell value {cell}, no agent"
        )
    return cell - constants.Item.Agent0.value


def replay(network: Network, id: str, ui_en: bool = False) -> list[int]:
    """Show a match in the terminal.

    Args:
        network: the connection.
        id: the match's.
        ui_en: if the replay ends differently from the match, print that instead of raising
            an error. It can with the original's records, which lack hidden items.

    Returns:
        the rewards of its last step.

    Raises:
        LookupError: the server has no such match.
        ValueError: see `ui_en`; or the record cannot be read.
    """
    record = network.get_replay(id.removeprefix("#"))
    with messages.reading("a record"):
        rewards = _play_again(record)
    if rewards != record["reward"]:
        different = f"the match ended with rewards {record['reward']}, its replay with {rewards}"
        if not ui_en:
            raise ValueError(different)
        print(different)
    return rewards


def _play_again(record: dict[str, Any]) -> list[int]:
    """Show a recorded match, and return the rewards of its last step."""
    config = configs.by_id(record["mode"])
    state = record.get("state")
    if not (state is None or isinstance(state, dict)):  # a text would name a file here
        raise ValueError(f"a record whose state is {str(state)[:60]!r}, expected an object")
    with config["env"](**config["env_kwargs"] | {"render_fps": 30}) as env:
        env.set_agents([agents.BaseAgent() for _ in record["reward"]])
        for seat, agent in enumerate(env._agents):
            agent.init_agent(seat, config["game_type"])
        env.set_init_game_state(state)
        env.reset()
        if state is None:
            env._board[:] = record["board"]
        rewards: list[int] = []
        for actions in record["actions"]:
            env.render()
            rewards = env.step(actions)[1]
        env.render()
    return rewards


def init(arguments: Sequence[str] | None = None) -> None:
    """Read options and play a match, or show one.

    Args:
        arguments: the options; None: those of the command line.
    """
    parser = argparse.ArgumentParser(description="Play a match on a server, or show one that was played.")
    parser.add_argument("--server", required=True, help="host:port")
    parser.add_argument("--agent", default="pommego.pommerman.agents.SimpleAgent", help="module.Class")
    parser.add_argument("--room", default="", help="play with those who name it too (default: with anybody)")
    parser.add_argument("--replay", help="the id of a match to show")
    options = parser.parse_args(arguments)
    try:
        with contextlib.closing(Network(options.server)) as network:
            if options.replay:
                replay(network, options.replay, ui_en=True)
            else:
                module, _, name = options.agent.rpartition(".")
                match(network, options.room, getattr(importlib.import_module(module), name), ui_en=True)
    except (ImportError, AttributeError, LookupError, OSError, PommegoError, ValueError) as error:
        sys.exit(f"client: {error}")
