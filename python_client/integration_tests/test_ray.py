"""Environments in the actors of a Ray cluster of several nodes, with actors and nodes that die."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"  # it is on the loopback interface, for a minute

import ray
from ray.cluster_utils import Cluster

import pommego
import pommego.ray
from clusters import cluster, kill_node, machines  # noqa: F401
from compare import assert_same, frozen
from processes import halt

FFA = "PommeFFACompetition-v0"
MIXED = ["simple", "static", "random"]


def pid_of(envs: pommego.PommegoVectorEnv, number: int) -> int:
    """Return the process of an actor."""
    actor = envs._session.portions[number].games._actor
    return ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))


def both(got: Any, want: Any, when: str) -> None:
    assert_same(frozen(got), frozen(want), f"{when}: ")


@pytest.mark.parametrize(
    "options",
    [
        {"opponents": [[["static", "random", "simple"][game % 3]] * 3 for game in range(7)], "state": True},
        {"observation": "box", "autoreset_mode": "SameStep", "max_episode_steps": 30},
    ],
    ids=["opponents", "all learn"],
)
def test_as_on_one_machine(cluster: Cluster, options: dict[str, Any]) -> None:  # noqa: F811
    """An actor is killed, and a node; everything that is shown is the same."""
    with (
        pommego.make_vec(FFA, 7, **options) as plain,
        pommego.ray.make_vec(FFA, 7, 2, actor_options={"num_cpus": 0.5}, **options) as envs,
    ):
        assert [host.games for host in envs.hosts] == [range(4), range(4, 7)]
        both(envs.reset(seed=5), plain.reset(seed=5), "reset")
        rng = np.random.default_rng(0)
        for step in range(120):
            if step in (20, 21, 90):
                os.kill(pid_of(envs, step % 2), signal.SIGKILL)
            if step == 60:
                kill_node(cluster, 0)
            actions = rng.integers(0, 6, plain.action_space.shape)
            got, want = envs.step(actions), plain.step(actions)
            both(got, want, f"step {step}")
            assert all(array.flags.writeable for array in got[1:4])
            if step == 100:
                assert envs.get_state() == plain.get_state()
                assert envs.get_state(5, as_json=True) == plain.get_state(5, as_json=True)
                saved = plain.get_state([1, 2])
                both(envs.set_state([6, 0], saved), plain.set_state([6, 0], saved), "set")
        assert sum(host.lost for host in envs.hosts) >= 4
        assert envs.render(6) == plain.render(6)


def test_an_actor_that_stands_still(cluster: Cluster) -> None:  # noqa: F811
    with pommego.ray.make_vec(FFA, 4, 2, opponents=MIXED, retries=1, timeout=20.0) as envs:
        envs.reset(seed=1)
        envs.timeout = 2.0
        os.kill(pid_of(envs, 1), signal.SIGSTOP)
        envs.step([0] * 4)
        assert "did not answer within 2 s" in envs.hosts[1].error
        envs.timeout = 20.0
        os.kill(pid_of(envs, 1), signal.SIGKILL)
        with pytest.raises(pommego.ConnectionError, match="games 2 to 3, at actor 1 on"):
            envs.step([0] * 4)


def test_the_caller_s_timeout_is_in_force(cluster: Cluster) -> None:  # noqa: F811
    """And not the one that the actor was made with."""
    actors = pommego.ray.games.Actors(1, {}, 0, 60.0)
    with pommego.make_vec(FFA, 2, address=actors, opponents=MIXED, timeout=1.0) as envs:
        envs.reset(seed=1)
        actor = envs._session.portions[0].games._actor
        server = ray.get(actor.__ray_call__.remote(lambda host: host._games.server.pid))
        halt(server)
        threading.Timer(3.0, os.kill, (server, signal.SIGCONT)).start()
        envs.step([0] * 2)


def test_mistakes(cluster: Cluster) -> None:  # noqa: F811
    with pytest.raises(TypeError, match="no option address"):
        pommego.ray.make_vec(FFA, 4, 2, address="ws://a")
    with pytest.raises(TypeError, match="no option batch_size"):
        pommego.ray.make_vec(FFA, 4, 2, batch_size=1)
    with pytest.raises(ValueError, match="3 actors for 2 games"):
        pommego.ray.make_vec(FFA, 2, 3)
    with pytest.raises(pommego.ServerError, match="no agent is called"):
        pommego.ray.make_vec(FFA, 2, 2, opponents=["nobody"] * 3)
    with pytest.raises(pommego.TimeoutError, match="Has the cluster room"):
        pommego.ray.make_vec(FFA, 2, 2, timeout=3.0, actor_options={"num_cpus": 64})
