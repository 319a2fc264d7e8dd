"""The games of one environment on a server: its requests, and their replies as arrays."""

from __future__ import annotations

import json
import math
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import BatchReader, View
from pommego._core.session import About
from pommego._transport import wire
from pommego._transport.client import Client
from pommego.errors import ServerError
from pommego.server import Server
from pommego.spec import Encoding, GameSpec
from pommego.state import to_wire

if TYPE_CHECKING:
    from pommego._core.opponents import LineUps
    from pommego._core.simulating import Simulation
    from pommego._core.starts import Starts
    from pommego._transport.mapping import Mapping
    from pommego.state import State

_PER_STATE = 16  # bytes of a message around each state


class Games:
    """The games of a `Session` on one server.

    They end with `close` or when they are garbage collected; so do their connection and,
    if it is their own, their server.
    """

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
        lists_rows: bool = False,
        line_ups: int = 1,  # how many
        box: bool = False,  # whether observations and global states are one array each
    ) -> None:
        self.client, self.server, self._options = client, server, options
        self._line_ups = 0, line_ups  # the number of the first of those last set, and how many
        self.address, self.closed = str(client.address), False
        self._finalizer = weakref.finalize(self, _end, client, server)
        client.end = weakref.WeakMethod(self.close)
        try:
            made = client.make(options, shared=shared_memory, lend=copy)
            self._understand(made, copy=copy, expand=expand, box=box, lists_rows=lists_rows)
        except BaseException:
            self.close()
            raise

    def _understand(
        self, made: wire.EnvReply, *, copy: bool, expand: bool, box: bool, lists_rows: bool
    ) -> None:
        try:
            spec = GameSpec.from_wire(made.spec)
            _check(made, self._options, spec)
            encoding = spec.encoding(made.observation)
            state = None
            if any(field.name.startswith("state.") for field in made.fields):
                state = Encoding("state", spec.state)
            if box:
                encoding, state = encoding.boxed(), state and state.boxed()
            self.about = About(
                *(made, spec, encoding, state),
                games=made.batch_size or made.games,
                learners=made.learners,
                expand=expand,
                max_in_flight=self.client.prepare(made),
                workers=self._options.get("workers", 0),
                lists_rows=lists_rows,
            )
            layout = {"learners": made.learners, "expand": expand, "box": box}
            self._batches = BatchReader(made.fields, copy=copy, final=bool(made.final_fields), **layout)
            simulated = [field for field in made.fields if field.name != "game.index"]
            self._simulated = BatchReader(simulated, copy=True, **layout)
            self._line_up = np.zeros(made.games, np.int32)  # the number of each game's
        except wire.MISFITS as e:
            raise self.client.distrust(f"an invalid description of the environment: {e!r}") from e

    def close(self) -> None:
        """Free the games; stop the server if it is ours. Idempotent."""
        self.closed = True
        self._finalizer()

    timeout = property(lambda self: self.client.timeout, lambda self, to: setattr(self.client, "timeout", to))

    # Steps ---------------------------------------------------------------------

    def send(
        self, actions: ArrayLike, games: NDArray[np.int32] | None = None, *, reuse: bool = False
    ) -> None:
        """Begin a step; see `Session`."""
        made = self.about.made
        where = self.client.actions(reuse=reuse)
        if games is None:
            checks.write_actions(actions, where, made.games, made.learners)
            self.client.step()
        else:
            where = where[: len(games) * made.learners]
            checks.write_actions(actions, where, len(games), made.learners)
            self.client.begin(games)

    def recv(self) -> View:
        """Wait for a batch; see `Session`."""
        if (
            self.about.made.batch_size and not self.client.in_flight
        ):  # after an interrupt one is still to come
            self.client.ask_for_some()
        return self.read(self.client.collect(wire.Batch))

    def abandon(self, *, interrupted: bool = False) -> None:
        """Forget the steps in flight: their batches are skipped when they arrive."""
        self.client.give_up_all(interrupted=interrupted)

    def read(self, reply: Any) -> View:
        view, made = self._read(self._batches, reply, self.about.games), self.about.made
        # Any below 0 is above them, too.
        if view.games is not None and np.maximum.reduce(view.games.view(np.uint32)) >= made.games:
            raise self.client.distrust(f"a batch of the games {view.games.tolist()[:5]}")
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
            view.stats["line_up"] = np.where(over, own, 0).astype(np.int32).repeat(self.about.learners)

    def read_simulated(self, reply: Any, games: int) -> View:
        """Read the batch of simulated games, all or a part of them."""
        return self._read(self._simulated, reply, games)

    def _read(self, reader: BatchReader, reply: Any, games: int) -> View:
        try:
            return reader.read(reply, games)
        except wire.MISFITS as e:
            raise self.client.distrust(f"a batch that cannot be read: {e}") from e

    # What a session can be asked -------------------------------------------------

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call one of the methods below, and `abandon`."""
        return what(self, *args, **options)

    def call(self, kind: str, reply: type, **fields: Any) -> Any:
        return self.client.call(kind, reply, env=self.about.made.env, **fields)

    def hosts(self) -> tuple[Any, ...]:
        """Return no host, as one server has all games."""
        return ()

    def ping(self) -> float:
        """Make a request that does nothing, and return the seconds it took."""
        begin = time.perf_counter()
        self.client.call("ping", wire.Pong)
        return time.perf_counter() - begin

    def places(self) -> list[Mapping]:
        """Return the parts of memory shared with the server in which batches have come so far."""
        return self.client.places()

    def observe(self) -> View:
        return self.read(self.call("observe", wire.Batch))

    def show(self, **arrays: NDArray[Any]) -> bool:
        """Send viewers the probabilities and values behind the next actions; returns whether one looks."""
        given = {name: wire.tensor(array) for name, array in arrays.items()}
        return bool(self.call("show", wire.Ok, **given).watched)

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

    def reset(
        self,
        seeds: int | tuple[NDArray, NDArray] | None,
        mask: NDArray[np.bool_] | None,
        states: Sequence[Any] | None = None,
    ) -> View:
        """Begin new episodes, those of some games in saved states."""
        starts: dict[str, Any] = {}
        if states is not None:
            from pommego._core.starts import request_fields  # noqa: PLC0415, loaded when it is used

            starts = request_fields(states, self.client.limits["message_bytes"] // 2)
        if not isinstance(seeds, tuple):
            return self._reset(mask, starts, seed=seeds)
        values, given = seeds
        if not given.all():  # games without a seed come first, in a separate request
            rest = ~given if mask is None else ~given & mask
            mask = given if mask is None else given & mask
            view = self._reset(rest, starts) if rest.any() else None
            if view is not None and not mask.any():
                return view
        return self._reset(mask, starts, seeds=wire.tensor(values))

    def _reset(self, mask: NDArray[np.bool_] | None, starts: dict[str, Any], **fields: Any) -> View:
        if mask is not None:
            fields["mask"] = wire.tensor(mask.astype(np.uint8))
        return self.read(self.call("reset", wire.Batch, **fields, **starts))

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
        """Return so many states of a reply, as bytes or dictionaries."""
        kind = str if as_json else bytes
        if len(states) != count or not all(isinstance(state, kind) for state in states):
            raise self.client.distrust(f"{len(states)} saved games, or of another type, expected {count}")
        if not as_json:
            return states
        try:
            return [dict(json.loads(state)) for state in states]
        except (ValueError, TypeError, RecursionError) as e:
            raise self.client.distrust(f"a saved game that is not a JSON object: {e}") from e

    def restore(self, games: list[int], states: Sequence[Any]) -> View:
        given = [to_wire(state) for state in states]
        if len(games) != len(given):
            raise ValueError(f"{len(given)} states for {len(games)} games, want one each")
        if not games:
            raise ValueError("the list of games to restore is empty: name at least one")
        for begin, end in self.in_messages(given, self.at_once):
            reply = self.call("set_state", wire.Batch, games=games[begin:end], states=given[begin:end])
            view = self.read(reply)
        return view

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

    @cached_property
    def _scratch(self) -> int:
        """A separate game on the server, into which states can be loaded."""
        options = self._options | {"games": 1, "batch_size": None, "by_game": None, "rules_by_game": None}
        env = self.client.call("make", wire.EnvReply, **options).env
        self.client.call("reset", wire.Batch, env=env, seed=0)
        return env

    def readable(self, state: State | bytes) -> dict[str, Any]:
        call, env = self.client.call, self._scratch
        call("set_state", wire.Batch, env=env, games=[0], states=[to_wire(state)])
        reply = call("get_state", wire.States, env=env, games=[0], json=True)
        return self.saved(reply.states, 1, as_json=True)[0]

    def simulate(self, states: Sequence[State | bytes], actions: ArrayLike, **options: Any) -> Simulation:
        from pommego._core.simulating import simulate  # noqa: PLC0415, loaded when it is used

        return simulate(self, states, actions, **options)

    def in_messages(self, states: list[bytes | str], at_once: int) -> Iterator[tuple[int, int]]:
        """Split states into ranges that each fit into one message."""
        room = self.client.limits["message_bytes"] - self.room
        each = self.about.learners * math.prod(self.about.made.action_shape[1:]) + _PER_STATE
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
        raise ValueError(f"the last observations of {made.autoreset_mode} have fields {made.final_fields}")
    for field in made.fields:
        lead = batch if field.per_game else batch * made.learners
        if field.shape[:1] != (lead,) or min(field.shape) < 0:
            raise ValueError(f"{field.name} has the shape {field.shape}, expected first dimension {lead}")
