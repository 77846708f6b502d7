"""Check whether a violation that was read from a server's text can be true.

Prose may look like a complaint about the call when it is not. A violation that the call or the schema contradicts is
dropped: no explanation is better than a false one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fingerpost.engine.model import Call, Violation, value_at
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings, is_number
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.tool import Tool

_BROKEN: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, limit: value < limit,
    "maximum": lambda value, limit: value > limit,
    "exclusiveMinimum": lambda value, limit: value <= limit,
    "exclusiveMaximum": lambda value, limit: value >= limit,
    "multipleOf": lambda value, step: bool(step) and value % step != 0,
}
_SIZED: dict[str, tuple[type, Callable[[int, Any], bool]]] = {
    "minLength": (str, lambda size, limit: size < limit),
    "maxLength": (str, lambda size, limit: size > limit),
    "minItems": (list, lambda size, limit: size < limit),
    "maxItems": (list, lambda size, limit: size > limit),
}


def is_plausible(violation: Violation, call: Call, tool: Tool) -> bool:
    """Whether the call and the schema agree with the violation."""
    if violation.keyword == "required":
        return _is_absent(violation, call, tool)
    try:
        value = value_at(call.arguments, violation.at)
    except (KeyError, IndexError, TypeError):
        return False
    if violation.keyword == "enum":
        return _is_no_choice(value, violation, tool)
    if violation.keyword in _SIZED:
        kind, breaks = _SIZED[violation.keyword]
        return isinstance(value, kind) and is_number(violation.expected) and breaks(len(value), violation.expected)
    if violation.keyword == "type":
        return _is_mistyped(value, violation, tool)
    broken = _BROKEN.get(violation.keyword)
    return broken is None or (is_number(value) and is_number(violation.expected) and broken(value, violation.expected))


def _is_no_choice(value: Any, violation: Violation, tool: Tool) -> bool:
    """Whether a value is none of the choices: those of the text, or of the schema if the text lists none."""
    node = schemas.schema_at(tool.schema, violation.at)
    choices = as_list(violation.expected) or as_list(as_object(node).get("enum"))
    return bool(choices) and value not in choices


def _is_absent(violation: Violation, call: Call, tool: Tool) -> bool:
    """Whether every required name is declared in the schema and absent from the call."""
    declared = schemas.properties(tool.schema, schemas.schema_at(tool.schema, violation.at))
    try:
        given = as_object(value_at(call.arguments, violation.at))
    except (KeyError, IndexError, TypeError):
        return False
    names = as_strings(violation.expected) or as_strings([violation.expected])
    return all(name in declared and given.get(name) is None for name in names)


def _is_mistyped(value: Any, violation: Violation, tool: Tool) -> bool:
    kind, wanted = schemas.type_name(value), as_strings(violation.expected)
    if kind in wanted or (kind == "integer" and "number" in wanted):
        return False
    declared = schemas.types(tool.schema, schemas.schema_at(tool.schema, violation.at))
    return not declared or not set(wanted).isdisjoint(declared)
