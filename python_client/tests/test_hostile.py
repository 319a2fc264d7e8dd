"""Replies with flipped, missing and surplus bytes: an error of ours or a sound batch, nothing else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import pommego
from decoders import mangled, reader_of, use
from pommego._transport import wire

GAMES, ROWS = 2, 8


@pytest.fixture
def replies(monkeypatch: pytest.MonkeyPatch, vec: Callable[..., pommego.PommegoVectorEnv]) -> list[bytes]:
    """One reply of each kind, as a real server sends them."""
    seen = []
    decode = wire.decode
    monkeypatch.setattr(wire, "decode", lambda message: seen.append(bytes(message)) or decode(message))
    envs = vec("PommeTeam-v0", GAMES, observation="raw", autoreset_mode="SameStep", max_episode_steps=2)
    envs.reset(seed=0)
    envs.step(np.zeros(ROWS, int))
    envs.step(np.zeros(ROWS, int))
    states = envs.get_state()
    envs.simulate(states, np.zeros(ROWS, int))
    envs.render(0)
    with pytest.raises(pommego.ServerError):
        envs.set_opponents(["nobody"])
    monkeypatch.undo()
    return seen


def test_mangled_replies(replies: list[bytes]) -> None:
    made = next(r for r in map(wire.decode, replies) if isinstance(r, wire.EnvReply))
    reader = reader_of(made)
    assert {type(use(wire.decode(message), reader, GAMES, ROWS)).__name__ for message in replies} >= {
        "EnvReply",
        "Batch",
        "Simulated",
        "States",
        "Error",
    }
    rng, outcomes = random.Random(7), Counter()
    for _ in range(6000):
        reply = mangled(rng.choice(replies), rng)
        try:
            outcomes[type(use(wire.decode(reply), reader, GAMES, ROWS)).__name__] += 1
        except wire.MISFITS as e:  # which the environment turns into an error of its own
            outcomes[type(e).__name__] += 1
    assert outcomes["ValueError"] > 1000
    assert outcomes["Batch"] > 100
