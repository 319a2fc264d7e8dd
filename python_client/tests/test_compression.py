"""Compressed batches: the same as others, and bounded whatever comes."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
import zstandard

import pommego
from compare import assert_same, frozen
from pommego._transport import wire
from pommego._transport.compression import Unpacker

Vec = Callable[..., pommego.PommegoVectorEnv]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
def test_same_as_uncompressed(vec: Vec, mode: str, copy: bool) -> None:
    options = {"games": 30, "autoreset_mode": mode, "copy": copy}
    packed, plain = vec(compression="zstd", **options), vec(shared_memory=False, **options)
    assert not packed.shared_memory
    assert_same(frozen(packed.reset(seed=1)), plain.reset(seed=1))
    rng = np.random.default_rng(1)
    kept = []
    for step in range(50):
        actions = rng.integers(0, 6, 120)
        got, want = packed.step(actions), plain.step(actions)
        assert_same(got, want, f"step {step}: ")
        if copy:
            kept.append((got, frozen(got)))
    for got, was in kept:
        assert_same(got, was)


def test_unknown_compression(vec: Vec) -> None:
    with pytest.raises(pommego.ServerError, match='"lzma", want zstd'):
        vec(compression="lzma")


def test_excludes_shared_memory(vec: Vec) -> None:
    with pytest.raises(pommego.ServerError, match="shared_memory and compression"):
        vec(compression="zstd", shared_memory=True)


def test_without_the_package(vec: Vec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(pommego.PommegoError, match=r"pip install 'pommego\[zstd\]'"):
        vec(compression="zstd")


def compressed(data: bytes, size: int) -> wire.Compressed:
    return wire.Compressed(1, 1, size, memoryview(data))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (compressed(b"nonsense", 100), "damaged"),
        (compressed(zstandard.compress(bytes(1 << 20)), 1 << 20), "want at most 1000"),
        (compressed(zstandard.compress(bytes(900)), 100), "damaged|expected"),
        (compressed(zstandard.compress(bytes(100)), 900), "expected"),
        (compressed(zstandard.compress(bytes(100)), 0), "want at most"),
        (compressed(zstandard.compress(b"\x82\xa4type\xa4pong\xa2id\x01"), 15), "Pong"),
    ],
)
def test_damaged(reply: wire.Compressed, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Unpacker().unpack(reply, 1000)


def test_a_bomb_costs_no_more_memory_than_announced() -> None:
    bomb = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(64 << 20))
    with pytest.raises(ValueError, match=r"damaged|expected"):
        Unpacker().unpack(compressed(bomb, 1000), 1000)
