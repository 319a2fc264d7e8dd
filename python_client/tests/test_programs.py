"""The benchmark and the README's example, run as users run them."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import pommego
from conftest import REPOSITORY

EXAMPLES = REPOSITORY / "python_client" / "examples"


def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--observation", "raw", "--no-copy", "--transport", "unix"],
        ["--opponents", "simple", "--workers", "1"],
        ["--in-flight", "2"],
        ["--opponents", "osla,simple,static", "--id", "PommeFFACompetition-v0"],
        ["--transport", "tcp"],
        ["--in-flight", "700"],
    ],
    ids=" ".join,
)
def test_bench(binary: Path, options: list[str]) -> None:
    done = run("-m", "pommego.bench", "--json", "--games", "16", "--seconds", "0.5", *options)
    report = json.loads(done.stdout)
    assert report["games"] == 16
    asked = int(options[1]) if "--in-flight" in options else 1
    assert report["in_flight"] == min(asked, report["in_flight"]) < 20, "as many as there were"
    results = {result["name"]: result for result in report["results"]}
    assert results.keys() == {"end-to-end", "noop", "round_trip_us", "step_us"}
    end = results["end-to-end"]
    assert 0 < end["min"] <= end["env_steps_per_second"] <= end["max"]
    assert statistics.median(end["rounds"]) == end["env_steps_per_second"]
    assert end["limit"] == results["noop"]["env_steps_per_second"]
    assert 0 < report["round_trip_us"] == results["round_trip_us"]["microseconds"]
    assert results["round_trip_us"]["microseconds"] <= results["round_trip_us"]["p99"]
    assert results["step_us"]["samples"] > 0
    if report["wire_bytes"] is not None:
        assert (report["wire_bytes"] > 0.8 * report["batch_bytes"]) == (report["transport"] != "shm")


def test_bench_for_people(binary: Path) -> None:
    out = run("-m", "pommego.bench", "--games", "4", "--seconds", "0.3").stdout
    assert re.search(r"end-to-end +[\d.,]+( [kM])? steps/s .*% of noop", out)
    assert re.search(r"step_us +[\d.]+ us p50 +\(p90 [\d.]+, p99 [\d.]+\)", out)


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("--games 0", 2, "--games is 0, expected more than 0"),
        ("--seconds 0", 2, "--seconds is 0.0, expected more than 0"),
        ("--seconds nan", 2, "--seconds is nan, expected more than 0"),
        ("--in-flight -1", 2, "--in-flight is -1, expected more than 0"),
        ("--id Nothing-v0 --opponents simple", 1, 'pommego.bench: .*"Nothing-v0"'),
        ("--opponents simple,simple", 1, "pommego.bench: .*opponents"),
        ("--workers -1", 1, "pommego.bench: .*workers"),
        ("--seed -1", 1, "pommego.bench: .*seed"),
        ("--device cpu", 1, "pommego.bench: pommego.torch needs torch: pip install 'torch'"),
    ],
)
def test_bench_says_what_is_wrong(binary: Path, options: str, code: int, says: str) -> None:
    err = run("-m", "pommego.bench", "--games", "4", "--seconds", "0.1", *options.split(), code=code).stderr
    assert re.search(says, err)
    assert "Traceback" not in err


def test_examples_are_listed_and_copied(tmp_path: Path) -> None:
    """With those they import, and never over a file that is there."""
    listed = run("-m", "pommego.examples", "list").stdout
    files = [*sorted(EXAMPLES.glob("*.[cghp]*")), *sorted(EXAMPLES.glob("baselines/*.py"))]
    there = [file.name.removesuffix(".py") for file in files]
    assert [line.split()[0] for line in listed.splitlines()] == there
    run("-m", "pommego.examples", "copy", "basewar_bot.c", "--to", str(tmp_path / "c"))
    assert sorted(file.name for file in (tmp_path / "c").iterdir()) == ["basewar_bot.c", "pommego_agent.h"]
    shutil.rmtree(tmp_path / "c")
    run("-m", "pommego.examples", "copy", "ppo", "--to", str(tmp_path))
    copied = tmp_path / "ppo.py"
    assert copied.read_text() == (EXAMPLES / "baselines" / "ppo.py").read_text()
    copied.write_text("mine")
    said = run("-m", "pommego.examples", "copy", "ppo.py", "--to", str(tmp_path), code=1).stderr
    refused = "cannot be written: it exists: remove it first"
    assert said == f"pommego.examples: {copied} {refused}\n"
    folder = copied / "sub"
    said = run("-m", "pommego.examples", "copy", "alphazero", "--to", str(folder), code=1).stderr
    assert said == f"pommego.examples: {folder} cannot be written: Not a directory\n"
    (tmp_path / "pommego_agent.h").write_text("mine")
    run("-m", "pommego.examples", "copy", "basewar_bot.c", "--to", str(tmp_path))
    assert (tmp_path / "pommego_agent.h").read_text() == "mine"
    said = run("-m", "pommego.examples", "copy", "nothing", code=2).stderr
    assert "there is no example 'nothing'; there are alphazero, " in said


def test_the_package_runs_as_the_command(binary: Path) -> None:
    assert run("-m", "pommego", "version").stdout.startswith("pommego ")
    assert "pommego play: --seed is" in run("-m", "pommego", "play", "--seed", "-1", code=2).stderr


def test_example_is_ten_lines_and_runs(binary: Path) -> None:
    source = (EXAMPLES / "rollout.py").read_text()
    code = [line for line in source.splitlines() if line.strip() and not line.startswith('"""')]
    assert len(code) <= 10
    out = run(str(EXAMPLES / "rollout.py")).stdout
    planes = pommego.catalog()["PommeFFACompetition-v0"].encodings[0]["planes"]
    assert str((256, *planes.shape)) in out
    assert "episodes ended" in out


def test_examples_of_the_docstrings_name_what_exists() -> None:

    for name in re.findall(
        r"pommego\.(\w+)\(", pommego.__doc__ + (EXAMPLES.parent / "README.md").read_text()
    ):
        assert hasattr(pommego, name)
    assert set(pommego.__all__) <= set(dir(pommego))
    assert (Path(pommego.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("readme", [EXAMPLES.parents[1] / "README.md", EXAMPLES.parent / "README.md"])
def test_the_readmes_first_lines_run(binary: Path, readme: Path) -> None:
    """Those of the wheel's page on an index too."""
    code = readme.read_text().split("```python\n")[1].split("```")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 9
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
