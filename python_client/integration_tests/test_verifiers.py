"""`vf-eval pommego`: the package verifiers plays, with a scripted model behind a real server.

It needs an environment of its own: `uv pip install 'pommego[verifiers]'`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

import pommego
from pommego.llm import Environment

pytest.importorskip(
    "verifiers", reason="it needs an environment of its own: uv pip install 'pommego[verifiers]'"
)

from chat import Stub

pommego.__all__ += pommego._LATER["verifiers"]  # conftest.py has imported pommego before verifiers
from pommego.verifiers import PommegoVerifier, _seats


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a model."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Stub) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def evaluate(url: str, out: Path, *options: str) -> list[dict[str, Any]]:
    """The episodes of an evaluation."""
    command = [sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()", "pommego"]
    command += ["-m", "stub", "--client.base-url", url, "--client.api-key-var", "NO_KEY", "--no-push"]
    command += ["--output-dir", str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (traces,) = out.rglob("traces.jsonl")
    return [json.loads(line) for line in traces.read_text().splitlines()]


def rewards(episode: dict[str, Any]) -> dict[str, float]:
    """What the game paid each model."""
    return {t["agent"]["name"]: t["rewards"]["game"]["score"] for t in episode["traces"] if t["rewards"]}


def said(trace: dict[str, Any]) -> list[str]:
    """The texts that a model read and wrote."""
    return [node["message"]["content"] for node in trace["nodes"]]


def test_groups_start_equal(url: str, tmp_path: Path) -> None:
    """A game is a task, and its rollouts start equal; the splits have other games."""
    episodes = evaluate(url, tmp_path / "train", "-n", "2", "-r", "2")
    assert all(episode["ok"] for episode in episodes) and len(episodes) == 4
    assert [rewards(episode) for episode in episodes] == [{"player0": 1.0}] * 4
    texts = sorted(said(episode["traces"][0]) for episode in episodes)
    assert texts[0] == texts[1] != texts[2] == texts[3]
    assert "Goal: be the last" in texts[0][0] and texts[0][1].startswith("Tick 0 of 800")
    (other,) = evaluate(url, tmp_path / "eval", "-n", "1", "-r", "1", "--env.taskset.split", "eval")
    assert said(other["traces"][0]) not in texts


def test_who_stops_has_lost(url: str, tmp_path: Path) -> None:
    """A game that is not over when the model ends pays -1."""
    (episode,) = evaluate(url, tmp_path, "-n", "1", "-r", "1", "--env.player0.max-turns", "2")
    assert rewards(episode) == {"player0": -1.0} and episode["traces"][0]["stop_condition"] == "max_turns"


def test_shaping(url: str, tmp_path: Path) -> None:
    """Counts with a weight are rewards beside the game's; without weights they are metrics alone."""
    options = ["-n", "1", "-r", "1", "--env.player0.max-turns", "2"]
    (episode,) = evaluate(url, tmp_path / "a", *options, "--env.shaping", '{"wood": 0.1, "legal": -0.5}')
    (trace,) = episode["traces"]
    wood = trace["metrics"]["wood"]
    paid = {name: (reward["score"], reward["weight"]) for name, reward in trace["rewards"].items()}
    assert paid == {"game": (-1, 1), "wood": (wood, 0.1), "legal": (2, -0.5)} and wood > 0
    (episode,) = evaluate(url, tmp_path / "b", *options, "--env.shaping", '{"would": 1}')
    assert not episode["ok"] and "shaping has ['would'], expected some of" in json.dumps(episode["errors"])


def test_several_models_play_one_game(url: str, tmp_path: Path) -> None:
    """Each is paid for its own seat, also where their seats are not neighbours."""
    others = '["simple", "open", "simple"]'
    options = ["--env.taskset.game", "PommeTeamCompetition-v0", "--env.taskset.opponents", others]
    (episode,) = evaluate(url, tmp_path, "-n", "1", "-r", "1", *options)
    paid = rewards(episode)
    assert set(paid) == {"player0", "player1"} and paid["player0"] == paid["player1"] != 0
    told = {trace["agent"]["name"]: said(trace)[1] for trace in episode["traces"]}
    assert "\nYou: A " in told["player0"] and "\nYou: C " in told["player1"]


def test_a_model_that_fails_is_not_paid(url: str, tmp_path: Path) -> None:
    """Nobody has lost: the episode cannot be scored."""
    options = ["--env.taskset.opponents", '["open"]', "--env.player1.model", "broken"]
    (episode,) = evaluate(url, tmp_path, "-n", "1", "-r", "1", *options)
    assert not episode["ok"] and rewards(episode) == {}
    assert "cannot be scored" in json.dumps(episode["errors"])


def test_a_running_server(url: str, server: pommego.Server, tmp_path: Path) -> None:
    """Its address is one of HTTP, as everywhere in OpenEnv."""
    where = ["--env.address", server.address.replace("ws://", "http://"), "--env.token", server.token]
    (episode,) = evaluate(url, tmp_path, "-n", "1", "-r", "1", *where)
    assert rewards(episode) == {"player0": 1.0}, episode["errors"]


def test_one_server_tells_and_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many seats games have is asked of the server that all rollouts share."""
    popen = Mock(wraps=subprocess.Popen)
    monkeypatch.setattr(subprocess, "Popen", popen)
    assert [_seats(None, None, game) for game in ("OneVsOne-v0", "PommeTeam-v0")] == [2, 4]
    assert popen.call_count <= 1


class Says:
    """A model that says what it is given and ends or fails, and keeps what it is told and paid."""

    def __init__(self, *answers: str, after: threading.Event, fails: bool = False) -> None:
        self.answers, self.after, self.told, self.paid = iter(answers), after, [], {}
        self.trace = SimpleNamespace(errors=[1] * fails, record_reward=self.pay, record_metrics=Mock())

    def pay(self, name: str, reward: float) -> None:
        self.paid[name] = reward

    @asynccontextmanager
    async def interaction(self, _: object) -> AsyncIterator[Says]:
        yield self

    async def turn(self, view: str) -> SimpleNamespace:
        if self.told:
            await asyncio.to_thread(self.after.wait)
        self.told.append(view)
        answer = next(self.answers, None)
        return SimpleNamespace(terminated=answer is None, last_reply=answer)


def play(
    server: pommego.Server, monkeypatch: pytest.MonkeyPatch, made: type, reset: Any, *players: Any
) -> Any:
    """Play a game with models of this file and environments of a class."""
    config = SimpleNamespace(address=server.address, token=server.token, shaping={})
    monkeypatch.setattr("pommego.verifiers.Environment", made)
    monkeypatch.setattr(PommegoVerifier, "config", config, raising=False)
    task = SimpleNamespace(data=SimpleNamespace(reset=reset, idx=0))
    agents = SimpleNamespace(**{f"player{k}": player for k, player in enumerate(players)})
    return PommegoVerifier.__new__(PommegoVerifier).run(task, agents)


def test_who_is_out_is_not_asked(server: pommego.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the model of another seat thinks, so that the server answers in between."""
    out, now = threading.Event(), threading.Event()
    now.set()

    class Watched(Environment):
        def _ask(self, kind: str, data: Any) -> str:
            told = super()._ask(kind, data)
            if self._last.metadata.out:
                out.set()
            return told

    dies, thinks = (
        Says("bomb, " + "stop, " * 19, after=now),
        Says("wait for 12", *["wait for 99"] * 9, after=out),
    )
    reset = {"env": "PommeTeam-v0", "opponents": ["static", "open", "static"], "rules": {"max_steps": 40}}
    asyncio.run(play(server, monkeypatch, Watched, reset | {"seed": 2, "move_timeout_s": 0.1}, dies, thinks))
    assert len(dies.told) == 1 and dies.paid == thinks.paid and len(dies.paid) == 1


def test_a_game_that_fails_later_pays_nobody(server: pommego.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those whose model had ended."""
    ended = threading.Event()

    class Ends(Says):
        @asynccontextmanager
        async def interaction(self, _: object) -> AsyncIterator[Says]:
            yield self
            asyncio.get_running_loop().call_soon(ended.set)

    ends, fails = Ends(after=ended), Says("stop", after=ended, fails=True)
    reset = {"env": "OneVsOne-v0", "opponents": ["open"]}
    with pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match="cannot be scored")):
        asyncio.run(play(server, monkeypatch, Environment, reset, ends, fails))
    assert ends.paid == fails.paid == {}


class Waiting:
    """A model that answers once if it is the first, and then never."""

    def __init__(self, answered: asyncio.Event) -> None:
        self.answered = answered

    @asynccontextmanager
    async def interaction(self, _: object) -> AsyncIterator[Waiting]:
        yield self

    async def turn(self, _: str) -> SimpleNamespace:
        if self.answered.is_set():
            await asyncio.Event().wait()
        self.answered.set()
        return SimpleNamespace(terminated=False, last_reply="stop")


def test_cancelled(server: pommego.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connections are closed, also while the server waits for another seat."""
    made = []

    class Kept(Environment):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            made.append(self)

    async def cancel() -> None:
        answered = asyncio.Event()
        reset = {"env": "OneVsOne-v0", "opponents": ["open"], "move_timeout_s": 3}
        players = Waiting(answered), Waiting(answered)
        run = asyncio.create_task(play(server, monkeypatch, Kept, reset, *players))
        await answered.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancel())
    assert len(made) == 2 and all(env._socket.closed for env in made)
