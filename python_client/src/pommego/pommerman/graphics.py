"""Pictures of a game: text in the terminal, arrays of colours, PNG files."""

import struct
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core import terminal
from pommego.pommerman import constants

_BOMB = constants.Item.Bomb.value
_SYMBOLS = [" .", "##", "%%", " o", "**", "??", "+b", "+r", "+k", "??", "A0", "A1", "A2", "A3"]


def rgb_array(board: NDArray[Any], agents: Sequence[Any]) -> NDArray[np.float64]:
    """Return the colour of each cell, (rows, columns, 3), values 0 to 255; dead agents are black."""
    frame = np.zeros((*board.shape, 3))
    for value, colour in enumerate(constants.ITEM_COLORS):
        frame[board == value] = colour
    for agent, colour in zip(agents, constants.AGENT_COLORS, strict=False):
        if agent.is_alive:
            frame[board == constants.Item.Agent0.value + agent.agent_id] = colour
    return frame


def show(env: Any) -> None:
    """Write an environment's game to standard output, as the server draws it, near `rgb_array`'s colours."""
    coloured = terminal.colours()
    text = f"step {env._step_count} of {env._max_steps}\n"
    bombs = {tuple(b.position): f"{b.life}{'abcd'[b.bomber.agent_id]}" for b in env._bombs}
    levels = np.rint(rgb_array(env._board, env._agents) / 51) @ (36, 6, 1)  # of a terminal's cube of colours
    colours = (16 + levels.astype(int)).tolist()
    for row, values in enumerate(env._board.tolist()):
        for col, value in enumerate(values):
            symbol = bombs.get((row, col), " o") if value == _BOMB else _SYMBOLS[value]
            text += f"\x1b[30;48;5;{colours[row][col]}m{symbol}\x1b[0m" if coloured else symbol
        text += "\n"
    for agent in env._agents:
        kicks = ", kicks" if agent.can_kick else ""
        how = f"ammo {agent.ammo}, blast {agent.blast_strength}{kicks}" if agent.is_alive else "out"
        text += f"seat {agent.agent_id}: {how}\n"
    terminal.show(text)


def save_png(env: Any, folder: str) -> Path:
    """Save a picture of an environment's board, named after the time and the step; return its path."""
    tile = constants.HUMAN_FACTOR
    cells = rgb_array(env._board, env._agents).astype(np.uint8)
    path = Path(folder) / f"{datetime.now():%m-%d-%y_%H-%M-%S}_{env._step_count}.png"
    path.write_bytes(_png(cells.repeat(tile, axis=0).repeat(tile, axis=1)))
    return path


def _png(image: NDArray[np.uint8]) -> bytes:
    """Encode an image, uint8 (height, width, 3), as PNG."""
    height, width, _ = image.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row after its filter type, 0: none
    rows[:, 1:] = image.reshape(height, -1)
    head = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, red green blue
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
        for kind, data in parts
    )
