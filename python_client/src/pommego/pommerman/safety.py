"""Which moves an agent can survive, for whole batches of `planes` observations.

An agent that explores is killed by its own bombs long before it learns what they
are good for. One that is restricted to `Safety.moves` can lay bombs safely:

    safety = Safety(envs.game_spec)
    mask = safety.moves(obs["planes"], obs["scalars"], info["action_mask"])

A move is safe if, assuming that all other agents stay where they are, there is a path after
it that no flame touches until the last of the bombs, its own included, has burnt out. A bomb
that rolls, or that the move kicks, goes on until it explodes, or something is in its way; a kick
that moves no bomb, or one that rolls already, is never safe. Only the observation is used: cells
in fog count as free, and where it does not show how old flames are (with the Java step) they count
as new.

By the rules of 2018 only explosions kill, and they remove other bombs; a move that lays a
bomb onto another is never safe, because the observation would no longer show the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego.spec import GameSpec

__all__ = ["Safety"]

Cells = NDArray[np.uint8]  # (n, rows, 16): boards with a border of walls, 16 columns wide
Times = NDArray[np.uint32]  # the same, bit t set for what happens in the t-th step from now
Rows = NDArray[np.uint16]  # (n, ..., rows): a bit a column

_WIDTH = 16
_NEVER = 255
_WAYS = {"up": -_WIDTH, "down": _WIDTH, "left": -1, "right": 1}  # of bombs that roll
_MOVES = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))  # rows and columns: stop, up, down, left, right


class _Bombs(NamedTuple):
    """All n bombs of a batch."""

    path: NDArray[np.intp]  # (steps, n): where they are after so many steps, index into `Cells`
    blast: NDArray[np.intp]  # strength
    life: NDArray[np.intp]  # steps until they explode

    def at(self, life: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return where they are after so many steps; all rest when a new one would have exploded."""
        return self.path[np.minimum(life, len(self.path) - 1), np.arange(self.path.shape[1])]

    def only(self, kept: NDArray[np.bool_]) -> _Bombs:
        """Select some."""
        return _Bombs(self.path[:, kept], self.blast[kept], self.life[kept])


class Safety:
    """Looks ahead in games of one id.

    Args:
        spec: the spec of the id, whose `planes` must be those of Pommerman.

    Raises:
        ValueError: the games have several rules; or the board, or a bomb's life, is too large here;
            also where it meets boards of another size.
    """

    def __init__(self, spec: GameSpec) -> None:
        encoding, rules = spec.encoding("planes"), spec.rules
        if not rules:
            raise ValueError(f"{spec.id} by several rules: Safety wants one set, as in pommego.catalog()")
        self._plane = {plane.name: i for i, plane in enumerate(encoding["planes"].names)}
        self._scalar = {scalar.name: i for i, scalar in enumerate(encoding["scalars"].names)}
        self._id, self._rules, self._board = spec.id, rules, int(rules["board_size"])
        self._ways = np.array([self._plane[f"bomb_{way}"] for way in _WAYS])
        self._strongest: int = rules["max_blast_strength"]
        # By the Java step a flame burns for a step after the last observation that shows it.
        self._lingers = np.uint8(rules.get("step") == "java")
        self._flame_life: int = rules["flame_life"] + int(self._lingers)
        self._of_2018 = rules.get("step") == "2018"
        self._steps: int = rules["bomb_life"] + self._flame_life - 1
        if self._board + 2 > _WIDTH or self._steps > 31:
            raise ValueError(
                f"{spec.id} has {self._board} columns, and bombs that matter for {self._steps} steps; "
                f"at most {_WIDTH - 2} and 31 can be looked at"
            )

    def danger(self, planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return when each cell will next burn.

        Args:
            planes: uint8 (n, planes, board, board).

        Returns:
            uint8 (n, board, board), the step from now, 1 for the next, in which the
            cell begins to burn; 255 if no bomb in sight reaches it.
        """
        times = self._blasts(self._bombs(planes), *self._walls(planes))
        inner = slice(1, self._board + 1)
        return _first(times[:, inner, inner]).astype(np.uint8)

    def moves(
        self,
        planes: NDArray[np.uint8],
        scalars: NDArray[np.float32],
        mask: NDArray[np.uint8] | NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Remove from a mask the moves that cannot be survived.

        Args:
            planes: uint8 (n, planes, board, board).
            scalars: float32 (n, scalars).
            mask: (n, 6), nonzero for the moves to choose from, as the server's `action_mask`.

        Returns:
            bool (n, 6). Where no move of the mask is safe, the mask itself.
        """
        allowed = np.asarray(mask) > 0  # a copy
        stone, wood = self._walls(planes)
        own, bombs = self._padded(planes, "self"), self._bombs(planes)
        if self._of_2018:
            own = self._standing(scalars)
            allowed[:, len(_MOVES)] &= ~(own & self._padded(planes, "bomb_blast")).any((1, 2))
        others = self._padded(planes, "enemies") | self._padded(planes, "teammate")
        at, ground, rests = _rows(own), ~_rows(stone | wood | others), _marked(bombs.path[-1], own)
        stays = self._padded(planes, "bomb_blast") & rests
        begin, free = ground & ~_rows(stays), ground & ~_rows(rests)
        ways = np.stack([_moved(at, begin, move) for move in _MOVES], axis=1)
        flame = self._padded(planes, "flame")
        survived = self._survived(ways, free, self._blasts(bombs, stone, wood), flame)
        which, move, kicked = self._kicks(planes, scalars, own, ground, stays)
        survived[which, move] = kicked
        laid = np.zeros((len(planes), 1), np.bool_)
        who = np.flatnonzero(allowed[:, len(_MOVES)])
        if len(who):
            times = self._blasts(self._laid(bombs, own, scalars, who), stone[who], wood[who])
            beside = free[who] & ~at[who]  # no path leads back over the bomb just laid
            laid[who] = self._survived(at[who, None], beside, times, flame[who])
        safe = allowed & np.concatenate([survived, laid], axis=1)
        return np.where(safe.any(1, keepdims=True), safe, allowed)

    def _padded(self, planes: NDArray[np.uint8], name: str, around: int = 0) -> Cells:
        if (columns := planes.shape[-1]) != self._board:
            want = f"those of {self._id} have {self._board}; give the spec of your games, envs.game_spec"
            raise ValueError(f"the boards have {columns} columns, {want}")
        cells = np.full((len(planes), self._board + 2, _WIDTH), around, np.uint8)
        cells[:, 1:-1, 1 : self._board + 1] = planes[:, self._plane[name]]
        return cells

    def _standing(self, scalars: NDArray[np.float32]) -> Cells:
        """Find the seats' own cells; no plane shows an agent in flames."""
        cells = np.zeros((len(scalars), self._board + 2, _WIDTH), np.uint8)
        row, col = (
            np.rint(scalars[:, self._scalar[name]] * (self._board - 1)).astype(np.intp) + 1
            for name in ("row", "col")
        )
        cells[np.arange(len(scalars)), row, col] = 255
        return cells

    def _walls(self, planes: NDArray[np.uint8]) -> tuple[Cells, Cells]:
        return self._padded(planes, "rigid", around=1), self._padded(planes, "wood")

    def _bombs(self, planes: NDArray[np.uint8]) -> _Bombs:
        """Find the bombs, and where they roll until something is in their way."""
        blast, life = (self._padded(planes, name).ravel() for name in ("bomb_blast", "bomb_life"))
        cell = np.flatnonzero(blast)
        blast, life = blast[cell].astype(np.intp), life[cell].astype(np.intp)
        path = np.tile(cell, (self._rules["bomb_life"] + 1, 1))
        by = [self._padded(planes, f"bomb_{way}").ravel()[cell] > 0 for way in _WAYS]
        step = np.array([*_WAYS.values()]) @ np.array(by)
        if step.any():
            passage, flame = (self._padded(planes, name).ravel() for name in ("passage", "flame"))
            for after in range(1, len(path)):
                on = cell + step
                step = np.where((after <= life) & (passage[on] | flame[on] > 0), step, 0)
                cell = path[after] = cell + step
                life = np.where((step != 0) & (flame[cell] > after), after, life)  # it explodes in flames
        return _Bombs(path, blast, life)

    def _laid(self, bombs: _Bombs, own: Cells, scalars: NDArray[np.float32], who: NDArray[np.intp]) -> _Bombs:
        """Select the bombs of some boards, and add one at each seat's agent."""
        size = own[0].size
        place = np.full(len(own), -1)
        place[who] = np.arange(len(who))
        bombs = bombs.only(place[bombs.path[0] // size] >= 0)
        new = np.flatnonzero(own[who])
        strength = np.rint(scalars[who, self._scalar["blast_strength"]] * self._strongest).astype(np.intp)
        path = place[bombs.path // size] * size + bombs.path % size
        return _Bombs(
            np.concatenate([path, np.tile(new, (len(path), 1))], axis=1),
            np.concatenate([bombs.blast, strength[new // size]]),
            np.concatenate([bombs.life, np.full(len(new), self._rules["bomb_life"])]),
        )

    def _blasts(self, bombs: _Bombs, stone: Cells, wood: Cells) -> Times:
        """Return when explosions reach each cell; a bomb that another reaches explodes with it."""
        if self._of_2018:
            return _vanishing(bombs, stone, wood)
        steps = np.arange(len(bombs.path), dtype=np.uint32)[:, None]
        while True:
            times = _rays(bombs, stone, wood)
            burns = reached = times.ravel()[bombs.path]
            for later in range(1, self._flame_life):
                burns = burns | reached << np.uint32(later)
            hit = (burns >> steps) & 1
            first = np.where(hit.any(0), hit.argmax(0), _NEVER)
            sooner = np.minimum(first + self._rules["delayed_chain"], bombs.life)
            if (sooner == bombs.life).all():
                return times
            bombs = bombs._replace(life=sooner)

    def _kicks(
        self, planes: NDArray[np.uint8], scalars: NDArray[np.float32], own: Cells, ground: Rows, stays: Cells
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Find the moves that kick a bomb: their boards, the moves, and whether they are survived."""
        here = np.flatnonzero(own)
        here = here[scalars[here // own[0].size, self._scalar["can_kick"]] > 0]
        beside = here[:, None] + [*_WAYS.values()]
        who, way = np.nonzero(stays.ravel()[beside])
        board, cell = np.divmod(beside[who, way], own[0].size)
        if not len(board):
            return board, way, board > 0
        each, (row, col) = np.arange(len(board)), np.divmod(cell, _WIDTH)
        planes = planes[board]
        rolled = planes[each[:, None], self._ways, row[:, None] - 1, col[:, None] - 1].any(1)
        planes[each, self._ways[way], row - 1, col - 1] = 1
        bombs, to = self._bombs(planes), _marked(each * own[0].size + cell, own[board])
        rests, times = _marked(bombs.path[-1], to), self._blasts(bombs, *self._walls(planes))
        free, flame = ground[board] & ~_rows(rests), self._padded(planes, "flame")
        survived = self._survived(_rows(to)[:, None], free, times, flame)[:, 0]
        return board, way + 1, survived & ~rolled & ~(to & rests).any((1, 2))

    def _survived(self, at: Rows, free: Rows, times: Times, flame: Cells) -> NDArray[np.bool_]:
        """Spread each of (n, ways) sets of cells by one step in all directions."""
        burning = times.copy()
        if not self._of_2018:
            for later in range(1, self._flame_life):
                burning |= times << np.uint32(later)
            # Flames that are shown as f burn in this step's and the f - 1 following observations.
            last = flame + self._lingers * (flame > 0).astype(np.uint8)
            burning |= (np.uint32(1) << last) - np.uint32(1)
        for step in range(1, self._steps + 1):
            if step > 1:
                at = at | (_neighbours(at) & free[:, None])
            at = at & ~_rows(burning & np.uint32(1 << step))[:, None]
        return at.any(2)


def _vanishing(bombs: _Bombs, stone: Cells, wood: Cells) -> Times:
    """Explode the bombs that are due first, and remove those that they reach, until none is left."""
    times, wood = np.zeros(stone.shape, np.uint32), wood.copy()
    while len(bombs.life):
        first = bombs.life.min()
        due = bombs.life == first
        reached = _rays(bombs.only(due), stone, wood)
        times |= reached
        wood[reached > 0] = 0
        bombs = bombs.only(~due & (reached.ravel()[bombs.at(first)] == 0))
    return times


def _rays(bombs: _Bombs, stone: Cells, wood: Cells) -> Times:
    """Extend the four rays of all bombs, a cell at a time."""
    times = np.zeros(stone.shape, np.uint32)
    flat, stones, woods = times.ravel(), stone.ravel(), wood.ravel()
    bit = np.left_shift(1, bombs.life).astype(np.uint32)
    cell = bombs.at(bombs.life)
    np.bitwise_or.at(flat, cell, bit)
    way = np.repeat([*_WAYS.values()], len(cell))
    cell, left, bit = np.tile(cell, 4), np.tile(bombs.blast, 4), np.tile(bit, 4)
    while len(cell):
        cell, left = cell + way, left - 1
        go = (left > 0) & (stones[cell] == 0)
        cell, left, bit, way = cell[go], left[go], bit[go], way[go]
        np.bitwise_or.at(flat, cell, bit)
        left = np.where(woods[cell] == 0, left, 0)
    return times


def _first(times: Times) -> NDArray[np.intp]:
    lowest = times & (~times + np.uint32(1))
    return np.where(times > 0, np.log2(np.maximum(lowest, 1)), _NEVER).astype(np.intp)


def _marked(cell: NDArray[np.intp], like: Cells) -> Cells:
    cells = np.zeros_like(like)
    cells.ravel()[cell] = 255
    return cells


def _rows(cells: NDArray[np.generic]) -> Rows:
    packed = np.packbits((cells != 0).ravel(), bitorder="little")  # much faster than along an axis
    return packed.view("<u2").reshape(cells.shape[:-1]).astype(np.uint16)


def _moved(at: Rows, free: Rows, move: tuple[int, int]) -> Rows:
    """Make a move; where it is blocked, stay."""
    down, right = move
    there = np.roll(at, down, axis=-1)
    there = there << 1 if right > 0 else there >> 1 if right < 0 else there
    there = there & free
    return np.where(there.any(-1, keepdims=True), there, at)


def _neighbours(at: Rows) -> Rows:
    near = (at << 1) | (at >> 1)
    near[..., 1:] |= at[..., :-1]
    near[..., :-1] |= at[..., 1:]
    return near
