"""Replies with flipped, missing and surplus bytes: an error of ours or a sound batch, nothing else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import pommego
from pommego._transport import wire
from pommego.batch import BatchReader
from pommego.info import episode_info, final_info
from pommego.spec import GameSpec

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


def mangled(message: bytes, rng: random.Random) -> bytes:
    out = bytearray(message)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(min(len(out), rng.choice([60, 300, len(out)])))
        what = rng.random()
        if what < 0.7:
            out[at] = rng.choice([rng.randrange(256), 0xFF, 0, 0xDD, 0xC6, 0xCF, 0x90, 0x80])
        elif what < 0.85:
            del out[at : at + rng.randrange(1, 9)]
        else:
            out[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(out)


def use(message: bytes, reader: BatchReader) -> str:
    reply = wire.decode(message)
    if isinstance(reply, wire.Batch | wire.Simulated):
        view = reader.read(reply, GAMES, lambda: None)
        assert all(len(array) == ROWS for array in view.obs.values())
        if view.finished.size:
            episode_info(view)
            final_info(view, 4, ROWS)
    elif isinstance(reply, wire.EnvReply):
        spec = GameSpec.from_wire(reply.spec)
        spec.encoding(reply.observation)
        spec.action_space()
    return type(reply).__name__


def test_mangled_replies(replies: list[bytes]) -> None:
    made = next(r for r in map(wire.decode, replies) if isinstance(r, wire.EnvReply))
    reader = BatchReader(made.fields, learners=4, copy=True, expand=True)
    assert {use(message, reader) for message in replies} >= {
        "EnvReply",
        "Batch",
        "Simulated",
        "States",
        "Error",
    }
    rng, outcomes = random.Random(7), Counter()
    for _ in range(6000):
        message = mangled(rng.choice(replies), rng)
        try:  # these exceptions are what the environment turns into one of its own
            outcomes[use(message, reader)] += 1
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
        ) as e:
            outcomes[type(e).__name__] += 1
    assert outcomes["ValueError"] > 1000
    assert outcomes["Batch"] > 100
