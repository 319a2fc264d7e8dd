"""Lets a shared library play: the host of library:PATH, for the C interface of pommego_agent.h.

It is a program of the line protocol in PROTOCOL.md, a process of its own for each library.
"""

import ctypes
import json
import os
import sys

WORDS = {"blue": 0, "green": 1, "public": 2}


class Array(ctypes.Structure):
    """pommego_array."""

    _fields_ = [("name", ctypes.c_char_p), ("rows", ctypes.c_int32), ("columns", ctypes.c_int32)]
    _fields_ += [("values", ctypes.POINTER(ctypes.c_int32))]


def numbers(value):
    """Return the numbers in a value of JSON, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    if isinstance(value, str):
        return [WORDS[value]] if value in WORDS else [ord(character) for character in value]
    return [-1 if value is None else int(value)]


def arrays(message):
    """Return the values of a JSON object as arrays, and the one without a name that ends them."""
    made = (Array * (len(message) + 1))()
    for i, (name, value) in enumerate(message.items()):
        flat, rows = numbers(value), len(value) if isinstance(value, list) else 1
        values = (ctypes.c_int32 * len(flat))(*flat)
        made[i] = Array(name.encode(), rows, len(flat) // max(rows, 1), values)
    return made


answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the library prints must not stand between the answers
components, reply = 1, {}
try:
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    calls = {kind: getattr(library, "pommego_" + kind) for kind in ("begin", "act", "end")}
except (OSError, AttributeError) as error:
    calls, reply = {}, {"error": str(error)}
for line in sys.stdin:
    question = json.loads(line)
    kind, number = question.pop("type"), question.pop("id", None)
    values = {**question.pop("rules", {}), **question.pop("counts", {}), **question.pop("obs", question)}
    if kind == "begin":
        components = len(numbers(question["action_space"]))
    if kind in calls:
        action = (ctypes.c_int32 * components)()
        calls[kind](arrays(values), action)
        reply = {"action": list(action)}
    if number is not None:
        print(json.dumps({"id": number, **reply}), file=answers, flush=True)
