"""Plays agents against each other and records their games, with the original's options.

python -m pommego.pommerman.cli.run_battle --config=OneVsOne-v0 \
    --agents=test::agents.SimpleAgent,random::null --record_json_dir=games --record_pngs_dir=pictures

`pommego play` and `pommego tournament` do more, and faster.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from pommego.errors import PommegoError
from pommego.pommerman import configs, envs, helpers, make, utility

_SIMPLE = "test::agents.SimpleAgent"
_LARGEST_SEED = 2**31 - 1
_NO = ("", "0", "false", "no", "off")


def run(args: argparse.Namespace, num_times: int = 1, seed: int | None = None) -> list[dict[str, Any]]:
    """Play games between the same agents; return the info that the last step of each game returned.

    Records of game k go to a folder named k, from 1. The seed, drawn by `random` if there is none, is that of
    the boards and of the modules `random` and `numpy.random`.
    """
    players = [helpers.make_agent_from_string(name, seat) for seat, name in enumerate(args.agents.split(","))]
    env = make(args.config, players, args.game_state_file, args.render_mode)
    try:
        seed = random.randint(0, _LARGEST_SEED) if seed is None else seed
        np.random.seed(seed)
        random.seed(seed)
        env.seed(seed)
        infos = []
        for number in range(1, num_times + 1):
            start = time.monotonic()
            infos.append(_play(env, args, str(number)))
            print("Game Time: ", time.monotonic() - start)
        return infos
    finally:
        env.close()


def _play(env: envs.v0.Pomme, args: argparse.Namespace, number: str) -> dict[str, Any]:
    pngs, jsons = _folder(args.record_pngs_dir, number), _folder(args.record_json_dir, number)
    obs = env.reset()
    print("Starting the Game.")
    if jsons:
        for left in utility.state_files(Path(jsons).iterdir()):  # of a game that was interrupted
            left.unlink()
    done, info = False, {}
    while not done:
        _show(env, args, pngs, jsons)
        obs, _, done, info = env.step(env.act(obs))
    print("Final Result: ", info)
    _show(env, args, pngs, jsons)
    if jsons:
        now = datetime.now().isoformat()
        utility.join_json_state(jsons, args.agents.split(","), now, args.config, info)
    return info


def _show(env: envs.v0.Pomme, args: argparse.Namespace, pngs: str | None, jsons: str | None) -> None:
    """Draw the game and record it, each if wanted."""
    if args.render:
        env.render(do_sleep=args.do_sleep)
    if pngs:
        env.save_png(pngs)
    if jsons:
        env.save_json(jsons)


def _folder(parent: str | None, name: str) -> str | None:
    """Make a folder for the records of a game; None if there are to be none."""
    if not parent:
        return None
    folder = Path(parent) / name
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def _switch(text: str) -> bool:
    return text.lower() not in _NO


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Play agents against each other.")
    add = parser.add_argument
    add("--config", default="PommeFFACompetition-v0", help=f"the game: one of {', '.join(configs.IDS)}")
    add(
        "--agents",
        default=",".join([_SIMPLE] * 4),
        help="the agents by seat, separated by commas, as helpers.make_agent_from_string reads them",
    )
    add("--agent_env_vars", default="", help="for containers, which are not supported: ignored")
    add("--record_pngs_dir", help="write a picture of each step to a folder in this one")
    add("--record_json_dir", help="write the game to game_state.json in a folder in this one")
    add("--render", action="store_true", help="draw the game in the terminal")
    add("--render_mode", default="human", help="human, rgb_pixel or rgb_array")
    add("--game_state_file", help="a saved game to begin with")
    add("--do_sleep", default=True, type=_switch, help="whether to pause for each frame: True or False")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and play one game.

    Args:
        arguments: the options; None: those of the command line.
    """
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        run(args)
    except (ValueError, OSError, PommegoError) as error:
        parser.exit(2 if isinstance(error, ValueError) else 1, f"run_battle: {error}\n")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
