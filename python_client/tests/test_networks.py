"""Policies that learned: the same file decides the same in Python and in the program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
from pommego.networks import Layer, Network

FFA = "PommeFFACompetition-v0"


def played(binary: Path, record: Path, agents: str, seed: int, *more: str) -> list[dict]:
    command = [binary, "play", "--agents", agents, "--seed", seed, "--record", record, "--quiet", *more]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=100)
    return json.loads(record.read_text())["steps"]


@pytest.mark.parametrize(
    ("id", "agents", "seats"),
    [
        (FFA, "ppo-ffa,simple,ppo-ffa,simple", (0, 2)),
        ("PommeTeamCompetition-v0", "mappo-team,champion:level=1,mappo-team,heuristic", (0, 2)),
        ("PommeTeamCompetition-v0", "mappo-team,champion:level=2,mappo-team,champion:level=2", (0, 2)),
        ("OneVsOne-v0", "ppo-duel,champion:level=2", (0,)),
        ("OneVsOne-v0", "ppo-duel,ppo-duel", (0, 1)),
    ],
)
def test_decides_as_the_program(binary: Path, tmp_path: Path, id: str, agents: str, seats: tuple) -> None:
    """In whole games, with kicks, fog and other sides of the board."""
    rules, compared = {"max_steps": 300}, 0  # more than a byte holds
    steps = played(binary, tmp_path / "a.jsonl", agents, 1, "--env", id, "--rules", json.dumps(rules))
    with pommego.make_vec(id, 1, autoreset_mode="Disabled", rules=rules, **Network.options) as envs:
        policy = pommego.load(agents.partition(",")[0], envs.game_spec)
        obs, info = envs.reset(seed=1)
        for step in steps:
            chosen = policy(obs, info)
            for seat in seats:
                if info["alive"][seat]:
                    assert chosen[seat] == step["actions"][seat], step
                    compared += 1
            obs, _, _, _, info = envs.step(step["actions"])
    assert compared > 50


@pytest.mark.parametrize("radio", [{}, {"radio_num_words": 3, "radio_vocab_size": 5}])
def test_words(binary: Path, tmp_path: Path, radio: dict) -> None:
    """A network that speaks and hears: the program's agents do the same. In other words it is silent."""
    id, rules, rng = "PommeRadioCompetition-v2", {"max_steps": 60} | radio, np.random.default_rng(0)
    scalars = ["ammo", *(f"message{k}={word}" for k in range(2) for word in range(1, 9))]
    about = {"env": id, "planes": ["rigid", "wood"], "scalars": scalars, "blocks": [], "temperature": 0.5}
    about["trained"] = {"by": "me"}  # whatever else the file shall say
    weights = rng.normal(0, 0.3, (11, 11, 19, 24))
    Network([Layer.rounded(weights, np.zeros(24), last=True)], about).save(tmp_path / "a.net")
    agent = f"net:weights={tmp_path / 'a.net'}"
    steps = played(binary, tmp_path / "a.jsonl", agent, 3, "--env", id, "--rules", json.dumps(rules))
    said = set()
    with pommego.make_vec(id, 1, autoreset_mode="Disabled", rules=rules, **Network.options) as envs:
        policy = pommego.load(tmp_path / "a.net", envs.game_spec)
        mute = pommego.load("ppo-ffa", envs.game_spec)
        obs, info = envs.reset(seed=3)
        for step in steps:
            chosen, made = policy(obs, info), np.column_stack([step["actions"], step["messages"]])
            for seat in np.flatnonzero(info["alive"]):
                assert chosen[seat].tolist() == made[seat].tolist(), step
                said.update(chosen[seat, 1:].tolist())
            assert (mute(obs, info)[:, 1:] == 0).all()
            obs, _, _, _, info = envs.step(made)
    assert said == {0} if radio else len(said) > 2


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("ppo-ffa", FFA),
        ("mappo-team", "PommeTeamCompetition-v0"),
        ("mappo-radio", "PommeRadioCompetition-v2"),
    ],
)
def test_attacks_who_waits(name: str, id: str) -> None:
    """Whoever learns against opponents that all attack learns to wait for them, and ties with static."""
    table = pommego.tournament([name], id, against="static", games=40)
    assert table.results["standings"][0]["wins"] > 30, table


def test_games_of_another_id() -> None:
    with pommego.make_vec("OneVsOne-v0", 2, **Network.options) as envs:
        obs, info = envs.reset(seed=0)
        with pytest.raises(ValueError, match=rf"numbers has shape .*, expected .* in {FFA}: give the spec"):
            pommego.load("ppo-ffa")(obs, info)
        assert envs.action_space.contains(pommego.load("ppo-ffa", envs.game_spec)(obs, info))


def test_a_policy_asks_for_what_it_plays_by() -> None:
    """Whoever plays games with it gives that; where others play by something else the error says so."""
    policy, id = pommego.load("ppo-ffa"), FFA

    def stop(_: dict, info: dict) -> np.ndarray:
        return np.zeros(len(info["alive"]), int)

    result = pommego.evaluate(policy, id, "static", games=2, rules={"max_steps": 40})
    assert result.lengths.max() <= 40
    assert pommego.watch(policy, id, "static", rules={"max_steps": 5}).gif
    table = pommego.tournament({"a": policy}, id, against="static", games=2, rules={"max_steps": 5})
    assert table.ratings.keys() >= {"a"}
    pool = pommego.Pool()
    pool.add(policy)
    for other in (policy, pool):
        with pytest.raises(ValueError, match="is 'near', but the policy .*stop.* plays by observation="):
            pommego.evaluate(stop, id, [other, "static", "static"], games=1)
        pommego.evaluate(stop, id, [other, "static", "static"], games=1, **policy.options)
        for options, says in (
            ({}, "is 'planes', but the policy .* plays by observation='near'"),
            ({"observation": "near"}, "mask is 'legal', but the policy .* plays by mask='safe'"),
        ):
            with pommego.make_vec(id, 1, opponents=[pommego.Pool()] * 3, **options) as envs:
                with pytest.raises(ValueError, match=says):
                    envs.set_opponents([other] * 3)
                    envs.reset(seed=0)
            with pytest.raises(ValueError, match=says):
                pommego.make_vec(id, 1, opponents=[policy] * 3, **options)
        with pommego.make_vec(id, 1, opponents=[other] * 3, **policy.options) as envs:
            envs.reset(seed=0)
            envs.step([0])
    with pytest.raises(ValueError, match="observation is 'raw', but the policy .*: give observation='near'"):
        pommego.evaluate(policy, id, "static", games=1, observation="raw")
    with (
        pommego.make_vec(id, 1) as envs,
        pytest.raises(ValueError, match='give observation="near", mask="safe"'),
    ):
        policy(*envs.reset(seed=0))


def test_a_file_plays_as_it_did(tmp_path: Path) -> None:
    """Saved and loaded again; the answers are those of plain sums over the squares that units see."""
    rng = np.random.default_rng(0)
    layers = [
        Layer.rounded(rng.normal(0, 0.2, shape), np.full(shape[3], 0.1), stride, last=k == 2)
        for k, (shape, stride) in enumerate([((3, 3, 4, 8), 1), ((3, 3, 8, 4), 2), ((4, 4, 4, 6), 1)])
    ]
    scalars = ["ammo", "message0=3"]  # of which games without radio have the first alone
    about = {"env": FFA, "planes": ["rigid", "danger"], "scalars": scalars, "blocks": []}
    Network(layers, about).save(tmp_path / "a.net")
    network = pommego.load(tmp_path / "a.net")
    assert network.about == about
    with pommego.make_vec(FFA, 2, **Network.options) as envs:
        obs, info = envs.reset(seed=0)
        near, numbers = network.read(obs)
        answers, mask = network.answers(near, numbers), info["action_mask"]
        assert network(obs, info).tolist() == np.where(mask, answers, -(2**31)).argmax(1).tolist()
    assert (network.planes >= 0).all()
    assert network.numbers.tolist() == [0, -1]
    assert (numbers[:, 0] > 0).all()
    assert (numbers[:, 1] == 0).all()
    for row, got in enumerate(answers):
        x = np.zeros((11, 11, 4), np.int64)
        x[..., :2] = near[row].transpose(1, 2, 0)
        x[5, 5, 2:] = numbers[row]
        for layer in layers:
            weights, kernel = layer.weights.astype(np.int64), len(layer.weights)
            starts = range(0, len(x) - kernel + 1, layer.stride)
            squares = [[x[r : r + kernel, c : c + kernel] for c in starts] for r in starts]
            sums = np.array([[np.einsum("abi,abiu->u", s, weights) for s in line] for line in squares])
            sums += layer.biases
            x = np.clip(sums >> layer.shift, 0, 127)
        assert got.tolist() == sums.ravel().tolist()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["layers", 0, "kernel"], 2**31),
        (["layers", 1, "units"], 2**70),
        (["planes"], None),
        (["planes"], ["nope"]),
        (["scalars"], [1]),
        (["layers", 1, "stride"], 0),
        (["layers", 1, "stride"], -1),
        (["layers", 1, "stride"], 3),
        (["layers", 1, "stride"], 2.0),
        (["layers", 1, "shift"], -3),
        (["layers", 1, "shift"], 99),
        (["layers", 1, "shift"], "3"),
        (["planes"], ["rigid"]),
        (["blocks"], []),
        (["temperature"], "warm"),
        (["temperature"], float("nan")),
        (["env"], "NoSuchGame-v0"),
    ],
    ids=str,
)
def test_odd_heads_are_value_errors(tmp_path: Path, path: list[Any], value: Any) -> None:
    head, _, rest = Path(pommego.networks._FOLDERS[1] / "ppo-ffa.net").read_bytes().partition(b"\n")
    about = part = json.loads(head)
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    (tmp_path / "odd.net").write_bytes(json.dumps(about).encode() + b"\n" + rest)
    with pytest.raises(ValueError, match=r"odd\.net"):
        pommego.load(tmp_path / "odd.net")


@pytest.mark.parametrize(
    ("weight", "bias", "says"),
    [
        (np.nan, 0, "weights reach nan and biases 0, expected at most 127"),
        (0.1, np.inf, "biases inf"),
        (1e9, 0, r"weights reach 1e\+09"),
        (0.1, 40_000, "biases 40000, expected at most 127 and 10000"),
        (0.01, 200, "a unit of layer 0 may reach .* lower weights or biases"),
    ],
)
def test_weights_that_are_no_layer(weight: float, bias: float, says: str) -> None:
    about = {"env": FFA, "planes": ["rigid"], "scalars": [], "blocks": []}
    with pytest.raises(ValueError, match=says):
        Network([Layer.rounded(np.full((11, 11, 1, 6), weight), np.full(6, bias), last=True)], about)


def test_weights_of_zero() -> None:
    layer = Layer.rounded(np.zeros((1, 1, 2, 3)), [0, 1, -1], last=True)
    assert (layer.weights.any(), layer.shift) == (False, 12)
    assert (layer.biases / 2**12 / 32).tolist() == [0, 1, -1]


def test_a_temperature_that_is_no_number() -> None:
    network = pommego.load("ppo-ffa")
    with pytest.raises(ValueError, match="temperature is nan, expected a number"):
        Network(network.layers, network.about | {"temperature": float("nan")})


def test_what_is_no_network(binary: Path, tmp_path: Path) -> None:
    """Python and the program name the file and what is wrong with it; a server reads no file."""
    whole = Path(pommego.networks._FOLDERS[1] / "ppo-ffa.net").read_bytes()
    bad = tmp_path / "bad.net"
    *_, last = json.loads(whole.partition(b"\n")[0])["layers"]
    shorter = whole.replace(b", " + json.dumps(last).encode(), b"")
    odd = [b"", whole[:-1], whole + b"x", shorter[: -(last["inputs"] + 4) * last["units"]], b"[" * 100_000]
    for key, value, other in (
        ("units", 32, 33),
        ("stride", 2, 0),
        ("shift", 6, 99),
        ("temperature", 0.7, "NaN"),
    ):
        odd.append(whole.replace(f'"{key}": {value}'.encode(), f'"{key}": {other}'.encode()))
    assert whole not in odd
    for content in [*odd, b"{}\n"]:
        bad.write_bytes(content)
        with pytest.raises(ValueError, match="bad.net is no whole network"):
            pommego.load(bad)
        command = [binary, "play", "--agents", f"net:weights={bad},simple,simple,simple", "--quiet"]
        done = subprocess.run(
            list(map(str, command)), check=False, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 2
        assert "option weights=" in done.stderr
    assert 'has format "" and 0 layers' in done.stderr
    with pytest.raises(FileNotFoundError, match="no file and no policy 'ppo-ff'; there are: .*ppo-ffa"):
        pommego.load("ppo-ff")
    for spec in ("OneVsOne-v0", pommego.catalog()["SuiteBot-v0"]):
        with pytest.raises(ValueError, match="^spec is .*, expected that of a game with near"):
            pommego.load("ppo-duel", spec)
    bad.write_bytes(whole)
    with pytest.raises(pommego.PommegoError, match="only pommego play and pommego tournament read it"):
        pommego.make_vec(FFA, 1, opponents=[f"net:weights={bad}"] * 3)
