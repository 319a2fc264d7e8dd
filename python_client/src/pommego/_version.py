"""The version of the package: what it was installed as, from ``cmd/pommego/version.txt`` of its sources."""

from importlib.metadata import version

__version__ = version("pommego")
