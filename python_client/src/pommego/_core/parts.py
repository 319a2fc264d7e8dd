"""The games that one of several servers or actors has, which go on elsewhere when they are lost.

What a part needs to go on is kept here: the states of its games at some moment and the
actions since. When it is lost, its games are made anew, restored and stepped to where
they were, which gives the same games; so a step neither is lost nor made twice.
"""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import View
from pommego._core.opponents import LineUps
from pommego.errors import (
    ClosedError,
    ConnectionError,
    ForkedError,
    GamePanicError,
    ServerError,
    TimeoutError,
)
from pommego.state import Games, State

__all__ = ["Make", "Member", "Part"]

_SAVE_EVERY = 64  # steps: the more, the more have to be made again when a part is lost
_ATTEMPTS = 3  # to make a part anew that is lost again meanwhile

T = TypeVar("T")

#: Makes the games of a part. It is given the error with which they were lost, None the first time.
Make = Callable[[Exception | None], Games]

_log = logging.getLogger("pommego")


@dataclass(frozen=True)
class Member:
    """One of the places that the games of an environment are split between.

    Attributes:
        name: the server's address, or the actor's name.
        games: the numbers of its games.
        steps: how many steps it has made.
        seconds: how long it took for a step, on average.
        lost: how often its games had to be made anew.
        error: why, the last time; empty if it never was.
    """

    name: str
    games: range
    steps: int
    seconds: float
    lost: int
    error: str


class Part:
    """The games that one member has, and what is needed to make them anew.

    Args:
        make: makes them.
        first: the number of the first.
        count: how many there are.
        keep: whether to make them anew when they are lost.
    """

    def __init__(self, make: Make, first: int, count: int, *, keep: bool) -> None:
        self._make, self._keep = make, keep
        self.games, self.numbers = make(None), slice(first, first + count)
        self.first, self.count = first, count
        self.under_way = False
        self.steps, self.seconds, self.lost, self.error = 0, 0.0, 0, ""
        self.begun = 0.0  # when the step under way did
        self._actions: NDArray[np.uint8] | None = None  # of the step under way
        self._saved: list[State] | None = None  # None: the games have not been reset yet
        self._since: list[NDArray[np.uint8]] = []  # the actions of the steps since then
        self._mark: int | None = None  # of what the games showed last, None: not known
        self._line_ups: LineUps | None = None
        self._starts: tuple[Any, ...] | None = None

    @property
    def member(self) -> Member:
        """What there is to know of it."""
        mean = self.seconds / max(1, self.steps)
        numbers = range(self.first, self.first + self.count)
        return Member(self.games.address, numbers, self.steps, mean, self.lost, self.error)

    def do(self, what: Callable[[Games], T]) -> T:
        """Do something with the games, if they are lost again after they have been made anew.

        Raises:
            ConnectionError, TimeoutError: they are lost for good.
        """
        while True:
            try:
                return what(self.games)
            except ForkedError:
                raise
            except (ConnectionError, TimeoutError, ClosedError) as e:
                self._anew(e)

    def _anew(self, error: Exception) -> None:
        """Make the games anew."""
        whose = f"games {self.first} to {self.first + self.count - 1}, at {self.games.address}"
        named = type(error)(f"{whose}: {error}")
        if not self._keep:
            raise named from error
        for _ in range(_ATTEMPTS):
            self.lost, self.error = self.lost + 1, str(error)
            self.games.close()
            try:
                self.games = self._make(error)
                same = self._catch_up()
            except (ConnectionError, TimeoutError) as e:
                error = e
                continue
            _log.warning("%s, are lost (%s) and go on at %s", whose, self.error, self.games.address)
            if not same:
                _log.warning("%s, go on otherwise: the clock, or a program, decides what opponents do", whose)
            self.begun = time.perf_counter()
            return
        raise named from error

    def overdue(self) -> None:
        """Take the games for lost, as the step under way has had all of its time."""
        self._anew(self.games.timed_out())

    def _catch_up(self) -> bool:
        """Bring games made anew to where the lost ones were; returns whether they show the same."""
        games, same = self.games, True
        if self._line_ups is not None:
            games.set_opponents(self._line_ups)
        if self._starts is not None:
            games.set_starts(*self._starts)
        if self._saved is None:
            return same
        games.reset(0, None)
        view = games.restore(list(range(self.count)), self._saved)
        for actions in self._since:
            games.send(actions)
            try:
                view = games.recv()
            except GamePanicError:  # as when they were first made
                view = None
        if view is not None and self._mark is not None:
            same = _mark_of(view) == self._mark
        if self.under_way:
            games.send(self._actions)
        return same

    def begin(self, actions: NDArray[np.uint8]) -> None:
        """Begin a step, whose actions then belong to the part."""
        if self._keep and len(self._since) >= _SAVE_EVERY:
            self.save()
        self._actions, self.begun = actions, time.perf_counter()
        self.do(lambda games: games.send(actions))  # one that is caught up does not have it yet
        self.under_way = True

    def finish(self) -> View:
        """Wait for the step under way.

        Raises:
            ServerError: the server refused it, or there is a bug in one of the games.
        """
        try:
            view = self.do(lambda games: games.recv())
        except ServerError as e:
            self.under_way = False
            if isinstance(e, GamePanicError):
                self._made(None)
            raise _of_game(e, self.first) from e
        self.under_way = False
        self._made(view)
        return view

    def _made(self, view: View | None) -> None:
        """Note that the step under way has been made."""
        self.steps += 1
        self.seconds += time.perf_counter() - self.begun
        if self._keep:
            self._since.append(self._actions)
            self._mark = None if view is None else _mark_of(view)

    def abandon(self, *, interrupted: bool) -> None:
        """Forget the step under way, which will be made all the same."""
        if self.under_way:
            self.games.abandon_steps(interrupted=interrupted)
            self.under_way = False
            self._made(None)

    def shown(self, view: View) -> View:
        """Take note of a view of games that were reset or set."""
        self._mark = _mark_of(view)
        self.save()
        return view

    def save(self) -> None:
        """Keep where the games are, from where they can go on."""
        if not self._keep:
            return
        try:
            self._saved = self.do(lambda games: games.save(list(range(self.count)), False))
            self._since = []
        except ServerError:  # after a bug a game cannot be saved until it is reset
            if self._saved is None:
                raise

    def set_opponents(self, line_ups: LineUps) -> None:
        """Have other opponents from each game's next episode on."""
        self.do(lambda games: games.set_opponents(line_ups))
        self._line_ups = line_ups
        self._keep_on()

    def set_starts(self, *starts: Any) -> None:
        """Have episodes begin in saved states."""
        self.do(lambda games: games.set_starts(*starts))
        self._starts = starts
        self._keep_on()

    def _keep_on(self) -> None:
        if self._saved is not None:
            self.save()


def _mark_of(view: View) -> int:
    """Return a number that tells what games show from what others do."""
    mark = zlib.crc32(np.ascontiguousarray(view.info["action_mask"]))
    for array in (view.info["alive"], view.seed, view.episode):
        mark = zlib.crc32(np.ascontiguousarray(array).view(np.uint8), mark)
    return mark


def _of_game(error: ServerError, first: int) -> ServerError:
    """Return the error with the number that its game has here."""
    if "game" not in error.details:
        return error
    details = error.details | {"game": error.details["game"] + first}
    return type(error)(error.code, error.message, error.hint, error.field, details)
