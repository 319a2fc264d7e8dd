"""Games that the original and the server's own rules play alike, through a vector environment."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
from comparison import Comparison, Reference
from exact import exact

import pommego
from pommego import pommerman
from pommego.pommerman import constants

#: What both save of a game, in every version of the original.
_FIELDS = ("board_size", "step_count", "board", "agents", "bombs", "flames", "items")
_GAMES = 2  # of each id, used by turns


class ServedComparison(Comparison):
    """Games compared so far, ours those of `pommego.make_vec`."""

    # Seldom SimpleAgents: the original's take longer than its steps.
    policies = ("simple", "mixed", "careful", "careful", "careful", "careful", "uniform", "uniform")

    def __init__(self, reference: Reference, seed: int) -> None:
        super().__init__(reference, seed)
        self._ours = Served(self._rng)

    def about(self) -> None:
        """Compare nothing: what there is to know without a game, the drop-in has."""

    def _training_agent(self, _: str) -> None:
        return None

    def _steps_past_end(self) -> int:
        return 0

    def _begin(self, what: str, env_id: str, state: dict[str, Any], training: int | None) -> None:
        super()._begin(what, env_id, state, training)
        self._compare_saved(what)

    def _compare_saved(self, what: str) -> None:
        theirs = self._reference.ask("saved_texts")
        self._compare(f"{what}, saved", exact(_fields(self._ours.state)), exact(_fields(theirs)))

    def _step(self, env_id: str, policy: str, number: int) -> bool:
        actions = self._actions(env_id, policy)
        ours = self._ours.step(actions)
        kind, theirs = self._reference.ask("step", actions, saved=False)
        self.steps[env_id] += 1
        self._compare(f"step {number + 1}", ours, (kind, theirs[:4]))
        self.counts["rings due"] += self._ring_is_due()
        self._compare_saved(f"step {number + 1}")
        return ours[1][2] == ("bool", True)

    def _ring_is_due(self) -> bool:
        return "before_ring" in self._ours.state["pommego"]

    def _reload(self, env_id: str, training: int | None) -> None:
        """Save the game and load it into another game, in one form or the other."""
        if self._ring_is_due():  # loaded, ours shows the position from before the ring
            return
        state = self._ours.state
        saved = self._ours.saved() if self._rng.random() < 0.5 else state
        self.counts["games loaded in between"] += 1
        self._compare(
            "reload",
            self._ours.begin(env_id, saved, training),
            self._reference.ask("begin", env_id, state, training),
        )
        self._compare_saved("reload")

    def _end(self) -> None:
        """Leave the game as it is: the next one replaces it."""

    def _decided(self, _: int) -> list[int]:
        """Let the original's SimpleAgents decide."""
        decided = self._reference.ask("act", self._rng.getrandbits(32))
        return [move[1] for move in decided[1][0][1]]


class Served:
    """One game on the server at a time, in the place of `peer.Peer`.

    Args:
        rng: for which of several games it is.

    Attributes:
        env: the games of the id.
        obs: what the agents see.
        state: the game as JSON.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._made: dict[str, pommego.PommegoVectorEnv] = {}
        self.state: dict[str, Any] = {}

    def begin(self, env_id: str, state: Any, training: None) -> Any:
        """Put one of the games into a state and let the others begin anew; return its observations."""
        del training
        if env_id not in self._made:
            self._made[env_id] = pommego.make_vec(
                env_id, _GAMES, observation="raw", reward="reference", autoreset_mode="Disabled"
            )
        self.env = self._made[env_id]
        self.env.reset(seed=0)
        self._game = self._rng.randrange(_GAMES)
        obs, _ = self.env.set_state(self._game, state)
        self._see(obs)
        for seen in self.obs:
            if "message" in seen:
                seen["message"] = list(seen["message"])  # as the original's are that come from a file
        return exact(self.obs)

    def step(self, actions: list[Any]) -> Any:
        """Make one step of all games."""
        silence = [0] * (len(self.env.game_spec.actions) - 1)
        rows = [[*action] if isinstance(action, list | tuple) else [action, *silence] for action in actions]
        idle = [[0, *silence]] * len(rows)
        games = np.array([rows if game == self._game else idle for game in range(_GAMES)])
        obs, reward, terminated, _, info = self.env.step(games if silence else games[..., 0])
        self._see(obs)
        first = self._game * len(rows)
        mine = slice(first, first + len(rows))
        rewards, done = reward[mine].astype(int).tolist(), bool(terminated[first])
        return exact([self.obs, rewards, done, _ending(info["game"], first) if done else _GOING])

    def _see(self, obs: dict[str, Any]) -> None:
        """Take the game's observations, with positions as in all games that were loaded."""
        dictionaries = pommerman.Dictionaries(self.env.game_spec)(obs)
        learners = len(dictionaries) // _GAMES
        mine = dictionaries[self._game * learners : (self._game + 1) * learners]
        self.obs = [seen | {"position": tuple(map(int, seen["position"]))} for seen in mine]
        self.state = self.env.get_state(self._game, as_json=True)

    def saved(self) -> pommego.State:
        """Save the game as bytes."""
        return self.env.get_state(self._game)


_GOING = {"result": constants.Result.Incomplete}


def _ending(game: dict[str, Any], row: int) -> dict[str, Any]:
    """Return the info of a game that ended, from the statistics of one of its rows."""
    if not game["winners"][row].any():
        return {"result": constants.Result.Tie}
    return {"result": constants.Result.Win, "winners": np.flatnonzero(game["winners"][row]).tolist()}


def _fields(state: dict[str, str]) -> dict[str, str]:
    """Return what both save in the same words, with what has no order in games in one order."""
    fields = {name: json.loads(state[name]) for name in _FIELDS}
    fields["flames"].sort(key=lambda flame: (flame["life"], flame["position"]))
    fields["items"].sort()
    return {name: json.dumps(value, sort_keys=True) for name, value in fields.items()}
