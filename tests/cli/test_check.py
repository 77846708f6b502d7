"""`fingerpost check`: one call diagnosed offline."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.cli.main import main
from tests.support.code_tools import code_tools


def call(tmp_path: Path, name: str, arguments: Any) -> str:
    path = tmp_path / "call.json"
    path.write_text(json.dumps({"name": name, "arguments": arguments}), encoding="utf-8")
    return str(path)


def test_check_prints_the_action_and_the_guidance(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", catalog, call(tmp_path, "serach", {"pattern": "User"})]) == 1
    assert capsys.readouterr().out == (
        "refuse\n"
        "Tool 'serach' not found.\n"
        'Try: search(pattern: "User")\n'
        "Similar tools: 'search', 'search_code' and 'search_files'.\n"
    )


def test_check_confirms_a_right_call(tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", catalog, call(tmp_path, "search", {"pattern": "User"})]) == 0
    assert capsys.readouterr().out == "forward\nThe call is right.\n"


def test_check_prints_the_verdict_as_json(tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", catalog, call(tmp_path, "search", {"pattern": "User", "max": "50"})]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["action"] == "repair"
    assert verdict["call"] == {"name": "search", "arguments": {"pattern": "User", "max": 50}}
    assert verdict["guidance"]["note"] == "Parameter 'max' was auto-corrected to 50"


def test_check_applies_the_policy_of_its_options(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = call(tmp_path, "search", {"pattern": "User", "verbosity": 3})
    assert main(["check", catalog, wrong]) == 0
    assert main(["check", "--unknown-params", "reject", "--shape", "flat", "--json", catalog, wrong]) == 1
    assert (
        json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["guidance"]["error_type"]
        == "unknown_param"
    )


def test_check_applies_a_configuration_file(tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]) -> None:
    config, reply = tmp_path / "code.toml", tmp_path / "reply.json"
    config.write_text(
        "unknown-params = 'reject'\n[tools.search]\nunknown-params = 'warn'\n[aliases.search]\nneedle = 'pattern'\n"
        "[aliases.serach]\nx = 'y'\n[[hints]]\nmatch = 'index'\nhint = 'Run the indexer'\n"
    )
    reply.write_text(json.dumps({"content": [{"type": "text", "text": "No INDEX"}], "isError": True}))
    words = ["check", "--config", str(config), "--reply", str(reply), catalog]
    assert main([*words, call(tmp_path, "search", {"needle": "User", "verbosity": 3})]) == 0
    out, err = capsys.readouterr()
    assert err == "aliases.serach: the server lists no tool 'serach'; did you mean 'search'?\n"
    assert out.startswith("repair\nParameter 'needle' was auto-corrected to 'pattern'.\n")
    assert "Run the indexer" in out
    assert main([*words[:3], "--auto-correct", "off", catalog, call(tmp_path, "search", {"needle": "User"})]) == 1
    assert "Unknown param 'needle'" in capsys.readouterr().out


def test_check_reports_a_wrong_configuration_file(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "code.toml"
    config.write_text("budget = 300\n\n[tools.search]\nbudgt = 5\n")
    assert main(["check", "--config", str(config), catalog, call(tmp_path, "search", {})]) == 2
    assert f"{config}:4: tools.search.budgt: there is no such field\nDid you mean budget?" in capsys.readouterr().err


def test_check_reads_a_whole_request_and_a_whole_response(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": code_tools()}}), encoding="utf-8")
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "info"}}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request)))
    assert main(["check", str(listed), "-"]) == 0
    assert capsys.readouterr().out.startswith("forward\n")


def test_only_terminals_get_colour(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    right = call(tmp_path, "search", {"pattern": "User"})
    main(["check", catalog, right])
    assert capsys.readouterr().out.startswith("\x1b[32mforward\x1b[0m")
    monkeypatch.setenv("NO_COLOR", "1")
    main(["check", catalog, right])
    assert capsys.readouterr().out.startswith("forward")


def test_check_reports_removed_client_parameters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools: list[Any] = [
        {"name": "now", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False}}
    ]
    listed = tmp_path / "closed.json"
    listed.write_text(json.dumps(tools), encoding="utf-8")
    assert main(["check", str(listed), call(tmp_path, "now", {"toolCallId": "call_1"})]) == 0
    assert capsys.readouterr().out == "repair\nRemoved the parameters that the client adds to every call.\n"


@pytest.mark.parametrize(
    ("level", "parameters"),
    [
        ("minimal", {"required": ["id"], "optional": []}),
        ("typed", {"id": {"required": True, "type": "string"}}),
        (
            "full",
            {"id": {"required": True, "type": "string", "description": "Id of a search result", "examples": ["r1"]}},
        ),
    ],
)
def test_check_prints_the_schema_of_the_intended_tool_in_three_levels_of_detail(
    level: str, parameters: dict[str, Any], tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--schema", level, catalog, call(tmp_path, "get_definitoin", {"id": "r1"})])
    printed = capsys.readouterr().out
    assert json.loads(printed[printed.index("{") :]) == {"get_definition": parameters}


def test_check_prints_no_schema_for_a_tool_that_resembles_none(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--schema", "full", catalog, call(tmp_path, "xyzzy", {})])
    assert "{" not in capsys.readouterr().out


def test_check_refuses_a_budget_without_room_for_any_text(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--budget", "0", catalog, call(tmp_path, "search", {})]) == 2
    assert capsys.readouterr().err == "fingerpost: --budget must be at least 1, got 0\n"


def test_check_refers_to_no_info_tool_if_it_is_told_so(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = call(tmp_path, "xyzzy", {})
    main(["check", catalog, wrong])
    assert "Use info() to list all available tools." in capsys.readouterr().out
    main(["check", "--no-info-tool", catalog, wrong])
    out = capsys.readouterr().out
    assert "List the tools again to see what is available." in out and "info()" not in out
