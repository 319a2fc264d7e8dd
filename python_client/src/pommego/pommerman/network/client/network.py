"""A player's connection to a server of matches."""

from __future__ import annotations

import json
from typing import Any

from pommego.pommerman.network import messages, sockets
from pommego.pommerman.network.messages import Intent

__all__ = ["Network"]


class Network:
    """One connection, which plays one match after the other.

    Its methods raise an OSError when the connection breaks or the server sends another
    message than the one that is due, and a ValueError when a message cannot be read.

    Args:
        ip: the server's address, host:port.

    Attributes:
        id: the id of this player, once `join_list` has been called.
        mode: the id of the game that the server plays.
        match_id: the id of the match, once `wait_match` has returned.

    Raises:
        OSError: there is no server.
        ValueError: `ip` is not host:port.
    """

    def __init__(self, ip: str) -> None:
        host, _, port = str(ip).rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"{ip!r} is not host:port")
        self._connection = sockets.connect(host, int(port))
        self.id = self.mode = self.match_id = ""

    def server_status(self) -> list[int]:
        """Return how many players are on the server, and how many matches are played."""
        self._send(Intent.check)
        return self._receive(Intent.status_ok, players=int, matches=int)

    def join_list(self, room: str | bool = False) -> None:
        """Ask for a match with those who name the same room, or none."""
        if room:
            self._send(Intent.room, room=str(room))
        else:
            self._send(Intent.match)
        self.id, self.mode = self._receive(Intent.status_reg, player_id=str, mode=str)

    def wait_match(self) -> None:
        """Wait until the match begins."""
        (self.match_id,) = self._receive(Intent.match_start, match_id=str)

    def match_get(self) -> list[Any]:
        """Wait for the next event of the match.

        Returns:
            [0, observation, turn] when it is this player's turn, [1] when it is
            dead, [2, reward, cell value of its agent] at the end.
        """
        message = self._connection.receive()
        if isinstance(message, str):
            return [2, *_fields(message, Intent.match_end, reward=int, agent=int)]
        with messages.reading("a turn"):
            turn = messages.unpack(message)
            return [1] if turn["d"] else [0, messages.observation(turn["o"]), str(turn["i"])]

    def send_move(self, action: Any, turn_id: str) -> None:
        """Send the action of a turn."""
        self._send(
            Intent.match_act, player_id=self.id, act=int(action), match_id=self.match_id, turn_id=turn_id
        )

    def get_replay(self, id: str) -> dict[str, Any]:
        """Return the record of a match.

        Raises:
            LookupError: the server has none of that id.
        """
        self._send(Intent.replay, replay_id=id)
        with messages.reading("a record"):
            status, *record = messages.unpack(self._connection.receive())
            found = [dict(part) for part in record] if Intent(status) is Intent.status_ok else []
        if not found:
            raise LookupError(f"the server has no match {id!r}")
        return found[0]

    def close(self) -> None:
        """Leave the server. Idempotent."""
        self._connection.close()

    def _send(self, intent: Intent, **fields: Any) -> None:
        self._connection.send(json.dumps({"intent": intent.value, **fields}))

    def _receive(self, wanted: Intent, **types: type) -> list[Any]:
        return _fields(self._connection.receive(), wanted, **types)


def _fields(text: str | bytes, wanted: Intent, **types: type) -> list[Any]:
    """Read a message of this intent, and return its fields."""
    message = messages.parse(text)
    intent = Intent(message["intent"])
    if intent is Intent.status_full:
        raise ConnectionRefusedError("the server is full: no more players, or none in this room")
    if intent is not wanted:
        raise ConnectionError(f"the server sent {intent.name}, expected {wanted.name}")
    with messages.reading(f"a message {wanted.name}"):
        return [kind(message[name]) for name, kind in types.items()]
