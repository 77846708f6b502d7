"""The HTTP server: clients that close their half of a connection, or all of it, before the response."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from fingerpost.proxy.http import server
from fingerpost.proxy.http.server import Request
from tests.support.http_lab import EVENTS, JSON, hanging, serving
from tests.support.waiting import PATIENCE, eventually

ASK = b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"


async def half_close(answer: Callable[[Request], Awaitable[None]], ask: bytes, *, at_once: bool) -> bytes:
    """Send a request, close the sending half, and read the whole response."""
    begun = asyncio.Event()

    async def handle(request: Request) -> None:
        begun.set()
        await answer(request)

    async with serving(handle) as port, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ask)
        if not at_once:
            await eventually(begun.is_set)
        writer.write_eof()
        got = await reader.read(-1)
        writer.close()
        return got


@pytest.mark.parametrize("at_once", [True, False])
def test_a_half_closed_client_gets_its_response(at_once: bool) -> None:
    async def answer(request: Request) -> None:
        await asyncio.sleep(0.01)
        await request.responder.send_whole(200, JSON, b'"late"')

    got = asyncio.run(half_close(answer, ASK, at_once=at_once))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b'"late"')


def test_a_half_closed_client_gets_all_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = record_probes(monkeypatch)

    async def answer(request: Request) -> None:
        count = len(probes)
        await eventually(lambda: len(probes) > count)
        await request.responder.send_whole(200, JSON, b'"late"')

    got = asyncio.run(half_close(answer, ASK.replace(b"Connection: close\r\n", b"") + ASK, at_once=True))
    assert got.count(b'"late"') == 2


def record_probes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Probe often; the list grows with each probe."""
    probes, probe = list[int](), server.Responder.probe

    def count(responder: server.Responder) -> None:
        probe(responder)
        probes.append(1)

    monkeypatch.setattr(server, "_PROBE_AFTER", 0.01)
    monkeypatch.setattr(server.Responder, "probe", count)
    return probes


@pytest.mark.parametrize("ask", [ASK, ASK.replace(b"1.1", b"1.0")])
def test_a_half_closed_client_that_waits_for_long_is_probed(monkeypatch: pytest.MonkeyPatch, ask: bytes) -> None:
    probes = record_probes(monkeypatch)

    async def answer(request: Request) -> None:
        await eventually(lambda: len(probes) >= 2)
        await request.responder.send_whole(200, JSON, b'"late"')

    got = asyncio.run(half_close(answer, ask, at_once=False))
    assert got.endswith(b'"late"') and (b"HTTP/1.1 100" in got) == (b"1.1" in ask)


def test_a_half_closed_stream_is_probed_between_events_only(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = record_probes(monkeypatch)

    async def answer(request: Request) -> None:
        await request.responder.begin(200, EVENTS)
        for part in (b"data: a\n", b"data: b\n\n", b"data: c\n\n"):
            await request.responder.send(part)
            count = len(probes)
            await eventually(lambda count=count: len(probes) > count)
        await request.responder.end()

    got = asyncio.run(half_close(answer, ASK, at_once=False))
    assert got.index(b"data: b") < got.index(b": ping") < got.index(b"data: c")


def test_a_client_that_has_closed_the_connection_ends_its_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    record_probes(monkeypatch)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def scene() -> None:
        async with serving(hanging(begun, ended)) as port:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(ASK)
            await eventually(begun.is_set)
            writer.close()
            await eventually(ended.is_set)

    asyncio.run(scene())
