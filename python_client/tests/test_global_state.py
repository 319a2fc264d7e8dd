"""The global state, and observations in one box: what they hold, on every way that they can come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import vector as wrappers

import pommego
from compare import assert_same, frozen
from pommego.registration import IDS
from wiring import wired

Vec = Callable[..., pommego.PommegoVectorEnv]
Single = Callable[..., pommego.PommegoEnv]
FFA, TEAM, CLEAR = "PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeTeam-v0"
THINGS = 14  # planes of what can lie on a cell; then come those of agents


def play(envs: pommego.PommegoVectorEnv, steps: int, seed: int = 0) -> list[Any]:
    """Everything that games return, for random moves."""
    obs, info = envs.reset(seed=seed)
    batches = [(obs, info)]
    for _ in range(steps):
        batches.append(envs.step(envs.sample_actions(batches[-1][-1]["action_mask"])))
    return batches


@pytest.mark.parametrize("id", IDS)
def test_of_every_id(vec: Vec, id: str) -> None:
    envs = vec(id, 3, state=True)
    learners = envs.game_spec.seats
    for _, *_, info in play(envs, 10):
        state = info["state"]
        assert state in envs.state_space
        assert info["_state"].all()
        for array in envs.by_game(state).values():
            assert (array == array[:, :1]).all(), "one for all rows of a game"
    assert envs.state_space["planes"].shape == (3 * learners, *envs.single_state_space["planes"].shape)
    names = [plane.name for plane in envs.state_encoding["planes"].names]
    assert len(names) == len(set(names)) == envs.single_state_space["planes"].shape[0]


def test_is_without_fog(vec: Vec) -> None:
    """In the same game played without fog, everybody sees it."""
    fogged, clear = vec(TEAM, 8, state=True, expand_shared=False), vec(CLEAR, 8, state=True)
    names = {name.name: i for i, name in enumerate(clear.encoding["planes"].names)}
    obs, info = fogged.reset(seed=5)
    whole, _ = clear.reset(seed=5)
    hidden = 0
    for _ in range(60):
        planes = info["state"]["planes"]
        assert planes.shape == (8, *fogged.state_encoding["planes"].shape)
        seen = clear.by_game(whole["planes"])
        np.testing.assert_array_equal(seen[:, :, :THINGS], np.repeat(planes[:, None, :THINGS], 4, axis=1))
        np.testing.assert_array_equal(seen[:, range(4), names["self"]], planes[:, THINGS:])
        hidden += (obs["planes"][:, names["fog"]] * whole["planes"][:, names["wood"]]).sum()
        actions = fogged.sample_actions(info["action_mask"])
        obs, *_, info = fogged.step(actions)
        whole, *_ = clear.step(actions)
    assert hidden, "there was no fog over anything"


@pytest.mark.parametrize("expand_shared", [True, False])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_same_on_every_way(vec: Vec, binary: object, mode: str, expand_shared: bool) -> None:
    options = {"state": True, "autoreset_mode": mode, "expand_shared": expand_shared, "max_episode_steps": 15}
    want = [frozen(batch) for batch in play(vec(TEAM, 5, shared_memory=False, **options), 40)]
    for way in [
        {"shared_memory": True},
        {"shared_memory": True, "copy": False},
        {"shared_memory": False, "copy": False},
    ]:
        envs = vec(TEAM, 5, **options, **way)
        obs, info = envs.reset(seed=0)
        assert_same((obs, info), want[0], f"{way}, reset: ")
        for i, batch in enumerate(want[1:]):
            got = envs.step(envs.sample_actions(info["action_mask"]))
            assert_same(got, batch, f"{way}, step {i}: ")
            info = got[-1]
    with pommego.Server(transport="tcp") as server:
        where = {"address": server.address, "token": server.token}
        with pommego.make_vec(TEAM, 5, **wired(shared_memory=False, **options), **where) as envs:
            assert_same(tuple(play(envs, 5)), tuple(want[:6]))


def test_large_ones_are_not_copied(vec: Vec) -> None:
    """They stay where the server wrote them, and stay what they were."""
    envs = vec(TEAM, 200, state=True, expand_shared=False, shared_memory=True)
    batches = play(envs, 3)
    for *_, info in batches[1:]:
        assert not info["state"]["planes"].flags.owndata
        assert info["state"]["scalars"].flags.owndata, "less than what is worth keeping a batch for"
    kept = frozen(tuple(batches))
    for _ in range(10):
        envs.step(envs.sample_actions())
    assert_same(tuple(batches), kept)


def test_last_states(vec: Vec) -> None:
    """With SAME_STEP they are where last observations' company is."""
    for learners in ({}, {"opponents": ["random"] * 3}):
        options = {"state": True, "max_episode_steps": 25, **learners}
        same = vec(FFA, 6, autoreset_mode="SameStep", **options)
        other = vec(FFA, 6, autoreset_mode="Disabled", **options)
        _, info = same.reset(seed=3)
        other.reset(seed=3)
        ends = 0
        for _ in range(60):
            actions = same.sample_actions(info["action_mask"])
            *_, terminated, truncated, info = same.step(actions)
            *_, last = other.step(actions)
            over = terminated | truncated
            if over.any():
                ends += over.sum()
                final = info["final_info"]
                np.testing.assert_array_equal(final["_state"], over)
                for name, array in final["state"].items():
                    np.testing.assert_array_equal(array[over], last["state"][name][over])
                    assert not array[~over].any()
                _, last = other.reset(options={"reset_mask": over})
            assert_same(info["state"], last["state"])
        assert ends > 6


def test_not_asked_for(vec: Vec) -> None:
    envs = vec(TEAM, 2)
    assert all("state" not in info and "_state" not in info for *_, info in play(envs, 3))
    assert envs.state_space is envs.single_state_space is envs.state_encoding is None


def test_first_ready_saved_and_simulated(vec: Vec) -> None:
    envs = vec(TEAM, 4, state=True, batch_size=2)
    envs.reset(seed=0)
    envs.send(np.zeros(8, int))
    *_, info = envs.recv()
    assert info["state"] in envs.state_space
    assert envs.state_space["planes"].shape[0] == 8
    games = vec(TEAM, 2, state=True)
    games.reset(seed=0)
    state = games.get_state(0)
    *_, info = games.step([5] * 8)
    wanted = frozen(info["state"])
    after = games.simulate([state] * 3, [5] * 12, seed=0)
    for name, array in after.info["state"].items():
        assert (array == wanted[name][0]).all()
    _, info = games.set_state(1, games.get_state(0))
    for name, array in info["state"].items():
        assert (array == wanted[name][0]).all()


def test_gymnasium_takes_it(vec: Vec, single: Single) -> None:
    listed = wrappers.DictInfoToList(vec(FFA, 2, state=True, opponents=["static"] * 3))
    _, infos = listed.reset(seed=0)
    env = single(state=True)
    _, info = env.reset(seed=0)
    assert info["state"] in env.state_space
    assert infos[0]["state"]["planes"].shape == env.state_space["planes"].shape
    check_env(single("OneVsOne-v0", state=True), skip_render_check=True)


# One box ----------------------------------------------------------------------


@pytest.mark.parametrize("id", [FFA, TEAM, "PommeRadio-v2", "BaseWarSides-v0", "SuiteBot-v0"])
@pytest.mark.parametrize("copy", [True, False])
def test_box_is_the_planes_and_scalars(vec: Vec, id: str, copy: bool) -> None:
    options = {"state": True, "autoreset_mode": "SameStep", "max_episode_steps": 12}
    boxed, plain = vec(id, 3, observation="box", copy=copy, **options), vec(id, 3, **options)
    names = [*plain.encoding["planes"].names, *plain.encoding["scalars"].names]
    assert boxed.encoding["box"].names == tuple(names)
    for got, want in zip(play(boxed, 30), play(plain, 30), strict=True):
        assert got[0] in boxed.observation_space or copy is False  # its memory may have moved on
        assert got[0].dtype == np.float32
        if not copy:
            continue
        assert_box(got[0], want[0])
        assert_box(got[-1]["state"], want[-1]["state"])
        assert got[-1]["state"] in boxed.state_space
        if "final_obs" in want[-1]:
            for one, two in zip(got[-1]["final_obs"], want[-1]["final_obs"], strict=True):
                assert (one is None) == (two is None)
                if two is not None:
                    assert_box(one[None], {name: array[None] for name, array in two.items()})
            assert_box(got[-1]["final_info"]["state"], want[-1]["final_info"]["state"])


def assert_box(got: np.ndarray, want: dict[str, np.ndarray]) -> None:
    planes = want["planes"].shape[1]
    np.testing.assert_array_equal(got[:, :planes], want["planes"])
    assert (got[:, planes:] == want["scalars"][:, :, None, None]).all()


@pytest.mark.parametrize("shared", [True, False])
def test_its_entries_may_be_replaced(vec: Vec, shared: bool) -> None:
    envs = vec(TEAM, 3, state=True, copy=False, expand_shared=False, shared_memory=shared)
    for _, *_, info in play(envs, 12):
        assert info["state"]["planes"].any()
        assert info["state"]["_planes"].all()
        info["state"]["planes"] = info["state"].pop("scalars") * 0


def test_box_of_one_game(single: Single, server: pommego.Server) -> None:
    env = single(observation="box", state=True)
    obs, info = env.reset(seed=0)
    assert obs.shape == env.observation_space.shape == (18 + 10, 11, 11)
    assert obs in env.observation_space
    assert info["state"] in env.state_space
    assert env.step(0)[0] in env.observation_space
    check_env(single("OneVsOne-v0", observation="box"), skip_render_check=True)
    zoo = pommego.parallel_env(TEAM, observation="box", address=server.address, token=server.token)
    observations, _ = zoo.reset(seed=0)
    assert observations["agent_0"]["observation"].shape == zoo.envs.encoding["box"].shape == (28, 11, 11)
    assert observations["agent_0"] in zoo.observation_space("agent_0")
    zoo.close()


def test_no_such_observation(vec: Vec) -> None:
    with pytest.raises(pommego.ServerError, match="boxes"):
        vec(observation="boxes")


# Without arguments --------------------------------------------------------------


@pytest.mark.parametrize("id", [FFA, "OneVsOne-v0", "PommeTeam-v0", "BaseWar-v0", "SuiteBot-v0"])
def test_one_learner_against_simple(server: pommego.Server, id: str) -> None:
    where = {"address": server.address, "token": server.token}
    for env in (gymnasium.make(f"pommego/{id}", **where), pommego.make(id, **where)):
        _, info = env.reset(seed=0)
        state = env.unwrapped.get_state().json()["pommego"]["pool"]
        assert [agent["name"] for agent in state["agents"]] == ["simple"] * (
            env.unwrapped.game_spec.seats - 1
        )
        env.step(env.action_space.sample(info["action_mask"]))
        env.close()


def test_without_arguments_at_all(binary: object) -> None:
    env = gymnasium.make("pommego/PommeFFACompetition-v0")
    assert env.reset(seed=0)[0] in env.observation_space
    assert env.step(0)[0] in env.observation_space
    env.close()


def test_as_many_as_the_rules_have_seats(server: pommego.Server) -> None:
    where = {"address": server.address, "token": server.token}
    with pytest.raises(pommego.ServerError, match="unknown_env_id"):
        pommego.make("pommego/pommego/OneVsOne-v0", **where)
    env = pommego.make("SuiteBot-v0", rules={"players": 2}, **where)
    assert env.game_spec.seats == 2
    env.close()


def test_ids_in_gymnasiums_namespace(vec: Vec) -> None:
    assert vec(f"pommego/{TEAM}", 1).game_spec.id == TEAM
    assert vec(f"pommego/{TEAM}", 1, rules={"max_steps": 5}).game_spec.id == f"custom:{TEAM}"
    with pytest.raises(pommego.ServerError, match="unknown_env_id"):
        vec("pommego/Chess-v0", 1)
