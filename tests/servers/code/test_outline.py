"""Definitions found by tree-sitter, and their qualified names in each language."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

from fingerpost.servers.code.languages import extension_label, language_of
from fingerpost.servers.code.outline import find_definitions
from tests.support.code_server import (
    CodeServer,
    write_files,
)

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
    code = CodeServer(write_files(tmp_path, {name: source}))
    best = code.search("auth")["results"][0]
    assert (best["id"], best["kind"], best["confidence"]) == (f"{name}:{qualified}", "definition", 0.98)
    assert code.definition(best["id"])["name"] == qualified


def test_a_repeated_definition_is_numbered(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": "def f(): pass\n\n\ndef f(): return 2\n"}))
    assert code.ids("f\\(") == ["a.py:f", "a.py:f#2"]
    assert code.definition("a.py:f#2")["code"] == "def f(): return 2"


def test_a_use_of_a_name_is_not_a_definition(tmp_path: Path) -> None:
    code = CodeServer(
        write_files(tmp_path, {"a.c": "struct user *make(struct user *u);\n", "a.js": "const user = 1;\n"})
    )
    assert {one["kind"] for one in code.search("user")["results"]} == {"match"}


def test_constructors_operators_typedefs_and_macros_are_definitions() -> None:
    java = find_definitions(b"class U { U() {} }", "java")
    assert [(one.qualified, one.kind, one.parent) for one in java] == [
        ("U", "class", None), ("U.U", "constructor", "U"),
    ]  # fmt: skip
    source = b"bool U::operator==(U o) { return 1; }\ntypedef int (*callback)(int);\n#define X 1\n"
    source += b"int V::operator[](int i) { return i; }\nbool operator/(V a, V b) { return 1; }\n"
    names = [one.qualified for one in find_definitions(source, "cpp")]
    assert names == ["U.operator==", "callback", "X", "V.operator[]", "operator/"]


def test_a_declarator_nested_too_deeply_is_skipped() -> None:
    assert find_definitions(b"int " + b"(" * 40 + b"f" + b")" * 40 + b"(int a) { return 1; }", "c") == ()


def test_the_label_of_an_extension_is_the_name_of_its_language() -> None:
    assert [extension_label(one) for one in ("ts", "py", "cpp", "md")] == ["TypeScript", "Python", "C++", ".md"]
    assert (language_of("Makefile"), language_of("a/b.PY")) == (None, "python")
