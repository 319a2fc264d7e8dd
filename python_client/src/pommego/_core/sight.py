"""What a seat sees of unfogged maps, game by game, as tables to mask them with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pommego.errors import PommegoError
from pommego.spec import GameSpec

__all__ = ["UNFOGGED", "Sight"]

_LONGEST_SIDE = 64  # cells: the tables grow with the square of the board

#: The encoding with the maps of "raw" without fog, once for all seats of a game.
UNFOGGED = "unfogged"


@dataclass(frozen=True)
class _Fog:
    """How a game hides things.

    Attributes:
        first: what the first of the maps holds where a seat cannot see; all others hold 0 there.
        open: the maps that are never hidden.
        position: the scalars that are a seat's row and column.
    """

    first: int
    open: tuple[int, ...]
    position: tuple[str, str]


_FOGS = {"pommerman": _Fog(5, (), ("row", "col")), "suitebot": _Fog(2, (2,), ("y", "x"))}


class Sight:
    """The tables of one game.

    Args:
        spec: the game.

    Raises:
        PommegoError: it is a game whose fog this client does not know, or has none.

    Attributes:
        rows, cols: of the board.
        position: which scalars are a seat's row and column.
    """

    def __init__(self, spec: GameSpec) -> None:
        if spec.game not in _FOGS or all(encoding.name != UNFOGGED for encoding in spec.encodings):
            raise PommegoError(f"{spec.id} has no fog, or none that this client knows")
        fields = spec.encoding(UNFOGGED)
        self._spec, self._fog = spec, _FOGS[spec.game]
        self._maps, self.rows, self.cols = fields["maps"].shape
        if not 0 < max(self.rows, self.cols) <= _LONGEST_SIDE:
            raise PommegoError(
                f"{spec.id} has {self.rows} rows and {self.cols} columns, expected at most {_LONGEST_SIDE}"
            )
        names = [name.name for name in fields["scalars"].names]
        self.position = tuple(names.index(name) for name in self._fog.position)

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """What is seen from where: bool (cells to look from, cells seen)."""
        rules = self._spec.rules
        if self._spec.game == "suitebot":
            along = [_around(n, rules["view_radius"]) for n in (self.rows, self.cols)]
        else:
            ahead = max(rules["agent_view_size"], 0)
            back = ahead - 1 if rules.get("step") == "2018" else ahead
            along = [_between(n, back, ahead) for n in (self.rows, self.cols)]
        cells = self.rows * self.cols
        return (along[0][:, None, :, None] & along[1][None, :, None, :]).reshape(cells, cells)

    @cached_property
    def kept(self) -> NDArray[np.uint8]:
        """Masks of the maps, for each cell to look from: 255 where they are kept, 0 where not."""
        masks = np.repeat(np.where(self.seen, np.uint8(255), np.uint8(0))[:, None], self._maps, axis=1)
        masks[:, list(self._fog.open)] = 255
        return masks.reshape(-1, self._maps, self.rows, self.cols)

    @cached_property
    def put(self) -> NDArray[np.uint8]:
        """What the first of the maps then gets, for each cell to look from; 0 where it is seen."""
        fog = np.where(self.seen, np.uint8(0), np.uint8(self._fog.first))
        return fog.reshape(-1, 1, self.rows, self.cols)


def _between(n: int, back: int, ahead: int) -> NDArray[np.bool_]:
    """Return which of n rows are seen from which, on a board with edges."""
    away = np.arange(n) - np.arange(n)[:, None]
    return (away >= -back) & (away <= ahead)


def _around(n: int, reach: int) -> NDArray[np.bool_]:
    """Return which of n rows are seen from which, on a torus."""
    away = (np.arange(n) - np.arange(n)[:, None]) % n
    return np.minimum(away, n - away) <= reach
