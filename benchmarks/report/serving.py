"""A server as anybody would start it, with its own limits; for what `pommego.Server` has no option for."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator

from benchmarks.report.machine import binary

__all__ = ["serve"]


@contextlib.contextmanager
def serve(*options: str, tcp: bool = False) -> Iterator[tuple[str, int]]:
    """Run `pommego serve`; yields its address and process id. It has ended when the block has.

    Raises:
        RuntimeError: it did not start.
    """
    with tempfile.TemporaryDirectory(prefix="pommego-") as folder:
        listen = "127.0.0.1:0" if tcp else f"unix:{folder}/socket"
        command = [str(binary()), "serve", "--listen", listen, "--exit-on-stdin-close", *options]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            line = server.stdout.readline().split()
            if not line:
                raise RuntimeError(f"{' '.join(command)} did not say where it listens")
            yield line[-1], server.pid
            server.stdin.close()
            server.wait()
