"""A proxied session as a function of frames: conversations that read like one, and laws over any of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from fingerpost.engine.model import KEY, Verdict
from fingerpost.engine.policy import Policy
from fingerpost.proxy.protocol.broken_frame import find_id
from fingerpost.proxy.protocol.frames import FrameSplitter, OversizedFrame
from fingerpost.proxy.protocol.lost_reply import LostReply
from fingerpost.proxy.protocol.message import fields
from fingerpost.proxy.protocol.pending import LIST_TIMEOUT
from fingerpost.proxy.protocol.relay import Relay
from fingerpost.proxy.protocol.session import Session
from tests.support.http_lab import Log

SEARCH = {
    "name": "search",
    "inputSchema": {
        "type": "object",
        "properties": {"pattern": {"type": "string"}, "max": {"type": "integer"}},
        "required": ["pattern"],
    },
}
WRITE = {
    "name": "write",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "dry_run": {"type": "boolean"}},
        "required": ["path"],
    },
}
READ = {**SEARCH, "name": "read", "annotations": {"readOnlyHint": True}}


def frame(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def asked(id: Any, method: str, **params: Any) -> bytes:
    return frame({"id": id, "method": method, **({"params": params} if params else {})})


def called(id: Any, name: str, arguments: Any = None, **more: Any) -> bytes:
    return asked(id, "tools/call", name=name, **({"arguments": arguments} if arguments is not None else {}), **more)


def said(id: Any, text: str = "done", **more: Any) -> bytes:
    return frame({"id": id, "result": {"content": [{"type": "text", "text": text}], **more}})


class Talk:
    """A session, and both sides of it by hand."""

    def __init__(self, *, timeout: float = 0.0, guidance: bool = True, **policy: Any) -> None:
        self.now = 1_000.0
        self.log, self.notes = Log(), list[str]()
        defaults: dict[str, Any] = {"tips": False, "info_tool": None}
        chosen = Policy(**{**defaults, **policy})
        self.relay = Relay(chosen, self.log, clock=lambda: self.now) if guidance else None
        self.session = Session(self.relay, timeout=timeout, clock=lambda: self.now, note=self.notes.append)

    def client(self, *frames: bytes) -> list[bytes]:
        """The client sends; what the server gets."""
        for one in frames:
            self.session.from_client(one)
        return self.sent()

    def server(self, *frames: bytes) -> list[bytes]:
        """The server sends; what the client gets."""
        for one in frames:
            self.session.from_server(one)
        return self.got()

    def sent(self) -> list[bytes]:
        frames, self.session.to_server[:] = list(self.session.to_server), []
        return frames

    def got(self) -> list[bytes]:
        frames, self.session.to_client[:] = list(self.session.to_client), []
        return frames

    def passed(self, seconds: float) -> None:
        self.now += seconds
        self.session.tick()

    def served(self) -> Talk:
        """The server has answered something."""
        self.client(asked("hello", "ping"))
        self.server(said("hello"))
        return self

    def listed(self, *tools: dict[str, Any], **more: Any) -> Talk:
        """The client has read this list."""
        self.client(asked("list", "tools/list"))
        self.server(frame({"id": "list", "result": {"tools": list(tools), **more}}))
        return self


def only(frames: list[bytes]) -> Any:
    assert len(frames) == 1, frames
    return json.loads(frames[0])


def text(reply: Any) -> str:
    return "\n".join(block["text"] for block in reply["result"]["content"])


# what passes


def test_a_right_call_and_its_reply_pass_in_the_very_bytes() -> None:
    talk = Talk().listed(SEARCH)
    call = (
        b'{ "id":7, "params":{"arguments":{"max":1e1,"pattern":"\\u0055ser"},"name":"search","x":1.50},'
        b'"method":"tools/call","jsonrpc":"2.0"}\r'
    )
    assert talk.client(call) == [call]
    reply = b'{"jsonrpc":"2.0" , "id":7,"result":{"content":[],"n":1.10,"big":9007199254740993}}'
    assert talk.server(reply) == [reply]


def test_a_list_passes_and_gains_the_tool_that_explains_tools() -> None:
    talk = Talk(info_tool="info")
    assert talk.client(asked(1, "tools/list")) == [asked(1, "tools/list")]
    [reply] = talk.server(
        b'{"id":1,"result":{"x":1.0e1,"tools":[{"name":"a","inputSchema":{"minimum":1.50}}]},"jsonrpc":"2.0"}'
    )
    assert reply.startswith(
        b'{"id":1,"result":{"x":1.0e1,"tools":[{"name":"a","inputSchema":{"minimum":1.50}},{"name":"info"'
    )
    assert [tool["name"] for tool in json.loads(reply)["result"]["tools"]] == ["a", "info"]


def test_a_server_with_an_info_tool_of_its_own_keeps_it() -> None:
    talk = Talk(info_tool="info")
    talk.client(asked(1, "tools/list"))
    reply = frame({"id": 1, "result": {"tools": [{"name": "info", "inputSchema": {"type": "object"}}]}})
    assert talk.server(reply) == [reply]


def test_pages_of_a_list_are_put_together_and_only_the_last_gains_our_tool() -> None:
    talk = Talk(info_tool="info")
    talk.client(asked(1, "tools/list"))
    first = frame({"id": 1, "result": {"tools": [SEARCH], "nextCursor": "p2"}})
    assert talk.server(first) == [first]
    talk.client(asked(2, "tools/list", cursor="p2"))
    assert [
        tool["name"] for tool in only(talk.server(frame({"id": 2, "result": {"tools": [WRITE]}})))["result"]["tools"]
    ] == [
        "write",
        "info",
    ]
    assert talk.client(called(3, "search", {"pattern": "x"})) == [called(3, "search", {"pattern": "x"})]


def test_a_page_that_nobody_led_to_is_passed_on_and_not_learned() -> None:
    talk = Talk(info_tool="info")
    talk.client(asked(2, "tools/list", cursor="p9"))
    page = frame({"id": 2, "result": {"tools": [WRITE]}})
    assert talk.server(page) == [page]


@pytest.mark.parametrize("result", [{}, {"tools": 1}, {"tools": [1, {"name": 2}]}, [], None, "x"])
def test_a_list_that_is_none_passes_as_it_is(result: Any) -> None:
    talk = Talk()
    talk.client(asked(1, "tools/list"))
    reply = frame({"id": 1, "result": result})
    assert talk.server(reply) == [reply]


def test_what_the_server_asks_and_says_by_itself_passes_and_so_do_the_answers() -> None:
    talk = Talk().listed(SEARCH)
    for one in (
        asked(1, "sampling/createMessage", messages=[]),
        frame({"method": "notifications/message", "params": {}}),
    ):
        assert talk.server(one) == [one]
    answer = frame({"id": 1, "result": {"role": "user"}})
    assert talk.client(answer) == [answer]


def test_blank_lines_are_dropped() -> None:
    talk = Talk()
    assert talk.client(b"", b"  \r") == []
    assert talk.server(b"", b" ") == []
    assert talk.got() == []


# what is refused, repaired, explained


def test_a_wrong_call_is_answered_and_never_sent() -> None:
    talk = Talk().listed(SEARCH, WRITE)
    assert talk.client(called(5, "write", {"path": "a", "dryrnu": True})) == []
    reply = only(talk.got())
    assert reply["id"] == 5
    assert 'write(path: "a", dry_run: true)' in text(reply)
    assert talk.log.lines == [("refused", "write", "UNKNOWN_PARAM")]


def test_a_repaired_call_keeps_every_byte_that_was_not_wrong() -> None:
    talk = Talk().listed(SEARCH)
    call = (
        b'{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"_meta":{"n":1.0e2},"name":"search",'
        b'"arguments":{"pattern":"\\u00e9","max":"5"},"task":{"ttl":1.00}}}'
    )
    assert talk.client(call) == [call.replace(b'"max":"5"', b'"max":5')]
    reply = only(talk.server(said(15)))
    assert text(reply) == "done\nParameter 'max' was auto-corrected to 5."
    assert talk.log.lines == [("repaired", "search", "")]


def test_a_renamed_argument_keeps_the_spelling_of_its_value() -> None:
    talk = Talk().listed({**READ, "inputSchema": {"type": "object", "properties": {"max_size": {"type": "number"}}}})
    sent = talk.client(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"maxSize":1.50E3}}}'
    )
    assert b'"arguments":{"max_size":1.50E3}' in sent[0]


def test_a_failed_reply_keeps_its_words_and_gains_the_way_out() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(2, "search", {"pattern": "A"}))
    [reply] = talk.server(
        b'{"jsonrpc":"2.0","id":2,"result":{"x":1.0e1,"content":[{"type":"text","text":"No such file: \\u0041"}],'
        b'"isError":true}}'
    )
    assert reply.startswith(
        b'{"jsonrpc":"2.0","id":2,"result":{"x":1.0e1,"content":[{"type":"text","text":"No such file: \\u0041"},'
    )
    assert json.loads(reply)["result"]["_meta"][KEY]["error"]["code"] == "NOT_FOUND"
    assert talk.log.lines == [("guided", "search", "NOT_FOUND")]


def test_a_protocol_error_keeps_its_code_and_gains_data() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(2, "search", {"pattern": "x"}))
    reply = only(
        talk.server(frame({"id": 2, "error": {"code": -32000, "message": "rate limit exceeded", "data": {"a": 1}}}))
    )
    assert (reply["error"]["code"], reply["error"]["message"], reply["error"]["data"]["a"]) == (
        -32000,
        "rate limit exceeded",
        1,
    )
    assert reply["error"]["data"][KEY]["error"]["code"] == "RATE_LIMITED"


def test_an_unknown_tool_is_asked_for_under_its_own_name_and_then_explained() -> None:
    talk = Talk().listed(SEARCH)
    assert talk.client(called(3, "serach", {"pattern": "x"})) == [called(3, "serach", {"pattern": "x"})]
    reply = only(talk.server(frame({"id": 3, "error": {"code": -32602, "message": "Unknown tool: serach"}})))
    assert reply["id"] == 3
    assert reply["result"]["isError"] and 'Try: search(pattern: "x")' in text(reply)


@pytest.mark.parametrize("data", [None, {"known": ["search"]}, ["search"], "see the docs"])
def test_the_servers_own_error_about_an_unknown_tool_is_kept(data: Any) -> None:
    own = {"code": -32601, "message": "Method serach not found", **({"data": data} if data else {})}
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "serach", {"pattern": "x"}))
    result = only(talk.server(frame({"id": 1, "error": own})))["result"]
    assert result["_meta"][KEY]["server_error"] == own
    assert result["_meta"][KEY]["error"]["code"] == "UNKNOWN_TOOL"
    assert "server_error" not in json.dumps(result["structuredContent"])

    talk = Talk(unknown_tool="protocol").listed(SEARCH)
    talk.client(called(1, "serach", {"pattern": "x"}))
    error = only(talk.server(frame({"id": 1, "error": own})))["error"]
    assert (error["code"], error["message"]) == (own["code"], own["message"])
    if isinstance(data, dict):
        assert error["data"]["known"] == ["search"] and error["data"][KEY]["error"]["code"] == "UNKNOWN_TOOL"
    elif data:
        assert error["data"] == data, "what is no object cannot be added to"
    else:
        assert error["data"][KEY]["error"]["code"] == "UNKNOWN_TOOL"


def test_what_a_server_says_besides_that_a_tool_is_unknown_gets_nothing_that_competes() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "serach", {"pattern": "x"}))
    words = "The tool serach is not available in this plan. Upgrade at example.org"
    assert text(only(talk.server(said(1, words, isError=True)))) == words


@pytest.mark.parametrize("more", [{"isError": True}, {}, {"isError": True, "_meta": {"trace": 7}}])
def test_the_servers_own_result_about_an_unknown_tool_is_kept(more: dict[str, Any]) -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "serach", {"pattern": "x"}))
    result = only(talk.server(said(1, "Unknown tool: serach", **more)))["result"]
    own, ours = (block["text"] for block in result["content"])
    assert own == "Unknown tool: serach" and ours == 'Try: search(pattern: "x")'
    assert result["isError"] is True and result["structuredContent"]["error"]["code"] == "UNKNOWN_TOOL"
    assert result["_meta"] == {**more.get("_meta", {}), KEY: result["_meta"][KEY]}
    assert talk.log.lines == [("guided", "serach", "UNKNOWN_TOOL")]


def test_a_malformed_or_guided_result_about_an_unknown_tool_is_kept_too() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "serach", {"pattern": "x"}))
    own = {"content": "Unknown tool: serach", "structuredContent": {"result": "Unknown tool: serach"}}
    result = only(talk.server(frame({"id": 1, "result": own})))["result"]
    assert text({"result": result}) == 'Unknown tool: serach\nTry: search(pattern: "x")'
    assert result["structuredContent"] == own["structuredContent"]
    guided = said(2, "Unknown tool: serach", isError=True, _meta={KEY: {"error": {}}})
    talk.client(called(2, "serach", {"pattern": "x"}))
    assert only(talk.server(guided)) == json.loads(guided)


def test_an_unknown_tool_can_be_answered_by_a_protocol_error() -> None:
    talk = Talk(unknown_tool="protocol").listed(SEARCH)
    talk.client(called(3, "serach", {"pattern": "x"}))
    reply = only(talk.server(said(3, "Unknown tool: serach", isError=True)))
    assert reply["error"]["code"] == -32602
    ours = reply["error"]["data"][KEY]
    assert ours["error"]["code"] == "UNKNOWN_TOOL"
    assert ours["server_result"] == {"content": [{"type": "text", "text": "Unknown tool: serach"}]}


def test_a_tool_that_is_not_listed_and_is_there_all_the_same_answers_for_itself() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(3, "hidden", {}))
    assert talk.server(said(3, "here")) == [said(3, "here")]


@pytest.mark.parametrize("name", ["serach", "functions.search"])
@pytest.mark.parametrize(
    "words",
    [
        "Card declined", "Error: Missing arguments", "Unknown tool: receipt_printer", "Tool not found",
        "The order was placed. Unknown tool: NAME", "Unknown tool: NAME. The order was placed.",
        "Tool 'NAME' not found in registry of agent 4; your item was created with id 7",
        'Item added; post-hook failed: tool "NAME" not found', '{"added": 3, "error": "Unknown tool: NAME"}',
        "Unknown tool: NAME. Did you mean find?",
    ],
)  # fmt: skip
def test_a_tool_that_is_not_listed_and_fails_exists(name: str, words: str) -> None:
    """Nothing is said about the list, no other tool is offered, and nothing is sent again."""
    talk, words = Talk().listed(SEARCH), words.replace("NAME", name)
    for id, is_error in ((5, True), (6, False)):
        talk.client(called(id, name, {"pattern": "x"}))
        reply = only(talk.server(said(id, words, isError=is_error)))
        assert text(reply) == words
        assert "UNKNOWN_TOOL" not in json.dumps(reply) and talk.sent() == []


def test_a_failure_of_a_tool_that_is_not_listed_is_explained_like_any_other() -> None:
    talk = Talk(redact="errors", info_tool="info").listed(SEARCH)
    talk.client(called(5, "hidden", {}))
    reply = only(talk.server(said(5, "429 Too Many Requests. Retry after 5 seconds. password=hunter22", isError=True)))
    assert reply["result"]["_meta"][KEY]["error"]["code"] == "RATE_LIMITED"
    assert "hunter22" not in json.dumps(reply)
    assert "info(" not in json.dumps(reply), "that explains listed tools only"


def test_a_protocol_error_that_mentions_an_unknown_tool_passes_as_it_is() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(4, "serach", {"pattern": "x"}))
    words = "Item added. Then: Unknown tool: serach"
    reply = only(talk.server(frame({"id": 4, "error": {"code": -32603, "message": words}})))
    assert reply["error"]["message"] == words
    assert reply["error"]["data"][KEY]["error"]["code"] != "UNKNOWN_TOOL"


WORK = [
    frame({"method": "notifications/progress", "params": {"progressToken": 9, "progress": 1}}),
    asked("q", "elicitation/create", message="Sure?"),
    asked("q", "sampling/createMessage", messages=[]),
]


@pytest.mark.parametrize("timeout", [0.0, 60.0])
@pytest.mark.parametrize("sign", WORK)
def test_a_call_that_the_server_has_worked_on_is_not_sent_again(sign: bytes, timeout: float) -> None:
    talk = Talk(timeout=timeout).listed(SEARCH)
    talk.client(called(4, "functions.search", {"pattern": "x"}, _meta={"progressToken": 9}))
    assert talk.server(sign) == [sign]
    unknown = {"code": -32602, "message": "Unknown tool: functions.search"}
    reply = only(talk.server(frame({"id": 4, "error": unknown})))
    assert talk.sent() == [] and text(reply) == "Tool 'functions.search' not found.\nTry: search(pattern: \"x\")"
    assert reply["result"]["_meta"][KEY]["server_error"] == unknown


@pytest.mark.parametrize(
    "other",
    [
        frame({"method": "notifications/progress", "params": {"progressToken": 8, "progress": 1}}),
        frame({"method": "notifications/message", "params": {"level": "info", "data": "call received"}}),
        asked("q", "roots/list"),
    ],
)
def test_what_is_not_about_a_call_does_not_keep_it_from_being_sent_again(other: bytes) -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(4, "functions.search", {"pattern": "x"}, _meta={"progressToken": 9}))
    assert talk.server(other) == [other]
    assert talk.server(frame({"id": 4, "error": {"code": -32602, "message": "Unknown tool: functions.search"}})) == []
    assert only(talk.sent())["params"]["name"] == "search"


@pytest.mark.parametrize("message", ["Method not found", "tool not found", "Unknown tool"])
def test_an_error_that_names_no_tool_lets_only_a_tool_that_reads_be_called_instead(message: str) -> None:
    talk = Talk().listed(SEARCH, READ)
    talk.client(called(4, "functions.search", {"pattern": "x"}))
    reply = only(talk.server(frame({"id": 4, "error": {"code": -32601, "message": message}})))
    assert talk.sent() == [] and 'Try: search(pattern: "x")' in text(reply)
    talk.client(called(5, "functions.read", {"pattern": "x"}))
    assert talk.server(frame({"id": 5, "error": {"code": -32601, "message": message}})) == []
    assert only(talk.sent())["params"]["name"] == "read"


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "Unknown tool: NAME"}], "structuredContent": {"added": 7}},
        {"content": [{"type": "text", "text": "item added"}, {"type": "text", "text": "Unknown tool: NAME"}]},
        {"content": [{"type": "text", "text": "Unknown tool: NAME"}, {"type": "image", "data": "", "mimeType": "x"}]},
        {"content": [{"type": "text", "text": '{"added": 3, "error": "Unknown tool: NAME"}'}]},
        {"content": [], "structuredContent": {"added": 3, "error": "Unknown tool: NAME"}},
    ],
)
def test_a_result_with_anything_else_in_it_is_not_about_an_unknown_tool(result: dict[str, Any]) -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(4, "functions.search", {"pattern": "x"}))
    own = json.loads(json.dumps({**result, "isError": True}).replace("NAME", "functions.search"))
    reply = only(talk.server(frame({"id": 4, "result": own})))["result"]
    assert talk.sent() == [] and "UNKNOWN_TOOL" not in json.dumps(reply)
    assert {**reply, "_meta": None} == {**own, "_meta": None}


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("initialize", {"serverInfo": {"name": "shop-mcp"}}),
        ("server/discover", {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop-mcp"}}}),
    ],
)
def test_a_tool_behind_the_name_that_the_server_gave_itself_is_sent_again(method: str, result: Any) -> None:
    talk = Talk()
    talk.client(frame({"id": 1, "method": method, "params": {}}))
    talk.server(frame({"id": 1, "result": result}))
    talk.listed(SEARCH)
    for id, name, is_repaired in ((4, "mcp__shop__search", True), (5, "mcp__staging__search", False)):
        talk.client(called(id, name, {"pattern": "x"}))
        talk.server(frame({"id": id, "error": {"code": -32602, "message": f"Unknown tool: {name}"}}))
        assert bool(talk.sent()) is is_repaired


def test_a_call_is_not_sent_again_if_the_server_mentions_the_tool_in_other_words() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(4, "functions.search", {"pattern": "x"}))
    words = "Error: the index is ready, but tool functions.search was not found in the cache"
    reply = only(talk.server(frame({"id": 4, "error": {"code": -32603, "message": words}})))
    assert talk.sent() == [] and reply["error"]["message"] == words


def test_a_prefixed_name_is_sent_again_under_an_id_of_ours_once_the_server_does_not_know_it() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(4, "functions.search", {"pattern": "x"}, _meta={"progressToken": 9}))
    assert talk.server(frame({"id": 4, "error": {"code": -32602, "message": "Unknown tool: functions.search"}})) == []
    again = only(talk.sent())
    assert again["params"] == {"name": "search", "arguments": {"pattern": "x"}, "_meta": {"progressToken": 9}}
    assert again["id"] != 4
    reply = only(talk.server(said(again["id"])))
    assert reply["id"] == 4 and "auto-corrected" in text(reply)


def test_the_tool_that_explains_tools_is_ours_where_the_server_has_none() -> None:
    talk = Talk(info_tool="info").listed(SEARCH)
    talk.client(called(5, "info", {}))
    reply = only(talk.server(frame({"id": 5, "error": {"code": -32602, "message": "Unknown tool: info"}})))
    assert text(reply).startswith("1 tool:\nsearch")
    assert talk.log.lines == [("explained", "info", "")]


def test_a_reply_of_ours_looks_as_the_servers_own_in_the_stateless_revision() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    stamp = {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
    talk = Talk()
    talk.client(asked(1, "tools/list", _meta=meta))
    talk.server(frame({"id": 1, "result": {"tools": [WRITE], "resultType": "complete", "_meta": stamp}}))
    talk.client(called(2, "write", {}, _meta=meta))
    result = only(talk.got())["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"].items() >= stamp.items()


def test_the_third_time_the_answer_is_to_stop_and_a_success_starts_over() -> None:
    talk = Talk().listed(SEARCH)
    codes = list[str]()
    for id in range(3):
        talk.client(called(id, "search", {}))
        codes.append(only(talk.got())["result"]["_meta"][KEY]["error"]["code"])
    assert codes == ["MISSING_REQUIRED", "MISSING_REQUIRED", "REPEATED_CALL"]


def test_a_call_without_a_name_is_for_the_server_to_answer() -> None:
    talk = Talk().listed(SEARCH)
    call = asked(1, "tools/call", arguments={})
    assert talk.client(call) == [call]
    reply = frame({"id": 1, "error": {"code": -32602, "message": "no name"}})
    assert talk.server(reply) == [reply]


def test_if_guidance_fails_the_call_and_the_reply_go_through(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk().listed(SEARCH)

    def broken(*_: Any, **__: Any) -> Verdict:
        raise RuntimeError("ours")

    monkeypatch.setattr("fingerpost.middleware.call_flow.judge", broken)
    monkeypatch.setattr("fingerpost.middleware.call_flow.explain_failure", broken)
    assert talk.client(called(1, "search", {})) == [called(1, "search", {})]
    reply = said(1, "missing", isError=True)
    assert talk.server(reply) == [reply]


def test_if_reading_a_list_fails_the_list_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk()

    def broken(*_: Any) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(talk.relay, "store_tools", broken)
    talk.client(asked(1, "tools/list"))
    reply = frame({"id": 1, "result": {"tools": [SEARCH]}})
    assert talk.server(reply) == [reply]


# tips, where they are wanted


def test_tips_are_added_to_successes_only_where_they_are_wanted() -> None:
    many: dict[str, Any] = {"structuredContent": {"items": [{"id": n} for n in range(300)], "total": 900}}
    paged = {
        **READ,
        "inputSchema": {"type": "object", "properties": {"offset": {"type": "integer"}, "limit": {"type": "integer"}}},
    }
    quiet, helpful = Talk().listed(paged), Talk(tips=True).listed(paged)
    for talk in (quiet, helpful):
        talk.client(called(1, "read", {"limit": 300}))
    assert quiet.server(said(1, **many)) == [said(1, **many)]
    assert KEY in only(helpful.server(said(1, **many)))["result"]["_meta"]
    helpful.client(called(2, "read", {"limit": 1}))
    assert helpful.server(said(2)) == [said(2)]


# every failure, and what only looks like a success


def test_every_failure_gets_an_envelope_and_keeps_its_text() -> None:
    talk = Talk().listed(READ)
    talk.client(called(1, "read", {"pattern": "a"}))
    result = only(talk.server(said(1, "The moon is full. Wait.", isError=True)))["result"]
    error = result["_meta"][KEY]["error"]
    assert result["content"] == [{"type": "text", "text": "The moon is full. Wait."}]
    assert (error["code"], error["message"], error["origin"]) == ("INTERNAL_ERROR", "The moon is full", "server")
    assert (error["suggestions"], error["next_steps"]) == ({}, {})


def test_a_failure_in_a_payload_is_read_without_tips_too() -> None:
    talk = Talk().listed(READ)
    for id, structured in enumerate(
        [
            {"ok": False, "error": "No disk", "hint": "Buy one"},
            {"result": json.dumps({"error": "No disk", "hint": "Buy one"})},
            {"result": {"status": "failed", "error": "No disk", "hint": "Buy one"}},
        ]
    ):
        talk.client(called(id, "read", {"pattern": "a"}))
        result = only(talk.server(said(id, "x", structuredContent=structured)))["result"]
        assert result["_meta"][KEY]["error"]["hint"] == "Buy one"
        assert (result["structuredContent"], "isError" in result) == (structured, False)
    talk.client(called(9, "read", {"pattern": "a"}))
    plain = said(9, '{"errors": 0, "error": ""}')
    assert talk.server(plain) == [plain]


@pytest.mark.parametrize(
    "reply",
    [
        {"id": 1, "result": 5},
        {"id": 1, "result": None},
        {"id": 1, "error": "broken"},
        {"id": 1, "error": {"message": "no code"}},
        {"id": 1, "result": {"code": 5, "message": "timeout"}},
    ],
    ids=str,
)
def test_a_malformed_reply_gets_no_guidance(reply: dict[str, Any]) -> None:
    talk = Talk().listed(READ)
    talk.client(called(1, "read", {"pattern": "a"}))
    assert KEY.encode() not in b"".join(talk.server(frame(reply)))


def test_secrets_in_the_servers_own_errors_are_hidden_only_if_asked_for() -> None:
    for redact, is_hidden in (("own", False), ("errors", True)):
        talk = Talk(redact=redact).listed(READ)
        talk.client(called(1, "read", {"pattern": "a"}), called(2, "read", {"pattern": "b"}))
        result = only(talk.server(said(1, "It broke: DB_PASS=hunter2", isError=True)))["result"]
        error = only(talk.server(frame({"id": 2, "error": {"code": -32603, "message": "token=hunter2"}})))["error"]
        assert ("hunter2" not in result["content"][0]["text"]) is is_hidden
        assert (error["message"] == "token=<hidden>") is is_hidden
        assert "hunter2" not in json.dumps([result["_meta"], error["data"]])


def test_a_tool_that_may_write_by_its_arguments_is_not_repaired_by_similarity() -> None:
    marked = {**READ, "_meta": {KEY: {"may_write": True}}}
    for tool, is_sent in ((READ, True), (marked, False)):
        talk = Talk().listed(tool)
        sent = talk.client(called(1, "read", {"patern": "a"}))
        assert bool(sent) is is_sent


# lists of our own


def test_the_list_is_read_when_a_call_comes_first_and_later_calls_wait_behind_it() -> None:
    talk = Talk()
    own = only(talk.client(called(1, "search", {"pattern": "a"}), called(2, "write", {"path": "b"})))
    assert (own["method"], "params" in own) == ("tools/list", False)
    assert talk.client(asked(3, "ping")) == [asked(3, "ping")]
    talk.server(frame({"id": own["id"], "result": {"tools": [SEARCH], "nextCursor": "n"}}))
    more = only(talk.sent())
    assert more["params"] == {"cursor": "n"}
    talk.server(frame({"id": more["id"], "result": {"tools": [WRITE]}}))
    assert talk.sent() == [called(1, "search", {"pattern": "a"}), called(2, "write", {"path": "b"})]
    assert talk.server(said(2), said(1)) == [said(2), said(1)]


def test_our_own_questions_carry_what_the_client_says_of_itself_but_not_its_token() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": 5}
    own = only(Talk().client(called(1, "search", {}, _meta=meta)))
    assert own["params"]["_meta"] == {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


@pytest.mark.parametrize(
    "answer",
    [{"error": {"code": -32601, "message": "no"}}, {"result": {}}, {"result": {"tools": [], "nextCursor": "again"}}],
)
def test_without_a_list_a_call_goes_on_as_it_came(answer: dict[str, Any]) -> None:
    talk = Talk()
    sent = talk.client(called(1, "search", {}))
    for _ in range(300):
        if (own := json.loads(sent[0]))["method"] != "tools/list":
            break
        talk.server(frame({"id": own["id"], **answer}))
        sent = talk.sent()
    assert sent == [called(1, "search", {})]


def test_a_server_that_does_not_say_its_tools_holds_up_a_call_only_so_long() -> None:
    talk = Talk().served()
    own = only(talk.client(called(1, "search", {})))
    assert talk.session.deadline() == talk.now + LIST_TIMEOUT
    talk.passed(LIST_TIMEOUT)
    cancelled, call = talk.sent()
    assert json.loads(cancelled)["params"] == {"requestId": own["id"]}
    assert call == called(1, "search", {})
    assert talk.server(frame({"id": own["id"], "result": {"tools": []}})) == []
    assert talk.notes == ["dropped a reply to no request"]


def test_a_server_that_does_not_say_its_tools_is_not_asked_with_each_call() -> None:
    talk = Talk().served()
    talk.client(called(1, "search", {}), called(2, "search", {"pattern": "x"}))
    talk.passed(LIST_TIMEOUT)
    assert talk.sent()[1:] == [called(1, "search", {}), called(2, "search", {"pattern": "x"})]
    assert talk.client(called(3, "search", {})) == [called(3, "search", {})]
    talk.now += 31
    assert only(talk.client(called(4, "search", {})))["method"] == "tools/list"
    talk.passed(LIST_TIMEOUT)
    talk.sent()
    talk.now += 31
    assert talk.client(called(5, "search", {})) == [called(5, "search", {})]
    talk.server(frame({"method": "notifications/tools/list_changed"}))
    assert only(talk.client(called(6, "search", {})))["method"] == "tools/list"


def test_a_server_that_has_yet_to_start_has_the_time_to() -> None:
    talk = Talk()
    own = only(talk.client(called(1, "write", {"path": "a", "dryRun": True})))
    talk.passed(30)
    assert talk.sent() == []
    talk.server(frame({"id": own["id"], "result": {"tools": [WRITE]}}))
    assert only(talk.sent())["params"]["arguments"] == {"path": "a", "dry_run": True}


def test_a_list_without_a_term_is_looked_at_again_before_something_is_said_after_a_while() -> None:
    talk = Talk().listed(SEARCH)
    talk.now += 61
    assert talk.client(called(1, "search", {"pattern": "x"})) == [called(1, "search", {"pattern": "x"})]
    own = only(talk.client(called(2, "search", {"query": "x"})))
    renamed = {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}
    talk.server(frame({"id": own["id"], "result": {"tools": [renamed]}}))
    assert talk.sent() == [called(2, "search", {"query": "x"})]


def test_a_list_that_changed_is_read_again_before_anything_is_said() -> None:
    talk = Talk().listed(SEARCH)
    changed = frame({"method": "notifications/tools/list_changed"})
    assert talk.server(changed) == [changed]
    assert talk.client(called(1, "search", {"pattern": "x"})) == [called(1, "search", {"pattern": "x"})]
    own = only(talk.client(called(2, "search", {"query": "x"})))
    renamed = {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}
    talk.server(frame({"id": own["id"], "result": {"tools": [renamed]}}))
    assert talk.sent() == [called(2, "search", {"query": "x"})]


def test_a_list_is_read_again_when_its_time_is_up() -> None:
    talk = Talk().listed(SEARCH, ttlMs=1000)
    assert talk.client(called(1, "search", {})) == []
    talk.got()
    talk.now += 1.5
    assert only(talk.client(called(2, "search", {})))["method"] == "tools/list"


# prompts and resources


def test_a_prompt_by_the_wrong_name_keeps_its_error_and_gains_data() -> None:
    talk = Talk()
    own = only(talk.client(asked(1, "prompts/get", name="sumarize", arguments={})))
    assert own["method"] == "prompts/list"
    talk.server(frame({"id": own["id"], "result": {"prompts": [{"name": "summarize"}]}}))
    assert talk.sent() == [asked(1, "prompts/get", name="sumarize", arguments={})]
    reply = only(talk.server(frame({"id": 1, "error": {"code": -32602, "message": "Unknown prompt"}})))
    assert reply["error"]["message"] == "Unknown prompt"
    assert "summarize" in reply["error"]["data"][KEY]["text"]


def test_a_prompts_argument_is_repaired_and_the_repair_is_told() -> None:
    talk = Talk()
    own = only(talk.client(asked(1, "prompts/get", name="p", arguments={"Text": "x"})))
    listed = {"prompts": [{"name": "p", "arguments": [{"name": "text", "required": True}]}]}
    talk.server(frame({"id": own["id"], "result": listed}))
    assert only(talk.sent())["params"]["arguments"] == {"text": "x"}
    reply = only(talk.server(frame({"id": 1, "result": {"messages": [], "_meta": {"a": 1}}})))
    assert reply["result"]["_meta"]["a"] == 1
    assert reply["result"]["_meta"][KEY]["corrections"]


def test_a_right_prompt_and_one_without_a_name_pass_as_they_are() -> None:
    talk = Talk()
    own = only(talk.client(asked(1, "prompts/get", name="p")))
    talk.server(frame({"id": own["id"], "result": {"prompts": [{"name": "p"}]}}))
    assert talk.sent() == [asked(1, "prompts/get", name="p")]
    reply = frame({"id": 1, "result": {"messages": []}})
    assert talk.server(reply) == [reply]
    assert talk.client(asked(2, "prompts/get")) == [asked(2, "prompts/get")]
    failed = frame({"id": 2, "error": {"code": 1, "message": "x"}})
    assert talk.server(failed) == [failed]


def test_a_resource_that_is_not_there_keeps_its_error_and_gains_data() -> None:
    talk = Talk()
    talk.client(asked(1, "resources/read", uri="file:///reprot.txt"))
    assert talk.server(frame({"id": 1, "error": {"code": -32002, "message": "gone", "data": {"uri": 1}}})) == []
    first = only(talk.sent())
    talk.server(frame({"id": first["id"], "result": {"resources": [{"uri": "file:///report.txt"}]}}))
    second = only(talk.sent())
    assert [first["method"], second["method"]] == ["resources/list", "resources/templates/list"]
    reply = only(talk.server(frame({"id": second["id"], "error": {"code": -32601, "message": "none"}})))
    assert reply["id"] == 1 and reply["error"]["data"]["uri"] == 1
    assert "report.txt" in reply["error"]["data"][KEY]["text"]


def test_a_resource_that_is_there_or_fails_otherwise_passes() -> None:
    talk = Talk()
    answers: list[dict[str, Any]] = [{"result": {"contents": []}}, {"error": {"code": -32603, "message": "x"}}]
    for id, answer in enumerate(answers):
        talk.client(asked(id, "resources/read", uri="a:b"))
        assert talk.server(frame({"id": id, **answer})) == [frame({"id": id, **answer})]


def test_a_resource_of_which_no_list_can_be_read_keeps_its_error() -> None:
    talk = Talk()
    failed = frame({"id": 1, "error": {"code": -32002, "message": "gone"}})
    talk.client(asked(1, "resources/read", uri="a:b"))
    talk.server(failed)
    replies = list[bytes]()
    while sent := talk.sent():
        replies += talk.server(frame({"id": only(sent)["id"], "error": {"code": -32601, "message": "no"}}))
    assert replies == [failed]


# cancellation


def test_a_cancelled_request_is_cancelled_and_a_late_answer_still_passes() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x"}))
    cancel = frame({"method": "notifications/cancelled", "params": {"requestId": 1}})
    assert talk.client(cancel) == [cancel]
    assert talk.server(said(1)) == [said(1)]
    assert talk.session.in_flight == 0


def test_a_cancelled_call_that_waits_is_never_sent() -> None:
    talk = Talk()
    own = only(talk.client(*(called(id, "search", {}) for id in (1, 2, 3))))
    for id in (3, 2, 1):
        assert talk.client(frame({"method": "notifications/cancelled", "params": {"requestId": id}})) == []
    assert talk.server(frame({"id": own["id"], "result": {"tools": [SEARCH]}})) == []
    assert talk.sent() == [] and talk.session.in_flight == 0


def test_a_cancellation_finds_a_call_that_was_sent_again_under_another_id() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(4, "functions.search", {"pattern": "x"}))
    talk.server(frame({"id": 4, "error": {"code": -32602, "message": "Unknown tool: functions.search"}}))
    again = only(talk.sent())["id"]
    cancelled = only(
        talk.client(frame({"method": "notifications/cancelled", "params": {"requestId": 4, "reason": "r"}}))
    )
    assert cancelled["params"] == {"requestId": again, "reason": "r"}


@pytest.mark.parametrize("params", [{}, {"requestId": None}, {"requestId": 99}, {"requestId": {}}])
def test_a_cancellation_of_nothing_we_know_passes(params: dict[str, Any]) -> None:
    cancel = frame({"method": "notifications/cancelled", "params": params})
    assert Talk().client(cancel) == [cancel]


def test_what_is_remembered_of_cancellations_is_bounded() -> None:
    talk = Talk(guidance=False)
    for id in range(1_100):
        talk.client(asked(id, "x"), frame({"method": "notifications/cancelled", "params": {"requestId": id}}))
    assert talk.server(said(0)) == []
    assert talk.server(said(1_099)) == [said(1_099)]


# time


def test_a_server_that_takes_too_long_is_told_to_stop_and_the_client_what_is_known() -> None:
    talk = Talk(timeout=30).listed(SEARCH, READ)
    talk.client(called(1, "search", {"pattern": "x"}), called(2, "read", {"pattern": "x"}), asked(3, "ping"))
    assert talk.session.deadline() == talk.now + 30
    talk.passed(29)
    assert talk.got() == []
    talk.passed(1)
    assert [json.loads(one)["params"]["requestId"] for one in talk.sent()] == [1, 2, 3]
    writes, reads, ping = map(json.loads, talk.got())
    assert "may or may not have taken effect" in text(writes)
    assert not writes["result"]["_meta"][KEY]["error"]["retryable"]
    assert reads["result"]["_meta"][KEY]["error"]["retryable"]
    assert "within 30 s" in ping["error"]["message"]
    assert talk.server(said(1)) == []


def test_progress_gives_a_server_more_time() -> None:
    talk = Talk(timeout=30).listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x"}, _meta={"progressToken": "t"}), asked(2, "ping"))
    talk.passed(20)
    progress = frame({"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}})
    other = frame({"method": "notifications/progress", "params": {"progressToken": "u", "progress": 1}})
    assert talk.server(progress, other) == [progress, other]
    talk.passed(20)
    assert [json.loads(one)["id"] for one in talk.got()] == [2]
    assert talk.server(said(1)) == [said(1)]
    assert talk.server(progress) == [progress]
    assert talk.session.deadline() is None


# a server that comes and goes


def test_what_a_dead_server_owes_is_answered_with_what_is_known() -> None:
    talk = Talk().listed(SEARCH, READ)
    talk.client(
        called(1, "search", {"pattern": "x"}), called(2, "read", {"pattern": "x"}), asked(3, "ping"), asked(4, "ping")
    )
    talk.session.server_gone("was killed by SIGKILL")
    writes, reads, *pings = map(json.loads, talk.got())
    assert text(writes).startswith("The server was killed by SIGKILL before it answered; the call may or may not have")
    assert "Send the call again" in text(reads)
    assert [ping["error"]["message"] for ping in pings] == ["The server was killed by SIGKILL before it answered"] * 2
    assert talk.session.in_flight == 0 and not talk.session.wants_server


@pytest.mark.parametrize("second", [asked(3, "ping"), called(3, "search", {"pattern": "y"}), called(3, "sarch", {})])
@pytest.mark.parametrize("is_listed", [True, False], ids=["sent", "waiting for the list"])
def test_a_request_under_an_id_in_flight_is_rejected_and_the_first_is_answered(second: bytes, is_listed: bool) -> None:
    talk = Talk().listed(SEARCH) if is_listed else Talk()
    first = called(3, "search", {"pattern": "x"})
    sent = talk.client(first)
    assert talk.client(second) == []
    error = only(talk.got())
    assert (error["id"], error["error"]["code"]) == (3, -32600)
    assert "The id is in use" in error["error"]["message"]
    if is_listed:
        assert talk.server(said(3)) == [said(3)]
        assert talk.client(first) == [first], "an id that was answered may be used again"
    else:
        assert json.loads(sent[0])["method"] == "tools/list"


def test_a_progress_token_that_is_no_token_is_no_hindrance() -> None:
    talk = Talk(timeout=30, guidance=False)
    talk.client(asked(3, "ping", _meta={"progressToken": {}}))
    assert talk.server(said(3)) == [said(3)]


def test_a_reply_without_a_result_to_an_unlisted_tool_passes() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(3, "hidden", {}))
    nothing = frame({"id": 3, "result": None})
    assert talk.server(nothing) == [nothing]


def test_a_request_under_the_id_of_one_that_waits_is_rejected() -> None:
    for wait in ("list", "start"):
        talk = Talk()
        if wait == "start":
            talk.session.server_gone("x")
        talk.client(called(1, "search", {"pattern": "x"}), called(2, "search", {"pattern": "y"}))
        talk.client(called(2, "search", {"pattern": "z"}))
        assert only(talk.got())["error"]["code"] == -32600


def test_a_reply_with_a_result_and_an_error_is_a_fault_of_the_server() -> None:
    talk = Talk().listed(SEARCH)
    both: dict[str, Any] = {"result": {"content": []}, "error": {"code": -32603, "message": "timeout"}}
    talk.client(called(1, "search", {"pattern": "x"}), asked(2, "ping"))
    answers = [only(talk.server(frame({"id": id, **both}))) for id in (1, 2)]
    assert "sent a reply that has both a result and an error" in text(answers[0])
    assert "sent a reply that has both a result and an error" in answers[1]["error"]["message"]
    assert talk.server(frame({"id": 9, **both})) == []
    assert talk.notes == ["kept back a message that has both a result and an error"]
    talk.client(asked(3, "ping"))
    fine = frame({"id": 3, "result": {}, "error": None})
    assert talk.server(fine) == [fine]


def test_every_request_in_a_batch_is_answered() -> None:
    talk = Talk().listed(SEARCH)
    batch: list[Any] = [
        {"jsonrpc": "2.0", "id": 7, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "search"}},
        {"jsonrpc": "2.0", "id": 8, "result": {}},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        5,
    ]
    assert talk.client(json.dumps(batch).encode()) == []
    assert [json.loads(one)["id"] for one in talk.got()] == [7, "b"]


def test_what_is_nested_too_deeply_to_be_read_passes_unread() -> None:
    assert fields(Raw(b"[" * 100_000)) == {}
    assert fields(Raw(b"[1]")) == {}


def test_a_fresh_server_that_does_not_answer_all_it_is_told_is_up_all_the_same() -> None:
    talk = Talk(guidance=False)
    handshake(talk)
    talk.session.server_gone("x")
    talk.client(called(9, "search", {}))
    talk.session.server_started()
    talk.server(frame({"id": only(talk.sent())["id"], "result": {}}))
    talk.sent()
    talk.passed(LIST_TIMEOUT)
    assert all(json.loads(one)["method"] == "notifications/cancelled" for one in talk.sent())
    assert talk.server(said(9)) == [said(9)]


def test_a_call_that_was_not_sent_yet_is_said_not_to_have_been() -> None:
    talk = Talk()
    talk.client(called(1, "search", {}))
    talk.session.server_gone("exited with code 3")
    assert "; the request was not sent" in text(only(talk.got()))


def test_without_guidance_a_death_is_a_plain_error() -> None:
    talk = Talk(guidance=False)
    talk.client(called(1, "search", {}))
    talk.session.server_gone("exited with code 3")
    assert only(talk.got())["error"] == {"code": -32603, "message": "The server exited with code 3 before it answered"}


def handshake(talk: Talk) -> list[bytes]:
    frames = [
        asked(0, "initialize", protocolVersion="2025-11-25"),
        frame({"method": "notifications/initialized"}),
        asked(1, "logging/setLevel", level="debug"),
        asked(2, "resources/subscribe", uri="a:1"),
        asked(3, "resources/subscribe", uri="a:2"),
        asked(4, "resources/unsubscribe", uri="a:1"),
    ]
    for id, one in enumerate(frames):
        talk.client(one)
        talk.server(frame({"id": id if id == 0 else id - 1, "result": {}}))
    talk.server(*(frame({"id": id, "result": {}}) for id in range(5)))
    return frames


def test_a_fresh_server_is_told_what_the_old_one_knew_before_it_gets_the_call() -> None:
    talk = Talk().listed(SEARCH)
    handshake(talk)
    talk.session.server_gone("exited with code 1")
    assert talk.client(called(9, "search", {"pattern": "x"}), frame({"method": "notifications/x"})) == []
    assert talk.session.wants_server
    talk.session.server_started()
    initialize = only(talk.sent())
    assert (initialize["method"], initialize["params"]) == ("initialize", {"protocolVersion": "2025-11-25"})
    talk.server(frame({"id": initialize["id"], "result": {}}))
    message = list(map(json.loads, talk.sent()))
    assert [one["method"] for one in message] == [
        "notifications/initialized",
        "logging/setLevel",
        "resources/subscribe",
        "tools/call",
    ]
    assert message[2]["params"] == {"uri": "a:2"}
    assert talk.server(*(frame({"id": one["id"], "result": {}}) for one in message[1:3])) == []
    assert talk.server(said(9)) == [said(9)]


def test_a_fresh_server_needs_no_telling_where_the_client_begins_anew_or_never_began() -> None:
    talk = Talk(guidance=False)
    talk.session.server_gone("x")
    talk.client(asked(0, "ping"))
    talk.session.server_started()
    assert talk.sent() == [asked(0, "ping")]
    handshake(talk)
    talk.session.server_gone("x")
    talk.client(asked(0, "initialize"))
    talk.session.server_started()
    assert talk.sent() == [asked(0, "initialize")]


def test_a_server_that_dies_while_it_is_told_leaves_the_call_waiting() -> None:
    talk = Talk(guidance=False)
    handshake(talk)
    talk.session.server_gone("x")
    talk.got()
    talk.client(called(9, "search", {}))
    talk.session.server_started()
    talk.session.server_gone("y")
    assert talk.got() == [] and talk.session.wants_server
    talk.session.server_refused("could not be started")
    assert "could not be started; the request was not sent" in only(talk.got())["error"]["message"]


def test_calls_that_wait_for_a_list_wait_for_the_next_server() -> None:
    talk = Talk()
    talk.client(called(1, "search", {}), called(2, "search", {"pattern": "x"}))
    talk.session.server_gone("x")
    assert json.loads(talk.got()[0])["id"] == 1
    talk.session.server_started()
    assert only(talk.sent())["method"] == "tools/list"


def test_a_cancelled_call_does_not_wait_for_the_next_server() -> None:
    talk = Talk()
    talk.session.server_gone("x")
    talk.client(asked(1, "ping"), frame({"method": "notifications/cancelled", "params": {"requestId": 1}}))
    assert not talk.session.wants_server


def test_while_a_call_may_have_more_to_send_it_is_known() -> None:
    talk = Talk().listed(SEARCH)
    assert not talk.session.may_send_more
    talk.client(called(1, "serach", {"pattern": "x"}))
    assert talk.session.may_send_more
    talk.server(said(1))
    talk.client(called(2, "search", {"pattern": "x"}))
    assert not talk.session.may_send_more and talk.session.in_flight == 1


# frames that are none


BAD: dict[str, tuple[bytes, Any, int]] = {
    "not json": (b'{"jsonrpc":"2.0","id":7,"method":', 7, -32700),
    "NaN": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":NaN}}', 7, -32700),
    "not utf-8": (b'{"jsonrpc":"2.0","id":"a\\"b","method":"x","params":{"a":"\xff"}}', 'a"b', -32700),
    "half a pair": (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\\ud800"}}', 7, -32700),
    "too deep": (b'{"jsonrpc":"2.0","id":7,"method":"x","params":' + b"[" * 100_000, 7, -32700),
    "id last": (
        b'{"method":"x","params":{"id":3,"a":"' + b"x" * 100_000 + b'\xff"},"jsonrpc":"2.0","id":7}',
        7,
        -32700,
    ),
    "id in escapes": (b'{"jsonrpc":"2.0","\\u0069d":7,"method":"x","params":{"a":"\\ud800"}}', 7, -32700),
    "no id": (b'{"jsonrpc":"2.0","\\x":7,"method":"x","params":{"a":"\\ud800"}}', None, -32700),
    "a call without its version": (b'{"id":7,"method":"tools/call","params":{"name":"search"}}', 7, -32600),
    "a notification of another version": (b'{"jsonrpc":"1.0","method":"x"}', None, -32600),
    "key twice": (b'{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"}', 7, -32700),
    "key twice inside": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}', 7, -32700),
    "key twice, escaped": (b'{"jsonrpc":"2.0","id":7,"method":"ping","\\u006dethod":"x"}', 7, -32700),
    "a batch": (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', 7, -32600),
    "a string": (b'"hello"', None, -32600),
    "out of range": (b'{"method":"ping","id":"a","jsonrpc":2.01e999}', "a", -32600),
    "no version": (b'{"id":7,"method":"ping"}', 7, -32600),
    "another version": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600),
    "no method": (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
    "request and reply": (b'{"jsonrpc":"2.0","id":7,"method":"x","result":{}}', 7, -32600),
    "method no string": (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
    "id a fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, -32600),
    "id an object": (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', None, -32600),
    "id a boolean": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
    "id in another spelling": (b'{"jsonrpc":"2.0","id":1e3,"method":"ping"}', 1000.0, -32600),
    "params a list": (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, -32600),
    "params a string": (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', 7, -32600),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_frame_that_is_no_message_is_answered_with_its_id_and_never_sent(bad: str) -> None:
    given_frame, id, code = BAD[bad]
    talk = Talk().listed(SEARCH)
    assert talk.client(given_frame) == []
    reply = only(talk.got())
    assert (reply["id"], reply["error"]["code"]) == (id, code)


def test_a_frame_that_is_too_long_is_answered_with_its_id() -> None:
    talk = Talk()
    talk.session.from_client(
        OversizedFrame(b'{"method":"x","params":{"a":"', b'..."},"jsonrpc":"2.0","id":"q"}', 10**8)
    )
    reply = only(talk.got())
    assert reply["id"] == "q" and "100,000,000 bytes" in reply["error"]["message"]


@pytest.mark.parametrize("tail", [b'"id":"\\x"}', b'"id":01}', b'"id":[1]}', b""])
def test_an_id_that_cannot_be_read_is_null(tail: bytes) -> None:
    assert find_id(b'{"id":{"id":5},"params":{"id":3},', tail) == b"null"


# what a server should not send


@pytest.mark.parametrize(
    "noise", [b"Server ready", b"\xff\xfe", b'{"id":1,"level":"info"}', b"[]", b"3", b'{"result":1}']
)
def test_noise_stays_away_from_the_client(noise: bytes) -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x"}))
    assert talk.server(noise) == []
    assert talk.notes
    assert talk.server(said(1)) == [said(1)]


@pytest.mark.parametrize(
    "broken",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff"}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":1',
        b'{"id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1}',
        b'{"jsonrpc":"2.0","id":1,"":{}}',
        b'{"jsonrpc":"2.0","id":1,"method":null,"error":{"code":1}}',
        b'[{"jsonrpc":"2.0","id":1,"result":{}}]',
        b'[3,{"jsonrpc":"2.0","method":"x"},{"id":1,"result":{}}]',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{"a":1',
    ],
)
def test_a_reply_that_is_no_json_rpc_is_told_as_a_failure(broken: bytes) -> None:
    for talk in (Talk(guidance=False), Talk().listed(SEARCH)):
        talk.client(called(1, "search", {"pattern": "x"}))
        reply = only(talk.server(broken))
        assert reply["id"] == 1 and "valid JSON-RPC" in json.dumps(reply)
        assert talk.server(said(1)) == []


@pytest.mark.parametrize(
    "line",
    [
        b'[debug] sending {"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"level":"error","id":1,"error":"slow disk"}',
        b'{"id":1,"error":"cut off',
        b"{}",
        b'{"id":1}',
        b'[{"level":"error","id":1,"error":"slow disk"}]',
        b'{"jsonrpc":"2.0","id":1,"method":"ask","params":{"error":',
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ],
)
def test_a_log_that_speaks_of_an_answer_is_noise(line: bytes) -> None:
    for talk in (Talk(guidance=False), Talk().listed(SEARCH)):
        talk.client(called(1, "search", {"pattern": "x"}))
        assert talk.server(line) == []
        assert talk.server(said(1)) == [said(1)]


SPLIT = [
    [b'{"jsonrpc":"2.0","id":1,"result":{"content":[', b"]}}"],
    [b'{"jsonrpc":"2.0","id":1,', b'"result":{"content":[]}}'],
    [b'{"jsonrpc":"2.0",', b'"id":1,"error":{"code":1,"message":"x"}}'],
    [b"{", b'  "id": 1,', b'  "jsonrpc": "2.0",', b"Server ready", b'  "result": {', b"}}"],
    [b'{"jsonrpc":"2.0","result":{"content":[', b']},"id":1}'],
]


@pytest.mark.parametrize("lines", SPLIT, ids=str)
def test_a_reply_that_is_split_over_lines_is_told_as_a_failure(lines: list[bytes]) -> None:
    for talk in (Talk(guidance=False), Talk().listed(SEARCH)):
        talk.client(called(1, "search", {"pattern": "x"}), called(2, "search", {"pattern": "x"}))
        reply = only(talk.server(*lines))
        assert reply["id"] == 1 and "valid JSON-RPC" in json.dumps(reply)
        assert talk.server(said(2)) == [said(2)], "the next message is read again"


@pytest.mark.parametrize(
    "lines",
    [
        [b'{"jsonrpc":"2.0","id":1,', b'"method":"roots/list","params":{"error":1}}', b'"result":{}}'],
        [b'{"jsonrpc":"2.0","id":1,', *[b"..."] * 20, b'"result":{}}'],
        [b'{"jsonrpc":"2.0","id":1,', b'{"jsonrpc":"2.0",', b'"result":{}}'],
    ],
    ids=["a request", "too many lines", "another beginning"],
)
def test_lines_that_are_no_reply_together_are_noise(lines: list[bytes]) -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x"}))
    assert talk.server(*lines) == []
    assert talk.server(said(1)) == [said(1)]


def test_the_beginning_of_a_reply_ends_with_the_server() -> None:
    talk = Talk(guidance=False)
    talk.client(asked(1, "ping"))
    assert talk.server(b'{"jsonrpc":"2.0","id":1,') == []
    talk.session.server_gone("exited")
    assert only(talk.got())["id"] == 1
    talk.client(asked(1, "ping"))
    talk.session.server_started()
    assert talk.server(b'"result":{}}') == []


def test_every_reply_in_a_batch_of_a_server_is_told_as_a_failure() -> None:
    talk = Talk(guidance=False)
    talk.client(asked(1, "ping"), asked("b", "ping"))
    replies = talk.server(b'[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}]')
    assert [json.loads(one)["id"] for one in replies] == [1, "b"]


def test_a_number_with_thousands_of_digits_is_refused_and_nothing_else_happens() -> None:
    long = b"9" * 5_000
    for talk in (Talk(guidance=False), Talk().listed(SEARCH)):
        assert only((talk.client(b'{"jsonrpc":"2.0","id":' + long + b',"method":"ping"}'), talk.got())[1])["id"] is None
        talk.client(called(1, "search", {"pattern": "x"}))
        assert talk.server(b'{"jsonrpc":"2.0","id":' + long + b',"result":1') == []
        assert talk.server(said(1)) == [said(1)]
    talk = Talk().listed(SEARCH)
    assert talk.client(called(1, "search", {"max": "long"}).replace(b'"long"', long)) == []
    assert only(talk.got())["error"]["message"] == "The message has a number in it that is out of range"


def test_an_id_that_a_server_writes_as_text_is_still_whose_it_is() -> None:
    for talk in (Talk(guidance=False), Talk().listed(SEARCH)):
        talk.client(called(5, "search", {"pattern": "x"}))
        reply = frame({"id": "5", "result": {"content": []}})
        assert talk.server(reply) == [reply]
        assert talk.session.in_flight == 0


def test_an_answer_to_a_server_that_has_ended_is_not_given_to_the_next() -> None:
    talk = Talk(guidance=False)
    talk.server(frame({"id": 7, "method": "roots/list"}))
    talk.session.server_gone("exited")
    talk.client(asked(1, "ping"))
    talk.session.server_started()
    assert talk.client(frame({"id": 7, "result": {"roots": []}})) == [asked(1, "ping")]
    talk.server(frame({"id": 7, "method": "roots/list"}))
    assert talk.client(frame({"id": 7, "result": {"roots": []}})) == [frame({"id": 7, "result": {"roots": []}})]


def test_a_list_is_believed_for_longer_the_longer_it_took_to_read() -> None:
    for took, believed in ((0.01, 2.0), (0.1, 10.0), (5.0, 60.0)):
        talk = Talk()
        talk.client(asked("list", "tools/list"))
        talk.now += took
        talk.server(frame({"id": "list", "result": {"tools": [SEARCH]}}))
        talk.now += believed - 0.1
        assert talk.client(called(1, "search", {"max": 1})) == []
        talk.now += 0.2
        assert only(talk.client(called(2, "search", {"max": 2})))["method"] == "tools/list"


def test_a_reply_that_is_too_long_is_told_as_a_failure() -> None:
    talk = Talk(guidance=False)
    talk.client(called(1, "search", {}))
    talk.session.from_server(OversizedFrame(b'{"jsonrpc":"2.0","id":1,"result":{', b"}}", 10**8))
    assert only(talk.got())["error"]["message"] == "The server sent a reply of 100,000,000 bytes, which is too long"


def test_a_list_of_ours_that_is_no_json_leaves_the_call_to_go_on() -> None:
    talk = Talk()
    own = only(talk.client(called(1, "search", {})))["id"]
    talk.server(b'{"jsonrpc":"2.0","id":"' + own.encode() + b'","result":NaN}')
    assert talk.sent() == [called(1, "search", {})]


def test_half_a_surrogate_pair_from_a_server_passes_as_it_is() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x"}), called(2, "search", {"pattern": "x"}))
    reply = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\ud800"}]}}'
    assert talk.server(reply) == [reply]
    failed = only(talk.server(reply.replace(b'"id":1', b'"id":2').replace(b"]}}", b'],"isError":true}}')))
    assert failed["result"]["content"][0]["text"] == "\ud800"
    event = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\\udc00"}}'
    assert talk.server(event) == [event]
    assert talk.server(b'{"a":"\\ud800"}') == []


def test_half_a_surrogate_pair_does_not_keep_a_repaired_call_from_its_answer() -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x", "max": "5"}))
    reply = only(talk.server(b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\ud83d"}]}}'))
    assert reply["result"]["content"][0]["text"] == "\ud83d"
    assert "auto-corrected" in reply["result"]["content"][1]["text"]
    talk.client(called(2, "functions.search", {"pattern": "x"}))
    talk.server(frame({"id": 2, "error": {"code": -32602, "message": "Unknown tool: functions.search"}}))
    again = json.dumps(only(talk.sent())["id"]).encode()
    reply = only(
        talk.server(b'{"jsonrpc":"2.0","id":%b,"result":{"content":[{"type":"text","text":"\\ud83d"}]}}' % again)
    )
    assert reply["id"] == 2


def test_if_guidance_fails_altogether_the_request_is_told_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk().listed(SEARCH)

    async def broken(*_: Any) -> bytes:
        raise RuntimeError("ours")

    monkeypatch.setattr(talk.relay, "answer_call", broken)
    talk.client(called(1, "search", {}))
    assert only(talk.got())["error"]["message"] == "The proxy failed on this request"
    assert talk.client(called(2, "search", {"pattern": "x"})) == [called(2, "search", {"pattern": "x"})]
    assert talk.notes == ["guidance failed (RuntimeError)"]


def test_a_reply_that_cannot_be_put_together_leaves_the_servers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk().listed(SEARCH)

    def broken(*_: Any) -> bytes:
        raise RuntimeError("ours")

    talk.client(called(1, "search", {"pattern": "x", "max": "5"}))
    monkeypatch.setattr("fingerpost.proxy.protocol.relay.splice", broken)
    assert talk.server(said(1)) == [said(1)]


@pytest.mark.parametrize(
    ("reply", "is_relayed"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{"text":"\\ud83d"}}', True),
        (b'{"jsonrpc":"2.0","id":1,"result":{"text":NaN}}', False),
        (b'{"jsonrpc":"2.0","id":1,"error":', False),
    ],
)
def test_a_reply_of_the_client_is_never_answered_to_the_client(reply: bytes, is_relayed: bool) -> None:
    talk = Talk().listed(SEARCH)
    talk.client(called(1, "search", {"pattern": "x"}))
    talk.server(asked(1, "sampling/createMessage"))
    sent = talk.client(reply)
    assert talk.got() == []
    assert sent == [reply] if is_relayed else only(sent)["error"]["code"] == -32700


def test_a_reply_of_the_client_that_is_too_long_is_an_error_to_the_server() -> None:
    talk = Talk()
    talk.server(asked(1, "roots/list"))
    talk.session.from_client(OversizedFrame(b'{"jsonrpc":"2.0","id":1,"result":{', b"}}", 10**8))
    assert talk.got() == [] and only(talk.sent())["error"]["code"] == -32600
    talk.client(b'{"jsonrpc":"2.0","id":2,"error":')
    assert only(talk.got())["id"] == 2
    for id in range(1_100):
        talk.server(asked(id, "roots/list"))


def test_members_with_nothing_in_them_are_as_if_they_were_not_there() -> None:
    talk = Talk().listed(SEARCH)
    for odd in (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":null,"error":null,"result":null}',
    ):
        assert talk.client(odd) == [odd]
    reply = b'{"jsonrpc":"2.0","id":1,"result":null}'
    assert talk.server(reply) == [reply]


def test_a_call_that_readers_would_differ_on_is_answered_once_whatever_becomes_of_the_server() -> None:
    twice = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b","_meta":{"progressToken":1}}}'
    )
    talk = Talk()
    talk.session.server_gone("x")
    talk.client(twice)
    talk.session.server_refused("could not be started")
    assert only(talk.got())["id"] == 1
    slow = Talk(timeout=5)
    odd = b'{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"a":1,"a":2,"_meta":{"progressToken":1}}}'
    assert slow.client(odd) == [odd] and slow.got() == []


def test_a_second_reply_is_dropped_and_one_without_an_id_passes() -> None:
    talk = Talk(guidance=False)
    talk.client(asked(1, "ping"))
    assert talk.server(said(1), said(1)) == [said(1)]
    error = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
    assert talk.server(error) == [error]


def test_an_answer_that_will_not_come_is_told_once() -> None:
    talk = Talk(guidance=False)
    talk.client(asked(1, "ping"))
    assert talk.session.unanswered(1, LostReply("answered HTTP 500", is_over=True))
    assert not talk.session.unanswered(1, LostReply("answered HTTP 500"))
    assert only(talk.got())["error"]["message"] == "The server answered HTTP 500"


# laws

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ids: st.SearchStrategy[Any] = st.integers(-(2**70), 2**70) | st.text(max_size=6) | st.just("")
methods = st.sampled_from(["ping", "x/y", "resources/list", "completion/complete", "future/method", ""])


def spelled(message: dict[str, Any], indent: int | None, ascii: bool) -> bytes:
    """A message in one of the many spellings that JSON has."""
    try:
        return json.dumps(message, indent=indent, ensure_ascii=ascii).replace("\n", " ").encode()
    except UnicodeEncodeError:
        return json.dumps(message).encode()


spellings = st.tuples(st.sampled_from([None, 1]), st.booleans())


@settings(max_examples=200)
@given(
    st.lists(st.tuples(ids, methods, st.dictionaries(st.text(max_size=4), values, max_size=3), spellings), max_size=8),
    st.booleans(),
)
def test_traffic_that_guidance_has_no_part_in_passes_byte_for_byte(
    traffic: list[tuple[Any, str, dict[str, Any], tuple[int | None, bool]]], guidance: bool
) -> None:
    talk = Talk(guidance=guidance)
    for id, method, params, spelling in traffic:
        request = spelled({"jsonrpc": "2.0", "id": id, "method": method, "params": params, "extra": 1}, *spelling)
        if _has_half_pairs(params):
            continue
        assert talk.client(request) == [request]
        reply = spelled({"jsonrpc": "2.0", "result": params, "id": id}, *spelling)
        assert talk.server(reply) == [reply]
    assert talk.got() == [] and talk.session.in_flight == 0


def _has_half_pairs(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
        return False
    except UnicodeEncodeError:
        return True


@given(
    st.lists(st.binary(max_size=12).map(lambda part: part.replace(b"\n", b"")), max_size=6),
    st.lists(st.integers(0, 80)),
    st.integers(1, 12),
)
def test_chunk_boundaries_carry_no_meaning(lines: list[bytes], cuts: list[int], limit: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    frames = FrameSplitter(limit)
    pieces = [stream[start:end] for start, end in itertools.pairwise(edges)]
    found = [one for piece in pieces for one in frames.push(piece)]
    assert found == [line if len(line) <= limit else OversizedFrame(line, b"", len(line)) for line in lines]
    assert frames.take_rest() is None


def test_the_ends_of_a_long_frame_are_kept_and_nothing_between() -> None:
    frames = FrameSplitter(100)
    long = b"a" * 70_000 + b"m" * 1_000_000 + b"z" * 70_000
    chunks = [long[start : start + 9_999] for start in range(0, len(long), 9_999)]
    assert [one for chunk in chunks for one in frames.push(chunk)] == []
    assert list(frames.push(b"\nnext")) == [OversizedFrame(long[:65_536], long[-65_536:], len(long))]
    assert frames.take_rest() == b"next"


FAULTS: dict[str, Callable[[Talk, Any], object]] = {
    "answers": lambda talk, id: talk.session.from_server(said(id)),
    "fails": lambda talk, id: talk.session.from_server(said(id, "No such file", isError=True)),
    "knows no such tool": lambda talk, id: talk.session.from_server(
        frame({"id": id, "error": {"code": -32602, "message": "Unknown tool"}})
    ),
    "answers twice": lambda talk, id: [talk.session.from_server(said(id)) for _ in range(2)],
    "answers NaN": lambda talk, id: talk.session.from_server(
        b'{"jsonrpc":"2.0","id":%b,"result":{"a":NaN}}' % json.dumps(id).encode()
    ),
    "says noise first": lambda talk, id: [talk.session.from_server(one) for one in (b"noise", said(id))],
    "dies": lambda talk, id: talk.session.server_gone("died"),
    "sleeps": lambda talk, id: talk.passed(100),
}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("tools/call", {"name": "search", "arguments": {"pattern": "x"}}),
    ("tools/call", {"name": "search", "arguments": {"patern": "x"}}),
    ("tools/call", {"name": "search", "arguments": {"pattern": "x", "max": "5"}}),
    ("tools/call", {"name": "serach", "arguments": {}}),
    ("tools/call", {"name": "mcp__s__search", "arguments": {"pattern": "x"}}),
    ("tools/list", {}),
    ("prompts/get", {"name": "p"}),
    ("resources/read", {"uri": "a:b"}),
    ("ping", {}),
]
calls = st.sampled_from(CALLS)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_the_server_does_each_request_is_answered_once(data: st.DataObject) -> None:
    """Requests under ids of every type, some equal to one another's text, answered in any order or not at all."""
    talk = Talk(timeout=90, info_tool="info")
    if data.draw(st.booleans()):
        talk.listed(SEARCH)
    keys = data.draw(st.lists(ids, unique=True, min_size=1, max_size=6))
    waiting, got = list(keys), list[Any]()
    owed = list[Any]()
    for _ in range(200):
        if waiting and (not owed or data.draw(st.booleans())):
            method, params = data.draw(calls)
            talk.session.from_client(asked(waiting.pop(0), method, **params))
        if talk.session.wants_server:
            talk.session.server_started()
        owed += [json.loads(one)["id"] for one in talk.sent() if b'"id"' in one and b"cancelled" not in one]
        if owed:
            id = owed.pop(data.draw(st.integers(0, len(owed) - 1)))
            fault = data.draw(st.sampled_from(sorted(FAULTS)))
            FAULTS[fault](talk, id)
            owed = [] if fault == "dies" else owed
        got += [json.loads(one)["id"] for one in talk.got()]
        if not waiting and not owed and not talk.session.wants_server and not talk.session.to_server:
            break
    talk.passed(100)
    got += [json.loads(one)["id"] for one in talk.got()]
    assert sorted(map(repr, got)) == sorted(map(repr, keys))
    assert talk.session.in_flight == 0
