"""The commands `generate` and `tournament`, shared out over a Ray cluster.

The work is split into parts. Each is a task of Ray's, which runs the command on its node and
returns the files that it leaves. The process that asked for it keeps them, and in the end
has the command put them together, which also makes whatever is missing: so the result is
that of one machine, whatever happened to the tasks.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayTaskError

from pommego._core.program import KilledError, run
from pommego.errors import PommegoError

__all__ = ["generate", "tournament"]

_PARTS = 64  # of a tournament
_MADE = "made"  # the name of what the command writes, in a part's folder
_PREFIX = "pommego-part-"  # of the folders that tasks work in
_TRIES = 10
_OURS = {"json", "out", "part", "take"}

Span = tuple[int, int]  # the first and the last file, or game, of a part
Progress = Callable[[int, int], None]


def generate(
    out: str | os.PathLike[str],
    *,
    num_cpus: int = 1,
    retries: int = 10,
    task_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Make a data set on a Ray cluster: what ``pommego generate`` makes, byte for byte.

        pommego.ray.generate("ffa", games=1_000_000, agents=["simple", "random"], progress=print)

    A file of the data set is a part, made by one task, so choose `games_per_file` such that
    there are several for each core.

    A task runs again, perhaps elsewhere, when its node, worker or program is killed. What is
    finished lies in the folder ``OUT.parts`` until all is: after an interrupt, which ends the
    tasks too, or an error, the same call goes on from there.

    Args:
        out: the folder for the data set, where this process runs.
        num_cpus: cores for each task, which plays as many games at a time.
        retries: how often a task is repeated that was lost with its program, worker or node.
        task_options: further options of the tasks, as Ray has them, such as `resources`.
        progress: called with the numbers of parts that are finished and of all. What it
            raises ends everything.
        options: the command's flags: ``games_per_file=100`` is ``--games-per-file 100``;
            lists are joined by commas, and dictionaries are JSON. See
            ``pommego generate --help``.

    Returns:
        what ``--json`` prints.
    """
    work = _Work("generate", Path(out), options)
    spans = [(k, k) for k in range(work.count())]
    return _Tasks(num_cpus, retries, task_options).conclude(work, spans, progress)


def tournament(
    out: str | os.PathLike[str],
    *,
    num_cpus: int = 1,
    retries: int = 10,
    task_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Play a tournament on a Ray cluster: what ``pommego tournament`` shows, byte for byte.

        pommego.ray.tournament("results", agents=["simple", "random", "mcts"], games=10_000)

    Only what the clock says is different (``timing.*`` in the folder), and the order of games in the log.

    Arguments, result and errors are those of `generate`; `options` are the flags of ``pommego tournament``.
    """
    work = _Work("tournament", Path(out), options)
    games = work.count()
    each = max(1, games // _PARTS)
    spans = [(first, min(first + each, games) - 1) for first in range(0, games, each)]
    return _Tasks(num_cpus, retries, task_options).conclude(work, spans, progress)


class _Work:
    """One run of a command that is split into parts."""

    def __init__(self, command: str, out: Path, options: Mapping[str, Any]) -> None:
        if taken := _OURS & set(options):
            name = sorted(taken)[0]
            said = f"{command}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{said}: pommego.ray has no option {name}: it sees to that itself")
        self.command, self.out = command, out
        self.flags = [text for name, value in options.items() for text in _flag(name, value)]
        self._parts = out.with_name(out.name + ".parts")

    def count(self) -> int:
        """Return how many files or games there are to be; this checks the flags."""
        return json.loads(run(self.command, *self.flags, "--part", "count", "--json"))["parts"]

    def folder(self, span: Span) -> Path:
        """Return where a part is kept once it is finished."""
        return self._parts / f"{span[0]}-{span[1]}"

    def made(self, span: Span) -> bool:
        """Whether a part is finished."""
        return self.folder(span).exists()

    def keep(self, span: Span, files: Mapping[str, bytes]) -> None:
        """Keep the files of a part, all or none of them."""
        self._parts.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._parts) as scratch:
            whole = Path(scratch) / "whole"
            for name, content in files.items():
                path = whole / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            whole.rename(self.folder(span))

    def conclude(self, spans: Sequence[Span]) -> dict[str, Any]:
        """Put the parts together and make what is missing."""
        takes = [text for span in spans for text in ("--take", str(self.folder(span) / _MADE))]
        said = run(self.command, *self.flags, "--out", str(self.out), *takes, "--json")
        shutil.rmtree(self._parts, ignore_errors=True)
        return json.loads(said)


class _Tasks:
    """How parts are made by tasks of Ray's; see `generate` for the arguments."""

    def __init__(self, num_cpus: int, retries: int, options: Mapping[str, Any] | None) -> None:
        if num_cpus < 1:
            raise ValueError(f"num_cpus is {num_cpus}, expected 1 or more")
        self._cpus = num_cpus
        given = {"num_cpus": num_cpus, "max_retries": retries, "scheduling_strategy": "SPREAD"}
        given["retry_exceptions"] = [KilledError]  # where a node is killed, the program may be first
        self._make = ray.remote(_make).options(**given | dict(options or {}))

    def conclude(self, work: _Work, spans: Sequence[Span], progress: Progress | None) -> dict[str, Any]:
        """Make all parts and put them together. When this ends, the tasks under way do, too."""
        unfinished = [span for span in spans if not work.made(span)]
        done = len(spans) - len(unfinished)
        tell = progress or (lambda done, total: None)
        for k in range(done):
            tell(k + 1, len(spans))
        running = {self._make.remote(work.command, work.flags, span, self._cpus): span for span in unfinished}
        try:
            while running:
                (task,), _ = ray.wait(list(running))
                work.keep(running.pop(task), _result(task))
                done += 1
                tell(done, len(spans))
        finally:
            for task in running:
                ray.cancel(task, force=True)
        return work.conclude(spans)


def _result(task: ray.ObjectRef) -> dict[str, bytes]:
    try:
        return ray.get(task)
    except RayTaskError as e:
        raise (e.cause if isinstance(e.cause, PommegoError) else e) from None


def _flag(name: str, value: Any) -> list[str]:
    """Return a flag of the command; none for None."""
    flag = "--" + name.replace("_", "-")
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"{flag}={'true' if value else 'false'}"]
    if isinstance(value, Mapping):
        return [flag, json.dumps(value)]
    if isinstance(value, list | tuple):
        return [flag, ",".join(map(str, value))]
    return [flag, str(value)]


def _make(command: str, flags: list[str], span: Span, cpus: int) -> dict[str, bytes]:
    """Make a part, as a task on some node; returns the files that the command leaves, by their names."""
    with _scratch() as scratch:
        where = ["--out", str(scratch / _MADE), "--part", "-"]
        run(command, *flags, *where, "--json", part=f"{span[0]}-{span[1]}", cpus=cpus)
        paths = [path for path in scratch.rglob("*") if path.is_file()]
        return {path.relative_to(scratch).as_posix(): path.read_bytes() for path in paths}


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Make a folder for a part on this node, and remove those of tasks that were killed.

    A task holds a lock on its folder, which ends with its process.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError), _locked(left):
            shutil.rmtree(left, ignore_errors=True)
    for _ in range(_TRIES):  # another task may take a new folder for one that was left, before it is locked
        with contextlib.ExitStack() as held:
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix=_PREFIX)))
            try:
                held.enter_context(_locked(folder))
            except OSError:
                continue
            yield folder
            return
    raise OSError(f"no folder could be made in {tempfile.gettempdir()}")


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)
