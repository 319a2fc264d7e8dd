"""`pommego mcp` and the path /mcp of `pommego serve --openenv` with the client of the Python SDK."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TOOLS = {"new_game", "look", "act", "result"}


@pytest.fixture(scope="module")
def url(binary: Path) -> Iterator[str]:
    """The address of the tools of a server."""
    command = [str(binary), "serve", "--openenv", "--listen", "127.0.0.1:0", "--exit-on-stdin-close"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield "http://" + process.stdout.readline().split("//")[1].strip() + "/mcp"
        process.stdin.close()


async def play(streams: AbstractAsyncContextManager) -> list[str]:
    """The texts of a game, and what is said of its end."""
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        assert {tool.name for tool in (await session.list_tools()).tools} == TOOLS

        async def call(tool: str, **arguments: object) -> list[dict]:
            told = (await session.call_tool(tool, arguments)).model_dump(by_alias=True)
            assert not told["isError"], told
            return told["content"]

        begun = await call("new_game", seed=7, opponents="static")
        seen = await call("look", image=True)
        assert begun[0]["text"].endswith(seen[0]["text"])
        assert seen[2]["mimeType"] == "image/png"
        assert base64.b64decode(seen[2]["data"]).startswith(b"\x89PNG")
        texts = [begun[0]["text"]]
        while "result" not in json.loads(begun[1]["text"]):
            begun = await call("act", action="hunt for 20")
            texts.append(begun[0]["text"])
        end = json.loads((await call("result"))[0]["text"])
        assert end["done"]
        assert end["counts"]["legal"] == len(texts) - 1
        wrong = (await session.call_tool("new_game", {"opponents": "exec:true"})).model_dump(by_alias=True)
        assert wrong["isError"]
        assert 'no agent is called "exec"' in wrong["content"][0]["text"]
        return [*texts, end["result"], end["reward"]]


def test_both_forms(binary: Path, url: str) -> None:
    """Over standard input and output as over HTTP: the same seed and answers give the same texts."""
    local = asyncio.run(play(stdio_client(StdioServerParameters(command=str(binary), args=["mcp"]))))
    remote = asyncio.run(play(streamable_http_client(url)))
    assert local == remote
    assert local[-2:] == ["won", 1]
