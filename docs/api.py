"""Write the API reference from the docstrings, with pdoc.

    python docs/api.py            # into docs/api
    python docs/api.py FOLDER

Adapters are documented whether their framework is installed or not: in place of
one that is missing stands a module whose every name is an empty class.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pdoc
from numpy.typing import ArrayLike

ADAPTERS = ["pettingzoo", "sb3", "torchrl", "rllib", "puffer", "torch", "jax"]
SHOWN = [*ADAPTERS, "spec", "data"]
MODULES = ["pommego", *(f"pommego.{name}" for name in SHOWN), "pommego.pommerman"]
FRAMEWORKS = ["jax", "pettingzoo", "pufferlib", "ray", "stable_baselines3", "tensordict", "torch", "torchrl"]

# What the adapters and the rest are made of is no part of the API.
INSIDE = [r"!pommego\.(?!pommerman|(" + "|".join(SHOWN) + ")$)"]
MISSING = [r"!pommego\.pommerman\.cli\.train_with_tensorforce$"]  # whose import says so


class Anything:
    """Can be called, subclassed and subscripted with anything."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __init_subclass__(cls, **_: Any) -> None:
        pass

    def __class_getitem__(cls, _: Any) -> Any:
        return cls


class StandIn(ModuleType):
    """A module that is not installed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Anything,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for any module of the frameworks that are missing."""

    def __init__(self, frameworks: list[str]) -> None:
        self.missing = {name for name in frameworks if not importlib.util.find_spec(name)}

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        """Answer only for the missing ones."""
        if name.partition(".")[0] not in self.missing:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Make the stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


# How annotations are written in the sources, where Python only knows what they stand for.
QUALIFIED = re.compile(r"\b(typing|collections\.abc|gymnasium\.vector\.vector_env)\.")
UNIONS = {
    QUALIFIED.sub("", inspect.formatannotation(union)): name
    for union, name in ((ArrayLike | None, "ArrayLike | None"), (ArrayLike, "ArrayLike"))
}
ARRAY = re.compile(r"numpy\.ndarray\[tuple\[Any, \.\.\.\], numpy\.dtype(\[[\w.]+\]|\[~_ScalarT\])\]")


def short(text: str) -> str:
    """Write an annotation as the sources do."""
    text = QUALIFIED.sub("", text)
    for union, name in UNIONS.items():
        text = text.replace(union, name)
    return ARRAY.sub(r"NDArray\1", text).replace("[~_ScalarT]", "")


class Annotation:
    """What a signature shows of one."""

    def __init__(self, of: Any) -> None:
        self.text = short(of if isinstance(of, str) else inspect.formatannotation(of))

    def __repr__(self) -> str:
        return self.text


def shortened(signature: inspect.Signature) -> inspect.Signature:
    """Shorten all annotations of a signature."""
    empty = inspect.Signature.empty

    def shown(annotation: Any) -> Any:
        return empty if annotation is empty else Annotation(annotation)

    parameters = [p.replace(annotation=shown(p.annotation)) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=shown(signature.return_annotation))


def write(folder: Path) -> None:
    """Write the reference as web pages.

    Raises:
        RuntimeError: a module cannot be documented.
    """
    stand_ins = StandIns(FRAMEWORKS)
    sys.meta_path.append(stand_ins)
    pdoc.render.configure(docformat="google", footer_text="pommego", show_source=False)
    formatted = pdoc.render_helpers.format_signature
    pdoc.render.env.filters["format_signature"] = lambda of, colon: formatted(shortened(of), colon)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # A NamedTuple's constructor has its annotations as texts that belong to another module.
            warnings.filterwarnings("ignore", r"Error parsing type annotation .* for pommego\.Simulation\.")
            pdoc.pdoc(*MODULES, *INSIDE, *MISSING, output_directory=folder)
    finally:
        sys.meta_path.remove(stand_ins)
    for page in folder.rglob("*.html"):  # attributes' annotations go through no filter
        page.write_text(
            re.sub(r'<span class="annotation">.*?</span>', lambda m: short(m[0]), page.read_text())
        )


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "api"
    write(target)
    print(f"wrote {target / 'index.html'}")
