"""The ladder from games alone to learning: of `pommego.bench`, and of a copy of the example."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

STAGES = ["games", "near", "transfer", "network", "ppo"]
SHORT = ["--games", "6", "--seconds", "0.1"]


def run(*command: object, code: int = 0, where: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd=where,
        env=environment,
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--observation", "raw", "--workers", "1"],
        ["--id", "PommeRadioCompetition-v2", "--opponents", "random,static,simple"],
        ["--id", "BaseWar-v0", "--opponents", "random"],
    ],
    ids=" ".join,
)
def test_ladder(binary: Path, options: list[str]) -> None:
    report = json.loads(run("-m", "pommego.bench", "--device", "cpu", "--json", *SHORT, *options).stdout)
    assert (report["games"], report["device"], report["torch_threads"]) == (6, "cpu", 1)
    rows = report["results"]
    seen = STAGES if report["observation"] == "near" else [stage for stage in STAGES if stage != "near"]
    assert [row["name"] for row in rows] == seen
    assert [row["limit"] for row in rows] == [None, *(row["env_steps_per_second"] for row in rows[:-1])]
    for row in rows:
        assert 0 < row["min"] <= row["env_steps_per_second"] <= row["max"]
        assert row["waits_for_games"] > 0 < row["waits_for_device"]
        assert row["waits_for_games"] + row["waits_for_device"] < 1


def test_a_copy_for_people(binary: Path, tmp_path: Path) -> None:
    run("-m", "pommego.examples", "copy", "ladder", "--to", tmp_path)
    out = run("ladder.py", "--id", "OneVsOne-v0", *SHORT, where=tmp_path).stdout
    rows = re.findall(r"^(\w+) +[\d,]+ +(?:\d+%)? +\d+% +\d+%$", out, re.MULTILINE)
    assert rows in (STAGES, [stage for stage in STAGES if stage != "near"]), out


def test_what_is_wrong(binary: Path) -> None:
    wrong = [("--games 1", 2, "--games is 1 .* expected two or more"), ("--id Nothing-v0", 1, "Nothing-v0")]
    wrong.append(("--seconds nan", 2, "--seconds nan, expected two or more, and more than 0"))
    for device in ("foo", *([] if torch.cuda.is_available() else ["cuda"])):
        wrong.append((f"--device {device}", 2, f"--device is '{device}', which PyTorch does not have: "))
    for options, code, says in wrong:
        done = run("-m", "pommego.bench", "--device", "cpu", *options.split(), code=code)
        assert re.search(says, done.stderr) and "Traceback" not in done.stderr
