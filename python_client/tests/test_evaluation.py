"""`evaluate`: counts are those of games played one by one, seats are balanced, intervals hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pommego

FFA, TEAM, DUEL, RADIO = (
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "OneVsOne-v0",
    "PommeRadioCompetition-v2",
)


@pytest.fixture
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


def by_clock(rows: int, step: int, choices: int = 6) -> np.ndarray:
    """Moves that depend on the step alone."""
    return np.full(rows, (step * 7 + 3) % choices)


class Clock:
    """A policy that counts its calls, and notes what it is given."""

    def __init__(self) -> None:
        self.step, self.seen = 0, []

    def __call__(self, obs: Any, info: dict[str, Any]) -> np.ndarray:
        self.seen.append((obs, info))
        self.step += 1
        return by_clock(len(info["seat"]), self.step - 1)


@pytest.mark.parametrize(
    ("id", "opponents"),
    [
        (FFA, ["random", "static", "simple"]),
        (DUEL, "random"),
        (TEAM, "simple"),
        ("BaseWarSides-v0", "random"),
    ],
)
def test_same_as_games_played_one_by_one(where: dict[str, Any], id: str, opponents: str | list[str]) -> None:
    spec = pommego.catalog(**where)[id]
    if id == "BaseWarSides-v0":
        policy: Any = lambda obs, info: np.zeros((len(info["seat"]), 3), int)  # noqa: E731
    else:
        policy = Clock()
    result = pommego.evaluate(policy, id, opponents, 10, seed=5, **where)
    names = [opponents] * (spec.seats - 1) if isinstance(opponents, str) else opponents
    assert result.games == 10
    for game in range(10):
        seat = int(result.seats[game])
        env = pommego.make(id, opponents=names, seat=seat, on_death="wait", **where)
        env.reset(seed=5 + game)
        over, step, alive, before = False, 0, True, True
        while not over:
            action = by_clock(1, step)[0] if isinstance(policy, Clock) else np.zeros(3, int)
            *_, over, _, info = env.step(action)
            before, alive = alive, info["alive"]
            step += 1
        won = info["game"]["winners"][seat]
        tied = info["game"]["result"] == pommego.Result.TIE
        if spec.dead_leave:  # a tie of those who were left at the end
            tied = tied and before and (alive or step < spec.max_steps)
        assert result.results[game] == (1 if won else 0 if tied else -1)
        assert result.lengths[game] == step == info["game"]["length"]
        env.close()
    counts = np.bincount(result.seats, minlength=spec.seats)
    assert counts.max() - counts.min() <= 1
    assert result.wins + result.ties + result.losses == 10


def test_the_dead_have_lost(where: dict[str, Any]) -> None:
    """Whoever bombs itself at once has lost, however the others end; statues tie when time is up."""
    bomber = pommego.evaluate(
        lambda _, info: np.full(len(info["seat"]), 5), FFA, "static", 8, rules={"max_steps": 30}, **where
    )
    assert (bomber.losses, set(bomber.lengths.tolist())) == (8, {30})
    statue = pommego.evaluate(
        lambda _, info: np.zeros(len(info["seat"]), int), FFA, "static", 8, rules={"max_steps": 30}, **where
    )
    assert statue.ties == 8


def test_plays_a_whole_team(where: dict[str, Any]) -> None:
    clock = Clock()
    result = pommego.evaluate(clock, TEAM, "static", 6, team=True, state=True, seed=1, **where)
    obs, info = clock.seen[0]
    assert len(obs["planes"]) == len(info["valid"]) == len(info["state"]["planes"]) == 12
    assert info["seat"].tolist() == [0, 2] * 3 + [1, 3] * 3
    assert result.seats.tolist() == [0] * 3 + [1] * 3
    assert result.games == 6


def test_one_array(where: dict[str, Any]) -> None:
    clock = Clock()
    pommego.evaluate(clock, DUEL, "static", 3, observation="box", **where)
    assert clock.seen[0][0].shape == (3, 26, 8, 8)


def test_intervals(where: dict[str, Any]) -> None:
    """Wilson's, as in the textbooks' tables; the mean's by the normal distribution."""
    result = pommego.Evaluation(
        np.repeat(np.array([1, 0, -1], np.int8), [8, 0, 2]),
        np.arange(10, 20, dtype=np.int32),
        np.zeros(10, np.uint8),
    )
    assert result.win_rate == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert result.tie_rate == pytest.approx((0, 0, 0.2775), abs=1e-4)
    assert result.length == pytest.approx((14.5, 12.6235, 16.3765), abs=1e-4)
    assert str(result).startswith(
        "10 games: 80.0% won (49.0% to 94.3%), 0.0% tied (0.0% to 27.8%), 20.0% lost"
    )


def test_a_better_policy_wins_more(binary: object) -> None:
    """Against statues: who stands still ties or waits, who bombs itself loses. With a server of its own."""
    still = pommego.evaluate(lambda _, info: np.zeros(len(info["seat"]), int), DUEL, "random", 20)
    bomber = pommego.evaluate(lambda _, info: np.full(len(info["seat"]), 5), DUEL, "static", 20)
    assert bomber.losses == 20
    assert still.win_rate.low > bomber.win_rate.high


@pytest.mark.parametrize(
    ("id", "opponents", "team"),
    [(DUEL, "random", False), (FFA, ["static", "simple", "random"], False), (TEAM, "static", True)],
)
def test_an_agent_plays_as_a_policy_does(
    where: dict[str, Any], id: str, opponents: str | list[str], team: bool
) -> None:
    """`static` is the policy that always stops: the same games, whatever plays them."""
    options: dict[str, Any] = {"seed": 3, "team": team, "rules": {"max_steps": 60}, **where}
    named = pommego.evaluate("static", id, opponents, 8, **options)
    called = pommego.evaluate(lambda _, info: np.zeros(len(info["seat"]), int), id, opponents, 8, **options)
    for name in ("results", "lengths", "seats"):
        got, want = getattr(named, name), getattr(called, name)
        np.testing.assert_array_equal(got, want, name)
        assert got.dtype == want.dtype


def test_a_better_agent_wins_more(where: dict[str, Any]) -> None:
    result = pommego.evaluate("simple", DUEL, "random", 12, **where)
    assert result.win_rate.low > 0.5


@pytest.mark.parametrize(
    ("arguments", "options", "error", "says"),
    [
        (("simpel", DUEL), {}, pommego.PommegoError, 'did you mean "simple"'),
        (("simple", DUEL), {"observation": "raw"}, TypeError, r"\['observation'\] are for policies"),
        ((None, DUEL), {}, TypeError, "callable"),
        ((Clock(), DUEL, ["static", "static"]), {}, ValueError, "2 opponents, expected 1"),
        ((Clock(), DUEL, "static", 0), {}, ValueError, "games is 0"),
        ((Clock(), DUEL), {"seat": 1}, TypeError, "no option seat"),
        ((lambda _, info: [0], DUEL, "static", 4), {}, ValueError, "returned 1 actions"),
        ((Clock(), "Chess-v0"), {}, pommego.ServerError, "unknown_env_id"),
        ((Clock(), DUEL, "simpel"), {}, pommego.ServerError, "simpel"),
    ],
)
def test_misuse(where: dict[str, Any], arguments: Any, options: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        pommego.evaluate(*arguments, **options, **where)
