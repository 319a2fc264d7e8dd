"""TorchRL: its specs checked, and its data compared with what the vector environment gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

pytest.importorskip("torchrl")

import torch
from torchrl import collectors
from torchrl.envs import ActionMask, GymWrapper, MultiAction, PettingZooWrapper, TransformedEnv
from torchrl.envs.utils import check_env_specs

import pommego
from pommego import torchrl

Collector = getattr(collectors, "Collector", None) or collectors.SyncDataCollector  # its name before 0.11
FFA, TEAM, RADIO, DUEL = (
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "PommeRadioCompetition-v2",
    "OneVsOne-v0",
)
CASES = [
    (FFA, {"opponents": ["static"] * 3}),
    (FFA, {"opponents": ["random"] * 3, "observation": "raw", "max_episode_steps": 9}),
    (FFA, {}),
    (TEAM, {"observation": "raw"}),
    (RADIO, {}),
    (RADIO, {"opponents": ["random"] * 3}),
    (DUEL, {}),
    ("BaseWarSides-v0", {"max_episode_steps": 25}),
    ("SuiteBot-v0", {"opponents": ["random"] * 3, "max_episode_steps": 25}),
]

Make = Callable[..., torchrl.PommegoTorchEnv]


@pytest.fixture
def make(server: pommego.Server) -> Iterator[Make]:
    made = []

    def call(id: str = FFA, games: int = 3, **options: object) -> torchrl.PommegoTorchEnv:
        made.append(torchrl.make_vec(id, games, address=server.address, token=server.token, **options))
        return made[-1]

    yield call
    for env in made:
        env.close(raise_if_closed=False)


def masked(env: torchrl.PommegoTorchEnv) -> TransformedEnv:
    if env.envs.learners == 1:
        return TransformedEnv(env, ActionMask())
    return TransformedEnv(env, ActionMask(("agents", "action"), ("agents", "action_mask")))


@pytest.mark.parametrize(("id", "options"), CASES, ids=str)
@pytest.mark.parametrize("games", [1, 3])
def test_specs(make: Make, id: str, options: dict, games: int) -> None:
    env = make(id, games, **options)
    check_env_specs(env, break_when_any_done="both", seed=0)
    check_env_specs(masked(env), break_when_any_done="both", seed=0)


@pytest.mark.parametrize(("id", "options"), CASES, ids=str)
def test_same_as_the_vector_environment(make: Make, vec: Callable, id: str, options: dict) -> None:
    """Roots are what a step starts from, "next" is where it led, the end of a game included."""
    env, plain = make(id, 3, **options), vec(id, 3, autoreset_mode="SameStep", **options)
    env.set_seed(7)
    torch.manual_seed(0)
    data = masked(env).rollout(60, break_when_any_done=False)
    group = data if env.envs.learners == 1 else data["agents"]
    after = data["next"] if env.envs.learners == 1 else data["next", "agents"]
    obs, info = plain.reset(seed=7)
    ends = 0
    for step in range(60):
        root, then = group[:, step], after[:, step]
        for name, array in (obs | {"action_mask": info["action_mask"]}).items():
            np.testing.assert_array_equal(root[name].numpy().reshape(array.shape), array)
        actions = root["action"].numpy().reshape(plain.action_space.shape)
        for row, mask in enumerate(info["action_mask"]):
            parts = np.split(mask, np.cumsum([c.n for c in plain.game_spec.actions])[:-1])
            assert all(part[a] for part, a in zip(parts, np.atleast_1d(actions[row]), strict=True))
        obs, reward, terminated, truncated, info = plain.step(actions)
        np.testing.assert_array_equal(then["reward"].numpy().ravel(), reward)
        for name, rows in (("terminated", terminated), ("truncated", truncated)):
            got = data["next", name][:, step].numpy().repeat(plain.learners)
            np.testing.assert_array_equal(got, rows)
        done = terminated | truncated
        for row in range(plain.num_envs):
            last = info["final_obs"][row] if done[row] else {name: obs[name][row] for name in obs}
            ends += done[row]
            for name, array in last.items():
                np.testing.assert_array_equal(then[name].reshape(-1, *array.shape)[row].numpy(), array)
    assert ends >= 3


def test_games_follow_one_another_without_extra_requests(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(DUEL, 1, opponents=["static"], max_episode_steps=5)
    resets = []
    reset = env.envs.reset
    monkeypatch.setattr(env.envs, "reset", lambda **how: (resets.append(how), reset(**how))[1])
    env.set_seed(3)
    env.rollout(5)
    assert resets == [{"seed": 3}]
    env.rollout(5)  # begins with a reset(), of a game that the server has begun anew already
    data = env.rollout(20, break_when_any_done=False)
    assert data["next", "done"].sum() == 4
    assert len(resets) == 1
    assert env.info["episode_number"].tolist() == [6]
    env.step(env.rand_action(env.reset()))
    env.reset()
    assert len(resets) == 2, "a game in full swing"


def test_partial_resets(make: Make) -> None:
    env = make(FFA, 3, opponents=["static"] * 3)
    data = env.reset()
    first = data.clone()
    for _ in range(3):
        data = env.step(env.rand_action(data))["next"]
    before = data.clone()
    data["_reset"] = torch.tensor([[False], [True], [False]])
    data = env.reset(data)
    assert torch.equal(data["scalars"][0], before["scalars"][0])
    assert torch.equal(data["scalars"][2], before["scalars"][2])
    assert data["scalars"][1, 6] == 0 < before["scalars"][1, 6], "the step counter"
    assert not torch.equal(data["planes"][1], first["planes"][1]), "another board"


def test_a_partial_reset_leaves_the_seed(make: Make) -> None:
    env = make(FFA, 3, opponents=["static"] * 3)
    data = env.reset()
    env.set_seed(7)
    data["_reset"] = torch.tensor([[False], [True], [False]])
    env.reset(data)
    env.reset()
    assert env.info["seed"].tolist() == [7, 8, 9]


def test_games_that_end_within_a_chunk(make: Make) -> None:
    """They show their end until they are reset, and the others go on."""
    base = make(FFA, 2, opponents=["static"] * 3, max_episode_steps=4)
    env = TransformedEnv(base, MultiAction(stack_rewards=False))
    data, shown = env.reset(), []
    for chunk, again in ((2, [[True], [False]]), (3, [[False], [True]]), (1, [[True], [True]])):
        data["action"] = torch.zeros(2, chunk, dtype=torch.int64)
        data = env.step(data)["next"]
        steps = (800 * data["scalars"][:, 6]).round().tolist()
        shown.append((steps, data["done"].flatten().tolist()))
        data["_reset"] = torch.tensor(again)
        data = env.reset(data)
    assert shown == [([2, 2], [False, False]), ([3, 4], [False, True]), ([4, 1], [True, False])]


def test_games_that_ended_stand_still(make: Make) -> None:
    env = make(FFA, 2, max_episode_steps=4)
    data = env.rollout(2)[:, -1]["next"]
    data["_reset"] = torch.tensor([[True], [False]])
    data = env.rollout(9, auto_reset=False, tensordict=env.reset(data), break_when_all_done=True)
    assert data["next", "done"].squeeze(-1).tolist() == [[False] * 3 + [True], [False, True, True, True]]


def test_a_reset_takes_a_seed(make: Make) -> None:
    env = make(TEAM, 2, connection=pommego.Connection(expand_shared=False))
    seen = [env.reset(seed=seed)["agents"]["planes"] for seed in (3, 4, 3)]
    assert torch.equal(seen[0], seen[2])
    assert not torch.equal(seen[0], seen[1])


def test_whole_rollouts_repeat(make: Make) -> None:
    rollouts = []
    for _ in range(2):
        env = make(TEAM, 2)
        env.set_seed(5)
        torch.manual_seed(1)
        rollouts.append(masked(env).rollout(100, break_when_any_done=False))
    assert rollouts[0]["next", "done"].sum() >= 2
    assert (rollouts[0] == rollouts[1]).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_collector(make: Make) -> None:
    env = masked(make(FFA, 4, opponents=["random"] * 3))
    collector = Collector(env, None, frames_per_batch=64, total_frames=128)
    assert [batch.shape for batch in collector] == [(4, 16), (4, 16)]
    collector.shutdown()


def test_their_own_wrapper_of_gymnasium(vec: Callable) -> None:
    """In the mode that it prefers; in SAME_STEP it takes the same keys to be in info at each step."""
    env = GymWrapper(vec(FFA, 3, opponents=["random"] * 3, autoreset_mode="Disabled"))
    check_env_specs(env, seed=0)
    assert env.rollout(60, break_when_any_done=False)["next", "done"].sum() >= 3


def test_their_own_wrapper_of_pettingzoo(server: pommego.Server) -> None:
    """It makes a tensor of all in info, such as seeds that the server drew; but not of `game`, at the end."""
    pettingzoo = pytest.importorskip("pommego.pettingzoo")
    for _ in range(4):
        env = PettingZooWrapper(pettingzoo.parallel_env(DUEL, address=server.address, token=server.token))
        assert env.rollout(8)["agent", "observation", "observation", "planes"].shape[1:] == (2, 18, 8, 8)
        env.close()


def test_options_that_do_not_belong() -> None:
    for name in ("autoreset_mode", "batch_size"):
        with pytest.raises(TypeError, match=name):
            torchrl.make_vec(FFA, **{name: 1})
