"""One step of the game: of an environment, or of an agent's search.

A step is the list of calls in `play`, each a phase of the rules. The server has the
same rules in Go. It refuses states that no game can reach, from which agents here may
search: boards with fog, two of four agents, bombs without an owner. And it takes 1 ms to
read a state, step it and write it, where a step here takes 0.03 ms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from pommego.pommerman import characters, constants, utility

__all__ = ["play"]

Board = NDArray[Any]
Cell = tuple[int, int]
State = tuple[Board, Sequence[Any], list[Any], dict[Cell, int], list[Any]]

_PASSAGE = constants.Item.Passage.value
_FLAMES = constants.Item.Flames.value
_RIGID = constants.Item.Rigid.value
_WOOD = constants.Item.Wood.value


def play(
    actions: Any,
    board: Board,
    agents: Sequence[Any],
    bombs: list[Any],
    items: dict[Cell, int],
    flames: list[Any],
    max_blast_strength: int,
) -> State:
    """Make one step. The arguments are changed in place.

    Args:
        actions: by agent id, an Action or its number; those of the dead are ignored.
        board: agents drawn over bombs, and flames over everything.
        agents: with the methods of `characters.Bomber`.
        bombs: in the order in which they were laid.
        items: the value of each hidden item by its position.
        flames: the oldest first; several can share a cell.
        max_blast_strength: the most that range items lead to.

    Returns:
        board, agents, bombs, items and flames after it.

    Raises:
        ValueError: a living agent's action is invalid; nothing has changed then.
    """
    living = [agent for agent in agents if agent.is_alive]
    moves = [constants.Action(actions[agent.agent_id]) for agent in living]
    flames = _burn_down(board, items, flames)

    wishes = _Wishes(board, living, moves, bombs)
    wishes.ask_agents()
    wishes.ask_bombs()
    wishes.part_crossings()
    wishes.settle()
    if wishes.kick():
        wishes.settle_again()
    wishes.move_bombs()
    wishes.move_agents(max_blast_strength)

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


class _Wishes:
    """Where agents and bombs want to be after the step, until no wishes conflict.

    Two counts hold how many want to be at each cell. An agent or bomb that has to stay is
    counted at its own cell as well; its former goal is never subtracted.
    """

    def __init__(
        self, board: Board, agents: list[Any], moves: list[constants.Action], bombs: list[Any]
    ) -> None:
        self.board, self.agents, self.moves, self.bombs = board, agents, moves, bombs
        self.agent_to: list[Cell] = []
        self.bomb_to: list[Cell] = []
        self.agents_at: Counter[Cell] = Counter()
        self.bombs_at: Counter[Cell] = Counter()
        self.kicker_of: dict[int, int] = {}  # of a kicked bomb
        self.kicked_by: dict[int, int] = {}  # the same, the other way round

    def ask_agents(self) -> None:
        """Lay bombs and note where agents want to go."""
        for agent, move in zip(self.agents, self.moves, strict=True):
            goal = agent.position
            self.board[goal] = _PASSAGE  # redrawn at the end
            if move is constants.Action.Bomb:
                if not utility.position_is_bomb(self.bombs, goal):
                    bomb = agent.maybe_lay_bomb()
                    if bomb:
                        self.bombs.append(bomb)
            elif utility.is_valid_direction(self.board, goal, move):
                goal = agent.get_next_position(move)
            self.agent_to.append(goal)

    def ask_bombs(self) -> None:
        """Note where rolling bombs want to go."""
        for bomb in self.bombs:
            self.board[bomb.position] = _PASSAGE
            goal = bomb.position
            if bomb.is_moving():
                ahead = utility.get_next_position(goal, bomb.moving_direction)
                goal = ahead if self._rollable(ahead) else goal
            self.bomb_to.append(goal)

    def _rollable(self, cell: Cell) -> bool:
        board = self.board
        return (
            utility.position_on_board(board, cell)
            and not utility.position_is_powerup(board, cell)
            and not utility.position_is_wall(board, cell)
        )

    def part_crossings(self) -> None:
        """Keep in place those that would swap cells: two agents, two bombs, or a bomb that meets an agent.

        Only the first to cross the border between two cells is remembered.
        """
        first: dict[frozenset[Cell], int] = {}
        for i, agent in enumerate(self.agents):
            here, goal = agent.position, self.agent_to[i]
            if here == goal:
                continue
            other = first.setdefault(frozenset((here, goal)), i)
            if other != i:
                self.agent_to[i] = here
                self.agent_to[other] = self.agents[other].position
        by_agents = set(first)
        for i, bomb in enumerate(self.bombs):
            here, goal = bomb.position, self.bomb_to[i]
            if here == goal:
                continue
            border = frozenset((here, goal))
            if border in by_agents:
                self.bomb_to[i] = here
                continue
            other = first.setdefault(border, i)
            if other != i:
                self.bomb_to[i] = here
                self.bomb_to[other] = self.bombs[other].position

    def settle(self) -> None:
        """Keep in place what wants a cell that two agents or two bombs want, until nothing changes."""
        self.agents_at.update(self.agent_to)
        self.bombs_at.update(self.bomb_to)
        changed = True
        while changed:
            changed = False
            for i, agent in enumerate(self.agents):
                goal = self.agent_to[i]
                if goal != agent.position and self._crowded(goal):
                    self._keep_agent(i)
                    changed = True
            for i, bomb in enumerate(self.bombs):
                goal = self.bomb_to[i]
                if goal != bomb.position and self._crowded(goal):
                    self._keep_bomb(i)
                    changed = True

    def _crowded(self, cell: Cell) -> bool:
        return self.agents_at[cell] > 1 or self.bombs_at[cell] > 1

    def _keep_agent(self, i: int) -> None:
        here = self.agent_to[i] = self.agents[i].position
        self.agents_at[here] += 1

    def _keep_bomb(self, i: int) -> None:
        here = self.bomb_to[i] = self.bombs[i].position
        self.bombs_at[here] += 1

    def kick(self) -> bool:
        """Kick bombs that agents walk into; return whether any wish changed.

        All changes take effect after every bomb has been checked.
        """
        sent: list[tuple[int, Cell]] = []
        kept: list[int] = []
        for i, bomb in enumerate(self.bombs):
            goal = self.bomb_to[i]
            if not self.agents_at[goal] or goal not in self.agent_to:
                continue
            k = self.agent_to.index(goal)
            agent = self.agents[k]
            if agent.position == goal:  # it stands there, or on the bomb
                if bomb.position != goal:
                    sent.append((i, bomb.position))
                continue
            direction = self.moves[k]
            beyond = utility.get_next_position(goal, direction)
            if agent.can_kick and self._free(beyond):
                self.bombs_at[goal] = 0  # so that the agent can have the cell
                sent.append((i, beyond))
                self.kicker_of[i], self.kicked_by[k] = k, i
                bomb.moving_direction = direction
            else:
                sent.append((i, bomb.position))
                kept.append(k)
        for i, cell in sent:
            self.bomb_to[i] = cell
            self.bombs_at[cell] += 1
        for k in kept:
            self._keep_agent(k)
        return bool(sent or kept)

    def _free(self, cell: Cell) -> bool:
        """Return whether a bomb can be kicked there, which needs a cell that nothing wanted."""
        return not self.agents_at[cell] and not self.bombs_at[cell] and self._rollable(cell)

    def settle_again(self) -> None:
        """Resolve the conflicts that kicks have caused; a kick that fails is undone.

        Now agents and bombs share a cell only where neither of them moved.
        """
        changed = True
        while changed:
            changed = False
            for i, agent in enumerate(self.agents):
                goal = self.agent_to[i]
                if goal != agent.position and (self.agents_at[goal] > 1 or self.bombs_at[goal]):
                    if i in self.kicked_by:
                        bomb = self.kicked_by.pop(i)
                        del self.kicker_of[bomb]
                        self._keep_bomb(bomb)
                    self._keep_agent(i)
                    changed = True
            for i, bomb in enumerate(self.bombs):
                goal = self.bomb_to[i]
                if goal == bomb.position and i not in self.kicker_of:
                    continue
                if self.bombs_at[goal] > 1 or self.agents_at[goal]:
                    self._keep_bomb(i)
                    if i in self.kicker_of:
                        agent = self.kicker_of.pop(i)
                        del self.kicked_by[agent]
                        self._keep_agent(agent)
                    changed = True

    def move_bombs(self) -> None:
        """Move the bombs; one that stays and was not kicked stops rolling."""
        for i, bomb in enumerate(self.bombs):
            if self.bomb_to[i] == bomb.position and i not in self.kicker_of:
                bomb.stop()
            else:
                bomb.position = self.bomb_to[i]

    def move_agents(self, max_blast_strength: int) -> None:
        """Move the agents; those that moved pick up what lies there."""
        for agent, goal, move in zip(self.agents, self.agent_to, self.moves, strict=True):
            if goal == agent.position:
                continue
            agent.move(move)
            if utility.position_is_powerup(self.board, agent.position):
                item = constants.Item(self.board[agent.position])
                agent.pick_up(item, max_blast_strength=max_blast_strength)


def _explode(board: Board, bombs: list[Any]) -> tuple[list[Any], set[Cell]]:
    """Tick bombs and explode those due, and those they reach.

    Returns:
        the bombs that are left, and the cells that blasts reach.
    """
    marked: set[Cell] = set()
    due = False
    for bomb in bombs:
        bomb.tick()
        if not bomb.exploded() and board[bomb.position] == _FLAMES:
            bomb.fire()
        due = due or bomb.exploded()
    while due:
        for bomb in bombs:
            if bomb.exploded():
                bomb.bomber.incr_ammo()
                _mark(board, bomb, marked)
        bombs = [bomb for bomb in bombs if not bomb.exploded()]
        due = False
        for bomb in bombs:
            if bomb.position in marked:
                bomb.fire()
                due = True
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
