"""Neighbours: a tiny run, printed and measured as a long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import neighbours


def test_a_tiny_run() -> None:
    run = [
        sys.executable,
        str(Path(neighbours.__file__)),
        "--rounds",
        "1",
        "--seconds",
        "0.05",
        "--games",
        "2",
    ]
    run += ["--kinds", "searches", neighbours.PROGRAM, "--ways", "socket"]
    said = subprocess.run(run, check=True, timeout=120, capture_output=True, text=True).stdout.splitlines()
    assert [line[15:29].strip() for line in said] == ["alone", "searches", neighbours.PROGRAM]
    for line in said:
        assert line.startswith("socket ") and " p99 " in line and not line.endswith(" 0 steps")
