"""Games in Ray actors, each with a server of its own on its node."""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from ray.exceptions import GetTimeoutError, RayError, RayTaskError

from pommego import making
from pommego._core import checks
from pommego._core.batch import View
from pommego._core.games import Games
from pommego._core.more_checks import check_options
from pommego._core.portion import Make
from pommego._core.session import About
from pommego._core.several import Connect, Hosts
from pommego.errors import ConnectionError, TimeoutError, on_failure
from pommego.vector import PommegoVectorEnv

_LONG = 1e6  # seconds that an actor waits for its server, as only `ActorGames` knows the timeout in force


def make_vec(
    id: str,
    num_envs: int,
    num_actors: int,
    *,
    actor_options: Mapping[str, Any] | None = None,
    retries: int = 10,
    **options: Any,
) -> PommegoVectorEnv:
    """Make many games of one id in actors of a Ray cluster, stepped together.

    Each actor has some of the games, in their order, in an embedded server on its node with
    which it shares memory; batches come through Ray's object store. Otherwise it is as if
    `pommego.make_vec` had made the games: game i has the same seed and the same moves.

    When an actor dies, or takes longer than `timeout` for a step, another one is started
    and its games continue there. No step is lost or made twice.

    Args:
        id: an id of the catalog.
        num_envs: number of games.
        num_actors: how many actors share them.
        actor_options: options of the actors, as Ray has them, such as ``{"num_cpus": 4}`` or
            ``{"resources": {"games": 1}}``, which also limits how many actors a node has. By
            default each takes one CPU, and they are spread over the nodes.
        retries: how often the games of each actor may be made again.
        options: as for `pommego.make_vec`, but for `address`, `token`,
            `replace` and `batch_size`. `timeout` includes the time that Ray takes to start an actor.
            `workers` are, unless given, as many as an actor has CPUs.

    Raises:
        TypeError: there is no such option here.
        ValueError: the numbers do not fit together.
        TimeoutError: the cluster has no room for the actors.
    """
    check_options(options, ("address", "token", "replace", "batch_size"), make_vec, making.make_vec)
    given = {"num_cpus": 1, "scheduling_strategy": "SPREAD"} | dict(actor_options or {})
    options.setdefault("workers", max(1, int(given["num_cpus"] or 0)))
    actors = Actors(num_actors, given, retries, checks.timeout(options.get("timeout", 60.0)))
    return making.make_vec(id, num_envs, address=actors, **options)


class Actors(Hosts):
    """Actors of a Ray cluster; each of their games may be made again `retries` times."""

    kind = "actors"

    def __init__(self, count: int, options: Mapping[str, Any], retries: int, timeout: float) -> None:
        checks.at_least(1, "num_actors", count)
        self.hosts, self._options, self._timeout, self.retries = range(count), options, timeout, retries

    def maker(self, connect: Connect, host: int, own: dict[str, Any]) -> Make:
        """Return what makes an actor's games; the first actor starts meanwhile."""
        where = connect.where | {"timeout": _LONG}
        connect = dataclasses.replace(connect, where=where, how=connect.how | {"copy": False})  # Ray copies

        def begin() -> tuple[Any, ray.ObjectRef]:
            actor = _Host.options(**self._options).remote()
            return actor, actor.begin.remote(connect, own)

        begun = [begin()]

        def make(why: Exception | None) -> ActorGames:
            actor, known = begun.pop() if begun else begin()
            return ActorGames(actor, known, host, self._timeout)

        return make


@ray.remote
class _Host:
    """An actor, which makes games on its node and answers requests for them."""

    def begin(self, connect: Connect, own: dict[str, Any]) -> tuple[str, About]:
        """Make the games; return the node's address, and the facts about the games that do not change."""
        self._games = connect(None, own)
        return ray.util.get_node_ip_address(), self._games.about

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        return self._games.ask(what, *args, **options)

    def step(self, actions: NDArray[np.uint8]) -> View:
        self._games.send(actions)
        return self._games.recv()


class ActorGames:
    """The games of a `Session` in a `_Host`; `known` is what its `begin` will return."""

    server = None

    def __init__(self, actor: Any, known: ray.ObjectRef, number: int, timeout: float) -> None:
        self._actor, self.timeout, self.closed = actor, timeout, False
        self.address = f"actor {number}"
        with on_failure(self.close):
            node, self.about = self._get(known)
        self.address = f"actor {number} on {node}"

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Ask the actor for its games."""
        if what is Games.abandon:  # the actor makes the step all the same
            return None
        return self._get(self._actor.ask.remote(what, *args, **options))

    def _get(self, result: ray.ObjectRef) -> Any:
        try:
            return ray.get(result, timeout=self.timeout)
        except GetTimeoutError:
            self.close()
            raise TimeoutError(
                f"{self.address} did not answer within {self.timeout:g} s. Has the cluster room for it "
                "(`ray status`)? Perhaps a longer timeout= is needed."
            ) from None
        except RayTaskError as e:
            raise e.cause from None
        except RayError as e:
            raise ConnectionError(f"{self.address}: {str(e).splitlines()[0]}") from e

    def send(self, actions: NDArray[np.uint8], games: None = None, *, reuse: bool = False) -> None:
        """Begin a step of all games, as those of a portion are."""
        self._step = self._actor.step.remote(actions)

    def recv(self) -> View:
        """Wait for the step."""
        return self._get(self._step)

    def close(self) -> None:
        """End the actor, and with it its server."""
        self.closed = True
        if ray.is_initialized():
            with contextlib.suppress(RayError):
                ray.kill(self._actor)
