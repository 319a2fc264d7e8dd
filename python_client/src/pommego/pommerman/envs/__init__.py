"""The environments: v0, v1 with a board that collapses, v2 with radio."""

from pommego.pommerman.envs import v0, v1, v2

__all__ = ["v0", "v1", "v2"]
