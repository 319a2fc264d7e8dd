"""Stable-Baselines3 and sb3-contrib."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.buffers import DictRolloutBuffer
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecFrameStack, VecMonitor

import pommego
from pommego import sb3
from pommego._core.rows import fields_of

FFA, TEAM, RADIO = "PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2"
SMALL = {"n_steps": 8, "batch_size": 16, "n_epochs": 1}

Make = Callable[..., sb3.PommegoVecEnv]


@pytest.fixture
def make(server: pommego.Server) -> Iterator[Make]:
    made = []

    def call(id: str = FFA, games: int = 2, **options: object) -> sb3.PommegoVecEnv:
        made.append(sb3.make_vec(id, games, address=server.address, token=server.token, **options))
        return made[-1]

    yield call
    for envs in made:
        envs.close()


@pytest.mark.parametrize(
    ("id", "options"),
    [
        (FFA, {"opponents": ["random"] * 3}),
        (FFA, {"opponents": ["static"] * 3, "max_episode_steps": 9, "observation": "raw"}),
        (TEAM, {}),
        (RADIO, {"max_episode_steps": 15}),
        ("BaseWarSides-v0", {"max_episode_steps": 25}),
        ("SuiteBot-v0", {"opponents": ["random"] * 3, "max_episode_steps": 25}),
    ],
    ids=str,
)
def test_same_as_the_vector_environment(make: Make, vec: Callable, id: str, options: dict) -> None:
    ours, plain = make(id, 3, **options), vec(id, 3, autoreset_mode="SameStep", **options)
    ours.seed(7)
    obs = ours.reset()
    want, info = plain.reset(seed=7)
    plain.action_space.seed(0)
    assert [i["seed"] for i in ours.reset_infos] == info["seed"].tolist()
    ends = 0
    for _ in range(60):
        for name, array in want.items():
            np.testing.assert_array_equal(obs[name], array)
        np.testing.assert_array_equal(ours.action_masks(), info["action_mask"])
        actions = plain.action_space.sample()
        obs, reward, done, infos = ours.step(actions)
        want, want_reward, terminated, truncated, info = plain.step(actions)
        np.testing.assert_array_equal(reward, want_reward)
        np.testing.assert_array_equal(done, terminated | truncated)
        for row in range(ours.num_envs):
            if not done[row]:
                assert infos[row] == {}
                continue
            ends += 1
            assert infos[row]["TimeLimit.truncated"] == (truncated[row] and not terminated[row])
            assert infos[row]["episode"]["r"] == info["game"]["return"][row]
            for name, array in info["final_obs"][row].items():
                np.testing.assert_array_equal(infos[row]["terminal_observation"][name], array)
    assert ends >= 3
    if "max_episode_steps" in options:
        assert ours.reset() is not None


@pytest.mark.parametrize(
    ("algorithm", "id", "options"),
    [
        (MaskablePPO, FFA, {}),
        (MaskablePPO, RADIO, {"opponents": ["static"] * 3}),
        (PPO, TEAM, {"observation": "raw"}),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_learns(make: Make, algorithm: type, id: str, options: dict) -> None:
    envs = make(id, 2, **options)
    model = algorithm("MultiInputPolicy", envs, seed=1, **SMALL).learn(16 * envs.num_envs)
    assert model.num_timesteps == 16 * envs.num_envs


@pytest.mark.parametrize(
    ("id", "options", "policy"),
    [
        ("OneVsOne-v0", {"opponents": ["random"]}, "MultiInputPolicy"),
        ("SuiteBot-v0", {"observation": "box"}, "MlpPolicy"),
        ("BaseWarSides-v0", {"max_episode_steps": 20}, "MultiInputPolicy"),
    ],
)
@pytest.mark.parametrize("stacked", [1, 3])
def test_convolutions_over_planes(make: Make, id: str, options: dict, policy: str, stacked: int) -> None:
    envs = make(id, 2, **options)
    planes = fields_of(envs.observation_space).get("planes", envs.observation_space)
    if stacked > 1:
        before, envs = envs.reset(), VecFrameStack(envs, stacked, channels_order="first")
        after = envs.reset()
        shape = fields_of(after).get("planes", after).shape[1:]
        assert shape == (stacked * planes.shape[0], *planes.shape[1:]), "stacked along the planes"
        assert fields_of(before).keys() == fields_of(after).keys()
    look = {"features_extractor_class": sb3.Planes, "features_extractor_kwargs": {"channels": (8, 8)}}
    model = MaskablePPO(policy, envs, policy_kwargs=look, seed=0, **SMALL)
    seen = model.policy.features_extractor
    assert isinstance(seen, sb3.Planes)
    assert isinstance(seen.board[0], torch.nn.Conv2d)
    assert seen.board[0].in_channels == stacked * planes.shape[0]
    weights = seen.board[0].weight.detach().clone()
    model.learn(64)
    assert not torch.equal(weights, seen.board[0].weight), "convolutions learn"
    assert model.predict(envs.reset())[0].shape[0] == envs.num_envs


def test_planes_see_where_things_are(make: Make) -> None:
    """Moving a thing by a cell changes the features, and so does a scalar."""
    space = make("OneVsOne-v0", opponents=["static"]).observation_space
    torch.manual_seed(0)
    look = sb3.Planes(space, 16)
    obs = {name: torch.zeros(1, *box.shape) for name, box in space.items()}
    nothing = look(obs)
    assert nothing.shape == (1, 16)
    different = [nothing]
    for row in (3, 4):
        moved = obs["planes"].clone()
        moved[0, 1, row, 3] = 1
        different.append(look(obs | {"planes": moved}))
    different.append(look(obs | {"scalars": torch.ones_like(obs["scalars"])}))
    for i, one in enumerate(different):
        assert not any(torch.allclose(one, other) for other in different[:i])
    with pytest.raises(ValueError, match="no planes"):
        sb3.Planes(make("OneVsOne-v0", opponents=["static"], observation="raw").observation_space)


class Masked(sb3.ValidRows, MaskableDictRolloutBuffer):
    pass


class Plain(sb3.ValidRows, DictRolloutBuffer):
    pass


@pytest.mark.parametrize(("algorithm", "buffer"), [(MaskablePPO, Masked), (PPO, Plain)])
@pytest.mark.parametrize("id", [FFA, TEAM])
def test_dead_rows_are_left_out(
    make: Make, tmp_path: Path, algorithm: type, buffer: type, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = make(id, 4)
    alive = [name.name for name in envs.envs.encoding["scalars"].names].index("alive")
    sampled = []
    get_samples = buffer._get_samples

    def noted(self: sb3.ValidRows, batch_inds: np.ndarray, env: object = None) -> object:
        sampled.append(get_samples(self, batch_inds, env))
        return sampled[-1]

    monkeypatch.setattr(buffer, "_get_samples", noted)
    options = {"rollout_buffer_class": buffer, "rollout_buffer_kwargs": {"valid": envs.valid}}
    envs.seed(0)
    model = algorithm("MultiInputPolicy", envs, n_steps=64, batch_size=64, n_epochs=1, seed=0, **options)
    model.learn(64 * 16)
    counts = model.rollout_buffer.counts
    assert 0 < counts.sum() < counts.size
    assert sum(len(batch.actions) for batch in sampled) == counts.sum()
    assert all((batch.observations["scalars"][:, alive] == 1).all() for batch in sampled)
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())
    model.save(tmp_path / "model")
    algorithm.load(tmp_path / "model").predict(envs.reset())


def test_another_environment_needs_its_own_valid(make: Make, tmp_path: Path) -> None:
    envs, other = make(FFA), make(FFA)
    model = MaskablePPO(
        "MultiInputPolicy",
        envs,
        rollout_buffer_class=Masked,
        rollout_buffer_kwargs={"valid": envs.valid},
        **SMALL,
    )
    model.learn(64)
    model.set_env(other)
    with pytest.raises(ValueError, match="`valid` has made no step: learn from that one"):
        model.learn(64)
    model.save(tmp_path / "model")
    kwargs = {"valid": other.valid}
    MaskablePPO.load(tmp_path / "model", env=other, rollout_buffer_kwargs=kwargs).learn(64)


@pytest.mark.parametrize(("id", "dead_are"), [(FFA, False), (TEAM, True)])
def test_the_dead_are_not_cut_off(make: Make, vec: Callable, id: str, dead_are: bool) -> None:
    """At the caller's limit who was paid for its death has no future; the dead of a team have one."""
    options = {"max_episode_steps": 25}
    ours, plain = make(id, 8, **options), vec(id, 8, autoreset_mode="SameStep", **options)
    ours.seed(0)
    ours.reset()
    plain.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(25):
        actions = rng.integers(0, 6, 32)
        *_, infos = ours.step(actions)
        *_, terminated, truncated, info = plain.step(actions)
    rows = np.flatnonzero(truncated & ~terminated)
    alive = info["final_info"]["alive"][rows].tolist()
    assert set(alive) == {True, False}
    assert [infos[row]["TimeLimit.truncated"] for row in rows] == [one or dead_are for one in alive]


@pytest.mark.parametrize("valid", [[], [3], [3, 11]])
def test_no_minibatch_of_one(make: Make, valid: list[int]) -> None:
    """Which cannot be normalised: others of the rollout fill it, if there are any."""
    envs, counts = make(FFA, 1), np.zeros((4, 4), bool)
    counts.T.flat[valid] = True
    given = iter(counts)
    buffer = Masked(
        4, envs.observation_space, envs.action_space, n_envs=4, valid=lambda: next(given), gamma=1.0
    )
    for step in range(4):
        obs, mask = envs.reset(), np.ones((4, 6))
        number = np.arange(4) * 4 + step  # of rows first
        buffer.add(obs, number[:, None], np.zeros(4), np.ones(4), *torch.zeros(2, 4), action_masks=mask)
    for size in (1, 2, 16):
        batches = [batch.actions.flatten().tolist() for batch in buffer.get(size)]
        assert {len(batch) for batch in batches} == {2}
        assert {number for batch in batches for number in batch} == set(valid) or not valid


def test_learns_in_small_minibatches(make: Make) -> None:
    """Whose rows may all be of the dead."""
    envs = make(FFA, 2)
    options = {"rollout_buffer_class": Masked, "rollout_buffer_kwargs": {"valid": envs.valid}}
    envs.seed(0)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=50, batch_size=3, n_epochs=1, seed=0, **options)
    model.learn(50 * envs.num_envs)
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())


def test_what_comes_after_death_belongs_to_the_last_step(make: Make) -> None:
    """A row dies in its second step and its team wins two steps later; another one lives on."""
    envs = make(TEAM, 1, seats=["learner", "static", "learner", "static"])
    valid = [[True, True], [True, True], [False, True], [False, True]]
    reward = [[0, 0], [0, 0], [0, 0], [1, 1]]

    class Scripted(sb3.Valid):
        def __call__(self) -> np.ndarray:
            return np.array(valid.pop(0))

    space = envs.observation_space, envs.action_space
    buffer = Plain(4, *space, "cpu", 1.0, 0.5, n_envs=2, valid=Scripted(envs))
    obs = envs.reset()
    for step, paid in enumerate(reward):
        first = np.full(2, step == 0)
        value = torch.full((2,), 10.0 if step >= 2 else 0.25)
        buffer.add(obs, np.zeros((2, 1)), np.array(paid), first, value, torch.zeros(2))
    buffer.compute_returns_and_advantage(torch.tensor([7.0, 7.0]), np.ones(2))
    half = 0.5  # gamma; lambda is 1
    np.testing.assert_allclose(buffer.returns[:, 0], [half**3, half**2, half, 1])
    np.testing.assert_allclose(buffer.advantages[:2, 0], [half**3 - 0.25, half**2 - 0.25])
    np.testing.assert_allclose(buffer.advantages[2:, 0], 0, atol=1e-6)
    np.testing.assert_allclose(buffer.returns[:, 1], buffer.returns[:, 0])


def test_the_dead_of_a_free_for_all_have_no_future(make: Make) -> None:
    """Whatever a critic, which does not learn from them, thinks of what they see."""
    envs = make(FFA, 2)
    space = envs.observation_space, envs.action_space
    buffer = Plain(20, *space, "cpu", 1.0, 1.0, n_envs=8, valid=envs.valid)
    envs.seed(0)
    obs = envs.reset()
    actions = np.array([5, 0, 0, 0] * 2)  # the first lays a bomb and stays
    paid = np.zeros(8)
    for step in range(20):
        seen, (obs, reward, dones, _) = obs, envs.step(actions)
        assert not dones.any()
        paid += reward * envs.valid()
        buffer.add(
            seen, actions[:, None], reward, np.full(8, step == 0), torch.full((8,), 5.0), torch.zeros(8)
        )
    dead = ~envs.info["alive"]
    assert dead.tolist() == [True, False, False, False] * 2
    buffer.compute_returns_and_advantage(torch.full((8, 1), 5.0), np.zeros(8))
    assert buffer.returns[0, dead] == pytest.approx(-1) and buffer.returns[0, ~dead] == pytest.approx(5)


def test_learns_off_policy(make: Make) -> None:
    envs = make(FFA, 2, opponents=["static"] * 3, max_episode_steps=12)
    model = DQN("MultiInputPolicy", envs, buffer_size=500, learning_starts=40, batch_size=8, seed=1)
    model.learn(120)
    assert model.replay_buffer.size() >= 50
    assert model.ep_info_buffer, "episodes are reported without a VecMonitor"


def test_masked_policies_play_legal_moves(make: Make) -> None:
    envs = make(RADIO, 2)
    assert is_masking_supported(envs)
    model = MaskablePPO("MultiInputPolicy", envs, seed=3, **SMALL)
    obs = envs.reset()
    for _ in range(20):
        masks = get_action_masks(envs)
        assert masks.shape == (8, 24)
        actions, _ = model.predict(obs, action_masks=masks)
        for mask, action in zip(masks, actions, strict=True):
            assert all(part[a] for part, a in zip(np.split(mask, [6, 15]), action, strict=True))
        obs, *_ = envs.step(actions)
    assert np.array_equal(envs.env_method("action_masks", indices=[1])[0], envs.action_masks()[1])


def test_evaluates_without_a_warning(make: Make) -> None:
    envs = make(FFA, 2, opponents=["static"] * 3, max_episode_steps=30)
    model = MaskablePPO("MultiInputPolicy", envs, seed=3, **SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        returns, lengths = evaluate_masked(model, envs, n_eval_episodes=3, return_episode_rewards=True)
        assert set(returns) <= {-1, 0, 1}
        assert min(lengths) >= 10
        evaluate_policy(PPO("MultiInputPolicy", envs, seed=3, **SMALL), envs, n_eval_episodes=2)


def test_vec_monitor_counts_the_same(make: Make) -> None:
    envs = make(TEAM, 2)
    with pytest.warns(UserWarning, match="overwritten"):
        monitor = VecMonitor(envs)
    monitor.seed(2)
    monitor.reset()
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        *_, done, infos = monitor.step(rng.integers(0, 6, 8))
        for row in done.nonzero()[0]:
            assert infos[row]["episode"]["r"] == infos[row]["game"]["return"]
            assert infos[row]["episode"]["l"] == infos[row]["game"]["length"]
            ends += 1
    assert ends >= 4


def test_planes_are_not_photographs(make: Make) -> None:
    envs = make()
    assert not is_image_space(envs.observation_space["planes"])
    envs.seed(0)
    assert envs.reset()["planes"].max() <= 254
    assert envs.observation_space.contains({k: v[0] for k, v in envs.reset().items()})


def test_single_environment_passes_their_checker(server: pommego.Server) -> None:
    env = pommego.make(FFA, opponents=["static"] * 3, address=server.address, token=server.token)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wants planes to look like photographs
        check_env(env)
    env.close()


def test_renders(make: Make) -> None:
    envs = make(FFA, 3, render_mode="rgb_array")
    envs.reset()
    assert len(envs.get_images()) == 3
    picture = envs.render()
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (2 * 176, 3)


def test_methods_and_attributes(make: Make) -> None:
    envs = make(FFA, 2, opponents=["static"] * 3)
    assert envs.get_attr("num_games") == [2, 2]
    assert envs.env_method("set_opponents", ["random"] * 3) == [None, None]
    envs.set_attr("timeout", 50.0)
    assert envs.envs.timeout == 50
    assert not envs.has_attr("nothing")
    with pytest.raises(ValueError, match="all rows"):
        envs.env_method("set_opponents", ["random"] * 3, indices=0)
    with pytest.raises(ValueError, match="all rows"):
        envs.set_attr("timeout", 3, indices=[1])
    with pytest.raises(AttributeError):
        envs.set_attr("nothing", 3)
    with pytest.raises(TypeError, match="autoreset_mode"):
        make(FFA, 2, autoreset_mode="SameStep")
    with pytest.raises(pommego.PommegoError, match="before the first reset"):
        envs.action_masks()
    envs.set_options({"board": 3})
    with pytest.raises(ValueError, match="options"):
        envs.reset()
    envs.seed(2**64 - 1)
    envs.reset()
    assert [info["seed"] for info in envs.reset_infos] == [2**64 - 1, 0]


def test_an_interrupted_step_is_made_and_its_batch_left_out(make: Make, vec: Callable) -> None:
    """Who goes on after Ctrl-C gets each step's own batch, not that of the step before."""
    ours, plain = (
        make("OneVsOne-v0", 2, opponents=["uct:ticks=30000"]),
        vec("OneVsOne-v0", 2, opponents=["uct:ticks=30000"]),
    )
    ours.seed(3)
    ours.reset()
    plain.reset(seed=3)
    step, interrupt = np.zeros(2, int), signal.getsignal(signal.SIGALRM)

    def raise_interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, raise_interrupt)
    try:
        ours.step_async(step)
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            ours.step_wait()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, interrupt)
    obs = ours.step(step)[0]
    plain.step(step)
    for name, array in plain.step(step)[0].items():
        np.testing.assert_array_equal(obs[name], array)
    assert len(ours.env_method("get_state")[0]) == 2, "no step is in flight"
