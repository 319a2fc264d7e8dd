"""From a batch on the wire to what gymnasium's vector interface returns.

Two decisions are made here. What is copied: see `BatchReader`. And how
per-episode facts are laid out: as gymnasium's own vector environments do it,
each key of an info dictionary with a mask under the key's name with an
underscore before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego import wire
from pommego.buffers import BufferPool

__all__ = ["BatchReader", "Observation", "View"]

Array = NDArray[Any]
Observation = dict[str, Array]

_OBS = "obs."
_SMALL = 256 << 10  # bytes: below this a copy costs less than a fresh receive buffer


@dataclass
class View:
    """One batch, its parts looking at the receive buffer or owning their memory.

    Attributes:
        obs: the observation, rows first.
        reward: float64 (rows,).
        terminated: bool (rows,).
        truncated: bool (rows,).
        info: what comes with every batch: action_mask, alive, seat and masks.
        seed: uint64 (games,), of the episodes shown.
        episode: uint64 (games,), the number of the episode since the seed.
        finished: int32 (F,), the games whose episode ended in this step.
        stats: per-episode statistics by name, with rows first; empty if F is 0.
        final: the last observation of the finished games' rows and what comes
            with it, by the batch's names; empty unless SAME_STEP and F > 0.
    """

    obs: Observation
    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    info: dict[str, Any]
    seed: NDArray[np.uint64]
    episode: NDArray[np.uint64]
    finished: NDArray[np.int32]
    stats: dict[str, Array]
    final: dict[str, Array]


class BatchReader:
    """Reads the batches of one layout.

    With `copy`, every array returned is the caller's. The largest part of the
    observation is handed over together with the receive buffer it lies in,
    which costs nothing; the rest is copied, so that keeping a reward does not
    keep a whole batch alive. Without it, arrays look at the receive buffer.

    Batches in shared memory cannot be handed over: there the largest part is
    copied into a buffer that is used again once its arrays are gone.

    Args:
        fields: the layout, as the server told it.
        learners: rows a game.
        copy: whether the arrays are the caller's.
        expand: whether fields that travel once a game are repeated for each row.
        shared: whether batches come in shared memory.
    """

    def __init__(
        self, fields: list[wire.Field], *, learners: int, copy: bool, expand: bool, shared: bool = False
    ) -> None:
        self._fields = {field.name: field for field in fields}
        self._obs = [field for field in fields if field.name.startswith(_OBS)]
        self._learners = learners
        self._copy = copy
        self._expand = expand and learners > 1
        rows = self._fields["reward"].shape[0]
        self._sizes = {f.name: _nbytes(f) for f in fields}
        self._giving = self._largest() if copy else None
        self._buffers = BufferPool() if shared else None
        self._all = np.ones(rows, np.bool_)
        self._layouts: dict[int, list[tuple[str, str, tuple[int, ...]]]] = {}  # by number of games

    def _largest(self) -> str | None:
        """Choose the observation field that is worth a buffer of its own."""
        kept = [f for f in self._obs if not (f.per_game and self._expand)]
        largest = max(kept, key=_nbytes, default=None)
        if largest is None or _nbytes(largest) < max(_SMALL, sum(self._sizes.values()) / 2):
            return None
        return largest.name

    def arrays(self, tensors: Mapping[str, wire.Tensor], games: int) -> dict[str, Array]:
        """Return the tensors as views of the message, checked against the layout.

        Args:
            tensors: as they came.
            games: how many there are, which need not be as many as in the layout.

        Raises:
            ValueError: a tensor is missing or is not what was announced.
        """
        layout = self._layouts.get(games)
        if layout is None:
            layout = self._layouts[games] = [
                (f.name, f.dtype, (games if f.per_game else games * self._learners, *f.shape[1:]))
                for f in self._fields.values()
            ]
        try:
            return {name: tensors[name].array_of(dtype, shape) for name, dtype, shape in layout}
        except KeyError as e:
            raise ValueError(f"a batch without {e}") from None

    def read(self, batch: wire.Batch | wire.Simulated, games: int, give_away: Callable[[], None]) -> View:
        """Read one batch.

        Args:
            batch: the reply.
            games: how many games are in it.
            give_away: leaves the reply's memory to its views.

        Raises:
            ValueError: the batch is not what the server announced.
        """
        arrays = self.arrays(batch.tensors, games)
        finished = batch.finished.array().copy()
        if (
            finished.dtype != np.int32
            or finished.ndim != 1
            or not ((finished >= 0) & (finished < games)).all()
        ):
            raise ValueError(f"the finished games as {finished.dtype} {finished.tolist()[:5]}")
        take = np.copy if self._copy else np.asarray
        obs = {}
        for field in self._obs:
            array = arrays[field.name]
            if field.per_game and self._expand:
                array = np.repeat(array, self._learners, axis=0)
            elif field.name == self._giving:
                if self._buffers:
                    array = _copy_into(self._buffers.take(array.nbytes), array)
                else:
                    give_away()
            elif self._copy:
                array = array.copy()
            obs[field.name.removeprefix(_OBS)] = array
        view = View(
            obs=obs,
            reward=take(arrays["reward"]),
            terminated=take(arrays["terminated"]).view(np.bool_),
            truncated=take(arrays["truncated"]).view(np.bool_),
            info=self._standing(arrays, take),
            seed=arrays["game.seed"].copy(),
            episode=arrays["game.episode"].copy(),
            finished=finished,
            stats=self._statistics(arrays) if finished.size else {},
            final={},
        )
        if isinstance(batch, wire.Batch) and batch.final:
            view.final = self._final(batch.final, finished.size)
        return view

    def _standing(self, arrays: dict[str, Array], take: Callable[[Array], Array]) -> dict[str, Any]:
        """What info has in every batch; all rows have it."""
        n = len(arrays["seat"])
        ones = self._all if n == len(self._all) else np.ones(n, np.bool_)
        return {
            "action_mask": take(arrays["action_mask"]).view(np.int8),
            "_action_mask": ones.copy(),
            "alive": take(arrays["alive"]).view(np.bool_),
            "_alive": ones.copy(),
            "seat": take(arrays["seat"]),
            "_seat": ones.copy(),
        }

    def _statistics(self, arrays: dict[str, Array]) -> dict[str, Array]:
        """Per-episode statistics with rows first, zero where no episode ended."""
        done = arrays["game.done"].astype(np.bool_)
        rows = np.repeat(done, self._learners)
        per_game = {
            "length": np.where(done, arrays["game.length"], 0).astype(np.int32),
            "result": np.where(done, arrays["game.result"], 0).astype(np.uint8),
            "winners": arrays["game.winners"].astype(np.bool_) & done[:, None],
        }
        stats = {"return": np.where(rows, arrays["game.return"], 0.0)}
        stats |= {name: np.repeat(array, self._learners, axis=0) for name, array in per_game.items()}
        return stats

    def _final(self, tensors: dict[str, wire.Tensor], games: int) -> dict[str, Array]:
        """The last observations of finished games, always in memory of their own."""
        final = {}
        for name, tensor in tensors.items():
            field = self._fields.get(name)
            if field is None:
                continue  # a later server may send more
            lead = games if field.per_game else games * self._learners
            array = tensor.array_of(field.dtype, (lead, *field.shape[1:])).copy()
            if field.per_game and self._expand:
                array = np.repeat(array, self._learners, axis=0)
            final[name] = array
        return final


def _copy_into(buffer: memoryview, array: Array) -> Array:
    copy = np.frombuffer(buffer, array.dtype, array.size).reshape(array.shape)
    np.copyto(copy, array)
    return copy


def begin_info(view: View, begun: NDArray[np.bool_], learners: int) -> dict[str, Any]:
    """Say which episodes began, and with which seeds.

    Args:
        view: the batch.
        begun: bool (games,), the games in which one did.
        learners: rows a game.
    """
    info: dict[str, Any] = {}
    mask = np.repeat(begun, learners)
    for name, values in (("seed", view.seed), ("episode_number", view.episode)):
        info[name] = np.repeat(np.where(begun, values, np.uint64(0)), learners)
        info[f"_{name}"] = mask.copy()
    return info


def episode_info(view: View, learners: int, rows: int) -> dict[str, Any]:
    """Lay out the statistics of the episodes that ended as an info dictionary."""
    mask = np.zeros(rows, np.bool_)
    mask[finished_rows(view, learners)] = True
    info: dict[str, Any] = {}
    for name, array in view.stats.items():
        info[name], info[f"_{name}"] = array, mask.copy()
    return {"game": info, "_game": mask}


def final_info(view: View, learners: int, rows: int) -> dict[str, Any]:
    """Lay out the last observations and what came with them, as SAME_STEP has it."""
    at = finished_rows(view, learners)
    mask = np.zeros(rows, np.bool_)
    mask[at] = True
    obs = {n.removeprefix(_OBS): a for n, a in view.final.items() if n.startswith(_OBS)}
    shared = {name for name, array in obs.items() if len(array) != len(at)}
    final_obs = np.full(rows, None, dtype=object)
    for k, row in enumerate(at.tolist()):
        final_obs[row] = {n: array[k // learners if n in shared else k] for n, array in obs.items()}
    last: dict[str, Any] = {}
    for name, dtype in (("action_mask", np.int8), ("alive", np.bool_), ("seat", np.uint8)):
        if name in view.final:
            array = view.final[name].view(dtype)
            whole = np.zeros((rows, *array.shape[1:]), dtype)
            whole[at] = array
            last[name], last[f"_{name}"] = whole, mask.copy()
    last |= episode_info(view, learners, rows)
    return {"final_obs": final_obs, "_final_obs": mask, "final_info": last, "_final_info": mask.copy()}


def finished_rows(view: View, learners: int) -> NDArray[np.intp]:
    """Return the rows of the finished games, ascending."""
    first = view.finished.astype(np.intp)[:, None] * learners
    return (first + np.arange(learners)).ravel()


def _nbytes(field: wire.Field) -> int:
    return int(np.prod(field.shape)) * wire.DTYPES[field.dtype].itemsize
