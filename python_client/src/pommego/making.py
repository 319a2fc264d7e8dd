"""Making environments: `make_vec`, `make` and `catalog`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, nullcontext
from typing import Any

from gymnasium.vector import AutoresetMode

from pommego._core import checks
from pommego._core.connecting import GamesMaker, connected, read_spec, spec_of
from pommego._core.opponents import LineUps, Opponent, Opponents, seats_of
from pommego._core.sight import UNFOGGED
from pommego._core.spread import Places, Servers
from pommego._core.viewer import Viewer
from pommego._transport import wire
from pommego._transport.client import Client
from pommego._transport.compression import check as check_compression
from pommego._transport.handshake import Certificates
from pommego.server import Server
from pommego.single import PommegoEnv
from pommego.spec import BOX, GameSpec
from pommego.state import State
from pommego.vector import RENDER_MODES, PommegoVectorEnv

__all__ = ["catalog", "describe", "make", "make_vec"]


def make_vec(
    id: str,
    num_envs: int = 1,
    *,
    observation: str = "planes",
    state: bool = False,
    fog: str = "server",
    reward: str = "outcome",
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    opponents: Opponents | None = None,
    opponent_weights: Sequence[float] | None = None,
    seat: int | None = None,
    seats: Sequence[Opponent] | None = None,
    on_death: str | None = None,
    agent_limit: float | None = None,
    max_episode_steps: int | None = None,
    start_states: Sequence[State | bytes | dict[str, Any]] | None = None,
    start_weights: Sequence[float] | None = None,
    ordinary_starts: float = 0.0,
    counts: bool = True,
    rules: dict[str, Any] | None = None,
    copy: bool = True,
    expand_shared: bool = True,
    batch_size: int | None = None,
    workers: int = 0,
    address: str | Sequence[str] | None = None,
    token: str | None = None,
    ca_file: str | os.PathLike[str] | None = None,
    client_cert: str | os.PathLike[str] | None = None,
    replace: bool | Sequence[str] = False,
    transport: str = "unix",
    shared_memory: bool | None = None,
    render_mode: str = "ansi",
    web: bool = False,
    pause: bool = False,
    compression: str | None = None,
    noop: bool = False,
    timeout: float = 60.0,
    resume: float | None = None,
) -> PommegoVectorEnv:
    """Make many games of one id, stepped together.

    Without `address` a server is started, which ends with the environment.

    Args:
        id: an id of the catalog, such as "PommeFFACompetition-v0", with or without "pommego/"
            before it.
        num_envs: number of games. The attribute of this name is the number of rows, as gymnasium
            requires: one for each learner of each game. Without `opponents` and `seats` that
            is `num_envs` times the seats of a game. `num_games` is the number of games.
        observation: "planes" (uint8 planes for networks and a vector of scalars), "raw" (the
            reference's maps and scalars, lossless) or "box", for libraries without
            dictionaries: one float32 array (rows, planes, height, width) with the planes
            of "planes", followed by one constant plane for each scalar.
            ``encoding["box"].names`` lists them.
        state: whether ``info["state"]`` has the global state, for critics: what all agents
            would see without fog. With "box" it is one array, too.
        fog: who hides what a seat cannot see, the "server" or the "client". With "client"
            the server sends each game's maps once, without fog, and the client
            computes the observations from them, with the same bytes. A team game sends a
            third of the bytes for "raw" and a tenth for "planes", which pays on a network;
            with one learner per game "raw" gains nothing. Your program then holds what its
            seats do not see, as it can with `get_state` anyway; agents on the
            server see no more than before. Not with shared memory.
        reward: "outcome" (+1 or -1 once, when a row's fate is decided) or
            "reference" (the rewards of the original at each step).
        autoreset_mode: NEXT_STEP, SAME_STEP or DISABLED, as gymnasium defines them.
        opponents: the players in all seats but the learner's; then there is one row
            per game. Opponent k sits at (learner + 1 + k) mod seats, so that in
            team games opponent 1 is the teammate. Each is an agent's name, a policy
            (see `PommegoVectorEnv`), or a `Pool` of policies. Or several such
            line-ups: one for each game; or any number, with `opponent_weights`; or
            a function that returns the line-up of a game, given its number.
        opponent_weights: how often each of several line-ups is drawn when an episode
            begins; the draw depends on the episode's seed alone.
            ``info["game"]["line_up"]`` is the line-up that an episode had.
        seat: with `opponents`: the learner's seat; None: drawn for each episode.
        seats: any other mix: for each seat "learner", an agent's name or a policy.
            With neither `seats` nor `opponents`, all seats learn.
        on_death: with one learner (not counting policies), in free-for-all games: "end"
            (the default: the row terminates with its death) or "wait".
        agent_limit: seconds that opponents outside the server ("exec:COMMAND",
            "http://host:port") have for a move; None: the usual limit, 0.1 unless the
            game has its own. Moves that come late or fail are replaced by stop:
            ``info["game"]`` counts them, as ``late`` and ``failed``.
        max_episode_steps: truncates episodes after this many steps.
        start_states: saved states that episodes begin in; see
            `PommegoVectorEnv.set_start_states`. None: each begins on a new board.
        start_weights: how often each of them is drawn; None: all alike.
        ordinary_starts: the share of episodes that begin on a new board all the same.
        counts: whether ``info["game"]`` has what the game counts, such as kills.
            Without it Pommerman steps a few percent faster.
        rules: rules that differ from the id's, by the names in `game_spec.rules`.
        copy: True: every array returned is yours, to write to and to keep, also after
            `close` and after a fork. It costs next to nothing: in shared
            memory the large arrays of an observation stay where the server wrote
            them, and it writes the next batch elsewhere until the last of them is
            deleted. You can hold any number of batches: the first few (6, or
            fewer if they are large, but at least 2) are not copied. False: arrays
            are views that are valid until the next `recv`, `step`, `reset` or
            other call. You may write to them, so `torch.from_numpy` takes them
            without a warning, and what you write is gone after that call. Final
            observations are copies even then.
        expand_shared: False leaves fields that all seats of a game share, such
            as unfogged maps of "raw", with games instead of rows first;
            `by_game` broadcasts them without a copy.
        batch_size: games per batch. If it is less than `num_envs`, games are stepped
            one by one, and `recv` returns the first `batch_size` games that are ready,
            without waiting for the slowest; see `PommegoVectorEnv.send`. None: all
            games are stepped together.
        workers: how many games are stepped at a time. 0: the server chooses by
            how long a step takes, at most one per core unless opponents wait for
            something outside the server. Results never depend on it.
        address: the address of a running server: ws://HOST:PORT, wss://HOST:PORT or unix:/PATH. Or
            several, which share the games evenly, in their order: game i has the seed and the moves
            that it would have with one server. With several, `members` says how each does,
            `batch_size` is a multiple or a divisor of a server's games (which become ready in equal
            portions, one for each that fits into a batch), opponents are names, and steps are not
            sent ahead (`max_in_flight` is 1).
        token: that server's token, if it has one; of several servers the same.
        ca_file: with wss:// the PEM file of the authorities that the server's certificate has to
            come from; None: those that this system trusts.
        client_cert: with wss:// the PEM file with a certificate of your own and its private key,
            for servers that want one.
        replace: with several servers: whether games go on at another when their server dies, or takes
            longer than `timeout` for a step: True: at the same again, if it died and has been started
            again, or any of the others; or a list of further addresses, which are tried
            first. Not a step is lost: the games are restored and stepped to where they were.
        transport: how to talk to a server started here: "unix" (sockets, up to
            twice as fast) or "tcp" (on the loopback interface).
        shared_memory: read batches in memory shared with a server on this machine,
            instead of receiving them: the same bytes, several times as
            fast. None: where possible (so far on Linux); False: never; True:
            always, with an error where it is not possible. Then `max_in_flight` is 2.
        render_mode: what `render` draws: "ansi" (text) or "rgb_array" (images). "human"
            opens the page of `web` in the browser instead.
        web: serve a page on which the games can be looked at while they are stepped, on
            this machine alone, at `web_address`. While nobody looks it costs nothing. Not with
            several servers.
        pause: those who look at the games may pause them and let them make one step at a time: a step
            then takes until they go on, however short `timeout` is. The page has no
            buttons for that without. Not with several servers.
        compression: "zstd" sends batches compressed, some 20 to 40 times
            smaller, for servers behind a slow link; on fast links it costs more
            than it saves. Needs the extra ``pommego[zstd]``.
        noop: steps do nothing, and batches keep their previous contents, to
            measure the transport alone.
        timeout: seconds to wait for one reply.
        resume: go on after a lost connection, over TCP: for so many seconds the server keeps
            the games (no longer than its own limit, `serve --resume-timeout`) and the client
            tries to connect again. No step is lost or made twice. Each time is logged
            as a warning by the logger "pommego", and counted in `PommegoVectorEnv.resumed`.
            Then `max_in_flight` is 1 and no memory is shared.
            None: a lost connection is an error at once, and the games are freed.

    Raises:
        ServerError: the server refused an option; message, hint and field say which.
        ValueError: options that cannot be combined, or fog="client" in a game without fog.
        ConnectionError, TimeoutError, VersionError: connecting to `address` failed.
        BinaryNotFoundError, ServerStartError: no server could be started here.
    """
    if max_episode_steps is not None and max_episode_steps < 0:
        raise ValueError(f"max_episode_steps is {max_episode_steps}, expected 0 (no limit) or more")
    check_compression(compression)
    web, pause = web or render_mode == "human", pause or render_mode == "human"
    if render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode is {render_mode!r}, expected one of {RENDER_MODES}")
    mode = AutoresetMode(autoreset_mode)
    box, simple = observation == BOX, opponents is _SIMPLE
    opponents, seen = None if simple else opponents, "planes" if box else observation
    named_seats, line_ups = seats_of(seats) if seats is not None else (None, None)
    if start_states is None and (start_weights is not None or ordinary_starts):
        raise ValueError("start_weights and ordinary_starts need start_states")
    if opponents is not None:
        line_ups = LineUps.read(opponents, opponent_weights, num_envs)
    elif opponent_weights is not None:
        raise ValueError("opponent_weights needs opponents: a list of line-ups")
    unfogged = seen if checks.fog(fog, seen, shared_memory) else None
    places = _places(address, replace, timeout)
    if places and web:
        raise ValueError("web=True with several servers: look at each with pommego view ADDRESS")
    if places and pause:
        raise ValueError("pause=True with several servers: leave it out, or use one server")
    resume = checks.resume(resume, address, transport, shared_memory, several=places is not None)
    batch = checks.batch_size(batch_size, num_envs, mode)
    if places and shared_memory and batch:
        raise ValueError("shared_memory=True with several servers and a batch_size: leave out one of them")
    if unfogged or resume or (places and batch):
        shared_memory = False
    options = {
        "env_id": id,
        "games": num_envs,
        "observation": UNFOGGED if unfogged else seen,
        "state": state or None,
        "reward": reward,
        "autoreset_mode": mode.value,
        "seat": seat,
        "seats": named_seats,
        "on_death": on_death,
        "agent_seconds": agent_limit,
        "max_episode_steps": max_episode_steps,
        "counts": counts or None,
        "rules": rules,
        "batch_size": None if places else batch,
        "workers": workers,
        "compression": compression,
        "noop": noop or None,
        "pause": pause or None,
    }
    if opponents is not None:
        options |= line_ups.fields(named=bool(line_ups.places))

    where = {"token": token, "certificates": Certificates(ca_file, client_cert), "transport": transport}
    where |= {"timeout": timeout, "resume": resume, "shared": web}
    how = {"copy": copy or places is not None, "expand": expand_shared, "shared_memory": shared_memory}
    how |= {"numbered": batch_size is not None and not places, "unfogged": unfogged}
    how |= {"line_ups": line_ups, "box": box}
    starts = None if start_states is None else (start_states, start_weights, ordinary_starts)
    connect = GamesMaker(id, rules, where, options, simple, starts, how)

    def make() -> PommegoVectorEnv:
        games = places.join(connect, num_envs, batch_size, line_ups) if places else connect(address, {})
        if pause:
            games.timeout = max(games.timeout, _PAUSE)
        try:
            viewer = _viewer(games.server, address, token) if web else None
        except BaseException:
            games.close()
            raise
        return PommegoVectorEnv(games, render_mode=render_mode, respawn=make, viewer=viewer)

    return make()


def _places(
    address: str | Sequence[str] | Places | None, replace: bool | Sequence[str], timeout: float
) -> Places | None:
    """Return where the games are to be, if that is in several places."""
    if isinstance(address, Places):
        return address
    if address is not None and not isinstance(address, str):
        return Servers(address, replace, timeout)
    if replace:
        raise ValueError("replace needs address: a list of servers")
    return None


def _viewer(server: Server | None, address: Any, token: str | None) -> Viewer:
    """Open the page of a server that was started here, or of the one at an address."""
    return Viewer(server.address, server.token) if server else Viewer(str(address), token)


#: Seconds that a step may take while somebody who looks on has paused.
_PAUSE = 24 * 3600.0

#: Stands for "simple" in all other seats, however many there are.
_SIMPLE: Any = object()


def make(id: str, *, render_mode: str | None = None, **options: Any) -> PommegoEnv:
    """Make one game with one learner, as an ordinary gymnasium environment.

    Args:
        id: an id of the catalog, with or without "pommego/" before it.
        render_mode: None, "ansi" (text), "rgb_array" (images), or "human": the game is shown
            in the browser, at ``metadata["render_fps"]`` steps a second.
        options: as for `make_vec`, without `num_envs`, `autoreset_mode` and `batch_size`.
            Without `opponents` and `seats`, the agent "simple" plays all other seats.

    Raises:
        ValueError: more than one seat learns: use `make_vec`.

    Other errors are those of `make_vec`.
    """
    checks.none_of(("num_envs", "autoreset_mode", "batch_size", "copy", "expand_shared"), options, "make")
    options.setdefault("workers", 1)
    if options.get("opponents") is None and options.get("seats") is None:
        options["opponents"] = _SIMPLE
    drawn = render_mode or "ansi"
    envs = make_vec(id, 1, autoreset_mode=AutoresetMode.DISABLED, render_mode=drawn, **options)
    return PommegoEnv(envs, render_mode=render_mode)


def catalog(
    *,
    address: str | None = None,
    token: str | None = None,
    ca_file: str | os.PathLike[str] | None = None,
    client_cert: str | os.PathLike[str] | None = None,
    timeout: float = 60.0,
) -> dict[str, GameSpec]:
    """Return the games that the server has, by id. Arguments and errors as for `make_vec`."""
    client, server = connected(
        address,
        token=token,
        certificates=Certificates(ca_file, client_cert),
        transport="unix",
        timeout=timeout,
    )
    with server or nullcontext(), closing(client):
        specs = [read_spec(client, spec) for spec in client.call("envs", wire.EnvsReply).envs]
    return {spec.id: spec for spec in specs}


def describe(
    id: str,
    *,
    rules: dict[str, Any] | None,
    address: str,
    token: str | None,
    ca_file: str | os.PathLike[str] | None = None,
    client_cert: str | os.PathLike[str] | None = None,
) -> GameSpec:
    """Return the description of one game, with changed rules if any are given. Errors as for `make_vec`."""
    certificates = Certificates(ca_file, client_cert)
    with closing(Client(address, token=token, certificates=certificates)) as client:
        return spec_of(client, id, rules)
