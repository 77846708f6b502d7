"""Invalid patterns, filters and ids: explanations and repairs."""

# pyright: basic
from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fingerpost.errors import ToolOperationError
from tests.support.code_server import (
    FRAMEWORKS,
    CodeServer,
    call_server,
    write_files,
)


@pytest.mark.parametrize(
    ("pattern", "at", "what", "fix"),
    [
        ("foo(", 3, "unclosed group", "foo\\("),
        ("a)b", 1, "unopened group", "a\\)b"),
        ("(a(b)", 0, "unclosed group", "\\(a\\(b\\)"),
        ("a[(]\\((b", 6, "unclosed group", "a\\[\\(\\]\\\\\\(\\(b"),
        ("é(foo[", 5, "unclosed character class", "é\\(foo\\["),
        ("*a", 0, "repetition operator missing expression", "\\*a"),
        ("foo\\", 3, "a backslash with nothing behind it", "foo\\\\"),
        ("\\p{Foo}", 0, "Unicode property not found", "\\\\p\\{Foo\\}"),
        ("a(?=b)", 1, "look-around, including look-ahead and look-behind, is not supported", None),
        ("(?<=b)a", 0, "look-around, including look-ahead and look-behind, is not supported", None),
        ("a(?!b)", 1, "look-around, including look-ahead and look-behind, is not supported", None),
        ("(a)\\1", 3, "backreferences are not supported", None),
    ],
)
def test_an_invalid_pattern_is_explained_with_its_position(
    tmp_path: Path, project: Path, pattern: str, at: int, what: str, fix: str | None
) -> None:
    write_files(tmp_path, {"a.txt": f"what a({pattern}) is\nab aba aa ba\n"})
    error = call_server(tmp_path, "search", {"pattern": pattern}).error
    assert error["message"] == f"The pattern is not a regular expression: {what}, at character {at + 1}"
    assert (error["code"], error["details"]["position"]) == ("INVALID_FORMAT", at)
    assert error["details"]["caret"] == [pattern, "-" * at + "^"]
    assert error.get("corrected_call", {}).get("arguments") == (fix and {"pattern": fix})
    assert not fix or CodeServer(tmp_path).ids(fix) == ["a.txt:L1"]
    assert "corrected_call" not in call_server(project, "search", {"pattern": pattern}).error


@pytest.mark.parametrize(
    ("pattern", "fix"),
    [
        ("def .*check(", "def .*check\\("),
        ("pass\\w+\\)$)", None),
        ("\\w+)$", "\\w+\\)$"),
        ("(User|Auth", None),
        ("check(name(", None),
        ("(?:User", None),
        ("User(?=x)(", None),
        ("\\q(?!x)", None),
        ("(a)\\q\\1", None),
        ("self[", None),
    ],
)
def test_an_invalid_pattern_is_repaired_only_if_the_repair_finds_something(
    project: Path, pattern: str, fix: str | None
) -> None:
    error = call_server(project, "search", {"pattern": pattern}).error
    assert error["code"] == "INVALID_FORMAT" and error["hint"]
    assert error.get("corrected_call", {}).get("arguments") == (fix and {"pattern": fix})


def test_a_repair_must_find_something_within_the_filter(project: Path) -> None:
    arguments = {"pattern": "check(", "filter": "*.md"}
    assert "corrected_call" not in call_server(project, "search", arguments).error
    reply = call_server(project, "search", {**arguments, "filter": "*.py"})
    assert reply.error["corrected_call"]["arguments"] == {"pattern": "check\\(", "filter": "*.py"}


def test_unsupported_syntax_gets_advice_on_what_to_write_instead(code: CodeServer) -> None:
    assert "write ab for a(?=b)" in code.error("search", pattern="(?=a)b").hint
    assert "write the repeated part out" in code.error("search", pattern="(a)\\1").hint


def test_a_corrected_pattern_finds_the_literal_text(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "call foo(bar[0]) now\n"})
    error = call_server(tmp_path, "search", {"pattern": "foo(bar["}).error
    assert CodeServer(tmp_path).ids(**error["corrected_call"]["arguments"]) == ["a.txt:L1"]


def test_a_multiline_or_too_large_pattern_is_explained(code: CodeServer) -> None:
    error = code.error("search", pattern="class User:\n    pass")
    assert "a line break in it can never match" in str(error)
    assert error.hint == "Search for the most telling one of its lines"
    error = code.error("search", pattern="a{1000}{1000}{100}")
    assert "exceeds size limit" in str(error) and error.hint == "Make the pattern simpler"


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_nul_and_surrogates_in_a_pattern_are_refused(code: CodeServer, text: str) -> None:
    assert code.error("search", pattern=text).code == "INVALID_FORMAT"


@pytest.mark.parametrize(
    ("id", "why"),
    [
        ("a\ud800b:L1", "INVALID_FORMAT"),
        ("a\0b:L1", "UNSAFE_INPUT"),
        ("src/auth.py:a\0b", "UNSAFE_INPUT"),
        ("src/auth.py:a\n(", "NOT_FOUND"),
    ],
)
def test_an_impossible_id_is_refused(code: CodeServer, id: str, why: str) -> None:
    assert code.error("get_definition", id=id).code == why


_PIECES = """a User auth . * + ? ( ) [ ] { } | \\ ^ $ / .. : L1 L # - ! ~ , % %2e %00 src src/auth.py (? (?i) (?P<a>
    \\b \\d \\x \\u{ {2} ' && [[ ** *.py é 😀"""


PIECES = st.sampled_from([*_PIECES.split(), '"', "\n", "\r", "\0", "\ud800", " ", "\u202e"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(text=st.lists(PIECES, min_size=1, max_size=7).map("".join))
def test_any_text_gives_a_result_or_an_error(code: CodeServer, text: str) -> None:
    calls: list[tuple[str, dict[str, str]]] = [
        ("search", {"pattern": text}), ("search", {"pattern": "User", "filter": text}),
        ("list_files", {"filter": text}), ("get_definition", {"id": text}),
        ("get_definition", {"id": f"src/auth.py:{text}"}),
    ]  # fmt: skip
    for tool, arguments in calls:
        with suppress(ToolOperationError):
            assert code.text(tool, **arguments).encode()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_pattern_of_a_megabyte_is_refused_without_echoing_it(project: Path, framework: str) -> None:
    reply = call_server(project, "search", {"pattern": "a" * 1_000_000}, framework=framework)
    assert reply.is_error and reply.error["code"] == "INVALID_LENGTH"
    assert len(reply.text) < 2_000


def test_an_invalid_glob_is_explained(project: Path) -> None:
    error = call_server(project, "search", {"pattern": "User", "filter": "[a"}).error
    assert error["message"] == "The filter is not a glob: unclosed character class; missing ']'"
    assert '"src/**"' in error["hint"]
