"""What an audit does not do, and what it does not take for good: no harm to what may write, no praise for nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.audit.events import Tried
from fingerpost.audit.reports import terminal
from fingerpost.terminal.style import Style
from tests.support.audit_stand import NEAR, WORD, audited, command, doing
from tests.support.misbehaving import tool

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
        said = {{"protocolVersion": "2025-11-25", "capabilities": {{}}, "serverInfo": {{"name": "s", "version": "1"}}}}
    elif asked["method"] == "tools/list":
        said = {{"tools": tools}}
    elif asked["method"] == "tools/call":
        calls += 1
        name, arguments = params["name"], params.get("arguments")
        said = eval(program)
    else:
        said = {{}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": said}}), flush=True)
"""


def answering(program: str, *tools: dict[str, Any]) -> tuple[str, ...]:
    """A server that answers every call with what an expression says of `name`, `arguments` and how many `calls`."""
    listed = list(tools) or [NEAR]
    return (sys.executable, "-S", "-c", _ANSWERS.format(tools=listed, program=program))


def said(text: str, *, is_error: bool = False) -> str:
    return f'{{"isError": {is_error}, "content": [{{"type": "text", "text": {text}}}]}}'


@pytest.mark.parametrize(
    "program",
    [
        said("'ok'"),
        '{"content": []}',
        said("'bad'", is_error=True),
        said("''", is_error=True),
        said("['red', 'green', 'blue'][calls % 3]"),
        said("f'{calls} o clock'"),
    ],
)
def test_a_server_that_answers_alike_to_anything_repairs_nothing(program: str) -> None:
    report = audited(answering(program)).report
    assert report.repairable > 10
    assert report.repair_rate == 0
    assert report.tallies["unknown_tool"].passed == report.tallies["unknown_param"].passed == 0


def test_a_server_whose_right_calls_fail_is_judged_by_what_can_be_told() -> None:
    program = said("'Set API_KEY first' if name == 'look_up' else 'Unknown tool: ' + name", is_error=True)
    report = audited(answering(program)).report
    assert {tally.item.id for tally in report.items} == {
        "unknown_tool", "auto_correction", "next_steps", "brief", "honest", "discreet", "alive", "stable",
    }  # fmt: skip
    assert report.repair_rate == 0
    assert [note.text for note in report.notes] == ["a right call fails: Set API_KEY first"]


def test_one_text_for_every_mistake_is_not_taken_for_guidance() -> None:
    usage = "Unknown or missing: word is a string, limit an integer from 1 to 9. Use these, and received types count."
    is_right = "name == 'look_up' and type(arguments) is dict and type(arguments.get('word')) is str"
    program = said(f"'found' if {is_right} else {usage!r}").replace("False", f"not ({is_right})")
    report = audited(answering(program)).report
    assert {one.item.id for one in report.findings if "says the same" in one.why} >= {"next_steps", "missing_required"}


def writer(name: str, **annotations: Any) -> dict[str, Any]:
    return {**tool(name, WORD, ("word",), reads=False), "annotations": annotations}


def names_called(record: Path) -> list[str]:
    sent = [json.loads(line) for line in record.read_text().splitlines()]
    return [one["params"]["name"] for one in sent if one["method"] == "tools/call"]


def test_where_something_is_carried_out_that_should_be_refused_nothing_more_is_sent(tmp_path: Path) -> None:
    record = tmp_path / "record"
    made = audited(command(tools=[writer("wipe"), writer("erase"), NEAR], record=str(record)))
    sent = [json.loads(line) for line in record.read_text().splitlines()]
    written = [
        one["params"] for one in sent if one["method"] == "tools/call" and one["params"]["name"] in ("wipe", "erase")
    ]
    assert len(written) == 1
    assert [note.text for note in made.report.notes if note.tool in ("wipe", "erase")] == [
        'CARRIED OUT a call that it should have refused: {"name": "wipe", "arguments": {}}'
    ]
    assert {one.tool for one in made.report.skipped if "carries out what it should refuse" in one.why} == {"erase"}
    assert made.unmet("missing_required") >= {"wipe"}
    assert "\n! wipe CARRIED OUT a call that it should have refused: " in terminal.render(made.report, Style(False))
    assert "type.wrong" in {event.mistake.kind for event in made.events if isinstance(event, Tried)}


def test_what_is_declared_destructive_or_has_a_default_is_left_alone(tmp_path: Path) -> None:
    record = tmp_path / "record"
    schema = {"type": "object", "properties": {"word": {"type": "string", "default": "."}}, "required": ["word"]}
    tools = [writer("wipe", destructiveHint=True), {**writer("erase"), "inputSchema": schema}, NEAR]
    made = audited(command(tools=tools, record=str(record)))
    names = {
        json.loads(line)["params"].get("name") for line in record.read_text().splitlines() if '"tools/call"' in line
    }
    assert not {"wipe", "erase"} & names
    assert [one.why for one in made.report.skipped if one.tool == "wipe"] == [
        "it declares destructiveHint: true; --allow-writes tries it"
    ]


def test_a_server_that_bears_no_company_has_a_finding_and_no_tool_is_given_up() -> None:
    made = audited(doing(shy=[["sleep", 0.6], ["usual"]]), seconds=0.9, most=6)
    alive = [one for one in made.report.findings if one.item.id == "alive"]
    assert [one.why for one in alive] == [f"{alive[0].reply} beside other calls, and did when it was asked again alone"]
    assert made.report.is_whole


def test_that_the_list_of_tools_changes_meanwhile_is_noted() -> None:
    made = audited(doing(fickle=[["announce"], ["usual"]]), most=3)
    assert "the server changed its list of tools meanwhile" in " ".join(note.text for note in made.report.notes)


def test_a_reply_that_we_fail_on_is_a_note_and_the_audit_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise OverflowError

    monkeypatch.setattr("fingerpost.audit.execute.run.judged", broken)
    made = audited(command(tools=[NEAR]), most=3)
    assert [note.text for note in made.report.notes] == ["a reply could not be judged (OverflowError)"]
    assert made.report.is_whole


def test_names_that_no_file_can_hold_are_audited_all_the_same() -> None:
    made = audited(command(tools=[{**NEAR, "name": "look\ud800up"}]), most=5)
    assert made.report.is_whole and made.report.done


def test_what_stands_for_a_secret_is_known_again_in_a_reply() -> None:
    login = tool("log_in", {"password": {"type": "string", "minLength": 20}, "user": {"type": "string"}}, ("password",))
    report = audited(answering(said("str(arguments)", is_error=True), login), most=10).report
    assert "repeats the value of password, which is secret" in {one.why for one in report.findings}
    kind = audited(answering(said("'Fill in: log_in(password: <string>)'", is_error=True), login), most=10).report
    assert kind.tallies["discreet"].passed == kind.tallies["discreet"].tried
