"""Clients that never finish what they begin are given up, and nobody else waits because of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from tests.support.waiting import PATIENCE

from .findings import Findings
from .stand import Listening, closing
from .web import Connection, connected, connection, modern

_CLOSED, _P99 = 15.0, 0.1
_HEAD = b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
_BEGUN: tuple[bytes, ...] = (
    b"",
    b"POST /m",
    _HEAD,
    _HEAD + b"content-length: 100\r\n\r\n",
    _HEAD + b'content-length: 100\r\n\r\n{"jsonrpc"',
    _HEAD + b'transfer-encoding: chunked\r\n\r\n5\r\n{"jso\r\n',
)


def run(found: Findings, count: int, seed: int) -> None:
    """`count` is how many clients are slow."""
    del seed
    asyncio.run(_run(found, count))


async def _run(found: Findings, count: int) -> None:
    with closing(Listening()) as proxy:
        async with connection(proxy.port) as one:
            await one.ask(*modern("first", "ping"))
            slow = [asyncio.ensure_future(_half_open(proxy.port, turn)) for turn in range(count)]
            times = await _others(one, slow)
        closed = [one.result() for one in slow if one.done()]
        found.hold(len(closed) == count, f"{count - len(closed)} slow clients were never given up")
        longest = max(closed, default=0.0)
        found.within(longest, _CLOSED, "a slow client was given up late")
        p99 = sorted(times)[int(len(times) * 0.99)]
        found.within(p99, _P99, "others waited too long (p99)")
        found.measured(f"{count} half-open clients, the last given up after", f"{longest:.1f} s")
        found.measured(f"others meanwhile, p99 of {len(times):,} requests", f"{p99 * 1000:.1f} ms")


async def _half_open(port: int, turn: int) -> float:
    """Begin a request, and never end it; the seconds until the proxy has had enough."""
    link: Connection = await connected(port)
    link.writer.write(_BEGUN[turn % len(_BEGUN)])
    at = time.monotonic()
    trickles = turn % len(_BEGUN) in (2, 4)
    while True:
        try:
            async with asyncio.timeout(1.0):
                if not await link.reader.read(4096):
                    break
        except TimeoutError:
            if trickles:  # a byte now and then keeps nobody waiting either
                link.writer.write(b"x")
        except ConnectionError:
            break
    link.close()
    return time.monotonic() - at


async def _others(one: Connection, slow: Sequence[asyncio.Future[float]]) -> list[float]:
    """How long requests of others take while the slow ones are there."""
    times = list[float]()
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and not all(one.done() for one in slow):
        at = time.monotonic()
        await one.ask(*modern(len(times), "tools/call", {"name": "echo", "arguments": {"text": "a"}}))
        times.append(time.monotonic() - at)
        await asyncio.sleep(0.01)
    return times
