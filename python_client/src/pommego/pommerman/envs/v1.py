"""The environment whose board collapses from the outside in, ring after ring.

At step `first_collapse`, and after each further quarter of the steps left to
`max_steps`, a ring of cells turns to rigid wall: agents on it die; bombs, flames and
items on it vanish, bombs without a blast. The observations of that step do not show it
yet.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants, utility
from pommego.pommerman.envs import v0


class Pomme(v0.Pomme):
    """As `v0.Pomme`, with a board that collapses.

    Args:
        args: as `v0.Pomme`.
        kwargs: the same, and `first_collapse`, the step of the first ring.

    Attributes:
        collapses: the steps at which rings fall, the outermost first.

    Raises:
        ValueError: there are fewer than four steps between the first ring and the end.
    """

    metadata: ClassVar[dict[str, Any]] = v0.Pomme.metadata | {"video.frames_per_second": constants.RENDER_FPS}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        first = kwargs["first_collapse"]
        every = int((self._max_steps - first) / 4)
        if every == 0:
            raise ValueError(
                f"first_collapse is {first} and max_steps {self._max_steps}: expected four steps between them"
            )
        self.collapses: list[int] = list(range(first, self._max_steps, every))

    def step(self, actions: Any) -> tuple[list[dict[str, Any]], list[int], bool, dict[str, Any]]:
        """Make one step, as `v0.Pomme.step`; then a ring falls if one is due."""
        result = super().step(actions)
        if self._step_count in self.collapses:
            self._board = self._collapse_board(self.collapses.index(self._step_count))
        return result

    def _collapse_board(self, ring: int) -> NDArray[Any]:
        """Remove everything on a ring; return the board on which it is rigid."""
        board = self._board.copy()
        to_edge = np.minimum(np.arange(len(board)), np.arange(len(board))[::-1])
        falls = np.minimum.outer(to_edge, to_edge) == ring
        for seat, agent in enumerate(self._agents):
            if (board[falls] == constants.Item.Agent0.value + seat).any():
                agent.die()
        for bomb in self._bombs:
            if falls[bomb.position]:
                bomb.bomber.incr_ammo()
        self._bombs = [bomb for bomb in self._bombs if not falls[bomb.position]]
        shown = (board == constants.Item.Flames.value) & falls
        self._flames = [flame for flame in self._flames if not shown[flame.position]]
        for cell in [cell for cell in self._items if falls[cell]]:
            del self._items[cell]
        board[falls] = constants.Item.Rigid.value
        return board

    def get_json_info(self) -> dict[str, str]:
        """Save the game: JSON texts by name."""
        return super().get_json_info() | utility.json_texts({"collapses": self.collapses})

    def set_json_info(self) -> None:
        """Put the game into the state that was set; until `reset`, `collapses` in it holds."""
        super().set_json_info()
        if "collapses" in self._init_game_state:
            self._replace(collapses=self._saved("collapses"))
