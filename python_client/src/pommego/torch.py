"""For PyTorch: batches of games as tensors on the learner's device, and `planes` of `raw` observations there.

PyTorch's threads and the server's workers fight for cores: start with ``OMP_NUM_THREADS=1``, or call
``torch.set_num_threads(1)``. `docs/training.md` has a loop that learns.
"""

import contextlib
import functools
import time
import warnings
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pommego._core.checks import one_seed
from pommego._core.games import Games
from pommego._core.rows import fields_of
from pommego.encoding import Library, convert
from pommego.errors import PommegoError
from pommego.server import cores
from pommego.spec import GameSpec
from pommego.vector import PommegoVectorEnv

__all__ = ["Batch", "Feed", "planes"]


class Batch(NamedTuple):
    """The batch of one half of a feed: tensors with the rows of one environment after another.

    A row is `over` if it gets no later reward in its episode: the episode ended, or its agent died in a game
    without teams. It is `truncated` if a limit of yours ended the episode, unless the agent is dead
    and has no team. Learn from `valid` rows. `infos` has the info of each environment, as numpy arrays; of
    the state only the final ones.
    """

    half: int  # 0 or 1
    obs: dict[str, torch.Tensor]  # by the fields of the observation
    mask: torch.Tensor  # bool (rows, choices)
    reward: torch.Tensor  # float32 (rows,), for the actions before; 0 after a reset
    over: torch.Tensor  # bool (rows,), like the next two
    truncated: torch.Tensor
    valid: torch.Tensor
    counts: torch.Tensor | None  # with counts="step": int32 (rows, names)
    state: dict[str, torch.Tensor]  # with state=True, by the fields of the global state
    infos: tuple[dict[str, Any], ...]


class Feed:
    """Steps environments in two halves: while the network decides for one, the server steps the other.

    On a GPU you own the tensors of a batch. The GPU reads it where the server wrote it, in pinned memory;
    if the system refuses, it is copied through pinned buffers. On a CPU the tensors are the environment's
    arrays, which are copied only if a half has several environments. They are yours, too; with ``copy=False``
    they are valid until the next batch of the same half.

    Args:
        envs: environments with the same observations, actions and counts, such as two for each kind of
            opponents; with ``expand_shared=False`` also with as many learners per game. The first ones, with
            about half of the rows, are one half. In the loop change opponents only in
            ``feed.halves[batch.half]``.
        device: where the tensors are.

    Attributes:
        halves: the environments of each half; a single environment is the only half.
        waited: the seconds that `step` waited for the "games", and for actions from the "device".

    Raises:
        ValueError: observations, actions, counts, autoreset modes or these numbers of learners differ, the
            mode is DISABLED, an environment is given twice, or there is none.
        PommegoError: an environment has a `batch_size`.
    """

    def __init__(self, envs: Sequence[PommegoVectorEnv], device: torch.device | str = "cpu") -> None:
        forms = [(each.encoding, each.state_encoding, each.game_spec.actions) for each in envs]
        if not forms or any(form != forms[0] for form in forms):
            raise ValueError(f"a feed of {list(envs)}, expected one or more with the same fields and actions")
        counted = [any(field.name == "counts" for field in each._session.about.made.fields) for each in envs]
        if len(set(counted)) > 1:
            raise ValueError(f"a feed with counts='step' {counted}: give it to all environments or to none")
        shared = [field.name for form in forms[0][:2] if form for field in form.fields if field.shared]
        rows = [1 if each._session.about.expand else each.learners for each in envs]
        if shared and len(set(rows)) > 1:
            raise ValueError(f"a feed with {shared} once for {rows} rows: leave out expand_shared=False")
        modes = [each.autoreset_mode.name for each in envs]
        if len(set(modes)) > 1 or "DISABLED" in modes:
            raise ValueError(f"a feed with autoreset modes {modes}, expected NEXT_STEP or SAME_STEP for all")
        if len(set(map(id, envs))) < len(envs):
            raise ValueError(f"a feed of {list(envs)}, expected each once: make another for the other half")
        for each in envs:
            each._check_together("a feed")
        rows = np.cumsum([each.num_envs for each in envs])
        first = int(np.abs(rows - rows[-1] / 2).argmin()) + 1
        self.halves = [half for half in (envs[:first], envs[first:]) if half]
        self.device = torch.device(device)
        self.waited = {"games": 0.0, "device": 0.0}
        self._turn = -1  # the half whose batch came last
        self._begun: list[Batch] = []  # batches of a reset, which step will return
        self._read: dict[int, Any] = {}  # for each half what the device reads, and the event after it
        self._pinned: dict[Any, bool] = {}  # memory, and whether we pinned it
        weakref.finalize(self, _unpin, self._pinned, self.device).atexit = False
        here = [each._session.about.workers for each in envs if each.server or each.shared_memory]
        if here:
            _warn_of_threads(torch.get_num_threads(), max(here), cores())

    def reset(self, *, seed: int | None = None) -> Batch:
        """Begin new episodes, game i of all with the seed ``seed + i``; return the first half's batch."""
        self._settle()
        self._begun, self._turn, games = [], 0, 0
        seed = None if seed is None else one_seed(seed)
        for number, half in enumerate(self.halves):
            answers = []
            for envs in half:
                obs, info = envs.reset(seed=None if seed is None else (seed + games) % (1 << 64))
                none = np.zeros(envs.num_envs, np.bool_)
                answers.append((obs, none, none, none, info))
                games += envs.num_games
            self._begun.append(self._batch(number, answers))
        return self._begun.pop(0)

    def step(self, actions: torch.Tensor) -> Batch:
        """Begin a step of the half whose batch came last, and return the batch of the other half.

        Actions are integers, (rows,) or (rows, components), on any device. After an error call `reset`.
        """
        if self._turn < 0:
            raise PommegoError("the feed has not begun: call reset() first")
        half, begin = self.halves[self._turn], time.perf_counter()
        chosen, ends = torch.as_tensor(actions).cpu().numpy(), np.cumsum([envs.num_envs for envs in half])
        if chosen.shape[:1] != (ends[-1],):  # before any environment steps
            raise ValueError(f"actions have shape {chosen.shape}, expected {ends[-1]} rows for this half")
        self._settle()
        self.waited["device"] += time.perf_counter() - begin
        for envs, own in zip(half, np.split(chosen, ends[:-1]), strict=True):
            envs.send(own)
        self._turn = (self._turn + 1) % len(self.halves)
        if self._begun:
            return self._begun.pop(0)
        begin = time.perf_counter()
        answers = [envs.recv() for envs in self.halves[self._turn]]
        self.waited["games"] += time.perf_counter() - begin
        return self._batch(self._turn, answers)

    def _batch(self, half: int, answers: list[tuple[Any, ...]]) -> Batch:
        if self.device.type == "cuda":
            self._pin(half)
        every, rewards, _, _, infos = zip(*answers, strict=True)
        states = [info["state"] for info in infos] if "state" in infos[0] else []
        flags = []
        for envs, (_, r, te, tr, info) in zip(self.halves[half], answers, strict=True):
            over, cut = te | tr, tr
            if envs.game_spec.dead_leave:  # the dead have no future, except in teams
                over |= (r != 0) & ~info["alive"]
                if tr.any():
                    last = info["final_info"] if "final_info" in info else info  # noqa: SIM401, get makes all entries
                    cut = tr & last["alive"]
            flags.append([over, cut, info["valid"]])
        batch = Batch(
            half,
            self._fields(every),
            self._moved([info["action_mask"] for info in infos]).view(torch.bool),
            self._moved(rewards).float(),
            *self._moved([np.concatenate(flags, axis=1)]),
            counts=self._moved([info["counts"] for info in infos]) if "counts" in infos[0] else None,
            state=self._fields(states) if states else {},
            infos=infos,
        )
        for info in infos if states else ():  # a batch that is kept must not keep the server's memory
            del info["state"], info["_state"]
        if self.device.type == "cuda":
            self._read[half] = (answers, states), torch.cuda.current_stream(self.device).record_event()
        return batch

    def _fields(self, every: Sequence[Any]) -> dict[str, torch.Tensor]:
        return {name: self._moved([fields_of(one)[name] for one in every]) for name in fields_of(every[0])}

    def _moved(self, parts: Sequence[NDArray[Any]]) -> torch.Tensor:
        tensors = [torch.from_numpy(part) for part in parts]
        if self.device.type == "cuda":  # pinned memory must not move
            tensors = [tensor.pin_memory().to(self.device, non_blocking=True) for tensor in tensors]
        return tensors[0].to(self.device) if len(tensors) == 1 else torch.cat(tensors).to(self.device)

    def _settle(self) -> None:
        """Wait until the device has read the last batch. Then the server may overwrite it."""
        for _, event in self._read.values():
            event.synchronize()

    def _pin(self, half: int) -> None:
        """Pin the memory that the server writes to, if the system allows it; unpin what a fork replaced."""
        _unpin({place: self._pinned.pop(place) for place in [*self._pinned] if place.moved}, self.device)
        shared = [envs._session.ask(Games.places) for envs in self.halves[half] if envs.shared_memory]
        for place in (place for places in shared for place in places):
            if place not in self._pinned:
                with torch.cuda.device(self.device):  # 1: portable
                    error = int(torch.cuda.cudart().cudaHostRegister(place.address, len(place), 1))
                self._pinned[place] = not error
                if error:
                    with contextlib.suppress(RuntimeError):  # else the next kernel gets the error
                        torch.ones(1, device=self.device).neg_()


def _unpin(pinned: dict[Any, bool], device: torch.device) -> None:
    if pinned:
        with torch.cuda.device(device):
            torch.cuda.synchronize()
            for place in (place for place, ours in pinned.items() if ours):
                torch.cuda.cudart().cudaHostUnregister(place.address)


@functools.cache  # warns once
def _warn_of_threads(threads: int, asked: int, most: int) -> None:
    """Warn if PyTorch and the server have more threads than there are cores; 0 asked: the server chooses."""
    if threads + (asked or most) > most and max(threads, asked) > 1:
        warnings.warn(
            f"PyTorch has {threads} threads and the server {asked or most} workers on {most} cores, where "
            "they wait for each other: call torch.set_num_threads(1) or start with OMP_NUM_THREADS=1, and "
            f"give make_vec at most workers={max(most - 1, 1)}",
            RuntimeWarning,
            stacklevel=3,
        )


#: Tables on devices, by the id of the numpy table, which is kept so that no other gets its id.
_moved: dict[tuple[int, torch.device], tuple[NDArray[Any], torch.Tensor]] = {}


def _table(table: NDArray[Any], like: torch.Tensor) -> torch.Tensor:
    key = (id(table), like.device)
    if key not in _moved:
        _moved[key] = table, torch.from_numpy(np.ascontiguousarray(table)).to(like.device)
    return _moved[key][1]


_TORCH = Library(
    table=_table,
    cast=lambda array, dtype: array.to(getattr(torch, dtype)),
    join=torch.cat,
    pick=lambda array, index: torch.take_along_dim(array, index.long(), -1),
    repeat=torch.repeat_interleave,
)


def planes(
    raw: Mapping[str, torch.Tensor], spec: GameSpec, *, unfogged: bool = False
) -> dict[str, torch.Tensor]:
    """Make `planes` observations of `raw` ones, as `pommego.planes` does, on the device that these are on."""
    return convert(_TORCH, raw, spec, unfogged)
