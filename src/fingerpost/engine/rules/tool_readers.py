"""Prefer a tool that only reads to one that may write, if the name does not say which is meant.

`run_query(sql)` may be `run_select(sql)` or `execute_statement(sql)`: the one that changes nothing comes first, and the
other is listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import OFFER_THRESHOLD
from fingerpost.engine.matching.actions import Danger, in_section, read_action
from fingerpost.engine.matching.entities import is_identity
from fingerpost.engine.matching.spelling import count_edits, normal_form, split_words, stem
from fingerpost.engine.model import Applicability, CallTool, Fix
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.tool import Tool

_MOST_TOOLS = 64
_MOST_READERS = 2
_CONFIDENCE = 0.75
_MOST_SLIPS = 2
_ASKING = frozenset({"find", "query", "search", "select"})
"""Verbs of tools that are given a question. A list of pipelines is not for `run_pipeline`."""


def give_way_to_readers(asked: str, fixes: list[Fix], arguments: Mapping[str, Any], catalog: Catalog) -> list[Fix]:
    """Put the tools that only read and take these arguments in front of a tool that may write and has another name."""
    writers = [fix for fix in fixes if fix.confidence > OFFER_THRESHOLD and _may_write(asked, fix, catalog)]
    if not writers or not arguments or not _leaves_open(asked):
        return fixes
    readers = [tool for tool in islice(catalog, _MOST_TOOLS) if _reads(tool, arguments)]
    if not readers:
        return fixes
    same = [tool for tool in readers if in_section("light", read_action(tool.name).verb)]
    found = [_fix(tool, _CONFIDENCE if [tool] == same else OFFER_THRESHOLD) for tool in readers[:_MOST_READERS]]
    names = [fix.value for fix in found]
    rest = [lower(fix) if fix in writers else fix for fix in fixes if fix.value not in names]
    return sorted([*found, *rest], key=lambda fix: -fix.confidence)


def lower(fix: Fix) -> Fix:
    """List a tool that is not offered any more."""
    confidence = min(fix.confidence, OFFER_THRESHOLD)
    return replace(fix, confidence=confidence, applicability=Applicability.MAYBE_INCORRECT)


def _may_write(asked: str, fix: Fix, catalog: Catalog) -> bool:
    tool = catalog.get(fix.value)
    if tool is None or danger_of_tool(tool) is Danger.READS:
        return False
    return count_edits(normal_form(asked), normal_form(tool.name), _MOST_SLIPS) > _MOST_SLIPS


def _leaves_open(asked: str) -> bool:
    """Whether a name does not say that something is to be written: `run`, `query`."""
    action = read_action(asked)
    return action.danger is Danger.READS or in_section("light", action.verb)


def _reads(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a tool only reads and takes exactly these arguments. To look up a thing by its id is not to run it."""
    if not tool.is_read_only or not set(tool.required) <= arguments.keys() <= set(tool.params):
        return False
    verb = read_action(tool.name).verb
    if in_section("light", verb):
        return True
    return verb in _ASKING and not any(is_identity(stem(each)) for name in arguments for each in split_words(name)[-1:])


def _fix(tool: Tool, confidence: float) -> Fix:
    edit = CallTool(tool.name)
    return Fix(edit, Applicability.MAYBE_INCORRECT, confidence=confidence, value=tool.name, label=clean(tool.name))
