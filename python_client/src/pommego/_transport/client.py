"""Requests and replies over one connection, and the steps of one environment.

Steps are messages or, if client and server share memory, go through that. Callers see no
difference.

Replies arrive in the order of the requests. Each has the id of its request, so that
the reply to a request that was abandoned (after Ctrl-C, for example) is recognised and
skipped.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pommego._transport import wire
from pommego._transport.channel import Channel
from pommego._transport.handshake import Address, Certificates
from pommego._transport.mapping import Mapping
from pommego._transport.shared import PLACES, SLOTS, SharedBatch, SharedMemory
from pommego._transport.websocket import WebSocket
from pommego._version import __version__
from pommego.errors import (
    ClosedError,
    ConnectionError,
    HandshakeError,
    PommegoError,
    ProtocolError,
    ServerDiedError,
    ServerError,
    VersionError,
    on_failure,
)

_MARGIN = 1 << 20  # bytes by which a message may be longer than the longest batch

_LIMITS = ("batch_bytes", "games_per_env", "in_flight", "message_bytes")
_NAME = f"pommego-python/{__version__}"

_SAME_RELEASE = "Install client and server from the same release."

R = TypeVar("R", bound=msgspec.Struct)


class Client:
    """A connection after the exchange of hello. It belongs to one thread at a time.

    Attributes:
        limits: what the server allows, by the protocol's names.
        memory: shared with the server, for the environment of `make`; None without.
        next_id: the id that the next request must have.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        certificates: Certificates | None = None,
        timeout: float = 60.0,
        death: Callable[[], ServerDiedError | None] = lambda: None,
    ) -> None:
        self.timeout = timeout
        self.address = Address.parse(address)
        self._death = death
        self.next_id = 1
        self._replied = 0  # the id of the last reply that came as a message
        # By id, oldest first, requests without a reply: the turn in which one was posted, None if by message.
        self._expected: dict[int, int | None] = {}
        self.memory: SharedMemory | None = None
        known = {"subprotocol": wire.SUBPROTOCOL, "token": token, "certificates": certificates}
        try:
            self._socket = WebSocket.connect(self.address, **known, timeout=min(timeout, 10.0))
        except ConnectionError as e:
            if isinstance(e, HandshakeError) and e.status == 400 and "subprotocol" in e.body:
                raise VersionError(f"{e} {_SAME_RELEASE}") from e
            raise self._with_exit_status(e) from e
        with on_failure(self.close):
            hello = self._greet()
        self.limits = hello.limits
        if lacking := [name for name in _LIMITS if self.limits.get(name, 0) < 1]:
            raise self.distrust(f"the limits {self.limits}, expected numbers above 0 for {lacking}")
        self._socket.max_message = 2 * self.limits["batch_bytes"] + _MARGIN

    def _greet(self) -> wire.Hello:
        try:
            return self.call("hello", wire.Hello, versions=wire.VERSIONS, client=_NAME)
        except ServerError as e:
            if e.code != "version_mismatch":
                raise
            raise VersionError(
                f"the server at {self.address} speaks version {e.details.get('versions')} of the protocol, "
                f"this client (pommego {__version__}) version {wire.VERSIONS}. " + _SAME_RELEASE
            ) from e

    @property
    def in_flight(self) -> int:
        """How many requests have no reply yet, without those that were given up."""
        return len(self._expected)

    def call(self, kind: str, reply: type[R], **fields: Any) -> R:
        """Send a request and wait for its reply."""
        message, request_id, memory = self.encode(kind, **fields), self.next_id, self.memory
        try:
            if kind == "simulate" and memory is not None and len(message) <= memory.room:
                # One that was interrupted may still lie there, or was never posted.
                self._slot(min(memory.asked[1], memory.channel.turn - 1))
                memory.post_message(self._take_id(memory.channel.turn), message)
            else:
                self.submit(message)
            return self.collect(reply)
        except BaseException:
            self.give_up(request_id)
            raise

    def encode(self, kind: str, **fields: Any) -> bytes:
        """Encode a request with the id that `submit` will give it."""
        return wire.encode(kind, self.next_id, fields)

    def _take_id(self, turn: int | None = None) -> int:
        request_id, self.next_id = self.next_id, self.next_id + 1
        self._expected[request_id] = turn
        return request_id

    def submit(self, message: bytes | bytearray) -> int:
        """Send an encoded request without waiting; returns its id, which is `next_id`."""
        request_id = self._take_id()
        try:
            self._socket.send(message, self.timeout)
        except ConnectionError as e:
            self.give_up(request_id)
            raise self._with_exit_status(e) from e
        except BaseException:
            self.give_up(request_id)
            raise
        return request_id

    # An environment's steps ------------------------------------------------------

    def make(self, options: dict[str, Any], *, shared: bool | None, lend: bool) -> wire.EnvReply:
        """Make the environment, if possible with memory shared with the server."""
        if self.address.local if shared is None else shared:
            places = PLACES if lend else SLOTS + 1
            try:
                made = self.call("make", wire.EnvReply, **options, shared_memory=SLOTS, places=places)
                if self._map(made, lend=lend, must=bool(shared)):
                    return made
            except ServerError as e:
                if e.field != "shared_memory" or shared:
                    raise
        return self.call("make", wire.EnvReply, **options)

    def _map(self, made: wire.EnvReply, *, lend: bool, must: bool) -> bool:
        try:
            memory = SharedMemory(made, lend=lend)
        except (OSError, *wire.MISFITS) as e:
            self.call("close", wire.Ok, env=made.env)
            if not must:
                return False
            raise PommegoError(
                f"memory cannot be shared with the server at {self.address}: {e}. "
                "This needs a server on the same machine, run by the same user; leave shared_memory out."
            ) from e
        self.call("attach", wire.Ok, env=made.env)
        self.memory = memory
        return True

    def prepare(self, made: wire.EnvReply) -> int:
        """Prepare for the environment's steps; return how many may be in flight."""
        self._made, limit = made, min(self.limits["in_flight"], 1024)  # a server could say any number
        if self.memory is not None:
            return min(limit, self.memory.channel.slots)
        self._actions = np.empty(made.action_shape, np.uint8)
        return limit

    def step(
        self, actions: ArrayLike, games: NDArray[np.int32] | None = None, *, reuse: bool = False
    ) -> None:
        """Begin a step of all games or, with a batch size, of these; `reuse` overwrites the last batch."""
        made, memory = self._made, self.memory
        if memory is not None and reuse:
            memory.take_back()
        count = made.games if games is None else len(games)
        where = (self._actions if memory is None else self._slot())[: count * made.learners]
        wire.write_actions(actions, where, count, made.learners)
        if memory is not None and games is not None:
            memory.channel.begin(games)
        elif memory is not None:
            memory.channel.post(self._take_id(memory.channel.turn), memory.place())
        elif games is not None:
            fields = {"games": wire.tensor(games), "actions": wire.tensor(where)}
            self.call("send", wire.Ok, env=made.env, **fields)
        else:
            self.submit(self.encode("step", env=made.env, actions=wire.tensor(where)))

    def ask_for_some(self) -> None:
        """Ask for the batch of the first games that are ready."""
        if self.memory is None:
            self.submit(self.encode("recv", env=self._made.env))
        else:
            self._slot()
            channel, place, request_id = self.memory.channel, self.memory.place(), self.next_id
            turn = channel.turn
            try:
                channel.post(self._take_id(turn), place)
            except BaseException:
                if channel.turn == turn:  # it was not posted
                    self.give_up(request_id)
                raise

    def places(self) -> list[Mapping]:
        """Return the parts of shared memory in which batches have arrived so far; none without it."""
        return [place.mapping for place in self.memory.places if place] if self.memory else []

    def _slot(self, turn: int = -1) -> NDArray[np.uint8]:
        """Wait for this turn, and until abandoned steps free the next slot; return the slot's actions."""
        if self._socket.closed:
            self._socket.check_usable()
        channel = self.memory.channel
        self._sleep_for(channel, max(turn, channel.turn - channel.slots))
        return channel.actions[channel.turn % channel.slots]

    def collect(self, kind: type[R]) -> R:
        """Receive the reply to the oldest request in flight.

        Tensors in it are valid until the next `collect`, unless the message is
        given away (`wire.Received`). A batch in shared memory comes as `SharedBatch`.
        """
        if not self._expected:
            raise ClosedError("no request is in flight")
        reply = self._receive_posted(*next(iter(self._expected.items())))
        while reply is None:
            reply = self._receive_message()
            if not self._answers(reply):
                reply = None
            elif isinstance(reply, wire.Shared):
                reply = self._shared(reply.id, reply.size)
        if isinstance(reply, SharedBatch) and kind is wire.Batch:
            return reply
        if isinstance(reply, wire.Error):
            raise wire.server_error(reply)
        if not isinstance(reply, kind):
            raise self.distrust(f"a reply of type {type(reply).__name__}, expected {kind.__name__}")
        if isinstance(reply, wire.Received):
            reply.give_away = self._socket.give_away
        return reply

    def give_up(self, request_id: int) -> None:
        """Skip the reply to this request when it arrives."""
        self._expected.pop(request_id, None)

    def give_up_all(self, after: int = 0) -> None:
        """Skip the replies to the requests in flight, all after so many."""
        for request_id in list(self._expected)[after:]:
            self.give_up(request_id)

    def close(self) -> None:
        """Close the connection. Never raises; idempotent."""
        self._socket.close()

    def distrust(self, what: str) -> ProtocolError:
        """Close the connection and return the error that says why."""
        self._socket.close(1002, "unexpected reply")
        return ProtocolError(
            f"{self.address} sent {what}. The connection is closed. "
            "Are client and server from the same release?"
        )

    def _receive_message(self) -> wire.Reply:
        try:
            reply = wire.decode(self._socket.recv(self.timeout))
        except ConnectionError as e:
            raise self._with_exit_status(e) from e
        except ValueError as e:
            raise self.distrust(f"an invalid reply ({e})") from e
        if reply.id is not None:  # a request has one reply; those to be skipped may come late
            if reply.id not in self._expected and not self._replied < reply.id < self.next_id:
                raise self.distrust(f"reply {reply.id} after {self._replied}, of {self.next_id - 1} requests")
            self._replied = reply.id
        return reply

    def _answers(self, reply: wire.Reply) -> bool:
        if reply.id is not None and reply.id not in self._expected:
            return False
        for request_id in list(self._expected):  # an interrupt lost the replies before this one
            del self._expected[request_id]
            if reply.id in (request_id, None):
                break
        return True

    def _receive_posted(self, request_id: int, turn: int | None) -> Any:
        """Receive the answer to a posted step or request; None: the answer comes as a message."""
        if turn is None:
            return None
        channel = self.memory.channel
        if not channel.spin(turn):
            self._sleep_for(channel, turn)
        slot, size = channel.take(turn)
        if not size:
            return None
        del self._expected[request_id]
        return self._shared(request_id, size, slot)

    def _sleep_for(self, channel: Channel, turn: int) -> None:
        """Sleep until the server has answered the step of this turn; the socket tells whether it is alive."""
        deadline = time.monotonic() + self.timeout
        while not channel.answered(turn) and not channel.sleep(turn):
            try:
                begins = self._socket.readable(0.0, self.timeout)
            except ConnectionError as e:
                raise self._with_exit_status(e) from e
            if begins:
                if channel.answered(turn):
                    return  # the message may be its answer
                reply = self._receive_message()
                if reply.id is None or reply.id in self._expected:
                    raise self.distrust("a message that shared memory has not announced")
            elif time.monotonic() > deadline:
                raise self._socket.timed_out(self.timeout)

    def _shared(self, request_id: int, size: int, slot: int | None = None) -> Any:
        try:
            return self.memory.answer(request_id, size, slot)
        except wire.MISFITS as e:
            raise self.distrust(f"something invalid in shared memory ({e!r})") from e

    def _with_exit_status(self, error: ConnectionError) -> ConnectionError:
        """Return an error that says how the embedded server ended, if it has; otherwise `error`."""
        died = self._death()
        if died is None:
            return error
        told = ServerDiedError(f"{error}\n{died}", died.status, died.output, out_of_memory=died.out_of_memory)
        told.code = error.code
        return told
