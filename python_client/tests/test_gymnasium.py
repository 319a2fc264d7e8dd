"""The single environment against gymnasium's checker, and gymnasium's wrappers on ours."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import vector as wrappers

import pommego
from compare import assert_same
from pommego.registration import IDS

Vec = Callable[..., pommego.PommegoVectorEnv]
Single = Callable[..., pommego.PommegoEnv]


@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize(
    "id", ["PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2", "OneVsOne-v0"]
)
def test_check_env(single: Single, id: str, observation: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*alternative render modes.*")
        check_env(single(id, observation=observation, render_mode="ansi"))


def test_single_environment(single: Single) -> None:
    env = single(seat=1)
    _, info = env.reset(seed=42)
    assert info["seed"] == 42
    assert info["seat"] == 1
    assert info["alive"] is True
    assert info["action_mask"].shape == (6,)
    assert env.action_space.sample(info["action_mask"]) in env.action_space
    state = env.get_state()
    first = env.step(5)
    assert isinstance(first[1], float)
    env.set_state(state)
    assert_same(env.step(5), first)
    assert env.render() is None, "render_mode is None"
    for _ in range(40):
        *_, terminated, truncated, info = env.step(0)
        if terminated:
            break
    assert terminated, "a bomb at its feet kills who stands still"
    assert not truncated
    assert info["game"]["length"] == 10
    assert info["game"]["winners"].shape == (4,)
    with pytest.raises(pommego.ServerError, match="game_finished"):
        env.step(0)
    env.reset()
    env.step(np.int64(0))
    with pytest.raises(ValueError, match="unknown reset options"):
        env.reset(options={"x": 1})


def test_single_environment_needs_one_learner(single: Single) -> None:
    with pytest.raises(ValueError, match="2 seats learn"):
        single(opponents=None, seats=["learner", "static", "learner", "static"])
    with pytest.raises(ValueError, match="render_mode"):
        single(render_mode="hologram")
    with pytest.raises(TypeError, match="make_vec"):
        single(num_envs=3)


def test_episode_statistics_agree_with_gymnasiums(vec: Vec) -> None:
    """RecordEpisodeStatistics counts what we report, in all modes it knows."""
    for mode in ("NextStep", "SameStep"):
        envs = wrappers.RecordEpisodeStatistics(vec(games=4, opponents=["random"] * 3, autoreset_mode=mode))
        envs.reset(seed=0)
        rng = np.random.default_rng(0)
        seen = 0
        for _ in range(150):
            *_, info = envs.step(rng.integers(0, 6, 4))
            if "episode" in info:
                done = info["_episode"]
                np.testing.assert_array_equal(info["_game"], done)
                np.testing.assert_array_equal(info["episode"]["r"][done], info["game"]["return"][done])
                np.testing.assert_array_equal(info["episode"]["l"][done], info["game"]["length"][done])
                seen += done.sum()
        assert seen > 5


def test_wrappers_run(vec: Vec) -> None:
    envs = vec(games=2, opponents=["static"] * 3)
    listed = wrappers.DictInfoToList(envs)
    _, infos = listed.reset(seed=0)
    assert [info["seed"] for info in infos] == [0, 1]
    flat = wrappers.FlattenObservation(vec(games=2, opponents=["static"] * 3))
    obs, _ = flat.reset(seed=0)
    assert obs in flat.observation_space
    obs, *_ = flat.step(flat.action_space.sample())
    assert obs in flat.observation_space
    clipped = wrappers.ClipReward(vec(games=2), -0.5, 0.5)
    clipped.reset(seed=0)
    clipped.step(clipped.action_space.sample())


def test_registered_ids_are_the_catalog(server: pommego.Server) -> None:
    where = {"address": server.address, "token": server.token}
    assert list(IDS) == list(pommego.catalog(**where))
    envs = gymnasium.make_vec("pommego/PommeTeam-v0", num_envs=2, observation="raw", **where)
    assert envs.num_envs == 2
    assert envs.unwrapped.spec.id == "pommego/PommeTeam-v0"
    envs.reset(seed=0)
    envs.close()


def test_registered_single_environment_passes_the_checker(server: pommego.Server) -> None:
    """With a spec, the checker makes environments of its own too."""
    where = {"address": server.address, "token": server.token}
    env = gymnasium.make("pommego/OneVsOne-v0", opponents=["random"], **where)
    check_env(env.unwrapped)
    env.close()


def test_async_vector_env_forks_safely(binary: Path) -> None:
    """Each of its processes has a server of its own."""
    make = functools.partial(pommego.make, "OneVsOne-v0", opponents=["static"])
    envs = gymnasium.vector.AsyncVectorEnv([make, make])
    _, info = envs.reset(seed=3)
    assert info["seed"].tolist() == [3, 4]
    envs.step(np.array([1, 2]))
    envs.close()


def test_attributes_that_others_read(vec: Vec) -> None:
    envs = vec(games=2, autoreset_mode="SameStep")
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    assert envs.unwrapped is envs
    assert envs.autoreset_mode is gymnasium.vector.AutoresetMode.SAME_STEP
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    assert envs.spec is None
    assert envs.closed is False
    assert copy.deepcopy(envs.observation_space) == envs.observation_space
    assert envs.metadata is not vec(games=1).metadata


@pytest.mark.parametrize(
    ("action", "error", "says"),
    [
        (9, pommego.ServerError, "^action is 9, want 0 to 5 "),
        ([0, 1], ValueError, r"^action is \[0, 1\], expected an integer"),
        (0.5, ValueError, "^action is 0.5, expected an integer"),
        (np.array(1, object), ValueError, r"^action is array\(1, dtype=object\), expected an integer"),
    ],
    ids=str,
)
def test_errors_of_one_game_speak_of_no_rows(
    single: Callable[..., pommego.PommegoEnv], action: Any, error: type[Exception], says: str
) -> None:
    env = single("OneVsOne-v0")
    env.reset(seed=0)
    with pytest.raises(error, match=says):
        env.step(action)
    env.step(5)


def test_masks_as_a_method(single: Callable[..., pommego.PommegoEnv]) -> None:
    env = single("OneVsOne-v0")
    with pytest.raises(pommego.PommegoError, match="no action mask before the first reset"):
        env.action_masks()
    _, info = env.reset(seed=0)
    for action in (5, 0, 0):
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
        *_, info = env.step(action)
    saved = env.get_state()
    env.reset(seed=3)
    _, again = env.set_state(saved)
    np.testing.assert_array_equal(env.action_masks(), again["action_mask"])
    np.testing.assert_array_equal(env.action_masks(), info["action_mask"])


def test_a_copy_would_close_the_original(vec: Callable[..., Any], single: Callable[..., Any]) -> None:
    for env in (vec("OneVsOne-v0", 2), single("OneVsOne-v0")):
        env.reset(seed=0)
        for take in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=r"an environment cannot be pickled or copied.* clone\(\)"):
                take(env)
        gc.collect()
        env.reset()


@pytest.mark.parametrize("observation", ["planes", "raw", "box"])
def test_no_field_looks_like_a_picture(vec: Callable[..., Any], observation: str) -> None:
    """Others guess that uint8 of three axes up to 255 is a picture, and scale and transpose it."""
    space = vec("OneVsOne-v0", 1, observation=observation).single_observation_space
    for field in getattr(space, "spaces", {"box": space}).values():
        assert field.dtype != np.uint8 or len(field.shape) != 3 or field.high.max() < 255
