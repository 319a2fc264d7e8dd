"""Adapters are imported when somebody asks for them, and say what they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pommego

FRAMEWORKS = {
    "jax": ("jax", "jax"),
    "pettingzoo": ("pettingzoo", "pommego[pettingzoo]"),
    "ray": ("ray", "pommego[ray]"),
    "rllib": ("ray", "pommego[rllib]"),
    "sb3": ("stable_baselines3", "pommego[sb3]"),
    "torch": ("torch", "torch"),
    "torchrl": ("torch", "pommego[torchrl]"),
}


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lazily() -> None:
    frameworks = {framework for framework, _ in FRAMEWORKS.values()}
    run(
        "import sys, pommego\n"
        f"assert not {frameworks} & set(sys.modules)\n"
        "pommego.parallel_env\n"
        "assert 'pettingzoo' in sys.modules"
    )


@pytest.mark.parametrize("adapter", FRAMEWORKS)
@pytest.mark.parametrize("how", ["pommego.{}", "from pommego import {}"])
def test_what_is_missing(adapter: str, how: str) -> None:
    framework, package = FRAMEWORKS[adapter]
    said = run(
        f"import sys; sys.modules['{framework}'] = None\n"
        "import pommego\n"
        f"try: {how.format(adapter)}\n"
        "except ModuleNotFoundError as e: print(e)\n"
    )
    assert said == f"pommego.{adapter} needs {framework}: pip install '{package}'\n"


def test_parallel_env_says_it_too() -> None:
    said = run(
        "import sys; sys.modules['pettingzoo'] = None\n"
        "import pommego\n"
        "try: pommego.parallel_env\n"
        "except ModuleNotFoundError as e: print(e)\n"
    )
    assert "pommego[pettingzoo]" in said


def test_other_names_are_errors() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = pommego.nothing
    assert not hasattr(pommego, "parallel")
