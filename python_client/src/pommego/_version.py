"""The version of the installed package, which is that in ``cmd/pommego/version.txt`` of its sources."""

from importlib.metadata import version

__version__ = version("pommego")
