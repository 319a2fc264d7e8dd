"""The messages of the wire protocol, version 4, as Python values.

`bridge/PROTOCOL.md` in the project's repository is the reference. msgspec decodes replies into the
classes below, which have the fields that are used here. The data of tensors stay where they
were received, as memoryviews, and become numpy arrays without a copy.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego.errors import GamePanicError, ServerError

SUBPROTOCOL = "pommego.v4+msgpack"
VERSIONS = [4]

#: The bytes before an id of eight bytes, which batches in shared memory have.
LONG_ID = b"\xa2id\xcf"

#: The exceptions that a reply raises when it does not follow the protocol.
MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

#: The element types of tensors; all little-endian.
DTYPES: dict[str, np.dtype] = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("uint8", "int16", "int32", "float32", "float64", "uint64")
}

_NAMES = {np.dtype(name): name for name in DTYPES}  # looking up dtype.name takes longer


class Tensor(msgspec.Struct, array_like=True):
    """An array as it is sent; the padding aligns the data to 64 bytes."""

    dtype: str
    shape: tuple[int, ...]
    pad: memoryview
    data: memoryview

    def array_of(self, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        if self.dtype != dtype or self.shape != shape:
            raise ValueError(f"{self.dtype} {self.shape}, expected {dtype} {shape}")
        array = np.ndarray(shape, DTYPES[dtype], self.data)  # raises if there is too little data
        if array.nbytes != len(self.data):
            raise ValueError(f"{len(self.data)} bytes of data for {dtype} {shape}")
        return array


class _Answer(msgspec.Struct, tag_field="type"):
    id: int


class Hello(_Answer, tag="hello"):
    limits: dict[str, int]


class Spec(dict[str, Any]):
    """The description of a game, which is sent as JSON."""


class EnvsReply(_Answer, tag="envs"):
    envs: list[Spec]


class SpacesReply(_Answer, tag="spaces"):
    spec: Spec


class Field(msgspec.Struct):
    """One tensor of every batch: its name, element type and whole shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    per_game: bool


class SharedMemoryReply(msgspec.Struct, kw_only=True):
    """The layout of shared memory, for a client on the server's machine."""

    path: str
    size: int = msgspec.field(name="bytes")
    key: bytes
    actions: list[int]
    batches: list[int]
    requests: int = 0
    games: list[int] = []  # with a batch size


class EnvReply(_Answer, tag="env"):
    spec: Spec
    env: int
    games: int
    learners: int
    rows: int
    observation: str
    reward: str
    mask: str
    autoreset_mode: str
    on_death: str
    fields: list[Field]
    final_fields: list[str] | None
    batch_bytes: int
    batch_size: int = 0
    policies: int = 0
    view_key: str = ""
    shared_memory: SharedMemoryReply | None = None

    @property
    def action_shape(self) -> tuple[int, ...]:
        components = len(self.spec["actions"])
        return (self.rows,) if components == 1 else (self.rows, components)


class Received(_Answer, dict=True):
    """A batch that came as a message. In shared memory a `SharedBatch` stands for it."""

    tensors: dict[str, Tensor]

    views: ClassVar[dict[str, NDArray[Any]]] = {}  # the tensors as arrays, for the reader
    handed: ClassVar[Any] = None  # dictionaries of those arrays, which the reader copies
    give_away: ClassVar[Callable[[], None]]  # hands the message's memory over to the arrays on it

    def own(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the named `views` as arrays that belong to the caller."""
        self.give_away()
        return {name: self.views[name] for name in names}


class Batch(Received, tag="batch"):
    final: dict[str, Tensor] | None = None


class Shared(_Answer, tag="shared"):
    """A batch is ready in shared memory."""

    size: int = msgspec.field(name="bytes")


class Simulated(Received, tag="simulated"):
    states: list[bytes]


class States(_Answer, tag="states"):
    states: list[Any]  # bytes, or str if asked for JSON


class Text(_Answer, tag="text"):
    text: str


class Image(_Answer, tag="image"):
    pixels: Tensor


class Ok(_Answer, tag="ok"):
    watched: bool = False  # in the reply to show: whether a viewer was connected recently


class Error(msgspec.Struct, tag_field="type", tag="error"):
    id: int | None
    code: str
    message: str
    hint: str = ""
    field: str = ""
    versions: list[int] | None = None
    action: tuple[int, int, str, int] | None = None  # row, component, its name, the most that it may be
    game: int | None = None
    seed: int | None = None
    episode: int | None = None
    state: bytes | None = None


Reply = (
    Hello
    | EnvsReply
    | SpacesReply
    | EnvReply
    | Batch
    | Shared
    | Simulated
    | States
    | Text
    | Image
    | Ok
    | Error
)


def plain(value: Any) -> Any:
    """Convert a numpy number to a Python number; TypeError for other types, which no message can have."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is a {type(value).__name__}, which cannot be sent to a server")


_decoder = msgspec.msgpack.Decoder(Reply, dec_hook=lambda kind, sent: kind(msgspec.json.decode(sent)))
_encoder = msgspec.msgpack.Encoder(enc_hook=plain)


def decode(message: bytes | memoryview) -> Reply:
    """Decode one reply. Tensors are views of `message`."""
    try:
        return _decoder.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise ValueError(str(e)) from e


def server_error(error: Error) -> ServerError:
    details = {
        name: value
        for name in ("versions", "action", "game", "seed", "episode", "state")
        if (value := getattr(error, name)) is not None
    }
    kind = GamePanicError if error.code == "game_panic" else ServerError
    return kind(error.code, error.message, error.hint, error.field, details)


def encode(kind: str, request_id: int, fields: dict[str, Any]) -> bytes:
    """Encode a request; fields that are None are left out, and rules are sent as JSON."""
    given = {name: value for name, value in fields.items() if value is not None}
    if (rules := given.get("rules")) is not None:
        several = rules if isinstance(rules, Sequence) and not isinstance(rules, str) else [rules]
        given["rules"] = [one if isinstance(one, str) else json.dumps(one, default=plain) for one in several]
    return _encoder.encode({"type": kind, "id": request_id, **given})


def tensor(array: NDArray[Any]) -> list[Any]:
    name = _NAMES[array.dtype]
    data = np.ascontiguousarray(array, DTYPES[name])
    return [name, list(array.shape), b"", data.tobytes()]


def write_actions(actions: ArrayLike, out: NDArray[np.uint8], games: int, learners: int) -> None:
    """Copy actions, whose rows may be split into (games, learners), into the send buffer.

    Values that do not fit into a byte are sent as 255, which is no action in any game. The server
    decides whether that is an error, as it ignores the actions of some rows.
    """
    array = numbers("actions", actions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions must be integers, got {no_integers(array)}")
    if array.shape != out.shape:
        by_game = (games, learners, *out.shape[1:])
        if array.shape != by_game:
            raise ValueError(f"actions must have shape {out.shape}, or {by_game}, got {array.shape}")
        array = array.reshape(out.shape)
    np.copyto(out, array, casting="unsafe")
    # The fastest test whether any action needs more than eight bits looks at all of them together.
    if array.dtype != np.uint8 and int(np.bitwise_or.reduce(array, axis=None)) & ~255:
        out[(array < 0) | (array > 255)] = 255


def numbers(what: str, values: Any) -> NDArray[Any]:
    try:
        array = np.asarray(values)
        if array.dtype != object or _place(values) == "cpu":
            return array
        why = "numpy cannot read it"
    except (TypeError, ValueError, RuntimeError) as e:
        why = str(e)
    place = _place(values)
    where = "" if place == "cpu" else f" on {place}: move it with {what}.cpu() first"
    raise TypeError(f"{what} must be an array or a list, got a {type(values).__name__}{where} ({why})")


def _place(values: Any) -> str:
    return str(getattr(values, "device", "cpu"))


def no_integers(array: NDArray[Any]) -> str:
    """Say what an array has in place of integers, and what to do."""
    if array.dtype.kind == "f":
        return f"dtype {array.dtype}: take the argmax of what a network returns, or astype(int)"
    if array.dtype != object:
        return f"dtype {array.dtype}"
    odd = [value for value in array.flat if type(value) is not int or abs(value) >> 63]
    return repr(odd[0]) if odd else "dtype object: astype(int)"
