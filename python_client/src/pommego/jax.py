"""`raw` observations of Pommerman as `planes` on the learner's device, for JAX.

    import jax
    from pommego.jax import planes

    envs = pommego.make_vec("PommeTeamCompetition-v0", 1024, observation="raw")
    to_planes = jax.jit(lambda raw: planes(raw, envs.game_spec))
    obs, info = envs.reset(seed=0)
    obs = to_planes(obs)

A step of a fogged team game sends 2.6 kB to the device, the planes 9 kB.
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp

from pommego.encoding import Library, convert
from pommego.spec import GameSpec

__all__ = ["planes"]

_JAX = Library(
    table=lambda table, _: jnp.asarray(table),
    cast=lambda array, dtype: array.astype(dtype),
    join=jnp.concatenate,
    pick=lambda array, index: jnp.take_along_axis(array, index, -1),
    repeat=jnp.repeat,
)


def planes(raw: Mapping[str, jax.Array], spec: GameSpec, *, unfogged: bool = False) -> dict[str, jax.Array]:
    """Make `planes` observations of `raw` ones, as the server does, to the byte.

    It can be traced: what is compiled depends on the shapes and the game alone.

    Args:
        raw: the fields of the encoding "raw", as for `pommego.planes`; numpy arrays
            go to the device as they are.
        spec: the game, as `PommegoVectorEnv.game_spec` has it.
        unfogged: they are of the encoding "unfogged": hide what each seat does not see first.

    Returns:
        "planes", uint8 (rows, planes, n, n), and "scalars", float32 (rows, ...).

    Raises:
        ValueError: these are no raw observations of this game, or it is not Pommerman.
        PommegoError: `unfogged`, but the game has no fog.
    """
    return convert(_JAX, {name: jnp.asarray(array) for name, array in raw.items()}, spec, unfogged)
