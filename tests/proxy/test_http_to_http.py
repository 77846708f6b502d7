"""The reverse proxy: what passes, what is guided, and how failures of either side are reported."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest

from fingerpost.engine.model import KEY
from fingerpost.proxy.http.client import Upstream
from fingerpost.proxy.http.headers import argument_headers
from fingerpost.proxy.http.responder import Request
from fingerpost.proxy.http.server import Limits
from fingerpost.proxy.http_to_http.app import HttpToHttp
from fingerpost.proxy.protocol.relay import Relay
from tests.support.http_lab import EVENTS, JSON, Answer, Http, Reply, fronting, guidance, hanging, serving
from tests.support.waiting import PATIENCE, eventually, with_longer_timeouts

SEARCH = {
    "name": "search",
    "inputSchema": {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "x-mcp-header": "Pattern"},
            "max": {"type": "integer", "x-mcp-header": "Max"},
        },
        "required": ["pattern"],
    },
}


def encode_reply(id: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()


class FakeUpstream:
    """An upstream that lists tools, echoes the arguments of calls, and records what it receives."""

    def __init__(self, answers: dict[str, Answer] | None = None) -> None:
        self.answers = answers or {}
        self.seen: list[Request] = []
        self.tools: list[Any] = [SEARCH]

    async def __call__(self, request: Request) -> None:
        self.seen.append(request)
        message = json.loads(request.body or b"{}")
        name = message.get("params", {}).get("name", "")
        answer = self.answers.get(name) or self.answers.get(message.get("method", request.method)) or self._plain
        await answer(request)

    async def _plain(self, request: Request) -> None:
        message = json.loads(request.body)
        result: dict[str, Any] = {"tools": self.tools}
        if message["method"] == "tools/call":
            known = message["params"]["name"] in {tool["name"] for tool in self.tools}
            echo = message["params"]["arguments"] if known else f"Unknown tool: {message['params']['name']}"
            result = {"content": [{"type": "text", "text": json.dumps(echo)}], **({} if known else {"isError": True})}
        await request.responder.send_whole(
            200, JSON, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        )

    def methods(self) -> list[str]:
        return [json.loads(request.body).get("method") for request in self.seen if request.body]


def run(
    upstream: FakeUpstream,
    scene: Any,
    *,
    relay: Relay | bool | None = True,
    limits: Limits | None = None,
    path: str = "/mcp?a=1",
    **more: Any,
) -> Any:
    """Run a scene with a client of the proxy in front of an upstream."""

    async def play() -> Any:
        async with serving(upstream) as port:
            options: dict[str, Any] = {"limit": 1_000_000, "timeout": 0.0, "headers": [], **more}
            guide = guidance() if relay is True else (relay or None)
            app = HttpToHttp(Upstream(f"http://127.0.0.1:{port}{path}"), guide, **options)
            async with fronting(app, limits) as http:
                return await scene(http)

    return asyncio.run(play())


def calling(name: str, arguments: Any, **headers: str) -> Any:
    async def scene(http: Http) -> Reply:
        return await http.call(name, arguments, **headers)

    return scene


def raw(status: int, body: bytes, headers: list[tuple[bytes, bytes]] = JSON) -> Answer:
    async def answer(request: Request) -> None:
        await request.responder.send_whole(status, headers, body)

    return answer


def stream(*chunks: bytes, pause: float = 0.0) -> Answer:
    async def answer(request: Request) -> None:
        await request.responder.begin(200, EVENTS)
        for chunk in chunks:
            await request.responder.send(chunk)
            await asyncio.sleep(pause)
        await request.responder.end()

    return answer


# passing through


def test_a_correct_call_passes_with_its_headers_and_its_reply_byte_for_byte() -> None:
    body = b'{"jsonrpc": "2.0","id" :1,"result":{"content":[],"n":1.50}}'
    upstream = FakeUpstream({"search": raw(200, body, [*JSON, (b"x-own", b"1"), (b"mcp-session-id", b"s")])})
    reply = run(upstream, calling("search", {"pattern": "x"}, authorization="Bearer t", x_more="2", te="trailers"))
    assert (reply.status, reply.body, reply.headers["x-own"], reply.headers["mcp-session-id"]) == (200, body, "1", "s")
    sent = dict(upstream.seen[-1].headers)
    assert sent[b"authorization"] == b"Bearer t" and sent[b"x-more"] == b"2"
    assert b"te" not in sent and sent[b"accept-encoding"] == b"identity"
    assert upstream.seen[-1].path == "/mcp?a=1"


@pytest.mark.parametrize("relay", [True, None])
def test_other_requests_and_http_methods_pass_unchanged(relay: bool | None) -> None:
    upstream = FakeUpstream({
        "ping": raw(200, b'{"id":1}'),
        "notifications/x": raw(202, b""),
        "GET": stream(b": hi\n\n", b"id: 1\nretry: 5\ndata: {}\n\n"),
        "DELETE": raw(204, b""),
    })  # fmt: skip

    async def scene(http: Http) -> list[Reply]:
        return [
            await http.post({"id": 1, "method": "ping"}),
            await http.post({"method": "notifications/x"}),
            await http.ask("GET", last_event_id="7"),
            await http.ask("DELETE", mcp_session_id="s"),
        ]

    ping, notified, stream_, deleted = run(upstream, scene, relay=relay)
    assert (ping.status, ping.body, notified.status, deleted.status) == (200, b'{"id":1}', 202, 204)
    assert stream_.body == b": hi\n\nid: 1\nretry: 5\ndata: {}\n\n"
    assert dict(upstream.seen[2].headers)[b"last-event-id"] == b"7"


def test_a_streamed_reply_passes_byte_for_byte_with_the_events_around_it() -> None:
    events = (
        b": ping\r\n\r\n",
        b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\r\n\r\n',
        b'id: 9\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[],"n":1.0e1}}\n\n',
        b": after\n\n",
    )
    reply = run(FakeUpstream({"search": stream(*events)}), calling("search", {"pattern": "x"}))
    assert reply.headers["content-type"] == "text/event-stream"
    assert reply.body == b"".join(events)


def test_a_response_that_is_not_a_message_passes_unchanged() -> None:
    upstream = FakeUpstream(
        {"search": raw(401, b"who are you", [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")])}
    )
    reply = run(upstream, calling("search", {"pattern": "x"}))
    assert (reply.status, reply.body, reply.headers["www-authenticate"]) == (401, b"who are you", "Bearer")


@pytest.mark.parametrize("status", [200, 202, 204, 403, 404, 500, 502])
def test_a_response_without_a_content_type_gets_none(status: int) -> None:
    body = b"" if status in (202, 204) else encode_reply(1, {"content": []}) if status == 200 else b"nope"
    reply = run(FakeUpstream({"search": raw(status, body, [])}), calling("search", {"pattern": "x"}))
    assert (reply.status, reply.body) == (status, body) and "content-type" not in reply.headers


def test_a_guided_reply_says_that_it_is_json_where_the_server_did_not() -> None:
    failed = encode_reply(1, {"content": [{"type": "text", "text": "No such file: A"}], "isError": True})
    for headers in ([], [(b"x-own", b"1")]):
        reply = run(FakeUpstream({"search": raw(200, failed, headers)}), calling("search", {"pattern": "A"}))
        assert reply.json["result"]["_meta"][KEY]["error"]["code"] == "NOT_FOUND"
        assert reply.headers["content-type"] == "application/json"


def test_a_resumable_stream_ends_unchanged() -> None:
    for relay in (True, None):
        upstream = FakeUpstream({"search": stream(b"id: 4\nretry: 10\ndata:\n\n")})
        reply = run(upstream, calling("search", {"pattern": "x"}), relay=relay)
        assert reply.body == b"id: 4\nretry: 10\ndata:\n\n"


# guidance


def test_a_wrong_call_is_answered_from_the_callers_own_tool_list_and_not_sent() -> None:
    upstream = FakeUpstream()
    reply = run(upstream, calling("search", {"patern": "x"}, authorization="Bearer t"))
    assert upstream.methods() == ["tools/list"]
    assert dict(upstream.seen[0].headers)[b"authorization"] == b"Bearer t"
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json["result"]["_meta"][KEY]["error"]["code"] == "UNKNOWN_PARAM"


def test_a_failed_reply_is_guided_whole_and_in_a_stream() -> None:
    failed = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"No such file: A"}],"isError":true}}'
    whole = run(FakeUpstream({"search": raw(200, failed)}), calling("search", {"pattern": "A"}))
    assert whole.json["result"]["_meta"][KEY]["error"]["code"] == "NOT_FOUND"
    streamed = run(
        FakeUpstream({"search": stream(b"id: 4\ndata: " + failed + b"\n\n")}), calling("search", {"pattern": "A"})
    )
    assert streamed.body.startswith(b"id: 4\ndata: ")
    assert streamed.events == [whole.json]


def test_the_status_tells_what_an_error_of_the_server_is_about() -> None:
    body = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"quota"}}'
    upstream = FakeUpstream({"search": raw(429, body, [*JSON, (b"retry-after", b"7")])})
    reply = run(upstream, calling("search", {"pattern": "x"}))
    added = reply.json["error"]["data"][KEY]
    assert (reply.status, added["error"]["code"]) == (429, "RATE_LIMITED")
    assert "Wait 7 seconds, then call again" in added["text"]


def test_a_reply_with_a_result_and_an_error_is_a_fault_of_the_server() -> None:
    both = b'{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":-32603,"message":"timeout"}}'
    for answer in (raw(200, both), stream(b"data: " + both + b"\n\n")):
        reply = run(FakeUpstream({"search": answer}), calling("search", {"pattern": "x"}))
        result = reply.events[0] if reply.body.startswith(b"data:") else reply.json
        assert "sent a reply that has both a result and an error" in result["result"]["content"][0]["text"]


def test_a_guided_reply_may_exceed_the_content_length_of_its_stream() -> None:
    result = {"content": [{"type": "text", "text": "No such file"}], "isError": True}
    failed = b"data: " + encode_reply(1, result) + b"\r\r"
    upstream = FakeUpstream({"search": raw(200, failed, EVENTS)})
    assert run(upstream, calling("search", {"pattern": "x"})).events[0]["result"]["_meta"][KEY]


def test_an_unknown_tool_is_a_tool_result_or_a_protocol_error_with_the_status_of_its_revision() -> None:
    reply = run(FakeUpstream(), calling("serach", {"pattern": "x"}))
    assert 'Try: search(pattern: "x")' in reply.json["result"]["content"][1]["text"]
    unknown = raw(400, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: serach"}}')
    as_result = run(FakeUpstream({"serach": unknown}), calling("serach", {"pattern": "x"}))
    assert as_result.status == 200 and "result" in as_result.json
    protocol = run(FakeUpstream({"serach": unknown}), calling("serach", {}), relay=guidance(unknown_tool="protocol"))
    assert protocol.status == 400 and protocol.json["error"]["data"][KEY]

    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}

    async def modern(http: Http) -> Reply:
        params = {"name": "serach", "arguments": {}, "_meta": meta}
        return await http.post({"id": 1, "method": "tools/call", "params": params})

    assert run(FakeUpstream(), modern, relay=guidance(unknown_tool="protocol")).status == 400
    legacy = run(FakeUpstream(), calling("serach", {}), relay=guidance(unknown_tool="protocol"))
    assert legacy.status == 200 and legacy.json["error"]["code"] == -32602


def test_a_repaired_call_has_matching_headers() -> None:
    upstream = FakeUpstream()
    headers = {
        "mcp_method": "tools/call",
        "mcp_name": "search",
        "mcp_param_pattern": "x",
        "mcp_protocol_version": "2026-07-28",
    }
    reply = run(upstream, calling("search", {"Pattern": "é", "max": "5"}, **headers))
    sent = dict(upstream.seen[-1].headers)
    assert json.loads(upstream.seen[-1].body)["params"]["arguments"] == {"pattern": "é", "max": 5}
    assert (sent[b"mcp-name"], sent[b"mcp-param-pattern"], sent[b"mcp-param-max"]) == (
        b"search",
        b"=?base64?w6k=?=",
        b"5",
    )
    assert dict(upstream.seen[0].headers)[b"mcp-method"] == b"tools/list"
    assert b"mcp-name" not in dict(upstream.seen[0].headers)
    assert "auto-corrected" in reply.body.decode()


def test_a_repaired_call_of_the_2025_revisions_gets_no_argument_headers() -> None:
    upstream = FakeUpstream()
    run(upstream, calling("search", {"pattern": "x", "max": "5"}))
    assert b"mcp-param-max" not in dict(upstream.seen[-1].headers)


def test_booleans_in_headers_are_spelled_as_in_json() -> None:
    schema = {"properties": {"on": {"x-mcp-header": "On"}, "in": {"properties": {"off": {"x-mcp-header": "Off"}}}}}
    assert argument_headers(schema, {"on": True, "in": {"off": False}}) == [
        (b"mcp-param-on", b"true"),
        (b"mcp-param-off", b"false"),
    ]
    assert argument_headers(schema, {"on": None, "in": []}) == []


def test_a_call_that_is_sent_again_answers_in_the_same_stream() -> None:
    async def streamed(request: Request) -> None:
        name = json.loads(request.body)["params"]["name"]
        result: dict[str, Any] = {"content": [{"type": "text", "text": f"Unknown tool: {name}"}], "isError": True}
        if name == "search":
            result = {"content": []}
        await stream(b": at work\n\n", b"data: " + encode_reply(json.loads(request.body)["id"], result) + b"\n\n")(
            request
        )

    upstream = FakeUpstream({"functions.search": streamed, "search": streamed})
    reply = run(upstream, calling("functions.search", {"pattern": "x"}))
    assert reply.body.count(b": at work") == 2
    assert "auto-corrected" in reply.events[0]["result"]["content"][0]["text"]


def test_a_call_that_the_server_has_sent_a_message_for_is_not_sent_again() -> None:
    progress = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'

    async def streamed(request: Request) -> None:
        asked = json.loads(request.body)
        error = {"code": -32602, "message": f"Unknown tool: {asked['params']['name']}"}
        reply = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}).encode()
        await stream(b"data: " + progress + b"\n\n", b"data: " + reply + b"\n\n")(request)

    upstream = FakeUpstream({"functions.search": streamed})
    reply = run(upstream, calling("functions.search", {"pattern": "x"}))
    assert reply.events[-1]["result"]["content"][0]["text"].endswith('Try: search(pattern: "x")')
    assert upstream.methods().count("tools/call") == 1


def test_the_number_of_remembered_callers_is_limited() -> None:
    relay = guidance()

    async def page(request: Request) -> None:
        await request.responder.send_whole(200, JSON, encode_reply(1, {"tools": [], "nextCursor": "n"}))

    async def scene(http: Http) -> None:
        for who in range(300):
            await http.post({"id": 1, "method": "tools/list"}, authorization=f"Bearer {who}")

    run(FakeUpstream({"tools/list": page}), scene, relay=relay)
    assert len(relay._partial_lists) == 256  # pyright: ignore[reportPrivateUsage]


def test_each_caller_has_its_own_tool_list() -> None:
    upstream = FakeUpstream()

    async def listed(request: Request) -> None:
        own = dict(request.headers)[b"authorization"] == b"Bearer a"
        tools = [SEARCH] if own else [{"name": "other", "inputSchema": {"type": "object"}}]
        message = json.loads(request.body)
        await request.responder.send_whole(
            200, JSON, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}}).encode()
        )

    upstream.answers["tools/list"] = listed

    async def scene(http: Http) -> list[str]:
        replies = [await http.call("serach", {"pattern": "x"}, authorization=f"Bearer {who}") for who in "abab"]
        return [reply.body.decode() for reply in replies]

    mine, theirs, *again = run(upstream, scene)
    assert "search(" in mine and "search(" not in theirs
    assert upstream.methods().count("tools/list") == 2
    assert "search(" in again[0] and "search(" not in again[1]


def test_a_streamed_tool_list_is_cached_until_it_changes() -> None:
    upstream = FakeUpstream()
    listed = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [SEARCH]}}).encode()
    upstream.answers |= {
        "tools/list": stream(b"data: " + listed + b"\n\n"),
        "GET": stream(b'data: {"jsonrpc":"2.0","method":"notifications/tools', b'/list_changed"}\n\n'),
    }

    async def scene(http: Http) -> None:
        await http.post({"id": 1, "method": "tools/list"})
        await http.call("search", {})
        assert upstream.methods() == ["tools/list"]
        await http.ask("GET")
        upstream.answers.pop("tools/list")
        await http.call("search", {})
        assert upstream.methods() == ["tools/list", "tools/list"]
        changed = b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
        upstream.answers["search"] = stream(changed, b'data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n')
        await http.call("search", {"pattern": "x"})
        await http.call("search", {})
        assert upstream.methods()[-1] == "tools/list"

    run(upstream, scene)


def test_the_proxy_reads_a_streamed_reply_to_its_own_request() -> None:
    upstream = FakeUpstream()

    async def listed(request: Request) -> None:
        own = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "result": {"tools": [SEARCH]}}
        await stream(b"data: {}\n\n", b"data: " + json.dumps(own).encode() + b"\n\n")(request)

    upstream.answers["tools/list"] = listed
    assert "UNKNOWN_PARAM" in run(upstream, calling("search", {"patern": "x"})).body.decode()


@pytest.mark.parametrize(
    "answer", [raw(500, b"no"), stream(b"data: {}\n\n"), raw(200, b'{"jsonrpc":"2.0","id":5,"result":{}}')]
)
def test_without_a_tool_list_a_call_passes_unchanged(answer: Answer) -> None:
    upstream = FakeUpstream({"tools/list": answer})
    assert "content" in run(upstream, calling("search", {"patern": "x"})).json["result"]
    assert upstream.methods() == ["tools/list", "tools/call"]


# refusals


@pytest.mark.parametrize(
    ("body", "id"),
    [(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":NaN}}', 7), (b"[]", None), (b"{", None)],
)
def test_a_malformed_body_is_answered_with_its_id(body: bytes, id: Any) -> None:
    async def scene(http: Http) -> Reply:
        return await http.post(body)

    upstream = FakeUpstream()
    reply = run(upstream, scene)
    assert (reply.status, reply.json["id"]) == (400, id)
    assert upstream.seen == []


@pytest.mark.parametrize(("body", "why"), [(b"", "is empty"), (b" \n", "is empty"), (b"{", "its end is missing")])
def test_a_malformed_body_is_described(body: bytes, why: str) -> None:
    async def scene(http: Http) -> Reply:
        return await http.ask("POST", body, content_type="application/json")

    assert why in run(FakeUpstream(), scene).json["error"]["message"]


def test_every_request_in_a_batch_is_answered() -> None:
    batch = [{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in (7, "b")]

    async def scene(http: Http) -> Reply:
        return await http.post(json.dumps(batch).encode())

    reply = run(FakeUpstream(), scene)
    assert (reply.status, [one["id"] for one in reply.json]) == (400, [7, "b"])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "[bad"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://[bad"}, 403),
        ({"origin": "http://localhost:6274"}, 403),
        ({"host": "localhost"}, 200),
        ({"host": "[::1]:80"}, 200),
    ],
)
def test_only_expected_hosts_and_origins_are_accepted(headers: dict[str, str], status: int) -> None:
    async def scene(http: Http) -> Reply:
        return await http.call("search", {"pattern": "x"}, **headers)

    assert run(FakeUpstream(), scene).status == status


def test_the_health_path_answers_and_other_paths_do_not() -> None:
    async def scene(http: Http) -> list[int]:
        return [(await http.ask("GET", path=path)).status for path in ("/healthz", "/", "/mcp/x", "/healthz?x")]

    assert run(FakeUpstream(), scene) == [200, 404, 404, 200]


def test_head_is_passed_on_and_has_no_body() -> None:
    async def scene(http: Http) -> Reply:
        return await http.ask("HEAD", path="/mcp?x=1")

    upstream = FakeUpstream({"HEAD": raw(405, b"no")})
    reply = run(upstream, scene)
    assert (reply.status, reply.body, [request.method for request in upstream.seen]) == (405, b"", ["HEAD"])


def test_the_health_path_answers_head_without_a_body() -> None:
    async def scene(http: Http) -> Reply:
        return await http.ask("HEAD", path="/healthz")

    reply = run(FakeUpstream(), scene)
    assert (reply.status, reply.body) == (200, b"")


def test_a_bug_in_the_proxy_is_reported_in_the_response() -> None:
    async def broken(request: Request) -> None:
        raise RuntimeError("ours")

    async def scene() -> Reply:
        async with serving(broken) as port:
            return await Http(port).post({"id": 1, "method": "ping"})

    reply = asyncio.run(scene())
    assert (reply.status, reply.body) == (500, b"The proxy failed (RuntimeError)")

    async def broken_late(request: Request) -> None:
        await request.responder.begin(200, JSON)
        raise RuntimeError("ours")

    async def late() -> bytes:
        async with serving(broken_late) as port:
            return (await Http(port).post({"id": 1, "method": "ping"})).body

    assert asyncio.run(late()) == b""


def test_bodies_are_limited_in_both_directions() -> None:
    async def scene(http: Http) -> tuple[int, Reply]:
        large = await http.raw(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n" + b"x" * 2_000_000
        )
        return int(large.split()[1]), await http.call("search", {"pattern": "x"})

    answer = b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"a":"' + b"x" * 2_000_000 + b'"}}'
    for upstream in (FakeUpstream({"search": raw(200, answer)}), FakeUpstream({"search": stream(b"data: " + answer)})):
        status, reply = run(upstream, scene, limits=Limits(body=1_000_000))
        assert status == 413
        assert b"too long" in reply.body


@pytest.mark.parametrize("data", [b"NONSENSE\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"x" * 100_000 + b"\r\n\r\n"])
def test_invalid_http_is_refused(data: bytes) -> None:
    async def scene(http: Http) -> bytes:
        got = await http.raw(data)
        await asyncio.sleep(0.1)
        return got

    assert run(FakeUpstream(), scene).split()[1] in (b"400", b"431")


@pytest.mark.parametrize(
    "data", [b"", b"POST /mcp HTTP/1.1\r\n", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab"]
)
def test_the_connection_of_a_slow_client_is_closed(data: bytes) -> None:
    async def scene(http: Http) -> bytes:
        return await http.raw(data)

    assert run(FakeUpstream(), scene, limits=Limits(receive=0.2)) == b""


def test_a_connection_is_reused_and_closed_when_idle() -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    head = b"Host: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d"
    one = b"POST /mcp HTTP/1.1\r\n" + head % len(body) + b"\r\n\r\n" + body

    async def scene(http: Http) -> bytes:
        return await http.raw(one + one)

    upstream = FakeUpstream({"ping": raw(200, b"{}")})
    got = run(upstream, scene, limits=Limits(idle=0.3))
    assert got.count(b"HTTP/1.1 ") == got.count(b"HTTP/1.1 200") == 2  # the bodies were there, so no 100 either


# failures of the server


async def interrupt(request: Request) -> None:
    await request.responder.begin(200, [*JSON, (b"content-length", b"100")])
    await request.responder.send(b"{")
    raise ConnectionError


def test_an_unreachable_server_is_reported_as_not_sent() -> None:
    async def scene() -> list[Reply]:
        async with serving(FakeUpstream()) as port:
            pass
        app = HttpToHttp(Upstream(f"http://127.0.0.1:{port}/mcp"), guidance(), limit=1_000, timeout=0, headers=[])
        async with fronting(app) as http:
            return [await http.call("search", {}), await http.post({"id": 2, "method": "ping"})]

    call, ping = asyncio.run(scene())
    assert "the request was not sent" in call.json["result"]["content"][0]["text"]
    assert (ping.status, ping.json["id"]) == (502, 2)


def test_after_an_interrupted_reply_the_call_may_have_taken_effect() -> None:
    for answer in (interrupt, stream(b"data: {}\n\n"), stream(b": x\n\n")):
        reply = run(FakeUpstream({"search": answer}), calling("search", {"pattern": "x"}))
        assert b"may or may not have taken effect" in reply.body


def test_a_silent_server_causes_a_timeout_and_a_cancellation() -> None:
    async def hang(request: Request) -> None:
        await asyncio.sleep(60)

    async def scene(http: Http) -> list[Reply]:
        return [await http.call("search", {"pattern": "x"}), await http.post({"id": 2, "method": "ping"})]

    def play(seconds: float) -> None:
        upstream = FakeUpstream({"search": hang, "ping": hang, "notifications/cancelled": raw(202, b"")})
        message = f"did not answer within {seconds:g} s".encode()
        for relay in (True, None):
            call, ping = run(upstream, scene, timeout=seconds, relay=relay)
            assert message in call.body and ping.status == 504
        assert upstream.methods().count("notifications/cancelled") == 1
        modern = run(upstream, calling("search", {"pattern": "x"}, mcp_method="tools/call"), timeout=seconds)
        assert message in modern.body
        assert upstream.methods().count("notifications/cancelled") == 1

    with_longer_timeouts(play, 0.3)


def test_without_guidance_a_malformed_body_goes_to_the_server() -> None:
    async def scene(http: Http) -> Reply:
        return await http.post(b"[1]")

    async def refused(request: Request) -> None:
        await request.responder.send_whole(400, JSON, b"own words")

    async def scene_with_deadline() -> Reply:
        async with serving(refused) as port:
            app = HttpToHttp(Upstream(f"http://127.0.0.1:{port}/mcp"), None, limit=1_000, timeout=PATIENCE, headers=[])
            async with fronting(app) as http:
                return await scene(http)

    assert asyncio.run(scene_with_deadline()).body == b"own words"


def test_an_interrupted_body_is_interrupted_for_the_client_too() -> None:
    async def scene(http: Http) -> bytes:
        return (await http.post({"id": 2, "method": "ping"})).body

    assert run(FakeUpstream({"ping": interrupt}), scene) == b"{"


def test_the_timeout_of_a_stream_restarts_with_each_event() -> None:
    async def scene(http: Http) -> list[Reply]:
        return [await http.post({"id": 2, "method": "ping"}), await http.call("search", {"pattern": "x"})]

    answer = b'data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n'

    def play(seconds: float) -> None:
        silent, steady = 10 * seconds, 0.6 * seconds
        events = stream(b": x\n\n", b": x\n\n", answer, pause=steady)
        upstream = FakeUpstream({"ping": stream(b": x\n\n", b"", pause=silent), "search": events})
        ping, call = run(upstream, scene, timeout=seconds)
        assert ping.events[0]["error"]["message"] == f"The server did not answer within {seconds:g} s"
        assert call.events[0]["result"] == {"content": []}

    with_longer_timeouts(play, 0.4)


def test_a_disconnect_cancels_the_request_upstream() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def scene(http: Http) -> None:
        for body in (
            b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"pattern":"x"}}}',
        ):
            head = b"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            asked = asyncio.ensure_future(http.raw(b"POST /mcp HTTP/1.1\r\n" + head + body))
            await eventually(begun.is_set)
            asked.cancel()
            await eventually(ended.is_set)
            begun.clear()
            ended.clear()

    hang = hanging(begun, ended)
    run(FakeUpstream({"ping": hang, "search": hang}), scene)


def test_own_headers_are_sent_unless_the_client_sends_the_same_name() -> None:
    upstream = FakeUpstream()
    own = [(b"authorization", b"Bearer own"), (b"x-a", b"own")]
    run(upstream, calling("search", {"pattern": "x"}, x_a="theirs"), headers=own)
    sent = dict(upstream.seen[-1].headers)
    assert (sent[b"authorization"], sent[b"x-a"]) == (b"Bearer own", b"theirs")


def test_requests_in_flight_at_the_end_are_answered_as_lost() -> None:
    async def hang(request: Request) -> None:
        await asyncio.sleep(60)

    async def scene() -> list[Reply]:
        upstream = FakeUpstream({"search": hang, "ping": hang})
        async with serving(upstream) as port:
            app = HttpToHttp(Upstream(f"http://127.0.0.1:{port}/mcp"), guidance(), limit=1_000, timeout=0, headers=[])
            async with fronting(app) as http:
                asks: list[Coroutine[Any, Any, Reply]] = [
                    http.call("search", {"pattern": "x"}),
                    http.post({"id": 2, "method": "ping"}),
                ]
                asked = [asyncio.ensure_future(one) for one in asks]
                await eventually(lambda: {"tools/call", "ping"} <= set(upstream.methods()))
                await app.stop()
        return [await one for one in asked]

    call, ping = asyncio.run(scene())
    assert b"may or may not have taken effect" in call.body
    assert ping.status == 503 and ping.json["id"] == 2


@pytest.mark.parametrize("method", ["ping", "search"])
@pytest.mark.parametrize("how", ["breaks", "ends"])
def test_an_interrupted_event_does_not_swallow_the_error_about_it(method: str, how: str) -> None:
    async def broken(request: Request) -> None:
        length = [(b"content-length", b"500")] if how == "breaks" else []
        await request.responder.begin(200, [*EVENTS, *length])
        await request.responder.send(b'data: {"jsonrpc":"2.0","id":1,"resu')
        if how == "breaks":
            raise ConnectionError
        await request.responder.end()

    async def scene(http: Http) -> Reply:
        if method == "ping":
            return await http.post({"id": 1, "method": "ping"})
        return await http.call("search", {"pattern": "x"})

    reply = run(FakeUpstream({method: broken}), scene)
    events = [event for event in reply.body.decode().split("\n\n") if event]
    kept = [event for event in events if "event: interrupted" not in event]
    if (method, how) == ("ping", "ends"):
        assert events == ['data: {"jsonrpc":"2.0","id":1,"resu']  # all that the server sent
    else:
        assert [json.loads(event.partition("data: ")[2])["id"] for event in kept] == [1]


def test_a_byte_order_mark_before_the_first_event_is_skipped() -> None:
    answer = b'\xef\xbb\xbfdata: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n'
    assert run(FakeUpstream({"search": stream(answer)}), calling("search", {"pattern": "x"})).body == answer


def test_the_server_answers_under_other_spellings_of_its_path() -> None:
    async def scene(http: Http) -> list[int]:
        body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        paths = ("/mcp/", "http://127.0.0.1/mcp", "http://127.0.0.1/mcp?x=1", "/", "http://127.0.0.1")
        return [(await http.ask("POST", body, path)).status for path in paths]

    assert run(FakeUpstream(), scene) == [200, 200, 200, 404, 404]
