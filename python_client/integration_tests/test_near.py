"""Frameworks are given `near` observations and safe moves as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pommego

ID, SEED = "PommeFFACompetition-v0", 3
HOW: dict[str, Any] = {"observation": "near", "mask": "safe", "opponents": ["static"] * 3, "seat": 0}


@pytest.fixture(scope="module")
def batches() -> list[tuple[dict[str, np.ndarray], np.ndarray]]:
    """Return what `make_vec` shows, at first and after a bomb."""
    with pommego.make_vec(ID, 2, **HOW) as envs:
        first, info = envs.reset(seed=SEED)
        after, *_, later = envs.step([5, 5])
        assert not np.array_equal(info["action_mask"], later["action_mask"])
        return [(first, info["action_mask"]), (after, later["action_mask"])]


def same(obs: Any, mask: Any, want: tuple[dict[str, np.ndarray], np.ndarray]) -> None:
    """Compare with a batch, or with its first row."""
    fields, moves = want
    for name in ("near", "numbers"):
        given = np.asarray(obs[name])
        np.testing.assert_array_equal(given.reshape(-1, *fields[name].shape[1:]), fields[name][: len(moves)])
    np.testing.assert_array_equal(np.asarray(mask).reshape(-1, 6), moves)


def test_stable_baselines(batches: list) -> None:
    sb3 = pytest.importorskip("pommego.sb3")
    envs = sb3.make_vec(ID, 2, **HOW)
    envs.seed(SEED)
    same(envs.reset(), envs.action_masks(), batches[0])
    obs = envs.step(np.array([5, 5]))[0]
    same(obs, envs.action_masks(), batches[1])
    row = {name: array[0] for name, array in obs.items()}
    row["numbers"] = np.full_like(row["numbers"], 255)
    assert envs.observation_space.contains(row)
    envs.close()


def test_torchrl(batches: list) -> None:
    torchrl = pytest.importorskip("pommego.torchrl")
    envs = torchrl.make_vec(ID, 2, **HOW)
    envs.set_seed(SEED)
    data = envs.reset()
    same(data, data["action_mask"], batches[0])
    data["action"] = data["action_mask"].new_full((2,), 5, dtype=int)
    after = envs.step(data)["next"]
    same(after, after["action_mask"], batches[1])
    envs.close()


@pytest.mark.parametrize("games", [None, 2])
def test_rllib(batches: list, games: int | None) -> None:
    rllib = pytest.importorskip("pommego.rllib")
    envs = rllib.single_agent({"id": ID, "action_mask": True, **HOW} | ({"num_envs": games} if games else {}))
    rows = slice(0, games or 1)
    for at, (fields, moves) in enumerate(batches):
        if at == 0:
            obs, _ = envs.reset(seed=[SEED, SEED + 1] if games else SEED)  # a number would be spread
        else:
            obs, *_ = envs.step(np.array([5, 5]) if games else 5)
        flat = np.concatenate([fields[name].reshape(2, -1) for name in ("near", "numbers")], axis=1)
        np.testing.assert_array_equal(obs["observations"].reshape(-1, flat.shape[1]), flat[rows])
        np.testing.assert_array_equal(obs["action_mask"].reshape(-1, 6), moves[rows])
    envs.close()


def test_jax(batches: list) -> None:
    jax = pytest.importorskip("jax")
    step = pytest.importorskip("pommego.jax").step
    with pommego.make_vec(ID, 2, **HOW) as envs:
        envs.reset(seed=SEED)
        obs, _, _, _, info = jax.jit(lambda actions: step(envs, actions))(np.array([5, 5]))
        same(obs, info["action_mask"], batches[1])
