"""The recipes in `examples/baselines`: their parts, and a short run that is stopped and goes on."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("pyarrow")

import pommego

BASELINES = Path(__file__).resolve().parents[1] / "examples" / "baselines"


@pytest.fixture(scope="module")
def ppo(binary: Path) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "POMMEGO_BINARY", str(binary))
        patch.syspath_prepend(str(BASELINES))
        yield importlib.import_module("ppo")


SMALL = "--demonstrations 8 --epochs 1 --games 16 --rollout 8 --minibatch 32 --judge 4"


@pytest.mark.parametrize("name", ["ppo-ffa", "ppo-duel", "mappo-team", "mappo-radio", "selfplay-ffa"])
def test_a_run_goes_on(
    ppo: ModuleType, name: str, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Imitation first, then PPO; the same command does not imitate again, and trains on to a higher limit."""
    quick = ppo.RECIPES[name]._replace(judges=("simple",))
    monkeypatch.setitem(ppo.RECIPES, name, quick)
    small = [name, "--out", str(tmp_path), *SMALL.split()]
    ppo.main([*small, "--minutes", "0.02"])
    assert ("imitation: agrees in" in capsys.readouterr().out) == (name != "selfplay-ffa")
    first = [json.loads(line) for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    with (tmp_path / "progress.jsonl").open("a") as log:  # as if it had been stopped a little later
        print(json.dumps(first[-1] | {"updates": len(first) + 1}), '{"updates', sep="\n", end="", file=log)
    ppo.main([*small, "--minutes", str(first[-1]["minutes"] + 0.01)])
    assert "imitation" not in capsys.readouterr().out
    rows = [json.loads(line) for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert [row["updates"] for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) > len(first)
    begun = rows[0].keys() | rows[len(first)].keys()
    assert not any(key.startswith("won ") for key in begun), "no game ends in 8 steps"
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["games"] == 4
    assert 0 <= result["against"]["simple"]["won"] <= 1
    for other, was, now in (
        ([*small, "--gamma", "0.9"], "gamma=0.998", "gamma=0.9"),
        (["scratch-team", *small[1:]], f"name={name}", "name=scratch-team"),
    ):
        with pytest.raises(SystemExit):
            ppo.main(other)
        error = f"has a run with {was}, not {now}: give its options or another folder"
        assert error in capsys.readouterr().err
    (tmp_path / "checkpoint.pt").unlink()
    with pytest.raises(SystemExit):
        ppo.main(small)
    assert "has progress.jsonl and no checkpoint.pt: name another --out" in capsys.readouterr().err
    assert len((tmp_path / "progress.jsonl").read_text().splitlines()) == len(rows)


def test_other_demonstrations_after_a_stop(
    ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ppo, "imitate", lambda *_: 1 / 0)
    for games in ("2", "3"):
        with pytest.raises(ZeroDivisionError):
            ppo.main(["ppo-duel", "--out", str(tmp_path), "--demonstrations", games])


def test_a_teacher_that_only_tied(
    ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(ppo.data, "rebuild", lambda *_, **__: [])
    with pytest.raises(SystemExit):
        ppo.main(["ppo-duel", "--out", str(tmp_path), "--demonstrations", "1"])
    assert "the teacher tied all of its 1 games: give more --demonstrations" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["scratch-ffa", "scratch-team"])
def test_from_nothing(
    ppo: ModuleType, name: str, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a teacher, but with pay for more than the game's end."""
    monkeypatch.setitem(ppo.RECIPES, name, ppo.RECIPES[name]._replace(judges=("static",)))
    ppo.main([name, "--out", str(tmp_path), *SMALL.split(), "--minutes", "0.01"])
    assert "imitation" not in capsys.readouterr().out
    rows = [json.loads(line) for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert [row["updates"] for row in rows] == list(range(1, len(rows) + 1)) != []
    assert json.loads((tmp_path / "result.json").read_text())["games"] == 4


def test_a_network_trains_on(ppo: ModuleType, tmp_path: Path) -> None:
    """Without imitation, from the moves of the agent; a network of other layers is refused."""
    run = ["mappo-team", "--out", str(tmp_path / "a"), "--begin", "mappo-team", *SMALL.split()]
    ppo.main([*run, "--minutes", "0"])
    small, begun = pommego.load(tmp_path / "a" / "policy.net"), pommego.load("mappo-team")
    for one, other in zip(small.layers, begun.layers, strict=True):
        assert abs(one.weights * 2.0**-one.shift - other.weights * 2.0**-other.shift).max() <= 2.0**-one.shift
    with pytest.raises(ValueError, match=r"PommeTeamCompetition-v0 has \[6, 192, 1, 1\] for .*=24"):
        ppo.main(["mappo-radio", *run[1:2], str(tmp_path / "b"), *run[3:]])


def test_ratings_of_past_selves_are_kept(ppo: ModuleType, tmp_path: Path) -> None:
    o = ppo.parser.parse_args(["selfplay-ffa", "--out", str(tmp_path), *SMALL.split()])
    run, again = ppo.Run(o), ppo.Run(o)
    for score in (0.0, 1.0, 0.5):
        run.remember()
        run.past.record(run.past.members[-1], score)
    run.save()
    o.device = "meta"  # as on a GPU, where Adam would wait for counts of its steps: they stay here
    again.restore(ppo.checkpoint(again.out))
    assert again.past.state() == run.past.state()
    assert again.past.weights().tolist() == run.past.weights().tolist()


@pytest.mark.parametrize("option", ["games", "minibatch", "passes", "judge"])
def test_counts_are_refused_before_training(
    ppo: ModuleType, option: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit):
        ppo.main(["ppo-duel", f"--{option}", "0", "--out", str(tmp_path / "run")])
    assert f"argument --{option}: 0, expected 1 or more" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_damaged_checkpoint(ppo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"PK")
    with pytest.raises(SystemExit):
        ppo.main(["ppo-duel", "--out", str(tmp_path)])
    assert f"{tmp_path / 'checkpoint.pt'} is damaged: remove it" in capsys.readouterr().err


@pytest.mark.parametrize("seed", [70, 100, -1])
def test_seeds_of_other_boards(ppo: ModuleType, seed: int, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        ppo.parser.parse_args(["ppo-ffa", "--seed", str(seed)])
    assert f"argument --seed: {seed}, expected 0 to 69" in capsys.readouterr().err
    assert ppo.parser.parse_args(["ppo-ffa", "--seed", "69"]).seed == 69


def test_a_long_run_keeps_to_its_boards(
    ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(ppo, "Games", lambda policy, recipe, o, seed, past: seeds.append(seed) or 1 / 0)
    options = ["ppo-ffa", "--out", str(tmp_path), "--seed", "69", "--games", "16384"]
    run = ppo.Run(ppo.parser.parse_args(options))
    for run.done["updates"] in (0, 609, 610, 5000):
        with pytest.raises(ZeroDivisionError):
            run.train()
    assert seeds[:2] == [690_000_000, 690_000_000 + 609 * 16384]
    assert len(set(seeds)) == 4 and max(seeds) + 16384 <= ppo.DEMONSTRATED


@pytest.mark.parametrize(
    ("options", "want"),
    [("", 2048), ("--device meta", 65536), ("--device meta --games 256 --rollout 64", 2048)],
    ids=str,
)
def test_minibatches(ppo: ModuleType, tmp_path: Path, options: str, want: int) -> None:
    """On a device of its own an eighth of an update."""
    o = ppo.parser.parse_args(["ppo-ffa", "--out", str(tmp_path), *options.split()])
    assert ppo.Run(o).o.minibatch == want


def test_mute(ppo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Neither the network in training nor its file says a word. Other recipes have none."""
    with pytest.raises(SystemExit):
        ppo.main(["ppo-ffa", "--mute", "--out", str(tmp_path)])
    assert "--mute is for mappo-radio: ppo-ffa sends no words" in capsys.readouterr().err
    policy = ppo.Policy(ppo.RECIPES["mappo-radio"])
    said = [6 + word for word in range(18) if word % 9]
    seen = torch.zeros(2, len(policy.planes), 11, 11), torch.zeros(2, policy.numbers), torch.ones(2, 6) > 0
    before, _ = policy(*seen)
    policy.mute = True
    after, _ = policy(*seen)
    assert (after[:, said] == -1e9).all() and (after != before).sum() == 2 * len(said)
    biases = policy.export().layers[-1].biases
    assert biases[said].max() < biases[[k for k in range(24) if k not in said]].min() - 50


def test_every_recipe_is_run(ppo: ModuleType) -> None:
    run = [name for test in (test_a_run_goes_on, test_from_nothing) for name in test.pytestmark[0].args[1]]
    assert sorted(run) == sorted(ppo.RECIPES)


def test_diagnose(
    ppo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each seat's first game, to its end, is looked into."""
    diagnose = importlib.import_module("diagnose")
    small = ["selfplay-ffa", "--out", str(tmp_path), *SMALL.split(), "--minutes", "0", "--gamma", "0.9"]
    ppo.main(small)
    run = ppo.Run(ppo.parser.parse_args(small))
    run.restore(ppo.checkpoint(run.out))
    for against in ("static", ppo.SELF):
        *_, gained, left = diagnose.played(run, against, 16)
        counts = left.long().bincount()[1:]
        assert counts[0] == 16, "every seat's game has ended"
        assert (counts.diff() <= 0).all(), "and has been seen from its beginning on"
        assert gained.min() >= -1
    capsys.readouterr()
    diagnose.main(["selfplay-ffa", str(tmp_path), "--against", "static", "--games", "4"])
    moves, values = capsys.readouterr().out.split("\n\n")
    assert sum(float(line.split("|")[2]) for line in moves.splitlines()[2:]) == pytest.approx(100, abs=0.3)
    assert len(values.splitlines()) == 2 + len(diagnose.LEFT)
    monkeypatch.setattr(diagnose, "played", lambda run, *_: 1 / (run.o.gamma - 0.9))
    with pytest.raises(ZeroDivisionError):  # by the options of the run
        diagnose.main(["selfplay-ffa", str(tmp_path)])
    with pytest.raises(SystemExit):
        diagnose.main(["selfplay-ffa", str(tmp_path), "--gamma", "0.8"])
    assert "has a run with gamma=0.9, not gamma=0.8" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        diagnose.main(["selfplay-ffa", str(tmp_path / "mistyped")])
    assert f"{tmp_path / 'mistyped'} has no checkpoint.pt" in capsys.readouterr().err
    assert not (tmp_path / "mistyped").exists()


def test_diagnose_leaves_out_the_dead(
    ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a team, whose rows only stay."""
    diagnose, kept = importlib.import_module("diagnose"), []
    run = ppo.Run(ppo.parser.parse_args(["mappo-team", "--out", str(tmp_path), *SMALL.split()]))
    collect = ppo.collect
    monkeypatch.setattr(ppo, "collect", lambda *args: kept.append(collect(*args)) or kept[0])
    looked = diagnose.played(run, "simple", 16)
    *_, over, valid = kept[0][0]
    first = over.long().cumsum(0) - over.long() == 0
    assert 0 < (first & valid).sum() < first.sum(), "some died before the end"
    assert len(looked.action) == (first & valid).sum()


def test_a_duellist_learns(ppo: ModuleType, tmp_path: Path) -> None:
    """The recipe at a ninth of its length. A run won 81 %, and 69 % after imitation alone."""
    less = "--demonstrations 1000 --minutes 5 --judge 400"
    ppo.main(["ppo-duel", "--out", str(tmp_path), *less.split()])
    assert json.loads((tmp_path / "result.json").read_text())["against"]["simple"]["won"] > 0.7


@pytest.mark.parametrize("name", ["ppo-ffa", "mappo-team"])
def test_the_file_decides_as_the_network(ppo: ModuleType, name: str, tmp_path: Path) -> None:
    """Rounded to bytes it gives nearly the same chances."""
    torch.manual_seed(0)
    recipe = ppo.RECIPES[name]
    policy = ppo.Policy(recipe)
    torch.nn.init.orthogonal_(policy.actor.weight, 0.5)
    policy.export().save(tmp_path / "a.net")
    network = pommego.load(tmp_path / "a.net")
    with pommego.make_vec(recipe.id, 32, opponents="simple", **network.options) as envs:
        obs, info = envs.reset(seed=0)
        for _ in range(30):
            obs, _, _, _, info = envs.step(envs.sample_actions(info["action_mask"]))
    seen, moves = network.read(obs), torch.from_numpy(info["action_mask"][:, :6] > 0)
    with torch.no_grad():
        logp = policy(*map(torch.from_numpy, seen), moves)[0].log_softmax(1)
    own = network.answers(*seen) / (32 * 2 ** network.layers[-1].shift)
    got = torch.from_numpy(own).masked_fill(~moves, -1e9).log_softmax(1).exp()
    assert (got - logp.exp()).abs().max() < 0.05


def test_the_dead_teach_nothing(ppo: ModuleType, tmp_path: Path) -> None:
    """What dead members of a team saw and did makes no difference to the weights after an update."""
    o = ppo.parser.parse_args(["mappo-team", "--out", str(tmp_path), *SMALL.split()])
    after = []
    for noise in (False, True):
        run = ppo.Run(o)
        games = ppo.Games(run.policy, run.recipe, o, 0, run.past)
        played, last = ppo.collect(games, 120)
        for envs in games.envs:
            envs.close()
        *_, near, _, moves, _, logp, _, _, _, valid = played
        assert valid.any()
        assert not valid.all(), "somebody died while the game went on"
        if noise:
            logp[~valid] = torch.randn_like(logp[~valid])
            near[~valid], moves[~valid] = 77, True
        torch.manual_seed(1)
        ppo.learn(run.policy, run.optimizer, played, last, o)
        after.append(list(run.policy.state_dict().values()))
    assert all(map(torch.equal, *after))


def test_shares_won_are_of_games(ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game of a team counts the same, whether both live at its end or one."""
    o, want, lived = ppo.parser.parse_args(["mappo-team", "--out", str(tmp_path), *SMALL.split()]), 0, set()
    run = ppo.Run(o)
    games = ppo.Games(run.policy, run.recipe, o, 0, run.past)
    results = games.results

    def noted(batch: Any) -> Any:
        nonlocal want
        for info in batch.infos:
            if "game" in info:
                ended = info["_game"]
                want += np.array([info["game"]["won"].sum(), ended.sum()])
                lived.update(info["valid"].reshape(-1, 2).sum(1)[ended[::2]].tolist())
        return results(batch)

    monkeypatch.setattr(games, "results", noted)
    with ExitStack() as stack:
        for envs in games.envs:
            stack.enter_context(envs)
        while 1 not in lived:
            ppo.collect(games, 20)
    assert games.won.sum(0).tolist() == want.tolist()


@pytest.mark.parametrize("way", range(8))
def test_mirrored(ppo: ModuleType, way: int) -> None:
    """Planes, blocks and moves turn together, one turn after the other."""
    recipe = ppo.RECIPES["mappo-team"]
    policy, rng = ppo.Policy(recipe), np.random.default_rng(way)
    near = rng.integers(0, 255, (5, len(policy.planes), 11, 11), np.uint8)
    numbers, moves = rng.integers(0, 255, (5, policy.numbers + 4), np.uint8), rng.random((5, 6)) < 0.5
    ways = torch.full((5,), way)
    got = ppo.Mirrors(policy, "cpu")(ways, *map(torch.from_numpy, (near, numbers, moves)))
    turns = (  # and the ways of bombs and moves, up, down, left and right; each turn is its own inverse
        (1, lambda x: x[..., ::-1, :], [1, 0, 2, 3]),
        (2, lambda x: x[..., ::-1], [0, 1, 3, 2]),
        (4, lambda x: x.swapaxes(-1, -2), [2, 3, 0, 1]),
    )
    up, scalars = policy.planes.index("bomb_up"), len(policy.scalars)
    blocks = numbers[:, scalars : policy.numbers].reshape(5, -1, 3, 3)
    for bit, turn, then in turns:
        if way & bit:
            near, blocks = turn(near), turn(blocks)
            near[:, up : up + 4] = near[:, [up + d for d in then]]
            moves = moves[:, [0, *(1 + d for d in then), 5]]
    want = near, np.concatenate([numbers[:, :scalars], blocks.reshape(5, -1)], 1), moves
    for one, other in zip(want, got, strict=True):
        np.testing.assert_array_equal(one, other.numpy())


def test_each_kind_in_all_mirrors(ppo: ModuleType, tmp_path: Path) -> None:
    """So that a network cannot know its opponents by the mirror, and play otherwise without one."""
    o = ppo.parser.parse_args(["mappo-team", "--out", str(tmp_path)])
    run = ppo.Run(o)
    games = ppo.Games(run.policy, run.recipe, o, 0, run.past)
    with ExitStack() as stack:
        for envs in games.envs:
            stack.enter_context(envs)
        for kinds, ways in zip(games.kinds, games.ways, strict=True):
            met = {(int(kind), int(way)) for kind, way in zip(kinds, ways, strict=True)}
            assert len(met) == 8 * len(run.recipe.opponents)


def test_advantages(ppo: ModuleType) -> None:
    """Against the definition: the weighted sum of surprises up to the episode's end."""
    steps, rows, gamma, lam = 7, 3, 0.9, 0.8
    rng = torch.Generator().manual_seed(1)
    reward, value = torch.randn(2, steps, rows, generator=rng)
    over = torch.rand(steps, rows, generator=rng) < 0.3
    last = torch.randn(rows, generator=rng)
    got = ppo.advantages(reward, value, over, last, gamma=gamma, lam=lam)
    values = torch.cat([value, last[None]])
    for row in range(rows):
        for t in range(steps):
            want, weight = 0.0, 1.0
            for k in range(t, steps):
                after = 0 if over[k, row] else values[k + 1, row]
                want += weight * (reward[k, row] + gamma * after - value[k, row])
                if over[k, row]:
                    break
                weight *= gamma * lam
            assert got[t, row].item() == pytest.approx(float(want), abs=1e-5)
