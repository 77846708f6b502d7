"""The HTTP client: connection reuse, redirects, and every failure."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import Any

import pytest

from fingerpost.proxy.http.client import Upstream
from fingerpost.proxy.http.http1 import BodyTooLarge, UpstreamError
from fingerpost.proxy.http.responder import Request
from tests.support.http_lab import JSON, serving


async def answer_with_peer(request: Request) -> None:
    await request.responder.send_whole(200, JSON, str(request.peer).encode())


async def ask(upstream: Upstream, **more: Any) -> bytes:
    return await (await upstream.request("POST", [], b"{}", **more)).body(1_000)


def test_an_idle_connection_is_reused_until_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> list[bytes]:
        async with serving(answer_with_peer) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}")
            kept = [await ask(upstream), await ask(upstream)]
            monkeypatch.setattr(Upstream, "_KEEP_ALIVE", -1.0)
            stale = [await ask(upstream), await ask(upstream)]
            upstream.close()
            return [*kept, *stale]

    first, second, third, fourth = asyncio.run(scene())
    assert first == second == third != fourth


def test_a_response_that_is_compressed_all_the_same_is_decompressed() -> None:
    text = b'{"a": 1}' * 100_000

    def body_of(encoding: str) -> bytes:
        if encoding == "gzip":
            return gzip.compress(text[:1000]) + gzip.compress(text[1000:])
        return zlib.compress(text) if encoding == "deflate" else text

    async def answer(request: Request) -> None:
        encoding = dict(request.headers)[b"wanted"].decode()
        headers = [(b"content-encoding", encoding.encode()), (b"content-type", b"application/json")]
        await request.responder.send_whole(200, headers, body_of(encoding))

    async def scene() -> None:
        async with serving(answer) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}")
            for encoding in ("gzip", "deflate", "identity"):
                response = await upstream.request("POST", [(b"wanted", encoding.encode())], b"{}")
                assert dict(response.headers).get(b"content-encoding") == (
                    b"identity" if encoding == "identity" else None
                )
                assert await response.body(1_000_000) == text
            response = await upstream.request("POST", [(b"wanted", b"gzip")], b"{}")
            with pytest.raises(BodyTooLarge):
                await response.body(500_000)
            upstream.close()

    asyncio.run(scene())


@pytest.mark.parametrize(
    "body",
    [b"nonsense", gzip.compress(b"{}" * 99, mtime=0)[:-9], gzip.compress(b"{}", mtime=0)[:7]],
    ids=["nonsense", "without its end", "only its head"],
)
def test_a_compressed_response_that_is_invalid_is_reported(body: bytes) -> None:
    async def answer(request: Request) -> None:
        await request.responder.send_whole(200, [(b"content-encoding", b"gzip")], body)

    async def scene() -> None:
        async with serving(answer) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}")
            with pytest.raises(UpstreamError, match="sent an answer that cannot be decompressed"):
                await ask(upstream)

    asyncio.run(scene())


def test_the_connection_pool_is_limited() -> None:
    async def scene() -> int:
        async with serving(answer_with_peer) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}/")
            await asyncio.gather(*(ask(upstream) for _ in range(150)))
            count = len(upstream._idle)  # pyright: ignore[reportPrivateUsage]
            upstream.close()
            return count

    assert asyncio.run(scene()) == 128


def test_if_the_server_closes_without_a_response_the_request_counts_as_sent() -> None:
    async def closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.close()

    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"NONSENSE\r\n\r\n")
        writer.close()

    async def scene(behaviour: Any) -> UpstreamError:
        server = await asyncio.start_server(behaviour, "127.0.0.1", 0)
        with pytest.raises(UpstreamError) as lost:
            await ask(Upstream(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
        server.close()
        return lost.value

    for behaviour in (closed, nonsense):
        assert asyncio.run(scene(behaviour)).was_sent


def test_a_tls_failure_is_reported() -> None:
    async def scene() -> None:
        async with serving(answer_with_peer) as port:
            with pytest.raises(UpstreamError, match=r"cannot be reached \(TLS"):
                await ask(Upstream(f"https://127.0.0.1:{port}/"))

    asyncio.run(scene())


def test_connecting_has_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any, **__: Any) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", never)
    with pytest.raises(UpstreamError, match="no connection in time") as lost:
        asyncio.run(ask(Upstream("http://127.0.0.1:1/"), seconds=0.05))
    assert not lost.value.was_sent


def test_an_invalid_request_is_not_sent() -> None:
    async def scene() -> None:
        async with serving(answer_with_peer) as port:
            with pytest.raises(UpstreamError, match="cannot be sent"):
                await Upstream(f"http://127.0.0.1:{port}/").request("POST", [(b"bad header", b"x\n")], b"")

    asyncio.run(scene())


def test_informational_responses_are_skipped_and_a_closed_connection_is_not_reused() -> None:
    async def hinted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1_000)
        writer.write(
            b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
        )
        await writer.drain()
        writer.close()

    async def scene() -> None:
        server = await asyncio.start_server(hinted, "127.0.0.1", 0)
        upstream = Upstream(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
        assert [await ask(upstream), await ask(upstream)] == [b"ok", b"ok"]
        server.close()

    asyncio.run(scene())


def test_redirects_are_followed_on_the_same_host_only() -> None:
    seen: list[str] = []

    async def moved(request: Request) -> None:
        seen.append(request.path)
        where = {"/old": b"/new", "/away": b"http://127.0.0.2/x", "/round": b"/old2", "/old2": b"/round"}.get(
            request.path
        )
        if where is None:
            await request.responder.send_whole(200, JSON, b"here")
        else:
            await request.responder.send_whole(307, [(b"location", where)])

    async def scene() -> list[int]:
        async with serving(moved) as port:
            statuses = list[int]()
            for path in ("old", "away", "round"):
                upstream = Upstream(f"http://127.0.0.1:{port}/{path}")
                for _ in range(2):
                    response = await upstream.request("POST", [], b"{}")
                    await response.body(100)
                    statuses.append(response.status)
                upstream.close()
            return statuses

    assert asyncio.run(scene()) == [200, 200, 307, 307, 307, 307]
    assert seen[:3] == ["/old", "/new", "/new"]


def test_a_body_is_limited_and_can_be_closed_unread() -> None:
    async def large(request: Request) -> None:
        await request.responder.send_whole(200, JSON, b"x" * 5_000)

    async def scene() -> None:
        async with serving(large) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}/")
            with pytest.raises(BodyTooLarge):
                await ask(upstream)
            response = await upstream.request("GET", [], b"")
            response.close()
            response.close()

    asyncio.run(scene())
