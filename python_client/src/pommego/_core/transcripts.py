"""A file of language models' games, with their messages, from which an evaluation can continue."""

import json
import operator
import os
import warnings
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

_FORMAT = "pommego-evaluation/1"


class Transcripts:
    """Games that are over, one line of JSON each, after a first line with the settings that decide them.

    Attributes:
        games: those that can be scored, by name, without their messages.
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Mapping[str, Any]) -> None:
        self.games: dict[str, dict[str, Any]] = {}
        self._path, self._lock = path and Path(path), Lock()
        if not self._path:
            return
        # numpy's integers become Python's
        head = json.loads(json.dumps({"format": _FORMAT, **about}, default=operator.index))
        if not self._path.exists():
            with self._path.open("x") as file:
                file.write(json.dumps(head) + "\n")
            return
        text = self._path.read_bytes()
        whole = text.rfind(b"\n") + 1  # a kill may have cut the last line off
        first, *lines = map(self._read, count(1), text[:whole].splitlines() or [b"null"])
        if first != head:
            raise ValueError(f"out is {path}, which begins with {first}, expected {head}: name another file")
        os.truncate(self._path, whole)
        for game in lines:
            if not game["void"]:
                self.games[game.pop("game")] = {k: v for k, v in game.items() if k != "messages"}
        if self.games and "version" not in head:
            warnings.warn(f"{len(self.games)} games are from {path}: set model.version", stacklevel=3)

    def _read(self, number: int, line: bytes) -> Any:
        try:
            return json.loads(line)
        except ValueError as e:
            raise ValueError(f"out is {self._path}, whose line {number} is no JSON: {e}") from None

    def add(self, name: str, game: Mapping[str, Any]) -> None:
        """Keep a game that is over, on the disk."""
        if self._path:
            line = json.dumps({"game": name, **game})
            with self._lock, self._path.open("a") as file:
                file.write(line + "\n")
                file.flush()
                os.fsync(file.fileno())
