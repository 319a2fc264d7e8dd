"""The requests of an environment to its games, wherever they are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import View
from pommego._transport import wire
from pommego.server import Server
from pommego.spec import Encoding, GameSpec


@dataclass(frozen=True)
class About:
    """The facts about an environment's games that do not change."""

    made: wire.EnvReply  # the server's reply; its rows are those of all learners, policies included
    spec: GameSpec
    encoding: Encoding
    state_encoding: Encoding | None
    games: int  # games in a batch
    learners: int  # rows per game
    expand: bool  # whether fields that the seats of a game share are repeated for each row
    max_in_flight: int  # how many steps may be sent before the first is received
    workers: int  # how many threads step the games; 0: the server chooses
    lists_rows: bool  # whether batches of all games list their rows, too
    policy_seats: tuple[int, ...] = ()  # the opponents' seats that policies in Python play


class Session(Protocol):
    """The games of one environment.

    `Games` are on one server, `JoinedGames` in several portions, `ActorGames` in an actor of Ray,
    and in `PolicyGames` policies play some rows. Before any other request the caller receives the steps in
    flight, or abandons them. It sends no more than `max_in_flight`.
    """

    about: About
    server: Server | None  # the embedded one, if there is one
    address: str  # of the server, servers or actor
    timeout: float  # seconds to wait for one reply; may be changed
    closed: bool  # whether requests are impossible now

    def send(
        self, actions: ArrayLike, games: NDArray[np.int32] | None = None, *, reuse: bool = False
    ) -> None:
        """Begin a step of all games or, with a batch size, of these. `reuse` overwrites the last batch."""

    def recv(self) -> View:
        """Wait for the batch of the oldest step in flight or, with a batch size, of the first games ready."""

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a function of `Games` where the games are, such as ``Games.reset`` or ``saved.simulate``."""

    def close(self) -> None:
        """Free the games; stop their server if it is their own. Idempotent."""
