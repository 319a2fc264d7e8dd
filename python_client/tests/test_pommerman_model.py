"""What of pommego.pommerman works on boards of one's own: helpers, random boards, the forward model."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest

import recorded
from pommego.pommerman import agents, characters, constants, forward_model, utility
from pommego.pommerman.constants import Action, GameType, Item, Result

MODEL = forward_model.ForwardModel()
INVALID = constants.InvalidAction

BOARD = np.array([[0, 1, 2], [4, 5, 6], [7, 8, 10]], np.uint8)


# Helpers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("passage", {0}),
        ("rigid", {1}),
        ("wood", {2}),
        ("wall", {1, 2}),
        ("flames", {4}),
        ("fog", {5}),
        ("powerup", {6, 7, 8}),
        ("agent", {10}),
    ],
)
def test_what_is_at_a_position(name: str, cells: set[int]) -> None:
    ask = getattr(utility, f"position_is_{name}")
    assert {int(BOARD[cell]) for cell in np.ndindex(3, 3) if ask(BOARD, cell)} == cells


def test_who_can_be_walked_through() -> None:
    def passable(enemies: list[Item]) -> set[int]:
        cells = np.ndindex(3, 3)
        return {int(BOARD[cell]) for cell in cells if utility.position_is_passable(BOARD, cell, enemies)}

    assert passable([]) == {0, 6, 7, 8, 10}
    assert passable([Item.Agent0]) == {0, 6, 7, 8}
    assert utility.position_is_enemy(BOARD, (2, 2), [Item.Agent0])
    assert utility.position_in_items(BOARD, (1, 0), [Item.Fog, Item.Flames])
    assert not utility.position_in_items(BOARD, (0, 0), [Item.Fog, Item.Flames])
    shown = Item(BOARD[1, 0])
    assert utility._position_is_item(BOARD, (1, 0), shown)
    assert not utility._position_is_item(BOARD, (0, 0), shown)


def test_bombs_are_found_in_the_list() -> None:
    bombs = [characters.Bomb(None, (1, 1), 9, 2)]
    assert utility.position_is_bomb(bombs, (1, 1))
    assert not utility.position_is_bomb(bombs, (1, 0))


def test_directions() -> None:
    ways = {Action.Up: (0, 1), Action.Down: (2, 1), Action.Left: (1, 0), Action.Right: (1, 2)}
    for way, cell in ways.items():
        assert utility.get_next_position((1, 1), way) == cell
        assert utility.get_direction((1, 1), cell) is way
    assert utility.get_next_position((1, 1), Action.Stop) == (1, 1)
    for wrong in (Action.Bomb, 1, None):
        with pytest.raises(INVALID, match="not a direction"):
            utility.get_next_position((1, 1), wrong)
    with pytest.raises(INVALID, match="no single direction"):
        utility.get_direction((0, 0), (1, 1))


def test_valid_directions() -> None:
    def valid(cell: tuple[int, int], **options: Any) -> set[int]:
        return {way for way in range(5) if utility.is_valid_direction(BOARD, cell, way, **options)}

    assert valid((0, 0)) == {0, 2}, "up and left lead off the board, right into rigid"
    assert valid((1, 1)) == {0, 2, 3, 4}
    assert valid((1, 1), invalid_values=[4]) == {0, 1, 2, 4}
    with pytest.raises(INVALID):
        utility.is_valid_direction(BOARD, (1, 1), Action.Bomb)
    with pytest.raises(ValueError, match="not a valid Action"):
        utility.is_valid_direction(BOARD, (1, 1), 6)


def test_json() -> None:
    space = gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(6), gymnasium.spaces.Discrete(8)])
    values = [BOARD, Item.Kick, Action.Left, GameType.Team, np.int64(3), space, characters.Flame((1, 2))]
    text = json.dumps(values, cls=utility.PommermanJSONEncoder)
    assert json.loads(text) == [BOARD.tolist(), 8, 3, 2, 3, [6, 8], {"position": [1, 2], "life": 2}]
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(object(), cls=utility.PommermanJSONEncoder)


# Random boards ----------------------------------------------------------------


@pytest.mark.parametrize(("size", "walls", "number"), [(11, 36, 4), (8, 16, 2)])
def test_dealt_boards_are_like_the_originals(size: int, walls: int, number: int) -> None:
    """Counts, corners, the mirror, and each cell's chance of a rigid wall as in 5,000 of its boards."""
    path = recorded.TRACES.parent / "boardgen.json"
    known = next(e for e in json.loads(path.read_text())["boards"] if e["size"] == size)
    random.seed(size)
    rigid, dealt = np.zeros((size, size)), 300
    for _ in range(dealt):
        board = utility.make_board(size, walls, walls, number)
        counts = Counter(board.ravel().tolist())
        assert (counts[1], counts[2]) == (walls, walls)
        walled = np.isin(board, (1, 2)) * board
        assert (walled == walled.T).all()
        assert [int(board[cell]) for cell in corners(size, number)] == list(range(10, 10 + number))
        rigid += board == 1
    chance = np.array(known["freq_rigid"]) / known["boards"]
    assert ((rigid == 0) >= (chance == 0)).all(), "where the original never has one"
    error = np.sqrt(chance * (1 - chance) / dealt) + 1e-9
    assert (abs(rigid / dealt - chance) < 5 * error).all()


def corners(size: int, number: int) -> list[tuple[int, int]]:
    near, far = 1, size - 2
    return [(near, near), (far, near), (far, far), (near, far)] if number == 4 else [(near, near), (far, far)]


def test_items_lie_under_wood() -> None:
    random.seed(1)
    board = utility.make_board(11, 36, 36)
    kinds: Counter[int] = Counter()
    for _ in range(60):
        items = utility.make_items(board, 20)
        assert len(items) == 20
        assert all(board[cell] == 2 for cell in items)
        kinds.update(items.values())
    assert kinds.keys() == {6, 7, 8}
    assert min(kinds.values()) > 300


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [((11, 35, 36), "num_rigid is 35"), ((11, 36, 36, 3), "num_agents is 3"), ((7, 40, 40), "do not fit")],
)
def test_boards_that_cannot_be(arguments: tuple[int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        utility.make_board(*arguments)
    with pytest.raises(ValueError, match="37 items cannot be hidden under 36"):
        utility.make_items(utility.make_board(11, 36, 36), 37)


def test_passages_nobody_gets_to() -> None:
    board = np.array([[10, 2, 0], [1, 1, 1], [0, 0, 1]], np.uint8)
    places = [(2, 0), (0, 0)]
    assert utility.inaccessible_passages(board, places) == [(2, 0), (2, 1)]
    assert places == [(2, 0)], "the one searched from is taken out"


# The forward model ---------------------------------------------------------------


def bodies(*alive: bool, kind: GameType = GameType.FFA) -> list[characters.Bomber]:
    made = [characters.Bomber(seat, kind) for seat in range(len(alive))]
    for body, lives in zip(made, alive, strict=True):
        body.is_alive = lives
        body.set_start_position((1, 1 + 2 * body.agent_id))
        body.position = body.start_position
    return made


T, F = True, False


@pytest.mark.parametrize(
    ("kind", "alive", "steps", "done", "rewards", "winners", "reason"),
    [
        (1, (T, T, F, T), 10, F, [0, 0, -1, 0], None, "the dead pay at every step"),
        (1, (F, T, F, F), 10, T, [-1, 1, -1, -1], [1], "the last one wins"),
        (1, (F, T, F, F), 800, T, [-1, 1, -1, -1], [1], "also at the limit"),
        (1, (T, T, F, T), 800, T, [-1] * 4, None, "nobody wins at the limit"),
        (1, (F, F, F, F), 10, T, [-1] * 4, None, "all dead"),
        (2, (T, F, F, T), 10, F, [0] * 4, None, "one of each team"),
        (2, (T, F, T, F), 10, T, [1, -1, 1, -1], [0, 2], "a whole team"),
        (2, (F, F, F, T), 10, T, [-1, 1, -1, 1], [1, 3], "the dead win with their team"),
        (2, (F, F, F, T), 800, T, [-1, 1, -1, 1], [1, 3], "the living decide at the limit, too"),
        (3, (T, T, F, T), 800, T, [-1] * 4, None, "a tie at the limit"),
        (3, (F, F, F, F), 10, T, [-1] * 4, None, "a tie of the dead"),
        (4, (T, T), 10, F, [0, 0], None, "a duel goes on"),
        (4, (T, T, F, T), 10, F, [0, 0], None, "a duel of four pays two while it goes on"),
        (4, (F, T), 10, T, [-1, 1], [1], "a duel is won"),
        (4, (F, F), 10, T, [0, 0], None, "both dead: nobody is paid"),
        (4, (T, T), 800, T, [-1, -1], None, "the limit of a duel"),
    ],
)
def test_endings(
    kind: int,
    alive: tuple[bool, ...],
    steps: int,
    done: bool,
    rewards: list[int],
    winners: list[int] | None,
    reason: str,
) -> None:
    players, game_type = bodies(*alive), GameType(kind)
    assert MODEL.get_done(players, steps, 800, game_type, None) is done, reason
    assert MODEL.get_rewards(players, game_type, steps, 800) == rewards, reason
    info = {"result": Result.Incomplete}
    if done:
        info = {"result": Result.Tie} if winners is None else {"result": Result.Win, "winners": winners}
    assert MODEL.get_info(done, rewards, game_type, players) == info, reason


def test_the_training_agent_ends_a_free_for_all() -> None:
    for kind, ends in ((GameType.FFA, True), (GameType.OneVsOne, True), (GameType.Team, False)):
        assert MODEL.get_done(bodies(T, F, T, T), 10, 800, kind, 1) is ends
        assert MODEL.get_done(bodies(T, F, T, T), 10, 800, kind, 0) is False


def test_asking_agents() -> None:
    class Says(agents.BaseAgent):
        def act(self, obs: Any, action_space: Any) -> Any:
            return obs

    players = [Says(body) for body in bodies(T, T, F, T)]
    assert MODEL.act(players, [3, [1, 2, 3], 9, np.int64(2)], None) == [3, [1, 2, 3], 0, 2]
    said = MODEL.act(players, [3, [1, 2, 3], 9, 2], None, is_communicative=True)
    assert said == [[3, 0, 0], [1, 2, 3], [0, 0, 0], [2, 0, 0]]
    with pytest.raises(TypeError, match="agent 1 acts 'left'"):
        MODEL.act(players, [3, "left", 9, 2], None, is_communicative=True)


def test_imagined_boards_can_be_stepped() -> None:
    """Fog, one agent of four, and bombs whose bomber is somebody not there."""
    board = np.full((11, 11), 5, np.uint8)
    board[3:8, 3:8] = 0
    board[5, 5] = 11
    board[5, 7], board[3, 3] = 3, 2
    me = characters.Bomber()
    me.agent_id, me.position, me.can_kick = 1, (5, 5), False
    bombs = [characters.Bomb(characters.Bomber(3, GameType.FFA), (5, 7), 2, 3)]
    bombs[0].bomber.position = (0, 0)
    step = forward_model.ForwardModel.step
    board, players, bombs, items, flames = step([0, 3, 0, 0], board, [me], bombs, {(3, 3): 8}, [])
    assert (me.position, [bomb.life for bomb in bombs], flames) == ((5, 4), [1], [])
    board, players, bombs, items, flames = step([0, 3, 0, 0], board, players, bombs, items, flames)
    cells = {(5, col) for col in (5, 6, 7, 8, 9)} | {(row, 7) for row in (3, 4, 6, 7)}
    assert {flame.position for flame in flames} == cells
    assert players == [me]
    assert me.is_alive
    assert board[me.position] == 11
    assert (items, bombs) == ({(3, 3): 8}, [])


def test_what_is_handed_in_is_changed_and_a_copy_is_not() -> None:
    body = bodies(T)[0]
    board = np.zeros((7, 7), np.uint8)
    board[body.position] = 10
    pieces = [board, [body], [], {}, []]
    kept = copy.deepcopy(pieces)
    after = MODEL.step([5], *kept)
    assert (len(kept[2]), kept[1][0].ammo) == (1, 0)
    assert after[0] is kept[0]
    assert (len(pieces[2]), body.ammo) == (0, 1)
    with pytest.raises(ValueError, match="not a valid Action"):
        MODEL.step([9], *pieces)


def test_fog_needs_a_size() -> None:
    with pytest.raises(ValueError, match="agent_view_size"):
        MODEL.get_observations(np.zeros((7, 7), np.uint8), bodies(T), [], [], True, None, GameType.Team, "")
