"""Every kind of client in front of every kind of server: the right catalog or a plain error, never an empty success."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import nullcontext
from typing import Any

from .findings import Findings
from .stand import MODERN_META, Json, Listening, Stdio, closing, web_server
from .web import connection, modern, shaken


def run(found: Findings, count: int, seed: int) -> None:
    """All sixteen ways are tried `count` times, with guidance and without by turns."""
    del seed
    works = 0
    for turn in range(count):
        ways = itertools.product(("legacy", "modern"), ("legacy", "modern"), *_WAYS)
        for number, (client, server, front, back) in enumerate(ways):
            guidance = ("on", "off")[(turn + number + number // 4) % 2]
            what = f"{client} client on {front}, {server} server on {back}, guidance {guidance}"
            works += _tried(found, what, client, server, front, back, guidance)
            found.progress(turn * 16 + number, count * 16)
    found.hold(works >= 8 * count, f"only {works} ways work at all")
    found.measured("ways tried", f"{16 * count}, of which {works} work and the others are refused")


_WAYS = (("stdio", "HTTP"), ("stdio", "HTTP"))


def _tried(found: Findings, what: str, client: str, server: str, front: str, back: str, guidance: str) -> bool:
    config: Json = {"era": server}
    with web_server(config) if back == "HTTP" else nullcontext("") as url:
        where: Json = {"server": (url,)} if url else {"config": config}
        if front == "stdio":
            with closing(Stdio("--guidance", guidance, **where)) as proxy:
                replies = _by_stdio(proxy, client)
        else:
            with closing(Listening("--guidance", guidance, **where)) as proxy:
                replies = asyncio.run(_by_http(proxy.port, client))
    return _judged(found, what, replies, is_same=client == server)


def _by_stdio(proxy: Stdio, client: str) -> list[Any]:
    if client == "legacy":
        proxy.shake_hands()
        return [proxy.ask("l", "tools/list"), proxy.ask("c", "tools/call", _CALL)]
    meta = {"_meta": MODERN_META}
    return [proxy.ask("l", "tools/list", meta), proxy.ask("c", "tools/call", {**_CALL, **meta})]


async def _by_http(port: int, client: str) -> list[Any]:
    async with connection(port) as one:
        if client == "modern":
            asked = [modern("l", "tools/list"), modern("c", "tools/call", _CALL)]
            return [(await one.ask(*each)).reply() for each in asked]
        headers = await shaken(one)
        bodies = (b'"method":"tools/list"', b'"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}')
        frames = [b'{"jsonrpc":"2.0","id":"l",%b}' % body for body in bodies]
        return [(await one.ask(frame, headers)).reply() for frame in frames]


_CALL: Json = {"name": "echo", "arguments": {"text": "a"}}


def _judged(found: Findings, what: str, replies: list[Any], *, is_same: bool) -> bool:
    """Whether it works; where it does not, both the list and the call have to be plain errors."""
    if not found.hold(None not in replies, f"{what}: no answer"):
        return False
    listed, called = replies
    names = [tool["name"] for tool in listed.get("result", {}).get("tools", [])]
    is_listed = "echo" in names and "weather_report" in names
    is_refused = "error" in listed and isinstance(listed["error"].get("code"), int)
    found.hold(is_listed or is_refused, f"{what}: the list is {listed}")
    is_called = "result" in called and called["result"].get("isError") is not True
    is_told = "error" in called or called.get("result", {}).get("isError") is True
    found.hold(is_called if is_listed else is_told, f"{what}: the call got {called}")
    found.hold(is_listed or not is_same, f"{what}: {listed}")
    return is_listed
