"""`pommego.llm`: games in words as an environment with tools, and models evaluated in them."""

from __future__ import annotations

import base64
import contextlib
import inspect
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import pommego
import pommego.llm
from pommego import suites
from processes import HANGS
from scripted import answer, frame, listening, read_frame, read_request
from test_interrupts import Terminal
from test_suites import changed

RADIO = "PommeRadioCompetition-v2"


@pytest.fixture
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


def texts(env: pommego.llm.Environment, **options: Any) -> list[str]:
    """What a game tells, to its end."""
    told = [env.reset(**options), env.move("up, down"), env.order("hide", 3)]
    while "The game is over" not in told[-1]:
        told.append(env.order("hunt"))
    return told


def test_the_same_seed_tells_the_same(where: dict[str, Any]) -> None:
    """Of two environments, and of one again; options are those of both places."""
    make = partial(pommego.llm.Environment, opponents="static", **where)
    one, other = make(), make(detail="short")
    told = texts(one, seed=3, prompt=[{"role": "user", "content": ""}], seat=None)
    assert told == texts(other, seed=3, detail="full") == texts(one, seed=3)
    assert told[0].startswith("OneVsOne-v0: 8 rows")
    assert told[0].endswith("\n\n" + told[0].partition("\n\n")[2]) and "\nTick 0 of 800." in told[0]
    assert one.get_reward() == 1
    assert one.move("up") == "The game is over."
    assert other.reset(seed=4) != told[0]
    assert other.get_reward() == -1, "it is not over"


def test_tools(where: dict[str, Any]) -> None:
    """They say what their names say; only they are public, and each parameter is described."""
    env = pommego.llm.Environment(env=RADIO, opponents="static", rules={"max_steps": 40}, **where)
    assert "Radio:" in env.reset(seed=1)
    env.say("2 3", "stop")
    assert "Tick 5 of 40" in env.order("wait", 4)
    while "The game is over" not in env.move("stop, " * 20):
        pass
    assert env._last.metadata.counts == {"legal": 2, "repaired": 2, "illegal": 0, "late": 0}
    tools = {name for name, _ in inspect.getmembers(pommego.llm.Environment, inspect.isfunction)}
    tools = {name for name in tools if not name.startswith("_")} - {"reset", "get_reward"}
    assert tools == {"move", "order", "say"}
    for name in tools:
        tool = getattr(env, name)
        for parameter in inspect.signature(tool, eval_str=True).parameters.values():
            assert parameter.annotation in (str, int)
            assert f"    {parameter.name}: " in tool.__doc__


def test_an_address_may_be_http(where: dict[str, Any]) -> None:
    """As OpenEnv's clients have it."""
    where |= {"address": where["address"].replace("ws://", "http://")}
    for end in "", "/", "/ws":
        assert "Tick 0 of" in pommego.llm.Environment(**where | {"address": where["address"] + end}).reset(
            seed=1
        )
    rules = {"max_steps": 2}
    assert pommego.llm.evaluate(lambda _: "stop", "OneVsOne-v0", games=1, rules=rules, **where).games == 1


def test_it_answers_back(where: dict[str, Any]) -> None:
    """The result of a tool begins with what became of the answer: one that failed is told from `stop`."""
    env = pommego.llm.Environment(opponents="static", **where)
    env.reset(seed=1)
    for said, line in (
        ("stop", "Last answer: stop; ticks: 1."),
        ("up or down", "Last answer: refused, for it leaves a choice: or; you stopped; ticks: 1."),
        ("LEFT", 'Last answer: read as "left" (written otherwise); ticks: 1.'),
        ("left", "Last answer: left; ticks: 1; then a move led nowhere."),
    ):
        assert env.move(said).partition("\n")[0] == line
    assert env.order("bomb", 3).startswith("Last answer: bomb for 3; ticks: 3.")


def test_empty_answers_are_not_shown(where: dict[str, Any]) -> None:
    """Some servers refuse empty messages; the answers count as illegal moves all the same."""
    asked = []

    def model(messages: list[dict[str, str]]) -> str:
        asked.append(messages)
        return ("stop", " ", "")[len(asked) % 3]

    result = pommego.llm.evaluate(model, "OneVsOne-v0", games=1, rules={"max_steps": 5}, **where)
    assert result.answers["illegal"] > 1 and [len(m) for m in asked] == [2, 2, 2, 4, 4]
    assert all(message["content"].strip() for messages in asked for message in messages)


def test_every_seat_reads_the_same_first(where: dict[str, Any]) -> None:
    """What `evaluate` gives a model is what an environment tells, with a prompt of one's own too."""
    for options in (
        {"detail": "full"},
        {"detail": "json", "hints": False},
        {"system_prompt": "Tick 0 begins.\nTick wéll, {always}.", "detail": "short"},
        {"system_prompt": ""},
        {"system_prompt": "\nPlay.\n", "detail": "json"},
    ):
        seen = []

        def model(messages: list[dict[str, str]], seen: list[Any] = seen) -> str:
            seen.append([message["content"] for message in messages])
            return "hunt for 100"

        pommego.llm.evaluate(model, "OneVsOne-v0", "static", games=1, seed=3, **options, **where)
        env = pommego.llm.Environment(opponents="static", **options, **where)
        assert "\n".join(filter(None, seen[0])) in [env.reset(seed=3, seat=seat) for seat in (0, 1)]
        assert seen[0][1][:6] in ("Tick 0", '{"tick')
        assert seen[0][0] == options.get("system_prompt", seen[0][0])
        assert ("Legal" in seen[0][1] or "legal" in seen[0][1]) == options.get("hints", True)


def test_environments_share_a_server_of_their_own(binary: Path) -> None:
    code = """
import os, pommego.llm
from pommego._core.describing import _shared
one, other = (pommego.llm.Environment(opponents="static") for _ in range(2))
one.reset(seed=1), other.reset(seed=1)
(server,) = _shared.values()
child = os.fork()
if not child:
    assert one.reset(seed=1).endswith(other.reset(seed=1))
    assert [server.running for server in _shared.values()] == [True]
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
one.move("up")
print(server.pid)
"""
    env = os.environ | {"POMMEGO_BINARY": str(binary)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    time.sleep(0.2)
    assert not Path(f"/proc/{done.stdout.strip()}").exists(), "it ends with the process"


def test_mistakes_name_what_was_given(where: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"unknown options \['opponent'\], expected some of env, seed"):
        pommego.llm.Environment(opponent="simple")
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        pommego.llm.Environment().move("up")
    with pytest.raises(TypeError, match="moves is 5, expected a text"):
        pommego.llm.Environment().move(5)
    made = partial(pommego.make_vec, "OneVsOne-v0", 1)
    for ask in pommego.llm.Environment, partial(pommego.llm.evaluate, str, "OneVsOne-v0"), made:
        with pytest.raises(TypeError, match="token is given without an address"):
            ask(token="x")
    env = pommego.llm.Environment(**where)
    assert env.reset(seed=np.int64(3)) == env.reset(seed=3)
    with pytest.raises(ValueError, match='detail is "image", expected full, short or json: only llm:'):
        pommego.llm.evaluate(str, "OneVsOne-v0", games=1, detail="image", **where)
    for options, says in (
        ({"env": "Pong-v0"}, "Pong-v0"),
        ({"opponents": "exec:rm"}, 'no agent is called "exec"'),
        ({"detail": "long"}, 'detail is "long", want full, short, json or image'),
        ({"rules": {"max_step": 3}}, "max_step"),
    ):
        with pytest.raises(pommego.ServerError, match=says):
            pommego.llm.Environment(**where).reset(**options)
    with pytest.raises(pommego.ConnectionError, match="cannot connect to ws://127.0.0.1:1/ws"):
        pommego.llm.Environment(address="ws://127.0.0.1:1").reset()
    with pytest.raises(pommego.HandshakeError, match="401"):
        pommego.llm.Environment(address=where["address"], token="other").reset()


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), pommego.ConnectionError("gone")])
def test_a_call_that_fails_ends_its_game(raised: BaseException, where: dict[str, Any]) -> None:
    """Its late reply is not taken for that of another call, and nobody is paid for the game."""
    env = pommego.llm.Environment(**where)
    env.reset(seed=1)
    with patch("pommego.llm.WebSocket.recv", side_effect=raised), pytest.raises(type(raised)):
        env.order("wait", 3)
    assert np.isnan(env.get_reward())
    with pytest.raises(RuntimeError, match=r"a call that failed has ended it: call reset\(\) first"):
        env.move("up")
    assert "Tick 0 of" in env.reset(seed=1) and env.get_reward() == -1


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (frame(b"[]", 1), r"answered b'\[\]', expected OpenEnv: Expected `object`"),
        (frame(b'{"type":"x","data":{"done":3}}', 1), r"Expected `bool`, got `int` - at `\$.data.done`"),
        (frame(b'{"type":"x","data":{"message":"\xff"}}', 1), "expected OpenEnv"),
        (frame(b"{}", 2), "binary for text"),
        (frame(b"x" * (1 << 21), 1), "the limit is 1048576"),
    ],
)
def test_answers_that_are_no_openenv(said: bytes, says: str) -> None:
    def script(sock: socket.socket) -> None:
        request = read_request(sock)
        assert request.startswith(b"GET /base/ws ") and b"Protocol" not in request
        sock.sendall(answer(request).partition(b"Sec-WebSocket-Protocol")[0] + b"\r\n")
        assert read_frame(sock)[0] == 0x81, "text"
        with contextlib.suppress(OSError):
            sock.sendall(said)
            while sock.recv(1 << 16):
                pass

    with listening(script) as address, pytest.raises(pommego.ProtocolError, match=says):
        pommego.llm.Environment(address=f"{address}/base/").reset()


def hunts(messages: list[dict[str, str]]) -> str:
    """Hunt, written in three ways."""
    return ("hunt for 20", "**HUNT** for 20!", "what?")[len(messages) // 2 % 3]


def test_evaluate(where: dict[str, Any]) -> None:
    """Every seat equally often, with any number of workers; the same games as `pommego.evaluate` plays."""
    seen = []

    def model(messages: list[dict[str, str]]) -> str:
        assert [m["role"] for m in messages[1:]] == ["user", "assistant"] * (len(messages) // 2 - 1) + [
            "user"
        ]
        seen.append(messages[:2])
        return hunts(messages)

    options = {"seed": 5, "rules": {"max_steps": 200}, **where}
    one, other = (
        pommego.llm.evaluate(model, "PommeFFACompetition-v0", "static", 8, workers=n, **options)
        for n in (1, 8)
    )
    for key in ("results", "lengths", "seats"):
        assert np.array_equal(getattr(one, key), getattr(other, key))
    assert one.answers == other.answers and sum(one.answers.values()) == len(seen) / 2
    assert one.seats.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] and one.wins > 2
    assert str(one).endswith(
        f"; answers: {one.answers['legal']} legal, {one.answers['repaired']} repaired, "
        f"{one.answers['illegal']} illegal, 0 late"
    )
    rules, view = (message["content"] for message in seen[0])
    assert "hide for 8" in rules and "Goal: be the last one alive." in rules and "Tick 0 of" not in rules
    assert view.startswith("Tick 0 of 200. ")
    short = pommego.llm.evaluate(
        lambda m: {}[0] if len(m[1]["content"]) > 500 else "stop",
        "OneVsOne-v0",
        games=2,
        detail="short",
        frame_ticks=1,
        **options,
    )
    assert short.answers["legal"] == short.lengths.sum()
    json = pommego.llm.evaluate(
        lambda m: m[1]["content"][0], "OneVsOne-v0", games=1, detail="json", **options
    )
    assert json.answers["illegal"] > 0


def test_a_long_answer_is_read_at_its_ends(where: dict[str, Any]) -> None:
    env = pommego.llm.Environment(**where)
    env.reset(seed=1)
    assert "Tick 1 of" in env.move("\ud800x " * 1_000_000 + "\nbomb")
    assert env._last.metadata.played == bytes([5])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> str:
    """The suite of models with few games, alone and beside a partner who speaks."""
    kinds = (("PommeFFACompetition-v0", ""), (RADIO, "simple"))
    suite = replace(suites.SUITES["llm-orders-2027"], games=2, kinds=kinds, opponents=("static", "simple"))
    suite = replace(suite, name="llm-2027", starts=())
    monkeypatch.setitem(suites.SUITES, suite.name, suite)
    return suite.name


def test_a_suite_is_played_saved_and_checked(small: str, where: dict[str, Any], tmp_path: Path) -> None:
    result = pommego.llm.evaluate(hunts, suite=small, **where)
    assert [(part.id, part.opponents, part.partner) for part in result.parts] == list(result.suite.parts)
    assert result.parts[-1].name == f"in {RADIO} with simple against simple"
    file = tmp_path / "result.json.gz"
    result.save(file)
    for again in (suites.load(file), pommego.check_result(file, **where)):
        assert str(again) == str(result)
        for one, other in zip(result.parts, again.parts, strict=True):
            assert all(map(np.array_equal, one.actions, other.actions))
            assert one.evaluation.answers == other.evaluation.answers
    assert result.parts[-1].actions[0].shape[1:] == (1, 3)
    assert sum(map(len, result.parts[0].actions)) == result.parts[0].evaluation.lengths.sum()

    def other_end(content: dict[str, Any]) -> None:
        game = content["parts"][0][1]
        game["result"] = 1 if game["result"] < 1 else -1

    with pytest.raises(ValueError, match=r"game \d in \w+-v\d .*against \w+ has results -?1, played again"):
        pommego.check_result(changed(file, tmp_path / "other_end", other_end), **where)

    def longer(content: dict[str, Any]) -> None:
        game = content["parts"][1][0]
        packed = suites.load(file).parts[1].actions[0]
        game["length"] = 800
        game["actions"] = base64.b64encode(zlib.compress(packed.tobytes().ljust(800, b"\0"))).decode()

    with pytest.raises(ValueError, match=r"has lengths 800, played again \d+"):
        pommego.check_result(changed(file, tmp_path / "longer", longer), **where)


def test_policies_play_the_suite_too(small: str, where: dict[str, Any]) -> None:
    def stop(obs: Any, info: dict[str, Any]) -> np.ndarray:
        return np.zeros(
            (len(info["seat"]), 3) if info["action_mask"].shape[1] > 6 else len(info["seat"]), int
        )

    result = pommego.evaluate(stop, suite=small, **where)
    assert len(result.parts) == 4 and result.parts[0].evaluation.answers is None


def test_models_that_cannot_be_evaluated(where: dict[str, Any]) -> None:
    evaluate = partial(pommego.llm.evaluate, hunts, **where)
    for change, error, says in (
        (
            {"suite": "team-2027"},
            ValueError,
            "'team-2027', which has two seats, expected one seat as in llm-2027",
        ),
        ({"suite": "llm-2027", "games": 3}, TypeError, "games and seeds of its own"),
        ({"suite": "llm-2027", "rules": {"max_steps": 5}}, ValueError, "has rules of its own"),
        ({"suite": "llm"}, ValueError, "suite is 'llm', expected one of"),
        ({}, TypeError, "the id of an environment, or suite="),
        ({"id": "OneVsOne-v0", "workers": 0}, ValueError, "workers is 0"),
        ({"id": "OneVsOne-v0", "games": 0}, ValueError, "games is 0"),
        ({"id": "OneVsOne-v0", "prices": 1}, TypeError, "prices is 1, expected two numbers"),
        (
            {"id": "OneVsOne-v0", "opponents": [lambda obs, info: 0]},
            TypeError,
            "expected the names of built-in agents",
        ),
        ({"id": "OneVsOne-v0", "opponents": "open"}, TypeError, "expected the names of built-in agents"),
        ({"id": "OneVsOne-v0", "prices": ("a", "b")}, ValueError, r"prices\[0\] is 'a', expected a number"),
        ({"id": "OneVsOne-v0", "prices": (1, -1)}, ValueError, r"prices\[1\] is -1"),
        ({"id": "OneVsOne-v0", "max_agents": 3}, TypeError, r"unknown options \['max_agents'\]"),
        ({"id": "OneVsOne-v0", "seat": 1}, TypeError, r"unknown options \['seat'\], expected some of detail"),
        ({"suite": "llm-2027", "wait_s": 1}, TypeError, r"unknown options \['wait_s'\]"),
    ):
        with pytest.raises(error, match=says):
            evaluate(**change)
    with pytest.raises(TypeError, match="model is 'gpt', expected a function"):
        pommego.llm.evaluate("gpt", "OneVsOne-v0")
    with pytest.raises(TypeError, match="model returned 3, expected a text, or a reply with choices"):
        pommego.llm.evaluate(lambda _: 3, "OneVsOne-v0", games=20, **where)
    with pytest.raises(ZeroDivisionError):
        pommego.llm.evaluate(lambda _: 1 / 0, "OneVsOne-v0", games=20, **where)


def test_errors_of_three_games_end_all_at_once(where: dict[str, Any]) -> None:
    """While others wait for their model, and no further game begins."""
    others, number, calls = threading.Event(), itertools.count(), []

    def model(messages: list[dict[str, str]]) -> str:
        calls.append(messages)
        if next(number) < 3:
            others.wait(2 * HANGS)
            return "stop"
        raise OSError("the model is gone")

    begun = time.monotonic()
    with pytest.raises(OSError, match="the model is gone"):
        pommego.llm.evaluate(model, "OneVsOne-v0", games=50, workers=4, **where)
    assert time.monotonic() - begun < HANGS
    ended = len(calls)
    others.set()
    time.sleep(0.5)
    assert 6 <= ended <= len(calls) <= ended + 1 < 40


def test_ctrl_c_ends_it_while_models_think(binary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
import time, pommego.llm
def model(messages):
    print("thinking", flush=True)
    time.sleep(300)
try:
    pommego.llm.evaluate(model, "OneVsOne-v0", games=3)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    monkeypatch.setenv("POMMEGO_BINARY", str(binary))
    terminal = Terminal(code)
    terminal.wait_for("thinking", 3)
    begun = time.monotonic()
    terminal.press_ctrl_c()
    terminal.wait_for("interrupted")
    assert terminal.end() == 0
    assert time.monotonic() - begun < HANGS
    os.close(terminal.fd)


def test_progress_is_shown_on_a_terminal(binary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
import pommego.llm
pommego.llm.evaluate(lambda m: "stop", "OneVsOne-v0", "static", games=2, workers=1)
"""
    monkeypatch.setenv("POMMEGO_BINARY", str(binary))
    terminal = Terminal(code)
    assert "1 of 2 games" in terminal.wait_for("1 of 2 games")
    assert terminal.end() == 0
    os.close(terminal.fd)
