"""Whole games, from data sets of any layout."""

import dataclasses
import os
import tempfile
from collections.abc import Collection, Iterator
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from pommego._core.program import run
from pommego.data.episode import Episode, from_rows
from pommego.data.loading import Batch, joined, load, rows_of
from pommego.data.manifest import DamagedError, Manifest

_AT_ONCE = 128  # games that are rebuilt at a time


def episodes(path: str | os.PathLike[str], **options: Any) -> Iterator[Episode]:
    """Yield the whole games of a data set in order.

    Args:
        path: a data set.
        options: for the layouts "games" and "dialogues": as for `rebuild`.
    """
    if Manifest.read(path).layout != "steps":
        yield from rebuild(path, **options)
        return
    if options:
        raise TypeError(f"layout steps has no options {list(options)}")
    yield from _stored(path, "reward")


def rebuild(
    path: str | os.PathLike[str],
    *,
    observation: str = "planes",
    mask: str = "legal",
    reward: str = "outcome",
    games: Collection[int] | None = None,
) -> Iterator[Episode]:
    """Replay the games of a data set, and yield them with the observations of all seats.

    The observations are those of the original games, byte for byte. Some games at a time are
    replayed into a temporary folder.

    Args:
        path: a data set of layout "games" or "dialogues".
        observation: an encoding of the game's, such as "planes", "raw" or "near".
        mask: "legal" or "safe", as for `pommego.make_vec`: what `Episode.legal` lists.
        reward: "outcome" or "reference", as for `pommego.make_vec`.
        games: the numbers of the wanted games; None: all.

    Yields:
        the games in order, each as an `Episode`.

    Raises:
        DamagedError: the replay of a game differs from its record.
        PommegoError: the games cannot be replayed; the message says why.
        ValueError: the data set has another layout, or there is no such reward or game.
    """
    manifest = Manifest.read(path)
    if manifest.layout == "steps":
        raise ValueError(f"{path} has layout {manifest.layout!r}, which stores observations: use episodes()")
    rewards = {"outcome": "reward", "reference": "reward_reference"}
    if reward not in rewards:
        raise ValueError(f"reward is {reward!r}, expected one of {list(rewards)}")
    wanted = range(manifest.json["games"]) if games is None else sorted(games)
    if wrong := set(wanted) - set(range(manifest.json["games"])):
        raise ValueError(f"games has {min(wrong)}, expected numbers from 0 to {manifest.json['games'] - 1}")
    for _, some in groupby(wanted, lambda game: game // _AT_ONCE):
        numbers = set(some)
        first, last = min(numbers), max(numbers)
        with tempfile.TemporaryDirectory(prefix="pommego-") as folder:
            out = f"{folder}/steps"
            which = ["--first", str(first), "--games", str(last - first + 1)]
            form = ["--layout", "steps", "--observation", observation, "--mask", mask]
            run("data", "merge", os.fspath(path), "--out", out, *which, *form)
            for game in _stored(out, rewards[reward]):
                number = first + game.game
                if game.terminated == game.truncated:
                    raise DamagedError(
                        f"game {number} {'ends' if game.terminated else 'does not end'} after {len(game)} "
                        "steps, unlike its record: the data set is damaged, or was made with other rules"
                    )
                if number in numbers:
                    yield dataclasses.replace(game, game=number)


def _stored(path: str | os.PathLike[str], reward: str) -> Iterator[Episode]:
    """Yield the games of a data set of layout "steps"."""
    manifest = Manifest.read(path)
    kept: list[Batch] = []
    for batch in load(path):
        ends = np.flatnonzero(np.diff(batch["game"])) + 1
        for begin, end in pairwise([0, *ends.tolist(), len(batch["game"])]):
            part = rows_of(batch, begin, end)
            if kept and kept[0]["game"][0] != part["game"][0]:
                yield from_rows(joined(kept), manifest, reward)
                kept = []
            kept.append(part)
    if kept:
        yield from_rows(joined(kept), manifest, reward)
