"""Recording games in which a policy of Python's plays."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego

pytest.importorskip("pyarrow")

from pommego import data


def by_what_it_sees(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
    """A policy that needs no randomness: one of the legal moves, depending on the observation."""
    del info
    total = sum(array.reshape(len(array), -1).astype(np.int64).sum(axis=1) for array in obs.values())
    return total % 5


def checked(binary: Path, path: Path) -> None:
    subprocess.run([str(binary), "data", "verify", "--replay", str(path)], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("id", "options", "lineups"),
    [
        ("PommeFFACompetition-v0", {}, {("client:me",) * 4}),
        (
            "PommeFFACompetition-v0",
            {"opponents": ["simple", "random", "static"]},
            {
                ("client:me", "simple", "random", "static"),
                ("static", "client:me", "simple", "random"),
                ("random", "static", "client:me", "simple"),
                ("simple", "random", "static", "client:me"),
            },
        ),
        (
            "PommeTeamCompetition-v0",
            {"seats": ["learner", "simple", "learner", "random"]},
            {("client:me", "simple", "client:me", "random")},
        ),
        ("OneVsOne-v0", {"opponents": ["simple"], "seat": 1}, {("simple", "client:me")}),
    ],
)
def test_record(
    binary: Path, server: pommego.Server, tmp_path: Path, id: str, options: dict[str, Any], lineups: set
) -> None:
    path = tmp_path / "set"
    where = {"address": server.address, "token": server.token}
    told = []
    manifest = data.record(
        by_what_it_sees,
        path,
        id,
        games=11,
        name="me",
        seed=7,
        num_envs=4,
        max_steps=60,
        observation="raw",
        connection=pommego.Connection(expand_shared=False),
        layout="steps",
        progress=lambda done, games: told.append((done, games)),
        **options,
        **where,
    )
    checked(binary, path)
    assert told == [(k + 1, 11) for k in range(11)]
    assert manifest.json["games"] == 11
    assert "outside" in manifest.json["unrepeatable"][0]
    seen = set()
    for game in data.episodes(path):
        seen.add(game.agents)
        assert game.seed == (7 + game.game, 0)
        for seat, agent in enumerate(game.agents):
            if agent == "client:me":
                obs = {name: array[:-1, seat] for name, array in game.observations.items()}
                alive = game.alive[:-1, seat]
                np.testing.assert_array_equal(game.actions[alive, seat], by_what_it_sees(obs, {})[alive])
    assert seen <= lineups
    assert len(seen) == min(len(lineups), len(seen))
    assert len(lineups) == 1 or len(seen) > 1


def test_radio(binary: Path, server: pommego.Server, tmp_path: Path) -> None:
    where = {"address": server.address, "token": server.token}

    def words(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return np.stack([by_what_it_sees(obs, info), np.full(len(info["seat"]), 3), info["seat"]], axis=1)

    data.record(
        words, tmp_path / "set", "PommeRadioCompetition-v2", games=3, num_envs=2, max_steps=30, **where
    )
    checked(binary, tmp_path / "set")
    games = list(data.episodes(tmp_path / "set"))
    assert len(games) == 3
    for game in games:
        alive = game.alive[:-1]
        assert (game.actions[..., 1][alive] == 3).all()
        assert (game.actions[..., 2] == np.arange(4))[alive].all()


def interrupted(after: int) -> Callable[..., Any]:
    """A policy that fails after so many calls."""
    calls = 0

    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        return by_what_it_sees(obs, info)

    return policy


def test_begins_anew(binary: Path, server: pommego.Server, tmp_path: Path) -> None:
    """An interrupted run leaves no data set, and the same call makes it."""
    options = {
        "games": 30,
        "num_envs": 3,
        "max_steps": 25,
        "games_per_file": 8,
        "address": server.address,
        "token": server.token,
    }
    data.record(by_what_it_sees, tmp_path / "want", **options)
    with pytest.raises(KeyboardInterrupt):
        data.record(interrupted(100), tmp_path / "got", **options)
    assert not (tmp_path / "got" / "manifest.json").exists()
    data.record(by_what_it_sees, tmp_path / "got", **options)
    want = {at.relative_to(tmp_path / "want"): at.read_bytes() for at in (tmp_path / "want").rglob("*.*")}
    got = {at.relative_to(tmp_path / "got"): at.read_bytes() for at in (tmp_path / "got").rglob("*.*")}
    assert got == want
    with pytest.raises(pommego.PommegoError, match="^[^:]*: the folder .*; name another folder$"):
        data.record(by_what_it_sees, tmp_path / "got", **options)


def test_refused(server: pommego.Server, tmp_path: Path) -> None:
    where = {"address": server.address, "token": server.token}
    with pytest.raises(pommego.PommegoError, match="no agent is called"):
        data.record(by_what_it_sees, tmp_path / "set", opponents=["nobody"] * 3, **where)
    with pytest.raises(pommego.PommegoError, match="^unknown environment.*Pomme-v9"):
        data.record(by_what_it_sees, tmp_path / "set", "Pomme-v9", **where)
    for line_up in (
        {"opponents": by_what_it_sees},
        {"opponents": [by_what_it_sees] * 3},
        {"opponents": [["simple"] * 3, ["random"] * 3]},
        {"seats": ["learner", by_what_it_sees]},
    ):
        with pytest.raises(
            TypeError, match=f"^{next(iter(line_up))} is .*, expected names of built-in agents"
        ):
            data.record(by_what_it_sees, tmp_path / "set", **line_up, **where)
    with pytest.raises(TypeError, match=r"extra is \['v'\], expected a dictionary"):
        data.record(by_what_it_sees, tmp_path / "set", extra=["v"], **where)
    with pytest.raises(pommego.ServerError, match="seat"):
        data.record(by_what_it_sees, tmp_path / "set", seats=["learner"] * 3, **where)
    for option, bad, error in [
        ("seed", -1, ValueError),
        ("seed", 1.5, TypeError),
        ("games", 0, ValueError),
        ("num_envs", 0, ValueError),
        ("max_steps", -1, ValueError),
        ("games_per_file", 1.5, ValueError),
    ]:
        with pytest.raises(error, match=f"^{option} is {bad}, expected "):
            data.record(by_what_it_sees, tmp_path / "set", **{option: bad})


@pytest.mark.parametrize("option", ["start_states", "max_episode_steps", "on_death"])
def test_options_of_games_that_data_sets_do_not_have(tmp_path: Path, option: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        data.record(by_what_it_sees, tmp_path / "set", **{option: None})
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        pommego.watch(by_what_it_sees, "OneVsOne-v0", **{option: None})


@pytest.mark.parametrize(
    ("returned", "error", "says"),
    [
        (2.7, TypeError, "must return integers, got dtype float64"),
        (True, TypeError, "must return integers, got dtype bool"),
        (257, ValueError, "returned 257 for move of seat 0, expected 0 to 5"),
        (6, ValueError, "returned 6 for move"),
        (-1, ValueError, "returned -1 for move"),
        ([1, 2], ValueError, r"shape \(8, 2\), expected \(8,\)"),
    ],
    ids=str,
)
@pytest.mark.parametrize("extra", [None, {"value": ("int16", ())}], ids=["alone", "with an array"])
def test_actions_that_are_none(
    server: pommego.Server, tmp_path: Path, returned: Any, error: type, says: str, extra: Any
) -> None:
    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> Any:
        actions = np.array([returned] * len(info["alive"]))
        return (actions, {"value": np.zeros(len(actions), "i2")}) if extra else actions

    options = {"games": 2, "layout": "steps", "address": server.address, "token": server.token}
    with pytest.raises(error, match=f"policy <function .*policy at .*{says}"):
        data.record(policy, tmp_path / "set", extra=extra, **options)


def test_opponents_that_search(binary: Path, server: pommego.Server, tmp_path: Path) -> None:
    """What they chose by is stored, too."""
    path = tmp_path / "set"
    where = {"address": server.address, "token": server.token}
    seats = ["learner", "osla:ticks=20", "simple", "static"]
    data.record(by_what_it_sees, path, games=2, seats=seats, layout="steps", max_steps=30, **where)
    checked(binary, path)
    rows = next(iter(data.load(path, columns=["agent", "visits"])))
    assert set(rows["agent"][rows["_visits"]]) == {"osla:ticks=20"}


FORMS = {
    "probabilities": ("float32", (6,)),
    "action_value": ("float64", ()),  # named as the columns of actions with several components are
    "seen": ("uint8", (2, 3)),
    "visits": ("int32", (6,)),
    "values": ("float64", (6,)),
}


def reported(obs: dict[str, np.ndarray], rows: int) -> dict[str, np.ndarray]:
    """Arrays that follow from the observation alone."""
    total = by_what_it_sees(obs, {})
    of_choices = (total[:, None] + np.arange(6)) / 7
    return {
        "probabilities": of_choices,  # float64, stored as float32
        "action_value": -of_choices[:, 0],
        "seen": total[:, None, None] + np.arange(6).reshape(2, 3) * np.ones((rows, 1, 1), int),
        "visits": total[:, None] + np.arange(6),  # int64, stored as int32
        "values": of_choices,
    }


@pytest.mark.parametrize("searches", [False, True])
def test_extra_arrays(binary: Path, server: pommego.Server, tmp_path: Path, searches: bool) -> None:
    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> Any:
        return by_what_it_sees(obs, info), reported(obs, len(info["alive"]))

    asked = []

    def searcher(obs: dict[str, np.ndarray], info: dict[str, Any], states: list[pommego.State]) -> Any:
        assert len(states) == len(info["row"])
        asked.append(len(states))
        return policy(obs, info)

    path = tmp_path / "set"
    manifest = data.record(
        searcher if searches else policy,
        path,
        "PommeTeamCompetition-v0",
        seats=["learner", "simple", "learner", "osla:ticks=20"],
        games=5,
        num_envs=3,
        max_steps=20,
        observation="raw",
        layout="steps",
        extra=FORMS,
        address=server.address,
        token=server.token,
    )
    checked(binary, path)
    assert data.verify(path) == []
    assert manifest.extra == ("probabilities", "action_value", "seen")
    for name, (dtype, shape) in FORMS.items():
        column = manifest.columns[name]
        assert column.nullable
        assert (column.dtype or column.type, column.shape) == (dtype, shape)
        kind = f"{dtype} [{' '.join(map(str, shape))}]" if shape else dtype
        assert f"| `{name}` | {kind}, or null |" in (path / "README.md").read_text()
    stored = 0
    for batch in data.load(path):
        own = np.char.startswith(batch["agent"], "client:") & batch["alive"]
        stored += own.sum()
        want = reported(
            {name[4:]: array for name, array in batch.items() if name.startswith("obs_")}, len(own)
        )
        for name, (dtype, shape) in FORMS.items():
            assert batch[name].dtype == dtype
            assert batch[name].shape == (len(own), *shape)
            np.testing.assert_array_equal(batch[name][own], want[name][own].astype(dtype))
            if name not in ("visits", "values"):  # which osla has, too
                np.testing.assert_array_equal(batch[f"_{name}"], own)
                assert not batch[name][~own].any()
    assert sum(asked) == searches * stored, "the policy searches in games that are not recorded"
    for game in data.episodes(path):
        assert game.extra["seen"].shape == (len(game), 4, 2, 3)
        assert (game.actions.dtype, game.actions.shape) == (np.uint8, (len(game), 4))
        assert game.visits[:, 0][game.alive[:-1, 0]].any()


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (lambda n: np.zeros(n, int), "returned a ndarray, expected its actions and a dictionary"),
        (lambda n: (np.zeros(n, int), {}), r"returned the arrays \[\], expected those in extra: \['value'\]"),
        (lambda n: (np.zeros(n, int), {"value": np.zeros((n, 1), "f4")}), r"'value' of shape \(8, 1\)"),
        (lambda n: (np.zeros(n, int), {"value": np.zeros(n)}), "'value' as float64, which int16 cannot hold"),
        (
            lambda n: (np.zeros(n, int), {"value": np.full(n, 40_000)}),
            "'value' as int64, which int16 cannot hold",
        ),
    ],
    ids=["no arrays", "other names", "another shape", "another type", "too large"],
)
def test_extra_arrays_that_are_not_as_announced(
    server: pommego.Server, tmp_path: Path, returned: Callable[[int], Any], says: str
) -> None:
    options = {"games": 2, "layout": "steps", "address": server.address, "token": server.token}
    with pytest.raises(ValueError, match=says):
        data.record(
            lambda obs, info: returned(len(info["alive"])),
            tmp_path / "set",
            extra={"value": ("int16", ())},
            **options,
        )
    for extra, refused in (
        ({"legal": ("uint8", ())}, "rename the array"),
        ({"value": ("int64", ())}, "no type"),
        ({"Value": ("uint8", ())}, "small letters"),
    ):
        with pytest.raises(pommego.PommegoError, match=refused):
            data.record(by_what_it_sees, tmp_path / "set2", extra=extra, **options)
    with pytest.raises(pommego.PommegoError, match="layout steps"):
        data.record(
            by_what_it_sees, tmp_path / "set3", extra={"v": ("uint8", ())}, **options | {"layout": "games"}
        )
