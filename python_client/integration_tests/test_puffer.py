"""PufferLib itself, where it is installed; its contract is in tests/test_puffer.py."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pufferlib.vector")

import pufferlib.vector
from pufferlib.vector import Multiprocessing

from pommego import puffer
from recipes import recipe

FFA, TEAM = "PommeFFACompetition-v0", "PommeTeamCompetition-v0"


def test_recipe() -> None:
    names = recipe(puffer, {"1024": "4"})
    assert names["fields"]["planes"].shape == (4, 18, 11, 11)
    names["envs"].close()


@pytest.mark.parametrize(("id", "options"), [(FFA, {"opponents": ["random"] * 3}), (TEAM, {})], ids=str)
def test_native(id: str, options: dict) -> None:
    envs = pufferlib.vector.make(puffer.creator(id, 4, **options), backend=pufferlib.PufferEnv)
    envs.async_reset(3)
    envs.recv()
    ended = []
    for _ in range(60):
        envs.send(envs.action_space.sample())
        observations, rewards, terminals, truncations, infos, _, masks = envs.recv()
        ended += infos
        assert envs.observation_space.contains(observations)
        assert rewards.dtype == np.float32
        assert terminals.dtype == truncations.dtype == masks.dtype == bool
    assert len(ended) >= 3
    envs.close()


def test_processes_play_what_one_plays() -> None:
    """Two workers with two games each write into one buffer what two environments give."""
    creator = puffer.creator(FFA, 2, opponents=["random"] * 3)
    many = pufferlib.vector.make(creator, backend=Multiprocessing, num_envs=2, num_workers=2, overwork=True)
    alone = [creator(), creator()]
    many.reset(seed=5)
    for k, env in enumerate(alone):
        env.reset(5 + k)
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = rng.integers(0, 6, 4).astype(np.int32)
        observations, rewards, *_ = many.step(actions)
        for k, env in enumerate(alone):
            env.step(actions[2 * k : 2 * k + 2])
            np.testing.assert_array_equal(observations[2 * k : 2 * k + 2], env.observations)
            np.testing.assert_array_equal(rewards[2 * k : 2 * k + 2], env.rewards)
    many.close()
    for env in alone:
        env.close()
