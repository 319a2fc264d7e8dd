"""Games split between several servers: which has which, and where they go when one is lost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from pommego.errors import ConnectionError, PommegoError, ServerError, TimeoutError
from pommego.joined import JoinedGames, no_policies
from pommego.opponents import LineUps
from pommego.parts import Make
from pommego.state import Games

__all__ = ["Servers", "shares"]

_MOST_PORTIONS = 32  # environments, and so connections, for one server
_PAUSE = 0.2  # seconds between rounds in which no server could be reached

#: Makes games at an address, with these options of their own.
Connect = Callable[[str, dict[str, Any]], Games]


def shares(games: int, places: int, what: str) -> list[int]:
    """Split games evenly between places.

    Raises:
        ValueError: there are fewer games than places.
    """
    if games < places:
        raise ValueError(f"{places} {what} for {games} games: give each one game at least")
    return [games // places + (k < games % places) for k in range(places)]


class Servers:
    """The servers that share the games of an environment.

    Args:
        addresses: of the servers.
        games: how many games there are.
        batch_size: games of a batch, None for all.
        replace: as `pommego.make_vec` has it.
        timeout: seconds that finding another server may take.

    Raises:
        ValueError, TypeError: the arguments do not fit together.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        games: int,
        batch_size: int | None,
        replace: bool | Sequence[str],
        timeout: float,
    ) -> None:
        if not addresses:
            raise ValueError("address is an empty list: name a server, or leave it out to have one started")
        for entry in addresses:
            if not isinstance(entry, str):
                raise TypeError(f"address is one address or a list of them, not {addresses!r}")
        if isinstance(replace, str):
            raise TypeError(f"replace is True, False or a list of addresses, such as [{replace!r}]")
        self._addresses, self._keep, self._timeout = list(addresses), bool(replace), timeout
        self._spares = [] if isinstance(replace, bool) else list(replace)
        self._batch_size = batch_size
        self._counts = shares(games, len(addresses), "servers")
        self.portions = self._portions(games)

    def _portions(self, games: int) -> list[tuple[str, int]]:
        """Return the address and the number of games of each part."""
        size, share = self._batch_size, self._counts[0]
        if size is None or size == games:
            return list(zip(self._addresses, self._counts, strict=True))
        each = math.gcd(size, share)
        if len(set(self._counts)) > 1 or share // each > _MOST_PORTIONS:
            raise ValueError(
                f"batch_size is {size}, and {len(self._addresses)} servers share {games} games: make "
                "num_envs a multiple of the servers, and batch_size a multiple or a divisor of "
                f"a server's games; at most {_MOST_PORTIONS} portions of a server's games"
            )
        return [(address, each) for address in self._addresses for _ in range(share // each)]

    def join(self, connect: Connect, line_ups: LineUps | None) -> JoinedGames:
        """Make the games of all."""
        no_policies(line_ups)
        makes: list[Make] = []
        first = 0
        for address, count in self.portions:
            own: dict[str, Any] = {"games": count}
            if line_ups is not None and line_ups.by_game is not None:
                own |= line_ups.of_games(first, first + count).fields()
            makes.append(self._maker(connect, address, own))
            first += count
        counts = [count for _, count in self.portions]
        return JoinedGames(makes, counts, batch_size=self._batch_size, keep=self._keep)

    def _maker(self, connect: Connect, address: str, own: dict[str, Any]) -> Make:
        """Return what makes a part's games: at its own server, and later where they can be."""
        at = address

        def make(why: Exception | None) -> Games:
            nonlocal at
            if why is None:
                return connect(at, own)
            games, at = self._anywhere(lambda where: connect(where, own), at, why)
            return games

        return make

    def _anywhere(self, connect: Callable[[str], Games], at: str, why: Exception) -> tuple[Games, str]:
        """Make games at the first server that takes them."""
        same = [] if isinstance(why, TimeoutError) else [at]
        places = dict.fromkeys([*self._spares, *same, *self._addresses])
        if not same:
            places.pop(at)
        last: PommegoError = ConnectionError("there is no other server")
        deadline = time.monotonic() + self._timeout
        while True:
            for place in places:
                try:
                    return connect(place), place
                except (ConnectionError, TimeoutError) as e:
                    last = e
                except ServerError as e:
                    if e.code != "limit":
                        raise
                    last = e
            if time.monotonic() > deadline or not places:
                raise ConnectionError(f"no server takes the games over; the last said: {last}")
            time.sleep(_PAUSE)
