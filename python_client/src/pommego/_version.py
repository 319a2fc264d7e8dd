"""The package's version, and the wire protocol it speaks."""

__version__ = "0.1.0"
