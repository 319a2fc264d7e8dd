"""`make champion-net`: its network, and a short run through all stages."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
if not shutil.which("go"):
    pytest.skip("it builds Go programs", allow_module_level=True)

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "champion_net.py"
SHORT = "--steps 400 --rounds 2 --epochs 2 --games 2 --batch 256 --device cpu"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("champion_net", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_answers_are_whole(script: ModuleType) -> None:
    """What the network gives is what whole numbers give, as Go computes."""
    torch.manual_seed(1)
    net = script.Network([50, 16, 8, 6])
    for bias in net.biases:
        torch.nn.init.normal_(bias, std=0.5)
    features, starts = torch.randint(50, (90,), dtype=torch.int32), torch.arange(0, 90, 9, dtype=torch.int32)
    with torch.no_grad():
        answers = net(features, starts).numpy() * script.WEIGHT * script.UNIT
        rows, bias, *dense = (w.numpy().astype(np.int64) for w in net.whole())
    sums = rows[features.numpy()].reshape(10, 9, -1).sum(1) + bias
    units = np.clip(sums >> 1, 0, 127)
    while dense:
        weights, bias, *dense = dense
        sums = units @ weights.T + bias
        units = np.clip(sums >> 6, 0, 127)
    assert (sums > 0).any()
    np.testing.assert_array_equal(answers, sums)


def test_loss(script: ModuleType) -> None:
    """It is least for the values' own shares, and moves without a value count for nothing."""
    values = torch.tensor([[0.0, 8.0, script.NO_VALUE, 0.0]])
    best = script.loss_of(torch.tensor([[0.0, 1.0, 50.0, 0.0]]), values, 8)
    assert best < script.loss_of(torch.tensor([[0.0, 2.0, 50.0, 0.0]]), values, 8)
    assert best < script.loss_of(torch.tensor([[0.0, 0.5, 50.0, 0.0]]), values, 8)
    assert best == script.loss_of(torch.tensor([[0.0, 1.0, -50.0, 0.0]]), values, 8)


def test_all_stages(tmp_path: Path) -> None:
    """A short run makes all that a long one does; the same command again makes nothing anew."""

    def run() -> str:
        command = [sys.executable, str(SCRIPT), "--out", str(tmp_path), *SHORT.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = run()
    epochs = [json.loads(line) for line in said.splitlines() if line.startswith('{"epoch"')]
    assert len(epochs) == 3
    assert epochs[2]["trained on"] < epochs[1]["trained on"] < epochs[0]["trained on"], "it learns"
    assert "PyTorch, ONNX and Go give the same answers in" in said
    assert len((tmp_path / "champion_net.bin").read_bytes()) < 2 << 20
    assert len(json.loads((tmp_path / "champion_net.json").read_text())) == 40
    for name in ("ffa-simple", "team-fmcs"):
        assert (tmp_path / "measured" / name / "games.jsonl").exists()
    weights = tmp_path / "round1" / "weights.pt"
    before = weights.stat().st_mtime_ns
    assert "positions to learn from" not in run()
    assert weights.stat().st_mtime_ns == before
