"""The league recipe: better policies get better ratings, and the same ones each time."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from conftest import REPOSITORY
from test_programs import run

LEAGUE = REPOSITORY / "python_client" / "examples" / "league.py"


@pytest.fixture(scope="module")
def league() -> ModuleType:
    spec = importlib.util.spec_from_file_location("league", LEAGUE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_who_lays_no_bombs_lives_longer(league: ModuleType, binary: Path) -> None:
    ratings = league.league(league.MEMBERS, games=150, at_once=32)
    assert min(ratings["peaceful"].mu, ratings["still"].mu) > max(ratings["eager"].mu, ratings["anything"].mu)
    again = league.league(league.MEMBERS, games=150, at_once=32)
    assert {name: (r.mu, r.sigma) for name, r in again.items()} == {
        name: (r.mu, r.sigma) for name, r in ratings.items()
    }


def test_members_see_their_own_rows_only(league: ModuleType, binary: Path) -> None:
    """Each is asked once a step, for all its rows, and no seat is anybody else's."""
    asked: dict[str, list[int]] = {}

    def member(name: str) -> object:
        def policy(obs: dict[str, np.ndarray], mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            assert len(obs["planes"]) == len(obs["scalars"]) == len(mask)
            asked.setdefault(name, []).append(len(mask))
            return league.eager(obs, mask, rng)

        return policy

    league.league({name: member(name) for name in "abcde"}, games=20, at_once=10)
    steps = {len(rows) for rows in asked.values()}
    assert len(steps) == 1, "each once a step"
    assert set(np.sum(list(asked.values()), axis=0)) == {40}, "40 seats in all"


def test_seats_are_drawn_without_repetition(league: ModuleType) -> None:
    seats = league.draw(6, 500, np.random.default_rng(0))
    assert seats.shape == (500, 4)
    assert all(len(set(row)) == 4 for row in seats.tolist())
    assert set(seats.ravel()) == set(range(6))


def test_program(binary: Path) -> None:
    out = run(str(LEAGUE), "--games", "40").stdout
    table = re.findall(r"^(\w+) +(-?[\d.]+)   [\d.-]+ \+- [\d.]+$", out, re.MULTILINE)
    assert {name for name, _ in table} == {"anything", "peaceful", "still", "eager"}
    values = [float(value) for _, value in table]
    assert values == sorted(values, reverse=True)
