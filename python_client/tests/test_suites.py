"""Suites: fixed games, a result that others can check, and what is found when it was changed."""

from __future__ import annotations

import base64
import gzip
import hashlib
import itertools
import json
import operator
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from conftest import REPOSITORY
from pommego import suites
from pommego._core import playing


def quick(name: str, games: int) -> suites.Suite:
    """A suite with few games a part, in which agents that search look at little."""
    suite = suites.SUITES[name]

    def hasty(who: Any) -> Any:
        return who.replace("ticks=500", "ticks=5") if isinstance(who, str) else tuple(map(hasty, who))

    named = {field: hasty(getattr(suite, field)) for field in ("opponents", "partners", "kinds")}
    return replace(suite, games=games, starts=tuple(part[:games] for part in suite.starts), **named)


@pytest.fixture(params=["team-2027", "duel-2027", "radio-2027", "partners-radio-2027"])
def suite(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A suite with few games against few opponents, or with few partners."""
    two = {"partners" if "partners" in request.param else "opponents": ("random", "simple")}
    small = replace(suites.SUITES[request.param], games=5, **two)
    monkeypatch.setitem(suites.SUITES, request.param, small)
    return request.param


@pytest.fixture(scope="module")
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


@pytest.fixture(scope="module")
def played(where: dict[str, Any]) -> Callable[[suites.Suite], suites.SuiteResult]:
    """Play a suite, once for all tests."""
    return cache(lambda suite: pommego.evaluate(legal, suite=suite.name, **where))


def legal(obs: Any, info: dict[str, Any]) -> np.ndarray:
    """Choose the last legal move, but every third time the first; words stay 0."""
    legal.calls += 1
    mask = info["action_mask"][:, :6]
    moves = mask.argmax(1) if legal.calls % 3 == 0 else 5 - mask[:, ::-1].argmax(1)
    words = (info["action_mask"].shape[1] - 6) // 9
    return np.stack([moves, *[np.full_like(moves, legal.calls % 9)] * words], axis=1) if words else moves


legal.calls = 0


def changed(path: Path, to: Path, change: Any, *, honest: bool = True) -> Path:
    """Write a result with something changed, with a digest that fits or not."""
    content = json.loads(gzip.decompress(path.read_bytes()))
    digest = content.pop("sha256")
    change(content)
    to.write_bytes(
        gzip.compress(
            json.dumps(content | {"sha256": suites._digest(content) if honest else digest}).encode()
        )
    )
    return to


def test_saved_and_checked(suite: str, played: Any, where: dict[str, Any], tmp_path: Path) -> None:
    result = played(suites.SUITES[suite])
    assert [part.partner or part.opponents for part in result.parts] == ["random", "simple"]
    for part in result.parts:
        assert part.evaluation.games == 5
        assert [len(game) for game in part.actions] == part.evaluation.lengths.tolist()
    points = [(part.evaluation.wins + part.evaluation.ties / 2) / 5 for part in result.parts]
    assert result.score.value == pytest.approx(sum(points) / 2)
    assert result.score.low <= result.score.value <= result.score.high
    file = tmp_path / "result.json.gz"
    digest = result.save(file)
    assert digest == json.loads(gzip.decompress(file.read_bytes()))["sha256"]
    for again in (suites.load(file), pommego.check_result(file, **where)):
        assert str(again) == str(result)
        for one, other in zip(result.parts, again.parts, strict=True):
            assert all(map(np.array_equal, one.actions, other.actions))
    with pytest.raises(FileExistsError):
        result.save(file)


def test_changed_results_are_found(suite: str, played: Any, where: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "result.json.gz"
    played(suites.SUITES[suite]).save(file)

    def better(content: dict[str, Any]) -> None:
        game = next(game for part in content["parts"] for game in part if game["result"] < 1)
        game["result"] = 1

    with pytest.raises(ValueError, match="changed or damaged"):
        suites.load(changed(file, tmp_path / "one", better, honest=False))
    with pytest.raises(ValueError, match=r"game \d (with \w+ )?against \w+ has results 1, played again"):
        pommego.check_result(changed(file, tmp_path / "two", better), **where)

    def shorter(content: dict[str, Any]) -> None:
        content["parts"][0][0]["length"] -= 1

    with pytest.raises(ValueError, match=r"actions of a game of \d+ steps have \d+ bytes, expected"):
        suites.load(changed(file, tmp_path / "three", shorter))
    with pytest.raises(ValueError, match="4 games (with|against) random.*, expected 5"):
        suites.load(changed(file, tmp_path / "four", lambda content: content["parts"][0].pop()))
    with pytest.raises(ValueError, match="1 of 5 games cannot be scored"):
        suites.load(
            changed(file, tmp_path / "six", lambda content: operator.setitem(content["parts"][0], 0, None))
        )
    whole = file.read_bytes()
    for k, data in enumerate((whole[:-30], b"", b"x", gzip.compress(b"x"), gzip.compress(b"[]"))):
        (tmp_path / f"five-{k}").write_bytes(data)
        with pytest.raises(ValueError, match="not a suite.s result|Expected `object`, got `array`"):
            suites.load(tmp_path / f"five-{k}")
    for k, (name, value, says) in enumerate(
        [
            ("parts", None, r"Expected `array`, got `null` - at `\$.parts`$"),
            ("suite", 3, r"Expected `str`, got `int` - at `\$.suite`$"),
            ("parts", [[{}]] * 2, "Object missing required field `result`"),
            ("parts", [[dict.fromkeys(("result", "length", "seat"), 9)]] * 2, "Expected `int` <= 1"),
            ("agents", {"simple": "1"}, "Expected `int`, got `str`"),
            ("format", "x", "format 'x', expected 'pommego-suite/1'"),
            ("answers", [{"legal": 1}] * 9, r"answers of 9 parts, expected \d"),
            ("answers", [{"x": 1}], "Invalid enum value 'x'"),
        ]
    ):
        other = changed(file, tmp_path / f"six-{k}", lambda content: content.update({name: value}))  # noqa: B023
        with pytest.raises(ValueError, match=says):
            suites.load(other)


def test_a_game_that_lasts_longer_is_found(
    suite: str, played: Any, where: dict[str, Any], tmp_path: Path
) -> None:
    """Played again, games need more actions than there are in the file."""
    file = tmp_path / "result.json.gz"
    played(suites.SUITES[suite]).save(file)

    def cut(content: dict[str, Any]) -> None:
        part = content["parts"][0]
        for game, actions in zip(part, suites.load(file).parts[0].actions, strict=True):
            game |= {"length": 1, "actions": base64.b64encode(zlib.compress(actions[:1].tobytes())).decode()}

    with pytest.raises(ValueError, match=r"against \w+ has (results|lengths) -?\d, played again"):
        pommego.check_result(changed(file, tmp_path / "cut", cut), **where)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("result", "x", r"Expected `int`, got `str` - at `\$.parts\[0\]\[1\].result`"),
        ("result", 0.5, "Expected `int`, got `float`"),
        ("result", True, "Expected `int`, got `bool`"),
        ("result", 2, "Expected `int` <= 1"),
        ("length", 10**30, "Expected `int` <= 800"),
        ("length", float("inf"), "Expected `int`, got `float`"),
        ("seat", [3], "Expected `int`, got `array`"),
        ("seat", None, "missing required field `seat`"),
        ("actions", 5, "Expected `bytes`, got `int`"),
        ("actions", "?", "nvalid base64"),
        ("actions", "eA==", r"have 0 bytes, expected \d+"),
        ("actions", "AAAA", "or is damaged"),
        ("actions", 77, "a game has the action 77, expected one of the game's"),
    ],
)
def test_values_that_no_result_has(of_champion: Path, key: str, value: Any, says: str) -> None:
    """Each is an error that names the file, and what was expected where."""

    def change(content: dict[str, Any]) -> None:
        game = content["parts"][0][1]
        if value == 77:
            game["actions"] = base64.b64encode(zlib.compress(bytes([77]) * game["length"])).decode()
        elif value is None:
            del game[key]
        else:
            game[key] = value

    with pytest.raises(ValueError, match=rf"(?i)changed.*{says}"):
        suites.load(changed(of_champion, of_champion.with_name("changed"), change))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"[]", "Expected `object`, got `array`"),
        (b"{}", "missing required field `format`"),
        (b"{", "or is damaged"),
        (b"\xff\xfe", "or is damaged"),
        (b"[" * 100_000, "or is damaged"),
        (b'{"sha256": "", "format": "", "suite": ["a"], "parts": []}', "Expected `str`, got `array` - at"),
        (
            b'{"sha256": "", "format": "", "suite": "a", "parts": [], "agents": {"a": "b"}}',
            "Expected `int`, got",
        ),
    ],
)
def test_files_that_are_no_result(tmp_path: Path, text: bytes, says: str) -> None:
    (tmp_path / "none.json.gz").write_bytes(gzip.compress(text))
    with pytest.raises(ValueError, match=rf"none\.json\.gz.*{says}"):
        suites.load(tmp_path / "none.json.gz")


@pytest.fixture
def of_champion(played: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved result of a suite with champion, which has had two versions."""
    small = replace(suites.SUITES["partners-2027"], partners=("static", "champion:level=1"), games=2)
    monkeypatch.setitem(suites.SUITES, small.name, small)
    played(small).save(tmp_path / "result")
    return tmp_path / "result"


def test_other_versions_of_agents_are_named(
    of_champion: Path, where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = suites.load(of_champion)
    assert result.agents == {"heuristic": 2, "static": 1, "champion": 5}

    def older(content: dict[str, Any]) -> None:
        content["agents"]["champion"] = 1

    with pytest.raises(ValueError, match="made with champion 1, this is 5: check it with a release"):
        pommego.check_result(changed(of_champion, of_champion.with_name("older"), older), **where)
    other = replace(result.suite, revised=(*result.suite.revised, ("champion", 6)))
    monkeypatch.setitem(suites.SUITES, other.name, other)
    with pytest.raises(ValueError, match="suite partners-2027 was made with champion 6, this is 5"):
        pommego.evaluate(legal, suite=other.name, **where)


def test_decisions_of_all_agents_are_pinned() -> None:
    """A Go test compares decisions with this file: an agent that decides otherwise gets another version."""
    lines = (REPOSITORY / "env" / "catalog" / "testdata" / "decisions.txt").read_text().splitlines()
    pinned = {(id, int(rules), agent, int(version)) for id, rules, agent, version, _ in map(str.split, lines)}
    learned = (REPOSITORY / "env" / "pommerman" / "bots" / "learned").glob("*.net")
    specs = {path.stem: pommego.load(path.stem).spec for path in learned}
    here = specs["ppo-ffa"].agent_versions
    others = {  # which no suite has
        ("PommeFFA2018-v0", 2, "simple-2018", here["simple-2018"]),
        ("PommeFFAJava-v0", 2, "java-rhea", here["java-rhea"]),
    }
    for id in ("PommeFFACompetition-v0", "PommeTeamCompetition-v0", "OneVsOne-v0"):
        others.add((id, 1, "guided:level=2", here["guided"]))
    catalog = pommego.catalog()
    sisters = [catalog["SuiteBot-v0"], catalog["BaseWar-v0"]]
    for spec, name in itertools.product(sisters, ("flat", "mcts")):
        others.add((spec.id, spec.version, f"{name}:ticks=100", spec.agent_versions[name]))
    assert pinned - others == {
        (s.id, s.version, name, s.agent_versions[name]) for name, s in specs.items()
    } | {
        (id, suite.version, agent, suite.agents[agent.partition(":")[0]])
        for suite in suites.SUITES.values()
        if not suite.successor
        for id, *who in suite.parts
        for agent in who
        if agent
    }, "a suite never changes: agents of another version need another suite"
    names = {agent.partition(":")[0] for id, _, agent, _ in pinned if id not in {s.id for s in sisters}}
    assert names == here.keys() - {"net"}, "net without a file is ppo-ffa"


def test_mistakes(suite: str, where: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"suite is 'team-2025', expected one of ffa-2026, team-2026"):
        pommego.evaluate(legal, suite="team-2025", **where)
    with pytest.raises(TypeError, match="games and seeds of its own"):
        pommego.evaluate(legal, suite=suite, games=3, **where)
    with pytest.raises(ValueError, match="start_states is .* has rules of its own"):
        pommego.evaluate(legal, suite=suite, start_states=[b"x"])
    with pytest.raises(ValueError, match="has rules of its own"):
        pommego.evaluate(legal, suite=suite, rules={"max_steps": 5}, **where)
    with pytest.raises(TypeError, match="id of an environment, or suite="):
        pommego.evaluate(legal)
    monkeypatch.setitem(suites.SUITES, suite, replace(suites.SUITES[suite], version=0))
    with pytest.raises(
        ValueError, match=r"was made with \S+-v\d 0, this is 1: use a server of pommego with these"
    ):
        pommego.evaluate(legal, suite=suite, **where)


@pytest.mark.parametrize("year", [2026, 2027])
def test_what_suites_stand_for(year: int) -> None:
    """Nothing under a name ever changes: add another suite instead."""
    of_year = {name: s for name, s in suites.SUITES.items() if name.endswith(str(year))}
    first = year * 1_000_000
    assert {
        name: (s.id, s.version, s.team, s.games, s.seed, s.opponents)
        for name, s in of_year.items()
        if not s.partners and not s.kinds
    } == {
        f"{name}-{year}": (
            id,
            1,
            team,
            100,
            seed,
            ("random", "simple", "osla", "heuristic", "mcts:ticks=500", "fmcs-exploit:ticks=500"),
        )
        for name, id, team, seed in [
            ("ffa", "PommeFFACompetition-v0", False, first),
            ("team", "PommeTeamCompetition-v0", True, first + 10_000),
            ("radio", "PommeRadioCompetition-v2", True, first + 20_000),
            ("duel", "OneVsOne-v0", False, first + 30_000),
        ]
    }
    kinds = ("PommeTeamCompetition-v0", "PommeRadioCompetition-v2")
    if year == 2026:
        s = of_year["llm-2026"]
        assert (s.version, s.team, s.games, s.seed, s.ties, s.orders) == (
            1,
            False,
            10,
            first + 60_000,
            0.5,
            True,
        )
        assert s.kinds == (
            ("OneVsOne-v0", ""),
            ("PommeFFACompetition-v0", ""),
            *((kind, "simple") for kind in kinds),
        )
        assert [part[1] for part in s.parts] == ["static", "simple", "heuristic"] * 4
    for name, id, seed in zip(
        ("partners", "partners-radio"), kinds, (first + 40_000, first + 50_000), strict=True
    ):
        s = of_year[f"{name}-{year}"]
        assert (s.id, s.version, s.team, s.games, s.seed, s.opponents) == (
            id,
            1,
            False,
            20,
            seed,
            ("heuristic",),
        )
        named = hashlib.sha256("\n".join(s.partners).encode()).hexdigest()
        assert (len(s.partners), named[:16]) == (26, "c8ea267793626f0f")
    hybrid = ("heuristic", "bfs", "mcts", "fmcs-random", "fmcs-ucb1", "fmcs-exploit", "fmcs-explore")
    newer = {2026: {"champion": 3}, 2027: {"champion": 5, **dict.fromkeys(hybrid, 2)}}[year]
    of_agents = [s.agents.items() for s in of_year.values()]
    assert {agent: version for agents in of_agents for agent, version in agents if version != 1} == newer
    assert {name: s.successor for name, s in of_year.items()} == {
        name: name.replace("2026", "2027") if year == 2026 else "" for name in of_year
    }


def test_what_the_tracks_stand_for() -> None:
    """Nothing of them ever changes, too."""
    moves, orders = (suites.SUITES[name] for name in ("llm-2027", "llm-orders-2027"))
    for suite, first in ((moves, 2_027_060_000), (orders, 2_027_070_000)):
        assert (suite.version, suite.team, suite.games, suite.seed, suite.ties) == (1, False, 20, first, 0.0)
        every = [seed for part in range(5) for seed in suite.seeds(part)]
        assert len(set(every)) == 100 and first <= min(every) and max(every) < first + 10_000
    ffa, team, radio = "PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2"
    assert (moves.orders, orders.orders, moves.starts) == (False, True, ())
    assert moves.parts == (
        ("OneVsOne-v0", "static", ""),
        (ffa, "static", ""),
        (ffa, "simple", ""),
        (team, "static", "static"),
        (radio, "rhea:ticks=500", "static"),
    )
    assert orders.parts == (
        (ffa, "rhea:ticks=500", ""),
        *((id, "static", "static") for id in (team, team, radio, radio)),
    )
    digest = hashlib.sha256(str(orders.starts).encode()).hexdigest()
    assert digest[:16] == "58c77142fa8c688b"
    assert list(dict(moves.scale).values()) == sorted(dict(moves.scale).values())
    assert dict(moves.scale)["champion:level=3"] > 0.9 < dict(orders.scale)["champion:level=3"]


def test_kinds_that_are_there_twice_differ_in_print() -> None:
    """By the seeds of their boards."""
    suite, none = suites.SUITES["llm-orders-2027"], np.zeros(2, np.int8)
    ended = suites.Evaluation(none, none.astype(np.int32), none.astype(np.uint8))
    parts = tuple(suites.Part(who, ended, [], partner, id) for id, who, partner in suite.parts)
    lines = str(suites.SuiteResult(suite, parts, {})).splitlines()[-5:]
    assert ["seeds from" in line for line in lines] == [False, True, True, True, True]
    assert len(set(lines)) == 5


def test_intervals_of_games_that_end_alike() -> None:
    suite = suites.SUITES["llm-2027"]
    won = suites.Evaluation(np.ones(20, np.int8), np.ones(20, np.int32), np.zeros(20, np.uint8))
    parts = tuple(suites.Part(who, won, [], partner, id) for id, who, partner in suite.parts)
    score = suites.SuiteResult(suite, parts, {}).score
    assert score.value == score.high == 1
    assert 0.9 < score.low < 0.98


def test_intervals_hold_the_score() -> None:
    """Of policies that win nearly every game, in the suite of the most parts."""
    suite, rng = suites.SUITES["partners-2027"], np.random.default_rng(1)
    held = []
    for _ in range(500):
        won = np.where(rng.random((len(suite.parts), suite.games)) < 0.95, 1, -1).astype(np.int8)
        ended = [suites.Evaluation(own, own.astype(np.int32), own.astype(np.uint8)) for own in won]
        played = zip(suite.parts, ended, strict=True)
        parts = [suites.Part(who, one, [], partner, id) for (id, who, partner), one in played]
        score = suites.SuiteResult(suite, tuple(parts), {}).score
        held.append(score.low <= 0.95 <= score.high)
    assert np.mean(held) > 0.9


def test_suites_of_0_1_are_checked_with_0_1(
    of_champion: Path, where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their agents decide otherwise here: the error says which program checks them, and what to play."""
    small = replace(suites.SUITES["partners-2026"], partners=("static", "champion:level=1"), games=2)
    monkeypatch.setitem(suites.SUITES, small.name, small)

    def of_0_1(content: dict[str, Any]) -> None:
        content.update(suite=small.name, agents=small.agents)

    old = changed(of_champion, of_champion.with_name("old"), of_0_1)
    assert suites.load(old).suite == small
    says = r"the suite partners-2026 .* pommego 0\.1: play partners-2027, or play this one with 0\.1"
    with pytest.raises(ValueError, match=says):
        pommego.check_result(old, **where)
    with pytest.raises(ValueError, match=says):
        pommego.evaluate(legal, suite=small.name, **where)


def test_partners_sit_opposite(where: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The partner is the policy's teammate, the others are its rivals, and it sits in every seat."""
    small = replace(suites.SUITES["partners-2027"], partners=("static",), opponents=("random",), games=8)
    monkeypatch.setitem(suites.SUITES, small.name, small)
    seats: list[dict[str, Any]] = []
    real = playing.make_vec

    def noted(*args: Any, **options: Any) -> Any:
        seats.append({"seat": options["seat"], "opponents": [*options["opponents"].line_ups[0]]})
        return real(*args, **options)

    monkeypatch.setattr(playing, "make_vec", noted)
    result = pommego.evaluate(legal, suite=small.name, **where)
    assert seats == [{"seat": seat, "opponents": ["random", "static", "random"]} for seat in range(4)]
    assert sorted(result.parts[0].evaluation.seats.tolist()) == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("name", ["partners-2027", "partners-radio-2027"])
def test_partners_can_play(name: str, where: dict[str, Any]) -> None:
    suite = suites.SUITES[name]
    line_ups = [[suite.opponents[0], partner, suite.opponents[0]] for partner in suite.partners]
    with pommego.make_vec(suite.id, len(line_ups), opponents=line_ups, **where) as envs:
        assert {partner.partition(":")[0] for partner in suite.partners} <= set(envs.game_spec.agents)
        obs, info = envs.reset(seed=0)
        assert obs in envs.observation_space
        obs, _, terminated, _, info = envs.step(envs.sample_actions(info["action_mask"]))
        assert obs in envs.observation_space and not terminated.any() and info["alive"].all()
