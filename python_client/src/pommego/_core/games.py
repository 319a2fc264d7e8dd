"""The games of one environment on a server: its requests and replies, and the steps in flight."""

from __future__ import annotations

import json
import math
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import BatchReader, View
from pommego._core.call_lock import CallLock, uncopied
from pommego._core.rows import rows_of
from pommego._transport import wire
from pommego._transport.client import Client
from pommego._transport.shared import SharedBatch
from pommego._transport.websocket import any_readable
from pommego.errors import ClosedError, PommegoError, ServerError
from pommego.server import Server
from pommego.spec import Encoding, GameSpec
from pommego.state import State, to_wire

if TYPE_CHECKING:
    from pommego._core.opponents import LineUps
    from pommego._core.simulating import Simulation
    from pommego._core.starts import Starts

_PER_STATE = 16  # bytes of a message around each state


class Games:
    """The requests of one environment, and their replies as arrays.

    It ends with `close` or when it is garbage collected; so do its connection and,
    if it has its own, its server.

    Attributes:
        hosts: empty, as one server has all games; see `JoinedGames`.
        policy_seats: empty, as policies play in `PolicyGames`.
    """

    hosts = ()
    policy_seats = ()

    at_once = 8192  # states in one message, whatever their size
    room = 4096  # bytes of a message around its states

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
            layout = {"learners": made.learners, "expand": self.expand, "box": self.box}
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

    __reduce__ = uncopied

    @property
    def address(self) -> str:
        return str(self.client.address)

    @property
    def timeout(self) -> float:
        return self.client.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self.client.timeout = seconds

    def timed_out(self) -> PommegoError:
        """End the connection, and return the error that says that a reply took too long."""
        return self.client.time_out()

    def check_open(self) -> None:
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
        options = self.options | {"games": 1, "batch_size": None, "by_game": None, "rules_by_game": None}
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
        return self.read(self.call("observe", wire.Batch))

    def show(self, **arrays: NDArray[Any]) -> wire.Ok:
        """Send viewers the probabilities and values behind the next actions."""
        return self.call("show", wire.Ok, **{name: wire.tensor(array) for name, array in arrays.items()})

    def render(self, game: int, colour: int, tile: int | None, seat: int | None) -> Any:
        view: dict[str, Any] = {} if seat is None else {"seat": seat}
        if tile is None:
            view |= {"basic": True} if colour == 16 else {}
            return self.call("render", wire.Text, game=game, colour=bool(colour), **view).text
        pixels = self.call("render", wire.Image, game=game, tile=tile, **view).pixels
        try:
            return pixels.array_of("uint8", (*pixels.shape[:2], 3)).copy()
        except wire.MISFITS as e:
            raise self.client.distrust(f"an invalid picture: {e}") from e

    def set_opponents(self, line_ups: LineUps) -> None:
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
        """Begin new episodes."""
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
        alike = type(rows) is np.ndarray and rows.dtype == np.intp and rows.ndim == 1
        return alike and rows.tobytes() == self._held_rows

    def _ask_for_some(self) -> int:
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
    def first_ready(waiting: Sequence[Games], seconds: float) -> list[Games]:
        """Wait for the first batches, without shared memory; returns whose `recv` need not wait."""
        found = [each for each in waiting if each.client.has_reply()]
        if not found and any_readable([each.client.fileno() for each in waiting], seconds):
            found = [each for each in waiting if each.client.has_reply()]
        return found

    def read(self, reply: wire.Batch | SharedBatch) -> View:
        view = self._read(self._batches, reply, self.games)
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

    def read_simulated(self, reply: wire.Simulated, games: int) -> View:
        """Read the batch of simulated games, all or a part of them."""
        return self._read(self._simulated, reply, games)

    def _read(self, reader: BatchReader, reply: Any, games: int) -> View:
        try:
            return reader.read(reply, games, self.client.give_away)
        except wire.MISFITS as e:
            raise self.client.distrust(f"a batch that cannot be read: {e}") from e

    # Saved games ---------------------------------------------------------------

    def save(self, games: list[int], as_json: bool) -> list[Any]:
        states: list[Any] = []
        most = self.at_once
        while len(states) < len(games):
            part = games[len(states) : len(states) + most]
            try:
                reply = self.call("get_state", wire.States, games=part, json=as_json or None)
            except ServerError as e:
                if e.code != "limit" or len(part) == 1:
                    raise
                most = max(len(part) // 4, 1)  # the reply would be too long
                continue
            states += self.saved(reply.states, len(part), as_json=as_json)
        return states

    def saved(self, states: list[Any], count: int, *, as_json: bool = False) -> list[Any]:
        """Return so many states of a reply, as objects."""
        kind = str if as_json else bytes
        if len(states) != count or not all(isinstance(state, kind) for state in states):
            raise self.client.distrust(f"{len(states)} saved games, or of another type, expected {count}")
        if not as_json:
            return [State(state, self) for state in states]
        try:
            return [dict(json.loads(state)) for state in states]
        except (ValueError, TypeError, RecursionError) as e:
            raise self.client.distrust(f"a saved game that is not a JSON object: {e}") from e

    def restore(self, games: list[int], states: Sequence[Any]) -> View:
        given = [to_wire(state) for state in states]
        if len(games) != len(given):
            raise ValueError(f"{len(given)} states for {len(games)} game{'s'[len(games) == 1 :]}")
        if not games:
            raise ValueError("no games to restore")
        for begin, end in self.in_messages(given, self.at_once):
            reply = self.call("set_state", wire.Batch, games=games[begin:end], states=given[begin:end])
            view = self.read(reply)
        return view

    def starts(self, states: Sequence[Any] | None) -> dict[str, Any] | None:
        """Return what a reset says of the state that each game begins in; None: on boards of their own."""
        if states is None:
            return None
        from pommego._core.starts import request_fields  # noqa: PLC0415, loaded when it is used

        return request_fields(states, self.client.limits["message_bytes"] // 2)

    def set_starts(self, starts: Starts) -> None:
        weights = starts.weights
        for begin, end in self.in_messages(starts.states, self.at_once):
            self.call(
                "set_starts",
                wire.Ok,
                states=starts.states[begin:end],
                weights=weights and weights[begin:end],
                ordinary=starts.ordinary,
                add=begin > 0,
            )

    def readable(self, state: State | bytes) -> dict[str, Any]:
        self.check_idle()
        call, env = self.client.call, self.scratch
        call("set_state", wire.Batch, env=env, games=[0], states=[to_wire(state)])
        reply = call("get_state", wire.States, env=env, games=[0], json=True)
        return self.saved(reply.states, 1, as_json=True)[0]

    def simulate(self, states: Sequence[State | bytes], actions: ArrayLike, **options: Any) -> Simulation:
        from pommego._core.simulating import simulate  # noqa: PLC0415, loaded when it is used

        return simulate(self, states, actions, **options)

    def in_messages(self, states: list[bytes | str], at_once: int) -> Iterator[tuple[int, int]]:
        """Split states into ranges that each fit into one message."""
        room = self.client.limits["message_bytes"] - self.room
        each = self.made.learners * math.prod(self.action_shape[1:]) + _PER_STATE
        begin = size = 0
        for i, state in enumerate(states):
            need = len(state) * (3 if isinstance(state, str) else 1) + each  # three: of a character
            if i > begin and (size + need > room or i - begin >= at_once):
                yield begin, i
                begin, size = i, 0
            size += need
        yield begin, len(states)


def _end(client: Client, server: Server | None) -> None:
    client.close()
    if server is not None:
        server.close()


def _check(made: wire.EnvReply, options: dict[str, Any], spec: GameSpec) -> None:
    """Check that the server has made what was asked for, of which everything else follows."""
    for name in ("games", "observation", "reward", "mask", "autoreset_mode", "on_death"):
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
