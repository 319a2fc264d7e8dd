"""What callers may hand in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pommego
from pommego._core import checks
from pommego._core.more_checks import reset_mask, reset_states
from pommego._core.opponents import LineUps
from pommego._transport import wire

Vec = Callable[..., pommego.PommegoVectorEnv]


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
    wire.write_actions(actions, out, games=2, learners=2)
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
        wire.write_actions(actions, np.zeros(4, np.uint8), games=2, learners=2)
    assert reason


def test_actions_of_several_components() -> None:
    out = np.zeros((4, 3), np.uint8)
    actions = np.arange(12)
    wire.write_actions(actions.reshape(2, 2, 3), out, games=2, learners=2)
    assert out.ravel().tolist() == actions.tolist()


def test_masks_cover_whole_games() -> None:
    mask = np.array([True, True, False, False])
    options = {"reset_mask": mask}
    assert reset_mask(options, 2, 2).tolist() == [True, False]
    assert options == {"reset_mask": mask}, "the caller's options stay as they are"
    assert reset_mask({}, 2, 2) is None


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
        reset_mask({"reset_mask": mask}, 2, 2)


def test_a_misspelt_option_is_an_error() -> None:
    with pytest.raises(ValueError, match="reset_masks"):
        reset_mask({"reset_masks": 1}, 2, 2)


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


class OnDevice:
    """As a tensor on a GPU does: numpy cannot read it."""

    device = "cuda:0"

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


class OnAnother:
    """As a tensor of a library of which numpy knows nothing."""

    device = "xpu:1"


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        (OnDevice(), r"got a OnDevice on cuda:0: move it with actions.cpu\(\) first .can't convert cuda:0"),
        (OnAnother(), r"got a OnAnother on xpu:1: move it with actions.cpu\(\) first"),
        ([[1, 2], [3]], "must be an array or a list, got a list .*inhomogeneous"),
        ([0, 2**70, 0, 0], f"must be integers, got {2**70}"),
        ([0, None, 0, 0], "must be integers, got None"),
        (None, "must be integers, got None"),
        (np.zeros(4, object), r"got dtype object: astype\(int\)"),
        (np.zeros(4, np.float32), r"got dtype float32: take the argmax .*, or astype\(int\)"),
    ],
)
def test_actions_that_cannot_be_read(actions: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        wire.write_actions(actions, np.zeros(4, np.uint8), games=2, learners=2)


@pytest.mark.parametrize(
    ("seed", "text"),
    [
        (1.0, "seed is 1.0, expected an integer, a list of 3 of them, or None"),
        (np.float64(2), "seed is .*2.0.*, expected an integer"),
        ("12", "seed is '12', expected"),
        ([0, 1.5, 2], "seed is 1.5, expected an integer from 0"),
        (-1, r"seed is -1, expected 0 to 2\*\*64-1"),
    ],
)
def test_a_seed_s_error_names_it(seed: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        checks.seeds(seed, 3)


@pytest.mark.parametrize("value", [-1, 255, 256, 2**40])
@pytest.mark.parametrize("id", ["OneVsOne-v0", "PommeRadioCompetition-v2"])
@pytest.mark.parametrize("shared_memory", [True, False])
def test_a_bad_action_is_named(vec: Vec, id: str, value: int, shared_memory: bool) -> None:
    """Wherever it is given, and nothing is stepped."""
    envs = vec(id, 2, shared_memory=shared_memory)
    envs.reset(seed=0)
    actions = np.zeros(envs.action_space.shape, np.int64)
    actions[(2, 1) if actions.ndim > 1 else 2] = value
    states = envs.get_state()
    match = f"action of row 2, component .* is {value}, want 0 to "
    with pytest.raises(pommego.ServerError, match=match) as caught:
        envs.step(actions)
    assert caught.value.code == "bad_action"
    envs.send(np.zeros_like(actions))
    envs.send(actions)
    envs.recv()
    with pytest.raises(pommego.ServerError, match=match):
        envs.recv()
    with pytest.raises(pommego.ServerError, match=match):
        envs.simulate(states, actions)
    some = vec(id, 2, batch_size=1)
    some.reset(seed=0)
    some.recv()
    with pytest.raises(pommego.ServerError, match=match):
        some.send(actions, np.arange(len(actions)))
        some.recv()  # through shared memory the error comes with this


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (
            np.ones((3, 6), np.int8),
            r"action_mask must have shape \(4, 6\), as info.*, got \(3, 6\)",
        ),
        (np.ones((4, 5), np.int8), r"got \(4, 5\)"),
        (np.ones(6), r"got \(6,\)"),
        (np.eye(4, 6, k=-1), r"\[0.*\] for component 0 in row 0, expected at least one 1"),
        (OnDevice(), r"action_mask must be .* on cuda:0: move it with action_mask.cpu\(\) first"),
    ],
)
def test_masks_that_cannot_be_drawn_from(vec: Vec, mask: Any, text: str) -> None:
    envs = vec("OneVsOne-v0", 2)
    with pytest.raises((ValueError, TypeError), match=text):
        envs.sample_actions(mask)


def test_a_single_game_s_action_is_named(single: Callable[..., pommego.PommegoEnv]) -> None:
    env = single("OneVsOne-v0")
    env.reset(seed=0)
    for action, text in (
        (-1, "is -1, want 0 to 5"),
        (6, "is 6, want"),
        (OnDevice(), r"action.cpu\(\)"),
    ):
        with pytest.raises((pommego.ServerError, TypeError), match=text):
            env.step(action)


@pytest.mark.parametrize(
    ("id", "options", "text"),
    [
        ("OneVsOne", {}, r'unknown id "OneVsOne" \(did you mean "OneVsOne-v0"\?\)'),
        ("OneVsOne-v0", {"opponents": ["simpel"]}, r'"simpel" \(did you mean "simple"\?\)'),
        (
            "OneVsOne-v0",
            {"opponents": ["simple"], "seat": 7},
            "seat is 7, want 0 to 1: OneVsOne-v0 has 2 seats",
        ),
        ("OneVsOne-v0", {"seat": 1}, "seat is 1 without opponents"),
        ("OneVsOne-v0", {"opponents": ["simple"], "seat": -1}, "seat is -1"),
    ],
)
def test_options_are_named_as_given(vec: Vec, id: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(pommego.ServerError, match=text):
        vec(id, 1, **options)


def test_one_game_is_no_games() -> None:
    for call in (
        lambda: checks.seeds([1, 2], 1),
        lambda: reset_states({"states": [None] * 2}, 1),
        lambda: LineUps.read([["simple"], ["random"]], 1),
    ):
        with pytest.raises(ValueError, match="2 (entries|line-ups) for 1 game: give "):
            call()
    with pytest.raises(ValueError, match="seed has 1 entries for 3 games: give each one"):
        checks.seeds([1], 3)
    one = pommego.Evaluation(np.ones(1, np.int8), np.array([9]), np.zeros(1, np.uint8))
    assert str(one).startswith("1 game: 100.0% won")


def test_what_num_envs_is() -> None:
    with pytest.raises(pommego.ServerError, match="^num_envs is None, want an integer .*field num_envs"):
        pommego.make_vec("OneVsOne-v0", None)
