"""Turns the raw encoding of a batch into the original's observation dictionaries.

    envs = pommego.make_vec("PommeTeamCompetition-v0", 64, observation="raw", opponents=["simple"] * 3)
    dictionaries = Dictionaries(envs.game_spec)
    obs, info = envs.reset(seed=0)
    for row, observation in enumerate(dictionaries(obs)):
        ...

The raw encoding is complete, so nothing is lost: keys, their order, types and dtypes
are those of the original.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.encoding import MAPS, places, raw_rows
from pommego.pommerman import constants
from pommego.spec import GameSpec

_AGENT0 = constants.Item.Agent0.value


class Dictionaries:
    """Turns a batch of raw observations into one dictionary for each row.

    Dictionaries of one batch share no memory with each other, as in the original: their
    arrays are views of different parts of the batch.

    Args:
        spec: the game, as `PommegoVectorEnv.game_spec` has it.

    Raises:
        ValueError: the game is not Pommerman, numbers its cell values differently, or has several rules.
    """

    def __init__(self, spec: GameSpec) -> None:
        if spec.game != "pommerman" or not spec.rules or spec.rules["skulls"]:
            raise ValueError(f"{spec.id}: Dictionaries needs one set of Pommerman's rules, without skulls")
        names = [name.name for name in spec.encoding("raw")["scalars"].names]
        self._spec = spec
        # Indices into the vector of scalars.
        self._body = slice(names.index("row"), names.index("can_kick") + 1)
        self._teammate = names.index("teammate")
        at = places(names)
        self._enemies, self._alive = at["enemy"], at["alive"]
        self._step_count = names.index("step_count")
        self._message = at.get("message", slice(0))  # empty without radio
        self._game_type = int(spec.rules["game_type"])
        self._game_env = spec.rules["game_env"]

    def __call__(self, obs: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
        """Return the observations of all rows.

        Args:
            obs: "maps", uint8 (rows, 5, n, n), and "scalars", int16 (rows, ...); else ValueError.
        """
        obs = raw_rows(obs, self._spec)
        scalars = obs["scalars"]
        positions = scalars[:, self._body][:, :2].astype(np.int64)  # the original's type
        boards, others = obs["maps"][:, 0].copy(), obs["maps"][:, 1:].astype(np.float64)
        parts = zip(scalars.tolist(), map(tuple, positions), boards, others, strict=True)
        return [self._dictionary(row, position, (board, *rest)) for row, position, board, rest in parts]

    def _dictionary(
        self, row: list[int], position: tuple[np.int64, np.int64], maps: tuple[NDArray[Any], ...]
    ) -> dict[str, Any]:
        _, _, ammo, blast, kicks = row[self._body]
        observation = {
            "alive": [_AGENT0 + seat for seat, lives in enumerate(row[self._alive]) if lives],
            **dict(zip(MAPS, maps, strict=True)),
            "game_type": self._game_type,
            "game_env": self._game_env,
            "position": position,
            "blast_strength": blast,
            "can_kick": bool(kicks),
            "teammate": _ITEMS[row[self._teammate]],
            "ammo": ammo,
            "enemies": [_ITEMS[enemy] for enemy in row[self._enemies]],
            "step_count": row[self._step_count],
        }
        if self._message.stop:
            observation["message"] = tuple(row[self._message])
        return observation


_ITEMS = list(constants.Item)  # by value
