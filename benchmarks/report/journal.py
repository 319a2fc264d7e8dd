"""What has been measured so far, one JSON object a line: nothing is measured twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["Journal", "JournalError"]


class JournalError(Exception):
    """The journal cannot be gone on with."""


class Journal:
    """A file that each result is added to as soon as it is there.

    Its first line says what was measured: the machine and the build. The
    results of two builds are not to be mixed.

    Args:
        path: of the file; it need not exist.

    Raises:
        JournalError: it is damaged somewhere else than at its end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.head: dict[str, Any] | None = None
        self._results: dict[tuple[str, int], dict[str, Any]] = {}
        whole = 0
        for line in self._lines():
            whole += len(line)
            self._take(json.loads(line))
        if path.exists() and path.stat().st_size > whole:
            with path.open("r+b") as file:  # what a killed run left half-written
                file.truncate(whole)

    def _lines(self) -> Iterator[bytes]:
        if not self._path.exists():
            return
        for number, line in enumerate(self._path.read_bytes().splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                return
            try:
                json.loads(line)
            except ValueError:
                raise JournalError(
                    f"{self._path}, line {number} is not JSON: repair it, or begin anew with --fresh"
                ) from None
            yield line

    def _take(self, record: dict[str, Any]) -> None:
        if "machine" in record:
            self.head = record
        else:
            self._results[record["command"], record["round"]] = record

    def restore(self, head: dict[str, Any], records: Iterable[dict[str, Any]]) -> None:
        """Take over what was written down elsewhere, without writing it here."""
        for record in (head, *records):
            self._take(record)

    def begin(self, head: dict[str, Any]) -> None:
        """Write down what is measured; a journal of something else is refused.

        Raises:
            JournalError: it is.
        """
        if self.head is None:
            self._write(head)
        elif self.head["build"] != head["build"]:
            raise JournalError(
                f"{self._path} has figures of another build or machine, which are not to be mixed with "
                "this one's. Begin anew with --fresh, or write the tables of what is there with --tables"
            )

    def add(self, record: dict[str, Any]) -> None:
        """Add a result: its command and round, and what came out."""
        self._write(record)

    def get(self, command: str, round_: int) -> dict[str, Any] | None:
        """Return a result, None if it has not been measured."""
        return self._results.get((command, round_))

    def _write(self, record: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        self._take(record)
