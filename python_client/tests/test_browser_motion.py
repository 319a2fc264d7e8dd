"""Between the steps of a game: what moves on the board, for how long, and when nothing does.

The page's clock is one that the tests set, so no test depends on how fast the machine is.
"""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import browser
import pommego
from browser import Browser

pytestmark = pytest.mark.usefixtures("silent")

# A clock that stands still between ticks. A tick draws one frame, and says how many asked for it.
CLOCK = """
globalThis.clock = { now: 1000, asked: new Map(), last: 0, tick(by) {
  this.now += by;
  const due = [...this.asked.values()];
  this.asked.clear();
  due.forEach(act => act(this.now));
  return due.length;
} };
performance.now = () => clock.now;
globalThis.requestAnimationFrame = act => { clock.asked.set(++clock.last, act); return clock.last; };
globalThis.cancelAnimationFrame = number => clock.asked.delete(number);
"""

# Notes the marks that are drawn above the ground of boards on the page, frame by frame.
SPY = """
const { sprites } = pommego.sprites, { stamp } = sprites;
globalThis.frames = [];
sprites.stamp = (pen, cell, mark) => {
  if (pen.canvas instanceof HTMLCanvasElement) frames.at(-1).push(mark);
  stamp(pen, cell, mark);
};
const { draw } = pommego.board.Board.prototype;
pommego.board.Board.prototype.draw = function (...all) { frames.push([]); draw.apply(this, all); };
"""

# A board of a small game by itself. `show` shows a step, `tick` draws a frame later; both return the
# marks of the frame, none if there was none.
SMALL = """
const { Game } = pommego.game, { Board } = pommego.board;
const game = new Game(given[0]), canvas = document.createElement("canvas");
canvas.style.cssText = "position: fixed; left: 0; top: 0; width: 160px";
document.body.append(canvas);
const board = new Board(canvas, game);
board.resizing.disconnect();
const taken = act => { frames.length = 0; act(); return frames.at(-1) ?? []; };
const show = (index, reach) => taken(() => board.show(game.at(index), { reach }));
const tick = by => taken(() => clock.tick(by));
const of = (marks, sprite) => marks.filter(mark => mark.sprite === sprite);
const look = async () => { GIVEN };
const result = await look();
board.close();
canvas.remove();
clock.tick(0);
return result;
"""


def agent(seat: int, at: list[int], *, alive: bool = True) -> dict[str, Any]:
    return {"at": at, "seat": seat, "alive": alive, "ammo": 1, "blast": 2}


def bomb(at: list[int], life: int, moving: str = "") -> dict[str, Any]:
    return {"at": at, "life": life, "blast": 3, "owners": [1], "moving": moving, "reach": [0]}


# Agent 0 kicks a bomb to the right, which explodes and kills agent 1; the flames burn for three steps.
PLAYING = {"over": False, "result": "Incomplete", "winners": [], "in": [0, 1]}
FLAMES = [[0, 2], [0, 3]]
GAME: dict[str, Any] = {
    "format": "pommego-scene/1",
    "env": "OneVsOne-v0",
    "game": "pommerman",
    "names": ["left", "right"],
    "teams": [[0], [1]],
    "max_steps": 9,
    "flame_life": 3,
    "actions": [{"name": "move", "n": 6, "names": ["stop", "up", "down", "left", "right", "bomb"]}],
    "counts": [],
    "looks": [
        {"chars": ".", "sprite": "floor", "meaning": "free"},
        {"chars": "+", "sprite": "wood", "meaning": "wood"},
    ],
    "rows": 5,
    "cols": 5,
    "colours": ["#0072b2", "#e69f00"],
    "steps": [
        {
            "step": 0,
            "ground": "....." * 4 + "....+",
            "items": [],
            "agents": [agent(0, [2, 1]), agent(1, [0, 4])],
            "bombs": [bomb([2, 2], 5)],
            "flames": [{"at": [4, 4], "life": 1}],
            "status": PLAYING,
        },
        {
            "step": 1,
            "changed": {"24": "."},
            "agents": [agent(0, [2, 2]), agent(1, [0, 3])],
            "bombs": [bomb([2, 3], 4, "right")],
            "flames": [],
        },
        {
            "step": 2,
            "agents": [agent(0, [2, 2]), agent(1, [0, 3], alive=False)],
            "bombs": [bomb([2, 2], 9)],
            "flames": [{"at": at, "life": 3} for at in FLAMES],
            "events": [{"event": "died", "seat": 1, "by": [0], "at": [0, 3]}],
        },
        *[
            {"step": 5 - life, "bombs": [], "flames": [{"at": at, "life": life} for at in FLAMES]}
            for life in (2, 1)
        ],
    ],
}


@pytest.fixture(scope="module")
def stepped(window: Browser) -> Browser:
    """The browser, whose pages have a clock of the tests'."""
    window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK})
    return window


@pytest.fixture(scope="module")
def recorded(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a recorded match."""
    file = tmp_path_factory.mktemp("motion") / "match.jsonl"
    play = [binary, "play", "--agents", "simple", "--seed", "3", "--record", file, "--quiet"]
    subprocess.run(play, check=True, capture_output=True)
    with browser.viewing(binary, file) as address:
        yield address


@pytest.fixture
def small(stepped: Browser, recorded: str) -> Any:
    """Run a script with a board of the small game."""
    stepped.open(recorded, "#where")
    stepped.run(SPY)
    return lambda script: stepped.run(SMALL.replace("GIVEN", script), GAME)


def reduce(window: Browser, motion: str) -> None:
    features = [{"name": "prefers-reduced-motion", "value": motion}]
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


# Where agent 0 and the bomb are after 0, 60 and 120 ms, and how many then wait for a frame.
ARRIVE = """
const where = marks => [of(marks, "round")[0].col, of(marks, "bomb")[0].col];
return [where(show(1)), where(tick(60)), where(tick(60))];
"""


def test_agents_move_and_kicked_bombs_slide(small: Any) -> None:
    assert small(f"show(0); tick(1000); {ARRIVE}") == [[1, 2], [1.5, 2.5], [2, 3]]


def test_a_step_back_moves_back(small: Any) -> None:
    back = "show(1); tick(1000); " + ARRIVE.replace("show(1)", "show(0)")
    assert small(back) == [[2, 3], [1.5, 2.5], [1, 2]]


def test_a_bomb_beside_an_older_one_does_not_slide(small: Any) -> None:
    two = "const [old] = game.at(0).bombs, laid = { ...old, at: [2, 3], life: 6 };"
    two += "game.at(1).bombs = [{ ...old, life: 4 }, laid];"
    shown = 'show(0); tick(1000); show(1); return of(tick(60), "bomb").map(bomb => bomb.col)'
    assert small(two + shown) == [2, 3]


def test_a_jump_does_not_move(small: Any) -> None:
    jump = 'show(0); tick(1000); const marks = show(3); return [of(marks, "round")[0].col, clock.asked.size]'
    assert small(jump) == [2, 0]


@pytest.mark.parametrize(("pause", "col"), [(1000 / 25, 2), (1000 / 15, 1)])
def test_there_is_no_motion_beyond_15_steps_a_second(small: Any, pause: float, col: float) -> None:
    """At 15 steps a second a move takes the time of a step."""
    script = f"""
show(0);
tick({pause});
const begin = of(show(1), "round")[0].col, asked = clock.asked.size;
tick({pause});
return [begin, asked, of(show(1), "round")[0].col];
"""
    assert small(script) == [col, 1 if col == 1 else 0, 2]


def test_what_burns_fades(small: Any) -> None:
    """Flames and wood of the step before go bit by bit; new flames grow."""
    fading = """
show(0);
tick(1000);
const last = marks => marks.filter(mark => mark.row === 4 && mark.col === 4);
const cell = marks => last(marks).map(mark => [mark.sprite, mark.opacity]);
const begin = cell(show(1)), half = cell(tick(60)), end = cell(tick(60));
tick(1000);
show(2);
const grown = [30, 60, 60].map(by => of(tick(by), "flame")[0].size);
return [begin, half, end, grown[0] < 0.7 && grown[1] > grown[0] && grown[2] > 0.9];
"""
    wood, ember = (lambda opacity: ["wood", opacity]), (lambda opacity: ["ember", opacity])
    assert small(fading) == [[wood(1), ember(1)], [wood(0.5), ember(0.5)], [], True]


def test_fire_flickers_for_a_while_and_then_nothing_asks_for_a_frame(small: Any) -> None:
    flicker = """
show(1);
tick(1000);
const last = show(2), sizes = [], sparks = [];
for (let i = 0; i < 10; i++) {
  const marks = tick(130);
  sizes.push(of(marks, "flame")[0].size);
  sparks.push(of(marks, "spark")[0].size);
}
tick(1000);
const end = tick(0), rest = clock.asked.size;
const still = new Board(canvas, game);
const same = JSON.stringify(taken(() => still.show(game.at(2)))) === JSON.stringify(frames.at(-1));
still.close();
return [new Set(sizes).size, new Set(sparks).size, end.length, rest, same];
"""
    assert small(flicker) == [10, 10, 0, 0, True]


def test_a_pause_lets_things_rest(small: Any) -> None:
    """The page shows the same step again when it pauses: the move ends, and the flicker with it."""
    pause = "show(1); tick(1000); show(2); tick(30); show(2); tick(100); tick(800); return clock.asked.size"
    assert small(pause) == 0


def test_deaths_and_kills_show(small: Any) -> None:
    dying = """
show(1);
tick(1000);
show(2);
const some = marks => ["kill", "out"].map(sprite => of(marks, sprite).length);
const faint = marks => of(marks, "square").map(mark => [mark.row < 0, mark.opacity < 1]);
const early = tick(200), next = show(3), late = tick(100), end = tick(700);
return [some(early), faint(early), some(next), faint(late), some(end), faint(end)];
"""
    assert small(dying) == [[1, 1], [[True, True]], [1, 1], [[True, True]], [0, 1], []]


def test_flames_and_bombs_say_how_long_and_how_far(small: Any) -> None:
    """A flame has a sprite for each step that it still burns, each fainter than the one before."""
    script = """
const lives = [2, 3, 4].map(index => of(show(index), ["flame", "flame 2", "ember"][index - 2]).length);
const light = sprite => {
  const pen = new OffscreenCanvas(100, 100).getContext("2d", { willReadFrequently: true });
  pen.fillRect(0, 0, 100, 100);
  sprites.paint(pen, sprite);
  return pen.getImageData(0, 0, 100, 100).data.reduce((sum, byte) => sum + byte);
};
const shares = ["flame", "flame 2", "ember"].map(light);
const texts = (marks, sprite) => of(marks, sprite).map(mark => [mark.text, mark.row, mark.col]);
const plain = show(2, false), reached = show(2, true), rolling = show(1, true);
const fainter = shares[0] > shares[1] && shares[1] > shares[2];
return [lives, fainter, texts(plain, "ticks"), texts(plain, "strength"),
  texts(reached, "strength"), texts(rolling, "ticks")];
"""
    lives, fainter, ticks, hidden, strength, alone = small(f"const {{ sprites }} = pommego.sprites; {script}")
    assert lives == [2, 2, 2]
    assert fainter
    assert ticks == [["9", 2, 2]]
    assert hidden == []
    assert strength == [["3", 2, 2]]
    assert alone == []


def test_with_reduced_motion_no_frame_between_steps_is_drawn(stepped: Browser, recorded: str) -> None:
    """Neither by the board alone nor while the page plays."""
    reduce(stepped, "reduce")
    try:
        stepped.open(recorded + "&step=20", "#where")
        stepped.run(SPY)
        script = """
byId("play").click();
frames.length = 0;
const from = pommego.stage.shown().position.step;
for (let i = 0; i < 120; i++) clock.tick(1000 / 60);
const aside = mark => mark.row % 1 && mark.size === 1 && mark.sprite === "round";
const between = frames.flat().filter(aside).length;
return [frames.length, pommego.stage.shown().position.step - from, between];
"""
        drawn, steps, between = stepped.run(script)
        assert steps >= 10
        assert (drawn, between) == (steps, 0)
    finally:
        reduce(stepped, "no-preference")


# Counts frames in which an agent is between two cells, of 60 in a second.
BETWEEN = """
frames.length = 0;
for (let i = 0; i < 60; i++) clock.tick(1000 / 60);
const agent = mark => ["round", "square"].includes(mark.sprite) && mark.size === 1;
return frames.filter(marks => marks.some(mark => agent(mark) && mark.row % 1 + mark.col % 1)).length;
"""


def arrives(window: Browser, what: str, step: int) -> None:
    browser.until(lambda: window.run(f"return {what}") == step)


def test_recorded_games_move_while_they_play_and_by_steps(stepped: Browser, recorded: str) -> None:
    stepped.open(recorded + "&step=20", "#where")
    stepped.run(SPY)
    assert stepped.run('byId("play").click();' + BETWEEN) >= 10
    stepped.run('byId("play").click(); clock.tick(1000); clock.tick(1000);')
    assert stepped.run("return clock.asked.size") == 0, "the page rests"
    assert stepped.run('byId("step-on").click();' + BETWEEN) >= 3
    assert stepped.run('byId("step-back").click();' + BETWEEN) >= 3
    assert stepped.run("clock.tick(2000); clock.tick(0); return clock.asked.size") == 0


def test_running_environments_move(stepped: Browser) -> None:
    with pommego.make_vec("PommeFFACompetition-v0", 1, opponents=["simple"] * 3, web=True) as envs:
        _, info = envs.reset(seed=3)
        stepped.open(envs.web_address, "#where")
        stepped.run(SPY)
        moved = 0
        for step in range(1, 9):
            envs.step(envs.sample_actions(info["action_mask"]))
            arrives(stepped, "pommego.stage.state().step", step)
            moved += stepped.run(BETWEEN) > 0
        stepped.driver.get("about:blank")
        assert moved >= 4


def test_matches_of_a_person_move(stepped: Browser, binary: Path) -> None:
    match = ["--env", "PommeFFACompetition-v0", "--agents", "human,simple,simple,simple", "--seed", "3"]
    with browser.match(binary, *match) as (_, address):
        stepped.open(address, "#turn")
        arrives(stepped, "pommego.play.state().asked", 0)
        stepped.run(SPY)
        moved = 0
        for step in range(1, 9):
            stepped.press(".")
            arrives(stepped, "pommego.play.state().asked", step)
            moved += stepped.run(BETWEEN) > 0
        stepped.driver.get("about:blank")
        assert moved >= 4


# How long the script and the paint of each frame take while four boards play for a while, in ms.
FRAMES = """
const { Board } = pommego.board, { game } = pommego.stage.shown(), { port1, port2 } = new MessageChannel();
const boards = [0, 1, 2, 3].map(number => {
  const canvas = document.createElement("canvas");
  const left = 420 * (number % 2), top = 420 * (number >> 1);
  canvas.style.cssText = `position: fixed; z-index: 9; left: ${left}px; top: ${top}px; width: 410px`;
  document.body.append(canvas);
  return new Board(canvas, game);
});
const took = [];
let began = null, step = 0;
port1.onmessage = () => { took.push(performance.now() - began); };  // once the frame is painted
const frame = () => {
  began = performance.now();
  port2.postMessage(0);
  if (took.length < given[0]) requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
const player = setInterval(() => {
  step++;
  boards.forEach((board, number) => board.show(game.at(20 * number + step)));
}, 1000 / 15);
await until(() => took.length >= given[0]);
clearInterval(player);
return took;
"""


def test_frames_of_four_boards(recorded: str, request: pytest.FixtureRequest) -> None:
    """With -s this prints the figures of docs/viewing.md; with --all-pages of more frames."""
    window = Browser()
    try:
        window.open(recorded, "#where")
        took = sorted(window.run(FRAMES, 600 if request.config.getoption("--all-pages") else 60))
    finally:
        window.close()
    worst, most = took[-1], took[len(took) * 99 // 100]
    print(f"median {statistics.median(took):.1f} ms, 99 % {most:.1f}, worst {worst:.1f}")
    assert took[0] > 0
