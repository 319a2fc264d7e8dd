"""Neighbours: a tiny run, printed and measured as a long one."""

from __future__ import annotations

import subprocess
import sys

import neighbours


def test_a_tiny_run() -> None:
    run = [sys.executable, neighbours.__file__, "--seconds", "0.05", "--games", "2"]
    said = subprocess.run(run, check=True, timeout=120, capture_output=True, text=True).stdout.splitlines()
    assert len(said) == 2 * (1 + len(neighbours.KINDS))
    for line, kind in zip(said, 2 * ["alone", *neighbours.KINDS], strict=True):
        assert kind in line and " p99 " in line
