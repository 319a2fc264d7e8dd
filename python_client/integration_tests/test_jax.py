"""Steps inside programs that JAX compiles, and the example `examples/ppo_jax.py`."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pommego
from compare import assert_same

jax = pytest.importorskip("jax")

import jax.numpy as jnp

from pommego.jax import planes, step

Vec = Callable[..., pommego.PommegoVectorEnv]
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "ppo_jax.py"

CASES = [
    ("PommeFFACompetition-v0", {"opponents": ["random"] * 3}, "one learner"),
    ("PommeFFACompetition-v0", {"opponents": ["random"] * 3, "copy": False}, "without copies"),
    ("OneVsOne-v0", {"opponents": ["random"], "max_episode_steps": 9}, "truncation"),
    (
        "PommeTeamCompetition-v0",
        {"state": True, "counts": "step", "rules": [{"max_steps": 20}, {"max_steps": 30}]},
        "all that info can have",
    ),
    (
        "PommeTeamCompetition-v0",
        {"observation": "raw", "expand_shared": False},
        "what is shared, once a game",
    ),
    ("PommeFFACompetition-v0", {"observation": "box", "state": True}, "one box"),
    ("PommeRadioCompetition-v2", {}, "three components"),
]


@pytest.mark.parametrize(("id", "options"), [case[:2] for case in CASES], ids=[case[2] for case in CASES])
def test_steps_in_a_program_are_those_outside(vec: Vec, id: str, options: dict[str, Any]) -> None:
    """A scan returns what as many calls return, with episodes that end and games that only reset."""
    inside, outside = vec(id, 6, **options), vec(id, 6, **{**options, "copy": True})
    rng = np.random.default_rng(0)
    actions = rng.integers(0, 6, (90, *outside.action_space.shape))
    inside.reset(seed=7)
    outside.reset(seed=7)
    run = jax.jit(
        lambda actions: jax.lax.scan(lambda _, action: (None, step(inside, action)), None, actions)[1]
    )
    got = jax.tree.map(np.asarray, run(actions))
    over, invalid = 0, 0
    for t, action in enumerate(actions):
        obs, reward, terminated, truncated, info = outside.step(action)
        over, invalid = over + (terminated | truncated).sum(), invalid + (~info["valid"]).sum()
        kept = {name: info[name] for name in got[-1]}
        want = (obs, reward.astype(np.float32), terminated, truncated, kept)
        assert_same(jax.tree.map(lambda x, t=t: x[t], got), want, f"step {t}: ")
    wanted = {"action_mask", "alive", "seat", "valid"} | {"state", "counts", "rules"} & set(options)
    assert set(got[-1]) == wanted
    assert over
    assert invalid, "a run without an end and a reset shows nothing"


def test_planes_may_be_made_later(vec: Vec) -> None:
    """JAX reads arrays after its calls have returned. Steps do not overwrite those that are yours."""
    envs = vec("PommeFFACompetition-v0", 1024, opponents=["static"] * 3, observation="raw")
    obs, info = envs.reset(seed=0)
    to_planes = jax.jit(lambda raw: planes(raw, envs.game_spec))
    for _ in range(12):
        want = pommego.planes({name: array.copy() for name, array in obs.items()}, envs.game_spec)
        got = to_planes(obs)
        obs, *_, info = envs.step(envs.sample_actions(info["action_mask"]))
        assert_same(jax.tree.map(np.asarray, got), want)


def test_steps_keep_the_programs_order(vec: Vec) -> None:
    """Even where nothing that one returns is used, or goes into the next."""
    inside, outside = (vec("OneVsOne-v0", 4, opponents=["simple"]) for _ in range(2))
    moves = [np.full(4, move) for move in (1, 2, 3, 4, 0, 2)]

    @jax.jit
    def program() -> Any:
        for move in moves[:-1]:
            step(inside, jnp.asarray(move))
        return step(inside, jnp.asarray(moves[-1]))

    for _ in range(2):
        inside.reset(seed=1)
        outside.reset(seed=1)
        for move in moves:
            want = outside.step(move)
        assert_same(jax.tree.map(np.asarray, program()[0]), want[0])


def test_mistakes(vec: Vec) -> None:
    envs = vec("OneVsOne-v0", 4, opponents=["static"])
    envs.reset(seed=0)
    with pytest.raises(jax.errors.JaxRuntimeError, match="row 2.*77"):
        jax.block_until_ready(jax.jit(lambda a: step(envs, a))(jnp.array([0, 0, 77, 0])))
    jax.block_until_ready(jax.jit(lambda a: step(envs, a))(jnp.zeros(4, jnp.int32)))
    with pytest.raises(ValueError, match="vmap|batched|ordered"):
        jax.vmap(lambda a: step(envs, a))(jnp.zeros((2, 4), jnp.int32))
    with pytest.raises(ValueError, match="autoreset_mode is SAME_STEP, expected NEXT_STEP"):
        step(vec("OneVsOne-v0", 4, opponents=["static"], autoreset_mode="SameStep"), jnp.zeros(4, jnp.int32))


def test_ctrl_c(vec: Vec) -> None:
    """It ends a program within a step, and the games go on."""
    envs = vec("OneVsOne-v0", 16, opponents=["static"])
    envs.reset(seed=0)
    actions = jnp.zeros(16, jnp.int32)
    long = jax.jit(
        lambda a: jax.lax.scan(lambda a, _: (a, step(envs, a)[1].sum()), a, None, length=100_000)[1]
    )
    long = long.lower(actions).compile()
    jax.effects_barrier()  # a program that waits for another gets a thread of JAX's, which hears no signal
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(jax.errors.JaxRuntimeError, match="KeyboardInterrupt"):
            jax.block_until_ready(long(actions))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert envs.step(np.zeros(16, np.uint8))[1].shape == (16,)


def test_many_rows(vec: Vec) -> None:
    """Actions of a size that JAX hands over in another way."""
    envs = vec("OneVsOne-v0", 30_000, opponents=["static"], observation="raw", copy=False)
    envs.reset(seed=0)

    @jax.jit
    def program(action: Any) -> Any:
        def one(action: Any, _: None) -> Any:
            _, reward, *_ = step(envs, action)
            return (action + 1) % 5 + reward.astype(action.dtype), reward.sum()

        return jax.lax.scan(one, action, None, length=20)[1]

    assert np.isfinite(program(jnp.zeros(30_000, jnp.int32))).all()


# The example ------------------------------------------------------------------


@pytest.fixture(scope="module")
def ppo(binary: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("ppo_jax_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ppo_jax_example", module)  # dataclasses look there
        patch.setenv("POMMEGO_BINARY", str(binary))
        spec.loader.exec_module(module)
        yield module


def some_steps(ppo: ModuleType, shape: tuple[int, int]) -> Any:
    """Return steps with episodes that are terminated and truncated, and those that only reset."""
    rng = np.random.default_rng(0)
    over = rng.random(shape) < 0.2
    over[1:] &= ~over[:-1]
    terminated, valid = over & (rng.random(shape) < 0.5), np.ones(shape, bool)
    valid[1:] = ~over[:-1]
    names = dict.fromkeys(ppo.Steps._fields)
    names |= {"terminated": terminated, "over": over, "valid": valid}
    names |= {"reward": rng.normal(size=shape) * valid, "value": rng.normal(size=shape)}
    assert (over & ~terminated).any()
    return ppo.Steps(**{name: None if x is None else jnp.asarray(x) for name, x in names.items()})


def test_advantages(ppo: ModuleType) -> None:
    """By the definition: a sum over the steps of the episode, with a value where a limit cut it."""
    steps, last = some_steps(ppo, (12, 5)), jnp.linspace(-1, 1, 5)
    got = np.asarray(ppo.advantages(steps, last, 0.9, 0.8))
    steps = jax.tree.map(np.asarray, steps)
    value = np.concatenate([steps.value, last[None]])
    for t, row in np.argwhere(steps.valid):
        want, weight = 0.0, 1.0
        for k in range(t, 12):
            after = 0.9 * value[k + 1, row] * (not steps.terminated[k, row])
            want += weight * (steps.reward[k, row] + after - value[k, row])
            weight *= 0.9 * 0.8
            if steps.over[k, row]:
                break
        assert got[t, row] == pytest.approx(want, abs=1e-5)


def test_steps_that_only_reset_teach_nothing(ppo: ModuleType) -> None:
    config = ppo.Config(games=16, rollout=60)
    envs, learner = ppo.make(config)
    with envs:
        keys = jax.random.split(jax.random.key(1), config.rollout)
        _, steps = jax.jit(lambda *args: ppo.roll(envs, *args))(
            learner.params, learner.obs, learner.mask, keys
        )
        jax.block_until_ready(steps)  # it may still be stepping the games
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), steps)
    valid = np.asarray(flat.valid)
    assert 0 < (~valid).sum() == np.asarray(steps.over[:-1]).sum()
    gain = jax.random.normal(jax.random.key(2), valid.shape)
    noisy = flat._replace(
        obs=jax.tree.map(lambda x: x.at[~valid].set(7), flat.obs), logp=flat.logp.at[~valid].set(3)
    )
    one = jax.grad(ppo.loss)(learner.params, flat, gain, config)
    other = jax.grad(ppo.loss)(learner.params, noisy, gain.at[~valid].set(100), config)
    assert_same(*(jax.tree.map(np.asarray, g) for g in (one, other)))
    assert np.abs(one["w0"]).max() > 0


def test_learns(ppo: ModuleType) -> None:
    """It learns to outlive `random`, and the same again from the same seed."""
    config = ppo.Config(updates=16)
    _, won = ppo.train(config, tell=lambda _: None)
    print([round(share, 2) for share in won])
    assert np.mean(won[:2]) < 0.6
    assert np.mean(won[-3:]) > 0.85
    short = [ppo.train(ppo.Config(updates=2), tell=lambda _: None)[0] for _ in range(2)]
    assert_same(*(jax.tree.map(np.asarray, p) for p in short))
