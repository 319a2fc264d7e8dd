"""`pommego.pommerman.safety`, by playing: what it foretells has to come about."""

from __future__ import annotations

import numpy as np
import pytest

import pommego
from pommego.pommerman.safety import Safety

ALONE = ["PommeFFACompetition-v0", "OneVsOne-v0", "PommeFFA2018-v0", "PommeFFAJavaDocument-v0"]


def alone(env_id: str, games: int, rules: dict[str, int]) -> pommego.PommegoVectorEnv:
    """Play beside agents that stand still and without fog, so that all bombs are one's own and in sight."""
    spec = pommego.catalog()[env_id]
    if spec.rules["agent_view_size"]:
        rules = rules | {"agent_view_size": 0}
    return pommego.make_vec(
        env_id, games, opponents=["static"] * (spec.seats - 1), autoreset_mode="SameStep", rules=rules
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


def deaths(env_id: str, careful: bool) -> int:
    """Lay bombs at every second chance, and count how often that is the end."""
    rng = np.random.default_rng(1)
    with alone(env_id, 48, {}) as envs:
        safety = Safety(envs.game_spec)
        obs, info = envs.reset(seed=1)
        died = 0
        for _ in range(150):
            mask = info["action_mask"] > 0
            if careful:
                mask = safety.moves(obs["planes"], obs["scalars"], mask)
            lay = mask[:, 5] & (rng.random(len(mask)) < 0.5)
            actions = np.where(lay, 5, (rng.random(mask.shape) * mask).argmax(1))
            obs, reward, terminated, _, info = envs.step(actions)
            died += int((terminated & (reward < 0)).sum())
        return died


@pytest.mark.parametrize("env_id", ALONE)
def test_safe_moves_are_survived(env_id: str) -> None:
    """Whoever lays bombs at every second chance lives on; by the server's mask alone nobody does."""
    assert deaths(env_id, careful=True) == 0
    assert deaths(env_id, careful=False) > 0


@pytest.mark.parametrize("env_id", ALONE)
def test_kicks_are_survived(env_id: str) -> None:
    """On boards without rigid walls, where there is much to roll on, whoever kicks lives on."""
    rng, few = np.random.default_rng(6), {"num_rigid": 0, "num_wood": 20, "num_items": 20}
    with alone(env_id, 96, few) as envs:
        safety = Safety(envs.game_spec)
        obs, info = envs.reset(seed=7)
        kicked = 0
        for _ in range(200):
            safe = safety.moves(obs["planes"], obs["scalars"], info["action_mask"])
            at_bombs = kicks(envs.game_spec, obs)
            actions = preferring(rng, safe, at_bombs)
            kicked += int(at_bombs[np.arange(len(actions)), actions].sum())
            obs, reward, _, _, info = envs.step(actions)
            assert (reward >= 0).all()
        assert kicked > 100


def test_flames_of_unknown_age_are_feared() -> None:
    """Flames that always look new can leave no safe move beside one's bomb, but seldom do."""
    assert deaths("PommeFFAJava-v0", careful=True) < deaths("PommeFFAJava-v0", careful=False) / 4


@pytest.mark.parametrize("env_id", ALONE)
def test_danger_is_where_flames_break_out(env_id: str) -> None:
    """Nobody kicks here, so that all bombs lie still."""
    rng = np.random.default_rng(2)
    with alone(env_id, 48, {}) as envs:
        spec = envs.game_spec
        safety, flame = Safety(spec), envs.game_spec.rules["flame_life"]
        shown = names(spec, "planes").index("flame")
        obs, info = envs.reset(seed=3)
        before = safety.danger(obs["planes"])
        seen = 0
        for _ in range(150):
            mask = safety.moves(obs["planes"], obs["scalars"], info["action_mask"]) & ~kicks(spec, obs)
            obs, _, terminated, _, info = envs.step((rng.random(mask.shape) * mask).argmax(1))
            new = obs["planes"][:, shown] == flame
            np.testing.assert_array_equal(new[~terminated], before[~terminated] == 1)
            after = safety.danger(obs["planes"])
            soon = ~terminated[:, None, None] & (before > 1) & (before < 255)
            assert (after[soon] < before[soon]).all(), "what burns later burns a step sooner now"
            before, seen = after, seen + int(new.sum())
        assert seen > 500


def test_danger_is_where_rolling_bombs_explode() -> None:
    """On boards without walls it kicks where it can. Where it stops instead, bombs do as foretold."""
    rng, few = np.random.default_rng(4), {"num_rigid": 0, "num_wood": 24, "num_items": 24}
    with alone("PommeFFACompetition-v0", 96, few) as envs:
        spec = envs.game_spec
        safety, planes = Safety(spec), names(spec, "planes")
        ways = [planes.index(f"bomb_{way}") for way in ("up", "down", "left", "right")]
        obs, info = envs.reset(seed=5)
        exploded = 0
        for _ in range(600):
            safe = safety.moves(obs["planes"], obs["scalars"], info["action_mask"])
            stops = rng.random(len(safe)) < 0.2
            actions = np.where(stops, 0, preferring(rng, safe, kicks(spec, obs)))
            before, rolls = safety.danger(obs["planes"]), obs["planes"][:, ways].any((1, 2, 3))
            obs, _, terminated, _, info = envs.step(actions)
            seen = stops & ~terminated
            new = obs["planes"][:, planes.index("flame")] == spec.rules["flame_life"]
            np.testing.assert_array_equal(new[seen], before[seen] == 1)
            exploded += int(new[seen & rolls].any((1, 2)).sum())
        assert exploded > 20


def test_no_way_out_leaves_the_mask() -> None:
    """In a blind alley beside one's own bomb nothing is safe: the choice is left as it was."""
    spec = pommego.catalog()["OneVsOne-v0"]
    encoding, size = spec.encoding("planes"), spec.rules["board_size"]
    plane = {p.name: i for i, p in enumerate(encoding["planes"].names)}
    planes = np.zeros((2, len(plane), size, size), np.uint8)
    planes[:, plane["rigid"]] = 1
    planes[:, plane["rigid"], 0, :2] = 0
    planes[:, plane["self"], 0, 0] = 1
    planes[:, plane["bomb_blast"], 0, 1] = 2
    planes[:, plane["bomb_life"], 0, 1] = 5
    planes[1, plane["rigid"], 1, 0] = 0  # the second has a way on,
    planes[1, plane["rigid"], 2, 0] = 0
    scalars = np.zeros((2, len(encoding["scalars"].names)), np.float32)
    mask = np.array([[1, 0, 0, 0, 1, 0], [1, 0, 1, 0, 1, 0]], np.uint8)
    moves = Safety(spec).moves(planes, scalars, mask)
    assert moves.tolist() == [
        [True, False, False, False, True, False],
        [True, False, True, False, True, False],
    ]
    planes[:, plane["bomb_life"], 0, 1] = 1  # that it has to take at once
    assert Safety(spec).moves(planes, scalars, mask)[1].tolist() == [False, False, True, False, False, False]


def test_a_kick_has_to_move_a_bomb_that_lies_still() -> None:
    spec = pommego.catalog()["PommeFFACompetition-v0"]
    plane = {name: i for i, name in enumerate(names(spec, "planes"))}
    planes = np.zeros((5, len(plane), 11, 11), np.uint8)
    planes[:, plane["passage"]] = 1
    planes[:, plane["passage"], 5, 5:7] = 0
    planes[:, plane["self"], 5, 5] = 1
    planes[:, plane["bomb_blast"], 5, 6], planes[:, plane["bomb_life"], 5, 6] = 2, 9
    scalars = np.zeros((5, len(names(spec, "scalars"))), np.float32)
    scalars[:, names(spec, "scalars").index("can_kick")] = [0, 1, 1, 1, 1]
    planes[2, plane["passage"], 5, 7], planes[2, plane["rigid"], 5, 7] = 0, 1  # it is in the bomb's way
    planes[3, plane["bomb_up"], 5, 6] = 1  # it rolls away, and leaves its cell
    planes[4, plane["bomb_left"], 5, 6] = 1  # it comes, and has to stop
    moves = Safety(spec).moves(planes, scalars, np.ones((5, 6)))
    assert moves[:, 4].tolist() == [True, True, False, True, False]
    assert moves[:, [0, 1, 2, 3, 5]].all()


@pytest.mark.parametrize("env_id", ALONE)
@pytest.mark.parametrize("life", [30, 255])
def test_a_bomb_may_live_longer_than_a_new_one(env_id: str, life: int) -> None:
    """As in a state that was made by hand."""
    spec = pommego.catalog()[env_id]
    plane, side = {name: i for i, name in enumerate(names(spec, "planes"))}, spec.rules["board_size"]
    planes = np.zeros((1, len(plane), side, side), np.uint8)
    planes[:, plane["self"], 3, 3] = 1
    planes[:, plane["bomb_blast"], 3, 5], planes[:, plane["bomb_life"], 3, 5] = 3, life
    scalars = np.full((1, len(names(spec, "scalars"))), 3 / (side - 1), np.float32)
    mask = np.array([[1, 1, 1, 1, 1, 0]], np.uint8)
    assert Safety(spec).moves(planes, scalars, mask).tolist() == (mask > 0).tolist()
    assert (Safety(spec).danger(planes) > spec.rules["bomb_life"]).all()


def test_several_rules_are_refused() -> None:
    with pommego.make_vec("PommeFFACompetition-v0", 4, rules=[{}, {"num_wood": 20}]) as envs:
        with pytest.raises(ValueError, match="PommeFFACompetition-v0 by several rules: Safety wants one set"):
            Safety(envs.game_spec)


def test_bombs_that_live_too_long_are_refused() -> None:
    rules = {"bomb_life": 40}
    with pommego.make_vec("PommeFFACompetition-v0", 1, rules=rules) as envs:
        with pytest.raises(ValueError, match="bombs that matter for 42 steps; at most 14 and 31"):
            Safety(envs.game_spec)
