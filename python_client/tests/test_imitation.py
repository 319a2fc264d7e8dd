"""The imitation example, in short."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import REPOSITORY

pytest.importorskip("pyarrow")

EXAMPLE = REPOSITORY / "python_client" / "examples" / "imitation.py"


def test_imitation(binary: Path, tmp_path: Path) -> None:
    """It learns: more of its choices are those of `simple`, from the same command to the same curve.

    Another command in the same folder has other data.
    """
    options = ["--decisions", "8000", "--epochs", "1", "--matches", "2", "--points", "2", "--hidden", "64"]
    options += ["--batch", "64"]
    curves = []
    for out in ("a", "b"):
        command = [sys.executable, "-W", "error", str(EXAMPLE), "--out", str(tmp_path / out), *options]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        lines = (tmp_path / out / "progress.jsonl").read_text().splitlines()
        curves.append([json.loads(line) for line in lines])
    subprocess.run([*command, "--decisions", "2000"], check=True, capture_output=True, timeout=120)
    first, *_, last = curves[0]
    assert [round(point["decisions"], -3) for point in curves[0]] == [0, 4000, 8000]
    assert last["accuracy"] > first["accuracy"] + 0.1
    assert last["loss"] < first["loss"] - 0.1
    assert all(point["won"] + point["tied"] <= 1 for point in curves[0])
    same = [[{**point, "seconds": 0} for point in curve] for curve in curves]
    assert same[0] == same[1]
    assert len(np.load(tmp_path / "a" / "network.npz")) == 6


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
