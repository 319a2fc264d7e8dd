"""The experiment of "A Hybrid Search Agent in Pommerman", with this project's agents.

    make hybrid-search                       # all of it, hours
    make hybrid-search ARGS="--games 20"     # a test, minutes
    python benchmarks/hybrid_search/run.py --only 2018-careful0

Each agent plays the same seeds alone against three of the rules' own SimpleAgent, by the text
of the paper alone (careful0) and with this project's rules for survival (careful1), in two rule
sets and with three budgets; README.md says why. Every run is one `pommego tournament`, so this
can be stopped and started again at any time. After each run comparison.md puts all results beside
the paper's.
"""

import argparse
import dataclasses
import json
import pathlib
import shlex
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

RULES = {"2018": "PommeFFA2018-v0", "today": "PommeFFACompetition-v0"}

# The agent against which all play, and which plays too: that of the rules' time.
SIMPLE = {"2018": "simple-2018", "today": "simple"}

# The paper's order. Those that search take a budget, those of the paper the option careful.
AGENTS = ["fmcs-exploit", "fmcs-explore", "fmcs-ucb1", "fmcs-random", "heuristic", "bfs", "mcts", "simple"]
WITHOUT_BUDGET = {"heuristic", "simple", "random", "static"}
OF_THE_PAPER = {*AGENTS} - {"simple"}

# The paper's Table 1: of the seeds that exactly one of the two won, the row's percentage.
PAPER = {
    "fmcs-exploit": [None, 58.0, 48.9, 56.5, 64.1, 62.7, 76.3, 95.9],
    "fmcs-explore": [None, None, 40.3, 45.8, 54.1, 50.9, 64.5, 90.6],
    "fmcs-ucb1": [None, None, None, 54.9, 63.8, 60.4, 73.7, 94.9],
    "fmcs-random": [None, None, None, None, 57.9, 55.3, 68.3, 94.1],
    "heuristic": [None, None, None, None, None, 47.3, 64.3, 90.2],
    "bfs": [None, None, None, None, None, None, 63.8, 92.3],
    "mcts": [None, None, None, None, None, None, None, 87.5],
}
PAPER_SIMPLE_WINS = 21.67

ABOUT = """Written by run.py. A cell of a table of pairs is what the row won of the seeds that exactly one of
the two won, in %, and in brackets the paper's figure. Exact binomial test: \\* p < 0.05, \\*\\* p < 0.01.
Other brackets hold 95 % intervals."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One tournament: a rule set, how careful the paper's agents are, and a budget."""

    rules: str
    careful: int  # 0: they go by the paper's text alone
    budget: str  # an agent's option, such as "ticks=2000"
    games: int
    danger: str = ""  # an option: "allbombs=1" for the paper's 5 + 2n, word for word

    @property
    def name(self) -> str:
        """Gives the run's folder."""
        parts = [f"careful{self.careful}", self.danger, self.budget, f"games{self.games}"]
        return "-".join([self.rules, *(part.replace("=", "") for part in parts if part)])

    def agents(self, names: list[str]) -> str:
        """Lists the agents with their options, as the command line wants them."""
        return ",".join(self._agent(name) for name in names)

    def _agent(self, name: str) -> str:
        options = [] if name in WITHOUT_BUDGET else [self.budget]
        if name in OF_THE_PAPER and not self.careful:
            options.append("careful=0")
        if name in OF_THE_PAPER and self.danger:
            options.append(self.danger)
        name = SIMPLE[self.rules] if name == "simple" else name
        return f"{name}:{','.join(options)}" if options else name


def plan(games: int) -> list[Run]:
    """Lists the runs, the most important first. Those with a budget in time have fewer games.

    They take hours and depend on the machine. With our own rules games are three times as long.
    """
    runs = [
        Run(rules, careful, f"ticks={ticks}", games)
        for rules in RULES
        for ticks in (2000, 30)
        for careful in (0, 1)
    ]
    fifth, tenth = (max(games // share // 4 * 4, 4) for share in (5, 10))
    timed = [Run("2018", 0, "ms=100", fifth), Run("2018", 0, "ms=100", fifth, "allbombs=1")]
    return [*runs, *timed, Run("2018", 1, "ms=100", tenth)]


def command(run: Run, options: argparse.Namespace) -> list[str]:
    """Writes the command line of a run."""
    line = [options.pommego, "tournament", "--env", RULES[run.rules], "--format", "one-against-three"]
    line += ["--agents", run.agents(options.agents), "--against", SIMPLE[run.rules]]
    line += ["--games", str(run.games), "--seed", "1"]
    return [*line, "--out", str(options.results / run.name)]


def percent(estimate: dict) -> str:
    """Writes a rate and its interval."""
    return f"{100 * estimate['value']:.1f} ({100 * estimate['low']:.1f} to {100 * estimate['high']:.1f})"


def base(agent: str) -> str:
    """Leaves the options of a name away, and of the SimpleAgents which one it is."""
    name = agent.partition(":")[0]
    return "simple" if name in SIMPLE.values() else name


def paper_over(row: str, column: str) -> float | None:
    """Gives the paper's figure for one agent over another, either way round."""
    if row not in AGENTS or column not in AGENTS or row == column:
        return None
    if AGENTS.index(row) > AGENTS.index(column):
        turned = paper_over(column, row)
        return None if turned is None else round(100 - turned, 1)
    return PAPER[row][AGENTS.index(column)]


def over(pair: dict) -> str:
    """Writes a pair as the paper's table does."""
    if pair["share"] is None:
        return "-"
    stars = "\\*\\*" if pair["p_value"] < 0.01 else "\\*" if pair["p_value"] < 0.05 else ""
    return f"{100 * pair['share']:.1f}{stars}"


def table(results: dict) -> list[str]:
    """Writes the paper's Table 1 with our figures, and the paper's in brackets."""
    names = [base(agent["agent"]) for agent in results["standings"]]
    pairs = {(base(p["row"]), base(p["col"])): p for p in results["pairs"]}
    lines = ["| | " + " | ".join(names[1:]) + " |", "|" + " --- |" * len(names)]
    for i, row in enumerate(names[:-1]):
        cells = [""] * i
        for column in names[i + 1 :]:
            theirs = paper_over(row, column)
            cells.append(over(pairs[row, column]) + (f" ({theirs:.1f})" if theirs is not None else ""))
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def agreement(results: dict) -> str:
    """Says how the pairs of the paper's agents go with the paper's: those without simple."""
    both = [
        (100 * pair["share"], paper_over(base(pair["row"]), base(pair["col"])))
        for pair in results["pairs"]
        if pair["share"] is not None and {base(pair["row"]), base(pair["col"])} <= OF_THE_PAPER
    ]
    if len({ours for ours, _ in both}) < 2 or len(both) < 3:
        return "Too few pairs of the paper's agents to compare."
    same = sum((ours - 50) * (theirs - 50) > 0 for ours, theirs in both)
    r = statistics.correlation(*zip(*both, strict=True))
    return f"Of {len(both)} pairs of the paper's agents {same} go the paper's way; correlation r = {r:+.2f}."


def describe(run: Run, results: dict) -> list[str]:
    """Writes down one run beside the paper."""
    title = f"## {run.rules.capitalize()} rules, {run.budget}, careful={run.careful}"
    title += f", {run.danger}" if run.danger else ""
    what = f"`{results['env']}`, {results['games']} games an agent, seeds from {results['seed']}, build "
    what += f"`{results['program']}`; rates and times are in `results/{run.name}`."
    lines = [title, "", what, "", *table(results), "", agreement(results), ""]
    wins = "; ".join(f"{base(a['agent'])} {percent(a['win_rate'])}" for a in results["standings"])
    lines += [f"Won, %: {wins}. In the paper simple won {PAPER_SIMPLE_WINS}.", ""]
    return lines


def compare(runs: list[Run], folder: pathlib.Path) -> str:
    """Writes down all runs that have been played beside the paper, and which have not."""
    lines = ["# The experiment beside the paper", "", ABOUT, ""]
    missing = [run.name for run in runs if not (folder / run.name / "results.json").exists()]
    if missing:
        lines += [f"Not played yet: {', '.join(missing)}.", ""]
    for run in runs:
        if run.name in missing:
            continue
        lines += describe(run, json.loads((folder / run.name / "results.json").read_text()))
    return "\n".join(lines).rstrip() + "\n"


def parse(arguments: list[str]) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--games", type=int, default=300, help="games an agent; a multiple of four")
    add("--agents", type=lambda text: text.split(","), default=AGENTS, help="names without options")
    add("--only", default="", help="only the runs whose names begin so")
    add("--results", type=pathlib.Path, default=HERE / "results", help="the folder for everything")
    add("--pommego", default=str(ROOT / "bin" / "pommego"), help="the program")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Makes all runs that are not done yet, and the comparison."""
    options = parse(arguments)
    all_runs = plan(options.games)
    runs = [run for run in all_runs if run.name.startswith(options.only)]
    if not runs:
        print(
            f"--only {options.only!r} fits no run, there are: {', '.join(run.name for run in all_runs)}",
            file=sys.stderr,
        )
        return 2
    path = options.results / "comparison.md"
    for run in runs:
        line = command(run, options)
        print(shlex.join(line), flush=True)
        code = subprocess.run(line, stdout=subprocess.DEVNULL, check=False).returncode
        if code != 0:
            return code
        path.write_text(compare(all_runs, options.results))
    done = [run for run in all_runs if (options.results / run.name / "results.json").exists()]
    print(f"{path} holds {len(done)} of {len(all_runs)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
