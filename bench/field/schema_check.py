"""Check calls against the schemas of a server's tools, with a validator that the engine does not use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import UnknownType
from referencing.exceptions import Unresolvable

from bench.field.case import Case
from bench.forms.intended import nested_values
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object


def find_errors(schema: Mapping[str, Any], value: Any) -> list[Any]:
    """What the validator says about a value."""
    try:
        return list(Draft202012Validator(dict(schema)).iter_errors(value))  # pyright: ignore[reportUnknownMemberType]
    except (UnknownType, Unresolvable, re.error):  # a schema that this validator cannot read proves nothing
        return []


def find_fault(call: Call, case: Case) -> str:
    """Why a call is not right: its tool is not listed, an argument is not declared, or the schema rejects it."""
    tool = case.tool(call.tool)
    if tool is None:
        return f"{call.tool} is not listed"
    if names := undeclared_arguments(call, tool):
        return f"{names[0]} is not declared"
    errors = find_errors(as_object(tool.get("inputSchema")), call.arguments)
    return str(errors[0].message)[:200] if errors else ""


def undeclared_arguments(call: Call, tool: Mapping[str, Any]) -> list[str]:
    """The arguments that a tool does not declare; none if it says that it takes others."""
    declared = as_object(as_object(tool.get("inputSchema")).get("properties"))
    return [] if is_open(tool) else [name for name in as_object(call.arguments) if name not in declared]


def is_open(tool: Mapping[str, Any]) -> bool:
    """Whether the schema says that it takes more than it declares, or declares in a way that is not read here."""
    schema = as_object(tool.get("inputSchema"))
    more = schema.get("additionalProperties")
    is_stated = more is True or isinstance(more, dict)
    return is_stated or any(key in schema for key in ("patternProperties", "allOf", "anyOf", "oneOf", "$ref"))


def leaf_values(value: Any) -> set[str]:
    """The values in a call, in a spelling that does not depend on their type."""
    found: set[str] = set()
    for _, one in nested_values(_unpack(value)):
        if not isinstance(one, dict | list):
            found.add("null" if one is None else str(one).strip().lower())
    return found


def _unpack(value: Any) -> Any:
    """A value in which JSON in strings is read."""
    if isinstance(value, dict):
        return {name: _unpack(one) for name, one in as_object(value).items()}
    if isinstance(value, list):
        return [_unpack(one) for one in as_list(value)]
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return _unpack(json.loads(value))
        except ValueError:
            return value
    return value


def show_call(call: Call) -> str:
    return f"{call.tool}({json.dumps(call.arguments, ensure_ascii=False)[:160]})"
