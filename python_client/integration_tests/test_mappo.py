"""The example `examples/mappo.py`: its parts, and a short run from training to evaluation."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "mappo.py"
SMALL = {"opponent": "static", "games": 6, "rollout": 40, "minibatch": 8, "epochs": 1}


@pytest.fixture(scope="module")
def mappo(binary: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("mappo_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mappo_example", module)  # dataclasses look there
        patch.setitem(os.environ, "POMMEGO_BINARY", str(binary))
        spec.loader.exec_module(module)
        yield module


def weights(trainer: object) -> list[torch.Tensor]:
    return [p.detach().clone() for p in (*trainer.actor.parameters(), *trainer.critic.parameters())]


def test_same_seed_same_policy(mappo: ModuleType, tmp_path: Path) -> None:
    after = []
    for name in ("a", "b"):
        trainer = mappo.Trainer(mappo.Config(out=str(tmp_path / name), steps=480, moves="legal", **SMALL))
        begin = weights(trainer)
        with trainer.envs:
            trainer.run()
        after.append(weights(trainer))
        assert all(not torch.equal(a, b) for a, b in zip(begin, after[-1], strict=True)), "all weights learn"
    assert all(map(torch.equal, *after))


def test_the_dead_teach_the_policy_nothing(mappo: ModuleType, tmp_path: Path) -> None:
    trainer = mappo.Trainer(mappo.Config(out=str(tmp_path), moves="legal", **SMALL))
    with trainer.envs:
        rollout, last = trainer.collect()
    valid = rollout.valid
    assert valid.any()
    assert not valid.all(), "somebody died while the game went on"
    alive = [name.name for name in trainer.envs.encoding["scalars"].names].index("alive")
    assert torch.equal(valid, rollout.scalars[..., alive] > 0), "no step in this mode only resets"
    gain = torch.randn(valid.shape)
    part = torch.arange(len(gain))
    wanted = trainer._policy_loss(rollout, gain, part)
    noise = rollout._replace(logp=torch.where(valid, rollout.logp, torch.randn(valid.shape)))
    got = trainer._policy_loss(noise, torch.where(valid, gain, 1e6), part)
    assert all(map(torch.equal, got, wanted))
    assert rollout.state_planes.shape[:3] == (40, 6, 18), "one state per game"
    assert torch.isfinite(torch.tensor(list(trainer.learn(rollout, last).values()))).all()


def test_advantages(mappo: ModuleType) -> None:
    """By the definition: a sum over the steps to come, that ends with the episode."""
    rng = np.random.default_rng(0)
    reward, value = rng.normal(size=(2, 5, 3)).astype(np.float32)
    done = rng.random((5, 3)) < 0.3
    last = rng.normal(size=3).astype(np.float32)
    empty = dict.fromkeys(mappo.Rollout._fields, None)
    given = {"reward": reward, "value": value, "done": done.astype(np.float32)}
    rollout = mappo.Rollout(**(empty | {name: torch.from_numpy(array) for name, array in given.items()}))
    got = mappo.advantages(rollout, torch.from_numpy(last), 0.9, 0.8).numpy()
    for game in range(3):
        for t in range(5):
            wanted, weight = 0.0, 1.0
            for k in range(t, 5):
                after = value[k + 1, game] if k < 4 else last[game]
                goes_on = not done[k, game]
                wanted += weight * (reward[k, game] + 0.9 * goes_on * after - value[k, game])
                weight *= 0.9 * 0.8
                if done[k, game]:
                    break
            assert got[t, game] == pytest.approx(wanted, abs=1e-5)


def test_program(mappo: ModuleType, binary: Path, tmp_path: Path) -> None:
    env = os.environ | {"POMMEGO_BINARY": str(binary)}
    options = [f"--{name}={value}" for name, value in SMALL.items()]
    command = [sys.executable, str(EXAMPLE), "--out", str(tmp_path / "run")]
    for more in ([*options, "--steps=400"], ["--evaluate=8"]):
        done = subprocess.run([*command, *more], env=env, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
    assert done.stdout.startswith("8 games: ")
    rows = [json.loads(line) for line in (tmp_path / "run" / "progress.jsonl").read_text().splitlines()]
    assert [row["steps"] for row in rows] == [240, 480]
    assert all(np.isfinite(row["value_loss"]) and row["entropy"] > 0 for row in rows)
