"""gymnasium's recorders of videos, which need moviepy and an ffmpeg."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest

pytest.importorskip("moviepy")

from moviepy import VideoFileClip

import pommego

DUEL = "pommego/OneVsOne-v0"


def frames(path: Path) -> list[np.ndarray]:
    with VideoFileClip(str(path)) as clip:
        return list(clip.iter_frames())


@pytest.mark.parametrize("first_only", [True, False])
def test_vector(tmp_path: Path, server: pommego.Server, first_only: bool) -> None:
    where = {"address": server.address, "token": server.token}
    envs = gymnasium.make_vec(DUEL, num_envs=2, opponents=["static"], render_mode="rgb_array", **where)
    envs = gymnasium.wrappers.vector.RecordVideo(
        envs,
        str(tmp_path / "videos"),
        record_first_only=first_only,
        step_trigger=lambda step: step == 0,
        video_length=10,
    )
    envs.reset(seed=0)
    for _ in range(15):
        envs.step(np.array([5, 0]))
    envs.close()
    (video,) = (tmp_path / "videos").glob("*.mp4")
    seen = frames(video)
    assert len(seen) in (9, 10, 11), "which frames are the first and the last is a matter of rounding"
    assert seen[0].shape == (8 * 16, 8 * 16 * (1 if first_only else 2), 3)
    assert any((frame != seen[0]).any() for frame in seen), "something moves"


def test_single(tmp_path: Path, server: pommego.Server) -> None:
    where = {"address": server.address, "token": server.token}
    env = gymnasium.make(DUEL, opponents=["static"], render_mode="rgb_array", **where)
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda _: True)
    env.reset(seed=0)
    done, steps = False, 0
    while not done:
        *_, terminated, truncated, _ = env.step(5 if steps == 0 else 0)
        done, steps = terminated or truncated, steps + 1
    env.close()
    (video,) = (tmp_path / "videos").glob("*.mp4")
    assert len(frames(video)) in (steps, steps + 1)
