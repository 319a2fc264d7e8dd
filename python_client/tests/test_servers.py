"""Games split between several servers: the same games as with one, also when servers die."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from processes import halt
from wiring import wired

FFA, TEAM, RADIO = "PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2"
MIXED = ["simple", "static", "random"]

Vec = Callable[..., pommego.PommegoVectorEnv]


@pytest.fixture
def servers(binary: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[pommego.Server]]:
    """Three servers, each a process, with one token for all."""
    monkeypatch.setattr("secrets.token_urlsafe", lambda _: "token-of-all-servers")
    running = [pommego.Server() for _ in range(3)]
    yield running
    for server in running:
        server.close()


def several(servers: list[pommego.Server], id: str, games: int, **options: Any) -> pommego.PommegoVectorEnv:
    where = {"address": [server.address for server in servers], "token": servers[0].token}
    return pommego.make_vec(id, games, **where, **wired(**options))


def kill(server: pommego.Server) -> None:
    os.kill(server.pid, signal.SIGKILL)
    server._process.wait()


def both(got: Any, want: Any, when: str) -> None:
    assert_same(frozen(got), frozen(want), f"{when}: ")


def play(
    envs: pommego.PommegoVectorEnv, plain: pommego.PommegoVectorEnv, steps: int, seed: int = 0
) -> Iterator[int]:
    """Step both with the same actions, and compare all that they show."""
    rng = np.random.default_rng(seed)
    for step in range(steps):
        yield step
        actions = rng.integers(0, 6, plain.action_space.shape)
        both(envs.step(actions), plain.step(actions), f"step {step}")


@pytest.mark.parametrize(
    ("id", "options"),
    [
        (FFA, {"opponents": MIXED}),
        (FFA, {"opponents": MIXED, "autoreset_mode": "SameStep", "state": True, "max_episode_steps": 20}),
        (FFA, {"opponents": [[["static", "random", "simple"][game % 3]] * 3 for game in range(7)]}),
        (FFA, {"opponents": pommego.LineUps([MIXED, ["random"] * 3], [1, 2]), "counts": False}),
        (TEAM, {"observation": "box", "state": True}),
        (TEAM, {"observation": "unfogged", "reward": "reference"}),
        (RADIO, {"observation": "raw", "expand_shared": False, "autoreset_mode": "SameStep"}),
    ],
    ids=["mixed", "same step and state", "by game", "weights", "box", "unfogged", "radio"],
)
def test_as_with_one_server(
    servers: list[pommego.Server], vec: Vec, id: str, options: dict[str, Any]
) -> None:
    plain = vec(id, 7, **options)
    with several(servers, id, 7, **options) as envs:
        assert [host.games for host in envs.hosts] == [range(3), range(3, 5), range(5, 7)]
        assert envs.observation_space == plain.observation_space
        assert envs.action_space == plain.action_space
        both(envs.reset(seed=5), plain.reset(seed=5), "reset")
        for step in play(envs, plain, 150):
            if step == 70:
                both(envs.reset(seed=[9, 8, 7, 6, 5, 4, 3]), plain.reset(seed=[9, 8, 7, 6, 5, 4, 3]), "again")
            if step == 90:
                both(envs.reset(), plain.reset(), "next episode")
            if step in (100, 120):
                mask = np.repeat(np.arange(7) == step - 98 - (step == 120) * 20, plain.learners)
                options = {"reset_mask": mask}
                both(envs.reset(options=options), plain.reset(options=options), "some")


def test_disabled_autoreset(servers: list[pommego.Server], vec: Vec) -> None:
    options = {"opponents": ["static"] * 3, "autoreset_mode": "Disabled", "max_episode_steps": 9}
    plain = vec(FFA, 5, **options)
    with several(servers, FFA, 5, **options) as envs:
        both(envs.reset(seed=1), plain.reset(seed=1), "reset")
        rng, refused = np.random.default_rng(0), 0
        for _ in range(80):
            actions = rng.integers(0, 6, 5)
            got, want = envs.step(actions), plain.step(actions)
            both(got, want, "step")
            over = got[2] | got[3]
            if over.any():
                for each in (envs, plain):
                    with pytest.raises(pommego.ServerError, match="finished") as caught:
                        each.step(actions)
                    assert caught.value.code == "game_finished"
                refused += 1
                mask = {"reset_mask": over}
                both(envs.reset(options=mask), plain.reset(options=mask), "some")
        assert refused > 3


@pytest.mark.parametrize("mode", ["Disabled", "NextStep"])
def test_a_restored_game_that_is_over(servers: list[pommego.Server], mode: str) -> None:
    """No server makes a step that one of them refuses, and an action that does not count may be any."""
    options = {"opponents": ["static"] * 3, "autoreset_mode": mode, "max_episode_steps": 3}
    with several(servers, FFA, 5, **options) as envs:
        envs.reset(seed=1)
        for _ in range(3):
            envs.step(np.zeros(5, int))
        over = envs.get_state(3)
        envs.reset()
        envs.set_state(3, over)
        if mode == "NextStep":
            envs.step(np.where(np.arange(5) == 3, 99, 0))
            return
        with pytest.raises(pommego.ServerError, match="game 3 has finished"):
            envs.step(np.zeros(5, int))
        states = envs.get_state(as_json=True)
        assert [state["step_count"] for state in states] == ["0", "0", "0", "3", "0"]


def test_after_a_forgotten_step_no_server_steps_alone(servers: list[pommego.Server]) -> None:
    """The step ended a game, which nobody was told: either all servers make the next, or none."""
    with several(
        servers, FFA, 3, opponents=["static"] * 3, autoreset_mode="Disabled", max_episode_steps=2
    ) as envs:
        envs.reset(seed=1)
        envs.step(np.zeros(3, int))
        envs.send(np.zeros(3, int))
        envs.reset(options={"reset_mask": np.array([True, False, False])})
        with pytest.raises(pommego.ServerError, match="^game 1 has finished"):
            envs.step(np.zeros(3, int))
        assert [state["step_count"] for state in envs.get_state(as_json=True)] == ["0", "2", "2"]
        envs.reset(options={"reset_mask": np.array([False, True, True])})
        envs.step(np.zeros(3, int))


def test_saved_games(servers: list[pommego.Server], vec: Vec) -> None:
    plain = vec(FFA, 5, opponents=MIXED)
    with several(servers, FFA, 5, opponents=MIXED) as envs:
        both(envs.reset(seed=3), plain.reset(seed=3), "reset")
        for _ in play(envs, plain, 20):
            pass
        assert envs.get_state() == plain.get_state()
        assert envs.get_state([4, 0, 3]) == plain.get_state([4, 0, 3])
        assert (
            envs.get_state(2, as_json=True)
            == plain.get_state(2, as_json=True)
            == envs.state_json(envs.get_state(2))
        )
        saved = plain.get_state()
        for _ in play(envs, plain, 20):
            pass
        both(envs.set_state([4, 1], saved[:2]), plain.set_state([4, 1], saved[:2]), "set")
        with envs.clone() as twin:
            assert twin.get_state() == envs.get_state()
            assert len(twin.hosts) == 3
        for _ in play(envs, plain, 20, 1):
            pass
        got, want = (
            each.simulate(saved, [0] * 5, seed=1, steps=4, policy="random") for each in (envs, plain)
        )
        assert got.states == want.states
        both(got[1:], want[1:], "simulated")
        assert envs.render(range(5)) == plain.render(range(5))
        starts = {"states": [saved[0], None, saved[3], None, saved[1]]}
        both(envs.reset(options=starts), plain.reset(options=starts), "in states")
        starts = {"states": [saved[0], None, None, None, None]}
        both(envs.reset(options=starts), plain.reset(options=starts), "in one server's states")
        for each in (envs, plain):
            for wrong, says in (5, "5, want 0 to 4"), (-1, "-1, want 0"), ([3, 3], "games names 3 twice"):
                with pytest.raises(pommego.ServerError, match=says):
                    each.get_state(wrong)
            with pytest.raises(pommego.ServerError, match=r"^states\[1\]: it is not what Save wrote"):
                each.simulate([saved[0], b"junk"], [0, 0])
        with pytest.raises(pommego.ServerError, match="games from 4 on, counted from 0: state for game 0"):
            envs.set_state([0, 4], [saved[0], b"junk"])


def changed(envs: pommego.PommegoVectorEnv, states: list[pommego.State], step: int) -> None:
    """What a program may do in the middle."""
    if step == 40:
        envs.set_opponents(["random", "static", "simple"])
    if step == 80:
        envs.set_start_states(pommego.Starts(states, ordinary=0.5))


@pytest.mark.parametrize("kills", [[0], [30, 31, 70, 130], [41, 81, 82, 149]])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_server_dies(servers: list[pommego.Server], vec: Vec, mode: str, kills: list[int]) -> None:
    """Its games go on at another, and show what they would have shown."""
    options = {"opponents": MIXED, "autoreset_mode": mode, "max_episode_steps": 35, "state": True}
    plain = vec(FFA, 8, **options)
    plain.reset(seed=2)
    plain.step(np.zeros(8, int))
    states = plain.get_state()
    spares = [pommego.Server() for _ in kills]
    addresses = [server.address for server in spares]
    with several(servers, FFA, 8, replace=addresses, **options) as envs:
        both(envs.reset(seed=11), plain.reset(seed=11), "reset")
        victims = [*servers, *spares]
        for step in play(envs, plain, 150):
            for each in (envs, plain):
                changed(each, states, step)
            if step in kills:
                name = envs.hosts[step % 3].name
                kill(next(server for server in victims if server.address == name))
        lost = sum(host.lost for host in envs.hosts)
        assert lost >= len(kills)
        assert all("lost" in host.error or "closed" in host.error for host in envs.hosts if host.lost)
        assert envs.get_state() == plain.get_state()
    for server in spares:
        server.close()


def test_a_clone_moves_too(servers: list[pommego.Server], vec: Vec) -> None:
    """Whichever of the two goes first, and clones begin where the games are now."""
    plain = vec(FFA, 2, opponents=MIXED)
    with several(servers[:1], FFA, 2, opponents=MIXED, replace=[servers[1].address]) as envs:
        both(envs.reset(seed=11), plain.reset(seed=11), "reset")
        with envs.clone() as twin:
            kill(servers[0])
            envs.step([0] * 2)
            for _ in play(twin, plain, 5):
                pass
        with envs.clone() as another:
            assert [host.name for host in another.hosts] == [servers[1].address]


def test_a_server_is_started_again(servers: list[pommego.Server], vec: Vec, tmp_path: Path) -> None:
    """At the same address, with nothing of what it had; the other one takes no more games."""
    plain = vec(FFA, 4, opponents=MIXED)
    again = pommego.Server(transport="unix")
    place = tmp_path / "socket"
    place.symlink_to(again.address.removeprefix("unix:"))
    where = {"address": [f"unix:{place}"] * 2, "token": again.token}
    with pommego.make_vec(FFA, 4, opponents=MIXED, replace=True, **where) as envs:
        both(envs.reset(seed=11), plain.reset(seed=11), "reset")
        for step in play(envs, plain, 30):
            if step == 17:
                kill(again)
                other = pommego.Server(transport="unix")
                place.unlink()
                place.symlink_to(other.address.removeprefix("unix:"))
        assert [host.lost for host in envs.hosts] == [1, 1]
    again.close()
    other.close()


def test_without_another_server(servers: list[pommego.Server]) -> None:
    """It is named, with its games, and the environment is closed."""
    with several(servers, FFA, 6, opponents=MIXED) as envs:
        envs.reset(seed=1)
        kill(servers[1])
        with pytest.raises(pommego.ConnectionError, match=f"games 2 to 3, at {servers[1].address}: "):
            envs.step([0] * 6)
        with pytest.raises(pommego.ClosedError):
            envs.reset()
    with several([servers[0], servers[2]], FFA, 2, opponents=MIXED, replace=True, timeout=4.0) as envs:
        envs.reset(seed=1)
        kill(servers[0])
        kill(servers[2])
        with pytest.raises(pommego.ConnectionError, match="games 0 to 0, at .*"):
            envs.step([0] * 2)


def test_a_server_stands_still(servers: list[pommego.Server]) -> None:
    for replace in (False, True):
        with several(servers, FFA, 9, opponents=MIXED, replace=replace) as envs:
            envs.reset(seed=1)
            envs.timeout = 4.0  # for the servers that do not stand still, too
            halt(servers[2].pid)
            try:
                envs.send([0] * 9)
                if replace:
                    envs.recv()
                    assert [host.lost for host in envs.hosts] == [0, 0, 1]
                    assert "within 4 s" in envs.hosts[2].error
                    assert envs.hosts[2].name in {server.address for server in servers[:2]}
                    continue
                with pytest.raises(
                    pommego.TimeoutError, match=f"games 6 to 8, at {servers[2].address}: .* within 4 s"
                ):
                    envs.recv()
            finally:
                os.kill(servers[2].pid, signal.SIGCONT)


def test_all_games_are_a_batch(servers: list[pommego.Server]) -> None:
    with several(servers, FFA, 5, opponents=MIXED, batch_size=5) as envs:
        assert envs.reset(seed=1)[1]["row"].tolist() == list(range(5))
        assert envs.step([0] * 5)[-1]["row"].tolist() == list(range(5))


def test_a_bad_action_changes_nothing(servers: list[pommego.Server], vec: Vec) -> None:
    plain = vec(FFA, 6, opponents=MIXED)
    with several(servers, FFA, 6, opponents=MIXED) as envs:
        both(envs.reset(seed=1), plain.reset(seed=1), "reset")
        for actions, says in [
            ([0, 0, 0, 0, 6, 0], "row 4, .* is 6, want 0 to 5"),
            ([300] + [0] * 5, "row 0, .* is 300, want 0 to 5"),
        ]:
            for each in (envs, plain):
                with pytest.raises(pommego.ServerError, match=says):
                    each.step(actions)
        for _ in play(envs, plain, 5):
            pass
        envs.send([0] * 6)
        with pytest.raises(pommego.PommegoError, match="steps in flight: 1"):
            envs.step([0] * 6)


@pytest.mark.parametrize(
    ("games", "options", "says"),
    [
        (2, {}, "3 servers for 2 games"),
        (6, {"address": []}, "an empty list"),
        (6, {"address": [1]}, r"address is \[1\], expected one address"),
        (6, {"replace": "ws://c"}, "replace is 'ws://c', expected True, False or a list"),
        (6, {"batch_size": 2}, "batch_size is 2: with replace, several servers or actors all 6 games"),
        (6, {"address": None, "replace": True}, "replace needs address"),
    ],
)
def test_mistakes(servers: list[pommego.Server], games: int, options: dict[str, Any], says: str) -> None:
    options = {"address": [server.address for server in servers], "token": servers[0].token} | options
    with pytest.raises((ValueError, TypeError), match=says):
        pommego.make_vec(FFA, games, **wired(**options))
