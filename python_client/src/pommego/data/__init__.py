"""Data sets of played games: read them, rebuild their observations, record your own.

    from pommego import data

    for batch in data.load("steps", columns=["obs_planes", "action"]):
        train(batch["obs_planes"], batch["action"])

A data set is a folder that ``pommego generate`` made (or `record`, with your own
agents). In layout "steps" a row is a step of one seat; `load` streams the rows. In
layout "games" a row is a game, stored compactly, and `rebuild` replays it to
get the observations of its seats, byte for byte. In layout "dialogues" a row is a step
of one seat as chat, for language models. `episodes` yields whole games of any.

`states` gives positions of played games, for episodes to begin in.

`to_minari` writes a Minari data set, `torch_dataset` feeds PyTorch; Hugging Face's
``load_dataset("parquet", data_files="steps/data/*.parquet")`` reads the files
directly. `verify` checks every byte against the checksums.

Reading needs pyarrow: ``pip install pommego[data]``.
"""

from pommego.data.converting import to_minari, torch_dataset
from pommego.data.loading import Loader, load
from pommego.data.manifest import Column, DamagedError, Manifest, verify
from pommego.data.recording import record
from pommego.data.whole import Episode, episodes, rebuild, states

__all__ = [
    "Column",
    "DamagedError",
    "Episode",
    "Loader",
    "Manifest",
    "episodes",
    "load",
    "rebuild",
    "record",
    "states",
    "to_minari",
    "torch_dataset",
    "verify",
]
