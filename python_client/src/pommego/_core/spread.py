"""Games split between several servers: which has which, and where they go when one is lost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from pommego._core.joined import JoinedGames, no_policies
from pommego._core.opponents import LineUps
from pommego._core.parts import Make
from pommego.errors import ConnectionError, PommegoError, ServerError, TimeoutError
from pommego.state import Games

__all__ = ["Connect", "Places", "Servers", "shares"]

_MOST_PORTIONS = 32  # environments, and so connections, for one server
_PAUSE = 0.2  # seconds between rounds in which no server could be reached

#: Makes games at an address, with these options of their own.
Connect = Callable[[str | None, dict[str, Any]], Games]


def shares(games: int, places: int, what: str) -> list[int]:
    """Split games evenly between places.

    Raises:
        ValueError: there are fewer games than places.
    """
    if games < places:
        raise ValueError(f"{places} {what} for {games} games: give each one game at least")
    return [games // places + (k < games % places) for k in range(places)]


class Places:
    """Several places that share the games of an environment.

    Attributes:
        keep: whether games are made anew that are lost.
    """

    keep: bool

    def join(
        self, connect: Connect, games: int, batch_size: int | None, line_ups: LineUps | None
    ) -> JoinedGames:
        """Make so many games.

        Args:
            connect: makes some of them at an address.
            games: how many there are.
            batch_size: games of a batch, None for all.
            line_ups: the opponents, if any were named.

        Raises:
            ValueError: the numbers do not fit together, or a policy is among the opponents.
        """
        no_policies(line_ups)
        makes: list[Make] = []
        portions = self.portions(games, batch_size)
        first = 0
        for place, count in portions:
            own: dict[str, Any] = {"games": count}
            if line_ups is not None and line_ups.by_game is not None:
                own |= line_ups.of_games(first, first + count).fields()
            makes.append(self.maker(connect, place, own))
            first += count
        counts = [count for _, count in portions]
        return JoinedGames(makes, counts, batch_size=batch_size, keep=self.keep)

    def portions(self, games: int, batch_size: int | None) -> list[tuple[Any, int]]:
        """Return the place and the number of games of each part."""
        raise NotImplementedError

    def maker(self, connect: Connect, place: Any, own: dict[str, Any]) -> Make:
        """Return what makes a part's games, with options of their own: first at its place, later anywhere."""
        raise NotImplementedError


class Servers(Places):
    """Servers at several addresses.

    Args:
        addresses: of the servers.
        replace: as `pommego.make_vec` has it.
        timeout: seconds that finding another server may take.

    Raises:
        ValueError, TypeError: the arguments are not as described.
    """

    def __init__(self, addresses: Sequence[str], replace: bool | Sequence[str], timeout: float) -> None:
        if not addresses:
            raise ValueError("address is an empty list: name a server, or leave it out to have one started")
        for entry in addresses:
            if not isinstance(entry, str):
                raise TypeError(f"address is one address or a list of them, not {addresses!r}")
        if isinstance(replace, str):
            raise TypeError(f"replace is True, False or a list of addresses, such as [{replace!r}]")
        self._addresses, self.keep, self._timeout = list(addresses), bool(replace), timeout
        self._spares = [] if isinstance(replace, bool) else list(replace)

    def portions(self, games: int, batch_size: int | None) -> list[tuple[str, int]]:
        """Return the address and the number of games of each part."""
        counts = shares(games, len(self._addresses), "servers")
        if batch_size is None or batch_size == games:
            return list(zip(self._addresses, counts, strict=True))
        each = math.gcd(batch_size, counts[0])
        if len(set(counts)) > 1 or counts[0] // each > _MOST_PORTIONS:
            raise ValueError(
                f"batch_size is {batch_size}, and {len(counts)} servers share {games} games: make "
                "num_envs a multiple of the servers, and batch_size a multiple or a divisor of "
                f"a server's games; at most {_MOST_PORTIONS} portions of a server's games"
            )
        return [(address, each) for address in self._addresses for _ in range(counts[0] // each)]

    def maker(self, connect: Connect, place: str, own: dict[str, Any]) -> Make:
        """Return what makes a part's games: at its own server, and later where they can be."""
        at = place

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
