"""From `raw` observations to `planes`, wherever the arrays are.

The server makes either. `raw` has fewer bytes, a third or less of those of
`planes`, so what learns on a device of its own can have `raw` sent there and make
the planes on it: with `pommego.torch.planes` and `pommego.jax.planes`, or here with
numpy. All of them give what the server does, to the byte.

Each game has a class that knows both encodings. It is written once for all
libraries: with the operators that their arrays share, and the few functions of
`Library` for what they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego._core.sight import Sight
from pommego.spec import GameSpec

__all__ = ["Library", "convert", "planes"]

Arrays = dict[str, Any]  # by the names of an encoding's fields

_MOST_SHARES = 1 << 20  # the tables have an entry for each


class Library(NamedTuple):
    """What libraries of arrays name differently.

    Attributes:
        table: a numpy array as one of the library's, on the device of another one.
        cast: an array with elements of the type of this name.
        join: arrays put together along an axis.
        pick: for each index along the last axis, the entry there.
        repeat: each entry along an axis so many times.
    """

    table: Callable[[NDArray[Any], Any], Any]
    cast: Callable[[Any, str], Any]
    join: Callable[[Sequence[Any], int], Any]
    pick: Callable[[Any, Any], Any]
    repeat: Callable[[Any, int, int], Any]


def _cast(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    return array.view(np.uint8) if array.dtype == np.bool_ and dtype == "uint8" else array.astype(dtype)


_NUMPY = Library(
    table=lambda table, _: table,
    cast=_cast,
    join=np.concatenate,
    pick=lambda array, index: np.take_along_axis(array, index, -1),
    repeat=np.repeat,
)


def planes(
    raw: Mapping[str, NDArray[Any]], spec: GameSpec, *, unfogged: bool = False
) -> dict[str, NDArray[Any]]:
    """Make `planes` observations of `raw` ones, as the server does.

    Args:
        raw: the fields of the encoding "raw" as `make_vec` gives them, or a data set
            has them, with any number of leading dimensions: for Pommerman "maps",
            uint8 (rows, 5, n, n), and "scalars", int16 (rows, ...). Fields that all
            seats of a game share may have games in place of rows in the last of
            them, as with ``expand_shared=False``.
        spec: the game, as `PommegoVectorEnv.game_spec` has it.
        unfogged: they are of the encoding "unfogged", which games with fog have: what
            each seat does not see is hidden first.

    Returns:
        "planes", uint8 (rows, planes, n, n), and "scalars", float32 (rows, ...).

    Raises:
        ValueError: these are no raw observations of this game.
        PommegoError: `unfogged`, but the game has no fog.
    """
    return convert(_NUMPY, raw, spec, unfogged)


def convert(library: Library, raw: Mapping[str, Any], spec: GameSpec, unfogged: bool) -> Arrays:
    """Do what `planes` does with a library's arrays."""
    key = (spec.id, *spec.rules.items())
    encoder = _encoders.get(key)
    if encoder is None:
        if spec.game not in _GAMES:
            raise ValueError(f"{spec.id} is a game of {spec.game!r}; planes are known of {sorted(_GAMES)}")
        encoder = _encoders[key] = _GAMES[spec.game](spec)
    rows = _rows(library, raw, spec)
    return encoder(library, encoder.hide(library, rows) if unfogged else rows)


def _rows(library: Library, raw: Mapping[str, Any], spec: GameSpec) -> Arrays:
    """Check the fields, and repeat for each row what a game has once."""
    fields = spec.encoding("raw").fields
    lead: tuple[int, ...] = ()
    for field in fields:
        shape = tuple(raw[field.name].shape) if field.name in raw else None
        if shape is None or shape[len(shape) - len(field.shape) :] != field.shape:
            wanted = {f.name: ("rows", *f.shape) for f in fields}
            got = {name: tuple(array.shape) for name, array in raw.items()}
            raise ValueError(f"raw observations of {spec.id} have {wanted}, got {got}")
        lead = max(lead, shape[: len(shape) - len(field.shape)])
    arrays = {}
    for field in fields:
        array = arrays[field.name] = raw[field.name]
        own = tuple(array.shape[: array.ndim - len(field.shape)])
        if own == lead:
            continue
        if len(own) != len(lead) or own[:-1] != lead[:-1] or lead[-1] % max(own[-1], 1):
            raise ValueError(f"raw {field.name!r} has leading dimensions {own}, others of {spec.id} {lead}")
        arrays[field.name] = library.repeat(array, lead[-1] // own[-1], len(lead) - 1)
    return arrays


def _shares(most: int) -> NDArray[np.float32]:
    """Return the share of each number, which no division on a device is sure to give.

    Raises:
        ValueError: no rule allows so many.
    """
    if not 0 < most <= _MOST_SHARES:
        raise ValueError(f"a rule that allows {most}, expected 1 to {_MOST_SHARES}")
    return np.arange(most + 1, dtype=np.float32) / np.float32(most)


def _values(*values: int) -> NDArray[np.uint8]:
    """Return values to compare maps with, a map each."""
    return np.array(values, np.uint8)[:, None, None]


class _Encoder:
    """Makes the observations of one game with one set of rules."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec, self.rules, self.seats = spec, spec.rules, spec.seats
        self.names = [name.name for name in spec.encoding("raw")["scalars"].names]

    def __call__(self, library: Library, raw: Arrays) -> Arrays:
        raise NotImplementedError

    @cached_property
    def sight(self) -> Sight:
        """What seats see of unfogged maps."""
        return Sight(self.spec)

    def hide(self, library: Library, rows: Arrays) -> Arrays:
        """Hide what each seat does not see."""
        sight, scalars, maps = self.sight, rows["scalars"], rows["maps"]
        row, col = (library.cast(scalars[..., k], "int32") for k in sight.position)
        at = (row * sight.cols + col).clip(0, sight.rows * sight.cols - 1)
        kept = maps & library.table(sight.kept, maps)[at]
        first = kept[..., :1, :, :] | library.table(sight.put, maps)[at]
        return rows | {"maps": library.join([first, kept[..., 1:, :, :]], -3)}

    def at(self, name: str) -> slice:
        """Where a scalar stands, or with "%d" in its name where all of them do, equally far apart."""
        stem, _, end = name.partition("%d")
        names = [name] if stem == name else [f"{stem}{k}{end}" for k in range(len(self.names))]
        places = [self.names.index(one) for one in names if one in self.names]
        step = places[1] - places[0] if len(places) > 1 else 1
        return slice(places[0], places[-1] + 1, step) if places else slice(0, 0)

    @staticmethod
    def share(library: Library, numbers: Any, shares: NDArray[np.float32]) -> Any:
        """Look the share of each number up; there is none beyond 1."""
        index = library.cast(numbers.clip(0, len(shares) - 1), "int32")
        return library.table(shares, numbers)[index]

    @staticmethod
    def order(library: Library, table: NDArray[np.int32], seats: Any) -> Any:
        """Take the row of each seat from a table of indices."""
        index = library.cast(seats.clip(0, len(table) - 1), "int32")
        return library.table(table, seats)[index]


def _cell(numbers: Any) -> Any:
    """Give numbers a row each the dimensions of maps."""
    return numbers[..., None, None, None]


class _Pommerman(_Encoder):
    WALLS = _values(0, 1, 2)  # passage, rigid, wood
    DIRECTIONS = _values(1, 2, 3, 4)
    ITEMS = _values(6, 7, 8, 9)  # extra_bomb, incr_range, kick, skull
    FOG = _values(5)

    def __init__(self, spec: GameSpec) -> None:
        super().__init__(spec)
        rules = self.rules
        self.agent0 = 11 if rules["skulls"] else 10
        self.alive, self.enemy, self.words = self.at("alive%d"), self.at("enemy%d"), self.at("message%d")
        # The values of the others on the board give the own seat away: nobody is one below agent 0.
        entries = 1 + self.enemy.stop - self.enemy.start
        nobody = entries - (self.seats - 1)
        self.sum = sum(range(self.seats)) + entries * self.agent0 - nobody
        mates = {seat: [m for m in team if m != seat] for team in spec.teams for seat in team}
        firsts = [[seat, *mates.get(seat, [])] for seat in range(self.seats)]
        self.others = np.array([f + [k for k in range(self.seats) if k not in f] for f in firsts], np.int32)
        self.ammo, self.step = _shares(rules["max_ammo"]), _shares(rules["max_steps"])
        self.blast = _shares(max(rules["max_blast_strength"], rules["start_blast_strength"]))
        self.side, self.word = _shares(rules["board_size"] - 1), _shares(max(rules["radio_vocab_size"], 1))

    def __call__(self, library: Library, raw: Arrays) -> Arrays:
        scalars = raw["scalars"]
        teammate = scalars[..., self.at("teammate")][..., 0]
        seat = self.sum - teammate - scalars[..., self.enemy].sum(-1)
        return {
            "planes": self.planes(library, raw["maps"], scalars, seat + self.agent0, teammate),
            "scalars": self.vector(library, scalars, seat),
        }

    def planes(self, library: Library, maps: Any, scalars: Any, me: Any, mate: Any) -> Any:
        def byte(array: Any) -> Any:
            return library.cast(array, "uint8")

        def each(cells: Any, values: NDArray[np.uint8]) -> Any:
            return byte(cells == library.table(values, cells))

        # A game that has broken is blank: no cell of it shows anything.
        blank = byte(scalars[..., self.at("game_type")] == 0)[..., None, None] * 128
        board, moving = maps[..., :1, :, :] | blank, maps[..., 3:4, :, :]
        self_, teammate = board == _cell(byte(me)), board == _cell(byte(mate))
        enemies = (board >= self.agent0) & (board < 16) & ~self_ & ~teammate
        return library.join(
            [
                each(board, self.WALLS),
                maps[..., 1:3, :, :],  # bomb_blast, bomb_life
                each(moving, self.DIRECTIONS),
                maps[..., 4:5, :, :],  # flame
                each(board, self.ITEMS),
                *(byte(self_), byte(teammate), byte(enemies)),
                each(board, self.FOG),
            ],
            -3,
        )

    def vector(self, library: Library, scalars: Any, seat: Any) -> Any:
        def number(name: str) -> Any:
            return scalars[..., self.at(name)]

        def share(name: str, shares: NDArray[np.float32]) -> Any:
            return self.share(library, number(name), shares)

        alive = library.pick(scalars[..., self.alive], self.order(library, self.others, seat))
        lives = library.cast(alive, "float32")
        return library.join(
            [
                lives[..., :1],
                *(share("ammo", self.ammo), share("blast_strength", self.blast)),
                library.cast(number("can_kick"), "float32"),
                *(share("row", self.side), share("col", self.side), share("step_count", self.step)),
                lives[..., 1:],
                self.share(library, scalars[..., self.words], self.word),
            ],
            -1,
        )


class _BaseWar(_Encoder):
    BITS = np.array([1, 2, 4, 8, 16, 32], np.uint8)
    BOTH = np.array([[0, 1], [1, 0]], np.int32)

    def __init__(self, spec: GameSpec) -> None:
        super().__init__(spec)
        rules = self.rules
        self.sides = rules["sides"]
        self.middle = rules["board_size"] // 2
        # The bombers as a seat counts them: its own, its side's others, then the enemies.
        first = [[seat] if not self.sides else [] for seat in range(self.seats)]
        sides = [[*range(seat & 1, 6, 2), *range(1 - (seat & 1), 6, 2)] for seat in range(self.seats)]
        order = [f + [k for k in s if k not in f] for f, s in zip(first, sides, strict=True)]
        self.bombers = np.array(order, np.int32)
        self.groups = [slice(0, 1), slice(1, 2), slice(2, 3)] if self.sides else [slice(0, 1), slice(1, 3)]
        self.groups.append(slice(3, 6))
        most = max(1, rules["num_boxes"] * rules["box_points"] + 3 * rules["death_points"])
        self.step, self.score = _shares(rules["max_steps"]), _shares(most)
        self.energy = _shares(rules["base_energy"])
        side = _shares(rules["board_size"] - 1)
        self.of_bomber = {
            "lives": _shares(rules["lives"]),
            "bombs": _shares(rules["bombs"]),
            "row": side,
            "col": side,
        }

    def __call__(self, library: Library, raw: Arrays) -> Arrays:
        seat, side = raw["self"][..., 0], raw["self"][..., 1]
        scalars, order = raw["scalars"], self.order(library, self.bombers, seat)
        both = self.order(library, self.BOTH, side)
        energy, score = (
            library.pick(scalars[..., self.of_sides(what)], both) for what in ("energy", "score")
        )
        shares = [
            self.share(library, library.pick(scalars[..., self.at(f"bomber%d_{what}")], order), of)[..., None]
            for what, of in self.of_bomber.items()
        ]
        each = library.join(shares, -1)
        parts = [
            self.share(library, scalars[..., :1], self.step),
            self.share(library, score, self.score),
            self.share(library, energy, self.energy),
            each.reshape(*each.shape[:-2], 24),
        ]
        return {
            "planes": self.planes(library, raw["maps"], side, energy, order),
            "scalars": library.join(parts, -1),
        }

    def of_sides(self, what: str) -> slice:
        """Where blue and green have this."""
        blue, green = self.names.index(f"blue_{what}"), self.names.index(f"green_{what}")
        return slice(blue, green + 1, green - blue)

    def planes(self, library: Library, maps: Any, side: Any, energy: Any, order: Any) -> Any:
        def byte(array: Any) -> Any:
            return library.cast(array, "uint8")

        board, life, owners, bombers, blast = (maps[..., k : k + 1, :, :] for k in range(5))
        # Of a game that has broken the board is blank: even the bases are missing.
        blank = byte(board[..., self.middle : self.middle + 1, :1] != 3) * 128
        ground = board | blank
        green = owners & 0b101010 != 0
        public = green & (owners & 0b010101 != 0)
        ours = green == (_cell(side) == 1)
        single = (life != 0) & ~public
        own_base, enemy_base = (
            byte(board == _cell(byte(base))) * _cell(byte(energy[..., k]))
            for k, base in enumerate((side + 3, 4 - side))
        )
        bits = library.table(self.BITS, order)[order]
        there = byte(bombers & bits[..., None, None] != 0)
        counts = [byte(there[..., group, :, :].sum(-3)[..., None, :, :]) for group in self.groups]
        return library.join(
            [
                *(byte(ground == 0), byte(board == 1), byte(board == 2), blast, life, byte(public)),
                *(byte(single & ours), byte(single & ~ours), own_base, enemy_base),
                *counts,
            ],
            -3,
        )


class _SuiteBot(_Encoder):
    def __init__(self, spec: GameSpec) -> None:
        super().__init__(spec)
        rules = self.rules
        seats = np.arange(self.seats, dtype=np.int32)
        self.turns = (seats[:, None] + seats) % self.seats
        self.col, self.row = _shares(rules["width"] - 1), _shares(rules["height"] - 1)
        self.step = _shares(rules["rounds"])
        self.point = float(np.float32(1) / np.float32(rules["width"] * rules["height"]))
        self.scores = self.at("score%d")

    def __call__(self, library: Library, raw: Arrays) -> Arrays:
        seat, x, y, step = (raw["scalars"][..., k : k + 1] for k in range(4))
        turns = self.order(library, self.turns, seat[..., 0])
        scores = library.pick(raw["scalars"][..., self.scores], turns)
        vector = [
            self.share(library, x, self.col),
            self.share(library, y, self.row),
            self.share(library, step, self.step),
            library.cast(scores, "float32") * self.point,
        ]
        return {"planes": self.planes(library, raw["maps"], seat), "scalars": library.join(vector, -1)}

    def planes(self, library: Library, maps: Any, seat: Any) -> Any:
        def byte(array: Any) -> Any:
            return library.cast(array, "uint8")

        def enemy(seats: Any) -> Any:
            """The numbers of enemies, counted from the seat, of seats plus 1; bytes wrap round."""
            return byte(seats != 0) * (seats - own + byte(seats < own) * self.seats)

        own = byte(seat + 1)[..., None, None]
        field, agent, home, rounds, owner = (maps[..., k : k + 1, :, :] for k in range(5))
        mine = owner == own
        # A game that has broken is blank: not even home bases are there.
        there = byte((home != 0).any(-1).any(-1))[..., None, None]
        shown = [
            *(byte(field == 0) * there, byte(agent == own), enemy(agent)),
            *(byte(home == own), enemy(home)),
            *(rounds * byte(mine), rounds * byte(~mine), enemy(owner)),
        ]
        if self.rules["view_radius"]:
            shown.append(byte(field == 2) * there)
        return library.join(shown, -3)


_GAMES = {"pommerman": _Pommerman, "basewar": _BaseWar, "suitebot": _SuiteBot}
_encoders: dict[tuple[Any, ...], _Encoder] = {}
