"""Streaming the rows of a data set as numpy arrays."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pommego._core import checks
from pommego._core.batch import Array
from pommego._core.rows import together
from pommego.data.manifest import Column, Manifest, parquet_library

Batch = dict[str, Array]

_MIXED = 4  # row groups whose rows are mixed with each other


class Loader:
    """A data set's rows, batch after batch. Make one with `load`.

    Each iteration reads the files from the beginning; if shuffled, in a new order.
    It holds a batch in memory, or several row groups if shuffled.

    Attributes:
        manifest: the data set's manifest.
        columns: the columns of batches.
    """

    def __init__(
        self,
        manifest: Manifest,
        columns: Sequence[str] | None,
        batch_size: int,
        where: list[tuple[list[str], Callable[[Batch], Array]]],
        shuffle: int | None,
    ) -> None:
        self.manifest = manifest
        self._files = manifest.files
        self.columns = list(manifest.columns if columns is None else columns)
        self._batch_size = batch_size
        self._where = where
        self._rng = None if shuffle is None else np.random.default_rng(shuffle)
        needed = [name for names, _ in where for name in names]
        self._read = list(dict.fromkeys([*self.columns, *needed]))
        missing = [name for name in self._read if name not in manifest.columns]
        if missing:
            raise KeyError(f"there are no columns {missing}; there are {list(manifest.columns)}")

    def take_share(self, index: int, of: int) -> None:
        """Read one share of the files, number `index` of `of`, for one of several readers."""
        self._files = self.manifest.files[index::of]

    def reseed(self, *seeds: int) -> None:
        """Shuffle by these seeds from now on, if at all."""
        self._rng = self._rng and np.random.default_rng(seeds)

    def __iter__(self) -> Iterator[Batch]:
        parts = self._in_order() if self._rng is None else self._shuffled(self._rng)
        return _batches(parts, self._batch_size)

    def _in_order(self) -> Iterator[Batch]:
        for path in self._files:
            file = self._open(path)
            for group in range(file.num_row_groups):
                yield self._group(file, group)

    def _shuffled(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Shuffle the rows of a few row groups at a time, drawn from all files."""
        groups = [(path, g) for path in self._files for g in range(self._open(path).num_row_groups)]
        order, rest = rng.permutation(len(groups)), 0
        for begin in range(0, len(order), _MIXED):
            some = [groups[k] for k in order[begin : begin + _MIXED]]
            parts = [self._group(self._open(path), group) for path, group in some]
            rows = rng.permutation(sum(map(_length, parts)))
            numbers = joined([{k: array for k, array in part.items() if array.ndim == 1} for part in parts])
            for at in range(-rest, len(rows), self._batch_size):  # the first completes the last batch
                yield _drawn(parts, numbers, rows[max(at, 0) : at + self._batch_size])
            rest = (rest + len(rows)) % self._batch_size
            del parts, numbers  # before the next ones are read

    def _open(self, path: Path) -> Any:
        texts = [name for name in self._read if self.manifest.columns[name].type == "string"]
        return parquet_library().ParquetFile(path, read_dictionary=texts)

    def _group(self, file: Any, group: int) -> Batch:
        """Read a row group, and keep the wanted rows and columns."""
        table = file.read_row_group(group, columns=self._read).combine_chunks()
        parts = [_arrays(part, self.manifest, self._read) for part in table.to_batches()]
        return self._kept(joined(parts) if parts else _arrays(table.slice(0, 0), self.manifest, self._read))

    def _kept(self, batch: Batch) -> Batch:
        keep, rows = np.True_, (_length(batch),)
        for _, test in self._where:
            chosen = np.asarray(test(batch))
            if chosen.dtype != np.bool_ or chosen.shape != rows:
                raise ValueError(f"where returned {chosen.dtype} {chosen.shape}, expected bool {rows}")
            keep = keep & chosen
        wanted = {name: array for name, array in batch.items() if name.removeprefix("_") in self.columns}
        return wanted if keep.all() else {name: array[keep] for name, array in wanted.items()}


def load(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    batch_size: int = 4096,
    shuffle: int | None = None,
    alive: bool = False,
    won: bool = False,
    agents: str | Sequence[str] | None = None,
    where: Callable[[Batch], Array] | None = None,
    needs: Sequence[str] = (),
) -> Loader:
    """Stream the rows of a data set as dictionaries of numpy arrays.

    A batch has an array for each column, rows first; observations have their
    own shapes. Arrays are read-only views where that saves a copy. A nullable
    column comes with a mask under its name with an underscore before it, and
    zeros where the mask is false. Of layout "games", ``start`` and ``actions``
    are arrays of objects: bytes, and uint8 (steps, seats[, components]). So are the
    ``messages`` of layout "dialogues": lists of dictionaries.

    Args:
        path: a data set's folder, or a single file of one.
        columns: the columns to read; None: all.
        batch_size: rows per batch; the last may have fewer.
        shuffle: a seed for reading in random order, which shuffles the row groups and
            the rows of several groups at a time; None: the files' order. In a batch, rows of
            the same group stand together.
        alive: only rows of seats that are still in the game ("steps").
        won: only rows of seats that will win ("steps").
        agents: only rows of these agents ("steps").
        where: selects rows: a function of a batch that returns a mask, bool (rows,).
        needs: the columns that `where` uses, if not among `columns`.

    Raises:
        FileNotFoundError: there is no finished data set.
        DamagedError: the manifest is damaged. (Only `verify` finds all damage
            of files.)
        KeyError: there is no such column.
        ImportError: pyarrow is not installed.
        ValueError: an argument is not as described, or there is no agent of this name. While reading: `where`
            returned something else than a mask.
    """
    checks.at_least(1, "batch_size", batch_size)
    if isinstance(columns, str):
        raise TypeError(f"columns is {columns!r}, expected a list of names, such as [{columns!r}]")
    if shuffle is not None:
        checks.one_seed(shuffle, "shuffle")
    manifest = Manifest.read(path)
    tests: list[tuple[list[str], Callable[[Batch], Array]]] = []
    if alive:
        tests.append((["alive"], lambda batch: batch["alive"]))
    if won:
        tests.append((["outcome"], lambda batch: batch["outcome"] > 0))
    if agents is not None:
        names = [agents] if isinstance(agents, str) else list(agents)
        if not names or not set(names) <= set(manifest.agents):
            raise ValueError(f"agents is {agents!r}, expected some of {manifest.agents}")
        tests.append((["agent"], lambda batch: np.isin(batch["agent"], names)))
    if where is not None:
        tests.append((list(needs), where))
    return Loader(manifest, columns, batch_size, tests, shuffle)


def _batches(parts: Iterator[Batch], size: int) -> Iterator[Batch]:
    """Cut parts of any length into batches of one size, with copies only where two parts meet."""
    rest: Batch = {}
    for part in parts:
        n, at = _length(part), 0
        if _length(rest):
            at = min(size - _length(rest), n)
            rest = joined([rest, rows_of(part, 0, at)])
            if _length(rest) < size:
                continue
            yield rest
        while at + size <= n:
            yield rows_of(part, at, at + size)
            at += size
        rest = rows_of(part, at, n)
    if _length(rest):
        yield rest


def rows_of(batch: Batch, begin: int, end: int) -> Batch:
    """Return a range of rows, without a copy."""
    return {name: array[begin:end] for name, array in batch.items()}


def _length(batch: Mapping[str, Array]) -> int:
    return len(next(iter(batch.values()))) if batch else 0


def joined(parts: list[Batch]) -> Batch:
    """Concatenate batches; one alone stays as it is."""
    return parts[0] if len(parts) == 1 else together(parts)


def _drawn(parts: list[Batch], numbers: Batch, rows: Array) -> Batch:
    """Copy rows by their numbers, which continue from part to part. Rows of a part stay together.

    Columns of numbers have been joined. Joining arrays, too, would take several times as long.
    """
    begins = np.cumsum([0, *map(_length, parts)])
    own = [rows[(rows >= begin) & (rows < end)] for begin, end in pairwise(begins)]
    rows, batch = np.concatenate(own), {}
    for name, array in parts[0].items():
        if name in numbers:
            batch[name] = numbers[name].take(rows)
            continue
        valid, at = batch.get(f"_{name}"), 0
        make = np.empty if valid is None else np.zeros
        batch[name] = make((len(rows), *array.shape[1:]), array.dtype)
        for part, chosen, begin in zip(parts, own, begins, strict=False):
            out = batch[name][at : at + len(chosen)]
            if valid is None:
                part[name].take(chosen - begin, axis=0, out=out, mode="clip")  # "raise" copies twice
            else:
                keep = valid[at : at + len(chosen)]
                out[keep] = part[name][chosen[keep] - begin]
            at += len(chosen)
    return batch


def _arrays(part: Any, manifest: Manifest, names: Sequence[str]) -> Batch:
    """Turn a pyarrow record batch into numpy arrays."""
    batch: Batch = {}
    for name in names:
        column, values = manifest.columns[name], part.column(name)
        if column.nullable:
            batch[f"_{name}"] = values.is_valid().to_numpy(zero_copy_only=False)
        batch[name] = _array(values, column, manifest)
    return batch


def _array(values: Any, column: Column, manifest: Manifest) -> Array:
    if column.type == "fixed_bytes":
        size = int(np.prod(column.shape, dtype=np.int64)) * column.numpy.itemsize
        if values.null_count:
            values = values.fill_null(bytes(size))
        rows = np.frombuffer(values.buffers()[1], np.uint8, len(values) * size, values.offset * size)
        return rows.view(column.numpy).reshape(len(values), *column.shape)
    if column.type == "bool":
        return values.fill_null(False).to_numpy(zero_copy_only=False)
    if column.type == "string":  # it has few different values
        words = np.array([*values.dictionary.to_pylist(), ""], np.str_)
        return words[values.indices.to_numpy(zero_copy_only=False)]
    if column.type in ("bytes", "messages"):
        found = np.empty(len(values), np.object_)
        shape = (-1, manifest.seats, manifest.components)[: 2 if manifest.components == 1 else 3]
        for i, value in enumerate(values):
            data = value.as_py()
            found[i] = np.frombuffer(data, np.uint8).reshape(shape) if column.name == "actions" else data
        return found
    if column.nullable and values.null_count:
        values = values.fill_null(0)
    return values.to_numpy(zero_copy_only=False).astype(column.type, copy=False)  # numpy uses the same names
