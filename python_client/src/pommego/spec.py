"""The description of a game: seats, actions, observations and rules, as the server sends it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any

import gymnasium
import msgspec
import numpy as np
from msgspec import Meta

from pommego._transport.wire import DTYPES

__all__ = ["BOX", "Choice", "Encoding", "Field", "GameSpec", "Name", "Result"]

_MOST_FIELDS, _MOST_ELEMENTS = 64, 1 << 20

#: The name of the encoding with a single array, and of its field.
BOX = "box"


def _limits(dtype: np.dtype) -> tuple[int | float, int | float]:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return float(np.finfo(dtype).min), float(np.finfo(dtype).max)


_LIMITS = {name: _limits(dtype) for name, dtype in DTYPES.items()}


class Result(IntEnum):
    """How an episode ended for a seat, as in ``info["game"]["result"]``; UNDECIDED if it was truncated."""

    UNDECIDED = 0
    WON = 1
    LOST = 2
    TIED = 3


@dataclass(frozen=True)
class Choice:
    """One component of an action: a number from 0 to n-1, with a name for each. 0 is always legal."""

    name: str
    n: Annotated[int, Meta(ge=1, le=1 << 15)]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Name:
    """The name and meaning of one plane, map, scalar or count."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Field:
    """One array of an observation, for one seat: its dtype, its shape, its lowest and its highest value.

    It is `shared` if it is the same for all seats of a game and therefore sent once per game. `names` has the
    name and meaning of each entry along the first axis.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    low: int | float
    high: int | float
    shared: bool
    names: tuple[Name, ...]

    def __post_init__(self) -> None:
        least, most = _LIMITS.get(self.dtype, (0, -1))
        if not least <= self.low <= self.high <= most:
            raise ValueError(f"{self.name} has {self.dtype} from {self.low} to {self.high}")
        if min(self.shape, default=0) < 0 or math.prod(self.shape) > _MOST_ELEMENTS:
            raise ValueError(
                f"{self.name} has the shape {self.shape}, expected at most {_MOST_ELEMENTS} elements"
            )

    def space(self) -> gymnasium.spaces.Box:
        """Return the field's space, for one seat."""
        # With 255 Stable-Baselines3 would treat planes as a picture: move an axis and divide by 255.
        high = min(self.high, 254) if self.dtype == "uint8" and len(self.shape) == 3 else self.high
        return gymnasium.spaces.Box(self.low, high, self.shape, np.dtype(self.dtype).type)


@dataclass(frozen=True)
class Encoding:
    """One form of observation: a list of fields.

    ``encoding["planes"].names`` says what the planes are.
    """

    name: str
    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        if len({field.name for field in self.fields}) < len(self.fields) or len(self.fields) > _MOST_FIELDS:
            raise ValueError(
                f"{self.name} has {len(self.fields)} fields, expected at most {_MOST_FIELDS}, "
                "each with a name of its own"
            )

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"no field {name!r} in encoding {self.name!r}; it has {[f.name for f in self.fields]}")

    @property
    def is_box(self) -> bool:
        """Whether observations are one array instead of a dictionary."""
        return self.name == BOX

    def space(self) -> gymnasium.spaces.Dict | gymnasium.spaces.Box:
        """Return the observation space of one seat."""
        if self.is_box:
            return self.fields[0].space()
        return gymnasium.spaces.Dict({field.name: field.space() for field in self.fields})

    def boxed(self) -> Encoding:
        """Return planes and scalars as one box: the planes, then one constant plane for each scalar.

        Raises:
            ValueError: this encoding has other fields.
        """
        if [field.name for field in self.fields] != ["planes", "scalars"]:
            raise ValueError(f"{self.name!r} has {[f.name for f in self.fields]}, not planes and scalars")
        planes, scalars = self.fields
        shape = (planes.shape[0] + scalars.shape[0], *planes.shape[1:])
        low, high = min(planes.low, scalars.low), max(planes.high, scalars.high)
        names = planes.names + scalars.names
        return Encoding(BOX, (Field(BOX, "float32", shape, low, high, shared=planes.shared, names=names),))


@dataclass(frozen=True, repr=False)
class GameSpec:
    """One id of the catalog: `id`, its family `game`, a `description` of one line, and the number of `seats`.

    Attributes:
        version: increases whenever a recorded game would go differently.
        teams: lists of seats that win and lose together.
        elimination: whether a seat can be out before the game is over.
        max_steps: the step limit of the rules.
        actions: the components of one seat's action.
        encodings: the ways to observe, the default first.
        agents: the built-in agents' names.
        agent_versions: the version of each agent's decisions, by name; it increases whenever
            the agent plays differently in the same game.
        rules: the rules, by name; empty if the games of an environment have several. `make_vec(rules=...)`
            changes any.
        rule_meanings: the meaning of each rule, by name, also of rules that `rules` leaves out because
            they are not in use.
        counts: what the game counts for each seat, under these names in ``info["game"]``.
        state: the fields of the global state, for ``make_vec(state=True)``.
    """

    id: str
    game: str
    version: int
    description: str
    seats: Annotated[int, Meta(ge=1, le=16)]
    teams: tuple[tuple[int, ...], ...]
    elimination: bool
    max_steps: int
    actions: tuple[Choice, ...]
    encodings: tuple[Encoding, ...]
    agents: tuple[str, ...]
    rules: dict[str, Any]
    counts: tuple[Name, ...] = ()
    rule_meanings: dict[str, str] = dataclasses.field(default_factory=dict)
    state: tuple[Field, ...] = ()
    agent_versions: dict[str, int] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for team in self.teams:
            if len(set(team)) < len(team) or not set(team) <= set(range(self.seats)):
                raise ValueError(f"{self.id} has teams {self.teams}, expected its {self.seats} seats")

    def __repr__(self) -> str:
        return f"<GameSpec {self.id}: {self.description}, {self.seats} seats>"

    @property
    def dead_leave(self) -> bool:
        """Whether an agent's episode ends with its death: always, except in games with teams."""
        return self.elimination and all(len(team) == 1 for team in self.teams)

    def encoding(self, name: str) -> Encoding:
        """Find an encoding by name.

        Raises:
            KeyError: there is no encoding of this name.
        """
        for encoding in self.encodings:
            if encoding.name == name:
                return encoding
        raise KeyError(f"no encoding {name!r}; there are {[e.name for e in self.encodings]}")

    def action_space(self) -> gymnasium.spaces.Discrete | gymnasium.spaces.MultiDiscrete:
        """Return the action space of one seat."""
        if len(self.actions) == 1:
            return gymnasium.spaces.Discrete(self.actions[0].n)
        return gymnasium.spaces.MultiDiscrete([choice.n for choice in self.actions])

    @classmethod
    def from_wire(cls, spec: dict[str, Any]) -> GameSpec:
        """Read the spec in a reply, where numbers may be floats and empty agents and rules nil."""
        try:
            named = {"rules": spec["rules"] or {}, "agents": spec["agents"] or []}
            meanings = spec.get("rule_meanings") or []
            named["rule_meanings"] = {entry["name"]: entry["meaning"] for entry in meanings}
            return msgspec.convert(spec | named, cls)
        except (msgspec.ValidationError, LookupError, TypeError, AttributeError, RecursionError) as e:
            raise ValueError(f"an invalid spec: {e}") from e
