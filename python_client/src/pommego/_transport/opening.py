"""Making an environment on the server, in shared memory where possible."""

from __future__ import annotations

from typing import Any

from pommego._transport import wire
from pommego._transport.client import Client
from pommego._transport.shared import PLACES, SLOTS, SharedMemory
from pommego.errors import PommegoError, ServerError

__all__ = ["action_shape", "make_shared"]


def make_shared(
    client: Client, options: dict[str, Any], shared: bool | None, lend: bool
) -> tuple[wire.EnvReply, SharedMemory | None]:
    """Make the environment on the server, in shared memory if it is possible (None) or required (True)."""
    if shared is None:
        shared_may_fail, shared = True, client.address.local
    else:
        shared_may_fail = False
    if not shared:
        return client.call("make", wire.EnvReply, **options), None
    places = PLACES if lend else SLOTS + 1
    try:
        made = client.call("make", wire.EnvReply, **options, shared_memory=SLOTS, places=places)
    except ServerError as e:
        if e.field != "shared_memory" or not shared_may_fail:
            raise
        return client.call("make", wire.EnvReply, **options), None
    try:
        memory = SharedMemory(made, action_shape(made), lend=lend)
    except (OSError, ValueError) as e:
        client.call("close", wire.Ok, env=made.env)
        if not shared_may_fail:
            raise PommegoError(
                f"memory cannot be shared with the server at {client.address}: {e}. "
                "This needs a server on the same machine, run by the same user; leave shared_memory out."
            ) from e
        return client.call("make", wire.EnvReply, **options), None
    client.call("attach", wire.Ok, env=made.env)
    client.share(memory)
    return made, memory


def action_shape(made: wire.EnvReply) -> tuple[int, ...]:
    """Return the shape of a step's actions: (rows,), or (rows, components) if there are several."""
    components = len(made.spec["actions"])
    return (made.rows,) if components == 1 else (made.rows, components)
