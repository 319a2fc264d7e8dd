"""Matches of the command that begin from games saved in Python."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import pommego


def begin(binary: Path, saved: Path, *args: str) -> dict[str, Any]:
    """Play from a saved game, see that the record verifies, and return the result."""
    record = saved.with_suffix(".jsonl")
    command = [binary, "play", "--start", saved, "--agents", "simple", "--seed", "3", "--json"]
    played = subprocess.run([*command, "--record", record, *args], check=True, capture_output=True, text=True)
    subprocess.run([binary, "verify", record], check=True, capture_output=True)
    return json.loads(played.stdout)


@pytest.mark.parametrize("id", ["PommeFFACompetition-v0", "OneVsOne-v0", "PommeRadioCompetition-v2"])
def test_the_original_s_file(binary: Path, tmp_path: Path, id: str) -> None:
    """What get_json_info returns, written to a file, as the original's users do."""
    from pommego import pommerman
    from pommego.pommerman import agents

    seats = 2 if id.startswith("One") else 4
    env = pommerman.make(id, [agents.SimpleAgent() for _ in range(seats)])
    env.seed(5)
    observations = env.reset()
    for _ in range(9):
        observations = env.step(env.act(observations))[0]
    info = env.get_json_info()
    env.close()
    saved = tmp_path / "game.json"
    saved.write_text(json.dumps(info, default=bytes.decode))
    assert begin(binary, saved, "--env", id)["steps"] > 9


@pytest.mark.parametrize("form", ["bytes", "json"])
@pytest.mark.parametrize(
    ("id", "seats"), [("PommeTeamCompetition-v0", 4), ("BaseWar-v0", 6), ("SuiteBot-v0", 4)]
)
def test_states(server: pommego.Server, binary: Path, tmp_path: Path, id: str, seats: int, form: str) -> None:
    """The states of an environment with opponents, in both forms."""
    saved = tmp_path / "state"
    where = {"address": server.address, "token": server.token}
    with pommego.make(id, opponents=["simple"] * (seats - 1), **where) as env:
        env.reset(seed=4)
        for _ in range(5):
            env.step(0)
        state = env.get_state()
        if form == "json":
            saved.write_text(json.dumps(state.json()))
        else:
            saved.write_bytes(bytes(state))
    assert begin(binary, saved, "--env", id)["steps"] > 5
