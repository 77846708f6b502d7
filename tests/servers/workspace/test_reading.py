"""`read_content`: names, encodings, pages."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

from pathlib import Path

import pytest

from fingerpost.servers.workspace import tools
from fingerpost.servers.workspace.content import decode
from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    NOTES,
    call_tool,
    failure,
    write_files,
)


def test_content_can_be_named_in_four_ways(space: Workspace, root: Path) -> None:
    write_files(root, {"a b.txt": "spaced\n", "c%20d.txt": "literal\n"})
    for url in ("sandbox:/notes.txt", "sandbox://notes.txt", "notes.txt", "./src/../notes.txt", f"{root}/notes.txt"):
        assert space.read_content(url).text == NOTES
    for url in (f"file://{root}/notes.txt", f"file://localhost{root}/notes.txt", "SANDBOX:/notes.txt"):
        assert space.read_content(url).text == NOTES
    assert space.read_content("sandbox:/a%20b.txt").text == space.read_content(f"file://{root}/a%20b.txt").text
    assert space.read_content("sandbox:/c%20d.txt").text == "literal\n"


@pytest.mark.parametrize(
    ("url", "code", "category"),
    [
        ("https://example.org/a.txt", "PERMISSION_DENIED", "permission"),
        ("HTTP://example.org/a.txt", "PERMISSION_DENIED", "permission"),
        ("ftp://example.org/a.txt", "INVALID_FORMAT", None),
        ("src", "INVALID_INPUT", "validation"),
        (".", "INVALID_INPUT", "validation"),
        ("sandbox:/", "INVALID_INPUT", "validation"),
        ("nothing/like/it.bin", "NOT_FOUND", "not_found"),
        ("notes.txt/deeper", "NOT_FOUND", "not_found"),
        ("/missing.txt", "NOT_FOUND", "not_found"),
        ("/src/missing.py", "NOT_FOUND", "not_found"),
    ],
)
def test_unreadable_content_is_an_error_with_a_hint(
    space: Workspace, url: str, code: str, category: str | None
) -> None:
    error = failure(space.read_content, url)
    assert (error.code, error.category) == (code, category)
    assert error.hint and error.hint not in error.message


def test_an_absolute_path_from_the_top_of_the_workspace_is_corrected(root: Path) -> None:
    for name, parameter in (("read_content", "content_url"), ("delete", "path")):
        detail = call_tool(root, name, {parameter: "/notes.txt"}).structured["error_detail"]
        assert detail["code"] == "NOT_FOUND" and "sandbox:/" in detail["hint"]
        assert call_tool(root, name, detail["corrected_call"]["arguments"]).is_error is False
    fix = failure(Workspace(root).write_file, "/brand-new.txt", "x").likely_fix
    assert fix == "brand-new.txt" and not (root / fix).exists()


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("grüße\r\n".encode(), "grüße\r\n", "utf-8"),
        (b"\xef\xbb\xbfhi\n", "hi\n", "utf-8 with a byte order mark"),
        ("\ufeffhé\n".encode("utf-16-le"), "hé\n", "utf-16-le with a byte order mark"),
        ("\ufeffhé\n".encode("utf-16-be"), "hé\n", "utf-16-be with a byte order mark"),
        (b"caf\xe9\n", "café\n", "latin-1"),
    ],
)
def test_text_is_read_in_the_usual_encodings(
    space: Workspace, root: Path, data: bytes, text: str, encoding: str
) -> None:
    write_files(root, {"t.txt": data})
    answer = space.read_content("t.txt")
    assert (answer.data["text"], answer.data["encoding"], answer.data["bytes"]) == (text, encoding, len(data))
    assert bool(answer.data["warnings"]) is not encoding.startswith("utf-8")
    held = decode(data)
    assert held is not None and held.encode(held.text) == data


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x01", b"\xff\xfe\x00\xd8", b"a\0b", b"\xe9\x01"])
def test_a_binary_file_is_described_and_not_shown(space: Workspace, root: Path, data: bytes) -> None:
    write_files(root, {"t.png": data})
    answer = space.read_content("t.png")
    assert answer.data["kind"] == "binary" and answer.data["mime"] == "image/png"
    assert answer.data["bytes"] == len(data) and len(answer.data["sha256"]) == 64


def test_long_text_is_read_in_pages(space: Workspace, root: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(4500))
    write_files(root, {"long.txt": text})
    read, offset = "", 0
    while True:
        data = space.read_content("long.txt", offset).data
        read += data["text"]
        if not data["has_more"]:
            break
        offset = data["last_line"]
        assert f"offset: {offset}" in data["next_steps"]["get_more"]
        assert "limit" not in data["next_steps"]["get_more"]
    assert read == text and data["total_lines"] == 4500
    answer = space.read_content("long.txt", 10, 2)
    assert answer.data["next_steps"]["get_more"] == 'read_content(content_url: "long.txt", offset: 12, limit: 2)'
    assert answer.data["next_steps"]["get_more"] in answer.text
    assert space.read_content("long.txt", 10, 2).text.startswith("line 10\nline 11\n\n[Lines 11-12 of 4500; go on with")
    error = failure(space.read_content, "long.txt", 9999)
    assert (error.code, error.likely_fix) == ("OUT_OF_RANGE", 2500)


def test_a_very_long_line_is_cut_and_a_page_is_bounded(space: Workspace, root: Path) -> None:
    write_files(root, {"wide.txt": "x" * 100_000 + "\n" + "y" * 30_000 + "\n" + "z" * 30_000})
    answer = space.read_content("wide.txt")
    assert len(answer.data["text"]) == 40_000 and "cut after" in answer.text
    assert space.read_content("wide.txt", 1).data["last_line"] == 2


def test_a_file_too_large_to_show_is_described(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_MAX_SHOWN_BYTES", 4)
    assert space.read_content("notes.txt").data["bytes"] == len(NOTES)
    assert space.delete("notes.txt")["changed"][0]["removed"] == 0


def test_the_lines_of_a_very_large_file_are_not_counted_for_a_suggestion(root: Path) -> None:
    with (root / "large.txt").open("wb") as large:
        large.truncate(1 << 40)
    near, beyond = (call_tool(root, "read_content", {"content_url": "lrage.txt", "offset": n}) for n in (0, 3))
    assert "large.txt" in near.text.replace("lrage.txt", "") and "corrected_call" not in beyond.error
