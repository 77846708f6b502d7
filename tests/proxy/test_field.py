"""What `make field` compares and by which rules it judges, and the whole of it on servers that the tests have."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.field import rules
from bench.field.case import Case, Exchange, Outcome, Passed, is_destructive, may_write, mentions_unknown, says_unknown
from bench.field.likeness import Likeness, compare
from bench.field.page import Row, render_page
from bench.field.right import compare_right_calls
from bench.field.servers import FIELD, language_of
from bench.field.stage import Stage
from bench.field.wrong import pair_calls, plan_mistakes, run_wrong_calls
from bench.sandbox import serve_page
from fingerpost import KEY, Call
from fingerpost.audit.generate.mistakes import Mistake
from tests.support.paths import ROOT

Frame = dict[str, Any]


# comparing replies


def _reply(text: str, **more: Any) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}], **more}}
    ).encode()


def _guided(text: str, *added: str, **more: Any) -> bytes:
    frame = json.loads(_reply(text, isError=True, **more))
    frame["result"]["_meta"] = {KEY: {"error": {"code": "NOT_FOUND"}}}
    frame["result"]["content"] += [{"type": "text", "text": one} for one in added]
    return json.dumps(frame).encode()


FAILED = _reply("no such file", isError=True)


@pytest.mark.parametrize(
    ("likeness", "direct", "behind", "again"),
    [
        pytest.param(Likeness.IDENTICAL, _reply("a"), _reply("a"), _reply("a"), id="the same bytes"),
        pytest.param(Likeness.DIFFERENT, _reply("a"), _reply("a") + b" ", _reply("a"), id="one blank more"),
        pytest.param(Likeness.IDENTICAL, _reply("10:01"), _reply("10:02"), _reply("10:02"), id="a clock that moved on"),
        pytest.param(Likeness.DIFFERENT, _reply("10:01"), _reply("10:02"), _reply("10:01"), id="a clock that stood"),
        pytest.param(Likeness.VARYING, _reply("id a1"), _reply("id b2"), _reply("id c3"), id="a random id"),
        pytest.param(Likeness.DIFFERENT, _reply("id a1"), _reply("no b2"), _reply("id c3"), id="words beside an id"),
        pytest.param(Likeness.VARYING, _reply("a-b"), _reply("c"), _reply("d-e-f"), id="texts that cannot be aligned"),
        pytest.param(
            Likeness.DIFFERENT, _reply("a-b"), _reply("c", _meta={}), _reply("d-e-f"), id="another shape beside them"
        ),
        pytest.param(Likeness.KEPT, FAILED, _guided("no such file"), FAILED, id="data for programs"),
        pytest.param(Likeness.KEPT, FAILED, _guided("no such file", "Look first"), FAILED, id="a text after it"),
        pytest.param(Likeness.DIFFERENT, FAILED, _guided("no file", "Look first"), FAILED, id="the text was replaced"),
        pytest.param(Likeness.DIFFERENT, FAILED, _guided("no such file", more=1), FAILED, id="another field"),
        pytest.param(Likeness.DIFFERENT, _reply("a"), b"", _reply("a"), id="no reply"),
        pytest.param(Likeness.IDENTICAL, b"", b"", b"", id="a server that does not answer"),
    ],
)
def test_a_reply_is_compared_with_two_direct_ones(
    likeness: Likeness, direct: bytes, behind: bytes, again: bytes
) -> None:
    assert compare(direct, behind, again) is likeness


def test_the_data_of_a_protocol_error_may_gain_our_key_only() -> None:
    error: Frame = {"code": -32602, "message": "bad", "data": {"own": 1}}
    direct = json.dumps({"id": 1, "error": error}).encode()
    guided: Frame = {**error, "data": {"own": 1, KEY: {"error": {}}}}
    assert compare(direct, json.dumps({"id": 1, "error": guided}).encode(), direct) is Likeness.KEPT
    del guided["data"]["own"]
    assert compare(direct, json.dumps({"id": 1, "error": guided}).encode(), direct) is Likeness.DIFFERENT


# the rules


_PARAMETERS: Frame = {
    "path": {"type": "string"},
    "depth": {"type": "integer"},
    "mode": {"type": "string", "enum": ["fast", "slow"]},
    "note": {"type": "string"},
}
_SCHEMA: Frame = {"type": "object", "properties": _PARAMETERS, "required": ["path"]}
TOOLS: list[Frame] = [
    {"name": "read_file", "inputSchema": _SCHEMA, "annotations": {"readOnlyHint": True}},
    {"name": "write_file", "inputSchema": _SCHEMA},
    {"name": "delete_file", "inputSchema": _SCHEMA},
    {"name": "git_show", "inputSchema": _SCHEMA},
    {"name": "open_file", "inputSchema": {**_SCHEMA, "additionalProperties": True}},
]
RIGHT: Frame = {"path": "a"}
DONE: Frame = {"result": {"content": [{"type": "text", "text": "done"}]}}


def _error(code: str, text: str = "", **more: Any) -> Frame:
    """A refusal of the proxy."""
    meta = {KEY: {"error": {"code": code, "message": text, **more}}}
    return {"result": {"content": [{"type": "text", "text": text}], "isError": True, "_meta": meta}}


def _failed(text: str) -> Frame:
    return {"result": {"content": [{"type": "text", "text": text}], "isError": True}}


def _case(
    sent: Call,
    reply: Frame,
    *passed: Passed,
    kind: str = "parameter.misspelt",
    right: Call | None = None,
    culprit: str = "path",
    resent: Exchange | None = None,
    server: str = "files-mcp-server",
) -> Case:
    mistake = Mistake(kind, sent, right or Call(sent.tool, RIGHT), culprit)
    return Case(mistake, server, TOOLS, Exchange(sent, reply, passed), resent)


def _ran(sent: Call, ran: Call, right: Call | None = None, server: str = "files-mcp-server") -> Case:
    return _case(sent, DONE, Passed(ran, DONE), right=right or ran, server=server)


def _offer(sent: Call, name: str, arguments: Frame, applicability: str = "maybe_incorrect") -> Case:
    call = {"name": name, "arguments": arguments, "applicability": applicability}
    return _case(sent, _error("UNKNOWN_PARAM", "Unknown param 'pth'", corrected_call=call))


def _write(**arguments: Any) -> Call:
    return Call("write_file", arguments)


def _read(**arguments: Any) -> Call:
    return Call("read_file", arguments)


NO_TOOL: Frame = _failed("Unknown tool: writeFile")
NOT_FOUND = _error("UNKNOWN_TOOL", "Tool 'raed_file' not found")
RAED = Call("raed_file", RIGHT)
ERROR: Frame = {"error": {"code": -32602, "message": "bad", "data": {"own": 1}}}


def _claim(code: str, name: str, sent: Call) -> Case:
    """A refusal that claims something about a parameter, beside something else."""
    problem = {"code": code, "details": {"parameter": name}}
    return _case(sent, _error("INVALID_INPUT", "…", problems=[{"code": "INVALID_INPUT"}, problem]))


CAMEL, WRITTEN = Call("writeFile", RIGHT), Passed(_write(path="a"), DONE)

CASES: list[tuple[Callable[[Case], str | None], str, Case, Case]] = [
    (rules.one_reply, "both", _ran(_write(path="a"), _write(path="a")), _case(_write(path="a"), {**DONE, **ERROR})),
    (rules.one_reply, "none", _ran(_write(path="a"), _write(path="a")), _case(_write(path="a"), {})),
    (
        rules.sent_once,
        "after an answer",
        _case(CAMEL, DONE, Passed(CAMEL, NO_TOOL), WRITTEN),
        _case(CAMEL, DONE, Passed(CAMEL, DONE), WRITTEN),
    ),
    (
        rules.sent_once,
        "of a listed tool",
        _case(CAMEL, DONE, Passed(CAMEL, NO_TOOL), WRITTEN),
        _case(_write(path="a"), DONE, Passed(_write(path="a"), NO_TOOL), WRITTEN),
    ),
    (
        rules.sent_once,
        "after words in a sentence",
        _case(CAMEL, DONE, Passed(CAMEL, NO_TOOL), WRITTEN),
        _case(
            CAMEL,
            DONE,
            Passed(CAMEL, _failed("wrote half of it, then tool writeFile not found")),
            WRITTEN,
        ),
    ),
    (
        rules.name_kept,
        "spelling that looks like a prefix",
        _ran(Call("git__show"), Call("git_show"), server="mcp-git"),
        _ran(Call("git__shwo"), Call("git_show"), server="mcp-git"),
    ),
    (rules.name_kept, "another tool", _ran(Call("writeFile"), _write()), _ran(Call("wirte_file"), _write())),
    (
        rules.name_kept,
        "destructive",
        _ran(Call("tools.delete_file"), Call("delete_file")),
        _ran(Call("deleteFile"), Call("delete_file")),
    ),
    (
        rules.name_kept,
        "other server",
        _ran(Call("mcp__files__write_file"), _write()),
        _ran(Call("mcp__mail__write_file"), _write()),
    ),
    (
        rules.name_kept,
        "read-only",
        _ran(Call("mcp__mail__read_file"), _read()),
        _ran(Call("mcp__mail__raed_file"), _read()),
    ),
    (rules.name_kept, "unlisted", _ran(Call("functions.read_file"), _read()), _ran(Call("readFile"), Call("read"))),
    (rules.change_is_valid, "a type", _ran(_read(path=["a"]), _read(path="a")), _ran(_read(path=["a"]), _read(path=1))),
    (
        rules.change_is_valid,
        "a name",
        _ran(_read(pth="a"), _read(path="a")),
        _ran(_read(pth="a"), _read(path="a", x=1)),
    ),
    (
        rules.change_is_meant,
        "a write",
        _ran(_write(pth="a"), _write(path="a")),
        _ran(_write(pth="a"), _write(path="a", note="b"), _write(path="a")),
    ),
    (
        rules.change_is_meant,
        "a read",
        _ran(_read(path="a", x=1), _read(path="a"), _read(path="a", note="b")),
        _ran(_read(pth="a"), _read(path="b"), _read(path="a")),
    ),
    (
        rules.nothing_undeclared,
        "reached it",
        _case(_write(pth="a"), _error("UNKNOWN_PARAM")),
        _ran(_write(pth="a"), _write(pth="a"), _write(path="a")),
    ),
    (
        rules.null_forwarded,
        "was dropped",
        _case(_write(path="a", note=None), DONE, Passed(_write(path="a", note=None), DONE), kind="null.optional"),
        _case(_write(path="a", note=None), DONE, WRITTEN, kind="null.optional"),
    ),
    (
        rules.values_kept,
        "lost",
        _ran(_write(Path="A"), _write(path="a")),
        _ran(_write(Path="a", note=None), _write(path="a")),
    ),
    (
        rules.values_kept,
        "invented",
        _ran(_write(input='{"path": "a", "depth": "2"}'), _write(path="a", depth=2)),
        _ran(_write(path="a"), _write(path="a", depth=2)),
    ),
    (
        rules.culprit_named,
        "parameter",
        _case(_write(pth="a"), _error("UNKNOWN_PARAM", "Unknown param 'pth'")),
        _case(_write(pth="a"), _error("UNKNOWN_PARAM", "Something is wrong")),
    ),
    (
        rules.culprit_named,
        "missing",
        _case(_write(), _error("MISSING_REQUIRED", "'path' is missing"), kind="required.missing"),
        _case(_write(), _error("MISSING_REQUIRED", "Something is missing"), kind="required.missing"),
    ),
    (
        rules.culprit_named,
        "tool",
        _case(RAED, NOT_FOUND, kind="tool.misspelt"),
        _case(RAED, _error("UNKNOWN_TOOL", "Tool not found"), kind="tool.misspelt"),
    ),
    (
        rules.offers_are_valid,
        "name",
        _offer(_write(pth="a"), "write_file", RIGHT),
        _offer(_write(pth="a"), "wirte_file", RIGHT),
    ),
    (
        rules.offers_are_valid,
        "parameter",
        _offer(_write(pth="a"), "write_file", RIGHT),
        _offer(_write(pth="a"), "write_file", {"pth": "a"}),
    ),
    (
        rules.offers_are_valid,
        "filled in",
        _offer(_write(pth="a"), "write_file", {"path": "<string>"}),
        _offer(_write(pth="a"), "write_file", {"path": "<string>", "mode": "warp"}),
    ),
    (
        rules.parameters_kept,
        "guessed",
        _ran(_write(Path="a"), _write(path="a")),
        _ran(_write(pth="a"), _write(path="a")),
    ),
    (
        rules.sure_offer_is_meant,
        "another call",
        _offer(_write(pth="a"), "write_file", RIGHT, "machine_applicable"),
        _offer(_write(pth="a"), "write_file", {"path": "b"}, "machine_applicable"),
    ),
    (
        rules.names_exist,
        "in the text",
        _case(_write(), _error("NOT_FOUND", 'Try: write_file(path: "a")')),
        _case(_write(), _error("NOT_FOUND", "Try: write_file(paths: [1])")),
    ),
    (
        rules.offer_converges,
        "refused",
        _case(_write(), DONE, resent=Exchange(_write(path="a"), DONE, (WRITTEN,))),
        _case(_write(), DONE, resent=Exchange(_write(path="a"), _error("INVALID_TYPE"))),
    ),
    (
        rules.offer_converges,
        "changed again",
        _case(_write(), DONE, resent=Exchange(_write(path="a"), DONE, (WRITTEN,))),
        _case(_write(), DONE, resent=Exchange(_write(path="a"), DONE, (Passed(_write(path="b"), DONE),))),
    ),
    (
        rules.failure_kept,
        "text",
        _case(_write(path=1), _failed("disk full"), Passed(_write(path=1), _failed("disk full"))),
        _case(_write(path=1), _error("INVALID_TYPE", "path is wrong"), Passed(_write(path=1), _failed("disk full"))),
    ),
    (
        rules.failure_kept,
        "data",
        _case(_write(path=1), ERROR, Passed(_write(path=1), ERROR)),
        _case(_write(path=1), {"error": {"code": -32602, "message": "bad"}}, Passed(_write(path=1), ERROR)),
    ),
    (
        rules.failure_kept,
        "message",
        _case(_write(path=1), ERROR, Passed(_write(path=1), ERROR)),
        _case(_write(path=1), {"error": {**ERROR["error"], "message": "worse"}}, Passed(_write(path=1), ERROR)),
    ),
    (
        rules.failure_kept,
        "unknown tool",
        _case(RAED, NOT_FOUND, Passed(RAED, _failed("Tool raed_file not found"))),
        _case(RAED, _error("NOT_FOUND"), Passed(RAED, _failed("Tool raed_file not found"))),
    ),
    (
        rules.success_kept,
        "text",
        _ran(_read(path="a"), _read(path="a")),
        _case(_read(path="a"), {"result": {"content": []}}, Passed(_read(path="a"), DONE)),
    ),
    (
        rules.success_kept,
        "failed",
        _ran(_read(path="a"), _read(path="a")),
        _case(_read(path="a"), _error("UNKNOWN_PARAM"), Passed(_read(path="a"), DONE)),
    ),
    (
        rules.success_kept,
        "structure",
        _ran(_read(path="a"), _read(path="a")),
        _case(_read(path="a"), DONE, Passed(_read(path="a"), {"result": {**DONE["result"], "structuredContent": {}}})),
    ),
    (
        rules.not_found_is_true,
        "another failure",
        _case(RAED, NOT_FOUND, Passed(RAED, _failed("Unknown tool: raed_file"))),
        _case(RAED, NOT_FOUND, Passed(RAED, _failed("Error: Missing arguments"))),
    ),
    (
        rules.not_found_is_true,
        "listed",
        _case(RAED, NOT_FOUND, Passed(RAED, _failed("Unknown tool: raed_file"))),
        _case(_read(path="a"), _error("UNKNOWN_TOOL", "Tool 'read_file' not found")),
    ),
    (
        rules.claims_are_true,
        "MISSING_REQUIRED",
        _claim("MISSING_REQUIRED", "path", _write()),
        _claim("MISSING_REQUIRED", "path", _write(path="a")),
    ),
    (
        rules.claims_are_true,
        "INVALID_TYPE",
        _claim("INVALID_TYPE", "depth", _write(path="a", depth="x")),
        _claim("INVALID_TYPE", "depth", _write(path="a", depth=1)),
    ),
    (
        rules.claims_are_true,
        "INVALID_CHOICE",
        _claim("INVALID_CHOICE", "mode", _write(path="a", mode="x")),
        _claim("INVALID_CHOICE", "mode", _write(path="a", mode="fast")),
    ),
    (
        rules.claims_are_true,
        "UNKNOWN_PARAM",
        _claim("UNKNOWN_PARAM", "pth", _write(pth="a")),
        _claim("UNKNOWN_PARAM", "note", _write(note="a")),
    ),
    (
        rules.names_exist,
        "tool",
        _case(_write(), _error("NOT_FOUND", suggestions={"similar_tools": ["read_file"]})),
        _case(_write(), _error("NOT_FOUND", suggestions={"similar_tools": ["list_file"]})),
    ),
    (
        rules.names_exist,
        "step",
        _case(_write(), _error("NOT_FOUND", next_steps={"fix": 'write_file(path: "a, x: 1", note: {b: [1]})'})),
        _case(_write(), _error("NOT_FOUND", next_steps={"list": "write_file(folder: <string>)"})),
    ),
    (
        rules.text_is_short,
        "long",
        _case(_write(), _error("NOT_FOUND", "x" * 800)),
        _case(_write(), _error("NOT_FOUND", "x" * 801)),
    ),
]


@pytest.mark.parametrize(
    ("rule", "about", "kept", "broken"), CASES, ids=[f"{one[0].__name__}-{one[1]}" for one in CASES]
)
def test_a_rule_tells_an_answer_that_keeps_it_from_one_that_breaks_it(
    rule: Callable[[Case], str | None], about: str, kept: Case, broken: Case
) -> None:
    assert rule(kept) == ""
    assert rule(broken)
    assert rules.judge(broken)[rule.__name__] == rule(broken)


def test_every_rule_is_tried_and_written_down() -> None:
    assert {rule for rule, *_ in CASES} == set(rules.RULES)
    assert all((rule.__doc__ or "").strip().endswith((".", '".')) for rule in rules.RULES)


def test_a_rule_is_silent_about_what_does_not_concern_it() -> None:
    verdict = rules.judge(_case(_write(path="a"), DONE, Passed(_write(path="a"), DONE)))
    assert set(verdict) == {"one_reply", "sent_once", "success_kept"}
    assert rules.nothing_undeclared(_ran(Call("open_file", {"x": 1}), Call("open_file", {"x": 1}))) is None
    assert rules.culprit_named(_case(_write(), _error("WRONG_SHAPE"), kind="shape.text")) is None
    lost = _ran(_write(depth="many"), _write(depth=1))
    assert rules.change_is_meant(replace(lost, mistake=replace(lost.mistake, is_repairable=False))) is None


@pytest.mark.parametrize(
    ("reply", "says", "mentions"),
    [
        (_failed("Unknown tool: raed_file"), True, True),
        ({"error": {"code": -32602, "message": "MCP error -32602: Tool raed_file not found"}}, True, True),
        (_failed("Error: Unknown tool raed_file. Use read_file."), False, True),
        (_failed("Error calling tool raed_file: Unknown tool: raed_file"), True, True),
        (_failed("Error: Missing arguments"), False, False),
        (DONE, False, False),
    ],
)
def test_an_unknown_tool_is_recognised(reply: Frame, says: bool, mentions: bool) -> None:
    assert says_unknown(Passed(RAED, reply)) is says
    assert mentions_unknown(Passed(RAED, reply)) is mentions


def test_a_tool_is_destructive_by_its_annotations_or_else_by_its_name() -> None:
    assert is_destructive({"name": "wipeDisk"})
    assert is_destructive({"name": "save", "annotations": {"destructiveHint": True}})
    assert not is_destructive({"name": "wipe", "annotations": {"destructiveHint": False}})
    assert not is_destructive({"name": "save"})


@pytest.mark.parametrize(
    ("outcome", "case"),
    [
        (Outcome.REPAIRED, _ran(_write(Path="a"), _write(path="a"))),
        (Outcome.ACCEPTED, _ran(_write(path="a"), _write(path="a"))),
        (Outcome.CORRECTED, _offer(_write(pth="a"), "write_file", RIGHT)),
        (Outcome.EXPLAINED, _case(_write(), _error("MISSING_REQUIRED"))),
        (Outcome.FAILED, _case(_write(path=1), _failed("no"), Passed(_write(path=1), _failed("no")))),
    ],
)
def test_an_answer_has_one_outcome(outcome: Outcome, case: Case) -> None:
    assert case.outcome is outcome


def test_the_log_of_the_tap_gives_each_call_its_reply() -> None:
    call = {"jsonrpc": "2.0", "id": "é", "method": "tools/call", "params": {"name": "read_file", "arguments": RIGHT}}
    lines = [
        b'>{"id": 1, "method": "ping"}',
        b">" + json.dumps(call).encode(),
        b"<not JSON",
        b'<{"id": 1, "result": {}}',
    ]
    reply = {"id": "é", **DONE}
    assert list(pair_calls([*lines, b"<" + json.dumps(reply).encode()])) == [Passed(_read(path="a"), reply)]
    assert list(pair_calls(lines)) == [Passed(_read(path="a"), {})]


_LEAVE = """
import json, socket
from bench.field.network import leave_network
outcome = {"left": leave_network()}
if outcome["left"]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    try:
        socket.create_connection(("192.0.2.1", 9), timeout=5)
    except OSError as error:
        outcome["outside"] = error.strerror
print(json.dumps(outcome))
"""


@pytest.mark.no_cover
def test_outside_the_network_only_the_loopback_can_be_reached() -> None:
    """Where a system does not allow it, `make field` says so and stops."""
    run = subprocess.run([sys.executable, "-c", _LEAVE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) in ({"left": False}, {"left": True, "outside": "Network is unreachable"})


# the whole, on servers that the tests have


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Callable[[str], Stage]]:
    with serve_page() as site:
        yield lambda name: Stage(next(one for one in FIELD if one.name == name), tmp_path / "box", site)


@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["memory", "git"])
def test_right_calls_pass_and_wrong_ones_are_answered_by_the_rules(name: str, stage: Callable[[str], Stage]) -> None:
    here = stage(name)
    right = compare_right_calls(here)
    assert right.counts[Likeness.IDENTICAL] > 10
    cases = list(run_wrong_calls(here, right.offer, seed=5, most=45))
    assert len(cases) == 45
    assert {Outcome.REPAIRED, Outcome.CORRECTED, Outcome.EXPLAINED} <= {case.outcome for case in cases}
    assert [case for case in cases if case.resent]
    row = Row(here.peer, right, cases, 1.0)
    assert (row.findings, row.is_identical, row.broken) == ([], True, 0)
    page = render_page([row], seed=5, is_isolated=True)
    assert f"| {here.peer.package} | {here.peer.version} | {language_of(here.peer)} |" in page
    assert "None in this run." in page


@pytest.mark.no_cover
def test_a_reply_that_is_not_the_servers_is_found(stage: Callable[[str], Stage]) -> None:
    """Without the option, the proxy adds a tool to the list."""
    here = stage("memory")
    right = compare_right_calls(here, options=())
    assert right.counts[Likeness.DIFFERENT] == 1
    row = Row(here.peer, right, [], 1.0)
    assert row.findings[0].startswith("right call answered otherwise: ")
    assert "tools/list" in row.findings[0].replace("\\/", "/")
    assert "right call answered otherwise" in render_page([row], seed=5, is_isolated=False)


@pytest.mark.no_cover
def test_a_proxy_that_guesses_on_tools_that_may_write_is_found(stage: Callable[[str], Stage]) -> None:
    here = stage("memory")
    right = compare_right_calls(here)
    guessing = run_wrong_calls(here, right.offer, seed=1, most=120, options=["--auto-correct", "all"])
    row = Row(here.peer, right, list(guessing), 1.0)
    assert {finding.partition(":")[0] for finding in row.findings} >= {"parameters_kept"}


@pytest.mark.no_cover
def test_the_same_seed_makes_the_same_wrong_calls(stage: Callable[[str], Stage]) -> None:
    here = stage("memory")
    offer = compare_right_calls(here).offer
    first, again, other = (plan_mistakes(here, offer, seed=seed, most=50) for seed in (1, 1, 2))
    assert first == again != other
    assert "tool.other_server" in {one.kind for one in first}


@pytest.mark.no_cover
def test_null_is_sent_where_the_schema_does_not_allow_it(stage: Callable[[str], Stage]) -> None:
    here = stage("filesystem")
    offer = compare_right_calls(here).offer
    writing = {tool["name"] for tool in offer.tools if may_write(tool)}
    nulls = [one for one in plan_mistakes(here, offer, seed=1, most=300) if one.kind == "null.optional"]
    assert {one.call.tool in writing for one in nulls} == {True, False}
    assert all(None in one.call.arguments.values() for one in nulls)
