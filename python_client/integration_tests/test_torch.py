"""PyTorch looks at batches where the server wrote them."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pommego

Vec = Callable[..., pommego.PommegoVectorEnv]


@pytest.mark.parametrize("shared", [True, False], ids=["shared memory", "socket"])
@pytest.mark.parametrize("games", [2, 60], ids=["small", "large"])
def test_tensors_hold_their_batch(vec: Vec, shared: bool, games: int) -> None:
    """They are made without a copy or a warning, can be written to, and stand while the games go on."""
    envs, twin = (vec(games=games, shared_memory=s) for s in (shared, False))
    for each in (envs, twin):
        each.reset(seed=0)
    kept, want = [], []
    rng = np.random.default_rng(0)
    for _ in range(20):
        actions = rng.integers(0, 6, 4 * games)
        obs = envs.step(actions)[0]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kept.append({name: torch.from_numpy(array) for name, array in obs.items()})
        assert kept[-1]["planes"].data_ptr() == obs["planes"].__array_interface__["data"][0]
        want.append({name: array.copy() for name, array in twin.step(actions)[0].items()})
        kept[-1]["planes"].add_(1)
        del kept[:-4], want[:-4], obs
        for tensors, arrays in zip(kept, want, strict=True):
            assert np.array_equal(tensors["planes"].numpy(), arrays["planes"] + 1)
            assert np.array_equal(tensors["scalars"].numpy(), arrays["scalars"])


@pytest.mark.parametrize("shared", [True, False])
def test_views_become_tensors_without_a_warning(vec: Vec, shared: bool) -> None:
    envs = vec(games=20, shared_memory=shared, copy=False)
    envs.reset(seed=0)
    obs, reward, *_ = envs.step(np.zeros(80, int))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for array in (*obs.values(), reward):
            assert torch.from_numpy(array).data_ptr() == array.__array_interface__["data"][0]
