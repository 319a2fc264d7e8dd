"""The client as it is on Windows and macOS, as far as that can be seen on Linux."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pommego

# What the standard library lacks there, and what a server on Linux offers all the same:
# on Windows one in its Linux subsystem, on macOS one in a container, both at 127.0.0.1.
LACKING = {
    "win32": {
        "modules": ["fcntl", "grp", "pwd", "resource", "termios"],
        "os": ["O_CLOEXEC", "O_PATH", "fork", "geteuid", "memfd_create", "register_at_fork"],
        "select": ["epoll", "poll"],
        "socket": ["AF_UNIX"],
    },
    "darwin": {"modules": [], "os": ["O_PATH", "memfd_create"], "select": ["epoll"], "socket": []},
}
CLIENT = """
import os, select, socket, sys
import asyncio, gymnasium, msgspec, multiprocessing, numpy, subprocess

system, lacking, address = sys.argv[1], eval(sys.argv[2]), sys.argv[3]
for name in lacking.pop("modules"):
    sys.modules[name] = None
for module, names in lacking.items():
    for name in names:
        delattr(sys.modules[module], name)
sys.platform = system

import pommego

with pommego.make_vec("PommeTeamCompetition-v0", 8, address=address, token=sys.stdin.read()) as envs:
    obs, info = envs.reset(seed=1)
    for _ in range(20):
        obs, reward, terminated, truncated, info = envs.step(numpy.arange(envs.num_envs) % 6)
    print(envs.shared_memory, obs["planes"].tobytes().hex())
"""


@pytest.mark.parametrize("system", LACKING)
def test_a_client_without_what_linux_has(system: str) -> None:
    """It plays the same games, over a socket."""
    with pommego.Server() as server:
        with pommego.make_vec(
            "PommeTeamCompetition-v0", 8, address=server.address, token=server.token
        ) as envs:
            obs, _ = envs.reset(seed=1)
            for _ in range(20):
                obs, *_ = envs.step(np.arange(envs.num_envs) % 6)
        command = [sys.executable, "-c", CLIENT, system, repr(LACKING[system]), server.address]
        done = subprocess.run(command, input=server.token, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        assert done.stdout.split() == ["False", obs["planes"].tobytes().hex()]


def test_text_of_the_program_in_another_encoding(tmp_path: Path) -> None:
    """What goes to the program and comes back is UTF-8, whatever the system's encoding is."""
    program = tmp_path / "pommego"
    program.write_text("#!/bin/sh\nexec cat\n")
    program.chmod(0o755)
    settings = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    env = os.environ | settings | {"POMMEGO_BINARY": str(program)}
    code = "from pommego._core.program import run; print(ascii(run('', text='J\\xf6rg')))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "'J\\xf6rg'\n", done.stderr
