"""A portion of an environment's games, which is made again elsewhere when it is lost.

A portion keeps what it needs for that: the states of its games at some moment, and the actions
since. When its server or actor is lost, the games are made again, restored, and stepped
to where they were. This gives the same games, so no step is lost or made twice.
"""

import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import View
from pommego._core.games import Games
from pommego._core.opponents import LineUps, keep_outside
from pommego._core.saved import restore, save
from pommego._core.session import Session
from pommego.errors import (
    ClosedError,
    ConnectionError,
    ForkedError,
    GamePanicError,
    ServerError,
    TimeoutError,
    counted_from,
)

_SAVE_EVERY = 64  # steps between saves: after a loss the steps since the last one are repeated

#: Makes the games of a portion. It is given the error with which they were lost, None the first time.
Make = Callable[[Exception | None], Session]

_log = logging.getLogger("pommego")


@dataclass(frozen=True)
class Host:
    """A server or actor that has some games; how often they were lost, and the last error."""

    name: str
    games: range
    lost: int
    error: str


class Portion:
    """Some games of an environment, which one server or actor steps together."""

    def __init__(self, make: Make, numbers: range, *, retries: float) -> None:
        self._make, self._retries = make, retries
        self.games = make(None)
        self.first, self.numbers, self.slice = numbers.start, numbers, slice(numbers.start, numbers.stop)
        self.under_way = False
        self._unsure = False  # whether an interrupt may have lost the last of the actions below
        self.lost, self.error = 0, ""
        self._saved: list[bytes] | None = None  # None: the games have not been reset yet
        self._since: list[NDArray[np.uint8]] = []  # the actions of the steps since then, with that under way
        self._set: dict[Callable[..., Any], Any] = {}  # settings, by their function
        self._outside: dict[frozenset[str], LineUps] = {}  # opponents, by their agents outside

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Ask the games for something; see `Session.ask`."""
        return self._do(lambda games: games.ask(what, *args, **options))

    def _do(self, what: Callable[[Session], Any]) -> Any:
        """Call a function with the games. If they are lost, make them again and repeat the call."""
        while True:
            try:
                with counted_from("the games", self.first):
                    return what(self.games)
            except ForkedError:
                raise
            except (ConnectionError, TimeoutError, ClosedError) as e:
                self._make_anew(e)

    def _make_anew(self, error: Exception) -> None:
        """Make the games again; try it for as long as one reply may take."""
        whose = f"games {self.first} to {self.numbers[-1]}, at {self.games.address}"
        named, last = type(error)(f"{whose}: {error}"), error
        timeout = self.games.timeout
        deadline = time.monotonic() + timeout
        while self.lost < self._retries:
            self.lost, self.error = self.lost + 1, str(last)
            self.games.close()
            try:
                self.games = self._make(last)
                self.games.timeout = timeout
                self._catch_up()
            except (ConnectionError, TimeoutError) as e:
                last = e
                if time.monotonic() > deadline:
                    break
                continue
            except BaseException:
                self.games.close()  # they have not caught up
                raise
            _log.warning("%s, are lost (%s) and go on at %s", whose, self.error, self.games.address)
            return
        raise named from last

    def _catch_up(self) -> None:
        """Bring new games to where the lost ones were."""
        games = self.games
        for line_ups in self._outside.values():  # states name agents of earlier ones
            with contextlib.suppress(ServerError):  # no state may need it any more
                games.ask(Games.set_opponents, line_ups)
        for what, given in self._set.items():
            games.ask(what, given)
        if self._saved is None:
            return
        games.ask(Games.reset, 0, None)
        games.ask(restore, list(range(len(self.numbers))), self._saved)
        done = len(self._since) - self.under_way
        for step, actions in enumerate(self._since):
            games.send(actions)
            if step < done:
                with contextlib.suppress(GamePanicError):  # as it was the first time
                    games.recv()

    def begin(self, actions: NDArray[np.uint8]) -> None:
        if self._retries and (self._unsure or len(self._since) >= _SAVE_EVERY):
            self._do(self._keep)
        self._unsure = True
        self._do(lambda games: games.send(actions))  # games that have caught up still lack this step
        if self._retries:
            self._since.append(actions)
        self.under_way, self._unsure = True, False

    def finish(self) -> View | ServerError:
        """Wait for the step; return its batch, or the server's error."""
        try:
            end = self._do(lambda games: games.recv())
        except ServerError as e:
            end = e
            if self._since and not isinstance(e, GamePanicError):  # the games have not made it
                self._since.pop()
            if "game" in e.details:
                e.details["game"] += self.first
        self.under_way = False
        return end

    def abandon(self) -> None:
        """Forget the current step; the games make it all the same."""
        self.games.ask(Games.abandon)
        self.under_way = False

    def set(self, what: Callable[..., Any], given: Any) -> None:
        """Set opponents or start states, and set them again if the games are made again."""
        self.change(what, given)
        self._set[what] = given
        if isinstance(given, LineUps):
            keep_outside(self._outside, given, self.games.about.spec.agents)

    def change(self, what: Callable[..., Any], *args: Any) -> Any:
        """Change the games other than by a step, and keep their states. A loss repeats both."""

        def change(games: Session) -> Any:
            done = games.ask(what, *args)
            if self._retries:
                self._keep(games)
            return done

        return self._do(change)

    def _keep(self, games: Session) -> None:
        with contextlib.suppress(ServerError):  # before the first reset, or after a bug in a game
            self._saved = games.ask(save, list(range(len(self.numbers))), False)
            self._since = []
