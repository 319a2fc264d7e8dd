"""Evaluations of language models: what cannot be scored, what is kept, and the suites' tracks."""

from __future__ import annotations

import importlib.util
import json
import threading
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
import pommego.llm
from conftest import REPOSITORY
from pommego import suites
from scripted_model import scripted_model
from test_suites import changed

FFA, RADIO = "PommeFFACompetition-v0", "PommeRadioCompetition-v2"
SHORT = {"rules": {"max_steps": 20}}


@pytest.fixture
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


def failing(*games: int) -> Any:
    """Return a model that fails in these games, as they begin, and a list of its first messages."""
    begun: list[str] = []
    lock = threading.Lock()

    def model(messages: list[dict[str, str]]) -> str:
        with lock:
            if len(messages) == 2:
                begun.append(messages[1]["content"])
                if len(begun) - 1 in games:
                    raise OSError("the model is gone")
        return "stop, " * 20

    return model, begun


def test_failures_void_games(where: dict[str, Any]) -> None:
    """They are counted, and are neither lost nor won; too many of them end the evaluation."""
    model, _ = failing(3, 17)
    result = pommego.llm.evaluate(model, "OneVsOne-v0", "static", 30, workers=1, **SHORT, **where)
    assert (result.void, result.games, result.ties) == ((3, 17), 28, 28)
    assert "2 more cannot be scored" in str(result)
    model, begun = failing(*range(5, 99))
    with pytest.raises(OSError, match="the model is gone") as raised:
        pommego.llm.evaluate(model, "OneVsOne-v0", "static", 60, workers=1, **SHORT, **where)
    assert raised.value.__notes__ == ["3 of 8 games cannot be scored"] and len(begun) < 12
    with pytest.raises(OSError, match="the model is gone") as raised:
        pommego.llm.evaluate(failing(1)[0], "OneVsOne-v0", "static", 2, workers=1, **SHORT, **where)
    assert raised.value.__notes__ == ["1 of 2 games cannot be scored"]


def test_empty_answers_are_illegal_moves(where: dict[str, Any]) -> None:
    """Nobody escapes a loss by silence."""
    replies = [
        None,
        "",
        {"choices": [{"message": {"content": None, "refusal": "I refuse."}, "finish_reason": "stop"}]},
        {"choices": [{"message": {"content": [], "tool_calls": [{}]}}]},
    ]
    result = pommego.llm.evaluate(
        lambda m: replies[len(m) // 2 % 4], "OneVsOne-v0", "static", 2, **SHORT, **where
    )
    assert result.answers == {"legal": 0, "repaired": 0, "illegal": 40, "late": 0}
    assert (result.games, result.void) == (2, ())


def test_replies_are_counted_and_kept(where: dict[str, Any], tmp_path: Path) -> None:
    """Tokens and their cost are counted; a file has what was said, and why."""
    reply = {
        "model": "m",
        "choices": [
            {
                "message": {"content": [{"type": "text", "text": "stop"}], "reasoning": "Hm."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 100.0, "completion_tokens": 10},
    }
    out = tmp_path / "games.jsonl"
    result = pommego.llm.evaluate(
        lambda _: reply, "OneVsOne-v0", "static", 2, out=out, prices=(1, 5), **SHORT, **where
    )
    assert result.usage == {"tokens_in": 4000, "tokens_out": 400, "cost": pytest.approx(0.006)}
    assert str(result).endswith("; tokens: 4000 in, 400 out; cost 0.0060")
    head, *games = map(json.loads, out.read_text().splitlines())
    assert head["format"] == "pommego-evaluation/1" and len(games) == 2
    for game in games:
        assert [m["role"] for m in game["messages"]] == ["system"] + ["user", "assistant"] * 20
        first = game["answers"][0]
        assert first.pop("seconds") >= 0
        assert first == {
            "reading": "legal",
            "model": "m",
            "finish_reason": "stop",
            "reasoning": "Hm.",
            "tokens": [100, 10],
        }


def test_an_evaluation_goes_on(where: dict[str, Any], tmp_path: Path) -> None:
    """Only what is missing, or could not be scored, is played again; the result is that of one run."""
    out = tmp_path / "games.jsonl"
    evaluate = partial(
        pommego.llm.evaluate, id="OneVsOne-v0", opponents="simple", games=12, workers=1, **SHORT, **where
    )
    model, _ = failing()
    whole = evaluate(model)
    model, begun = failing(*range(4, 99))
    with pytest.raises(OSError, match="the model is gone"):
        evaluate(model, out=out)
    out.write_bytes(out.read_bytes() + b'{"game": "cut o')
    model, begun = failing()
    with pytest.warns(UserWarning, match="^4 games are from .*games.jsonl: set model.version$"):
        again = evaluate(model, out=out)
    assert len(begun) == 8 and str(again) == str(whole)
    assert np.array_equal(again.lengths, whole.lengths)
    with pytest.warns(UserWarning, match="^12 games"):
        assert str(evaluate(failing(*range(99))[0], out=out)) == str(whole), "all is there"
    with pytest.raises(ValueError, match="games.jsonl, which begins with .* name another file"):
        evaluate(model, out=out, detail="short")
    out.write_bytes(out.read_bytes().replace(b"\n{", b"\n{oh no", 1))
    with pytest.raises(ValueError, match="out is .*games.jsonl, whose line 2 is no JSON: "):
        evaluate(model, out=out)
    for frame in 3, np.int64(3):
        with warnings.catch_warnings(action="ignore"):
            evaluate(model, out=tmp_path / "framed", frame_ticks=frame)


def test_models_are_told_apart(where: dict[str, Any], tmp_path: Path) -> None:
    """A file has the games of a model of one version; another model does not get them as its own."""
    evaluate = partial(
        pommego.llm.evaluate,
        id="OneVsOne-v0",
        opponents="static",
        games=2,
        out=tmp_path / "f",
        **SHORT,
        **where,
    )
    model, _ = failing()
    model.version = "first"
    whole = evaluate(model)
    assert str(evaluate(model)) == str(whole)
    for other in ("second", None):
        model, begun = failing()
        if other:
            model.version = other
        with pytest.raises(ValueError, match="begins with .*'version': 'first'.* name another file"):
            evaluate(model)
        assert not begun


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The tracks with few games."""
    for name in ("llm-2027", "llm-orders-2027"):
        kinds, scale = (
            (("OneVsOne-v0", "", "static"), ("OneVsOne-v0", "", "simple")),
            (("a", 0.5), ("b", 0.9)),
        )
        suite = replace(suites.SUITES[name], games=10, kinds=kinds, starts=(), scale=scale)
        monkeypatch.setitem(suites.SUITES, name, suite)
    return "llm-2027", "llm-orders-2027"


def test_tracks_are_told_apart(small: tuple[str, str], where: dict[str, Any]) -> None:
    """An order is illegal in the track of moves, which says so."""
    told = []

    def model(messages: list[dict[str, str]]) -> str:
        told.append("Orders are illegal" in messages[0]["content"])
        return "hunt for 100"

    moves, orders = (pommego.llm.evaluate(model, suite=name, **where) for name in small)
    assert set(moves.answers) == {"legal", "repaired", "illegal", "late"}
    assert moves.answers["illegal"] == 1 and moves.score.value < 0.2
    assert orders.answers["legal"] == 1 and orders.score.value > moves.score.high
    assert set(told) == {True, False}
    assert "answers: 0.0% legal, 0.0% repaired, 100.0% illegal, 0.0% late" in str(moves)


def test_a_suite_without_some_games(small: tuple[str, str], where: dict[str, Any], tmp_path: Path) -> None:
    """How many games could be scored stands beside how well those went; others can check it."""
    model, _ = failing(2, 15)
    result = pommego.llm.evaluate(model, suite=small[0], workers=1, **where)
    assert [part.evaluation.void for part in result.parts] == [(2,), (5,)]
    assert " of 18 of 20 games; Elo -" in str(result).splitlines()[0]
    plain = replace(result, suite=replace(result.suite, scale=()))
    assert str(plain).splitlines()[0].endswith(") of 18 of 20 games")
    result.save(tmp_path / "result")
    for again in (suites.load(tmp_path / "result"), pommego.check_result(tmp_path / "result", **where)):
        assert str(again) == str(result)

    def more(content: dict[str, Any]) -> None:
        content["parts"][0][3] = None

    with pytest.raises(ValueError, match="2 of 10 games cannot be scored, expected a tenth at most"):
        suites.load(changed(tmp_path / "result", tmp_path / "more", more))


def test_ties_pay_nothing(small: tuple[str, str], where: dict[str, Any]) -> None:
    """In the suites of models; who only survives has the lowest score and stands below all of the scale."""
    result = pommego.llm.evaluate(lambda _: "stop, " * 20, suite=small[0], **where)
    assert result.parts[0].evaluation.ties == 10 and result.parts[0].evaluation.wins == 0
    assert result.score.value == result.parts[1].evaluation.wins / 20
    assert "  below a: 50.0%, Elo +0" in str(result) and "  above " not in str(result)


def test_agents_alone_void_games_too(tmp_path: Path) -> None:
    """A match with a model whose server refuses has no result."""
    with (
        scripted_model(["401"]) as model,
        pytest.raises(pommego.PommegoError, match="cannot be scored") as raised,
    ):
        pommego.evaluate(model, "OneVsOne-v0", games=4)
    assert raised.value.__notes__ == ["3 of 3 games cannot be scored"]
    with scripted_model(["stop"] * 7 + ["401"] + ["stop"] * 99) as model:
        result = pommego.evaluate(model, "OneVsOne-v0", "static", games=12, rules={"max_steps": 3})
    assert len(result.void) == 1 and result.ties == 11


@pytest.mark.filterwarnings("ignore:an agent failed")
def test_policies_do_not_win_games_that_cannot_be_scored(binary: Path) -> None:
    """A model whose server refuses voids a policy's game, too; tournaments play it again."""

    def still(obs: Any, info: dict[str, Any]) -> np.ndarray:
        return np.zeros(len(info["seat"]), int)

    options = {"games": 12, "rules": {"max_steps": 3}}
    with scripted_model(["stop"] * 7 + ["401"] + ["stop"] * 99) as model:
        result = pommego.evaluate(still, "OneVsOne-v0", model, **options)
    assert len(result.void) == 1 and result.ties == 11
    with scripted_model(["stop"] * 7 + ["401"] + ["stop"] * 99) as model:
        found = pommego.tournament([still], "OneVsOne-v0", against=model, **options)
    assert found.results["games_played"] == 12
    with (
        scripted_model(["401"]) as model,
        pytest.raises(pommego.PommegoError, match="connection to an agent"),
    ):
        pommego.evaluate(still, "OneVsOne-v0", model, games=4)


def test_the_scale_is_measured_with_text(binary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script writes an agent's moves as text: they win as the agent does, and programs are told apart."""
    monkeypatch.setenv("POMMEGO_BINARY", str(binary))
    whole = suites.SUITES["llm-2027"]
    suite = replace(whole, games=2, kinds=whole.kinds[2::2])
    assert [part[:2] for part in suite.parts] == [(FFA, "simple"), (RADIO, "rhea:ticks=500")]
    monkeypatch.setitem(suites.SUITES, "llm-2027", suite)
    spec = importlib.util.spec_from_file_location("llm_scale", REPOSITORY / "benchmarks/llm_scale.py")
    scale = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scale)
    names = ["champion:level=1", "danger follower", "chatter"]
    found = scale.main(["llm-2027", "--games", "2", "--only", *names])
    scores = [found[name].score.value for name in names]
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[1]
    assert [found[name].answers["legal"] for name in names] == [1, 1, 0]
    written = found[names[0]].parts[0].evaluation
    seeds = suite.seeds(0)
    played = pommego.evaluate(names[0], FFA, "simple", games=2, seed=seeds[0])
    assert np.array_equal(written.results, played.results)
