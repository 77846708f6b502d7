"""The code server: what a search finds, in which order, how it goes on, and what it never does."""

# pyright: basic
from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from fingerpost.errors import ToolOperationError
from fingerpost.servers.code import served
from fingerpost.servers.code.folder import Tree
from fingerpost.servers.code.languages import label_of, language_of
from fingerpost.servers.code.outline import outline
from fingerpost.servers.code.ripgrep import Ripgrep, found_binary
from fingerpost.terminal.command_error import CommandError
from tests.support.adopted_servers import ERAS, called
from tests.support.code_server import PROJECT, Code, asked, laid_out
from tests.support.paths import SOURCE
from tests.support.transcripts import matches_transcript, parse_call, read_transcripts

FRAMEWORKS = ("on_sdk", "on_fastmcp")
README = SOURCE / "servers/code/README.md"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laid_out(tmp_path_factory.mktemp("project"))


@pytest.fixture
def code(project: Path) -> Code:
    return Code(project)


# What a search finds


def test_a_result_says_what_it_is_where_it_is_and_how_well_it_fits(code: Code) -> None:
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


def test_the_definition_by_that_name_comes_before_one_that_holds_it_before_a_mention(code: Code) -> None:
    results = code.search("User")["results"]
    assert [(one["id"], one["confidence"]) for one in results[:3]] == [
        ("src/auth.py:User", 0.98),
        ("web/user.ts:UserView", 0.8),
        ("docs/users.md:L2", 0.5),
    ]
    assert [one["confidence"] for one in results] == sorted((one["confidence"] for one in results), reverse=True)


def test_a_name_in_another_case_or_by_a_regular_expression_is_a_little_less_sure(code: Code) -> None:
    assert code.search("auth", filter="*.py")["results"][0]["confidence"] == 0.95
    assert code.search("c[h]eck")["results"][0]["confidence"] == 0.95


def test_a_mention_in_a_comment_comes_last(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": "# total\nx = total\ny = subtotal\n"}))
    assert [(one["line"], one["confidence"]) for one in code.search("total")["results"]] == [
        (2, 0.5), (1, 0.4), (3, 0.4),
    ]  # fmt: skip


def test_lower_case_matches_any_case_and_upper_case_itself(code: Code) -> None:
    assert "src/auth.py:User" in code.ids("user")
    assert code.error("search", pattern="LOGIN").code == "NOT_FOUND"


def test_a_qualified_name_finds_its_definition_though_it_stands_nowhere(code: Code) -> None:
    assert code.ids("User.authenticate") == ["src/auth.py:User.authenticate"]
    assert code.ids("Auth::validate") == ["src/auth.py:Auth.validate"]
    assert code.ids("User.authenticate", filter="*.py") == ["src/auth.py:User.authenticate"]


def test_a_pattern_that_begins_with_a_dash_is_a_pattern(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.txt": "use --files here\n"}))
    assert code.ids("--files") == ["a.txt:L1"]


def test_a_language_that_is_not_known_gives_lines(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.xyz": "  alpha beta\n"}))
    assert code.search("beta")["results"][0] | {"confidence": 0} == {
        "id": "a.xyz:L1", "name": "alpha beta", "kind": "match", "path": "a.xyz", "line": 1, "snippet": "alpha beta",
        "confidence": 0,
    }  # fmt: skip


LANGUAGES = {
    "a.py": ("class U:\n    class In:\n        def auth(self): pass\n", "U.In.auth"),
    "a.js": ("class U { auth() {} }\n", "U.auth"),
    "a.ts": ("export const auth = async () => 1;\n", "auth"),
    "a.tsx": ("export class U { auth(): void {} }\n", "U.auth"),
    "a.go": ("package a\ntype U struct{}\nfunc (u *U) auth() {}\n", "U.auth"),
    "a.rs": ("struct U;\nimpl<T> X for U<T> {\n    #[inline]\n    fn auth(&self) {}\n}\n", "U.auth"),
    "a.java": ("class U { public int auth(int a) { return 1; } }\n", "U.auth"),
    "a.c": ("static int *auth(int a) { return 0; }\n", "auth"),
    "a.cpp": ("namespace n { class U {}; }\nint n::U::auth(int a) { return 1; }\n", "n.U.auth"),
    "a.rb": ("module M\n  class U\n    def auth; end\n  end\nend\n", "M.U.auth"),
    "a.cs": ("namespace N { class U { bool auth() { return true; } } }\n", "N.U.auth"),
    "a.php": ("<?php class U { function auth() {} }\n", "U.auth"),
    "a.kt": ("class U {\n  fun auth(p: String) = true\n}\n", "U.auth"),
    "a.scala": ("class U { def auth(p: Int) = 1 }\n", "U.auth"),
    "a.swift": ("class U { func auth() {} }\n", "U.auth"),
    "a.lua": ("function U.auth(x) end\n", "U.auth"),
    "a.sh": ("auth() { :; }\n", "auth"),
    "a.proto": ("service U { rpc auth(A) returns (A); }\n", "U.auth"),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_definitions_have_qualified_names_in_every_language(tmp_path: Path, name: str) -> None:
    source, qualified = LANGUAGES[name]
    code = Code(laid_out(tmp_path, {name: source}))
    best = code.search("auth")["results"][0]
    assert (best["id"], best["kind"], best["confidence"]) == (f"{name}:{qualified}", "definition", 0.98)
    assert code.definition(best["id"])["name"] == qualified


def test_a_name_that_is_matched_beside_other_words_counts_as_the_name(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": "def subtotal(tot, total):\n    return 1\n"}))
    assert code.search("tot")["results"][0] | {"snippet": ""} == {
        "id": "a.py:subtotal", "name": "subtotal", "kind": "definition", "path": "a.py", "line": 1, "snippet": "",
        "confidence": 0.77,
    }  # fmt: skip


def test_what_is_defined_again_is_numbered(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": "def f(): pass\n\n\ndef f(): return 2\n"}))
    assert code.ids("f\\(") == ["a.py:f", "a.py:f#2"]
    assert code.definition("a.py:f#2")["code"] == "def f(): return 2"


def test_a_name_that_is_only_used_is_no_definition(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.c": "struct user *make(struct user *u);\n", "a.js": "const user = 1;\n"}))
    assert {one["kind"] for one in code.search("user")["results"]} == {"match"}


def test_constructors_operators_typedefs_and_macros_are_definitions() -> None:
    java = outline(b"class U { U() {} }", "java")
    assert [(one.qualified, one.kind, one.parent) for one in java] == [
        ("U", "class", None), ("U.U", "constructor", "U"),
    ]  # fmt: skip
    source = b"bool U::operator==(U o) { return 1; }\ntypedef int (*callback)(int);\n#define X 1\n"
    source += b"int V::operator[](int i) { return i; }\nbool operator/(V a, V b) { return 1; }\n"
    names = [one.qualified for one in outline(source, "cpp")]
    assert names == ["U.operator==", "callback", "X", "V.operator[]", "operator/"]


def test_a_declarator_without_end_names_nothing() -> None:
    assert outline(b"int " + b"(" * 40 + b"f" + b")" * 40 + b"(int a) { return 1; }", "c") == ()


def test_the_label_of_an_ending_is_the_name_of_its_language() -> None:
    assert [label_of(one) for one in ("ts", "py", "cpp", "md")] == ["TypeScript", "Python", "C++", ".md"]
    assert (language_of("Makefile"), language_of("a/b.PY")) == (None, "python")


# Ids


def test_an_id_is_the_same_in_another_process_and_after_edits_elsewhere(tmp_path: Path) -> None:
    laid_out(tmp_path)
    before = Code(tmp_path).ids("User")
    (tmp_path / "other.py").write_text("class Userless: pass\n", encoding="utf-8")
    source = (
        "import json, sys, pathlib; from fingerpost.servers.code import served\n"
        "tool = served(pathlib.Path(sys.argv[1])).tools[0]\n"
        "print(json.dumps([one['id'] for one in tool(pattern='User').data['results']]))"
    )
    said = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert [one for one in json.loads(said.stdout) if not one.startswith("other.py")] == before


def test_an_id_is_read_by_a_server_that_never_searched(project: Path) -> None:
    for one in Code(project).ids("User"):
        assert Code(project).definition(one)["path"] == one.rpartition(":")[0]


def test_an_edit_above_a_definition_leaves_its_id(tmp_path: Path) -> None:
    laid_out(tmp_path)
    code = Code(tmp_path)
    first = code.definition("src/auth.py:User.authenticate")
    path = tmp_path / "src/auth.py"
    path.write_text("import os\nimport re\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    again = code.definition("src/auth.py:User.authenticate")
    assert (again["code"], again["start_line"]) == (first["code"], first["start_line"] + 2)


# Definitions


def test_a_definition_is_told_in_full(code: Code) -> None:
    assert code.definition("src/auth.py:User.authenticate") == {
        "id": "src/auth.py:User.authenticate",
        "name": "User.authenticate",
        "kind": "method",
        "path": "src/auth.py",
        "start_line": 10,
        "end_line": 12,
        "language": "python",
        "signature": "def authenticate(self, password)",
        "parent": "src/auth.py:User",
        "documentation": "Whether the password is right.",
        "code": "    def authenticate(self, password):\n"
        '        """Whether the password is right."""\n'
        "        return check(self.name, password)",
        "next_steps": {
            "find_uses": 'search(pattern: "\\\\bauthenticate\\\\b")',
            "see_parent": 'get_definition(id: "src/auth.py:User")',
        },
    }


def test_a_class_lists_its_members_and_a_comment_above_is_documentation(code: Code) -> None:
    whole = code.definition("src/auth.py:User")
    assert whole["members"] == ["src/auth.py:User.__init__", "src/auth.py:User.authenticate"]
    assert code.definition("src/auth.py:check")["documentation"] == "Compares with what is stored."


def test_decorators_exports_and_templates_belong_to_a_definition(tmp_path: Path) -> None:
    code = Code(
        laid_out(
            tmp_path,
            {
                "a.py": "@cached\n@other\ndef f():\n    return 1\n",
                "b.ts": "/**\n * Doubles.\n * Twice.\n */\nexport const\n  g = (x: number) => 2 * x;\n",
                "c.rs": "/// Says hello.\n#[inline]\npub fn h() {}\n",
                "d.cpp": "template <class T>\nT k(T x) { return x; }\n",
            },
        )
    )
    assert code.definition("a.py:f")["start_line"] == 1
    assert code.definition("b.ts:g")["code"].startswith("export const\n")
    assert code.definition("b.ts:g")["documentation"] == "Doubles.\nTwice."
    assert code.definition("c.rs:h")["documentation"] == "Says hello."
    assert code.definition("d.cpp:k")["start_line"] == 1


def test_the_id_of_a_line_gives_the_definition_around_it(code: Code) -> None:
    found = code.definition("src/auth.py:L12")
    assert (found["id"], found["line"]) == ("src/auth.py:User.authenticate", 12)


def test_the_id_of_a_line_outside_all_definitions_gives_the_lines_around_it(code: Code) -> None:
    assert code.definition("docs/users.md:L2") == {
        "id": "docs/users.md:L2", "name": "How a User logs in.", "kind": "match", "path": "docs/users.md", "line": 2,
        "start_line": 1, "end_line": 2, "code": "# Users\nHow a User logs in.",
    }  # fmt: skip


def test_a_definition_too_long_to_send_is_cut_and_says_so(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": "def f():\n" + "    x = 1\n" * 20_000}))
    found = code.definition("a.py:f")
    assert (len(found["code"]), found["truncated"]) == (100_000, True)


def test_uses_of_what_is_no_word_are_searched_letter_by_letter(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.cpp": "bool U::operator==(U o) { return true; }\n"}))
    step = code.definition("a.cpp:U.operator==")["next_steps"]["find_uses"]
    assert code.ids(**parse_call(step)[1]) == ["a.cpp:U.operator=="]


# An id that names nothing


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("src/auth.py:User.authentcate", "src/auth.py:User.authenticate"),
        ("User.authenticate", "src/auth.py:User.authenticate"),
        ("src/auht.py:User.authenticate", "src/auth.py:User.authenticate"),
        ("lib/auth.py:Auth.validate", "src/auth.py:Auth.validate"),
        ("src/app.py:check", "src/auth.py:check"),
        ("src/auht.py:L10", "src/auth.py:L10"),
    ],
)
def test_an_id_that_is_nearly_one_is_corrected(project: Path, wrong: str, right: str) -> None:
    said = asked(project, "get_definition", {"id": wrong})
    assert said.error["code"] == "NOT_FOUND"
    assert said.error["corrected_call"] == {
        "name": "get_definition", "arguments": {"id": right}, "applicability": "machine_applicable",
    }  # fmt: skip
    assert not asked(project, "get_definition", {"id": right}).is_error


def test_what_is_no_word_is_looked_for_in_files_that_are_called_alike(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"src/vector.cpp": "bool V::operator==(V o) { return true; }\n"}))
    readings = code.error("get_definition", id="src/vectro.cpp:V.operator==").readings
    assert [one.value for one in readings] == ["src/vector.cpp:V.operator=="]
    assert code.error("get_definition", id="src/vectro.cpp:V.operator!=").readings == ()


def test_an_id_like_many_offers_them_and_one_like_none_says_how_ids_look(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": "def run(): pass\n", "b.py": "def run(): pass\n", "c.py": "x = 1\n"}))
    error = code.error("get_definition", id="z.py:run")
    assert [(one.value, one.is_clear) for one in error.readings] == [("a.py:run", False), ("b.py:run", False)]
    assert error.next_steps["alternatives"] == [
        'get_definition(id: "a.py:run")', 'get_definition(id: "b.py:run")', 'search(pattern: "run")', "list_files()",
    ]  # fmt: skip
    assert code.error("get_definition", id="qqq").hint == "Ids are a path and a name, as search gives them"
    assert code.error("get_definition", id="c.py:qqq").hint == "It defines nothing that is known here"
    assert code.error("get_definition", id="a.py:").code == "NOT_FOUND"


def test_an_id_too_long_for_a_corrected_call_is_told_all_the_same(tmp_path: Path) -> None:
    path = "/".join(["packages"] * 9) + "/module.py"
    laid_out(tmp_path, {path: "def authenticate(): pass\n"})
    said = asked(tmp_path, "get_definition", {"id": f"{path}:authentcate"})
    assert f'Try: get_definition(id: "{path}:authenticate")' in said.text
    assert said.error["next_steps"]["alternatives"][0] == f'get_definition(id: "{path}:authenticate")'


def test_a_file_alone_is_answered_with_what_it_defines(code: Code) -> None:
    error = code.error("get_definition", id="src/app.py")
    assert error.hint == "It defines 'login'"
    assert error.next_steps["example"] == 'get_definition(id: "src/app.py:login")'
    assert code.error("get_definition", id="docs/users.md").next_steps["example"].endswith(':L1")')


def test_a_line_past_the_end_is_answered_with_the_last(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.txt": "one\ntwo", "b.txt": ""}))
    assert code.error("get_definition", id="a.txt:L9").hint == 'Try: get_definition(id: "a.txt:L2")'
    assert code.error("get_definition", id="b.txt:L1").hint == "The file is empty"
    assert code.error("get_definition", id="a.txt:L0").code == "NOT_FOUND"


# Pages, next steps and tips


def test_a_page_says_how_to_go_on(code: Code) -> None:
    page = code.search("User", max=2)
    assert (page["returned"], page["total"], page["has_more"]) == (2, 7, True)
    assert page["next_steps"] == {
        "get_more": 'search(pattern: "User", max: 2, offset: 2)',
        "get_details": 'get_definition(id: "src/auth.py:User")',
        "refine_search": 'search(pattern: "User", filter: "*.py", max: 2)',
    }
    assert page["tips"] == {
        "high_results": 'Use filter: "*.py" to narrow to Python files',
        "get_details": "Use get_definition(id) for full code and documentation",
        "pagination": "Use offset: 2 to see more results",
    }


def test_next_steps_can_be_sent_as_they_stand(project: Path, code: Code) -> None:
    for step in code.search("User", max=2)["next_steps"].values():
        name, arguments = parse_call(step)
        assert not asked(project, name, arguments).is_error


def test_a_filter_that_would_narrow_nothing_is_not_advised(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": "x\nx\nx\n"}))
    page = code.search("x", max=1)
    assert "refine_search" not in page["next_steps"] and "high_results" not in page["tips"]
    laid_out(tmp_path, {"src/b.py": "x\n", "Makefile": "x\n"})
    assert code.search("x", max=1, filter="*.py")["next_steps"].keys() == {"get_more", "get_details"}


def test_where_all_files_are_alike_a_folder_narrows(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a/a.py": "x\n", "a/b.py": "x\n", "b/c.py": "x\n"}))
    page = code.search("x", max=1)
    assert page["tips"]["high_results"] == 'Use filter: "a/**" to narrow to the folder a'


@pytest.mark.parametrize("size", [7, 50, 1000])
def test_paging_through_gives_each_result_exactly_once(tmp_path: Path, size: int) -> None:
    files = {f"d{n % 7}/f{n}.py": f"def item_{n}():\n    return item\n" for n in range(60)}
    code = Code(laid_out(tmp_path, files))
    seen, step = list[str](), 'search(pattern: "item")'
    while step:
        page = code.search(**{**parse_call(step)[1], "max": size})
        seen += [one["id"] for one in page["results"]]
        step = page["next_steps"].get("get_more")
    assert len(seen) == len(set(seen)) == 120 == page["total"]
    assert seen == code.ids("item", max=1000)


def test_ten_thousand_hits_in_one_file_are_counted_and_paged(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"big.log": "needle\n" * 10_000}))
    page = code.search("needle", max=1000)
    assert (page["total"], page["returned"], page["limit_reached"]) == (10_000, 1000, True)
    assert page["guidance"] == {
        "at_limit": "Showing maximum 1000 results",
        "recommendations": ["Use more specific pattern", "Results are sorted by relevance, best matches shown first"],
    }
    assert code.search("needle", max=1000, offset=9_500)["returned"] == 500


def test_more_hits_than_are_kept_are_said_to_be_at_least_so_many(tmp_path: Path) -> None:
    files = {f"src/f{n}.py": "needle\n" * 3 for n in range(10)} | {"z.md": "needle\n"}
    page = Code(laid_out(tmp_path, files), most=20).search("needle")
    assert (page["total"], page["total_is_at_least"], page["limit_reached"]) == (20, True, True)
    assert page["guidance"]["at_limit"] == "Stopped after 20 results"
    text = Code(tmp_path, most=20).text("search", pattern="needle", max=5)
    assert text.startswith('1-5 of at least 20 results for "needle"\n')
    assert "Stopped after 20 results. Use more specific pattern." in text


def test_more_results_than_fit_at_once_are_paged_to_the_last(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {f"f{n}.txt": "needle\n" * 500 for n in range(5)}))
    seen, step = list[str](), 'search(pattern: "needle", max: 1000)'
    while step:
        page = code.search(**parse_call(step)[1])
        seen += [one["id"] for one in page["results"]]
        step = page["next_steps"].get("get_more")
    assert len(seen) == len(set(seen)) == 2_500 == page["total"]
    assert code.search("needle", offset=2_500)["results"] == []
    assert code.search("needle", offset=10**30)["next_steps"]["go_back"] == 'search(pattern: "needle")'


def test_an_offset_past_the_last_file_leads_back(code: Code) -> None:
    page = code.files(offset=10**30, filter="*.py")
    assert (page["files"], page["total"], page["has_more"]) == ([], 2, False)
    assert page["next_steps"]["go_back"] == 'list_files(filter: "*.py")'
    assert page["warnings"] == [f"There are only 2 files: offset {10**30} is past the last"]


def test_an_offset_past_the_end_leads_back(code: Code) -> None:
    page = code.search("User", offset=100)
    assert (page["results"], page["has_more"]) == ([], False)
    assert page["next_steps"]["go_back"] == 'search(pattern: "User")'
    assert code.text("search", pattern="User", offset=100).startswith('none of 7 results for "User"')


def test_files_are_listed_page_by_page(code: Code) -> None:
    assert code.files() == {"files": sorted(PROJECT), "returned": 4, "offset": 0, "total": 4, "has_more": False}
    page = code.files(max=3)
    assert page["next_steps"] == {
        "get_more": "list_files(max: 3, offset: 3)", "refine_search": 'list_files(filter: "*.py", max: 3)',
    }  # fmt: skip
    assert code.files(max=3, offset=3)["files"] == ["web/user.ts"]
    assert code.files(filter="src")["files"] == ["src/app.py", "src/auth.py"]
    assert code.text("list_files", filter="./src/").splitlines() == ["2 files", "src/app.py", "src/auth.py"]


def test_many_files_in_a_search_are_still_ranked_and_named(tmp_path: Path) -> None:
    files = {f"m{n:03}.py": f"x = thing\ndef other_{n}():\n    return thing\n" for n in range(340)}
    code = Code(laid_out(tmp_path, files | {"z.py": "def thing():\n    pass\n"}))
    page = code.search("thing", max=1000)
    assert page["results"][0]["id"] == "z.py:thing"
    assert page["total"] == 681
    assert {one["name"] for one in page["results"][1:3]} == {"x = thing", "other_0"}


# Nothing found


def test_a_search_without_results_offers_only_calls_that_find_something(project: Path, code: Code) -> None:
    error = code.error("search", pattern="loginUsers42")
    assert (error.code, str(error)) == ("NOT_FOUND", "No results found for pattern 'loginUsers42'")
    assert error.next_steps["alternatives"] == [
        'search(pattern: "login")', 'search(pattern: "users")', "list_files()",
    ]  # fmt: skip
    for step in error.next_steps["alternatives"]:
        name, arguments = parse_call(step)
        assert not asked(project, name, arguments).is_error
    assert error.next_steps["broaden_search"] == "Try a simpler pattern"
    assert code.error("search", pattern="qq").next_steps["alternatives"] == ["list_files()"]


def test_a_misspelt_name_is_corrected(project: Path) -> None:
    said = asked(project, "search", {"pattern": "authentcate"})
    assert said.error["suggestions"]["did_you_mean"] == "authenticate"
    assert said.error["corrected_call"]["arguments"] == {"pattern": "authenticate"}
    assert said.text.splitlines()[1] == 'Corrected call: search(pattern: "authenticate")'


def test_what_is_found_without_the_filter_is_offered_without_it(code: Code) -> None:
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
    said = asked(project, "search", {"pattern": "user", "filter": wrong})
    assert (said.error["code"], said.error["details"]["parameter"]) == ("NOT_FOUND", "filter")
    assert said.error["corrected_call"]["arguments"] == {"pattern": "user", "filter": right}
    assert not asked(project, "search", said.error["corrected_call"]["arguments"]).is_error


def test_a_filter_like_none_is_answered_with_what_there_is(tmp_path: Path, code: Code) -> None:
    error = code.error("search", pattern="check", filter="*.rb")
    assert error.hint == 'There are "*.py", "*.md" and "*.ts"'
    assert error.next_steps["alternatives"] == ['search(pattern: "check", filter: "*.py")', "list_files()"]
    assert code.error("list_files", filter="*.rb").next_steps["alternatives"][0] == 'list_files(filter: "*.py")'
    assert code.error("list_files", filter="]{").code == "INVALID_FORMAT"
    assert Code(tmp_path).error("list_files", filter="*.rb").hint == "There are no files here"
    assert Code(tmp_path).files()["total"] == 0


def test_a_call_that_would_find_only_what_is_ignored_is_not_offered(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {".gitignore": "gen.py\n", "gen.py": "treasure\n", "a.py": "x\n"}))
    assert code.error("search", pattern="treasure", filter="*.rb").next_steps["alternatives"] == ["list_files()"]
    assert code.error("list_files", filter="[ -+]").hint == 'There are "*.py"'


# Patterns and globs that are none


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
def test_a_bad_pattern_is_explained_at_its_place(
    tmp_path: Path, project: Path, pattern: str, at: int, what: str, fix: str | None
) -> None:
    laid_out(tmp_path, {"a.txt": f"what a({pattern}) is\nab aba aa ba\n"})
    error = asked(tmp_path, "search", {"pattern": pattern}).error
    assert error["message"] == f"The pattern is not a regular expression: {what}, at character {at + 1}"
    assert (error["code"], error["details"]["position"]) == ("INVALID_FORMAT", at)
    assert error["details"]["caret"] == [pattern, "-" * at + "^"]
    assert error.get("corrected_call", {}).get("arguments") == (fix and {"pattern": fix})
    assert not fix or Code(tmp_path).ids(fix) == ["a.txt:L1"]
    assert "corrected_call" not in asked(project, "search", {"pattern": pattern}).error


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
def test_a_pattern_that_is_none_is_mended_only_where_that_finds_what_it_says(
    project: Path, pattern: str, fix: str | None
) -> None:
    error = asked(project, "search", {"pattern": pattern}).error
    assert error["code"] == "INVALID_FORMAT" and error["hint"]
    assert error.get("corrected_call", {}).get("arguments") == (fix and {"pattern": fix})


def test_a_pattern_is_not_mended_into_one_that_finds_nothing_in_the_filter(project: Path) -> None:
    arguments = {"pattern": "check(", "filter": "*.md"}
    assert "corrected_call" not in asked(project, "search", arguments).error
    said = asked(project, "search", {**arguments, "filter": "*.py"})
    assert said.error["corrected_call"]["arguments"] == {"pattern": "check\\(", "filter": "*.py"}


def test_look_around_and_backreferences_are_answered_with_what_to_write_instead(code: Code) -> None:
    assert "write ab for a(?=b)" in code.error("search", pattern="(?=a)b").hint
    assert "write the repeated part out" in code.error("search", pattern="(a)\\1").hint


def test_a_corrected_pattern_finds_the_text_itself(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a.txt": "call foo(bar[0]) now\n"})
    error = asked(tmp_path, "search", {"pattern": "foo(bar["}).error
    assert Code(tmp_path).ids(**error["corrected_call"]["arguments"]) == ["a.txt:L1"]


def test_a_pattern_over_lines_or_too_large_when_compiled_is_said_to_be(code: Code) -> None:
    error = code.error("search", pattern="class User:\n    pass")
    assert "a line break in it can never match" in str(error)
    assert error.hint == "Search for the most telling one of its lines"
    error = code.error("search", pattern="a{1000}{1000}{100}")
    assert "exceeds size limit" in str(error) and error.hint == "Make the pattern simpler"


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_what_no_text_can_hold_is_refused(code: Code, text: str) -> None:
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
def test_an_id_that_none_can_be_is_refused(code: Code, id: str, why: str) -> None:
    assert code.error("get_definition", id=id).code == why


_PIECES = """a User auth . * + ? ( ) [ ] { } | \\ ^ $ / .. : L1 L # - ! ~ , % %2e %00 src src/auth.py (? (?i) (?P<a>
    \\b \\d \\x \\u{ {2} ' && [[ ** *.py é 😀"""
PIECES = st.sampled_from([*_PIECES.split(), '"', "\n", "\r", "\0", "\ud800", " ", "\u202e"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.lists(PIECES, min_size=1, max_size=7).map("".join))
def test_whatever_is_sent_is_answered_or_explained(code: Code, text: str) -> None:
    calls: list[tuple[str, dict[str, str]]] = [
        ("search", {"pattern": text}), ("search", {"pattern": "User", "filter": text}),
        ("list_files", {"filter": text}), ("get_definition", {"id": text}),
        ("get_definition", {"id": f"src/auth.py:{text}"}),
    ]  # fmt: skip
    for tool, arguments in calls:
        with suppress(ToolOperationError):
            assert code.text(tool, **arguments).encode()


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x"])
def test_a_catastrophic_pattern_ends(tmp_path: Path, pattern: str) -> None:
    code = Code(laid_out(tmp_path, {"a.txt": "a" * 50_000 + "!\n"}))
    try:
        assert code.search(pattern)["total"] <= 1
    except Exception as error:
        assert getattr(error, "code", None) == "NOT_FOUND"


def test_a_pattern_that_matches_nothing_everywhere_says_so(code: Code) -> None:
    page = code.search("x*", filter="*.md")
    assert page["warnings"] == ["The pattern matches the empty string, which is in every line"]
    assert {one["confidence"] for one in page["results"]} == {0.1}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_pattern_of_a_megabyte_is_refused_and_not_repeated(project: Path, framework: str) -> None:
    said = asked(project, "search", {"pattern": "a" * 1_000_000}, framework=framework)
    assert said.is_error and said.error["code"] == "INVALID_LENGTH"
    assert len(said.text) < 2_000


def test_a_long_pattern_is_not_repeated_in_next_steps(code: Code) -> None:
    page = code.search("User|" + "|".join(f"unlikely_{n}" for n in range(300)), max=1)
    assert page["next_steps"]["get_more"] == "search(pattern: <as sent>, max: 1, offset: 1)"


def test_a_bad_glob_is_explained(project: Path) -> None:
    error = asked(project, "search", {"pattern": "User", "filter": "[a"}).error
    assert error["message"] == "The filter is not a glob: unclosed character class; missing ']'"
    assert '"src/**"' in error["hint"]


# Nothing outside


@pytest.mark.parametrize(
    "filter", ["../**", "a/../../b", "/etc/**", "~/x", "C:\\x", "..\\x", "{..,a}/x", "!../x", "a\0"]
)
@pytest.mark.parametrize("tool", ["search", "list_files"])
def test_a_filter_that_points_outside_is_refused(project: Path, tool: str, filter: str) -> None:
    arguments = {"filter": filter, **({"pattern": "root"} if tool == "search" else {})}
    for guided in (True, False):
        said = asked(project, tool, arguments, is_guided=guided)
        assert said.is_error and filter not in said.text
    assert Code(project).error(tool, **arguments).code == "UNSAFE_INPUT"


@pytest.mark.parametrize(
    "id", ["../../etc/passwd:L1", "/etc/passwd:L1", "src/../../x:L1", "~root/x:L1", "%2e%2e/x:L1", "a%00b:L1"]
)
def test_an_id_that_points_outside_is_refused_without_help(project: Path, id: str) -> None:
    said = asked(project, "get_definition", {"id": id})
    assert (said.error["code"], said.error["severity"]) == ("UNSAFE_INPUT", "critical")
    assert (said.error["suggestions"], said.error["next_steps"]) == ({}, {})
    assert id not in json.dumps([said.texts, said.guidance, said.structured])
    assert asked(project, "get_definition", {"id": id}, is_guided=False).is_error


def test_links_that_lead_out_are_neither_searched_nor_read(tmp_path: Path) -> None:
    outside = laid_out(tmp_path / "outside", {"secret.py": "def treasure(): pass\n"})
    root = laid_out(tmp_path / "root", {"a.py": "def known(): pass\n"})
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    code = Code(root)
    assert code.error("search", pattern="treasure").code == "NOT_FOUND"
    assert code.files()["files"] == ["a.py"]
    for id in ("link.py:treasure", "folder/secret.py:treasure"):
        assert code.error("get_definition", id=id).code == "UNSAFE_INPUT"
    assert code.error("list_files", filter="folder").code == "NOT_FOUND"


@pytest.fixture
def swapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Code]:
    """A folder that becomes a link to one outside as soon as a path into it was looked at."""
    laid_out(tmp_path / "out", {"s.py": "def treasure():\n    return 'outside'\n", "t.txt": "treasure outside\n"})
    root = laid_out(tmp_path / "root", {"d/s.py": "def known(): pass\n", "d/t.txt": "known\n", "a.py": "x\n"})
    looked = Tree.place

    def place(self: Tree, said: str, parameter: str) -> str:
        found = looked(self, said, parameter)
        (root / "d").rename(tmp_path / "moved")
        (root / "d").symlink_to(tmp_path / "out")
        return found

    monkeypatch.setattr(Tree, "place", place)
    return root, Code(root)


@pytest.mark.parametrize("id", ["d/s.py:L1", "d/s.py:treasure", "d/t.txt:L1"])
def test_a_link_that_comes_between_the_look_and_the_read_is_not_followed(swapped: tuple[Path, Code], id: str) -> None:
    error = swapped[1].error("get_definition", id=id)
    assert (error.code, str(error)) == ("NOT_FOUND", f"'{id.rpartition(':')[0]}' cannot be read")
    assert "outside" not in repr(vars(error))


def test_a_link_that_changes_while_it_is_looked_at_is_refused(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    def realpath(path: object) -> str:
        raise OSError(22, "Invalid argument", str(path))

    monkeypatch.setattr("fingerpost.servers.code.folder.os.path.realpath", realpath)
    assert code.error("get_definition", id="src/auth.py:L1").code == "UNSAFE_INPUT"


def test_a_link_that_comes_in_the_middle_of_the_way_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out(tmp_path / "out", {"e/s.py": "def treasure(): pass\n"})
    root = laid_out(tmp_path / "root", {"d/e/s.py": "def known(): pass\n"})
    opens = os.open

    def opening(path: Any, *flags: int, **more: Any) -> int:
        if path == "e":
            (root / "d/e").rename(tmp_path / "moved")
            (root / "d/e").symlink_to(tmp_path / "out/e")
        return opens(path, *flags, **more)

    code = Code(root)
    monkeypatch.setattr("fingerpost.servers.code.safe_open.os.open", opening)
    assert code.error("get_definition", id="d/e/s.py:L1").code == "NOT_FOUND"


def test_a_search_that_was_led_out_shows_nothing_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out(tmp_path / "out", {"s.py": "def treasure(): return 'outside'\n"})
    root = laid_out(tmp_path / "root", {"a.py": "x\n"})
    (root / "d").symlink_to(tmp_path / "out")
    script = f"import sys; sys.stdout.write({events('d/s.py', 'treasure outside')!r})"
    said = Code(root, binary=fake(tmp_path, script)).search("treasure")
    assert "outside" not in json.dumps(said)
    assert said["failed"] == ["d/s.py"]
    monkeypatch.setattr(Ripgrep, "words", lambda *_, **__: {"treasure": "d/s.py"})
    assert Code(root).error("search", pattern="treasrue").readings == ()


def test_a_link_is_not_read_by_id_even_where_it_stays_inside(tmp_path: Path) -> None:
    root = laid_out(tmp_path, {"src/a.py": "def known(): pass\n"})
    (root / "b.py").symlink_to("src/a.py")
    (root / "lib").symlink_to("src")
    assert Code(root).files()["files"] == ["src/a.py"]
    for id in ("b.py:known", "b.py:L1", "lib/a.py:known"):
        error = Code(root).error("get_definition", id=id)
        assert error.code == "NOT_FOUND" and "code" not in error.details


@pytest.mark.parametrize("path", ["", ".", "..", "../out/s.py", "d", "pipe", "d/../../out/s.py", "link"])
def test_what_is_no_plain_file_of_the_folder_is_never_opened(tmp_path: Path, path: str) -> None:
    laid_out(tmp_path / "out", {"s.py": "treasure\n"})
    root = laid_out(tmp_path / "root", {"d/a.py": "x\n"})
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("d/a.py")
    with pytest.raises(OSError):
        Tree(root).source(path)


def test_a_filter_tells_nothing_of_folders_behind_a_link(tmp_path: Path) -> None:
    laid_out(tmp_path / "out", {"there/s.py": "treasure\n"})
    root = laid_out(tmp_path / "root", {"a.py": "x\n"})
    (root / "link").symlink_to(tmp_path / "out")
    for name in ("there", "none"):
        assert str(Code(root).error("list_files", filter=f"link/{name}")).endswith(f"'link/{name}'")


def test_links_that_go_round_in_circles_end(tmp_path: Path) -> None:
    root = laid_out(tmp_path, {"a.py": "def known(): pass\n"})
    (root / "loop").symlink_to(".")
    (root / "self").symlink_to("self")
    assert Code(root).ids("known") == ["a.py:known"]
    assert Code(root).error("get_definition", id="self:L1").code == "NOT_FOUND"
    assert Code(root).error("get_definition", id="a" * 4_000 + ":L1").code == "NOT_FOUND"
    assert Code(root).error("get_definition", id="loop/loop/a.py:known").code == "NOT_FOUND"


def test_what_is_hidden_or_ignored_is_not_shown_by_any_way(tmp_path: Path) -> None:
    files = {
        ".gitignore": "generated/\n*.min.js\n", ".ignore": "vendor/\n", ".env": "key = treasure\n",
        "generated/a.py": "def treasure(): pass\n", "x.min.js": "treasure\n", "vendor/v.py": "treasure\n",
        "src/.hidden/b.py": "treasure\n", "src/ok.py": "treasure = 1\n",
    }  # fmt: skip
    code = Code(laid_out(tmp_path, files))
    for filter in (None, "src/**", "!*.md", "**"):
        assert code.ids("treasure", filter=filter) == ["src/ok.py:L1"]
    for filter in (".env", "*.min.js", "generated/**", "vendor"):
        assert code.error("search", pattern="treasure", filter=filter).code == "NOT_FOUND"
        assert code.error("list_files", filter=filter).code == "NOT_FOUND"
    for id in (".env:L1", "generated/a.py:treasure", "x.min.js:L1"):
        assert code.error("get_definition", id=id).code == "NOT_FOUND"


def test_binary_and_huge_files_are_passed_over(tmp_path: Path) -> None:
    late = b"needle\n" * 20_000 + b"\0" + b"needle\n"
    huge = b"needle " * (3 * 1024 * 1024)
    files = {"a.bin": b"\0needle\n", "late.dat": late, "huge.txt": huge, "ok.txt": b"needle\n"}
    assert Code(laid_out(tmp_path, files)).ids("needle") == ["ok.txt:L1"]


@pytest.mark.parametrize("name", ["bin.dat", "late.py", "wide.txt"])
def test_a_binary_file_is_listed_and_not_read(tmp_path: Path, name: str) -> None:
    late = b"def f(): pass\n" * 10_000 + b"\0"
    files = {"bin.dat": b"\x7fELF\0secret\n", "late.py": late, "wide.txt": "a\0secret\n".encode("utf-16")}
    code = Code(laid_out(tmp_path, {name: files[name], "a.txt": "x\n"}))
    assert name in code.files()["files"]
    for id in (f"{name}:L1", f"{name}:f", name):
        error = code.error("get_definition", id=id)
        assert (error.code, str(error)) == ("NOT_FOUND", f"'{name}' is a binary file")
        assert error.hint == "Name a text file: only these have lines and definitions"


def test_an_id_is_not_corrected_to_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = Code(laid_out(tmp_path, {"data.bin": b"\0\n", "story.txt": "one\n"}))
    assert code.error("get_definition", id="dat.bin:L1").readings == ()
    assert code.error("get_definition", id="stroy.txt:L2").readings == ()
    assert [one.value for one in code.error("get_definition", id="stroy.txt:L1").readings] == ["story.txt:L1"]
    listed = Ripgrep.files

    def and_gone(self: Ripgrep, glob: str | None = None) -> Any:
        found = listed(self, glob)
        (tmp_path / "story.txt").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Ripgrep, "files", and_gone)
    assert code.error("get_definition", id="stroy.txt:L1").readings == ()


# Odd files


def test_unicode_paths_and_names_are_found_and_read(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"src/größe/übung 1.py": "class Größe:\n    def länge(self): pass\n"}))
    assert code.ids("länge") == ["src/größe/übung 1.py:Größe.länge"]
    assert code.definition("src/größe/übung 1.py:Größe.länge")["name"] == "Größe.länge"
    assert code.search("länge")["results"][0]["confidence"] == 0.98


def test_a_path_that_is_no_unicode_is_sayable_and_read(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"n\xff.py")).write_text("def odd(): pass\n", encoding="utf-8")
    code = Code(tmp_path)
    assert code.ids("odd") == ["n%FF.py:odd"]
    assert code.definition("n%FF.py:odd")["code"] == "def odd(): pass"
    assert code.files()["files"] == ["n%FF.py"]


def test_crlf_and_a_missing_last_line_end_are_no_part_of_a_line(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": b"def one():\r\n    return two\r\n\r\ndef two():\r\n    pass"}))
    assert [one["snippet"] for one in code.search("two")["results"]] == ["def two():", "return two"]
    assert code.definition("a.py:one")["code"] == "def one():\n    return two"
    assert code.definition("a.py:two")["code"] == "def two():\n    pass"


def test_bytes_that_are_no_utf8_and_other_encodings_are_read(tmp_path: Path) -> None:
    files = {"l.py": b"# caf\xe9\ndef latin(): return 'caf\xe9'\n", "w.py": "def wide(): pass\n".encode("utf-16")}
    code = Code(laid_out(tmp_path, files))
    assert code.search("return 'caf")["results"][0]["snippet"] == "def latin(): return 'caf�'"
    assert code.ids("wide") == ["w.py:wide"]
    assert code.definition("l.py:latin")["code"] == "def latin(): return 'caf�'"


def test_a_mark_in_front_of_a_file_is_no_part_of_it(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"a.py": b"\xef\xbb\xbfdef marked(): pass\n"}))
    found = code.search("marked")["results"][0]
    assert (found["id"], found["snippet"], found["confidence"]) == ("a.py:marked", "def marked(): pass", 0.98)
    assert code.definition("a.py:marked")["code"] == "def marked(): pass"


def test_a_long_line_is_cut_around_the_match(tmp_path: Path) -> None:
    line = "ä" * 5_000 + " needle " + "b" * 5_000
    code = Code(laid_out(tmp_path, {"a.txt": f"{line}\nneedle {'c' * 400}\n"}))
    first, second = (one["snippet"] for one in code.search("needle")["results"])
    assert len(first) <= 202 and first.startswith("…ä") and " needle b" in first and first.endswith("b…")
    assert second.startswith("needle c") and second.endswith("c…")
    assert code.search("needle.*")["results"][0]["confidence"] == 0.5


def test_a_line_with_matches_without_end_is_one_hit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.servers.code.ripgrep._LARGEST_EVENT", 300_000)
    code = Code(laid_out(tmp_path, {"a.txt": "ab" * 50_000 + "\n", "b.txt": "b\n"}))
    page = code.search("b")
    assert [one["id"] for one in page["results"]] == ["b.txt:L1", "a.txt:L1"]


def test_a_line_that_ends_before_its_end_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"import sys; sys.stdout.write({events('a.txt', 'x y')!r}); sys.stdout.write('{{' * 5_000)"
    monkeypatch.setattr("fingerpost.servers.code.ripgrep._LARGEST_EVENT", 1_000)
    laid_out(tmp_path, {"a.txt": "x y\n"})
    assert Code(tmp_path, binary=fake(tmp_path, script)).ids("x") == ["a.txt:L1"]


def test_empty_files_and_files_too_large_to_parse_give_what_they_can(tmp_path: Path) -> None:
    code = Code(laid_out(tmp_path, {"empty.py": b"", "big.py": "def f(): pass\n" + "# pad\n" * 100_000}))
    assert code.ids("def f") == ["big.py:L1"]


def test_a_file_that_goes_away_between_search_and_parsing_gives_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = laid_out(tmp_path, {"a.py": "def f(): pass\n"})
    engine = Ripgrep(root)
    found = engine.hits("def f")
    (root / "a.py").unlink()
    monkeypatch.setattr(engine, "hits", lambda *_: found)
    tool = served(root, engine=engine).tools[0]
    page = cast("Any", tool(pattern="def f")).data
    assert (page["results"][0]["id"], page["results"][0]["snippet"]) == ("a.py:L1", "")
    assert page["warnings"] == ["1 path could not be read: a.py"]


def test_a_file_that_changes_is_parsed_anew_and_old_ones_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.servers.code.folder._MOST_KEPT", 1)
    code = Code(laid_out(tmp_path, {"a.py": "def one(): pass\n", "b.py": "def one(): pass\n"}))
    assert code.ids("def one") == code.ids("def one") == ["a.py:one", "b.py:one"]
    laid_out(tmp_path, {"a.py": "def one(): pass\ndef two(): pass\n"})
    assert code.ids("def two") == ["a.py:two"]


# The seed's examples, as a client receives them


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
class TestTheSeed:
    def test_an_unknown_tool_is_answered_with_the_callers_own_arguments(
        self, project: Path, framework: str, era: str
    ) -> None:
        error = asked(project, "serach", {"pattern": "User"}, framework=framework, era=era).error
        assert (error["code"], error["message"]) == ("UNKNOWN_TOOL", "Tool 'serach' not found")
        assert error["suggestions"]["did_you_mean"] == "search"
        assert list(error["suggestions"]["available_categories"]) == ["search", "get", "list", "info"]
        assert error["hint"] == 'Try: search(pattern: "User")'

    def test_misspelt_parameters_are_corrected_and_results_come(self, project: Path, framework: str, era: str) -> None:
        said = asked(project, "search", {"patern": "User", "filtr": "*.ts"}, framework=framework, era=era)
        assert [one["id"] for one in said.structured["results"]] == ["web/user.ts:UserView", "web/user.ts:L2"]
        assert [(one["from"], one["to"]) for one in said.guidance["corrections"]] == [
            ("patern", "pattern"), ("filtr", "filter"),
        ]  # fmt: skip
        assert said.guidance["warnings"][0] == "Unknown param 'patern', did you mean 'pattern'?"

    def test_a_missing_parameter_shows_the_schema(self, project: Path, framework: str, era: str) -> None:
        error = asked(project, "search", framework=framework, era=era).error
        assert (error["code"], error["message"]) == ("MISSING_REQUIRED", "Required parameter 'pattern' is missing")
        assert error["schema_hint"]["required"] == ["pattern"]
        assert error["schema_hint"]["optional"] == ["filter", "max", "offset"]
        assert error["schema_hint"]["example"]["pattern"] == "authenticate"

    def test_a_wrong_type_is_named_with_what_is_expected(self, project: Path, framework: str, era: str) -> None:
        error = asked(project, "search", {"pattern": "User", "max": "fifty"}, framework=framework, era=era).error
        assert (error["code"], error["hint"]) == ("INVALID_TYPE", "Use a number: max: 50")
        assert error["message"] == "Parameter 'max' must be integer, got string"
        assert error["schema_hint"]["max"] == {
            "type": "integer", "minimum": 1, "maximum": 1000, "default": 50,
            "description": "Maximum number of results to return",
        }  # fmt: skip

    def test_a_number_out_of_range_is_named_with_the_range(self, project: Path, framework: str, era: str) -> None:
        error = asked(project, "search", {"pattern": "User", "max": 5000}, framework=framework, era=era).error
        assert (error["code"], error["details"]["value"]) == ("OUT_OF_RANGE", 5000)
        assert error["hint"] == "Use max: 1000 for maximum results, or paginate with offset"

    def test_a_success_says_what_comes_next_once(self, project: Path, framework: str, era: str) -> None:
        said = asked(project, "search", {"pattern": "User", "max": 2}, framework=framework, era=era)
        assert said.structured["next_steps"].keys() == {"get_more", "get_details", "refine_search"}
        assert said.structured["tips"].keys() == {"high_results", "get_details", "pagination"}
        assert said.guidance == {} and len(said.texts) == 1
        assert said.text.count("offset: 2") == 1

    def test_nothing_found_gives_the_ways_on(self, project: Path, framework: str, era: str) -> None:
        said = asked(project, "search", {"pattern": "xyzabc123"}, framework=framework, era=era)
        assert said.is_error and said.error["code"] == "NOT_FOUND"
        assert said.error["message"] == "No results found for pattern 'xyzabc123'"
        assert {"broaden_search", "check_scope", "alternatives"} <= said.error["next_steps"].keys()

    def test_info_lists_the_tools_and_explains_one(self, project: Path, framework: str, era: str) -> None:
        said = asked(project, "info", framework=framework, era=era)
        assert not said.is_error and "search, get_definition, list_files" in said.text
        full = asked(project, "info", {"tool": "search", "detail": "full"}, framework=framework, era=era).text
        assert '"examples": ["authenticate", "User.*", "^function"]' in full and '"maximum": 1000' in full

    def test_a_definition_is_read_and_files_are_listed(self, project: Path, framework: str, era: str) -> None:
        said = asked(project, "get_definition", {"id": "src/auth.py:check"}, framework=framework, era=era)
        assert said.structured["signature"] == "def check(name, password)"
        said = asked(project, "list_files", {"filter": "*.py"}, framework=framework, era=era)
        assert said.structured["files"] == ["src/app.py", "src/auth.py"]

    def test_all_tools_are_listed_as_reading_a_closed_world(self, project: Path, framework: str, era: str) -> None:
        async def main() -> list[Any]:
            server = getattr(served(project), framework)()
            mode = "legacy" if era == "2025-11-25" else "auto"
            async with Client(getattr(server, "_mcp_server", server), mode=mode) as client:
                return (await client.list_tools()).tools

        tools = asyncio.run(main())
        assert [tool.name for tool in tools] == ["search", "get_definition", "list_files", "info"]
        for tool in tools:
            assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
            assert all("description" in one or "enum" in one for one in tool.input_schema["properties"].values())


# As a program


def conversation(command: list[str], calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What a program answers on its standard streams."""

    async def main() -> list[Any]:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "fingerpost", *command])
        async with Client(stdio_client(parameters)) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(asyncio.wait_for(main(), 60))


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"patern": "authenticate"}),
    ("get_definition", {"id": "src/auth.py:User.authenticate"}),
    ("list_files", {"max": "2"}),
    ("serach", {"pattern": "User"}),
    ("info", {}),
]


def check_conversation(said: list[Any]) -> None:
    assert said[0].structured["results"][0]["id"] == "src/auth.py:User.authenticate"
    assert said[0].guidance["corrections"][0]["to"] == "pattern"
    assert said[1].structured["kind"] == "method"
    assert said[2].structured["returned"] == 2
    assert said[3].error["corrected_call"]["name"] == "search"
    assert "get_definition" in said[4].text


def test_it_is_served_on_standard_streams(project: Path) -> None:
    said = conversation(["serve", "code", str(project)], [*CALLS, ("search", {"pattern": "check("})])
    check_conversation(said)
    assert said[5].error["corrected_call"]["arguments"] == {"pattern": "check\\("}


def test_it_is_served_over_http(project: Path) -> None:
    command = [sys.executable, "-m", "fingerpost", "serve", "code", str(project), "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = cast("Any", process.stderr).readline().strip().removeprefix("listening on ")

            async def main() -> list[Any]:
                async with Client(url) as client:
                    return [await called(client, name, arguments) for name, arguments in CALLS]

            check_conversation(asyncio.run(asyncio.wait_for(main(), 60)))
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)


def test_it_is_served_bare_behind_the_proxy(project: Path) -> None:
    bare = [sys.executable, "-m", "fingerpost", "serve", "code", str(project), "--guidance", "off"]
    check_conversation(conversation(["proxy", "--", *bare], CALLS))


def test_the_readme_shows_what_the_server_says(project: Path) -> None:
    shown = list(read_transcripts(README))
    assert len(shown) >= 6

    async def main() -> None:
        async with Client(served(project).on_sdk()) as client:
            for name, arguments, expected in shown:
                said = await called(client, name, arguments)
                assert matches_transcript(said.text, expected), said.text

    asyncio.run(main())


# What goes wrong on the way


def fake(root: Path, script: str) -> str:
    """A program that stands in for ripgrep."""
    path = root / ".fake-rg"
    path.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def events(path: str, text: str) -> str:
    encoded = base64.b64encode(text.encode()).decode()
    where = {"path": {"text": f"./{path}"}}
    found = {**where, "lines": {"bytes": encoded}, "line_number": 1, "submatches": [{"start": 0, "end": 1}]}
    lines = [("begin", where), ("match", found), ("end", {**where, "binary_offset": None})]
    return "".join(json.dumps({"type": kind, "data": data}) + "\n" for kind, data in lines)


def test_a_search_that_takes_too_long_is_stopped_and_says_how_to_narrow_it(tmp_path: Path) -> None:
    code = Code(tmp_path, binary=fake(tmp_path, "import time; time.sleep(60)"), seconds=0.3)
    error = code.error("search", pattern="x")
    assert (error.code, error.category) == ("TIMEOUT", "timeout")
    assert error.hint == 'Narrow it with a filter such as: search(pattern: "x", filter: "src/**")'


def test_what_was_found_before_the_time_was_over_is_shown_as_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Timer:
        """Goes off as soon as something was written, however long that takes."""

        daemon = False

        def __init__(self, _seconds: float, end: Any, of: Any) -> None:
            self._thread = Thread(target=self._wait, args=(end, of))

        def start(self) -> None:
            self._thread.start()

        def _wait(self, end: Any, of: Any) -> None:
            while not (tmp_path / ".written").exists():
                time.sleep(0.01)
            end(*of)

        def cancel(self) -> None:
            self._thread.join()

    monkeypatch.setattr("fingerpost.servers.code.ripgrep.threading.Timer", Timer)
    script = f"import sys, time; sys.stdout.write({events('a.txt', 'x y')!r}); sys.stdout.flush()\n"
    script += "open('.written', 'w').close(); time.sleep(60)"
    laid_out(tmp_path, {"a.txt": "x y\n"})
    page = Code(tmp_path, binary=fake(tmp_path, script)).search("x")
    assert (page["partial"], page["returned"]) == (True, 1)
    assert page["warnings"] == ["The search was stopped for taking too long: there may be more"]
    assert page["next_steps"]["retry_failed"] == 'search(pattern: "x", filter: "src/**")'


def test_paths_that_cannot_be_read_make_a_partial_success(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        f"sys.stdout.write({events('a.txt', 'x y')!r})\n"
        "sys.stderr.write('rg: ./private: Permission denied (os error 13)\\n')\n"
        "sys.exit(2)"
    )
    laid_out(tmp_path, {"a.txt": "x y\n"})
    page = Code(tmp_path, binary=fake(tmp_path, script)).search("x")
    assert (page["partial"], page["failed"]) == (True, ["private"])
    assert page["warnings"] == ["1 path could not be read: private"]
    assert page["next_steps"] == {
        "get_details": 'get_definition(id: "a.txt:L1")',
        "retry_failed": 'search(pattern: "x")',
        "check_permissions": "Ask the user whether the server may read private",
        "proceed_anyway": "Results shown are valid, continue with get_definition(id)",
    }


def test_files_that_cannot_be_listed_are_told(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.stdout.write('./a.py\\0')\n"
        "sys.stderr.write('rg: ./private: Permission denied (os error 13)\\n'); sys.exit(2)"
    )
    page = Code(tmp_path, binary=fake(tmp_path, script)).files()
    assert (page["files"], page["partial"], page["failed"]) == (["a.py"], True, ["private"])
    assert page["warnings"] == ["1 path could not be read: private"]


def test_many_may_search_at_once(project: Path) -> None:
    code = Code(project)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(code.ids, ["User", "authenticate"] * 6))
    assert found == [code.ids("User"), code.ids("authenticate")] * 6


def test_nothing_found_where_not_all_could_be_read_says_so(tmp_path: Path) -> None:
    script = "import sys; sys.stderr.write('rg: ./p: Permission denied (os error 13)\\n'); sys.exit(2)"
    error = Code(tmp_path, binary=fake(tmp_path, script)).error("search", pattern="xyz")
    assert str(error) == "No results found for pattern 'xyz'; 1 path could not be read: p"


def test_a_folder_without_permission_makes_a_partial_success() -> None:
    """Nothing is unreadable to root: there the real ripgrep is run as nobody, from a place that nobody can reach."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        top.chmod(0o755)
        root = laid_out(top / "root", {"a.py": "needle\n", "private/b.py": "needle\n"})
        own = shutil.copy(found_binary(), top / "rg")
        as_nobody = f"import os, sys\nif os.geteuid() == 0: os.setuid(65534)\nos.execv({str(own)!r}, sys.argv)"
        (root / "private").chmod(0)
        try:
            assert Code(root, binary=fake(top, as_nobody)).search("needle")["failed"] == ["private"]
        finally:
            (root / "private").chmod(0o755)


def test_a_folder_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "root", {"a.py": "x\n"})
    code = Code(root)
    (root / "a.py").unlink()
    root.rmdir()
    for tool, arguments in (("search", {"pattern": "x"}), ("list_files", {}), ("get_definition", {"id": "a.py:x"})):
        assert code.error(tool, **arguments).code == "UPSTREAM_ERROR"


def test_without_ripgrep_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(CommandError) as trouble:
        found_binary()
    assert "pip install 'fingerpost[code]'" in trouble.value.way_out
