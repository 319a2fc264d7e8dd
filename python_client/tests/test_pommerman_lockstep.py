"""The lock-step comparison with the original, tried out with our own package in the original's part."""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "reference"))
import lockstep
import peer
import positions
import served
from exact import difference, exact

import pommego
from pommego.pommerman import constants

pytestmark = pytest.mark.usefixtures("binary")


@pytest.fixture
def stand_in() -> Iterator[lockstep.Reference]:
    reference = lockstep.Reference(sys.executable, "stand-in")
    yield reference
    reference.close()


@pytest.mark.parametrize("leg", lockstep.LEGS)
def test_all_ids_are_compared(stand_in: lockstep.Reference, leg: str) -> None:
    *_, comparison = lockstep.compare(stand_in, 400, seed=4, leg=leg)
    assert comparison.differences == []
    assert sum(comparison.steps.values()) >= 400
    assert comparison.counts["decisions"] > 100 or leg == "server"
    assert comparison.counts["games"] == len(comparison.steps) > 2


def test_a_difference_is_found(stand_in: lockstep.Reference, monkeypatch: pytest.MonkeyPatch) -> None:
    step = peer.Peer.step

    def altered(self: Any, actions: list[Any], **options: Any) -> Any:
        self.env._agents[1]._character.ammo += self.env._step_count % 7 == 3
        return step(self, actions, **options)

    monkeypatch.setattr(peer.Peer, "step", altered)
    comparison = next(lockstep.compare(stand_in, 100, seed=2))
    assert comparison.counts["differences"] > 0
    assert "['ammo']" in comparison.differences[0]


def test_a_difference_of_what_is_only_saved_is_found(
    stand_in: lockstep.Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = served.Served.begin

    def altered(self: Any, env_id: str, state: dict[str, str] | pommego.State, training: None) -> Any:
        if isinstance(state, pommego.State):
            return begin(self, env_id, state, training)
        other = {6: 7, 7: 8, 8: 6}
        items = [[cell, other[item]] for cell, item in json.loads(state["items"])]
        return begin(self, env_id, {**state, "items": json.dumps(items)}, training)

    monkeypatch.setattr(served.Served, "begin", altered)
    comparison = next(lockstep.compare(stand_in, 100, seed=2, leg="server"))
    assert comparison.counts["differences"] > 0
    assert "saved['items']" in comparison.differences[0]


def test_starts_have_what_games_seldom_have(binary: Path) -> None:
    """Bombs in flames, bombs under agents, several flames on a cell, items under flames, the dead."""
    found = Counter()
    rng = random.Random(1)
    for _ in range(60):
        state = {name: json.loads(text) for name, text in positions.start("PommeFFA-v1", rng).items()}
        bombs = {tuple(bomb["position"]) for bomb in state["bombs"]}
        flames = Counter(tuple(flame["position"]) for flame in state["flames"])
        found["bomb in flames"] += len(bombs & flames.keys())
        found["rolling bomb"] += sum(bomb["moving_direction"] is not None for bomb in state["bombs"])
        found["bomb under agent"] += sum(tuple(agent["position"]) in bombs for agent in state["agents"])
        found["flames on flames"] += sum(count > 1 for count in flames.values())
        found["item under flames"] += sum(tuple(cell) in flames for cell, _ in state["items"])
        found["dead"] += sum(not agent["is_alive"] for agent in state["agents"])
    assert min(found[what] for what in found) > 3, found
    assert len(found) == 6


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
