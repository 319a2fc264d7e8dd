"""Train a small network to imitate `simple`, from a data set, and let it play.

    python imitation.py                                       # a million decisions, some minutes
    python imitation.py --decisions 20000 --matches 50        # a short run

Generates games of four `simple` agents as a data set with one row per decision, and
streams it to a network with two hidden layers, written in numpy. After every tenth of
the training it measures how often the network chooses the move that `simple` chose, in
games it was not trained on, and how often it wins against three of them: a line of
`progress.jsonl`. At the end it writes the weights, `network.npz`. Another run with the same
`--out` begins anew, and overwrites both files.

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
SEEN = [*range(13), 14, 16]  # the planes used; the others are empty in this game
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

    def __init__(self, inputs: int, hidden: int, moves: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = [inputs, hidden, hidden // 2, moves]
        self.weights: list[Array] = []
        for a, b in pairwise(sizes):
            self.weights += [
                (rng.standard_normal((a, b)) * math.sqrt(2 / a)).astype(np.float32),
                np.zeros(b, np.float32),
            ]
        self.weights[-2] *= 0.1  # all moves equally likely at first
        self._steps = 0
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
        """Make a gradient step towards these moves."""
        layers = self.forward(x)
        slope = softmax(np.where(legal == 1, layers[-1], -np.inf))
        slope[np.arange(len(x)), moves] -= 1
        slope /= len(x)
        slopes: list[Array] = []
        for k in range(len(self.weights) - 2, -1, -2):
            slopes = [layers[k // 2].T @ slope, slope.sum(axis=0), *slopes]
            if k:
                slope = (slope @ self.weights[k].T) * (layers[k // 2] > 0)
        self._adam(slopes, rate)

    def _adam(self, slopes: Sequence[Array], rate: float) -> None:
        self._steps += 1
        fix = math.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for k, g in enumerate(slopes):
            self._means[k] += 0.1 * (g - self._means[k])
            self._squares[k] += 0.001 * (g * g - self._squares[k])
            self.weights[k] -= rate * fix * self._means[k] / (np.sqrt(self._squares[k]) + 1e-8)


def softmax(scores: Array) -> Array:
    """Turn scores into probabilities."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def generated(out: Path, decisions: int, seed: int) -> Path:
    """Generate a data set of about this many decisions, unless it exists."""
    games = max(1, round(decisions / 2 / STEPS))
    path = out / f"games-{games}-seed-{seed}"
    command = f"generate --env {ID} --agents simple --observation planes --games {games} --seed {seed} --out"
    subprocess.run([find_binary(), *command.split(), path], check=True)
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

    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        reach = net.chances(look(obs["planes"], obs["scalars"]), info["action_mask"]).cumsum(axis=1)
        return (reach < rng.random((len(reach), 1)) * reach[:, -1:]).sum(axis=1)

    result = pommego.evaluate(policy, ID, "simple", games, seed=seed)
    return {"won": result.win_rate.value, "tied": result.tie_rate.value, "matches": games}


def main() -> None:
    """Generate, learn, play."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/imitation"), help="the output folder")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="decisions to learn from")
    parser.add_argument("--epochs", type=int, default=2, help="passes over them")
    parser.add_argument("--matches", type=int, default=300, help="games to play at each measurement")
    parser.add_argument("--points", type=int, default=10, help="measurements, besides that of the start")
    parser.add_argument("--hidden", type=int, default=256, help="units of the first hidden layer")
    parser.add_argument("--batch", type=int, default=512, help="decisions per gradient step")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate; it falls to a fiftieth")
    parser.add_argument("--seed", type=int, default=1, help="seed of boards, network and matches")
    o = parser.parse_args()

    path = generated(o.out, o.decisions, o.seed)
    unseen = generated(o.out, max(2000, o.decisions // 50), o.seed + 10_000_000)
    held_out = list(decisions_of(unseen, 4096, None))
    x, legal, _ = held_out[0]
    net = Network(x.shape[1], o.hidden, legal.shape[1], o.seed)
    begin, total, learned, points = time.time(), o.decisions * o.epochs, 0, []
    progress = o.out / "progress.jsonl"
    progress.write_text("")

    def note() -> None:
        point = {"decisions": learned, "seconds": time.time() - begin, **agreement(net, held_out)}
        points.append(point | matches(net, o.matches, o.seed + 20_000_000))
        line = json.dumps(points[-1])
        print(line, flush=True)
        with progress.open("a") as file:
            file.write(line + "\n")

    note()
    for epoch in range(o.epochs):
        for x, legal, moves in decisions_of(path, o.batch, shuffle=o.seed + epoch):
            net.learn(x, legal, moves, o.rate * max(0.02, 1 - learned / total))
            learned += len(moves)
            if learned >= total * len(points) / o.points:
                note()
            if learned >= o.decisions * (epoch + 1):
                break
    if points[-1]["decisions"] < learned:  # there were fewer than expected
        note()
    np.savez(o.out / "network.npz", *net.weights)


if __name__ == "__main__":
    main()
