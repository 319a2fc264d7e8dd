"""Serves an agent over HTTP, as the original's containers do, with the standard library alone."""

import abc
import contextlib
import json
import re
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import numpy as np

from pommego.encoding import MAPS
from pommego.pommerman import constants, utility

_LONGEST = 1 << 20  # bytes of a request
_SECONDS = 2.0  # how long a request may keep the others waiting until more of it arrives
_PATHS = {"GET": {"/ping"}, "POST": {"/init_agent", "/action", "/episode_end", "/shutdown"}}


class DockerAgentRunner(abc.ABC):
    """Subclasses define `act`, and other methods if they need them, and call `run`.

    The interface is five paths: GET /ping; POST /init_agent, /action,
    /episode_end and /shutdown, with JSON texts as fields of a JSON object.
    `agents.HttpAgent`, the original's agents of that kind and `pommego play`
    call it. If a method raises an exception, the answer is a 500 with its message, the
    traceback is written to standard error, and the server continues.

    The methods are called one after the other in the thread that serves. So a connection
    that sends nothing holds up the others, for two seconds.
    """

    @abc.abstractmethod
    def act(self, observation: dict[str, Any], action_space: Any) -> Any:
        """Choose an action.

        Args:
            observation: the dictionary, its arrays and Items restored. With skulls, where cell values
                are not the original's, "teammate" and "enemies" are plain numbers.
            action_space: 6, or with radio a list of sizes.
        """

    def init_agent(self, id: int, game_type: constants.GameType) -> None:  # noqa: B027, optional
        """Called with the agent's seat."""

    def episode_end(self, reward: float) -> None:  # noqa: B027, optional
        """Called when a game is over."""

    def shutdown(self) -> None:  # noqa: B027, optional
        """Called at the end: release what the agent holds."""

    def run(self, host: str = "0.0.0.0", port: int = 10080) -> None:  # nosec B104  # as below
        """Serve until the process ends.

        Args:
            host: the interface to listen on. The default, all of them, is what
                a container needs; outside a container use "127.0.0.1".
            port: the port.
        """
        with self.server(host, port) as server:
            server.serve_forever()

    def server(self, host: str, port: int) -> HTTPServer:
        """Return a server that already listens; its method `serve_forever` answers requests."""
        server = HTTPServer((host, port), _Handler)
        server.answer = self._answer
        return server

    def _answer(self, path: str, fields: dict[str, Any]) -> dict[str, Any]:
        if path == "/action":
            return {"action": self.act(_observation(fields["obs"]), fields["action_space"])}
        if path == "/init_agent":
            self.init_agent(fields["id"], constants.GameType(fields["game_type"]))
        elif path == "/episode_end":
            self.episode_end(fields["reward"])
        elif path == "/shutdown":
            self.shutdown()
        return {"success": True}


def _fields(body: bytes) -> dict[str, Any]:
    try:
        return {name: json.loads(text) for name, text in json.loads(body or b"{}").items()}
    except (AttributeError, RecursionError, TypeError) as error:
        raise ValueError(f"expected a JSON object of JSON texts: {error}") from error


def _observation(sent: dict[str, Any]) -> dict[str, Any]:
    """Return an observation with its arrays, Items and position restored."""
    obs = {**sent, "position": tuple(sent["position"])}
    # The dummy is the lowest of them: the teammate, or in team games the last enemy.
    if min([sent["teammate"], *sent["enemies"]]) == constants.Item.AgentDummy.value:
        obs["teammate"] = constants.Item(sent["teammate"])
        obs["enemies"] = [constants.Item(enemy) for enemy in sent["enemies"]]
    for name in MAPS:
        if name in sent:
            obs[name] = np.array(sent[name], np.uint8 if name == "board" else np.float64)
    return obs


class _Handler(BaseHTTPRequestHandler):
    """Answers with the runner's methods; its server has them as `answer`."""

    timeout = _SECONDS

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > _LONGEST:
            self._refuse(413, f"Content-Length is {length[:20]!r}, expected at most {_LONGEST}")
            return
        try:
            fields = _fields(self.rfile.read(int(length)))
        except ValueError as error:
            self._refuse(400, str(error))
            return
        self._answer(fields)

    def _answer(self, fields: dict[str, Any]) -> None:
        if self.path not in _PATHS[self.command]:
            self._refuse(404, f"there is no {self.command} {self.path}")
            return
        try:
            answer = self.server.answer(self.path, fields)
            body = json.dumps(answer, cls=utility.PommermanJSONEncoder).encode()
        except Exception as error:
            traceback.print_exc()
            self._refuse(500, f"{type(error).__name__}: {error}")
            return
        with contextlib.suppress(ConnectionError):  # the client may have given up
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def _refuse(self, status: int, reason: str) -> None:
        with contextlib.suppress(ConnectionError):
            self.send_error(status, explain=reason)

    def log_message(self, *_: Any) -> None:
        """Log nothing: an action is requested every tenth of a second."""
