"""Many games at once, as a gymnasium vector environment."""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from pommego import checks
from pommego._transport import wire
from pommego._transport.client import Client
from pommego._transport.opening import action_shape, make_shared
from pommego._transport.shared import SharedBatch
from pommego.batch import BatchReader, Observation, View, begin_info, episode_info, final_info
from pommego.errors import ClosedError, PommegoError
from pommego.rows import RowMethods
from pommego.server import Server
from pommego.spec import Encoding, GameSpec
from pommego.states import StateMethods

__all__ = ["RENDER_MODES", "PommegoVectorEnv", "StepReturn"]

#: How games can be drawn: as text, or as images.
RENDER_MODES = ("ansi", "rgb_array")
_TILE = 16  # pixels of a tile in an image

StepReturn = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class PommegoVectorEnv(VectorEnv, RowMethods, StateMethods):
    """Games stepped together on a server. Make one with `pommego.make_vec`.

    Rows: a row is one learner of one game, game-major: row r belongs to game
    ``r // learners``. With opponents, or with one learner among `seats`, there
    is one row a game, else as many as there are learners. `by_game` gives any
    result the shape (games, learners, ...).

    A batch consists of

    * ``obs``: a dict of arrays (rows, ...), as `observation_space` says. What
      each plane means is in `encoding`.
    * ``reward``: float64 (rows,); ``terminated``, ``truncated``: bool (rows,).
    * ``info["action_mask"]``: int8 (rows, choices), 0 where an action can have
      no effect that the seat could know of. For several action components the
      choices of one come after the other's (`split_mask`).
    * ``info["alive"]``: bool (rows,). A dead learner's row goes on with only
      "stop" legal until its game ends (see `on_death`).
    * ``info["seat"]``: uint8 (rows,), the seat that the row plays.
    * ``info["game"]``, when some episode ended: ``return`` float64, ``length``
      int32 (steps), ``result`` uint8 (`pommego.Result`), all (rows,), and
      ``winners`` bool (rows, seats); zeros except where ``info["_game"]``.
    * ``info["seed"]`` and ``info["episode_number"]``, uint64 (rows,), where an
      episode began (masks ``info["_seed"]``, ``info["_episode_number"]``).
    * with SAME_STEP, when some episode ended: ``info["final_obs"]`` and
      ``info["final_info"]``, as gymnasium's own vector environments have them;
      ``final_info["game"]`` repeats ``info["game"]``.

    Errors: `ServerError` if the server refuses a request, with nothing changed;
    `ConnectionError` and `TimeoutError` end the environment's life.

    An environment belongs to one thread at a time and to the process that made
    it. Used as a context manager it closes at the end; it also does when it is
    garbage collected or the interpreter exits.

    Attributes:
        num_envs: rows.
        num_games: games.
        learners: rows a game.
        game_spec: what the game is.
        encoding: how it is observed.
        autoreset_mode: gymnasium's AutoresetMode.
        server: the embedded server, None if it joined another.
        on_death: "end" or "wait", as in force.
        batch_bytes: bytes of the longest batch the server may send.
        timeout: seconds to wait for one reply; may be changed.
    """

    def __init__(
        self,
        client: Client,
        server: Server | None,
        options: dict[str, Any],
        *,
        copy: bool,
        expand_shared: bool,
        shared_memory: bool | None,
        render_mode: str,
        respawn: Callable[[], PommegoVectorEnv],
    ) -> None:
        self._client = client
        self.server = server
        self._respawn = respawn
        self._finalizer = weakref.finalize(self, _dispose, client, server)
        made, self._memory = make_shared(client, options, shared_memory)
        layout = {"learners": made.learners, "expand": expand_shared}
        try:
            self._adopt(made)
            self._reader = BatchReader(
                made.fields, copy=copy, shared=self.shared_memory, final=bool(made.final_fields), **layout
            )
            self._simulated = BatchReader(made.fields, copy=True, **layout)
        except (ValueError, TypeError, KeyError, AttributeError) as e:
            raise client.distrust(f"an environment that cannot be understood: {e!r}") from e
        self._options = options
        self.render_mode = render_mode
        self._expand = expand_shared
        self._episode = np.zeros(self.num_games, np.uint64)
        self._steps: deque[int] = deque()  # ids of the steps in flight

    def _adopt(self, made: wire.EnvReply) -> None:
        """Take over what the server tells of the environment it made."""
        self._handle = made.env
        self.batch_bytes = made.batch_bytes
        self.num_envs = made.rows
        self.num_games = made.games
        self.learners = made.learners
        self.on_death = made.on_death
        self.game_spec = GameSpec.from_wire(made.spec)
        self.encoding: Encoding = self.game_spec.encoding(made.observation)
        self.autoreset_mode = AutoresetMode(made.autoreset_mode)
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": list(RENDER_MODES),
            "render_fps": 10,
        }
        self.single_observation_space = self.encoding.space()
        self.single_action_space = self.game_spec.action_space()

        self._action_shape = action_shape(made)
        self._request = wire.StepRequest(self._handle, self._action_shape)

    # gymnasium's interface ----------------------------------------------------

    @cached_property
    def observation_space(self) -> gymnasium.spaces.Dict:
        """The space of a whole batch's observation."""
        batched = {}
        for field in self.encoding.fields:
            lead = self.num_games if field.shared and not self._expand else self.num_envs
            batched[field.name] = batch_space(self.single_observation_space[field.name], lead)
        return gymnasium.spaces.Dict(batched)

    @cached_property
    def action_space(self) -> gymnasium.Space:
        """The space of a whole batch's actions: MultiDiscrete, (rows,) or (rows, components)."""
        return batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | NDArray[Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin new episodes. Steps in flight are forgotten.

        Args:
            seed: game i gets seed + i, or entry i of a list (None in it: no
                seed for that game), and starts at its episode 0. Without one a
                game goes on to its next episode; if it never had one, it draws
                its own (see ``info["seed"]``).
            options: ``{"reset_mask": mask}``, bool (rows,), resets only these;
                it has to cover whole games. The dictionary is not changed.

        Returns:
            the observation and info of all rows. ``info["seed"]`` is set where
            a game was reset. Different from gymnasium's SyncVectorEnv, action
            masks and the like are there for all rows even then.

        Raises:
            ValueError, TypeError: seed or mask are not as described.
        """
        mask = checks.reset_mask(options, self.num_games, self.learners)
        seeds = checks.seeds(seed, self.num_games)
        if isinstance(seeds, int):
            super().reset(seed=seeds)
        self._check_open()
        self._client.give_up_all()
        self._steps.clear()
        view = self._reset(seeds, mask)
        begun = np.ones(self.num_games, np.bool_) if mask is None else mask
        self._episode = view.episode
        return view.obs, view.info | begin_info(view, begun, self.learners)

    def _reset(self, seeds: int | tuple[NDArray, NDArray] | None, mask: NDArray[np.bool_] | None) -> View:
        if isinstance(seeds, tuple):
            values, given = seeds
            if not given.all():  # those without a seed of their own first, in a request of theirs
                rest = ~given if mask is None else ~given & mask
                mask = given if mask is None else given & mask
                view = self._reset(None, rest) if rest.any() else None
                if view is not None and not mask.any():
                    return view
            fields = {"seeds": wire.tensor(values)}
        else:
            fields = {"seed": seeds}
        if mask is not None:
            fields["mask"] = wire.tensor(mask.astype(np.uint8))
        reply = self._client.call("reset", wire.Batch, env=self._handle, **fields)
        return self._read(reply)

    def step(self, actions: ArrayLike) -> StepReturn:
        """Make one step of all games.

        Args:
            actions: integers, (rows,), or (rows, components) if an action has
                several; (games, learners...) will do too. Those of dead rows,
                and of rows being reset, are not looked at.

        Returns:
            obs, reward, terminated, truncated, info; see the class.

        Raises:
            ServerError: an action is out of range, or (DISABLED) a finished
                game was not reset; nothing has been stepped then.
            ValueError, TypeError: actions have the wrong shape or type.
            PommegoError: batches are in flight; `recv` them first.
        """
        self._check_idle()
        self.send(actions)
        try:
            return self.recv()
        except BaseException:  # an interrupted step must not be answered in the next one
            self._client.give_up_all()
            self._steps.clear()
            raise

    def send(self, actions: ArrayLike) -> None:
        """Begin a step without waiting for it; `recv` gets its batch.

        Several may be in flight (``envs.max_in_flight``); their batches come in
        order.

        Args:
            actions: as for `step`.

        Raises:
            PommegoError: too many are in flight.
            Others as `step`, except ServerError, which `recv` raises.
        """
        self._check_open()
        if len(self._steps) >= self.max_in_flight:
            raise PommegoError(f"{len(self._steps)} batches are in flight and no more may be: recv() first")
        slot = self._memory.mailbox.actions() if self._memory and self._memory.mailbox else None
        if slot is not None:
            checks.write_actions(actions, slot, self.num_games, self.learners)
            self._steps.append(self._client.post(self._handle))
            return
        checks.write_actions(actions, self._request.actions, self.num_games, self.learners)
        self._steps.append(self._client.submit(self._request.message(self._client.next_id)))

    def recv(self) -> StepReturn:
        """Wait for the batch of the oldest step in flight.

        With ``copy=False`` this ends the life of the arrays of the batch before.

        Returns:
            as `step`.

        Raises:
            PommegoError: no step is in flight.
            ServerError: the server refused the step; later ones in flight are
                not affected.
        """
        self._check_open()
        if not self._steps:
            raise PommegoError("no step is in flight: call send(actions) first")
        try:
            reply = self._client.collect(wire.Batch)
        except KeyboardInterrupt:
            raise
        except BaseException:
            self._steps.popleft()
            raise
        while self._steps and self._steps.popleft() != reply.id:
            pass
        view = self._read(reply)
        return view.obs, view.reward, view.terminated, view.truncated, self._step_info(view)

    def close_extras(self, **_: Any) -> None:
        """Free the games; stop the server if it is ours."""
        self._finalizer()

    def render(
        self, games: int | Sequence[int] | None = None, *, colour: bool = False, tile: int | None = None
    ) -> Any:
        """Draw games.

        Args:
            games: one number for one picture, several for a tuple; None for a
                tuple with one entry for each row, as gymnasium has it.
            colour: text with ANSI escape sequences.
            tile: pixels of a tile, for an image; None: what `render_mode` says,
                text for "ansi" and 16 for "rgb_array".

        Returns:
            str, or uint8 (height, width, 3), or a tuple of either.
        """
        if tile is None and self.render_mode == "rgb_array":
            tile = _TILE
        if isinstance(games, int | np.integer):
            if tile is None:
                return self._call("render", wire.Text, game=int(games), colour=colour).text
            return self._call("render", wire.Image, game=int(games), tile=tile).pixels.array().copy()
        if games is not None:
            return tuple(self.render(game, colour=colour, tile=tile) for game in games)
        each = self.render(range(self.num_games), colour=colour, tile=tile)
        return tuple(picture for picture in each for _ in range(self.learners))

    # What gymnasium does not have ---------------------------------------------

    @property
    def max_in_flight(self) -> int:
        """How many steps may be sent before the first is received."""
        limit = self._client.limits.get("in_flight", 1)
        return min(limit, self._memory.in_flight) if self._memory else limit

    @property
    def shared_memory(self) -> bool:
        """Whether batches come through memory shared with the server, not through the socket."""
        return self._memory is not None

    @property
    def address(self) -> str:
        """Where the server is."""
        return str(self._client.address)

    @property
    def timeout(self) -> float:
        """Seconds to wait for one reply."""
        return self._client.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._client.timeout = seconds

    def ping(self) -> float:
        """Make a request that does nothing, and return the seconds it took."""
        self._check_idle()
        begin = time.perf_counter()
        self._client.call("ping", wire.Pong)
        return time.perf_counter() - begin

    def set_opponents(self, opponents: Sequence[str]) -> None:
        """Change the agents in the seats that do not learn, from each game's next episode on.

        Args:
            opponents: names, as many as there are such seats: in the order of
                `opponents`, or of `seats` if the environment was made so.

        Raises:
            ServerError: an agent is unknown, or the number does not fit.
        """
        self._call("set_opponents", wire.Ok, opponents=list(opponents))

    def clone(self) -> PommegoVectorEnv:
        """Make an independent environment whose games stand as these do.

        It has a server of its own if this one has, else a connection of its own.
        """
        states = self.get_state()
        twin = self._respawn()
        try:
            twin.reset(seed=0)
            twin.set_state(range(self.num_games), states)
        except BaseException:
            twin.close()
            raise
        return twin

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"PommegoVectorEnv({self.game_spec.id}, games={self.num_games}, rows={self.num_envs}, "
            f"observation={self.encoding.name})"
        )

    # Inside -------------------------------------------------------------------

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedError("this environment has been closed; make a new one")

    def _call(self, kind: str, reply: type, **fields: Any) -> Any:
        """Make a request that must not overtake steps in flight."""
        self._check_idle()
        return self._client.call(kind, reply, env=self._handle, **fields)

    def _check_idle(self) -> None:
        self._check_open()
        if self._steps:
            raise PommegoError(f"{len(self._steps)} batches are in flight: recv() them, or reset(), first")

    def _read(
        self,
        reply: wire.Batch | SharedBatch | wire.Simulated,
        reader: BatchReader | None = None,
        games: int | None = None,
    ) -> View:
        try:
            return (reader or self._reader).read(reply, games or self.num_games, self._client.give_away)
        except (ValueError, TypeError) as e:
            raise self._client.distrust(f"a batch that cannot be read: {e}") from e

    def _step_info(self, view: View) -> dict[str, Any]:
        info = view.info
        begun = view.episode != self._episode
        if begun.any():
            info |= begin_info(view, begun, self.learners)
        self._episode = view.episode
        if view.finished.size:
            info |= episode_info(view)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                info |= final_info(view, self.learners, self.num_envs)
        return info


def _dispose(client: Client, server: Server | None) -> None:
    client.close()
    if server is not None:
        server.close()
