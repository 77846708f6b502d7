"""The workspace server through clients: frameworks, transports, labels, envelopes."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import fingerpost
from fingerpost.servers.workspace import tools
from tests.servers.test_tool_server import serve_over_http
from tests.support.adopted_servers import ERAS, called
from tests.support.server_workspace_lab import (
    FRAMEWORKS,
    NOTES,
    call_tool,
    call_tools,
    diff,
    left_over,
    snapshot,
    write_files,
)
from tests.support.transcripts import matches_transcript, read_transcripts

README = Path(tools.__file__).parent / "README.md"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_tool_works_on_both_frameworks_in_both_protocol_eras(root: Path, framework: str, era: str) -> None:
    replies, _, _ = call_tools(
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
    assert not any(reply.is_error for reply in replies), [reply.text for reply in replies]
    assert replies[0].text == NOTES
    assert [entry["path"] for entry in replies[1].structured["entries"]] == ["notes.txt", "src"]
    assert replies[2].structured["changed"] == [{"path": "new.txt", "action": "created", "added": 1, "removed": 0}]
    assert replies[4].structured["created_folders"] == ["old"]
    assert (root / "notes.txt").read_text() == "one\n2\nthree\nfour\nfive\n"
    assert not (root / "old/new.txt").exists()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_errors_come_in_the_envelope_with_the_hint_apart_from_the_message(root: Path, framework: str, era: str) -> None:
    patch = "--- a/notes.txt\n+++ b/notes.txt\n@@\n-two\n+2\n"
    reply = call_tool(root, "apply_patch", {"patch": patch}, framework=framework, era=era)
    envelope = reply.structured
    assert (envelope["status"], envelope["ok"]) == ("error", False)
    detail = envelope["error_detail"]
    assert (detail["category"], detail["code"]) == ("patch", "PATCH_MALFORMED")
    assert "@@ -1,3 +1,4 @@" in detail["hint"] and "*** Begin Patch" in detail["hint"]
    assert detail["hint"] not in envelope["error"] and reply.text.count("@@ -1,3 +1,4 @@") == 1


def test_a_missing_file_gets_the_sandbox_hint_and_a_corrected_call_that_works(root: Path) -> None:
    reply = call_tool(root, "read_content", {"content_url": "sandbox:/notse.txt"})
    detail = reply.structured["error_detail"]
    assert (detail["code"], detail["category"]) == ("NOT_FOUND", "not_found")
    assert "sandbox:/" in detail["hint"] and detail["hint"] not in detail["message"]
    call = detail["corrected_call"]
    assert call_tool(root, call["name"], call["arguments"]).text == NOTES


def test_tools_are_labelled_by_effect_and_a_dry_run_does_not_change_the_label(root: Path) -> None:
    dry = ("write_file", {"path": "a.txt", "text": "x", "dry_run": True})
    _, before, after_dry = call_tools(root, dry)
    _, _, after = call_tools(root, ("write_file", {"path": "a.txt", "text": "x"}), dry)
    for listed in (before, after_dry, after):
        hints = {name: tool.annotations.read_only_hint for name, tool in listed.items() if name != "info"}
        reads = ("read_content", "list_paths")
        assert hints == {name: name in reads for name in (*reads, "write_file", "apply_patch", "move", "delete")}
        assert listed["apply_patch"].annotations.open_world_hint is True


@pytest.mark.parametrize("slip", ["dry_rum", "dry", "dryRunn", "simulate"])
def test_a_misspelled_dry_run_never_writes(root: Path, slip: str) -> None:
    before = snapshot(root)
    replies, _, _ = call_tools(
        root,
        ("write_file", {"path": "notes.txt", "text": "gone", slip: True}),
        ("delete", {"path": "notes.txt", slip: True}),
        ("move", {"from_path": "notes.txt", "to_path": "x.txt", slip: True}),
        ("apply_patch", {"patch": diff(NOTES, "", "notes.txt"), slip: True}),
    )
    assert all(reply.is_error and reply.error["code"] == "UNKNOWN_PARAM" for reply in replies)
    assert snapshot(root) == before


def test_another_case_of_dry_run_is_repaired_and_writes_nothing(root: Path) -> None:
    before = snapshot(root)
    reply = call_tool(root, "write_file", {"path": "notes.txt", "text": "gone", "dryRun": "true"})
    assert reply.structured["dry_run"] is True and snapshot(root) == before


def test_wrong_calls_to_reading_tools_are_repaired(root: Path) -> None:
    assert call_tool(root, "read_content", {"contentUrl": "notes.txt"}).text.startswith(NOTES)


def test_schemas_have_descriptions_ranges_defaults_and_examples(root: Path) -> None:
    listed = call_tools(root)[1]
    for tool in listed.values():
        assert tool.description
        if tool.name != "info":
            assert all("description" in schema for schema in tool.input_schema["properties"].values())
    limit = listed["read_content"].input_schema["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 5000, 2000)
    assert listed["apply_patch"].input_schema["properties"]["dry_run"]["default"] is False


def call_over_stdio(words: list[str], calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    async def main() -> list[Any]:
        source = {"PYTHONPATH": str(Path(fingerpost.__file__).parents[1])}
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "fingerpost", *words], env=source)
        async with Client(stdio_client(parameters)) as client:
            return [await called(client, name, arguments) for name, arguments in calls]

    return asyncio.run(asyncio.wait_for(main(), 60))


def test_it_runs_as_a_process_and_without_guidance_behind_the_proxy(root: Path) -> None:
    serve = ["serve", "workspace", str(root)]
    bare = ["proxy", "--", sys.executable, "-m", "fingerpost", *serve, "--guidance", "off"]
    calls = [
        ("read_content", {"content_url": "sandbox:/notes.txt"}),
        ("list_paths", {"path": "src"}),
        ("write_file", {"path": "new.txt", "text": "hi\n"}),
        ("apply_patch", {"patch": diff("hi\n", "ho\n", "new.txt")}),
        ("move", {"from_path": "new.txt", "to_path": "newer.txt"}),
        ("delete", {"path": "newer.txt"}),
        ("delete", {"path": "notes.txt", "dry_runn": True}),
        ("read_content", {"content_url": "sandbox:/../outside.txt"}),
    ]
    before = snapshot(root)
    write_files(root.parent, {"outside.txt": "CANARY"})
    for words in (serve, bare):
        replies = call_over_stdio(words, calls)
        assert [reply.is_error for reply in replies] == [False] * 6 + [True] * 2, [reply.text for reply in replies]
        assert replies[0].text == NOTES and "UNKNOWN_PARAM" in str(replies[6].guidance)
        assert "CANARY" not in str(replies) and snapshot(root) == before


def test_it_runs_over_http(root: Path) -> None:
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
        process.wait(60)
        process.communicate()
    assert page.text.startswith("one\ntwo\n") and "offset: 2, limit: 2" in page.text
    assert patched.structured["changed"][0]["action"] == "updated" and not left_over(root)
    assert near.error["corrected_call"]["arguments"] == {"content_url": "sandbox:/notes.txt"}
    assert outside.error["code"] == "UNSAFE_INPUT"
    assert (root / "notes.txt").read_text() == NOTES.replace("two", "2")


def test_the_transcript_of_the_readme_is_what_happens(root: Path) -> None:
    conversation = list(read_transcripts(README))
    assert len(conversation) >= 6
    replies, _, _ = call_tools(root, *((name, arguments) for name, arguments, _ in conversation))
    for (name, arguments, expected), reply in zip(conversation, replies, strict=True):
        assert matches_transcript(reply.text, expected), f"{name}({arguments})\n{reply.text}"
