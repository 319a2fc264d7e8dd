"""Train the agent `champion-net`, a small network that plays Pommerman without search.

    make champion-net                                   # some hours; it goes on where it was stopped
    make champion-net ARGS="--out runs/short --steps 3000 --rounds 2 --games 4"         # some minutes

The stages, each of which keeps what it made in its folder below `--out`:

generate   games between agents, as data sets of `pommego generate`
lessons    played again, for every position the network's input and what `champion` finds each move to be
           worth (`cmd/lessons`)
imitate    the network learns to choose as `champion` would
improve    the same again in further rounds, in which the network itself plays the games, so that it
           meets what its own choices lead to (DAgger), against others and itself as it was in the last round
export     its weights as whole numbers: for Go (champion_net.bin), as ONNX, and as examples for Go's test;
           PyTorch, ONNX and Go must give the same answers to the bit
measure    tournaments against `simple` and `fmcs-exploit`

`--install` copies the weights to where the Go package takes them from.

The network is described in env/pommerman/bots/net_layers.go. While it learns, its weights and units are
rounded as they are there; gradients pass through the rounding.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "env" / "pommerman" / "bots"
TEACHER = "champion:plies=2,ticks=300"
NO_VALUE = -32768
UNIT, WEIGHT, MOST = 32, 64, 127  # as in net_layers.go

# What is played, and its share of the steps. NET stands for the network in later rounds.
TEAM, FFA, DUEL, RADIO = (
    "PommeTeamCompetition-v0",
    "PommeFFACompetition-v0",
    "OneVsOne-v0",
    "PommeRadioCompetition-v2",
)
GAMES = [
    (TEAM, "NET,NOISY,heuristic,simple,fmcs-exploit:ticks=100", 0.40),
    (TEAM, "NET,NOISY", 0.12),
    (FFA, "NET,simple", 0.16),
    (FFA, "NET,NOISY,simple,heuristic", 0.12),
    (DUEL, "NET,NOISY,simple,heuristic", 0.08),
    (RADIO, "NET,NOISY,simple,heuristic", 0.12),
]
START = {"NET": "champion:level=2", "NOISY": "champion:level=1"}
LATER = {"NET": "champion-net", "NOISY": "champion-net:noise=0.1"}


class Network(nn.Module):
    """The network, rounded as in Go."""

    def __init__(self, layers: list[int]) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.randn(layers[0], layers[1]) * 0.08)
        self.biases = nn.ParameterList(torch.zeros(n) for n in layers[1:])
        self.dense = nn.ParameterList(
            torch.randn(to, of) * (2 / of) ** 0.5 for of, to in pairwise(layers[1:])
        )

    def whole(self) -> list[Tensor]:
        """Return weights and biases as whole numbers, in the order of Go's file."""
        tensors = [_whole(self.rows), torch.round(self.biases[0] * WEIGHT)]
        for weights, bias in zip(self.dense, list(self.biases)[1:], strict=True):
            tensors += [_whole(weights), torch.round(bias * WEIGHT * UNIT)]
        return tensors

    def forward(self, features: Tensor, starts: Tensor) -> Tensor:
        """Return the moves' logits. features: of all positions; starts: where each position's begin."""
        rows, bias, *dense = (
            _through(real, whole / scale)
            for real, whole, scale in zip(self._real(), self.whole(), self._scales(), strict=True)
        )
        units = _units(F.embedding_bag(features, rows, starts, mode="sum") + bias)
        while dense:
            weights, bias, *dense = dense
            sums = F.linear(units, weights, bias)
            units = _units(sums) if dense else sums
        return units

    def clip(self) -> None:
        """Keep the weights where they can be rounded to bytes."""
        for weights in [self.rows, *self.dense]:
            weights.data.clamp_(-MOST / WEIGHT, MOST / WEIGHT)

    def _real(self) -> list[Tensor]:
        pairs = zip([self.rows, *self.dense], self.biases, strict=True)
        return [tensor for pair in pairs for tensor in pair]

    def _scales(self) -> list[int]:
        return [WEIGHT, WEIGHT] + [WEIGHT, WEIGHT * UNIT] * len(self.dense)


def _whole(weights: Tensor) -> Tensor:
    return torch.round(weights * WEIGHT).clamp(-MOST, MOST)


def _through(real: Tensor, rounded: Tensor) -> Tensor:
    """Return the rounded value with the gradient of the real one."""
    return real + (rounded - real).detach()


def _units(sums: Tensor) -> Tensor:
    held = sums.clamp(0, MOST / UNIT)
    return _through(held, torch.floor(held.detach() * UNIT) / UNIT)


class Lessons:
    """Positions in memory: the features of all in one array, and the values of their moves."""

    def __init__(self, folders: list[Path]) -> None:
        parts = [np.load(path) for folder in folders for path in sorted(folder.rglob("lessons-*.npz"))]
        self.layers = [int(n) for n in parts[0]["layers"]]
        self.features = np.concatenate([p["features"] for p in parts])
        self.counts = np.concatenate([p["counts"] for p in parts]).astype(np.int64)
        self.starts = np.cumsum(self.counts) - self.counts
        self.values = np.concatenate([p["values"] for p in parts])
        self.answers = np.concatenate([p["answers"] for p in parts])
        self.held_out = np.concatenate([p["games"] for p in parts]) % 50 == 49

    def batch(self, rows: NDArray[np.integer], device: str) -> tuple[Tensor, Tensor, Tensor]:
        """Return features, where each position's start, and values."""
        counts = self.counts[rows]
        starts = np.cumsum(counts) - counts
        at = np.repeat(self.starts[rows] - starts, counts) + np.arange(counts.sum())
        return (
            torch.from_numpy(self.features[at].astype(np.int32)).to(device),
            torch.from_numpy(starts.astype(np.int32)).to(device),
            torch.from_numpy(self.values[rows].astype(np.float32)).to(device),
        )

    def batches(self, rows: NDArray[np.integer], size: int, device: str) -> Iterator[tuple[Tensor, ...]]:
        """Go over some positions in their order."""
        for at in range(0, len(rows), size):
            yield self.batch(rows[at : at + size], device)


def loss_of(logits: Tensor, values: Tensor, points: float) -> Tensor:
    """Return the cross entropy to choices by the values, which so many points make e times as likely."""
    tried = values > NO_VALUE
    wanted = torch.where(tried, values / points, -torch.inf).softmax(1)
    chosen = torch.where(tried, logits, -torch.inf).log_softmax(1)
    return -(wanted * torch.where(tried, chosen, 0.0)).sum(1).mean()


@torch.no_grad()
def examine(
    net: Network, lessons: Lessons, rows: NDArray[np.integer], o: argparse.Namespace
) -> dict[str, float]:
    """Return how the network's choices compare with the teacher's in positions it did not learn from."""
    net.eval()
    sums = np.zeros(4)
    for features, starts, values in lessons.batches(rows, 8192, o.device):
        logits = net(features, starts)
        tried = values > NO_VALUE
        choice = torch.where(tried, logits, -torch.inf).argmax(1, keepdim=True)
        worse = (values.max(1).values - values.gather(1, choice)[:, 0]).cpu().numpy()
        loss = float(loss_of(logits, values, o.points))
        sums += [(worse == 0).sum(), np.minimum(worse, 500).sum(), (worse > 500).sum(), loss * len(worse)]
    agrees, worse_by, blunders, loss = sums / len(rows)
    return {"agrees": agrees, "worse by": worse_by, "blunders": blunders, "loss": loss}


def imitate(folders: list[Path], start: Path | None, out: Path, epochs: int, o: argparse.Namespace) -> None:
    """Train on lessons, from the weights of the round before, and save them."""
    if out.exists():
        return
    lessons = Lessons(folders)
    rng = np.random.default_rng(o.seed)
    torch.manual_seed(o.seed)
    net = Network(lessons.layers).to(o.device)
    if start:
        net.load_state_dict(torch.load(start, map_location=o.device, weights_only=True))
    known, unknown = np.flatnonzero(~lessons.held_out), np.flatnonzero(lessons.held_out)
    steps = epochs * -(-len(known) // o.batch)
    adam = torch.optim.Adam(net.parameters(), lr=o.rate, betas=(0.9, 0.99))
    rate = torch.optim.lr_scheduler.OneCycleLR(adam, o.rate, total_steps=steps, pct_start=0.05)
    print(f"{len(known)} positions to learn from, {len(unknown)} held out, on {o.device}", flush=True)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for features, starts, values in lessons.batches(rng.permutation(known), o.batch, o.device):
            loss = loss_of(net(features, starts), values, o.points)
            adam.zero_grad()
            loss.backward()
            adam.step()
            rate.step()
            net.clip()
            total += float(loss.detach()) * len(values)
        found = examine(net, lessons, unknown, o) if len(unknown) else {}
        line = {"epoch": epoch + 1, "trained on": total / len(known), **found}
        print(json.dumps({k: round(v, 4) for k, v in line.items()}), flush=True)
    torch.save(net.state_dict(), out)


def run(*command: Any) -> None:
    """Run a command."""
    print("+", *command, flush=True)
    subprocess.run([str(c) for c in command], check=True, cwd=ROOT)


def build(folder: Path, weights: Path | None) -> Path:
    """Build the programs into a folder, with some weights in place of the repository's."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = []
    if weights:
        overlay = folder / "overlay.json"
        overlay.write_text(json.dumps({"Replace": {str(PACKAGE / "champion_net.bin"): str(weights)}}))
        flags = ["-overlay", overlay]
    run("go", "build", *flags, "-o", f"{folder}/", "./cmd/pommego", "./cmd/lessons")
    return folder


def play(number: int, programs: Path, o: argparse.Namespace) -> list[Path]:
    """Generate the games of a round, and the lessons in them."""
    folders = []
    players = LATER if number else START
    for k, (env, names, share) in enumerate(GAMES):
        agents = ",".join(players.get(name, name) for name in names.split(","))
        games, lessons = o.out / f"round{number}" / f"games{k}", o.out / f"round{number}" / f"lessons{k}"
        seed = o.seed * 1_000_000_000 + number * 100_000_000 + k * 10_000_000
        if not (games / "manifest.json").exists():
            made = ["--env", env, "--agents", agents, "--seating", "drawn", "--seed", seed]
            made += ["--steps", round(share * o.steps), "--workers", o.workers]
            run(programs / "pommego", "generate", "--out", games, *made, "--other-build")
        taught = ["--teacher", TEACHER, "--workers", o.workers]
        run(programs / "lessons", "--data", games, "--out", lessons, *taught)
        folders.append(lessons)
    return folders


def write_weights(weights: Path, to: Path) -> Network:
    """Write weights as Go reads them."""
    state = torch.load(weights, map_location="cpu", weights_only=True)
    net = Network([len(state["rows"]), *(len(bias) for name, bias in state.items() if "biases" in name)])
    net.load_state_dict(state)
    whole, kinds = net.whole(), [np.dtype("i1"), np.dtype("<i4")] * len(net.biases)
    parts = [w.detach().numpy().astype(kind).tobytes() for w, kind in zip(whole, kinds, strict=True)]
    to.write_bytes(b"".join(parts))
    return net


def write_onnx(net: Network, to: Path) -> None:
    """Write the network as ONNX: from features, 1 where they are on, to moves' answers, as Go gives them."""
    import onnx  # noqa: PLC0415 - nothing else needs it
    from onnx import helper, numpy_helper  # noqa: PLC0415

    nodes, constants, values = [], [], "features"
    tensors = [w.detach().numpy() for w in net.whole()]
    for k, (weights, bias) in enumerate(zip(tensors[::2], tensors[1::2], strict=True)):
        if k:  # what a unit gives for the sum it got
            scale = np.float32(WEIGHT / UNIT if k == 1 else WEIGHT)
            constants.append(numpy_helper.from_array(scale, f"scale{k}"))
            nodes.append(helper.make_node("Div", [values, f"scale{k}"], [f"shifted{k}"]))
            nodes.append(helper.make_node("Floor", [f"shifted{k}"], [f"whole{k}"]))
            nodes.append(helper.make_node("Clip", [f"whole{k}", "zero", "most"], [f"units{k}"]))
            values = f"units{k}"
        matrix = (weights.T if k else weights).astype(np.int8)
        constants.append(numpy_helper.from_array(np.ascontiguousarray(matrix), f"weights{k}"))
        constants.append(numpy_helper.from_array(bias.astype(np.float32), f"bias{k}"))
        nodes.append(helper.make_node("Cast", [f"weights{k}"], [f"matrix{k}"], to=onnx.TensorProto.FLOAT))
        nodes.append(helper.make_node("MatMul", [values, f"matrix{k}"], [f"product{k}"]))
        last = k == len(net.dense)
        nodes.append(
            helper.make_node("Add", [f"product{k}", f"bias{k}"], ["answers" if last else f"sums{k}"])
        )
        values = f"sums{k}"
    constants.append(numpy_helper.from_array(np.float32(0), "zero"))
    constants.append(numpy_helper.from_array(np.float32(MOST), "most"))

    def tensor(name: str, size: int) -> Any:
        return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["positions", size])

    inputs, outputs = tensor("features", tensors[0].shape[0]), tensor("answers", tensors[-1].shape[0])
    graph = helper.make_graph(nodes, "champion-net", [inputs], [outputs], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, to)


def compare(net: Network, onnx_file: Path, lessons: Lessons) -> int:
    """Check that PyTorch and ONNX answer as Go did; return in how many positions."""
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415

    exported = ReferenceEvaluator(str(onnx_file))
    for at in range(0, len(lessons.counts), 1024):
        rows = np.arange(at, min(at + 1024, len(lessons.counts)))
        features, starts, _ = lessons.batch(rows, "cpu")
        with torch.no_grad():
            answers = (net(features, starts) * WEIGHT * UNIT).numpy()
        seen = np.zeros((len(rows), lessons.layers[0]), np.float32)
        seen[np.repeat(np.arange(len(rows)), lessons.counts[rows]), features.numpy()] = 1
        (same,) = exported.run(None, {"features": seen})
        for name, found in (("PyTorch", answers), ("ONNX", same)):
            wrong = np.flatnonzero((found != lessons.answers[rows]).any(1))
            if len(wrong):
                row = wrong[0]
                raise SystemExit(
                    f"position {at + row}: {name} answers {found[row]}, Go {lessons.answers[at + row]}"
                )
    return len(lessons.counts)


def export(weights: Path, o: argparse.Namespace) -> Path:
    """Write the weights in all forms, check that they agree, and return the folder with the programs."""
    file, onnx_file = o.out / "champion_net.bin", o.out / "champion_net.onnx"
    net = write_weights(weights, file)
    write_onnx(net, onnx_file)
    programs = build(o.out / "programs", file)
    games, folder = o.out / "check" / "games", o.out / "check" / "lessons"
    shutil.rmtree(o.out / "check", ignore_errors=True)
    made = ["--env", TEAM, "--agents", "champion-net,simple", "--seating", "drawn", "--games", o.games]
    run(programs / "pommego", "generate", "--out", games, *made, "--seed", 7)
    run(programs / "lessons", "--data", games, "--out", folder, "--teacher", "champion:plies=1", "--answers")
    lessons = Lessons([folder])
    print(f"PyTorch, ONNX and Go give the same answers in {compare(net, onnx_file, lessons)} positions")
    (o.out / "champion_net.json").write_text(examples(lessons))
    return programs


def examples(lessons: Lessons) -> str:
    """Return some positions' features and answers, for Go's test."""
    lines = []
    for row in np.linspace(0, len(lessons.counts) - 1, 40).astype(int):
        features = lessons.features[lessons.starts[row] :][: lessons.counts[row]]
        lines.append(json.dumps({"features": features.tolist(), "answers": lessons.answers[row].tolist()}))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def measure(programs: Path, o: argparse.Namespace) -> None:
    """Play tournaments, and print what came out."""
    for name, env, against, how in (
        ("ffa-simple", FFA, "simple", []),
        ("team-fmcs", TEAM, "fmcs-exploit:ticks=2000", ["--mirrored"]),
    ):
        made = ["--env", env, "--agents", "champion-net,champion-net:filter=0", "--against", against, *how]
        made += ["--games", o.games, "--seed", 970_001, "--out", o.out / "measured" / name]
        run(programs / "pommego", "tournament", *made, "--resume", "--timing", "--other-build")


def main() -> None:
    """Go through the stages."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "champion_net")
    parser.add_argument("--steps", type=int, default=600_000, help="of games a round (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the first imitates, the others improve")
    parser.add_argument("--epochs", type=int, default=3, help="passes in the last round (%(default)s)")
    parser.add_argument("--batch", type=int, default=2048, help="positions a gradient step (%(default)s)")
    parser.add_argument("--rate", type=float, default=2e-3, help="the highest learning rate (%(default)s)")
    parser.add_argument(
        "--points", type=float, default=8, help="difference in value that counts (%(default)s)"
    )
    parser.add_argument("--games", type=int, default=100, help="of each tournament (%(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="games at a time; 0: as many as cores")
    parser.add_argument("--seed", type=int, default=1, help="of games and training (%(default)s)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--install", action="store_true", help="copy the weights into the Go package")
    o = parser.parse_args()
    o.out = o.out.resolve()
    o.out.mkdir(parents=True, exist_ok=True)
    lessons: list[Path] = []
    weights: Path | None = None
    for number in range(o.rounds):
        folder = o.out / f"round{number}"
        file = folder / "champion_net.bin"
        if weights:
            folder.mkdir(exist_ok=True)
            write_weights(weights, file)
        lessons += play(number, build(folder / "programs", file if weights else None), o)
        epochs = o.epochs if number == o.rounds - 1 else 1
        imitate(lessons, weights, folder / "weights.pt", epochs, o)
        weights = folder / "weights.pt"
    if not weights:
        parser.error(f"--rounds is {o.rounds}, want 1 or more")
    programs = export(weights, o)
    if o.install:
        shutil.copyfile(o.out / "champion_net.bin", PACKAGE / "champion_net.bin")
        shutil.copyfile(o.out / "champion_net.json", PACKAGE / "testdata" / "champion_net.json")
    measure(programs, o)


if __name__ == "__main__":
    main()
