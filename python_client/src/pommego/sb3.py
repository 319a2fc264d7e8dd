"""Games as a Stable-Baselines3 VecEnv, with action masks for sb3-contrib's MaskablePPO.

Each row (a learner of a game) is one environment for Stable-Baselines3. Without
`opponents` all seats learn with the same policy, which is self-play. Where the row of a
learner goes on after its death (with several learners, and in team games), `ValidRows`
leaves these steps out of training. `docs/frameworks.md` has examples.

Needs the extra ``pommego[sb3]``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, cat, nn

from pommego._core.batch import Observation
from pommego._core.call_lock import uncopied
from pommego._core.checks import one_seed
from pommego._core.connecting import Connection
from pommego._core.more_checks import check_options
from pommego._core.rows import fields_of
from pommego.errors import PommegoError
from pommego.making import make_vec as make_vector_env
from pommego.single import row_info
from pommego.spec import BOX
from pommego.vector import PommegoVectorEnv

__all__ = ["Planes", "PommegoVecEnv", "Valid", "ValidRows", "make_vec"]

_NOT_HERE = ("autoreset_mode", "copy", "batch_size")

Indices = None | int | Sequence[int]


def make_vec(id: str, num_envs: int = 1, *, render_mode: str | None = None, **options: Any) -> PommegoVecEnv:
    """Make many games of one id, stepped together.

    Args:
        id: an id of the catalog.
        num_envs: number of games. (The attribute of this name counts rows.)
        render_mode: "rgb_array" or None.
        options: as for `pommego.make_vec`, except autoreset_mode (here games
            always restart in the step that ends them), copy and batch_size.

    Errors are those of `pommego.make_vec`.
    """
    check_options(options, _NOT_HERE, make_vec, make_vector_env)
    options["connection"] = Connection.read(options.get("connection")).expanding()
    drawn = render_mode or "ansi"
    envs = make_vector_env(id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, render_mode=drawn, **options)
    return PommegoVecEnv(envs, render_mode=render_mode)


class PommegoVecEnv(VecEnv):
    """Games stepped together, one row for each learner. Make one with `make_vec`.

    In the step that ends a row's episode its info has ``terminal_observation``,
    ``TimeLimit.truncated`` (true if the caller's limit ended it, not the rules or a death),
    ``episode`` (as Monitor writes it, so that no VecMonitor is needed) and
    ``game`` (as in `pommego.PommegoVectorEnv`). Other infos are empty: the attribute
    `info` has the info of all rows at once.

    All rows of a game have its seed: ``seed(s)`` gives game i seed s + i, from
    the next `reset` on.

    ``env_method`` and ``get_attr`` give access to the underlying vector environment, as
    in ``env_method("set_opponents", [...])``, and to "action_masks".

    Attributes:
        envs: the underlying vector environment.
        info: the info of the last batch, arrays with rows first.
        valid: which rows of the last step are valid, for `ValidRows`.
    """

    __reduce__ = uncopied

    def __init__(self, envs: PommegoVectorEnv, *, render_mode: str | None = None) -> None:
        self.envs = envs
        self.info: dict[str, Any] = {}
        self.valid = Valid(self)
        self.render_mode = render_mode
        self._begin = time.time()
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self.metadata["render_fps"] = envs.metadata["render_fps"]  # for VecVideoRecorder

    def reset(self) -> Observation:
        """Begin new games, with the seeds that `seed` was given.

        Returns:
            the observation; infos are in `reset_infos`.
        """
        options, seeds = self._options, self._seeds[:: self.envs.learners]
        self._reset_options()
        if any(options):
            raise ValueError(f"reset options are {options}, expected none")
        obs, self.info = self.envs.reset(seed=None if seeds[0] is None else seeds)
        self.reset_infos = [row_info(self.info, row) for row in range(self.num_envs)]
        self._reset_seeds()
        return obs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of games from the next reset on: game i gets seed + i.

        Args:
            seed: None: draw one.

        Returns:
            the seed of each row.
        """
        first = int(np.random.default_rng().integers(1 << 32)) if seed is None else one_seed(seed)
        self._seeds = [(first + row // self.envs.learners) % (1 << 64) for row in range(self.num_envs)]
        return self._seeds

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep actions, (rows,) or (rows, components), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Make the step, and return its observation, rewards, dones and infos."""
        obs, reward, terminated, truncated, self.info = self.envs.step(self._actions)
        done, cut = terminated | truncated, truncated & ~terminated
        if cut.any() and self.envs.game_spec.dead_leave:  # who died before has no future to estimate
            cut &= self.info["final_info"]["alive"]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in done.nonzero()[0].tolist():
            game = row_info(self.info["game"], row)
            seconds = round(time.time() - self._begin, 6)
            infos[row] = {
                "terminal_observation": self.info["final_obs"][row],
                "TimeLimit.truncated": bool(cut[row]),
                "episode": {"r": game["return"], "l": game["length"], "t": seconds},
                "game": game,
            }
        return obs, reward.astype(np.float32), done, infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the present action masks, int8 (rows, choices), for MaskablePPO."""
        if not self.info:
            raise PommegoError("there is no action mask before the first reset()")
        return self.info["action_mask"]

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call "action_masks", or a method of `envs` for all rows at once.

        Returns:
            one result for each row given; a method of `envs` is called once, and its
            result repeated.

        Raises:
            AttributeError: there is no such method.
            ValueError: it cannot be called for some rows only.
        """
        rows = list(self._get_indices(indices))
        if method_name == "action_masks":
            return list(self.action_masks()[rows])
        method = getattr(self.envs, method_name)
        self._check_all_rows(method_name, rows)
        return [method(*method_args, **method_kwargs)] * len(rows)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute, which all rows share, once for each row given."""
        holder = self if attr_name in ("render_mode", "action_masks") else self.envs
        return [getattr(holder, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of `envs`, for all rows.

        Raises:
            AttributeError: there is no such attribute.
            ValueError: only some rows were given.
        """
        self._check_all_rows(attr_name, list(self._get_indices(indices)))
        getattr(self.envs, attr_name)
        setattr(self.envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """Return whether rows are wrapped: True for Monitor, as they report their episodes like it."""
        return [wrapper_class is Monitor] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[NDArray[np.uint8]]:
        """Draw each game once: uint8 (height, width, 3)."""
        return list(self.envs.render(range(self.envs.num_games)))

    def close(self) -> None:
        """End the games, and the server if it is ours. Idempotent."""
        self.envs.close()

    def _check_all_rows(self, name: str, rows: list[int]) -> None:
        if len(rows) != self.num_envs:
            raise ValueError(f"{name} is for all rows at once, and cannot be used for {len(rows)} of them")


class Planes(BaseFeaturesExtractor):
    """Convolutions over the planes, with the scalars beside their result.

        MaskablePPO("MultiInputPolicy", envs, policy_kwargs={"features_extractor_class": sb3.Planes})

    Without it `MultiInputPolicy` flattens the planes, and learns more slowly. It takes
    dictionaries with planes and scalars and, in "MlpPolicy", ``observation="box"``. Observations
    of several steps can be stacked along the planes: ``VecFrameStack(envs, 4, channels_order="first")``.

    Args:
        observation_space: given by the policy.
        features_dim: size of the result.
        channels: of each convolution, 3x3.

    Raises:
        ValueError: there are no planes in the space, as with "raw".
    """

    def __init__(
        self, observation_space: spaces.Space, features_dim: int = 256, channels: Sequence[int] = (32, 64, 64)
    ) -> None:
        super().__init__(observation_space, features_dim)
        fields = fields_of(observation_space)
        planes = fields.get("planes", fields.get(BOX))
        if planes is None or len(planes.shape) != 3:
            raise ValueError(f"{observation_space} has no planes: use observation='planes' or 'box'")
        before, height, width = planes.shape
        layers: list[nn.Module] = []
        for after in channels:
            layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU()]
            before = after
        self.board = nn.Sequential(*layers, nn.Flatten())
        scalars = fields.get("scalars")  # `in` means something else for a space
        size = before * height * width + (0 if scalars is None else scalars.shape[0])
        self.body = nn.Sequential(nn.Linear(size, features_dim), nn.ReLU())

    def forward(self, observations: Any) -> Tensor:
        """Return features, float32 (rows, features_dim)."""
        fields = fields_of(observations)
        planes = fields["planes"] if "planes" in fields else fields[BOX]
        # Square roots: most planes are 0 or 1, but some go up to 10 or 100.
        seen = self.board(planes.sign() * planes.abs().sqrt())
        return self.body(cat([seen, fields["scalars"]], 1) if "scalars" in fields else seen)


class Valid:
    """Which rows of the last step are valid: returns ``info["valid"]`` when called.

    It can be pickled as a part of a saved model, and then has no environment.
    """

    def __init__(self, envs: PommegoVecEnv | None = None) -> None:
        self._envs = envs

    def __call__(self) -> NDArray[np.bool_]:
        """Return them, bool (rows,)."""
        if self._envs is None:
            raise ValueError(
                "there is no environment: pass rollout_buffer_kwargs={'valid': envs.valid} to load()"
            )
        return self._envs.info["valid"]

    def lost(self) -> NDArray[np.bool_]:
        """Return which rows get nothing more in their episode, as they are dead: bool (rows,)."""
        return ~self._envs.info["alive"] & self._envs.envs.game_spec.dead_leave

    def __reduce__(self) -> tuple[type[Valid], tuple[()]]:
        return Valid, ()


class ValidRows:
    """A mixin for rollout buffers that leaves out the steps of dead learners.

        class Buffer(sb3.ValidRows, MaskableDictRolloutBuffer):
            pass

        MaskablePPO(..., rollout_buffer_class=Buffer, rollout_buffer_kwargs={"valid": envs.valid})

    Rewards that a learner gets after its death, such as its team's outcome, count for its
    last step. All other arguments go to the buffer.

    Args:
        valid: `PommegoVecEnv.valid` of the environment that it learns from.
    """

    def __init__(self, *args: Any, valid: Valid, **kwargs: Any) -> None:
        self._valid, self._added = valid, None
        super().__init__(*args, **kwargs)

    def reset(self) -> None:
        """Begin a rollout."""
        self.counts = np.ones((self.buffer_size, self.n_envs), np.bool_)
        super().reset()

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Add a step."""
        if (valid := self._valid()) is self._added:  # each step has an array of its own
            raise ValueError(
                "the environment of the given `valid` has made no step: learn from that one. After "
                "set_env() save the model, and load() it with rollout_buffer_kwargs={'valid': envs.valid}"
            )
        self.counts[self.pos] = self._added = valid
        super().add(*args, **kwargs)

    def compute_returns_and_advantage(self, last_values: Any, dones: NDArray[Any]) -> None:
        """End a rollout. Values after a death are what was received then, not estimates."""
        last_values = last_values * last_values.new_tensor(~self._valid.lost()).view_as(last_values)
        after, goes_on = last_values.cpu().numpy().flatten(), 1.0 - dones
        for step in reversed(range(self.buffer_size)):
            received = self.rewards[step] + self.gamma * goes_on * after
            self.values[step] = np.where(self.counts[step], self.values[step], received)
            after, goes_on = self.values[step], 1.0 - self.episode_starts[step]
        super().compute_returns_and_advantage(last_values, dones)

    def _get_samples(self, batch_inds: NDArray[np.intp], env: Any = None) -> Any:
        counts = self.counts.T.ravel()  # by row first, like the flattened arrays
        own = batch_inds[counts[batch_inds]]
        if len(own) < 2:  # of a single advantage the normalised one is NaN: take others of the rollout
            others = counts.nonzero()[0] if counts.any() else batch_inds
            own = others.take(batch_inds[0] + np.arange(2), mode="wrap")
        return super()._get_samples(own, env)
