"""Run with ``python -m pommego``, which is the command ``pommego``."""

import os
import subprocess
import sys

from pommego.errors import BinaryNotFoundError
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


if __name__ == "__main__":
    sys.exit(main())
