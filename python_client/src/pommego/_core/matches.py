"""Matches between agents, as ``pommego play`` plays them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from pommego._core.program import run

__all__ = ["by_seat", "own_seat", "play", "rules_alone"]

_LEARNER = "learner"


def by_seat(name: str, seating: Mapping[str, Any], seats: int) -> list[str]:
    """Return the agent in each seat, for `make_vec`'s options with this agent in the learners' seats."""
    if "seats" in seating:
        return [name if agent == _LEARNER else agent for agent in seating["seats"]]
    names = [name] * seats
    for k, agent in enumerate(seating.get("opponents", ())):
        names[(seating["seat"] + 1 + k) % seats] = agent
    return names


def own_seat(seating: Mapping[str, Any]) -> int:
    """Return the first learner's seat, for `make_vec`'s options."""
    return seating["seats"].index(_LEARNER) if "seats" in seating else seating.get("seat", 0)


def rules_alone(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return `make_vec`'s options as those of `play`, which has the rules alone.

    Raises:
        TypeError: there are others.
    """
    if others := sorted(set(options) - {"rules"}):
        raise TypeError(f"options {others} are for policies: a match between agents has only rules")
    return dict(options)


def play(
    id: str,
    agents: Sequence[str],
    seed: int,
    *,
    rules: Mapping[str, Any] | None = None,
    record: str | None = None,
) -> dict[str, Any]:
    """Play one match.

    Returns:
        what ``pommego play --json`` prints: result ("won", "lost" or "tied" a seat), outcome (what
        the end paid each seat), steps and more.

    Raises:
        PommegoError: it cannot be played; the message says why.
    """
    escaped = [agent.replace(",", "\\,") for agent in agents]
    command = ["play", "--env", id.removeprefix("pommego/"), "--agents", ",".join(escaped)]
    command += ["--seed", str(seed), "--draw-sides=false", "--json"]
    if rules:
        command += ["--rules", json.dumps(rules)]
    if record:
        command += ["--record", record]
    end = json.loads(run(*command))
    for seat in end["seats"]:
        if seat["failed"]:
            error = seat["last_error"].partition(": ")[2]  # without its step
            warnings.warn(f"an agent failed, and played stop: {seat['agent']}: {error}", stacklevel=2)
    return end
