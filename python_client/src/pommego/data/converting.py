"""Data sets in other libraries' forms: Minari, PyTorch."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any

import gymnasium
import numpy as np

from pommego.data.loading import load
from pommego.data.manifest import Manifest
from pommego.data.whole import Episode, episodes

_AT_ONCE = 256  # episodes passed to Minari at a time


def to_minari(
    path: str | os.PathLike[str],
    dataset_id: str,
    *,
    observation: str = "planes",
    agents: str | list[str] | None = None,
    won: bool = False,
    data_format: str = "arrow",
    **options: Any,
) -> Any:
    """Write a Minari data set, with an episode for each seat of each game.

    In a free-for-all a seat's episode ends with its death,
    as in a single environment; where seats share their team's result, with the game.
    ``recover_environment()`` of the result makes that environment, with the same rules and
    observations, against "simple"; ``recover_environment(opponents=[...])`` against others.

    Args:
        path: a data set.
        dataset_id: Minari's name for it, such as "pommerman/simple-v0".
        observation: the encoding to rebuild, for the layouts "games" and "dialogues".
        agents: only seats of these agents.
        won: only seats that won.
        data_format: "arrow", "hdf5" or "parquet", as in Minari.
        options: further options of `minari.create_dataset_from_buffers`, such as env.

    Returns:
        the `minari.MinariDataset`.

    Raises:
        ImportError: Minari is not installed.
    """
    try:
        import minari  # noqa: PLC0415, an extra
        from minari.data_collector import EpisodeBuffer  # noqa: PLC0415
    except ImportError as e:
        raise ImportError("to_minari needs Minari: pip install pommego[data] minari") from e
    manifest = Manifest.read(path)
    names = [agents] if isinstance(agents, str) else agents
    if manifest.layout != "steps":
        games = episodes(path, observation=observation)
    else:
        games, observation = episodes(path), manifest.json["observation"]
    env = manifest.json["env"]
    cut = env["elimination"] and all(len(team) == 1 for team in env["teams"])

    seats = (
        EpisodeBuffer(**_seat_episode(game, seat, cut))
        for game in games
        for seat in range(manifest.seats)
        if (not won or game.outcome[seat] > 0) and (names is None or game.agents[seat] in names)
    )
    if not (buffers := list(islice(seats, _AT_ONCE))):
        raise ValueError(f"{path} has no seats that `agents` and `won` select")
    options.setdefault("description", f"{manifest.env_id}, played by {', '.join(manifest.agents)}")
    played_by = manifest.make_options()
    name = f"pommego/{played_by.pop('id')}"
    with closing(gymnasium.make(name, observation=observation, **played_by)) as played:
        options.setdefault("env", played)
        made = minari.create_dataset_from_buffers(
            dataset_id,
            buffers,
            observation_space=played.observation_space,
            action_space=played.action_space,
            data_format=data_format,
            **options,
        )
    while buffers := list(islice(seats, _AT_ONCE)):
        made.update_dataset_from_buffer(buffers)
    return made


def _seat_episode(game: Episode, seat: int, cut: bool) -> dict[str, Any]:
    steps = int(game.alive[:-1, seat].sum()) if cut else len(game)
    ends = np.arange(steps) == steps - 1
    died = cut and not game.alive[steps, seat]
    return {
        "observations": {name: array[: steps + 1, seat].copy() for name, array in game.observations.items()},
        "actions": game.actions[:steps, seat].astype(np.int64),
        "rewards": game.rewards[:steps, seat].copy(),
        "terminations": ends & (game.terminated or died),
        "truncations": ends & (game.truncated and not died),
        "infos": {"legal": game.legal[np.minimum(np.arange(steps + 1), len(game) - 1), seat]},
    }


def torch_dataset(path: str | os.PathLike[str], **options: Any) -> Any:
    """Make a `torch.utils.data.IterableDataset` whose items are batches of tensors.

        for batch in DataLoader(data.torch_dataset("ffa-steps", batch_size=256, shuffle=0), batch_size=None):

    The data set makes the batches; each of the loader's workers reads different files.

    Args:
        path: a data set of layout "steps".
        options: as for `load`. `shuffle` gives each epoch another order; in workers the seed that PyTorch
            draws for them takes part. If workers are spawned, `where` must be a function that can be
            pickled, one defined in a module.

    Raises:
        ImportError: PyTorch is not installed.
    """
    try:
        import torch  # noqa: PLC0415, an extra
        from torch.utils.data import IterableDataset, get_worker_info  # noqa: PLC0415
    except ImportError as e:
        raise ImportError("torch_dataset needs PyTorch: pip install torch") from e

    class Batches(IterableDataset):
        """Batches of a data set."""

        epochs = 0

        def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
            fetcher = sys._getframe(1).f_locals.get("self")
            if getattr(fetcher, "auto_collation", False):
                raise ValueError("torch_dataset makes the batches: use DataLoader(..., batch_size=None)")
            worker = get_worker_info()
            loader = load(path, **options)
            loader.reseed(options.get("shuffle"), self.epochs, worker.seed if worker else 0)
            self.epochs += 1
            if worker is not None:
                loader.take_share(worker.id, worker.num_workers)
            for batch in loader:  # without columns that cannot be tensors, which have to be writable
                numbers = {name: array for name, array in batch.items() if array.dtype.kind in "biuf"}
                yield {name: torch.from_numpy(np.require(a, None, "CW")) for name, a in numbers.items()}

        def __reduce__(self) -> tuple[Any, ...]:
            """Recreate it in spawned workers, as on macOS and Windows and in some frameworks."""
            return partial(torch_dataset, path, **options), ()

    return Batches()
