"""Options of a connection among those of an environment."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pommego import Connection


def wired(**options: Any) -> dict[str, Any]:
    """Return options of `make_vec`, in which those of a `Connection` have become one."""
    own = {f.name: options.pop(f.name) for f in fields(Connection) if f.name in options}
    return options | ({"connection": Connection(**own)} if own else {})
