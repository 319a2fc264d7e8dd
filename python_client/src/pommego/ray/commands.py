"""The commands `generate` and `tournament`, shared out over a Ray cluster.

The work is split into parts. Each is a task of Ray's, which runs the command on its node and
returns the files that it leaves. The calling process keeps them. In the end
it runs the command to join them, which also makes whatever is missing. So the result is
that of one machine, even if tasks fail.
"""

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayTaskError

from pommego._core import checks
from pommego._core.program import KilledError, flags, run
from pommego.errors import PommegoError

_PARTS = 64
_MADE = "made"  # the name of the command's output in a part's folder
_PREFIX = "pommego-part-"  # of the folders that tasks work in
_OURS = {"json", "out", "part", "take"}

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

    A task runs again, perhaps elsewhere, when its node, worker or program is killed. The folder
    ``OUT.parts`` holds finished parts until all are finished. After an error, or an interrupt, which
    ends the tasks too, the same call continues from there.

    Args:
        out: the folder for the data set, where this process runs.
        num_cpus: cores for each task, which plays as many games at a time.
        retries: how often a task is repeated that was lost with its program, worker or node.
        task_options: further options of the tasks, as Ray has them, such as `resources`.
        progress: called with the numbers of parts that are finished and of all. What it
            raises ends everything.
        options: the flags of ``pommego generate``: ``games_per_file=100`` is ``--games-per-file 100``;
            lists are joined by commas, and dictionaries are JSON.

    Returns:
        what ``--json`` prints.

    Raises:
        PommegoError: the command refused the options, or failed; it says why.
        ray.exceptions.RayError: a task was lost more often than `retries`.
    """
    given = {"max_retries": retries} | dict(task_options or {})
    return _share_out("generate", Path(out), options, num_cpus, progress, **given)


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

    Only times (``timing.*`` in the folder) and the order of games in the log differ.

    Args:
        out: the folder for results and the log, where this process runs.
        num_cpus: as for `generate`, as are the other arguments.
        retries: how often a task is repeated that was lost.
        task_options: further options of the tasks.
        progress: called with the numbers of parts that are finished and of all.
        options: the command's flags; see ``pommego tournament --help``.

    Returns:
        the results, as ``--json`` prints them.

    Errors are those of `generate`.
    """
    given = {"max_retries": retries} | dict(task_options or {})
    return _share_out("tournament", Path(out), options, num_cpus, progress, **given)


def _share_out(
    command: str,
    out: Path,
    options: Mapping[str, Any],
    cpus: int,
    progress: Progress | None,
    **given: Any,
) -> dict[str, Any]:
    """Make all parts by tasks with these options of Ray's, and put them together: see `generate`.

    A finished part is kept in a folder. When this function ends, it ends all tasks.
    """
    if taken := _OURS & set(options):
        name = sorted(taken)[0]
        said = f"{command}() got an unexpected keyword argument {name!r}"
        raise TypeError(f"{said}: pommego.ray has no option {name}, which it sets itself")
    checks.at_least(1, "num_cpus", cpus)
    wanted = flags(**options)
    games = json.loads(run(command, *wanted, "--part", "count", "--json"))["parts"]  # this checks the flags
    each, kept = max(1, games // _PARTS), out.with_name(out.name + ".parts")
    parts = [kept / f"{first}-{min(first + each, games) - 1}" for first in range(0, games, each)]
    unfinished = [part for part in parts if not part.exists()]
    tell = progress or (lambda done, total: None)
    for done in range(len(parts) - len(unfinished)):
        tell(done + 1, len(parts))
    # When a node is killed, the program may end first.
    how = {"num_cpus": cpus, "scheduling_strategy": "SPREAD", "retry_exceptions": [KilledError]}
    make = ray.remote(_make).options(**how | given)
    running = {make.remote(command, wanted, part.name, cpus): part for part in unfinished}
    try:
        while running:
            (task,), _ = ray.wait(list(running))
            try:
                files = ray.get(task)
            except RayTaskError as e:
                raise (e.cause if isinstance(e.cause, PommegoError) else e) from None
            _keep(files, running.pop(task))
            tell(len(parts) - len(running), len(parts))
    finally:
        for task in running:
            ray.cancel(task, force=True)
    takes = [text for part in parts for text in ("--take", str(part / _MADE))]
    said = run(command, *wanted, "--out", str(out), *takes, "--json")  # this makes what is missing
    shutil.rmtree(kept, ignore_errors=True)
    return json.loads(said)


def _keep(files: Mapping[str, bytes], part: Path) -> None:
    """Keep the files of a part, all or none of them."""
    part.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=part.parent) as scratch:
        whole = Path(scratch) / "whole"
        for name, content in files.items():
            path = whole / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        whole.rename(part)


def _make(command: str, wanted: list[str], part: str, cpus: int) -> dict[str, bytes]:
    """Make a part, as a task on some node; returns the files that the command leaves, by their names."""
    with _scratch() as scratch:
        where = ["--out", str(scratch / _MADE), "--part", "-"]
        run(command, *wanted, *where, "--json", part=part, cpus=cpus)
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
    new = Path(tempfile.mkdtemp())
    with _locked(new):  # before it has a name by which another task may take it for one that was left
        folder = new.rename(new.with_name(_PREFIX + new.name))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)  # a pipe would wait for a writer
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)
