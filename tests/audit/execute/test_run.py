"""The audit among servers that do anything: whom it reaches, whom it blames, what it never sends, and that it ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tracemalloc
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from fingerpost.audit.events import Noted, Skipped, Tried
from fingerpost.audit.execute.connection import Gone, Late, Line
from fingerpost.audit.execute.run import IN_FLIGHT, Audit
from fingerpost.audit.execute.run_audit import Settings, conducted
from fingerpost.audit.execute.server import Server, Target, target_of
from fingerpost.audit.generate.plan import Plan
from fingerpost.audit.generate.right_calls import check_examples, read_examples, right_calls
from fingerpost.audit.replay import replayed
from fingerpost.audit.reports import plain_json
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import Call
from fingerpost.proxy.protocol.lost_reply import Loss, late, told_in
from fingerpost.terminal.command_error import CommandError
from tests.support.audit_stand import FAR, NEAR, WORD, audited, by_http, command, doing
from tests.support.misbehaving import LEGACY, MODERN, TOOLS, tool

RIGHT = Call("look_up", {"word": "x"})


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", program)


async def reached(target: Target, **settings: Any) -> tuple[Any, list[str]]:
    async with Server(target, **settings) as server:
        tools = await server.tools()
        return server.subject(len(tools)), [one["name"] for one in tools]


def trouble_with(*argv: str, **settings: Any) -> CommandError:
    with pytest.raises(CommandError) as caught:
        asyncio.run(reached(Target(command=argv), **settings))
    return caught.value


def sent(record: Path, method: str) -> list[dict[str, Any]]:
    """The parameters of all that a server was asked by standard streams."""
    messages = [json.loads(line) for line in record.read_text().splitlines()]
    return [message["params"] for message in messages if message.get("method") == method]


# reaching a server


@pytest.mark.parametrize(
    ("era", "spoken"), [("legacy", LEGACY), ("modern", MODERN), ("both", MODERN)], ids=lambda value: str(value)
)
def test_it_speaks_the_newest_revision_that_the_server_knows(era: str, spoken: str) -> None:
    with by_http(era=era, tools=[NEAR]) as url:
        for target in (Target(command=command(era=era, tools=[NEAR])), Target(url=url)):
            subject, names = asyncio.run(reached(target))
            assert (subject.protocol, subject.name, subject.version, names) == (spoken, "misbehaving", "1", ["look_up"])
            assert subject.transport == ("http" if target.url else "stdio")


_GREETED = """
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
def test_a_server_that_does_not_know_the_first_question_is_greeted_as_of_old(
    at_discover: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._SILENCE", 0.2)
    program = _GREETED.format(first="", at_discover=at_discover)
    subject, names = asyncio.run(reached(Target(command=python(program))))
    assert (subject.protocol, subject.name, names) == ("2024-11-05", "old", ["t"])


def test_a_server_that_is_slow_to_begin_is_waited_for_in_either_era(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._SILENCE", 0.1)
    for era, spoken in (("legacy", LEGACY), ("modern", MODERN)):
        slow = command(era=era, tools=[NEAR], start=[["sleep", 0.4]])
        assert asyncio.run(reached(Target(command=slow)))[0].protocol == spoken


def test_what_a_server_prints_beside_its_messages_is_passed_over() -> None:
    noise = ["Server ready", "", "{", "[]", '{"jsonrpc": "2.0", "id": 99, "result": {}}', "\xff\xfe"]
    program = command(tools=[NEAR], start=[["say", line] for line in noise])
    assert asyncio.run(reached(Target(command=program)))[1] == ["look_up"]


def test_tools_are_read_page_by_page_and_only_so_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    program = command(tools=[tool(f"t{number}", {}) for number in range(5)], page=2)
    assert asyncio.run(reached(Target(command=program)))[1] == ["t0", "t1", "t2", "t3", "t4"]
    monkeypatch.setattr("fingerpost.audit.execute.server._MOST_PAGES", 2)
    assert asyncio.run(reached(Target(command=program)))[1] == ["t0", "t1", "t2", "t3"]


def test_trouble_with_a_server_is_told_with_its_last_words() -> None:
    moans = "import sys, time; print('Set API_KEY first', file=sys.stderr, flush=True)"
    silent = trouble_with(*python(f"{moans}; time.sleep(60)"), starting=1)
    assert str(silent) == "the server gave no answer within 1 s when it was greeted"
    words, _, rest = silent.way_out.rpartition("\n")
    assert (words, rest[:20]) == ("Its last words:\nSet API_KEY first", "Is it an MCP server?")
    ended = trouble_with(*python(f"{moans}; sys.exit(3)"))
    assert (str(ended), ended.way_out) == ("the server exited with code 3 when it was greeted", words)
    wordless = trouble_with("false")
    assert (str(wordless), wordless.way_out) == ("the server exited with code 1 when it was greeted", "")


def test_a_command_that_cannot_be_started_is_told_apart(tmp_path: Path) -> None:
    missing = trouble_with("no-such-command")
    assert (str(missing), missing.way_out) == (
        "there is no command no-such-command",
        "Is it installed, and on the PATH?",
    )
    assert str(trouble_with(str(tmp_path))) == f"{tmp_path} cannot be started: Permission denied"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('{"error": {"code": 1, "message": "no licence"}}', "does not take this client: no licence"),
        ('{"result": {}} if is_first else {"error": {"message": "log in"}}', "does not list its tools: log in"),
        ('{"result": {}} if is_first else sys.exit(4)', "exited with code 4 when it was asked for its tools"),
    ],
    ids=["greeting", "tools", "ends"],
)
def test_a_server_that_refuses_is_quoted(answer: str, said: str) -> None:
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
    assert str(trouble_with(*python(program))) == f"the server {said}"


def test_a_server_without_tools_has_nothing_to_audit() -> None:
    with pytest.raises(CommandError, match="lists no tools"):
        audited(command(tools=[]))


def test_what_the_server_asks_is_answered_by_a_client_that_can_only_be_there(tmp_path: Path) -> None:
    asks = [{"jsonrpc": "2.0", "id": f"s{n}", "method": m} for n, m in enumerate(["ping", "sampling/createMessage"])]
    steps = [*(["say", json.dumps(one)] for one in asks), ["usual"]]
    record = tmp_path / "record"
    program = command(tools=[NEAR], does={"look_up": steps}, record=str(record))

    async def asked() -> None:
        async with Server(Target(command=program)) as server:
            assert "look_up" in str(await server.call(RIGHT))
            await server.call(RIGHT)

    asyncio.run(asked())
    said = [message for message in map(json.loads, record.read_text().splitlines()) if "method" not in message]
    assert said[:2] == [
        {"jsonrpc": "2.0", "id": "s0", "result": {}},
        {"jsonrpc": "2.0", "id": "s1", "error": {"code": -32601, "message": "This client does not do that"}},
    ]


def test_a_target_is_a_command_or_an_address() -> None:
    assert target_of(["a", "b"], None) == Target(command=("a", "b"))
    assert target_of([], "http://x") == Target(url="http://x")
    for words, url in (([], None), (["a"], "http://x")):
        with pytest.raises(CommandError, match="say either a command or a URL"):
            target_of(words, url)


def test_secrets_in_a_command_are_not_told() -> None:
    words = (
        "env",
        "API_KEY=a b",
        "run",
        "--password",
        "hunter2",
        "-v",
        "--key=x",
        "--token=ghp_a1B2c3D4e5F6g7H8",
        "a  b\n",
    )
    shown = ("env", "API_KEY=<hidden>", "run", "--password", "<hidden>", "-v", "--key=x", "--token=<hidden>", "a  b\n")
    assert Target(command=words).shown == shown
    assert Target(command=words).told == "env API_KEY=<hidden> run --password <hidden> -v --key=x --token=<hidden> a b"
    path = "/tmp/a1B2c3D4e5F6g7H8i9J0/server.py"
    assert Target(command=("run", path, "a1B2c3D4e5F6g7H8i9J0k1L2")).told == f"run {path} <hidden>"
    assert Target(url="http://h/a1B2c3D4e5F6g7H8i9J0/mcp").told == "<hidden>"
    assert Target(url="http://u:pw@h/mcp?token=abc").told == "http://<hidden>@h/mcp?token=<hidden>"


# one line


def test_a_line_says_what_has_become_of_the_server() -> None:
    async def lived() -> None:
        line = Line(command(tools=[NEAR]))
        with pytest.raises(Late, match=r"gave no answer within 0\.1 s"):
            await line.ask("tools/call", {"name": "hang", "_meta": {"do": [["hang"]]}}, 0.1)
        waiting = asyncio.ensure_future(line.ask("tools/call", {"_meta": {"do": [["hang"]]}}, 9))
        await asyncio.sleep(0)
        line.close("was let go")
        line.close("is closed already")
        with pytest.raises(Gone, match="was let go"):
            await waiting
        with pytest.raises(Gone, match="was let go"):
            await line.ask("ping", {}, 1)
        line.tell("notifications/cancelled", {})
        assert line.is_gone

    asyncio.run(lived())


def test_who_has_an_answer_keeps_it_when_the_server_ends_in_the_same_moment() -> None:
    async def lived() -> dict[str, Any]:
        line = Line(command(tools=[NEAR]))
        answered = asyncio.get_running_loop().create_future()
        answered.set_result({"result": {}})
        line._waiting[99] = answered  # pyright: ignore[reportPrivateUsage]
        line.close()
        return await answered

    assert asyncio.run(lived()) == {"result": {}}


def test_a_request_that_others_have_passed_by_is_late_by_its_own_fault() -> None:
    async def late_beside(*others: str) -> bool:
        line = Line(command(tools=[NEAR]))
        await line.ask("ping", {}, 30)
        waiting = asyncio.ensure_future(line.ask("tools/call", {"_meta": {"do": [["hang"]]}}, 0.5))
        await asyncio.sleep(0)
        for method in others:
            await line.ask(method, {}, 5)
        with pytest.raises(Late) as caught:
            await waiting
        line.close()
        return caught.value.was_passed

    assert [asyncio.run(late_beside()), asyncio.run(late_beside("ping"))] == [False, True]


def test_more_than_a_pipe_holds_is_sent_and_read_in_pieces() -> None:
    async def asked() -> None:
        line = Line(command(tools=[NEAR]))
        params = {"name": "look_up", "arguments": {"word": "x" * 500_000}}
        answer = await line.ask("tools/call", params, 20)
        line.close()
        assert len(str(answer)) > 500_000

    asyncio.run(asked())


def test_a_wakeup_for_nothing_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    read, wakeups = os.read, set[int]()

    def busy(descriptor: int, size: int) -> bytes:
        if size == 256 * 1024 and descriptor not in wakeups:
            wakeups.add(descriptor)
            raise BlockingIOError
        return read(descriptor, size)

    async def asked() -> None:
        line = Line(python("import sys; print('hm', file=sys.stderr); sys.stdin.readline(); print('{}'); sys.exit(5)"))
        monkeypatch.setattr("fingerpost.audit.execute.connection.os.read", busy)
        with pytest.raises(Gone, match="exited with code 5"):
            await line.ask("ping", {}, 9)
        assert line.last_words == "hm\n"

    asyncio.run(asked())
    assert len(wakeups) == 2


def test_a_server_that_closes_its_errors_is_heard_on() -> None:
    async def asked() -> None:
        answer = '{"jsonrpc": "2.0", "id": 1, "result": {}}'
        line = Line(python(f"import os, sys; os.close(2); sys.stdin.readline(); print('{answer}')"))
        assert await line.ask("ping", {}, 30) == {"result": {}}
        line.close()

    asyncio.run(asked())


def test_a_server_that_asks_and_does_not_read_is_not_answered_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.connection._UNREAD", 1)
    monkeypatch.setattr("fingerpost.audit.execute.connection._FLOOD", 2_000_000)
    ping = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'

    async def asked() -> None:
        line = Line(python(f"while True: print('{ping}')"))
        with pytest.raises(Gone, match="without an answer in them"):
            await line.ask("ping", {}, 30)

    asyncio.run(asked())


@pytest.mark.parametrize("was_sent", [True, False])
def test_what_the_proxy_says_of_a_loss_is_read_again(was_sent: bool) -> None:
    for loss in (Loss("was killed by SIGKILL", was_sent), late(2.5), Loss("answered HTTP 500", is_over=True)):
        clause = told_in(loss.diagnosis(None).message)
        assert clause and loss.message() == f"The server {clause}"
    assert told_in("The server room is on fire") == ""


# whom it blames


@cache
def all_of_the_good_ones() -> list[set[Any]]:
    """What is found out about the good tools when there are no others."""
    made = audited(doing())
    return [made.verdicts(one["name"]) for one in (NEAR, FAR)]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([["kill"]], "was killed by SIGKILL"),
        ([["exit", 3]], "exited with code 3"),
        ([["close"], ["hang"]], "closed its output"),
        ([["hang"]], "gave no answer within 0.5 s"),
        ([["sleep", 60]], "gave no answer within 0.5 s, and none to a ping either"),
        ([["sleep", 0.8], ["usual"]], "gave no answer within 0.5 s"),
        ([["flood", 100_000]], "without an answer in them"),
        ([["big", 300_000]], "sent a message of 300,0"),
    ],
    ids=["killed", "exits", "closes", "hangs", "blocks", "dawdles", "floods", "sends too much"],
)
def test_whatever_a_tool_does_to_the_server_is_found_on_that_tool_alone(
    steps: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.connection._FLOOD", 400_000)
    monkeypatch.setattr("fingerpost.audit.execute.connection.LONGEST", 250_000)
    made = audited(doing(guilty=steps), seconds=0.5, most=24)
    assert made.unmet("alive") == {"guilty"}
    lost = [event for event in made.events if isinstance(event, Tried) and event.outcome.reply is None]
    assert {event.tool for event in lost} == {"guilty"}
    lost = [event for event in lost if not event.outcome.lost.startswith("was not asked")]
    assert 2 <= len(lost) < 2 + IN_FLIGHT, "and the right call is the third; others may have been under way"
    assert all(why in event.outcome.lost for event in lost)
    assert [made.verdicts(one["name"]) for one in (NEAR, FAR)] == all_of_the_good_ones()
    (note,) = [event for event in made.events if isinstance(event, Noted)]
    assert note.tool == "guilty" and why in note.text
    (skipped,) = [event for event in made.events if isinstance(event, Skipped)]
    assert (skipped.tool, skipped.why) == ("guilty", "it had left 3 calls unanswered")
    assert made.report.is_whole


_TIRING = """
import json, sys
from collections import Counter
seen = Counter()
tool = {"name": "t", "inputSchema": {"properties": {"a": {"type": "integer"}}}, "annotations": {"readOnlyHint": True}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    called = json.dumps([asked.get("params", {}).get(key) for key in ("name", "arguments")])
    seen[called] += asked["method"] == "tools/call"
    if seen[called] > TIMES:
        continue
    said = {"content": [{"type": "text", "text": called}], "isError": True}
    said = {"tools": [tool]} if asked["method"] == "tools/list" else said
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""


def test_a_wrong_call_that_has_no_answer_the_second_time_is_a_finding() -> None:
    made = audited(python(_TIRING.replace("TIMES", "1")), seconds=0.5, in_flight=1, most=3)
    (finding,) = [one for one in made.report.findings if one.item.id == "stable"]
    assert finding.why == "the second time gave no answer within 0.5 s"
    (note,) = made.report.notes
    assert note.text == "a right call gave no answer within 0.5 s"


def test_a_right_call_that_fails_and_then_has_no_answer_is_compared_with_as_it_was() -> None:
    made = audited(python(_TIRING.replace("TIMES", "2")), seconds=0.5, in_flight=1, most=2)
    assert made.report.is_whole
    assert made.unmet("alive") == set()


def test_that_right_calls_fail_is_noted_once_for_a_tool() -> None:
    made = audited(python(_TIRING.replace("TIMES", "99")), most=12)
    assert [note.text for note in made.report.notes] == ['a right call fails: ["t", {}]']


def test_a_server_that_cannot_be_started_again_ends_the_audit_with_what_there_is(tmp_path: Path) -> None:
    once = f'test -e {tmp_path}/was && exit 7; touch {tmp_path}/was; exec "$@"'
    made = audited(("sh", "-c", once, "sh", *doing(guilty=[["kill"]])), most=12)
    assert not made.report.is_whole
    assert made.report.ended and made.report.ended.why.startswith("the server exited with code 7 when it was greeted; ")
    assert "the last calls were of" in made.report.ended.why and "guilty" in made.report.ended.why
    assert made.report.done
    assert json.loads(plain_json.render(made.report))["complete"] is False


def test_a_server_is_not_started_again_and_again_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._MOST_STARTS", 3)
    made = audited(doing(guilty=[["kill"]]), most=12)
    assert made.report.ended and made.report.ended.why.startswith("the server had to be started 3 times; ")


@pytest.mark.parametrize("steps", [[["kill"]], [["hang"]]], ids=["killed", "hangs"])
def test_behind_fingerpost_the_same_tool_is_found(steps: Any) -> None:
    behind = audited(doing(guilty=steps), seconds=0.5, most=3, compares=True).report.behind
    assert behind and behind.is_whole
    assert {one.tool for one in behind.findings if one.item.id == "alive"} == {"guilty"}


def test_a_server_by_http_that_ends_ends_the_audit_and_its_last_calls_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.server._SILENCE", 0.3)
    guilty = tool("guilty", WORD, ("word",))
    with by_http(tools=[NEAR, guilty], does={"guilty": [["kill"]]}) as url:
        made = audited(url, most=8)
    assert made.report.ended and made.report.ended.why.startswith("the server cannot be reached (")
    assert made.report.ended.why.endswith("; the last calls were of 'guilty'")
    assert made.report.done
    assert made.unmet("alive") <= {"guilty"}


def test_a_tool_that_hangs_is_found_by_http_too() -> None:
    guilty = tool("guilty", WORD, ("word",))
    with by_http(tools=[NEAR, guilty], does={"guilty": [["hang"]]}, era="legacy") as url:
        made = audited(url, most=5, seconds=0.6)
    assert made.unmet("alive") == {"guilty"}
    assert made.report.is_whole


def test_a_server_by_http_that_comes_back_is_gone_on_with() -> None:
    async def interrupted() -> None:
        with by_http(tools=[NEAR], era="legacy") as url:
            line = await _Cable.laid(url)
            async with Server(Target(url=f"http://127.0.0.1:{line.port}/mcp")) as server:
                await server.call(RIGHT)
                await line.cut()
                again = asyncio.ensure_future(server.call(RIGHT))
                await asyncio.sleep(1)
                await line.mend()
                assert "look_up" in str(await again)
            await line.cut()

    asyncio.run(interrupted())


class _Cable:
    """Connections to a server that can be cut."""

    def __init__(self, to: int) -> None:
        self._to, self.port = to, 0
        self._server: asyncio.Server | None = None
        self._open = set[asyncio.StreamWriter]()

    @classmethod
    async def laid(cls, url: str) -> _Cable:
        cable = cls(urlsplit(url).port or 0)
        await cable.mend()
        return cable

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._joined, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server
        self._server.close()
        for writer in self._open:
            writer.transport.abort()

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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


# how many, and which


class Watched(Server):
    """A server that knows how many calls it is given, and how many at a time."""

    most = now = total = 0

    async def call(self, call: Call) -> Any:
        self.now += 1
        self.total += 1
        self.most = max(self.most, self.now)
        try:
            return await super().call(call)
        finally:
            self.now -= 1


@pytest.mark.parametrize("in_flight", [1, 3])
def test_there_are_as_many_calls_at_a_time_as_is_said_and_not_many_more_than_mistakes(in_flight: int) -> None:
    async def watched() -> Watched:
        server = Watched(Target(command=command(tools=[NEAR], does={"look_up": [["later", 0.01]]})))
        async with server:
            plan = Plan(Catalog.listed(await server.tools()), seed=1, most=20)
            assert [event async for event in Audit(server, plan, in_flight=in_flight).events()]
        return server

    server = asyncio.run(watched())
    assert server.most == in_flight
    assert server.total == 20 + 1 + 2 * 2 + 1, "wrong calls, the first again, two right ones twice, and a stranger"


def test_the_same_seed_gives_the_same_report_however_many_calls_are_made_at_a_time() -> None:
    program = python(_PLAIN)
    one, four, other = (audited(program, **more) for more in ({"in_flight": 1}, {"in_flight": 4}, {"seed": 2}))
    assert plain_json.render(one.report) == plain_json.render(four.report)
    assert len(one.report.findings) > 3
    assert one.verdicts("look_up") != other.verdicts("look_up")


_PLAIN = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        said = {{"tools": {[NEAR, FAR]!r}}} if asked["method"] == "tools/list" else {{"content": []}}
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": said}}), flush=True)
"""


def test_a_tool_gets_the_same_wrong_calls_whatever_other_tools_there_are() -> None:
    few, many = Catalog.listed([NEAR, FAR]), Catalog.listed([TOOLS[0], NEAR, *TOOLS[1:], FAR])
    for name in ("look_up", "see_beyond"):
        made = [Plan(catalog, seed=3).calls(cast("Tool", catalog.get(name))) for catalog in (few, many)]
        assert [one.call for one in made[0]] == [one.call for one in made[1]]


@pytest.mark.no_cover
def test_what_is_kept_grows_with_the_tools_and_not_with_the_replies() -> None:
    def kept_and_peak(count: int, size: int) -> tuple[int, int]:
        tools = [tool(f"tool_{number}", {}) for number in range(count)]
        program = python(_LONG.format(tools=tools, size=size))
        tracemalloc.start()
        report, _ = asyncio.run(conducted(Target(command=program), Settings(most=1)))
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert report.done == count
        return kept, peak

    assert kept_and_peak(300, 300)[0] < 300 * 10_000
    short, long = kept_and_peak(10, 300), kept_and_peak(10, 100_000)
    assert long[0] < 2 * short[0]
    assert long[1] < 40 * 100_000, "of which several are held at once, and many more are sent"


_LONG = """
import json, sys
tools = {tools}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        said = {{"isError": True, "content": [{{"type": "text", "text": "no word " * ({size} // 8)}}]}}
        said = {{"tools": tools}} if asked["method"] == "tools/list" else said
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": said}}), flush=True)
"""


# what is never sent


def test_a_tool_that_may_write_gets_nothing_that_it_could_carry_out(tmp_path: Path) -> None:
    record, counter = tmp_path / "record", tmp_path / "counter"
    examples = {"count_up": [{"key": "the owner's"}], "weather_report": [{"city": "Rome"}]}
    program = command(tools=TOOLS, record=str(record), counter=str(counter))
    made = audited(program, examples=examples)
    calls = sent(record, "tools/call")
    assert [one["arguments"] for one in calls if one["name"] == "count_up"], "some are sent"
    assert all("key" not in one["arguments"] for one in calls if one["name"] == "count_up")
    assert "the owner's" not in record.read_text()
    assert "Rome" in record.read_text()
    (skipped,) = made.report.skipped
    assert (skipped.tool, skipped.what) == ("count_up", "every mistake but for its name and what it requires")
    assert "--allow-writes" in skipped.why


def test_with_leave_to_write_it_gets_everything(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    program = command(tools=TOOLS, counter=str(counter))
    made = audited(program, allow_writes=True, only=frozenset({"count_up"}), examples={"count_up": [{"key": "mine"}]})
    assert "mine" in counter.read_text().splitlines()
    assert {one.tool for one in made.report.skipped} == {"echo", "weather_report"}


def test_a_replay_sends_a_tool_that_may_write_only_what_it_has_to_refuse(tmp_path: Path) -> None:
    record = tmp_path / "record"
    program = command(tools=TOOLS, record=str(record))
    right = {"name": "count_up", "arguments": {"key": "k"}}

    def again(call: dict[str, Any], **more: Any) -> str:
        record.unlink(missing_ok=True)
        return replayed(program, item="honest", kind="parameter.stray", call=call, right=right, culprit="key", **more)

    wrong = {"name": "count_up", "arguments": {"key": "k", "x": 1}}
    assert again(wrong).startswith("count_up does not declare readOnlyHint: true, so the call was not sent")
    assert sent(record, "tools/call") == []
    assert again({"name": "count_up"}) == again({"name": "count_pu", "arguments": {"key": "k"}}) == ""
    assert [one["name"] for one in sent(record, "tools/call")] == ["count_pu"]
    assert again(wrong, allow_writes=True) == ""
    assert right["arguments"] in [one["arguments"] for one in sent(record, "tools/call")]
    gone: dict[str, Any] = {"name": "gone", "arguments": {}}
    assert (
        replayed(program, item="brief", kind="tool.misspelt", call=gone, right=gone, culprit="gone")
        == "the server has no tool gone"
    )


def test_a_replay_by_http_finds_what_was_found() -> None:
    call, right = ({"name": name, "arguments": {"word": "x"}} for name in ("lok_up", "look_up"))
    with by_http(tools=[NEAR]) as url:
        why = replayed(url, item="unknown_tool", kind="tool.misspelt", call=call, right=right, culprit="look_up")
    assert why == "does not say that 'look_up' is near"


# the owner's examples


def test_examples_are_read_in_every_form_that_people_write() -> None:
    one, two = {"word": "a"}, {"word": "b"}
    for text in (
        {"look_up": [one, two]},
        [{"name": "look_up", "arguments": one}, {"name": "look_up", "arguments": two}],
    ):
        assert read_examples(json.dumps(text), "file") == {"look_up": [one, two]}
    assert read_examples('{"look_up": {"word": "a"}, "now": {}}', "file") == {"look_up": [one], "now": [{}]}
    assert read_examples('[{"name": "now"}]', "file") == {"now": [{}]}


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, "1", "{}", "[]", "[1]", '{"t": 1}', '{"t": ["x"]}', '[{"name": 1}]']
)
def test_a_file_that_holds_no_examples_is_told_apart(text: str) -> None:
    with pytest.raises(CommandError, match=r"file (is not JSON|holds no examples)"):
        read_examples(text, "file")


def test_an_example_has_to_be_a_right_call_of_a_tool_that_there_is() -> None:
    catalog = Catalog.listed([NEAR, FAR])
    check_examples({"look_up": [{"word": "a"}]}, catalog)
    cases: list[tuple[Any, str, str]] = [
        ({"lookup": [{}]}, "an example for lookup, which is no tool", "Did you mean look_up?"),
        ({"xyzzy": [{}]}, "an example for xyzzy, which is no tool", ""),
        ({"look_up": [{"wrd": "a"}]}, "an example for look_up is not a right call", "word"),
    ]
    for examples, said, way_out in cases:
        with pytest.raises(CommandError, match=said) as caught:
            check_examples(examples, catalog)
        assert way_out in caught.value.way_out if way_out else not caught.value.way_out


def test_right_calls_have_values_that_make_a_difference() -> None:
    properties: dict[str, Any] = {
        "on": {"type": "boolean", "default": True},
        "many": {"type": "integer", "default": 1, "maximum": 1},
        "size": {"enum": ["s", "m"], "default": "s"},
        "fixed": {"type": "integer", "default": 3, "minimum": 3, "maximum": 3},
        "never": {"type": "string", "not": {}},
    }
    made = right_calls(cast("Tool", Catalog.listed([tool("t", properties)]).get("t")))
    assert [call.arguments for call in made] == [{}, {"on": False}, {"many": 0}, {"size": "m"}, {"fixed": 3}]


def test_the_author_s_examples_come_before_made_up_ones_and_the_owner_s_before_both() -> None:
    listed = tool("t", WORD, ("word",))
    listed["inputSchema"]["examples"] = [{"word": 1}, {"word": "author's"}, "word"]
    chosen = cast("Tool", Catalog.listed([listed]).get("t"))
    assert right_calls(chosen) == [Call("t", {"word": "author's"})]
    owners = [{"word": "owner's"}, {"word": "other"}]
    assert right_calls(chosen, owners) == [Call("t", one) for one in owners]
    impossible = tool("t", {"word": {"type": "string", "not": {}}}, ("word",))
    assert right_calls(cast("Tool", Catalog.listed([impossible]).get("t"))) == []
