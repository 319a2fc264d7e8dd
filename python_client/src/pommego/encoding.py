"""From `raw` observations of Pommerman to `planes`, wherever the arrays are.

The server makes either. `raw` has at most a third of the bytes of `planes`. A learner on an
accelerator therefore requests `raw`, sends it to the device and makes the planes there, with
`pommego.torch.planes` or `pommego.jax.planes`. `pommego.planes` does the same with numpy. All return
the same bytes as the server.

The encoder is written once for all libraries, with the operators that their arrays share, and the
functions of `Library` for the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pommego._core.rows import fields_of
from pommego.errors import PommegoError
from pommego.spec import GameSpec

Arrays = dict[str, Any]  # by the names of an encoding's fields

_MOST_SHARES = 1 << 20  # entries of a table of shares
_LONGEST_SIDE = 64  # cells: the tables of what is seen grow with the square of the board

#: A seat's maps in the encoding "raw", in the order of the original's keys.
MAPS = ("board", "bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life")
_UNFOGGED = "unfogged"  # the encoding with the maps of "raw" without fog, once for all seats of a game


class Library(NamedTuple):
    """The functions for which libraries of arrays have different names."""

    table: Callable[[NDArray[Any], Any], Any]  # a numpy array as the library's, on another's device
    cast: Callable[[Any, str], Any]  # an array with elements of the type of this name
    join: Callable[[Sequence[Any], int], Any]  # arrays put together along an axis
    pick: Callable[[Any, Any], Any]  # for each index along the last axis, the entry there
    repeat: Callable[[Any, int, int], Any]  # each entry along an axis so many times


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
    """Make `planes` observations of `raw` ones of Pommerman, as the server does.

    Args:
        raw: the fields of the encoding "raw" as `make_vec` gives them, or a data set
            has them, with any number of leading dimensions: "maps", uint8 (rows, 5, n, n),
            and "scalars", int16 (rows, ...). Fields that all seats of a game share may have games
            in place of rows in the last of the leading dimensions, as with ``expand_shared=False``.
        spec: the game, as `PommegoVectorEnv.game_spec` has it.
        unfogged: whether `raw` has the encoding "unfogged". Then what each seat does not see is hidden first.

    Returns:
        "planes", uint8 (rows, planes, n, n), and "scalars", float32 (rows, ...).

    Raises:
        ValueError: these are not raw observations of this game, or it is not Pommerman.
        PommegoError: `unfogged`, but the game has no fog.
    """
    return convert(_NUMPY, raw, spec, unfogged)


def convert(library: Library, raw: Mapping[str, Any], spec: GameSpec, unfogged: bool) -> Arrays:
    """Do the same as `planes` with a library's arrays."""
    key = (spec.id, *spec.rules.items())
    encoder = _encoders.get(key)
    if encoder is None:
        encoder = _encoders[key] = _Encoder(spec)
    rows = raw_rows(raw, spec, library)
    return encoder(library, encoder.hide(library, rows) if unfogged else rows)


def raw_rows(raw: Mapping[str, Any], spec: GameSpec, library: Library = _NUMPY) -> Arrays:
    """Check the fields, and repeat fields that a game has once for each of its rows."""
    fields = spec.encoding("raw").fields
    lead: tuple[int, ...] = ()
    raw = fields_of(raw)
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


def places(names: Sequence[str]) -> dict[str, slice]:
    """Return where each name stands; names with numbers behind them stand one after the other."""
    stems = [name.rstrip("0123456789") for name in names]
    return {stem: slice(at := stems.index(stem), at + stems.count(stem)) for stem in stems}


def _shares(most: int) -> NDArray[np.float32]:
    """Return number / most for 0 to most. A device's own division may round differently."""
    if not 0 < most <= _MOST_SHARES:
        raise ValueError(f"a rule allows {most}, expected 1 to {_MOST_SHARES}")
    return np.arange(most + 1, dtype=np.float32) / np.float32(most)


def _values(*values: int) -> NDArray[np.uint8]:
    """Return values in a shape in which each is compared with a whole map."""
    return np.array(values, np.uint8)[:, None, None]


def _entry(library: Library, numbers: Any, table: NDArray[Any]) -> Any:
    """Look numbers up in a table; its last entry is for all larger numbers."""
    index = library.cast(numbers.clip(0, len(table) - 1), "int32")
    return library.table(table, numbers)[index]


def _cell(numbers: Any) -> Any:
    """Reshape numbers, one row per seat, so that they combine with maps."""
    return numbers[..., None, None, None]


class _Encoder:
    """Makes the observations of Pommerman with one set of rules."""

    WALLS = _values(0, 1, 2)  # passage, rigid, wood
    DIRECTIONS = _values(1, 2, 3, 4)
    ITEMS = _values(6, 7, 8, 9)  # extra_bomb, incr_range, kick, skull
    FOG = _values(5)

    def __init__(self, spec: GameSpec) -> None:
        rules, raw, seats = spec.rules, spec.encoding("raw"), spec.seats
        if not rules:
            raise ValueError(
                "planes are made by one set of rules, not of games with several: observe 'planes'"
            )
        if tuple(name.name for name in raw["maps"].names) != MAPS:
            raise ValueError(f"planes can be made of Pommerman alone, not {spec.id}: observe 'planes' there")
        self.spec, self.at = spec, places([name.name for name in raw["scalars"].names])
        self.agent0 = 11 if rules["skulls"] else 10
        self.alive, self.enemy = self.at["alive"], self.at["enemy"]
        self.words = self.at.get("message", slice(0))  # empty without radio
        # The values of the others on the board give the own seat away: nobody is one below agent 0.
        entries = 1 + self.enemy.stop - self.enemy.start
        nobody = entries - (seats - 1)
        self.sum = sum(range(seats)) + entries * self.agent0 - nobody
        mates = {seat: [m for m in team if m != seat] for team in spec.teams for seat in team}
        firsts = [[seat, *mates.get(seat, [])] for seat in range(seats)]
        self.others = np.array([f + [k for k in range(seats) if k not in f] for f in firsts], np.int32)
        self.ammo, self.step = _shares(rules["max_ammo"]), _shares(rules["max_steps"])
        self.blast = _shares(max(rules["max_blast_strength"], rules["start_blast_strength"]))
        self.side, self.word = _shares(rules["board_size"] - 1), _shares(max(rules["radio_vocab_size"], 1))

    @cached_property
    def masks(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """What a seat sees from each cell: 255 where maps are kept, and the fog put elsewhere."""
        if all(encoding.name != _UNFOGGED for encoding in self.spec.encodings):
            raise PommegoError(f"{self.spec.id} has no fog: leave out unfogged=True")
        rules = self.spec.rules
        n, ahead = rules["board_size"], max(rules["agent_view_size"], 0)
        if not 0 < n <= _LONGEST_SIDE:
            raise PommegoError(f"{self.spec.id} has {n} rows, expected at most {_LONGEST_SIDE}")
        away = np.arange(n) - np.arange(n)[:, None]
        near = (away >= (1 if rules.get("step") == "2018" else 0) - ahead) & (away <= ahead)
        seen = (near[:, None, :, None] & near[None, :, None, :]).reshape(n * n, 1, n, n)
        return np.where(seen, np.uint8(255), np.uint8(0)), np.where(seen, np.uint8(0), self.FOG)

    def hide(self, library: Library, rows: Arrays) -> Arrays:
        """Hide what each seat does not see."""
        scalars, maps, (kept, fog) = rows["scalars"], rows["maps"], self.masks
        row, col = (library.cast(scalars[..., self.at[side]][..., 0], "int32") for side in ("row", "col"))
        at = (row * fog.shape[-1] + col).clip(0, len(fog) - 1)
        shown = maps & library.table(kept, maps)[at]
        board = shown[..., :1, :, :] | library.table(fog, maps)[at]
        return rows | {"maps": library.join([board, shown[..., 1:, :, :]], -3)}

    def __call__(self, library: Library, raw: Arrays) -> Arrays:
        scalars = raw["scalars"]
        teammate = scalars[..., self.at["teammate"]][..., 0]
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
        blank = byte(scalars[..., self.at["game_type"]] == 0)[..., None, None] * 128
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
            return scalars[..., self.at[name]]

        def share(name: str, shares: NDArray[np.float32]) -> Any:
            return _entry(library, number(name), shares)

        order = _entry(library, seat, self.others)
        alive = library.pick(scalars[..., self.alive], order)
        lives = library.cast(alive, "float32")
        return library.join(
            [
                lives[..., :1],
                *(share("ammo", self.ammo), share("blast_strength", self.blast)),
                library.cast(number("can_kick"), "float32"),
                *(share("row", self.side), share("col", self.side), share("step_count", self.step)),
                lives[..., 1:],
                _entry(library, scalars[..., self.words], self.word),
            ],
            -1,
        )


_encoders: dict[tuple[Any, ...], _Encoder] = {}
