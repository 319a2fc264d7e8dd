"""PettingZoo: its own conformance suites for every id, and what they do not look at."""

from __future__ import annotations

import contextlib
import copy
import io
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils import parallel_to_aec

import pommego
from compare import assert_same
from pommego.pettingzoo import PommegoParallelEnv
from pommego.registration import IDS

FFA, TEAM, RADIO, DUEL = (
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "PommeRadioCompetition-v2",
    "OneVsOne-v0",
)
KINDS = [FFA, TEAM, RADIO, DUEL]

Maker = Callable[..., Any]


@pytest.fixture
def zoo(server: pommego.Server) -> Iterator[types.SimpleNamespace]:
    """`parallel_env` and `env` (the turn-based form) on the shared server; closes what they made."""
    made = []

    def maker(make: Maker) -> Maker:
        def call(id: str = FFA, **options: Any) -> Any:
            made.append(make(id, address=server.address, token=server.token, **options))
            return made[-1]

        return call

    def in_turn(id: str, **options: Any) -> Any:
        return parallel_to_aec(pommego.parallel_env(id, **options))

    yield types.SimpleNamespace(parallel_env=maker(pommego.parallel_env), env=maker(in_turn))
    for env in made:
        env.close()


@contextlib.contextmanager
def known_remarks() -> Iterator[None]:
    """What api_test remarks on any environment whose observation is a dict; anything else is an error."""
    with warnings.catch_warnings():
        for remark in (
            "Observation is not a NumPy array",
            "Observation space for each agent probably should be",
            "Action space for each agent probably should be",  # it expects Box or Discrete
            "Action mask is not a NumPy array",  # but sample() of a MultiDiscrete wants a tuple
        ):
            warnings.filterwarnings("ignore", message=remark)
        yield


# PettingZoo's own suites -----------------------------------------------------


@pytest.mark.parametrize("id", IDS)
def test_parallel_api(zoo: types.SimpleNamespace, id: str) -> None:
    parallel_api_test(zoo.parallel_env(id), num_cycles=1000)


@pytest.mark.parametrize("id", IDS)
def test_api(zoo: types.SimpleNamespace, id: str) -> None:
    with known_remarks():
        api_test(zoo.env(id), num_cycles=1000)


@pytest.mark.parametrize("id", IDS)
def test_parallel_seed(zoo: types.SimpleNamespace, id: str) -> None:
    parallel_seed_test(lambda: zoo.parallel_env(id))


@pytest.mark.parametrize("id", IDS)
def test_seed(zoo: types.SimpleNamespace, id: str) -> None:
    seed_test(lambda: zoo.env(id))


@pytest.mark.parametrize("id", IDS)
def test_max_cycles(zoo: types.SimpleNamespace, id: str) -> None:
    def make(make: Maker) -> Maker:
        return lambda max_cycles: make(id, max_cycles=max_cycles)

    max_cycles_test(types.SimpleNamespace(parallel_env=make(zoo.parallel_env), env=make(zoo.env)))


@pytest.mark.parametrize("id", IDS)
def test_render(zoo: types.SimpleNamespace, id: str) -> None:
    drawn = io.StringIO()
    with contextlib.redirect_stdout(drawn):
        render_test(lambda render_mode: zoo.env(id, render_mode=render_mode))
    assert len(drawn.getvalue().splitlines()) > 20, "human: drawn at each step"


@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize("id", IDS)
def test_state(zoo: types.SimpleNamespace, id: str, observation: str) -> None:
    state_test(zoo.env(id, observation=observation), zoo.parallel_env(id, observation=observation))


@pytest.mark.parametrize("options", [{"observation": "raw"}, {"action_mask": "info"}], ids=str)
@pytest.mark.parametrize("id", KINDS)
def test_suites_with_other_options(zoo: types.SimpleNamespace, id: str, options: dict[str, Any]) -> None:
    parallel_api_test(zoo.parallel_env(id, **options), num_cycles=200)
    seed_test(lambda: zoo.env(id, **options))
    with known_remarks():
        api_test(zoo.env(id, **options), num_cycles=200)


# What the suites do not look at ----------------------------------------------


def play(env: PommegoParallelEnv, seed: int, action_seed: int) -> list[Any]:
    """Play one game with random legal actions and return everything that was seen."""
    rng = np.random.default_rng(action_seed)
    observations, infos = env.reset(seed=seed)
    history: list[Any] = [(observations, infos)]
    while env.agents:
        actions = {agent: draw(observations[agent]["action_mask"], rng) for agent in env.agents}
        history.append(env.step(actions))
        observations = history[-1][0]
    return history


def draw(mask: Any, rng: np.random.Generator) -> Any:
    if isinstance(mask, tuple):
        return np.array([draw(part, rng) for part in mask])
    return int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("id", IDS)
def test_whole_games_repeat(zoo: types.SimpleNamespace, id: str) -> None:
    """parallel_seed_test stops after one step, seed_test at the first death: this does not."""
    ours, twin = zoo.parallel_env(id), zoo.parallel_env(id)
    for seed in (3, 4):
        want = play(ours, seed, action_seed=seed)
        got = play(twin, seed, action_seed=seed)
        assert len(want) > 5
        assert len(got) == len(want)
        for step, pair in enumerate(zip(got, want, strict=True)):
            assert_same(*pair, f"seed {seed}, step {step}: ")
    assert_same(twin.reset(), ours.reset(), "the game after: ")
    before = ours.reset(seed=3)[0]["agent_0"]
    after = ours.reset(seed=4)[0]["agent_0"]
    with pytest.raises(AssertionError):
        assert_same(after, before)


def test_same_as_the_vector_environment(zoo: types.SimpleNamespace, vec: Maker) -> None:
    """What agents see and get is what make_vec gives its rows."""
    env, envs = zoo.parallel_env(TEAM), vec(TEAM, 1, autoreset_mode="Disabled")
    observations, _ = env.reset(seed=5)
    obs, info = envs.reset(seed=5)
    envs.action_space.seed(1)
    while env.agents:
        for row, agent in enumerate(env.agents):
            assert_same(observations[agent]["observation"], {name: obs[name][row] for name in obs})
            np.testing.assert_array_equal(observations[agent]["action_mask"], info["action_mask"][row])
        actions = envs.action_space.sample()
        obs, reward, terminated, truncated, info = envs.step(actions)
        observations, *rest = env.step(dict(zip(env.possible_agents, actions, strict=True)))
        for got, want in zip(rest, (reward, terminated, truncated), strict=False):
            assert list(got.values()) == want.tolist()


@pytest.mark.parametrize("id", [FFA, DUEL])
def test_the_dead_leave_where_all_fight_all(zoo: types.SimpleNamespace, id: str) -> None:
    env = zoo.parallel_env(id)
    left = []
    for seed in range(8):
        returns = dict.fromkeys(env.possible_agents, 0.0)
        last = {}
        for _, rewards, terminations, truncations, infos in play(env, seed, action_seed=seed)[1:]:
            for agent, reward in rewards.items():
                returns[agent] += reward
                assert not truncations[agent]
                assert terminations[agent] or infos[agent]["alive"]
                last[agent] = infos[agent]
            left.append(len(rewards))
        ended = [info["game"] for info in last.values() if "game" in info]
        assert ended, "somebody was there to the end"
        tie = not ended[0]["winners"].any()
        assert set(returns.values()) == {0} if tie and id == DUEL else set(returns.values()) <= {-1, 1}
        for name, value in returns.items():
            assert (value == 1) == ended[0]["winners"][env.possible_agents.index(name)]
    if id == FFA:
        assert set(left) > {2, 4}, "some died before the end"


def test_the_dead_stay_in_team_games(zoo: types.SimpleNamespace) -> None:
    env = zoo.parallel_env(TEAM)
    waited = shared = 0
    for seed in range(8):
        history = play(env, seed, action_seed=seed)
        for observations, rewards, terminations, _, infos in history[1:]:
            assert list(rewards) == env.possible_agents
            assert len(set(terminations.values())) == 1, "all end together"
            for agent, info in infos.items():
                if not info["alive"]:
                    waited += 1
                    assert observations[agent]["action_mask"].tolist() == [1, 0, 0, 0, 0, 0]
        _, rewards, _, _, infos = history[-1]
        assert rewards["agent_0"] == rewards["agent_2"]
        assert rewards["agent_1"] == rewards["agent_3"]
        won = [name for name, reward in rewards.items() if reward == 1]
        shared += any(not infos[name]["alive"] for name in won)
    assert waited > 10
    assert shared, "in some game a dead agent's teammate won for it"


def test_truncation(zoo: types.SimpleNamespace) -> None:
    """The last step is the same for all: who dies in it is truncated, too."""

    def stand_on_a_bomb(env: PommegoParallelEnv) -> tuple[int, tuple[Any, ...]]:
        env.reset(seed=0)
        result = env.step({"agent_0": 5, "agent_1": 0, "agent_2": 0, "agent_3": 0})
        steps = 1
        while "agent_0" in env.agents:
            result = env.step(dict.fromkeys(env.agents, 0))
            steps += 1
        return steps, result

    free = zoo.parallel_env(FFA)
    death, (_, rewards, terminations, truncations, _) = stand_on_a_bomb(free)
    assert (rewards["agent_0"], terminations["agent_0"], any(truncations.values())) == (-1, True, False)
    assert free.agents == ["agent_1", "agent_2", "agent_3"]

    limited = zoo.parallel_env(FFA, max_cycles=death)
    steps, (_, rewards, terminations, truncations, _) = stand_on_a_bomb(limited)
    assert steps == death
    assert rewards == {"agent_0": -1, "agent_1": 0, "agent_2": 0, "agent_3": 0}, "no outcome for the others"
    assert [name for name, dead in terminations.items() if dead] == ["agent_0"]
    assert truncations == dict.fromkeys(limited.possible_agents, True)
    assert limited.agents == []
    assert limited.step({}) == ({}, {}, {}, {}, {})


def test_server_agents_in_some_seats(zoo: types.SimpleNamespace) -> None:
    env = zoo.parallel_env(TEAM, seats=["simple", "learner", "static", "learner"])
    assert env.possible_agents == ["agent_1", "agent_3"]
    _, infos = env.reset(seed=0)
    assert [infos[agent]["seat"] for agent in env.agents] == [1, 3]
    env.envs.set_opponents(["static", "static"])
    parallel_api_test(env, num_cycles=100)
    one = zoo.parallel_env(FFA, seats=["random", "random", "learner", "random"])
    parallel_api_test(one, num_cycles=400)
    assert one.state().shape == one.state_space.shape == (18 + 25, 11, 11)


def test_masks_are_in_one_place(zoo: types.SimpleNamespace) -> None:
    """Those who find them in both trip over the second."""
    inside, beside = zoo.parallel_env(TEAM), zoo.parallel_env(TEAM, action_mask="info")
    observations, infos = inside.reset(seed=3)
    plain, masked = beside.reset(seed=3)
    for agent in inside.agents:
        assert_same(plain[agent], observations[agent]["observation"])
        assert_same(masked[agent], infos[agent] | {"action_mask": observations[agent]["action_mask"]})
        assert "action_mask" not in infos[agent]
    observations, _ = zoo.parallel_env(RADIO).reset()
    assert [len(part) for part in observations["agent_0"]["action_mask"]] == [6, 9, 9]


@pytest.mark.parametrize("observation", ["planes", "raw", "box"])
def test_state_is_the_global_one(zoo: types.SimpleNamespace, vec: Any, observation: str) -> None:
    """In fog, where no agent sees all of it."""
    env = zoo.parallel_env(TEAM, observation=observation)
    envs = vec(TEAM, 1, state=True, autoreset_mode="Disabled")
    _, infos = env.reset(seed=1)
    _, info = envs.reset(seed=1)
    for _ in range(30):
        wanted = info["state"]["planes"][0], info["state"]["scalars"][0][:, None, None]
        np.testing.assert_array_equal(env.state()[:18], wanted[0])
        assert (env.state()[18:] == wanted[1]).all()
        assert env.state_space.contains(env.state())
        assert not any("state" in own for own in infos.values())
        if not env.agents:
            break
        *_, infos = env.step(dict.fromkeys(env.agents, 5))
        *_, info = envs.step([5] * 4)
    names = [name.name for name in env.state_encoding["box"].names]
    assert names[14] == "agent0"
    assert names[18] == "step"
    assert len(names) == env.state_space.shape[0]
    without = zoo.parallel_env(TEAM, state=False)
    without.reset(seed=0)
    with pytest.raises(pommego.PommegoError, match="state=True"):
        without.state()


def test_connections_shared_with_vector_environments(zoo: types.SimpleNamespace) -> None:
    env = zoo.parallel_env(TEAM, observation="raw", connection=pommego.Connection(expand_shared=False))
    seen, _ = env.reset(seed=0)
    assert (
        seen["agent_3"]["observation"]["maps"].shape
        == env.observation_space("agent_3")["observation"]["maps"].shape
    )


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"opponents": ["simple"] * 3}, TypeError, "seats="),
        ({"max_episode_steps": 3}, TypeError, "max_cycles"),
        ({"max_cycles": 0}, ValueError, "^max_cycles is 0, expected an integer, 1 or more, or None"),
        ({"num_envs": 3}, TypeError, "make_vec"),
        ({"action_mask": "elsewhere"}, ValueError, "action_mask"),
        ({"render_mode": "hologram"}, ValueError, "render_mode"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_wrong_options(
    zoo: types.SimpleNamespace, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        zoo.parallel_env(FFA, **options)


def test_wrong_actions(zoo: types.SimpleNamespace) -> None:
    env = zoo.parallel_env(FFA)
    env.reset(seed=0)
    good = dict.fromkeys(env.agents, 0)
    for bad in (None, 1.5, [1, 2], "up"):
        with pytest.raises(ValueError, match="agent_2"):
            env.step(good | {"agent_2": bad})
    del good["agent_3"]
    with pytest.raises(ValueError, match="agent_3"):
        env.step(good)
    with pytest.raises(pommego.ServerError, match="action"):
        env.step(good | {"agent_3": 6})
    env.step(good | {"agent_3": np.int64(5)})


def test_before_the_first_reset(zoo: types.SimpleNamespace) -> None:
    env = zoo.parallel_env(FFA)
    for call in (lambda: env.step({}), env.state):
        with pytest.raises(pommego.PommegoError, match=r"reset\(\) first"):
            call()
    env.reset(seed=0)
    env.agents = []
    assert env.step({}) == ({}, {}, {}, {}, {}), "after its end it gives nothing"


@pytest.mark.parametrize("env_id", [FFA, TEAM])
def test_saved_games_have_their_agents(zoo: types.SimpleNamespace, env_id: str) -> None:
    """Also those that are out by now; of a game that is over, none."""
    env, still = zoo.parallel_env(env_id, seats=["learner", "learner", "learner", "static"]), 0
    first = env.reset(seed=1)
    state, whole = env.get_state(), env.state()
    while env.agents:
        actions = {agent: 5 if agent == "agent_0" and still == 0 else 0 for agent in env.agents}
        if "agent_0" in env.agents:
            alone = env.get_state(), env.agents[:]
        env.step(actions)
        still += 1
    over = env.get_state()
    obs, infos = env.set_state(state)
    assert_same(obs, first[0])
    assert env.agents == env.possible_agents == list(infos)
    assert np.array_equal(env.state(), whole)
    env.set_state(alone[0])
    assert env.agents == alone[1]
    env.step(dict.fromkeys(env.agents, 0))
    if env_id == FFA:
        assert "agent_0" not in env.agents
        env.set_state(env.get_state())
        assert env.agents == ["agent_1", "agent_2"]
    assert env.set_state(over) == ({}, {})
    assert env.agents == []


def test_there_is_no_copy_that_would_close_it(zoo: types.SimpleNamespace) -> None:
    env = zoo.parallel_env(FFA)
    env.reset(seed=0)
    with pytest.raises(TypeError, match="an environment cannot be pickled or copied"):
        copy.copy(env)
    env.step(dict.fromkeys(env.agents, 0))
