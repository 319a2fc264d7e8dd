"""Measure the pages in Chromium: how smoothly a long game is played, and how long tables of many games take.

Run it as ``.venv/bin/python benchmarks/pages.py [--games 100000]``. It needs chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python_client" / "tests"))

import browser  # noqa: E402

BINARY = ROOT / "bin" / "pommego"

# Milliseconds from the address to a game on the board.
OPEN = """
const { shown } = await import("/main.js");
await until(() => shown().length);
return performance.now();
"""

# Plays the game from its first step to its last at 60 steps a second: the times between frames.
PLAY = """
const gaps = [];
byId("first").click();
byId("speed").value = 9;
byId("speed").dispatchEvent(new Event("change"));
byId("play").click();
let before = await new Promise(requestAnimationFrame);
while (all(".playing").length) {
  const now = await new Promise(requestAnimationFrame);
  gaps.push(now - before);
  before = now;
}
return gaps;
"""

# Shows every step once: the milliseconds that the page works for each.
STEP = """
const { shown } = await import("/main.js"), next = byId("step-on"), took = [];
byId("first").click();
for (let i = 0; i < shown()[0].game.last; i++) {
  await new Promise(requestAnimationFrame);
  const begun = performance.now();
  next.click();
  document.body.offsetHeight; // so that it lays out what it has changed
  took.push(performance.now() - begun);
}
return took;
"""

# Times something in the table: until the browser shows what was asked for, and the longest frame meanwhile.
TABLE = """
const found = all(".found")[0], begun = performance.now();
let longest = 0, before = begun;
if (given[0] === "filter") {
  const [find] = all("input[type=search]");
  find.value = given[1];
  find.dispatchEvent(new Event("input"));
} else {
  all("#listing .finder thead button").find(button => button.textContent.startsWith(given[1])).click();
}
while (all(".found")[0] === found) {
  const now = await new Promise(requestAnimationFrame);
  longest = Math.max(longest, now - before);
  before = now;
}
return [performance.now() - begun, longest];
"""


def main() -> None:
    """Measure, and print what was measured."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=int, default=100_000, help="of the data set")
    options = arguments.parse_args()
    window = browser.Browser()
    with tempfile.TemporaryDirectory() as folder:
        long_game(window, Path(folder))
        many_games(window, Path(folder), options.games)
    window.close()


def long_game(window: browser.Browser, folder: Path) -> None:
    """Open a game of 800 steps ten times, and play it three times."""
    game = folder / "long.jsonl"
    play = "play --env PommeFFACompetition-v0 --agents champion:level=1 --seed 0 --quiet --record"
    subprocess.run([BINARY, *play.split(), game], check=True, stdout=subprocess.DEVNULL)
    with browser.viewing(BINARY, game) as address:
        opened = []
        for _ in range(10):
            window.open(address, "#where")
            opened.append(window.run(OPEN))
        took = sorted(window.run(STEP))
        gaps = sorted(gap for _ in range(3) for gap in window.run(PLAY))
        where = window.run("return byId('where').value")
    late = sum(gap > 25 for gap in gaps)
    steps, opening = where.rpartition(" ")[2], statistics.median(opened)
    print(f"a game of {steps} steps: open after {opening:.0f} ms (median of 10)")
    middle, most = statistics.median(took), took[int(0.99 * len(took))]
    print(f"a step takes the page {middle:.1f} ms in the median, {most:.1f} ms at the 99th percentile")
    middle, most = statistics.median(gaps), gaps[int(0.99 * len(gaps))]
    print(f"played at 60 steps a second: {len(gaps)} frames, {middle:.1f} ms apart in the median,")
    print(f"{most:.1f} ms at the 99th percentile, {late} more than 25 ms")


def many_games(window: browser.Browser, folder: Path, games: int) -> None:
    """Look at a large data set."""
    generate = f"generate --env OneVsOne-v0 --agents random,static --seating drawn --games {games} --out"
    subprocess.run([BINARY, *generate.split(), folder / "many"], check=True, capture_output=True)
    with browser.viewing(BINARY, folder / "many") as address:
        window.open(address, ".found")
        print(f"{games} games: the table is there after {window.run('return performance.now()'):.0f} ms")
        for what, value in [
            ("filter", "static"),
            ("filter", "random 17"),
            ("sort", "Steps"),
            ("sort", "Winner"),
        ]:
            took, longest = window.run(TABLE, what, value)
            print(f"{what} {value!r}: {took:.0f} ms, no frame longer than {longest:.0f} ms")


if __name__ == "__main__":
    main()
