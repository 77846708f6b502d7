"""Requests of web pages: which of them are answered, and what a real browser lets a page do."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fingerpost.proxy.http.responder import Exchange, Request
from fingerpost.proxy.http.web_pages import read_origin
from tests.support.http_lab import Reply, fronting
from tests.support.paths import SUPPORT
from tests.support.published import NODE, listening, proxied

PAGE = "http://localhost:6274"


class App:
    """An app that answers every request and records which ones it received."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def handle(self, request: Request) -> None:
        self.seen.append(request.method)
        headers = [(b"access-control-allow-origin", b"*"), (b"vary", b"Accept")]
        await request.responder.send_whole(200, headers, b"{}")

    def shortcut(self, request: Request, exchange: Exchange) -> None: ...
    async def stop(self) -> None: ...
    def on_child_exit(self) -> None: ...


def ask(*origins: str, method: str = "POST", body: bytes = b"{}", path: str = "/mcp", **headers: str) -> Reply:
    """The response to one request; it says whether the request came through."""
    app = App()

    async def play() -> Reply:
        async with fronting(app, origins=origins) as http:
            own = headers.pop("own", "")
            more = {"origin": f"{own}://127.0.0.1:{http.port}"} if own else {}
            return await http.ask(method, body, path, **headers, **more)

    reply = asyncio.run(play())
    assert bool(app.seen) == (reply.status == 200 and path == "/mcp")
    return reply


JSON_BODY = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


def send(data: bytes) -> bytes:
    """What the front answers to these bytes, up to the end of a response or of the connection."""

    async def play() -> bytes:
        async with fronting(App(), origins=(PAGE,)) as http:
            return await http.raw(data, until=b"}")

    return asyncio.run(play())


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:3000",
        "http://127.0.0.1",
        "https://localhost:6274",
        "http://localhost:62740",
        "http://localhost",
        "http://sub.localhost:6274",
        "http://localhost:6274@evil.example",
        "chrome-extension://abc",
        "null",
        "",
        "http://[bad",
        "http://localhost:x",
    ],
)
def test_a_page_of_another_origin_is_refused(origin: str) -> None:
    reply = ask(PAGE, origin=origin)
    assert reply.status == 403 and "--allow-origin" in reply.json["error"]["message"]
    assert "access-control-allow-origin" not in reply.headers
    assert ask(PAGE, method="OPTIONS", origin=origin, access_control_request_method="POST").status == 403


@pytest.mark.parametrize(
    ("allowed", "origin"),
    [
        (PAGE, PAGE),
        ("HTTP://LocalHost:6274/", PAGE),
        ("https://a.example:443", "https://a.example"),
        ("http://[::1]:9", "http://[::1]:9"),
        ("chrome-extension://abc", "chrome-extension://abc"),
    ],
)
def test_an_allowed_page_can_read_the_response(allowed: str, origin: str) -> None:
    reply = ask("http://localhost:1", allowed, origin=origin)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, origin)
    assert "mcp-session-id" in reply.headers["access-control-expose-headers"]


def test_the_servers_own_vary_header_stays() -> None:
    async def play() -> bytes:
        async with fronting(App(), origins=(PAGE,)) as http:
            head = f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: {PAGE}\r\nConnection: close\r\n\r\n"
            return await http.raw(head.encode())

    got = asyncio.run(play())
    assert b"vary: Accept\r\n" in got and b"vary: Origin\r\n" in got
    assert got.count(b"access-control-allow-origin") == 1


def test_only_a_page_of_the_same_origin_is_answered() -> None:
    assert ask(own="http").status == 200
    assert ask(own="https").status == 403


@pytest.mark.parametrize("second", ["http://evil.example", PAGE])
def test_a_request_with_two_origins_is_refused(second: str) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: {PAGE}\r\nOrigin: {second}\r\nConnection: close\r\n"
    assert send(f"{head}{JSON_BODY}".encode()).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://evil.example/mcp", 403),
        ("http://[bad/mcp", 403),
        ("http://127.0.0.1@evil.example/mcp", 403),
        ("http://127.0.0.1:1/mcp", 200),
        ("http://LOCALHOST/mcp", 200),
    ],
)
def test_the_host_in_a_target_that_is_a_url_is_checked_too(target: str, status: int) -> None:
    head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    assert send(f"{head}{JSON_BODY}".encode()).startswith(b"HTTP/1.1 %d" % status)


@pytest.mark.parametrize("line", ["Host: evil.example\r\n", "Host: localhost\r\nOrigin: http://evil.example\r\n"])
def test_a_request_that_will_be_refused_is_not_asked_for_its_body(line: str) -> None:
    head = f"POST /mcp HTTP/1.1\r\n{line}Expect: 100-continue\r\nContent-Type: application/json\r\n"
    for body in (b"", b"{}"):
        got = send(f"{head}Content-Length: 2\r\n\r\n".encode() + body)
        assert got.startswith(b"HTTP/1.1 403") and b"--allow-" in got and b"100" not in got[:20]


def test_without_a_page_nothing_is_said_about_origins() -> None:
    reply = ask(PAGE)
    assert reply.status == 200 and reply.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain;charset=UTF-8",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/json, text/plain",
    ],
)
def test_a_body_of_another_type_is_refused(kind: str) -> None:
    for reply in (ask(PAGE, content_type=kind), ask(PAGE, content_type=kind, origin=PAGE)):
        assert reply.status == 415 and "application/json" in reply.json["error"]["message"]
    assert reply.headers["access-control-allow-origin"] == PAGE


def test_a_body_without_a_type_is_refused() -> None:
    assert ask(method="POST", body=b"").status == 415


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8"])
def test_json_is_accepted(kind: str) -> None:
    assert ask(content_type=kind).status == 200


def test_two_types_of_one_body_are_refused() -> None:
    async def play() -> bytes:
        async with fronting(App()) as http:
            types = "Content-Type: application/json\r\nContent-Type: text/plain\r\n"
            head = f"Host: localhost\r\nConnection: close\r\n{types}Content-Length: 2\r\n\r\n"
            return await http.raw(f"POST /mcp HTTP/1.1\r\n{head}{{}}".encode())

    assert asyncio.run(play()).startswith(b"HTTP/1.1 415")


def test_a_browser_that_asks_first_is_told_what_an_allowed_page_may_send() -> None:
    wanted = "content-type,mcp-param-region"
    asks = {"access_control_request_method": "POST", "access_control_request_headers": wanted}
    reply = ask(PAGE, method="OPTIONS", body=b"", origin=PAGE, **asks)
    assert (reply.status, reply.body, reply.headers["access-control-allow-origin"]) == (204, b"", PAGE)
    assert {"GET", "POST", "DELETE"} <= set(reply.headers["access-control-allow-methods"].split(", "))
    names = "content-type accept authorization mcp-session-id mcp-protocol-version last-event-id mcp-method mcp-name"
    allowed = {one.strip() for one in reply.headers["access-control-allow-headers"].split(",")}
    assert allowed == {*names.split(), "mcp-param-region"}


@pytest.mark.parametrize("wanted", ["", 'x"y', "a: b"])
def test_names_that_are_not_headers_are_not_repeated(wanted: str) -> None:
    asks = {"access_control_request_method": "POST", "access_control_request_headers": wanted}
    reply = ask(PAGE, method="OPTIONS", body=b"", origin=PAGE, **asks)
    assert reply.headers["access-control-allow-headers"].endswith("last-event-id")


def test_options_without_a_page_names_the_methods() -> None:
    reply = ask(method="OPTIONS", body=b"")
    assert (reply.status, reply.headers["allow"]) == (204, "GET, POST, DELETE, OPTIONS")
    assert "access-control-allow-methods" not in reply.headers and "content-length" not in reply.headers


@pytest.mark.parametrize("path", ["/mcp?x=1", "/mcp/?x=/y", "http://localhost/mcp?x=1"])
def test_a_query_is_accepted(path: str) -> None:
    app = App()

    async def play() -> Reply:
        async with fronting(app) as http:
            return await http.ask("POST", b"{}", path)

    assert asyncio.run(play()).status == 200 and app.seen == ["POST"]


@pytest.mark.parametrize(
    "text", ["http://a/b", "http://a?b", "http://a#b", "a:1", "//a", "http://u@a", "http://:1", "*"]
)
def test_what_is_not_an_origin_is_recognized(text: str) -> None:
    assert read_origin(text) is None


# in a real browser


@contextmanager
def serving_a_page() -> Generator[str]:
    """The origin of an empty page on a free port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>page</title>")

        def log_message(self, format: str, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def calls_of_pages(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Any, Any, list[Any]]:
    """What a foreign page and an allowed page saw when they called a server, and what the server received."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the browser is made for Linux on x86-64")
    record = tmp_path_factory.mktemp("pages") / "record"
    server = [sys.executable, "-S", "-E", str(SUPPORT / "misbehaving.py")]
    environment = {**os.environ, "MISBEHAVE": json.dumps({"record": str(record)})}
    with ExitStack() as stack:
        foreign, allowed = (stack.enter_context(serving_a_page()) for _ in range(2))
        options = ("--listen", "127.0.0.1:0", "--allow-origin", allowed)
        target = stack.enter_context(listening(proxied(server, *options), environment))
        command = [NODE, str(SUPPORT / "browser" / "call.mjs"), target, foreign, allowed]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    seen = json.loads(done.stdout)
    return seen[0], seen[1], [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def test_a_page_on_another_local_port_cannot_call_a_tool_in_a_browser(calls_of_pages: Any) -> None:
    foreign, _, received = calls_of_pages
    failed = "TypeError: Failed to fetch"
    assert foreign == {"plain": failed, "opaque": "opaque 0", "untyped": "opaque 0", "json": failed, "session": None}
    called = [one["params"]["arguments"]["text"] for one in received if one["method"] == "tools/call"]
    assert called == ["json"]  # of the allowed page


def test_an_allowed_page_can_call_a_tool_in_a_browser(calls_of_pages: Any) -> None:
    _, allowed, _ = calls_of_pages
    refused = {"plain": "cors 415", "opaque": "opaque 0", "untyped": "opaque 0"}
    assert allowed == {**refused, "json": "cors 200", "session": True}
