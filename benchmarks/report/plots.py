"""The plots, as PNG files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.report.findings import Findings, Found
from benchmarks.report.markdown import rate, times
from benchmarks.report.sections import slower, stepping_alone

__all__ = ["draw"]

mpl.rcParams |= {
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 130,
}

_COLORS = {"shm": "#1b6ca8", "unix": "#4c9f70", "tcp": "#d1603d"}
_OBSERVATIONS = ("raw", "planes")


def draw(findings: Findings, folder: Path) -> list[Path]:
    """Draw what there are figures for; returns the files."""
    plots = {"steps": _steps, "latency": _latency, "limits": _limits, "cost": _cost}
    paths = []
    for name, plot in plots.items():
        canvas = plot(findings)
        if canvas is not None:
            paths.append(folder / f"{name}.png")
            canvas.savefig(paths[-1], metadata={"Software": None})
    return paths


def _steps(findings: Findings) -> Canvas | None:
    """Steps a second over games, a row for each game, a column for each encoding."""
    ids = findings.values("id", "python")
    if not ids:
        return None
    canvas = Canvas(figsize=(10, 4 * len(ids)))
    grid = canvas.subplots(len(ids), 2, sharex=True, sharey=True, squeeze=False)
    for id_, row in zip(ids, grid, strict=True):
        for observation, axes in zip(_OBSERVATIONS, row, strict=True):
            _alone(axes, findings, id_, observation)
            for label, style, found in _ways(findings, id=id_, observation=observation):
                _rates(axes, found, label, style)
            axes.set_title(f"{id_}, {observation}", fontsize=9)
            _logarithmic(axes, rate)
    for axes in grid[:, 0]:
        axes.set_ylabel("steps of whole games a second")
    _legend(canvas)
    return canvas


def _ways(findings: Findings, **options: Any) -> list[tuple[str, dict[str, Any], list[Found]]]:
    """List the ways into Python that were measured: label, style, and what was found over games."""
    ways: dict[tuple[Any, ...], list[Found]] = {}
    for found in findings.select("python", **options):
        o = found.options
        ways.setdefault((o["transport"], o["copy"], o["in_flight"], o["opponents"]), []).append(found)
    listed = []
    for (transport, copy, in_flight, opponents), found in ways.items():
        words = [transport, "copies" if copy else "views", *(["2 in flight"] if in_flight > 1 else [])]
        words += [f"against {opponents}"] if opponents else []
        dashes = ":" if opponents else "--" if copy else "-"
        style = {"color": _COLORS[transport], "linestyle": dashes, "marker": "s" if in_flight > 1 else "o"}
        listed.append((", ".join(words), style, found))
    return listed


def _rates(axes: Axes, found: Sequence[Found], label: str, style: dict[str, Any]) -> None:
    """Draw a line of medians in the band of all samples."""
    games = [f.options["games"] for f in found]
    figures = [f.figure("end-to-end") for f in found]
    axes.plot(games, [f.median for f in figures], label=label, markersize=3, linewidth=1.2, **style)
    low, high = [f.low for f in figures], [f.high for f in figures]
    axes.fill_between(games, low, high, color=style["color"], alpha=0.08, linewidth=0)


def _alone(axes: Axes, findings: Findings, id_: str, observation: str) -> None:
    """Draw what stepping alone reaches, where that is known."""
    points = {}
    for found in findings.select("python", id=id_, observation=observation, opponents=None):
        alone = stepping_alone(findings, found)
        if alone:
            points[found.options["games"]] = alone
    if points:
        axes.plot(list(points), list(points.values()), color="0.5", linewidth=1, label="stepping alone")


def _latency(findings: Findings) -> Canvas | None:
    """A step's time over games: median, and a band up to 99 %."""
    ids = findings.values("id", "python")
    if not ids:
        return None
    canvas = Canvas(figsize=(10, 4))
    for observation, axes in zip(_OBSERVATIONS, canvas.subplots(1, 2, sharey=True), strict=True):
        chosen = {"id": ids[0], "observation": observation, "opponents": None, "copy": False, "in_flight": 1}
        for label, style, found in _ways(findings, **chosen):
            games = [f.options["games"] for f in found]
            half, most, nearly = ([f.latency("step_us")[p] for f in found] for p in ("p50", "p90", "p99"))
            axes.plot(games, half, label=label.split(",")[0], markersize=3, **style)
            axes.plot(games, most, linewidth=0.6, color=style["color"], linestyle="--")
            axes.fill_between(games, half, nearly, color=style["color"], alpha=0.12)
        axes.set_title(f"{ids[0]}, {observation}: median, 90 % (dashed), 99 % (band)", fontsize=9)
        _logarithmic(axes, times)
    canvas.axes[0].set_ylabel("time of one step of all games")
    _legend(canvas)
    return canvas


def _cost(findings: Findings) -> Canvas | None:
    """What a step costs a core, over games: flat is good."""
    workers = sorted(findings.values("workers", "go"))
    if not workers:
        return None
    canvas = Canvas(figsize=(5 * len(workers), 4))
    for w, axes in zip(workers, canvas.subplots(1, len(workers), sharey=True, squeeze=False)[0], strict=True):
        found = list(findings.select("go", workers=w))
        for name in found[0].names():
            games = [f.options["games"] for f in found]
            costs = [w * 1e9 / f.figure(name).median for f in found]
            limit = name.startswith(("copy/", "clear/"))
            axes.plot(games, costs, label=name, markersize=3, marker="o", linestyle=":" if limit else "-")
        axes.set_title(f"{w} worker{'s' * (w > 1)}", fontsize=9)
        _logarithmic(axes, lambda nanoseconds: f"{nanoseconds:,.0f} ns")
    canvas.axes[0].set_ylabel("time a core takes for a step of one game")
    _legend(canvas)
    return canvas


def _limits(findings: Findings) -> Canvas | None:
    """Bars: what share of its limit each figure reaches, at about a thousand games."""
    bars = [*_go_shares(findings), *_client_shares(findings)]
    if not bars:
        return None
    canvas = Canvas(figsize=(8, 1 + 0.25 * len(bars)))
    axes = canvas.subplots()
    labels, shares, colors = zip(*reversed(bars), strict=True)
    drawn = axes.barh(range(len(bars)), shares, color=colors, height=0.7)
    axes.bar_label(drawn, [f"{share:.0%}" for share in shares], fontsize=7, padding=2)
    axes.set_yticks(range(len(bars)), labels, fontsize=7)
    axes.axvline(1, color="0.3", linewidth=0.8)
    axes.grid(visible=False, axis="y")
    axes.margins(y=0.01)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
    axes.set_xlabel(
        "share of the limit: the same bytes only copied or cleared (in Go);\n"
        "the slower of stepping alone and the way to the client alone (into Python)"
    )
    return canvas


def _size(findings: Findings, part: str) -> int:
    return min(findings.values("games", part), key=lambda games: abs(games - 1024))


def _go_shares(findings: Findings) -> list[tuple[str, float, str]]:
    if findings.one("go") is None:
        return []
    games = _size(findings, "go")
    bars = []
    for found in findings.select("go", games=games):
        for name in found.names():
            limit = found.limit(name)
            if limit:
                label = f"{name}, {games} games, workers: {found.options['workers']}"
                bars.append((label, found.figure(name).median / limit, "#7a5195"))
    return bars


def _client_shares(findings: Findings) -> list[tuple[str, float, str]]:
    if findings.one("python") is None:
        return []
    bars = []
    for found in findings.select("python", games=_size(findings, "python")):
        o, bound = found.options, slower(findings, found)
        if bound is None:
            continue
        share = found.figure("end-to-end").median / bound
        words = [
            o["id"].removesuffix("-v0"),
            o["observation"],
            o["transport"],
            "copies" if o["copy"] else "views",
        ]
        words += [f"{o['in_flight']} in flight"] if o["in_flight"] > 1 else []
        words += [f"against {o['opponents']}"] if o["opponents"] else []
        bars.append((", ".join(words), share, _COLORS[o["transport"]]))
    return bars


def _legend(canvas: Canvas) -> None:
    """Draw one legend for all axes, below them."""
    lines = {}
    for axes in canvas.axes:
        handles, labels = axes.get_legend_handles_labels()
        lines |= dict(zip(labels, handles, strict=True))
    canvas.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=5, fontsize=8)


def _logarithmic(axes: Axes, write: Callable[[float], str]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda games, _: f"{games:.0f}"))
    axes.set_xlabel("games")
    axes.tick_params(axis="x", labelrotation=45, labelsize=7)
    axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())
