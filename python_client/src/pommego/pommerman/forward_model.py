"""The rules as functions of boards and lists of objects, for search.

    from pommego.pommerman.forward_model import ForwardModel

    board, agents, bombs, items, flames = ForwardModel.step(actions, board, agents, bombs, items, flames)

Any state will do, also one that no game can reach. Environments use it for their steps.
`pommego.PommegoVectorEnv.simulate` steps many complete states at once, and far faster.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommego.encoding import MAPS
from pommego.pommerman import constants, turn, utility

Board = NDArray[Any]
Observations = list[dict[str, Any]]

_FOG = constants.Item.Fog.value
_TEAMS = ({0, 2}, {1, 3})


class ForwardModel:
    """Steps, observations and rewards."""

    @staticmethod
    def act(
        agents: Sequence[Any], obs: Observations, action_space: Any, is_communicative: bool = False
    ) -> list[Any]:
        """Ask agents for their actions; those of the dead are to stop.

        Args:
            agents: of any number of seats.
            obs: of all seats.
            action_space: passed to the agents.
            is_communicative: a bare number becomes [number, 0, 0].

        Raises:
            TypeError: `is_communicative`, and an action is neither int nor list.
        """
        stop = constants.Action.Stop.value
        actions = []
        for agent in agents:
            action = agent.act(obs[agent.agent_id], action_space=action_space) if agent.is_alive else stop
            if is_communicative and isinstance(action, int | np.integer):
                action = [action, 0, 0]
            elif is_communicative and not isinstance(action, list):
                raise TypeError(f"agent {agent.agent_id} acts {action!r}, expected an int or a list")
            actions.append(action)
        return actions

    step = staticmethod(turn.step)

    def get_observations(
        self,
        curr_board: Board,
        agents: Sequence[Any],
        bombs: Sequence[Any],
        flames: Sequence[Any],
        is_partially_observable: bool,
        agent_view_size: int | None,
        game_type: constants.GameType,
        game_env: str,
    ) -> Observations:
        """Return each agent's observation, the dead ones' too.

        Args:
            curr_board: cell values.
            agents: those that observe.
            bombs: all of them.
            flames: all of them.
            is_partially_observable: whether agents see only their surroundings.
            agent_view_size: how many rows and columns away they see in that case.
            game_type: copied into the observations, as is game_env.
            game_env: see game_type.

        Returns:
            dictionaries without step_count, which the environment adds.
        """
        others = _others(curr_board.shape, bombs, flames)
        alive = [utility.agent_value(agent.agent_id) for agent in agents if agent.is_alive]
        views = []
        for agent in agents:
            if is_partially_observable:
                sight = _sight(agent.position, agent_view_size)
                board, rest = np.full_like(curr_board, _FOG), np.zeros_like(others)
                board[sight] = curr_board[sight]
                rest[:, *sight] = others[:, *sight]
            else:
                board, rest = curr_board.copy(), others.copy()
            views.append(
                {  # in the order of the original's keys
                    "alive": alive,
                    **dict(zip(MAPS, (board, *rest), strict=True)),
                    "game_type": game_type.value,
                    "game_env": game_env,
                    "position": agent.position,
                    "blast_strength": agent.blast_strength,
                    "can_kick": agent.can_kick,
                    "teammate": agent.teammate,
                    "ammo": agent.ammo,
                    "enemies": agent.enemies,
                }
            )
        return views

    @staticmethod
    def get_done(
        agents: Sequence[Any],
        step_count: int,
        max_steps: int,
        game_type: constants.GameType,
        training_agent: int | None,
    ) -> bool:
        """Return whether at most one side is left, an FFA's training agent is dead, or time is up."""
        alive = {agent.agent_id for agent in agents if agent.is_alive}
        if step_count >= max_steps or len(alive) <= 1:
            return True
        if _teams(game_type):
            return alive in _TEAMS
        return training_agent is not None and training_agent not in alive

    @staticmethod
    def get_rewards(
        agents: Sequence[Any], game_type: constants.GameType, step_count: int, max_steps: int
    ) -> list[int]:
        """Return the reward of each agent for a step.

        1 and -1 once an agent or team has won, also in the step that reaches the limit;
        otherwise -1 for all at the limit, and for teams that died together. While an
        FFA game runs, the dead get -1 in every step. Everything else is 0.
        """
        alive = {seat for seat, agent in enumerate(agents) if agent.is_alive}
        seats = range(4 if _teams(game_type) else len(agents))
        winners: set[int] = set()
        if _teams(game_type):
            winners = next((team for team in _TEAMS if alive and alive <= team), winners)
        elif len(alive) == 1:
            winners = alive
        if winners:
            return [1 if seat in winners else -1 for seat in seats]
        paid = 2 if game_type is constants.GameType.OneVsOne else 4
        if step_count >= max_steps or (_teams(game_type) and not alive):
            return [-1] * paid
        if game_type is constants.GameType.FFA:
            return [0 if seat in alive else -1 for seat in seats]
        return [0] * paid

    @staticmethod
    def get_info(
        done: bool, rewards: list[int], game_type: constants.GameType, agents: Sequence[Any]
    ) -> dict[str, Any]:
        """Return the result, and with a win the ids of the winners."""
        if not done:
            return {"result": constants.Result.Incomplete}
        lost_by_all = rewards == [-1] * 4
        if lost_by_all if _teams(game_type) else sum(agent.is_alive for agent in agents) != 1:
            return {"result": constants.Result.Tie}
        return {
            "result": constants.Result.Win,
            "winners": [seat for seat, reward in enumerate(rewards) if reward == 1],
        }


def _teams(game_type: constants.GameType) -> bool:
    return game_type not in (constants.GameType.FFA, constants.GameType.OneVsOne)


def _others(shape: tuple[int, ...], bombs: Sequence[Any], flames: Sequence[Any]) -> Board:
    """Draw the maps besides the board, without fog."""
    maps = np.zeros((4, *shape))
    blast, life, moving, burning = maps
    for bomb in bombs:
        blast[bomb.position] = bomb.blast_strength
        life[bomb.position] = bomb.life
        if bomb.moving_direction is not None:
            moving[bomb.position] = bomb.moving_direction.value
    for flame in flames:  # life 0 shows once more
        burning[flame.position] = flame.life + 1
    return maps


def _sight(position: tuple[int, int], far: int | None) -> tuple[slice, slice]:
    """Return the rows and columns that are visible from a position."""
    if far is None:
        raise ValueError("is_partially_observable needs an agent_view_size")
    row, col = position
    return slice(max(row - far, 0), row + far + 1), slice(max(col - far, 0), col + far + 1)
