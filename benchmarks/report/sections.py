"""The tables: one function for each part of the report, a list of blocks of Markdown each."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.report import markdown as md
from benchmarks.report.findings import Findings, Found

__all__ = ["document", "slower", "stepping_alone"]

_LIMITS = ("copy/", "clear/")  # measurements that are there to be limits
_SIZES = (1024, 4096)  # games for which shares of limits are told
_CLIENT = ".venv/bin/python -m pommego.bench --json --id GAME --games GAMES --observation OBSERVATION"


def document(findings: Findings, made_by: str) -> str:
    """Write all of it."""
    blocks = ["# Speed and memory, measured", *_setting(findings, made_by)]
    for section in (_go, _python, _limits, _latency, _link, _peers, _memory, _profiles, _failed):
        blocks += section(findings)
    return "\n\n".join(map(_wrapped, blocks)) + "\n"


def _wrapped(block: str) -> str:
    prose = block[0] not in "#|`*"
    return textwrap.fill(block, 120, break_long_words=False, break_on_hyphens=False) if prose else block


def stepping_alone(findings: Findings, found: Found) -> float | None:
    """Return what the server steps and encodes without anybody to send it to, on all cores.

    Known for the team game with learners in all seats.
    """
    o = found.options
    if o["opponents"] or "Team" not in o["id"]:
        return None
    alone = list(findings.select("go", games=o["games"]))
    return alone[-1].figure(f"step/{o['observation']}").median if alone else None


def slower(findings: Findings, found: Found) -> float | None:
    """Return what bounds a figure: the slower of stepping alone and the way to the client alone."""
    alone = stepping_alone(findings, found)
    return min(alone, found.figure("noop").median) if alone else None


def _setting(findings: Findings, made_by: str) -> Iterator[str]:
    head = findings.head
    machine = head["machine"]
    yield (
        "All figures are moves of whole games a second unless it says otherwise; a step that only "
        "begins an episode does not count. A figure is the median of all rounds, in brackets the "
        "lowest and the highest sample. Rounds of all measurements took turns. Each table names the "
        "command that prints its figures, to be run in the repository's root."
    )
    about = {
        "made by": f"`{made_by}`",
        "date": head["date"],
        "commit": f"{head['commit']}{', with changes' if head['changed'] else ''}",
        "processor": f"{machine['processor']}, {machine['cores']} cores, {machine['caches']}",
        "memory": md.size(machine["memory"]),
        "system": machine["system"],
        "frequency governor": machine["governor"] or "not told",
        "versions": ", ".join(f"{name} {v or 'not installed'}" for name, v in head["versions"].items()),
        "built with": " ".join(f"`{setting}`" for setting in head["go_build"]) or "not told",
        "processors busy with others": _range([r["others"] for r in findings.records]),
        "processors taken by the host": _range([r["stolen"] for r in findings.records]),
    }
    yield "\n".join(f"* {name}: {what}" for name, what in about.items())


def _range(shares: list[float | None]) -> str:
    known = [share for share in shares if share is not None]
    if not known:
        return "not told"
    return f"{md.percent(statistics.median(known))} of the time (at most {md.percent(max(known))})"


def _go(findings: Findings) -> Iterator[str]:
    first = findings.one("go")
    if first is None:
        return
    workers = sorted(findings.values("workers", "go"))
    yield "## In Go: rules, encodings, batches"
    yield md.command(_general(first, "games", "workers"))
    yield (
        "Cost is the time one core takes for one step of one game; beside it, how many times the "
        "cheapest size's it is. The limit is what the same workers reached where the same bytes were "
        "only copied or cleared."
    )
    for name in first.names():
        if name.rpartition(":")[2].startswith(_LIMITS):
            continue
        head = ["games"]
        for w in workers:
            head += [f"{w} worker{'s' * (w > 1)}", "limit", "of it", "cost", "flat"]
            head += ["a core"] * (w > 1)
        limit = _limit_name(first, name)
        yield f"### `{name}`" + (f", limit `{limit}`" if limit else "")
        yield md.table(head, list(_go_rows(findings, name, workers)))


def _limit_name(found: Found, name: str) -> str | None:
    """Return which measurement is another's limit."""
    limit = found.results(name)[0].get("limit")
    results = found.reports[0]["results"]
    return next((r["name"] for r in results if r["env_steps_per_second"] == limit), None)


def _go_rows(findings: Findings, name: str, workers: list[int]) -> Iterator[list[str]]:
    best = {w: max(f.figure(name).median for f in findings.select("go", workers=w)) for w in workers}
    for games in findings.values("games", "go"):
        row = [str(games)]
        for w in workers:
            found = findings.one("go", games=games, workers=w)
            if found is None:
                row += ["-"] * (5 + (w > 1))
                continue
            figure, limit = found.figure(name), found.limit(name)
            row += [md.spread(figure), md.rate(limit) if limit else "-"]
            row += [md.percent(figure.median / limit if limit else None)]
            row += [f"{w * 1e9 / figure.median:.0f} ns", f"{best[w] / figure.median:.2f}"]
            row += [md.rate(figure.median / w)] * (w > 1)
        yield row


def _python(findings: Findings) -> Iterator[str]:
    if findings.one("python") is None:
        return
    yield "## End to end, into Python"
    yield md.command(_client_command(findings, "python", "[--opponents simple]"))
    yield (
        "After each figure: its share of what a server that steps nothing (`noop`) reached in the "
        "same rounds through the same transport."
    )

    def cell(found: Found) -> str:
        figure = found.figure("end-to-end")
        return f"{md.spread(figure)}, {md.percent(figure.median / found.limit('end-to-end'))}"

    yield from _by_games(findings, cell)


def _client_command(findings: Findings, part: str, more: str = "") -> str:
    seconds = findings.one(part).command.split()[-1]
    options = f"{more} --transport TRANSPORT --copy|--no-copy --in-flight N --seconds {seconds}"
    return f"{_CLIENT} {options.strip()}"


def _by_games(findings: Findings, cell: Callable[[Found], str]) -> Iterator[str]:
    """Yield a table for each game and kind of opponents, with a column for each number of games."""
    sizes = findings.values("games", "python")
    for id_ in findings.values("id", "python"):
        for opponents in findings.values("opponents", "python", id=id_):
            yield f"### {_title(id_, opponents)}"
            rows: dict[tuple[str, ...], dict[int, str]] = {}
            for found in findings.select("python", id=id_, opponents=opponents):
                rows.setdefault(_way(found.options), {})[found.options["games"]] = cell(found)
            body = [[*way, *(cells.get(games, "-") for games in sizes)] for way, cells in rows.items()]
            yield md.table([*_WAY, *(f"{games} games" for games in sizes)], body)


_WAY = ("observation", "transport", "copies", "in flight")


def _way(options: dict[str, Any]) -> tuple[str, ...]:
    copies = "--copy" if options["copy"] else "--no-copy"
    return options["observation"], options["transport"], copies, str(options["in_flight"])


def _title(id_: str, opponents: str | None) -> str:
    return f"`{id_}`, " + (f"one learner against `{opponents}`" if opponents else "learners in all seats")


def _limits(findings: Findings) -> Iterator[str]:
    sizes = findings.values("games", "python")
    sizes = [games for games in sizes if games in _SIZES] or sizes
    if not sizes:
        return
    rows = [_limits_row(findings, f) for games in sizes for f in findings.select("python", games=games)]
    yield "## End to end, beside what bounds it"
    yield (
        "From the runs above: `noop` is the way to the client alone, `step/...` of `pommego bench` on"
        " all cores is stepping and encoding alone, `copy` is how often the batch's bytes could be "
        "copied once."
    )
    head = [
        "game",
        "opponents",
        *_WAY,
        "games",
        "end to end",
        "noop",
        "stepping alone",
        "of the slower",
        "copy",
    ]
    yield md.table(head, rows)


def _limits_row(findings: Findings, found: Found) -> list[str]:
    o, alone, bound = found.options, stepping_alone(findings, found), slower(findings, found)
    end = found.figure("end-to-end").median
    return [
        o["id"],
        o["opponents"] or "none",
        *_way(o),
        str(o["games"]),
        md.rate(end),
        md.rate(found.figure("noop").median),
        md.rate(alone) if alone else "-",
        md.percent(end / bound if bound else None),
        md.rate(found.figure("copy").median),
    ]


def _latency(findings: Findings) -> Iterator[str]:
    if findings.one("python") is None:
        return
    yield "## Time of one step"
    yield "From the same commands, steps timed one by one: median, 90th and 99th percentile."
    for name, what in (("step_us", "a step"), ("round_trip_us", "a step that does nothing (`noop`)")):
        yield f"The figure is `{name}`: {what}."

        def cell(found: Found, name: str = name) -> str:
            return md.times(*found.latency(name).values())

        yield from _by_games(findings, cell)


def _link(findings: Findings) -> Iterator[str]:
    packed = list(findings.select("link", compression="zstd"))
    if not packed:
        return
    yield "## Compression for thin links"
    yield md.command(_client_command(findings, "link", "[--compression zstd]"))
    yield (
        "Bytes are what the server wrote for a batch. The last columns are no measurements: they are "
        "what a link of that speed would let through, or the figure measured where that is less."
    )
    rows = []
    for found in packed:
        plain = findings.one("link", "python", **found.options | {"compression": None})
        rows += [_link_row(each, plain) for each in (plain, found) if each]
    head = ["observation", "games", "compression", "steps/s", "a step takes", "bytes a batch", "of plain"]
    yield md.table([*head, "at 100 Mbit/s", "at 1 Gbit/s"], rows)


def _link_row(found: Found, plain: Found | None) -> list[str]:
    o, end = found.options, found.figure("end-to-end")
    wire = found.value("wire_bytes")
    row = [o["observation"], str(o["games"]), o["compression"] or "none", md.spread(end)]
    row.append(md.times(found.latency("step_us")["p50"]))
    if wire is None:
        return [*row, "-", "-", "-", "-"]
    share = wire / plain.value("wire_bytes") if plain else None
    through = [min(end.median, o["games"] * bits / 8 / wire) for bits in (1e8, 1e9)]
    return [*row, f"{wire:,.0f}", md.percent(share), *map(md.rate, through)]


def _peers(findings: Findings) -> Iterator[str]:
    if findings.one("peers") is None:
        return
    yield "## Everyday peers"
    yield md.command(".venv/bin/python -m benchmarks.report.peers --json PEER --games N [--threads N]")
    yield (
        "Their game is CartPole-v1, one of the cheapest there is; ours is a game of four with all its"
        " observations, `copy=True`, through shared memory."
    )
    rows = []
    for found in findings.select("peers"):
        o = found.options
        name = o["peer"] + (f", {o['threads']} thread" if o["threads"] else "")
        rows.append((found.figure("end-to-end"), [name, "CartPole-v1", str(o["games"])]))
    sizes = findings.values("games", "peers")
    for games in sizes:
        for found in findings.select("python", games=games, transport="shm", copy=True, in_flight=1):
            o = found.options
            rows.append((found.figure("end-to-end"), [f"pommego, {o['observation']}", o["id"], str(games)]))
    base = rows[0][0].median
    body = [[*about, md.spread(figure), f"{figure.median / base:.1f}"] for figure, about in rows]
    yield md.table(["what", "game", "environments", "steps/s", "times the first"], body)


def _memory(findings: Findings) -> Iterator[str]:
    first = findings.one("memory")
    if first is None:
        return
    yield "## Memory of the server"
    yield md.command(_general(first, "id", "observation", "games"))
    yield (
        "A plain `pommego serve` with its own limits, one environment, batches in shared memory. "
        "`own` is anonymous memory: states, queues, the runtime; a game's part of it is what it adds "
        "to a server with one game. `batches` is the shared memory of three batches, two of which may"
        " be in flight."
    )
    rows = []
    for id_ in findings.values("id", "memory"):
        for observation in findings.values("observation", "memory", id=id_):
            one = findings.one("memory", id=id_, observation=observation)
            rows += [_memory_row(f, one) for f in findings.select("memory", id=id_, observation=observation)]
    head = ["game", "observation", "games", "peak", "own", "own a game", "batches", "a batch a game"]
    yield md.table(head, rows)


def _memory_row(found: Found, one: Found) -> list[str]:
    o, games = found.options, found.options["games"]
    own, more = found.value("anonymous"), games - one.options["games"]
    return [
        o["id"],
        o["observation"],
        str(games),
        md.size(found.value("peak")),
        md.size(own),
        md.size(max(own - one.value("anonymous"), 0) / more) if more else "-",
        md.size(found.value("shared")),
        md.size(found.value("batch_bytes") / games),
    ]


def _profiles(findings: Findings) -> Iterator[str]:
    first = findings.one("profile")
    if first is None:
        return
    yield "## Where the processors' time goes"
    yield md.command(_general(first, "id", "observation", "transport", "games"))
    yield (
        "The functions that take most time themselves, and with all that they call. The client's are "
        "shares of the time on the clock: where it says wait, poll or yield, it waits for the server."
    )
    for found in findings.select("profile"):
        o, report = found.options, found.reports[0]
        yield f"### `{o['id']}`, {o['observation']}, {o['transport']}, {o['games']} games"
        for side in ("server", "client"):
            rows = [
                [md.percent(f["share"]), md.percent(f["with_callees"]), f"`{f['function']}`"]
                for f in report[side]
            ]
            yield md.table(["itself", "with calls", f"on the {side}"], rows)


def _failed(findings: Findings) -> Iterator[str]:
    if findings.failed:
        yield "## What could not be measured"
        yield md.table(["command", "error"], [[f"`{c}`", e] for c, e in findings.failed.items()])


def _general(found: Found, *options: str) -> str:
    """Return a command with some of its options' values replaced by their names in capitals."""
    words = found.command.split()
    for option in options:
        at = words.index(f"--{option}") + 1
        words[at] = option.upper()
    return " ".join(words)
