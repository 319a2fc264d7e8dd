"""Data sets and tournaments made on a Ray cluster: what one machine makes, whoever is killed meanwhile."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"  # it is on the loopback interface, for a minute

from ray.cluster_utils import Cluster

import pommego
import pommego.ray
from clusters import cluster, complete, kill_node, kill_program, kill_task, machines  # noqa: F401
from pommego._core import program
from pommego.ray import commands

KILLS = int(os.environ.get("POMMEGO_RAY_KILLS", "3"))

SET = {"agents": ["simple", "random"], "rules": {"max_steps": 200}, "games_per_file": 150}
#: What is made, with the flags for one machine.
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("generate", SET | {"games": 1770}),
    ("tournament", {"agents": ["simple", "random", "static"], "games": 150, "seed": 3}),
    ("generate", SET | {"games": 120, "observation": "planes", "games_per_file": 15}),
]


def on_one_machine(binary: Path, command: str, flags: dict[str, Any], folder: Path) -> None:
    given = program.flags(**flags, out=folder)
    done = subprocess.run([binary, command, *given], capture_output=True, check=False)
    assert not done.returncode, done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files but for what the clock says and the order in which games were finished."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {k: v for k, v in named.items() if not k.startswith("timing.") and k != "games.jsonl"}


class Killer:
    """Kills a task or a node at some of the moments when a part is finished."""

    def __init__(self, cluster: Cluster, seed: int, kills: int) -> None:  # noqa: F811
        self.cluster, self.rng, self.wanted, self.kills = cluster, random.Random(seed), kills, 0
        self.told: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.told.append((done, total))
        if self.kills < self.wanted and self.rng.random() < 0.5:
            if self.rng.random() < 0.4:
                kill_node(self.cluster, self.rng.randrange(100))
                self.kills += 1
                complete(self.cluster)
            else:
                self.kills += kill_task(self.rng.randrange(100))


def test_killed(cluster: Cluster, binary: Path, tmp_path: Path) -> None:  # noqa: F811
    kills = nodes = 0
    for n, (command, flags) in enumerate(KINDS):
        on_one_machine(binary, command, flags, tmp_path / f"want{n}")
    for seed in itertools.count():
        n = seed % len(KINDS)
        if kills >= KILLS and n == 0:
            break
        command, flags = KINDS[n]
        before = {node.node_id for node in cluster.worker_nodes}
        killer = Killer(cluster, seed, max(1, min(4, KILLS // len(KINDS))))
        out = tmp_path / f"got{seed}"
        said = getattr(pommego.ray, command)(out, progress=killer, **flags)
        kills += killer.kills
        nodes += len(before - {node.node_id for node in cluster.worker_nodes})
        got, want = contents(out), contents(tmp_path / f"want{n}")
        assert got.keys() == want.keys()
        assert not [name for name in want if got[name] != want[name]]
        assert [done for done, _ in killer.told] == list(range(1, len(killer.told) + 1))
        assert len(killer.told) > 5
        if command == "tournament":
            lines = (out / "games.jsonl").read_text().splitlines()
            assert len(lines) == 451, "a game was lost, or counted twice"
            assert said["games"] == 150
        else:
            assert said["games_played"] < 300, "the parts were made again"
        assert not out.with_name(f"{out.name}.parts").exists()
    print(f"{kills} kills, {nodes} of them of nodes, in {seed} runs")


def test_it_goes_on(cluster: Cluster, binary: Path, tmp_path: Path) -> None:  # noqa: F811
    """After what is raised in the middle, with what is finished."""
    command, flags = KINDS[0]
    on_one_machine(binary, command, flags, tmp_path / "want")

    def stop(done: int, _: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pommego.ray.generate(tmp_path / "got", progress=stop, **flags)
    told: list[int] = []
    kept = sorted((tmp_path / "got.parts").glob("*/made"))
    assert len(kept) == 4
    times = [path.stat().st_mtime_ns for path in kept]

    def look(done: int, total: int) -> None:
        told.append(done)
        assert total == 66
        if done == total:
            assert [path.stat().st_mtime_ns for path in kept] == times

    pommego.ray.generate(tmp_path / "got", progress=look, num_cpus=2, **flags)
    assert told == list(range(1, 67))
    assert contents(tmp_path / "got") == contents(tmp_path / "want")


def test_a_program_is_killed_before_its_worker(cluster: Cluster, binary: Path, tmp_path: Path) -> None:  # noqa: F811
    command, flags = KINDS[0]
    on_one_machine(binary, command, flags, tmp_path / "want")
    kills = 0

    def kill(done: int, _: int) -> None:
        nonlocal kills
        kills += kills < KILLS and kill_program(done)

    pommego.ray.generate(tmp_path / "got", progress=kill, **flags)
    assert kills
    assert contents(tmp_path / "got") == contents(tmp_path / "want")


def test_what_killed_tasks_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one removes it, and nothing of those that run."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, other = tmp_path / "pommego-part-killed", tmp_path / "other"
    for folder in (left, other):
        folder.mkdir()
        (folder / "made").write_text("half of it")
    with commands._scratch() as running:
        assert not left.exists()
        assert other.exists()
        with commands._scratch() as second:
            assert {path for path in tmp_path.iterdir() if path != other} == {running, second}
        assert running.exists()
    assert list(tmp_path.iterdir()) == [other]


def test_mistakes(cluster: Cluster, tmp_path: Path) -> None:  # noqa: F811
    out = tmp_path / "out"
    with pytest.raises(TypeError, match=r"no option part, which it sets itself"):
        pommego.ray.generate(out, part="3")
    with pytest.raises(pommego.PommegoError, match='no agent is called "nobody"'):
        pommego.ray.tournament(out, agents=["nobody"])
    with pytest.raises(pommego.PommegoError, match="unknown flag: --game"):
        pommego.ray.generate(out, game=3)
    with pytest.raises(pommego.PommegoError, match="there is no agent at /none|/none"):
        pommego.ray.generate(out, games=4, agents=["exec:/none", "simple", "simple", "simple"])
    with pytest.raises(ValueError, match="num_cpus is 0"):
        pommego.ray.generate(out, games=4, num_cpus=0)
