"""Turns a batch from the wire into what gymnasium's vector interface returns.

It also decides which arrays are copied, see `BatchReader`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.rows import to_box, together
from pommego._transport import wire

Array = NDArray[Any]
Observation = dict[str, Array] | Array

_OBS = "obs."
_STATE = "state."
INDEX = "game.index"  # with batch_size: the games in the batch
LINE_UP = "game.line_up"  # with several line-ups: each game's, by number
_ALWAYS = ("action_mask", "alive", "seat")  # keys of info in every batch ...
_ALL = tuple(f"_{name}" for name in _ALWAYS)  # ... and their masks, which are all true

#: The dtype of arrays returned to the caller, where it differs from that on the wire.
_TYPES: dict[str, Any] = dict.fromkeys(
    ("terminated", "truncated", "alive", "game.done", "game.winners", "game.void"), np.bool_
)
_TYPES["action_mask"] = np.int8

_STEP_COUNTS = "counts"  # int32 (rows, names), with counts="step"
_RULES = "rules"  # int32 (rows,), with several rules: the number of the game's rules
# "game." and each of these, if sent.
_STATISTICS = ("length", "result", "winners", "return", "late", "failed", "void", "counts")
ENDED = "_ended"  # key in the statistics: the rows of games whose episode ended

_SMALL = 64 << 10  # bytes: smaller fields are copied, which costs little


@dataclass(slots=True)
class View:
    """One batch. Its arrays are views of the receive buffer or own their memory."""

    obs: Observation  # rows first; a dictionary, or one box
    reward: NDArray[np.float64]  # (rows,), like the next two
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    info: dict[str, Any]  # action_mask, alive, seat and their masks; and the global state, if there is one
    seed: NDArray[np.uint64]  # (games,), the seeds of the current episodes
    episode: NDArray[np.uint64]  # (games,), the number of the episode since the seed
    finished: NDArray[np.intp]  # (F,), the games whose episode ended in this step, counted in `games`
    stats: dict[str, Array]  # their statistics, by name, rows first, made on first use; empty if F is 0
    final: dict[str, Any]  # with SAME_STEP the last "obs" of those, with action_mask, alive, seat and state
    games: NDArray[np.int32] | None = None  # the games in the batch; None: all, in order
    # Each game's line-up among those last set, -1 for an earlier one; None if there are no line-ups.
    line_up: NDArray[np.int32] | None = None

    def acts(self, autoreset_mode: str) -> NDArray[np.bool_]:
        """Return bool (games, learners): the rows whose next action counts."""
        counts = self.info["alive"].reshape(len(self.seed), -1).copy()
        if autoreset_mode == "NextStep":
            counts[self.finished] = False  # the next step resets these games
        return counts


def join_batches(views: list[View]) -> View:
    """Join the batches of several environments into that of one with all of their games, in this order.

    The result's arrays can be written to.
    """
    filled = next((view.stats for view in views if view.stats), {})
    views = [replace(view, stats=view.stats or _no_statistics(filled, len(view.reward))) for view in views]
    if len(views) == 1 and views[0].reward.flags.writeable:
        return views[0]
    each = {f.name: [getattr(view, f.name) for view in views] for f in fields(View)}
    first = np.cumsum([0, *(len(view.seed) for view in views[:-1])])
    each["finished"] = [at + view.finished for at, view in zip(first, views, strict=True)]
    each["final"] = [final for final in each["final"] if final] or [{}]
    return View(**{name: together(parts) for name, parts in each.items()})


def _no_statistics(like: dict[str, Array], rows: int) -> dict[str, Array]:
    return {name: np.zeros((rows, *array.shape[1:]), array.dtype) for name, array in like.items()}


class BatchReader:
    """Reads the batches of one layout.

    With `copy`, every array returned belongs to the caller. The large fields of the
    observation are handed over together with the memory that holds them, a receive
    buffer or a place in shared memory, which costs nothing; the rest is copied, so
    that keeping a reward does not keep a whole batch alive. Without `copy`, arrays are
    views of that memory. To `expand` means to repeat fields sent once per game for each row.
    """

    def __init__(
        self,
        fields: list[wire.Field],
        *,
        learners: int,
        copy: bool,
        expand: bool,
        final: bool = False,
        box: bool = False,
    ) -> None:
        self._fields = {field.name: field for field in fields}
        self._obs = [(f, f.name.removeprefix(_OBS)) for f in fields if f.name.startswith(_OBS)]
        self._state = [(f, f.name.removeprefix(_STATE)) for f in fields if f.name.startswith(_STATE)]
        self._box = box
        self._learners = learners
        self._copy = copy
        self._expand = expand and learners > 1
        shared = any(f.per_game for f, _ in self._obs + self._state)
        self._views = not copy and not box and not (self._expand and shared)
        rows = self._fields["reward"].shape[0]
        self._games = rows // learners
        self._finals = final
        sent = {name: f"game.{name}" for name in _STATISTICS if f"game.{name}" in self._fields}
        self._ended = {ENDED: "game.done"} | sent
        self._given = self._large() if copy and not box else []
        self._all = np.ones((len(_ALWAYS), rows), np.bool_)
        self._all.flags.writeable = False  # without copy, callers share it
        self._layouts: dict[int, list[tuple[str, str, tuple[int, ...], Any]]] = {}  # by number of games

    def _large(self) -> list[str]:
        """Choose the fields that are so large that handing over the batch's memory is cheaper than a copy."""
        kept = [
            f
            for f, _ in self._obs + self._state
            if not (f.per_game and self._expand) and _nbytes(f) >= _SMALL
        ]
        worth = sum(map(_nbytes, kept)) >= sum(map(_nbytes, self._fields.values())) / 2
        return [f.name for f in kept] if worth else []

    def _shape(self, field: wire.Field, games: int) -> tuple[int, ...]:
        return games if field.per_game else games * self._learners, *field.shape[1:]

    def arrays(self, tensors: Mapping[str, wire.Tensor], games: int) -> dict[str, Array]:
        """Return the tensors as views of the message, checked against the layout."""
        layout = self._layouts.get(games)
        if layout is None:
            layout = self._layouts[games] = [
                (f.name, f.dtype, self._shape(f, games), _TYPES.get(f.name)) for f in self._fields.values()
            ]
        arrays = {}
        try:
            for name, dtype, shape, kind in layout:
                array = tensors[name].array_of(dtype, shape)
                arrays[name] = array if kind is None else array.view(kind)
        except KeyError as e:
            raise ValueError(f"the batch lacks {e}") from None
        return arrays

    def read(self, batch: wire.Received, games: int) -> View:
        arrays = batch.views
        if not arrays:
            arrays = batch.views = self.arrays(batch.tensors, games)
        owned = batch.own(self._given) if self._given else {}
        if batch.handed:
            obs, info = map(dict.copy, batch.handed)
        else:
            obs, info = self._shown(self._obs, arrays, owned), self._info(arrays, games, owned)
            if self._views:
                batch.handed = obs.copy(), info.copy()
        if batch.handed and self._state:
            info["state"] = WithMasks(info["state"])  # the caller may replace its entries
        reward, terminated, truncated = arrays["reward"], arrays["terminated"], arrays["truncated"]
        if self._copy:
            reward, terminated, truncated = reward.copy(), terminated.copy(), truncated.copy()
        finished = arrays["game.done"].nonzero()[0]
        return View(
            obs=obs,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
            info=info,
            seed=arrays["game.seed"],
            episode=arrays["game.episode"],
            finished=finished,
            stats=self._statistics(arrays) if finished.size else {},
            final=self._final(batch.final or {}, finished.size) if finished.size and self._finals else {},
            games=arrays[INDEX].copy() if INDEX in arrays else None,
            line_up=arrays[LINE_UP].copy() if LINE_UP in arrays else None,
        )

    def _shown(
        self, fields: list[tuple[wire.Field, str]], arrays: dict[str, Array], owned: dict[str, Array]
    ) -> Observation:
        shown = {}
        for field, name in fields:
            array = owned.get(field.name)
            if array is None:
                array = arrays[field.name]
                if field.per_game and self._expand:
                    array = np.repeat(array, self._learners, axis=0)
                elif self._copy and not self._box:
                    array = array.copy()
            shown[name] = array
        return to_box(shown["planes"], shown["scalars"]) if self._box else shown

    def _info(self, arrays: dict[str, Array], games: int, owned: dict[str, Array]) -> dict[str, Any]:
        rows, info = games * self._learners, {name: arrays[name] for name in _ALWAYS}
        every = self._all if games == self._games else np.ones((len(_ALWAYS), rows), np.bool_)
        if self._copy:
            every, info = every.copy(), {name: array.copy() for name, array in info.items()}
        info.update(zip(_ALL, every, strict=True))
        if self._state:
            state = self._shown(self._state, arrays, owned)
            info["state"] = state if self._box else WithMasks(state)
            info["_state"] = np.ones(rows, np.bool_)
        for name in (_STEP_COUNTS, _RULES):
            if name in arrays:
                info[name] = arrays[name].copy() if self._copy else arrays[name]
                info[f"_{name}"] = np.ones(rows, np.bool_)
        return info

    def _statistics(self, arrays: dict[str, Array]) -> dict[str, Array]:
        """Return per-episode statistics, rows first, zero where no episode ended."""
        kept = {name: arrays[field].tobytes() for name, field in self._ended.items()}
        return Lazy(dict.fromkeys(kept, partial(self._statistic, kept)))

    def _statistic(self, kept: dict[str, bytes], name: str) -> Array:
        field = self._fields[self._ended[name]]
        dtype = _TYPES.get(field.name, wire.DTYPES[field.dtype])
        array = np.frombuffer(kept[name], dtype).reshape(-1, *field.shape[1:])
        return where(np.frombuffer(kept[ENDED], np.bool_), array, self._learners)

    def _final(self, tensors: dict[str, wire.Tensor], games: int) -> dict[str, Any]:
        """Return copies of the final observations of finished games: the caller may read them later."""
        arrays = {}
        for name, tensor in tensors.items():
            if field := self._fields.get(name):  # a later server may send more
                array = tensor.array_of(field.dtype, self._shape(field, games))
                array = array.view(_TYPES.get(name, field.dtype))
                arrays[name] = array.repeat(self._learners if field.per_game and self._expand else 1, 0)
        lacking = [field.name for field, _ in self._obs + self._state if field.name not in arrays]
        if lacking:
            raise ValueError(f"the last observations lack {lacking}")
        final = {name: arrays[name] for name in (*_ALWAYS, _RULES) if name in arrays}
        final["obs"] = self._shown(self._obs, arrays, arrays)
        return final | ({"state": self._shown(self._state, arrays, arrays)} if self._state else {})


class Lazy(dict[str, Any]):
    """A dictionary that makes an entry when it is first read, if the entry is a `partial`."""

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if type(value) is partial:
            value = self[name] = value(name)
        return value

    def __iter__(self) -> Iterator[str]:  # with this method dict() and ** read each entry
        return super().__iter__()


def _look_first(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of dictionaries that makes all entries first."""

    def call(self: Lazy, *args: Any) -> Any:
        for name in self:
            self[name]
        return method(self, *args)

    return call


for _name in (
    *("__eq__", "__ne__", "__or__", "__reduce_ex__", "__repr__", "__ror__", "copy", "get", "items", "pop"),
    *("popitem", "setdefault", "values"),
):
    setattr(Lazy, _name, _look_first(getattr(dict, _name)))


class WithMasks(dict[str, Array]):
    """Arrays by name. Gymnasium's wrappers look up a mask for each, and get one that is all true."""

    def __missing__(self, name: str) -> Array:
        if not name.startswith("_"):
            raise KeyError(name)
        return np.ones(len(self[name[1:]]), np.bool_)


def where(games: NDArray[np.bool_], array: Array, learners: int) -> Array:
    by_game = len(array) == len(games)
    mask = games if by_game else games.repeat(learners)
    kept = array * mask.reshape(-1, *(1,) * (array.ndim - 1))
    if array.dtype.kind == "f":
        kept += 0.0  # makes -0.0, such as of a return -1.0, a 0.0
    return kept.repeat(learners, axis=0) if by_game else kept


def _nbytes(field: wire.Field) -> int:
    return int(np.prod(field.shape)) * wire.DTYPES[field.dtype].itemsize
