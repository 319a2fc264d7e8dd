"""The environment with radio: each agent can send words to its teammate with each step."""

import json
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pommego.pommerman import constants, utility
from pommego.pommerman.envs import v0

_SILENCE = (0, 0)


class Pomme(v0.Pomme):
    """As `v0.Pomme`, with radio.

    An action is a number, or a list or tuple of a number and words. An observation has
    "message", the words that the teammate sent in the last step, unchanged. It is (0, 0)
    if the teammate is dead or sent only a number, and at the beginning of a game.

    Args:
        args: as `v0.Pomme`.
        kwargs: the same; `radio_vocab_size`, the number of words to choose from, and
            `radio_num_words`, the number of words in a message.

    Attributes:
        action_space: a Tuple of Discrete(6) and one Discrete for each word.
    """

    metadata: ClassVar[dict[str, Any]] = v0.Pomme.metadata | {"video.frames_per_second": constants.RENDER_FPS}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._radio_vocab_size = kwargs["radio_vocab_size"]
        self._radio_num_words = kwargs["radio_num_words"]
        self._silence()
        super().__init__(*args, **kwargs)

    def _silence(self) -> None:
        self._radio_from_agent = {constants.Item[f"Agent{seat}"]: _SILENCE for seat in range(4)}

    def _set_action_space(self) -> None:
        sizes = [6] + [self._radio_vocab_size] * self._radio_num_words
        self.action_space = gymnasium.spaces.Tuple([utility.Discrete(size) for size in sizes])

    def _extra_features(self) -> int:
        return self._radio_vocab_size * self._radio_num_words

    def _begin(self) -> None:
        self._silence()
        super()._begin()

    def get_observations(self) -> list[dict[str, Any]]:
        """Return the present observation of each agent."""
        observations = super().get_observations()
        for obs in observations:
            obs["message"] = self._radio_from_agent[obs["teammate"]]
        return observations

    def step(self, actions: Any) -> tuple[list[dict[str, Any]], list[int], bool, dict[str, Any]]:
        """Make one step; see `v0.Pomme.step`.

        Raises:
            TypeError: a living agent's action is neither a number nor a list or tuple.
        """
        moves, said, before = [], {}, self._radio_from_agent
        for action, agent in zip(actions, self._agents, strict=False):  # more are ignored
            move, words = action, _SILENCE
            if agent.is_alive and isinstance(action, list | tuple):
                move, words = action[0], tuple(action[1 : 1 + self._radio_num_words])
            elif agent.is_alive and not isinstance(action, int | np.integer | constants.Action):
                raise TypeError(f"action {action!r} is neither a number nor a list of a number and words")
            moves.append(move)
            said[constants.Item[f"Agent{agent.agent_id}"]] = words
        self._radio_from_agent = before | said
        try:
            return super().step(moves)
        except (IndexError, ValueError):  # no step was made
            self._radio_from_agent = before
            raise

    @staticmethod
    def featurize(obs: dict[str, Any]) -> NDArray[np.float32]:
        """Flatten an observation, the message last."""
        return np.concatenate([v0.Pomme.featurize(obs), utility.make_np_float(obs["message"])])

    def get_json_info(
        self, json_encoder: type[json.JSONEncoder] = utility.PommermanJSONEncoder
    ) -> dict[str, str]:
        """Save the game: JSON texts by name. `json_encoder` writes the fields of the radio."""
        words = {agent.name: message for agent, message in self._radio_from_agent.items()}
        return super().get_json_info() | utility.json_texts(
            {
                "radio_vocab_size": self._radio_vocab_size,
                "radio_num_words": self._radio_num_words,
                "radio_from_agent": words,
            },
            json_encoder,
        )

    def set_json_info(self) -> None:
        """Put the game into the state that was set, with the messages in it."""
        super().set_json_info()
        words = self._saved("radio_from_agent")
        self._radio_from_agent.update({constants.Item[name]: message for name, message in words.items()})
