"""The server has no tool with that name.

Fix grading: a name behind a known client prefix (`functions.`, `mcp__server__`), or one that differs only in case and
separators, is lossless if exactly one tool has it. A name that is merely close is only offered: running another tool
than the one named may destroy data.
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

_CLIENT_PREFIX = re.compile(r"mcp__(?P<mcp>[^.:/]{1,64}?)__|(?:functions?|default_api|tools?|mcp|server)(?:[.:/]|__)")
_SERVER_PREFIX = re.compile(r"(?P<server>[\w\- ]{1,64}?)(?:__|[.:/])")
_MOST_SIMILAR, _MOST_CATEGORIES = 5, 12


def diagnose(call: Call, catalog: Catalog, info_tool: str | None) -> Diagnosis:
    names = list(_strip_prefixes(call.tool, catalog))
    fixes = _exact_fix(names, catalog) or _near_fixes(call, names[-1][0], catalog)
    similar = [fix.label for fix in fixes[:_MOST_SIMILAR]]
    categories = dict(list(catalog.categories.items())[:_MOST_CATEGORIES])
    list_tools = (
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
        hint="" if fixes else list_tools,
    )


def _strip_prefixes(name: str, catalog: Catalog) -> Iterator[tuple[str, Grade]]:
    """Yield the name, then the name without each prefix that clients add, with the grade of that reading.

    The name of this server is removed as a prefix. If our own name is unknown, that reading is only likely. If the
    prefix is another server's name, the call is not for us.
    """
    bare, grade = name[:256], Grade.LOSSLESS
    yield bare, grade
    while prefix := _CLIENT_PREFIX.match(bare) or _SERVER_PREFIX.match(bare):
        server = prefix.groupdict().get("server") or prefix.groupdict().get("mcp")
        if prefix.end() == len(bare) or (server and catalog.server and not _is_same_server(server, catalog.server)):
            return
        if "server" in prefix.groupdict() and not catalog.server:
            grade = Grade.LIKELY
        bare = bare[prefix.end() :]
        yield bare, grade


def _is_same_server(server: str, ours: str) -> bool:
    return spelling(server) == spelling(ours)


def _exact_fix(names: Iterable[tuple[str, Grade]], catalog: Catalog) -> tuple[Fix, ...]:
    for name, grade in names:
        hits = [name] if catalog.get(name) else catalog.same_spelling(name)
        if len(hits) == 1:
            return (_fix(hits[0], 1.0, Applicability.MACHINE_APPLICABLE, grade),)
    return ()


def _near_fixes(call: Call, bare: str, catalog: Catalog) -> tuple[Fix, ...]:
    context = {"server": catalog.server, "args": call.arguments, "schemas": catalog.schemas}
    matches = closest(bare, catalog.names, "tool", context)
    return tuple(_offer(match) for match in matches[:_MOST_SIMILAR])


def _offer(match: Match) -> Fix:
    is_sure = match.is_clear and match.confidence > OFFER_THRESHOLD
    return _fix(
        match.name, match.confidence, Applicability.MACHINE_APPLICABLE if is_sure else Applicability.MAYBE_INCORRECT
    )


def _fix(name: str, confidence: float, applicability: Applicability, grade: Grade = Grade.OFFERED) -> Fix:
    return Fix(CallTool(name), applicability, grade, confidence, value=name, label=clean(name))
