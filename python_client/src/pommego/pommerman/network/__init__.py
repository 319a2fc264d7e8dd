"""Matches over a network: a `server` that brings players together, and a `client` that plays for one.

They use the original's protocol, so each also works with the original's client or server:
messages are JSON over WebSocket, each with an intent, a number of `messages.Intent`.
Observations and replays are sent as binary messages, compressed with gzip, everything else
as text.

python -m pommego.pommerman.network.server --port 5050 --mode PommeFFACompetition-v0
python -m pommego.pommerman.network.client --server 127.0.0.1:5050 --agent my.module.MyAgent

For training use `pommego serve`, and for matches between programs `pommego tournament`.
"""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["client", "server"]


def __getattr__(name: str) -> ModuleType:
    """Import `client` or `server` on first use."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
