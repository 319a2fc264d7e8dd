"""Agents that a person plays, with the keys of the terminal."""

from __future__ import annotations

import atexit
import os
import select
import sys
from typing import Any

from pommego.pommerman import characters, constants
from pommego.pommerman.agents.base_agent import BaseAgent

__all__ = ["PlayerAgent", "PlayerAgentBlocking"]

_ARROWS = {
    "\x1b[A": constants.Action.Up,
    "\x1b[B": constants.Action.Down,
    "\x1b[C": constants.Action.Right,
    "\x1b[D": constants.Action.Left,
    " ": constants.Action.Bomb,
}
_LETTERS = {
    "w": constants.Action.Up,
    "s": constants.Action.Down,
    "d": constants.Action.Right,
    "a": constants.Action.Left,
    "e": constants.Action.Bomb,
    "q": constants.Action.Stop,
}
_CONTROLS = {"arrows": _ARROWS, "wasd": _LETTERS}


class _Keyboard:
    """Reads single keys as they are pressed; all players share one keyboard."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None  # the terminal's settings before
        self._pressed: list[str] = []

    def take(self, keys: dict[str, constants.Action], *, wait: bool) -> constants.Action | None:
        """Return the meaning of the first of these keys that was pressed, None if none was."""
        while True:
            self._read(wait and not self._pressed)
            mine = next((at for at, key in enumerate(self._pressed) if key in keys), None)
            if mine is not None:
                return keys[self._pressed.pop(mine)]
            if not wait:
                return None
            self._pressed.clear()

    def _read(self, wait: bool) -> None:
        self._open()
        file = sys.stdin.fileno()
        while select.select([file], [], [], None if wait else 0)[0]:
            text = os.read(file, 1024).decode(errors="ignore")
            if not text:
                raise EOFError("the terminal has been closed")
            while text:
                key = next((arrow for arrow in _ARROWS if text.startswith(arrow)), text[0])
                self._pressed.append(key)
                text = text[len(key) :]
            wait = False

    def _open(self) -> None:
        """Switch the terminal to passing on each key at once, without echo."""
        if self._before is not None:
            return
        if not sys.stdin.isatty():
            raise RuntimeError("a person needs a terminal to play: standard input is not one")
        import termios  # noqa: PLC0415, not on Windows
        import tty  # noqa: PLC0415

        self._before = termios.tcgetattr(sys.stdin)
        atexit.register(self.close)
        tty.setcbreak(sys.stdin)

    def close(self) -> None:
        """Restore the terminal's settings."""
        if self._before is not None:
            import termios  # noqa: PLC0415

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)
            self._before = None
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
        action = _keyboard.take(_CONTROLS[self.agent_control], wait=self._wait)
        return (action or constants.Action.Stop).value

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
