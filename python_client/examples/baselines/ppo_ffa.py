"""Train `ppo-ffa`, a free-for-all agent: imitation of `champion`, then PPO against three `simple`.

    python ppo_ffa.py                     # runs/ppo-ffa-0: about 90 minutes on two cores
    python ppo_ffa.py --seed 1            # another seed, another folder
    python ppo_ffa.py --minutes 30        # less PPO
    python ppo_ffa.py --demonstrations 40 --epochs 1 --minutes 0.1 --games 16 --judge 20   # a test

The same command goes on with a run that was stopped, from its last checkpoint (a minute at most is
lost); another limit of `--minutes` trains on. In the run's folder:

    policy.net        the policy: pommego.load(FILE), or the program's agent net:weights=FILE
    checkpoint.pt     what the same command goes on from
    progress.jsonl    a line an update: steps, minutes, steps a second, share won, losses, entropy
    result.json       the games on boards never trained on, against three `simple`

Needs torch, and pyarrow (`pip install 'pommego[data]'`). Everything is in this file, so that you
can read and change it as a whole. What it reached is in docs/baselines.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import pommego
from pommego import data
from pommego.networks import UNIT, Layer, Network, Seen, Window, load
from pommego.server import find_binary

ID, OPPONENTS = "PommeFFACompetition-v0", ["simple"] * 3
TEACHER = "champion:level=3"
DEMONSTRATED = 700_000_000  # seed of the teacher's games; training's are below, evaluation's above
SEES = {
    "planes": [
        *("rigid", "wood", "bomb_blast", "bomb_life", "bomb_up", "bomb_down", "bomb_left", "bomb_right"),
        *("flame", "extra_bomb", "incr_range", "kick", "enemies", "danger"),
    ],
    "scalars": ["ammo", "blast_strength", "can_kick", "step", "enemy0_alive", "enemy1_alive", "enemy2_alive"],
    "blocks": ["enemies", "wood"],
}
NUMBERS = len(SEES["scalars"]) + 9 * len(SEES["blocks"])
MOST = 127 / UNIT  # of what a unit gives

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--out", type=Path, help="the run's folder (default: runs/ppo-ffa-SEED)")
parser.add_argument("--seed", type=int, default=0, help="seed of boards, seats and network")
parser.add_argument("--demonstrations", type=int, default=3000, help="games of the teacher")
parser.add_argument("--epochs", type=int, default=4, help="passes over the teacher's moves")
parser.add_argument("--minutes", type=float, default=70, help="of PPO")
parser.add_argument("--games", type=int, default=256, help="games stepped together")
parser.add_argument("--rollout", type=int, default=64, help="steps of each game in an update")
parser.add_argument("--minibatch", type=int, default=2048, help="samples in a gradient step")
parser.add_argument("--passes", type=int, default=2, help="passes over an update's samples")
parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of PPO; it falls to a tenth")
parser.add_argument("--gamma", type=float, default=0.998, help="discount")
parser.add_argument("--gae", type=float, default=0.95, help="lambda of the advantage estimate")
parser.add_argument("--clip", type=float, default=0.2, help="how far the policy may move in an update")
parser.add_argument("--entropy", type=float, default=0.003, help="weight of the entropy")
parser.add_argument("--outliving", type=float, default=0.2, help="reward for each enemy that dies first")
parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch")
parser.add_argument("--judge", type=int, default=400, help="games of the evaluation at the end")


class Policy(nn.Module):
    """Three layers that see the board around the agent, and numbers that stand on its own cell."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(len(SEES["planes"]), 32, 3)  # 11 x 11 cells to 9 x 9
        self.own = nn.Parameter(torch.randn(32, NUMBERS, 3, 3) * 0.1)  # more inputs of it, there alone
        self.second = nn.Conv2d(32, 64, 3, stride=2)  # to 4 x 4
        self.body = nn.Linear(64 * 16, 192)
        self.actor, self.critic = nn.Linear(192, 6), nn.Linear(192, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, near: Tensor, numbers: Tensor, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Return log probabilities (n, 6) and values (n,) of what `Seen` holds."""
        with torch.autocast("cpu", torch.bfloat16):
            near = near.to(torch.bfloat16, memory_format=torch.channels_last) / UNIT
            x = self.first(near)
            own = self.own.flip(2, 3).permute(0, 2, 3, 1).reshape(-1, NUMBERS)
            own = functional.linear(numbers.to(torch.bfloat16) / UNIT, own)
            x[:, :, 3:6, 3:6] += own.view(-1, 32, 3, 3)
            x = functional.hardtanh(self.second(functional.hardtanh(x, 0, MOST)), 0, MOST)
            x = functional.hardtanh(self.body(x.flatten(1)), 0, MOST)
            logits, value = self.actor(x).float(), self.critic(x).float()
        return logits.masked_fill(~moves, -1e9).log_softmax(1), value.squeeze(1)

    def export(self) -> Network:
        """Round it to whole numbers."""

        def rounded(weight: Tensor, bias: Tensor, **more: object) -> Layer:
            return Layer.rounded(weight.detach().permute(2, 3, 1, 0), bias.detach(), **more)

        return Network(
            [
                rounded(torch.cat([self.first.weight, self.own], 1), self.first.bias),
                rounded(self.second.weight, self.second.bias, stride=2),
                rounded(self.body.weight.view(-1, 64, 4, 4), self.body.bias),
                rounded(self.actor.weight[..., None, None], self.actor.bias, last=True),
            ],
            {"env": ID, **SEES, "temperature": 0.5},
        )


# Imitation ---------------------------------------------------------------------


def demonstrations(folder: Path, games: int, window: Window, gamma: float) -> tuple[Tensor, ...]:
    """Let the teacher play, and return near, numbers, moves, its moves, and what they led to."""
    command = [find_binary(), "generate", "--out", folder, "--env", ID, "--games", games]
    command += ["--agents", ",".join([TEACHER, TEACHER, "simple", "simple", "simple"])]
    command += ["--seed", DEMONSTRATED]
    subprocess.run([str(part) for part in command], check=True)
    found = []
    for game in data.rebuild(folder):
        for seat in np.flatnonzero([agent == TEACHER for agent in game.agents]):
            if game.result[seat] == "tied":
                continue  # two of them that wait
            alive = np.flatnonzero(game.alive[:-1, seat])
            obs = {name: array[alive, seat] for name, array in game.observations.items()}
            seen, action = window(obs, game.legal[alive, seat]), game.actions[alive, seat].astype(np.int64)
            paid = game.outcome[seat] * gamma ** (alive[-1] - alive)
            kept = seen.moves[np.arange(len(alive)), action]  # it also kicks and dares
            found.append([part[kept] for part in (*seen, action, paid.astype(np.float32))])
    return tuple(torch.from_numpy(np.concatenate(parts)) for parts in zip(*found, strict=True))


def mirrored(near: Tensor, numbers: Tensor, moves: Tensor, action: Tensor, way: int) -> tuple[Tensor, ...]:
    """Mirror boards in one of eight ways."""
    up = SEES["planes"].index("bomb_up")
    scalars, blocks = numbers.split([len(SEES["scalars"]), 9 * len(SEES["blocks"])], 1)
    blocks, to = blocks.view(len(blocks), -1, 3, 3), [0, 1, 2, 3]  # where up, down, left, right go
    for bit, turn, then in (
        (1, lambda x: x.flip(2), [1, 0, 2, 3]),
        (2, lambda x: x.flip(3), [0, 1, 3, 2]),
        (4, lambda x: x.transpose(2, 3), [2, 3, 0, 1]),
    ):
        if way & bit:
            near, blocks, to = turn(near), turn(blocks), [then[d] for d in to]
    back = [to.index(d) for d in range(4)]
    near = near[:, [*range(up), *(up + d for d in back), *range(up + 4, near.shape[1])]]
    moves = moves[:, [0, *(1 + d for d in back), 5]]
    action = torch.tensor([0, *(1 + d for d in to), 5])[action]
    return near, torch.cat([scalars, blocks.flatten(1)], 1), moves, action


def imitate(policy: Policy, optimizer: torch.optim.Optimizer, shown: tuple[Tensor, ...], epochs: int) -> None:
    """Learn the teacher's moves, and what they led to."""
    near, numbers, moves, action, paid = shown
    size, step = 1024, 0
    total = epochs * -(-len(action) // size)
    for _ in range(epochs):
        right = loss = 0.0
        for rows in torch.randperm(len(action)).split(size):
            x, k, may, act = mirrored(near[rows], numbers[rows], moves[rows], action[rows], step % 8)
            logp, value = policy(x, k, may)
            lost = functional.nll_loss(logp, act) + 0.5 * functional.mse_loss(value, paid[rows])
            optimizer.param_groups[0]["lr"] = 2e-3 * (1.02 - step / total)
            descend(policy, optimizer, lost)
            step += 1
            right += (logp.argmax(1) == act).sum().item()
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


def tensors(seen: Seen) -> list[Tensor]:
    """Wrap what was seen."""
    return [torch.from_numpy(part) for part in seen]


class Games:
    """Games against three `simple`, stepped together."""

    def __init__(self, games: int, seed: int) -> None:
        self.envs = pommego.make_vec(ID, games, opponents=OPPONENTS, autoreset_mode="SameStep", copy=False)
        self.window = Window(self.envs.game_spec, **SEES)
        self.enemies = [i for i, name in enumerate(SEES["scalars"]) if name.startswith("enemy")]
        obs, info = self.envs.reset(seed=seed)
        self.seen, self.won = tensors(self.window(obs, info["action_mask"])), []

    def step(self, actions: Tensor, outliving: float) -> tuple[Tensor, Tensor]:
        """Step; returns rewards, with those for outliving others, and which games are over."""
        before = self.alive()
        obs, reward, over, _, info = self.envs.step(actions.numpy())
        over, reward = torch.from_numpy(over.copy()), torch.from_numpy(reward.astype(np.float32))
        self.won += (reward[over] > 0).tolist()
        self.seen = tensors(self.window(obs, info["action_mask"]))
        return torch.where(over, reward, reward + outliving * (before - self.alive())), over

    def alive(self) -> Tensor:
        """Count the enemies alive."""
        return (self.seen[1][:, self.enemies] > 0).sum(1)


@torch.no_grad()
def collect(policy: Policy, games: Games, steps: int, outliving: float) -> tuple[list[Tensor], Tensor]:
    """Play: near, numbers, moves, action, logp, value, reward, over (steps, n, ...); the last values."""
    kept = []
    for _ in range(steps):
        seen = games.seen
        logp, value = policy(*seen)
        action = torch.multinomial(logp.exp(), 1)
        reward, over = games.step(action.squeeze(1), outliving)
        kept.append([*seen, action.squeeze(1), logp.gather(1, action).squeeze(1), value, reward, over])
    return [torch.stack(part) for part in zip(*kept, strict=True)], policy(*games.seen)[1]


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
    *_, value, reward, over = played
    gain = advantages(reward, value, over, last, gamma=o.gamma, lam=o.gae)
    near, numbers, moves, action, old, value = (part.flatten(0, 1) for part in played[:6])
    gain = gain.flatten()
    aim, noted = gain + value, []
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    for _ in range(o.passes):
        for rows in torch.randperm(len(action)).split(o.minibatch):
            logp, guess = policy(near[rows], numbers[rows], moves[rows])
            log_ratio = logp.gather(1, action[rows, None]).squeeze(1) - old[rows]
            ratio = log_ratio.exp()
            better = torch.minimum(ratio * gain[rows], ratio.clamp(1 - o.clip, 1 + o.clip) * gain[rows])
            value_loss = functional.mse_loss(guess, aim[rows])
            entropy = -(logp.exp() * logp).sum(1).mean()
            descend(policy, optimizer, 0.5 * value_loss - better.mean() - o.entropy * entropy)
            noted.append(torch.stack([value_loss, entropy, (ratio - 1 - log_ratio).mean()]).detach())
    return dict(zip(("value_loss", "entropy", "kl"), torch.stack(noted).mean(0).tolist(), strict=True))


# A run -------------------------------------------------------------------------


def save(out: Path, policy: Policy, optimizer: torch.optim.Optimizer, done: dict[str, float]) -> None:
    """Write the checkpoint, whole or not at all, and the policy."""
    saved = {"policy": policy.state_dict(), "optimizer": optimizer.state_dict(), "done": done}
    torch.save(saved, out / "checkpoint.new")
    (out / "checkpoint.new").replace(out / "checkpoint.pt")
    policy.export().save(out / "policy.net")


def main(arguments: list[str] | None = None) -> None:
    """Train, or go on, and evaluate."""
    o = parser.parse_args(arguments)
    out = o.out or Path(f"runs/ppo-ffa-{o.seed}")
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    policy = Policy().to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(policy.parameters(), eps=1e-5)
    done = {"updates": 0, "steps": 0, "minutes": 0.0}
    if (out / "checkpoint.pt").exists():
        saved = torch.load(out / "checkpoint.pt", weights_only=True)
        policy.load_state_dict(saved["policy"])
        optimizer.load_state_dict(saved["optimizer"])
        done = saved["done"]
    elif o.demonstrations:
        window = Window(pommego.catalog()[ID], **SEES)
        shown = demonstrations(out / "demonstrations", o.demonstrations, window, o.gamma)
        imitate(policy, optimizer, shown, o.epochs)
        save(out, policy, optimizer, done)
        print("imitation alone:", judge(out / "policy.net", o.judge), flush=True)
    train(out, policy, optimizer, done, o)
    save(out, policy, optimizer, done)
    result = judge(out / "policy.net", o.judge)
    (out / "result.json").write_text(json.dumps(result | done | {"seed": o.seed}) + "\n")
    print(json.dumps(result), flush=True)


def train(
    out: Path, policy: Policy, optimizer: torch.optim.Optimizer, done: dict[str, float], o: argparse.Namespace
) -> None:
    """Train by PPO until the time is over."""
    torch.manual_seed(o.seed * 1000 + done["updates"])
    games, saved = Games(o.games, o.seed * 10_000_000 + done["updates"] * o.games), done["minutes"]
    with games.envs, (out / "progress.jsonl").open("a") as log:
        while done["minutes"] < o.minutes:
            begin = time.perf_counter()
            optimizer.param_groups[0]["lr"] = o.rate * (1 - 0.9 * done["minutes"] / o.minutes)
            played, last = collect(policy, games, o.rollout, o.outliving)
            half = time.perf_counter()
            noted = learn(policy, optimizer, played, last, o)
            spent, moves = time.perf_counter() - begin, o.rollout * o.games
            done["updates"], done["steps"] = done["updates"] + 1, done["steps"] + moves
            done["minutes"] += spent / 60
            games.won = games.won[-500:]
            row = done | {"per_second": moves / spent, "rollout": (half - begin) / spent}
            row |= {"won": float(np.mean(games.won or [0]))} | noted
            print(json.dumps(row), file=log, flush=True)
            print(" ".join(f"{name} {value:.4g}" for name, value in row.items()), flush=True)
            if done["minutes"] > saved + 1:
                save(out, policy, optimizer, done)
                saved = done["minutes"]


def judge(path: Path, games: int) -> dict[str, object]:
    """Play games on boards never trained on, with the policy as the file has it."""
    evaluation = pommego.evaluate(load(path), ID, OPPONENTS, games)
    won, digest = evaluation.win_rate, hashlib.sha256(path.read_bytes()).hexdigest()
    shares = {"won": won.value, "low": won.low, "high": won.high, "tied": evaluation.tie_rate.value}
    return {"games": games, **shares, "sha256": digest}


if __name__ == "__main__":
    main()
