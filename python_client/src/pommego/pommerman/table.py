"""One game, on the server as long as it can be, in Python where it cannot.

The server is asked for each step, and for what its answer lacks (bombs'
owners, hidden items) only when somebody looks. What has been changed by hand
since is noticed before the next step, and sent there.

What the server cannot do is stepped here: going on after the end of a game,
which the original does; states that no game gets into, such as an item hidden
under a passage; boards of other than 7 to 14 rows, and other numbers of agents
than four (two in a duel). And so is a game that somebody looks into after each
step, as searches do that save and load it: asking takes longer than a step.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.errors import ServerError
from pommego.pommerman import constants, turn
from pommego.pommerman.forward_model import ForwardModel
from pommego.pommerman.observations import split_maps
from pommego.pommerman.remote import RemoteGame, Rules, Seen, game_options
from pommego.pommerman.scene import Scene, body_of, condition, encoded, saved

__all__ = ["Table"]

_NO_GAME = "there is no game, or no longer: call reset() first"


class Table:
    """The pieces of one game.

    Args:
        address: of a running server, None: the process's own.
        token: that server's.

    Attributes:
        agents: at their seats; set them before anything else.
        patience: how often in a row somebody may look before steps are made
            here, until the next game is dealt.
    """

    patience = 3

    def __init__(self, address: str | None = None, token: str | None = None) -> None:
        self._address, self._token = address, token
        self.agents: Sequence[Any] = ()
        self._remote: RemoteGame | None = None
        self._refused: tuple[Rules, int] | None = None  # what the server has no games for, and for how many
        self._here = False  # whether steps are made here
        self._looks = 0  # how often somebody looked, after each step since the first of them
        self._seen: Seen | None = None  # what the server said last
        self._scene: Scene | None = None  # None: the server has it
        self._sent: tuple[Any, ...] | None = None  # step count and agents as the server has them
        self._sent_scene: tuple[Any, ...] | None = None  # and the scene's fingerprint

    @property
    def on_server(self) -> bool:
        """Whether the next step is the server's to make."""
        return not self._here

    @property
    def begun(self) -> bool:
        """Whether there is a game."""
        on_server = self._seen is not None and self._remote is not None and self._remote.usable
        return on_server or self._scene is not None

    @property
    def bodies(self) -> list[Any]:
        """The agents' characters."""
        return [body_of(agent) for agent in self.agents]

    # Pieces -------------------------------------------------------------------

    def deal(self, rules: Rules, seed: int) -> bool:
        """Let the server deal a board and place the agents; False if it has no such games."""
        if not self._connect(rules):
            return False
        seen = self._remote.deal(seed)
        for agent, (row, col, *_) in zip(self.agents, seen.bodies, strict=True):
            # The original finds its agents by a search of the board, which gives
            # numbers of this type; positions keep it from then on.
            agent.set_start_position((np.int64(row), np.int64(col)))
            agent.reset()
        self._here, self._looks = False, 0
        self._adopt(seen, 0)
        return True

    def set(self, scene: Scene) -> None:
        """Put pieces on the board; where the agents are they know themselves."""
        self._scene, self._sent_scene = scene, None
        self._here = self._looks >= self.patience

    @property
    def scene(self) -> Scene:
        """The pieces besides the agents, to look at or to change.

        Raises:
            AttributeError: there is no game.
        """
        if self._scene is None:
            if not self.begun:
                raise AttributeError(_NO_GAME)
            self._scene = Scene.read(self._remote.state(), self.bodies)
            self._sent_scene = self._scene.fingerprint()
            self._looks += 1
            self._here = self._looks >= self.patience
        return self._scene

    def put(self, name: str, pieces: Any) -> None:
        """Replace one part of the scene; without a game this begins one."""
        scene = self.scene if self.begun else Scene(np.zeros((0, 0), np.uint8), [], [], {})
        setattr(scene, name, pieces)
        self.set(scene)

    def release(self) -> None:
        """Leave the server, and forget the game."""
        if self._remote is not None and self._remote.usable:
            self._remote.close()
        self._remote = self._seen = self._scene = self._sent = self._sent_scene = None

    def stay_here(self) -> None:
        """Make all steps in Python, until there is another game or pieces are put on the board."""
        self.set(self.scene)
        self._here = True

    # Steps --------------------------------------------------------------------

    def step(self, rules: Rules, step_count: int, moves: Any) -> None:
        """Make one step.

        Args:
            rules: of the game.
            step_count: steps made before.
            moves: by agent id; those of the dead are not looked at.

        Raises:
            ValueError: a living agent's move is none.
            RuntimeError: there is no game.
        """
        bodies = self.bodies
        self.settle(rules, step_count)
        over = ForwardModel.get_done(bodies, step_count, rules.max_steps, rules.game_type, None)
        if over and not self._here:
            self.stay_here()
        if self._here:
            scene = self.scene
            pieces = turn.Pieces(scene.board, bodies, scene.bombs, scene.items, scene.flames)
            after = turn.play(moves, pieces, rules.max_blast_strength)
            self._scene = Scene(after.board, after.bombs, after.flames, after.items)
            return
        if self._scene is None:
            self._looks = 0
        seen = self._remote.step([_code(moves[body.agent_id]) if body.is_alive else 0 for body in bodies])
        for body, (row, col, ammo, blast, kicks), alive in zip(bodies, seen.bodies, seen.alive, strict=True):
            number = type(body.position[0])
            body.position = number(row), number(col)
            body.ammo, body.blast_strength = ammo, blast
            body.can_kick, body.is_alive = bool(kicks), bool(alive)
        self._adopt(seen, step_count + 1)

    def maps(self, rules: Rules, step_count: int) -> list[dict[str, NDArray[Any]]] | None:
        """Return each seat's maps as the server shows them; None if the game is stepped here."""
        self.settle(rules, step_count)
        return None if self._here else split_maps(self._seen.maps)

    def settle(self, rules: Rules, step_count: int) -> None:
        """Send the server what has been changed by hand, if anything has.

        Raises:
            RuntimeError: there is no game.
        """
        if not self.begun:
            raise RuntimeError(_NO_GAME)
        if self._here or not self._changed(rules, step_count):
            return
        scene = self.scene
        if step_count > rules.max_steps or not self._connect(rules):
            self.stay_here()
            return
        try:
            seen = self._remote.put(encoded(saved(scene, self.bodies, step_count)))
        except ServerError as error:
            warnings.warn(f"this game is stepped in Python from here on: {error.message}", stacklevel=4)
            self.stay_here()
            return
        self._adopt(seen, step_count)
        self._scene, self._sent_scene = scene, scene.fingerprint()

    def _changed(self, rules: Rules, step_count: int) -> bool:
        if self._remote is None or not self._remote.usable or self._remote.rules != rules:
            return True
        if self._sent != (step_count, *map(condition, self.bodies)):
            return True
        return self._scene is not None and self._scene.fingerprint() != self._sent_scene

    def _adopt(self, seen: Seen, step_count: int) -> None:
        """Take note of what the server has."""
        self._seen, self._scene, self._sent_scene = seen, None, None
        self._sent = (step_count, *map(condition, self.bodies))

    def _connect(self, rules: Rules) -> bool:
        """See to it that there is a game with these rules; False if there can be none."""
        if self._refused == (rules, len(self.agents)):
            return False
        fits = len(self.agents) == rules.seats
        if fits and self._remote is not None and self._remote.usable and self._remote.rules == rules:
            return True
        old, self._remote = self._remote, None
        if old is not None and old.usable:
            old.close()
        why = f"{rules.game_type.name} is for {rules.seats} agents, not {len(self.agents)}"
        try:
            if fits:
                self._remote = RemoteGame(rules, game_options(self._address, self._token))
                return True
        except ServerError as error:
            why = error.message
        warnings.warn(f"games of these rules are stepped in Python: {why}", stacklevel=5)
        self._refused = rules, len(self.agents)
        return False

    # Pictures -----------------------------------------------------------------

    def remote(self, rules: Rules, step_count: int) -> RemoteGame | None:
        """Return the game on the server as it now stands; None if it is stepped here."""
        self.settle(rules, step_count)
        return None if self._here else self._remote

    def __getstate__(self) -> dict[str, Any]:
        """Leave the connection out: a copy makes its own when it needs one."""
        if self.begun:
            _ = self.scene
        return vars(self) | {"_remote": None, "_seen": None, "_sent": None, "_sent_scene": None}


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
