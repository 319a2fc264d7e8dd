"""Plays matches on a server, for one agent; see `pommego.pommerman.network`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium

from pommego.pommerman import agents, configs, constants
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
                seat = int(obs["board"][obs["position"]]) - constants.Item.Agent0.value
                player.init_agent(seat, configs.by_id(network.mode)["game_type"])
                seated = True
            network.send_move(player.act(obs, gymnasium.spaces.Discrete(6)), number)
        elif kind == 2:
            reward, item = turn
            player.episode_end(reward)
            say("the reward of", constants.Item(item).name, "is", reward)
            return [reward, network.match_id]


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
        ValueError: see `ui_en`.
    """
    record = network.get_replay(id.removeprefix("#"))
    config = configs.by_id(record["mode"])
    env = config["env"](**config["env_kwargs"] | {"render_fps": 30})
    env.set_agents([agents.BaseAgent() for _ in record["reward"]])
    for seat, agent in enumerate(env._agents):
        agent.init_agent(seat, config["game_type"])
    env.set_init_game_state(record.get("state"))
    with env:
        env.reset()
        if "state" not in record:
            env._board[:] = record["board"]
        rewards: list[int] = []
        for actions in record["actions"]:
            env.render()
            rewards = env.step(actions)[1]
        env.render()
    if rewards != record["reward"]:
        different = f"the match ended with rewards {record['reward']}, its replay with {rewards}"
        if not ui_en:
            raise ValueError(different)
        print(different)
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
        network = Network(options.server)
        if options.replay:
            replay(network, options.replay, ui_en=True)
        else:
            module, _, name = options.agent.rpartition(".")
            match(network, options.room, getattr(importlib.import_module(module), name), ui_en=True)
        network.close()
    except (ImportError, AttributeError, LookupError, OSError, ValueError) as error:
        sys.exit(f"client: {error}")
