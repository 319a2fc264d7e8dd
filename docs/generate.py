"""Write a page for each game from what the server says of itself.

    python docs/generate.py    # writes docs/games/*.md, and the client's list of ids

The tables come from ``pommego envs --json``, and that from the encoders' own
tables, so they say what observations really hold. What stands above `MARK` in a
page is written by hand and kept.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pommego.server import find_binary

MARK = "<!-- From here on written by docs/generate.py; `make docs` writes it anew. -->"
REPOSITORY = Path(__file__).resolve().parents[1]
GAMES = Path(__file__).resolve().parent / "games"
IDS = REPOSITORY / "python_client" / "src" / "pommego" / "ids.txt"

STATE = "state=True"  # stands for the global state among the encodings
FEW = 4  # entries that only count on are written one by one up to here

Spec = dict[str, Any]


def main() -> None:
    """Write the pages that are not current."""
    specs = catalog()
    for path, text in (pages(specs) | {IDS: "".join(f"{spec['id']}\n" for spec in specs)}).items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path.relative_to(REPOSITORY)}")


def catalog() -> list[Spec]:
    """Ask the program what games it has."""
    asked = subprocess.run([find_binary(), "envs", "--json"], capture_output=True, check=True)
    return json.loads(asked.stdout)


def pages(specs: list[Spec]) -> dict[Path, str]:
    """Make the page of each game, by its path."""
    games: dict[str, list[Spec]] = {}
    for spec in specs:
        games.setdefault(spec["game"], []).append(spec)
    made = {}
    for game, ids in games.items():
        path = GAMES / f"{game}.md"
        head = path.read_text().split(MARK)[0] if path.exists() else f"# {game}\n\n"
        made[path] = f"{head.rstrip()}\n\n{MARK}\n\n{tables(ids)}"
    return made


def tables(specs: list[Spec]) -> str:
    """Everything about one game's ids that the server knows."""
    parts = [ids_table(specs), actions(specs), agents(specs)]
    fields = [(e["name"], f["name"]) for spec in specs for e in spec["encodings"] for f in e["fields"]]
    fields += [(STATE, f["name"]) for spec in specs for f in spec.get("state") or []]
    parts += [field_table(specs, encoding, field) for encoding, field in dict.fromkeys(fields)]
    parts += [endings(specs), counts(specs), rules(specs)]
    return "\n\n".join(parts) + "\n"


def ids_table(specs: list[Spec]) -> str:
    """List the ids."""
    rows = [
        (f"`{s['id']}`", s["description"], s["seats"], teams(s), s["max_steps"], s["version"]) for s in specs
    ]
    return "## Ids\n\n" + table(["id", "", "seats", "teams of seats", "steps at most", "version"], rows)


def teams(spec: Spec) -> str:
    """The seats that play together."""
    if all(len(team) == 1 for team in spec["teams"]):
        return "none"
    return ", ".join("+".join(map(str, team)) for team in spec["teams"])


def actions(specs: list[Spec]) -> str:
    """List what a seat may do, for each kind of action there is."""
    parts = ["## Actions"]
    for ids, choices in grouped(specs, lambda spec: spec["actions"]):
        rows = [(c["name"], c["n"], numbered(c["names"])) for c in choices]
        parts.append(where(ids, specs) + table(["component", "choices", "what they are"], rows))
    return "\n\n".join(parts)


def numbered(names: list[str]) -> str:
    """Write numbers and what they are called, where that is something else."""
    return ", ".join(name if name == str(i) else f"{i} {name}" for i, name in enumerate(names))


def endings(specs: list[Spec]) -> str:
    """List what each ending is for a seat, and what it pays."""
    lines = [
        "## What an ending pays",
        "Of a seat, or all its team. `result` and `outcome` stand for each seat in `pommego play --json`,\n"
        'in a tournament\'s `games.jsonl` and in data sets. `outcome` is what `reward="outcome"` pays, once.',
    ]
    for ids, ways in grouped(specs, lambda spec: spec["endings"]):
        rows = [(way["ending"], way["result"], f"{way['outcome']:g}") for way in ways]
        lines.append(where(ids, specs) + table(["ending", "`result`", "`outcome`"], rows))
    return "\n\n".join(lines)


def counts(specs: list[Spec]) -> str:
    """List what games count of each seat."""
    lines = [
        "## What is counted",
        'Of each seat, in the result of matches, tournaments, data sets and `info["game"]`.',
    ]
    for ids, names in grouped(specs, lambda spec: spec.get("counts") or []):
        rows = [(f"`{count['name']}`", count["meaning"]) for count in names]
        lines.append(where(ids, specs) + table(["count", "what it is"], rows))
    return "\n\n".join(lines)


def agents(specs: list[Spec]) -> str:
    """List the built-in agents."""
    lines = ["## Built-in agents", "For `opponents=` and `seats=` in Python, `--agents` on the command line."]
    for ids, names in grouped(specs, lambda spec: spec["agents"] or []):
        lines.append(where(ids, specs) + (", ".join(f"`{name}`" for name in names) or "None."))
    return "\n\n".join(lines)


def field_table(specs: list[Spec], encoding: str, name: str) -> str:
    """Say what one field of an observation holds, entry by entry, in all ids."""
    found = {spec["id"]: field_of(spec, encoding, name) for spec in specs}
    having = [spec for spec in specs if found[spec["id"]]]
    option = STATE if encoding == STATE else f'observation="{encoding}"'
    parts = [f"## `{option}`: `{name}`"]
    for group, names in grouped(having, lambda spec: found[spec["id"]]["names"] or []):
        of_group = [spec for spec in having if spec["id"] in group]
        shapes = grouped(of_group, lambda spec: describe(found[spec["id"]]))
        parts += [where(ids, specs) + shape for ids, shape in shapes]
        if names:
            parts.append(folded("entries", ["index", "name", "meaning"], entries(names)))
    return "\n\n".join(parts)


def field_of(spec: Spec, encoding: str, name: str) -> dict[str, Any] | None:
    """Find a field of an encoding, None where there is none."""
    fields = [f for e in spec["encodings"] if e["name"] == encoding for f in e["fields"] if f["name"] == name]
    if encoding == STATE:
        fields = [f for f in spec.get("state") or [] if f["name"] == name]
    return fields[0] if fields else None


def describe(field: dict[str, Any]) -> str:
    """Say what array it is."""
    shape = tuple(field["shape"])
    shared = "; the same for all seats of a game" if field["shared"] else ""
    return f"`{field['dtype']}` {shape}, {field['low']} to {field['high']}{shared}."


def entries(names: list[dict[str, str]]) -> list[tuple[str, str, str]]:
    """Number the entries. Many of one meaning that only count on (bomb0, bomb1, ...) are one row."""

    def counting(entry: tuple[int, dict[str, str]]) -> tuple[str, int, str]:
        i, name = entry
        stem = name["name"].rstrip("0123456789")
        number = name["name"][len(stem) :]
        return stem, int(number) - i if number else i, name["meaning"]

    rows = []
    for (_, _, meaning), group in itertools.groupby(enumerate(names), counting):
        run = [(str(i), f"`{name['name']}`") for i, name in group]
        if len(run) > FEW:
            run = [(f"{run[0][0]} to {run[-1][0]}", f"{run[0][1]} to {run[-1][1]}")]
        rows += [(*cells, meaning) for cells in run]
    return rows


# What rules are that a specification leaves out.
LEFT_OUT = {"step": "today", "collapse_every": 0}


def rules(specs: list[Spec]) -> str:
    """List the first id's rules, and where others differ."""

    def value(spec: Spec, name: str) -> Any:
        return (spec["rules"] or {}).get(name, LEFT_OUT.get(name))

    meanings = {entry["name"]: entry["meaning"] for entry in specs[0].get("rule_meanings") or []}
    rows = []
    for name, meaning in meanings.items():
        others = grouped(
            [spec for spec in specs if value(spec, name) != value(specs[0], name)],
            lambda spec, name=name: value(spec, name),
        )
        differs = "; ".join(f"{shown(other)} in {listed(ids)}" for ids, other in others)
        rows.append((f"`{name}`", meaning, shown(value(specs[0], name)), differs))
    text = (
        f"Those of `{specs[0]['id']}`, and what differs elsewhere. `rules={{...}}` in Python and "
        "`--rules '{...}'` on the command line change any of them."
    )
    return f"## Rules\n\n{text}\n\n" + folded("rules", ["rule", "meaning", "value", "differs"], rows)


def shown(value: Any) -> str:
    """Write a rule's value down."""
    return f"`{json.dumps(value)}`"


def grouped(specs: Iterable[Spec], key: Any) -> list[tuple[list[str], Any]]:
    """Put ids together that have the same."""
    groups: dict[str, tuple[list[str], Any]] = {}
    for spec in specs:
        value = key(spec)
        groups.setdefault(json.dumps(value), ([], value))[0].append(spec["id"])
    return list(groups.values())


def where(ids: list[str], specs: list[Spec]) -> str:
    """Introduce what holds for some ids only."""
    return "" if len(ids) == len(specs) else f"{listed(ids)}:\n\n"


def listed(ids: list[str]) -> str:
    """Write ids one after the other."""
    return ", ".join(f"`{id}`" for id in ids)


def folded(what: str, head: list[str], rows: list[Iterable[Any]]) -> str:
    """Write a table that readers open: those of most entries are long."""
    summary = f"<summary>{len(rows)} {what}</summary>"
    return f'<details markdown="1">\n{summary}\n\n{table(head, rows)}\n\n</details>'


def table(head: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


if __name__ == "__main__":
    main()
