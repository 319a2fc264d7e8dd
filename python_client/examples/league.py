"""A league of policies: they play each other in one batch, and OpenSkill rates them.

    pip install 'pommego[league]'
    python league.py --games 400

All four seats are rows of one vector environment. Each game seats four members
of the league; in a step each member acts once, for all its rows in all games.
An agent that dies later ranks higher; agents that die in the same step tie. A learner's
snapshots are members like any other: a function from a batch of observations
and masks to actions.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from openskill.models import PlackettLuce, PlackettLuceRating

import pommego

STOP, BOMB = 0, 5
Policy = Callable[[dict[str, np.ndarray], np.ndarray, np.random.Generator], np.ndarray]


def anything(obs: dict[str, np.ndarray], mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose a random legal action."""
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def peaceful(obs: dict[str, np.ndarray], mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Walk about, and lay no bombs."""
    return anything(obs, mask * (np.arange(6) != BOMB), rng)


def still(obs: dict[str, np.ndarray], mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Stay."""
    return np.full(len(mask), STOP)


def eager(obs: dict[str, np.ndarray], mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lay a bomb whenever possible."""
    return np.where(mask[:, BOMB] == 1, BOMB, anything(obs, mask, rng))


MEMBERS: dict[str, Policy] = {"anything": anything, "peaceful": peaceful, "still": still, "eager": eager}


def league(
    members: dict[str, Policy], games: int, *, at_once: int = 64, max_steps: int = 200, seed: int = 0
) -> dict[str, PlackettLuceRating]:
    """Let members play each other and return their ratings.

    Args:
        members: at least four; each game seats four of them.
        games: the number of games to rate.
        at_once: games played in parallel.
        max_steps: after this many steps the agents alive tie.
        seed: of boards, seats and policies.
    """
    names, model, rng = list(members), PlackettLuce(), np.random.default_rng(seed)
    ratings = {name: model.rating(name=name) for name in names}
    with pommego.make_vec("PommeFFACompetition-v0", at_once, max_episode_steps=max_steps) as envs:
        obs, info = envs.reset(seed=seed)
        seated = draw(len(names), at_once, rng)
        died = np.full((at_once, 4), max_steps)
        played, clock = 0, np.zeros(at_once, int)
        while played < games:
            actions = np.zeros(envs.num_envs, int)
            for k, name in enumerate(names):
                rows = np.flatnonzero(seated.ravel() == k)
                seen = {field: array[rows] for field, array in obs.items()}
                actions[rows] = members[name](seen, info["action_mask"][rows], rng)
            obs, _, terminated, truncated, info = envs.step(actions)
            clock += 1
            alive = envs.by_game(info["alive"])
            died = np.where(~alive & (died > clock[:, None]), clock[:, None], died)
            for game in np.flatnonzero((terminated | truncated)[:: envs.learners]):
                sat = [names[k] for k in seated[game]]
                after = model.rate([[ratings[name]] for name in sat], ranks=list(-died[game]))
                ratings |= {name: one[0] for name, one in zip(sat, after, strict=True)}
                played += 1
            # The step after the last one of a game begins the next.
            begun = np.flatnonzero(info.get("_seed", np.zeros(envs.num_envs, bool))[:: envs.learners])
            seated[begun] = draw(len(names), len(begun), rng)
            died[begun], clock[begun] = max_steps, 0
    return ratings


def draw(members: int, games: int, rng: np.random.Generator) -> np.ndarray:
    """Draw four members for each of the games: (games, seats)."""
    return rng.permuted(np.tile(np.arange(members), (games, 1)), axis=1)[:, :4]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = league(MEMBERS, options.games, seed=options.seed)
    print("member     rating   (mean and deviation)")
    for name, rating in sorted(table.items(), key=lambda entry: -entry[1].ordinal()):
        print(f"{name:9} {rating.ordinal():7.2f}   {rating.mu:.2f} +- {rating.sigma:.2f}")
