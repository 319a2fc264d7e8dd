"""Making environments: `make_vec` and `make`."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import numpy as np
from gymnasium.vector import AutoresetMode

from pommego._core import checks
from pommego._core.connecting import Connection, GamesMaker
from pommego._transport import wire
from pommego.errors import ServerError, on_failure
from pommego.spec import BOX
from pommego.vector import RENDER_MODES, PommegoVectorEnv

if TYPE_CHECKING:
    from pommego._core.opponents import LineUps, Opponent, Opponents
    from pommego._core.saved import Starts
    from pommego._core.several import Hosts
    from pommego.single import PommegoEnv
    from pommego.state import State

# ruff: noqa: PLC0415, modules that a plain step does not need are loaded when they are used


P, R = ParamSpec("P"), TypeVar("R")


def _with_advice(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function's error for an unknown option name the one to use instead."""
    known = inspect.signature(function).parameters.keys()

    @functools.wraps(function)
    def advised(*args: P.args, **options: P.kwargs) -> R:
        if not known >= options.keys():
            from pommego._core.more_checks import check_options

            check_options(options, (), function)
        return function(*args, **options)

    return advised


@_with_advice
def make_vec(
    id: str,
    num_envs: int = 1,
    *,
    observation: str = "planes",
    state: bool = False,
    reward: str = "outcome",
    mask: str = "legal",
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    opponents: Opponents | None = None,
    seat: int | None = None,
    seats: Sequence[Opponent] | None = None,
    on_death: str | None = None,
    max_episode_steps: int | None = None,
    start_states: Starts | Sequence[State | bytes | dict[str, Any]] | None = None,
    counts: bool | Literal["step"] = True,
    rules: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
    copy: bool = True,
    batch_size: int | None = None,
    workers: int = 0,
    address: str | Sequence[str] | None = None,
    token: str | None = None,
    connection: Connection | None = None,
    replace: bool | Sequence[str] = False,
    render_mode: str = "ansi",
    web: bool = False,
    timeout: float = 60.0,
) -> PommegoVectorEnv:
    """Make many games of one id, stepped together.

    Without `address` this starts a server, which ends with the environment.

    Args:
        id: an id of the catalog, such as "PommeFFACompetition-v0", with or without "pommego/"
            before it.
        num_envs: number of games. The attribute of this name is the number of rows, as gymnasium
            requires: one for each learner of each game. Without `opponents` and `seats` that
            is `num_envs` times the seats of a game. `num_games` is the number of games.
        observation: "planes" (uint8 planes for networks and a float32 vector of scalars), "raw" (maps and
            numbers without loss), "near" (in Pommerman what the learned agents see: uint8 planes of the
            11 x 11 cells around the agent, with what is about to burn, and uint8 numbers), "unfogged" (in
            Pommerman with fog: raw maps without fog, once per game, to make planes of on a device) or
            "box": one float32 array (rows, planes, height, width) with the planes of "planes", followed
            by one constant plane for each scalar. ``encoding["box"].names`` lists them.
        state: whether ``info["state"]`` has the global state, for critics: what all agents
            would see without fog. With "box" it is one array, too.
        reward: "outcome" (+1 or -1 once, when a row's outcome is decided) or "reference" (the
            rewards of the original at each step). The outcome of a tie is that of the
            original: -1, but 0 in OneVsOne-v0 and PommeTeam2018-v0 if the last go out in one
            step before the step limit, and 0 in BaseWar and SuiteBot.
        mask: which moves ``info["action_mask"]`` allows: "legal", all but those that, by what the seat sees,
            have no effect; or "safe", those legal moves after which the agent can escape all flames while
            everybody else stands still (all legal moves if none is safe). Cells in fog
            count as free. BaseWar and SuiteBot have legal moves alone.
        autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, as gymnasium defines them; its AutoresetMode,
            or the name or value of one.
        opponents: the players in all seats but the learner's; then there is one row
            per game. One agent's name for all, or a list. Opponent k sits at (learner + 1 + k)
            mod seats, so that in team games opponent 1 is the teammate. Each is an agent's name, a policy
            (see `LineUps`), or a `Pool` of policies. Several line-ups: a list with
            one for each game, or `LineUps`, of which one is drawn for each episode. With
            several, or with a policy, ``info["game"]["line_up"]`` has the number of an episode's.
        seat: with `opponents`: the learner's seat; None: drawn for each episode.
        seats: any other mix: for each seat "learner", an agent's name or a policy.
            With neither `seats` nor `opponents`, all seats learn.
        on_death: with one learner (not counting policies), in free-for-all games: "end"
            (the default: the episode terminates with the learner's death) or "wait", which rules with a
            `training_agent` need. Everywhere else "wait" holds; `PommegoVectorEnv.on_death` tells which.
        max_episode_steps: truncates episodes after this many steps, 1 or more.
        start_states: saved states that episodes begin in, or `Starts`, which also has weights and a
            share of new boards; see `PommegoVectorEnv.set_start_states`.
        counts: whether ``info["game"]`` has what the game counts, such as kills.
            Without it Pommerman steps a few percent faster. "step": also what each step
            added to them, in ``info["counts"]``.
        rules: rules that differ from the id's, by the names in `game_spec.rules`. A list with one entry
            for each game: each game has its own. Another list: each episode draws one
            of them. All need the same shapes, bounds, seats and counts. ``info["rules"]`` has a game's.
        copy: True: you own all arrays. You may write to them and keep them, also after `close` and after
            a fork. With shared memory this costs almost nothing: while you hold 6 batches or fewer (2 if
            they are large), their large arrays stay where the server wrote them. False: arrays are views,
            valid until the next call. You may write to them; only final observations are yours. JAX reads
            arrays after its calls have returned: use True, or `jax.block_until_ready` before the next call.
        batch_size: games per batch. If it is less than `num_envs`, games are stepped
            one by one, and `recv` returns the first `batch_size` games that are ready,
            without waiting for the slowest; see `PommegoVectorEnv.send`. None: all
            games are stepped together, as they are with `replace` and on several servers.
        workers: how many games are stepped at the same time. 0: the server chooses by
            how long a step takes, at most one per core unless opponents wait for
            something outside the server. Results never depend on it.
        address: the address of a running server: ws://HOST:PORT, wss://HOST:PORT or unix:/PATH. Or
            several, which share the games evenly, in their order: game i has the seed and the moves
            that it would have with one server. With several, `hosts` has the state of each, arrays are
            always yours, and only one step can be in flight (`max_in_flight` is 1).
        token: that server's token, if it has one; of several servers the same.
        connection: certificates, shared memory and limits; see `Connection`.
        replace: whether games go on when the connection to their server is lost, the server dies, or
            a step takes longer than `timeout`. True: at the same address, where a server may have been
            started again, or at another of several. Or a list of further addresses, which are tried
            first. No step is lost or made twice. Arrays, `hosts` and `max_in_flight` are as with several.
        render_mode: what `render` draws: "ansi" (text) or "rgb_array" (images). "human"
            opens the page of `web` in the browser instead.
        web: serve a page that shows the games while they are stepped, on this machine alone, at
            `web_address`. With no viewer connected it costs next to nothing. Not with `replace` or
            several servers.
        timeout: seconds to wait for one reply; more than 10**6 count as that.

    Raises:
        ServerError: the server refused an option; message, hint and field say which.
        TypeError: there is no such option.
        ValueError: options that cannot be combined.
        ConnectionError, TimeoutError, VersionError: connecting to `address` failed.
        BinaryNotFoundError, ServerStartError: no server could be started here.
    """
    if max_episode_steps is not None:
        checks.at_least(1, "max_episode_steps", max_episode_steps, more=", or None for no limit")
    timeout = checks.timeout(timeout)
    if render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode is {render_mode!r}, expected one of {RENDER_MODES}")
    if counts not in (True, False, "step"):
        raise ValueError(f"counts is {counts!r}, expected True, False or 'step'")
    web = web or render_mode == "human"
    connection = Connection.read(connection)
    mode = checks.autoreset_mode(autoreset_mode)
    named_seats, line_ups = _line_ups(seats, opponents, num_envs)
    hosts = _hosts(address, replace, timeout)
    if hosts and web:
        raise ValueError("web is True, but with replace or several servers there is no page: leave it out")
    batch = None if batch_size == num_envs else batch_size
    if hosts and batch is not None:
        raise ValueError(
            f"batch_size is {batch}: with replace, several servers or actors all {num_envs} games are "
            "stepped together; leave out one of them"
        )
    if start_states is not None:
        from pommego._core.saved import Starts

        start_states = Starts.read(start_states)
    options = {
        "env_id": id,
        "games": num_envs,
        "observation": "planes" if observation == BOX else observation,
        "state": state or None,
        "reward": reward,
        "mask": mask,
        "autoreset_mode": mode.value,
        "seat": seat,
        "seats": named_seats,
        "on_death": on_death,
        "agent_seconds": connection.agent_limit,
        "max_episode_steps": max_episode_steps,
        "counts": bool(counts) or None,
        "step_counts": counts == "step" or None,
        **_rule_sets(rules, num_envs),
        "batch_size": batch,
        "workers": workers,
        "listed": web or None,
    }
    if line_ups is not None and opponents is not None:
        options |= line_ups.fields()
    connect = GamesMaker(
        where={"token": token, "certificates": connection, "timeout": timeout},
        shared=web,
        options=options,
        everyone=opponents if isinstance(opponents, str) else None,
        starts=start_states,
        how={
            "copy": copy or hosts is not None,
            "expand": connection.expand_shared,
            "shared_memory": connection.shared_memory,
            "lists_rows": batch_size is not None,
            "box": observation == BOX,
        },
    )

    def make(**own: Any) -> PommegoVectorEnv:
        try:
            games = hosts.join(connect, num_envs, line_ups) if hosts else connect(address, own)
        except (ServerError, OverflowError) as e:
            from pommego._core.more_checks import in_our_words

            raise in_our_words(e, options) from None
        viewer = None
        with on_failure(games.close):
            if line_ups is not None and line_ups.policy_seats and line_ups.hidden:
                from pommego._core.policies import PolicyGames

                games = PolicyGames(games, line_ups, copy=copy)
            if web:
                from pommego._core.viewer import Viewer

                token_there = games.server.token if games.server else token
                viewer = Viewer(games.address, token_there, games.about.made.view_key, connection)
        players = line_ups.line_ups if line_ups else [named_seats or [opponents]]
        return PommegoVectorEnv(games, render_mode=render_mode, respawn=make, players=players, viewer=viewer)

    return make()


def _line_ups(
    seats: Sequence[Opponent] | None, opponents: Opponents | None, games: int
) -> tuple[list[str] | None, LineUps | None]:
    """Read the players: the names for `seats`, and the line-ups of opponents."""
    if seats is None and opponents is None:
        return None, None
    from pommego._core.opponents import LineUps, check_player, seats_of

    names, line_ups = (None, None) if seats is None else seats_of(seats)
    if isinstance(opponents, str):
        check_player("opponents", opponents)
    elif opponents is not None:
        line_ups = LineUps.read(opponents, games)
    return names, line_ups


def _rule_sets(rules: dict[str, Any] | Sequence[dict[str, Any]] | None, games: int) -> dict[str, Any]:
    """Return `rules` as the request's fields; rules that several games share are sent once."""
    if not isinstance(rules, Sequence) or len(rules) != games:
        return {"rules": rules}
    keys = [json.dumps(one, sort_keys=True, default=wire.plain) for one in rules]
    different = dict(zip(keys, rules, strict=True))
    number = {key: n for n, key in enumerate(different)}
    by_game = np.array([number[key] for key in keys], np.int32)
    return {"rules": list(different.values()), "rules_by_game": by_game}


def _hosts(
    address: str | Sequence[str] | Hosts | None, replace: bool | Sequence[str], timeout: float
) -> Hosts | None:
    """Return the servers that share the games; None: one server, which is not replaced."""
    if address is None and replace:
        raise ValueError("replace needs address: name a server, or a list of them")
    if address is None or (isinstance(address, str) and not replace):
        return None
    from pommego._core.several import Hosts, Servers

    return address if isinstance(address, Hosts) else Servers(address, replace, timeout)


def make(id: str, *, render_mode: str | None = None, **options: Any) -> PommegoEnv:
    """Make one game with one learner, as an ordinary gymnasium environment.

    Args:
        id: an id of the catalog, with or without "pommego/" before it.
        render_mode: None, "ansi" (text), "rgb_array" (images), or "human": the game is shown
            in the browser, at ``metadata["render_fps"]`` steps a second.
        options: as for `make_vec`, without `num_envs`, `autoreset_mode`, `batch_size` and
            `copy`. Without `opponents` and `seats`, the agent "simple" plays all other seats.

    Raises:
        ValueError: more than one seat learns: use `make_vec`.

    Other errors are those of `make_vec`.
    """
    from pommego._core.more_checks import check_options

    check_options(options, ("num_envs", "autoreset_mode", "batch_size", "copy"), make, make_vec)
    options = {"workers": 1} | against_simple(options)
    drawn = render_mode or "ansi"
    envs = make_vec(id, 1, autoreset_mode=AutoresetMode.DISABLED, render_mode=drawn, **options)
    from pommego.single import PommegoEnv

    return PommegoEnv(envs, render_mode=render_mode)


def against_simple(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with "simple" in all seats but one, unless they say who plays."""
    named = options.get("opponents") is not None or options.get("seats") is not None
    return options if named else options | {"opponents": "simple"}
