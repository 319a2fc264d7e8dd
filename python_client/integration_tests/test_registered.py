"""The registered ids, by the doors that frameworks have for any id of gymnasium."""

from __future__ import annotations

from typing import Any

import pytest

import pommego

DUEL = "pommego/OneVsOne-v0"


@pytest.fixture
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


def test_torchrl(where: dict[str, Any]) -> None:
    """It passes an option that there is not, and knows by the words of the error to leave it out."""
    envs = pytest.importorskip("torchrl.envs")
    env = envs.GymEnv(DUEL, **where)
    assert env.rollout(3)["planes"].shape[1:] == (18, 8, 8)
    env.close()


@pytest.mark.parametrize("observation", ["planes", "raw"])
def test_stable_baselines3(where: dict[str, Any], observation: str) -> None:
    """Of `make_vec_env` planes are no pictures, and masks are found."""
    pytest.importorskip("stable_baselines3")
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(DUEL, n_envs=2, seed=0, env_kwargs={"observation": observation, **where})
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=16, batch_size=16).learn(64)
    field = "planes" if observation == "planes" else "maps"
    assert model.observation_space[field].shape[1:] == (8, 8)
    envs.close()


def test_seeds_of_sb3_are_checked_when_they_are_given(where: dict[str, Any]) -> None:
    sb3 = pytest.importorskip("pommego.sb3")
    envs = sb3.make_vec("OneVsOne-v0", 2, opponents=["static"], **where)
    with pytest.raises(ValueError, match=r"seed is -1, expected 0 to 2\*\*64-1"):
        envs.seed(-1)
    assert envs.seed(5) == [5, 6]
    envs.close()


@pytest.mark.parametrize("module", ["sb3", "torchrl"])
def test_no_copies(where: dict[str, Any], module: str) -> None:
    import copy

    adapter = pytest.importorskip(f"pommego.{module}")
    envs = adapter.make_vec("OneVsOne-v0", 2, opponents=["static"], **where)
    with pytest.raises(TypeError, match="an environment cannot be pickled or copied"):
        copy.copy(envs)
    envs.reset()
    envs.close()
