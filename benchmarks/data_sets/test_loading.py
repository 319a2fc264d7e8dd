"""The measurements of data sets, in short."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import loading


def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["loading.py", *arguments])
    loading.main()
    return capfd.readouterr().out


@pytest.mark.parametrize("observation", ["planes", "raw"])
def test_read(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    observation: str,
) -> None:
    arguments = ["--out", str(tmp_path), "--steps", "300", "--rounds", "1", "--observation", observation]
    out = run(monkeypatch, capfd, "read", *arguments)
    assert out.count("rows/s") == 2 * len(loading.READERS)
    path = next(tmp_path.iterdir())
    counts = {reader(path, None) for _, reader in loading.READERS}
    assert counts == {json.loads((path / "manifest.json").read_text())["rows"]}


def test_rebuild(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["rebuild", "--out", str(tmp_path), "--steps", "300"]
    done = json.loads(run(monkeypatch, capfd, *arguments).splitlines()[-1])
    assert done["steps"] >= 300
    assert done["rows"] == 4 * done["steps"]
    assert done["bytes"] > 2000 * done["rows"]
    assert done["different"] == 0

    def changed(path: Path) -> object:
        for game in original(path):
            game.observations["planes"][-1, -1, -1, -1, -1] ^= 1
            yield game

    original = loading.data.episodes
    monkeypatch.setattr(loading.data, "episodes", changed)
    with pytest.raises(SystemExit, match="differ"):
        run(monkeypatch, capfd, *arguments)
