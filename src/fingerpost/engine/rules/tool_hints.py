"""What to do next if a tool was not found: try, check or choose one of those that are named, or list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching.actions import Danger, read_action
from fingerpost.engine.phrases import is_name, quote, show_name
from fingerpost.engine.rules.tool_listing import DESTROYER, has_all_words, is_at_most, rank_of_harm

_LOOK_FIRST = "Read what a tool does before you choose one"
"""Said where a destructive tool has such a name, or does such a thing: it is not pointed at."""
_CHOOSE = "Choose one of these if it fits"
_NOTHING = "No listed tool clearly does the same"
"""Said where all similar tools do the opposite or destroy something."""


def hint_beside_offer(asked: str, offered: Sequence[str], parameters: str) -> str:
    """Return what to know besides the tools that are offered: what they take, or why the name was not found."""
    if looks_the_same(asked, offered):
        return "The name that was sent has blanks or characters that cannot be seen"
    return parameters and f"Parameters: {parameters}"


def looks_the_same(asked: str, names: Sequence[str]) -> bool:
    """Whether a name differs from that of a tool only by what cannot be seen."""
    return any(is_name(name) and name == show_name(asked).strip() for name in names)


def hint_to_choose(asked: str, similar: Sequence[str], info_tool: str | None, parameters: str, catalog: Catalog) -> str:
    """Return what to do if no tool is offered: which listed one to look at, or how to see what there is."""
    if near := [name for name in similar if is_name(name) and has_all_words(name, asked)]:
        harmless = [name for name in near if is_at_most(name, Danger.WRITES, catalog)]
        return f"Check whether {quote(harmless[0])} does the same" if harmless else _LOOK_FIRST
    if parameters:
        return f"Check whether one fits: {parameters}"
    if similar:
        return _invite(asked, similar, catalog)
    if info_tool:
        return f"Use {info_tool}() to list all available tools"
    return "List the tools again to see what is available"


def _invite(asked: str, similar: Iterable[str], catalog: Catalog) -> str:
    """Invite to choose from the list, with care if that has what may destroy; not if it has only what must not be."""
    harms = [rank_of_harm(name, catalog, asked) for name in similar]
    if read_action(asked).danger is Danger.DESTROYS and max(harms) >= DESTROYER:
        return _LOOK_FIRST
    return _CHOOSE if min(harms) == 0 else _NOTHING
