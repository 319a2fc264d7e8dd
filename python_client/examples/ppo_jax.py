"""PPO in JAX alone, in one short file: a rollout and its update are one compiled program.

    python ppo_jax.py                           # learns to outlive `random`, one against one
    python ppo_jax.py --opponents simple --updates 500

The program steps the games by `pommego.jax.step` in a `lax.scan`. The effects of gymnasium's NEXT_STEP:

* The observation after an episode's last step is that episode's last one. Its value counts where a limit
  truncated the episode, and nothing where the game's rules ended it.
* The step after it only resets the game. It is not `valid`, and the loss leaves it out.

Needs jax. To train well, start from `baselines/ppo.py`, which has what makes Pommerman easier to learn.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import pommego
from pommego.jax import step

Params = dict[str, jax.Array]
Observation = dict[str, jax.Array]


@dataclass(frozen=True)
class Config:
    """The configuration of a run; each field is an option of the command."""

    env: str = "OneVsOne-v0"
    opponents: str = "random"
    games: int = 128
    rollout: int = 64  # steps of each game in an update
    updates: int = 60
    epochs: int = 3
    minibatches: int = 8
    hidden: int = 64
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    seed: int = 0


class Steps(NamedTuple):
    """Observations and actions: arrays (steps, rows, ...), or (n, ...) in a minibatch."""

    obs: Observation
    mask: jax.Array
    action: jax.Array
    logp: jax.Array
    value: jax.Array
    reward: jax.Array
    terminated: jax.Array
    over: jax.Array  # terminated or truncated
    valid: jax.Array


class Learner(NamedTuple):
    """The state between two updates."""

    params: Params
    moments: tuple[Params, Params]  # Adam's
    count: jax.Array
    obs: Observation
    mask: jax.Array
    key: jax.Array


# The policy --------------------------------------------------------------------


def begin(key: jax.Array, inputs: int, hidden: int, actions: int) -> Params:
    """Draw a network of two layers with two heads; the policy's begins near even chances."""
    keys = jax.random.split(key, 3)
    scale = (math.sqrt(2 / inputs), math.sqrt(2 / hidden), 0.01 / math.sqrt(hidden))
    sizes = (inputs, hidden), (hidden, hidden), (hidden, actions + 1)
    params = {}
    for k, size in enumerate(sizes):
        params[f"w{k}"] = jax.random.normal(keys[k], size) * scale[k]
        params[f"b{k}"] = jnp.zeros(size[1])
    return params


def network(params: Params, obs: Observation, mask: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return log probabilities (rows, actions), of masked actions close to none, and values (rows,)."""
    planes = jnp.log1p(obs["planes"].astype(jnp.float32)).reshape(len(mask), -1)
    x = jnp.concatenate([planes, obs["scalars"]], 1)
    for k in range(2):
        x = jax.nn.relu(x @ params[f"w{k}"] + params[f"b{k}"])
    out = x @ params["w2"] + params["b2"]
    logits = jnp.where(mask > 0, out[:, :-1], -1e9)
    return jax.nn.log_softmax(logits), out[:, -1]


def act(params: Params, obs: Observation, mask: jax.Array, key: jax.Array) -> tuple[jax.Array, ...]:
    """Draw actions; return them, the logarithms of their probabilities, and values."""
    logp, value = network(params, obs, mask)
    action = jax.random.categorical(key, logp)
    return action, jnp.take_along_axis(logp, action[:, None], 1)[:, 0], value


# A program ---------------------------------------------------------------------


def roll(
    envs: pommego.PommegoVectorEnv, params: Params, obs: Observation, mask: jax.Array, keys: jax.Array
) -> tuple[tuple[Observation, jax.Array], Steps]:
    """Step the games, once for each key."""

    def one(
        seen: tuple[Observation, jax.Array], key: jax.Array
    ) -> tuple[tuple[Observation, jax.Array], Steps]:
        action, logp, value = act(params, *seen, key)
        obs, reward, terminated, truncated, info = step(envs, action)
        over = terminated | truncated
        done = Steps(*seen, action, logp, value, reward, terminated, over, info["valid"])
        return (obs, info["action_mask"]), done

    return jax.lax.scan(one, (obs, mask), keys)


def advantages(steps: Steps, last: jax.Array, gamma: float, gae: float) -> jax.Array:
    """Estimate by how much each action was better than expected; `last`: the values after the last step."""
    following = jnp.concatenate([steps.value[1:], last[None]])
    delta = steps.reward + gamma * following * ~steps.terminated - steps.value

    def one(later: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        delta, over = now
        own = delta + gamma * gae * ~over * later
        return own, own

    return jax.lax.scan(one, jnp.zeros_like(last), (delta, steps.over), reverse=True)[1]


def loss(params: Params, steps: Steps, gain: jax.Array, config: Config) -> jax.Array:
    """Return PPO's loss over the valid steps of a minibatch."""
    logp, value = network(params, steps.obs, steps.mask)

    def mean(x: jax.Array) -> jax.Array:
        return jnp.sum(x, where=steps.valid) / jnp.maximum(steps.valid.sum(), 1)

    centred = gain - mean(gain)
    scaled = centred / jnp.sqrt(mean(centred**2) + 1e-8)
    ratio = jnp.exp(jnp.take_along_axis(logp, steps.action[:, None], 1)[:, 0] - steps.logp)
    clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    policy = -jnp.minimum(ratio * scaled, clipped * scaled)
    critic = (value - steps.value - gain) ** 2
    entropy = -jnp.sum(jnp.exp(logp) * jnp.where(steps.mask > 0, logp, 0), 1)
    return mean(policy + 0.5 * critic - config.entropy * entropy)


def adam(learner: Learner, gradient: Params, rate: float) -> Learner:
    """Make a step of Adam."""
    count = learner.count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, learner.moments[0], gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, learner.moments[1], gradient)
    correction = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    params = jax.tree.map(
        lambda p, m, v: p - correction * m / (jnp.sqrt(v) + 1e-5), learner.params, first, second
    )
    return learner._replace(params=params, moments=(first, second), count=count)


def update(
    envs: pommego.PommegoVectorEnv, config: Config, learner: Learner
) -> tuple[Learner, tuple[jax.Array, jax.Array]]:
    """Play a rollout and learn from it; return also how many episodes ended, and how many were won."""
    key, *keys = jax.random.split(learner.key, 2 + config.epochs)
    (obs, mask), steps = roll(
        envs, learner.params, learner.obs, learner.mask, jax.random.split(keys[0], config.rollout)
    )
    gain = advantages(steps, network(learner.params, obs, mask)[1], config.gamma, config.gae)
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (steps, gain))

    def epoch(learner: Learner, key: jax.Array) -> tuple[Learner, None]:
        order = jax.random.permutation(key, gain.size).reshape(config.minibatches, -1)

        def minibatch(learner: Learner, index: jax.Array) -> tuple[Learner, None]:
            gradient = jax.grad(loss)(learner.params, *jax.tree.map(lambda x: x[index], flat), config)
            return adam(learner, gradient, config.learning_rate), None

        return jax.lax.scan(minibatch, learner, order)

    learner, _ = jax.lax.scan(epoch, learner, jnp.stack(keys[1:]))
    return learner._replace(obs=obs, mask=mask, key=key), (steps.over.sum(), (steps.reward > 0).sum())


# Runs --------------------------------------------------------------------------


def make(config: Config) -> tuple[pommego.PommegoVectorEnv, Learner]:
    """Begin games and a learner."""
    envs = pommego.make_vec(config.env, config.games, opponents=config.opponents.split(","), copy=False)
    obs, info = envs.reset(seed=config.seed)
    inputs = sum(math.prod(box.shape) for box in envs.single_observation_space.values())
    key, own = jax.random.split(jax.random.key(config.seed))
    params = begin(own, inputs, config.hidden, envs.single_action_space.n)
    zeros = jax.tree.map(jnp.zeros_like, params)
    seen = jax.tree.map(jnp.array, (obs, info["action_mask"]))
    jax.block_until_ready(seen)  # steps overwrite what they are copies of
    return envs, Learner(params, (zeros, zeros), jnp.zeros(()), *seen, key)


def train(config: Config, tell: Callable[[str], Any] = print) -> tuple[Params, list[float]]:
    """Learn; return the weights, and of each update the share of its episodes that were won."""
    envs, learner = make(config)
    won = []
    with envs:
        program = jax.jit(partial(update, envs, config))
        began = time.perf_counter()
        for n in range(1, config.updates + 1):
            learner, (ended, wins) = program(learner)
            won.append(float(wins) / max(int(ended), 1))
            steps = n * config.rollout * config.games
            tell(f"{steps} steps, {steps / (time.perf_counter() - began):.0f} a second: {won[-1]:.0%} won")
    return learner.params, won


def main() -> None:
    """Read the options, and train."""
    parser = argparse.ArgumentParser(description="Learn to play one against one by PPO in JAX.")
    for name, value in vars(Config()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    config = Config(**vars(parser.parse_args()))
    if (samples := config.games * config.rollout) % config.minibatches:
        parser.error(
            f"--minibatches is {config.minibatches}, expected a divisor of games x rollout, {samples}"
        )
    train(config)


if __name__ == "__main__":
    main()
