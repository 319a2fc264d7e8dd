"""Run with ``python -m pommego``, which is the command ``pommego``."""

import sys

from pommego._core.command import main

if __name__ == "__main__":
    sys.exit(main())
