"""The rule-based agent that others are usually compared with.

In order of priority: get away from bombs, bomb an adjacent enemy, walk to a near enemy,
walk to a near item, bomb adjacent wood, walk to wood, wander. Random draws come from the
module `random`: a coin for each further path of equal length to a cell, a coin for
following an enemy in the same direction as before, and one choice between equally good
directions.

The parts are methods with the original's names and arguments, so that agents
made from this one by changing a few of them work.
"""

import random
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import utility
from pommego.pommerman.agents.base_agent import BaseAgent
from pommego.pommerman.constants import Action, Item

Board = NDArray[Any]
Cell = tuple[int, int]
Bombs = Sequence[Mapping[str, Any]]
Items = Mapping[Item, list[Cell]]
Distances = Mapping[Cell, float]
Ways = Mapping[Cell, Cell | None]
Seen = tuple[Items, Distances, Ways]

_FAR = 10  # how many steps away it looks
_NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1))
_POWERUPS = (Item.ExtraBomb, Item.IncrRange, Item.Kick)
_OPEN = frozenset({Item.Passage.value, *(item.value for item in _POWERUPS), *range(10, 14)})
_ITEMS = tuple(Item)


class SimpleAgent(BaseAgent):
    """Decides as the original's agent of this name does.

    Its memory (where it last wandered, and the direction in which it followed an enemy)
    is kept from game to game, as in the original. Where the original raises an error,
    with an adjacent enemy, a bomb to lay and no passage in sight, it stops.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._recently_visited_positions: list[Cell] = []
        self._recently_visited_length = 6
        self._prev_direction: Action | None = None

    def act(self, obs: dict[str, Any], action_space: Any) -> int:
        """Choose an action."""
        me = tuple(obs["position"])
        board = np.array(obs["board"])
        blasts = np.array(obs["bomb_blast_strength"])
        bombs = [
            {"position": (row, col), "blast_strength": int(blasts[row, col])}
            for row, col in np.argwhere(blasts > 0).tolist()
        ]
        enemies = [Item(enemy) for enemy in obs["enemies"]]
        ammo, blast = int(obs["ammo"]), int(obs["blast_strength"])
        items, dist, prev = self._djikstra(board, me, bombs, enemies, depth=_FAR)

        unsafe = self._directions_in_range_of_bomb(board, me, bombs, dist)
        if unsafe:
            return random.choice(self._find_safe_directions(board, me, unsafe, bombs, enemies)).value

        action = self._meet_enemy(ammo, blast, me, (items, dist, prev), enemies)
        if action is None:
            action = self._near_good_powerup(me, items, dist, prev, 2)
        if action is None and self._near_wood(me, items, dist, prev, 1) is not None:
            action = Action.Bomb if self._maybe_bomb(ammo, blast, items, dist, me) else Action.Stop
        if action is None:
            direction = self._near_wood(me, items, dist, prev, 2)
            if direction is not None and self._filter_unsafe_directions(board, me, [direction], bombs):
                action = direction
        return (action or self._wander(board, me, bombs, enemies)).value

    def _meet_enemy(
        self, ammo: int, blast: int, me: Cell, seen: Seen, enemies: Sequence[Item]
    ) -> Action | None:
        """Bomb an adjacent enemy, or walk to a near one."""
        items, dist, prev = seen
        if self._is_adjacent_enemy(items, dist, enemies):
            if self._maybe_bomb(ammo, blast, items, dist, me):
                return Action.Bomb
            if ammo >= 1 and not items.get(Item.Passage):
                return Action.Stop
        direction = self._near_enemy(me, items, dist, prev, enemies, 3)
        if direction is None or (direction == self._prev_direction and random.random() >= 0.5):
            return None
        self._prev_direction = direction
        return direction

    def _wander(self, board: Board, me: Cell, bombs: Bombs, enemies: Sequence[Item]) -> Action:
        """Draw a safe direction, preferably one to a cell not visited recently."""
        ways = [Action.Stop, Action.Left, Action.Right, Action.Up, Action.Down]
        ways = self._filter_invalid_directions(board, me, ways, enemies)
        ways = self._filter_unsafe_directions(board, me, ways, bombs)
        ways = self._filter_recently_visited(ways, me, self._recently_visited_positions)
        if len(ways) > 1:
            ways = [way for way in ways if way is not Action.Stop]
        visited = [*self._recently_visited_positions, me]
        self._recently_visited_positions = visited[-self._recently_visited_length :]
        return random.choice(ways or [Action.Stop])

    @staticmethod
    def _djikstra(
        board: Board,
        my_position: Cell,
        bombs: Bombs,
        enemies: Sequence[Item],
        depth: int | None = None,
        exclude: Iterable[Item] | None = None,
    ) -> Seen:
        """Find items and the paths to them by breadth-first search.

        It looks `depth` rows plus columns far, one row and one column less to the bottom and right. The
        result is the cells of each item, row by row, each cell's distance in steps, inf if it cannot be
        reached, and each cell's predecessor on the path.
        """
        if depth is None:
            raise ValueError("depth is missing: the distance to look")
        left_out = {i.value for i in (exclude or (Item.Fog, Item.Rigid, Item.Flames))}
        rows, (me_row, me_col) = board.tolist(), my_position
        items: dict[Item, list[Cell]] = defaultdict(list)
        dist: dict[Cell, float] = {}
        for row in range(max(0, me_row - depth), min(len(rows), me_row + depth)):
            for col in range(max(0, me_col - depth), min(len(rows), me_col + depth)):
                value = rows[row][col]
                if abs(row - me_row) + abs(col - me_col) <= depth and value not in left_out:
                    items[_ITEMS[value]].append((row, col))
                    dist[row, col] = np.inf
        items_here = [bomb for bomb in bombs if bomb["position"] == my_position]
        for _ in items_here:  # a bomb under the agent is not on the board
            items[Item.Bomb].append(my_position)

        prev: dict[Cell, Cell | None] = dict.fromkeys(dist)
        passable = _OPEN - {enemy.value for enemy in enemies}
        todo: deque[Cell] = deque()
        if my_position in dist:
            dist[my_position] = 0
            todo.append(my_position)
        while todo:
            cell = todo.popleft()
            row, col = cell
            if rows[row][col] not in passable:
                continue
            there = dist[cell] + 1
            for down, right in _NEIGHBOURS:
                beside = row + down, col + right
                known = dist.get(beside)
                if known is None:
                    continue
                if there < known:
                    dist[beside] = there
                    prev[beside] = cell
                    todo.append(beside)
                elif there == known and random.random() < 0.5:
                    prev[beside] = cell
        return items, dist, prev

    def _directions_in_range_of_bomb(
        self, board: Board, my_position: Cell, bombs: Bombs, dist: Distances
    ) -> dict[Action, int]:
        """Return the directions from which a bomb threatens, with its blast strength, in the order found."""
        unsafe: dict[Action, int] = defaultdict(int)
        for bomb in bombs:
            cell, blast = bomb["position"], bomb["blast_strength"]
            if dist.get(cell, np.inf) > blast:
                continue
            if cell == my_position:
                towards = [Action.Right, Action.Left, Action.Up, Action.Down]
            elif my_position[0] == cell[0] or my_position[1] == cell[1]:
                towards = [utility.get_direction(my_position, cell)]
            else:
                continue
            for direction in towards:
                unsafe[direction] = max(unsafe[direction], blast)
        return unsafe

    def _find_safe_directions(
        self,
        board: Board,
        my_position: Cell,
        unsafe_directions: Mapping[Action, int],
        bombs: Bombs,
        enemies: Sequence[Item],
    ) -> list[Action]:
        """Return where to flee to; never nothing.

        With a bomb in every direction that is the first with a way out of the blast, else those without a
        bomb that can be taken, or all directions on the board.
        """
        if len(unsafe_directions) == 4:
            blocked = board.copy()
            blocked[my_position] = Item.Bomb.value
            for direction, blast in unsafe_directions.items():
                cell = utility.get_next_position(my_position, direction)
                if self._enterable(blocked, cell, enemies) and _leads_out(blocked, cell, blast, enemies):
                    return [direction]
            return [Action.Stop]

        safe, on_board = [], []
        for direction in (Action.Up, Action.Down, Action.Left, Action.Right):
            cell = utility.get_next_position(my_position, direction)
            if not utility.position_on_board(board, cell):
                continue
            on_board.append(direction)
            clear = utility.position_is_passable(board, cell, enemies) or utility.position_is_fog(board, cell)
            if clear and direction not in unsafe_directions:
                safe.append(direction)
        return safe or [way for way in unsafe_directions if way in on_board] or [Action.Stop]

    @staticmethod
    def _enterable(board: Board, cell: Cell, enemies: Sequence[Item]) -> bool:
        return utility.position_on_board(board, cell) and utility.position_is_passable(board, cell, enemies)

    @staticmethod
    def _maybe_bomb(ammo: int, blast_strength: int, items: Items, dist: Distances, my_position: Cell) -> bool:
        """Return whether there is a bomb to lay, and then a passage to hide from it.

        The hiding place is in another row and column, or further away than the blast.
        """
        row, col = my_position
        return ammo >= 1 and any(
            dist[cell] != np.inf and (dist[cell] > blast_strength or (cell[0] != row and cell[1] != col))
            for cell in items.get(Item.Passage, ())
        )

    @staticmethod
    def _has_bomb(obs: Mapping[str, Any]) -> bool:
        return obs["ammo"] >= 1

    @staticmethod
    def _is_adjacent_enemy(items: Items, dist: Distances, enemies: Sequence[Item]) -> bool:
        return any(dist[cell] == 1 for enemy in enemies for cell in items.get(enemy, ()))

    @staticmethod
    def _nearest_position(dist: Distances, objs: Iterable[Item], items: Items, radius: float) -> Cell | None:
        """Return the nearest cell of these items; of several the last, in order of items and then rows."""
        nearest, least = None, min(radius, max(dist.values(), default=0))
        for item in objs:
            for cell in items.get(item, ()):
                if dist[cell] <= least:
                    nearest, least = cell, dist[cell]
        return nearest

    @staticmethod
    def _get_direction_towards_position(
        my_position: Cell, position: Cell | None, prev: Ways
    ) -> Action | None:
        """Return the first step on the way to a cell."""
        if not position:
            return None
        first = position
        while prev[first] != my_position:
            first = prev[first]
        return utility.get_direction(my_position, first)

    # The original's arguments: where the agent stands, and what `_djikstra` returned.

    @classmethod
    def _near_enemy(
        cls,
        my_position: Cell,
        items: Items,
        dist: Distances,
        prev: Ways,
        enemies: Iterable[Item],
        radius: float,
    ) -> Action | None:
        nearest = cls._nearest_position(dist, enemies, items, radius)
        return cls._get_direction_towards_position(my_position, nearest, prev)

    @classmethod
    def _near_good_powerup(
        cls, my_position: Cell, items: Items, dist: Distances, prev: Ways, radius: float
    ) -> Action | None:
        nearest = cls._nearest_position(dist, _POWERUPS, items, radius)
        return cls._get_direction_towards_position(my_position, nearest, prev)

    @classmethod
    def _near_wood(
        cls, my_position: Cell, items: Items, dist: Distances, prev: Ways, radius: float
    ) -> Action | None:
        nearest = cls._nearest_position(dist, [Item.Wood], items, radius)
        return cls._get_direction_towards_position(my_position, nearest, prev)

    @staticmethod
    def _filter_invalid_directions(
        board: Board, my_position: Cell, directions: Iterable[Action], enemies: Sequence[Item]
    ) -> list[Action]:
        """Keep the directions to cells that can be entered."""
        return [
            way
            for way in directions
            if SimpleAgent._enterable(board, utility.get_next_position(my_position, way), enemies)
        ]

    @staticmethod
    def _filter_unsafe_directions(
        board: Board, my_position: Cell, directions: Iterable[Action], bombs: Bombs
    ) -> list[Action]:
        """Keep the directions to cells that are in no bomb's line, or beyond its blast."""

        def exposed(cell: Cell) -> bool:
            for bomb in bombs:
                down, right = abs(bomb["position"][0] - cell[0]), abs(bomb["position"][1] - cell[1])
                if not (down and right) and down + right <= bomb["blast_strength"]:
                    return True
            return False

        return [way for way in directions if not exposed(utility.get_next_position(my_position, way))]

    @staticmethod
    def _filter_recently_visited(
        directions: list[Action], my_position: Cell, recently_visited_positions: Sequence[Cell]
    ) -> list[Action]:
        """Keep the directions to other cells than these; all of them if there are none."""
        fresh = [
            way
            for way in directions
            if utility.get_next_position(my_position, way) not in recently_visited_positions
        ]
        return fresh or directions


def _leads_out(board: Board, start: Cell, blast: int, enemies: Sequence[Item]) -> bool:
    """Return whether a path leads from a cell to another row and column, or further away than a blast."""
    seen, todo = {start}, [start]
    while todo:
        row, col = todo.pop()
        down, right = abs(row - start[0]), abs(col - start[1])
        if (down and right) or down + right > blast:
            return True
        for more_down, more_right in _NEIGHBOURS:
            cell = row + more_down, col + more_right
            if cell not in seen and SimpleAgent._enterable(board, cell, enemies):
                seen.add(cell)
                todo.append(cell)
    return False
