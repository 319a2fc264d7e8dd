"""One game with one learner, as an ordinary gymnasium environment."""

import time
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import Observation
from pommego._core.call_lock import uncopied
from pommego._core.more_checks import one_action
from pommego._core.rows import row_obs
from pommego.errors import PommegoError
from pommego.state import State
from pommego.vector import PommegoVectorEnv


class PommegoEnv(gymnasium.Env):
    """One learner against agents on the server. Make one with `pommego.make`.

    Observations, rewards and info are those of `PommegoVectorEnv`, without the
    axis of rows and without the keys that begin with an underscore. ``info["seed"]`` is set by `reset`,
    ``info["game"]`` by the last step.

    Each step is a round trip to the server, for one game: for speed use `pommego.make_vec`.

    `game_spec`, `encoding`, `state_encoding` and `state_space` are those of `PommegoVectorEnv`, for one row.
    `envs` is the underlying `PommegoVectorEnv`, which has further methods, such as `set_opponents`.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 10}  # noqa: RUF012, gymnasium's own form
    __reduce__ = uncopied

    def __init__(self, envs: PommegoVectorEnv, *, render_mode: str | None = None) -> None:
        if envs.num_envs != 1:
            seats = envs.num_envs
            envs.close()
            raise ValueError(
                f"{seats} seats learn in this game, and a single environment has one learner: "
                "fill the others with opponents=[...], or use pommego.make_vec"
            )
        self.envs = envs
        self._shown = 0.0  # when the last step was, in the browser
        self.render_mode = render_mode
        self.game_spec = envs.game_spec
        self.encoding = envs.encoding
        self.state_encoding = envs.state_encoding
        self.observation_space = envs.single_observation_space
        self.state_space = envs.single_state_space
        self.action_space = envs.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new episode: the first of `seed`, or the next without one.

        Args:
            seed: 0 to 2**64-1.
            options: ``{"state": state}`` begins this episode in a saved state; see
                `PommegoVectorEnv.set_start_states`.
        """
        super().reset(seed=seed)
        options = dict(options or {})
        starts = {"states": [options.pop("state")]} if "state" in options else None
        if options:
            raise ValueError(f"unknown reset options {sorted(options)}; there is only 'state'")
        obs, info = self.envs.reset(seed=seed, options=starts)
        self._keep_pace()
        return row_obs(obs, 0, 1), self._own(info)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make one step.

        Args:
            action: an integer, or an array with one integer per component.

        Raises:
            ServerError: the action is out of range, or the episode is over.
            ValueError: the action has the wrong shape or type.
        """
        given = one_action("action", action, self.action_space)
        obs, reward, terminated, truncated, info = self.envs.step(given[None])
        self._keep_pace()
        over = bool(terminated[0]), bool(truncated[0])
        return row_obs(obs, 0, 1), float(reward[0]), *over, self._own(info)

    def _own(self, info: dict[str, Any]) -> dict[str, Any]:
        own = row_info(info, 0, plain=False)
        self._mask = own["action_mask"]
        return own

    def action_masks(self) -> NDArray[np.int8]:
        """Return the present action mask, int8 (choices,), as sb3-contrib's MaskablePPO asks for it."""
        if not hasattr(self, "_mask"):
            raise PommegoError("there is no action mask before the first reset()")
        return self._mask

    def _keep_pace(self) -> None:
        """Wait, so that the browser shows each position for its time."""
        if self.render_mode != "human":
            return
        self.envs.render()
        time.sleep(max(0.0, self._shown + 1 / self.metadata["render_fps"] - time.monotonic()))
        self._shown = time.monotonic()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Draw the game as `render_mode` says: text, or an image (height, width, 3).

        With "human" this does nothing: the browser shows the game.
        """
        return self.envs.render(0) if self.render_mode not in (None, "human") else None

    @property
    def web_address(self) -> str:
        """The address of the page that shows the game, see `PommegoVectorEnv.web_address`."""
        return self.envs.web_address

    def close(self) -> None:
        """End the game, and the server if it is ours. Idempotent."""
        self.envs.close()

    def get_state(self) -> State:
        """Save the game."""
        return self.envs.get_state(0)

    def set_state(self, state: State | bytes | dict[str, Any]) -> tuple[Observation, dict[str, Any]]:
        """Restore a game; returns its observation and info."""
        obs, info = self.envs.set_state(0, state)
        return row_obs(obs, 0, 1), self._own(info)


def row_info(info: Mapping[str, Any], row: int, *, plain: bool = True) -> dict[str, Any]:
    """Return one row's part of `info`; bools are Python's, and with `plain` all numbers are."""
    own: dict[str, Any] = {}
    for name, value in info.items():
        if name.startswith("_") or not info[f"_{name}"][row]:
            continue
        if isinstance(value, Mapping):
            own[name] = row_info(value, row, plain=plain)
        else:
            entry = value[row]
            own[name] = entry.item() if isinstance(entry, np.generic if plain else np.bool_) else entry
    return own
