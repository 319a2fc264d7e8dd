"""Who may look on: the pages of running environments, without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest

import pommego


def credentials(page: str) -> tuple[str, str]:
    fragment = parse_qs(urlsplit(page).fragment)
    return fragment["token"][0], fragment["key"][0]


def opened(page: str, path: str, key: str) -> Any:
    headers = {"Authorization": f"Bearer {credentials(page)[0]}", "View-Key": key}
    return urlopen(Request(f"http://{urlsplit(page).netloc}/api/live{path}", headers=headers))


def asked(page: str, path: str, key: str) -> Any:
    with opened(page, path, key) as answer:
        return json.loads(answer.readline())  # of a game there are more, as it goes on


def test_a_page_shows_its_own_environment_alone(server: pommego.Server) -> None:
    where = {"address": server.address, "token": server.token, "web": True}
    with (
        pommego.make_vec("OneVsOne-v0", 2, **where) as envs,
        pommego.make_vec("SuiteBot-v0", 3, opponents=["random"] * 3, **where) as others,
    ):
        envs.reset(seed=5)
        others.reset(seed=6)
        keys = [credentials(each.web_address)[1] for each in (envs, others)]
        assert len(set(keys)) == 2
        assert min(map(len, keys)) >= 26, "128 bits in base 32"
        for each, key in zip((envs, others), keys, strict=True):
            about = asked(each.web_address, "", key)
            assert (about["env"], about["games"]) == (each.game_spec.id, each.num_games)
            assert asked(each.web_address, "/1", key)["head"]["env"] == each.game_spec.id
        said = set()
        for path, key in [("", ""), ("", keys[0][:-1]), ("/0", ""), ("/0", "1"), ("/7", "x")]:
            with pytest.raises(HTTPError) as refused:
                asked(envs.web_address, path, key)
            said.add((refused.value.code, refused.value.read()))
        assert len(said) == 1, "one answer, whatever is wrong"
        assert said.pop()[0] == 404


def test_no_argument_holds_a_key() -> None:
    """Other users of the machine see the arguments of all processes."""
    with pommego.make_vec("OneVsOne-v0", web=True) as envs:
        arguments = Path(f"/proc/{envs._viewer._process.pid}/cmdline").read_bytes().decode()
        assert "view" in arguments
        assert credentials(envs.web_address)[1] not in arguments
