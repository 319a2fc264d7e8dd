"""Servers that say what cannot be: the client ends with an error that says what was wrong, whatever it is."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import re
import socket
from collections.abc import Iterator, Sequence
from functools import cache, reduce
from operator import getitem
from typing import Any

import msgspec
import pytest

import pommego
from decoders import ODD
from pommego._transport.websocket import WebSocket
from scripted_server import MADE, play, record

pytestmark = pytest.mark.usefixtures("binary")

recorded = cache(record)


def _replace(value: Any, path: Sequence[Any], part: Any) -> None:
    """Put another part into lists and dictionaries in one another."""
    *parents, last = path
    reduce(getitem, parents, value)[last] = part


def _opened(script: bytes) -> list[Any]:
    """Decode a script, with the descriptions in it."""
    name, *replies = msgspec.msgpack.decode(script)
    for reply in replies:
        if "spec" in reply:
            reply["spec"] = msgspec.json.decode(reply["spec"])
    return [name, *replies]


def _closed(script: list[Any]) -> bytes:
    """Encode what `_opened` returned, of which parts may have been replaced."""
    for reply in script[1:]:
        if isinstance(reply, dict) and isinstance(reply.get("spec"), dict):
            reply["spec"] = msgspec.json.encode(reply["spec"]).decode()
    return msgspec.msgpack.encode(script)


@pytest.mark.parametrize("name", MADE)
def test_a_recorded_server_is_one(name: str) -> None:
    assert play(recorded(name)) == "all"


@pytest.mark.parametrize(
    ("kind", "path", "value", "reason"),
    [
        ("hello", ["limits"], {}, "the limits {}, expected numbers above 0 for ['batch_bytes'"),
        ("hello", ["limits", "batch_bytes"], -1, "above 0 for ['batch_bytes']"),
        ("env", ["games"], 1 << 40, "games is 1099511627776, expected 2"),
        ("env", ["rows"], 0, "0 rows of 2 games with 4 learners each"),
        ("env", ["learners"], 0, "8 rows of 2 games with 0 learners each"),
        ("env", ["policies"], 4, "4 learners each, 4 of them policies"),
        ("env", ["autoreset_mode"], "x", "autoreset_mode is 'x', expected 'SameStep'"),
        ("env", ["final_fields"], [], "the last observations of SameStep have fields []"),
        ("env", ["batch_size"], 1 << 40, "in batches of 1099511627776 games"),
        ("env", ["batch_bytes"], -(1 << 40), "and -1099511627776 bytes"),
        ("env", ["fields", 0, "shape"], [1 << 40], "(1099511627776,), expected "),
        ("env", ["fields", 0, "shape"], [], "has the shape (), expected "),
        ("env", ["spec", "seats"], -1, "Expected `int` >= 1 - at `$.seats`"),
        ("env", ["spec", "seats"], 3, "expected its 3 seats"),
        ("env", ["spec", "seats"], 1 << 63, "Expected `int` <= 16 - at `$.seats`"),
        ("env", ["spec", "teams", 0], [1 << 63], "expected its 4 seats"),
        ("env", ["spec", "teams", 0], [0, 0], "expected its 4 seats"),
        ("env", ["spec", "actions", 0, "n"], 1 << 63, "Expected `int` <= 32768 - at `$.actions[0].n`"),
        ("env", ["spec", "actions", 0, "n"], 0, "Expected `int` >= 1 - at `$.actions[0].n`"),
        (
            "env",
            ["spec", "encodings", 0, "fields", 0, "shape"],
            [1 << 20, 1 << 20],
            "at most 1048576 elements",
        ),
        ("env", ["spec", "encodings", 0, "fields", 0, "shape"], [-1], "has the shape (-1,)"),
        ("env", ["spec", "encodings", 0, "fields", 0, "dtype"], "object", "has object from"),
        ("env", ["spec", "encodings", 0, "fields", 0, "low"], -1, "has uint8 from -1 to"),
        ("env", ["spec", "encodings", 0, "fields", 0, "high"], 1e308, "has uint8 from 0 to 1e+308"),
        ("env", ["spec", "encodings", 0, "fields", 0, "name"], "scalars", "each with a name of its own"),
        ("env", ["spec", "rules"], 1, "an invalid spec"),
        ("batch", ["tensors"], {}, "the batch lacks 'obs.maps'"),
        ("states", ["states"], [], "0 saved games, or of another type, expected 2"),
        ("states", ["states"], [1, 2], "2 saved games, or of another type"),
        ("states", ["states"], ["", "{}"], "2 saved games, or of another type"),
        ("json", ["states", 0], "[", "a saved game that is not a JSON object"),
        ("json", ["states", 0], "1", "a saved game that is not a JSON object"),
        ("json", ["states", 0], "[" * 99_999, "a saved game that is not a JSON object"),
        ("simulated", ["states"], [], "0 saved games, or of another type, expected 2"),
        ("final", ["final"], None, "last observations lack ['obs.maps'"),
    ],
)
def test_what_no_server_says(kind: str, path: list[Any], value: Any, reason: str) -> None:
    script = _opened(recorded("raw"))
    which = {
        "json": lambda reply: reply["type"] == "states" and isinstance(reply["states"][0], str),
        "final": lambda reply: "final" in reply,
    }.get(kind, lambda reply: reply["type"] == kind)
    reply = next(reply for reply in script[1:] if which(reply))
    _replace(reply, path, value)
    with pytest.raises(pommego.ProtocolError, match=re.escape(reason)):
        play(_closed(script))


def _paths(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """List where everything in a reply is, but for texts that nobody decodes."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        if key not in ("meaning", "rule_meanings"):
            yield from _paths(part, *path, key)


@pytest.mark.parametrize("name", MADE)
def test_parts_of_what_a_server_says(name: str) -> None:
    """Each part in turn is something odd: 300 times, or with POMMEGO_PARTS=all each part everything odd."""
    script = _opened(recorded(name))
    parts = [(path, odd) for path in _paths(script) if path[0] > 0 for odd in (*ODD, b"")]
    if os.environ.get("POMMEGO_PARTS") != "all":
        parts = random.Random(name).sample(parts, 300)
    for path, odd in parts:
        damaged = _opened(recorded(name))
        _replace(damaged, path, odd)
        with contextlib.suppress(pommego.PommegoError):
            play(_closed(damaged))


@pytest.mark.parametrize(
    "rule", ["max_steps", "max_ammo", "start_blast_strength", "board_size", "radio_vocab_size"]
)
def test_rules_that_are_none(vec: Any, rule: str) -> None:
    envs = vec("PommeTeamCompetition-v0", 1, observation="unfogged")
    odd = dataclasses.replace(envs.game_spec, rules=envs.game_spec.rules | {rule: 1 << 63})
    with pytest.raises(ValueError, match="a rule allows 922337203685477580[78], expected 1 to"):
        pommego.planes(envs.reset(seed=0)[0], odd, unfogged=True)


@pytest.mark.parametrize(
    ("pixels", "reason"), [(["uint8", [4], b"", bytes(4)], "4"), (["int16", [2, 2, 3], b"", b""], "int16")]
)
def test_pictures_that_are_none(pixels: list[Any], reason: str) -> None:
    script = msgspec.msgpack.decode(recorded("policies"))
    next(reply for reply in script[1:] if reply["type"] == "image")["pixels"] = pixels
    with pytest.raises(pommego.ProtocolError, match=f"an invalid picture: .*{reason}"):
        play(_closed(script))


@pytest.mark.parametrize("size", [1 << 50, (1 << 63) - 1])
def test_a_message_for_which_there_is_no_memory(size: int) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"\x82\x7f" + size.to_bytes(8, "big"))
        with pytest.raises(pommego.ProtocolError, match=f"{size} bytes, for which there is no memory"):
            WebSocket(ours, max_message=1 << 63).recv(5)
