"""The numbers of messages, under the original's name."""

from pommego.pommerman.network.messages import Intent as NetworkCommands

__all__ = ["NetworkCommands"]
