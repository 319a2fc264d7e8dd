"""Sum up runs of `ppo.py` over their seeds: `python table.py runs/ppo-duel-* runs/ppo-ffa-*`.

Prints a table in Markdown: for each baseline and opponent the share of games won, tied and lost. Each is the
interquartile mean over the runs, with a 95 % interval by a bootstrap over runs; of fewer than six runs, for
which that is too narrow, the mean with the lowest and the highest. All runs of a baseline are judged on the
same boards, and what chance these bring is not in the interval. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats


def middle(shares: list[float]) -> str:
    """Return the mean in percent, with its interval or, of few runs, their range."""
    if len(shares) < 6:
        between = f" (seeds {100 * min(shares):.1f} to {100 * max(shares):.1f})" * (len(shares) > 1)
        return f"{100 * np.mean(shares):.1f}{between}"
    estimate = stats.bootstrap(
        [np.array(shares)], lambda x, axis: stats.trim_mean(x, 0.25, axis), method="percentile", rng=0
    )
    low, high = estimate.confidence_interval
    return f"{100 * stats.trim_mean(shares, 0.25):.1f} ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    """Read the command line, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs that have ended")
    options = parser.parse_args()
    runs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for run in options.runs:
        if not (run / "result.json").exists():
            parser.error(f"{run} has no result.json: give folders of runs that have ended")
        result = json.loads((run / "result.json").read_text())
        runs[result["name"]].append(result)
    print("| agent | seeds | against | won % | tied % | lost % |\n|---|---|---|---|---|---|")
    for name, of in runs.items():
        kinds = {json.dumps(result["options"] | {"seed": 0}) for result in of if "options" in result}
        judged = {result["games"] for result in of}
        if max(len(kinds), len(judged)) > 1 or len({result["seed"] for result in of}) < len(of):
            parser.error(f"the runs of {name} differ by more than their seeds, or two have the same one")
        results = [result["against"] for result in of]
        for opponent in results[0]:
            won, tied = ([result[opponent][key] for result in results] for key in ("won", "tied"))
            lost = [1 - w - t for w, t in zip(won, tied, strict=True)]
            print(f"| `{name}` | {len(of)} | `{opponent}` |", " | ".join(map(middle, (won, tied, lost))), "|")


if __name__ == "__main__":
    main()
