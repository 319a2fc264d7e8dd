"""The decoders of what other programs send: mangled bytes are an error with a name, or sound values."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from decoders import TARGETS

CORPUS = Path(__file__).parent / "testdata" / "fuzz"


@pytest.mark.parametrize("name", TARGETS)
def test_decoders(name: str) -> None:
    """Of what fuzzing has found, of sound messages, and of these mangled."""
    target = TARGETS[name]
    found = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    for data in target.seeds + found:
        target.try_on(data)
    rng = random.Random(name)
    for _ in range(1000):
        target.try_on(target.damage(rng.choice(target.seeds + found), rng))
