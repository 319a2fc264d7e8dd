"""`watch`: a policy's game, agents' and recorded ones as pictures, and where they can be saved."""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego

DUEL, TEAM = "OneVsOne-v0", "PommeTeamCompetition-v0"


@pytest.fixture
def where(server: pommego.Server) -> dict[str, Any]:
    return {"address": server.address, "token": server.token}


def bomber(obs: Any, info: dict[str, Any]) -> np.ndarray:
    """Lay a bomb and stay: its game ends with its first bomb."""
    assert len(obs["planes"]) == len(info["seat"])
    return np.full(len(info["seat"]), 5)


def frames(gif: bytes) -> int:
    """Count the pictures of a GIF by their graphic control extensions."""
    return len(re.findall(rb"\x21\xf9\x04.{4}\x00\x2c", gif, re.DOTALL))


def test_a_policy(where: dict[str, Any]) -> None:
    video = pommego.watch(bomber, DUEL, "static", seat=1, seed=3, **where)
    assert video.title == "OneVsOne-v0, seed 3: static, policy"
    assert video.gif[:6] == b"GIF89a"
    width, height = np.frombuffer(video.gif[6:10], "<u2").tolist()
    assert width == height == 8 * 24
    with pommego.make_vec(DUEL, 1, opponents=["static"], seat=1, **where) as envs:
        envs.reset(seed=3)
        done, steps = False, 0
        while not done:
            *_, terminated, _, _ = envs.step([5])
            done, steps = terminated[0], steps + 1
    assert frames(video.gif) == steps + 1
    assert video.html.startswith("<!DOCTYPE html>")
    assert "<script" in video.html
    again = pommego.watch(bomber, DUEL, "static", seat=1, seed=3, **where)
    assert again == video, "the same game"


def test_a_team_and_other_rules(where: dict[str, Any]) -> None:
    rules = {"max_steps": 5}
    video = pommego.watch(bomber, TEAM, "static", team=True, seat=1, rules=rules, tile=8, **where)
    assert video.title.endswith("static, policy, static, policy")
    assert frames(video.gif) == 6
    assert np.frombuffer(video.gif[6:8], "<u2")[0] == 11 * 8


def test_agents(where: dict[str, Any]) -> None:
    video = pommego.watch("mcts:ticks=20,careful=0", DUEL, "random", rules={"max_steps": 9}, **where)
    assert video.title == "custom:OneVsOne-v0, seed 0: mcts:ticks=20,careful=0, random"
    assert 1 < frames(video.gif) <= 10


def test_a_policy_that_searches(where: dict[str, Any]) -> None:
    """It gets saved games and a way to simulate them; the game is the one that it plays in `evaluate`."""
    found: list[np.ndarray] = []

    def ahead(obs: Any, info: dict[str, Any], states: Any, simulate: Any) -> np.ndarray:
        tried = simulate(
            [state for state in states for _ in range(6)], np.tile(np.arange(6), len(states)), seed=1
        )
        found.append(tried.reward)
        return np.where(info["first"], 5, 0)

    video = pommego.watch(ahead, DUEL, "static", seat=1, seed=3, **where)
    assert (
        video.gif
        == pommego.watch(
            lambda _, info: np.where(info["first"], 5, 0), DUEL, "static", seat=1, seed=3, **where
        ).gif
    )
    assert {reward.shape for reward in found} == {(6,)}


@pytest.mark.parametrize("kind", ["record", "data set"])
def test_recordings(binary: Path, tmp_path: Path, kind: str) -> None:
    path, command = (
        tmp_path / "games.jsonl",
        "play --env OneVsOne-v0 --agents static,random --seed 1 --quiet --record",
    )
    if kind == "data set":
        command = "generate --env OneVsOne-v0 --agents static,random --games 2 --out"
    done = subprocess.run([binary, *command.split(), path], check=True, capture_output=True, text=True)
    first = pommego.watch(path)
    assert first.title == "games.jsonl"
    assert frames(first.gif) > 1, done.stdout
    if kind == "data set":
        assert pommego.watch(path, game=1) != first
        with pytest.raises(pommego.PommegoError, match="no such game: 7, want 0 to 1"):
            pommego.watch(path, game=7)


def test_shown_and_saved(where: dict[str, Any], tmp_path: Path) -> None:
    video = pommego.watch(bomber, DUEL, "static", **where)
    shown = re.fullmatch(
        r'<iframe title="([^"]*)".*? srcdoc="([^"]*)"></iframe>', video._repr_html_(), re.DOTALL
    )
    assert html.unescape(shown[1]) == video.title
    assert html.unescape(shown[2]) == video.html
    video.save(tmp_path / "game.gif")
    assert (tmp_path / "game.gif").read_bytes() == video.gif
    video.save(str(tmp_path / "game.HTML"))
    assert (tmp_path / "game.HTML").read_text(encoding="utf-8") == video.html
    for name in ("mine.gif", "mine.html"):
        (tmp_path / name).write_text("years of work")
        (tmp_path / f"link-{name}").symlink_to(tmp_path / "thesis.html")
        for path in (tmp_path / name, tmp_path / f"link-{name}"):
            with pytest.raises(FileExistsError, match=f"{name} exists: remove it, or name another"):
                video.save(path)
        assert (tmp_path / name).read_text() == "years of work"
    assert not (tmp_path / "thesis.html").exists()
    with pytest.raises(ValueError, match=r"expected an ending .gif or .html"):
        video.save(tmp_path / "game.avi")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "says"),
    [
        ((bomber,), {}, TypeError, "needs the id of a game"),
        (("no/such.jsonl",), {}, FileNotFoundError, "what is 'no/such.jsonl': there is no such file"),
        ((bomber, DUEL, bomber), {}, TypeError, r"opponents has <function bomber.*by their names"),
        (("no/such.jsonl",), {"rules": {}}, TypeError, r"\['rules'\] are for playing a game"),
        ((3, DUEL), {}, TypeError, "what is 3, expected a policy"),
        (("human", DUEL), {}, ValueError, "what is 'human', who can play only in pommego play"),
        ((bomber, DUEL), {"stat": True}, TypeError, "no option stat here; did you mean state?"),
        (("simple", DUEL), {"seat": 2}, ValueError, "seat is 2, expected 0 to 1"),
        (("simple", DUEL), {"seed": -1}, pommego.PommegoError, "seed"),
        (("simple", DUEL), {"tile": 3}, pommego.PommegoError, "tile is 3, want 8 to 128"),
        (("simpel", DUEL), {}, pommego.PommegoError, 'did you mean "simple"'),
        ((bomber, DUEL, "simpel"), {}, pommego.PommegoError, "simpel"),
        ((bomber, DUEL, ["static"] * 2), {}, ValueError, "2 opponents, expected 1"),
    ],
)
def test_misuse(where: dict[str, Any], arguments: Any, options: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        pommego.watch(*arguments, **options, **where)
