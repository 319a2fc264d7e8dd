"""Shows games: of a policy, of agents, or recorded ones."""

import html
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pommego._core.describing import describe, running
from pommego._core.more_checks import check_options
from pommego._core.opponents import Policy, check_player
from pommego._core.playing import play, rules_alone, seatings
from pommego._core.program import flags, run
from pommego.data.recording import record
from pommego.evaluation import NOT_HERE
from pommego.making import make_vec


@dataclass(frozen=True)
class Video:
    """A game to view: a notebook shows its page if it is the last line of a cell.

    Where notebooks are displayed without scripts, show ``IPython.display.Image(video.gif)``.
    """

    title: str  # which game it is
    gif: bytes = field(repr=False)  # animated
    html: str = field(repr=False)  # a page with buttons to step through the game

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file.

        Args:
            path: a new file, .gif or .html. ``ffmpeg -i game.gif game.mp4`` makes a film of it.

        Raises:
            ValueError: it ends with something else.
            FileExistsError: the file exists.
        """
        target = Path(path)
        if os.path.lexists(target):
            raise FileExistsError(f"{target} exists: remove it, or name another")
        forms = {".gif": self.gif, ".html": self.html.encode()}
        if target.suffix.lower() not in forms:
            raise ValueError(f"path is {os.fspath(path)!r}, expected an ending .gif or .html")
        target.write_bytes(forms[target.suffix.lower()])

    def _repr_html_(self) -> str:
        """Return the page for notebooks, in a frame that has no access to the notebook."""
        title, page = html.escape(self.title), html.escape(self.html)
        may = 'sandbox="allow-scripts allow-downloads" style="width: 100%; height: 44rem; border: 0"'
        return f'<iframe title="{title}" {may} srcdoc="{page}"></iframe>'


def watch(
    what: Policy | str | os.PathLike[str],
    id: str | None = None,
    opponents: str | Sequence[str] = "simple",
    *,
    seat: int = 0,
    team: bool = False,
    seed: int = 0,
    game: int | None = None,
    fps: float = 8.0,
    tile: int = 24,
    address: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Video:
    """Play a game with a policy, or take a recorded one, and draw it.

    Args:
        what: with an `id`: a policy, called as ``policy(obs, info)`` with a batch of
            `make_vec` (of a single game), one that searches (see `evaluate`), or an agent's
            name. Without one: the path of a file of recorded games (``pommego play --record``)
            or of a data set.
        id: an id of the catalog: which game to play.
        opponents: one agent's name for all other seats, or a list, as for `evaluate`.
        seat: the seat of the policy; with `team` the number of its team.
        team: whether the policy plays all seats of its team.
        seed: the seed of the game.
        game: which game of a file: its line, from 1; of a data set: its number, from 0. None:
            the first.
        fps: steps shown per second.
        tile: pixels of a cell, 8 to 128.
        address: of a running server for the policy's game; None: one is started.
        token: that server's token, if it has one.
        options: further options of `make_vec`, such as observation; for an agent only rules.

    Returns:
        the game, to show in a notebook or to save.

    Raises:
        TypeError, ValueError: an argument is not as described.
        FileNotFoundError: there is no such file.
        PommegoError: the game cannot be played or read; the message says why.

    Other errors are those of `make_vec`.
    """
    with tempfile.TemporaryDirectory(prefix="pommego-") as temporary:
        drawn = flags(fps=f"{fps:g}", tile=tile)
        if id is None:
            if callable(what):
                raise TypeError("id is None: a policy needs the id of a game to play, such as 'OneVsOne-v0'")
            if options:
                raise TypeError(f"options {sorted(options)} are for playing a game, which needs an id")
            if not Path(what).exists():
                raise FileNotFoundError(
                    f"what is {what!r}: there is no such file of recorded games, and no such data set. "
                    "To watch an agent or a policy, give the id of a game, too"
                )
            return _drawn([os.fspath(what), *drawn, *flags(game=game)], Path(what).name, temporary)
        check_player("what", what)
        check_options(options, (*NOT_HERE, "start_states"), watch, make_vec)
        recorded = str(Path(temporary) / "match")
        with running(address, token) as where:
            spec = describe(id, options | where)
            ways = seatings(spec, "learner", opponents, team=team)
            if not 0 <= seat < len(ways):
                raise ValueError(f"seat is {seat}, expected 0 to {len(ways) - 1}")
            seats, _ = ways[seat]
            if others := [one for one in seats if not isinstance(one, str)]:
                raise TypeError(f"opponents has {others[0]!r}: watch() plays against agents, by their names")
            name = what if isinstance(what, str) else "policy"
            names = [name if one == "learner" else one for one in seats]
            if isinstance(what, str):
                play(id, names, seed, record=recorded, **rules_alone(options))
            else:
                record(what, recorded, id, games=1, num_envs=1, seed=seed, seats=seats, **options, **where)
        return _drawn([recorded, *drawn], f"{spec.id}, seed {seed}: {', '.join(names)}", temporary)


def _drawn(replayed: list[str], title: str, temporary: str) -> Video:
    """Draw what these arguments of ``pommego replay`` name."""
    gif, page = Path(temporary) / "game.gif", Path(temporary) / "game.html"
    run("replay", *replayed, *flags(gif=gif, html=page))
    return Video(title, gif.read_bytes(), page.read_text(encoding="utf-8"))
