"""Tests of the adapters with the frameworks themselves, which are heavy: `make test-integrations`.

A test is skipped where its framework is not installed.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).resolve().parents[1] / "tests"

sys.path.insert(0, str(Path(__file__).parent))


def _load(name: str) -> ModuleType:
    """Import tests/conftest.py under a name of its own, since this file has that one."""
    spec = importlib.util.spec_from_file_location(name, TESTS / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_fixtures = _load("client_fixtures")
binary, server, vec, single = (getattr(_fixtures, name) for name in ("binary", "server", "vec", "single"))

if importlib.util.find_spec("torch"):
    import torch

    torch.set_num_threads(1)
