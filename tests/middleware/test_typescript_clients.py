"""The TypeScript clients, v1 and v2, against servers of both frameworks and the proxy: guidance reaches their users."""

# pyright: basic
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost import KEY
from tests.middleware.test_page_corpus import http_server
from tests.support.adopted_servers import FRAMEWORKS
from tests.support.paths import SUPPORT
from tests.support.published import ALPHA, NODE, World, listening, proxied, server_command

CALLS: list[dict[str, Any]] = [
    {"name": "search", "arguments": {"pattern": "x", "max": 5}},
    {"name": "serach", "arguments": {"pattern": "x"}},
    {"name": "search", "arguments": {"patern": "x", "max": "1"}},
    {"name": "search", "arguments": {}},
    {"name": "weigh", "arguments": {"value": 2.5, "unit": "kilgoram"}},
    {"name": "apply_patch", "arguments": {"patch": "@@"}},
    {"name": "crash", "arguments": {}},
    {"name": "info", "arguments": {}},
]


def asked(version: str, framework: str, transport: str) -> dict[str, Any]:
    """What the client gave its user for each of the calls."""
    program = str(SUPPORT / "workbench.py")
    ask = [NODE, str(SUPPORT / "typescript" / "ask.mjs"), version, transport]
    if transport == "stdio":
        return _printed([*ask, sys.executable, program, framework, "stdio", json.dumps(CALLS)])
    with http_server([program, framework, "http"]) as url:
        return _printed([*ask, url, json.dumps(CALLS)])


def _printed(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_guidance_reaches_the_users_of_typescript(version: str, framework: str, transport: str) -> None:
    seen = asked(version, framework, transport)
    assert seen["tools"] == ["search", "weigh", "apply_patch", "crash", "info"]
    assert KEY in seen["capabilities"]["extensions"]
    right, unknown, repaired, missing, value, patch, crash, info = seen["replies"]
    assert right["structuredContent"] == {"result": ["x 0", "x 1", "x 2"]}
    assert KEY not in right.get("_meta", {})
    own = {"sdk": "Unknown tool: serach"}.get(framework, "Tool 'serach' not found.")
    assert text(unknown) == f'{own}\nTry: search(pattern: "x")'
    assert repaired["structuredContent"] == {"result": ["x 0"]}
    assert repaired["_meta"][KEY]["corrections"][0]["to"] == "pattern"
    assert error(missing)["code"] == "MISSING_REQUIRED"
    assert error(value)["corrected_call"]["arguments"] == {"value": 2.5, "unit": "kilogram"}
    assert text(patch) == "Patch failed.\nUse a unified diff."
    assert error(crash)["code"] == "INTERNAL_ERROR"
    assert text(info).startswith("4 tools:")


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_guidance_of_the_proxy_reaches_the_users_of_typescript(version: str, transport: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    file = {"path": str(world.root / "a.txt")}
    edits = [{"oldText": "two", "newText": "TWO"}]
    calls = json.dumps(
        [
            {"name": "read_text_file", "arguments": file},
            {"name": "read_txt_file", "arguments": file},
            {"name": "edit_file", "arguments": {**file, "edits": edits, "dryrun": True}},
            {"name": "edit_file", "arguments": file},
            {"name": "info", "arguments": {}},
        ]
    )
    seen = asked_through_the_proxy(version, transport, server_command("filesystem", world), calls)
    assert seen["tools"][-1] == "info"
    right, unknown, repaired, missing, info = seen["replies"]
    assert right == {"content": [{"type": "text", "text": ALPHA}], "structuredContent": {"content": ALPHA}}
    assert text(unknown).startswith("MCP error -32602: Tool read_txt_file not found\nTry: read_text_file(")
    assert error(unknown)["corrected_call"]["name"] == "read_text_file"
    assert text(repaired).endswith("Parameter 'dryrun' was auto-corrected to 'dryRun'.")
    assert repaired["structuredContent"]["content"].startswith("```diff")
    assert (world.root / "a.txt").read_text(encoding="utf-8") == ALPHA
    assert error(missing)["code"] == "MISSING_REQUIRED"
    assert text(info).startswith("14 tools:")


def asked_through_the_proxy(version: str, transport: str, command: list[str], calls: str) -> dict[str, Any]:
    ask = [NODE, str(SUPPORT / "typescript" / "ask.mjs"), version, transport]
    if transport == "stdio":
        return _printed([*ask, *proxied(command), calls])
    with listening(proxied(command, "--listen", "127.0.0.1:0")) as url:
        return _printed([*ask, url, calls])


def text(reply: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in reply["content"])


def error(reply: dict[str, Any]) -> dict[str, Any]:
    assert reply["isError"] is True
    return reply["_meta"][KEY]["error"]
