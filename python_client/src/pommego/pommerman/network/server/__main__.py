"""``python -m pommego.pommerman.network.server``."""

from pommego.pommerman.network.server import init

if __name__ == "__main__":
    init()
