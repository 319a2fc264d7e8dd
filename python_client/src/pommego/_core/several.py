"""Environments whose games are split into portions, on several servers or actors.

Each portion has some of the games, in order: of six games in two portions, the first has games 0
to 2. Everything else is as if one server had them all: game i has seed ``seed + i``. With `replace` on
one server there is a single portion.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._core.batch import View, join_batches
from pommego._core.checks import Seeds
from pommego._core.games import Games
from pommego._core.more_checks import legal
from pommego._core.opponents import LineUps
from pommego._core.portion import Host, Make, Portion
from pommego._core.saved import Starts, listed, restore, save, set_starts
from pommego._core.session import Session
from pommego.errors import ClosedError, ConnectionError, ServerError, TimeoutError, on_failure

_PAUSE = 0.2  # seconds to wait after all servers have been tried without success

#: Makes games at an address, with these options for these games.
Connect = Callable[[str | None, dict[str, Any]], Session]


class JoinedGames:
    """The games of a `Session` in several portions. Batches have all games and own their memory."""

    server = None

    def __init__(self, portions: Sequence[Portion]) -> None:
        self.closed, self.portions = False, portions
        one, total = portions[0].games.about, portions[-1].numbers.stop
        batch_bytes = sum(portion.games.about.made.batch_bytes for portion in portions)
        size = {"games": total, "rows": total * one.learners, "batch_bytes": batch_bytes}
        made = msgspec.structs.replace(one.made, **size, shared_memory=None)
        self.about = replace(one, made=made, games=total, max_in_flight=1)
        self._received: list[View | ServerError] = []  # of the current step, by portion
        self._acts = np.zeros((total, one.learners), np.bool_)  # rows whose next action counts
        self._over = np.zeros(total, np.bool_)  # games that need a reset
        self._lost = False  # whether a step has no batch, as after an interrupt: then the games know both

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

    def send(self, actions: ArrayLike, games: None = None, *, reuse: bool = False) -> None:
        """Begin a step; see `Session`. It checks all actions first: either all servers begin it or none."""
        if self._lost:
            self._observe(slice(0, 0))
            self._note_ends(list(range(len(self._over))))
        if self._over.any():
            game = int(self._over.argmax())
            raise ServerError("game_finished", f"game {game} has finished", "reset it with a mask", "games")
        own = legal(actions, self._acts, self.about.spec.actions)
        self._lost = True
        with self._or_close():
            for portion in self.portions:
                portion.begin(own[portion.slice].reshape(-1, *own.shape[2:]).copy())

    def recv(self) -> View:
        """Wait for a batch; see `Session`. After an interrupt the next call continues there."""
        with self._or_close():
            for portion in self.portions:
                if portion.under_way:
                    self._received.append(portion.finish())
        received, self._received = self._received, []
        for one in received:
            if isinstance(one, ServerError):  # after a bug in one of the games, the others' batches are lost
                raise one
        self._lost = False
        return self._joined(received, slice(0, 0))

    def _joined(self, views: list[View], same: Any) -> View:
        """Join the portions' views, in which some games have not changed."""
        view, mode = join_batches(views), self.about.made.autoreset_mode
        acts, over = view.acts(mode), np.zeros(len(self._over), np.bool_)
        over[view.finished] = mode == "Disabled"
        acts[same], over[same] = self._acts[same], self._over[same]
        self._acts, self._over = acts, over
        return view

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Ask each portion for its games. The first one answers requests that are not about the games."""
        with self._or_close():
            if own := getattr(self, f"_{what.__name__}", None):  # it shares the request out
                return own(*args, **options)
            return self.portions[0].ask(what, *args, **options)

    def _hosts(self) -> tuple[Host, ...]:
        return tuple(Host(p.games.address, p.numbers, p.lost, p.error) for p in self.portions)

    def _abandon(self, _: int = 0) -> None:
        for portion in self.portions:
            portion.abandon()
        self._received = []

    def _observe(self, same: Any = slice(None)) -> View:
        return self._joined([portion.ask(Games.observe) for portion in self.portions], same)

    def _reset(self, seeds: Seeds, mask: NDArray[np.bool_] | None, states: list[Any] | None = None) -> View:
        def reset(portion: Portion) -> View:
            own = None if mask is None else mask[portion.slice]
            if own is not None and not own.any():
                return portion.ask(Games.observe)
            own = None if own is None or own.all() else own
            where = None if states is None else states[portion.slice]
            return portion.change(Games.reset, _seeds_of(seeds, portion), own, where)

        return self._joined(
            [reset(portion) for portion in self.portions], slice(0, 0) if mask is None else ~mask
        )

    def _set_starts(self, starts: Starts) -> None:
        for portion in self.portions:
            portion.set(set_starts, starts)

    def _set_opponents(self, line_ups: LineUps) -> None:
        for portion in self.portions:
            portion.set(Games.set_opponents, line_ups.of_games(portion.slice))

    def _split(self, games: list[int]) -> Iterator[tuple[Portion, list[int], list[int]]]:
        """Yield for each portion its games among these: their indices here, and their numbers there."""
        for portion in self.portions:
            own = [k for k, game in enumerate(games) if game in portion.numbers]
            yield portion, own, [games[k] - portion.first for k in own]

    def _save(self, games: list[int], as_json: bool) -> list[Any]:
        states: list[Any] = [None] * len(games)
        for portion, own, there in self._split(games):
            if own:
                for k, state in zip(own, portion.ask(save, there, as_json), strict=True):
                    states[k] = state
        return states

    def _restore(self, games: list[int], states: Sequence[Any]) -> View:
        states = listed(states)
        if len(games) != len(states) or not games:
            raise ValueError(f"{len(states)} states for {len(games)} games, want one each")
        views = [
            portion.change(restore, there, [states[k] for k in own]) if own else portion.ask(Games.observe)
            for portion, own, there in self._split(games)
        ]
        same = np.ones(len(self._over), np.bool_)
        same[games] = False
        view = self._joined(views, same)
        self._note_ends(games)
        return view

    def _note_ends(self, games: list[int]) -> None:
        """Note which of these games are over, as their batch does not say."""
        ended = np.array([state["pommego"]["pool"]["ended"] for state in self._save(games, True)])
        if self.about.made.autoreset_mode == "Disabled":
            self._over[games] = ended
        else:
            self._acts[games] &= ~ended[:, None]

    def _render(self, game: int, *how: Any) -> Any:
        ((portion, there),) = [(portion, there[0]) for portion, own, there in self._split([game]) if own]
        return portion.ask(Games.render, there, *how)


def _seeds_of(seeds: Seeds, portion: Portion) -> Any:
    if not isinstance(seeds, tuple):
        return None if seeds is None else (seeds + portion.first) % (1 << 64)
    values, given = seeds[0][portion.slice], seeds[1][portion.slice]
    return (values, given) if given.any() else None


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
        makes: list[tuple[Make, range]] = []
        for host, own in zip(self.hosts, np.array_split(np.arange(games), len(self.hosts)), strict=True):
            numbers = range(own[0], own[-1] + 1)
            options: dict[str, Any] = {"games": len(numbers), "first": numbers.start}
            if line_ups is not None and line_ups.by_game is not None:
                options |= line_ups.of_games(slice(numbers.start, numbers.stop)).fields()
            makes.append((self.maker(connect, host, options), numbers))
        with on_failure(lambda: [portion.games.close() for portion in made]):
            for make, numbers in makes:
                made.append(Portion(make, numbers, retries=self.retries))
            return JoinedGames(made)

    def maker(self, connect: Connect, host: Any, own: dict[str, Any]) -> Make:
        """Return a function that makes a portion's games, first at its host, with the options `own`."""


class Servers(Hosts):
    """Servers at one or several addresses."""

    kind = "servers"

    def __init__(self, addresses: str | Sequence[str], replace: bool | Sequence[str], timeout: float) -> None:
        if not (isinstance(addresses, Sequence) and all(isinstance(entry, str) for entry in addresses)):
            raise TypeError(f"address is {addresses!r}, expected one address or a list of them")
        addresses = [addresses] if isinstance(addresses, str) else list(addresses)
        if not addresses:
            raise ValueError("address is an empty list, expected a server; leave it out to start one")
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
            others = [address for address in self._given if address != at]
            near = [*others, at] if isinstance(why, TimeoutError) else [at, *others]  # a late one last
            while True:
                for address in dict.fromkeys([*self._spares, *near]):
                    try:
                        games = connect(address, own)
                        if at in self.hosts:  # else a clone, or its original, has moved there first
                            self.hosts[self.hosts.index(at)] = address
                        at = address
                        return games
                    except (ConnectionError, TimeoutError, ServerError) as e:
                        if isinstance(e, ServerError) and e.code != "limit":
                            raise
                        last = e
                if time.monotonic() > deadline:
                    said = f"no server took over the games within {self._timeout:g} s; the last error: {last}"
                    raise ConnectionError(said) from last
                time.sleep(_PAUSE)

        return make
