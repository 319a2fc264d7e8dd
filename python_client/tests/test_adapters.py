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
@pytest.mark.parametrize(
    ("how", "error"), [("pommego.{}", "AttributeError"), ("from pommego import {}", "ModuleNotFoundError")]
)
def test_what_is_missing(adapter: str, how: str, error: str) -> None:
    framework, package = FRAMEWORKS[adapter]
    said = run(
        f"import sys; sys.modules['{framework}'] = None\n"
        "import pommego\n"
        f"try: {how.format(adapter)}\n"
        f"except {error} as e: print(e)\n"
    )
    assert said == f"pommego.{adapter} needs {framework}: pip install '{package}'\n"


@pytest.mark.parametrize(
    ("how", "error"),
    [("pommego.parallel_env", AttributeError), ("from pommego import parallel_env", ModuleNotFoundError)],
)
def test_parallel_env_says_it_too(how: str, error: type[Exception]) -> None:
    said = run(
        "import sys; sys.modules['pettingzoo'] = None\n"
        "import pommego\n"
        f"try: {how}\n"
        f"except {error.__name__} as e: print(e)\n"
    )
    assert "pommego[pettingzoo]" in said


def test_looking_at_the_package_needs_no_framework() -> None:
    """hasattr(), help() and inspect go over all names, and pass by those that raise AttributeError alone."""
    frameworks = {framework for framework, _ in FRAMEWORKS.values()}
    said = run(
        f"import sys; sys.modules.update(dict.fromkeys({frameworks}))\n"
        "import inspect, pydoc, pommego\n"
        "names = [name for name, _ in inspect.getmembers(pommego)]\n"
        "print('make_vec' in names, 'parallel_env' in names)\n"
        "print(hasattr(pommego, 'parallel_env'), hasattr(pommego, 'exploit'))\n"
        "print(len(pydoc.render_doc(pommego)) > 1000)"
    )
    assert said == "True False\nFalse False\nTrue\n"


def test_other_names_are_errors() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = pommego.nothing
    assert not hasattr(pommego, "parallel")
