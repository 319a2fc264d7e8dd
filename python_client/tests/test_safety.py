"""Safe moves, by playing: who chooses among them lives on."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils import parallel_to_aec

import pommego

ALONE = ["PommeFFACompetition-v0", "OneVsOne-v0", "PommeFFA2018-v0", "PommeFFAJavaDocument-v0"]


def alone(env_id: str, games: int, rules: Any, mask: str = "safe") -> pommego.PommegoVectorEnv:
    """Play beside agents that stand still and without fog, so that all bombs are one's own and in sight."""
    spec = pommego.catalog()[env_id]
    if spec.rules["agent_view_size"]:
        rules |= {"agent_view_size": 0}
    others = ["static"] * (spec.seats - 1)
    return pommego.make_vec(
        env_id, games, opponents=others, autoreset_mode="SameStep", rules=rules, mask=mask
    )


def names(spec: pommego.GameSpec, part: str) -> list[str]:
    """List what stands in `planes` or `scalars`."""
    return [of.name for of in spec.encoding("planes")[part].names]


def kicks(spec: pommego.GameSpec, obs: dict[str, np.ndarray]) -> np.ndarray:
    """Find the moves onto a bomb of agents that can kick, bool (n, 6)."""
    planes = obs["planes"]
    own, bomb = (planes[:, names(spec, "planes").index(name)] > 0 for name in ("self", "bomb_blast"))
    side, around = bomb.shape[1], np.pad(bomb, ((0, 0), (1, 1), (1, 1)))
    found = np.zeros((len(planes), 6), np.bool_)
    for move, (row, col) in enumerate(((0, 1), (2, 1), (1, 0), (1, 2)), 1):
        found[:, move] = (own & around[:, row : row + side, col : col + side]).any((1, 2))
    return found & (obs["scalars"][:, names(spec, "scalars").index("can_kick"), None] > 0)


def preferring(rng: np.random.Generator, safe: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Choose of safe moves mostly the first, then often bombs."""
    first = first & safe & (rng.random(len(safe)) < 0.7)[:, None]
    at = np.where(first.any(1, keepdims=True), first, safe)
    return (rng.random(safe.shape) * at * [1, 1, 1, 1, 1, 3]).argmax(1)


def deaths(env_id: str, mask: str, rules: Any = None) -> int:
    """Lay bombs at every second chance, and count how often that is the end.

    There are no items: nobody knows of one under burning wood, which would stop a bomb that is kicked there.
    """
    rng = np.random.default_rng(1)
    with alone(env_id, 48, rules or {"num_items": 0}, mask) as envs:
        _, info = envs.reset(seed=1)
        died = 0
        for _ in range(150):
            may = info["action_mask"] > 0
            lay = may[:, 5] & (rng.random(len(may)) < 0.5)
            _, reward, terminated, _, info = envs.step(
                np.where(lay, 5, (rng.random(may.shape) * may).argmax(1))
            )
            died += int((terminated & (reward < 0)).sum())
        return died


@pytest.mark.parametrize("env_id", ALONE)
def test_safe_moves_are_survived(env_id: str) -> None:
    """Whoever lays bombs at every second chance lives on; by the legal mask alone nobody does."""
    assert deaths(env_id, "safe") == 0
    assert deaths(env_id, "legal") > 0


@pytest.mark.parametrize("rules", [{"bomb_life": 40}, [{"num_items": 0}, {"num_wood": 20}]])
def test_by_other_rules_too(rules: Any) -> None:
    """Where bombs live long, and in games by several rules."""
    assert deaths("PommeFFACompetition-v0", "safe", rules) == 0


@pytest.mark.parametrize("env_id", ALONE)
def test_kicks_are_survived(env_id: str) -> None:
    """On boards without rigid walls, where there is much to roll on, whoever kicks lives on."""
    rng, few = (
        np.random.default_rng(6),
        {"num_rigid": 0, "num_wood": 20, "num_items": 20},
    )
    with alone(env_id, 96, few) as envs:
        obs, info = envs.reset(seed=7)
        kicked = 0
        for _ in range(200):
            at_bombs = kicks(envs.game_spec, obs)
            actions = preferring(rng, info["action_mask"] > 0, at_bombs)
            kicked += int(at_bombs[np.arange(len(actions)), actions].sum())
            obs, reward, _, _, info = envs.step(actions)
            assert (reward >= 0).all()
        assert kicked > 100


def test_flames_of_unknown_age_are_feared() -> None:
    """Flames that always look new can leave no safe move beside one's bomb, but seldom do."""
    assert deaths("PommeFFAJava-v0", "safe") < deaths("PommeFFAJava-v0", "legal") / 4


def test_safe_moves_are_legal_and_some() -> None:
    """In the same games, and of the same observations."""
    seen = []
    for mask in ("legal", "safe"):
        rng = np.random.default_rng(0)
        with pommego.make_vec("PommeTeamCompetition-v0", 32, mask=mask) as envs:
            obs, info = envs.reset(seed=0)
            for _ in range(60):
                seen.append((obs, info["action_mask"], info["alive"]))
                obs, *_, info = envs.step(rng.integers(0, 6, envs.num_envs))
    fewer = 0
    for (obs, legal, alive), (same, safe, _) in zip(seen[:60], seen[60:], strict=True):
        assert all((obs[name] == same[name]).all() for name in obs)
        assert (safe <= legal).all()
        assert safe.any(1).all()
        assert (safe[~alive] == legal[~alive]).all()
        fewer += int((safe < legal).sum())
    assert fewer > 100


@pytest.mark.parametrize("env_id", ["BaseWar-v0", "SuiteBot-v0"])
def test_other_games_have_legal_moves_alone(env_id: str) -> None:
    with pytest.raises(pommego.ServerError, match="mask") as error:
        pommego.make_vec(env_id, 1, mask="safe")
    assert error.value.field == "mask"
    with pytest.raises(pommego.ServerError, match="mask is 'sfae'|sfae"):
        pommego.make_vec("OneVsOne-v0", 1, mask="sfae")


@pytest.mark.parametrize(
    "how", ["make", "gymnasium.make", "gymnasium.make_vec", "parallel", "parallel info", "aec"]
)
def test_ways_to_make_games_pass_it_on(how: str) -> None:
    """Near observations and safe moves; every way to make one game shows the same."""
    id, seen = "PommeFFACompetition-v0", {"observation": "near", "mask": "safe"}
    with pommego.make_vec(id, 1, **seen) as envs:
        obs, info = envs.reset(seed=3)
        row = 0 if "parallel" in how or how == "aec" else int(np.flatnonzero(info["seat"] == 2)[0])
        want = {name: array[row] for name, array in obs.items()}, info["action_mask"][row]
    alone = seen | {"opponents": "simple", "seat": 2}
    match how:
        case "make" | "gymnasium.make":
            make = pommego.make if how == "make" else gymnasium.make
            env = make(id if how == "make" else f"pommego/{id}", **alone)
            obs, info = env.reset(seed=3)
            got = obs, info["action_mask"]
        case "gymnasium.make_vec":
            env = gymnasium.make_vec(f"pommego/{id}", num_envs=1, **alone)
            obs, info = env.reset(seed=3)
            got = {name: array[0] for name, array in obs.items()}, info["action_mask"][0]
        case "aec":
            env = parallel_to_aec(pommego.parallel_env(id, **seen))
            env.reset(seed=3)
            obs = env.observe("agent_0")
            got = obs["observation"], obs["action_mask"]
        case _:
            env = pommego.parallel_env(
                id, action_mask=how.rsplit(maxsplit=1)[-1] if " " in how else "observation", **seen
            )
            all_obs, infos = env.reset(seed=3)
            obs = all_obs["agent_0"]
            got = (
                (obs, infos["agent_0"]["action_mask"])
                if " " in how
                else (obs["observation"], obs["action_mask"])
            )
    env.close()
    assert got[0].keys() == {"near", "numbers"}
    for name, array in want[0].items():
        np.testing.assert_array_equal(got[0][name], array)
    np.testing.assert_array_equal(got[1], want[1])
