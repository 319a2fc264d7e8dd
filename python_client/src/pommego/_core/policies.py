"""Seats that policies in Python play: their rows are hidden from the caller."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MethodType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pommego._core.batch import Array, Observation, View
from pommego._core.games import Games
from pommego._core.info import NO_EPISODE
from pommego._core.more_checks import legal
from pommego._core.opponents import LineUps, Policy
from pommego._core.rows import keep_rows, take_rows
from pommego._core.saved import restore, simulate
from pommego._core.session import Session
from pommego._transport import wire
from pommego.errors import PommegoError, ProtocolError, ServerError
from pommego.pool import Member, Pool, options_for
from pommego.spec import Choice, Result


class PolicyGames:
    """The games of another `Session`, in which policies play some of the seats that learn there.

    The policies' rows are taken out of every batch, and their actions are added to every step. Each
    policy is asked once per step, for all its rows.
    """

    def __init__(self, inner: Session, line_ups: LineUps, *, copy: bool) -> None:
        made, spec = inner.about.made, inner.about.spec
        self._inner, self._copy, self.server = inner, copy, inner.server
        seats = tuple(line_ups.policy_seats)
        if made.policies != len(seats):
            raise ProtocolError(f"{inner.address} made {made.policies} seats for {len(seats)} policies")
        self._options = {"observation": inner.about.encoding.name, "mask": made.mask}
        options_for(chain(*line_ups.line_ups), self._options)
        own, self._all = made.learners - made.policies, made.learners
        # Policies need to see a step before they choose for the next.
        self.about = replace(inner.about, learners=own, max_in_flight=1, policy_seats=seats)
        self._choices = spec.actions
        games = made.games
        self._every = np.arange(games, dtype=np.int32)
        self._actions = np.zeros((games, made.policies, *made.action_shape[1:]), np.uint8)
        self._acts = np.zeros((games, own), np.bool_)  # the caller's rows whose actions count
        self._seed, self._episode = np.zeros(games, np.uint64), np.full(games, NO_EPISODE)  # those seated
        self._asked: list[tuple[Array, Observation, dict[str, Array]]] = []
        self._latest: dict[int, Any] = {}  # for each opponent, the policy or pool last set there
        self._set(line_ups)
        self._policies: dict[int, Policy] = {}  # those with a seat, by their keys
        self._playing = np.zeros((games, made.policies), np.int64)  # keys; 0: an agent plays the seat
        # The pools of each game, with their members and the rows that these play.
        self._pools: list[dict[Pool, tuple[Member, list[int]]]] = [{} for _ in range(games)]

    address = property(lambda self: self._inner.address)
    closed = property(lambda self: self._inner.closed)
    timeout = property(lambda self: self._inner.timeout, lambda self, to: setattr(self._inner, "timeout", to))

    def close(self) -> None:
        self._inner.close()

    def ask(self, what: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Ask the games, and keep the policies' rows of the answer."""
        if what is simulate:  # the server cannot ask policies
            raise PommegoError(
                "simulate() plays on the server, where the policies among the opponents cannot be asked: "
                "make an environment whose other seats learn, or are agents, for the search"
            )
        before = self._episode.copy()
        if what is Games.set_opponents:
            options_for(chain(*args[0].line_ups), self._options)
        elif what is Games.reset:
            _, mask, *_ = args
            self._episode[slice(None) if mask is None else mask] = NO_EPISODE
        try:
            answer = self._inner.ask(what, *args, **options)
        except ServerError:  # nothing has changed
            self._episode = before
            raise
        if what is restore:
            self._episode[args[0]] = NO_EPISODE
        elif what is Games.set_opponents:
            self._set(args[0])
        if not isinstance(answer, View):
            return answer
        self._asked.clear()  # it shows all games, or (with a batch size) all begin anew
        return self._without_policies(answer)

    def _set(self, line_ups: LineUps) -> None:
        self._line_ups = line_ups.line_ups
        for line_up in reversed(self._line_ups):
            self._latest |= {k: one for k, one in enumerate(line_up) if not isinstance(one, str)}

    def recv(self) -> View:
        return self._without_policies(self._inner.recv())

    def _without_policies(self, view: View) -> View:
        """Keep the policies' rows, and return the caller's."""
        games = self._every if view.games is None else view.games
        n, own = len(games), self.about.learners
        self._record(view, games)
        first = self._begin(view, games)
        counts = view.acts(self.about.made.autoreset_mode)
        self._acts[games] = counts[:, :own]
        hidden, seats = slice(own, None), self._all - own
        shown = {name: view.info[name] for name in ("action_mask", "alive", "seat")}
        seen = keep_rows(view.obs, n, self._all, hidden, copy=True, expand=True)
        info = keep_rows(shown, n, self._all, hidden, copy=True) | {
            "valid": counts[:, own:].ravel(),
            "first": first.repeat(seats),
            "row": (games[:, None] * seats + np.arange(seats)).ravel(),
        }
        if view.games is None:
            self._asked.clear()
        self._asked.append((games, seen, info))
        names = ("obs", "reward", "terminated", "truncated", "info", "stats")
        whole = {name: getattr(view, name) for name in names}
        kept = keep_rows(whole, n, self._all, slice(own), copy=self._copy)
        final = keep_rows(view.final, view.finished.size, self._all, slice(own), copy=self._copy)
        return replace(view, **kept, final=final)

    def _begin(self, view: View, games: Array) -> Array:
        """Seat policies in the games whose episode begins, and say which those are."""
        first = (self._seed[games] != view.seed) | (self._episode[games] != view.episode)
        self._episode[games] = NO_EPISODE  # until all are seated: a pool's rule may fail
        for i in np.flatnonzero(first).tolist():
            game, seed, episode = int(games[i]), int(view.seed[i]), int(view.episode[i])
            members: dict[Pool, tuple[Member, list[int]]] = {}
            number = 0 if view.line_up is None else int(view.line_up[i])
            # A state may have a line-up that is not set: then who plays besides policies is unknown here.
            line_up = self._line_ups[number] if number >= 0 else self._latest
            self._pools[game] = members if number >= 0 else {}
            for j, k in enumerate(self.about.policy_seats):
                player = line_up[k]
                if isinstance(player, Pool):
                    if player not in members:
                        members[player] = player.seat(seed, episode), []
                    member, rows = members[player]
                    rows.append(self.about.learners + j)
                    player = member.policy
                self._playing[game, j] = 0 if isinstance(player, str) else self._key(player)
        self._seed[games], self._episode[games] = view.seed, view.episode
        return first

    def _key(self, policy: Policy) -> int:
        if isinstance(policy, MethodType):  # `agent.act` is another object each time, and one policy
            policy = next((known for known in self._policies.values() if known == policy), policy)
        if id(policy) not in self._policies:
            options_for([policy], self._options)  # a member of a pool may not fit
            for unused in self._policies.keys() - set(self._playing.ravel().tolist()):
                del self._policies[unused]
            self._policies[id(policy)] = policy
        return id(policy)

    def _record(self, view: View, games: Array) -> None:
        """Count the results of learners against each member, or, if there are none, beside it."""
        teams, own, last = self.about.spec.teams, self.about.learners, view.final or view.info
        for n, i in enumerate(view.finished.tolist()):
            game, begin = int(games[i]), i * self._all
            if not self._pools[game] or ("void" in view.stats and view.stats["void"][begin]):
                continue
            results = view.stats["result"][begin : begin + own]
            at = (n if view.final else i) * self._all
            out = self.about.spec.dead_leave & (results == Result.UNDECIDED) & ~last["alive"][at : at + own]
            lost = (results == Result.LOST) | out
            scores = np.select([results == Result.WON, lost], [1.0, 0.0], 0.5)  # 0.5: tied or cut off
            seats = last["seat"][at : at + self._all]
            side = [next(k for k, team in enumerate(teams) if seat in team) for seat in seats]
            for pool, (member, rows) in self._pools[game].items():
                sides = {side[row] for row in rows}
                against = [row for row in range(own) if sides - {side[row]}]
                met = len({side[row] for row in against})
                score = scores[against or slice(None)].max()
                pool.record(member, float(score), (len(teams) - met) / met if met else 0)

    def send(self, actions: ArrayLike, games: Array | None = None, *, reuse: bool = False) -> None:
        """Ask the policies, and begin a step; see `Session`."""
        which = self._every if games is None else games
        given = legal(actions, self._acts[which], self._choices)
        if not self._asked and games is None:  # the last batch was lost, as by Ctrl-C
            self._without_policies(self._inner.ask(Games.observe))
        while self._asked:
            own, seen, info = self._asked[0]
            chosen = decide(self._policies, self._playing[own].ravel(), seen, info, self._choices)
            self._actions[own] = chosen.reshape(len(own), *self._actions.shape[1:])
            self._asked.pop(0)
        every = np.concatenate([given, self._actions[which]], axis=1)
        self._inner.send(every.reshape(-1, *every.shape[2:]), games, reuse=reuse)


def decide(
    policies: Mapping[int, Policy], players: Array, seen: Any, info: Any, choices: Sequence[Choice]
) -> Array:
    """Ask policies for the actions of their rows, where `players` has their keys; those of others are 0."""
    actions = np.zeros((len(players), len(choices)) if len(choices) > 1 else len(players), np.uint8)
    keys, begin = np.unique(players, return_index=True)
    for key in keys[begin.argsort()].tolist():  # the order depends on the rows alone
        if key in policies:
            rows = np.flatnonzero(players == key)
            policy, shown = policies[key], take_rows(info, rows)
            actions[rows] = checked(policy, policy(take_rows(seen, rows), shown), shown, choices)
    return actions


def checked(policy: Policy, given: Any, info: dict[str, Array], choices: Sequence[Choice]) -> Array:
    """Check the actions that a policy has returned; rows that are not valid get 0."""
    given = wire.numbers("actions", given)
    shape = (len(info["row"]), *(() if len(choices) == 1 else (len(choices),)))
    if given.dtype.kind not in "iu":
        raise TypeError(f"policy {policy!r} must return integers, got {wire.no_integers(given)}")
    if given.shape != shape:
        raise ValueError(f"policy {policy!r} returned actions of shape {given.shape}, expected {shape}")
    parts = given.reshape(len(given), -1)
    for component, choice in enumerate(choices):
        wrong = info["valid"] & ((parts[:, component] < 0) | (parts[:, component] >= choice.n))
        if wrong.any():
            raise ValueError(
                f"policy {policy!r} returned {parts[wrong.argmax(), component]} for {choice.name} "
                f"of seat {info['seat'][wrong.argmax()]}, expected 0 to {choice.n - 1}"
            )
    return np.where(info["valid"].reshape(-1, *(1,) * (given.ndim - 1)), given, 0).astype(np.uint8)
