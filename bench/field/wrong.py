"""Send wrong calls to a server behind the proxy, and record for each what reached the server and what came back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from random import Random
from typing import Any

from bench.field.case import Case, Exchange, Passed
from bench.field.right import INITIALIZE, INITIALIZED, Offer, spell
from bench.field.schema_check import find_errors
from bench.field.stage import Stage
from bench.field.wire import Wire
from bench.forms.offers import read_offers
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.generate.plan import LIMIT_PROBE, Plan
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.tool import Tool

OTHER_SERVER = "staging-archive"
"""No server of the field has such a name."""
_MOST_NULLS = 3
_RESTARTS_AFTER = 40
"""Failures of one tool add up: a new session answers as to a caller that has just come."""


def run_wrong_calls(stage: Stage, offer: Offer, *, seed: int, most: int, options: Sequence[str] = ()) -> Iterator[Case]:
    """Send up to `most` wrong calls, and again each one that was corrected."""
    mistakes = plan_mistakes(stage, offer, seed=seed, most=most)
    for start in range(0, len(mistakes), _RESTARTS_AFTER):
        with stage.behind_proxy(options) as wire:
            line = _Line(wire, stage.log)
            line.greet()
            for mistake in mistakes[start : start + _RESTARTS_AFTER]:
                yield line.try_mistake(mistake, offer)


def plan_mistakes(stage: Stage, offer: Offer, *, seed: int, most: int) -> list[Mistake]:
    """Take mistakes of each kind in turn, and of each tool in turn, until there are enough."""
    catalog = Catalog.listed(offer.tools)
    plan = Plan(
        catalog,
        seed,
        examples=stage.peer.examples(stage.box),
        allow_writes=True,  # writes stay in the sandbox
        without=frozenset(stage.peer.without),
    )
    tools = list(plan.tools)
    Random(seed).shuffle(tools)
    kinds = defaultdict[str, list[Mistake]](list)
    for one in chain.from_iterable(zip_longest(*([*plan.calls(tool), *_more_mistakes(tool, plan)] for tool in tools))):
        if one is not None and one.kind != LIMIT_PROBE:
            kinds[one.kind].append(one)
    turns = chain.from_iterable(zip_longest(*kinds.values()))
    return [one for one in turns if one is not None][:most]


def _more_mistakes(tool: Tool, plan: Plan) -> Iterator[Mistake]:
    """What the audit does not try: the name of another server, and `null` where the schema does not allow it."""
    right = next((mistake.right for mistake in plan.calls(tool) if tool.accepts(mistake.right.arguments)), None)
    if right is None:
        return
    name = f"mcp__{OTHER_SERVER}__{tool.name}"
    yield Mistake("tool.other_server", Call(name, right.arguments), right, name)
    for name in [one for one in tool.params if one not in tool.required][:_MOST_NULLS]:
        without = {key: value for key, value in right.arguments.items() if key != name}
        sent = {**without, name: None}
        if find_errors(tool.schema, sent):
            yield Mistake("null.optional", Call(tool.name, sent), Call(tool.name, without), name)


class _Line:
    """One session behind the proxy, and the log of the tap."""

    def __init__(self, wire: Wire, log: Path) -> None:
        self._wire, self._log, self._number, self._read = wire, log, 0, 0

    def greet(self) -> None:
        self._ask("initialize", INITIALIZE)
        self._wire.send(INITIALIZED)
        self._ask("tools/list", {})

    def try_mistake(self, mistake: Mistake, offer: Offer) -> Case:
        first = self.call(mistake.call)
        case = Case(mistake, offer.name, offer.tools, first)
        offers = list(read_offers(case.error, mistake.call, mistake.right.arguments))
        if len(offers) != 1 or offers[0].unfilled:
            return case
        return Case(mistake, offer.name, offer.tools, first, resent=self.call(offers[0].call))

    def call(self, call: Call) -> Exchange:
        reply = self._ask("tools/call", {"name": call.tool, "arguments": call.arguments})
        return Exchange(call, as_object(json.loads(reply or b"{}")), tuple(self._passed()))

    def _ask(self, method: str, params: dict[str, Any]) -> bytes:
        self._number += 1
        return self._wire.ask(spell(self._number, method, params))

    def _passed(self) -> Iterator[Passed]:
        """The calls that reached the server since the last look, each with its reply."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            lines = log.readlines()
            self._read = log.tell()
        yield from pair_calls(lines)


def pair_calls(lines: Sequence[bytes]) -> Iterator[Passed]:
    """Read calls and their replies from the log of a tap."""
    frames = [(line[:1], as_object(_parse(line[1:]))) for line in lines]
    replies = {
        str(frame.get("id")): frame for direction, frame in frames if direction == b"<" and "method" not in frame
    }
    for direction, frame in frames:
        if direction == b">" and frame.get("method") == "tools/call":
            params = as_object(frame.get("params"))
            called = Call(str(params.get("name")), params.get("arguments", {}))
            yield Passed(called, replies.get(str(frame.get("id")), {}))


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
