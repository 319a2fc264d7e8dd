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
from typing import Any, NoReturn, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import View
from pommego._core.call_lock import CallLock
from pommego._core.games import Games
from pommego._core.merging import join_batches
from pommego._core.opponents import LineUps
from pommego._core.portion import Host, Portion
from pommego._core.rows import rows_of
from pommego._core.simulating import Simulation
from pommego._core.starts import Starts
from pommego.errors import ClosedError, ConnectionError, PommegoError, ServerError, TimeoutError
from pommego.state import State

T = TypeVar("T")


class JoinedGames:
    """The requests of an environment whose games are in several portions.

    It does what `Games` does, and has its attributes as far as `PommegoVectorEnv` needs
    them. Batches own their memory.
    """

    server = memory = None
    policy_seats = ()
    max_in_flight = 1

    def __init__(self, portions: Sequence[Portion], batch_size: int | None) -> None:
        self.lock, self.closed, self.portions = CallLock(), False, portions
        one, total = portions[0].games, portions[-1].numbers.stop
        self.spec, self.encoding, self.state_encoding = one.spec, one.encoding, one.state_encoding
        self.learners, self.expand = one.learners, one.expand
        self.rows = total * self.learners
        self.action_shape = (self.rows, *one.action_shape[1:])
        self.games = batch_size or total
        self._numbered = batch_size is not None
        together = self.games == total
        batch_bytes = sum(portion.games.made.batch_bytes for portion in portions) * self.games // total
        size = {"batch_size": 0 if together else self.games, "batch_bytes": batch_bytes}
        self.made = msgspec.structs.replace(one.made, games=total, rows=self.rows, **size)
        self._wanted = len(portions) if together else self.games // len(portions[0].numbers)
        self._ready: deque[tuple[Portion, View]] = deque()  # received, not handed out yet
        self._held = self._every = np.arange(total, dtype=np.int32)  # the last batch's games, and all
        self._sent = np.zeros(total, np.bool_)  # games whose next batch has not been handed out
        self._heeded = np.zeros((total, self.learners), np.bool_)  # rows whose next action counts
        self._over = np.zeros(total, np.bool_)  # games that need a reset
        self._actions = np.zeros((total, self.learners, *self.action_shape[1:]), np.uint8)
        self._skips = self.made.autoreset_mode == "NextStep"

    def __reduce__(self) -> NoReturn:
        Games.__reduce__(self)

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(portion.host for portion in self.portions)

    @property
    def address(self) -> str:
        return ", ".join(portion.games.address for portion in self.portions)

    @property
    def timeout(self) -> float:
        return self.portions[0].games.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        for portion in self.portions:
            portion.games.timeout = seconds

    def close(self) -> None:
        self.closed = True
        for portion in self.portions:
            portion.games.close()

    check_open = Games.check_open
    check_together = Games.check_together

    def check_idle(self) -> None:
        self.check_open()
        if self._sent.any() and not self.made.batch_size:
            raise PommegoError("1 batches are in flight: recv() them, or reset(), first")

    @contextmanager
    def _or_close(self) -> Iterator[None]:
        """If a portion is lost for good, so is everything."""
        try:
            yield
        except (ConnectionError, TimeoutError, ClosedError):
            self.close()
            raise

    def _at(self, portion: Portion, what: Callable[[Games], T]) -> T:
        with self._or_close():
            if portion.under_way:
                self._receive(portion)
            return portion.do(what)

    # Steps ----------------------------------------------------------------------

    def send(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        self.check_idle()
        games = self._held
        if rows is not None and not self.made.batch_size:
            checks.all_rows(rows, self.rows)
        elif rows is not None:
            games = checks.games_of(rows, self.made.games, self.learners)
        self._check_turn(games)
        given = np.empty((len(games) * self.learners, *self.action_shape[1:]), np.uint8)
        checks.write_actions(actions, given, len(games), self.learners)
        checks.in_range(given, self._heeded[games], self.spec.actions)
        self._actions[games] = given.reshape(len(games), *self._actions.shape[1:])
        self._sent[games] = True
        with self._or_close():
            for portion in self.portions:
                if self._begins(portion, games):
                    portion.begin(self._actions[portion.slice].reshape(-1, *self.action_shape[1:]).copy())

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
        self.check_open()
        failed: ServerError | None = None
        while len(self._ready) < self._wanted:
            waiting = [portion for portion in self.portions if portion.under_way]
            if failed is not None and (self.made.batch_size or not waiting):
                break
            if failed is None and len(self._ready) + len(waiting) < self._wanted:
                raise self._too_few(len(self._ready) + len(waiting))
            for portion in self._first(waiting):
                try:
                    with self._or_close():
                        self._receive(portion)
                except ServerError as e:
                    failed = failed or e
                    self._sent[portion.slice] = False
        if failed is not None:
            self._give_up_step()
            raise failed
        return self._hand_out()

    def _too_few(self, portions: int) -> PommegoError:
        if not self.made.batch_size:
            return PommegoError("no step is in flight: call send(actions) first")
        each = len(self.portions[0].numbers)
        return ServerError(
            "out_of_turn",
            f"games under way, in portions of {each} that have the actions of all their games: "
            f"{portions * each}, want {self.games}",
            "send the rows of whole batches",
        )

    def _give_up_step(self) -> None:
        """After a bug in one of the games, the batches of a step of all are lost."""
        if not self.made.batch_size:
            self._ready.clear()
            self._sent[:] = False

    def _first(self, waiting: list[Portion]) -> list[Portion]:
        if not self.made.batch_size:
            return waiting[:1]
        while True:
            left = min(portion.begun for portion in waiting) + self.timeout - time.perf_counter()
            games = [portion.games for portion in waiting]
            ready = type(games[0]).first_ready(games, max(left, 0.0))
            if found := [portion for portion in waiting if portion.games in ready]:
                return found
            if left <= 0:
                with self._or_close():
                    min(waiting, key=lambda portion: portion.begun).overdue()

    def _receive(self, portion: Portion) -> None:
        self._ready.append((portion, portion.finish()))

    def _hand_out(self) -> View:
        taken = [self._ready.popleft() for _ in range(self._wanted)]
        if not self.made.batch_size:
            taken.sort(key=lambda pair: pair[0].first)
        games = self._every
        if self.made.batch_size:
            games = np.concatenate([self._every[portion.slice] for portion, _ in taken])
        view = join_batches([view for _, view in taken])
        over = np.zeros(len(games), np.bool_)
        over[view.finished] = True
        alive = view.info["alive"].reshape(len(games), self.learners)
        self._heeded[games] = alive & ~(over & self._skips)[:, None]
        self._over[games] = over & (self.made.autoreset_mode == "Disabled")
        self._sent[games] = False
        self._held = games
        if self._numbered:
            view.games, view.rows = self._held, rows_of(games, self.learners)
        return view

    def abandon_steps(self, *, interrupted: bool = False) -> None:
        for portion in self.portions:
            portion.abandon(interrupted=interrupted)
        self._ready.clear()
        self._sent[:] = False

    # Everything else ------------------------------------------------------------

    def reset(
        self,
        seeds: int | tuple[NDArray, NDArray] | None,
        mask: NDArray[np.bool_] | None,
        starts: list[Any] | None = None,
    ) -> View:
        def reset(portion: Portion) -> View:
            own = None if mask is None else mask[portion.slice]
            if own is not None and not own.any():
                return self._at(portion, lambda games: games.observe())
            own = None if own is None or own.all() else own
            where = None if starts is None else starts[portion.slice]
            given = _seeds_of(seeds, portion)
            with self._or_close():
                return portion.show(lambda games: games.reset(given, own, games.starts(where)))

        return self._show(
            [reset(portion) for portion in self.portions], slice(0, 0) if mask is None else ~mask
        )

    def _show(self, views: list[View], same: Any) -> View:
        """Return the first batch of views of all games, of which some are as they were."""
        heeded, over = self._heeded[same], self._over[same]
        self._ready.extend(zip(self.portions, views, strict=True))
        self._sent[:] = True
        view = self._hand_out()
        self._heeded[same], self._over[same] = heeded, over
        return view

    def starts(self, states: list[Any] | None) -> list[Any] | None:
        return states

    def set_starts(self, starts: Starts) -> None:
        self.check_idle()
        self._settle()
        with self._or_close():
            for portion in self.portions:
                portion.set_starts(starts)

    def set_opponents(self, line_ups: LineUps) -> None:
        self.check_idle()
        self._settle()
        with self._or_close():
            for portion in self.portions:
                portion.set_opponents(line_ups.of_games(portion.slice))

    def _settle(self) -> None:
        """Receive the steps under way, whose batches are handed out later."""
        for portion in self.portions:
            self._at(portion, lambda _: None)

    def _split(self, games: list[int]) -> Iterator[tuple[Portion, list[int], list[int]]]:
        """Yield for each portion which of these games it has: their indices, and their numbers there."""
        for game in games:
            if not 0 <= game < self.made.games:
                raise ServerError(
                    "bad_option", f"there is no game {game}, want 0 to {self.made.games - 1}", "", "games"
                )
        for portion in self.portions:
            own = [k for k, game in enumerate(games) if game in portion.numbers]
            yield portion, own, [games[k] - portion.first for k in own]

    def save(self, games: list[int], as_json: bool) -> list[Any]:
        self.check_idle()
        states: list[Any] = [None] * len(games)
        for portion, own, there in self._split(games):
            if own:
                saved = self._at(portion, lambda at, there=there: at.save(there, as_json))
                for k, state in zip(own, saved, strict=True):
                    states[k] = state if as_json else State(bytes(state), self)
        return states

    def restore(self, games: list[int], states: Sequence[Any]) -> View:
        self.check_together("set_state()")
        self.check_idle()
        if len(games) != len(states) or not games:
            raise ValueError(f"{len(states)} states for {len(games)} game{'s'[len(games) == 1 :]}")
        views = []
        for portion, own, there in self._split(games):
            if not own:
                views.append(self._at(portion, lambda games: games.observe()))
                continue
            given = [states[k] for k in own]
            with self._or_close():
                views.append(portion.show(lambda at, there=there, given=given: at.restore(there, given)))
        same = np.ones(self.made.games, np.bool_)
        same[games] = False
        return self._show(views, same)

    def readable(self, state: State | bytes) -> dict[str, Any]:
        self.check_idle()
        return self._at(self.portions[0], lambda games: games.readable(state))

    def simulate(self, states: Sequence[State | bytes], actions: ArrayLike, **options: Any) -> Simulation:
        """Make steps from each state, all at the first host; see `PommegoVectorEnv.simulate`."""
        self.check_idle()
        return self._at(self.portions[0], lambda games: games.simulate(states, actions, **options))

    def render(self, game: int, colour: int, tile: int | None, seat: int | None) -> Any:
        self.check_idle()
        ((portion, there),) = [(portion, there[0]) for portion, own, there in self._split([game]) if own]
        return self._at(portion, lambda games: games.render(there, colour, tile, seat))

    def ping(self) -> float:
        """Make a request of each host that does nothing, and return the longest time it took."""
        self.check_idle()
        return max(self._at(portion, lambda games: games.ping()) for portion in self.portions)


def _seeds_of(seeds: int | tuple[NDArray, NDArray] | None, portion: Portion) -> Any:
    if not isinstance(seeds, tuple):
        return None if seeds is None else (seeds + portion.first) % (1 << 64)
    values, given = seeds[0][portion.slice], seeds[1][portion.slice]
    return (values, given) if given.any() else None
