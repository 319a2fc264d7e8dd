"""Policies that learned: small networks in files, played without a framework.

    policy = pommego.load("ppo-ffa")         # or a file that a recipe of examples/baselines wrote
    print(pommego.evaluate(policy, "PommeFFACompetition-v0", "simple"))

All arithmetic is on whole numbers, so that a file plays the same here, in the program's agents
of that name, and on every machine. docs/baselines.md describes the networks and the files.
"""

import json
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from pommego._core.describing import catalog
from pommego.spec import Field, GameSpec

__all__ = ["FORMAT", "UNIT", "Layer", "Network", "load"]

FORMAT = "pommego-network/1"
UNIT = 32  # the whole number that stands for 1 in planes and in the outputs of units
_MOST = 127
_BLOCKS = 9  # how many blocks of cells around the agent have counts
_MESSAGE = [9, 9]  # how many values each word of a message has
_ANSWERS = (6, 6 + sum(_MESSAGE))  # how many scores a network gives
_DICE = ("step_low", "step_high", "row", "col")  # the numbers of the observation that decide them
# Entries of near that exist with some rules only.
_SOMETIMES = re.compile(r"skull|(teammate|fog)(_block\d)?|(teammate|enemy\d)_alive|message\d=\d+")
# The folder in a wheel, or in a clone.
_FOLDERS = (
    Path(__file__).with_name("_networks"),
    Path(__file__).parents[3] / "env" / "pommerman" / "bots" / "learned",
)


class Layer(NamedTuple):
    """One layer: each of its units sees a square of cells of the layer before."""

    weights: NDArray[np.int8]  # (kernel, kernel, inputs, units), in parts of 2 ** shift
    biases: NDArray[np.int32]  # (units,)
    stride: int  # the distance between squares, in cells
    shift: int  # a unit's output is its sum, shifted right by so many bits and cut off at 0 and 127

    @classmethod
    def rounded(cls, weights: ArrayLike, biases: ArrayLike, stride: int = 1, *, last: bool = False) -> Self:
        """Make a layer from float weights (kernel, kernel, inputs, units) and biases (units,).

        Raises:
            ValueError: a weight or a bias is too large, or no number.
        """
        weights, biases = np.asarray(weights, np.float64), np.asarray(biases, np.float64)
        most, bias = np.abs(weights).max(), np.abs(biases).max()
        if not (most <= _MOST and bias <= 10_000):  # NaN is not, either
            raise ValueError(
                f"weights reach {most:g} and biases {bias:g}, expected at most {_MOST} and 10000"
            )
        shift = int(np.log2(_MOST / max(most, _MOST / 2**12)))
        whole = np.clip(np.rint(weights * 2**shift), -_MOST, _MOST).astype(np.int8)
        half = 0 if last else 2**shift // 2  # so that the shift rounds
        return cls(whole, np.rint(biases * UNIT * 2**shift + half).astype(np.int32), stride, shift)

    def units(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the sums of the units, (n, rows, columns, units), for inputs (n, rows, columns, inputs)."""
        kernel, _, inputs, units = self.weights.shape
        views = sliding_window_view(x, (kernel, kernel), axis=(1, 2))[:, :: self.stride, :: self.stride]
        flat = views.transpose(0, 1, 2, 4, 5, 3).reshape(-1, kernel * kernel * inputs)
        sums = flat @ self.weights.reshape(-1, units).astype(np.float32) + self.biases.astype(np.float32)
        return sums.reshape(*views.shape[:3], units)


class Network:
    """A policy: called with (obs, info), it draws among the moves of the action mask.

    It needs ``near`` observations. The program's agent with the same file has the mask of safe moves. The
    random number of a draw comes from the step and the agent's cell: equal observations give equal moves, but
    an agent does not run in circles.

    Args:
        layers: the layers; the last gives one number per move, then one per value of each word.
        about: what it reads of ``near``: the names "planes", the numbers as "scalars", and as "blocks" planes
            that have nine numbers each, such as "wood_block4". What an id does not have is 0, such
            as a third enemy in a duel. Also "env", the id it was trained in, "temperature", how random its
            moves are (0 takes the best move, 1 draws by their probabilities), and other keys of yours.
        spec: the spec of the id to play; None: of the one it was trained in.

    Attributes:
        options: the options of `make_vec` that it needs; `evaluate`, `watch` and `tournament` set them.
        planes: the index in the encoding of each plane that it reads, -1 for none; int (n,).
        numbers: the same for its numbers.

    Raises:
        ValueError: the layers do not fit each other, what it reads, or a player's choices; their sums are too
            large; or the temperature is not finite.
    """

    options = MappingProxyType({"observation": "near", "mask": "safe"})

    def __init__(self, layers: Sequence[Layer], about: dict[str, Any], spec: GameSpec | None = None) -> None:
        self.layers, self.about = tuple(layers), about
        self.spec = spec = spec or catalog()[about["env"]]
        near = spec.encoding("near")
        self._fields = near.fields
        counts = [f"{plane}_block{i}" for plane in about["blocks"] for i in range(_BLOCKS)]
        self.planes = _places(near["near"], about["planes"])
        self.numbers = _places(near["numbers"], [*about["scalars"], *counts])
        self._thrown = _places(near["numbers"], _DICE)
        side, inputs = near["near"].shape[-1], len(self.planes) + len(self.numbers)
        for number, layer in enumerate(self.layers):
            side, inputs = _outputs(f"layer {number}", layer, side, inputs)
        if side**2 * inputs not in _ANSWERS:
            raise ValueError(f"the layers have {side**2 * inputs} outputs, expected one of {_ANSWERS}")
        if not math.isfinite(temperature := about.get("temperature", 0)):
            raise ValueError(f"temperature is {temperature}, expected a number")
        chances = -np.log(-np.log((np.arange(256) + 0.5) / 256))  # Gumbel's noise, by 8 bits
        scale = UNIT * 2 ** self.layers[-1].shift * min(max(temperature, 0), 1)
        self._noise = np.rint(scale * chances).astype(np.int64)

    def __call__(self, obs: dict[str, NDArray[Any]], info: dict[str, Any]) -> NDArray[np.intp]:
        """Choose a move for each row, and words in games that have them; of the dead all are 0."""
        mask, choices = info["action_mask"], self.spec.actions
        rows, chosen = np.flatnonzero(info["alive"]), np.zeros((len(mask), len(choices)), np.intp)
        if len(rows):
            obs = {name: array[rows] for name, array in obs.items()}
            answers = self.answers(*self.read(obs))
            answers += self._noise[self._dice(obs["numbers"], answers.shape[1])]
            chosen[rows, 0] = np.where(mask[rows, :6], answers[:, :6], -(2**31)).argmax(1)
            if answers.shape[1] > 6 and [word.n for word in choices[1:]] == _MESSAGE:
                chosen[rows, 1:] = answers[:, 6:].reshape(len(rows), len(_MESSAGE), -1).argmax(2)
        return chosen.squeeze(1) if len(choices) == 1 else chosen

    def read(self, obs: dict[str, NDArray[Any]]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Take what it reads out of observations: its planes (n, planes, 11, 11) and numbers (n, numbers).

        Raises:
            ValueError: these are no ``near`` observations, or those of another id.
        """
        for field in self._fields:
            if field.name not in obs:
                raise ValueError(
                    f"the observation has {sorted(obs)}, expected the fields of near: "
                    'give observation="near", mask="safe"'
                )
            if (given := obs[field.name].shape[1:]) != field.shape:
                raise ValueError(
                    f"{field.name} has shape {given}, expected {field.shape} in {self.spec.id}: "
                    "give the spec of the games, as in pommego.load(name, envs.game_spec)"
                )
        return _taken(obs["near"], self.planes), _taken(obs["numbers"], self.numbers)

    def _dice(self, numbers: NDArray[np.uint8], answers: int) -> NDArray[np.uint32]:
        """Draw 8 bits for each answer, (n, answers)."""
        low, high, row, col = numbers[:, self._thrown].T.astype(np.uint32)
        cell = (row + 1 << 4) + col + 1
        dice = (high << 8 | low) * np.uint32(0x9E3779B1) + cell * np.uint32(0x85EBCA6B)
        dice = dice[:, None] + np.arange(answers, dtype=np.uint32) * np.uint32(0xC2B2AE35)
        return ((dice ^ dice >> 15) * np.uint32(0x2C1B3C6D)) >> 24

    def answers(self, near: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the scores of moves (and words), (n, answers): logarithms of odds times a factor."""
        parts = [slice(at, at + 256) for at in range(0, len(near), 256)]
        return np.concatenate([self._answers(near[p], numbers[p]) for p in parts])

    def _answers(self, near: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> NDArray[np.int64]:
        n, planes, side, _ = near.shape
        x = np.zeros((n, side, side, planes + numbers.shape[1]), np.float32)
        x[..., :planes] = near.transpose(0, 2, 3, 1)
        x[:, side // 2, side // 2, planes:] = numbers  # numbers are inputs on the agent's own cell
        for layer in self.layers[:-1]:
            x = np.clip(np.floor(layer.units(x) / 2**layer.shift), 0, _MOST)
        return self.layers[-1].units(x).reshape(n, -1).astype(np.int64)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, for `load` and for the program's agent ``net:weights=FILE``."""
        names = ("kernel", "inputs", "units", "stride", "shift")
        shapes = [
            dict(zip(names, (*x.weights.shape[1:], x.stride, x.shift), strict=True)) for x in self.layers
        ]
        head = json.dumps({"format": FORMAT, **self.about, "layers": shapes}, allow_nan=False)
        parts = b"".join(x.weights.tobytes() + x.biases.astype("<i4").tobytes() for x in self.layers)
        Path(path).write_bytes(head.encode() + b"\n" + parts)


def _outputs(name: str, layer: Layer, side: int, inputs: int) -> tuple[int, int]:
    """Return the cells in a row and the units of a layer; ValueError if it does not fit side x side cells."""
    kernel, *_, units = shape = layer.weights.shape
    fits = shape == (kernel, kernel, inputs, units) and {type(layer.stride), type(layer.shift)} == {int}
    fits = fits and min(kernel, units, layer.stride) >= 1 and max(kernel, layer.stride) <= side
    if not fits or layer.shift not in range(25):
        raise ValueError(
            f"{name} has weights {shape}, stride {layer.stride!r} and shift {layer.shift!r}, "
            f"which do not fit {inputs} inputs in {side} x {side} cells"
        )
    # Whole numbers below that are exact in float32, whatever the order of a sum.
    sums = np.abs(layer.weights.astype(int)).sum((0, 1, 2)) * _MOST + np.abs(layer.biases.astype(int))
    if sums.max() >= 2**24:
        raise ValueError(
            f"a unit of {name} may reach {sums.max()}, expected less than 2 ** 24: lower weights or biases"
        )
    return (side - kernel) // layer.stride + 1, units


def _places(field: Field, names: Sequence[str]) -> NDArray[np.intp]:
    """Return the indices of planes or numbers in a field; -1 for those that it lacks."""
    known = {of.name: at for at, of in enumerate(field.names)}
    if unknown := [name for name in names if name not in known and not _SOMETIMES.fullmatch(name)]:
        raise ValueError(f"no id has {unknown} in the field {field.name!r} of near")
    return np.array([known.get(name, -1) for name in names], np.intp)


def _taken(array: NDArray[np.uint8], places: NDArray[np.intp]) -> NDArray[np.uint8]:
    taken = array[:, places]
    taken[:, places < 0] = 0
    return taken


def load(name: str | os.PathLike[str], spec: GameSpec | None = None) -> Network:
    """Load a policy that learned.

    Args:
        name: that of a built-in agent that learned, such as "ppo-ffa", or a file that `Network.save` wrote.
        spec: of the games it will play, such as ``envs.game_spec``; None: of the id it was trained in.

    Returns:
        a policy (obs, info), as `evaluate`, `tournament` and opponents of `make_vec` take it.

    Raises:
        FileNotFoundError: there is no such name or file.
        ValueError: the file holds no network, or not a whole one; or the spec is of no such games.
    """
    built_in = [folder / f"{os.fspath(name)}.net" for folder in _FOLDERS]
    path = next((p for p in (Path(name), *built_in) if p.is_file()), None)
    if path is None:
        names = sorted({p.stem for folder in _FOLDERS for p in folder.glob("*.net")})
        raise FileNotFoundError(f"no file and no policy {os.fspath(name)!r}; there are: {', '.join(names)}")
    if spec is not None and not (isinstance(spec, GameSpec) and "near" in [e.name for e in spec.encodings]):
        raise ValueError(f"spec is {spec!r}, expected that of a game with near, such as envs.game_spec")
    head, _, rest = path.read_bytes().partition(b"\n")
    layers, at = [], 0
    try:
        about = json.loads(head)
        if (form := about.pop("format")) != FORMAT:
            raise ValueError(f"its format is {form!r}")
        for x in about.pop("layers"):
            shape = x["kernel"], x["kernel"], x["inputs"], x["units"]
            weights = np.frombuffer(rest, np.int8, math.prod(shape), at).reshape(shape)
            biases = np.frombuffer(rest, "<i4", x["units"], at + weights.size)
            layers.append(Layer(weights, biases, x["stride"], x["shift"]))
            at += weights.size + biases.nbytes
        if at != len(rest):
            raise ValueError(f"its layers have {at} bytes, and {len(rest)} follow")
        return Network(layers, about, spec)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as e:
        why = f"{path} is no whole network of these games, of the form {FORMAT}, as Network.save writes it"
        raise ValueError(f"{why}: {e!r}") from e
