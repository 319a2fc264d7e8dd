"""Thousands of Pommerman games, stepped together.

`make_vec` makes a gymnasium vector environment, `make` a single environment,
`parallel_env` one of PettingZoo. `Server` is a server that several environments share,
`catalog` lists the games. Importing this package registers the
games with gymnasium under their id with the prefix "pommego/".

Adapters to other frameworks are modules of their own (`pommego.pettingzoo`,
`pommego.sb3`, `pommego.torchrl`, `pommego.rllib`), which import their framework only
when they are imported themselves. `pommego.ray` runs on a Ray cluster. `planes` makes `planes`
observations from `raw` ones; `pommego.torch` and `pommego.jax` do so on a device. `pommego.llm` is for
language models, `pommego.pommerman` the API of the original, `pommego.data` reads and writes data sets.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from gymnasium.vector import AutoresetMode

from pommego import errors
from pommego import registration as _registration
from pommego.errors import *  # noqa: F403, all of them

if TYPE_CHECKING:
    from pommego._core.connecting import Connection
    from pommego._core.describing import catalog
    from pommego._core.opponents import LineUps
    from pommego._core.saved import Simulation, Starts
    from pommego._version import __version__
    from pommego.encoding import planes
    from pommego.evaluation import check_result, evaluate
    from pommego.making import make, make_vec
    from pommego.networks import load
    from pommego.pettingzoo import parallel_env as parallel_env
    from pommego.pool import Pool
    from pommego.results import Evaluation, Interval
    from pommego.server import Server
    from pommego.single import PommegoEnv
    from pommego.spec import GameSpec, Result
    from pommego.state import State
    from pommego.tournaments import Tournament, tournament
    from pommego.vector import PommegoVectorEnv
    from pommego.watching import Video, watch

__all__ = [  # noqa: RUF022, the order of the API reference
    "make_vec",
    "make",
    "catalog",
    "evaluate",
    "check_result",
    "Evaluation",
    "Interval",
    "tournament",
    "Tournament",
    "load",
    "watch",
    "Video",
    "planes",
    "PommegoVectorEnv",
    "PommegoEnv",
    "AutoresetMode",
    "Connection",
    "LineUps",
    "Pool",
    "Starts",
    "GameSpec",
    "Result",
    "Server",
    "Simulation",
    "State",
    "__version__",
]
__all__ += errors.__all__

_registration.register()

#: The names that are loaded on first use, by their modules.
_LATER = {
    "_core.connecting": ("Connection",),
    "_core.describing": ("catalog",),
    "_core.opponents": ("LineUps",),
    "_core.saved": ("Simulation", "Starts"),
    "_version": ("__version__",),
    "encoding": ("planes",),
    "evaluation": ("check_result", "evaluate"),
    "making": ("make", "make_vec"),
    "networks": ("load",),
    "pettingzoo": ("parallel_env",),
    "pool": ("Pool",),
    "results": ("Evaluation", "Interval"),
    "server": ("Server",),
    "single": ("PommegoEnv",),
    "spec": ("GameSpec", "Result"),
    "state": ("State",),
    "tournaments": ("Tournament", "tournament"),
    "vector": ("PommegoVectorEnv",),
    "verifiers": ("PommegoTalk", "PommegoTaskset", "PommegoVerifier"),
    "watching": ("Video", "watch"),
}
_MODULES = {name: module for module, names in _LATER.items() for name in names}
if "verifiers" in sys.modules:  # it looks for its classes among the public names
    __all__.extend(_LATER["verifiers"])

#: What each adapter needs, as pip knows it: an extra of its own name, or the framework.
_EXTRAS = ("pettingzoo", "ray", "rllib", "sb3", "torchrl", "verifiers")
_ADAPTERS = {name: f"pommego[{name}]" for name in _EXTRAS} | {"jax": "jax", "torch": "torch"}


def __getattr__(name: str) -> Any:
    """Load a public name, a module, or an adapter and with it its framework, on first use."""
    module = _MODULES.get(name, name)
    try:
        value = importlib.import_module(f"pommego.{module}")
    except ModuleNotFoundError as e:
        if e.name == f"pommego.{module}":
            raise AttributeError(f"module 'pommego' has no attribute {name!r}") from None
        missing, words = (e.name or "").partition(".")[0], str(e)
        if module in _ADAPTERS:
            words = f"pommego.{module} needs {missing}: pip install '{_ADAPTERS[module]}'"
        # So that hasattr(), help() and inspect work. `from pommego import NAME` would then not say why.
        if sys._getframe(1).f_code.co_name == "_handle_fromlist":
            raise ModuleNotFoundError(words, name=e.name) from e
        raise AttributeError(words) from e
    if name in _MODULES:
        value = globals()[name] = getattr(value, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_ADAPTERS})
