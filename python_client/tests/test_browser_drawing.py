"""The page and the pictures: the same game looks the same."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray

import browser
from browser import Browser
from conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("silent")

GOLDEN = sorted(REPOSITORY.glob("env/*/testdata/golden/*.jsonl.gz"))
TILE = 24
Image = NDArray[np.uint8]

# The size of an image, and its bytes without opacity.
TAKE = """
const take = (pen, width, height) => {
  const bytes = [...pen.getImageData(0, 0, width, height).data.filter((_, i) => i % 4 < 3)];
  return [height, width, btoa(bytes.map(b => String.fromCharCode(b)).join(""))];
};
"""

# A board of the page, on a canvas of its own, whose games are fetched once.
BOARD = (
    TAKE
    + """
const [number, index, seat, cell, token] = given;
const { Board } = pommego.board, { Game } = pommego.game;
const answer = await fetch(`/api/game/${number}`, { headers: { Authorization: `Bearer ${token}` } });
const game = new Game(await answer.json()), canvas = document.createElement("canvas");
canvas.style.cssText = `position: fixed; left: 0; top: 0; max-width: none; width: ${game.head.cols * cell}px`;
document.body.append(canvas);
const board = new Board(canvas, game);
board.show(game.seen(game.at(index), seat));
board.close();
canvas.remove();
return take(board.pen, canvas.width, canvas.height);
"""
)

# An image of a GIF, as those who show it put it together.
FRAME = (
    TAKE
    + """
const bytes = Uint8Array.from(atob(given[0]), c => c.charCodeAt(0));
const decoder = new ImageDecoder({ data: bytes, type: "image/gif" });
const { image } = await decoder.decode({ frameIndex: given[1] });
const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight), pen = canvas.getContext("2d");
pen.drawImage(image, 0, 0);
image.close();
decoder.close();
return take(pen, canvas.width, canvas.height);
"""
)


def image(got: tuple[int, int, str]) -> Image:
    """Make an image of what the browser has returned."""
    return np.frombuffer(base64.b64decode(got[2]), np.uint8).reshape(got[0], got[1], 3)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded game of every id, in one file, each up to the step that is looked at."""
    file = tmp_path_factory.mktemp("drawing") / "games.jsonl"
    with file.open("w") as out:
        for number, path in enumerate(GOLDEN, start=1):
            game = json.loads(gzip.decompress(path.read_bytes()).splitlines()[0])
            del game["steps"][len(game["steps"]) * (1 + number % 5) // 12 :]
            out.write(json.dumps(game) + "\n")
    return file


@pytest.fixture(scope="module")
def address(binary: Path, games: Path) -> Iterator[str]:
    with browser.viewing(binary, games) as address:
        yield address


def apart(page: Image, picture: Image) -> tuple[float, float]:
    """Return by how much two images differ: in the mean, and in the cell where they differ most."""
    assert page.shape == picture.shape
    by = np.abs(page.astype(int) - picture).mean(axis=2)
    cells = by.reshape(by.shape[0] // TILE, TILE, by.shape[1] // TILE, TILE).mean(axis=(1, 3))
    return float(by.mean()), float(cells.max())


def test_page_and_pictures_look_alike(
    window: Browser, binary: Path, games: Path, address: str, tmp_path: Path
) -> None:
    """A position of each id: as everybody and as a seat sees it, one in light and one in dark."""
    assert len(GOLDEN) >= 21
    window.open(address, "#listing tbody")
    token = parse_qs(urlsplit(address).fragment)["token"][0]
    lasting = [len(json.loads(line)["steps"]) for line in games.read_text().splitlines()]
    seen = set()
    for number, (path, index) in enumerate(zip(GOLDEN, lasting, strict=True), start=1):
        for view, dark in [(-1, number % 2 == 0), (number % 2, number % 2 == 1)]:
            window.window(1280, 860, dark=dark)
            file = tmp_path / f"{number} {view}.gif"
            options = ["--game", str(number), "--tile", str(TILE), "--seat", str(view), *["--dark"] * dark]
            replay = [binary, "replay", games, "--gif", file, *options]
            subprocess.run(replay, check=True, capture_output=True)
            page = image(window.run(BOARD, number, index, view, TILE, token))
            picture = image(window.run(FRAME, base64.b64encode(file.read_bytes()).decode(), index))
            mean, worst = apart(page, picture)
            assert mean <= 4, (path.name, index, view, dark)
            assert worst <= 24, (path.name, index, view, dark)
            seen.add(picture.tobytes())
    assert len(seen) >= 40


def test_differences_are_noticed(window: Browser, address: str) -> None:
    """What the comparison is for is beyond its tolerance: the next position, another theme."""
    window.open(address, "#listing tbody")
    token = parse_qs(urlsplit(address).fragment)["token"][0]
    window.window(1280, 860, dark=False)
    at20, at21 = (image(window.run(BOARD, 4, step, -1, TILE, token)) for step in (20, 21))
    window.window(1280, 860, dark=True)
    dark = image(window.run(BOARD, 4, 20, -1, TILE, token))
    assert apart(at20, at21)[1] > 24
    assert apart(at20, dark)[0] > 24
