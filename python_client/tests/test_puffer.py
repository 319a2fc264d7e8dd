"""PufferLib's contract of environments and buffers."""

from __future__ import annotations

import pickle
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pommego
import puffer_contract

FFA, TEAM, RADIO, DUEL = (
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "PommeRadioCompetition-v2",
    "OneVsOne-v0",
)

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def puffer() -> Iterator[types.ModuleType]:
    """Our adapter, on PufferLib's contract."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pufferlib", puffer_contract)
        patch.delitem(sys.modules, "pommego.adapters.puffer", raising=False)
        from pommego.adapters import puffer

        yield puffer
    del sys.modules["pommego.adapters.puffer"]


@pytest.fixture
def make(puffer: types.ModuleType, server: pommego.Server) -> Iterator[Make]:
    made = []

    def call(id: str = FFA, games: int = 3, buf: Any = None, seed: int = 0, **options: Any) -> Any:
        where = {"address": server.address, "token": server.token}
        made.append(puffer.creator(id, games, **options, **where)(buf=buf, seed=seed))
        return made[-1]

    yield call
    for env in made:
        env.close()


@pytest.mark.parametrize(
    ("id", "options"),
    [
        (FFA, {"opponents": ["random"] * 3}),
        (FFA, {"opponents": ["static"] * 3, "max_episode_steps": 9}),
        (TEAM, {"observation": "raw"}),
        (RADIO, {"max_episode_steps": 15}),
        (DUEL, {}),
        ("BaseWarSides-v0", {"max_episode_steps": 25}),
        ("SuiteBot-v0", {"opponents": ["random"] * 3, "max_episode_steps": 25}),
    ],
    ids=str,
)
def test_same_as_the_vector_environment(make: Make, vec: Make, id: str, options: dict[str, Any]) -> None:
    ours, plain = make(id, 3, seed=2, **options), vec(id, 3, autoreset_mode="SameStep", **options)
    ours.async_reset()
    obs, info = plain.reset(seed=6)
    plain.action_space.seed(0)
    ends = 0
    for _ in range(60):
        packed, *_ = ours.recv()
        for name, array in ours.unpack(packed).items():
            assert array.dtype == obs[name].dtype
            np.testing.assert_array_equal(array, obs[name])
        np.testing.assert_array_equal(ours.action_masks, info["action_mask"])
        actions = plain.action_space.sample()
        ours.send(actions.astype(np.int32))
        obs, reward, terminated, truncated, info = plain.step(actions)
        _, rewards, terminals, truncations, infos, ids, _ = ours.recv()
        np.testing.assert_array_equal(rewards, reward)
        np.testing.assert_array_equal(truncations, truncated)
        assert (terminals[terminated]).all()
        assert ids.tolist() == list(range(plain.num_envs))
        ended = (terminated | truncated)[:: plain.learners]
        assert len(infos) == ended.sum()
        if "game" in info:
            lengths = info["game"]["length"][:: plain.learners][ended]
            assert [one["episode_length"] for one in infos] == lengths.tolist()
        ends += ended.sum()
    assert ends >= 2


@pytest.mark.parametrize("as_dict", [True, False])
def test_writes_into_the_buffers_it_is_given(puffer: types.ModuleType, make: Make, as_dict: bool) -> None:
    """PufferLib's processes hand out parts of one large buffer: 2.0 as a namespace, 3.0 as a dict."""
    sizes = make(TEAM)
    whole = puffer_contract.buffers(24, sizes.single_observation_space, sizes.single_action_space)
    for first in (0, 12):
        part = {name: array[first : first + 12] for name, array in whole.items()}
        env = make(TEAM, 3, buf=part if as_dict else types.SimpleNamespace(**part), seed=first)
        env.reset()
        before = whole["observations"][first : first + 12].copy()
        assert before.any()
        for _ in range(14):
            env.step(np.full(12, 5, np.int32))
        assert all(np.shares_memory(getattr(env, name), whole[name]) for name in puffer_contract.BUFFERS)
        assert (whole["observations"][first : first + 12] != before).any()
    assert not np.array_equal(whole["observations"][:12], whole["observations"][12:])


def test_the_dead_are_masked_where_all_fight_all(make: Make) -> None:
    env = make(FFA, 1, seed=4)
    env.reset()
    rng = np.random.default_rng(4)
    gone = np.zeros(4, bool)
    games = deaths = 0
    while games < 4:
        _, rewards, terminals, _, infos = env.step(rng.integers(0, 6, 4))
        np.testing.assert_array_equal(env.masks, ~gone, "masked from the step after the last on")
        assert not rewards[gone].any()
        died = terminals & ~gone
        if infos:
            games += 1
            gone[:] = False
            assert terminals.all()
        else:
            deaths += died.sum()
            assert (rewards[died] == -1).all()
            gone |= died
    assert deaths >= 3


def test_the_dead_of_a_team_wait_for_its_fate(make: Make) -> None:
    env = make(TEAM, 4)
    env.reset()
    rng = np.random.default_rng(0)
    shared = 0
    for _ in range(300):
        _, rewards, terminals, _, _ = env.step(rng.integers(0, 6, 16))
        assert env.masks.all()
        by_game = terminals.reshape(4, 4)
        assert (by_game.all(axis=1) == by_game.any(axis=1)).all()
        ended = rewards.reshape(4, 4)[by_game.all(axis=1)]
        np.testing.assert_array_equal(ended[:, 0], ended[:, 2])
        shared += len(ended)
    assert shared >= 5


def test_who_dies_as_the_game_is_cut_off(make: Make) -> None:
    env = make(FFA, 1, max_episode_steps=200)
    env.reset(0)
    steps = 1
    _, _, terminals, *_ = env.step(np.array([5, 0, 0, 0]))
    while not terminals.any():
        _, _, terminals, *_ = env.step(np.zeros(4, np.int32))
        steps += 1
    assert terminals.tolist() == [True, False, False, False]
    short = make(FFA, 1, max_episode_steps=steps)
    short.reset(0)
    short.step(np.array([5, 0, 0, 0]))
    for _ in range(steps - 1):
        _, _, terminals, truncations, _ = short.step(np.zeros(4, np.int32))
    assert terminals.tolist() == [True, False, False, False]
    assert truncations.all()


def test_seeds_one_apart_have_no_game_in_common(make: Make) -> None:
    boards = []
    for seed in range(3):
        env = make(FFA, 4, opponents=["static"] * 3, seed=seed)
        boards += [row.tobytes() for row in env.unpack(env.reset()[0])["planes"]]
    assert len(set(boards)) == 12
    again = make(FFA, 4, opponents=["static"] * 3)
    packed, infos = again.reset(seed=[2])
    assert [row.tobytes() for row in again.unpack(packed)["planes"]] == boards[8:]
    assert infos == []


def test_wins_are_counted(make: Make) -> None:
    env = make(DUEL, 4, opponents=["static"], max_episode_steps=30)
    env.reset()
    ended = []
    rng = np.random.default_rng(0)
    for _ in range(150):
        ended += env.step(rng.integers(0, 6, 4))[4]
    assert {info["won"] for info in ended} <= {0, 1}
    assert all((info["episode_return"] == 1) == (info["won"] == 1) for info in ended)
    assert len(ended) > 10


def test_creators_travel_between_processes(puffer: types.ModuleType) -> None:
    creator = puffer.creator(FFA, 2, opponents=["static"] * 3)
    assert pickle.loads(pickle.dumps(creator)).args == creator.args
    with pytest.raises(TypeError, match="copy"):
        puffer.creator(FFA, 2, copy=True)


def test_draws_the_first_game(make: Make) -> None:
    env = make(DUEL, 2)
    env.reset()
    assert isinstance(env.render(), str)
