"""Suggestions for searches and filters that find nothing."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.code_server import (
    CodeServer,
    call_server,
    write_files,
)
from tests.support.transcripts import parse_call


def test_a_search_without_results_offers_only_calls_that_find_something(project: Path, code: CodeServer) -> None:
    error = code.error("search", pattern="loginUsers42")
    assert (error.code, str(error)) == ("NOT_FOUND", "No results found for pattern 'loginUsers42'")
    assert error.next_steps["alternatives"] == [
        'search(pattern: "login")', 'search(pattern: "users")', "list_files()",
    ]  # fmt: skip
    for step in error.next_steps["alternatives"]:
        name, arguments = parse_call(step)
        assert not call_server(project, name, arguments).is_error
    assert error.next_steps["broaden_search"] == "Try a simpler pattern"
    assert code.error("search", pattern="qq").next_steps["alternatives"] == ["list_files()"]


def test_a_misspelled_name_is_corrected(project: Path) -> None:
    reply = call_server(project, "search", {"pattern": "authentcate"})
    assert reply.error["suggestions"]["did_you_mean"] == "authenticate"
    assert reply.error["corrected_call"]["arguments"] == {"pattern": "authenticate"}
    assert reply.text.splitlines()[1] == 'Corrected call: search(pattern: "authenticate")'


def test_a_search_that_finds_something_without_the_filter_is_suggested(code: CodeServer) -> None:
    error = code.error("search", pattern="login", filter="*.ts")
    assert error.hint == 'Try: search(pattern: "login")'
    assert error.next_steps["broaden_search"] == "Try a simpler pattern, or leave out the filter"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("*.ts,*.md", "{*.ts,*.md}"),
        ("*.ts *.md", "{*.ts,*.md}"),
        (".ts", "*.ts"),
        ("ts", "*.ts"),
        ("auth.py/", "**/auth.py"),
    ],
)
def test_a_filter_that_matches_no_file_is_corrected(project: Path, wrong: str, right: str) -> None:
    reply = call_server(project, "search", {"pattern": "user", "filter": wrong})
    assert (reply.error["code"], reply.error["details"]["parameter"]) == ("NOT_FOUND", "filter")
    assert reply.error["corrected_call"]["arguments"] == {"pattern": "user", "filter": right}
    assert not call_server(project, "search", reply.error["corrected_call"]["arguments"]).is_error


def test_an_unrelated_filter_lists_the_common_extensions(tmp_path: Path, code: CodeServer) -> None:
    error = code.error("search", pattern="check", filter="*.rb")
    assert error.hint == 'There are "*.py", "*.md" and "*.ts"'
    assert error.next_steps["alternatives"] == ['search(pattern: "check", filter: "*.py")', "list_files()"]
    assert code.error("list_files", filter="*.rb").next_steps["alternatives"][0] == 'list_files(filter: "*.py")'
    assert code.error("list_files", filter="]{").code == "INVALID_FORMAT"
    assert CodeServer(tmp_path).error("list_files", filter="*.rb").hint == "There are no files here"
    assert CodeServer(tmp_path).files()["total"] == 0


def test_a_call_that_finds_only_ignored_files_is_not_suggested(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {".gitignore": "gen.py\n", "gen.py": "treasure\n", "a.py": "x\n"}))
    assert code.error("search", pattern="treasure", filter="*.rb").next_steps["alternatives"] == ["list_files()"]
    assert code.error("list_files", filter="[ -+]").hint == 'There are "*.py"'
