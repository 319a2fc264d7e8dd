"""Ray RLlib's new API stack, single and multi agent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"  # it is on the loopback interface, for a minute

import ray
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import pommego
from pommego import rllib

FFA, TEAM, RADIO, DUEL = (
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "PommeRadioCompetition-v2",
    "OneVsOne-v0",
)
SMALL = {"head_fcnet_hiddens": [16], "fcnet_hiddens": [16]}


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    # Never another cluster on this machine, which Ray would find.
    ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
    rllib.register()  # another test's cluster may have had the names
    yield
    ray.shutdown()


def small(config: AlgorithmConfig, runners: int = 0) -> AlgorithmConfig:
    return (
        config.env_runners(num_env_runners=runners)
        .learners(num_learners=0)
        .training(train_batch_size=96, minibatch_size=32, num_epochs=1)
    )


@pytest.mark.parametrize("runners", [0, 1])
def test_single_agent_learns(cluster: None, runners: int) -> None:
    """In the learner's own process, and in one of Ray's, which gets to know the names by Ray."""
    config = (
        PPOConfig()
        .environment("pommego", env_config={"id": DUEL, "opponents": ["static"], "action_mask": True})
        .env_runners(gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=4)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=SMALL))
    )
    algorithm = small(config, runners).build_algo()
    result = algorithm.train()["env_runners"]
    assert result["num_env_steps_sampled"] >= 96
    algorithm.stop()


def test_multi_agent_learns(cluster: None) -> None:
    """Two policies of different strength, and a game that the caller cuts off."""
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=SMALL)
    config = (
        PPOConfig()
        .environment("pommego-multi-agent", env_config={"id": FFA, "max_cycles": 14, "action_mask": True})
        .multi_agent(
            policies={"learner", "rest"},
            policy_mapping_fn=lambda agent, episode, **_: "learner" if agent == "agent_0" else "rest",
            policies_to_train=["learner"],
        )
        .env_runners(num_envs_per_env_runner=2)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"learner": module, "rest": module}))
    )
    algorithm = small(config).build_algo()
    result = algorithm.train()["env_runners"]
    assert result["num_env_steps_sampled"] >= 96
    assert 5 <= result["episode_len_mean"] <= 14
    algorithm.stop()


def runner(kind: type, config: AlgorithmConfig) -> Any:
    return kind(config=config.env_runners(num_env_runners=0))


def test_single_agent_episodes() -> None:
    """What their runner collects is what the vector environment gave."""
    config = (
        PPOConfig()
        .environment("pommego", env_config={"id": DUEL, "opponents": ["static"], "max_episode_steps": 12})
        .env_runners(gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=3)
        .debugging(seed=5)
    )
    collector = runner(SingleAgentEnvRunner, config)
    episodes = collector.sample(num_timesteps=150, random_actions=True)
    done = [episode for episode in episodes if episode.is_done]
    assert len(done) >= 9
    assert any(episode.is_truncated for episode in done)
    for episode in done:
        assert len(episode) <= 12
        assert episode.is_terminated != episode.is_truncated
        assert episode.get_infos(-1)["game"]["return"] == episode.get_return()
        assert episode.get_observations(0).shape == (18 * 8 * 8 + 8,)
    collector.stop()


@pytest.mark.parametrize(
    ("id", "max_cycles"),
    [(FFA, None), (FFA, 11), (TEAM, 13), (RADIO, None), (DUEL, 20), ("SuiteBot-v0", 30)],
    ids=str,
)
def test_multi_agent_episodes(id: str, max_cycles: int | None) -> None:
    options = {"id": id, "max_cycles": max_cycles}
    config = (
        PPOConfig()
        .environment("pommego-multi-agent", env_config=options)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda *_, **__: "all")
        .env_runners(num_envs_per_env_runner=2)
        .debugging(seed=5)
    )
    collector = runner(MultiAgentEnvRunner, config)
    episodes = [e for e in collector.sample(num_timesteps=120, random_actions=True) if e.is_done]
    assert len(episodes) >= 2
    for episode in episodes:
        assert episode.is_terminated != episode.is_truncated
        assert not episode.is_truncated or len(episode) == max_cycles
        lengths = {agent: len(part) for agent, part in episode.agent_episodes.items()}
        assert max(lengths.values()) == len(episode)
        if id != FFA:
            assert set(lengths.values()) == {len(episode)}, "the dead of a team stay"
        for part in episode.agent_episodes.values():
            assert part.is_done
            cut_off = episode.is_truncated and len(part) == len(episode)
            assert part.is_truncated == cut_off
            assert part.is_terminated or cut_off
            assert part.get_return() in (-1, 0, 1)
    collector.stop()


def test_their_checker() -> None:
    env = rllib.PommegoMultiAgentEnv({"id": TEAM})
    check_multiagent_environments(env)
    env.close()


@pytest.mark.parametrize("id", [FFA, TEAM])
def test_the_last_step_says_how_the_game_ended(server: pommego.Server, id: str) -> None:
    """For our environment and for their own wrapper of PettingZoo, which asks all agents alike."""
    where = {"address": server.address, "token": server.token, "max_cycles": 11}
    ours = rllib.PommegoMultiAgentEnv({"id": id, **where})
    theirs = ParallelPettingZooEnv(pommego.parallel_env(id, **where))
    for seed in range(12):
        rng = np.random.default_rng(seed)
        ours.reset(seed=seed)
        theirs.reset(seed=seed)
        for _ in range(11):
            # All but the first stand still; it lays a bomb and does the same, and dies with the last step.
            actions = dict.fromkeys(ours.agents, 0)
            if "agent_0" in actions:
                actions["agent_0"] = int(rng.choice([0, 5]))
            *_, terminated, truncated, _ = ours.step(actions)
            *_, their_terminated, their_truncated, _ = theirs.step(actions)
            assert {k: v for k, v in their_terminated.items() if k != "__all__"}.items() <= terminated.items()
            assert their_truncated["__all__"] == truncated["__all__"]
            if terminated["__all__"] or truncated["__all__"]:
                break
        assert terminated["__all__"] != truncated["__all__"]
        assert not ours.agents
    ours.close()
    theirs.close()


def test_one_server_for_all_environments_of_a_process() -> None:
    envs = [rllib.PommegoMultiAgentEnv({"id": DUEL}) for _ in range(3)]
    assert len({env.game.envs.address for env in envs}) == 1
    assert all(env.game.envs.server is None for env in envs)
    for env in envs:
        env.close()


def test_without_a_number_of_environments() -> None:
    """RLlib asks for a single one to look at its spaces."""
    config = {"id": DUEL, "opponents": ["static"], "action_mask": True, "render_mode": "rgb_array"}
    one, many = rllib.single_agent(config), rllib.single_agent(config | {"num_envs": 3})
    obs, _ = one.reset(seed=4)
    batch, _ = many.reset(seed=4)
    assert one.observation_space.contains(obs)
    assert many.observation_space.contains(batch)
    for name in obs:
        np.testing.assert_array_equal(obs[name], batch[name][0])
    step = one.step(1)
    np.testing.assert_array_equal(step[0]["observations"], many.step(np.ones(3, int))[0]["observations"][0])
    np.testing.assert_array_equal(one.render(), many.render()[0])
    runners = [set(many.reset(seed=seed)[1]["seed"].tolist()) for seed in (4, 5)]
    assert not runners[0] & runners[1]
    one.close()
    many.close()


def test_opponents_that_servers_must_allow() -> None:
    env = rllib.single_agent(
        {"id": DUEL, "opponents": ["java-mcts:ticks=5,omniscient=1"], "action_mask": True}
    )
    env.reset(seed=1)
    env.close()


def test_wrong_configurations() -> None:
    with pytest.raises(KeyError, match="id"):
        rllib.single_agent({})
    with pytest.raises(ValueError, match="PommegoMultiAgentEnv"):
        rllib.single_agent({"id": FFA})
    with pytest.raises(TypeError, match=r"no option autoreset_mode here; pommego\.make_vec\(\) has"):
        rllib.single_agent({"id": FFA, "opponents": ["static"] * 3, "autoreset_mode": "NEXT_STEP"})
    envs = rllib.single_agent({"id": DUEL, "opponents": ["static"], "num_envs": 2})
    assert envs.reset(seed=2**64 - 1)[1]["seed"].tolist() == [2**64 - 1, 2**32 - 1]
    envs.close()


@pytest.mark.parametrize("iterations", [int(os.environ.get("POMMEGO_RLLIB_ITERATIONS", "8"))])
def test_two_runners_learn(cluster: None, iterations: int) -> None:
    """To live for 40 steps: at first the learner's own bombs kill it, which pays -1."""
    env_config = {"id": DUEL, "opponents": ["static"], "action_mask": True, "max_episode_steps": 40}
    model = {"head_fcnet_hiddens": [64], "fcnet_hiddens": [64]}
    config = (
        PPOConfig()
        .environment("pommego", env_config=env_config)
        .env_runners(
            num_env_runners=2,
            num_cpus_per_env_runner=0.5,
            gym_env_vectorize_mode="vector_entry_point",
            num_envs_per_env_runner=32,
            rollout_fragment_length=64,
        )
        .learners(num_learners=0)
        .training(train_batch_size=4096, minibatch_size=512, num_epochs=6, lr=1e-3, gamma=0.95)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=model))
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    try:
        results = [algorithm.train()["env_runners"] for _ in range(iterations)]
        assert algorithm.env_runner_group.num_healthy_remote_workers() == 2
    finally:
        algorithm.stop()
    returns = [result["episode_return_mean"] for result in results]
    steps = [result["num_env_steps_sampled_lifetime"] for result in results]
    print("\n".join(f"{n:7.0f} steps: {mean:.2f}" for n, mean in zip(steps, returns, strict=True)))
    assert returns[0] < -0.5
    assert returns[-1] > returns[0] + 0.3
