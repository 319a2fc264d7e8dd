"""`pommego serve --openenv` with OpenEnv's own client and its checker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("openenv")

from openenv.core.generic_client import GenericEnvClient

MANIFEST = Path(__file__).resolve().parents[2] / "bridge" / "openenv" / "package"


@pytest.fixture(scope="module")
def url(binary: Path) -> Iterator[str]:
    """The base URL of a server."""
    command = [str(binary), "serve", "--openenv", "--listen", "127.0.0.1:0", "--exit-on-stdin-close"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield "http://" + process.stdout.readline().split("//")[1].strip()
        process.stdin.close()


def play(url: str, **reset: object) -> tuple[list[str], float]:
    """The texts of a game, and the sum of its rewards."""
    with GenericEnvClient(base_url=url).sync() as env:
        told = env.reset(**reset)
        texts, paid = [told.observation["text"]], 0.0
        while not told.done:
            told = env.step({"action": "hunt"})
            texts.append(told.observation["text"])
            paid += told.reward
        assert env.state()["step_count"] == len(texts) - 1
    return texts, paid


def test_client(url: str) -> None:
    """Two sessions with one seed are told the same."""
    first, second = play(url, seed=7), play(url, seed=7)
    assert first == second
    assert first[1] in (1, -1)


def test_two_seats(url: str) -> None:
    """Two clients play one game against each other."""
    with ThreadPoolExecutor(2) as pool:
        resets = [{"seed": 3, "episode_id": "both", "seat": seat, "opponents": "open"} for seat in (0, 1)]
        (_, first), (_, second) = pool.map(lambda reset: play(url, **reset), resets)
    assert first + second in (0, -2)


def validate(*arguments: str) -> dict:
    """The report of `openenv validate`, which must not fail."""
    command = [sys.executable, "-m", "openenv.cli", "validate", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_validate_running(url: str) -> None:
    """The checker passes the running server."""
    assert validate("--url", url, "--timeout", "30")["passed"]


def test_validate_manifest() -> None:
    """The checker reads the manifest; what needs containers is skipped."""
    report = validate(str(MANIFEST), "--skip-build")
    assert {check["check_id"]: check["status"] for check in report["results"]}["static.manifest"] == "pass"
