"""Pictures of a game: text in the terminal, arrays of colours, PNG files.

A pommego server draws texts and files; it starts with the first of them. It refuses states
that no game can reach: those are drawn here, more plainly.
"""

from __future__ import annotations

import functools
import os
import struct
import sys
import threading
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.errors import ServerError
from pommego.making import make_vec
from pommego.pommerman import constants

__all__ = ["rgb_array", "save_png", "show"]

_HOME_AND_CLEAR = "\x1b[H\x1b[J"
_SYMBOLS = [" .", "##", "%%", " o", "**", "??", "+b", "+r", "+k", "??", "A0", "A1", "A2", "A3"]
_drawing = threading.Lock()


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
    """Write an environment's game to standard output; on a terminal, over the last one."""
    live = sys.stdout.isatty()
    text = _drawn(env, colour=live)
    if text is None:
        text = "".join("".join(_SYMBOLS[value] for value in row) + "\n" for row in env._board.tolist())
    sys.stdout.write((_HOME_AND_CLEAR if live else "") + text)
    sys.stdout.flush()


def save_png(env: Any, folder: str) -> Path:
    """Save a picture of an environment's game, named after the time and the step; return its path."""
    tile = constants.HUMAN_FACTOR
    image = _drawn(env, tile=tile)
    if image is None:
        cells = rgb_array(env._board, env._agents).astype(np.uint8)
        image = cells.repeat(tile, axis=0).repeat(tile, axis=1)
    path = Path(folder) / f"{datetime.now():%m-%d-%y_%H-%M-%S}_{env._step_count}.png"
    path.write_bytes(_png(image))
    return path


def _drawn(env: Any, **options: Any) -> Any:
    """Return the server's picture; None if it refuses the state."""
    with _drawing:
        envs = _server(os.getpid(), len(env._agents), len(env._board), env._max_steps)
        if envs is None:
            return None
        try:
            envs.set_state(0, env.get_json_info())
        except ServerError:
            return None
        return envs.render(0, **options)


@functools.cache
def _server(process: int, seats: int, board_size: int, max_steps: int) -> Any:
    """Make a game on a server of this process; None if the server refuses the rules."""
    del process  # a forked child makes its own
    rules = {"board_size": board_size, "max_steps": max_steps}
    try:
        envs = make_vec("OneVsOne-v0" if seats == 2 else "PommeFFACompetition-v0", rules=rules, workers=1)
    except ServerError:
        return None
    envs.reset(seed=0)
    return envs


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
