"""The rating list of the built-in agents: tournaments in four kinds of games, and one page of them.

    make ratings                        # hours; stop it at any time, it goes on where it was
    make ratings ARGS="--games 20"      # minutes
    python benchmarks/ratings.py --only team --agents simple,osla,mcts:ticks=500

Each kind is a `pommego tournament` of mirrored games, every agent against every other, in a folder
of its own in runs/ratings; more games play on from those that are there. The page, runs/ratings/ratings.md,
is written anew after each kind from what the folders hold.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

KINDS = {
    "ffa": ("PommeFFACompetition-v0", "free for all, four different agents at a table"),
    "team": ("PommeTeamCompetition-v0", "two against two in fog, teams of two of a kind"),
    "radio": ("PommeRadioCompetition-v2", "the same with two words a step to the teammate"),
    "duel": ("OneVsOne-v0", "one against one on 8x8"),
}
AGENTS = [
    "random",
    "simple",
    "osla",
    "rhea:ticks=2000",
    "heuristic",
    "bfs:ticks=2000",
    "mcts:ticks=2000",
    "uct:ticks=2000",
    "fmcs-ucb1:ticks=2000",
    "fmcs-exploit:ticks=2000",
    "java-rhea",
    "java-mcts",
    "champion-net",
    *(f"champion:level={level}" for level in range(1, 6)),
]
# Of all there would be too many tables of four, and by radio most play as they do without.
SOME = [
    "simple",
    "heuristic",
    "mcts:ticks=2000",
    "fmcs-exploit:ticks=2000",
    "java-rhea",
    "java-mcts",
    "champion-net",
    "champion:level=1",
    "champion:level=5",
]

HEAD = """# Ratings of the built-in agents

Written by `make ratings`. Ratings are Bradley-Terry on Elo's scale with 95 % intervals. In each kind of
game their mean is 0, and only differences within a kind mean something. Games are mirrored: each board is
played from every side with the same random numbers. Milliseconds are those of a decision, by the clock of a
machine that does other work too.
"""


def main() -> None:
    """Play what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--games", type=int, default=100, help="of each pair, or table of four (default: %(default)s)"
    )
    parser.add_argument("--only", choices=KINDS, nargs="+", default=list(KINDS), help="kinds of games")
    parser.add_argument("--agents", help=f"default: {','.join(AGENTS)}; in ffa and radio {','.join(SOME)}")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "ratings", help="default: runs/ratings")
    parser.add_argument("--binary", type=Path, default=ROOT / "bin" / "pommego", help="default: bin/pommego")
    options = parser.parse_args()
    for kind in options.only:
        play(kind, options)
        (options.out / "ratings.md").write_text(page(options.out))


def command(kind: str, options: argparse.Namespace) -> list[str]:
    """Return the command that plays a kind of games."""
    env, _ = KINDS[kind]
    how = ["--format", "two-against-two" if kind in ("team", "radio") else "round-robin"]
    how += ["--against", ""] if kind in ("team", "radio") else []
    games = ["--mirrored", "--games", str(options.games)]
    out = ["--out", str(options.out / kind)]
    agents = options.agents or ",".join(SOME if kind in ("ffa", "radio") else AGENTS)
    return [str(options.binary), "tournament", "--env", env, *how, "--agents", agents, *games, *out]


def play(kind: str, options: argparse.Namespace) -> None:
    """Play a kind of games, or what is missing of it."""
    made = command(kind, options)
    print("+", shlex.join(made), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)


def page(out: Path) -> str:
    """Write the page of all kinds of games that have been played."""
    parts = [HEAD]
    for kind, (env, what) in KINDS.items():
        folder = out / kind
        if (folder / "results.json").exists():
            results = json.loads((folder / "results.json").read_text())
            times = {a["agent"]: a for a in json.loads((folder / "timing.json").read_text())["agents"]}
            parts.append(f"## {env}\n\n{what[0].upper()}{what[1:]}; {results['games_played']} games.\n")
            parts.append(standings(results, times))
            parts.append(pairs(results))
    return "\n".join(parts)


def standings(results: dict[str, Any], times: dict[str, Any]) -> str:
    """Write the table of ratings."""
    lines = [
        "| agent | rating | games | won | lost | tied | ms a decision |",
        "|---|---|---|---|---|---|---|",
    ]
    for s in sorted(results["standings"], key=lambda s: -s["rating"]["value"]):
        rating = "{value:+.0f} ({low:+.0f} to {high:+.0f})".format(**s["rating"])
        shares = " | ".join(f"{s[name]['value']:.1%}" for name in ("win_rate", "loss_rate", "tie_rate"))
        taken = times[s["agent"]]["mean_ns"] / 1e6 if s["agent"] in times else 0
        lines.append(f"| `{s['agent']}` | {rating} | {s['games']} | {shares} | {taken:.3g} |")
    return "\n".join(lines) + "\n"


def pairs(results: dict[str, Any]) -> str:
    """Write who wins against whom: of the games that exactly one of the two won, the row's share."""
    names = [s["agent"] for s in sorted(results["standings"], key=lambda s: -s["rating"]["value"])]
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for p in results["pairs"]:
        found[p["row"], p["col"]] = p["row_only"], p["col_only"]
        found[p["col"], p["row"]] = p["col_only"], p["row_only"]
    lines = ["Of the games that exactly one of the two won, the row's share (and their number):\n"]
    lines.append("| | " + " | ".join(f"`{name}`" for name in names[1:]) + " |")
    lines.append("|---" * len(names) + "|")
    for i, row in enumerate(names[:-1]):
        cells = [cell(*found.get((row, col), (0, 0))) if k > i else "" for k, col in enumerate(names)][1:]
        lines.append(f"| `{row}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def cell(won: int, lost: int) -> str:
    """Write a pair's share."""
    return f"{won / (won + lost):.0%} ({won + lost})" if won + lost else "-"


if __name__ == "__main__":
    main()
