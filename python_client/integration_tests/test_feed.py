"""A feed hands out what its environments would, in halves, and leaves it as it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pommego
from pommego.torch import Batch, Feed, planes

Vec = Callable[..., pommego.PommegoVectorEnv]

FFA, TEAM, RADIO, DUEL = (
    "PommeFFACompetition-v0",
    "PommeTeamCompetition-v0",
    "PommeRadioCompetition-v2",
    "OneVsOne-v0",
)
SAME = {"autoreset_mode": "SameStep"}
NEAR = {"observation": "near", "mask": "safe"}


def hasty(obs: dict[str, np.ndarray], info: dict[str, Any]) -> np.ndarray:
    """Play another seat: lay a bomb wherever that is safe."""
    return 5 * info["action_mask"][:, 5].astype(int)


ON_A_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
ON_DEVICES = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=ON_A_GPU)])

CASES: list[tuple[str, list[dict[str, Any]]]] = [
    (FFA, [{"opponents": ["static"] * 3}] * 2),
    (FFA, [{"opponents": ["simple"] * 3, **SAME, "counts": "step"}]),
    (FFA, [{"opponents": [o] * 3, **SAME, "observation": "raw"} for o in ("simple", "static", "random")]),
    (FFA, [{"max_episode_steps": 9}] * 2),
    (FFA, [{**SAME, "reward": "reference"}] * 2),
    (TEAM, [{"seats": ["learner", o] * 2, **SAME, "state": True} for o in ("simple", "random")] * 2),
    (TEAM, [{"seats": ["learner", "simple"] * 2, "observation": "raw", "expand_shared": False}] * 2),
    (TEAM, [{"observation": "unfogged", "state": True, "expand_shared": False}] * 3),
    (RADIO, [{"opponents": ["random"] * 3, **SAME, "observation": "raw"}] * 2),
    (DUEL, [{"opponents": ["static"], "observation": "box", "state": True}] * 2),
    (FFA, [{"opponents": [o] * 3, **SAME, **NEAR} for o in ("simple", "static", "random")] * 2),
    (RADIO, [{"seats": ["learner", "static"] * 2, "state": True, **NEAR, "max_episode_steps": 20}] * 2),
    (
        FFA,
        [
            {"opponents": [hasty, "static", "static"], **SAME, **NEAR, "max_episode_steps": 30},
            {**SAME, **NEAR, "max_episode_steps": 35},
        ],
    ),
    ("BaseWarSides-v0", [{"opponents": ["random"], **SAME}] * 2),
]


def arrays(batch: Batch) -> dict[str, np.ndarray]:
    """Copy what a batch holds."""
    named = {name: part for name, part in batch._asdict().items() if isinstance(part, torch.Tensor)}
    named |= {f"obs.{name}": part for name, part in batch.obs.items()}
    named |= {f"state.{name}": part for name, part in batch.state.items()}
    return {name: part.cpu().numpy().copy() for name, part in named.items()}


def joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], dict):
        return {name: joined([part[name] for part in parts]) for name in parts[0]}
    return np.concatenate(parts)


class Twins:
    """Environments like those of a feed, stepped one by one: what it should hand out."""

    def __init__(self, all_envs: list[pommego.PommegoVectorEnv], halves: list[int], seed: int) -> None:
        ends = np.cumsum(halves)
        self.halves = [all_envs[end - n : end] for n, end in zip(halves, ends, strict=True)]
        self.dead, games, self.begun = [], 0, []
        for half in self.halves:
            answers = []
            for envs in half:
                obs, info = envs.reset(seed=seed + games)
                games += envs.num_games
                none = np.zeros(envs.num_envs, bool)
                answers.append((obs, none.astype(np.float32), none, none, info))
            self.begun.append(self.expected(answers))

    def step(self, half: int, actions: np.ndarray) -> dict[str, np.ndarray]:
        answers = []
        for envs in self.halves[half]:
            own, actions = np.split(actions, [envs.num_envs])
            answers.append(envs.step(own))
        return self.expected(answers)

    def expected(self, answers: list[tuple[Any, ...]]) -> dict[str, np.ndarray]:
        obs, reward, terminated, truncated, infos = zip(*answers, strict=True)
        leave = self.halves[0][0].game_spec.dead_leave
        died = joined([(r != 0) & ~info["alive"] & leave for r, info in zip(reward, infos, strict=True)])
        alive = joined([info.get("final_info", info)["alive"] for info in infos])
        want = {
            "mask": joined([info["action_mask"] for info in infos]).astype(bool),
            "reward": joined(list(reward)).astype(np.float32),
            "over": joined(list(terminated)) | joined(list(truncated)) | died,
            "truncated": joined(list(truncated)) & (alive | (not leave)),
            "valid": joined([info["valid"] for info in infos]),
        }
        if "counts" in infos[0]:
            want["counts"] = joined([info["counts"] for info in infos])
        named = [("obs", list(obs))]
        named += [("state", [info["state"] for info in infos])] if "state" in infos[0] else []
        for stem, parts in named:
            fields = joined(parts)
            fields = fields if isinstance(fields, dict) else {"box": fields}
            want |= {f"{stem}.{name}": array for name, array in fields.items()}
        return {name: array.copy() for name, array in want.items()}


def drawn(batch: Batch, envs: pommego.PommegoVectorEnv) -> np.ndarray:
    """Draw legal actions without the device; bombs are few, so that games last."""
    mask = np.concatenate([info["action_mask"] for info in batch.infos])
    rng = np.random.default_rng(int(mask.sum()))
    choices = [choice.n for choice in envs.game_spec.actions]
    parts = np.split(mask, np.cumsum(choices)[:-1], axis=1)
    noise = [part * rng.random(part.shape) for part in parts]
    noise[0][:, -1] *= 0.8
    return np.stack([part.argmax(1) for part in noise], 1).squeeze()


def played(
    feed: Feed, twins: Twins, steps: int, first: Batch, delay: Callable[[], None] | None = None
) -> Iterator[tuple[Batch, dict[str, np.ndarray]]]:
    """Step both with the same actions; yield each batch and what it should hold."""
    wanted, batch = list(twins.begun), first
    for _ in range(steps * len(feed.halves)):
        yield batch, wanted[batch.half]
        actions = drawn(batch, feed.halves[0][0])
        wanted[batch.half] = twins.step(batch.half, actions)
        if delay:
            delay()
        batch = feed.step(torch.from_numpy(actions))


def made(vec: Vec, id: str, all_options: list[dict[str, Any]], **more: Any) -> list[pommego.PommegoVectorEnv]:
    return [vec(id, 3 + n, **options, **more) for n, options in enumerate(all_options)]


def assert_same(got: dict[str, np.ndarray], want: dict[str, np.ndarray], where: str) -> None:
    assert got.keys() == want.keys()
    for name, array in want.items():
        assert got[name].dtype == array.dtype, name
        np.testing.assert_array_equal(got[name], array, f"{where}: {name}")


@ON_DEVICES
@pytest.mark.parametrize(("id", "all_options"), CASES)
@pytest.mark.parametrize("copy", [True, False], ids=["copied", "views"])
@pytest.mark.parametrize("shared", [True, False], ids=["shared memory", "socket"])
def test_what_the_environments_answer(
    vec: Vec, id: str, all_options: list[dict[str, Any]], copy: bool, shared: bool, device: str
) -> None:
    """Environments of a half follow one another, game i of all has the seed + i, and halves take turns."""
    feed = Feed(made(vec, id, all_options, copy=copy, shared_memory=shared), device)
    for again in range(2):
        twins = Twins(made(vec, id, all_options), [len(half) for half in feed.halves], seed=again)
        seen, first = [], feed.reset(seed=again)
        for n, (batch, want) in enumerate(played(feed, twins, 40, first)):
            assert batch.half == n % len(feed.halves) and len(batch.infos) == len(feed.halves[batch.half])
            assert {part.device.type for part in batch.obs.values()} == {device}
            assert_same(arrays(batch), want, f"batch {n}")
            seen.append(want)
        assert any(want["over"].any() for want in seen), "no game ended"
    assert min(feed.waited.values()) > 0


def test_a_dead_learner_is_over_once(vec: Vec) -> None:
    """Where all seats learn and the dead wait: at its death, and when its game ends, which is not valid."""
    feed = Feed([vec(FFA, 4)])
    batch, ends = feed.reset(seed=0), np.zeros(16, int)
    for _ in range(200):
        batch = feed.step(torch.from_numpy(drawn(batch, feed.halves[0][0])))
        assert not (batch.over & batch.valid & (batch.reward == 0)).any()
        ends += (batch.over & batch.valid).numpy()
        if batch.infos[0]["_game"].all() if "_game" in batch.infos[0] else False:
            break
    assert ends.min() > 0


def test_a_side_is_paid_after_a_death(vec: Vec) -> None:
    """Its members, the dead one too, go on to the end of their game."""
    feed, paid = Feed([vec("BaseWar-v0", 4, reward="reference", **SAME)]), 0
    batch = feed.reset(seed=0)
    for _ in range(200):
        batch = feed.step(torch.from_numpy(drawn(batch, feed.halves[0][0])))
        paid += (batch.valid & (batch.reward != 0) & torch.from_numpy(~batch.infos[0]["alive"])).sum()
        ended = batch.infos[0].get("_game", np.zeros(24, bool))
        np.testing.assert_array_equal(batch.over.numpy(), ended)
    assert paid, "nobody died for points"


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(("id", "future"), [(FFA, False), (TEAM, True)])
def test_a_death_in_the_truncating_step(vec: Vec, mode: str, id: str, future: bool) -> None:
    """By its own bomb: nothing follows for it, unless it has a team."""
    feed = Feed([vec(id, 1, max_episode_steps=10, autoreset_mode=mode)])
    feed.reset(seed=0)
    for move in [5, *[0] * 9]:
        batch = feed.step(torch.tensor([move, 0, 0, 0]))
        died = ~batch.infos[0].get("final_info", batch.infos[0])["alive"]
    assert died.tolist() == [True, False, False, False]
    assert batch.over.all() and batch.valid.all()
    assert batch.truncated.tolist() == [future, True, True, True]


@pytest.mark.parametrize("games", [4, 200], ids=["small", "large"])
def test_batches_stand(vec: Vec, games: int) -> None:
    """On the CPU, too: all that were kept, or of views the last one of each half."""
    for copy in (True, False):
        options = {"opponents": ["static"] * 3, **SAME}
        feed = Feed([vec(FFA, games, copy=copy, **options) for _ in range(2)])
        all_twins = [vec(FFA, games, **options) for _ in range(2)]
        kept: list[tuple[Batch, dict[str, np.ndarray]]] = []
        for pair in played(feed, Twins(all_twins, [1, 1], 0), 20, feed.reset(seed=0)):
            kept.append(pair)
            for batch, want in kept if copy else kept[-2:]:
                assert_same(arrays(batch), want, "later")


@ON_A_GPU
@pytest.mark.parametrize("copy", [True, False], ids=["copied", "views"])
@pytest.mark.parametrize("shared", [True, False], ids=["shared memory", "socket"])
@pytest.mark.parametrize("refused", [False, True], ids=["", "refused"])
def test_a_slow_gpu_sees_what_was_there(vec: Vec, copy: bool, shared: bool, refused: bool) -> None:
    """It has not begun to read a batch when the actions for it come, which do not depend on it."""
    options = {"opponents": ["static"] * 3, **SAME}
    own, all_twins = ([vec(FFA, 500, **options, **how) for _ in range(2)] for how in ({"copy": copy}, {}))
    if refused:
        before = Feed(own, "cuda")  # which has pinned the memory, what cannot be done twice
        batch = before.reset(seed=0)
        for _ in range(9):
            batch = before.step(batch.mask.long().argmax(1))
    feed = Feed(own, "cuda")
    twins = Twins(all_twins, [1, 1], 0)
    pairs = list(played(feed, twins, 20, feed.reset(seed=0), lambda: torch.cuda._sleep(20_000_000)))
    for n, (batch, want) in enumerate(pairs):
        assert_same(arrays(batch), want, f"batch {n}")
    assert bool(feed._pinned) == shared
    assert refused or all(feed._pinned.values())


def test_the_cpu_copies_nothing(vec: Vec) -> None:
    """Observations and masks are where the server wrote them."""
    for copy in (True, False):
        feed = Feed([vec(FFA, 100, opponents=["static"] * 3, copy=copy) for _ in range(2)])
        batch = feed.reset(seed=0)
        for _ in range(6):
            batch = feed.step(batch.mask.long().argmax(1))
            if not batch.valid.any():  # a reset's is small change
                continue
            (envs,) = feed.halves[batch.half]
            places = [place.mapping for place in envs._session.client.memory.places if place]
            at = batch.obs["planes"].data_ptr()
            assert any(place.address <= at < place.address + len(place) for place in places)
            assert batch.mask.data_ptr() == batch.infos[0]["action_mask"].__array_interface__["data"][0]


def test_batches_that_are_put_together_keep_no_shared_memory(vec: Vec) -> None:
    """However many are kept, also of the state: then the server has room for the next."""
    feed = Feed(
        [vec(TEAM, 40, state=True, seats=["learner", "static"] * 2, expand_shared=False) for _ in "1234"]
    )
    kept = [feed.reset(seed=0)]
    for _ in range(6):
        kept.append(feed.step(torch.zeros(160, dtype=torch.int64)))
    assert kept[-1].state["planes"].shape == (80, 18, 11, 11)
    for envs in chain(*feed.halves):
        assert not any(place.lent for place in envs._session.client.places())


def test_last_observations_are_made_when_they_are_read(vec: Vec) -> None:
    """A limit that ends games reads no more than who is alive."""
    feed = Feed([vec(FFA, 3, max_episode_steps=2, **SAME)])
    feed.reset(seed=0)
    for _ in range(2):
        batch = feed.step(torch.zeros(12, dtype=torch.int64))
    assert batch.truncated.all()
    assert isinstance(dict.__getitem__(batch.infos[0], "final_obs"), partial)
    assert isinstance(dict.__getitem__(batch.infos[0]["final_info"], "obs"), partial)


@ON_A_GPU
def test_memory_that_a_fork_replaced_is_unpinned(vec: Vec) -> None:
    envs = vec(FFA, 2, opponents=["static"] * 3, copy=False)
    feed = Feed([envs], "cuda")
    feed.reset(seed=0)
    for _ in range(5):
        for place in envs._session.client.places():
            place.move()
        feed.step(torch.zeros(2, dtype=torch.int64, device="cuda"))
    assert len(feed._pinned) <= 4


def test_one_half_is_stepped_while_the_other_is_here(vec: Vec) -> None:
    feed = Feed([vec(FFA, 2, opponents=["static"] * 3) for _ in range(4)])
    assert [len(half) for half in feed.halves] == [2, 2]
    batch = feed.reset(seed=0)
    for _ in range(6):
        batch = feed.step(torch.zeros(4, dtype=torch.int64))
        flying = [[envs._in_flight for envs in half] for half in feed.halves]
        assert flying[batch.half] == [0, 0] and flying[1 - batch.half] == [1, 1]


@pytest.mark.parametrize(
    ("games", "halves"), [([9], [1]), ([3, 3], [1, 1]), ([6, 2, 2], [1, 2]), ([1, 1, 9], [2, 1])], ids=str
)
def test_halves(vec: Vec, games: list[int], halves: list[int]) -> None:
    feed = Feed([vec(FFA, n, opponents=["static"] * 3) for n in games])
    assert [len(half) for half in feed.halves] == halves
    assert [envs.num_envs for envs in chain(*feed.halves)] == games


def test_opponents_change_in_the_half_that_answered(vec: Vec) -> None:
    """The other's steps are in flight."""
    feed = Feed([vec(FFA, 2, opponents=["static"] * 3) for _ in range(2)])
    batch = feed.reset(seed=0)
    for _ in range(4):
        batch = feed.step(torch.zeros(2, dtype=torch.int64))
        feed.halves[batch.half][0].set_opponents(["random"] * 3)
        with pytest.raises(pommego.PommegoError, match=r"of a feed, take feed.halves\[batch.half\]"):
            feed.halves[1 - batch.half][0].set_start_states(None)


def test_planes_are_made_of_its_observations(vec: Vec) -> None:
    """Of raw ones, and of those that a rollout has put together."""
    options = {"opponents": ["random"] * 3, **SAME}
    raw, want = (Feed([vec(TEAM, 5, observation=o, **options) for _ in range(2)]) for o in ("raw", "planes"))
    pair, kept = (raw.reset(seed=1), want.reset(seed=1)), []
    for _ in range(10):
        kept.append(pair)
        actions = torch.from_numpy(drawn(pair[0], raw.halves[0][0]))
        pair = raw.step(actions), want.step(actions)
    both = [{name: torch.stack([b[k].obs[name] for b in kept]) for name in kept[0][k].obs} for k in range(2)]
    seen = planes(both[0], raw.halves[0][0].game_spec)
    assert all(torch.equal(seen[name], part) for name, part in both[1].items())


def test_threads_that_fight_for_cores(vec: Vec) -> None:
    """It is told once, with what to do."""
    cores, before = pommego.server.cores(), torch.get_num_threads()
    told = [(cores + 1, 1), (2 * cores, 0), (1, 2 * cores)]
    try:
        for threads, workers in (*told, (1, 0), (1, max(cores - 1, 1))):
            torch.set_num_threads(threads)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(2):
                    Feed([vec(FFA, 2, opponents=["static"] * 3, workers=workers)])
            said = [str(warning.message) for warning in caught]
            assert len(said) == ((threads, workers) in told), (threads, workers, said)
            for message in said:
                assert f"PyTorch has {threads} threads and the server {workers or cores} workers" in message
                assert f"{cores} cores" in message and "workers=" in message
                assert "torch.set_num_threads(1)" in message and "OMP_NUM_THREADS=1" in message
                assert caught[0].filename == __file__
    finally:
        torch.set_num_threads(before)


def test_what_is_wrong(vec: Vec) -> None:
    static = {"opponents": ["static"] * 3}
    with pytest.raises(ValueError, match=r"a feed of \[\], expected one or more"):
        Feed([])
    with pytest.raises(ValueError, match=r"=planes.*=raw.*the same fields and actions"):
        Feed([vec(FFA, 2, **static), vec(FFA, 2, observation="raw", **static)])
    with pytest.raises(
        ValueError, match=r"counts='step' \[True, False\]: give it to all environments or to none"
    ):
        Feed([vec(FFA, 2, counts="step", **static), vec(FFA, 2, **static)])
    for modes in (["DISABLED", "DISABLED"], ["NEXT_STEP", "SAME_STEP"]):
        with pytest.raises(ValueError, match=f"autoreset modes .*{modes[0]}.*{modes[1]}.* for all"):
            Feed([vec(FFA, 2, autoreset_mode=mode, **static) for mode in modes])
    with pytest.raises(ValueError, match="expected each once"):
        Feed([vec(FFA, 2, **static)] * 2)
    once = {"observation": "raw", "expand_shared": False}
    for others in ({**once, **static}, {"observation": "raw"}):
        with pytest.raises(
            ValueError, match=r"a feed with \['maps'\] once for \[4, 1\] rows: leave out expand_shared"
        ):
            Feed([vec(FFA, 1, **once), vec(FFA, 4, **others)])
    Feed([vec(FFA, 2, **once, **static), vec(FFA, 2, observation="raw", **static)])
    with pytest.raises(pommego.PommegoError, match="a feed is for all 4 games"):
        Feed([vec(FFA, 4, batch_size=2, **static)])
    feed = Feed([vec(FFA, 2, **static), vec(FFA, 2, **static)])
    with pytest.raises(pommego.PommegoError, match=r"call reset\(\)"):
        feed.step(torch.zeros(2, dtype=torch.int64))
    feed.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions have shape \(3,\), expected 2 rows for this half"):
        feed.step(torch.zeros(3, dtype=torch.int64))
    feed.reset(seed=0)
    feed.step(torch.full((2,), 7))
    with pytest.raises(pommego.ServerError, match="7"):
        feed.step(torch.zeros(2, dtype=torch.int64))
    assert feed.reset(seed=2**64 - 1).half == 0
    assert feed.step(np.zeros(2, int)).half == 1


def test_a_wrong_number_of_actions_steps_nothing(vec: Vec) -> None:
    """In a half of two environments, neither of them, and the feed goes on."""
    feed = Feed([vec(FFA, n, opponents=["static"] * 3) for n in (2, 2, 4)])
    twins = Twins([vec(FFA, n, opponents=["static"] * 3) for n in (2, 2, 4)], [2, 1], 0)
    for n, (batch, want) in enumerate(played(feed, twins, 5, feed.reset(seed=0))):
        assert_same(arrays(batch), want, f"batch {n}")
        for wrong in (3, 5):
            with pytest.raises(ValueError, match=rf"shape \({wrong},\), expected 4 rows"):
                feed.step(torch.zeros(wrong, dtype=torch.int64))
