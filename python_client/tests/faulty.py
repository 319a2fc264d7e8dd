"""A TCP proxy that spoils each connection in one way, at a place that a seed decides."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
import time
from dataclasses import dataclass

#: What can happen: the stream ends, is reset, stops for good, or arrives late or in small pieces.
KINDS = ("cut", "reset", "silence", "latency", "slices")


@dataclass(frozen=True)
class Fault:
    """What happens to one connection.

    Attributes:
        kind: one of `KINDS`.
        way: to what the client sends (0) or to what it receives (1).
        after: how many bytes are forwarded first.
    """

    kind: str
    way: int
    after: int


class FaultyProxy:
    """Forwards connections to a server, with a fault in each.

    Args:
        target: the server's address, ``ws://host:port``.
        seed: of the faults.
        kinds: those that are drawn; none: it forwards everything as it is.
        most: the most bytes of a reply before a fault. Requests have a tenth of that.

    Attributes:
        address: where it listens.
        faults: those of the connections so far that have come about.
    """

    def __init__(self, target: str, seed: int, kinds: tuple[str, ...], most: int) -> None:
        host, port = target.removeprefix("ws://").split(":")
        self._target, self._kinds, self._most = (host, int(port)), kinds, most
        self._draw = random.Random(seed)
        self.faults: list[Fault] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"ws://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                self._open += [client, server]
                fault = self._drawn()
                for way, source, sink in ((0, client, server), (1, server, client)):
                    own = fault if fault and fault.way == way else None
                    threading.Thread(target=self._forward, args=(source, sink, own), daemon=True).start()

    def _drawn(self) -> Fault | None:
        if not self._kinds:
            return None
        way = self._draw.randrange(2)
        return Fault(
            self._draw.choice(self._kinds), way, self._draw.randrange((self._most // 10, self._most)[way])
        )

    def _forward(self, source: socket.socket, sink: socket.socket, fault: Fault | None) -> None:
        left = fault.after if fault else 0
        with contextlib.suppress(OSError):
            while data := source.recv(max(left, 1) if fault and left else 1 << 16):
                if fault and not left:
                    if fault.kind in ("cut", "reset", "silence"):
                        break
                    spoil(sink, data, fault.kind)
                    continue
                left -= len(data) if fault else 0
                sink.sendall(data)
                if fault and not left:
                    self.faults.append(fault)
                    if fault.kind in ("cut", "reset"):
                        break
        if fault and not left and fault.kind == "silence":
            return  # the connection stays open, and nothing comes through it
        reset = bool(fault and not left and fault.kind == "reset")
        for end in (source, sink):
            with contextlib.suppress(OSError):
                if reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
            end.close()

    def close(self) -> None:
        """Stop listening and close all connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for end in [self._listener, *self._open]:
            end.close()


def spoil(sink: socket.socket, data: bytes, kind: str) -> None:
    """Forward late, or in pieces of one to seven bytes."""
    if kind == "latency":
        time.sleep(0.005)
        sink.sendall(data)
        return
    sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head, at = data[:200], 0
    while at < len(head):
        size = 1 + (at * 5) % 7
        sink.sendall(head[at : at + size])
        at += size
    sink.sendall(data[200:])
