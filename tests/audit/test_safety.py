"""What an audit never sends, and which replies earn no credit."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.audit.events import CallJudged
from fingerpost.audit.reports import terminal
from fingerpost.terminal.style import Style
from tests.support.audited_servers import NEAR, WORD, audit, command, doing, requests_in
from tests.support.misbehaving import TOOLS, tool

_ANSWERS = """
import json, sys
tools, program = {tools!r}, {program!r}
calls = 0
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    params = asked.get("params") or {{}}
    if asked["method"] == "initialize":
        result = {{"protocolVersion": "2025-11-25", "capabilities": {{}}, "serverInfo": {{"name": "s"}}}}
    elif asked["method"] == "tools/list":
        result = {{"tools": tools}}
    elif asked["method"] == "tools/call":
        calls += 1
        name, arguments = params["name"], params.get("arguments")
        result = eval(program)
    else:
        result = {{}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""


def answering(program: str, *tools: dict[str, Any]) -> tuple[str, ...]:
    """A server that answers every call with an expression over `name`, `arguments` and the number of `calls`."""
    listed = list(tools) or [NEAR]
    return (sys.executable, "-S", "-c", _ANSWERS.format(tools=listed, program=program))


def reply_with(text: str, *, is_error: bool = False) -> str:
    return f'{{"isError": {is_error}, "content": [{{"type": "text", "text": {text}}}]}}'


@pytest.mark.parametrize(
    "program",
    [
        reply_with("'ok'"),
        '{"content": []}',
        reply_with("'bad'", is_error=True),
        reply_with("''", is_error=True),
        reply_with("['red', 'green', 'blue'][calls % 3]"),
        reply_with("f'{calls} o clock'"),
    ],
)
def test_a_server_that_answers_everything_the_same_repairs_nothing(program: str) -> None:
    report = audit(answering(program)).report
    assert report.repairable > 10
    assert report.repair_rate == 0
    assert report.tallies["unknown_tool"].passed == report.tallies["unknown_param"].passed == 0


def test_a_server_whose_right_calls_fail_is_judged_by_conclusive_replies_only() -> None:
    program = reply_with("'Set API_KEY first' if name == 'look_up' else 'Unknown tool: ' + name", is_error=True)
    report = audit(answering(program)).report
    assert {tally.item.id for tally in report.items} == {
        "unknown_tool", "auto_correction", "next_steps", "brief", "honest", "discreet", "alive", "stable",
    }  # fmt: skip
    assert report.repair_rate == 0
    assert [note.text for note in report.notes] == ["a right call fails: Set API_KEY first"]


def test_one_text_for_every_mistake_is_no_guidance() -> None:
    usage = "Unknown or missing: word is a string, limit an integer from 1 to 9. Use these, and received types count."
    is_right = "name == 'look_up' and type(arguments) is dict and type(arguments.get('word')) is str"
    program = reply_with(f"'found' if {is_right} else {usage!r}").replace("False", f"not ({is_right})")
    report = audit(answering(program)).report
    assert {one.item.id for one in report.findings if "same text" in one.why} >= {"next_steps", "missing_required"}


def writer(name: str, **annotations: Any) -> dict[str, Any]:
    return {**tool(name, WORD, ("word",), reads=False), "annotations": annotations}


def names_called(record: Path) -> list[str]:
    sent = [json.loads(line) for line in record.read_text().splitlines()]
    return [one["params"]["name"] for one in sent if one["method"] == "tools/call"]


def test_after_an_unsafe_execution_no_more_calls_go_to_tools_that_may_write(tmp_path: Path) -> None:
    record = tmp_path / "record"
    made = audit(command(tools=[writer("wipe"), writer("erase"), NEAR], record=str(record)))
    sent = [json.loads(line) for line in record.read_text().splitlines()]
    written = [
        one["params"] for one in sent if one["method"] == "tools/call" and one["params"]["name"] in ("wipe", "erase")
    ]
    assert len(written) == 1
    assert [note.text for note in made.report.notes if note.tool in ("wipe", "erase")] == [
        'EXECUTED a call that it should have refused: {"name": "wipe", "arguments": {}}'
    ]
    assert {one.tool for one in made.report.skipped if "executes calls that it should refuse" in one.why} == {"erase"}
    assert made.unmet("missing_required") >= {"wipe"}
    assert "\n! wipe EXECUTED a call that it should have refused: " in terminal.render(made.report, Style(False))
    assert "type.wrong" in {event.mistake.kind for event in made.events if isinstance(event, CallJudged)}


def test_destructive_tools_and_tools_with_defaults_get_no_risky_call(tmp_path: Path) -> None:
    record = tmp_path / "record"
    schema = {"type": "object", "properties": {"word": {"type": "string", "default": "."}}, "required": ["word"]}
    tools = [writer("wipe", destructiveHint=True), {**writer("erase"), "inputSchema": schema}, NEAR]
    made = audit(command(tools=tools, record=str(record)))
    names = {
        json.loads(line)["params"].get("name") for line in record.read_text().splitlines() if '"tools/call"' in line
    }
    assert not {"wipe", "erase"} & names
    assert [one.why for one in made.report.skipped if one.tool == "wipe"] == [
        "it declares destructiveHint: true; --allow-writes tries it"
    ]


def test_a_changed_list_of_tools_is_noted() -> None:
    made = audit(doing(fickle=[["announce"], ["usual"]]), most=3)
    assert "the server changed its list of tools during the audit" in " ".join(note.text for note in made.report.notes)


def test_a_reply_that_cannot_be_judged_is_a_note_and_the_audit_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise OverflowError

    monkeypatch.setattr("fingerpost.audit.execute.judge_call.judge_reply", broken)
    made = audit(command(tools=[NEAR]), most=3)
    assert [note.text for note in made.report.notes] == ["a reply could not be judged (OverflowError)"]
    assert made.report.is_whole


def test_names_with_invalid_characters_are_audited() -> None:
    made = audit(command(tools=[{**NEAR, "name": "look\ud800up"}]), most=5)
    assert made.report.is_whole and made.report.done


def test_a_repeated_secret_is_found_in_a_reply() -> None:
    login = tool("log_in", {"password": {"type": "string", "minLength": 20}, "user": {"type": "string"}}, ("password",))
    report = audit(answering(reply_with("str(arguments)", is_error=True), login), most=10).report
    assert "repeats the value of the secret parameter password" in {one.why for one in report.findings}
    kind = audit(answering(reply_with("'Fill in: log_in(password: <string>)'", is_error=True), login), most=10).report
    assert kind.tallies["discreet"].passed == kind.tallies["discreet"].tried


def test_a_tool_that_may_write_gets_no_call_that_it_could_execute(tmp_path: Path) -> None:
    record, counter = tmp_path / "record", tmp_path / "counter"
    examples = {"count_up": [{"key": "the owner's"}], "weather_report": [{"city": "Rome"}]}
    program = command(tools=TOOLS, record=str(record), counter=str(counter))
    made = audit(program, examples=examples)
    calls = requests_in(record, "tools/call")
    assert [one["arguments"] for one in calls if one["name"] == "count_up"], "some are sent"
    assert all("key" not in one["arguments"] for one in calls if one["name"] == "count_up")
    assert "the owner's" not in record.read_text()
    assert "Rome" in record.read_text()
    (skipped,) = made.report.skipped
    assert (skipped.tool, skipped.what) == ("count_up", "every mistake but for its name and what it requires")
    assert "--allow-writes" in skipped.why


def test_with_allow_writes_a_tool_gets_every_call(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    program = command(tools=TOOLS, counter=str(counter))
    made = audit(program, allow_writes=True, only=frozenset({"count_up"}), examples={"count_up": [{"key": "mine"}]})
    assert "mine" in counter.read_text().splitlines()
    assert {one.tool for one in made.report.skipped} == {"echo", "weather_report"}
