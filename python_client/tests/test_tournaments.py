"""`tournament`: schedule and ratings are those of the command, whoever plays."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from pommego._core import playing
from pommego._core.program import run
from test_evaluation import plan

FFA, TEAM, DUEL = "PommeFFACompetition-v0", "PommeTeamCompetition-v0", "OneVsOne-v0"
SHORT = {"max_steps": 60}


@pytest.fixture
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


def still(obs: Any, info: dict[str, Any]) -> np.ndarray:
    """What `static` does."""
    return np.zeros(len(info["seat"]), int)


still.version = 1

SLOW = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    time.sleep(0.05 if question["type"] == "act" else 0)
    if "id" in question:
        print(json.dumps({"id": question["id"], "action": 5}), flush=True)
"""


def bomber(obs: Any, info: dict[str, Any]) -> np.ndarray:
    return np.full(len(info["seat"]), 5)


class Still:
    @staticmethod
    def still(obs: Any, info: dict[str, Any]) -> np.ndarray:
        """Of the same name as another policy."""
        return still(obs, info)

    def __call__(self, obs: Any, info: dict[str, Any]) -> np.ndarray:
        return still(obs, info)


def as_agents(results: dict[str, Any]) -> dict[str, Any]:
    """Return results with the agent's name in place of the policy's, without counts of time and search."""
    text = json.dumps(results).replace("client:still", "static").replace("client:other", "static")
    told = json.loads(text)
    for one in told["standings"]:
        for key in ("moves", "ticks_per_move"):
            del one[key]
    return told


@pytest.mark.parametrize(
    ("id", "players", "options"),
    [
        (FFA, ["random", still], {"games": 8}),
        (FFA, ["simple", still], {"against": "random", "games": 4}),
        (FFA, ["random", "simple", still, "osla"], {"format": "round-robin", "games": 8}),
        (DUEL, ["random", still, "simple"], {"format": "round-robin", "games": 4, "mirrored": True}),
        (TEAM, ["random", still], {"games": 4}),
        ("BaseWarSides-v0", ["random", still], {"games": 4, "against": "simple"}),
    ],
)
def test_as_the_command_has_it(
    where: dict[str, Any], id: str, players: list[Any], options: dict[str, Any]
) -> None:
    """`static` is the policy that always stops: the same games and ratings, to the last digit."""
    if id.startswith("BaseWar"):
        players = ["random", {"still": lambda _, info: np.zeros((len(info["seat"]), 3), int)}]
        players = {"random": "random", **players[1]}
    rules = {} if id.startswith("BaseWar") else {"rules": SHORT}
    ours = pommego.tournament(players, id, seed=3, **options, **rules, **where)
    names = ["static" if one is still or one == "still" else one for one in players]
    theirs = pommego.tournament(names, id, seed=3, **options, **rules)
    assert as_agents(ours.results) == as_agents(theirs.results)
    assert ours.ratings["still"] == theirs.ratings["static"]
    assert ours.results["balanced"]


def test_policies_against_a_policy(where: dict[str, Any]) -> None:
    """Whoever bombs itself at once loses to statues, in every seat, and is rated below them."""
    options: dict[str, Any] = {"against": still, "games": 8, "rules": SHORT, **where}
    result = pommego.tournament([bomber, "random"], DUEL, **options)
    lost, _ = result.results["standings"]
    assert (lost["losses"], [side["games"] for side in lost["sides"]]) == (8, [4, 4])
    assert result.ratings["bomber"].value < -300
    assert result.results["rating_0"] == "client:still"
    assert str(result).splitlines()[0].split() == ["player", "games", "won", "tied", "lost", "rating"]
    assert "bomber" in str(result) and "100.0% (67.6% to 100.0%)" in str(result)
    assert repr(result) == str(result), "what a notebook shows"
    again = pommego.tournament([bomber, "random"], DUEL, **options)
    assert again.results == result.results, "deterministic"


def test_searches_and_pools(where: dict[str, Any]) -> None:
    pool = pommego.Pool()
    pool.add(still)
    pool.add(bomber)
    players = {"mine": plan, "pool": pool, "simple": "simple"}
    result = pommego.tournament(
        players, DUEL, format="round-robin", games=2, rules={"max_steps": 30}, **where
    )
    assert [*result.ratings] == ["mine", "pool", "simple"]
    assert [one["games"] for one in result.results["standings"]] == [4, 4, 4]


def test_each_policy_is_called_once_a_step(where: dict[str, Any]) -> None:
    calls: Counter[str] = Counter()
    rows: Counter[str] = Counter()

    def counted(name: str) -> Any:
        def policy(obs: Any, info: dict[str, Any]) -> np.ndarray:
            calls[name] += 1
            rows[name] += int(info["first"].sum())
            return still(obs, info)

        return policy

    players = {name: counted(name) for name in "abcd"} | {"random": "random"}
    pommego.tournament(players, FFA, format="round-robin", games=4, rules={"max_steps": 10}, **where)
    assert set(calls.values()) == {10}
    assert set(rows.values()) == {4 * 4}, "of five tables each has four"


def test_kept_games_are_not_played_again(
    where: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a folder the same call goes on where the first was cut off, with the same results."""
    options: dict[str, Any] = {"games": 6, "rules": SHORT, "seed": 5, **where}
    whole = pommego.tournament([still, "random"], DUEL, **options)
    monkeypatch.setattr("pommego.tournaments._AT_ONCE", 2)
    played: list[int] = []
    real = playing.play_games

    def cut(spec: Any, games: Any, *args: Any, **how: Any) -> Any:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(len(games))
        return real(spec, games, *args, **how)

    monkeypatch.setattr("pommego.tournaments.play_games", cut)
    with pytest.raises(KeyboardInterrupt):
        pommego.tournament([still, "random"], DUEL, out=tmp_path / "kept", **options)
    assert played == [2, 2]
    log = (tmp_path / "kept" / "games.jsonl").read_text()
    monkeypatch.setattr("pommego.tournaments.play_games", real)
    again = pommego.tournament([still, "random"], DUEL, out=tmp_path / "kept", **options)
    assert again.results == whole.results
    assert (tmp_path / "kept" / "games.jsonl").read_text().startswith(log)
    assert "client:still" in (tmp_path / "kept" / "results.md").read_text()
    monkeypatch.setattr("pommego.tournaments.play_games", None)
    assert (
        pommego.tournament([still, "random"], DUEL, out=tmp_path / "kept", **options).results == whole.results
    )


def test_a_new_policy_does_not_get_the_games_of_an_old_one(where: dict[str, Any], tmp_path: Path) -> None:
    """Kept games are those of a version; without one there is no second call."""
    options: dict[str, Any] = {"games": 2, "rules": SHORT, "against": "static", **where}

    def play(folder: str, policy: Any) -> Any:
        return pommego.tournament({"mine": policy}, DUEL, out=tmp_path / folder, **options)

    class Of:
        def __init__(self, act: Any, version: Any = None) -> None:
            self.act, self.version = act, version

        def __call__(self, obs: Any, info: dict[str, Any]) -> Any:
            return self.act(obs, info)

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play("none", Of(stopped, 1))
    assert (tmp_path / "none" / "games.jsonl").exists()
    assert play("none", Of(still)).ratings["mine"].value == 0, "there was no game of the other one"
    for new in (Of(bomber), Of(bomber, 1), Of(still)):
        with pytest.raises(
            ValueError, match=r"none has games of .'mine'.*policy.version = '1' before the first game, and"
        ):
            play("none", new)
    first = play("set", Of(still, "step 4"))
    assert play("set", Of(still, "step 4")).results == first.results
    with pytest.raises(ValueError, match=r"set has games of .'mine'. with another version"):
        play("set", Of(bomber, "step 5"))
    note = tmp_path / "set" / "policies.json"
    versions = note.read_text()
    for damaged in versions[:-3], "", "5":
        note.write_text(damaged)
        with pytest.raises(
            ValueError, match=r"policies\.json has not the versions of the policies .*another folder"
        ):
            play("set", Of(still, "step 4"))
    note.write_text(versions)
    with pytest.raises(pommego.PommegoError, match="cannot be continued with these settings"):
        pommego.tournament(["random", "simple"], DUEL, out=tmp_path / "set", games=2, rules=SHORT)
    assert play("set", Of(still, "step 4")).results == first.results, (
        "a call that was refused changed nothing"
    )


@pytest.mark.parametrize(
    ("players", "options", "error", "says"),
    [
        ([still, still], {}, ValueError, "two players are called 'still': give a dictionary"),
        (
            [still, 3],
            {},
            TypeError,
            r"player 'int' is 3, expected a policy \(a callable on obs and info\), a Pool or an agent's name",
        ),
        (["simpel"], {}, pommego.PommegoError, 'did you mean "simple"'),
        ([still], {"format": "knock-out"}, pommego.PommegoError, "knock-out"),
        ([still], {"rules": [SHORT, SHORT]}, TypeError, r"rules is \[.*, expected one dictionary"),
        ([still], {"games": 0}, ValueError, "games is 0, expected an integer, 1 or more"),
        ([still], {"games": 2.5}, ValueError, "games is 2.5, expected an integer"),
        ([still], {"seed": 2.5}, TypeError, "seed is 2.5, expected an integer"),
        ([still], {"game": 2}, TypeError, "no option game here; did you mean games?"),
        ("simple,static", {}, TypeError, "players is 'simple,static', expected a list"),
        ([], {}, TypeError, r"players is \[\], expected a list"),
        (["human"], {}, ValueError, "player 'human' is 'human'"),
        (["simple", "simple"], {}, ValueError, "two players are called 'simple'"),
        ([still], {"against": Still.still}, ValueError, "two players are called 'still'"),
        (["still", still], {}, ValueError, "two players are called 'still'"),
        ([still], {"start_states": [b"x"]}, TypeError, "no option start_states"),
        ([still], {"against": "simple,static"}, ValueError, r"give \['simple', 'static'\]"),
        ([Still], {}, TypeError, "player 'Still' is the class Still: give an instance"),
        ([still], {"seat": 0}, TypeError, "no option seat"),
        ([lambda obs, info: [9]], {"games": 2}, ValueError, "returned actions of shape"),
    ],
)
def test_misuse(where: dict[str, Any], players: Any, options: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        pommego.tournament(players, DUEL, **options, **where)


def test_the_command_speaks_of_no_flags(where: dict[str, Any]) -> None:
    """What it refuses was given to it by `tournament`, as arguments of which its caller knows nothing."""
    for options in ({"format": "knock-out"}, {"format": "two-against-two"}):
        with pytest.raises(pommego.PommegoError) as refused:
            pommego.tournament([still], DUEL, **options, **where)
        assert "--" not in str(refused.value)


def test_the_limit_of_agents_holds_for_all_games(tmp_path: Path) -> None:
    """Whoever bombs itself, but too late each time, ties with statues, policies or not."""
    (tmp_path / "agent.py").write_text(SLOW)
    impatient = pommego.Connection(agent_limit=0.01)
    options = {"format": "round-robin", "games": 2, "rules": {"max_steps": 20}, "connection": impatient}
    players = [still, "static", f"exec:{sys.executable} {tmp_path}/agent.py"]
    found = pommego.tournament(players, DUEL, **options)  # on a server that starts programs
    assert [one["ties"] for one in found.results["standings"]] == [4, 4, 4]


def test_numbers_of_numpy(where: dict[str, Any]) -> None:
    plain = pommego.tournament([still, "static"], DUEL, games=2, seed=3, rules={"max_steps": 30}, **where)
    rules = {"max_steps": np.int64(30)}
    given = {"games": np.int64(2), "seed": np.uint8(3), "rules": rules}
    assert pommego.tournament([still, "static"], DUEL, **given, **where).results == plain.results


def test_the_command_trusts_no_client(binary: Path) -> None:
    """It asks for games until all are there, and takes only those of its schedule."""
    command = ["tournament", "--env", DUEL, "--agents", "client:me,static", "--games", "2", "--json"]
    asked = json.loads(run(*command, text=""))
    assert [record["agents"] for record in asked] == [["client:me", "simple"], ["simple", "client:me"]]
    won = [
        record
        | {
            "result": ["won" if name == "client:me" else "lost" for name in record["agents"]],
            "outcome": [1 if name == "client:me" else -1 for name in record["agents"]],
            "steps": 9,
        }
        for record in asked
    ]
    assert json.loads(run(*command, text=json.dumps(won[0]))) == asked[1:]
    results = json.loads(run(*command, text="\n".join(map(json.dumps, [*won, won[0]]))))
    assert [one["games"] for one in results["standings"]] == [2, 2]
    assert results["standings"][0]["wins"] == 2
    for change, says in (
        ({"game": 2}, "game 2 has seed"),
        ({"game": 7}, "line 1: game is 7, want 0 to 3"),
        ({"outcome": [1]}, "a list with 1 seats, want 2"),
        ({"agents": ["a", "b"]}, "game 0 has seed 1 and agents"),
        ({"steps": "9"}, "the client's games: line 1: json: cannot unmarshal string"),
    ):
        with pytest.raises(pommego.PommegoError, match=says):
            run(*command, text=json.dumps(won[0] | change))
    with pytest.raises(pommego.PommegoError, match="invalid character"):  # it is gone before all is written
        run(*command, text="?" * 10_000_000)


def test_talkative_agents(binary: Path) -> None:
    """An error has the end of what an agent writes to standard error, in any encoding."""
    agent = r"exec:head -c 3000000 /dev/zero | tr '\0' '\377' >&2; exit 3"
    with pytest.raises(pommego.PommegoError, match="exit status 3") as raised:
        run("play", "--env", DUEL, "--agents", f"{agent},static")
    assert len(str(raised.value)) <= 1 << 16
