"""What games count, under info["game"]."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"copy": False}, {"opponents": ["simple"] * 3}, {"batch_size": 2}])
def test_steps_add_up_to_the_counts_of_the_episode(
    mode: gymnasium.vector.AutoresetMode, options: dict[str, Any]
) -> None:
    with pommego.make_vec(
        "PommeFFACompetition-v0", 6, counts="step", autoreset_mode=mode, max_episode_steps=60, **options
    ) as envs:
        names = [count.name for count in envs.game_spec.counts]
        sums = np.zeros((6 * envs.learners, len(names)), np.int32)
        _, info = envs.reset(seed=3)
        assert not info["counts"].any()
        ended = 0
        for _ in range(400):
            rows = info.get("row", np.arange(len(sums)))
            if "batch_size" in options:
                envs.send(envs.sample_actions(info["action_mask"]), rows)
                *_, info = envs.recv()
                rows = info["row"]
            else:
                *_, info = envs.step(envs.sample_actions(info["action_mask"]))
            assert info["counts"].dtype == np.int32
            assert info["_counts"].all()
            sums[rows] += info["counts"]
            if "game" in (last := info.get("final_info", info)):
                over = np.flatnonzero(last["_game"])
                ended += len(over)
                for k, name in enumerate(names):
                    np.testing.assert_array_equal(sums[rows[over], k], last["game"][name][over], name)
                sums[rows[over]] = 0
        assert ended > 10
        assert {"kicks", "extra_bombs", "ranges", "kick_items"} < set(names)


def test_counts_are_of_three_kinds() -> None:
    with pytest.raises(ValueError, match="counts is 'steps', expected True, False or 'step'"):
        pommego.make_vec("OneVsOne-v0", counts="steps")
    with pommego.make_vec("OneVsOne-v0", counts=True) as envs:
        assert "counts" not in envs.reset(seed=1)[1]


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
        kinds = ["extra_bombs", "ranges", "kick_items"]
        counted = ["kills", "team_kills", "suicides", "bombs", "wood", "items", "kicks", *kinds]
        assert list(game.counts) == counted
        assert (game.counts["items"] == sum(game.counts[kind] for kind in kinds)).all()
        laid = ((game.actions == 5) & game.alive[:-1]).sum(0)
        assert (game.counts["bombs"] <= laid).all()
        dead = (~game.alive[-1]).sum()
        assert game.counts["suicides"].sum() <= dead
        assert (game.counts["kills"] <= dead).all()
    assert sum(game.counts["bombs"].sum() for game in played) > 0
    card = (folder / "README.md").read_text()
    assert [name for name in counted if f"\n| `{name}" not in card] == []
