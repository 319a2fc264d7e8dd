"""Environments whose games are split into portions, on several servers or actors.

Each portion has some of the games, in order: of six games in two portions, the first has games 0
to 2. Everything else is as if one server had them all: game i has seed ``seed + i``. An environment
on one server whose games are to survive its loss has a single portion.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import View
from pommego._core.checks import Seeds
from pommego._core.games import Games
from pommego._core.merging import join_batches
from pommego._core.more_checks import legal
from pommego._core.portion import Host, Portion
from pommego._core.saved import Starts, restore, save, set_starts
from pommego._core.session import Numbers, Session
from pommego.errors import ClosedError, ConnectionError, PommegoError, ServerError, TimeoutError

if TYPE_CHECKING:
    from pommego._core.opponents import LineUps

#: Waits so many seconds for the first of these that are ready; returns which are.
FirstReady = Callable[[Sequence[Session], float], list[Session]]


class JoinedGames:
    """The games of a `Session` in several portions. Batches own their memory.

    Args:
        portions: the portions.
        batch_size: games per batch, None: all; at least one portion's.
        first_ready: waits for the portions' games.
    """

    server = None

    def __init__(self, portions: Sequence[Portion], batch_size: int | None, first_ready: FirstReady) -> None:
        self.closed, self.portions, self._first_ready = False, portions, first_ready
        one, total = portions[0].games.about, portions[-1].numbers.stop
        games = batch_size or total
        self._together = games == total
        batch_bytes = sum(portion.games.about.made.batch_bytes for portion in portions) * games // total
        size = {"games": total, "rows": total * one.learners, "batch_size": 0 if self._together else games}
        made = msgspec.structs.replace(one.made, **size, batch_bytes=batch_bytes, shared_memory=None)
        self.about = replace(one, made=made, games=games, max_in_flight=1)
        self._wanted = len(portions) if self._together else games // len(portions[0].numbers)
        self._ready: deque[tuple[Portion, View]] = deque()  # received, not handed out yet
        self._every = np.arange(total, dtype=np.int32)
        self._sent = np.zeros(total, np.bool_)  # games whose next batch has not been handed out
        self._acts = np.zeros((total, one.learners), np.bool_)  # rows whose next action counts
        self._over = np.zeros(total, np.bool_)  # games that need a reset
        self._actions = np.zeros((total, one.learners, *made.action_shape[1:]), np.uint8)

    @property
    def address(self) -> str:
        return ", ".join(portion.games.address for portion in self.portions)

    def _set_timeout(self, seconds: float) -> None:
        for portion in self.portions:
            portion.games.timeout = seconds

    timeout = property(lambda self: self.portions[0].games.timeout, _set_timeout)

    def close(self) -> None:
        self.closed = True
        for portion in self.portions:
            portion.games.close()

    @contextmanager
    def _or_close(self) -> Iterator[None]:
        """Close everything if a portion is lost for good."""
        try:
            yield
        except (ConnectionError, TimeoutError, ClosedError):
            self.close()
            raise

    def _at(self, portion: Portion, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        if portion.under_way:
            self._receive(portion)
        return portion.ask(what, *args, **options)

    # Steps ----------------------------------------------------------------------

    def send(self, actions: ArrayLike, games: Numbers = None, *, reuse: bool = False) -> None:
        """Begin a step; see `Session`."""
        games = self._every if games is None else games
        self._check_turn(games)
        own, choices = self._actions, self.about.spec.actions
        own[games] = legal(actions, self._acts[games], own, choices)
        self._sent[games] = True
        with self._or_close():
            for portion in self.portions:
                if self._begins(portion, games):
                    portion.begin(own[portion.slice].reshape(-1, *own.shape[2:]).copy())

    def _check_turn(self, games: NDArray[np.int32]) -> None:
        for wrong, code, says, hint in (
            (self._sent, "out_of_turn", "is under way", "recv() it first"),
            (self._over, "game_finished", "has finished", "reset it with a mask"),
        ):
            if wrong[games].any():
                game = games[wrong[games].argmax()]
                raise ServerError(code, f"game {game} {says}", hint, "games")

    def _begins(self, portion: Portion, games: NDArray[np.int32]) -> bool:
        """Whether a portion has the actions of all its games now that these have been sent."""
        own = (games >= portion.numbers.start) & (games < portion.numbers.stop)
        return bool(self._sent[portion.slice].all() and own.any())

    def recv(self) -> View:
        """Wait for a batch; see `Session`."""
        with self._or_close():
            return self._first_batch()

    def _first_batch(self) -> View:
        failed: ServerError | None = None
        while len(self._ready) < self._wanted:
            waiting = [portion for portion in self.portions if portion.under_way]
            if failed is not None and not (self._together and waiting):
                break
            if failed is None and len(self._ready) + len(waiting) < self._wanted:
                raise self._too_few(len(self._ready) + len(waiting))
            for portion in self._first(waiting):
                try:
                    self._receive(portion)
                except ServerError as e:
                    failed = failed or e
                    self._sent[portion.slice] = False
        if failed is not None:
            if self._together:  # after a bug in one of the games, the batches of a step of all are lost
                self._forget()
            raise failed
        return self._hand_out()

    def _too_few(self, portions: int) -> ServerError:
        each = len(self.portions[0].numbers)
        return ServerError(
            "out_of_turn",
            f"games under way, in portions of {each} that have the actions of all their games: "
            f"{portions * each}, want {self.about.games}",
            "send the rows of whole batches",
        )

    def _forget(self) -> None:
        self._ready.clear()
        self._sent[:] = False

    def _first(self, waiting: list[Portion]) -> list[Portion]:
        if self._together:
            return waiting[:1]
        while True:
            left = min(portion.begun for portion in waiting) + self.timeout - time.perf_counter()
            ready = self._first_ready([portion.games for portion in waiting], max(left, 0.0))
            if found := [portion for portion in waiting if portion.games in ready]:
                return found
            if left <= 0:
                min(waiting, key=lambda portion: portion.begun).overdue()

    def _receive(self, portion: Portion) -> None:
        self._ready.append((portion, portion.finish()))

    def _hand_out(self) -> View:
        taken, games = [self._ready.popleft() for _ in range(self._wanted)], self._every
        if self._together:
            taken.sort(key=lambda pair: pair[0].first)
        else:
            games = np.concatenate([self._every[portion.slice] for portion, _ in taken])
        view, mode = join_batches([view for _, view in taken]), self.about.made.autoreset_mode
        self._acts[games] = view.acts(mode)
        self._over[games] = False
        self._over[games[view.finished]] = mode == "Disabled"
        self._sent[games] = False
        view.games = None if self._together else games
        return view

    # What a session can be asked -------------------------------------------------

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Have each portion do its part; the first one does what is not about the environment's games."""
        with self._or_close():
            if own := _SHARED_OUT.get(what):
                return own(self, *args, **options)
            return self._at(self.portions[0], what, *args, **options)

    def _hosts(self) -> tuple[Host, ...]:
        return tuple(portion.host for portion in self.portions)

    def _abandon(self, *, interrupted: bool = False) -> None:
        for portion in self.portions:
            portion.abandon(interrupted=interrupted)
        self._forget()

    def _reset(self, seeds: Seeds, mask: NDArray[np.bool_] | None, states: list[Any] | None = None) -> View:
        def reset(portion: Portion) -> View:
            own = None if mask is None else mask[portion.slice]
            if own is not None and not own.any():
                return self._at(portion, Games.observe)
            own = None if own is None or own.all() else own
            where = None if states is None else states[portion.slice]
            return portion.show(Games.reset, _seeds_of(seeds, portion), own, where)

        return self._show(
            [reset(portion) for portion in self.portions], slice(0, 0) if mask is None else ~mask
        )

    def _show(self, views: list[View], same: Any) -> View:
        """Return the first batch of views of all games, of which some are as they were."""
        acts, over = self._acts[same], self._over[same]
        self._ready.extend(zip(self.portions, views, strict=True))
        self._sent[:] = True
        view = self._hand_out()
        self._acts[same], self._over[same] = acts, over
        return view

    def _set_starts(self, starts: Starts) -> None:
        self._on_each(lambda portion: portion.set_starts(starts))

    def _set_opponents(self, line_ups: LineUps) -> None:
        self._on_each(lambda portion: portion.set_opponents(line_ups.of_games(portion.slice)))

    def _on_each(self, what: Callable[[Portion], None]) -> None:
        """Do it with each portion once no step is under way, whose batches are handed out later."""
        for portion in self.portions:
            if portion.under_way:
                self._receive(portion)
        for portion in self.portions:
            what(portion)

    def _split(self, games: list[int]) -> Iterator[tuple[Portion, list[int], list[int]]]:
        """Yield for each portion which of these games it has: their indices, and their numbers there."""
        last = len(self._every) - 1
        for game in games:
            if not 0 <= game <= last:
                raise ServerError("bad_option", f"there is no game {game}, want 0 to {last}", "", "games")
        for portion in self.portions:
            own = [k for k, game in enumerate(games) if game in portion.numbers]
            yield portion, own, [games[k] - portion.first for k in own]

    def _save(self, games: list[int], as_json: bool) -> list[Any]:
        states: list[Any] = [None] * len(games)
        for portion, own, there in self._split(games):
            if own:
                for k, state in zip(own, self._at(portion, save, there, as_json), strict=True):
                    states[k] = state
        return states

    def _restore(self, games: list[int], states: Sequence[Any]) -> View:
        if not self._together:
            raise PommegoError(f"set_state() is for all games together, not with {self.about.games} a batch")
        if len(games) != len(states) or not games:
            raise ValueError(f"{len(states)} states for {len(games)} games, want one each")
        views = []
        for portion, own, there in self._split(games):
            if not own:
                views.append(self._at(portion, Games.observe))
                continue
            views.append(portion.show(restore, there, [states[k] for k in own]))
        same = np.ones(len(self._every), np.bool_)
        same[games] = False
        return self._show(views, same)

    def _render(self, game: int, *how: Any) -> Any:
        ((portion, there),) = [(portion, there[0]) for portion, own, there in self._split([game]) if own]
        return self._at(portion, Games.render, there, *how)

    def _ping(self) -> float:
        return max(self._at(portion, Games.ping) for portion in self.portions)


#: What all portions do together, or one by one, in place of what one server does.
_SHARED_OUT: dict[Callable[..., Any], Callable[..., Any]] = {
    Games.abandon: JoinedGames._abandon,
    Games.hosts: JoinedGames._hosts,
    Games.ping: JoinedGames._ping,
    Games.render: JoinedGames._render,
    Games.reset: JoinedGames._reset,
    Games.set_opponents: JoinedGames._set_opponents,
    restore: JoinedGames._restore,
    save: JoinedGames._save,
    set_starts: JoinedGames._set_starts,
}


def _seeds_of(seeds: Seeds, portion: Portion) -> Any:
    if not isinstance(seeds, tuple):
        return None if seeds is None else (seeds + portion.first) % (1 << 64)
    values, given = seeds[0][portion.slice], seeds[1][portion.slice]
    return (values, given) if given.any() else None
