"""Games in words for the package verifiers: ``vf-eval pommego``. ``docs/language-models.md`` describes it."""

import asyncio
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, partial
from typing import Any, Literal

import verifiers.v1 as vf
from openai import APIError, AsyncOpenAI
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult

import pommego
from pommego._core.describing import shared
from pommego.llm import Environment, _socket_address

__all__ = ["PommegoTalk", "PommegoTaskset", "PommegoVerifier"]

_FIRST = {"train": 0, "eval": 1_000_000}  # the first seeds, those of the server's splits
_OPEN = "open"


class PommegoTalk(vf.Harness[vf.HarnessConfig]):
    """Asks a model for its next answer in this process; the package's own start a process each time."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    @cached_property
    def _client(self) -> AsyncOpenAI:  # each rollout has another address and key
        return AsyncOpenAI(base_url="http://127.0.0.1", api_key="none", timeout=None)

    async def launch(  # noqa: PLR0917, the package's signature
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: vf.TaskData
    ) -> ProgramResult:
        """Send the conversation to the endpoint, which keeps the answer in the trace."""
        system, said = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] * bool(system) + [*map(message_to_wire, said)]
        client = self._client.with_options(base_url=endpoint, api_key=secret)
        try:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        except APIError as e:
            return ProgramResult(1, "", str(e))
        return ProgramResult(0, "", "")


_TALKS = vf.AgentConfig(harness={"id": "pommego"}, runtime={"type": "subprocess"})  # it runs nothing


class PommegoConfig(vf.TasksetConfig):
    """Which games: options of `pommego.llm.Environment`, and how many.

    Attributes:
        game: an id of the catalog.
        opponents: the agent in all other seats, or in each; "open" is a seat of another player's model.
        split: "train", or "eval" with other seeds.
        games: how many. A game is a task, whose rollouts start equal.
        reset: further options, such as detail and rules.
    """

    game: str = "OneVsOne-v0"
    opponents: list[str] = Field(["static"], min_length=1)
    split: Literal["train", "eval"] = "train"
    games: int = 1000
    reset: dict[str, Any] = Field(default_factory=dict)


class PommegoData(vf.TaskData):
    """A game: what its reset takes."""

    reset: dict[str, Any]


class PommegoTask(vf.Task[PommegoData]):
    """A game."""


class PommegoTaskset(vf.Taskset[PommegoTask, PommegoConfig]):
    """Games with consecutive seeds."""

    def load(self) -> Iterator[PommegoTask]:
        """Yield the games of the split."""
        config = self.config
        given = {"env": config.game, "opponents": config.opponents, **config.reset}
        for number in range(config.games):
            reset = given | {"seed": _FIRST[config.split] + number}
            name = f"{config.game}/{config.split}#{number}"
            yield PommegoTask(PommegoData(name=name, prompt=None, reset=reset), config.task)


class PommegoVerifierConfig(vf.EnvConfig):
    """The players: the models of the open seats, in order; player0 alone if no other seat is open.

    Attributes:
        address: of a running ``pommego serve --openenv``; "": one is started.
        token: that server's token, if it has one.
        shaping: weights of counts, of the game (such as kills) and of answers (such as illegal), for a seat:
            each is a reward of its own beside that of the game. All counts are metrics.
    """

    player0: vf.AgentConfig = _TALKS
    player1: vf.AgentConfig = _TALKS
    player2: vf.AgentConfig = _TALKS
    player3: vf.AgentConfig = _TALKS
    address: str = ""
    token: str = ""
    shaping: dict[str, float] = Field(default_factory=dict)


@cache
def _seats(address: str | None, token: str | None, game: str) -> int:
    """Return how many seats a game has on the server that plays it."""
    address, token = (_socket_address(address), token) if address else shared(openenv=True)
    return pommego.catalog(address=address, token=token)[game].seats


class PommegoVerifier(vf.Env[PommegoVerifierConfig]):
    """Plays a game. The reward of a seat is what the game pays it, -1 if its model ends before the game.

    If a model fails, the episode has failed: nobody is paid.
    """

    async def run(self, task: PommegoTask, agents: vf.Agents) -> None:
        """Play with a model in each open seat."""
        where = {"address": self.config.address or None, "token": self.config.token or None}
        reset = dict(task.data.reset)
        others, seat = reset["opponents"], reset.pop("seat", 0)
        if len(others) == 1:
            others = others * (await asyncio.to_thread(_seats, *where.values(), reset["env"]) - 1)
        line = [*others[:seat], _OPEN, *others[seat:]]
        seats = [own for own, name in enumerate(line) if name == _OPEN]
        if len(seats) > 1:
            reset["episode_id"] = secrets.token_hex(16)
        threads, played = ThreadPoolExecutor(len(seats)), []  # a seat may wait for all others
        try:
            async with asyncio.TaskGroup() as group:
                for k, own in enumerate(seats):
                    given = reset | {"seat": own, "opponents": [*line[:own], *line[own + 1 :]]}
                    agent, env = getattr(agents, f"player{k}"), Environment(**where, **given)
                    played.append(group.create_task(self._play(env, agent, task.data.idx, threads)))
        finally:
            threads.shutdown(wait=False)  # after a cancellation they end as their connections are closed
        for trace, reward, counts in (seat.result() for seat in played):
            trace.record_reward("game", reward)
            trace.record_metrics(counts)
            for name, weight in self.config.shaping.items():
                trace.record_reward(name, counts[name], weight)

    async def _play(
        self, env: Environment, agent: vf.Agent, idx: int, threads: ThreadPoolExecutor
    ) -> tuple[Any, float, dict[str, int]]:
        """Play a seat to the end of the game, or until its model ends: its trace, reward and counts."""
        call = partial(asyncio.get_running_loop().run_in_executor, threads)
        try:
            text = await call(env.reset)
            about = env._last.metadata
            rules, counts = text[: about.prompt], about.game | about.counts
            view = text[len(rules) + bool(rules) :]
            if unknown := self.config.shaping.keys() - counts:
                raise ValueError(f"shaping has {sorted(unknown)}, expected some of {', '.join(counts)}")
            own = vf.TaskData(idx=idx, prompt=None, system_prompt=rules)
            async with agent.interaction(vf.Task(own)) as talk:
                while not env._last.done:
                    if env._last.metadata.out:  # its team plays on
                        view = await call(env._play, "stop")
                    elif (said := await talk.turn(view)).terminated:
                        break
                    else:
                        view = await call(env._play, said.last_reply)
        finally:
            if env._socket:
                env._socket.close()
        if talk.trace.errors:
            raise RuntimeError(f"the model in seat {env._options['seat']} failed: the game cannot be scored")
        return talk.trace, env.get_reward(), env._last.metadata.game | env._last.metadata.counts
