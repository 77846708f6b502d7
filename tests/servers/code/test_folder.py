"""The served folder: nothing outside is reached, hidden files stay hidden, and unusual files are read."""

# pyright: basic
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fingerpost.servers.code.folder import ServedFolder
from fingerpost.servers.code.ripgrep import Ripgrep
from tests.support.code_server import (
    CodeServer,
    call_server,
    ripgrep_output,
    write_fake_ripgrep,
    write_files,
)


@pytest.mark.parametrize(
    "filter", ["../**", "a/../../b", "/etc/**", "~/x", "C:\\x", "..\\x", "{..,a}/x", "!../x", "a\0"]
)
@pytest.mark.parametrize("tool", ["search", "list_files"])
def test_a_filter_that_points_outside_is_refused(project: Path, tool: str, filter: str) -> None:
    arguments = {"filter": filter, **({"pattern": "root"} if tool == "search" else {})}
    for guided in (True, False):
        reply = call_server(project, tool, arguments, is_guided=guided)
        assert reply.is_error and filter not in reply.text
    assert CodeServer(project).error(tool, **arguments).code == "UNSAFE_INPUT"


@pytest.mark.parametrize(
    "id", ["../../etc/passwd:L1", "/etc/passwd:L1", "src/../../x:L1", "~root/x:L1", "%2e%2e/x:L1", "a%00b:L1"]
)
def test_an_id_that_points_outside_is_refused_without_help(project: Path, id: str) -> None:
    reply = call_server(project, "get_definition", {"id": id})
    assert (reply.error["code"], reply.error["severity"]) == ("UNSAFE_INPUT", "critical")
    assert (reply.error["suggestions"], reply.error["next_steps"]) == ({}, {})
    assert id not in json.dumps([reply.texts, reply.guidance, reply.structured])
    assert call_server(project, "get_definition", {"id": id}, is_guided=False).is_error


def test_links_that_lead_outside_are_neither_searched_nor_read(tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"secret.py": "def treasure(): pass\n"})
    root = write_files(tmp_path / "root", {"a.py": "def known(): pass\n"})
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    code = CodeServer(root)
    assert code.error("search", pattern="treasure").code == "NOT_FOUND"
    assert code.files()["files"] == ["a.py"]
    for id in ("link.py:treasure", "folder/secret.py:treasure"):
        assert code.error("get_definition", id=id).code == "UNSAFE_INPUT"
    assert code.error("list_files", filter="folder").code == "NOT_FOUND"


@pytest.fixture
def swapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, CodeServer]:
    """A folder that is replaced by a link to one outside as soon as a path in it has been checked."""
    write_files(tmp_path / "out", {"s.py": "def treasure():\n    return 'outside'\n", "t.txt": "treasure outside\n"})
    root = write_files(tmp_path / "root", {"d/s.py": "def known(): pass\n", "d/t.txt": "known\n", "a.py": "x\n"})
    check_path = ServedFolder.relative_path

    def check_and_swap(self: ServedFolder, path: str, parameter: str) -> str:
        checked = check_path(self, path, parameter)
        (root / "d").rename(tmp_path / "moved")
        (root / "d").symlink_to(tmp_path / "out")
        return checked

    monkeypatch.setattr(ServedFolder, "relative_path", check_and_swap)
    return root, CodeServer(root)


@pytest.mark.parametrize("id", ["d/s.py:L1", "d/s.py:treasure", "d/t.txt:L1"])
def test_a_link_created_between_check_and_read_is_not_followed(swapped: tuple[Path, CodeServer], id: str) -> None:
    error = swapped[1].error("get_definition", id=id)
    assert (error.code, str(error)) == ("NOT_FOUND", f"'{id.rpartition(':')[0]}' cannot be read")
    assert "outside" not in repr(vars(error))


def test_a_link_that_changes_during_the_check_is_refused(code: CodeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def realpath(path: object) -> str:
        raise OSError(22, "Invalid argument", str(path))

    monkeypatch.setattr("fingerpost.servers.code.folder.os.path.realpath", realpath)
    assert code.error("get_definition", id="src/auth.py:L1").code == "UNSAFE_INPUT"


def test_a_link_created_while_parent_folders_are_opened_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "out", {"e/s.py": "def treasure(): pass\n"})
    root = write_files(tmp_path / "root", {"d/e/s.py": "def known(): pass\n"})
    real_open = os.open

    def opening(path: Any, *flags: int, **more: Any) -> int:
        if path == "e":
            (root / "d/e").rename(tmp_path / "moved")
            (root / "d/e").symlink_to(tmp_path / "out/e")
        return real_open(path, *flags, **more)

    code = CodeServer(root)
    monkeypatch.setattr("fingerpost.servers.code.safe_open.os.open", opening)
    assert code.error("get_definition", id="d/e/s.py:L1").code == "NOT_FOUND"


def test_hits_that_ripgrep_found_through_a_link_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "out", {"s.py": "def treasure(): return 'outside'\n"})
    root = write_files(tmp_path / "root", {"a.py": "x\n"})
    (root / "d").symlink_to(tmp_path / "out")
    script = f"import sys; sys.stdout.write({ripgrep_output('d/s.py', 'treasure outside')!r})"
    reply = CodeServer(root, binary=write_fake_ripgrep(tmp_path, script)).search("treasure")
    assert "outside" not in json.dumps(reply)
    assert reply["failed"] == ["d/s.py"]
    monkeypatch.setattr(Ripgrep, "words", lambda *_, **__: {"treasure": "d/s.py"})
    assert CodeServer(root).error("search", pattern="treasrue").readings == ()


def test_a_link_inside_the_folder_is_not_read_by_id(tmp_path: Path) -> None:
    root = write_files(tmp_path, {"src/a.py": "def known(): pass\n"})
    (root / "b.py").symlink_to("src/a.py")
    (root / "lib").symlink_to("src")
    assert CodeServer(root).files()["files"] == ["src/a.py"]
    for id in ("b.py:known", "b.py:L1", "lib/a.py:known"):
        error = CodeServer(root).error("get_definition", id=id)
        assert error.code == "NOT_FOUND" and "code" not in error.details


@pytest.mark.parametrize("path", ["", ".", "..", "../out/s.py", "d", "pipe", "d/../../out/s.py", "link"])
def test_only_regular_files_of_the_folder_are_opened(tmp_path: Path, path: str) -> None:
    write_files(tmp_path / "out", {"s.py": "treasure\n"})
    root = write_files(tmp_path / "root", {"d/a.py": "x\n"})
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("d/a.py")
    with pytest.raises(OSError):
        ServedFolder(root).source(path)


def test_a_filter_reveals_nothing_about_folders_behind_a_link(tmp_path: Path) -> None:
    write_files(tmp_path / "out", {"there/s.py": "treasure\n"})
    root = write_files(tmp_path / "root", {"a.py": "x\n"})
    (root / "link").symlink_to(tmp_path / "out")
    for name in ("there", "none"):
        assert str(CodeServer(root).error("list_files", filter=f"link/{name}")).endswith(f"'link/{name}'")


def test_circular_links_do_not_loop(tmp_path: Path) -> None:
    root = write_files(tmp_path, {"a.py": "def known(): pass\n"})
    (root / "loop").symlink_to(".")
    (root / "self").symlink_to("self")
    assert CodeServer(root).ids("known") == ["a.py:known"]
    assert CodeServer(root).error("get_definition", id="self:L1").code == "NOT_FOUND"
    assert CodeServer(root).error("get_definition", id="a" * 4_000 + ":L1").code == "NOT_FOUND"
    assert CodeServer(root).error("get_definition", id="loop/loop/a.py:known").code == "NOT_FOUND"


def test_hidden_and_ignored_files_are_never_shown(tmp_path: Path) -> None:
    files = {
        ".gitignore": "generated/\n*.min.js\n", ".ignore": "vendor/\n", ".env": "key = treasure\n",
        "generated/a.py": "def treasure(): pass\n", "x.min.js": "treasure\n", "vendor/v.py": "treasure\n",
        "src/.hidden/b.py": "treasure\n", "src/ok.py": "treasure = 1\n",
    }  # fmt: skip
    code = CodeServer(write_files(tmp_path, files))
    for filter in (None, "src/**", "!*.md", "**"):
        assert code.ids("treasure", filter=filter) == ["src/ok.py:L1"]
    for filter in (".env", "*.min.js", "generated/**", "vendor"):
        assert code.error("search", pattern="treasure", filter=filter).code == "NOT_FOUND"
        assert code.error("list_files", filter=filter).code == "NOT_FOUND"
    for id in (".env:L1", "generated/a.py:treasure", "x.min.js:L1"):
        assert code.error("get_definition", id=id).code == "NOT_FOUND"


def test_unicode_paths_and_names_are_found_and_read(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"src/größe/übung 1.py": "class Größe:\n    def länge(self): pass\n"}))
    assert code.ids("länge") == ["src/größe/übung 1.py:Größe.länge"]
    assert code.definition("src/größe/übung 1.py:Größe.länge")["name"] == "Größe.länge"
    assert code.search("länge")["results"][0]["confidence"] == 0.98


def test_a_path_that_is_not_valid_utf8_is_percent_encoded(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"n\xff.py")).write_text("def odd(): pass\n", encoding="utf-8")
    code = CodeServer(tmp_path)
    assert code.ids("odd") == ["n%FF.py:odd"]
    assert code.definition("n%FF.py:odd")["code"] == "def odd(): pass"
    assert code.files()["files"] == ["n%FF.py"]


def test_lines_exclude_crlf_and_the_last_line_needs_no_newline(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": b"def one():\r\n    return two\r\n\r\ndef two():\r\n    pass"}))
    assert [one["snippet"] for one in code.search("two")["results"]] == ["def two():", "return two"]
    assert code.definition("a.py:one")["code"] == "def one():\n    return two"
    assert code.definition("a.py:two")["code"] == "def two():\n    pass"


def test_invalid_utf8_and_utf16_are_read(tmp_path: Path) -> None:
    files = {"l.py": b"# caf\xe9\ndef latin(): return 'caf\xe9'\n", "w.py": "def wide(): pass\n".encode("utf-16")}
    code = CodeServer(write_files(tmp_path, files))
    assert code.search("return 'caf")["results"][0]["snippet"] == "def latin(): return 'caf�'"
    assert code.ids("wide") == ["w.py:wide"]
    assert code.definition("l.py:latin")["code"] == "def latin(): return 'caf�'"


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": b"\xef\xbb\xbfdef marked(): pass\n"}))
    found = code.search("marked")["results"][0]
    assert (found["id"], found["snippet"], found["confidence"]) == ("a.py:marked", "def marked(): pass", 0.98)
    assert code.definition("a.py:marked")["code"] == "def marked(): pass"


def test_empty_and_very_large_files_are_searched_without_definitions(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"empty.py": b"", "big.py": "def f(): pass\n" + "# pad\n" * 100_000}))
    assert code.ids("def f") == ["big.py:L1"]


def test_a_changed_file_is_parsed_again_and_the_cache_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.servers.code.folder._CACHE_SIZE", 1)
    code = CodeServer(write_files(tmp_path, {"a.py": "def one(): pass\n", "b.py": "def one(): pass\n"}))
    assert code.ids("def one") == code.ids("def one") == ["a.py:one", "b.py:one"]
    write_files(tmp_path, {"a.py": "def one(): pass\ndef two(): pass\n"})
    assert code.ids("def two") == ["a.py:two"]
