"""Another name of `pommego.adapters.torchrl`."""

from pommego.adapters.torchrl import *  # noqa: F403
from pommego.adapters.torchrl import __all__, __doc__  # noqa: F401
