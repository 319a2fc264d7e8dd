"""Verify a release: every file beside this one is as it was built, and none is missing or new.

The in-toto statement has the SHA-256 of all others. Nobody has signed it: compare its own SHA-256, which
is printed, with one that you trust.
"""

import hashlib
import json
import sys
from pathlib import Path

STATEMENT = "statement.intoto.json"


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file but the statement."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path != folder / STATEMENT]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def problems(folder: Path) -> list[str]:
    """Compare the files with the statement, and name those that differ."""
    stated = json.loads((folder / STATEMENT).read_text(encoding="utf-8"))["subject"]
    wanted, found = {s["name"]: s["digest"]["sha256"] for s in stated}, digests(folder)
    said = {name: "was changed" if name in wanted else "was added" for name in found}
    said |= dict.fromkeys(wanted.keys() - found.keys(), "is missing")
    return [f"{name} {what}" for name, what in sorted(said.items()) if wanted.get(name) != found.get(name)]


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    print(f"{hashlib.sha256((here / STATEMENT).read_bytes()).hexdigest()}  {STATEMENT}")
    sys.exit("\n".join(problems(here)) or None)
