"""The single-file example in the manner of CleanRL."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "cleanrl_dqn.py"

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def dqn(binary: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("cleanrl_dqn", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_learns_to_stay_alive(dqn: ModuleType) -> None:
    """Against a statue who dies dies by its own bombs, as nine in ten do at first."""
    returns = dqn.train(
        dqn.Args(total_timesteps=38_400, buffer_size=20_000, max_episode_steps=40, log_dir="")
    )
    fifth = len(returns) // 5
    assert np.mean(returns[-fifth:]) > np.mean(returns[:fifth]) + 0.12


def test_program_writes_curves(binary: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    options = ["--total-timesteps", "4000", "--num-envs", "16", "--learning-starts", "3000"]
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "--log-dir", str(tmp_path), *options],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "return" in done.stdout
    (events,) = tmp_path.glob("OneVsOne-v0__cleanrl_dqn__1__*/events.*")
    written = events.read_bytes()
    for tag in (b"charts/episodic_return", b"charts/SPS", b"losses/td_loss"):
        assert tag in written


def test_next_observations_are_those_of_the_same_episode(
    dqn: ModuleType, single: object, vec: object
) -> None:
    options = {"opponents": ["random"], "max_episode_steps": 12}
    envs = vec("OneVsOne-v0", 3, autoreset_mode="SameStep", **options)
    games = [single("OneVsOne-v0", **options) for _ in range(3)]
    _, info = envs.reset(seed=4)
    for k, game in enumerate(games):
        game.reset(seed=4 + k)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        actions = rng.integers(0, 6, 3)
        obs, _, terminated, truncated, info = envs.step(actions)
        done = terminated | truncated
        after, mask = dqn.true_next(obs, info, done)
        for row, game in enumerate(games):
            want, *_, their_info = game.step(actions[row])
            for name, array in want.items():
                np.testing.assert_array_equal(after[name][row], array)
            np.testing.assert_array_equal(mask[row], their_info["action_mask"])
            if done[row]:
                ends += 1
                game.reset()
    assert ends >= 6


def test_buffer_goes_round(dqn: ModuleType) -> None:
    buffer = dqn.ReplayBuffer(10)
    rng = np.random.default_rng(0)
    for first in range(0, 12, 4):
        buffer.add(action=np.arange(first, first + 4), other=np.ones((4, 2)))
        held = set(range(max(0, first - 6), first + 4))
        drawn = buffer.sample(500, rng)
        assert set(drawn["action"].tolist()) == held
        assert drawn["other"].shape == (500, 2)


def test_terminated_episodes_have_no_future(dqn: ModuleType, vec: Make) -> None:
    """A terminated step is worth its reward alone, and illegal actions do not count."""
    envs = vec("OneVsOne-v0", 4, opponents=["static"])
    obs, _ = envs.reset(seed=0)
    torch.manual_seed(0)
    q, target = dqn.QNetwork(envs), dqn.QNetwork(envs)
    with torch.no_grad():
        q.head[-1].bias[5] = target.head[-1].bias[5] = 1000  # a bomb looks splendid
    batch = {f"{when}.{name}": array for when in ("obs", "next_obs") for name, array in obs.items()}
    batch |= {
        "action": np.zeros(4, np.int64),
        "reward": np.full(4, -1, np.float32),
        "next_mask": np.array([[1, 1, 1, 1, 1, 0]] * 4, np.int8),
    }
    still = torch.optim.SGD([*q.parameters()], lr=0)
    losses = {}
    for name, next_mask, terminated in (("bomb", 1, False), ("no bomb", 0, False), ("end", 1, True)):
        batch["next_mask"][:, 5] = next_mask
        losses[name] = dqn.update(q, target, still, batch | {"terminated": np.full(4, terminated)}, 0.9)
    assert losses["bomb"] > 500
    assert losses["no bomb"] < 10
    assert losses["end"] < 10
