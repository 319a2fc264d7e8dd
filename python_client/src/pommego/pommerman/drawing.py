"""Pictures of a game: text in the terminal, arrays of colours, PNG files."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants
from pommego.vector import PommegoVectorEnv

__all__ = ["png", "rgb_array", "save_png", "show", "write_png"]

_HOME_AND_CLEAR = "\x1b[H\x1b[J"
#: As the server draws cells, but for the life of bombs.
_SYMBOLS = [" .", "##", "%%", " o", "**", "??", "+b", "+r", "+k", "??", "A0", "A1", "A2", "A3"]
_AGENT0 = constants.Item.Agent0.value


def show(remote: PommegoVectorEnv | None, board: NDArray[Any]) -> None:
    """Write a game to standard output; on a terminal, over the last one.

    Args:
        remote: the game, None if no server has it.
        board: its cell values.
    """
    out = sys.stdout
    live = out.isatty()
    if remote is not None:
        text = remote.render(0, colour=live)
    else:
        text = "".join("".join(_SYMBOLS[value] for value in row) + "\n" for row in board.tolist())
    out.write((_HOME_AND_CLEAR if live else "") + text)
    out.flush()


def rgb_array(board: NDArray[Any], agents: Sequence[Any]) -> NDArray[np.float64]:
    """Return the colour of each cell, (rows, columns, 3), values 0 to 255."""
    frame = np.zeros((*board.shape, 3))
    for value, colour in enumerate(constants.ITEM_COLORS):
        frame[board == value] = colour
    for seat, (agent, colour) in enumerate(zip(agents, constants.AGENT_COLORS, strict=False)):
        if agent.is_alive:
            frame[board == _AGENT0 + seat] = colour
    return frame


def save_png(
    folder: str, step_count: int, remote: PommegoVectorEnv | None, board: NDArray[Any], agents: Sequence[Any]
) -> Path:
    """Save a picture in a folder, named after the time and the step; return its path."""
    tile = constants.HUMAN_FACTOR
    if remote is not None:
        image = remote.render(0, tile=tile)
    else:
        image = rgb_array(board, agents).astype(np.uint8).repeat(tile, axis=0).repeat(tile, axis=1)
    return write_png(Path(folder), step_count, image)


def write_png(folder: Path, step_count: int, image: NDArray[np.uint8]) -> Path:
    """Write an image to a folder, named after the time and the step; return its path."""
    path = folder / f"{datetime.now():%m-%d-%y_%H-%M-%S}_{step_count}.png"
    path.write_bytes(png(image))
    return path


def png(image: NDArray[np.uint8]) -> bytes:
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
