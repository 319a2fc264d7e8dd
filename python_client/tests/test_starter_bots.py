"""The bots to start from, as a contestant runs them, and contest agents in `evaluate`."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from conftest import REPOSITORY

EXAMPLES = REPOSITORY / "python_client" / "examples"
SAMPLE = EXAMPLES / "suitebot_sample.jsonl.gz"
SUITEBOT = f"exec:{sys.executable} {EXAMPLES / 'suitebot_bot.py'}"


def pommego_says(binary: Path, *arguments: str) -> str:
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def play(binary: Path, id: str, agents: str, *more: str) -> dict[str, Any]:
    command = ["play", "--env", id, "--agents", agents, "--seed", "5", "--limit", "30s", "--json", *more]
    return json.loads(pommego_says(binary, *command))


@pytest.fixture(scope="module")
def basewar_bot(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name the agent that the bot in C is, compiled as its page says."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler (cc)")
    path = tmp_path_factory.mktemp("library") / "basewar_bot.so"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", path, EXAMPLES / "basewar_bot.c"]
    subprocess.run(command, check=True, timeout=60)
    return f"library:{path}"


def test_the_starter_plays_suitebot(binary: Path) -> None:
    """Without a fault, and better than a bot that moves at random."""
    result = play(binary, "SuiteBot-v0", f"{SUITEBOT},random,random,random")
    seat = result["seats"][0]
    assert (seat["moves"], seat["late"], seat["failed"]) == (100, 0, 0), seat
    assert result["counts"]["points"][0] > 2 * max(result["counts"]["points"][1:])


def test_the_sample_is_a_game_of_it(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is verified and drawn, and is the game that the bot plays today.

    If decisions have changed on purpose, record it again by the command below.
    """
    assert "1 games, 100 steps, 0 mismatches" in pommego_says(binary, "verify", str(SAMPLE))
    page = tmp_path / "game.html"
    pommego_says(binary, "replay", str(SAMPLE), "--html", str(page))
    assert page.stat().st_size > 1000
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    again = tmp_path / "again.jsonl.gz"
    agents = "exec:python suitebot_bot.py,simple,simple,simple"
    play(binary, "SuiteBot-v0", agents, "--record", str(again))
    assert gzip.decompress(again.read_bytes()) == gzip.decompress(SAMPLE.read_bytes())


@pytest.mark.parametrize("outside", ["exec", "library"])
def test_evaluate_against_contest_agents(
    binary: Path, basewar_bot: str, tmp_path: Path, outside: str
) -> None:
    """The server that `evaluate` starts runs them, and the result has its interval."""
    opponent = basewar_bot
    if outside == "exec":
        (tmp_path / "still.py").write_text(STILL)
        opponent = f"exec:{sys.executable} {tmp_path / 'still.py'}"
    result = pommego.evaluate(
        lambda obs, info: np.zeros((len(info["seat"]), 3), int),
        "BaseWarSides-v0",
        opponent,
        4,
        connection=pommego.Connection(agent_limit=30.0),
    )
    assert result.games == 4
    rate, low, high = result.win_rate
    assert low <= rate <= high
    assert (result.losses, result.ties) == ((4, 0) if outside == "library" else (0, 4)), result


def test_contest_agents_are_evaluated(binary: Path, basewar_bot: str) -> None:
    result = pommego.evaluate(basewar_bot, "BaseWarSides-v0", "random", 4)
    assert result.wins == 4


def test_a_client_cannot_ask_for_a_library(server: pommego.Server, basewar_bot: str) -> None:
    where = {"address": server.address, "token": server.token}
    with pytest.raises(
        pommego.ServerError, match=r"was not started with the agent \"library:.*--allow-agents"
    ):
        pommego.make_vec("BaseWarSides-v0", 1, opponents=[basewar_bot], **where)
    with pommego.Server(allow_agents=[basewar_bot]) as own:
        envs = pommego.make_vec(
            "BaseWarSides-v0", 1, opponents=[basewar_bot], address=own.address, token=own.token
        )
        with envs:
            envs.reset(seed=0)


STILL = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if "id" in question:
        print(json.dumps({"id": question["id"], "action": [0, 0, 0]}), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")
def test_a_program_with_too_much_memory_has_lost(binary: Path, tmp_path: Path) -> None:
    """In matches, in the log of a tournament, in a data set, and as an opponent on a server."""
    hungry = STILL.replace("import json, sys", "import json, sys\nmemory = bytearray(400 << 20)")
    (tmp_path / "hungry.py").write_text(hungry)
    agent, most = f"exec:{sys.executable} {tmp_path / 'hungry.py'}", ["--program-memory", "200000000"]
    result = play(binary, "BaseWarSides-v0", f"static,{agent}", *most)
    assert (result["result"], result["winners"]) == (["won", "lost"], [0])
    assert "stopped for too much memory" in result["seats"][1]["last_error"]

    out = tmp_path / "tournament"
    command = [
        "tournament",
        "--env",
        "BaseWarSides-v0",
        "--agents",
        agent,
        "--against",
        "static",
        "--games",
        "2",
    ]
    pommego_says(binary, *command, "--format", "one-against-three", "--out", str(out), *most)
    games = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()[1:]]
    assert len(games) == 2
    for game in games:
        seat = game["agents"].index(agent)
        assert game["result"][seat] == "lost"
        assert "stopped for too much memory" in game["errors"][seat]

    rules = ["--rules", '{"max_steps": 20}']
    command = ["generate", "--env", "BaseWarSides-v0", "--agents", f"static,{agent}", "--games", "1", *rules]
    summary = pommego_says(binary, *command, "--out", str(tmp_path / "set"), "--json", *most)
    assert json.loads(summary)["games"] == 1
