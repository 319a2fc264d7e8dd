"""Learn one against one by tree search and a network, in one file: `python alphazero.py --out runs/az`.

Like AlphaZero: a network gives the chances of moves and a value, a tree search improves
both, and the network learns from the games that it and the search play. All games are searched
at the same time: each simulation adds one position to every tree, with one call of `simulate`
and one of the network.

    python alphazero.py --out runs/az --minutes 60
    python alphazero.py --out runs/az --minutes 120             # continues
    python alphazero.py --out runs/az --evaluate 200            # the saved network alone
    python alphazero.py --out runs/az --evaluate 200 --search   # the search with it
    python alphazero.py --out runs/self --opponent self         # by self-play
    python alphazero.py --out runs/az --evaluate 200 --search --opponent self  # against an unknown simple

An hour on two cores is little. So, unlike AlphaZero:

* By default it plays against `static`, which stands still: to win it has to find a way there
  and to bomb it, not itself. The server plays the opponent (`--opponent`) in the search too. With
  `--opponent self` both sides search. They move at the same time, so in every node each chooses by
  its own statistics.
* Players only choose from moves that they can survive.
* As in AlphaGo, the server plays on from each new position, at a fraction of the cost of the
  network. If this playout ends the game, it makes half of the position's value
  (`--playout 0`: none).
* Only some moves are searched (`--between`); the network alone makes the others. So more games
  end, and the network learns values from those.
* The search and the player choose moves by the network's chances, which the values found
  change, as in Gumbel AlphaZero. At the root half of the simulations (`--even`) try all moves
  equally often.
* The network learns these chances, not how often each move was tried: of 16 simulations
  most only explore.
* It learns values from the next moves' searches (lambda-returns), without waiting for games
  to end: when the first ones do, an hour may be half over.
* It learns from the newest positions alone, so that its chances change quickly.

The same command continues a run that was stopped, and with another limit it trains longer: with the same
network, but with new games and an empty buffer. A folder with a run that has other options is not
changed. It has `progress.jsonl` (a line per iteration) and `network.pt`. Needs torch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
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
WHOLE = ("rigid", "wood", "agent0", "agent1")  # planes of the whole board; agent0 is its own
NUMBERS = ("ammo", "blast_strength", "can_kick", "step", "enemy0_alive")
SIDES = np.array([1, -1])  # what is good for the first player is bad for the second
MOVES = 6  # stop, up, down, left, right, bomb
SEEDS = 1_000_000  # a run's boards begin at --seed times this, those of evaluations at 1000 times this
LIMITS = ("out", "minutes", "iterations", "threads")  # options that may change when a run continues


@dataclass
class Config:
    """A run's parameters; each is an option of the command."""

    out: str = "runs/alphazero"
    env: str = "OneVsOne-v0"
    opponent: str = "static"  # the name of any agent, or "self"
    seed: int = 0
    games: int = 256  # played and searched at the same time
    simulations: int = 16  # per move
    between: int = 2  # moves from one search to the next; the network alone makes the others
    moves: int = 16  # moves of each game between two updates
    longest: int = 300  # steps of a game; it is then a tie
    even: float = 0.5  # share of a search's simulations that tries all moves equally often
    playout: int = 16  # steps played on from a new position
    mix: float = 0.5  # share of the playout in its value, if that ends the game
    sharpness: float = 30.0  # what a value of 1 adds to the logarithm of a move's improved chance
    discount: float = 0.98  # the discount of a value per step
    trace: float = 0.95  # lambda: 0 learns the next search's values, 1 the results of games
    samples: int = 4  # how often each position is learned from
    buffer: int = 16_384  # positions
    batch: int = 256  # positions of a gradient step
    learning_rate: float = 1e-3
    minutes: float = 60.0
    iterations: int = 0  # 0: only by time
    every: int = 12  # iterations between evaluations
    matches: int = 200  # games of an evaluation
    threads: int = 1

    @property
    def judge(self) -> str:
        """The opponent in evaluations."""
        return "simple" if self.opponent == "self" else self.opponent

    @property
    def options(self) -> dict[str, Any]:
        """Return the games' options; ties pay nothing here, see `outcome`."""
        rules = {"max_steps": self.longest} if self.longest else None
        return {"rules": rules, "observation": "near", "mask": "safe", "state": True}


# Network -----------------------------------------------------------------------


class Network(nn.Module):
    """The network: from what a player sees to the chances of its moves, and its value."""

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
        # No position: the planes show it, and as numbers it would differ on a mirrored board.
        self.numbers = [i for i, number in enumerate(near["numbers"].names) if number.name in NUMBERS]

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> Seen:
        """Read a batch."""
        whole, seat = info["state"]["planes"], info["seat"]
        whole = whole.repeat(len(seat) // len(whole), 0)  # planes are sent once per game
        rigid, wood, *agents = (whole[:, self._state.index(name)] for name in WHOLE)
        own = (seat == 0)[:, None, None]
        far = np.stack([rigid, wood, np.where(own, *agents), np.where(own, *agents[::-1])], axis=1)
        numbers = obs["numbers"][:, self.numbers] / np.float32(64)
        return Seen(*map(torch.from_numpy, (obs["near"].copy(), far, numbers, info["action_mask"] > 0)))


# Search ------------------------------------------------------------------------


class Found(NamedTuple):
    """The result of a search in n games.

    Attributes:
        chances: the network's, improved by the values found, (n, players, 6).
        value: of the positions with the network's chances, for the first players, (n,).
    """

    chances: NDArray[np.float32]
    value: NDArray[np.float32]


@dataclass
class Search:
    """One tree for each game, all of the same size.

    Node 0 is the root. A node has a child for each move or, in self-play, for each pair of moves.
    Values are those of the first player.
    """

    simulate: Callable[..., pommego.Simulation]
    players: int
    network: Network
    eyes: Eyes
    config: Config

    def run(self, states: Sequence[pommego.State], seen: Seen, rng: np.random.Generator) -> Found:
        """Search from some saved games, and what their players see."""
        simulations = self.config.simulations
        shape, self.place = (len(states), simulations + 1), MOVES ** np.arange(self.players)
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
        step = self.simulate(states, moves.reshape(-1), seed=int(rng.integers(1 << 62)))
        for tree, state in zip(self.states, step.states, strict=True):
            tree.append(state)
        self._evaluate(node, self.eyes(step.obs, step.info))
        over = (step.terminated | step.truncated)[:: self.players]
        if self.config.playout:
            result, ended = self._play_on(node, over, rng)
            self.value[:, node] += self.config.mix * ended * (result - self.value[:, node])
        self.over[:, node] = over
        self.value[:, node] = np.where(over, self.first(outcome(step.info)), self.value[:, node])
        self.child[self.games, parent, moves @ self.place] = node
        self._back_up(path, self.value[:, node])

    def _play_on(
        self, node: int, over: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return what first players get if agents play on from these nodes, and which games end."""
        games = zip(self.states, over, strict=True)
        states = [tree[0 if done else node] for tree, done in games]  # any state if the game is over
        moves, seed = drawn(self.prior[:, node], rng).reshape(-1), int(rng.integers(1 << 62))
        end = self.simulate(states, moves, seed=seed, steps=self.config.playout, policy="simple")
        return self.first(outcome(end.info)), (end.terminated | end.truncated)[:: self.players]

    def first(self, by_row: NDArray) -> NDArray[np.float64]:
        """Return the first players' values or outcomes, (games,); those of the second are the opposite."""
        return by_row.reshape(-1, self.players) @ SIDES[: self.players] / self.players

    def guess(self, seen: Seen) -> Found:
        """Return the network's own answer, without a search."""
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
        """Shift nodes' chances to the moves of higher value; an untried move has the value of the position.

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
        """Add the value at the end of the path to all moves on it."""
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
        """Turn planes (n, planes, rows, columns), and arrays with one entry per move (n, 6)."""
        return self.turned(way, planes[:, self.planes[way]]), *(
            array[:, self.moves[way]] for array in by_move
        )

    def turned(self, way: int, planes: Tensor) -> Tensor:
        """Turn planes without directions."""
        for bit, turned in enumerate((lambda x: x.flip(2), lambda x: x.flip(3), lambda x: x.transpose(2, 3))):
            if way >> bit & 1:
                planes = turned(planes)
        return planes


class Buffer:
    """The positions of the last games, as the players that searched saw them."""

    def __init__(self, size: int) -> None:
        self.size, self.count, self.arrays = size, 0, None

    def add(self, *columns: np.ndarray) -> None:
        """Add positions: the arrays of `Seen`, the chances to learn (0 without a search), the value."""
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
        self.search = Search(self.envs.simulate, self.envs.learners, self.network, self.eyes, config)
        self.symmetry, self.buffer = Symmetry(self.eyes.planes), Buffer(config.buffer)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), config.learning_rate, weight_decay=1e-4)
        self.done, self.learned = {"iteration": 0, "minutes": 0.0, "positions": 0, "games": 0}, 0
        self.seen = self.eyes(*self.envs.reset(seed=config.seed * SEEDS))

    def play(self) -> None:
        """Make some moves in every game, and keep their positions."""
        steps, sides = [], SIDES[: self.search.players]
        for move in range(self.config.moves):
            before, searched = self.seen, move % self.config.between == 0
            if searched:
                found = self.search.run(self.envs.get_state(), before, self.rng)
            else:
                found = self.search.guess(before)
            moves = drawn(found.chances, self.rng).reshape(-1)
            obs, _, terminated, truncated, info = self.envs.step(moves)
            self.seen, over = self.eyes(obs, info), (terminated | truncated)[:: len(sides)]
            result = self.search.first(outcome(info))
            self.done["games"] += int(over.sum())
            chances = searched * found.chances.reshape(-1, MOVES)
            steps.append((*(column.numpy() for column in before), chances, found.value, result, over))
        *columns, value, result, over = map(np.stack, zip(*steps, strict=True))
        worth = returns(value, result, over, self.config.discount, self.config.trace)
        rows = (worth[:, :, None] * sides).astype(np.float32)
        self.buffer.add(*(c.reshape(-1, *c.shape[2:]) for c in columns), rows.reshape(-1))
        self.done["positions"] += worth.size

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
        """Train until the time or iteration limit; write progress and network into the folder."""
        c, done, begin = self.config, self.done, time.perf_counter() - 60 * self.done["minutes"]
        if not done["iteration"]:
            self.save()  # the same command continues from here or later
        print(f"{c.out}: {done['minutes']:.1f} minutes, {done['positions']:,} positions done", flush=True)
        with (Path(c.out) / "progress.jsonl").open("a") as file:
            while not self.over():
                noted = {}
                if done["iteration"]:  # the first line: untrained
                    self.play()
                    noted = self.learn()
                done["minutes"] = (time.perf_counter() - begin) / 60
                row = done | noted
                done["iteration"] += 1
                if self.over() or row["iteration"] % c.every == 0:
                    result = matches(self.network, self.eyes, c, c.matches)
                    row |= {"won": result.win_rate.value, "tied": result.tie_rate.value}
                self.save()
                file.write(json.dumps(row) + "\n")
                file.flush()
                print("  ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)

    def over(self) -> bool:
        """Report whether the run has reached a limit."""
        c, done = self.config, self.done
        return done["minutes"] >= c.minutes or 0 < c.iterations < done["iteration"]

    def save(self) -> None:
        """Write `network.pt` atomically."""
        path = Path(self.config.out) / "network.pt"
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(parts | {"config": asdict(self.config), "counted": self.done}, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue from the file of `save`, with new games and an empty buffer."""
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.done, c = saved["counted"], self.config
        self.rng = np.random.default_rng([c.seed, self.done["iteration"]])
        begun = self.done["iteration"] * c.games % (SEEDS - c.games)  # not on to the boards of other seeds
        self.seen = self.eyes(*self.envs.reset(seed=c.seed * SEEDS + begun))


def returns(value: NDArray, result: NDArray, over: NDArray, discount: float, trace: float) -> NDArray:
    """Return lambda-returns of positions by their searches' values; all arrays are (steps, games).

    `over` says which games ended with a step, `result` how. Trace 0 trusts the next search, 1 the results.
    """
    worth = value.astype(np.float64)  # the last positions have only their searches
    worth[-1] = np.where(over[-1], discount * result[-1], worth[-1])
    for t in reversed(range(len(worth) - 1)):
        later = (1 - trace) * value[t + 1] + trace * worth[t + 1]
        worth[t] = discount * np.where(over[t], result[t], later)
    return worth


def outcome(info: dict[str, Any]) -> NDArray[np.int_]:
    """Return 1 for rows whose games were won in this step, -1 for lost ones, 0 for others."""
    if "game" not in info:
        return np.zeros(len(info["seat"]), int)
    won, lost = (info["game"]["result"] == r for r in (pommego.Result.WON, pommego.Result.LOST))
    return info["_game"] * (won.astype(int) - lost)


def drawn(share: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw moves by their shares, (..., 6)."""
    return (share.cumsum(-1) > rng.random((*share.shape[:-1], 1)) * share.sum(-1, keepdims=True)).argmax(-1)


def matches(network: Network, eyes: Eyes, config: Config, games: int) -> pommego.Evaluation:
    """Play games with moves drawn by the network's chances, without search."""

    @torch.no_grad()
    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return torch.multinomial(network(eyes(obs, info))[0].exp(), 1).squeeze(1).numpy()

    return pommego.evaluate(policy, config.env, config.judge, games, **config.options)


def saved(out: str, config: Config | None = None) -> dict[str, Any] | None:
    """Return what was saved of a run, if it has begun; exit if it has other options than these."""
    path = Path(out) / "network.pt"
    if not path.exists():
        return None
    try:
        found = torch.load(path, weights_only=True)
    except Exception as e:
        raise SystemExit(f"{path} is damaged: name another --out: {e!r}") from e
    own, wanted = found["config"], asdict(config) if config else found["config"]
    if other := [name for name in own if name not in LIMITS and own[name] != wanted[name]]:
        was, now = (", ".join(f"--{n.replace('_', '-')} {v[n]}" for n in other) for v in (own, wanted))
        raise SystemExit(f"{out} has a run with {was}, expected {now}: name another --out")
    return found


def evaluate(games: int, out: str, *, search: bool, **changed: Any) -> pommego.Evaluation:
    """Play the saved network of a run, alone or with the search; parameters of the run can be changed."""
    if not (found := saved(out)):
        raise SystemExit(f"{out} has no network.pt: give the --out of a run")
    config = replace(Config(**found["config"]), **changed)
    torch.set_num_threads(config.threads)
    eyes = Eyes(pommego.catalog()[config.env])
    network = Network(eyes)
    network.load_state_dict(found["network"])
    if not search:
        return matches(network, eyes, config, games)
    rng = np.random.default_rng(config.seed)

    def knowing(obs: dict[str, Any], info: dict[str, Any], states: Any, simulate: Any) -> np.ndarray:
        tree = Search(simulate, 1, network, eyes, config)
        return drawn(tree.run(states, eyes(obs, info), rng).chances[:, 0], rng)

    if config.opponent != "self":
        return pommego.evaluate(knowing, config.env, config.judge, games, **config.options)
    with made(config, games) as model:
        model.reset(seed=0)  # games for set_state
        tree = Search(model.simulate, model.learners, network, eyes, config)

        def unknowing(obs: dict[str, Any], info: dict[str, Any], states: Any) -> np.ndarray:
            """Search as if the opponent searched, too."""
            here, seat = range(len(states)), info["seat"]
            obs, info = model.set_state(here, [without_pool(state) for state in states])
            seen = Seen(*(column[: 2 * len(states)] for column in eyes(obs, info)))
            return drawn(tree.run(model.get_state(here), seen, rng).chances[here, seat], rng)

        return pommego.evaluate(unknowing, config.env, config.judge, games, **config.options)


def made(config: Config, games: int) -> pommego.PommegoVectorEnv:
    """Make the games of a run; in self-play both players have rows."""
    return pommego.make_vec(
        config.env,
        games,
        opponents=None if config.opponent == "self" else [config.opponent],
        autoreset_mode="SameStep",
        **config.options,
    )


def without_pool(state: pommego.State) -> dict[str, Any]:
    """Return a state without its opponent, for games in which both players learn."""
    readable = state.json()
    del readable["pommego"]["pool"]
    return readable


def main() -> None:
    """Read the command line, and train or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for entry in fields(Config):
        name, kind = entry.name.replace("_", "-"), type(entry.default)
        shown = f"default: {entry.default}"
        parser.add_argument(f"--{name}", type=kind, default=argparse.SUPPRESS, help=shown)
    parser.add_argument("--evaluate", type=int, metavar="GAMES", help="play the saved network instead")
    parser.add_argument("--search", action="store_true", help="evaluate the search with the network")
    given = vars(parser.parse_args())
    games, search, out = given.pop("evaluate"), given.pop("search"), given.pop("out", Config.out)
    if games is not None:
        print(evaluate(games, out, search=search, **given))
        return
    if search:
        parser.error("--search is given without --evaluate, which says how many games to search")
    config = Config(out, **given)
    if config.seed not in range(1000):
        parser.error(f"--seed is {config.seed}, expected 0 to 999: others have boards of evaluations")
    begun = saved(out, config)
    trainer = Trainer(config)
    with trainer.envs:
        if begun:
            trainer.restore(begun)
        try:
            trainer.run()
        except KeyboardInterrupt:
            print("stopped: the same command continues")


if __name__ == "__main__":
    main()
