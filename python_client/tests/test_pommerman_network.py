"""pommego.pommerman's matches over a network: the original's protocol, both halves of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pommego import pommerman
from pommego.pommerman import agents, constants
from pommego.pommerman.network import client, messages, server, sockets
from pommego.pommerman.network.client import Network
from pommego.pommerman.network.server import Server
from reference.exact import difference, exact

pytestmark = pytest.mark.usefixtures("binary")

DUEL, FFA = "OneVsOne-v0", "PommeFFACompetition-v0"


class Bomber(agents.BaseAgent):
    """Lays bombs and stays, so that its games are short; notes what it hears."""

    made: list[Bomber] = []  # noqa: RUF012, a test empties it

    def __init__(self) -> None:
        super().__init__()
        self.reward: float | None = None
        self.steps: list[int] = []
        self.made.append(self)

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        self.steps.append(obs["step_count"])
        assert obs["board"][obs["position"]] == 10 + self.agent_id
        return constants.Action.Bomb.value

    def episode_end(self, reward: float) -> None:
        self.reward = reward


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    made = []

    def serve(mode: str, max_players: int = 8, timeout: float = 20.0, **options: Any) -> Server:
        made.append(Server(0, max_players, timeout, mode, folder=tmp_path / "matches", **options))
        return made[-1]

    Bomber.made.clear()
    yield serve
    for one in made:
        one.close()


def play(address: str, agent: Any = Bomber, room: str | bool = False) -> list[Any]:
    network = Network(address)
    try:
        return client.match(network, room=room, agent=agent)
    finally:
        network.close()


def test_observations_arrive_as_they_were() -> None:
    with pommerman.make(FFA, [agents.SimpleAgent() for _ in range(4)]) as env:
        obs = env.reset()
        for _ in range(15):
            obs = env.step(env.act(obs))[0]
        for want in obs:
            got = messages.observation(messages.unpack(messages.pack(want)))
            want["position"] = tuple(map(int, want["position"]))
            assert difference(exact(got), exact(want)) is None


def test_four_play_and_the_match_is_shown_again(
    serving: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = serving(FFA)
    with ThreadPoolExecutor(4) as pool:
        played = [done.result(60) for done in [pool.submit(play, here.address) for _ in range(4)]]
    (match_id,) = {match_id for _, match_id in played}
    rewards = {agent.agent_id: agent.reward for agent in Bomber.made}
    assert sorted(rewards) == [0, 1, 2, 3]
    assert sorted(rewards.values()) == sorted(reward for reward, _ in played)
    assert all(agent.steps == list(range(len(agent.steps))) and len(agent.steps) > 5 for agent in Bomber.made)
    network = Network(here.address)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert client.replay(network, f"#{match_id}") == [rewards[seat] for seat in range(4)]
    assert "step 5 of 800" in capsys.readouterr().out
    with pytest.raises(LookupError, match="no match 'nothing'"):
        network.get_replay("nothing")
    with pytest.raises(LookupError, match="no match"):
        network.get_replay("../matches/" + match_id)
    network.close()


def test_rooms_are_kept_apart(serving: Callable[..., Server]) -> None:
    here = serving(DUEL)
    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(play, here.address, Bomber, room) for room in ("a", False, "a", False)]
        ids = [match.result(60)[1] for match in done]
    assert ids[0] == ids[2] != ids[1] == ids[3]


def test_who_leaves_or_dawdles_stops(serving: Callable[..., Server]) -> None:
    """And the other plays on: its own bomb kills it, so the one who stopped has won."""
    here = serving(DUEL, timeout=0.25)
    leaving, dawdling = Network(here.address), Network(here.address)
    for network in (leaving, dawdling):
        network.join_list(network is dawdling and "b")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(play, here.address), pool.submit(play, here.address, Bomber, "b")
        leaving.wait_match()
        leaving.close()
        dawdling.wait_match()
        assert first.result(60)[0] == second.result(60)[0] == -1
    heard = [dawdling.match_get()]
    while heard[-1][0] != 2:
        heard.append(dawdling.match_get())
    assert heard[-1][1:] == [1, 10]
    assert {obs["position"] for kind, obs, _ in heard[:-1]} == {(1, 1)}
    dawdling.close()


def test_no_more_than_there_is_room_for(serving: Callable[..., Server]) -> None:
    here = serving(DUEL, max_players=2, max_matches=1)
    one = Network(here.address)
    assert one.server_status() == [0, 0]
    one.join_list("a")
    assert (one.mode, one.server_status()) == (DUEL, [1, 0])
    two, three = Network(here.address), Network(here.address)
    two.join_list("b")
    with pytest.raises(ConnectionRefusedError, match="full"):
        three.join_list()
    one.close()
    deadline = time.monotonic() + 10
    while three.server_status() != [1, 0] and time.monotonic() < deadline:
        time.sleep(0.01)
    three.join_list("b")
    two.wait_match()
    three.wait_match()
    assert two.match_id == three.match_id
    two.close()
    three.close()


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 426 "),
        (b"\x00" * 40_000, b""),
        (None, b""),
    ],
)
def test_what_is_no_client(serving: Callable[..., Server], sent: bytes | None, answer: bytes) -> None:
    """It is sent away, and the server goes on."""
    here = serving(DUEL)
    host, _, port = here.address.rpartition(":")
    if sent is None:
        for junk in ("[]", "{", "[" * 99_999, '{"intent": 99}', '{"intent": 5}', b"\xff"):
            connection = sockets.connect(host, int(port))
            connection.send(junk)
            with pytest.raises(OSError):
                connection.receive()
    else:
        with socket.create_connection((host, int(port)), timeout=10) as raw:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            assert raw.recv(13).startswith(answer)
    network = Network(here.address)
    assert network.server_status() == [0, 0]
    network.close()


@pytest.fixture
def false_server() -> Iterator[Callable[..., str]]:
    """A function that starts a server which answers the first message with these, and returns its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer(sent: tuple[str | bytes, ...]) -> None:
            connection = sockets.accept(listener.accept()[0])
            connection.receive()
            with contextlib.suppress(OSError):  # the client leaves at the first that it cannot read
                for message in sent:
                    connection.send(message)
            connection.close()

        def serve(*sent: str | bytes) -> str:
            threading.Thread(target=answer, args=(sent,)).start()
            return "{}:{}".format(*listener.getsockname())

        yield serve


SEATED = ('{"intent": 13, "player_id": "x", "mode": "OneVsOne-v0"}', '{"intent": 4, "match_id": "y"}')
SEEN = {"board": [[10]], "position": [0, 0], "teammate": "AgentDummy", "enemies": []}


def turn(**seen: Any) -> list[str | bytes]:
    """Return the messages up to a turn with this observation."""
    return [*SEATED, messages.pack({"d": False, "o": seen, "i": ""})]


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (["[]"], "a message that cannot be read"),
        (["[" * 100_000], "a message that cannot be read: RecursionError"),
        (['{"intent": 13}'], "a message status_reg that cannot be read: KeyError: 'player_id'"),
        ([*SEATED, b"junk"], "not compressed JSON"),
        ([*SEATED, messages.pack([])], "a turn that cannot be read"),
        (turn(), "an observation that cannot be read: KeyError: 'teammate'"),
        (turn(**SEEN | {"board": [[256]]}), "an observation that cannot be read: OverflowError"),
        (turn(**SEEN | {"board": [[0]]}), r"own position \(0, 0\) has cell value 0, no agent"),
        (turn(**SEEN | {"position": [9, 9]}), "an observation that cannot be read: IndexError"),
        ([*SEATED, '{"intent": 6, "reward": Infinity, "agent": 10}'], "cannot be read: OverflowError"),
    ],
)
def test_what_is_no_server(false_server: Callable[..., str], sent: list[str | bytes], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        play(false_server(*sent))


def test_records_that_are_none(false_server: Callable[..., str], tmp_path: Path) -> None:
    """A text in the place of the state would be the name of a file, which a server must not choose."""
    file = tmp_path / "state.json"
    os.mkfifo(file)  # whoever reads it waits
    record = {"mode": DUEL, "reward": [1, -1], "actions": []}
    for field, value, reason in (
        ("state", str(file), "a record whose state is '/.*', expected an object"),
        ("state", {}, "a record that cannot be read: KeyError"),
        ("mode", "Pomme-v9", "unknown configuration 'Pomme-v9'"),
        ("mode", [], "a record that cannot be read: TypeError"),
        ("reward", 1, "a record that cannot be read: TypeError"),
    ):
        network = Network(false_server(messages.pack([10, record | {field: value}])))
        with pytest.raises(ValueError, match=reason):
            client.replay(network, "x")
        network.close()
    with pytest.raises(SystemExit, match="client: a record that cannot be read"):
        client.init(["--replay", "x", "--server", false_server(messages.pack([10, []]))])


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536, 300_000])
def test_messages_of_all_sizes(size: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        here: list[sockets.Connection] = []
        thread = threading.Thread(target=lambda: here.append(sockets.accept(listener.accept()[0])))
        thread.start()
        there = sockets.connect(*listener.getsockname())
        thread.join()
        for sender, receiver in ((there, here[0]), (here[0], there)):
            for message in ("x" * size, bytes(size)):
                sending = threading.Thread(target=sender.send, args=(message,))
                sending.start()
                assert receiver.receive() == message
                sending.join()
        there.close()
        with pytest.raises(OSError):
            here[0].receive()
        here[0].close()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((0, 8, 1.0, "Pomme-v9"), "mode is 'Pomme-v9'"),
        ((0, 8, 1.0, "PommeRadio-v2"), "mode is 'PommeRadio-v2'"),
        ((0, 3, 1.0, FFA), "max_players is 3, expected at least the 4"),
    ],
)
def test_servers_that_cannot_be(options: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        server.run(*options)


def test_nobody_serves() -> None:
    with pytest.raises(OSError):
        Network("127.0.0.1:9")
    with pytest.raises(ValueError, match="not host:port"):
        Network("localhost")
    with pytest.raises(SystemExit, match="client: "):
        client.init(["--server", "127.0.0.1:9"])


def test_run_as_programs(tmp_path: Path) -> None:
    """A server and two clients, as commands."""
    module = "pommego.pommerman.network"
    command = [sys.executable, "-W", "error", "-m"]
    serve = [*command, f"{module}.server", "--port", "0", "--mode", DUEL, "--timeout", "20"]
    with subprocess.Popen(serve, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        try:
            address = running.stdout.readline().split()[-1]
            joining = [*command, f"{module}.client", "--server", address, "--agent"]
            clients = [
                subprocess.Popen([*joining, agent], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for agent in ("pommego.pommerman.agents.SimpleAgent", "pommego.pommerman.agents.RandomAgent")
            ]
            said = [one.communicate(timeout=120) for one in clients]
        finally:
            running.terminate()
    assert [err for _, err in said] == ["", ""]
    assert {re.search(r"the reward of (\w+) is", out)[1] for out, _ in said} == {"Agent0", "Agent1"}
    (record,) = (tmp_path / "matches").iterdir()
    assert json.loads(record.read_text())["mode"] == DUEL
