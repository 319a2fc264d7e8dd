"""One whole game, with the observations of its seats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pommego.data.manifest import Manifest

Array = NDArray[Any]


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


def from_rows(batch: dict[str, Array], manifest: Manifest, reward: str) -> Episode:
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
