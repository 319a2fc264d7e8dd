"""The code in docstrings, run as it stands there."""

from __future__ import annotations

import textwrap
from types import ModuleType


def recipe(module: ModuleType, which: int = 0, **changes: str) -> dict[str, object]:
    """Run an indented block of code of a module's docstring and return its names.

    Args:
        module: whose.
        which: of its blocks.
        changes: texts to replace, such as numbers that would take too long.
    """
    blocks, block = [], []
    for line in [*module.__doc__.splitlines(), ""]:
        if line.startswith("    ") or (block and not line):
            block.append(line)
        elif block:
            blocks.append(textwrap.dedent("\n".join(block)))
            block = []
    code = ([*blocks, textwrap.dedent("\n".join(block))])[which]
    for old, new in changes.items():
        assert old in code, f"{old!r} is not in the recipe:\n{code}"
        code = code.replace(old, new)
    names: dict[str, object] = {}
    exec(compile(code, f"{module.__name__}.__doc__", "exec"), names)
    return names
