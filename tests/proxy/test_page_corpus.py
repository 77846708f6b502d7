"""The page corpus through the proxy on every transport: the same envelope as through every other integration."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import asyncio
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
from tests.middleware.test_page_corpus import STAGE, cases, connected, differences, http_server
from tests.support.pages import PageCase
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
    """The cases by policy, no tool twice: a proxy counts the failures of a tool and then shows more of its schema."""
    made: list[tuple[Policy, set[str], list[tuple[str, PageCase]]]] = []
    for code, case in cases():
        given = case.given
        own = next((tool["name"] for tool in given.tools if tool["name"] == given.policy.info_tool), None)
        policy = replace(given.policy, info_tool=own)
        fitting = (batch for batch in made if batch[0] == policy and given.call.tool not in batch[1])
        _, tools, kept = next(fitting, None) or (made.append((policy, set(), [])), made[-1])[1]
        tools.add(given.call.tool)
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
            return [wrong for code, case in played for wrong in await differences(code, case, ask)]


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
