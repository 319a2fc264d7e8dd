"""Run with ``python -m pommego.examples``: list the examples, or copy one to run and change it.

    python -m pommego.examples list
    python -m pommego.examples copy ppo                    # writes ppo.py
    python -m pommego.examples copy ppo_agent --to agents  # and ppo.py, which it imports

No file is overwritten.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

# In a wheel, or in a clone.
_FOLDERS = Path(__file__).with_name("_examples"), Path(__file__).parents[2] / "examples"


def main(arguments: list[str] | None = None) -> int:
    """List or copy; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pommego.examples", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="what there is, a line an example")
    copying = commands.add_parser("copy", help="write an example, and those it imports")
    copying.add_argument("name", help="such as ppo")
    copying.add_argument("--to", type=Path, default=Path(), metavar="FOLDER", help="default: this folder")
    options = parser.parse_args(arguments)
    found = {file.stem: file for folder in _FOLDERS for file in sorted(folder.glob("*.py"))}
    if options.command == "list":
        for name, file in found.items():
            about = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            print(f"{name:14} {about.splitlines()[0]}")
        return 0
    name = options.name.removesuffix(".py")
    if name not in found:
        parser.error(f"there is no example {name!r}; there are {', '.join(found)}")
    try:
        _copy(name, found, options.to)
    except OSError as e:
        print(f"pommego.examples: {e}", file=sys.stderr)
        return 1
    return 0


def _copy(name: str, found: dict[str, Path], folder: Path) -> None:
    text = found[name].read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.py"
    with target.open("x", encoding="utf-8") as file:
        file.write(text)
    print(target)
    for other in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE):
        if other in found and not (folder / f"{other}.py").exists():  # what is there may be the user's
            _copy(other, found, folder)


if __name__ == "__main__":
    sys.exit(main())
