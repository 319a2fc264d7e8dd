"""Data sets from Python: reading, damage, rebuilding, handing on to others."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same
from conftest import REPOSITORY

pytest.importorskip("pyarrow")

from pommego import data

Make = Callable[..., Path]


@pytest.fixture(scope="session")
def generated(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Make data sets, each once."""
    made: dict[tuple[str, ...], Path] = {}

    def make(*args: str) -> Path:
        if args not in made:
            made[args] = tmp_path_factory.mktemp("data") / "set"
            common = ["--agents", "simple,random", "--rules", '{"max_steps": 70}']
            command = [str(binary), "generate", "--out", str(made[args]), *common, "--seed", "11", *args]
            subprocess.run(command, check=True, capture_output=True)
        return made[args]

    return make


def steps(observation: str, *, id: str = "PommeFFACompetition-v0", games: int = 7) -> list[str]:
    return ["--observation", observation, *small(id, games)]


def small(id: str = "PommeFFACompetition-v0", games: int = 7) -> list[str]:
    return ["--env", id, "--games", str(games), "--games-per-file", "3"]


def everything(loader: data.Loader) -> dict[str, np.ndarray]:
    batches = list(loader)
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


IDS = ["PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2", "OneVsOne-v0"]


def test_dialogues(generated: Make) -> None:
    """They are read as lists of dictionaries, and their games can be rebuilt as others can."""
    path = generated("--dialogues", *small())
    assert data.verify(path) == []
    batch = everything(data.load(path, columns=["messages", "game", "step", "seat", "action"], shuffle=0))
    names = ["stop", "up", "down", "left", "right", "bomb"]
    for messages, step, action in zip(batch["messages"], batch["step"], batch["action"], strict=True):
        assert [message["role"] for message in messages] == ["system", "user", "assistant"]
        line, _, view = messages[1]["content"].rpartition("Tick ")
        assert view.startswith(f"{step} of 70") and line.startswith("Last answer: " * bool(step))
        assert messages[2]["content"] == names[action]
    rebuilt = list(data.rebuild(path, observation="raw"))
    assert sum(int(game.alive[:-1].sum()) for game in rebuilt) == len(batch["step"])
    for got, want in zip(rebuilt, data.episodes(generated(*steps("raw"))), strict=True):
        same_game(got, want)


@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize("id", IDS)
def test_rebuilt_is_what_was_recorded(generated: Make, id: str, observation: str) -> None:
    """What is seen again is, byte for byte, what generating wrote down."""
    recorded = list(data.episodes(generated(*steps(observation, id=id))))
    rebuilt = list(data.rebuild(generated(*small(id)), observation=observation))
    assert [game.game for game in rebuilt] == list(range(7))
    assert [game.seed for game in rebuilt] == [(11 + k, 0) for k in range(7)]
    assert sum(map(len, rebuilt)) == data.Manifest.read(generated(*small(id))).json["steps"]
    for got, want in zip(rebuilt, recorded, strict=True):
        same_game(got, want)
        for name, array in want.observations.items():  # the last ones, too
            assert array.tobytes() == got.observations[name].tobytes()
        np.testing.assert_array_equal(got.alive, want.alive)


@pytest.mark.parametrize("id", ["PommeFFACompetition-v0", "PommeRadioCompetition-v2"])
def test_safe_moves_and_near_of_games_and_of_their_positions(generated: Make, id: str) -> None:
    """Those of a data set's rows are those of its saved positions, in one request."""
    path, seen = generated(*small(id)), {"observation": "near", "mask": "safe"}
    at, fewer = [0, 12, 25], 0
    game = data.Manifest.read(path).make_options()
    positions = data.states(path, at=at)
    with pommego.make_vec(**game, num_envs=len(positions), autoreset_mode="Disabled", **seen) as envs:
        obs, info = envs.reset(options={"states": positions})
    rows = iter(zip(*obs.values(), info["action_mask"], info["seat"], strict=True))
    legal = data.rebuild(path)
    for game, other in zip(data.rebuild(path, **seen), legal, strict=True):
        fewer += int((game.legal < other.legal).sum())
        assert (game.legal <= other.legal).all()
        for step in at[: np.searchsorted(at, len(game))]:
            for k in range(4):
                near, numbers, mask, seat = next(rows)
                assert seat == k
                np.testing.assert_array_equal(near, game.observations["near"][step, k])
                np.testing.assert_array_equal(numbers, game.observations["numbers"][step, k])
                np.testing.assert_array_equal(mask, game.legal[step, k])
    assert next(rows, None) is None
    assert fewer > 0
    with pytest.raises(pommego.PommegoError, match='has no mask "sfae", want legal, or safe'):
        list(data.rebuild(path, mask="sfae"))


def test_a_network_records_what_it_plays_by(tmp_path: Path) -> None:
    network = pommego.load("ppo-duel")
    manifest = data.record(network, tmp_path / "set", "OneVsOne-v0", games=3, layout="steps", max_steps=60)
    assert [field["name"] for field in manifest.fields] == ["near", "numbers"]
    assert manifest.json["mask"] == "safe"
    assert data.verify(tmp_path / "set") == []
    batch = everything(data.load(tmp_path / "set", alive=True))
    assert batch["legal"][np.arange(len(batch["action"])), batch["action"]].all()
    assert "survived" in manifest.columns["legal"].meaning


OTHER_RULES = [
    ("PommeFFACompetition-v0", {"max_steps": 40, "agent_view_size": 3}),
    ("PommeTeam2018-v0", {"step": "today", "max_steps": 30}),
    ("BaseWarSides-v0", {"board_size": 9, "num_stones": 8, "num_boxes": 20, "max_steps": 30}),
    ("SuiteBot-v0", {"width": 9, "height": 7, "rounds": 20, "view_radius": 2}),
]


@pytest.mark.parametrize(("id", "rules"), OTHER_RULES)
def test_data_by_other_rules(generated: Make, id: str, rules: dict[str, Any]) -> None:
    """Rules given to generate are in the manifest, and games are rebuilt by them."""
    given = ["--rules", json.dumps(rules)]
    path = generated(*small(id, 3), *given)
    manifest = data.Manifest.read(path)
    assert manifest.env_id == f"custom:{id}"
    assert {name: manifest.json["env"]["rules"].get(name, "today") for name in rules} == rules
    assert data.verify(path) == []
    recorded = list(data.episodes(generated(*steps("raw", id=id, games=3), *given)))
    for got, want in zip(data.rebuild(path, observation="raw"), recorded, strict=True):
        same_game(got, want)
    assert len(everything(data.load(path))["game"]) == 3


def same_game(got: data.Episode, want: data.Episode) -> None:
    """But for what searches and policies told, which layout games lacks."""
    for name in ("seed", "agents", "result", "terminated", "truncated"):
        assert getattr(got, name) == getattr(want, name), name
    for name in ("outcome", "legal", "alive", "actions", "rewards", "observations", "counts"):
        assert_same(getattr(got, name), getattr(want, name))


def test_episodes_are_the_files_rows(generated: Make) -> None:
    path = generated(*steps("planes"))
    stored, games = everything(data.load(path)), list(data.episodes(path))
    for name, column in (("legal", "legal"), ("actions", "action"), ("rewards", "reward")):
        shape = (-1, *stored[column].shape[1:])
        every = np.concatenate([getattr(game, name).reshape(shape) for game in games])
        np.testing.assert_array_equal(every, stored[column], name)
    shape = (-1, *stored["obs_planes"].shape[1:])
    seen = np.concatenate([game.observations["planes"][:-1].reshape(shape) for game in games])
    np.testing.assert_array_equal(seen, stored["obs_planes"])
    assert stored["length"].tolist() == [len(game) for game in games for _ in range(4 * len(game))]


def test_reference_rewards(generated: Make) -> None:
    stored = everything(data.load(generated(*steps("raw")), columns=["reward_reference", "reward"]))
    rebuilt = data.rebuild(generated(*small()), observation="raw", reward="reference")
    rewards = np.concatenate([game.rewards.ravel() for game in rebuilt])
    np.testing.assert_array_equal(rewards, stored["reward_reference"])
    assert not np.array_equal(rewards, stored["reward"])


def test_rebuild_some(generated: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(data.rebuild(generated(*small())))
    monkeypatch.setattr("pommego.data.whole._AT_ONCE", 3)
    for wanted in ({5, 2}, range(7), {3, 5}, set()):
        some = list(data.rebuild(generated(*small()), games=wanted))
        assert [game.game for game in some] == sorted(wanted)
        for game in some:
            same_game(game, every[game.game])


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "data/../../x", "..", "C:x", "a\\b", ""])
@pytest.mark.parametrize("kind", ["files", "others"])
def test_files_lie_inside(generated: Make, tmp_path: Path, kind: str, path: str) -> None:
    """A manifest that lists a file outside its folder is refused, though its checksum holds."""
    folder = shutil.copytree(generated(*small()), tmp_path / "set")
    content = json.loads((folder / "manifest.json").read_text())
    content[kind] = [{"path": path, "bytes": 0, "sha256": ""}]
    content["checksum"] = ""
    text = json.dumps(content)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    (folder / "manifest.json").write_text(text.replace('"checksum": ""', f'"checksum": "{checksum}"'))
    with pytest.raises(data.DamagedError, match=re.escape(repr(path))):
        data.Manifest.read(folder)


def test_data_sets_of_release() -> None:
    """What 0.1.0 has made is verified and read."""
    folder = REPOSITORY / "arena/dataset/testdata/0.1.0"
    games, steps = list(data.episodes(folder / "games")), list(data.episodes(folder / "steps"))
    assert [len(game) for game in games] == [14, 16, 10, 25]
    assert [game.result for game in steps] == [("won", "lost")] * 2
    assert data.verify(folder / "games") == data.verify(folder / "steps") == []


def test_rebuild_refusals(generated: Make) -> None:
    with pytest.raises(ValueError, match="use episodes"):
        next(data.rebuild(generated(*steps("raw"))))
    with pytest.raises(ValueError, match="reward is 'much'"):
        next(data.rebuild(generated(*small()), reward="much"))
    for wrong in (-1, 70):
        with pytest.raises(ValueError, match=rf"games has {wrong}, expected numbers from 0 to \d+$"):
            next(data.rebuild(generated(*small()), games=[3, wrong]))
    with pytest.raises(pommego.PommegoError, match="smell"):
        next(data.rebuild(generated(*small()), observation="smell"))


def test_games_unlike_their_record(generated: Make, tmp_path: Path) -> None:
    """Half of a game, with the result of the whole one and with checksums that fit."""
    from pyarrow import parquet, table

    from pommego._core.program import run

    path = shutil.copytree(generated(*small()), tmp_path / "set")
    file = path / "data/games-00001.parquet"
    rows = parquet.read_table(file)
    columns = rows.to_pydict()
    half = columns["steps"][1] // 2
    columns["steps"][1], columns["actions"][1] = half, columns["actions"][1][: 4 * half]
    for seat in range(4):
        columns[f"lived{seat}"][1] = min(half, columns[f"lived{seat}"][1])
    plain = {"truncated": "PLAIN"} | dict.fromkeys(("game", "seed", "episode"), "DELTA_BINARY_PACKED")
    coded = [name for name in columns if name not in (*plain, "start", "actions")]
    form = {"compression": "zstd", "data_page_version": "2.0", "use_dictionary": coded}
    parquet.write_table(table(columns, rows.schema), file, column_encoding=plain, store_schema=False, **form)
    content = json.loads((path / "manifest.json").read_text())
    written = file.read_bytes()
    content["files"][1] |= {"bytes": len(written), "sha256": hashlib.sha256(written).hexdigest()}
    text = json.dumps(content | {"checksum": ""})
    checksum = hashlib.sha256(text.encode()).hexdigest()
    (path / "manifest.json").write_text(text.replace('"checksum": ""', f'"checksum": "{checksum}"'))
    for games in (data.rebuild(path), data.episodes(path)):
        with pytest.raises(
            data.DamagedError, match=f"^{path}: game 4: played again, it ends with .* as recorded"
        ):
            list(games)
    assert [game.game for game in data.rebuild(path, games=[3])] == [3]
    with pytest.raises(pommego.PommegoError, match=f"^{path}: game 4: played again, it ends with"):
        data.states(path)
    for form in ("--json", f"--html={tmp_path}/game.html"):
        with pytest.raises(pommego.PommegoError, match=f"^{path}: game 4: played again, it ends with"):
            run("replay", str(path), "--game=4", form)


@pytest.mark.parametrize("size", [1, 7, 64, 4096, 10**6])
def test_batches(generated: Make, size: int) -> None:
    path = generated(*steps("raw"))
    want = everything(data.load(path))
    batches = list(data.load(path, batch_size=size))
    lengths = [len(batch["game"]) for batch in batches]
    assert all(n == size for n in lengths[:-1])
    assert 0 < lengths[-1] <= size
    for name, array in want.items():
        np.testing.assert_array_equal(np.concatenate([batch[name] for batch in batches]), array)


def test_what_batches_hold(generated: Make) -> None:
    path = generated(*steps("planes"))
    manifest = data.Manifest.read(path)
    batch = next(iter(data.load(path)))
    assert manifest.layout == "steps"
    assert manifest.agents == ["simple", "random"]
    assert set(manifest.columns) == {name for name in batch if not name.startswith("_")}
    n = len(batch["game"])
    assert batch["obs_planes"].shape[1:] == tuple(manifest.fields[0]["shape"])
    assert batch["obs_planes"].dtype == np.uint8
    assert batch["legal"].shape == (n, 6)
    assert batch["action"].dtype == np.uint8
    assert batch["reward"].dtype == np.float64
    assert batch["alive"].dtype == np.bool_
    assert set(batch["agent"]) == {"simple", "random"}
    done = batch["terminated"] | batch["truncated"]
    np.testing.assert_array_equal(batch["_final_planes"], done)
    assert batch["final_planes"][done].any()
    assert not batch["final_planes"][~done].any()
    assert not batch["action"][~batch["alive"]].any()
    assert batch["action"].any()


SEARCHES = [
    ("PommeFFACompetition-v0", "fmcs-exploit:ticks=50"),
    ("PommeRadioCompetition-v2", "rhea:ticks=50,simple,simple,simple"),
    ("BaseWarSides-v0", "mcts:ticks=50,simple"),
    ("SuiteBot-v0", "flat:ticks=50,simple,simple,simple"),
]


@pytest.mark.parametrize(("id", "agents"), SEARCHES)
def test_what_searches_chose_by(generated: Make, id: str, agents: str) -> None:
    """Each action that a search decided is the best of what it tried."""
    players = ["--agents", agents]
    if id == "SuiteBot-v0":
        players += ["--rules", '{"rounds": 70}']
    path = generated("--env", id, "--observation", "raw", "--games", "2", *players)
    manifest = data.Manifest.read(path)
    rows = everything(data.load(path))
    told = rows["_visits"]
    searcher = agents.partition(",")[0]
    assert set(rows["agent"][told]) == {searcher}
    assert rows["alive"][told].all()
    np.testing.assert_array_equal(rows["_values"], told)
    assert (rows["visits"][told].sum(axis=1) > 0).all()
    assert not rows["visits"][~told].any()
    np.testing.assert_array_equal(np.isnan(rows["values"][told]), rows["visits"][told] == 0)
    begin, chosen_by_search = 0, 0
    actions = [name for name in rows if name == "action" or name.startswith("action_")]
    for name, kind in zip(actions, manifest.json["env"]["actions"], strict=True):
        own = slice(begin, begin + kind["n"])
        searched = told & (rows["visits"][:, own].sum(axis=1) > 0)
        values, chosen = rows["values"][searched, own], rows[name][searched]
        np.testing.assert_array_equal(values[np.arange(len(chosen)), chosen], np.nanmax(values, axis=1))
        assert rows["legal"][searched, begin + chosen].all()
        chosen_by_search += len(chosen)
        begin = own.stop
    assert chosen_by_search > 20
    games = list(data.episodes(path))
    visits = np.concatenate([game.visits.reshape(-1, begin) for game in games])
    np.testing.assert_array_equal(visits, rows["visits"])
    values = np.concatenate([game.values.reshape(-1, begin) for game in games])
    np.testing.assert_array_equal(values[told], rows["values"][told])
    assert np.isnan(values[~told]).all()


def test_nothing_was_searched(generated: Make) -> None:
    path = generated(*steps("raw"))
    assert "visits" not in data.Manifest.read(path).columns
    assert next(data.episodes(path)).visits is None


def test_games_as_rows(generated: Make) -> None:
    batch = next(iter(data.load(generated(*small("PommeRadioCompetition-v2")))))
    assert batch["game"].tolist() == list(range(7))
    np.testing.assert_array_equal(batch["seed"], np.arange(11, 18, dtype=np.uint64))
    for k in range(7):
        assert batch["actions"][k].shape == (batch["steps"][k], 4, 3)
        assert isinstance(batch["start"][k], bytes)


def test_filters(generated: Make) -> None:
    path = generated(*steps("raw"))
    rows = everything(data.load(path))
    columns = ["game", "step", "seat"]
    for options, keep in [
        ({"alive": True}, rows["alive"]),
        ({"won": True}, rows["outcome"] > 0),
        ({"agents": "simple"}, rows["agent"] == "simple"),
        ({"agents": ["simple"], "alive": True}, (rows["agent"] == "simple") & rows["alive"]),
        ({"where": lambda batch: batch["step"] < 3}, rows["step"] < 3),
        ({"where": lambda batch: batch["died"], "needs": ["died"]}, rows["died"]),
        ({"where": lambda batch: batch["step"] < 0}, rows["step"] < 0),
    ]:
        batches = list(data.load(path, columns=columns, batch_size=50, **options))
        assert keep.any() == bool(batches)
        for name in columns:
            got = np.concatenate([batch[name] for batch in batches]) if batches else np.zeros(0)
            np.testing.assert_array_equal(got, rows[name][keep], str(options))
            assert all(set(batch) == set(columns) for batch in batches)


def test_what_selects_nothing_is_no_empty_loop(generated: Make) -> None:
    path = generated(*steps("raw"))
    for options, says in [
        ({"agents": "nobody"}, r"agents is 'nobody', expected some of \['simple'"),
        ({"agents": []}, r"agents is \[\], expected some of"),
    ]:
        with pytest.raises(ValueError, match=says):
            data.load(path, **options)


@pytest.mark.parametrize(
    ("selected", "says"),
    [
        (lambda batch: np.flatnonzero(batch["step"] < 3), r"int64 \(\d+,\), expected bool \(\d+,\)"),
        (lambda batch: batch["step"], r"u?int"),
        (lambda batch: batch["alive"][:-1], "bool"),
        (lambda batch: batch["alive"][:, None], "bool"),
        (lambda batch: True, r"bool \(\)"),
    ],
)
def test_where_returns_a_mask(generated: Make, selected: Callable, says: str) -> None:
    loader = data.load(generated(*steps("raw")), columns=["game"], where=selected, needs=["step", "alive"])
    with pytest.raises(ValueError, match=f"where returned {says}"):
        next(iter(loader))


def test_shuffled(generated: Make) -> None:
    path = generated(*steps("raw"))
    columns = ["game", "step", "seat"]

    def keys(rows: dict[str, np.ndarray]) -> list[tuple[int, ...]]:
        return list(zip(*(rows[name].tolist() for name in columns), strict=True))

    plain = keys(everything(data.load(path, columns=columns)))
    loader = data.load(path, columns=columns, shuffle=3, batch_size=40)
    first, second = keys(everything(loader)), keys(everything(loader))
    again = keys(everything(data.load(path, columns=columns, shuffle=3, batch_size=40)))
    assert first != plain
    assert first != second  # another order in each epoch
    assert first == again
    assert sorted(first) == sorted(second) == sorted(plain)


@pytest.mark.parametrize("layout", ["steps", "games"])
def test_shuffled_rows_stay_whole(generated: Make, layout: str) -> None:
    """From more groups than are mixed at a time, in which other agents play, and with empty columns."""
    drawn = ["--games", "9", "--games-per-file", "1", "--agents", "simple,simple,heuristic"]
    path = generated(*drawn, *(["--observation", "planes"] if layout == "steps" else []))
    plain = everything(data.load(path))
    batches = list(data.load(path, shuffle=3, batch_size=100 if layout == "steps" else 2))
    assert {len(batch["game"]) for batch in batches[:-1]} == {len(batches[0]["game"])}
    mixed = {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
    assert mixed.keys() == plain.keys()
    keys = [mixed[name] for name in ("seat", "step", "game") if name in mixed]
    order = np.lexsort(keys)
    assert not (order == np.arange(len(order))).all()
    for name, array in plain.items():
        assert mixed[name].dtype == array.dtype, name
        same = all(map(np.array_equal, mixed[name][order], array))
        assert same, name


def test_a_single_file(generated: Make) -> None:
    path = generated(*steps("raw"))
    whole = everything(data.load(path))
    one = everything(data.load(path / "data" / "steps-00001.parquet"))
    mine = (whole["game"] >= 3) & (whole["game"] < 6)
    for name, array in one.items():
        np.testing.assert_array_equal(array, whole[name][mine])


def test_a_folder_that_is_called_as_a_file(generated: Make, tmp_path: Path) -> None:
    path = shutil.copytree(generated(*steps("raw")), tmp_path / "set.parquet")
    assert not data.verify(path)
    assert len(everything(data.load(path))["game"])


def test_refusals(generated: Make, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no manifest\.json"):
        data.load(tmp_path)
    (tmp_path / ".generate").mkdir()
    with pytest.raises(FileNotFoundError, match="not finished"):
        data.load(tmp_path)
    path = generated(*steps("raw"))
    with pytest.raises(KeyError, match="obs_smell"):
        data.load(path, columns=["obs_smell"])
    with pytest.raises(TypeError, match="expected a list of names"):
        data.load(path, columns="action")
    for shuffle, error in [(False, TypeError), (1.5, TypeError), (-1, ValueError)]:
        with pytest.raises(error, match=f"shuffle is {shuffle}, expected"):
            data.load(path, shuffle=shuffle)
    with pytest.raises(ValueError, match="games is 0, expected an integer, 1 or more, or None for all"):
        data.states(path, games=0)
    for at in ([], 2.5, "5", [3, None]):
        with pytest.raises(ValueError, match=re.escape(f"at is {at!r}, expected an integer or several")):
            data.states(path, at=at)
    assert (
        data.states(path, at=np.int64(3)) == data.states(path, at=np.array([3])) == data.states(path, at=[3])
    )
    for read in (data.rebuild, data.states):
        with pytest.raises(ValueError, match=r"is one file of a data set, expected the data set's folder"):
            list(read(path / "data/steps-00001.parquet"))
    with pytest.raises(pommego.PommegoError, match="this state has no open environment"):
        data.states(path)[0].json()
    with pytest.raises(ValueError, match="batch_size is 0"):
        data.load(path, batch_size=0)
    with pytest.raises(TypeError, match="no options"):
        next(data.episodes(path, slots=3))


@pytest.mark.parametrize("name", ["manifest.json", "data", "data/steps-00001.parquet"])
def test_links_are_not_followed(generated: Make, tmp_path: Path, name: str) -> None:
    """A data set that somebody else prepared cannot have files elsewhere read."""
    path = tmp_path / "set"
    shutil.copytree(generated(*steps("raw")), path)
    (tmp_path / "link").symlink_to(path)
    assert everything(data.load(tmp_path / "link"))  # the folder itself may be one
    (path / name).rename(tmp_path / "moved")
    (path / name).symlink_to(tmp_path / "moved")
    for read in (data.load, data.Manifest.read, lambda path: next(data.episodes(path))):
        with pytest.raises(data.DamagedError, match=f"set/{name}.* is a link out of its folder"):
            read(path)
    assert f"{path / name}: it is a link" in data.verify(path)[0]


def test_other_readers(generated: Make) -> None:
    """Other readers of Parquet see arrays as bytes, which their column's description turns into arrays."""
    from pyarrow import parquet

    path = generated(*small(games=2), "--observation", "planes")
    batch = next(iter(data.load(path, columns=["obs_planes"])))["obs_planes"][:5]
    rows = parquet.read_table(path / "data" / "steps-00000.parquet")["obs_planes"].to_pylist()[:5]
    column = data.Manifest.read(path).columns["obs_planes"]
    np.testing.assert_array_equal(column.array(rows), batch)
    np.testing.assert_array_equal(column.array(rows[0]), batch[0])


def test_verify_leaves_the_card_out(generated: Make, tmp_path: Path) -> None:
    """The card is for people, who may edit it."""
    folder = Path(shutil.copytree(generated(*small()), tmp_path / "own"))
    (folder / "README.md").write_text("# My games\n")
    assert data.verify(folder) == []
    (folder / "README.md").unlink()
    assert data.verify(folder) == []


def test_verify(generated: Make, tmp_path: Path) -> None:
    good = generated(*small())
    assert data.verify(good) == []
    rng = np.random.default_rng(5)
    names = [
        at.relative_to(good) for at in sorted(good.rglob("*")) if at.is_file() and at.name != "README.md"
    ]
    for round in range(60):
        bad = tmp_path / str(round)
        shutil.copytree(good, bad)
        at = bad / names[rng.integers(len(names))]
        content = bytearray(at.read_bytes())
        where = int(rng.integers(len(content)))
        if round % 2:
            content[where] ^= 1 << int(rng.integers(8))
        else:
            del content[where:]
        at.write_bytes(content)
        assert any(at.name in problem for problem in data.verify(bad)), f"{at}, byte {where}"
    (bad / "data" / "stray").touch()
    at.unlink()
    shutil.copy(good / at.relative_to(bad), at)
    assert data.verify(bad) == [f"{bad / 'data' / 'stray'}: the manifest does not list this file"]


def test_importing_needs_no_pyarrow() -> None:
    """Only reading does, and it says so."""
    code = (
        "import sys; sys.modules['pyarrow'] = sys.modules['pyarrow.parquet'] = None\n"
        "from pommego import data\n"
        "try: data.load('x.parquet')\n"
        "except ImportError as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install pommego[data]" in done.stdout
