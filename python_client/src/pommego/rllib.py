"""Another name of `pommego.adapters.rllib`."""

from pommego.adapters.rllib import *  # noqa: F403
from pommego.adapters.rllib import __all__, __doc__  # noqa: F401
