"""Data sets in the hands of others: Minari, Hugging Face's datasets, PyTorch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pommego import data

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def generated(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Make data sets, each once."""
    made: dict[tuple[str, ...], Path] = {}

    def make(*args: str) -> Path:
        if args not in made:
            made[args] = tmp_path_factory.mktemp("data") / "set"
            command = [str(binary), "generate", "--out", str(made[args]), "--agents", "simple,random"]
            command += ["--games", "9", "--games-per-file", "4"]
            subprocess.run([*command, *args], check=True, capture_output=True)
        return made[args]

    return make


@pytest.mark.parametrize("id", ["PommeFFACompetition-v0", "PommeTeamCompetition-v0"])
@pytest.mark.parametrize("layout", ["games", "steps"])
def test_minari(
    generated: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, id: str
) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("PIL")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    path = generated(*(["--observation", "planes"] if layout == "steps" else []), "--env", id)
    data.to_minari(path, "pommerman/test-v0", author="somebody")
    loaded = minari.load_dataset("pommerman/test-v0")
    games = list(data.episodes(path))
    assert len(loaded) == 4 * len(games)
    cut = id == "PommeFFACompetition-v0"
    for k, episode in enumerate(loaded):
        game, seat = games[k // 4], k % 4
        steps = int(game.alive[:-1, seat].sum()) if cut else len(game)
        for name, array in game.observations.items():
            assert array[: steps + 1, seat].tobytes() == episode.observations[name].tobytes()
        np.testing.assert_array_equal(episode.actions, game.actions[:steps, seat])
        np.testing.assert_array_equal(episode.rewards, game.rewards[:steps, seat])
        assert not (episode.terminations | episode.truncations)[:-1].any()
        assert episode.terminations[-1] == (game.terminated or steps < len(game))
        assert episode.truncations[-1] == (game.truncated and steps == len(game))
        np.testing.assert_array_equal(episode.infos["legal"][:steps], game.legal[:steps, seat])
        assert sum(episode.rewards) == game.outcome[seat]


@pytest.mark.parametrize(
    ("id", "options"),
    [
        ("PommeFFACompetition-v0", []),
        ("PommeRadioCompetition-v2", ["--observation", "raw"]),
        ("SuiteBot-v0", ["--observation", "planes", "--rules", '{"width": 9, "height": 7, "rounds": 20}']),
    ],
)
def test_minari_recovers_the_environment(
    generated: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, id: str, options: list[str]
) -> None:
    """In another process too, where only Minari is imported."""
    minari = pytest.importorskip("minari")
    pytest.importorskip("PIL")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    path = generated("--env", id, *options)
    data.to_minari(path, "pommerman/played-v0", author="somebody")
    loaded = minari.load_dataset("pommerman/played-v0")
    env = loaded.recover_environment()
    assert env.observation_space == loaded.observation_space == env.unwrapped.encoding.space()
    assert env.action_space == loaded.action_space
    assert env.unwrapped.game_spec.id == data.Manifest.read(path).env_id
    env.reset(seed=0)
    env.step(env.action_space.sample())
    env.close()
    for episode in loaded.iterate_episodes([0, 1]):
        for k in (0, -1):
            first = {name: array[k] for name, array in episode.observations.items()}
            assert loaded.observation_space.contains(first)
    script = (
        "import minari; env = minari.load_dataset('pommerman/played-v0').recover_environment(); "
        "print(env.reset(seed=0)[1]['seat']); env.close()"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip().isdigit()


def test_minari_of_a_death_in_the_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit truncates the game for the others alone."""
    pytest.importorskip("minari")
    pytest.importorskip("PIL")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))

    def bombs_itself(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return np.where(info["seat"] == 0, 5, 0)

    data.record(bombs_itself, tmp_path / "set", games=1, max_steps=10)
    made = data.to_minari(tmp_path / "set", "pommerman/last-v0", author="somebody")
    assert [episode.terminations[-1] for episode in made] == [True, False, False, False]
    assert [episode.truncations[-1] for episode in made] == [False, True, True, True]


def test_minari_chosen(generated: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("minari")
    pytest.importorskip("PIL")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    path = generated("--observation", "planes")
    games = list(data.episodes(path))
    for options, wanted in [
        ({"agents": "simple"}, lambda game, seat: game.agents[seat] == "simple"),
        ({"won": True, "agents": ["random", "simple"]}, lambda game, seat: game.outcome[seat] > 0),
    ]:
        made = data.to_minari(path, f"pommerman/{'-'.join(options)}-v0", author="somebody", **options)
        assert len(made) == sum(bool(wanted(game, seat)) for game in games for seat in range(4))
    with pytest.raises(ValueError, match="no seats"):
        data.to_minari(path, "pommerman/none-v0", agents="nobody")


def test_hugging_face(generated: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    path = generated("--observation", "planes")
    files = str(path / "data" / "*.parquet")
    loaded = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path))
    batches = list(data.load(path))
    columns = data.Manifest.read(path).columns
    assert loaded.num_rows == sum(len(batch["game"]) for batch in batches)
    assert set(loaded.column_names) == set(columns)
    rows, mine = loaded[:50], batches[0]
    for name in ("obs_planes", "obs_scalars", "legal"):
        got = columns[name].array(rows[name])
        assert got.tobytes() == mine[name][:50].tobytes()
        assert got.shape == mine[name][:50].shape
        np.testing.assert_array_equal(columns[name].array(rows[name][7]), got[7])
    for name in ("game", "action", "reward", "alive", "agent", "outcome"):
        assert rows[name] == mine[name][:50].tolist()


def test_dialogues(generated: Make, tmp_path: Path) -> None:
    """By the files alone, and by the card."""
    datasets = pytest.importorskip("datasets")
    path = generated("--dialogues", "--agents", "champion:level=1,simple")
    files = str(path / "data" / "*.parquet")
    loaded = datasets.load_dataset(
        "parquet", data_files=files, split="train", cache_dir=str(tmp_path / "files")
    )
    whole = datasets.load_dataset(str(path), split="train", cache_dir=str(tmp_path / "card"))
    assert whole.features == loaded.features
    assert loaded.num_rows == data.Manifest.read(path).json["rows"]
    batches = list(data.load(path))
    assert [row["messages"] for row in loaded] == [m for batch in batches for m in batch["messages"]]
    for row in loaded:
        assert [message["role"] for message in row["messages"]] == ["system", "user", "assistant"]
        assert row["messages"][0]["content"].startswith(row["env"])
        assert f"Tick {row['step']} of " in row["messages"][1]["content"]
        *reason, answer = row["messages"][2]["content"].split("\n")
        assert answer == ["stop", "up", "down", "left", "right", "bomb"][row["action"]]
        assert bool(reason) == (row["visits"] is not None)


@pytest.mark.parametrize(("workers", "start"), [(0, None), (2, "fork"), (2, "spawn")])
def test_torch(generated: Make, workers: int, start: str | None) -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    path = generated("--observation", "planes")
    columns = ["game", "step", "seat", "obs_planes", "action", "alive"]
    made = data.torch_dataset(path, columns=columns, batch_size=128)
    got = list(DataLoader(made, batch_size=None, num_workers=workers, multiprocessing_context=start))
    assert got[0]["obs_planes"].dtype == torch.uint8
    assert got[0]["alive"].dtype == torch.bool
    want = list(data.load(path, columns=columns))
    keys = ("game", "step", "seat", "action")
    rows = [tuple(row) for batch in got for row in torch.stack([batch[k].long() for k in keys], 1).tolist()]
    assert sorted(rows) == sorted(
        tuple(row) for batch in want for row in np.stack([batch[k] for k in keys], 1).tolist()
    )
    assert sum(int(batch["obs_planes"].long().sum()) for batch in got) == sum(
        int(batch["obs_planes"].sum()) for batch in want
    )


@pytest.mark.parametrize("workers", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}])
def test_torch_epochs(generated: Make, workers: dict[str, Any]) -> None:
    """Each epoch has an order of its own, and the same program has the same ones."""
    torch = pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    path = generated("--observation", "planes")

    def orders() -> list[list[int]]:
        torch.manual_seed(3)
        made = data.torch_dataset(path, columns=["game", "step", "seat"], batch_size=128, shuffle=0)
        loader = DataLoader(made, batch_size=None, **workers)
        epochs = [[torch.stack([*batch.values()], 1) for batch in loader] for _ in range(3)]
        return [torch.cat(batches).tolist() for batches in epochs]

    first, second, third = orders()
    assert first != second != third != first
    assert sorted(first) == sorted(second) == sorted(third)
    assert orders() == [first, second, third]
    with pytest.raises(TypeError, match="shuffle is False, expected an integer"):
        next(iter(data.torch_dataset(path, shuffle=False)))


@pytest.mark.parametrize("workers", [0, 1])
def test_torch_batches_of_batches(generated: Make, workers: int) -> None:
    pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    made = data.torch_dataset(generated("--observation", "planes"), columns=["action"], batch_size=16)
    with pytest.raises(ValueError, match=r"makes the batches: use DataLoader\(..., batch_size=None\)"):
        next(iter(DataLoader(made, batch_size=4, num_workers=workers)))
    assert len(next(iter(DataLoader(made, batch_size=None, pin_memory=False)))["action"]) == 16
