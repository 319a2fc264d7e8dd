"""A Ray cluster of several nodes on this machine, for tests that kill parts of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

NODES = 2  # besides the first, on which this process is


@pytest.fixture(scope="module")
def machines() -> Iterator[Cluster]:
    """A cluster whose first node, with this process, has no room for actors and tasks."""
    quick = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": quick})
    ray.init(cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def cluster(machines: Cluster) -> Cluster:
    """The same, with two further nodes."""
    complete(machines)
    return machines


def complete(cluster: Cluster) -> None:
    """Start nodes in place of those that were killed."""
    while len(cluster.worker_nodes) < NODES:
        cluster.add_node(num_cpus=2, object_store_memory=100 << 20)
    cluster.wait_for_nodes()


def kill_node(cluster: Cluster, which: int) -> None:
    """Kill a node with all that runs on it."""
    nodes = sorted(cluster.worker_nodes, key=lambda node: node.node_id)
    cluster.remove_node(nodes[which % len(nodes)], allow_graceful=False)


def kill_task(which: int) -> bool:
    """Kill the process of a task that runs in a cluster of ours; returns whether there was one."""
    return _kill(_tasks(), which)


def kill_program(which: int) -> bool:
    """Kill the program that a task runs, and leave the task; returns whether there was one."""
    return _kill([pid for task in _tasks() for pid in _descendants(task) - {task}], which)


def _tasks() -> list[int]:
    return [pid for pid in _descendants(os.getpid()) if _title(pid).startswith("ray::_make")]


def _kill(pids: list[int], which: int) -> bool:
    if pids:
        os.kill(sorted(pids)[which % len(pids)], signal.SIGKILL)
    return bool(pids)


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def _descendants(pid: int) -> set[int]:
    """Return the processes that a process has started, and those that they have."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, left = set[int](), [pid]
    while left:
        more = children.get(left.pop(), [])
        found.update(more)
        left += more
    return found
