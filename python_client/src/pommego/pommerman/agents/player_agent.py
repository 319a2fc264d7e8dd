"""Agents that a person plays, with the keys of the terminal."""

from __future__ import annotations

import atexit
import functools
import os
import re
import select
import sys
from collections.abc import Callable
from typing import Any

from pommego.pommerman import characters
from pommego.pommerman.agents.base_agent import BaseAgent
from pommego.pommerman.constants import Action

__all__ = ["PlayerAgent", "PlayerAgentBlocking"]

_KEY = re.compile(r"\x1b\[[ABCD]|.", re.DOTALL)
_CONTROLS = {
    "arrows": {
        "\x1b[A": Action.Up,
        "\x1b[B": Action.Down,
        "\x1b[C": Action.Right,
        "\x1b[D": Action.Left,
        " ": Action.Bomb,
    },
    "wasd": {
        "w": Action.Up,
        "s": Action.Down,
        "d": Action.Right,
        "a": Action.Left,
        "e": Action.Bomb,
        "q": Action.Stop,
    },
}


class _Keyboard:
    """Reads single keys as they are pressed; all players share one keyboard."""

    def __init__(self) -> None:
        self._restore: Callable[[], None] | None = None
        self._pressed: list[str] = []

    def take(self, keys: dict[str, Action], *, wait: bool) -> Action:
        """Return the meaning of the first of these keys that was pressed, Stop if none was."""
        while True:
            self._read(wait and not self._pressed)
            mine = next((at for at, key in enumerate(self._pressed) if key in keys), None)
            if mine is not None:
                return keys[self._pressed.pop(mine)]
            if not wait:
                return Action.Stop
            self._pressed.clear()

    def _read(self, wait: bool) -> None:
        self._open()
        file = sys.stdin.fileno()
        while select.select([file], [], [], None if wait else 0)[0]:
            text = os.read(file, 1024).decode(errors="ignore")
            if not text:
                raise EOFError("the terminal has been closed")
            self._pressed += _KEY.findall(text)
            wait = False

    def _open(self) -> None:
        """Make the terminal pass on each key at once, without echo."""
        if self._restore is not None:
            return
        if not sys.stdin.isatty():
            raise RuntimeError("a person needs a terminal to play: standard input is not one")
        import termios  # noqa: PLC0415, not on Windows
        import tty  # noqa: PLC0415

        before = termios.tcgetattr(sys.stdin)
        self._restore = functools.partial(termios.tcsetattr, sys.stdin, termios.TCSADRAIN, before)
        atexit.register(self.close)
        tty.setcbreak(sys.stdin)

    def close(self) -> None:
        """Restore the terminal's settings."""
        if self._restore is not None:
            self._restore()
            self._restore = None
            self._pressed.clear()


_keyboard = _Keyboard()


class PlayerAgent(BaseAgent):
    """Plays the key pressed since its last action, and stops if there was none.

    Args:
        character: see `BaseAgent`.
        agent_control: "arrows", with the space bar for bombs; or "wasd", with e.
    """

    _wait = False

    def __init__(self, character: Any = characters.Bomber, agent_control: str = "arrows") -> None:
        super().__init__(character)
        if agent_control not in _CONTROLS:
            raise ValueError(f"agent_control is {agent_control!r}, expected one of {sorted(_CONTROLS)}")
        self.agent_control = agent_control

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        """Choose an action.

        Raises:
            RuntimeError: there is no terminal.
        """
        return _keyboard.take(_CONTROLS[self.agent_control], wait=self._wait).value

    @staticmethod
    def has_user_input() -> bool:
        """Return True: a person plays."""
        return True

    def shutdown(self) -> None:
        """Restore the terminal's settings."""
        _keyboard.close()


class PlayerAgentBlocking(PlayerAgent):
    """As `PlayerAgent`, but the game waits for a key."""

    _wait = True
