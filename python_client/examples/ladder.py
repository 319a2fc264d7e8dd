"""PPO on a feed, timed in stages: `python -m pommego.bench --device cuda` runs this.

    python -m pommego.bench --device cuda         # two minutes or less
    python -m pommego.bench --device cpu          # the same without a GPU, with fewer games
    python -m pommego.examples copy ladder        # to put a network of your own in place of this one
    python ladder.py --device cuda --games 8192   # and to time that

The stages, each of which adds to the one before:

    games       random moves, with planes and legal moves (or what --observation names)
    near        what the learned agents see, and safe moves
    transfer    batches are copied to the device
    network     two convolutions and a dense layer choose the moves
    ppo         and learn from them

Two halves of the games are in flight. A row has steps of games a second, what share of the row before
that is, and for what share of its time the learner's thread waits for games, and for moves from the device.

Needs torch. Start with OMP_NUM_THREADS=1, or PyTorch's threads and the server's workers wait for each other.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn

import pommego
from pommego.torch import Batch, Feed, planes

STEPS, PASSES, PARTS = 32, 2, 8  # of an update: moves per game, passes over them, minibatches per pass
GAMMA, LAMBDA, CLIP, ENTROPY = 0.998, 0.95, 0.2, 0.01
ROUNDS = 5  # or fewer, if an update takes longer; their median counts

parser = argparse.ArgumentParser(prog="python -m pommego.bench --device", description=__doc__)
parser.formatter_class = argparse.RawDescriptionHelpFormatter
parser.add_argument("--device", default="cpu", help="cpu or cuda (default: %(default)s)")
parser.add_argument("--id", default="PommeFFACompetition-v0", help="default: %(default)s")
parser.add_argument("--opponents", default="simple", help="in all seats but one (default: %(default)s)")
parser.add_argument("--observation", choices=["planes", "raw", "near"], help="default: planes, then near")
parser.add_argument("--games", type=int, help="default: 16384 for a GPU, 256 without")
parser.add_argument("--workers", type=int, default=0, help="games stepped at a time; 0: as many as cores")
parser.add_argument("--seconds", type=float, default=5.0, help="of each stage (default: %(default)s)")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


class Learner(nn.Module):
    """A network that plays the games of a feed, and learns."""

    def __init__(self, feed: Feed, seed: int) -> None:
        super().__init__()
        envs, relu = feed.halves[0][0], nn.ReLU()
        self.feed, self.spec, self.learners = feed, envs.game_spec, envs.learners
        self.moves = self.spec.actions[0].n
        layers = nn.LazyConv2d(32, 3, padding=1), relu, nn.LazyConv2d(64, 3, stride=2), relu, nn.Flatten()
        self.look = nn.Sequential(*layers)
        self.think = nn.Sequential(nn.LazyLinear(256), relu, nn.Linear(256, self.moves + 1))
        self.batch, self.kept = feed.reset(seed=seed), [[] for _ in feed.halves]
        self.to(feed.device)(self.batch.obs, self.batch.mask)  # this call gives the layers their sizes
        self.to(memory_format=torch.channels_last)
        self.optimizer = torch.optim.Adam(self.parameters(), 1e-3, fused=feed.device.type == "cuda")

    def forward(self, obs: dict[str, Tensor], mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logarithms of the moves' chances, (rows, moves), and values, (rows,)."""
        if "maps" in obs:
            obs = planes(obs, self.spec)
        numbers, boards = sorted(obs.values(), key=Tensor.dim)
        kind = torch.bfloat16 if boards.is_cuda else torch.float32
        with torch.autocast(boards.device.type, torch.bfloat16, enabled=boards.is_cuda):
            seen = self.look(boards.to(kind, memory_format=torch.channels_last))
            answer = self.think(torch.cat([seen, numbers.to(kind)], 1)).float()
        return answer[:, :-1].masked_fill(~mask[:, : self.moves], -1e9).log_softmax(1), answer[:, -1]

    def guess(self) -> int:
        """Move at random; return how many steps of games that were."""
        return self.step(torch.randint(self.moves, self.batch.reward.shape, device=self.feed.device))

    @torch.no_grad()
    def play(self) -> int:
        """Move as the network says, and keep what an update needs."""
        batch, (chances, value) = self.batch, self(self.batch.obs, self.batch.mask)
        actions = (chances - torch.rand_like(chances).log().neg().log()).argmax(1)  # drawn by these chances
        kept = self.kept[batch.half]
        kept.append((batch, actions, chances.gather(1, actions[:, None]).squeeze(1), value))
        del kept[: -STEPS - 1]
        return self.step(actions)

    def step(self, actions: Tensor) -> int:
        """Take the other half's batch. Where an action has several components, the others are 0."""
        others = len(self.spec.actions) - 1
        self.batch = self.feed.step(nn.functional.pad(actions[:, None], (0, others)) if others else actions)
        return len(actions) // self.learners

    def learn(self) -> int:
        """Make an update's moves, and the update."""
        moves = sum(self.play() for _ in range(STEPS * len(self.kept)))
        while min(map(len, self.kept)) <= STEPS:  # the first update has no batch left from the one before
            moves += self.play()
        halves = zip(*(judged(*zip(*kept, strict=True)) for kept in self.kept), strict=True)
        *obs, mask, action, old, gain, aim, valid = (torch.cat(part) for part in halves)
        rows = valid.nonzero().squeeze(1)
        for _ in range(PASSES):
            for own in rows[torch.randperm(len(rows), device=rows.device)].chunk(PARTS):
                seen = {name: part[own] for name, part in zip(self.batch.obs, obs, strict=True)}
                chances, value = self(seen, mask[own])
                ratio = (chances.gather(1, action[own, None]).squeeze(1) - old[own]).exp()
                better = torch.minimum(ratio * gain[own], ratio.clamp(1 - CLIP, 1 + CLIP) * gain[own])
                order = (chances.exp() * chances).sum(1)  # the entropy, negative
                loss = ((value - aim[own]).square() / 2 - better + ENTROPY * order).mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.parameters(), 0.5)
                self.optimizer.step()
        return moves


def judged(batches: list[Batch], actions: Any, chances: Any, values: Any) -> list[Tensor]:
    """Return the aims of a half's values, and how much better than expected each move was, by GAE."""
    gain, gains = torch.zeros_like(values[-1]), []
    for after, value, then in zip(batches[:0:-1], values[-2::-1], values[::-1], strict=False):
        on = GAMMA * ~after.over
        gain = after.reward + on * then - value + LAMBDA * on * gain
        gains.insert(0, gain)
    gain, before = torch.cat(gains), [(*batch.obs.values(), batch.mask) for batch in batches[:-1]]
    return [
        *(torch.cat(part) for part in zip(*before, strict=True)),
        *(torch.cat(actions[:-1]), torch.cat(chances[:-1]), gain, gain + torch.cat(values[:-1])),
        torch.cat([batch.valid for batch in batches[1:]]),
    ]


def timed(o: argparse.Namespace, device: str, work: Callable[[Learner], int], **how: Any) -> dict[str, Any]:
    """Return the steps per second of a learner that does only `work`, and how long it waits for what."""
    opponents = o.opponents.split(",") if "," in o.opponents else o.opponents
    how |= {"opponents": opponents, "workers": o.workers, "autoreset_mode": "SameStep"}
    with pommego.Server() as server, ExitStack() as stack:
        how |= {"address": server.address, "token": server.token}
        sizes = -(-o.games // 2), o.games // 2
        halves = [stack.enter_context(pommego.make_vec(o.id, games, **how)) for games in sizes]
        learner = Learner(Feed(halves, device), o.seed)
        for _ in range(2):
            work(learner)
        learner.feed.waited = dict.fromkeys(learner.feed.waited, 0.0)
        rates, begin = [], time.perf_counter()
        while (whole := time.perf_counter() - begin) < o.seconds or not rates:
            moves, start = 0, time.perf_counter()
            while (spent := time.perf_counter() - start) < o.seconds / ROUNDS or not moves:
                moves += work(learner)
            rates.append(moves / spent)
    median, waits = statistics.median(rates), learner.feed.waited.items()
    return {
        **{"env_steps_per_second": median, "min": min(rates), "max": max(rates), "rounds": rates},
        **{f"waits_for_{what}": seconds / whole for what, seconds in waits},
    }


def main(arguments: list[str] | None = None) -> int:
    """Print the table, or the report."""
    o = parser.parse_args(arguments)
    try:
        device = torch.empty(0, device=o.device).device
    except (AssertionError, RuntimeError) as e:
        parser.error(f"--device is {o.device!r}, which PyTorch does not have: {str(e).partition('. ')[0]}")
    o.games = (16384 if device.type == "cuda" else 256) if o.games is None else o.games
    if o.games < 2 or not o.seconds > 0:
        parser.error(f"--games is {o.games} and --seconds {o.seconds}, expected two or more, and more than 0")
    kind = {"observation": o.observation or "planes"}
    stages = [("games", "cpu", Learner.guess, kind)]
    spec = pommego.catalog().get(o.id)
    if spec and not o.observation and "near" in {encoding.name for encoding in spec.encodings}:
        kind = {"observation": "near", "mask": "safe"}
        stages.append(("near", "cpu", Learner.guess, kind))
    works = {"transfer": Learner.guess, "network": Learner.play, "ppo": Learner.learn}
    stages += [(name, device, work, kind) for name, work in works.items()]
    named = {name: getattr(o, name) for name in ("games", "workers", "id", "opponents", "device", "seed")}
    named |= {"gpu": torch.cuda.get_device_name(device)} if device.type == "cuda" else {}
    named |= {"torch_threads": torch.get_num_threads(), **kind}
    if not o.json:
        print(", ".join(f"{name} {value}" for name, value in named.items()))
        print(f"{'stage':10} {'steps/s':>12} {'share':>7} {'waits for games':>16} {'for the device':>15}")
    results: list[dict[str, Any]] = []
    for name, where, work, how in stages:
        limit = results[-1]["env_steps_per_second"] if results else None
        row = {"name": name, "limit": limit, "allocs_per_step": None, **timed(o, where, work, **how)}
        results.append(row)
        if not o.json:
            share = f"{row['env_steps_per_second'] / limit:.0%}" if limit else ""
            waits = f"{row['waits_for_games']:16.0%} {row['waits_for_device']:15.0%}"
            print(f"{name:10} {row['env_steps_per_second']:12,.0f} {share:>7} {waits}", flush=True)
    if o.json:
        print(json.dumps(named | {"results": results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
