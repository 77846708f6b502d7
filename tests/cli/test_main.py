"""The command line, run as a user runs it: arguments in, text and exit code out."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.cli.demo import demonstrate
from fingerpost.cli.main import main
from tests.support.code_tools import code_tools


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": code_tools()}), encoding="utf-8")
    return str(path)


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


def test_check_says_so_when_the_call_is_right(tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", catalog, call(tmp_path, "search", {"pattern": "User"})]) == 0
    assert capsys.readouterr().out == "forward\nThe call is right.\n"


def test_check_gives_the_verdict_as_json(tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", catalog, call(tmp_path, "search", {"pattern": "User", "max": "50"})]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["action"] == "repair"
    assert said["call"] == {"name": "search", "arguments": {"pattern": "User", "max": 50}}
    assert said["guidance"]["note"] == "Parameter 'max' was auto-corrected to 50"


def test_check_takes_the_policy_from_its_options(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = call(tmp_path, "search", {"pattern": "User", "verbosity": 3})
    assert main(["check", catalog, wrong]) == 0
    assert main(["check", "--unknown-params", "reject", "--shape", "flat", "--json", catalog, wrong]) == 1
    assert (
        json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["guidance"]["error_type"]
        == "unknown_param"
    )


def test_check_reads_a_whole_request_and_a_whole_response(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": code_tools()}}), encoding="utf-8")
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "info"}}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request)))
    assert main(["check", str(listed), "-"]) == 0
    assert capsys.readouterr().out.startswith("forward\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "nowhere.json", "-"], "cannot read nowhere.json: No such file or directory"),
        (["check", "-", "-"], "only one of the catalog and the call can be standard input"),
        (["check", "TOOLS", "BROKEN"], "is not JSON"),
        (["check", "TOOLS", "LIST"], "names no tool"),
        (["check", "NUMBER", "LIST"], "holds no tools"),
        (["explain", "UNKNOWN_PARM"], "there is no code UNKNOWN_PARM\nDid you mean UNKNOWN_PARAM?"),
        (["explain", "xyzzy"], "there is no code xyzzy\nRun 'fingerpost explain' to list them."),
        (["chekc", "a", "b"], "Did you mean 'check'?"),
        (["check", "--jsno", "a", "b"], "unrecognized arguments: --jsno"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_trouble_is_one_line_with_a_way_out_and_exit_code_two(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    catalog: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"BROKEN": "{", "LIST": "[]", "NUMBER": "1"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = {"TOOLS": catalog, **{name: str(tmp_path / name) for name in files}}
    actual = [paths.get(word, word) for word in arguments]
    monkeypatch.setattr(sys, "argv", ["fingerpost", *actual])
    assert main(actual) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert "Traceback" not in captured.err


def test_explain_lists_every_code_with_its_first_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == sorted(lines)
    assert "UNKNOWN_PARAM        The call passes an argument that the tool does not declare." in lines


@pytest.mark.parametrize("spelling", ["UNKNOWN_PARAM", "unknown-param", "unknown_param"])
def test_explain_prints_the_page_of_a_code(spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", spelling]) == 0
    assert capsys.readouterr().out.startswith("# UNKNOWN_PARAM\n")


def test_demo_shows_every_wrong_call_with_and_without_guidance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert out.count("│ with Fingerpost") == 10
    assert "Bare             8 stuck, 1 wrong and unnoticed, 1 refused" in out
    assert "With Fingerpost  4 right after one retry, 3 right at once, 2 told what to fill in, 1 refused" in out
    assert "\x1b[" not in out
    assert max(map(len, out.splitlines())) <= 100


class Narrow(io.StringIO):
    """A terminal of sixty columns that knows ASCII alone."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


def test_demo_fits_a_narrow_terminal_and_a_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    demonstrate(out := Narrow())
    text = out.getvalue()
    assert text.isascii()
    assert max(len(line) for line in text.splitlines() if " | " in line) <= 60


def test_demo_ends_quietly_when_nobody_reads_on() -> None:
    line = f"{shlex.quote(sys.executable)} -m fingerpost demo | head -1"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout[:19], done.stderr) == (" 1 a misspelt tool:", "")


def test_demo_names_the_extra_that_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("fingerpost.servers.code")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    assert main(["demo"]) == 2
    assert "Install it with: pip install 'fingerpost[code]'" in capsys.readouterr().err


def test_colour_is_for_terminals_only(
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


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    """As in `fingerpost explain | head -1`, but with the reader gone for certain."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "fingerpost", "explain"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_ends_with_the_customary_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("fingerpost.cli.demo.demonstrate", interrupted)
    assert main(["demo"]) == 130


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith("fingerpost 0.")


def test_client_noise_is_left_out_and_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools: list[Any] = [
        {"name": "now", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False}}
    ]
    listed = tmp_path / "closed.json"
    listed.write_text(json.dumps(tools), encoding="utf-8")
    assert main(["check", str(listed), call(tmp_path, "now", {"toolCallId": "call_1"})]) == 0
    assert capsys.readouterr().out == "repair\nLeft out what the client adds to every call.\n"


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("minimal", {"required": ["id"], "optional": []}),
        ("typed", {"id": {"required": True, "type": "string"}}),
        (
            "full",
            {"id": {"required": True, "type": "string", "description": "Id of a search result", "examples": ["r1"]}},
        ),
    ],
)
def test_check_shows_the_schema_of_the_meant_tool_at_three_levels(
    level: str, shown: dict[str, Any], tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--schema", level, catalog, call(tmp_path, "get_definitoin", {"id": "r1"})])
    printed = capsys.readouterr().out
    assert json.loads(printed[printed.index("{") :]) == {"get_definition": shown}


def test_check_shows_no_schema_where_no_tool_is_meant(
    tmp_path: Path, catalog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--schema", "full", catalog, call(tmp_path, "xyzzy", {})])
    assert "{" not in capsys.readouterr().out


def test_closest_prints_each_reading_with_its_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["closest", "filtr", "filter", "file_filter", "--kind", "parameter"]) == 0
    assert capsys.readouterr().out == (
        "filter  0.99  a fix\n"
        "  for: the same but for a misspelling (strength 0.86)\n"
        "  filtr spelled like filter\n"
        "file_filter  0.75  listed\n"
        "  for: all the words of one are in the other (strength 0.44)\n"
        "  filtr spelled like filter\n"
        "  against: something of one name answers nothing in the other, or by meaning only\n"
    )


def test_closest_without_a_clear_reading_fails_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["closest", "q", "query", "--kind", "parameter"]) == 1
    assert "q means query" in capsys.readouterr().out
    assert main(["closest", "xyzzy", "query"]) == 1
    assert capsys.readouterr().out == "Nothing near 'xyzzy'.\n"


def test_closest_reads_names_from_standard_input_and_prints_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("pattern\n\nfilter\n"))
    assert main(["closest", "patern", "-", "--kind", "parameter", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["name"], found["confidence"], found["is_clear"]) == ("pattern", 0.99, True)
    assert found["evidence"][1] == "  patern spelled like pattern"
