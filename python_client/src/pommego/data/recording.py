"""Data sets of games in which your own agents play, such as networks."""

import base64
import contextlib
import functools
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pommego._core import checks
from pommego._core.batch import Array
from pommego._core.connecting import Connection
from pommego._core.more_checks import check_options
from pommego._core.playing import searching, seatings
from pommego._core.policies import checked
from pommego._core.program import flags, run
from pommego.data.manifest import Manifest
from pommego.making import make_vec
from pommego.pool import check_policy, options_for
from pommego.registration import IDS
from pommego.vector import PommegoVectorEnv

Policy = Callable[[dict[str, Array], dict[str, Any]], ArrayLike | tuple[ArrayLike, Mapping[str, ArrayLike]]]
Forms = dict[str, tuple[np.dtype, tuple[int, ...]]]  # of extra arrays: dtype and shape, by name

_LEARNER = "learner"
_NOT_HERE = ("max_episode_steps", "on_death", "autoreset_mode", "batch_size", "start_states")


def record(
    policy: Policy,
    path: str | os.PathLike[str],
    id: str = IDS[0],
    *,
    games: int = 1000,
    name: str = "policy",
    seats: Sequence[str] | None = None,
    opponents: str | Sequence[str] | None = None,
    seat: int | None = None,
    seed: int = 1,
    num_envs: int = 256,
    observation: str | None = None,
    max_steps: int = 0,
    layout: str = "games",
    games_per_file: int = 0,
    rules: dict[str, Any] | None = None,
    extra: Mapping[str, tuple[Any, Sequence[int]]] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Manifest:
    """Play games with a policy and store them as a data set, as ``pommego generate`` does.

    After an interruption the same call starts from the beginning. The manifest says that
    the data set may not be repeatable, as the policy may act differently the next time.
    Built-in agents decide a second time when a game is stored: those with ``ms=`` are refused,
    and a server (`address`) must be of the client's version.

    Args:
        policy: a function of the observation and info of all its rows, as from
            `PommegoVectorEnv.step`, that returns their actions: integers (rows,), or
            (rows, components). Or a policy that searches, see `pommego.evaluate`.
        path: the folder for the data set.
        id: an id of the catalog.
        games: the number of games. Game i has seed ``seed + i``.
        name: the policy's name in the data set, after "client:".
        seats: for each seat "learner" (the policy) or an agent's name; with
            neither `seats` nor `opponents` the policy plays all seats.
        opponents: agents of all seats but one: a built-in agent's name for all of them, or a name for each.
        seat: with `opponents`: the policy's seat; None: drawn for each game.
        seed: the seed of the first game.
        num_envs: games at a time.
        observation: the encoding that the policy gets and layout "steps" stores, as it does the mask; None:
            the one that the policy asks for, or "planes".
        max_steps: truncate games after this many steps; 0: never.
        layout: "games" or "steps".
        games_per_file: how many games a file holds; 0: the default.
        rules: rules that differ from the id's.
        extra: further arrays that the policy returns, which become columns of layout
            "steps": for each name its dtype (uint8, int16, int32, uint64, float32 or
            float64) and its shape, () for a number. The policy then returns its actions and
            a dictionary of them, each (rows, *shape). Rows of other agents, and of those
            that are out, are null. "visits", int32, and "values", float64, both
            (choices,), go together and are the columns of agents that search.
        progress: called after each game with the number of games stored and in all.
        options: further options of `pommego.make_vec`, such as address and token, but not
            start_states: games begin on the boards of their seeds.

    Returns:
        the data set's manifest.

    Raises:
        ValueError, TypeError: an argument is not as described, or the policy returns other actions or arrays.
        PommegoError: storing failed; the message says why.
        ServerError: the server refused an option; see `pommego.make_vec`.
    """
    check_options(options, _NOT_HERE, record, make_vec)
    seed = checks.one_seed(seed)
    for what, value in {"games": games, "num_envs": num_envs}.items():
        checks.at_least(1, what, value)
    for what, value in {"max_steps": max_steps, "games_per_file": games_per_file}.items():
        checks.at_least(0, what, value)
    if not isinstance(extra or {}, Mapping):
        raise TypeError(f"extra is {extra!r:.100}, expected a dictionary of dtypes and shapes")
    forms = {key: (np.dtype(dtype), tuple(shape)) for key, (dtype, shape) in (extra or {}).items()}
    named = [opponents] if isinstance(opponents, str) else opponents or seats or ()
    if not isinstance(named, Sequence) or not all(isinstance(agent, str) for agent in named):
        what = "seats" if opponents is None else "opponents"
        raise TypeError(f"{what} is {named!r:.100}, expected names of built-in agents: there is one policy")
    others = [agent for agent in named if agent != _LEARNER]
    agents = list(dict.fromkeys([f"client:{name}", *others]))
    if observation is not None:
        options["observation"] = observation
    options = options_for([policy], options)
    options["connection"] = Connection.read(options.get("connection")).expanding()
    config = {"layout": layout, "agents": agents, "games": games, "seed": seed}
    config |= {"max_episode_steps": max_steps, "games_per_file": games_per_file}
    if layout == "steps":
        config |= {name: options[name] for name in ("observation", "mask")}
    config["extra"] = [
        {"name": key, "dtype": dtype.name, "shape": shape} for key, (dtype, shape) in forms.items()
    ]
    line_up = {"seats": seats, "opponents": opponents, "seat": seat}
    options |= {"max_episode_steps": max_steps or None, "rules": rules, "on_death": "wait"}

    def lines() -> Iterator[str]:
        yield json.dumps(config) + "\n"
        process = started[0]
        process.stdin.flush()
        if not process.stdout.readline():
            return  # the program has failed; its error says why
        with make_vec(id, min(num_envs, games), autoreset_mode="Disabled", **line_up, **options) as envs:
            if opponents is not None:
                line_ups, _ = zip(*seatings(envs.game_spec, agents[0], opponents, team=False), strict=True)
            else:
                every = seats or [_LEARNER] * envs.game_spec.seats
                line_ups = [[agents[0] if one == _LEARNER else one for one in every]] * len(every)
            played = _played(policy, envs, line_ups, range(seed, seed + games), forms)
            for done, game in enumerate(_in_order(played), 1):
                yield json.dumps(game) + "\n"
                if progress:
                    progress(done, games)

    started: list[subprocess.Popen[str]] = []
    with contextlib.closing(lines()) as text:
        where = flags(out=os.fspath(path), env=id, rules=rules or None)
        run("data", "pack", *where, text=text, started=started)
    return Manifest.read(path)


def _split(returned: Any, forms: Forms, rows: int) -> tuple[Any, dict[str, Array]]:
    """Return the actions and extra arrays in what a policy returned."""
    if not forms:
        return returned, {}
    if not isinstance(returned, tuple) or len(returned) != 2 or not isinstance(returned[1], Mapping):
        raise ValueError(
            f"the policy returned a {type(returned).__name__}, expected its actions and a dictionary of the "
            f"arrays in extra: {sorted(forms)}"
        )
    actions, told = returned
    if told.keys() != forms.keys():
        raise ValueError(
            f"the policy returned the arrays {sorted(told)}, expected those in extra: {sorted(forms)}"
        )
    arrays = {}
    for key, (dtype, shape) in forms.items():
        array = np.asarray(told[key])
        if array.shape != (rows, *shape):
            raise ValueError(f"the policy returned {key!r} of shape {array.shape}, expected {(rows, *shape)}")
        if array.dtype.kind in "iu" and dtype.kind in "iu":
            limits = np.iinfo(dtype)
            fits = limits.min <= int(array.min()) and int(array.max()) <= limits.max
        else:
            fits = np.can_cast(array.dtype, dtype, "safe") or array.dtype.kind == dtype.kind == "f"
        if not fits:
            raise ValueError(f"the policy returned {key!r} as {array.dtype}, which {dtype} cannot hold")
        arrays[key] = array
    return actions, arrays


def _in_order(games: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield games that end in any order in the order of their numbers."""
    waiting: dict[int, dict[str, Any]] = {}
    wanted = 0
    for number, game in games:
        waiting[number] = game
        while wanted in waiting:
            yield waiting.pop(wanted)
            wanted += 1


def _played(
    policy: Policy, envs: PommegoVectorEnv, line_ups: Sequence[Sequence[str]], seeds: range, forms: Forms
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Play a game for each seed; yield its number when it ends, and what ``pommego data pack`` reads.

    `line_ups` are by the seat of a game's first row.
    """
    n, learners, choices = envs.num_games, envs.learners, envs.game_spec.actions
    every, rows, unplayed = np.arange(n), np.arange(envs.num_envs), iter(range(len(seeds)))
    numbers, at = np.full(n, -1), np.zeros(n, np.int64)  # each slot's game, -1: not recorded; and its steps
    each = n, envs.game_spec.max_steps, learners
    taken = np.zeros((*each, len(choices)), np.uint8)
    extra = {key: np.zeros((*each, *shape), dtype.newbyteorder("<")) for key, (dtype, shape) in forms.items()}
    check_policy("policy", policy)

    @functools.wraps(policy)
    def ask(obs: dict[str, Array], info: dict[str, Any], **saved: Any) -> ArrayLike:
        actions, told = _split(policy(obs, info, **saved), forms, len(info["row"]))
        slots, own = np.divmod(info["row"], learners)
        for key, array in told.items():
            extra[key][slots, at[slots], own] = array
        return checked(policy, actions, info, choices)

    def begin(slots: Array) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin the next games in some slots; when there are none left, others that are not recorded."""
        given: list[int | None] = [None] * n
        for slot in slots.tolist():
            numbers[slot], at[slot] = next(unplayed, -1), 0
            given[slot] = (seeds.start + max(int(numbers[slot]), 0)) % 2**64
        mask = np.array([seed is not None for seed in given]).repeat(learners)
        return envs.reset(seed=given, options=None if mask.all() else {"reset_mask": mask})

    def coded(kept: Array, slot: int) -> str:
        return base64.b64encode(kept[slot, : at[slot]].tobytes()).decode()

    asked = searching(ask, [envs])
    obs, info = begin(every)
    while (numbers >= 0).any():
        valid = info["alive"] & (numbers >= 0).repeat(learners)  # no search for other games
        info |= {"valid": valid, "first": (at == 0).repeat(learners), "row": rows}
        actions = asked(obs, info)
        taken[every, at] = actions.reshape(n, *taken.shape[2:])
        at += 1
        obs, _, terminated, truncated, info = envs.step(actions)
        over = np.flatnonzero((terminated | truncated)[::learners])
        for slot in over[numbers[over] >= 0].tolist():
            row = slot * learners
            game = {
                "agents": line_ups[int(info["seat"][row])],
                "actions": coded(taken, slot),
                "extra": {key: coded(kept, slot) for key, kept in extra.items()},
                "winners": sum(1 << seat for seat, won in enumerate(info["game"]["winners"][row]) if won),
            }
            yield int(numbers[slot]), game
        if len(over):
            obs, info = begin(over)
