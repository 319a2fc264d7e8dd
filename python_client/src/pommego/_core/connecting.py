"""Connecting to servers, which are started first if need be, and making games there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pommego._core import checks
from pommego._transport import wire
from pommego._transport.client import Client
from pommego._transport.handshake import Certificates
from pommego.errors import ServerError
from pommego.server import Server
from pommego.spec import GameSpec
from pommego.state import Games

__all__ = ["GamesMaker", "connected", "read_spec", "spec_of"]


@dataclass(frozen=True)
class GamesMaker:
    """Makes games at an address, or on a server of its own without one; can be sent to another process.

    Attributes:
        id: of the game.
        rules: that differ.
        where: arguments of `connected`.
        options: of the request "make".
        simple: whether "simple" plays all seats but one.
        starts: arguments of `Games.set_starts`, None: episodes begin as ever.
        how: further arguments of `Games`.
    """

    id: str
    rules: dict[str, Any] | None
    where: dict[str, Any]
    options: dict[str, Any]
    simple: bool
    starts: tuple[Any, ...] | None
    how: dict[str, Any]

    def __call__(self, address: str | None, own: dict[str, Any]) -> Games:
        """Make games with these options of their own; without an address on a server of their own."""
        client, server = connected(address, **self.where)
        own = own | (_against_simple(client, server, self.id, self.rules) if self.simple else {})
        try:
            games = Games(client, server, self.options | own, **self.how)
        except ServerError as e:
            if self.how["unfogged"] and e.field == "observation":
                raise checks.no_fog(self.id) from e
            raise
        if self.starts is not None:
            try:
                games.set_starts(*self.starts)
            except BaseException:
                games.close()
                raise
        return games


def connected(
    address: str | None,
    *,
    token: str | None,
    certificates: Certificates,
    transport: str,
    timeout: float,
    resume: int | None = None,
    shared: bool = False,
) -> tuple[Client, Server | None]:
    """Connect; start a server first if there is no address. shared: others connect to it later."""
    if address:
        client = Client(address, token=token, certificates=certificates, timeout=timeout, resume=resume)
        return client, None
    if certificates != Certificates():
        raise ValueError("ca_file and client_cert are for a server at address=wss://...")
    server = Server(transport=transport, allow_agents=["*"])  # nobody else can connect to it
    try:
        own = {"death": server.death, "resume": resume}
        client = Client(server.address, token=server.token, timeout=timeout, **own)
    except BaseException:
        server.close()
        raise
    if not shared:
        server.forget_address()  # so that no other client can connect and no file is left behind
    return client, server


def _against_simple(
    client: Client, server: Server | None, id: str, rules: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the option `opponents` with "simple" in all seats but one."""
    try:
        spec = spec_of(client, id, rules)
    except BaseException:
        client.close()
        if server is not None:
            server.close()
        raise
    return {"opponents": ["simple"] * (spec.seats - 1) or None}


def spec_of(client: Client, id: str, rules: dict[str, Any] | None) -> GameSpec:
    """Return the description of one game, with changed rules if any are given."""
    return read_spec(client, client.call("spaces", wire.SpacesReply, env_id=id, rules=rules).spec)


def read_spec(client: Client, spec: dict[str, Any]) -> GameSpec:
    """Read the description of a game that this server has sent.

    Raises:
        ProtocolError: it is none.
    """
    try:
        return GameSpec.from_wire(spec)
    except ValueError as e:
        raise client.distrust(str(e)) from e
