"""Bombers, their bombs, and flames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pommego.pommerman import constants, utility

Cell = tuple[int, int]

_MOST_AMMO = 10


class Bomber:
    """An agent's character on the board; the game type decides teammate and enemies.

    Its teammate is an Item, AgentDummy without one; so are its enemies, in team games with AgentDummy as the
    third. It has a position once a game has begun.
    """

    def __init__(self, agent_id: int | None = None, game_type: constants.GameType | None = None) -> None:
        self._game_type = game_type
        self.ammo = 1
        self.is_alive = True
        self.blast_strength = constants.DEFAULT_BLAST_STRENGTH
        self.can_kick = False
        if agent_id is not None:
            self.set_agent_id(agent_id)

    def set_agent_id(self, agent_id: int) -> None:
        """Become this agent; teammate and enemies follow from the game type."""
        self.agent_id = agent_id
        dummy = constants.Item.AgentDummy
        kind = self._game_type
        if kind in (constants.GameType.FFA, constants.GameType.OneVsOne):
            seats = 2 if kind is constants.GameType.OneVsOne else 4
            self.teammate = dummy
            self.enemies = [_agent(seat) for seat in range(seats) if seat != agent_id]
        else:
            mate = (agent_id + 2) % 4
            self.teammate = _agent(mate)
            self.enemies = [_agent(seat) for seat in range(4) if seat not in (agent_id, mate)] + [dummy]

    def maybe_lay_bomb(self) -> Bomb | None:
        """Lay a bomb if there is ammo for one."""
        if self.ammo <= 0:
            return None
        self.ammo -= 1
        # One more than first observed: it is ticked in this very step.
        return Bomb(self, self.position, constants.DEFAULT_BOMB_LIFE + 1, self.blast_strength)

    def incr_ammo(self) -> None:
        """Gain a bomb, up to ten."""
        self.ammo = min(self.ammo + 1, _MOST_AMMO)

    def get_next_position(self, direction: Any) -> Cell:
        """Return the cell one step away; `direction` is an Action or its number."""
        return utility.get_next_position(self.position, constants.Action(direction))

    def move(self, direction: Any) -> None:
        """Move one cell, whatever is there."""
        self.position = self.get_next_position(direction)

    def stop(self) -> None:
        """Stay."""

    def in_range(self, exploded_map: Any) -> bool:
        """Return whether the cell it is on is marked with 1."""
        row, col = self.position
        return exploded_map[row][col] == 1

    def die(self) -> None:
        """Die; the position stays."""
        self.is_alive = False

    def set_start_position(self, start_position: Cell) -> None:
        """Set the position that `reset` restores."""
        self.start_position = start_position

    def reset(
        self,
        ammo: int = 1,
        is_alive: bool = True,
        blast_strength: int | None = None,
        can_kick: bool = False,
    ) -> None:
        """Return to the start position; a blast strength of None or 0 means the default."""
        self.position = self.start_position
        self.ammo = ammo
        self.is_alive = is_alive
        self.blast_strength = blast_strength or constants.DEFAULT_BLAST_STRENGTH
        self.can_kick = can_kick

    def pick_up(self, item: constants.Item, max_blast_strength: int) -> None:
        """Take a power-up."""
        if item == constants.Item.ExtraBomb:
            self.incr_ammo()
        elif item == constants.Item.IncrRange:
            self.blast_strength = min(self.blast_strength + 1, max_blast_strength)
        elif item == constants.Item.Kick:
            self.can_kick = True

    def to_json(self) -> dict[str, Any]:
        """Return its entry in a saved game."""
        names = ("agent_id", "is_alive", "position", "ammo", "blast_strength", "can_kick")
        return {name: getattr(self, name) for name in names}


@dataclass(eq=False)
class Bomb:
    """One bomb."""

    bomber: Any  # gets the ammo back
    position: Cell
    life: int  # the steps until it explodes
    blast_strength: int  # 2 reaches one cell besides its own
    moving_direction: constants.Action | None = None  # the direction in which it rolls; None: it lies still

    def tick(self) -> None:
        """Reduce the life by one."""
        self.life -= 1

    def fire(self) -> None:
        """Explode in this step: flames have reached it."""
        self.life = 0

    def move(self) -> None:
        """Roll one cell on, if it rolls."""
        if self.is_moving():
            self.position = utility.get_next_position(self.position, self.moving_direction)

    def stop(self) -> None:
        """Stop rolling."""
        self.moving_direction = None

    def exploded(self) -> bool:
        """Return whether it is due."""
        return self.life == 0

    def explode(self) -> dict[str, Iterator[list[int]]]:
        """Return the cells in its blast, outwards, by direction; its own is the first of "down"."""
        row, col = self.position
        reach = self.blast_strength
        return {
            "up": ([row - far, col] for far in range(1, reach)),
            "down": ([row + far, col] for far in range(reach)),
            "left": ([row, col - far] for far in range(1, reach)),
            "right": ([row, col + far] for far in range(1, reach)),
        }

    in_range = Bomber.in_range

    def is_moving(self) -> bool:
        """Return whether it rolls."""
        return self.moving_direction is not None

    def to_json(self) -> dict[str, Any]:
        """Return its entry in a saved game."""
        return {
            "position": self.position,
            "bomber_id": self.bomber.agent_id,
            "life": self.life,
            "blast_strength": self.blast_strength,
            "moving_direction": self.moving_direction,
        }


@dataclass(eq=False)
class Flame:
    """One flame. Life 2 shows for three observations."""

    position: Cell
    life: int = 2

    def tick(self) -> None:
        """Reduce the life by one."""
        self.life -= 1

    def is_dead(self) -> bool:
        """Return whether it goes out in the next step."""
        return self.life == 0

    def to_json(self) -> dict[str, Any]:
        """Return its entry in a saved game."""
        return {"position": self.position, "life": self.life}


def _agent(seat: int) -> constants.Item:
    return constants.Item[f"Agent{seat}"]
