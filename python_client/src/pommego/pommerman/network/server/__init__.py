"""Brings players together and plays their matches; see `pommego.pommerman.network`."""

from __future__ import annotations

import argparse
import json
import re
import socketserver
import sys
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pommego.pommerman import configs, constants
from pommego.pommerman.network import messages, sockets
from pommego.pommerman.network.messages import Intent
from pommego.pommerman.network.server.match import Match, Player

__all__ = ["Server", "init", "run"]

_MODES = [name for name in configs.IDS if not name.endswith("v2")]  # actions are single numbers


class Server(socketserver.ThreadingTCPServer):
    """A server of matches on this machine's loopback interface.

    Players that have named the same room, or none, play as soon as there are enough of
    them. The server runs in its own threads from the start; `close` ends it and all
    connections.

    Args:
        port: the port to listen on; 0: any free port.
        max_players: the most players that may be connected.
        timeout: seconds that a player has for an action.
        mode: the game's id.
        max_matches: the most matches at a time; 0: no limit but that of players.
        folder: the folder for the records of matches.

    Raises:
        ValueError: the id is unknown or has radio, or there would be too few players.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self,
        port: int,
        max_players: int,
        timeout: float,
        mode: str,
        max_matches: int = 0,
        folder: str | Path = "matches",
    ) -> None:
        if mode not in _MODES:
            raise ValueError(f"mode is {mode!r}, expected one of {_MODES}")
        duel = configs.by_id(mode)["game_type"] is constants.GameType.OneVsOne
        self._seats = 2 if duel else 4
        if max_players < self._seats:
            raise ValueError(f"max_players is {max_players}, expected at least the {self._seats} of {mode}")
        self._max_players, self._max_matches = max_players, max_matches or max_players // self._seats
        self._timeout, self._mode, self._folder = timeout, mode, Path(folder)
        self._lock = threading.RLock()
        self._players: list[Player] = []
        self._matches: dict[str, Match] = {}
        self._connections: set[sockets.Connection] = set()
        super().__init__(("127.0.0.1", port), _Visit)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        """The address for clients: host:port."""
        host, port = self.server_address[:2]
        return f"{host}:{port}"

    def close(self) -> None:
        """Stop answering and close all connections. Idempotent."""
        self.shutdown()
        self.server_close()
        with self._lock:
            for connection in self._connections:
                connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Called by connections ----------------------------------------------------

    def opened(self, connection: sockets.Connection) -> None:
        """Add a connection."""
        with self._lock:
            self._connections.add(connection)

    def left(self, connection: sockets.Connection) -> None:
        """Remove a connection, and tell the matches in which it played."""
        connection.close()
        with self._lock:
            self._connections.discard(connection)
            self._players = [player for player in self._players if player.connection is not connection]
            for match in self._matches.values():
                match.player_left()

    def answer(self, connection: sockets.Connection, message: dict[str, Any]) -> None:
        """Handle a message."""
        intent = Intent(message["intent"])
        if intent is Intent.check:
            with self._lock:
                counts = {"players": len(self._players), "matches": len(self._matches)}
            connection.send(json.dumps({"intent": Intent.status_ok.value, **counts}))
        elif intent in (Intent.match, Intent.room):
            self._join(connection, str(message["room"]) if intent is Intent.room else "")
        elif intent is Intent.match_act:
            match = self._matches.get(message["match_id"])
            if match is not None:
                match.act(message["player_id"], message["turn_id"], message["act"])
        elif intent is Intent.replay:
            connection.send(messages.pack(self._record(str(message["replay_id"]))))

    def _join(self, connection: sockets.Connection, room: str) -> None:
        with self._lock:
            if len(self._players) >= self._max_players:
                connection.send(json.dumps({"intent": Intent.status_full.value}))
                return
            player = Player(str(uuid.uuid4()), connection, room)
            registered = {"player_id": player.id, "mode": self._mode}
            connection.send(json.dumps({"intent": Intent.status_reg.value, **registered}))
            self._players.append(player)
            self._begin()

    def _begin(self) -> None:
        """Begin the matches for which there are enough players. The caller holds the lock."""
        playing = {player for match in self._matches.values() for player in match.players}
        rooms: dict[str, list[Player]] = {}
        for player in self._players:
            if player not in playing:
                rooms.setdefault(player.room, []).append(player)
        for waiting in rooms.values():
            while len(waiting) >= self._seats and len(self._matches) < self._max_matches:
                players, waiting[: self._seats] = waiting[: self._seats], []
                match = Match(self._mode, players, self._timeout, self._folder)
                self._matches[match.id] = match
                threading.Thread(target=self._play, args=(match,), daemon=True).start()

    def _play(self, match: Match) -> None:
        try:
            match.play()
        finally:
            with self._lock:
                del self._matches[match.id]
                self._players = [player for player in self._players if player not in match.players]
                self._begin()

    def _record(self, match_id: str) -> list[Any]:
        """Return the reply to a request for a record."""
        path = self._folder / f"{match_id}.json"
        if not re.fullmatch("[a-z0-9-]+", match_id) or not path.is_file():
            return [Intent.status_fail.value]
        return [Intent.status_ok.value, json.loads(path.read_text())]


class _Visit(socketserver.BaseRequestHandler):
    """One connection to a `Server`. An error in it ends this connection and nothing else."""

    server: Server

    def handle(self) -> None:
        try:
            connection = sockets.accept(self.request)
        except OSError:
            return
        self.server.opened(connection)
        try:
            while True:
                with messages.reading("a message"):
                    self.server.answer(connection, messages.parse(connection.receive()))
        except (OSError, ValueError):
            pass
        finally:
            self.server.left(connection)


def run(
    port: int,
    max_players: int,
    timeout: float,
    mode: str,
    max_matches: int | bool = False,
    ui_en: bool = False,
    exit_handler: bool = False,
) -> None:
    """Serve until interrupted.

    Args:
        port: see `Server`.
        max_players: see `Server`.
        timeout: see `Server`.
        mode: see `Server`.
        max_matches: see `Server`.
        ui_en: whether to print the address.
        exit_handler: whether an interrupt ends it without an error.
    """
    with Server(port, max_players, timeout, mode, int(max_matches)) as server:
        if ui_en:
            print(f"serving {mode} on {server.address}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            if not exit_handler:
                raise


def init(arguments: Sequence[str] | None = None) -> None:
    """Read options and serve.

    Args:
        arguments: the options; None: those of the command line.
    """
    parser = argparse.ArgumentParser(description="Serve matches between agents on the network.")
    parser.add_argument("--port", type=int, default=5050, help="the port to listen on; 0: any free port")
    parser.add_argument("--max-players", type=int, default=16, help="the most players that may be connected")
    parser.add_argument("--timeout", type=float, default=0.5, help="seconds that a player has for an action")
    parser.add_argument("--mode", default="PommeFFACompetition-v0", help=f"one of {', '.join(_MODES)}")
    options = parser.parse_args(arguments)
    try:
        run(options.port, options.max_players, options.timeout, options.mode, ui_en=True, exit_handler=True)
    except (OSError, ValueError) as error:
        sys.exit(f"server: {error}")
