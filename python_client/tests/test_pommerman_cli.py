"""pommego.pommerman's command line, with the original's options and names."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pommego
from pommego import data, pommerman
from pommego.pommerman import agents, constants
from pommego.pommerman.cli import run_battle
from test_pommerman_env import image_of

pytestmark = pytest.mark.usefixtures("binary")

DUEL = ["--config", "OneVsOne-v0", "--agents", "test::agents.SimpleAgent,random::null"]


def states(folder: Path) -> list[Any]:
    """Return what was recorded of a game, step by step."""
    game = json.loads((folder / "game_state.json").read_text())
    assert {"agents", "config", "finished_at", "result", "state"} <= game.keys()
    assert game["config"] == "OneVsOne-v0"
    assert game["agents"] == ["test::agents.SimpleAgent", "random::null"]
    return game["state"]


def pictures(folder: Path) -> list[int]:
    """Return the steps of which there are pictures, each read."""
    paths = sorted(folder.glob("*.png"), key=lambda path: int(path.stem.split("_")[-1]))
    assert {image_of(path.read_bytes())[0] for path in paths} == {8 * constants.HUMAN_FACTOR}
    return [int(path.stem.split("_")[-1]) for path in paths]


@pytest.mark.parametrize("render", [[], ["--render", "--do_sleep", "False"]])
def test_a_battle_is_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str], render: list[str]) -> None:
    games, videos = tmp_path / "games", tmp_path / "videos"
    (games / "1").mkdir(parents=True)
    (games / "1" / "800.json").write_text("{}")  # left by a game that was interrupted
    run_battle.main([*DUEL, "--record_json_dir", str(games), "--record_pngs_dir", str(videos), *render])
    out = capsys.readouterr().out
    assert "Final Result:  {'result': <Result." in out
    assert ("step 0 of 800" in out) == bool(render)
    steps = [int(state["step_count"]) for state in states(games / "1")]
    assert steps == list(range(len(steps)))
    assert len(steps) > 2
    assert pictures(videos / "1") == steps


@pytest.mark.parametrize("config", ["PommeTeamCompetition-v0", "PommeRadio-v2", "OneVsOne-v0"])
def test_what_is_recorded_is_read_again(tmp_path: Path, binary: Path, config: str) -> None:
    """Our own commands verify it, and episodes of other environments begin in its positions."""
    seats = 2 if config == "OneVsOne-v0" else 4
    players = ",".join(["random::null"] * seats)
    run_battle.main(["--config", config, "--agents", players, "--record_json_dir", str(tmp_path)])
    states = json.loads((tmp_path / "1" / "game_state.json").read_text())["state"]
    said = subprocess.run([binary, "verify", tmp_path], capture_output=True, text=True, check=True).stdout
    assert said.endswith(f"\n1 games, {len(states) - 1} steps, 0 mismatches\n")
    starts = data.states(tmp_path / "1", at=[2])
    with pommego.make_vec(config, 1, start_states=starts) as envs:
        envs.reset(seed=0)
        shown = envs.get_state(0, as_json=True)
    for part in ("step_count", "board", "agents", "bombs"):
        assert json.loads(shown[part]) == json.loads(states[2][part])


def test_several_battles_from_a_seed(tmp_path: Path) -> None:
    """As scripts call it: with options made by hand, and no command line."""

    def recorded(name: str, seed: int) -> list[Any]:
        args = argparse.Namespace(
            config="OneVsOne-v0",
            agents="test::agents.SimpleAgent,random::null",
            agent_env_vars="",
            record_pngs_dir=None,
            record_json_dir=str(tmp_path / name),
            render=False,
            render_mode="human",
            game_state_file=None,
            do_sleep=True,
        )
        infos = pommerman.cli.run_battle.run(args, num_times=2, seed=seed)
        assert [type(info["result"]) for info in infos] == [constants.Result] * 2
        return [state["board"] for k in (1, 2) for state in states(tmp_path / name / str(k))][:3]

    assert recorded("a", 7) == recorded("b", 7) != recorded("c", 8)


def test_a_battle_begins_with_a_saved_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pommerman.make("OneVsOne-v0", [agents.RandomAgent(), agents.RandomAgent()]) as env:
        env.reset()
        env._step_count = 795
        env.save_json(str(tmp_path))
    saved = str(tmp_path / "795.json")
    run_battle.main(
        [*DUEL, "--game_state_file", saved, "--record_json_dir", str(tmp_path), "--agent_env_vars", "0:a=b"]
    )
    assert int(states(tmp_path / "1")[0]["step_count"]) == 795
    with pytest.raises(SystemExit):  # a whole game
        run_battle.main([*DUEL, "--game_state_file", str(tmp_path / "1" / "game_state.json")])
    assert 'one entry of its "state"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--config", "Pomme-v9"], "unknown configuration 'Pomme-v9'"),
        (["--agents", "wizard::x"], "has kind 'wizard'"),
        (["--agents", "docker::an/image"], "docker run"),
        (["--game_state_file", "/nowhere"], "/nowhere"),
    ],
)
def test_battles_that_cannot_be(options: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_battle.main(options)
    assert ended.value.code in (1, 2)
    said = capsys.readouterr().err
    assert said.startswith("run_battle: ")
    assert reason in said


@pytest.mark.parametrize("module", ["pommego.pommerman.cli.run_battle", "pommerman.cli.run_battle"])
def test_run_as_a_program(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(pommerman.__file__).parent / "import_path"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", module, *DUEL],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert "Final Result:" in done.stdout


def test_names_that_the_command_line_lacks() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pommerman.cli.nothing
