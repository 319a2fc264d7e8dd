"""Which server has which games, and where the games go when it is lost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from pommego._core.games import Games
from pommego._core.opponents import LineUps
from pommego._core.portion import Make, Portion
from pommego._core.session import Session
from pommego._core.several import FirstReady, JoinedGames
from pommego._transport.websocket import any_readable
from pommego.errors import ConnectionError, PommegoError, ServerError, TimeoutError, on_failure

_MOST_PORTIONS = 32  # connections to one server
_PAUSE = 0.2  # seconds between rounds in which no server could be reached

#: Makes games at an address, with these options of their own.
Connect = Callable[[str | None, dict[str, Any]], Session]


def split(games: int, hosts: int, what: str) -> list[int]:
    if games < hosts:
        raise ValueError(f"{hosts} {what} for {games} game{'s'[games == 1 :]}: give each one game at least")
    return [games // hosts + (k < games % hosts) for k in range(hosts)]


class Hosts:
    """Servers or actors that share the games of an environment."""

    retries: float
    first_ready: FirstReady

    def join(
        self, connect: Connect, games: int, batch_size: int | None, line_ups: LineUps | None
    ) -> JoinedGames:
        made: list[Portion] = []
        makes: list[tuple[Make, int, int]] = []
        first = 0
        for host, count in self.portions(games, batch_size):
            own: dict[str, Any] = {"games": count, "first": first}
            if line_ups is not None and line_ups.by_game is not None:
                own |= line_ups.of_games(slice(first, first + count)).fields()
            makes.append((self.maker(connect, host, own), first, count))
            first += count
        known = len(line_ups.line_ups) if line_ups else 1
        with on_failure(lambda: [portion.games.close() for portion in made]):
            for make, at, count in makes:
                made.append(Portion(make, at, count, line_ups=known, retries=self.retries))
            return JoinedGames(made, batch_size, self.first_ready)

    def portions(self, games: int, batch_size: int | None) -> list[tuple[Any, int]]:
        """Return the host and the number of games of each portion."""

    def maker(self, connect: Connect, host: Any, own: dict[str, Any]) -> Make:
        """Return what makes a portion's games, with options of their own: first at its host."""


class Servers(Hosts):
    """Servers at one or several addresses."""

    def __init__(self, addresses: str | Sequence[str], replace: bool | Sequence[str], timeout: float) -> None:
        addresses = [addresses] if isinstance(addresses, str) else list(addresses)
        if not addresses:
            raise ValueError("address is an empty list: name a server, or leave it out to have one started")
        if not all(isinstance(entry, str) for entry in addresses):
            raise TypeError(f"address is one address or a list of them, not {addresses!r}")
        if isinstance(replace, str):
            raise TypeError(f"replace is True, False or a list of addresses, such as [{replace!r}]")
        self.retries = math.inf if replace else 0
        self._addresses, self._timeout = addresses, timeout
        self._spares = [] if isinstance(replace, bool) else list(replace)

    def portions(self, games: int, batch_size: int | None) -> list[tuple[str, int]]:
        counts = split(games, len(self._addresses), "servers")
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

    def maker(self, connect: Connect, host: str, own: dict[str, Any]) -> Make:
        """Return what makes a portion's games: at its own server, and later where they can be."""
        at = host

        def make(why: Exception | None) -> Session:
            nonlocal at
            if why is None:
                return connect(at, own)
            deadline = time.monotonic() + self._timeout
            while True:
                for address in self._tried(at, why):
                    try:
                        games, at = connect(address, own), address
                        return games
                    except PommegoError as e:
                        if not _may_pass(e):
                            raise
                        last = e
                if time.monotonic() > deadline:
                    said = f"no server took over the games within {self._timeout:g} s; the last error: {last}"
                    raise ConnectionError(said) from last
                time.sleep(_PAUSE)

        return make

    @staticmethod
    def first_ready(waiting: Sequence[Games], seconds: float) -> list[Games]:
        """Wait for the first batches to begin to arrive, without shared memory; returns whose."""
        found = [games for games in waiting if games.client.has_reply()]
        if not found and any_readable([games.client.fileno() for games in waiting], seconds):
            found = [games for games in waiting if games.client.has_reply()]
        return found

    def _tried(self, at: str, why: Exception) -> list[str]:
        """Return the addresses to try, in their order: a server that did not answer in time comes last."""
        others = [address for address in self._addresses if address != at]
        near = [*others, at] if isinstance(why, TimeoutError) else [at, *others]
        return list(dict.fromkeys([*self._spares, *near]))


def _may_pass(error: PommegoError) -> bool:
    return isinstance(error, ConnectionError | TimeoutError) or (
        isinstance(error, ServerError) and error.code == "limit"
    )
