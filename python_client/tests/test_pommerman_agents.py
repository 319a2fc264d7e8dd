"""The agents of pommego.pommerman: what SimpleAgent decides, and those that ask elsewhere."""

from __future__ import annotations

import contextlib
import copy
import random
import socket
import threading
import urllib.error
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

import pommego
import recorded
from pommego import pommerman
from pommego.pommerman import agents, characters, constants, helpers
from pommego.pommerman.agents import http_agent
from pommego.pommerman.runner import DockerAgentRunner
from processes import HANGS
from reference.exact import difference, exact

FFA = constants.GameType.FFA
SPACE = gymnasium.spaces.Discrete(6)


def seated(agent: agents.BaseAgent, seat: int = 0, game_type: constants.GameType = FFA) -> agents.BaseAgent:
    agent.init_agent(seat, game_type)
    return agent


# SimpleAgent ------------------------------------------------------------------


class Draws:
    """Recorded draws in the place of the module random."""

    def __init__(self, coins: str, choice: list[int] | None) -> None:
        self.coins, self.choose = list(coins), choice

    def random(self) -> float:
        return 0.25 if self.coins.pop(0) == "1" else 0.75

    def choice(self, options: list[Any]) -> Any:
        number, chosen = self.choose
        assert len(options) == number
        self.choose = None
        return options[chosen]


@pytest.mark.parametrize("first", range(4))
def test_simple_agent_decides_as_recorded(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Action, memory and the number of draws; half of the recorded decisions in all."""
    branches = set()
    for record in recorded.records("simple_agent", 8, first, recorded.DECISIONS):
        draws = Draws(record["coins"], record["choice"])
        monkeypatch.setattr("pommego.pommerman.agents.simple_agent.random", draws)
        agent = seated(agents.SimpleAgent(), record["agent"])
        agent._recently_visited_positions = [tuple(cell) for cell in record["recent"]]
        agent._prev_direction = (
            constants.Action(record["prev_direction"]) if record["prev_direction"] else None
        )
        action = agent.act(recorded.observation(record["obs"], record["board_size"]), SPACE)
        after = agent._prev_direction.value if agent._prev_direction else 0
        assert (type(action), action) == (int, record["action"]), record["branch"]
        assert [list(cell) for cell in agent._recently_visited_positions] == record["recent_after"]
        assert after == record["prev_direction_after"]
        assert (draws.coins, draws.choose) == ([], None), "draws are left over"
        branches.add(record["branch"])
    assert len(branches) >= 8


def scene(drawing: str, **changes: Any) -> dict[str, Any]:
    """Return what agent 0 sees of a drawn board: A it, B an enemy, # rigid, % wood, o a bomb, . passage."""
    rows = [row.split() for row in drawing.strip().splitlines()]
    values = {"A": 10, "B": 11, "#": 1, "%": 2, "o": 3, ".": 0}
    board = np.array([[values[cell] for cell in row] for row in rows], np.uint8)
    obs = {
        "board": board,
        "bomb_blast_strength": np.where(board == 3, 2.0, 0.0),
        "position": tuple(int(k) for k in np.argwhere(board == 10)[0]),
        "enemies": [constants.Item.Agent1, constants.Item.Agent2, constants.Item.Agent3],
        "ammo": 1,
        "blast_strength": 2,
    }
    return obs | changes


def test_simple_agent_stops_where_the_original_fails() -> None:
    """An enemy beside it, a bomb in hand, and no passage in sight."""
    agent = seated(agents.SimpleAgent())
    assert agent.act(scene("A B # #\n# # # #\n# # # #\n# # # #"), SPACE) == constants.Action.Stop.value
    assert agent.act(scene("A % # #\n# # # #\n# # # #\n# # # #"), SPACE) == constants.Action.Stop.value


def test_parts_of_simple_agent_can_be_replaced() -> None:
    class Peaceful(agents.SimpleAgent):
        def _maybe_bomb(self, *_: Any) -> bool:
            return False

        def _filter_recently_visited(self, directions: list[Any], *_: Any) -> list[Any]:
            return [constants.Action.Stop]

    obs = scene("A B . .\n. . . .\n. . . .\n. . . .")
    assert seated(agents.SimpleAgent()).act(obs, SPACE) == constants.Action.Bomb.value
    assert seated(Peaceful()).act(obs, SPACE) == constants.Action.Right.value
    empty = scene("A . . .\n. . . .\n. . . .\n. . . .")
    assert {seated(Peaceful()).act(empty, SPACE) for _ in range(20)} == {constants.Action.Stop.value}


# BaseAgent and its character ---------------------------------------------------


def test_an_agent_has_what_its_character_has() -> None:
    agent = seated(agents.BaseAgent(), 1, constants.GameType.Team)
    assert (agent.agent_id, agent.ammo, agent.is_alive, agent.can_kick) == (1, 1, True, False)
    assert agent.teammate is constants.Item.Agent3
    assert agent.enemies == [constants.Item.Agent0, constants.Item.Agent2, constants.Item.AgentDummy]
    given = agents.BaseAgent(characters.Bomber(0, constants.GameType.OneVsOne))
    assert given.enemies == [constants.Item.Agent1]
    with pytest.raises(AttributeError, match="nothing"):
        _ = agent.nothing
    with pytest.raises(NotImplementedError, match="BaseAgent has no act"):
        agent.act({}, SPACE)
    assert copy.deepcopy(agent).enemies == agent.enemies


def test_random_agent_draws_from_the_space() -> None:
    assert {int(agents.RandomAgent().act({}, SPACE)) for _ in range(200)} == set(range(6))


# Agents by name -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("test::agents.SimpleAgent", agents.SimpleAgent),
        ("test::agents.simple_agent.SimpleAgent", agents.SimpleAgent),
        ("test::pommego.pommerman.agents.RandomAgent", agents.RandomAgent),
        ("simple::null", agents.SimpleAgent),
        ("random::null", agents.RandomAgent),
    ],
)
def test_agents_by_name(text: str, kind: type) -> None:
    assert type(helpers.make_agent_from_string(text, 0)) is kind


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("SimpleAgent", ValueError, "no '::'"),
        ("wizard::agents.SimpleAgent", ValueError, "has kind 'wizard'"),
        ("test::agents.Nobody", ValueError, r"no agent 'agents\.Nobody'"),
        ("test::no_such_module.Agent", ValueError, "no_such_module"),
        ("http::localhost", ValueError, "expected host:port"),
        ("player::arrows", ValueError, "pommego play --agents human"),
        ("docker::an/image", ValueError, r"docker run .*:10080 an/image.*name its agent http::"),
    ],
)
def test_names_that_mean_nothing(text: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        helpers.make_agent_from_string(text, 2)


# Agents behind HTTP --------------------------------------------------------------


class Remote(DockerAgentRunner):
    """Notes what it hears and does what it is told to."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.action: Any = 3
        self.slow = threading.Event()
        self.slow.set()

    def init_agent(self, id: int, game_type: constants.GameType) -> None:
        self.heard.append((id, game_type))

    def act(self, observation: dict[str, Any], action_space: Any) -> Any:
        self.heard.append((observation, action_space))
        self.slow.wait(5)
        return self.action

    def episode_end(self, reward: float) -> None:
        self.heard.append(reward)

    def shutdown(self) -> None:
        self.heard.append("shutdown")


@pytest.fixture
def remote() -> Iterator[tuple[Remote, int]]:
    runner = Remote()
    with runner.server("127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield runner, server.server_address[1]
        runner.slow.set()
        server.shutdown()
        thread.join()


def test_an_agent_behind_http_sees_what_others_see(remote: tuple[Remote, int]) -> None:
    runner, port = remote
    agent = agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=HANGS)
    agent.init_agent(2, constants.GameType.Team)
    record = next(recorded.records("team"))
    obs = recorded.observation(record["initial"]["obs"][2], 11)
    assert agent.act(obs, SPACE) == 3
    agent.episode_end(-1)
    agent.shutdown()
    (seat, game_type), (seen, space), reward, goodbye = runner.heard
    assert (seat, game_type, reward, goodbye) == (2, constants.GameType.Team, -1, "shutdown")
    assert space == 6
    assert difference(exact(seen), exact(obs)) is None


@pytest.mark.parametrize(
    ("env_id", "rules", "teammate", "enemies"),
    [
        ("PommeTeam-v0", None, constants.Item.Agent3, ["Agent0", "Agent2", "AgentDummy"]),
        ("PommeTeam2018-v0", None, 14, [11, 13, 10]),
        ("PommeFFA2018-v0", None, 10, [11, 13, 14]),
        ("PommeFFACompetition-v0", {"skulls": True}, 10, [11, 13, 14]),
    ],
)
def test_a_game_whose_cell_values_are_not_the_originals(
    binary: Any, remote: tuple[Remote, int], env_id: str, rules: Any, teammate: Any, enemies: list[Any]
) -> None:
    runner, port = remote
    runner.action = 0
    options = {"opponents": [f"http://127.0.0.1:{port}", "static", "static"], "seat": 0, "rules": rules}
    patient = pommego.Connection(agent_limit=20)
    with pommego.make_vec(
        env_id, 1, max_episode_steps=2, autoreset_mode="SAME_STEP", connection=patient, **options
    ) as envs:
        envs.reset(seed=0)
        envs.step([0])
        *_, info = envs.step([0])
    assert info["game"]["failed"].tolist() == [0]
    assert info["game"]["void"].tolist() == [False]
    seen, _ = next(heard for heard in runner.heard if isinstance(heard[0], dict))
    named = [constants.Item[one] if isinstance(one, str) else one for one in enemies]
    assert (seen["teammate"], seen["enemies"]) == (teammate, named)
    assert {type(one) for one in (seen["teammate"], *seen["enemies"])} == {type(teammate)}


def test_a_second_game_with_an_agent_that_fails_to_begin_it(
    remote: tuple[Remote, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usual agent for containers makes its character once; the original plays on with it."""
    runner, port = remote
    inner = agents.SimpleAgent()
    monkeypatch.setattr(runner, "init_agent", inner.init_agent)
    monkeypatch.setattr(runner, "act", inner.act)
    others = [agents.RandomAgent() for _ in range(3)]
    first = agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=HANGS)
    pommerman.make("PommeFFACompetition-v0", [first, *others])
    second = agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=HANGS)
    with pytest.warns(UserWarning, match=r"127\.0\.0\.1:\d+ did not take init_agent: .* 500"):
        env = pommerman.make("PommeFFACompetition-v0", [second, *(agents.RandomAgent() for _ in range(3))])
    assert "'Bomber' object is not callable" in capsys.readouterr().err
    env.seed(1)
    assert env.act(env.reset())[0] in range(6)
    env.close()


@pytest.mark.parametrize("what", ["episode_end", "shutdown"])
def test_failures_at_the_end_do_not_matter(
    remote: tuple[Remote, int], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("not now")

    runner, port = remote
    monkeypatch.setattr(runner, what, fail)
    agent = seated(agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=HANGS))
    with pytest.warns(UserWarning, match=f"did not take {what}: HTTP Error 500"):
        getattr(agent, what)(*([-1] if what == "episode_end" else []))


def test_a_failing_act_is_answered_with_500(
    remote: tuple[Remote, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, port = remote
    monkeypatch.setattr(runner, "act", lambda *_: 1 / 0)
    agent = seated(agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=HANGS))
    with pytest.raises(urllib.error.HTTPError, match="500") as failed:
        agent.act({"board": np.zeros((2, 2))} | EMPTY, SPACE)
    assert "ZeroDivisionError: division by zero" in failed.value.read().decode()
    failed.value.close()


def test_a_late_agent_stops(remote: tuple[Remote, int]) -> None:
    runner, port = remote
    agent = seated(agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=0.05))
    runner.slow.clear()
    radio = gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(n) for n in (6, 8, 8)])
    with pytest.warns(UserWarning, match="did not answer action within 0.05 s"):
        assert agent.act({"board": np.zeros((2, 2))} | EMPTY, radio) == [0, 0, 0]
    runner.slow.set()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n[]", r"http://127\.0\.0\.1:\d+ answered b'\[\]', expected"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 9999, "expected .* recursion"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "answered b''"),
        (b"\xff" * 70_000, "the agent at .* broke off: LineTooLong"),
        (b"", "the agent at .* broke off: RemoteDisconnected"),
    ],
)
def test_what_is_no_agent(answer: bytes, reason: str) -> None:
    with answering(b"HTTP/1.1 200 OK\r\n\r\n", answer) as port:
        agent = agents.HttpAgent(port=port, host="127.0.0.1", act_timeout=HANGS)
        with pytest.raises((ValueError, ConnectionError), match=reason):
            agent.act({}, SPACE)


@contextlib.contextmanager
def answering(*answers: bytes) -> Iterator[int]:
    """Answer one connection after the other, then listen no more; yield the port."""

    def speak() -> None:
        with listener:
            for said in answers:
                with listener.accept()[0] as connection:
                    connection.sendall(said)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):
                        pass

    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    thread.join()


def test_an_agent_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows no /ping, and goes without a word at /shutdown; the others are told, however often."""
    monkeypatch.setattr(http_agent, "_SECONDS", 30)
    told: list[str] = []
    other = agents.RandomAgent()
    other.shutdown = lambda: told.append("shutdown")
    with answering(b"HTTP/1.1 404 Not Found\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"") as port:
        env = pommerman.make(
            "OneVsOne-v0", [agents.HttpAgent(port=port, host="127.0.0.1", timeout=HANGS), other]
        )
        for _ in range(2):
            with pytest.warns(UserWarning, match=r"127\.0\.0\.1:\d+ did not take shutdown: "):
                env.close()
    assert told == ["shutdown"] * 2


@pytest.mark.parametrize(
    ("length", "body", "status"),
    [
        ("5", b"[[]]]", 400),
        ("30000", b"[" * 30_000, 400),
        ("29", b'{"obs": "[]", "action": "6"', 400),
        ("much", b"", 413),
        ("-1", b"", 413),
        ("99999999", b"", 413),
        ("26", b'{"obs": "{}", "action": 6}', 400),
        ("40", b'{"obs": "[]", "action_space": "6"}      ', 500),
    ],
)
def test_what_is_no_request(remote: tuple[Remote, int], length: str, body: bytes, status: int) -> None:
    with socket.create_connection(("127.0.0.1", remote[1]), timeout=30) as connection:
        head = f"POST /action HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100).startswith(b"HTTP/1.0 %d " % status)


EMPTY: dict[str, Any] = {"teammate": 9, "enemies": [], "position": (0, 0)}
EMPTY |= {name: [] for name in recorded.FLOATS}


def test_nobody_there() -> None:
    with pytest.raises(TimeoutError, match=r"no agent at http://127\.0\.0\.1:9 within 0\.1 s"):
        agents.HttpAgent(port=9, host="127.0.0.1", timeout=0.1)
    with pytest.raises(ValueError, match="host is 'http://127.0.0.1', expected a name or an address"):
        helpers.make_agent_from_string("http::http://127.0.0.1:9", 0)


def test_decisions_follow_the_module_random() -> None:
    obs = recorded.observation(next(recorded.records("ffa"))["initial"]["obs"][0], 11)

    def decide(seed: int = 7) -> list[int]:
        random.seed(seed)
        agent = seated(agents.SimpleAgent())
        return [agent.act(obs, SPACE) for _ in range(20)]

    assert decide() == decide()
    assert len({tuple(decide(seed)) for seed in range(9)}) > 1
