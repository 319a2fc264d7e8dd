"""Build the site: the README, the guide, the games' pages and the API reference, with search.

    python docs/site.py            # into site/VERSION
    python docs/site.py FOLDER     # into FOLDER/VERSION

Pages are the Markdown files that links lead to from the README, the changelog and the
guide, each at its path in the repository, beside the other files that they link to: the
same links work here and in a checkout. docs/mkdocs.yml has the order of the pages; each
entry below ``api/`` is a module of the API reference, read from the sources, so that no
framework needs to be there. A link that leads nowhere is an error. Where a link to a
recorded game is a paragraph, the site shows the game there, and in place of the README's
GIF its game, which plays.

Sites of other versions in the same folder stay. The pages offer all that versions.json lists.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pommego
from pommego.server import find_binary

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
CONFIG = DOCS / "mkdocs.yml"
PYTHON = REPOSITORY / "python_client" / "src"
LINK = re.compile(r'\]\(([^)#:]+)(?:#[^)]*)?\)|src="([^":]+)"')
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
GAME = re.compile(r"^\[([^]]+)\]\((\S+)\.jsonl\.gz(#step=\d+)?\)$", re.MULTILINE)
FRAME = r'<iframe title="\1" src="\2.html?embed\3" width="480" height="600" loading="lazy"></iframe>'
OPENING = re.compile(r'<img align="right" width="330" alt="([^"]+)" src="(\S+)\.gif">')
PLAYING = r'<iframe class="opening" title="\1" src="\2.html?embed#play=1" width="330" height="425"></iframe>'
MARKS = re.compile(r"^```(\w+) .*$", re.MULTILINE)  # for the tests of the docs, not for readers


def sources() -> list[Path]:
    """Return the pages, and all files of the repository that links lead to from them."""
    found = [REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
    found += [*DOCS.glob("images/logo.svg"), *DOCS.glob("*.css"), *DOCS.glob("images/*.jsonl.gz")]
    for page in found:
        if page.suffix == ".md":
            for target in re.finditer(LINK, CODE.sub("", page.read_text())):
                path = (page.parent / (target[1] or target[2])).resolve()
                if not path.is_file():
                    raise FileNotFoundError(f"{page} links to {path}, which is no file")
                if path not in found:
                    found.append(path)
    return found


def gather(folder: Path) -> None:
    """Put together what the generator reads."""
    for path in sources():
        target = folder / path.relative_to(REPOSITORY)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = OPENING.sub(PLAYING, MARKS.sub(r"```\1", path.read_text()))
            target.write_text(GAME.sub(FRAME, text))
        else:
            shutil.copyfile(path, target)
        if path.name.endswith(".jsonl.gz"):
            page = target.with_name(path.name.replace(".jsonl.gz", ".html"))
            subprocess.run(
                [find_binary(), "replay", path, "--html", page], check=True, stdout=subprocess.DEVNULL
            )
    (folder / "api").mkdir()
    for module in re.findall(r"api/([\w.]+)\.md", CONFIG.read_text()):
        (folder / "api" / f"{module}.md").write_text(f"# {module}\n\n::: {module}\n")


def build(target: Path) -> None:
    """Build the site in place of what is at `target`.

    Raises:
        FileNotFoundError: a page links to a file that does not exist.
        subprocess.CalledProcessError: the generator found a dead link, and has said where.
    """
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        gather(work / "pages")
        config = shutil.copyfile(CONFIG, work / CONFIG.name)
        command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", config]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(PYTHON)})
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(work / "site", target)
    # Sources that pages link to are copied, and are not to be taken for packages of this module.
    (target / "go.mod").write_text("module site\n")


def publish(folder: Path, version: str) -> None:
    """Build the site of a version, list the versions there are, and begin with the newest."""
    build(folder / version)
    built = (page.parent.name for page in folder.glob("[0-9]*/index.html"))
    names = sorted(built, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    listed = [{"version": name, "title": name, "aliases": []} for name in names]
    (folder / "versions.json").write_text(json.dumps(listed))
    (folder / "index.html").write_text(
        f'<title>pommego</title><meta http-equiv="refresh" content="0; url={names[0]}/">\n'
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "site"
    publish(folder, pommego.__version__)
    print(f"wrote {folder}; to read it: {sys.executable} -m http.server -d {folder}")
