"""Another name of `pommego.adapters.sb3`."""

from pommego.adapters.sb3 import *  # noqa: F403
from pommego.adapters.sb3 import __all__, __doc__  # noqa: F401
