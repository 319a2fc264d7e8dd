"""Environments on several servers, or in several processes, that are stepped as one.

Each has some of the games, in order: of six games in two parts, the first has games 0
to 2. Everything else is as if one server had them all: game i has seed ``seed + i``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import View
from pommego._core.guard import Guard
from pommego._core.merging import join_batches
from pommego._core.opponents import LineUps
from pommego._core.parts import Make, Member, Part
from pommego._core.rows import rows_of
from pommego._core.session import Session
from pommego.errors import ClosedError, ConnectionError, PommegoError, ServerError, TimeoutError
from pommego.state import Games, Simulation, State

__all__ = ["JoinedGames", "no_policies"]

T = TypeVar("T")


class JoinedGames:
    """The requests of an environment whose games are split between several others.

    It does what `Games` does, and has its attributes as far as `PommegoVectorEnv` looks
    at them. Batches own their memory.

    Args:
        makes: what makes the games of each part.
        counts: how many each has.
        batch_size: games of a batch, a multiple of the parts' games; None: all.
        keep: whether to make games anew that are lost.
    """

    server = memory = policies = None

    def __init__(
        self, makes: Sequence[Make], counts: Sequence[int], *, batch_size: int | None, keep: bool
    ) -> None:
        self.guard, self.closed = Guard(), False
        self.parts: list[Part] = []
        try:
            for make, count in zip(makes, counts, strict=True):
                first = sum(part.count for part in self.parts)
                self.parts.append(Part(make, first, count, keep=keep))
        except BaseException:
            self.close()
            raise
        one, total = self.parts[0].games, sum(counts)
        self.spec, self.encoding, self.state_encoding = one.spec, one.encoding, one.state_encoding
        self.learners, self.expand, self.max_in_flight = one.learners, one.expand, 1
        self.rows = total * self.learners
        self.action_shape = (self.rows, *one.action_shape[1:])
        self.games = batch_size or total
        self._numbered = batch_size is not None
        in_parts = self.games < total
        batch_bytes = sum(part.games.made.batch_bytes for part in self.parts) * self.games // total
        size = {"batch_size": self.games if in_parts else 0, "batch_bytes": batch_bytes}
        self.made = msgspec.structs.replace(one.made, games=total, rows=self.rows, **size)
        self._wanted = self.games // counts[0] if in_parts else len(self.parts)  # parts of a batch
        self._ready: deque[tuple[Part, View]] = deque()  # received, not handed out yet
        self._held = np.arange(total, dtype=np.int32)  # the games of the last batch
        self._sent = np.zeros(total, np.bool_)  # games whose next batch has not been handed out
        self._heeded = np.zeros((total, self.learners), np.bool_)  # rows whose next action counts
        self._over = np.zeros(total, np.bool_)  # games that need a reset
        self._actions = np.zeros((total, self.learners, *self.action_shape[1:]), np.uint8)
        self._skips = self.made.autoreset_mode == "NextStep"

    def __reduce__(self) -> NoReturn:
        Session.__reduce__(self)

    @property
    def members(self) -> tuple[Member, ...]:
        """Where the games are."""
        return tuple(part.member for part in self.parts)

    @property
    def address(self) -> str:
        """The members' names, with commas between."""
        return ", ".join(part.games.address for part in self.parts)

    resumed = 0  # which is for a single server

    @property
    def timeout(self) -> float:
        """Seconds to wait for one reply."""
        return self.parts[0].games.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        for part in self.parts:
            part.games.timeout = seconds

    def close(self) -> None:
        """Free the games. Idempotent."""
        self.closed = True
        for part in self.parts:
            part.games.close()

    check_open = Session.check_open
    check_together = Session.check_together

    def check_idle(self) -> None:
        """Raise ClosedError after `close`, and PommegoError while a step of all games is in flight."""
        self.check_open()
        if self._sent.any() and not self.made.batch_size:
            raise PommegoError("1 batches are in flight: recv() them, or reset(), first")

    def _each(self, what: Callable[[Part], T], parts: Sequence[Part] | None = None) -> list[T]:
        """Do something with each part; if one is lost for good, so is everything."""
        try:
            return [what(part) for part in (self.parts if parts is None else parts)]
        except (ConnectionError, TimeoutError, ClosedError):
            self.close()
            raise

    # Steps ----------------------------------------------------------------------

    def send(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Begin a step of all games or, with a batch size, of those with these rows."""
        self.check_idle()
        games = self._held
        if rows is not None and not self.made.batch_size:
            checks.all_rows(rows, self.rows)
        elif rows is not None:
            games = checks.games_of(rows, self.made.games, self.learners)
        self._check_turn(games)
        given = np.empty((len(games) * self.learners, *self.action_shape[1:]), np.uint8)
        odd = checks.write_actions(actions, given, len(games), self.learners)
        try:
            checks.in_range(given, self._heeded[games], self.spec.actions)
        except ServerError as e:
            raise checks.own_value(e, odd) from None
        self._actions[games] = given.reshape(len(games), *self._actions.shape[1:])
        self._sent[games] = True
        whole = [part for part in self.parts if self._begins(part, games)]
        self._each(lambda part: part.begin(self._actions_of(part)), whole)

    def _check_turn(self, games: NDArray[np.int32]) -> None:
        for wrong, code, says, hint in (
            (self._sent, "out_of_turn", "is under way", "recv() it first"),
            (self._over, "game_finished", "has finished", "reset it with a mask"),
        ):
            if wrong[games].any():
                game = games[wrong[games].argmax()]
                raise ServerError(code, f"game {game} {says}", hint, "games")

    def _begins(self, part: Part, games: NDArray[np.int32]) -> bool:
        """Whether a part has the actions of all its games now that these have been sent."""
        sent = bool(self._sent[part.numbers].all())
        return sent and bool(((games >= part.first) & (games < part.first + part.count)).any())

    def _actions_of(self, part: Part) -> NDArray[np.uint8]:
        return self._actions[part.numbers].reshape(-1, *self.action_shape[1:]).copy()

    def recv(self) -> View:
        """Wait for the batch of a step, or with a batch size of the first games that are ready."""
        self.check_open()
        failed: ServerError | None = None
        while len(self._ready) < self._wanted:
            waiting = [part for part in self.parts if part.under_way]
            if failed is not None and (self.made.batch_size or not waiting):
                break
            if failed is None and len(self._ready) + len(waiting) < self._wanted:
                raise self._too_few(len(self._ready) + len(waiting))
            for part in self._first(waiting):
                try:
                    self._each(self._receive, [part])
                except ServerError as e:
                    failed = failed or e
                    self._sent[part.numbers] = False
        if failed is not None:
            self._give_up_step()
            raise failed
        return self._hand_out()

    def _too_few(self, parts: int) -> PommegoError:
        if not self.made.batch_size:
            return PommegoError("no step is in flight: call send(actions) first")
        each = self.parts[0].count
        return ServerError(
            "out_of_turn",
            f"games under way, as far as their members have the actions of all {each} games of theirs: "
            f"{parts * each}, want {self.games}",
            "send the rows of whole batches",
        )

    def _give_up_step(self) -> None:
        """After a bug in one of the games, the batches of a step of all are lost."""
        if not self.made.batch_size:
            self._ready.clear()
            self._sent[:] = False

    def _first(self, waiting: list[Part]) -> list[Part]:
        """Wait until a part is ready, or has had all of its time."""
        if not self.made.batch_size:
            return waiting[:1]
        while True:
            left = min(part.begun for part in waiting) + self.timeout - time.perf_counter()
            ready = type(waiting[0].games).first_ready([part.games for part in waiting], max(left, 0.0))
            if found := [part for part in waiting if part.games in ready]:
                return found
            if left <= 0:
                slow = min(waiting, key=lambda part: part.begun)
                self._each(Part.overdue, [slow])

    def _receive(self, part: Part) -> None:
        self._ready.append((part, part.finish()))

    def _hand_out(self) -> View:
        """Return the first batch of those received."""
        taken = [self._ready.popleft() for _ in range(self._wanted)]
        if not self.made.batch_size:
            taken.sort(key=lambda pair: pair[0].first)
        games = np.concatenate([np.arange(part.first, part.first + part.count) for part, _ in taken])
        view = join_batches([view for _, view in taken])
        over = np.zeros(len(games), np.bool_)
        over[view.finished] = True
        alive = view.info["alive"].reshape(len(games), self.learners)
        self._heeded[games] = alive & ~(over & self._skips)[:, None]
        self._over[games] = over & (self.made.autoreset_mode == "Disabled")
        self._sent[games] = False
        self._held = games.astype(np.int32)
        if self._numbered:
            view.games, view.rows = self._held, rows_of(games, self.learners)
        return view

    def abandon_steps(self, *, interrupted: bool = False) -> None:
        """Forget the steps in flight."""
        for part in self.parts:
            part.abandon(interrupted=interrupted)
        self._ready.clear()
        self._sent[:] = False

    # Everything else ------------------------------------------------------------

    def reset(
        self,
        seeds: int | tuple[NDArray, NDArray] | None,
        mask: NDArray[np.bool_] | None,
        starts: list[Any] | None = None,
    ) -> View:
        """Begin new episodes; see `Session.reset`."""

        def reset(part: Part) -> View:
            own = None if mask is None else mask[part.numbers]
            if own is not None and not own.any():
                return part.do(lambda games: games.observe())
            own = None if own is None or own.all() else own
            where = None if starts is None else starts[part.numbers]
            given = _seeds_of(seeds, part)
            return part.shown(part.do(lambda games: games.reset(given, own, games.starts(where))))

        return self._show(self._each(reset), slice(0, 0) if mask is None else ~mask)

    def _show(self, views: list[View], same: Any) -> View:
        """Return the first batch of views of all games, of which some are as they were."""
        heeded, over = self._heeded[same], self._over[same]
        self._ready.extend(zip(self.parts, views, strict=True))
        self._sent[:] = True
        view = self._hand_out()
        self._heeded[same], self._over[same] = heeded, over
        return view

    def starts(self, states: list[Any] | None) -> list[Any] | None:
        """Return what `reset` is to be told of the states that the games begin in."""
        return states

    def set_starts(self, *starts: Any) -> None:
        """Have episodes begin in saved states; see `PommegoVectorEnv.set_start_states`."""
        self.check_idle()
        self._each(self._settle)
        self._each(lambda part: part.set_starts(*starts))

    def set_opponents(self, line_ups: LineUps) -> None:
        """Have other opponents from each game's next episode on; see `PommegoVectorEnv.set_opponents`."""
        self.check_idle()
        no_policies(line_ups)
        self._each(self._settle)
        self._each(lambda part: part.set_opponents(line_ups.of_games(part.first, part.first + part.count)))

    def _settle(self, part: Part) -> None:
        """Wait for a part's step under way, whose batch is handed out later."""
        if part.under_way:
            self._receive(part)

    def save(self, games: list[int], as_json: bool) -> list[Any]:
        """Save games; see `PommegoVectorEnv.get_state`."""
        self.check_idle()
        states: dict[int, Any] = {}

        def save(part: Part) -> None:
            own = [game for game in games if part.first <= game < part.first + part.count]
            if own:
                self._settle(part)
                there = [game - part.first for game in own]
                states.update(zip(own, part.do(lambda at: at.save(there, as_json)), strict=True))

        self._check_games(games)
        self._each(save)
        return [states[game] if as_json else State(bytes(states[game]), self) for game in games]

    def _check_games(self, games: list[int]) -> None:
        for game in games:
            if not 0 <= game < self.made.games:
                raise ServerError(
                    "bad_option", f"there is no game {game}, want 0 to {self.made.games - 1}", "", "games"
                )

    def restore(self, games: list[int], states: Sequence[Any]) -> View:
        """Restore games and return the batch of all games; see `PommegoVectorEnv.set_state`."""
        self.check_together("set_state()")
        self.check_idle()
        self._check_games(games)
        if len(games) != len(states) or not games:
            raise ValueError(f"{len(states)} states for {len(games)} games")

        def restore(part: Part) -> View:
            own = [k for k, game in enumerate(games) if part.first <= game < part.first + part.count]
            if not own:
                return part.do(lambda at: at.observe())
            there, given = [games[k] - part.first for k in own], [states[k] for k in own]
            return part.shown(part.do(lambda at: at.restore(there, given)))

        same = np.ones(self.made.games, np.bool_)
        same[games] = False
        return self._show(self._each(restore), same)

    def _at_one(self, what: Callable[[Games], T], game: int = 0) -> T:
        """Do something at the member that has a game."""
        self.check_idle()
        self._check_games([game])
        part = next(part for part in self.parts if game < part.first + part.count)
        self._each(self._settle, [part])
        return self._each(lambda part: part.do(what), [part])[0]

    def readable(self, state: State | bytes) -> dict[str, Any]:
        """Return the readable form of any state."""
        return self._at_one(lambda games: games.readable(state))

    def simulate(self, states: Sequence[State | bytes], actions: ArrayLike, **options: Any) -> Simulation:
        """Make steps from each state, all at the first member; see `PommegoVectorEnv.simulate`."""
        return self._at_one(lambda games: games.simulate(states, actions, **options))

    def render(self, game: int, colour: bool, tile: int | None, seat: int | None) -> Any:
        """Draw a game."""
        return self._at_one(lambda games: games.render(game - self._first_of(game), colour, tile, seat), game)

    def _first_of(self, game: int) -> int:
        return next(part.first for part in self.parts if game < part.first + part.count)

    def ping(self) -> float:
        """Make a request of each member that does nothing, and return the longest time it took."""
        self.check_idle()
        self._each(self._settle)
        return max(self._each(lambda part: part.do(lambda games: games.ping())))


def no_policies(line_ups: LineUps | None) -> None:
    """Raise ValueError if a policy is among the opponents."""
    if line_ups is not None and line_ups.places:
        raise ValueError(
            f"opponent {line_ups.places[0]} is a policy, and the games are split between several servers or "
            "actors: name agents, or make an environment for each place"
        )


def _seeds_of(seeds: int | tuple[NDArray, NDArray] | None, part: Part) -> Any:
    """Return the seeds of a part's games."""
    if not isinstance(seeds, tuple):
        return None if seeds is None else (seeds + part.first) % (1 << 64)
    values, given = seeds[0][part.numbers], seeds[1][part.numbers]
    return (values, given) if given.any() else None
