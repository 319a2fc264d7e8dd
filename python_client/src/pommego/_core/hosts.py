"""Which server has which games, and which one gets them when it is lost."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from pommego._core.opponents import LineUps
from pommego._core.portion import Make, Portion
from pommego._core.session import Session
from pommego._core.several import JoinedGames
from pommego.errors import ConnectionError, PommegoError, ServerError, TimeoutError, on_failure

_PAUSE = 0.2  # seconds to wait after all servers have been tried without success

#: Makes games at an address, with these options for these games.
Connect = Callable[[str | None, dict[str, Any]], Session]


class Hosts:
    """Servers or actors that share the games of an environment."""

    hosts: Sequence[Any]
    kind: str  # what to call them in messages
    retries: float

    def join(self, connect: Connect, games: int, line_ups: LineUps | None) -> JoinedGames:
        if games < len(self.hosts):
            few = f"{games} game{'s'[games == 1 :]}"
            raise ValueError(f"{len(self.hosts)} {self.kind} for {few}: give each at least one game")
        made: list[Portion] = []
        makes: list[tuple[Make, int, int]] = []
        first = 0
        for k, host in enumerate(self.hosts):
            count = games // len(self.hosts) + (k < games % len(self.hosts))
            own: dict[str, Any] = {"games": count, "first": first}
            if line_ups is not None and line_ups.by_game is not None:
                own |= line_ups.of_games(slice(first, first + count)).fields()
            makes.append((self.maker(connect, host, own), first, count))
            first += count
        with on_failure(lambda: [portion.games.close() for portion in made]):
            for make, at, count in makes:
                made.append(Portion(make, at, count, retries=self.retries))
            return JoinedGames(made)

    def maker(self, connect: Connect, host: Any, own: dict[str, Any]) -> Make:
        """Return a function that makes a portion's games, first at its host, with the options `own`."""


class Servers(Hosts):
    """Servers at one or several addresses."""

    kind = "servers"

    def __init__(self, addresses: str | Sequence[str], replace: bool | Sequence[str], timeout: float) -> None:
        addresses = [addresses] if isinstance(addresses, str) else list(addresses)
        if not addresses:
            raise ValueError("address is an empty list, expected a server; leave it out to start one")
        if not all(isinstance(entry, str) for entry in addresses):
            raise TypeError(f"address is {addresses!r}, expected one address or a list of them")
        if isinstance(replace, str):
            raise TypeError(f"replace is {replace!r}, expected True, False or a list: [{replace!r}]")
        self.retries = math.inf if replace else 0
        self._given, self._timeout = tuple(addresses), timeout
        self.hosts = addresses  # where games are now: a clone's begin there
        self._spares = [] if isinstance(replace, bool) else list(replace)

    def maker(self, connect: Connect, host: str, own: dict[str, Any]) -> Make:
        """Return a function that makes a portion's games: first at its own server, later at any."""
        at = host

        def make(why: Exception | None) -> Session:
            nonlocal at
            if why is None:
                return connect(at, own)
            deadline = time.monotonic() + self._timeout
            while True:
                for address in self._tried(at, why):
                    try:
                        games = connect(address, own)
                        if at in self.hosts:  # else a clone, or its original, has moved there first
                            self.hosts[self.hosts.index(at)] = address
                        at = address
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

    def _tried(self, at: str, why: Exception) -> list[str]:
        """Return the addresses to try, in order: a server that did not answer in time comes last."""
        others = [address for address in self._given if address != at]
        near = [*others, at] if isinstance(why, TimeoutError) else [at, *others]
        return list(dict.fromkeys([*self._spares, *near]))


def _may_pass(error: PommegoError) -> bool:
    return isinstance(error, ConnectionError | TimeoutError) or (
        isinstance(error, ServerError) and error.code == "limit"
    )
