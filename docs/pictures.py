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


class Camera:
    """A browser window that takes pictures into docs/images."""

    def __init__(self) -> None:
        self.window = browser.Browser()

    def take(self, name: str, size: tuple[int, int], *, dark: bool = False) -> None:
        """Take a picture of what is open."""
        self.window.window(*size, dark=dark)
        self.window.run("await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame)")
        self.window.driver.save_screenshot(str(HERE / "images" / f"{name}.png"))
        print(f"docs/images/{name}.png")


def main() -> None:
    """Look at every page in windows of several kinds."""
    camera = Camera()
    with tempfile.TemporaryDirectory() as folder:
        recorded(camera, Path(folder) / "team.jsonl")
        tournament(camera, Path(folder) / "results")
    with playing(camera.window, BINARY):
        camera.take("view-play", DESKTOP)
        camera.take("view-play-phone", PHONE, dark=True)
    with starting(camera.window, BINARY):
        camera.take("view-start", DESKTOP)
    wall(camera)
    with living(camera.window):
        camera.take("view-live", DESKTOP, dark=True)
        camera.take("view-live-phone", PHONE)
        camera.window.driver.get("about:blank")
    camera.window.close()


def wall(camera: Camera) -> None:
    """Look at games whose learners act at random, but mostly lay no bombs."""
    with pommego.make_vec("PommeFFACompetition-v0", 64, opponents=["simple"] * 3, web=True) as envs:
        _, info = envs.reset(seed=SEED)
        camera.window.open(envs.web_address, "#about")
        while camera.window.run("return all('#episodes li').length") < 5:
            for _ in range(40):
                actions = envs.sample_actions(info["action_mask"])
                *_, info = envs.step(np.where((actions == 5) & (np.arange(64) % 4 > 0), 0, actions))
                time.sleep(0.01)
        camera.take("view-wall", DESKTOP, dark=True)
        camera.window.driver.get("about:blank")


def recorded(camera: Camera, game: Path) -> None:
    """Record a game and look at it."""
    play = f"{BINARY} play --env {ENV} --agents simple,heuristic,simple,heuristic --seed {SEED} --quiet"
    subprocess.run([*play.split(), "--record", game], check=True, stdout=subprocess.DEVNULL)
    with browser.viewing(BINARY, game) as address:
        for name, size, dark, more in [
            ("view", DESKTOP, False, ""),
            ("view-dark", DESKTOP, True, "&view=1"),
            ("view-phone", PHONE, False, ""),
        ]:
            camera.window.open(f"{address}&step=44{more}", "#where")
            camera.take(name, size, dark=dark)


def tournament(camera: Camera, results: Path) -> None:
    """Play a tournament and look at it."""
    agents = "simple,random,heuristic,mcts:ticks=200"
    play = f"{BINARY} tournament --env OneVsOne-v0 --format round-robin --agents {agents} --games 20"
    subprocess.run([*play.split(), "--out", results], check=True, capture_output=True)
    with browser.viewing(BINARY, results) as address:
        camera.window.open(address, ".found")
        camera.take("view-tournament", (1100, 760))
        camera.take("view-tournament-phone", PHONE, dark=True)


if __name__ == "__main__":
    main()
