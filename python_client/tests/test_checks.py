"""What callers may hand in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pommego import checks


@pytest.mark.parametrize(
    ("actions", "want", "reason"),
    [
        (np.array([0, 5, 3, 1], np.int64), [0, 5, 3, 1], "gymnasium's own dtype"),
        (np.array([[0, 5], [3, 1]], np.uint8), [0, 5, 3, 1], "by game"),
        ([0, 5, 3, 1], [0, 5, 3, 1], "a list"),
        (np.array([261, -1, 255, 256], np.int32), [255] * 4, "261 must not become 5, nor -1 a legal move"),
        (np.array([-128, 127, 0, 1], np.int8), [255, 127, 0, 1], "bytes with a sign"),
        (np.array([2**63, 0, 0, 0], np.uint64), [255, 0, 0, 0], "beyond int64"),
    ],
)
def test_actions(actions: Any, want: list[int], reason: str) -> None:
    out = np.zeros(4, np.uint8)
    checks.write_actions(actions, out, games=2, learners=2)
    assert out.tolist() == want, reason


@pytest.mark.parametrize(
    ("actions", "error", "reason"),
    [
        (np.zeros(4), TypeError, "floats"),
        (np.zeros(4, bool), TypeError, "flags are no moves"),
        (["a"] * 4, TypeError, "strings"),
        (np.zeros(3, int), ValueError, "too few"),
        (np.zeros((4, 1), int), ValueError, "a column"),
        (np.zeros((1, 4), int), ValueError, "the wrong grouping"),
        (0, ValueError, "one for all"),
    ],
)
def test_actions_that_are_none(actions: Any, error: type[Exception], reason: str) -> None:
    with pytest.raises(error):
        checks.write_actions(actions, np.zeros(4, np.uint8), games=2, learners=2)
    assert reason


def test_actions_of_several_components() -> None:
    out = np.zeros((4, 3), np.uint8)
    actions = np.arange(12)
    checks.write_actions(actions.reshape(2, 2, 3), out, games=2, learners=2)
    assert out.ravel().tolist() == actions.tolist()


def test_masks_cover_whole_games() -> None:
    mask = np.array([True, True, False, False])
    options = {"reset_mask": mask}
    assert checks.reset_mask(options, 2, 2).tolist() == [True, False]
    assert options == {"reset_mask": mask}, "the caller's options stay as they are"
    assert checks.reset_mask(None, 2, 2) is None
    assert checks.reset_mask({}, 2, 2) is None


@pytest.mark.parametrize(
    ("mask", "error", "text"),
    [
        ([True] * 4, TypeError, "numpy array"),
        (np.ones(4, np.uint8), TypeError, "dtype bool"),
        (np.ones(2, bool), ValueError, "shape"),
        (np.zeros(4, bool), ValueError, "at least one"),
        (np.array([False, False, True, False]), ValueError, "game 1 .rows 2 to 3"),
    ],
)
def test_masks_that_are_refused(mask: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        checks.reset_mask({"reset_mask": mask}, 2, 2)


def test_a_misspelt_option_is_an_error() -> None:
    with pytest.raises(ValueError, match="reset_masks"):
        checks.reset_mask({"reset_masks": 1}, 2, 2)


def test_seeds() -> None:
    assert checks.seeds(None, 3) is None
    assert checks.seeds(np.int64(7), 3) == 7
    values, given = checks.seeds([2**64 - 1, None, 0], 3)
    assert values.tolist() == [2**64 - 1, 0, 0]
    assert given.tolist() == [True, False, True]
    assert checks.seeds([None, None], 2) is None


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (-1, ValueError),
        (2**64, ValueError),
        ([1, 2], ValueError),
        ([1.5, 2, 3], TypeError),
        ([True] * 3, TypeError),
    ],
)
def test_seeds_that_are_none(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        checks.seeds(seed, 3)
