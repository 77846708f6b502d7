"""A stdio client in front of an HTTP server: sessions, streams, mirrored headers and failures."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import signal
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from fingerpost.engine.model import KEY
from fingerpost.proxy.http.client import Upstream
from fingerpost.proxy.http.responder import Request
from fingerpost.proxy.protocol.session import Session
from fingerpost.proxy.stdio_to_http import StdioToHttp
from tests.support.http_lab import EVENTS, JSON, Answer, guidance, hanging, serving
from tests.support.waiting import PATIENCE, PIPE_SIZE, buffered_bytes, eventually, with_longer_timeouts

TOOL = {
    "name": "look",
    "inputSchema": {"type": "object", "properties": {"at": {"type": "string", "x-mcp-header": "At"}}},
}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


class Server:
    """An HTTP server with sessions, of the 2025 revisions, that records what it receives."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers
        self.seen: list[tuple[str, dict[bytes, bytes], Any]] = []
        self.sessions = 0

    async def __call__(self, request: Request) -> None:
        message: dict[str, Any] = json.loads(request.body or b"{}")
        self.seen.append((request.method, dict(request.headers), message))
        name = message.get("params", {}).get("name") or message.get("method", request.method)
        answer = self.answers.get(name.replace("/", "_")) or self._plain
        await answer(request)

    async def _plain(self, request: Request) -> None:
        message: dict[str, Any] = json.loads(request.body or b"{}")
        method, headers = message.get("method"), list(JSON)
        if request.method == "GET":
            await request.responder.send_whole(405, [])
        elif "id" not in message or method is None:
            await request.responder.send_whole(202, [])
        else:
            result: dict[str, Any] = {"content": [{"type": "text", "text": f"answer to {message['id']}"}]}
            if method == "initialize":
                self.sessions += 1
                headers.append((b"mcp-session-id", b"s%d" % self.sessions))
                result = {"protocolVersion": "2025-11-25", "capabilities": {}}
            elif method == "tools/list":
                result = {"tools": [TOOL]}
            await request.responder.send_whole(200, headers, encode_reply(message["id"], result))

    def methods(self) -> list[str]:
        return [message.get("method", http) for http, _, message in self.seen]

    def headers(self, method: str) -> dict[bytes, bytes]:
        return next(headers for http, headers, message in self.seen if message.get("method", http) == method)


def encode_reply(id: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()


class Client:
    """A client on two pipes."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self._stdin, self._stdout, self._rest = stdin, stdout, b""

    def send(self, message: Any) -> None:
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        os.write(self._stdin, line + b"\n")

    async def next(self, seconds: float = PATIENCE) -> Any:
        async with asyncio.timeout(seconds):
            while b"\n" not in self._rest:
                chunk = await asyncio.to_thread(os.read, self._stdout, 65_536)
                assert chunk, "closed"
                self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    async def ask(self, method: str, id: Any = 1, **params: Any) -> Any:
        self.send({"id": id, "method": method, "params": params})
        return await self.next()

    async def begin(self) -> None:
        reply = await self.ask("initialize", 0, protocolVersion="2025-11-25")
        assert reply["id"] == 0 and "result" in reply
        self.send({"method": "notifications/initialized"})

    def close(self) -> None:
        os.close(self._stdin)


def run(
    server: Answer,
    scene: Callable[[Client], Awaitable[None]],
    *,
    guided: bool = True,
    timeout: float = 0.0,
    headers: list[tuple[bytes, bytes]] | None = None,
    closes: bool = True,
) -> tuple[int, list[str]]:
    """Run a scene with a client of the proxy in front of a server; the exit code and the notices."""
    notices: list[str] = []

    async def play() -> int:
        (stdin, client_in), (client_out, stdout) = os.pipe(), os.pipe()
        async with serving(server) as port:
            session = Session(guidance() if guided else None, timeout=timeout)
            upstream = Upstream(f"http://127.0.0.1:{port}/mcp")
            proxy = StdioToHttp(
                upstream,
                session,
                limit=100_000,
                headers=headers or [],
                notice=notices.append,
                stdin=stdin,
                stdout=stdout,
            )
            running = asyncio.ensure_future(proxy.run())
            client = Client(client_in, client_out)
            await scene(client)
            if closes:
                client.close()
            async with asyncio.timeout(PATIENCE):
                return await running

    return asyncio.run(play()), notices


def test_a_session_is_opened_used_and_ended() -> None:
    server = Server()

    async def scene(client: Client) -> None:
        await client.begin()
        assert (await client.ask("ping", 2))["result"]["content"][0]["text"] == "answer to 2"

    assert run(server, scene, headers=[(b"authorization", b"Bearer t")])[0] == 0
    assert server.methods()[:2] == ["initialize", "notifications/initialized"]
    assert {"GET", "ping"} <= set(server.methods()) and server.methods()[-1] == "DELETE"
    for method in ("notifications/initialized", "ping", "GET", "DELETE"):
        sent = server.headers(method)
        assert (sent[b"mcp-session-id"], sent[b"mcp-protocol-version"]) == (b"s1", b"2025-11-25")
    assert all(headers[b"authorization"] == b"Bearer t" for _, headers, _ in server.seen)
    assert b"mcp-session-id" not in server.headers("initialize")


def test_stateless_requests_repeat_their_body_in_headers() -> None:
    server = Server()

    async def scene(client: Client) -> None:
        await client.ask("tools/list", 1, _meta=META)
        await client.ask("tools/call", 2, name="look", arguments={"at": "a\nb"}, _meta=META)
        await client.ask("resources/read", 3, uri="a:é", _meta=META)

    run(server, scene, guided=False)
    call, read = server.headers("tools/call"), server.headers("resources/read")
    assert (call[b"mcp-protocol-version"], call[b"mcp-method"], call[b"mcp-name"]) == (
        b"2026-07-28",
        b"tools/call",
        b"look",
    )
    assert call[b"mcp-param-at"] == b"=?base64?YQpi?="
    assert read[b"mcp-name"] == b"=?base64?YTrDqQ==?="
    assert "GET" not in server.methods() and "DELETE" not in server.methods()


def test_a_wrong_call_is_answered_by_the_proxy() -> None:
    server = Server()

    async def scene(client: Client) -> None:
        assert "UNKNOWN_PARAM" in json.dumps(await client.ask("tools/call", 1, name="look", arguments={"att": "x"}))

    run(server, scene)
    assert server.methods() == ["tools/list"]


def test_the_servers_own_stream_is_read_and_resumed() -> None:
    asked: list[bytes | None] = []

    async def stream(request: Request) -> None:
        asked.append(dict(request.headers).get(b"last-event-id"))
        await request.responder.begin(200, EVENTS)
        for number in range(2):
            event = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": number + 2 * len(asked)}}
            await request.responder.send(b"id: %d\nretry: 10\ndata: %b\n\n" % (number, json.dumps(event).encode()))
        await request.responder.end()

    async def scene(client: Client) -> None:
        await client.begin()
        assert [(await client.next())["params"]["n"] for _ in range(4)] == [2, 3, 4, 5]

    run(Server(GET=stream), scene)
    assert asked[:2] == [None, b"1"]


def test_a_reply_in_a_stream_arrives_after_the_events_before_it() -> None:
    async def stream(request: Request) -> None:
        await request.responder.begin(200, EVENTS)
        await request.responder.send(
            b': hi\n\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'
        )
        await request.responder.send(b"data: {\ndata: " + encode_reply(1, {"a": 1})[1:] + b"\n\n")
        await request.responder.end()

    async def scene(client: Client) -> None:
        assert (await client.ask("work"))["method"] == "notifications/progress"
        assert (await client.next())["result"] == {"a": 1}

    run(Server(work=stream), scene)


def test_an_interrupted_reply_is_resumed_if_the_server_allows_it() -> None:
    async def broken(request: Request) -> None:
        await request.responder.begin(200, EVENTS)
        await request.responder.send(b"id: 7\nretry: 10\ndata:\n\n")
        await request.responder.end()

    async def rest(request: Request) -> None:
        assert dict(request.headers).get(b"last-event-id") == b"7"
        await request.responder.send_whole(200, EVENTS, b"id: 8\ndata: " + encode_reply(1, {"late": True}) + b"\n\n")

    async def scene(client: Client) -> None:
        assert (await client.ask("work"))["result"] == {"late": True}

    run(Server(work=broken, GET=rest), scene)


def test_a_reply_that_is_interrupted_again_and_again_is_lost() -> None:
    count = 0

    async def broken(request: Request) -> None:
        nonlocal count
        count += 1
        await request.responder.begin(200, [*EVENTS, (b"content-length", b"500")])
        await request.responder.send(b"id: 7\nretry: 1\ndata:\n\n")
        raise ConnectionError

    async def scene(client: Client) -> None:
        assert "ended its answer early" in (await client.ask("work"))["error"]["message"]

    run(Server(work=broken, GET=broken), scene)
    assert count == 8


def test_an_interrupted_stream_is_resumed_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    monkeypatch.setattr("fingerpost.proxy.stdio_to_http._LONGEST_PAUSE", 0.01)

    async def broken(request: Request) -> None:
        nonlocal count
        count += 1
        if count > 1:
            event = b'id: 1\nretry: 60000\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'
            await request.responder.send_whole(200, EVENTS, b"id: 0\n\n" + event)
        else:
            await request.responder.begin(200, [*EVENTS, (b"content-length", b"500")])
            raise ConnectionError

    async def scene(client: Client) -> None:
        await client.begin()
        assert (await client.next())["method"] == "notifications/message"

    run(Server(GET=broken), scene)


def test_a_session_forgotten_before_initialized_is_reported() -> None:
    async def forgot(request: Request) -> None:
        await request.responder.send_whole(404, [])

    async def scene(client: Client) -> None:
        await client.ask("initialize", 0)
        assert "does not know this session" in (await client.ask("work", 5))["error"]["message"]

    run(Server(work=forgot), scene)


def test_notifications_are_sent_before_the_proxy_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.proxy.stdio_to_http._EOF_GRACE", PATIENCE)

    async def slow(request: Request) -> None:
        await asyncio.sleep(0.2)
        await request.responder.send_whole(202, [])

    server = Server(notifications_a=slow, notifications_b=slow)

    async def scene(client: Client) -> None:
        client.send({"method": "notifications/a"})
        client.send({"method": "notifications/b"})

    run(server, scene)
    assert server.methods() == ["notifications/a", "notifications/b"]


def test_a_reply_that_ends_early_is_reported() -> None:
    async def ended(request: Request) -> None:
        await request.responder.send_whole(200, EVENTS, b": nothing\n\n")

    async def dropped(request: Request) -> None:
        await request.responder.begin(200, [*EVENTS, (b"content-length", b"50")])
        raise ConnectionError

    async def scene(client: Client) -> None:
        assert "ended its answer early" in (await client.ask("ended"))["error"]["message"]
        assert "broke off its answer" in (await client.ask("dropped"))["error"]["message"]

    run(Server(ended=ended, dropped=dropped), scene)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (500, "answered HTTP 500"),
        (401, "it wants credentials. Tell the user; FINGERPOST_HEADERS"),
        (200, "answered HTTP 200"),
    ],
)
def test_a_response_that_is_not_a_message_is_reported_by_its_status(status: int, text: str) -> None:
    async def answer(request: Request) -> None:
        await request.responder.send_whole(status, [], b"<html>")

    async def scene(client: Client) -> None:
        assert text in (await client.ask("ping"))["error"]["message"]

    run(Server(ping=answer), scene)


@pytest.mark.parametrize(
    ("status", "code", "clause", "hint", "retryable"),
    [
        (401, "AUTH_REQUIRED", "not carried out", "FINGERPOST_HEADERS", False),
        (403, "PERMISSION_DENIED", "not carried out", "FINGERPOST_HEADERS", False),
        (404, "UPSTREAM_ERROR", "not carried out", "check the address", False),
        (408, "TIMEOUT", "not carried out", "Send the call again", True),
        (413, "UPSTREAM_ERROR", "not carried out", "Send less at once", False),
        (418, "UPSTREAM_ERROR", "not carried out", "Tell the user", False),
        (429, "RATE_LIMITED", "not carried out", "Wait before you call again", True),
        (500, "UPSTREAM_ERROR", "may or may not have taken effect", "Look whether", False),
        (502, "UPSTREAM_ERROR", "may or may not have taken effect", "Look whether", False),
        (503, "UPSTREAM_ERROR", "may or may not have taken effect", "Look whether", False),
    ],
)
def test_a_status_says_what_happened_and_whether_the_call_may_have_run(
    status: int, code: str, clause: str, hint: str, retryable: bool
) -> None:
    async def answer(request: Request) -> None:
        await request.responder.send_whole(status, [], b"<html>")

    async def scene(client: Client) -> None:
        result = (await client.ask("tools/call", name="work", arguments={}))["result"]
        error = result["_meta"][KEY]["error"]
        assert (error["code"], error["retryable"]) == (code, retryable)
        assert f"answered HTTP {status}" in error["message"] and clause in error["message"]
        assert hint in result["content"][0]["text"]

    run(Server(work=answer), scene)


def test_a_limited_rate_says_how_long_to_wait() -> None:
    now = datetime.now(UTC)
    for value, hint in (
        ("30", "Wait 30 seconds, then call again"),
        (format_datetime(now + timedelta(seconds=500), usegmt=True), "Wait (?:49.|500) seconds, then"),
        (format_datetime(now - timedelta(seconds=500), usegmt=True), "Wait before you call again"),
        ("soon", "Wait before you call again"),
        ("999999", "Wait before you call again"),
    ):

        async def answer(request: Request, value: str = value) -> None:
            await request.responder.send_whole(429, [(b"retry-after", value.encode())])

        async def scene(client: Client, hint: str = hint) -> None:
            result = (await client.ask("tools/call", name="work", arguments={}))["result"]
            assert re.search(hint, result["content"][0]["text"])

        run(Server(work=answer), scene)


@pytest.mark.parametrize("has_id", [True, False])
def test_the_status_tells_what_an_error_of_the_server_is_about(has_id: bool) -> None:
    def answering(status: int, *headers: tuple[bytes, bytes]) -> Answer:
        async def answer(request: Request) -> None:
            id = json.loads(request.body)["id"] if has_id else None
            error = {"code": -32000, "message": "quota", "data": {"z": 1}}
            body = json.dumps({"jsonrpc": "2.0", "id": id, "error": error}).encode()
            await request.responder.send_whole(status, [*JSON, *headers], body)

        return answer

    async def scene(client: Client) -> None:
        for name, code, hint in (
            ("limited", "RATE_LIMITED", "Wait 7 seconds, then call again"),
            ("busy", "UPSTREAM_ERROR", "Wait 11 seconds. It may or may not have taken effect"),
            ("failed", "INTERNAL_ERROR", ""),
        ):
            error = (await client.ask("tools/call", name=name, arguments={}))["error"]
            assert (error["code"], error["message"], error["data"]["z"]) == (-32000, "quota", 1)
            added = error["data"][KEY]
            assert added["error"]["code"] == code
            assert added["error"].get("hint", "").startswith(hint)
            assert hint in added.get("text", "")
            assert ("text" in added) is bool(hint)

    async def tools(request: Request) -> None:
        listed = [{**TOOL, "name": name} for name in ("limited", "busy", "failed")]
        await request.responder.send_whole(200, JSON, encode_reply(json.loads(request.body)["id"], {"tools": listed}))

    answers = {
        "tools_list": tools,
        "limited": answering(429, (b"retry-after", b"7")),
        "busy": answering(503, (b"retry-after", b"11")),
        "failed": answering(500),
    }
    run(Server(**answers), scene)


def test_a_refused_call_is_not_said_to_have_taken_effect() -> None:
    async def moved(request: Request) -> None:
        await request.responder.send_whole(302, [(b"location", b"http://elsewhere/mcp")])

    async def scene(client: Client) -> None:
        reply = await client.ask("tools/call", name="moved", arguments={})
        assert "answered HTTP 302 and is at http://elsewhere/mcp" in reply["result"]["content"][0]["text"]
        assert "may or may not" not in reply["result"]["content"][0]["text"]

    run(Server(moved=moved), scene)


def test_an_error_without_an_id_answers_the_request() -> None:
    async def answer(request: Request) -> None:
        await request.responder.send_whole(
            400, JSON, b'{"jsonrpc":"2.0","id":null,"error":{"code":-5,"message":"own words"}}'
        )

    async def scene(client: Client) -> None:
        reply = await client.ask("ping", 6)
        assert (reply["id"], reply["error"]["code"]) == (6, -5)

    run(Server(ping=answer), scene)


def test_a_notification_that_is_not_accepted_does_not_block_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.proxy.stdio_to_http._NOTIFY_WAIT", 0.1)

    async def hang(request: Request) -> None:
        await asyncio.sleep(60)

    async def scene(client: Client) -> None:
        client.send({"method": "notifications/a"})
        assert "result" in await client.ask("ping")

    run(Server(notifications_a=hang), scene)


def test_a_protocol_error_keeps_its_code_whatever_its_status() -> None:
    async def answer(request: Request) -> None:
        await request.responder.send_whole(400, JSON, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"m"}}')

    async def scene(client: Client) -> None:
        assert (await client.ask("ping"))["error"] == {"code": -32020, "message": "m"}

    run(Server(ping=answer), scene)


def test_a_reply_that_is_too_long_is_reported() -> None:
    async def whole(request: Request) -> None:
        await request.responder.send_whole(200, JSON, b"x" * 200_000)

    async def events(request: Request) -> None:
        await request.responder.send_whole(200, EVENTS, b"data: " + b"x" * 200_000)

    async def scene(client: Client) -> None:
        for method in ("whole", "events"):
            assert "too long" in (await client.ask(method))["error"]["message"]

    run(Server(whole=whole, events=events), scene)


def test_a_forgotten_session_is_reopened_for_the_next_call() -> None:
    server = Server()

    async def forgot(request: Request) -> None:
        if dict(request.headers).get(b"mcp-session-id") == b"s1":
            await request.responder.send_whole(
                404, JSON, b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"who"}}'
            )
        else:
            await request.responder.send_whole(200, JSON, encode_reply(json.loads(request.body)["id"], {}))

    server.answers["work"] = forgot

    async def scene(client: Client) -> None:
        await client.begin()
        lost = await client.ask("work", 5)
        assert "answered HTTP 404: it does not know this session" in lost["error"]["message"]
        assert 'It says "who". A new session is begun' in lost["error"]["message"]
        assert (await client.ask("work", 6))["result"] == {}

    run(server, scene)
    assert server.sessions == 2
    assert server.methods().count("notifications/initialized") == 2


def test_an_unreachable_server_is_reported_for_each_request() -> None:
    async def gone() -> int:
        async with serving(Server()) as port:
            return port

    async def play() -> None:
        upstream = Upstream(f"http://127.0.0.1:{await gone()}/mcp")
        (stdin, client_in), (client_out, stdout) = os.pipe(), os.pipe()
        notices: list[str] = []
        proxy = StdioToHttp(
            upstream, Session(None), limit=1_000, headers=[], notice=notices.append, stdin=stdin, stdout=stdout
        )
        running = asyncio.ensure_future(proxy.run())
        client = Client(client_in, client_out)
        client.send({"method": "notifications/x"})
        assert "the request was not sent" in (await client.ask("ping"))["error"]["message"]
        client.close()
        assert await running == 0
        assert notices and "cannot be reached" in notices[0]

    asyncio.run(play())


def test_cancelling_closes_the_connection_of_a_stateless_request_and_notifies_a_session() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()
    server = Server(hang=hanging(begun, ended))

    async def modern(client: Client) -> None:
        client.send({"id": 1, "method": "hang", "params": {"_meta": META}})
        await begun.wait()
        client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
        await eventually(ended.is_set)
        client.send({"method": "notifications/cancelled", "params": {"requestId": 9}})

    run(server, modern)
    assert "notifications/cancelled" not in server.methods()

    async def legacy(client: Client) -> None:
        await client.begin()
        client.send({"id": 1, "method": "hang", "params": {}})
        client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
        await client.ask("ping", 2)

    run(server, legacy)
    assert "notifications/cancelled" in server.methods()


def test_a_silent_server_causes_a_timeout() -> None:
    async def hang(request: Request) -> None:
        await asyncio.sleep(60)

    def play(seconds: float) -> None:
        async def scene(client: Client) -> None:
            await client.begin()
            assert f"within {seconds:g} s" in (await client.ask("hang"))["error"]["message"]

        server = Server(hang=hang)
        run(server, scene, timeout=seconds)
        assert "notifications/cancelled" in server.methods()

    with_longer_timeouts(play, 0.3)


def test_after_a_signal_requests_in_flight_are_answered() -> None:
    begun = asyncio.Event()

    async def slow(request: Request) -> None:
        begun.set()
        await asyncio.sleep(0.3)
        await request.responder.send_whole(200, JSON, encode_reply(1, {"done": True}))

    async def scene(client: Client) -> None:
        client.send({"id": 1, "method": "slow"})
        await begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        assert (await client.next())["result"] == {"done": True}

    assert run(Server(slow=slow), scene, closes=False)[0] == 0


def test_requests_in_flight_at_the_end_are_answered_as_lost() -> None:
    begun, replies = asyncio.Event(), list[Any]()

    async def scene(client: Client) -> None:
        client.send({"id": 1, "method": "hang"})
        await begun.wait()
        client.close()
        replies.append(await client.next())

    assert run(Server(hang=hanging(begun, asyncio.Event())), scene, closes=False)[0] == 0
    assert "was left before it answered" in replies[0]["error"]["message"]


def test_a_last_line_without_a_newline_is_a_message_and_a_slow_reader_loses_nothing() -> None:
    large = "x" * 90_000

    async def answer(request: Request) -> None:
        await request.responder.send_whole(200, JSON, encode_reply(json.loads(request.body)["id"], {"large": large}))

    async def scene(client: Client) -> None:
        for id in range(20):
            client.send({"id": id, "method": "large"})
        await eventually(lambda: buffered_bytes(client._stdout) == PIPE_SIZE)  # pyright: ignore[reportPrivateUsage]
        got = [await client.next() for _ in range(20)]
        assert {one["id"] for one in got} == set(range(20))
        assert all(one["result"]["large"] == large for one in got)
        os.write(client._stdin, b'{"jsonrpc":"2.0","id":"last","method":"ping"}')  # pyright: ignore[reportPrivateUsage]
        client.close()
        assert (await client.next())["id"] == "last"

    run(Server(large=answer), scene, closes=False)


def test_a_client_reply_with_half_a_surrogate_pair_is_passed_to_the_server() -> None:
    async def asking(request: Request) -> None:
        question = b'data: {"jsonrpc":"2.0","id":900,"method":"roots/list"}\n\n'
        await request.responder.begin(200, EVENTS)
        await request.responder.send(question)
        await eventually(lambda: any(message.get("id") == 900 for _, _, message in server.seen))
        await request.responder.send(b"data: " + encode_reply(1, {"done": True}) + b"\n\n")
        await request.responder.end()

    server = Server(ask=asking)

    async def scene(client: Client) -> None:
        client.send({"id": 1, "method": "ask"})
        assert (await client.next())["id"] == 900
        client.send(b'{"jsonrpc":"2.0","id":900,"result":{"roots":[{"uri":"file:///x","name":"\\ud83d"}]}}')
        assert (await client.next())["result"] == {"done": True}
        assert "result" in await client.ask("ping", 2)

    run(server, scene)
    assert any(message.get("id") == 900 and "result" in message for _, _, message in server.seen)


def test_a_numeric_id_written_as_text_matches_its_request() -> None:
    async def as_text(request: Request) -> None:
        await request.responder.send_whole(200, JSON, encode_reply("1", {"done": True}))

    async def streamed(request: Request) -> None:
        await request.responder.begin(200, [(b"content-type", b"Text/Event-Stream")])
        await request.responder.send(b"\xef\xbb\xbfdata: " + encode_reply("1", {"done": True}) + b"\n\n")
        await request.responder.end()

    async def scene(client: Client) -> None:
        assert (await client.ask("plain"))["result"] == {"done": True}
        assert (await client.ask("events"))["result"] == {"done": True}

    run(Server(plain=as_text, events=streamed), scene)


def test_a_stream_is_resumed_as_long_as_the_server_makes_progress() -> None:
    count = 0

    async def polled(request: Request) -> None:
        nonlocal count
        count += 1
        await request.responder.begin(200, EVENTS)
        await request.responder.send(b"id: %d\nretry: 1\ndata:\n\n" % count)
        if count == 20:
            await request.responder.send(b"data: " + encode_reply(1, {"done": True}) + b"\n\n")
        await request.responder.end()

    async def scene(client: Client) -> None:
        assert (await client.ask("work"))["result"] == {"done": True}

    run(Server(work=polled, GET=polled), scene)


def test_an_invalid_redirect_is_not_followed() -> None:
    async def moved(request: Request) -> None:
        await request.responder.send_whole(308, [(b"location", b"http://[bad")])

    async def scene(client: Client) -> None:
        assert "answered HTTP 308" in (await client.ask("work"))["error"]["message"]

    run(Server(work=moved), scene)


def test_a_bug_in_the_proxy_still_produces_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fingerpost.proxy.stdio_to_http.describe_status", failing)

    async def odd(request: Request) -> None:
        await request.responder.send_whole(500, [])

    async def scene(client: Client) -> None:
        assert "ZeroDivisionError" in (await client.ask("work"))["error"]["message"]

    run(Server(work=odd), scene)


def test_non_blocking_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, wait = list[Any](), select.select

    def record(*descriptors: Any) -> Any:
        waits.append(descriptors)
        return wait(*descriptors)

    monkeypatch.setattr("fingerpost.proxy.stdio_to_http.select.select", record)

    async def scene(client: Client) -> None:
        assert "result" in await client.ask("ping", 1)
        await eventually(lambda: waits)
        assert "result" in await client.ask("ping", 2)

    async def play() -> None:
        (stdin, client_in), (client_out, stdout) = os.pipe(), os.pipe()
        os.set_blocking(stdin, False)
        async with serving(Server()) as port:
            upstream = Upstream(f"http://127.0.0.1:{port}/mcp")
            proxy = StdioToHttp(
                upstream, Session(None), limit=100_000, headers=[], notice=print, stdin=stdin, stdout=stdout
            )
            running = asyncio.ensure_future(proxy.run())
            client = Client(client_in, client_out)
            await scene(client)
            client.close()
            assert await running == 0

    asyncio.run(play())


def test_a_cancellation_without_a_valid_id_is_ignored() -> None:
    async def scene(client: Client) -> None:
        client.send({"method": "notifications/cancelled", "params": {"requestId": [1]}})
        assert "result" in await client.ask("ping", 2)

    run(Server(), scene)
