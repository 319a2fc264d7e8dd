"""Joins batches, of several messages or several servers, and takes rows out of them."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego._core.batch import View


def together(parts: list[Any]) -> Any:
    """Join arrays, or dictionaries of them, rows first."""
    if parts[0] is None:
        return None
    if isinstance(parts[0], dict):
        return type(parts[0])((name, together([part[name] for part in parts])) for name in parts[0])
    return np.concatenate(parts)


def join_batches(views: list[View]) -> View:
    """Join the batches of several environments into that of one with all of their games, in this order.

    The result's arrays can be written to.
    """
    filled = next((view.stats for view in views if view.stats), {})
    views = [replace(view, stats=view.stats or _no_statistics(filled, len(view.reward))) for view in views]
    if len(views) == 1 and views[0].reward.flags.writeable:
        return views[0]
    each = {f.name: [getattr(view, f.name) for view in views] for f in fields(View)}
    first = np.cumsum([0, *(len(view.seed) for view in views[:-1])])
    each["finished"] = [at + view.finished for at, view in zip(first, views, strict=True)]
    each["final"] = [final for final in each["final"] if final] or [{}]
    return View(**{name: together(parts) for name, parts in each.items()})


def _no_statistics(like: dict[str, NDArray[Any]], rows: int) -> dict[str, NDArray[Any]]:
    return {name: np.zeros((rows, *array.shape[1:]), array.dtype) for name, array in like.items()}


def keep_rows(x: Any, games: int, learners: int, rows: slice, *, copy: bool, expand: bool = False) -> Any:
    """Keep some rows of each game, in an array with rows first or a dict of such arrays.

    An array with games first stays as it is; with `expand` it is repeated for each row kept.
    """
    if isinstance(x, dict):
        kept = {n: keep_rows(v, games, learners, rows, copy=copy, expand=expand) for n, v in x.items()}
        return type(x)(kept)
    if not isinstance(x, np.ndarray) or not x.ndim:
        return x
    if len(x) == games * learners:
        kept = x.reshape(games, learners, *x.shape[1:])[:, rows].reshape(-1, *x.shape[1:])
        return kept.copy() if copy and np.may_share_memory(kept, x) else kept
    if expand and len(x) == games:
        return np.repeat(x, len(range(learners)[rows]), axis=0)
    return x


def take_rows(x: Any, rows: NDArray[np.intp]) -> Any:
    """Take rows, in ascending order, of an array or of a dict of such arrays; all of them without a copy."""
    if isinstance(x, np.ndarray):
        return x[rows] if len(rows) < len(x) else x
    return {name: take_rows(part, rows) for name, part in x.items()}
