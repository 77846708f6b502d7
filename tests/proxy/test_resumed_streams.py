"""HTTP clients in front of a stdio server that lose a connection and come back for the rest of a stream."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any

import pytest

from fingerpost.proxy.http_to_stdio import app as http_to_stdio
from fingerpost.proxy.http_to_stdio.message_queue import Stream
from tests.proxy.test_http_to_stdio import (
    INITIALIZE,
    begin,
    begin_call,
    delivered,
    open_stream,
    post_bytes,
    release,
    run,
)
from tests.support.http_lab import Http, Reply
from tests.support.waiting import eventually

__all__ = ["delivered"]


VERSION = "2025-11-25"
"""The revision of a client that knows empty events and comes back for the rest of a stream."""


def ids_in(data: bytes) -> list[str]:
    return [line[4:].decode() for line in data.splitlines() if line.startswith(b"id: ")]


async def resume(http: Http, session: str, id: str) -> Reply:
    """Ask for what follows an event of a request, up to its reply."""
    return await http.ask("GET", b"", mcp_session_id=session, last_event_id=id, mcp_protocol_version=VERSION)


async def leave(http: Http, session: str, id: Any = 1, **headers: str) -> str:
    """Begin a call and disconnect after its first event; the id of that event."""
    before = attached()
    params: dict[str, Any] = {"name": "wait", "arguments": {}, "_meta": {"progressToken": id}}
    reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
    call = {"id": id, "method": "tools/call", "params": params}
    writer.write(post_bytes(call, mcp_session_id=session, **headers))
    got = await reader.readuntil(b"notifications/progress")
    writer.close()
    await eventually(lambda: attached() == before)
    return ids_in(got)[-1]


streams: weakref.WeakSet[Stream] = weakref.WeakSet()


def attached() -> int:
    """How many streams a response sends at the moment."""
    return sum(one.queue is not None for one in streams)


@pytest.fixture(autouse=True)
def known_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests see which streams there are."""
    made = Stream.__init__

    def init(self: Stream, *words: Any, **more: Any) -> None:
        made(self, *words, **more)
        streams.add(self)

    streams.clear()
    monkeypatch.setattr(Stream, "__init__", init)


@pytest.mark.parametrize("headers", [{"mcp_protocol_version": VERSION}, {}])
@pytest.mark.parametrize("is_late", [True, False])
def test_the_reply_to_an_interrupted_request_can_be_fetched(
    delivered: list[bytes], headers: dict[str, str], is_late: bool
) -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        last = await leave(http, session, **headers)
        if not is_late:
            await release(http, session)
            await eventually(lambda: any(b"late" in frame for frame in delivered))
        asked = asyncio.ensure_future(resume(http, session, last))
        if is_late:
            await eventually(lambda: attached() == 1)
            await release(http, session)
        reply = await asked
        assert (reply.status, [one["id"] for one in reply.events]) == (200, [1])
        assert "late" in reply.body.decode() and ids_in(reply.body) != [last]
        again = await resume(http, session, last)
        assert again.body == reply.body
        assert (await resume(http, session, ids_in(reply.body)[-1])).events == []

    run(scene)


def test_a_silent_request_can_be_resumed_from_its_start() -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
        call: dict[str, Any] = {"id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {}}}
        writer.write(post_bytes(call, mcp_session_id=session, mcp_protocol_version=VERSION))
        got = await reader.readuntil(b"data: \n\n")
        assert b"retry: " in got
        writer.close()
        asked = asyncio.ensure_future(resume(http, session, ids_in(got)[-1]))
        await eventually(lambda: attached() == 1)
        await release(http, session)
        assert [one["id"] for one in (await asked).events] == [1]

    run(scene)


def test_messages_during_an_interruption_are_kept_in_order() -> None:
    async def scene(http: Http) -> list[Any]:
        session = await begin(http)
        last = await leave(http, session)
        for word in ("one", "two"):
            await http.post({"method": "notifications/speak", "params": {"word": word}}, mcp_session_id=session)
        await release(http, session)
        return (await resume(http, session, last)).events

    one, two, reply = run(scene)
    assert (one["params"]["data"], two["params"]["data"], reply["id"]) == ("one", "two", 1)


def test_a_client_that_comes_back_takes_over_from_its_old_connection() -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        old, writer = await begin_call(http, "wait", mcp_session_id=session, mcp_protocol_version=VERSION)
        asked = asyncio.ensure_future(resume(http, session, "2-0"))
        await old.read(-1)  # it has been ended
        writer.close()
        await release(http, session)
        progress, reply = (await asked).events
        assert (progress["method"], reply["id"]) == ("notifications/progress", 1)

    run(scene)


def test_streams_end_after_a_while_if_asked_to_and_clients_come_back() -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        first = await http.call("wait", {}, mcp_session_id=session, mcp_protocol_version=VERSION)
        assert first.status == 200 and first.events == []
        await release(http, session)
        [reply] = (await resume(http, session, ids_in(first.body)[-1])).events
        assert reply["id"] == 1
        outside = await http.ask("GET", b"", mcp_session_id=session, mcp_protocol_version=VERSION)
        await http.post({"method": "notifications/speak"}, mcp_session_id=session)
        again = await resume(http, session, ids_in(outside.body)[-1])
        assert [one["params"]["data"] for one in again.events] == ["hello"]

    run(scene, max_stream=0.3)


def test_messages_outside_of_requests_are_sent_again_after_an_interruption(delivered: list[bytes]) -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        reader, writer = await open_stream(http, session)
        for word in ("one", "two"):
            await http.post({"method": "notifications/speak", "params": {"word": word}}, mcp_session_id=session)
        got = await reader.readuntil(b'"two"')
        writer.close()
        await eventually(lambda: attached() == 0)
        await http.post({"method": "notifications/speak", "params": {"word": "three"}}, mcp_session_id=session)
        await eventually(lambda: any(b"three" in frame for frame in delivered))
        head = (
            f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {ids_in(got)[0]}\r\n"
        )
        again = await http.raw(f"{head}\r\n".encode(), until=b'"three"')
        assert b'"one"' not in again and again.index(b'"two"') < again.index(b'"three"')

    run(scene)


def test_a_reply_that_could_not_be_kept_is_reported(monkeypatch: pytest.MonkeyPatch, delivered: list[bytes]) -> None:
    monkeypatch.setattr("fingerpost.proxy.http_to_stdio.history._MAX_EVENTS", 1)

    async def scene(http: Http) -> Reply:
        session = await begin(http)
        first = await leave(http, session)
        await release(http, session)
        await eventually(lambda: any(b"late" in frame for frame in delivered))
        await leave(http, session)
        return await resume(http, session, first)

    [error] = run(scene).events
    assert error["id"] == 1 and "could not be kept" in error["error"]["message"]


@pytest.mark.parametrize("id", ["9-1", "x", "", "1", "99999999999-1"])
def test_what_is_not_known_cannot_be_resumed(id: str) -> None:
    async def scene(http: Http) -> int:
        return (await resume(http, await begin(http), id)).status

    assert run(scene) == 400


def test_only_so_many_streams_can_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.proxy.http_to_stdio.hosted_server._MAX_RESUMABLE", 1)

    async def scene(http: Http) -> list[int]:
        session = await begin(http)
        first = await leave(http, session, id=1)
        assert (await http.call("pid", {}, id=1, mcp_session_id=session)).status == 400
        await leave(http, session, id=2)
        again = await http.call("pid", {}, id=1, mcp_session_id=session)
        return [(await resume(http, session, first)).status, again.status]

    assert run(scene) == [400, 200]


def test_a_session_that_a_client_has_left_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_to_stdio, "_MAX_SESSIONS", 1)

    async def scene(http: Http) -> int:
        await leave(http, await begin(http))
        return (await http.post(INITIALIZE)).status

    assert run(scene) == 200
