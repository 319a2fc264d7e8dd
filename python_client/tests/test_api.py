"""The names that users may rely on: those of the modules in the API reference.

The list has a line for each, with parameters and defaults; docs/versions.md says what
they promise. It is read from the sources, as the reference is, so that no framework
needs to be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import griffe
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LIST = Path(__file__).parent / "testdata" / "api.txt"


def function(f: griffe.Function) -> str:
    """Write the parameters as a caller has to know them: names, kinds and defaults."""
    kinds, parts, keywords = griffe.ParameterKind, [], False
    stars = {kinds.var_positional: "*", kinds.var_keyword: "**"}
    for p in f.parameters:
        if p.kind is kinds.keyword_only and not keywords:
            parts.append("*")
        keywords |= p.kind in {kinds.keyword_only, kinds.var_positional}
        star = stars.get(p.kind, "")
        parts.append(star + p.name + ("" if p.default is None or star else f"={p.default}"))
    return f"({', '.join(parts)})"


def lines(name: str, value: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Yield the lines of a name: its own and, of a class, those of its members."""
    if value.is_alias and not value.target_path.startswith("pommego."):
        yield f"{name} = {value.target_path}"
    elif value.is_function:
        yield f"{name}{function(value.final_target if value.is_alias else value)}"
    elif value.is_class:
        bases = f"({bases})" if (bases := ", ".join(str(b) for b in value.bases)) else ""
        yield f"class {name}{bases}"
        for member, inside in sorted(value.members.items()):
            if inside.is_public or member == "__init__":
                yield from lines(f"{name}.{member}", inside)
    else:
        yield name


def public() -> str:
    """Write the list."""
    source = REPOSITORY / "python_client" / "src"
    package = griffe.load("pommego", search_paths=[source], resolve_aliases=True)
    text = ""
    for module in re.findall(r"api/([\w.]+)\.md", (REPOSITORY / "docs" / "mkdocs.yml").read_text()):
        inside = package[module.removeprefix("pommego.")] if module != "pommego" else package
        text += f"{module}\n"
        for name, value in sorted(inside.members.items()):
            if value.is_public and not isinstance(value, griffe.Module):
                text += "".join(f"    {line}\n" for line in lines(name, value))
    return text


def test_public_names(request: pytest.FixtureRequest) -> None:
    """`make api` writes the list anew; a change that breaks programs is told in the changelog."""
    found = public()
    if request.config.getoption("--update"):
        LIST.write_text(found)
    want = LIST.read_text()
    gone = [line for line in want.splitlines() if line not in found.splitlines()]
    assert not gone, f"gone or changed, for which docs/versions.md has rules: {gone}"
    assert found == want, "there are new names: make api writes the list"
