"""`evaluate`: counts are those of games played one by one, seats are balanced, intervals hold."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
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
        assert info["game"]["won"] == won == (info["game"]["result"] == pommego.Result.WON)
        tied = not info["game"]["winners"].any()
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
    agent = pommego.evaluate("random", FFA, "static", 8, rules={"max_steps": 30})
    assert agent.losses > 0, "an agent too that bombs itself has lost"


def test_plays_a_whole_team(where: dict[str, Any]) -> None:
    clock, once = Clock(), pommego.Connection(expand_shared=False)
    options = {"state": True, "connection": once, **where}
    result = pommego.evaluate(clock, TEAM, "static", 6, team=True, seed=1, **options)
    obs, info = clock.seen[0]
    assert len(obs["planes"]) == len(info["valid"]) == len(info["state"]["planes"]) == 12
    assert info["seat"].tolist() == [0, 2] * 3 + [1, 3] * 3
    assert result.seats.tolist() == [0] * 3 + [1] * 3
    assert result.games == 6


def test_a_method_is_one_policy(where: dict[str, Any]) -> None:
    clock = Clock()
    pommego.evaluate(clock.__call__, DUEL, clock.__call__, 2, rules={"max_steps": 9}, **where)
    assert [len(info["row"]) for _, info in clock.seen] == [4] * 9


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
    assert result.loss_rate == pytest.approx((0.2, 0.0567, 0.5098), abs=1e-4)
    assert result.length == pytest.approx((14.5, 12.6235, 16.3765), abs=1e-4)
    assert str(result).startswith(
        "10 games: 80.0% won (49.0% to 94.3%), 0.0% tied (0.0% to 27.8%), 20.0% lost"
    )


def test_intervals_of_few_games() -> None:
    """One game has no interval of lengths, and none reaches below 0."""
    one = pommego.Evaluation(np.ones(1, np.int8), np.array([30], np.int32), np.zeros(1, np.uint8))
    assert one.length.value == 30 and np.isnan([one.length.low, one.length.high]).all()
    assert str(one).endswith("; 30.0 steps")
    far = pommego.Evaluation(np.ones(2, np.int8), np.array([1, 800], np.int32), np.zeros(2, np.uint8))
    assert far.length.low == 0 < far.length.value < far.length.high < 1200
    assert str(far).endswith(f"; 400.5 steps (0.0 to {far.length.high:.1f})")


def test_an_interrupt_ends_all_matches(binary: object) -> None:
    """Of those under way, which would last for hours, no process is left, and no other begins."""
    program = """
import signal, pommego
signal.signal(signal.SIGINT, signal.default_int_handler)
pommego.evaluate("uct:ticks=100000000", "OneVsOne-v0", games=100)
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True) as process:

        def matches() -> list[str]:
            """The processes of its session besides itself; the server has another."""
            about = [
                path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")
            ]
            ours = [stat for stat in about if stat[3] == str(process.pid) and stat[0] != "Z"]
            return [stat[1] for stat in ours if stat[1] == str(process.pid)]

        try:
            until = time.monotonic() + 60
            while len(matches()) < min(2, os.cpu_count() or 1):
                assert process.poll() is None and time.monotonic() < until
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
            assert said.rstrip().endswith("KeyboardInterrupt")
            assert matches() == []
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


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
        (("simple", DUEL), {"observation": "raw"}, TypeError, r"\['observation'\] do not apply"),
        (
            ("simple", DUEL),
            {"rules": [{"max_steps": 9}]},
            TypeError,
            r"rules is \[.*, expected one dictionary",
        ),
        ((None, DUEL), {}, TypeError, "callable"),
        ((Clock(), DUEL, ["static", "static"]), {}, ValueError, "2 opponents, expected 1"),
        ((Clock(), DUEL, "static", 0), {}, ValueError, "games is 0"),
        ((Clock(), DUEL), {"seat": 1}, TypeError, "no option seat"),
        ((lambda _, info: [0], DUEL, "static", 4), {}, ValueError, r"of shape \(1,\), expected \(4,\)"),
        ((Clock(), "Chess-v0"), {}, pommego.ServerError, "unknown_env_id"),
        ((Clock(), DUEL, "simpel"), {}, pommego.ServerError, "simpel"),
        (("human", DUEL), {}, ValueError, "policy is 'human', who can play only in pommego play"),
        (("simple", DUEL, "human:speed=4"), {}, ValueError, r"opponents\[0\] is 'human:speed=4'"),
        ((Clock, DUEL), {}, TypeError, r"policy is the class Clock: give an instance, Clock\(\.\.\.\)"),
        ((lambda obs: 0, DUEL), {}, TypeError, r"not to be called as policy\(obs, info\): too many"),
        ((lambda obs, info, x: 0, DUEL), {}, TypeError, "missing a required argument: 'x'"),
        ((lambda obs, info: None, DUEL), {}, TypeError, "must return integers, got None"),
        ((lambda obs, info: "x", DUEL), {}, TypeError, "must return integers, got dtype <U1"),
        ((Clock(), DUEL, None), {}, TypeError, "opponents is None, expected a name"),
        ((Clock(), DUEL, [3]), {}, TypeError, r"opponents\[0\] is 3, expected a policy"),
        ((Clock(), FFA, "simple,simple,osla"), {}, ValueError, r"give \['simple', 'simple', 'osla'\]"),
        ((Clock(), DUEL, "static", 2.5), {}, ValueError, "games is 2.5, expected an integer, 1 or more"),
        (("static", DUEL, "static", 1), {"seed": 2.5}, TypeError, "seed is 2.5, expected an integer"),
        ((Clock(), DUEL), {"game": 2}, TypeError, "no option game here; did you mean games?"),
        (
            (Clock(), FFA),
            {"team": True},
            ValueError,
            f"team is True, but in {FFA} each seat plays for itself",
        ),
    ],
)
def test_misuse(where: dict[str, Any], arguments: Any, options: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        pommego.evaluate(*arguments, **options, **where)


def test_agents_that_cannot_play_are_told_in_words_of_python() -> None:
    """The command's arguments and its help are none of the caller's."""
    with pytest.raises(pommego.PommegoError, match=r'^no agent is called "simpel"') as refused:
        pommego.evaluate("simpel", DUEL, games=1)
    assert "--" not in str(refused.value)


def test_numbers_of_numpy(where: dict[str, Any]) -> None:
    plain = {"games": 4, "seed": 3, "rules": {"max_steps": 30}}
    given = {"games": np.int64(4), "seed": np.uint16(3), "rules": {"max_steps": np.int64(30)}}
    for policy in (bomber, "random"):
        one = pommego.evaluate(policy, DUEL, "random", **plain, **where)
        same(one, pommego.evaluate(policy, DUEL, "random", **given, **where))


# Anything that plays --------------------------------------------------------------


def still(obs: Any, info: dict[str, Any]) -> np.ndarray:
    return np.zeros(len(info["seat"]), int)


def bomber(obs: Any, info: dict[str, Any]) -> np.ndarray:
    return np.full(len(info["seat"]), 5)


def plan(
    obs: Any, info: dict[str, Any], states: Any, simulate: Any, playouts: int = 4, steps: int = 20
) -> np.ndarray:
    """The move after which playouts end best, as in docs/tree-search.md."""
    assert len(states) == len(info["seat"]) == len(obs["planes"])
    assert info["valid"].all(), "games that are over cannot be simulated"
    moves = np.tile(np.repeat(np.arange(6), playouts), len(states))
    wide = [state for state in states for _ in range(6 * playouts)]
    tried = simulate(wide, moves, steps=steps, policy="simple", seed=int(info["row"][0]))
    assert tried.reward.shape == (len(wide),)
    assert len(tried.states) == len(tried.obs["planes"]) == len(wide)
    value = tried.reward.reshape(len(states), 6, playouts).mean(2)
    return np.where(info["action_mask"] > 0, value, -np.inf).argmax(1)


def same(one: pommego.Evaluation, other: pommego.Evaluation) -> None:
    for name in ("results", "lengths", "seats"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@pytest.mark.parametrize(("id", "team"), [(FFA, False), (DUEL, False), (TEAM, True), (TEAM, False)])
def test_a_policy_plays_opponents_as_agents_do(where: dict[str, Any], id: str, team: bool) -> None:
    """Opponents in Python, one for all seats or a list, play the games that the same agents play."""
    options: dict[str, Any] = {"seed": 3, "team": team, "rules": {"max_steps": 60}, **where}
    named = pommego.evaluate(bomber, id, "static", 8, **options)
    same(named, pommego.evaluate(bomber, id, still, 8, **options))
    others = len(pommego.catalog(**where)[id].teams[0]) if team else pommego.catalog(**where)[id].seats - 1
    mixed = [still, "static", still][:others]
    same(named, pommego.evaluate(bomber, id, mixed, 8, **options))
    agents = pommego.evaluate("simple", id, "static", 8, **options)
    same(agents, pommego.evaluate("simple", id, still, 8, **options))


def test_an_agent_meets_policies(where: dict[str, Any]) -> None:
    """Whoever bombs itself at once loses against `static`, from either side."""
    assert pommego.evaluate("static", DUEL, bomber, 6, **where).wins == 6
    assert pommego.evaluate(bomber, DUEL, "static", 6, **where).losses == 6


def test_a_pool_plays_by_its_members(where: dict[str, Any]) -> None:
    """Each game has the member that its seed draws, on either side, and the pool stays as it was."""
    pool = pommego.Pool(seed=1)
    pool.add(still, "still")
    pool.add(bomber, "bomber")
    before = pool.state()
    plays = [pool.seat(5 + game, 0).name for game in range(12)]
    assert set(plays) == {"still", "bomber"}
    options: dict[str, Any] = {"seed": 5, "rules": {"max_steps": 40}, **where}
    mixed = pommego.evaluate(pool, DUEL, "static", 12, **options)
    assert (mixed.results == -1).tolist() == [name == "bomber" for name in plays]
    against = pommego.evaluate(still, DUEL, pool, 12, **options)
    assert (against.results == 1).tolist() == [name == "bomber" for name in plays]
    assert pool.state() == before


def test_policies_see_what_opponents_see(where: dict[str, Any]) -> None:
    """Info is that of `LineUps`: first in the first step, rows that stay, valid where the action counts."""
    clock = Clock()
    pommego.evaluate(clock, DUEL, "static", 4, rules={"max_steps": 30}, **where)
    first, *rest = [info for _, info in clock.seen]
    assert first["first"].all() and not any(info["first"].any() for info in rest)
    assert all(info["row"].tolist() == [0, 1, 2, 3] for info in rest)
    assert first["valid"].all()
    assert not (rest[-1]["valid"] & ~rest[-1]["alive"]).any()


@pytest.mark.parametrize("opponent", ["simple", still])
def test_a_policy_that_searches(where: dict[str, Any], opponent: Any) -> None:
    """It is asked for rows that count alone, beside agents and policies, and does well."""
    rules = {"max_steps": 60} if opponent is still else {}
    result = pommego.evaluate(plan, DUEL, opponent, 6, rules=rules, **where)
    assert result.games == 6
    assert result.wins >= 3 or opponent is still
    same(result, pommego.evaluate(plan, DUEL, opponent, 6, rules=rules, **where))


def test_a_search_takes_what_it_names(where: dict[str, Any]) -> None:
    """Either argument or both, and a policy's other parameters keep their defaults."""
    seen: list[int] = []

    def by_state(obs: Any, info: dict[str, Any], *, states: Any, depth: int = 3) -> np.ndarray:
        seen.append(len(states))
        return np.full(len(states), depth)

    def by_simulate(obs: Any, info: dict[str, Any], simulate: Any) -> np.ndarray:
        assert callable(simulate)
        return np.full(len(info["row"]), 3)

    options: dict[str, Any] = {"rules": {"max_steps": 8}, **where}
    one = pommego.evaluate(by_state, DUEL, "static", 2, **options)
    assert seen == [1, 1] * 8, "a call for each of the two seats it has"
    same(one, pommego.evaluate(by_simulate, DUEL, "static", 2, **options))
    with pytest.raises(TypeError, match="must return integers, got None"):
        pommego.evaluate(lambda obs, info, states: None, DUEL, "static", 2, **options)


def test_a_searching_team(where: dict[str, Any]) -> None:
    result = pommego.evaluate(plan, TEAM, "static", 2, team=True, rules={"max_steps": 12}, **where)
    assert result.games == 2


# Progress -------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_alone(
    where: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pommego.evaluate(bomber, DUEL, "static", 4, **where)
    assert capsys.readouterr().err == ""
    for policy in (bomber, "random"):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        pommego.evaluate(policy, DUEL, "static", 4, **where)
        assert "0 of 4 games" in terminal.getvalue() or "1 of 4 games" in terminal.getvalue()
        assert terminal.getvalue().endswith("\r\x1b[K"), "the bar goes away"


def test_a_notebook_shows_intervals() -> None:
    result = pommego.Evaluation(
        np.repeat(np.array([1, 0, -1], np.int8), [8, 0, 2]),
        np.arange(10, 20, dtype=np.int32),
        np.zeros(10, np.uint8),
    )
    assert repr(result) == str(result)
    assert "80.0% won (49.0% to 94.3%)" in repr(result)
