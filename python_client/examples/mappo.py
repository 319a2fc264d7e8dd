"""Learn a team game by MAPPO, in one file: `python mappo.py --out runs/team`.

Two agents with the same policy play against a team of built-in agents
(`--opponent`). Each of them acts on its own observation, in fog, centred on itself; the
critic, which only training needs, sees the global state of the game
(`make_vec(state=True)`) and gives one value for the team. Steps of dead agents are not
learned from (`info["valid"]`).

    python mappo.py --out runs/team --opponent static --steps 200000 --judge-every 4
    python mappo.py --out runs/team --resume --steps 400000            # goes on, with another limit
    python mappo.py --out runs/team --opponent simple --evaluate 200   # the saved policy, as both teams
    python mappo.py --out runs/new --minutes 0                         # saves an untrained one

The same command goes on with a run that was stopped. A folder that holds a run with other options is
left alone. It has `progress.jsonl` (a line per update) and `checkpoint.pt`. Needs torch.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor, nn
from torch.nn import functional

import pommego
from pommego.pommerman.safety import Safety

SCALE = {"bomb_blast": 0.1, "bomb_life": 0.1, "flame": 1 / 3, "danger": 0.1}  # of planes that count
SOON = 10  # steps ahead that count as dangerous
WINDOW = 200  # episodes in the win rate of a line of progress
FEWEST = 50  # of these, for a win rate
JUDGED = 100  # games of an evaluation during training
FEATURES = 128  # of a position, in the networks
OPPOSITE = {"bomb_left": "bomb_right", "enemy0_alive": "enemy1_alive"}  # what a mirror swaps
OPPOSITE |= {right: left for left, right in OPPOSITE.items()}
MIRRORED = np.array([0, 1, 2, 4, 3, 5])  # actions: right for left
COUNTED = ("updates", "steps", "seconds")
LIMITS = ("minutes", "steps", "threads")  # what `--resume` may change


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
    minibatches: int = 16  # gradient steps per pass over them
    epochs: int = 2
    learning_rate: float = 1e-3
    gamma: float = 0.995
    gae: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    outliving: float = 0.5  # reward of the team for each enemy that dies
    digging: float = 0.01  # reward of the team for each piece of wood that its bombs destroy
    judge_every: int = 0  # updates between two evaluations, of which it learns nothing; 0: none
    minutes: float = 60.0
    steps: int = 0  # of games; 0: only by time
    threads: int = 1


# Networks ----------------------------------------------------------------------


class Look(nn.Module):
    """A small network over planes and scalars: from a position to its features.

    Small, because a step of a game costs next to nothing: the networks take most of the time.
    """

    def __init__(self, planes: Sequence[str], size: int, scalars: int) -> None:
        super().__init__()
        scale = torch.tensor([SCALE.get(name, 1.0) for name in planes])
        self.register_buffer("scale", scale[:, None, None], persistent=False)
        known = len(planes) * size**2 + scalars
        self.body = nn.Sequential(
            nn.Linear(known, FEATURES), nn.ReLU(), nn.Linear(FEATURES, FEATURES), nn.ReLU()
        )

    def forward(self, planes: Tensor, scalars: Tensor) -> Tensor:
        """Return features, float (n, features), of uint8 planes and float32 scalars."""
        return self.body(torch.cat([(planes * self.scale).flatten(1), scalars], 1))


class Actor(nn.Module):
    """The policy of one agent, by what it observes itself."""

    def __init__(self, eyes: Eyes) -> None:
        super().__init__()
        self.look = Look(eyes.planes, 2 * eyes.reach + 1, len(eyes.scalars))
        self.head = nn.Linear(FEATURES, eyes.actions)
        nn.init.orthogonal_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, seen: Seen) -> Tensor:
        """Return log probabilities, (n, actions)."""
        logits = self.head(self.look(seen.planes, seen.scalars)).masked_fill(~seen.mask, -1e9)
        return logits.log_softmax(1)

    @torch.no_grad()
    def act(self, seen: Seen) -> tuple[Tensor, Tensor]:
        """Draw actions, (n,), and return their log probabilities, too."""
        logp = self(seen)
        action = torch.multinomial(logp.exp(), 1)
        return action.squeeze(1), logp.gather(1, action).squeeze(1)


class Critic(nn.Module):
    """The value of a position for the team of the first seat, by the global state."""

    def __init__(self, encoding: pommego.spec.Encoding) -> None:
        super().__init__()
        planes, scalars = encoding["planes"], encoding["scalars"]
        self.look = Look([plane.name for plane in planes.names], planes.shape[-1], scalars.shape[0])
        self.head = nn.Linear(FEATURES, 1)

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

    The planes are centred on the agent, as far as it sees, with rigid walls beyond the board; the
    last one, `danger`, is 10 where flames break out in the next step, 1 ten steps off. With safe
    moves the agent only chooses from moves that it can survive.
    """

    def __init__(self, spec: pommego.GameSpec, moves: str) -> None:
        self.safety, self.careful = Safety(spec), moves == "safe"
        self.board, self.actions = spec.rules["board_size"], spec.actions[0].n
        self.reach = spec.rules["agent_view_size"] or self.board - 1
        encoding = spec.encoding("planes")
        self.planes = [*(plane.name for plane in encoding["planes"].names), "danger"]
        self.scalars = [scalar.name for scalar in encoding["scalars"].names]
        self._place = [self.scalars.index("row"), self.scalars.index("col")]

    def __call__(self, obs: dict[str, np.ndarray], info: dict[str, Any]) -> Seen:
        """Read a batch."""
        planes, scalars, mask, reach = obs["planes"], obs["scalars"], info["action_mask"], self.reach
        if self.careful:
            mask = self.safety.moves(planes, scalars, mask)
        size, inner = self.board + 2 * reach, slice(reach, self.board + reach)
        padded = np.zeros((len(planes), len(self.planes), size, size), np.uint8)
        padded[:, self.planes.index("rigid")] = 1
        padded[:, :-1, inner, inner] = planes
        padded[:, -1, inner, inner] = SOON + 1 - np.minimum(self.safety.danger(planes), SOON + 1)
        row, col = np.rint(scalars[:, self._place] * (self.board - 1)).astype(np.intp).T
        windows = sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1), axis=(2, 3))
        near = windows[np.arange(len(planes)), :, row, col]
        return Seen(*map(torch.from_numpy, (near, scalars, mask > 0)))


# Learning ----------------------------------------------------------------------


class Rollout(NamedTuple):
    """Steps of games: of agents (steps, games * learners, ...), of games (steps, games, ...).

    There is one more state than steps, and one more value: those after the last.
    """

    seen: Seen
    action: Tensor
    logp: Tensor
    valid: Tensor
    state_planes: Tensor
    state_scalars: Tensor
    value: Tensor
    reward: Tensor
    done: Tensor


def advantages(rollout: Rollout, gamma: float, lam: float) -> Tensor:
    """Estimate by how much each step of the team was better than expected (GAE), (steps, games)."""
    estimate, result = torch.zeros_like(rollout.value[-1]), torch.empty_like(rollout.reward)
    for t in reversed(range(len(result))):
        goes_on = 1 - rollout.done[t]
        surprise = rollout.reward[t] + gamma * goes_on * rollout.value[t + 1] - rollout.value[t]
        result[t] = estimate = surprise + gamma * lam * goes_on * estimate
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
            counts="step",
            connection=pommego.Connection(expand_shared=False),  # the global state once per game
            autoreset_mode="SameStep",
        )
        spec, self.learners = self.envs.game_spec, self.envs.learners
        self.eyes = Eyes(spec, config.moves)
        self.actor, self.critic = Actor(self.eyes), Critic(self.envs.state_encoding)
        weights = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(weights, config.learning_rate, eps=1e-5)
        names = [name.name for name in self.envs.state_encoding["scalars"].names]
        self.enemies = [names.index(f"agent{seat}_alive") for seat in spec.teams[1]]
        self.wood = [count.name for count in spec.counts].index("wood")
        self.wins: deque[float] = deque(maxlen=WINDOW)
        self.updates = self.steps = 0
        self.seconds = 0.0
        obs, self.info = self.envs.reset(seed=config.seed * 1_000_000)
        self.seen = self.eyes(obs, self.info)

    def collect(self) -> Rollout:
        """Play. The critic, which has no part in it, judges all states at once afterwards."""
        steps, states = [], [self.info["state"]]
        for _ in range(self.config.rollout):
            action, logp = self.actor.act(self.seen)
            obs, reward, terminated, _, self.info = self.envs.step(action.numpy())
            wood = self.info["counts"][:, self.wood]
            valid, paid, done, wood = map(torch.from_numpy, (self.info["valid"], reward, terminated, wood))
            steps.append((self.seen, action, logp, valid, paid, done, wood))
            self.seen = self.eyes(obs, self.info)
            states.append(self.info["state"])
        self.steps += self.config.rollout * self.config.games
        seen, action, logp, valid, paid, done, wood = zip(*steps, strict=True)
        planes, scalars = (torch.from_numpy(np.stack([s[key] for s in states])) for key in states[0])
        with torch.no_grad():
            value = torch.stack(list(map(self.critic, planes, scalars)))
        paid, done = (torch.stack(part)[:, :: self.learners] for part in (paid, done))  # the same for both
        self.wins.extend((paid[done] > 0).float().tolist())
        wood = torch.stack(wood).unflatten(1, (-1, self.learners)).sum(2)  # the team's
        reward = paid.float() + self._shaping(scalars, wood, done)
        agents = (Seen(*map(torch.stack, zip(*seen, strict=True))), *map(torch.stack, (action, logp, valid)))
        return Rollout(*agents, planes, scalars, value, reward, done.float())

    def _shaping(self, scalars: Tensor, wood: Tensor, done: Tensor) -> Tensor:
        """Reward the team for enemies that went and wood it destroyed, except in an episode's last step."""
        went = -scalars[:, :, self.enemies].sum(2).diff(dim=0)
        return torch.where(done, 0.0, self.config.outliving * went + self.config.digging * wood)

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Make an update's gradient steps and return their statistics."""
        c = self.config
        gain = advantages(rollout, c.gamma, c.gae)
        aim = (gain + rollout.value[:-1]).flatten()
        unexplained = (gain.var() / aim.var()).item()
        planes, scalars = rollout.state_planes[:-1].flatten(0, 1), rollout.state_scalars[:-1].flatten(0, 1)
        gain = gain.repeat_interleave(self.learners, 1)  # the team's, for each of its agents
        gain = (gain - gain[rollout.valid].mean()) / (gain[rollout.valid].std() + 1e-8)
        alive, noted = rollout.valid.flatten().nonzero().squeeze(1), []
        for _ in range(c.epochs):
            rows = alive[torch.randperm(len(alive))].tensor_split(c.minibatches)
            positions = torch.randperm(len(aim)).tensor_split(c.minibatches)
            for row, at in zip(rows, positions, strict=True):
                policy_loss, entropy, clipped = self._policy_loss(rollout, gain, row)
                value_loss = functional.mse_loss(self.critic(planes[at], scalars[at]), aim[at])
                self.optimizer.zero_grad()
                (policy_loss + 0.5 * value_loss - c.entropy * entropy).backward()
                nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
                nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
                self.optimizer.step()
                noted.append(torch.stack([policy_loss, value_loss, entropy, clipped]).detach())
        means = torch.stack(noted).mean(0).tolist()
        names = ("policy_loss", "value_loss", "entropy", "clipped")
        return dict(zip(names, means, strict=True)) | {"explained": 1 - unexplained}

    def _policy_loss(self, rollout: Rollout, gain: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """PPO's loss, the entropy, and the share of steps that are clipped, of some agents' steps."""
        logp = self.actor(Seen(*(part.flatten(0, 1)[rows] for part in rollout.seen)))
        action, old, better = (part.flatten()[rows] for part in (rollout.action, rollout.logp, gain))
        ratio = (logp.gather(1, action[:, None]).squeeze(1) - old).exp()
        clipped = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        loss = -torch.minimum(ratio * better, clipped * better).mean()
        return loss, -(logp.exp() * logp).sum(1).mean(), (ratio != clipped).float().mean()

    def run(self) -> None:
        """Train until time or steps are up, or Ctrl-C; each update is saved in the folder."""
        out = Path(self.config.out)
        out.mkdir(parents=True, exist_ok=True)
        print(f"{out}: {self.seconds / 60:.1f} minutes, {self.steps:,} steps done", flush=True)
        if not self.updates:
            self.save()
        elif self._enough():
            print("nothing is left to do: --resume with a higher --minutes or --steps trains on")
        progress = out / "progress.jsonl"
        lines = progress.read_text().splitlines(True) if self.updates else []
        kept = [line for line in lines if json.loads(line)["update"] <= self.updates]
        with progress.open("w") as file:
            file.writelines(kept)  # without an update that was not saved any more
            if self.config.judge_every and not kept:
                self._note(file, {})  # how the untrained policy does
            while not self._enough():
                begin = time.perf_counter()
                noted = self.learn(self.collect())
                self.updates += 1
                self.seconds += time.perf_counter() - begin
                self._note(file, noted)
                self.save()

    def _note(self, progress: TextIO, noted: dict[str, float]) -> None:
        c = self.config
        row = {"update": self.updates, "steps": self.steps, "minutes": self.seconds / 60} | noted
        if len(self.wins) >= FEWEST:
            row["won"] = float(np.mean(self.wins))
        if c.judge_every and self.updates % c.judge_every == 0:
            row["judged"] = evaluate(self.actor, self.eyes, c.env, c.opponent, JUDGED).win_rate.value
        progress.write(json.dumps(row) + "\n")
        progress.flush()
        print("  ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)

    def _enough(self) -> bool:
        return self.seconds >= 60 * self.config.minutes or 0 < self.config.steps <= self.steps

    def save(self) -> None:
        """Write the checkpoint atomically."""
        path = Path(self.config.out) / "checkpoint.pt"
        saved: dict[str, Any] = {name: getattr(self, name) for name in COUNTED}
        saved |= {name: getattr(self, name).state_dict() for name in ("actor", "critic", "optimizer")}
        states = [torch.frombuffer(bytearray(bytes(s)), dtype=torch.uint8) for s in self.envs.get_state()]
        saved |= {"config": asdict(self.config), "wins": list(self.wins), "states": states}
        torch.save(saved | {"dice": torch.get_rng_state()}, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from a checkpoint, as if the run had not stopped."""
        for name in COUNTED:
            setattr(self, name, saved[name])
        for name in ("actor", "critic", "optimizer"):
            getattr(self, name).load_state_dict(saved[name])
        self.wins.extend(saved["wins"])
        states = [state.numpy().tobytes() for state in saved["states"]]
        obs, self.info = self.envs.set_state(range(self.envs.num_games), states)
        self.seen = self.eyes(obs, self.info)
        torch.set_rng_state(saved["dice"])


def mirror(
    obs: dict[str, np.ndarray], mask: np.ndarray, eyes: Eyes, rows: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Mirror some rows of observations and masks from left to right."""
    planes, scalars, mask = obs["planes"].copy(), obs["scalars"].copy(), mask.copy()
    both = (eyes.planes[:-1], eyes.scalars)
    order = [[names.index(OPPOSITE.get(name, name)) for name in names] for names in both]
    planes[rows] = planes[rows][:, order[0], :, ::-1]
    scalars[rows] = scalars[rows][:, order[1]]
    scalars[rows, eyes.scalars.index("col")] = 1 - scalars[rows, eyes.scalars.index("col")]
    mask[rows] = mask[rows][:, MIRRORED]
    return {"planes": planes, "scalars": scalars}, mask


def evaluate(actor: Actor, eyes: Eyes, id: str, opponent: str, games: int) -> pommego.Evaluation:
    """Play as both teams, each agent by what it observes itself, on boards that training does not use.

    The policy learns in the corners of the first team; those of the second are the same in a mirror.
    """
    seconds = pommego.catalog()[id].teams[1]

    def policy(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
        second = np.isin(info["seat"], seconds)
        shown, mask = mirror(obs, info["action_mask"], eyes, second)
        action = actor.act(eyes(shown, {"action_mask": mask}))[0].numpy()
        return np.where(second, MIRRORED[action], action)

    return pommego.evaluate(policy, id, opponent, games, team=True)


def load(out: str) -> tuple[Config, dict[str, Any]]:
    """Read the checkpoint of a run."""
    saved = torch.load(Path(out) / "checkpoint.pt", weights_only=True)
    return Config(**saved["config"]), saved


def chosen(given: dict[str, Any], *, resume: bool) -> tuple[Config, dict[str, Any] | None]:
    """Return the configuration of a run and, if it has begun, its checkpoint.

    The same options go on with a run, `resume` with the run's own and other limits.

    Raises:
        SystemExit: the folder has another run, or none to resume.
    """
    out = Path(given.get("out", Config.out))
    if not (out / "checkpoint.pt").exists():
        if resume or (out / "progress.jsonl").exists():
            raise SystemExit(f"{out} has no run that mappo.py could go on with: choose another --out")
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


def judged(games: int, given: dict[str, Any]) -> pommego.Evaluation:
    """Evaluate the saved policy of a run."""
    config, saved = load(given.get("out", Config.out))
    eyes = Eyes(pommego.catalog()[config.env], config.moves)
    actor = Actor(eyes)
    actor.load_state_dict(saved["actor"])
    torch.manual_seed(0)
    return evaluate(actor, eyes, config.env, given.get("opponent", Config.opponent), games)


def main() -> None:
    """Read the command line, and train or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for entry in fields(Config):
        flag, words = f"--{entry.name.replace('_', '-')}", f"default: {entry.default}"
        parser.add_argument(flag, type=type(entry.default), default=argparse.SUPPRESS, help=words)
    parser.add_argument(
        "--evaluate", type=int, metavar="GAMES", help="play the saved policy of --out instead"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in --out, by its own options"
    )
    given = vars(parser.parse_args())
    games, resume = given.pop("evaluate"), given.pop("resume")
    if games:
        print(judged(games, given))
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
