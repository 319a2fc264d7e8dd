"""Lets a bot of SuiteBot 3's kit play SuiteBot II: an agent behind HTTP that asks the bot.

python -m suitebot3.bot_server 9001                      # the bot, in its kit's folder
python suitebot_kit.py --bot 127.0.0.1:9001 --port 9101  # this
pommego play --env SuiteBot-v0 --agents http://127.0.0.1:9101,simple,simple,simple

The bot listens on a TCP port. Each round uses a new connection, on which the game is sent
as one line of JSON and answered with a move. docs/games/suitebot.md describes the fields.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: The bot's answers, letters or words, and the moves of pommego that they mean.
MOVES = {
    **{"U": "up", "D": "down", "L": "left", "R": "right", "H": "hold", "B": "plant_bomb", "P": "plant_bomb"},
    **{name.upper(): name for name in ("up", "down", "left", "right", "hold", "plant_bomb")},
}
LONGEST_ANSWER = 4096


def request(obs: dict[str, Any]) -> dict[str, Any]:
    """Convert an observation to the kit's form: players are numbered from 1, fields are [x][y]."""
    width, height, current = obs["width"], obs["height"], obs["round"] + 1
    bombs: list[list[dict[str, int] | None]] = [[None] * height for _ in range(width)]
    for bomb in obs["bombs"]:
        bombs[bomb["x"]][bomb["y"]] = {"ownerId": bomb["owner"] + 1, "countdown": bomb["rounds"]}
    return {
        "aiPlayerId": obs["seat"] + 1,
        "currentRound": current,
        "remainingRounds": obs["rounds"] - current - 1,  # the kit adds both and 1 to get all
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


def ask(bot: tuple[str, int], obs: dict[str, Any], seconds: float) -> str:
    """Ask the bot for its move.

    Raises:
        OSError: it cannot be reached, or takes longer.
        ValueError: its answer is not a move.
    """
    with socket.create_connection(bot, timeout=seconds) as connection:
        connection.sendall(json.dumps(request(obs)).encode() + b"\n")
        answer = b""
        while len(answer) < LONGEST_ANSWER and (part := connection.recv(LONGEST_ANSWER)):
            answer += part
    text = answer.decode(errors="replace").strip()
    if text.upper() not in MOVES:
        raise ValueError(f"the bot answered {text[:100]!r}, expected one of {', '.join(MOVES)}")
    return MOVES[text.upper()]


class Handler(BaseHTTPRequestHandler):
    """Answers what `pommego play` and `pommego tournament` ask an agent behind HTTP."""

    bot: tuple[str, int]
    seconds: float

    def do_GET(self) -> None:
        """Answer /ping."""
        self.answer({"success": True})

    def do_POST(self) -> None:
        """Answer /action with the bot's move. Other requests are not passed on: in round 1 the bot resets."""
        fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/action":
            self.answer({"success": True})
            return
        try:
            move = ask(self.bot, json.loads(fields["obs"]), self.seconds)
        except (OSError, ValueError) as error:
            self.log_error("%s", error)
            with contextlib.suppress(ConnectionError):  # the client may have given up
                self.send_error(502, explain=str(error))
            return
        self.answer({"action": move})

    def answer(self, body: dict[str, Any]) -> None:
        """Send a JSON object."""
        text = json.dumps(body).encode()
        with contextlib.suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    def log_request(self, *_: Any) -> None:
        """Log no successful requests."""


def address(text: str) -> tuple[str, int]:
    """Read host:port."""
    host, _, port = text.rpartition(":")
    return host or "127.0.0.1", int(port)


def main() -> None:
    """Read the options and serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bot", type=address, default="127.0.0.1:9001", help="host:port of the bot")
    parser.add_argument("--port", type=int, default=9101, help="the port to listen on; 0: any free port")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to wait for the bot's move")
    options = parser.parse_args()
    handler = type("Bound", (Handler,), {"bot": options.bot, "seconds": options.seconds})
    with ThreadingHTTPServer(("127.0.0.1", options.port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
