"""The pages of `pommego view`, looked at in Chromium as a person would.

Without --all-pages it plays some ids. `make test-browser` plays every id, forwards and back.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import browser
import pommego
from browser import Browser
from conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("silent")

SHORT = ["OneVsOne-v0", "BaseWarSides-v0", "SuiteBot-v0"]
GOLDEN = {path.name.removesuffix(".jsonl.gz"): path for path in REPOSITORY.glob("env/*/testdata/golden/*.gz")}
IDS = sorted(GOLDEN)
KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}
Watch = Callable[..., dict[str, Any]]  # opens the recorded game of an id, and returns its record

SHOWN = "const { shown } = pommego.stage;"


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the recorded game of every id, in the order of IDS."""
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    path.write_bytes(b"".join(gzip.decompress(GOLDEN[id].read_bytes()) for id in IDS))
    return path


@pytest.fixture(scope="module")
def served(binary: Path, games: Path) -> Iterator[str]:
    with browser.viewing(binary, games) as address:
        yield address


@pytest.fixture
def watch(window: Browser, served: str) -> Watch:
    """Open the recorded game of an id; returns its record."""

    def open_game(id: str, more: str = "") -> dict[str, Any]:
        window.open(f"{served}&game={IDS.index(id) + 1}{more}", "#where")
        return json.loads(gzip.decompress(GOLDEN[id].read_bytes()))

    return open_game


# The page, played to its end and back by its buttons: what it shows at each step.
PLAY = (
    SHOWN
    + """
const at = byId("at"), where = byId("where"), seen = [], [board] = all("#games canvas");
const look = () => {
  const { position, game } = shown();
  const { step, ground, agents, bombs, flames, items, bases, counts, rewards, status } = position;
  seen.push({ step, ground, agents, bombs, flames, items, bases, counts, rewards, status, last: game.last,
    at: Number(at.value), where: where.value, label: board.getAttribute("aria-label") });
};
byId("first").click();
look();
for (const button of ["step-on", "step-back"]) {
  const before = byId(button);
  for (let i = 0; i < shown().game.last; i++) { before.click(); look(); }
}
return JSON.stringify(seen);
"""
)


@pytest.mark.parametrize("id", IDS)
def test_every_step_is_as_recorded(
    id: str, window: Browser, watch: Watch, request: pytest.FixtureRequest
) -> None:
    if id not in SHORT and not request.config.getoption("--all-pages"):
        pytest.skip("of all ids with --all-pages alone")
    window.window(480, 480)  # quick to draw
    record = watch(id)
    states = [record["initial"], *record["steps"]]
    shown = json.loads(window.run(PLAY))
    assert len(shown) == 2 * len(states) - 1
    wanted = [*range(len(states)), *reversed(range(len(states) - 1))]
    redraw = {"p": redraw_pommerman, "b": redraw_basewar, "s": redraw_suitebot}[record["format"][0]]
    for index, page in zip(wanted, shown, strict=True):
        state = states[index]
        steps = state["step_count"]
        assert (page["step"], page["at"]) == (steps, index)
        assert page["where"] == f"{steps} / {states[-1]['step_count']}"
        assert page["label"].startswith(f"Step {steps}.")
        drawn = redraw(page, skull="2018" in id)
        for key, value in drawn.items():
            assert value == recorded(key, state, id), f"step {steps}: {key}"
        assert page.get("rewards") == state.get("rewards")
        if index:
            assert page["status"]["result"] == state["result"]
            assert page["status"]["winners"] == state.get("winners", [])


def recorded(key: str, state: dict[str, Any], id: str) -> Any:
    """A value of a record in the form in which scenes are redrawn."""
    value = state.get(key, [])
    if key == "flames":  # one a cell, the one that burns longest
        longest = {(row, col): life for row, col, life in sorted(value)}
        return sorted([*at, life] for at, life in longest.items())
    if key == "bombs" and id == "BaseWarSides-v0":  # of which bombers: here of which seats
        return [[*bomb[:3], bool(bomb[3] & 0b010101) + 2 * bool(bomb[3] & 0b101010)] for bomb in value]
    return value


def owners(bomb: dict[str, Any]) -> int:
    return sum(1 << seat for seat in bomb["owners"])


def redraw_pommerman(page: dict[str, Any], *, skull: bool) -> dict[str, Any]:
    size = int(len(page["ground"]) ** 0.5)
    board = [".#+".index(kind) for kind in page["ground"]]
    kinds = {"extra_bomb": 6, "incr_range": 7, "kick": 8, "skull": 9}
    moving = ["", "up", "down", "left", "right"]

    def put(thing: dict[str, Any], value: int) -> None:
        board[thing["at"][0] * size + thing["at"][1]] = value

    for item in page["items"]:
        if not item.get("hidden"):
            put(item, kinds[item["kind"]])
    for bomb in page["bombs"]:
        put(bomb, 3)
    for agent in page["agents"]:
        if agent["alive"]:
            put(agent, 10 + skull + agent["seat"])
    for flame in page["flames"]:
        put(flame, 4)
    return {
        "board": "".join("0123456789abcdefghij"[value] for value in board),
        "agents": [
            [*a["at"], int(a["alive"]), a["ammo"], a["blast"], int(a.get("kicks", False))]
            for a in page["agents"]
        ],
        "bombs": [
            [*b["at"], b["life"], b["blast"], b["owners"][0], moving.index(b.get("moving", ""))]
            for b in page["bombs"]
        ],
        "flames": [[*f["at"], f["life"] - 1] for f in page["flames"]],
        "items": [[*i["at"], kinds[i["kind"]]] for i in page["items"] if i.get("hidden")],
    }


def redraw_basewar(page: dict[str, Any], *, skull: bool) -> dict[str, Any]:
    board = [".#+".index(kind) for kind in page["ground"]]
    for side, base in enumerate(page["bases"]):
        board[base["at"][0] * 15 + base["at"][1]] = 3 + side
    return {
        "board": "".join(map(str, board)),
        "bombers": [[*a["at"], a.get("lives", 0), a["ammo"]] for a in page["agents"]],
        "bombs": [[*b["at"], b["life"], owners(b)] for b in page["bombs"]],
        "blast": [f["at"] for f in page["flames"]],
        "energy": [base.get("energy", 0) for base in page["bases"]],
    }


def redraw_suitebot(page: dict[str, Any], *, skull: bool) -> dict[str, Any]:
    fields = list(page["ground"].replace("-", "x"))
    for flame in page["flames"]:
        fields[flame["at"][0] * 20 + flame["at"][1]] = "*"
    counts = [page["counts"][name] for name in ("points", "fields", "kills", "deaths")]
    return {
        "fields": "".join(fields),
        "agents": [
            [*a["at"][::-1], *numbers]
            for a, numbers in zip(page["agents"], zip(*counts, strict=True), strict=True)
        ],
        "bombs": [[*b["at"][::-1], b["life"], b["owners"][0]] for b in page["bombs"]],
    }


def step(window: Browser) -> int:
    return window.run(SHOWN + "return shown().position.step")


def test_keyboard(window: Browser, watch: Watch) -> None:
    last = len(watch("OneVsOne-v0")["steps"])
    for keys, want in [
        ([KEYS["right"]] * 3, 3), ([KEYS["left"]], 2), ([f"({KEYS['right']})"], 12),
        ([KEYS["end"]], last), ([KEYS["right"]], last), ([KEYS["home"]], 0), ([KEYS["left"]], 0),
    ]:  # fmt: skip
        window.press(*keys)
        assert step(window) == want, keys
    window.press("9")
    assert window.run("return byId('speed').value") == "9"
    window.press(" ")
    assert window.run("return byId('play').getAttribute('aria-label')") == "Pause"
    window.run(SHOWN + "await until(() => shown().position.step >= 5)")
    window.press(" ")
    at = step(window)
    assert window.run("return byId('play').getAttribute('aria-label')") == "Play"
    assert 5 <= at == step(window)
    window.press("b")
    assert window.run(SHOWN + "return shown().reach") is True


def test_keys_act_after_a_control_was_used(window: Browser, watch: Watch) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select

    watch("PommeTeamCompetition-v0")
    used = [
        lambda: window.driver.find_element(By.ID, "reach").click(),
        lambda: Select(window.driver.find_element(By.ID, "view")).select_by_index(2),
        lambda: Select(window.driver.find_element(By.ID, "speed")).select_by_index(2),
    ]
    for n, use in enumerate(used, 1):
        use()
        window.press(KEYS["right"])
        assert step(window) == n


def test_menus_close(window: Browser, watch: Watch) -> None:
    """By Esc, by a click elsewhere, and one for another; so do errors."""
    from selenium.webdriver.common.by import By

    watch("OneVsOne-v0")
    opened = "return all('.top details[open]').map(menu => menu.id)"

    def click(selector: str) -> None:
        window.driver.find_element(By.CSS_SELECTOR, selector).click()

    click("#legend summary")
    click("#keys summary")
    assert window.run(opened) == ["keys"]
    window.press("\ue00c")
    assert window.run(opened) == []
    click("#share summary")
    window.run("await until(() => document.querySelector('#share li button'))")
    click("#share li button")
    assert window.run(opened) == ["share"]
    click("#games canvas")
    assert window.run(opened) == []
    for close in (lambda: window.press("\ue00c"), lambda: click("#message")):
        window.run("dispatchEvent(new DragEvent('drop'))")
        assert window.run("return byId('message').checkVisibility()")
        close()
        assert not window.run("return byId('message').checkVisibility()")


def test_playing_ends_at_the_last_step(window: Browser, watch: Watch) -> None:
    last = len(watch("OneVsOne-v0")["steps"])
    window.press("9", KEYS["end"], KEYS["left"], KEYS["left"], " ")
    window.run("await until(() => !all('.playing').length)")
    assert step(window) == last


def test_the_address_says_what_is_shown(window: Browser, watch: Watch) -> None:
    watch("PommeTeamCompetition-v0", "&step=30&view=2")
    assert window.run(SHOWN + "const { position, game } = shown(); return [position.step, game.viewer]") == [
        30,
        2,
    ]
    window.press(KEYS["right"])
    wait = "await until(() => location.hash.includes('step=31')); return location.hash"
    assert "view=2" in window.run(wait)
    game = IDS.index("SuiteBot-v0") + 1
    window.run(
        f"location.hash = location.hash.replace(/game=[0-9]+/, 'game={game}');"
        + SHOWN
        + "await until(() => shown()?.game.head.game === 'suitebot')"
    )
    assert step(window) == 31


def test_a_seat_sees_no_more_than_it_may(window: Browser, watch: Watch) -> None:
    window.window(480, 480)  # quick to draw
    record = watch("PommeTeamCompetition-v0")
    checked = 0
    for state in record["steps"]:
        if "obs" not in state or state["done"]:
            continue
        for seat in range(4):
            ground, owned = window.run(
                SHOWN
                + """
                byId("view").value = given[1];
                byId("view").dispatchEvent(new Event("change"));
                byId("at").value = given[0];
                byId("at").dispatchEvent(new Event("input"));
                const { position } = shown();
                return [position.ground, position.bombs.some(b => b.owners.length)];
                """,
                state["step_count"],
                seat,
            )
            seen = state["obs"][seat]["board"]
            assert [kind == "?" for kind in ground] == [value == "5" for value in seen]
            assert not owned
            checked += 1
    assert checked > 20


# What the page's JavaScript makes of a game for each seat that is not what the server's scene
# has for it. False flags, empty lists and texts, and the ammo of 0 can be left out.
UNLIKE = """
const { Game } = pommego.game;
const left_out = (key, value) => ["sight", "changed"].includes(key) || value === 0 && key === "ammo" ||
  [undefined, null, false, ""].includes(value) || Array.isArray(value) && !value.length;
const bare = value => {
  if (Array.isArray(value)) return value.map(bare);
  if (!value || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key, inner]) => !left_out(key, inner));
  kept.sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(kept.map(([key, inner]) => [key, bare(inner)]));
};
const text = value => JSON.stringify(bare(value));
for (const { game: described, seen } of given[0]) {
  const game = new Game(described);
  for (const [step, by] of seen.entries()) {
    for (const [seat, want] of by.entries()) {
      const got = text(game.seen(game.positions[step], seat));
      if (got !== text(want)) return [described.env, step, seat, got, text(want)];
    }
  }
}
return given[0].length;
"""


def test_a_seat_knows_on_the_page_what_it_knows_in_play(window: Browser, watch: Watch) -> None:
    watch("OneVsOne-v0")
    held = json.loads(gzip.decompress((REPOSITORY / "arena/scene/testdata/seen.json.gz").read_bytes()))
    assert window.run(UNLIKE, held) == len(held) == 5


def test_events_and_cards_are_those_of_the_seat(window: Browser, watch: Watch) -> None:
    watch("PommeTeamCompetition-v0", "&step=15&view=0")
    look = """
        const { game, position } = shown();
        return [game.events.length, all(".seat .counts b").map(b => b.textContent).join(""),
            position.bombs.flatMap(b => b.reach).length, byId("marks").textContent + byId("marks").innerHTML];
    """
    window.run("byId('reach').click()")
    known, counts, _, marks = window.run(SHOWN + look)
    assert counts == "", "what others have laid and taken is hidden"
    window.run("byId('dim').click()")
    whole, counts, _, all_marks = window.run(SHOWN + look)
    assert known < whole
    assert counts.isdigit()
    assert marks != all_marks, "the timeline marks what the seat knows"
    dimmed, seen = window.run(
        SHOWN
        + """
        const { dims, game, position } = shown();
        const cells = [...position.ground].map((_, cell) => cell);
        return [cells.filter(dims), cells.filter(cell => game.sees(position, 0, cell))];
        """
    )
    assert sorted(dimmed + seen) == list(range(121))
    assert dimmed
    window.press("d")
    assert window.run(SHOWN + look)[0] == known


def test_coordinates_on_request(window: Browser, watch: Watch) -> None:
    """Rows and columns have their numbers, and figures the letters of texts for language models."""
    drawn = """
      const { sprites } = pommego.sprites, { stamp } = sprites, marks = [];
      sprites.stamp = (pen, cell, mark) => marks.push(mark);
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "c", bubbles: true }));
      sprites.stamp = stamp;
      const of = name => marks.filter(({ sprite }) => sprite === name).map(({ text }) => text);
      return [byId("named").checked, of("row"), of("column"), of("letter")];
    """
    watch("BaseWar-v0")
    named, rows, columns, letters = window.run(drawn)
    assert named
    assert rows == columns == [str(i) for i in range(len(rows))]
    assert len(rows) > 8
    assert sorted(letters) == list("ABCDEF")
    assert window.run(drawn)[1:] == [[], [], []]


def test_without_the_token_nothing_is_shown(window: Browser, served: str) -> None:
    window.open(served.partition("#")[0], "#message")
    assert "token" in window.run("return byId('message').textContent")
    assert "401" in window.complaints()[0]


def test_what_cannot_be_shown_leaves_nothing_under_its_address(window: Browser, served: str) -> None:
    go = "const a = new URLSearchParams(location.hash.slice(1)); a.set(given[0], given[1]);"
    message = "return byId('message').textContent"
    window.open(f"{served}&game=1", "#where")
    window.run(go + "location.hash = a", "game", "99")
    browser.until(lambda: "99" in window.run(message))
    assert "game 99" in window.run("return byId('title').textContent")
    assert window.run("return all('#games *').length") == 0
    window.run(go + "a.delete('game'); location.hash = a", "token", "another")
    browser.until(lambda: "token" in window.run(message))
    window.complaints()  # the browser's own, of the refused requests


def test_the_address_is_of_what_was_asked_for(window: Browser, served: str) -> None:
    """What the user does with the game before, while the next one loads, leaves the address alone."""
    window.open(f"{served}&game=1", "#where")
    asked, while_it_loads, title = window.run("""
      const real = window.fetch, pause = ms => new Promise(done => setTimeout(done, ms));
      let load;
      const loaded = new Promise(done => { load = done; });
      window.fetch = async (url, ...rest) => {
        if (url.endsWith("game/2")) await loaded;
        return real(url, ...rest);
      };
      await pause(300); // until the address of the first game is written
      location.hash = location.hash.replace(/game=1/, "game=2");
      await pause(50);
      const asked = location.hash;
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      await pause(400);
      const now = location.hash;
      load();
      await until(() => byId("title").textContent.endsWith("game 2"));
      window.fetch = real;
      return [asked, now, byId("title").textContent];
    """)
    assert asked == while_it_loads
    assert title.endswith("game 2")


def test_a_game_plays_at_one_speed(window: Browser, served: str) -> None:
    """However fast one stops and goes on, one frame is asked for at a time."""
    window.open(f"{served}&game=1", "#where")
    waiting = """
      const { player } = pommego.stage, asked = new Set();
      const ask = window.requestAnimationFrame, drop = window.cancelAnimationFrame;
      window.requestAnimationFrame = () => { asked.add(asked.size + 1); return asked.size; };
      window.cancelAnimationFrame = number => asked.delete(number);
      player.go(0);
      const idle = asked.size;
      player.run(true);
      const once = asked.size;
      player.go(0);
      player.run(true);
      [window.requestAnimationFrame, window.cancelAnimationFrame] = [ask, drop];
      return [once - idle, asked.size - idle];
    """
    once, again = window.run(waiting)
    assert again == once > 0


def test_large_seeds(window: Browser, served: str) -> None:
    """They are texts, whether a file has them as numbers or as texts, and are sorted as numbers."""
    window.open(served, "#listing tbody")
    read = "window.fetch = async () => new Response(given[0]);"
    read += "return (await pommego.server.server.ask('', '')).seed"
    assert [window.run(read, f'{{"seed": {seed}}}') for seed in ("7", f"{2**63}", f'"{2**63}"')] == [
        7,
        str(2**63),
        str(2**63),
    ]
    games = [{"game": i, "seed": seed} for i, seed in enumerate([str(2**64 - 1), 20, str(2**63), None, 3])]
    found = "return new pommego.listing.Listing({ games: given[0] }, () => '').found({ sort: 'seed' })"
    assert [game["game"] for game in window.run(found, games)] == [3, 4, 1, 2, 0]


def test_one_file_from_disk(window: Browser, binary: Path, games: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    number = IDS.index("PommeTeamCompetition-v0") + 1
    subprocess.run(
        [binary, "replay", games, "--game", str(number), "--html", page], check=True, capture_output=True
    )
    record = json.loads(gzip.decompress(GOLDEN["PommeTeamCompetition-v0"].read_bytes()))
    window.requests()
    window.open(f"{page.as_uri()}#step=40", "#where")
    last = record["steps"][-1]["step_count"]
    assert window.run("return byId('where').value") == f"40 / {last}"
    window.press(KEYS["end"])
    assert window.run("return byId('where').value") == f"{last} / {last}"
    assert "simple" in window.run("return byId('about').textContent")
    assert {url.partition("#")[0] for url in window.requests() if url != "about:blank"} == {page.as_uri()}


def test_in_a_notebook(window: Browser, games: Path, tmp_path: Path) -> None:
    """What a notebook shows is the page of one file, in a frame."""
    video = pommego.watch(games, game=IDS.index("OneVsOne-v0") + 1)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><p>Out[1]:</p>{video._repr_html_()}", encoding="utf-8")
    window.open(notebook.as_uri(), "p")
    window.driver.switch_to.frame(0)
    read = "return document.getElementById('where').value"
    browser.until(lambda: window.driver.execute_script(read).startswith("0 / "))
    window.driver.execute_script("document.getElementById('step-on').click()")
    time.sleep(0.5)  # in which it would write the address
    assert window.driver.execute_script(read).startswith("1 / ")
    window.driver.switch_to.default_content()


# Does something with the list of games, and waits until the games are there that it asks for.
ASK = """
const before = all(".found")[0];
if (given[0] === "sort") all("#listing thead button").find(b => b.textContent.startsWith(given[1])).click();
else {
  const [find] = all("input[type=search]");
  find.value = given[1];
  find.dispatchEvent(new Event("input"));
}
await until(() => all(".found")[0] !== before);
return all("#listing tbody tr").map(row => [...row.children].map(cell => cell.textContent));
"""


def test_list_of_games(window: Browser, served: str) -> None:
    window.open(served, "#listing tbody")
    rows = "return all('#listing tbody tr').map(row => row.textContent)"
    assert len(window.run(rows)) == len(IDS)
    up = [int(row[3]) for row in window.run(ASK, "sort", "Steps")]
    assert up == sorted(up)
    assert len(set(up)) > 3
    down = window.run(ASK, "sort", "Steps")
    assert [int(row[3]) for row in down] == sorted(up, reverse=True)
    ties = window.run(ASK, "find", "tie")
    assert 0 < len(ties) < len(IDS)
    assert all("tie" in row for row in ties)
    assert window.run(ASK, "find", "nobody at all") == []
    window.open(served, "#listing tbody")
    window.run("document.querySelector('#listing tbody a').click()")
    window.run(SHOWN + "await until(() => shown())")
    assert step(window) == 0


def test_many_games(window: Browser, binary: Path, tmp_path: Path) -> None:
    """A long list comes in parts."""
    game = gzip.decompress(GOLDEN["OneVsOne-v0"].read_bytes())
    (tmp_path / "many.jsonl").write_bytes(game * 450)
    with browser.viewing(binary, tmp_path / "many.jsonl") as address:
        window.open(address, ".found")
        counts = [window.run("return all('#listing tbody tr').length")]
        while window.run("return document.querySelector('#listing .finder .button').checkVisibility()"):
            window.run(
                "document.querySelector('#listing .finder .button').click();"
                "await until(() => all('#listing tbody tr').length > given[0])",
                counts[-1],
            )
            counts.append(window.run("return all('#listing tbody tr').length"))
        assert counts == [200, 400, 450]
        last = window.run("return all('#listing tbody tr').at(-1).firstChild.textContent")
        assert last == "450"
        assert window.run(ASK, "sort", "Game")[0][0] == "450"


@pytest.fixture(scope="module")
def tournament(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small finished tournament."""
    folder = tmp_path_factory.mktemp("tournament") / "results"
    command = (
        "tournament --env OneVsOne-v0 --format round-robin --agents simple,random,mcts:ticks=100 --games 4"
    )
    subprocess.run([binary, *command.split(), "--out", folder], check=True, capture_output=True)
    return folder


def test_tournament(window: Browser, binary: Path, tournament: Path) -> None:
    results = json.loads((tournament / "results.json").read_text())
    with browser.viewing(binary, tournament) as address:
        window.open(address, ".finder tbody")
        tables = window.run(
            "return all('#listing table').map(t => [t.caption.textContent,"
            " [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))])"
        )
        (_, ratings), (_, pairs), (_, games) = tables
        best = max(results["standings"], key=lambda standing: standing["rating"]["value"])
        assert ratings[0][0] == best["agent"]
        assert ratings[0][1] == f"{best['rating']['value']:.0f}"
        assert (len(ratings), len(pairs), len(games)) == (3, 3, 12)
        pair = results["pairs"][0]
        decided = pair["row_only"] + pair["col_only"]
        assert f"n={decided}" in pairs[0][2]
        window.run("all('.share a')[0].click(); await until(() => location.hash.includes('against'))")
        window.run("await until(() => all('.found')[0]?.textContent.startsWith('4 of 12'))")
        played = [row for row in games if "mcts" in row[1]]
        window.open(f"{address}&game={played[0][0]}", "#where")
        steps, bars, said = window.run(
            SHOWN
            + """
            const { game } = shown();
            byId("at").value = game.positions.findIndex(position => position.thoughts);
            byId("at").dispatchEvent(new Event("input"));
            return [game.last, all(".bars li").length, all(".bars").map(e => e.textContent).join()];
            """
        )
    assert str(steps) == played[0][3]  # it was played again, as it was
    assert bars == 6
    assert "visits" in said


def test_data_set(window: Browser, binary: Path, tmp_path: Path) -> None:
    command = "generate --agents simple,random --games 6 --seed 4"
    subprocess.run([binary, *command.split(), "--out", tmp_path / "ffa"], check=True, capture_output=True)
    with browser.viewing(binary, tmp_path / "ffa") as address:
        window.open(address, "#listing tbody")
        games = window.run("return all('#listing tbody tr').map(r => [...r.cells].map(c => c.textContent))")
        assert [row[0] for row in games] == ["0", "1", "2", "3", "4", "5"]
        window.open(f"{address}&game=3", "#where")
        last, names = window.run(SHOWN + "const { game } = shown(); return [game.last, game.head.names]")
    assert (str(last), ", ".join(names)) == (games[3][3], games[3][1])


SCREENS = [(1280, 860, 1), (390, 844, 3), (320, 600, 2)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "height", "density"), SCREENS)
def test_fits_every_screen(
    width: int, height: int, density: int, dark: bool, window: Browser, watch: Watch, served: str
) -> None:  # fmt: skip
    window.window(width, height, density=density, dark=dark)
    watch("PommeTeamCompetition-v0", "&step=60")
    wide, sharp, scheme = window.run("""
      const board = document.querySelector("#games canvas");
      const page = document.documentElement;
      return [page.scrollWidth, board.width / board.clientWidth, getComputedStyle(page).colorScheme];
    """)
    assert wide <= width
    assert sharp == pytest.approx(density, rel=0.05)  # drawn in the screen's own pixels
    assert scheme == ("dark" if dark else "light")
    window.open(served, "#listing tbody")
    assert window.run("return document.documentElement.scrollWidth") <= width


# The mean colour of each cell: what a picture of the board comes down to.
COLOURS = """
const [board] = all("#games canvas"), { rows, cols } = pommego.stage.shown().game.head;
const small = new OffscreenCanvas(cols, rows), pen = small.getContext("2d");
pen.imageSmoothingQuality = "high";
pen.drawImage(board, 0, 0, cols, rows);
const data = pen.getImageData(0, 0, cols, rows).data;
return Array.from({ length: rows * cols }, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
"""
PICTURES = Path(__file__).with_name("testdata") / "browser_colours.json"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("id", SHORT)
def test_boards_look_as_they_did(
    id: str, dark: bool, window: Browser, watch: Watch, request: pytest.FixtureRequest
) -> None:
    window.window(1280, 860, dark=dark)
    watch(id, "&step=33")
    colours = window.run(COLOURS)
    known = json.loads(PICTURES.read_text()) if PICTURES.exists() else {}
    name = f"{id} {'dark' if dark else 'light'}"
    if request.config.getoption("--new-pictures"):
        known[name] = colours
        PICTURES.parent.mkdir(exist_ok=True)
        PICTURES.write_text(json.dumps(known, separators=(",", ":")) + "\n")
        return
    far = [
        (cell, got, want)
        for cell, (got, want) in enumerate(zip(colours, known[name], strict=True))
        if max(abs(a - b) for a, b in zip(got, want, strict=True)) > 24
    ]
    assert not far, "cells have other colours; look at them, and then run with --new-pictures"


def test_needed_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        browser.needed()
