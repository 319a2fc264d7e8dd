"""One step of the game: of an environment, or of an agent's search.

A step is the list of calls in `step`, each a phase of the rules. The server has the
same rules in Go. It refuses states that no game can reach, from which agents here may
search: boards with fog, two of four agents, bombs without an owner. And it takes 1 ms to
read a state, step it and write it, where a step here takes 0.03 ms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pommego.pommerman import characters, constants, utility

Board = NDArray[Any]
Cell = tuple[int, int]
State = tuple[Board, Sequence[Any], list[Any], dict[Cell, int], list[Any]]

_PASSAGE = constants.Item.Passage.value
_FLAMES = constants.Item.Flames.value
_RIGID = constants.Item.Rigid.value
_WOOD = constants.Item.Wood.value


def step(
    actions: Any,
    curr_board: Board,
    curr_agents: Sequence[Any],
    curr_bombs: list[Any],
    curr_items: dict[Cell, int],
    curr_flames: list[Any],
    max_blast_strength: int = 10,
) -> State:
    """Make one step. The arguments are changed in place.

    Args:
        actions: by agent id, an Action or its number; those of the dead are ignored.
        curr_board: agents drawn over bombs, and flames over everything.
        curr_agents: with the methods of `characters.Bomber`.
        curr_bombs: in the order in which they were laid.
        curr_items: the value of each hidden item by its position.
        curr_flames: the oldest first; several can share a cell.
        max_blast_strength: the most that range items lead to.

    Returns:
        board, agents, bombs, items and flames after it.

    Raises:
        ValueError: a living agent's action is invalid; nothing has changed then.
    """
    board, agents, bombs, items = curr_board, curr_agents, curr_bombs, curr_items
    living = [agent for agent in agents if agent.is_alive]
    moves = [constants.Action(actions[agent.agent_id]) for agent in living]
    flames = _burn_down(board, items, curr_flames)

    agents_at: Counter[Cell] = Counter()
    bombs_at: Counter[Cell] = Counter()
    walkers = [
        _Mover(agent, agent.position, _walk(board, agent, move, bombs), agents_at, bombs_at)
        for agent, move in zip(living, moves, strict=True)
    ]
    rollers = [_Mover(bomb, bomb.position, _roll(board, bomb), bombs_at, agents_at) for bomb in bombs]
    movers = walkers + rollers
    _part_crossings(movers)
    for mover in movers:
        mover.wanted[mover.to] += 1
    _settle(movers, most_others=1)
    if _kick(board, walkers, moves, rollers):
        _settle(movers, most_others=0)  # they share a cell only if neither of them moved
    _move_bombs(rollers)
    _move_agents(board, walkers, moves, max_blast_strength)

    bombs, marked = _explode(board, bombs)
    flames.extend(characters.Flame((int(row), int(col))) for row, col in sorted(marked))
    _draw(board, living, bombs, flames)
    return board, agents, bombs, items, flames


def _burn_down(board: Board, items: dict[Cell, int], flames: list[Any]) -> list[Any]:
    """Put out the flames whose time is up, uncovering items; return the others."""
    left = []
    for flame in flames:
        if flame.is_dead():
            board[flame.position] = items.pop(flame.position, 0) or _PASSAGE
        else:
            flame.tick()
            left.append(flame)
    for flame in left:  # an item uncovered under another flame burns
        board[flame.position] = _FLAMES
    return left


@dataclass(slots=True, eq=False)
class _Mover:
    """An agent or a bomb, and where it wants to be after the step."""

    body: Any  # the agent or the bomb
    here: Cell
    to: Cell
    # How many of its kind want to be at each cell. One that has to stay is counted at its own
    # cell as well; its former goal is never subtracted.
    wanted: Counter[Cell]
    others: Counter[Cell]  # the same of the other kind
    partner: _Mover | None = None  # the bomb that an agent kicks, and the agent that kicks a bomb

    def stay(self) -> None:
        """Give up the wish, and the kick."""
        self.to, self.partner = self.here, None
        self.wanted[self.here] += 1


def _walk(board: Board, agent: Any, move: constants.Action, bombs: list[Any]) -> Cell:
    """Lay a bomb, or return where the agent wants to go."""
    here: Cell = agent.position
    board[here] = _PASSAGE  # redrawn at the end
    if move is constants.Action.Bomb:
        bomb = None if utility.position_is_bomb(bombs, here) else agent.maybe_lay_bomb()
        if bomb:
            bombs.append(bomb)
    elif utility.is_valid_direction(board, here, move):
        return agent.get_next_position(move)
    return here


def _roll(board: Board, bomb: Any) -> Cell:
    """Return where a bomb wants to go."""
    board[bomb.position] = _PASSAGE
    if bomb.is_moving():
        ahead = utility.get_next_position(bomb.position, bomb.moving_direction)
        if _rollable(board, ahead):
            return ahead
    return bomb.position


def _rollable(board: Board, cell: Cell) -> bool:
    return (
        utility.position_on_board(board, cell)
        and not utility.position_is_powerup(board, cell)
        and not utility.position_is_wall(board, cell)
    )


def _part_crossings(movers: list[_Mover]) -> None:
    """Keep in place those that would swap cells: two agents, two bombs, or a bomb that meets an agent.

    Only the first to cross the border between two cells is remembered.
    """
    first: dict[frozenset[Cell], _Mover] = {}
    for mover in movers:
        if mover.to == mover.here:
            continue
        other = first.setdefault(frozenset((mover.here, mover.to)), mover)
        if other is not mover:
            mover.to = mover.here
            if other.wanted is mover.wanted:  # both are of one kind; otherwise an agent may still move
                other.to = other.here


def _settle(movers: list[_Mover], most_others: int) -> None:
    """Keep in place what wants a cell that others want, until nothing changes; undo kicks that fail."""
    changed = True
    while changed:
        changed = False
        for mover in movers:
            if mover.to == mover.here and mover.partner is None:
                continue
            if mover.wanted[mover.to] > 1 or mover.others[mover.to] > most_others:
                if mover.partner:
                    mover.partner.stay()
                mover.stay()
                changed = True


def _kick(board: Board, walkers: list[_Mover], moves: list[constants.Action], rollers: list[_Mover]) -> bool:
    """Kick bombs that agents walk into; return whether any wish changed.

    All changes take effect after every bomb has been checked.
    """
    sent: list[tuple[_Mover, Cell]] = []
    kept: list[_Mover] = []
    for bomb in rollers:
        goal = bomb.to
        walking = zip(walkers, moves, strict=True)
        agent, move = next((pair for pair in walking if pair[0].to == goal), (None, None))
        if agent is None:
            continue
        if agent.here == goal:  # it stands there, or on the bomb
            if bomb.here != goal:
                sent.append((bomb, bomb.here))
            continue
        beyond = utility.get_next_position(goal, move)
        free = not bomb.others[beyond] and not bomb.wanted[beyond] and _rollable(board, beyond)
        if agent.body.can_kick and free:
            bomb.wanted[goal] = 0  # so that the agent can have the cell
            sent.append((bomb, beyond))
            bomb.partner, agent.partner = agent, bomb
            bomb.body.moving_direction = move
        else:
            sent.append((bomb, bomb.here))
            kept.append(agent)
    for bomb, cell in sent:
        bomb.to = cell
        bomb.wanted[cell] += 1
    for agent in kept:
        agent.stay()
    return bool(sent or kept)


def _move_bombs(rollers: list[_Mover]) -> None:
    """Move the bombs; one that stays and was not kicked stops rolling."""
    for bomb in rollers:
        if bomb.to == bomb.here and bomb.partner is None:
            bomb.body.stop()
        else:
            bomb.body.position = bomb.to


def _move_agents(
    board: Board, walkers: list[_Mover], moves: list[constants.Action], max_blast_strength: int
) -> None:
    """Move the agents; those that moved pick up what lies there."""
    for walker, move in zip(walkers, moves, strict=True):
        if walker.to == walker.here:
            continue
        agent = walker.body
        agent.move(move)
        if utility.position_is_powerup(board, agent.position):
            agent.pick_up(constants.Item(board[agent.position]), max_blast_strength=max_blast_strength)


def _explode(board: Board, bombs: list[Any]) -> tuple[list[Any], set[Cell]]:
    """Tick bombs and explode those due, and those they reach."""
    marked: set[Cell] = set()
    for bomb in bombs:
        bomb.tick()
        if not bomb.exploded() and board[bomb.position] == _FLAMES:
            bomb.fire()
    while any(bomb.exploded() for bomb in bombs):
        for bomb in bombs:
            if bomb.exploded():
                bomb.bomber.incr_ammo()
                _mark(board, bomb, marked)
        bombs = [bomb for bomb in bombs if not bomb.exploded()]
        for bomb in bombs:
            if bomb.position in marked:
                bomb.fire()
    return bombs, marked


def _mark(board: Board, bomb: Any, marked: set[Cell]) -> None:
    """Mark the cells that a blast reaches: up to rigid walls, and including the first wood."""
    for ray in bomb.explode().values():
        for row, col in ray:
            if not (0 <= row < len(board) and 0 <= col < len(board)) or board[row, col] == _RIGID:
                break
            marked.add((row, col))
            if board[row, col] == _WOOD:
                break


def _draw(board: Board, living: list[Any], bombs: list[Any], flames: list[Any]) -> None:
    """Draw bombs, flames and living agents; agents in flames die."""
    for bomb in bombs:
        board[bomb.position] = constants.Item.Bomb.value
    for flame in flames:
        board[flame.position] = _FLAMES
    for agent in living:
        if board[agent.position] == _FLAMES:
            agent.die()
        else:
            board[agent.position] = utility.agent_value(agent.agent_id)
