"""Random boards, generated here in Python from the generator of the module `random`.

An environment's boards come from the server. These are for scripts that
need their own boards; the distribution is the same.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants

__all__ = ["inaccessible_passages", "make_board", "make_items"]

Cell = tuple[int, int]

_MOST_CUT_OFF = 4  # unreachable passages allowed, before another board is tried


def make_board(size: int, num_rigid: int = 0, num_wood: int = 0, num_agents: int = 4) -> NDArray[np.uint8]:
    """Generate a board that is its own mirror image along the main diagonal.

    Args:
        size: rows and columns.
        num_rigid: rigid walls, an even number.
        num_wood: wooden ones, an even number; with four agents those on the way
            from one to the next count.
        num_agents: 2 or 4.

    Returns:
        uint8 (size, size), the agents in their corners.

    Raises:
        ValueError: a number is odd, or there is no room.
    """
    for name, number in (("num_rigid", num_rigid), ("num_wood", num_wood), ("num_agents", num_agents)):
        if number % 2:
            raise ValueError(f"{name} is {number}, expected an even number")
    while True:
        board, corners = _try(size, num_rigid, num_wood, num_agents)
        if len(inaccessible_passages(board, corners)) <= _MOST_CUT_OFF:
            return board


def _try(size: int, num_rigid: int, num_wood: int, num_agents: int) -> tuple[NDArray[np.uint8], list[Cell]]:
    """Try once; returns the agents' cells too, the one to search from last."""
    board = np.zeros((size, size), np.uint8)
    near, far = 1, size - 2
    corners = [(near, near), (far, near), (near, far), (far, far)]
    order = (0, 1, 3, 2)  # agents go round the board
    if num_agents == 2:
        corners = [(near, near), (far, far)]
        order = (0, 1)
    for corner, agent in zip(corners, order, strict=True):
        board[corner] = constants.Item.Agent0.value + agent

    taken = set(corners)
    for row, col in corners:
        for step in (1, 2):  # room to move along both lines
            taken.add((row, col + step if col == near else col - step))
            taken.add((row + step if row == near else row - step, col))
    if num_agents == 4:
        for along in range(4, size - 4):
            way = [(near, along), (along, near), (far, along), (along, far)]
            for cell in way:
                board[cell] = constants.Item.Wood.value
            taken.update(way)
            num_wood -= len(way)

    free = [(a, b) for a in range(size) for b in range(a) if (a, b) not in taken]
    pairs = max(num_rigid, 0) // 2, max(num_wood, 0) // 2
    if sum(pairs) > len(free):
        raise ValueError(f"{num_rigid} rigid and {num_wood} wood do not fit on a board of size {size}")
    for k, (a, b) in enumerate(random.sample(free, sum(pairs))):
        wall = constants.Item.Rigid if k < pairs[0] else constants.Item.Wood
        board[a, b] = board[b, a] = wall.value
    return board, corners


def make_items(board: NDArray[Any], num_items: int) -> dict[Cell, int]:
    """Hide items under different pieces of wood.

    Returns:
        the value of each hidden item by its position.

    Raises:
        ValueError: there is less wood than items.
    """
    wood = [(row, col) for row, col in np.argwhere(board == constants.Item.Wood.value).tolist()]
    if num_items > len(wood):
        raise ValueError(f"{num_items} items cannot be hidden under {len(wood)} pieces of wood")
    kinds = [item.value for item in (constants.Item.ExtraBomb, constants.Item.IncrRange, constants.Item.Kick)]
    return {cell: random.choice(kinds) for cell in random.sample(wood, num_items)}


def inaccessible_passages(board: NDArray[Any], agent_positions: list[Cell]) -> list[Cell]:
    """Return the passages that cannot be got to, through wood but not through rigid.

    Args:
        board: cell values.
        agent_positions: the last is searched from, and taken out of the list.
    """
    cut_off = {(row, col) for row, col in np.argwhere(board == constants.Item.Passage.value).tolist()}
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
