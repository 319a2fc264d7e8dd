"""What games count, under info["game"]."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import pommego
from pommego import data
from pommego.server import find_binary

MODES = [gymnasium.vector.AutoresetMode.NEXT_STEP, gymnasium.vector.AutoresetMode.SAME_STEP]


def episodes(
    envs: pommego.PommegoVectorEnv, steps: int, seed: int = 0
) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray]]:
    """Play at random; yield the statistics of each step that ends episodes, and the rows."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = rng.integers(0, envs.single_action_space.n, envs.num_envs)
        info = envs.step(actions)[-1]
        info = info.get("final_info", info)
        if "game" in info:
            yield info["game"], np.flatnonzero(info["_game"])


@pytest.mark.parametrize("mode", MODES)
def test_points_are_what_was_paid(mode: gymnasium.vector.AutoresetMode) -> None:
    with pommego.make_vec(
        "SuiteBot-v0", 6, reward="reference", autoreset_mode=mode, rules={"rounds": 30}
    ) as envs:
        envs.reset(seed=3)
        ended = 0
        for game, rows in episodes(envs, 100):
            ended += len(rows)
            np.testing.assert_array_equal(game["points"][rows], game["return"][rows])
            assert game["points"].dtype == np.int32
            assert game["_points"][rows].all()
        assert ended >= 3 * envs.num_envs
        assert [count.name for count in envs.game_spec.counts] == ["points", "fields", "kills", "deaths"]


def test_scores_are_what_the_lead_grew_by() -> None:
    with pommego.make_vec("BaseWarSides-v0", 4, reward="reference") as envs:
        envs.reset(seed=3)
        rng = np.random.default_rng(0)
        for _ in range(300):
            *_, info = envs.step(rng.integers(0, 6, (envs.num_envs, 3)))
            if "game" in info:
                rows = np.flatnonzero(info["_game"]).reshape(-1, 2)
                score, energy = info["game"]["score"][rows], info["game"]["energy"][rows]
                np.testing.assert_array_equal(score[:, 0] - score[:, 1], info["game"]["return"][rows][:, 0])
                np.testing.assert_array_equal(info["game"]["bases"][rows], energy[:, ::-1] == 0)
                return
        pytest.fail("no game ended")


def test_counts_go_on_in_restored_games() -> None:
    with (
        pommego.make_vec("PommeFFACompetition-v0", 8, on_death="wait") as envs,
        pommego.make_vec("PommeFFACompetition-v0", 8, on_death="wait") as others,
    ):
        envs.reset(seed=5)
        others.reset(seed=99)
        for _ in episodes(envs, 40, seed=1):
            pass
        others.set_state(range(8), envs.get_state(None))
        both = zip(episodes(envs, 800, seed=2), episodes(others, 800, seed=2), strict=True)
        totals = dict.fromkeys(("suicides", "bombs", "wood", "items"), 0)
        for (game, rows), (other, their_rows) in both:
            np.testing.assert_array_equal(rows, their_rows)
            for name in totals:
                np.testing.assert_array_equal(game[name], other[name])
                totals[name] += game[name].sum()
        assert all(totals.values()), totals


@pytest.mark.parametrize("layout", ["games", "steps"])
def test_counts_are_in_data_sets(tmp_path: Path, layout: str) -> None:
    folder = tmp_path / "set"
    command = ["generate", "--env", "PommeTeam-v0", "--agents", "simple,random"]
    if layout == "steps":
        command += ["--observation", "planes"]
    subprocess.run(
        [find_binary(), *command, "--games", "6", "--seed", "3", "--out", str(folder)],
        check=True,
        capture_output=True,
    )
    games = data.rebuild(folder, observation="raw") if layout == "games" else data.episodes(folder)
    played = list(games)
    assert len(played) == 6
    for game in played:
        assert list(game.counts) == ["kills", "team_kills", "suicides", "bombs", "wood", "items"]
        laid = ((game.actions == 5) & game.alive[:-1]).sum(0)
        assert (game.counts["bombs"] <= laid).all()
        dead = (~game.alive[-1]).sum()
        assert game.counts["suicides"].sum() <= dead
        assert (game.counts["kills"] <= dead).all()
    assert sum(game.counts["bombs"].sum() for game in played) > 0
    assert "Counted of a seat" in (folder / "README.md").read_text()
