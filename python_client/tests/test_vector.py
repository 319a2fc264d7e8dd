"""The vector environment on a real server."""

from __future__ import annotations

import functools
import inspect
import pickle
from collections.abc import Callable
from copy import copy as shallow_copy
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen

Vec = Callable[..., pommego.PommegoVectorEnv]


def rollout(envs: pommego.PommegoVectorEnv, steps: int, seed: int = 5) -> list[Any]:
    """Play with fixed random actions; returns everything that came back."""
    rng = np.random.default_rng(seed)
    results = [frozen(envs.reset(seed=seed))]
    shape = envs.action_space.shape
    for _ in range(steps):
        results.append(frozen(envs.step(rng.integers(0, 6, shape))))
    return results


def assert_same_run(got: list[Any], want: list[Any], reason: str) -> None:
    for step, (a, b) in enumerate(zip(got, want, strict=True)):
        assert_same(a, b, f"{reason}, step {step}: ")


# Shapes, spaces, meanings ------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "options", "rows", "reason"),
    [
        ("PommeFFACompetition-v0", {}, 12, "four learners"),
        ("PommeFFACompetition-v0", {"opponents": ["static"] * 3}, 3, "one learner"),
        ("PommeTeamCompetition-v0", {"observation": "raw"}, 12, "raw, fogged"),
        ("PommeFFACompetition-v0", {"observation": "raw"}, 12, "raw, shared maps"),
        ("OneVsOne-v0", {"observation": "raw"}, 6, "two seats, a small board"),
        ("PommeRadioCompetition-v2", {}, 12, "three components"),
        ("PommeTeam-v0", {"seats": ["learner", "static"] * 2}, 6, "two of four"),
    ],
)
def test_everything_is_inside_its_space(
    vec: Vec, id: str, options: dict[str, Any], rows: int, reason: str
) -> None:
    envs = vec(id, 3, **options)
    assert envs.num_envs == rows, reason
    assert envs.num_games == 3
    assert envs.learners == rows // 3
    obs, info = envs.reset(seed=1)
    for _ in range(40):
        assert obs in envs.observation_space
        for name, array in obs.items():
            assert array[0] in envs.single_observation_space[name]
            assert len(envs.encoding[name].names) == array.shape[1]
        board = "maps" if "observation" in options else "planes"
        assert obs[board].shape == (rows, *envs.encoding[board].shape)
        assert obs[board].dtype == np.uint8
        actions = envs.action_space.sample()
        assert actions.shape == ((rows, 3) if "Radio" in id else (rows,))
        obs, reward, terminated, truncated, info = envs.step(actions)
        assert reward.dtype == np.float64
        assert terminated.dtype == truncated.dtype == info["alive"].dtype == np.bool_
        assert reward.shape == terminated.shape == truncated.shape == info["seat"].shape == (rows,)
        assert info["action_mask"].shape == (rows, 24 if "Radio" in id else 6)
        assert info["action_mask"].dtype == np.int8
        assert (info["action_mask"][:, 0] == 1).all(), "stop is always legal"


def test_what_the_server_tells_about_the_game(vec: Vec) -> None:
    envs = vec(games=1)
    spec = envs.game_spec
    assert spec.id == "PommeFFACompetition-v0"
    assert spec.seats == 4
    assert spec.max_steps == 800
    assert [choice.n for choice in spec.actions] == [6]
    assert spec.actions[0].names[0].lower() == "stop"
    assert {"static", "random", "simple"} <= set(spec.agents)
    assert spec.encodings[0].name == "planes"
    assert spec.rules["board_size"] == 11
    assert spec.rule_meanings["board_size"].startswith("rows and columns of the board")
    assert next(iter(spec.rule_meanings)) == "game_type", "in the order of the rules"
    assert all(name.name and name.meaning for name in envs.encoding["planes"].names)
    with pytest.raises(KeyError, match="no field"):
        envs.encoding["nonsense"]
    with pytest.raises(KeyError, match="no encoding"):
        spec.encoding("nonsense")


def test_catalog(server: pommego.Server) -> None:
    games = pommego.catalog(address=server.address, token=server.token)
    assert {"PommeFFACompetition-v0", "PommeTeamCompetition-v0", "OneVsOne-v0"} <= games.keys()
    assert games["OneVsOne-v0"].seats == 2
    for spec in games.values():
        assert set(spec.rules) <= set(spec.rule_meanings)
        assert all(spec.rule_meanings.values())
        assert {e.name for e in spec.encodings} >= {"raw", "planes"}
        for encoding in spec.encodings:
            encoding.space()


def test_seats_of_the_rows(vec: Vec) -> None:
    envs = vec("PommeTeam-v0", 5, seats=["static", "learner", "static", "learner"])
    _, info = envs.reset(seed=0)
    assert envs.by_game(info["seat"]).tolist() == [[1, 3]] * 5
    envs = vec(games=2, opponents=["static"] * 3, seat=2)
    assert envs.reset(seed=0)[1]["seat"].tolist() == [2, 2]
    envs = vec(games=64, opponents=["static"] * 3)
    assert set(envs.reset(seed=0)[1]["seat"].tolist()) == {0, 1, 2, 3}, "drawn if not given"


def test_by_game_is_a_view(vec: Vec) -> None:
    envs = vec(games=3)
    obs, info = envs.reset(seed=0)
    grouped = envs.by_game(obs)
    assert grouped["planes"].shape == (3, 4, *envs.encoding["planes"].shape)
    assert np.shares_memory(grouped["planes"], obs["planes"])
    np.testing.assert_array_equal(grouped["planes"][1, 2], obs["planes"][6])
    assert envs.by_game(info)["seat"].tolist() == [[0, 1, 2, 3]] * 3
    assert envs.by_game((info["seat"], 7))[1] == 7
    assert envs.by_game("text") == "text"


def test_shared_fields_may_stay_once_a_game(vec: Vec) -> None:
    rows = vec(observation="raw")
    games = vec(observation="raw", expand_shared=False)
    assert games.encoding["maps"].shared
    expanded, _ = rows.reset(seed=4)
    once, _ = games.reset(seed=4)
    assert once["maps"].shape == (3, 5, 11, 11)
    assert once in games.observation_space
    broadcast = games.by_game(once)["maps"]
    assert np.shares_memory(broadcast, once["maps"]), "broadcasting must not copy"
    np.testing.assert_array_equal(broadcast.reshape(12, 5, 11, 11), expanded["maps"])


def test_fogged_maps_are_not_shared(vec: Vec) -> None:
    envs = vec("PommeTeamCompetition-v0", observation="raw")
    assert not envs.encoding["maps"].shared


# Copies and views --------------------------------------------------------------


def arrays(result: Any) -> list[np.ndarray]:
    if isinstance(result, dict):
        return [a for value in result.values() for a in arrays(value)]
    if isinstance(result, tuple):
        return [a for value in result for a in arrays(value)]
    return [result] if isinstance(result, np.ndarray) and result.dtype != object else []


@pytest.mark.parametrize("games", [2, 300], ids=["small", "large"])
@pytest.mark.parametrize("observation", ["planes", "raw"])
def test_copies_are_the_callers(vec: Vec, games: int, observation: str) -> None:
    """No two arrays of any two calls share memory, and none is written again."""
    envs = vec(games=games, observation=observation)
    rng = np.random.default_rng(0)
    results = [envs.reset(seed=0)]
    kept = [frozen(results[0])]
    for _ in range(6):
        results.append(envs.step(rng.integers(0, 6, envs.num_envs)))
        kept.append(frozen(results[-1]))
    envs.get_state([0, 1])
    for result, copy in zip(results, kept, strict=True):
        assert_same(result, copy)
    everything = [a for result in results for a in arrays(result)]
    for i, a in enumerate(everything):
        assert a.flags.writeable
        for b in everything[i + 1 :]:
            assert not np.may_share_memory(a, b) or not np.shares_memory(a, b)


def test_a_kept_reward_does_not_keep_a_batch(vec: Vec) -> None:
    envs = vec(games=300)
    envs.reset(seed=0)
    _, reward, terminated, truncated, info = envs.step(np.zeros(1200, int))
    for array in [reward, terminated, truncated, *arrays(info)]:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert owner.base is None, "its memory should be its own"
        assert owner.nbytes <= 1200 * 8 + 16


def test_views_live_until_the_next_batch(vec: Vec) -> None:
    envs = vec(games=300, copy=False, shared_memory=False)
    envs.reset(seed=0)
    first = envs.step(np.zeros(1200, int))
    was = frozen(first[0])
    second = envs.step(np.arange(1200) % 6)
    assert np.shares_memory(first[0]["planes"], second[0]["planes"]), "copy=False should reuse the buffer"
    assert (first[0]["planes"] != was["planes"]).any(), "the old view now shows the new batch"


@pytest.mark.parametrize("observation", ["planes", "raw"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_views_and_copies_agree(vec: Vec, observation: str, mode: str) -> None:
    options = {"observation": observation, "autoreset_mode": mode}
    want = rollout(vec(games=5, **options), 60)
    assert_same_run(rollout(vec(games=5, copy=False, **options), 60), want, "views")


# Seeds and determinism ---------------------------------------------------------


def test_seeds_and_episodes(vec: Vec) -> None:
    envs = vec(games=3)
    _, info = envs.reset(seed=100)
    assert envs.by_game(info["seed"])[:, 0].tolist() == [100, 101, 102]
    assert info["seed"].dtype == np.uint64
    assert info["_seed"].all()
    assert not info["episode_number"].any()
    _, info = envs.reset()
    assert envs.by_game(info["seed"])[:, 0].tolist() == [100, 101, 102]
    assert (info["episode_number"] == 1).all()
    obs, info = envs.reset(seed=[7, 2**64 - 1, 7])
    assert envs.by_game(info["seed"])[:, 0].tolist() == [7, 2**64 - 1, 7]
    boards = envs.by_game(obs["planes"])
    np.testing.assert_array_equal(boards[0], boards[2])
    assert (boards[0] != boards[1]).any()
    _, info = envs.reset(seed=[None, 5, None])
    assert envs.by_game(info["seed"])[:, 0].tolist() == [7, 5, 7]
    assert envs.by_game(info["episode_number"])[:, 0].tolist() == [1, 0, 1]


def test_seeds_for_some_games(vec: Vec) -> None:
    """Also in the first reset, in which the others draw theirs."""
    envs = vec(games=3)
    _, info = envs.reset(seed=[4, None, 6])
    assert envs.by_game(info["seed"])[[0, 2], 0].tolist() == [4, 6]


def test_entropy_is_drawn_and_reported(vec: Vec) -> None:
    envs = vec(games=3)
    obs, info = envs.reset()
    seeds = envs.by_game(info["seed"])[:, 0]
    assert len(set(seeds.tolist())) == 3
    again, _ = envs.reset(seed=seeds.tolist())
    assert_same(again, obs, "the reported seeds give the same games: ")


@pytest.mark.parametrize(
    "other",
    [{"workers": 1}, {"workers": 2}, {"workers": 7}, {"timeout": 20.0}],
    ids=["one worker", "two workers", "seven workers", "another run"],
)
def test_same_seed_same_bytes(vec: Vec, other: dict[str, Any]) -> None:
    options = {
        "id": "PommeTeamCompetition-v0",
        "games": 70,
        "seats": ["learner", "simple", "learner", "random"],
    }
    want = rollout(vec(**options), 60)
    assert_same_run(rollout(vec(**options, **other), 60), want, str(other))


def test_same_seed_same_bytes_on_either_transport() -> None:
    runs = []
    for transport in ("tcp", "unix"):
        with pommego.Server(transport=transport) as server:
            where = {"address": server.address, "token": server.token}
            with pommego.make_vec("OneVsOne-v0", 9, **where) as envs:
                assert envs.address.startswith("ws" if transport == "tcp" else "unix")
                runs.append(rollout(envs, 50))
    assert_same_run(runs[1], runs[0], "unix against tcp")


def test_masked_reset_leaves_the_others_alone(vec: Vec) -> None:
    envs = vec(games=3)
    envs.reset(seed=0)
    before, *_ = envs.step(np.full(12, 1))
    mask = np.repeat([False, True, False], 4)
    options = {"reset_mask": mask}
    after, info = envs.reset(seed=50, options=options)
    assert options == {"reset_mask": mask}, "the caller's options must stay as they are"
    assert_same(after["planes"][~mask], before["planes"][~mask])
    assert info["seed"][mask].tolist() == [51] * 4
    np.testing.assert_array_equal(info["_seed"], mask)
    assert info["action_mask"][:, 0].all(), "masks are there for all rows"
    _, info = envs.reset()
    assert envs.by_game(info["seed"])[:, 0].tolist() == [0, 51, 2]


# Actions -----------------------------------------------------------------------


@pytest.mark.parametrize("action", [6, 255, 256, 261, -1, -250])
def test_actions_out_of_range_are_refused(vec: Vec, action: int) -> None:
    """261 is 5 in a byte, and -250 is 6: neither may slip through."""
    envs = vec(games=2)
    envs.reset(seed=0)
    actions = np.zeros(8, int)
    actions[3] = action
    with pytest.raises(pommego.ServerError, match="bad_action") as caught:
        envs.step(actions)
    assert "3" in caught.value.message, "the row is named"
    fresh = vec(games=2)
    fresh.reset(seed=0)
    assert_same(envs.step(np.full(8, 1)), fresh.step(np.full(8, 1)), "nothing was stepped: ")


def test_actions_of_the_dead_are_not_looked_at(vec: Vec) -> None:
    envs = vec(games=1)
    _, info = envs.reset(seed=0)
    for _ in range(300):
        actions = np.where(info["alive"], 5, 77)
        *_, info = envs.step(actions)
        if not info["alive"].all():
            dead = info["action_mask"][~info["alive"]]
            assert (dead == [1, 0, 0, 0, 0, 0]).all(), "the dead can only stop"
            return
    pytest.fail("nobody died of their own bombs")


def test_actions_by_game_and_of_any_integer_type(vec: Vec) -> None:
    wanted = np.arange(12) % 6
    results = []
    for actions in (wanted, wanted.reshape(3, 4), wanted.astype(np.uint8), wanted.tolist()):
        envs = vec(games=3)
        envs.reset(seed=0)
        results.append(envs.step(actions))
    for result in results[1:]:
        assert_same(result, results[0])


def test_sampled_actions_are_legal_and_repeatable(vec: Vec) -> None:
    envs = vec("PommeRadioCompetition-v2", 50)
    _, info = envs.reset(seed=9)
    masks = envs.split_mask(info["action_mask"])
    assert [mask.shape[1] for mask in masks] == [6, 9, 9]
    actions = envs.sample_actions(info["action_mask"])
    assert actions in envs.action_space
    for k, mask in enumerate(masks):
        assert mask[np.arange(200), actions[:, k]].all()
    _, info = envs.reset(seed=9)
    assert_same(envs.sample_actions(info["action_mask"]), actions)
    drawn = np.concatenate([envs.sample_actions()[:, 0] for _ in range(40)])
    counts = np.bincount(drawn, minlength=6)
    assert counts.min() > 0.9 * drawn.size / 6, "without a mask everything is equally likely"


# Several in flight -------------------------------------------------------------


def test_send_and_recv_are_step_taken_apart(vec: Vec) -> None:
    rng = np.random.default_rng(2)
    batches = rng.integers(0, 6, (40, 12))
    one, many = vec(games=3), vec(games=3)
    one.reset(seed=1)
    many.reset(seed=1)
    assert many.max_in_flight > 1
    depth = many.max_in_flight
    got = []
    for i, actions in enumerate(batches):
        many.send(actions)
        if i >= depth - 1:
            got.append(many.recv())
    got += [many.recv() for _ in range(depth - 1)]
    assert_same_run(got, [one.step(actions) for actions in batches], "in flight")


def test_order_of_send_and_recv(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    actions = np.zeros(4, int)
    with pytest.raises(pommego.PommegoError, match="call send"):
        envs.recv()
    for _ in range(envs.max_in_flight):
        envs.send(actions)
    with pytest.raises(pommego.PommegoError, match="the most allowed"):
        envs.send(actions)
    with pytest.raises(pommego.PommegoError, match="in flight"):
        envs.step(actions)
    with pytest.raises(pommego.PommegoError, match="in flight"):
        envs.get_state(0)
    envs.recv()
    want = vec(games=1).reset(seed=5)
    assert_same(envs.reset(seed=5), want, "reset forgets what is in flight: ")
    envs.step(actions)


def test_a_refused_step_in_flight_is_that_batchs_error(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    for action in (0, 300):
        envs.send(np.full(4, action))
    envs.recv()
    envs.send(np.full(4, 0))
    with pytest.raises(pommego.ServerError, match=r"is 300, want 0 to 5 \[bad_action"):
        envs.recv()
    envs.recv()
    with pytest.raises(pommego.PommegoError, match="call send"):
        envs.recv()


# Options and errors ------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "options", "code", "reason"),
    [
        ("NoSuchGame-v0", {}, "unknown_env_id", "an id that is not there"),
        ("OneVsOne-v0", {"observation": "pixels"}, "bad_option", "an encoding that is not there"),
        ("OneVsOne-v0", {"reward": "shaped"}, "bad_option", "a reward that is not there"),
        ("OneVsOne-v0", {"opponents": ["nobody"]}, "bad_option", "an agent that is not there"),
        ("OneVsOne-v0", {"opponents": ["static"] * 2}, "bad_option", "too many opponents"),
        ("OneVsOne-v0", {"opponents": ["static"], "seat": 2}, "", "a seat that is not there"),
        ("OneVsOne-v0", {"seats": ["learner"]}, "bad_option", "too few seats"),
        ("OneVsOne-v0", {"seats": ["static"] * 2}, "bad_option", "nobody learns"),
        ("OneVsOne-v0", {"opponents": ["static"], "seats": ["learner"] * 2}, "bad_option", "both"),
        ("OneVsOne-v0", {"on_death": "mourn"}, "bad_option", "no such thing"),
        ("OneVsOne-v0", {"games": 0}, "", "no games"),
        ("OneVsOne-v0", {"games": 10**9}, "", "more games than the server allows"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_options_that_cannot_be(vec: Vec, id: str, options: dict[str, Any], code: str, reason: str) -> None:
    with pytest.raises(pommego.ServerError) as caught:
        vec(id, **options)
    if code:
        assert caught.value.code == code, reason
    assert caught.value.message


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"autoreset_mode": "Sometimes"}, ValueError),
        ({"opponents": 3}, TypeError),
        ({"max_episode_steps": -1}, ValueError),
    ],
)
def test_options_refused_before_anything_is_sent(vec: Vec, options: dict[str, Any], error: type) -> None:
    with pytest.raises(error):
        vec(**options)


@pytest.mark.parametrize("id", ["PommeFFA-v1", "PommeTeam-v0", "SuiteBot-v0", "BaseWar-v0"])
def test_with_several_learners_the_dead_wait(vec: Vec, id: str) -> None:
    """Also where "end", the default, is given."""
    assert vec(id, on_death="end").on_death == "wait"


def test_timeouts_of_any_length(vec: Vec) -> None:
    """The system's calls do not take all of them."""
    envs = vec(games=1, timeout=float("inf"))
    envs.reset()
    for seconds in (1e30, 3e9, 60):
        envs.timeout = seconds
        envs.render(0)
    for wrong in (None, "abc", -1, float("nan")):
        with pytest.raises(ValueError, match=f"timeout is {wrong!r}, expected a number, 0 or more"):
            envs.timeout = wrong
    assert envs.timeout == 60


def test_stepping_before_the_first_reset(vec: Vec) -> None:
    envs = vec(games=1)
    with pytest.raises(pommego.ServerError, match="not_reset"):
        envs.step(np.zeros(4, int))
    envs.reset()


def test_closed_environments_say_so(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    envs.close()
    envs.close()
    for use in (envs.reset, lambda: envs.step(np.zeros(4, int)), envs.get_state, envs.render, envs.recv):
        with pytest.raises(pommego.ClosedError, match="closed"):
            use()


def test_opponents_change_with_the_next_episode(vec: Vec) -> None:
    envs = vec(games=1, opponents=["static"] * 3, seat=0)
    envs.reset(seed=0)
    envs.set_opponents(["random"] * 3)

    def others_moved() -> bool:
        first = envs.get_state(0, as_json=True)
        for _ in range(12):
            envs.step([0])
        return envs.get_state(0, as_json=True)["agents"] != first["agents"]

    assert not others_moved(), "not in the middle of an episode"
    envs.reset()
    assert others_moved()
    with pytest.raises(pommego.ServerError):
        envs.set_opponents(["random"])
    with pytest.raises(pommego.ServerError):
        envs.set_opponents(["nobody"] * 3)


def test_max_episode_steps_truncates(vec: Vec) -> None:
    envs = vec(games=2, max_episode_steps=3)
    envs.reset(seed=0)
    for step in range(1, 4):
        _, reward, terminated, truncated, info = envs.step(np.zeros(8, int))
        assert truncated.all() == (step == 3)
        assert not terminated.any()
        assert not reward.any()
    assert (info["game"]["length"] == 3).all()
    assert (info["game"]["result"] == pommego.Result.UNDECIDED).all()


def test_render(vec: Vec) -> None:
    envs = vec(games=2)
    envs.reset(seed=0)
    picture = envs.render(1)
    assert isinstance(picture, str)
    assert len(picture.splitlines()) >= 11
    assert "\x1b[" not in picture
    assert "\x1b[" in envs.render(1, colour=True)
    assert envs.render([1, 0]) == (picture, envs.render(0))
    assert envs.render()[4:] == (picture,) * 4, "one for each row, as gymnasium has it"
    with pytest.raises(pommego.ServerError):
        envs.render(2)
    with pytest.raises(TypeError, match="^games is '0', expected a number, several or None"):
        envs.render("0")


def test_rules_of_ones_own_are_passed_on(vec: Vec) -> None:
    envs = vec("PommeFFACompetition-v0", 1, rules={"max_steps": 5})
    envs.reset(seed=0)
    for _ in range(5):
        *_, terminated, _, _ = envs.step(np.zeros(4, int))
    assert terminated.all()


def test_repr_and_ping(vec: Vec) -> None:
    envs = vec(games=2)
    assert repr(envs) == "PommegoVectorEnv(PommeFFACompetition-v0, games=2, rows=8, observation=planes)"


def test_make_vec_has_few_options() -> None:
    """What belongs together is one object: `LineUps`, `Starts`, `Connection`."""
    assert len(inspect.signature(pommego.make_vec).parameters) == 25


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("oponents", "; did you mean opponents[?]"),
        ("observations", "; did you mean observation[?]"),
        ("ca_file", r"; use connection=pommego.Connection\(ca_file=...\) instead"),
        ("shared_memory", r"; use connection=pommego.Connection\(shared_memory=...\) instead"),
        ("colour", ""),
    ],
)
def test_options_that_there_are_not(name: str, says: str) -> None:
    """Python's own words come first: frameworks look for them, and leave the option out."""
    first = "^{}[(][)] got an unexpected keyword argument '{}': there is no option {} here{}$"
    for make in (pommego.make_vec, pommego.make):
        with pytest.raises(TypeError, match=first.format(make.__name__, name, name, says)):
            make("OneVsOne-v0", **{name: None})
    with pytest.raises(TypeError, match=first.format("make", *["copy"] * 2, "; pommego.make_vec[(][)] has")):
        pommego.make("OneVsOne-v0", copy=False)


def test_numbers_of_numpy(vec: Vec) -> None:
    """Options and rules may be numbers of numpy, as they come out of a sweep."""
    options = {"seat": np.int64(1), "max_episode_steps": np.int32(5), "workers": np.uint8(1)}
    options |= {"batch_size": np.int64(2), "state": np.True_, "counts": np.False_, "timeout": np.float32(60)}
    plain = {name: value.item() for name, value in options.items()}
    for rules in ({"max_steps": 30}, [{"max_steps": 30}, {"max_steps": 31}]):
        given = [{name: np.int64(n) for name, n in one.items()} for one in np.atleast_1d(rules)]
        given = given if isinstance(rules, list) else given[0]
        ours = vec("OneVsOne-v0", np.int64(2), opponents=["random"], rules=given, **options)
        theirs = vec("OneVsOne-v0", 2, opponents=["random"], rules=rules, **plain)
        assert_same(ours.reset(seed=np.int64(4)), theirs.reset(seed=4))
        assert ours.timeout == 60
    with pytest.raises(TypeError, match="1j is a complex, which cannot be sent to a server"):
        vec("OneVsOne-v0", 1, rules={"max_steps": 1j})


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("copy", [True, False])
def test_info_of_ended_episodes_is_made_when_looked_at(vec: Vec, mode: str, copy: bool) -> None:
    """Whenever that is: the batches after it change nothing."""
    twins = [vec(games=16, counts=True, autoreset_mode=mode, copy=copy) for _ in range(2)]
    for envs in twins:
        envs.reset(seed=0)
    rng = np.random.default_rng(0)
    kept, at_once = [], []
    for _ in range(40):
        actions = rng.integers(0, 6, twins[0].num_envs)
        late, early = (envs.step(actions)[-1] for envs in twins)
        made = ("game", "_game", "final_obs", "final_info", "seed", "_seed", "_episode_number")
        names = [name for name in made if name in late] + ["valid"] * ("seed" in late)
        assert all(type(dict.__getitem__(late, name)) is functools.partial for name in names)
        kept.append({name: functools.partial(late.__getitem__, name) for name in names})
        at_once.append(frozen({name: early[name] for name in names}))
    assert sum("game" in info for info in at_once) > 10
    assert sum("final_obs" in info for info in at_once) > (10 if mode == "SameStep" else -1)
    for late, want in zip(kept, at_once, strict=True):
        assert_same({name: look() for name, look in late.items()}, want)


def test_info_of_ended_episodes_is_a_dictionary_in_every_way(vec: Vec) -> None:
    envs = vec(games=16, autoreset_mode="SameStep")
    envs.reset(seed=0)
    while "final_info" not in (info := envs.step(np.full(envs.num_envs, 5))[-1]):
        pass
    assert isinstance(info, dict)
    dicts: list[Callable[[Any], Any]] = [
        *(dict, lambda info: info.copy(), lambda info: {**info}, lambda info: info | {}),
        *(lambda info: {} | info, shallow_copy, deepcopy, lambda info: pickle.loads(pickle.dumps(info))),
        *(lambda info: dict(info.items()), lambda info: dict(zip(info, info.values(), strict=True))),
        *(
            lambda info: {name: info.get(name) for name in info},
            lambda info: {name: info[name] for name in info},
        ),
        *(lambda info: {name: info.setdefault(name) for name in list(info)},),
        *(lambda info: {name: info.pop(name) for name in list(info)},),
    ]
    want = None
    for made in dicts:
        got = made(type(info)(dict.items(info)))
        assert not any(type(value) is functools.partial for value in got.values())
        want = want or dict(got)
        assert_same(dict(got), want)
    assert "partial" not in repr(info)
