"""The exceptions that pommego raises.

All of them are subclasses of `PommegoError`. Where Python has an exception for the
same error (a lost connection, a timeout) the class is also a subclass of that, so that
``except TimeoutError`` works without importing anything from here.
"""

import builtins
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "BinaryNotFoundError",
    "BusyError",
    "ClosedError",
    "ConnectionError",
    "ForkedError",
    "GamePanicError",
    "HandshakeError",
    "PommegoError",
    "ProtocolError",
    "ServerDiedError",
    "ServerError",
    "ServerStartError",
    "TimeoutError",
    "VersionError",
]


class PommegoError(Exception):
    """Base class of pommego's exceptions."""


class ConnectionError(PommegoError, builtins.ConnectionError):
    """The server cannot be reached, or has ended; `code` is the WebSocket close code that it sent."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class HandshakeError(ConnectionError):
    """Something answered at the address, but did not open a connection.

    `status` is its HTTP status, 0 if it was not HTTP. `body` is the body of its answer, cut after 64 KiB.
    """

    def __init__(self, message: str, status: int = 0, body: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class ProtocolError(ConnectionError):
    """The peer sent bytes that break the WebSocket or the pommego protocol.

    The connection is closed then, since later bytes cannot be trusted.
    """


class ServerDiedError(ConnectionError):
    """The embedded server has ended: it ran out of memory, it had a fault, or somebody killed it.

    `status` is its exit status, or minus the signal's number. `output` is what it printed last; of a
    fault's message the beginning. `out_of_memory` is whether `output` says that memory ran out.
    """

    def __init__(
        self, message: str, status: int = 0, output: str = "", *, out_of_memory: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.output = output
        self.out_of_memory = out_of_memory


class VersionError(ConnectionError):
    """Client and server have no version of the protocol in common."""


class TimeoutError(PommegoError, builtins.TimeoutError):
    """A deadline passed. The connection is closed, as its state is unknown."""


class ClosedError(PommegoError, RuntimeError):
    """The environment or connection has been closed and cannot be used again."""


class ForkedError(ClosedError):
    """The environment belongs to the process from which this one was forked, and still works there."""


class BusyError(PommegoError, RuntimeError):
    """Another thread is in a call of this environment, which continues. This call has done nothing."""


class ServerStartError(PommegoError, RuntimeError):
    """The embedded server did not start. The message ends with what it printed."""


class BinaryNotFoundError(PommegoError, FileNotFoundError):
    """No pommego binary was found."""


class ServerError(PommegoError, ValueError):
    """The server refused a request; the connection and the environment remain usable.

    `code` is one of the protocol's names, `message` says what was wrong, `hint` what to do, and `field` which
    part of the request was wrong. `hint` and `field` may be empty. `details` has all other fields.
    """

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        field: str = "",
        details: dict[str, Any] | None = None,
    ) -> None:
        text = f"{message} [{code}{', field ' + field if field else ''}]"
        if hint:
            text += f"\n  hint: {hint}"
        super().__init__(text)
        self.code = code
        self.message = message
        self.hint = hint
        self.field = field
        self.details = details or {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message, self.hint, self.field, self.details)


class GamePanicError(ServerError):
    """A bug inside one game on the server. The other games have made the step; its rewards are lost.

    The game cannot be stepped until it is reset or its state is set. Please report it: `details` has the
    `game`, its `seed` and `episode`, and as `state` its state after the error.
    """


@contextlib.contextmanager
def counted_from(what: str, first: int) -> Iterator[None]:
    """Say in errors of a server, which counts from 0, that it counts from `first` here."""
    try:
        yield
    except ServerError as e:
        if not first:
            raise
        message = f"of {what} from {first} on, counted from 0: {e.message}"
        raise type(e)(e.code, message, e.hint, e.field, e.details) from None


@contextlib.contextmanager
def on_failure(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if the block fails, also by an interrupt. The error is raised again."""
    try:
        yield
    except BaseException:
        undo()
        raise
