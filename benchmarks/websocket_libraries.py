"""Compares the client's own WebSocket with libraries, over sockets to a server whose games do nothing.

    pip install picows websockets websocket-client
    python benchmarks/websocket_libraries.py --rounds 11
    unshare -n sh -c 'ip link set lo up; tc qdisc add dev lo root tbf rate 1gbit burst 1mb latency 50ms;
        python benchmarks/websocket_libraries.py --rounds 5'        # a link of 1 Gbit/s, as root

Each library sends the actions of a step and receives the batch, one step after another, in interleaved
rounds. A row is a library's median of games a second and of its ratio to ours, with quartiles.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import msgspec
import picows
import websocket
from websockets.sync.client import connect

import pommego
from pommego._transport import wire
from pommego._transport.websocket import WebSocket

RoundTrip = Callable[[bytes], memoryview]
Library = Callable[[pommego.Server], RoundTrip]

ID, SEATS = "PommeTeamCompetition-v0", 4


def ours(server: pommego.Server) -> RoundTrip:
    """Connect with the client's own WebSocket."""
    socket = WebSocket.connect(
        server.address, subprotocol=wire.SUBPROTOCOL, token=server.token, max_message=1 << 30
    )

    def round_trip(message: bytes) -> memoryview:
        socket.send(message, 60)
        return socket.recv(60)

    return round_trip


def websockets(server: pommego.Server) -> RoundTrip:
    """Connect with websockets' client for threads."""
    options: dict[str, Any] = {"compression": None, "max_size": None, "proxy": None}
    options["additional_headers"] = authorization(server)
    socket = connect(server.address, subprotocols=[wire.SUBPROTOCOL], **options)

    def round_trip(message: bytes) -> memoryview:
        socket.send(message)
        return memoryview(socket.recv())

    return round_trip


def websocket_client(server: pommego.Server) -> RoundTrip:
    """Connect with websocket-client."""
    header = authorization(server)
    socket = websocket.create_connection(
        server.address, subprotocols=[wire.SUBPROTOCOL], header=header, suppress_origin=True
    )

    def round_trip(message: bytes) -> memoryview:
        socket.send_binary(message)
        return memoryview(socket.recv())

    return round_trip


def picows_asyncio(server: pommego.Server) -> RoundTrip:
    """Connect with picows; what comes is copied into a buffer that is used again."""
    loop = asyncio.new_event_loop()
    buffer, answered = bytearray(), loop.create_future()

    class Listener(picows.WSListener):
        def on_ws_frame(self, transport: picows.WSTransport, frame: picows.WSFrame) -> None:
            nonlocal buffer
            payload = frame.get_payload_as_memoryview()
            if len(buffer) < len(payload):
                buffer = bytearray(len(payload))
            buffer[: len(payload)] = payload
            answered.set_result(memoryview(buffer)[: len(payload)])

    header = authorization(server) | {"Sec-WebSocket-Protocol": wire.SUBPROTOCOL}
    connecting = picows.ws_connect(Listener, server.address, extra_headers=header, max_frame_size=1 << 30)
    transport, _ = loop.run_until_complete(connecting)

    def round_trip(message: bytes) -> memoryview:
        nonlocal answered
        answered = loop.create_future()
        transport.send(picows.WSMsgType.BINARY, message)
        return loop.run_until_complete(answered)

    return round_trip


def authorization(server: pommego.Server) -> dict[str, str]:
    """Return the header with the server's token."""
    return {"Authorization": f"Bearer {server.token}"}


def begin(library: Library, server: pommego.Server, games: int, observation: str) -> RoundTrip:
    """Connect and make an environment; returns the round trip of one step."""
    round_trip = library(server)

    def call(kind: str, number: int, **fields: Any) -> dict[str, Any]:
        reply = msgspec.msgpack.decode(round_trip(wire.encode(kind, number, fields)))
        if reply["type"] == "error":
            raise RuntimeError(f"{kind}: {reply}")
        return reply

    call("hello", 1, versions=wire.VERSIONS, client="websocket_libraries")
    made = call("make", 2, env_id=ID, games=games, observation=observation, noop=True)
    call("reset", 3, env=made["env"], seed=0)
    rows = SEATS * games
    actions = ["uint8", [rows], b"", bytes(rows)]
    return lambda _: round_trip(wire.encode("step", 4, {"env": made["env"], "actions": actions}))


def rate(step: RoundTrip, games: int, seconds: float) -> float:
    """Step for so long, twice at least; returns games a second."""
    begun, steps = time.perf_counter(), 0
    while steps < 2 or time.perf_counter() - begun < seconds:
        step(b"")
        steps += 1
    return steps * games / (time.perf_counter() - begun)


def compare(server: pommego.Server, games: int, observation: str, options: argparse.Namespace) -> None:
    """Print a row for each library."""
    libraries = (ours, picows_asyncio, websockets, websocket_client)
    steps = {library.__name__: begin(library, server, games, observation) for library in libraries}
    rates: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(options.rounds):
        for name in random.sample(list(steps), len(steps)):
            rates[name].append(rate(steps[name], games, options.seconds))
    for name, got in rates.items():
        ratios = [one / other for one, other in zip(got, rates["ours"], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(
            f"{games:5} {observation:7} {name:17} {statistics.median(got) / 1e6:7.3f} M games/s   "
            f"{middle:.2f} of ours ({low:.2f} to {high:.2f})",
            flush=True,
        )


def main() -> None:
    """Compare the libraries for each size of batch."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.25, help="of each library in a round")
    parser.add_argument("--games", type=int, nargs="+", default=[64, 1024, 4096])
    options = parser.parse_args()
    with pommego.Server() as server:
        for observation in ("raw", "planes"):
            for games in options.games:
                compare(server, games, observation, options)


if __name__ == "__main__":
    main()
