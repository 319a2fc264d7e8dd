"""What the client masks itself is what the server would have shown, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from encodings_of import RADIO, TEAM, VARIANTS, Vec, fogged, name, together
from pommego._core.fog import Fog
from pommego._core.sight import UNFOGGED

DOCUMENT = "PommeTeamJavaDocument-v0"


@pytest.fixture(scope="module")
def over_tcp(binary: Any) -> Iterator[dict[str, Any]]:
    """Where a server is that listens on TCP."""
    with pommego.Server(transport="tcp") as server:
        yield {"address": server.address, "token": server.token}


def both(where: dict[str, Any], id: str, games: int, **options: Any) -> list[pommego.PommegoVectorEnv]:
    return [pommego.make_vec(id, games, fog=fog, **where, **options) for fog in ("client", "server")]


OPTIONS: list[dict[str, Any]] = [
    {"observation": "raw", "autoreset_mode": "SameStep", "copy": False},
    {"observation": "planes", "autoreset_mode": "SameStep", "max_episode_steps": 30},
    {"observation": "raw", "seats": ["learner", "simple", "learner", "simple"]},
]


@pytest.mark.parametrize("options", OPTIONS, ids=["raw", "planes", "seats"])
def test_every_id_with_fog(over_tcp: dict[str, Any], options: dict[str, Any]) -> None:
    """Everything a step returns, last observations too, over thousands of moves of each id."""
    ids = [id for id, spec in pommego.catalog(**over_tcp).items() if fogged(spec)]
    assert {TEAM, RADIO, DOCUMENT} <= set(ids)
    for id in ids:
        envs = both(over_tcp, id, 20, shared_memory=False, **options)
        for n, (got, want) in enumerate(together(envs, 120)):
            assert_same(got, want, f"{id}, step {n}: ")
        for each in envs:
            each.close()


@pytest.mark.parametrize(("id", "options"), VARIANTS, ids=name)
def test_every_variant(vec: Vec, id: str, options: dict[str, Any]) -> None:
    """Over a Unix socket; where there is no fog it is an error."""
    make = {"observation": "raw", "shared_memory": False, **options}
    if not fogged(vec(id, 1, **options).game_spec):
        with pytest.raises(ValueError, match=f"in {id} every seat sees everything: leave out fog"):
            vec(id, 2, fog="client", **make)
        return
    envs = [vec(id, 12, fog=fog, **make) for fog in ("client", "server")]
    assert envs[0].encoding == envs[1].encoding
    assert envs[0].observation_space == envs[1].observation_space
    assert not envs[0].shared_memory
    kept, copies = [], []
    for n, (got, want) in enumerate(together(envs, 100)):
        assert_same(got, want, f"step {n}: ")
        kept.append(got[0])
        copies.append(frozen(got[0]))
    assert_same(tuple(kept), tuple(copies), "arrays that are the caller's changed: ")


def test_states_and_simulations(vec: Vec) -> None:
    """Whatever brings an observation is masked."""
    options = {"observation": "raw", "autoreset_mode": "Disabled", "shared_memory": False}
    envs = [vec(DOCUMENT, 6, fog=fog, **options) for fog in ("client", "server")]
    *_, (got, want) = together(envs, 12)
    assert_same(got, want)
    states = envs[0].get_state()
    assert states == envs[1].get_state()
    simulated = [each.simulate(states * 3, np.full(72, 5), seed=3) for each in envs]
    assert_same(*(tuple(each[1:]) for each in simulated))
    assert_same(*(each.set_state([1, 4], states[:2]) for each in envs))
    mask = np.repeat([True, False, False, True, False, True], 4)
    assert_same(*(each.reset(seed=9, options={"reset_mask": mask}) for each in envs))
    twins = [each.clone() for each in envs]
    assert_same(*(each.step(np.zeros(24, int)) for each in twins))
    for each in twins:
        each.close()


def test_one_learner_and_first_ready(vec: Vec, single: Any) -> None:
    games = [single(TEAM, observation="raw", fog=fog) for fog in ("client", "server")]
    assert_same(*(game.reset(seed=2) for game in games))
    options = {"observation": "planes", "shared_memory": False, "batch_size": 2, "workers": 1}
    envs = vec(RADIO, 4, fog="client", **options)
    obs, info = envs.reset(seed=5)
    whole = vec(RADIO, 4).reset(seed=5)[0]
    assert_same(obs, {key: array[info["row"]] for key, array in whole.items()})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fog": "me"}, "fog is 'me', expected 'server' or 'client'"),
        ({"fog": "client", "shared_memory": True}, "nothing is sent"),
        ({"fog": "client", "observation": "maps"}, "'raw' or 'planes', not 'maps'"),
    ],
)
def test_what_cannot_be(vec: Vec, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        vec(TEAM, 1, **options)


def test_what_a_server_should_not_send(vec: Vec) -> None:
    """A broken game is blank; seats off the board are an error."""
    envs = vec(TEAM, 2, observation=UNFOGGED, expand_shared=False)
    unfogged = envs.reset(seed=0)[0]
    assert unfogged["maps"].shape == (2, 5, 11, 11)
    fog = Fog(envs.game_spec, "raw")
    broken = {key: array.copy() for key, array in unfogged.items()}
    broken["maps"][1], broken["scalars"][4:] = 0, 0
    seen = fog(broken, 4)
    assert (seen["maps"][:4, 0] == 5).any()
    assert not seen["maps"][4:].any()
    row = [name.name for name in envs.encoding["scalars"].names].index("row")
    for place, value in ((row, 11), (row, -1), (row + 1, 11), (row + 1, -1)):
        wrong = unfogged["scalars"].copy()
        wrong[3, place] = value
        with pytest.raises(ValueError, match="off the board"):
            fog(unfogged | {"scalars": wrong}, 4)
