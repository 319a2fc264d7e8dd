"""Connects to servers, starts them first if needed, and makes games there."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pommego._core import checks
from pommego._core.games import Games
from pommego._transport import wire
from pommego._transport.client import Client
from pommego._transport.handshake import Certificates
from pommego.server import Server
from pommego.spec import GameSpec

if TYPE_CHECKING:
    from pommego._core.saved import Starts


@dataclass(frozen=True)
class Connection(Certificates):
    """Settings of the connection between an environment and its server.

    Attributes:
        ca_file: with wss:// the PEM file of the authorities that the server's certificate has to
            come from; None: those that this system trusts.
        client_cert: with wss:// the PEM file with a certificate of your own and its private key,
            for servers that want one.
        shared_memory: whether batches are read in memory shared with a server on this machine: the
            same bytes, several times as fast. None: where possible (so far on Linux); True: an
            error where it is not possible. With shared memory `max_in_flight` is 2.
        expand_shared: whether fields that all seats of a game share, such as the global state, and the maps
            of "raw" in games without fog, have an entry for each row. False: for each game;
            `PommegoVectorEnv.by_game` broadcasts them without a copy.
        agent_limit: seconds that opponents outside the server ("exec:COMMAND",
            "library:PATH", "http://host:port") have for a move; None: the usual limit, 0.1 unless the
            game (SuiteBot: 0.2) or the agent ("llm:...": 30) has its own. Late or invalid moves are replaced
            by stop. ``info["game"]`` counts them, as ``late`` and ``failed``, and has ``void`` where the
            connection to an agent failed.
    """

    shared_memory: bool | None = None
    expand_shared: bool = True
    agent_limit: float | None = None

    @classmethod
    def read(cls, given: Any) -> Connection:
        """Return the given settings, or the defaults for None; TypeError for anything else."""
        if not isinstance(given, cls | None):
            raise TypeError(f"connection is {given!r}, expected pommego.Connection(...)")
        return given or cls()

    def expanding(self) -> Connection:
        """Return these settings with `expand_shared`, for callers that have rows alone."""
        return replace(self, expand_shared=True)


@dataclass(frozen=True)
class GamesMaker:
    """Makes games at an address, or on a server of its own without one. It can be pickled."""

    where: dict[str, Any]  # token, certificates and timeout for `Client`
    shared: bool  # whether others connect to a server of its own later
    options: dict[str, Any]  # of the request "make"
    everyone: str | None  # the agent in all seats but one, if it is the same in all
    starts: Starts | None
    how: dict[str, Any]  # for `Games`

    def __call__(self, address: str | None, own: dict[str, Any]) -> Games:
        server, where, options = None, self.where, self.options | own
        checks.server_of(address, where.get("token"))
        first = options.pop("first", 0)  # the number of the first of these games
        if (by_game := options.get("rules_by_game")) is not None:
            options["rules_by_game"] = wire.tensor(by_game[first : first + options["games"]])
        with ExitStack() as started:
            if address is None:  # this process alone can connect to this server
                server = started.enter_context(Server(transport="unix", allow_agents=["*"]))
                address, where = server.address, where | {"token": server.token, "death": server.death}
            client = started.enter_context(closing(Client(address, **where)))
            if server is not None and not self.shared:
                server.forget_address()  # so that no other client can connect and no file is left behind
            if self.everyone is not None:
                others = spec_of(client, options["env_id"], options["rules"]).seats - 1
                options["opponents"] = [self.everyone] * others or None
            games = started.enter_context(closing(Games(client, server, options, **self.how)))
            if self.starts is not None:
                from pommego._core.saved import set_starts  # noqa: PLC0415, loaded when it is used

                set_starts(games, self.starts)
            started.pop_all()
        return games


def spec_of(client: Client, id: str, rules: dict[str, Any] | list[dict[str, Any]] | None) -> GameSpec:
    """Return the description of one game, with `rules` if given; of several rules it takes the first."""
    return read_spec(client, client.call("spaces", wire.SpacesReply, env_id=id, rules=rules).spec)


def read_spec(client: Client, spec: dict[str, Any]) -> GameSpec:
    try:
        return GameSpec.from_wire(spec)
    except ValueError as e:
        raise client.distrust(str(e)) from e
