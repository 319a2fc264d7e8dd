"""Learn a team game by MAPPO, in one file: `python mappo.py --out runs/team`.

Two agents with the same policy play against a team of built-in agents
(`--opponent`). Each of them acts on its own observation, in fog, centred on itself; the
critic, which only training needs, sees the global state of the game
(`make_vec(state=True)`) and gives one value for the team. Steps of dead agents are not
learned from (`info["valid"]`).

    python mappo.py --out runs/team --opponent static --minutes 60
    python mappo.py --out runs/team --evaluate 200        # the saved policy, as both teams
    python mappo.py --out runs/test --opponent static --steps 20000 --games 16

A run's folder holds `progress.jsonl` (a line per update) and `policy.pt`. Needs torch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor, nn
from torch.nn import functional

import pommego
from pommego.pommerman.safety import Safety

SCALE = {"bomb_blast": 0.1, "bomb_life": 0.1, "flame": 1 / 3}  # of planes that count
WINDOW = 200  # episodes in the win rate of a line of progress
FEWEST = 50  # of these, for a win rate
FEATURES = 192  # of a position, in the networks


@dataclass
class Config:
    """A run's parameters; each is an option of the command."""

    out: str = "runs/mappo"
    env: str = "PommeTeamCompetition-v0"
    opponent: str = "simple"
    moves: str = "safe"  # or "legal"
    seed: int = 0
    games: int = 128
    rollout: int = 64  # steps of each game per update
    minibatch: int = 16  # steps of all games per gradient step
    epochs: int = 2
    learning_rate: float = 5e-4
    gamma: float = 0.995
    gae: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    outliving: float = 0.25  # reward of the team for each enemy that dies
    digging: float = 0.002  # reward of the team for each piece of wood that goes
    minutes: float = 60.0
    steps: int = 0  # of games; 0: only by time
    threads: int = 1


# Networks ----------------------------------------------------------------------


class Look(nn.Module):
    """Convolutions over square planes, and scalars: from a position to its features."""

    def __init__(self, encoding: pommego.spec.Encoding, size: int, stride: int) -> None:
        super().__init__()
        names = encoding["planes"].names
        scale = torch.tensor([SCALE.get(plane.name, 1.0) for plane in names])
        self.register_buffer("scale", scale[:, None, None], persistent=False)
        layers: list[nn.Module] = []
        for before, after, step in ((len(names), 32, stride), (32, 48, 1), (48, 48, 1)):
            layers += [nn.Conv2d(before, after, 3, step, padding=step // 2), nn.ReLU()]
            size = (size + 1) // 2 if step > 1 else size - 2
        self.board = nn.Sequential(*layers, nn.Flatten())
        known = 48 * size**2 + encoding["scalars"].shape[0]
        self.body = nn.Sequential(nn.Linear(known, FEATURES), nn.ReLU())

    def forward(self, planes: Tensor, scalars: Tensor) -> Tensor:
        """Return features, float (n, features), of uint8 planes and float32 scalars."""
        return self.body(torch.cat([self.board(planes * self.scale), scalars], 1))


class Actor(nn.Module):
    """The policy of one agent, by what it observes itself."""

    def __init__(self, encoding: pommego.spec.Encoding, eyes: Eyes, actions: int) -> None:
        super().__init__()
        self.look, self.head = Look(encoding, 2 * eyes.reach + 1, 1), nn.Linear(FEATURES, actions)
        nn.init.orthogonal_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, seen: Seen) -> Tensor:
        """Return log probabilities, (n, actions)."""
        logits = self.head(self.look(seen.planes, seen.scalars)).masked_fill(~seen.mask, -1e9)
        return logits.log_softmax(1)


class Critic(nn.Module):
    """The value of a position for the team of the first seat, by the global state."""

    def __init__(self, encoding: pommego.spec.Encoding) -> None:
        super().__init__()
        self.look, self.head = Look(encoding, encoding["planes"].shape[-1], 2), nn.Linear(FEATURES, 1)

    def forward(self, planes: Tensor, scalars: Tensor) -> Tensor:
        """Return values, (n,)."""
        return self.head(self.look(planes, scalars)).squeeze(1)


class Seen(NamedTuple):
    """What n agents observe: uint8 planes around them, float32 scalars, bool mask of moves to choose from."""

    planes: Tensor
    scalars: Tensor
    mask: Tensor


class Eyes:
    """Turns observations into `Seen`.

    The planes are centred on the agent, as far as it sees, with rigid walls beyond the board. With
    safe moves it only chooses from moves that it can survive.
    """

    def __init__(self, spec: pommego.GameSpec, moves: str) -> None:
        self.safety = Safety(spec) if moves == "safe" else None
        self.board = spec.rules["board_size"]
        self.reach = spec.rules["agent_view_size"] or self.board - 1
        encoding = spec.encoding("planes")
        self.rigid = [plane.name for plane in encoding["planes"].names].index("rigid")
        scalars = [scalar.name for scalar in encoding["scalars"].names]
        self.place = [scalars.index("row"), scalars.index("col")]

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> Seen:
        """Read a batch."""
        planes, scalars, mask, reach = obs["planes"], obs["scalars"], info["action_mask"], self.reach
        if self.safety:
            mask = self.safety.moves(planes, scalars, mask)
        size = self.board + 2 * reach
        padded = np.zeros((*planes.shape[:2], size, size), np.uint8)
        padded[:, self.rigid] = 1
        padded[:, :, reach:-reach, reach:-reach] = planes
        row, col = np.rint(scalars[:, self.place] * (self.board - 1)).astype(np.intp).T
        windows = sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1), axis=(2, 3))
        near = windows[np.arange(len(planes)), :, row, col]
        return Seen(*map(torch.from_numpy, (near, scalars, mask > 0)))


# Learning ----------------------------------------------------------------------


class Rollout(NamedTuple):
    """Steps of games: of agents (steps, games * learners, ...), of games (steps, games, ...)."""

    planes: Tensor
    scalars: Tensor
    mask: Tensor
    action: Tensor
    logp: Tensor
    valid: Tensor
    state_planes: Tensor
    state_scalars: Tensor
    value: Tensor
    reward: Tensor
    done: Tensor


def advantages(rollout: Rollout, last: Tensor, gamma: float, lam: float) -> Tensor:
    """Estimate by how much each step of the team was better than expected (GAE), (steps, games)."""
    estimate, following, result = torch.zeros_like(last), last, torch.empty_like(rollout.reward)
    for t in reversed(range(len(result))):
        goes_on = 1 - rollout.done[t]
        surprise = rollout.reward[t] + gamma * goes_on * following - rollout.value[t]
        estimate = surprise + gamma * lam * goes_on * estimate
        result[t], following = estimate, rollout.value[t]
    return result


class Trainer:
    """One run."""

    def __init__(self, config: Config) -> None:
        self.config = config
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        self.envs = pommego.make_vec(
            config.env,
            config.games,
            seats=["learner", config.opponent] * 2,
            state=True,
            expand_shared=False,  # the global state once per game
            autoreset_mode="SameStep",
        )
        spec, self.learners = self.envs.game_spec, self.envs.learners
        self.eyes = Eyes(spec, config.moves)
        self.actor = Actor(self.envs.encoding, self.eyes, spec.actions[0].n)
        self.critic = Critic(self.envs.state_encoding)
        weights = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(weights, config.learning_rate, eps=1e-5)
        names = [name.name for name in self.envs.state_encoding["scalars"].names]
        self.enemies = [names.index(f"agent{seat}_alive") for seat in spec.teams[1]]
        self.wood = [plane.name for plane in self.envs.state_encoding["planes"].names].index("wood")
        self.wins: deque[float] = deque(maxlen=WINDOW)
        self.updates = self.steps = 0
        obs, info = self.envs.reset(seed=config.seed * 1_000_000)
        self.seen, self.state = self.eyes(obs, info), self._state(info)

    def _state(self, info: dict[str, Any]) -> tuple[Tensor, Tensor]:
        state = info["state"]
        return torch.from_numpy(state["planes"]), torch.from_numpy(state["scalars"])

    def collect(self) -> tuple[Rollout, Tensor]:
        """Play; return the steps, and the values after them."""
        steps = []
        for _ in range(self.config.rollout):
            with torch.no_grad():
                logp, value = self.actor(self.seen), self.critic(*self.state)
            action = torch.multinomial(logp.exp(), 1)
            obs, reward, terminated, _, info = self.envs.step(action.squeeze(1).numpy())
            seen, state = self.seen, self.state
            self.seen, self.state = self.eyes(obs, info), self._state(info)
            done = torch.from_numpy(terminated[:: self.learners].copy())
            paid = torch.from_numpy(reward[:: self.learners].astype(np.float32))  # the same for both
            self.wins.extend((paid[done] > 0).float().tolist())
            paid = paid + self._shaping(state, self.state, done)
            chosen, valid = logp.gather(1, action).squeeze(1), torch.from_numpy(info["valid"])
            steps.append((*seen, action.squeeze(1), chosen, valid, *state, value, paid, done.float()))
        with torch.no_grad():
            last = self.critic(*self.state)
        self.steps += self.config.rollout * self.config.games
        return Rollout(*map(torch.stack, zip(*steps, strict=True))), last

    def _shaping(self, before: tuple[Tensor, ...], after: tuple[Tensor, ...], done: Tensor) -> Tensor:
        """Reward the team for enemies and wood that went, except in the last step."""
        enemies = (before[1] - after[1])[:, self.enemies].sum(1)
        wood = sum(sign * part[0][:, self.wood].sum((1, 2)) for sign, part in ((1.0, before), (-1.0, after)))
        return torch.where(done, 0.0, self.config.outliving * enemies + self.config.digging * wood)

    def learn(self, rollout: Rollout, last: Tensor) -> dict[str, float]:
        """Make an update's gradient steps and return their statistics."""
        c = self.config
        gain = advantages(rollout, last, c.gamma, c.gae)
        aim = gain + rollout.value
        gain = gain.repeat_interleave(self.learners, 1)  # the team's, for each of its agents
        gain = (gain - gain[rollout.valid].mean()) / (gain[rollout.valid].std() + 1e-8)
        noted = []
        for _ in range(c.epochs):
            for part in torch.randperm(len(gain)).split(c.minibatch):
                policy_loss, entropy = self._policy_loss(rollout, gain, part)
                value = self.critic(
                    rollout.state_planes[part].flatten(0, 1), rollout.state_scalars[part].flatten(0, 1)
                )
                value_loss = functional.mse_loss(value, aim[part].flatten())
                self.optimizer.zero_grad()
                (policy_loss + 0.5 * value_loss - c.entropy * entropy).backward()
                nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
                nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
                self.optimizer.step()
                noted.append(torch.stack([policy_loss, value_loss, entropy]).detach())
        return dict(
            zip(("policy_loss", "value_loss", "entropy"), torch.stack(noted).mean(0).tolist(), strict=True)
        )

    def _policy_loss(self, rollout: Rollout, gain: Tensor, part: Tensor) -> tuple[Tensor, Tensor]:
        """PPO's loss and the entropy, of the valid rows alone."""
        valid = rollout.valid[part]
        logp = self.actor(
            Seen(rollout.planes[part][valid], rollout.scalars[part][valid], rollout.mask[part][valid])
        )
        ratio = (
            logp.gather(1, rollout.action[part][valid][:, None]).squeeze(1) - rollout.logp[part][valid]
        ).exp()
        better = gain[part][valid]
        clipped = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        return -torch.minimum(ratio * better, clipped * better).mean(), -(logp.exp() * logp).sum(1).mean()

    def run(self) -> None:
        """Train until time or steps are up; write progress and policy into the folder."""
        out, begin = Path(self.config.out), time.perf_counter()
        out.mkdir(parents=True, exist_ok=True)
        with (out / "progress.jsonl").open("w") as progress:
            while not self.updates or not self._enough(begin):
                noted = self.learn(*self.collect())
                self.updates += 1
                row = {
                    "update": self.updates,
                    "steps": self.steps,
                    "minutes": (time.perf_counter() - begin) / 60,
                }
                row |= noted
                if len(self.wins) >= FEWEST:
                    row["won"] = float(np.mean(self.wins))
                progress.write(json.dumps(row) + "\n")
                progress.flush()
                print("  ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)
        torch.save({"config": asdict(self.config), "actor": self.actor.state_dict()}, out / "policy.pt")

    def _enough(self, begin: float) -> bool:
        minutes = (time.perf_counter() - begin) / 60
        return minutes >= self.config.minutes or 0 < self.config.steps <= self.steps


def evaluate(out: str, games: int, opponent: str | None = None) -> pommego.Evaluation:
    """Play the saved policy of a run as both teams, each agent by what it observes itself."""
    saved = torch.load(Path(out) / "policy.pt", weights_only=True)
    config = Config(**saved["config"])
    spec = pommego.catalog()[config.env]
    eyes = Eyes(spec, config.moves)
    actor = Actor(spec.encoding("planes"), eyes, spec.actions[0].n)
    actor.load_state_dict(saved["actor"])

    @torch.no_grad()
    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        return torch.multinomial(actor(eyes(obs, info)).exp(), 1).squeeze(1).numpy()

    return pommego.evaluate(policy, config.env, opponent or config.opponent, games, team=True)


def main() -> None:
    """Read the command line, and train or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for entry in fields(Config):
        kind = type(entry.default)
        parser.add_argument(f"--{entry.name.replace('_', '-')}", type=kind, default=entry.default)
    parser.add_argument(
        "--evaluate", type=int, metavar="GAMES", help="play the saved policy of --out instead"
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
