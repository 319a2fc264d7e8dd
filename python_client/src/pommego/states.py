"""Saving, restoring and simulating games: the part of the vector environment that search uses."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pommego import checks
from pommego._transport import wire
from pommego.batch import Observation, View, episode_info
from pommego.errors import ServerError
from pommego.state import Simulation, State, to_wire

if TYPE_CHECKING:
    from pommego._transport.client import Client
    from pommego.batch import BatchReader

__all__ = ["StateMethods"]

_AT_ONCE = 8192  # states in one message, whatever their size
_ROOM = 4096  # bytes of a message that are not states
_PER_STATE = 16  # bytes a state takes besides its own


class StateMethods:
    """Mixed into `PommegoVectorEnv`, whose attributes it uses."""

    if TYPE_CHECKING:
        num_games: int
        learners: int
        _client: Client
        _handle: int
        _options: dict[str, Any]
        batch_bytes: int
        _action_shape: tuple[int, ...]
        _simulated: BatchReader
        _call: Callable[..., Any]
        _read: Callable[..., View]
        _check_idle: Callable[[], None]

    _scratch: int | None = None  # an environment of one game, for state_json

    def get_state(self, games: int | Sequence[int] | None = None, *, as_json: bool = False) -> Any:
        """Save games.

        Args:
            games: one number, several (none twice), or None for all.
            as_json: the readable form, as `state_json` returns it, with nothing
                asked of the server twice.

        Returns:
            one `State` for one number (a dict if `as_json`), else a list in that
            order. Large numbers of games are asked for in several messages.

        Raises:
            ServerError: there is no such game, or the environment was never reset.
        """
        if isinstance(games, int | np.integer):
            return self._save([int(games)], as_json)[0]
        return self._save(list(range(self.num_games)) if games is None else list(map(int, games)), as_json)

    def _save(self, games: list[int], as_json: bool) -> list[State] | list[dict[str, Any]]:
        states: list[Any] = []
        at_once = _AT_ONCE
        while len(states) < len(games):
            part = games[len(states) : len(states) + at_once]
            try:
                reply = self._call("get_state", wire.States, games=part, json=as_json or None)
            except ServerError as e:
                if e.code != "limit" or len(part) == 1:
                    raise
                at_once = max(len(part) // 4, 1)  # the reply would have been too long
                continue
            states += map(json.loads, reply.states) if as_json else [State(s, self) for s in reply.states]
        return states

    def set_state(
        self,
        games: int | Sequence[int],
        states: State | bytes | dict[str, Any] | Sequence[State | bytes | dict[str, Any]],
    ) -> tuple[Observation, dict[str, Any]]:
        """Restore games.

        Args:
            games: one number, or several (none twice).
            states: one state, or one for each game: a `State`, its bytes, or
                the JSON form as a dict or str. A game of the reference's own
                `game_state_file` will do.

        Returns:
            the observation and info of all rows as they now stand.

        Raises:
            ServerError: a state cannot be restored here. In a set too large for
                one message, those sent before it have been restored by then.
            ValueError: the numbers of games and states differ.
        """
        if isinstance(games, int | np.integer):
            games, states = [int(games)], [states]
        numbers, given = list(map(int, games)), [to_wire(state) for state in states]
        if len(numbers) != len(given):
            raise ValueError(f"{len(given)} states for {len(numbers)} games")
        if not numbers:
            raise ValueError("no games to restore")
        view = None
        for begin, end in self._parts(given, _AT_ONCE):
            reply = self._call("set_state", wire.Batch, games=numbers[begin:end], states=given[begin:end])
            view = self._read(reply)
        self._episode = view.episode
        return view.obs, view.info

    def state_json(self, state: State | bytes) -> dict[str, Any]:
        """Return the readable form of any state of this id.

        It has the reference's own game-state fields, and one object "pommego"
        with what those lack.
        """
        self._check_idle()
        call = self._client.call
        if self._scratch is None:  # a game on the server to put it into
            options = self._options | {"games": 1}
            self._scratch = call("make", wire.EnvReply, **options).env
            call("reset", wire.Batch, env=self._scratch, seed=0)
        call("set_state", wire.Batch, env=self._scratch, games=[0], states=[to_wire(state)])
        reply = call("get_state", wire.States, env=self._scratch, games=[0], json=True)
        return json.loads(reply.states[0])

    def simulate(
        self, states: Sequence[State | bytes], actions: ArrayLike, *, seed: int | None = None
    ) -> Simulation:
        """Make one step from each of the given states, apart from the environment's own games.

        This is a forward model for search. The dice of the copies are made
        anew, so that what search sees is what can happen, not what will.

        Args:
            states: n states of games that are not over; one may occur many times.
            actions: (n * learners,), with components last if there are several;
                (n, learners...) will do too.
            seed: state k's dice start from seed + k; None: drawn at random.

        Returns:
            the n states after the step and their batch. ``info["game"]`` says
            how games ended, where some did. Large sets go in several messages.

        Raises:
            ServerError: a state does not belong here or is finished, or an
                action is out of range.
        """
        given = [to_wire(state) for state in states]
        if not given:
            raise ValueError("no states to simulate")
        first = secrets.randbits(63) if seed is None else checks.one_seed(seed)
        n, shape = len(given), self._action_shape[1:]
        wanted = np.empty((n * self.learners, *shape), np.uint8)
        checks.write_actions(actions, wanted, n, self.learners)
        views, after = [], []
        for begin, end in self._parts(given, self._simulated_at_once()):
            reply = self._call(
                "simulate",
                wire.Simulated,
                states=given[begin:end],
                actions=wire.tensor(wanted[begin * self.learners : end * self.learners]),
                seed=(first + begin) % (1 << 64),
            )
            views.append(self._read(reply, self._simulated, games=end - begin))
            after += [State(state, self) for state in reply.states]
        return self._simulation(_joined(views), after, first)

    def _simulation(self, view: View, after: list[State], seed: int) -> Simulation:
        info = view.info | {"seed": seed}
        if view.stats:
            info |= episode_info(view)
        return Simulation(after, view.obs, view.reward, view.terminated, view.truncated, info)

    def _simulated_at_once(self) -> int:
        """How many states one simulate may have, by what its reply may weigh."""
        each = self.batch_bytes // self.num_games + _ROOM  # a game's batch and its state, generously
        limits = self._client.limits
        return max(1, min(_AT_ONCE, limits["games_per_env"], limits["batch_bytes"] // (2 * each)))

    def _parts(self, states: list[bytes | str], at_once: int) -> Iterator[tuple[int, int]]:
        """Split states into ranges that fit one message each."""
        room = self._client.limits["message_bytes"] - _ROOM
        each = self.learners * int(np.prod(self._action_shape[1:])) + _PER_STATE
        begin = size = 0
        for i, state in enumerate(states):
            need = len(state) * (3 if isinstance(state, str) else 1) + each  # a character can be three bytes
            if i > begin and (size + need > room or i - begin >= at_once):
                yield begin, i
                begin, size = i, 0
            size += need
        yield begin, len(states)


def _joined(views: list[View]) -> View:
    """Put the parts of a batch that came in several messages together."""
    if len(views) == 1:
        return views[0]

    def joined(pick: Callable[[View], Any]) -> Any:
        return np.concatenate([pick(view) for view in views])

    starts = np.cumsum([0] + [len(view.seed) for view in views])
    stats = {}
    for name, sample in next((view.stats for view in views if view.stats), {}).items():

        def zeros(view: View, sample: Any = sample) -> Any:
            return np.zeros((len(view.reward), *sample.shape[1:]), sample.dtype)

        stats[name] = np.concatenate([v.stats[name] if v.stats else zeros(v) for v in views])
    return View(
        obs={name: joined(lambda v, name=name: v.obs[name]) for name in views[0].obs},
        reward=joined(lambda v: v.reward),
        terminated=joined(lambda v: v.terminated),
        truncated=joined(lambda v: v.truncated),
        info={name: joined(lambda v, name=name: v.info[name]) for name in views[0].info},
        seed=joined(lambda v: v.seed),
        episode=joined(lambda v: v.episode),
        finished=np.concatenate([v.finished + start for v, start in zip(views, starts, strict=False)]),
        stats=stats,
        final={},
    )
