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


@pytest.mark.parametrize(("env_id", "others"), [("BaseWar-v0", 5), ("SuiteBot-v0", 3)])
def test_states(vec: Vec, env_id: str, others: int) -> None:
    """Games are saved, and restored from bytes and from JSON."""
    envs = vec(env_id, 2, opponents=["simple"] * others)
    envs.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(15):
        envs.step(rng.integers(0, 6, 2))
    for kept in (envs.get_state(), envs.get_state(as_json=True)):
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


# SuiteBot ----------------------------------------------------------------------


def test_suitebot_round(vec: Vec) -> None:
    """Four seats, no walls, nobody drops out: every game ends after 100 rounds, and the points add up."""
    envs = vec("SuiteBot-v0", 4, observation="raw", reward="reference")
    assert (envs.num_envs, envs.learners) == (16, 4)
    assert envs.single_action_space == gymnasium.spaces.Discrete(6)
    obs, info = envs.reset(seed=1)
    names = [n.name for n in envs.encoding["scalars"].names]
    first = names.index("score0")
    paid = np.zeros(16)
    for step in range(1, 101):
        assert info["action_mask"].all()
        assert info["alive"].all()
        obs, reward, terminated, truncated, info = envs.step(envs.sample_actions(info["action_mask"]))
        assert obs in envs.observation_space
        paid += reward
        assert terminated.all() == (step == 100)
        assert not truncated.any()
    scores = envs.by_game(obs["scalars"])[..., first : first + 4]
    assert (scores == scores[:, :1]).all(), "all seats see the same points"
    assert envs.by_game(paid).tolist() == scores[:, 0].tolist()
    spent = (obs["maps"][:, 0] == 1).reshape(16, -1).sum(1)
    assert (spent > 0).all()


def test_suitebot_planes_are_seen_from_the_seat(vec: Vec) -> None:
    envs = vec("SuiteBot-v0", 3)
    obs, info = envs.reset(seed=2)
    assert obs["planes"].shape == (12, 8, 20, 20)
    plane = {n.name: i for i, n in enumerate(envs.encoding["planes"].names)}
    for _ in range(50):
        obs, *_, info = envs.step(envs.sample_actions(info["action_mask"]))
        own, enemies = obs["planes"][:, plane["self"]], obs["planes"][:, plane["enemies"]]
        assert (own.reshape(12, -1).sum(1) == 1).all()
        assert (np.sort(enemies.reshape(12, -1))[:, -3:] == [1, 2, 3]).all()
        # Seat s+1 stands where seat s sees its enemy 1.
        by_game = envs.by_game(np.arange(12))
        assert (own[np.roll(by_game, -1, axis=1)] == (enemies[by_game] == 1)).all()


def test_suitebot_against_agents(vec: Vec) -> None:
    """One learner that holds loses to three agents that mine."""
    envs = vec("SuiteBot-v0", 2, opponents=["simple", "mcts:ticks=20", "random"], autoreset_mode="Disabled")
    envs.reset(seed=3)
    terminated = np.array([False])
    while not terminated.any():
        _, reward, terminated, _, _ = envs.step(np.zeros(2, np.int64))
    assert terminated.all()
    assert reward.tolist() == [-1, -1]


def test_suitebot_rules_are_data(vec: Vec) -> None:
    rules = {"width": 9, "height": 7, "players": 6, "blast_shape": "square", "view_radius": 2, "rounds": 12}
    envs = vec("SuiteBot-v0", 1, rules=rules)
    obs, info = envs.reset(seed=5)
    assert obs["planes"].shape == (6, 9, 7, 9), "with a view_radius there is a plane of fog"
    assert (obs["planes"][:, 8].reshape(6, -1).sum(1) == 63 - 25).all()
    for _ in range(12):
        obs, _, terminated, _, info = envs.step(envs.sample_actions(info["action_mask"]))
    assert terminated.all()
    with pytest.raises(pommego.PommegoError, match="blast_shape"):
        vec("SuiteBot-v0", 1, rules={"blast_shape": "star"})


def test_suitebot_in_pettingzoo(server: pommego.Server) -> None:
    env = pommego.parallel_env("SuiteBot-v0", address=server.address, token=server.token)
    try:
        parallel_api_test(env, num_cycles=200)
    finally:
        env.close()
