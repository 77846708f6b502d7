"""Whether a declared name that is near an undeclared argument may be the intended one, by what both stand for."""

from __future__ import annotations

from fingerpost.engine.case import Case
from fingerpost.engine.matching import Match
from fingerpost.engine.model import Path
from fingerpost.engine.rules.flags import read_direction_word, says_opposite
from fingerpost.engine.rules.nested_fields import belongs_to_other, stems_of
from fingerpost.engine.safety.json_input import as_list
from fingerpost.engine.schema import walk as schemas

_LABELS = (frozenset({"name"}), frozenset({"id"}))


def may_be_intended(case: Case, at: Path, match: Match, nested: Path | None) -> bool:
    """Whether an argument may be for a parameter, or for the field at `nested`: no other thing, and no other kind."""
    if nested and belongs_to_other(str(at[-1]), nested):
        return False
    if not is_this_thing(match) or _labels_other_thing(case, at, match.name):
        return False
    return not _is_other_kind(case, at, nested or (*at[:-1], match.name))


def is_this_thing(match: Match) -> bool:
    """Whether a name stands for the same thing, perhaps in another unit."""
    return match.differs_by_unit or not match.is_other_thing


def _labels_other_thing(case: Case, at: Path, name: str) -> bool:
    """Whether a bare `name` or `id` would label another thing, while a parameter that may be the tool's own is missing.

    `name` of `get_app_logs` is the name of the app, and not the optional `dynoName`.
    """
    label, words = stems_of(at[-1]), stems_of(name)
    required = schemas.find_required(case.tool.schema, case.schema(at[:-1]))
    if label not in _LABELS or not label < words or name in required or not case.violations_of("required"):
        return False
    return (words - label).isdisjoint(stems_of(case.tool.name))


def _is_other_kind(case: Case, at: Path, target: Path) -> bool:
    """Whether a flag or a date would become something else: `send: false` is no `send_at`, a date is no `cursor`.

    A flag would also become something else if the other one asks for what it declines.
    """
    value = case.value(at)
    kinds = schemas.types(case.tool.schema, case.schema(target))
    if "boolean" in kinds and says_opposite(str(at[-1]), str(target[-1])):
        return True
    if isinstance(value, bool):
        return bool(kinds) and "boolean" not in kinds
    if read_direction_word(value) is not None and (choices := as_list(case.schema(target).get("enum"))):
        return all(read_direction_word(choice) is None for choice in choices)
    if not isinstance(value, str) or case.takes_date(value, target):
        return False
    declared = schemas.properties(case.tool.schema, case.schema(at[:-1]))
    return any(case.takes_date(value, (*at[:-1], name)) for name in declared if name not in case.value(at[:-1]))
