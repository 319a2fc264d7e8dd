"""The lock-step comparison with the original, tried out with our own package in the original's part."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "reference"))
import lockstep
from exact import difference, exact

from pommego.pommerman import constants

pytestmark = pytest.mark.usefixtures("binary")


@pytest.fixture
def stand_in() -> Iterator[lockstep.Reference]:
    reference = lockstep.Reference(sys.executable, "stand-in")
    yield reference
    reference.close()


def test_all_ids_are_compared(stand_in: lockstep.Reference) -> None:
    *_, comparison = lockstep.compare(stand_in, 400, seed=3)
    assert comparison.differences == []
    assert sum(comparison.steps.values()) >= 400
    assert comparison.counts["decisions"] > 100
    assert comparison.counts["games"] == len(comparison.steps) > 2


def test_a_difference_is_found(stand_in: lockstep.Reference, monkeypatch: pytest.MonkeyPatch) -> None:
    step = lockstep.peer.Peer.step

    def altered(self: Any, actions: list[Any], **options: Any) -> Any:
        self.env._agents[1]._character.ammo += self.env._step_count % 7 == 3
        return step(self, actions, **options)

    monkeypatch.setattr(lockstep.peer.Peer, "step", altered)
    comparison = next(lockstep.compare(stand_in, 100, seed=2))
    assert comparison.counts["differences"] > 0
    assert "['ammo']" in comparison.differences[0]


def test_what_fails_over_there_is_said(stand_in: lockstep.Reference) -> None:
    with pytest.raises(RuntimeError, match="the original fails in step: .*no attribute 'env'|NoneType"):
        stand_in.ask("step", [0] * 4, saved=False)


def test_no_original() -> None:
    reference = lockstep.Reference(sys.executable)
    with pytest.raises(RuntimeError, match="is it installed for that Python"):
        reference.ask("about")
    reference.close()


@pytest.mark.parametrize(
    ("got", "want", "path"),
    [
        (1, True, r": \('int', 1\), want \('bool', True\)"),
        ([1, (2,)], [1, [2]], r"\[1\]"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "has the keys"),
        (np.zeros(2), np.zeros(2, np.float32), "array <f8"),
        (np.int64(1), 1, "numpy"),
        ((np.int64(1), 1), (1, 1), r"\[0\]"),
        (constants.Item.Kick, constants.Action.Left, "Kick"),
    ],
)
def test_exactness(got: Any, want: Any, path: str) -> None:
    assert difference(exact(got), exact(got)) is None
    found = difference(exact(got), exact(want))
    assert found is not None
    assert re.search(path, found), found
