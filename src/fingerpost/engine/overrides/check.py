"""Compare overrides with a tool list: what they name and the list does not contain.

Such a declaration has no effect, and the person who wrote it should know. It never stands in the way of a call: a list
may be incomplete, or differ from caller to caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import OFFER_THRESHOLD, Match, closest
from fingerpost.engine.overrides import ANY_TOOL, LONGEST_HINT, Hint, Overrides
from fingerpost.engine.overrides.aliases import find_declared
from fingerpost.engine.phrases import format_path, quote
from fingerpost.engine.tool import Tool

_MOST_PROBLEMS = 20
_REGEX = re.compile(r"^/.+/[a-z]{0,3}$|\.[*+]|\\[dwsb]|\[[^\]]+\][*+]|^\^|\(\?|[^$]\$$")
"""A text that looks like a regular expression."""


def check_overrides(overrides: Overrides, catalog: Catalog) -> dict[str, str]:
    """Return the places of declarations that have no effect on the tools of a list, with a sentence for each."""
    if not (overrides and catalog.is_complete):
        return {}
    found = islice(_find_problems(overrides, catalog), _MOST_PROBLEMS)
    return {place: f"{place}: {problem}" for place, problem in found}


def _find_problems(overrides: Overrides, catalog: Catalog) -> Iterator[tuple[str, str]]:
    for name in overrides.tools:
        if problem := _check_tool(name, catalog):
            yield format_path(("tools", name)), problem
    for name, aliases in overrides.aliases.items():
        if problem := _check_tool(name, catalog):
            yield format_path(("aliases", name)), problem
        for alias, parameter in aliases.items():
            if problem := _check_alias(catalog.get(name), alias, parameter):
                yield format_path(("aliases", name, alias)), problem
    for index, hint in enumerate(overrides.hints):
        if problem := _check_hint(hint, catalog):
            yield format_path(("hints", index)), problem


def _check_tool(name: str, catalog: Catalog) -> str:
    if catalog.get(name) is not None:
        return ""
    return f"the server lists no tool {quote(name)}{_suggest(closest(name, catalog.names, 'tool'))}"


def _check_alias(tool: Tool | None, alias: str, parameter: str) -> str:
    if tool is None:
        return ""
    if find_declared(tool, alias) is not None:
        return f"{quote(alias)} is a parameter of {quote(tool.name)} itself, so the alias is not used"
    if find_declared(tool, parameter) is not None:
        return ""
    near = closest(parameter, list(tool.params), "parameter")
    return f"{quote(tool.name)} has no parameter {quote(parameter)}{_suggest(near)}"


def _check_hint(hint: Hint, catalog: Catalog) -> str:
    if hint.tool != ANY_TOOL and (problem := _check_tool(hint.tool, catalog)):
        return problem
    if hint.is_cut:
        return f"the hint is longer than {LONGEST_HINT} characters, so its end is not shown"
    pattern = next(filter(_REGEX.search, hint.matches), "")
    return f"{quote(pattern)} is compared as plain text, not as a regular expression" if pattern else ""


def _suggest(near: tuple[Match, ...]) -> str:
    return f"; did you mean {quote(near[0].name)}?" if near and near[0].confidence > OFFER_THRESHOLD else ""
