"""Games for language models: an environment with tools, and `evaluate` for any function of messages.

They speak OpenEnv with ``pommego serve --openenv``; ``docs/language-models.md`` describes it.
"""

import base64
import json
import math
import operator
import os
import queue
import re
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat, takewhile
from numbers import Real
from typing import Any

import msgspec
import numpy as np

from pommego._core import checks
from pommego._core.describing import describe, running, shared
from pommego._core.playing import RESULTS, Game, Played, seatings
from pommego._core.transcripts import Transcripts
from pommego._transport.handshake import Address
from pommego._transport.websocket import WebSocket
from pommego._version import __version__
from pommego.errors import ProtocolError, ServerError, on_failure
from pommego.evaluation import SEED, play_suite, play_ways
from pommego.results import Evaluation
from pommego.spec import GameSpec
from pommego.suites import SuiteResult, named

__all__ = ["Environment", "Model", "evaluate"]

#: Answers a conversation, messages with "role" ("system", "user" or "assistant") and "content": by a text or
#: a reply of OpenAI's protocol.
Model = Callable[[list[dict[str, str]]], Any]

_OPTIONS = ("env", "seed", "seat", "opponents", "rules", "detail", "frame_ticks", "orders", "hints")
_OPTIONS += ("system_prompt", "episode_id", "wait_s", "move_timeout_s", "stand_in")
_EVALUATED = ("detail", "hints", "orders", "system_prompt", "frame_ticks", "rules")  # in evaluate
_LONGEST = 1 << 20  # bytes of a message of the server
_PATIENCE = 7200.0  # seconds for an answer: twice the longest time for which a game may wait for others
_END = 8192  # characters of each end of a long answer that are sent: the server reads fewer


class _About(msgspec.Struct, frozen=True):
    result: str = ""
    reading: str = ""
    counts: dict[str, int] = {}  # how answers were read
    game: dict[str, int] = {}  # counts of the game
    prompt: int = 0
    out: bool = False
    played: bytes = b""


class _Observation(msgspec.Struct):  # the data of an observation or an error
    observation: dict[str, Any] = {}
    metadata: _About = _About()
    done: bool = False
    reward: float | None = None
    code: str = ""
    message: str = ""


class _Answer(msgspec.Struct):
    type: str
    data: _Observation


class Environment:
    """A game in words: a class for TRL's ``environment_factory``, whose other public methods are tools.

    Args:
        address: of a running ``pommego serve --openenv``, at http:// or ws://; None: all environments of this
            process share one that ends with it.
        token: that server's token, if it has one.
        options: those of OpenEnv's reset, for all games: ``env``, ``seed``, ``opponents`` and so on. The
            same seed and answers give the same texts.
    """

    def __init__(self, *, address: str | None = None, token: str | None = None, **options: Any) -> None:
        _known(options, _OPTIONS)
        checks.server_of(address, token)
        self._where, self._options = (_socket_address(address), token), options
        self._socket: WebSocket | None = None
        self._last: _Observation | None = None
        self._paid = 0.0

    def reset(self, **options: Any) -> str:
        """Begin a game.

        Args:
            options: for this game. Those that are None, and other names, are ignored: TRL gives the
                whole row of its data set.

        Returns:
            the prompt, which tells the rules and how to answer, and what the seat sees.
        """
        if self._socket:  # the server may have closed it meanwhile
            self._close()
        self._last, self._paid = None, 0.0
        given = self._options | {name: options[name] for name in _OPTIONS if options.get(name) is not None}
        if given.get("detail") == "image":
            raise ValueError(
                'detail is "image", expected full, short or json: only llm:, OpenEnv and MCP show it'
            )
        address, token = self._where if self._where[0] else shared(openenv=True)
        where = Address.parse(address)
        where = replace(where, path=where.path.rstrip("/").removesuffix("/ws") + "/ws")
        self._socket = WebSocket.connect(where, subprotocol=None, token=token, max_message=_LONGEST)
        self._close = weakref.finalize(self, self._socket.close)
        return self._ask("reset", given)

    def move(self, moves: str) -> str:
        """Play one move, or several, one a tick, and look. They end early when something comes up.

        Args:
            moves: The move, such as "up", or up to 20 of them, such as "up, up, bomb".
        """
        if not isinstance(moves, str):
            raise TypeError(f"moves is {moves!r}, expected a text such as 'up, up, bomb'")
        return self._play(moves)

    def order(self, order: str, ticks: int = 10) -> str:
        """Give an order that is carried out for some ticks without walking into fire, and look.

        Args:
            order: "go ROW,COLUMN" walks to a cell, "bomb" lays a bomb and hides, "dig" bombs wood, "hunt"
                bombs the nearest enemy, "hide" leaves danger, "follow" stays near a teammate, "wait" stays.
            ticks: For how many ticks it holds, 1 to 100.
        """
        return self._play(f"{order} for {ticks}")

    def say(self, message: str, moves: str = "stop") -> str:
        """Send a message to the teammate while you move, in games that have messages, and look.

        Args:
            message: As many numbers as the rules say, such as "2 3".
            moves: What to play meanwhile, as for move.
        """
        return self._play(f"{moves}; say {message}")

    def get_reward(self) -> float:
        """Return the reward of the game, or -1 if it is not over: a model that stops has given up.

        It is NaN, which TRL leaves out, without a game: before the first, and after a call that failed or was
        interrupted, which has ended it.
        """
        if self._last is None:
            return math.nan
        return self._paid if self._last.done else -1.0

    def _play(self, answer: str) -> str:
        if self._last is None:
            raise RuntimeError("there is no game, or a call that failed has ended it: call reset() first")
        if self._last.done:
            return "The game is over."
        short = answer if len(answer) < 2 * _END else answer[:_END] + answer[-_END:]
        return self._ask("step", {"action": short})

    def _ask(self, kind: str, data: Mapping[str, Any]) -> str:
        self._last = None
        with on_failure(self._close):  # a late reply would be taken for the next one, and others wait
            asked = json.dumps({"type": kind, "data": data}, default=operator.index)  # for numpy's integers
            self._socket.send(asked.encode(), _PATIENCE)
            said = self._socket.recv(_PATIENCE)
            try:
                answer = msgspec.json.decode(said, type=_Answer)
            except (msgspec.DecodeError, UnicodeDecodeError) as e:
                raise ProtocolError(f"the server answered {bytes(said[:80])!r}, expected OpenEnv: {e}") from e
            if answer.type == "error":
                raise ServerError(answer.data.code, answer.data.message)
        self._last = answer.data
        self._paid += self._last.reward or 0.0
        return self._last.observation.get("text", "")


def _known(options: Mapping[str, Any], names: Sequence[str]) -> None:
    if unknown := options.keys() - set(names):
        raise TypeError(f"unknown options {sorted(unknown)}, expected some of {', '.join(names)}")


def _socket_address(address: str | None) -> str | None:
    """Return an address in the form for WebSockets: ws for http, wss for https."""
    return address and re.sub("^http", "ws", address)


def evaluate(
    model: Model,
    id: str | None = None,
    opponents: str | Sequence[str] = "simple",
    games: int = 100,
    *,
    suite: str | None = None,
    seed: int = SEED,
    workers: int = 8,
    out: str | os.PathLike[str] | None = None,
    prices: tuple[float, float] = (0.0, 0.0),
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Evaluation | SuiteResult:
    """Play games with a language model against built-in agents; the rest is as in `pommego.evaluate`.

    A game ends when its outcome for the model is known. It cannot be scored if the model raises an
    exception: the result counts such games. An empty answer is an illegal move.

    Args:
        model: called as ``model(messages)``, from several threads, with the conversation of a game: a
            system message with the prompt, then positions and answers in turn.
            ``messages[:1] + messages[-1:]`` is enough for a model without a memory. Returns its answer, a
            text; or the whole reply of a server with OpenAI's protocol, as JSON or as the package openai has
            it: then tokens are counted.
        id: an id of the catalog.
        opponents: the agent in all other seats, or a list, in the order of `make_vec`.
        games: how many; each has another board.
        suite: in place of these and `seed`: "llm-2027", or another in which a policy plays one seat.
        seed: game i has seed ``seed + i``.
        workers: games at the same time.
        out: a file of each game's messages, one line of JSON per game when it is over. With it the same
            call, with a model of the same ``version`` (an attribute that you set), goes on after an
            interruption, and plays games again that cannot be scored.
        prices: of a million tokens in, and out.
        address: of a running ``pommego serve --openenv``; None: one is started.
        token: that server's token, if it has one.
        options: ``detail``, ``hints``, ``orders``, ``system_prompt``, ``frame_ticks`` and ``rules``, as for
            `Environment`. Other names are refused.

    Raises:
        TypeError, ValueError: an argument is not as described, or `out` has other games.
        Exception: what the model has raised, if more than two and more than a tenth of the games so far
            cannot be scored, or at the end more than a tenth.
    """
    if not callable(model):
        raise TypeError(f"model is {model!r}, expected a function from messages to a text")
    checks.at_least(1, "workers", workers)
    checks.at_least(1, "games", games)
    if np.shape(prices) != (2,):
        raise TypeError(f"prices is {prices!r}, expected two numbers, of a million tokens in and out")
    for k, price in enumerate(prices):
        checks.at_least(0, f"prices[{k}]", price, Real)
    _known(options, _EVALUATED)
    address, about = _socket_address(address), {"suite": suite, "options": options, "pommego": __version__}
    about |= {"version": str(model.version)} if hasattr(model, "version") else {}
    play = partial(_play_games, workers=workers, out=Transcripts(out, about), prices=prices)
    if suite is not None:
        if (id, opponents, games, seed) != (None, "simple", 100, SEED):
            raise TypeError(
                f"suite {suite!r} has an id, opponents, games and seeds of its own: leave them out"
            )
        if named(suite).team:
            raise ValueError(f"suite is {suite!r}, which has two seats, expected one seat as in llm-2027")
        if not named(suite).orders:
            options["orders"] = False
        return play_suite(repeat(model), suite, play, address=address, token=token, **options)
    if id is None:
        raise TypeError("evaluate() needs the id of an environment, or suite=")
    first = checks.one_seed(seed)
    with running(address, token) as where:
        spec = describe(id, options | where)
        ways = seatings(spec, model, opponents, team=False)
        return play_ways(partial(play, options=options | where), spec, ways, range(first, first + games))


def _play_games(
    spec: GameSpec,
    games: Sequence[Game],
    options: Any,
    *,
    workers: int,
    out: Transcripts,
    prices: tuple[float, float],
    tell: Any,
    made: Any = None,
) -> Played:
    """Play games with a model in one seat, as `play_games` does with policies."""
    played, left = Played(len(games), spec), iter(range(len(games)))
    played.answers, played.usage = {}, dict.fromkeys(("tokens_in", "tokens_out", "cost"), 0)
    actions = np.zeros((len(games), spec.max_steps, len(spec.actions)), np.uint8)
    ended, stop = queue.SimpleQueue(), threading.Event()

    def work() -> None:
        try:
            for number in takewhile(lambda _: not stop.is_set(), left):
                ended.put((number, *_play_game(spec, games[number], options, stop, out)))
        except BaseException as e:
            ended.put(e)

    try:
        for _ in range(min(workers, len(games))):  # daemons, so that Ctrl-C does not wait for a model
            threading.Thread(target=work, daemon=True).start()
        for done in range(1, len(games) + 1):
            if isinstance(end := ended.get(), BaseException):
                raise end
            number, game, raised = end
            cost = float(np.dot(game["tokens"], prices)) / 1e6
            for what, n in zip(played.usage, (*game["tokens"], cost), strict=True):
                played.usage[what] += n
            if raised is None:
                moves = np.frombuffer(base64.b64decode(game["actions"]), np.uint8)
                moves = moves.reshape(-1, len(spec.actions))
                played.results[number, game["seat"]], played.over[number] = RESULTS[game["result"]], True
                played.lengths[number], actions[number, : len(moves)] = len(moves), moves
                for how, n in game["counts"].items():
                    played.answers[how] = n + played.answers.get(how, 0)
            else:
                played.leave_out(number, raised)
            tell(done, ", {tokens_in} tokens in, {tokens_out} out, cost {cost:.2f}".format(**played.usage))
        played.check(len(games))
    finally:
        stop.set()
        tell(len(games))
    if made is not None:
        steps = actions[:, : played.lengths.max()].swapaxes(0, 1)
        made.extend(steps if len(spec.actions) > 1 else steps[..., 0])
    return played


def _play_game(
    spec: GameSpec, game: Game, options: Mapping[str, Any], stop: threading.Event, out: Transcripts
) -> tuple[dict[str, Any], Exception | None]:
    """Play a game, unless the file has it; return its record, and the model's exception or None."""
    seats = [k for k, player in enumerate(game.players) if not isinstance(player, str)]
    seat, others = seats[0], [player for player in game.players if isinstance(player, str)]
    if len(seats) > 1 or "open" in others:
        raise TypeError("opponents has an entry of another kind, expected the names of built-in agents")
    name = f"{spec.id} seed {game.seed} seat {seat} against {', '.join(others)}"
    if kept := out.games.get(name):
        return kept, None
    ask = {"env": spec.id.removeprefix("custom:"), "seed": game.seed, "seat": seat, "opponents": others}
    env = Environment(**options, **ask)
    first = env.reset()
    rules = first[: env._last.metadata.prompt]
    messages, view = [{"role": "system", "content": rules}], first[len(rules) + bool(rules) :]
    shown, moves, said, raised, tokens = messages[:], b"", [], None, [0, 0]
    while not env._last.done and not stop.is_set():
        messages.append({"role": "user", "content": view})
        begun = time.monotonic()
        try:
            answer, about = _read(game.players[seat]([*shown, messages[-1]]))
        except Exception as e:
            raised = e
            break
        seconds = round(time.monotonic() - begun, 3)
        tokens = [n + more for n, more in zip(tokens, about.get("tokens", (0, 0)), strict=True)]
        messages.append({"role": "assistant", "content": answer})
        if answer.strip():  # some servers refuse empty messages
            shown += messages[-2:]
        view = env._play(answer)
        said.append({"reading": env._last.metadata.reading, "seconds": seconds, **about})
        moves += env._last.metadata.played
    about = env._last.metadata
    end = {"seat": seat, "result": about.result, "counts": about.counts, "tokens": tokens}
    end["actions"] = base64.b64encode(moves).decode()
    end["void"] = raised and f"{type(raised).__name__}: {raised}"
    if raised or env._last.done:
        out.add(name, end | {"messages": messages, "answers": said})
    return end, raised


def _read(said: Any) -> tuple[str, dict[str, Any]]:
    """Return the text of an answer, and the other fields of a server's reply."""
    if said is None or isinstance(said, str):
        return said or "", {}
    reply = said.model_dump(warnings=False) if hasattr(said, "model_dump") else said
    try:
        choice, usage = reply["choices"][0], reply.get("usage") or {}
        message, text = choice["message"], choice["message"].get("content") or ""
        if not isinstance(text, str):
            text = "".join(part.get("text") or "" for part in text)
        about = {"model": reply.get("model"), "finish_reason": choice.get("finish_reason")}
        about["reasoning"] = message.get("reasoning") or message.get("reasoning_content")
        about["refusal"] = message.get("refusal")
        about = {what: value for what, value in about.items() if value}
        tokens = [round(usage.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion")]
    except (AttributeError, IndexError, KeyError, TypeError):
        raise TypeError(f"model returned {said!r:.100}, expected a text, or a reply with choices") from None
    return text, about | {"tokens": tokens}
