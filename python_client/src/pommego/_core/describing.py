"""Lists a server's games, and runs a server while something needs one."""

import contextlib
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from pommego._core import checks
from pommego._core.connecting import Connection, read_spec, spec_of
from pommego._transport import wire
from pommego._transport.client import Client
from pommego.server import Server, failures
from pommego.spec import GameSpec

_shared: dict[tuple[tuple[str, Any], ...], Server] = {}  # servers by their options
_starting = threading.Lock()


@contextlib.contextmanager
def running(address: str | None, token: str | None) -> Iterator[dict[str, Any]]:
    """Yield the address and the token of a server: the given one, or one that runs meanwhile.

    A server that runs meanwhile may run any agent's program: this process is its only client.
    """
    checks.server_of(address, token)
    if address is not None:
        yield {"address": address, "token": token}
        return
    with Server(allow_agents=["*"], openenv=True) as server:
        yield {"address": server.address, "token": server.token}
        for text in failures(server._output):
            warnings.warn(f"an agent failed, and played stop: {text}", stacklevel=4)


def shared(**options: Any) -> tuple[str, str]:
    """Return address and token of a server that all of this process share, and that ends with it."""
    key = tuple(options.items())
    with _starting:
        if key not in _shared or not _shared[key].running:
            _shared[key] = Server(**options)
        return _shared[key].address, _shared[key].token


def catalog(
    *,
    address: str | None = None,
    token: str | None = None,
    connection: Connection | None = None,
    timeout: float = 60.0,
) -> dict[str, GameSpec]:
    """Return the games that the server has, by id. Arguments and errors as for `make_vec`."""
    further = {"certificates": Connection.read(connection), "timeout": timeout}
    with running(address, token) as where, closing(Client(**where, **further)) as client:
        specs = [read_spec(client, spec) for spec in client.call("envs", wire.EnvsReply).envs]
    return {spec.id: spec for spec in specs}


def describe(id: str, options: Mapping[str, Any]) -> GameSpec:
    """Return the description of one game with these options of `make_vec`, which has the errors, too."""
    where = {"token": options["token"], "certificates": Connection.read(options.get("connection"))}
    with closing(Client(options["address"], **where)) as client:
        return spec_of(client, id, options.get("rules"))
