"""The codec: tensors without a copy, requests byte for byte, hostile replies."""

from __future__ import annotations

import gc
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from pommego._transport import wire
from pommego._transport.buffers import ALIGNMENT, BufferPool


def packed(**fields: object) -> bytearray:
    return bytearray(msgspec.msgpack.encode(fields))


def test_step_request_is_the_protocols_example() -> None:
    actions = wire.tensor(np.array([1, 5], np.uint8))
    want = bytes.fromhex(
        "84 a474797065 a473746570 a26964 04 a3656e76 01 a7616374696f6e73 94 a575696e7438 9102 c400 c4020105"
    )
    assert wire.encode("step", 4, {"env": 1, "actions": actions}) == want


def test_absent_fields_do_not_travel() -> None:
    got = msgspec.msgpack.decode(wire.encode("make", 3, {"games": 2, "seat": None, "opponents": []}))
    assert got == {"type": "make", "id": 3, "games": 2, "opponents": []}


@pytest.mark.parametrize("dtype", sorted(wire.DTYPES))
def test_tensors_are_views_of_the_message(dtype: str) -> None:
    values = np.arange(24).astype(dtype).reshape(2, 3, 4)
    message = packed(
        type="batch", id=1, env=1, tensors={"x": wire.tensor(values)}, finished=wire.tensor(values)
    )
    batch = wire.decode(memoryview(message))
    array = batch.tensors["x"].array_of(dtype, values.shape)
    np.testing.assert_array_equal(array, values)
    assert array.dtype == dtype
    assert np.shares_memory(array, np.frombuffer(message, np.uint8)), "the data must not be copied"
    array[0, 0, 0] = 99
    assert wire.decode(message).tensors["x"].array_of(dtype, values.shape)[0, 0, 0] == 99


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        (wire.Tensor("object", (1,), b"", b"12345678"), "a dtype that is none of ours"),
        (wire.Tensor("int16", (3,), b"", b"12345"), "too little data"),
        (wire.Tensor("int16", (3,), b"", b"1234567"), "too much data"),
        (wire.Tensor("uint8", (2**40, 2**40), b"", b""), "a shape beyond memory"),
        (wire.Tensor("uint8", (-1, 2), b"", b""), "a negative shape"),
        (wire.Tensor("uint8", (2**63,), b"", b""), "a shape beyond 64 bits"),
    ],
)
def test_tensors_that_do_not_fit_together(tensor: wire.Tensor, reason: str) -> None:
    tensor.data = memoryview(tensor.data)
    with pytest.raises(wire.MISFITS):
        tensor.array_of(tensor.dtype, tensor.shape)
    assert reason


def test_replies_may_gain_fields_and_change_their_order() -> None:
    reply = wire.decode(packed(later=[1, {"x": 2}], id=5, type="ok", env=1))
    assert reply == wire.Ok(id=5)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"", "nothing"),
        (b"\xc1", "a byte that msgpack never uses"),
        (b"\x81", "a map that is cut off"),
        (b"\x80", "no type"),
        (packed(type="surprise", id=1), "an unknown type"),
        (packed(type="ok", id="x"), "an id that is a string"),
        (packed(type="batch", id=1, env=1, tensors=[], finished=[]), "tensors that are no map"),
        (packed(type="ok", id=1) + b"\x00", "something behind the end"),
        (b"\xdd\xff\xff\xff\xff", "a promise of four billion entries"),
        (b"\xc6\xff\xff\xff\xff", "a promise of four gigabytes"),
        (b"\x91" * 100_000, "nesting without end"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_replies_are_errors(message: bytes, reason: str) -> None:
    with pytest.raises(ValueError):
        wire.decode(message)
    assert reason


@pytest.mark.parametrize(
    "see",
    [
        lambda memory: np.frombuffer(memory, np.uint8),
        lambda memory: np.ndarray(900, np.uint8, memory),
        lambda memory: np.ndarray(225, np.float32, memory[:900]).view(np.uint8)[:1],
        lambda memory: np.asarray(memory)[::2],
    ],
)
def test_buffers_come_back_when_nobody_looks(see: Callable[[memoryview], np.ndarray]) -> None:
    pool = BufferPool()
    first = pool.take(1000)
    array = see(first)
    address = array.ctypes.data
    assert address % ALIGNMENT == 0
    del first
    second = np.frombuffer(pool.take(1000), np.uint8)
    assert not np.shares_memory(array, second), "a buffer somebody looks at must stay theirs"
    part = array[:1]
    del array
    gc.collect()
    assert np.frombuffer(pool.take(1000), np.uint8).ctypes.data != address, "a part is still held"
    del part
    gc.collect()
    assert np.frombuffer(pool.take(900), np.uint8).ctypes.data == address, "it should have come back"


def test_buffers_that_are_too_small_are_not_handed_out() -> None:
    pool = BufferPool()
    pool.take(1000)
    assert len(pool.take(2000)) >= 2000
