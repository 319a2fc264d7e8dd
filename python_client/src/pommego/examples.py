"""Run with ``python -m pommego.examples``: list the examples, or copy one to run and change it.

    python -m pommego.examples list
    python -m pommego.examples copy ppo                       # writes ppo.py
    python -m pommego.examples copy basewar_bot.c --to bots   # and pommego_agent.h, which it includes

No file is overwritten.
"""

import argparse
import re
import sys
from pathlib import Path

# The folder in a wheel, or in a clone.
_KINDS = ".py", ".c", ".cpp", ".h", ".gz"
_CLONE = Path(__file__).parents[2] / "examples"
_FOLDERS = Path(__file__).with_name("_examples"), _CLONE, _CLONE / "baselines"


def find() -> dict[str, Path]:
    """Return where each example is, by name."""
    files = (file for folder in _FOLDERS for file in sorted(folder.glob("*.*")) if file.suffix in _KINDS)
    return {file.name.removesuffix(".py"): file for file in files}


def main(arguments: list[str] | None = None) -> int:
    """List or copy; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m pommego.examples", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the examples, one per line")
    copying = commands.add_parser("copy", help="write an example, and the examples that it imports")
    copying.add_argument("name", help="such as ppo")
    copying.add_argument("--to", type=Path, default=Path(), metavar="FOLDER", help="default: this folder")
    options = parser.parse_args(arguments)
    found = find()
    if options.command == "list":
        for name, file in found.items():
            about = "a recorded game" if file.suffix == ".gz" else file.read_text(encoding="utf-8")
            first = about.splitlines()[0].strip('"/* ')
            print(f"{name:24} {first}")
        return 0
    name = options.name.removesuffix(".py")
    if name not in found:
        parser.error(f"there is no example {name!r}; there are {', '.join(found)}")
    try:
        _copy(name, found, options.to)
    except OSError as e:
        why = "it exists: remove it first" if isinstance(e, FileExistsError) else e.strerror
        print(f"pommego.examples: {e.filename} cannot be written: {why}", file=sys.stderr)
        return 1
    return 0


def _copy(name: str, found: dict[str, Path], folder: Path) -> None:
    content = found[name].read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / found[name].name
    with target.open("xb") as file:
        file.write(content)
    print(target)
    for other in re.findall(rb'^(?:from|import|#include) "?([\w.]+)', content, re.MULTILINE):
        needed = found.get(other.decode())
        if needed and not (folder / needed.name).exists():  # an existing file may be the user's
            _copy(other.decode(), found, folder)


if __name__ == "__main__":
    sys.exit(main())
