"""Policies that learned: small networks in files, played without a framework.

    policy = pommego.load("ppo-ffa")         # or a file that a recipe of examples/baselines wrote
    print(pommego.evaluate(policy, "PommeFFACompetition-v0", "simple"))

All arithmetic is on whole numbers, so that a file decides the same here, in the program's agents
of that name, and on every machine. docs/baselines.md describes the networks and the files.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from pommego.making import catalog
from pommego.pommerman.safety import Safety
from pommego.spec import GameSpec

__all__ = ["FORMAT", "UNIT", "Layer", "Network", "Seen", "Window", "load"]

FORMAT = "pommego-network/1"
UNIT = 32  # how much of a plane, a scalar or a unit's output is 1
_MOST = 127
_SIDE = 11  # of the part of the board around the agent
_SOON = 10  # steps ahead in which cells that burn are shown
_FACTORS = {"bomb_blast": 6, "bomb_life": 6, "flame": 16, "danger": 6}  # of planes; of others UNIT
_MESSAGE = [9, 9]  # of how many values networks choose each word
_SCALARS, _BLOCKS = 64, 8  # of scalars, and of counts
# In a wheel, or in a clone.
_FOLDERS = (
    Path(__file__).with_name("_networks"),
    Path(__file__).parents[3] / "env" / "pommerman" / "bots" / "learned",
)


class Seen(NamedTuple):
    """What a network sees of n seats.

    Attributes:
        near: uint8 (n, planes, 11, 11), the board around the seat's agent; beyond its edge all is rigid.
        numbers: uint8 (n, numbers): scalars, then how often a plane is set in each of nine blocks around it.
        moves: bool (n, 6), those it chooses from.
    """

    near: NDArray[np.uint8]
    numbers: NDArray[np.uint8]
    moves: NDArray[np.bool_]


class Window:
    """Turns `planes` observations of one id into what a network sees.

    Args:
        spec: the spec of the id.
        planes: the names of the planes around the agent. "danger" is 10 where flames break out in the
            next step, and 1 less for each step later.
        scalars: the names of scalars. "message0=3" is 1 where that word of the teammate's message is 3.
        blocks: planes of which it also counts the cells in nine blocks, 7 x 7 cells in the middle.
    """

    def __init__(
        self, spec: GameSpec, planes: Sequence[str], scalars: Sequence[str], blocks: Sequence[str]
    ) -> None:
        encoding = spec.encoding("planes")
        names = [*(plane.name for plane in encoding["planes"].names), "danger"]
        known = [scalar.name for scalar in encoding["scalars"].names]
        self._safety, self._board = Safety(spec), encoding["planes"].shape[-1]
        self._planes, self._blocks = [names.index(n) for n in planes], [names.index(n) for n in blocks]
        self._place = [known.index(n) for n in ("row", "col")]
        known.append("")  # a column of zeros, for what the id does not have, such as a third enemy
        parts = [name.partition("=") for name in scalars]
        self._scalars = [known.index(n if n in known else "") for n, _, _ in parts]
        words = spec.actions[-1].n - 1
        self._words = np.array([int(word) / words if word else -1 for _, _, word in parts], np.float32)
        self._factors = np.array([_FACTORS.get(n, UNIT) for n in planes], np.uint8)[:, None, None]
        self._rigid = list(planes).index("rigid")
        places = np.arange(self._board)
        third = np.clip((places - places[:, None] + 10) // 7, 0, 2)  # of the cells, seen from each place
        self._thirds = (third[:, None] == np.arange(3)[:, None]).astype(np.float32)

    def place(self, scalars: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the agents' rows and columns, (2, n)."""
        return np.rint(scalars[:, self._place] * (self._board - 1)).astype(np.intp).T

    def __call__(self, obs: dict[str, NDArray[Any]], mask: NDArray[Any]) -> Seen:
        """Look at a batch, of which `mask` is ``info["action_mask"]``."""
        planes, scalars = obs["planes"], obs["scalars"]
        edge, n = _SIDE // 2, len(planes)
        danger = _SOON + 1 - np.minimum(self._safety.danger(planes), _SOON + 1)
        whole = np.concatenate([planes, danger[:, None]], axis=1)
        padded = np.zeros((n, len(self._planes), *[self._board + 2 * edge] * 2), np.uint8)
        padded[:, self._rigid] = UNIT
        inside = padded[:, :, edge:-edge, edge:-edge]
        np.minimum(whole[:, self._planes], _MOST // self._factors, out=inside)
        inside *= self._factors
        row, col = self.place(scalars)
        near = sliding_window_view(padded, (_SIDE, _SIDE), axis=(2, 3))[np.arange(n), :, row, col]
        set_ = (planes[:, self._blocks] > 0).astype(np.float32)
        counts = self._thirds[row, None] @ set_ @ self._thirds[col, None].swapaxes(2, 3)
        shares = np.pad(scalars, ((0, 0), (0, 1)))[:, self._scalars]
        shares = np.where(self._words < 0, shares, np.abs(shares - self._words) < 1e-3)
        shares = np.floor(shares * np.float32(_SCALARS) + np.float32(0.5))
        numbers = np.concatenate([shares, np.minimum(counts.reshape(n, -1) * _BLOCKS, _MOST)], axis=1)
        return Seen(near, numbers.astype(np.uint8), self._safety.moves(planes, scalars, mask[:, :6]))


class Layer(NamedTuple):
    """One layer: each of its units sees a square of cells of the layer before.

    Attributes:
        weights: int8 (kernel, kernel, inputs, units), in parts of 2 ** shift.
        biases: int32 (units,).
        stride: by how many cells the squares are apart.
        shift: by how many bits a unit's sum is shifted right; then it is cut off at 0 and 127.
    """

    weights: NDArray[np.int8]
    biases: NDArray[np.int32]
    stride: int
    shift: int

    @classmethod
    def rounded(cls, weights: ArrayLike, biases: ArrayLike, stride: int = 1, *, last: bool = False) -> Self:
        """Round weights (kernel, kernel, inputs, units) and biases (units,), which are floats."""
        weights, biases = np.asarray(weights, np.float64), np.asarray(biases, np.float64)
        shift = max(0, min(12, int(np.floor(np.log2(_MOST / np.abs(weights).max())))))
        whole = np.clip(np.rint(weights * 2**shift), -_MOST, _MOST).astype(np.int8)
        half = 0 if last else 2**shift // 2  # so that the shift rounds
        return cls(whole, np.rint(biases * UNIT * 2**shift + half).astype(np.int32), stride, shift)

    def units(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Add up what the units get of (n, rows, columns, inputs): (n, rows, columns, units)."""
        kernel, _, inputs, units = self.weights.shape
        views = sliding_window_view(x, (kernel, kernel), axis=(1, 2))[:, :: self.stride, :: self.stride]
        flat = views.transpose(0, 1, 2, 4, 5, 3).reshape(-1, kernel * kernel * inputs)
        sums = flat @ self.weights.reshape(-1, units).astype(np.float32) + self.biases.astype(np.float32)
        return sums.reshape(*views.shape[:3], units)


class Network:
    """A policy: called with (obs, info), it draws among the moves that can be survived.

    The dice are the step and the agent's own cell: the same observation has the same move, but an agent
    does not run in circles.

    Args:
        layers: the layers; the last gives a number a move, and then one for each of each word's values.
        about: what it sees, as `Window` has it, the id it was trained in as "env", and whatever else the
            file shall say. "temperature" is by how much chance it draws: 0 takes the best move, 1 draws
            by their chances.
        spec: the spec of the id to play; None: of the one it was trained in.
    """

    def __init__(self, layers: Sequence[Layer], about: dict[str, Any], spec: GameSpec | None = None) -> None:
        self.layers, self.about = tuple(layers), about
        for layer in self.layers:
            # Whole numbers below that are exact in float32, whatever the order of a sum.
            sums = np.abs(layer.weights.astype(int)).sum((0, 1, 2)) * _MOST + np.abs(layer.biases)
            if sums.max() >= 2**24:
                raise ValueError("a unit's weights are so great that its sum may reach 2 ** 24")
        self.spec = spec = spec or catalog()[about["env"]]
        chances = -np.log(-np.log((np.arange(256) + 0.5) / 256))  # Gumbel's noise, by 8 bits
        scale = UNIT * 2 ** self.layers[-1].shift * min(max(about.get("temperature", 0), 0), 1)
        self._noise, self._steps = np.rint(scale * chances).astype(np.int64), spec.max_steps
        self._step = [scalar.name for scalar in spec.encoding("planes")["scalars"].names].index("step")
        self.window = Window(spec, about["planes"], about["scalars"], about["blocks"])

    def __call__(self, obs: dict[str, NDArray[Any]], info: dict[str, Any]) -> NDArray[np.intp]:
        """Choose a move for each row, and words in games that have them; of the dead all are 0."""
        mask, choices = info["action_mask"], self.spec.actions
        rows, chosen = np.flatnonzero(info["alive"]), np.zeros((len(mask), len(choices)), np.intp)
        if len(rows):
            seen = self.window({name: array[rows] for name, array in obs.items()}, mask[rows])
            answers = self.answers(seen)
            answers += self._noise[self._dice(obs["scalars"][rows], answers.shape[1])]
            chosen[rows, 0] = np.where(seen.moves, answers[:, :6], -(2**31)).argmax(1)
            if answers.shape[1] > 6 and [word.n for word in choices[1:]] == _MESSAGE:
                chosen[rows, 1:] = answers[:, 6:].reshape(len(rows), len(_MESSAGE), -1).argmax(2)
        return chosen.squeeze(1) if len(choices) == 1 else chosen

    def _dice(self, scalars: NDArray[np.float32], answers: int) -> NDArray[np.uint32]:
        """Draw 8 bits for each answer, (n, answers)."""
        step = np.rint(scalars[:, self._step] * self._steps).astype(np.uint32)
        row, col = self.window.place(scalars).astype(np.uint32)
        cell = (row + 1 << 4) + col + 1
        dice = step * np.uint32(0x9E3779B1) + cell * np.uint32(0x85EBCA6B)
        dice = dice[:, None] + np.arange(answers, dtype=np.uint32) * np.uint32(0xC2B2AE35)
        return ((dice ^ dice >> 15) * np.uint32(0x2C1B3C6D)) >> 24

    def answers(self, seen: Seen) -> NDArray[np.int64]:
        """Return how good moves (and words) are, (n, answers): logarithms of odds in a unit of the file's."""
        parts = [slice(at, at + 256) for at in range(0, len(seen.near), 256)]
        return np.concatenate([self._answers(seen.near[p], seen.numbers[p]) for p in parts])

    def _answers(self, near: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> NDArray[np.int64]:
        n, planes, side, _ = near.shape
        x = np.zeros((n, side, side, planes + numbers.shape[1]), np.float32)
        x[..., :planes] = near.transpose(0, 2, 3, 1)
        x[:, side // 2, side // 2, planes:] = numbers  # they stand on the agent's own cell
        for layer in self.layers[:-1]:
            x = np.clip(np.floor(layer.units(x) / 2**layer.shift), 0, _MOST)
        return self.layers[-1].units(x).reshape(n, -1).astype(np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, for `load` and for the program's agent ``net:weights=FILE``."""
        names = ("kernel", "inputs", "units", "stride", "shift")
        shapes = [
            dict(zip(names, (*x.weights.shape[1:], x.stride, x.shift), strict=True)) for x in self.layers
        ]
        head = json.dumps({"format": FORMAT, **self.about, "layers": shapes})
        parts = b"".join(x.weights.tobytes() + x.biases.astype("<i4").tobytes() for x in self.layers)
        Path(path).write_bytes(head.encode() + b"\n" + parts)


def load(name: str | os.PathLike[str], spec: GameSpec | None = None) -> Network:
    """Load a policy that learned.

    Args:
        name: that of a built-in agent that learned, such as "ppo-ffa", or a file that `Network.save` wrote.
        spec: of the games it will play, such as ``envs.game_spec``; None: of the id it was trained in.

    Returns:
        a policy (obs, info), as `evaluate`, `tournament` and opponents of `make_vec` take it, on ``planes``
        observations.

    Raises:
        FileNotFoundError: there is no such name or file.
        ValueError: the file holds no network, or not a whole one.
    """
    built_in = [folder / f"{os.fspath(name)}.net" for folder in _FOLDERS]
    path = next((p for p in (Path(name), *built_in) if p.is_file()), None)
    if path is None:
        names = sorted({p.stem for folder in _FOLDERS for p in folder.glob("*.net")})
        raise FileNotFoundError(f"no file and no policy {os.fspath(name)!r}; there are: {', '.join(names)}")
    head, _, rest = path.read_bytes().partition(b"\n")
    layers, at = [], 0
    try:
        about = json.loads(head)
        right = about.pop("format") == FORMAT
        for x in about.pop("layers"):
            shape = x["kernel"], x["kernel"], x["inputs"], x["units"]
            weights = np.frombuffer(rest, np.int8, math.prod(shape), at).reshape(shape)
            biases = np.frombuffer(rest, "<i4", x["units"], at + weights.size)
            layers.append(Layer(weights, biases, x["stride"], x["shift"]))
            at += weights.size + biases.nbytes
        right &= at == len(rest)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        right = False
    if not right:
        raise ValueError(f"{path} is no whole network of the form {FORMAT}, as Network.save writes it")
    try:
        return Network(layers, about, spec)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as e:
        raise ValueError(f"{path} is no network of these games: {e!r}") from e
