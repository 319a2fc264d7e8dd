"""Pommerman, stepped by the thousand.

    import pommego

    with pommego.make_vec("PommeFFACompetition-v0", num_envs=1024) as envs:
        obs, info = envs.reset(seed=0)
        obs, reward, terminated, truncated, info = envs.step(envs.sample_actions(info["action_mask"]))

`make_vec` gives a gymnasium vector environment, `make` a single one, `Server`
a server to share between several, `catalog` what games there are. Importing
this enters the games in gymnasium's registry, as "pommego/" and their id.
"""

from gymnasium.vector import AutoresetMode

from pommego._version import __version__
from pommego.errors import (
    BinaryNotFoundError,
    ClosedError,
    ConnectionError,
    GamePanicError,
    HandshakeError,
    PommegoError,
    ProtocolError,
    ServerError,
    ServerStartError,
    TimeoutError,
    VersionError,
)
from pommego.making import catalog, make, make_vec
from pommego.registration import register as _register
from pommego.server import Server
from pommego.single import PommegoEnv
from pommego.spec import GameSpec, Result
from pommego.state import Simulation, State
from pommego.vector import PommegoVectorEnv

__all__ = [
    "AutoresetMode",
    "BinaryNotFoundError",
    "ClosedError",
    "ConnectionError",
    "GamePanicError",
    "GameSpec",
    "HandshakeError",
    "PommegoEnv",
    "PommegoError",
    "PommegoVectorEnv",
    "ProtocolError",
    "Result",
    "Server",
    "ServerError",
    "ServerStartError",
    "Simulation",
    "State",
    "TimeoutError",
    "VersionError",
    "__version__",
    "catalog",
    "make",
    "make_vec",
]

_register()
