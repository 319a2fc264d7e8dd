"""Positions of played games, for episodes to begin in."""

import base64
import json
import os
from collections.abc import Iterable

from pommego._core import checks
from pommego._core.program import run
from pommego.state import State


def states(
    path: str | os.PathLike[str],
    at: int | Iterable[int] = -20,
    *,
    winner: bool = False,
    games: int | None = None,
) -> list[State]:
    """Play the games of a data set or a file of recorded games again, and return positions of them.

        demonstrations = data.states("ffa", at=range(-40, 0, 5), winner=True)
        envs = pommego.make_vec(id, 64, opponents=["simple"] * 3, start_states=demonstrations)

    Args:
        path: a data set, or recorded games (``pommego play --record``, or the original's).
        at: after how many steps. Negative numbers count from the end of each game:
            -1 is the last position before its end. Shorter games do not have it.
        winner: leave out games that nobody won, and seat the learner of an episode that begins there in the
            winner's place (unless `seat` is given). A team has one state for each member that is not out.
        games: the first so many games; None: all.

    Returns:
        the states, game by game, for `start_states` and ``reset(options=...)``; without `winner` also for
        `set_state`, in an environment in which every seat learns.

    Raises:
        PommegoError: the path cannot be read; the message says why.
        ValueError: no game has such a position.
    """
    if games is not None:
        checks.at_least(1, "games", games, more=", or None for all")
    steps = [at] if isinstance(at, int) else list(at)
    command = ["data", "states", os.fspath(path), f"--at={','.join(map(str, steps))}"]
    command += ["--winner"] * winner + ([] if games is None else [f"--games={games}"])
    if not (lines := run(*command).splitlines()):
        raise ValueError(f"{path} has no game that goes on after {at} steps{' and has a winner' * winner}")
    return [State(base64.b64decode(json.loads(line)["state"])) for line in lines]
