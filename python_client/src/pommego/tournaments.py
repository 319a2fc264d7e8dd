"""Tournaments of policies and agents, with the schedule and the ratings of ``pommego tournament``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pommego._core import checks
from pommego._core.connecting import Connection
from pommego._core.describing import describe, running
from pommego._core.more_checks import check_options
from pommego._core.opponents import Opponent, check_player
from pommego._core.playing import RESULTS, Game, play_games, progress
from pommego._core.program import flags, run
from pommego.evaluation import NOT_HERE, SEED
from pommego.making import make_vec
from pommego.results import Interval

_CLIENT = "client:"  # begins the program's names for players that are not agents
_AT_ONCE = 512  # games
_HEAD = ("player", "games", "won", "tied", "lost", "rating")


@dataclass(frozen=True, eq=False)
class Tournament:
    """The result of `tournament`: printed, a table with 95 % intervals."""

    results: dict[str, Any]  # what ``pommego tournament --json`` prints: pairs, sides, counts and more

    @property
    def ratings(self) -> dict[str, Interval]:
        """The players' ratings, on Elo's scale, by name; ``results["rating_0"]`` says who has 0."""
        return {p["agent"].removeprefix(_CLIENT): Interval(**p["rating"]) for p in self.results["standings"]}

    def __str__(self) -> str:
        rows = [_HEAD]
        for (name, rating), one in zip(self.ratings.items(), self.results["standings"], strict=True):
            rates = [f"{Interval(**one[rate]):.1%}" for rate in ("win_rate", "tie_rate", "loss_rate")]
            rows.append((name, str(one["games"]), *rates, f"{rating:.0f}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    __repr__ = __str__  # what a notebook shows


def tournament(
    players: Sequence[Opponent] | Mapping[str, Opponent],
    id: str,
    *,
    against: Opponent | None = None,
    format: str | None = None,
    games: int = 100,
    mirrored: bool = False,
    seed: int = SEED,
    out: str | os.PathLike[str] | None = None,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Tournament:
    """Play many games between policies, pools and agents, and rate them.

    Schedule, formats and ratings are those of ``pommego tournament``. Policies play 512 games at a time.
    This machine's program plays the games between agents alone, also with `address`; only there missed
    moves of agents are counted. A game of policies that cannot be scored is played again.

    Args:
        players: each as for `evaluate`. Policies and pools are called by their keys, in a
            sequence by their ``__name__``; agents by their own names.
        id: an id of the catalog.
        against: the opponent of each player, in formats with one; None: the command's default.
        format: "one-against-three" (each alone, with `against` in all other seats, however many),
            "two-against-two" or "round-robin"; None: the command's default.
        games: for each player, pair or table.
        mirrored: whether each board is played from every side.
        seed: of the first board; the others count on from it.
        out: a folder for the games and tables; with it the same call continues after an interruption, if each
            policy has the same attribute ``version``, which you set.
        address: of a running server for the policies' games; None: one is started.
        token: that server's token, if it has one.
        options: further options, as for `make_vec`: observation, rules (one dictionary), state and so on.

    Raises:
        TypeError, ValueError: an argument is not as described.
        PommegoError: the command refuses it, or games cannot be scored; the message says why. Others as
            `make_vec`.
    """
    check_options(options, (*NOT_HERE, "start_states"), tournament, make_vec)
    checks.at_least(1, "games", games)
    called: dict[str, Opponent] = {}
    named, other = _named(players, called), {} if against is None else _named([against], called)
    agents = [name.replace(",", "\\,") for name in named]
    command = ["tournament", "--json", *flags(env=id.removeprefix("pommego/"), agents=agents, games=games)]
    command += flags(seed=checks.one_seed(seed), rules=options.get("rules") or None, mirrored=mirrored)
    command += flags(against=next(iter(other), None), format=format or None, out=out or None)
    if limit := Connection.read(options.get("connection")).agent_limit:
        command += flags(limit=f"{limit}s")
    named |= other
    if out:
        _check_versions(Path(out), {n: p for n, p in named.items() if n.startswith(_CLIENT)})
    records: list[str] = []  # the policies' games
    with running(address, token) as where:
        spec = describe(id, options | where)
        tell = None
        while isinstance(found := json.loads(run(*command, text="\n".join(records))), list):
            tell, done, some = tell or progress(len(found)), len(records), found[:_AT_ONCE]
            games = [Game(r["seed"], [named.get(name, name) for name in r["agents"]]) for r in some]
            how = {"tell": lambda more, done=done, tell=tell: tell(done + more), "every_seat": True}
            played = play_games(spec, games, options | where, **how)
            for k, record in enumerate(some):
                if not played.over[k]:
                    continue  # it cannot be scored, and is asked for again
                record |= {"outcome": played.returns[k].tolist(), "steps": int(played.lengths[k])}
                record["result"] = [list(RESULTS)[result] for result in played.results[k].tolist()]
                record["counts"] = {name: counted[k].tolist() for name, counted in played.counts.items()}
                records.append(json.dumps(record))
    return Tournament(found)


def _named(
    players: Sequence[Opponent] | Mapping[str, Opponent], shown: dict[str, Opponent]
) -> dict[str, Opponent]:
    """Return the players by their names for the program; add them to those who are shown in tables."""
    if isinstance(players, str) or not players:
        raise TypeError(f"players is {players!r}, expected a list of them, or a dictionary by their names")
    called = [(p if isinstance(p, str) else getattr(p, "__name__", type(p).__name__), p) for p in players]
    named: dict[str, Opponent] = {}
    for key, player in players.items() if isinstance(players, Mapping) else called:
        check_player(f"player {key!r}", player)
        name = player if isinstance(player, str) else _CLIENT + key
        if name in named or shown.setdefault(name.removeprefix(_CLIENT), player) != player:
            raise ValueError(f"two players are called {key!r}: give a dictionary of players by their names")
        named[name] = player
    return named


def _check_versions(folder: Path, policies: dict[str, Opponent]) -> None:
    """Raise ValueError if the games there may be those of other policies; else write down the versions."""
    versions = {name: str(getattr(policy, "version", None) or "") for name, policy in policies.items()}
    log, note = folder / "games.jsonl", folder / "policies.json"
    if not log.exists() or log.read_bytes().count(b"\n") < 2:  # its first line is no game
        folder.mkdir(parents=True, exist_ok=True)
        note.with_suffix(".new").write_text(json.dumps(versions))
        note.with_suffix(".new").replace(note)
        return
    try:
        kept = dict(json.loads(note.read_text())) if note.exists() else {}
    except (ValueError, TypeError) as e:
        raise ValueError(f"{note} has not the versions of the policies ({e}): name another folder") from e
    others = [name.removeprefix(_CLIENT) for name, v in versions.items() if not v or kept.get(name) != v]
    if others:
        raise ValueError(
            f"{folder} has games of {others} with another version, or none: set policy.version = '1' before "
            "the first game, and name another folder for a new policy"
        )
