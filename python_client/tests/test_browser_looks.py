"""What all pages look like, and whether everybody can use them.

`make test-browser` looks at every page in light and dark, on a desktop and on a phone; else at some.
"""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest

import browser
import pommego
from browser import Browser
from conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("silent")

TEAM = "PommeTeamCompetition-v0"
SCREENS = {"desktop": (1280, 860), "phone": (390, 844)}
PAGES = ["game", "list", "tournament", "play", "live", "start", "wall"]
SHORT = [
    ("game", "phone", True),
    ("play", "phone", False),
    ("live", "desktop", True),
    ("start", "desktop", False),
]
SHORT += [("wall", "phone", True)]
PICTURES = Path(__file__).with_name("testdata") / "browser_screens.json"
Opened = Callable[[Browser], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def files(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recorded games and a tournament."""
    folder = tmp_path_factory.mktemp("looks")
    golden = REPOSITORY / "env" / "pommerman" / "testdata" / "golden"
    games = [gzip.decompress((golden / f"{id}.jsonl.gz").read_bytes()) for id in (TEAM, "OneVsOne-v0")]
    (folder / "games.jsonl").write_bytes(b"".join(games))
    agents = "simple,random,static,osla"
    tournament = f"tournament --env OneVsOne-v0 --format round-robin --agents {agents} --games 4"
    command = [binary, *tournament.split(), "--out", folder / "results"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def pages(binary: Path, files: Path) -> dict[str, Opened]:
    """Each page, as a context in which it is open."""

    @contextmanager
    def viewed(window: Browser, name: str, more: str, ready: str) -> Iterator[None]:
        with browser.viewing(binary, files / name) as address:
            window.open(address + more, ready)
            yield

    return {
        "game": lambda window: viewed(window, "games.jsonl", "&game=1&step=60", "#where"),
        "list": lambda window: viewed(window, "games.jsonl", "", "#listing tbody"),
        "tournament": lambda window: viewed(window, "results", "", ".found"),
        "play": lambda window: playing(window, binary),
        "live": living,
        "start": lambda window: starting(window, binary),
        "wall": walled,
    }


@contextmanager
def playing(window: Browser, binary: Path) -> Iterator[None]:
    match = ["--env", TEAM, "--agents", "human,simple,simple,simple", "--seed", "3"]
    with browser.match(binary, *match) as (_, address):
        window.open(address, "#turn")
        asked = "return pommego.play.state().asked"
        for step, key in enumerate("xds"):
            window.press(key)
            browser.until(lambda step=step: window.run(asked) == step + 1)
        yield


@contextmanager
def living(window: Browser) -> Iterator[None]:
    with pommego.make_vec(TEAM, 2, opponents=["simple"] * 3, seat=0, render_mode="human") as envs:
        _, info = envs.reset(seed=5)
        window.open(f"{envs.web_address}&game=0", "#about")
        state = "return pommego.stage.state()"
        browser.until(lambda: window.run(state)["positions"])
        for step in range(20):
            if step == 19:
                legal = info["action_mask"] / info["action_mask"].sum(axis=1, keepdims=True)
                browser.until(lambda: envs.show(probabilities=legal, values=[0.25, 0.5]))  # noqa: B023
            _, _, _, _, info = envs.step(np.zeros(2, np.int64))
            time.sleep(0.012)  # so that each is kept
        browser.until(lambda: window.run(state)["step"] == 20)
        yield


@contextmanager
def starting(window: Browser, binary: Path) -> Iterator[None]:
    dark = window.run("return matchMedia('(prefers-color-scheme: dark)').matches")
    wanted = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    with browser.match(binary, "--web") as (_, address):
        window.open(address, "#offers")
        yield


@contextmanager
def walled(window: Browser) -> Iterator[None]:
    with pommego.make_vec(TEAM, 16, opponents=["simple"] * 3, seat=0, web=True) as envs:
        envs.reset(seed=5)
        window.open(envs.web_address, "#panes")
        reached = "return all('#panes span').filter(e => e.textContent.endsWith(` ${given[0]}`)).length"
        for step in range(1, 9):
            envs.step(np.full(16, step % 3))
            browser.until(lambda step=step: window.run(reached, step) == 16)
        yield


# The mean colours of squares of 20 pixels: what is where, whatever the fonts.
COARSE = """
const picture = new Image();
picture.src = `data:image/png;base64,${given[0]}`;
await picture.decode();
const width = Math.floor(innerWidth / 20), height = Math.floor(innerHeight / 20);
const small = new OffscreenCanvas(width, height), pen = small.getContext("2d");
pen.imageSmoothingQuality = "high";
pen.drawImage(picture, 0, 0, width, height);
const { data } = pen.getImageData(0, 0, width, height);
return btoa(String.fromCharCode(...data.filter((_, i) => i % 4 < 3)));
"""


def far(got: str, want: str) -> float:
    """Return the share of squares whose colours are far from those wanted."""
    bytes = [np.frombuffer(base64.b64decode(text), np.uint8) for text in (got, want)]
    colours = [all.reshape(-1, 3).astype(int) for all in bytes]
    return float((np.abs(colours[0] - colours[1]).max(axis=1) > 40).mean())


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("page", PAGES)
def test_looks(
    page: str,
    screen: str,
    dark: bool,
    window: Browser,
    pages: dict[str, Opened],
    request: pytest.FixtureRequest,
) -> None:
    if (page, screen, dark) not in SHORT and not request.config.getoption("--all-pages"):
        pytest.skip("all of them with --all-pages alone")
    axe = pytest.importorskip("axe_core_python", reason=browser.HOW)
    width, height = SCREENS[screen]
    window.window(width, height, dark=dark)
    with pages[page](window):
        assert window.run("return document.documentElement.scrollWidth") <= width
        scheme = window.run("return getComputedStyle(document.documentElement).colorScheme")
        assert scheme == ("dark" if dark else "light")
        seen = window.run(COARSE, window.driver.get_screenshot_as_base64())
        window.driver.execute_script((Path(axe.__file__).parent / "axe.min.js").read_text())
        found = window.run(
            "return (await axe.run()).violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html)])"
        )
        window.driver.get("about:blank")
    assert found == []
    known = json.loads(PICTURES.read_text()) if PICTURES.exists() else {}
    name = f"{page}, {screen}, {'dark' if dark else 'light'}"
    if request.config.getoption("--new-pictures"):
        known[name] = seen
        PICTURES.write_text(json.dumps(dict(sorted(known.items())), indent=0) + "\n")
        return
    assert far(seen, known[name]) < 0.04, "it looks otherwise; look at it, and then run with --new-pictures"


def test_looks_are_told_apart() -> None:
    """What the comparison is for is beyond its tolerance."""
    known = json.loads(PICTURES.read_text())
    for name, seen in known.items():
        page, screen, theme = name.split(", ")
        other = {"light": "dark", "dark": "light"}[theme]
        assert far(seen, known[f"{page}, {screen}, {other}"]) > 0.5
        for another in PAGES:
            if another != page:
                assert far(seen, known[f"{another}, {screen}, {theme}"]) > 0.04, (name, another)
