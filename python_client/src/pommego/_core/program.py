"""Running the program, to its end."""

import contextlib
import json
import os
import re
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from pommego._transport.wire import plain
from pommego.errors import PommegoError
from pommego.server import find_binary


class KilledError(PommegoError):
    """The program was killed by a signal."""


class UnscorableError(PommegoError):
    """The games cannot be scored: the connection to an agent has failed."""


def flags(**options: Any) -> list[str]:
    """Return options as flags of the program, without those that are None."""
    if isinstance(rules := options.get("rules"), list | tuple):
        raise TypeError(
            f"rules is {rules!r:.80}, expected one dictionary: here all games have the same rules"
        )
    return [f"--{name.replace('_', '-')}={_text(v)}" for name, v in options.items() if v is not None]


def _text(value: Any) -> str:
    """Return the text of a flag's value: rules as JSON, lists joined by commas."""
    if isinstance(value, bool | Mapping):
        return json.dumps(value, default=plain)
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def run(
    *command: str,
    part: str | None = None,
    text: str | Iterable[str] | None = None,
    cpus: int | None = None,
    started: list[subprocess.Popen] | None = None,
) -> str:
    """Run the program, wait for its end, and return what it prints.

    With ``--part -`` the program ends when this process does. If `given` yields the text piece by piece,
    it is not asked for more once the program ends. The program uses all cores, or so many. `started` gets
    its process. An error shows the last 64 KiB of its standard error, which is that of agents, too.
    """
    stdin = subprocess.DEVNULL if part is None and text is None else subprocess.PIPE
    env = os.environ if cpus is None else os.environ | {"GOMAXPROCS": str(cpus)}
    pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    errors: deque[bytes] = deque(maxlen=16)
    with subprocess.Popen([find_binary(), *command], env=env, **pipes) as process:
        pieces = iter(lambda: process.stderr.buffer.read(4096), b"")
        reading = threading.Thread(target=errors.extend, args=[pieces], daemon=True)
        reading.start()
        try:
            if started is not None:
                started.append(process)
            if part is not None:
                with contextlib.suppress(BrokenPipeError):  # it has ended; its status says why
                    os.write(process.stdin.fileno(), f"{part}\n".encode())
            if text is not None:
                with contextlib.suppress(BrokenPipeError), process.stdin as given:  # its output says why
                    given.writelines([text] if isinstance(text, str) else text)
            out = process.stdout.read()
        except BaseException:
            process.kill()
            raise
        finally:
            reading.join()
    if not process.returncode:
        return out
    lines = b"".join(errors).decode(errors="replace").splitlines()
    said = [line for line in lines if not line.startswith("progress: ")]
    text = re.sub(rf"^pommego {command[0]}[\w ]*: ", "", "\n".join(said).strip())
    text = re.sub(r"^--[a-z-]+: | \(see pommego [\w ]+ --help\)$", "", text)  # flags are not the caller's
    if process.returncode < 0:
        raise KilledError(f"pommego {command[0]} was killed by signal {-process.returncode}. {text}".strip())
    raise (UnscorableError if process.returncode == 3 else PommegoError)(
        text or f"pommego {command[0]} exited with status {process.returncode}"
    )
