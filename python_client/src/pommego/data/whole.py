"""Whole games, from data sets of any layout, and positions of them."""

import base64
import json
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core import checks
from pommego._core.batch import Array
from pommego._core.program import flags, run
from pommego.data.loading import Batch, joined, load, rows_of
from pommego.data.manifest import DamagedError, Manifest
from pommego.errors import PommegoError
from pommego.state import State

_AT_ONCE = 128  # games that are rebuilt at a time


@dataclass(frozen=True)
class Episode:
    """One game: T steps, T + 1 positions.

    Attributes:
        game: its number in the data set.
        seed: its seed, and the number of the episode since the seed; None if it began
            from a saved position.
        agents: the agents' names, by seat.
        result: "won", "lost", "tied" or "undecided", by seat.
        outcome: float64 (seats,): what the end paid: 1, -1, or for a tie what the game's rules
            pay; 0 undecided.
        observations: arrays (T + 1, seats, ...), by the names of the encoding's fields.
        legal: uint8 (T, seats, choices): the mask, 1 where a choice may have an effect.
        alive: bool (T + 1, seats): which seats are still in the game.
        actions: uint8 (T, seats) or (T, seats, components).
        rewards: float64 (T, seats).
        terminated: whether the rules ended it.
        truncated: whether it was cut off.
        visits: int32 (T, seats, choices), how often a search tried each choice; all
            zeros where a seat decided without a search. None if no agent searches, and
            for layout "games".
        values: likewise, float64: the value that the search found; NaN: not tried.
        counts: what the game counted, by name: int32 (seats,). The manifest's
            ``json["env"]["counts"]`` has the meanings.
        extra: what policies reported, by name: (T, seats, ...); zeros where nothing was.
            Empty for layout "games".
    """

    game: int
    seed: tuple[int, int] | None
    agents: tuple[str, ...]
    result: tuple[str, ...]
    outcome: NDArray[np.float64]
    observations: dict[str, Array]
    legal: NDArray[np.uint8]
    alive: NDArray[np.bool_]
    actions: NDArray[np.uint8]
    rewards: NDArray[np.float64]
    terminated: bool
    truncated: bool
    visits: NDArray[np.int32] | None = None
    values: NDArray[np.float64] | None = None
    counts: dict[str, NDArray[np.int32]] = field(default_factory=dict)
    extra: dict[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.actions)


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
        ValueError: the data set has another layout, or there is no such reward or game, or the path is
            one file of a data set.
    """
    source = _folder(path)
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
            form = {"layout": "steps", "observation": observation, "mask": mask}
            which = flags(out=out, first=first, games=last - first + 1, **form)
            try:
                run("data", "merge", source, *which)
            except PommegoError as error:
                if ": played again, " in str(error):
                    raise DamagedError(str(error)) from None
                raise
            for game in _stored(out, rewards[reward]):
                number = first + game.game
                if number in numbers:
                    yield replace(game, game=number)


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
            -1 is the last position before its end. Games that are too short are left out.
        winner: leave out games that nobody won, and seat the learner of an episode that begins there in the
            winner's place (unless `seat` is given). A team has one state for each member that is not out.
        games: only this many games, from the first on; None: all.

    Returns:
        the states, game by game, for `start_states` and ``reset(options=...)``; without `winner` also for
        `set_state`, in an environment in which every seat learns.

    Raises:
        PommegoError: the path cannot be read; the message says why.
        ValueError: no game has such a position, `at` is empty or no integers, or the path is one file of a
            data set.
    """
    if games is not None:
        checks.at_least(1, "games", games, more=", or None for all")
    steps = [*at] if isinstance(at, Iterable) else [at]
    if not steps or not all(isinstance(step, Integral) for step in steps):
        raise ValueError(f"at is {at!r}, expected an integer or several, such as range(-40, 0, 5)")
    which = flags(at=steps, winner=winner, games=games)
    if not (lines := run("data", "states", _folder(path), *which).splitlines()):
        raise ValueError(f"{path} has no game that goes on after {at} steps{' and has a winner' * winner}")
    return [State(base64.b64decode(json.loads(line)["state"])) for line in lines]


def _folder(path: str | os.PathLike[str]) -> str:
    """Return the path; raise ValueError if it is one file of a data set, which the program takes for all."""
    if Path(path).suffix == ".parquet" and Path(path).is_file():
        raise ValueError(f"{path} is one file of a data set, expected the data set's folder")
    return os.fspath(path)


def _stored(path: str | os.PathLike[str], reward: str) -> Iterator[Episode]:
    """Yield the games of a data set of layout "steps"."""
    manifest = Manifest.read(path)
    parts = (
        rows_of(batch, begin, end)
        for batch in load(path)
        for begin, end in pairwise([0, *(np.diff(batch["game"]).nonzero()[0] + 1), len(batch["game"])])
    )
    for _, game in groupby(parts, lambda part: part["game"][0]):
        yield from_rows(joined([*game]), manifest, reward)


def from_rows(batch: Batch, manifest: Manifest, reward: str) -> Episode:
    """Make an episode from all rows of a game, with the rewards of a column."""
    seats = manifest.seats
    steps = len(batch["game"]) // seats

    def by_seat(array: Array) -> Array:
        return array.reshape(steps, seats, *array.shape[1:])

    observations = {}
    for name in (described["name"] for described in manifest.fields):
        final = batch[f"final_{name}"][-seats:]
        observations[name] = np.concatenate([by_seat(batch[f"obs_{name}"]), final[None]])
    alive = by_seat(batch["alive"])
    search = {}
    if "visits" in batch:
        values = np.where(batch["_values"][:, None], batch["values"], np.nan)
        search = {"visits": by_seat(batch["visits"]), "values": by_seat(values)}
    parts = [f"action_{part['name']}" for part in manifest.json["env"]["actions"]]
    actions = by_seat(batch["action"] if len(parts) == 1 else np.stack([batch[p] for p in parts], axis=1))
    return Episode(
        game=int(batch["game"][0]),
        seed=(int(batch["seed"][0]), int(batch["episode"][0])) if batch["_seed"][0] else None,
        agents=tuple(map(str, batch["agent"][:seats])),
        result=tuple(map(str, batch["result"][:seats])),
        outcome=batch["outcome"][:seats],
        observations=observations,
        legal=by_seat(batch["legal"]),
        alive=np.concatenate([alive, (alive[-1] & ~by_seat(batch["died"])[-1])[None]]),
        actions=actions,
        rewards=by_seat(batch[reward]),
        terminated=bool(batch["terminated"][-1]),
        truncated=bool(batch["truncated"][-1]),
        counts={name: batch[name][-seats:] for name in manifest.counts},
        extra={name: by_seat(batch[name]) for name in manifest.extra},
        **search,
    )
