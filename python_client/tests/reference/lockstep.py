"""Plays the same games here and in the original, and compares all that either returns.

    python lockstep.py --reference /path/to/python --steps 100000

The Python named has the original installed (see the guide). Every game starts
from a saved state, boards generated and often altered here; then both make the
same moves. There are two legs. The drop-in, `pommego.pommerman`: observations,
rewards, done, info, the agents' attributes, saved games, features, and what
SimpleAgents decide and remember with the same random numbers are compared, with
their types. The server, through `set_state` and `step` of a vector environment:
observations, rewards, done, info and saved games.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from comparison import Comparison, Reference
from served import ServedComparison

from pommego import pommerman

LEGS: dict[str, type[Comparison]] = {"drop-in": Comparison, "server": ServedComparison}


def compare(reference: Reference, steps: int, seed: int = 0, leg: str = "drop-in") -> Iterator[Comparison]:
    """Play games of all ids in turn until there are so many steps; yields after each."""
    comparison = LEGS[leg](reference, seed)
    comparison.about()
    while sum(comparison.steps.values()) < steps:
        for env_id in pommerman.REGISTRY:
            if sum(comparison.steps.values()) < steps:
                comparison.game(env_id)
                yield comparison


def run(leg: str, python: str, steps: int, seed: int) -> bool:
    """Compare one leg and print what was compared; return whether there was no difference."""
    reference, begin = Reference(python), time.monotonic()
    for comparison in compare(reference, steps, seed, leg):
        found = comparison.counts["differences"]
    reference.close()
    for env_id, made in comparison.steps.items():
        print(f"{env_id:30} {made:>8,} steps")
    for what, count in sorted(comparison.counts.items()):
        print(f"{what:30} {count:>8,}")
    for difference in comparison.differences:
        print(difference, file=sys.stderr)
    total = sum(comparison.steps.values())
    print(f"{leg}: {total:,} steps, {found} differences, {time.monotonic() - begin:.0f} s")
    return not found


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(
        description="Play the same games here and in the original, and compare step by step."
    )
    parser.add_argument("--reference", required=True, help="the Python that has the original installed")
    parser.add_argument("--leg", choices=LEGS, action="append", help="one leg; both if left out")
    parser.add_argument("--steps", type=int, default=100_000, help="of each leg")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps is {options.steps}: nothing to compare, give 1 or more")
    alike = [run(leg, options.reference, options.steps, options.seed) for leg in options.leg or LEGS]
    return 0 if all(alike) else 1


if __name__ == "__main__":
    sys.exit(main())
