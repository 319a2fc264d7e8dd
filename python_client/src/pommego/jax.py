"""Another name of `pommego.adapters.jax`."""

from pommego.adapters.jax import *  # noqa: F403
from pommego.adapters.jax import __all__, __doc__  # noqa: F401
