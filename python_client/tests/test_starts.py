"""Episodes that begin in saved states."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from pommego import data

Vec = Callable[..., pommego.PommegoVectorEnv]
STILL = ["static"] * 3


def steps_shown(envs: pommego.PommegoVectorEnv, obs: dict[str, Any]) -> list[int]:
    """Return how many steps of its game each row has seen."""
    names = [scalar.name for scalar in envs.encoding["scalars"].names]
    shown = obs["scalars"][:, names.index("step")] * envs.game_spec.max_steps
    return np.rint(shown).astype(int).tolist()


@pytest.fixture
def states(vec: Vec) -> list[pommego.State]:
    """Four positions after 3, 6, 9 and 12 steps, of an environment in which all seats learn."""
    envs = vec(games=1)
    envs.reset(seed=1)
    saved = []
    for _ in range(4):
        for _ in range(3):
            envs.step(np.zeros(4, int))
        saved.append(envs.get_state(0))
    return saved


def test_a_reset_that_says_where(vec: Vec, states: list[pommego.State]) -> None:
    envs = vec(opponents=STILL)
    obs, info = envs.reset(seed=0, options={"states": [states[0], None, bytes(states[3])]})
    assert steps_shown(envs, obs) == [3, 0, 12]
    assert info["seed"].tolist() == [0, 1, 2]
    again, _ = envs.reset(seed=0, options={"states": [states[0], None, vec(games=1).state_json(states[3])]})
    assert again["planes"].tobytes() == obs["planes"].tobytes()
    mask = np.array([False, True, False])
    obs, _ = envs.reset(options={"reset_mask": mask, "states": [None, states[1], None]})
    assert steps_shown(envs, obs) == [3, 6, 12]
    obs, _ = envs.reset()
    assert steps_shown(envs, obs) == [0, 0, 0]


def test_a_distribution_for_every_episode(vec: Vec, states: list[pommego.State]) -> None:
    def run(**options: Any) -> tuple[bytes, dict[int, int]]:
        envs = vec(
            games=20,
            opponents=["random", "static", "simple"],
            max_episode_steps=2,
            start_states=pommego.Starts(states, weights=[1, 0, 3, 0], ordinary=0.5),
            **options,
        )
        obs, info = envs.reset(seed=7)
        shown, begun = obs["planes"].tobytes(), dict.fromkeys((0, 3, 6, 9, 12), 0)
        for _ in range(60):
            for row in np.flatnonzero(info.get("_seed", np.zeros(20, bool))):
                begun[steps_shown(envs, obs)[row]] += 1
            obs, _, _, _, info = envs.step(np.zeros(20, int))
            shown += obs["planes"].tobytes()
            if "game" in info:
                assert set(info["game"]["length"][info["_game"]].tolist()) <= {1, 2}
        return shown, begun

    shown, begun = run(workers=1)
    assert begun[6] == begun[12] == 0
    assert 0.4 < begun[0] / sum(begun.values()) < 0.6
    assert begun[9] > 1.5 * begun[3] > 0
    for options in ({"workers": 2}, {"shared_memory": False}, {"shared_memory": False, "workers": 2}):
        assert run(**options)[0] == shown


def test_starts_change_and_go(vec: Vec, states: list[pommego.State]) -> None:
    envs = vec(opponents=STILL)
    envs.set_start_states(states[:1])
    obs, _ = envs.reset(seed=0)
    assert steps_shown(envs, obs) == [3, 3, 3]
    envs.set_start_states(pommego.Starts([states[2]] * 3, [0, 1, 0]))
    obs, _ = envs.reset()
    assert steps_shown(envs, obs) == [9, 9, 9]
    with pytest.raises(ValueError, match="start states is empty: give some, or None for new boards"):
        envs.set_start_states([])
    envs.set_start_states(None)
    obs, _ = envs.reset()
    assert steps_shown(envs, obs) == [0, 0, 0]


def test_a_game_saved_in_the_middle_goes_on(vec: Vec, states: list[pommego.State]) -> None:
    envs = vec(opponents=["random"] * 3, start_states=states, max_episode_steps=9)
    envs.reset(seed=3)
    envs.step(np.zeros(3, int))
    saved = envs.get_state()

    def go_on(envs: pommego.PommegoVectorEnv) -> list[Any]:
        shown: list[Any] = []
        for _ in range(25):
            obs, _, _, truncated, info = envs.step(np.zeros(3, int))
            shown += [obs["planes"].tobytes(), truncated.tolist(), info.get("game", {}).get("length")]
        return [part if isinstance(part, bytes) else str(part) for part in shown]

    want = go_on(envs)
    envs.set_state(range(3), saved)
    assert go_on(envs) == want
    other = vec(opponents=["random"] * 3, start_states=states, max_episode_steps=9)
    other.reset(seed=0)
    other.set_state(range(3), [envs.state_json(state) for state in saved])
    assert go_on(other) == want


def test_many_states_go_in_several_messages(vec: Vec, states: list[pommego.State]) -> None:
    envs = vec(opponents=STILL)
    limit = envs._session.client.limits["message_bytes"]
    many = [states[1]] * (limit // len(states[1]) + 10) + [states[3]]
    envs.set_start_states(pommego.Starts(many, [0] * (len(many) - 1) + [1]))
    obs, _ = envs.reset(seed=0)
    assert steps_shown(envs, obs) == [12, 12, 12]
    envs.set_start_states(many)
    obs, _ = envs.reset()
    assert steps_shown(envs, obs) == [6, 6, 6]


@pytest.mark.parametrize("kind", ["recorded", "data set"])
def test_positions_of_played_games(binary: Path, tmp_path: Path, vec: Vec, kind: str) -> None:
    """The learner takes the winner's place, 5 steps before the end of games that somebody won."""
    pytest.importorskip("pyarrow")
    path = tmp_path / ("games.jsonl" if kind == "recorded" else "set")
    command = {"recorded": ["play", "--record"], "data set": ["generate", "--games", "12", "--out"]}[kind]
    options = ["--env", "OneVsOne-v0", "--agents", "simple,random", "--seed", "7"]
    subprocess.run([binary, *command, path, *options], check=True, capture_output=True)
    found = data.states(path, at=[0, -5], winner=True)
    everything = data.states(path, at=0)
    assert len(everything) == (1 if kind == "recorded" else 12)
    assert len(found) % 2 == 0
    assert 0 < len(found) <= 2 * len(everything)
    with pytest.raises(ValueError, match="has no game that goes on after 100000 steps$"):
        data.states(path, at=100_000)
    assert data.states(path, at=0, games=1) == everything[:1]
    envs = vec("OneVsOne-v0", len(found), opponents=["simple"])
    obs, info = envs.reset(seed=0, options={"states": found})
    if kind == "recorded":
        winners = [json.loads(path.read_text())["steps"][-1]["winners"][0]]
        length = [len(json.loads(path.read_text())["steps"])]
    else:
        games = [game for game in data.episodes(path) if (game.outcome > 0).sum() == 1]
        winners, length = [int(game.outcome.argmax()) for game in games], list(map(len, games))
    assert info["seat"].tolist() == np.repeat(winners, 2).tolist()
    assert steps_shown(envs, obs) == [step for n in length for step in (0, n - 5)]
    with pytest.raises(pommego.PommegoError, match=r"no-such"):
        data.states(tmp_path / "no-such")


def test_winners_of_a_team(binary: Path, tmp_path: Path, vec: Vec) -> None:
    """Each member of the team that won is the learner of a state, as long as it is alive."""
    pytest.importorskip("pyarrow")
    id, ats = "PommeTeam-v0", (0, -2)
    command = ["generate", "--env", id, "--agents", "simple,random", "--games", "6", "--seed", "2"]
    subprocess.run([binary, *command, "--out", tmp_path / "set"], check=True, capture_output=True)
    found = data.states(tmp_path / "set", at=ats, winner=True)
    wanted = []
    for game in data.episodes(tmp_path / "set"):
        for at in (0, len(game) - 2):
            wanted += np.flatnonzero((game.outcome > 0) & (game.alive[at] > 0)).tolist()
    assert 0 < len(wanted) < 2 * 2 * 6
    envs = vec(id, len(found), opponents=["static"] * 3)
    _, info = envs.reset(seed=0, options={"states": found})
    assert info["seat"].tolist() == wanted
    subprocess.run(
        [binary, "generate", "--env", id, "--agents", "static", "--games", "2", "--out", tmp_path / "tied"],
        check=True,
        capture_output=True,
    )
    with pytest.raises(ValueError, match=r"tied has no game that goes on after -20 steps and has a winner"):
        data.states(tmp_path / "tied", winner=True)


def test_a_single_environment(single: Callable[..., pommego.PommegoEnv], states: list[pommego.State]) -> None:
    env = single(start_states=pommego.Starts(states[2:3], ordinary=0))
    obs, _ = env.reset(seed=1)
    later, _ = env.reset(seed=1, options={"state": states[3]})
    assert obs["scalars"].tobytes() != later["scalars"].tobytes()
    with pytest.raises(ValueError, match="there is only 'state'"):
        env.reset(options={"states": states})


def test_states_that_cannot_be(vec: Vec, states: list[pommego.State]) -> None:
    envs = vec(opponents=STILL)
    for options, error, says in [
        ({"states": states}, ValueError, "4 entries for 3 games"),
        ({"states": states[0]}, TypeError, "is a State, expected a list"),
        ({"state": [None] * 3}, ValueError, "unknown reset options"),
        ({"states": [None, 5, None]}, TypeError, "not int"),
        ({"states": [states[0], None, b"junk"]}, pommego.ServerError, "for game 2: it is not what Save"),
    ]:
        with pytest.raises(error, match=says):
            envs.reset(options=options)
    for arguments, error, says in [
        ((states[0],), TypeError, "is one State, expected a list"),
        ((states, [1]), ValueError, "1 weights for 4 start states"),
        ((states, [0] * 4), ValueError, "not all 0"),
        ((states, None, 1.5), ValueError, "1.5, expected 0 to 1"),
        (([b"junk"],), pommego.ServerError, "bad_state"),
    ]:
        with pytest.raises(error, match=says):
            envs.set_start_states(pommego.Starts(*arguments))
    with pytest.raises(pommego.ServerError, match="bad_state"):
        vec("OneVsOne-v0", opponents=["static"], start_states=states)
    envs.reset(seed=0)
