"""What language models read and answered, on the page."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import browser
from browser import Browser
from scripted_model import scripted_model

pytestmark = pytest.mark.usefixtures("silent")

MARKUP = "<img src=x onerror=alert(1)><script>document.title='no'</script>"
HOSTILE = MARKUP + "\u202e\u2066 turned \x1b[31m\x00</pre>&lt;"
TALK = """
const shown = all('.talk').filter(e => !e.hidden);
return shown.map(e => [...e.querySelectorAll('pre')].map(p => p.textContent));
"""


def test_hostile_answers_are_text(window: Browser, binary: Path, tmp_path: Path) -> None:
    """An answer of 1 MB, with markup and marks that turn text round, is shown as text and moves nothing."""
    record = tmp_path / "match.jsonl"
    with scripted_model([HOSTILE + "x" * 1_000_000 + HOSTILE + "\nbomb", "hide for 3"]) as model:
        command = [binary, "play", "--env", "OneVsOne-v0", "--rules", '{"max_steps": 30}', "--seed", "4"]
        agents = ["--agents", f"{model},static", "--quiet", "--record", record]
        subprocess.run([*command, *agents], check=True, capture_output=True)
    assert record.stat().st_size < 200_000
    with browser.viewing(binary, record) as address:
        check_page(window, address, 9_000)
    game = json.loads(record.read_text())
    thought = next(t for step in game["steps"] for t in step.get("thoughts", ()))
    thought["said"] = HOSTILE + "x" * 1_000_000 + HOSTILE
    thought["read"] = thought["said"]
    record.write_text(json.dumps(game) + "\n")
    with browser.viewing(binary, record) as address:
        check_page(window, address, 9_000)


def check_page(window: Browser, address: str, most: int) -> None:
    """Look at the first step of a recorded game."""
    window.open(address, ".seats li")
    window.press("\ue014")  # the next step
    window.run("await until(() => all('.talk').some(e => !e.hidden))")
    [[said, read]] = window.run(TALK)
    assert "<script>document.title='no'</script>\\u202e\\u2066 turned \\u001b[31m" in said
    assert "</pre>&lt;" in said
    assert len(said) < most
    assert len(read) < most
    assert window.run("return all('.talk img, .talk script').length") == 0
    assert window.run("return document.title") != "no"
    width = "const e = document.scrollingElement; return [e.scrollWidth, e.clientWidth]"
    scroll, client = window.run(width)
    assert scroll <= client, "the text is wider than the page"
    window.press("\ue011")  # the first step, before which nobody was asked
    assert window.run(TALK) == [["", ""]]


def test_models_play_on_the_page(window: Browser, binary: Path) -> None:
    """A match between agents alone is shown as it is played: two models as a team against champion."""
    with scripted_model(["hunt for 5", "Hide!"]) as model:
        champion = "champion:level=1"
        agents = ",".join([f"{model},frame_ticks=5", champion, model, champion])
        command = ["--web", "--env", "PommeTeamCompetition-v0", "--agents", agents, "--seed", "2"]
        rules = ["--rules", '{"max_steps": 60}']
        with browser.match(binary, *command, *rules) as (process, address):
            window.open(address, ".seats li")
            window.run("await until(() => all('.talk').filter(e => !e.hidden).length === 2)")
            said, read = window.run(TALK)[0]
            assert said in ("hunt for 5", "Hide!")
            assert read.startswith(("Last answer: ", "Tick 0 of ")) and "Tick " in read
            window.run("await until(() => byId('verdict').checkVisibility())")
            assert window.run("return byId('verdict').textContent").startswith("The end: ")
            assert not window.run("return byId('leave').checkVisibility()")
            window.driver.get("about:blank")
            assert process.wait(timeout=20) == 0
