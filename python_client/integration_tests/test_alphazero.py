"""The example `examples/alphazero.py`: its parts, and a short run from training to evaluation."""

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

import pommego

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "alphazero.py"
SMALL = {"games": 4, "simulations": 6, "moves": 10, "longest": 20, "playout": 8, "batch": 32, "matches": 4}
OPPONENTS = pytest.mark.parametrize("opponent", ["static", "simple", "self"])


@pytest.fixture(scope="module")
def alphazero(binary: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("alphazero_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "alphazero_example", module)  # dataclasses look there
        patch.setitem(os.environ, "POMMEGO_BINARY", str(binary))
        spec.loader.exec_module(module)
        yield module


@OPPONENTS
def test_same_seed_same_network(alphazero: ModuleType, tmp_path: Path, opponent: str) -> None:
    after = []
    for name in ("a", "b"):
        config = alphazero.Config(out=str(tmp_path / name), opponent=opponent, iterations=3, **SMALL)
        trainer = alphazero.Trainer(config)
        begin = [p.detach().clone() for p in trainer.network.parameters()]
        with trainer.envs:
            trainer.run()
        after.append([p.detach().clone() for p in trainer.network.parameters()])
        assert all(not torch.equal(a, b) for a, b in zip(begin, after[-1], strict=True)), "all weights learn"
    assert all(map(torch.equal, *after))


@OPPONENTS
def test_search(alphazero: ModuleType, tmp_path: Path, opponent: str) -> None:
    """Each simulation is counted once in every tree, for legal moves, and leaves the games alone."""
    trainer = alphazero.Trainer(alphazero.Config(out=str(tmp_path), opponent=opponent, **SMALL))
    with trainer.envs as envs:
        trainer.play()
        before = envs.get_state()
        search = trainer.search
        found = search.run(before, trainer.seen, np.random.default_rng(3))
        assert envs.get_state() == before
        players = envs.learners
        assert found.chances.shape == (4, players, 6)
        np.testing.assert_allclose(found.chances.sum(-1), 1, rtol=1e-5)
        for array in (found.chances, search.visits[:, 0]):
            assert not array[~trainer.seen.mask.numpy().reshape(4, players, 6)].any()
        assert (np.abs(found.value) <= 1).all()
        assert all(len(tree) == 7 for tree in search.states)
        ends = search.over.any(-1)
        for game, tree in enumerate(search.child):
            below = np.zeros(7)
            for node in range(6, 0, -1):
                parents = np.argwhere(tree == node)[:, 0]
                assert ends[game] or len(parents) == 1, "every node has one parent"
                below[parents] += 1 + below[node]
            for player in range(players):  # a visit for each node below, but ends are visited again
                reached = search.visits[game, :, player].sum(-1)
                assert (reached >= below).all()
                assert ends[game] or (reached == below).all()


def test_search_sees_the_end(alphazero: ModuleType, tmp_path: Path) -> None:
    """A step before games are won or lost it knows, but where a loss can still be avoided."""
    trainer = alphazero.Trainer(
        alphazero.Config(
            out=str(tmp_path), opponent="simple", **SMALL | {"games": 16, "longest": 0, "mix": 0.0}
        )
    )
    envs, rng = trainer.envs, np.random.default_rng(0)
    ends: dict[float, list] = {1.0: [], -1.0: []}
    with envs:
        while min(map(len, ends.values())) < 16:
            states, mask = envs.get_state(), trainer.seen.mask.numpy()
            obs, reward, terminated, _, info = envs.step(alphazero.drawn(mask.astype(float), rng))
            trainer.seen = trainer.eyes(obs, info)
            for game in np.flatnonzero(terminated & (reward != 0)):
                ends[reward[game]].append(states[game])
        for result, states in ends.items():
            seen = trainer.eyes(*envs.set_state(range(16), states[:16]))
            value = trainer.search.run(states[:16], seen, rng).value
            assert np.median(value * result) > 0.4, f"{value}, where the games ended {result} a step later"


def test_value_learns_who_is_about_to_die(alphazero: ModuleType, tmp_path: Path) -> None:
    """Of games not learned from it says some steps before their ends who wins."""
    config = SMALL | {"games": 64, "longest": 0, "samples": 1, "batch": 128}
    trainer = alphazero.Trainer(alphazero.Config(out=str(tmp_path), opponent="simple", **config))
    rng, last, held, ended = np.random.default_rng(0), [], [], 0
    with trainer.envs as envs:
        while len(held) < 250:
            last = [*last[-3:], trainer.seen]
            moves = alphazero.drawn(trainer.seen.mask.numpy().astype(float), rng)
            obs, reward, terminated, _, info = envs.step(moves)
            trainer.seen = trainer.eyes(obs, info)
            for game in np.flatnonzero(terminated & (reward != 0)):
                rows = [np.stack([column[game].numpy() for column in c]) for c in zip(*last, strict=True)]
                ended += 1
                if ended % 5 == 0:
                    held.append((*rows, reward[game]))
                else:
                    chances, worth = np.zeros((len(last), 6), np.float32), np.full(len(last), reward[game])
                    trainer.buffer.add(*rows, chances, worth.astype(np.float32))
    for _ in range(30):
        trainer.learned = 0
        trainer.learn()
    seen = alphazero.Seen(*(torch.from_numpy(np.concatenate(c)) for c in list(zip(*held, strict=True))[:4]))
    value = trainer.network(seen)[1].detach().numpy().reshape(len(held), -1)
    result = np.array([game[-1] for game in held])
    right = (np.sign(value) == result[:, None]).mean(0)
    assert right[-1] > 0.8, f"{right} of {len(held)} games were told, from four steps before the end to one"


def test_chances_follow_values(alphazero: ModuleType, tmp_path: Path) -> None:
    """The player prefers what won in the tree, its opponent what lost; untried moves stay as they were."""
    trainer = alphazero.Trainer(alphazero.Config(out=str(tmp_path), opponent="self", sharpness=2.0, **SMALL))
    trainer.envs.close()
    search = trainer.search
    search.prior, search.value = np.full((4, 1, 2, 6), 0.25, np.float32), np.zeros((4, 1))
    search.visits, search.total = np.zeros((2, 4, 1, 2, 6))
    search.prior[:, :, :, 4:] = 0
    search.visits[:, :, :, :3] = 2
    search.total[:, 0, 0, :3], search.total[:, 0, 1, :3] = [2, 0, -2], [-2, 0, 2]
    weights = np.array([[np.e**2, 1, np.e**-2, 1, 0, 0], [np.e**-2, 1, np.e**2, 1, 0, 0]])
    want = weights / weights.sum(1, keepdims=True)
    chances, value = search._improved(np.arange(4), np.zeros(4, np.intp))
    np.testing.assert_allclose(chances, np.stack([want] * 4), rtol=1e-5)
    np.testing.assert_array_equal(value, 0)


def test_returns(alphazero: ModuleType) -> None:
    """Against the sum by definition, with games that end at any step."""
    rng = np.random.default_rng(2)
    value, over = rng.normal(size=(9, 40)), rng.random((9, 40)) < 0.2
    result = np.where(over, rng.choice([-1.0, 0, 1], (9, 40)), 0)
    got = alphazero.returns(value, result, over, 0.9, 0.7)

    def worth(t: int, game: int) -> float:
        if over[t, game]:
            return 0.9 * result[t, game]
        if t == 8:
            return value[t, game]
        return 0.9 * (0.3 * value[t + 1, game] + 0.7 * worth(t + 1, game))

    np.testing.assert_allclose(got, [[worth(t, game) for game in range(40)] for t in range(9)])


def test_network_learns_a_fixed_buffer(alphazero: ModuleType, tmp_path: Path) -> None:
    """Of a few positions that it learns from again and again it knows the best moves and the values."""
    config = SMALL | {"games": 8, "samples": 1}
    trainer = alphazero.Trainer(alphazero.Config(out=str(tmp_path), opponent="simple", **config))
    with trainer.envs:
        trainer.play()
    mask, chances, worth = trainer.buffer.arrays[-3:]
    chances[:] = np.eye(6)[5 - mask[:, ::-1].argmax(1)]  # the last move of those to choose from
    worth[:] = np.random.default_rng(0).choice([-1, 1], len(worth))
    noted = []
    for _ in range(600):
        trainer.learned = 0
        noted.append(trainer.learn())
    assert noted[-1]["value_loss"] < noted[0]["value_loss"] / 2
    assert noted[0]["agreement"] < 0.8
    assert noted[-1]["agreement"] > 0.9


def test_symmetry(alphazero: ModuleType) -> None:
    """A turned board moves as it does, by the turned moves."""
    with pommego.make_vec("OneVsOne-v0", 32, opponents=["simple"], autoreset_mode="Disabled") as envs:
        names = [plane.name for plane in envs.encoding["planes"].names]
        symmetry = alphazero.Symmetry(names)
        own, rolling = (
            names.index("self"),
            [names.index(f"bomb_{w}") for w in ("up", "down", "left", "right")],
        )
        before, info = envs.reset(seed=0)
        moves = envs.sample_actions(info["action_mask"])
        after = envs.step(moves)[0]
    moved = (before["planes"][:, own] != after["planes"][:, own]).any((1, 2)) & (moves > 0) & (moves < 5)
    assert len(set(moves[moved])) == 4
    steps = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
    chosen = torch.from_numpy(np.eye(6)[moves])
    marks = torch.arange(len(names)).reshape(1, -1, 1, 1).expand(1, -1, 8, 8)
    boards = set()
    for way in range(8):
        a, turned = symmetry(way, torch.from_numpy(before["planes"]), chosen)
        b, shown = (symmetry(way, torch.from_numpy(x))[0] for x in (after["planes"], before["planes"]))
        assert torch.equal(a, shown)
        boards.add(b.numpy().tobytes())
        for game in np.flatnonzero(moved):
            places = [np.argwhere(planes[game, own].numpy())[0] for planes in (a, b)]
            assert tuple(places[1] - places[0]) == steps[int(turned[game].argmax())]
        planes = symmetry(way, marks)[0][0, :, 0, 0].tolist()
        for k, move in enumerate(symmetry.moves[way][1:5].tolist()):
            assert planes[rolling[k]] == rolling[move - 1], "bombs roll as agents move"
        assert [p for p in planes if p not in rolling] == [p for p in range(len(names)) if p not in rolling]
    assert len(boards) == 8


def test_no_network_or_a_damaged_one(alphazero: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has no network.pt: give the --out of a run"):
        alphazero.evaluate(8, str(tmp_path), search=False)
    torch.save({"config": {}}, tmp_path / "network.pt")
    whole = (tmp_path / "network.pt").read_bytes()
    for damaged in b"", whole[:-10], b"no network":
        (tmp_path / "network.pt").write_bytes(damaged)
        with pytest.raises(SystemExit, match=r"network\.pt is damaged: name another --out"):
            alphazero.evaluate(8, str(tmp_path), search=False)


def test_program(alphazero: ModuleType, binary: Path, tmp_path: Path) -> None:
    env = os.environ | {"POMMEGO_BINARY": str(binary)}
    options = [f"--{name}={value}" for name, value in SMALL.items()]
    command = [sys.executable, str(EXAMPLE), "--out", str(tmp_path / "run")]
    further = [*options, "--iterations=4"]
    for more in (
        [*options, "--iterations=3"],
        further,
        ["--evaluate=8"],
        ["--evaluate=8", "--search", "--opponent=simple"],
        ["--evaluate=8", "--search", "--opponent=self"],
    ):
        done = subprocess.run([*command, *more], env=env, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        assert "--evaluate=8" not in more or done.stdout.startswith("8 games: ")
    other = [*command, *options, "--seed=1"]
    done = subprocess.run(other, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has a run with --seed 0, expected --seed 1: name another --out" in done.stderr
    other = [*command, "--seed=1000"]
    done = subprocess.run(other, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--seed is 1000, expected 0 to 999" in done.stderr
    done = subprocess.run([*command, "--search"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--search is given without --evaluate" in done.stderr
    done = subprocess.run([*command, "--evaluate=0"], env=env, capture_output=True, text=True, check=False)
    assert "games is 0, expected an integer, 1 or more" in done.stderr, "it does not train"
    again = [*command, *options, "--iterations=4"]
    done = subprocess.run(again, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("160 positions done\n"), "nothing is left to do"
    rows = [json.loads(line) for line in (tmp_path / "run" / "progress.jsonl").read_text().splitlines()]
    assert [row["positions"] for row in rows] == [0, 40, 80, 120, 160]
    assert rows[-1]["games"] >= 4, "games end after 20 steps at the latest"
    losses = [row["value_loss"] for row in rows if "value_loss" in row]
    assert losses
    assert np.isfinite(losses).all()
    assert {"won", "tied"} <= rows[0].keys() & rows[-1].keys()
