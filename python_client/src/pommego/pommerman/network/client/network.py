"""A player's connection to a server of matches."""

from __future__ import annotations

import json
from typing import Any

from pommego.pommerman.network import messages, sockets
from pommego.pommerman.network.messages import Intent

__all__ = ["Network"]


class Network:
    """One connection, which plays one match after the other.

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
        reply = self._receive(Intent.status_ok)
        return [reply["players"], reply["matches"]]

    def join_list(self, room: str | bool = False) -> None:
        """Ask for a match with those who name the same room, or none."""
        if room:
            self._send(Intent.room, room=str(room))
        else:
            self._send(Intent.match)
        reply = self._receive(Intent.status_reg)
        self.id, self.mode = reply["player_id"], reply["mode"]

    def wait_match(self) -> None:
        """Wait until the match begins."""
        self.match_id = self._receive(Intent.match_start)["match_id"]

    def match_get(self) -> list[Any]:
        """Wait for the next event of the match.

        Returns:
            [0, observation, turn] when it is this player's turn, [1] when it is
            dead, [2, reward, cell value of its agent] at the end.
        """
        message = self._connection.receive()
        if isinstance(message, str):
            end = self._expect(json.loads(message), Intent.match_end)
            return [2, int(end["reward"]), int(end["agent"])]
        turn = messages.unpack(message)
        return [1] if turn["d"] else [0, messages.observation(turn["o"]), turn["i"]]

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
        status, *record = messages.unpack(self._connection.receive())
        if Intent(status) is not Intent.status_ok:
            raise LookupError(f"the server has no match {id!r}")
        return record[0]

    def close(self) -> None:
        """Leave the server. Idempotent."""
        self._connection.close()

    def _send(self, intent: Intent, **fields: Any) -> None:
        self._connection.send(json.dumps({"intent": intent.value, **fields}))

    def _receive(self, wanted: Intent) -> dict[str, Any]:
        return self._expect(json.loads(self._connection.receive()), wanted)

    @staticmethod
    def _expect(message: dict[str, Any], wanted: Intent) -> dict[str, Any]:
        intent = Intent(message["intent"])
        if intent is Intent.status_full:
            raise ConnectionRefusedError("the server is full: no more players, or none in this room")
        if intent is not wanted:
            raise ConnectionError(f"the server sent {intent.name}, expected {wanted.name}")
        return message
