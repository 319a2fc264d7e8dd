"""Play a suite of language models with programs that read and write text.

    python benchmarks/llm_scale.py llm-2027

Each program is a model as `pommego.llm.evaluate` takes it. Built-in agents play, too: a script writes their
moves as text. The scores are the suite's scale.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pommego.llm
from pommego import suites
from pommego._core.playing import play
from pommego.evaluation import seatings

MOVES = {"stop": (0, 0), "up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
AGENTS = ("random", "simple", "heuristic", "champion:level=3")


def always(answer: str) -> Callable[[Any], str]:
    """Return a model that says the same each time."""
    return lambda messages: answer


def view(messages: list[dict[str, str]]) -> dict[str, Any]:
    """Return what the seat sees, of the detail "json"."""
    text = messages[-1]["content"]
    return json.loads(text[text.index("{") :])


def draw(messages: list[dict[str, str]]) -> str:
    """Draw a legal move."""
    seen = view(messages)
    return random.Random(str(seen)).choice(seen["legal"][0])


def burns(seen: dict[str, Any], move: str) -> int:
    """Return in how many ticks the cell burns to which a move leads; 99 if it does not."""
    (row, column), (down, right) = seen["you"][0]["at"], MOVES.get(move, (0, 0))
    size = len(seen["board"])
    row, column = row + down, column + right
    if not seen.get("danger") or not (0 <= row < size and 0 <= column < size):
        return 99
    char = seen["danger"][row][column]
    return 99 if char == "." else int(char, 36)


def follow_danger(messages: list[dict[str, str]]) -> str:
    """Go where it burns last, and lay no bomb."""
    seen = view(messages)
    if not seen.get("you"):
        return "stop"
    moves = [move for move in MOVES if move in seen["legal"][0]]
    return max(moves, key=lambda move: (burns(seen, move), move == "stop"))


def give_orders(messages: list[dict[str, str]]) -> str:
    """Hide from fire; else hunt who is in view, or dig."""
    seen = view(messages)
    if seen.get("you") and burns(seen, "stop") < 99:
        return "hide for 3"
    return "hunt for 5" if seen.get("others") else "dig for 5"


def look_around(messages: list[dict[str, str]]) -> str:
    """Give orders, but go to some cell every other time that nobody is in view."""
    order, seen = give_orders(messages), view(messages)
    cells = [(r, c) for r, line in enumerate(seen["board"]) for c, char in enumerate(line) if char in ".?"]
    if not order.startswith("dig") or len(messages) // 2 % 2 or not cells:
        return order
    return "go {},{} for 10".format(*random.Random(str(seen)).choice(cells))


class Written:
    """The moves of a built-in agent as text: of matches that are played first, one for each game."""

    def __init__(self, agent: str, suite: suites.Suite) -> None:
        """Play all games."""
        jobs = []
        with pommego.Server(openenv=True) as server:
            given = {"address": server.address, "token": server.token, "detail": "json", "system_prompt": ""}
            for part, (id, opponents, partner) in enumerate(suite.parts):
                spec = pommego.catalog()[id]
                others = [opponents, partner, opponents] if partner else opponents
                ways = seatings(spec, agent, others, team=False)
                for game, seed in enumerate(suite.seeds(part)):
                    agents, seat = ways[-(-spec.seats * (game + 1) // suite.games) - 1]
                    row = [*agents[:seat], *agents[seat + 1 :]]
                    env = pommego.llm.Environment(env=id, seed=seed, seat=seat, opponents=row, **given)
                    jobs.append((env.reset(), id, seed, seat, agents))
        with ThreadPoolExecutor(2) as pool:
            self._moves = dict(pool.map(self._play, jobs))
        self._names = [*MOVES, "bomb"]

    @staticmethod
    def _play(job: tuple[str, str, int, int, list[str]]) -> tuple[str, list[Any]]:
        text, id, seed, seat, agents = job
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "game.jsonl")
            play(id, agents, seed, record=str(record))
            steps = json.loads(record.read_text())["steps"]
        return text, [step["actions"][seat] for step in steps]

    def __call__(self, messages: list[dict[str, str]]) -> str:
        """Answer with the move of the match's tick."""
        moves, tick = self._moves[messages[1]["content"]], view(messages)["tick"]
        move = moves[tick] if tick < len(moves) else 0
        move, *words = move if isinstance(move, list) else [move]
        said = f"; say {words[0]} {words[1]}" if any(words) else ""
        return self._names[move] + said


def programs(suite: suites.Suite) -> dict[str, Callable[[Any], str]]:
    """Return the programs by name, without the built-in agents."""
    orders = ("hunt for 100", "hide for 20", "bomb for 10") if suite.orders else ()
    givers = {"order giver": give_orders, "order giver that looks around": look_around}
    return {
        **{f"always {moves}": always(moves) for moves in ("stop", "up, up, bomb")},
        "chatter": always("An interesting position! Let me think about it."),
        **{f"always {order}": always(order) for order in orders},
        "random moves": draw,
        "danger follower": follow_danger,
        **(givers if suite.orders else {}),
    }


def main(arguments: list[str] | None = None) -> dict[str, suites.SuiteResult]:
    """Measure; returns the results by the programs' names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suite", nargs="?", default="llm-2027")
    parser.add_argument("--games", type=int, help="of each part, in place of the suite's")
    parser.add_argument("--only", nargs="*", default=[], help="names of programs, or of agents")
    given = parser.parse_args(arguments)
    suite = suites.SUITES[given.suite]
    if given.games:
        starts = tuple(part[: given.games] for part in suite.starts)
        suites.SUITES[given.suite] = suite = replace(suite, games=given.games, starts=starts)
    made, results = programs(suite), {}
    for name in given.only or [*made, *AGENTS]:
        model = made.get(name) or Written(name, suite)
        results[name] = pommego.llm.evaluate(model, suite=suite.name, detail="json", workers=4)
        print(f"{name}: {results[name]}", flush=True)
    return results


if __name__ == "__main__":
    main()
