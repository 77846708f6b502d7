"""The call omits an argument that the tool requires.

All missing arguments are reported at once, including those in nested objects and those that other arguments make
required.

Fix grading: a value that the schema sets by `const` is offered, and so is the unit that stands behind the number of
another argument. A `default` is offered for a tool that only reads; on another one the caller has to choose what is
written where. Otherwise the corrected call has a placeholder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Path, Replace, Violation
from fingerpost.engine.phrases import format_path, join_names, key_of, literal, parameter_label, quote
from fingerpost.engine.rules.split_unit import find_split
from fingerpost.engine.safety.json_input import as_list, as_strings
from fingerpost.engine.safety.redact import clean, is_harmless
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema import walk as schemas

CODE = "MISSING_REQUIRED"

_MOST_CHOICES_IN_PLACEHOLDER = 4


def diagnose(case: Case) -> Iterator[Diagnosis]:
    for violation in case.violations:
        if violation.keyword in ("required", "dependentRequired") and case.has(violation.at):
            names = as_strings(violation.expected) or as_strings([violation.expected])
            yield _diagnosis(case, violation, names)


def _diagnosis(case: Case, violation: Violation, names: list[str]) -> Diagnosis:
    root = case.tool.schema
    at = (*violation.at, names[0])
    cause = _cause(case, violation, names[0]) if violation.keyword == "dependentRequired" else None
    schema = schemas.child(root, violation.schema, names[0]) or case.schema(at)
    expected = disclosure.describe_schema(root, schema)
    words = _describe_type(root, schema)
    return Diagnosis(
        code=CODE,
        message=_message(violation, names, cause),
        at=at,
        details={
            "parameter": parameter_label(at),
            "expected": expected,
            "got": "nothing",
        },
        fixes=(find_split(case, at) or _fill(case, at, schema),),
        hint=_describe(at, words, schema.get("description")) if len(names) == 1 else "",
        schema_hint=_schema_hint(case, violation.at, names, schema, words),
        is_hint_in_call=not _adds_to_placeholder(root, schema),
        joins_missing=len(names) == 1 and cause is None,
    )


def _message(violation: Violation, names: list[str], cause: str | None) -> str:
    if len(names) > 1:
        return f"One of {join_names([format_path((*violation.at, name)) for name in names], last='or')} is required"
    because = f": {quote(cause)} needs it" if cause else ""
    return f"Required parameter {quote(format_path((*violation.at, names[0])))} is missing{because}"


def _cause(case: Case, violation: Violation, name: str) -> str | None:
    """Return the given parameter that makes the missing one required."""
    rules: dict[str, Any] = violation.schema.get("dependentRequired") or violation.schema.get("dependencies") or {}
    given = case.value(violation.at)
    return next(
        (key for key, needs in rules.items() if key in given and isinstance(needs, list) and name in needs), None
    )


def _fill(case: Case, at: Path, schema: schemas.Schema) -> Fix:
    for keyword in ("const", "default") if case.tool.is_read_only else ("const",):
        if schema.get(keyword) is not None and is_harmless(schema[keyword], key_of(at), schema):
            return Fix(
                Replace(at, schema[keyword]), Applicability.MAYBE_INCORRECT, confidence=0.6, value=schema[keyword]
            )
    return Fix(Replace(at, disclosure.placeholder(case.tool.schema, schema)), Applicability.HAS_PLACEHOLDERS)


def _adds_to_placeholder(root: schemas.Schema, schema: schemas.Schema) -> bool:
    """Whether a line about the parameter tells more than its placeholder."""
    whole = disclosure.first_choice(root, schema)
    has_words = any(whole.get(keyword) is not None for keyword in ("description", "default", "pattern"))
    return has_words or len(as_list(whole.get("enum"))) > _MOST_CHOICES_IN_PLACEHOLDER


def _describe(at: Path, words: str, description: Any) -> str:
    has_description = isinstance(description, str) and description.strip()
    return f"{parameter_label(at)}: {words}" + (f" ({literal(clean(description))})" if has_description else "")


def _schema_hint(case: Case, holder: Path, names: list[str], known: schemas.Schema, words: str) -> dict[str, Any]:
    """Return an excerpt of the schema. `words` are the description of one of its parts, which is `known` already."""
    root = case.tool.schema
    schema = case.schema(holder)
    declared = schemas.properties(root, schema)
    required = [name for name in schemas.find_required(root, schema) if name in declared]
    return {
        **disclosure.excerpt(root, schema, "minimal"),
        "types": {
            clean(name): words if declared[name] is known else _describe_type(root, declared[name])
            for name in names
            if name in declared
        },
        "example": {clean(name): disclosure.quote_example(root, declared[name], name) for name in required[:8]},
    }


def _describe_type(root: schemas.Schema, schema: Any) -> str:
    return disclosure.describe_schema(root, schema, shows_fields=True)
