"""Mistakes: options that cannot be, and environments used by other processes and threads, or pickled."""

from __future__ import annotations

import copy
import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import pommego
from compare import assert_same
from pommego.data import record
from processes import halt
from wiring import wired

Vec = Callable[..., pommego.PommegoVectorEnv]
Envs = pommego.PommegoVectorEnv

GAMES = 20
ACTIONS = np.ones(4 * GAMES, int)
REFUSED: dict[str, Callable[[Envs], Any]] = {
    "reset": lambda envs: envs.reset(seed=1),
    "step": lambda envs: envs.step(ACTIONS),
    "send": lambda envs: envs.send(ACTIONS),
    "recv": lambda envs: envs.recv(),
    "render": lambda envs: envs.render(0),
    "set_opponents": lambda envs: envs.set_opponents(["static"]),
    "set_start_states": lambda envs: envs.set_start_states(None),
    "get_state": lambda envs: envs.get_state(0),
    "set_state": lambda envs: envs.set_state(0, b""),
    "state_json": lambda envs: envs.state_json(b""),
    "simulate": lambda envs: envs.simulate([b""], [0, 0, 0, 0]),
    "clone": lambda envs: envs.clone(),
    "show": lambda envs: envs.show(),
}


def unlike(envs: Envs, error: type[Exception]) -> list[str]:
    """Make every call; returns those that do not raise this error."""
    wrong = []
    for name, call in REFUSED.items():
        try:
            wrong.append(f"{name} returned {call(envs)!r:.80}")
        except error:
            pass
        except BaseException as e:
            wrong.append(f"{name} raised {e!r}")
    return wrong


def test_every_call_is_tried() -> None:
    """A new method that makes requests belongs into the list above, and under the guard."""
    guarded = {name for name, value in vars(Envs).items() if hasattr(value, "__wrapped__")}
    assert guarded == set(REFUSED)


# Options -------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["SAME_STEP", "same-step", "SameStep", "samestep", AutoresetMode.SAME_STEP])
def test_autoreset_modes_by_any_name(vec: Vec, said: Any) -> None:
    assert vec(games=1, autoreset_mode=said).autoreset_mode is AutoresetMode.SAME_STEP


@pytest.mark.parametrize(
    ("id", "games", "options", "error", "says"),
    [
        (
            "OneVsOne-v0",
            1,
            {"autoreset_mode": "SOME"},
            ValueError,
            "'SOME', expected one of NEXT_STEP, SAME_STEP",
        ),
        (
            "OneVsOne-v0",
            1,
            {"max_episode_steps": 0},
            ValueError,
            "is 0, expected an integer, 1 or more, or None for no limit",
        ),
        ("OneVsOne-v0", 0, {}, pommego.ServerError, r"^num_envs is 0, want 1 to .*field num_envs"),
        ("OneVsOne-v0", 1 << 30, {}, pommego.ServerError, r"^num_envs is 1073741824, want 1 to 1048576"),
        ("OneVsOne-v0", 1 << 70, {}, pommego.ServerError, r"^num_envs is 1180\d+, want a number of 64 bits"),
        (
            "OneVsOne-v0",
            2,
            {"workers": -(1 << 70)},
            pommego.ServerError,
            r"^workers is -1180\d+, want a number",
        ),
        ("OneVsOne-v0", 2.5, {}, pommego.ServerError, r"^num_envs is a float, want an integer"),
        (
            "OneVsOne-v0",
            1,
            {"observation": "featurize"},
            pommego.ServerError,
            'there are \\["planes" "raw".* and "box"',
        ),
        ("OneVsOne-v0", "3", {}, pommego.ServerError, "^num_envs is a string, want an integer"),
        (
            "OneVsOne-v0",
            2,
            {"batch_size": "1"},
            pommego.ServerError,
            "batch_size is a string, want an integer",
        ),
        ("OneVsOne-v0", 1, {"max_episode_steps": 2.5}, ValueError, "is 2.5, expected an integer, 1 or more"),
        ("OneVsOne-v0", 1, {"rules": 5}, pommego.ServerError, "rules: 5 is given, want an object"),
        ("OneVsOne-v0", 1, {"start_states": 5}, TypeError, r"^states is one int, expected a list: \[state"),
        ("OneVsOne-v0", 1, {"timeout": "x"}, ValueError, "timeout is 'x', expected a number, 0 or more"),
        ("OneVsOne-v0", 1, {"connection": {"agent_limit": 3}}, TypeError, r"expected pommego.Connection\("),
        (
            "OneVsOne-v0",
            1,
            {"connection": pommego.Connection(agent_limit=-1)},
            pommego.ServerError,
            "^agent_limit is -1, want 0 to 3600 .*field connection",
        ),
        (
            "OneVsOne-v0",
            1,
            {"rules": {"max_step": 3}},
            pommego.ServerError,
            '"max_step" [(]did you mean "max_steps"[?][)]',
        ),
        *(
            ("PommeFFA-v1", 1, {name: "simple,static,osla"}, error, r"\['simple', 'static', 'osla'\]")
            for name, error in (("opponents", ValueError), ("seats", TypeError))
        ),
        ("OneVsOne-v0", 1, {"opponents": "human"}, ValueError, "opponents is 'human', who can play only in"),
        ("OneVsOne-v0", 1, {"opponents": [pommego.Pool]}, TypeError, r"is the class Pool: give .* Pool\("),
        ("OneVsOne-v0", 1, {"opponents": [len]}, TypeError, r"not to be called as policy\(obs, info\)"),
    ],
)
def test_errors_name_what_was_given(
    vec: Vec, id: str, games: Any, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        vec(id, games, **options)


def test_addresses_and_tokens_are_text(server: pommego.Server) -> None:
    with pytest.raises(TypeError, match="^address is 5, expected one address or a list of them"):
        pommego.make_vec("OneVsOne-v0", address=5)
    with pytest.raises(ValueError, match="^the token must be a string of printable ASCII"):
        pommego.make_vec("OneVsOne-v0", address=server.address, token=5)
    with pytest.raises(TypeError, match=r"^address is \['ws://a:1'\], expected ws://HOST:PORT"):
        pommego.catalog(address=["ws://a:1"])


def test_a_connection_is_one_everywhere(server: pommego.Server) -> None:
    where = {"address": server.address, "token": server.token, "connection": {"ca_file": "x"}}
    policy = lambda obs, info: np.zeros(len(info["row"]), int)  # noqa: E731
    for call in (
        pommego.catalog,
        lambda **where: pommego.evaluate(policy, "OneVsOne-v0", **where),
        lambda **where: pommego.tournament([policy, "static"], "OneVsOne-v0", **where),
    ):
        with pytest.raises(TypeError, match=r"connection is .*, expected pommego\.Connection"):
            call(**where)


def test_one_opponent_for_all_seats(vec: Vec, tmp_path: Path, server: pommego.Server) -> None:
    """A name alone means every other seat, whoever is asked."""
    id, two = "PommeFFACompetition-v0", {"games": 2, "seat": 0}
    one, three = vec(id, opponents="static", **two), vec(id, opponents=["static"] * 3, **two)
    assert_same(one.reset(seed=3), three.reset(seed=3))
    one.set_opponents("random")
    three.set_opponents(["random"] * 3)
    assert_same(one.reset(seed=4), three.reset(seed=4))
    assert_same(one.step([0, 0]), three.step([0, 0]))
    where = {"address": server.address, "token": server.token}
    stored = record(
        lambda obs, info: np.zeros(len(info["row"]), int),
        tmp_path / "one",
        id,
        games=2,
        opponents="static",
        **where,
    )
    assert stored.json["games"] == 2
    assert stored.json["generated"]["agents"] == ["client:policy", "static"]


def test_the_catalog_is_short_to_look_at(server: pommego.Server) -> None:
    text = repr(pommego.catalog(address=server.address, token=server.token))
    assert len(text) < 4000
    assert "OneVsOne-v0" in text


# Forks ---------------------------------------------------------------------------

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks with threads


def os_fork(child: Callable[[], None]) -> int:
    """Run child in a fork that ends at once; returns its exit status."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            child()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def c_fork(child: Callable[[], None]) -> int:
    """Run child in a fork of which Python hears nothing, as an extension makes one."""
    pid = ctypes.PyDLL(None).fork()
    if pid == 0:
        status = 1
        try:
            child()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def multiprocessing_fork(child: Callable[[], None]) -> int:
    """Run child as DataLoader and others do; returns its exit status."""
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    return process.exitcode


FORKS = {"os.fork": os_fork, "fork": c_fork, "multiprocessing": multiprocessing_fork}


@pytest.fixture(params=["shared memory", "shared memory, views", "socket"])
def made(request: pytest.FixtureRequest, binary: Path) -> Iterator[tuple[Envs, Envs]]:
    """An environment with a server of its own, and a twin that nobody troubles."""
    shared = request.param.startswith("shared")
    if shared and sys.platform != "linux":
        pytest.skip("memory is shared on Linux only")
    options = wired(shared_memory=shared, copy=not request.param.endswith("views"))
    with (
        pommego.make_vec("PommeFFACompetition-v0", GAMES, **options) as envs,
        pommego.make_vec("PommeFFACompetition-v0", GAMES) as twin,
    ):
        assert_same(envs.reset(seed=3), twin.reset(seed=3))
        yield envs, twin


@pytest.mark.parametrize("fork", FORKS)
def test_a_forked_child_is_refused_and_the_parent_goes_on(made: tuple[Envs, Envs], fork: str) -> None:
    envs, twin = made

    def child() -> None:
        assert unlike(envs, pommego.ForkedError) == []
        envs.close()
        envs.server.close()

    for _ in range(3):
        assert_same(envs.step(ACTIONS), twin.step(ACTIONS))
        assert FORKS[fork](child) == 0
    for _ in range(5):
        assert_same(envs.step(ACTIONS), twin.step(ACTIONS))
    assert_same(envs.reset(seed=4), twin.reset(seed=4))
    assert envs.get_state(0) == twin.get_state(0)
    assert envs.server.running


@pytest.mark.parametrize("fork", FORKS)
def test_a_fork_with_steps_in_flight(made: tuple[Envs, Envs], fork: str) -> None:
    envs, twin = made

    def child() -> None:
        assert unlike(envs, pommego.ForkedError) == []

    for each in made:
        each.send(ACTIONS)
        each.send(ACTIONS)
    assert FORKS[fork](child) == 0
    for _ in range(2):
        assert_same(envs.recv(), twin.recv())
    assert_same(envs.step(ACTIONS), twin.step(ACTIONS))


def test_a_child_that_ends_as_a_program_does(made: tuple[Envs, Envs]) -> None:
    """Its garbage, its finalizers and what it runs at exit leave the parent's server alone."""
    envs, twin = made
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(into, 2)
            del envs, made
            gc.collect()
            import atexit

            atexit._run_exitfuncs()
        finally:
            os._exit(0)
    os.close(into)
    assert os.read(out, 1000) == b"", "the child complains"
    os.close(out)
    os.waitpid(pid, 0)
    for _ in range(5):
        assert_same(envs.step(ACTIONS), twin.step(ACTIONS))


def test_a_child_makes_its_own(made: tuple[Envs, Envs]) -> None:
    envs, twin = made

    def child() -> None:
        with pommego.make_vec("OneVsOne-v0", 2) as own:
            own.reset(seed=0)
            own.step([0] * 4)

    assert os_fork(child) == 0
    assert_same(envs.step(ACTIONS), twin.step(ACTIONS))


def test_a_spawned_worker_is_refused_and_the_parent_goes_on(made: tuple[Envs, Envs]) -> None:
    """A process that is started anew gets its arguments by pickle."""
    envs, twin = made
    for method in ("spawn", "forkserver"):
        worker = multiprocessing.get_context(method).Process(target=Envs.step, args=(envs, ACTIONS))
        with pytest.raises(TypeError, match="a function that makes one there"):
            worker.start()
        assert_same(envs.step(ACTIONS), twin.step(ACTIONS))


# Threads -------------------------------------------------------------------------


def test_a_second_thread_is_refused_and_the_first_goes_on(made: tuple[Envs, Envs]) -> None:
    envs, twin = made
    got: list[Any] = []
    first = threading.Thread(target=lambda: got.append(envs.step(ACTIONS)))
    halt(envs.server.pid)
    try:
        first.start()
        while not envs._in_flight:  # until it is in the middle of the step
            os.sched_yield()
        assert unlike(envs, pommego.BusyError) == []
    finally:
        os.kill(envs.server.pid, signal.SIGCONT)
    first.join()
    assert_same(got[0], twin.step(ACTIONS))
    assert_same(envs.step(ACTIONS), twin.step(ACTIONS))


def test_threads_that_take_turns(vec: Vec) -> None:
    envs, turn, failed = vec(games=GAMES), threading.Lock(), []
    envs.reset(seed=0)

    def run() -> None:
        try:
            for _ in range(20):
                with turn:
                    envs.step(ACTIONS)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


# Pickles -------------------------------------------------------------------------


@pytest.mark.parametrize("way", [pickle.dumps, copy.deepcopy])
def test_environments_are_not_pickled(
    vec: Vec, single: Callable[..., Any], way: Callable[[Any], Any]
) -> None:
    envs, env = vec(games=1), single("OneVsOne-v0")
    for each in (envs, env):
        each.reset(seed=0)
        with pytest.raises(TypeError, match=r"a function that makes one.*env\.envs.*get_state\(\).*clone"):
            way(each)
    with env.envs.clone() as twin:
        assert twin.get_state() == [env.get_state()]
    assert way(envs.get_state(0))
