"""Random boards, from the generator of the module `random` or another."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants

__all__ = ["inaccessible_passages", "make_board", "make_items"]

Cell = tuple[int, int]

_MOST_CUT_OFF = 4  # unreachable passages allowed, before another board is tried
_POWERUPS = (constants.Item.ExtraBomb.value, constants.Item.IncrRange.value, constants.Item.Kick.value)


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
            on = 0 <= cell[0] < len(board) and 0 <= cell[1] < len(board[0])
            if on and cell not in seen and board[cell] != constants.Item.Rigid.value:
                seen.add(cell)
                cut_off.discard(cell)
                todo.append(cell)
    return sorted(cut_off)


def _cells(board: NDArray[Any], item: constants.Item) -> list[Cell]:
    return [(row, col) for row, col in np.argwhere(board == item.value).tolist()]
