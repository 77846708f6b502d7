"""The server has no tool by that name.

Fix grading: a known client prefix (`functions.`, `mcp__server__`) in front of exactly one tool, and a
name that differs by case and separators alone, are lossless. A name that is merely near is offered,
however near: running another tool than the one named is how data is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import OFFER_THRESHOLD, Match, closest
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.model import Applicability, Call, CallTool, Diagnosis, Fix, Grade
from fingerpost.engine.phrases import quote
from fingerpost.engine.safety.redact import clean

CODE = "UNKNOWN_TOOL"

_CLIENT = re.compile(r"mcp__(?P<mcp>[^.:/]{1,64}?)__|(?:functions?|default_api|tools?|mcp|server)(?:[.:/]|__)")
_SERVER = re.compile(r"(?P<server>[\w\- ]{1,64}?)(?:__|[.:/])")
_MOST_SIMILAR, _MOST_CATEGORIES = 5, 12


def diagnose(call: Call, catalog: Catalog, info_tool: str | None) -> Diagnosis:
    names = list(_behind_prefixes(call.tool, catalog))
    fixes = _same_name(names, catalog) or _near(call, names[-1][0], catalog)
    similar = [fix.label for fix in fixes[:_MOST_SIMILAR]]
    categories = dict(list(catalog.categories.items())[:_MOST_CATEGORIES])
    lister = (
        f"Use {info_tool}() to list all available tools"
        if info_tool
        else "List the tools again to see what is available"
    )
    return Diagnosis(
        code=CODE,
        message=f"Tool {quote(call.tool)} not found",
        details={"got": clean(call.tool), "expected": "a listed tool"},
        category="not_found",
        suggestions={
            **({"similar_tools": similar} if similar else {}),
            **(
                {"available_categories": {clean(word): count for word, count in categories.items()}}
                if categories
                else {}
            ),
        },
        fixes=fixes,
        hint="" if fixes else lister,
    )


def _behind_prefixes(name: str, catalog: Catalog) -> Iterator[tuple[str, Grade]]:
    """The name, and what stands behind each thing that clients put in front of one, with how sure that is.

    A server's name in front of a tool is ours to take off where it is this server's. Where that is not
    known it is a likely reading; where it is another server's, the call was not meant for us.
    """
    bare, grade = name[:256], Grade.LOSSLESS
    yield bare, grade
    while prefix := _CLIENT.match(bare) or _SERVER.match(bare):
        server = prefix.groupdict().get("server") or prefix.groupdict().get("mcp")
        if prefix.end() == len(bare) or (server and catalog.server and not _is_same(server, catalog.server)):
            return
        if "server" in prefix.groupdict() and not catalog.server:
            grade = Grade.LIKELY
        bare = bare[prefix.end() :]
        yield bare, grade


def _is_same(server: str, ours: str) -> bool:
    return spelling(server) == spelling(ours)


def _same_name(names: Iterable[tuple[str, Grade]], catalog: Catalog) -> tuple[Fix, ...]:
    for name, grade in names:
        hits = [name] if catalog.get(name) else catalog.same_spelling(name)
        if len(hits) == 1:
            return (_fix(hits[0], 1.0, Applicability.MACHINE_APPLICABLE, grade),)
    return ()


def _near(call: Call, bare: str, catalog: Catalog) -> tuple[Fix, ...]:
    context = {"server": catalog.server, "args": call.arguments, "schemas": catalog.schemas}
    matches = closest(bare, catalog.names, "tool", context)
    return tuple(_offered(match) for match in matches[:_MOST_SIMILAR])


def _offered(match: Match) -> Fix:
    sure = match.is_clear and match.confidence > OFFER_THRESHOLD
    return _fix(
        match.name, match.confidence, Applicability.MACHINE_APPLICABLE if sure else Applicability.MAYBE_INCORRECT
    )


def _fix(name: str, confidence: float, applicability: Applicability, grade: Grade = Grade.OFFERED) -> Fix:
    return Fix(CallTool(name), applicability, grade, confidence, value=name, label=clean(name))
