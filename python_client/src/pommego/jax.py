"""For JAX: `raw` observations as `planes` on the learner's device, and steps in compiled programs.

`docs/frameworks.md` has examples.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode
from jax.experimental import io_callback

from pommego._core.rows import fields_of
from pommego.encoding import Library, convert
from pommego.spec import BOX, GameSpec
from pommego.vector import PommegoVectorEnv

__all__ = ["planes", "step"]

_JAX = Library(
    table=lambda table, _: jnp.asarray(table),
    cast=lambda array, dtype: array.astype(dtype),
    join=jnp.concatenate,
    pick=lambda array, index: jnp.take_along_axis(array, index, -1),
    repeat=jnp.repeat,
)


def planes(raw: Mapping[str, jax.Array], spec: GameSpec, *, unfogged: bool = False) -> dict[str, jax.Array]:
    """Make `planes` observations of `raw` ones, as `pommego.planes` does; it can be traced.

    JAX reads numpy arrays while your program goes on. So with ``copy=False`` call `jax.block_until_ready`
    on the result before the next step, which overwrites them.
    """
    return convert(_JAX, {name: jnp.asarray(array) for name, array in raw.items()}, spec, unfogged)


def step(
    envs: PommegoVectorEnv, actions: jax.Array
) -> tuple[Any, jax.Array, jax.Array, jax.Array, dict[str, Any]]:
    """Make one step of all games, from inside a program that JAX compiles.

    Steps happen in the order of the program, in ``lax.scan`` too; ``vmap`` refuses them. The mode must be
    NEXT_STEP: a batch has the last observation of each episode that ended, and the step
    after it only resets these games: there ``info["valid"]`` is False and the reward 0. Reset the games
    outside the program. ``copy=False`` saves time, as JAX copies each batch before the next step. Then copy
    what `reset` returned, and wait for that: ``jax.block_until_ready(jnp.array(...))``.

    An error of a step ends the program with a `jax.errors.JaxRuntimeError` that quotes it.

    Args:
        envs: the games, made without `batch_size`. Their opponents must not call JAX.
        actions: integers, (rows,), or (rows, components).

    Returns:
        obs, reward, terminated, truncated, info as `PommegoVectorEnv.step` has them, but the reward is
        float32, and info has the keys that are there in every batch: action_mask, alive, seat, valid,
        rules with several, and state and counts if the games were made with them.

    Raises:
        ValueError: the games have another autoreset mode.
    """
    if envs.autoreset_mode != AutoresetMode.NEXT_STEP:
        raise ValueError(f"autoreset_mode is {envs.autoreset_mode.name}, expected NEXT_STEP")

    def rows(dtype: Any, *shape: int) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct((envs.num_envs, *shape), dtype)

    def batch(space: gymnasium.Space) -> Any:
        fields = {name: jax.ShapeDtypeStruct(box.shape, box.dtype) for name, box in fields_of(space).items()}
        return fields.get(BOX, fields)

    choices = sum(choice.n for choice in envs.game_spec.actions)
    flags = rows(np.bool_)
    info = {"action_mask": rows(np.int8, choices), "alive": flags, "seat": rows(np.uint8), "valid": flags}
    if envs.state_space is not None:
        info["state"] = batch(envs.state_space)
    fields = {field.name for field in envs._session.about.made.fields}
    if "rules" in fields:
        info["rules"] = rows(np.int32)
    if "counts" in fields:
        info["counts"] = rows(np.int32, len(envs.game_spec.counts))

    def call(actions: Any) -> Any:
        obs, reward, terminated, truncated, last = envs.step(np.asarray(actions))
        kept = {name: dict(last[name]) if isinstance(last[name], dict) else last[name] for name in info}
        return obs, reward.astype(np.float32), terminated, truncated, kept

    shapes = batch(envs.observation_space), rows(np.float32), flags, flags, info
    return io_callback(call, shapes, actions, ordered=True)
