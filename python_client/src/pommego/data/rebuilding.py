"""Rebuilding observations from a data set of layout "games", by replaying it on a server."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego._core.connecting import Connection
from pommego.data.episode import Episode
from pommego.data.loading import load
from pommego.data.manifest import DamagedError, Manifest
from pommego.making import make_vec
from pommego.server import Server
from pommego.vector import PommegoVectorEnv

__all__ = ["rebuild"]

Array = NDArray[Any]

_MEMORY = 512 << 20  # bytes that games being replayed may take
_WAITING = 4  # finished games wait for earlier ones: rough factor of memory
_MOST = 1024  # games at a time; more are no faster


def rebuild(
    path: str | os.PathLike[str],
    *,
    observation: str = "planes",
    reward: str = "outcome",
    games: Collection[int] | None = None,
    slots: int | None = None,
    **options: Any,
) -> Iterator[Episode]:
    """Replay the games of a data set, and yield them with the observations of all seats.

    The games are stepped together on a server, a few hundred at a time. The observations
    are those of the original games, byte for byte.

    Args:
        path: a data set of layout "games".
        observation: "planes" or "raw".
        reward: "outcome" or "reference", as for `pommego.make_vec`.
        games: the numbers of the wanted games; None: all.
        slots: how many to replay at a time; None: as many as fit into about half a gigabyte.
        options: further options of `pommego.make_vec`, such as address and token.

    Yields:
        the games in order, each as an `Episode`, whose arrays belong to the caller.

    Raises:
        DamagedError: the replay of a game differs from its record.
        ValueError: the data set has another layout.
    """
    manifest = Manifest.read(path)
    if manifest.layout != "games":
        raise ValueError(
            f"{path} is of layout {manifest.layout!r}, which holds the observations: use episodes()"
        )
    longest = manifest.json.get("statistics", {}).get("longest") or manifest.json["env"]["max_steps"]
    options = manifest.make_options() | options | {"observation": observation, "reward": reward}
    records = _records(manifest, path, games)
    connection = dataclasses.replace(options.pop("connection", None) or Connection(), expand_shared=False)
    with ExitStack() as stack:
        if not options.get("address"):
            server = stack.enter_context(Server(transport="unix"))
            options |= {"address": server.address, "token": server.token}
        if slots is None:
            slots = _fitting(longest, options)
        envs = stack.enter_context(
            make_vec(num_envs=slots, autoreset_mode="NextStep", copy=False, connection=connection, **options)
        )
        envs.reset(seed=0)  # states replace these games
        yield from _Replay(envs, longest, manifest.components).play(records)


class _Record(NamedTuple):
    """One row of layout "games"."""

    index: int  # index among the wanted games
    start: bytes
    known: dict[str, Any]  # fields of its Episode


def _records(
    manifest: Manifest, path: str | os.PathLike[str], games: Collection[int] | None
) -> Iterator[_Record]:
    wanted = None if games is None else games if isinstance(games, range) else set(games)
    seats = range(manifest.seats)
    index = 0
    for batch in load(path, batch_size=512):
        for k, game in enumerate(batch["game"].tolist()):
            if wanted is not None and game not in wanted:
                continue
            known = {
                "game": game,
                "seed": (int(batch["seed"][k]), int(batch["episode"][k])) if batch["_seed"][k] else None,
                "actions": batch["actions"][k],
                "agents": tuple(str(batch[f"agent{seat}"][k]) for seat in seats),
                "outcome": np.array([batch[f"outcome{seat}"][k] for seat in seats]),
                "result": str(batch["result"][k]),
                "counts": {
                    name: np.array([batch[f"{name}{seat}"][k] for seat in seats]) for name in manifest.counts
                },
                "truncated": bool(batch["truncated"][k]),
            }
            yield _Record(index, batch["start"][k], known)
            index += 1


def _fitting(longest: int, options: dict[str, Any]) -> int:
    """Return how many games at a time fit into the memory."""
    with make_vec(num_envs=1, **options) as envs:
        step = sum(
            int(np.prod(field.shape, dtype=np.int64))
            * np.dtype(field.dtype).itemsize
            * (1 if field.shared else envs.learners)
            for field in envs.encoding.fields
        )
    return int(np.clip(_MEMORY // (_WAITING * (longest + 1) * step), 8, _MOST))


class _Replay:
    """Games being replayed, a slot for each, with room for all their observations."""

    def __init__(self, envs: PommegoVectorEnv, longest: int, components: int) -> None:
        self._envs = envs
        self._slots = n = envs.num_games
        self._seats = seats = envs.learners
        self._every = np.arange(n)
        self._records: list[_Record | None] = [None] * n
        self._at = np.zeros(n, np.int64)  # steps made
        self._ends = np.full(n, -1)  # steps to make; -1: the slot is idle
        room = (n, longest + 1)
        own = () if components == 1 else (components,)
        choices = sum(choice.n for choice in envs.game_spec.actions)
        self._actions = np.zeros((*room, seats, *own), np.uint8)
        self._rewards = np.zeros((*room, seats), np.float64)
        self._alive = np.zeros((*room, seats), np.bool_)
        self._legal = np.zeros((*room, seats, choices), np.uint8)
        self._shared = {field.name: field.shared for field in envs.encoding.fields}
        self._seen = {
            field.name: np.zeros((*room, *(() if field.shared else (seats,)), *field.shape), field.dtype)
            for field in envs.encoding.fields
        }

    def play(self, records: Iterator[_Record]) -> Iterator[Episode]:
        """Replay all games and yield them in order."""
        waiting: dict[int, Episode] = {}
        turn = 0
        self._fill(records)
        while (self._ends >= 0).any():
            waiting.update(self._step())
            while turn in waiting:
                yield waiting.pop(turn)
                turn += 1
            idle = int((self._ends < 0).sum())
            if idle * 8 >= self._slots:
                self._fill(records)

    def _fill(self, records: Iterator[_Record]) -> None:
        """Begin games in the slots that have none."""
        begun = []
        for slot in np.flatnonzero(self._ends < 0).tolist():
            record = next(records, None)
            if record is None:
                break
            actions = record.known["actions"]
            steps = len(actions)
            if steps >= self._actions.shape[1]:
                game = record.known["game"]
                raise DamagedError(f"game {game} has {steps} steps, more than the manifest's longest")
            self._records[slot], self._at[slot], self._ends[slot] = record, 0, steps
            self._actions[slot, :steps] = actions
            begun.append(slot)
        if begun:
            obs, info = self._envs.set_state(begun, [self._records[slot].start for slot in begun])
            self._look(np.array(begun), obs, info)

    def _step(self) -> dict[int, Episode]:
        """Make a step in all games and yield those that it ends."""
        busy = np.flatnonzero(self._ends >= 0)
        actions = self._actions[self._every, self._at]
        obs, reward, terminated, _, info = self._envs.step(actions.reshape(-1, *actions.shape[2:]))
        self._rewards[busy, self._at[busy]] = reward.reshape(self._slots, self._seats)[busy]
        self._at[busy] += 1
        self._look(busy, obs, info)
        over = terminated[:: self._seats][busy]
        last = self._at[busy] == self._ends[busy]
        done = {}
        for slot in busy[over | last].tolist():
            episode = self._take(slot, bool(terminated[slot * self._seats]))
            done[self._records[slot].index] = episode
            self._ends[slot], self._at[slot] = -1, 0
            self._actions[slot, 0] = 0  # the actions of idle slots
        return done

    def _look(self, slots: Array, obs: dict[str, Array], info: dict[str, Any]) -> None:
        """Store the observations of some slots."""
        at = self._at[slots]
        for name, array in obs.items():
            by_game = (
                array if self._shared[name] else array.reshape(self._slots, self._seats, *array.shape[1:])
            )
            self._seen[name][slots, at] = by_game[slots]
        self._alive[slots, at] = info["alive"].reshape(self._slots, self._seats)[slots]
        self._legal[slots, at] = info["action_mask"].reshape(self._slots, self._seats, -1)[slots]

    def _take(self, slot: int, terminated: bool) -> Episode:
        """Make an episode from a slot's observations."""
        known, steps = self._records[slot].known, int(self._at[slot])
        if steps != self._ends[slot] or terminated == known["truncated"]:
            what = "ends" if terminated else "does not end"
            raise DamagedError(
                f"game {known['game']} {what} after {steps} steps, but {int(self._ends[slot])} are recorded: "
                "the data set is damaged, or was made with other rules"
            )
        seen = {}
        for name, array in self._seen.items():
            own = array[slot, : steps + 1].copy()
            if self._shared[name]:
                own = np.broadcast_to(own[:, None], (steps + 1, self._seats, *own.shape[1:]))
            seen[name] = own
        return Episode(
            **known,
            observations=seen,
            legal=self._legal[slot, :steps].copy(),
            alive=self._alive[slot, : steps + 1].copy(),
            rewards=self._rewards[slot, :steps].copy(),
            terminated=terminated,
        )
