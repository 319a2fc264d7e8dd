"""Planes made of raw observations by PyTorch and by JAX are the server's, to the byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same
from encodings_of import VARIANTS, fogged, name, together

Vec = Callable[..., pommego.PommegoVectorEnv]
Convert = Callable[[dict[str, Any]], dict[str, Any]]


def _torch(spec: pommego.GameSpec, **how: bool) -> Convert:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"

    def convert(raw: dict[str, Any]) -> dict[str, Any]:
        tensors = {name: torch.from_numpy(array).to(device) for name, array in raw.items()}
        made = pommego.torch.planes(tensors, spec, **how)
        assert all(tensor.device.type == device for tensor in made.values())
        return {name: tensor.cpu().numpy() for name, tensor in made.items()}

    return convert


def _jax(spec: pommego.GameSpec, **how: bool) -> Convert:
    return lambda raw: _from_jax(pommego.jax.planes(raw, spec, **how))


def _jitted(spec: pommego.GameSpec, **how: bool) -> Convert:
    import jax

    compiled = jax.jit(lambda raw: pommego.jax.planes(raw, spec, **how))
    return lambda raw: _from_jax(compiled(raw))


def _from_jax(made: dict[str, Any]) -> dict[str, Any]:
    return {name: np.asarray(array) for name, array in made.items()}


@pytest.mark.parametrize(
    ("framework", "library"),
    [("torch", _torch), ("jax", _jax), ("jax", _jitted)],
    ids=["torch", "jax", "jit"],
)
@pytest.mark.parametrize(("id", "options"), VARIANTS, ids=name)
def test_planes_are_the_servers(
    vec: Vec, framework: str, library: Any, id: str, options: dict[str, Any]
) -> None:
    """In every variant, with fields that travel once a game as they are or repeated."""
    pytest.importorskip(framework)
    spec = vec(id, 1, **options).game_spec
    for observation, expand in (("raw", True), ("raw", False), ("unfogged", False)):
        if observation == "unfogged" and not fogged(spec):
            continue
        envs = vec(id, 12, observation=observation, expand_shared=expand, **options)
        convert = library(spec, unfogged=observation == "unfogged")
        for n, ((raw, *_), (want, *_)) in enumerate(together([envs, vec(id, 12, **options)], 40)):
            assert_same(convert(raw), want, f"step {n}: ")
