"""Learn to play Pommerman by PPO, in one file: `python ppo.py train`.

A network learns in games against built-in agents (`--opponents`, repeated for a mix;
`--curriculum` takes them one after the other) and, with `--self-play`, against its own past
policies. It sees the board centred on itself. Three things help it:

* It chooses among the moves that it can survive according to its observation
  (`pommego.pommerman.safety`). Without this filter (`--moves legal`) its own bombs kill it, and
  for a long time it only learns to lay none.
* It sees a plane that says where flames break out, and when.
* It is rewarded for each enemy that it outlives and for digging (`--outliving`, `--digging`).

    python ppo.py train --out runs/a --opponents static --opponents simple --minutes 60
    python ppo.py train --out runs/a --resume --minutes 120       # goes on, with another limit
    python ppo.py evaluate runs/a --opponents simple --episodes 1000
    python ppo.py plot runs/a runs/b --png curve.png
    tensorboard --logdir runs

The same command goes on with a run that was stopped, as if it had not. A folder that holds a run
with other options is left alone. It has `progress.jsonl` (a line an update), `checkpoint.pt` and
TensorBoard's files. Needs torch; tensorboard and matplotlib where they are used.
Everything is in one long file, so that you can read and change it as a whole.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor, nn
from torch.nn import functional

import pommego
from pommego.pommerman.safety import Safety

NEAR = 11  # side of the part of the board around the agent that the network sees in detail
FAR = ("rigid", "wood", "self", "enemies")  # planes that it sees of the whole board
SCALE = {"bomb_blast": 0.1, "bomb_life": 0.1, "flame": 1 / 3, "danger": 0.1}  # of planes that count
SOON = 10  # steps ahead that count as dangerous
WINDOW = 200  # episodes in running win rates
FEWEST = 50  # of these, for a point of a curve
SELVES = "past selves"  # the line-up of self-play
JUDGED = 200  # games of an evaluation during training
EVALUATION_SEED = 1_000_000_000  # so that evaluation never plays boards of the training
LIMITS = ("minutes", "steps", "threads")  # what `--resume` may change


@dataclass
class Config:
    """The configuration of a run; each field is an option of `train`."""

    out: str = field(default="runs/ppo", metadata={"help": "the run's folder"})
    env: str = field(default="PommeFFACompetition-v0", metadata={"help": "id, with one action component"})
    rules: str = field(default="", metadata={"help": 'rules that differ, as JSON: {"num_wood": 0}'})
    opponents: list[str] = field(
        default_factory=list, metadata={"help": "a line-up: names separated by commas, or one for all seats"}
    )
    curriculum: float = field(
        default=0.0,
        metadata={"help": "play line-ups in order, the next from this win rate on (0: all at once)"},
    )
    moves: str = field(
        default="safe", metadata={"help": "the moves it chooses from", "choices": ("safe", "legal")}
    )
    self_play: float = field(default=0.0, metadata={"help": "share of games played against past policies"})
    pool: int = field(default=8, metadata={"help": "past policies to keep"})
    rule: str = field(
        default="uniform",
        metadata={
            "help": "how they are drawn: evenly, or more often those it loses against",
            "choices": ("uniform", "prioritised"),
        },
    )
    pool_every: int = field(default=20, metadata={"help": "updates between two of them"})
    init: str = field(
        default="", metadata={"help": "a run whose policy to start from, such as one on easier boards"}
    )
    judges: list[str] = field(
        default_factory=list,
        metadata={"help": f"a line-up to play {JUDGED} games against now and then, not to learn from them"},
    )
    judge_every: int = field(default=20, metadata={"help": "updates between two such evaluations"})
    seed: int = field(default=0, metadata={"help": "seed of boards, seats and network"})
    games: int = field(default=256, metadata={"help": "games played together"})
    rollout: int = field(default=48, metadata={"help": "steps of each game in an update"})
    minibatch: int = field(default=1024, metadata={"help": "samples in a gradient step"})
    epochs: int = field(default=2, metadata={"help": "passes over an update's samples"})
    learning_rate: float = field(default=5e-4, metadata={"help": "of Adam"})
    gamma: float = field(default=0.995, metadata={"help": "discount"})
    gae: float = field(default=0.95, metadata={"help": "lambda of the advantage estimate"})
    clip: float = field(default=0.2, metadata={"help": "how far the policy may move in an update"})
    entropy: float = field(default=0.01, metadata={"help": "weight of the entropy"})
    outliving: float = field(default=0.5, metadata={"help": "reward for each enemy that dies first"})
    digging: float = field(
        default=0.01, metadata={"help": "reward for each piece of wood that its own bombs destroy"}
    )
    minutes: float = field(
        default=60.0, metadata={"help": "when to stop, with the earlier time of resumed runs"}
    )
    steps: int = field(default=0, metadata={"help": "when to stop, 0: only by time"})
    threads: int = field(default=1, metadata={"help": "threads of PyTorch; more only help if cores are idle"})
    save_every: int = field(default=20, metadata={"help": "updates between two checkpoints"})

    def line_up(self, names: str, seats: int) -> list[str]:
        """Name the agents of all other seats."""
        given = names.split(",")
        return given * (seats - 1) if len(given) == 1 else given


# What the network sees ---------------------------------------------------------


class Seen(NamedTuple):
    """Observations of n seats in compact form.

    Attributes:
        near: uint8 (n, planes, NEAR, NEAR), the board around the seat's agent; rigid beyond the edge.
            The last plane is `danger`: 10 where flames break out in the next step, 1 ten steps off.
        far: uint8 (n, len(FAR), board, board).
        scalars: float32 (n, scalars).
        mask: bool (n, actions).
    """

    near: Tensor
    far: Tensor
    scalars: Tensor
    mask: Tensor

    def rows(self, index: Tensor) -> Seen:
        """Select rows."""
        return Seen(*(tensor[index] for tensor in self))

    @classmethod
    def join(cls, parts: Sequence[Seen]) -> Self:
        """Concatenate parts."""
        return cls(*map(torch.cat, zip(*parts, strict=True)))


class Eyes:
    """Turns the environment's observations of one game id into `Seen`."""

    def __init__(self, spec: pommego.GameSpec, moves: str = "safe") -> None:
        encoding = spec.encoding("planes")
        self.safety, self.careful = Safety(spec), moves == "safe"
        self.planes = [*(plane.name for plane in encoding["planes"].names), "danger"]
        self.scalars = [scalar.name for scalar in encoding["scalars"].names]
        self.board = encoding["planes"].shape[-1]
        self.actions = spec.actions[0].n
        self._far = [self.planes.index(name) for name in FAR]
        self._place = [self.scalars.index("row"), self.scalars.index("col")]
        self._enemies = [i for i, name in enumerate(self.scalars) if name.startswith("enemy")]

    def __call__(self, obs: dict[str, np.ndarray], mask: np.ndarray) -> Seen:
        """Copy the parts of a batch that are needed."""
        planes, scalars, edge = obs["planes"], obs["scalars"], NEAR // 2
        size = self.board + 2 * edge
        padded = np.zeros((len(planes), len(self.planes), size, size), np.uint8)
        padded[:, self.planes.index("rigid")] = 1
        padded[:, :-1, edge:-edge, edge:-edge] = planes
        padded[:, -1, edge:-edge, edge:-edge] = SOON + 1 - np.minimum(self.safety.danger(planes), SOON + 1)
        row, col = np.rint(scalars[:, self._place] * (self.board - 1)).astype(np.intp).T
        windows = sliding_window_view(padded, (NEAR, NEAR), axis=(2, 3))
        near = windows[np.arange(len(planes)), :, row, col]
        mask = self.safety.moves(planes, scalars, mask) if self.careful else mask > 0
        arrays = near, planes[:, self._far], np.array(scalars), mask
        return Seen(*map(torch.from_numpy, arrays))

    def enemies(self, seen: Seen) -> Tensor:
        """Count the enemies alive, (n,)."""
        return seen.scalars[:, self._enemies].sum(1)


class Policy(nn.Module):
    """A small convolutional network: the logits of actions, and the value."""

    def __init__(self, eyes: Eyes) -> None:
        super().__init__()
        scale = torch.tensor([SCALE.get(name, 1.0) for name in eyes.planes])
        self.register_buffer("scale", scale[:, None, None], persistent=False)
        layers: list[nn.Module] = []
        for before, after in ((len(eyes.planes), 32), (32, 48), (48, 48)):
            layers += [nn.Conv2d(before, after, 3), nn.ReLU()]
        self.convolutions = nn.Sequential(*layers, nn.Flatten())
        features = 48 * (NEAR - 6) ** 2 + len(FAR) * eyes.board**2 + len(eyes.scalars)
        self.body = nn.Sequential(nn.Linear(features, 192), nn.ReLU())
        self.actor, self.critic = nn.Linear(192, eyes.actions), nn.Linear(192, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)
        nn.init.zeros_(self.actor.bias)

    def forward(self, seen: Seen) -> tuple[Tensor, Tensor]:
        """Return log probabilities (n, actions), close to minus infinity where masked, and values (n,)."""
        near = self.convolutions(seen.near * self.scale)
        body = self.body(torch.cat([near, seen.far.flatten(1), seen.scalars], 1))
        logits = self.actor(body).masked_fill(~seen.mask, -1e9)
        return logits.log_softmax(1), self.critic(body).squeeze(1)

    @torch.no_grad()
    def act(self, seen: Seen, *, greedy: bool = False) -> Tensor:
        """Choose an action for each row."""
        logp, _ = self(seen)
        return logp.argmax(1) if greedy else torch.multinomial(logp.exp(), 1).squeeze(1)


# Games -------------------------------------------------------------------------


class Outcome(NamedTuple):
    """The result of a step of n rows.

    Attributes:
        reward: float (n,).
        done: bool (n,).
        won: bool (n,), for rows that are done.
        valid: bool (n,), false where the learner was dead before the step, as in team games.
        wood: float (n,), pieces of wood that the row's own bombs destroyed.
    """

    reward: Tensor
    done: Tensor
    won: Tensor
    valid: Tensor
    wood: Tensor


class Arena:
    """Games with one learner each, against a line-up of built-in agents, or a pool of past selves."""

    def __init__(
        self,
        config: Config,
        spec: pommego.GameSpec,
        line_up: str,
        games: int,
        seed: int,
        *,
        pool: pommego.Pool | None = None,
    ) -> None:
        self.config, self.line_up, self.waited = config, line_up, 0.0
        self.eyes = Eyes(spec, config.moves)
        self.envs = pommego.make_vec(
            config.env,
            games,
            autoreset_mode="SameStep",
            copy=False,
            counts="step",
            rules=json.loads(config.rules) if config.rules else None,
            opponents=[pool] * (spec.seats - 1) if pool is not None else config.line_up(line_up, spec.seats),
        )
        self._wood = [count.name for count in spec.counts].index("wood")
        self.look(*self.envs.reset(seed=seed))

    def look(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> None:
        """Store a batch: `seen` is the input for the learners' decisions."""
        self.seen = self.eyes(obs, info["action_mask"])

    def change(self, line_up: str) -> None:
        """Replace the opponents, from each game's next episode on."""
        self.line_up = line_up
        self.envs.set_opponents(self.config.line_up(line_up, self.envs.game_spec.seats))
        self.look(*self.envs.reset())

    def send(self, actions: Tensor) -> None:
        """Begin a step of the learners."""
        self.envs.send(actions.numpy())

    def wait(self) -> tuple[Any, ...]:
        """Wait for the games, and measure the time."""
        begin = time.perf_counter()
        batch = self.envs.recv()
        self.waited += time.perf_counter() - begin
        return batch

    def receive(self) -> Outcome:
        """Finish it."""
        obs, reward, terminated, _, info = self.wait()
        self.look(obs, info)
        paid = torch.from_numpy(reward.astype(np.float32))
        over, valid = torch.from_numpy(terminated.copy()), torch.from_numpy(info["valid"])
        wood = torch.from_numpy(info["counts"][:, self._wood].astype(np.float32))
        return Outcome(paid, over, paid > 0, valid, wood)

    def save(self) -> dict[str, Any]:
        """Return what `restore` needs."""
        states = [torch.frombuffer(bytearray(bytes(s)), dtype=torch.uint8) for s in self.envs.get_state()]
        return {"states": states, "line_up": self.line_up}

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue from the state that `save` returned."""
        if saved["line_up"] != self.line_up:
            self.change(saved["line_up"])
        states = [state.numpy().tobytes() for state in saved["states"]]
        self.look(*self.envs.set_state(range(self.envs.num_games), states))


class PastSelf:
    """A policy as it was: an opponent that plays from Python."""

    def __init__(self, eyes: Eyes, policy: Policy) -> None:
        self.eyes, self.policy = eyes, copy.deepcopy(policy).requires_grad_(False)

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, np.ndarray]) -> np.ndarray:
        """Choose for the rows that count."""
        rows, actions = np.flatnonzero(info["valid"]), np.zeros(len(info["valid"]), np.int64)
        if len(rows):
            seen = self.eyes({name: array[rows] for name, array in obs.items()}, info["action_mask"][rows])
            actions[rows] = self.policy.act(seen).numpy()
        return actions


# Learning ----------------------------------------------------------------------


class Rollout(NamedTuple):
    """What was seen and done in `rollout` steps of n rows: tensors (steps, n, ...)."""

    seen: Seen
    action: Tensor
    logp: Tensor
    value: Tensor
    reward: Tensor
    done: Tensor
    valid: Tensor


def advantages(
    reward: Tensor, value: Tensor, done: Tensor, last: Tensor, *, gamma: float, lam: float
) -> Tensor:
    """Estimate by how much each action was better than expected (GAE).

    Args:
        reward: float (steps, n), what each step paid.
        value: float (steps, n), of what was seen before it.
        done: float (steps, n), 1 where it ended an episode.
        last: float (n,), the value after the last step.
        gamma: discount.
        lam: 0 trusts the values, 1 the rewards alone.
    """
    estimate, following, result = torch.zeros_like(last), last, torch.empty_like(reward)
    for t in reversed(range(len(reward))):
        goes_on = 1 - done[t]
        surprise = reward[t] + gamma * goes_on * following - value[t]
        estimate = surprise + gamma * lam * goes_on * estimate
        result[t], following = estimate, value[t]
    return result


class Trainer:
    """One run. The same configuration gives the same run, also when interrupted and resumed."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.line_ups = config.opponents or ([] if config.self_play else ["static"])
        self.stage = 0 if config.curriculum else max(len(self.line_ups) - 1, 0)
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        spec = pommego.catalog()[config.env]
        self.eyes = Eyes(spec, config.moves)
        self.policy = Policy(self.eyes)
        if config.init:
            self.policy.load_state_dict(load(config.init)[1]["policy"])
        self.pool = pommego.Pool(config.pool, rule=config.rule, seed=config.seed)
        self.pool.add(PastSelf(self.eyes, self.policy), "update 0")
        self.arenas = self._arenas(spec)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), config.learning_rate, eps=1e-5)
        self.wins: dict[str, deque[float]] = {}
        self.history: list[dict[str, Any]] = []
        self.update = self.steps = 0
        self.seconds = 0.0
        self.stopping = False

    def _arenas(self, spec: pommego.GameSpec) -> list[Arena]:
        config, arenas = self.config, []
        league = round(config.games * config.self_play) if self.line_ups else config.games
        for i in range(len(self.line_ups)):
            games = (config.games - league) * (i + 1) // len(self.line_ups)
            games -= (config.games - league) * i // len(self.line_ups)
            if games:
                line_up = self.line_ups[i % (self.stage + 1)]
                arenas.append(Arena(config, spec, line_up, games, (config.seed * 100 + i) * 1_000_000))
        if league:
            seed = (config.seed * 100 + 99) * 1_000_000
            arenas.append(Arena(config, spec, SELVES, league, seed, pool=self.pool))
        return arenas

    def collect(self) -> tuple[Rollout, Tensor]:
        """Play: the steps, and the values of what is seen after them."""
        steps = []
        seen = Seen.join([arena.seen for arena in self.arenas])
        sizes = [len(arena.seen.mask) for arena in self.arenas]
        for _ in range(self.config.rollout):
            with torch.no_grad():
                logp, value = self.policy(seen)
            action = torch.multinomial(logp.exp(), 1)
            outcome, after = self._step(action.squeeze(1).split(sizes))
            reward = outcome.reward + self._shaping(seen, after, outcome)
            chosen = logp.gather(1, action).squeeze(1)
            steps.append(
                (seen, action.squeeze(1), chosen, value, reward, outcome.done.float(), outcome.valid)
            )
            seen = after
        with torch.no_grad():
            _, last = self.policy(seen)
        columns = list(zip(*steps, strict=True))
        everything = Seen(*map(torch.stack, zip(*columns[0], strict=True)))
        self.steps += self.config.rollout * sum(sizes)
        return Rollout(everything, *map(torch.stack, columns[1:])), last

    def _step(self, actions: Sequence[Tensor]) -> tuple[Outcome, Seen]:
        """Step all arenas at once: send actions to all before waiting for the first."""
        for arena, action in zip(self.arenas, actions, strict=True):
            arena.send(action)
        outcomes = []
        for arena in self.arenas:
            outcome = arena.receive()
            recent = self.wins.setdefault(arena.line_up, deque(maxlen=WINDOW))
            recent.extend(outcome.won[outcome.done].float().tolist())
            outcomes.append(outcome)
        joined = Outcome(*map(torch.cat, zip(*outcomes, strict=True)))
        return joined, Seen.join([arena.seen for arena in self.arenas])

    def _shaping(self, before: Seen, after: Seen, outcome: Outcome) -> Tensor:
        """Reward the deaths of enemies and the wood it destroys, but not in an episode's last step.

        Without this reward the network only learns to lay no bombs.
        """
        enemies = self.eyes.enemies(before) - self.eyes.enemies(after)
        paid = self.config.outliving * enemies + self.config.digging * outcome.wood
        return torch.where(outcome.done, 0, paid)

    def learn(self, rollout: Rollout, last: Tensor) -> dict[str, float]:
        """Make an update's gradient steps and return their statistics.

        The policy does not learn from dead learners, who have no choice. The value does, since
        they still get their team's outcome.
        """
        c = self.config
        gain = advantages(
            rollout.reward, rollout.value, rollout.done, last, gamma=c.gamma, lam=c.gae
        ).flatten()
        aim = gain + rollout.value.flatten()
        seen = Seen(*(tensor.flatten(0, 1) for tensor in rollout.seen))
        action, old, valid = rollout.action.flatten(), rollout.logp.flatten(), rollout.valid.flatten()
        noted = []
        for _ in range(c.epochs):
            for drawn in torch.randperm(len(action)).split(c.minibatch):
                logp, value = self.policy(seen.rows(drawn))
                value_loss = functional.mse_loss(value, aim[drawn])
                logp, part = logp[valid[drawn]], drawn[valid[drawn]]
                log_ratio = logp.gather(1, action[part, None]).squeeze(1) - old[part]
                ratio = log_ratio.exp()
                better = (gain[part] - gain[part].mean()) / (gain[part].std() + 1e-8)
                clipped = ratio.clamp(1 - c.clip, 1 + c.clip)
                policy_loss = -torch.minimum(ratio * better, clipped * better).mean()
                entropy = -(logp.exp() * logp).sum(1).mean()
                self._descend(policy_loss + 0.5 * value_loss - c.entropy * entropy)
                kl = ((ratio - 1) - log_ratio).mean()
                noted.append(torch.stack([policy_loss, value_loss, entropy, kl]).detach())
        means = torch.stack(noted).mean(0).tolist()
        return dict(zip(("policy_loss", "value_loss", "entropy", "kl"), means, strict=True))

    def _descend(self, loss: Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.optimizer.step()

    def one_update(self) -> dict[str, Any]:
        """Play, learn, and log the results."""
        begin, waited = time.perf_counter(), self.waited()
        if self.config.self_play and self.update and self.update % self.config.pool_every == 0:
            self.pool.add(PastSelf(self.eyes, self.policy), f"update {self.update}")
        rollout, last = self.collect()
        noted = self.learn(rollout, last)
        self.update += 1
        spent = time.perf_counter() - begin
        self.seconds += spent
        row = {"update": self.update, "steps": self.steps, "minutes": self.seconds / 60}
        row |= {"steps_per_second": self.config.rollout * self.config.games / spent}
        row |= {"waiting": (self.waited() - waited) / spent} | noted
        row["reward"] = 100 * rollout.reward.mean().item()  # of a hundred steps, shaping included
        row["wins"] = {name: float(np.mean(recent)) for name, recent in self.wins.items() if recent}
        if self.config.self_play:
            row["rating"] = self.pool.rating  # its members were rated as the learner was then
        row["episodes"] = {name: len(recent) for name, recent in self.wins.items()}  # of the window
        if self.update % self.config.judge_every == 1 % self.config.judge_every:
            row["judged"] = {name: self._judged(name) for name in self.config.judges}
        self.history.append(row)
        self._advance()
        return row

    def _judged(self, line_up: str) -> float:
        return evaluate(self.policy, self.config, line_up, JUDGED)["share"]

    def waited(self) -> float:
        """Sum the seconds spent waiting for games."""
        return sum(arena.waited for arena in self.arenas)

    def _advance(self) -> None:
        """Move on in the curriculum once the hardest line-up so far is beaten often enough."""
        if not self.config.curriculum or self.stage >= len(self.line_ups) - 1:
            return
        recent = self.wins.get(self.line_ups[self.stage], ())
        if len(recent) < WINDOW or np.mean(recent) < self.config.curriculum:
            return
        self.stage += 1
        for i, arena in enumerate(arena for arena in self.arenas if arena.line_up != SELVES):
            # Most games use the newest line-up; every third keeps an earlier one.
            line_up = self.line_ups[self.stage - (i % 3 == 2)]
            if arena.line_up != line_up:
                arena.change(line_up)

    def save(self) -> None:
        """Write the checkpoint atomically."""
        path = Path(self.config.out) / "checkpoint.pt"
        path.parent.mkdir(parents=True, exist_ok=True)
        saved = {name: getattr(self, name) for name in ("update", "steps", "seconds", "stage")}
        saved |= {"config": asdict(self.config), "history": self.history}
        saved |= {"policy": self.policy.state_dict(), "optimizer": self.optimizer.state_dict()}
        saved |= {"pool": self.pool.state(), "dice": torch.get_rng_state()}
        saved |= {"past": [past.policy.state_dict() for past in self.pool.policies()]}
        saved |= {"wins": {name: list(recent) for name, recent in self.wins.items()}}
        saved |= {"arenas": [arena.save() for arena in self.arenas]}
        torch.save(saved, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue from the state that `save` returned."""
        for name in ("update", "steps", "seconds", "stage", "history"):
            setattr(self, name, saved[name])
        self.policy.load_state_dict(saved["policy"])
        self.optimizer.load_state_dict(saved["optimizer"])
        past = [PastSelf(self.eyes, self.policy) for _ in saved["past"]]
        for one, weights in zip(past, saved["past"], strict=True):
            one.policy.load_state_dict(weights)
        self.pool.restore(saved["pool"], past)
        self.wins = {name: deque(recent, maxlen=WINDOW) for name, recent in saved["wins"].items()}
        for arena, state in zip(self.arenas, saved["arenas"], strict=True):
            arena.restore(state)
        torch.set_rng_state(saved["dice"])

    def run(self) -> None:
        """Train until the limit of time or steps, or until it is told to stop."""
        if not self.update:
            self.save()  # so that the same command goes on from here at the latest
        c, log = self.config, Log(self.config, self.history)
        limit = f"{c.minutes:g} minutes" + (f" or {c.steps:,} steps" if c.steps else "")
        log.say(f"{c.out}: {self.seconds / 60:.1f} minutes and {self.steps:,} steps done, until {limit}")
        if done := bool(self.update) and self._over():
            log.say("nothing is left to do: --resume with a higher --minutes or --steps trains on")
        try:
            while not self.stopping and not self._over():
                log.write(self.one_update())
                if self.update % c.save_every == 0:
                    self.save()
            if not done:
                self.save()
        finally:
            log.close()

    def _over(self) -> bool:
        return self.seconds >= 60 * self.config.minutes or 0 < self.config.steps <= self.steps

    def stop(self, number: int, _frame: object) -> None:
        """Make `run` save and return after this update; a second signal stops at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        name = signal.Signals(number).name
        print(f"\n{name}: stopping after this update; the same command goes on", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Stop the games."""
        for arena in self.arenas:
            arena.envs.close()


class Log:
    """Reports progress in the terminal, in progress.jsonl and for TensorBoard."""

    def __init__(self, config: Config, history: list[dict[str, Any]]) -> None:
        out = Path(config.out)
        out.mkdir(parents=True, exist_ok=True)
        self._file = (out / "progress.jsonl").open("w")
        self._file.writelines(
            json.dumps(row) + "\n" for row in history
        )  # without updates after the checkpoint
        self._spoke, self._minute = 0.0, 0
        self._board = None
        try:
            from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415

            self._board = SummaryWriter(out, purge_step=history[-1]["steps"] + 1 if history else None)
        except ImportError:
            self.say("no TensorBoard logs: pip install tensorboard")

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=sys.stderr, flush=True)

    def write(self, row: dict[str, Any]) -> None:
        """Log an update: a terminal keeps a line a minute, elsewhere one is printed every ten seconds."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        if self._board:
            for name, value in row.items():
                if not isinstance(value, dict):
                    self._board.add_scalar(f"train/{name}", value, row["steps"])
            for name, value in row["wins"].items():
                self._board.add_scalar(f"wins/{name}", value, row["steps"])
        wins = ", ".join(f"{value:.0%} against {name}" for name, value in row["wins"].items())
        text = (
            f"{row['minutes']:6.1f} min {row['steps']:9,} steps {row['steps_per_second']:6,.0f}/s, "
            f"reward {row['reward']:+.2f}, wins {wins or '-'}, losses {row['policy_loss']:+.2g} "
            f"{row['value_loss']:.2g}, entropy {row['entropy']:.2f}"
        )
        if sys.stderr.isatty():
            kept, self._minute = int(row["minutes"]) > self._minute, int(row["minutes"])
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f"\r{text}\033[K", end="\n" if kept else "", file=sys.stderr, flush=True)
        elif time.monotonic() - self._spoke > 10:
            self._spoke = time.monotonic()
            self.say(text)

    def close(self) -> None:
        """Finish the files."""
        self._file.close()
        if self._board:
            self._board.close()
        if sys.stderr.isatty():
            self.say("")


# Evaluation --------------------------------------------------------------------


def wilson(wins: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share."""
    centre, width = (
        wins / of + z * z / (2 * of),
        z * math.sqrt(wins * (of - wins) / of**3 + z * z / (4 * of * of)),
    )
    return max((centre - width) / (1 + z * z / of), 0.0), min((centre + width) / (1 + z * z / of), 1.0)


def evaluate(
    policy: Policy, config: Config, line_up: str, episodes: int, *, greedy: bool = False
) -> dict[str, Any]:
    """Play one episode on each of `episodes` boards that were not used in training.

    Returns:
        episodes, wins, share of wins and its interval, and the mean length.
    """
    spec = pommego.catalog()[config.env]
    arena = Arena(config, spec, line_up, episodes, EVALUATION_SEED)
    going, wins, moves = torch.ones(episodes, dtype=torch.bool), 0, 0
    while going.any():
        actions = torch.zeros(episodes, dtype=torch.long)
        actions[going] = policy.act(arena.seen.rows(going), greedy=greedy)
        moves += int(going.sum())
        arena.send(actions)
        outcome = arena.receive()
        wins += int((going & outcome.done & outcome.won).sum())
        going &= ~outcome.done
    arena.envs.close()
    low, high = wilson(wins, episodes)
    share = {"share": wins / episodes, "low": low, "high": high}
    return {"opponents": line_up, "episodes": episodes, "wins": wins} | share | {"length": moves / episodes}


def load(folder: str) -> tuple[Config, dict[str, Any]]:
    """Read a run's checkpoint, from which only plain data is accepted."""
    saved = torch.load(Path(folder) / "checkpoint.pt", weights_only=True)
    return Config(**saved["config"]), saved


def chosen(given: dict[str, Any], *, resume: bool) -> tuple[Config, dict[str, Any] | None]:
    """Return the configuration of a run and, if it has begun, its checkpoint.

    The same options go on with a run, `resume` with the run's own and other limits.

    Args:
        given: the options given; the others have their defaults, or with `resume` the run's values.
        resume: whether the run must be there.

    Raises:
        SystemExit: the folder has another run, or none to resume.
    """
    out = Path(given.get("out", Config.out))
    if not (out / "checkpoint.pt").exists():
        if resume or (out / "progress.jsonl").exists():
            raise SystemExit(f"{out} has no run that ppo.py could go on with: choose another --out")
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


def plot(folders: Sequence[str], png: str) -> None:
    """Draw the win rates of runs over their steps."""
    try:
        import matplotlib as mpl  # noqa: PLC0415
    except ImportError:
        raise SystemExit("drawing needs matplotlib: pip install 'pommego[plot]'") from None

    mpl.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    runs = {Path(folder): _rows(Path(folder)) for folder in folders}
    rated = any("rating" in row for rows in runs.values() for row in rows)
    figure, panels = pyplot.subplots(
        1 + rated, figsize=(7, 4 + 2 * rated), layout="constrained", sharex=True, squeeze=False
    )
    axes, ratings = panels[0, 0], panels[-1, 0]
    for folder, rows in runs.items():
        for name, points in _curves(rows).items():
            label = f"{folder.name}: {name} ({rows[-1]['minutes']:.0f} min)"
            axes.plot(*zip(*points, strict=True), label=label, linewidth=1)
        if "rating" in rows[-1]:
            points = [(row["steps"] / 1e6, row["rating"]) for row in rows]
            ratings.plot(*zip(*points, strict=True), label=folder.name, linewidth=1)
    if rated:
        ratings.set(ylabel="rating among past selves")
    axes.set(ylabel=f"% won of the last {WINDOW} episodes", ylim=(-3, 103))
    ratings.set(xlabel="million steps")
    for each in {axes, ratings}:
        each.grid(alpha=0.3)
        each.legend(fontsize=8)
    figure.savefig(png, dpi=90)
    pyplot.close(figure)


def _rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines()]


def _curves(rows: Sequence[dict[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    """Return points of a run, million steps and percent won: in training, and in evaluations."""
    curves = {}
    for name in sorted({name for row in rows for name in row["wins"]}):
        known = [row for row in rows if name in row["wins"]]
        drawn = [row for row in known if row.get("episodes", {}).get(name, WINDOW) >= FEWEST] or known
        curves[f"against {name}"] = [(row["steps"] / 1e6, 100 * row["wins"][name]) for row in drawn]
    for row in rows:
        for name, share in row.get("judged", {}).items():
            curves.setdefault(f"evaluated against {name}", []).append((row["steps"] / 1e6, 100 * share))
    return curves


# Command line ------------------------------------------------------------------


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    form = {"formatter_class": argparse.ArgumentDefaultsHelpFormatter}
    training = commands.add_parser("train", help="train, or continue training")
    training.add_argument(
        "--resume",
        action="store_true",
        help="continue the run in --out with its own options and other limits",
    )
    for option in fields(Config):
        flag, words = "--" + option.name.replace("_", "-"), option.metadata["help"]
        # What is not given is left out, so that `chosen` can compare the rest with a run.
        if option.name in {"opponents", "judges"}:
            training.add_argument(flag, action="append", default=argparse.SUPPRESS, help=words)
        else:
            kind = {"type": type(option.default), "choices": option.metadata.get("choices")}
            words += f" (default: {option.default})"
            training.add_argument(flag, default=argparse.SUPPRESS, help=words, **kind)
    judging = commands.add_parser(
        "evaluate", help="play new boards; print wins with a 95 %% interval", **form
    )
    judging.add_argument("run")
    judging.add_argument("--opponents", action="append", help="a line-up; repeat it for several")
    judging.add_argument("--episodes", type=int, default=1000, help="number of boards, with one episode each")
    judging.add_argument("--greedy", action="store_true", help="always choose the most likely action")
    drawing = commands.add_parser("plot", help="draw learning curves", **form)
    drawing.add_argument("runs", nargs="+")
    drawing.add_argument("--png", default="curve.png", help="where to")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    given = vars(_arguments().parse_args(arguments))
    command = given.pop("command")
    if command == "plot":
        plot(given["runs"], given["png"])
        return
    if command == "evaluate":
        config, saved = load(given["run"])
        policy = Policy(Eyes(pommego.catalog()[config.env], config.moves))
        policy.load_state_dict(saved["policy"])
        torch.manual_seed(0)
        for line_up in given["opponents"] or config.opponents:
            print(
                json.dumps(evaluate(policy, config, line_up, given["episodes"], greedy=given["greedy"])),
                flush=True,
            )
        return
    config, saved = chosen(given, resume=given.pop("resume"))
    trainer = Trainer(config)
    if saved:
        trainer.restore(saved)
    before = {number: signal.signal(number, trainer.stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        trainer.run()
    finally:
        trainer.close()
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    main()
