"""Pictures as the original's window shows them, without a window: arrays, files, and text in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants, drawing

__all__ = ["PixelViewer", "PommeViewer", "Viewer"]

_FOG = constants.ITEM_COLORS[constants.Item.Fog.value]


class Viewer:
    """The base class of viewers: a board with agents and bombs, set before each `render`.

    Attributes:
        window: None, as there is none.
        isopen: whether something has been rendered and the viewer has not been closed.
    """

    def __init__(self) -> None:
        self.window = None
        self.isopen = False
        self._agents: Sequence[Any] = []
        self._board_state: NDArray[Any] | None = None
        self._bombs: Sequence[Any] = []
        self._step = 0

    def set_board(self, state: NDArray[Any]) -> None:
        """Set the cell values."""
        self._board_state = state

    def set_bombs(self, bombs: Sequence[Any]) -> None:
        """Set the bombs."""
        self._bombs = bombs

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Set the agents, by seat."""
        self._agents = agents

    def set_step(self, step: int) -> None:
        """Set the number of the step, which names a saved picture."""
        self._step = step

    def build_frame(self) -> NDArray[np.uint8]:
        """Return the picture, uint8 (height, width, 3)."""
        raise NotImplementedError(f"{type(self).__name__} has no build_frame()")

    def render(self) -> None:
        """Write the board to standard output; on a terminal, over the last one."""
        drawing.show(None, self._board_state)
        self.isopen = True

    def save(self, path: str) -> None:
        """Save the picture in a folder, named after the time and the step."""
        drawing.write_png(Path(path), self._step, self.build_frame())

    def close(self) -> None:
        """End the viewer. Idempotent."""
        self.isopen = False


class PixelViewer(Viewer):
    """Draws a coloured square for each cell of the board, and beside it each agent's view.

    Args:
        display: ignored.
        board_size: rows and columns.
        agents: by seat.
        partially_observable: whether agents see only their surroundings.
        agent_view_size: how many rows and columns away, if so.
        game_type: ignored.
    """

    def __init__(
        self,
        display: Any = None,
        board_size: int = 11,
        agents: Sequence[Any] = (),
        partially_observable: bool = False,
        agent_view_size: int | None = None,
        game_type: constants.GameType | None = None,
    ) -> None:
        super().__init__()
        self._board_size = board_size
        self._agents = agents
        self._is_partially_observable = partially_observable
        self._agent_view_size = agent_view_size

    def build_frame(self) -> NDArray[np.uint8]:
        """Return the picture: the board, and to its right, smaller, the agents' views."""
        whole, *views = self.rgb_array(
            self._board_state,
            self._board_size,
            self._agents,
            self._is_partially_observable,
            self._agent_view_size,
        )
        side = self._board_size * constants.HUMAN_FACTOR
        column = [_resized(view, side // len(views)) for view in views]
        column.append(np.zeros((side % max(len(views), 1), *column[0].shape[1:]), np.uint8))
        return np.concatenate([_resized(whole, side), np.concatenate(column)], axis=1)

    @staticmethod
    def rgb_array(
        board: NDArray[Any],
        board_size: int,
        agents: Sequence[Any],
        is_partially_observable: bool,
        agent_view_size: int | None,
    ) -> list[NDArray[np.float64]]:
        """Return colours, float64 (rows, columns, 3): first of the whole board, then of each agent's view.

        In these pictures, as in the original's, agents see one row and one
        column less towards the top left than towards the bottom right.
        """
        whole = drawing.rgb_array(np.asarray(board)[:board_size, :board_size], agents)
        frames = [whole]
        cells = np.arange(board_size)
        for agent in agents:
            view = whole.copy()
            if is_partially_observable:
                row, col = agent.position
                rows, cols = (
                    (at - agent_view_size < cells) & (cells <= at + agent_view_size) for at in (row, col)
                )
                view[~(rows[:, None] & cols)] = _FOG
            frames.append(view)
        return frames


class PommeViewer(PixelViewer):
    """In the original a window with images of the items; here the same as `PixelViewer`."""


def _resized(frame: NDArray[np.float64], side: int) -> NDArray[np.uint8]:
    """Scale a square picture to a width and height in pixels, without blurring."""
    cells = np.arange(side) * len(frame) // side
    return frame.astype(np.uint8)[cells[:, None], cells]
