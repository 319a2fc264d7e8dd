"""Text drawn on a terminal: its colours, and pictures that replace each other."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

import pytest

import pommego
from pommego import pommerman
from pommego._core import terminal
from pommego.pommerman import agents, constants

DUEL, FFA = "OneVsOne-v0", "PommeFFACompetition-v0"


@pytest.fixture
def screen() -> Iterator[tuple[int, TextIO]]:
    """A terminal: where what is written to it can be read, and where to write."""
    seen, there = pty.openpty()
    with os.fdopen(there, "w") as stdout:
        yield seen, stdout
    os.close(seen)


@contextlib.contextmanager
def on(screen: tuple[int, TextIO], **variables: str) -> Iterator[Callable[[], str]]:
    """Make the terminal the standard output; gives what reads up to the end of a picture."""
    seen, stdout = screen

    def read() -> str:
        text = ""
        while not text.endswith("\x1b[J"):
            text += os.read(seen, 1 << 16).decode()
        return text

    with pytest.MonkeyPatch.context() as patch:
        for name in ("COLORTERM", "NO_COLOR"):
            patch.delenv(name, raising=False)
        for name, value in ({"TERM": "xterm"} | variables).items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", stdout)
        yield read


@pytest.mark.parametrize(
    ("variables", "want"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({}, True),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, False),
        ({"COLORTERM": "truecolor", "TERM": "dumb"}, False),
    ],
)
def test_colours(screen: tuple[int, TextIO], variables: dict[str, str], want: bool) -> None:
    with on(screen, **variables):
        assert terminal.colours() == want
        with contextlib.redirect_stdout(io.StringIO()):
            assert terminal.colours() is False, "a file has no colours"


def test_render_has_colours_near_those_of_the_page(server: pommego.Server) -> None:
    with pommego.make_vec(DUEL, 1, address=server.address, token=server.token) as envs:
        envs.reset(seed=0)
        page, none = (envs.render(0, colour=colour) for colour in (True, False))
    assert "\x1b[38;5;231;48;5;25mA0" in page, "#0072b2"
    assert "\x1b" not in none


def test_pettingzoo_draws_in_one_place(server: pommego.Server, screen: tuple[int, TextIO]) -> None:
    env = pommego.parallel_env(DUEL, render_mode="human", address=server.address, token=server.token)
    with on(screen) as read:
        env.reset(seed=0)
        first = read()
        env.step(dict.fromkeys(env.agents, 0))
        second = read()
    env.close()
    for step, picture in enumerate((first, second)):
        assert picture.startswith(f"\x1b[Hstep {step} of 800\x1b[K\r\n")
        assert picture.count("\x1b[K\r\n") == 1 + 8 + 2, "each line is cleared as it is written"
        assert picture.index("\x1b[J") == len(picture) - 3, "nothing is cleared first"


@pytest.mark.parametrize(("variable", "colours"), [("COLORTERM", True), ("NO_COLOR", False)])
def test_the_originals_api_draws_in_one_place(
    screen: tuple[int, TextIO], variable: str, colours: bool
) -> None:
    env = pommerman.make(DUEL, [agents.RandomAgent(), agents.RandomAgent()])
    env.reset()
    with on(screen, **{"COLORTERM": "truecolor", variable: "truecolor"}) as read:
        env.render(do_sleep=False)
        picture = read()
    env.close()
    assert picture.startswith("\x1b[Hstep 0 of 800\x1b[K\r\n")
    assert picture.index("\x1b[J") == len(picture) - 3
    assert ("\x1b[30;48;5;" in picture) == colours


def test_the_originals_api_draws_as_the_server(
    server: pommego.Server, capsys: pytest.CaptureFixture[str]
) -> None:
    env = pommerman.make(FFA, [agents.RandomAgent() for _ in range(4)])
    with pommego.make_vec(FFA, 1, address=server.address, token=server.token) as games:
        games.reset(seed=3)
        env.set_init_game_state(games.get_state(0, as_json=True))
        env.reset()
        lay, away = constants.Action.Bomb.value, constants.Action.Stop.value
        shown = ""
        for step in range(12):
            env.render(do_sleep=False)
            text = capsys.readouterr().out
            board = games.render(0).splitlines()[:12]
            assert text.splitlines()[:12] == board
            shown += text
            actions = [lay if step == 1 else away] * 2 + [constants.Action.Down.value, away]
            env.step(actions)
            games.step(actions)
    env.close()
    assert "**" in shown
    assert "out" in shown
