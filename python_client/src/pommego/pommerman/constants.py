"""The numbers of the game, with the original's names and values."""

from enum import Enum

RENDER_FPS = 15
BOARD_SIZE = 11
NUM_RIGID = 36
NUM_WOOD = 36
NUM_ITEMS = 20
BOARD_SIZE_ONE_VS_ONE = 8
NUM_RIGID_ONE_VS_ONE = 16
NUM_WOOD_ONE_VS_ONE = 16
NUM_ITEMS_ONE_VS_ONE = 10
AGENT_VIEW_SIZE = 4
HUMAN_FACTOR = 32
DEFAULT_BLAST_STRENGTH = 2
DEFAULT_BOMB_LIFE = 9  # as first observed: a bomb is ticked in the step that lays it
FIRST_COLLAPSE = 500
MAX_STEPS = 800
RADIO_VOCAB_SIZE = 8
RADIO_NUM_WORDS = 2

#: Red, green and blue of each agent.
AGENT_COLORS = [[231, 76, 60], [46, 139, 87], [65, 105, 225], [238, 130, 238]]
#: Red, green and blue of the cell values 0 to 9.
ITEM_COLORS = [
    [240, 248, 255],
    [128, 128, 128],
    [210, 180, 140],
    [255, 153, 51],
    [241, 196, 15],
    [141, 137, 124],
    (153, 153, 255),
    (153, 204, 204),
    (97, 169, 169),
    (48, 117, 117),
]


class Item(Enum):
    """What a cell shows. AgentDummy means no agent, among teammate and enemies."""

    Passage = 0
    Rigid = 1
    Wood = 2
    Bomb = 3
    Flames = 4
    Fog = 5
    ExtraBomb = 6
    IncrRange = 7
    Kick = 8
    AgentDummy = 9
    Agent0 = 10
    Agent1 = 11
    Agent2 = 12
    Agent3 = 13


class GameType(Enum):
    """The kind of game: free-for-all, agents 0 and 2 against 1 and 3, or one against one."""

    FFA = 1
    Team = 2
    TeamRadio = 3
    OneVsOne = 4


class Action(Enum):
    """What an agent may do."""

    Stop = 0
    Up = 1
    Down = 2
    Left = 3
    Right = 4
    Bomb = 5


class Result(Enum):
    """How a game ended, or that it has not ended."""

    Win = 0
    Loss = 1
    Tie = 2
    Incomplete = 3


class InvalidAction(Exception):  # noqa: N818, the original's name
    """A value that is not a direction was given for one."""
