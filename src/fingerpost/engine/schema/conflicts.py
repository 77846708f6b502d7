"""Find the names in an object that a schema does not allow together."""

from __future__ import annotations

from typing import Any

from fingerpost.engine.model import Violation
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.schema.walk import Schema, find_required, schema_at

CONFLICT_KEYWORDS = ("oneOf", "not", "falseSchema")


def find_conflicts(root: Schema, violation: Violation, value: Any) -> list[str]:
    """Return the names that exclude each other, in the value that breaks the schema."""
    if violation.keyword not in CONFLICT_KEYWORDS:
        return []
    if violation.keyword == "falseSchema":
        return [str(violation.at[-1])] if violation.at else []
    given = as_object(value)
    groups = _exclusive_groups(root, violation) if given else []
    complete = [group for group in groups if all(name in given for name in group)]
    return list(dict.fromkeys(name for group in complete for name in group))


def _exclusive_groups(root: Schema, violation: Violation) -> list[tuple[str, ...]]:
    """Return the groups of names that exclude each other."""
    is_one_of = violation.keyword == "oneOf"
    branches = violation.schema.get("oneOf") if is_one_of else _forbidden_combinations(violation.expected)
    everywhere = find_required(root, schema_at(root, violation.at)) if is_one_of else ()
    required = [find_required(root, branch) for branch in as_list(branches)]
    return [names for group in required if (names := tuple(name for name in group if name not in everywhere))]


def _forbidden_combinations(schema: Any) -> list[Any]:
    """Return the schemas that a `not` forbids: one, or any of several."""
    forbidden = as_object(schema)
    return next((several for word in ("anyOf", "oneOf") if (several := as_list(forbidden.get(word)))), [forbidden])
