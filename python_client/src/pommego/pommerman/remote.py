"""The server behind the environments of this package: one for the whole process."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego.making import make_vec
from pommego.pommerman import constants
from pommego.server import Server
from pommego.vector import PommegoVectorEnv

__all__ = ["RemoteGame", "Rules", "game_options"]

_BASE = {  # an id of each game type; all that differs is said in rules
    constants.GameType.FFA: "PommeFFACompetition-v0",
    constants.GameType.Team: "PommeTeam-v0",
    constants.GameType.TeamRadio: "PommeTeam-v0",  # what is said is kept here, as it was said
    constants.GameType.OneVsOne: "OneVsOne-v0",
}
_LARGEST_BLAST = 10

_starting = threading.Lock()
_server: tuple[int, Server] | None = None  # and whose child it is


def game_options(address: str | None = None, token: str | None = None) -> dict[str, Any]:
    """Return the options of `make_vec` that say where games are.

    Args:
        address: of a running server; None: one of our own, started when first
            asked for and stopped when Python ends. After a fork the child
            starts another.
        token: of the server at `address`.
    """
    global _server  # noqa: PLW0603, one for the process is the point
    if address is not None:
        return {"address": address, "token": token}
    with _starting:
        if _server is None or _server[0] != os.getpid() or not _server[1].running:
            _server = os.getpid(), Server(transport="unix")
        return {"address": _server[1].address, "token": _server[1].token}


class Rules(NamedTuple):
    """What the server has to know of a game, with the names of `Pomme`'s options."""

    game_type: constants.GameType
    board_size: int
    agent_view_size: int | None
    is_partially_observable: bool
    num_rigid: int
    num_wood: int
    num_items: int
    max_steps: int
    env: str | None

    @property
    def max_blast_strength(self) -> int:
        """What range items stop at: what can be seen, if that is limited."""
        return self.agent_view_size or _LARGEST_BLAST

    @property
    def seats(self) -> int:
        """How many play on a server."""
        return 2 if self.game_type is constants.GameType.OneVsOne else 4

    def options(self) -> dict[str, Any]:
        """Return them as options of `make_vec`.

        No ring of the board falls on the server: when it does is for
        `envs.v1.Pomme` to say.
        """
        rules = {
            "game_env": self.env or "",
            "board_size": self.board_size,
            "num_rigid": self.num_rigid,
            "num_wood": self.num_wood,
            "num_items": self.num_items,
            "max_steps": self.max_steps,
            "agent_view_size": self.agent_view_size if self.is_partially_observable else 0,
            "max_blast_strength": self.max_blast_strength,
        }
        return {"id": _BASE[self.game_type], "rules": rules}


class RemoteGame:
    """One game on a server, to be dealt and drawn there.

    Args:
        rules: of the game.
        where: as `game_options` returns it.

    Raises:
        ServerError: there can be no such game there.
    """

    def __init__(self, rules: Rules, where: Mapping[str, Any]) -> None:
        self.rules = rules
        self._pid = os.getpid()
        options = rules.options()
        self._envs: PommegoVectorEnv = make_vec(
            **options,
            **where,
            observation="raw",
            reward="reference",
            autoreset_mode="Disabled",
            workers=1,
        )
        self._begun = False

    @property
    def usable(self) -> bool:
        """Whether it is this process's, and not its parent's, and open."""
        return self._pid == os.getpid() and not self._envs.closed

    def deal(self, seed: int) -> dict[str, Any]:
        """Begin a game on a fresh board, the first of this seed.

        Returns:
            the game as saved: the original's fields, JSON texts as their values.
        """
        self._envs.reset(seed=seed)
        self._begun = True
        return self._envs.get_state(0, as_json=True)

    def put(self, state: Mapping[str, Any]) -> None:
        """Set the game, as saved with the original's fields.

        Raises:
            ServerError: no game can stand like this.
        """
        if not self._begun:
            self._envs.reset(seed=0)
            self._begun = True
        self._envs.set_state(0, dict(state))

    def text(self, *, colour: bool) -> str:
        """Draw the game as text."""
        return self._envs.render(0, colour=colour)

    def image(self, tile: int) -> NDArray[np.uint8]:
        """Draw the game: uint8 (height, width, 3), so many pixels a tile."""
        return self._envs.render(0, tile=tile)

    def close(self) -> None:
        """Leave the server. Idempotent."""
        self._envs.close()
