"""Another name of `pommego.adapters.torch`."""

from pommego.adapters.torch import *  # noqa: F403
from pommego.adapters.torch import __all__, __doc__  # noqa: F401
