"""Planes made of raw observations in Python are the server's, to the byte.

`integration_tests/test_encoding.py` compares those of PyTorch and JAX.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same
from encodings_of import TEAM, VARIANTS, Vec, fogged, name, together


@pytest.mark.parametrize(("id", "options"), VARIANTS, ids=name)
def test_planes_are_the_servers(vec: Vec, id: str, options: dict[str, Any]) -> None:
    """In every variant, for many games and through several episodes."""
    envs = vec(id, 24, observation="raw", **options)
    spec = envs.game_spec
    all_envs = [envs, vec(id, 24, **options)]
    if fogged(spec):
        all_envs.append(vec(id, 24, observation="unfogged", expand_shared=False, **options))
    for n, ((raw, *_), (want, *_), *more) in enumerate(together(all_envs, 120)):
        assert_same(pommego.planes(raw, spec), want, f"step {n}: ")
        for result in more:
            assert len(result[0]["maps"]) == 24
            assert_same(pommego.planes(result[0], spec, unfogged=True), want, f"unfogged, step {n}: ")


@pytest.mark.parametrize("id", ["PommeTeam-v0", "PommeFFAJava-v0"])
def test_shared_fields_need_not_be_expanded(vec: Vec, id: str) -> None:
    """Where they have games first, with steps before them or not."""
    envs = vec(id, 5, observation="raw", expand_shared=False)
    made = list(together([envs, vec(id, 5)], 3))
    raws, wanted = ([result[k][0] for result in made] for k in range(2))
    for raw, want in zip(raws, wanted, strict=True):
        assert len(raw["maps"]) == 5
        assert_same(pommego.planes(raw, envs.game_spec), want)
    rollout, want = ({key: np.stack([obs[key] for obs in all]) for key in all[0]} for all in (raws, wanted))
    assert_same(pommego.planes(rollout, envs.game_spec), want)


def test_one_observation(vec: Vec, single: Any) -> None:
    """Without a dimension of rows."""
    raw, want = (single(TEAM, opponents=["random"] * 3, observation=o) for o in ("raw", "planes"))
    got = pommego.planes(raw.reset(seed=1)[0], raw.game_spec)
    assert_same(got, want.reset(seed=1)[0])


@pytest.mark.parametrize("id", [TEAM, "PommeFFA2018-v0"])
def test_a_broken_game_is_blank(vec: Vec, id: str) -> None:
    """Its raw observation is all zeros, and so are its planes."""
    envs = vec(id, 1, observation="raw")
    blank = {key: np.zeros_like(array) for key, array in envs.reset(seed=0)[0].items()}
    assert not any(array.any() for array in pommego.planes(blank, envs.game_spec).values())


def test_what_is_no_raw_observation(vec: Vec) -> None:
    envs = vec(TEAM, 2, observation="raw")
    raw = envs.reset(seed=0)[0]
    wrong = [
        (
            vec(TEAM, 2).reset(seed=0)[0],
            "raw observations of PommeTeamCompetition-v0 have .*'maps'.*got .*'planes'",
        ),
        ({"maps": raw["maps"]}, "have .*'scalars'"),
        (raw | {"maps": raw["maps"][..., :8, :8]}, r"got .*8, 8\)"),
        (raw | {"maps": raw["maps"][:3]}, r"'maps' has leading dimensions \(3,\), others .* \(8,\)"),
    ]
    for obs, message in wrong:
        with pytest.raises(ValueError, match=message):
            pommego.planes(obs, envs.game_spec)
    open_game = vec("PommeFFACompetition-v0", 1, observation="raw")
    with pytest.raises(pommego.PommegoError, match="PommeFFACompetition-v0 has no fog"):
        pommego.planes(open_game.reset(seed=0)[0], open_game.game_spec, unfogged=True)


@pytest.mark.parametrize("id", ["BaseWar-v0", "SuiteBot-v0"])
def test_planes_of_other_games_are_the_servers_alone(vec: Vec, id: str) -> None:
    envs = vec(id, 1, observation="raw")
    with pytest.raises(ValueError, match=f"Pommerman alone, not {id}"):
        pommego.planes(envs.reset(seed=0)[0], envs.game_spec)
