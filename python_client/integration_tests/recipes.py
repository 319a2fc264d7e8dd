"""The code in docstrings, run as it stands there."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from types import ModuleType
from typing import Any


def blocks(text: str) -> list[str]:
    """Find the indented blocks in a text."""
    found, block = [], []
    for line in [*text.splitlines(), "end"]:
        if line.startswith("    ") or (block and not line):
            block.append(line)
        elif block:
            found.append(textwrap.dedent("\n".join(block)))
            block = []
    return found


def recipe(
    module: ModuleType, changes: Mapping[str, str] | None = None, *, which: int = 0, **names: Any
) -> dict[str, Any]:
    """Run an indented block of code of a module's docstring and return its names.

    Args:
        module: whose.
        changes: texts to replace, such as numbers that would take too long.
        which: of its blocks.
        names: what there is when it begins.
    """
    code = blocks(module.__doc__)[which]
    for old, new in (changes or {}).items():
        assert old in code, f"{old!r} is not in the recipe:\n{code}"
        code = code.replace(old, new)
    exec(compile(code, f"{module.__name__}.__doc__", "exec"), names)
    return names
