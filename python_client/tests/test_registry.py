"""gymnasium's own ways in, by name, and its checker and wrappers on what they give."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

import pommego
from compare import assert_same
from pommego.registration import IDS, single
from wiring import wired

FFA, TEAM, DUEL = "pommego/PommeFFACompetition-v0", "pommego/PommeTeam-v0", "pommego/OneVsOne-v0"

Make = Callable[..., Any]


@pytest.fixture
def registry(server: pommego.Server) -> Iterator[Make]:
    """`gymnasium.make_vec`, or `gymnasium.make` with no number of games, on the shared server."""
    made = []

    def call(id: str = FFA, games: int | None = None, **options: Any) -> Any:
        options |= {"address": server.address, "token": server.token}
        if games is None:
            made.append(gymnasium.make(id, **options))
        else:
            made.append(gymnasium.make_vec(id, num_envs=games, **options))
        return made[-1]

    yield call
    for env in made:
        env.close()


@pytest.mark.parametrize("id", IDS)
def test_every_id(registry: Make, id: str) -> None:
    envs = registry(f"pommego/{id}", games=2)
    assert envs.unwrapped.game_spec.id == id
    opponents = ["random"] * (envs.unwrapped.game_spec.seats - 1)
    env = registry(f"pommego/{id}", opponents=opponents, max_episode_steps=50)
    check_env(env.unwrapped, skip_render_check=True)
    _, info = envs.reset(seed=3)
    obs, *_ = envs.step(envs.action_space.sample())
    assert obs in envs.observation_space
    assert info["seed"].tolist() == [3] * envs.unwrapped.learners + [4] * envs.unwrapped.learners


@pytest.mark.parametrize(
    "options",
    [
        {"observation": "raw", "reward": "reference"},
        {"autoreset_mode": "Disabled"},
        {"autoreset_mode": AutoresetMode.SAME_STEP, "copy": False, "workers": 1},
        {"opponents": ["simple", "static", "random"], "seat": 2, "on_death": "wait"},
        {"seats": ["random", "learner", "learner", "random"], "expand_shared": False},
        {"rules": {"max_steps": 30}, "shared_memory": False},
        {"max_episode_steps": 20, "render_mode": "rgb_array", "timeout": 9.0},
    ],
    ids=str,
)
def test_options_reach_the_vector_environment(registry: Make, vec: Make, options: dict[str, Any]) -> None:
    named = registry(FFA, games=3, **wired(**options))
    others = {} if options.keys() & {"opponents", "seats"} else {"opponents": ["simple"] * 3}
    ours = vec("PommeFFACompetition-v0", 3, **options | others)
    assert named.observation_space == ours.observation_space
    assert named.metadata == ours.metadata
    assert (named.render_mode, named.timeout) == (ours.render_mode, ours.timeout)
    assert_same(named.reset(seed=1), ours.reset(seed=1))
    ours.action_space.seed(0)
    for _ in range(9):
        actions = ours.action_space.sample()
        assert_same(named.step(actions), ours.step(actions))


def test_step_limits(registry: Make) -> None:
    """Of a vector environment it is the server's, of a single one gymnasium's TimeLimit."""
    envs = registry(DUEL, games=2, opponents=["static"], max_episode_steps=4)
    env = registry(DUEL, opponents=["static"], max_episode_steps=4)
    envs.reset(seed=0)
    env.reset(seed=0)
    for step in range(4):
        *_, truncated, _ = envs.step([0, 0])
        *_, single, _ = env.step(0)
        assert truncated.tolist() == [single] * 2 == [step == 3] * 2


def test_specs_make_the_same_again(registry: Make) -> None:
    env = registry(DUEL, opponents=["static"], observation="raw")
    again = gymnasium.make(env.spec)
    assert_same(again.reset(seed=2), env.reset(seed=2))
    again.close()
    envs = registry(DUEL, games=2, opponents=["static"])
    again = gymnasium.make_vec(envs.unwrapped.spec)
    assert again.num_envs == 2
    assert_same(again.reset(seed=2), envs.reset(seed=2))
    again.close()


def test_gymnasiums_own_vectorisation(registry: Make) -> None:
    theirs = registry(DUEL, games=2, vectorization_mode="sync", opponents=["random"])
    ours = registry(DUEL, games=2, opponents=["random"])
    assert isinstance(theirs, SyncVectorEnv)
    assert_same(ours.reset(seed=5), theirs.reset(seed=5))
    assert_same(ours.step([1, 2]), theirs.step([1, 2]))


def test_one_meaning_of_num_envs(registry: Make) -> None:
    """Whoever vectorises: one learner a game, against simple, until somebody says who else plays."""
    theirs = registry(DUEL, games=3, vectorization_mode="sync")
    ours = registry(DUEL, games=3)
    assert ours.num_envs == theirs.num_envs == 3
    ours.reset(seed=5)
    theirs.reset(seed=5)
    for actions in ([1, 2, 3], [5, 5, 5], [3, 2, 1]):
        assert_same(ours.step(actions), theirs.step(actions))
    assert registry(DUEL, games=3, seats=["learner", "learner"]).num_envs == 6


@pytest.mark.filterwarnings("error")
def test_no_game_is_out_of_date(registry: Make) -> None:
    """v0 and v1 are different games."""
    for version in (0, 1):
        env = registry(f"pommego/PommeTeamCompetition-v{version}")
        assert env.unwrapped.game_spec.id == f"PommeTeamCompetition-v{version}"


def test_lists_of_images(registry: Make) -> None:
    env = registry(DUEL, render_mode="rgb_array_list")
    env.reset(seed=0)
    env.step(0)
    assert [picture.ndim for picture in env.render()] == [3, 3]
    assert single.metadata == pommego.PommegoEnv.metadata


def test_names_its_own_module(binary: object) -> None:
    """Users that do not want to import pommego can have gymnasium do it."""
    program = (
        "import gymnasium, sys; "
        "envs = gymnasium.make_vec('pommego:pommego/OneVsOne-v0', num_envs=3); "
        "print(envs.reset(seed=0)[1]['seed']); envs.close()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[0 1 2]"


# Wrappers -----------------------------------------------------------------------


def roll(envs: Any, steps: int = 60) -> list[tuple[Any, ...]]:
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    return [envs.step(rng.integers(0, 6, envs.num_envs)) for _ in range(steps)]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_normalised_rewards(registry: Make, mode: str) -> None:
    """All rewards are scaled by one number at a time, so that their signs remain."""
    options = {"opponents": ["random"] * 3, "autoreset_mode": mode}
    plain = roll(registry(FFA, games=4, **options))
    scaled = roll(wrappers.NormalizeReward(registry(FFA, games=4, **options)))
    for want, got in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(np.sign(got[1]), np.sign(want[1]))
        np.testing.assert_array_equal(got[2], want[2])
    assert any(np.abs(got[1]).max() not in (0, 1) for got in scaled)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_statistics_and_rewards_stacked(registry: Make, mode: str) -> None:
    envs = registry(TEAM, games=2, autoreset_mode=mode, seats=["learner"] * 4)
    stack = wrappers.TransformReward(wrappers.RecordEpisodeStatistics(envs), lambda reward: 2 * reward)
    stack.reset(seed=0)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(150):
        _, reward, terminated, truncated, info = stack.step(rng.integers(0, 6, 8))
        done = terminated | truncated
        if done.any():
            ended += int(done.sum())
            np.testing.assert_array_equal(info["episode"]["r"][done], info["game"]["return"][done])
            np.testing.assert_array_equal(info["episode"]["l"][done], info["game"]["length"][done])
            np.testing.assert_array_equal(reward[done], 2 * info["game"]["return"][done])
            if mode == "Disabled":
                stack.reset(options={"reset_mask": done})
    assert ended >= 12
    assert len(stack.env.return_queue) == min(ended, 100)


@pytest.mark.parametrize(
    "wrapper",
    [
        wrappers.FlattenObservation,
        wrappers.DictInfoToList,
        lambda envs: wrappers.ClipReward(envs, -0.5, 0.5),
        lambda envs: wrappers.DtypeObservation(wrappers.FlattenObservation(envs), np.float32),
        lambda envs: wrappers.NormalizeObservation(wrappers.FlattenObservation(envs)),
    ],
    ids=["flatten", "list of infos", "clip reward", "dtype", "normalise"],
)
def test_other_wrappers(registry: Make, wrapper: Make) -> None:
    envs = wrapper(registry(FFA, games=2, opponents=["random"] * 3))
    for obs, *_ in roll(envs, 40):
        assert obs in envs.observation_space
