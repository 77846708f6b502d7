"""Clearly valid calls take a shortcut through the reverse proxy; whatever is not simple goes on the usual way.

Every scene is a second call: the first one has made the list of tools known and left an idle connection.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest

from fingerpost.engine.model import KEY
from fingerpost.proxy.http.client import Upstream
from fingerpost.proxy.http.responder import Exchange, Request
from fingerpost.proxy.http_to_http.app import HttpToHttp
from fingerpost.proxy.http_to_http.guided_request import HttpRequest
from fingerpost.proxy.protocol.relay import Relay
from tests.proxy.test_http_to_http import FakeUpstream, encode_reply, raw, stream
from tests.support.http_lab import JSON, Answer, Http, Reply, fronting, guidance, hanging, serving
from tests.support.waiting import eventually

BODY = json.dumps(
    {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "search", "arguments": {"pattern": "x"}}}
).encode()
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
ASK = HEAD % len(BODY) + BODY
DONE = encode_reply(7, {"content": []})
FAILED = encode_reply(7, {"content": [{"type": "text", "text": "Unknown tool: search"}], "isError": True})


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call took the shortcut."""
    taken, forward = list[bool](), HttpRequest.forward_at_once

    def record(request: HttpRequest, exchange: Exchange) -> Callable[[], None] | None:
        cancel = forward(request, exchange)
        taken.append(cancel is not None)
        return cancel

    monkeypatch.setattr(HttpRequest, "forward_at_once", record)
    return taken


class Second:
    """An upstream that answers the first call of `search` with a success, and the others as it is told."""

    def __init__(self, answer: Answer) -> None:
        self.calls = 0
        self._answer, self._first = answer, FakeUpstream()

    async def __call__(self, request: Request) -> None:
        self.calls += b'"tools/call"' in request.body
        if self.calls < 2 or b'"tools/call"' not in request.body:
            await self._first(request)
        else:
            await self._answer(request)


def run(answer: Answer, scene: Any, *, relay: Relay | None = None, **more: Any) -> tuple[Any, Second]:
    upstream = Second(answer)

    async def play() -> Any:
        async with serving(upstream) as port:
            options: dict[str, Any] = {"limit": 100_000, "timeout": 0.0, "headers": [], **more}
            app = HttpToHttp(Upstream(f"http://127.0.0.1:{port}/mcp"), relay or guidance(), **options)
            async with fronting(app) as http:
                await http.call("search", {"pattern": "first"})
                return await scene(http, app)

    return asyncio.run(play()), upstream


async def call(http: Http, app: HttpToHttp) -> Reply:
    return await http.post(BODY)


def test_a_plain_success_comes_back_byte_for_byte(taken: list[bool]) -> None:
    reply, upstream = run(raw(200, DONE, [*JSON, (b"x-own", b"1"), (b"keep-alive", b"9")]), call)
    assert (reply.status, reply.body, reply.headers["x-own"]) == (200, DONE, "1") and "keep-alive" not in reply.headers
    assert taken == [False, True] and upstream.calls == 2


def test_a_response_without_a_content_type_gets_none(taken: list[bool]) -> None:
    reply, _ = run(raw(200, DONE, []), call)
    assert reply.body == DONE and "content-type" not in reply.headers and taken[-1]


def test_a_success_that_arrives_in_pieces_is_whole(taken: list[bool]) -> None:
    async def answer(request: Request) -> None:
        await request.responder.begin(200, JSON)
        for at in range(0, len(DONE), 9):
            await request.responder.send(DONE[at : at + 9])
            await asyncio.sleep(0.001)
        await request.responder.end()

    reply, _ = run(answer, call)
    assert reply.body == DONE and taken[-1]


@pytest.mark.parametrize("answer", [raw(200, FAILED), stream(b"data: " + FAILED + b"\n\n")])
def test_a_failure_is_guided_and_the_call_is_sent_once(answer: Answer, taken: list[bool]) -> None:
    reply, upstream = run(answer, call)
    (message,) = reply.events or [reply.json]
    assert KEY in message["result"]["_meta"] and taken[-1] and upstream.calls == 2


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (encode_reply(7, {"content": [], "structuredContent": {"error": "disk full"}}), b"disk full"),
        (encode_reply(7, {"content": [{"type": "text", "text": "x" * 70_000}]}), b"x" * 70_000),
        (encode_reply(7, {"content": [{"type": "text", "text": "x" * 200_000}]}), b"too long"),
        (b"no message", b"no message"),
    ],
)
def test_what_is_not_plainly_a_success_goes_on_the_usual_way(body: bytes, found: bytes, taken: list[bool]) -> None:
    reply, upstream = run(raw(200, body), call)
    assert found in reply.body and taken[-1] and upstream.calls == 2


def test_a_plain_success_over_the_limit_is_an_error(taken: list[bool]) -> None:
    reply, _ = run(raw(200, encode_reply(7, {"content": [], "text": "x" * 2_000})), call, limit=1_000)
    assert b"too long" in reply.body and taken[-1]


def test_a_lost_reply_is_reported_and_the_call_is_not_sent_again(taken: list[bool]) -> None:
    async def break_off(request: Request) -> None:
        raise ConnectionResetError

    reply, upstream = run(break_off, call)
    assert b"may or may not have taken effect" in reply.body and taken[-1] and upstream.calls == 2


def test_a_redirect_is_followed(taken: list[bool]) -> None:
    async def move(request: Request) -> None:
        is_new = request.path == "/new"
        await request.responder.send_whole(200 if is_new else 307, [(b"location", b"/new")], DONE if is_new else b"")

    reply, _ = run(move, call)
    assert reply.body == DONE and taken[-1]


@pytest.mark.parametrize("how", ["closed", "reset"])
def test_a_disconnect_ends_the_request_upstream(how: str, taken: list[bool]) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def scene(http: Http, app: HttpToHttp) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", http.port)
        writer.write(ASK)
        await eventually(begun.is_set)
        if how == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        await eventually(ended.is_set)

    run(hanging(begun, ended), scene)
    assert taken[-1]


@pytest.mark.parametrize("is_late", [True, False])
def test_a_half_closed_client_gets_its_response(is_late: bool, taken: list[bool]) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def answer(request: Request) -> None:
        begun.set()
        await go_on.wait()
        await request.responder.send_whole(200, JSON, DONE)

    async def scene(http: Http, app: HttpToHttp) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
        writer.write(ASK)
        await eventually(begun.is_set)
        writer.write_eof()
        if is_late:
            await asyncio.sleep(0.02)
        go_on.set()
        got = await reader.read(-1)
        writer.close()
        return got

    got, upstream = run(answer, scene)
    assert got.endswith(DONE) and got.count(b"HTTP/1.1 200") == 1 and taken[-1] and upstream.calls == 2


def test_a_call_in_flight_at_the_end_is_answered_as_lost(taken: list[bool]) -> None:
    begun = asyncio.Event()

    async def hang(request: Request) -> None:
        begun.set()
        await asyncio.sleep(60)

    asked: list[asyncio.Future[bytes]] = []

    async def scene(http: Http, app: HttpToHttp) -> None:
        asked.append(asyncio.ensure_future(http.raw(ASK)))
        await eventually(begun.is_set)
        await app.stop()

    async def play() -> bytes:
        upstream = Second(hang)
        async with serving(upstream) as port:
            app = HttpToHttp(Upstream(f"http://127.0.0.1:{port}/mcp"), guidance(), limit=1_000, timeout=0, headers=[])
            async with fronting(app) as http:
                await http.call("search", {"pattern": "first"})
                await scene(http, app)
        return await asked[0]

    assert b"may or may not have taken effect" in asyncio.run(play()) and taken[-1]


def test_a_success_ends_a_series_of_failures(taken: list[bool]) -> None:
    relay, answers = guidance(), [FAILED, FAILED, DONE, FAILED]

    async def answer(request: Request) -> None:
        await request.responder.send_whole(200, JSON, answers.pop(0))

    async def scene(http: Http, app: HttpToHttp) -> list[bool]:
        return [bool(relay.repeated.callers) for _ in range(3) if await http.post(BODY, authorization="Bearer t")]

    async def identified(http: Http, app: HttpToHttp) -> list[bool]:
        await http.call("search", {"pattern": "first"}, authorization="Bearer t")
        return await scene(http, app)

    answers.insert(0, DONE)
    failed, _ = run(answer, identified, relay=relay)
    assert failed == [True, True, False] and taken[-3:] == [True] * 3


def test_without_an_idle_connection_there_is_no_shortcut(monkeypatch: pytest.MonkeyPatch, taken: list[bool]) -> None:
    monkeypatch.setattr(Upstream, "_KEEP_ALIVE", -1.0)
    reply, upstream = run(raw(200, DONE), call)
    assert reply.body == DONE and not any(taken) and upstream.calls == 2


@pytest.mark.parametrize("more", [{"timeout": 5.0}, {"relay": guidance(tips=True)}])
def test_with_a_timeout_or_tips_there_is_no_shortcut(more: dict[str, Any], taken: list[bool]) -> None:
    reply, _ = run(raw(200, DONE), call, **more)
    assert reply.json["id"] == 7 and not any(taken)
