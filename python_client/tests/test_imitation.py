"""The imitation example, in short."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from conftest import REPOSITORY

pytest.importorskip("pyarrow")

EXAMPLE = REPOSITORY / "python_client" / "examples" / "imitation.py"


def test_imitation(binary: Path, tmp_path: Path) -> None:
    """It learns: more of its choices are those of `simple`, from the same command to the same curve."""
    options = ["--decisions", "16000", "--epochs", "1", "--matches", "6", "--points", "2", "--hidden", "64"]
    options += ["--batch", "64"]
    curves = []
    for out in ("a", "b"):
        command = [sys.executable, "-W", "error", str(EXAMPLE), "--out", str(tmp_path / out), *options]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        curves.append(json.loads((tmp_path / out / "curve.json").read_text()))
    first, *_, last = curves[0]
    assert [round(point["decisions"], -3) for point in curves[0]] == [0, 8000, 16000]
    assert last["accuracy"] > first["accuracy"] + 0.1
    assert last["loss"] < first["loss"] - 0.1
    assert all(point["won"] + point["tied"] <= 1 for point in curves[0])
    assert [point["accuracy"] for point in curves[1]] == [point["accuracy"] for point in curves[0]]
    picture = ElementTree.parse(tmp_path / "a" / "curve.svg").getroot()
    for text in picture.iter("{http://www.w3.org/2000/svg}text"):
        if text.get("text-anchor") == "middle":
            half = 0.6 * 12 * len(text.text or "") / 2  # no digit is wider
            assert half <= float(text.get("x", "")) <= float(picture.get("width", "")) - half, text.text
    assert sum(child.tag.endswith("path") and "stroke-width" in child.attrib for child in picture) == 3
    assert len(np.load(tmp_path / "a" / "network.npz")) == 6


def test_the_same_command_goes_on(binary: Path, tmp_path: Path) -> None:
    """After Ctrl-C it gets where it would have come without; with other options it leaves the run alone."""
    options = ["--decisions", "9000", "--matches", "4", "--points", "3", "--hidden", "32", "--batch", "64"]

    def command(out: str, *more: str) -> list[str]:
        return [sys.executable, "-W", "error", str(EXAMPLE), "--out", str(tmp_path / out), *options, *more]

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir() if path.is_file()}

    def points(out: str) -> list[dict[str, float]]:
        rows = json.loads((tmp_path / out / "curve.json").read_text())
        return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]

    subprocess.run(command("a"), check=True, capture_output=True, timeout=120)
    first = subprocess.Popen(command("b"), stdout=subprocess.PIPE, text=True)
    assert any('"decisions": 6' in line for line in first.stdout)  # the second of four measurements
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    assert not first.returncode
    kept = files()
    for more, said in (
        (
            ["--seed", "2"],
            "has a run with --seed 1, not --seed 2. The same options or --resume go on with it",
        ),
        (["--resume", "--rate", "0.1"], "has a run with --rate 0.001, not --rate 0.1."),
    ):
        done = subprocess.run(command("b", *more), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1
        assert said in done.stderr
        assert files() == kept
    assert 2 <= len(points("b")) < len(points("a")) == 4
    subprocess.run(command("b"), check=True, capture_output=True, timeout=120)
    assert points("b") == points("a")
    weights = [np.load(tmp_path / out / "network.npz") for out in ("a", "b")]
    assert all(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0].files)
    again = subprocess.run(command("b"), check=True, capture_output=True, text=True, timeout=60)
    assert "nothing is left to do" in again.stdout


def test_what_the_network_sees(binary: Path) -> None:
    """The agent is in the middle, and rigid walls are beyond the edge."""
    import pommego

    sys.path.insert(0, str(EXAMPLE.parent))
    try:
        import imitation
    finally:
        sys.path.pop(0)
    with pommego.make_vec(imitation.ID, 2, observation="planes") as envs:
        obs, _ = envs.reset(seed=1)
    seen = imitation.look(obs["planes"], obs["scalars"])[:, :-3].reshape(8, len(imitation.SEEN), 11, 11)
    own = seen[:, imitation.SEEN.index(14)]
    assert (own[:, 5, 5] == 1).all()
    assert (own.sum(axis=(1, 2)) == 1).all()
    rigid = seen[:, imitation.SEEN.index(imitation.RIGID)]
    np.testing.assert_array_equal(rigid[0, :4], 1)  # seat 0 stands at row 1, column 1
    np.testing.assert_array_equal(rigid[0, 4:, 4:], obs["planes"][0, imitation.RIGID, :7, :7])
