"""Games that are found again and shared: links, pictures, videos, pages of one file, frames."""

from __future__ import annotations

import functools
import gzip
import http.server
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import browser
import pommego
from browser import Browser
from conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("silent")

TEAM = "PommeTeamCompetition-v0"
GAMES = 12
RIGHT = "\ue014"
Download = Callable[[str], Path]  # chooses this in the menu, and returns the file that comes


@pytest.fixture(scope="module")
def data(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a data set."""
    folder = tmp_path_factory.mktemp("sharing") / "ffa"
    command = f"generate --agents simple,random --games {GAMES} --seed 4 --out"
    subprocess.run([binary, *command.split(), folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def served(binary: Path, data: Path) -> Iterator[str]:
    with browser.viewing(binary, data) as address:
        yield address


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with one game, played in fog."""
    path = tmp_path_factory.mktemp("team") / "team.jsonl"
    golden = REPOSITORY / "env" / "pommerman" / "testdata" / "golden" / f"{TEAM}.jsonl.gz"
    path.write_bytes(gzip.decompress(golden.read_bytes()))
    return path


def click(window: Browser, words: str) -> None:
    """Click the link or button that begins with these words, or has them as its name, once it is there."""
    named = f"normalize-space(text())='{words}' or @aria-label='{words}'"
    path = f"//*[self::a or self::button or self::summary][{named}]"
    browser.until(lambda: window.driver.find_elements("xpath", path))
    window.driver.find_element("xpath", path).click()


@pytest.fixture
def download(window: Browser, tmp_path: Path) -> Download:
    def choose(words: str) -> Path:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        allow = {"behavior": "allow", "downloadPath": str(folder)}
        window.driver.execute_cdp_cmd("Browser.setDownloadBehavior", allow)
        click(window, "Share")
        click(window, words)
        browser.until(lambda: [file.suffix for file in folder.iterdir()] not in ([], [".crdownload"]))
        click(window, "Share")
        (file,) = folder.iterdir()
        return file

    return choose


def rows(window: Browser) -> list[list[str]]:
    return window.run(
        "await until(() => all('#listing tbody tr').length);"
        "return all('.finder tbody tr').map(row => [...row.cells].map(cell => cell.textContent))"
    )


def find(window: Browser, words: str) -> None:
    """Type into the search field, and wait for what is found."""
    field = window.driver.find_element("css selector", "input[type=search]")
    window.run("globalThis.before = all('.found')[0]")
    field.clear()
    field.send_keys(words)
    window.run("await until(() => all('.found')[0] !== before)")


def shown(window: Browser) -> dict[str, Any]:
    """What the page shows: which game, step and view."""
    return window.run("""
      await until(() => pommego.stage.shown());
      const { game, position, seat } = pommego.stage.shown();
      return { names: game.head.names, last: game.last, step: position.step, seat };
    """)


def test_a_dropped_file_does_not_replace_the_page(window: Browser, served: str) -> None:
    window.open(served, "#listing tbody")
    prevented, said = window.run("""
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["{}\\n{}\\n"], "games.jsonl"));
      const prevented = ["dragover", "drop"].map(kind => {
        const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
        byId("listing").dispatchEvent(event);
        return event.defaultPrevented;
      });
      return [prevented, byId("message").textContent];
    """)
    assert prevented == [True, True]
    assert "pommego view FILE" in said


def test_back_finds_the_table_as_it_was(window: Browser, served: str) -> None:
    window.open(served, "#listing tbody")
    find(window, "simple")
    for _ in range(2):
        window.run("globalThis.before = all('.found')[0]")
        click(window, "Steps")
        window.run("await until(() => all('.found')[0] !== before)")
    browser.until(lambda: "down=1" in window.driver.current_url)
    choose = "const [agent] = all('.finder select'); agent.value = 'random';"
    window.run(f"{choose} agent.dispatchEvent(new Event('change'))")
    browser.until(lambda: "agent=random" in window.driver.current_url)
    window.run("await until(() => all('th[aria-sort=descending]').length)")
    table = rows(window)
    steps = [int(row[3]) for row in table]
    assert steps == sorted(steps, reverse=True)
    click(window, table[1][0])
    assert shown(window)["last"] == steps[1]
    for leave in (window.driver.back, lambda: click(window, "All games"), window.driver.refresh):
        leave()
        window.run("await until(() => document.body.dataset.page === 'list' && all('.found').length)")
        assert rows(window) == table
        assert window.run("return [all('input[type=search]')[0].value, all('.finder select')[0].value]") == [
            "simple",
            "random",
        ]
        if leave == window.driver.back:
            window.driver.forward()
            shown(window)


def test_the_games_before_and_after(window: Browser, served: str) -> None:
    window.open(f"{served}&sort=steps", "#listing tbody")
    table = rows(window)
    click(window, table[0][0])
    assert shown(window)["last"] == int(table[0][3])
    assert not window.driver.find_elements("css selector", "[aria-label='Previous game']")
    for at, way in [(1, "Next game"), (2, "Next game"), (1, "Previous game")]:
        window.run("await until(() => all(`[aria-label='${given[0]}']`).length)", way)
        click(window, way)
        browser.until(lambda at=at: f"game={table[at][0]}&" in window.driver.current_url + "&")
        browser.until(lambda at=at: shown(window)["last"] == int(table[at][3]))
    window.open(f"{served}&sort=steps&game={table[-1][0]}", "#where")
    assert not window.driver.find_elements("css selector", "[aria-label='Next game']")
    click(window, "All games")
    assert rows(window) == table
    assert not window.driver.find_elements("css selector", "[aria-label='Previous game']")


GAMES_OF_FOUR = [
    {"game": 1, "agents": ["a", "b"], "steps": 30, "result": ["won", "lost"], "seed": 5},
    {"game": 2, "agents": ["b", "a"], "steps": 119, "result": ["won", "lost"]},
    {"game": 3, "agents": ["a", "a"], "steps": 10, "result": ["tied", "tied"]},
    {"game": 4, "agents": ["c", "b"], "steps": 40, "result": ["lost", "won"], "note": "long"},
]
FOUND: dict[str, list[int]] = {
    "": [1, 2, 3, 4],
    "sort=game&down=1": [4, 3, 2, 1],
    "sort=steps": [3, 1, 4, 2],
    "sort=winner": [1, 2, 4, 3],
    "sort=colour": [1, 2, 3, 4],
    "agent=a": [1, 2, 3],
    "agent=a&against=b": [1, 2],
    "agent=a&against=a": [3],
    "against=c": [4],
    "agent=a&or=c": [1, 2, 3, 4],
    "agent=a&result=won": [1],
    "agent=a&result=lost": [2],
    "result=tied": [3],
    "result=won": [1, 2, 4],
    "find=LONG": [4],
    "find=b 119": [2],
    "find=nothing": [],
}


def test_games_are_found_and_counted(window: Browser, served: str) -> None:
    window.open(served, "#listing tbody")
    found, columns, beside = window.run(
        """
        const [games, queries] = given, { Listing } = pommego.listing;
        const list = new Listing({ games }, () => "#");
        const of = query => Object.fromEntries(new URLSearchParams(query));
        const numbers = all => all.map(({ game }) => game);
        const beside = place => list.neighbours(place).map(link => link.title ?? "");
        return [queries.map(query => numbers(list.found(of(query)))), list.columns,
          [{ game: "1" }, { game: "2", sort: "steps" }, { game: "1", agent: "c" },
            { game: "9" }].map(beside)];
        """,
        GAMES_OF_FOUR,
        list(FOUND),
    )
    assert dict(zip(FOUND, found, strict=True)) == FOUND
    assert columns == ["game", "agents", "winner", "steps", "seed", "note"]
    before, after = "Previous game", "Next game"
    assert beside == [["", after], [before, ""], ["", ""], ["", ""]]


def test_a_search_asks_for_nothing(window: Browser, served: str) -> None:
    window.open(served, "#listing tbody")
    window.requests()
    find(window, "random")
    assert window.requests() == []


def test_a_link_to_this_moment(window: Browser, served: str) -> None:
    window.open(f"{served}&game=3&view=1", "#where")
    window.press(*[RIGHT] * 4)
    window.run("navigator.clipboard.writeText = async text => { globalThis.copied = text; }")
    click(window, "Share")
    click(window, "Copy a link to this moment")
    link = window.run("await until(() => globalThis.copied); return copied")
    assert "done" in window.run("return document.querySelector('details[open]').textContent")
    before = shown(window)
    assert before["step"] == 4
    window.open(link, "#where")
    assert shown(window) == before


def test_the_menu_is_of_the_game_on_the_page(window: Browser, served: str) -> None:
    window.open(f"{served}&game=3", "#where")
    window.run("location.hash = location.hash.replace(/game=3/, 'game=2')")
    browser.until(lambda: window.run("return byId('title').textContent.endsWith('game 2')"))
    click(window, "Share")
    assert window.run("return byId('share').open")
    window.driver.back()
    browser.until(lambda: window.run("return byId('title').textContent.endsWith('game 3')"))
    assert not window.run("return byId('share').open")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_board_as_png(phone: bool, window: Browser, served: str, download: Download) -> None:
    if phone:
        window.window(390, 844, density=2)
    window.open(f"{served}&game=3&step=12", "#where")
    if phone:
        click(window, "Tools")
    picture = download("PNG of this step")
    assert picture.name == "ffa, game 3, step 12.png"
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    size = [int.from_bytes(content[at : at + 4]) for at in (16, 20)]
    assert size[0] == 11 * 96
    assert size[1] > size[0], "a strip stands below the board"


def opened(window: Browser, page: Path) -> list[Any]:
    """Open a page of one file, and return what it shows at each step."""
    window.requests()
    window.open(page.as_uri(), "#where")
    assert {url.partition("#")[0] for url in window.requests() if url != "about:blank"} == {page.as_uri()}
    assert "http-equiv" in page.read_text()
    return window.run(POSITIONS)


POSITIONS = """
await until(() => pommego.stage.shown());
const { game, seat } = pommego.stage.shown();
return [game.positions, game.events, game.head.names, seat];
"""


def test_one_file_of_a_recorded_game(
    window: Browser, binary: Path, served: str, data: Path, download: Download, tmp_path: Path
) -> None:  # fmt: skip
    window.open(f"{served}&game=3&view=1", "#where")
    held = window.run(POSITIONS)
    page = download("Page with this game")
    assert page.suffix == ".html"
    assert opened(window, page) == held
    assert window.run("return byId('title').textContent") == "ffa, game 3"
    again = download("Page with this game")  # of the file itself
    assert opened(window, again) == held
    window.run(
        "const right = new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });"
        "byId('share').addEventListener('toggle', () => document.body.dispatchEvent(right), { once: true })"
    )
    assert download("PNG of this step").name == "ffa, game 3, step 1.png", "not of when the menu was opened"
    written = tmp_path / "written.html"
    subprocess.run(
        [binary, "replay", data, "--game", "3", "--html", written], check=True, capture_output=True
    )
    assert page.stat().st_size < 1.1 * written.stat().st_size


def test_one_file_of_a_game_that_is_played(window: Browser, binary: Path, download: Download) -> None:
    match = ["--env", "OneVsOne-v0", "--agents", "human,static", "--seed", "3"]
    with browser.match(binary, *match) as (_, address):
        window.open(address, "#turn")
        for step, key in enumerate("..."):
            browser.until(lambda step=step: window.run("return pommego.play.state().asked") == step)
            window.press(key)
        browser.until(lambda: window.run("return pommego.play.state().asked") == 3)
        page = download("Page with this game")
        window.driver.get("about:blank")
    positions, _, names, _ = opened(window, page)
    assert [position["step"] for position in positions] == [0, 1, 2, 3]
    assert names == ["human", "static"]


def test_one_file_of_a_running_game(window: Browser, download: Download) -> None:
    with pommego.make_vec("OneVsOne-v0", 1, opponents=["static"], seat=0, render_mode="human") as envs:
        envs.reset(seed=5)
        window.open(envs.web_address, "#about")
        browser.until(lambda: window.run("return pommego.stage.state().positions?.length"))
        for _ in range(6):
            envs.step(np.zeros(1, np.int64))
            time.sleep(0.05)  # so that each is kept
        browser.until(lambda: window.run("return pommego.stage.state().step") == 6)
        steps = window.run("return pommego.stage.state().positions")
        page = download("Page with this game")
        window.driver.get("about:blank")
    assert [position["step"] for position in opened(window, page)[0]] == steps


def test_gif(window: Browser, binary: Path, team: Path, download: Download, tmp_path: Path) -> None:
    with browser.viewing(binary, team) as address:
        window.open(f"{address}&view=2", "#where")
        animation = download("GIF of the game").read_bytes()
    drawn = tmp_path / "drawn"
    command = [binary, "replay", team, "--seat", "2", "--tile", "48", "--fps", "10", "--gif", drawn]
    subprocess.run(command, check=True, capture_output=True)
    assert animation[:10] == drawn.read_bytes()[:10]  # the form and the size
    assert len(animation) > 10_000


# What a frame shows: the board and what it has below, as far as they are in sight.
FRAMED = """
const inside = element => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return element.checkVisibility() && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
};
const [board] = document.querySelectorAll(".stage canvas"), byId = id => document.getElementById(id);
const others = [...document.querySelectorAll(".top, .side")];
return [board?.width > 100 && inside(board), inside(byId("play")), inside(byId("at")),
  others.every(element => !element.checkVisibility())];
"""


@pytest.mark.parametrize("size", [(480, 600), (360, 480), (800, 500)], ids=str)
def test_one_file_in_a_frame(
    size: tuple[int, int], window: Browser, binary: Path, team: Path, tmp_path: Path
) -> None:
    subprocess.run(
        [binary, "replay", team, "--html", tmp_path / "team.html"], check=True, capture_output=True
    )
    width, height = size
    docs = tmp_path / "docs.html"
    docs.write_text(
        f'<!DOCTYPE html><h1>Docs</h1><iframe src="team.html?embed#step=9" width="{width}" height="{height}">'
    )
    window.open(docs.as_uri(), "h1")
    window.driver.switch_to.frame(0)
    browser.until(
        lambda: window.driver.execute_script("return document.getElementById('where').value").startswith(
            "9 / "
        )
    )
    assert window.driver.execute_script(FRAMED) == [True] * 4
    window.driver.execute_script("document.getElementById('step-on').click()")
    assert window.driver.execute_script("return document.getElementById('where').value").startswith("10 / ")
    window.driver.switch_to.default_content()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def elsewhere(folder: Path) -> Iterator[str]:
    """Serve a folder at another port of this machine, as notebooks are."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_served_game_in_a_frame(window: Browser, served: str, tmp_path: Path) -> None:
    framed = served.replace("/#", "/?embed#") + "&game=3&step=5"
    frame = f'<iframe src="{framed}" width="480" height="600">'
    notebook = f'<!DOCTYPE html><link rel="icon" href="data:,"><h1>Notebook</h1>{frame}'
    (tmp_path / "index.html").write_text(notebook)
    with elsewhere(tmp_path) as address:
        window.open(f"{address}/index.html", "h1")
        window.driver.switch_to.frame(0)
        browser.until(
            lambda: (
                window.driver.execute_script("return document.getElementById('where')?.value")[:4] == "5 / "
            )
        )
        assert window.driver.execute_script(FRAMED) == [True] * 4
        window.driver.switch_to.default_content()
        window.driver.get("about:blank")
