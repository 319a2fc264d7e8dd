"""Learn one against one by tree search and a network, in one file: `python alphazero.py --out runs/az`.

Like AlphaZero: a network gives the chances of moves and a value, a tree search improves
both, and the network learns from the games that it and the search play. All games are searched
at the same time: each simulation adds one position to every tree, with one call of `simulate`
and one of the network.

    python alphazero.py --out runs/az --minutes 60
    python alphazero.py --out runs/az --resume --minutes 120    # goes on, with another limit
    python alphazero.py --out runs/az --evaluate 200            # the saved network alone
    python alphazero.py --out runs/az --evaluate 200 --search   # the search with it
    python alphazero.py --out runs/self --opponent self         # by self-play
    python alphazero.py --out runs/az --evaluate 200 --search --opponent self  # not told how simple moves

An hour on two cores is little. So, unlike AlphaZero:

* By default it plays against `static`, which stands still: to win it has to find a way there
  and to bomb it, not itself. The server plays it, or `--opponent simple`, in the search too. With
  `--opponent self` both sides search: as they move at once, each chooses in every node by
  its own statistics.
* Players only choose from moves that they can survive.
* As in AlphaGo, new positions are played on from, on the server, at a fraction of what the
  network costs. A playout that ends the game makes half of the position's value
  (`--playout 0`: none).
* Only some moves are searched (`--between`); the network alone makes the others, so that more
  games end, of which it learns values.
* The search tries moves, and the player moves, by the network's chances as the values
  found change them, as in Gumbel AlphaZero; half of what begins at the root is spread evenly.
* The network learns these chances, not how often each move was tried: of 16 simulations
  most only explore.
* It learns values from the next moves' searches (lambda-returns), without waiting for games
  to end: when the first ones do, an hour may be half over.
* It learns from the newest positions alone, so that its chances move on quickly.

The same command goes on with a run that was stopped: with its network, but with new games and an
empty buffer. A folder that holds a run with other options is left alone. It has `progress.jsonl` (a
line per iteration) and `network.pt`. Needs torch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

import pommego

NEAR = 11  # side of the part of the board around the player that the network sees in detail
WHOLE = ("rigid", "wood", "agent0", "agent1")  # planes that it sees of the whole board, its own agent first
NUMBERS = ("ammo", "blast_strength", "can_kick", "step", "enemy0_alive")
OPTIONS: dict[str, Any] = {"observation": "near", "mask": "safe", "state": True}
SIDES = np.array([1, -1])  # what is good for the first player is bad for the second
WINDOW = 200  # games in the search's share of wins
COUNTED = ("iteration", "minutes", "positions", "games")
MOVES = 6  # stop, up, down, left, right, bomb
LIMITS = ("minutes", "iterations", "threads")  # what `--resume` may change


@dataclass
class Config:
    """A run's parameters; each is an option of the command."""

    out: str = "runs/alphazero"
    env: str = "OneVsOne-v0"
    opponent: str = "static"  # the name of any agent, or "self"
    seed: int = 0
    games: int = 256  # played and searched at the same time
    simulations: int = 16  # a move
    between: int = 2  # moves from one search to the next; the network alone makes the others
    moves: int = 16  # of each game between two updates
    longest: int = 300  # steps of a game; it is then a tie
    even: float = 0.5  # share of a search's simulations that tries all moves equally often
    playout: int = 16  # steps played on from a new position
    mix: float = 0.5  # share of the playout in its value, if that ends the game
    sharpness: float = 30.0  # of improved chances: what a value of 1 adds to a move's logarithm
    discount: float = 0.98  # of a value, a step
    trace: float = 0.95  # lambda: 0 learns the next search's values, 1 the results of games
    samples: int = 4  # how often each position is learned from
    buffer: int = 16_384  # positions
    batch: int = 256  # positions of a gradient step
    learning_rate: float = 1e-3
    minutes: float = 60.0
    iterations: int = 0  # 0: only by time
    every: int = 12  # iterations between evaluations
    matches: int = 200  # of an evaluation
    threads: int = 1

    @property
    def judge(self) -> str:
        """Against whom evaluations are played."""
        return "simple" if self.opponent == "self" else self.opponent


# Network -----------------------------------------------------------------------


class Network(nn.Module):
    """From what a player sees to the chances of its moves and its value."""

    def __init__(self, eyes: Eyes, features: int = 128) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in ((len(eyes.planes), 24), (24, 32), (32, 32)):
            layers += [nn.Conv2d(before, after, 3), nn.ReLU()]
        self.convolutions = nn.Sequential(*layers, nn.Flatten())
        known = 32 * (NEAR - 6) ** 2 + len(WHOLE) * eyes.board**2 + len(eyes.numbers)
        self.body = nn.Linear(known, features)
        self.policy, self.value = nn.Linear(features, MOVES), nn.Linear(features, 1)
        for head in (self.policy, self.value):  # untrained it prefers nothing
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def forward(self, seen: Seen) -> tuple[Tensor, Tensor]:
        """Return log probabilities (n, 6) and values (n,) from -1, lost, to 1, won."""
        x = self.convolutions(seen.near / 32)
        x = functional.relu(self.body(torch.cat([x, seen.far.flatten(1), seen.numbers], 1)))
        logits = self.policy(x).masked_fill(~seen.mask, -1e9)
        return logits.log_softmax(1), self.value(x).tanh().squeeze(1)


class Seen(NamedTuple):
    """What n players see.

    Attributes:
        near: uint8 (n, planes, NEAR, NEAR), the board around the player.
        far: uint8 (n, len(WHOLE), board, board).
        numbers: float32 (n, len(NUMBERS)).
        mask: bool (n, 6), the moves to choose from.
    """

    near: Tensor
    far: Tensor
    numbers: Tensor
    mask: Tensor


class Eyes:
    """Turns observations into `Seen`: players choose among the moves that they can survive."""

    def __init__(self, spec: pommego.GameSpec) -> None:
        near, state = spec.encoding("near"), {field.name: field for field in spec.state}
        self.planes = [plane.name for plane in near["near"].names]
        self.board, self._state = state["planes"].shape[-1], [plane.name for plane in state["planes"].names]
        # Where it stands it sees on the planes, and of numbers alone a mirrored board would differ.
        self.numbers = [i for i, number in enumerate(near["numbers"].names) if number.name in NUMBERS]

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> Seen:
        """Read a batch."""
        whole, seat = info["state"]["planes"], info["seat"]
        whole = whole.repeat(len(seat) // len(whole), 0)  # once a game
        rigid, wood, *agents = (whole[:, self._state.index(name)] for name in WHOLE)
        own = (seat == 0)[:, None, None]
        far = np.stack([rigid, wood, np.where(own, *agents), np.where(own, *agents[::-1])], axis=1)
        numbers = obs["numbers"][:, self.numbers] / np.float32(64)
        return Seen(*map(torch.from_numpy, (obs["near"].copy(), far, numbers, info["action_mask"] > 0)))


# Search ------------------------------------------------------------------------


class Found(NamedTuple):
    """What a search found out about n games.

    Attributes:
        chances: the network's, improved by the values found, (n, players, 6).
        value: of the positions with the network's chances, for the first players, (n,).
    """

    chances: NDArray[np.float32]
    value: NDArray[np.float32]


class Search:
    """One tree for each game, all of the same size.

    Node 0 is the root. A node has a child for each move or, in self-play, for each pair of moves.
    Values are those of the first player.
    """

    def __init__(self, envs: pommego.PommegoVectorEnv, network: Network, eyes: Eyes, config: Config) -> None:
        self.envs, self.network, self.eyes, self.config = envs, network, eyes, config
        self.players = envs.learners
        self.place = MOVES ** np.arange(self.players)

    def run(self, states: Sequence[pommego.State], seen: Seen, rng: np.random.Generator) -> Found:
        """Search from some games of the environment, and what their players see."""
        simulations = self.config.simulations
        shape = len(states), simulations + 1
        self.games, self.states = np.arange(len(states)), [[state] for state in states]
        self.prior = np.zeros((*shape, self.players, MOVES), np.float32)
        self.visits, self.total = np.zeros_like(self.prior), np.zeros_like(self.prior)
        self.value, self.over = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
        self.child = np.zeros((*shape, MOVES**self.players), np.intp)
        self._evaluate(0, seen)
        for node in range(1, simulations + 1):
            self._grow(node, rng)
        chances, value = self._improved(self.games, np.zeros_like(self.games))
        return Found(chances, self.first(value))

    def _grow(self, node: int, rng: np.random.Generator) -> None:
        """Add a node with this number to every tree."""
        path, parent, moves = self._descend()
        states = [tree[at] for tree, at in zip(self.states, parent, strict=True)]
        step = self.envs.simulate(states, moves.reshape(-1), seed=int(rng.integers(1 << 62)))
        for tree, state in zip(self.states, step.states, strict=True):
            tree.append(state)
        self._evaluate(node, self.eyes(step.obs, step.info))
        over = (step.terminated | step.truncated)[:: self.players]
        if self.config.playout:
            result, ended = self._play_on(node, over, rng)
            self.value[:, node] += self.config.mix * ended * (result - self.value[:, node])
        self.over[:, node] = over
        self.value[:, node] = np.where(over, self.first(step.reward), self.value[:, node])
        self.child[self.games, parent, moves @ self.place] = node
        self._back_up(path, self.value[:, node])

    def _play_on(
        self, node: int, over: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return what first players get if agents play on from these nodes, and which games end."""
        games = zip(self.states, over, strict=True)
        states = [tree[0 if done else node] for tree, done in games]  # something, where it is over
        moves, seed = drawn(self.prior[:, node], rng).reshape(-1), int(rng.integers(1 << 62))
        end = self.envs.simulate(states, moves, seed=seed, steps=self.config.playout, policy="simple")
        return self.first(end.reward), (end.terminated | end.truncated)[:: self.players]

    def first(self, by_row: NDArray) -> NDArray[np.float64]:
        """Return the first players' part of values or rewards, (games,); one wins what the other loses."""
        return by_row.reshape(-1, self.players) @ SIDES[: self.players] / self.players

    def guess(self, seen: Seen) -> Found:
        """Ask the network alone."""
        with torch.no_grad():
            logp, value = self.network(seen)
        chances = (logp.exp() * seen.mask).numpy().reshape(-1, self.players, MOVES)
        return Found(chances, self.first(value.numpy()))

    def _evaluate(self, node: int, seen: Seen) -> None:
        self.prior[:, node], self.value[:, node] = self.guess(seen)

    def _descend(self) -> tuple[list[tuple[NDArray, ...]], NDArray[np.intp], NDArray[np.intp]]:
        """Follow the moves to an edge without a node, or to the end of a game.

        Returns:
            for each depth the games, nodes and moves; the last nodes; the last moves, (games, players).
        """
        games, at = self.games, np.zeros(len(self.games), np.intp)
        parent, last = at.copy(), np.zeros((len(at), self.players), np.intp)
        path = []
        while len(games):
            moves = self._next(games, at)
            path.append((games, at, moves))
            parent[games], last[games] = at, moves
            below = self.child[games, at, moves @ self.place]
            on = (below > 0) & ~self.over[games, below]
            games, at = games[on], below[on]
        return path, parent, last

    def _next(self, games: NDArray[np.intp], at: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return each player's move that was tried too seldom for its improved chance, (n, players)."""
        visits, known = self.visits[games, at], self.prior[games, at] > 0
        chances, _ = self._improved(games, at)
        even = self.config.even * (at == 0)[:, None, None]
        chances += even * (known / known.sum(-1, keepdims=True) - chances)
        return np.where(known, chances - visits / (1 + visits.sum(-1, keepdims=True)), -np.inf).argmax(-1)

    def _improved(self, games: NDArray[np.intp], at: NDArray[np.intp]) -> tuple[NDArray, NDArray]:
        """Shift nodes' chances to the moves of higher value; untried ones count as the position.

        Returns:
            chances (n, players, 6), and values of the positions for each player, (n, players).
        """
        prior, visits, total = (array[games, at] for array in (self.prior, self.visits, self.total))
        mean, tried = total / np.maximum(visits, 1), prior * (visits > 0)
        found = (tried * mean).sum(-1) / np.maximum(tried.sum(-1), 1e-9)
        times = visits.sum(-1)
        value = (np.outer(self.value[games, at], SIDES[: self.players]) + times * found) / (1 + times)
        gain = np.where(visits > 0, mean - value[:, :, None], 0)
        better = prior * np.exp(self.config.sharpness * gain)
        return (better / better.sum(-1, keepdims=True)).astype(np.float32), value

    def _back_up(self, path: list[tuple[NDArray, ...]], value: NDArray[np.float32]) -> None:
        """Count the value at the end of the path in all moves on it."""
        depth = sum(np.bincount(games, minlength=len(value)) for games, _, _ in path)
        for k, (games, at, moves) in enumerate(path):
            worth = value[games] * self.config.discount ** (depth[games] - k)
            for player in range(self.players):
                self.visits[games, at, player, moves[:, player]] += 1
                self.total[games, at, player, moves[:, player]] += SIDES[player] * worth


# Learning ----------------------------------------------------------------------


class Symmetry:
    """The eight ways to turn and mirror a board, with its moves."""

    TURNS = ((0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (2, 3, 0, 1))  # none, up-down, left-right, diagonal

    def __init__(self, names: list[str]) -> None:
        rolling = [names.index(f"bomb_{way}") for way in ("up", "down", "left", "right")]
        self.planes, self.moves = [], []
        for way in range(8):
            order = np.arange(4)
            for bit in range(3):
                if way >> bit & 1:
                    order = order[list(self.TURNS[bit + 1])]
            planes = np.arange(len(names))
            planes[rolling] = np.array(rolling)[order]
            self.planes.append(torch.from_numpy(planes))
            self.moves.append(torch.from_numpy(np.concatenate([[0], 1 + order, [5]])))

    def __call__(self, way: int, planes: Tensor, *by_move: Tensor) -> tuple[Tensor, ...]:
        """Turn planes (n, planes, rows, columns), and what there is of each move (n, 6)."""
        return self.turned(way, planes[:, self.planes[way]]), *(
            array[:, self.moves[way]] for array in by_move
        )

    def turned(self, way: int, planes: Tensor) -> Tensor:
        """Turn planes that know no directions."""
        for bit, turned in enumerate((lambda x: x.flip(2), lambda x: x.flip(3), lambda x: x.transpose(2, 3))):
            if way >> bit & 1:
                planes = turned(planes)
        return planes


class Buffer:
    """The positions of the last games, as those who searched saw them."""

    def __init__(self, size: int) -> None:
        self.size, self.count, self.arrays = size, 0, None

    def add(self, *columns: np.ndarray) -> None:
        """Add positions: what `Seen` has, the chances to learn, 0 without a search, the value."""
        if self.arrays is None:
            self.arrays = [np.zeros((self.size, *c.shape[1:]), c.dtype) for c in columns]
        at = (self.count + np.arange(len(columns[0]))) % self.size
        for array, column in zip(self.arrays, columns, strict=True):
            array[at] = column
        self.count += len(at)

    def draw(self, n: int, rng: np.random.Generator) -> list[Tensor]:
        """Return a batch."""
        at = rng.integers(0, min(self.count, self.size), n)
        return [torch.from_numpy(array[at]) for array in self.arrays]


class Trainer:
    """One run."""

    def __init__(self, config: Config) -> None:
        self.config = config
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        self.rng = np.random.default_rng(config.seed)
        self.envs = made(config, config.games)
        self.eyes = Eyes(self.envs.game_spec)
        self.network = Network(self.eyes)
        self.search = Search(self.envs, self.network, self.eyes, config)
        self.symmetry, self.buffer = Symmetry(self.eyes.planes), Buffer(config.buffer)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), config.learning_rate, weight_decay=1e-4)
        self.iteration = self.positions = self.games = self.learned = 0
        self.minutes = 0.0
        self.recent: deque[float] = deque(maxlen=WINDOW)  # results of the last games
        self.seen = self.eyes(*self.envs.reset(seed=config.seed * 1_000_000))

    def play(self) -> dict[str, float]:
        """Make some moves in every game, and keep their positions."""
        steps, sides = [], SIDES[: self.search.players]
        for move in range(self.config.moves):
            before, searched = self.seen, move % self.config.between == 0
            if searched:
                found = self.search.run(self.envs.get_state(), before, self.rng)
            else:
                found = self.search.guess(before)
            moves = drawn(found.chances, self.rng).reshape(-1)
            obs, reward, terminated, truncated, info = self.envs.step(moves)
            self.seen, over = self.eyes(obs, info), (terminated | truncated)[:: len(sides)]
            result = self.search.first(reward)
            self.recent.extend(result[over].tolist())
            self.games += int(over.sum())
            chances = searched * found.chances.reshape(-1, MOVES)
            steps.append((*(column.numpy() for column in before), chances, found.value, result, over))
        *columns, value, result, over = map(np.stack, zip(*steps, strict=True))
        worth = returns(value, result, over, self.config.discount, self.config.trace)
        rows = (worth[:, :, None] * sides).astype(np.float32)
        self.buffer.add(*(c.reshape(-1, *c.shape[2:]) for c in columns), rows.reshape(-1))
        self.positions += worth.size
        if len(self.recent) < WINDOW:  # before, mostly short games are over
            return {}
        recent = np.array(self.recent)
        return {"recent_won": float(np.mean(recent > 0)), "recent_tied": float(np.mean(recent == 0))}

    def learn(self) -> dict[str, float]:
        """Make the gradient steps that are due."""
        c, noted = self.config, []
        while (self.learned + 1) * c.batch <= self.buffer.count * c.samples:
            near, far, numbers, mask, chances, worth = self.buffer.draw(c.batch, self.rng)
            way = int(self.rng.integers(8))
            near, mask, chances = self.symmetry(way, near, mask, chances)
            logp, value = self.network(Seen(near, self.symmetry.turned(way, far), numbers, mask))
            searched = chances.any(1)
            policy_loss = -(chances * logp).sum() / searched.sum().clamp(min=1)
            agreement = (chances.argmax(1) == logp.argmax(1))[searched].float().mean()
            value_loss = functional.mse_loss(value, worth)
            self.optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            self.optimizer.step()
            noted.append((policy_loss.item(), value_loss.item(), agreement.item()))
            self.learned += 1
        if not noted:
            return {}
        return dict(zip(("policy_loss", "value_loss", "agreement"), np.mean(noted, 0).tolist(), strict=True))

    def run(self) -> None:
        """Train until time or iterations are up; write progress and network into the folder."""
        out, begin = Path(self.config.out), time.perf_counter() - 60 * self.minutes
        out.mkdir(parents=True, exist_ok=True)
        print(f"{out}: {self.minutes:.1f} minutes, {self.positions:,} positions done", flush=True)
        if not self.iteration:
            self.save()  # so that the same command goes on from here at the latest
        over = self.iteration > 0 and self._over(self.iteration - 1)
        if over:
            print("nothing is left to do: --resume with a higher --minutes or --iterations trains on")
        progress = out / "progress.jsonl"
        lines = progress.read_text().splitlines(True) if self.iteration else []
        with progress.open("w") as file:
            file.writelines(lines[: self.iteration])  # without one that was not saved any more
            while not over:
                noted = self.play() | self.learn() if self.iteration else {}  # the first line: untrained
                self.minutes = (time.perf_counter() - begin) / 60
                over = self._over(self.iteration)
                row = {name: getattr(self, name) for name in COUNTED} | noted
                if over or self.iteration % self.config.every == 0:
                    row |= self.evaluate()
                file.write(json.dumps(row) + "\n")
                file.flush()
                print("  ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)
                self.iteration += 1
                self.save()

    def _over(self, iteration: int) -> bool:
        return self.minutes >= self.config.minutes or 0 < self.config.iterations <= iteration

    def save(self) -> None:
        """Write `network.pt` atomically."""
        path = Path(self.config.out) / "network.pt"
        parts = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        counted = {name: getattr(self, name) for name in COUNTED}
        torch.save({"config": asdict(self.config), "counted": counted} | parts, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what `save` wrote, with other games and an empty buffer."""
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])
        for name, count in saved["counted"].items():
            setattr(self, name, count)
        self.rng = np.random.default_rng([self.config.seed, self.iteration])
        self.seen = self.eyes(*self.envs.reset(seed=self.config.seed * 1_000_000 + self.iteration * 1000))

    def evaluate(self) -> dict[str, float]:
        """Play the network alone; return the shares of games won and tied."""
        result = matches(self.network, self.eyes, self.config, self.config.matches)
        return {"won": result.win_rate.value, "tied": result.tie_rate.value}


def returns(
    value: NDArray[np.float32],
    result: NDArray[np.float64],
    over: NDArray[np.bool_],
    discount: float,
    trace: float,
) -> NDArray[np.float64]:
    """Return what positions turned out to be worth (lambda-returns), (steps, games).

    Args:
        value: of the positions by their searches, (steps, games).
        result: of the games that ended with each step, (steps, games).
        over: whether they did, (steps, games).
        discount: of a value, a step.
        trace: 0 trusts the next search alone, 1 the results.
    """
    worth = value.astype(np.float64)  # the last positions have no more than their searches
    worth[-1] = np.where(over[-1], discount * result[-1], worth[-1])
    for t in reversed(range(len(worth) - 1)):
        later = (1 - trace) * value[t + 1] + trace * worth[t + 1]
        worth[t] = discount * np.where(over[t], result[t], later)
    return worth


def drawn(share: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw moves by their shares, (..., 6)."""
    return (share.cumsum(-1) > rng.random((*share.shape[:-1], 1)) * share.sum(-1, keepdims=True)).argmax(-1)


def matches(network: Network, eyes: Eyes, config: Config, games: int) -> pommego.Evaluation:
    """Play games with moves drawn by the network's chances, without search."""

    @torch.no_grad()
    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return torch.multinomial(network(eyes(obs, info))[0].exp(), 1).squeeze(1).numpy()

    rules = {"max_steps": config.longest} if config.longest else None
    return pommego.evaluate(policy, config.env, config.judge, games, rules=rules, **OPTIONS)


def load(out: str) -> tuple[Config, dict[str, Any]]:
    """Read the network of a run."""
    saved = torch.load(Path(out) / "network.pt", weights_only=True)
    return Config(**saved["config"]), saved


def chosen(given: dict[str, Any], *, resume: bool) -> tuple[Config, dict[str, Any] | None]:
    """Return the configuration of a run and, if it has begun, what it saved.

    The same options go on with a run, `resume` with the run's own and other limits.

    Raises:
        SystemExit: the folder has another run, or none to resume.
    """
    out = Path(given.get("out", Config.out))
    if not (out / "network.pt").exists():
        if resume or (out / "progress.jsonl").exists():
            raise SystemExit(f"{out} has no run that alphazero.py could go on with: choose another --out")
        return Config(**given), None
    config, saved = load(str(out))
    own = asdict(config)
    wanted = (own if resume else asdict(Config())) | given
    may = {"out", *LIMITS} if resume else {"out"}
    other = [name for name in own if name not in may and own[name] != wanted[name]]
    if other:
        was, now = (", ".join(f"--{n.replace('_', '-')} {v[n]}" for n in other) for v in (own, wanted))
        raise SystemExit(
            f"{out} has a run with {was}, not {now}. The same options or --resume go on with it; "
            f"--resume may change --{', --'.join(LIMITS)}. Another --out begins a new run."
        )
    return Config(**wanted), saved


def evaluate(
    games: int, out: str = Config.out, *, search: bool = False, **changed: Any
) -> pommego.Evaluation:
    """Play the saved network of a run, alone or with the search; parameters of the run can be changed."""
    config, saved = load(out)
    config = replace(config, **changed)
    torch.set_num_threads(config.threads)
    eyes = Eyes(pommego.catalog()[config.env])
    network = Network(eyes)
    network.load_state_dict(saved["network"])
    if not search:
        return matches(network, eyes, config, games)
    return searching(config, network, games)


def made(config: Config, games: int) -> pommego.PommegoVectorEnv:
    """Make the games of a run; by self-play both players are searched for."""
    return pommego.make_vec(
        config.env,
        games,
        opponents=None if config.opponent == "self" else [config.opponent],
        autoreset_mode="SameStep",
        max_episode_steps=config.longest or None,
        **OPTIONS,
    )


def searching(config: Config, network: Network, games: int) -> pommego.Evaluation:
    """Play games with the search, with moves drawn by its chances, each to its end.

    By self-play the search does not know the opponent: it takes it for one that searches, too.
    """
    results, lengths = np.zeros(games, np.int8), np.zeros(games, np.int32)
    itself = config.opponent == "self"
    with (
        made(replace(config, opponent=config.judge), games) as envs,
        made(config, games) if itself else nullcontext(envs) as model,
    ):
        eyes, rng = Eyes(envs.game_spec), np.random.default_rng(config.seed)
        search = Search(model, network, eyes, config)
        if itself:
            model.reset(seed=0)  # games that states can be put into
        obs, info = envs.reset(seed=1_000_000_000)
        seats, going = info["seat"].copy(), np.ones(games, np.bool_)
        player = seats if itself else np.zeros_like(seats)
        while going.any():
            left = np.flatnonzero(going)
            states = envs.get_state(left)
            if itself:
                obs, info = model.set_state(left, [without_pool(state) for state in states])
                states = model.get_state(left)
            rows = (left[:, None] * search.players + np.arange(search.players)).reshape(-1)
            seen = Seen(*(column[rows] for column in eyes(obs, info)))
            moves = np.zeros(games, np.intp)
            chances = search.run(states, seen, rng).chances
            moves[left] = drawn(chances[np.arange(len(left)), player[left]], rng)
            obs, reward, terminated, truncated, info = envs.step(moves)
            lengths += going
            ended = going & (terminated | truncated)
            results[ended] = np.sign(reward[ended])
            going &= ~ended
    return pommego.Evaluation(results, lengths, seats)


def without_pool(state: pommego.State) -> dict[str, Any]:
    """Return a state without whom it is played against, for games in which both players learn."""
    readable = state.json()
    del readable["pommego"]["pool"]
    return readable


def main() -> None:
    """Read the command line, and train or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for entry in fields(Config):
        name, kind = entry.name.replace("_", "-"), type(entry.default)
        parser.add_argument(
            f"--{name}", type=kind, default=argparse.SUPPRESS, help=f"default: {entry.default}"
        )
    parser.add_argument(
        "--evaluate", type=int, metavar="GAMES", help="play the saved network of --out instead"
    )
    parser.add_argument("--search", action="store_true", help="evaluate the search with it, not it alone")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in --out, by its own options"
    )
    given = vars(parser.parse_args())
    games, search, resume = map(given.pop, ("evaluate", "search", "resume"))
    if games:
        print(evaluate(games, search=search, **given))
        return
    config, saved = chosen(given, resume=resume)
    trainer = Trainer(config)
    with trainer.envs:
        if saved:
            trainer.restore(saved)
        try:
            trainer.run()
        except KeyboardInterrupt:
            print("stopped: the same command goes on")


if __name__ == "__main__":
    main()
