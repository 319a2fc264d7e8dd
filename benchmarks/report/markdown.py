"""Figures and tables in Markdown, to be read as text too."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.report.findings import Figure

__all__ = ["command", "percent", "rate", "size", "spread", "table", "times"]

_RATES = ((1e6, " M"), (1e3, " k"), (1.0, ""))
_TIMES = ((1e6, " s"), (1e3, " ms"), (1.0, " µs"))
_SIZES = ((2**30, " GiB"), (2**20, " MiB"), (2**10, " KiB"), (1, " B"))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table, its columns as wide as they need to be; columns of figures are aligned right."""
    columns = [_column(name, cells) for name, cells in zip(head, zip(*rows, strict=True), strict=True)]
    return "\n".join("|" + "|".join(line) + "|" for line in zip(*columns, strict=True))


def _column(name: str, cells: Sequence[str]) -> list[str]:
    """Fill a column's cells up, beneath its name and the rule."""
    width = max(map(len, [name, *cells]))
    if any(cell[:1].isdigit() for cell in cells):
        return [f" {name:>{width}} ", "-" * (width + 1) + ":", *(f" {cell:>{width}} " for cell in cells)]
    return [f" {name:{width}} ", "-" * (width + 2), *(f" {cell:{width}} " for cell in cells)]


def rate(value: float) -> str:
    """Write a rate in three digits: 613 k or 1.29 M."""
    scale, unit = _unit(value, _RATES)
    return _digits(value / scale, value / scale) + unit


def spread(figure: Figure) -> str:
    """Write a rate with its bounds: 1.29 M (1.23..1.44)."""
    scale, unit = _unit(figure.median, _RATES)
    median, low, high = (
        _digits(x / scale, figure.median / scale) for x in (figure.median, figure.low, figure.high)
    )
    return f"{median}{unit} ({low}..{high})"


def times(*microseconds: float) -> str:
    """Write times in the first one's unit: 68.4 / 241 / 2010 µs."""
    scale, unit = _unit(microseconds[0], _TIMES)
    return " / ".join(_digits(t / scale, min(t, microseconds[0]) / scale) for t in microseconds) + unit


def size(number: float) -> str:
    """Write a number of bytes."""
    scale, unit = _unit(number, _SIZES)
    return _digits(number / scale, number / scale) + unit


def percent(share: float | None) -> str:
    """Write a share, a dash where there is none."""
    if share is None:
        return "-"
    return f"{share:.1%}" if 0 < share < 0.1 else f"{share:.0%}"


def command(*texts: str) -> str:
    """Write commands as a block of code."""
    return "\n".join(["```", *texts, "```"])


def _unit(value: float, units: Sequence[tuple[float, str]]) -> tuple[float, str]:
    return next((unit for unit in units if value >= unit[0]), units[-1])


def _digits(value: float, like: float) -> str:
    """Write a number with as many decimals as give `like` three digits."""
    decimals = 2 if like < 10 else 1 if like < 100 else 0
    return f"{value:.{decimals}f}"
