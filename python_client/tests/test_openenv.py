"""`pommego serve --openenv`, by a plain WebSocket client and the standard library."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

websocket = pytest.importorskip("websocket")


@pytest.fixture(scope="module")
def address(binary: Path) -> Iterator[str]:
    """Host and port of a server with a token."""
    command = [str(binary), "serve", "--openenv", "--listen", "127.0.0.1:0", "--exit-on-stdin-close"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env={"POMMEGO_TOKEN": "secret"}, **pipes) as process:
        yield process.stdout.readline().split("//")[1].strip()
        process.stdin.close()
        assert process.wait(10) == 0


def play(address: str, reset: dict[str, Any], actions: list[str]) -> list[dict[str, Any]]:
    """What a session is told."""
    told = []
    session = websocket.create_connection(
        f"ws://{address}/ws", header=["Authorization: Bearer secret"], timeout=30, suppress_origin=True
    )
    for message in [{"type": "reset", "data": reset}] + [
        {"type": "step", "data": {"action": a}} for a in actions
    ]:
        session.send(json.dumps(message))
        answer = json.loads(session.recv())
        assert answer["type"] == "observation", answer
        told.append(answer["data"])
        if told[-1]["done"]:
            break
    session.close()
    return told


def test_group(address: str) -> None:
    """Sessions with one seed begin and go on alike; the rewards sum to what the game pays."""
    actions = ["bomb", "hide for 12", "right"] * 200
    first, second = (play(address, {"seed": 11, "rules": {"max_steps": 60}}, actions) for _ in range(2))
    assert first == second
    assert first[0]["reward"] is None
    assert first[0]["observation"]["text"].startswith("custom:OneVsOne-v0")
    assert first[-1]["done"]
    assert sum(step["reward"] for step in first[1:]) in (1, -1)
    assert first[-1]["metadata"]["counts"]["legal"] == len(first) - 1


def test_http(address: str) -> None:
    """The paths are answered, with the token in the path too."""
    with urllib.request.urlopen(f"http://{address}/token/secret/schema") as answer:
        assert json.load(answer)["action"]["required"] == ["action"]
    request = urllib.request.Request(
        f"http://{address}/reset",
        b'{"seed": 11}',
        {"Authorization": "Bearer secret", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        over_http = json.load(answer)
    assert over_http["observation"] == play(address, {"seed": 11}, [])[0]["observation"]
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(f"http://{address}/schema")
