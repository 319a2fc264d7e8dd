"""Take the pictures of the pages in docs/images: what `make pictures` does. It needs Chromium."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pommego

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python_client" / "tests"))

import browser  # noqa: E402
from test_browser_looks import living, playing, starting  # noqa: E402

BINARY = HERE.parent / "bin" / "pommego"
ENV, SEED = "PommeTeamCompetition-v0", 3
DESKTOP, PHONE = (1280, 860), (390, 844)


def take(window: browser.Browser, name: str, size: tuple[int, int], *, dark: bool = False) -> None:
    """Take a picture of what is open into docs/images."""
    window.window(*size, dark=dark)
    window.run("await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame)")
    window.driver.save_screenshot(str(HERE / "images" / f"{name}.png"))
    print(f"docs/images/{name}.png")


def main() -> None:
    """Look at every page in windows of several kinds."""
    window = browser.Browser()
    with tempfile.TemporaryDirectory() as folder:
        recorded(window, Path(folder) / "team.jsonl")
        tournament(window, Path(folder) / "results")
    with playing(window, BINARY):
        take(window, "view-play", DESKTOP)
        take(window, "view-play-phone", PHONE, dark=True)
    with starting(window, BINARY):
        take(window, "view-start", DESKTOP)
    wall(window)
    with living(window):
        take(window, "view-live", DESKTOP, dark=True)
        take(window, "view-live-phone", PHONE)
        window.driver.get("about:blank")
    window.close()


def wall(window: browser.Browser) -> None:
    """Look at games whose learners act at random, but mostly lay no bombs."""
    with pommego.make_vec("PommeFFACompetition-v0", 64, opponents=["simple"] * 3, web=True) as envs:
        _, info = envs.reset(seed=SEED)
        window.open(envs.web_address, "#about")
        while window.run("return all('#episodes li').length") < 5:
            for _ in range(40):
                actions = envs.sample_actions(info["action_mask"])
                *_, info = envs.step(np.where((actions == 5) & (np.arange(64) % 4 > 0), 0, actions))
                time.sleep(0.01)
        take(window, "view-wall", DESKTOP, dark=True)
        window.driver.get("about:blank")


def recorded(window: browser.Browser, game: Path) -> None:
    """Record a game and look at it."""
    play = f"{BINARY} play --env {ENV} --agents simple,heuristic,simple,heuristic --seed {SEED} --quiet"
    subprocess.run([*play.split(), "--record", game], check=True, stdout=subprocess.DEVNULL)
    with browser.viewing(BINARY, game) as address:
        for name, size, dark, more in [
            ("view", DESKTOP, False, ""),
            ("view-dark", DESKTOP, True, "&view=1"),
            ("view-phone", PHONE, False, ""),
        ]:
            window.open(f"{address}&step=44{more}", "#where")
            take(window, name, size, dark=dark)


def tournament(window: browser.Browser, results: Path) -> None:
    """Play a tournament and look at it."""
    agents = "simple,random,heuristic,mcts:ticks=200"
    play = f"{BINARY} tournament --env OneVsOne-v0 --format round-robin --agents {agents} --games 20"
    subprocess.run([*play.split(), "--out", results], check=True, capture_output=True)
    with browser.viewing(BINARY, results) as address:
        window.open(address, ".found")
        take(window, "view-tournament", (1100, 760))
        take(window, "view-tournament-phone", PHONE, dark=True)


if __name__ == "__main__":
    main()
