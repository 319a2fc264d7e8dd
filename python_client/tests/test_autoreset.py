"""All three autoreset modes, step for step against gymnasium's SyncVectorEnv.

The SyncVectorEnv runs our single environment; what it returns is, by
definition, what gymnasium means. Four things are more in ours and taken out
before comparing: with SAME_STEP the episode's statistics are at the top of info
too, and so is which rows of the step count, where a reset's own info has none; the
last observations are there in arrays, too; and after a partial reset action masks and
the like are there for all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import pommego
from compare import assert_same, frozen

GAMES, STEPS, SEED = 3, 120, 11

CASES = [
    ("PommeFFACompetition-v0", {"opponents": ["static"] * 3}, "planes, one learner against statues"),
    ("PommeFFACompetition-v0", {"opponents": ["random"] * 3, "observation": "raw"}, "raw, drawn seats"),
    (
        "PommeFFACompetition-v0",
        {"opponents": ["simple"] * 3, "seat": 2, "reward": "reference"},
        "reference reward",
    ),
    ("PommeFFACompetition-v0", {"opponents": ["random"] * 3, "on_death": "wait"}, "the dead wait"),
    ("PommeFFACompetition-v0", {"opponents": ["static"] * 3, "max_episode_steps": 7}, "truncation"),
    ("PommeTeamCompetition-v0", {"seats": ["random", "learner", "random", "random"]}, "a team game"),
    ("PommeRadioCompetition-v2", {"opponents": ["random"] * 3}, "actions of three components"),
    ("OneVsOne-v0", {"opponents": ["random"], "max_episode_steps": 40}, "two seats"),
]

Vec = Callable[..., pommego.PommegoVectorEnv]
Single = Callable[..., pommego.PommegoEnv]


def pair(
    vec: Vec, single: Single, id: str, options: dict[str, Any], mode: AutoresetMode
) -> tuple[pommego.PommegoVectorEnv, SyncVectorEnv]:
    ours = vec(id, GAMES, autoreset_mode=mode, **options)
    without = {"opponents": None} if "seats" in options else {}
    theirs = SyncVectorEnv([lambda: single(id, **without, **options)] * GAMES, autoreset_mode=mode)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    return ours, theirs


def without_game(result: tuple[Any, ...]) -> tuple[Any, ...]:
    *rest, info = result
    return (*rest, {k: v for k, v in info.items() if k not in ("game", "_game")})


def assert_batched(info: dict[str, Any], done: np.ndarray) -> None:
    """The last observations in arrays are those of final_obs, and zeros elsewhere. Takes them out."""
    batched, mask = info["final_info"].pop("obs"), info["final_info"].pop("_obs")
    np.testing.assert_array_equal(mask, done)
    for name, array in batched.items():
        assert not array[~done].any()
        np.testing.assert_array_equal(array[done], np.stack([o[name] for o in info["final_obs"][done]]))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda m: m.name)
@pytest.mark.parametrize(("id", "options", "reason"), CASES, ids=[c[2] for c in CASES])
def test_same_as_gymnasium(
    vec: Vec, single: Single, id: str, options: dict[str, Any], reason: str, mode: AutoresetMode
) -> None:
    ours, theirs = pair(vec, single, id, options, mode)
    assert_same(ours.reset(seed=SEED), theirs.reset(seed=SEED), f"{reason}, reset: ")
    rng = np.random.default_rng(0)
    ends = 0
    for step in range(STEPS):
        actions = rng.integers(0, 6, ours.action_space.shape)
        got, want = ours.step(actions), theirs.step(actions)
        done = want[2] | want[3]
        ends += done.sum()
        if mode == AutoresetMode.SAME_STEP:
            if done.any():
                assert_same(got[4]["game"], got[4]["final_info"]["game"])
                assert_same(got[4]["_game"], done)
                assert_same(got[4]["valid"][done], got[4]["final_info"]["valid"][done])
                got[4]["valid"][done] = False
                assert_batched(got[4], done)
            got = without_game(got)
        assert_same(got, want, f"{reason}, step {step}: ")
    assert ends >= 2, "a run in which no episode ends shows nothing"
    assert_same(ours.reset(), theirs.reset(), f"{reason}, reset without a seed: ")
    theirs.close()


@pytest.mark.parametrize(("id", "options", "reason"), CASES, ids=[c[2] for c in CASES])
def test_same_as_gymnasium_when_disabled(
    vec: Vec, single: Single, id: str, options: dict[str, Any], reason: str
) -> None:
    ours, theirs = pair(vec, single, id, options, AutoresetMode.DISABLED)
    assert_same(ours.reset(seed=SEED), theirs.reset(seed=SEED), f"{reason}, reset: ")
    rng = np.random.default_rng(0)
    ends = 0
    for step in range(STEPS):
        actions = rng.integers(0, 6, ours.action_space.shape)
        got, want = ours.step(actions), theirs.step(actions)
        assert_same(got, want, f"{reason}, step {step}: ")
        done = want[2] | want[3]
        if done.any():
            ends += done.sum()
            with pytest.raises(pommego.ServerError, match="game_finished"):
                ours.step(actions)
            seed = None if step % 2 else [int(s) for s in rng.integers(0, 1000, GAMES)]
            got_obs, got_info = ours.reset(seed=seed, options={"reset_mask": done})
            want_obs, want_info = theirs.reset(seed=seed, options={"reset_mask": done})
            assert_same(got_obs, want_obs, f"{reason}, masked reset after step {step}: ")
            assert got_info.keys() == want_info.keys()
            for key, value in want_info.items():
                if not key.startswith("_"):
                    assert_same(got_info[key][done], value[done], f"{reason}, info[{key!r}]: ")
    assert ends >= 2, "a run in which no episode ends shows nothing"
    theirs.close()


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda m: m.name)
def test_all_rows_of_a_game_finish_together(vec: Vec, mode: AutoresetMode) -> None:
    """With four learners a game: what gymnasium's documentation says of each mode, spelled out."""
    envs = vec(games=4, autoreset_mode=mode)
    envs.reset(seed=3)
    rng = np.random.default_rng(1)
    finished = np.zeros(4, bool)
    ends = 0
    for _ in range(150):
        actions = rng.integers(0, 6, envs.num_envs)
        _, reward, terminated, truncated, info = envs.step(actions)
        done = terminated | truncated
        games = envs.by_game(done)
        assert (games.all(axis=1) == games.any(axis=1)).all()
        if mode == AutoresetMode.NEXT_STEP:
            again = np.repeat(finished, 4)
            assert not done[again].any()
            assert not reward[again].any()
            np.testing.assert_array_equal(info.get("_seed", np.zeros(16, bool)), again)
        assert ("game" in info) == done.any()
        assert ("final_obs" in info) == (mode == AutoresetMode.SAME_STEP and done.any())
        if done.any():
            ends += 1
            np.testing.assert_array_equal(info["_game"], done)
            winners = info["game"]["winners"][done]
            won = winners[np.arange(len(winners)), last_seats(info, done)]
            assert not np.signbit(info["game"]["return"][~done]).any(), "zeros have no sign"
            assert (info["game"]["return"][done][won] == 1).all(), "a winner's return is 1"
            if mode == AutoresetMode.SAME_STEP:
                np.testing.assert_array_equal(info["_seed"], done)
                assert [o is not None for o in info["final_obs"]] == done.tolist()
            if mode == AutoresetMode.DISABLED:
                envs.reset(options={"reset_mask": done})
        finished = games.all(axis=1)
    assert ends >= 3


@pytest.mark.parametrize("expand", [True, False])
def test_last_observations_in_arrays(vec: Vec, expand: bool) -> None:
    """With several learners a game, rows and what they share have the shapes of observations."""
    options = {"autoreset_mode": "SameStep", "max_episode_steps": 5, "observation": "raw"}
    envs = vec(games=3, expand_shared=expand, **options)
    obs, _ = envs.reset(seed=3)
    for _ in range(5):
        *_, truncated, info = envs.step(np.zeros(12, np.uint8))
    assert truncated.all()
    batched = info["final_info"]["obs"]
    assert {name: (a.shape, a.dtype) for name, a in batched.items()} == {
        name: (a.shape, a.dtype) for name, a in obs.items()
    }
    for row, last in enumerate(info["final_obs"]):
        assert all(np.shares_memory(last[name], array) for name, array in batched.items()), "not copied again"
        assert_same({name: envs.by_game(a)[divmod(row, 4)] for name, a in batched.items()}, last)


def last_seats(info: dict[str, Any], done: np.ndarray) -> np.ndarray:
    return info.get("final_info", info)["seat"][done]


def test_final_observations_outlive_the_next_step(vec: Vec) -> None:
    """Even with copy=False they have memory of their own."""
    envs = vec(games=4, autoreset_mode="SameStep", copy=False)
    envs.reset(seed=3)
    kept = []
    while len(kept) < 5:
        *_, info = envs.step(np.full(16, 5))
        if "final_obs" in info:
            kept.append((info["final_obs"], frozen(info["final_obs"])))
    for got, want in kept:
        assert_same(got, want)
