"""Plays the same games here and in the original, and compares all that either returns.

    python lockstep.py --reference /path/to/python --steps 100000

The Python named has the original installed (see the guide). Every game starts
from a saved state, boards generated and sometimes altered here; then both make the
same moves. Compared, with their types: observations, rewards, done, info, the
agents' attributes, saved games, features, and what SimpleAgents decide and
remember with the same random numbers.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import peer
from exact import difference

from pommego import pommerman
from pommego.terminal import Progress

HERE = Path(__file__).parent
_LONGEST = 400  # steps of one game
_PAST_END = 6  # steps at most after a game is over
_POLICIES = ("simple", "simple", "mixed", "careful", "uniform")


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
    """

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
        state = self._start(env_id)
        teams = "Team" in env_id or "Radio" in env_id
        training = rng.choice([None, None, None if teams else 0])
        policy = rng.choice(_POLICIES)
        self.counts["games"] += 1
        self._where = f"{env_id}, game {self.counts['games']} ({policy})"
        self._compare(
            "reset",
            self._ours.begin(env_id, state, training),
            self._reference.ask("begin", env_id, state, training),
        )
        left = rng.randrange(2, _PAST_END) if rng.random() < 0.3 else 0
        done = False
        for number in range(_LONGEST):
            done = self._step(env_id, policy, number) or done
            if done:
                left -= 1
                self.counts["steps past the end"] += 1
                if left < 0:
                    break
            elif rng.random() < 0.01:
                self._reload(env_id, training)
        self._ours.env.close()

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
        self._compare(
            "reload",
            self._ours.begin(env_id, state, training),
            self._reference.ask("begin", env_id, state, training),
        )

    def _start(self, env_id: str) -> dict[str, str]:
        """Deal a board, and alter it for two games of three."""
        rng = self._rng
        seats = 2 if env_id.startswith("OneVsOne") else 4
        with pommerman.make(env_id, [pommerman.agents.BaseAgent() for _ in range(seats)]) as env:
            env.seed(rng.getrandbits(60))
            env.reset()
            if rng.random() < 0.66:
                self._alter(env)
            return env.get_json_info()

    def _alter(self, env: Any) -> None:
        """Strengthen agents, open the board, begin late."""
        rng = self._rng
        for agent in env._agents:
            body = agent._character
            body.ammo, body.blast_strength = rng.randint(0, 5), rng.randint(1, 6)
            body.can_kick = rng.random() < 0.7
        gone = rng.random()
        for row, col in zip(*(env._board == 2).nonzero(), strict=True):
            if (row, col) not in env._items and rng.random() < gone:
                env._board[row, col] = rng.choice([0, 0, 0, 6, 7, 8])
        env._step_count = rng.choice([0, 0, 0, 120, 480, 560, 790])

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


def compare(reference: Reference, steps: int, seed: int = 0) -> Iterator[Comparison]:
    """Play games of all ids in turn until there are so many steps; yields after each."""
    comparison = Comparison(reference, seed)
    comparison.about()
    while sum(comparison.steps.values()) < steps:
        for env_id in pommerman.REGISTRY:
            if sum(comparison.steps.values()) < steps:
                comparison.game(env_id)
                yield comparison


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description="Compare pommego.pommerman with the original, step by step.")
    parser.add_argument("--reference", required=True, help="the Python that has the original installed")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    reference, progress, begin = Reference(options.reference), Progress(), time.monotonic()
    comparison = None
    for comparison in compare(reference, options.steps, options.seed):
        progress.show(
            f"{sum(comparison.steps.values()):,} steps, {comparison.counts['differences']} differences"
        )
    progress.clear()
    reference.close()
    if comparison is None:
        parser.error("--steps is 0: nothing to compare")
    for env_id, steps in comparison.steps.items():
        print(f"{env_id:30} {steps:>8,} steps")
    for what, count in sorted(comparison.counts.items()):
        print(f"{what:30} {count:>8,}")
    for found in comparison.differences:
        print(found, file=sys.stderr)
    total = sum(comparison.steps.values())
    found = comparison.counts["differences"]
    print(f"{total:,} steps, {found} differences, {time.monotonic() - begin:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
