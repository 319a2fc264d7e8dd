"""The training example, `examples/ppo.py`: its parts, that it can be resumed, and that it learns."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pommego

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FFA, DUEL = "PommeFFACompetition-v0", "OneVsOne-v0"
SMALL = {"games": 12, "rollout": 5, "minibatch": 30, "minutes": 9.0, "save_every": 1000}


@pytest.fixture(scope="module")
def ppo(binary: Path) -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("ppo_example", EXAMPLES / "ppo.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ppo_example", module)  # dataclasses look there
        patch.setitem(os.environ, "POMMEGO_BINARY", str(binary))
        spec.loader.exec_module(module)
        yield module


def trained(ppo: ModuleType, config: object, saved: dict | None = None) -> dict:
    """Train, and return the checkpoint."""
    trainer = ppo.Trainer(config)
    if saved:
        trainer.restore(saved)
    trainer.run()
    trainer.close()
    return ppo.load(config.out)[1]


@pytest.mark.parametrize(
    "options",
    [
        {
            "env": FFA,
            "opponents": ["static", "simple,random,static"],
            "self_play": 0.5,
            "pool_every": 1,
            "pool": 2,
        },
        {"env": DUEL, "opponents": ["static"]},
        {
            "env": "PommeTeamCompetition-v0",
            "self_play": 1.0,
            "rules": json.dumps({"num_wood": 0, "num_items": 0}),
        },
    ],
    ids=["mix and self-play", "duel", "team"],
)
def test_resumed_is_the_same(ppo: ModuleType, tmp_path: Path, options: dict) -> None:
    update = SMALL["games"] * SMALL["rollout"]
    options = SMALL | options
    whole = trained(ppo, ppo.Config(out=str(tmp_path / "whole"), steps=12 * update, **options))
    parts = ppo.Config(out=str(tmp_path / "parts"), steps=6 * update, **options)
    trained(ppo, parts)
    parts.steps = 12 * update
    resumed = trained(ppo, parts, ppo.load(parts.out)[1])
    assert resumed["update"] == whole["update"] == 12
    for name, weights in whole["policy"].items():
        torch.testing.assert_close(resumed["policy"][name], weights, rtol=0, atol=0)
    assert resumed["wins"] == whole["wins"]
    rows = [json.loads(line) for line in (tmp_path / "parts" / "progress.jsonl").read_text().splitlines()]
    assert [row["update"] for row in rows] == list(range(1, 13))


def test_stopped_by_a_signal_is_the_same(ppo: ModuleType, binary: Path, tmp_path: Path) -> None:
    """Ctrl-C in a terminal reaches every process of the group: the update is finished and saved."""
    update, run = SMALL["games"] * SMALL["rollout"], tmp_path / "parts"
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    command = [sys.executable, str(EXAMPLES / "ppo.py"), "train", "--env", DUEL, "--out", str(run), *options]
    training = subprocess.Popen(
        command,
        env=os.environ | {"POMMEGO_BINARY": str(binary)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    progress = run / "progress.jsonl"
    while not (progress.exists() and progress.read_text().count("\n") > 2):
        assert training.poll() is None, training.stderr
        time.sleep(0.05)
    os.killpg(training.pid, signal.SIGINT)
    _, said = training.communicate(timeout=60)
    assert training.returncode == 0, said
    assert "SIGINT: stopping after this update; the same command goes on" in said
    config, saved = ppo.load(str(run))
    config.steps = (saved["update"] + 3) * update
    resumed = trained(ppo, config, saved)
    options = SMALL | {"env": DUEL, "steps": config.steps}
    whole = trained(ppo, ppo.Config(out=str(tmp_path / "whole"), **options))
    assert resumed["update"] == whole["update"] == saved["update"] + 3
    for name, weights in whole["policy"].items():
        torch.testing.assert_close(resumed["policy"][name], weights, rtol=0, atol=0)


def test_begins_with_the_policy_of_another_run(ppo: ModuleType, tmp_path: Path) -> None:
    easy = ppo.Config(out=str(tmp_path / "easy"), rules='{"num_wood": 0, "num_items": 0}', steps=1, **SMALL)
    first = trained(ppo, easy)["policy"]
    trainer = ppo.Trainer(ppo.Config(out=str(tmp_path / "hard"), init=easy.out, seed=1, **SMALL))
    trainer.close()
    for name, weights in trainer.policy.state_dict().items():
        torch.testing.assert_close(weights, first[name], rtol=0, atol=0)


def test_sees_the_board_around_itself(ppo: ModuleType) -> None:
    with pommego.make_vec(FFA, 2) as envs:
        obs, info = envs.reset(seed=0)
        eyes = ppo.Eyes(envs.game_spec)
        seen, middle = eyes(obs, info["action_mask"]), ppo.NEAR // 2
        assert eyes.enemies(seen).tolist() == [3] * 8
        own = eyes.planes.index("self")
        for row in range(envs.num_envs):
            (y,), (x,) = np.nonzero(obs["planes"][row, own])
            for dy in range(-middle, middle + 1):
                for dx in range(-middle, middle + 1):
                    inside = 0 <= y + dy < 11 and 0 <= x + dx < 11
                    beyond = [name == "rigid" for name in eyes.planes[:-1]]
                    want = obs["planes"][row, :, y + dy, x + dx] if inside else beyond
                    assert seen.near[row, :-1, middle + dy, middle + dx].tolist() == list(want)


def test_sees_what_comes(ppo: ModuleType) -> None:
    """The last plane grows by one a step until flames break out, and only safe moves are chosen from."""
    with pommego.make_vec(FFA, 1, opponents=["static"] * 3) as envs:
        obs, info = envs.reset(seed=0)
        eyes, middle = ppo.Eyes(envs.game_spec), ppo.NEAR // 2
        for life in range(9, 0, -1):
            obs, _, _, _, info = envs.step([5 if life == 9 else 0])
            seen = eyes(obs, info["action_mask"])
            assert seen.near[0, -1, middle, middle] == 11 - life
            safe = eyes.safety.moves(obs["planes"], obs["scalars"], info["action_mask"])
            assert seen.mask.tolist() == safe.tolist()
            legal = ppo.Eyes(envs.game_spec, "legal")(obs, info["action_mask"])
            assert legal.mask.tolist() == (info["action_mask"] > 0).tolist()


def test_masked_actions_are_not_chosen(ppo: ModuleType) -> None:
    with pommego.make_vec(FFA, 8) as envs:
        obs, info = envs.reset(seed=0)
        eyes = ppo.Eyes(envs.game_spec)
        policy = ppo.Policy(eyes)
        for _ in range(30):
            actions = policy.act(eyes(obs, info["action_mask"])).numpy()
            assert info["action_mask"][np.arange(len(actions)), actions].all()
            obs, _, _, _, info = envs.step(actions)


def test_advantages(ppo: ModuleType) -> None:
    """Against the definition: the weighted sum of surprises up to the episode's end."""
    steps, rows, gamma, lam = 7, 3, 0.9, 0.8
    rng = torch.Generator().manual_seed(1)
    reward, value = torch.randn(2, steps, rows, generator=rng)
    done = (torch.rand(steps, rows, generator=rng) < 0.3).float()
    last = torch.randn(rows, generator=rng)
    got = ppo.advantages(reward, value, done, last, gamma=gamma, lam=lam)
    values = torch.cat([value, last[None]])
    for row in range(rows):
        for t in range(steps):
            want, weight = 0.0, 1.0
            for k in range(t, steps):
                after = 0 if done[k, row] else values[k + 1, row]
                want += weight * (reward[k, row] + gamma * after - value[k, row])
                if done[k, row]:
                    break
                weight *= gamma * lam
            assert got[t, row].item() == pytest.approx(float(want), abs=1e-5)


def test_shaping(ppo: ModuleType, tmp_path: Path) -> None:
    options = SMALL | {"games": 3}
    trainer = ppo.Trainer(ppo.Config(out=str(tmp_path), opponents=["static"], **options))
    before = trainer.arenas[0].seen
    trainer.close()
    after = ppo.Seen(*(tensor.clone() for tensor in before))
    after.scalars[:, trainer.eyes.scalars.index("enemy1_alive")] = 0
    after.far[:, ppo.FAR.index("wood")] = 0  # of which others burnt all but one
    nothing = torch.zeros(3)
    outcome = ppo.Outcome(
        nothing, torch.tensor([False, False, True]), nothing, nothing, torch.tensor([0, 1, 1])
    )
    paid = trainer._shaping(before, after, outcome)
    want = [0.5, 0.51, 0]  # an enemy; an enemy and a piece of wood; the outcome alone
    assert paid.tolist() == pytest.approx(want)


def test_pays_for_its_own_wood(ppo: ModuleType, tmp_path: Path) -> None:
    """Against agents that dig it is paid for what its own bombs burnt: in all what the games count."""
    config = ppo.Config(out=str(tmp_path), opponents=["simple"], **SMALL)
    arena = ppo.Arena(config, pommego.catalog()[FFA], "simple", 12, 3)
    wood, gone, counted = torch.zeros(12), 0.0, []

    def noted(batch: tuple) -> tuple:
        info = batch[-1]
        if "game" in info:
            counted.append((np.flatnonzero(info["_game"]), info["game"]["wood"].copy()))
        return batch

    wait = arena.wait
    arena.wait = lambda: noted(wait())
    for _ in range(150):
        before = arena.seen.far[:, ppo.FAR.index("wood")].sum().item()
        arena.send(ppo.Policy(arena.eyes).act(arena.seen))
        outcome = arena.receive()
        wood += outcome.wood
        if not outcome.done.any():
            gone += before - arena.seen.far[:, ppo.FAR.index("wood")].sum().item()
        for rows, counts in counted:
            np.testing.assert_array_equal(wood[rows], counts[rows])
            wood[rows] = 0
        counted.clear()
    arena.envs.close()
    assert gone > 100, "most of it by others"


def test_self_play(ppo: ModuleType, tmp_path: Path) -> None:
    """The pool's members are past policies, what they play is counted, and only so many are kept."""
    options = SMALL | {"rollout": 30, "pool": 2, "pool_every": 1, "rule": "prioritised", "moves": "legal"}
    trainer = ppo.Trainer(ppo.Config(out=str(tmp_path), self_play=1.0, **options))
    before = [weights.clone() for weights in trainer.policy.parameters()]
    for _ in range(4):
        trainer.one_update()
    assert [member.name for member in trainer.pool.members] == ["update 2", "update 3"]
    for member in trainer.pool.members:
        past = list(member.policy.policy.parameters())
        assert not any(torch.equal(one, other) for one, other in zip(past, before, strict=True))
        assert not any(weights.requires_grad for weights in past)
    assert sum(member.games for member in trainer.pool.members) > 0
    assert len(trainer.wins[ppo.SELVES]) > 10
    assert trainer.history[-1]["rating"] == trainer.pool.rating != 1000
    trainer.close()


def test_judged_while_it_learns(
    ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """In the first update and every so many; its curve and that of the rating are drawn."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(ppo, "JUDGED", 4)
    run, png = str(tmp_path / "run"), tmp_path / "curve.png"
    config = ppo.Config(out=run, env=DUEL, self_play=1.0, judges=["static"], judge_every=2, **SMALL)
    config.steps = 4 * SMALL["games"] * SMALL["rollout"]
    rows = trained(ppo, config)["history"]
    shares = [row["judged"]["static"] for row in rows if "judged" in row]
    assert [row["update"] for row in rows if "judged" in row] == [1, 3]
    assert all(4 * share in range(5) for share in shares)
    update = SMALL["games"] * SMALL["rollout"] / 1e6
    drawn = ppo._curves(rows)["evaluated against static"]
    assert drawn == [(update, 100 * shares[0]), (3 * update, 100 * shares[1])]
    ppo.main(["plot", run, "--png", str(png)])
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("wins", "of", "low", "high", "reason"),
    [
        (0, 10, 0.0, 0.2775, "nothing won still leaves a chance"),
        (50, 100, 0.4038, 0.5962, "symmetric in the middle"),
        (10, 10, 0.7225, 1.0, "the mirror image of nothing"),
    ],
)
def test_wilson(ppo: ModuleType, wins: int, of: int, low: float, high: float, reason: str) -> None:
    assert ppo.wilson(wins, of) == pytest.approx((low, high), abs=1e-4), reason


def test_learns_to_beat_static(ppo: ModuleType, tmp_path: Path) -> None:
    """Two minutes from nothing: more than half of the games where chance wins a quarter."""
    config = ppo.Config(out=str(tmp_path / "run"), env=FFA, opponents=["static"], steps=300_000, seed=1)
    trainer = ppo.Trainer(config)
    before = ppo.evaluate(trainer.policy, config, "static", 200)
    trainer.run()
    trainer.close()
    after = ppo.evaluate(trainer.policy, config, "static", 200)
    print(before, after, trainer.history[-1])
    assert after["low"] > before["high"], (before, after)
    assert after["low"] > 0.5, after


def test_leaves_other_runs_alone(ppo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The same command goes on, and another one is refused: it names what differs, and --resume."""
    run = tmp_path / "run"
    small = ["train", "--out", str(run), "--env", DUEL, "--games", "8", "--rollout", "4", "--minibatch", "16"]

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in run.iterdir()}

    def updates() -> int:
        return len((run / "progress.jsonl").read_text().splitlines())

    ppo.main([*small, "--steps", "128"])
    assert updates() == 4
    said = capsys.readouterr().err
    assert re.search(r"\d/s, reward [+-]\d.*, wins .*, losses [+-]\d", said), said
    kept = files()
    for more, why in (
        (
            ["--steps", "64"],
            r"has a run with --steps 128, not --steps 64\. .*--resume may change --minutes, --steps",
        ),
        (["--steps", "128", "--learning-rate", "0.1"], "--learning-rate 0.0005, not --learning-rate 0.1"),
        (["--resume", "--seed", "3"], "--seed 0, not --seed 3"),
    ):
        with pytest.raises(SystemExit, match=why):
            ppo.main([*small, *more])
        assert files() == kept
    capsys.readouterr()
    ppo.main([*small, "--steps", "128"])
    said = capsys.readouterr().err
    assert "128 steps done, until 60 minutes or 128 steps" in said
    assert "nothing is left to do: --resume with a higher --minutes or --steps trains on" in said
    ppo.main(["train", "--out", str(run), "--resume", "--minutes", "0"])
    assert "until 0 minutes or 128 steps\nnothing is left to do" in capsys.readouterr().err
    ppo.main([*small, "--steps", "128"])
    ppo.main(["train", "--out", str(run), "--resume", "--minutes", "60", "--steps", "192"])
    assert updates() == 6
    (run / "checkpoint.pt").unlink()
    with pytest.raises(SystemExit, match=r"has no run that ppo\.py could go on with"):
        ppo.main([*small, "--steps", "128"])
    assert updates() == 6


def test_plot_names_what_it_needs(ppo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match=r"pip install 'pommego\[plot\]'"):
        ppo.main(["plot", "runs/a"])


def test_command_line(ppo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("matplotlib")
    run, png = str(tmp_path / "run"), tmp_path / "curve.png"
    small = ["--games", "8", "--rollout", "4", "--minibatch", "16"]
    ppo.main(["train", "--out", run, "--env", DUEL, "--opponents", "random", "--steps", "200", *small])
    assert "steps" in capsys.readouterr().err
    ppo.main(["train", "--out", run, "--resume", "--steps", "400"])
    ppo.main(["evaluate", run, "--opponents", "static", "--episodes", "10"])
    result = json.loads(capsys.readouterr().out)
    assert result["episodes"] == 10
    assert 0 <= result["low"] <= result["share"] <= result["high"] <= 1
    ppo.main(["plot", run, "--png", str(png)])
    assert png.read_bytes().startswith(b"\x89PNG")


def test_plays_for_the_command_line(ppo: ModuleType, binary: Path, tmp_path: Path) -> None:
    """In a match it makes of every dictionary what the environment shows of the same game."""
    run, asked = str(tmp_path / "run"), tmp_path / "asked.jsonl"
    trained(ppo, ppo.Config(out=run, env=FFA, opponents=["static"], steps=1, **SMALL))
    agent = f"tee {asked} | {sys.executable} {EXAMPLES / 'ppo_agent.py'} {run}"
    record = tmp_path / "match.jsonl"
    command = [binary, "play", "--agents", f"exec:{agent},simple,simple,simple", "--seed", "5", "--json"]
    command += ["--record", record, "--wait", "90s", "--limit", "20s", "--quiet"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, timeout=200)
    seat = json.loads(done.stdout)["seats"][0]
    assert seat["late"] == seat["failed"] == 0, done
    game = json.loads(record.read_text())
    questions = [json.loads(line) for line in asked.read_text().splitlines()]
    shown = [question["obs"] for question in questions if question["type"] == "act"]
    assert len(shown) >= 8
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        from ppo_agent import Player

        player = Player(run)
    with pommego.make_vec(FFA, 1, autoreset_mode="Disabled") as envs:
        obs, info = envs.reset(seed=5)
        for dictionary, step in zip(shown, game["steps"], strict=False):
            np.testing.assert_array_equal(player.planes(dictionary, 0), obs["planes"][0])
            np.testing.assert_array_equal(player.scalars(dictionary, 0), obs["scalars"][0])
            np.testing.assert_array_equal(player.mask(dictionary), info["action_mask"][0])
            obs, _, _, _, info = envs.step(step["actions"])
