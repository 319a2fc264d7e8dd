"""Which rows of a step count: the server does not look at the actions of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pommego

Vec = Callable[..., pommego.PommegoVectorEnv]
FFA, TEAM, RADIO = "PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2"
IGNORED = 77  # no action: an error wherever it is looked at


def actions_for(envs: pommego.PommegoVectorEnv, info: dict[str, Any], counts: np.ndarray) -> np.ndarray:
    """Legal actions where they count, nonsense elsewhere."""
    actions = envs.sample_actions(info["action_mask"])
    actions[~counts] = IGNORED
    return actions


def assert_valid(info: dict[str, Any], wanted: np.ndarray) -> None:
    assert info["valid"].dtype == np.bool_
    np.testing.assert_array_equal(info["valid"], wanted)
    assert info["_valid"].all()
    assert info["_valid"].shape == wanted.shape


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("id", "options"),
    [
        (FFA, {}),
        (FFA, {"opponents": ["random"] * 3}),
        (FFA, {"opponents": ["random"] * 3, "on_death": "wait"}),
        (TEAM, {"seats": ["learner", "random", "learner", "random"]}),
        (RADIO, {}),
        ("SuiteBot-v0", {}),
        ("BaseWar-v0", {"max_episode_steps": 40}),
    ],
    ids=str,
)
def test_rows_that_count(vec: Vec, id: str, options: dict[str, Any], mode: str, copy: bool) -> None:
    envs = vec(id, 5, autoreset_mode=mode, copy=copy, **options)
    _, info = envs.reset(seed=3)
    assert_valid(info, np.zeros(envs.num_envs, bool))
    counts, dead, only_reset = info["alive"].copy(), 0, 0
    for _ in range(200):
        _, _, terminated, truncated, info = envs.step(actions_for(envs, info, counts))
        assert_valid(info, counts)
        over = terminated | truncated
        dead += (~counts).sum()
        counts = info["alive"].copy()
        if mode == "NextStep":
            only_reset += over.sum()
            counts &= ~over
    assert only_reset > 0 or mode == "SameStep"
    if envs.learners > 1 and id.startswith("Pomme"):
        assert dead > only_reset, "nobody was dead while others played on"


def test_with_resets_of_ones_own(vec: Vec) -> None:
    envs = vec(FFA, 4, autoreset_mode="Disabled")
    _, info = envs.reset(seed=0)
    counts = info["alive"]
    for _ in range(120):
        _, _, terminated, _, info = envs.step(actions_for(envs, info, counts))
        assert_valid(info, counts)
        counts = info["alive"]
        if terminated.any():
            _, info = envs.reset(options={"reset_mask": terminated})
            assert_valid(info, np.zeros(envs.num_envs, bool))
            counts = info["alive"]


def test_first_ready(vec: Vec) -> None:
    envs = vec(TEAM, 6, batch_size=2)
    _, info = envs.reset(seed=0)
    counts = np.zeros(envs.num_envs, bool)  # in each row's next batch: the first one only shows it
    over = np.zeros(8, bool)
    for _ in range(400):
        rows = info["row"]
        assert_valid(info, counts[rows])
        counts[rows] = info["alive"] & ~over
        envs.send(actions_for(envs, info, counts[rows]), rows)
        _, _, over, _, info = envs.recv()


def test_after_a_state_is_restored(vec: Vec) -> None:
    """A game that was saved when it had ended only resets in the next step."""
    envs = vec("OneVsOne-v0", 1, opponents=["static"])
    _, info = envs.reset(seed=0)
    running = envs.get_state(0)
    over = np.zeros(1, bool)
    while not over.any():
        *_, over, _, info = envs.step(envs.sample_actions(info["action_mask"]))
    ended = envs.get_state(0)
    for state, valid in [(running, True), (ended, False), (running, True)]:
        _, info = envs.set_state(0, state)
        assert_valid(info, np.array([False]))
        *_, info = envs.step([0])
        assert_valid(info, np.array([valid]))


def test_single_environment(single: Callable[..., pommego.PommegoEnv]) -> None:
    env = single()
    assert env.reset(seed=0)[1]["valid"] is False
    assert env.step(0)[4]["valid"] is True
