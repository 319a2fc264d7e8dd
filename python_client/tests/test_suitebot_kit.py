"""The example that connects a bot of SuiteBot 3's kit, and its page."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY

EXAMPLE = REPOSITORY / "python_client" / "examples" / "suitebot_kit.py"
PAGE = REPOSITORY / "docs" / "games" / "suitebot.md"


class Bot(socketserver.TCPServer):
    """A bot as the kit's: one connection a round, one line in, one move out, without a line feed."""

    def __init__(self, decide: Callable[[dict[str, Any]], str | None]) -> None:
        super().__init__(("127.0.0.1", 0), self._handler())
        self.asked: list[dict[str, Any]] = []
        self.decide = decide

    @staticmethod
    def _handler() -> type[socketserver.StreamRequestHandler]:
        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.server.asked.append(json.loads(self.rfile.readline()))
                answer = self.server.decide(self.server.asked[-1])
                if answer is not None:
                    self.wfile.write(answer.encode())
                    return
                # Reset the connection.
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.request.close()

        return Handler


@contextlib.contextmanager
def connected(decide: Callable[[dict[str, Any]], str | None]) -> Iterator[tuple[Bot, str]]:
    """Run a bot; the agent is the example in front of it."""
    with Bot(decide) as bot:
        thread = threading.Thread(target=bot.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield bot, f"exec:{sys.executable} {EXAMPLE} 127.0.0.1:{bot.server_address[1]}"
        finally:
            bot.shutdown()
            thread.join()


def play(binary: Path, agents: str) -> dict[str, Any]:
    command = [binary, "play", "--env", "SuiteBot-v0", "--agents", agents, "--seed", "3", "--limit", "30s"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout)


def test_a_bot_of_the_kit_plays(binary: Path) -> None:
    """It sees where its moves have led it, its bomb, and what that collected."""
    script = {1: "U", 2: "LEFT", 3: "B", 4: "d", 5: "Right", 6: "R"}
    with connected(lambda dto: script.get(dto["currentRound"], "H")) as (bot, agent):
        result = play(binary, f"static,{agent},static,static")
        # A second game, in which the bot is told to begin anew.
        play(binary, f"static,{agent},static,static")
    seat = result["seats"][1]
    assert (seat["moves"], seat["late"], seat["failed"]) == (100, 0, 0), seat
    assert [dto["currentRound"] for dto in bot.asked] == [*range(1, 101)] * 2
    first, *_ = game = bot.asked[:100]
    assert {dto["currentRound"] + dto["remainingRounds"] + 1 for dto in game} == {100}
    assert (first["aiPlayerId"], sorted(first["players"])) == (2, ["1", "2", "3", "4"])
    width, height = first["gamePlanWidth"], first["gamePlanHeight"]
    home = first["players"]["2"]["homeBaseLocation"]
    places = [dto["players"]["2"]["agentLocation"] for dto in game[:7]]
    offsets = [((p["x"] - home["x"]) % width, (p["y"] - home["y"]) % height) for p in places]
    up, left, right = height - 1, width - 1, 1
    assert offsets == [(0, 0), (0, up), (left, up), (left, up), (left, 0), (0, 0), (right, 0)]
    x, y = places[2]["x"], places[2]["y"]
    lying = [dto["fieldBombs"][x][y] for dto in game[:9]]
    assert lying == [None] * 3 + [{"ownerId": 2, "countdown": left} for left in (4, 3, 2, 1)] + [None] * 2
    collected = [sum(map(sum, dto["fieldResources"])) for dto in game]
    assert [len(game[0]["fieldResources"]), len(game[0]["fieldResources"][0])] == [width, height]
    assert collected[6] - collected[7] == game[7]["players"]["2"]["resources"] > 0
    assert game[7]["fieldResources"][x][y] == 0


@pytest.mark.parametrize("answer", ["", "Invalid request - cannot parse JSON"])
def test_what_is_no_move_is_a_failed_one(binary: Path, answer: str) -> None:
    with connected(lambda _: answer) as (_, agent):
        seat = play(binary, f"{agent},static,static,static")["seats"][0]
    assert (seat["moves"], seat["failed"]) == (100, 100)
    assert (answer or '""') in seat["last_error"]


def test_a_bot_that_cannot_be_reached_fails(binary: Path) -> None:
    with connected(lambda _: "H") as (_, agent):
        pass
    seat = play(binary, f"{agent},static,static,static")["seats"][0]
    assert (seat["moves"], seat["failed"]) == (100, 100)
    assert "refused" in seat["last_error"]


def test_a_slow_move_is_waited_for(binary: Path) -> None:
    """The limit of the match holds, here 30 seconds."""

    def decide(dto: dict[str, Any]) -> str:
        if dto["currentRound"] == 3:
            time.sleep(1.2)
        return "H"

    with connected(decide) as (bot, agent):
        seat = play(binary, f"{agent},static,static,static")["seats"][0]
    assert (seat["moves"], seat["failed"], len(bot.asked)) == (100, 0, 100), seat


def test_a_lost_connection_costs_one_move(binary: Path) -> None:
    with connected(lambda dto: None if dto["currentRound"] == 3 else "H") as (bot, agent):
        seat = play(binary, f"{agent},static,static,static")["seats"][0]
    assert (seat["moves"], seat["failed"], len(bot.asked)) == (100, 1, 100), seat
    assert "step 3" in seat["last_error"]
    assert "reset by peer" in seat["last_error"]


def test_a_bot_is_in_one_game_at_a_time(binary: Path) -> None:
    with connected(lambda _: "H") as (bot, agent), pytest.raises(subprocess.CalledProcessError) as refused:
        play(binary, f"{agent},{agent},static,static")
    assert "in another game: play one at a time" in refused.value.stderr
    assert not bot.asked


def test_the_page_has_every_field(binary: Path) -> None:
    with connected(lambda _: "H") as (bot, agent):
        play(binary, f"{agent},static,static,static")
    sent = bot.asked[0]
    names = {*sent, *sent["players"]["1"], "ownerId", "countdown"}
    assert names <= set(re.findall(r"`(\w+)`", PAGE.read_text()))
