"""pommego.pommerman's environments: how they are made, seeded, looked into, altered, copied and drawn."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import recorded
from pommego import pommerman
from pommego.pommerman import agents, characters, constants, envs, utility
from reference.exact import difference, exact

pytestmark = pytest.mark.usefixtures("binary")

FFA = "PommeFFACompetition-v0"
TEAM = "PommeTeamCompetition-v0"


class Quiet(agents.BaseAgent):
    """Stops, and counts what it is asked."""

    asked = 0

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        self.asked += 1
        return 0


def quiet(number: int = 4) -> list[Quiet]:
    return [Quiet() for _ in range(number)]


def made(env_id: str = FFA, seed: int | None = 1, **options: Any) -> Any:
    env = pommerman.make(env_id, quiet(2 if env_id.startswith("OneVsOne") else 4), **options)
    if seed is not None:
        env.seed(seed)
    return env


def assert_same(got: Any, want: Any) -> None:
    found = difference(exact(got), exact(want))
    assert found is None, found


def moves(env: Any, rng: random.Random) -> list[int]:
    return [rng.choice([0, 1, 2, 3, 4, 1, 2, 3, 4, 5]) for _ in env._agents]


# Making ------------------------------------------------------------------------


def test_the_notebook_of_the_original() -> None:
    """Its way to make an environment and agents, step by step."""
    config = pommerman.configs.ffa_v0_fast_env()
    env = pommerman.envs.v0.Pomme(**config["env_kwargs"])
    players = [agents.SimpleAgent(config["agent"](seat, config["game_type"])) for seat in range(4)]
    env.set_agents(players)
    env.set_training_agent(players[3].agent_id)
    env.set_init_game_state(None)
    env.seed(0)
    env.reset()
    actions = env.act(env.get_observations())
    assert len(actions) == 3
    actions.insert(env.training_agent, 0)
    obs, rewards, done, info = env.step(actions)
    assert (rewards, done, info) == ([0] * 4, False, {"result": constants.Result.Incomplete})
    assert obs[3]["step_count"] == 1
    env.close()


def test_registry() -> None:
    """The ids in the original's order; what the options are the lock-step comparison shows."""
    assert pommerman.REGISTRY[0] == FFA
    assert len(pommerman.REGISTRY) == 12
    assert set(pommerman.REGISTRY) <= set(__import__("pommego").registration.IDS)
    env = made(TEAM)
    assert env.spec.id == TEAM
    assert env.spec._kwargs["agent_view_size"] == 4
    assert env.unwrapped is env
    assert str(env) == f"<Pomme<{TEAM}>>"


@pytest.mark.parametrize("env_id", [FFA, "PommeFFA-v1", "PommeRadio-v2"])
def test_made_by_gymnasium(env_id: str) -> None:
    """As the original's by gym: then the caller seats the agents."""
    env = gymnasium.make(env_id)
    assert env.spec.id == env_id
    assert type(env) is pommerman.configs.by_id(env_id)["env"]
    for seat, agent in enumerate(players := quiet()):
        agent.init_agent(seat, env.spec.kwargs["game_type"])
    env.set_agents(players)
    with env:
        obs = env.reset()
        assert env.step(env.act(obs))[2:] == (False, {"result": constants.Result.Incomplete})


def test_wrapped_by_gymnasium() -> None:
    """A wrapper hands on what the original's reset and step return."""

    class Halved(gymnasium.Wrapper):
        def step(self, action: Any) -> Any:
            obs, rewards, done, info = self.env.step(action)
            return obs, [reward / 2 for reward in rewards], done, info

    env = Halved(made(seed=None))
    boards = [env.reset(seed=seed)[0]["board"].tobytes() for seed in (5, 5, 6)]
    assert boards[0] == boards[1] != boards[2]
    assert env.spec.id == FFA
    env.unwrapped._step_count = 799
    assert env.step(env.get_wrapper_attr("act")(env.unwrapped.observations))[1] == [-0.5] * 4
    env.close()


@pytest.mark.parametrize("env_id", pommerman.REGISTRY)
def test_spaces(env_id: str) -> None:
    env = pommerman.make(env_id, [])
    size = env.spec.kwargs["board_size"]
    words = 16 if "Radio" in env_id else 0
    assert env.observation_space.shape == (3 * size**2 + 9 + words,)
    sizes = [6, 8, 8] if words else 6
    assert json.loads(json.dumps(env.action_space, cls=utility.PommermanJSONEncoder)) == sizes


@pytest.mark.parametrize(("game_type", "wood"), [("FFA", 12), ("OneVsOne", 0)])
def test_numbers_left_out_are_none(game_type: str, wood: int) -> None:
    """Which the original counts as 0; where four play, wood lies between the corners all the same."""
    kind = constants.GameType[game_type]
    env = envs.v0.Pomme(game_type=kind, board_size=11)
    seats = 2 if game_type == "OneVsOne" else 4
    env.set_agents([Quiet(characters.Bomber(seat, kind)) for seat in range(seats)])
    with env:
        board = env.reset()[0]["board"]
        assert [np.count_nonzero(board == value) for value in (1, 2)] == [0, wood]
        assert env._items == {}
        assert env.step([0] * seats)[0][0]["step_count"] == 1


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        (("Pomme-v9", []), ValueError, "unknown configuration 'Pomme-v9'; there are"),
        ((FFA, [object()] * 4), TypeError, "agent 0 is .*, expected a BaseAgent"),
    ],
)
def test_what_cannot_be_made(arguments: tuple[Any, ...], error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        pommerman.make(*arguments)


def test_mistakes_before_a_game() -> None:
    with pytest.raises(ValueError, match="call set_agents"):
        envs.v0.Pomme(**pommerman.configs.ffa_competition_env()["env_kwargs"]).reset()
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        made().step([0] * 4)
    with pytest.raises(ValueError, match="expected four steps between"):
        envs.v1.Pomme(**pommerman.configs.ffa_v1_env()["env_kwargs"] | {"first_collapse": 799})


# Observations --------------------------------------------------------------------


@pytest.mark.parametrize("env_id", [FFA, "PommeRadio-v2", "OneVsOne-v0"])
def test_types_of_a_fresh_game(env_id: str) -> None:
    """As the original's, whose positions come from a search of the board."""
    with made(env_id) as env:
        for seat, obs in enumerate(env.reset()):
            assert [type(k) for k in obs["position"]] == [np.int64] * 2
            assert obs["board"].dtype == np.uint8
            assert obs["board"][obs["position"]] == 10 + seat
            assert {obs[name].dtype for name in recorded.FLOATS} == {np.dtype(np.float64)}
            assert [type(obs[k]) for k in ("ammo", "blast_strength", "can_kick")] == [int, int, bool]
            assert type(obs["teammate"]) is constants.Item
            assert obs.get("message") == ((0, 0) if "Radio" in env_id else None)
            if env_id == FFA:  # the original's other spaces have not the size of their features
                assert env.observation_space.contains(env.featurize(obs))
        obs = env.step([1] * len(env._agents))[0]
        assert {type(k) for one in obs for k in one["position"]} == {np.int64}


def test_observations_are_the_callers() -> None:
    with made() as env:
        first = env.reset()
        for obs in first:
            for name in ("board", *recorded.FLOATS):
                obs[name][:] = 99
        assert all((obs["board"] < 14).all() for obs in env.get_observations())
        second = env.step([0] * 4)[0]
        assert all((obs["board"] < 14).all() for obs in second)


def test_words_come_as_they_were_sent() -> None:
    with made("PommeRadio-v2") as env:
        env.reset()
        said = [[0, 3, 8], (0, 70), 0, np.int64(0)]
        obs = env.step(said)[0]
        assert [one["message"] for one in obs] == [(0, 0), (0, 0), (3, 8), (70,)]
        assert json.loads(env.get_json_info()["radio_from_agent"])["Agent0"] == [3, 8]

        class Spelled(json.JSONEncoder):
            def encode(self, o: Any) -> str:
                return f"<{o}>"

        spelled = env.get_json_info(json_encoder=Spelled)
        assert (spelled["radio_num_words"], spelled["board_size"]) == ("<2>", "11")
        with pytest.raises(TypeError, match="neither a number nor a list"):
            env.step([[0, 1, 1], "stop", "stop", "stop"])
        with pytest.raises(ValueError, match="99"):
            env.step([[0, 1, 1], [99, 0, 0], 0, 0])
        with pytest.raises(IndexError):
            env.step([[0, 1, 1], 0])
        saved = env.get_json_info()
        assert [json.loads(saved[name]) for name in ("radio_from_agent", "intended_actions")] == [
            {"Agent0": [3, 8], "Agent1": [70], "Agent2": [0, 0], "Agent3": [0, 0]},
            [0, 0, 0, 0],
        ]
        env.set_init_game_state(saved)
        assert [one["message"] for one in env.reset()] == [[0, 0], [0, 0], [3, 8], [70]], "as in the original"
        env.set_init_game_state(None)
        assert {one["message"] for one in env.reset()} == {(0, 0)}


# Seeds ----------------------------------------------------------------------------


def boards(env: Any, number: int) -> list[bytes]:
    return [env.reset()[0]["board"].tobytes() for _ in range(number)]


def test_a_seed_decides_the_boards() -> None:
    with made(seed=5) as one, made(seed=5) as same, made(seed=6) as other:
        first = boards(one, 3)
        assert len(set(first)) == 3
        assert boards(same, 3) == first
        assert not set(boards(other, 3)) & set(first)
        assert one.seed(5) == [5]
        assert boards(one, 3) == first
        assert env_seed_is_drawn(one)


def env_seed_is_drawn(env: Any) -> bool:
    return env.seed()[0] != env.seed()[0]


def test_without_a_seed_the_module_random_decides() -> None:
    with made(seed=None) as env:
        random.seed(3)
        first = boards(env, 2)
        random.seed(3)
        assert boards(env, 2) == first
        assert boards(env, 2) != first


# What is over ------------------------------------------------------------------------


def test_a_dead_training_agent_ends_the_game() -> None:
    """And agents hear of the end, and the dead are not asked."""
    with made() as env:
        env.set_training_agent(1)
        env.reset()
        env._agents[1].die()
        env._board[9, 1] = 0
        obs, rewards, done, info = env.step([0] * 4)
        assert (rewards, done, info) == ([0, -1, 0, 0], True, {"result": constants.Result.Tie})
        assert env.act(obs) == [0, 0, 0]
        assert [agent.asked for agent in env._agents] == [1, 0, 1, 1]
        assert not env.step([0, None, 0, 0])[0][0]["alive"].count(11)


def test_steps_after_the_end() -> None:
    """The original goes on, and so does this."""
    with made() as env:
        env.set_init_game_state(None)
        env.reset()
        env._step_count = 799
        rng = random.Random(1)
        assert env.step(moves(env, rng))[2]
        for _ in range(3):
            obs, rewards, done, _ = env.step(moves(env, rng))
            assert done
        assert rewards == [-1] * 4
        assert obs[0]["step_count"] == 803
        assert env.reset()[0]["step_count"] == 0


@pytest.mark.parametrize("action", [6, -1, "up", None])
def test_actions_that_are_none(action: Any) -> None:
    with made() as env:
        env.reset()
        with pytest.raises(ValueError, match="is not a valid Action"):
            env.step([0, action, 0, 0])
        assert env.step([0] * 4)[0][0]["step_count"] == 1


def test_actions_of_any_number_type() -> None:
    with made() as env:
        env.reset()
        start = [agent.position for agent in env._agents]
        env.step([constants.Action.Right, np.int64(1), np.uint8(3), np.array(3)])
        moved = [np.subtract(a.position, s).tolist() for a, s in zip(env._agents, start, strict=True)]
        assert moved == [[0, 1], [-1, 0], [0, -1], [0, -1]]


# Looking inside ------------------------------------------------------------------------


def test_what_is_inside_can_be_changed() -> None:
    """Between any two steps, as scripts written for the original do."""
    with made() as env:
        env.reset()
        body = env._agents[0]._character
        env._board[body.position] = 0
        body.position, body.ammo, body.can_kick = (5, 5), 7, True
        env._board[5, 5] = 10
        env._items = {}
        env._bombs.append(characters.Bomb(body, (5, 7), 3, 2, constants.Action.Left))
        env._board[5, 7] = 3
        env._board[5, 6] = 0
        env._flames = [characters.Flame((8, 8), 1)]
        env._board[8, 8] = 4
        env._step_count = 40
        obs = env.step([0] * 4)[0][0]
        assert (obs["position"], obs["ammo"], obs["can_kick"], obs["step_count"]) == ((5, 5), 7, True, 41)
        assert obs["bomb_life"][5, 6] == 2
        assert obs["bomb_moving_direction"][5, 6] == constants.Action.Left.value
        assert obs["flame_life"][8, 8] == 1
        assert env._bombs[0].bomber.agent_id == 0


# The agents are the caller's ---------------------------------------------------------

LINE = [(5, 1), (5, 9), (1, 5), (9, 5)]  # where `in_the_open` has the agents


def in_the_open(players: list[Any], **fields: Any) -> Any:
    """Return an environment whose games begin on a board with an item right of agent 0."""
    board = np.zeros((11, 11), int)
    for seat, cell in enumerate(LINE):
        board[cell] = 10 + seat
    board[5, 2] = constants.Item.IncrRange.value
    bodies = [characters.Bomber(seat, constants.GameType.FFA) for seat in range(4)]
    for body, cell in zip(bodies, LINE, strict=True):
        body.position = cell
    state = {"board_size": 11, "step_count": 3, "board": board, "agents": bodies, "bombs": [], "flames": []}
    return pommerman.make(FFA, players, utility.json_texts(state | {"items": []} | fields))


def test_one_against_one_by_killing_agents() -> None:
    """Whom the caller has killed stays dead over resets, is drawn, does nothing and is paid as the dead."""
    env = made()
    env._agents[0].is_alive = env._agents[2].is_alive = False
    for _ in range(2):
        obs = env.reset()
        assert obs[1]["alive"] == [11, 13]
        assert [obs[0]["board"][agent.position] for agent in env._agents] == [10, 11, 12, 13]
        asked = [agent.asked for agent in env._agents]
        assert env.act(obs) == [0] * 4
        assert [agent.asked - before for agent, before in zip(env._agents, asked, strict=True)] == [
            0,
            1,
            0,
            1,
        ]
        assert env.step([4, 0, 4, 0])[1] == [-1, 0, -1, 0]
        assert env._agents[0].position == (1, 1)
    env._bombs.append(characters.Bomb(env._agents[3], env._agents[3].position, 1, 2))
    assert env.step([0] * 4)[1:] == ([-1, 1, -1, -1], True, {"result": constants.Result.Win, "winners": [1]})


def test_what_an_agent_sets_holds() -> None:
    """Observations and rules read it of the agent. What the character itself does goes by the character."""
    env = in_the_open(players := quiet())
    env.reset()
    players[0].blast_strength, players[0].enemies = 9, [constants.Item.Agent2]
    players[1].can_kick = True
    obs, _, _, _ = env.step([5, 0, 0, 0])
    assert (obs[0]["blast_strength"], obs[0]["enemies"]) == (9, [constants.Item.Agent2])
    assert obs[0]["bomb_blast_strength"][5, 1] == constants.DEFAULT_BLAST_STRENGTH
    assert obs[1]["can_kick"] is True
    env._bombs.append(characters.Bomb(players[1], (5, 8), 5, 2))
    env.step([0, 3, 0, 0])
    assert env._bombs[1].position == (5, 7)


def test_what_an_agent_overrides_is_called() -> None:
    """Its methods, and an `is_alive` that it computes."""

    class Own(Quiet):
        did: tuple[Any, ...] = ()

        def pick_up(self, item: Any, max_blast_strength: int) -> None:
            self.did += (item, max_blast_strength)

        def die(self) -> None:
            self.did += ("dies",)

        def maybe_lay_bomb(self) -> None:
            self.did += ("lays",)

    class Odd(Quiet):
        @property
        def is_alive(self) -> bool:
            return self.agent_id != 3

    class Wrapper(Quiet):
        def __getattr__(self, name: str) -> Any:
            return 7 if name == "ammo" else super().__getattr__(name)

    env = in_the_open(players := [Own(), Wrapper(), Own(), Odd()])
    env.reset()
    env._flames = [characters.Flame(LINE[2], 2)]
    obs, rewards, _, _ = env.step([4, 0, 5, 0])
    assert players[0].did == (constants.Item.IncrRange, 10)
    assert players[2].did == ("lays", "dies")
    assert obs[1]["ammo"] == 7
    assert obs[0]["alive"] == [10, 11, 12]
    assert rewards == [0, 0, 0, -1]
    assert obs[0]["blast_strength"] == constants.DEFAULT_BLAST_STRENGTH


def test_a_replaced_model_gets_the_agents() -> None:
    class Model(pommerman.forward_model.ForwardModel):
        @staticmethod
        def get_done(agents: Any, *_: Any) -> bool:
            return agents is players

    env = in_the_open(players := quiet())
    env.model = Model()
    env.reset()
    assert env.step([0] * 4)[2]


def test_the_last_step_is_stepped_as_any(tmp_path: Path) -> None:
    """A state at the step limit is no end: the original steps it, and so do three of its recorded games."""
    env = in_the_open(quiet(), step_count=800)
    env.reset()
    obs, rewards, done, info = env.step([4, 0, 0, 0])
    assert (obs[0]["step_count"], obs[0]["position"], obs[0]["blast_strength"]) == (801, (5, 2), 3)
    assert (rewards, done, info) == ([-1] * 4, True, {"result": constants.Result.Tie})


@pytest.mark.parametrize("env_id", [FFA, "PommeRadio-v2"])
def test_actions_are_int(env_id: str) -> None:
    """So that they can be written as JSON."""
    env = pommerman.make(env_id, [agents.RandomAgent() for _ in range(4)])
    drawn = env.act(env.reset())
    json.dumps(drawn)
    assert {type(part) for action in drawn for part in np.atleast_1d(np.array(action, object))} == {int}
    assert type(env.action_space.sample()) is (int if env_id == FFA else tuple)
    env.step(
        [*drawn, 0] if env_id != FFA else drawn
    )  # more actions than agents are ignored, as by the original
    assert (env._powerups, env._viewer) == ([], None)


# What no game gets into ------------------------------------------------------------------


def test_a_state_no_game_gets_into(capsys: pytest.CaptureFixture[str]) -> None:
    """It is stepped and drawn."""
    with made() as env:
        env.reset()
        env._board[6, 6], env._items = 0, {(6, 6): 8}
        env.step([0] * 4)
        assert env._items == {(6, 6): 8}
        env.render(do_sleep=False)
        assert capsys.readouterr().out.startswith("step 1 of 800\n")


def test_boards_of_other_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Boards that the server has no rules for are drawn, too."""
    kwargs = pommerman.configs.one_vs_one_env()["env_kwargs"] | {"board_size": 6, "num_rigid": 4}
    env = envs.v0.Pomme(**kwargs | {"num_wood": 4, "num_items": 2})
    env.set_agents([agents.SimpleAgent(characters.Bomber(k, constants.GameType.OneVsOne)) for k in range(2)])
    obs = env.reset()
    for _ in range(20):
        obs, _, done, _ = env.step(env.act(obs))
        if done:
            break
    assert obs[0]["board"].shape == (6, 6)
    env.render(do_sleep=False, record_pngs_dir=str(tmp_path))
    assert capsys.readouterr().out.count("\n") == 1 + 6 + 2
    assert [image_of(path.read_bytes()) for path in tmp_path.iterdir()] == [(192, 192)]
    env.close()


def test_two_agents_where_four_play() -> None:
    """Which the original does not mind, and people use for duels on large boards."""
    with pommerman.make(FFA, [agents.SimpleAgent(), agents.SimpleAgent()]) as env:
        random.seed(5)
        obs = env.reset()
        assert [o["position"] for o in obs] == [(1, 1), (9, 9)]
        done = False
        while not done:
            obs, rewards, done, info = env.step(env.act(obs))
        if info["result"] is constants.Result.Win:
            assert sorted(rewards) == [-1, 1]
        env.set_agents(quiet())
        for seat, agent in enumerate(env._agents):
            agent.init_agent(seat, constants.GameType.FFA)
        assert len(env.reset()) == 4


def test_subclasses_replace_parts() -> None:
    class Mine(envs.v0.Pomme):
        def make_board(self) -> None:
            super().make_board()
            self._board[self._board == 2] = 0

        def make_items(self) -> None:
            self._items = {}

        def _get_rewards(self) -> list[int]:
            return [7, 8, 9, 10]

        def get_observations(self) -> list[dict[str, Any]]:
            return [obs | {"mine": True} for obs in super().get_observations()]

    env = Mine(**pommerman.configs.ffa_competition_env()["env_kwargs"])
    env.set_agents([Quiet(characters.Bomber(seat, constants.GameType.FFA)) for seat in range(4)])
    obs = env.reset()
    assert not (obs[0]["board"] == 2).any()
    obs, rewards, _, _ = env.step([0] * 4)
    assert obs[3]["mine"]
    assert rewards == [7, 8, 9, 10]
    env.close()


def test_a_reset_of_ones_own() -> None:
    """Much code has a copy of the original's `reset` with one thing changed."""

    class Mine(envs.v0.Pomme):
        def reset(self) -> list[dict[str, Any]]:
            self._step_count = 0
            self.make_board()
            self.make_items()
            self._bombs = []
            self._flames = []
            self._powerups = []
            for seat, agent in enumerate(self._agents):
                where = np.where(self._board == utility.agent_value(seat))
                agent.set_start_position((where[0][0], where[1][0]))
                agent.reset(ammo=3)
            return self.get_observations()

    env = Mine(**pommerman.configs.team_competition_env()["env_kwargs"])
    env.set_agents([Quiet(characters.Bomber(seat, constants.GameType.Team)) for seat in range(4)])
    for _ in range(2):
        assert [obs["ammo"] for obs in env.reset()] == [3] * 4
        env.step([5] * 4)
        assert [len(env._bombs), len(env._items)] == [4, 20]
    env.close()


# Saving, loading, copying --------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["PommeFFA-v1", "PommeRadio-v2", TEAM])
def test_saved_games_go_on_as_they_would_have(env_id: str, tmp_path: Path) -> None:
    with made(env_id) as env:
        env.reset()
        rng = random.Random(2)
        for _ in range(12):
            env.step(moves(env, rng))
        env.save_json(str(tmp_path))
        file = tmp_path / "012.json"
        assert json.loads(file.read_text()) == env.get_json_info()
        with made(env_id, game_state_file=str(file)) as loaded:
            obs = loaded.reset()
            assert obs[1]["step_count"] == 12
            for _ in range(10):
                actions = moves(env, rng)
                ours, theirs = env.step(actions), loaded.step(actions)
                # A loaded position is made of int, a generated one of numpy.int64.
                for one in ours[0]:
                    one["position"] = tuple(map(int, one["position"]))
                assert_same(theirs, ours)
            assert loaded.get_json_info() == env.get_json_info()


@pytest.mark.parametrize("played", [2, 3, 4, 5])
def test_a_game_saved_by_the_server_keeps_its_collapse(vec: Any, played: int) -> None:
    """Rings fall at 3 and 5; at those steps the saved game shows them fallen, as the original's does."""
    rules = {"first_collapse": 3, "max_steps": 11}
    games = vec("PommeFFA-v1", 1, rules=rules, observation="raw", autoreset_mode="Disabled")
    games.reset(seed=4)
    rng = np.random.default_rng(4)
    for _ in range(played):
        games.step(rng.integers(0, 5, 4))
    state = games.get_state(0, as_json=True)
    with made("PommeFFA-v1", game_state_file=state) as env:
        env._max_steps = 11
        env.reset()
        for name in ("board", "agents", "bombs", "items", "step_count"):
            assert recorded.field(env.get_json_info(), name) == recorded.field(state, name), name
        for _ in range(2):
            actions = rng.integers(0, 5, 4)
            over = env.step(actions.tolist())[2]
            assert games.step(actions)[2].all() == over
            want = games.get_state(0, as_json=True)
            for name in ("board", "agents", "bombs", "items", "step_count"):
                assert recorded.field(env.get_json_info(), name) == recorded.field(want, name), name
            if over:
                break


def test_looking_changes_nothing() -> None:
    with made(TEAM) as env, made(TEAM) as plain:
        assert_same(env.reset(), plain.reset())
        rng = random.Random(6)
        for _ in range(8):
            env.get_json_info()
            env.render(do_sleep=False)
            actions = moves(env, rng)
            assert_same(list(env.step(actions)), list(plain.step(actions)))
        assert env.get_json_info() == plain.get_json_info()


def test_a_search_that_goes_back_and_forth() -> None:
    """As tree searches do that were written for the original: by its private attribute."""
    with made() as env:
        env.reset()
        root = env.get_json_info()
        seen = set()
        for action in (1, 2, 5, 1):
            env._init_game_state = root
            env.reset()
            assert env.get_json_info() == {
                **root,
                "intended_actions": env.get_json_info()["intended_actions"],
            }
            env.step([action] * 4)
            seen.add(str(env.get_json_info()))
        assert len(seen) == 3
        env.set_json_info()
        env._init_game_state = None
        assert env.get_observations()[0]["step_count"] == 0


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_live_their_own_lives(how: Any) -> None:
    with made() as env:
        env.reset()
        rng = random.Random(4)
        for _ in range(5):
            env.step(moves(env, rng))
        twin = how(env)
        assert twin._agents[0] is not env._agents[0]
        before = env.get_json_info()
        for _ in range(5):
            actions = moves(env, rng)
            twin.step(actions)
        assert env.get_json_info() == before
        assert twin._step_count == 10
        twin.close()


def test_a_saved_game_does_not_outlive_itself() -> None:
    """Whether it could be loaded or not, a fresh game is that of the environment again."""
    with made("PommeFFA-v1") as env, made("OneVsOne-v0") as duel:
        duel.reset()
        env.reset()
        state, collapses = env.get_json_info(), env.collapses
        env.set_init_game_state({**state, "collapses": "[7]"})
        env.reset()
        assert env.collapses == [7]
        env.set_init_game_state(duel.get_json_info())
        with pytest.raises(ValueError, match=r"the agents \[0, 1\], expected"):
            env.reset()
        env.set_init_game_state(None)
        assert len(env.reset()[0]["board"]) == 11
        assert env.collapses == collapses


def test_a_bad_saved_game() -> None:
    with made() as env:
        env.reset()
        state = env.get_json_info()
        env.set_init_game_state({**state, "agents": json.dumps([{**AGENT, "agent_id": 7}])})
        with pytest.raises(ValueError, match=r"the agents \[7\], expected this environment's: \[0, 1"):
            env.reset()
        bomb = {"bomber_id": 7, "position": [1, 1], "life": 9, "blast_strength": 2, "moving_direction": None}
        env.set_init_game_state({**state, "bombs": json.dumps([bomb])})
        with pytest.raises(ValueError, match="an agent 7, which this"):
            env.reset()
        env.set_init_game_state({name: text for name, text in state.items() if name != "bombs"})
        with pytest.raises(ValueError, match="no 'bombs'"):
            env.reset()


AGENT = {"position": [1, 1], "is_alive": True, "ammo": 1, "blast_strength": 2, "can_kick": False}


def test_files_of_steps_are_joined(tmp_path: Path) -> None:
    with made() as env:
        state = env.get_json_info() if env.reset() else {}
        env.set_init_game_state({**state, "step_count": "999"})  # from 1,000 on names are longer
        env.reset()
        info = {"result": constants.Result.Incomplete}
        for _ in range(3):
            env.save_json(str(tmp_path))
            env.step([0] * 4)
    (tmp_path / "args.json").write_text("{}")  # somebody else's: not taken, not deleted
    utility.join_json_state(str(tmp_path), ["me"] * 4, "now", FFA, info)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["args.json", "game_state.json"]
    joined = json.loads((tmp_path / "game_state.json").read_text())
    assert [json.loads(state["step_count"]) for state in joined["state"]] == [999, 1000, 1001]
    assert joined["result"] == {"name": "Incomplete", "id": 3}
    assert "winners" not in joined


# Processes and programs ------------------------------------------------------------------


def test_closing_is_no_end() -> None:
    env = made()
    env.reset()
    for _ in range(2):
        env.close()
    assert env.step([0] * 4)[0][0]["step_count"] == 1
    env.reset()
    assert env.step([0] * 4)[0][0]["step_count"] == 1
    env.render(close=True)


def test_programs_that_import_pommerman(tmp_path: Path) -> None:
    """They run unchanged behind one line, and the process ends cleanly."""
    (tmp_path / "theirs.py").write_text(
        "import pommerman\n"
        "from pommerman.agents.simple_agent import SimpleAgent\n"
        "from pommerman.envs.v0 import Pomme\n"
        "env = pommerman.make('OneVsOne-v0', [SimpleAgent(), pommerman.agents.RandomAgent()])\n"
        "assert isinstance(env, Pomme)\n"
        "obs = env.reset()\n"
        "print(len(env.step(env.act(obs))[0]))\n"
    )
    program = "import sys, pommego.pommerman as ours; sys.path.insert(0, ours.IMPORT_PATH); import theirs"
    done = run_python(tmp_path, "-c", program)
    assert (done.stdout, done.stderr) == ("2\n", "")


THEIRS = """
import pommerman
from pommerman.agents.random_agent import RandomAgent

def play(seed):
    env = pommerman.make('OneVsOne-v0', [RandomAgent(), RandomAgent()])
    env.seed(seed)
    return len(env.reset()), RandomAgent is pommerman.agents.RandomAgent
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_of_programs_that_import_pommerman(tmp_path: Path, method: str) -> None:
    (tmp_path / "theirs.py").write_text(THEIRS)
    program = (
        "import multiprocessing, sys\n"
        "from pommego import pommerman\n"
        "sys.path.insert(0, pommerman.IMPORT_PATH)\n"
        "import theirs\n"
        f"with multiprocessing.get_context('{method}').Pool(1) as pool:\n"
        "    print(pool.apply_async(theirs.play, [3]).get(60))\n"
    )
    done = run_python(tmp_path, "-c", program)
    assert (done.stdout, done.stderr) == ("(2, True)\n", "")


def test_programs_that_import_pommerman_on_a_path(tmp_path: Path) -> None:
    """Nothing is called: the folder on PYTHONPATH is all."""
    (tmp_path / "theirs.py").write_text(THEIRS)
    folder = run_python(tmp_path, "-m", "pommego.pommerman").stdout.strip()
    done = run_python(tmp_path, "-c", "import theirs; print(theirs.play(3))", PYTHONPATH=folder)
    assert (done.stdout, done.stderr) == ("(2, True)\n", "")
    done = run_python(tmp_path, "-c", "import pommerman.nothing", PYTHONPATH=folder)
    assert "No module named 'pommerman.nothing'" in done.stderr


def run_python(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# Pictures ------------------------------------------------------------------------------------


def test_colours() -> None:
    with made(render_mode="rgb_array") as env:
        env.reset()
        env._agents[3].die()
        frame = env.render()
        assert (frame.shape, frame.dtype) == ((11, 11, 3), np.float64)
        assert frame[1, 1].tolist() == constants.AGENT_COLORS[0]
        assert frame[1, 9].tolist() == [0, 0, 0], "the dead are black"
        for row, col in np.argwhere(env._board < 10):
            assert frame[row, col].tolist() == list(constants.ITEM_COLORS[env._board[row, col]])


def test_drawing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with made() as env:
        env.reset()
        env.render(do_sleep=False, record_pngs_dir=str(tmp_path), record_json_dir=str(tmp_path))
        text = capsys.readouterr().out
        assert text.startswith("step 0 of 800\n")
        assert "\x1b" not in text, "colours are for terminals"
        assert text.count("\n") == 1 + 11 + 4
        assert {"A0", "A3", "##"} <= {row[k : k + 2] for row in text.splitlines() for k in range(0, 22, 2)}
        assert "seat 2: ammo 1, blast 2\n" in text
    assert (tmp_path / "000.json").exists()
    sizes = {path.stem.split("_")[-1]: image_of(path.read_bytes()) for path in tmp_path.glob("*.png")}
    assert sizes == {"0": (352, 352)}


def image_of(png: bytes) -> tuple[int, int]:
    """Read a PNG file's size, and see that all of it is there."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, parts = 8, {}
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + data) == int.from_bytes(png[at + 8 + length : at + 12 + length], "big")
        parts[kind] = data
        at += 12 + length
    width, height = (int.from_bytes(parts[b"IHDR"][k : k + 4], "big") for k in (0, 4))
    assert len(zlib.decompress(parts[b"IDAT"])) == height * (1 + 3 * width)
    return width, height
