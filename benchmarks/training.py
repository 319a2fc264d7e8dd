"""Measures how much of a learner's time the environment takes: whole PPO updates, and what reaches a device.

    pip install torch envpool
    python benchmarks/training.py                       # both, some minutes
    python benchmarks/training.py ppo --rounds 9        # examples/ppo.py beside EnvPool's CartPole
    python benchmarks/training.py device --device cuda  # agent-steps a second that reach the device

`ppo` runs the example's own updates, rounds interleaved: in games against three opponents; with EnvPool's
CartPole in place of the games, which has a few numbers a step to hand over, while the network sees as much as
before; and with nothing in place of the games, the learner alone. `waiting` is the share of the time in which
the learner waited for the environment; the games are played on the cores that PyTorch leaves.

`device` copies each step's observations to the device and does nothing with them, by way of pinned memory if
the device is not the processor, and with two steps in flight: the speed with a learner that takes no time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import torch
from torch import Tensor

import pommego

sys.path.insert(0, str(Path(__file__).parents[1] / "python_client" / "examples"))
import ppo


class Nothing(ppo.Arena):
    """No games: the learner sees the same again and again."""

    def send(self, actions: Tensor) -> None:
        """Step nothing."""

    def wait(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rewards and ends of a step."""
        return np.zeros(len(self.seen.mask), np.float32), np.zeros(len(self.seen.mask), bool)

    def receive(self) -> ppo.Outcome:
        """Finish a step, which shows nothing new."""
        begin = time.perf_counter()
        reward, done = self.wait()
        self.waited += time.perf_counter() - begin
        return ppo.Outcome(torch.from_numpy(reward), torch.from_numpy(done), torch.from_numpy(reward > 0))


class CartPole(Nothing):
    """EnvPool's CartPole in place of the games."""

    def __init__(self, config: ppo.Config, *args: Any) -> None:
        super().__init__(config, *args)
        self.poles = envpool.make_gymnasium("CartPole-v1", num_envs=len(self.seen.mask))
        self.poles.reset()

    def send(self, actions: Tensor) -> None:
        """Begin a step."""
        self.poles.send(actions.numpy() % 2)

    def wait(self) -> tuple[np.ndarray, np.ndarray]:
        """Wait for it."""
        _, reward, terminated, truncated, _ = self.poles.recv()
        return reward.astype(np.float32), terminated | truncated


class Beside(ppo.Trainer):
    """A run whose games are something else."""

    def __init__(self, config: ppo.Config, arena: type[ppo.Arena]) -> None:
        self.arena = arena
        super().__init__(config)

    def _arenas(self, spec: pommego.GameSpec) -> list[ppo.Arena]:
        line_up = (self.config.opponents or ["static"])[0]
        return [self.arena(self.config, spec, line_up, self.config.games, 1)]


def measure_ppo(options: argparse.Namespace) -> None:
    """Print steps a second and waiting of each, by interleaved rounds of one update."""
    config = ppo.Config(opponents=[options.opponents], games=options.games, threads=options.threads)
    kinds = {"pommego": ppo.Arena, "EnvPool CartPole": CartPole, "no environment": Nothing}
    runs = {name: Beside(config, arena) for name, arena in kinds.items()}
    for run in runs.values():
        run.one_update()  # the first is slow
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in runs}
    for i in range(options.rounds):
        for name in (list(runs), list(runs)[::-1])[i % 2]:
            rows[name].append(runs[name].one_update())
    print(f"{'PPO with':20}  steps/s  of no environment   waiting")
    for name, noted in rows.items():
        speeds = [row["steps_per_second"] for row in noted]
        shares = [a / b["steps_per_second"] for a, b in zip(speeds, rows["no environment"], strict=True)]
        waiting = statistics.median(row["waiting"] for row in noted)
        share = f"{statistics.median(shares):6.1%} ({min(shares):.1%} to {max(shares):.1%})"
        print(f"{name:20} {statistics.median(speeds):8,.0f}  {share}  {waiting:7.2%}")
    for run in runs.values():
        run.close()


def measure_device(options: argparse.Namespace) -> None:
    """Print agent-steps a second into the device, and the share of the games' own speed."""
    device = torch.device(options.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    print(f"into {device}, {options.games} games against {options.opponents}")
    for observation in ("raw", "planes"):
        speeds: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(options.rounds):
            for copied, noted in speeds.items():
                noted.append(into(device, observation, options, copied=copied))
        shares = [a / b for a, b in zip(speeds[True], speeds[False], strict=True)]
        print(
            f"{observation:8} {statistics.median(speeds[True]):10,.0f} agent-steps/s, "
            f"{statistics.median(shares):.0%} of the games alone ({min(shares):.0%} to {max(shares):.0%})"
        )


def into(device: torch.device, observation: str, options: argparse.Namespace, *, copied: bool) -> float:
    """Step for a second, with or without copying what is seen to the device."""
    opponents = [options.opponents] * 3
    with pommego.make_vec(
        "PommeFFACompetition-v0", options.games, opponents=opponents, observation=observation, copy=False
    ) as envs:
        obs, _ = envs.reset(seed=1)
        staged = [Staging(obs, device) for _ in range(2)]
        rng = np.random.default_rng(0)
        moves = rng.integers(envs.game_spec.actions[0].n, size=(64, envs.num_envs))
        steps, begin, sent = 0, time.perf_counter(), 2
        for i in range(sent):
            envs.send(moves[i])
        while (now := time.perf_counter()) < begin + options.seconds:
            obs = envs.recv()[0]
            if copied:
                staged[steps % 2].send(obs)
            envs.send(moves[(steps + sent) % len(moves)])
            steps += 1
        if device.type == "cuda":
            torch.cuda.synchronize(device)
            now = time.perf_counter()
        return steps * envs.num_envs / (now - begin)


class Staging:
    """Memory that a device reads observations from: pinned, if it is another than the processor's."""

    def __init__(self, obs: dict[str, np.ndarray], device: torch.device) -> None:
        self.device, self.pinned = device, device.type == "cuda"
        self.arrays = {
            name: torch.empty(array.shape, dtype=torch.from_numpy(array).dtype, pin_memory=self.pinned)
            for name, array in obs.items()
        }
        self.read = torch.cuda.Event() if self.pinned else None

    def send(self, obs: dict[str, np.ndarray]) -> dict[str, Tensor]:
        """Begin to copy a batch to the device, once it has read the one before."""
        if self.read:
            self.read.synchronize()
        for name, array in obs.items():
            self.arrays[name].copy_(torch.from_numpy(array))
        there = {name: array.to(self.device, non_blocking=True) for name, array in self.arrays.items()}
        if self.read:
            self.read.record()
        return there


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("ppo", "device"), help="default: both")
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--opponents", default="simple", help="in the three other seats (default: simple)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a round of device (default: 1)")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch (default: 1)")
    parser.add_argument("--device", help="torch's name; default: cuda where there is one, else cpu")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.what != "device":
        measure_ppo(options)
    if options.what != "ppo":
        measure_device(options)


if __name__ == "__main__":
    main()
