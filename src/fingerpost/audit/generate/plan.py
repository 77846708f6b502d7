"""Which wrong calls are sent to a server, and which are not for the harm they could do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from random import Random
from typing import Any

from fingerpost.audit.events import Skipped
from fingerpost.audit.generate.mistakes import Mistake, mistakes
from fingerpost.audit.generate.right_calls import Examples, right_calls
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import EMPTY_OBJECT, Call
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.schema.excerpt import first_choice

CUT = "result.cut"
"""No mistake: a limit as low as it can be, to see whether what is cut off is told."""
_LIMIT = re.compile(
    r"(?:max|limit|page_?size|per_?page|top_?k|max_?(?:results|items|count|entries|matches)|num_?results)$", re.I
)
_MUST_FAIL = ("required.missing", "required.all_missing")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tried on which tools."""

    catalog: Catalog
    seed: int
    examples: Examples = field(default_factory=dict[str, Any])
    allow_writes: bool = False
    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    most: int = 60
    """Calls a tool, at most."""

    @property
    def tools(self) -> Iterator[Tool]:
        for tool in self.catalog:
            if tool.name not in self.without and (not self.only or tool.name in self.only):
                yield tool

    def may_execute(self, tool: Tool) -> bool:
        """Whether a call that the tool could carry out may be sent."""
        return tool.is_read_only or self.allow_writes

    def calls(self, tool: Tool) -> list[Mistake]:
        """The wrong calls of a tool. What they are depends on the seed and on the tool, not on its neighbours."""
        random = Random(f"{self.seed}/{tool.name}".encode("utf-8", "replace").decode())
        if not self.may_execute(tool):
            return list(self._harmless(tool, random))
        made = [*self._made(tool, random), *_cut(tool, self._right(tool))]
        if not self.allow_writes:  # a forgiving server might take the name for that of a tool that writes
            made = [one for one in made if one.kind != "tool.misspelt" or one.is_repairable]
        return _a_few_of_each_kind(list({(one.kind, repr(one.call)): one for one in made}.values()), self.most)

    def _right(self, tool: Tool) -> list[Call]:
        return right_calls(tool, self.examples.get(tool.name, ()))

    def _made(self, tool: Tool, random: Random) -> Iterator[Mistake]:
        """Every mistake of the first call; of the others those in what they have beyond it."""
        told, every = set[str](), self._right(tool)
        if not every:
            calls = mistakes(Call(tool.name), self.catalog, random)
            yield from (one for one in calls if one.kind.startswith(("tool.", "required.")))
        for right in every:
            for mistake in mistakes(right, self.catalog, random):
                if not told or (mistake.culprit in right.arguments and mistake.culprit not in told):
                    yield mistake
            told |= {*right.arguments, ""}

    def _harmless(self, tool: Tool, random: Random) -> Iterator[Mistake]:
        """What a server that checks its input has to refuse: made up, without anything that the owner has told.

        What has a default is not left out, and a tool that is declared destructive is not sent anything.
        """
        if tool.is_destructive:
            return
        right = next(iter(right_calls(tool)), Call(tool.name))
        has_default = any("default" in schema_of(tool, name) for name in tool.required)
        for mistake in mistakes(right, self.catalog, random):
            if has_default and mistake.kind != "tool.invented":
                continue
            if mistake.kind in _MUST_FAIL:
                yield mistake
            elif mistake.kind in ("tool.misspelt", "tool.invented") and tool.required:
                yield Mistake(
                    mistake.kind, Call(mistake.call.tool), Call(tool.name), mistake.culprit, is_repairable=False
                )

    def skipped(self) -> Iterator[Skipped]:
        """What is not tried, and why."""
        for tool in self.catalog:
            if tool.name in self.without:
                yield Skipped(tool.name, "the tool", "--without names it")
            elif self.only and tool.name not in self.only:
                yield Skipped(tool.name, "the tool", "--only does not name it")
            elif not self.may_execute(tool) and tool.is_destructive:
                yield Skipped(tool.name, "the tool", "it declares destructiveHint: true; --allow-writes tries it")
            elif not self.may_execute(tool):
                rest = "but for its name and what it requires" if tool.required else ""
                yield Skipped(tool.name, f"every mistake {rest}".strip(), _WRITES)
            elif not self._right(tool):
                yield Skipped(tool.name, "mistakes in its values", _NO_RIGHT_CALL)


_WRITES = "it does not declare readOnlyHint: true, so a call might change something; --allow-writes tries them all"
_NO_RIGHT_CALL = "no right call could be made from its schema; give one with --examples"


def _cut(tool: Tool, right: Sequence[Call]) -> Iterator[Mistake]:
    """A call with its limit at the least, and the same with more."""
    for name in tool.params:
        schema = first_choice(tool.schema, tool.params[name])
        if right and _LIMIT.search(name) and schema.get("type") == "integer" and tool.is_read_only:
            least, more = ({**right[0].arguments, name: value} for value in (_least(schema), 10))
            if tool.accepts(least) and tool.accepts(more):
                yield Mistake(CUT, Call(tool.name, least), Call(tool.name, more), name, is_repairable=False)


def _least(schema: Mapping[str, Any]) -> int:
    return max(1, int(least)) if is_number(least := schema.get("minimum")) else 1


def _a_few_of_each_kind(made: list[Mistake], most: int) -> list[Mistake]:
    """As many as may be, of every kind as many as of any other."""
    if len(made) <= most:
        return made
    kinds = defaultdict[str, list[Mistake]](list)
    for one in made:
        kinds[one.kind].append(one)
    taken = [one for one in chain.from_iterable(zip_longest(*kinds.values())) if one is not None][:most]
    order = {id(one): place for place, one in enumerate(made)}
    return sorted(taken, key=lambda one: order[id(one)])


def schema_of(tool: Tool, name: str) -> Mapping[str, Any]:
    return first_choice(tool.schema, tool.params[name]) if name in tool.params else EMPTY_OBJECT
