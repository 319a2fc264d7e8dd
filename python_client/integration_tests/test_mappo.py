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
SMALL = {"opponent": "static", "games": 6, "rollout": 40, "minibatches": 5, "epochs": 1}


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
    """What dead learners saw and did makes no difference to the weights after an update."""
    after = []
    for noise in (False, True):
        trainer = mappo.Trainer(mappo.Config(out=str(tmp_path), moves="legal", **SMALL))
        with trainer.envs:
            rollout = trainer.collect()
        valid = rollout.valid
        assert valid.any()
        assert not valid.all(), "somebody died while the game went on"
        alive = trainer.eyes.scalars.index("alive")
        assert torch.equal(valid, rollout.seen.scalars[..., alive] > 0), "no step in this mode only resets"
        assert rollout.state_planes.shape[:3] == (41, 6, 18), "one state per game"
        if noise:
            rollout.logp[~valid] = torch.randn(int((~valid).sum()))
            rollout.seen.planes[~valid] = 77
        torch.manual_seed(1)
        assert np.isfinite(list(trainer.learn(rollout).values())).all()
        after.append(weights(trainer))
    assert all(map(torch.equal, *after))


def test_sees_the_board_around_itself(mappo: ModuleType, tmp_path: Path) -> None:
    trainer = mappo.Trainer(mappo.Config(out=str(tmp_path), **SMALL))
    with trainer.envs as envs:
        obs, info = envs.reset(seed=3)
        bombs = np.full(envs.num_envs, 5)
        for _ in range(2):
            obs, _, _, _, info = envs.step(bombs)
        seen = trainer.eyes(obs, info)
    reach, planes = trainer.eyes.reach, trainer.eyes.planes
    assert seen.planes.shape == (12, len(planes), 2 * reach + 1, 2 * reach + 1)
    for row, board in enumerate(obs["planes"]):
        around = np.zeros((len(planes) - 1, 11 + 2 * reach, 11 + 2 * reach), np.uint8)
        around[planes.index("rigid")] = 1
        around[:, reach:-reach, reach:-reach] = board
        ((y, x),) = np.argwhere(board[planes.index("self")])
        wanted = around[:, y : y + 2 * reach + 1, x : x + 2 * reach + 1]
        assert np.array_equal(seen.planes[row, :-1].numpy(), wanted)
        life = int(wanted[planes.index("bomb_life"), reach, reach])
        assert life > 0
        assert seen.planes[row, -1, reach, reach] == max(11 - life, 0)


def test_mirror(mappo: ModuleType, tmp_path: Path) -> None:
    """The second team sits where the first does, and can make the mirrored moves."""
    trainer = mappo.Trainer(mappo.Config(out=str(tmp_path), **SMALL))
    eyes, names = trainer.eyes, trainer.eyes.scalars
    trainer.envs.close()
    rng = np.random.default_rng(0)
    with mappo.pommego.make_vec("PommeTeamCompetition-v0", 16, rules={"num_wood": 0, "num_items": 0}) as envs:
        obs, info = envs.reset(seed=3)
        second = info["seat"] % 2 == 1
        shown, _ = mappo.mirror(obs, info["action_mask"], eyes, second)
        corners = shown["scalars"][:4, [names.index("row"), names.index("col")]]
        assert np.allclose(corners[[3, 1]], corners[[0, 2]])
        differ = 0
        for _ in range(60):
            mask = info["action_mask"]
            shown, moves = mappo.mirror(obs, mask, eyes, second)
            safe = eyes(obs, info).mask.numpy()
            there = eyes(shown, {"action_mask": moves}).mask.numpy()
            assert np.array_equal(there[~second], safe[~second])
            assert np.array_equal(there[second][:, mappo.MIRRORED], safe[second])
            differ += int((there[second] != safe[second]).sum())
            back, again = mappo.mirror(shown, moves, eyes, second)
            assert np.array_equal(again, mask)
            assert np.array_equal(back["planes"], obs["planes"])
            assert np.allclose(back["scalars"], obs["scalars"])
            draw = (rng.random(safe.shape) * safe).argmax(1)
            obs, _, _, _, info = envs.step(draw)
        assert differ


def test_shaping(mappo: ModuleType, tmp_path: Path) -> None:
    trainer = mappo.Trainer(mappo.Config(out=str(tmp_path), outliving=0.5, digging=0.01, **SMALL))
    with trainer.envs:
        scalars = torch.from_numpy(np.stack([trainer.info["state"]["scalars"]] * 2))
    scalars[1, :2, trainer.enemies[0]] = 0
    scalars[1, 5, trainer.enemies] = 0
    wood, done = torch.tensor([[0, 1, 0, 0, 0, 2]]), torch.tensor([[False] * 5 + [True]])
    paid = trainer._shaping(scalars, wood, done)
    assert paid[0].tolist() == pytest.approx([0.5, 0.51, 0, 0, 0, 0]), "after an end only the outcome counts"


def test_resumed_is_the_same(mappo: ModuleType, tmp_path: Path) -> None:
    """Stopped after any update, it gets where it would have come without."""
    options = SMALL | {"opponent": "simple", "judge_every": 1}
    whole = mappo.Trainer(mappo.Config(out=str(tmp_path / "whole"), steps=720, **options))
    with whole.envs, pytest.MonkeyPatch.context() as patch:
        patch.setattr(mappo, "JUDGED", 4)
        whole.run()
        for steps in (240, 720):
            given = options | {"out": str(tmp_path / "parts"), "steps": steps}
            config, saved = mappo.chosen(
                given if steps == 240 else {"out": given["out"], "steps": 720}, resume=steps > 240
            )
            part = mappo.Trainer(config)
            with part.envs:
                if saved:
                    part.restore(saved)
                    with (tmp_path / "parts" / "progress.jsonl").open("a") as file:
                        file.write('{"update": 2, "unsaved": true}\n')
                part.run()
    assert all(map(torch.equal, weights(part), weights(whole)))
    rows = [
        [
            json.loads(line) | {"minutes": 0}
            for line in (tmp_path / out / "progress.jsonl").read_text().splitlines()
        ]
        for out in ("parts", "whole")
    ]
    assert rows[0] == rows[1]
    assert [row["update"] for row in rows[0]] == [0, 1, 2, 3]
    with pytest.raises(SystemExit, match=r"has a run with .*--steps 720, .*not .*--steps 0\. .*--resume"):
        mappo.chosen({"out": str(tmp_path / "parts")}, resume=False)


def test_advantages(mappo: ModuleType) -> None:
    """By the definition: a sum over the steps to come, that ends with the episode."""
    rng = np.random.default_rng(0)
    reward = rng.normal(size=(5, 3)).astype(np.float32)
    value = rng.normal(size=(6, 3)).astype(np.float32)
    done = rng.random((5, 3)) < 0.3
    empty = dict.fromkeys(mappo.Rollout._fields, None)
    given = {"reward": reward, "value": value, "done": done.astype(np.float32)}
    rollout = mappo.Rollout(**(empty | {name: torch.from_numpy(array) for name, array in given.items()}))
    got = mappo.advantages(rollout, 0.9, 0.8).numpy()
    for game in range(3):
        for t in range(5):
            wanted, weight = 0.0, 1.0
            for k in range(t, 5):
                goes_on = not done[k, game]
                wanted += weight * (reward[k, game] + 0.9 * goes_on * value[k + 1, game] - value[k, game])
                weight *= 0.9 * 0.8
                if done[k, game]:
                    break
            assert got[t, game] == pytest.approx(wanted, abs=1e-5)


def test_program(mappo: ModuleType, binary: Path, tmp_path: Path) -> None:
    env = os.environ | {"POMMEGO_BINARY": str(binary)}
    options = [f"--{name}={value}" for name, value in SMALL.items()]
    command = [sys.executable, str(EXAMPLE), "--out", str(tmp_path / "run")]
    options.append("--opponent=random")
    for more in ([*options, "--steps=400", "--judge-every=2"], ["--opponent=random", "--evaluate=8"]):
        done = subprocess.run([*command, *more], env=env, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
    assert done.stdout.startswith("8 games: ")
    rows = [json.loads(line) for line in (tmp_path / "run" / "progress.jsonl").read_text().splitlines()]
    assert [row["steps"] for row in rows] == [0, 240, 480]
    assert all(np.isfinite(row["value_loss"]) and row["entropy"] > 0 for row in rows[1:])
    assert ["judged" in row for row in rows] == [True, False, True], (
        "before it learns, and every second update"
    )
    assert all(0 <= row["judged"] <= 1 for row in rows[::2])


def test_learns_to_beat_static(mappo: ModuleType, tmp_path: Path) -> None:
    """A minute from nothing, in the way that the docs' curve was made."""
    won = []
    for name, limit in (("before", {"minutes": 0.0}), ("after", {"steps": 200_000})):
        config = mappo.Config(out=str(tmp_path / name), opponent="static", seed=1, **limit)
        trainer = mappo.Trainer(config)
        with trainer.envs:
            trainer.run()
        won.append(mappo.evaluate(trainer.actor, trainer.eyes, config.env, "static", 100).win_rate)
    print(won)
    assert won[1].low > won[0].high, won
    assert won[1].low > 0.85, won
