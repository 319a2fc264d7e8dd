"""Tune what `champion` values, by CMA-ES on tournaments of our own.

    make tune-champion                            # hours; stop it at any time, it goes on where it was
    make tune-champion ARGS="--generations 2 --games 4 --test-games 8"    # minutes

Each generation is one tournament: every candidate in a team in fog, against each opponent, on the same
mirrored boards. A win counts 1 and a tie `--tie`. Candidates are factors, as powers of two, on START. The
log, runs/tune_champion/log.jsonl, has a line for each generation, and the same command continues it. Boards
of tuning have seeds from 1,000,000 on; what comes out is compared with START on those from 2,000,000 on.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TUNING, TESTING = 1_000_000, 2_000_000

# Where the search starts: the options w-*, as champion has them by default.
START = {
    "room": 500,
    "tight": 700,
    "tight-doom": 1000,
    "trap": 1500,
    "haven": 300,
    "exposed": 400,
    "hunt": 400,
    "half-others": 10,
    "kill": 1800,
    "mate": 250,
    "ammo": 70,
    "blast": 50,
    "kick": 120,
    "wood": 40,
    "dig": 800,
    "chase": 400,
    "corner": 300,
    "stale": 6,
}


def main() -> None:
    """Tune, and test what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=40, help="default: %(default)s")
    parser.add_argument("--population", type=int, default=12, help="candidates a generation (%(default)s)")
    parser.add_argument(
        "--games", type=int, default=20, help="of a candidate against each opponent (%(default)s)"
    )
    parser.add_argument("--test-games", type=int, default=400, help="the same in the end (%(default)s)")
    parser.add_argument("--ticks", type=int, default=300, help="of champion's decisions (%(default)s)")
    parser.add_argument("--tie", type=float, default=0.25, help="what a tie counts (%(default)s)")
    parser.add_argument("--opponents", nargs="+", default=["heuristic", "fmcs-exploit:ticks=300"])
    parser.add_argument("--seed", type=int, default=1, help="of CMA-ES (%(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "tune_champion")
    parser.add_argument("--binary", type=Path, default=ROOT / "bin" / "pommego")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    best = tune(options)
    start, tuned = agent([0.0] * len(START), options.ticks), agent(best, options.ticks)
    for opponent in options.opponents:
        for s in play([start, tuned], opponent, options.test_games, TESTING, options)["standings"]:
            print(
                opponent,
                s["agent"],
                *(f"{k} {s[k]['value']:.1%}" for k in ("win_rate", "loss_rate", "tie_rate")),
            )


def tune(options: argparse.Namespace) -> list[float]:
    """Run CMA-ES from where the log ends, and return its mean."""
    import cma  # noqa: PLC0415 - the rest needs nothing but the program

    search = cma.CMAEvolutionStrategy(
        [0.0] * len(START),
        0.5,
        {"seed": options.seed, "popsize": options.population, "verbose": -9, "bounds": [-3, 3]},
    )
    log = options.out / "log.jsonl"
    setting = {k: getattr(options, k) for k in ("population", "games", "ticks", "tie", "opponents", "seed")}
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    with log.open("a") as file:
        for generation in range(options.generations):
            candidates = [[float(x) for x in c] for c in search.ask()]
            if generation < len(lines):
                line = lines[generation]
                if line["setting"] != setting:
                    raise SystemExit(
                        f"{log} was begun with {line['setting']}, not {setting}: give another --out"
                    )
            else:
                seed = TUNING + generation * options.games
                line = {"setting": setting, "seed": seed, "points": points(candidates, seed, options)}
                line |= {"mean": [float(x) for x in search.mean], "sigma": float(search.sigma)}
                file.write(json.dumps(line) + "\n")
                file.flush()
                print(
                    f"generation {generation}: best {max(line['points']):.3f}, sigma {search.sigma:.3f}",
                    flush=True,
                )
            search.tell(candidates, [-p for p in line["points"]])
    return [float(x) for x in search.mean]


def points(candidates: list[list[float]], seed: int, options: argparse.Namespace) -> list[float]:
    """Return each candidate's mean points a game."""
    agents = [agent(c, options.ticks) for c in candidates]
    total = dict.fromkeys(agents, 0.0)
    for opponent in options.opponents:
        for s in play(sorted(total), opponent, options.games, seed, options)["standings"]:
            total[s["agent"]] += s["win_rate"]["value"] + options.tie * s["tie_rate"]["value"]
    return [total[a] / len(options.opponents) for a in agents]


def agent(factors: list[float], ticks: int) -> str:
    """Return the name of the agent with some factors on START."""
    values = {k: max(1, round(v * math.pow(2, f))) for (k, v), f in zip(START.items(), factors, strict=True)}
    return ",".join([f"champion:ticks={ticks}", *(f"w-{k}={v}" for k, v in values.items())])


def play(
    agents: list[str], opponent: str, games: int, seed: int, options: argparse.Namespace
) -> dict[str, Any]:
    """Play a tournament in fog, and return its results."""
    made = [str(options.binary), "tournament", "--env", "PommeTeamCompetition-v0", "--mirrored", "--json"]
    made += ["--agents", ",".join(agents), "--against", opponent, "--games", str(games), "--seed", str(seed)]
    result: dict[str, Any] = json.loads(subprocess.run(made, check=True, capture_output=True).stdout)
    return result


if __name__ == "__main__":
    main()
