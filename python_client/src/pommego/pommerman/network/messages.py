"""The messages between client and server."""

from __future__ import annotations

import contextlib
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np

from pommego.pommerman import constants

__all__ = ["Intent", "observation", "pack", "parse", "plain", "reading", "unpack"]

_LONGEST = 4 << 20  # bytes in a message, before compression
_FLOATS = ("bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life")


class Intent(Enum):
    """The kinds of messages, by the numbers that are sent."""

    check = 0
    ping = 1
    match = 2
    room = 3
    match_start = 4
    match_act = 5
    match_end = 6
    replay = 7
    status_ok = 10
    status_fail = 11
    status_full = 12
    status_reg = 13


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """Within it, what lacks a part, or has one of another type, is a ValueError.

    Args:
        what: what is read, for the error: "a message".
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
        raise ValueError(f"{what} that cannot be read: {type(error).__name__}: {error}") from error


def parse(text: str | bytes) -> dict[str, Any]:
    """Read a message that is sent as text.

    Raises:
        ValueError: it is not a JSON object with an intent.
    """
    with reading("a message"):
        message: dict[str, Any] = json.loads(text)
        Intent(message["intent"])
    return message


def pack(value: Any) -> bytes:
    """Write and compress a value."""
    return gzip.compress(json.dumps(plain(value)).encode(), compresslevel=1)


def unpack(data: bytes) -> Any:
    """Read what `pack` wrote.

    Raises:
        ValueError: it is not compressed JSON, or longer than any message.
    """
    inflater = zlib.decompressobj(wbits=31)  # gzip's format
    try:
        text = inflater.decompress(data, _LONGEST)
        if not inflater.eof:
            raise ValueError(f"the message is cut short, or has more than {_LONGEST} bytes")
        with reading("a message"):
            return json.loads(text)
    except zlib.error as error:
        raise ValueError(f"the message is not compressed JSON: {error}") from error


def plain(value: Any) -> Any:
    """Return a value in JSON's types: an Item as its name, an array as lists."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Enum):
        return value.name
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def observation(
    sent: dict[str, Any], item: Callable[[Any], constants.Item] = lambda name: constants.Item[name]
) -> dict[str, Any]:
    """Return the observation for an agent, from its plain form; `item` reads an Item.

    Raises:
        ValueError: it is not an observation.
    """
    with reading("an observation"):
        obs = dict(sent)
        obs["teammate"] = item(sent["teammate"])
        obs["enemies"] = [item(enemy) for enemy in sent["enemies"]]
        obs["position"] = tuple(sent["position"])
        obs["board"] = np.array(sent["board"], np.uint8)
        for name in _FLOATS:
            if name in sent:
                obs[name] = np.array(sent[name], np.float64)
        return obs
