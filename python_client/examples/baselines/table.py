"""Sum up runs of `ppo.py` over their seeds: `python table.py runs/ppo-duel-* runs/ppo-ffa-*`.

Prints a table in Markdown: for each baseline and opponent the share of games won, tied and lost. Each is the
interquartile mean over the runs; the interval is a bootstrap over runs, of 95 %. With `--png` it draws the
share won while the runs trained. Needs scipy, and matplotlib for `--png`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import stats


def middle(shares: list[float]) -> str:
    """Return the interquartile mean in percent, with its interval where there are several runs."""
    mean = 100 * stats.trim_mean(shares, 0.25)
    if len(shares) < 2:
        return f"{mean:.1f}"
    estimate = stats.bootstrap(
        [np.array(shares)], lambda x, axis: stats.trim_mean(x, 0.25, axis), method="percentile", rng=0
    )
    low, high = estimate.confidence_interval
    return f"{mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def draw(runs: dict[str, list[Path]], png: Path) -> None:
    """Draw, over hours and over steps, the shares won against the kinds of opponents in training."""
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    lines = [
        (name, number, [json.loads(line) for line in (run / "progress.jsonl").read_text().splitlines()])
        for name, of in runs.items()
        for number, run in enumerate(of)
    ]
    kinds = sorted({(name, key) for name, _, rows in lines for key in rows[0] if key.startswith("won ")})
    for axes, x, label, unit in zip(
        panels, ("minutes", "steps"), ("hours", "million steps"), (60, 1e6), strict=True
    ):
        for name, number, rows in lines:
            for colour, (of, key) in enumerate(kinds):
                if of == name:
                    at, won = [row[x] / unit for row in rows], [100 * row[key] for row in rows]
                    about = f"{name}, {key.removeprefix('won ')}" if not number else None
                    axes.plot(at, won, color=f"C{colour}", label=about, linewidth=1, alpha=0.8)
        axes.set(xlabel=label, ylim=(-3, 103))
        axes.grid(alpha=0.3)
    panels[0].set(ylabel="% won of late")
    panels[0].legend(fontsize=7)
    figure.savefig(png, dpi=90)
    pyplot.close(figure)


def main() -> None:
    """Read the command line, print the table, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs that have ended")
    parser.add_argument("--png", type=Path, help="draw the curves there")
    options = parser.parse_args()
    runs: dict[str, list[Path]] = defaultdict(list)
    for run in options.runs:
        runs[json.loads((run / "result.json").read_text())["name"]].append(run)
    print("| agent | seeds | against | won % | tied % | lost % |\n|---|---|---|---|---|---|")
    for name, of in runs.items():
        results = [json.loads((run / "result.json").read_text())["against"] for run in of]
        for opponent in results[0]:
            won, tied = ([result[opponent][key] for result in results] for key in ("won", "tied"))
            lost = [1 - w - t for w, t in zip(won, tied, strict=True)]
            print(f"| `{name}` | {len(of)} | `{opponent}` |", " | ".join(map(middle, (won, tied, lost))), "|")
    if options.png:
        draw(runs, options.png)


if __name__ == "__main__":
    main()
