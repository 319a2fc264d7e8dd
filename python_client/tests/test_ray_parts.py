"""Parts of data sets and tournaments, shared out by a stand-in for Ray: tasks whose program is killed.

`integration_tests/test_ray_commands.py` has the same with Ray.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pommego
from pommego._core import program


class Task:
    """What `ray.remote` makes of a function: it runs at once, and again as Ray's options say."""

    def __init__(self, function: Callable[..., Any], **given: Any) -> None:
        self._function, self._given = function, given

    def options(self, **given: Any) -> Task:
        return Task(self._function, **given)

    def remote(self, *args: Any) -> Callable[[], Any]:
        retried = tuple(self._given.get("retry_exceptions", ()))
        for left in reversed(range(1 + self._given["max_retries"])):
            try:
                made = self._function(*args)
            except Exception as e:
                if left and isinstance(e, retried):
                    continue
                failed = TaskError(pickle.loads(pickle.dumps(e)))
                return lambda: (_ for _ in ()).throw(failed)
            return lambda: made
        raise AssertionError


class TaskError(Exception):
    """Ray's error of a task that raised one."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """`pommego.ray`, on the stand-in."""
    fake, errors = ModuleType("ray"), ModuleType("ray.exceptions")
    fake.remote, fake.ObjectRef, fake.cancel = Task, object, lambda *_, **__: None
    fake.wait, fake.get = lambda tasks: (tasks[:1], tasks[1:]), lambda task: task()
    errors.RayTaskError, errors.RayError, errors.GetTimeoutError = TaskError, Exception, TimeoutError
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setitem(sys.modules, "ray.exceptions", errors)
    yield importlib.import_module("pommego.ray")
    for name in ("pommego.ray", "pommego.ray.commands", "pommego.ray.games"):
        del sys.modules[name]
    vars(pommego).pop("ray", None)


@pytest.fixture
def killed(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that is killed the first three times that it makes a part; returns where it counts."""
    counts, shell = tmp_path / "counts", tmp_path / "pommego"
    counts.mkdir()
    shell.write_text(
        "#!/bin/sh\n"
        'case "$*" in *"--part -"*) for k in 1 2 3; do\n'
        f"mkdir {counts}/$k 2>/dev/null && kill -9 $$; done;; esac\n"
        f'exec {binary} "$@"\n'
    )
    shell.chmod(0o755)
    monkeypatch.setenv("POMMEGO_BINARY", str(shell))
    return counts


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {
        name: data for name, data in named.items() if not name.startswith("timing.") and name != "games.jsonl"
    }


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("generate", {"games": 4, "games_per_file": 2, "agents": ["random"]}),
        ("tournament", {"games": 4, "agents": ["random", "static"], "against": "static"}),
    ],
)
def test_parts_are_made_again(
    ray: ModuleType, killed: Path, tmp_path: Path, command: str, options: dict[str, Any]
) -> None:
    """The result is that of one machine."""
    getattr(ray, command)(tmp_path / "got", **options)
    assert len(list(killed.iterdir())) == 3
    program.run(command, *program.flags(**options), "--out", str(tmp_path / "want"))
    assert contents(tmp_path / "got") == contents(tmp_path / "want")


def test_not_without_end(ray: ModuleType, killed: Path, tmp_path: Path) -> None:
    with pytest.raises(pommego.PommegoError, match=r"^pommego generate was killed by signal 9\.$"):
        ray.generate(tmp_path / "got", games=2, retries=2)
    assert len(list(killed.iterdir())) == 3


def test_killed_before_it_reads(killed: Path) -> None:
    """Its part is written to nobody."""
    with pytest.raises(program.KilledError, match="killed by signal 9"):
        program.run("generate", "--part", "-", part="0-0" * 100_000)
