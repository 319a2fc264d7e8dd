"""Games for Ray RLlib's new API stack, with one policy or several; `docs/frameworks.md` has examples.

Importing this module registers the names "pommego" (one learner against agents on the server, many
games at once in each env runner) and "pommego-multi-agent" (all seats learn, each agent mapped to a
policy as usual; RLlib steps such environments one after the other, which is much slower).

Observations are one vector of all fields, float32 (size,), which RLlib's default
networks take. With ``"action_mask": True`` they are ``{"observations": that vector,
"action_mask": float32 (choices,)}``, as the module in RLlib's own example of
action masking expects.

For observations as a dict of planes and scalars use ``"pommego:pommego/<id>"``, as with
any gymnasium environment.

Needs the extra ``pommego[rllib]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorWrapper
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import TransformObservation
from numpy.typing import NDArray
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from pommego._core.batch import Observation
from pommego._core.checks import one_seed
from pommego._core.describing import shared
from pommego._core.more_checks import check_options
from pommego._core.rows import fields_of
from pommego.making import make_vec
from pommego.pettingzoo import parallel_env
from pommego.single import PommegoEnv
from pommego.spec import Encoding, GameSpec
from pommego.vector import PommegoVectorEnv

__all__ = ["PommegoMultiAgentEnv", "SingleAgentVectorEnv", "register", "single_agent"]

_KEPT = ("game", "seed", "episode_number")  # keys of info; RLlib stores it with every step


def single_agent(config: Mapping[str, Any]) -> gymnasium.Env | SingleAgentVectorEnv:
    """Make an environment for RLlib: many games if `config` has "num_envs", otherwise one.

    Args:
        config: options as for `pommego.make_vec` but autoreset_mode and batch_size, with "id",
            with options such as "opponents" so that one seat learns, and with "action_mask" (bool).
            RLlib itself adds "num_envs".

    Raises:
        KeyError: there is no "id".
        ValueError: more than one seat learns.

    Other errors are those of `pommego.make_vec`.
    """
    options = _connected(config)
    masked = options.pop("action_mask", False)
    games = options.pop("num_envs", None)
    check_options(options, ("autoreset_mode", "batch_size"), make_vec)
    envs = make_vec(num_envs=games or 1, autoreset_mode=AutoresetMode.NEXT_STEP, **options)
    if envs.learners != 1:
        envs.close()
        raise ValueError(
            f"{envs.learners} seats learn, but a single agent has one: fill the others with opponents=[...], "
            "or use PommegoMultiAgentEnv"
        )
    if games:
        return SingleAgentVectorEnv(envs, masked=masked)
    one = PommegoEnv(envs, render_mode=options.get("render_mode"))
    form = _Form(envs.game_spec, envs.encoding, masked)
    return TransformObservation(one, lambda obs: form.of_one(obs, one.action_masks()), form.space())


class SingleAgentVectorEnv(VectorWrapper):
    """Many games with one learner each, for RLlib's single-agent env runner.

    Args:
        envs: with one learner per game, in mode NEXT_STEP.
        masked: whether observations contain an action mask.
    """

    def __init__(self, envs: PommegoVectorEnv, *, masked: bool = False) -> None:
        super().__init__(envs)
        self.envs = envs
        self._form = _Form(envs.game_spec, envs.encoding, masked)
        self.single_observation_space = self._form.space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict]:
        """Begin new games; arguments as for `PommegoVectorEnv.reset`.

        But with a number for `seed` game i has ``seed + 2**32 * i``: Ray gives its env runners consecutive
        seeds, and no two runners shall play the same games.
        """
        if isinstance(seed, int | np.integer):
            seed = [(one_seed(seed) + (i << 32)) % (1 << 64) for i in range(self.num_envs)]
        obs, info = self.envs.reset(seed=seed, options=options)
        return self._form.of(obs, info["action_mask"]), _short(info)

    def step(self, actions: NDArray[Any]) -> tuple[Any, NDArray, NDArray, NDArray, dict]:
        """Make one step of all games."""
        obs, reward, terminated, truncated, info = self.envs.step(actions)
        seen = self._form.of(obs, info["action_mask"])
        return seen, reward, terminated, truncated, _short(info)


class PommegoMultiAgentEnv(MultiAgentEnv):
    """One game whose agents act at once; see `pommego.pettingzoo` for when agents leave.

    Args:
        config: options as for `pommego.parallel_env`, with "id"; but
            "action_mask" is a bool.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        options = _connected(config)
        masked = options.pop("action_mask", False)
        self.game = parallel_env(action_mask="info", **({"state": False} | options))
        self._form = _Form(self.game.envs.game_spec, self.game.envs.encoding, masked)
        self.metadata = dict(self.game.metadata)  # RLlib writes into it
        self.render_mode = self.game.render_mode
        self.possible_agents = self.game.possible_agents[:]
        self.agents = self.possible_agents[:]
        self.observation_spaces = {agent: self._form.space() for agent in self.possible_agents}
        self.action_spaces = self.game.action_spaces

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """Begin a new game: the first of `seed`, or the next one without."""
        super().reset(seed=seed)
        observations, infos = self.game.reset(seed=seed)
        self.agents = self.game.agents[:]
        return self._seen(observations, infos), {}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict, dict, dict, dict, dict]:
        """Make one step with the action of each agent.

        Returns:
            observations, rewards, terminateds, truncateds and infos by agent.
            A truncated game is truncated under ``__all__`` only: RLlib treats an episode
            whose agents are each truncated as terminated, and would not bootstrap.
        """
        observations, rewards, terminateds, truncateds, infos = self.game.step(action_dict)
        self.agents = self.game.agents[:]
        cut_off = any(truncateds.values())
        truncateds = {"__all__": cut_off}
        terminateds["__all__"] = not self.agents and not cut_off
        ended = {agent: {"game": info["game"]} for agent, info in infos.items() if "game" in info}
        return self._seen(observations, infos), rewards, terminateds, truncateds, ended

    def render(self) -> Any:
        """Draw the game as `render_mode` says."""
        return self.game.render()

    def close(self) -> None:
        """End the game."""
        self.game.close()

    def _seen(self, observations: dict[str, Any], infos: dict[str, Any]) -> dict[str, Any]:
        masks = {agent: np.hstack(info["action_mask"]) for agent, info in infos.items()}  # of all components
        return {agent: self._form.of_one(obs, masks[agent]) for agent, obs in observations.items()}


class _Form:
    """The form of observations: one vector, and the mask beside it if the config asks for it."""

    def __init__(self, spec: GameSpec, encoding: Encoding, masked: bool) -> None:
        self._fields = encoding.fields
        self._choices = sum(choice.n for choice in spec.actions)
        self._masked = masked

    def space(self) -> spaces.Box | spaces.Dict:
        sizes = [int(np.prod(field.shape)) for field in self._fields]
        low = np.repeat([field.low for field in self._fields], sizes).astype(np.float32)
        high = np.repeat([field.high for field in self._fields], sizes).astype(np.float32)
        vector = spaces.Box(low, high, dtype=np.float32)
        if not self._masked:
            return vector
        mask = spaces.Box(0, 1, (self._choices,), np.float32)
        return spaces.Dict({"observations": vector, "action_mask": mask})

    def of(self, obs: Observation, mask: NDArray[Any]) -> Any:
        """Convert a batch, rows first, to this form."""
        rows = [fields_of(obs)[field.name].reshape(len(mask), -1) for field in self._fields]
        vector = np.concatenate(rows, axis=1, dtype=np.float32)
        if not self._masked:
            return vector
        return {"observations": vector, "action_mask": mask.astype(np.float32)}

    def of_one(self, obs: Observation, mask: NDArray[Any]) -> Any:
        """Convert the observation of one row to this form."""
        seen = self.of({name: array[None] for name, array in fields_of(obs).items()}, mask[None])
        return {name: array[0] for name, array in seen.items()} if self._masked else seen[0]


def _short(info: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in info.items() if key.removeprefix("_") in _KEPT}


def _connected(config: Mapping[str, Any]) -> dict[str, Any]:
    """Let all environments of a process share one server, unless they name another."""
    options = dict(config)
    if "id" not in options:
        raise KeyError('env_config needs "id", such as {"id": "PommeFFACompetition-v0"}')
    if options.get("address") is None:
        options["address"], options["token"] = shared(transport="unix", allow_agents=("*",))
    return options


def register() -> None:
    """Register the names "pommego" and "pommego-multi-agent" with Ray, as importing this module does.

    Ray forgets names with the cluster that it was connected to: call this again after
    `ray.shutdown()`, or it says that `make_vec()` got multiple values for `id`.
    """
    register_env("pommego", single_agent)
    register_env("pommego-multi-agent", PommegoMultiAgentEnv)


register()
