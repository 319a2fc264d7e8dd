"""The site of the docs in a browser: its games, its colours, and whether everybody can use it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import browser
from browser import Browser
from test_browser_sharing import elsewhere

pytestmark = pytest.mark.usefixtures("silent")

GAMES = {
    "A kick through three agents": 96,
    "Champion against champion": 120,
    "A collapse": 673,
    "Radio with words": 297,
    "BaseWar": 67,
    "SuiteBot": 100,
}
PLAY = """
const speed = document.getElementById("speed");
speed.value = "9";
speed.dispatchEvent(new Event("change"));
document.getElementById("play").click();
"""
WHERE = "return document.getElementById('where')?.value ?? ''"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Of this version, which has another beside it."""
    shutil.copytree(site, site.with_name("0.0.9"))
    (site.parent / "versions.json").write_text(
        json.dumps([{"version": name, "title": name, "aliases": []} for name in (site.name, "0.0.9")])
    )
    with elsewhere(site.parent) as address:
        yield f"{address}/{site.name}"


def plays(window: Browser, frame: int, last: int) -> None:
    """Play the game in a frame of the page to its end."""
    window.run("all('iframe')[given[0]].scrollIntoView()", frame)
    window.driver.switch_to.frame(frame)
    run = window.driver.execute_script
    browser.until(lambda: run(WHERE).endswith(f" / {last}"))
    run(PLAY)
    browser.until(lambda: run(WHERE) == f"{last} / {last}", 60)
    window.driver.switch_to.default_content()


def test_the_games_of_the_gallery_play(window: Browser, address: str) -> None:
    window.open(f"{address}/docs/gallery.html", "h1")
    assert window.run("return all('iframe').map(frame => frame.title)") == list(GAMES)
    for frame, last in enumerate(GAMES.values()):
        plays(window, frame, last)


def test_the_guide_begins_with_a_game(window: Browser, address: str) -> None:
    window.open(f"{address}/docs/index.html", "h1")
    plays(window, 0, 96)
    logo = "return all('.md-logo img, link[rel=icon]').map(image => image.href ?? image.src)"
    assert window.run(logo) == [f"{address}/docs/images/logo.svg"] * window.run(f"{logo}.length")


def test_the_first_page_opens_with_a_game_that_plays(window: Browser, address: str) -> None:
    window.open(f"{address}/index.html", "h1")
    window.driver.switch_to.frame(window.driver.find_element("css selector", "iframe.opening"))
    browser.until(lambda: int(window.driver.execute_script(WHERE).partition(" / ")[0] or 0) > 2)
    window.driver.switch_to.default_content()
    wide = "return all('pre code').slice(0, 2).map(code => code.scrollWidth - code.clientWidth)"
    assert window.run(wide) == [0, 0], "its code is not clipped"


def test_versions_are_side_by_side(window: Browser, address: str) -> None:
    window.open(address.rpartition("/")[0], ".md-version")
    assert window.driver.current_url == f"{address}/", "the newest"
    links = "all('.md-version__link')"
    assert window.run(f"return {links}.map(link => link.textContent)") == [
        address.rpartition("/")[2],
        "0.0.9",
    ]
    window.run(f"{links}[1].click()")
    browser.until(lambda: window.driver.current_url.endswith("/0.0.9/"))


def test_the_reference_is_found(window: Browser, address: str) -> None:
    """By a search, which leads to it."""
    window.open(f"{address}/index.html", "h1")
    inner = "document.activeElement.shadowRoot"
    browser.until(lambda: window.press("/") or window.run(f"return Boolean({inner}?.activeElement)"))
    window.press(*"simulate")
    browser.until(lambda: window.run(f"return Boolean({inner}.querySelector('a'))"))
    window.press("\ue007")
    browser.until(lambda: "#pommego.PommegoVectorEnv.simulate" in window.driver.current_url)
    assert window.driver.current_url.startswith(f"{address}/api/pommego.html")
    assert [said for said in window.complaints() if "Autofocus" not in said] == []  # the theme's: a remark


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_site_has_the_systems_colours(dark: bool, window: Browser, address: str) -> None:
    """And the games in it; a reader may choose others."""
    window.window(1280, 860, dark=dark)
    window.open(f"{address}/docs/gallery.html", "h1")
    shade = "return Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]) < 99"
    assert window.run(shade) == dark
    window.driver.switch_to.frame(0)
    browser.until(lambda: window.driver.execute_script(WHERE))
    assert window.driver.execute_script(shade) == dark
    window.driver.switch_to.default_content()
    window.run("all('label[title]').find(label => label.title === 'Use light colours').click()")
    assert window.run(shade) is False
    window.run("localStorage.clear()")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everybody_can_use_the_site(dark: bool, window: Browser, address: str) -> None:
    axe = pytest.importorskip("axe_core_python", reason=browser.HOW)
    window.window(1280, 860, dark=dark)
    for page in ("index", "docs/gallery", "docs/tutorial", "api/pommego"):
        window.open(f"{address}/{page}.html", "h1")
        window.driver.execute_script((Path(axe.__file__).parent / "axe.min.js").read_text())
        found = window.run(
            "return (await axe.run()).violations.filter(v => ['serious', 'critical'].includes(v.impact))"
            ".map(v => [v.id, v.nodes.map(n => n.html)])"
        )
        assert found == [], page
