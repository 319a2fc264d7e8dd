"""The shell of all pages: screens, long names, slow networks and a server that goes away."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import browser
import pommego
from browser import Browser
from conftest import REPOSITORY
from test_browser_looks import living, playing

pytestmark = pytest.mark.usefixtures("silent")

SCREENS = [(844, 390), (640, 430), (390, 844), (1280, 800), (2560, 1440), (1024, 768), (768, 1024)]
LONG, HEBREW = "y" * 4000, "שחקן (2) טוב"


def recorded(path: Path, names: list[str] | None = None, games: int = 1) -> Path:
    """Write a file of recorded team games between agents of these names."""
    golden = REPOSITORY / "env" / "pommerman" / "testdata" / "golden" / "PommeTeamCompetition-v0.jsonl.gz"
    record = json.loads(gzip.decompress(golden.read_bytes()))
    record["policies"] = names or record["policies"]
    path.write_text((json.dumps(record) + "\n") * games, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def served(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page of two games, between agents with awkward names."""
    names = [LONG, "simple", HEBREW, "<b>simple"]
    with browser.viewing(binary, recorded(tmp_path_factory.mktemp("shell") / "games.jsonl", names, 2)) as at:
        yield at


@contextmanager
def opened(page: str, window: Browser, binary: Path, served: str) -> Iterator[None]:
    """Open one of the pages."""
    if page == "play":
        with playing(window, binary):
            yield
    elif page == "live":
        with living(window):
            yield
    else:
        window.open(f"{served}&game=1&step=60", "#where")
        yield


# The edges of each board and of each control, and how far the page would scroll.
EDGES = """
const edges = e => {
  const { left, top, right, bottom } = e.getBoundingClientRect();
  return [left, top, right, bottom];
};
const controls = all("#controls :is(button, select, input), header :is(button, a)");
const { scrollWidth, scrollHeight } = document.documentElement;
document.querySelector("main").scrollTop = 0;
return {
  boards: all("#games canvas[role=img]").map(edges), footer: edges(byId("controls")),
  controls: controls.filter(e => e.checkVisibility()).map(edges), page: [scrollWidth, scrollHeight],
};
"""


@pytest.mark.parametrize("page", ["game", "play", "live"])
def test_boards_and_controls_are_in_sight(page: str, window: Browser, binary: Path, served: str) -> None:
    with opened(page, window, binary, served):
        for width, height in SCREENS:
            window.window(width, height)
            window.run("await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame)")
            seen = window.run(EDGES)
            where = f"{page} at {width}x{height}"
            assert seen["page"] == [width, height], f"{where} scrolls"
            assert len(seen["boards"]) == 1
            assert len(seen["controls"]) > (5 if page == "play" else 8)
            for left, top, right, bottom in seen["boards"] + seen["controls"]:
                inside = left >= 0 and top >= 0 and right <= width and bottom <= height
                assert inside, f"{where}: {left, top, right, bottom}"
            for left, top, right, bottom in seen["boards"]:
                assert right - left > min(width, height) * 0.7, where
                beside = right <= seen["footer"][0] or bottom <= seen["footer"][1]
                assert beside, f"{where}: the controls hide the board"
                assert bottom - top == pytest.approx(right - left, abs=1)
        window.driver.get("about:blank")


def test_tools_fold_into_a_menu(window: Browser, served: str) -> None:
    window.open(f"{served}&game=1", "#where")
    seen = "return ['view', 'reach', 'named', 'legend', 'keys'].map(id => byId(id).checkVisibility())"
    assert all(window.run(seen))
    window.window(390, 844)
    assert not any(window.run(seen))
    window.run("document.querySelector('.fold').click()")
    assert all(window.run(seen))
    window.run("byId('view').value = 2; byId('view').dispatchEvent(new Event('change'))")
    window.press("\ue00c")  # escape
    assert not any(window.run(seen))
    assert window.run("return pommego.stage.shown().game.viewer") == 2


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_names_of_any_length(width: int, height: int, window: Browser, served: str) -> None:
    """A name is cut, its whole is a tooltip, and no other text runs into it."""
    window.window(width, height)
    window.open(f"{served}&game=1&step=60", "#where")
    names = window.run("""
      const look = e => [e.title, e.textContent, getComputedStyle(e).unicodeBidi, e.clientHeight];
      return all(".who strong").map(look);
    """)
    assert [name[0] for name in names] == [LONG, "simple", HEBREW, "<b>simple"]
    assert len(names[0][1]) <= 40
    assert {name[2] for name in names} == {"isolate"}
    assert len({name[3] for name in names}) == 1, "names have one line"
    told = window.run("return all('.moments li').map(e => e.textContent)")
    assert any(f"\u2068{HEBREW}\u2069 (2)" in text for text in told), "its number stands behind it"
    assert max(map(len, told)) < 200
    assert window.run("return document.documentElement.scrollWidth") <= width
    hover = "const e = byId('about'); e.dispatchEvent(new Event('pointerover', { bubbles: true }));"
    cut, tip, about = window.run(hover + "return [e.scrollWidth > e.clientWidth, e.title, e.textContent]")
    assert tip == (about if cut else "")
    assert cut or width > 390
    window.open(served, "#listing tbody")
    assert window.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("page", ["game", "play", "list"])
def test_headings_are_in_order(page: str, window: Browser, binary: Path, served: str) -> None:
    with opened("game" if page == "list" else page, window, binary, served):
        if page == "list":
            window.open(served, "#listing tbody")
        heads = "all('h1, h2, h3, h4').filter(e => e.checkVisibility()).map(e => Number(e.tagName[1]))"
        levels = window.run(f"return {heads}")
        window.driver.get("about:blank")
    assert levels[0] == levels.count(1) == 1 < len(levels)
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels


def network(window: Browser, latency: int = 0, *, offline: bool = False) -> None:
    """Be on a network of this latency, or on none."""
    conditions = {"offline": offline, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
    window.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)


def test_slow_network(window: Browser, served: str) -> None:
    """There is something to see after one request, and the game after two; a known page isn't sent again."""
    timing = """
      await until(() => all("#games canvas").length && byId("where").value);
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      const asked = performance.getEntriesByType("resource").filter(e => e.name.includes("/api/"));
      const [{ encodedBodySize, decodedBodySize, transferSize }] = performance.getEntriesByType("navigation");
      const [answer] = asked.map(e => e.responseEnd).toSorted((a, b) => a - b);
      const order = [paint.startTime < answer, asked.every(e => e.startTime < answer)];
      return [...order, encodedBodySize, decodedBodySize, transferSize];
    """
    network(window, 1000)
    try:
        window.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        window.driver.get("about:blank")
        window.requests()
        window.driver.get(f"{served}&game=1")
        seen, together, encoded, decoded, _ = window.run(timing)
        assert seen, "something is seen before the game has come"
        assert together, "nothing waits for the answer to something else"
        assert encoded < decoded / 2, "it is compressed"
        asked = [url.partition("#")[0].split("/", 3)[3] for url in window.requests() if "127.0.0.1" in url]
        assert asked[0] == ""
        assert sorted(asked[1:]) == ["api/game/1", "api/listing"]
        window.open(f"{served}&game=1", "#where")
        *_, sent = window.run(timing)
        assert sent < 2000, "a page that is known isn't sent again"
    finally:
        network(window)


SAYS = "return byId('message').checkVisibility() ? byId('message').textContent : ''"


def goes_and_comes_back(
    window: Browser, stands: Callable[[], object], *, ask: Callable[[], object], then: Callable[[], object]
) -> None:
    """See what the page says while there is no network, and that it goes on by itself."""
    network(window, offline=True)
    try:
        ask()
        browser.until(lambda: window.run(SAYS))
        assert window.run(SAYS).startswith("The server does not answer")
        before = stands()
        then()
    finally:
        network(window)
    browser.until(lambda: not window.run(SAYS))
    browser.until(lambda: stands() != before)
    assert all("ERR_INTERNET_DISCONNECTED" in text for text in window.complaints())


def test_a_match_goes_on_when_the_server_is_back(window: Browser, binary: Path) -> None:
    asked = "return pommego.play.state().asked"
    match = ["--env", "PommeFFACompetition-v0", "--agents", "human,static,static,static", "--seed", "3"]
    with browser.match(binary, *match) as (process, address):
        window.open(address, "#turn")
        browser.until(lambda: window.run(asked) == 0)
        goes_and_comes_back(
            window, lambda: window.run(asked), ask=lambda: window.press("x"), then=lambda: None
        )
        browser.until(lambda: window.run(asked) == 1)
        window.press("x")
        browser.until(lambda: window.run(asked) == 2)
        process.kill()
        process.wait()
        browser.until(lambda: window.run(SAYS).startswith("The server does not answer"))
        window.driver.get("about:blank")
        window.complaints()


def test_a_table_goes_on_when_the_server_is_back(window: Browser, served: str) -> None:
    window.open(served, ".found")
    window.run(
        "const [find] = all('[type=search]'); find.value = 'no such'; find.dispatchEvent(new Event('input'))"
    )
    assert window.run("return all('.found')[0].textContent").startswith("0 of 2"), "which asks for nothing"
    page, choose = "return document.body.dataset.page", "location.hash += '&game=1'"
    goes_and_comes_back(window, lambda: window.run(page), ask=lambda: window.run(choose), then=lambda: None)
    browser.until(lambda: window.run(page) == "game")


def test_an_environment_is_followed_when_the_server_is_back(window: Browser) -> None:
    with pommego.make_vec("OneVsOne-v0", 1, opponents=["simple"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(envs.web_address, "#about")
        step = "return pommego.stage.state().step"
        browser.until(lambda: window.run(step) == 0)
        goes_and_comes_back(
            window,
            lambda: window.run(step),
            ask=lambda: window.run("location.hash += '&again=1'"),  # what runs already isn't cut offline
            then=lambda: envs.step(np.zeros(1, np.int64)),
        )
        browser.until(lambda: window.run(step) == 1)
        window.driver.get("about:blank")
