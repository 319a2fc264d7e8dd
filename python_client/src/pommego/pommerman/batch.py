"""Many games with the original's interface, stepped together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import gymnasium
import numpy as np
from numpy.typing import ArrayLike

from pommego.making import make_vec
from pommego.pommerman import constants
from pommego.pommerman.configs import by_id
from pommego.pommerman.observations import Dictionaries
from pommego.pommerman.remote import game_options
from pommego.spec import Result
from pommego.vector import PommegoVectorEnv

__all__ = ["PommeBatch", "make_batch"]

GameObservations = list[list[dict[str, Any]]]


def make_batch(
    config_id: str,
    num_games: int,
    make_agents: Callable[[], Sequence[Any]] | None = None,
    *,
    training_agent: int | None = None,
    seats: Sequence[str] | None = None,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> PommeBatch:
    """Make many games of one id.

    Args:
        config_id: one of `REGISTRY`.
        num_games: the number of games.
        make_agents: returns the agents of one game; called once for each. None:
            the caller chooses all actions.
        training_agent: the seat for which the caller acts, and whose death ends a
            free-for-all game.
        seats: for each seat "learner", or the name of an agent that plays on
            the server, such as "simple"; see `pommego.make_vec`. Lists then have
            entries for the learners only. Excludes the two above.
        address: the address of a running server; None: one started by this process.
        token: the token of that server.
        options: further options of `pommego.make_vec`, such as `rules` or `workers`.

    Raises:
        ValueError: the id is unknown, or options contradict each other.
        ServerError: as `pommego.make_vec`.
    """
    config = by_id(config_id)
    if seats is not None and (make_agents is not None or training_agent is not None):
        raise ValueError("seats= says who plays on the server; leave out make_agents and training_agent then")
    if training_agent is not None:
        options["rules"] = {**(options.get("rules") or {}), "training_agent": training_agent}
    envs = make_vec(
        config_id,
        num_games,
        observation="raw",
        reward="reference",
        autoreset_mode="Disabled",
        seats=seats,
        **game_options(address, token),
        **options,
    )
    return PommeBatch(envs, config["game_type"], make_agents, training_agent)


class PommeBatch:
    """Games stepped together. Make them with `make_batch`.

    `Pomme` has values for each agent, this has them for each agent of each game:
    ``obs[game][agent]``, ``actions[game][agent]``, ``rewards[game][agent]``;
    and ``dones[game]`` and ``infos[game]``. A game that is done has to be reset
    before the next step:

        obs = games.reset(seed=0)
        while True:
            obs, rewards, dones, infos = games.step(games.act(obs))
            if any(dones):
                obs = games.reset(dones)

    Attributes:
        num_games: the number of games.
        agents: the agents of each game; empty without `make_agents`.
        action_space: the action space of one agent.
        envs: the games as `pommego.make_vec` makes them.
    """

    def __init__(
        self,
        envs: PommegoVectorEnv,
        game_type: constants.GameType,
        make_agents: Callable[[], Sequence[Any]] | None,
        training_agent: int | None,
    ) -> None:
        self.envs = envs
        self.num_games = envs.num_games
        self.training_agent = training_agent
        self._dictionaries = Dictionaries(envs.game_spec)
        sizes = [choice.n for choice in envs.game_spec.actions]
        words = [gymnasium.spaces.Discrete(size - 1) for size in sizes[1:]]  # the choice "none" is not a word
        move = gymnasium.spaces.Discrete(sizes[0])
        self.action_space = gymnasium.spaces.Tuple([move, *words]) if words else move
        self._silence = [0] * len(words)
        self.agents: list[Sequence[Any]] = []
        try:
            for _ in range(self.num_games if make_agents else 0):
                self.agents.append(self._seated(make_agents(), game_type))
        except BaseException:
            envs.close()
            raise

    def _seated(self, agents: Sequence[Any], game_type: constants.GameType) -> Sequence[Any]:
        if len(agents) != self.envs.learners:
            raise ValueError(f"make_agents made {len(agents)} agents for {self.envs.learners} seats")
        for seat, agent in enumerate(agents):
            agent.init_agent(seat, game_type)
        return agents

    def reset(
        self, games: ArrayLike | None = None, *, seed: int | Sequence[int | None] | None = None
    ) -> GameObservations:
        """Begin new games.

        Args:
            games: a flag for each game, such as `dones`; None: all.
            seed: as for `PommegoVectorEnv.reset`; None: each goes on to its next board.

        Returns:
            the present observations of all games.

        Raises:
            ValueError, TypeError: flags or seed are not as described.
        """
        options = None
        if games is not None:
            options = {"reset_mask": np.repeat(np.asarray(games, np.bool_), self.envs.learners)}
        obs, _ = self.envs.reset(seed=seed, options=options)
        return self._by_game(obs)

    def step(
        self, actions: Sequence[Sequence[Any]]
    ) -> tuple[GameObservations, list[list[int]], list[bool], list[dict[str, Any]]]:
        """Make one step of all games.

        Args:
            actions: for each game one action for each agent, as for `Pomme`.

        Returns:
            observations, rewards, dones and infos; see the class.

        Raises:
            ServerError: an action is out of range, or a game that is done was
                not reset; nothing has been stepped then.
        """
        obs, reward, terminated, truncated, info = self.envs.step(self._codes(actions))
        rewards = self.envs.by_game(reward).astype(np.int64).tolist()
        dones = self.envs.by_game(terminated | truncated)[:, 0].tolist()
        infos: list[dict[str, Any]] = [{"result": constants.Result.Incomplete} for _ in dones]
        for game in np.flatnonzero(dones):
            infos[game] = _ending(info["game"], game * self.envs.learners)
            for agent, paid in zip(self.agents[game] if self.agents else (), rewards[game], strict=False):
                agent.episode_end(paid)
        return self._by_game(obs), rewards, dones, infos

    def _codes(self, actions: Sequence[Sequence[Any]]) -> Any:
        if not self._silence:
            return np.array(actions)
        return np.array([[self._with_words(action) for action in game] for game in actions])

    def _with_words(self, action: Any) -> list[Any]:
        return list(action) if isinstance(action, list | tuple | np.ndarray) else [action, *self._silence]

    def act(self, obs: GameObservations) -> list[list[Any]]:
        """Return the actions of the agents of all games; dead agents and the training agent stop."""
        if not self.agents:
            raise ValueError("these games have no agents: give make_agents= to make_batch")
        stop = constants.Action.Stop.value
        first = constants.Item.Agent0.value
        actions = []
        for agents, seen in zip(self.agents, obs, strict=True):
            alive = seen[0]["alive"]
            actions.append(
                [
                    agent.act(seen[seat], self.action_space)
                    if seat != self.training_agent and first + seat in alive
                    else stop
                    for seat, agent in enumerate(agents)
                ]
            )
        return actions

    def close(self) -> None:
        """Free the games and shut the agents down. Idempotent."""
        self.envs.close()
        for agents in self.agents:
            for agent in agents:
                agent.shutdown()
        self.agents = []

    def _by_game(self, obs: Any) -> GameObservations:
        rows, learners = self._dictionaries(obs), self.envs.learners
        return [rows[first : first + learners] for first in range(0, len(rows), learners)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ending(game: dict[str, Any], row: int) -> dict[str, Any]:
    """Return the info of a game that ended, from the statistics of one of its rows."""
    if game["result"][row] != Result.WIN:
        return {"result": constants.Result.Tie}
    return {"result": constants.Result.Win, "winners": np.flatnonzero(game["winners"][row]).tolist()}
