"""What mattered in a game: found, marked, listed and shown, in all pages; and pages that hold still."""

from __future__ import annotations

import gzip
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import browser
import pommego
from browser import Browser
from conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("silent")

GAMES = ["PommeFFACompetition-v0", "PommeTeamCompetition-v0", "BaseWar-v0", "SuiteBot-v0"]
SHOWN = "const { game, position, view } = pommego.stage.shown();"
LISTED = """
return all(".moments li").map(li => {
  const [step, ...words] = li.textContent.match(/^\\d+|.+/g);
  return [Number(step), words.join(""), li.className];
});
"""


@pytest.fixture(scope="module")
def served(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page of recorded games of all kinds."""
    file = tmp_path_factory.mktemp("moments") / "games.jsonl"
    golden = [next(REPOSITORY.glob(f"env/*/testdata/golden/{id}.jsonl.gz")) for id in GAMES]
    file.write_bytes(b"".join(gzip.decompress(path.read_bytes()).splitlines(True)[0] for path in golden))
    with browser.viewing(binary, file) as address:
        yield address


def look(window: Browser) -> tuple[int, list[tuple[int, str]]]:
    """Return the step that is shown, and the moments that are listed."""
    listed = [(step, words) for step, words, _ in window.run(LISTED)]
    return window.run(SHOWN + "return position.step"), listed


@pytest.mark.parametrize("number", range(1, len(GAMES) + 1), ids=GAMES)
def test_moments_are_listed_marked_and_gone_to(number: int, window: Browser, served: str) -> None:
    window.open(f"{served}&game={number}", ".moments li")
    _, listed = look(window)
    deaths, marks = window.run(
        SHOWN
        + """
        const died = game.events.filter(e => e.event === "died").map(e => game.positions[e.index].step);
        return [died, all("#marks span").map(mark => [mark.title, mark.getBoundingClientRect().left])];
        """
    )
    for step in deaths:
        assert any(at == step for at, _ in listed)
    assert not any("picked up" in words or "laid" in words for _, words in listed)
    assert [title for title, _ in marks] == [words for _, words in listed]
    assert [left for _, left in marks] == sorted(left for _, left in marks)
    stops = sorted({step for step, _ in listed})
    window.press("\ue011")  # home
    for stop in [stop for stop in stops if stop > 0][:4]:
        window.press("n")
        assert look(window)[0] == stop
    for stop in reversed([stop for stop in stops if stop > 0][:3]):
        window.press("p")
        assert look(window)[0] == stop
    for at in (0, len(listed) - 1):
        window.run("all('.moments li button')[given[0]].click()", at)
        assert look(window)[0] == listed[at][0]
        window.run("all('#marks span')[given[0]].click()", at)
        assert look(window)[0] == listed[at][0]
    assert window.run("return all('.moments li.now').length") == 1


@pytest.mark.parametrize("number", range(1, len(GAMES) + 1), ids=GAMES)
def test_the_end_says_what_decided_it_and_leads_there(number: int, window: Browser, served: str) -> None:
    window.open(f"{served}&game={number}", ".moments li")
    title, how = window.run("return all('.end h2, .end p').map(e => e.textContent)")
    status, last = window.run(SHOWN + "const end = game.at(game.last); return [end.status, end.step]")
    assert title.startswith({"Win": "Won by ", "Tie": "A tie"}[status["result"]])
    window.run("document.querySelector('.end button').click()")
    shown, listed = look(window)
    if how.startswith("after"):
        assert how == f"after {last} steps"
    else:
        words, _, step = how.rpartition(", step ")
        assert (shown, words) in listed
        assert int(step) == shown


def test_no_death_decides_where_the_dead_come_back(window: Browser, served: str) -> None:
    window.open(f"{served}&game=1", ".moments li")
    how = """
      const { head, positions: [first] } = pommego.stage.shown().game;
      const died = { event: "died", seat: 1, at: [1, 1], what: "move" };
      const ended = { event: "ended", by: [0], since: 40 };
      const status = { over: true, result: "Win", winners: [0], in: [0, 1] };
      const steps = [{ ...first, step: 40, status, events: [died, ended] }];
      const game = new pommego.game.Game({ ...head, game: given[0], steps });
      return new pommego.moments.Moments(game, () => {}).how.textContent;
    """
    assert window.run(how, "suitebot") == "after 40 steps"
    assert "collision, step 40" in window.run(how, "basewar")


def test_a_seat_has_moments_of_its_own(window: Browser, served: str) -> None:
    window.open(f"{served}&game=2", ".moments li")
    _, whole = look(window)
    for seat in range(4):
        window.press("v")
        _, own = look(window)
        assert len(own) <= len(whole)
        assert not any("took the lead" in words for _, words in own), "which nobody in fog knows"
        assert window.run("return all('#marks span').map(e => e.title)") == window.run(
            SHOWN + "return game.moments.map(e => pommego.game.inWords(game, e))"
        )
        assert window.run("return all('#marks span').length") == len(own)
        unseen = window.run(
            SHOWN + "return game.events.filter(e => e.event === 'died' && !e.at).map(e => game.who(e.seat))"
        )
        for who in unseen:
            assert any(words == f"{who} died" for _, words in own), "not by whom"
        assert window.run("return all('.seat.eyes').length") == 1, seat


def test_a_click_looks_through_the_eyes_of_a_seat(window: Browser, served: str) -> None:
    window.open(f"{served}&game=2", ".moments li")
    viewer = SHOWN + "return game.viewer"
    window.run("all('.seat .who')[2].click()")
    assert window.run(viewer) == 2
    window.run("all('.seat .who')[2].click()")
    assert window.run(viewer) == -1, "and back"
    place = """
      const { left, top, width } = document.querySelector("#games canvas").getBoundingClientRect();
      const [row, col] = position.agents.find(a => a.seat === 1).at, cell = width / game.head.cols;
      return [left + (col + 0.5) * cell, top + (row + 0.5) * cell];
    """
    x, y = window.run(SHOWN + place)
    for kind in ("mousePressed", "mouseReleased"):
        mouse = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        window.driver.execute_cdp_cmd("Input.dispatchMouseEvent", mouse)
    assert window.run(viewer) == 1


def test_the_chart_begins_with_the_advantage(window: Browser, served: str) -> None:
    for number in range(1, len(GAMES) + 1):
        window.open(f"{served}&game={number}", ".moments li")
        window.press("\ue010")  # end
        kind, keys, areas, wanted = window.run(
            SHOWN
            + """
            const keys = all(".chart li:not([hidden])").map(li => li.textContent), { advantage } = position;
            const wanted = game.head.teams.map((team, i) => `${team.join(" and ")}: ${advantage[i]} %`);
            return [document.querySelector(".chart select").value, keys, all(".chart .area").length, wanted];
            """
        )
        assert (kind, keys) == ("advantage", wanted)
        assert areas == window.run(SHOWN + "return game.head.teams.length")


def test_counts_stand_in_four_columns(window: Browser, served: str) -> None:
    window.open(f"{served}&game=1&step=60", ".moments li")
    lefts, texts = window.run("""
      const cards = all(".seat").map(card => [...card.querySelectorAll(".counts span")]);
      const left = element => element.getBoundingClientRect().left;
      const from = span => left(span) - left(span.closest("li"));
      return [cards.map(spans => spans.map(from)), cards.map(spans => spans.map(s => s.textContent))];
    """)
    assert {len(text) for text in texts} == {4}
    assert all(left == pytest.approx(lefts[0], abs=1) for left in lefts)
    counts = window.run(SHOWN + "return position.counts")
    names = ["kills", "bombs", "wood", "items"]
    wanted = [[(counts[name][seat], name) for name in names] for seat in range(4)]
    assert texts == [
        [f"{n}{name.removesuffix('s') if n == 1 else name}" for n, name in seat] for seat in wanted
    ]


# Sums up how far what is seen jumps by itself.
WATCH = """
globalThis.shift = 0;
globalThis.moved = [];
new PerformanceObserver(list => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    shift += value;
    moved.push([value, sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 80))]);
  }
}).observe({ type: "layout-shift" });
"""


@pytest.fixture(scope="module")
def radio(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded game in which agents search and speak."""
    path = tmp_path_factory.mktemp("moments") / "radio.jsonl"
    match = "play --env PommeRadioCompetition-v2 --agents champion,simple,champion,simple --seed 5 --quiet"
    subprocess.run([binary, *match.split(), "--record", path], check=True, capture_output=True)
    return path


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (390, 844)])
def test_nothing_jumps_while_a_recorded_game_plays(
    width: int, height: int, window: Browser, binary: Path, radio: Path
) -> None:
    window.window(width, height)
    with browser.viewing(binary, radio) as address:
        window.open(f"{address}&game=1", "#where")
        window.run("await new Promise(done => setTimeout(done, 600));" + WATCH)
        window.run(
            "byId('speed').value = 8; byId('speed').dispatchEvent(new Event('change')); byId('play').click()"
        )
        window.run("await until(() => !all('.playing').length)")
        assert window.run("return shift") < 0.05, window.run("return moved")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_nothing_jumps_in_play(width: int, height: int, window: Browser, binary: Path) -> None:
    """From the first step over the person's death to the end."""
    match = [
        "--env",
        "PommeRadioCompetition-v2",
        "--agents",
        "human:speed=40,champion,simple,simple",
        "--seed",
        "3",
    ]
    window.window(width, height)
    with browser.match(binary, *match) as (_, address):
        window.open(address, "#turn")
        window.run("await new Promise(done => setTimeout(done, 600));" + WATCH)
        window.run("await until(() => byId('verdict').checkVisibility())")
        window.run("await new Promise(done => setTimeout(done, 300))")
        assert window.run("return shift") < 0.05, window.run("return moved")
        assert window.run("return all('.moments li').length") > 2
        window.driver.get("about:blank")


def test_the_end_of_a_match_of_ones_own_is_shown(window: Browser, binary: Path) -> None:
    match = ["--env", "OneVsOne-v0", "--agents", "human:speed=20,simple", "--seed", "7"]
    with browser.match(binary, *match) as (_, address):
        window.open(address, "#turn")
        window.press(" ")
        window.run("await until(() => byId('verdict').checkVisibility())")
        title, how = window.run("return all('.end h2, .end p').map(e => e.textContent)")
        assert title.startswith(("Won by", "A tie"))
        at = int(how.rpartition(" ")[2])
        seen: list[Any] = window.run(
            """
            const seen = [];
            document.querySelector(".end button").click();
            await until(() => {
              const { position, game } = pommego.stage.shown();
              if (seen.at(-1) !== position.step) seen.push(position.step);
              return position.step === game.at(game.last).step;
            });
            return seen;
            """
        )
        assert seen[0] < at <= seen[-1], "the steps before it play"
        window.run("document.querySelector('#share summary').click()")
        share = "all('#share li button').map(button => button.textContent)"
        window.run(f"await until(() => {share}.includes('GIF of the game'))")
        window.driver.get("about:blank")


def test_moments_of_a_running_environment(window: Browser) -> None:
    with pommego.make_vec("OneVsOne-v0", 1, opponents=["static"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(envs.web_address, "#about")
        browser.until(lambda: window.run("return pommego.stage.state().positions"))
        action, over = 5, False
        while not over:  # it lays a bomb and stays there
            _, _, terminated, _, _ = envs.step(np.array([action]))
            action, over = 0, terminated[0]
            time.sleep(0.06)  # so that each step is kept
        browser.until(lambda: window.run(LISTED))
        _, listed = look(window)
        title, how = window.run("return all('.end h2, .end p').map(e => e.textContent)")
        window.driver.get("about:blank")
    died = f"learner (0) was killed by its own bomb, step {listed[-1][0]}"
    assert (title, how) == ("Won by static (1)", died)
    assert [words for _, words in listed if "no way out" in words or "killed" in words]


def test_back_finds_the_list_as_far_down(window: Browser, binary: Path, tmp_path: Path) -> None:
    game = gzip.decompress(next(REPOSITORY.glob("env/*/testdata/golden/OneVsOne-v0.jsonl.gz")).read_bytes())
    (tmp_path / "many.jsonl").write_bytes(game * 450)
    with browser.viewing(binary, tmp_path / "many.jsonl") as address:
        window.open(address, ".found")
        window.run("document.querySelector('#listing .finder .button').click()")
        window.run("await until(() => all('#listing tbody tr').length === 400)")
        window.run("all('#listing tbody tr')[380].scrollIntoView({ block: 'center' })")
        before = window.run("return scrollY")
        assert before > 5000
        window.run("all('#listing tbody a')[380].click()")
        window.run("await until(() => pommego.stage.shown())")
        window.driver.back()
        window.run("await until(() => document.body.dataset.page === 'list')")
        after = window.run("return [all('#listing tbody tr').length, scrollY]")
    assert after == [400, pytest.approx(before, abs=2)]


def test_visits_that_are_all_alike_show_values(window: Browser, served: str) -> None:
    """A move that is worth less has a shorter bar; visits that tell moves apart stay what bars show."""
    widths = """
      const { Game } = pommego.game, { Bars } = pommego.thoughts;
      const actions = [{ name: "move", n: 4, names: ["stop", "up", "down", "left"] }];
      const head = { ...pommego.stage.shown().game.head, actions };
      const thought = { seat: 0, visits: given[0], values: given[1] };
      const position = { ...pommego.stage.shown().game.at(0), thoughts: [thought], actions: [[1]] };
      const game = new Game({ ...head, steps: [position] }), bars = new Bars(game, 0);
      bars.show(game.at(0));
      const filled = [...bars.list.children].map(li => li.querySelector(".bar > *"));
      return filled.map(bar => Number(bar.style.getPropertyValue("--share")));
    """
    window.open(f"{served}&game=1", ".moments li")
    alike = window.run(widths, [1, 1, 1, 0], [-5882, 924, 100, None])
    assert alike[1] == 1
    assert alike[0] < 0.05 < alike[2] < 1
    assert alike[3] == 0
    assert window.run(widths, [1, 4, 2, 0], [-5882, 924, 1000, None]) == [0.25, 1, 0.5, 0]


def test_pairs_that_never_won_are_not_like_those_that_never_met(window: Browser, served: str) -> None:
    colours = """
      const { Listing } = pommego.listing;
      const pairs = [{ row: "a", col: "b", row_only: 0, col_only: 8, p_value: 0.01 }];
      const table = new Listing({ pairs, games: [] }, () => "#").pairMatrix();
      document.body.append(table);
      const cells = [...table.querySelectorAll("td.share, td.none")];
      return cells.map(cell => getComputedStyle(cell).backgroundColor);
    """
    window.open(f"{served}&game=1", ".moments li")
    none, never, always, _ = window.run(colours)
    assert len({none, never, always}) == 3
    assert none == "rgba(0, 0, 0, 0)"


def test_gif_of_a_kill_and_of_ten_seconds(window: Browser, served: str, tmp_path: Path) -> None:
    window.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    window.open(f"{served}&game=1", ".moments li")
    kills = window.run(
        SHOWN + "return game.events.filter(e => e.event === 'died').map(e => game.positions[e.index].step)"
    )
    window.run("all('.moments li.died button').at(-1).click()")
    window.requests()
    for words in ("GIF of this kill", "GIF of the last ten seconds"):
        window.run(
            """
            if (!byId("share").open) byId("share").firstChild.click();
            await until(() => all("#share li button").length);
            const named = name => all("#share li button").find(button => button.textContent === name);
            named(given[0]).click();
            await until(() => named(`${given[0]}: done`));
            """,
            words,
        )
    asked = [url for url in window.requests() if "/gif?" in url]
    assert f"to={kills[-1] + 4}" in asked[0]
    assert f"from={kills[-1] - 100}&to={kills[-1]}" in asked[1]
    browser.until(lambda: len(list(tmp_path.glob("*.gif"))) == 2)
    sizes = {path.name: path.read_bytes()[6:10] for path in tmp_path.glob("*.gif")}
    assert any(f"kill at step {kills[-1]}" in name for name in sizes)
    for size in sizes.values():
        width, height = int.from_bytes(size[:2], "little"), int.from_bytes(size[2:], "little")
        assert width == 11 * 48
        assert height > width, "a strip stands below the board"


def test_models_have_their_own_names(window: Browser, served: str) -> None:
    names = """
      const { Game } = pommego.game, { head } = pommego.stage.shown().game;
      const llm = "llm:http://127.0.0.1:8000/v1,model=qwen3,frame_ticks=5";
      return [0, 1].map(seat => new Game({ ...head, names: [llm, "simple"], steps: [] }).name(seat));
    """
    window.open(f"{served}&game=1", ".moments li")
    assert window.run(names) == ["qwen3", "simple"]


def test_a_rematch_ends_the_replay_of_the_match_before(window: Browser, binary: Path) -> None:
    match = ["--env", "OneVsOne-v0", "--agents", "human,static", "--seed", "7"]
    with browser.match(binary, *match) as (_, address):
        window.open(address, "#turn")
        for _ in range(20):
            window.press("x")
        window.run("byId('leave').click(); await until(() => byId('verdict').checkVisibility())")
        window.run("pommego.stage.player.set(0); pommego.stage.player.run(true); byId('again').click()")
        window.run("await until(() => pommego.play.state().asked === 0)")
        seeds = "return [pommego.stage.shown().game.head.seed, pommego.play.state().seed].map(String)"
        shown, played = window.run(seeds)
        assert shown == played != "7"
        assert window.run("return pommego.stage.state().following")
        window.driver.get("about:blank")
