"""What an environment asks its games for, wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import View
from pommego._transport import wire
from pommego.spec import Encoding, GameSpec

if TYPE_CHECKING:
    from pommego.server import Server


#: The numbers of some games; None: all.
Numbers = NDArray[np.int32] | None


@dataclass(frozen=True)
class About:
    """What stays the same of an environment's games."""

    made: wire.EnvReply  # what the server said of them; its rows are those of all learners, policies too
    spec: GameSpec
    encoding: Encoding
    state_encoding: Encoding | None
    games: int  # of a batch
    learners: int  # rows per game
    expand: bool  # whether what the seats of a game share is repeated for each row
    max_in_flight: int  # how many steps may be sent before the first is received
    workers: int  # how many step the games at a time; 0: the server chooses
    lists_rows: bool  # whether batches of all games list their rows, too
    policy_seats: tuple[int, ...] = ()  # which opponents' seats policies in Python play


class Session(Protocol):
    """The games of one environment.

    `Games` are on one server, `JoinedGames` in several portions, `ActorGames` in an actor of Ray,
    and `PolicyGames` have some of their rows played by policies. Before the caller asks for anything else it
    receives the steps in flight, or abandons them. It does not send more than may be in flight.
    """

    about: About
    server: Server | None  # the embedded one, if there is one
    address: str  # of the server, servers or actor
    timeout: float  # seconds to wait for one reply; may be changed
    closed: bool  # whether nothing can be asked any more

    def send(self, actions: ArrayLike, games: Numbers = None, *, reuse: bool = False) -> None:
        """Begin a step of all games or, with a batch size, of these; with `reuse` over the last batch."""

    def recv(self) -> View:
        """Wait for the batch of the oldest step in flight, or with a batch size of the first games ready."""

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a function of `Games` where the games are, such as ``Games.reset`` or ``saved.simulate``."""

    def close(self) -> None:
        """Free the games; stop their server if it is their own. Idempotent."""
