"""What a program that only claims to be a server can have the client do: nothing to the user's files."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pommego import PommegoError
from test_client import greeted, reply, request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is shared on Linux only")

SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
PAGE = 1 << 16
SIZE = 14 * PAGE
LAYOUT = {
    "bytes": SIZE,
    "actions": [4096, 4224],
    "batches": [PAGE * n for n in range(1, 10)],
    "requests": 10 * PAGE,
}
KEY = bytes(range(16))
MADE = {
    "spec": b'{"actions": [6]}',
    "games": 1,
    "learners": 1,
    "rows": 1,
    "observation": "raw",
    "reward": "outcome",
    "mask": "legal",
    "autoreset_mode": "NextStep",
    "on_death": "",
    "fields": [],
    "final_fields": [],
    "batch_bytes": 1000,
}


def memory(name: str = "pommego", size: int = SIZE, seals: int = SEALS) -> str:
    """Make memory as a server does, or nearly."""
    fd = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.write(fd, KEY.ljust(size, b"\7"))
    if seals:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return f"/proc/{os.getpid()}/fd/{fd}"


def foreign(tmp_path: Path) -> str:
    path = memory()
    os.chown(path, 65534, 65534)
    return path


def ordinary(tmp_path: Path) -> str:
    path = tmp_path / "precious.db"
    path.write_bytes(KEY.ljust(SIZE, b"\7"))
    return str(path)


def pipe(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


def offered(path: str, shared: bool | None, **told: Any) -> tuple[list[str], bool]:
    """Have a client offered memory; returns the requests after "make", and whether it shares it."""
    about = {"path": path, "key": KEY} | LAYOUT | told
    seen: list[str] = []

    def serve(sock: socket.socket) -> None:
        while True:
            asked = request(sock)
            seen.append(asked["type"])
            if asked["type"] != "make":
                reply(sock, type="ok", id=asked["id"])
            elif "shared_memory" in asked:
                reply(sock, type="env", id=asked["id"], env=1, shared_memory=about, **MADE)
            else:
                reply(sock, type="env", id=asked["id"], env=1, **MADE)

    with greeted(serve) as client:
        client.make({"compression": None}, shared=shared, lend=True)
    return seen[1:], client.memory is not None


@pytest.mark.parametrize(
    ("made", "told", "why"),
    [
        (ordinary, {}, "not a server's shared memory"),
        (pipe, {}, "not a file of this user"),
        (lambda _: memory("wl_shm"), {}, "not a server's shared memory"),
        (lambda _: memory(seals=0), {}, "size can change"),
        (lambda _: memory(seals=fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL), {}, "size can change"),
        (lambda _: memory(size=SIZE + 1), {}, "not a file of this user with"),
        (lambda _: memory(), {"key": bytes(16)}, "does not begin with the key"),
        (lambda _: memory(), {"actions": [4096, 8]}, "has no room for batches"),
        (lambda _: memory(), {"batches": [65536 * n for n in range(9)]}, "has no room for batches"),
        (lambda _: memory(), {"bytes": 1 << 62}, "not a file of this user with"),
        (lambda _: memory(), {"requests": 65536}, "has no room for batches"),
        (lambda _: memory(), {"requests": 0}, "has no room for batches"),
        (lambda _: memory(), {"batches": []}, "-1 places"),
        pytest.param(
            foreign,
            {},
            "not a file of this user",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away"),
        ),
    ],
)
def test_only_a_servers_memory_is_written_to(
    tmp_path: Path, made: Callable[[Path], str], told: dict[str, Any], why: str
) -> None:
    path = made(tmp_path)
    before = Path(path).read_bytes() if made is not pipe else b""
    with pytest.raises(PommegoError, match=why):
        offered(path, True, **told)
    requests, shares = offered(path, None, **told)
    assert (requests, shares) == (["close", "make"], False), "it goes on without"
    assert made is pipe or Path(path).read_bytes() == before


def test_a_servers_memory_is_accepted() -> None:
    assert offered(memory(), True) == (["attach"], True)
