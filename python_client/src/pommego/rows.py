"""Rows, games and actions: what can be done with a batch without asking the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pommego.spec import GameSpec

__all__ = ["RowMethods"]


class RowMethods:
    """Mixed into `PommegoVectorEnv`, whose attributes it uses."""

    if TYPE_CHECKING:
        num_envs: int
        num_games: int
        learners: int
        game_spec: GameSpec
        np_random: np.random.Generator
        _action_shape: tuple[int, ...]

    def by_game(self, x: Any) -> Any:
        """Give rows the shape (games, learners, ...), without a copy.

        Args:
            x: an array with rows first, or a dict (or tuple) of such. What has
                games first, as shared fields with ``expand_shared=False``, is
                broadcast, read-only; anything else is left as it is.

        Returns:
            the same in the new shape, as views.
        """
        if isinstance(x, Mapping):
            return {key: self.by_game(value) for key, value in x.items()}
        if isinstance(x, tuple):
            return tuple(map(self.by_game, x))
        if not isinstance(x, np.ndarray) or not x.ndim:
            return x
        shape = (self.num_games, self.learners, *x.shape[1:])
        if len(x) == self.num_envs:
            return x.reshape(shape)
        if len(x) == self.num_games:
            return np.broadcast_to(x[:, None], shape)
        return x

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
        """
        choices = [choice.n for choice in self.game_spec.actions]
        if action_mask is None:
            action_mask = np.ones((self.num_envs, sum(choices)), np.int8)
        drawn = []
        for mask in self.split_mask(action_mask):
            reach = np.cumsum(mask, axis=1, dtype=np.float32)
            point = self.np_random.random((len(mask), 1), np.float32) * reach[:, -1:]
            drawn.append((reach <= point).sum(axis=1, dtype=np.uint8))
        return np.stack(drawn, axis=1).reshape(self._action_shape)
