"""Running the program, to its end."""

from __future__ import annotations

import subprocess
import tempfile

from pommego.errors import PommegoError
from pommego.server import find_binary

__all__ = ["run"]


def run(*command: str, leash: bool = False) -> str:
    """Run the program, and return what it prints.

    Args:
        command: its arguments.
        leash: keep its standard input open, for ``--exit-on-stdin-close``: it ends when this process does.

    Raises:
        PommegoError: it failed; the message is its own.
    """
    stdin = subprocess.PIPE if leash else subprocess.DEVNULL
    with tempfile.TemporaryFile("w+") as errors:
        pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": errors, "text": True}
        with subprocess.Popen([find_binary(), *command], **pipes) as process:
            try:
                out = process.stdout.read()
            except BaseException:
                process.kill()
                raise
        if not process.returncode:
            return out
        errors.seek(0)
        said = [line for line in errors.read().splitlines() if not line.startswith("progress: ")]
    text = "\n".join(said).strip().removeprefix(f"pommego {command[0]}: ")
    raise PommegoError(text or f"pommego {command[0]} exited with status {process.returncode}")
