"""Learn one against one by tree search and a network, in one file: `python alphazero.py --out runs/az`.

Like AlphaZero: a network gives the chances of moves and a value, a tree search improves
both, and the network learns from the games that the search plays. All games are searched at
the same time: each simulation adds one position to every tree, with one call of `simulate`
and one of the network.

    python alphazero.py --out runs/az --minutes 60
    python alphazero.py --out runs/az --evaluate 200      # the saved network alone against simple
    python alphazero.py --out runs/self --opponent self   # by self-play

An hour on two cores is little. So, unlike AlphaZero, by default it plays against `simple`,
which the server plays in the search too; players only choose from moves that they can
survive; and, as in AlphaGo, half of a new position's value is the result of a playout on the
server, which costs a fraction of what the network does (`--playout 0`: none). With
`--opponent self` both sides search: as they move at once, each chooses in every node by its
own statistics (decoupled PUCT).

A run's folder holds `progress.jsonl` (a line per iteration) and `network.pt`. Needs torch.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

import pommego
from pommego.pommerman.safety import Safety

SCALE = {"bomb_blast": 0.1, "bomb_life": 0.1, "flame": 1 / 3}  # of planes that count
SIDES = np.array([1, -1])  # what is good for the first player is bad for the second
MOVES = 6  # stop, up, down, left, right, bomb


@dataclass
class Config:
    """A run's parameters; each is an option of the command."""

    out: str = "runs/alphazero"
    env: str = "OneVsOne-v0"
    opponent: str = "simple"  # or "self"
    seed: int = 0
    games: int = 64  # played and searched at the same time
    simulations: int = 24  # a move
    moves: int = 8  # of each game between two updates
    longest: int = 300  # steps of a game; it is then a tie
    exploration: float = 1.0  # PUCT's constant, in units of how far values in a tree differ
    playout: int = 32  # steps played on from a new position
    mix: float = 0.5  # share of the playout in its value
    noise: float = 0.25  # share of Dirichlet noise in the root's chances
    discount: float = 0.98  # of a value, a step
    samples: int = 24  # how often each position is learned from
    buffer: int = 60_000  # positions
    batch: int = 256  # positions of a gradient step
    learning_rate: float = 1e-3
    minutes: float = 60.0
    iterations: int = 0  # 0: only by time
    every: float = 4.0  # minutes between evaluations
    matches: int = 100  # of an evaluation, against each opponent
    threads: int = 1


# Network -----------------------------------------------------------------------


class Network(nn.Module):
    """From what a player sees to the chances of its moves and its value."""

    def __init__(self, encoding: pommego.spec.Encoding, width: int = 24, features: int = 96) -> None:
        super().__init__()
        planes, scalars = encoding["planes"], encoding["scalars"]
        scale = torch.tensor([SCALE.get(plane.name, 1.0) for plane in planes.names])
        self.register_buffer("scale", scale[:, None, None], persistent=False)
        # Where it stands it sees on the planes, and of numbers alone a mirrored board would differ.
        self.used = [i for i, name in enumerate(scalars.names) if name.name not in ("row", "col")]
        self.first = nn.Conv2d(planes.shape[0], width, 3, padding=1)
        self.second, self.third = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.squeeze = nn.Conv2d(width, 8, 1)
        self.body = nn.Linear(8 * planes.shape[-1] ** 2 + len(self.used), features)
        self.policy, self.value = nn.Linear(features, MOVES), nn.Linear(features, 1)

    def forward(self, seen: Seen) -> tuple[Tensor, Tensor]:
        """Return log probabilities (n, 6) and values (n,) from -1, lost, to 1, won."""
        x = functional.relu(self.first(seen.planes * self.scale))
        x = x + functional.relu(self.third(functional.relu(self.second(x))))
        x = functional.relu(self.squeeze(x)).flatten(1)
        x = functional.relu(self.body(torch.cat([x, seen.scalars[:, self.used]], 1)))
        logits = self.policy(x).masked_fill(~seen.mask, -1e9)
        return logits.log_softmax(1), self.value(x).tanh().squeeze(1)


class Seen(NamedTuple):
    """What n players see: uint8 planes, float32 scalars, bool mask of the moves to choose from."""

    planes: Tensor
    scalars: Tensor
    mask: Tensor


class Eyes:
    """Turns observations into `Seen`: players choose among the moves that they can survive."""

    def __init__(self, spec: pommego.GameSpec) -> None:
        self.safety = Safety(spec)

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> Seen:
        """Read a batch."""
        mask = self.safety.moves(obs["planes"], obs["scalars"], info["action_mask"])
        return Seen(*map(torch.from_numpy, (obs["planes"], obs["scalars"], mask)))


# Search ------------------------------------------------------------------------


class Search:
    """One tree for each game, all of the same size.

    Node 0 is the root. A node has a child for each move or, in self-play, for each pair of moves.
    Values are those of the first player.
    """

    def __init__(self, envs: pommego.PommegoVectorEnv, network: Network, eyes: Eyes, config: Config) -> None:
        self.envs, self.network, self.eyes, self.config = envs, network, eyes, config
        games, nodes, self.players = envs.num_games, config.simulations + 1, envs.learners
        self.games, self.place = np.arange(games), MOVES ** np.arange(self.players)
        self.prior = np.zeros((games, nodes, self.players, MOVES), np.float32)
        self.visits, self.total = np.zeros_like(self.prior), np.zeros_like(self.prior)
        self.value = np.zeros((games, nodes), np.float32)
        self.over = np.zeros((games, nodes), np.bool_)
        self.child = np.zeros((games, nodes, MOVES**self.players), np.intp)

    def run(self, seen: Seen, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Search from the games as they are.

        Returns:
            how often each move of each player was tried, (games, players, 6), and the values, (games,).
        """
        for array in (self.visits, self.total, self.child, self.over):
            array.fill(0)
        self.states = [[state] for state in self.envs.get_state()]
        self._evaluate(0, seen)
        chances, share = self.prior[:, 0], self.config.noise
        noise = rng.gamma(0.5, size=chances.shape) * (chances > 0)
        self.prior[:, 0] = (1 - share) * chances + share * noise / noise.sum(-1, keepdims=True)
        for node in range(1, self.config.simulations + 1):
            self._grow(node, rng)
        return self.visits[:, 0].copy(), self.total[:, 0, 0].sum(-1) / self.config.simulations

    def _grow(self, node: int, rng: np.random.Generator) -> None:
        """Add a node with this number to every tree."""
        known = self.value[:, :node]
        self.spread = np.maximum(known.max(1) - known.min(1), 0.01)
        path, parent, moves = self._descend()
        states = [tree[at] for tree, at in zip(self.states, parent, strict=True)]
        step = self.envs.simulate(states, moves.reshape(-1), seed=int(rng.integers(1 << 62)))
        for tree, state in zip(self.states, step.states, strict=True):
            tree.append(state)
        self._evaluate(node, self.eyes(step.obs, step.info))
        over = (step.terminated | step.truncated)[:: self.players]
        if self.config.playout:
            self.value[:, node] *= 1 - self.config.mix
            self.value[:, node] += self.config.mix * self._play_on(node, over, rng)
        self.over[:, node] = over
        self.value[:, node] = np.where(over, self.first(step.reward), self.value[:, node])
        self.child[self.games, parent, moves @ self.place] = node
        self._back_up(path, self.value[:, node])

    def _play_on(self, node: int, over: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.float32]:
        """Return what first players get if agents play on for a while from the nodes of this number."""
        games = zip(self.states, over, strict=True)
        states = [tree[0 if done else node] for tree, done in games]  # something, where it is over
        moves, c = drawn(self.prior[:, node], rng).reshape(-1), self.config
        seed = int(rng.integers(1 << 62))
        return self.first(
            self.envs.simulate(states, moves, seed=seed, steps=c.playout, policy="simple").reward
        )

    def first(self, by_row: NDArray) -> NDArray[np.float64]:
        """Return the first players' part of values or rewards, (games,); one wins what the other loses."""
        return by_row.reshape(-1, self.players) @ SIDES[: self.players] / self.players

    def _evaluate(self, node: int, seen: Seen) -> None:
        with torch.no_grad():
            logp, value = self.network(seen)
        self.prior[:, node] = (logp.exp() * seen.mask).numpy().reshape(-1, self.players, MOVES)
        self.value[:, node] = self.first(value.numpy())

    def _descend(self) -> tuple[list[tuple[NDArray, ...]], NDArray[np.intp], NDArray[np.intp]]:
        """Follow the best moves to an edge without a node, or to the end of a game.

        Returns:
            for each depth the games, nodes and moves; the last nodes; the last moves, (games, players).
        """
        games, at = self.games, np.zeros(len(self.games), np.intp)
        parent, last = at.copy(), np.zeros((len(at), self.players), np.intp)
        path = []
        while len(games):
            moves = self._best(games, at)
            path.append((games, at, moves))
            parent[games], last[games] = at, moves
            below = self.child[games, at, moves @ self.place]
            on = (below > 0) & ~self.over[games, below]
            games, at = games[on], below[on]
        return path, parent, last

    def _best(self, games: NDArray[np.intp], at: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return each player's move of highest upper bound, (n, players)."""
        visits, prior = self.visits[games, at], self.prior[games, at]
        own = np.outer(self.value[games, at], SIDES[: self.players])[:, :, None]
        mean = np.where(visits > 0, self.total[games, at] / np.maximum(visits, 1), own)
        bonus = prior * np.sqrt(visits.sum(-1, keepdims=True) + 1) / (1 + visits)
        bonus *= self.config.exploration * self.spread[games, None, None]
        return np.where(prior > 0, mean + bonus, -np.inf).argmax(-1)

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

    def __init__(self, encoding: pommego.spec.Encoding) -> None:
        names = [plane.name for plane in encoding["planes"].names]
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
        planes = planes[:, self.planes[way]]
        for bit, turned in enumerate((lambda x: x.flip(2), lambda x: x.flip(3), lambda x: x.transpose(2, 3))):
            if way >> bit & 1:
                planes = turned(planes)
        return planes, *(array[:, self.moves[way]] for array in by_move)


class Buffer:
    """The positions of the last games, as those who searched saw them."""

    def __init__(self, size: int) -> None:
        self.size, self.count, self.arrays = size, 0, None

    def add(self, *columns: np.ndarray) -> None:
        """Add positions: planes, scalars, mask, the search's shares of the moves, the value."""
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
        self.envs = pommego.make_vec(
            config.env,
            config.games,
            opponents=None if config.opponent == "self" else [config.opponent],
            autoreset_mode="SameStep",
            max_episode_steps=config.longest,
        )
        self.eyes = Eyes(self.envs.game_spec)
        self.network = Network(self.envs.encoding)
        self.search = Search(self.envs, self.network, self.eyes, config)
        self.symmetry, self.buffer = Symmetry(self.envs.encoding), Buffer(config.buffer)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), config.learning_rate, weight_decay=1e-4)
        self.positions = self.played = self.learned = 0
        self.open: list[list[tuple]] = [[] for _ in range(config.games)]  # positions of games under way
        self.seen = self.eyes(*self.envs.reset(seed=config.seed * 1_000_000))

    def play(self) -> dict[str, float]:
        """Make some moves in every game; what is over goes into the buffer."""
        ended, sides = [], SIDES[: self.search.players]
        for _ in range(self.config.moves):
            visits, value = self.search.run(self.seen, self.rng)
            share = visits / visits.sum(-1, keepdims=True)
            seen = [column.numpy().reshape(-1, len(sides), *column.shape[1:]) for column in self.seen]
            for game, kept in enumerate(self.open):
                kept.append((*(column[game] for column in seen), share[game], value[game] * sides))
            obs, reward, terminated, truncated, info = self.envs.step(drawn(share, self.rng).reshape(-1))
            self.seen = self.eyes(obs, info)
            result = self.search.first(reward)
            for game in np.flatnonzero((terminated | truncated)[:: len(sides)]):
                ended.append((result[game] > 0, len(self.open[game])))
                self._keep(self.open[game], result[game] * sides)
                self.open[game] = []
        self.positions += self.config.moves * self.config.games
        self.played += len(ended)
        won, length = np.mean(ended, 0).tolist() if ended else (0.0, 0.0)
        return {"ended": len(ended), "search_won": won, "length": length}

    def _keep(self, game: list[tuple], result: NDArray[np.float64]) -> None:
        """Add a game's positions to the buffer, each worth the mean of the search's value and the result."""
        *columns, value = (np.concatenate(column) for column in zip(*game, strict=True))
        left = np.arange(len(game), 0, -1)
        worth = np.outer(self.config.discount**left, result).reshape(-1)
        self.buffer.add(*columns, ((value + worth) / 2).astype(np.float32))

    def learn(self) -> dict[str, float]:
        """Make the gradient steps that are due."""
        c, noted = self.config, []
        while (self.learned + 1) * c.batch <= self.buffer.count * c.samples:
            planes, scalars, mask, share, result = self.buffer.draw(c.batch, self.rng)
            planes, mask, share = self.symmetry(int(self.rng.integers(8)), planes, mask, share)
            logp, value = self.network(Seen(planes, scalars, mask))
            policy_loss = -(share * logp.clamp(min=-20)).sum(1).mean()
            value_loss = functional.mse_loss(value, result)
            self.optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            self.optimizer.step()
            noted.append((policy_loss.item(), value_loss.item()))
            self.learned += 1
        if not noted:
            return {}
        return dict(zip(("policy_loss", "value_loss"), np.mean(noted, 0).tolist(), strict=True))

    def run(self) -> None:
        """Train until time or iterations are up; write progress and network into the folder."""
        out, begin, evaluated, iteration = Path(self.config.out), time.perf_counter(), -np.inf, 0
        out.mkdir(parents=True, exist_ok=True)
        with (out / "progress.jsonl").open("w") as progress:
            over = False
            while not over:
                noted = self.play() | self.learn()
                iteration += 1
                minutes = (time.perf_counter() - begin) / 60
                over = minutes >= self.config.minutes or iteration == self.config.iterations
                row = {"iteration": iteration, "minutes": minutes, "positions": self.positions}
                row |= {"games": self.played} | noted
                if over or minutes - evaluated >= self.config.every:
                    evaluated = minutes
                    row |= self.evaluate()
                    torch.save(
                        {"config": asdict(self.config), "network": self.network.state_dict()},
                        out / "network.pt",
                    )
                progress.write(json.dumps(row) + "\n")
                progress.flush()
                print("  ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)

    def evaluate(self) -> dict[str, float]:
        """Play the network alone against agents; return the shares of games won and tied."""
        shares = {}
        for opponent in ("simple", "heuristic"):
            result = pommego.evaluate(
                alone(self.network, self.eyes), self.config.env, opponent, self.config.matches
            )
            shares |= {f"{opponent}_won": result.win_rate.value, f"{opponent}_tied": result.tie_rate.value}
        return shares


def drawn(share: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw moves by their shares, (..., 6)."""
    return (share.cumsum(-1) > rng.random((*share.shape[:-1], 1)) * share.sum(-1, keepdims=True)).argmax(-1)


def alone(network: Network, eyes: Eyes) -> pommego.evaluation.Policy:
    """Return the policy that draws moves by the network's chances, without search."""

    @torch.no_grad()
    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return torch.multinomial(network(eyes(obs, info))[0].exp(), 1).squeeze(1).numpy()

    return policy


def evaluate(out: str, games: int, opponent: str = "simple") -> pommego.Evaluation:
    """Play the saved network of a run, without search."""
    saved = torch.load(Path(out) / "network.pt", weights_only=True)
    config = Config(**saved["config"])
    spec = pommego.catalog()[config.env]
    network = Network(spec.encoding("planes"))
    network.load_state_dict(saved["network"])
    return pommego.evaluate(alone(network, Eyes(spec)), config.env, opponent, games)


def main() -> None:
    """Read the command line, and train or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for entry in fields(Config):
        kind = type(entry.default)
        parser.add_argument(f"--{entry.name.replace('_', '-')}", type=kind, default=entry.default)
    parser.add_argument(
        "--evaluate", type=int, metavar="GAMES", help="play the saved network of --out against simple instead"
    )
    options = vars(parser.parse_args())
    games = options.pop("evaluate")
    if games:
        print(evaluate(options["out"], games))
        return
    trainer = Trainer(Config(**options))
    with trainer.envs:
        trainer.run()


if __name__ == "__main__":
    main()
