"""Published servers behind the proxy: correct calls pass byte for byte, wrong ones succeed on the first retry."""

# pyright: basic
from __future__ import annotations

import asyncio
import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from msgspec import Raw
from msgspec.json import decode

from fingerpost import KEY
from tests.support.published import (
    ALPHA,
    SERVERS,
    Line,
    Posts,
    World,
    everything_on_http,
    line,
    listening,
    proxied,
    server_command,
)

Call = tuple[str, Any]
Pair = tuple[Line, Line]

PAGE = b"<html><body><h1>Hello</h1><p>This page is served on loopback.</p></body></html>"
A = "$root/a.txt"
EDITS = [{"oldText": "two", "newText": "TWO"}]
GRACE = {"name": "Grace", "entityType": "person", "observations": ["found a moth"]}
NOON = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}

RIGHT: list[tuple[str, Call]] = [
    ("filesystem", ("read_text_file", {"path": A, "head": 2})),
    ("filesystem", ("read_multiple_files", {"paths": [A, "$root/none.txt"]})),
    ("filesystem", ("list_directory_with_sizes", {"path": "$root", "sortBy": "size"})),
    ("filesystem", ("search_files", {"path": "$root", "pattern": "*.txt"})),
    ("filesystem", ("edit_file", {"path": A, "edits": EDITS, "dryRun": True})),
    ("filesystem", ("edit_file", {"path": A, "edits": EDITS})),
    ("filesystem", ("write_file", {"path": "$root/é.txt", "content": "\u2028 \U0001f600 \\u0000"})),
    ("memory", ("create_entities", {"entities": [GRACE]})),
    ("memory", ("search_nodes", {"query": "Ada"})),
    ("memory", ("delete_entities", {"entityNames": ["Ada"]})),
    ("memory", ("read_graph", {})),
    ("git", ("git_status", {"repo_path": "$repo"})),
    ("git", ("git_log", {"repo_path": "$repo", "max_count": 1})),
    ("git", ("git_add", {"repo_path": "$repo", "files": ["b.txt"]})),
    ("git", ("git_create_branch", {"repo_path": "$repo", "branch_name": "side"})),
    ("time", ("convert_time", NOON)),
    ("time", ("convert_time", {**NOON, "target_timezone": "America/New_York"})),
    ("fetch", ("fetch", {"url": "$url"})),
    ("fetch", ("fetch", {"url": "$url", "raw": True, "max_length": 10})),
    ("everything", ("echo", {"message": "héllo \u2028"})),
    ("everything", ("get-sum", {"a": 1.50, "b": 1e3})),
    ("everything", ("get-tiny-image", {})),
    ("everything", ("get-structured-content", {"location": "Chicago"})),
    ("everything", ("get-resource-reference", {"resourceType": "Blob", "resourceId": 2})),
]

REPAIRED: list[tuple[str, Call, Call, str]] = [
    (
        "filesystem",
        ("edit_file", {"path": A, "edits": EDITS, "dryrun": True}),
        ("edit_file", {"path": A, "edits": EDITS, "dryRun": True}),
        "Parameter 'dryrun' was auto-corrected to 'dryRun'.",
    ),
    (
        "filesystem",
        ("search_files", {"path": "$root", "patern": "*.txt"}),
        ("search_files", {"path": "$root", "pattern": "*.txt"}),
        "Parameter 'patern' was auto-corrected to 'pattern'.",
    ),
    (
        "filesystem",
        ("read_text_file", {"path": A, "head": "2"}),
        ("read_text_file", {"path": A, "head": 2}),
        "Parameter 'head' was auto-corrected to 2.",
    ),
    (
        "filesystem",
        ("edit_file", {"path": A, "edits": json.dumps(EDITS)}),
        ("edit_file", {"path": A, "edits": EDITS}),
        "Parameter 'edits' was auto-corrected to " + json.dumps(EDITS) + ".",
    ),
    (
        "filesystem",
        ("list_directory_with_sizes", {"path": "$root", "sortBy": "SIZE"}),
        ("list_directory_with_sizes", {"path": "$root", "sortBy": "size"}),
        "Parameter 'sortBy' was auto-corrected to \"size\".",
    ),
    (
        "filesystem",
        ("mcp__filesystem__read_text_file", {"path": A}),
        ("read_text_file", {"path": A}),
        "Tool 'mcp__filesystem__read_text_file' was auto-corrected to 'read_text_file'.",
    ),
    (
        "memory",
        ("create_entities", {"entities": json.dumps([GRACE])}),
        ("create_entities", {"entities": [GRACE]}),
        "Parameter 'entities' was auto-corrected to " + json.dumps([GRACE]) + ".",
    ),
    (
        "memory",
        ("open_nodes", {"names": "Ada"}),
        ("open_nodes", {"names": ["Ada"]}),
        "Parameter 'names' was auto-corrected to [\"Ada\"].",
    ),
    (
        "git",
        ("git_log", {"repo_path": "$repo", "maxCount": 1}),
        ("git_log", {"repo_path": "$repo", "max_count": 1}),
        "Parameter 'maxCount' was auto-corrected to 'max_count'.",
    ),
    (
        "git",
        ("git_add", {"repo_path": "$repo", "files": "b.txt"}),
        ("git_add", {"repo_path": "$repo", "files": ["b.txt"]}),
        "Parameter 'files' was auto-corrected to [\"b.txt\"].",
    ),
    ("time", ("convertTime", NOON), ("convert_time", NOON), "Tool 'convertTime' was auto-corrected to 'convert_time'."),
    (
        "fetch",
        ("fetch", {"url": "$url", "max_length": "20"}),
        ("fetch", {"url": "$url", "max_length": 20}),
        "Parameter 'max_length' was auto-corrected to 20.",
    ),
    (
        "fetch",
        ("fetch", {"url": "$url", "maxlength": 20}),
        ("fetch", {"url": "$url", "max_length": 20}),
        "Parameter 'maxlength' was auto-corrected to 'max_length'.",
    ),
    (
        "everything",
        ("echo", {"mesage": "hi"}),
        ("echo", {"message": "hi"}),
        "Parameter 'mesage' was auto-corrected to 'message'.",
    ),
    (
        "everything",
        ("get-structured-content", {"location": "new york"}),
        ("get-structured-content", {"location": "New York"}),
        "Parameter 'location' was auto-corrected to \"New York\".",
    ),
    (
        "everything",
        ("get-sum", '{"a": 1, "b": 2}'),
        ("get-sum", {"a": 1, "b": 2}),
        "The arguments were read from a string of JSON.",
    ),
]

REFUSED: list[tuple[str, Call, str, str, Any]] = [
    (
        "filesystem",
        ("read_txt_file", {"path": A}),
        "UNKNOWN_TOOL",
        "Try: read_text_file(path: ",
        None,
    ),
    (
        "filesystem",
        ("read_txt_file", {"path": "$root/" + "./" * 40 + "a.txt"}),
        "UNKNOWN_TOOL",
        "Try: read_text_file(path: <as sent>)",
        None,
    ),
    (
        "filesystem",
        ("edit_file", {"path": A, "edits": EDITS, "preview": True}),
        "UNKNOWN_PARAM",
        "Unknown param 'preview', did you mean 'dryRun'?\nCorrected call: edit_file(",
        None,
    ),
    (
        "filesystem",
        ("write_file", {"path": A, "text": "new"}),
        "UNKNOWN_PARAM",
        "Unknown param 'text', did you mean 'content'?\nCorrected call: write_file(",
        None,
    ),
    (
        "filesystem",
        ("edit_file", {"path": A}),
        "MISSING_REQUIRED",
        "Required parameter 'edits' is missing.\nFill in: edit_file(",
        EDITS[0],
    ),
    (
        "filesystem",
        ("list_directory_with_sizes", {"path": "$root", "sortBy": "date"}),
        "INVALID_CHOICE",
        'Parameter \'sortBy\' must be one of "name", "size", got "date".\nFill in: list_directory_with_sizes(',
        "name",
    ),
    (
        "memory",
        ("search_node", {"query": "Ada"}),
        "UNKNOWN_TOOL",
        'Try: search_nodes(query: "Ada")',
        None,
    ),
    (
        "memory",
        ("create_entities", {"entities": [{"name": "B", "type": "person", "observations": []}]}),
        "UNKNOWN_PARAM",
        "Unknown param 'entities[0].type', did you mean 'entityType'?",
        None,
    ),
    (
        "memory",
        ("create_relations", {"relations": [{"from": "Ada", "to": "Grace"}]}),
        "MISSING_REQUIRED",
        "Required parameter 'relations[0].relationType' is missing.\nFill in: create_relations(",
        "inspired",
    ),
    (
        "git",
        ("git_create_brnch", {"repo_path": "$repo", "branch_name": "side"}),
        "UNKNOWN_TOOL",
        "Tool 'git_create_brnch' not found.\nTry: git_create_branch(",
        None,
    ),
    (
        "git",
        ("git_status", {"path": "$repo"}),
        "UNKNOWN_PARAM",
        "Unknown param 'path', did you mean 'repo_path'?\nCorrected call: git_status(",
        None,
    ),
    (
        "git",
        ("git_diff", {"repo_path": "$repo"}),
        "MISSING_REQUIRED",
        "Required parameter 'target' is missing.\nFill in: git_diff(",
        "HEAD",
    ),
    (
        "time",
        ("convert_time", {"from_timezone": "UTC", "time": "12:00", "to_timezone": "Asia/Tokyo"}),
        "UNKNOWN_PARAM",
        "Unknown param 'from_timezone', did you mean 'source_timezone'? "
        "Unknown param 'to_timezone', did you mean 'target_timezone'?\nCorrected call: convert_time(",
        None,
    ),
    (
        "time",
        ("convert_time", {"source_timezone": "UTC", "target_timezone": "Asia/Tokyo"}),
        "MISSING_REQUIRED",
        "Required parameter 'time' is missing.\nFill in: convert_time(",
        "12:00",
    ),
    ("fetch", ("fetch_url", {"url": "$url"}), "UNKNOWN_TOOL", "Tool 'fetch_url' not found.\nTry: fetch(url: ", None),
    ("fetch", ("fetch", {"uri": "$url"}), "UNKNOWN_PARAM", "Unknown param 'uri', did you mean 'url'?", None),
    (
        "everything",
        ("get-sum", {"a": 1}),
        "MISSING_REQUIRED",
        "Required parameter 'b' is missing.\nFill in: get-sum(a: 1, b: <number>)",
        2,
    ),
    ("everything", ("add", {"a": 1, "b": 2}), "UNKNOWN_TOOL", "Try: get-sum(a: 1, b: 2)", None),
    (
        "everything",
        ("get-annotated-message", {"messageType": "warning"}),
        "INVALID_CHOICE",
        'Parameter \'messageType\' must be one of "error", "success", "debug", got "warning".\nFill in: ',
        "debug",
    ),
]

OWN_WORDS: list[tuple[str, Call, str, str]] = [
    ("filesystem", ("read_text_file", {"path": "$root/none.txt"}), "NOT_FOUND", "Check the path"),
    ("filesystem", ("read_text_file", {"path": "/none.txt"}), "PERMISSION_DENIED", "Use a place"),
    (
        "memory",
        ("add_observations", {"observations": [{"entityName": "Nobody", "contents": []}]}),
        "NOT_FOUND",
        "Check the name",
    ),
    ("fetch", ("fetch", {"url": "$url", "max_length": 0}), "OUT_OF_RANGE", "Parameter 'max_length' value 0 is below"),
    ("everything", ("get-resource-links", {"count": 99}), "OUT_OF_RANGE", "Parameter 'count' value 99 exceeds"),
]


class Page(BaseHTTPRequestHandler):
    """A web server with one page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def place(world: World) -> Iterator[Callable[[Any], Any]]:
    """Replace the placeholders in calls with real paths and URLs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        names = {"$root": str(world.root), "$repo": str(world.repo), "$url": f"http://127.0.0.1:{site.server_port}/"}

        def placed(value: Any) -> Any:
            if isinstance(value, str):
                for name, text in names.items():
                    value = value.replace(name, text)
                return value
            if isinstance(value, dict):
                return {key: placed(one) for key, one in value.items()}
            return type(value)(placed(one) for one in value) if isinstance(value, list | tuple) else value

        yield placed
        site.shutdown()


@pytest.fixture(scope="module")
def pair(world: World) -> Iterator[Callable[[str], Pair]]:
    """A server reached directly and another through the proxy, both with their tools listed."""
    made: dict[str, Pair] = {}
    with ExitStack() as stack:

        def of(name: str) -> Pair:
            if name not in made:
                command = server_command(name, world)
                made[name] = (
                    stack.enter_context(line(command, world)),
                    stack.enter_context(line(proxied(command), world)),
                )
                for one in made[name]:
                    one.greet()
                    one.ask(1, "tools/list")
            return made[name]

        yield of


def called(line: Line, world: World, call: Call) -> Any:
    """Call a tool after resetting the world."""
    world.renew()
    return line.call(*call)


def texts(result: dict[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"]]


@pytest.mark.parametrize("name", SERVERS)
def test_the_tool_list_is_the_servers_own_plus_our_tool(name: str, pair: Callable[[str], Pair]) -> None:
    direct, guided = (decode(one.ask(2, "tools/list").raw, type=dict[str, Raw]) for one in pair(name))
    listed, given = (decode(frame.pop("result"), type=dict[str, Raw]) for frame in (direct, guided))
    assert direct == guided
    plain, more = (decode(page.pop("tools"), type=list[Raw]) for page in (listed, given))
    assert listed == given
    assert more[:-1] == plain
    assert decode(more[-1])["name"] == "info"


@pytest.mark.parametrize(("name", "call"), RIGHT, ids=str)
def test_a_correct_call_is_answered_byte_for_byte(
    name: str, call: Call, pair: Callable[[str], Pair], world: World, place: Callable[[Any], Any]
) -> None:
    direct, guided = pair(name)
    assert called(direct, world, place(call)).result.get("isError", False) is False
    tries = ((called(direct, world, place(call)).raw, called(guided, world, place(call)).raw) for _ in range(3))
    assert any(own == ours for own, ours in tries)  # some replies contain the time of day


def test_a_misspelled_dry_run_writes_nothing(
    pair: Callable[[str], Pair], world: World, place: Callable[[Any], Any]
) -> None:
    direct, guided = pair("filesystem")
    call = place(("edit_file", {"path": A, "edits": EDITS, "dryrun": True}))
    called(direct, world, call)
    assert (world.root / "a.txt").read_text(encoding="utf-8") == ALPHA.replace("two", "TWO")
    called(guided, world, call)
    assert (world.root / "a.txt").read_text(encoding="utf-8") == ALPHA


@pytest.mark.parametrize(("name", "wrong", "right", "note"), REPAIRED, ids=str)
def test_a_slip_is_repaired_with_a_note(
    name: str,
    wrong: Call,
    right: Call,
    note: str,
    pair: Callable[[str], Pair],
    world: World,
    place: Callable[[Any], Any],
) -> None:
    direct, guided = pair(name)
    expected = called(direct, world, place(right)).result
    result = called(guided, world, place(wrong)).result
    assert result["content"][-1] == {"type": "text", "text": note}
    assert result.pop("_meta")[KEY]["corrections"][0]["auto_corrected"] is True
    assert {**result, "content": result["content"][:-1]} == expected


@pytest.mark.parametrize(("name", "wrong", "code", "text", "filling"), REFUSED, ids=str)
def test_a_wrong_call_succeeds_on_the_first_retry(
    name: str,
    wrong: Call,
    code: str,
    text: str,
    filling: Any,
    pair: Callable[[str], Pair],
    world: World,
    place: Callable[[Any], Any],
) -> None:
    direct, guided = pair(name)
    result = called(guided, world, place(wrong)).result
    error = result["_meta"][KEY]["error"]
    assert result["isError"] is True
    own, ours = texts(result)[:-1], texts(result)[-1]
    assert ours.startswith(text)
    assert error["code"] == code
    assert error["next_steps"].get("fix", error.get("hint")) in ours
    assert own == (texts(called(direct, world, place(wrong)).result) if ours.startswith("Try: ") else [])
    corrected = error["corrected_call"]
    assert (corrected.get("when_filled", corrected["applicability"]) == "has_placeholders") is (filling is not None)
    retry = corrected["name"], filled(completed(corrected, place(wrong)[1]), filling)
    again = called(guided, world, retry)
    assert again.result.get("isError", False) is False
    assert again.raw == called(direct, world, retry).raw


def completed(corrected: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a corrected call, with those that it refers to in the original call."""
    left_out = {name: sent[origin] for name, origin in corrected.get("as_sent", {}).items()}
    return {**corrected["arguments"], **left_out}


def filled(value: Any, filling: Any) -> Any:
    """Fill in the placeholders of a corrected call, as a model would: all with one value, or each by its name."""
    if isinstance(value, dict):
        return {
            key: filled(one, filling.get(key, filling) if isinstance(filling, dict) else filling)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [filled(one, filling) for one in value]
    return filling if isinstance(value, str) and value.startswith("<") and value.endswith(">") else value


@pytest.mark.parametrize(("name", "call", "code", "hint"), OWN_WORDS, ids=str)
def test_a_failure_keeps_the_servers_text_first(
    name: str,
    call: Call,
    code: str,
    hint: str,
    pair: Callable[[str], Pair],
    world: World,
    place: Callable[[Any], Any],
) -> None:
    direct, guided = pair(name)
    expected, result = (called(one, world, place(call)).result for one in (direct, guided))
    assert result.pop("_meta")[KEY]["error"]["code"] == code
    assert result["content"].pop()["text"].startswith(hint)
    assert result == expected


ANSWERS: dict[str, Any] = {
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "a word"},
        "model": "small",
        "stopReason": "endTurn",
    },
    "elicitation/create": {"action": "accept", "content": {"name": "Ada", "check": True}},
    "roots/list": {"roots": [{"uri": "file:///somewhere", "name": "here"}]},
}
WATCHED = "demo://resource/dynamic/text/1"


def conversation(command: list[str], world: World) -> list[Any]:
    """Every message that a client receives in a conversation with the everything server."""
    with line(command, world) as one:
        one.answers = lambda frame: ANSWERS[frame["method"]]
        received = [one.greet(sampling={}, elicitation={}, roots={"listChanged": True}).frame]
        received.append(one.until("roots/list"))
        received.append(one.until("notifications/message"))
        for id, (method, params) in enumerate(
            [
                ("logging/setLevel", {"level": "debug"}),
                ("tools/call", {"name": "trigger-long-running-operation", "arguments": {"duration": 0.2, "steps": 2}}),
                ("tools/call", {"name": "trigger-sampling-request", "arguments": {"prompt": "Say", "maxTokens": 9}}),
                ("tools/call", {"name": "trigger-elicitation-request", "arguments": {}}),
                ("tools/call", {"name": "get-roots-list", "arguments": {}}),
                ("resources/subscribe", {"uri": WATCHED}),
                ("tools/call", {"name": "toggle-subscriber-updates", "arguments": {}}),
                ("resources/read", {"uri": "demo://resource/static/document/features.md"}),
                ("prompts/get", {"name": "simple-prompt"}),
                ("completion/complete", _COMPLETION),
                ("ping", {}),
            ]
        ):
            asked = one.ask(id + 10, method, {**params, "_meta": {"progressToken": f"token {id}"}})
            received += [*asked.before, asked.frame]
        if not [frame for frame in received if frame.get("method") == "notifications/resources/updated"]:
            received.append(one.until("notifications/resources/updated"))
    return received


_COMPLETION = {
    "ref": {"type": "ref/prompt", "name": "completable-prompt"},
    "argument": {"name": "department", "value": "E"},
}


@pytest.mark.parametrize("guidance", ["on", "off"])
def test_all_other_messages_pass_in_both_directions(guidance: str, world: World) -> None:
    command = server_command("everything", world)
    expected = conversation(command, world)
    methods = [frame["method"] for frame in expected if "method" in frame]
    assert {
        "notifications/progress",
        "notifications/message",
        "notifications/resources/updated",
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
    } <= set(methods)
    assert not [frame for frame in expected if "error" in frame]
    assert conversation(proxied(command, "--guidance", guidance), world) == expected


@pytest.mark.parametrize("guidance", ["on", "off"])
def test_an_http_server_gives_the_same_replies_over_stdio(guidance: str, world: World) -> None:
    """The order of messages may differ, the replies may not."""
    expected = conversation(server_command("everything", world), world)
    with everything_on_http(world) as url:
        received = conversation(proxied(url, "--guidance", guidance), world)
    replies, own = (
        [without_session_name(frame) for frame in frames if "result" in frame] for frames in (received, expected)
    )
    assert replies == own
    assert {frame["method"] for frame in received if "method" in frame} == {
        frame["method"] for frame in expected if "method" in frame
    }


def without_session_name(frame: Any) -> Any:
    """A frame without the session name, which stdio does not have."""
    return json.loads(re.sub(r"session [0-9a-f-]{36}", "session undefined", json.dumps(frame)))


def test_a_server_that_outlives_its_client_is_stopped_with_the_proxy(world: World) -> None:
    """The everything server does not exit when its input is closed."""
    with line(proxied(server_command("everything", world)), world) as one:
        one.greet()
        children = children_of(one.process.pid)
        assert len(children) == 2  # the server and the guard
        assert one.hang_up() == 0
        assert not children & running()


def children_of(pid: int) -> set[int]:
    return {child for child, parent in processes() if parent == pid}


def running() -> set[int]:
    return {pid for pid, _ in processes()}


def processes() -> list[tuple[int, int]]:
    """Every process and its parent."""
    printed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return [(int(pid), int(parent)) for pid, parent in (row.split() for row in printed.splitlines())]


@pytest.mark.parametrize(
    ("name", "mode", "version"),
    [
        ("filesystem", "legacy", "2025-11-25"),
        ("memory", "auto", "2025-11-25"),
        ("everything", "auto", "2025-11-25"),
        ("git", "auto", "2026-07-28"),
        ("time", "legacy", "2025-11-25"),
        ("time", "auto", "2026-07-28"),
    ],
)
def test_the_official_client_sees_the_same_server(
    name: str, mode: str, version: str, world: World, place: Callable[[Any], Any]
) -> None:
    command = server_command(name, world)
    right = [place(call) for server, call in RIGHT if server == name][:2]
    wrong = next(place(call) for server, call, *_ in REFUSED if server == name)
    world.renew()
    direct = asyncio.run(seen(command, mode, [*right, wrong], world))
    world.renew()
    guided = asyncio.run(seen(proxied(command), mode, [*right, wrong], world))
    assert direct[0] == version
    assert guided[:-2] == direct[:-2]
    assert [tool for tool in guided[-2] if tool["name"] != "info"] == direct[-2]
    assert guided[-1]["isError"] is True
    assert KEY in guided[-1]["_meta"]


async def seen(command: list[str], mode: Any, calls: list[Call], world: World) -> list[Any]:
    """The server's description, the replies to the correct calls, the tool list, and the reply to the wrong call."""
    server = StdioServerParameters(command=command[0], args=command[1:], env=world.environment)
    async with Client(server, mode=mode, cache=None) as client:
        server_facts = [client.protocol_version, client.server_info, client.server_capabilities, client.instructions]
        tools = [dump(tool) for tool in (await client.list_tools()).tools]
        replies: list[Any] = []
        for name, arguments in calls:
            try:
                replies.append(dump(await client.call_tool(name, arguments)))
            except Exception as error:
                replies.append(str(error))
    return [*server_facts, *replies[:-1], tools, replies[-1]]


def dump(value: Any) -> Any:
    return value.model_dump(by_alias=True, mode="json", exclude_none=True)


def by_http(name: str, world: World) -> AbstractContextManager[str]:
    """The URL of a proxy in front of a stdio server."""
    return listening(proxied(server_command(name, world), "--listen", "127.0.0.1:0"), world.environment)


@pytest.mark.parametrize("name", ["filesystem", "git"])
def test_a_stdio_server_gives_the_same_replies_over_http(
    name: str, pair: Callable[[str], Pair], world: World, place: Callable[[Any], Any]
) -> None:
    direct, guided = pair(name)
    with by_http(name, world) as url:
        posts = Posts(url)
        posts.greet()
        assert posts.ask(3, "tools/list").raw == guided.ask(3, "tools/list").raw
        for call in [place(call) for server, call in RIGHT if server == name]:
            world.renew()
            assert posts.call(*call).raw == called(direct, world, call).raw
        wrong, code = next((place(call), code) for server, call, code, *_ in REFUSED if server == name)
        error = posts.call(*wrong).result["_meta"][KEY]["error"]
        assert error["code"] == code
        corrected = error["corrected_call"]
        world.renew()
        again = posts.call(corrected["name"], completed(corrected, wrong[1]))
        assert again.result.get("isError", False) is False


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")  # deprecated, but some servers still have it
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_requests_of_the_server_reach_the_client_over_http(transport: str, world: World) -> None:
    with ExitStack() as stack:
        if transport == "stdio":
            url = stack.enter_context(by_http("everything", world))
        else:
            behind = stack.enter_context(everything_on_http(world))
            url = stack.enter_context(listening(proxied(behind, "--listen", "127.0.0.1:0")))
        results = asyncio.run(everything_by_http(url))
    assert "a word" in results["sampling"]
    assert "Ada" in results["elicitation"]
    assert results["progress"] == [(1.0, 2.0), (2.0, 2.0)]
    assert results["updated"] == [WATCHED]


def test_the_proxy_refuses_foreign_pages_in_front_of_a_server_that_does_not(world: World) -> None:
    with everything_on_http(world) as url, listening(proxied(url, "--listen", "127.0.0.1:0")) as front:
        assert status_for_foreign_page(url) == 200
        assert status_for_foreign_page(front) == 403


def status_for_foreign_page(url: str) -> int:
    """The status for a page of another host (DNS rebinding)."""
    at = urlsplit(url)
    headers = {
        "Host": "evil.example",
        "Origin": "http://evil.example",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}}
    with closing(HTTPConnection(str(at.hostname), at.port, timeout=60)) as connection:
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        connection.request("POST", at.path, json.dumps(body), headers)
        return connection.getresponse().status


async def everything_by_http(url: str) -> dict[str, Any]:
    steps: list[Any] = []
    updated: list[str] = []
    is_updated = asyncio.Event()

    async def sample(context: Any, params: Any) -> types.CreateMessageResult:
        return types.CreateMessageResult.model_validate(ANSWERS["sampling/createMessage"])

    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult.model_validate(ANSWERS["elicitation/create"])

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total))

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            updated.append(str(message.params.uri))
            is_updated.set()

    async with Client(
        url, mode="legacy", sampling_callback=sample, elicitation_callback=elicit, message_handler=on_message
    ) as client:
        sampling = await client.call_tool("trigger-sampling-request", {"prompt": "Say", "maxTokens": 9})
        elicitation = await client.call_tool("trigger-elicitation-request", {})
        operation = {"duration": 0.2, "steps": 2}
        await client.call_tool("trigger-long-running-operation", operation, progress_callback=on_progress)
        await client.subscribe_resource(WATCHED)
        await client.call_tool("toggle-subscriber-updates", {})
        await asyncio.wait_for(is_updated.wait(), 60)
        return {
            "sampling": texts(dump(sampling))[0],
            "elicitation": "\n".join(texts(dump(elicitation))),
            "progress": steps,
            "updated": updated,
        }
