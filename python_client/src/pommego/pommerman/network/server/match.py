"""One match between players on the network."""

from __future__ import annotations

import contextlib
import json
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pommego.pommerman import agents, configs, constants
from pommego.pommerman.network import messages
from pommego.pommerman.network.messages import Intent
from pommego.pommerman.network.sockets import Connection

__all__ = ["Match", "Player"]

_ACTIONS = range(6)


@dataclass(eq=False)
class Player:
    """A player in a match, or waiting for one."""

    id: str
    connection: Connection
    room: str

    def send(self, message: str | bytes) -> None:
        """Send a message; a player that has disconnected does not get it."""
        with contextlib.suppress(OSError):
            self.connection.send(message)


class Match:
    """A match. `play` plays it in one thread while others hand in actions with `act`.

    A player that does not answer in time, or has left, stops.

    Args:
        mode: the game's id.
        players: by seat.
        timeout: seconds for an answer.
        folder: where the record goes.
    """

    def __init__(self, mode: str, players: list[Player], timeout: float, folder: Path) -> None:
        self.id = uuid.uuid4().hex[:10]
        self.players = players
        self._mode, self._timeout, self._folder = mode, timeout, folder
        self._changed = threading.Condition()
        self._turn = ""
        self._answers: dict[int, int] = {}

    def act(self, player_id: str, turn_id: str, action: Any) -> None:
        """Take a player's action; an action for another turn or an invalid one is ignored."""
        with self._changed:
            for seat, player in enumerate(self.players):
                if player.id == player_id and turn_id == self._turn and action in _ACTIONS:
                    self._answers[seat] = int(action)
            self._changed.notify()

    def player_left(self) -> None:
        """Check which players are still connected."""
        with self._changed:
            self._changed.notify()

    def play(self) -> None:
        """Play to the end, keep the record, and tell the players."""
        config = configs.by_id(self._mode)
        env = config["env"](**config["env_kwargs"])
        env.set_agents([agents.BaseAgent() for _ in self.players])
        for seat, agent in enumerate(env._agents):
            agent.init_agent(seat, config["game_type"])
        with env:
            obs = env.reset()
            record: dict[str, Any] = {
                "board": env._board.tolist(),
                "actions": [],
                "mode": self._mode,
                "state": env.get_json_info(),  # the original's records lack the hidden items
            }
            for player in self.players:
                player.send(json.dumps({"intent": Intent.match_start.value, "match_id": self.id}))
            done = False
            while not done:
                record["actions"].append(self._ask(obs))
                obs, rewards, done, _ = env.step(record["actions"][-1])
        record["reward"] = rewards
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{self.id}.json").write_text(json.dumps(record))
        for seat, player in enumerate(self.players):
            end = {"reward": rewards[seat], "agent": constants.Item.Agent0.value + seat}
            player.send(json.dumps({"intent": Intent.match_end.value, **end}))

    def _ask(self, obs: list[dict[str, Any]]) -> list[int]:
        """Send each player its observation, and wait for the actions of the living."""
        turn = uuid.uuid4().hex[:5]
        with self._changed:
            self._turn, self._answers = turn, {}
        living = [seat for seat in range(len(self.players)) if 10 + seat in obs[0]["alive"]]
        for seat, player in enumerate(self.players):
            alive = seat in living
            player.send(messages.pack({"o": obs[seat], "i": turn, "d": False} if alive else {"d": True}))
        until = time.monotonic() + self._timeout
        with self._changed:
            while self._missing(living) and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            return [self._answers.get(seat, 0) for seat in range(len(self.players))]

    def _missing(self, living: list[int]) -> bool:
        return any(seat not in self._answers and not self.players[seat].connection.closed for seat in living)
