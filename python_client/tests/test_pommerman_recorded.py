"""The original's recorded games, played again through its own API."""

from __future__ import annotations

from typing import Any

import pytest

import recorded
from pommego.pommerman import agents, constants
from reference.exact import difference, exact


class Silent(agents.BaseAgent):
    """Notes what it hears when a game ends."""

    heard: float | None = None

    def episode_end(self, reward: float) -> None:
        self.heard = reward


def begin(record: dict[str, Any]) -> Any:
    config = record["config"]
    env = recorded.environment(config)
    players = [Silent() for _ in range(config["num_agents"])]
    for seat, player in enumerate(players):
        player.init_agent(seat, constants.GameType(config["game_type"]))
    env.set_agents(players)
    env.set_training_agent(config["training_agent"])
    env.set_init_game_state(recorded.saved_game(record["initial"], config["board_size"]))
    return env


def assert_seen(
    got: list[dict[str, Any]], want: list[dict[str, Any]], size: int, message: type = tuple
) -> None:
    found = difference(exact(got), exact([recorded.observation(obs, size, message) for obs in want]))
    assert found is None, found


def replay(record: dict[str, Any]) -> int:
    """Play one recorded game and compare everything; return its steps."""
    size = record["config"]["board_size"]
    env = begin(record)
    # The original reads words as lists from a saved game, as JSON has no tuples.
    assert_seen(env.reset(), record["initial"]["obs"], size, list)
    for step in record["steps"]:
        obs, rewards, done, info = env.step(recorded.actions(step))
        if "obs" in step:
            assert_seen(obs, step["obs"], size)
        assert (rewards, done) == (step["rewards"], bool(step["done"]))
        assert info == {"result": constants.Result[step["result"]]} | (
            {"winners": step["winners"]} if "winners" in step else {}
        )
        if "obs" in step:
            state = recorded.pieces(env)
            assert state == {name: step[name] for name in state}
    assert [player.heard for player in env._agents] == (
        record["steps"][-1]["rewards"] if done else [None] * 4
    )
    env.close()
    return len(record["steps"])


# How many games of each file make one that is played.
GAMES = {
    "ffa": 6,
    "ffa-collapse": 4,
    "team": 6,
    "team-nofog": 3,
    "team-collapse": 3,
    "radio": 4,
    "onevsone": 3,
    "crafted": 1,
    "micro": 6,
}


@pytest.mark.usefixtures("binary")
@pytest.mark.parametrize("name", GAMES)
def test_recorded_games(name: str) -> None:
    assert sum(map(replay, recorded.records(name, GAMES[name]))) > 30


@pytest.mark.usefixtures("binary")
def test_an_altered_record_is_noticed() -> None:
    record = next(recorded.records("ffa"))
    step = next(step for step in record["steps"] if "obs" in step)
    step["obs"][2]["ammo"] += 1
    with pytest.raises(AssertionError, match=r"\[2\]\['ammo'\]"):
        replay(record)


@pytest.mark.usefixtures("binary")
def test_saving_a_game_gives_what_was_loaded() -> None:
    records = list(recorded.records("radio", 10))
    assert records
    for record in records:
        env = begin(record)
        env.reset()
        state = recorded.saved_game(record["initial"], record["config"]["board_size"])
        again = env.get_json_info()
        assert {name: recorded.field(again, name) for name in state} == {
            name: recorded.field(state, name) for name in state
        }
        assert again["intended_actions"] == "[]"
        assert again["radio_num_words"] == "2"
        env.close()
