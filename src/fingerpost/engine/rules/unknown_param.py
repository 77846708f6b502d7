"""The call passes an argument that the tool does not declare.

Servers that ignore unknown names run with a default that the caller did not choose. Servers that reject them often
do not say which name was expected. An argument maps to a parameter only by its own name; that a parameter is missing
is no evidence. An argument without a place is left out where that cannot hurt (see `leave_out`).

Fix grading: a name that differs only in case and separators is lossless. A declared parameter is likely if it is
unset, clearly the closest, accepts the value, and is the closest to no other undeclared argument. Any other close
name, or a field of an object parameter, is offered. Leaving out an argument that explains the call, or that the schema
forbids, is likely on read-only tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD, Match, closest
from fingerpost.engine.matching.lexicon import is_commentary
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.matching.units import has_unit, may_differ_by_unit
from fingerpost.engine.model import (
    Applicability,
    Diagnosis,
    Drop,
    Edit,
    Fix,
    Grade,
    Move,
    Path,
    Rename,
    Severity,
    are_contested,
)
from fingerpost.engine.phrases import format_path, parameter_label, quote, quote_exactly, show_name
from fingerpost.engine.rules.argument_readings import (
    MANY_NAMES,
    SIDE_CONFIDENCE,
    find_readings,
    parameter_types,
    reads_as_number,
    side_match,
)
from fingerpost.engine.rules.bounds import read_bound
from fingerpost.engine.rules.flags import read_choice, read_direction, read_flag, read_order
from fingerpost.engine.rules.intended_name import is_this_thing, may_be_intended
from fingerpost.engine.rules.leave_out import leave_out, leave_out_unplaced, limits_effect, may_have_place
from fingerpost.engine.rules.nested_fields import find_nested_fields, stems_of
from fingerpost.engine.rules.parts import describe_parts, describe_whole, find_places, find_whole
from fingerpost.engine.rules.remarks import find_remark_places
from fingerpost.engine.rules.respelling import accepts_value
from fingerpost.engine.rules.slips import is_slip
from fingerpost.engine.rules.unsaid_words import leaves_word_unsaid
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.formats import LENIENT_FORMATS
from fingerpost.engine.schema.sample import MOST_EXPLAINED
from fingerpost.engine.schema.validate import MAX_DIAGNOSES, UNDECLARED_KEYWORD
from fingerpost.engine.values.slot import Slot
from fingerpost.engine.values.units import read_in_unit

CODE = "UNKNOWN_PARAM"

_MOST_NAMES = 8
_TO_CONVERT = 0.75
_FLAG_TEXTS = {"true": True, "false": False}


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for holder, declared, strays, must_be_near in _objects_to_check(case):
        if sent := [key for key in strays if key in case.value(holder)]:
            yield from _diagnose_object(case, holder, declared, sent, must_be_near=must_be_near)


def _objects_to_check(case: Case) -> Iterator[tuple[Path, Mapping[str, Any], list[str], bool]]:
    """Yield each object with undeclared names: its path, declarations, those names, and whether they must be close."""
    missing = [violation.at for violation in case.violations_of("required")]
    if not case.tool.is_open:
        yield (), case.tool.params, case.find_unknown_arguments(), False
    forbidden = {violation.at: violation for violation in case.violations_of(UNDECLARED_KEYWORD) if violation.at}
    for at, violation in forbidden.items():
        yield at, schemas.properties(case.tool.schema, violation.schema), as_strings(violation.expected), False
    for at, declared, strays in case.nested_unknown_arguments:
        yield at, declared, strays, True
    for at in missing:
        if at in forbidden or (at == () and not case.tool.is_open) or not isinstance(case.value(at), dict):
            continue
        declared = schemas.properties(case.tool.schema, case.schema(at))
        yield at, declared, [key for key in case.value(at) if key not in declared], True


def _diagnose_object(
    case: Case, holder: Path, declared: Mapping[str, Any], every: list[str], *, must_be_near: bool
) -> Iterator[Diagnosis]:
    """Diagnose the undeclared names of one object, `every` one of which the call sends."""
    most = MAX_DIAGNOSES if len(case.value(holder)) <= MANY_NAMES else MOST_EXPLAINED
    nested: Mapping[str, Path] = {} if holder else find_nested_fields(case)
    readings = find_readings(case, holder, declared, every[:most], nested)
    readings |= _read_only_one(case, holder, readings)
    found = _Found(declared, nested, readings, may_leave_out=len(every) <= most)
    for stray, matches in readings.items():
        if must_be_near and not _is_near(matches):
            yield from _diagnose_undeclared(case, (*holder, stray), declared)
        else:
            yield _diagnose_argument(case, (*holder, stray), found)


class _Found(NamedTuple):
    """What was found out about the undeclared names of one object."""

    declared: Mapping[str, Any]
    nested: Mapping[str, Path]
    """The places of the fields that may be meant inside other objects."""
    readings: Mapping[str, Sequence[Match]]
    may_leave_out: bool
    """False for very many names: leaving a few of them out would not help."""

    def count_claims(self, name: str) -> int:
        """Return how many arguments are probably meant by this name."""
        return sum(matches[0].name == name for matches in self.readings.values() if matches and _is_likely(matches[0]))


def _diagnose_argument(case: Case, at: Path, found: _Found) -> Diagnosis:
    """Diagnose one undeclared name by the first rule that finds a place for it."""
    stray, declared, nested = str(at[-1]), found.declared, found.nested
    matches, given = found.readings[stray], case.value(at[:-1])
    if parts := find_places(case, at, found.readings, declared, nested):
        return _diagnose_whole(case, at, declared, parts, is_near=bool(matches))
    unclear = [other for other, read in found.readings.items() if not (read and read[0].is_clear)]
    if whole := find_whole(stray, unclear, [name for name in declared if name not in given]):
        return _diagnosis(case, at, [], declared, is_near=True, hint=describe_whole(*whole))
    near = [one for one in matches if may_be_intended(case, at, one, nested.get(one.name))][:3]
    fixes = [_fix(case, at, match, found.count_claims(match.name), nested.get(match.name)) for match in near]
    if fixes and fixes[0].confidence > OFFER_THRESHOLD:
        return _diagnosis(case, at, fixes, declared, is_near=True, hint=_bound_hint(stray, declared, given))
    if flag := _fix_flag(case, at, declared):
        return _diagnosis(case, at, [flag], declared, is_near=True)
    if places := find_remark_places(case, at, declared):
        return _diagnosis(case, at, _fix_remark(at, places), declared, is_near=True)
    return _diagnose_far(case, at, fixes, declared, is_near=bool(matches), may_leave_out=found.may_leave_out)


def _is_near(matches: Sequence[Match]) -> bool:
    return bool(matches) and (matches[0].confidence > OFFER_THRESHOLD or matches[0].differs_by_unit)


def _diagnose_undeclared(case: Case, at: Path, declared: Mapping[str, Any]) -> Iterator[Diagnosis]:
    """Diagnose a field that the schema of its object neither declares nor forbids, if ignoring it would do harm.

    Such a field is no mistake by itself, because the server may use it. But if the server ignores a filter of what it
    removes, or a dry run, it does more than was asked for; and a field that may be a declared one has to be that one.
    """
    must_hold = case.tool.is_destructive or limits_effect(at) or may_have_place(case, at)
    if must_hold and not is_commentary(str(at[-1])):
        fix = leave_out_unplaced(case, at)
        yield _diagnosis(case, at, [fix] if fix else [], declared, is_near=True)


def _diagnose_far(
    case: Case, at: Path, fixes: list[Fix], declared: Mapping[str, Any], *, is_near: bool, may_leave_out: bool
) -> Diagnosis:
    """Diagnose an argument that no declared name is close enough to."""
    given_name = _given_near_name(case, at, declared)
    more = _leave_out(case, at, given_name, fixes, is_near=is_near) if may_leave_out else []
    hint = f"{quote(given_name)} is already given" if given_name else ""
    return _diagnosis(case, at, [*fixes, *more], declared, is_near=is_near, hint=hint)


def _diagnose_whole(
    case: Case, at: Path, declared: Mapping[str, Any], parts: Sequence[Path], *, is_near: bool
) -> Diagnosis:
    """Diagnose an argument whose parts are parameters, which the caller has to fill in."""
    fix = None if is_near else leave_out_unplaced(case, at)
    hint = describe_parts(str(at[-1]), [format_path(part) for part in parts])
    return _diagnosis(case, at, [fix] if fix else [], declared, is_near=True, hint=hint)


def _read_only_one(case: Case, holder: Path, readings: Mapping[str, Sequence[Match]]) -> dict[str, Sequence[Match]]:
    """Return the reading of the only argument without a place as the only parameter that is missing.

    Their names must differ by a slip, or by a word that goes without saying, and the value must fit.
    """
    likely = {stray: matches[0] for stray, matches in readings.items() if matches and _is_likely(matches[0])}
    strays = [stray for stray in readings if stray not in likely]
    claimed = {match.name for match in likely.values()}
    required = schemas.find_required(case.tool.schema, case.schema(holder))
    missing = [name for name in required if not case.has((*holder, name)) and name not in claimed]
    if len(strays) != 1 or len(missing) != 1:
        return {}
    stray, name = strays[0], missing[0]
    at = (*holder, stray)
    if not is_slip(stray, name, case.tool.name) and not leaves_word_unsaid(stray, name, case.value(at)):
        return {}
    fits = accepts_value(case.after([Rename(at, name)]), (*holder, name))
    return {stray: (side_match(name, needs_value=False),)} if fits else {}


def _is_likely(match: Match) -> bool:
    return match.confidence > OFFER_THRESHOLD and is_this_thing(match)


def _bound_hint(stray: str, declared: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Say how a declared bound differs from an undeclared one, if the caller has to choose its value anew."""
    bound = read_bound(stray, declared, given)
    if bound is None or bound.is_same:
        return ""
    return f"{quote(bound.name)} and {quote(stray)} differ: only one of them includes the value itself"


def _fix(case: Case, at: Path, match: Match, claims: int, nested: Path | None) -> Fix:
    """Return the fix that gives an argument the name, or the place, of a declared one."""
    target = nested or (*at[:-1], match.name)
    label = _label(match, nested)
    edit: Edit = Move(at, target) if nested else Rename(at, match.name)
    if match.differs_by_unit and (number := _read_in_unit(case, at, target)) is not None:
        move = Move(at, target, number)
        return Fix(move, Applicability.MAYBE_INCORRECT, confidence=SIDE_CONFIDENCE, value=match.name, label=label)
    same_letters = spelling(str(at[-1])) == spelling(match.name)
    is_only = match.is_clear and claims == 1 and not nested
    is_sure = is_only and (same_letters or accepts_value(case.after([edit]), target))
    if _has_to_convert(case, at, target, match, is_sure=is_sure):
        return _fix_with_placeholder(case, at, target, match, label)
    return Fix(
        edit=edit,
        applicability=Applicability.MACHINE_APPLICABLE if is_sure else Applicability.MAYBE_INCORRECT,
        grade=(Grade.LOSSLESS if same_letters else Grade.LIKELY) if is_sure else Grade.OFFERED,
        confidence=match.confidence if claims < 2 else min(match.confidence, OFFER_THRESHOLD),
        value=format_path(target) if nested else match.name,
        label=label,
    )


def _read_in_unit(case: Case, at: Path, target: Path) -> int | float | None:
    """Return the number of a text with the unit that the parameter is named after: `dose: "100 mg"` for `dose_mg`."""
    name = str(target[-1])
    slot = Slot(case.value(at), schemas.types(case.tool.schema, case.schema(target)), name=name)
    return None if has_unit(str(at[-1])) or case.is_secret(at) else read_in_unit(slot)


def _label(match: Match, nested: Path | None) -> str:
    """Return how the caller reads a name; nothing for one that has nothing in common with what was sent."""
    is_near = match.confidence > OFFER_THRESHOLD or match.is_related
    return clean(format_path(nested or (match.name,))) if is_near else ""


def _fix_with_placeholder(case: Case, at: Path, target: Path, match: Match, label: str) -> Fix:
    """Return the fix for a value that does not fit its place: it is in another unit, or lacks a time."""
    edit = Move(at, target, disclosure.placeholder(case.tool.schema, case.schema(target)))
    likely = _TO_CONVERT if match.differs_by_unit else min(match.confidence, _TO_CONVERT)
    return Fix(edit, Applicability.HAS_PLACEHOLDERS, confidence=likely, value=match.name, label=label)


def _has_to_convert(case: Case, at: Path, target: Path, match: Match, *, is_sure: bool) -> bool:
    """Whether a value is in another unit, or is a date where a time is asked for, which only some servers accept."""
    if reads_as_number(case.value(at)) and may_differ_by_unit(str(at[-1]), str(target[-1])):
        return True
    if match.differs_by_unit or is_sure or case.schema(target).get("format") != "date-time":
        return match.differs_by_unit
    value = case.value(at)
    return isinstance(value, str) and LENIENT_FORMATS["date"](value)


def _fix_flag(case: Case, at: Path, declared: Mapping[str, Any]) -> Fix | None:
    """Return the fix that says the same with a declared flag or direction. It has no label: it may be the opposite."""
    given = case.value(at[:-1])
    unset = {name: schema for name, schema in declared.items() if name not in given}
    types = parameter_types(case, at[:-1], declared)
    value = _FLAG_TEXTS.get(case.value(at), case.value(at)) if isinstance(case.value(at), str) else case.value(at)
    stray, flags = str(at[-1]), [name for name in unset if types.get(name) == "boolean"]
    choices = {name: as_list(as_object(schema).get("enum")) for name, schema in unset.items()}
    reading = read_flag(stray, value, flags) or read_direction(stray, value, choices)
    reading = reading or read_choice(stray, value, choices) or read_order(stray, value, flags)
    if reading is None:
        return None
    name, choice = reading
    return Fix(Move(at, (*at[:-1], name), choice), Applicability.MAYBE_INCORRECT, confidence=SIDE_CONFIDENCE)


def _fix_remark(at: Path, places: Sequence[str]) -> list[Fix]:
    """Return the fix that gives a remark to the only parameter that is about it."""
    if len(places) > 1:
        return []
    edit = Rename(at, places[0])
    return [Fix(edit, Applicability.MAYBE_INCORRECT, confidence=SIDE_CONFIDENCE, value=places[0], label=places[0])]


def _diagnosis(
    case: Case, at: Path, fixes: list[Fix], declared: Mapping[str, Any], *, is_near: bool, hint: str = ""
) -> Diagnosis:
    """Diagnose an unknown argument. `is_near`: a declared name is near, even if it cannot be the intended one."""
    has_place = bool(fixes) and fixes[0].confidence > OFFER_THRESHOLD and bool(fixes[0].label)
    near = fixes[0] if has_place and not are_contested(fixes) else None
    name = quote_exactly(format_path(at))
    return case.make_diagnosis(
        CODE,
        f"Unknown param {name}, did you mean {quote(near.label)}?" if near else f"Unknown param {name}",
        at,
        severity=Severity.MEDIUM,
        fixes=fixes,
        details={
            "got": show_name(str(at[-1])),
            "expected": _list_names(declared, str(at[-1])),
        },
        hint=hint,
        warning="" if is_near else f"Unknown param {name} ignored",
        blocks=is_near or (_drops_nothing(fixes) and (case.is_forbidden(at) or may_have_place(case, at))),
    )


def _drops_nothing(fixes: Sequence[Fix]) -> bool:
    """Whether no fix leaves the argument out of a call that could then be sent as it is."""
    return all(fix.applicability is Applicability.HAS_PLACEHOLDERS for fix in fixes)


def _list_names(declared: Mapping[str, Any], stray: str) -> str:
    """Write the names of the parameters; of many, some and how many more there are: first those that share a word."""
    more, ordered = len(declared) - _MOST_NAMES, list(islice(declared, MANY_NAMES))
    if more > 0:
        words = stems_of(stray)
        ordered.sort(key=lambda name: words.isdisjoint(stems_of(name)))
    names = ", ".join(parameter_label((name,)) for name in ordered[:_MOST_NAMES])
    return f"{names} and {more:,} more" if more > 0 else names or "none"


def _leave_out(case: Case, at: Path, given_name: str | None, near: Sequence[Fix], *, is_near: bool) -> list[Fix]:
    """Return the fix that leaves the argument out; beside a given parameter of a similar name, only if both agree.

    What resembles a parameter (`is_near`) is left out only where that parameter has to be filled in anyway.
    """
    if given_name is not None:
        are_equal = case.value(at) == case.value((*at[:-1], given_name))
        return [Fix(Drop(at), Applicability.MAYBE_INCORRECT, confidence=0.9)] if are_equal and not near else []
    required = schemas.find_required(case.tool.schema, case.schema(at[:-1]))
    if not all(fix.value in required for fix in near):
        return []
    fix = leave_out_unplaced(case, at) if near or (is_near and not is_commentary(str(at[-1]))) else leave_out(case, at)
    return [fix] if fix else []


def _given_near_name(case: Case, at: Path, declared: Mapping[str, Any]) -> str | None:
    """Return the declared name that the undeclared one resembles, if that is already given."""
    given = case.value(at[:-1])
    taken = [name for name in declared if name in given]
    near = closest(str(at[-1]), taken, "parameter")
    if not near or near[0].confidence <= OFFER_THRESHOLD:
        return None
    is_same = near[0].is_clear or not stems_of(str(at[-1])).isdisjoint(stems_of(near[0].name))
    return near[0].name if is_same else None  # a `name` is not the `project` that is given
