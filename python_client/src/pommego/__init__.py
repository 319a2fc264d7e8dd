"""Pommerman, stepped by the thousand."""

from pommego._version import __version__

__all__ = ["__version__"]
