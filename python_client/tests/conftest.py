"""What several test files need: the binary, a server to share, processes to watch."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pommego

sys.path.insert(0, str(Path(__file__).parent))

import browser
from wiring import wired

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what it puts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of test_browser.py and test_api.py."""
    parser.addoption("--all-pages", action="store_true", help="play every id in the browser")
    parser.addoption("--new-pictures", action="store_true", help="take the boards' colours as they are")
    parser.addoption("--update", action="store_true", help="write the list of public names anew")


@pytest.fixture(scope="session")
def binary() -> Path:
    """The server's binary, built if it is not there. Only a failing build skips a test."""
    if "POMMEGO_BINARY" in os.environ:
        return Path(os.environ["POMMEGO_BINARY"])
    path = REPOSITORY / "bin" / "pommego"
    if not path.exists():
        if not shutil.which("go"):
            pytest.skip("there is no bin/pommego, and no Go to build it")
        build = ["go", "build", "-o", str(path), "./cmd/pommego"]
        done = subprocess.run(build, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"bin/pommego cannot be built: {done.stderr}")
    return path


@pytest.fixture(scope="session")
def site(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the docs, built as `make docs` builds it."""
    pytest.importorskip("zensical", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("docs") / "site"
    asked = [sys.executable, str(REPOSITORY / "docs" / "site.py"), str(folder)]
    named = {**os.environ, "POMMEGO_BINARY": str(binary)}
    done = subprocess.run(asked, capture_output=True, text=True, check=False, env=named)
    assert not done.returncode, done.stdout + done.stderr
    assert "griffe" not in done.stdout + done.stderr, "a docstring has a section that cannot be read"
    return folder / pommego.__version__


@pytest.fixture(scope="module")
def window() -> Iterator[browser.Browser]:
    """A browser for all tests of a file."""
    browser.needed()
    opened = browser.Browser()
    yield opened
    opened.close()


@pytest.fixture
def silent(window: browser.Browser) -> Iterator[None]:
    """Nothing goes wrong in the page, and it asks nobody but its server."""
    window.window(1280, 860)
    window.requests()
    yield
    window.driver.get("about:blank")
    assert window.complaints() == []
    near = ("http://127.0.0.1:", "file://", "about:")
    assert [url for url in window.requests() if not url.startswith(near)] == []


@pytest.fixture(scope="session")
def server(binary: Path) -> Iterator[pommego.Server]:
    """A server for tests that do not care which."""
    with pommego.Server(openenv=True) as server:
        yield server


@pytest.fixture
def vec(server: pommego.Server) -> Iterator[Callable[..., pommego.PommegoVectorEnv]]:
    """`make_vec` on the shared server; closes what it made."""
    made = []

    def make(id: str = "PommeFFACompetition-v0", games: int = 3, **options: Any) -> pommego.PommegoVectorEnv:
        made.append(
            pommego.make_vec(id, games, address=server.address, token=server.token, **wired(**options))
        )
        return made[-1]

    yield make
    for envs in made:
        envs.close()


@pytest.fixture
def single(server: pommego.Server) -> Iterator[Callable[..., pommego.PommegoEnv]]:
    """`make` on the shared server; closes what it made."""
    made = []

    def make(id: str = "PommeFFACompetition-v0", **options: Any) -> pommego.PommegoEnv:
        options.setdefault("opponents", ["static"] * (1 if id.startswith("OneVsOne") else 3))
        made.append(pommego.make(id, address=server.address, token=server.token, **wired(**options)))
        return made[-1]

    yield make
    for env in made:
        env.close()
