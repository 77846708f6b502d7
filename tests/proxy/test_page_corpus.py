"""The page corpus through the proxy on every transport: the same envelope as through every other integration."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

from fingerpost import Policy
from tests.middleware.test_page_corpus import STAGE, Ask, cases, connected, differences, http_server
from tests.support.pages import PageCase
from tests.support.stage import Scene
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.no_cover  # slow under coverage, and other tests cover the same lines

PROXY = [sys.executable, "-m", "fingerpost", "proxy"]
SERVER = [sys.executable, str(STAGE), "plain", "stdio"]
WAYS = {
    "stdio to stdio": "2026-07-28",
    "stdio to http": "2025-11-25",
    "http to stdio": "2025-11-25",
    "http to http": "2026-07-28",
}
"""Each pair of transports with a client of one revision; `make soak` tries both revisions."""


def batches() -> list[tuple[Policy, list[tuple[str, PageCase]]]]:
    """The cases by policy, none with the same call twice: a proxy counts repeated failures."""
    made: list[tuple[Policy, set[str], list[tuple[str, PageCase]]]] = []
    for code, case in cases():
        given = case.given
        own = next((tool["name"] for tool in given.tools if tool["name"] == given.policy.info_tool), None)
        policy, call = replace(given.policy, info_tool=own), json.dumps([given.call.tool, given.call.arguments or {}])
        fitting = (batch for batch in made if batch[0] == policy and call not in batch[1])
        _, calls, kept = next(fitting, None) or (made.append((policy, set(), [])), made[-1])[1]
        calls.add(call)
        kept.append((code, case))
    return [(policy, kept) for policy, _, kept in made]


def options(policy: Policy) -> list[str]:
    """The policy as command-line options."""
    settings = asdict(policy)
    chosen = ("auto_correct", "unknown_params", "unknown_tool", "unsafe_input", "redact", "budget")
    words = [word for name in chosen for word in (f"--{name.replace('_', '-')}", str(settings[name]))]
    return [*words, *(["--tips"] if policy.tips else []), *([] if policy.info_tool else ["--no-info-tool"])]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # arguments that are no object, sent on purpose
@pytest.mark.parametrize("way", WAYS)
def test_a_call_gets_the_same_envelope_through_the_proxy(way: str) -> None:
    is_long = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
    for version in ("2025-11-25", "2026-07-28") if is_long else (WAYS[way],):
        _check(way, version)


def _check(way: str, version: str) -> None:
    logging.disable(logging.ERROR)
    assert [wrong for batch in batches() for wrong in asyncio.run(_play(way, version, *batch))] == []


async def _play(way: str, version: str, policy: Policy, played: list[tuple[str, PageCase]]) -> list[Any]:
    with _proxy(way, options(policy)) as target:
        async with connected(target, version) as ask:
            wrong: list[Any] = []
            for code, case in played:
                await _succeed(case.given.call.tool, ask)
                wrong += await differences(code, case, ask)
            return wrong


async def _succeed(name: str, ask: Ask) -> None:
    """Call the tool with success, so that its failures in other cases are forgotten."""
    scene = Scene([{"name": name, "inputSchema": {"type": "object"}}])
    await ask("resources/read", {"uri": scene.uri})
    await ask("tools/list", {})
    await ask("tools/call", {"name": name, "arguments": {}})


@contextmanager
def _proxy(way: str, words: list[str]) -> Iterator[Any]:
    front, _, back = way.partition(" to ")
    if back == "stdio":
        yield from _front(front, words, ["--", *SERVER])
        return
    with http_server([str(STAGE), "plain", "http"]) as url:
        yield from _front(front, words, [url])


def _front(front: str, words: list[str], upstream: list[str]) -> Iterator[Any]:
    if front == "stdio":
        command, *args = [*PROXY, *words, *upstream]
        yield StdioServerParameters(command=command, args=args)
        return
    with listening([*words, *upstream]) as url:
        yield url


@contextmanager
def listening(words: list[str]) -> Iterator[str]:
    """Run a proxy on a free port; its URL."""
    command = [*PROXY, "--listen", "127.0.0.1:0", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+/mcp)\n", process.stderr.readline())
        assert found is not None
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
