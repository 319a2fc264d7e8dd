"""Many games at once, as a gymnasium vector environment."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from pommego._core import checks
from pommego._core.batch import Observation
from pommego._core.call_lock import CallLock, locked, uncopied
from pommego._core.games import Games
from pommego._core.info import InfoMaker
from pommego._core.rows import sample
from pommego._core.session import Session
from pommego._transport import wire
from pommego.errors import PommegoError, ServerError, on_failure
from pommego.spec import BOX, Encoding

if TYPE_CHECKING:
    from pommego._core.opponents import Opponents
    from pommego._core.portion import Host
    from pommego._core.saved import Simulation, Starts
    from pommego._core.viewer import Viewer
    from pommego.state import State

# ruff: noqa: PLC0415, modules that a plain step does not need are loaded when they are used

#: How games can be drawn: as text, as images, or in the browser.
RENDER_MODES = ("ansi", "rgb_array", "human")
_TILE = 16  # pixels of a tile in an image

StepReturn = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class PommegoVectorEnv(VectorEnv):
    """Games stepped together on a server. Make one with `pommego.make_vec`.

    Rows: a row is one learner of one game, game-major: row r belongs to game
    ``r // learners``. With opponents, or with one learner among `seats`, there
    is one row per game, otherwise one per learner. `by_game` gives any result the
    shape (games, learners, ...).

    A batch consists of

    * ``obs``: a dict of arrays (rows, ...), as `observation_space` says, or with
      ``observation="box"`` one array. `encoding` has the meaning of each plane.
    * ``reward``: float64 (rows,); ``terminated``, ``truncated``: bool (rows,).
    * ``info["action_mask"]``: int8 (rows, choices), 0 for actions that, as far as the seat can
      know, have no effect, or with ``mask="safe"`` are not safe. With several
      action components their choices follow each other (`split_mask`).
    * ``info["alive"]``: bool (rows,). A dead learner's row goes on with only
      "stop" legal until its game ends (see `on_death`).
    * ``info["valid"]``: bool (rows,), the rows of the step to learn from: those whose agents
      were alive before it, in games that it did not only reset. The actions of the others
      had no effect. All false after `reset` and `set_state`, which make no step.
    * ``info["seat"]``: uint8 (rows,), the seat that the row plays.
    * ``info["rules"]``, with several rules: int32 (rows,), the index in `rules` of those of the
      row's game; if each game has its own, equal ones count once. Then `game_spec` has no rules.
    * ``info["state"]``, with ``state=True``: the global state, a dict of arrays like ``obs``
      (`state_space`), without fog and the same for all rows of a game. `state_encoding` has
      the meaning of each plane. Final ones are in ``info["final_info"]["state"]``.
    * ``info["counts"]``, with ``counts="step"``: int32 (rows, names), what the step added to
      the counts of the row's seat, in the order of ``game_spec.counts``; 0 where it only began
      an episode.
    * ``info["game"]``, when an episode ended, zeros except where ``info["_game"]``; all (rows,): the counts
      of the row's seat, int32, named as in ``game_spec.counts`` (not with ``counts=False``); ``return``
      float64, ``length`` int32 (steps), ``result`` uint8 (the row's `pommego.Result`), ``won`` bool; with a
      policy or several line-ups ``line_up`` int32 (its index among those last set, -1 for an earlier one; in
      a restored game or a clone, of one with the same agents); with agents outside the server ``late``,
      ``failed`` int32 (moves that were replaced) and ``void`` bool (not to be scored). ``winners`` is bool
      (rows, seats).
    * ``info["seed"]`` and ``info["episode_number"]``, uint64 (rows,), where an
      episode began (masks ``info["_seed"]``, ``info["_episode_number"]``).
    * ``info["row"]`` with `batch_size`: int (rows,), the rows in the batch.
    * with SAME_STEP, when an episode ended: ``info["final_obs"]``, an observation or None for each
      row, and ``info["final_info"]``, arrays, as in gymnasium's own vector environments. ``final_obs`` has
      views of ``final_info["obs"]``, arrays like ``obs`` with zeros except where ``info["_final_obs"]``;
      ``final_info["game"]`` repeats ``info["game"]``. Gymnasium's wrappers leave ``final_info`` as it is.

    Errors: a `ServerError` means that the server refused a request; unless a method says otherwise nothing
    has changed. After a `GamePanicError` the other games have made the step. A
    `ConnectionError` or `TimeoutError` closes the environment. Ctrl-C ends a call at once; the
    server makes the step all the same, and the next call waits for it. `recv` can be called again.
    Without shared memory Ctrl-C in the middle of a message closes the environment.

    An environment may be used by one thread at a time (`BusyError`), in the process that made it
    (`ForkedError`), and cannot be pickled. It closes at the end of a ``with`` block, when it
    is garbage collected, and when the interpreter exits.

    Attributes:
        num_envs: number of rows.
        num_games: number of games.
        batch_size: games per batch; the spaces are those of a batch.
        learners: rows per game.
        game_spec: the description of the game.
        encoding: the encoding of observations.
        state_encoding: the encoding of the global state, None without it.
        autoreset_mode: gymnasium's AutoresetMode.
        server: the embedded server; None with `address`.
        on_death: "end" or "wait", whichever holds.
        batch_bytes: bytes of the longest batch the server may send.
        max_in_flight: how many steps may be sent before the first is received.
        shared_memory: whether batches are received in memory shared with the server, not through the socket.
    """

    __reduce__ = uncopied

    def __init__(
        self,
        session: Session,
        *,
        render_mode: str,
        respawn: Callable[..., PommegoVectorEnv],
        players: Sequence[Sequence[Any]] = (),
        viewer: Viewer | None = None,
    ) -> None:
        about, made = session.about, session.about.made
        self._session, self._lock = session, CallLock()
        self._respawn, self._players = respawn, players  # the line-ups it was made with
        self.server = session.server
        self._viewer = viewer
        self._sent = deque[ArrayLike]([()], about.max_in_flight)  # the last actions, for error messages
        self._in_flight = 0  # batches that `recv` can wait for
        self._later: dict[str, Any] = {}  # what set_opponents and set_start_states were given last
        self._outside: dict[frozenset[str], Any] = {}  # opponents, by their agents outside
        self.num_envs = made.games * about.learners
        self.num_games = made.games
        self.batch_size = about.games
        self._rows = about.games * about.learners  # of a batch
        self.learners = about.learners
        self.on_death = made.on_death
        self.batch_bytes = made.batch_bytes
        self.max_in_flight = about.max_in_flight
        self.shared_memory = made.shared_memory is not None
        self.game_spec = about.spec
        self.encoding = about.encoding
        self.state_encoding = about.state_encoding
        self.autoreset_mode = AutoresetMode(made.autoreset_mode)
        self.render_mode = render_mode
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": list(RENDER_MODES),
            "render_fps": 10,
        }
        self.single_observation_space = self.encoding.space()
        self.single_state_space = self.state_encoding and self.state_encoding.space()
        self.single_action_space = self.game_spec.action_space()
        self._infos = InfoMaker(about)

    # gymnasium's interface ----------------------------------------------------

    @cached_property
    def observation_space(self) -> gymnasium.spaces.Dict | gymnasium.spaces.Box:
        """The observation space of a whole batch."""
        return self._batched(self.encoding)

    @cached_property
    def state_space(self) -> gymnasium.spaces.Dict | gymnasium.spaces.Box | None:
        """The space of the global state of a whole batch; None without it.

        Like everything that the seats of a game share, it has an entry for each row, or with
        ``expand_shared=False`` for each game. `single_state_space` is the space of one game's.
        """
        return self.state_encoding and self._batched(self.state_encoding)

    def _batched(self, encoding: Encoding) -> gymnasium.Space:
        batched = {}
        for field in encoding.fields:
            lead = self.batch_size if field.shared and not self._session.about.expand else self._rows
            batched[field.name] = batch_space(field.space(), lead)
        return batched[BOX] if encoding.is_box else gymnasium.spaces.Dict(batched)

    @cached_property
    def action_space(self) -> gymnasium.Space:
        """The action space of a whole batch: MultiDiscrete, (rows,) or (rows, components)."""
        return batch_space(self.single_action_space, self._rows)

    @locked
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
                game goes on to its next episode; a game that never had a seed
                draws one (see ``info["seed"]``).
            options: ``{"reset_mask": mask}``, bool (rows,), resets only these;
                it has to cover whole games. ``{"states": [...]}``, a saved state for
                each game, or None, begins this episode there, with an RNG and
                opponents of its own; see `set_start_states`. The dictionary is not
                changed.

        Returns:
            the observation and info of all rows. ``info["seed"]`` is set where a game was
            reset; action masks and the like are present for all rows.

        Raises:
            ValueError, TypeError: seed, mask or states are not as described.
            ServerError: a state belongs to other rules, or its game is over. With several servers, those
                before its own have then reset their games.
        """
        mask, states = None, None
        if options:
            from pommego._core.more_checks import reset_mask, reset_states

            mask = reset_mask(options, self.num_games, self.learners)
            states = reset_states(options, self.num_games)
        seeds = checks.seeds(seed, self.num_games)
        if mask is not None or (isinstance(seeds, tuple) and not seeds[1].all()):
            self._check_together("resetting some games")
        if isinstance(seeds, int):
            super().reset(seed=seeds)
        self._abandon()
        view = self._session.ask(Games.reset, seeds, mask, states)
        return view.obs, self._infos.of_reset(view, mask)

    @locked
    def step(self, actions: ArrayLike) -> StepReturn:
        """Make one step of all games.

        Args:
            actions: integers, (rows,), or (rows, components) if an action has
                several; (games, learners...) is accepted too. Actions of dead rows
                and of rows being reset are ignored.

        Returns:
            obs, reward, terminated, truncated, info; see the class.

        Raises:
            ServerError: an action is out of range, or (DISABLED) a finished
                game was not reset; nothing has been stepped then.
            ValueError, TypeError: actions have the wrong shape or type.
            PommegoError: batches are in flight; `recv` them first. Or `batch_size`
                is below `num_games`; use `send` and `recv`.
        """
        self._check_together("step()")
        self._check_idle()
        try:
            self._sent.append(actions)
            self._session.send(actions, reuse=True)
            self._in_flight = 1
            return self._received()
        except BaseException:  # the next step must not get the reply to this one
            self._abandon()
            raise

    @locked
    def send(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Begin a step without waiting for it; `recv` returns its batch.

        Up to `max_in_flight` steps may be in flight; their batches arrive in order.

        With a `batch_size` below `num_games` it begins a step of the games with
        these rows. They are then under way until a `recv` returns them; after a
        `reset` all games are. You may send any game that is not under way.

        Args:
            actions: as for `step`, for the rows sent.
            rows: integers (n,), the rows of whole games, with the games in any
                order, as in ``info["row"]``. None: the rows of the last batch.

        Raises:
            PommegoError: too many are in flight.
            ValueError, TypeError: actions or rows are not as described.
            ServerError: an action is out of range, or (with `batch_size`) a game is
                under way; then no step has begun. Usually the next `recv` raises it.
        """
        games = None
        if self._session.about.made.batch_size:
            self._check_idle()
            games, held = self._infos.held
            alike = type(rows) is np.ndarray and rows.dtype == np.intp and rows.ndim == 1
            if rows is not None and not (alike and rows.tobytes() == held):
                from pommego._core.more_checks import games_of

                games = games_of(rows, self.num_games, self.learners)
        elif self._in_flight >= self.max_in_flight:
            raise PommegoError(f"steps in flight: {self._in_flight}, the most allowed. recv() first")
        elif rows is not None and not np.array_equal(rows, np.arange(self.num_envs)):
            raise ValueError(
                f"rows must be all {self.num_envs}, in order, or left out: without a batch_size below "
                "num_envs, all games are stepped together"
            )
        self._sent.append(actions)
        before = self._in_flight
        try:
            self._session.send(actions, games)
            self._in_flight = before + (games is None)
        except BaseException:  # it may have begun if this is an interrupt
            self._abandon(before)
            raise

    @locked
    def recv(self) -> StepReturn:
        """Wait for the batch of the oldest step in flight.

        With a `batch_size` below `num_games`: wait for the first `batch_size` of the
        games under way to be ready. The batch has them in the order in which they
        became ready; ``info["row"]`` lists their rows.

        With ``copy=False`` the arrays of the previous batch become invalid.

        Returns:
            the same as `step`.

        Raises:
            PommegoError: no step is in flight.
            ServerError: the server refused the step; later ones in flight are
                not affected. With `batch_size`: fewer games than that are under way.
        """
        if self._session.about.made.batch_size:
            self._in_flight = 1  # after an interrupt this batch still comes
        if not self._in_flight:
            raise PommegoError("no step is in flight: call send(actions) first")
        return self._received()

    def _received(self) -> StepReturn:
        try:
            view = self._session.recv()
        except PommegoError:
            self._in_flight -= 1
            raise
        self._in_flight -= 1
        return view.obs, view.reward, view.terminated, view.truncated, self._infos.of_step(view)

    def _abandon(self, after: int = 0) -> None:
        self._session.ask(Games.abandon, after)
        self._in_flight = after

    def _check_idle(self) -> None:
        if self._in_flight:
            said = "recv() their batches first, or reset(); of a feed, take feed.halves[batch.half]"
            raise PommegoError(f"steps in flight: {self._in_flight}. {said}")

    def _check_together(self, what: str) -> None:
        """Raise PommegoError if the games are not stepped together, which `what` needs."""
        if self._session.about.made.batch_size:
            raise PommegoError(
                f"{what} is for all {self.num_games} games together, and this environment was made with "
                f"batch_size={self.batch_size}: leave that out, or make steps by "
                "send(actions, info['row']) and recv()"
            )

    def _ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Ask the games for something that must not overtake steps in flight."""
        self._check_idle()
        return self._session.ask(what, *args, **options)

    def _numbers(self, games: Sequence[int]) -> list[int]:
        from pommego._core.more_checks import game_numbers

        return game_numbers(games, self.num_games)

    def close_extras(self, **_: Any) -> None:
        """Free the games; stop the server if it is ours."""
        try:
            self._session.close()
        finally:
            if self._viewer:  # its page shows the end
                self._viewer.close()

    @locked
    def render(
        self,
        games: int | Sequence[int] | None = None,
        *,
        colour: int = False,
        tile: int | None = None,
        seat: int | None = None,
    ) -> Any:
        """Draw games.

        Args:
            games: one number for one picture, several for a tuple; None for a
                tuple with one entry for each row, as gymnasium defines it.
            colour: text with ANSI escape sequences, in a terminal's 256 colours.
            tile: pixels of a tile, for an image; None: as `render_mode` says,
                text for "ansi" and 16 for "rgb_array".
            seat: whose view to draw, with fog where the game has any; None: the
                whole game.

        Returns:
            str, or uint8 (height, width, 3), or a tuple of either. Images of games
            with one id have the same size. With render_mode="human" None, unless games
            or tile are given: the page is opened in the browser, once.

        Raises:
            ServerError: there is no such game, seat or size of tiles.
        """
        if self.render_mode == "human" and games is None and tile is None:
            self._viewer.open()
            return None
        if tile is None and self.render_mode == "rgb_array":
            tile = _TILE
        if isinstance(games, int | float | np.generic):
            (game,) = self._numbers([games])
            return self._ask(Games.render, game, colour, tile, seat)
        if isinstance(games, str):
            raise TypeError(f"games is {games!r}, expected a number, several or None")
        if games is not None:
            return tuple(self.render(game, colour=colour, tile=tile, seat=seat) for game in games)
        each = self.render(range(self.num_games), colour=colour, tile=tile, seat=seat)
        return tuple(picture for picture in each for _ in range(self.learners))

    # Beyond gymnasium's interface ---------------------------------------------

    @property
    def web_address(self) -> str:
        """The address of the page of the games for a browser on this machine; needs ``make_vec(web=True)``.

        It contains a key of this environment: everyone who has it can look.

        Raises:
            PommegoError: the environment was made without web=True.
        """
        if self._viewer is None:
            raise PommegoError("the environment has no page: make it with web=True")
        return self._viewer.address

    @locked
    def show(self, *, probabilities: ArrayLike | None = None, values: ArrayLike | None = None) -> bool:
        """Show viewers of `web_address` the probabilities and values behind the next actions.

        Call it before `step`. It sends them at most ten times a second, or once a second while
        no viewer is connected. Without web=True, and while steps are in flight, it does nothing.

        Args:
            probabilities: of the actions, float32 (rows, choices): one for each choice of each
                component, in the order of ``info["action_mask"]``.
            values: your estimate of each position's value, float32 (rows,).

        Returns:
            whether they were sent and a viewer is connected.

        Raises:
            ValueError, ServerError: an array has another shape.
        """
        if self._viewer is None or self._in_flight:
            return False
        return self._viewer.show(partial(self._ask, Games.show), self.num_envs, probabilities, values)

    @property
    def address(self) -> str:
        """The address of the server."""
        return self._session.address

    @property
    def timeout(self) -> float:
        """Seconds to wait for one reply, as in `pommego.make_vec`; may be changed."""
        return self._session.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._session.timeout = checks.timeout(seconds)

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The servers or actors and their games, with `replace` or on several of them; else empty."""
        return self._session.ask(Games.hosts)

    @locked
    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the players in the seats that do not learn, from each game's next episode on.

        Args:
            opponents: as for `pommego.make_vec`: one agent's name, one line-up, one for each game, or
                `LineUps` to draw from. A line-up has as many
                entries as there are such seats, in the order of `opponents`, or of
                `seats` if the environment was made with that.

        Raises:
            ServerError: an agent is unknown, or the number does not fit.
            ValueError, TypeError: they are not as described, or a policy is to play a
                seat that had none when the environment was made.
        """
        from pommego._core.opponents import LineUps, keep_outside

        if isinstance(opponents, str):
            opponents = [opponents] * (self.game_spec.seats - self.learners)
        line_ups = LineUps.read(opponents, self.num_games)
        line_ups.check_seats(self._session.about.policy_seats)
        self._ask(Games.set_opponents, line_ups)
        self._later["set_opponents"] = line_ups
        keep_outside(self._outside, line_ups, self.game_spec.agents)

    @locked
    def set_start_states(self, states: Starts | Sequence[State | bytes | dict[str, Any]] | None) -> None:
        """Let episodes begin in saved states, from each game's next episode on.

        Only the board and the agents on it come from the state. Seed, episode number, opponents and RNGs
        are those of an ordinary episode. ``info["game"]["length"]`` and `max_episode_steps` count from there.
        A learner whose seat is drawn gets its seat in the state, if that has one learner that is not
        out; else the seat is drawn among those that are not out.

        Args:
            states: saved states, each drawn equally often, or `Starts` with weights or a share of new
                boards. None: episodes begin on new boards.

        Raises:
            ServerError: a state belongs to other rules, or its game is over. In a list too large
                for one message, the states before it are then in force.
            ValueError, TypeError: an argument is not as described.
        """
        from pommego._core.saved import Starts, set_starts

        self._ask(set_starts, starts := Starts.read(states))
        self._later["set_start_states"] = starts

    @locked
    def get_state(self, games: int | Sequence[int] | None = None, *, as_json: bool = False) -> Any:
        """Save games.

        Args:
            games: one number, several (none twice), or None for all.
            as_json: return the readable form, as `state_json` does, with a single
                request.

        Returns:
            one `State` for one number (a dict if `as_json`), else a list in the order of `games`.

        Raises:
            ServerError: there is no such game, or the environment was never reset.
        """
        if isinstance(games, int | float | np.generic):
            return self.get_state([games], as_json=as_json)[0]
        numbers = range(self.num_games) if games is None else games
        from pommego._core.saved import save
        from pommego.state import State

        saved = self._ask(save, self._numbers(numbers), as_json)
        return saved if as_json else [State(state, self) for state in saved]

    @locked
    def set_state(
        self,
        games: int | Sequence[int],
        states: State | bytes | dict[str, Any] | Sequence[State | bytes | dict[str, Any]],
    ) -> tuple[Observation, dict[str, Any]]:
        """Restore games, after a first reset. Not with a `batch_size`.

        Args:
            games: one number, or several (none twice).
            states: one state, or one for each game: a `State`, its bytes, or
                the JSON form as a dict or str. A `game_state_file` of the original
                is accepted too.

        Returns:
            the observation and info of all rows after that.

        Raises:
            ServerError: a state cannot be restored here. If the states take several
                messages, those of earlier messages have been restored.
            ValueError: the numbers of games and states differ.
        """
        self._check_together("set_state()")
        if isinstance(games, int | float | np.generic):
            games, states = [games], [states]
        from pommego._core.saved import restore

        view = self._ask(restore, self._numbers(games), states)
        return view.obs, self._infos.of_no_step(view)

    @locked
    def state_json(self, state: State | bytes) -> dict[str, Any]:
        """Return the readable form of any state of this id.

        It has the fields of the original's saved games, and everything else in an object "pommego".
        """
        from pommego._core.saved import readable

        return self._ask(readable, state)

    @locked
    def simulate(
        self,
        states: Sequence[State | bytes],
        actions: ArrayLike,
        *,
        seed: int | None = None,
        steps: int = 1,
        policy: str | None = None,
    ) -> Simulation:
        """Make steps from each of the given states, apart from the environment's own games.

        This is a forward model for search: one step with the given actions or, with
        `steps` and `policy`, a rollout, which an agent on the server continues. The
        RNGs of the copies are reseeded, so a search sees what can happen, not what
        will happen. The same seed gives the same result with any number of workers.

        Args:
            states: n states of games that are not over; a state may occur several times.
            actions: (n * learners,), with components last if there are several;
                (n, learners...) is accepted too.
            seed: the RNG of state k gets seed + k; None: a random seed.
            steps: how many steps to make, 1 to 65535; a game that ends makes no more.
            policy: the agent that plays the learners' seats after the first step, such as
                "random" or "simple"; needed for more than one step. Its memory is empty at first.

        Returns:
            the n states after the last step and their batch, with the sum of the rewards.
            ``info["game"]`` says how games ended, if any did.

        Raises:
            ValueError: there are no states, or the actions have the wrong shape.
            ServerError: there are several steps and no policy, a state belongs to another game,
                its game is over, or an action is out of range.
        """
        from pommego._core.saved import simulate
        from pommego.state import State

        self._sent.append(actions)
        made = self._ask(simulate, states, actions, seed=seed, steps=steps, policy=policy)
        return made._replace(states=[State(state, self) for state in made.states])

    @locked
    def clone(self) -> PommegoVectorEnv:
        """Make an independent environment with copies of these games.

        It has its own server if this one has, else its own connection. Not with `batch_size` or HTTP agents.
        """
        from pommego._core.more_checks import check_players

        self._check_together("clone()")
        check_players(*self._players, *self._outside)
        states = self.get_state()
        twin = self._respawn()
        with on_failure(twin.close):
            twin.timeout = self.timeout
            for line_ups in self._outside.values():  # states name agents of earlier ones
                with suppress(ServerError):  # no state may need it any more
                    twin.set_opponents(line_ups)
            for setter, given in self._later.items():
                getattr(twin, setter)(given)
            twin.reset(seed=0)
            twin.set_state(range(self.num_games), states)
        return twin

    def by_game(self, x: Any) -> Any:
        """Give rows the shape (games, learners, ...), without a copy.

        Args:
            x: an array with rows first, or a dict (or tuple) of such arrays. Arrays
                with games first, such as shared fields with ``expand_shared=False``,
                are broadcast, read-only; anything else is returned unchanged.

        Returns:
            views in the new shape.
        """
        if isinstance(x, Mapping):
            return {key: self.by_game(value) for key, value in x.items()}
        if isinstance(x, tuple):
            return tuple(map(self.by_game, x))
        if not isinstance(x, np.ndarray) or not x.ndim:
            return x
        shape = (self.batch_size, self.learners, *x.shape[1:])
        if len(x) == self._rows:
            return x.reshape(shape)
        return np.broadcast_to(x[:, None], shape) if len(x) == self.batch_size else x

    def split_mask(self, action_mask: NDArray[np.int8]) -> tuple[NDArray[np.int8], ...]:
        """Split (..., choices) into one mask for each component of an action, without a copy."""
        ends = np.cumsum([choice.n for choice in self.game_spec.actions])[:-1]
        return tuple(np.split(action_mask, ends, axis=-1))

    def sample_actions(self, action_mask: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """Draw random actions, each legal one equally likely.

        They come from `np_random`, so after ``reset(seed=...)`` with a number
        they are the same each time.

        Args:
            action_mask: as in info; None: everything is legal.

        Returns:
            uint8 (rows,) or (rows, components).

        Raises:
            ValueError: the mask is not (rows, choices), or a row of it is all zeros.
        """
        shape = self._rows, sum(choice.n for choice in self.game_spec.actions)
        mask = np.ones(shape, np.int8) if action_mask is None else wire.numbers("action_mask", action_mask)
        if mask.shape != shape:
            raise ValueError(
                f"action_mask must have shape {shape}, as info['action_mask'] has, got {mask.shape}"
            )
        drawn = sample(self.split_mask(mask), self.np_random)
        return drawn.reshape(-1, *self._session.about.made.action_shape[1:])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"PommegoVectorEnv({self.game_spec.id}, games={self.num_games}, rows={self.num_envs}, "
            f"observation={self.encoding.name})"
        )
