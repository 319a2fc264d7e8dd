"""Makes this package importable as ``pommerman``, in this process and in those it starts."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

__all__ = ["IMPORT_PATH", "install"]

_ALIAS = "pommerman"
_REAL = __name__.rpartition(".")[0]

#: A folder with nothing but a module `pommerman`, which is this package. On
#: PYTHONPATH it makes programs that import pommerman run as they are.
IMPORT_PATH = str(Path(__file__).parent / "import_path")


def install() -> None:
    """Implement `install_as_pommerman`.

    Raises:
        ImportError: another package of that name has been imported already.
    """
    here = sys.modules[_REAL]
    if sys.modules.setdefault(_ALIAS, here) is not here:
        raise ImportError("another pommerman has been imported already: call this first")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    if IMPORT_PATH not in sys.path:  # which multiprocessing passes on to spawned processes
        sys.path.insert(0, IMPORT_PATH)


class _Finder(MetaPathFinder, InspectLoader):
    """Finds this package's modules by the name pommerman; each exists once, under both names."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name != _ALIAS and not name.startswith(f"{_ALIAS}."):
            return None
        real = importlib.util.find_spec(_real(name))
        if real is None:
            return None
        package = real.submodule_search_locations is not None
        return ModuleSpec(name, self, origin=real.origin, is_package=package)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module that the import made by the real one, which it then returns."""
        sys.modules[module.__name__] = importlib.import_module(_real(module.__name__))

    def get_code(self, name: str) -> CodeType | None:
        """Return the code for ``python -m`` to run."""
        real = importlib.util.find_spec(_real(name))
        return real.loader.get_code(real.name) if real else None

    def get_source(self, name: str) -> str | None:
        real = importlib.util.find_spec(_real(name))
        return real.loader.get_source(real.name) if real else None


def _real(name: str) -> str:
    return _REAL + name.removeprefix(_ALIAS)
