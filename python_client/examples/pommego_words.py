"""Games in words for verifiers: a task set whose model reads the text of each view as it is.

    python -m pommego.examples copy pommego_words
    pommego serve --openenv &
    PYTHONPATH=. vf-eval @ eval.toml          # with id = "pommego_words" in [env.taskset]

The task set `openenv` that verifiers has shows a model each observation as JSON. This one takes the same
settings: ``base_url``, and ``resets``, one task each, whose rollouts begin equal if it has a seed. The reward
is what the game pays, and -1 if it is not over when the model stops. Needs ``verifiers[openenv]==0.4.0``.
"""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf
from openenv import GenericEnvClient
from verifiers.v1.tasksets.openenv import OpenEnvEnvConfig, OpenEnvTaskset

__all__ = ["WordsEnv", "WordsTaskset"]


class WordsTaskset(OpenEnvTaskset):
    """The tasks of the settings."""


class WordsEnv(vf.Env[OpenEnvEnvConfig]):
    """A game that the model plays to its end, or until it says nothing."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play the game of a task."""
        paid = 0.0
        async with GenericEnvClient(base_url=task.data.base_url) as game:
            told = await game.reset(**task.data.reset)
            async with agents.player.interaction(task) as interaction:
                while True:
                    turn = await interaction.turn(told.observation["text"])
                    if turn.terminated:
                        break
                    told = await game.step({"action": turn.last_reply})
                    paid += told.reward or 0.0
                    if told.done:
                        break
        interaction.trace.record_reward("game", paid if told.done else -1.0)
