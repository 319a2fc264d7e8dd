"""Measures what it costs a rollout that somebody looks at it, and how fast pictures are drawn.

    .venv/bin/python benchmarks/watched.py [--pairs 30] [--seconds 2] [--games 256]

The rollout steps a team game with random legal actions. The watcher is a program that asks for a game as the
page does, ten times a second. In every pair the same environment is stepped with it and without it, in
short slices by turns. Printed is the median of the pairs' ratios, watched to unwatched, with an interval that
covers the true median with 95 % certainty; then pictures a second from `render`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from urllib.parse import urlsplit

from compare_revisions import interval

import pommego

ID = "PommeTeamCompetition-v0"
SLICES = 2  # of each kind that follow each other twice in a pair, so that drift affects both alike

# Looks while the last line that it has read is "on".
WATCHER = """
import http.client, json, select, sys
host, path, token = sys.argv[1:]
connection = http.client.HTTPConnection(host)
looking, looks, since = False, 0, 0
while True:
    if select.select([sys.stdin], [], [], 0.1 if looking else None)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        looking = line == "on\\n"
        print(looks, flush=True)
    if looking:
        url = f"{path}?since={since}"
        connection.request("GET", url, headers={"Authorization": "Bearer " + token})
        since = json.load(connection.getresponse())["number"]
        looks += 1
"""


class Watcher:
    """A program that looks at a game of an environment."""

    def __init__(self, envs: pommego.PommegoVectorEnv) -> None:
        place = urlsplit(envs.web_address)
        path = f"/api/live/1/{envs.num_games // 2}"
        token = dict(part.split("=") for part in place.fragment.split("&"))["token"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", WATCHER, place.netloc, path, token],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def look(self, on: bool) -> int:
        """Begin or stop to look; returns the looks until now."""
        self._process.stdin.write("on\n" if on else "off\n")
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def rollout(envs: pommego.PommegoVectorEnv, info: dict, seconds: float) -> tuple[float, dict]:
    """Step for so long; returns steps of games a second, and the last info."""
    steps, begin = 0, time.perf_counter()
    while True:
        *_, info = envs.step(envs.sample_actions(info["action_mask"]))
        steps += 1
        if (took := time.perf_counter() - begin) >= seconds:
            break
    return steps * envs.num_games / took, info


def watched(args: argparse.Namespace) -> None:
    """Measure the pairs."""
    opponents = ["simple"] * 3
    with pommego.make_vec(ID, args.games, opponents=opponents, web=True) as envs:
        _, info = envs.reset(seed=0)
        watcher = Watcher(envs)
        for _ in range(800):  # until the games are at different steps
            _, info = rollout(envs, info, 0)
        rates: dict[bool, list[float]] = {False: [], True: []}
        looks = 0
        for _ in range(args.pairs):
            parts: dict[bool, list[float]] = {False: [], True: []}
            for on in (False, True, True, False) * SLICES:
                before = watcher.look(on)
                rate, info = rollout(envs, info, args.seconds / 2 / SLICES)
                parts[on].append(rate)
                looks += watcher.look(False) - before
            for on, part in parts.items():
                rates[on].append(statistics.fmean(part))
        watcher.close()
    ratios = [on / off for on, off in zip(rates[True], rates[False], strict=True)]
    low, high = interval(ratios)
    a_second = looks / (args.pairs * args.seconds)
    print(f"rollout of {args.games} games: {statistics.median(rates[False]):,.0f} steps a second unwatched")
    print(
        f"watched, {a_second:.1f} looks a second: {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})"
    )


def pictures(args: argparse.Namespace) -> None:
    """Measure pictures of one game, each after a step."""
    with pommego.make_vec(ID, 1, opponents=["simple"] * 3) as envs:
        _, info = envs.reset(seed=0)
        for tile in (8, 16, 32):
            count, spent, begin = 0, 0.0, time.perf_counter()
            while time.perf_counter() - begin < args.seconds:
                *_, info = envs.step(envs.sample_actions(info["action_mask"]))
                at = time.perf_counter()
                height, width, _ = envs.render(0, tile=tile).shape
                spent += time.perf_counter() - at
                count += 1
            print(f"rgb_array, {width} x {height}: {count / spent:,.0f} pictures a second")


def main(argv: list[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one measurement")
    parser.add_argument("--games", type=int, default=256)
    args = parser.parse_args(argv)
    watched(args)
    pictures(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
