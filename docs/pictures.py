"""Take the pictures of the pages in docs/images: what `make pictures` does. It needs Chromium."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python_client" / "tests"))

import browser  # noqa: E402

BINARY = HERE.parent / "bin" / "pommego"
ENV, SEED = "PommeTeamCompetition-v0", 3


def main() -> None:
    """Record a game and look at it in windows of several kinds."""
    window = browser.Browser()
    with tempfile.TemporaryDirectory() as folder:
        game = Path(folder) / "team.jsonl"
        play = f"{BINARY} play --env {ENV} --agents simple,heuristic,simple,heuristic --seed {SEED} --quiet"
        subprocess.run([*play.split(), "--record", game], check=True, stdout=subprocess.DEVNULL)
        with browser.viewing(BINARY, game) as address:
            for name, width, height, dark, more in [
                ("view", 1280, 860, False, "&step=44"),
                ("view-dark", 1280, 860, True, "&step=44&view=1"),
                ("view-phone", 390, 844, False, "&step=44"),
            ]:
                window.window(width, height, dark=dark)
                window.open(address + more, "#where")
                window.driver.save_screenshot(str(HERE / "images" / f"{name}.png"))
                print(f"docs/images/{name}.png")
        results = Path(folder) / "results"
        agents = "simple,random,heuristic,mcts:ticks=200"
        tournament = (
            f"{BINARY} tournament --env OneVsOne-v0 --format round-robin --agents {agents} --games 20"
        )
        subprocess.run([*tournament.split(), "--out", results], check=True, capture_output=True)
        with browser.viewing(BINARY, results) as address:
            window.window(1100, 760)
            window.open(address, "#listing tbody")
            window.driver.save_screenshot(str(HERE / "images" / "view-tournament.png"))
            print("docs/images/view-tournament.png")
    window.close()


if __name__ == "__main__":
    main()
