"""pommego.pommerman's command line and pictures, with the original's options and names."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pommego import pommerman
from pommego.pommerman import agents, constants, graphics
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
    run_battle.main([*DUEL, "--record_json_dir", str(games), "--record_pngs_dir", str(videos), *render])
    out = capsys.readouterr().out
    assert "Final Result:  {'result': <Result." in out
    assert ("step 0 of 800" in out) == bool(render)
    steps = [int(state["step_count"]) for state in states(games / "1")]
    assert steps == list(range(len(steps)))
    assert len(steps) > 2
    assert pictures(videos / "1") == steps


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


def test_a_battle_begins_with_a_saved_game(tmp_path: Path) -> None:
    with pommerman.make("OneVsOne-v0", [agents.RandomAgent(), agents.RandomAgent()]) as env:
        env.reset()
        env._step_count = 795
        env.save_json(str(tmp_path))
    saved = str(tmp_path / "795.json")
    run_battle.main(
        [*DUEL, "--game_state_file", saved, "--record_json_dir", str(tmp_path), "--agent_env_vars", "0:a=b"]
    )
    assert int(states(tmp_path / "1")[0]["step_count"]) == 795


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--config", "Pomme-v9"], "unknown configuration 'Pomme-v9'"),
        (["--agents", "wizard::x"], "unknown kind 'wizard'"),
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


def test_what_else_the_original_has() -> None:
    with pytest.raises(ImportError, match="no train_with_tensorforce"):
        __import__("pommego.pommerman.cli.train_with_tensorforce")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pommerman.cli.nothing


# Pictures ------------------------------------------------------------------------


def colours(env: Any, seat: int | None) -> list[Any]:
    """Return the colour of each cell as a seat sees it, or as it is: cell by cell, by the original's rule."""
    rows = []
    for r in range(env._board_size):
        for c in range(env._board_size):
            value = int(env._board[r, c])
            colour = list(constants.ITEM_COLORS[value]) if value < 10 else constants.AGENT_COLORS[value - 10]
            if value >= 10 and not env._agents[value - 10].is_alive:
                colour = [0, 0, 0]
            if seat is not None and env._is_partially_observable:
                row, col = env._agents[seat].position
                if not (r - 4 <= row < r + 4 and c - 4 <= col < c + 4):
                    colour = list(constants.ITEM_COLORS[5])
            rows.append(colour)
    return rows


@pytest.mark.parametrize("env_id", ["PommeFFACompetition-v0", "PommeTeamCompetition-v0"])
def test_colours_of_views(env_id: str) -> None:
    with pommerman.make(env_id, [agents.SimpleAgent() for _ in range(4)]) as env:
        env.seed(3)
        obs = env.reset()
        random.seed(3)
        for _ in range(25):
            obs = env.step(env.act(obs))[0]
        env._agents[2].die()
        fogged = env._is_partially_observable
        frames = graphics.PixelViewer.rgb_array(env._board, 11, env._agents, fogged, env._agent_view_size)
        assert [frame.shape for frame in frames] == [(11, 11, 3)] * 5
        assert {frame.dtype for frame in frames} == {np.dtype(np.float64)}
        for frame, seat in zip(frames, (None, 0, 1, 2, 3), strict=True):
            assert frame.reshape(-1, 3).tolist() == colours(env, seat)


@pytest.mark.parametrize("kind", [graphics.PixelViewer, graphics.PommeViewer])
def test_viewers(kind: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pommerman.make("PommeTeam-v0", [agents.RandomAgent() for _ in range(4)]) as env:
        env.reset()
        viewer = kind(board_size=11, agents=env._agents, agent_view_size=4, partially_observable=True)
        viewer.set_board(env._board)
        viewer.set_agents(env._agents)
        viewer.set_bombs(env._bombs)
        viewer.set_step(7)
        viewer.render()
        assert viewer.isopen
        assert capsys.readouterr().out.count("\n") == 11
        assert (viewer.build_frame().shape, viewer.build_frame().dtype) == ((352, 440, 3), np.uint8)
        assert viewer.build_frame()[40, 40].tolist() == constants.AGENT_COLORS[0]
        viewer.save(str(tmp_path))
        viewer.close()
        assert not viewer.isopen
    (path,) = tmp_path.iterdir()
    assert path.stem.endswith("_7")
    assert image_of(path.read_bytes()) == (440, 352)
