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
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

KINDS = {
    "ffa": ("PommeFFACompetition-v0", "free for all, four different agents at a table"),
    "team": ("PommeTeamCompetition-v0", "two against two in fog, teams of two of a kind"),
    "radio": ("PommeRadioCompetition-v2", "the same with two words a step to the teammate"),
    "duel": ("OneVsOne-v0", "one against one on 8x8"),
}
AGENTS = (
    "random,simple,osla,rhea:ticks=2000,heuristic,bfs:ticks=2000,mcts:ticks=2000,uct:ticks=2000,"
    "fmcs-ucb1:ticks=2000,fmcs-exploit:ticks=2000,java-rhea,java-mcts,"
    "champion:level=1,champion:level=2,champion:level=3,champion:level=4,champion:level=5"
)
# Of all there would be too many tables of four, and by radio most play as they do without.
SOME = (
    "simple,heuristic,mcts:ticks=2000,fmcs-exploit:ticks=2000,java-rhea,java-mcts,"
    "champion:level=1,champion:level=5"
)

HEAD = """# Ratings of the built-in agents

Written by `make ratings` from the tables of a tournament of each kind of game. Only differences of ratings
within a kind mean something.
"""


def main() -> None:
    """Play what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--games", type=int, default=100, help="of each pair, or table of four (default: %(default)s)"
    )
    parser.add_argument("--only", choices=KINDS, nargs="+", default=list(KINDS), help="kinds of games")
    parser.add_argument("--agents", help=f"default: {AGENTS}; in ffa and radio {SOME}")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "ratings", help="default: runs/ratings")
    options = parser.parse_args()
    for kind in options.only:
        play(kind, options)
        (options.out / "ratings.md").write_text(page(options.out))


def play(kind: str, options: argparse.Namespace) -> None:
    """Play a kind of games, or what is missing of it."""
    command = [str(ROOT / "bin" / "pommego"), "tournament", "--env", KINDS[kind][0], "--mirrored"]
    command += [] if kind in ("team", "radio") else ["--format", "round-robin"]
    command += ["--agents", options.agents or (SOME if kind in ("ffa", "radio") else AGENTS)]
    command += ["--games", str(options.games), "--out", str(options.out / kind)]
    print("+", shlex.join(command), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def page(out: Path) -> str:
    """Put together what the tournaments' folders say of all kinds of games that have been played."""
    parts = [HEAD]
    for kind, (env, what) in KINDS.items():
        if (out / kind / "results.md").exists():
            parts.append(f"## {env}\n\n{what[0].upper()}{what[1:]}.\n")
            found = "".join((out / kind / name).read_text() for name in ("results.md", "timing.md"))
            parts.append(found.replace("## ", "### "))
    return "\n".join(parts)


if __name__ == "__main__":
    main()
