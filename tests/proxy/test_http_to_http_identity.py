"""The reverse proxy: the name that the server gives itself, and the queries of clients."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost.engine.policy import Policy
from fingerpost.proxy.http.responder import Request
from fingerpost.proxy.log import Log
from fingerpost.proxy.protocol.relay import Relay
from tests.proxy.test_http_to_http import SEARCH, FakeUpstream, encode_reply, raw, run, stream
from tests.support.http_lab import JSON, Answer, Http, Reply

STAMP = {"io.modelcontextprotocol/serverInfo": {"name": "shop-mcp", "version": "1"}}
INITIALIZED = encode_reply(0, {"serverInfo": {"name": "shop-mcp"}})


def unknown(request: Request) -> Any:
    """Say that the tool is unknown, as a server of the SDK does."""
    asked = json.loads(request.body)
    error = {"code": -32602, "message": f"Unknown tool: {asked['params']['name']}"}
    body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}).encode()
    return request.responder.send_whole(200, JSON, body)


def in_parts(*parts: bytes) -> Answer:
    async def answer(request: Request) -> None:
        await request.responder.begin(200, JSON)
        for part in parts:
            await request.responder.send(part)
        await request.responder.end()

    return answer


# the name of the server


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("initialize", raw(200, INITIALIZED)),
        ("initialize", in_parts(INITIALIZED[:20], INITIALIZED[20:])),
        ("initialize", stream(b"data: " + INITIALIZED[:20], INITIALIZED[20:] + b"\n\n")),
        ("initialize", stream(b": hi\n\ndata: " + INITIALIZED + b"\n\n: more\n\n")),
        ("server/discover", raw(200, encode_reply(0, {"_meta": STAMP}))),
    ],
)
def test_a_tool_behind_the_name_that_the_server_gave_itself_is_sent_again(method: str, answer: Any) -> None:
    names = ("mcp__shop__search", "mcp__staging__search")
    upstream = FakeUpstream({method: answer, **dict.fromkeys(names, unknown)})

    async def scene(http: Http) -> list[Reply]:
        await http.post({"id": 0, "method": method, "params": {}})
        return [await http.call(name, {"pattern": "x"}) for name in names]

    own, other = run(upstream, scene)
    assert json.loads(own.json["result"]["content"][0]["text"]) == {"pattern": "x"}
    assert "result" not in other.json or other.json["result"]["isError"]
    assert called_names(upstream) == ["mcp__shop__search", "search", "mcp__staging__search"]


def called_names(upstream: FakeUpstream) -> list[str]:
    return [json.loads(one.body)["params"]["name"] for one in upstream.seen if b"tools/call" in one.body]


def test_a_name_that_is_learned_late_holds_for_lists_that_were_read_before() -> None:
    async def lasting(request: Request) -> None:
        tools = {"tools": [SEARCH], "ttlMs": 3_600_000}
        await request.responder.send_whole(200, JSON, encode_reply(json.loads(request.body)["id"], tools))

    upstream = FakeUpstream({"initialize": raw(200, INITIALIZED), "mcp__shop__search": unknown, "tools/list": lasting})

    async def scene(http: Http) -> Reply:
        await http.post({"id": 1, "method": "tools/list", "params": {}})
        await http.post({"id": 0, "method": "initialize", "params": {}})
        await http.post({"id": 0, "method": "initialize", "params": {}})
        return await http.call("mcp__shop__search", {"pattern": "x"})

    assert "isError" not in run(upstream, scene).json["result"]
    assert upstream.methods().count("tools/list") == 2


@pytest.mark.parametrize(
    "answer",
    [
        raw(401, b"who are you?"),
        raw(200, b'{"jsonrpc": "2.0", "id": 0, "error": {"code": -32600, "message": "no"}}'),
        raw(200, INITIALIZED[:-1] + b" " * 1_100_000 + b"}"),
        in_parts(INITIALIZED + b" " * 10, b" " * 10),
        stream(b"data: x\n\n", b"data: " + b" " * 1_100_000, b"{}\n\n"),
    ],
    ids=["status", "error", "large", "parts", "large event"],
)
def test_any_answer_to_initialize_passes_unchanged(answer: Answer) -> None:
    async def scene(http: Http) -> Reply:
        return await http.post({"id": 0, "method": "initialize", "params": {}})

    with_guidance, without = (run(FakeUpstream({"initialize": answer}), scene, relay=one) for one in (True, None))
    assert (with_guidance.status, with_guidance.body) == (without.status, without.body)


# the queries of clients


def asking(*paths: str, name: str = "search") -> Any:
    """Call a tool at each path, once for guidance to learn the list and once by that list."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}})

    async def scene(http: Http) -> list[Reply]:
        return [await http.ask("POST", body.encode(), path) for path in paths]

    return scene


@pytest.mark.parametrize(
    ("own", "client", "sent"),
    [
        ("/mcp", "/mcp?tenant=a&x=%2F&x", "/mcp?tenant=a&x=%2F&x"),
        ("/mcp", "http://localhost/mcp?tenant=a", "/mcp?tenant=a"),
        ("/mcp", "/mcp?", "/mcp"),
        ("/mcp", "/mcp", "/mcp"),
        ("", "/mcp?tenant=a", "/?tenant=a"),
        ("/mcp?tenant=b", "/mcp?tenant=a&more=1", "/mcp?tenant=b"),
        ("/mcp?tenant=b", "/mcp", "/mcp?tenant=b"),
    ],
)
def test_the_query_of_a_client_is_sent_if_the_url_has_none(own: str, client: str, sent: str) -> None:
    upstream = FakeUpstream({"GET": raw(200, b""), "ping": raw(200, b"{}")})

    async def scene(http: Http) -> None:
        await asking(client)(http)
        await http.ask("POST", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', client)
        await http.ask("GET", path=client)

    run(upstream, scene, path=own)
    assert {request.path for request in upstream.seen} == {sent}
    assert len(upstream.seen) == 3  # the list that guidance reads, the ping, and the GET


def test_callers_with_different_queries_have_lists_of_their_own() -> None:
    upstream = FakeUpstream()
    other = {**SEARCH, "name": "find"}

    async def tools_by_tenant(request: Request) -> None:
        tool = SEARCH if request.path.endswith("=a") else other
        await request.responder.send_whole(200, JSON, encode_reply(json.loads(request.body)["id"], {"tools": [tool]}))

    upstream.answers["tools/list"] = tools_by_tenant
    a, b = run(upstream, asking("/mcp?tenant=a", "/mcp?tenant=b"), path="/mcp")
    assert "MISSING_REQUIRED" in a.body.decode()
    assert "MISSING_REQUIRED" not in b.body.decode()


def test_the_query_of_one_client_does_not_go_with_the_requests_of_another() -> None:
    """A server that adds a slash repeats the query in its redirect."""

    async def moved(request: Request) -> None:
        path, _, query = request.path.partition("?")
        if path == "/mcp/":
            await request.responder.send_whole(200, JSON, b"{}")
        else:
            location = f"/mcp/?{query}" if query != "other" else "/mcp/?session=1"
            await request.responder.send_whole(307, [(b"location", location.encode())])

    async def scene(http: Http) -> list[int]:
        paths = ("/mcp?other", "/mcp?token=a", "/mcp?token=b", "/mcp")
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
        return [(await http.ask("POST", body, path)).status for path in paths]

    upstream = FakeUpstream({"ping": moved})
    assert run(upstream, scene, path="/mcp") == [307, 200, 200, 200]
    paths = [request.path for request in upstream.seen]
    assert paths == ["/mcp?other", "/mcp?token=a", "/mcp/?token=a", "/mcp/?token=b", "/mcp/"]


def test_a_query_is_never_logged(capfd: pytest.CaptureFixture[str]) -> None:
    relay = Relay(Policy(), log := Log(is_verbose=True))

    for answers in ({}, {"tools/list": raw(500, b"no"), "search": raw(404, b"no")}):
        replies = run(FakeUpstream(answers), asking("/mcp?token=s3cret"), path="/mcp", relay=relay)
        assert b"s3cret" not in replies[0].body
    log.notice("the end")
    out, errors = capfd.readouterr()
    assert "the end" in errors and "MISSING_REQUIRED" in errors
    assert "s3cret" not in out + errors
