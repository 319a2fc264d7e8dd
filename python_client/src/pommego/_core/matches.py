"""Matches between agents, as ``pommego play`` plays them."""

import json
import os
import subprocess
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from pommego._core.playing import Game, Played
from pommego._core.program import UnscorableError, flags, run
from pommego.spec import GameSpec

#: The numbers in `Played.results` by the program's words.
RESULTS = {"tied": 0, "won": 1, "lost": -1}


def rules_alone(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `make_vec` as options of `play`; raise TypeError for any but rules."""
    if others := sorted(set(options) - {"rules"}):
        raise TypeError(f"options {others} do not apply to agents alone, expected only rules: leave them out")
    return dict(options)


def play(
    id: str,
    agents: Sequence[str],
    seed: int,
    *,
    rules: Mapping[str, Any] | None = None,
    record: str | None = None,
    started: list[subprocess.Popen] | None = None,
) -> dict[str, Any]:
    """Play one match; return what ``pommego play --json`` prints."""
    escaped = [agent.replace(",", "\\,") for agent in agents]
    given = {"env": id.removeprefix("pommego/"), "agents": escaped, "rules": rules or None, "record": record}
    end = json.loads(run("play", "--json", *flags(seed=seed, **given), started=started))
    for seat in end["seats"]:
        if seat["failed"]:
            error = seat["last_error"].partition(": ")[2]  # without "step N"
            warnings.warn(f"an agent failed, and played stop: {seat['agent']}: {error}", stacklevel=2)
    return end


def play_matches(
    spec: GameSpec, games: Sequence[Game], rules: dict[str, Any], *, tell: Callable[[int], None]
) -> Played:
    """Play games between agents as matches, see `play_games`: one per core; one with agents behind HTTP."""
    id, played = spec.id.removeprefix("custom:"), Played(len(games), spec)
    started: list[subprocess.Popen] = []

    def match(number: int) -> Exception | None:
        try:
            end = play(id, games[number].players, games[number].seed, started=started, **rules)
        except UnscorableError as e:
            return e
        played.results[number] = [RESULTS[result] for result in end["result"]]
        played.lengths[number], played.over[number] = end["steps"], True
        return None

    shared = any(player.startswith("http") for game in games for player in game.players)
    with ThreadPoolExecutor(1 if shared else os.cpu_count()) as threads:
        matches: list[Future[Exception | None]] = []
        try:
            matches.extend(threads.submit(match, number) for number in range(len(games)))
            for done, one in enumerate(matches, 1):
                if failed := one.result():
                    played.leave_out(done - 1, failed)
                tell(done)
            played.check(len(games))
        finally:  # after an interrupt no match begins, and current ones end
            threads.shutdown(wait=False, cancel_futures=True)
            while not all(one.done() for one in matches):
                for process in started:
                    process.kill()
                time.sleep(0.01)
    tell(len(games))
    return played
