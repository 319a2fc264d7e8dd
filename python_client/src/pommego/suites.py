"""Fixed sets of evaluation games, so that the figures of two papers can be compared.

A suite names an id, kinds of opponents, seeds, and the versions of the rules and of the opponents' decisions;
none of them ever changes under a suite's name. `pommego.evaluate` plays one with ``suite=``,
`pommego.check_result` plays a saved result again.
"""

import gzip
import hashlib
import json
import math
import os
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from pommego._version import __version__
from pommego.results import Evaluation, Interval, Z

__all__ = ["SUITES", "Part", "Suite", "SuiteResult", "differing", "load", "named"]

_FORMAT = "pommego-suite/1"
_MOST = 64 << 20  # bytes of a result file, uncompressed


@dataclass(frozen=True)
class Suite:
    """A fixed set of games.

    Attributes:
        name: its name; what it stands for never changes.
        id: an id of the catalog; "" in a suite of several `kinds`.
        version: the version of the ids' rules.
        team: whether the policy plays all seats of its team.
        opponents: for each part the agent in the other seats; with `partners` the one agent that both
            rivals are in all parts.
        games: games per part.
        seed: of the first game; see `seeds`.
        partners: for each part the agent in the teammate's seat; empty if there is none.
        revised: the versions of decisions other than 1, by agent.
        kinds: for each kind of game its id, and the agent in the teammate's seat or "". Each is played
            against all `opponents`, or against the agent in its third place. Empty: there is one kind, `id`.
        successor: the suite to play in place of this one, whose agents play differently since
            pommego 0.1; "" if they play the same.
        orders: whether a language model may answer with orders; else with moves alone.
        ties: the points of a tie; a win has 1.
        scale: programs and agents with their scores, the weakest first; empty: there is no scale.
        starts: for each part which of its thousand seeds its games have; empty: consecutive seeds.
    """

    name: str
    id: str
    version: int
    team: bool
    opponents: tuple[str, ...]
    games: int
    seed: int
    partners: tuple[str, ...] = ()
    revised: tuple[tuple[str, int], ...] = ()
    kinds: tuple[tuple[str, ...], ...] = ()
    successor: str = ""
    orders: bool = True
    ties: float = 0.5
    scale: tuple[tuple[str, float], ...] = ()
    starts: tuple[tuple[int, ...], ...] = ()

    @property
    def agents(self) -> dict[str, int]:
        """The version of the decisions of each agent in it, by name."""
        every = [name for _, *who in self.parts for name in who if name]
        names = [name.partition(":")[0] for name in every]
        return {name: dict(self.revised).get(name, 1) for name in names}

    @property
    def parts(self) -> tuple[tuple[str, str, str], ...]:
        """The id, the opponents, and the partner or "" of each part."""
        kinds = self.kinds or tuple((self.id, partner) for partner in self.partners or ("",))
        return tuple((id, who, partner) for id, partner, *own in kinds for who in own or self.opponents)

    def seeds(self, part: int) -> list[int]:
        """Return the seeds of a part's games."""
        if self.starts:
            return [self.seed + 1000 * part + start for start in self.starts[part]]
        return [self.seed + part * self.games + game for game in range(self.games)]


# The opponents: careful and rash, fast and slow, exact and noisy; rules and several kinds of search.
_PARTNERS = (
    *("static", "random", "simple", "java-simple", "java-osla", "java-mcts:ticks=200"),
    *("heuristic", "heuristic:careful=0", "heuristic:noise=0.1"),
    *("bfs:ticks=500", "mcts:ticks=500", "mcts:ticks=500,careful=0", "fmcs-random:ticks=100"),
    *("fmcs-ucb1:ticks=500", "fmcs-exploit:ticks=500", "fmcs-exploit:ticks=500,noise=0.05"),
    *("fmcs-explore:ticks=500", "osla:ticks=500", "uct:ticks=500", "rhea:ticks=500"),
    *("champion:level=1", "champion:level=2", "champion:level=3", "champion:level=3,noise=0.05"),
    *("champion:level=2,weights=peaceful", "champion:level=2,weights=reckless"),
)
# The versions of agents other than 1, by the year of the suite.
_HYBRID = ("heuristic", "bfs", "mcts", "fmcs-random", "fmcs-ucb1", "fmcs-exploit", "fmcs-explore")
_REVISED = {2026: (("champion", 3),), 2027: (("champion", 5), *((name, 2) for name in _HYBRID))}
# The games of a language model, and its opponents: those of 2026, and later those for moves and for orders.
# It must find and catch opponents that stand still itself: its teammate stands still, too.
_KINDS = (
    *(("OneVsOne-v0", ""), ("PommeFFACompetition-v0", "")),
    *(("PommeTeamCompetition-v0", "simple"), ("PommeRadioCompetition-v2", "simple")),
)
_MOVES = (
    *(("OneVsOne-v0", "", "static"), ("PommeFFACompetition-v0", "", "static")),
    ("PommeFFACompetition-v0", "", "simple"),
    ("PommeTeamCompetition-v0", "static", "static"),
    ("PommeRadioCompetition-v2", "static", "rhea:ticks=500"),
)
_ORDERS = (
    ("PommeFFACompetition-v0", "", "rhea:ticks=500"),
    *((id, "static", "static") for id, _ in _KINDS[2:] for _ in range(2)),
)
# Starts, in the track of orders, from which no single repeated order wins: see docs/language-models.md.
_STARTS = (
    "16 28 97 102 103 152 161 167 168 171 321 326 333 342 345 453 456 475 484 513",
    "0 1 2 3 5 151 152 153 154 155 300 301 302 309 310 450 452 453 455 456",
    "0 3 4 5 7 150 151 152 154 155 300 302 305 307 308 451 453 454 455 457",
    "0 3 4 10 12 150 152 153 154 158 303 306 307 308 311 450 451 452 453 454",
    "3 5 8 9 14 150 151 153 154 155 302 303 305 310 312 450 451 452 453 454",
)
# The scores of programs and agents in both tracks, by benchmarks/llm_scale.py.
_SCALES = (
    (
        *(("random moves", 0.0), ("always stop", 0.02), ("danger follower", 0.17)),
        *(("simple", 0.28), ("heuristic", 0.68), ("champion:level=3", 0.97)),
    ),
    (
        *(("random moves", 0.0), ("always hunt for 100", 0.0), ("danger follower", 0.02)),
        *(("order giver", 0.13), ("simple", 0.43), ("heuristic", 0.69), ("champion:level=3", 0.92)),
    ),
)


def _suites() -> dict[str, Suite]:
    """Make the suites. Their seeds never overlap, and are far from those that people train with."""
    agents = ("random", "simple", "osla", "heuristic", "mcts:ticks=500", "fmcs-exploit:ticks=500")
    table = [  # name, id, team, opponents, games, partners, kinds
        ("ffa", "PommeFFACompetition-v0", False, agents, 100, (), ()),
        ("team", "PommeTeamCompetition-v0", True, agents, 100, (), ()),
        ("radio", "PommeRadioCompetition-v2", True, agents, 100, (), ()),
        ("duel", "OneVsOne-v0", False, agents, 100, (), ()),
        ("partners", "PommeTeamCompetition-v0", False, ("heuristic",), 20, _PARTNERS, ()),
        ("partners-radio", "PommeRadioCompetition-v2", False, ("heuristic",), 20, _PARTNERS, ()),
        ("llm", "", False, ("static", "simple", "heuristic"), 10, (), _KINDS),
    ]
    suites, last = {}, max(_REVISED)
    for year, revised in _REVISED.items():
        for k, (kind, id, team, opponents, games, partners, kinds) in enumerate(table):
            name, seed = f"{kind}-{year}", 1_000_000 * year + 10_000 * k
            successor = f"{kind}-{last}" if year < last else ""
            suites[name] = Suite(
                name, id, 1, team, opponents, games, seed, partners, revised, kinds, successor
            )
    of_models = replace(suites["llm-2027"], opponents=(), games=20, ties=0.0)
    suites["llm-2027"] = replace(of_models, kinds=_MOVES, orders=False, scale=_SCALES[0])
    suites["llm-orders-2027"] = replace(
        of_models,
        name="llm-orders-2027",
        seed=of_models.seed + 10_000,
        kinds=_ORDERS,
        scale=_SCALES[1],
        starts=tuple(tuple(map(int, part.split())) for part in _STARTS),
    )
    return suites


#: All suites by name.
SUITES: dict[str, Suite] = _suites()


class Part(NamedTuple):
    """The games of a suite against one kind of opponent, or with one partner.

    `opponents` is the agent in all other seats, or the rivals, `partner` the one in the teammate's seat. The
    policy's actions are uint8 (steps, rows), for each game, with components last. In suites of several kinds
    there is an `id`.
    """

    opponents: str
    evaluation: Evaluation
    actions: list[NDArray[np.uint8]]
    partner: str = ""
    id: str = ""

    @property
    def name(self) -> str:
        """The other players: "against simple", "with random against heuristic", "in ID against static"."""
        return _who(self.id, self.opponents, self.partner)


@dataclass(frozen=True, eq=False)
class SuiteResult:
    """The result of a policy in a suite."""

    suite: Suite
    parts: tuple[Part, ...]  # in the suite's order
    agents: Mapping[str, int]  # the versions of its agents when it was made, by name

    @property
    def score(self) -> Interval:
        """The mean over the parts of wins and the suite's share of ties, with a 95 % interval.

        The interval is the normal distribution's, with the parts as strata. For its width half a won and half
        a lost game are added to each part, as equal results alone would give no width.
        """
        results = [part.evaluation.results for part in self.parts]
        points = [np.where(own == 0, self.suite.ties, own == 1) for own in results]
        mean = float(np.mean([p.mean() for p in points]))
        shares = np.array([(p.sum() + 0.5) / (len(p) + 1) for p in points])
        squares = np.array([((p**2).sum() + 0.5) / (len(p) + 1) for p in points])
        games = np.array([len(p) for p in points])
        error = Z * math.sqrt(((squares - shares**2) / games).sum()) / len(points)
        return Interval(mean, max(0.0, mean - error), min(1.0, mean + error))

    @property
    def rating(self) -> Interval:
        """The score as a rating: 400 log10 of its odds, at most 800.

        A policy as strong as the opponents has 0 in duels and team games where a tie is half a win, less if
        a tie counts less, and about -190 in free-for-alls of four: this is not the scale of tournaments.
        """
        return Interval(*map(_elo, self.score))

    @property
    def answers(self) -> dict[str, float]:
        """The shares of a language model's answers by how they were read; else empty."""
        counts = Counter()
        for part in self.parts:
            counts.update(part.evaluation.answers or {})
        return {how: n / max(1, counts.total()) for how, n in counts.items()}

    def __str__(self) -> str:
        score, scale = self.score, self.suite.scale
        lines = [f"{self.suite.name}: score {score.value:.1%} ({score.low:.1%} to {score.high:.1%})"]
        scored, games = sum(p.evaluation.games for p in self.parts), self.suite.games * len(self.parts)
        if scale or scored < games:
            lines[0] += f" of {scored} of {games} games"
        if scale:
            lines[0] += f"; Elo {self.rating:+.0f}"
            lines += [f"  below {n}: {s:.1%}, Elo {_elo(s):+.0f}" for n, s in scale if s > score.high][:1]
            lines += [f"  above {n}: {s:.1%}, Elo {_elo(s):+.0f}" for n, s in scale if s < score.low][-1:]
        if answers := self.answers:
            lines.append("  answers: " + ", ".join(f"{share:.1%} {how}" for how, share in answers.items()))
        names = [part.name if part.id else part.partner or part.opponents for part in self.parts]
        # A kind that is listed twice has other boards the second time.
        boards = [f", seeds from {self.suite.seeds(k)[0]}" for k in range(len(names))]
        names = [name + more * (names.count(name) > 1) for name, more in zip(names, boards, strict=True)]
        parts = [f"  {name}: {part.evaluation}" for name, part in zip(names, self.parts, strict=True)]
        return "\n".join(lines + parts)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write the result, with the policy's actions, so that others can check it.

        Args:
            path: the file, JSON compressed by gzip; a new one.

        Returns:
            the SHA-256 of its content, which the file also contains; to be published with the score.

        Raises:
            FileExistsError: the file exists.
        """
        parts = []
        for part in self.parts:
            e = part.evaluation
            packed = (zlib.compress(actions.tobytes()) for actions in part.actions)
            parts.append([*map(_Game, e.results.tolist(), e.lengths.tolist(), e.seats.tolist(), packed)])
            for number in e.void:
                parts[-1].insert(number, None)
        answers = [dict(part.evaluation.answers) for part in self.parts if part.evaluation.answers]
        suite, agents = self.suite, dict(self.agents)
        about = {"id": suite.id, "version": suite.version, "pommego": __version__}
        saved = _Saved(_FORMAT, suite.name, parts, agents, answers or None, **about)
        content = msgspec.to_builtins(saved)
        digest = _digest(content)
        written = json.dumps(content | {"sha256": digest}).encode()
        with Path(path).open("xb") as file:
            file.write(gzip.compress(written, mtime=0))
        return digest


class _Game(msgspec.Struct):
    """A game of a result file."""

    result: Annotated[int, msgspec.Meta(ge=-1, le=1)]
    length: Annotated[int, msgspec.Meta(ge=1, le=800)]
    seat: Annotated[int, msgspec.Meta(ge=0, le=3)]
    actions: bytes  # compressed


_Reading = Literal["legal", "repaired", "illegal", "late"]


class _Saved(msgspec.Struct, omit_defaults=True):
    """A result file."""

    format: str
    suite: str
    parts: list[list[_Game | None]]  # None: it cannot be scored
    agents: dict[str, int]
    answers: list[dict[_Reading, int]] | None = None  # a language model's, one per part
    sha256: str | None = None  # of all other fields
    id: str | None = None  # the suite's, as is the version
    version: int | None = None
    pommego: str | None = None  # its version


def load(path: str | os.PathLike[str]) -> SuiteResult:
    """Read a saved result, without playing its games."""
    try:
        with gzip.open(path) as file:
            text = file.read(_MOST + 1)
        if len(text) > _MOST:
            raise ValueError(f"more than {_MOST} bytes")
        content = json.loads(text)
        saved = msgspec.convert(content, _Saved)
        if content.pop("sha256", None) != _digest(content):
            raise ValueError("its SHA-256 does not fit its content: it was changed or damaged")
        if saved.format != _FORMAT:
            raise ValueError(f"format {saved.format!r}, expected {_FORMAT!r}")
        suite = named(saved.suite)
        if len(saved.parts) != len(suite.parts):
            raise ValueError(f"{len(saved.parts)} parts, expected {len(suite.parts)}")
        answers = saved.answers or [None] * len(suite.parts)
        if len(answers) != len(suite.parts):
            raise ValueError(f"answers of {len(answers)} parts, expected {len(suite.parts)}")
        parts = zip(suite.parts, saved.parts, answers, strict=True)
        return SuiteResult(suite, tuple(_part(suite, *part) for part in parts), saved.agents)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError, EOFError, zlib.error, gzip.BadGzipFile):
        raise ValueError(
            f"{os.fspath(path)} is not a suite's result, or is damaged: expected a file of SuiteResult.save"
        ) from None
    except (ValueError, msgspec.ValidationError) as e:
        raise ValueError(f"{os.fspath(path)}: {e}") from None


def named(name: str) -> Suite:
    """Return a suite by its name; ValueError if there is none."""
    if name not in SUITES:
        raise ValueError(f"suite is {name!r}, expected one of {', '.join(SUITES)}")
    return SUITES[name]


def differing(made: Mapping[str, int], here: Mapping[str, int]) -> str:
    """Say which agents have another version here than in a result or a suite; "" if none."""
    pairs = ((agent, version, here.get(agent, "unknown")) for agent, version in made.items())
    return "; ".join(f"made with {agent} {v}, this is {other}" for agent, v, other in pairs if v != other)


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _part(
    suite: Suite, who: tuple[str, str, str], games: Sequence[_Game | None], answers: dict[str, int] | None
) -> Part:
    """Read one part of a result file."""
    id, opponents, partner = who
    of_several = id if suite.kinds else ""
    if len(games) != suite.games:
        raise ValueError(f"{len(games)} games {_who(of_several, *who[1:])}, expected {suite.games}")
    void = tuple(number for number, game in enumerate(games) if game is None)
    games = [game for game in games if game is not None]
    if 10 * len(void) > (suite.games if answers else 0):
        raise ValueError(
            f"{len(void)} of {suite.games} games cannot be scored, expected a tenth at most of a language "
            "model's, and none of others"
        )
    rows = 2 if suite.team else 1
    form = (rows, 3) if "Radio" in id else (rows,)  # the shape of a step's actions
    choices = np.array([6, 9, 9] if "Radio" in id else 6)
    columns = zip(*((game.result, game.length, game.seat) for game in games), strict=True)
    kinds = zip(columns, (np.int8, np.int32, np.uint8), strict=True)
    evaluation = Evaluation(*(np.array(column, dtype) for column, dtype in kinds), answers=answers, void=void)
    actions = []
    for game in games:
        size = game.length * math.prod(form)
        data = zlib.decompressobj().decompress(game.actions, size + 1)
        if len(data) != size:
            raise ValueError(
                f"the actions of a game of {game.length} steps have {len(data)} bytes, expected {size}"
            )
        actions.append(np.frombuffer(data, np.uint8).reshape(game.length, *form))
        if (actions[-1] >= choices).any():
            raise ValueError(f"a game has the action {actions[-1].max()}, expected one of the game's")
    return Part(opponents, evaluation, actions, partner, of_several)


def _elo(score: float) -> float:
    """Return the Elo difference between two sides for this score, 800 at most."""
    return 400 * math.log10(max(score, 0.01) / max(1 - score, 0.01))


def _who(id: str, opponents: str, partner: str) -> str:
    return f"in {id} " * bool(id) + f"with {partner} " * bool(partner) + f"against {opponents}"
