"""Language models in matches: the guide's commands, with a scripted model in place of one."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

import pommego
from conftest import REPOSITORY
from scripted_model import scripted_model

PAGE = REPOSITORY / "docs" / "language-models.md"
ADDRESS = "llm:http://127.0.0.1:8000/v1,model=qwen3"


def test_commands_of_the_guide(binary: Path, tmp_path: Path) -> None:
    """They run, and what they record is checked. The page of --web is test_browser_models's."""
    section = PAGE.read_text().split("## Models in matches")[1].split("## Games as dialogues")[0]
    lines = [line for line in section.splitlines() if line.startswith("pommego ") and "--web" not in line]
    assert len(lines) == 4
    for line in lines:
        with scripted_model(["hide for 5", "Bomb!", "up, up"]) as model:
            words = [word.replace(ADDRESS, model) for word in shlex.split(line)]
            done = subprocess.run(
                [binary, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, (line, done.stderr)
    assert ", 0 mismatches" in done.stdout
    turns = [json.loads(line) for line in (tmp_path / "dialogues.jsonl").read_text().splitlines()]
    assert turns[0]["messages"][0]["role"] == "system"
    assert turns[0]["answer"] == "hide for 5"
    assert turns[0]["tokens"] == [100, 10]
    assert turns[-1]["turns"] == len(turns) - 1


def test_a_client_cannot_name_a_model(binary: Path) -> None:
    """A server asks no address that a client names, unless its owner has allowed it."""
    with (
        pommego.Server(binary=binary, openenv=True) as server,
        pytest.raises(pommego.ServerError, match=r"was not started with the agent .*llm:.*--allow-agents"),
    ):
        pommego.make_vec("OneVsOne-v0", opponents=[ADDRESS], address=server.address, token=server.token)
