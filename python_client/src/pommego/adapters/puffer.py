"""Games as a native PufferLib environment, which writes into PufferLib's buffers.

    import pufferlib.vector
    from pommego import puffer

    make = puffer.creator("PommeFFACompetition-v0", num_envs=1024, opponents=["simple"] * 3)
    envs = pufferlib.vector.make(make, backend=pufferlib.PufferEnv)
    observations, _ = envs.reset()
    fields = envs.driver_env.unpack(observations)  # {"planes": ..., "scalars": ...}

PufferLib requires an observation to be one array. Here it consists of the bytes of all
fields, one after the other; `PommegoPufferEnv.unpack` splits them again into arrays or,
in a policy, into PyTorch tensors.

One environment already plays many games in parallel; PufferLib's own processes
(``backend=pufferlib.vector.Multiprocessing``) have a server each.

Install PufferLib yourself: ``pip install --no-deps pufferlib==2.0.2 gym psutil``. The interface is
that of its versions 2 and 3.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pufferlib
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from pommego import checks
from pommego.making import make_vec
from pommego.rows import fields_of
from pommego.vector import PommegoVectorEnv

__all__ = ["PommegoPufferEnv", "creator"]

_NOT_HERE = ("autoreset_mode", "copy", "expand_shared", "render_mode")


def creator(id: str, num_envs: int = 1, **options: Any) -> Callable[..., PommegoPufferEnv]:
    """Return the function that `pufferlib.vector.make` calls to make an environment.

    Args:
        id: an id of the catalog.
        num_envs: games in each environment.
        options: as for `pommego.make_vec`, except autoreset_mode (here games
            always restart in the step that ends them), copy, expand_shared
            and render_mode.
    """
    checks.none_of(_NOT_HERE, options, "puffer.creator")
    return functools.partial(_create, id, num_envs, options)


def _create(id: str, games: int, options: dict[str, Any], buf: Any = None, seed: int = 0) -> PommegoPufferEnv:
    envs = make_vec(id, games, autoreset_mode=AutoresetMode.SAME_STEP, copy=False, **options)
    return PommegoPufferEnv(envs, buf, seed)


class PommegoPufferEnv(pufferlib.PufferEnv):
    """Many games; each row is an agent for PufferLib. Make them with `creator`.

    ``observations``, ``rewards``, ``terminals``, ``truncations`` and ``masks``
    are written in place. Observations after the end of a game are those of the
    next one.

    In a free-for-all an agent is terminal when it dies, and masked until its game
    is over. In team games no agent is masked, as dead ones get their team's outcome.

    Infos are one dict for each game that ended: ``episode_return`` (the mean over its
    rows), ``episode_length`` and, with one row a game, ``won`` (0 or 1).

    Attributes:
        envs: the underlying vector environment.
        action_masks: the present masks, bool (agents, choices).
    """

    def __init__(self, envs: PommegoVectorEnv, buf: Any = None, seed: int = 0) -> None:
        self.envs = envs
        self.num_agents = envs.num_envs
        self.single_action_space = envs.single_action_space
        self._seed = seed
        self._dead_leave = envs.game_spec.dead_leave
        self._place_fields()
        super().__init__(buf)

    def _place_fields(self) -> None:
        """Order fields by decreasing size of their elements, so that all are aligned."""
        self._places: dict[str, tuple[int, int, np.dtype, tuple[int, ...]]] = {}
        at = 0
        space = fields_of(self.envs.single_observation_space)
        fields = [(name, box.dtype, box.shape) for name, box in space.items()]
        for name, dtype, shape in sorted(fields, key=lambda field: -field[1].itemsize):
            size = int(np.prod(shape)) * dtype.itemsize
            self._places[name] = (at, size, dtype, shape)
            at += size
        self.single_observation_space = spaces.Box(0, 255, (at,), np.uint8)

    def reset(self, seed: int | Sequence[int] | None = None) -> tuple[NDArray[np.uint8], list[dict]]:
        """Begin new games.

        Args:
            seed: a number, or a list with one number. Game i of n gets seed * n + i, so
                that environments with consecutive seeds, as PufferLib sets them, have
                no game in common. None: the seed that the environment was made with.

        Returns:
            `observations`, and no infos.
        """
        given = self._seed if seed is None else int(np.asarray(seed).item())
        obs, info = self.envs.reset(seed=given * self.envs.num_games)
        self._write(obs, info)
        self.rewards[:] = 0
        self.terminals[:] = False
        self.truncations[:] = False
        self.masks[:] = True
        return self.observations, []

    def step(self, actions: NDArray[Any]) -> tuple[NDArray, NDArray, NDArray, NDArray, list[dict]]:
        """Make one step of all games.

        Args:
            actions: integers (agents,) or (agents, components).
        """
        self.actions[:] = np.asarray(actions).reshape(self.actions.shape)
        obs, reward, terminated, truncated, info = self.envs.step(self.actions)
        over = terminated | truncated
        self.masks[:] = info["valid"] if self._dead_leave else True
        self.rewards[:] = reward
        self.terminals[:] = terminated | self._died(over, info)
        self.truncations[:] = truncated
        self._write(obs, info)
        return self.observations, self.rewards, self.terminals, self.truncations, self._ended(over, info)

    def _died(self, over: NDArray[np.bool_], info: dict[str, Any]) -> NDArray[np.bool_] | bool:
        """Return which agents left the game in this step."""
        if not self._dead_leave:
            return False
        alive = info["alive"]
        if over.any():
            alive = np.where(over, info["final_info"]["alive"], alive)
        return self._was_alive & ~alive

    def _write(self, obs: dict[str, NDArray[Any]], info: dict[str, Any]) -> None:
        for name, (at, size, _, _) in self._places.items():
            self.observations[:, at : at + size] = (
                fields_of(obs)[name].reshape(self.num_agents, -1).view(np.uint8)
            )
        self._was_alive = info["alive"].copy()
        self.action_masks = info["action_mask"].astype(np.bool_)

    def _ended(self, over: NDArray[np.bool_], info: dict[str, Any]) -> list[dict[str, float]]:
        if not over.any():
            return []
        learners, ended = self.envs.learners, []
        game, seats = info["game"], info["final_info"]["seat"]
        for row in over.nonzero()[0][::learners].tolist():
            rows = slice(row, row + learners)
            one = {
                "episode_return": float(game["return"][rows].mean()),
                "episode_length": int(game["length"][row]),
            }
            if learners == 1:
                one["won"] = int(game["winners"][row, seats[row]])
            ended.append(one)
        return ended

    def unpack(self, observations: Any) -> dict[str, Any]:
        """Split packed observations into fields.

        Args:
            observations: a numpy array or a torch tensor, uint8 (..., bytes).

        Returns:
            each field, (..., shape of the field), with its own dtype.
        """
        fields = {}
        for name, (at, size, dtype, shape) in self._places.items():
            part = observations[..., at : at + size]
            lead = tuple(part.shape[:-1])
            if isinstance(part, np.ndarray):
                fields[name] = np.ascontiguousarray(part).view(dtype).reshape(*lead, *shape)
            else:
                import torch  # noqa: PLC0415, it is imported already if there is a tensor

                kind = operator.attrgetter(dtype.name)(torch)
                fields[name] = part.contiguous().view(kind).reshape(*lead, *shape)
        return fields

    def render(self) -> str:
        """Draw the first game as text."""
        return self.envs.render(0)

    def close(self) -> None:
        """End the games, and the server if it is ours. Idempotent."""
        self.envs.close()
