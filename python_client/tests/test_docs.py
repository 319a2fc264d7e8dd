"""The documentation: its code runs, its commands run, its errors are real, its tables are current.

Blocks of a page run in order, Python ones in one namespace, in an empty folder.
What stands behind the language of a block says how:

* ``python``, and ``sh`` with commands of pommego: run it.
* ``python needs=torch,ray``: run it where these can be imported.
* ``python file=agent.py``: write it to that file.
* ``python raises`` or ``sh fails``: it fails with what the next ``text`` block
  says, in which ``...`` stands for anything.
* ``skip``: only shown.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import urllib.parse
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

import pommego
from conftest import REPOSITORY
from pommego import suites
from test_suites import quick

DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^```(\w*) ?(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"\b\d+(?:[.,]\d+)+\b|\b\d+(?= %)")
LANGUAGES = {"python", "sh", "text", "go"}
MARKS = {
    "python": {"needs", "file", "raises", "skip"},
    "sh": {"fails", "skip"},
    "text": set(),
    "go": {"skip"},
}

# What would take too long here: texts in a page, and what stands for them under test.
SHORT = {
    "tree-search.md": {
        "games=10": "games=2, rules={'max_steps': 40}",
        "seed=7": "seed=7, rules={'max_steps': 40}",
        "games=4": "games=2, rules={'max_steps': 40}",
    },
    "tutorial.md": {"total_timesteps=300_000": "total_timesteps=300", "n_steps=128": "n_steps=8"},
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    marks: dict[str, str]
    code: str

    def run(self, names: dict[str, Any]) -> None:
        """Do what the block says."""
        if "skip" in self.marks or self.language in ("text", "go"):
            return
        if "file" in self.marks:
            Path(self.marks["file"]).write_text(self.code)
        elif self.language == "sh":
            self._shell()
        else:
            self._python(names)

    def _python(self, names: dict[str, Any]) -> None:
        tree = ast.increment_lineno(ast.parse(self.code), self.line)
        code = compile(tree, self.page, "exec")
        if "raises" not in self.marks:
            exec(code, names)
            return
        with pytest.raises(Exception) as raised:
            exec(code, names)
        name = type(raised.value).__name__
        if type(raised.value).__module__.startswith("pommego"):
            name = f"pommego.{name}"
        self._expect(f"{name}: {raised.value}")

    def _shell(self) -> None:
        done = subprocess.run(["bash", "-eu", "-c", self.code], capture_output=True, text=True, check=False)
        if "fails" in self.marks:
            assert done.returncode, f"line {self.line}: {self.code}did not fail"
            self._expect(done.stderr.strip())
        else:
            assert not done.returncode, f"line {self.line}: {self.code}failed: {done.stderr}"

    def _expect(self, said: str) -> None:
        """Compare with what the page says is said."""
        wanted = next(b for b in blocks(DOCS / self.page) if b.line > self.line)
        assert wanted.language == "text", f"line {self.line}: no text block with the error follows"
        pattern = re.sub(r"([\[\]?*])", r"[\1]", wanted.code.strip()).replace("...", "*")
        assert fnmatchcase(said, pattern), f"line {self.line} says\n{wanted.code}but it is\n{said}"


def blocks(page: Path) -> list[Block]:
    """Find the fenced blocks of a page."""
    text = page.read_text()
    found = []
    for match in FENCE.finditer(text):
        language, info, code = match.groups()
        marks = dict(mark.partition("=")[::2] for mark in info.split())
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(str(page.relative_to(DOCS)), line, language, marks, code))
    return found


def shortened(block: Block) -> Block:
    code = block.code
    for long, short in SHORT.get(block.page, {}).items():
        code = code.replace(long, short)
    return Block(block.page, block.line, block.language, block.marks, code)


def needs(block: Block) -> list[str]:
    return block.marks["needs"].split(",") if "needs" in block.marks else []


def missing(block: Block) -> set[str]:
    return {name for name in needs(block) if not importlib.util.find_spec(name)}


def test_no_two_pages_write_the_same_file() -> None:
    """As no file is overwritten, a reader of both would be refused."""
    written: dict[str, set[str]] = {}
    for page in PAGES:
        for block in blocks(page):
            for name in re.findall(r'(?:--(?:out|record|events|html|gif) |\.save\(")([\w./-]+)', block.code):
                written.setdefault(name, set()).add(block.page)
    assert len(written) > 20
    assert {name: pages for name, pages in written.items() if len(pages) > 1} == {}


def run_page(page: Path, *, frameworks: bool) -> None:
    """Run the blocks that need no framework, and those whose frameworks are there if `frameworks`."""
    names: dict[str, Any] = {"__name__": page.stem}
    try:
        for block in blocks(page):
            if not needs(block) or (frameworks and not missing(block)):
                shortened(block).run(names)
    finally:
        for value in names.values():
            if hasattr(value, "close") and not isinstance(value, type):
                with contextlib.suppress(Exception):
                    value.close()


@pytest.fixture
def folder(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, with pommego and this Python in PATH, and suites of two quick games a part."""
    for name in suites.SUITES:
        monkeypatch.setitem(suites.SUITES, name, quick(name, 2))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POMMEGO_BINARY", str(binary))
    programs = [str(binary.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(programs))
    monkeypatch.delenv("POMMEGO_TOKEN", raising=False)


def name_of(page: Path) -> str:
    return str(page.relative_to(DOCS))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page: Path, folder: None) -> None:
    run_page(page, frameworks=False)


@pytest.mark.parametrize("page", [p for p in PAGES if any(map(needs, blocks(p)))], ids=name_of)
def test_page_with_frameworks(page: Path, folder: None) -> None:
    demanding = [block for block in blocks(page) if needs(block)]
    lacking = set().union(*map(missing, demanding))
    if any(not missing(block) for block in demanding):
        run_page(page, frameworks=True)
    if lacking:
        pytest.skip(f"not installed: {', '.join(sorted(lacking))}")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_are_marked(page: Path) -> None:
    """A misspelt mark would leave a block out, or run one that should fail."""
    assert page.read_text().count("\n```") == 2 * len(blocks(page)), "a fence is not closed, or indented"
    for block in blocks(page):
        assert block.language in LANGUAGES, f"line {block.line}: {block.language!r}"
        assert set(block.marks) <= MARKS[block.language], f"line {block.line}: {block.marks}"


@pytest.mark.parametrize("page", SHORT)
def test_what_is_shortened_is_there(page: str) -> None:
    text = (DOCS / page).read_text()
    assert [long for long in SHORT[page] if long not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text())
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    missing = [link for link in links if link and not (page.parent / link).exists()]
    assert missing == []


def program(name: str) -> Any:
    """Load one of the programs in docs/."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generator() -> Any:
    return program("generate")


def test_games_pages_are_current(folder: None) -> None:
    generate = generator()
    stale = [
        str(path.relative_to(REPOSITORY))
        for path, text in generate.pages(generate.catalog()).items()
        if not path.exists() or path.read_text() != text
    ]
    assert stale == [], "write them anew: make docs"


def test_games_pages_have_the_bounds_of_the_spaces() -> None:
    for spec in pommego.catalog().values():
        page = (DOCS / "games" / f"{spec.game}.md").read_text()
        for field in (field for encoding in spec.encodings for field in encoding.fields):
            space = field.space()
            low, high = (f"{float(bound):.12g}" for bound in (space.low.min(), space.high.max()))
            assert f"- array: `{field.dtype} [{' '.join(map(str, field.shape))}]`, {low} to {high}" in page


def test_make_vec_names_the_ids_whose_ties_pay_nothing(folder: None) -> None:
    text = " ".join((pommego.make_vec.__doc__ or "").partition("The outcome of a tie")[2].split()[:60])
    for spec in generator().catalog():
        if spec["game"] == "pommerman":
            unpaid = [e["ending"] for e in spec["endings"] if e["result"] == "tied" and e["outcome"] == 0]
            assert unpaid in ([], ["all that are left go out in one step"]), spec["id"]
            assert bool(unpaid) == (spec["id"] in text), spec["id"]
        else:
            assert {e["outcome"] for e in spec["endings"] if e["result"] == "tied"} == {0}


def test_the_site_has_every_page(site: Path) -> None:
    """In its navigation too, and what is searched."""
    order = (DOCS / "mkdocs.yml").read_text()
    pages = [p.relative_to(REPOSITORY).as_posix() for p in program("site").sources() if p.suffix == ".md"]
    assert {p.relative_to(REPOSITORY).as_posix() for p in PAGES} < set(pages)
    assert [page for page in pages if f"- {page}\n" not in order] == []
    found = (site / "search.json").read_text()
    for page in pages:
        html = re.sub(r"(^|/)README\.md$", r"\1index.md", page).replace(".md", ".html")
        assert (site / html).is_file(), page
        assert f'"{html.replace("index.html", "")}' in found, f"{page} is not searched"


def test_the_site_lists_its_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Newest first, and only folders of versions."""
    maker = program("site")

    def build(target: Path) -> None:
        target.mkdir()
        (target / "index.html").touch()

    monkeypatch.setattr(maker, "build", build)
    for name in ("0.9.0", "images", "0.10.1", "0.10.0"):
        maker.publish(tmp_path, name) if name != "images" else build(tmp_path / name)
    listed = json.loads((tmp_path / "versions.json").read_text())
    assert [entry["version"] for entry in listed] == ["0.10.1", "0.10.0", "0.9.0"]
    assert "url=0.10.1/" in (tmp_path / "index.html").read_text()


def test_go_takes_nothing_of_the_site_for_a_package(site: Path) -> None:
    assert list(site.rglob("*.go"))
    assert (site / "go.mod").is_file()


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*>""")
    assert {tag for page in site.rglob("*.html") for tag in loads.findall(page.read_text())} == set()


def test_the_api_reference_has_what_users_call(site: Path) -> None:
    page = (site / "api" / "pommego.html").read_text()
    elsewhere = {"AutoresetMode", "__version__"}
    missing = [name for name in pommego.__all__ if f'id="pommego.{name}"' not in page]
    assert set(missing) <= elsewhere
    assert 'id="pommego.PommegoVectorEnv.simulate"' in page
    modules = {
        *pommego._ADAPTERS,
        "pommerman",
        "data",
        "llm",
        "networks",
        "spec",
        "suites",
    }
    assert {path.stem for path in (site / "api").glob("*.html")} == {
        "pommego",
        *(f"pommego.{name}" for name in modules),
    }
    adapter = (site / "api" / "pommego.sb3.html").read_text()
    assert 'id="pommego.sb3.PommegoVecEnv"' in adapter and "Another name of" not in adapter
    shown = re.sub(r"<[^>]+>", "", page)
    assert "actions: ArrayLike" in shown, "as in the sources"


@pytest.mark.parametrize("link", ["a.md#there", "a.md#nowhere", "b.md", "../LICENSE"])
def test_dead_links_stop_the_site(link: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("zensical", reason="needs the extra docs")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mkdocs.yml").write_text("site_name: test\ndocs_dir: pages\nsite_dir: site\n")
    (docs / "a.md").write_text(f"# A\n\n## There\n\n[link]({link})\n")
    (tmp_path / "README.md").write_text("# Readme\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")
    maker = program("site")
    for name, path in {"REPOSITORY": tmp_path, "DOCS": docs, "CONFIG": docs / "mkdocs.yml"}.items():
        monkeypatch.setattr(maker, name, path)
    if link == "a.md#there":
        maker.build(tmp_path / "site")
        assert (tmp_path / "site" / "index.html").is_file()
        return
    with pytest.raises((FileNotFoundError, subprocess.CalledProcessError)):
        maker.build(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_the_page_has_the_logo() -> None:
    page = (REPOSITORY / "arena" / "web" / "app" / "index.html").read_text()
    icon = re.search(r'<link rel="icon" href="data:image/svg\+xml,([^"]+)">', page)
    assert icon and urllib.parse.unquote(icon[1]) == (DOCS / "images" / "logo.svg").read_text().strip()


def test_what_to_cite_is_this_version() -> None:
    version = re.escape(pommego.__version__)
    assert re.search(rf"^  version = \{{{version}\}},$", (DOCS / "README.md").read_text(), re.MULTILINE)


def test_what_to_cite_is_the_same_everywhere() -> None:
    """Name, description, version, licence, authors, and the address, once there is one."""
    project = tomllib.loads((REPOSITORY / "python_client" / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())
    meta = json.loads((REPOSITORY / "codemeta.json").read_text())
    zenodo = json.loads((REPOSITORY / ".zenodo.json").read_text())
    title, home = cited["title"], project["urls"].get("Repository")
    authors = [author["name"] for author in project["authors"]]
    wanted = (title, project["description"], pommego.__version__, project["license"], authors, home)
    said = {name: cited.get(name) for name in ("title", "abstract", "version", "license")}
    assert (*said.values(), [a["name"] for a in cited["authors"]], cited.get("repository-code")) == wanted
    licence = meta["license"].removeprefix("https://spdx.org/licenses/")
    named = [author["name"] for author in meta["author"]]
    said = (meta["name"], meta["description"], meta["version"], licence, named, meta.get("codeRepository"))
    assert said == wanted
    said = (zenodo["title"], zenodo["description"], zenodo["version"], zenodo["license"])
    assert (*said, [creator["name"] for creator in zenodo["creators"]], home) == wanted
    assert meta["keywords"] == zenodo["keywords"] == project["keywords"]
    site = re.search(r"^repo_url: (\S+)", (DOCS / "mkdocs.yml").read_text(), re.MULTILINE)
    assert (site and site[1]) == home
    page = (DOCS / "README.md").read_text()
    assert f"title   = {{{title}}}" in page and f"author  = {{{{{authors[0]}}}}}" in page
    paper = (DOCS / "paper.md").read_text()
    assert all(f"name: {author}\n" in paper for author in authors)


@pytest.mark.parametrize("page", ["paper.md", "which-tool.md"])
def test_figures_that_are_quoted_stand_where_they_were_measured(page: str) -> None:
    """In the README, the benchmarks and the pages of strength and reliability."""
    places = ["README.md", "benchmarks/README.md", "docs/strength.md", "docs/maintainers/reliability.md"]
    found = {number for place in places for number in FIGURE.findall((REPOSITORY / place).read_text())}
    text = re.sub(r"\A---\n.*?^---$", "", (DOCS / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    quoted = set(FIGURE.findall(text))
    assert len(quoted) > 3
    assert quoted - {"0.1.0"} <= found


@pytest.mark.parametrize("name", ["fault", "request"])
def test_forms_ask_for_what_there_is(name: str) -> None:
    form = yaml.safe_load((REPOSITORY / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text())
    assert {"name", "description", "body"} <= set(form)
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"textarea", "input", "dropdown", "checkboxes"}
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)


def test_the_papers_sources_are_listed() -> None:
    text, listed = (DOCS / "paper.md").read_text(), (DOCS / "paper.bib").read_text()
    assert set(re.findall(r"@([a-z]+\d{4}\w*)", text)) == set(
        re.findall(r"^@\w+\{(\w+),", listed, re.MULTILINE)
    )


def test_generated_pages_keep_every_fact() -> None:
    """Of ids that differ a page has what differs, or all where a fact of the first id is lacking."""

    def text(id: str, *facts: str) -> str:
        return f"# {id}\n\n{id} plays\n\n## T\n\nAbout.\n\n" + "".join(f"- {fact}\n" for fact in facts)

    ids = {
        "one": text("one", "a: 1", "b: 2"),
        "two": text("two", "a: 1", "b: 3", "c: 4"),
        "three": text("three", "a: 1"),
    }
    ids["four"] = text("four", "a: 1", "b: 2") + "\n## U\n\n- d: 5\n"
    page = generator().page(ids)
    assert page.split("\n\n", 2)[2] == (
        "## T\n\nAbout.\n\n- a: 1\n- b: 2\n\nOtherwise in `two`:\n\n- b: 3\n- c: 4\n\n"
        "Otherwise in `three`:\n\n- a: 1\n\n## U\n\nIn `four`:\n\n- d: 5\n"
    )
    assert "- `one`: one plays\n" in page
    said = {"one": text("one", "a: 1; what it is"), "two": text("two", "a: 2; what it is")}
    assert generator().page(said).endswith("- a: 1; what it is\n\nOtherwise in `two`: a: 2\n")
