"""Brings the rounds of each measurement together."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.report.journal import Journal
from benchmarks.report.plan import Measurement

__all__ = ["Figure", "Findings", "Found"]


@dataclass(frozen=True)
class Figure:
    """The median of the rounds' medians, and the lowest and highest sample of all."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, results: Sequence[dict[str, Any]], field: str = "env_steps_per_second") -> Figure:
        """Bring the results of several rounds together."""
        return cls(
            statistics.median(r[field] for r in results),
            min(r["min"] for r in results),
            max(r["max"] for r in results),
        )


@dataclass(frozen=True)
class Found:
    """What one measurement found, in all its rounds.

    Attributes:
        part: of the report.
        options: the measurement's.
        command: that prints it.
        reports: what it printed, a dictionary for each round.
    """

    part: str
    options: dict[str, Any]
    command: str
    reports: list[dict[str, Any]]

    def names(self) -> list[str]:
        """Return the names of what has been measured."""
        return [result["name"] for result in self.reports[0]["results"]]

    def results(self, name: str) -> list[dict[str, Any]]:
        """Return one name's results, one for each round."""
        return [r for report in self.reports for r in report["results"] if r["name"] == name]

    def figure(self, name: str) -> Figure:
        """Return a rate."""
        return Figure.of(self.results(name))

    def limit(self, name: str) -> float | None:
        """Return what a rate cannot exceed, None where nothing was measured for that."""
        limits = [limit for r in self.results(name) if (limit := r.get("limit"))]
        return statistics.median(limits) if limits else None

    def latency(self, name: str) -> dict[str, float]:
        """Return the percentiles of a time, in microseconds."""
        fields = {"p50": "microseconds", "p90": "p90", "p99": "p99"}
        return {to: statistics.median(r[of] for r in self.results(name)) for to, of in fields.items()}

    def value(self, field: str) -> Any:
        """Return a field of the report itself: the rounds' median of numbers."""
        values = [report[field] for report in self.reports]
        return statistics.median(values) if isinstance(values[0], int | float) else values[0]


class Findings:
    """All that has been found so far.

    Args:
        plan: what was to be measured.
        journal: what has been.
    """

    def __init__(self, plan: Sequence[Measurement], journal: Journal) -> None:
        self.head = journal.head
        self.failed: dict[str, str] = {}  # commands and their errors
        self.records: list[dict[str, Any]] = []
        self._found: list[Found] = []
        for m in plan:
            records = [r for i in range(m.rounds) if (r := journal.get(m.text, i))]
            self.records += records
            reports = [r["result"] for r in records if "result" in r]
            self.failed.update((m.text, r["error"]) for r in records if "error" in r)
            if reports:
                self._found.append(Found(m.part, m.options, m.text, reports))

    def select(self, *parts: str, **options: Any) -> Iterator[Found]:
        """Yield what was found with these options, in the plan's order."""
        for found in self._found:
            same = all(found.options.get(name) == value for name, value in options.items())
            if found.part in parts and same:
                yield found

    def one(self, *parts: str, **options: Any) -> Found | None:
        """Return the first of them."""
        return next(self.select(*parts, **options), None)

    def values(self, option: str, *parts: str, **options: Any) -> list[Any]:
        """Return the values that an option has in them, each once."""
        return list(dict.fromkeys(f.options[option] for f in self.select(*parts, **options)))
