"""Many games with the original's interface at once, against single ones."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pommego
from conftest import REPOSITORY
from pommego import pommerman
from pommego.pommerman import agents, constants
from reference.exact import difference, exact

pytestmark = pytest.mark.usefixtures("binary")


class Noting(agents.BaseAgent):
    """Wanders, and notes what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[float] = []

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        return int(obs["step_count"]) % 5

    def episode_end(self, reward: float) -> None:
        self.heard.append(reward)


def assert_same(got: Any, want: Any) -> None:
    found = difference(exact(got), exact(want))
    assert found is None, found


def drawn(rng: random.Random, seats: int, words: bool) -> list[Any]:
    """Draw an action for each seat, sometimes with words."""
    moves: list[Any] = [rng.randrange(6) for _ in range(seats)]
    return [[move, rng.randint(1, 8), 0] if words and rng.random() < 0.5 else move for move in moves]


def assert_played_alike(games: Any, twins: list[Any], seeds: list[int], *, words: bool = False) -> None:
    """Deal the same boards and make the same moves: the same of everything, types included, to the end."""
    rng, seats = random.Random(3), games.envs.learners
    for twin, seed, seen in zip(twins, seeds, games.reset(seed=seeds), strict=True):
        twin._step_count = 0
        assert twin._game.begin(twin._rules(), seed)
        assert_same(seen, twin.get_observations())
    going = [True] * len(twins)
    while any(going):
        actions = [drawn(rng, seats, words) for _ in twins]
        results = list(zip(*games.step(actions), strict=True))
        for game, twin in enumerate(twins):
            if going[game]:
                assert_same(list(results[game]), list(twin.step(actions[game])))
                going[game] = not results[game][2]
        over = [done for _, _, done, _ in results]
        if any(over):
            games.reset(over)
    for twin in twins:
        twin.close()


@pytest.mark.parametrize("env_id", ["PommeFFACompetition-v0", "PommeRadioCompetition-v2", "OneVsOne-v0"])
def test_a_batch_is_many_single_games(env_id: str) -> None:
    with pommerman.make_batch(env_id, 3) as games:
        twins = [pommerman.make(env_id, [Noting() for _ in range(games.envs.learners)]) for _ in range(3)]
        assert_played_alike(games, twins, [5, 6, 7], words="Radio" in env_id)


def test_rings_fall_alike() -> None:
    """In a batch the server lets them fall, in a single game Python does."""
    rules = {"first_collapse": 3, "max_steps": 40}
    with pommerman.make_batch("PommeTeamCompetition-v1", 4, rules=rules) as games:
        kwargs = pommerman.configs.team_competition_v1_env()["env_kwargs"] | rules
        twins = [pommerman.envs.v1.Pomme(**kwargs) for _ in range(4)]
        for twin in twins:
            twin.set_agents([Noting() for _ in range(4)])
            for seat, agent in enumerate(twin._agents):
                agent.init_agent(seat, constants.GameType.Team)
        assert_played_alike(games, twins, [1, 2, 3, 4])


def test_agents_of_a_batch() -> None:
    """They act, hear of the end of their own game, and a dead training agent ends its game."""
    with pommerman.make_batch(
        "PommeFFACompetition-v0", 4, lambda: [Noting() for _ in range(4)], training_agent=2
    ) as games:
        obs = games.reset(seed=1)
        assert [[agent.agent_id for agent in players] for players in games.agents] == [[0, 1, 2, 3]] * 4
        assert games.act(obs) == [[0, 0, 0, 0]] * 4
        dones = [False] * 4
        while not any(dones):
            actions = games.act(obs)
            assert {moves[2] for moves in actions} == {0}
            for moves in actions:
                moves[2] = constants.Action.Bomb.value  # and it stays there
            obs, rewards, dones, infos = games.step(actions)
        game = dones.index(True)
        assert obs[game][0]["step_count"] == 10, "a bomb takes ten steps"
        assert 12 not in obs[game][0]["alive"]
        assert infos[game] == {"result": constants.Result.Tie}
        assert [agent.heard for agent in games.agents[game]] == [[reward] for reward in rewards[game]]
        obs = games.reset(dones)
        assert obs[game][0]["step_count"] == 0


def test_opponents_on_the_server() -> None:
    seats = ["learner", "simple", "learner", "static"]
    with pommerman.make_batch("PommeTeamCompetition-v0", 2, seats=seats, workers=1) as games:
        obs = games.reset(seed=2)
        assert [[o["teammate"].name for o in seen] for seen in obs] == [["Agent2", "Agent0"]] * 2
        obs, rewards, dones, _ = games.step(np.zeros((2, 2), int))
        assert [len(seen) for seen in obs] == [2, 2]
        assert (rewards, dones) == ([[0, 0]] * 2, [False] * 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"config_id": "Pomme-v9"}, "unknown configuration"),
        ({"make_agents": lambda: [Noting()] * 3}, "made 3 agents for 4 seats"),
        ({"seats": ["learner"] * 4, "training_agent": 1}, "leave out make_agents and training_agent"),
        ({"rules": {"board_size": 3}}, "board_size"),
    ],
)
def test_batches_that_cannot_be(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        pommerman.make_batch(**{"config_id": "PommeFFACompetition-v0", "num_games": 1} | options)


def test_mistakes_with_a_batch() -> None:
    with pommerman.make_batch("PommeFFACompetition-v0", 2) as games:
        obs = games.reset()
        with pytest.raises(ValueError, match="give make_agents="):
            games.act(obs)
        with pytest.raises(pommego.ServerError):
            games.step([[9, 0, 0, 0]] * 2)
        with pytest.raises(ValueError, match="reset_mask"):
            games.reset([True])


def test_dictionaries_of_rows(vec: Any) -> None:
    """For raw observations of any environment of the client, one dictionary a row."""
    envs = vec("PommeTeamCompetition-v0", 3, observation="raw", opponents=["simple"] * 3)
    obs, info = envs.reset(seed=1)
    rows = pommerman.Dictionaries(envs.game_spec)(obs)
    assert [row["board"][row["position"]] - 10 for row in rows] == info["seat"].tolist()
    with pytest.raises(ValueError, match="has observations that differ"):
        pommerman.Dictionaries(vec("PommeFFA2018-v0", 1).game_spec)


def test_the_example_runs() -> None:
    program = REPOSITORY / "python_client" / "examples" / "pommerman_api.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program), "8"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert re.search(r"one game: .*\nmany games, ended and won: \((\d+), \d+\)\n", done.stdout), done.stdout
