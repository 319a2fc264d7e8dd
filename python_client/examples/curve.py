"""Draw learning curves of runs' `progress.jsonl`: `python curve.py runs/a runs/b --y won --png curve.png`.

    python curve.py runs/az --x positions --y won recent_won --png alphazero.png
    python curve.py runs/ppo-duel-* --x steps --y "won simple" "won champion:level=2" --png duel.png

A line is drawn for each run and quantity; lines of a progress file without the quantity are
left out. Needs matplotlib (``pip install 'pommego[plot]'``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path


def points(run: Path, x: str, y: str) -> list[tuple[float, float]]:
    """Return a quantity of a run by another, such as "steps"."""
    rows = [json.loads(line) for line in (run / "progress.jsonl").read_text().splitlines()]
    return [(row[x], row[y]) for row in rows if y in row]


def draw(runs: Sequence[Path], x: str, ys: Sequence[str], png: Path) -> None:
    """Draw shares, from 0 to 1, in percent.

    Raises:
        ValueError: no run has a quantity.
        SystemExit: matplotlib is missing.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415
    except ImportError:
        raise SystemExit("drawing needs matplotlib: pip install 'pommego[plot]'") from None

    mpl.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for y in ys:
        lines = {run: points(run, x, y) for run in runs}
        if not any(lines.values()):
            raise ValueError(f"no line of {', '.join(map(str, runs))} has {y!r}")
        for run, line in lines.items():
            if line:
                at, share = zip(*line, strict=True)
                axes.plot(at, [100 * s for s in share], label=f"{run.name}: {y}", linewidth=1.2)
    axes.set(xlabel=x, ylabel="%", ylim=(-3, 103))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(png, dpi=90)
    pyplot.close(figure)


def main() -> None:
    """Read the command line, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument("--x", default="minutes", help="such as minutes, steps, positions")
    parser.add_argument("--y", nargs="+", required=True, help="shares, such as won")
    parser.add_argument("--png", type=Path, default=Path("curve.png"), help="where to")
    options = parser.parse_args()
    draw(options.runs, options.x, options.y, options.png)


if __name__ == "__main__":
    main()
