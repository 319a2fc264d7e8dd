"""Train a small network to imitate `simple`, from a data set, and let it play.

    python imitation.py                                       # a million decisions, some minutes
    python imitation.py --decisions 20000 --matches 50        # a short run

Generates games of four `simple` agents as a data set with one row per decision, and
streams it to a network with two hidden layers, written in numpy. After every tenth of
the training it measures how often the network chooses the move that `simple` chose, in
games it was not trained on, and how often it wins against three of them. It draws both as
`curve.svg`, beside the network's weights and the numbers.

The same command goes on with a run that was stopped, from the last of these measurements. A folder
that holds a run with other options is left alone.

Needs pyarrow (``pip install pommego[data]``) and nothing else.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import pommego
from pommego import data
from pommego.server import find_binary

ID = "PommeFFACompetition-v0"
STEPS = 393  # of a game of simple against itself, on average
SIDE = 11  # sides of the board, and of the part around the agent that the network sees
SEEN = [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    14,
    16,
]  # the planes used; the others are empty in this game
SCALE = np.ones(18, np.float32)
SCALE[[3, 4, 9]] = 0.1, 0.1, 0.3  # planes with numbers, not only 0 and 1
RIGID = 1  # the plane that is 1 beyond the edge
Array = NDArray[np.float32]


def look(planes: NDArray[np.uint8], scalars: Array) -> Array:
    """Turn observations into the network's input: the board around the agent, and a few numbers."""
    n, half = len(planes), SIDE // 2
    wide = np.zeros((n, len(SEEN), SIDE + 2 * half, SIDE + 2 * half), np.float32)
    wide[:, SEEN.index(RIGID)] = 1
    wide[:, :, half:-half, half:-half] = planes[:, SEEN] * SCALE[SEEN, None, None]
    row, col = (np.rint(scalars[:, k] * (SIDE - 1)).astype(int) for k in (4, 5))
    around = sliding_window_view(wide, (SIDE, SIDE), axis=(2, 3))[np.arange(n), :, row, col]
    return np.concatenate([around.reshape(n, -1), scalars[:, 1:4]], axis=1)


class Network:
    """Two hidden layers and a softmax over moves, trained by Adam."""

    def __init__(self, inputs: int, hidden: int, moves: int, rate: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = [inputs, hidden, hidden // 2, moves]
        self.weights: list[Array] = []
        for a, b in pairwise(sizes):
            self.weights += [
                (rng.standard_normal((a, b)) * math.sqrt(2 / a)).astype(np.float32),
                np.zeros(b, np.float32),
            ]
        self.weights[-2] *= 0.1  # all moves equally likely at first
        self._rate, self._steps = rate, 0
        self._means = [np.zeros_like(w) for w in self.weights]
        self._squares = [np.zeros_like(w) for w in self.weights]

    def forward(self, x: Array) -> list[Array]:
        """Return the outputs of all layers: first x itself, last the scores of moves."""
        layers = [x]
        for k in range(0, len(self.weights), 2):
            y = layers[-1] @ self.weights[k] + self.weights[k + 1]
            layers.append(np.maximum(y, 0) if k < len(self.weights) - 2 else y)
        return layers

    def chances(self, x: Array, legal: NDArray[np.integer]) -> Array:
        """Return the probability of each move; masked moves have 0."""
        return softmax(np.where(legal == 1, self.forward(x)[-1], -np.inf))

    def learn(self, x: Array, legal: NDArray[np.integer], moves: NDArray[np.integer], rate: float) -> None:
        """Make a gradient step towards these moves. rate: the learning rate, relative to the first."""
        layers = self.forward(x)
        slope = softmax(np.where(legal == 1, layers[-1], -np.inf))
        slope[np.arange(len(x)), moves] -= 1
        slope /= len(x)
        slopes: list[Array] = []
        for k in range(len(self.weights) - 2, -1, -2):
            slopes = [layers[k // 2].T @ slope, slope.sum(axis=0), *slopes]
            if k:
                slope = (slope @ self.weights[k].T) * (layers[k // 2] > 0)
        self._adam(slopes, self._rate * rate)

    def _adam(self, slopes: Sequence[Array], rate: float) -> None:
        self._steps += 1
        fix = math.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for k, g in enumerate(slopes):
            self._means[k] += 0.1 * (g - self._means[k])
            self._squares[k] += 0.001 * (g * g - self._squares[k])
            self.weights[k] -= rate * fix * self._means[k] / (np.sqrt(self._squares[k]) + 1e-8)

    def state(self) -> dict[str, Array]:
        """Return the arrays that `restore` needs."""
        parts = {"weights": self.weights, "means": self._means, "squares": self._squares}
        arrays = {f"{name}{k}": array for name, part in parts.items() for k, array in enumerate(part)}
        return arrays | {"steps": np.array(self._steps)}

    def restore(self, state: dict[str, Array]) -> None:
        """Go on from there."""
        for k in range(len(self.weights)):
            self.weights[k], self._means[k], self._squares[k] = (
                state[f"{name}{k}"] for name in ("weights", "means", "squares")
            )
        self._steps = int(state["steps"])


def softmax(scores: Array) -> Array:
    """Turn scores into probabilities."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def generated(path: Path, decisions: int, seed: int) -> Path:
    """Generate a data set of about this many decisions, unless it exists."""
    command = [
        find_binary(),
        "generate",
        "--out",
        path,
        "--env",
        ID,
        "--agents",
        "simple",
        "--seed",
        str(seed),
    ]
    games = max(1, round(decisions / 2 / STEPS))
    command += ["--observation", "planes", "--games", str(games)]
    subprocess.run(command, check=True)
    return path


def decisions_of(path: Path, batch_size: int, shuffle: int | None) -> Iterator[tuple[Array, ...]]:
    """Stream observations, masks and actions."""
    columns = ["obs_planes", "obs_scalars", "legal", "action"]
    for batch in data.load(path, columns=columns, batch_size=batch_size, alive=True, shuffle=shuffle):
        legal, moves = batch["legal"], batch["action"]
        useful = legal[np.arange(len(moves)), moves] == 1
        yield look(batch["obs_planes"][useful], batch["obs_scalars"][useful]), legal[useful], moves[useful]


def agreement(net: Network, held_out: Sequence[tuple[Array, ...]]) -> dict[str, float]:
    """Return how often the network would choose the recorded move, and its mean log loss."""
    right = total = surprise = 0.0
    for x, legal, moves in held_out:
        chances = net.chances(x, legal)
        right += float((chances.argmax(axis=1) == moves).sum())
        surprise -= float(np.log(chances[np.arange(len(moves)), moves] + 1e-9).sum())
        total += len(moves)
    return {"accuracy": right / total, "loss": surprise / total}


def matches(net: Network, games: int, seed: int) -> dict[str, float]:
    """Play games against three `simple`, drawing each move by its probability."""
    rng = np.random.default_rng(seed)
    playing = np.ones(
        games, np.bool_
    )  # each game counts once: counting the first to end would favour short games
    won = tied = 0
    with pommego.make_vec(ID, games, opponents=["simple"] * 3, on_death="wait") as envs:
        obs, info = envs.reset(seed=seed)
        while playing.any():
            chances = net.chances(look(obs["planes"], obs["scalars"]), info["action_mask"])
            reach = chances.cumsum(axis=1)
            moves = (reach < rng.random((games, 1)) * reach[:, -1:]).sum(axis=1)
            obs, _, _, _, info = envs.step(moves)
            if "game" in info:
                over, game = info["_game"] & playing, info["game"]
                won += int((game["won"] & over).sum())
                tied += int(((game["result"] == pommego.Result.TIED) & over).sum())
                playing &= ~over
    return {"won": won / games, "tied": tied / games, "matches": games}


def curve(points: Sequence[dict[str, float]]) -> str:
    """Draw the learning curve as an SVG image."""
    width, height, left, right, bottom = 560, 300, 50, 40, 40  # right: half of the last label
    most = points[-1]["decisions"] or 1

    def at(point: dict[str, float], name: str) -> tuple[float, float]:
        x = left + (width - left - right) * point["decisions"] / most
        return x, height - bottom - (height - bottom - 20) * point[name]

    parts = [f'<rect width="{width}" height="{height}" fill="white"/>']
    for tenth in range(0, 11, 2):
        y = height - bottom - (height - bottom - 20) * tenth / 10
        parts.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth * 10} %</text>')
    for k in range(5):
        x = left + (width - left - right) * k / 4
        parts.append(
            f'<text x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">{most * k / 4:,.0f}</text>'
        )
    parts.append(f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">decisions learned from</text>')
    lines = [
        ("accuracy", "#0072b2", "chooses what simple chose"),
        ("won", "#009e73", "wins against three simple"),
        ("tied", "#999999", "ties with them"),
    ]
    for k, (name, colour, label) in enumerate(lines):
        path = "L".join("{:.1f} {:.1f}".format(*at(point, name)) for point in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{left + 12}" y="{34 + 16 * k}" fill="{colour}">{label}</text>')
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12">\n{body}\n</svg>\n'
    )


def save(out: Path, net: Network, run: dict[str, Any]) -> None:
    """Write the curve, the network and, whole or not at all, what the same command goes on from."""
    with (out / "checkpoint.new").open("wb") as file:
        np.savez(file, run=np.array(json.dumps(run)), **net.state())
    (out / "checkpoint.new").replace(out / "checkpoint.npz")
    (out / "curve.svg").write_text(curve(run["points"]))
    (out / "curve.json").write_text(json.dumps(run["points"], indent=1) + "\n")
    np.savez(out / "network.npz", *net.weights)


def begun(
    out: Path, options: dict[str, Any], defaults: dict[str, Any], *, resume: bool
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the run in this folder, or a new one, and what `Network.restore` needs, if it has begun.

    With `resume` the options that have their defaults are the run's own.

    Raises:
        SystemExit: the folder has a run with other options, or none to resume.
    """
    path = out / "checkpoint.npz"
    if not path.exists():
        if resume or (out / "curve.json").exists():
            raise SystemExit(f"{out} has no run that imitation.py could go on with: choose another --out")
        return {"options": options, "points": [], "finished": False}, {}
    saved = dict(np.load(path))
    run = json.loads(str(saved.pop("run")))
    own = run["options"]
    wanted = {name: own[name] if resume and v == defaults[name] else v for name, v in options.items()}
    other = [name for name in own if own[name] != wanted[name]]
    if other:
        was, now = (", ".join(f"--{name} {v[name]}" for name in other) for v in (own, wanted))
        raise SystemExit(
            f"{out} has a run with {was}, not {now}. The same options or --resume go on with it; "
            "another --out begins a new run."
        )
    return run, saved


def main() -> None:
    """Generate, learn, play, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/imitation"), help="the output folder")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="decisions to learn from")
    parser.add_argument("--epochs", type=int, default=2, help="passes over them")
    parser.add_argument("--matches", type=int, default=300, help="games to play at each point of the curve")
    parser.add_argument("--points", type=int, default=10, help="points of the curve, besides its start")
    parser.add_argument("--hidden", type=int, default=256, help="units of the first hidden layer")
    parser.add_argument("--batch", type=int, default=512, help="decisions per gradient step")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate; it falls to 0")
    parser.add_argument("--seed", type=int, default=1, help="seed of boards, network and matches")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in --out, by its own options"
    )
    given, defaults = (vars(parser.parse_args(arguments)) for arguments in (None, []))
    out, resume = given.pop("out"), given.pop("resume")
    run, saved = begun(out, given, defaults, resume=resume)
    if run["finished"]:
        print(f"{out}: nothing is left to do")
        return
    o, points = argparse.Namespace(**run["options"]), run["points"]

    path = generated(out / "data", o.decisions, o.seed)
    unseen = generated(out / "held-out", max(2000, o.decisions // 50), o.seed + 10_000_000)
    held_out = list(decisions_of(unseen, 4096, None))
    inputs = held_out[0][0].shape[1]
    net = Network(inputs, o.hidden, held_out[0][1].shape[1], o.rate, o.seed)
    if saved:
        net.restore(saved)
    before = points[-1] if points else {"decisions": 0, "seconds": 0.0}
    begin, learned, total = time.time() - before["seconds"], 0, o.decisions * o.epochs

    def note() -> None:
        point = {"decisions": float(learned), "seconds": time.time() - begin, **agreement(net, held_out)}
        point |= matches(net, o.matches, o.seed + 20_000_000)
        points.append(point)
        save(out, net, run)
        print(json.dumps(point), flush=True)

    if not points:
        note()
    for epoch in range(o.epochs):
        seen = 0
        for x, legal, moves in decisions_of(path, o.batch, shuffle=o.seed + epoch):
            if learned >= before["decisions"]:  # it goes on after what it has learned from
                net.learn(x, legal, moves, rate=max(0.02, 1 - learned / total))
            seen += len(moves)
            learned += len(moves)
            if learned > before["decisions"] and learned >= total * len(points) / o.points:
                note()
            if seen >= o.decisions:
                break
    if learned - points[-1]["decisions"] > total / o.points / 2:  # there were fewer than expected
        note()
    run["finished"] = True
    save(out, net, run)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped: the same command goes on")
