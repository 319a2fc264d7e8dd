"""BaseWar and SuiteBot through the same client, which knows neither by name."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

import pommego
from compare import assert_same

Vec = Callable[..., pommego.PommegoVectorEnv]

# BaseWar -----------------------------------------------------------------------


def test_basewar_six_seats(vec: Vec) -> None:
    """Every seat is a bomber; blue has the even ones, and a side's rows are paid alike."""
    envs = vec("BaseWar-v0", 4)
    assert (envs.num_envs, envs.learners) == (24, 6)
    assert envs.single_action_space == gymnasium.spaces.Discrete(6)
    obs, info = envs.reset(seed=1)
    assert obs["planes"].shape == (24, 13, 15, 15)
    ended = 0
    for _ in range(400):
        assert obs in envs.observation_space
        obs, reward, terminated, truncated, info = envs.step(envs.sample_actions(info["action_mask"]))
        sides = envs.by_game(reward)
        assert (sides[:, ::2] == sides[:, :1]).all()
        assert (sides[:, 1::2] == -sides[:, :1]).all()
        assert not truncated.any()
        assert (envs.by_game(terminated).sum(1) % 6 == 0).all()
        ended += envs.by_game(terminated)[:, 0].sum()
    assert ended > 0


def test_basewar_sides_moves_three_bombers(vec: Vec) -> None:
    """One row a side; a dead bomber's move has "stop" left, and the side plays on."""
    envs = vec("BaseWarSides-v0", 4, observation="raw", opponents=["simple"])
    assert envs.num_envs == 4
    assert envs.single_action_space == gymnasium.spaces.MultiDiscrete([6, 6, 6])
    obs, info = envs.reset(seed=2)
    lives = [n.name for n in envs.encoding["scalars"].names].index("bomber0_lives")
    dead = 0
    for _ in range(300):
        assert obs in envs.observation_space
        assert info["action_mask"].shape == (4, 18)
        for row in range(4):
            side = obs["self"][row, 1]
            for k in range(3):
                mask = info["action_mask"][row, 6 * k : 6 * k + 6]
                alive = obs["scalars"][row, lives + 4 * (2 * k + side)] > 0
                assert mask[0] == 1
                assert alive or mask.sum() == 1
                dead += not alive
        assert info["alive"].all()
        obs, *_, info = envs.step(envs.sample_actions(info["action_mask"]))
    assert dead > 0


def test_basewar_rewards(vec: Vec) -> None:
    """Reference: the lead in points as it grows, so that it adds up to the final one."""
    envs = vec("BaseWarSides-v0", 1, observation="raw", reward="reference", autoreset_mode="Disabled")
    obs, info = envs.reset(seed=3)
    names = [n.name for n in envs.encoding["scalars"].names]
    blue, green = names.index("blue_score"), names.index("green_score")
    paid, terminated = np.zeros(2), np.array([False])
    while not terminated.any():
        obs, reward, terminated, _, info = envs.step(envs.sample_actions(info["action_mask"]))
        paid += reward
    lead = int(obs["scalars"][0, blue]) - int(obs["scalars"][0, green])
    assert paid.tolist() == [lead, -lead]


def test_basewar_states(vec: Vec) -> None:
    """Games are saved, and restored from bytes and from JSON."""
    envs = vec("BaseWar-v0", 2, opponents=["simple"] * 5)
    envs.reset(seed=4)
    dice = np.random.default_rng(0)
    for _ in range(15):
        envs.step(dice.integers(0, 6, 2))
    for kept in (envs.get_state(), [s.json() for s in envs.get_state()]):
        envs.set_state(range(2), kept)
        want = tuple(envs.step(np.full(2, move)) for move in (1, 5, 4))
        envs.set_state(range(2), kept)
        assert_same(tuple(envs.step(np.full(2, move)) for move in (1, 5, 4)), want)


def test_basewar_rules_are_data(vec: Vec) -> None:
    rules = {"board_size": 9, "num_stones": 6, "num_boxes": 16, "free_steps": 1, "base_damage": "bomb"}
    envs = vec("BaseWar-v0", 1, rules=rules)
    obs, _ = envs.reset(seed=5)
    assert obs["planes"].shape == (6, 13, 9, 9)
    with pytest.raises(pommego.PommegoError, match="base_damage"):
        vec("BaseWar-v0", 1, rules={"base_damage": "much"})


@pytest.mark.parametrize("id", ["BaseWar-v0", "BaseWarSides-v0"])
def test_basewar_in_pettingzoo(server: pommego.Server, id: str) -> None:
    env = pommego.parallel_env(id, address=server.address, token=server.token)
    try:
        parallel_api_test(env, num_cycles=200)
    finally:
        env.close()
