"""Which part of the package may import which, and how much of it a step loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pommego

PACKAGE = Path(pommego.__file__).parent

#: How many lines of the package `import pommego`, `make_vec` and one `step` may load, by its options.
MOST_LINES = {"": 4_750, ", opponents=['static'] * 3": 4_940}

#: What every part may import: these know nothing of the others.
BASE = {"_version", "errors", "results"}

#: The environment itself: the folder `_core` and these modules beside it.
CORE = {"_core", "encoding", "making", "pool", "registration", "server", "single", "spec", "state", "vector"}

#: For each part of the package, the parts it may import besides itself and `BASE`. "core" stands for `CORE`.
MAY_IMPORT: dict[str, set[str]] = {
    "_transport": set(),
    "core": {"_transport"},
    **{name: {"core"} for name in ("jax", "pettingzoo", "ray", "sb3", "torch")},
    "rllib": {"core", "pettingzoo"},
    "torchrl": {"core", "torch"},
    "pommerman": {"core"},
    "data": {"core", "torch"},
    "networks": {"core"},
    "suites": set(),
    "llm": {"core", "_transport", "evaluation", "suites"},
    "verifiers": {"__init__", "core", "llm"},
    "examples": set(),
    "evaluation": {"core", "suites"},
    "tournaments": {"core", "evaluation"},
    "watching": {"core", "data", "evaluation"},
    "__main__": {"core", "__init__"},
    "bench": {"core", "__init__", "examples", "torch"},
    "__init__": {"core", "evaluation", "networks", "pettingzoo", "tournaments", "verifiers", "watching"},
}


def part_of(module: str) -> str:
    """Name the part that a module, without "pommego." before it, belongs to."""
    name = module.partition(".")[0] or "__init__"
    return "core" if name in CORE else name


def graph() -> dict[str, set[str]]:
    """Return what each module imports of the package, at its top or anywhere else, without "pommego."."""
    files = {}
    for file in PACKAGE.rglob("*.py"):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        files[".".join(parts).removesuffix(".__init__")] = file
    return {short(name): {short(t) for t in imported(file, set(files))} for name, file in files.items()}


def short(module: str) -> str:
    return module.removeprefix("pommego").removeprefix(".")


def imported(file: Path, modules: set[str]) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: a relative import"
            for alias in node.names:  # of a package, a module of its or a name in it
                inner = f"{node.module}.{alias.name}"
                names.add(inner if inner in modules else str(node.module))
    return names & modules


def test_parts_import_only_what_they_may() -> None:
    wrong, seen = [], set()
    for module, targets in graph().items():
        part = part_of(module)
        if part in BASE:
            allowed: set[str] = set()
        else:
            assert part in MAY_IMPORT, f"pommego.{module} belongs to no part: name it in MAY_IMPORT or CORE"
            seen.add(part)
            allowed = MAY_IMPORT[part] | BASE | {part}
        for target in sorted(targets):
            if part_of(target) not in allowed:
                wrong.append(f"pommego.{module} imports pommego.{target}; it may import {sorted(allowed)}")
    assert not wrong, "\n".join(wrong)
    assert seen == set(MAY_IMPORT), "the policy names parts that do not exist"
    assert {module for module in graph() if module in CORE} == CORE
    private = {path.stem for path in PACKAGE.glob("_*") if path.is_dir()} - {"__pycache__"}
    assert private == {"_core", "_transport"}


def test_no_modules_import_each_other() -> None:
    modules = graph()
    left = set(modules)
    while ready := {n for n in left if not modules[n] & left or not any(n in modules[m] for m in left)}:
        left -= ready
    assert not left, f"import circles among {sorted(left)}"


NEW = """
import sys
import gymnasium

before = set(sys.modules)
import pommego

print(*sorted(set(sys.modules) - before))
"""


def test_the_import_loads_only_what_registers_the_games() -> None:
    said = subprocess.run([sys.executable, "-c", NEW], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["pommego", "pommego.errors", "pommego.registration"]


STEP = """
import sys
import pommego

with pommego.make_vec("PommeFFACompetition-v0", num_envs=2%s) as envs:
    obs, info = envs.reset(seed=0)
    envs.step(envs.sample_actions(info["action_mask"]))
print(*(m.__file__ for name, m in sys.modules.items() if name.split(".")[0] == "pommego"), sep=chr(10))
"""


@pytest.mark.parametrize(("options", "most"), MOST_LINES.items(), ids=["alone", "with opponents"])
def test_a_step_loads_little(options: str, most: int) -> None:
    said = subprocess.run([sys.executable, "-c", STEP % options], capture_output=True, text=True, check=True)
    lines = {file: len(Path(file).read_text(encoding="utf-8").splitlines()) for file in said.stdout.split()}
    assert str(PACKAGE / "vector.py") in lines
    total = sum(lines.values())
    assert total <= most, "\n".join(f"{n:6} {file}" for file, n in sorted(lines.items()))
    assert total > most - 200, f"{total} lines: lower MOST_LINES"
