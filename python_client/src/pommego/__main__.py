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
        if sys.platform != "win32":
            os.execv(program, [program, *sys.argv[1:]])  # nosec B606  # the program of this package
        return subprocess.run([program, *sys.argv[1:]], check=False).returncode
    except OSError as e:
        said = e if isinstance(e, BinaryNotFoundError) else f"{program} cannot be run: {e}"
        print(f"pommego: {said}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
