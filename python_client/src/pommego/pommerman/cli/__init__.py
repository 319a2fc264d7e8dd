"""The original's command line: `run_battle`."""

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import `run_battle` on first use, so that ``python -m`` can run it."""
    if name == "run_battle":
        return importlib.import_module(f"{__name__}.run_battle")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
