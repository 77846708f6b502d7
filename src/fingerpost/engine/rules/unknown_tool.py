"""The server has no tool with that name.

Fix grading: a name behind a client's prefix (`functions.`) or the name of this server, or within what a model's output
format leaves behind (`<|channel|>commentary`, `search:0`), or one that differs only in case and separators, is lossless
if exactly one tool has it; another spelling of a destructive tool is only offered, and so is a destructive tool behind
a name of this server that is not what the client calls it. Behind the name of another server, a read-only tool is
likely, and any other tool is only offered. A name that is merely close is only offered too: running
another tool than the one named may destroy data. So is the one tool that the name asks for in other words
(`tool_guesses`), if the arguments fit it. Between tools for the same thing the arguments decide (`tool_rivals`). A tool
that does the opposite, concerns another thing, is more dangerous or destroys more is not even offered, only listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import OFFER_THRESHOLD, Names, Reading, find_readings
from fingerpost.engine.matching.actions import (
    Danger,
    correct_verb,
    drop_light_verb,
    is_action,
    names_destruction,
    read_action,
)
from fingerpost.engine.matching.entities import are_same_entity
from fingerpost.engine.matching.evidence import Tier
from fingerpost.engine.matching.habits import find_by_habit
from fingerpost.engine.matching.losses import loses_more
from fingerpost.engine.matching.misspelling import fuse_opposites
from fingerpost.engine.matching.other_words import (
    Guess,
    Reason,
    has_opposite_word,
    is_plural,
    leaves_side_open,
    may_be_as_many,
)
from fingerpost.engine.matching.replacing import may_replace
from fingerpost.engine.matching.spelling import count_edits, normal_form
from fingerpost.engine.model import Applicability, Call, CallTool, Diagnosis, Fix, Grade
from fingerpost.engine.phrases import quote, show_name
from fingerpost.engine.rules.tool_arguments import find_fitting, takes_exactly
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.rules.tool_guesses import choose_tools
from fingerpost.engine.rules.tool_hints import hint_beside_offer, hint_to_choose, looks_the_same
from fingerpost.engine.rules.tool_listing import (
    MOST_READ,
    MOST_SIMILAR,
    find_names_nearby,
    is_at_most,
    show_parameters,
    suggest_names,
)
from fingerpost.engine.rules.tool_name_forms import BareName, Prefix, find_bare_names
from fingerpost.engine.rules.tool_readers import give_way_to_readers, lower
from fingerpost.engine.rules.tool_rivals import give_way_to_fitting
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.tool import Tool

CODE = "UNKNOWN_TOOL"

_SPELLING_CONFIDENCE = 0.95
_HABIT_CONFIDENCE = 0.75
_ARGUMENTS_CONFIDENCE = 0.75
"""Evidence besides the name is enough to offer a tool, and no more."""

_SURE = Applicability.MACHINE_APPLICABLE
_SAME_NAME = frozenset({Tier.LETTERS, Tier.WRAPPED, Tier.SHORT, Tier.NAMESPACE, Tier.SPELLING})
"""Another number or order of the words may be another tool: `get_pods` is `list_pods` rather than `pods_get`."""

Fits: TypeAlias = Callable[[Tool], bool]
"""Says whether the arguments of the call can be given to a tool: all of them, and nothing is missing."""


def _fits_nothing(tool: Tool) -> bool:
    return False


def diagnose(call: Call, catalog: Catalog, info_tool: str | None, fits: Fits = _fits_nothing) -> Diagnosis:
    names = list(find_bare_names(call.tool, catalog.server_names))
    fixes = _exact_fix(names, catalog)
    similar = [fix.edit.tool for fix in fixes if isinstance(fix.edit, CallTool)]
    if not fixes:
        fixes, similar = _find_similar(call, names[-1], catalog, fits)
    offered = [fix.value for fix in fixes if fix.confidence > OFFER_THRESHOLD]
    parameters = show_parameters(names[-1].name, similar, offered, catalog)
    return Diagnosis(
        code=CODE,
        message=f"Tool {quote(call.tool)} not found",
        details={"got": show_name(call.tool), "expected": "a listed tool"},
        category="not_found",
        suggestions=suggest_names(call.tool, similar, catalog, is_offered=bool(offered)),
        fixes=fixes,
        hint=hint_beside_offer(call.tool, offered, parameters)
        if offered
        else hint_to_choose(names[-1].name, similar, info_tool, parameters, catalog),
        is_hint_in_call=bool(offered and parameters) and not looks_the_same(call.tool, offered),
    )


def _exact_fix(forms: Iterable[BareName], catalog: Catalog) -> tuple[Fix, ...]:
    for form in forms:
        hits = [form.name] if catalog.get(form.name) else catalog.same_spelling(form.name)
        if len(hits) == 1:
            return (_fix_exact(form, catalog, hits[0]),)
    return ()


def _fix_exact(form: BareName, catalog: Catalog, name: str) -> Fix:
    """Return the fix for a name that is that of a tool but for what is around it, or its spelling."""
    tool = catalog.get(name)
    if tool is None or not _may_run(form, tool):
        return _fix(name, _SPELLING_CONFIDENCE, Applicability.MAYBE_INCORRECT)
    grade = Grade.LIKELY if form.prefix is Prefix.OTHER else form.grade
    return _fix(name, 1.0, Applicability.MACHINE_APPLICABLE, grade)


def _may_run(form: BareName, tool: Tool) -> bool:
    """Whether the call is certainly for this tool: its server is not in doubt, and no other name destroys anything."""
    if tool.is_read_only:
        return True
    if form.prefix > Prefix.OWN_OTHER:
        return False
    is_exact = form.name == tool.name and form.prefix <= Prefix.OWN and not form.is_decorated
    return is_exact or not _is_destructive(tool)


def _is_destructive(tool: Tool) -> bool:
    """Whether a tool is declared destructive, or has a word for it in its name and is not declared harmless."""
    hint = as_object(tool.entry.get("annotations")).get("destructiveHint")
    return hint is True or (hint is not False and names_destruction(tool.name))


def _find_similar(call: Call, form: BareName, catalog: Catalog, fits: Fits) -> tuple[tuple[Fix, ...], list[str]]:
    """Return the tools to offer, and the names to list: offered ones first, dangerous ones last."""
    bare, arguments = form.name, as_object(call.arguments)
    known = catalog.names_near(bare)
    context = {"server": catalog.server, "args": arguments, "schemas": catalog.schemas(known)}
    readings = find_readings(bare, known, "tool", context)
    fixes = [_offer(one) for one in readings if _may_offer(bare, one, readings, arguments, catalog, fits)]
    if not fixes and (corrected := correct_verb(bare)):
        return _find_similar(call, form._replace(name=corrected), catalog, fits)
    if not any(fix.confidence > OFFER_THRESHOLD for fix in fixes):
        fixes = [*_offers_beside_the_name(bare, known, arguments, catalog, fits), *fixes]
    fixes = _prefer_fitting(_without_repeats(fixes), arguments, catalog)
    if _needs_guess(bare, fixes, arguments, catalog):
        guesses = choose_tools(bare, known, arguments, catalog, fits)
        fixes = _add_guesses([one for one in guesses if _may_guess(form, one)], fixes, catalog, fits)
    fitting = find_fitting(bare, arguments, catalog)
    if not _is_named(fixes, readings):
        fixes = give_way_to_fitting(bare, fixes, _offered_tools(fixes, catalog), fitting, fits)
    fixes = _spare(give_way_to_readers(bare, fixes, arguments, catalog), catalog)
    fixes = [fix for fix in fixes if not loses_more(fix.value, bare)][:MOST_SIMILAR]
    return tuple(fixes), find_names_nearby(bare, known, fixes, readings, fitting, catalog)


def _is_named(fixes: Iterable[Fix], readings: Iterable[Reading]) -> bool:
    """Whether the name is certainly that of a tool, in another spelling, whatever the arguments are."""
    sure = [fix.value for fix in fixes if fix.applicability is _SURE]
    return any(one.match.name in sure and one.evidence.tier in _SAME_NAME for one in readings)


def _spare(fixes: list[Fix], catalog: Catalog) -> list[Fix]:
    """Offer no tool that destroys something beside another one: whoever has to choose may choose wrongly."""
    if len(_offered_tools(fixes, catalog)) < 2 or any(fix.applicability is _SURE for fix in fixes):
        return fixes
    spared = [fix if is_at_most(fix.value, Danger.WRITES, catalog) else lower(fix) for fix in fixes]
    return sorted(spared, key=lambda fix: -fix.confidence)


def _needs_guess(bare: str, fixes: Iterable[Fix], arguments: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether nothing is offered yet that the arguments speak for. A plural may ask for another tool than its noun."""
    offered = _offered_tools(fixes, catalog)
    return not offered or is_plural(bare) or not any(_takes(tool, arguments) for tool in offered)


def _offered_tools(fixes: Iterable[Fix], catalog: Catalog) -> list[Tool]:
    return [tool for fix in fixes if fix.confidence > OFFER_THRESHOLD and (tool := catalog.get(fix.value))]


def _may_guess(form: BareName, guess: Guess) -> bool:
    """A verb that does not say what to look up says it with what is in front of it: `calendar.show`."""
    return guess.reason is not Reason.READER or form.prefix <= Prefix.OWN_OTHER


def _add_guesses(guesses: Sequence[Guess], fixes: list[Fix], catalog: Catalog, fits: Fits) -> list[Fix]:
    """Offer the tools that the name asks for in other words, unless another one is offered with better reason.

    A tool for one thing gives way to one for several if only that takes the arguments: `get_flags` is `list_flags`.
    """
    if not guesses:
        return fixes
    names = [guess.name for guess in guesses]
    others = [tool for tool in _offered_tools(fixes, catalog) if tool.name not in names]
    if others and (any(guess.reason is not Reason.LOOKUP for guess in guesses) or any(map(fits, others))):
        return fixes
    lowered = [lower(fix) for fix in fixes if fix.value not in names]
    return [*[_fix(name, _ARGUMENTS_CONFIDENCE, Applicability.MAYBE_INCORRECT) for name in names], *lowered]


def _may_offer(
    bare: str, reading: Reading, readings: Sequence[Reading], arguments: Mapping[str, Any], catalog: Catalog, fits: Fits
) -> bool:
    tool = catalog.get(reading.match.name)
    if tool is None or _gives_several_for_one(bare, reading, tool, arguments):
        return False
    if has_opposite_word(bare, tool.name) or _is_bare_synonym(bare, reading, tool, arguments, fits):
        return False
    danger = danger_of_tool(tool)
    if danger is Danger.DESTROYS and _names_more_things(bare, tool.name):
        return False
    if danger is not Danger.READS and is_plural(tool.name) and not is_plural(bare) and not _takes(tool, arguments):
        return False  # one thing was asked for, and the tool does it to all of them
    if danger is not Danger.READS and leaves_side_open(bare, tool.name, [one.match.name for one in readings]):
        return False
    return may_replace(
        bare,
        tool.name,
        reading.evidence,
        danger,
        takes_arguments=bool(arguments) and _takes(tool, arguments),
    )


def _names_more_things(bare: str, name: str) -> bool:
    """Whether a tool is about a part or a companion of what was asked for: `delete_project_status`."""
    asked, nouns = read_action(bare).nouns, read_action(name).nouns
    extra = [noun for noun in nouns if noun not in asked]
    is_longer = 0 < len(asked) < len(nouns)
    return is_longer and not all(any(are_same_entity(noun, one) for one in asked) for noun in extra)


def _is_bare_synonym(bare: str, reading: Reading, tool: Tool, arguments: Mapping[str, Any], fits: Fits) -> bool:
    """Whether nothing but a synonym of the verb speaks for a tool, which needs other arguments: `export` and `get`."""
    if reading.evidence.is_whole or read_action(bare).nouns or read_action(tool.name).nouns:
        return False
    return not arguments.keys() >= set(tool.required) and not fits(tool)


def _gives_several_for_one(bare: str, reading: Reading, tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether one thing was asked for, which the arguments pick out, and the tool lists such things."""
    if reading.evidence.is_whole or may_be_as_many(bare, tool.name):
        return False
    return not _takes(tool, arguments)


def _takes(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    return all(name in tool.params for name in arguments)


def _offers_beside_the_name(
    bare: str, known: Names, arguments: Mapping[str, Any], catalog: Catalog, fits: Fits
) -> Iterator[Fix]:
    """Offer a tool for other reasons than its name: a habit, or a few letters and the arguments of the call."""
    groups = find_by_habit(bare, known)
    best = _choose_habit(groups, arguments, catalog)
    if len(best) == 1 and _may_follow_habit(bare, best[0], arguments, catalog, fits):
        yield _fix(best[0], _HABIT_CONFIDENCE, Applicability.MAYBE_INCORRECT)
    if (rest := drop_light_verb(bare)) and (place := known.by_key.get(rest)):
        yield _fix(known.names[place[0]], _HABIT_CONFIDENCE, Applicability.MAYBE_INCORRECT)
    near = [tool.name for tool in islice(catalog, MOST_READ) if _is_near(bare, tool)] if arguments else []
    fitting = [name for name in near if (tool := catalog.get(name)) and _takes(tool, arguments)]
    if len(fitting) == 1:
        yield _fix(fitting[0], _ARGUMENTS_CONFIDENCE, Applicability.MAYBE_INCORRECT)


def _choose_habit(groups: Sequence[list[str]], arguments: Mapping[str, Any], catalog: Catalog) -> list[str]:
    """Return the only tool that takes exactly the arguments, else the best ones."""
    tools = [tool for group in groups for name in group if (tool := catalog.get(name))] if arguments else []
    exact = [tool.name for tool in tools if takes_exactly(tool, arguments)]
    return exact if len(exact) == 1 else groups[0] if groups else []


def _may_follow_habit(bare: str, name: str, arguments: Mapping[str, Any], catalog: Catalog, fits: Fits) -> bool:
    """Whether a habitual name may lead to a tool.

    A verb that reads leads to no tool that writes. Only a verb that destroys leads to a tool that does, if the
    arguments fit.
    """
    danger = read_action(bare).danger
    if danger is Danger.DESTROYS and arguments and (tool := catalog.get(name)) and fits(tool):
        return True
    return is_at_most(name, Danger.READS if danger is Danger.READS else Danger.WRITES, catalog)


def _is_near(bare: str, tool: Tool) -> bool:
    """Whether a short name is one letter away, and no verb itself: `ad` may be `add`, but `get` is not `let`."""
    key, name = normal_form(bare), normal_form(tool.name)
    if fuse_opposites(key, name):
        return False
    return 1 < len(key) < 6 and abs(len(key) - len(name)) < 2 and not is_action(key) and count_edits(key, name, 1) == 1


def _prefer_fitting(fixes: list[Fix], arguments: Mapping[str, Any], catalog: Catalog) -> list[Fix]:
    """If exactly one of several tools declares all arguments of the call, put it first and lower the others."""
    fixes = sorted(fixes, key=lambda fix: -fix.confidence)
    if not arguments or any(fix.applicability is Applicability.MACHINE_APPLICABLE for fix in fixes):
        return fixes
    fitting = [fix for fix in fixes if (tool := catalog.get(fix.value)) and _takes(tool, arguments)]
    if len(fitting) != 1 or fitting[0].confidence <= OFFER_THRESHOLD:
        return fixes
    lowered = [replace(fix, confidence=min(fix.confidence, OFFER_THRESHOLD)) for fix in fixes if fix not in fitting]
    return [*fitting, *lowered]


def _without_repeats(fixes: Iterable[Fix]) -> list[Fix]:
    return list({fix.value: fix for fix in reversed(list(fixes))}.values())[::-1]


def _offer(reading: Reading) -> Fix:
    match = reading.match
    is_sure = match.is_clear and match.confidence > OFFER_THRESHOLD
    return _fix(
        match.name, match.confidence, Applicability.MACHINE_APPLICABLE if is_sure else Applicability.MAYBE_INCORRECT
    )


def _fix(name: str, confidence: float, applicability: Applicability, grade: Grade = Grade.OFFERED) -> Fix:
    return Fix(CallTool(name), applicability, grade, confidence, value=name, label=clean(name))
