"""Who may use an environment: one thread at a time, in the process that made it."""

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from pommego.errors import BusyError, ClosedError, ForkedError, ServerError

F = TypeVar("F", bound=Callable[..., Any])


class CallLock:
    """Refuses other threads during a call, and other processes always.

    The thread that is in a call may make further calls, as policies of opponents do.
    """

    def __init__(self) -> None:
        self._lock, self._pid = threading.RLock(), os.getpid()

    def __enter__(self) -> None:
        # In a child the lock may stay locked for ever, by a thread that was not forked.
        if self._pid != os.getpid():  # unlike a hook of os.fork(), this sees forks by C code too
            raise ForkedError(
                f"this environment belongs to process {self._pid}, and this is process {os.getpid()}, forked "
                "from it. Make an environment in each process after the fork (with a torch DataLoader: in "
                "worker_init_fn, or at the dataset's first use). The other process's goes on"
            )
        if not self._lock.acquire(False):
            raise BusyError(
                f"thread {threading.current_thread().name!r} called an environment while another thread is "
                "in one of its calls. Make an environment for each thread, or hold a lock of your own around "
                "the calls; nothing has been changed by this one"
            )

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def uncopied(self: Any) -> NoReturn:
    """Refuse pickling and copying: the ``__reduce__`` of objects whose copies would close them."""
    raise TypeError(
        "an environment cannot be pickled or copied: it is a connection to a running server. Hand "
        "another process a function that makes one there, such as lambda: pommego.make_vec(...). A vector "
        "environment, or `env.envs`, has get_state(), for games that can be pickled, and clone(), for a copy"
    )


def locked(method: F) -> F:
    """Make a method of an environment hold its lock, and raise ClosedError once it is closed.

    Errors of the server about actions get the caller's own numbers, from `_sent`, whose last are in flight.
    """

    @functools.wraps(method)
    def under_lock(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            if self._session.closed:
                raise ClosedError("this environment has been closed; make a new one")
            try:
                return method(self, *args, **kwargs)
            except ServerError as e:
                from pommego._core.more_checks import with_values  # noqa: PLC0415, loaded when it is used

                raise with_values(e, self._sent, self._in_flight) from None

    return under_lock
