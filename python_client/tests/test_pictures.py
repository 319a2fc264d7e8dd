"""Games as images: what `render` returns, and gymnasium's own recorders on top of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pommego

Vec = Callable[..., pommego.PommegoVectorEnv]


def test_images(vec: Vec) -> None:
    envs = vec(games=2, render_mode="rgb_array")
    envs.reset(seed=0)
    image = envs.render(0)
    assert image.dtype == np.uint8
    assert image.shape == (11 * 16, 11 * 16, 3)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 5
    assert image.flags.writeable
    pictures = envs.render()
    assert isinstance(pictures, tuple)
    assert len(pictures) == envs.num_envs
    np.testing.assert_array_equal(pictures[0], image)
    np.testing.assert_array_equal(pictures[4], envs.render(1))
    assert envs.render(0, tile=8).shape[1] == 88
    assert isinstance(vec(games=1).render_mode, str)


def test_moves_show(vec: Vec) -> None:
    envs = vec(games=1, render_mode="rgb_array")
    envs.reset(seed=0)
    before = envs.render(0)
    envs.step(np.full(4, 5))
    assert (envs.render(0) != before).any()


def test_what_a_seat_sees(vec: Vec) -> None:
    envs = vec("PommeTeamCompetition-v0", games=1, render_mode="rgb_array")
    envs.reset(seed=0)
    whole, views = envs.render(0), [envs.render(0, seat=seat) for seat in range(4)]
    assert {view.shape for view in views} == {whole.shape}
    assert len({view.tobytes() for view in [whole, *views]}) == 5, "every seat sees something else"
    corner = (slice(0, 16), slice(-16, None))
    hidden = [bool((view[corner] != whole[corner]).any()) for view in views]
    assert hidden == [True, True, True, False], "seat 3 stands in the corner, the others are far from it"
    with pytest.raises(pommego.ServerError, match="seat is 4, want 0 to 3"):
        envs.render(0, seat=4)


def test_what_a_seat_sees_as_text(vec: Vec) -> None:
    envs = vec("PommeTeamCompetition-v0", games=1)
    envs.reset(seed=0)
    assert "??" not in envs.render(0)
    assert "as seat 1 sees it" in envs.render(0, seat=1)
    assert "??" in envs.render(0, seat=1)


@pytest.mark.parametrize("tile", [3, 65])
def test_tiles_that_cannot_be(vec: Vec, tile: int) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    with pytest.raises(pommego.ServerError, match="tile"):
        envs.render(0, tile=tile)


def test_unknown_mode(vec: Vec) -> None:
    with pytest.raises(ValueError, match="render_mode"):
        vec(render_mode="hologram")


def test_single(single: Callable[..., pommego.PommegoEnv]) -> None:
    env = single(render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (176, 176, 3)
