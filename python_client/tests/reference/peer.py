"""Plays the original's environments as the process that started this says.

Runs under the Python that has the original installed, and needs nothing else.
Requests come on the standard input, replies go to what was the standard output:
the length in four bytes, then a pickle. With the argument "stand-in" our own
package plays the original's part, to try the comparison out.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from exact import exact

if "stand-in" in sys.argv[1:]:
    from pommego import pommerman

    sys.path.insert(0, pommerman.IMPORT_PATH)


class Peer:
    """One environment at a time."""

    def __init__(self) -> None:
        import pommerman

        pommerman.envs.v1.json = json  # it forgot to import it
        self.pommerman = pommerman
        self.env: Any = None

    def about(self) -> Any:
        """Return what there is to know without a game."""
        found = {"registry": self.pommerman.REGISTRY}
        for env_id in self.pommerman.REGISTRY:
            env = self.pommerman.make(env_id, []).unwrapped
            box = env.observation_space
            found[env_id] = {
                "low": np.asarray(box.low),
                "high": np.asarray(box.high),
                "reward_range": env.reward_range,
                "kwargs": dict(sorted(env.spec._kwargs.items())),
            }
        for name in ("Item", "Action", "GameType", "Result"):
            found[name] = {member.name: member.value for member in getattr(self.pommerman.constants, name)}
        return exact(found)

    def begin(self, env_id: str, state: dict[str, str], training_agent: int | None) -> Any:
        """Make an environment whose games begin in a state, and reset it."""
        seats = 2 if env_id.startswith("OneVsOne") else 4
        agents = [self.pommerman.agents.SimpleAgent() for _ in range(seats)]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(json.dumps(state))
            file.flush()
            self.env = self.pommerman.make(env_id, agents, file.name).unwrapped
        self.env.set_training_agent(training_agent)
        self.obs = self.env.reset()
        return exact(self.obs)

    def step(self, actions: list[Any], *, saved: bool) -> Any:
        """Make one step."""
        self.obs, *rest = self.env.step(actions)
        return exact([self.obs, *rest, self.agents(), self.saved() if saved else None])

    def act(self, seed: int) -> Any:
        """Let the agents act, with the module random seeded; return what they remember, too."""
        random.seed(seed)
        actions = self.env.act(self.obs)
        memories = [
            [[list(map(int, cell)) for cell in agent._recently_visited_positions], agent._prev_direction]
            for agent in self.env._agents
        ]
        return exact([actions, memories, random.random()])

    def agents(self) -> Any:
        """Return all of each agent that a game changes."""
        names = (
            "agent_id",
            "position",
            "ammo",
            "blast_strength",
            "can_kick",
            "is_alive",
            "teammate",
            "enemies",
        )
        return [{name: getattr(agent, name) for name in names} for agent in self.env._agents]

    def saved(self) -> Any:
        """Save the game; the original cannot with v1, so there it is what all versions save."""
        return self.pommerman.envs.v0.Pomme.get_json_info(self.env)

    def saved_texts(self) -> dict[str, str]:
        """Save the game, as `saved` does, as it is."""
        return {name: str(text) for name, text in self.saved().items()}

    def features(self) -> Any:
        """Return what networks see; without words, whose featurize fails in the original."""
        return exact([self.pommerman.envs.v0.Pomme.featurize(obs) for obs in self.obs])


def main() -> None:
    """Answer until the input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed goes to the standard error
    sys.path.insert(0, str(Path(__file__).parent))
    with contextlib.suppress(EOFError, BrokenPipeError):
        peer = Peer()
        while True:
            name, args, kwargs = receive(sys.stdin.buffer)
            try:
                reply = "ok", getattr(peer, name)(*args, **kwargs)
            except Exception as error:  # to be told where it can be seen
                reply = "error", f"{type(error).__name__}: {error}"
            send(out, reply)


def send(to: BinaryIO, message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message, protocol=4)
    to.write(struct.pack("<I", len(data)) + data)
    to.flush()


def receive(source: BinaryIO) -> Any:
    """Read one message.

    Raises:
        EOFError: there is none any more.
    """
    head = source.read(4)
    if len(head) < 4:
        raise EOFError
    return pickle.loads(source.read(struct.unpack("<I", head)[0]))


if __name__ == "__main__":
    main()
