"""Runs the measurements one after the other, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.report.journal import Journal
from benchmarks.report.machine import ROOT, Processors, binary
from benchmarks.report.plan import Measurement
from pommego.terminal import Progress

__all__ = ["pending", "run"]

_PATIENCE = 300.0  # seconds after which a measurement is given up
_GRACE = 10.0  # seconds it then gets to clean up
_TICK = 0.5  # seconds between two looks at the clock


def pending(plan: Sequence[Measurement], journal: Journal) -> list[tuple[int, Measurement]]:
    """List what is still to be measured, round by round. What failed is tried again."""
    rounds = max((m.rounds for m in plan), default=0)
    every = [(round_, m) for round_ in range(rounds) for m in plan if round_ < m.rounds]
    return [(round_, m) for round_, m in every if "result" not in (journal.get(m.text, round_) or {})]


def run(plan: Sequence[Measurement], journal: Journal) -> None:
    """Measure what is pending; Ctrl-C leaves what has been measured in the journal."""
    left = pending(plan, journal)
    clock = _Clock([m for _, m in left])
    processors = Processors()
    for round_, m in left:
        clock.begin(m)
        begin = time.monotonic()
        outcome = _measure(m, clock)
        taken = time.monotonic() - begin
        journal.add(
            {"command": m.text, "round": round_, "part": m.part, "options": m.options}
            | {"seconds": round(taken, 2), **processors.since()}
            | outcome
        )
        clock.end(m, taken)
    clock.clear()


def _measure(m: Measurement, clock: _Clock) -> dict[str, Any]:
    """Run one measurement; returns its result or its error."""
    # A session of its own: Ctrl-C is ours to pass on.
    process = subprocess.Popen(
        _program(m.command),
        cwd=ROOT,
        env=os.environ | {"POMMEGO_BINARY": str(binary())},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    give_up = time.monotonic() + _PATIENCE
    try:
        while True:
            clock.show()
            try:
                out, err = process.communicate(timeout=_TICK)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() > give_up:
                    return {"error": f"no result within {_PATIENCE:g} s"}
    finally:
        _end(process)
    if process.returncode:
        return {"error": (err.strip().splitlines() or [f"exit status {process.returncode}"])[-1]}
    try:
        return {"result": json.loads(out)}
    except ValueError:
        return {"error": f"printed no JSON: {out[:200]!r}"}


def _program(command: Sequence[str]) -> list[str]:
    """Return the command as it is run here: with this Python, and the binary that is measured."""
    places = {".venv/bin/python": sys.executable, "bin/pommego": str(binary())}
    return [places.get(command[0], command[0]), *command[1:]]


def _end(process: subprocess.Popen[str]) -> None:
    """End a measurement that is still running, as Ctrl-C would, so that it cleans up."""
    for how in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(how)
        try:
            process.communicate(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            continue


class _Clock:
    """Shows what is being measured, and how long all of it will take by what it took so far."""

    def __init__(self, left: Sequence[Measurement]) -> None:
        self._progress = Progress(every=30.0)
        self._count = len(left)
        self._done = 0
        self._now = ""
        self._ahead = sum(m.expected for m in left)
        self._taken = self._expected = 1.0  # of what is done
        self._begun = time.monotonic()

    def begin(self, m: Measurement) -> None:
        self._now = m.text
        self._begun = time.monotonic()

    def end(self, m: Measurement, seconds: float) -> None:
        self._done += 1
        self._ahead -= m.expected
        self._taken += seconds
        self._expected += m.expected

    def show(self) -> None:
        running = time.monotonic() - self._begun
        left = max(self._ahead * self._taken / self._expected - running, 0)
        minutes = f"{left / 60:.0f} min" if left > 90 else f"{left:.0f} s"
        text = f"{self._done + 1} of {self._count}, {minutes} left: {self._now}"
        self._progress.show(text[: _width()])

    def clear(self) -> None:
        self._progress.clear()


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns - 1
    except OSError:
        return 200
