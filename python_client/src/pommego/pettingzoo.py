"""Games as PettingZoo environments; `docs/frameworks.md` has an example, with agents in turn, too.

Agents are named by their seats, "agent_0" and so on. In a free-for-all dead agents get
their reward and leave `agents`; in team games they stay to the end, with only "stop"
legal, and get the reward of their team.

`state` is the global state, for critics: what all agents would see without fog.

Each step of a game is a round trip to the server. To step thousands of games with all
their agents as rows of one batch, use `pommego.make_vec`.

Needs the extra ``pommego[pettingzoo]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from pommego._core import terminal
from pommego._core.call_lock import uncopied
from pommego._core.checks import at_least
from pommego._core.connecting import Connection
from pommego._core.more_checks import one_action
from pommego._core.rows import row_obs, to_box
from pommego.errors import PommegoError
from pommego.making import make_vec
from pommego.single import row_info
from pommego.state import State
from pommego.vector import PommegoVectorEnv

__all__ = ["PommegoParallelEnv", "parallel_env"]

_MASKS = ("observation", "info")
_NOT_HERE = {
    "num_envs": "PettingZoo plays one game; pommego.make_vec plays many",
    "autoreset_mode": "reset() when `agents` is empty",
    "opponents": 'name all seats: seats=["learner", "simple", ...]',
    "seat": 'name all seats: seats=["learner", "simple", ...]',
    "on_death": "PettingZoo requires that dead agents leave, unless they belong to a team",
    "max_episode_steps": "PettingZoo calls it max_cycles",
    "copy": "all arrays belong to the caller",
}


def parallel_env(
    id: str,
    *,
    max_cycles: int | None = None,
    seats: Sequence[str] | None = None,
    render_mode: str | None = None,
    action_mask: str = "observation",
    **options: Any,
) -> PommegoParallelEnv:
    """Make one game in which all agents act at the same time.

    Args:
        id: an id of the catalog.
        max_cycles: truncates after this many steps; None: only the rules end a game.
        seats: as for `make_vec`; `agents` are those that learn.
        render_mode: "ansi" (text), "rgb_array" (images), "human" (written to
            standard output at each step, on a terminal over the last step) or None.
        action_mask: where the masks are. "observation": each observation is
            ``{"observation": ..., "action_mask": ...}``; "info": the mask is in info,
            and the observation is that of the server.
        options: further options, as for `pommego.make_vec`: observation, reward, rules,
            address, token and so on. Here `state` is true by default.

    Raises:
        TypeError, ValueError: an option is not available here.

    Other errors are those of `pommego.make_vec`.
    """
    for name in options:
        if name in _NOT_HERE:
            said = f"parallel_env() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{said}: there is no option {name} here: {_NOT_HERE[name]}")
    if action_mask not in _MASKS:
        raise ValueError(f"action_mask is {action_mask!r}, expected one of {_MASKS}")
    modes = PommegoParallelEnv.metadata["render_modes"]
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode is {render_mode!r}, expected None or one of {modes}")
    if max_cycles is not None:
        at_least(1, "max_cycles", max_cycles, more=", or None for no limit")
    options.setdefault("workers", 1)
    options.setdefault("state", True)
    options["connection"] = Connection.read(options.get("connection")).expanding()
    envs = make_vec(
        id,
        1,
        seats=seats,
        autoreset_mode=AutoresetMode.DISABLED,
        max_episode_steps=max_cycles,
        render_mode="rgb_array" if render_mode == "rgb_array" else "ansi",
        **options,
    )
    kinds = seats or ["learner"] * envs.game_spec.seats
    agents = [f"agent_{seat}" for seat, kind in enumerate(kinds) if kind == "learner"]  # as the rows are
    return PommegoParallelEnv(envs, agents, render_mode=render_mode, action_mask=action_mask)


class PommegoParallelEnv(pettingzoo.ParallelEnv):
    """One game, all its agents at once. Make one with `pommego.parallel_env`.

    * Observation: that of `pommego.make_vec` for one row, a dict of arrays, with
      the action mask beside it or in info (see `parallel_env`).
    * Action mask: int8 (choices,), as in `PommegoVectorEnv`; with several action components a tuple
      of these, as ``action_space(agent).sample(mask)`` expects. A masked action is not an error.
    * Info: ``alive``, ``valid`` and ``seat``; after `reset` ``seed`` and ``episode_number``;
      with the game's last step ``game`` (return, length, result, won, winners, counts).
    * The step limit of the rules terminates, `max_cycles` truncates. An agent that
      dies in the step that truncates is both terminated and truncated, so that
      the last step is the same for all.

    Attributes:
        possible_agents: the names of all learning agents, by seat.
        agents: those still in the game.
        envs: the underlying vector environment of one game; its `set_state` leaves `agents` as they are.
        state_space: the space of `state`, None without it.
        state_encoding: the encoding of `state`: ``state_encoding["box"].names``.
    """

    metadata = {  # noqa: RUF012, PettingZoo's own form
        "name": "pommego",
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 10,
        "is_parallelizable": True,
    }
    __reduce__ = uncopied

    def __init__(
        self, envs: PommegoVectorEnv, agents: list[str], *, render_mode: str | None, action_mask: str
    ) -> None:
        self.envs = envs
        self.metadata = self.metadata | {"name": envs.game_spec.id}
        self.render_mode = render_mode
        self.possible_agents = agents
        self.agents: list[str] = []
        self._state = self._alive = None  # before the first reset
        self._rows = {agent: row for row, agent in enumerate(agents)}
        self._masks_inside = action_mask == "observation"
        self._dead_leave = envs.game_spec.dead_leave
        self._actions = np.zeros(envs.action_space.shape, np.int64)
        # Each agent has its own spaces, which can be seeded separately.
        self.observation_spaces = {agent: self._observation_space() for agent in agents}
        self.action_spaces = {agent: envs.game_spec.action_space() for agent in agents}
        self.state_encoding = envs.state_encoding
        if self.state_encoding is not None and not self.state_encoding.is_box:
            self.state_encoding = self.state_encoding.boxed()
        self.state_space = self.state_encoding and self.state_encoding.space()

    def observation_space(self, agent: str) -> spaces.Space:
        """Return this agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Return this agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a new game: the first of `seed`, or the next one without.

        Args:
            seed: 0 to 2**64-1.
            options: ignored; PettingZoo's tests pass arbitrary ones.

        Returns:
            observations and infos by agent.
        """
        return self._begin(self.possible_agents[:], *self.envs.reset(seed=seed))

    def _begin(self, agents: list[str], obs: Any, info: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        self.agents, self._state, self._alive = agents, info.get("state"), info["alive"]
        self._show()
        return self._seen(obs, info)

    def get_state(self) -> State:
        """Save the game."""
        return self.envs.get_state(0)

    def set_state(self, state: State | bytes | dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Restore a game; returns observations and infos of the agents in it, as `reset` does."""
        obs, info = self.envs.set_state(0, state)
        over = self.envs.get_state(0, as_json=True)["pommego"]["pool"]["ended"]
        here = info["alive"] if self._dead_leave else np.ones(len(self._rows), np.bool_)
        return self._begin([a for a in self.possible_agents if here[self._rows[a]] and not over], obs, info)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make one step.

        Args:
            actions: one for each of `agents`; actions of agents that have left are ignored.

        Returns:
            observations, rewards, terminations, truncations and infos by agent, for the
            agents that were in the game before the step.

        Raises:
            ValueError: an action is missing or has the wrong form.
            ServerError: an action is out of range.
            PommegoError: no game has begun.
        """
        if self._alive is None:
            raise PommegoError("no game has begun: reset() first")
        if not self.agents:
            return {}, {}, {}, {}, {}
        for agent in self.agents:
            row, what, space = self._rows[agent], f"the action of {agent}", self.action_spaces[agent]
            self._actions[row] = one_action(what, actions.get(agent), space, acts=self._alive[row])
        obs, reward, terminated, truncated, info = self.envs.step(self._actions)
        self._state, self._alive = info.get("state"), info["alive"]
        rewards, terminations, truncations = {}, {}, {}
        for agent in self.agents:
            row = self._rows[agent]
            rewards[agent] = float(reward[row])
            terminations[agent] = bool(terminated[row] or (self._dead_leave and not self._alive[row]))
            truncations[agent] = bool(truncated[row])
        observations, infos = self._seen(obs, info)
        self.agents = [a for a in self.agents if not (terminations[a] or truncations[a])]
        self._show()
        return observations, rewards, terminations, truncations, infos

    def state(self) -> NDArray[np.float32]:
        """Return the global state: what all agents would see without fog.

        Returns:
            float32 (planes, height, width): the planes, then one constant plane for each scalar.

        Raises:
            PommegoError: the environment was made with ``state=False``, or not reset.
        """
        if self._state is None:
            raise PommegoError("there is no global state: make it with state=True, and reset() first")
        if isinstance(self._state, np.ndarray):
            return self._state[0]
        return to_box(self._state["planes"][:1], self._state["scalars"][:1])[0]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Draw the game as `render_mode` says: text, or an image uint8 (height, width, 3)."""
        return self.envs.render(0) if self.render_mode in ("ansi", "rgb_array") else None

    def close(self) -> None:
        """End the game, and the server if it is ours. Idempotent."""
        self.envs.close()

    def _observation_space(self) -> spaces.Dict:
        observation = self.envs.encoding.space()
        if not self._masks_inside:
            return observation
        masks = [spaces.Box(0, 1, (choice.n,), np.int8) for choice in self.envs.game_spec.actions]
        mask = masks[0] if len(masks) == 1 else spaces.Tuple(masks)
        return spaces.Dict({"observation": observation, "action_mask": mask})

    def _seen(self, obs: Any, info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Return observations and infos by agent; one of the two has the masks."""
        observations, infos = {}, {}
        for agent in self.agents:
            row = self._rows[agent]
            masks = self.envs.split_mask(info["action_mask"][row])
            mask = {"action_mask": masks[0] if len(masks) == 1 else masks}
            seen, own = row_obs(obs, row, len(self._rows)), row_info(info, row)
            del own["action_mask"]
            own.pop("state", None)  # it is one for all: `state`
            observations[agent] = {"observation": seen, **mask} if self._masks_inside else seen
            infos[agent] = own if self._masks_inside else own | mask
        return observations, infos

    def _show(self) -> None:
        if self.render_mode == "human":
            terminal.show(self.envs.render(0, colour=terminal.colours()) + "\n")
