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
OPPONENTS = pytest.mark.parametrize("opponent", ["simple", "self"])


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
        visits, value = search.run(trainer.seen, np.random.default_rng(3))
        assert envs.get_state() == before
        players = envs.learners
        assert visits.shape == (4, players, 6)
        assert (visits.sum(-1) == 6).all()
        assert not visits[~trainer.seen.mask.numpy().reshape(4, players, 6)].any()
        assert (np.abs(value) <= 1).all()
        assert all(len(tree) == 7 for tree in search.states)
        for player in range(players):  # below the root a node is counted once less than reached
            reached = search.visits[:, 1:, player].sum(-1)
            assert (reached.sum(-1) <= 5).all()
        nodes = np.sort(search.child.reshape(4, -1), -1)
        ends = search.over.any(-1)
        for tree, over in zip(nodes, ends, strict=True):
            assert over or tree[tree > 0].tolist() == [1, 2, 3, 4, 5, 6], "every node has one parent"


def test_search_sees_the_end(alphazero: ModuleType, tmp_path: Path) -> None:
    """A step before games are won or lost it knows, but where a loss can still be avoided."""
    trainer = alphazero.Trainer(alphazero.Config(out=str(tmp_path), **SMALL | {"longest": 0, "mix": 0.0}))
    envs, rng = trainer.envs, np.random.default_rng(0)
    ends: dict[float, list] = {1.0: [], -1.0: []}
    with envs:
        while min(map(len, ends.values())) < 4:
            states, mask = envs.get_state(), trainer.seen.mask.numpy()
            obs, reward, terminated, _, info = envs.step(alphazero.drawn(mask.astype(float), rng))
            trainer.seen = trainer.eyes(obs, info)
            for game in np.flatnonzero(terminated & (reward != 0)):
                ends[reward[game]].append(states[game])
        for result, states in ends.items():
            seen = trainer.eyes(*envs.set_state(range(4), states[:4]))
            _, value = trainer.search.run(seen, rng)
            assert np.median(value * result) > 0.4, f"{value}, where the games ended {result} a step later"


def test_symmetry(alphazero: ModuleType) -> None:
    """A turned board moves as it does, by the turned moves."""
    with pommego.make_vec("OneVsOne-v0", 32, opponents=["simple"], autoreset_mode="Disabled") as envs:
        symmetry = alphazero.Symmetry(envs.encoding)
        names = [plane.name for plane in envs.encoding["planes"].names]
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


def test_program(alphazero: ModuleType, binary: Path, tmp_path: Path) -> None:
    env = os.environ | {"POMMEGO_BINARY": str(binary)}
    options = [f"--{name}={value}" for name, value in SMALL.items()]
    command = [sys.executable, str(EXAMPLE), "--out", str(tmp_path / "run")]
    for more in ([*options, "--iterations=3"], ["--evaluate=8"]):
        done = subprocess.run([*command, *more], env=env, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
    assert done.stdout.startswith("8 games: ")
    rows = [json.loads(line) for line in (tmp_path / "run" / "progress.jsonl").read_text().splitlines()]
    assert [row["positions"] for row in rows] == [40, 80, 120]
    assert rows[-1]["games"] >= 4, "games end after 20 steps at the latest"
    losses = [row["value_loss"] for row in rows if "value_loss" in row]
    assert losses
    assert np.isfinite(losses).all()
    assert {"simple_won", "heuristic_won"} <= rows[0].keys() & rows[-1].keys()
