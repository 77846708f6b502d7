"""Plan which wrong calls are sent to a server, and which are skipped because they could do harm."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from random import Random
from typing import Any

from fingerpost.audit.events import CallsSkipped
from fingerpost.audit.generate.mistakes import Mistake, generate_mistakes
from fingerpost.audit.generate.parameter_schema import parameter_schema
from fingerpost.audit.generate.right_calls import Examples, right_calls
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.schema.excerpt import first_choice
from fingerpost.engine.tool import Tool

LIMIT_PROBE = "result.cut"
"""No mistake: the lowest limit, to see whether the result says that there is more."""
_LIMIT = re.compile(
    r"(?:max|limit|page_?size|per_?page|top_?k|max_?(?:results|items|count|entries|matches)|num_?results)$", re.I
)
_MUST_FAIL = ("required.missing", "required.all_missing")


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One wrong call of a plan."""

    number: int
    tool: Tool
    mistake: Mistake
    is_repeated: bool
    """Whether the same call is sent a second time, to compare the replies."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The wrong calls of an audit, by tool."""

    catalog: Catalog
    seed: int
    examples: Examples = field(default_factory=dict[str, Any])
    allow_writes: bool = False
    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    most: int = 60
    """The maximum number of calls per tool."""

    @property
    def tools(self) -> Iterator[Tool]:
        for tool in self.catalog:
            if tool.name not in self.without and (not self.only or tool.name in self.only):
                yield tool

    def may_execute(self, tool: Tool) -> bool:
        """Whether calls that the tool could execute may be sent."""
        return tool.is_read_only or self.allow_writes

    def enumerate_calls(self) -> Iterator[PlannedCall]:
        number = 0
        for tool in self.tools:
            for place, mistake in enumerate(self.calls(tool)):
                number += 1
                yield PlannedCall(number, tool, mistake, is_repeated=place == 0)

    def calls(self, tool: Tool) -> list[Mistake]:
        """The wrong calls of a tool. They depend on the seed and on the tool, not on the other tools."""
        random = Random(f"{self.seed}/{tool.name}".encode("utf-8", "replace").decode())
        if not self.may_execute(tool):
            return list(self._harmless_mistakes(tool, random))
        mistakes = [*self._all_mistakes(tool, random), *_limit_probes(tool, self._right_calls(tool))]
        if not self.allow_writes:  # a lenient server might take the name for that of a tool that writes
            mistakes = [one for one in mistakes if one.kind != "tool.misspelt" or one.is_repairable]
        return _limit_per_kind(list({(one.kind, repr(one.call)): one for one in mistakes}.values()), self.most)

    def _right_calls(self, tool: Tool) -> list[Call]:
        return right_calls(tool, self.examples.get(tool.name, ()))

    def _all_mistakes(self, tool: Tool, random: Random) -> Iterator[Mistake]:
        """Every mistake in the first right call, and those in the parameters that the others add."""
        covered, calls = set[str](), self._right_calls(tool)
        if not calls:
            mistakes = generate_mistakes(Call(tool.name), self.catalog, random)
            yield from (mistake for mistake in mistakes if mistake.group in ("tool", "required"))
        for right in calls:
            for mistake in generate_mistakes(right, self.catalog, random):
                if not covered or (mistake.culprit in right.arguments and mistake.culprit not in covered):
                    yield mistake
            covered |= {*right.arguments, ""}

    def _harmless_mistakes(self, tool: Tool, random: Random) -> Iterator[Mistake]:
        """Calls that every server has to refuse, made without the examples of the owner.

        A parameter with a default is not left out, and a tool that is declared destructive gets no call.
        """
        if tool.is_destructive:
            return
        right = next(iter(right_calls(tool)), Call(tool.name))
        has_default = any("default" in parameter_schema(tool, name) for name in tool.required)
        for mistake in generate_mistakes(right, self.catalog, random):
            if has_default and mistake.kind != "tool.invented":
                continue
            if mistake.kind in _MUST_FAIL:
                yield mistake
            elif mistake.kind in ("tool.misspelt", "tool.invented") and tool.required:
                yield Mistake(
                    mistake.kind, Call(mistake.call.tool), Call(tool.name), mistake.culprit, is_repairable=False
                )

    def skip_events(self) -> Iterator[CallsSkipped]:
        """The calls that are not sent, and why."""
        for tool in self.catalog:
            if tool.name in self.without:
                yield CallsSkipped(tool.name, "the tool", "--without names it")
            elif self.only and tool.name not in self.only:
                yield CallsSkipped(tool.name, "the tool", "--only does not name it")
            elif not self.may_execute(tool) and tool.is_destructive:
                yield CallsSkipped(tool.name, "the tool", "it declares destructiveHint: true; --allow-writes tries it")
            elif not self.may_execute(tool):
                rest = "but for its name and what it requires" if tool.required else ""
                yield CallsSkipped(tool.name, f"every mistake {rest}".strip(), _WRITES)
            elif not self._right_calls(tool):
                yield CallsSkipped(tool.name, "mistakes in its values", _NO_RIGHT_CALL)


_WRITES = "it does not declare readOnlyHint: true, so a call might change something; --allow-writes tries them all"
_NO_RIGHT_CALL = "no right call could be made from its schema; give one with --examples"


def _limit_probes(tool: Tool, right: Sequence[Call]) -> Iterator[Mistake]:
    """Calls with the lowest limit, each with the same call and a higher limit to compare."""
    for name in tool.params:
        schema = first_choice(tool.schema, tool.params[name])
        if right and _LIMIT.search(name) and schema.get("type") == "integer" and tool.is_read_only:
            least, more = ({**right[0].arguments, name: value} for value in (_lowest_limit(schema), 10))
            if tool.accepts(least) and tool.accepts(more):
                yield Mistake(LIMIT_PROBE, Call(tool.name, least), Call(tool.name, more), name, is_repairable=False)


def _lowest_limit(schema: Mapping[str, Any]) -> int:
    return max(1, int(least)) if is_number(least := schema.get("minimum")) else 1


def _limit_per_kind(mistakes: list[Mistake], most: int) -> list[Mistake]:
    """At most that many, spread evenly over the kinds, in the same order."""
    if len(mistakes) <= most:
        return mistakes
    kinds = defaultdict[str, list[Mistake]](list)
    for mistake in mistakes:
        kinds[mistake.kind].append(mistake)
    chosen = [one for one in chain.from_iterable(zip_longest(*kinds.values())) if one is not None][:most]
    order = {id(mistake): place for place, mistake in enumerate(mistakes)}
    return sorted(chosen, key=lambda one: order[id(one)])
