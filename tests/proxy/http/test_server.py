"""The HTTP server: clients that close their half of a connection, or all of it, before the response."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from fingerpost.proxy.http import server
from fingerpost.proxy.http.responder import Request
from fingerpost.proxy.http.server import Limits
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


def converse(answer: Callable[[Request], Awaitable[None]], *data: bytes, limits: Limits | None = None) -> bytes:
    """Send data, each piece once the server has answered the one before, and read until the server closes."""

    async def scene() -> bytes:
        async with serving(answer, limits) as port, asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            got = b""
            for piece in data:
                writer.write(piece)
                got += await reader.read(65_536)
            got += await reader.read(-1)
            writer.close()
            return got

    return asyncio.run(scene())


async def echo(request: Request) -> None:
    await asyncio.sleep(0.01)
    await request.responder.send_whole(200, JSON, request.body)


@pytest.mark.parametrize("size", [10, 200_000])  # the latter is more than is read ahead
def test_what_arrives_during_a_request_is_answered_after_it(size: int) -> None:
    body = b"x" * size

    async def scene() -> bytes:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def answer(request: Request) -> None:
            begun.set()
            await go_on.wait()
            await request.responder.send_whole(200, JSON, request.body[:5])

        async with serving(answer) as port, asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(ASK.replace(b"Connection: close\r\n", b""))
            await begun.wait()
            writer.write(ASK.replace(b"Content-Length: 2", b"Content-Length: %d" % len(body))[:-2] + body)
            await writer.drain()
            await asyncio.sleep(0.05)  # arrives while the first request is answered
            go_on.set()
            got = await reader.read(-1)
            writer.close()
            return got

    got = asyncio.run(scene())
    assert got.index(b"\r\n\r\n{}") < got.index(b"\r\n\r\nxxxxx") and got.count(b"HTTP/1.1 200") == 2


def test_a_client_that_awaits_continue_gets_it_before_it_sends_the_body() -> None:
    head, body = ASK[:-2].replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"), ASK[-2:]
    got = converse(echo, head, body)
    assert got.startswith(b"HTTP/1.1 100 \r\n\r\nHTTP/1.1 200") and got.endswith(b"{}")


def test_continue_waits_until_the_request_before_is_answered() -> None:
    first = ASK.replace(b"Connection: close\r\n", b"")
    head, body = ASK[:-2].replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"), ASK[-2:]
    got = converse(echo, first + head, body)
    assert got.index(b"HTTP/1.1 200") < got.index(b"HTTP/1.1 100") < got.rindex(b"HTTP/1.1 200")


def test_a_body_that_has_arrived_needs_no_continue() -> None:
    got = converse(echo, ASK.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b"{}")


def test_a_request_is_answered_before_the_invalid_one_behind_it_is_refused() -> None:
    got = asyncio.run(half_close(echo, ASK.replace(b"Connection: close\r\n", b"") + b"NONSENSE\r\n", at_once=True))
    assert got.index(b"HTTP/1.1 200") < got.index(b"HTTP/1.1 400")


def test_the_time_for_a_request_to_arrive_does_not_limit_its_answer() -> None:
    async def answer(request: Request) -> None:
        await asyncio.sleep(0.1)
        await request.responder.send_whole(200, JSON, b"late")

    first = ASK.replace(b"Connection: close\r\n", b"")
    got = converse(answer, first, limits=Limits(receive=0.05, idle=0.05))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b"late")


def test_a_connection_that_was_used_stays_open_for_longer() -> None:
    first = ASK.replace(b"Connection: close\r\n", b"")
    got = converse(echo, first, limits=Limits(receive=0.05, idle=0.2))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b"{}")


def test_an_offer_of_http_2_is_answered_by_http_1() -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEA\r\n"
    got = converse(echo, ASK.replace(b"Connection: close\r\n", offer), limits=Limits(idle=0.05))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b"{}")


def test_a_handler_that_did_not_wait_for_a_slow_client_can_go_on() -> None:
    large, full, is_read = b"x" * 5_000_000, asyncio.Event(), asyncio.Event()

    async def answer(request: Request) -> None:
        await request.responder.begin(200, JSON)
        for _ in range(2):
            with suppress(TimeoutError):
                async with asyncio.timeout(0.01):
                    await request.responder.send(large)
        full.set()
        await is_read.wait()
        await request.responder.send(large)
        await request.responder.send(b"the end")
        await request.responder.end()

    async def scene() -> bytes:
        async with serving(answer) as port, asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_000)
            writer.write(ASK)
            await full.wait()
            got = b""
            while got.count(b"x") < 2 * len(large):
                got += await reader.read(1_000_000)
            is_read.set()
            got += await reader.read(-1)
            writer.close()
            return got

    got = asyncio.run(scene())
    assert got.count(b"x") == 3 * len(large) and got.endswith(b"7\r\nthe end\r\n0\r\n\r\n")


def test_a_body_that_is_shorter_than_its_head_says_ends_the_connection() -> None:
    async def answer(request: Request) -> None:
        await request.responder.begin(200, [*JSON, (b"content-length", b"5")])
        await request.responder.send(b"1234")
        await request.responder.end()

    got = converse(answer, ASK.replace(b"Connection: close\r\n", b""))
    assert got.endswith(b"\r\n\r\n1234")


@pytest.mark.parametrize(("version", "status"), [(b"1.0", 200), (b"1.1", 204), (b"1.0", 204)])
def test_a_body_without_a_length_is_chunked_or_ends_with_the_connection(version: bytes, status: int) -> None:
    async def answer(request: Request) -> None:
        await request.responder.begin(status, JSON)
        await request.responder.send(b"body" if status == 200 else b"")
        await request.responder.end()

    ask = ASK.replace(b"1.1", version).replace(b"close", b"keep-alive")
    got = converse(answer, ask, limits=Limits(idle=0.05))
    assert got.endswith(b"body" if status == 200 else b"\r\n\r\n") and b"chunked" not in got
    assert (b"connection: close" in got) == (status == 200)


def test_a_half_closed_client_of_a_plain_response_is_not_probed_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = record_probes(monkeypatch)

    async def answer(request: Request) -> None:
        await request.responder.begin(200, JSON)
        await eventually(lambda: len(probes) >= 2)
        await request.responder.send(b'"late"')
        await request.responder.end()

    got = asyncio.run(half_close(answer, ASK, at_once=False))
    assert got.endswith(b'\r\n\r\n6\r\n"late"\r\n0\r\n\r\n')
