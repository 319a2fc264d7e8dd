"""Run with ``python -m benchmarks.report.profiling``: where the time goes, on both sides.

The same games are stepped twice with random actions: once under the server's own
profiler, once under the client's (which slows the client down, so that its shares
are good for the order of things more than for their size).
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import pommego
from benchmarks.report.machine import binary
from benchmarks.report.serving import serve

_TOP = 12  # functions told of
_ACTIONS = 64  # batches of random actions drawn beforehand


def main(arguments: list[str] | None = None) -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report.profiling", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--id", default="PommeTeamCompetition-v0", help="default: %(default)s")
    parser.add_argument("--games", type=int, default=1024, help="default: %(default)s")
    parser.add_argument("--observation", choices=["raw", "planes"], default="planes")
    parser.add_argument("--transport", choices=["shm", "tcp", "unix"], default="shm")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each side (default: %(default)s)")
    options = parser.parse_args(arguments)
    try:
        report = {"server": server_profile(options), "client": client_profile(options)}
    except (pommego.PommegoError, RuntimeError) as e:
        print(f"profiling: {e}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(report))
        return 0
    for side, functions in report.items():
        print(f"{side}:")
        for each in functions:
            print(f"  {each['share']:6.1%}  {each['function']}")
    return 0


def server_profile(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the server's functions that took most time themselves."""
    if not shutil.which("go"):
        raise RuntimeError("there is no go, whose tool pprof reads the server's profile")
    with tempfile.TemporaryDirectory(prefix="pommego-") as folder:
        profile = Path(folder) / "server.prof"
        _step(options, "--cpuprofile", str(profile))
        pprof = ["go", "tool", "pprof", "-top", f"-nodecount={_TOP}", str(binary()), str(profile)]
        done = subprocess.run(pprof, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"go tool pprof: {done.stderr.strip()}")
    return read_top(done.stdout)


def read_top(text: str) -> list[dict[str, Any]]:
    """Read what `go tool pprof -top` prints: flat, flat %, sum %, cumulated, its %, function."""
    functions = []
    for line in text.splitlines():
        found = re.match(r"\s*\S+\s+([\d.]+)%\s+[\d.]+%\s+\S+\s+([\d.]+)%\s+(.+)", line)
        if found:
            own, all_of_it, name = found.groups()
            functions.append(_function(name, float(own) / 100, float(all_of_it) / 100))
    return functions


def client_profile(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the client's functions that took most time themselves."""
    profile = cProfile.Profile()
    _step(options, profile=profile)
    stats = pstats.Stats(profile).stats
    total = sum(own for _, _, own, _, _ in stats.values())
    top = sorted(stats.items(), key=lambda entry: -entry[1][2])[:_TOP]
    return [_function(_name(*where), own / total, most / total) for where, (_, _, own, most, _) in top]


def _function(name: str, own: float, most: float) -> dict[str, Any]:
    return {"function": name, "share": own, "with_callees": most}


def _name(file: str, _: int, function: str) -> str:
    """Name a function as Python's profiler found it; `~` is the file of those written in C."""
    if file == "~":
        return function.removeprefix("<").removesuffix(">")
    path = Path(file)
    return f"{path.parent.name}/{path.name} {function}"


def _step(options: argparse.Namespace, *server: str, profile: cProfile.Profile | None = None) -> None:
    """Step for so long."""
    with serve(*server, tcp=options.transport == "tcp") as (address, _):
        envs = pommego.make_vec(
            options.id,
            options.games,
            observation=options.observation,
            copy=False,
            expand_shared=False,
            shared_memory=options.transport == "shm",
            address=address,
        )
        with envs:
            envs.reset(seed=0)
            moves = envs.game_spec.actions[0].n
            actions = np.random.default_rng(0).integers(0, moves, (_ACTIONS, envs.num_envs), np.uint8)
            end = time.perf_counter() + options.seconds
            if profile:
                profile.enable()
            turn = 0
            while time.perf_counter() < end:
                envs.send(actions[turn % _ACTIONS])
                envs.recv()
                turn += 1
            if profile:
                profile.disable()


if __name__ == "__main__":
    sys.exit(main())
