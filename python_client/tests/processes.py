"""Processes of the tests' own, stopped for sure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pommego

HANGS = 60
"""Seconds in which what does not wait is over, on the slowest machine. What does wait would for longer."""


def halt(pid: int) -> None:
    """Stop a process and wait until all of its threads stand still, which on a busy machine takes a while."""
    os.kill(pid, signal.SIGSTOP)
    while not all(
        # State, after the name, which is in brackets and may hold anything.
        task.read_text().rpartition(")")[2].split()[0] in {"T", "t"}
        for task in Path(f"/proc/{pid}/task").glob("*/stat")
    ):
        time.sleep(0.001)


def interrupt(envs: pommego.PommegoVectorEnv) -> None:
    """Send this process SIGINT once it is in the middle of a step."""

    def wait() -> None:
        while not envs._in_flight:
            time.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def printed(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Read the object that a command prints with `--json`, while it goes on."""
    text = ""
    while not text.endswith("}\n"):
        line = process.stdout.readline() if process.stdout else ""
        assert line, f"{process.args} printed {text!r} and ended"
        text += line
    return json.loads(text)


class Serving:
    """A server with metrics, in a process that ends with this one.

    Args:
        binary: the program.
        listen: where it listens.
        options: further options of `pommego serve`.
    """

    def __init__(self, binary: Path, listen: str, *options: str) -> None:
        command = [binary, "serve", "--listen", listen, "--metrics-address", "127.0.0.1:0", "--json"]
        self.process = subprocess.Popen(
            [*command, "--exit-on-stdin-close", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        said = printed(self.process)
        self.address, self._metrics = said["address"], said["metrics"]

    def figures(self, *names: str) -> dict[str, int]:
        """Return these of its metrics, in this order."""
        with urllib.request.urlopen(self._metrics) as answer:
            lines = answer.read().decode().splitlines()
        found = dict(line.split(" ") for line in lines if line.startswith(names) and line.count(" ") == 1)
        return {name: int(float(found[name])) for name in names}

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=20) == 0
        self.process.stdout.close()
        self.process.stdin.close()
