"""Write a page for each game from what the program says of its ids.

    python docs/generate.py    # writes docs/games/*.md, and the client's list of ids

``pommego envs ID`` describes one id in sections, with a line for each fact. A page
has what the first id's says, and what others say otherwise. What stands above `MARK`
in a page is written by hand and kept.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from pommego.server import find_binary

MARK = "<!-- From here on written by docs/generate.py; `make docs` writes it anew. -->"
REPOSITORY = Path(__file__).resolve().parents[1]
GAMES = Path(__file__).resolve().parent / "games"
IDS = REPOSITORY / "python_client" / "src" / "pommego" / "ids.txt"

FEW = 12  # facts that are shown without a click


def main() -> None:
    """Write the pages that are not current."""
    specs = catalog()
    for path, text in (pages(specs) | {IDS: "".join(f"{spec['id']}\n" for spec in specs)}).items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path.relative_to(REPOSITORY)}")


def catalog() -> list[dict[str, Any]]:
    """Ask the program what games it has."""
    return json.loads(envs("--json"))


def pages(specs: list[dict[str, Any]]) -> dict[Path, str]:
    """Make the page of each game, by its path."""
    made = {}
    for game in dict.fromkeys(spec["game"] for spec in specs):
        path = GAMES / f"{game}.md"
        head = path.read_text().split(MARK)[0] if path.exists() else f"# {game}"
        about = page({spec["id"]: envs(spec["id"]) for spec in specs if spec["game"] == game})
        made[path] = f"{head.rstrip()}\n\n{MARK}\n\n{about}"
    return made


def envs(argument: str) -> str:
    """Run `pommego envs`. Bounds in what it says of an id are those of spaces: planes end at 254."""
    done = subprocess.run([find_binary(), "envs", argument], capture_output=True, check=True, text=True)
    return re.sub(r"(`uint8 \[\d+ \d+ \d+\]`, 0 to )255", r"\g<1>254", done.stdout)


def page(texts: dict[str, str]) -> str:
    """Join the descriptions of a game's ids."""
    parts, sections = ["## Ids", ""], {}
    for id, text in texts.items():
        head, *rest = text.split("\n## ")
        parts[1] += f"- `{id}`: {head.split(maxsplit=2)[2].strip()}\n"
        for section in rest:
            title, _, body = section.strip().partition("\n\n")
            sections.setdefault(title, {})[id] = body
    for title, bodies in sections.items():
        parts += [f"## {title}", *joined(bodies, len(texts))]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def joined(bodies: dict[str, str], ids: int) -> list[str]:
    """Write a section of the first id that has it, and the facts that are others elsewhere."""
    about, lines = split(next(iter(bodies.values())))
    parts = [about, "" if len(bodies) == ids else f"In {listed(list(bodies))}:", folded(lines)]
    for body in dict.fromkeys(bodies.values()):
        facts = split(body)[1]
        if {name(line) for line in lines} <= {name(line) for line in facts}:
            facts = [line for line in facts if line not in lines]
        if facts and facts != lines:
            where = f"Otherwise in {listed([id for id in bodies if bodies[id] == body])}:"
            told = {meaning(line) for line in lines}
            if all("; " in line and meaning(line) in told and name(line) != "- array" for line in facts):
                parts += [f"{where} {', '.join(line.partition('; ')[0][2:] for line in facts)}"]
            else:
                parts += [where, folded(facts)]
    return [part for part in parts if part]


def split(body: str) -> tuple[str, list[str]]:
    """Split a section into what introduces it, and its facts."""
    about, _, facts = ("\n\n" + body).rpartition("\n\n")
    return about, facts.splitlines()


def name(line: str) -> str:
    """What a fact is about."""
    return line.partition(": ")[0]


def meaning(line: str) -> str:
    """What a fact is about, without its value."""
    return name(line) + line.partition("; ")[2]


def listed(ids: list[str]) -> str:
    """Write ids one after the other."""
    return ", ".join(f"`{id}`" for id in ids)


def folded(lines: list[str]) -> str:
    """Write a list, which readers open if it is long."""
    text = "\n".join(lines)
    closed = f'<details markdown="1">\n<summary>{len(lines)} entries</summary>\n\n{text}\n\n</details>'
    return closed if len(lines) > FEW else text


if __name__ == "__main__":
    main()
