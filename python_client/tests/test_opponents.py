"""Line-ups of opponents, policies in seats, and the pool."""

from __future__ import annotations

import json
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same, frozen
from pommego._core.rows import to_box
from test_looking_on import credentials, opened

Vec = Callable[..., pommego.PommegoVectorEnv]


def play(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
    """Choose a legal action that depends on all that a row sees, and on nothing else."""
    mask = info["action_mask"].astype(np.int64)
    seen = obs["planes"].reshape(len(mask), -1).astype(np.int64)
    key = seen @ (np.arange(seen.shape[1]) * 7919 % 104729) + info["seat"]
    return (mask * ((key[:, None] * (1 + np.arange(mask.shape[1])) % 997) + 1)).argmax(1)


class Counting:
    """`play`, which notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        assert {len(array) for array in [*obs.values(), *info.values()]} == {len(info["row"])}
        self.asked.append(info)
        return play(obs, info)


def rollout(envs: pommego.PommegoVectorEnv, steps: int, act: Any) -> list[Any]:
    """Return what the first row of each game shows, of all steps."""
    obs, info = envs.reset(seed=3)
    shown = []
    for _ in range(steps):
        obs, reward, terminated, truncated, info = envs.step(act(obs, info))
        last = info.get("final_obs")
        ended = [] if last is None else [one["planes"] for one in last[:: envs.learners] if one is not None]
        parts = [obs["planes"], obs["scalars"], reward, terminated, truncated, info["seat"], info["alive"]]
        shown.append([*(envs.by_game(part)[:, 0].copy() for part in parts), *ended])
    return shown


def test_an_empty_line_up_is_no_self_play(vec: Vec) -> None:
    for options in ({"opponents": []}, {"seats": []}, {"opponents": [[], [], []]}):
        with pytest.raises(ValueError, match=r"^(opponents|seats)(\[0\])? is empty, expected one entry"):
            vec(**options)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("options", [{}, {"copy": False}, {"shared_memory": False}], ids=str)
def test_policies_play_as_learners_would(vec: Vec, mode: str, options: dict[str, Any]) -> None:
    """The same games, once with all rows the caller's and once with its policy in their seats."""
    seats = ["learner", "learner", "static", "learner"]
    options |= {"autoreset_mode": mode, "max_episode_steps": 40, "on_death": "wait"}
    want = rollout(vec(seats=seats, **options), 130, play)
    own = vec(seats=["learner", play, "static", play], **options)
    assert (own.learners, own.num_envs, own.observation_space["planes"].shape[0]) == (1, 3, 3)
    for got, expected in zip(rollout(own, 130, play), want, strict=True):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_same(one, other)


def test_a_policy_is_asked_once_a_step_for_all_its_rows(vec: Vec) -> None:
    policy = Counting()
    envs = vec(games=5, opponents=[policy, "random", policy])
    assert (envs.num_envs, envs.on_death, envs.max_in_flight) == (5, "end", 1)
    _, info = envs.reset(seed=1)
    for step in range(60):
        learner, begun = info["seat"].copy(), info.get("_seed", np.zeros(5, bool))
        info = envs.step(envs.sample_actions(info["action_mask"]))[-1]
        assert len(policy.asked) == step + 1
        asked = policy.asked[-1]
        seats = np.stack([learner + 1, learner + 3], 1).ravel() % 4
        assert asked["seat"].tolist() == seats.tolist()
        assert asked["row"].tolist() == list(range(10))
        assert not (asked["valid"] & ~asked["alive"]).any()
        assert asked["first"].tolist() == begun.repeat(2).tolist()
    assert any(info["first"].any() for info in policy.asked[1:])
    envs.send(np.zeros(5, int))
    with pytest.raises(pommego.ServerError, match="there is no game 9, want 0 to 4"):
        envs.get_state(9)


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_policies_see_what_the_caller_lost(vec: Vec, server: pommego.Server, mode: str, servers: int) -> None:
    """After a step that was interrupted, which is made all the same."""
    options = {"opponents": [play, "random", play], "max_episode_steps": 9, "autoreset_mode": mode}
    address = server.address if servers == 1 else [server.address] * servers
    plain = vec(games=5, **options)
    with pommego.make_vec(plain.game_spec.id, 5, address=address, token=server.token, **options) as envs:
        assert_same(envs.reset(seed=1)[0], plain.reset(seed=1)[0])
        for step in range(60):
            actions = [step % 6] * 5
            if step % 4 == 1:
                envs.send(actions)
                envs._abandon()
                plain.step(actions)
            else:
                assert_same(envs.step(actions)[:4], plain.step(actions)[:4], f"step {step}: ")


def test_games_ready_first(vec: Vec) -> None:
    """With batch_size the same games come out, whatever their order."""

    def collect(**options: Any) -> dict[tuple[int, int], list[bytes]]:
        envs = vec(games=6, opponents=[play, "static", play], max_episode_steps=15, **options)
        seen: dict[tuple[int, int], list[bytes]] = {}
        obs, info = envs.reset(seed=9)
        for _ in range(90):
            rows = info.get("row", np.arange(6))
            for k, row in enumerate(rows):
                seen.setdefault((int(row), 0), []).append(obs["planes"][k].tobytes())
            actions = play(obs, info)
            if "batch_size" in options:
                envs.send(actions, rows)
                obs, _, _, _, info = envs.recv()
            else:
                obs, _, _, _, info = envs.step(actions)
        return seen

    want, got = collect(), collect(batch_size=2)
    assert sum(map(len, got.values())) == 180
    for key, shown in got.items():
        assert shown == want[key][: len(shown)], key


def test_a_policy_is_not_asked_about_what_a_reset_ended(vec: Vec) -> None:
    """With batch_size two batches may wait for actions when all games are reset."""
    policy = Counting()
    envs = vec(games=4, opponents=[policy, "static", "static"], batch_size=2)
    envs.reset(seed=1)
    envs.recv()
    envs.reset(seed=2)
    envs.send([0, 0])
    assert [(len(asked["row"]), asked["first"].all()) for asked in policy.asked] == [(2, True)]


def test_policies_see_boxes(vec: Vec) -> None:
    """In all rows or in some of them, and as members of a pool."""
    seen: dict[str, list[Any]] = {"planes": [], "box": []}
    for observation, kept in seen.items():

        def noted(obs: Any, info: dict[str, Any], kept: list[Any] = kept) -> np.ndarray:
            kept.append(obs)
            return np.zeros(len(info["row"]), int)

        pool = pommego.Pool()
        pool.add(lambda obs, info, noted=noted: noted(obs, info))
        for opponents in ([noted] * 3, [noted, pool, "static"]):
            envs = vec(games=2, opponents=opponents, observation=observation)
            envs.reset(seed=0)
            for _ in range(3):
                envs.step(np.zeros(2, int))
    assert [len(box) for box in seen["box"]] == [6] * 3 + [2] * 6
    for box, fields in zip(seen["box"], seen["planes"], strict=True):
        assert_same(box, to_box(fields["planes"], fields["scalars"]))


@pytest.mark.parametrize("options", [{"games": 1}, {"games": 3, "batch_size": 1}], ids=str)
def test_a_policy_may_keep_what_it_sees(vec: Vec, options: dict[str, Any]) -> None:
    kept = []

    def noted(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        kept.append(((obs, info), frozen((obs, info))))
        return 5 * (info["row"] % 3 == 0)  # of which one dies

    envs = vec(opponents=[noted] * 3, copy=False, on_death="wait", **options)
    _, info = envs.reset(seed=0)
    if "batch_size" in options:
        *_, info = envs.recv()
    for _ in range(60):
        envs.send(np.zeros(1, int), info.get("row"))
        *_, info = envs.recv()
    assert not all(info["alive"].all() for (_, info), _ in kept)
    for seen, then in kept:
        assert_same(seen, then)


def test_radio_policies_choose_words(vec: Vec) -> None:
    def talk(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return np.tile([0, 3, 5], (len(info["row"]), 1))

    envs = vec("PommeRadioCompetition-v2", 2, seats=["learner", "static", talk, "static"])
    envs.reset(seed=0)
    obs = envs.step(np.zeros((2, 3), np.uint8))[0]
    names = [scalar.name for scalar in envs.encoding["scalars"].names]
    words = [i for i, name in enumerate(names) if "word" in name or "message" in name or "radio" in name]
    assert words
    assert obs["scalars"][:, words].any()


def test_line_ups_by_game_and_by_weight(vec: Vec) -> None:
    def lengths(envs: pommego.PommegoVectorEnv) -> tuple[list[int], bytes]:
        _, info = envs.reset(seed=5)
        met, bytes_ = [], b""
        for _ in range(60):
            obs, _, _, _, info = envs.step(np.zeros(envs.num_envs, int))
            bytes_ += obs["planes"].tobytes()
            if "game" in info:
                met += info["game"]["line_up"][info["_game"]].tolist()
        return met, bytes_

    still, mixed = ["static"] * 3, ["random", "static", "simple"]
    by_game = [still, mixed, still, mixed]
    listed, _ = lengths(vec(games=4, opponents=by_game, max_episode_steps=20))
    assert set(listed) == {0, 1}
    drawn = [
        lengths(
            vec(
                games=40,
                opponents=pommego.LineUps([still, mixed, still], weights=[0, 1, 3]),
                max_episode_steps=10,
                **options,
            )
        )
        for options in ({"workers": 1}, {"workers": 2}, {"shared_memory": False})
    ]
    assert all(one == drawn[0] for one in drawn)
    met = drawn[0][0]
    assert len(met) >= 160
    assert 0 not in met
    assert 0.6 < met.count(2) / len(met) < 0.9


def test_the_line_up_of_an_episode_is_its_own(vec: Vec) -> None:
    """Also where the step that ends it begins the next one."""
    line_ups, met = pommego.LineUps([["static"] * 3, ["static", "static", "random"]]), []
    for mode in ("NextStep", "SameStep"):
        envs = vec(games=4, opponents=line_ups, max_episode_steps=5, autoreset_mode=mode)
        envs.reset(seed=1)
        infos = [envs.step(np.zeros(4, int))[-1] for _ in range(60)]
        met.append([info["game"]["line_up"].tolist() for info in infos if "game" in info][:10])
    assert met[0] == met[1]
    assert set(np.ravel(met).tolist()) == {0, 1}


def test_agents_in_a_policy_s_place(vec: Vec) -> None:
    policy = Counting()
    line_ups = pommego.LineUps([[policy] * 3, ["static"] * 3])
    envs = vec(games=8, opponents=line_ups, max_episode_steps=5)
    envs.reset(seed=2)
    numbers = set()
    for _ in range(20):
        info = envs.step(np.zeros(8, int))[-1]
        if "game" in info:
            numbers |= set(info["game"]["line_up"].tolist())
    assert numbers == {0, 1}
    asked = [len(info["row"]) for info in policy.asked]
    assert min(asked) < 24
    assert all(n % 3 == 0 for n in asked)


def test_opponents_change_between_episodes(vec: Vec) -> None:
    first, second = Counting(), Counting()
    envs = vec(games=4, opponents=[first, "static", "static"], max_episode_steps=6)
    envs.reset(seed=0)
    envs.step(np.zeros(4, int))
    envs.set_opponents(pommego.LineUps([[second, "static", "static"], ["static"] * 3], weights=[1, 0]))
    for _ in range(5):
        envs.step(np.zeros(4, int))
    assert (len(first.asked), len(second.asked)) == (6, 0)
    for _ in range(3):
        envs.step(np.zeros(4, int))
    assert len(second.asked) == 2  # the step after the last shows the new episode
    assert len(first.asked) == 7
    with pytest.raises(
        ValueError, match="opponent 1 is a policy, but this environment was made with an agent"
    ):
        envs.set_opponents(["static", first, "static"])
    with pytest.raises(pommego.ServerError, match="no agent is called"):
        envs.set_opponents(["static", "nobody", "static"])
    envs.step(np.zeros(4, int))
    plain = vec(games=4, opponents=["static"] * 3)
    with pytest.raises(ValueError, match="opponent 0 is a policy"):
        plain.set_opponents([first, "static", "static"])


def test_states_of_line_ups_that_are_gone(vec: Vec) -> None:
    """Policies play on in clones, and no pool is charged with the games of agents."""
    policy = Counting()
    envs = vec(games=2, opponents=[policy, "static", "static"])
    envs.reset(seed=0)
    envs.set_opponents(["static"] * 3)
    with envs.clone() as twin:
        policy.asked.clear()
        twin.step(np.zeros(2, int))
    assert [info["valid"].tolist() for info in policy.asked] == [[True, True]]
    pool = pommego.Pool()
    pool.add(still)
    envs = vec(opponents=pommego.LineUps([["static"] * 3, [pool] * 3], weights=[1, 0]), max_episode_steps=5)
    envs.reset(seed=0)
    states = envs.get_state()
    envs.set_opponents([pool] * 3)
    envs.set_state(range(3), states)
    for _ in range(5):
        envs.step(np.zeros(3, int))
    assert pool.members[0].games == 0


def test_states_and_resets_with_policies(vec: Vec) -> None:
    envs = vec(games=3, opponents=[play, "simple", play])
    obs, info = envs.reset(seed=4)
    for _ in range(7):
        obs, _, _, _, info = envs.step(play(obs, info))
    states = envs.get_state()

    def go_on() -> list[bytes]:
        obs, info = envs.set_state(range(3), states)
        shown = []
        for _ in range(10):
            obs, _, _, _, info = envs.step(play(obs, info))
            shown.append(obs["planes"].tobytes())
        return shown

    assert go_on() == go_on()
    with envs.clone() as twin:
        assert twin.learners == 1
        twin.step(np.zeros(3, int))
    envs.reset(options={"reset_mask": np.array([True, False, False])})
    with pytest.raises(pommego.PommegoError, match="policies among the opponents"):
        envs.simulate(states, np.zeros(3, int))
    with pytest.raises(pommego.ServerError, match=r"action of row 1, component 0 \(move\), is 9"):
        envs.step([0, 9, 0])
    envs.step([0, 1, 0])


def test_refused_resets_and_failing_rules_change_nothing(vec: Vec) -> None:
    """A policy's episode goes on, and a pool's next episode is played by a new member."""
    firsts: list[bool] = []

    def noting(obs: Any, info: Any) -> Any:
        firsts.append(bool(info["first"].any()))
        return np.zeros(len(info["row"]), int)

    def rule(rates: Any) -> Any:
        if fails:
            raise RuntimeError("the rule fails")
        return np.ones(len(rates))

    fails = False
    pool = pommego.Pool(rule=rule)
    pool.add(noting)
    envs = vec("OneVsOne-v0", 1, opponents=[pool], max_episode_steps=4, autoreset_mode="SameStep")
    envs.reset(seed=1)
    envs.step([0])
    with pytest.raises(pommego.ServerError):
        envs.reset(options={"states": [b"no state"]})
    envs.step([0])
    assert firsts == [True, False]
    envs.step([0])
    fails = True
    with pytest.raises(RuntimeError, match="the rule fails"):
        envs.step([0])
    fails = False
    envs.step([0])
    assert firsts[-1], "the member is told of its episode"


def test_what_a_learner_beside_policies_shows(vec: Vec) -> None:
    """A row for each game: viewers of one see the learner's alone."""
    envs = vec(games=2, opponents=[play, "static", play], web=True)
    envs.reset(seed=1)
    page = envs.web_address
    with opened(page, "/1", credentials(page)[1]) as lines:
        lines.readline(), lines.readline()  # the game, and its first position
        assert envs.show(values=[0.25, 0.5], probabilities=np.eye(2, 6))
        envs.step([0, 0])
        thoughts = json.loads(lines.readline())["step"]["thoughts"]
    assert thoughts == [{"seat": 1, "probabilities": [0, 1, 0, 0, 0, 0], "value": 0.5}]


def broken(obs: Any, info: Any) -> Any:
    return np.full(len(info["row"]), 7)


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (np.zeros, TypeError, "must return integers, got dtype float64: take the argmax"),
        (lambda n: np.zeros(n + 1, int), ValueError, r"shape \(4,\), expected \(3,\)"),
        (
            lambda n: np.full(n, 6),
            ValueError,
            "returned 6 for move of seat ., expected 0 to 5",
        ),
        (lambda n: np.full(n, -1), ValueError, "returned -1 for move"),
    ],
)
def test_wrong_answers_of_a_policy(vec: Vec, answer: Any, error: type, says: str) -> None:
    wrong = [True]
    envs = vec(opponents=[lambda obs, info: answer(3) if wrong else play(obs, info), "static", "static"])
    envs.reset(seed=0)
    with pytest.raises(error, match=says):
        envs.step(np.zeros(3, int))
    wrong.clear()
    envs.step(np.zeros(3, int))  # nothing was stepped, and it goes on


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"opponents": play}, TypeError, r"<function play.*>, expected a list"),
        ({"opponents": ["simple", 3, "simple"]}, TypeError, r"opponents\[1\] is 3"),
        ({"opponents": ["policy", "simple", "simple"]}, ValueError, "give the policy itself"),
        ({"opponents": "policy"}, ValueError, "^opponents is 'policy': give the policy itself"),
        ({"opponents": ""}, ValueError, "^opponents is '': .* or an agent's name"),
        ({"seats": ["learner", "", "", ""]}, ValueError, r"^seats\[1\] is '': "),
        (
            {"opponents": [["simple"] * 3, "simple"]},
            TypeError,
            r"opponents\[1\] is 'simple', where others are",
        ),
        ({"opponents": [["simple"] * 3] * 2}, ValueError, "2 line-ups for 3 games"),
        ({"opponents": pommego.Pool()}, TypeError, r"opponents=\[pool\] \* 3"),
        ({"seats": "learner"}, TypeError, "expected a list of names"),
    ],
)
def test_opponents_that_cannot_be(vec: Vec, options: dict[str, Any], error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        vec(**options)


def test_hosts_get_no_policies() -> None:
    """A policy that cannot be pickled may play where actors or servers share the games."""
    policy = Counting()
    policy.lock = threading.Lock()
    line_ups = pommego.LineUps([[policy, "static"], ["simple", policy]])
    sent = pickle.loads(pickle.dumps(line_ups.of_games(slice(0, 2))))
    assert sent.fields() == line_ups.fields()
    assert line_ups.line_ups[0][0] is policy


def test_line_ups_that_cannot_be() -> None:
    for line_ups, weights, error, says in [
        ([["simple"] * 3] * 2, [1], ValueError, "1 weights for 2 line-ups"),
        ([["simple"] * 3], [-1], ValueError, r"\[-1.0\]"),
        ([["simple"] * 3, ["static", 3]], None, TypeError, r"opponents\[1\]\[1\] is 3"),
        ([], None, ValueError, "at least one"),
    ]:
        with pytest.raises(error, match=says):
            pommego.LineUps(line_ups, weights)


# The pool ------------------------------------------------------------------------


def lost(envs: pommego.PommegoVectorEnv, steps: int) -> None:
    """Have the learner bomb itself in every game."""
    envs.reset(seed=0)
    for step in range(steps):
        envs.step(np.full(envs.num_envs, 5 if step % 12 == 0 else 0))


def still(obs: Any, info: Any) -> np.ndarray:
    return np.zeros(len(info["row"]), int)


def test_the_pool_counts_what_happens(vec: Vec) -> None:
    pool = pommego.Pool(seed=1)
    one, two = pool.add(still, "one"), pool.add(still)
    assert [member.name for member in pool.members] == ["one", "1"]
    envs = vec(games=6, opponents=[pool] * 3)
    lost(envs, 100)
    assert one.games + two.games >= 30
    assert min(one.games, two.games) > 5
    assert set(one.scores) == {0.0}
    assert one.win_rate < 0.2
    assert pool.rating < 1000 < min(one.rating, two.rating)
    assert pool.rating + one.rating + two.rating == pytest.approx(3000)
    assert pool.add(still).rating == pool.rating


@pytest.mark.parametrize(("id", "rivals"), [("PommeFFACompetition-v0", 3), ("OneVsOne-v0", 1)])
def test_equals_have_equal_ratings(vec: Vec, id: str, rivals: int) -> None:
    """A first loss costs the share of a win that an equal has, and ties move nobody away from equals."""
    pool = pommego.Pool()
    member = pool.add(still)
    lost(vec(id, 1, opponents=[pool] * rivals), 14)
    assert member.games == 1
    assert pool.rating == 1000 - 16 / (1 + rivals)
    for score in [1.0, *[0.0] * rivals, 0.5, 0.5] * 500:
        pool.record(member, score, rivals)
    assert abs(pool.rating - member.rating) < 60


def bomb(obs: Any, info: Any) -> np.ndarray:
    return np.full(len(info["row"]), 5)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_whose_result_counts(vec: Vec, mode: str) -> None:
    """A teammate's rating stays, the best of several learners counts, and the dead have not tied."""

    def played(act: Any, seats: Any, id: str, steps: int, **options: Any) -> tuple[pommego.Member, float]:
        pool = pommego.Pool()
        member = pool.add(still)
        seats = [pool if seat == "pool" else seat for seat in seats]
        envs = vec(id, 1, seats=seats, autoreset_mode=mode, **options)
        envs.reset(seed=0)
        for _ in range(steps):
            *_, terminated, truncated, _ = envs.step(act)
            if (terminated | truncated).all():
                break
        assert member.games == 1
        return member, pool.rating

    member, rating = played([0], ["learner", bomb, "pool", bomb], "PommeTeamCompetition-v0", 20)
    assert (list(member.scores), member.rating, rating) == ([1.0], 1000, 1000)
    member, rating = played([5], ["learner", "pool", bomb, "pool"], "PommeTeamCompetition-v0", 20)
    assert (list(member.scores), member.rating, rating) == ([0.0], 1008, 992)
    ffa = "PommeFFACompetition-v0"
    limit = {"max_episode_steps": 30, "on_death": "wait"}
    member, rating = played([5], ["learner", "pool", "static", "static"], ffa, 40, **limit)
    assert (list(member.scores), rating) == ([0.0], 996)
    member, rating = played([0], ["learner", "pool", "static", "static"], ffa, 40, **limit)
    assert (list(member.scores), rating) == ([0.5], 1000)
    member, rating = played([5, 0], ["learner", "learner", "pool", bomb], ffa, 40, max_episode_steps=30)
    assert (list(member.scores), rating) == ([0.5], 1000)


def test_rules_weigh_members() -> None:
    def pool(rule: Any) -> pommego.Pool:
        pool = pommego.Pool(rule=rule)
        for name, scores in {"beaten": [1.0] * 8, "strong": [0.0] * 8, "even": [1.0, 0.0] * 4}.items():
            pool.add(still, name).scores.extend(scores)
        return pool

    assert pool("uniform").weights().tolist() == [1 / 3] * 3
    beaten, strong, even = pool("prioritised").weights()
    assert strong > even > beaten > 0
    beaten, strong, even = pool("even").weights()
    assert even > strong == pytest.approx(beaten)
    assert pool(lambda rates: rates == rates.max()).weights().tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match="a weight for each"):
        pool(lambda rates: rates[:1]).weights()
    assert list(pool("uniform").members[0].scores) == [1.0] * 8


def test_a_full_pool_lets_the_oldest_go(vec: Vec) -> None:
    policies = [Counting() for _ in range(3)]
    pool = pommego.Pool(size=1)
    pool.add(policies[0])
    envs = vec(games=2, opponents=[pool, "static", "static"], max_episode_steps=5)
    envs.reset(seed=0)
    pool.add(policies[1])
    for _ in range(5):
        envs.step(np.zeros(2, int))
    assert [len(policy.asked) for policy in policies] == [5, 0, 0]  # it finishes its games
    for _ in range(6):
        envs.step(np.zeros(2, int))
    assert [len(policy.asked) for policy in policies] == [6, 5, 0]
    assert len(pool.state()["members"]) == len(pool) == 1


def test_a_pool_goes_on_from_its_state(vec: Vec) -> None:
    def run(pool: pommego.Pool, envs: pommego.PommegoVectorEnv, steps: int) -> bytes:
        shown = b""
        for _ in range(steps):
            shown += envs.step(np.zeros(4, int))[0]["planes"].tobytes()
        return shown + repr((pool.rating, [(m.name, m.rating, m.games) for m in pool.members])).encode()

    def made() -> tuple[pommego.Pool, pommego.PommegoVectorEnv]:
        pool = pommego.Pool(size=2, seed=3)
        pool.add(play)
        pool.add(still)
        pool.add(play, "third")
        envs = vec(games=4, opponents=[pool, pool, pool], max_episode_steps=9)
        envs.reset(seed=6)
        return pool, envs

    pool, envs = made()
    run(pool, envs, 17)
    saved, policies, states = pool.state(), [one.policy for one in pool.members], envs.get_state()
    want = run(pool, envs, 40)
    pool, envs = made()
    assert pool.state() != saved
    pool.restore(saved, policies)
    assert pool.state() == saved
    envs.set_state(range(4), states)
    assert run(pool, envs, 40) == want
    now = pool.state()
    with pytest.raises(ValueError, match="policies for"):
        pool.restore(saved, [])
    for odd in {}, saved | {"members": [{}, {}]}, saved | {"members": [saved["members"][0], {"name": "x"}]}:
        with pytest.raises(ValueError, match="the state lacks '.*', expected what state"):
            pool.restore(odd, policies[: len(odd.get("members", []))])
    with pytest.raises(TypeError, match="the policy of 'third' is 'simple', expected a policy"):
        pool.restore(saved, [policies[0], "simple"])
    assert pool.state() == now, "it is as it was"
    small = pommego.Pool(size=1)
    small.restore(saved, policies)
    assert [one.name for one in small.members] == ["third"]


def test_names_of_members() -> None:
    pool = pommego.Pool()
    pool.add(play, "1")
    assert [pool.add(play).name for _ in range(2)] == ["2", "3"]


def test_a_pool_that_cannot_be(vec: Vec) -> None:
    for options, says in [
        ({"size": 0}, "size is 0"),
        ({"rule": "best"}, "'best'"),
        ({"window": 0}, "window"),
    ]:
        with pytest.raises(ValueError, match=says):
            pommego.Pool(**options)
    pool = pommego.Pool(size=np.int64(8), window=np.int64(9))
    for policy, says in [
        ("simple", "callable"),
        (pommego.Pool, r"a member is the class Pool: give an instance, Pool\("),
        (lambda obs: 0, r"not to be called as policy\(obs, info\)"),
    ]:
        with pytest.raises(TypeError, match=says):
            pool.add(policy)
    with pytest.raises(pommego.PommegoError, match="without members"):
        vec(opponents=[pool, "static", "static"]).reset()
    pool.add(still, "a")
    with pytest.raises(ValueError, match="'a' already"):
        pool.add(still, "a")
