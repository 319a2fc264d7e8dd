"""Matches that a person plays in, and running environments, in Chromium as a person would use them."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import browser
import pommego
from processes import printed

pytestmark = pytest.mark.usefixtures("silent")

CHOOSE = """
const [id, index] = given, select = document.getElementById(id);
select.selectedIndex = index;
select.dispatchEvent(new Event("change"));
"""

# Presses keys of moves until the match is over, and returns the actions they stand for.
PRESS = """
const { state } = pommego.play;
const keys = ["ArrowUp", "s", "a", "ArrowRight", " ", "."], choices = [1, 2, 3, 4, 5, 0], pressed = [];
let seed = 7, part = 0;
const late = performance.now() + 60000;
while (!state().over) {
  if (performance.now() > late) throw new Error(`the match stands at step ${state().step}`);
  const { asked, needs } = state();
  if (asked === undefined || (pressed.at(-1)?.done && pressed.at(-1).step === asked)) {
    await new Promise(done => setTimeout(done, 1));
    continue;
  }
  if (pressed.at(-1)?.step !== asked) pressed.push({ step: asked, choices: [], needs: [...needs] });
  seed = (seed * 1103515245 + 12345) % 2147483648;
  const k = Math.floor(seed / 65536) % keys.length;
  pressed.at(-1).choices.push(choices[k]);
  pressed.at(-1).done = pressed.at(-1).choices.length === needs.filter(need => need).length;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: keys[k], bubbles: true }));
  document.body.dispatchEvent(new KeyboardEvent("keyup", { key: keys[k], bubbles: true }));
}
return JSON.stringify(pressed);
"""


@pytest.mark.parametrize(
    ("id", "agents"),
    [
        ("OneVsOne-v0", "human,simple"),
        ("BaseWarSides-v0", "human,simple"),
        ("SuiteBot-v0", "simple,human,simple,random"),
    ],
)
def test_a_whole_game_is_played_and_recorded(
    id: str, agents: str, window: browser.Browser, binary: Path, tmp_path: Path
) -> None:
    record, seat = tmp_path / "mine.jsonl", agents.split(",").index("human")
    arguments = ["--env", id, "--agents", agents, "--seed", "5", "--record", record]
    with browser.match(binary, *arguments) as (process, address):
        window.open(address, "#turn")
        pressed = json.loads(window.run(PRESS))
        game = json.loads(record.read_text())
        assert window.run("return document.getElementById('turn').textContent").startswith(("Win", "Tie"))
        assert len(game["steps"]) >= len(pressed) >= 10
        fate = window.run("return document.getElementById('happened').textContent")
        assert not fate or id == "OneVsOne-v0", "elsewhere no seat is ever out"
        for wanted in pressed:
            actions = game["steps"][wanted["step"]]["actions"]
            done = actions[seat::2] if id.startswith("BaseWar") else [actions[seat]]  # a side's bombers
            given = iter(wanted["choices"])
            assert done == [next(given) if needed else 0 for needed in wanted["needs"]]
        playing, whole = (
            window.driver.current_window_handle,
            window.run("return document.getElementById('whole').href"),
        )
        window.driver.switch_to.new_window("tab")
        window.open(whole, "#where")
        shown = "const { shown } = pommego.stage; return shown().game.last"
        assert window.run(shown) == len(game["steps"])
        window.driver.close()
        window.driver.switch_to.window(playing)
        window.driver.get("about:blank")
        assert process.wait(timeout=20) == 0, "the command ends when the page is closed"
    verified = subprocess.run([binary, "verify", record], capture_output=True, text=True, check=True)
    assert f"1 games, {len(game['steps'])} steps, 0 mismatches" in verified.stdout


def test_by_touch_at_a_speed_and_leaving(window: browser.Browser, binary: Path, tmp_path: Path) -> None:
    record = tmp_path / "mine.jsonl.gz"
    state = "const { state } = pommego.play; return state()"
    window.window(390, 800, density=2)
    with browser.match(
        binary,
        "--env",
        "PommeRadioCompetition-v2",
        "--agents",
        "human,static,static,static",
        "--record",
        record,
    ) as (
        process,
        address,
    ):
        window.open(address, "#turn")
        assert window.run("return document.documentElement.scrollWidth") <= 390, "it fits a phone"
        window.run(
            """
            const [first, second] = document.querySelectorAll("#words select");
            first.value = 3;
            second.value = 7;
            document.querySelector("#pad .right").click();
            """
        )
        browser.until(lambda: window.run(state)["asked"] == 1)
        window.press("x")
        browser.until(lambda: window.run(state)["asked"] == 2)
        window.run(CHOOSE, "speed", 6)
        browser.until(lambda: window.run(state)["step"] > 5)
        window.run("document.getElementById('leave').click()")
        browser.until(lambda: window.run(state)["over"])
        window.driver.get("about:blank")
        assert process.wait(timeout=20) == 1
    steps = json.loads(gzip.decompress(record.read_bytes()))["steps"]
    assert [(step["actions"][0], step["messages"][0]) for step in steps[:2]] == [(4, [3, 7]), (0, [3, 7])]


def test_the_page_gets_no_more_than_its_seat_sees(window: browser.Browser, binary: Path) -> None:
    arguments = ["--env", "PommeTeamCompetition-v0", "--agents", "human,simple,simple,simple", "--seed", "1"]
    with browser.match(binary, *arguments) as (_, address):
        window.open(address, "#turn")
        agents = window.run("const { state } = pommego.play; return state().agents")
        assert [agent["seat"] for agent in agents] == [0], "the others stand in the other corners, in fog"
        ground = window.run("return document.querySelector('#games canvas').getAttribute('aria-label')")
        assert "(2)" not in ground
        window.open(address.replace("token=", "token=x"), "#message")
        assert "lacks its token" in window.run("return document.getElementById('message').textContent")
        window.complaints()  # the browser's own, of the refused request


LIVE = "const { state } = pommego.stage; return state()"


def test_a_rollout_is_looked_at(window: browser.Browser) -> None:
    with pommego.make_vec("PommeTeamCompetition-v0", 3, opponents=["simple"] * 3, seat=2, web=True) as envs:
        _, info = envs.reset(seed=[5, 6, 2**60 + 7])
        assert not envs.show(values=np.zeros(3)), "nobody looks yet"
        window.open(f"{envs.web_address}&game=2&view=2", "#about")
        browser.until(lambda: window.run(LIVE)["positions"])  # also while nobody steps
        assert window.run(LIVE)["seed"] == str(2**60 + 7), "more than a number of JavaScript holds"
        seen = []
        deadline = time.monotonic() + 30
        while len(seen) < 5 and time.monotonic() < deadline:
            legal = info["action_mask"] / info["action_mask"].sum(axis=1, keepdims=True)
            told = envs.show(probabilities=legal, values=[0.25, 0.5, 0.75])
            _, _, _, _, info = envs.step(np.zeros(3, np.int64))
            if told:
                seen.append(window.run(LIVE))
            time.sleep(0.02)
        steps = [state["step"] for state in seen]
        assert len(set(steps)) > 2, f"the page has seen the steps {steps}"
        last = seen[-1]
        assert last["rewards"] == [0, 0, 0, 0]
        assert [(t["seat"], t["value"]) for t in last["thoughts"]] == [(2, 0.75)]
        assert sum(last["thoughts"][0]["probabilities"]) == pytest.approx(1)
        words = window.run("return document.querySelector('#games .seats').textContent")
        assert "learner" in words
        assert "value of the position 0.75" in words
        assert window.run("return document.getElementById('view').value") == "2"
        window.run("byId('number').value = given[0]; byId('number').dispatchEvent(new Event('change'))", 1)
        browser.until(lambda: window.run(LIVE)["seed"] == 6)
        address = window.run("return location.href")
        assert "game=1" in address
        assert all("key=" not in url.partition("#")[0] for url in window.requests())
        window.open(address.replace("key=", "key=X"), "#message")
        assert "no environment has the key" in window.run("return byId('message').textContent")
        window.complaints()  # the browser's own, of the refused request
        window.driver.get("about:blank")  # before the server goes


def test_the_owner_sees_a_list(window: browser.Browser, binary: Path) -> None:
    entry = "return byId('list').textContent"
    command = [binary, "serve", "--listen", "127.0.0.1:0", "--web", "--json", "--exit-on-stdin-close"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        said = printed(process)
        page, address = said["web"], said["address"]
        window.open(page, "#none")
        line = window.run("return byId('none').querySelector('pre').textContent").splitlines()
        scope: dict[str, Any] = {"pommego": pommego}
        exec("\n".join(line), scope)  # what the page says to do
        browser.until(lambda: "PommeFFACompetition-v0 64 games" in window.run(entry))
        assert not window.run("return byId('none').checkVisibility()")
        window.run("all('#list a')[0].click()")
        browser.until(lambda: window.run("return all('#panes canvas').length") == 16)
        window.driver.back()
        scope["envs"].close()
        browser.until(lambda: window.run(entry) == "")
        with pommego.make_vec("OneVsOne-v0", 3, opponents=["simple"], address=address) as envs:
            envs.reset(seed=0)
            browser.until(lambda: "OneVsOne-v0 3 games" in window.run(entry))
            browser.until(lambda: "moves a second" in window.run(entry))
            window.run("all('#list li')[0].id = 'old'")

            def rate() -> str:
                envs.step(np.zeros(3, np.int64))
                return window.run("return byId('old')?.lastChild.textContent")

            browser.until(lambda: re.fullmatch(r"[1-9][\d,]* moves a second", rate() or ""))
            assert not window.run("return all('#list a').length"), "nobody has asked for a page"
            assert not window.run("return all('canvas, #view').some(e => e.checkVisibility())"), "no game"
        browser.until(lambda: window.run(entry) == "")
        window.driver.get("about:blank")
        process.communicate()


def test_a_game_is_followed(window: browser.Browser) -> None:
    """Each step is there to go back to, with the moves of all seats."""
    with pommego.make_vec("OneVsOne-v0", 2, opponents=["simple"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(f"{envs.web_address}&game=1", "#about")
        browser.until(lambda: window.run(LIVE)["positions"])
        for step in range(1, 25):  # each is waited for, so all of them are kept
            envs.step(np.zeros(2, np.int64))
            browser.until(lambda step=step: window.run(LIVE)["step"] == step)
        state = window.run(LIVE)
        assert state["positions"] == list(range(25))
        assert state["following"]
        assert [len(seat) for seat in state["actions"]] == [1, 1]
        laid = next(e for e in state["events"] if e["event"] == "laid")
        go = "byId('at').value = given[0]; byId('at').dispatchEvent(new Event('input'))"
        window.run(go, laid["index"])
        assert "simple (1) laid" in window.run("return byId('happened').textContent")
        assert window.run(LIVE)["step"] == laid["index"] > 0
        assert not window.run(LIVE)["following"]
        envs.step(np.zeros(2, np.int64))
        browser.until(lambda: window.run(LIVE)["positions"][-1] == 25)
        assert window.run(LIVE)["step"] == laid["index"], "the picture stays where somebody has gone"
        assert window.run("return byId('where').textContent") == f"{laid['index']} / 25"
        window.run("document.getElementById('latest').click()")
        assert window.run(LIVE)["step"] == 25
        window.press("\ue011", " ")  # to the first, and play from there until it follows again
        browser.until(lambda: window.run(LIVE)["following"])
        window.press(" ")
        assert not window.run(LIVE)["following"], "space holds the picture"
        window.driver.get("about:blank")


def test_the_number_of_a_game_is_typed_while_others_are_stepped(window: browser.Browser) -> None:
    """The title and the field name the game that is shown, and the field waits for who types in it."""
    other = """
      const { head, positions: [first] } = pommego.stage.shown().game;
      pommego.stage.take([{ head: { ...head, number: undefined }, game: 1 }, { step: first, game: 1 }]);
      return [byId("title").textContent, byId("number").value];
    """
    with pommego.make_vec("OneVsOne-v0", 3, opponents=["simple"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(f"{envs.web_address}&game=0", "#about")
        browser.until(lambda: window.run(LIVE)["positions"])
        window.press(" ")
        assert window.run(other) == ["OneVsOne-v0, game 0", "0"], "the picture is held"
        window.run("byId('latest').click(); byId('number').select()")
        window.press("2")
        envs.step(np.zeros(3, np.int64))
        browser.until(lambda: window.run(LIVE)["step"] == 1)
        window.press("\ue007")
        browser.until(lambda: window.run(LIVE)["seed"] == 5)
        window.driver.get("about:blank")


def test_another_game_is_asked_for_just_when_the_address_is_written(window: browser.Browser) -> None:
    with pommego.make_vec("OneVsOne-v0", 3, opponents=["simple"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(f"{envs.web_address}&game=0", "#about")
        browser.until(lambda: window.run(LIVE)["positions"])
        # What the user does goes before timers, and the event of another address after them.
        window.run("""
          const field = byId("number");
          byId("view").onchange();
          for (const begin = performance.now(); performance.now() < begin + 300;);
          field.value = 2;
          scheduler.postTask(() => field.onchange({ target: field }), { priority: "user-blocking" });
        """)
        browser.until(lambda: window.run(LIVE)["seed"] == 5)
        window.driver.get("about:blank")


def test_a_held_game_gets_its_end(window: browser.Browser) -> None:
    """Even where the steps come together with the next game."""
    ending = """
      const { stage } = pommego, { head, positions: [first] } = stage.shown().game;
      const next = { head: { ...head, number: undefined }, game: 0 };
      stage.take([{ step: { ...first, step: 1 }, game: 0 }, { step: { ...first, step: 2 }, game: 0 }, next]);
      byId("latest").click(); // nothing of the next game is there yet
      stage.player.go(0);
      return byId("where").textContent;
    """
    with pommego.make_vec("OneVsOne-v0", 2, opponents=["simple"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(f"{envs.web_address}&game=0", "#about")
        browser.until(lambda: window.run(LIVE)["positions"])
        window.press(" ")
        assert window.run(ending) == "0 / 2"
        window.driver.get("about:blank")


def test_what_an_episode_says_of_deaths(window: browser.Browser) -> None:
    """A base that is lost is no death, nor does a learner die of what it comes back from."""
    over = """
      const head = { format: "pommego-scene/1", names: ["learner", "simple"], teams: [[0], [1]] };
      const events = [{ event: "died", seat: 0, by: [1], what: given[0], at: [0, 0] }];
      const step = { step: 9, status: { over: true, winners: [1], in: given[1] }, events };
      pommego.wall.tell([{ replay: true, head }, { replay: true, step }]);
      return document.querySelector("#episodes a").textContent;
    """
    with pommego.make_vec("OneVsOne-v0", 2, web=True) as envs:
        envs.reset(seed=3)
        window.open(envs.web_address, "#panes")
        assert window.run(over, "base", [1]) == "9 steps: not won"
        assert window.run(over, "", [1]) == "9 steps: died by enemies"
        assert window.run(over, "", [0, 1]) == "9 steps: not won"
        window.driver.get("about:blank")


def test_a_page_that_nobody_sees_asks_for_nothing(window: browser.Browser) -> None:
    with pommego.make_vec("OneVsOne-v0", 2, web=True) as envs:
        envs.reset(seed=3)
        page = window.driver.current_window_handle
        window.open(envs.web_address, "#panes")
        browser.until(lambda: envs.show(values=np.zeros(4)))

        def watched() -> bool:
            time.sleep(0.2)  # longer than the pause between two things shown
            return envs.show(values=np.zeros(4))

        window.driver.switch_to.new_window("tab")
        browser.until(lambda: not watched())
        window.driver.close()
        window.driver.switch_to.window(page)
        browser.until(watched)
        window.driver.get("about:blank")


def test_the_page_says_that_a_training_has_ended(window: browser.Browser) -> None:
    message = "return byId('message').textContent"
    with pommego.make_vec("OneVsOne-v0", 2, web=True) as envs:
        envs.reset(seed=3)
        window.open(f"{envs.web_address}&game=77", "#message")
        assert window.run(message) == 'game is "77", want 0 to 1, any or wall'
        window.complaints()  # the browser's own, of the refused request
        window.open(f"{envs.web_address}&game=0", "#about")
        browser.until(lambda: window.run(LIVE)["positions"])
    browser.until(lambda: window.run(message) == "The environment is closed.")
    time.sleep(1.5)
    assert window.run(message) == "The environment is closed.", "and does not promise to go on"
    window.press("\ue00c")
    assert window.run("return byId('message').hidden")


def test_a_wall_of_games(window: browser.Browser) -> None:
    """Sixteen games side by side, with what becomes of their episodes. The last of these are kept."""
    with pommego.make_vec("OneVsOne-v0", 20, opponents=["static"], seat=0, web=True) as envs:
        window.open(envs.web_address, "#none")
        assert "envs.reset()" in window.run("return byId('none').textContent")
        envs.reset(seed=3)
        window.run("await until(() => all('#panes canvas').length === 16)")

        def played(until: str) -> bool:
            for _ in range(20):
                envs.step(np.random.default_rng().integers(0, 6, 20))
            return window.run(until)

        browser.until(lambda: played("return all('#episodes a').length > 1 && all('#causes li').length > 0"))
        browser.until(
            lambda: played(
                "return ['moves', 'won', 'length'].every(id => byId(`${id}-now`).textContent !== '…')"
            )
        )
        assert re.fullmatch(r"[\d,]+", window.run("return byId('moves-now').textContent"))
        assert re.fullmatch(r"\d+ %", window.run("return byId('won-now').textContent"))
        assert re.fullmatch(r"\d+ steps", window.run("return byId('length-now').textContent"))
        assert re.search(r"their own bombs \d+ %", window.run("return byId('causes').textContent"))
        window.run("all('#panes a')[5].click()")
        browser.until(lambda: window.run(LIVE)["seed"] == 8)
        window.run("all('#panes li')[0].id = 'old'")
        window.driver.back()
        window.run("await until(() => !byId('old') && all('#panes canvas').length === 16)")
        window.run("all('#any')[0].click()")
        browser.until(lambda: window.run(LIVE)["following"])
        window.run("all('#panes li')[0].id = 'old'")
        window.driver.back()
        window.run(
            "await until(() => byId('wall').checkVisibility() && !byId('old') && all('#panes li').length)"
        )
    browser.until(lambda: window.run("return byId('message').textContent") == "The environment is closed.")
    window.run("all('#episodes a')[0].click()")  # also after the training
    browser.until(lambda: len(window.run(LIVE)["positions"] or []) > 9)
    state = window.run(LIVE)
    assert state["positions"] == list(range(len(state["positions"])))
    assert window.run("return byId('title').textContent").endswith("an episode that is over")
    window.press("\ue010")
    assert window.run(LIVE)["step"] == len(state["positions"]) - 1
    window.driver.back()
    window.run("await until(() => byId('wall').checkVisibility())")
    window.driver.get("about:blank")
    window.complaints()  # the browser's own, of what is closed


AGAIN = """
const { enter, episodeOf, tell } = pommego.wall, kept = () => all("#episodes a");
const [, newest] = /episode=(\\d+)/.exec(kept()[0].hash), lines = episodeOf(newest), counts = [kept().length];
tell(lines.map(line => ({ ...line, replay: true })));
counts.push(kept().length);
enter(() => "another", { env: "X-v0", games: 2, learners: 1 });
tell([]);
return [...counts, kept().length, byId("moves-now").textContent];
"""


def test_the_wall_is_of_one_environment(window: browser.Browser) -> None:
    """An episode that comes again is kept once, and nothing of an environment stands beside another's."""
    figures = "return all('#episodes a').length && byId('moves-now').textContent !== '…'"
    with pommego.make_vec("OneVsOne-v0", 2, opponents=["static"], seat=0, web=True) as envs:
        envs.reset(seed=3)
        window.open(envs.web_address, "#panes")
        assert window.run("return all('output').every(e => e.ariaLive === 'off')"), "they are read on demand"
        browser.until(lambda: envs.step(np.full(2, 5)) and window.run(figures))
        before, after, *others = window.run(AGAIN)
        assert (before, others) == (after, [0, "…"])
        window.driver.get("about:blank")


def test_the_dead_and_lesser_words_take_no_room(window: browser.Browser) -> None:
    with pommego.make_vec("PommeRadio-v2", 1, opponents=["static"] * 3, seat=0, web=True) as envs:
        _, info = envs.reset(seed=3)
        window.open(envs.web_address, "#about")
        browser.until(lambda: window.run(LIVE)["positions"])
        rows = "return all('.seat')[0].querySelectorAll('.bars li').length"
        dead = "return all('.seat')[0].classList.contains('out')"
        for step in range(1, 30):
            legal = info["action_mask"].astype(np.float32)
            browser.until(lambda legal=legal: envs.show(probabilities=legal, values=[0.5]))
            _, _, _, _, info = envs.step(np.array([[5 if step == 1 else 0, 3, 7]]))
            browser.until(lambda step=step: window.run(LIVE)["step"] == step)
            if step == 1:
                assert window.run(rows) == 6 + 2
                words = window.run("return all('.seat')[0].querySelector('.bars').textContent")
                assert "word 1: 3" in words
                assert "word 2: 7" in words
            if window.run(dead):
                break
        assert window.run(dead)
        assert not window.run("return all('.seat')[0].querySelector('.bars').checkVisibility()")
        window.driver.get("about:blank")


def test_human_mode_opens_the_page(monkeypatch: pytest.MonkeyPatch, window: browser.Browser) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with pommego.make("OneVsOne-v0", render_mode="human") as env:
        env.reset(seed=3)
        env.step(0)
        assert env.render() is None
        assert opened == [env.web_address]
        window.open(opened[0], "#about")
        browser.until(lambda: window.run(LIVE)["step"] == 1)
        window.driver.get("about:blank")


def test_no_page_unless_asked(window: browser.Browser) -> None:
    with pommego.make_vec("OneVsOne-v0", 1) as envs:
        envs.reset(seed=0)
        assert envs.show(values=[0.0, 0.0]) is False
        with pytest.raises(pommego.PommegoError, match="web=True"):
            _ = envs.web_address
