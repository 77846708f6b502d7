"""Which names of tools an answer lists: similar ones, readers of the same things first, and the dangerous ones last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import OFFER_THRESHOLD, Names, Reading
from fingerpost.engine.matching.actions import Danger, are_like_verbs, danger_of, read_action
from fingerpost.engine.matching.entities import are_same_entity
from fingerpost.engine.matching.evidence import OTHER_THING
from fingerpost.engine.matching.habits import find_by_habit
from fingerpost.engine.matching.lexicon import share_group
from fingerpost.engine.matching.losses import loses_more
from fingerpost.engine.matching.other_words import has_opposite_word
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Fix
from fingerpost.engine.phrases import is_name
from fingerpost.engine.rules.tool_arguments import Fitting
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.tool import Tool

MOST_SIMILAR = 5
MOST_READ = 512
"""Tools that are looked at one by one, in large lists."""
_MOST_CATEGORIES, _FEW_TOOLS = 8, 8
_MOST_SAME_NOUN = 20
_MOST_READERS_FIRST = 3
_MOST_FITTING, _MOST_DANGEROUS = 2, 2
_MOST_SHORT, _SHORT = 256, 2
"""Names that are looked at one by one, and how many words a name has that may be only a verb: `power_off`."""
_ANYTHING = frozenset({
    "data", "detail", "element", "entity", "info", "information", "item", "object", "record", "resource", "result",
    "thing",
})  # fmt: skip
"""Nouns that say nothing about the thing."""
_MOST_WITH_PARAMETERS, _LONGEST_PARAMETERS = 2, 70


def suggest_names(asked: str, similar: Sequence[str], catalog: Catalog, *, is_offered: bool) -> dict[str, Any]:
    """Return the names to choose from: similar ones, all if they are few, and how many begin with which word."""
    listed = [] if is_offered else _names_to_list(asked, similar, catalog)
    categories = dict(list(catalog.categories.items())[:_MOST_CATEGORIES])
    found: dict[str, Any] = {
        "similar_tools": [clean(name) for name in similar[:MOST_SIMILAR]],
        "available_tools": [clean(name) for name in listed],
        "available_categories": {clean(word): count for word, count in categories.items()},
    }
    return {key: value for key, value in found.items() if value}


def _names_to_list(asked: str, similar: Sequence[str], catalog: Catalog) -> list[str]:
    """Return all names of a short list, similar ones first. Of a long one without similar names, one of each kind."""
    names = [tool.name for tool in islice(catalog, MOST_READ)]
    if len(names) <= _FEW_TOOLS:
        return _harmless_first([*similar, *names], catalog, asked)
    if similar:
        return []
    by_category: dict[str, str] = {}
    for name in names:
        by_category.setdefault(next(iter(split_words(name)), ""), name)
    return _harmless_first(by_category.values(), catalog, asked)[:MOST_SIMILAR]


def find_names_nearby(
    bare: str,
    known: Names,
    fixes: Sequence[Fix],
    readings: list[Reading],
    fitting: Sequence[Fitting],
    catalog: Catalog,
) -> list[str]:
    """Return the names to list: offered ones, those that the arguments fit, readers of the same things, others.

    Opposites and destroyers are last. Those that the arguments fit, and what may destroy the thing, are never left out.
    """
    fixed = [fix.value for fix in fixes]
    is_offered = any(fix.confidence > OFFER_THRESHOLD for fix in fixes)
    near = _find_near(bare, known, readings, catalog, is_offered=is_offered)
    if is_offered:
        names = [*fixed, *_harmless_first((name for name in near if name not in fixed), catalog, bare)]
        return names[:MOST_SIMILAR]
    fit = [one.tool.name for one in fitting[:_MOST_FITTING]]
    kept = dict.fromkeys([*fit, *_most_dangerous(bare, known, fitting, catalog)])
    wanted = [*fixed, *fit, *_same_action(bare, near, catalog), *_harmless_first(near, catalog, bare), *kept]
    names = list(dict.fromkeys(wanted))
    others = [name for name in names if name not in kept][: MOST_SIMILAR - len(kept)]
    return _harmless_first((name for name in names if name in kept or name in others), catalog, bare)


def _find_near(bare: str, known: Names, readings: list[Reading], catalog: Catalog, *, is_offered: bool) -> list[str]:
    """Return the names that are near: readers of the same things first, then others that do no more than is asked."""
    habits = [name for group in find_by_habit(bare, known) for name in group]
    limit = Danger.READS if read_action(bare).danger is Danger.READS else Danger.WRITES
    near = [one.match.name for one in readings if OTHER_THING.isdisjoint(one.evidence.guards)]
    harmless = [name for name in (*near, *habits) if is_at_most(name, limit, catalog)]
    same = _same_nouns(bare, known, limit, catalog)
    readers = [name for name in same if is_at_most(name, Danger.READS, catalog)][:_MOST_READERS_FIRST]
    generic = [] if is_offered else _same_verbs(bare, known)
    every = [*readers, *harmless, *generic, *same, *[one.match.name for one in readings], *habits]
    return list(dict.fromkeys(every))


def _same_action(bare: str, names: Iterable[str], catalog: Catalog) -> list[str]:
    """Return the tools that do the same to the same thing, by their names: `reply` for `reply_to_message`."""
    ours = read_action(bare)
    harmless = [
        name for name in names if is_at_most(name, Danger.WRITES, catalog) and not has_opposite_word(bare, name)
    ]
    actions = [(name, read_action(name)) for name in harmless]
    return [
        name
        for name, theirs in actions
        if are_like_verbs(ours.verb, theirs.verb)
        and (not theirs.nouns or any(are_same_entity(one, other) for one in ours.nouns for other in theirs.nouns))
    ]


def show_parameters(bare: str, similar: Sequence[str], offered: Collection[str], catalog: Catalog) -> str:
    """Show what the one or two tools for the same thing take: those that are offered, else those that only read.

    Empty if there are more, if it would be long, or if the name asks for more than to read.
    """
    asked = read_action(bare)
    same = [name for name in similar if not set(asked.nouns).isdisjoint(read_action(name).nouns)]
    near = [tool for name in same if is_at_most(name, Danger.WRITES, catalog) and (tool := catalog.get(name))]
    readers = [tool for tool in near if tool.is_read_only and asked.danger is Danger.READS]
    chosen = [tool for tool in near if tool.name in offered] or readers
    if not chosen or len(chosen) > _MOST_WITH_PARAMETERS:
        return ""
    for optional in (True, False):
        text = ", ".join([_signature(tool, optional=optional) for tool in chosen])
        if len(text) <= _LONGEST_PARAMETERS:
            return text
    return ""


def _signature(tool: Tool, *, optional: bool) -> str:
    """Write a tool with its parameters and their types: `search_vessels(query: string, flag?: string)`."""
    names = [name for name in tool.params if is_name(name) and (optional or name in tool.required)]
    params = [f"{name}{'' if name in tool.required else '?'}: {tool.param_types.get(name, 'any')}" for name in names]
    return f"{clean(tool.name)}({', '.join(params)})"


def _same_nouns(bare: str, known: Names, limit: Danger, catalog: Catalog) -> list[str]:
    """Return tools that concern the things that the unknown name does and are no more dangerous; readers first."""
    names = _with_nouns(read_action(bare).nouns, known)
    readers = [name for name in names if is_at_most(name, Danger.READS, catalog)]
    return [*readers, *[name for name in names if is_at_most(name, limit, catalog)]]


def _same_verbs(bare: str, known: Names) -> list[str]:
    """Return tools that do the same to things of any kind: `delete_resource` for `delete_pod`.

    A tool that is only a verb may be a synonym that destroys nothing: `reboot` for `restart_server`.
    """
    verb = read_action(bare).verb
    names = [known.names[place] for place in known.by_stem.get(verb, ())[:_MOST_SAME_NOUN]]
    same = [name for name in names if (action := read_action(name)).verb == verb and _ANYTHING.issuperset(action.nouns)]
    short = [name for name, words in zip(known.names[:_MOST_SHORT], known.words, strict=False) if len(words) <= _SHORT]
    verbs = ((name, action.verb) for name in short if not (action := read_action(name)).nouns)
    return [*same, *[name for name, one in verbs if are_like_verbs(verb, one) and danger_of(one) < Danger.DESTROYS]]


def _most_dangerous(bare: str, known: Names, fitting: Sequence[Fitting], catalog: Catalog) -> list[str]:
    """Return the tools that are listed last, for this thing and for anything, which may destroy it.

    Of several, the arguments and the verb decide. Whoever asks to read needs none, and whoever asks to write only one
    with such a verb. Whoever asks to destroy is shown two, because nothing is offered.
    """
    asked = read_action(bare)
    if asked.danger is Danger.READS:
        return []
    undoes = asked.verb.startswith("un")
    fit = [one.tool.name for one in fitting]
    found: list[str] = []
    for names, most in ((_with_nouns(asked.nouns, known), _MOST_DANGEROUS), (_same_verbs(bare, known), 1)):
        dangerous = [name for name in names if not is_at_most(name, Danger.WRITES, catalog)]
        near = [name for name in dangerous if share_group("verbs", asked.verb, read_action(name).verb)]
        chosen = near or (dangerous if asked.danger is not Danger.WRITES or undoes else [])
        found += sorted(chosen, key=lambda name: name not in fit)[: most if asked.danger is Danger.DESTROYS else 1]
    return list(dict.fromkeys(found))


def _with_nouns(nouns: Sequence[str], known: Names) -> list[str]:
    """Return the tools with one of these nouns, or else with a name of several words for the last one."""
    places = [place for noun in nouns for place in known.by_stem.get(noun, ())[:_MOST_SAME_NOUN]]
    if nouns and not places:
        return [
            name for name in known.names[:_MOST_SHORT] if are_same_entity(nouns[-1], "".join(read_action(name).nouns))
        ]
    return [known.names[place] for place in dict.fromkeys(places)]


def has_all_words(name: str, asked: str) -> bool:
    """Whether the name of a tool is the asked one with more words, or only its verb: `arm_alarm` or `arm`."""
    theirs, ours = ({stem(word) for word in split_words(one)} for one in (name, asked))
    return bool(ours) and (ours <= theirs or theirs == {read_action(asked).verb})


def _harmless_first(names: Iterable[str], catalog: Catalog, asked: str) -> list[str]:
    """Put tools that do the opposite behind the others, and those that may destroy something last."""
    return sorted(dict.fromkeys(names), key=lambda name: rank_of_harm(name, catalog, asked))


DESTROYER = 2
"""The rank of harm from which on a tool may destroy something."""


def rank_of_harm(name: str, catalog: Catalog, asked: str) -> int:
    """Return how much harm a tool may do to whoever chooses it for another: none, it does the opposite, it destroys."""
    if not is_at_most(name, Danger.WRITES, catalog):
        return DESTROYER + loses_more(name, asked)
    return int(not is_at_most(name, Danger.READS, catalog) and has_opposite_word(asked, name))


def is_at_most(name: str, danger: Danger, catalog: Catalog) -> bool:
    tool = catalog.get(name)
    return tool is not None and danger_of_tool(tool) <= danger
