"""Another name of `pommego.adapters.puffer`."""

from pommego.adapters.puffer import *  # noqa: F403
from pommego.adapters.puffer import __all__, __doc__  # noqa: F401
