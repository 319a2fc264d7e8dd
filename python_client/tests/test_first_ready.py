"""First-ready batches: each game shows what it shows in lock-step, and nobody waits for the slowest."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from wiring import wired

Vec = Callable[..., pommego.PommegoVectorEnv]

GAMES, SIZE, STEPS = 6, 2, 90

TRANSPORTS: list[Any] = [
    pytest.param("unix", False, id="unix"),
    pytest.param("tcp", False, id="tcp"),
    pytest.param(
        "unix",
        True,
        id="shared memory",
        marks=pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux only"),
    ),
]


def actions_of(game: int, step: int, envs: pommego.PommegoVectorEnv) -> np.ndarray:
    """What game `game` does in its step number `step`."""
    rng = np.random.default_rng([game, step])
    return rng.integers(0, 6, (envs.learners, *envs.action_space.shape[1:]))


def parts(batch: tuple[Any, ...], places: int, learners: int) -> list[tuple[Any, ...]]:
    """Split obs, ..., info into one of each game."""

    def part(x: Any, k: int) -> Any:
        if isinstance(x, dict):
            # What all games have or none, where another game in the same batch decides.
            names = [name for name in x if f"_{name}" not in x or x[f"_{name}"][k * learners]]
            return {name: part(x[name], k) for name in names if not name.startswith("_") and name != "row"}
        rows = 1 if len(x) == places else learners
        part_of_it = x[k * rows : (k + 1) * rows]
        return part_of_it[0] if x.dtype == object else part_of_it

    return [tuple(part(x, k) for x in batch) for k in range(places)]


def lock_step(envs: pommego.PommegoVectorEnv, steps: int) -> list[list[Any]]:
    """Return what each game shows, step by step."""
    obs, info = envs.reset(seed=4)
    rewards, flags = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool)
    batch: tuple[Any, ...] = (obs, rewards, flags, flags, info)
    shown: list[list[Any]] = [[] for _ in range(envs.num_games)]
    for step in range(steps):
        for game, part in enumerate(parts(frozen(batch), envs.num_games, envs.learners)):
            shown[game].append(part)
        batch = envs.step(np.concatenate([actions_of(game, step, envs) for game in range(envs.num_games)]))
    return shown


def compare(envs: pommego.PommegoVectorEnv, want: list[list[Any]], batches: int) -> np.ndarray:
    """Receive so many batches and compare each game's with those of lock-step."""
    made = np.zeros(envs.num_games, int)
    obs, info = envs.reset(seed=4)
    rewards, flags = np.zeros(SIZE * envs.learners), np.zeros(SIZE * envs.learners, bool)
    batch: tuple[Any, ...] = (obs, rewards, flags, flags, info)
    for _ in range(batches):
        rows = batch[-1]["row"].copy()
        games = rows[:: envs.learners] // envs.learners
        for game, part in zip(games, parts(batch, SIZE, envs.learners), strict=True):
            assert_same(part, want[game][made[game]], f"game {game}, step {made[game]}: ")
        actions = [actions_of(game, made[game], envs) for game in games]
        made[games] += 1
        envs.send(np.concatenate(actions), rows)
        batch = envs.recv()
    return made


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(("transport", "memory"), TRANSPORTS)
def test_games_are_as_in_lock_step(transport: str, memory: bool, copy: bool, mode: str) -> None:
    options = {"opponents": ["simple", "static", "random"], "autoreset_mode": mode, "max_episode_steps": 25}
    with pommego.Server(transport=transport) as server:
        where = {"address": server.address, "token": server.token, "copy": copy}
        where |= wired(shared_memory=memory)
        with pommego.make_vec("PommeFFACompetition-v0", GAMES, **options, **where) as envs:
            want = lock_step(envs, STEPS)
        with pommego.make_vec("PommeFFACompetition-v0", GAMES, batch_size=SIZE, **options, **where) as envs:
            for _ in range(2):  # the second time, after a reset in the middle
                compare(envs, want, GAMES * STEPS // (3 * SIZE))


def test_several_rows_and_components(vec: Vec) -> None:
    options = {"games": GAMES, "observation": "raw", "expand_shared": False}
    envs = vec("PommeRadioCompetition-v2", **options)
    want = lock_step(envs, STEPS)
    envs = vec("PommeRadioCompetition-v2", batch_size=SIZE, **options)
    assert envs.action_space.shape == (SIZE * 4, 3)
    obs, info = envs.reset(seed=4)
    assert envs.observation_space.contains(obs)
    assert envs.by_game(info["row"]).shape == (SIZE, 4)
    assert envs.sample_actions(info["action_mask"]).shape == envs.sample_actions().shape == (SIZE * 4, 3)
    compare(envs, want, 60)


def test_spaces_and_rows(vec: Vec) -> None:
    envs = vec(games=5, batch_size=3, opponents=["static"] * 3, rules={"max_steps": 4})
    assert (envs.num_envs, envs.num_games, envs.batch_size) == (5, 5, 3)
    obs, info = envs.reset(seed=1)
    assert envs.observation_space.contains(obs)
    seeds = dict(zip(info["row"].tolist(), info["seed"].tolist(), strict=True))
    for n in itertools.count():
        if n >= 60 and len(seeds) == 5:
            break
        envs.send(np.zeros(3, int))  # of the rows received last
        obs, reward, terminated, truncated, info = envs.recv()
        assert reward.shape == terminated.shape == truncated.shape == info["row"].shape == (3,)
        assert len(set(info["row"].tolist())) == 3
        if "game" in info:
            assert ((info["game"]["length"] > 0) == info["_game"]).all()
        if "seed" in info:
            begun = info["_seed"]
            seeds |= dict(zip(info["row"][begun].tolist(), info["seed"][begun].tolist(), strict=True))
    assert seeds == {row: 1 + row for row in range(5)}


def test_any_number_may_be_sent(vec: Vec) -> None:
    envs = vec(games=6, batch_size=2, opponents=["static"] * 3)
    held = envs.reset(seed=1)[1]["row"].tolist()
    held += envs.recv()[-1]["row"].tolist()
    envs.send([0], held[:1])
    envs.send([0, 0, 0], held[:0:-1])
    held = [row for _ in range(3) for row in envs.recv()[-1]["row"].tolist()]
    assert sorted(held) == list(range(6))
    with pytest.raises(pommego.ServerError, match="0, want 2") as caught:
        envs.recv()
    assert caught.value.code == "out_of_turn"
    envs.send([0] * 6, held)
    envs.recv()


def test_all_games_are_a_step(vec: Vec) -> None:
    plain, envs = vec(games=3), vec(games=3, batch_size=3)
    assert_same(tuple(parts(envs.reset(seed=1), 3, 4)), tuple(parts(plain.reset(seed=1), 3, 4)))
    got, want = envs.step(np.zeros(12, int)), plain.step(np.zeros(12, int))
    assert_same(tuple(parts(got, 3, 4)), tuple(parts(want, 3, 4)))
    assert got[-1]["row"].tolist() == list(range(12))
    envs.send(np.zeros(12, int), got[-1]["row"])
    assert envs.recv()[-1]["row"].tolist() == list(range(12))
    with pytest.raises(ValueError, match="rows must be all 12, in order"):
        envs.send(np.zeros(4, int), [0, 1, 2, 3])
    some = {"reset_mask": np.arange(12) < 4}
    for (_, got), (_, want) in [
        (each.reset(seed=7, options=some) for each in (envs, plain)),
        (each.set_state(1, envs.get_state(0)) for each in (envs, plain)),
    ]:
        assert got.pop("row").tolist() == list(range(12)) and got.pop("_row").all()
        assert_same(dict(got), dict(want))
        assert not got["valid"].any()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"batch_size": 0}, "batch_size is 0, want 1 to"),
        ({"batch_size": 5}, "batch_size is 5, want 1 to 4"),
        (
            {"batch_size": 2, "autoreset_mode": "Disabled"},
            "is Disabled with a batch size, want NextStep or SameStep",
        ),
    ],
)
def test_refused_when_made(vec: Vec, options: dict[str, Any], says: str) -> None:
    with pytest.raises(pommego.ServerError, match=says):
        vec(games=4, **options)


@pytest.mark.parametrize("memory", [None, False])
def test_misuse(vec: Vec, memory: bool | None) -> None:
    envs = vec(games=4, batch_size=2, shared_memory=memory)
    with pytest.raises(pommego.ServerError, match="has not been reset"):
        envs.recv()
    _, info = envs.reset(seed=1)
    rows = info["row"]
    other = next(game for game in range(4) if 4 * game not in rows)
    eight = np.zeros(8, int)
    for call, error, says in [
        (
            lambda: envs.step(np.zeros(16, int)),
            pommego.PommegoError,
            r"steps by send\(actions, info\['row'\]\) and recv\(\)",
        ),
        (
            lambda: envs.reset(options={"reset_mask": np.arange(16) < 4}),
            pommego.PommegoError,
            "resetting some games",
        ),
        (lambda: envs.reset(seed=[1, None, 3, 4]), pommego.PommegoError, "resetting some games"),
        (
            lambda: envs.set_state(0, envs.get_state(0)),
            pommego.PommegoError,
            r"^set_state\(\) is for all 4 games",
        ),
        (envs.clone, pommego.PommegoError, r"^clone\(\) is for all 4 games together, .* batch_size=2"),
        (lambda: envs.send(eight[:4], rows), ValueError, r"shape \(8,\)"),
        (lambda: envs.send(eight[:4], rows[1:5]), ValueError, "whole games"),
        (lambda: envs.send(eight[:4], rows[3::-1]), ValueError, "whole games"),
        (lambda: envs.send(eight[:6], rows[:6]), ValueError, "whole games"),
        (lambda: envs.send(eight[:4], [16, 17, 18, 19]), ValueError, "row 16 is not one of 0 to 15"),
        (lambda: envs.send(eight[:4], [0.0, 1.0, 2.0, 3.0]), TypeError, "integers"),
        (lambda: envs.send(eight[:4], rows.reshape(2, 4)), ValueError, r"shape \(n,\)"),
        (
            lambda: (envs.send(eight[:4], np.arange(4) + 4 * other), envs.recv()),
            pommego.ServerError,
            "under way",
        ),
        (lambda: (envs.send(eight + 6, rows), envs.recv()), pommego.ServerError, "is 6, want 0 to 5"),
    ]:
        with pytest.raises(error, match=says):
            call()
    envs.send(eight, rows)
    assert len(envs.get_state()) == len(envs.render(range(4))) == 4
    envs.recv()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux only")
def test_the_first_refusal_is_raised(vec: Vec) -> None:
    """By recv, which then receives nothing: what is under way comes with the next."""
    envs = vec(games=4, batch_size=2, opponents=["static"] * 3, shared_memory=True)
    rows = envs.reset(seed=1)[1]["row"]
    envs.recv()
    envs.send([0, 6], [0, 1])
    envs.send([0] * 4, [3, 2, 1, 0])
    envs.send([0], [0])
    with pytest.raises(pommego.ServerError, match="is 6, want 0 to 5"):
        envs.recv()
    assert sorted([*envs.recv()[-1]["row"], *envs.recv()[-1]["row"]]) == [0, 1, 2, 3]
    envs.send([6], [0])
    assert len(envs.reset(seed=2)[1]["row"]) == len(rows) == 2
    envs.recv()


def test_an_interrupted_recv_loses_nothing(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while games are stepped: their batch comes with the next recv."""
    envs = vec(games=4, batch_size=2, opponents=["static"] * 3)
    envs.reset(seed=1)
    envs.recv()
    envs.send([0] * 4, range(4))

    def interrupted(_: type) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(envs._session.client, "collect", interrupted)
        with pytest.raises(KeyboardInterrupt):
            envs.recv()
    with pytest.raises(pommego.PommegoError, match="steps in flight: 1"):
        envs.send([0, 0])
    rows = envs.recv()[-1]["row"].tolist() + envs.recv()[-1]["row"].tolist()
    assert sorted(rows) == list(range(4))
