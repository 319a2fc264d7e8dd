"""Environments whose games have rules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pommego
from test_replace import cut
from wiring import wired

ID = "PommeFFACompetition-v0"
QUICK, SLOW = {"max_steps": 9, "bomb_life": 3}, {"max_steps": 14, "flame_life": 1}
SMALL = {"board_size": 9, "num_rigid": 8, "num_wood": 8, "num_items": 4}
STOPS = {"opponents": ["static"] * 3}


@pytest.fixture(scope="module")
def server() -> Iterator[pommego.Server]:
    with pommego.Server() as running:
        yield running


def where(server: pommego.Server) -> dict[str, str]:
    return {"address": server.address, "token": server.token}


def ends(envs: pommego.PommegoVectorEnv, steps: int) -> tuple[list[list[int]], bytes]:
    """Stop for so many steps; return the lengths of each game's episodes, and all that was seen."""
    lengths: list[list[int]] = [[] for _ in range(envs.num_envs)]
    _, info = envs.reset(seed=5)
    seen = [info["rules"].tobytes()]
    for _ in range(steps):
        rules = info["rules"]
        obs, _, terminated, _, info = envs.step(np.zeros(envs.num_envs, int))
        seen += [obs["planes"].tobytes(), obs["scalars"].tobytes(), info["rules"].tobytes()]
        for row in terminated.nonzero()[0]:
            length = int(info["game"]["length"][row])
            assert length == (9, 14)[rules[row]]
            lengths[row].append(length)
    return lengths, b"".join(seen)


def test_one_for_each_game(server: pommego.Server) -> None:
    """Game i has entry i, on every transport, in every mode, on one server or several, and after a loss."""
    rules, kept = [QUICK, SLOW, dict(SLOW), QUICK], []
    for options in (
        {},
        wired(shared_memory=False) | {"workers": 2},
        {"replace": True},
        {"address": [server.address] * 2},
    ):
        with pommego.make_vec(ID, 4, rules=rules, **STOPS, **(where(server) | options)) as envs:
            if "replace" in options:
                envs.reset(seed=1)
                cut(envs)
            lengths, seen = ends(envs, 60)
            assert [set(each) for each in lengths] == [{9}, {14}, {14}, {9}]
            assert envs.reset(seed=1)[1]["rules"].tolist() == [0, 1, 1, 0]
            kept.append(seen)
            assert envs.game_spec.rules == {}
            assert envs.game_spec.max_steps == 14
    assert len(set(kept)) == 1


def test_drawn_for_each_episode(server: pommego.Server) -> None:
    def run(**options: Any) -> tuple[set[int], bytes]:
        with pommego.make_vec(ID, 16, rules=[QUICK, SLOW], **STOPS, **where(server), **options) as envs:
            lengths, seen = ends(envs, 60)
            return {length for each in lengths for length in each}, seen

    found, seen = run(workers=1)
    assert found == {9, 14}
    assert run(workers=3, **wired(shared_memory=False))[1] == seen


def test_the_last_step_has_its_own_rules(server: pommego.Server) -> None:
    """In SAME_STEP info has the rules of the new episode, and final_info those of the old."""
    options = {"rules": [QUICK, SLOW], "autoreset_mode": "SameStep", **STOPS, **where(server)}
    with pommego.make_vec(ID, 16, **options) as envs:
        _, info = envs.reset(seed=5)
        changed = 0
        for _ in range(60):
            before = info["rules"]
            info = envs.step(np.zeros(16, int))[4]
            if "final_info" in info:
                ended = info["_final_info"]
                last = info["final_info"]["rules"]
                assert (last[ended] == before[ended]).all()
                assert (info["final_info"]["_rules"] == ended).all()
                changed += int((last[ended] != info["rules"][ended]).sum())
        assert changed > 5


def test_states_keep_their_rules(server: pommego.Server) -> None:
    """Saved games, clones and simulations go on by their own rules, wherever they are."""
    with pommego.make_vec(ID, 2, rules=[QUICK, SLOW], **STOPS, **where(server)) as envs:
        envs.reset(seed=3)
        for _ in range(5):
            envs.step(np.zeros(2, int))
        states = envs.get_state()
        found = envs.simulate([*states, *states[::-1]], np.zeros(4, int), steps=20, policy="static")
        assert found.info["game"]["length"].tolist() == [9, 14, 14, 9]
        assert found.info["rules"].tolist() == [0, 1, 1, 0]
        with envs.clone() as twin:
            lengths = [set(), set()]
            for _ in range(9):
                info = twin.step(np.zeros(2, int))[4]
                for row in info.get("_game", np.zeros(2, bool)).nonzero()[0]:
                    lengths[row].add(int(info["game"]["length"][row]))
        assert lengths == [{9}, {14}]
        envs.set_state([0, 1], states[::-1])
        for step in range(6, 15):
            info = envs.step(np.zeros(2, int))[4]
            if step < 9:
                assert info["rules"].tolist() == [1, 0]
        assert info["game"]["length"][0] == 14
        assert envs.step(np.zeros(2, int))[4]["rules"].tolist() == [0, 1]  # its next episode is its own


def test_policies_and_ready_first(server: pommego.Server) -> None:
    """The caller's rows alone are numbered, and batches of the games that are ready have their rules."""

    def still(_: Any, info: Any) -> np.ndarray:
        return np.zeros(len(info["row"]), int)

    for options in ({"opponents": [still, "static", still]}, {"batch_size": 2, **STOPS}):
        with pommego.make_vec(ID, 4, rules=[QUICK, SLOW, QUICK, SLOW], **options, **where(server)) as envs:
            obs, info = envs.reset(seed=2)
            rows = info.get("row", np.arange(4))
            assert info["rules"].tolist() == (rows % 2).tolist()
            assert len(obs["planes"]) == len(rows)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([QUICK, SMALL, QUICK], ["rules of game 1", "planes", "[18 9 9]", "[18 11 11]"]),
        ([QUICK, SLOW, {"bomb_lif": 3}], ["rules of game 2", "bomb_lif"]),
        ([QUICK, {"bomb_lif": 3}], ["rules[1]", "bomb_lif"]),
        ([{"bomb_life": k} for k in range(1, 300)], ["rules has 299 entries, want 1 to 256"]),
        ([], ["rules has 0 entries"]),
        ([QUICK, 3], ["rules[1]", "3 is given, want an object"]),
    ],
)
def test_what_does_not_fit(server: pommego.Server, rules: list[Any], words: list[str]) -> None:
    with pytest.raises(pommego.ServerError) as caught:
        pommego.make_vec(ID, 3, rules=rules, **where(server))
    assert all(word in str(caught.value) for word in words), caught.value
    assert caught.value.field == "rules"


def test_one_death_ends_a_game(server: pommego.Server) -> None:
    """A lone learner's death does not silently take the place of the rules' training_agent."""
    options = {"rules": {"training_agent": 0}, "opponents": ["static"] * 3}
    with pytest.raises(pommego.ServerError, match='on_death is "end".*leave training_agent out') as caught:
        pommego.make_vec(ID, 1, **options, **where(server))
    assert caught.value.field == "on_death"
    pommego.make_vec(ID, 1, on_death="wait", **options, **where(server)).close()


def test_programs_and_planes_have_one_set_of_rules(server: pommego.Server) -> None:
    options = {"rules": [QUICK, SLOW], "opponents": ["exec:true"] * 3}
    with pommego.Server(allow_agents=["*"]) as open_server:
        with pytest.raises(pommego.ServerError, match="outside the server"):
            pommego.make_vec(ID, 4, **options, **where(open_server))
    with pommego.make_vec(ID, 2, rules=[QUICK, SLOW], observation="raw", **where(server)) as envs:
        obs, _ = envs.reset(seed=1)
        with pytest.raises(ValueError, match="one set of rules"):
            pommego.encoding.planes(obs, envs.game_spec)


def test_evaluate_over_rules() -> None:
    """A policy is judged over several rules in one call."""

    def still(_: Any, info: Any) -> np.ndarray:
        return np.zeros(len(info["seat"]), int)

    def lengths(games: int, rules: list[Any]) -> list[int]:
        return pommego.evaluate(still, ID, ["static"] * 3, games, rules=rules, seed=5).lengths.tolist()

    drawn = lengths(12, [QUICK, SLOW])
    assert set(drawn) == {9, 14}
    assert lengths(8, [QUICK, SLOW]) == drawn[:8], "also with two games in each seat"
    assert lengths(8, [QUICK, SLOW, SLOW, QUICK] * 2) == [9, 14, 14, 9] * 2
