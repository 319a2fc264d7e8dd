"""The decoders of what other programs send: mangled bytes are an error with a name, or sound values."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from decoders import TARGETS

CORPUS = Path(__file__).parent / "testdata" / "fuzz"


@pytest.mark.usefixtures("binary")
@pytest.mark.parametrize("name", TARGETS)
def test_decoders(name: str) -> None:
    """Of what fuzzing has found, of sound messages, and of these mangled."""
    target = TARGETS[name]
    found = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    sound = target.seeds() + found
    for data in sound:
        target.try_on(data)
    if name in (
        "sessions",
        "compressed",
        "addresses",
        "manifests",
    ):  # all others end with an error in any case
        for data in target.seeds():
            target.decode(data)
    rng = random.Random(name)
    for _ in range(1000):
        target.try_on(target.damage(rng.choice(sound), rng))
