"""Agents outside the server as opponents: programs of the user's own."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from processes import HANGS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

AGENT = """
import json, os, sys, time
open(sys.argv[1] + "/" + str(os.getpid()), "w").close()
fault, asked = sys.argv[2], 0
for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "act":
        asked += 1
        bad = asked % 5 == 0
        if fault == "late" and bad:
            time.sleep(0.4)
        print(json.dumps({"id": question["id"], "action": 77 if fault == "fails" and bad else 0}), flush=True)
    elif "id" in question:
        print(json.dumps({"id": question["id"]}), flush=True)
if fault == "hangs":
    time.sleep(60)
"""

PATIENT = {"connection": pommego.Connection(agent_limit=20)}


@pytest.fixture
def program(tmp_path: Path) -> Any:
    """Give the name of an agent that has a fault, and the folder with the numbers of its processes."""
    (tmp_path / "agent.py").write_text(AGENT)

    def name(fault: str) -> str:
        (tmp_path / fault).mkdir(exist_ok=True)
        return f"exec:{sys.executable} {tmp_path}/agent.py {tmp_path / fault} {fault}"

    return name


def running(folder: Path) -> int:
    """Count the processes that have written their number into a folder and live."""
    return sum(Path("/proc", file.name).exists() for file in folder.iterdir())


def eventually(folder: Path, count: int) -> None:
    deadline = time.monotonic() + HANGS
    while running(folder) != count:
        assert time.monotonic() < deadline, f"{running(folder)} processes, expected {count}"
        time.sleep(0.05)


def play(envs: pommego.PommegoVectorEnv, steps: int) -> list[dict[str, Any]]:
    """Step, and return info["game"] of the steps that end episodes."""
    infos = [envs.step(np.zeros(envs.num_envs, int))[-1] for _ in range(steps)]
    return [info["game"] for info in infos if "game" in info]


def test_saved_games_bring_no_programs(binary: Path, program: Any, tmp_path: Path) -> None:
    """A saved game, which may be anyone's, starts no program that this environment was not given."""
    with pommego.make_vec("OneVsOne-v0", 1, opponents=[program("none")], **PATIENT) as envs:
        envs.reset(seed=0)
        (state,), readable = envs.get_state([0]), envs.get_state([0], as_json=True)
        envs.set_opponents(["static"])
        envs.set_state(0, state)  # it has been an opponent here
        play(envs, 2)
    eventually(tmp_path / "none", 0)
    for file in (tmp_path / "none").iterdir():
        file.unlink()
    with pommego.make_vec("OneVsOne-v0", 1, opponents=["static"], **PATIENT) as envs:
        envs.reset(seed=0)
        for foreign in (bytes(state), *readable):
            with pytest.raises(pommego.PommegoError, match="have been opponents here"):
                envs.set_state(0, foreign)
        play(envs, 2)
    assert not list((tmp_path / "none").iterdir())


def test_an_episode_of_earlier_opponents_goes_on(
    binary: Path, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where games go on elsewhere, the agents of all their environment's opponents are known."""
    monkeypatch.setattr("secrets.token_urlsafe", lambda _: "token-of-both-servers")
    allowed = [program("none")]
    with pommego.Server(allow_agents=allowed) as first, pommego.Server(allow_agents=allowed) as second:
        where = {"address": first.address, "replace": [second.address], "token": first.token}
        with pommego.make_vec("OneVsOne-v0", 1, opponents=["static"], **where, **PATIENT) as envs:
            envs.reset(seed=0)
            envs.set_opponents([program("none")])
            envs.reset(seed=0)
            envs.set_opponents(["static"])
            assert envs.state_json(envs.get_state(0)) == envs.get_state(0, as_json=True)
            with envs.clone() as twin:
                assert twin.get_state() == envs.get_state()
            first.close()
            play(envs, 2)
            assert envs.hosts[0].lost == 1


@pytest.mark.parametrize("fault", ["none", "late", "fails"])
def test_moves_that_are_missed_are_counted(binary: Path, program: Any, tmp_path: Path, fault: str) -> None:
    limit = 0.1 if fault == "late" else 20
    with pommego.make_vec(
        "OneVsOne-v0",
        2,
        opponents=[program(fault)],
        max_episode_steps=12,
        connection=pommego.Connection(agent_limit=limit),
    ) as envs:
        envs.reset(seed=0)
        ended = play(envs, 26)
        assert len(ended) == 2
        for game in ended:
            assert game["_late"].all()
            assert (game["failed"] > 0).all() == (fault == "fails")
            assert (game["late"] > 0).all() == (fault == "late")
        if fault == "fails":
            assert sum(game["failed"].sum() for game in ended) == 2 * (24 // 5)
        eventually(tmp_path / fault, 2)  # one a game
        envs.set_opponents(["static"])
        play(envs, 26)
        eventually(tmp_path / fault, 0)
        envs.simulate(envs.get_state(), np.zeros(2, int))
        assert running(tmp_path / fault) == 0
        envs.set_opponents([program(fault)])
        play(envs, 14)
        eventually(tmp_path / fault, 2)
        with pytest.raises(pommego.ServerError, match="cannot be asked in a simulation"):
            envs.simulate(envs.get_state(), np.zeros(2, int))
    eventually(tmp_path / fault, 0)


def test_programs_that_hang_are_killed(binary: Path, program: Any, tmp_path: Path) -> None:
    """Also where all of them take longer than the server has, one after the other."""
    with pommego.make_vec("OneVsOne-v0", 6, opponents=[program("hangs")], **PATIENT) as envs:
        envs.reset(seed=0)
        play(envs, 1)
        assert running(tmp_path / "hangs") == 6
    eventually(tmp_path / "hangs", 0)


def test_it_sees_its_seat_alone(binary: Path, program: Any) -> None:
    """The same games as with an agent of the server that does the same."""
    shown = []
    for opponents in ([program("none"), "simple", "static"], ["static", "simple", "static"]):
        with pommego.make_vec("PommeFFACompetition-v0", 2, opponents=opponents, **PATIENT) as envs:
            envs.reset(seed=3)
            shown.append([envs.step([0, 0])[0]["planes"].tobytes() for _ in range(20)])
    assert shown[0] == shown[1]


def test_who_sees_the_whole_state_is_allowed_by_name(binary: Path) -> None:
    name = "java-osla:omniscient=1"
    for allowed in ([], ["java-osla"], [name]):
        if allowed == ["java-osla"]:
            with pytest.raises(pommego.ServerStartError, match="allow-agents is .java-osla."):
                pommego.Server(allow_agents=allowed)
            continue
        with pommego.Server(allow_agents=allowed) as server:
            where = {"address": server.address, "token": server.token}
            if allowed:
                pommego.make_vec("PommeFFAJava-v0", 1, opponents=[name] * 3, **where).close()
            else:
                with pytest.raises(pommego.ServerError, match=r"(?s)omniscient is 1.*--allow-agents"):
                    pommego.make_vec("PommeFFAJava-v0", 1, opponents=[name] * 3, **where)


def test_a_shared_server_has_those_it_was_started_with(binary: Path, program: Any) -> None:
    with pommego.Server(allow_agents=[program("none")]) as server:
        where = {"address": server.address, "token": server.token}
        with pommego.make_vec(
            "OneVsOne-v0",
            1,
            opponents=[program("none")],
            **PATIENT,
            **where,
        ) as envs:
            envs.reset(seed=0)
            play(envs, 3)
            with pytest.raises(pommego.ServerError, match=r"was not started with the agent .*--allow-agents"):
                envs.set_opponents([program("late")])
    with pommego.Server() as server, pytest.raises(pommego.ServerError, match="was not started with"):
        pommego.make_vec(
            "OneVsOne-v0", opponents=[program("none")], address=server.address, token=server.token
        )


def test_the_last_words_of_programs_that_fail(binary: Path, tmp_path: Path) -> None:
    """They stand in the error if it cannot begin, and in a warning if it ends in a game."""
    words = "import json, sys\nprint('loading', file=sys.stderr)\n"
    (tmp_path / "none.py").write_text(f"{words}raise SystemExit('there is no model.pt')\n")
    (tmp_path / "ends.py").write_text(
        f"{words}for line in sys.stdin:\n    question = json.loads(line)\n    if question['type'] == 'act':\n"
        "        raise SystemExit('no \u00e9 CUDA')\n"
        "    print(json.dumps({'id': question.get('id')}), flush=True)\n"
    )
    none, ends = (f"exec:{sys.executable} {tmp_path}/{name}.py" for name in ("none", "ends"))
    for policy, opponent in ((stop, none), (none, "static")):
        with pytest.raises(pommego.PommegoError, match=r"(?s)exit status 1; .*loading.there is no model.pt"):
            pommego.evaluate(policy, "OneVsOne-v0", opponent, games=1, rules={"max_steps": 20})
    for policy, opponent in ((stop, ends), (ends, "static")):
        said = r"(?s)failed, and played stop: .*ends.py.*exit status 1; .*loading.no \u00e9 CUDA"
        with pytest.warns(UserWarning, match=said) as warned:
            played = pommego.evaluate(policy, "OneVsOne-v0", opponent, games=2, rules={"max_steps": 20})
        assert played.games == 2
        assert len({str(warning.message) for warning in warned}) == 1


def stop(obs: Any, info: dict[str, Any]) -> np.ndarray:
    return np.zeros(len(info["row"]), int)


def test_programs_that_cannot_play(binary: Path) -> None:
    with pytest.raises(pommego.ServerError, match=r"opponents\[0\]: exec:no-such-program .*exit status 127"):
        pommego.make_vec("OneVsOne-v0", opponents=["exec:no-such-program"])
    with pytest.raises(pommego.ServerError, match="agent_limit is -1, want 0 to 3600"):
        pommego.make_vec("OneVsOne-v0", opponents=["static"], connection=pommego.Connection(agent_limit=-1))


class Answers(BaseHTTPRequestHandler):
    """An agent behind HTTP, which always plays 0."""

    told: list[str] = []  # noqa: RUF012, of all games

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer({"action": 0})

        if self.path in ("/init_agent", "/episode_end"):
            self.told.append(self.path)

    def _answer(self, what: dict[str, int]) -> None:
        body = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_an_agent_behind_http(binary: Path, address: str) -> None:
    with pommego.make_vec(
        "OneVsOne-v0",
        1,
        opponents=[address],
        max_episode_steps=5,
        **PATIENT,
    ) as envs:
        envs.reset(seed=0)
        (ended,) = play(envs, 5)
        assert ended["late"].tolist() == ended["failed"].tolist() == [0]
        envs.set_state(0, envs.get_state([0])[0])  # it plays on
        envs.set_opponents([address])
        (ended,) = play(envs, 6)
        assert ended["late"].tolist() == ended["failed"].tolist() == [0]
        with pytest.raises(pommego.PommegoError, match="behind HTTP, and plays in one game"):
            envs.clone()
    with pommego.make_vec("OneVsOne-v0", 1, seats=["learner", "static"], **PATIENT) as envs:
        envs.reset(seed=0)
        envs.clone().close()
        envs.set_opponents([address])
        for opponents in ([address], ["static"]):  # its episode may still run
            envs.set_opponents(opponents)
            with pytest.raises(pommego.PommegoError, match="behind HTTP, and plays in one game"):
                envs.clone()
    for players in ({"seats": ["learner", address]}, {"opponents": address}):
        with (
            pommego.make_vec("OneVsOne-v0", 1, **players, **PATIENT) as envs,
            pytest.raises(pommego.PommegoError, match="behind HTTP, and plays in one game"),
        ):
            envs.clone()
    with pytest.raises(pommego.ServerError, match="has a seat already"):  # one agent, one game
        pommego.make_vec("OneVsOne-v0", 2, opponents=[address])
    with pytest.raises(pommego.ServerError, match="one set of rules"):
        pommego.make_vec("OneVsOne-v0", 1, opponents=[address], rules=[{"max_steps": 9}, {"max_steps": 8}])
    Answers.told.clear()
    assert pommego.evaluate(address, "OneVsOne-v0", "static", games=3, rules={"max_steps": 9}).ties == 3
    assert Answers.told == ["/init_agent", "/episode_end"] * 3, "one game at a time"
