"""Suggest what to do after a search that found nothing: broaden it, or check where it searched.

Only a read-only tool that searches, or that lists with a filter, gets this advice. Elsewhere an empty answer is the
plain truth. A page after the last one is empty too, and so is the reply of a server that gives advice of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.listers import find_listers, is_search, usage_of
from fingerpost.engine.model import Call, Drop
from fingerpost.engine.render.corrected_call import SentCall, present_call
from fingerpost.engine.replies.paging_tips import NO_ADVICE, Advice, position_of
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.tool import Tool

_FILTER = lazy_pattern(
    r"filters?|glob|include|exclude|where|prefix|since|until|before|after|from|to|date|labels?|tags?|type|kind|status"
    r"|state|language|extension|author|owner|category|scope|path|folder|directory",
    re.IGNORECASE,
)
"""The last word of parameters that narrow a search."""
_QUERY = lazy_pattern(
    r"q|query|queries|pattern|regex|search|terms?|keywords?|text|phrase|match|contains|name|title", re.IGNORECASE
)
"""The last word of parameters that say what is searched for."""
_PAGING = lazy_pattern(
    r"limit|max(?:_?\w+)?|page(?:_?\w+)?|per_?page|offset|skip|start|cursor|after|top|count|sort(?:_?\w+)?|order(?:_?\w+)?",
    re.IGNORECASE,
)


def advise_on_nothing(call: Call, catalog: Catalog) -> Advice:
    """Suggest how to find something after all; no advice if the reply is empty for a good reason."""
    tool = catalog.get(call.tool)
    if tool is None or not tool.is_read_only or not isinstance(call.arguments, dict):
        return NO_ADVICE
    if not _narrows(call, tool) or position_of(call, tool) > 0:
        return NO_ADVICE
    listers = [usage_of(one) for one in islice(find_listers(tool, catalog), 3)]
    broader = _broader_call(call, tool)
    steps = {
        "broaden_search": broader or "Try a simpler pattern or remove filters",
        "check_scope": f"Use {listers[0]} to see what there is" if listers else "Check that this is the right place",
        **({"alternatives": listers} if listers else {}),
    }
    return Advice({}, steps, tuple(_lines(broader, listers)))


def _lines(broader: str, listers: list[str]) -> Iterator[str]:
    """Yield one short line: the call to make next, or else what to change."""
    ready = next((one for one in listers if one.endswith("()")), "")
    if broader:
        yield f"Without filters: {broader}"
    elif ready:
        yield f"Try something simpler, or see what there is: {ready}."
    else:
        yield "Nothing was found: try a simpler search, or another place."


def _narrows(call: Call, tool: Tool) -> bool:
    """Whether the call searches: by a verb and any argument, or by an argument that narrows a list."""
    given = [name for name, value in call.arguments.items() if value not in (None, "") and not _PAGING.fullmatch(name)]
    if is_search(tool):
        return bool(given)
    words = map(_last_word, given)
    return is_search(tool, lists=True) and any(_FILTER.fullmatch(word) or _QUERY.fullmatch(word) for word in words)


def _last_word(name: str) -> str:
    return re.split(r"[_\-.]|(?<=[a-z])(?=[A-Z])", name)[-1]


def _broader_call(call: Call, tool: Tool) -> str:
    """Return the same call without its optional filters; empty if it has none."""
    dropped = [name for name in call.arguments if _is_optional_filter(name, tool)]
    broader = call
    for name in dropped:
        broader = Drop((name,)).applied_to(broader)
    if not dropped or not tool.accepts(broader.arguments):
        return ""
    return clean(present_call(broader, SentCall(call, tool.secret_names)).text, 240)


def _is_optional_filter(name: str, tool: Tool) -> bool:
    return name in tool.params and name not in tool.required and _FILTER.fullmatch(_last_word(name)) is not None
