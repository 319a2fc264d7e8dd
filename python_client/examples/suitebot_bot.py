"""A bot for SuiteBot II to start from: it bombs where many fields can be collected, and avoids blasts.

pommego play --env SuiteBot-v0 --agents "exec:python suitebot_bot.py,simple,simple,simple" --show
pommego view suitebot_sample.jsonl.gz

The second command shows a game that was recorded from the first one. Change `choose`; print messages to
standard error. The observation is described in arena/match/PROTOCOL.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

Field = tuple[int, int]
STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class Plan:
    """The board in one round."""

    def __init__(self, obs: dict[str, Any], rules: dict[str, Any]) -> None:
        self.width, self.height, self.rules = obs["width"], obs["height"], rules
        mine = obs["seat"]
        self.at: Field = (obs["agents"][mine]["x"], obs["agents"][mine]["y"])
        homes = [tuple(agent["home"]) for seat, agent in enumerate(obs["agents"]) if seat != mine]
        self.deadly = set(homes)  # whoever stands on an enemy's home base dies
        self.danger: dict[Field, int] = {}  # the rounds until a blast reaches a field
        for _ in range(3):  # bombs set each other off
            for bomb in obs["bombs"]:
                place = bomb["x"], bomb["y"]
                self.plant(place, min(bomb["rounds"], self.danger.get(place, 99)))
        self.full = {
            (x, y)
            for y, row in enumerate(obs["fields"])
            for x, state in enumerate(row)
            if state == "." and (x, y) not in self.danger
        }

    def reach(self, bomb: Field) -> set[Field]:
        """Return the fields that a bomb reaches. Nothing stops a blast."""
        far = range(-self.rules["blast_radius"], self.rules["blast_radius"] + 1)
        return {self.field(bomb, n, 0) for n in far} | {self.field(bomb, 0, n) for n in far}

    def field(self, start: Field, right: int, down: int) -> Field:
        """Return the field at this distance; opposite edges are joined."""
        return (start[0] + right) % self.width, (start[1] + down) % self.height

    def plant(self, bomb: Field, rounds: int) -> None:
        """Note the blast of a bomb."""
        for field in self.reach(bomb):
            self.danger[field] = min(rounds, self.danger.get(field, rounds))

    def ways(self, farthest: int) -> Iterator[tuple[Field, str, int]]:
        """Yield fields that can be reached alive, the nearest first, with the first move and the rounds."""
        seen, open_fields = {self.at}, [(self.at, "hold", 0)]
        for field, first, rounds in open_fields:
            yield field, first, rounds
            for move, step in STEPS.items():
                to = self.field(field, *step)
                safe = to not in self.deadly and self.danger.get(to) != rounds + 1
                if safe and to not in seen and rounds < farthest:
                    seen.add(to)
                    open_fields.append((to, first if rounds else move, rounds + 1))

    def escape(self) -> str | None:
        """Return the first move to the nearest field without danger."""
        return next((first for field, first, _ in self.ways(8) if field not in self.danger), None)


def choose(obs: dict[str, Any], rules: dict[str, Any]) -> str:
    """Choose a move: hold, up, down, left, right or plant_bomb."""
    plan = Plan(obs, rules)
    if plan.at in plan.danger:
        return plan.escape() or "hold"
    best, move = 0.0, "hold"
    for field, first, rounds in plan.ways(8):
        worth = len(plan.reach(field) & plan.full) / (rounds + rules["bomb_delay"])
        if worth > best and field not in plan.danger:
            best, move = worth, first
    if best and move == "hold":  # this is the best field
        plan.plant(plan.at, rules["bomb_delay"] + 1)
        return "plant_bomb" if plan.escape() else "hold"
    return move


def main() -> None:
    """Answer the questions on standard input, one per line."""
    rules: dict[str, Any] = {}
    for line in sys.stdin:
        question = json.loads(line)
        if question["type"] == "begin":
            rules = question["rules"]
            answer = {"id": question["id"]}
        elif question["type"] == "act":
            answer = {"id": question["id"], "action": choose(question["obs"], rules)}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
