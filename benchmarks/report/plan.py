"""What is measured: each measurement is a command that prints one JSON object."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["FREE_FOR_ALL", "PARTS", "TEAM", "Grid", "Measurement"]

FREE_FOR_ALL, TEAM = "PommeFFACompetition-v0", "PommeTeamCompetition-v0"

#: Parts of the report, in the order in which they are measured.
PARTS = ("go", "python", "link", "peers", "memory", "profile")

_PYTHON, _POMMEGO = ".venv/bin/python", "bin/pommego"  # as people call them


@dataclass(frozen=True)
class Measurement:
    """One command, run once a round.

    Attributes:
        part: of the report it belongs to.
        options: by which the tables find it.
        command: as people type it, in the repository's root.
        rounds: how often it is run.
        expected: seconds it takes, roughly; for the time left.
    """

    part: str
    options: dict[str, Any]
    command: tuple[str, ...]
    rounds: int
    expected: float

    @property
    def text(self) -> str:
        """The command in one line, which names the measurement in the journal."""
        return " ".join(self.command)


@dataclass(frozen=True)
class Grid:
    """How much is measured.

    Attributes:
        parts: see `PARTS`.
        go_games: games at once of `pommego bench`.
        games: games at once of everything that goes into Python.
        seconds: for one measurement from Python; those in Go, of which there are
            ten to a command, get a third of it each.
        rounds: how often everything is measured that is compared.
        brief: leave out most combinations of options.
    """

    parts: tuple[str, ...] = PARTS
    go_games: tuple[int, ...] = (1, 16, 64, 256, 1024, 4096, 16384, 65536)
    games: tuple[int, ...] = (64, 256, 1024, 4096, 16384, 65536)
    seconds: float = 1.2
    rounds: int = 2
    brief: bool = False
    cores: int = field(default_factory=lambda: os.cpu_count() or 1)

    @classmethod
    def quick(cls) -> Grid:
        """A look at everything."""
        return cls(go_games=(1, 64, 1024), games=(64, 1024), seconds=0.4, rounds=1, brief=True)

    def measurements(self) -> list[Measurement]:
        """List all of them, in the order of one round."""
        makers = {
            "go": self._go,
            "python": self._python,
            "link": self._link,
            "peers": self._peers,
            "memory": self._memory,
            "profile": self._profile,
        }
        return [m for part in PARTS if part in self.parts for m in makers[part]()]

    def _go(self) -> Iterator[Measurement]:
        for games in self.go_games:
            for workers in sorted({1, min(self.cores, games)}):
                options = {"games": games, "workers": workers}
                seconds = round(self.seconds / 3, 3)
                command = (_POMMEGO, "bench", "--json", *_flags(options), "--seconds", f"{seconds:g}")
                yield Measurement("go", options, command, self.rounds, 10 * seconds + 2 + games * 1e-4)

    def _python(self) -> Iterator[Measurement]:
        for games in self.games:
            for options in _COMBINATIONS:
                if options.brief or not self.brief:
                    yield self._client("python", options.with_games(games))

    def _link(self) -> Iterator[Measurement]:
        """Batches through a socket as they are and compressed, where the figures name one size."""
        games = _nearest(self.games, 1024)
        for observation in ("raw", "planes"):
            plain = Options(TEAM, observation, None, "tcp", copy=True).with_games(games)
            if self.brief or "python" not in self.parts:
                yield self._client("link", plain)
            yield self._client("link", plain | {"compression": "zstd"})

    def _client(self, part: str, options: dict[str, Any]) -> Measurement:
        told = {name: value for name, value in options.items() if value is not None}
        command = (_PYTHON, "-m", "pommego.bench", "--json", *_flags(told), "--seconds", f"{self.seconds:g}")
        expected = 1.0 + 1.4 * self.seconds + options["games"] * 1e-4
        return Measurement(part, options, command, self.rounds, expected)

    def _peers(self) -> Iterator[Measurement]:
        for peer, games, threads in _PEERS:
            if peer == "envpool" and not importlib.util.find_spec("envpool"):
                continue
            options = {"games": games} | ({"threads": threads} if threads else {})
            name = ("benchmarks.report.peers", "--json", peer)
            command = (_PYTHON, "-m", *name, *_flags(options), "--seconds", f"{self.seconds:g}")
            yield Measurement(
                "peers",
                options | {"peer": peer, "threads": threads},
                command,
                self.rounds,
                1.5 + self.seconds,
            )

    def _memory(self) -> Iterator[Measurement]:
        sizes = sorted({1, *self.games}) if self.brief else (1, 1024, 16384, 65536)
        for id_ in (FREE_FOR_ALL, TEAM):
            for observation in ("raw",) if self.brief else ("raw", "planes"):
                for games in sizes:
                    options = {"id": id_, "observation": observation, "games": games}
                    command = (_PYTHON, "-m", "benchmarks.report.memory", "--json", *_flags(options))
                    yield Measurement("memory", options, command, 1, 1 + games * 1e-4)

    def _profile(self) -> Iterator[Measurement]:
        games = _nearest(self.games, 1024)
        for observation, transport in (("raw", "shm"), ("planes", "shm"), ("planes", "tcp")):
            options = {"id": TEAM, "observation": observation, "transport": transport, "games": games}
            seconds = round(3 * self.seconds, 3)
            name = ("benchmarks.report.profiling", "--json")
            command = (_PYTHON, "-m", *name, *_flags(options), "--seconds", f"{seconds:g}")
            yield Measurement("profile", options, command, 1, 2 * seconds + 5)


@dataclass(frozen=True)
class Options:
    """How games get into Python; with the names of `python -m pommego.bench`."""

    id: str
    observation: str
    opponents: str | None
    transport: str
    copy: bool
    in_flight: int = 1
    brief: bool = False  # measured in a brief run too

    def with_games(self, games: int) -> dict[str, Any]:
        """These options as a dictionary."""
        return {
            "id": self.id,
            "observation": self.observation,
            "opponents": self.opponents,
            "transport": self.transport,
            "copy": self.copy,
            "in_flight": self.in_flight,
            "games": games,
            "compression": None,
        }


def _combinations() -> Iterator[Options]:
    """Yield what is worth comparing of all that could be combined."""
    for id_ in (TEAM, FREE_FOR_ALL):
        for observation in ("raw", "planes"):
            both = Options(id_, observation, None, "shm", copy=False)
            for transport in ("shm", "tcp"):
                through = replace(both, transport=transport, brief=id_ == TEAM)
                yield replace(through, copy=True, brief=id_ == TEAM and transport == "shm")
                yield through
                yield replace(through, in_flight=2, brief=id_ == TEAM and transport == "shm")
            if id_ == TEAM:
                yield replace(both, transport="unix")
                yield replace(both, transport="unix", in_flight=2)
            else:
                yield replace(both, opponents="simple", brief=True)
                yield replace(both, opponents="simple", transport="tcp")


_COMBINATIONS = tuple(_combinations())

# Name, environments, threads (0: as many as it likes).
_PEERS = (
    ("gymnasium-sync", 64, 0),
    ("gymnasium-async", 64, 0),
    ("envpool", 64, 1),
    ("envpool", 64, 0),
    ("envpool", 1024, 1),
    ("envpool", 1024, 0),
)


def _flags(options: dict[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{flag}" if value else f"--no-{flag}"
        else:
            yield from (f"--{flag}", str(value))


def _nearest(sizes: tuple[int, ...], wanted: int) -> int:
    return min(sizes, key=lambda size: abs(size - wanted))
