"""What shaped rewards do to learning, in numpy and in a minute a run: `python shaping.py`.

    python shaping.py --shaping none        # the outcome alone
    python shaping.py --shaping distance    # potential-based: how far away the enemy is
    python shaping.py --shaping digging     # potential-based: the wood that one burnt, by counts
    python shaping.py --shaping wood        # 0.1 for each piece of wood that one burnt
    python shaping.py --shaping bombs       # 0.2 for each bomb laid: it learns to lay bombs, not to win

A small network learns one against one by PPO. It chooses among safe moves. Each line says how many of
100 games it wins on boards that training does not use, and what an episode paid with the shaping.
docs/training.md tells what comes of it. Needs numpy alone, and writes no file.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pommego

ID, OPPONENT, LONGEST = "OneVsOne-v0", "static", 300  # steps of a game; it is then a tie
GAMES, ROLLOUT, EPOCHS, PARTS = 64, 32, 3, 4
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3
HIDDEN = 64
OPTIONS: dict[str, Any] = {"rules": {"max_steps": LONGEST}, "observation": "near", "mask": "safe"}
PAID = {"wood": 0.1, "bombs": 0.2}  # for each, whatever comes of it
Array = NDArray[np.float32]


def seen(obs: dict[str, np.ndarray]) -> Array:
    """Return the network's input, (n, inputs): the cells around the agent, and all but the last numbers."""
    near = obs["near"].reshape(len(obs["near"]), -1)
    return np.hstack([near / np.float32(32), obs["numbers"][:, :-4] / np.float32(64)])


class Shaping:
    """What a step pays beside the outcome."""

    def __init__(self, kind: str, spec: pommego.GameSpec) -> None:
        self.kind, names = kind, [count.name for count in spec.counts]
        places = [scalar.name for field in spec.state for scalar in field.names]
        at = len(spec.state[0].names)  # where the scalars begin
        self.places = [[places.index(f"agent{k}_{way}") - at for way in ("row", "col")] for k in range(2)]
        self.cells = spec.rules["board_size"] - 1
        self.column = names.index(kind if kind in PAID else "wood")
        self.burnt, self.before = np.zeros(GAMES), np.zeros(GAMES)

    def potential(self, info: dict[str, Any]) -> NDArray[np.floating]:
        """Return a number for each row that says how promising its position is."""
        if self.kind == "distance":
            one, other = (np.rint(self.cells * info["state"]["scalars"][:, at]) for at in self.places)
            return -0.05 * np.abs(one - other).astype(np.float64).sum(1)
        return 0.05 * self.burnt

    def __call__(self, info: dict[str, Any], done: NDArray[np.bool_]) -> np.ndarray:
        """Return what the last step pays, (rows,); `info` is what came after it."""
        counts = info["counts"][:, self.column]
        if self.kind in PAID:
            return PAID[self.kind] * counts
        if self.kind == "none":
            return np.zeros(GAMES)
        self.burnt = np.where(done, 0, self.burnt + counts)
        after = self.potential(info)  # where an episode ended, of the next one, which has no part in it
        pays, self.before = GAMMA * after * ~done - self.before, after
        return pays


class Network:
    """A hidden layer, then the scores of moves and a value; trained by Adam."""

    def __init__(self, inputs: int, moves: int, rng: np.random.Generator) -> None:
        def drawn(a: int, b: int, scale: float) -> Array:
            return (rng.standard_normal((a, b)) * scale).astype(np.float32)

        self.weights = [drawn(inputs, HIDDEN, 1 / math.sqrt(inputs)), np.zeros(HIDDEN, np.float32)]
        self.weights += [drawn(HIDDEN, moves + 1, 0.01), np.zeros(moves + 1, np.float32)]
        self.means, self.squares = ([np.zeros_like(w) for w in self.weights] for _ in range(2))
        self.steps = 0

    def __call__(self, x: Array, mask: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
        """Return the hidden layer, log probabilities of moves and values."""
        hidden = np.tanh(x @ self.weights[0] + self.weights[1])
        out = hidden @ self.weights[2] + self.weights[3]
        scores = np.where(mask, out[:, :-1], -1e9)
        scores -= scores.max(1, keepdims=True)
        return hidden, scores - np.log(np.exp(scores).sum(1, keepdims=True)), out[:, -1]

    def act(
        self, x: Array, mask: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[np.ndarray, Array, Array]:
        """Draw moves; return their log probabilities and the values, too."""
        _, logp, value = self(x, mask)
        reach = np.exp(logp).cumsum(1)
        moves = (reach < rng.random((len(x), 1)) * reach[:, -1:]).sum(1)
        return moves, logp[np.arange(len(x)), moves], value

    def learn(self, seen: list[np.ndarray], moves: np.ndarray, old: Array, gain: Array, aim: Array) -> None:
        """Make a step of PPO."""
        hidden, logp, value = self(*seen)
        chances, chosen = np.exp(logp), np.eye(logp.shape[1], dtype=np.float32)[moves]
        ratio = np.exp((logp * chosen).sum(1) - old)
        free = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)  # not clipped
        logp = np.maximum(logp, -50)
        surplus = logp - (chances * logp).sum(1, keepdims=True)  # of the entropy
        slope = ENTROPY * chances * surplus - (gain * ratio * free)[:, None] * (chosen - chances)
        slope = np.hstack([slope, 0.5 * (value - aim)[:, None]]).astype(np.float32) / len(moves)
        below = (slope @ self.weights[2].T) * (1 - hidden**2)
        self.steps += 1
        fix = RATE * math.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for k, g in enumerate((seen[0].T @ below, below.sum(0), hidden.T @ slope, slope.sum(0))):
            self.means[k] += 0.1 * (g - self.means[k])
            self.squares[k] += 0.001 * (g * g - self.squares[k])
            self.weights[k] -= fix * self.means[k] / (np.sqrt(self.squares[k]) + 1e-8)


def advantages(reward: np.ndarray, value: np.ndarray, done: np.ndarray) -> np.ndarray:
    """Estimate by how much each step was better than expected (GAE), (steps, rows)."""
    gain, later = np.zeros_like(reward), np.zeros(reward.shape[1])
    for t in reversed(range(len(reward))):
        later = reward[t] + ~done[t] * GAMMA * (value[t + 1] + LAMBDA * later) - value[t]
        gain[t] = later
    return gain


def judged(net: Network, games: int, seed: int) -> dict[str, float]:
    """Play games on boards that training does not use."""
    rng = np.random.default_rng(seed)

    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return net.act(seen(obs), info["action_mask"], rng)[0]

    result = pommego.evaluate(policy, ID, OPPONENT, games, **OPTIONS)
    return {"won": result.win_rate.value, "tied": result.tie_rate.value}


def train(kind: str, steps: int, games: int, seed: int) -> None:
    """Learn, and print how well it plays five times."""
    rng, begin = np.random.default_rng(seed), time.process_time()
    options = OPTIONS | {"state": True, "counts": "step", "autoreset_mode": "SameStep"}
    with pommego.make_vec(ID, GAMES, opponents=[OPPONENT], **options) as envs:
        shaping = Shaping(kind, envs.game_spec)
        obs, info = envs.reset(seed=seed * 1_000_000)
        x, mask = seen(obs), info["action_mask"] > 0
        net = Network(x.shape[1], mask.shape[1], rng)
        shaping.before = shaping.potential(info)
        running, paid, updates = np.zeros(GAMES), [0.0], steps // (GAMES * ROLLOUT)
        for update in range(updates + 1):
            if update % (updates // 4) == 0:
                row = {"shaping": kind, "seed": seed, "steps": update * GAMES * ROLLOUT}
                row |= judged(net, games, seed) | {"paid": round(float(np.mean(paid[-200:])), 2)}
                print(json.dumps(row | {"seconds": round(time.process_time() - begin)}), flush=True)
            columns = []
            for _ in range(ROLLOUT):
                moves, logp, value = net.act(x, mask, rng)
                obs, reward, done, _, info = envs.step(moves)
                reward = reward + shaping(info, done)
                columns.append((x, mask, moves, logp, value, reward, done))
                running += reward
                paid += running[done].tolist()
                running[done] = 0
                x, mask = seen(obs), info["action_mask"] > 0
            *acted, value, reward, done = map(np.stack, zip(*columns, strict=True))
            value = np.concatenate([value, net(x, mask)[2][None]])
            gain = advantages(reward, value, done)
            parts = [*acted, (gain - gain.mean()) / (gain.std() + 1e-8), gain + value[:-1]]
            flat = [part.reshape(-1, *part.shape[2:]) for part in parts]
            for _ in range(EPOCHS):
                for rows in np.array_split(rng.permutation(len(flat[0])), PARTS):
                    drawn = [part[rows] for part in flat]
                    net.learn(drawn[:2], *drawn[2:])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shaping", choices=["none", "distance", "digging", *PAID], default="none")
    parser.add_argument("--steps", type=int, default=240_000, help="default: %(default)s")
    parser.add_argument("--judged", type=int, default=100, help="games of each evaluation")
    parser.add_argument("--seed", type=int, default=0, help="of boards, network and moves")
    given = parser.parse_args()
    train(given.shaping, given.steps, given.judged, given.seed)
