"""Definitions read by id: their content, the stability of ids, and corrections of wrong ids."""

# pyright: basic
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.code.ripgrep import Ripgrep
from tests.support.code_server import (
    CodeServer,
    call_server,
    write_files,
)
from tests.support.transcripts import parse_call


def test_an_id_stays_the_same_in_another_process_and_after_edits_elsewhere(tmp_path: Path) -> None:
    write_files(tmp_path)
    before = CodeServer(tmp_path).ids("User")
    (tmp_path / "other.py").write_text("class Userless: pass\n", encoding="utf-8")
    source = (
        "import json, sys, pathlib; from fingerpost.servers.code import create_server\n"
        "tool = create_server(pathlib.Path(sys.argv[1])).tools[0]\n"
        "print(json.dumps([one['id'] for one in tool(pattern='User').data['results']]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert [one for one in json.loads(done.stdout) if not one.startswith("other.py")] == before


def test_an_id_works_without_a_search_before(project: Path) -> None:
    for one in CodeServer(project).ids("User"):
        assert CodeServer(project).definition(one)["path"] == one.rpartition(":")[0]


def test_an_edit_above_a_definition_keeps_its_id(tmp_path: Path) -> None:
    write_files(tmp_path)
    code = CodeServer(tmp_path)
    first = code.definition("src/auth.py:User.authenticate")
    path = tmp_path / "src/auth.py"
    path.write_text("import os\nimport re\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    again = code.definition("src/auth.py:User.authenticate")
    assert (again["code"], again["start_line"]) == (first["code"], first["start_line"] + 2)


def test_a_definition_has_all_its_fields(code: CodeServer) -> None:
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


def test_a_class_lists_its_members_and_a_comment_above_a_definition_is_documentation(code: CodeServer) -> None:
    whole = code.definition("src/auth.py:User")
    assert whole["members"] == ["src/auth.py:User.__init__", "src/auth.py:User.authenticate"]
    assert code.definition("src/auth.py:check")["documentation"] == "Compares with what is stored."


def test_decorators_exports_and_templates_belong_to_a_definition(tmp_path: Path) -> None:
    code = CodeServer(
        write_files(
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


def test_the_id_of_a_line_gives_the_definition_around_it(code: CodeServer) -> None:
    found = code.definition("src/auth.py:L12")
    assert (found["id"], found["line"]) == ("src/auth.py:User.authenticate", 12)


def test_the_id_of_a_line_outside_all_definitions_gives_the_lines_around_it(code: CodeServer) -> None:
    assert code.definition("docs/users.md:L2") == {
        "id": "docs/users.md:L2", "name": "How a User logs in.", "kind": "match", "path": "docs/users.md", "line": 2,
        "start_line": 1, "end_line": 2, "code": "# Users\nHow a User logs in.",
    }  # fmt: skip


def test_a_definition_that_is_too_long_is_truncated(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": "def f():\n" + "    x = 1\n" * 20_000}))
    found = code.definition("a.py:f")
    assert (len(found["code"]), found["truncated"]) == (100_000, True)


def test_the_search_for_uses_of_an_operator_is_escaped(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.cpp": "bool U::operator==(U o) { return true; }\n"}))
    step = code.definition("a.cpp:U.operator==")["next_steps"]["find_uses"]
    assert code.ids(**parse_call(step)[1]) == ["a.cpp:U.operator=="]


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
def test_a_misspelled_id_is_corrected(project: Path, wrong: str, right: str) -> None:
    reply = call_server(project, "get_definition", {"id": wrong})
    assert reply.error["code"] == "NOT_FOUND"
    assert reply.error["corrected_call"] == {
        "name": "get_definition", "arguments": {"id": right}, "applicability": "machine_applicable",
    }  # fmt: skip
    assert not call_server(project, "get_definition", {"id": right}).is_error


def test_an_operator_is_looked_up_in_files_with_similar_names(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"src/vector.cpp": "bool V::operator==(V o) { return true; }\n"}))
    readings = code.error("get_definition", id="src/vectro.cpp:V.operator==").readings
    assert [one.value for one in readings] == ["src/vector.cpp:V.operator=="]
    assert code.error("get_definition", id="src/vectro.cpp:V.operator!=").readings == ()


def test_an_ambiguous_id_lists_candidates_and_an_unrelated_one_explains_ids(tmp_path: Path) -> None:
    code = CodeServer(
        write_files(tmp_path, {"a.py": "def run(): pass\n", "b.py": "def run(): pass\n", "c.py": "x = 1\n"})
    )
    error = code.error("get_definition", id="z.py:run")
    assert [(one.value, one.is_clear) for one in error.readings] == [("a.py:run", False), ("b.py:run", False)]
    assert error.next_steps["alternatives"] == [
        'get_definition(id: "a.py:run")', 'get_definition(id: "b.py:run")', 'search(pattern: "run")', "list_files()",
    ]  # fmt: skip
    assert code.error("get_definition", id="qqq").hint == "Ids are a path and a name, as search gives them"
    assert code.error("get_definition", id="c.py:qqq").hint == "It defines nothing that is known here"
    assert code.error("get_definition", id="a.py:").code == "NOT_FOUND"


def test_an_id_too_long_for_a_corrected_call_is_in_the_hint(tmp_path: Path) -> None:
    path = "/".join(["packages"] * 9) + "/module.py"
    write_files(tmp_path, {path: "def authenticate(): pass\n"})
    reply = call_server(tmp_path, "get_definition", {"id": f"{path}:authentcate"})
    assert f'Try: get_definition(id: "{path}:authenticate")' in reply.text
    assert reply.error["next_steps"]["alternatives"][0] == f'get_definition(id: "{path}:authenticate")'


def test_a_path_without_a_name_lists_what_the_file_defines(code: CodeServer) -> None:
    error = code.error("get_definition", id="src/app.py")
    assert error.hint == "It defines 'login'"
    assert error.next_steps["example"] == 'get_definition(id: "src/app.py:login")'
    assert code.error("get_definition", id="docs/users.md").next_steps["example"].endswith(':L1")')


def test_a_line_past_the_end_suggests_the_last_line(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.txt": "one\ntwo", "b.txt": ""}))
    assert code.error("get_definition", id="a.txt:L9").hint == 'Try: get_definition(id: "a.txt:L2")'
    assert code.error("get_definition", id="b.txt:L1").hint == "The file is empty"
    assert code.error("get_definition", id="a.txt:L0").code == "NOT_FOUND"


def test_an_id_is_not_corrected_to_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = CodeServer(write_files(tmp_path, {"data.bin": b"\0\n", "story.txt": "one\n"}))
    assert code.error("get_definition", id="dat.bin:L1").readings == ()
    assert code.error("get_definition", id="stroy.txt:L2").readings == ()
    assert [one.value for one in code.error("get_definition", id="stroy.txt:L1").readings] == ["story.txt:L1"]
    list_files = Ripgrep.files

    def list_and_delete(self: Ripgrep, glob: str | None = None) -> Any:
        found = list_files(self, glob)
        (tmp_path / "story.txt").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Ripgrep, "files", list_and_delete)
    assert code.error("get_definition", id="stroy.txt:L1").readings == ()


@pytest.mark.parametrize("name", ["bin.dat", "late.py", "wide.txt"])
def test_a_binary_file_is_listed_but_not_read(tmp_path: Path, name: str) -> None:
    late = b"def f(): pass\n" * 10_000 + b"\0"
    files = {"bin.dat": b"\x7fELF\0secret\n", "late.py": late, "wide.txt": "a\0secret\n".encode("utf-16")}
    code = CodeServer(write_files(tmp_path, {name: files[name], "a.txt": "x\n"}))
    assert name in code.files()["files"]
    for id in (f"{name}:L1", f"{name}:f", name):
        error = code.error("get_definition", id=id)
        assert (error.code, str(error)) == ("NOT_FOUND", f"'{name}' is a binary file")
        assert error.hint == "Name a text file: only these have lines and definitions"
