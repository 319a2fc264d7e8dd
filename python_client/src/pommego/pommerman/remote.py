"""The server behind the environments of this package: one for the whole process."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from pommego.making import make_vec
from pommego.pommerman import constants
from pommego.server import Server
from pommego.vector import PommegoVectorEnv

__all__ = ["Rules", "game_options"]

_BASE = {  # an id for each game type; rules set everything else
    constants.GameType.FFA: "PommeFFACompetition-v0",
    constants.GameType.Team: "PommeTeam-v0",
    constants.GameType.TeamRadio: "PommeTeam-v0",  # the words are kept here unchanged
    constants.GameType.OneVsOne: "OneVsOne-v0",
}
_LARGEST_BLAST = 10

_starting = threading.Lock()
_server: tuple[int, Server] | None = None  # and the process that started it


def game_options(
    address: str | None = None,
    token: str | None = None,
    ca_file: str | os.PathLike[str] | None = None,
    client_cert: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Return the options of `make_vec` that select the server.

    Args:
        address: the address of a running server; None: the process's own, started on
            first use and stopped when Python ends. After a fork the child starts
            another.
        token: the token of the server at `address`.
        ca_file: with a server at wss://, as for `make_vec`.
        client_cert: the same.
    """
    global _server  # noqa: PLW0603, one server for the process is intended
    if address is not None:
        return {"address": address, "token": token, "ca_file": ca_file, "client_cert": client_cert}
    if ca_file or client_cert:
        raise ValueError("ca_file and client_cert are for a server at address=wss://...")
    with _starting:
        if _server is None or _server[0] != os.getpid() or not _server[1].running:
            _server = os.getpid(), Server(transport="unix")
        return {"address": _server[1].address, "token": _server[1].token}


class Rules(NamedTuple):
    """The options of `Pomme` that the server needs."""

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
        """The most that range items lead to: the view size, if the view is limited."""
        return self.agent_view_size or _LARGEST_BLAST

    @property
    def seats(self) -> int:
        """The number of seats on the server."""
        return 2 if self.game_type is constants.GameType.OneVsOne else 4

    def make(self, where: Mapping[str, Any]) -> PommegoVectorEnv:
        """Make one game on a server, for its boards and pictures.

        Its board does not collapse there; `envs.v1.Pomme` does that in Python.

        Args:
            where: as `game_options` returns it.

        Raises:
            ServerError: the server does not accept such a game.
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
        envs = make_vec(
            _BASE[self.game_type],
            rules=rules,
            observation="raw",
            reward="reference",
            autoreset_mode="Disabled",
            workers=1,
            **where,
        )
        envs.reset(seed=0)
        return envs
