"""Who gets on with whom: every two partners of a suite as a team against its rivals, and a picture of it.

    make cross-play                      # hours; stop it at any time, it goes on where it was
    make cross-play ARGS="--games 4 --suites partners-2026"

Games of a pair are on the boards from seed 3,000,000 on, in turns with the pair in either order in either
team's seats. Each suite has a log, runs/cross_play/SUITE.jsonl, with a line for each pair; with more games a
pair plays on. The picture, SUITE.svg, is written anew at the end: in each cell the team's share of points in
percent, a tie counting half.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from pommego.matches import play
from pommego.suites import SUITES, Suite

ROOT = Path(__file__).resolve().parents[1]
SEED = 3_000_000
CELL, LEFT, TOP = 30, 290, 40  # pixels: of a cell's side, of the names' width, above the cells

Points = dict[tuple[str, str], list[float]]


def main() -> None:
    """Play what is missing, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20, help="of each pair (default: %(default)s)")
    parser.add_argument("--suites", nargs="+", default=[name for name, s in SUITES.items() if s.partners])
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "cross_play")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.suites:
        points = cross(SUITES[name], options.games, options.out / f"{name}.jsonl")
        (options.out / f"{name}.svg").write_text(picture(SUITES[name], points))
        for partner in sorted(SUITES[name].partners, key=lambda p: -mean(points, p)):
            print(f"{name} {partner:40} {mean(points, partner):.1%}")


def cross(suite: Suite, games: int, log: Path) -> Points:
    """Return the points of every pair's games, and play those that the log lacks."""
    points: Points = {pair: [] for pair in combinations_with_replacement(suite.partners, 2)}
    for line in log.read_text().splitlines() if log.exists() else []:
        said = json.loads(line)
        points[said["pair"][0], said["pair"][1]] += said["points"]
    with ThreadPoolExecutor(os.cpu_count()) as threads, log.open("a") as file:
        for pair, had in points.items():
            more = list(threads.map(lambda k, pair=pair: game(suite, pair, k), range(len(had), games)))
            if more:
                print(json.dumps({"pair": pair, "points": more}), file=file, flush=True)
            had.extend(more)
    return {pair: had[:games] for pair, had in points.items()}


def game(suite: Suite, pair: tuple[str, str], k: int) -> float:
    """Play a pair's game k, and return its points: 1 for a win, a half for a tie."""
    first, second = pair[:: 1 if k // 2 % 2 == 0 else -1]
    rival = suite.opponents[0]
    seats = [first, rival, second, rival] if k % 2 == 0 else [rival, first, rival, second]
    ended: dict[str, Any] = play(suite.id, seats, SEED + k // 2)
    return (ended["outcome"][k % 2] + 1) / 2


def mean(points: Points, partner: str) -> float:
    """Return the mean over all pairs with a partner."""
    shares = [sum(p) / len(p) for pair, p in points.items() if partner in pair and p]
    return sum(shares) / len(shares)


def picture(suite: Suite, points: Points) -> str:
    """Draw the matrix, the best partners first."""
    names = sorted(suite.partners, key=lambda p: -mean(points, p))
    width, height = LEFT + CELL * len(names) + 10, TOP + CELL * len(names) + LEFT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="{TOP - 15}" font-size="14">Points in percent of the team of row and column '
        f"against two {suite.opponents[0]}, {suite.id}</text>",
    ]
    for i, row in enumerate(names):
        y = TOP + CELL * i
        parts.append(f'<text x="{LEFT - 6}" y="{y + 19}" text-anchor="end">{row}</text>')
        x, foot = LEFT + CELL * i + 19, TOP + CELL * len(names) + 6
        parts.append(f'<text transform="translate({x} {foot}) rotate(-90)" text-anchor="end">{row}</text>')
        for k, col in enumerate(names):
            parts.append(cell(LEFT + CELL * k, y, points.get((row, col)) or points[col, row]))
    return "\n".join([*parts, "</svg>\n"])


def cell(x: int, y: int, points: Sequence[float]) -> str:
    """Draw a cell: from orange by white to blue."""
    share = sum(points) / len(points)
    end = (0, 114, 178) if share > 0.5 else (230, 159, 0)
    weight = abs(2 * share - 1)
    colour = ",".join(str(round(255 + (part - 255) * weight)) for part in end)
    return (
        f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="rgb({colour})"/>'
        f'<text x="{x + CELL / 2}" y="{y + 19}" text-anchor="middle" font-size="11">{100 * share:.0f}</text>'
    )


if __name__ == "__main__":
    main()
