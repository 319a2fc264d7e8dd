"""What each seat sees, computed from unfogged maps: `make_vec(..., fog="client")`.

The server sends the encoding "unfogged": maps that are the same for all seats of a
game, sent once, and the scalars of "raw", which contain each seat's position. These are
enough to compute the observations that the server would have sent, byte for byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.sight import Sight
from pommego._transport.buffers import BufferPool
from pommego.encoding import planes
from pommego.spec import Encoding, GameSpec

__all__ = ["Fog"]

Array = NDArray[Any]


class Fog:
    """Makes `raw` or `planes` observations of unfogged ones.

    Args:
        spec: the game.
        observation: "raw" or "planes".

    Raises:
        PommegoError: it is a game without fog, or whose fog this client does not know.

    Attributes:
        encoding: what it makes.
    """

    def __init__(self, spec: GameSpec, observation: str) -> None:
        self.encoding: Encoding = spec.encoding(observation)
        self._spec = spec
        self._sight = sight = Sight(spec)
        self._cells = sight.rows * sight.cols
        # A row more, of zeros, is for games that have broken, whose seats see nothing at all.
        self._kept = np.pad(sight.kept.reshape(self._cells, -1), ((0, 1), (0, 0)))
        self._put = np.pad(sight.put.reshape(self._cells, -1), ((0, 1), (0, 0)))
        self._buffers = BufferPool()

    def __call__(self, unfogged: dict[str, Array], learners: int) -> dict[str, Array]:
        """Return the observation of all rows, in memory of its own.

        Args:
            unfogged: maps, and the list of bombs where there is one, of each game, and
                the scalars of each row.
            learners: rows a game.

        Raises:
            ValueError: a seat is off the board.
        """
        maps, scalars = unfogged["maps"], unfogged["scalars"]
        at = self._at(scalars)
        looks = at.copy()
        corner = (at == 0).nonzero()[0]  # where those of a broken game are, too
        looks[corner[~maps[corner // learners].any(axis=(1, 2, 3))]] = self._cells
        size = len(at) * self._kept.shape[1]
        seen = np.frombuffer(self._buffers.take(size), np.uint8, size).reshape(len(at), -1)
        np.take(self._kept, looks, axis=0, out=seen, mode="clip")
        by_game = seen.reshape(len(maps), learners, -1)
        by_game &= maps.reshape(len(maps), 1, -1)
        seen[:, : self._cells] |= self._put.take(looks, axis=0)
        raw = {"maps": seen.reshape(len(at), *maps.shape[1:]), "scalars": scalars}
        if "bombs" in unfogged:
            raw["bombs"] = self._bombs(unfogged["bombs"], at, learners)
        if self.encoding.name == "planes":
            return planes(raw, self._spec)
        return raw | {"scalars": scalars.copy()}

    def _at(self, scalars: Array) -> Array:
        """Return the cell of each seat."""
        rows, cols = self._sight.rows, self._sight.cols
        row, col = (scalars[:, k].astype(np.intp) for k in self._sight.position)
        if len(row) and not (0 <= row.min() <= row.max() < rows and 0 <= col.min() <= col.max() < cols):
            raise ValueError("a seat that is off the board")
        return row * cols + col

    def _bombs(self, bombs: Array, at: Array, learners: int) -> Array:
        """List the bombs that each row sees, in their order, with zeros past the last.

        Args:
            bombs: uint8 (games, places, 3), the rows, columns and blast strengths of all.
            at: the cell of each row's seat.
            learners: rows a game.
        """
        used = bombs.any(axis=2)
        most = int(used.any(axis=0).nonzero()[0].max(initial=-1)) + 1
        seen = np.zeros((len(at), *bombs.shape[1:]), np.uint8)
        some = bombs[:, :most].repeat(learners, axis=0)
        cells = some[:, :, 0].astype(np.intp) * self._sight.cols + some[:, :, 1]
        kept = used[:, :most].repeat(learners, axis=0) & self._sight.seen[at[:, None], cells]
        places = kept.cumsum(axis=1) - 1
        which, place = kept.nonzero()
        seen[which, places[which, place]] = some[which, place]
        return seen
