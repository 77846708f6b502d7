"""HTTP clients in front of a stdio server: sessions, streams, and stateless requests."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fingerpost.proxy.http_to_stdio import app as http_to_stdio
from fingerpost.proxy.http_to_stdio import response
from fingerpost.proxy.http_to_stdio.app import HttpToStdio
from fingerpost.proxy.http_to_stdio.hosted_server import HostedServer
from fingerpost.proxy.process.supervisor import Supervisor
from fingerpost.proxy.protocol.pending import FrameToSend
from fingerpost.proxy.protocol.session import Session
from tests.support.http_lab import Http, Reply, fronting, guidance
from tests.support.paths import SUPPORT
from tests.support.waiting import eventually, with_longer_timeouts

SERVER = SUPPORT / "sayso.py"
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}


def run(scene: Callable[[Http], Awaitable[Any]], timeout: float = 0.0, max_stream: float = 0.0) -> Any:
    def make() -> tuple[Supervisor, Session]:
        session = Session(guidance(), timeout=timeout)
        command = [sys.executable, "-S", str(SERVER)]
        return Supervisor(command, session, limit=1_000_000, notice=lambda _: None), session

    async def play() -> Any:
        app = HttpToStdio(make, max_stream)
        async with fronting(app) as http:
            asyncio.get_running_loop().add_signal_handler(17, app.on_child_exit)
            return await scene(http)

    return asyncio.run(play())


async def begin(http: Http, **headers: str) -> str:
    reply = await http.post(INITIALIZE, **headers)
    assert reply.status == 200 and reply.json["result"]["serverInfo"]["name"] == "sayso"
    session = reply.headers["mcp-session-id"]
    initialized = await http.post({"method": "notifications/initialized"}, mcp_session_id=session, **headers)
    assert initialized.status == 202
    return session


def modern(method: str, id: Any = 1, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A 2026-07-28 request and the headers that mirror it."""
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": method}
    if "name" in params:
        headers["mcp_name"] = params["name"]
    meta = {**META, **params.pop("meta", {})}
    return {"id": id, "method": method, "params": {**params, "_meta": meta}}, headers


def post_bytes(message: dict[str, Any], **headers: str) -> bytes:
    """The bytes of a request, for tests that read the response as it arrives."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    named = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        **headers,
    }
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


Stream: TypeAlias = "tuple[asyncio.StreamReader, asyncio.StreamWriter]"


async def begin_call(http: Http, name: str, **headers: str) -> Stream:
    """Send a call and wait until the process works on it, which it shows by its progress."""
    params: dict[str, Any] = {"name": name, "arguments": {}, "_meta": {"progressToken": "begun"}}
    message = {"id": 1, "method": "tools/call", "params": params}
    if "mcp_session_id" not in headers:
        message, headers = modern("tools/call", name=name, arguments={}, meta=params["_meta"])
    stream = await asyncio.open_connection("127.0.0.1", http.port)
    stream[1].write(post_bytes(message, connection="close", **headers))
    await stream[0].readuntil(b"notifications/progress")
    return stream


async def open_stream(http: Http, session: str, limit: int = 2**16) -> Stream:
    """Open the stream of a session and wait until the proxy has accepted it."""
    stream = await asyncio.open_connection("127.0.0.1", http.port, limit=limit)
    stream[1].write(f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: {session}\r\n\r\n".encode())
    await stream[0].readuntil(b": open")
    return stream


async def release(http: Http, session: str) -> None:
    """Have the process answer all calls of `wait`."""
    await http.post({"method": "notifications/release"}, mcp_session_id=session)


@pytest.fixture
def delivered(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What processes have sent so far, including messages that nobody has read yet."""
    frames, deliver = list[bytes](), HostedServer._deliver  # pyright: ignore[reportPrivateUsage]

    def record(host: HostedServer, frame: bytes) -> None:
        frames.append(frame)
        deliver(host, frame)

    monkeypatch.setattr(HostedServer, "_deliver", record)
    return frames


def test_a_session_has_its_own_process_until_it_ends() -> None:
    async def scene(http: Http) -> None:
        first, second = await begin(http), await begin(http)
        pids = [
            (await http.call("pid", {}, mcp_session_id=one)).json["result"]["content"][0]["text"]
            for one in (first, second)
        ]
        assert pids[0] != pids[1]
        assert (await http.ask("DELETE", mcp_session_id=first)).status == 200
        assert (await http.call("pid", {}, mcp_session_id=first)).status == 404
        assert (await http.ask("DELETE", mcp_session_id=first)).status == 404
        await eventually(lambda: not Path(f"/proc/{pids[0]}").exists())
        assert (await http.call("pid", {}, mcp_session_id=second)).status == 200

    run(scene)


def test_a_session_cannot_be_used_with_other_credentials() -> None:
    async def scene(http: Http) -> list[int]:
        session = await begin(http, authorization="Bearer a")
        return [
            (await http.call("pid", {}, mcp_session_id=session, **headers)).status
            for headers in ({"authorization": "Bearer a"}, {"authorization": "Bearer b"}, dict[str, str]())
        ]

    assert run(scene) == [200, 404, 404]


def test_a_request_without_a_session_is_refused_with_instructions() -> None:
    async def scene(http: Http) -> list[Reply]:
        return [
            await http.call("pid", {}),
            await http.post({"method": "notifications/x"}),
            await http.ask("GET"),
            await http.ask("PUT"),
            await http.post(b"{"),
        ]

    replies = run(scene)
    assert [reply.status for reply in replies] == [400, 400, 405, 405, 400]
    assert "initialize" in replies[0].json["error"]["message"]


def test_other_methods_are_answered_with_those_that_there_are() -> None:
    async def scene(http: Http) -> list[Reply]:
        return [await http.ask(method) for method in ("HEAD", "PATCH", "OPTIONS")]

    for reply, status in zip(run(scene), (405, 405, 204), strict=True):
        assert (reply.status, reply.body, reply.headers["allow"]) == (status, b"", "GET, POST, DELETE, OPTIONS")


def test_messages_before_the_reply_make_the_response_a_stream() -> None:
    async def scene(http: Http) -> list[Reply]:
        session = await begin(http)
        params = {"name": "work", "arguments": {}, "_meta": {"progressToken": "t"}}
        return [await http.post({"id": 3, "method": "tools/call", "params": params}, mcp_session_id=session)]

    [reply] = run(scene)
    assert reply.headers["content-type"] == "text/event-stream"
    progress, answer = reply.events
    assert (progress["params"]["progressToken"], answer["id"]) == ("t", 3)


def test_the_stream_of_a_session_carries_messages_outside_of_requests(delivered: list[bytes]) -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        await http.post({"method": "notifications/speak"}, mcp_session_id=session)
        await eventually(lambda: b"hello" in b"".join(delivered))
        reader, writer = await open_stream(http, session)
        assert (await http.ask("GET", mcp_session_id=session)).status == 409
        await http.post({"method": "notifications/speak", "params": {"word": "again"}}, mcp_session_id=session)
        assert b"hello" in await reader.readuntil(b"again")
        writer.close()
        assert (await http.ask("GET", mcp_session_id="none")).status == 404

    run(scene)


def test_a_server_can_send_a_request_to_the_client() -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        ask: dict[str, Any] = {"id": 5, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}
        reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
        writer.write(post_bytes(ask, mcp_session_id=session))
        got = await reader.readuntil(b"roots/list")
        assert b"text/event-stream" in got
        await http.post({"id": "back", "result": {"roots": []}}, mcp_session_id=session)
        assert b"roots: 0" in await reader.readuntil(b"roots: 0")
        writer.close()

    run(scene)


def test_stateless_requests_share_a_process_without_mixing() -> None:
    async def scene(http: Http) -> list[Any]:
        async def one(number: int) -> Any:
            message, headers = modern("tools/call", name="echo", arguments={"n": number}, meta={"progressToken": 7})
            return (await http.post(message, **headers)).events

        return await asyncio.gather(*map(one, range(20)))

    for number, (progress, answer) in enumerate(run(scene)):
        assert progress["params"]["progressToken"] == 7
        assert (answer["id"], answer["result"]["content"][0]["text"]) == (1, str(number))


def test_a_stateless_error_has_the_http_status_of_its_code() -> None:
    async def scene(http: Http) -> list[int]:
        statuses = list[int]()
        for method in ("ping", "no/such"):
            message, headers = modern(method)
            statuses.append((await http.post(message, **headers)).status)
        return statuses

    assert run(scene) == [200, 404]


@pytest.mark.parametrize("wrong", ["mcp_protocol_version", "mcp_method", "mcp_name"])
def test_a_header_that_does_not_match_the_body_is_refused(wrong: str) -> None:
    async def scene(http: Http) -> Reply:
        message, headers = modern("tools/call", name="echo", arguments={})
        return await http.post(message, **{**headers, wrong: "other"})

    reply = run(scene)
    assert (reply.status, reply.json["id"], reply.json["error"]["code"]) == (400, 1, -32020)


@pytest.mark.parametrize("missing", ["_meta", *META])
def test_a_stateless_request_without_its_meta_is_refused(missing: str) -> None:
    async def scene(http: Http) -> Reply:
        message, headers = modern("ping")
        message["params"]["_meta"] = {} if missing == "_meta" else {k: v for k, v in META.items() if k != missing}
        return await http.post(message, **headers)

    reply = run(scene)
    assert (reply.status, reply.json["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(("version", "is_unknown"), [("1999-01-01", True), ("2026-07-28", False)])
def test_a_revision_that_nobody_knows_is_said_to_be_unknown(version: str, is_unknown: bool) -> None:
    async def scene(http: Http) -> Reply:
        return await http.post({"id": 1, "method": "ping"}, mcp_protocol_version=version)

    reply = run(scene)
    assert (reply.status, reply.json["error"]["code"]) == (400, -32602)
    assert ("names no known revision" in reply.json["error"]["message"]) is is_unknown


def test_a_stateless_initialize_is_refused() -> None:
    async def scene(http: Http) -> Reply:
        message, headers = modern("initialize")
        return await http.post(message, **headers)

    reply = run(scene)
    assert (reply.status, reply.json["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"mcp_param_region": "eu", "mcp_param_size": "5"}, 200),
        ({"mcp_param_region": "=?base64?ZXU=?=", "mcp_param_size": "5.0"}, 200),
        ({"mcp_param_region": "eu"}, 400),
        ({"mcp_param_region": "us", "mcp_param_size": "5"}, 400),
        ({"mcp_param_region": "=?base64?ZXU?=", "mcp_param_size": "5"}, 400),
        ({"mcp_param_region": "eu", "mcp_param_size": "6"}, 400),
    ],
)
def test_marked_arguments_are_compared_with_their_headers(headers: dict[str, str], status: int) -> None:
    async def scene(http: Http) -> list[Reply]:
        message, more = modern("tools/call", name="marked", arguments={"region": "eu", "size": 5})
        return [await http.post(message, **more, **headers) for _ in range(2)]

    assert [reply.status for reply in run(scene)] == [status, status]


def test_a_header_for_an_absent_argument_is_refused() -> None:
    async def scene(http: Http) -> int:
        message, more = modern("tools/call", name="marked", arguments={})
        return (await http.post(message, **more, mcp_param_region="eu")).status

    assert run(scene) == 400


def test_a_body_with_several_lines_is_one_message() -> None:
    async def scene(http: Http) -> list[Reply]:
        session = await begin(http)
        inner = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"die","arguments":{}}}'
        body = b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\n' + inner + b"\n}}"
        return [await http.post(body, mcp_session_id=session), await http.call("pid", {}, mcp_session_id=session)]

    notified, pid = run(scene)
    assert notified.status == 202 and pid.json["result"]["content"][0]["text"].isdigit()


def test_the_id_of_a_request_in_flight_cannot_be_reused() -> None:
    async def scene(http: Http) -> list[int]:
        session = await begin(http)
        reader, writer = await begin_call(http, "wait", mcp_session_id=session)
        refused = [(await http.call("wait", {}, mcp_session_id=session)).status for _ in range(2)]
        await release(http, session)
        assert b"late" in await reader.read(-1)
        writer.close()
        return refused

    assert run(scene) == [400, 400]


def test_anonymous_callers_do_not_share_failure_counts() -> None:
    async def scene(http: Http) -> list[Any]:
        message, headers = modern("tools/call", name="echo", arguments={"m": 1})
        return [(await http.post(message, **headers)).json for _ in range(3)]

    first, *others = run(scene)
    assert others == [first, first]


def test_a_failed_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Supervisor) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Supervisor, "start", broken)

    async def scene(http: Http) -> list[Reply]:
        message, headers = modern("ping")
        return [await http.post(INITIALIZE), await http.post(message, **headers)]

    for reply in run(scene):
        assert reply.status == 502 and "could not be started" in reply.json["error"]["message"]


def test_subscription_messages_carry_the_clients_own_id() -> None:
    async def scene(http: Http) -> bytes:
        message, headers = modern("subscriptions/listen", id="mine")
        return await http.raw(post_bytes(message, **headers), until=b'"mine"')

    assert b'"io.modelcontextprotocol/subscriptionId": "mine"' in run(scene).replace(b'":"', b'": "')


def test_closing_the_connection_cancels_a_stateless_request() -> None:
    async def scene(http: Http) -> str:
        _, writer = await begin_call(http, "hang")
        writer.close()
        message, headers = modern("tools/call", name="cancelled", arguments={})
        while (count := (await http.post(message, **headers)).json["result"]["content"][0]["text"]) == "0":
            await asyncio.sleep(0.01)
        return count

    assert run(scene) == "1"


def test_stateless_notifications_are_accepted_and_dropped() -> None:
    async def scene(http: Http) -> list[int]:
        plain = await http.post({"method": "notifications/x"}, mcp_protocol_version="2026-07-28")
        marked = await http.post({"method": "notifications/x", "params": {"_meta": META}})
        return [plain.status, marked.status]

    assert run(scene) == [202, 202]


def test_after_a_crash_the_request_is_answered_and_the_process_restarted() -> None:
    async def scene(http: Http) -> list[Reply]:
        session = await begin(http)
        return [await http.call(name, {}, mcp_session_id=session) for name in ("die", "pid")]

    died, again = run(scene)
    assert "exited with code 3" in died.json["result"]["content"][0]["text"]
    assert again.json["result"]["content"][0]["text"].isdigit()


def test_pings_keep_a_silent_stream_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "_PING_AFTER", 0.2)

    async def scene(http: Http) -> None:
        session = await begin(http)
        reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
        call: dict[str, Any] = {"id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {}}}
        writer.write(post_bytes(call, mcp_session_id=session, connection="close"))
        assert b"data:" not in await reader.readuntil(b": ping\n\n")
        await release(http, session)
        assert b"late" in await reader.read(-1)
        writer.close()
        reader, writer = await open_stream(http, session)
        await reader.readuntil(b": ping")
        writer.close()

    run(scene)


def test_the_oldest_session_makes_room_for_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_to_stdio, "_MAX_SESSIONS", 2)

    async def scene(http: Http) -> list[int]:
        sessions = [await begin(http) for _ in range(3)]
        return [(await http.call("pid", {}, mcp_session_id=one)).status for one in sessions]

    assert run(scene) == [404, 200, 200]


def test_a_wrong_call_is_guided() -> None:
    async def scene(http: Http) -> Reply:
        session = await begin(http)
        return await http.call("echo", {"m": 1}, mcp_session_id=session)

    assert "UNKNOWN_PARAM" in run(scene).body.decode()


def test_a_slow_client_of_its_own_process_loses_no_message() -> None:
    async def scene(http: Http) -> None:
        session = await begin(http)
        reader, writer = await open_stream(http, session, limit=2**24)
        flood = asyncio.ensure_future(http.call("flood", {"n": 40_000}, mcp_session_id=session))
        got = await reader.readuntil(b'"data": 39999')
        assert got.count(b"notifications/message") == 40_000
        assert (await flood).json["result"]
        writer.close()

    run(scene)


def test_a_flooded_client_that_disconnects_blocks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms, has_room = set[bool](), HostedServer._has_room  # pyright: ignore[reportPrivateUsage]

    def record(host: HostedServer) -> bool:
        rooms.add(room := has_room(host))
        return room

    monkeypatch.setattr(HostedServer, "_has_room", record)

    async def scene(http: Http) -> None:
        session = await begin(http)
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the kernel may buffer megabytes otherwise
        client.connect(("127.0.0.1", http.port))
        _, writer = await asyncio.open_connection(sock=client)
        flood = {"id": 4, "method": "tools/call", "params": {"name": "flood", "arguments": {"n": 100_000}}}
        writer.write(post_bytes(flood, mcp_session_id=session))
        await eventually(lambda: False in rooms)
        writer.close()
        reply = await http.call("pid", {}, mcp_session_id=session)
        assert (reply.events or [reply.json])[-1]["id"] == 1

    run(scene)


def test_a_waiting_call_is_served_by_the_restarted_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    once = tmp_path / "once"
    once.touch()
    monkeypatch.setenv("SAYSO_DIES_ONCE", str(once))

    async def scene(http: Http) -> list[Reply]:
        session = await begin(http)
        calls = [http.call("pid", {}, id=id, mcp_session_id=session) for id in (1, 2)]
        return await asyncio.gather(*calls)

    first, second = run(scene)
    assert "was not sent" in first.json["result"]["content"][0]["text"]
    assert second.json["result"]["content"][0]["text"].isdigit()


def test_an_exit_is_noticed_although_a_grandchild_keeps_the_output_open() -> None:
    async def scene(http: Http) -> list[str]:
        session = await begin(http)
        replies = [await http.call(name, {}, mcp_session_id=session) for name in ("leave", "pid")]
        return [reply.json["result"]["content"][0]["text"] for reply in replies]

    ended, pid = run(scene)
    assert "exited with code 5" in ended and pid.isdigit()


def test_ending_a_session_answers_its_requests_in_flight() -> None:
    async def scene(http: Http) -> bytes:
        session = await begin(http)
        reader, writer = await begin_call(http, "hang", mcp_session_id=session)
        await http.ask("DELETE", mcp_session_id=session)
        rest = await reader.read(-1)
        writer.close()
        return rest

    assert b"was stopped before it answered" in run(scene, timeout=300)


def test_a_slow_client_of_a_shared_process_loses_notifications_but_no_reply(delivered: list[bytes]) -> None:
    async def scene(http: Http) -> bytes:
        message, headers = modern("tools/call", name="flood", arguments={"n": 40_000}, meta={"progressToken": 1})
        reader, writer = await asyncio.open_connection("127.0.0.1", http.port, limit=1_024)
        writer.write(post_bytes(message, connection="close", **headers))
        await eventually(lambda: any(b"flooded" in frame for frame in delivered[-1:]))
        other, more = modern("ping")
        assert (await http.post(other, **more)).status == 200
        got = await reader.read(-1)
        writer.close()
        return got

    got = run(scene)
    assert b"flooded" in got
    assert 1_000 <= got.count(b"notifications/progress") < 40_000


def test_a_silent_process_causes_a_timeout() -> None:
    async def scene(http: Http) -> Reply:
        session = await begin(http)
        return await http.call("hang", {}, mcp_session_id=session)

    def hang(seconds: float) -> None:
        assert f"within {seconds:g} s" in run(scene, timeout=seconds).body.decode()

    with_longer_timeouts(hang, 0.3)


def test_messages_wait_until_a_busy_process_reads_them() -> None:
    async def scene(http: Http) -> list[str]:
        session = await begin(http)
        large = "x" * 700_000
        asked = [http.call("sleep", {}, id=0, mcp_session_id=session)]
        asked += [http.call("pid", {"n": 1, "_meta": large}, id=id, mcp_session_id=session) for id in (1, 2)]
        return [str(reply.status) for reply in await asyncio.gather(*asked)]

    assert run(scene) == ["200", "200", "200"]


@pytest.mark.parametrize("listing", ["pages", "error", "silence"])
def test_marked_arguments_are_known_from_a_complete_tool_list_only(
    monkeypatch: pytest.MonkeyPatch, listing: str
) -> None:
    if listing == "silence":
        monkeypatch.setattr("fingerpost.proxy.http_to_stdio.hosted_server.LIST_TIMEOUT", 0.3)
        monkeypatch.setattr("fingerpost.proxy.protocol.session._START_TIMEOUT", 0.3)
        monkeypatch.setattr(FrameToSend.__init__, "__defaults__", (0.3,))
    monkeypatch.setenv(*(("SAYSO_PAGE", "3") if listing == "pages" else ("SAYSO_NO_LIST", listing)))

    async def scene(http: Http) -> list[int]:
        message, headers = modern("tools/call", name="marked", arguments={"region": "eu"})
        statuses = [(await http.post(message, **headers)).status]
        changed, more = modern("tools/call", name="change", arguments={})
        await http.post(changed, **more)
        return [*statuses, (await http.post(message, **headers)).status]

    assert run(scene) == ([400, 400] if listing == "pages" else [200, 200])


def test_a_shared_process_drops_messages_outside_of_requests() -> None:
    async def scene(http: Http) -> Reply:
        message, headers = modern("tools/call", name="flood", arguments={"n": 5})
        return await http.post(message, **headers)

    assert run(scene).json["result"]["content"][0]["text"] == "flooded"


def test_a_new_session_is_refused_while_all_others_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_to_stdio, "_MAX_SESSIONS", 1)

    async def scene(http: Http) -> list[Reply]:
        session = await begin(http)
        reader, writer = await begin_call(http, "wait", mcp_session_id=session)
        refused = await http.post(INITIALIZE)
        await release(http, session)
        await reader.read(-1)
        writer.close()
        return [refused, await http.post(INITIALIZE)]

    refused, accepted = run(scene)
    assert refused.status == 503 and "busy" in refused.json["error"]["message"]
    assert accepted.status == 200
