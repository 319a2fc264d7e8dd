"""``python -m pommego.pommerman.network.client``."""

from pommego.pommerman.network.client import init

if __name__ == "__main__":
    init()
