"""Helper functions for agents: boards and positions.

A board is a two-dimensional numpy array of cell values, a position a tuple
(row, column).
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants

Board = NDArray[Any]
Cell = tuple[int, int]

_MOST_CUT_OFF = 4  # unreachable passages allowed, before another board is tried
_WALLS = (constants.Item.Rigid.value, constants.Item.Wood.value)
_POWERUPS = (constants.Item.ExtraBomb.value, constants.Item.IncrRange.value, constants.Item.Kick.value)
_AGENTS = range(constants.Item.Agent0.value, constants.Item.Agent3.value + 1)
_PASSABLE = (constants.Item.Passage.value, *_POWERUPS, *_AGENTS)

_STEPS = {
    constants.Action.Stop: (0, 0),
    constants.Action.Up: (-1, 0),
    constants.Action.Down: (1, 0),
    constants.Action.Left: (0, -1),
    constants.Action.Right: (0, 1),
}


class PommermanJSONEncoder(json.JSONEncoder):
    """Writes observations and games: arrays as lists, enums as numbers, spaces as their sizes."""

    def default(self, obj: Any) -> Any:
        """Convert types that JSON does not have."""
        if isinstance(obj, np.ndarray | np.integer):
            return obj.tolist()
        if isinstance(obj, constants.Item | constants.Action | constants.GameType):
            return obj.value
        if isinstance(obj, gymnasium.spaces.Discrete):
            return int(obj.n)
        if isinstance(obj, gymnasium.spaces.Tuple):
            return [int(space.n) for space in obj.spaces]
        return obj.to_json() if hasattr(obj, "to_json") else super().default(obj)


def json_texts(
    fields: Mapping[str, Any], encoder: type[json.JSONEncoder] = PommermanJSONEncoder
) -> dict[str, str]:
    """Return fields, such as those of a saved game, each as a JSON text."""
    return {name: json.dumps(value, cls=encoder) for name, value in fields.items()}


class Discrete(gymnasium.spaces.Discrete):
    """The numbers 0 to n - 1. As with the original's, samples are int."""

    def sample(self, *args: Any, **kwargs: Any) -> int:
        """Draw one, as gymnasium's does."""
        return int(super().sample(*args, **kwargs))


def is_valid_direction(
    board: Board, position: Cell, direction: Any, invalid_values: Sequence[int] | None = None
) -> bool:
    """Return whether a step from a position stays on the board and does not run into a wall.

    Args:
        board: cell values.
        position: where from.
        direction: an Action or its number; Stop is always valid.
        invalid_values: cell values that cannot be entered; None: rigid and wood.

    Raises:
        InvalidAction: the action is not a direction.
        ValueError: it is not an action.
    """
    action = constants.Action(direction)
    if action is constants.Action.Stop:
        return True
    if action not in _STEPS:
        raise constants.InvalidAction(f"{action} is not a direction: Stop, Up, Down, Left or Right")
    goal = get_next_position(position, action)
    blocked = _WALLS if invalid_values is None else invalid_values
    return position_on_board(board, goal) and board[goal[0]][goal[1]] not in blocked


def get_direction(position: Cell, next_position: Cell) -> constants.Action:
    """Return the direction from one cell to another in the same row or column.

    Raises:
        InvalidAction: they share neither row nor column.
    """
    (row, col), (next_row, next_col) = position, next_position
    if row == next_row:
        return constants.Action.Right if col < next_col else constants.Action.Left
    if col == next_col:
        return constants.Action.Down if row < next_row else constants.Action.Up
    raise constants.InvalidAction(f"no single direction leads from {position} to {next_position}")


def get_next_position(position: Cell, direction: Any) -> Cell:
    """Return the cell one step away, which may be off the board.

    Raises:
        InvalidAction: `direction` is not Stop, Up, Down, Left or Right.
    """
    try:
        down, right = _STEPS[direction]
    except KeyError:
        raise constants.InvalidAction(f"{direction!r} is not a direction: use an Action") from None
    row, col = position
    return row + down, col + right


def position_on_board(board: Board, position: Cell) -> bool:
    """Return whether the position is on the board."""
    row, col = position
    return 0 <= row < len(board) and 0 <= col < len(board[0])


def _shows(*values: int) -> Callable[[Board, Cell], bool]:
    """Return a function that tests whether a cell of a board has one of these values."""
    return lambda board, position: board[position] in values


position_is_passage = _shows(constants.Item.Passage.value)
position_is_rigid = _shows(constants.Item.Rigid.value)
position_is_wood = _shows(constants.Item.Wood.value)
position_is_wall = _shows(*_WALLS)
position_is_flames = _shows(constants.Item.Flames.value)
position_is_fog = _shows(constants.Item.Fog.value)
position_is_powerup = _shows(*_POWERUPS)
position_is_agent = _shows(*_AGENTS)


def _position_is_item(board: Board, position: Cell, item: constants.Item) -> bool:
    """Return whether the cell shows an item. Agents written for the original call it by this name."""
    return board[position] == item.value


def position_is_bomb(bombs: Iterable[Any], position: Cell) -> bool:
    """Return whether one of the bombs lies there; on the board an agent can hide it."""
    return any(bomb.position == position for bomb in bombs)


def position_is_enemy(board: Board, position: Cell, enemies: Iterable[constants.Item]) -> bool:
    """Return whether one of the enemies, given as Items, stands there."""
    return constants.Item(board[position]) in enemies


def position_is_passable(board: Board, position: Cell, enemies: Iterable[constants.Item]) -> bool:
    """Return whether the cell is a passage, a power-up, or an agent that is not an enemy."""
    return board[position] in _PASSABLE and not position_is_enemy(board, position, enemies)


def position_in_items(board: Board, position: Cell, items: Iterable[constants.Item]) -> bool:
    """Return whether the cell shows one of the items."""
    return any(_position_is_item(board, position, item) for item in items)


def agent_value(id_: int) -> int:
    """Return the cell value of an agent."""
    return constants.Item[f"Agent{id_}"].value


def make_board(
    size: int, num_rigid: int = 0, num_wood: int = 0, num_agents: int = 4, *, rng: Any = random
) -> NDArray[np.uint8]:
    """Generate a board that is its own mirror image along the main diagonal.

    Args:
        size: rows and columns.
        num_rigid: rigid walls, an even number.
        num_wood: wooden walls, an even number; with four agents it includes those
            between neighbouring corners.
        num_agents: 2 or 4.
        rng: a `random.Random` to draw from.

    Returns:
        uint8 (size, size), the agents in their corners.

    Raises:
        ValueError: a number is odd, or there is no room.
    """
    for name, number in (("num_rigid", num_rigid), ("num_wood", num_wood), ("num_agents", num_agents)):
        if number % 2:
            raise ValueError(f"{name} is {number}, expected an even number")
    while True:
        board, corners = _try(size, num_rigid, num_wood, num_agents, rng)
        if len(inaccessible_passages(board, corners)) <= _MOST_CUT_OFF:
            return board


def _try(
    size: int, num_rigid: int, num_wood: int, num_agents: int, rng: Any
) -> tuple[NDArray[np.uint8], list[Cell]]:
    """Try once; also return the agents' cells."""
    board = np.zeros((size, size), np.uint8)
    near, far = 1, size - 2
    corners = [(near, near), (far, near), (far, far), (near, far)]  # agents go round the board
    if num_agents == 2:
        corners = [(near, near), (far, far)]
    taken = set(corners)
    for agent, (row, col) in enumerate(corners):
        board[row, col] = constants.Item.Agent0.value + agent
        for step in (1, 2):  # room to move along both lines
            taken.add((row, col + step if col == near else col - step))
            taken.add((row + step if row == near else row - step, col))
    if num_agents == 4:
        for along in range(4, size - 4):
            for cell in ((near, along), (along, near), (far, along), (along, far)):
                board[cell] = constants.Item.Wood.value
                taken.add(cell)
                num_wood -= 1

    free = [(a, b) for a in range(size) for b in range(a) if (a, b) not in taken]
    rigid, wood = max(num_rigid, 0) // 2, max(num_wood, 0) // 2  # pairs
    if rigid + wood > len(free):
        raise ValueError(f"{num_rigid} rigid and {num_wood} wood do not fit on a board of size {size}")
    for k, (a, b) in enumerate(rng.sample(free, rigid + wood)):
        wall = constants.Item.Rigid if k < rigid else constants.Item.Wood
        board[a, b] = board[b, a] = wall.value
    return board, corners


def make_items(board: NDArray[Any], num_items: int, *, rng: Any = random) -> dict[Cell, int]:
    """Hide items under different pieces of wood.

    Returns:
        the value of each hidden item by its position.

    Raises:
        ValueError: there is less wood than items.
    """
    wood = _cells(board, constants.Item.Wood)
    if num_items > len(wood):
        raise ValueError(f"{num_items} items cannot be hidden under {len(wood)} pieces of wood")
    return {cell: rng.choice(_POWERUPS) for cell in rng.sample(wood, num_items)}


def inaccessible_passages(board: NDArray[Any], agent_positions: list[Cell]) -> list[Cell]:
    """Return the passages that cannot be reached through wood and passages.

    Args:
        board: cell values.
        agent_positions: the search starts from the last, which is removed from the list.
    """
    cut_off = set(_cells(board, constants.Item.Passage))
    start = agent_positions.pop()
    seen, todo = {start}, [start]
    while todo and cut_off:
        row, col = todo.pop()
        for cell in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if position_on_board(board, cell) and cell not in seen and not position_is_rigid(board, cell):
                seen.add(cell)
                cut_off.discard(cell)
                todo.append(cell)
    return sorted(cut_off)


def _cells(board: NDArray[Any], item: constants.Item) -> list[Cell]:
    return [(row, col) for row, col in np.argwhere(board == item.value).tolist()]


def make_np_float(feature: Any) -> NDArray[np.float32]:
    """Turn numbers into an array of float32."""
    return np.array(feature).astype(np.float32)


def state_files(paths: Iterable[Path]) -> list[Path]:
    """Keep those that `save_json` names: a step in three digits or more."""
    return [path for path in paths if re.fullmatch(r"[0-9]{3,}\.json", path.name)]


def join_json_state(
    record_json_dir: str, agents: list[str], finished_at: str, config: str, info: dict[str, Any]
) -> None:
    """Move the steps that `save_json` wrote, one file each, into one file "game_state.json".

    Args:
        record_json_dir: the folder of these files; subfolders are searched too.
        agents: the agents' names.
        finished_at: the time, as text.
        config: the id.
        info: what the last step returned.
    """
    folder = Path(record_json_dir)
    parts = state_files(folder.rglob("*.json"))
    parts.sort(key=lambda path: (path.parent, len(path.name), path.name))  # 1000 after 999
    game: dict[str, Any] = {
        "agents": agents,
        "finished_at": finished_at,
        "config": config,
        "result": {"name": info["result"].name, "id": info["result"].value},
        "state": [json.loads(part.read_bytes()) for part in parts],
    }
    if "winners" in info:
        game["winners"] = info["winners"]
    (folder / "game_state.json").write_text(json.dumps(game, sort_keys=True, indent=4))
    for part in parts:
        part.unlink()
