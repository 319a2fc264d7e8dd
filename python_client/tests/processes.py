"""Processes of the tests' own, stopped for sure."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def halt(pid: int) -> None:
    """Stop a process and wait until all of its threads stand still, which on a busy machine takes a while."""
    os.kill(pid, signal.SIGSTOP)
    while not all(
        # State, after the name, which is in brackets and may hold anything.
        task.read_text().rpartition(")")[2].split()[0] in {"T", "t"}
        for task in Path(f"/proc/{pid}/task").glob("*/stat")
    ):
        time.sleep(0.001)
