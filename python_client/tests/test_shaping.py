"""The example on shaped rewards: potentials leave what a policy is worth as it is, and a short run."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import pommego
from conftest import REPOSITORY
from test_programs import run

EXAMPLE = REPOSITORY / "python_client" / "examples" / "shaping.py"


@pytest.fixture(scope="module")
def shaping(binary: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("shaping_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["none", "distance", "digging", "wood", "bombs"])
def test_what_an_episode_pays(shaping: ModuleType, kind: str) -> None:
    """A potential pays, discounted, minus that of the first position; counts pay as they grow."""
    options = {"counts": "step", "state": True, "autoreset_mode": "SameStep"}
    with pommego.make_vec(shaping.ID, shaping.GAMES, opponents=["static"], **options) as envs:
        extra = shaping.Shaping(kind, envs.game_spec)
        _, info = envs.reset(seed=1)
        first = extra.before = extra.potential(info)
        assert (first != 0).all() == (kind == "distance")
        paid, weight, ended = np.zeros(shaping.GAMES), np.ones(shaping.GAMES), 0
        most = np.zeros(shaping.GAMES)
        for _ in range(150):
            _, _, done, _, info = envs.step(envs.sample_actions(info["action_mask"]))
            pays = extra(info, done)
            paid += pays * (1 if kind in shaping.PAID else weight)
            most = np.maximum(most, np.abs(paid))
            weight *= shaping.GAMMA
            if kind in shaping.PAID:
                wanted = shaping.PAID[kind] * info["game"][kind] if "game" in info else np.zeros(len(paid))
            else:
                wanted = -first
            np.testing.assert_allclose(paid[done], wanted[done], atol=1e-9)
            ended += done.sum()
            paid[done], weight[done] = 0, 1
            first = np.where(done, extra.before, first)
    assert ended > 50
    assert (most.max() > 0) == (kind != "none")


def test_gradient(shaping: ModuleType) -> None:
    """The step of learning goes down the loss, as finite differences have it."""
    rng = np.random.default_rng(0)
    net = shaping.Network(5, 6, rng)
    net.weights = [rng.normal(size=w.shape) * 0.5 for w in net.weights]
    x, mask = rng.normal(size=(7, 5)), rng.random((7, 6)) < 0.7
    mask[:, 0] = True
    moves, old, _ = net.act(x, mask, rng)
    gain, aim = rng.normal(size=7), rng.normal(size=7)
    old = old + rng.normal(size=7) * 0.05

    def loss() -> float:
        _, logp, value = net(x, mask)
        ratio = np.exp(logp[np.arange(7), moves] - old)
        clipped = np.clip(ratio, 1 - shaping.CLIP, 1 + shaping.CLIP)
        entropy = -(np.exp(logp) * logp).sum(1)
        won = np.minimum(ratio * gain, clipped * gain) + shaping.ENTROPY * entropy
        return float((0.25 * (value - aim) ** 2 - won).mean())

    wanted = []
    for w in net.weights:
        slope = np.zeros_like(w)
        for at in np.ndindex(w.shape):
            before, w[at] = w[at], w[at] + 1e-5
            above = loss()
            w[at] = before - 1e-5
            slope[at] = (above - loss()) / 2e-5
            w[at] = before
        wanted.append(slope)
    net.learn([x, mask], moves, old, gain, aim)
    for mean, slope in zip(net.means, wanted, strict=True):
        np.testing.assert_allclose(mean / 0.1, slope, atol=1e-5)


def test_advantages(shaping: ModuleType) -> None:
    """Against the definition: the weighted sum of surprises up to the episode's end."""
    rng = np.random.default_rng(2)
    reward, value, done = rng.normal(size=(6, 4)), rng.normal(size=(7, 4)), rng.random((6, 4)) < 0.3
    got = shaping.advantages(reward, value, done)
    for row in range(4):
        for t in range(6):
            wanted, weight = 0.0, 1.0
            for k in range(t, 6):
                after = 0 if done[k, row] else value[k + 1, row]
                wanted += weight * (reward[k, row] + shaping.GAMMA * after - value[k, row])
                if done[k, row]:
                    break
                weight *= shaping.GAMMA * shaping.LAMBDA
            assert got[t, row] == pytest.approx(wanted)


def test_program(binary: Path) -> None:
    lines = run(
        str(EXAMPLE), "--steps", str(4 * 64 * 32), "--judged", "4", "--shaping", "bombs"
    ).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["steps"] for row in rows] == [0, 2048, 4096, 6144, 8192]
    assert all(0 <= row["won"] + row["tied"] <= 1 for row in rows)
    assert rows[-1]["paid"] > 0, "for the bombs of the episodes that ended"
