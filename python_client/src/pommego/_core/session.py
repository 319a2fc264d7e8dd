"""One environment on a server: its requests and replies, and the steps in flight."""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import BatchReader, View
from pommego._core.call_lock import CallLock
from pommego._core.rows import rows_of
from pommego._transport import wire
from pommego._transport.client import Client, arrived
from pommego._transport.shared import SharedBatch
from pommego.errors import ClosedError, PommegoError
from pommego.server import Server
from pommego.spec import Encoding, GameSpec

if TYPE_CHECKING:
    from pommego._core.opponents import LineUps

__all__ = ["Session"]


class Session:
    """The requests of one environment, and their replies as arrays.

    It ends with `close` or when it is garbage collected; so do its connection and,
    if it has its own, its server.
    """

    def __init__(
        self,
        client: Client,
        server: Server | None,
        options: dict[str, Any],
        *,
        copy: bool,
        expand: bool,
        shared_memory: bool | None,
        numbered: bool = False,  # whether batches list their games even if they have all
        line_ups: int = 1,  # how many
        box: bool = False,  # whether observations and global states are one array each
    ) -> None:
        self.client, self.server, self.options, self.expand = client, server, options, expand
        self.numbered, self.box = numbered, box
        self._line_ups = 0, line_ups  # the number of the first of those last set, and how many
        self.steps: deque[int] = deque()  # the ids of those in flight
        self.closed = False
        self.lock = CallLock()  # held during a call
        self._finalizer = weakref.finalize(self, _end, client, server)
        client.end = weakref.WeakMethod(self.close)
        try:
            self.made = client.make(options, shared=shared_memory, lend=copy)
            self.memory = client.memory
            self._understand(copy)
        except BaseException:
            self.close()
            raise

    def _understand(self, copy: bool) -> None:
        made = self.made
        self.games = made.batch_size or made.games  # of a batch
        self._held = np.zeros(0, np.int32)  # the games in the last batch received
        self._held_rows = b""  # their rows, as bytes
        try:
            self.spec = GameSpec.from_wire(made.spec)
            _check(made, self.options, self.spec)
            counts = tuple(count.name for count in self.spec.counts)
            layout = {"learners": made.learners, "expand": self.expand, "counts": counts, "box": self.box}
            self.encoding = self.spec.encoding(made.observation)
            state = any(field.name.startswith("state.") for field in made.fields)
            self.state_encoding = Encoding("state", self.spec.state) if state else None
            if self.box:
                self.encoding = self.encoding.boxed()
                self.state_encoding = self.state_encoding and self.state_encoding.boxed()
            self.action_shape = made.action_shape
            self._posts = self.memory is not None and self.memory.channel.begins == bool(made.batch_size)
            self._step = wire.StepRequest(made.env, self.action_shape)
            self._batches = BatchReader(made.fields, copy=copy, final=bool(made.final_fields), **layout)
            simulated = [field for field in made.fields if field.name != "game.index"]
            self._simulated = BatchReader(simulated, copy=True, **layout)
            self.learners, self.rows = made.learners, made.rows
            limit = self.client.limits["in_flight"]
            self.max_in_flight = min(limit, self.memory.channel.slots) if self.memory else limit
            self._line_up = np.zeros(made.games, np.int32)  # the number of each game's
        except wire.MISFITS as e:
            raise self.client.distrust(f"an invalid description of the environment: {e!r}") from e

    def close(self) -> None:
        """Free the games; stop the server if it is ours. Idempotent."""
        self.closed = True
        self._finalizer()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an environment cannot be pickled or deep-copied: it is a connection to a running server. Hand "
            "another process a function that makes one there, such as lambda: pommego.make_vec(...); "
            "get_state() returns games that can be pickled, and clone() an independent copy"
        )

    @property
    def address(self) -> str:
        """The address of the server."""
        return str(self.client.address)

    @property
    def timeout(self) -> float:
        """Seconds to wait for one reply."""
        return self.client.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self.client.timeout = seconds

    def timed_out(self) -> PommegoError:
        """End the connection, and return the error that says that a reply took too long."""
        return self.client.time_out()

    def check_open(self) -> None:
        """Raise ClosedError after `close`."""
        if self.closed:
            raise ClosedError("this environment has been closed; make a new one")

    def check_idle(self) -> None:
        """Raise ClosedError after `close`, and PommegoError while steps are in flight."""
        self.check_open()
        if self.steps:
            raise PommegoError(f"{len(self.steps)} batches are in flight: recv() them, or reset(), first")

    def call(self, kind: str, reply: type, **fields: Any) -> Any:
        """Make a request that must not overtake steps in flight."""
        self.check_idle()
        return self.client.call(kind, reply, env=self.made.env, **fields)

    @cached_property
    def scratch(self) -> int:
        """Return a separate game on the server, into which states can be loaded."""
        options = self.options | {"games": 1, "batch_size": None, "by_game": None}
        env = self.client.call("make", wire.EnvReply, **options).env
        self.client.call("reset", wire.Batch, env=env, seed=0)
        return env

    def ping(self) -> float:
        """Make a request that does nothing, and return the seconds it took."""
        self.check_idle()
        begin = time.perf_counter()
        self.client.call("ping", wire.Pong)
        return time.perf_counter() - begin

    def observe(self) -> View:
        """Return what all games show now, which is the result of no step."""
        return self.read(self.call("observe", wire.Batch))

    def show(self, **arrays: NDArray[Any]) -> wire.Ok:
        """Show those who look on what the next actions are chosen by."""
        return self.call("show", wire.Ok, **{name: wire.tensor(array) for name, array in arrays.items()})

    def render(self, game: int, colour: bool, tile: int | None, seat: int | None) -> Any:
        """Draw a game, or what a seat sees: as text, or with `tile` pixels for a tile as an image."""
        view = {} if seat is None else {"seat": seat}
        if tile is None:
            return self.call("render", wire.Text, game=game, colour=colour, **view).text
        pixels = self.call("render", wire.Image, game=game, tile=tile, **view).pixels
        try:
            return pixels.array_of("uint8", (*pixels.shape[:2], 3)).copy()
        except wire.MISFITS as e:
            raise self.client.distrust(f"a picture that is none: {e}") from e

    def set_opponents(self, line_ups: LineUps) -> None:
        """Have other opponents from each game's next episode on; see `PommegoVectorEnv.set_opponents`."""
        self.call("set_opponents", wire.Ok, **line_ups.fields())
        first, count = self._line_ups
        self._line_ups = first + count, len(line_ups.line_ups)

    def abandon_steps(self, *, interrupted: bool = False) -> None:
        """Forget the steps in flight: their batches are skipped when they arrive."""
        if interrupted:
            self.client.interrupt()
        self.client.give_up_all()
        self.steps.clear()

    def reset(
        self,
        seeds: int | tuple[NDArray, NDArray] | None,
        mask: NDArray[np.bool_] | None,
        starts: dict[str, Any] | None = None,
    ) -> View:
        """Begin new episodes.

        Args:
            seeds: as `checks.seeds` returns them.
            mask: a flag for each game; None: all.
            starts: the request's fields that say where; None: nothing does.
        """
        fields: dict[str, Any] = dict(starts or {})
        if isinstance(seeds, tuple):
            values, given = seeds
            if not given.all():  # games without a seed come first, in a separate request
                rest = ~given if mask is None else ~given & mask
                mask = given if mask is None else given & mask
                view = self.reset(None, rest, starts) if rest.any() else None
                if view is not None and not mask.any():
                    return view
            fields["seeds"] = wire.tensor(values)
        else:
            fields["seed"] = seeds
        if mask is not None:
            fields["mask"] = wire.tensor(mask.astype(np.uint8))
        return self.read(self.call("reset", wire.Batch, **fields))

    def check_together(self, what: str) -> None:
        """Raise PommegoError if the games are not stepped together."""
        if self.made.batch_size:
            raise PommegoError(
                f"{what} is for all {self.made.games} games together, and this environment was made with "
                f"batch_size={self.made.batch_size}: use send(actions, info['row']) and recv(), "
                "or leave batch_size out"
            )

    def send(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Begin a step; with batch_size, of the games with these rows (by default those received last)."""
        if self.made.batch_size:
            self._send_some(actions, rows)
            return
        self.check_open()
        if rows is not None:
            checks.all_rows(rows, self.rows)
        if len(self.steps) >= self.max_in_flight:
            raise PommegoError(f"{len(self.steps)} batches are in flight and no more may be: recv() first")
        games = self.made.games
        if self._posts:
            checks.write_actions(actions, self.client.slot(), games, self.learners)
            self.steps.append(self.client.post())
        else:
            checks.write_actions(actions, self._step.actions, games, self.learners)
            self.steps.append(self.client.submit(self._step.message(self.client.next_id)))

    def _send_some(self, actions: ArrayLike, rows: ArrayLike | None) -> None:
        if rows is None or self._are_held(rows):
            games = self._held
        else:
            games = checks.games_of(rows, self.made.games, self.learners)
        self.check_idle()
        size = len(games) * self.made.learners
        if self._posts and len(games) <= self.made.games:
            checks.write_actions(actions, self.client.slot()[:size], len(games), self.learners)
            self.memory.channel.begin(games)
            return
        encoded = np.empty((size, *self.action_shape[1:]), np.uint8)
        checks.write_actions(actions, encoded, len(games), self.learners)
        self.call("send", wire.Ok, games=wire.tensor(games), actions=wire.tensor(encoded))

    def _are_held(self, rows: ArrayLike) -> bool:
        """Return whether these are the rows received last, the usual case."""
        alike = type(rows) is np.ndarray and rows.dtype == np.intp and rows.ndim == 1
        return alike and rows.tobytes() == self._held_rows

    def _ask_for_some(self) -> int:
        """Ask for the first games that are ready; returns the request's id."""
        if not self._posts:
            return self.client.submit(self.client.encode("recv", env=self.made.env))
        self.client.slot()
        return self.client.post()

    def recv(self) -> View:
        """Wait for the batch of the oldest step in flight, or with batch_size of the first games ready."""
        self.check_open()
        if self.made.batch_size and not self.steps:  # after an interrupt a batch is still to come
            self.steps.append(self._ask_for_some())
        if not self.steps:
            raise PommegoError("no step is in flight: call send(actions) first")
        try:
            reply = self.client.collect(wire.Batch)
        except PommegoError:  # after an interrupt, another recv() waits for the same batch
            self.steps.popleft()
            raise
        while self.steps and self.steps.popleft() != reply.id:
            pass
        return self.read(reply)

    @staticmethod
    def first_ready(waiting: Sequence[Session], seconds: float) -> list[Session]:
        """Wait for the first batches, without shared memory; returns whose `recv` need not wait."""
        return arrived([each.client for each in waiting], waiting, seconds)

    def read(self, reply: wire.Batch | SharedBatch) -> View:
        """Read a batch."""
        try:
            view = self._batches.read(reply, self.games, self.client.give_away)
        except wire.MISFITS as e:
            raise self._unreadable(e) from e
        if view.games is not None:
            if np.maximum.reduce(view.games.view(np.uint32)) >= self.made.games:  # as any below 0 is
                raise self.client.distrust(f"a batch of the games {view.games.tolist()[:5]}")
            view.rows = rows_of(view.games, self.learners)
            self._held, self._held_rows = view.games, view.rows.tobytes()
        elif self.numbered:
            view.games = np.arange(self.games, dtype=np.int32)
            view.rows = rows_of(view.games, self.learners)
        if view.line_up is not None:
            self._note_line_ups(view)
        return view

    def _note_line_ups(self, view: View) -> None:
        """Add to the statistics which line-up the episodes had that ended."""
        games = slice(None) if view.games is None else view.games
        had, self._line_up[games] = self._line_up[games], view.line_up
        if view.finished.size:
            over = np.zeros(len(had), np.bool_)
            over[view.finished] = True
            own = np.maximum(had - self._line_ups[0], -1)  # -1: of those before
            view.stats["line_up"] = np.where(over, own, 0).astype(np.int32).repeat(self.made.learners)

    def read_simulated(self, reply: wire.Simulated, games: int, *, part: bool) -> View:
        """Read the batch of simulated games, all or a part of them."""
        try:
            return self._simulated.read(reply, games, self.client.give_away, part=part)
        except wire.MISFITS as e:
            raise self._unreadable(e) from e

    def _unreadable(self, error: Exception) -> PommegoError:
        return self.client.distrust(f"a batch that cannot be read: {error}")


def _end(client: Client, server: Server | None) -> None:
    client.close()
    if server is not None:
        server.close()


def _check(made: wire.EnvReply, options: dict[str, Any], spec: GameSpec) -> None:
    """Check that the server has made what was asked for, of which everything else follows.

    Raises:
        ValueError: it says that it has made something else.
    """
    for name in ("games", "observation", "reward", "autoreset_mode", "on_death"):
        if (asked := options.get(name)) not in (None, getattr(made, name)):
            raise ValueError(f"{name} is {getattr(made, name)!r}, expected {asked!r}")
    batch, final = made.batch_size or made.games, made.autoreset_mode == "SameStep"
    fits = 0 < made.learners <= spec.seats and made.rows == made.games * made.learners
    if not (
        fits and 0 <= made.policies < made.learners and 0 < batch <= made.games and made.batch_bytes >= 0
    ):
        raise ValueError(
            f"{made.rows} rows of {made.games} games with {made.learners} learners each, {made.policies} "
            f"of them policies, in batches of {batch} games and {made.batch_bytes} bytes"
        )
    if bool(made.final_fields) != final:
        raise ValueError(f"the last observations of {made.autoreset_mode} have {made.final_fields}")
    for field in made.fields:
        lead = batch if field.per_game else batch * made.learners
        if field.shape[:1] != (lead,) or min(field.shape) < 0:
            raise ValueError(f"{field.name} has the shape {field.shape}, expected {lead} first")
