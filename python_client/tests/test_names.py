"""What pages and helps name is there: files, tests, targets of make, flags and versions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from conftest import REPOSITORY

HISTORY = {"CHANGELOG.md", "docs/versions.md"}  # which tell of what is gone
NOT_OURS = {"testdata", "results", "dist", "site", "runs", "node_modules"}
PAGES = [
    page
    for page in sorted(REPOSITORY.rglob("*.md"))
    if not any(part in NOT_OURS or part.startswith(".") for part in page.relative_to(REPOSITORY).parts)
    and str(page.relative_to(REPOSITORY)) not in HISTORY
]
FOLDERS = (
    "arena",
    "bridge",
    "benchmarks",
    "cmd",
    "deploy",
    "docs",
    "env",
    "internal",
    "python_client",
    "tools",
    "vec",
)
FILE = re.compile(rf"(?<![\w/.:-])(?:\.\./)*((?:{'|'.join(FOLDERS)})/[\w./-]*\.\w+)")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
# Of systemctl, TensorBoard, gh, make's ARGS and vf-eval.
OTHERS = {"--build", "--now", "--logdir", "--input", "--upgrade", "--client", "--stop-timeout"}
CODE = re.compile(r"^```.*?^```$|`[^`]+`", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"\b(?:Test|Benchmark|Fuzz)[A-Z]\w+|\btest_\w+")


def paragraphs(page: Path) -> list[tuple[str, list[str]]]:
    """Return the paragraphs of a page, each with the revisions that it names, whose names may be gone."""
    parts = re.split(r"\n\s*\n", page.read_text())
    return [(part, re.findall(r"revision\s+([0-9a-f]{7,40})", part)) for part in parts]


def now(page: Path) -> list[str]:
    return [part for part, revisions in paragraphs(page) if not revisions]


def in_git(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else ""


@pytest.fixture(scope="module")
def helps(binary: Path) -> dict[str, str]:
    """What each command says of itself."""

    def ask(command: str) -> dict[str, str]:
        asked = [binary, *command.split(), "--help"]
        text = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        listed = re.search(r"Available Commands:\n(.*?)\n\n", text, re.DOTALL)
        below = set(re.findall(r"^  (\w+)", listed[1], re.MULTILINE) if listed else []) - {
            "completion"
        }  # cobra's
        return {command: text} | {k: v for name in below for k, v in ask(f"{command} {name}".strip()).items()}

    return ask("")


@pytest.fixture(scope="module")
def flags(helps: dict[str, str]) -> set[str]:
    """All flags that there are: of the command, and of the modules, examples and scripts in Python."""
    found = flags_of(helps)
    for script in REPOSITORY.glob("*/**/*.py"):
        if script.relative_to(REPOSITORY).parts[0].startswith("."):
            continue  # what is installed has flags of its own
        text = script.read_text()
        found |= set(re.findall(r'"(--[a-z][a-z0-9-]+)"', text))
        if "fields(" in text:  # whose flags are those of a dataclass
            found |= {
                f"--{name.replace('_', '-')}" for name in re.findall(r"^    (\w+): ", text, re.MULTILINE)
            }
    return found


def flags_of(helps: dict[str, str]) -> set[str]:
    listed = re.compile(r"^ +(?:-\w, )?(--[a-z][a-z0-9-]+)", re.MULTILINE)
    return {flag for text in helps.values() for flag in listed.findall(text)}


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files(page: Path) -> None:
    gone = []
    for text, revisions in paragraphs(page):
        for name in FILE.findall(text):
            then = any(in_git("cat-file", "-t", f"{revision}:{name}") for revision in revisions)
            known = then or (revisions and not in_git("cat-file", "-t", revisions[0]))  # no whole checkout
            if not (REPOSITORY / name).exists() and not known and not name.endswith("_X.py"):
                gone.append(name)
    assert gone == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_flags(page: Path, flags: set[str]) -> None:
    assert {flag for text in now(page) for flag in FLAG.findall(text)} - flags - OTHERS == set()


def test_flags_of_helps(helps: dict[str, str]) -> None:
    assert len(helps) > 15
    assert {flag for text in helps.values() for flag in FLAG.findall(text)} - flags_of(helps) == set()


def test_tests() -> None:
    sources = [
        *REPOSITORY.glob("*/**/*_test.go"),
        *REPOSITORY.glob("*/**/test_*.py"),
        *REPOSITORY.glob("*/**/*test/*.go"),
    ]
    there = {path.stem for path in sources}
    for path in sources:
        there |= set(re.findall(r"^ *(?:async )?(?:func|def) (\w+)", path.read_text(), re.MULTILINE))
    named = {(name_of(page), name) for page in PAGES for part in now(page) for name in TEST.findall(part)}
    assert len(named) > 50
    assert {(page, name) for page, name in named if name not in there | {"test_X"}} == set()


def test_targets_of_make() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    code = {(name_of(page), code) for page in PAGES for part in now(page) for code in CODE.findall(part)}
    named = {
        (page, target) for page, text in code for target in re.findall(r"(?:`|^)make ([a-z0-9-]+)", text)
    }
    assert len(named) > 20
    assert {(page, target) for page, target in named if target not in targets} == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_releases(page: Path) -> None:
    """A page that is about today names no release before it; of history one says "in release"."""
    every = set(
        re.findall(r"^\| (\d+\.\d+\.\d+) \|", (REPOSITORY / "docs/versions.md").read_text(), re.MULTILINE)
    )
    earlier = every - {(REPOSITORY / "cmd/pommego/version.txt").read_text().strip()}
    assert earlier
    stale = re.compile(rf".*(?<!in release )(?<![\w.])(?:{'|'.join(map(re.escape, earlier))})(?![\d.]\d).*")
    assert [line for part in now(page) for line in stale.findall(part)] == []


def test_contributing_tests_as_make_does() -> None:
    """Otherwise Go compiles everything a second time."""
    make = (REPOSITORY / "Makefile").read_text()
    assert "\nexport CGO_ENABLED ?= 0\n" in make
    assert "\tgo test -p $(BESIDE) -parallel 8 -pgo=off -vet=off ./...\n" in make
    commands = re.findall(r"`([^`]*go test[^`]*)`", (REPOSITORY / "CONTRIBUTING.md").read_text())
    assert [
        command for command in commands if not command.startswith("CGO_ENABLED=0 go test -pgo=off ")
    ] == []
    assert commands
