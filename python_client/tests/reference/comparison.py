"""The original in a process of its own, and games that it and the drop-in play alike."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import peer
import positions
from exact import difference

from pommego import pommerman

HERE = Path(__file__).parent
_LONGEST = 400  # steps of one game
_PAST_END = 6  # steps at most after a game is over


class Reference:
    """The original, in a process of its own.

    Args:
        command: the Python that has it installed, and arguments of `peer`.
    """

    def __init__(self, *command: str) -> None:
        python, *options = command
        self._process = subprocess.Popen(
            [python, "-W", "ignore", str(HERE / "peer.py"), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if options else None,
        )

    def ask(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of `peer.Peer` there.

        Raises:
            RuntimeError: it failed, or the process ended.
        """
        try:
            peer.send(self._process.stdin, (name, args, kwargs))
            kind, reply = peer.receive(self._process.stdout)
        except (EOFError, BrokenPipeError):
            raise RuntimeError(
                f"the original ended with status {self._process.wait()}: is it installed for that Python?"
            ) from None
        if kind == "error":
            raise RuntimeError(f"the original fails in {name}: {reply}")
        return reply

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
        self._process.wait()


class Comparison:
    """Games compared so far.

    Args:
        reference: the original.
        seed: of boards and moves.

    Attributes:
        steps: by id.
        counts: of whatever else was compared.
        differences: descriptions, the first twenty.
        policies: who plays, one drawn for each game.
    """

    policies: tuple[str, ...] = ("simple", "simple", "mixed", "careful", "uniform")

    def __init__(self, reference: Reference, seed: int) -> None:
        self._reference = reference
        self._rng = random.Random(seed)
        self._ours = peer.Peer.__new__(peer.Peer)
        self._ours.pommerman = pommerman
        self.steps: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.differences: list[str] = []
        self._where = ""

    def about(self) -> None:
        """Compare ids, spaces and constants."""
        self._compare("about", self._ours.about(), self._reference.ask("about"))

    def game(self, env_id: str) -> None:
        """Play one game."""
        rng = self._rng
        state = positions.start(env_id, rng)
        training = self._training_agent(env_id)
        policy = rng.choice(self.policies)
        self.counts["games"] += 1
        self._where = f"{env_id}, game {self.counts['games']} ({policy})"
        self._begin("reset", env_id, state, training)
        left = self._steps_past_end()
        done = False
        for number in range(_LONGEST):
            done = self._step(env_id, policy, number) or done
            if done:
                left -= 1
                if left < 0:
                    break
                self.counts["steps past the end"] += 1
            elif rng.random() < 0.01:
                self._reload(env_id, training)
        self._end()

    def _end(self) -> None:
        self._ours.env.close()

    def _training_agent(self, env_id: str) -> int | None:
        teams = "Team" in env_id or "Radio" in env_id
        return self._rng.choice([None, None, None if teams else 0])

    def _steps_past_end(self) -> int:
        return self._rng.randrange(2, _PAST_END) if self._rng.random() < 0.3 else 0

    def _begin(self, what: str, env_id: str, state: dict[str, Any], training: int | None) -> None:
        self._compare(
            what,
            self._ours.begin(env_id, state, training),
            self._reference.ask("begin", env_id, state, training),
        )

    def _step(self, env_id: str, policy: str, number: int) -> bool:
        actions = self._actions(env_id, policy)
        saved = number % 5 == 0
        ours = self._ours.step(actions, saved=saved)
        theirs = self._reference.ask("step", actions, saved=saved)
        self.steps[env_id] += 1
        self._compare(f"step {number + 1}", ours, theirs)
        if number % 20 == 0:
            self._compare(f"features {number + 1}", self._ours.features(), self._reference.ask("features"))
        return ours[1][2] == ("bool", True)

    def _reload(self, env_id: str, training: int | None) -> None:
        """Save the game and load it into new environments."""
        state = self._ours.env.get_json_info()
        self._ours.env.close()
        self.counts["games loaded in between"] += 1
        self._begin("reload", env_id, state, training)

    def _actions(self, env_id: str, policy: str) -> list[Any]:
        rng = self._rng
        seats = len(self._ours.obs)
        if policy == "uniform":
            moves: list[Any] = [rng.randrange(6) for _ in range(seats)]
        elif policy == "careful":
            moves = [
                rng.choice([0, 1, 2, 3, 4, 1, 2, 3, 4, 5 if rng.random() < 0.2 else 0]) for _ in range(seats)
            ]
        else:
            moves = self._decided(seats)
            if policy == "mixed":
                moves = [rng.randrange(6) if rng.random() < 0.15 else move for move in moves]
        if "Radio" in env_id:
            words = [[move, rng.randint(1, 8), rng.randint(1, 8)] for move in moves]
            moves = [rng.choice([move, said, tuple(said)]) for move, said in zip(moves, words, strict=True)]
        return moves

    def _decided(self, seats: int) -> list[int]:
        """Let the SimpleAgents of both sides decide; compare them and return what they do."""
        seed = self._rng.getrandbits(32)
        ours = self._ours.act(seed)
        self._compare("decisions", ours, self._reference.ask("act", seed))
        self.counts["decisions"] += len(ours[1][0][1])
        moves = [move[1] for move in ours[1][0][1]]
        training = self._ours.env.training_agent
        if training is not None:
            moves.insert(training, self._rng.randrange(5))
        return moves

    def _compare(self, what: str, ours: Any, theirs: Any) -> None:
        found = difference(ours, theirs)
        if found is not None:
            self.counts["differences"] += 1
            if len(self.differences) < 20:
                self.differences.append(f"{self._where}, {what}{found}")
