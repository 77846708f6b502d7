"""Find the `null` of a call that a server's text rejects, in whatever words, if only one can be the one.

    note cannot be null
    Invalid arguments: note: Expected string, received null
    json: cannot unmarshal null into Go value of type string

On tools that may write, `null` is forwarded as it was sent, so the server judges it. A text that names no parameter
counts only in the exact words of a validator, and only if a single `null` of the call fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Call, Path, Violation
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.tool import Tool

_NULL = r"['\"`]?(?:null|nil|None(?:Type)?|undefined)\b['\"`]?"
_REJECTED = lazy_pattern(
    rf"\b(?:received|got|found|given|unexpected|unmarshal|invalid type:|input_value=|value:?)[ =]?{_NULL}"
    rf"|(?:\b(?:cannot|can not|must not|may not|should not|is not|not)|n't)(?: be| allow)? {_NULL}|\bnot[- ]null\b"
    rf"|\bnon-?null|{_NULL} (?:is|was)(?: not|n't| invalid)|{_NULL} (?:value )?not (?:allowed|permitted|accepted)"
    r"|\bnull value\b",
    re.IGNORECASE,
)
_BY_VALIDATOR = lazy_pattern(
    r"(?:Input validation error: )?None is not of type '(?P<a>\w+)'"
    r"|(?:\w+: )?(?:json: )?cannot unmarshal null into Go value of type (?P<b>\w+)"
    r"|(?:Invalid input: |Invalid arguments: )?expected (?P<c>\w+), received null"
    r"|(?:Input validation error: |Invalid arguments: )?null is not of type \"(?P<d>\w+)\""
    r"|(?:\w+: )?invalid type: null, expected an? (?P<e>\w+)",
    re.IGNORECASE,
)
_NEAR = 80
"""How many characters beside the words that reject `null` may name the parameter."""
_MAX_NULLS, _MAX_DEPTH = 32, 4


def read(text: str, call: Call, tool: Tool) -> tuple[Violation, ...]:
    """Return the rejected `null` as a violation of the type that its parameter declares; nothing if in doubt."""
    if not (rejected := _REJECTED.search(text)):
        return ()
    nulls = {at: types for at in _find_nulls(call.arguments) if (types := _declared_types(tool, at))}
    around = text[max(0, rejected.start() - _NEAR) : rejected.end() + _NEAR]
    names = {str(at[-1]) for at in nulls}.union(tool.params)
    named = {name for name in names if re.search(rf"(?<![\w$-]){re.escape(name)}(?![\w$-])", around)}
    if named:
        found = [at for at in nulls if named == {at[-1]}]
    else:
        found = [at for at, types in nulls.items() if _is_by_validator(text, types)]
    if len(found) != 1:
        return ()
    at = found[0]
    return (Violation(at, "type", nulls[at], schemas.schema_at(tool.schema, at)),)


def _find_nulls(arguments: Any) -> Iterator[Path]:
    """Yield where a call has `null` as the value of a name."""
    pending: list[tuple[Path, Any]] = [((), arguments)]
    for _ in range(_MAX_NULLS):
        if not pending:
            return
        at, node = pending.pop()
        for name, value in as_object(node).items():
            if value is None:
                yield (*at, name)
            elif len(at) < _MAX_DEPTH and (inner := as_object(value)):
                pending.append(((*at, name), inner))


def _declared_types(tool: Tool, at: Path) -> list[str]:
    """Return the types that a parameter declares; none if it takes `null`, or if it is not declared."""
    types = schemas.types(tool.schema, schemas.schema_at(tool.schema, at))
    return [] if "null" in types else sorted(types)


def _is_by_validator(text: str, types: list[str]) -> bool:
    """Whether a text is a validator's and nothing else, about a value of one of these types."""
    found = _BY_VALIDATOR.fullmatch(text.strip().rstrip("."))
    wanted = parse.json_types(filter(None, found.groups())) if found else []
    return not set(wanted).isdisjoint(types)
