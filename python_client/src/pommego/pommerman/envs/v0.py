"""The environment with a board that does not collapse, for four agents or two."""

import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from pommego.pommerman import characters, constants, forward_model, graphics, utility

_LARGEST_BLAST = 10


class Pomme(gymnasium.Env):
    """A game of Pommerman with the original's interface.

    Make one with `pommego.pommerman.make`, or as `make` does it: construct,
    `set_agents`, `set_init_game_state`, `reset`. The package's documentation describes
    observations.

    It is a subclass of gymnasium.Env, so that you can put wrappers around it, but `reset`
    and `step` return what the original's return. For environments that follow
    gymnasium's interface, use `pommego.make` and `pommego.make_vec`.

    Subclasses can do what the original's can: replace `make_board`,
    `get_observations` and the like, and read and write ``_board``, ``_agents``,
    ``_bombs``, ``_flames``, ``_items`` and ``_step_count``.

    `agent_view_size` is how many rows and columns away agents see, if `is_partially_observable`; in any case
    it limits blast strengths. The numbers of rigid and wooden walls are even; with four agents some wood
    always lies between the corners. `env` is copied into observations as "game_env", and `render` sleeps by
    `render_fps`. The observation space is that of what `featurize` returns, but for OneVsOne and Radio.

    Attributes:
        training_agent: the id of the agent that `act` does not call, and whose death
            ends the game; or None.
        model: a ForwardModel.
        observations: the last observations.
        spec: the id and the options, if made by `make`.
    """

    metadata: ClassVar[dict[str, Any]] = {  # the key of the old gym, and gymnasium's
        "render.modes": ["human", "rgb_array", "rgb_pixel"],
        "render_modes": ["human", "rgb_array", "rgb_pixel"],
    }
    reward_range = (-float("inf"), float("inf"))
    spec: Any = None

    def __init__(
        self,
        render_fps: float | None = None,
        game_type: constants.GameType | None = None,
        board_size: int | None = None,
        agent_view_size: int | None = None,
        num_rigid: int | None = None,
        num_wood: int | None = None,
        num_items: int | None = None,
        max_steps: int = 1000,
        is_partially_observable: bool = False,
        env: str | None = None,
        **kwargs: Any,
    ) -> None:
        self._render_fps = render_fps
        self._intended_actions: Any = []
        self._game_type = game_type
        self._board_size = board_size
        self._agent_view_size = agent_view_size
        self._num_rigid = num_rigid or 0
        self._num_wood = num_wood or 0
        self._num_items = num_items or 0
        self._max_steps = max_steps
        self._is_partially_observable = is_partially_observable
        self._env = env
        self._rng: random.Random | None = None  # without a seed, the module random
        self._step_count = 0
        self._board: Any = None
        self._powerups: list[Any] = []  # always empty, as in the original
        self._viewer = None  # there is no window
        self._bombs: list[Any] = []
        self._flames: list[Any] = []
        self._items: dict[tuple[int, int], int] = {}
        self._init_game_state: Mapping[str, Any] | None = None
        self._replaced: dict[str, Any] = {}  # the environment's attributes that a saved game replaces
        self._agents: Any = None
        self._mode = kwargs.get("render_mode") or "human"
        self.training_agent: int | None = None
        self.model = forward_model.ForwardModel()
        self._set_action_space()
        self._set_observation_space()

    def _set_action_space(self) -> None:
        self.action_space: gymnasium.Space = utility.Discrete(6)

    def _set_observation_space(self) -> None:
        cells = self._board_size**2
        last = constants.Item.Agent3.value
        low = [0] * (3 * cells + 5) + [constants.Item.AgentDummy.value] * 4
        high = [len(constants.Item)] * cells + [self._board_size] * cells + [25] * cells
        high += [self._board_size] * 2 + [self._num_items] * 2 + [1] + [last] * 4
        extra = self._extra_features()
        self.observation_space = gymnasium.spaces.Box(
            np.array(low + [0] * extra, np.float32),
            np.array(high + [1] * extra, np.float32),
            dtype=np.float32,
        )

    def _extra_features(self) -> int:
        return 0

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Set the agents, which already have their ids."""
        self._agents = agents

    def set_training_agent(self, agent_id: int | None) -> None:
        """Set the agent for which the caller acts."""
        self.training_agent = agent_id

    def set_render_mode(self, mode: str) -> None:
        """Choose what `render` does by default: "human", "rgb_array" or "rgb_pixel"."""
        self._mode = mode

    def set_init_game_state(self, game_state_file: str | Path | Mapping[str, Any] | None) -> None:
        """Choose the state in which games begin.

        Args:
            game_state_file: a file as `save_json` writes it, or what
                `get_json_info` returns; None: a fresh board each time.
        """
        if game_state_file and not isinstance(game_state_file, Mapping):
            game_state_file = json.loads(Path(game_state_file).read_bytes())
        self._init_game_state = game_state_file or None

    def seed(self, seed: int | None = None) -> list[int]:
        """Seed the boards and the action space.

        The boards that follow depend only on the seed. Without a seed they depend on the
        generator of the module `random`.

        Returns:
            the seed, in a list; for None, a random one.
        """
        self.np_random, seed = seeding.np_random(seed)
        self._rng = random.Random(seed)
        self.action_space.seed(seed)
        return [seed]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Begin a game, on a fresh board or in the state that was set.

        Args:
            seed: as for `seed`, set before the game begins; None: continue with the last seed.
            options: passed by gymnasium's wrappers; ignored.

        Returns:
            the observation of each agent.

        Raises:
            ValueError: no agents have been set, or an odd number.
        """
        if seed is not None:
            self.seed(seed)
        if self._agents is None:
            raise ValueError("there are no agents: call set_agents(agents) before reset()")
        vars(self).update(self._replaced)
        self._replaced = {}
        if self._init_game_state is not None:
            self.set_json_info()
        else:
            self._begin()
        return self.get_observations()

    def _begin(self) -> None:
        self._step_count = 0
        self.make_board()
        self.make_items()
        self._bombs, self._flames = [], []
        for seat, agent in enumerate(self._agents):
            rows, cols = np.where(self._board == utility.agent_value(seat))
            agent.set_start_position((rows[0], cols[0]))  # numpy.int64, as in the original
            agent.reset()

    def make_board(self) -> None:
        """Generate the board."""
        self._board = utility.make_board(
            self._board_size, self._num_rigid, self._num_wood, len(self._agents), rng=self._rng or random
        )

    def make_items(self) -> None:
        """Hide items on the board."""
        self._items = utility.make_items(self._board, self._num_items, rng=self._rng or random)

    def act(self, obs: list[dict[str, Any]]) -> list[Any]:
        """Return the actions of all agents except the training agent; dead agents stop."""
        agents = [agent for agent in self._agents if agent.agent_id != self.training_agent]
        return self.model.act(agents, obs, self.action_space)

    def step(self, actions: Any) -> tuple[list[dict[str, Any]], list[int], bool, dict[str, Any]]:
        """Make one step.

        Args:
            actions: one for each agent; those of dead agents are ignored.

        Returns:
            observations and rewards, one for each agent; whether the game is
            over; and info: "result", a Result, and with a win "winners", ids.

        Raises:
            ValueError: a living agent's action is invalid; nothing has changed then.
            RuntimeError: there is no game.
        """
        if self._board is None:
            raise RuntimeError("there is no game: call reset() first")
        self._board, _, self._bombs, self._items, self._flames = self.model.step(
            actions,
            self._board,
            self._agents,
            self._bombs,
            self._items,
            self._flames,
            max_blast_strength=self._agent_view_size or _LARGEST_BLAST,
        )
        self._intended_actions = actions
        self._step_count += 1
        done = self._get_done()
        obs = self.get_observations()
        reward = self._get_rewards()
        info = self._get_info(done, reward)
        if done:
            for agent in self._agents:
                agent.episode_end(reward[agent.agent_id])
        return obs, reward, done, info

    def get_observations(self) -> list[dict[str, Any]]:
        """Return the observation of each agent as the game stands."""
        self.observations = self.model.get_observations(
            self._board,
            self._agents,
            self._bombs,
            self._flames,
            self._is_partially_observable,
            self._agent_view_size,
            self._game_type,
            self._env,
        )
        for obs in self.observations:
            obs["step_count"] = self._step_count
        return self.observations

    def _get_rewards(self) -> list[int]:
        return self.model.get_rewards(self._agents, self._game_type, self._step_count, self._max_steps)

    def _get_done(self) -> bool:
        return self.model.get_done(
            self._agents, self._step_count, self._max_steps, self._game_type, self.training_agent
        )

    def _get_info(self, done: bool, rewards: list[int]) -> dict[str, Any]:
        return self.model.get_info(done, rewards, self._game_type, self._agents)

    def get_json_info(self) -> dict[str, str]:
        """Save the game: JSON texts by name."""
        return utility.json_texts(
            {
                "board_size": len(self._board),
                "step_count": self._step_count,
                "board": self._board,
                "agents": self._agents,
                "bombs": self._bombs,
                "flames": self._flames,
                "items": [[cell, item] for cell, item in self._items.items()],
                "intended_actions": self._intended_actions,
            }
        )

    def set_json_info(self) -> None:
        """Put the game into the state that was set with `set_init_game_state`.

        Raises:
            ValueError: it is not a saved game of this environment's agents.
        """
        self._replace(_board_size=int(self._saved("board_size")))
        saved, own = self._saved("agents"), sorted([agent.agent_id for agent in self._agents])
        if (ids := sorted([entry["agent_id"] for entry in saved])) != own:
            raise ValueError(f"the saved game has the agents {ids}, expected this environment's: {own}")
        self._step_count = int(self._saved("step_count"))
        for entry in saved:
            agent = self._agent(entry["agent_id"])
            agent.set_start_position(tuple(entry["position"][:2]))
            kicks, alive = bool(entry["can_kick"]), bool(entry["is_alive"])
            agent.reset(int(entry["ammo"]), alive, int(entry["blast_strength"]), kicks)
        self._board = np.array(self._saved("board"), np.uint8)
        self._bombs = []
        for bomb in self._saved("bombs"):
            way = bomb["moving_direction"]
            made = characters.Bomb(
                self._agent(bomb["bomber_id"]),
                tuple(bomb["position"]),
                int(bomb["life"]),
                int(bomb["blast_strength"]),
                None if way is None else constants.Action(way),
            )
            self._bombs.append(made)
        self._flames = [
            characters.Flame(tuple(flame["position"]), flame["life"]) for flame in self._saved("flames")
        ]
        self._items = {tuple(cell): item for cell, item in self._saved("items")}

    def _replace(self, **attributes: Any) -> None:
        """Set attributes until the next `reset`."""
        self._replaced = {name: getattr(self, name) for name in attributes} | self._replaced
        vars(self).update(attributes)

    def _saved(self, name: str) -> Any:
        """Return a field of the state that was set, whose values are JSON texts or plain values."""
        if name not in self._init_game_state:
            raise ValueError(
                f'the saved state has no {name!r}; of a whole game give one entry of its "state"'
            )
        value = self._init_game_state[name]
        return json.loads(value) if isinstance(value, str) else value

    def _agent(self, agent_id: int) -> Any:
        for agent in self._agents:
            if agent.agent_id == agent_id:
                return agent
        raise ValueError(f"the saved game has an agent {agent_id}, which this environment does not have")

    def save_json(self, record_json_dir: str) -> None:
        """Save the game to a file in a folder, named after its step: "000.json"."""
        text = json.dumps(self.get_json_info(), sort_keys=True, indent=4)
        (Path(record_json_dir) / f"{self._step_count:03}.json").write_text(text)

    def render(
        self,
        mode: str | None = None,
        close: bool = False,
        record_pngs_dir: str | None = None,
        record_json_dir: str | None = None,
        do_sleep: bool = True,
    ) -> NDArray[np.float64] | None:
        """Draw the game.

        Args:
            mode: "human" or "rgb_pixel": as text, over the last picture if the
                output is a terminal, and in colours.
                "rgb_array": return colours instead.
            close: close the environment, and draw nothing.
            record_pngs_dir: also save a picture in this folder.
            record_json_dir: also save the game in this folder.
            do_sleep: sleep for the duration of a frame.

        Returns:
            float64 (rows, columns, 3) for "rgb_array", else None.
        """
        if close:
            self.close()
            return None
        mode = mode or self._mode or "human"
        if mode == "rgb_array":
            return graphics.rgb_array(self._board, self._agents)
        graphics.show(self)
        if record_pngs_dir:
            self.save_png(record_pngs_dir)
        if record_json_dir:
            self.save_json(record_json_dir)
        if do_sleep and self._render_fps:
            time.sleep(1.0 / self._render_fps)
        return None

    save_png = graphics.save_png

    def close(self) -> None:
        """Shut the agents down. The game stays, as in the original. Idempotent."""
        for agent in self._agents or ():
            agent.shutdown()

    @staticmethod
    def featurize(obs: dict[str, Any]) -> NDArray[np.float32]:
        """Flatten an observation: board, blast strengths, lives, and seven to nine scalars."""
        maps = [obs[name].reshape(-1) for name in ("board", "bomb_blast_strength", "bomb_life")]
        scalars = [*obs["position"], obs["ammo"], obs["blast_strength"], obs["can_kick"]]
        scalars += [obs["teammate"].value, *(enemy.value for enemy in obs["enemies"])]
        return np.concatenate([utility.make_np_float(part) for part in (*maps, scalars)])
