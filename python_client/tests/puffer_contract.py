"""What PufferLib asks of a native environment, said again in a class of our own.

PufferLib pins old versions of half the ecosystem, so that it cannot be
installed beside the other test requirements. This is what its 2.0 and 3.0 do to
an environment, from reading their sources: what has to be there before the
base class's constructor, what must not, which buffers it hands out (its own, or
the caller's part of a larger one), and what goes through `async_reset`, `send`
and `recv`. The tests in integration_tests use PufferLib itself where there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

BUFFERS = ("observations", "rewards", "terminals", "truncations", "masks", "actions")


def buffers(agents: int, observation: spaces.Box, action: spaces.Space) -> dict[str, np.ndarray]:
    """Allocate buffers as PufferLib does."""
    return {
        "observations": np.zeros((agents, *observation.shape), observation.dtype),
        "rewards": np.zeros(agents, np.float32),
        "terminals": np.zeros(agents, bool),
        "truncations": np.zeros(agents, bool),
        "masks": np.ones(agents, bool),
        "actions": np.zeros((agents, *action.shape), np.int32),
    }


class PufferEnv:
    """The base class of native environments."""

    def __init__(self, buf: Any = None) -> None:
        for name in ("single_observation_space", "single_action_space", "num_agents"):
            assert hasattr(self, name), f"{name} has to be there before super().__init__()"
        assert not hasattr(self, "observation_space"), "PufferLib makes the joint space itself"
        assert not hasattr(self, "action_space"), "PufferLib makes the joint space itself"
        assert self.num_agents >= 1
        assert isinstance(self.single_observation_space, spaces.Box)
        assert isinstance(self.single_action_space, spaces.Discrete | spaces.MultiDiscrete | spaces.Box)
        own = buffers(self.num_agents, self.single_observation_space, self.single_action_space)
        for name in BUFFERS:
            given = own[name] if buf is None else buf[name] if isinstance(buf, dict) else getattr(buf, name)
            setattr(self, name, given)
        self.agent_ids = np.arange(self.num_agents)

    @property
    def driver_env(self) -> PufferEnv:
        return self

    def async_reset(self, seed: Any = None) -> None:
        _, self.infos = self.reset(seed)
        self._check()

    def send(self, actions: np.ndarray) -> None:
        _, _, _, _, self.infos = self.step(actions)
        self._check()

    def recv(self) -> tuple[Any, ...]:
        return (
            self.observations,
            self.rewards,
            self.terminals,
            self.truncations,
            self.infos,
            self.agent_ids,
            self.masks,
        )

    def _check(self) -> None:
        assert isinstance(self.infos, list)
        assert all(isinstance(info, dict) for info in self.infos)
