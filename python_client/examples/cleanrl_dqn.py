"""Double DQN with action masks, in one file in the style of CleanRL.

    python cleanrl_dqn.py --total-timesteps 200000
    tensorboard --logdir runs

One learner in each of many games, against agents on the server. Differences from a
file for gymnasium's own environments:

* Games restart in the step that ends them (SAME_STEP), so a row's true next
  observation is ``info["final_obs"][row]`` where its episode ended. If a limit
  truncated the episode, the target bootstraps from the value of that observation;
  if the rules ended it, it does not.
* Illegal actions are masked twice: when an action is chosen, and in the maximum over
  the values of the next step.
* Statistics of episodes are in ``info["game"]``, arrays with a mask.

Each run logs into a folder of its own, named by its time, and saves no network. Needs torch;
tensorboard for the curves.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import nn

import pommego


@dataclass
class Args:
    """The options of the command line."""

    env_id: str = "OneVsOne-v0"
    opponent: str = "static"  # the agent in all other seats
    num_envs: int = 64
    max_episode_steps: int = 60
    seed: int = 1
    total_timesteps: int = 500_000
    learning_rate: float = 5e-4
    buffer_size: int = 50_000
    gamma: float = 0.98
    batch_size: int = 256
    learning_starts: int = 2_000
    updates_per_step: int = 1  # of the network, for each step of all games
    target_every: int = 50  # updates between two copies to the target network
    start_e: float = 1.0
    end_e: float = 0.05
    exploration_fraction: float = 0.4
    log_dir: str = "runs"  # empty: no curves


class QNetwork(nn.Module):
    """Values of actions, from planes and scalars."""

    def __init__(self, envs: pommego.PommegoVectorEnv) -> None:
        super().__init__()
        planes = envs.single_observation_space["planes"].shape
        scalars = envs.single_observation_space["scalars"].shape
        self.board = nn.Sequential(
            nn.Conv2d(planes[0], 32, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.head = nn.Sequential(
            nn.Linear(32 * planes[1] * planes[2] + scalars[0], 128),
            nn.ReLU(),
            nn.Linear(128, int(envs.single_action_space.n)),
        )

    def forward(self, obs: dict[str, np.ndarray]) -> torch.Tensor:
        """Return float32 (rows, actions)."""
        planes = torch.from_numpy(obs["planes"]).float() / 4  # most are 0 or 1, bomb lives are larger
        return self.head(torch.cat([self.board(planes), torch.from_numpy(obs["scalars"])], dim=1))


class ReplayBuffer:
    """A ring buffer of the last transitions, with an array for each field."""

    def __init__(self, size: int) -> None:
        self.size, self.at, self.full = size, 0, False
        self.fields: dict[str, np.ndarray] = {}

    def add(self, **rows: np.ndarray) -> None:
        """Append rows; if the buffer is full, they replace the oldest."""
        count = len(rows["action"])
        where = (self.at + np.arange(count)) % self.size
        for name, values in rows.items():
            if name not in self.fields:
                self.fields[name] = np.zeros((self.size, *values.shape[1:]), values.dtype)
            self.fields[name][where] = values
        self.full |= self.at + count >= self.size
        self.at = (self.at + count) % self.size

    def sample(self, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Draw rows."""
        where = rng.integers(self.size if self.full else self.at, size=count)
        return {name: array[where] for name, array in self.fields.items()}


def split(batch: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Select the fields of the observation from a batch."""
    return {name.removeprefix(prefix): array for name, array in batch.items() if name.startswith(prefix)}


def true_next(
    obs: dict[str, np.ndarray], info: dict[str, Any], done: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the next observation of each action, with its mask: for ended episodes the final one."""
    obs = {name: array.copy() for name, array in obs.items()}
    mask = info["action_mask"].copy()
    for row in np.flatnonzero(done):
        for name, array in info["final_obs"][row].items():
            obs[name][row] = array
        mask[row] = info["final_info"]["action_mask"][row]
    return obs, mask


def update(
    q: QNetwork,
    target: QNetwork,
    optimizer: torch.optim.Optimizer,
    batch: dict[str, np.ndarray],
    gamma: float,
) -> float:
    """Make one step of double DQN and return its loss."""
    with torch.no_grad():
        illegal = torch.from_numpy(batch["next_mask"] == 0)
        best = q(split(batch, "next_obs.")).masked_fill(illegal, -torch.inf).argmax(dim=1, keepdim=True)
        after = target(split(batch, "next_obs.")).gather(1, best).squeeze(1)
        wanted = torch.from_numpy(batch["reward"]) + gamma * after * torch.from_numpy(~batch["terminated"])
    value = q(split(batch, "obs.")).gather(1, torch.from_numpy(batch["action"])[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10)
    optimizer.step()
    return loss.item()


def epsilon(args: Args, step: int) -> float:
    """Return the probability of a random action."""
    share = min(step / (args.exploration_fraction * args.total_timesteps), 1)
    return args.start_e + share * (args.end_e - args.start_e)


def train(args: Args) -> list[float]:
    """Train a network and return the returns of all episodes in order."""
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    seats = pommego.catalog()[args.env_id].seats
    envs = pommego.make_vec(
        args.env_id,
        args.num_envs,
        opponents=[args.opponent] * (seats - 1),
        autoreset_mode="SameStep",
        max_episode_steps=args.max_episode_steps,
    )
    q, target = QNetwork(envs), QNetwork(envs)
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), lr=args.learning_rate)
    buffer = ReplayBuffer(args.buffer_size)
    writer = summary_writer(args)
    returns: list[float] = []
    recent: deque[float] = deque(maxlen=200)
    obs, info = envs.reset(seed=args.seed)
    updates, loss, begin = 0, 0.0, time.time()
    for step in range(0, args.total_timesteps, args.num_envs):
        mask = info["action_mask"]
        with torch.no_grad():
            greedy = q(obs).masked_fill(torch.from_numpy(mask == 0), -torch.inf).argmax(dim=1).numpy()
        explore = rng.random(args.num_envs) < epsilon(args, step)
        action = np.where(explore, envs.sample_actions(mask), greedy).astype(np.int64)
        before = obs
        obs, reward, terminated, truncated, info = envs.step(action)
        next_obs, next_mask = true_next(obs, info, terminated | truncated)
        buffer.add(
            action=action,
            reward=reward.astype(np.float32),
            terminated=terminated,
            next_mask=next_mask,
            **{f"obs.{name}": array for name, array in before.items()},
            **{f"next_obs.{name}": array for name, array in next_obs.items()},
        )
        if "game" in info:
            ended = info["game"]["return"][info["_game"]].tolist()
            returns += ended
            recent.extend(ended)
        if step >= args.learning_starts:
            for _ in range(args.updates_per_step):
                loss = update(q, target, optimizer, buffer.sample(args.batch_size, rng), args.gamma)
                updates += 1
                if updates % args.target_every == 0:
                    target.load_state_dict(q.state_dict())
        if step % (100 * args.num_envs) == 0 and recent:
            speed = int((step + args.num_envs) / (time.time() - begin))
            print(f"{step:9,} steps  return {np.mean(recent):6.3f}  loss {loss:.4f}  {speed:,} steps/s")
            if writer:
                writer.add_scalar("charts/episodic_return", np.mean(recent), step)
                writer.add_scalar("charts/SPS", speed, step)
                writer.add_scalar("losses/td_loss", loss, step)
    envs.close()
    if writer:
        writer.close()
    return returns


def summary_writer(args: Args) -> Any:
    """Begin a TensorBoard log, if wanted."""
    if not args.log_dir:
        return None
    from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415, slow, and not always installed

    return SummaryWriter(f"{args.log_dir}/{args.env_id}__cleanrl_dqn__{args.seed}__{int(time.time())}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for entry in fields(Args):
        kind = type(entry.default)
        parser.add_argument(f"--{entry.name.replace('_', '-')}", type=kind, default=entry.default)
    train(Args(**vars(parser.parse_args())))
