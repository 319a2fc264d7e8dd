"""Games on the server as the original's dictionaries, against games in Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import pommego
from pommego import pommerman
from pommego.pommerman import agents, constants
from reference.exact import difference, exact

pytestmark = pytest.mark.usefixtures("binary")


class Standing(agents.BaseAgent):
    """Stops."""

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        return constants.Action.Stop.value


def drawn(rng: random.Random, seats: int, words: bool) -> list[Any]:
    """Draw an action for each seat, sometimes with words."""
    moves: list[Any] = [rng.randrange(6) for _ in range(seats)]
    return [[move, rng.randint(1, 8), 0] if words and rng.random() < 0.5 else move for move in moves]


def counted(observations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return observations with positions and words as they are in a game that was loaded."""
    whole = [obs | {"position": tuple(map(int, obs["position"]))} for obs in observations]
    return [obs | ({"message": tuple(obs["message"])} if "message" in obs else {}) for obs in whole]


def assert_played_alike(games: Any, env: Any, seed: int) -> None:
    """Begin on one board and make the same moves: the same observations and rewards, to the end."""
    dictionaries = pommerman.Dictionaries(games.game_spec)
    seats, words = games.num_envs, len(games.game_spec.actions) > 1
    rng = random.Random(seed)
    seen, _ = games.reset(seed=seed)
    env.set_init_game_state(games.get_state(0, as_json=True))
    over, ours = False, env.reset()
    while not over:
        found = difference(exact(counted(ours)), exact(counted(dictionaries(seen))))
        assert found is None, found
        actions = drawn(rng, seats, words)
        rows = [action if isinstance(action, list) else [action, 0, 0] for action in actions]
        seen, reward, terminated, _, _ = games.step(np.array(rows if words else actions))
        ours, rewards, over, _ = env.step(actions)
        assert (rewards, over) == (reward.astype(int).tolist(), bool(terminated.all()))
    env.close()


@pytest.mark.parametrize(
    "env_id", ["PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2", "OneVsOne-v0"]
)
def test_the_server_and_the_package_step_alike(vec: Any, env_id: str) -> None:
    games = vec(env_id, 1, observation="raw", reward="reference", autoreset_mode="Disabled")
    for seed in (5, 6, 7):
        assert_played_alike(games, pommerman.make(env_id, [Standing() for _ in range(games.num_envs)]), seed)


def test_dictionaries_of_rows(vec: Any) -> None:
    """For raw observations of any environment of the client, one dictionary a row."""
    envs = vec("PommeTeamCompetition-v0", 3, observation="raw", opponents=["simple"] * 3)
    obs, info = envs.reset(seed=1)
    rows = pommerman.Dictionaries(envs.game_spec)(obs)
    assert [row["board"][row["position"]] - 10 for row in rows] == info["seat"].tolist()
    per_game = pommego.Connection(expand_shared=False)
    shared, plain = (
        pommerman.Dictionaries(one.game_spec)(one.reset(seed=1)[0])
        for one in (vec(observation="raw", connection=per_game), vec(observation="raw"))
    )
    assert difference(exact(shared), exact(plain)) is None
    for observation in ("planes", "box"):
        obs, _ = vec("PommeTeamCompetition-v0", observation=observation).reset()
        with pytest.raises(ValueError, match=r"raw observations of .* have .*maps.*, got"):
            pommerman.Dictionaries(envs.game_spec)(obs)
    for other in (vec("PommeFFA2018-v0", 1), vec(games=2, rules=[{}, {"num_wood": 20}])):
        with pytest.raises(ValueError, match="needs one set of Pommerman's rules, without skulls"):
            pommerman.Dictionaries(other.game_spec)
