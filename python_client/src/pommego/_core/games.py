"""The games of one environment on a server: its requests, and their replies as arrays."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pommego._core import checks
from pommego._core.batch import INDEX, LINE_UP, BatchReader, View
from pommego._core.session import About
from pommego._transport import wire
from pommego._transport.client import Client
from pommego.server import Server
from pommego.spec import Encoding, GameSpec

if TYPE_CHECKING:
    from pommego._core.opponents import LineUps
    from pommego._transport.mapping import Mapping


class Games:
    """The games of a `Session` on one server.

    They end with `close` or when they are garbage collected. Then their connection ends, and their server
    if it is their own.
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
        lists_rows: bool = False,
        box: bool = False,  # whether observations and global states are one array each
    ) -> None:
        self.client, self.server, self._options = client, server, options
        self.send = client.step  # as `Session` says
        # The server's number of the first line-up last set, and how many were.
        self._line_ups = 0, len(options.get("line_ups") or [None])
        self._untold: dict[frozenset[str], LineUps] = {}  # opponents that `scratch` has not had
        self.address, self.closed = str(client.address), False
        self._finalizer = weakref.finalize(self, _end, client, server)
        made = client.make(options, shared=shared_memory, lend=copy)
        try:
            spec = GameSpec.from_wire(made.spec)
            _check(made, options, spec)
            encoding, state = spec.encoding(made.observation), None
            if any(field.name.startswith("state.") for field in made.fields):
                state = Encoding("state", spec.state)
            if box:
                encoding, state = encoding.boxed(), state and state.boxed()
            self.about = About(
                *(made, spec, encoding, state),
                games=made.batch_size or made.games,
                learners=made.learners,
                expand=expand,
                max_in_flight=client.prepare(made),
                workers=options.get("workers", 0),
                lists_rows=lists_rows,
            )
            layout = {"learners": made.learners, "expand": expand, "box": box}
            self._batches = BatchReader(made.fields, copy=copy, final=bool(made.final_fields), **layout)
            simulated = [field for field in made.fields if field.name not in (INDEX, LINE_UP)]
            self._simulated = BatchReader(simulated, copy=True, **layout)
            self._line_up = np.zeros(made.games, np.int32)  # each game's line-up
        except wire.MISFITS as e:
            raise client.distrust(f"an invalid description of the environment: {e!r}") from e

    def close(self) -> None:
        self.closed = True
        self._finalizer()

    timeout = property(lambda self: self.client.timeout, lambda self, to: setattr(self.client, "timeout", to))

    def recv(self) -> View:
        if self.about.made.batch_size and not self.client.in_flight:  # else one still comes
            self.client.ask_for_some()
        return self.read(self.client.collect(wire.Batch))

    def abandon(self, after: int = 0) -> None:
        """Forget the steps in flight after so many: their batches are skipped when they arrive."""
        self.client.give_up_all(after)

    def read(self, reply: Any, simulated: int = 0) -> View:
        """Return a batch's arrays. `simulated` is the number of games, if it shows a simulation."""
        reader = self._simulated if simulated else self._batches
        try:
            view = reader.read(reply, simulated or self.about.games)
        except wire.MISFITS as e:
            raise self.client.distrust(f"a batch that cannot be read: {e}") from e
        # As unsigned, a number below 0 is above the limit, too.
        if view.games is not None and np.maximum.reduce(view.games.view(np.uint32)) >= self.about.made.games:
            raise self.client.distrust(f"a batch of the games {view.games.tolist()[:5]}")
        if view.line_up is not None:
            self._note_line_ups(view)
        return view

    def _note_line_ups(self, view: View) -> None:
        """Number line-ups from the first last set, and add those of episodes that ended to the statistics."""
        games = slice(None) if view.games is None else view.games
        view.line_up = np.maximum(view.line_up - self._line_ups[0], -1)
        had = self._line_up[games].copy()  # a slice would show the new ones
        self._line_up[games] = view.line_up
        if view.finished.size:
            ended = np.zeros_like(had)
            ended[view.finished] = had[view.finished]
            view.stats["line_up"] = ended.repeat(self.about.learners)

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call one of the methods below, `abandon`, or a function of `Games`."""
        return what(self, *args, **options)

    def call(self, kind: str, reply: type, **fields: Any) -> Any:
        return self.client.call(kind, reply, env=self.about.made.env, **fields)

    def hosts(self) -> tuple[Any, ...]:
        """Return no hosts: one server has all games."""
        return ()

    def places(self) -> list[Mapping]:
        """Return the parts of shared memory in which batches have arrived so far."""
        return self.client.places()

    def observe(self) -> View:
        return self.read(self.call("observe", wire.Batch))

    def show(self, **arrays: NDArray[Any]) -> bool:
        """Send viewers the probabilities and values of the next actions; return whether there is a viewer."""
        given = {name: wire.tensor(array) for name, array in arrays.items()}
        return bool(self.call("show", wire.Ok, **given).watched)

    def render(self, game: int, colour: bool, tile: int | None, seat: int | None) -> Any:
        if tile is None:
            return self.call("render", wire.Text, game=game, colour=bool(colour), seat=seat).text
        pixels = self.call("render", wire.Image, game=game, tile=tile, seat=seat).pixels
        try:
            return pixels.array_of("uint8", (*pixels.shape[:2], 3)).copy()
        except wire.MISFITS as e:
            raise self.client.distrust(f"an invalid picture: {e}") from e

    def set_opponents(self, line_ups: LineUps) -> None:
        self.call("set_opponents", wire.Ok, **line_ups.fields())
        first, count = self._line_ups
        self._line_ups = first + count, len(line_ups.line_ups)
        self._line_up[:] = -1
        from pommego._core.opponents import keep_outside  # noqa: PLC0415, loaded when it is used

        keep_outside(self._untold, line_ups, self.about.spec.agents)

    def reset(
        self, seeds: checks.Seeds, mask: NDArray[np.bool_] | None, states: Sequence[Any] | None = None
    ) -> View:
        """Begin new episodes; some games may begin in saved states."""
        starts: dict[str, Any] = {}
        if states is not None:
            from pommego._core.more_checks import request_fields  # noqa: PLC0415, loaded when it is used

            starts = request_fields(states, self.client.limits["message_bytes"] // 2)
        if not isinstance(seeds, tuple):
            return self._reset(mask, starts, seed=seeds)
        values, given = seeds
        if not given.all():
            # Those without a seed first; all games, as those that were never reset must not be left out.
            rest = ~given if mask is None else ~given & mask
            view = self._reset(mask, starts) if rest.any() else None
            mask = given if mask is None else given & mask
            if view is not None and not mask.any():
                return view
        return self._reset(mask, starts, seeds=wire.tensor(values))

    def _reset(self, mask: NDArray[np.bool_] | None, starts: dict[str, Any], **fields: Any) -> View:
        given = None if mask is None else wire.tensor(mask.astype(np.uint8))
        return self.read(self.call("reset", wire.Batch, **fields, mask=given, **starts))

    @property
    def scratch(self) -> int:
        """A separate game on the server, into which states can be loaded."""
        while self._untold:
            _, line_ups = self._untold.popitem()
            fields = line_ups.fields() | {"env": self._scratch, "by_game": None}
            self.client.call("set_opponents", wire.Ok, **fields)
        return self._scratch

    @cached_property
    def _scratch(self) -> int:
        options = self._options | {"games": 1, "batch_size": None, "by_game": None, "rules_by_game": None}
        env = self.client.call("make", wire.EnvReply, **options).env
        self.client.call("reset", wire.Batch, env=env, seed=0)
        return env


def _end(client: Client, server: Server | None) -> None:
    client.close()
    if server is not None:
        server.close()


def _check(made: wire.EnvReply, options: dict[str, Any], spec: GameSpec) -> None:
    """Check that the server has made what was asked for: the other code relies on it."""
    for name in ("games", "observation", "reward", "mask", "autoreset_mode"):
        if (asked := options.get(name)) not in (None, getattr(made, name)):
            raise ValueError(f"{name} is {getattr(made, name)!r}, expected {asked!r}")
    batch, final = made.batch_size or made.games, made.autoreset_mode == "SameStep"
    fits = made.policies < made.learners <= spec.seats and made.rows == made.games * made.learners
    if not (fits and made.policies >= 0 and 0 < batch <= made.games and made.batch_bytes >= 0):
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
