"""Another name of `pommego.adapters.pettingzoo`."""

from pommego.adapters.pettingzoo import *  # noqa: F403
from pommego.adapters.pettingzoo import __all__, __doc__  # noqa: F401
