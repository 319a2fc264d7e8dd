"""Agents in other processes or on other machines, called over HTTP."""

import http.client
import json
import math
import time
import urllib.error
import urllib.request
import warnings
from typing import Any

import gymnasium

from pommego.pommerman import characters, constants, utility
from pommego.pommerman.agents.base_agent import BaseAgent

_PAUSE = 0.25  # seconds between two tries to reach it
_SECONDS = 0.5  # for anything but an action
_LONGEST = 1 << 20  # bytes of an answer


class HttpAgent(BaseAgent):
    """An agent behind a `runner.DockerAgentRunner`, the original's or ours.

    Args:
        port: the port of its server.
        host: the host of its server.
        timeout: seconds to wait until it answers; 0: forever.
        character: see `BaseAgent`.
        act_timeout: seconds for an action; after that the agent stops, with a warning.

    Raises:
        ValueError: the host is a URL.
        TimeoutError: it does not answer.
    """

    def __init__(
        self,
        port: int = 8080,
        host: str = "localhost",
        timeout: float = 120,
        character: Any = characters.Bomber,
        *,
        act_timeout: float = 0.15,
    ) -> None:
        super().__init__(character)
        if "/" in host:
            raise ValueError(f"host is {host!r}, expected a name or an address, without http://")
        self._url = f"http://{host}:{port}"
        self._act_timeout = act_timeout
        self._wait_for_remote(timeout)

    def _wait_for_remote(self, timeout: float) -> None:
        deadline = time.monotonic() + (timeout or math.inf)
        while True:
            try:
                with urllib.request.urlopen(f"{self._url}/ping", timeout=_SECONDS):  # nosec B310  # _url is of http
                    return
            except urllib.error.HTTPError as error:
                error.close()
                return
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() >= deadline:
                    raise TimeoutError(f"no agent at {self._url} within {timeout:g} s: {error}") from error
            time.sleep(_PAUSE)

    def _notify(self, what: str, **fields: Any) -> None:
        """Send a notification. If the server fails or has ended, the game goes on without it."""
        try:
            self._post(what, _SECONDS, **fields)
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            warnings.warn(f"the agent at {self._url} did not take {what}: {error}", stacklevel=3)

    def _post(self, what: str, timeout: float, **fields: Any) -> bytes | None:
        """Send fields, each a JSON text in JSON; return the reply, None if it did not come in time."""
        request = urllib.request.Request(
            f"{self._url}/{what}",
            data=json.dumps(utility.json_texts(fields)).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as reply:  # nosec B310  # _url is of http
                return reply.read(_LONGEST)
        except (http.client.HTTPException, ConnectionError) as error:
            raise ConnectionError(f"the agent at {self._url} broke off: {error!r}") from error
        except (TimeoutError, urllib.error.URLError) as error:
            if isinstance(error, TimeoutError) or isinstance(error.reason, TimeoutError):
                text = f"the agent at {self._url} did not answer {what} within {timeout:g} s"
                warnings.warn(text, stacklevel=3)
                return None
            raise

    def init_agent(self, id_: int, game_type: constants.GameType) -> None:
        """Make the character, and tell the remote agent its seat."""
        super().init_agent(id_, game_type)
        self._notify("init_agent", id=id_, game_type=game_type)

    def act(self, obs: dict[str, Any], action_space: Any) -> Any:
        """Ask for an action.

        Raises:
            ConnectionError, urllib.error.URLError: the agent is gone, or its answer an error.
            ValueError: the answer is not one of an agent.
        """
        reply = self._post("action", self._act_timeout, obs=obs, action_space=action_space)
        if reply is not None:
            return _action(reply, self._url)
        return [0] * len(action_space) if isinstance(action_space, gymnasium.spaces.Tuple) else 0

    def episode_end(self, reward: float) -> None:
        """Tell the remote agent."""
        self._notify("episode_end", reward=reward)

    def shutdown(self) -> None:
        """Tell the remote agent."""
        self._notify("shutdown")


def _action(reply: bytes, url: str) -> Any:
    try:
        return json.loads(reply)["action"]
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(
            f'the agent at {url} answered {reply[:60]!r}, expected {{"action": ...}}: {error}'
        ) from error
