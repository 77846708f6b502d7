"""A server that adopted guidance in one line, on both frameworks, as its clients see it."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import re
from dataclasses import dataclass
from typing import Any, cast

import mcp_types as types
import pytest
from fastmcp import Context as FastContext
from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.exceptions import ValidationError as FastValidationError
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from mcp.client import Client
from mcp.server import MCPServer, Server
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import Context, exceptions
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged
from pydantic import ValidationError

from fingerpost import KEY, Policy, fastmcp, sdk
from fingerpost.errors import ToolOperationError
from fingerpost.middleware.call_flow import CallFlow
from tests.support.adopted_servers import ERAS, FRAMEWORKS, Adopted, asked, called, reply_to, run
from tests.support.waiting import eventually

MODERN = "2026-07-28"
MASKING = FRAMEWORKS if hasattr(exceptions, "UnexpectedToolError") else FRAMEWORKS[1:]
"""mcp 2.0 masks nothing, and asks every exception for its words by itself."""
IS_SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


def search(pattern: str, max: int = 50) -> str:
    """Search the code."""
    return f"{pattern} {max}"


def delete_file(path: str, dry_run: bool = False) -> str:
    """Delete a file."""
    return f"deleted {path}" if not dry_run else f"would delete {path}"


def code(framework: str, *args: Any, **kwargs: Any) -> Adopted:
    server = Adopted(framework, *args, **kwargs)
    server.tool(search, annotations=types.ToolAnnotations(read_only_hint=True))
    server.tool(delete_file)
    return server


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
class TestEveryDoor:
    def test_a_right_call_passes_untouched(self, framework: str, era: str) -> None:
        reply = reply_to(code(framework), "search", {"pattern": "x"}, era=era)
        assert (reply.is_error, reply.texts, reply.guidance) == (False, ["x 50"], {})

    def test_an_unknown_tool_is_answered_with_the_one_that_was_meant(self, framework: str, era: str) -> None:
        reply = reply_to(code(framework), "serach", {"pattern": "x"}, era=era)
        # a result of the framework is kept; an exception of the framework is not shown
        own = {"sdk": ["Unknown tool: serach", 'Try: search(pattern: "x")']}
        assert reply.texts == own.get(framework, ["Tool 'serach' not found.\nTry: search(pattern: \"x\")"])
        assert reply.is_error is True
        assert reply.error["code"] == "UNKNOWN_TOOL"
        assert reply.structured == reply.guidance

    def test_a_clear_slip_is_repaired_on_a_tool_that_only_reads(self, framework: str, era: str) -> None:
        reply = reply_to(code(framework), "search", {"patern": "x", "max": "5"}, era=era)
        assert reply.texts[0] == "x 5"
        assert [one["from"] for one in reply.guidance["corrections"]] == ["patern", "5"]

    def test_a_dropped_argument_never_reaches_a_tool_that_may_write(self, framework: str, era: str) -> None:
        assert (
            reply_to(code(framework), "delete_file", {"path": "a", "dryrun": True}, era=era).texts[0]
            == "would delete a"
        )
        refused = reply_to(code(framework), "delete_file", {"path": "a", "simulate": True}, era=era)
        assert refused.is_error
        assert "deleted" not in refused.text

    def test_the_extension_is_advertised(self, framework: str, era: str) -> None:
        async def extensions(client: Client) -> Any:
            return client.server_capabilities.extensions

        assert asked(code(framework), extensions, era=era)[KEY] == {"shape": "nested", "infoTool": "info"}

    def test_an_unknown_prompt_is_answered_with_the_one_that_was_meant(self, framework: str, era: str) -> None:
        error = lost(framework, era, lambda client: client.get_prompt("revew", {"topic": "a"}))
        assert error.data[KEY]["error"]["code"] == "UNKNOWN_PROMPT"
        assert error.data[KEY]["text"] == "Prompt 'revew' not found.\nDid you mean 'review'?"
        assert error.code == -32602

    def test_a_missing_argument_of_a_prompt_is_named(self, framework: str, era: str) -> None:
        error = lost(framework, era, lambda client: client.get_prompt("review"))
        assert error.data[KEY]["error"]["code"] == "MISSING_REQUIRED"

    def test_a_misspelt_argument_of_a_prompt_is_repaired_and_told(self, framework: str, era: str) -> None:
        async def ask(client: Client) -> Any:
            right = await client.get_prompt("review", {"topic": "a"})
            assert await client.get_prompt("review", {"topic": "a"}) == right
            mended = await client.get_prompt("review", {"topc": "a"})
            return right, mended

        right, mended = asked(librarian(framework), ask, era=era)
        assert KEY not in (right.meta or {})
        assert mended.messages[0].content.text == "a"
        assert mended.meta[KEY]["note"] == "Parameter 'topc' was auto-corrected to 'topic'"

    def test_a_resource_that_is_not_there_is_answered_with_the_one_that_was_meant(
        self, framework: str, era: str
    ) -> None:
        error = lost(framework, era, lambda client: client.read_resource("conf://mian"))
        assert error.data["uri"] == "conf://mian"
        assert error.data[KEY]["error"]["suggestions"]["did_you_mean"] == "conf://main"
        templated = lost(framework, era, lambda client: client.read_resource("nots://5"))
        assert templated.data[KEY]["error"]["suggestions"]["did_you_mean"] == "note://5"

    def test_a_resource_and_a_prompt_that_are_there_pass_untouched(self, framework: str, era: str) -> None:
        async def ask(client: Client) -> Any:
            return await client.read_resource("note://5")

        assert asked(librarian(framework), ask, era=era).contents[0].text == "note 5"

    def test_the_same_failing_call_gets_another_answer_each_time(self, framework: str, era: str) -> None:
        server, texts = code(framework), list[str]()

        async def ask(client: Client) -> None:
            for _ in range(4):
                texts.append((await called(client, "delete_file", {"pth": 1})).text)

        asked(server, ask, era=era)
        first, second, third, fourth = texts
        assert len(second) < len(first)
        assert second == 'Send instead: delete_file(path: "1")'
        assert third.startswith("The same call has failed 3 times.")
        assert fourth.startswith("The same call has failed 4 times.")

    def test_a_failure_told_as_a_success_keeps_its_hint_and_stays_as_it_is(self, framework: str, era: str) -> None:
        server = code(framework)

        def merge() -> dict[str, Any]:
            return {"ok": False, "error": "Not merged", "hint": "Pull first"}

        server.tool(merge)
        reply = reply_to(server, "merge", era=era)
        assert not reply.is_error
        assert len(reply.texts) == 1
        assert reply.error["hint"] == "Pull first"
        assert reply.structured == {"ok": False, "error": "Not merged", "hint": "Pull first"}

    def test_arguments_that_are_no_object_are_read_or_refused(self, framework: str, era: str) -> None:
        async def ask(client: Client) -> Any:
            return [await raw_call(client, "search", sent) for sent in ('{"pattern": "x"}', "not json", ["x"])]

        read, text, items = asked(code(framework), ask, era=era)
        assert [block.text for block in read.content] == ["x 50", "The arguments were read from a string of JSON."]
        assert text.is_error
        assert items.is_error
        assert text.meta[KEY]["error"]["code"] == "WRONG_SHAPE"


def librarian(framework: str) -> Adopted:
    server = code(framework)

    def review(topic: str) -> str:
        return topic

    def main_configuration() -> str:
        return "x"

    def note(id: str) -> str:
        return f"note {id}"

    server.prompt(review)
    server.resource("conf://main", main_configuration)
    server.resource("note://{id}", note)
    return server


def lost(framework: str, era: str, ask: Any) -> Any:
    return failed(librarian(framework), ask, era)


def failed(server: Adopted, ask: Any, era: str = MODERN) -> Any:
    async def failing(client: Client) -> Any:
        with pytest.raises(MCPError) as caught:
            await ask(client)
        return caught.value

    return asked(server, failing, era=era)


async def raw_call(client: Client, name: str, arguments: Any) -> Any:
    params = types.CallToolRequestParams.model_construct(name=name, arguments=arguments)
    request = types.CallToolRequest.model_construct(method="tools/call", params=params)
    return await client.session.send_request(request, types.CallToolResult)


pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")


# What an era wants on the wire


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("call", [("serach", {}), ("search", {}), ("info", {}), ("fail", {}), ("search", "oops")])
def test_a_reply_of_ours_looks_as_its_era_wants(framework: str, call: tuple[str, Any]) -> None:
    server = code(framework)
    wire: list[dict[str, Any]] = []

    def fail() -> str:
        raise ToolOperationError("No")

    async def recorded(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method == "tools/call":
            wire.append(result if isinstance(result, dict) else result.model_dump(by_alias=True, exclude_none=True))
        return result

    server.tool(fail)
    getattr(server.server, "_mcp_server", server.server).middleware.insert(0, recorded)
    for era in ERAS:
        asked(server, lambda client: raw_call(client, *call), era=era)
    legacy, modern = wire
    assert "resultType" not in legacy
    assert SERVER_INFO not in legacy.get("_meta", {})
    assert modern["resultType"] == "complete"
    assert modern["_meta"][SERVER_INFO]["name"] == "adopted"


# R-02: the caller's own catalog


@dataclass
class Filtering:
    """An author's own middleware that hides tools by caller, before or after ours."""

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method == "tools/list":
            who = ctx.session.client_params.client_info.name
            result = {**result, "tools": [tool for tool in result["tools"] if _may_see(who, tool["name"])]}
        return result


class FastFiltering(Middleware):
    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        tools = await call_next(context)
        who = context.fastmcp_context.session.client_params.client_info.name
        return [tool for tool in tools if _may_see(who, tool.name)]


NAMES = [f"{verb}_{noun}{number}" for verb in ("read", "write") for noun in ("user", "order") for number in range(50)]

HIDDEN_NAMES = frozenset(name for name in NAMES if name.startswith("write"))


def _may_see(who: str, name: str) -> bool:
    return not name.startswith("write") or who == "admin"


def crowd(framework: str, *, ours_first: bool, only: str = "") -> Adopted:
    server = Adopted(framework)
    for name in NAMES:
        if name.startswith(only):
            server.tool(_named(name))
    middleware = server.server.middleware
    own: list[Any] = [FastFiltering() if framework == "fastmcp" else Filtering()]
    others = [one for one in middleware if one is not server.guidance]
    middleware[:] = [*others, server.guidance, *own] if ours_first else [*others, *own, server.guidance]
    return server


def _named(name: str) -> Any:
    def tool(id: str) -> str:
        return name

    tool.__name__ = name
    return tool


@pytest.mark.no_cover
@pytest.mark.parametrize("ours_first", [True, False], ids=["ours first", "ours last"])
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_hidden_tools_are_never_suggested(framework: str, era: str, ours_first: bool) -> None:
    """T2: a caller who may not see a hundred tools is answered as by a server that does not have them."""
    everyone, plain = crowd(framework, ours_first=ours_first), crowd(framework, ours_first=ours_first, only="read")
    misses = _near_misses(1_300 if IS_SOAK else 30)

    async def main() -> None:
        guest, admin = types.Implementation(name="guest", version="1"), types.Implementation(name="admin", version="1")
        async with (
            everyone.client(era, client_info=admin) as boss,
            everyone.client(era, client_info=guest) as visitor,
            plain.client(era, client_info=guest) as alone,
        ):
            displayed = 0
            for name in misses:
                seen = await called(boss, name, {"id": "1"})
                displayed += not HIDDEN_NAMES.isdisjoint(re.findall(r"\w+", seen.text))
                hidden = await called(visitor, name, {"id": "1"})
                assert (hidden.texts, hidden.guidance) == (
                    (same := await called(alone, name, {"id": "1"})).texts,
                    same.guidance,
                )
            overview = (await called(visitor, "info")).text
            assert "write" not in overview
            assert displayed > len(misses) // 4

    run(main())


def _near_misses(count: int) -> list[str]:
    chance, misses = random.Random(4), list[str]()
    while len(misses) < count:
        name = chance.choice(NAMES)
        at = chance.randrange(len(name) - 2)
        misses.append(name[:at] + name[at + 1] + name[at] + name[at + 2 :])
    return [name for name in dict.fromkeys(misses) if name not in NAMES]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_tool_that_was_hidden_meanwhile_is_not_suggested_any_more(framework: str) -> None:
    server = code(framework)

    async def ask(client: Client) -> tuple[str, str, str]:
        before = await called(client, "serach", {"pattern": "x"})
        if framework == "sdk":
            server.server.remove_tool("search")
        else:
            server.server.disable(names={"search"})
        after = await called(client, "serach", {"pattern": "y"})
        gone = await called(client, "search", {"pattern": "y"})
        return before.text, after.text, gone.text

    before, after, gone = asked(server, ask)
    assert "search" in before
    assert "search(" not in after
    assert gone.startswith(("Tool 'search' not found.", "Unknown tool: search\n"))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_tool_that_is_not_listed_but_there_is_called_all_the_same(framework: str) -> None:
    """Some servers list only what a search brought up, and run what they do not list."""
    server = crowd(framework, ours_first=True)
    reply = reply_to(server, "write_user1", {"id": "1"})
    assert (reply.is_error, reply.texts, reply.guidance) == (False, ["write_user1"], {})


class Counted:
    def __init__(self) -> None:
        self.lists = 0

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        self.lists += ctx.method == "tools/list"
        return await call_next(ctx)


class FastCounted(Middleware):
    def __init__(self) -> None:
        self.lists = 0

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        self.lists += 1
        return await call_next(context)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_right_calls_read_no_list_in_the_steady_state(framework: str, era: str) -> None:
    server = code(framework)
    counted: Any = Counted() if framework == "sdk" else FastCounted()
    server.server.middleware.append(counted)

    async def ask(client: Client) -> int:
        await called(client, "search", {"pattern": "first"})
        before = counted.lists
        for number in range(50):
            await called(client, "search", {"pattern": str(number)})
        return counted.lists - before

    assert asked(server, ask, era=era) == 0


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_right_calls_take_the_short_cut_also_after_wrong_ones(framework: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server, long_ways = code(framework), list[str]()
    original = CallFlow.run

    async def counted(self: Any, *args: Any) -> Any:
        long_ways.append(self.call.tool)
        return await original(self, *args)

    monkeypatch.setattr(CallFlow, "run", counted)

    async def ask(client: Client) -> None:
        await client.list_tools()
        for number in range(5):
            await called(client, "search", {"pattern": str(number)})
            await called(client, "serach", {"pattern": str(number)})

    asked(server, ask)
    assert long_ways == ["serach"] * 5
    assert len(server.guidance.repeated) == 5


def paged(size: int, total: int, **kwargs: Any) -> tuple[Server[Any], list[str | None]]:
    """A low-level server whose list comes in pages."""
    cursors: list[str | None] = []
    tools = [types.Tool(name=f"tool_{one}", input_schema={"type": "object"}) for one in range(total)]

    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        cursors.append(params.cursor)
        start = int(params.cursor or 0)
        after = str(start + size) if start + size < total else None
        return types.ListToolsResult(tools=tools[start : start + size], next_cursor=after)

    async def call(ctx: Any, params: Any) -> types.CallToolResult:
        if params.name not in {tool.name for tool in tools}:
            raise MCPError(-32602, f"Unknown tool: {params.name}")
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    server = Server[Any]("paged", on_list_tools=listed, on_call_tool=call, **kwargs)
    sdk.Guidance.install(server)
    return server, cursors


def test_every_page_of_a_list_is_followed() -> None:
    server, cursors = paged(3, 10)

    async def main() -> Any:
        async with Client(server) as client:
            return await called(client, "tol_9")

    assert run(main()).error["suggestions"]["did_you_mean"] == "tool_9"
    assert cursors == [None, "3", "6", "9"]


def test_our_tool_stands_on_the_last_page_only() -> None:
    server, _ = paged(4, 10)

    async def main() -> list[list[str]]:
        pages, cursor = list[list[str]](), None
        async with Client(server) as client:
            while True:
                page = await client.list_tools(cursor=cursor)
                pages.append([tool.name for tool in page.tools])
                if (cursor := page.next_cursor) is None:
                    return pages

    assert [len(page) for page in run(main())] == [4, 4, 3]


def test_a_list_holds_as_long_as_the_server_says_unless_it_announces_a_change() -> None:
    """`ttlMs` and the list-changed notice: a wrong call reads no list while the last one holds."""
    server = MCPServer[Any]("held", cache_hints={"tools/list": CacheHint(ttl_ms=60_000)}, middleware=[sdk.Guidance()])
    counted = Counted()
    server.middleware.append(counted)

    @server.tool()
    async def grow(ctx: Context[Any, Any]) -> str:
        server.add_tool(search)
        await ctx.notify_tools_changed()
        return "grown"

    async def main() -> tuple[int, int, str]:
        async with Client(server) as client:
            await called(client, "grwo")
            first = counted.lists
            await called(client, "gorw")
            second = counted.lists
            await called(client, "grow")
            return first, second, (await called(client, "serach", {"pattern": "x"})).text

    first, second, text = run(main())
    assert (first, second) == (1, 1)
    assert 'Try: search(pattern: "x")' in text


# The info tool


@pytest.mark.parametrize("framework", FRAMEWORKS)
class TestInfo:
    def test_it_is_listed_last_and_reads_only(self, framework: str) -> None:
        tools = asked(code(framework), lambda client: client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search", "delete_file", "info"]
        assert cast("Any", tools[-1].annotations).read_only_hint is True

    def test_it_explains_the_tools_step_by_step(self, framework: str) -> None:
        server = code(framework)
        levels = ("minimal", "typed", "full")
        texts = [reply_to(server, "info", {"tool": "search", "detail": level}).text for level in levels]
        assert texts[0] == "search(pattern, max?) - Search the code."
        assert texts[1] == (
            "search(pattern, max?) - Search the code.\npattern: required, string\nmax: optional, integer, default 50"
        )
        assert len(texts[0]) < len(texts[1]) < len(texts[2])

    def test_wrong_arguments_of_its_own_are_guided_too(self, framework: str) -> None:
        assert reply_to(code(framework), "info", {"Tool": "search"}).guidance["corrections"][0]["to"] == "tool"
        assert reply_to(code(framework), "info", {"detail": "everything"}).error["code"] == "INVALID_CHOICE"
        unknown = reply_to(code(framework), "info", {"tool": "serch"})
        assert (unknown.is_error, 'info(tool: "search")' in unknown.text) == (True, True)

    def test_it_gives_way_to_a_servers_own(self, framework: str) -> None:
        server = code(framework)

        def info() -> str:
            return "the server's own"

        server.tool(info)
        names = [tool.name for tool in asked(server, lambda client: client.list_tools()).tools]
        assert names.count("info") == 1
        assert reply_to(server, "info").text == "the server's own"

    def test_its_name_can_be_chosen_and_it_can_be_off(self, framework: str) -> None:
        named = code(framework, Policy(info_tool="help"))
        assert reply_to(named, "help").text.startswith("2 tools:")
        assert reply_to(named, "search").error["next_steps"]["help"] == 'help(tool: "search")'
        off = code(framework, Policy(info_tool=None))
        assert [tool.name for tool in asked(off, lambda client: client.list_tools()).tools] == ["search", "delete_file"]
        assert reply_to(off, "info").error["code"] == "UNKNOWN_TOOL"
        assert "help" not in reply_to(off, "search").error["next_steps"]


# S2-07 to S2-09: annotations


def labels(server: Adopted, era: str = MODERN) -> dict[str, tuple[Any, Any, Any]]:
    tools = asked(server, lambda client: client.list_tools(), era=era).tools
    return {
        tool.name: (
            tool.annotations and tool.annotations.read_only_hint,
            tool.annotations and tool.annotations.open_world_hint,
            ((tool.meta or {}).get(KEY) or {}).get("effect"),
        )
        for tool in tools
    }


def workshop(framework: str, **kwargs: Any) -> Adopted:
    def pushes(arguments: Any) -> bool:
        return arguments.get("mode") == "push"

    write = {"look": False, "erase": True, "sync": pushes, "careful": False}
    server = Adopted(framework, Policy(info_tool=None), write=write, **kwargs)

    def look() -> str:
        return "seen"

    def erase() -> str:
        return "erased"

    def sync(mode: str = "pull") -> str:
        return mode

    def careful() -> str:
        return "done"

    def silent() -> str:
        return "done"

    for function in (look, erase, sync, silent):
        server.tool(function)
    server.tool(careful, annotations=types.ToolAnnotations(read_only_hint=False, open_world_hint=False))
    return server


@pytest.mark.parametrize("framework", FRAMEWORKS)
class TestAnnotations:
    def test_defaults_apply_to_declared_tools_and_the_authors_word_wins(self, framework: str) -> None:
        assert labels(workshop(framework)) == {
            "look": (True, True, "READ"),
            "erase": (False, True, "WRITE"),
            "sync": (True, True, "READ"),
            "careful": (False, False, "READ"),
            "silent": (None, None, None),
        }

    @pytest.mark.parametrize("era", ERAS)
    def test_a_tool_seen_writing_stays_labelled_so(self, framework: str, era: str) -> None:
        server = workshop(framework)
        reply_to(server, "sync", {"mode": "pull"}, era=era)
        assert labels(server)["sync"] == (True, True, "READ")
        reply_to(server, "sync", {"mode": "push"}, era=era)
        reply_to(server, "sync", {"mode": "pull"}, era=era)
        assert labels(server)["sync"] == (False, True, "WRITE")

    def test_the_change_is_announced_once(self, framework: str) -> None:
        server, notices = workshop(framework), list[str]()

        async def heard(message: Any) -> None:
            notices.append(getattr(getattr(message, "root", message), "method", ""))

        async def main() -> None:
            async with server.client("2025-11-25", message_handler=heard) as client:
                for _ in range(3):
                    await called(client, "sync", {"mode": "push"})
                await eventually(lambda: notices)
                await client.list_tools()

        run(main())
        assert notices.count("notifications/tools/list_changed") == 1

    def test_auto_approve_suppresses_the_flags_and_not_the_tag_and_can_be_turned_off(self, framework: str) -> None:
        server = workshop(framework)
        before = labels(server)
        server.guidance.auto_approve = True
        assert server.guidance.auto_approve
        assert {name: label[:2] for name, label in labels(server).items() if name != "silent"} == dict.fromkeys(
            ("look", "erase", "sync", "careful"), (False, False)
        )
        assert {name: label[2] for name, label in labels(server).items()} == {k: v[2] for k, v in before.items()}
        server.guidance.auto_approve = False
        assert labels(server) == before

    def test_labels_never_gate_anything(self, framework: str) -> None:
        server = workshop(framework, auto_approve=True)
        texts = [reply_to(server, name).text for name in ("look", "erase", "sync", "careful", "silent")]
        assert texts == ["seen", "erased", "pull", "done", "done"]

    def test_what_may_write_is_never_repaired_by_likeness_whatever_it_is_labelled(self, framework: str) -> None:
        assert reply_to(workshop(framework), "sync", {"moed": "pull"}).is_error

    def test_a_label_survives_many_calls_at_once(self, framework: str) -> None:
        server = workshop(framework)

        async def ask(client: Client) -> None:
            modes = ["push" if number == 37 else "pull" for number in range(200)]
            await asyncio.gather(*(called(client, "sync", {"mode": mode}) for mode in modes))

        asked(server, ask)
        assert labels(server)["sync"] == (False, True, "WRITE")


# R-12, and all at once


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "broken",
    [
        "middleware.call_flow.judge", "middleware.call_flow.add_to_success", "middleware.call_flow.explain_failure",
        "middleware.call_flow.append_report", "middleware.call_flow.explain_exception",
        "middleware.call_flow.is_unknown_tool", "middleware.call_flow.CallFlow._judge",
        "middleware.call_flow.CallFlow._add_to_failure", "middleware.guidance.error_result",
        "middleware.guidance.ServerGuidance.build_catalog", "middleware.guidance.admit_prompt",
        "middleware.guidance.render", "middleware.guidance.info_tool.answer", "engine.annotations.Effects.observe",
        "engine.annotations.Effects.annotate", "middleware.tool_list_cache.ToolListCache.put",
        "middleware.{door}.caller_key",
    ],
)  # fmt: skip
def test_if_guidance_fails_the_servers_own_reply_goes_through(
    framework: str, broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    logging.disable(logging.NOTSET)
    server = librarian(framework)
    server.guidance.effects.__init__({"search": lambda arguments: bool(arguments)})
    server.guidance._watches_effects = True

    def boom(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("canary-of-ours")

    async def ask(client: Client) -> Any:
        await client.list_tools()
        right = await called(client, "search", {"pattern": "x"})
        wrong = await client.call_tool("search", {})
        await client.call_tool("serach", {})
        await client.get_prompt("review", {"topic": "a"})
        with contextlib.suppress(MCPError):
            await raw_call(client, "search", "no object")
        for lost in (client.get_prompt("revew"), client.read_resource("conf://mian")):
            with pytest.raises(MCPError):
                await lost
        return right.texts[0], wrong.is_error

    monkeypatch.setattr(f"fingerpost.{broken.format(door=framework)}", boom)
    with caplog.at_level("WARNING", logger="fingerpost"):
        assert asked(server, ask) == ("x 50", True)
    notes = [record for record in caplog.records if record.name == "fingerpost"]
    assert len(notes) == (server.guidance.failures > 0)
    assert all("canary-of-ours" not in record.getMessage() for record in notes)


@pytest.mark.no_cover
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_thousand_calls_at_once_get_each_their_own_answer(framework: str) -> None:
    server = code(framework)

    async def echo(marker: str, delay: int) -> str:
        await asyncio.sleep(delay / 10_000)
        return marker

    server.tool(echo)
    chance = random.Random(7)
    kinds = [chance.choice(["right", "tool", "missing", "type"]) for _ in range(1_000)]

    async def one(client: Client, number: int, kind: str) -> bool:
        marker = f"m{number}"
        match kind:
            case "right":
                reply = await called(client, "echo", {"marker": marker, "delay": number % 7})
                return reply.texts == [marker]
            case "tool":
                reply = await called(client, "ehco", {"marker": marker, "delay": number % 7})
                return reply.error["code"] == "UNKNOWN_TOOL" and marker in reply.text
            case "missing":
                reply = await called(client, "echo", {"marker": marker})
                return reply.error["code"] == "MISSING_REQUIRED" and marker in reply.text
            case _:
                reply = await called(client, "echo", {"marker": marker, "delay": f"x{number}"})
                return reply.error["code"] == "INVALID_TYPE" and marker in json.dumps(reply.guidance)

    async def ask(client: Client) -> list[bool]:
        return await asyncio.gather(*(one(client, number, kind) for number, kind in enumerate(kinds)))

    right = asked(server, ask)
    assert right.count(True) == 1_000


# Each framework's own


def test_a_call_that_asks_something_back_is_not_touched() -> None:
    server = code("fastmcp")

    def guard() -> Any:
        return types.InputRequiredResult(input_requests={}, request_state="state")

    server.tool(guard)

    async def ask(client: Client) -> Any:
        params = types.CallToolRequestParams(name="guard", arguments={})
        request = types.CallToolRequest(method="tools/call", params=params)
        return await client.session.send_request(request, types.InputRequiredResult)

    assert asked(server, ask).result_type == "input_required"


def test_an_older_version_of_a_tool_is_not_judged_by_the_newest() -> None:
    server = Adopted("fastmcp")

    def old(a: int) -> str:
        return f"old {a}"

    def new(b: int) -> str:
        return f"new {b}"

    server.server.tool(name="f", version="1")(old)
    server.server.tool(name="f", version="2")(new)

    async def ask(client: Client) -> Any:
        meta = cast("Any", {"fastmcp": {"version": "1"}})
        return await client.call_tool("f", {"a": 1}, meta=meta)

    assert [block.text for block in asked(server, ask).content] == ["old 1"]
    assert reply_to(server, "f", {"a": 1}).error["code"] == "UNKNOWN_PARAM"


def test_whoever_holds_a_server_of_fastmcp_gets_what_its_tools_raise() -> None:
    """Guidance is for clients: a call that a tool or a test makes fails as it would without."""
    server = code("fastmcp")

    def primary(x: int) -> str:
        raise ToolOperationError("The primary is down", hint="Use the mirror")

    async def fetch(x: int, ctx: FastContext) -> str:
        try:
            return str(await ctx.fastmcp.call_tool("primary", {"x": x}))
        except ToolError:
            return "from the mirror"

    server.tool(primary)
    server.tool(fetch)

    async def main() -> str:
        with pytest.raises(FastValidationError):
            await server.server.call_tool("search", {})
        with pytest.raises(NotFoundError):
            await server.server.render_prompt("nowhere")
        return (await server.server.call_tool("search", {"pattern": "x"})).content[0].text

    assert run(main()) == "x 50"
    assert reply_to(server, "fetch", {"x": 1}).texts == ["from the mirror"]
    assert reply_to(server, "primary", {"x": 1}).error["hint"] == "Use the mirror"


def test_what_another_tool_raised_and_this_one_caught_is_not_answered() -> None:
    server = code("sdk")

    def inner(x: int) -> str:
        raise ToolOperationError("Inner broke", hint="Do the inner thing")

    async def outer(x: int) -> types.CallToolResult:
        with pytest.raises(exceptions.ToolError, match="Error executing tool inner"):
            await server.server.call_tool("inner", {"x": x})
        text = types.TextContent(type="text", text="A failure of my own: see X")
        return types.CallToolResult(content=[text], is_error=True)

    server.tool(inner)
    server.tool(outer)
    assert reply_to(server, "outer", {"x": 1}).texts[0] == "A failure of my own: see X"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_tool_that_is_there_but_not_listed_is_not_taken_for_one_that_is(framework: str) -> None:
    """Nor is a client's prefix taken off a name that is one, nor our own tool put before the server's."""
    server = code(framework)
    hidden = ("getUser", "archive.search", "mcp__x__search", "info")
    for name in ("get_user", *hidden):
        server.tool(_named(name), name=name)

    class Unlisted(Middleware):
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            return [tool for tool in await call_next(context) if tool.name not in hidden]

    async def unlisted(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method == "tools/list":
            result = {**result, "tools": [tool for tool in result["tools"] if tool["name"] not in hidden]}
        return result

    server.server.middleware.append(unlisted if framework == "sdk" else Unlisted())
    for name in hidden:
        assert reply_to(server, name, {"id": "1"}).texts == [name]
    assert reply_to(server, "Get_User", {"id": "1"}).texts[0] == "get_user"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_words_of_an_author_hide_what_is_behind_them(framework: str) -> None:
    class DriverError(Exception):
        hint = "canary-hint"
        code = "UNIQUE_VIOLATION"

    error = exceptions.ToolError if framework == "sdk" else ToolError

    def save(x: int) -> str:
        try:
            raise DriverError("canary-text")
        except DriverError as cause:
            raise error("Could not save the record; call again in a minute") from cause

    server = code(framework)
    server.tool(save)
    reply = reply_to(server, "save", {"x": 1})
    assert "Could not save the record; call again in a minute" in reply.texts[0]
    assert "canary" not in json.dumps([reply.texts, reply.meta])
    assert len(reply.texts) == 1, "nothing is advised against what the author says"


@pytest.mark.parametrize("framework", MASKING)
def test_an_exception_that_cannot_be_told_is_masked(framework: str) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("canary")

        @property
        def hint(self) -> str:
            raise RuntimeError("canary")

    class MuteError(ToolOperationError):
        def __str__(self) -> str:
            raise RuntimeError("canary")

    def mute() -> str:
        raise Mute

    def mute_error() -> str:
        raise MuteError("x", hint="Look")

    server = code(framework)
    if framework == "fastmcp":
        server.server._mask_error_details = True
    server.tool(mute)
    server.tool(mute_error)
    for name in ("mute", "mute_error"):
        reply = reply_to(server, name)
        assert reply.is_error
        assert "canary" not in json.dumps([reply.texts, reply.meta])
    assert reply_to(server, "mute_error").error["hint"] == "Look"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_id_that_a_client_gives_each_call_makes_no_new_caller(framework: str, era: str) -> None:
    server, texts = code(framework), list[str]()

    async def ask(client: Client) -> None:
        for number in range(3):
            meta = cast("Any", {"example.com/toolUseId": f"t{number}"})
            result = await client.call_tool("delete_file", {"pth": 1}, meta=meta)
            texts.append(cast("Any", result.content[0]).text)

    asked(server, ask, era=era)
    assert len(set(texts)) == 3
    assert texts[2].startswith("The same call has failed 3 times.")


@pytest.mark.parametrize("wrong_first", [True, False])
def test_a_cache_of_lists_keeps_our_tool_and_our_labels(wrong_first: bool) -> None:
    server = workshop("fastmcp")
    server.guidance.policy = Policy()
    server.server.middleware.insert(0, ResponseCachingMiddleware())

    async def ask(client: Client) -> tuple[list[str], Any, str]:
        if wrong_first:
            await called(client, "lok")
        tools = (await client.list_tools()).tools
        tools = (await client.list_tools()).tools
        return [tool.name for tool in tools], tools[0].annotations, (await called(client, "info")).text

    names, labels, text = asked(server, ask)
    assert names[-1] == "info"
    assert names.count("info") == 1
    assert labels.read_only_hint is True
    assert text.startswith("5 tools:")


def test_a_server_that_is_mounted_leaves_the_word_to_the_one_that_clients_call() -> None:
    child, parent = code("fastmcp"), FastMCP[Any]("parent")
    parent.mount(child.server, namespace="kid")

    async def main() -> tuple[list[str], Any]:
        async with Client(parent._mcp_server) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, await called(client, "kid_search", {"patern": "x"})

    names, reply = run(main())
    assert names == ["kid_search", "kid_delete_file"]
    assert "search(" not in reply.text
    parent.add_middleware(fastmcp.Guidance())
    names, reply = run(main())
    assert names == ["kid_search", "kid_delete_file", "info"]
    assert reply.texts[0] == "x 50"


@pytest.mark.parametrize("era", ERAS)
def test_another_middlewares_error_keeps_its_words(era: str) -> None:
    class Raising(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            raise PermissionError("not you")

    with_guidance = code("fastmcp")
    without = FastMCP[Any]("without", middleware=[Raising()])
    without.tool(search)
    with_guidance.server.add_middleware(Raising())
    plain = Adopted("fastmcp")
    plain.server = without
    errors = [
        failed(server, lambda client: client.call_tool("search", {"pattern": "x"}), era)
        for server in (plain, with_guidance)
    ]
    assert [(error.code, error.message) for error in errors[1:]] == [(errors[0].code, errors[0].message)]


@pytest.mark.parametrize(
    "payload",
    [
        {"status": "failed", "reason": "disk full"},
        {"data": {"rows": [1, 2]}, "error": "deprecated field used"},
        {"success": False, "detail": "x", "data": {"a": 1}},
        {"ok": False, "message": "line 3 has a tab"},
        {"status": "error", "message": "Connection refused"},
    ],
)
def test_data_that_speaks_of_a_failure_earns_no_advice(payload: dict[str, Any]) -> None:
    server = Adopted("sdk")

    def look() -> dict[str, Any]:
        return payload

    server.tool(look)
    for times in (1, 3):
        assert len(reply_to(server, "look", times=times).texts) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sdk.Guidance(cast("Any", "strict")), "policy must be a Policy"),
        (lambda: fastmcp.Guidance(shape=cast("Any", "bogus")), "shape must be one of nested, envelope, flat"),
        (lambda: Policy(info_tool=""), "info_tool must be a name or None"),
        (lambda: sdk.Guidance.install(cast("Any", FastMCP("x"))), "for FastMCP: from fingerpost.fastmcp"),
    ],
)
def test_misuse_is_told_at_once_and_with_the_way_out(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_unknown_tool_can_be_a_protocol_error(framework: str) -> None:
    server = code(framework, Policy(unknown_tool="protocol"))
    error = failed(server, lambda client: client.call_tool("serach", {"pattern": "x"}))
    assert error.code == -32602
    assert error.data[KEY]["error"]["suggestions"]["did_you_mean"] == "search"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_shape_of_errors_is_the_servers_choice(framework: str) -> None:
    def untyped(pattern: str):  # pyright: ignore[reportUnknownParameterType]
        return pattern

    def refused(shape: str) -> Any:
        server = Adopted(framework, shape=shape)
        server.tool(untyped)  # pyright: ignore[reportUnknownArgumentType]
        return reply_to(server, "untyped")

    flat, envelope = refused("flat"), refused("envelope")
    assert flat.structured["error_type"] == "missing_required"
    assert (envelope.structured["ok"], envelope.structured["error_detail"]["code"]) == (False, "MISSING_REQUIRED")
    assert envelope.error["code"] == flat.error["code"] == "MISSING_REQUIRED"


@pytest.mark.parametrize("era", ERAS)
def test_a_low_level_server_may_raise_what_it_likes(era: str) -> None:
    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        names = ("authored", "crash", "protocol")
        return types.ListToolsResult(tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in names])

    async def call(ctx: Any, params: Any) -> types.CallToolResult:
        match params.name:
            case "authored":
                raise ToolOperationError("Patch failed", category="patch", hint="Use a unified diff")
            case "crash":
                raise TimeoutError("canary")
            case _:
                raise MCPError(-32042, "Approve first", {"url": "https://example.com"})

    server = Server[Any]("low", on_list_tools=listed, on_call_tool=call)
    sdk.Guidance.install(server)
    mode = "legacy" if era == "2025-11-25" else "auto"

    async def main() -> Any:
        async with Client(server, mode=mode) as client:
            authored = await called(client, "authored")
            errors = list[MCPError]()
            for name in ("crash", "protocol"):
                with pytest.raises(MCPError) as caught:
                    await client.call_tool(name)
                errors.append(caught.value)
            return authored, *errors

    authored, crash, protocol = run(main())
    assert authored.text == "Patch failed.\nUse a unified diff."
    assert crash.code == (0 if era == "2025-11-25" else -32603)
    assert crash.data[KEY]["error"]["code"] == "TIMEOUT"
    assert (protocol.code, protocol.message, protocol.data) == (-32042, "Approve first", {"url": "https://example.com"})


def test_two_servers_may_share_one_guidance() -> None:
    guidance = sdk.Guidance()
    first, second = (MCPServer[Any](name, middleware=[guidance]) for name in ("first", "second"))
    first.tool()(search)
    second.tool()(delete_file)

    async def main() -> tuple[str, str]:
        async with Client(first) as one, Client(second) as other:
            missed = (await called(other, "serach", {})).text
            await called(one, "search", {"pattern": "x"})
            await called(other, "serach", {"b": 1})
            return (await called(one, "serach", {"pattern": "x"})).text, missed

    found, missed = run(main())
    assert "search" in found
    assert "search(" not in missed


def test_a_guidance_of_fastmcp_is_a_middleware_of_fastmcp() -> None:
    assert isinstance(fastmcp.Guidance(), Middleware)
    assert FastMCP("x", middleware=[fastmcp.Guidance()]).middleware


# What a server cannot or does not tell


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_list_that_cannot_be_read_leaves_every_call_as_it_is(framework: str) -> None:
    """An unknown list: no suggestion, and no call is stopped."""
    server = librarian(framework)

    class Broken(Middleware):
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            raise RuntimeError("no list today")

        on_list_prompts = on_list_resources = on_list_resource_templates = on_list_tools

    async def broken(ctx: Any, call_next: Any) -> Any:
        if ctx.method.endswith("/list"):
            raise RuntimeError("no list today")
        return await call_next(ctx)

    server.server.middleware.append(broken if framework == "sdk" else Broken())

    async def ask(client: Client) -> tuple[Any, Any]:
        right, wrong = await raw_call(client, "search", {"pattern": "x"}), await raw_call(client, "serach", {})
        for lost in (client.get_prompt("revew"), client.read_resource("conf://mian")):
            with pytest.raises(MCPError) as caught:
                await lost
            assert KEY not in (caught.value.data or {})
        return right, wrong

    right, wrong = asked(server, ask)
    assert (right.content[0].text, wrong.is_error) == ("x 50", True)
    error = wrong.meta[KEY]["error"]
    assert (error["code"], error["suggestions"], error["next_steps"]) == ("UNKNOWN_TOOL", {}, {})
    assert len(wrong.content) == 1


def test_a_list_without_end_is_no_list() -> None:
    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        tool = types.Tool(name="tool", input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool], next_cursor="again")

    async def call(ctx: Any, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    server = Server[Any]("endless", on_list_tools=listed, on_call_tool=call)
    sdk.Guidance.install(server)

    async def main() -> Any:
        async with Client(server) as client:
            return await called(client, "anything")

    assert run(main()).texts == ["done"]


def test_a_middleware_that_hides_the_chain_leaves_guidance_with_what_comes_after_it() -> None:
    guidance = sdk.Guidance()

    class Hidden:
        def __init__(self, call_next: Any) -> None:
            self.call_next = call_next

        async def __call__(self, ctx: Any) -> Any:
            return await self.call_next(ctx)

    async def hiding(ctx: Any, call_next: Any) -> Any:
        return await guidance(ctx, Hidden(call_next))

    async def plainly(ctx: Any, call_next: Any) -> Any:
        async def after(inner: Any) -> Any:
            return await call_next(inner)

        return await guidance(ctx, after)

    for middleware in (hiding, plainly):
        server = MCPServer[Any]("hidden", middleware=[cast("Any", middleware)])
        server.tool()(search)

        async def main(server: Any = server) -> tuple[str, Any]:
            async with Client(server) as client:
                return (await called(client, "serach", {"pattern": "x"})).text, await client.list_tools()

        text, tools = run(main())
        assert "search" in text
        assert [tool.name for tool in tools.tools] == ["search", "info"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_notice_that_cannot_be_sent_holds_up_no_call(framework: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def boom(*args: Any) -> None:
        raise RuntimeError("no notices")

    path = "_sdk_internals.SdkUpstream" if framework == "sdk" else "fastmcp._FastMcpUpstream"
    monkeypatch.setattr(f"fingerpost.middleware.{path}.announce_change", boom)
    server = workshop(framework)
    assert reply_to(server, "sync", {"mode": "push"}).texts == ["push"]
    assert server.guidance.failures == 1


def test_a_declaration_that_cannot_say_counts_as_writing() -> None:
    def unsure(arguments: Any) -> bool:
        return arguments["mode"] == "push"

    server = Adopted("sdk", Policy(info_tool=None), write={"sync": unsure})

    def sync(mode: str = "pull") -> str:
        return mode

    server.tool(sync)
    assert labels(server)["sync"] == (False, True, "WRITE")


def test_tips_name_only_what_the_caller_may_see_by_now() -> None:
    server = Adopted("sdk")
    read_only = types.ToolAnnotations(read_only_hint=True)

    def list_notes(limit: int = 2, offset: int = 0) -> dict[str, Any]:
        return {"items": [{"id": "n1"}, {"id": "n2"}], "has_more": True}

    def get_note(id: str) -> str:
        return id

    server.tool(list_notes, annotations=read_only)
    server.tool(get_note, annotations=read_only)

    async def ask(client: Client) -> tuple[Any, Any]:
        before = await called(client, "list_notes")
        server.server.remove_tool("get_note")
        return before, await called(client, "list_notes")

    before, after = asked(server, ask)
    assert "get_note" in json.dumps(before.guidance)
    assert after.guidance["next_steps"]["get_more"]
    assert "get_note" not in json.dumps(after.guidance)


def test_what_a_tool_of_fastmcp_raises_when_its_arguments_were_read_from_a_string() -> None:
    server = Adopted("fastmcp")

    def fail(value: str) -> str:
        raise ToolOperationError("No", hint="Try later")

    server.tool(fail)
    reply = asked(server, lambda client: raw_call(client, "fail", '{"value": "x"}'))
    assert reply.meta[KEY]["error"]["hint"] == "Try later"


@pytest.mark.parametrize("error", [MCPError(-32099, "Mine", {"a": 1}), RuntimeError("canary")])
def test_what_another_middleware_of_fastmcp_raises_is_its_own(error: Exception) -> None:
    class Raising(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            raise error

    server = code("fastmcp")
    server.server.add_middleware(Raising())
    for arguments in ({"pattern": "x"}, '{"pattern": "x"}'):
        caught = failed(server, lambda client, sent=arguments: raw_call(client, "search", sent))
        assert "canary" not in json.dumps([caught.message, caught.data])
        assert caught.code == (-32099 if isinstance(error, MCPError) else -32603)


def test_what_a_server_says_about_the_arguments_is_not_said_about_the_tool() -> None:
    server = code("fastmcp", Policy(unknown_tool="protocol"))
    caught = failed(server, lambda client: raw_call(client, "serach", "no object"))
    assert caught.code == -32602 and "not found" not in json.dumps([caught.message, caught.data])


def test_other_messages_pass_untouched() -> None:
    async def ask(client: Client) -> Any:
        return await client.session.send_request(types.PingRequest(method="ping"), types.EmptyResult)

    assert asked(code("sdk"), ask, era="2025-11-25") is not None


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_resource_that_fails_otherwise_is_left_alone(framework: str) -> None:
    server = librarian(framework)

    def broken() -> str:
        raise RuntimeError("canary")

    server.resource("conf://broken", broken)
    error = failed(server, lambda client: client.read_resource("conf://broken"))
    assert KEY not in (error.data or {})


def test_a_list_that_is_none_and_notices_of_other_lists_change_nothing() -> None:
    server = code("sdk")

    async def odd(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        return {**result, "tools": None} if ctx.method == "tools/list" else result

    async def ask(client: Client) -> Any:
        await raw_call(client, "search", {"pattern": "x"})
        await server.server._subscriptions.publish(PromptsListChanged())
        with pytest.raises(ValidationError):
            await client.list_tools()
        return await raw_call(client, "search", {"pattern": "x"})

    server.server.middleware.append(odd)
    assert asked(server, ask).content[0].text == "x 50"


def test_a_server_without_subscriptions_announces_to_those_who_are_connected() -> None:
    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="sync", input_schema={"type": "object"})])

    async def call(ctx: Any, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

    server, notices = Server[Any]("low", on_list_tools=listed, on_call_tool=call), list[str]()
    sdk.Guidance.install(server, write={"sync": lambda arguments: bool(arguments)})

    async def heard(message: Any) -> None:
        notices.append(getattr(message, "method", ""))

    async def main() -> None:
        async with Client(server, mode="legacy", message_handler=heard) as client:
            await called(client, "sync", {"mode": "push"})
            await eventually(lambda: "notifications/tools/list_changed" in notices)

    run(main())


def test_negotiation_without_a_result_is_left_alone() -> None:
    async def nothing(context: Any) -> None:
        return None

    assert run(fastmcp.Guidance().on_initialize(cast("Any", None), cast("Any", nothing))) is None


def test_a_server_may_say_nothing_of_its_capabilities() -> None:
    server = code("sdk")

    async def silent(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        return {**result, "capabilities": None} if ctx.method == "server/discover" else result

    server.server.middleware.append(silent)
    with contextlib.suppress(BaseException):
        asked(server, lambda client: client.list_tools())
    assert server.guidance.failures == 0
