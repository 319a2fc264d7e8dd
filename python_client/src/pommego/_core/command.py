"""The console script ``pommego``, and what ``python -m pommego.MODULE`` commands share."""

import os
import subprocess
import sys
from collections.abc import Callable

from pommego.errors import BinaryNotFoundError, PommegoError
from pommego.server import find_binary


def main() -> int:
    """Replace this process by the program. On Windows, run it and return its exit status."""
    try:
        program = str(find_binary(search_path=False))
    except BinaryNotFoundError as e:
        print(f"pommego: {e}", file=sys.stderr)
        return 1
    if sys.platform != "win32":
        os.execv(program, [program, *sys.argv[1:]])  # nosec B606  # the program of this package
    return subprocess.run([program, *sys.argv[1:]], check=False).returncode


def status(name: str, work: Callable[[], object], *also: type[Exception]) -> int:
    """Run a command; returns the exit status. It prints one line for pommego's errors and `errors`."""
    try:
        work()
    except (PommegoError, *also) as e:
        print(f"{name}: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
