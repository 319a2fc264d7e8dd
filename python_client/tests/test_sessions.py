"""The interface between an environment and its games, wherever they are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pommego

PACKAGE = Path(pommego.__file__).parent
SESSIONS = {
    "Games": "_core/games.py",
    "JoinedGames": "_core/several.py",
    "PolicyGames": "_core/policies.py",
    "ActorGames": "ray/games.py",
}
METHODS = ["send", "recv", "ask", "close"]


def methods(name: str, file: str) -> dict[str, list[str]]:
    """Return the methods of a class with the names of their arguments."""
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {
        each.name: [arg.arg for arg in (*each.args.args, *each.args.kwonlyargs)]
        for each in found.body
        if isinstance(each, ast.FunctionDef)
    }


@pytest.mark.parametrize("name", SESSIONS)
def test_each_fulfils_the_interface(name: str) -> None:
    declared, own = methods("Session", "_core/session.py"), methods(name, SESSIONS[name])
    if name == "Games":  # an attribute, which spares a step a call
        own["send"] = methods("Client", "_transport/client.py")["step"]
    assert list(declared) == METHODS
    assert {method: own.get(method) for method in METHODS} == declared
    assert not {"__getattr__", "__getattribute__"} & own.keys()


def test_only_the_transport_knows_of_memory() -> None:
    """What is above it asks neither whether there is shared memory nor in which form a batch came."""
    asks = []
    for file in PACKAGE.rglob("*.py"):
        if file.parent.name == "_transport":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
            if named in ("memory", "SharedBatch", "SharedMemory", "channel"):
                asks.append(f"{file}:{node.lineno}")
    assert asks == []
