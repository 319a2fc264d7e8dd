"""What to use instead of options that `make_vec` no longer has."""

from __future__ import annotations

__all__ = ["no_option"]

_INSTEAD = {
    "fog": 'observation="unfogged" with pommego.torch.planes or pommego.jax.planes (unfogged=True)',
    "compression": 'observation="raw" or "unfogged", which is smaller',
    "resume": "replace=True",
    "pause": 'render_mode="human"',
    "transport": 'address=pommego.Server(transport="tcp").address',
    "noop": "python -m pommego.bench",
    "opponent_weights": "opponents=pommego.LineUps([...], weights=[...])",
    "start_weights": "start_states=pommego.Starts([...], weights=[...])",
    "ordinary_starts": "start_states=pommego.Starts([...], ordinary=...)",
    **{
        name: f"connection=pommego.Connection({name}=...)"
        for name in ("ca_file", "client_cert", "shared_memory", "expand_shared", "agent_limit")
    },
}


def no_option(name: str) -> TypeError:
    """Return the error for an option that there is not."""
    instead = f"; use {_INSTEAD[name]} instead" if name in _INSTEAD else ""
    return TypeError(f"make_vec() has no option {name}{instead}")
