"""Lets a bot of SuiteBot 3's kit play SuiteBot II: a program that asks the bot.

python -m suitebot3.bot_server 9001  # the bot, in its kit's folder
pommego play --env SuiteBot-v0 --agents "exec:python suitebot_kit.py 127.0.0.1:9001,simple,simple,simple"

The bot listens on a TCP port. Each round uses a new connection, on which the game is sent
as one line of JSON and answered with a move. docs/games/suitebot.md describes the fields.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("up", "down", "left", "right", "hold", "plant_bomb")  # or letters of these, from the bot
LETTERS = {name[0].upper(): name for name in NAMES} | {"B": "plant_bomb"}
LONGEST_ANSWER = 4096
SECONDS = 1.0  # the wait for the bot's move, unless the match's limit is longer


def request(obs: dict[str, Any]) -> dict[str, Any]:
    """Convert an observation to the kit's form: players are numbered from 1, fields are [x][y]."""
    width, height, current = obs["width"], obs["height"], obs["round"] + 1
    bombs: list[list[dict[str, int] | None]] = [[None] * height for _ in range(width)]
    for bomb in obs["bombs"]:
        bombs[bomb["x"]][bomb["y"]] = {"ownerId": bomb["owner"] + 1, "countdown": bomb["rounds"]}
    return {
        "aiPlayerId": obs["seat"] + 1,
        "currentRound": current,
        "remainingRounds": obs["rounds"] - current - 1,  # the kit computes the total as both and 1
        "gamePlanWidth": width,
        "gamePlanHeight": height,
        "players": {str(seat + 1): player(seat, agent) for seat, agent in enumerate(obs["agents"])},
        "fieldResources": [[int(obs["fields"][y][x] == ".") for y in range(height)] for x in range(width)],
        "fieldBombs": bombs,
    }


def player(seat: int, agent: dict[str, Any]) -> dict[str, Any]:
    """Convert an agent to the kit's form; last moves are not known."""
    seen = agent["x"] is not None
    return {
        "name": f"seat {seat}",
        "resources": agent["score"],
        "homeBaseLocation": {"x": agent["home"][0], "y": agent["home"][1]},
        "agentLocation": {"x": agent["x"], "y": agent["y"]} if seen else None,
    }


@contextlib.contextmanager
def reserved(address: str) -> Iterator[None]:
    """Keep the bot to this program: with each game the kit forgets the one before."""
    with Path(tempfile.gettempdir(), f"suitebot_kit-{os.getuid()} {address}.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"the bot at {address} is in another game: play one at a time, and give each seat a bot")
        yield


def ask(bot: tuple[str, int], obs: dict[str, Any], seconds: float) -> str:
    """Ask the bot for its move.

    Raises:
        OSError: it cannot be reached, or takes longer.
    """
    with socket.create_connection(bot, timeout=seconds) as connection:
        connection.sendall(json.dumps(request(obs)).encode() + b"\n")
        answer = b""
        while len(answer) < LONGEST_ANSWER and (part := connection.recv(LONGEST_ANSWER)):
            answer += part
    text = answer.decode(errors="replace").strip()
    return LETTERS.get(text.upper(), text)


def main() -> None:
    """Answer the questions on standard input, one per line. Only moves come from the bot."""
    host, _, port = sys.argv[1].rpartition(":")
    seconds = SECONDS
    with reserved(sys.argv[1]):
        for line in sys.stdin:
            question = json.loads(line)
            if "id" not in question:
                continue
            answer = {"id": question["id"]}
            if question["type"] == "begin":
                seconds = max(SECONDS, question["limit_ms"] / 1000)
            else:
                try:
                    answer["action"] = ask((host, int(port)), question["obs"], seconds)
                except OSError as error:
                    # This is no move, so it counts as a failed one, and the game goes on.
                    answer["action"] = str(error)
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
