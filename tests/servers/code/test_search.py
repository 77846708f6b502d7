"""Search results: what is found, how it is ranked, and what is suggested if nothing is found."""

# pyright: basic
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from fingerpost.servers.code import create_server
from fingerpost.servers.code.ripgrep import Ripgrep
from tests.support.code_server import (
    CodeServer,
    write_files,
)


def test_a_result_has_an_id_a_place_a_kind_and_a_confidence(code: CodeServer) -> None:
    assert code.search("authenticate") == {
        "results": [
            {
                "id": "src/auth.py:User.authenticate",
                "name": "User.authenticate",
                "kind": "definition",
                "path": "src/auth.py",
                "line": 10,
                "snippet": "def authenticate(self, password):",
                "confidence": 0.98,
            },
            {
                "id": "src/app.py:L6",
                "name": "login",
                "kind": "match",
                "path": "src/app.py",
                "line": 6,
                "snippet": "return user.authenticate(password)",
                "confidence": 0.5,
            },
        ],
        "returned": 2,
        "offset": 0,
        "total": 2,
        "has_more": False,
        "next_steps": {"get_details": 'get_definition(id: "src/auth.py:User.authenticate")'},
    }


def test_exact_definitions_come_before_partial_ones_and_mentions(code: CodeServer) -> None:
    results = code.search("User")["results"]
    assert [(one["id"], one["confidence"]) for one in results[:3]] == [
        ("src/auth.py:User", 0.98),
        ("web/user.ts:UserView", 0.8),
        ("docs/users.md:L2", 0.5),
    ]
    assert [one["confidence"] for one in results] == sorted((one["confidence"] for one in results), reverse=True)


def test_a_name_in_another_case_or_by_a_regular_expression_scores_less(code: CodeServer) -> None:
    assert code.search("auth", filter="*.py")["results"][0]["confidence"] == 0.95
    assert code.search("c[h]eck")["results"][0]["confidence"] == 0.95


def test_a_mention_in_a_comment_scores_less(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": "# total\nx = total\ny = subtotal\n"}))
    assert [(one["line"], one["confidence"]) for one in code.search("total")["results"]] == [
        (2, 0.5), (1, 0.4), (3, 0.4),
    ]  # fmt: skip


def test_a_lower_case_pattern_matches_any_case(code: CodeServer) -> None:
    assert "src/auth.py:User" in code.ids("user")
    assert code.error("search", pattern="LOGIN").code == "NOT_FOUND"


def test_a_qualified_name_finds_its_definition(code: CodeServer) -> None:
    assert code.ids("User.authenticate") == ["src/auth.py:User.authenticate"]
    assert code.ids("Auth::validate") == ["src/auth.py:Auth.validate"]
    assert code.ids("User.authenticate", filter="*.py") == ["src/auth.py:User.authenticate"]


def test_a_pattern_can_begin_with_a_dash(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.txt": "use --files here\n"}))
    assert code.ids("--files") == ["a.txt:L1"]


def test_files_in_unknown_languages_give_lines(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.xyz": "  alpha beta\n"}))
    assert code.search("beta")["results"][0] | {"confidence": 0} == {
        "id": "a.xyz:L1", "name": "alpha beta", "kind": "match", "path": "a.xyz", "line": 1, "snippet": "alpha beta",
        "confidence": 0,
    }  # fmt: skip


def test_a_line_with_several_matches_scores_by_the_defined_name(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": "def subtotal(tot, total):\n    return 1\n"}))
    assert code.search("tot")["results"][0] | {"snippet": ""} == {
        "id": "a.py:subtotal", "name": "subtotal", "kind": "definition", "path": "a.py", "line": 1, "snippet": "",
        "confidence": 0.77,
    }  # fmt: skip


def test_hits_in_many_files_are_ranked_and_named(tmp_path: Path) -> None:
    files = {f"m{n:03}.py": f"x = thing\ndef other_{n}():\n    return thing\n" for n in range(340)}
    code = CodeServer(write_files(tmp_path, files | {"z.py": "def thing():\n    pass\n"}))
    page = code.search("thing", max=1000)
    assert page["results"][0]["id"] == "z.py:thing"
    assert page["total"] == 681
    assert {one["name"] for one in page["results"][1:3]} == {"x = thing", "other_0"}


def test_a_pattern_that_matches_the_empty_string_gives_a_warning(code: CodeServer) -> None:
    page = code.search("x*", filter="*.md")
    assert page["warnings"] == ["The pattern matches the empty string, which is in every line"]
    assert {one["confidence"] for one in page["results"]} == {0.1}


def test_a_long_line_is_cut_around_the_match(tmp_path: Path) -> None:
    line = "ä" * 5_000 + " needle " + "b" * 5_000
    code = CodeServer(write_files(tmp_path, {"a.txt": f"{line}\nneedle {'c' * 400}\n"}))
    first, second = (one["snippet"] for one in code.search("needle")["results"])
    assert len(first) <= 202 and first.startswith("…ä") and " needle b" in first and first.endswith("b…")
    assert second.startswith("needle c") and second.endswith("c…")
    assert code.search("needle.*")["results"][0]["confidence"] == 0.5


def test_a_file_deleted_during_a_search_gives_an_empty_line_and_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path, {"a.py": "def f(): pass\n"})
    engine = Ripgrep(root)
    found = engine.hits("def f")
    (root / "a.py").unlink()
    monkeypatch.setattr(engine, "hits", lambda *_: found)
    tool = create_server(root, ripgrep=engine).tools[0]
    page = cast("Any", tool(pattern="def f")).data
    assert (page["results"][0]["id"], page["results"][0]["snippet"]) == ("a.py:L1", "")
    assert page["warnings"] == ["1 path could not be read: a.py"]


def test_searches_can_run_concurrently(project: Path) -> None:
    code = CodeServer(project)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(code.ids, ["User", "authenticate"] * 6))
    assert found == [code.ids("User"), code.ids("authenticate")] * 6


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x"])
def test_a_catastrophic_pattern_terminates(tmp_path: Path, pattern: str) -> None:
    code = CodeServer(write_files(tmp_path, {"a.txt": "a" * 50_000 + "!\n"}))
    try:
        assert code.search(pattern)["total"] <= 1
    except Exception as error:
        assert getattr(error, "code", None) == "NOT_FOUND"
