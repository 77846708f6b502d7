"""The workspace server: one folder whose files can be read and changed, whole or not at all, and nothing outside it."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
import errno
import os
import random
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace import create_server, journal, listing, nearness, tools, tree
from fingerpost.servers.workspace.applying import applied
from fingerpost.servers.workspace.content import decoded, lines_of
from fingerpost.servers.workspace.places import STAGING, is_staged, staged
from fingerpost.servers.workspace.plan import parsed
from fingerpost.servers.workspace.tools import Workspace
from tests.servers.test_tool_server import serve_over_http
from tests.support.adopted_servers import ERAS, called
from tests.support.server_workspace_lab import Faults, diff, edited, failing, in_a_child, killed, planted, snapshot
from tests.support.transcripts import matches_transcript, read_transcripts

FRAMEWORKS = ("on_sdk", "on_fastmcp")
README = Path(tools.__file__).parent / "README.md"
NOTES = "one\ntwo\nthree\nfour\nfive\n"
APP = "def f():\n    return 1\n\n\ndef g():\n    return 1\n"

LINE = st.sampled_from(
    [
        "a",
        "b",
        "",
        " x",
        "-- y",
        "++ z",
        "- q",
        "+w",
        "\\ n",
        "@@ -1 +1 @@",
        "--- a/x",
        "+++ b/x",
        "*** End Patch",
        "```",
    ]
) | st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=6)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return planted(tmp_path / "root", {"notes.txt": NOTES, "src/app.py": APP})


@pytest.fixture
def space(root: Path) -> Workspace:
    return Workspace(root)


def failure(do: Any, *args: Any, **arguments: Any) -> ToolOperationError:
    with pytest.raises(ToolOperationError) as caught:
        do(*args, **arguments)
    return caught.value


def ask(root: Path, *calls: tuple[str, dict[str, Any]], framework: str = "on_sdk", era: str = ERAS[1], **options: Any):
    """What the calls are answered with, and the tools as they are listed before the first and after the last."""

    async def main() -> Any:
        server = getattr(create_server(root), framework)(**options)
        mode = "legacy" if era == ERAS[0] else "auto"
        async with Client(getattr(server, "_mcp_server", server), mode=mode) as client:
            before = (await client.list_tools()).tools
            said = [await called(client, name, arguments) for name, arguments in calls]
            return said, {one.name: one for one in before}, {one.name: one for one in (await client.list_tools()).tools}

    return asyncio.run(main())


def one(root: Path, name: str, arguments: dict[str, Any], **options: Any) -> Any:
    return ask(root, (name, arguments), **options)[0][0]


# the server, through every door


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_tool_works_through_the_client_of_either_framework_and_era(root: Path, framework: str, era: str) -> None:
    said, _, _ = ask(
        root,
        ("read_content", {"content_url": "sandbox:/notes.txt"}),
        ("list_paths", {}),
        ("write_file", {"path": "new.txt", "text": "hi\n"}),
        ("apply_patch", {"patch": diff(NOTES, NOTES.replace("two", "2"), "notes.txt")}),
        ("move", {"from_path": "new.txt", "to_path": "old/new.txt"}),
        ("delete", {"path": "old/new.txt"}),
        framework=framework,
        era=era,
    )
    assert not any(reply.is_error for reply in said), [reply.text for reply in said]
    assert said[0].text == NOTES
    assert [entry["path"] for entry in said[1].structured["entries"]] == ["notes.txt", "src"]
    assert said[2].structured["changed"] == [{"path": "new.txt", "action": "created", "added": 1, "removed": 0}]
    assert said[4].structured["created_folders"] == ["old"]
    assert (root / "notes.txt").read_text() == "one\n2\nthree\nfour\nfive\n"
    assert not (root / "old/new.txt").exists()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_errors_come_in_the_envelope_with_the_hint_beside_the_message(root: Path, framework: str, era: str) -> None:
    patch = "--- a/notes.txt\n+++ b/notes.txt\n@@\n-two\n+2\n"
    said = one(root, "apply_patch", {"patch": patch}, framework=framework, era=era)
    envelope = said.structured
    assert (envelope["status"], envelope["ok"]) == ("error", False)
    detail = envelope["error_detail"]
    assert (detail["category"], detail["code"]) == ("patch", "PATCH_MALFORMED")
    assert "@@ -1,3 +1,4 @@" in detail["hint"] and "*** Begin Patch" in detail["hint"]
    assert detail["hint"] not in envelope["error"] and said.text.count("@@ -1,3 +1,4 @@") == 1


def test_a_missing_file_earns_the_sandbox_hint_and_the_call_that_works(root: Path) -> None:
    said = one(root, "read_content", {"content_url": "sandbox:/notse.txt"})
    detail = said.structured["error_detail"]
    assert (detail["code"], detail["category"]) == ("NOT_FOUND", "not_found")
    assert "sandbox:/" in detail["hint"] and detail["hint"] not in detail["message"]
    call = detail["corrected_call"]
    assert one(root, call["name"], call["arguments"]).text == NOTES


def test_effects_are_labelled_and_a_dry_run_does_not_change_that(root: Path) -> None:
    dry = ("write_file", {"path": "a.txt", "text": "x", "dry_run": True})
    _, before, after_dry = ask(root, dry)
    _, _, after = ask(root, ("write_file", {"path": "a.txt", "text": "x"}), dry)
    for listed in (before, after_dry, after):
        hints = {name: tool.annotations.read_only_hint for name, tool in listed.items() if name != "info"}
        reads = ("read_content", "list_paths")
        assert hints == {name: name in reads for name in (*reads, "write_file", "apply_patch", "move", "delete")}
        assert listed["apply_patch"].annotations.open_world_hint is True


@pytest.mark.parametrize("slip", ["dry_rum", "dry", "dryRunn", "simulate"])
def test_a_misspelt_dry_run_never_writes(root: Path, slip: str) -> None:
    before = snapshot(root)
    said, _, _ = ask(
        root,
        ("write_file", {"path": "notes.txt", "text": "gone", slip: True}),
        ("delete", {"path": "notes.txt", slip: True}),
        ("move", {"from_path": "notes.txt", "to_path": "x.txt", slip: True}),
        ("apply_patch", {"patch": diff(NOTES, "", "notes.txt"), slip: True}),
    )
    assert all(reply.is_error and reply.error["code"] == "UNKNOWN_PARAM" for reply in said)
    assert snapshot(root) == before


def test_the_spelling_of_dry_run_alone_is_repaired_and_still_writes_nothing(root: Path) -> None:
    before = snapshot(root)
    said = one(root, "write_file", {"path": "notes.txt", "text": "gone", "dryRun": "true"})
    assert said.structured["dry_run"] is True and snapshot(root) == before


def test_wrong_calls_are_repaired_where_nothing_is_written(root: Path) -> None:
    assert one(root, "read_content", {"contentUrl": "notes.txt"}).text.startswith(NOTES)


def test_schemas_carry_descriptions_ranges_defaults_and_examples(root: Path) -> None:
    listed = ask(root)[1]
    for tool in listed.values():
        assert tool.description
        if tool.name != "info":
            assert all("description" in schema for schema in tool.input_schema["properties"].values())
    limit = listed["read_content"].input_schema["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 5000, 2000)
    assert listed["apply_patch"].input_schema["properties"]["dry_run"]["default"] is False


def over_stdio(words: list[str], calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    async def main() -> list[Any]:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "fingerpost", *words])
        async with Client(stdio_client(parameters)) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(asyncio.wait_for(main(), 60))


def test_it_runs_as_a_process_and_bare_behind_the_proxy(root: Path) -> None:
    serve = ["serve", "workspace", str(root)]
    bare = ["proxy", "--", sys.executable, "-m", "fingerpost", *serve, "--guidance", "off"]
    calls = [
        ("read_content", {"content_url": "sandbox:/notes.txt"}),
        ("list_paths", {"path": "src"}),
        ("write_file", {"path": "new.txt", "text": "hi\n"}),
        ("apply_patch", {"patch": diff("hi\n", "ho\n", "new.txt")}),
        ("move", {"from_path": "new.txt", "to_path": "newer.txt"}),
        ("delete", {"path": "newer.txt"}),
        ("delete", {"path": "notes.txt", "dry_rum": True}),
        ("read_content", {"content_url": "sandbox:/../outside.txt"}),
    ]
    before = snapshot(root)
    planted(root.parent, {"outside.txt": "CANARY"})
    for words in (serve, bare):
        said = over_stdio(words, calls)
        assert [reply.is_error for reply in said] == [False] * 6 + [True] * 2, [reply.text for reply in said]
        assert said[0].text == NOTES and "UNKNOWN_PARAM" in str(said[6].guidance)
        assert "CANARY" not in str(said) and snapshot(root) == before


def test_it_runs_over_http_too(root: Path) -> None:
    process, url = serve_over_http("workspace", str(root))

    async def scene() -> list[Any]:
        async with Client(url) as client:
            return [
                await called(client, "read_content", {"content_url": "sandbox:/notes.txt", "limit": 2}),
                await called(client, "apply_patch", {"patch": diff(NOTES, NOTES.replace("two", "2"), "notes.txt")}),
                await called(client, "read_content", {"content_url": "sandbox:/notse.txt"}),
                await called(client, "read_content", {"content_url": "sandbox:/../outside.txt"}),
            ]

    try:
        page, patched, near, outside = asyncio.run(asyncio.wait_for(scene(), 60))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)
        process.communicate()
    assert page.text.startswith("one\ntwo\n") and "offset: 2, limit: 2" in page.text
    assert patched.structured["changed"][0]["action"] == "updated" and not left(root)
    assert near.error["corrected_call"]["arguments"] == {"content_url": "sandbox:/notes.txt"}
    assert outside.error["code"] == "UNSAFE_INPUT"
    assert (root / "notes.txt").read_text() == NOTES.replace("two", "2")


def test_the_readme_says_what_happens(root: Path) -> None:
    conversation = list(read_transcripts(README))
    assert len(conversation) >= 6
    said, _, _ = ask(root, *((name, arguments) for name, arguments, _ in conversation))
    for (name, arguments, expected), reply in zip(conversation, said, strict=True):
        assert matches_transcript(reply.text, expected), f"{name}({arguments})\n{reply.text}"


# reading


def test_content_is_named_in_any_of_four_ways(space: Workspace, root: Path) -> None:
    planted(root, {"a b.txt": "spaced\n", "c%20d.txt": "literal\n"})
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
def test_what_cannot_be_read_is_told_with_a_hint(space: Workspace, url: str, code: str, category: str | None) -> None:
    error = failure(space.read_content, url)
    assert (error.code, error.category) == (code, category)
    assert error.hint and error.hint not in error.message


def test_an_absolute_path_that_is_meant_from_the_top_is_put_right(root: Path) -> None:
    for name, parameter in (("read_content", "content_url"), ("delete", "path")):
        detail = one(root, name, {parameter: "/notes.txt"}).structured["error_detail"]
        assert detail["code"] == "NOT_FOUND" and "sandbox:/" in detail["hint"]
        assert one(root, name, detail["corrected_call"]["arguments"]).is_error is False
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
    planted(root, {"t.txt": data})
    answer = space.read_content("t.txt")
    assert (answer.data["text"], answer.data["encoding"], answer.data["bytes"]) == (text, encoding, len(data))
    assert bool(answer.data["warnings"]) is not encoding.startswith("utf-8")
    held = decoded(data)
    assert held is not None and held.encoded(held.text) == data


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x01", b"\xff\xfe\x00\xd8", b"a\0b", b"\xe9\x01"])
def test_what_is_no_text_is_described_and_not_dumped(space: Workspace, root: Path, data: bytes) -> None:
    planted(root, {"t.png": data})
    answer = space.read_content("t.png")
    assert answer.data["kind"] == "binary" and answer.data["mime"] == "image/png"
    assert answer.data["bytes"] == len(data) and len(answer.data["sha256"]) == 64


def test_long_text_is_read_a_page_at_a_time(space: Workspace, root: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(4500))
    planted(root, {"long.txt": text})
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


def test_one_endless_line_is_cut_and_a_page_is_bounded(space: Workspace, root: Path) -> None:
    planted(root, {"wide.txt": "x" * 100_000 + "\n" + "y" * 30_000 + "\n" + "z" * 30_000})
    answer = space.read_content("wide.txt")
    assert len(answer.data["text"]) == 40_000 and "cut after" in answer.text
    assert space.read_content("wide.txt", 1).data["last_line"] == 2


def test_a_file_too_large_to_show_is_described(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "_LARGEST_SHOWN", 4)
    assert space.read_content("notes.txt").data["bytes"] == len(NOTES)
    assert space.delete("notes.txt")["changed"][0]["removed"] == 0


# listing


def test_a_folder_is_listed_with_kinds_sizes_and_links(space: Workspace, root: Path) -> None:
    (root / "link").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    entries = {entry.pop("path"): entry for entry in space.list_paths()["entries"]}
    assert {name: entry["type"] for name, entry in entries.items()} == {
        "link": "link", "notes.txt": "file", "pipe": "special", "src": "folder",
    }  # fmt: skip
    assert entries["notes.txt"]["size"] == len(NOTES) and entries["link"]["target"] == "/etc/passwd"
    assert entries["src"]["modified"].endswith("+00:00")


def test_listing_goes_as_deep_as_asked_and_filters(space: Workspace, root: Path) -> None:
    planted(root, {"src/deep/er.py": "", "src/b.txt": ""})
    (root / "src/out").symlink_to("/etc")

    def paths(**more: Any) -> list[str]:
        return [entry["path"] for entry in space.list_paths(**more)["entries"]]

    assert paths(depth=9) == [
        "notes.txt", "src", "src/app.py", "src/b.txt", "src/deep", "src/deep/er.py", "src/out",
    ]  # fmt: skip
    assert paths(depth=9, glob="*.py") == ["src/app.py", "src/deep/er.py"]
    assert paths(depth=9, glob="src/*.txt") == ["src/b.txt"]
    assert paths(path="src", depth=2, glob="deep/*") == ["src/deep/er.py"]
    assert paths(path="notes.txt") == ["notes.txt"]


def test_a_large_folder_comes_in_pages_with_the_next_call(root: Path) -> None:
    planted(root, {f"many/{number:04}.txt": "" for number in range(450)})
    first = one(root, "list_paths", {"path": "many"})
    assert (first.structured["total"], first.structured["has_more"]) == (450, True)
    assert "offset: 200" in first.text
    last = one(root, "list_paths", {"path": "many", "offset": 400})
    assert len(last.structured["entries"]) == 50 and last.structured["has_more"] is False


def test_listing_stops_counting_somewhere(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_MOST", 1)
    assert space.list_paths()["total"] == 1


def test_a_name_that_is_no_text_is_listed_and_does_no_harm(space: Workspace, root: Path) -> None:
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.txt")).write_text("x")
    assert "bad\\xff.txt" in [entry["path"] for entry in space.list_paths()["entries"]]
    assert failure(space.read_content, "bad.txt").code == "NOT_FOUND"


def test_what_vanishes_while_it_is_listed_is_called_gone(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space.tree, "names", lambda at: ["ghost"])
    assert space.list_paths()["entries"] == [{"path": "ghost", "type": "gone"}]


# nothing outside


def ours(root: Path) -> str:
    """A name that only a server of this folder gives."""
    return staged("0123abcd", root.stat().st_ino)


def left(root: Path) -> list[str]:
    """What a server has left behind of its own."""
    return [name for name in os.listdir(root) if is_staged(name, root.stat().st_ino)]


UNSAFE = [
    "..", "../outside.txt", "src/../../outside.txt", "sandbox:/../outside.txt", "sandbox:/%2e%2e/outside.txt",
    "file:///etc/passwd", "/etc/passwd", "/proc/self/environ", "..\\outside.txt", "C:\\outside.txt", "c:/outside.txt",
    "a\0b", "x" * 300, "x/" * 3000, "\ud800", "out", "outdir/outside.txt", "rel", "up/outside.txt", "loop", "loop/x",
    "a-loop", "pipe", "pipe/x/../../pipe", "socket", "device", "OURS", "OURS/journal", "OURS.",
    "in-staging", "absent-out",
]  # fmt: skip


def trapped(root: Path) -> None:
    """A tree with every kind of trap in it."""
    planted(root.parent, {"outside.txt": "CANARY"})
    links = {
        "out": "/etc/passwd", "outdir": str(root.parent), "rel": "../outside.txt", "up": "src/../..", "loop": "loop",
        "a-loop": "b-loop", "b-loop": "src/../a-loop", "in-staging": f"{ours(root)}/x", "absent-out": "/absent/file",
        "device": "/dev/zero",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as one_end:
        here = os.getcwd()
        os.chdir(root)
        try:
            one_end.bind("socket")
        finally:
            os.chdir(here)


@pytest.mark.parametrize("said", UNSAFE, ids=[str(number) for number in range(len(UNSAFE))])
def test_nothing_outside_is_read_or_written_and_the_refusal_repeats_nothing(root: Path, said: str) -> None:
    trapped(root)
    said = said.replace("OURS", ours(root).upper())
    space, before, canary = Workspace(root), snapshot(root), (root.parent / "outside.txt").read_bytes()
    body = "@@ -1 +1 @@\n-CANARY\n+x\n"
    patches = [f"--- a/{said}\n+++ b/{said}\n{body}", f"*** Begin Patch\n*** Add File: {said}\n+x\n*** End Patch"]
    doings = [
        (space.read_content, (said,)), (space.write_file, (said, "x")), (space.move, ("notes.txt", f"{said}/y")),
        *((space.apply_patch, (patch,)) for patch in patches if not {"\\", "\0"} & set(said)),
    ]  # fmt: skip
    for do, words in doings:
        error = failure(do, *words)
        if do in (space.read_content, space.write_file):
            assert error.code == "UNSAFE_INPUT", (error, said)
        if error.code == "UNSAFE_INPUT":
            assert (error.category, error.retryable, error.likely_fix, error.hint) == ("validation", False, None, None)
            assert len(said) < 4 or said not in str(error)
    assert snapshot(root) == before and (root.parent / "outside.txt").read_bytes() == canary


@pytest.mark.parametrize("said", ["out", "outdir", "outdir/root", "rel", "up", "loop", "..", "/etc/ssh", "in-staging"])
def test_nothing_outside_is_listed(root: Path, said: str) -> None:
    trapped(root)
    assert failure(Workspace(root).list_paths, said).code == "UNSAFE_INPUT"
    entries = Workspace(root).list_paths(depth=20)["entries"]
    assert not any("outside" in entry["path"] for entry in entries)


def test_it_holds_with_guidance_off(root: Path) -> None:
    trapped(root)
    for said in ("../outside.txt", "outdir/outside.txt", "out", "rel"):
        for framework in FRAMEWORKS:
            reply = one(root, "read_content", {"content_url": said}, framework=framework, is_guided=False)
            assert reply.is_error and "CANARY" not in str(reply) and "root:" not in str(reply)


def test_links_that_stay_inside_are_followed_and_keep_being_links(space: Workspace, root: Path) -> None:
    (root / "in").symlink_to("src/../notes.txt")
    (root / "code").symlink_to(f"{root}/src")
    assert space.read_content("in").text == NOTES
    assert space.read_content("code/app.py").text == APP
    assert space.write_file("in", "new\n")["changed"][0]["path"] == "notes.txt"
    assert (root / "in").is_symlink() and (root / "notes.txt").read_text() == "new\n"
    space.apply_patch(diff(APP, APP.replace("g", "h"), "code/app.py"))
    assert "h()" in (root / "src/app.py").read_text()
    assert space.move("in", "moved")["changed"][0]["from"] == "in"
    assert space.delete("moved")["changed"][0]["path"] == "moved"
    assert (root / "notes.txt").exists()


def test_a_link_put_in_the_way_between_check_and_use_is_not_followed(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trapped(root)
    resolved = space.tree.resolved

    def swapped(at: Any, **more: Any) -> Any:
        found = resolved(at, **more)
        if (root / "src").is_dir() and not (root / "src").is_symlink():
            (root / "src").rename(root / "aside")
            (root / "src").symlink_to(root.parent)
        return found

    monkeypatch.setattr(space.tree, "resolved", swapped)
    assert failure(space.write_file, "src/app.py", "x").code == "UNSAFE_INPUT"
    assert failure(space.read_content, "src/outside.txt").code == "UNSAFE_INPUT"
    assert not (root.parent / "app.py").exists() and not left(root)


def test_a_file_that_turns_into_a_link_or_a_pipe_is_not_opened(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trapped(root)
    monkeypatch.setattr(space.tree, "resolved", lambda at, **more: at)
    assert failure(space.read_content, "out").code == "UNSAFE_INPUT"
    plain = iter([True, False])
    real = tree._plain

    def once(info: os.stat_result) -> None:
        if not next(plain):
            real(os.stat(root / "pipe"))

    monkeypatch.setattr(tree, "_plain", once)
    assert failure(space.read_content, "notes.txt").code == "UNSAFE_INPUT"


def test_a_file_that_turns_into_a_pipe_is_not_waited_for(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tree._plain

    def swapping(info: os.stat_result) -> None:
        real(info)
        (root / "notes.txt").unlink()
        os.mkfifo(root / "notes.txt")

    monkeypatch.setattr(tree, "_plain", swapping)
    caught: list[ToolOperationError] = []
    reader = threading.Thread(target=lambda: caught.append(failure(space.read_content, "notes.txt")), daemon=True)
    reader.start()
    reader.join(5)
    assert [error.code for error in caught] == ["UNSAFE_INPUT"]


def test_accents_composed_in_another_way_name_the_same_file(space: Workspace, root: Path) -> None:
    composed, decomposed = "é/ü.txt", "e\u0301/u\u0308.txt"
    planted(root, {decomposed: "there\n"})
    assert space.read_content(composed).text == "there\n"
    assert space.write_file(composed, "new\n")["changed"][0]["action"] == "replaced"
    assert failure(space.read_content, "notes.txt/é").code == "NOT_FOUND"
    assert failure(space.read_content, "é/ä/ü").code == "NOT_FOUND"
    space.apply_patch(
        '--- "a/\\303\\251/\\303\\274.txt"\n+++ "b/\\303\\251/\\303\\274.txt"\n@@ -1 +1 @@\n-new\n+newer\n'
    )
    assert (root / decomposed).read_text() == "newer\n" and len(list(root.iterdir())) == 3


# writing, moving, deleting


def test_a_file_is_written_with_its_folders_and_reported(space: Workspace, root: Path) -> None:
    said = space.write_file("a/b/c.txt", "x\ny\n")
    assert said == {
        "changed": [{"path": "a/b/c.txt", "action": "created", "added": 2, "removed": 0}],
        "dry_run": False, "created_folders": ["a", "a/b"], "warnings": [], "bytes": 4, "lines": 2,
        "diff": ["@@ -0,0 +1,2 @@", "+x", "+y"],
    }  # fmt: skip
    (root / "a/b/c.txt").chmod(0o750)
    said = space.write_file("a/b/c.txt", "x\nz\n")
    assert said["changed"] == [{"path": "a/b/c.txt", "action": "replaced", "added": 1, "removed": 1}]
    assert stat.S_IMODE((root / "a/b/c.txt").stat().st_mode) == 0o750
    assert space.write_file("a/b/c.txt", "x\nz\n")["changed"][0]["action"] == "unchanged"


def test_what_else_changes_about_a_file_is_told(space: Workspace, root: Path) -> None:
    planted(root, {"bom.txt": b"\xef\xbb\xbfa\r\n", "bin": b"\0\1"})
    assert len(space.write_file("bom.txt", "b\n")["warnings"]) == 2
    assert space.write_file("bin", "b\n")["warnings"] == ["The file was not text before"]
    assert failure(space.write_file, "x.txt", "\ud800").code == "INVALID_INPUT"
    assert failure(space.write_file, "notes.txt/x", "x").category == "conflict"
    assert failure(space.write_file, "src", "x").code == "INVALID_INPUT"


def test_a_large_replacement_is_summed_up_in_bounded_time(space: Workspace, root: Path) -> None:
    planted(root, {"big.txt": "".join(f"{n}\n" for n in range(50_000))})
    said = space.write_file("big.txt", "".join(f"{n * 7 % 50_000}\n" for n in range(50_000)))
    assert said["changed"][0]["added"] > 40_000 and len(said["diff"]) <= 41
    lines = [f"{n}\n" for n in range(50_000)]
    planted(root, {"big.txt": "".join(lines)})
    lines[40_000] = "new\n"
    said = space.write_file("big.txt", "".join(lines))
    assert (said["changed"][0]["added"], said["diff"][0]) == (1, "@@ -39998,7 +39998,7 @@")


def test_a_move_replaces_nothing_and_makes_folders(space: Workspace, root: Path) -> None:
    error = failure(space.move, "notes.txt", "src/app.py")
    assert error.category == "conflict" and "Delete it first" in str(error.hint)
    assert space.move("src", "lib/code")["created_folders"] == ["lib"]
    assert (root / "lib/code/app.py").read_text() == APP
    into = failure(space.move, "notes.txt", "lib/code/")
    assert (into.parameter, into.likely_fix) == ("to_path", "lib/code/notes.txt")
    for words in (("lib", "lib/inner"), (".", "x"), ("notes.txt", "notes.txt"), ("notes.txt", "."), ("lib", "lib")):
        assert failure(space.move, *words).category == "conflict"
    assert failure(space.move, "notse.txt", "x").code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("delete", {"path": "/"}),
        ("delete", {"path": "/src"}),
        ("delete", {"path": "/zzz.bin"}),
        ("write_file", {"path": "/", "text": "x"}),
        ("write_file", {"path": "/src", "text": "x"}),
        ("write_file", {"path": "/notes.txt/x", "text": "x"}),
        ("read_content", {"content_url": "/"}),
        ("read_content", {"content_url": "/src"}),
        ("read_content", {"content_url": "scr"}),
        ("read_content", {"content_url": "notse.txt", "offset": 900}),
        ("move", {"from_path": "notse.txt", "to_path": "src/app.py"}),
        ("move", {"from_path": "/", "to_path": "x"}),
        ("move", {"from_path": "src/app.py", "to_path": "/notes.txt"}),
        ("move", {"from_path": "notes.txt", "to_path": "full"}),
        ("move", {"from_path": "src/app.py", "to_path": "src"}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: /notes.txt\n*** End Patch"}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: /src/ap.py\n*** End Patch"}),
    ],
)
def test_no_call_is_put_forward_that_would_fail(root: Path, name: str, arguments: dict[str, Any]) -> None:
    planted(root, {"full/notes.txt": "x"})
    said = one(root, name, arguments)
    assert said.is_error and said.error["hint"], said.text
    assert "corrected_call" not in said.error and "Corrected call" not in said.text


def asked_for(space: Workspace, name: str, words: tuple[Any, ...]) -> ToolOperationError | None:
    try:
        getattr(space, name)(*words)
    except ToolOperationError as error:
        return error
    return None


def named_wrongly(root: Path) -> list[str]:
    """Paths that are nearly, or in another way, what there is in a tree."""
    there = [str(path.relative_to(root)) for path in sorted(root.rglob("*"))]
    slips = [f"{path[:-3]}{path[-2:]}{path[-3:-2]}" for path in there] + [path.upper() for path in there]
    slips += [path[:-1] for path in there] + [path.replace("e", "", 1) for path in there]
    said = ["", ".", *there, *slips, "new.txt", "src/new.txt", "notes.txt/new.txt", "none/new.txt", "zzz"]
    forms = ("{}", "/{}", "sandbox:/{}", "sandbox:{}", "file:/{}", f"{root}/{{}}", f"file://{root}/{{}}", "{}/")
    return [form.format(path) for path in dict.fromkeys(said) for form in forms]


@pytest.mark.no_cover
def test_whatever_is_put_forward_works_when_it_is_sent(root: Path) -> None:
    planted(root, {"C:/app.txt": "x", "http:/page.txt": "x", "a%20b.txt": "x", "full/notes.txt": "x", "lib/x/y.py": ""})
    (root / "empty").mkdir()
    for name, target in {"into": "src", "within": "notes.txt", "dangling": "absent", "outside": "/etc/passwd"}.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipes")
    space, tried = Workspace(root), 0
    for said in named_wrongly(root):
        calls: list[tuple[str, tuple[Any, ...], str]] = [
            ("read_content", (said,), "content_url"), ("read_content", (said, 3), "content_url"),
            ("read_content", (said, 999), "offset"), ("list_paths", (said,), "path"),
            ("write_file", (said, "x", True), "path"), ("delete", (said, True), "path"),
            ("move", (said, "new.txt", True), "from_path"), ("move", (said, "full", True), "from_path"),
            ("move", ("notes.txt", said, True), "to_path"), ("move", ("lib", said, True), "to_path"),
        ]  # fmt: skip
        for name, words, parameter in calls:
            if (error := asked_for(space, name, words)) is None:
                continue
            readings = [one.value for one in getattr(error, "readings", ())]
            for fix in [*readings, *([] if error.likely_fix is None else [error.likely_fix])]:
                at = {"to_path": 1, "offset": 1}.get(error.parameter or parameter, 0)
                again = (*words[:at], fix, *words[at + 1 :])
                assert asked_for(space, name, again) is None, (name, words, again)
                tried += 1
    assert tried > 400


def test_only_files_and_empty_folders_are_deleted(space: Workspace, root: Path) -> None:
    error = failure(space.delete, "src")
    assert error.category == "conflict" and "1 item" in error.message
    space.delete("src/app.py")
    (root / "src").chmod(0o750)
    assert space.delete("src")["changed"] == [{"path": "src", "action": "deleted", "added": 0, "removed": 0}]
    assert failure(space.delete, ".").category == "conflict"
    assert space.delete("notes.txt")["changed"][0]["removed"] == 5


def test_a_dry_run_says_the_same_and_changes_nothing(space: Workspace, root: Path) -> None:
    patch = (
        diff(NOTES, edited(NOTES, random.Random(3)), "notes.txt") + "--- /dev/null\n+++ b/a/n.txt\n@@ -0,0 +1 @@\n+n\n"
    )
    doings: list[tuple[Any, tuple[str, ...]]] = [
        (space.write_file, ("a/b.txt", "x")), (space.apply_patch, (patch,)), (space.delete, ("a/b.txt",)),
        (space.move, ("notes.txt", "n/x")),
    ]  # fmt: skip
    for do, words in doings:
        before = snapshot(root)
        dry = do(*words, dry_run=True)
        assert snapshot(root) == before
        assert do(*words) == {**dry, "dry_run": False}


# patches that apply


def patched(root: Path, before: str | bytes, patch: str, name: str = "x.txt") -> tuple[str, list[str]]:
    planted(root, {name: before})
    said = Workspace(root).apply_patch(patch)
    return (root / name).read_bytes().decode(), said["warnings"]


HEAD = "--- a/x.txt\n+++ b/x.txt\n"


@pytest.mark.parametrize(
    ("patch", "warned"),
    [
        (HEAD + "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", ""),
        ("--- x.txt\t2024-01-01 10:00:00.000 +0000\n+++ x.txt\t2024-01-02\n@@ -2 +2 @@\n-two\n+2\n", ""),
        ("--- x.txt 2024-01-01 10:00:00\n+++ x.txt 2024-01-02 10:00:00\n@@ -2 +2 @@\n-two\n+2\n", ""),
        ("diff -u x.txt.orig x.txt\n--- x.txt.orig\n+++ x.txt\n@@ -2 +2 @@\n-two\n+2\n", "two names"),
        ("diff --git a/x.txt b/x.txt\nindex 1..2 100644\n" + HEAD + "@@ -2 +2 @@ one\n-two\n+2\n", ""),
        ("diff --git x.txt x.txt\n--- x.txt\n+++ x.txt\n@@ -2 +2 @@\n-two\n+2\n", ""),
        ("Index: x.txt\n=====\n" + HEAD + "@@ -2 +2 @@\n-two\n+2\n", ""),
        ("Here it is:\n\n```diff\n" + HEAD + "@@ -2 +2 @@\n-two\n+2\n```\nDone.\n", "ignored"),
        ("From 0123456789\nSubject: x\n---\n x.txt | 2 +-\n" + HEAD + "@@ -2 +2 @@\n-two\n+2\n-- \n2.40\n", "ignored"),
        (HEAD + "@@ -4,3 +4,3 @@\n one\n-two\n+2\n three\n", "applied at line 1"),
        (HEAD + "@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n", "counts its lines wrongly"),
        (HEAD + "@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n\n\n", "counts its lines wrongly"),
        (HEAD + "@@ -1,1 +1,1 @@\n one\n-two\n+2\n three\n", "counts its lines wrongly"),
        (HEAD + "@@ -2 +2 @@\r\n-two\r\n+2\r\n".replace("\r", ""), ""),
        ((HEAD + "@@ -2 +2 @@\n-two\n+2\n").replace("\n", "\r\n"), ""),
        (HEAD + "@@ -1,3 +1,3 @@\n one  \n-two\t\n+2\n three\n", "White space"),
        (HEAD + "@@ -4 +4 @@\n-four\n+four\n\n@@ -2 +2 @@\n-two\n+2", ""),
        ("*** Begin Patch\n*** Update File: x.txt\n@@\n one\n-two\n+2\n*** End Patch\n", ""),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ one\n-two\n+2\n\n*** End Patch\nok", "ignored"),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ on\n-two\n+2\n three\n", "'*** End Patch' is missing"),
        ("*** Update File: x.txt\n@@ one @@\n-two\n+2\n*** End Patch", "'*** Begin Patch' is missing"),
        ("```\n*** Begin Patch\n*** Update File: x.txt\n-two\n+2\n```", "ignored"),
        ("*** Begin Patch\n*** Update File: x.txt\n@@ -2,1 +2,1 @@\n-two\n+2\n*** End Patch", ""),
        (("*** Begin Patch\n*** Update File: x.txt\n@@\n one\n-two\n+2\n*** End Patch\n").replace("\n", "\r\n"), ""),
        (
            "*** Begin Patch\n\n*** Update File: x.txt\n\n@@\n-two\n+2\n@@\n-five\n+five\n*** End of File\n"
            "*** End Patch",
            "",
        ),
    ],
)
def test_a_patch_is_understood_as_tools_and_models_write_it(root: Path, patch: str, warned: str) -> None:
    text, warnings = patched(root, NOTES, patch)
    assert text == NOTES.replace("two", "2")
    assert (warned in str(warnings)) if warned else not warnings, warnings


@pytest.mark.parametrize("patch_ending", ["\n", "\r\n"])
@pytest.mark.parametrize("file_ending", ["\n", "\r\n"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_line_endings_and_the_missing_one_at_the_end_are_kept(
    root: Path, patch_ending: str, file_ending: str, is_closed: bool
) -> None:
    before = NOTES.replace("\n", file_ending)
    before = before if is_closed else before.removesuffix(file_ending)
    patch = HEAD + "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+2b\n@@ -4,2 +5,2 @@\n four\n-five\n+5\n"
    text, _ = patched(root, before, patch.replace("\n", patch_ending))
    after = "one\n2\n2b\nthree\nfour\n5\n".replace("\n", file_ending)
    assert text == (after if is_closed else after.removesuffix(file_ending))


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("a\r\nb\nc\n", "@@ -2,2 +2,3 @@\n b\n+x\n c\n", "a\r\nb\nx\nc\n"),
        ("a\r\nb\nc\n", "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n", "a\r\nb\nx\nc\n"),
        ("a\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n", "a\nb\r\nx\r\nc\r\n"),
        ("a\r\nb\nc\n", "@@ -2,0 +3 @@\n+x\n", "a\r\nb\nx\nc\n"),
        ("a\nb\r\nc\n", "@@ -2,0 +3 @@\n+x\n", "a\nb\r\nx\r\nc\n"),
        ("a\r\nb\n", "@@ -0,0 +1 @@\n+x\n", "x\r\na\r\nb\n"),
        ("a\r\nb\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n-c\n+B\n+C\n+D\n", "a\r\nB\nC\r\nD\r\n"),
        ("a\nb\r\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n", "a\nc\n"),
        ("a\nb\nc\r\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\r\n"),
        ("a\nb\nc\r\n", "@@ -1,3 +1,2 @@\n a\n b\n-c\n", "a\nb\n"),
        ("a\nb\r\nc", "@@ -3,0 +4 @@\n+x\n", "a\nb\r\nc\r\nx\r\n"),
        ("a\nb\r\nc", "@@ -1,3 +1,4 @@\n a\n b\n c\n+x\n", "a\nb\r\nc\r\nx"),
        ("a\r\nb\nc", "@@ -1,3 +1,3 @@\n a\n b\n-c\n+x\n", "a\r\nb\nx"),
        ("a", "@@ -1,0 +2 @@\n+x\n", "a\nx\n"),
    ],
)
def test_new_lines_end_as_their_neighbours_do_and_the_others_as_they_did(
    root: Path, before: str, body: str, after: str
) -> None:
    assert patched(root, before.encode(), HEAD + body)[0] == after


def test_lines_are_inserted_by_number_below_a_header_or_at_the_end(root: Path) -> None:
    assert patched(root, "a\r\nb\r\n", HEAD + "@@ -1,0 +2 @@\n+x\n")[0] == "a\r\nx\r\nb\r\n"
    assert patched(root, "a\nb", HEAD + "@@ -2,0 +3 @@\n+x\n\\ No newline at end of file\n")[0] == "a\nb\nx"
    begin = "*** Begin Patch\n*** Update File: x.txt\n"
    assert patched(root, "a\nb\n", begin + "@@ a\n+x\n*** End Patch")[0] == "a\nx\nb\n"
    assert patched(root, "a\nb\n", begin + "@@\n+x\n*** End Patch")[0] == "a\nb\nx\n"
    stacked = "class A:\n  def f():\n    1\nclass B:\n  def f():\n    1\n"
    patch = begin + "@@ class B:\n@@ def f():\n-    1\n+    2\n*** End Patch"
    assert patched(root, stacked, patch)[0] == stacked[:-2] + "2\n"
    patch = begin + "@@\n-b\n+c\n\\ No newline at end of file\n*** End Patch"
    assert patched(root, "a\nb", patch)[0] == "a\nc"


def test_lines_that_look_like_the_head_of_a_file_are_lines(root: Path) -> None:
    text, warnings = patched(root, "-- a\nb\nc\n", HEAD + "@@ -1 +1 @@\n--- a\n+++ a\n@@ -3 +3 @@\n-c\n+d\n")
    assert text == "++ a\nb\nd\n" and not warnings


def test_blank_lines_may_have_lost_their_space(root: Path) -> None:
    text, warnings = patched(root, "a\n\nb\n", HEAD + "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")
    assert text == "a\n\nc\n" and "Blank lines" in warnings[0]
    assert patched(root, "a\n\nb\n", "*** Begin Patch\n*** Update File: x.txt\n a\n\n-b\n+c\n*** End Patch")[0] == text


def test_files_are_created_deleted_renamed_copied_and_change_their_mode(space: Workspace, root: Path) -> None:
    planted(root, {"old.txt": "a\nb\nc\n", "gone.txt": "x\n", "empty.txt": "", "run.sh": "echo\n", "keep.txt": "k\n"})
    said = space.apply_patch(
        "diff --git a/old.txt b/new name.txt\nsimilarity index 80%\nrename from old.txt\nrename to new name.txt\n"
        "--- a/old.txt\n+++ b/new name.txt\n@@ -2 +2 @@\n-b\n+B\n"
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\nindex e69de29..0000000\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/keep.txt b/copy.txt\nsimilarity index 100%\ncopy from keep.txt\ncopy to copy.txt\n"
        "diff --git a/bin/go b/bin/go\nnew file mode 100755\n--- /dev/null\n+++ b/bin/go\n@@ -0,0 +1 @@\n+go\n"
        "\\ No newline at end of file\n"
        "diff --git a/blank b/blank\nnew file mode 100644\nindex 0000000..e69de29\n"
    )
    assert [(entry["action"], entry["path"]) for entry in said["changed"]] == [
        ("moved", "new name.txt"), ("deleted", "gone.txt"), ("deleted", "empty.txt"), ("updated", "run.sh"),
        ("copied", "copy.txt"), ("created", "bin/go"), ("created", "blank"),
    ]  # fmt: skip
    assert (root / "new name.txt").read_text() == "a\nB\nc\n" and (root / "bin/go").read_bytes() == b"go"
    assert (root / "run.sh").stat().st_mode & 0o111 == 0o111 and (root / "bin/go").stat().st_mode & 0o100
    assert not any((root / name).exists() for name in ("old.txt", "gone.txt", "empty.txt"))
    space.apply_patch("diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n")
    assert (root / "run.sh").stat().st_mode & 0o111 == 0


def test_two_files_change_places_in_one_patch(space: Workspace, root: Path) -> None:
    planted(root, {"a": "A\n", "b": "B\n"})
    space.apply_patch(
        "diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/a\nrename from b\nrename to a\n"
    )
    assert ((root / "a").read_text(), (root / "b").read_text()) == ("B\n", "A\n")


def test_what_is_copied_is_the_file_as_it_was(space: Workspace, root: Path) -> None:
    copy = "diff --git a/notes.txt b/{0}\nsimilarity index 100%\ncopy from notes.txt\ncopy to {0}\n"
    rename = "diff --git a/notes.txt b/n.txt\nrename from notes.txt\nrename to n.txt\n"
    space.apply_patch(diff(NOTES, "other\n", "notes.txt") + copy.format("a.txt") + rename + copy.format("z.txt"))
    assert [(root / name).read_text() for name in ("a.txt", "n.txt", "z.txt")] == [NOTES, "other\n", NOTES]
    assert not (root / "notes.txt").exists()


def test_the_other_form_adds_moves_and_deletes_too(space: Workspace, root: Path) -> None:
    said = space.apply_patch(
        "*** Begin Patch\n*** Add File: b/new.txt\n+a\n+\n+b\n\n*** Update File: notes.txt\n*** Move to: n.txt\n@@\n"
        "-one\n+1\n*** Update File: n.txt\n@@\n-two\n+2\n*** Delete File: src/app.py\n*** End Patch"
    )
    assert [entry["action"] for entry in said["changed"]] == ["created", "moved", "updated", "deleted"]
    assert (root / "b/new.txt").read_text() == "a\n\nb\n" and (root / "n.txt").read_text().startswith("1\n2\n")
    assert not (root / "src/app.py").exists() and not (root / "notes.txt").exists()


def test_a_patch_moves_and_deletes_no_link(space: Workspace, root: Path) -> None:
    (root / "in").symlink_to("notes.txt")
    before = snapshot(root)
    for section in ("*** Delete File: in", "*** Update File: in\n*** Move to: m"):
        assert failure(space.apply_patch, f"*** Begin Patch\n{section}\n*** End Patch").code == "UNSAFE_INPUT"
    assert snapshot(root) == before


def test_a_near_path_is_found_in_a_large_tree(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(root, {f"a{n}/x.txt": "" for n in range(20)} | {"z/deep/module.py": "here\n", ".git/config": ""})
    monkeypatch.setattr(tree, "_MOST_PATHS", 12)
    error = failure(space.read_content, "z/deep/modul.py")
    assert error.readings[0].value == "z/deep/module.py"  # type: ignore[attr-defined]
    monkeypatch.undo()
    assert ".git" in space.tree.paths() and ".git/config" not in space.tree.paths()


def test_a_file_may_become_a_folder(space: Workspace, root: Path) -> None:
    space.apply_patch("*** Begin Patch\n*** Delete File: notes.txt\n*** Add File: notes.txt/a\n+x\n*** End Patch")
    assert (root / "notes.txt/a").read_text() == "x\n"
    patch = "*** Begin Patch\n*** Add File: f\n+x\n*** Add File: f/g\n+x\n*** End Patch"
    assert failure(space.apply_patch, patch).category == "conflict"


def test_encodings_survive_a_patch(space: Workspace, root: Path) -> None:
    for data in ("\ufeffé\r\nb\r\n".encode("utf-16-le"), b"\xef\xbb\xbf\xc3\xa9\r\nb\r\n", b"\xe9\nb\n"):
        planted(root, {"x.txt": data})
        space.apply_patch(HEAD + "@@ -1,2 +1,2 @@\n é\n-b\n+ö\n")
        text = decoded(data)
        assert text and (root / "x.txt").read_bytes() == text.encoded(text.text.replace("b", "ö"))
    assert failure(space.apply_patch, HEAD + "@@ -2 +2 @@\n-ö\n+€\n").code == "INVALID_INPUT"


# patches that do not


BARE = "--- a/notes.txt\n+++ b/notes.txt\n@@\n-two\n+2\n"


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ("", "PATCH_EMPTY"),
        (" \n\n", "PATCH_EMPTY"),
        ("*** Begin Patch\n*** End Patch", "PATCH_EMPTY"),
        ("just words", "PATCH_MALFORMED"),
        (BARE, "PATCH_MALFORMED"),
        (BARE.replace("@@", "@@ def f(): @@"), "PATCH_MALFORMED"),
        (BARE.replace("@@", "@@@ -1 -1 +1 @@@"), "PATCH_MALFORMED"),
        ("@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("@@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,4 @@\n+only new\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n one\ntwo\n+2\n three\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -0,0 +0,0 @@\n\\ No newline\n", "PATCH_MALFORMED"),
        ("*** a.txt\n--- b.txt\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "PATCH_MALFORMED"),
        ("Binary files a/x and b/x differ\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nindex 1..2\n", "PATCH_MALFORMED"),
        ("diff --git what ever b/x b/y\nnew mode 100755\n", "PATCH_MALFORMED"),
        ('diff --git "a/x" odd "b/x"\nnew mode 100755\n', "PATCH_MALFORMED"),
        ("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "PATCH_MALFORMED"),
        ("diff --git a/x b/y\nrename from notes.txt\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ b/\n@@ -0,0 +1 @@\n+x\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ b/new/\n@@ -0,0 +1 @@\n+x\n", "PATCH_MALFORMED"),
        ("--- /dev/null\n+++ b/new/.\n@@ -0,0 +1 @@\n+x\n", "PATCH_MALFORMED"),
        ('--- /dev/null\n+++ "b/new/"\n@@ -0,0 +1 @@\n+x\n', "PATCH_MALFORMED"),
        ("--- a/\n+++ b/\n@@ -1 +1 @@\n-a\n+b\n", "PATCH_MALFORMED"),
        ("--- a/notes.txt/\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "PATCH_MALFORMED"),
        ("diff --git a/notes.txt b/\nrename from notes.txt\nrename to n/\n", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Add File: new/\n+x\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n*** Move to: n/\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\nwords\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: \n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@\n one\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@\nwords\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Add File: n.txt\nwords\n*** End Patch", "PATCH_MALFORMED"),
        ("*** Begin Patch\n*** Update File: notse.txt\n@@\n-two\n+2\n*** End Patch", "FILE_NOT_FOUND"),
        ("*** Begin Patch\n*** Delete File: zzz\n*** End Patch", "FILE_NOT_FOUND"),
        ("--- a/notse.txt\n+++ b/notse.txt\n@@ -2 +2 @@\n-two\n+2\n", "FILE_NOT_FOUND"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -2 +2 @@\n-zwei\n+2\n", "PATCH_DOES_NOT_APPLY"),
        ("--- a/notes.txt\n+++ b/notes.txt\n@@ -99,0 +99 @@\n+2\n", "PATCH_DOES_NOT_APPLY"),
        ("--- a/notes.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "PATCH_DOES_NOT_APPLY"),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@ nowhere\n-two\n+2\n*** End Patch", "PATCH_DOES_NOT_APPLY"),
        (
            "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+2\n*** End of File\n*** End Patch",
            "PATCH_DOES_NOT_APPLY",
        ),
        ("*** Begin Patch\n*** Update File: notes.txt\n@@ nowhere\n+2\n*** End Patch", "PATCH_DOES_NOT_APPLY"),
        (
            "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+2\n@@\n-one\n+1\n*** End Patch",
            "PATCH_DOES_NOT_APPLY",
        ),
    ],
)
def test_a_patch_that_cannot_be_applied_says_why_and_changes_nothing(
    space: Workspace, root: Path, patch: str, code: str
):
    before = snapshot(root)
    error = failure(space.apply_patch, patch)
    assert (error.code, error.category) == (code, "patch"), error
    assert error.hint or error.readings  # type: ignore[attr-defined]
    assert str(error.hint) not in error.message and snapshot(root) == before


def test_a_bare_separator_is_explained_in_the_hint_alone(space: Workspace) -> None:
    error = failure(space.apply_patch, BARE)
    assert error.details == {"line": 3} and "without line ranges" in error.message
    assert "@@ -1,3 +1,4 @@" in str(error.hint) and "*** Begin Patch" in str(error.hint)


def test_drift_is_located_and_shown(root: Path) -> None:
    patch = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,4 +1,4 @@\n two\n drei\n-four\n+4\n five\n six\n"
    said = one(root, "apply_patch", {"patch": patch})
    detail = said.structured["error_detail"]
    assert detail["details"] == {
        "path": "notes.txt", "hunk": 1, "patch_line": 3, "nearest_line": 2, "matching_lines": 3,
        "expected": ["two", "drei", "four", "five", "six"], "found": ["2: two", "3: three", "4: four", "5: five"],
    }  # fmt: skip
    assert 'Line 3 is "three", expected "drei"' in said.text and "Line 6 is past the end" in said.text


DRIFTED = "def f():\n    return 1\n\n\ndef g(x):\n\tif x:\n\t\treturn  22\n    return 2\n"
NONE, SPACED = "no line matches exactly; nearest is line", "nearest is line"
NEXT = "*** Begin Patch\n*** Update File: x.txt\n@@{}\n*** End Patch"


@pytest.mark.parametrize(
    ("body", "where", "shown"),
    [
        ("@@ -8 +8 @@\n-    return 20\n", f"{NONE} 8", '8 is "return 2", expected "return 20"'),
        ("@@ -1 +1 @@\n-  return 2\n", f"{SPACED} 8, which", '8 is "····return·2", expected "··return·2"'),
        ("@@ -1 +1 @@\n-  return 20\n", f"{NONE} 8", '8 is "····return·2", expected "··return·20" (· is a space'),
        ("@@ -1 +1 @@\n-        return 22\n", f"{SPACED} 7, which", '7 is "→→return··22", expected "········re'),
        ("@@ -1 +1 @@\n-\t\treturn 22\n", f"{SPACED} 7, which", '7 is "→→return··22", expected "→→return·22"'),
        ("@@ -1,2 +1 @@\n     if x:\n-        return 22\n", f"{SPACED} 6, which", 'expected "····if·x'),
        ("@@ -1,2 +1 @@\n def g(x):\n-    if x:\n", "line 5, where 1 of 2 lines match, and 1 more but", "Line 6 is"),
        ("@@ -1,2 +1 @@\n def h(y):\n-    if x:\n", f"{SPACED} 5, where 1 of 2 lines match but", "Line 5 is"),
        ("@@ -1,3 +1 @@\n def g(y):\n \tif y:\n-\t\treturn 23\n", f"{NONE} 5", "Line 7 is"),
        ("@@ -3,2 +3,2 @@\n \n-zzzzzzzz\n+y\n", "nothing in it is like the lines", 'Line 4 is "", expected "zzzzzzzz"'),
        ("@@ -90 +90 @@\n-zzzzzzzz\n", "nothing in it is like the lines", ""),
        ("@@ -90 +90 @@\n-   return  2\n", f"{SPACED} 8, which", 'Line 8 is "····return·2", expected "···return··2"'),
        ("@@ -90,0 +90 @@\n+z\n", "line 91 is meant, and the file has 8 lines", ""),
    ],
)  # fmt: skip
def test_drift_is_located_where_no_line_is_the_same(root: Path, body: str, where: str, shown: str) -> None:
    planted(root, {"x.txt": DRIFTED})
    before = snapshot(root)
    said = one(root, "apply_patch", {"patch": HEAD + body})
    assert said.error["code"] == "PATCH_DOES_NOT_APPLY" and snapshot(root) == before
    assert where in said.text and shown in said.text, said.text
    assert ("Line " in said.text) is bool(shown)
    is_spaced = "which" in where or "and 1 more" in where
    assert ("with the white space that the file has" in said.text) is is_spaced


@pytest.mark.parametrize(
    ("body", "where", "shown"),
    [
        ("\n-    return 20\n+x", f"{NONE} 8", 'Line 8 is "return 2", expected "return 20"'),
        ("\n-zzzzzzzz\n+x", "nothing in it is like the lines", ""),
        (" def gg(x):\n-    return 1\n+x", 'no line below the hunk before is "def gg(x):"', 'Line 5 is "def g(x):"'),
        (" zzzz\n-    return 1\n+x", 'no line below the hunk before is "zzzz"', ""),
        ("\n-def f():\n+x\n*** End of File", "its lines stand at line 1, which is not the end of the file", ""),
        ("\n-def g(x):\n+x\n@@\n-def f():\n+y", "its lines stand at line 1, out of order", ""),
    ],
)
def test_drift_is_located_in_the_other_form_too(root: Path, body: str, where: str, shown: str) -> None:
    planted(root, {"x.txt": DRIFTED})
    said = one(root, "apply_patch", {"patch": NEXT.format(body)})
    assert said.error["code"] == "PATCH_DOES_NOT_APPLY"
    assert where in said.text and shown in said.text and ("Line " in said.text) is bool(shown), said.text


def test_an_empty_file_is_like_nothing(space: Workspace, root: Path) -> None:
    planted(root, {"x.txt": ""})
    error = failure(space.apply_patch, HEAD + "@@ -1 +1 @@\n-a\n+b\n")
    assert error.hints == ('Line 1 is past the end, expected "a"',)


def test_of_places_that_are_equally_near_the_one_that_was_meant_is_shown() -> None:
    lines = ["    return 1\n", "pass\n"] * 500
    for meant in (0, 402, 998):
        for wanted in (["  return 1\n"], ["    return 12\n"]):
            assert nearness.nearest(lines, wanted, meant).at == meant


@given(st.lists(LINE, max_size=8), st.lists(LINE, min_size=1, max_size=4), st.integers(0, 9))
def test_the_nearest_place_is_one_of_the_file(lines: list[str], old: list[str], expected: int) -> None:
    near = nearness.nearest(lines, old, expected)
    assert 0 <= near.at <= len(lines) and 0 <= near.same + near.spaced <= len(old)


@pytest.mark.no_cover
def test_drift_in_huge_files_is_told_of_in_bounded_time(space: Workspace, root: Path) -> None:
    same, wide = "    same line here\n", "x" * 190
    cases = [
        ("".join(f"value_{n} = f({n})\n" for n in range(150_000)), "-value_99999 = f(9)\n"),
        (same * 150_000, "-    same lime here\n" * 5_000),
        (f"{wide}y\n" * 20_000, f"-{wide}z\n" * 5_000),
        ("x" * 5_000_000, f"-{'x' * 1_000_000}\n"),
    ]
    for text, body in cases:
        planted(root, {"x.txt": text})
        began = time.process_time()
        error = failure(space.apply_patch, f"{HEAD}@@ -1 +1 @@\n{body}+x\n")
        assert time.process_time() - began < 8 and "nearest is line" in error.message and error.hints


def test_long_lines_show_where_they_differ(space: Workspace, root: Path) -> None:
    planted(root, {"x.txt": "y" * 500 + "one\n"})
    error = failure(space.apply_patch, HEAD + "@@ -1 +1 @@\n-" + "y" * 500 + "two\n+b\n")
    assert 'one", expected' in error.hints[0] and 'two"' in error.hints[0] and len(error.hints[0]) < 260


def test_long_lines_are_cut_where_drift_is_shown(space: Workspace, root: Path) -> None:
    planted(root, {"x.txt": "a\n" + "y" * 500 + "\n"})
    error = failure(space.apply_patch, HEAD + "@@ -1,2 +1,2 @@\n-a\n+b\n " + "z" * 500 + "\n")
    assert all(len(hint) < 260 for hint in error.hints) and error.hints


def test_several_equal_places_are_named_and_none_is_guessed(space: Workspace, root: Path) -> None:
    before = snapshot(root)
    patches = [
        "--- a/src/app.py\n+++ b/src/app.py\n@@ -20 +20 @@\n-    return 1\n+    return 2\n",
        "*** Begin Patch\n*** Update File: src/app.py\n@@\n-    return 1\n+    return 2\n*** End Patch",
        "*** Begin Patch\n*** Update File: src/app.py\n@@ def\n-    return 1\n+    return 2\n*** End Patch",
    ]
    for patch in patches:
        error = failure(space.apply_patch, patch)
        assert error.code == "PATCH_DOES_NOT_APPLY" and error.details["candidates"] == [2, 6]
    insertion = "*** Begin Patch\n*** Update File: src/app.py\n@@ return 1\n+x\n*** End Patch"
    assert failure(space.apply_patch, insertion).details["candidates"] == [3, 7]
    assert snapshot(root) == before
    planted(root, {"x.txt": "a\n" * 50})
    assert len(failure(space.apply_patch, HEAD + "@@ -90 +90 @@\n-a\n+b\n").details["candidates"]) == 6
    twice = "@@ -1 +1 @@\n-a\n+b\n"
    assert "candidates" in failure(space.apply_patch, HEAD + twice + twice).details


def test_a_patch_that_is_there_already_is_recognised(space: Workspace, root: Path) -> None:
    patch = diff(NOTES, "zero\n" + NOTES.replace("four\n", "4\n4b\n"), "notes.txt", context=1)
    space.apply_patch(patch)
    assert failure(space.apply_patch, patch).details["already_applied"] is True
    planted(root, {"same.txt": "x\n" * 30})
    patch = diff("x\n" * 30, "y\ny\n" + "x\n" * 25 + "z\n" + "x\n" * 5, "same.txt", context=1)
    space.apply_patch(patch)
    assert failure(space.apply_patch, patch).details["already_applied"] is True
    new = "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+n\n"
    space.apply_patch(new)
    assert failure(space.apply_patch, new).details["already_applied"] is True
    error = failure(space.apply_patch, new.replace("+n", "+m"))
    assert (error.code, error.category) == ("CONFLICT", "conflict")
    freeform = "*** Begin Patch\n*** Update File: src/app.py\n@@ def g():\n-    return 1\n+    return 3\n*** End Patch"
    space.apply_patch(freeform)
    assert (
        failure(space.apply_patch, freeform.replace("    return 1", "    return 9")).details["already_applied"] is True
    )
    gone = "*** Begin Patch\n*** Update File: notes.txt\n@@\n-nothing of it\n*** End Patch"
    assert "already_applied" not in failure(space.apply_patch, gone).details


def test_a_rename_onto_another_file_and_a_patch_of_no_text_are_refused(space: Workspace, root: Path) -> None:
    planted(root, {"bin": b"\0"})
    rename = "diff --git a/notes.txt b/bin\nrename from notes.txt\nrename to bin\n"
    assert failure(space.apply_patch, rename).category == "conflict"
    assert failure(space.apply_patch, "--- a/bin\n+++ b/bin\n@@ -1 +1 @@\n-a\n+b\n").code == "PATCH_DOES_NOT_APPLY"
    assert failure(space.apply_patch, "--- a/src\n+++ b/src\n@@ -1 +1 @@\n-a\n+b\n").code == "INVALID_INPUT"


def test_a_near_file_is_suggested_for_one_that_a_patch_misnames(root: Path) -> None:
    said = one(root, "apply_patch", {"patch": diff(NOTES, "", "notse.txt")})
    assert said.structured["error_detail"]["suggestions"]["did_you_mean"] == "notes.txt"
    assert "notes.txt" in said.structured["error_detail"]["hint"]


def test_huge_patches_take_bounded_time(space: Workspace, root: Path) -> None:
    count = 20_000
    planted(root, {"x.txt": "".join(f"{n}\n" for n in range(count * 3))})
    hunks = "".join(f"@@ -{n * 3 + 1} +{n * 3 + 1} @@\n-{n * 3}\n+new {n}\n" for n in range(count))
    assert space.apply_patch(HEAD + hunks)["changed"][0]["added"] == count
    planted(root, {"x.txt": "".join(f"{n}\n" for n in range(count * 3))})
    said = space.apply_patch(HEAD + "".join(f"@@ -1 +1 @@\n-{n * 3}\n+new {n}\n" for n in range(count)))
    assert said["changed"][0]["added"] == count and len(said["warnings"]) == 21


def test_a_search_without_end_is_given_up(space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fingerpost.servers.workspace import applying

    monkeypatch.setattr(applying, "_MOST_STEPS", 40)
    planted(root, {"x.txt": "a\nb\n" * 50})
    error = failure(space.apply_patch, HEAD + "@@ -1,3 +1,2 @@\n a\n-a\n a\n")
    assert "too much" in error.message
    begin = "*** Begin Patch\n*** Update File: x.txt\n@@ a\n@@ b\n a\n-c\n*** End Patch"
    assert "too much" in failure(space.apply_patch, begin).message


def test_a_patch_of_many_files_tells_of_the_first(space: Workspace, root: Path) -> None:
    said = space.apply_patch("".join(f"--- /dev/null\n+++ b/f{n}\n@@ -0,0 +1 @@\n+x\n" for n in range(250)))
    assert (len(said["changed"]), said["total_changed"]) == (200, 250) and (root / "f249").exists()


# laws

TEXT = st.builds(
    lambda lines, end: "".join(f"{one}\n" for one in lines) + end, st.lists(LINE, max_size=12), LINE | st.just("")
)


@given(TEXT, TEXT, st.integers(1, 4))
def test_a_diff_makes_one_text_of_the_other_and_back(old: str, new: str, context: int) -> None:
    for before, after in ((old, new), (new, old)):
        if before != after:
            (file,) = parsed(diff(before, after, context=context)).files
            assert "".join(applied(lines_of(before), file.hunks, "x").lines) == after


@given(TEXT, TEXT, st.integers(0, 9))
def test_a_diff_applies_where_its_surroundings_have_moved(old: str, new: str, shift: int) -> None:
    above, below = "".join(f"above {n}\n" for n in range(9)), "".join(f"below {n}\n" for n in range(9))
    before, after = f"{above}{old}\n{below}", f"{above}{new}\n{below}"
    if before != after:
        (file,) = parsed(diff(before, after, context=30)).files
        moved = "".join(f"far {n}\n" for n in range(shift))
        done = applied(lines_of(moved + before), file.hunks, "x")
        assert "".join(done.lines) == moved + after and bool(done.warnings) == bool(shift)


PIECES = st.sampled_from(
    ["--- a/notes.txt", "+++ b/notes.txt", "@@ -1,2 +1,2 @@", "@@", " one", "-two", "+2", "", "*** Begin Patch",
     "*** Update File: notes.txt", "*** Add File: n", "*** Delete File: src/app.py", "*** Move to: m", "*** End Patch",
     "*** End of File", "diff --git a/notes.txt b/n", "rename from notes.txt", "rename to n", "new file mode 100755",
     "deleted file mode 100644", "--- /dev/null", "+++ /dev/null", "\\ No newline at end of file", "```", "words", "\r"]
)  # fmt: skip


@given(st.lists(PIECES | LINE, max_size=14).map("\n".join) | st.text(max_size=40))
def test_any_text_is_a_patch_or_an_error_and_a_dry_run_changes_nothing(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = planted(Path(folder), {"notes.txt": NOTES, "src/app.py": APP})
        before = snapshot(root)
        try:
            Workspace(root).apply_patch(text, dry_run=True)
        except ToolOperationError as error:
            assert error.code
        assert snapshot(root) == before


# all or nothing

CHANGES = (
    diff(NOTES, NOTES.replace("two", "2"), "notes.txt")
    + "diff --git a/src/app.py b/lib/new/app.py\nrename from src/app.py\nrename to lib/new/app.py\n"
    + "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
    + "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+run\n"
)


def doings(space: Workspace) -> list[Any]:
    return [
        lambda: space.apply_patch(CHANGES),
        lambda: space.move("src", "a/b/src"),
        lambda: space.delete("empty"),
        lambda: space.write_file("notes.txt", "new\n"),
    ]


@pytest.fixture
def stocked(root: Path) -> Path:
    planted(root, {"gone.txt": "gone\n"})
    (root / "empty").mkdir(mode=0o750)
    (root / "notes.txt").chmod(0o640)
    return root


def outcomes(root: Path, scratch: Path, which: int) -> tuple[Any, Any]:
    """The tree before a change and after it."""
    import shutil

    shutil.copytree(root, scratch, symlinks=True)
    before = snapshot(scratch)
    doings(Workspace(scratch))[which]()
    return before, snapshot(scratch)


def steps_of(do: Any, monkeypatch: pytest.MonkeyPatch, faults: Faults) -> int:
    monkeypatch.setattr(journal, "os", faults)
    monkeypatch.setattr(tree, "os", faults)
    try:
        do()
    except ToolOperationError:
        pass
    finally:
        monkeypatch.undo()
    return faults.count


def broken_off(root: Path, which: int, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """Change a tree, and be killed at some moment of it."""
    steps_of(doings(Workspace(root))[which], monkeypatch, Faults(moment, killed))


def moments(count: int, thorough: bool, seed: int) -> list[int]:
    every = range(1, count + 2)
    return list(every) if thorough else sorted(random.Random(seed).sample(every, min(10, len(every))))


@pytest.fixture
def thorough() -> bool:
    """Whether every moment is tried, rather than some of them."""
    return os.environ.get("HYPOTHESIS_PROFILE") == "soak"


def again(stocked: Path, before: dict[str, Any], scratch: Path) -> Path:
    """The tree as it was, in a folder of its own."""
    import shutil

    shutil.copytree(stocked, scratch, symlinks=True)
    assert snapshot(scratch) == before
    return scratch


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("kind", ["once", "for good", "killed"])
def test_a_failure_at_any_moment_leaves_all_or_nothing(
    stocked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int, kind: str, thorough: bool
) -> None:
    before, after = outcomes(stocked, tmp_path / "model", which)
    counted = Workspace(again(stocked, before, tmp_path / "counted"))
    count = steps_of(doings(counted)[which], monkeypatch, Faults(0, killed))
    seen = set[bool]()
    for moment in moments(count, thorough or kind == "once", which):
        root = again(stocked, before, tmp_path / f"at-{moment}")
        if kind == "killed":
            in_a_child(lambda: broken_off(root, which, monkeypatch, moment))  # noqa: B023
        else:
            space = Workspace(root)
            number = (errno.EIO, errno.EACCES, errno.ENOSPC)[moment % 3]
            faults = Faults(moment, failing(number), for_good=kind == "for good")
            steps_of(doings(space)[which], monkeypatch, faults)
        Workspace(root)
        now = snapshot(root)
        assert now in (before, after), f"moment {moment}"
        seen.add(now == after)
    assert seen == {True, False} or not (thorough or kind == "once")


@pytest.mark.parametrize("which", range(4))
def test_undoing_may_be_broken_off_and_begun_again(
    stocked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int, thorough: bool
) -> None:
    before, after = outcomes(stocked, tmp_path / "model", which)
    probe = Workspace(again(stocked, before, tmp_path / "counted"))
    count = steps_of(doings(probe)[which], monkeypatch, Faults(0, killed))
    for moment in moments(count, thorough, which)[0 if thorough else -6 :]:
        root = again(stocked, before, tmp_path / f"at-{moment}")
        in_a_child(lambda: broken_off(root, which, monkeypatch, moment))  # noqa: B023
        for second in range(1, 30, 1 if thorough else 7):
            breaking = Faults(second, killed)
            in_a_child(lambda: steps_of(lambda: Workspace(root), monkeypatch, breaking))  # noqa: B023
        Workspace(root)
        assert snapshot(root) in (before, after)


def test_what_was_undone_already_is_not_undone_twice(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, faults = snapshot(root), Faults(0, killed)
    vars(faults)["unlink"] = lambda *args, **kwargs: failing(errno.EIO)()
    with monkeypatch.context() as patch:
        patch.setattr(journal, "os", faults)
        assert failure(space.write_file, "notes.txt", "new\n").category == "internal"
    assert (root / left(root)[0] / "journal").exists()
    assert space.read_content("notes.txt").text == NOTES and snapshot(root) == before


def test_an_empty_folder_comes_back_with_its_mode_even_at_the_second_attempt(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "empty").mkdir(mode=0o750)
    before, faults = snapshot(root), Faults(0, killed)
    vars(faults)["fchmod"] = lambda fd, mode: failing(errno.EIO)() if mode == 0o750 else os.fchmod(fd, mode)
    with monkeypatch.context() as patch:
        patch.setattr(space.journal, "_sync", lambda steps: failing(errno.EIO)())
        patch.setattr(journal, "os", faults)
        assert failure(space.delete, "empty").category == "internal"
    Workspace(root)
    assert snapshot(root) == before


def test_what_someone_else_puts_there_meanwhile_is_not_undone(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*args: Any) -> None:
        planted(root, {"a.txt": "someone else's"})
        failing(errno.EIO)()

    monkeypatch.setattr(space.journal, "_do", late)
    assert failure(space.write_file, "a.txt", "x").category == "internal"
    assert (root / "a.txt").read_text() == "someone else's" and not left(root)


def test_a_full_disk_and_a_forbidden_place_are_told_apart(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {28: "NO_SPACE", 13: None, 30: None, 5: None}
    categories = {28: "internal", 13: "permission", 30: "permission", 5: "internal"}
    before = snapshot(root)
    for number, code in expected.items():
        with monkeypatch.context() as patch:
            patch.setattr(journal, "os", Faults(3, failing(number)))
            error = failure(space.write_file, "a.txt", "x")
        assert (error.code, error.category) == (code, categories[number])
        assert str(root) not in str(error) and snapshot(root) == before


def test_without_hard_links_copies_are_laid_aside(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(root)

    def link(*args: Any, **kwargs: Any) -> None:
        raise PermissionError(1, "no hard links here")

    faults = Faults(0, killed)
    vars(faults)["link"] = link
    monkeypatch.setattr(journal, "os", faults)
    real = space.journal._sync
    monkeypatch.setattr(space.journal, "_sync", lambda steps: failing(5)())
    assert failure(space.write_file, "notes.txt", "new\n").category == "internal"
    assert snapshot(root) == before
    monkeypatch.setattr(space.journal, "_sync", real)
    space.write_file("notes.txt", "new\n")
    assert (root / "notes.txt").read_text() == "new\n"


def test_a_file_that_someone_else_changes_meanwhile_is_not_overwritten(
    space: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = tools.planned

    def late(*args: Any) -> Any:
        plan = planned(*args)
        (root / "notes.txt").write_text("someone else's, and longer than before\n")
        return plan

    monkeypatch.setattr(tools, "planned", late)
    error = failure(space.apply_patch, diff(NOTES, "x\n", "notes.txt"))
    assert (error.category, error.retryable) == ("conflict", True)
    assert (root / "notes.txt").read_text().startswith("someone") and not left(root)


def test_what_vanishes_meanwhile_is_a_conflict(space: Workspace, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    real = space.journal.commit

    def late(steps: Any) -> None:
        (root / "notes.txt").unlink()
        real(steps)

    monkeypatch.setattr(space.journal, "commit", late)
    assert failure(space.move, "notes.txt", "n.txt").category == "conflict"
    assert not left(root)


def test_two_servers_take_turns_and_the_second_is_told(root: Path) -> None:
    first, second = Workspace(root), Workspace(root)
    second.journal._patience = 0.1
    with first.journal.turn():
        error = failure(second.write_file, "a.txt", "x")
        assert (error.category, error.retryable) == ("conflict", True)
    assert second.write_file("a.txt", "x")["changed"]
    second.journal._patience = 5
    with first.journal.turn():
        waiting = threading.Thread(target=lambda: second.write_file("b.txt", "x"))
        waiting.start()
        time.sleep(0.05)
        assert not (root / "b.txt").exists()
    waiting.join(5)
    assert (root / "b.txt").exists()


def test_calls_of_one_server_take_turns_too(space: Workspace) -> None:
    space.journal._patience = 0.05
    with space.journal.turn():
        caught: list[ToolOperationError] = []
        other = threading.Thread(target=lambda: caught.append(failure(space.read_content, "notes.txt")))
        other.start()
        other.join(5)
    assert caught[0].category == "conflict"


@pytest.mark.parametrize(
    "held", [b"{}", b"[]", b"no JSON", b'{"stage": 1, "steps": [{"do": "drop", "at": ["notes.txt"]}]}']
)
def test_a_damaged_journal_is_left_alone_and_named(root: Path, held: bytes) -> None:
    planted(root, {f"{ours(root)}/journal": held})
    before = snapshot(root)
    error = failure(Workspace(root).read_content, "notes.txt")
    assert (error.code, error.retryable) == ("CONFLICT", False) and "move that folder away" in str(error.hint)
    assert f"{ours(root)}/journal in the workspace is damaged" in error.message and snapshot(root) == before


def test_a_journal_that_is_a_folder_is_damaged(root: Path) -> None:
    planted(root, {f"{ours(root)}/journal/mine.txt": "mine"})
    assert "damaged" in failure(Workspace(root).read_content, "notes.txt").message


def test_what_is_left_over_without_a_journal_is_cleared_away(root: Path) -> None:
    before = snapshot(root)
    planted(root, {f"{ours(root)}/{name}": "x" for name in ("new-0", "old-12", "draft")})
    (root / ours(root) / "old-1").symlink_to("/etc/passwd")
    planted(root, {f"{staged('second', root.stat().st_ino)}/new-0": "x"})
    Workspace(root)
    assert snapshot(root) == before


def test_what_others_put_into_our_folder_is_kept_and_blocks_nothing(root: Path) -> None:
    mine = {"mine.txt": "mine", "new-0.bak": "mine", "old-1/mine.txt": "mine"}
    planted(root, {f"{ours(root)}/{name}": held for name, held in (mine | {"new-0": "x"}).items()})
    works(Workspace(root))
    assert not (root / ours(root) / "new-0").exists()
    assert {name: (root / ours(root) / name).read_text() for name in mine} == mine


def works(space: Workspace) -> None:
    """Every kind of change is made."""
    space.write_file("w.txt", "one\n")
    space.apply_patch(diff("one\n", "two\n", "w.txt"))
    space.move("w.txt", "deep/w.txt")
    assert space.read_content("deep/w.txt").text == "two\n"
    space.delete("deep/w.txt")
    space.delete("deep")


@pytest.mark.parametrize("name", [STAGING, STAGING.upper(), f"{STAGING}-1", f"{STAGING}-0123abcd-0123456789abcdef"])
@pytest.mark.parametrize(
    "kind", ["file", "link", "dangling", "pipe", "empty", "files", "journal", "subfolder", "copied", "forbidden"]
)
def test_what_has_a_name_like_ours_is_not_touched_and_blocks_nothing(root: Path, name: str, kind: str) -> None:
    planted(root.parent, {"elsewhere/new-0": "mine"})
    match kind:
        case "file":
            planted(root, {name: "mine"})
        case "link":
            (root / name).symlink_to(root.parent / "elsewhere")
        case "dangling":
            (root / name).symlink_to("nowhere")
        case "pipe":
            os.mkfifo(root / name)
        case "empty" | "forbidden":
            (root / name).mkdir(mode=0o700 if kind == "empty" else 0)
        case "files":
            planted(root, {f"{name}/{one}": "mine" for one in ("mine.txt", "new-0", "old-0", "draft")})
        case "journal":
            steps = '[{"do": "drop", "at": ["notes.txt"]}]'
            planted(root, {f"{name}/journal": f'{{"stage": 1, "steps": {steps}}}', f"{name}/old-0": "mine"})
        case "subfolder":
            planted(root, {f"{name}/new-0/mine.txt": "mine"})
        case _:
            planted(root, {f"{staged('0123abcd', root.parent.stat().st_ino)}/new-0": "from another workspace"})
    before, elsewhere = snapshot(root), snapshot(root.parent / "elsewhere")
    works(Workspace(root))
    assert snapshot(root) == before and snapshot(root.parent / "elsewhere") == elsewhere
    (root / name).chmod(0o700) if kind == "forbidden" else None


def test_what_only_looks_like_ours_is_shown_and_used_as_any_other(space: Workspace, root: Path) -> None:
    planted(root, {f"{STAGING}/mine.txt": "mine"})
    assert space.read_content(f"{STAGING}/mine.txt").text == "mine"
    assert STAGING in [entry["path"] for entry in space.list_paths()["entries"]]
    (root / ours(root)).write_text("no folder")
    assert space.list_paths()["total"] == 3 and (root / ours(root)).exists()


@pytest.fixture(autouse=True)
def _no_descriptors_left() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    yield
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert after <= before + 40
