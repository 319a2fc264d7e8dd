"""One game: the server generates its boards and pictures, and Python makes its steps.

A step in Python takes less time than a request to a server and the conversion of its
reply into dictionaries. (For many games at once see `batch`.) Only boards, which depend
on a seed as everywhere else, and pictures are requested from the server. At all other
times nothing is sent, and the parts of the game can be read and changed freely: states
that no game can reach, steps after the end, other boards and other numbers of agents
are no special cases.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from pommego.errors import ServerError
from pommego.pommerman import constants, turn
from pommego.pommerman.remote import Rules, game_options
from pommego.pommerman.scene import Scene, encoded, field, saved
from pommego.vector import PommegoVectorEnv

__all__ = ["Game"]

_NO_GAME = "there is no game: call reset() first"


class Game:
    """The parts of one game.

    Args:
        address: the address of a running server; None: one started by this process.
        token: the token of that server.
        tls: `ca_file` and `client_cert`, as for `pommego.make_vec`.

    Attributes:
        agents: at their seats; set them before anything else.
    """

    def __init__(self, address: str | None = None, token: str | None = None, **tls: Any) -> None:
        self._where = {"address": address, "token": token, **tls}
        self.agents: Sequence[Any] = ()
        self._envs: PommegoVectorEnv | None = None  # one game on the server, for its boards and pictures
        self._made: tuple[Rules, int] | None = None  # its rules, and the process that it belongs to
        self._refused: tuple[Rules, int, str] | None = None  # rules that the server refuses, and why
        self._scene: Scene | None = None

    @property
    def bodies(self) -> list[Any]:
        """The agents' characters, which have position, ammo and so on. An agent can be its own."""
        return [getattr(agent, "_character", agent) for agent in self.agents]

    # Pieces -------------------------------------------------------------------

    def begin(self, rules: Rules, seed: int) -> bool:
        """Begin on a board from the server, and place the agents; return False if it refuses the rules."""
        reason = self._connect(rules)
        if reason:
            warnings.warn(f"boards of these rules are generated in Python: {reason}", stacklevel=4)
            return False
        self._envs.reset(seed=seed)
        state = self._envs.get_state(0, as_json=True)
        for agent, entry in zip(self.agents, field(state, "agents"), strict=True):
            # The original finds its agents by searching the board, which gives
            # numbers of this type; positions keep it from then on.
            row, col = entry["position"]
            agent.set_start_position((np.int64(row), np.int64(col)))
            agent.reset()
        self._scene = Scene.read(state, self.bodies)
        return True

    @property
    def scene(self) -> Scene:
        """The parts besides the agents, to read or to change.

        Raises:
            AttributeError: there is no game.
        """
        if self._scene is None:
            raise AttributeError(_NO_GAME)
        return self._scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        self._scene = scene

    def put(self, name: str, pieces: Any) -> None:
        """Replace one part of the scene; without a game this begins one."""
        if self._scene is None:
            self._scene = Scene(np.zeros((0, 0), np.uint8), [], [], {})
        setattr(self._scene, name, pieces)

    def release(self) -> None:
        """Disconnect from the server, and forget the game."""
        self._disconnect()
        self._scene = None

    # Steps --------------------------------------------------------------------

    def step(self, moves: Any, max_blast_strength: int) -> None:
        """Make one step.

        Args:
            moves: by agent id; those of the dead are ignored.
            max_blast_strength: the most that range items lead to.

        Raises:
            ValueError: a living agent's move is invalid; nothing has changed then.
            RuntimeError: there is no game.
        """
        if self._scene is None:
            raise RuntimeError(_NO_GAME)
        bodies = self.bodies
        chosen = {body.agent_id: _code(moves[body.agent_id]) for body in bodies if body.is_alive}
        turn.play(chosen, bodies, self._scene, max_blast_strength)

    # The server ---------------------------------------------------------------

    def remote(self, rules: Rules, step_count: int) -> PommegoVectorEnv | None:
        """Return a game on the server in the present state, to draw it; None if the server refuses it."""
        if self._connect(rules):
            return None
        try:
            self._envs.set_state(0, encoded(saved(self.scene, self.bodies, step_count)))
        except ServerError:
            return None
        return self._envs

    def _connect(self, rules: Rules) -> str:
        """Make a game with these rules on the server; return why it is refused, or ""."""
        seats = len(self.agents)
        if self._usable() and self._made[0] == rules and seats == rules.seats:
            return ""
        if self._refused is not None and self._refused[:2] == (rules, seats):
            return self._refused[2]
        self._disconnect()
        reason = f"{rules.game_type.name} is for {rules.seats} agents, not {seats}"
        try:
            if seats == rules.seats:
                self._envs, self._made = rules.make(game_options(**self._where)), (rules, os.getpid())
                return ""
        except ServerError as error:
            reason = error.message
        self._refused = rules, seats, reason
        return reason

    def _usable(self) -> bool:
        """Whether the game on the server is open, and was made by this process and not its parent."""
        return self._envs is not None and self._made[1] == os.getpid() and not self._envs.closed

    def _disconnect(self) -> None:
        if self._usable():
            self._envs.close()
        self._envs = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the connection: a copy makes its own when it needs one."""
        return vars(self) | {"_envs": None}


_CODES = {code: action.value for action in constants.Action for code in (action, action.value)}


def _code(move: Any) -> int:
    """Return a move's number.

    Raises:
        ValueError: there is no such move.
    """
    try:
        return _CODES[move]
    except (KeyError, TypeError):
        return constants.Action(move).value
