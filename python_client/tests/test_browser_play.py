"""Choosing a match on the page, playing it by keys and touch, and what comes after it."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

import browser
import pommego
from browser import Browser

pytestmark = pytest.mark.usefixtures("silent")

STATE = "return globalThis.pommego?.play?.state() ?? {}"
DUEL = ["--env", "OneVsOne-v0", "--agents", "human,static"]
FOUR = ["--env", "PommeFFACompetition-v0", "--agents", "human,static,static,static"]
RADIO = ["--env", "PommeRadioCompetition-v2", "--agents", "human,static,static,static"]


def state(window: Browser) -> dict[str, Any]:
    """Return what the page of a match knows."""
    return window.run(STATE)


def begun(window: Browser, address: str) -> None:
    """Open the page of a match and wait until it asks for a move."""
    window.open(address, "#turn")
    browser.until(lambda: state(window).get("asked") == 0)


def dies(window: Browser) -> None:
    """Lay a bomb and stay on it until it has exploded."""
    window.press(" ")
    for step in range(1, 40):
        browser.until(lambda step=step: state(window).get("asked") == step or not lives(window))
        if not lives(window):
            return
        window.press("x")
    raise AssertionError("the person lives on")


def lives(window: Browser) -> bool:
    """Return whether the agent of seat 0 lives."""
    now = state(window)
    return not now["over"] and any(agent["seat"] == 0 and agent["alive"] for agent in now["agents"])


def click(window: Browser, id: str) -> None:
    """Click on a button."""
    window.run("byId(given[0]).click()", id)


def text(window: Browser, id: str) -> str:
    """Return what stands in an element that is seen, else nothing."""
    return window.run("const e = byId(given[0]); return e.checkVisibility() ? e.textContent : ''", id)


def leaves(window: Browser, process: Popen[str]) -> int:
    """Close the page and return the command's exit code."""
    window.driver.get("about:blank")
    return process.wait(timeout=20)


CHOICES = "return all('#sitting [name=agent]')[1].textContent"
CHOSEN = "return new FormData(byId('start')).get(given[0])"
PICK = "all(`[name=${given[0]}]`).find(choice => choice.value === given[1]).click()"
SET = """
const [id, value] = given, list = byId(id) ?? document.querySelector(id);
list.value = value;
list.dispatchEvent(new Event("change"));
"""


def test_a_match_is_chosen_on_the_page(window: Browser, binary: Path, tmp_path: Path) -> None:
    record = tmp_path / "chosen.jsonl"
    with browser.match(binary, "--web", "--seed", "5", "--record", record) as (process, address):
        window.open(address, "#offers")
        assert window.run(CHOSEN, "env") == "PommeFFACompetition-v0"
        assert "champion, level 2" in window.run(CHOICES)
        assert not text(window, "sitting"), "it is under More"
        window.run(PICK, "env", "PommeTeamCompetition-v0")
        assert text(window, "chosen").startswith("Two against two")
        window.run("all('#start summary')[0].click()")
        assert window.run("return all('#sitting li').length") == 4
        seen = "return all('#sitting [name=agent]').map(e => e.checkVisibility({ visibilityProperty: true }))"
        assert window.run(seen) == [False, True, True, True], "nobody is chosen for one's own seat"
        window.run("all('[name=mine]')[2].click()")
        assert window.run(seen) == [True, True, False, True]
        window.run("const s = all('[name=agent]'); s[0].value = 'static'; s[1].value = 'champion:level=2'")
        window.run(SET, "pace", "3")
        window.run("byId('start').requestSubmit()")
        browser.until(lambda: (state(window).get("step") or 0) > 1)
        assert "you are human (2)" in text(window, "title")
        assert window.run("return byId('speed').value") == "3"
        click(window, "leave")
        browser.until(lambda: text(window, "verdict"))
        assert leaves(window, process) == 1, "it was left"
    game = json.loads(record.read_text())
    assert game["policies"] == ["static", "champion:level=2", "human:speed=3", "simple"]
    assert game["seed"] == 5


def test_boards_follow_the_theme_while_one_plays(window: Browser, binary: Path) -> None:
    bright = """
      const [canvas] = all("#offers canvas");
      const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
      pen.drawImage(canvas, 0, 0);
      const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((sum, n) => sum + n) / data.length;
    """
    with browser.match(binary, "--web") as (_, address):
        window.open(address, "#offers")
        browser.until(lambda: "Step 2" in window.run("return byId('show').getAttribute('aria-label')"))
        light = window.run(bright)
        window.window(1280, 860, dark=True)
        browser.until(lambda: window.run(bright) < light - 20)
        window.window(1280, 860)
        browser.until(lambda: window.run(bright) == light)
        window.driver.get("about:blank")


def test_one_click_begins_a_match(window: Browser, binary: Path) -> None:
    """Cards say how strong the others are and which game it is, and champions play meanwhile."""
    agents = "return all('#sitting [name=agent]').map(list => list.value)"
    moving = "return byId('show').getAttribute('aria-label')"
    with browser.match(binary, "--web") as (_, address):
        window.open(address, "#offers")
        ids = window.run("return all('#offers .card').flatMap(e => e.title.split(', '))")
        assert sorted(ids) == sorted(pommego.registration.IDS)
        assert window.run("return all('#offers .card').every(card => card.querySelector('canvas').width > 0)")
        assert window.run("return all('legend').map(e => e.textContent)") == [
            "The others are",
            "Each for itself",
            "Two against two",
            "One against one",
            "Sister games",
        ]
        assert window.run(agents) == ["simple"] * 4
        window.run(PICK, "level", "champion")
        assert window.run(agents) == ["champion:level=5"] * 4
        browser.until(lambda: "Step 2" in window.run(moving))
        for id in ("BaseWar-v0", "SuiteBot-v0"):
            window.run(PICK, "env", id)
            assert re.search("base|points", text(window, "goal")), "it says what one plays for"
        window.run(PICK, "env", "OneVsOne-v0")
        assert window.run(agents) == ["champion:level=5"] * 2
        click(window, "begin")
        browser.until(lambda: state(window).get("asked") == 0)
        assert text(window, "about").startswith("Be the last one alive")
        window.driver.get("about:blank")


def test_a_second_tab_joins_or_stops_a_match(window: Browser, binary: Path) -> None:
    with browser.match(binary, *DUEL, "--seed", "7") as (process, address):
        begun(window, address)
        playing = window.driver.current_window_handle
        window.driver.switch_to.new_window("tab")
        window.open(address.replace("seat=0", ""), "#playing")
        assert text(window, "playing").startswith("A match of OneVsOne-v0 is being played here.")
        assert window.run("return byId('begin').disabled")
        window.run("all('#playing a')[0].click()")
        browser.until(lambda: state(window).get("asked") == 0)
        window.driver.back()
        window.run("await until(() => byId('playing').checkVisibility())")
        window.run("all('#playing button')[0].click()")
        window.run("await until(() => !byId('playing').checkVisibility() && !byId('begin').disabled)")
        window.driver.close()
        window.driver.switch_to.window(playing)
        browser.until(lambda: text(window, "verdict") == "The match was stopped")
        window.driver.get("about:blank")
        assert process.wait(timeout=20) == 1


def test_a_match_that_never_begins_says_why(window: Browser, binary: Path) -> None:
    with browser.match(binary, "--env", "OneVsOne-v0", "--agents", "human,exec:false") as (_, address):
        window.driver.get(address)
        browser.until(lambda: "exec:false is not there" in text(window, "message"))
        window.driver.get("about:blank")


def test_an_open_start_page_can_be_closed(window: Browser, binary: Path) -> None:
    with browser.match(binary, "--web") as (process, address):
        window.open(address, "#offers")
        window.driver.refresh()
        window.run("await until(() => all('#sitting li').length)")
        time.sleep(6)
        assert process.poll() is None, "to load it again is not to close it"
        assert leaves(window, process) == 0


def test_after_a_match(window: Browser, binary: Path, tmp_path: Path) -> None:
    """The page says who has won and why, hands over the record, and begins another match."""
    record = tmp_path / "mine.jsonl"
    seed = "return [byId('title').textContent, globalThis.pommego.play.state().seed]"
    behavior = {"behavior": "allow", "downloadPath": str(tmp_path / "downloads")}
    window.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
    with browser.match(binary, *DUEL, "--seed", "7", "--record", record) as (process, address):
        begun(window, address)
        dies(window)
        browser.until(lambda: text(window, "verdict") == "You lost")
        assert text(window, "happened") == "You were killed by your own bomb"
        assert text(window, "turn").startswith("Win after")
        assert not window.run("return byId('pad').checkVisibility()")
        first = json.loads(record.read_text())
        click(window, "save")
        saved = tmp_path / "downloads" / "OneVsOne-v0-7.jsonl"
        browser.until(saved.exists)
        browser.until(lambda: saved.read_bytes() == record.read_bytes())

        click(window, "same")
        browser.until(lambda: state(window).get("asked") == 0)
        assert not text(window, "verdict")
        assert window.run(seed)[1] == "7"
        dies(window)
        browser.until(lambda: text(window, "verdict"))
        saved.unlink()
        click(window, "save")
        browser.until(lambda: saved.exists() and saved.read_text().endswith("\n"))
        same = json.loads(saved.read_text())
        assert (same["seed"], same["initial"]) == (7, first["initial"])

        click(window, "again")
        browser.until(lambda: state(window).get("asked") == 0)
        assert window.run(seed)[1] != "7"
        click(window, "leave")
        browser.until(lambda: text(window, "verdict") == "The match was stopped")
        click(window, "another")
        window.run("await until(() => byId('begin').checkVisibility() && all('#sitting li').length)")
        assert window.run(CHOSEN, "env") == "OneVsOne-v0"
        assert leaves(window, process) == 1
    assert json.loads(record.read_text()) == first, "it is of the first match"


def test_a_match_has_its_own_number(window: Browser, binary: Path) -> None:
    """What is looked at and shared after a rematch is that match."""
    numbers = (
        "return [pommego.stage.number() ?? 0, new URLSearchParams(byId('whole').hash.slice(1)).get('game')]"
    )
    with browser.match(binary, *DUEL, "--seed", "7") as (process, address):
        begun(window, address)
        for match in (1, 2):
            assert window.run(numbers)[0] == 0
            click(window, "leave")
            browser.until(lambda: text(window, "verdict"))
            assert window.run(numbers) == [match, str(match)]
            click(window, "again")
            browser.until(lambda: state(window).get("asked") == 0)
        leaves(window, process)


def test_a_speed_of_ones_own(window: Browser, binary: Path) -> None:
    with browser.match(binary, "--env", "OneVsOne-v0", "--agents", "human:speed=0.1,static") as (_, address):
        begun(window, address)
        browser.until(lambda: window.run("return byId('speed').value") == "0.1")
        window.driver.get("about:blank")


def test_it_goes_on_at_the_chosen_speed(window: Browser, binary: Path) -> None:
    """Once nobody but agents plays, there is something to look at."""
    with browser.match(binary, *FOUR, "--seed", "3") as (process, address):
        begun(window, address)
        dies(window)
        steps = (
            "const { state } = pommego.play, from = state().step; await until(() => state().step > from + 2)"
        )
        window.run(steps)
        assert text(window, "turn") == "You are out: you were killed by your own bomb. The match goes on."
        assert window.run("return byId('speed').value") == "4", "which it says"
        asked = "const sent = [], real = window.fetch;"
        asked += "window.fetch = (...all) => { sent.push(all[1]?.body); return real(...all); };"
        asked += f"{SET} await until(() => sent.length); window.fetch = real; return sent.map(JSON.parse)"
        assert window.run(asked, "speed", "10") == [{"seat": 0, "speed": 10}]
        window.run(steps)
        assert leaves(window, process) == 0, "without anybody who looks on, agents end it at once"


def test_a_key_after_the_match_is_no_move_in_the_next(window: Browser, binary: Path) -> None:
    with browser.match(binary, *DUEL, "--seed", "7") as (_, address):
        begun(window, address)
        dies(window)
        browser.until(lambda: text(window, "verdict"))
        window.press(" ")
        click(window, "again")
        browser.until(lambda: state(window).get("asked") == 0)
        time.sleep(0.5)
        assert state(window)["asked"] == 0
        window.driver.get("about:blank")


def test_back_leaves_the_match(window: Browser, binary: Path) -> None:
    page = "return document.body.dataset.page"
    with browser.match(binary, "--web", "--env", "OneVsOne-v0") as (_, address):
        window.open(address, "#offers")
        window.run("byId('start').requestSubmit()")
        browser.until(lambda: state(window).get("asked") == 0)
        window.driver.back()
        browser.until(lambda: window.run(page) == "start")
        assert text(window, "offers")
        assert not window.run("return all('#games canvas').some(e => e.checkVisibility())")
        window.driver.forward()
        browser.until(lambda: window.run(page) == "play" and state(window).get("asked") == 0)
        window.driver.get("about:blank")


def test_the_page_says_who_is_to_move(window: Browser, binary: Path) -> None:
    slow = ["--env", "OneVsOne-v0", "--agents", "human,human"]  # the second has not come yet
    with browser.match(binary, *slow, "--seed", "7") as (_, address):
        begun(window, address)
        assert text(window, "turn") == "Step 0: your move"
        window.press("x")
        browser.until(lambda: text(window, "turn") == "The others move")
        window.driver.get("about:blank")


def test_words_by_keyboard(window: Browser, binary: Path, tmp_path: Path) -> None:
    record = tmp_path / "radio.jsonl"
    boxed = "const hand = new pommego.person.Hand(pommego.stage.shown().game.head.actions);"
    boxed += "hand.ask({ needs: [false, true, true] }); return hand.choose('up', [2, 7])"
    with browser.match(binary, *RADIO, "--seed", "3", "--record", record) as (process, address):
        begun(window, address)
        assert window.run(boxed) == [1, 2, 7], "who cannot move can speak, by any key"
        window.run("all('#words select')[0].focus()")
        window.press("5")  # the list's own choice by a letter
        window.press("\ue014")
        browser.until(lambda: state(window).get("asked") == 1)
        window.press("3", "7", "\ue015")
        browser.until(lambda: state(window).get("asked") == 2)
        window.press("0", "x")
        browser.until(lambda: state(window).get("asked") == 3)
        click(window, "leave")
        browser.until(lambda: text(window, "verdict"))
        leaves(window, process)
    steps = json.loads(record.read_text())["steps"]
    played = [(step["actions"][0], step["messages"][0]) for step in steps]
    assert played == [(4, [5, 0]), (2, [3, 7]), (0, [0, 7])]


def test_keys_are_shown_and_the_screen_is_filled(window: Browser, binary: Path) -> None:
    full = "return Boolean(document.fullscreenElement)"
    with browser.match(binary, *RADIO, "--seed", "3") as (process, address):
        begun(window, address)
        window.press("?")
        assert "word 1, then word 2" in text(window, "help")
        window.press("?")
        assert not text(window, "help")
        window.press("f")
        browser.until(lambda: window.run(full))
        window.press("f")
        browser.until(lambda: not window.run(full))
        window.run("document.querySelector('#share summary').focus()")
        window.press(" ")
        assert window.run("return byId('share').open")
        assert state(window)["asked"] == 0, "these are no moves"
        leaves(window, process)


TWO_FINGERS = """
const running = new Set(), { setInterval, clearInterval } = window;
window.setInterval = (...given) => { const id = setInterval(...given); running.add(id); return id; };
window.clearInterval = id => { running.delete(id); clearInterval(id); };
const touch = (what, type) => what.dispatchEvent(new PointerEvent(type, { bubbles: true }));
for (const button of all("#pad button").slice(0, 2)) touch(button, "pointerdown");
const most = running.size;
touch(window, "pointerup");
return [most, running.size];
"""


def test_two_fingers_repeat_one_move(window: Browser, binary: Path) -> None:
    with browser.match(binary, *DUEL) as (process, address):
        begun(window, address)
        assert window.run(TWO_FINGERS) == [1, 0]
        leaves(window, process)


def test_a_button_that_is_held_repeats_its_move(window: Browser, binary: Path, tmp_path: Path) -> None:
    record = tmp_path / "held.jsonl"
    window.window(390, 844)
    with browser.match(binary, *FOUR, "--seed", "3", "--record", record) as (process, address):
        begun(window, address)
        box = window.run(
            "const b = document.querySelector('#pad .stay').getBoundingClientRect(); return [b.x, b.y]"
        )
        point = [{"x": box[0] + 9, "y": box[1] + 9}]
        touch = "Input.dispatchTouchEvent"
        window.driver.execute_cdp_cmd(touch, {"type": "touchStart", "touchPoints": point})
        window.driver.execute_cdp_cmd(touch, {"type": "touchEnd", "touchPoints": []})
        browser.until(lambda: state(window)["asked"] == 1)
        time.sleep(0.6)
        assert state(window)["asked"] == 1, "a tap is one move"
        window.driver.execute_cdp_cmd(touch, {"type": "touchStart", "touchPoints": point})
        browser.until(lambda: (state(window)["asked"] or 0) >= 5)
        window.driver.execute_cdp_cmd(touch, {"type": "touchEnd", "touchPoints": []})
        time.sleep(0.5)
        stopped = state(window)["asked"]
        time.sleep(0.6)
        assert state(window)["asked"] == stopped is not None
        assert leaves(window, process) == 1
    assert {step["actions"][0] for step in json.loads(record.read_text())["steps"]} == {0}


@pytest.mark.parametrize("how", ["close", "leave"])
def test_closing_the_page_ends_the_command(how: str, window: Browser, binary: Path, tmp_path: Path) -> None:
    record = tmp_path / "mine.jsonl"
    with browser.match(binary, *FOUR, "--seed", "3", "--record", record) as (process, address):
        first = window.driver.current_window_handle
        window.driver.switch_to.new_window("tab")
        begun(window, address)
        window.press("x")
        browser.until(lambda: state(window)["asked"] == 1)
        window.driver.refresh()
        browser.until(lambda: state(window).get("asked") == 1)
        time.sleep(6)
        assert process.poll() is None, "to load it again is not to close it"
        if how == "leave":  # for another page, from which one could go back
            window.driver.get("data:text/html,elsewhere")
            assert process.wait(timeout=20) == 1
        window.driver.close()
        window.driver.switch_to.window(first)
        assert process.wait(timeout=20) == 1
        assert "human has left before the match was over" in process.stdout.read()
    assert len(json.loads(record.read_text())["steps"]) == 1
