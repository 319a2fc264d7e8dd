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


@pytest.mark.parametrize(
    ("how", "error"), [("pommego.{}", "AttributeError"), ("from pommego import {}", "ModuleNotFoundError")]
)
def test_what_is_missing(how: str, error: str) -> None:
    """Of all adapters in one process, where each framework is missing."""
    names = [*FRAMEWORKS, "parallel_env"]
    asked = "".join(f"try: {how.format(name)}\nexcept {error} as e: print(e)\n" for name in names)
    frameworks = {framework for framework, _ in FRAMEWORKS.values()}
    said = run(f"import sys; sys.modules.update(dict.fromkeys({frameworks}))\nimport pommego\n{asked}")
    *adapters, parallel_env = said.splitlines()
    assert adapters == [
        f"pommego.{adapter} needs {framework}: pip install '{package}'"
        for adapter, (framework, package) in FRAMEWORKS.items()
    ]
    assert "pommego[pettingzoo]" in parallel_env


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
