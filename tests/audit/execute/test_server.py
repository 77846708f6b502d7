"""Starting, listing and calling a server, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fingerpost.audit.execute.connection import Connection
from fingerpost.audit.execute.server import Server
from fingerpost.audit.execute.target import Target
from fingerpost.engine.model import Call
from fingerpost.proxy.protocol.lost_reply import LostReply, no_reply_within, read_mark
from fingerpost.terminal.command_error import CommandError
from tests.support.audited_servers import NEAR, audit, by_http, command
from tests.support.misbehaving import LEGACY, MODERN, tool
from tests.support.waiting import eventually, with_longer_timeouts

RIGHT = Call("look_up", {"word": "x"})


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", program)


async def connect_and_list(target: Target, **settings: Any) -> tuple[Any, list[str]]:
    async with Server(target, **settings) as server:
        tools = await server.list_tools()
        return server.subject(len(tools)), [one["name"] for one in tools]


def failed_start(*argv: str, **settings: Any) -> CommandError:
    with pytest.raises(CommandError) as caught:
        asyncio.run(connect_and_list(Target(command=argv), **settings))
    return caught.value


@pytest.mark.parametrize(
    ("era", "expected"), [("legacy", LEGACY), ("modern", MODERN), ("both", MODERN)], ids=lambda value: str(value)
)
def test_the_client_uses_the_newest_revision_that_the_server_supports(era: str, expected: str) -> None:
    with by_http(era=era, tools=[NEAR]) as url:
        for target in (Target(command=command(era=era, tools=[NEAR])), Target(url=url)):
            subject, names = asyncio.run(connect_and_list(target))
            assert (subject.protocol, subject.name, subject.version, names) == (
                expected,
                "misbehaving",
                "1",
                ["look_up"],
            )
            assert subject.transport == ("http" if target.url else "stdio")


_LEGACY_SERVER = """
import json, os, sys, time
{first}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "server/discover":
        {at_discover}
        continue
    result = {{"protocolVersion": "2024-11-05", "serverInfo": {{"name": "old"}}}}
    result = {{"tools": [{{"name": "t"}}]}} if asked["method"] == "tools/list" else result
    print(json.dumps({{"jsonrpc": "2.0", "id": str(asked["id"]), "result": result}}), flush=True)
"""


@pytest.mark.parametrize("at_discover", ["sys.exit(1)", "pass"], ids=["ends", "is silent"])
def test_a_server_without_discover_gets_initialize(at_discover: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._DISCOVER_TIMEOUT", 0.2)
    program = _LEGACY_SERVER.format(first="", at_discover=at_discover)
    subject, names = asyncio.run(connect_and_list(Target(command=python(program))))
    assert (subject.protocol, subject.name, names) == ("2024-11-05", "old", ["t"])


def test_a_slow_start_is_waited_for_in_either_era(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._DISCOVER_TIMEOUT", 0.1)
    for era, expected in (("legacy", LEGACY), ("modern", MODERN)):
        slow = command(era=era, tools=[NEAR], start=[["sleep", 0.4]])
        assert asyncio.run(connect_and_list(Target(command=slow)))[0].protocol == expected


def test_output_that_is_no_message_is_ignored() -> None:
    noise = ["Server ready", "", "{", "[]", '{"jsonrpc": "2.0", "id": 99, "result": {}}', "\xff\xfe"]
    program = command(tools=[NEAR], start=[["say", line] for line in noise])
    assert asyncio.run(connect_and_list(Target(command=program)))[1] == ["look_up"]


def test_tools_are_listed_page_by_page_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    program = command(tools=[tool(f"t{number}", {}) for number in range(5)], page=2)
    assert asyncio.run(connect_and_list(Target(command=program)))[1] == ["t0", "t1", "t2", "t3", "t4"]
    monkeypatch.setattr("fingerpost.middleware.paging._MOST_PAGES", 2)
    assert asyncio.run(connect_and_list(Target(command=program)))[1] == ["t0", "t1", "t2", "t3"]


def test_a_failed_start_is_reported_with_the_end_of_standard_error() -> None:
    complain = "import sys, time; print('Set API_KEY first', file=sys.stderr, flush=True)"
    words = "The end of its standard error:\nSet API_KEY first"

    def be_silent(seconds: float) -> None:
        silent = failed_start(*python(f"{complain}; time.sleep(60)"), start_timeout=seconds)
        assert str(silent) == f"the server gave no answer within {seconds:g} s during the MCP handshake"
        assert silent.way_out.rpartition("\n")[0] == words
        assert silent.way_out.rpartition("\n")[2].startswith("Is it an MCP server?")

    with_longer_timeouts(be_silent, 0.8)
    ended = failed_start(*python(f"{complain}; sys.exit(3)"))
    assert (str(ended), ended.way_out) == ("the server exited with code 3 during the MCP handshake", words)
    quiet = failed_start("false")
    assert (str(quiet), quiet.way_out) == ("the server exited with code 1 during the MCP handshake", "")


def test_a_command_that_cannot_be_started_has_its_own_message(tmp_path: Path) -> None:
    missing = failed_start("no-such-command")
    assert (str(missing), missing.way_out) == (
        "there is no command no-such-command",
        "Is it installed, and on the PATH?",
    )
    assert str(failed_start(str(tmp_path))) == f"{tmp_path} cannot be started: Permission denied"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('{"error": {"code": 1, "message": "no licence"}}', "does not take this client: no licence"),
        ('{"result": {}} if is_first else {"error": {"message": "log in"}}', "does not list its tools: log in"),
        ('{"result": {}} if is_first else sys.exit(4)', "exited with code 4 when it was asked for its tools"),
    ],
    ids=["greeting", "tools", "ends"],
)
def test_the_error_of_a_server_that_refuses_is_quoted(answer: str, message: str) -> None:
    program = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if 'id' in asked:\n"
        "        is_first = asked['method'] == 'initialize'\n"
        "        known = asked['method'] != 'server/discover'\n"
        f"        answer = {answer} if known else {{'error': {{'code': -32601}}}}\n"
        "        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], **answer}), flush=True)\n"
    )
    assert str(failed_start(*python(program))) == f"the server {message}"


def test_a_server_without_tools_has_nothing_to_audit() -> None:
    with pytest.raises(CommandError, match="lists no tools"):
        audit(command(tools=[]))


def test_the_client_answers_pings_and_refuses_other_requests(tmp_path: Path) -> None:
    asks = [{"jsonrpc": "2.0", "id": f"s{n}", "method": m} for n, m in enumerate(["ping", "sampling/createMessage"])]
    steps = [*(["say", json.dumps(one)] for one in asks), ["usual"]]
    record = tmp_path / "record"
    program = command(tools=[NEAR], does={"look_up": steps}, record=str(record))

    async def call_twice() -> None:
        async with Server(Target(command=program)) as server:
            assert "look_up" in str(await server.call(RIGHT))
            await server.call(RIGHT)

    asyncio.run(call_twice())
    answers = [message for message in map(json.loads, record.read_text().splitlines()) if "method" not in message]
    assert answers[:2] == [
        {"jsonrpc": "2.0", "id": "s0", "result": {}},
        {"jsonrpc": "2.0", "id": "s1", "error": {"code": -32601, "message": "This client does not do that"}},
    ]


@pytest.mark.parametrize("was_sent", [True, False])
def test_the_loss_that_the_proxy_reports_is_recognized(was_sent: bool) -> None:
    for loss in (
        LostReply("was killed by SIGKILL", was_sent),
        no_reply_within(2.5),
        LostReply("answered HTTP 500", is_over=True),
    ):
        assert read_mark(loss.as_meta()) == (loss.why, loss.message().removeprefix("The server "), loss.was_sent)
    assert read_mark({}) is None


def test_an_http_server_that_comes_back_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    failed, start = list[CommandError](), Server._start  # pyright: ignore[reportPrivateUsage]

    async def record(server: Server) -> Connection:
        try:
            return await start(server)
        except CommandError as error:
            failed.append(error)
            raise

    monkeypatch.setattr(Server, "_start", record)

    async def interrupt_connection() -> None:
        with by_http(tools=[NEAR], era="legacy") as url:
            forwarder = await _Forwarder.start(url)
            async with Server(Target(url=f"http://127.0.0.1:{forwarder.port}/mcp")) as server:
                await server.call(RIGHT)
                await forwarder.cut()
                again = asyncio.ensure_future(server.call(RIGHT))
                await eventually(lambda: failed)
                await forwarder.resume()
                assert "look_up" in str(await again)
            await forwarder.cut()

    asyncio.run(interrupt_connection())


class _Forwarder:
    """Forwards TCP connections to a server, and can cut them."""

    def __init__(self, to: int) -> None:
        self._to, self.port = to, 0
        self._server: asyncio.Server | None = None
        self._open = set[asyncio.StreamWriter]()

    @classmethod
    async def start(cls, url: str) -> _Forwarder:
        forwarder = cls(urlsplit(url).port or 0)
        await forwarder.resume()
        return forwarder

    async def resume(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server
        self._server.close()
        for writer in self._open:
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, far_writer}
        await asyncio.wait(
            [asyncio.ensure_future(self._pass(*ends)) for ends in ((reader, far_writer), (far_reader, writer))]
        )

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
        writer.close()
