"""Games as a TorchRL environment; `docs/frameworks.md` has an example.

With one learner per game, everything is at the root of the tensordict. With several,
the entries of learners are under "agents", as in TorchRL's multi-agent environments:
``ActionMask(("agents", "action"), ("agents", "action_mask"))``.

Needs the extra ``pommego[torchrl]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, MultiCategorical, Unbounded
from torchrl.envs import EnvBase

from pommego._core.batch import Observation
from pommego._core.call_lock import uncopied
from pommego._core.connecting import Connection
from pommego._core.more_checks import check_options
from pommego._core.rows import fields_of
from pommego.making import make_vec as make_vector_env
from pommego.vector import PommegoVectorEnv

__all__ = ["PommegoTorchEnv", "make_vec"]

_NOT_HERE = ("autoreset_mode", "copy", "render_mode", "batch_size")
_GROUP = "agents"
_FLAGS = ("alive", "valid")  # keys of info that every batch has


def make_vec(
    id: str, num_envs: int = 1, *, device: torch.device | str | None = None, **options: Any
) -> PommegoTorchEnv:
    """Make many games of one id, stepped together.

    Args:
        id: an id of the catalog.
        num_envs: number of games, the batch size.
        device: the device of tensors; None: the CPU, with no device set.
        options: as for `pommego.make_vec`, except autoreset_mode (TorchRL
            resets where and when it is told to), copy, render_mode and batch_size.

    Errors are those of `pommego.make_vec`.
    """
    check_options(options, _NOT_HERE, make_vec, make_vector_env)
    options["connection"] = Connection.read(options.get("connection")).expanding()
    envs = make_vector_env(id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
    return PommegoTorchEnv(envs, device=device)


class PommegoTorchEnv(EnvBase):
    """A batch of games. Make one with `make_vec`.

    Each learner has: the observation's fields, ``action_mask`` (bool, the choices of all
    action components one after the other), ``alive`` and ``valid`` (bool, 1), ``action`` and
    ``reward`` (float32, 1). With one learner they have the shape (games, ...),
    with several, under "agents", (games, learners, ...). ``done``,
    ``terminated`` and ``truncated`` belong to games: bool (games, 1).

    ``valid``, under "next", is false for a learner that was dead before the step. To learn
    only from valid steps, use ``data[data["next", "valid"].squeeze(-1)]``.

    After `set_seed` with s, the next full reset gives game i the seed s + i.

    The server restarts a finished game in the same step. The first observation of the
    next episode is kept here until the reset, so that a reset of finished games costs no
    round trip; any other reset does.

    Attributes:
        envs: the underlying vector environment.
        info: the info of the last batch, arrays with rows first.
    """

    __reduce__ = uncopied

    def __init__(self, envs: PommegoVectorEnv, *, device: torch.device | str | None = None) -> None:
        super().__init__(device=device, batch_size=torch.Size([envs.num_games]))
        self.envs = envs
        self.info: dict[str, Any] = {}
        self._first_seed: int | None = None
        self._fresh: TensorDict | None = None  # the batch from the server, with finished games restarted
        self._restarted = np.zeros(envs.num_games, np.bool_)  # which games were restarted
        self._single = envs.learners == 1
        self._lead = (envs.num_games,) if self._single else (envs.num_games, envs.learners)
        self._make_specs()

    def _make_specs(self) -> None:
        space = self.envs.single_observation_space
        choices = sum(choice.n for choice in self.envs.game_spec.actions)
        sizes = {"action_mask": choices} | dict.fromkeys(_FLAGS, 1)
        flags = {name: Binary(n, shape=(*self._lead, n), dtype=torch.bool) for name, n in sizes.items()}
        fields = {name: self._bounded(box) for name, box in fields_of(space).items()}
        self.observation_spec = self._grouped(fields | flags)
        self.action_spec = self._grouped({"action": self._actions()})
        reward = Unbounded(shape=(*self._lead, 1), dtype=torch.float32)
        self.reward_spec = self._grouped({"reward": reward})
        flag = Binary(1, shape=(*self.batch_size, 1), dtype=torch.bool)
        self.done_spec = Composite(
            {name: flag.clone() for name in ("done", "terminated", "truncated")}, shape=self.batch_size
        )

    def _bounded(self, box: spaces.Box) -> Bounded:
        shape = (*self._lead, *box.shape)
        dtype = torch.from_numpy(np.empty(0, box.dtype)).dtype
        return Bounded(float(box.low.min()), float(box.high.max()), shape=shape, dtype=dtype)

    def _actions(self) -> Categorical | MultiCategorical:
        space = self.envs.single_action_space
        if isinstance(space, spaces.Discrete):
            return Categorical(int(space.n), shape=self._lead, dtype=torch.int64)
        return MultiCategorical(
            [int(n) for n in space.nvec], shape=(*self._lead, len(space.nvec)), dtype=torch.int64
        )

    def _grouped(self, specs: dict[str, Any]) -> Composite:
        own = Composite(specs, shape=self._lead)
        return own if self._single else Composite({_GROUP: own}, shape=self.batch_size)

    def _reset(
        self, tensordict: TensorDictBase | None = None, *, seed: int | None = None, **_: Any
    ) -> TensorDictBase:
        if seed is not None:
            self._set_seed(seed)
        wanted = None if tensordict is None else tensordict.get("_reset", None)
        if wanted is None:
            wanted = torch.ones(self.batch_size, dtype=torch.bool)
        mask = wanted.reshape(self.batch_size).cpu().numpy()
        if self._fresh is None or (self._first_seed is not None and mask.all()):
            self._begin(seed=self._first_seed)
            self._first_seed = None
        elif (rest := mask & ~self._restarted).any():
            self._begin(options={"reset_mask": np.repeat(rest, self.envs.learners)})
        self._restarted &= ~mask
        return self._fresh.copy().update(self.full_done_spec.zero())

    def _begin(self, **how: Any) -> None:
        obs, self.info = self.envs.reset(**how)
        self._fresh = self._seen(_arrays(obs, self.info))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        action = tensordict.get("action" if self._single else (_GROUP, "action"))
        obs, reward, terminated, truncated, self.info = self.envs.step(action.cpu().numpy())
        shown = _arrays(obs, self.info)
        self._fresh = self._seen(shown)
        done = terminated | truncated
        after = self._fresh.copy()
        if done.any():  # the last observations of finished games, not the first of restarted ones
            rows, last = done.nonzero()[0], self.info["final_info"]
            ended = _arrays(last["obs"], last)
            shown = {name: array.copy() for name, array in shown.items()}
            for name, array in shown.items():
                array[rows] = ended[name][rows]
            after = self._seen(shown)
        rewards = torch.from_numpy(reward.astype(np.float32)).reshape(*self._lead, 1)
        after["reward" if self._single else (_GROUP, "reward")] = rewards
        every = slice(None, None, self.envs.learners)  # all rows of a game end together
        self._restarted = done[every].copy()
        for name, flags in (("done", done), ("terminated", terminated), ("truncated", truncated)):
            after[name] = torch.from_numpy(flags[every].copy()).unsqueeze(-1)
        if (wanted := tensordict.get("_step", None)) is None:
            return after
        wanted = wanted.reshape(self.batch_size)  # other games stand still here, and go on after a reset
        self._restarted &= wanted.cpu().numpy()
        before = tensordict.select(*after.keys(True, True), strict=False)
        return torch.where(wanted, after, before.update(self.full_reward_spec.zero()))

    def _seen(self, arrays: dict[str, NDArray[Any]]) -> TensorDict:
        tensors = {
            name: torch.from_numpy(array).reshape(*self._lead, *array.shape[1:])
            for name, array in arrays.items()
        }
        if not self._single:
            tensors = {_GROUP: TensorDict(tensors, self._lead)}
        return TensorDict(tensors, self.batch_size, device=self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._first_seed = seed

    def close(self, *, raise_if_closed: bool = True) -> None:
        """End the games, and the server if it is ours.

        Args:
            raise_if_closed: has no effect: closing twice is no error.
        """
        super().close(raise_if_closed=raise_if_closed)
        self.envs.close()


def _arrays(obs: Observation, info: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return what a learner sees, as arrays with rows first."""
    flags = {name: info[name][:, None] for name in _FLAGS}
    return {**fields_of(obs), "action_mask": info["action_mask"].view(np.bool_), **flags}
