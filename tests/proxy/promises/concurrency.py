"""Thousands of requests under way at once, and each answer reaches the one who asked."""

from __future__ import annotations

import asyncio
import json
import resource

from tests.support.waiting import PATIENCE

from .findings import Findings
from .stand import Listening, Stdio, call, closing, web_server
from .web import Connection, connected, connection, modern

_SPARE = 200
"""Descriptors that are left for everything but streams."""


def run(found: Findings, count: int, seed: int) -> None:
    del seed
    _stdio(found, count)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - _SPARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (most + _SPARE, most + _SPARE))
    asyncio.run(_streams(found, "a server on stdio", min(count, most), ()))
    with web_server() as url:
        asyncio.run(_streams(found, "a server by HTTP", min(count, most // 2), (url,)))


def _stdio(found: Findings, count: int) -> None:
    for guidance in ("on", "off"):
        with closing(Stdio("--guidance", guidance)) as proxy:
            proxy.shake_hands()
            proxy.ask("list", "tools/list")
            for start in range(0, count, 100):
                ids = range(start, min(start + 100, count))
                proxy.send(
                    *(call(id if id % 2 else f"{id}", "echo", {"text": f"of {id}"}, do=[["hold"]]) for id in ids)
                )
                found.progress(start, count)
            proxy.send(call("release", "release", {}))
            replies = [json.loads(line) for _, line in proxy.taken(count + 1, 2 * PATIENCE)]
            crossed = [one for one in replies if one["id"] != "release" and f'of {one["id"]}"' not in _text(one)]
            found.hold(len({one["id"] for one in replies}) == count + 1, f"{len(replies)} replies to {count} calls")
            found.hold(not crossed, f"{len(crossed)} crossings: {crossed[:1]}")
    found.measured("calls in flight on stdio, 0 crossed", f"{count:,}")


def _text(reply: dict[str, object]) -> str:
    return json.dumps(reply).replace("\\", "")


async def _streams(found: Findings, what: str, count: int, server: tuple[str, ...]) -> None:
    """Streams that are all open at once, of clients that all use the same id."""
    with closing(Listening(server=server) if server else Listening()) as proxy:
        links = list[Connection]()
        for start in range(0, count, 200):
            many = range(start, min(start + 200, count))
            links += await asyncio.gather(*(_opened(proxy.port, turn) for turn in many))
            found.progress(len(links), count)
        async with connection(proxy.port) as one:
            await one.send(*modern("release", "tools/call", {"name": "release", "arguments": {}}))
            await one.head()
        reply = await asyncio.gather(*(_rest(link) for link in links))
        wrong = [text for turn, text in enumerate(reply) if f'of {turn}"' not in text or '"id":1' not in text]
        found.hold(not wrong, f"{what}: {len(wrong)} of {count} streams crossed or broken: {wrong[:1]}")
        for link in links:
            link.close()
    found.measured(f"open streams in front of {what}, 0 crossed", f"{count:,}")


async def _opened(port: int, turn: int) -> Connection:
    """A stream that has begun."""
    link = await connected(port)
    params = {"name": "echo", "arguments": {"text": f"of {turn}"}}
    await link.send(*modern(1, "tools/call", params, progressToken=7, do=[["progress", 1], ["hold"]]))
    _, head = await link.head()
    async for part in link.parts(head):
        if b"notifications/progress" in part and b'"progressToken":7' in part.replace(b" ", b""):
            break
    return link


async def _rest(link: Connection) -> str:
    try:
        async with asyncio.timeout(2 * PATIENCE):
            parts = [part async for part in link.parts({"transfer-encoding": "chunked"})]
    except (TimeoutError, asyncio.IncompleteReadError) as error:
        return type(error).__name__
    return b"".join(parts).decode().replace("\\", "").replace(" ", "").replace("of", "of ")
