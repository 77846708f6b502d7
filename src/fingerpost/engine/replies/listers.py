"""Find the tools that list or search what another tool looks up."""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.listers import SEARCH_VERBS
from fingerpost.engine.matching.index import Names
from fingerpost.engine.phrases import is_name
from fingerpost.engine.tool import Tool

_FINDS = frozenset({"search", "find", "query", "browse", "grep", "lookup", "filter", "discover", "match"})
_LISTS = frozenset({"list", "ls", "enumerate"})


def is_search(tool: Tool, *, lists: bool = False) -> bool:
    """Whether the name of a tool says that it searches; with `lists`, also that it lists."""
    words = Names([tool.name]).words[0]
    return not _FINDS.isdisjoint(words) or (lists and not _LISTS.isdisjoint(words))


def begins_with_search(tool: Tool) -> bool:
    """Whether a tool's name begins with a verb for listing or searching."""
    return next(iter(Names([tool.name]).words[0]), "") in SEARCH_VERBS


def find_listers(tool: Tool, catalog: Catalog) -> Iterator[Tool]:
    """Find tools that list or search what this tool looks up."""
    names = catalog.names
    if catalog.get(tool.name) is None:
        return
    verb, *about = names.stems[names.names.index(tool.name)] or [""]
    for other, stems in zip(catalog, names.stems, strict=True):
        if not stems or stems[0] not in SEARCH_VERBS or other.name == tool.name or not is_name(other.name):
            continue
        if set(about) & set(stems[1:]) or (verb in SEARCH_VERBS and not other.required):
            yield other
