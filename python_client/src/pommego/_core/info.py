"""The info of batches: which episodes began and ended, and which rows a step was made for.

As in gymnasium's own vector environments, each key of an info dictionary has a mask, under
the key's name with an underscore before it.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import ENDED, Lazy, Observation, View, WithMasks, where
from pommego._core.rows import row_obs, rows_of
from pommego._core.session import About
from pommego.spec import Name, Result

NO_EPISODE = np.uint64(2**64 - 1)  # in place of an episode's number, if there is none


class InfoMaker:
    """Completes the info of each batch of an environment from the batches before it."""

    def __init__(self, about: About) -> None:
        games, self._learners = about.made.games, about.learners
        self._rows, self._counts = about.games * about.learners, about.spec.counts
        self._final = about.made.autoreset_mode == "SameStep"
        self._all = np.ones(self._rows, np.bool_)
        self._every = np.arange(games, dtype=np.int32) if about.lists_rows else None
        # If batches list their rows: the games and the rows of the last one.
        self.held = np.zeros(0, np.int32), b""
        self._episode = np.zeros(games, np.uint64)
        self._episode_bytes = self._episode.tobytes()  # the same as bytes, which compare fastest
        self._alive = np.zeros(games * about.learners, np.bool_)  # as in the last batch

    def of_reset(self, view: View, mask: NDArray[np.bool_] | None) -> dict[str, Any]:
        if view.games is not None:
            self._episode[:] = NO_EPISODE  # all episodes have begun
            return self.of_step(view)
        begun = np.ones(len(self._episode), np.bool_) if mask is None else mask
        began = self._began(view, begun, np.zeros(self._rows, np.bool_))
        return Lazy(self.of_no_step(view) | began)

    def of_no_step(self, view: View) -> dict[str, Any]:
        self._episode, self._episode_bytes = view.episode.copy(), view.episode.tobytes()
        self._alive = view.info["alive"].copy()
        info = view.info | {"valid": np.zeros(self._rows, np.bool_), "_valid": self._all.copy()}
        if self._every is not None:
            info |= {"row": rows_of(self._every, self._learners), "_row": self._all.copy()}
        return info

    def of_step(self, view: View) -> dict[str, Any]:
        info, games = view.info, self._every if view.games is None else view.games
        if games is None:
            valid, self._alive = self._alive, info["alive"].copy()
            shown, before = view.episode.tobytes(), self._episode
            begins = shown != self._episode_bytes
            if begins:
                self._episode, self._episode_bytes = view.episode.copy(), shown
        else:
            rows = rows_of(games, self._learners)
            valid, self._alive[rows] = self._alive[rows], info["alive"]
            before = self._episode[games]
            begins = view.episode.tobytes() != before.tobytes()
            if begins:
                self._episode[games] = view.episode
            info["row"], info["_row"] = rows, self._all.copy()
            self.held = games, rows.tobytes()
        info["valid"], info["_valid"] = valid, self._all.copy()
        if begins:
            info |= self._began(view, view.episode != before, valid)
        if view.finished.size:
            game = episode_info(view.stats, self._counts)
            info |= game
            if self._final:
                info |= final_info(view, valid, game, self._learners, self._rows)
        return Lazy(info)

    def _began(self, view: View, begun: NDArray[np.bool_], alive: NDArray[np.bool_]) -> dict[str, Any]:
        """Return which episodes began, for a `Lazy` info; in games that only reset, no row is valid."""
        numbers = {"seed": view.seed.tobytes(), "episode_number": view.episode.tobytes()}
        stepped = (view.terminated | view.truncated) if self._final else np.False_

        def entry(name: str) -> NDArray[Any]:
            if name in numbers:
                return where(begun, np.frombuffer(numbers[name], np.uint64), self._learners)
            mask = begun.repeat(self._learners)
            return alive > (mask > stepped) if name == "valid" else mask

        return dict.fromkeys(("seed", "_seed", "episode_number", "_episode_number", "valid"), partial(entry))


def episode_info(stats: dict[str, Any], counts: Sequence[Name]) -> dict[str, Any]:
    """Return the statistics of the episodes that ended, for a `Lazy` info; counts are under their names."""

    def entry(name: str) -> Any:
        mask = stats[ENDED]
        if name == "_game":
            return mask.copy()
        named = {name: array for name, array in stats.items() if name not in (ENDED, "counts")}
        if "counts" in stats:
            columns = np.moveaxis(stats["counts"], -1, 0)
            named |= {count.name: own for count, own in zip(counts, columns, strict=True)}
        named["won"] = stats["result"] == Result.WON
        return named | {f"_{name}": mask.copy() for name in named}

    return dict.fromkeys(("game", "_game"), partial(entry))


def final_info(
    view: View, valid: NDArray[np.bool_], game: dict[str, Any], learners: int, rows: int
) -> dict[str, Any]:
    """Return the final observations and their info in gymnasium's form for SAME_STEP, for a `Lazy` info."""
    finished, shown = view.finished, view.final
    at = rows_of(finished, learners)
    mask = np.zeros(rows, np.bool_)
    mask[at] = True
    valid = valid & mask

    @cache
    def entry(name: str) -> Any:
        return _spread(shown[name], finished, learners, rows)

    def last(_: str) -> Lazy:
        masks = {f"_{name}": mask.copy() for name in (*shown, "game", "valid")}
        return Lazy(dict.fromkeys(shown, partial(entry)) | game | {"valid": valid} | masks)

    def final_obs(_: str) -> NDArray[Any]:
        obs = np.full(rows, None, dtype=object)
        for row in at.tolist():
            obs[row] = row_obs(entry("obs"), row, rows)
        return obs

    return {
        "final_obs": partial(final_obs),
        "_final_obs": mask.copy(),
        "final_info": partial(last),
        "_final_info": mask.copy(),
    }


def _spread(shown: Observation, games: NDArray[Any], learners: int, rows: int) -> Observation:
    """Put the values of some games into arrays for all rows, or for all games if there is one per game."""
    if not isinstance(shown, np.ndarray):
        return WithMasks((name, _spread(array, games, learners, rows)) for name, array in shown.items())
    by_rows = len(shown) == len(games) * learners
    whole = np.zeros((rows if by_rows else rows // learners, *shown.shape[1:]), shown.dtype)
    whole[rows_of(games, learners if by_rows else 1)] = shown
    return whole
