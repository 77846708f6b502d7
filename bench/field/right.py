"""Send the same right requests to a server directly, behind the proxy, and directly again, and compare the replies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.field.likeness import Likeness, compare
from bench.field.stage import Stage
from bench.field.wire import Wire
from bench.peer_examples import Examples
from fingerpost.audit.generate.right_calls import right_calls
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "field", "version": "1"},
}
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_LISTS = ("prompts/list", "resources/list", "resources/templates/list")
_MOST_CALLS, _MOST_PAGES = 60, 20
_MOST_DIRECT_RUNS = 8
"""A reply that differs is compared with more direct ones: some servers print a set in one of two orders."""
_OPTIONS = ("--no-info-tool",)
"""The option with which the documentation promises an unchanged list of tools."""


@dataclass(frozen=True)
class Offer:
    """What a server says about itself."""

    name: str
    tools: list[dict[str, Any]]


@dataclass
class Run:
    """The requests of one run, and the replies to them."""

    lines: list[bytes] = field(default_factory=list[bytes])
    replies: list[bytes] = field(default_factory=list[bytes])


@dataclass(frozen=True)
class RightCalls:
    """How the replies behind the proxy compare with the direct ones."""

    offer: Offer
    counts: Counter[Likeness]
    differences: tuple[str, ...]
    altered: tuple[str, ...]
    """Requests that reached the server in other bytes than the client's, or not at all."""


def compare_right_calls(stage: Stage, options: Sequence[str] = _OPTIONS) -> RightCalls:
    """Run the three runs of a server: the one behind the proxy lies between the two others."""
    with stage.bare() as wire:
        direct, offer = _explore(wire, stage)
    with stage.behind_proxy(options) as wire:
        behind = _replay(wire, direct.lines)
    reached = _lines_to_server(stage)
    likenesses = [Likeness.DIFFERENT for _ in direct.lines]
    for _ in range(_MOST_DIRECT_RUNS):
        if Likeness.DIFFERENT not in likenesses:
            break
        with stage.bare() as wire:
            again = _replay(wire, direct.lines)
        likenesses = [
            compare(*replies) if before is Likeness.DIFFERENT else before
            for before, *replies in zip(likenesses, direct.replies, behind.replies, again.replies, strict=True)
        ]
    triples = zip(direct.lines, direct.replies, behind.replies, likenesses, strict=True)
    return RightCalls(
        offer,
        Counter(likenesses),
        tuple(_describe(*triple) for *triple, likeness in triples if likeness is Likeness.DIFFERENT),
        tuple(line.decode()[:300] for line in direct.lines if line not in reached),
    )


def _explore(wire: Wire, stage: Stage) -> tuple[Run, Offer]:
    """Make the requests up while asking: the calls depend on the list of tools."""
    run = Run()
    started = as_object(_ask(wire, run, "initialize", INITIALIZE).get("result"))
    wire.send(INITIALIZED)
    _ask(wire, run, "ping", {})
    tools = list(_list_tools(wire, run))
    for method in (*_LISTS, "fingerpost/no-such-method"):
        _ask(wire, run, method, {})
    catalog = Catalog.listed(tools)
    for call in plan_right_calls(catalog, stage.peer.examples(stage.box), frozenset(stage.peer.without)):
        _ask(wire, run, "tools/call", {"name": call.tool, "arguments": call.arguments})
    return run, Offer(str(as_object(started.get("serverInfo")).get("name", "")), tools)


def _list_tools(wire: Wire, run: Run) -> Iterator[dict[str, Any]]:
    params: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        result = as_object(_ask(wire, run, "tools/list", params).get("result"))
        yield from map(as_object, as_list(result.get("tools")))
        if not isinstance(cursor := result.get("nextCursor"), str):
            return
        params = {"cursor": cursor}


def plan_right_calls(catalog: Catalog, examples: Examples, without: frozenset[str]) -> list[Call]:
    """The owner's calls in their order, then one call made from the schema of each other tool."""
    calls = [Call(name, dict(one)) for name, given in examples.items() for one in given]
    for tool in catalog:
        if tool.name not in without and tool.name not in examples:
            calls += right_calls(tool)[:1]
    return calls[:_MOST_CALLS]


def _ask(wire: Wire, run: Run, method: str, params: dict[str, Any]) -> dict[str, Any]:
    line = spell(len(run.lines), method, params)
    run.lines.append(line)
    run.replies.append(wire.ask(line))
    return as_object(json.loads(run.replies[-1] or b"{}"))


def spell(number: int, method: str, params: dict[str, Any]) -> bytes:
    """Write a request. Three spellings take turns, since a proxy that reads and writes JSON changes at least one."""
    match number % 3:
        case 0:
            frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            return json.dumps(frame, separators=(",", ":"), ensure_ascii=False).encode()
        case 1:
            frame = {"params": params, "method": method, "id": f"é-{number}", "jsonrpc": "2.0"}
            return json.dumps(frame, separators=(" , ", " : ")).encode()
        case _:
            frame = {"id": number, "jsonrpc": "2.0", "method": method, "params": params}
            return json.dumps(frame).replace("/", "\\/").encode()


def _replay(wire: Wire, lines: Sequence[bytes]) -> Run:
    run = Run()
    for line in lines:
        run.lines.append(line)
        run.replies.append(wire.ask(line))
        if json.loads(line)["method"] == "initialize":
            wire.send(INITIALIZED)
    return run


def _lines_to_server(stage: Stage) -> set[bytes]:
    return {line[1:] for line in stage.log.read_bytes().split(b"\n") if line.startswith(b">")}


def _describe(line: bytes, direct: bytes, behind: bytes) -> str:
    """The first place where two replies differ, for the report."""
    at = next((i for i, (one, other) in enumerate(zip(direct, behind, strict=False)) if one != other), 0)
    around = slice(max(0, at - 60), at + 120)
    first, second = (reply[around].decode("utf-8", "replace") for reply in (direct, behind))
    return f"{line.decode()[:200]} directly …{first}… behind …{second}…"
