"""Another name of `pommego.adapters.ray`."""

from pommego.adapters.ray import *  # noqa: F403
from pommego.adapters.ray import __all__, __doc__  # noqa: F401
