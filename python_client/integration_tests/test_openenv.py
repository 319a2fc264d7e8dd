"""`pommego serve --openenv` with OpenEnv's own client and its checker."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("openenv")

from openenv.core.env_server.mcp_types import CallToolAction
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient

from chat import Stub

MANIFEST = Path(__file__).resolve().parents[2] / "llm" / "openenv" / "package"


@pytest.fixture(scope="module")
def url(binary: Path) -> Iterator[str]:
    """The base URL of a server."""
    command = [str(binary), "serve", "--openenv", "--listen", "127.0.0.1:0", "--exit-on-stdin-close"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield "http://" + process.stdout.readline().split("//")[1].strip()
        process.stdin.close()


def play(url: str, **reset: object) -> tuple[list[str], float]:
    """The texts of a game, and the sum of its rewards."""
    with GenericEnvClient(base_url=url).sync() as env:
        told = env.reset(**reset)
        texts, paid = [told.observation["text"]], 0.0
        while not told.done:
            told = env.step({"action": "hunt"})
            texts.append(told.observation["text"])
            paid += told.reward
        assert env.state()["step_count"] == len(texts) - 1
    return texts, paid


def test_client(url: str) -> None:
    """Two sessions with one seed are told the same."""
    first, second = play(url, seed=7), play(url, seed=7)
    assert first == second
    assert first[1] in (1, -1)


def test_two_seats(url: str) -> None:
    """Two clients play one game against each other."""
    game = {"seed": 3, "episode_id": secrets.token_hex(16), "opponents": "open"}
    with ThreadPoolExecutor(2) as pool:
        resets = [game | {"seat": seat} for seat in (0, 1)]
        (_, first), (_, second) = pool.map(lambda reset: play(url, **reset), resets)
    assert first + second in (0, -2)


def test_tool_client(url: str) -> None:
    """Its client for tools plays as the other does, by calls as by steps."""
    with MCPToolClient(base_url=url).sync() as env:
        assert {tool.name for tool in env.list_tools()} == {"new_game", "look", "act", "result"}
        assert "action" in env.get_tool("act").input_schema["properties"]
        texts = [env.call_tool("new_game", seed=7)]
        assert texts[0].endswith(env.call_tool("look"))
        while not json.loads(env.call_tool("result"))["done"]:
            texts.append(env.call_tool("act", action="hunt"))
        assert texts == play(url, seed=7)[0]
        with pytest.raises(RuntimeError, match="game is over"):
            env.call_tool("act", action="hunt")
        assert env.reset(seed=7).observation.text == texts[0]
        told = env.step(CallToolAction(tool_name="act", arguments={"action": "hunt"}))
        assert (told.observation.result, told.reward, told.done) == (texts[1], 0, False)


def validate(*arguments: str) -> dict:
    """The report of `openenv validate`, which must not fail."""
    command = [sys.executable, "-m", "openenv.cli", "validate", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_validate_running(url: str) -> None:
    """The checker passes the running server."""
    assert validate("--url", url, "--timeout", "30")["passed"]


def test_validate_manifest() -> None:
    """The checker reads the manifest; what needs containers is skipped."""
    report = validate(str(MANIFEST), "--skip-build")
    assert {check["check_id"]: check["status"] for check in report["results"]}["static.manifest"] == "pass"


VERIFIERS = """
model = "stub"
push = false
num_rollouts = 2
output_dir = "{out}"

[client]
base_url = "{model}"
api_key_var = "NO_KEY"

[env.player.harness]
id = "null"

[env.player.runtime]
type = "subprocess"

[env.taskset]
id = "openenv"
base_url = "{url}"
resets = [{{seed = 7, opponents = "static"}}]
"""


def test_verifiers(url: str, tmp_path: Path) -> None:
    """Its own task set plays two games that start equal, and sums what they pay."""
    pytest.importorskip(
        "verifiers", reason="it needs an environment of its own: pip install 'verifiers[openenv]==0.4.0'"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), Stub) as stub:
        stub.asked = []
        threading.Thread(target=stub.serve_forever, daemon=True).start()
        model = f"http://127.0.0.1:{stub.server_port}/v1"
        config = tmp_path / "eval.toml"
        config.write_text(VERIFIERS.format(out=tmp_path / "out", model=model, url=url))
        command = [
            sys.executable,
            "-c",
            "from verifiers.v1.cli.eval.main import main; main()",
            "@",
            str(config),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        stub.shutdown()
    assert done.returncode == 0, done.stdout + done.stderr
    (traces,) = (tmp_path / "out").rglob("traces.jsonl")
    lines = [json.loads(line) for line in traces.read_text().splitlines()]
    assert len(lines) == 2
    rewards = [line["traces"][0]["rewards"]["openenv_reward"]["score"] for line in lines]
    assert rewards == [1, 1], lines[0]["traces"][0]["errors"]
    first = json.dumps(stub.asked[0])
    assert "Tick 0 of 800" in first
    assert "\\nTick 0" in json.loads(first)["messages"][-1]["content"]
