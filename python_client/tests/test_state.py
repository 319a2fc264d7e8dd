"""Saving, restoring, cloning and simulating games."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pommego
from compare import assert_same

Vec = Callable[..., pommego.PommegoVectorEnv]


def play(envs: pommego.PommegoVectorEnv, steps: int, seed: int = 0) -> list[object]:
    rng = np.random.default_rng(seed)
    return [envs.step(rng.integers(0, 6, envs.action_space.shape)) for _ in range(steps)]


@pytest.mark.parametrize("form", ["State", "bytes", "json", "pickle"])
def test_restored_games_go_on_as_they_would_have(vec: Vec, form: str) -> None:
    """RNG, the agents' memory and the episode's statistics included, in another environment too."""
    options = {"games": 3, "opponents": ["simple", "random", "simple"]}
    envs = vec(**options)
    envs.reset(seed=4)
    play(envs, 12)
    states = envs.get_state()
    kept = {
        "State": states,
        "bytes": [bytes(s) for s in states],
        "json": envs.get_state(as_json=True),
        "pickle": pickle.loads(pickle.dumps(states)),
    }[form]
    want = play(envs, 60, seed=1)
    other = vec(**options)
    other.reset(seed=999)
    other.set_state(range(3), kept)
    assert_same(tuple(play(other, 60, seed=1)), tuple(want))


def test_states_are_values(vec: Vec) -> None:
    envs = vec(games=2)
    envs.reset(seed=[3, 3])
    a, b = envs.get_state()
    assert a == b
    assert hash(a) == hash(b)
    assert len(a) == len(bytes(a)) > 0
    assert pommego.State(bytes(a)) == a
    assert a == bytes(a)
    assert repr(a) == f"State({len(a)} bytes)"
    play(envs, 1)
    assert envs.get_state(0) != a


def test_one_game_or_several(vec: Vec) -> None:
    envs = vec(games=3)
    obs, _ = envs.reset(seed=0)
    start = envs.get_state([2, 0])
    assert start[1] == envs.get_state(0)
    assert start[0] == envs.get_state(np.int64(2))
    play(envs, 5)
    mixed, info = envs.set_state(1, start[1])
    assert_same(mixed["planes"][4:8], obs["planes"][:4], "game 1 stands as game 0 did: ")
    assert (mixed["planes"][:4] != obs["planes"][:4]).any()
    assert "action_mask" in info


def test_json_has_the_references_fields(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    view = envs.get_state(0, as_json=True)
    assert {
        "board_size",
        "step_count",
        "board",
        "agents",
        "bombs",
        "flames",
        "items",
        "pommego",
    } <= view.keys()
    state = envs.get_state(0)
    assert state.json() == view
    envs.close()
    with pytest.raises(pommego.PommegoError, match="state_json"):
        state.json()
    other = vec(games=1)
    assert other.state_json(bytes(state)) == view, "another environment reads it too, even before a reset"


def test_games_are_saved_as_json_at_once(vec: Vec) -> None:
    envs = vec(games=3, opponents=["simple"] * 3)
    envs.reset(seed=0)
    play(envs, 7)
    want = [envs.state_json(state) for state in envs.get_state()]
    assert envs.get_state(as_json=True) == want
    assert envs.get_state([2, 0], as_json=True) == [want[2], want[0]]
    assert envs.get_state(np.int64(1), as_json=True) == want[1]


def test_bad_states_are_refused(vec: Vec) -> None:
    envs = vec(games=2)
    envs.reset(seed=0)
    state = bytes(envs.get_state(0))
    other = vec("OneVsOne-v0", 1)
    other.reset(seed=0)
    before = envs.get_state()
    for bad, reason in [
        (b"", "nothing"),
        (state[:-1], "cut off"),
        (state + b"x", "too long"),
        (bytes(other.get_state(0)), "another game's"),
        ("{", "JSON that is cut off"),
        ({"board": 1}, "JSON of something else"),
    ]:
        with pytest.raises(pommego.ServerError) as caught:
            envs.set_state([0, 1], [state, bad])
        assert caught.value.code == "bad_state", reason
    assert envs.get_state() == before, "if one is refused, none is set"
    with pytest.raises(TypeError, match="a state is"):
        envs.set_state(0, 5)
    with pytest.raises(ValueError, match="1 states for 2 games"):
        envs.set_state([0, 1], [state])
    with pytest.raises(pommego.ServerError):
        envs.get_state(2)


def altered(envs: pommego.PommegoVectorEnv, **fields: object) -> dict[str, object]:
    """Return game 0's state on an empty board with the agents in the corners, some fields replaced."""
    state = envs.get_state(0, as_json=True)
    for agent in (agents := json.loads(state["agents"])):
        agent["ammo"] = 2
    board = np.zeros((11, 11), int)
    board[[1, 9, 9, 1], [1, 1, 9, 9]] = range(10, 14)
    for bomb in fields.get("bombs", []):
        board[*bomb["position"]] = 3
    for flame in fields.get("flames", []):
        board[*flame["position"]] = 4
    fields |= {"board": board.tolist(), "agents": agents, "items": []}
    return state | {name: json.dumps(value) for name, value in fields.items()}


def bomb_at(row: int, col: int, **fields: object) -> dict[str, object]:
    bomb = {"position": [row, col], "bomber_id": 0, "life": 9, "blast_strength": 2, "moving_direction": None}
    return bomb | fields


def test_bombs_in_flames_roll_on_and_are_saved(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    flames = [{"position": [5, col], "life": 2} for col in (4, 5, 7)]
    bombs = [bomb_at(5, 4), bomb_at(5, 5, moving_direction=1), bomb_at(5, 7, moving_direction=4)]
    envs.set_state(0, altered(envs, bombs=bombs, flames=flames))
    for _ in range(4):
        envs.step([0] * 4)
        state = envs.get_state(0)
        envs.set_state(0, envs.state_json(state))
        assert envs.get_state(0) == state
        envs.set_state(0, state)
    board = np.array(json.loads(envs.state_json(state)["board"]))
    assert [tuple(map(int, cell)) for cell in np.argwhere(board == 3)] == [(1, 5), (5, 4), (5, 10)]
    assert not (board == 4).any()


def test_more_bombs_than_a_state_holds_are_refused(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    cells = [(row, col) for row in range(2, 9) for col in range(11)]
    with pytest.raises(pommego.ServerError, match="bombs has 60 entries.* 8 more.* 68 .*at most 64"):
        envs.set_state(0, altered(envs, bombs=[bomb_at(*cell, life=99) for cell in cells[:60]]))
    envs.set_state(0, altered(envs, bombs=[bomb_at(*cell, life=99) for cell in cells[:56]]))
    for _ in range(2):
        for move in (5, 1, 2):
            envs.step([move] * 4)
    state = envs.get_state(0, as_json=True)
    assert len(json.loads(state["bombs"])) == 64
    assert [agent["ammo"] for agent in json.loads(state["agents"])] == [0] * 4


def test_large_sets_of_states_go_in_several_messages(vec: Vec) -> None:
    envs = vec(games=40)
    envs.reset(seed=0)
    want = envs.get_state()
    size = max(map(len, want))
    small = vec(games=40)
    small.reset(seed=77)
    small._session.client.limits["message_bytes"] = 4096 + 5 * size
    calls = []
    call = small._session.client.call
    small._session.client.call = lambda kind, *a, **k: calls.append(kind) or call(kind, *a, **k)
    small.set_state(range(40), want)
    assert len(calls) >= 8
    assert small.get_state() == want


def test_clones_are_independent(vec: Vec) -> None:
    envs = vec(games=3, opponents=["simple"] * 3)
    envs.reset(seed=1)
    play(envs, 10)
    envs.timeout = 50
    twin = envs.clone()
    try:
        assert twin.timeout == 50
        want = tuple(play(envs, 30, seed=2))
        assert_same(tuple(play(twin, 30, seed=2)), want)
        before = envs.get_state()
        twin.reset(seed=5)
        assert envs.get_state() == before
    finally:
        twin.close()
    play(envs, 1)


def test_clones_go_on_as_they_were_set(vec: Vec) -> None:
    """With the opponents and start states set last, in the present episodes and in the next."""

    def up(obs: dict[str, np.ndarray], info: dict[str, np.ndarray]) -> np.ndarray:
        return info["action_mask"][:, 1].astype(int)

    envs = vec(games=3, opponents=[lambda obs, info: up(obs, info) * 0, "static", "static"], seat=0)
    envs.reset(seed=1)
    play(envs, 20)
    envs.set_start_states(envs.get_state([0]))
    for line_ups in ([[up, "static", "static"]], [["static"] * 3, [up, "simple", "static"]]):
        envs.set_opponents(pommego.LineUps(line_ups))
    envs.reset(seed=4)
    play(envs, 2)
    with envs.clone() as twin:
        want = play(envs, 60)
        assert any("game" in info for *_, info in want)
        assert_same(tuple(play(twin, 60)), tuple(want))


def test_simulate_is_a_step_apart(vec: Vec) -> None:
    """Nothing is random in a step of four learners, so it must be the very step."""
    envs = vec("PommeTeamCompetition-v0", 6)
    envs.reset(seed=8)
    play(envs, 9)
    states = envs.get_state()
    actions = np.random.default_rng(0).integers(0, 6, 24)
    simulated = envs.simulate(states, actions, seed=1)
    assert envs.get_state() == states, "the games themselves stand still"
    obs, reward, terminated, truncated, _ = envs.step(actions)
    assert_same(
        (simulated.obs, simulated.reward, simulated.terminated, simulated.truncated),
        (obs, reward, terminated, truncated),
    )
    assert simulated.info["seed"] == 1
    assert len(simulated.states) == 6


def test_search_cannot_foresee_the_dice(vec: Vec) -> None:
    """Random opponents move differently in each copy, and the same again with the same seed."""
    envs = vec(games=1, opponents=["random"] * 3, seat=0)
    envs.reset(seed=8)
    state = envs.get_state(0)
    copies = [state] * 64
    actions = np.zeros(64, int)
    a = envs.simulate(copies, actions, seed=3)
    b = envs.simulate(copies, actions, seed=3)
    c = envs.simulate(copies, actions)
    assert_same(a.obs, b.obs)
    assert len({obs.tobytes() for obs in a.obs["planes"]}) > 10, "the copies' random generators differ"
    assert (a.obs["planes"] != c.obs["planes"]).any()


def test_copies_with_the_games_own_seed_draw_otherwise(vec: Vec) -> None:
    """Copy k of a simulation with seed 5 is none of game k of a reset with seed 5."""
    envs = vec(games=8, opponents=["random"] * 3, seat=0)
    envs.reset(seed=5)
    stays = np.zeros(8, int)
    foreseen = envs.simulate(envs.get_state(), stays, seed=5).obs["planes"]
    assert (envs.step(stays)[0]["planes"] != foreseen).any()


def test_simulating_bare_states_is_repeatable(vec: Vec) -> None:
    """What the state does not say, such as the learner's seat, depends on the seed alone."""
    envs = vec(games=2, opponents=["static"] * 3)
    envs.reset(seed=1)
    state = envs.get_state(0, as_json=True)
    del state["pommego"]["pool"]
    seats = []
    for before in range(3):
        if before:
            envs.simulate([envs.get_state(0)], [0], seed=before)
        seats.append([envs.simulate([state], [0], seed=seed)[-1]["seat"][0] for seed in range(8)])
    assert seats[0] == seats[1] == seats[2] and len(set(seats[0])) > 1


def test_simulating_many_is_simulating_each(vec: Vec) -> None:
    """Split over several messages or not, with games that end in some of them."""
    envs = vec("OneVsOne-v0", 64, max_episode_steps=5)
    envs.reset(seed=0)
    play(envs, 3)
    ending = envs.get_state()
    play(envs, 1)
    states = ending[:30] + envs.get_state()[:30]
    actions = np.random.default_rng(0).integers(0, 6, (60, 2))
    whole = envs.simulate(states, actions, seed=2**64 - 7)
    assert whole.truncated.tolist() == [False] * 60 + [True] * 60
    assert whole.info["game"]["length"].tolist() == [0] * 60 + [5] * 60
    envs._session.client.limits["games_per_env"] = 17
    parts = envs.simulate(states, actions, seed=2**64 - 7)
    assert_same(parts._asdict() | {"states": 0}, whole._asdict() | {"states": 0})
    assert parts.states == whole.states
    with pytest.raises(
        pommego.ServerError, match=r"game 0: the game has finished \[game_fin.*\n.*simulate takes no"
    ):
        envs.simulate(whole.states[-1:], np.zeros(2, int))


def test_simulation_plays_on(vec: Vec) -> None:
    """To the end of each episode, the same in one message or several."""
    envs = vec("OneVsOne-v0", 6, max_episode_steps=12)
    envs.reset(seed=3)
    play(envs, 5)
    states = envs.get_state()
    actions = np.random.default_rng(0).integers(0, 6, 12)
    options = {"seed": 4, "policy": "random"}
    first, short, whole = (envs.simulate(states, actions, steps=n, **options) for n in (1, 2, 9))
    assert first.states == envs.simulate(states, actions, seed=4).states
    assert whole.obs["planes"].shape == (12, 18, 8, 8)
    assert (whole.terminated | whole.truncated).all(), "every episode ends, after at most seven steps"
    assert (whole.info["game"]["length"][whole.truncated] == 12).all()
    assert len({*first.states, *short.states, *whole.states}) == 18
    simple = envs.simulate(states, actions, steps=9, seed=4, policy="simple")
    assert simple.states != whole.states
    assert envs.get_state() == states, "the games themselves stand still"
    envs._session.client.limits["games_per_env"] = 2
    parts = envs.simulate(states, actions, steps=9, **options)
    assert_same(parts._asdict() | {"states": 0}, whole._asdict() | {"states": 0})
    assert parts.states == whole.states


def test_rollouts_do_not_depend_on_workers(vec: Vec) -> None:
    made = [vec("PommeTeamCompetition-v0", 1, workers=n, opponents=["simple"] * 3) for n in (1, 2, 5)]
    made[0].reset(seed=1)
    state = made[0].get_state(0)
    for envs in made:
        envs.reset(seed=9)
    options = {"seed": 2, "steps": 60, "policy": "simple"}
    played = [envs.simulate([state] * 40, np.zeros(40, int), **options) for envs in made]
    assert len(set(played[0].states)) == 40
    for other in played[1:]:
        assert_same(other._asdict() | {"states": 0}, played[0]._asdict() | {"states": 0})
        assert other.states == played[0].states


@pytest.mark.parametrize("form", ["State", "bytes", "json", "text"])
def test_one_state_is_no_list(vec: Vec, form: str) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    shown = envs.get_state(0, as_json=True)
    state = {"State": envs.get_state(0), "bytes": b"x", "json": shown, "text": json.dumps(shown)}[form]
    for call in (
        lambda: envs.simulate(state, np.zeros(4, int)),
        lambda: envs.set_state([0], state),
        lambda: pommego.Starts(state),
    ):
        with pytest.raises(TypeError, match=r"^states is one \w+, expected a list: \[state\]"):
            call()


@pytest.mark.parametrize(
    "games", [[True, False], np.array([True, False]), [0, 1.0], 1.5, True, np.float64(1)]
)
def test_games_are_numbers(vec: Vec, games: object) -> None:
    """A mask would be games 1 and 0."""
    envs = vec(games=2)
    envs.reset(seed=0)
    states = envs.get_state()
    for call in (envs.get_state, envs.render, lambda games: envs.set_state(games, states)):
        with pytest.raises(TypeError, match=r"^games\[\d\] is .*, expected a number$"):
            call(games)
    with pytest.raises(pommego.ServerError, match="seat is a float, want an integer"):
        envs.render(0, seat=1.5)
    assert envs.get_state(np.array([1, 0], np.uint8)) == states[::-1]
    assert envs.render(0, seat=np.int64(1)) == envs.render(np.int8(0), seat=1)


def test_simulate_refuses_nonsense(vec: Vec) -> None:
    envs = vec(games=1)
    envs.reset(seed=0)
    state = envs.get_state(0)
    with pytest.raises(ValueError, match="no states"):
        envs.simulate([], [])
    with pytest.raises(ValueError, match="shape"):
        envs.simulate([state], np.zeros(3, int))
    with pytest.raises(pommego.ServerError, match="bad_action"):
        envs.simulate([state], np.full(4, 6))
    with pytest.raises(pommego.ServerError, match="bad_state"):
        envs.simulate([b"nonsense"], np.zeros(4, int))
    with pytest.raises(ValueError, match="steps is 0, want 1 to 65535"):
        envs.simulate([state], np.zeros(4, int), steps=0, policy="random")
    with pytest.raises(pommego.ServerError, match="steps is 2, and there is no policy"):
        envs.simulate([state], np.zeros(4, int), steps=2)
    for steps in (1, 2):
        with pytest.raises(TypeError, match="policy is <function.*, expected the name of an agent"):
            envs.simulate([state], np.zeros(4, int), steps=steps, policy=lambda obs, info: 0)
        with pytest.raises(pommego.ServerError, match="nobody.*bad_option"):
            envs.simulate([state], np.zeros(4, int), steps=steps, policy="nobody")
