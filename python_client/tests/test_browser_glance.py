"""What is read at a glance: what agents thought, the chart of a game, and the cards of seats."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import browser
from browser import Browser

pytestmark = pytest.mark.usefixtures("silent")

SEARCHED, PLAIN = 1, 2  # the games of the file
WAYS = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
SIGNS = "·↑↓←→"
SHOWN = "const { game, position } = pommego.stage.shown();"


@pytest.fixture(scope="module")
def games(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Two recorded Radio games, the first one between agents of whom two search."""
    folder = tmp_path_factory.mktemp("glance")
    records = []
    for agents in ("champion,simple,champion,simple", "simple"):
        path = folder / f"{agents}.jsonl"
        match = f"play --env PommeRadioCompetition-v2 --agents {agents} --seed 5 --quiet --record"
        subprocess.run([binary, *match.split(), path], check=True, capture_output=True)
        records.append(json.loads(path.read_text()))
    return records


@pytest.fixture(scope="module")
def served(
    binary: Path, games: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    path = tmp_path_factory.mktemp("glance") / "games.jsonl"
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    with browser.viewing(binary, path) as address:
        yield address


def moves(game: dict[str, Any], step: int) -> list[int]:
    """Return what the seats did in a step."""
    return game["steps"][step - 1]["actions"]


def moved(game: dict[str, Any], seat: int) -> int:
    """Return the number of a step in which a seat moved after a search that looked at several ways."""
    for number, step in enumerate(game["steps"][20:], 21):
        thought = next((t for t in step.get("thoughts", []) if t["seat"] == seat), None)
        looked = thought and sum(n > 0 for n in thought["visits"][1:5])
        if looked and looked > 1 and step["actions"][seat] in WAYS:
            return number
    raise AssertionError("nobody has moved")


# The cells of the board that look otherwise than without thoughts, and the white pixels among them.
DRAWN = (
    SHOWN
    + """
const { Board } = pommego.board, made = [];
for (const thoughts of [position.thoughts, undefined]) {
  const canvas = document.createElement("canvas");
  canvas.style.width = "660px";
  document.body.append(canvas);
  const board = new Board(canvas, game);
  board.show({ ...position, thoughts });
  const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  made.push([board.cell, width, data]);
  board.close();
  canvas.remove();
}
const [[cell, width, one], [, , other]] = made, cells = {};
for (let i = 0; i < one.length; i += 4) {
  if (one[i] === other[i] && one[i + 1] === other[i + 1] && one[i + 2] === other[i + 2]) continue;
  const x = i / 4 % width, y = Math.floor(i / 4 / width);
  const at = `${Math.floor(y / cell)},${Math.floor(x / cell)}`;
  const white = one[i] > 250 && one[i + 1] > 250 && one[i + 2] > 250;
  cells[at] ??= [0, 0];
  cells[at][0]++;
  cells[at][1] += white;
}
const before = game.positions.find(p => p.step === position.step - 1);
return [cells, before.agents.map(a => a.at), position.thoughts ?? []];
"""
)


def test_arrows_show_where_a_search_looked(window: Browser, served: str, games: list[dict[str, Any]]) -> None:
    step = moved(games[0], 0)
    chosen = moves(games[0], step)[0]
    for view, thinkers in [("", {0, 2}), ("&view=0", {0}), ("&view=1", set())]:
        window.open(f"{served}&game={SEARCHED}&step={step}{view}", "#where")
        cells, at, thoughts = window.run(DRAWN)
        assert {t["seat"] for t in thoughts} == thinkers
        allowed, arrows = set(), {}
        for thought in thoughts:
            row, col = at[thought["seat"]]
            allowed.add(f"{row},{col}")
            for way, (down, right) in WAYS.items():
                if thought["visits"][way]:
                    arrows[f"{row + down},{col + right}"] = thought["seat"], way
        assert set(cells) <= allowed | set(arrows)
        big = {cell for cell, (changed, _) in cells.items() if changed > 50}
        assert set(arrows) <= big, "each way that was looked at has an arrow into the cell there"
        if 0 in thinkers:
            white = {way: cells[cell][1] for cell, (seat, way) in arrows.items() if seat == 0}
            assert white.pop(chosen) > 2 * max(white.values()), "the chosen way has a white edge"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_bars_use_their_room(
    width: int, height: int, window: Browser, served: str, games: list[dict[str, Any]]
) -> None:
    step = moved(games[0], 0)
    thought = {k: v[:6] for k, v in games[0]["steps"][step - 1]["thoughts"][0].items() if k != "seat"}
    window.window(width, height)
    window.open(f"{served}&game={SEARCHED}&step={step}", "#where")
    head, rows, room = window.run("""
      await Promise.all(document.getAnimations().map(a => a.finished));
      const bars = document.querySelector(".bars"), width = e => e.getBoundingClientRect().width;
      const rows = [...bars.querySelectorAll("li")].map(li => [
        [...li.children].map(e => e.textContent),
        width(li.querySelector(".bar")), width(li.querySelector(".bar > *")),
        li.getAttribute("aria-current"), Number(getComputedStyle(li).fontWeight)]);
      return [[...bars.querySelectorAll("p > span")].map(e => e.textContent), rows, width(bars)];
    """)
    assert head == ["", "visits", "value"], "the units"
    assert [row[0][0] for row in rows] == ["stop", "up", "down", "left", "right", "bomb"]
    assert [int(row[0][2]) for row in rows] == thought["visits"]
    most = max(thought["visits"])
    for (_, bar, filled, made, weight), visits, number in zip(rows, thought["visits"], range(6), strict=True):
        assert bar > 0.4 * room
        assert filled == pytest.approx(bar * visits / most, abs=1)
        chosen = number == moves(games[0], step)[0]
        assert (made == "true", weight > 600) == (chosen, chosen)
    assert [row[0][3] != "" for row in rows] == [value is not None for value in thought["values"]]


def test_chart_of_what_was_expected_and_done(
    window: Browser, served: str, games: list[dict[str, Any]]
) -> None:
    last = len(games[0]["steps"])
    look = """
      const chart = document.querySelector(".chart");
      const plot = chart.querySelector(".plot").getBoundingClientRect();
      const now = chart.querySelector(".now").getBoundingClientRect();
      return { kinds: [...chart.querySelectorAll("option")].map(o => o.textContent),
        now: (now.left + now.width / 2 - plot.left) / plot.width,
        keys: [...chart.querySelectorAll("li")].map(li => li.textContent),
        lines: [...chart.querySelectorAll("path")].map(p => p.getAttribute("d").split("L").length) };
    """
    click = """
      const plot = document.querySelector(".plot");
      plot.scrollIntoView();
      const { left, top, width, height } = plot.getBoundingClientRect();
      return [left + width * given[0], top + height / 2];
    """
    pick = "const [s] = all('.chart select'); s.value = given[0]; s.dispatchEvent(new Event('change'))"
    window.open(f"{served}&game={SEARCHED}&step=0", "#where")
    for share in (0.25, 0.8):
        x, y = window.run(click, share)
        for kind in ("mousePressed", "mouseReleased"):
            mouse = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
            window.driver.execute_cdp_cmd("Input.dispatchMouseEvent", mouse)
        step = int(window.run("return byId('where').value").split()[0])
        assert step == pytest.approx(last * share, abs=1)
        seen = window.run(look)
        assert seen["now"] == pytest.approx(step / last, abs=0.01)
    assert seen["kinds"][:2] == ["advantage", "value expected"]
    assert {"wood", "bombs", "rewards in sum"} <= set(seen["kinds"])
    window.run(pick, "value expected")
    seen = window.run(look)
    thoughts = {t["seat"]: t for t in games[0]["steps"][step - 1]["thoughts"]}
    for seat in range(4):
        key, move = seen["keys"][seat], moves(games[0], step)[seat]
        told = f"{thoughts[seat]['values'][move]}" if seat in thoughts else "\u2013"
        assert key == f"{seat}: {told}"
        expected = sum(any(t["seat"] == seat for t in s.get("thoughts", [])) for s in games[0]["steps"])
        assert seen["lines"][seat] == max(1, expected) if seat % 2 == 0 else seen["lines"][seat] == 1
    window.run(pick, "bombs")
    window.press("\ue010")  # end
    bombs = window.run(SHOWN + "return position.counts.bombs")
    assert window.run(look)["keys"] == [f"{seat}: {n}" for seat, n in enumerate(bombs)]
    for view, kinds in [(0, ["value expected", "rewards in sum"]), (1, ["rewards in sum"])]:
        window.run(f"byId('view').value = {view}; byId('view').dispatchEvent(new Event('change'))")
        seen = window.run(look)
        assert seen["kinds"] == kinds, "a seat knows its own thoughts alone, and no counts in this game"
    window.open(f"{served}&game={PLAIN}&step=0", "#where")
    assert "value expected" not in window.run(look)["kinds"]


CARDS = """
const icons = part => part.querySelectorAll("canvas").length;
return all(".seat").map(card => {
  const [did, said, state] = [".did", ".said", ".state"].map(part => card.querySelector(part));
  return {
    facts: [...card.querySelectorAll(".facts > span")].map(s => [icons(s), s.textContent]),
    did: did.textContent, label: did.ariaLabel, icons: icons(did), hidden: !did.checkVisibility(),
    said: said.textContent, out: card.classList.contains("out"), state: state.textContent,
    grey: getComputedStyle(card.querySelector("canvas")).filter, bubble: getComputedStyle(said).borderRadius,
  };
});
"""


def test_cards_have_icons_and_the_last_action(
    window: Browser, served: str, games: list[dict[str, Any]]
) -> None:
    for step in (8, 15, 30):
        window.open(f"{served}&game={PLAIN}&step={step}", "#where")
        cards = window.run(CARDS)
        agents = window.run(SHOWN + "return position.agents")
        for seat, (card, agent) in enumerate(zip(cards, agents, strict=True)):
            assert not card["out"]
            wanted = [[1, f"{agent.get('ammo', 0)} bombs ready"], [1, f"{agent['blast']} blast"]]
            assert card["facts"] == wanted + ([[1, " kicks"]] if agent.get("kicks") else [])
            action = moves(games[1], step)[seat]
            if action < 5:
                assert card["did"] == SIGNS[action]
            else:
                assert card["icons"] == 1
            assert card["label"].split()[0] == ["stop", "up", "down", "left", "right", "bomb"][action]


def test_words_of_teammates_are_bubbles(window: Browser, served: str) -> None:
    for view, speakers in [(-1, {0, 1, 2, 3}), (0, {0, 2}), (1, {1, 3})]:
        window.open(f"{served}&game={SEARCHED}&step=30&view={view}", "#where")
        cards, said = window.run(CARDS), window.run(SHOWN + "return position.said")
        words = {m["seat"]: " ".join(map(str, m["words"])) for m in said if any(m["words"])}
        assert words or view == 1, "simple says nothing"
        assert set(words) <= speakers
        for seat, card in enumerate(cards):
            assert card["said"] == (f"says {words[seat]}" if seat in words else "")
            assert card["bubble"] != "0px" or not card["said"]


def test_cards_of_the_dead_say_how_and_when(window: Browser, served: str) -> None:
    window.open(f"{served}&game={SEARCHED}", "#where")
    window.press("\ue010")  # end
    died = window.run(
        SHOWN
        + """
        return game.events.filter(e => e.event === "died").map(e => [
          e.seat, game.positions[e.index].step, (e.by ?? []).map(s => game.who(s))]);
        """
    )
    assert died
    cards = window.run(CARDS)
    for seat, step, by in died:
        told = cards[seat]["facts"][0][1]
        assert told.endswith(f"at step {step}")
        assert told.startswith("killed by")
        assert all(name in told or name.endswith(f"({seat})") for name in by)
        assert (cards[seat]["out"], cards[seat]["state"]) == (True, "out")
        assert "grayscale(1)" in cards[seat]["grey"]
        window.run("byId('at').value = given[0]; byId('at').dispatchEvent(new Event('input'))", step - 1)
        assert not window.run(CARDS)[seat]["out"], "not before"
        window.press("\ue010")
    unseen = False
    for view in range(4):
        window.run("byId('view').value = given[0]; byId('view').dispatchEvent(new Event('change'))", view)
        known = window.run(
            SHOWN + "return game.events.filter(e => e.event === 'died' && !e.at).map(e => e.seat)"
        )
        cards = window.run(CARDS)
        for seat, step, _ in died:
            if seat in known:
                unseen = True
                assert cards[seat]["facts"] == [[0, f"died at step {step}"]], "out of its sight"
    assert unseen
