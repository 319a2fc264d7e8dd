"""Train a baseline of Pommerman by PPO: `python ppo.py NAME`, such as ppo-ffa.

    python ppo.py ppo-ffa                 # runs/ppo-ffa-0: half an hour on two cores
    python ppo.py ppo-ffa --seed 1        # another seed, another folder
    python ppo.py mappo-team --minutes 30 # less PPO
    python ppo.py ppo-duel --device cuda  # with the network on a GPU
    python ppo.py ppo-duel --demonstrations 40 --epochs 1 --minutes 0.1 --games 16 --judge 20   # a test

First the network learns the moves of a teacher. The recipes scratch and selfplay have none. Then it learns
from games against the opponents of its recipe. The same command continues a stopped run from its last
checkpoint, with new games: at most a minute of PPO is lost, or the imitation. A higher `--minutes` trains on.
In the run's folder:

    policy.net        the policy: pommego.load(FILE), or the program's agent net:weights=FILE
    checkpoint.pt     what the same command continues from
    progress.jsonl    one line per update: steps, minutes, steps per second, losses, entropy, recent share won
    result.json       the games on boards never trained on

Needs torch, and pyarrow (`pip install 'pommego[data]'`). Everything is in this file, so that you
can read and change it as a whole. docs/baselines.md has its results.
"""

from __future__ import annotations

import argparse
import copy
import functools
import hashlib
import json
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import pommego
from pommego import data
from pommego.networks import UNIT, Layer, Network
from pommego.server import find_binary
from pommego.torch import Batch, Feed

TEACHER = "champion:level=3"
APART = 10_000_000  # between the seeds of runs: those of --seed 1 begin here
DEMONSTRATED = 700_000_000  # seed of the teacher's games; training's are below, evaluation's above
SEES = {"observation": "near", "mask": "safe"}
WORDS, VOCABULARY = 2, 9  # words per message and values of each, with silence
MOST = 127 / UNIT  # a unit's largest output
SELF, PAST = "itself", "past selves"  # in games against itself the network learns in all seats
FAST = torch.backends.cpu.get_cpu_capability() == "AVX512"  # bfloat16 is faster there


class Recipe(NamedTuple):
    """A baseline: the games that it learns in, its opponents there, and its opponents in the evaluation."""

    id: str
    opponents: dict[str, float]  # the share of games against each agent, SELF or PAST
    judges: tuple[str, ...]
    minutes: float = 60
    taught: bool = True  # whether a teacher shows its moves first
    entropy: float = 0.003  # weight of the entropy
    pays: dict[str, float] | None = None  # rewards for what it does, such as kills
    slips: float = 0  # in games against itself seats make up to this share of their moves at random
    temperature: float = 0.7  # the saved policy's: 1 draws moves as in training, 0 takes the best
    find: Callable[[str], Any] = str  # makes the opponent of a name, for each environment its own

    @property
    def team(self) -> bool:
        """Whether two learners play together, in fog."""
        return self.id in (TEAM, RADIO)

    @property
    def choices(self) -> list[int]:
        """The numbers of choices: moves, and values of each word."""
        return [6, *[VOCABULARY] * WORDS] if self.id == RADIO else [6]

    def sees(self) -> tuple[list[str], list[str]]:
        """List the planes and the numbers of the encoding near that it sees: all but place and time."""
        encoding = catalog()[self.id].encoding("near")
        planes, numbers = ([entry.name for entry in encoding[field].names] for field in ("near", "numbers"))
        return planes, [name for name in numbers if name not in ("step_low", "step_high", "row", "col")]


FFA, DUEL = "PommeFFACompetition-v0", "OneVsOne-v0"
TEAM, RADIO = "PommeTeamCompetition-v0", "PommeRadioCompetition-v2"
# With simple and champion alone, which attack, a network learned to wait, and tied with static.
MIXED = {"simple": 0.2, "static": 0.1, "heuristic": 0.3, "champion:level=2": 0.4}
STRONG = {"simple": 0.1, "static": 0.1, "heuristic": 0.2, "champion:level=4": 0.25, "champion:level=5": 0.35}
RECIPES = {
    "ppo-ffa": Recipe(
        FFA, {"simple": 0.6, "static": 0.15, "heuristic": 0.25}, ("simple", "static", "heuristic"), minutes=24
    ),
    "ppo-duel": Recipe(DUEL, MIXED, ("simple", "static", "champion:level=2"), minutes=45, temperature=1),
    "mappo-team": Recipe(
        TEAM, STRONG, ("simple", "static", TEACHER), minutes=75, entropy=0.006, temperature=0.85
    ),
    "mappo-radio": Recipe(RADIO, MIXED, ("simple", "static", TEACHER), minutes=35, temperature=0.85),
    "scratch-ffa": Recipe(
        FFA,
        {"simple": 0.6, "static": 0.25, "heuristic": 0.15},
        ("simple", "heuristic"),
        taught=False,
        entropy=0.01,
        pays={"wood": 0.02, "items": 0.05, "kills": 0.3},
    ),
    "scratch-team": Recipe(
        TEAM,
        {"simple": 0.6, "static": 0.25, "champion:level=1": 0.15},
        ("simple", TEACHER),
        taught=False,
        entropy=0.01,
        pays={"wood": 0.02, "items": 0.05, "kills": 0.3},
    ),
    "selfplay-ffa": Recipe(
        FFA,
        {SELF: 0.8, PAST: 0.2},
        ("simple", "heuristic"),
        taught=False,
        pays={"wood": 0.1, "items": 0.1, "kills": 0.5},
        slips=0.2,
    ),
}


def run_seed(text: str) -> int:
    """Read --seed: a run must not train on the boards of the teacher or of the evaluation."""
    if int(text) not in range(DEMONSTRATED // APART):
        raise argparse.ArgumentTypeError(f"{text}, expected 0 to {DEMONSTRATED // APART - 1}")
    return int(text)


def count(text: str) -> int:
    """Read a number of things, of which there must be some."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}, expected 1 or more")
    return int(text)


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("name", choices=RECIPES, help="which baseline")
parser.add_argument("--out", type=Path, help="the run's folder (default: runs/NAME-SEED)")
parser.add_argument("--seed", type=run_seed, default=0, help="of boards, seats and network, 0 to 69")
parser.add_argument("--begin", help="an agent's name or FILE.net to train on, in place of imitation")
parser.add_argument("--demonstrations", type=int, default=3000, help="games of the teacher")
parser.add_argument("--epochs", type=int, default=4, help="passes over the teacher's moves")
parser.add_argument("--minutes", type=float, help="of PPO (default: the recipe's)")
parser.add_argument(
    "--games", type=count, help="seats that learn: of a game 1, teams 2, selfplay all (256; on a GPU 16384)"
)
parser.add_argument("--rollout", type=count, help="steps of a game in an update (default: 64; on a GPU 32)")
parser.add_argument("--minibatch", type=count, help="samples per gradient step (2048; GPU: 1/8 of an update)")
parser.add_argument("--passes", type=count, default=2, help="passes over an update's samples")
parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of PPO; it falls to a tenth")
parser.add_argument("--gamma", type=float, default=0.998, help="discount")
parser.add_argument("--gae", type=float, default=0.95, help="lambda of the advantage estimate")
parser.add_argument("--clip", type=float, default=0.2, help="how far the policy may move in an update")
parser.add_argument("--outliving", type=float, default=0.2, help="reward for each enemy that dies first")
parser.add_argument("--mute", action="store_true", help="send no words, to see what mappo-radio's are worth")
parser.add_argument("--device", default="cpu", help="where the network is, such as cuda")
parser.add_argument("--threads", type=count, default=1, help="threads of PyTorch")
parser.add_argument("--judge", type=count, default=400, help="games of the evaluation at the end")
# Options that may change when a run goes on.
MAY_CHANGE = {"out", "minutes", "device", "threads", "judge", "games", "rollout", "minibatch"}


catalog = functools.cache(pommego.catalog)


class Policy(nn.Module):
    """Three layers. Their inputs are the board around the agent and, on its own cell, numbers."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.recipe, (self.planes, self.read) = recipe, recipe.sees()
        self.scalars = [name for name in self.read if "_block" not in name]
        self.blocks = [name.removesuffix("_block0") for name in self.read if name.endswith("_block0")]
        self.numbers = len(self.read)
        self.first = nn.Conv2d(len(self.planes), 32, 3)  # 11 x 11 cells to 9 x 9
        self.own = nn.Parameter(torch.randn(32, self.numbers, 3, 3) * 0.1)  # the numbers' weights there
        self.second = nn.Conv2d(32, 64, 3, stride=2)  # to 4 x 4
        self.body = nn.Linear(64 * 16, 192)
        self.actor, self.critic = nn.Linear(192, sum(recipe.choices)), nn.Linear(192, 1)
        self.team = Team(33 if recipe.id == RADIO else 25) if recipe.team else None
        self.mute = False  # whether it sends no words
        nn.init.orthogonal_(self.actor.weight, 0.01)
        with torch.no_grad():
            self.actor.bias[6::VOCABULARY] = 5  # at first it is mostly silent

    def forward(self, near: Tensor, numbers: Tensor, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Return logarithms of odds, (n, 6) or those of words too, and values (n,) of what it sees."""
        fast = FAST or near.is_cuda
        with torch.autocast(near.device.type, torch.bfloat16, enabled=fast):
            near = near.to(torch.bfloat16 if fast else torch.float32, memory_format=torch.channels_last)
            x = self.first(near / UNIT)
            own = self.own.flip(2, 3).permute(0, 2, 3, 1).reshape(-1, self.numbers)
            own = functional.linear(numbers.to(near.dtype) / UNIT, own)
            x[:, :, 3:6, 3:6].add_(own.view(-1, 32, 3, 3))  # += would copy the gradients of x once more
            x = functional.hardtanh_(self.second(functional.hardtanh_(x, 0, MOST)), 0, MOST)
            x = functional.hardtanh_(self.body(x.flatten(1)), 0, MOST)
            logits, value = self.actor(x).float(), self.critic(x).float()
        logits[:, :6].masked_fill_(~moves, -1e9)
        if self.mute:
            logits[:, 6:].unflatten(1, (WORDS, VOCABULARY))[:, :, 1:] = -1e9
        return logits, value.squeeze(1)

    def export(self) -> Network:
        """Return the policy rounded to whole numbers, for files."""
        answers = self.actor.bias.detach().clone()
        if self.mute:
            answers[6:].view(WORDS, VOCABULARY)[:, 1:] = -100

        def rounded(weight: Tensor, bias: Tensor, **more: object) -> Layer:
            return Layer.rounded(weight.detach().cpu().permute(2, 3, 1, 0), bias.detach().cpu(), **more)

        return Network(
            [
                rounded(torch.cat([self.first.weight, self.own], 1), self.first.bias),
                rounded(self.second.weight, self.second.bias, stride=2),
                rounded(self.body.weight.view(-1, 64, 4, 4), self.body.bias),
                rounded(self.actor.weight[..., None, None], answers, last=True),
            ],
            {
                **{"env": self.recipe.id, "planes": self.planes, "scalars": self.scalars},
                **{"blocks": self.blocks, "temperature": self.recipe.temperature},
            },
        )


@torch.no_grad()
def begin_as(policy: Policy, network: Network) -> None:
    """Give a policy the weights of a network, which has no critic. Inputs that it does not have get 0."""
    about, seen = network.about, [*policy.planes, *policy.read]
    blocks = [f"{plane}_block{i}" for plane in about["blocks"] for i in range(9)]
    names = [*about["planes"], *about["scalars"], *blocks]
    layers = policy.first, policy.second, policy.body, policy.actor
    for layer, x in zip(layers, network.layers, strict=True):
        weight = torch.tensor(x.weights / 2.0**x.shift, dtype=torch.float32).permute(3, 2, 0, 1)
        if layer is policy.first:
            nothing = torch.zeros_like(weight[:, 0])
            found = [weight[:, names.index(name)] if name in names else nothing for name in seen]
            weight, own = torch.stack(found, 1).split([len(policy.planes), policy.numbers], 1)
            policy.own.copy_(own)
        if weight.numel() != layer.weight.numel():
            raise ValueError(f"the network of {about['env']} has {[*weight.shape]} for {layer}")
        layer.weight.copy_(weight.reshape(layer.weight.shape))
        half = 0 if layer is policy.actor else 2**x.shift // 2  # which export adds again
        layer.bias.copy_(torch.from_numpy((x.biases - half) / (UNIT * 2.0**x.shift)))


class Team(nn.Module):
    """MAPPO's critic: the value of a game for a team, by the state without fog. Only training needs it."""

    def __init__(self, scalars: int) -> None:
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(18, 32, 3, stride=2), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU())
        self.value = nn.Sequential(nn.Linear(32 * 9 + scalars, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, planes: Tensor, scalars: Tensor) -> Tensor:
        """Return values (n,) of states."""
        seen = self.look(planes.float().log1p())
        return self.value(torch.cat([seen.flatten(1), scalars], 1)).squeeze(1)


# Imitation ---------------------------------------------------------------------

# Where each move goes in each of the eight mirrors, a digit for a move.
WAYS = "012345", "021345", "012435", "021435", "034125", "043125", "034215", "043215"
TO = torch.tensor([[*map(int, way)] for way in WAYS])
BACK = TO.argsort(1)  # the move of which it is the mirror


class Mirrors:
    """Boards upside down (bit 0 of a way), left to right (bit 1), then rows to columns (bit 2)."""

    def __init__(self, policy: Policy, device: torch.device | str) -> None:
        up, cells = policy.planes.index("bomb_up"), torch.arange(len(policy.planes) * 121)
        blocks, ways = len(policy.scalars), []
        for way, back in enumerate(BACK):
            planes, numbers = cells.view(-1, 11, 11), torch.arange(policy.numbers)
            order = torch.arange(len(planes))
            order[up : up + 4] = back[1:5] - 1 + up
            planes, grid = planes[order], numbers[blocks:].view(-1, 3, 3)
            for bit, turn in enumerate(
                (lambda x: x.flip(1), lambda x: x.flip(2), lambda x: x.transpose(1, 2))
            ):
                if way >> bit & 1:
                    planes, grid = turn(planes), turn(grid)
            ways.append((planes.flatten(), torch.cat([numbers[:blocks], grid.flatten()]), back))
        self.orders = [torch.stack(order).to(device) for order in zip(*ways, strict=True)]

    def __call__(self, ways: Tensor, near: Tensor, numbers: Tensor, moves: Tensor) -> list[Tensor]:
        """Mirror boards, each its own way."""
        planes, order, back = (orders[ways] for orders in self.orders)
        turned = near.flatten(1).gather(1, planes).view_as(near)
        return [turned, numbers.gather(1, order), moves.gather(1, back)]


def demonstrations(folder: Path, games: int, recipe: Recipe, gamma: float, seed: int) -> tuple[Tensor, ...]:
    """Let the teacher play. Return near, numbers, moves, its moves, discounted results, and steps left."""
    spec = catalog()[recipe.id]
    agents = [TEACHER] * (spec.seats // 2) + ["simple"] * (spec.seats // 2 + 1)  # more than seats: drawn
    command = [find_binary(), "generate", "--out", folder, "--env", recipe.id, "--games", games]
    command += ["--agents", ",".join(agents), "--seed", DEMONSTRATED + 1_000_000 * seed]
    subprocess.run([str(part) for part in command], check=True)
    found = []
    for game in data.rebuild(folder, **SEES):
        for seat in np.flatnonzero([agent == TEACHER for agent in game.agents]):
            if game.result[seat] == "tied":
                continue  # usually two teachers that only wait
            alive = np.flatnonzero(game.alive[:-1, seat])
            seen = [game.observations[field][alive, seat] for field in ("near", "numbers")]
            seen.append(game.legal[alive, seat, :6] > 0)
            action = game.actions[alive, seat].reshape(len(alive), -1)[:, 0].astype(np.int64)  # without words
            left = (alive[-1] - alive).astype(np.float32)
            paid = np.float32(game.outcome[seat] * gamma**left)
            kept = seen[2][np.arange(len(alive)), action]  # without its unsafe moves
            found.append([part[kept] for part in (*seen, action, paid, left)])
    if not found:
        parser.error(f"the teacher tied all of its {games} games: give more --demonstrations, or 0 for none")
    return tuple(torch.from_numpy(np.concatenate(parts)) for parts in zip(*found, strict=True))


def imitate(policy: Policy, optimizer: torch.optim.Optimizer, shown: tuple[Tensor, ...], epochs: int) -> None:
    """Learn the teacher's moves and the values of its positions."""
    *seen, action, paid, left = shown
    mirrors, near_end = Mirrors(policy, "cpu"), 1 / (1 + left / 10)  # late values are easier to learn
    size, step = 1024, 0
    total = epochs * -(-len(action) // size)
    for _ in range(epochs):
        right = loss = 0.0
        for rows in torch.randperm(len(action)).split(size):
            ways = torch.randint(8, (len(rows),))
            boards = mirrors(ways, *(part[rows] for part in seen))
            more = (TO[ways, action[rows]], paid[rows], near_end[rows])
            *boards, act, outcome, weight = (part.to(policy.own.device) for part in (*boards, *more))
            logits, value = policy(*boards)
            missed = (weight * (value - outcome).square()).sum() / weight.sum()
            lost = functional.cross_entropy(logits[:, :6], act) + missed
            optimizer.param_groups[0]["lr"] = 2e-3 * (1.02 - step / total)
            descend(policy, optimizer, lost)
            step += 1
            right += (logits[:, :6].argmax(1) == act).sum().item()
            loss += lost.item() * len(rows)
        right, loss = right / len(action), loss / len(action)
        print(f"imitation: agrees in {right:.1%} of {len(action):,}, loss {loss:.3f}", flush=True)


# PPO ---------------------------------------------------------------------------


def descend(policy: Policy, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Make a gradient step."""
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimizer.step()


class Games:
    """Games against each kind of opponent, in two halves. Their boards are seen in eight mirrors.

    Of each half `made` has the moves in order: the state for a team's critic, near, numbers, moves, action,
    log probability and value. `paid` has for each move the reward, whether it decided the row's
    result, and whether to learn from it.
    """

    def __init__(
        self, policy: Policy, recipe: Recipe, o: argparse.Namespace, seed: int, past: pommego.Pool
    ) -> None:
        self.policy, self.o = policy, o
        self.envs, seats = [], catalog()[recipe.id].seats
        for kind, share in [*recipe.opponents.items()] * 2:
            learners, players = 1, {"opponents": [past if kind == PAST else recipe.find(kind)] * (seats - 1)}
            if recipe.team:
                learners, players = 2, {"seats": ["learner", kind] * 2, "state": True}
                players["connection"] = pommego.Connection(expand_shared=False)
            elif kind == SELF:
                learners, players = seats, {}
            number, counts = max(round(o.games * share / learners / 2), 1), "step" if recipe.pays else False
            players |= {"autoreset_mode": "SameStep", "counts": counts, **SEES}
            self.envs.append(pommego.make_vec(recipe.id, number, **players))
        self.feed, device = Feed(self.envs, o.device), o.device
        pays = [(recipe.pays or {}).get(count.name, 0.0) for count in self.envs[0].game_spec.counts]
        self.pays, self.back = torch.tensor(pays, device=device), BACK.to(device)
        enemies = [i for i, name in enumerate(policy.scalars) if name.startswith("enemy")]
        self.enemies = torch.tensor(enemies, device=device)  # an index by a list waits for the GPU
        self.rows, self.mirrors = sum(envs.num_envs for envs in self.envs), Mirrors(policy, device)
        most = torch.tensor([recipe.slips if kind == SELF else 0.0 for kind in recipe.opponents])
        self.kinds, self.slips, self.ways = [], [], []  # for the rows of each half
        for half in self.feed.halves:
            kinds = torch.arange(len(half)).repeat_interleave(torch.tensor([envs.num_envs for envs in half]))
            self.kinds.append(kinds.to(device))
            self.slips.append((torch.rand(len(kinds)) ** 2 * most[kinds]).to(device))
            # Each kind in all mirrors, or the network would know its opponents by the mirror.
            ways = [torch.randperm(envs.num_envs) % 8 for envs in half]
            self.ways.append(torch.cat(ways).to(device))
        self.made: list[list[list[Tensor]]] = [[] for _ in self.feed.halves]
        self.paid: list[list[list[Tensor]]] = [[] for _ in self.feed.halves]
        self.slipped: list[Tensor] = [torch.zeros_like(kinds, dtype=torch.bool) for kinds in self.kinds]
        self.won = torch.zeros(len(most), 2, device=device)  # by kind: games won, games ended
        self.batch = self.feed.reset(seed=seed)

    def look(self, batch: Batch) -> list[Tensor]:
        """Return what the network sees: near, numbers and moves in mirrors."""
        return self.mirrors(self.ways[batch.half], batch.obs["near"], batch.obs["numbers"], batch.mask[:, :6])

    @torch.no_grad()
    def step(self) -> None:
        """Send the moves of one half, and store the results of the other half's last moves."""
        half, seen, state = self.batch.half, self.look(self.batch), [*self.batch.state.values()]
        logits, value = valued(self.policy, seen, state)
        actions, logp = drawn(self.policy, logits)
        self.made[half].append([*state, *seen, actions, logp, value])
        moves = self.back[self.ways[half], actions[:, 0]]
        if self.policy.recipe.slips:
            self.slipped[half] = torch.rand_like(self.slips[half]) < self.slips[half]
            moves = torch.where(self.slipped[half], torch.randint_like(moves, 6), moves)
        words = actions[:, 1:]
        self.batch = self.feed.step(torch.cat([moves[:, None], words], 1) if words.numel() else moves)
        if self.made[self.batch.half]:
            self.paid[self.batch.half].append(self.results(self.batch))

    def results(self, batch: Batch) -> list[Tensor]:
        """Return rewards with extra ones, whether rows' results are decided, and the rows to learn from."""
        *_, numbers, _, _, _, _ = self.made[batch.half][-1]
        fell = (numbers[:, self.enemies] > 0).sum(1) - (batch.obs["numbers"][:, self.enemies] > 0).sum(1)
        more, over = self.o.outliving * fell, batch.over | (batch.reward != 0)
        if batch.counts is not None:
            more = more + batch.counts.float() @ self.pays
        counted = batch.valid | self.policy.recipe.team  # the dead of a team share in its result
        ended = torch.stack([over & (batch.reward > 0), over], 1) & counted[:, None]
        self.won.index_add_(0, self.kinds[batch.half], ended.float())
        reward = torch.where(over & (batch.reward <= 0), -1.0, batch.reward)  # a tie is as bad as a loss
        return [reward + torch.where(over, 0.0, more), over, batch.valid & ~self.slipped[batch.half]]


def drawn(policy: Policy, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Draw actions, (n, 1) or with words (n, 3), and return the log probabilities of these parts.

    The draws are those of torch.multinomial, without its checks, for which a GPU may have to wait.
    """
    parts = logits.split(policy.recipe.choices, 1)
    chosen = [(part.softmax(1) / torch.empty_like(part).exponential_()).argmax(1) for part in parts]
    actions = torch.stack(chosen, 1)
    return actions, chances(policy, logits, actions)[0]


def chances(policy: Policy, logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log probabilities of the actions' parts, (n, parts), and the moves' entropies, (n,)."""
    every = [part.log_softmax(1) for part in logits.split(policy.recipe.choices, 1)]
    logp = [part.gather(1, action[:, None]) for part, action in zip(every, actions.T, strict=True)]
    return torch.cat(logp, 1), -(every[0].exp() * every[0]).sum(1)


def collect(games: Games, steps: int) -> tuple[list[Tensor], Tensor]:
    """Play steps. Return their `made` and `paid`, (steps, rows, ...) each, and the values after them."""
    while min(map(len, games.made)) <= steps:
        games.step()
    halves = [
        [torch.stack(part) for part in (*zip(*made[:steps], strict=True), *zip(*paid[:steps], strict=True))]
        for made, paid in zip(games.made, games.paid, strict=True)
    ]
    last = torch.cat([made[steps][-1] for made in games.made])
    games.made = [made[steps:] for made in games.made]
    games.paid = [paid[steps:] for paid in games.paid]
    return [torch.cat(part, 1) for part in zip(*halves, strict=True)], last


def valued(policy: Policy, seen: list[Tensor], state: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Return logarithms of odds and values of all rows; both rows of a team have the team's value."""
    logits, value = policy(*seen)
    if state:
        value = policy.team(*state).repeat_interleave(2)
    return logits, value


def advantages(
    reward: Tensor, value: Tensor, over: Tensor, last: Tensor, *, gamma: float, lam: float
) -> Tensor:
    """Estimate by how much each action was better than expected: (steps, n), by GAE."""
    estimate, following, result = torch.zeros_like(last), last, torch.empty_like(reward)
    for t in reversed(range(len(reward))):
        on = (~over[t]).float()
        surprise = reward[t] + gamma * on * following - value[t]
        estimate = surprise + gamma * lam * on * estimate
        result[t], following = estimate, value[t]
    return result


def learn(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    played: list[Tensor],
    last: Tensor,
    o: argparse.Namespace,
) -> dict[str, float]:
    """Make an update's gradient steps and return their means."""
    *_, value, reward, over, valid = played
    gain = advantages(reward, value, over, last, gamma=o.gamma, lam=o.gae).flatten()
    *state, near, numbers, moves, action, old, value = (part.flatten(0, 1) for part in played[:-3])
    aim, noted, valid = gain + value, [], valid.flatten().nonzero().squeeze(1)
    gain = (gain - gain[valid].mean()) / (gain[valid].std() + 1e-8)
    for _ in range(o.passes):
        for rows in valid[torch.randperm(len(valid), device=valid.device)].split(o.minibatch):
            logits, guess = policy(near[rows], numbers[rows], moves[rows])
            if state:
                guess = policy.team(*(part[rows // 2] for part in state))
            logp, entropy = chances(policy, logits, action[rows])
            log_ratio, entropy = logp - old[rows], entropy.mean()
            ratio = log_ratio.exp()
            much = gain[rows, None]  # one ratio per part, so that words do not distort the move's
            better = torch.minimum(ratio * much, ratio.clamp(1 - o.clip, 1 + o.clip) * much)
            value_loss = functional.mse_loss(guess, aim[rows])
            weight = 0.5 if state else 2  # a team's critic is a separate network
            bonus = policy.recipe.entropy * entropy
            descend(policy, optimizer, weight * value_loss - better.sum(1).mean() - bonus)
            kl = (ratio - 1 - log_ratio).sum(1).mean()
            noted.append(torch.stack([value_loss, entropy, kl]).detach())
    return dict(zip(("value_loss", "entropy", "kl"), torch.stack(noted).mean(0).tolist(), strict=True))


# A run -------------------------------------------------------------------------


class Past:
    """A past self, which does not learn."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.options = copy.deepcopy(policy), SEES

    @torch.no_grad()
    def __call__(self, obs: dict[str, Any], info: dict[str, Any]) -> np.ndarray:
        """Draw moves."""
        numbers = np.ascontiguousarray(obs["numbers"][:, : self.policy.numbers])
        seen = obs["near"], numbers, info["action_mask"][:, :6] > 0
        logits, _ = self.policy(*(torch.from_numpy(part).to(self.policy.own.device) for part in seen))
        return drawn(self.policy, logits)[0].squeeze(1).cpu().numpy()


def checkpoint(folder: Path) -> dict[str, Any]:
    """Load what the run in a folder saved last; exit if the file is damaged."""
    path = folder / "checkpoint.pt"
    try:
        return torch.load(path, weights_only=True, map_location="cpu")
    except Exception as e:
        parser.error(f"{path} is damaged: remove it and progress.jsonl to begin anew: {e!r}")


class Run:
    """A network in training, and its files."""

    def __init__(self, o: argparse.Namespace) -> None:
        on_cpu = o.device == "cpu"
        o.games, o.rollout = o.games or (256 if on_cpu else 16384), o.rollout or (64 if on_cpu else 32)
        o.minibatch = o.minibatch or (2048 if on_cpu else max(o.games * o.rollout // 8, 1))
        self.o, self.recipe = o, RECIPES[o.name]
        self.out = o.out or Path(f"runs/{o.name}-{o.seed}")
        if o.mute and self.recipe.id != RADIO:
            parser.error(f"--mute is for mappo-radio: {o.name} sends no words")
        self.out.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(o.threads)
        torch.manual_seed(o.seed)
        self.policy = Policy(self.recipe).to(o.device, memory_format=torch.channels_last)
        self.policy.mute = o.mute
        self.optimizer = torch.optim.Adam(self.policy.parameters(), eps=1e-5)
        self.done = {"updates": 0, "steps": 0, "minutes": 0.0}
        self.past = pommego.Pool(4, rule="prioritised", seed=o.seed)

    def options(self) -> dict[str, Any]:
        """Return what a run must keep to the end."""
        return {name: value for name, value in vars(self.o).items() if name not in MAY_CHANGE}

    def save(self) -> None:
        """Write the checkpoint, whole or not at all, and the policy."""
        saved = {"policy": self.policy.state_dict(), "optimizer": self.optimizer.state_dict()}
        saved |= {"done": self.done, "pool": self.past.state(), "options": self.options()}
        saved["past"] = [past.policy.policy.state_dict() for past in self.past.members]
        torch.save(saved, self.out / "checkpoint.new")
        (self.out / "checkpoint.new").replace(self.out / "checkpoint.pt")
        self.policy.export().save(self.out / "policy.net")

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from a checkpoint, if it is of the same options."""
        own, wanted = saved.get("options", {}), self.options()  # older checkpoints have none
        if other := [name for name in own if own[name] != wanted.get(name)]:
            was, now = (", ".join(f"{name}={of.get(name)}" for name in other) for of in (own, wanted))
            parser.error(f"{self.out} has a run with {was}, not {now}: give its options or another folder")
        for weights in saved["past"]:
            self.policy.load_state_dict(weights)
            self.past.add(Past(self.policy))
        pool = saved.get("pool", self.past.state())  # of which older checkpoints have none
        self.past.restore(pool, [past.policy for past in self.past.members])
        self.policy.load_state_dict(saved["policy"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.done = saved["done"]

    def begin(self) -> None:
        """Imitate the teacher, or take another network's weights."""
        if self.o.begin:
            begin_as(self.policy, pommego.load(self.o.begin, catalog()[self.recipe.id]))
        elif self.recipe.taught and self.o.demonstrations:
            folder = self.out / f"demonstrations-{self.o.demonstrations}-{self.o.seed}"
            shown = demonstrations(folder, self.o.demonstrations, self.recipe, self.o.gamma, self.o.seed)
            imitate(self.policy, self.optimizer, shown, self.o.epochs)
            print("imitation alone:", self.judge(self.recipe.judges[0]), flush=True)
        self.remember()

    def remember(self) -> None:
        """Save, and add a past self if the recipe plays against those."""
        if PAST in self.recipe.opponents:
            self.past.add(Past(self.policy))
        self.save()

    def train(self) -> None:
        """Train by PPO until the time is over."""
        o, done, saved = self.o, self.done, self.done["minutes"]
        minutes = self.recipe.minutes if o.minutes is None else o.minutes
        torch.manual_seed(o.seed * 1000 + done["updates"])
        seed = o.seed * APART + done["updates"] * o.games % (APART - o.games)
        games = Games(self.policy, self.recipe, o, seed, self.past)
        with ExitStack() as stack, (self.out / "progress.jsonl").open("a+") as log:
            log.seek(0)
            for _ in range(done["updates"]):
                log.readline()
            log.truncate(log.tell())  # updates after the checkpoint were lost
            for envs in games.envs:
                stack.enter_context(envs)
            while done["minutes"] < minutes:
                begin = time.perf_counter()
                self.optimizer.param_groups[0]["lr"] = o.rate * (1 - 0.9 * done["minutes"] / minutes)
                played, last = collect(games, o.rollout)
                half = time.perf_counter()
                noted = learn(self.policy, self.optimizer, played, last, o)
                spent, moves = time.perf_counter() - begin, o.rollout * games.rows
                done["updates"], done["steps"] = done["updates"] + 1, done["steps"] + moves
                done["minutes"] += spent / 60
                row = done | {"per_second": moves / spent, "rollout": (half - begin) / spent} | noted
                for kind, (won, ended) in zip(self.recipe.opponents, games.won.tolist(), strict=True):
                    if ended:
                        row[f"won {kind}"] = won / ended
                games.won *= 0.9  # so that old games count less
                print(json.dumps(row), file=log, flush=True)
                print(" ".join(f"{name} {value:.4g}" for name, value in row.items()), flush=True)
                if done["minutes"] > saved + 1:
                    self.remember()
                    saved = done["minutes"]

    def judge(self, opponent: str) -> dict[str, float]:
        """Play games with the policy of the file, on boards that were not used in training."""
        policy, recipe = self.policy.export(), self.recipe
        games = pommego.evaluate(policy, recipe.id, opponent, self.o.judge, team=recipe.team)
        won = games.win_rate
        return {"won": won.value, "low": won.low, "high": won.high, "tied": games.tie_rate.value}

    def end(self) -> None:
        """Judge the policy of the file, and write the result."""
        self.save()
        result = {"name": self.o.name, "games": self.o.judge, "seed": self.o.seed, **self.done}
        result["options"] = self.options()
        result["sha256"] = hashlib.sha256((self.out / "policy.net").read_bytes()).hexdigest()
        result["against"] = {opponent: self.judge(opponent) for opponent in self.recipe.judges}
        (self.out / "result.json").write_text(json.dumps(result) + "\n")
        print(json.dumps(result), flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Train, or go on, and evaluate."""
    run = Run(parser.parse_args(arguments))
    if (run.out / "checkpoint.pt").exists():
        run.restore(checkpoint(run.out))
    elif (run.out / "progress.jsonl").exists():
        parser.error(f"{run.out} has progress.jsonl and no checkpoint.pt: name another --out")
    else:
        run.begin()
    run.train()
    run.end()


if __name__ == "__main__":
    main()
